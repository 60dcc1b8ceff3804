//! What is known about one paper.

use super::Literature;
use super::identity::{NotAnIdentifier, PaperRef};
use super::remember::remember;
use super::search::{AdsError, Plan, SearchRequest, SourceOutcome};
use crate::store::papers::{Paper, StoredPaper};
use crate::store::{StoreError, StoreResult};
use crate::time::Timestamp;

/// A paper, and whether the knowledge is old.
#[derive(Debug, Clone, PartialEq)]
pub struct Metadata {
    /// The paper.
    pub paper: Paper,
    /// Set when it should have been asked for anew and could not be.
    pub stale: Option<Stale>,
}

/// Why metadata are old.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    /// When a source last described the paper.
    pub fetched_at: Timestamp,
    /// Why it was not asked again.
    pub why: String,
}

/// Why nothing can be said about a paper.
#[derive(Debug, thiserror::Error)]
pub enum MetadataError {
    /// The text names no paper.
    #[error(transparent)]
    NotAnIdentifier(#[from] NotAnIdentifier),
    /// No source could be asked, and nothing is stored.
    #[error("{0}")]
    Unavailable(String),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Literature {
    /// Describes the paper that `identifier` names (a bibcode, an arXiv id, a DOI, an address that holds one, our id):
    /// from the store while that is fresh, else from ADS and arXiv. `None` when the sources know no such paper.
    ///
    /// # Errors
    /// When the text is no identifier, nothing is stored and no source answers, or the database fails.
    pub async fn metadata(&self, identifier: &str) -> Result<Option<Metadata>, MetadataError> {
        let reference: PaperRef = identifier.parse()?;
        let known = self.stored(&reference).await?;
        if let Some(stored) = &known
            && self.is_fresh(stored)
        {
            return Ok(known.map(|stored| Metadata { paper: stored.paper, stale: None }));
        }
        let Some(plan) = plan(&reference, known.as_ref()) else {
            // Our own id, and no such row or one without any identifier to ask with.
            return Ok(known.map(|stored| Metadata { paper: stored.paper, stale: None }));
        };
        let found = self.sources.search(&plan, &SearchRequest { limit: Some(5), ..SearchRequest::default() }).await;
        let answered = found.sources.iter().any(|source| source.status == SourceOutcome::Ok);
        let details: Vec<String> = found.sources.iter().filter_map(|source| source.detail.clone()).collect();
        let stored = remember(&self.store, found.papers.into_iter().map(|paper| paper.records).collect()).await?;
        // The reference decides which of several it is: an identifier may be listed by a paper and by its erratum.
        let wanted = match &known {
            Some(known) => self.store.paper(known.paper.id).await?,
            None => self.store.paper_by_identifier(&reference.identifiers()).await?,
        };
        match (wanted.or_else(|| stored.into_iter().next()), answered) {
            (Some(stored), true) => Ok(Some(Metadata { paper: stored.paper, stale: None })),
            (Some(stored), false) => {
                let stale = Stale { fetched_at: stored.fetched_at, why: details.join(" ") };
                Ok(Some(Metadata { paper: stored.paper, stale: Some(stale) }))
            }
            (None, true) => Ok(None),
            (None, false) => Err(MetadataError::Unavailable(unavailable(&reference, &details))),
        }
    }

    /// The paper that `identifier` names as it is stored; nobody is asked. `None` when it is not stored, or the text is no
    /// identifier.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn known(&self, identifier: &str) -> StoreResult<Option<Paper>> {
        let Ok(reference) = identifier.parse() else { return Ok(None) };
        Ok(self.stored(&reference).await?.map(|stored| stored.paper))
    }

    async fn stored(&self, reference: &PaperRef) -> StoreResult<Option<StoredPaper>> {
        match reference {
            PaperRef::Id(id) => self.store.paper(*id).await,
            PaperRef::Bibcode(_) | PaperRef::Arxiv(_) | PaperRef::Doi(_) => {
                self.store.paper_by_identifier(&reference.identifiers()).await
            }
        }
    }

    /// Whether what is stored needs no new question: it is young, and no better source is there to ask.
    fn is_fresh(&self, stored: &StoredPaper) -> bool {
        let young = Timestamp::now().since(stored.fetched_at) < self.fresh;
        young && (stored.complete || !self.sources.ads.is_configured())
    }
}

/// What to ask for: by the reference itself, or by the best name of the stored paper when that is our id.
fn plan(reference: &PaperRef, known: Option<&StoredPaper>) -> Option<Plan> {
    match reference {
        // The newest version knows of a withdrawal and of the journal.
        PaperRef::Arxiv(id) => Some(Plan::one(&PaperRef::Arxiv(id.newest()))),
        PaperRef::Bibcode(_) | PaperRef::Doi(_) | PaperRef::Id(_) => {
            let paper = known.map(|stored| &stored.paper);
            let arxiv = paper.and_then(|paper| paper.arxiv_id.as_deref()?.parse().ok()).map(PaperRef::Arxiv);
            let others = paper.and_then(|paper| paper.bibcode.as_deref().or(paper.doi.as_deref())?.parse().ok());
            match (arxiv.or(others), reference) {
                (Some(better), _) => Some(Plan::one(&better)),
                (None, PaperRef::Id(_)) => None,
                (None, PaperRef::Bibcode(_) | PaperRef::Doi(_) | PaperRef::Arxiv(_)) => Some(Plan::one(reference)),
            }
        }
    }
}

fn unavailable(reference: &PaperRef, details: &[String]) -> String {
    let details = details.join(" ");
    let needs_ads = details.contains(&AdsError::NoToken.to_string());
    let hint = if needs_ads { " Bibcodes and DOIs can be looked up in ADS alone." } else { "" };
    format!("Nothing is known here about {reference}, and no source could be asked: {details}{hint}")
}
