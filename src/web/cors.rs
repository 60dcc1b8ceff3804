//! Which foreign origins may read answers: three tiers.
//!
//! 1. The capture route takes any origin, reflected, with credentials (it checks what it does with them itself).
//! 2. The API takes the origins of `ALMAGEST_ALLOWED_ORIGINS` (none by default), with credentials.
//! 3. Everything else has no CORS headers at all.

use crate::app::AppState;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Who may read a route's answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tier {
    AnyOrigin,
    ListedOrigins,
    Closed,
}

/// The one route that any page may use.
const CAPTURE: &str = "/api/captures";

fn tier(method: &Method, path: &str) -> Tier {
    let capture = matches!(*method, Method::POST | Method::OPTIONS);
    match path {
        CAPTURE if capture => Tier::AnyOrigin,
        _ if path.starts_with("/api/") => Tier::ListedOrigins,
        _ => Tier::Closed,
    }
}

/// Adds the headers and answers preflights.
pub async fn layer(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let listed = &state.services.config.allowed_origins;
    let origin = request.headers().get(header::ORIGIN).cloned();
    let granted = origin.filter(|origin| match tier(request.method(), request.uri().path()) {
        Tier::AnyOrigin => origin != "null",
        Tier::ListedOrigins => origin.to_str().is_ok_and(|origin| listed.iter().any(|known| known == origin)),
        Tier::Closed => false,
    });
    let preflight =
        request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = match (&granted, preflight) {
        (Some(_), true) => StatusCode::NO_CONTENT.into_response(),
        (Some(_) | None, _) => next.run(request).await,
    };
    if let Some(origin) = granted {
        grant(response.headers_mut(), origin, preflight);
    }
    response
}

fn grant(headers: &mut HeaderMap, origin: HeaderValue, preflight: bool) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    if preflight {
        let methods = HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE");
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
        let allowed = HeaderValue::from_static("content-type, last-event-id");
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tiers() {
        assert_eq!(tier(&Method::POST, "/api/captures"), Tier::AnyOrigin);
        assert_eq!(tier(&Method::GET, "/api/captures"), Tier::ListedOrigins);
        assert_eq!(tier(&Method::POST, "/api/auth/login"), Tier::ListedOrigins);
        assert_eq!(tier(&Method::GET, "/"), Tier::Closed);
        assert_eq!(tier(&Method::GET, "/metrics"), Tier::Closed);
    }
}
