//! Errors as `application/problem+json` (RFC 9457).

use crate::error::{AppError, Problem};
use crate::store::StoreError;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

impl From<&AppError> for Problem {
    fn from(error: &AppError) -> Self {
        let (status, code) = error.status_and_code();
        let title = StatusCode::from_u16(status).ok().and_then(|s| s.canonical_reason()).unwrap_or("Error");
        let errors = match error {
            AppError::Invalid { errors, .. } => errors.clone(),
            AppError::InvalidCredentials
            | AppError::Unauthenticated
            | AppError::Forbidden(_)
            | AppError::NotFound(_)
            | AppError::Conflict(_)
            | AppError::TooLarge(_)
            | AppError::Misdirected(_)
            | AppError::TooManyRequests(_)
            | AppError::Unavailable(_)
            | AppError::Internal(_) => Vec::new(),
        };
        Self {
            kind: "about:blank".into(),
            title: title.into(),
            status,
            detail: error.to_string(),
            code: code.into(),
            errors,
        }
    }
}

impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        if let Self::Internal(cause) = &self {
            tracing::error!("request failed: {cause:#}");
        }
        let problem = Problem::from(&self);
        let body = serde_json::to_vec(&problem).unwrap_or_default();
        let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, [(header::CONTENT_TYPE, "application/problem+json")], body).into_response();
        if let Self::TooManyRequests(wait) = self {
            let seconds = HeaderValue::from(wait.as_secs().max(1));
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound(what) => Self::NotFound(what),
            StoreError::Conflict(why) => Self::Conflict(why.into()),
            StoreError::Closed => Self::Unavailable("The server is shutting down. Try again in a moment.".into()),
            StoreError::Commit(why) => Self::Unavailable(format!(
                "Nothing was stored: the database could not commit ({why}). Check the disk, then try again."
            )),
            StoreError::Sql(_)
            | StoreError::Panicked
            | StoreError::Corrupt(_)
            | StoreError::Unusable { .. }
            | StoreError::Newer { .. } => Self::Internal(error.into()),
        }
    }
}

/// The answer when a handler panicked; the connection and the server go on.
pub fn panicked(_payload: Box<dyn std::any::Any + Send>) -> Response {
    // The panic hook has logged where.
    AppError::Internal(anyhow::anyhow!("a handler panicked")).into_response()
}

/// Headers that every answer has; an API answer is never cached.
pub async fn harden(request: Request, next: Next) -> Response {
    let api = request.uri().path().starts_with("/api");
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if api {
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        headers
            .entry(HeaderName::from_static("content-security-policy"))
            .or_insert(HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"));
    }
    response
}
