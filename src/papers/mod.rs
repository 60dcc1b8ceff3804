//! Papers: identity, search, metadata.
//!
//! [`Literature`] is the service. A search asks ADS and arXiv at the same time, joins what they say about the same paper
//! ([`identity`] names it, `matching` decides), stores every hit, so that it has an id of ours, and answers with one list
//! and the state of each source. [`Literature::metadata`] describes one paper, from the store while that is fresh.

pub mod identity;
mod matching;
mod metadata;
pub mod parse;
mod record;
mod remember;
pub mod search;
mod text;
mod union;

pub(crate) use text::shorten;

pub use crate::store::papers::{
    Author, Identifier, Paper, PaperState, PaperVersion, Provenance, Scheme, StoredPaper, Unmerged, VersionKind,
};
pub use metadata::{Metadata, MetadataError, Stale};

use crate::config::Config;
use crate::net::HttpClient;
use crate::store::{Store, StoreError};
use search::{Ads, Arxiv, Plan, QueryError, SearchAnswer, SearchHit, SearchRequest, Sources};
use std::time::Duration;

/// How long things may take and stay fresh; other values than the default are for tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// A whole search.
    pub deadline: Duration,
    /// One request to one host.
    pub attempt: Duration,
    /// Between two requests to arXiv: its terms ask for three seconds.
    pub arxiv_interval: Duration,
    /// How long stored metadata are taken without asking again.
    pub fresh: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(30),
            attempt: Duration::from_secs(13),
            arxiv_interval: Duration::from_secs(3),
            fresh: Duration::from_secs(7 * 24 * 3600),
        }
    }
}

/// Why there is no answer at all to a search.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// The query cannot be sent; nothing was asked.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The literature services. Make one for the process: arXiv's queue is inside.
pub struct Literature {
    store: Store,
    sources: Sources,
    fresh: Duration,
}

impl Literature {
    /// For the configured services.
    #[must_use]
    pub fn new(config: &Config, store: Store, http: &HttpClient) -> Self {
        Self::with_timing(config, store, http, Timing::default())
    }

    /// The same with other times.
    #[must_use]
    pub fn with_timing(config: &Config, store: Store, http: &HttpClient, timing: Timing) -> Self {
        let upstreams = &config.upstreams;
        let hosts = [Some(upstreams.ads_base.clone()), upstreams.ads_fallback_base.clone()];
        let hosts = hosts.into_iter().flatten().collect();
        let ads = Ads::new(http, hosts, upstreams.ads_token.clone(), timing.attempt);
        let arxiv = Arxiv::new(http, upstreams.arxiv_api.clone(), timing.arxiv_interval, timing.attempt);
        Self { store, sources: Sources { ads, arxiv, deadline: timing.deadline }, fresh: timing.fresh }
    }

    /// Searches the wanted sources; each hit is stored, so that it has an id of ours.
    ///
    /// A source that fails is reported in the answer ([`SearchAnswer::none_answered`] tells when none is left).
    ///
    /// # Errors
    /// When the query is malformed (nothing was sent), or the database fails.
    pub async fn search(&self, request: &SearchRequest) -> Result<SearchAnswer, SearchError> {
        let plan = Plan::new(request)?;
        let found = self.sources.search(&plan, request).await;
        let (ranks, records): (Vec<_>, Vec<_>) =
            found.papers.into_iter().map(|paper| ((paper.sources, paper.score), paper.records)).unzip();
        let stored = remember::remember(&self.store, records).await?;
        let mut items: Vec<SearchHit> = Vec::new();
        for (stored, (source, score)) in stored.into_iter().zip(ranks) {
            // The store may know that two hits are one paper although neither source says so.
            match items.iter_mut().find(|hit| hit.paper.id == stored.paper.id) {
                Some(hit) => {
                    hit.score += score;
                    hit.source.extend(source);
                    hit.source.sort();
                    hit.source.dedup();
                }
                None => items.push(SearchHit { paper: stored.paper, source, score, relation: None }),
            }
        }
        Ok(SearchAnswer { items, query_sent: found.query_sent, sources: found.sources })
    }
}
