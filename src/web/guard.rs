//! Who may speak to the server at all: exact Host and Origin.
//!
//! A page on another port of localhost is *same-site* and does get the Strict cookie sent, and DNS rebinding lets a
//! foreign page reach a loopback address under its own name. So the Host must be ours, and a state-changing request that
//! says where it comes from must come from exactly here.

use crate::app::AppState;
use crate::config::Config;
use crate::error::AppError;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use std::net::{IpAddr, SocketAddr};

/// 421 unless the Host header names this server.
///
/// # Errors
/// [`AppError::Misdirected`].
pub async fn check_host(State(state): State<AppState>, request: Request, next: Next) -> Result<Response, AppError> {
    let host = host_of(&request);
    if host.as_deref().is_some_and(|host| is_ours(&state.services.config, host)) {
        return Ok(next.run(request).await);
    }
    let name = host.unwrap_or_default();
    Err(AppError::Misdirected(format!(
        "This server does not answer under the name `{name}`. Open it as localhost, or set ALMAGEST_PUBLIC_URL or \
         ALMAGEST_ALLOWED_HOSTS."
    )))
}

/// 403 for a state-changing request that a browser sends for another origin.
///
/// # Errors
/// [`AppError::Forbidden`].
pub async fn check_origin(State(state): State<AppState>, request: Request, next: Next) -> Result<Response, AppError> {
    if is_safe(request.method()) || allowed(&state.services.config, &request) {
        return Ok(next.run(request).await);
    }
    Err(AppError::Forbidden("The request comes from another origin than this server's own.".into()))
}

fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

fn allowed(config: &Config, request: &Request) -> bool {
    let headers = request.headers();
    let origin = headers.get(header::ORIGIN).map(|value| value.to_str().unwrap_or("null"));
    if let Some(origin) = origin
        && config.allowed_origins.iter().any(|known| known == origin)
    {
        return true;
    }
    let site = headers.get("sec-fetch-site").map(|value| value.to_str().unwrap_or("cross-site"));
    if site.is_some_and(|site| site != "same-origin") {
        return false;
    }
    match origin {
        Some(origin) => own_origins(config, request).iter().any(|own| own == origin),
        // Neither header, or Sec-Fetch-Site says same-origin: no foreign page.
        None => true,
    }
}

/// The origins under which this request reached us.
fn own_origins(config: &Config, request: &Request) -> Vec<String> {
    let mut origins = Vec::new();
    if let Some(url) = &config.public_url {
        origins.push(url.origin().ascii_serialization());
    }
    if let Some(host) = host_of(request) {
        let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        let tls = peer.is_some_and(|peer| is_tls(config, peer, request.headers()));
        let scheme = if tls { "https" } else { "http" };
        origins.push(format!("{scheme}://{host}"));
    }
    origins
}

/// Host header (or the authority of an absolute request target), lower case, with its port.
fn host_of(request: &Request) -> Option<String> {
    let header = request.headers().get(header::HOST).and_then(|value| value.to_str().ok()).map(str::to_owned);
    header.or_else(|| request.uri().authority().map(ToString::to_string)).map(|host| host.to_ascii_lowercase())
}

fn is_ours(config: &Config, host: &str) -> bool {
    let Ok(parsed) = url::Url::parse(&format!("http://{host}/")) else { return false };
    // Userinfo, a path or a query in a Host header is an attack or a defect.
    let bare = parsed.username().is_empty() && parsed.password().is_none() && parsed.path() == "/";
    if !bare || parsed.query().is_some() || parsed.fragment().is_some() || host.contains('@') {
        return false;
    }
    let Some(name) = parsed.host_str() else { return false };
    let loopback = match parsed.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    loopback
        || config.public_url.as_ref().is_some_and(|url| url.host_str() == Some(name))
        || config.allowed_hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether the browser speaks TLS to a proxy in front of us.
#[must_use]
pub fn is_tls(config: &Config, peer: IpAddr, headers: &HeaderMap) -> bool {
    let forwarded = config.trusted_proxies.contains(&peer)
        && headers.get("x-forwarded-proto").is_some_and(|value| value == "https");
    forwarded || config.public_url.as_ref().is_some_and(|url| url.scheme() == "https")
}

/// The address that the request comes from, seen through trusted proxies.
#[must_use]
pub fn client_address(config: &Config, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    if !config.trusted_proxies.contains(&peer) {
        return peer;
    }
    let forwarded = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    let chain: Vec<IpAddr> =
        forwarded.flat_map(|list| list.split(',')).filter_map(|ip| ip.trim().parse().ok()).collect();
    // The last address that is no proxy of ours: what stands before it, the client may have made up.
    chain.iter().rev().find(|ip| !config.trusted_proxies.contains(ip)).copied().unwrap_or(peer)
}
