//! Serves the dashboard: `GET /`, its assets, and the SPA fallback for every path that no other route answers.
//!
//! The router answers `/api` itself, so a path under it never comes here.

use super::assets::{Dashboard, Encoding, NOTICES, find};
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
    REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rust_embed::RustEmbed;

/// Nothing but our own scripts, styles and fonts. Style attributes are allowed for KaTeX, which lays out formulas with
/// them; `data:` and `blob:` images are previews that the dashboard makes itself.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; \
     img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; \
     form-action 'self'; frame-ancestors 'none'";

/// Vite names these by their content, so a name never changes its meaning.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";
/// Kept by the browser, but asked about each time; the ETag makes that cheap.
const REVALIDATE: &str = "no-cache";

/// What a missing file with such a name ends in is an error. Any other unknown path is a page of the dashboard, also one
/// with dots: bibcodes and arXiv ids have them (`/library/2016Natur.533..221G`).
const FILE_EXTENSIONS: &[&str] = &[
    "css",
    "gif",
    "html",
    "ico",
    "jpg",
    "js",
    "json",
    "map",
    "mjs",
    "php",
    "png",
    "svg",
    "ttf",
    "txt",
    "wasm",
    "webmanifest",
    "webp",
    "woff",
    "woff2",
    "xml",
];

/// The dashboard and the licence notices, to be merged into the server's router.
pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/licenses.txt", get(notices)).fallback(serve)
}

async fn notices() -> Response {
    let headers = [(CONTENT_TYPE, "text/plain; charset=utf-8"), (CACHE_CONTROL, REVALIDATE)];
    secured((headers, NOTICES).into_response())
}

/// Answers a request with a file of the dashboard, or with its index page.
pub async fn serve(request: Request) -> Response {
    respond::<Dashboard>(request.method(), request.uri().path(), request.headers())
}

fn respond<E: RustEmbed>(method: &Method, path: &str, headers: &HeaderMap) -> Response {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return secured((StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, HEAD")]).into_response());
    }
    let name = path.trim_start_matches('/');
    let index = "index.html";
    let (name, found) = match find::<E>(name, headers) {
        Some(found) => (name, Some(found)),
        None if is_page(name) => (index, find::<E>(index, headers)),
        None => (name, None),
    };
    let Some((file, encoding)) = found else {
        return secured((StatusCode::NOT_FOUND, "There is no such file.\n").into_response());
    };

    // Each stored form has a hash, and so an ETag, of its own.
    let etag = format!("\"{}\"", hex::encode(&file.metadata.sha256_hash()[..16]));
    let unchanged = matches_etag(headers, &etag);
    let mut response = match (unchanged, method == Method::HEAD) {
        (true, _) => StatusCode::NOT_MODIFIED.into_response(),
        (false, true) => Response::new(Body::empty()),
        (false, false) => Response::new(Body::from(file.data.clone())),
    };
    let cache = if name.starts_with("assets/") { IMMUTABLE } else { REVALIDATE };
    let out = response.headers_mut();
    out.insert(CACHE_CONTROL, HeaderValue::from_static(cache));
    out.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    if let Ok(etag) = HeaderValue::from_str(&etag) {
        out.insert(ETAG, etag);
    }
    if !unchanged {
        out.insert(CONTENT_LENGTH, HeaderValue::from(file.data.len()));
        if let Ok(kind) = HeaderValue::from_str(&content_type(name)) {
            out.insert(CONTENT_TYPE, kind);
        }
        if encoding != Encoding::Identity {
            out.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding.token()));
        }
    }
    secured(response)
}

/// Whether an unknown path is for the dashboard's own router.
fn is_page(name: &str) -> bool {
    let extension = name.rsplit('/').next().and_then(|last| last.rsplit_once('.')).map(|(_, extension)| extension);
    let is_file = extension.is_some_and(|extension| FILE_EXTENSIONS.contains(&extension));
    !name.starts_with("assets/") && !is_file
}

fn content_type(name: &str) -> String {
    let kind = mime_guess::from_path(name).first_or_octet_stream();
    if kind.type_() == mime_guess::mime::TEXT { format!("{kind}; charset=utf-8") } else { kind.to_string() }
}

/// Whether `If-None-Match` names this ETag; by the weak comparison, as RFC 9110 (13.1.2) wants.
fn matches_etag(headers: &HeaderMap, etag: &str) -> bool {
    headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|listed| listed.trim())
        .any(|listed| listed == "*" || listed.strip_prefix("W/").unwrap_or(listed) == etag)
}

fn secured(mut response: Response) -> Response {
    const HEADERS: [(HeaderName, &str); 3] =
        [(CONTENT_SECURITY_POLICY, POLICY), (X_CONTENT_TYPE_OPTIONS, "nosniff"), (REFERRER_POLICY, "no-referrer")];
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests;
