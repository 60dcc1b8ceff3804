//! The arXiv query API.
//!
//! Terms (<https://info.arxiv.org/help/api/tou.html>): one request every three seconds over one connection, counted over
//! the whole process. Pages that are empty although there are results come at random and are asked for again.

mod atom;

pub(crate) use atom::{ArxivPage, read_feed};

use super::query::SortOrder;
use super::translate::ArxivQuery;
use crate::net::{HttpClient, Limits, NetError, Pace, StatusCode};
use std::time::Duration;
use url::Url;

/// How often one page is asked for, the first time included.
const TRIES: usize = 3;
/// A pause that arXiv asks for is kept up to this; a longer one is told to the user instead.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Why arXiv did not answer; the text says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArxivError {
    #[error("arXiv does not accept the query: {0}.")]
    Rejected(String),
    #[error("arXiv asks for a pause of {} s (HTTP {status}). Try again later.", .pause.as_secs())]
    Pause { pause: Duration, status: u16 },
    #[error("arXiv is too busy or broken at the moment (HTTP {0}). Try again later.")]
    Busy(u16),
    #[error("arXiv says that {total} papers match, but sent none of them {TRIES} times. Try again later.")]
    EmptyPages { total: u64 },
    #[error("arXiv answered in a way that cannot be read: {0}.")]
    Unreadable(String),
    #[error("arXiv could not be reached: {0}.")]
    Net(NetError),
}

/// Client of the query API.
pub(crate) struct Arxiv {
    http: HttpClient,
    api: Url,
    pace: Pace,
}

enum Outcome {
    Done(ArxivPage),
    /// Ask again; when there is no try left, this is the error.
    Again(ArxivError, Option<Duration>),
}

impl Arxiv {
    /// `interval` is the time between two requests of the process: there must be one client only.
    pub fn new(http: &HttpClient, api: Url, interval: Duration, attempt: Duration) -> Self {
        let http = http.trusting([&api]).with_limits(Limits::default().within(attempt));
        Self { http, api, pace: Pace::new(interval) }
    }

    /// Asks for the first page.
    pub async fn search(&self, query: &ArxivQuery, sort: SortOrder, rows: u32) -> Result<ArxivPage, ArxivError> {
        let url = address(&self.api, query, sort, rows);
        let mut failure = None;
        for _ in 0..TRIES {
            // Held while the request runs: one connection at a time.
            let mut turn = self.pace.turn().await;
            match self.ask(url.clone()).await? {
                Outcome::Done(page) => return Ok(page),
                Outcome::Again(error, pause) => {
                    if let Some(pause) = pause {
                        turn.pause(pause);
                        if pause > LONGEST_PAUSE {
                            return Err(error);
                        }
                    }
                    failure = Some(error);
                }
            }
        }
        Err(failure.unwrap_or(ArxivError::Busy(503)))
    }

    async fn ask(&self, url: Url) -> Result<Outcome, ArxivError> {
        let response = self.http.send_built(self.http.get(url)).await.map_err(ArxivError::Net)?;
        let status = response.status();
        let pause = super::retry_after(&response);
        let body = response.text().await.map_err(ArxivError::Net)?;
        match status {
            // An error is a feed, too, with either status.
            StatusCode::OK | StatusCode::BAD_REQUEST => {
                let page = read_feed(&body)?;
                if page.records.is_empty() && page.total > page.start {
                    return Ok(Outcome::Again(ArxivError::EmptyPages { total: page.total }, None));
                }
                Ok(Outcome::Done(page))
            }
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                let error = match pause {
                    Some(pause) => ArxivError::Pause { pause, status: status.as_u16() },
                    None => ArxivError::Busy(status.as_u16()),
                };
                Ok(Outcome::Again(error, pause))
            }
            other => Err(ArxivError::Busy(other.as_u16())),
        }
    }
}

fn address(api: &Url, query: &ArxivQuery, sort: SortOrder, rows: u32) -> Url {
    let mut url = api.clone();
    {
        let mut pairs = url.query_pairs_mut();
        match query {
            ArxivQuery::Search(text) => {
                let sort = match sort {
                    SortOrder::Relevance | SortOrder::Citations => "relevance",
                    SortOrder::Date => "submittedDate",
                };
                pairs
                    .append_pair("search_query", text)
                    .append_pair("sortBy", sort)
                    .append_pair("sortOrder", "descending");
            }
            ArxivQuery::Ids(ids) => {
                let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
                pairs.append_pair("id_list", &ids.join(","));
            }
        }
        pairs.append_pair("start", "0").append_pair("max_results", &rows.to_string());
    }
    url
}
