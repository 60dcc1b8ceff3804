//! Searching the literature: ADS and arXiv at the same time, one list out of both.

mod ads;
mod answer;
mod arxiv;
mod merge;
mod query;
mod syntax;
mod translate;

pub use answer::{QuerySent, Quota, Relation, SearchAnswer, SearchHit, SourceName, SourceOutcome, SourceStatus};
pub use query::{SearchRequest, SortOrder};
pub use syntax::QueryError;

pub(crate) use ads::{Ads, AdsError, AdsPage};
pub(crate) use arxiv::{Arxiv, ArxivPage};
pub(crate) use merge::{Merged, merge};
pub(crate) use query::Plan;

use super::record::Record;
use crate::net::Response;
use std::future::Future;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// Both clients.
pub(crate) struct Sources {
    pub ads: Ads,
    pub arxiv: Arxiv,
    /// How long both together may take.
    pub deadline: Duration,
}

/// What the sources found, before it is stored.
pub(crate) struct Found {
    pub papers: Vec<Merged>,
    pub query_sent: QuerySent,
    pub sources: Vec<SourceStatus>,
}

/// What one source found, or why it did not.
struct Part {
    records: Vec<Record>,
    status: SourceStatus,
    sent: Option<String>,
}

impl Part {
    fn without(name: SourceName, status: SourceOutcome, detail: String, sent: Option<String>) -> Self {
        let status = SourceStatus { name, status, detail: Some(detail), total: None, quota: None };
        Self { records: Vec::new(), status, sent }
    }

    fn with(name: SourceName, total: u64, records: Vec<Record>, sent: String) -> Self {
        let status = SourceStatus { name, status: SourceOutcome::Ok, detail: None, total: Some(total), quota: None };
        Self { records, status, sent: Some(sent) }
    }
}

impl Sources {
    /// Asks the wanted sources at the same time; one that fails or is late is reported, and the other's hits stand.
    pub async fn search(&self, plan: &Plan, request: &SearchRequest) -> Found {
        let (sort, rows) = (request.sort, request.rows());
        let (ads, arxiv) = tokio::join!(
            async {
                if request.wants(SourceName::Ads) { Some(self.ask_ads(&plan.ads, sort, rows).await) } else { None }
            },
            async {
                if request.wants(SourceName::Arxiv) { Some(self.ask_arxiv(plan, sort, rows).await) } else { None }
            },
        );
        let mut found = Found { papers: Vec::new(), query_sent: QuerySent::default(), sources: Vec::new() };
        let mut lists = [Vec::new(), Vec::new()];
        for (part, list) in [ads, arxiv].into_iter().zip(&mut lists) {
            let Some(part) = part else { continue };
            match part.status.name {
                SourceName::Ads => found.query_sent.ads = part.sent,
                SourceName::Arxiv => found.query_sent.arxiv = part.sent,
            }
            found.sources.push(part.status);
            *list = part.records;
        }
        let [ads, arxiv] = lists;
        found.papers = merge(ads, arxiv, sort);
        found.papers.truncate(rows as usize);
        found
    }

    async fn ask_ads(&self, query: &str, sort: SortOrder, rows: u32) -> Part {
        let name = SourceName::Ads;
        let asked = self.in_time(name, self.ads.search(query, sort, rows)).await;
        let mut part = match asked {
            Ok(Ok(AdsPage { total, records })) => Part::with(name, total, records, query.to_owned()),
            Ok(Err(error @ AdsError::NoToken)) => Part::without(name, SourceOutcome::Skipped, error.to_string(), None),
            Ok(Err(error)) => Part::without(name, SourceOutcome::Failed, error.to_string(), Some(query.to_owned())),
            Err(late) => Part::without(name, SourceOutcome::Failed, late, Some(query.to_owned())),
        };
        part.status.quota = self.ads.quota();
        part
    }

    async fn ask_arxiv(&self, plan: &Plan, sort: SortOrder, rows: u32) -> Part {
        let name = SourceName::Arxiv;
        let query = match &plan.arxiv {
            Ok(query) => query,
            Err(why) => {
                let detail = format!("arXiv was not searched: {why}.");
                return Part::without(name, SourceOutcome::Skipped, detail, None);
            }
        };
        let sent = query.to_string();
        match self.in_time(name, self.arxiv.search(query, sort, rows)).await {
            Ok(Ok(ArxivPage { total, records, .. })) => Part::with(name, total, records, sent),
            Ok(Err(error)) => Part::without(name, SourceOutcome::Failed, error.to_string(), Some(sent)),
            Err(late) => Part::without(name, SourceOutcome::Failed, late, Some(sent)),
        }
    }

    async fn in_time<T>(&self, name: SourceName, asking: impl Future<Output = T>) -> Result<T, String> {
        timeout_at(Instant::now() + self.deadline, asking).await.map_err(|_| {
            let seconds = self.deadline.as_secs_f32();
            match name {
                SourceName::Ads => format!("ADS did not answer within {seconds} s. Try again later."),
                SourceName::Arxiv => format!(
                    "arXiv did not answer within {seconds} s. Its terms allow one request every three seconds, so many \
                     searches at once wait for each other. Try again later."
                ),
            }
        })
    }
}

/// The pause that a service asks for, in seconds or until a date (RFC 9110, section 10.2.3).
fn retry_after(response: &Response) -> Option<Duration> {
    let text = response.header("retry-after")?.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = httpdate::parse_http_date(text).ok()?;
    Some(at.duration_since(std::time::SystemTime::now()).unwrap_or(Duration::ZERO))
}

/// Reads stored answers as the clients would; for the tests and the fuzz targets.
#[doc(hidden)]
pub mod replay {
    /// Total, number of records, and the identifiers of each, of an ADS answer.
    ///
    /// # Errors
    /// The text that a person would see.
    pub fn ads(body: &str) -> Result<(u64, Vec<Vec<String>>), String> {
        let page = super::ads::read_answer(body).map_err(|error| error.to_string())?;
        Ok((page.total, page.records.iter().map(names).collect()))
    }

    /// The same of an arXiv feed.
    ///
    /// # Errors
    /// The text that a person would see.
    pub fn arxiv(body: &str) -> Result<(u64, Vec<Vec<String>>), String> {
        let page = super::arxiv::read_feed(body).map_err(|error| error.to_string())?;
        Ok((page.total, page.records.iter().map(names).collect()))
    }

    fn names(record: &crate::papers::record::Record) -> Vec<String> {
        record.identifiers().into_iter().map(|identifier| identifier.value).collect()
    }
}
