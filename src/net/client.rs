//! Sending a request, following its redirects.

use super::budget::{Budgets, Trust};
use super::guard::{Origin, PublicResolver, check_public, shown_host};
use super::{NetError, Response};
use reqwest::header::{AUTHORIZATION, COOKIE, HeaderValue, LOCATION, PROXY_AUTHORIZATION};
use reqwest::{Method, Request, RequestBuilder, StatusCode};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use url::Url;

/// How we introduce ourselves: arXiv throttles clients it cannot tell apart.
const USER_AGENT: &str =
    concat!("Almagest/", env!("CARGO_PKG_VERSION"), " (+research desk for astronomers; self-hosted)");
/// Redirects that are followed; DOI resolvers need three or four.
const MAX_REDIRECTS: usize = 8;
/// Time to connect, TLS included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Limits of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the body after decompression.
    pub max_bytes: u64,
    /// From sending to the last byte; none for streams that last as long as they last.
    pub overall: Option<Duration>,
    /// Until the headers when there is no overall limit, and between two pieces of the body.
    pub idle: Duration,
    /// Shown when a connection takes too long; the same for all requests.
    pub(super) connect: Duration,
}

impl Default for Limits {
    /// For an API: 16 MiB within 30 seconds.
    fn default() -> Self {
        Self {
            max_bytes: 16 << 20,
            overall: Some(Duration::from_secs(30)),
            idle: Duration::from_secs(30),
            connect: CONNECT_TIMEOUT,
        }
    }
}

impl Limits {
    /// For an answer that streams as long as it streams (a language model): no overall limit, at most `idle` of silence.
    #[must_use]
    pub fn streaming(idle: Duration) -> Self {
        Self { max_bytes: 64 << 20, overall: None, idle, ..Self::default() }
    }

    /// The same with another overall limit.
    #[must_use]
    pub fn within(self, overall: Duration) -> Self {
        Self { overall: Some(overall), ..self }
    }

    /// The same with another size limit.
    #[must_use]
    pub fn at_most(self, max_bytes: u64) -> Self {
        Self { max_bytes, ..self }
    }
}

struct Shared {
    /// For origins of settings: any address, resolved by the system.
    configured: reqwest::Client,
    /// For everything else: public addresses alone.
    public: reqwest::Client,
    budgets: Budgets,
}

/// The outbound HTTP client; cheap to clone, and clones share connections and budgets.
#[derive(Clone)]
pub struct HttpClient {
    shared: Arc<Shared>,
    trusted: Arc<BTreeSet<Origin>>,
    limits: Limits,
}

impl HttpClient {
    /// A client that reaches public addresses alone.
    ///
    /// # Errors
    /// When TLS cannot be set up.
    pub fn new() -> Result<Self, NetError> {
        // An error says that a provider is already installed, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let shared = Shared {
            configured: build(|builder| builder)?,
            public: build(|builder| builder.dns_resolver(Arc::new(PublicResolver)))?,
            budgets: Budgets::default(),
        };
        Ok(Self { shared: Arc::new(shared), trusted: Arc::default(), limits: Limits::default() })
    }

    /// A client for configured addresses: it reaches exactly their origins wherever they are, beside what is public.
    #[must_use]
    pub fn trusting<'a>(&self, addresses: impl IntoIterator<Item = &'a Url>) -> Self {
        let mut trusted = BTreeSet::clone(&self.trusted);
        trusted.extend(addresses.into_iter().filter_map(Origin::of));
        Self { trusted: Arc::new(trusted), ..self.clone() }
    }

    /// The same client with other limits.
    #[must_use]
    pub fn with_limits(&self, limits: Limits) -> Self {
        Self { limits, ..self.clone() }
    }

    /// Begins a GET request; finish it with [`HttpClient::send_built`].
    pub fn get(&self, url: Url) -> RequestBuilder {
        self.shared.configured.get(url)
    }

    /// Begins a POST request; finish it with [`HttpClient::send_built`].
    pub fn post(&self, url: Url) -> RequestBuilder {
        self.shared.configured.post(url)
    }

    /// Begins a PUT request; finish it with [`HttpClient::send_built`].
    pub fn put(&self, url: Url) -> RequestBuilder {
        self.shared.configured.put(url)
    }

    /// Builds and sends a request begun with [`HttpClient::get`], [`HttpClient::post`] or [`HttpClient::put`].
    ///
    /// Never call `RequestBuilder::send`: it would go past the guard.
    ///
    /// # Errors
    /// As [`HttpClient::send`].
    pub async fn send_built(&self, request: RequestBuilder) -> Result<Response, NetError> {
        let request = request.build().map_err(|error| NetError::Request(error.without_url().to_string()))?;
        self.send(request).await
    }

    /// Sends a request, follows redirects, and returns once the headers of the answer are there.
    ///
    /// Any status is an answer. Dropping the future or the response closes the connection.
    ///
    /// # Errors
    /// When the address is refused, there is no answer in time, or a redirect cannot be followed.
    pub async fn send(&self, request: Request) -> Result<Response, NetError> {
        let deadline = self.limits.overall.map(|overall| Instant::now() + overall);
        let mut request = request;
        for hop in 0..=MAX_REDIRECTS {
            let (origin, trust) = self.check(request.url(), hop)?;
            let host = origin.host().to_owned();
            let again = Resend::of(&request);
            let (until, limit) = match (deadline, self.limits.overall) {
                (Some(deadline), Some(overall)) => (deadline, overall),
                _ => (Instant::now() + self.limits.idle, self.limits.idle),
            };
            let client = match trust {
                Trust::Configured => &self.shared.configured,
                Trust::Public => &self.shared.public,
            };
            let exchange = async {
                let permit = self.shared.budgets.acquire(&origin, trust).await;
                (client.execute(request).await, permit)
            };
            let (outcome, permit) = timeout_at(until, exchange)
                .await
                .map_err(|_| NetError::Timeout { host: host.clone(), after: limit })?;
            let inner = outcome.map_err(|error| NetError::from_reqwest(error, &host, self.limits.connect))?;
            match redirect_target(&inner, &host)? {
                None => return Ok(Response::new(inner, host, self.limits, deadline, permit)),
                Some(target) => request = again.redirected(inner.status(), target, &origin, &host)?,
            }
        }
        Err(NetError::Redirect { host: shown_host(request.url()), why: "there are too many" })
    }

    /// Decides whether this hop may be made, and how far its host is trusted.
    fn check(&self, url: &Url, hop: usize) -> Result<(Origin, Trust), NetError> {
        match Origin::of(url) {
            // A redirect may come back to the configured origin, but not with somebody else's credentials.
            Some(origin) if self.trusted.contains(&origin) && (hop == 0 || url.username().is_empty()) => {
                Ok((origin, Trust::Configured))
            }
            Some(origin) => check_public(url).map(|()| (origin, Trust::Public)),
            None => {
                check_public(url)?;
                Err(NetError::Request("the address has no host".to_owned()))
            }
        }
    }
}

