//! The outside services on this machine: ADS at two hosts, arXiv, Sesame at two mirrors, each with faults that can be
//! switched on.
//!
//! Plain library code on axum: test binaries include it with `#[path = "support/upstreams.rs"] mod upstreams;`, and the
//! demo runs it beside the product.
#![allow(dead_code, reason = "each test binary includes this module and uses its own part of it")]

#[path = "upstreams/answers.rs"]
mod answers;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::{Router, serve};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// The token that ADS takes here.
pub const ADS_TOKEN: &str = "recorded-token";

/// A service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Upstream {
    Ads,
    AdsFallback,
    Arxiv,
    SesameFirst,
    SesameSecond,
}

impl Upstream {
    const ALL: [Self; 5] = [Self::Ads, Self::AdsFallback, Self::Arxiv, Self::SesameFirst, Self::SesameSecond];
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Connections are dropped as soon as they are made.
    Down,
    /// The request is taken and never answered.
    Silent,
    /// The first so many requests get an empty page with a total; arXiv alone.
    EmptyPages(u32),
    /// The status with headers and a body.
    Answer { status: u16, headers: Vec<(&'static str, String)>, body: String },
    /// Nobody knows the name; Sesame alone.
    NothingFound,
}

impl Fault {
    /// ADS's answer to a bad token.
    pub fn unauthorized() -> Self {
        Self::answer(401, r#"{"error": "Unauthorized"}"#)
    }

    /// ADS's answer when the day's searches are used up, with the headers that say until when.
    pub fn too_many_requests(reset_in: Duration) -> Self {
        Self::Answer {
            status: 429,
            headers: vec![
                ("x-ratelimit-limit", "5000".into()),
                ("x-ratelimit-remaining", "0".into()),
                ("x-ratelimit-reset", epoch(reset_in).to_string()),
            ],
            body: r#"{"error": "Too many requests"}"#.into(),
        }
    }

    /// A proxy's error page.
    pub fn page(status: u16) -> Self {
        Self::answer(
            status,
            "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>",
        )
    }

    /// arXiv's error feed.
    pub fn arxiv_error(status: u16, summary: &str) -> Self {
        Self::Answer { status, headers: Vec::new(), body: answers::arxiv_error(summary) }
    }

    /// A status with a pause to keep.
    pub fn retry_after(status: u16, seconds: u64) -> Self {
        Self::Answer { status, headers: vec![("retry-after", seconds.to_string())], body: "Rate exceeded.".into() }
    }

    /// A status with a body.
    pub fn answer(status: u16, body: &str) -> Self {
        Self::Answer { status, headers: Vec::new(), body: body.into() }
    }
}

/// A request as it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    pub upstream: Upstream,
    pub path: String,
    /// Decoded parameters; Sesame's name is under `name`.
    pub query: BTreeMap<String, String>,
    pub user_agent: String,
    pub authorization: Option<String>,
}

#[derive(Default)]
struct Shared {
    faults: Mutex<HashMap<Upstream, Fault>>,
    requests: Mutex<Vec<Recorded>>,
}

impl Shared {
    fn fault(&self, upstream: Upstream) -> Option<Fault> {
        self.faults.lock().get(&upstream).cloned()
    }
}

/// The running services; they end when this is dropped.
pub struct Upstreams {
    shared: Arc<Shared>,
    addresses: HashMap<Upstream, SocketAddr>,
    servers: Vec<JoinHandle<()>>,
}

/// Starts all services on free ports of this machine.
pub async fn start() -> Upstreams {
    let shared = Arc::new(Shared::default());
    let (mut addresses, mut servers) = (HashMap::new(), Vec::new());
    for upstream in Upstream::ALL {
        let inner = TcpListener::bind("127.0.0.1:0").await.unwrap();
        addresses.insert(upstream, inner.local_addr().unwrap());
        let listener = Listener { inner, upstream, shared: shared.clone() };
        let app = Router::new().fallback(answer).with_state((upstream, shared.clone()));
        servers.push(tokio::spawn(async move {
            // Ends when the task is aborted.
            let _ = serve(listener, app).await;
        }));
    }
    Upstreams { shared, addresses, servers }
}

impl Drop for Upstreams {
    fn drop(&mut self) {
        self.servers.iter().for_each(JoinHandle::abort);
    }
}

impl Upstreams {
    /// `ADS_BASE_URL`.
    pub fn ads_url(&self) -> String {
        self.url(Upstream::Ads, "/v1")
    }

    /// `ADS_FALLBACK_BASE_URL`.
    pub fn ads_fallback_url(&self) -> String {
        self.url(Upstream::AdsFallback, "/v1")
    }

    /// `ARXIV_API_URL`.
    pub fn arxiv_url(&self) -> String {
        self.url(Upstream::Arxiv, "/api/query")
    }

    /// `SESAME_URLS`, in order.
    pub fn sesame_urls(&self) -> Vec<String> {
        [Upstream::SesameFirst, Upstream::SesameSecond].map(|mirror| self.url(mirror, "/cgi-bin/nph-sesame")).into()
    }

    /// The settings that make the product use these services.
    pub fn environment(&self) -> BTreeMap<String, String> {
        let settings = [
            ("ADS_API_TOKEN", ADS_TOKEN.to_owned()),
            ("ADS_BASE_URL", self.ads_url()),
            ("ADS_FALLBACK_BASE_URL", self.ads_fallback_url()),
            ("ARXIV_API_URL", self.arxiv_url()),
            ("SESAME_URLS", self.sesame_urls().join(",")),
        ];
        settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Breaks a service.
    pub fn set_fault(&self, upstream: Upstream, fault: Fault) {
        self.shared.faults.lock().insert(upstream, fault);
    }

    /// Repairs a service.
    pub fn repair(&self, upstream: Upstream) {
        self.shared.faults.lock().remove(&upstream);
    }

    /// Everything that was asked, in order.
    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.requests.lock().clone()
    }

    /// How often one service was asked.
    pub fn count(&self, upstream: Upstream) -> usize {
        self.requests().iter().filter(|request| request.upstream == upstream).count()
    }

    fn url(&self, upstream: Upstream, path: &str) -> String {
        format!("http://{}{path}", self.addresses[&upstream])
    }
}

/// A listener that drops connections while its service is down.
struct Listener {
    inner: TcpListener,
    upstream: Upstream,
    shared: Arc<Shared>,
}

impl serve::Listener for Listener {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, address) = serve::Listener::accept(&mut self.inner).await;
            if self.shared.fault(self.upstream) != Some(Fault::Down) {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.inner.local_addr()
    }
}

async fn answer(State((upstream, shared)): State<(Upstream, Arc<Shared>)>, request: Request) -> Response {
    let recorded = record(upstream, &request);
    shared.requests.lock().push(recorded.clone());
    let mut hide = false;
    match shared.fault(upstream) {
        // A connection that was made before the service went down.
        Some(Fault::Down | Fault::Silent) => std::future::pending::<()>().await,
        Some(Fault::Answer { status, headers, body }) => return respond(status, &headers, body),
        Some(Fault::EmptyPages(left)) => {
            hide = left > 0;
            let next = Fault::EmptyPages(left.saturating_sub(1));
            shared.faults.lock().insert(upstream, next);
        }
        Some(Fault::NothingFound) => {
            return respond(200, &[], answers::sesame_nothing(parameter(&recorded, "name")));
        }
        None => {}
    }
    let rows = |name| parameter(&recorded, name).parse().unwrap_or(10);
    match upstream {
        Upstream::Ads | Upstream::AdsFallback => {
            if recorded.path != "/v1/search/query" {
                return respond(404, &[], r#"{"error": "Not Found"}"#.into());
            }
            if recorded.authorization.as_deref() != Some(&format!("Bearer {ADS_TOKEN}")) {
                return respond(401, &[], r#"{"error": "Unauthorized"}"#.into());
            }
            let asked = shared.requests.lock().len();
            let headers = [
                ("x-ratelimit-limit", "5000".to_owned()),
                ("x-ratelimit-remaining", 5000usize.saturating_sub(asked).to_string()),
                ("x-ratelimit-reset", epoch(Duration::from_secs(3600)).to_string()),
            ];
            respond(200, &headers, answers::ads(parameter(&recorded, "q"), rows("rows")))
        }
        Upstream::Arxiv => {
            let (search, ids) = (parameter(&recorded, "search_query"), parameter(&recorded, "id_list"));
            respond(200, &[], answers::arxiv(search, ids, rows("max_results"), hide))
        }
        Upstream::SesameFirst | Upstream::SesameSecond => {
            respond(200, &[], answers::sesame(parameter(&recorded, "name")))
        }
    }
}

fn record(upstream: Upstream, request: &Request) -> Recorded {
    let text = |headers: &HeaderMap, name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let raw = request.uri().query().unwrap_or_default();
    let query = match upstream {
        Upstream::SesameFirst | Upstream::SesameSecond => {
            let name = percent_encoding::percent_decode_str(raw).decode_utf8_lossy().into_owned();
            BTreeMap::from([("name".to_owned(), name)])
        }
        Upstream::Ads | Upstream::AdsFallback | Upstream::Arxiv => {
            url::form_urlencoded::parse(raw.as_bytes()).into_owned().collect()
        }
    };
    Recorded {
        upstream,
        path: request.uri().path().to_owned(),
        query,
        user_agent: text(request.headers(), header::USER_AGENT).unwrap_or_default(),
        authorization: text(request.headers(), header::AUTHORIZATION),
    }
}

fn parameter<'a>(recorded: &'a Recorded, name: &str) -> &'a str {
    recorded.query.get(name).map_or("", String::as_str)
}

fn respond(status: u16, headers: &[(&'static str, String)], body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    // A connection each, so that a service that goes down is down for everybody at once.
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(*name, value);
        }
    }
    response
}

/// Seconds since 1970 of a time that is so far ahead.
fn epoch(ahead: Duration) -> u64 {
    (SystemTime::now() + ahead).duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
