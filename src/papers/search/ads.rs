//! The ADS search API (`/search/query`), which SciX serves under a second address.
//!
//! Protocol: <https://ui.adsabs.harvard.edu/help/api/>. Limits are per end point and a day, told in headers that may be
//! missing; errors come as JSON in three shapes, or as a web page of a proxy.

mod wire;

pub(crate) use wire::{AdsPage, read_answer};

use super::answer::Quota;
use super::query::SortOrder;
use crate::config::Secret;
use crate::net::{HttpClient, Limits, NetError, Response, StatusCode};
use crate::papers::text::is_web_page;
use crate::time::Timestamp;
use parking_lot::Mutex;
use std::time::Duration;
use url::Url;

/// The fields we ask for.
const FIELDS: &str = "bibcode,identifier,alternate_bibcode,doi,title,author,orcid_pub,abstract,pub,bibstem,volume,page,\
                      year,pubdate,doctype,keyword,citation_count,property";

/// Why ADS did not answer; the text says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AdsError {
    #[error(
        "no ADS token is set. Create one at https://ui.adsabs.harvard.edu/user/settings/token and set ADS_API_TOKEN."
    )]
    NoToken,
    #[error(
        "the ADS token is refused; set ADS_API_TOKEN to a valid one (https://ui.adsabs.harvard.edu/user/settings/token)."
    )]
    TokenRefused,
    #[error("today's ADS searches are used up{}.", .0.map(|at| format!("; the count starts anew at {at}")).unwrap_or_default())]
    UsedUp(Option<Timestamp>),
    #[error("ADS does not accept the query: {0}")]
    Rejected(String),
    #[error("ADS is too busy or broken at the moment (HTTP {0}): {1}. Try again later.")]
    Busy(u16, String),
    #[error("ADS answered in a way that cannot be read: {0}.")]
    Unreadable(String),
    #[error("ADS could not be reached: {}.", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Unreachable(Vec<NetError>),
    #[error("ADS is not at the configured address{} (HTTP 404); check ADS_BASE_URL.", if .0.len() > 1 { "es" } else { "" })]
    NotThere(Vec<String>),
}

/// Client of the search end point.
pub(crate) struct Ads {
    http: HttpClient,
    hosts: Vec<Url>,
    token: Option<Secret>,
    /// What the search end point last said is left.
    quota: Mutex<Option<Quota>>,
}

impl Ads {
    /// For these hosts in order; `attempt` is how long one of them may take.
    pub fn new(http: &HttpClient, hosts: Vec<Url>, token: Option<Secret>, attempt: Duration) -> Self {
        let http = http.trusting(&hosts).with_limits(Limits::default().within(attempt));
        Self { http, hosts, token, quota: Mutex::new(None) }
    }

    /// Whether there is a token to ask with.
    pub fn is_configured(&self) -> bool {
        self.token.is_some()
    }

    /// What is left of today's searches, when ADS has said so and the day has not turned.
    pub fn quota(&self) -> Option<Quota> {
        (*self.quota.lock()).filter(|quota| quota.resets_at > Timestamp::now())
    }

    /// Searches; the second host is tried when the first cannot be reached or knows no such address.
    pub async fn search(&self, query: &str, sort: SortOrder, rows: u32) -> Result<AdsPage, AdsError> {
        let token = self.token.as_ref().ok_or(AdsError::NoToken)?;
        if let Some(quota) = self.quota().filter(|quota| quota.remaining == 0) {
            return Err(AdsError::UsedUp(Some(quota.resets_at)));
        }
        let (mut unreachable, mut not_there) = (Vec::new(), Vec::new());
        for host in &self.hosts {
            match self.ask(host, token, query, sort, rows).await {
                Err(AdsError::Unreachable(errors)) => unreachable.extend(errors),
                Err(AdsError::NotThere(hosts)) => not_there.extend(hosts),
                outcome => return outcome,
            }
        }
        if unreachable.is_empty() {
            Err(AdsError::NotThere(not_there))
        } else {
            Err(AdsError::Unreachable(unreachable))
        }
    }

    async fn ask(
        &self,
        host: &Url,
        token: &Secret,
        query: &str,
        sort: SortOrder,
        rows: u32,
    ) -> Result<AdsPage, AdsError> {
        let url = endpoint(host, query, sort, rows);
        let request = self.http.get(url).bearer_auth(token.expose());
        let response = self.http.send_built(request).await.map_err(from_net)?;
        let status = response.status();
        let retry_after = super::retry_after(&response);
        self.note_quota(&response);
        let body = response.text().await.map_err(from_net)?;
        if status == StatusCode::OK {
            return read_answer(&body);
        }
        let said = wire::error_text(&body);
        Err(match status.as_u16() {
            400 => AdsError::Rejected(said),
            401 => AdsError::TokenRefused,
            // A proxy's bot check also answers 403, with a page.
            403 if is_web_page(&body) => AdsError::Unreadable(said),
            403 => AdsError::TokenRefused,
            404 => AdsError::NotThere(vec![host.host_str().unwrap_or_default().to_owned()]),
            429 => self.used_up(retry_after),
            code => AdsError::Busy(code, said),
        })
    }

    /// After a 429: nothing is asked again before the reset that the headers or the answer named.
    fn used_up(&self, retry_after: Option<Duration>) -> AdsError {
        let mut quota = self.quota.lock();
        let resets_at = match (*quota, retry_after) {
            (Some(known), _) => Some(known.resets_at),
            (None, Some(wait)) => Some(Timestamp::now().plus(wait)),
            (None, None) => None,
        };
        if let Some(resets_at) = resets_at {
            *quota = Some(Quota { limit: quota.map_or(0, |known| known.limit), remaining: 0, resets_at });
        }
        AdsError::UsedUp(resets_at)
    }

    fn note_quota(&self, response: &Response) {
        let number = |name: &str| response.header(name).and_then(|text| text.trim().parse::<u64>().ok());
        let limit = number("x-ratelimit-limit");
        let reset = number("x-ratelimit-reset").and_then(|seconds| i64::try_from(seconds).ok()?.checked_mul(1000));
        if let (Some(limit), Some(remaining), Some(reset)) = (limit, number("x-ratelimit-remaining"), reset) {
            *self.quota.lock() = Some(Quota { limit, remaining, resets_at: Timestamp::from_millis(reset) });
        }
    }
}

fn from_net(error: NetError) -> AdsError {
    if error.is_unreachable() { AdsError::Unreachable(vec![error]) } else { AdsError::Unreadable(error.to_string()) }
}

fn endpoint(host: &Url, query: &str, sort: SortOrder, rows: u32) -> Url {
    let mut url = host.clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(["search", "query"]);
    }
    // The second key makes the order of equal ones repeatable.
    let sort = match sort {
        SortOrder::Relevance => "score desc,bibcode desc",
        SortOrder::Date => "date desc,bibcode desc",
        SortOrder::Citations => "citation_count desc,bibcode desc",
    };
    url.query_pairs_mut()
        .append_pair("q", query)
        .append_pair("fl", FIELDS)
        .append_pair("rows", &rows.to_string())
        .append_pair("sort", sort);
    url
}