/// Builds one of the inner clients; without the system's certificates plain http still works and https says why not.
fn build(adapt: impl Fn(reqwest::ClientBuilder) -> reqwest::ClientBuilder) -> Result<reqwest::Client, NetError> {
    let base = || {
        adapt(
            reqwest::Client::builder()
                .user_agent(USER_AGENT)
                .redirect(reqwest::redirect::Policy::none())
                .referer(false)
                .no_proxy()
                .connect_timeout(CONNECT_TIMEOUT),
        )
    };
    base()
        .build()
        .or_else(|error| {
            tracing::warn!("no certificates of the system could be loaded, so https will not work: {error}");
            base().tls_certs_only(std::iter::empty()).build()
        })
        .map_err(|error| NetError::Request(error.to_string()))
}

/// What is needed to send a request again elsewhere.
struct Resend {
    method: Method,
    headers: reqwest::header::HeaderMap,
    /// The request with its body, when the body can be sent twice.
    whole: Option<Request>,
}

impl Resend {
    fn of(request: &Request) -> Self {
        Self { method: request.method().clone(), headers: request.headers().clone(), whole: request.try_clone() }
    }

    /// The request for the redirect's target (RFC 9110, section 15.4).
    fn redirected(self, status: StatusCode, target: Url, from: &Origin, host: &str) -> Result<Request, NetError> {
        let keeps_body = matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT)
            || self.method == Method::GET
            || self.method == Method::HEAD;
        let mut request = if keeps_body {
            let why = "its body cannot be sent twice";
            let mut request = self.whole.ok_or(NetError::Redirect { host: host.to_owned(), why })?;
            *request.url_mut() = target;
            request
        } else {
            let mut request = Request::new(Method::GET, target);
            *request.headers_mut() = self.headers;
            for name in ["content-type", "content-length", "content-encoding", "transfer-encoding"] {
                request.headers_mut().remove(name);
            }
            request
        };
        if Origin::of(request.url()).as_ref() != Some(from) {
            request.headers_mut().remove(AUTHORIZATION);
            request.headers_mut().remove(COOKIE);
            request.headers_mut().remove(PROXY_AUTHORIZATION);
            let secret: Vec<_> = request
                .headers()
                .iter()
                .filter(|(_, value)| value.is_sensitive())
                .map(|(name, _)| name.clone())
                .collect();
            for name in secret {
                request.headers_mut().remove(name);
            }
        }
        Ok(request)
    }
}

fn redirect_target(response: &reqwest::Response, host: &str) -> Result<Option<Url>, NetError> {
    match response.status() {
        StatusCode::MOVED_PERMANENTLY
        | StatusCode::FOUND
        | StatusCode::SEE_OTHER
        | StatusCode::TEMPORARY_REDIRECT
        | StatusCode::PERMANENT_REDIRECT => {}
        _ => return Ok(None),
    }
    let location = response.headers().get(LOCATION).map(HeaderValue::as_bytes);
    let target = location.and_then(|bytes| std::str::from_utf8(bytes).ok());
    let target = target.and_then(|text| response.url().join(text).ok());
    target.map(Some).ok_or(NetError::Redirect { host: host.to_owned(), why: "the target is missing or unreadable" })
}

#[cfg(test)]
mod tests;
