//! Extractors whose rejections are problem documents.

use crate::error::AppError;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use serde::de::DeserializeOwned;

/// A JSON body; an empty one reads as `{}`.
pub struct Json<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = AppError;

    async fn from_request(request: Request, state: &S) -> Result<Self, AppError> {
        let json =
            request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(|kind| {
                kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
            });
        let body = axum::body::Bytes::from_request(request, state).await.map_err(|rejection| {
            if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
                AppError::TooLarge("The request is larger than this route accepts (2 MB).".into())
            } else {
                AppError::field("", "The body could not be read.")
            }
        })?;
        if body.is_empty() {
            return parse(b"{}");
        }
        // A form or text/plain body may come from a foreign page without a preflight.
        if !json {
            return Err(AppError::field("", "The body must be JSON, with `Content-Type: application/json`."));
        }
        parse(&body)
    }
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<Json<T>, AppError> {
    serde_json::from_slice(body).map(Json).map_err(|e| AppError::field("", format!("The body does not fit: {e}.")))
}

/// Query parameters.
pub struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, AppError> {
        axum::extract::Query::<T>::try_from_uri(&parts.uri)
            .map(|query| Self(query.0))
            .map_err(|e| AppError::field("", format!("The query does not fit: {}.", e.body_text())))
    }
}

/// Path parameters; a malformed id is simply not found.
pub struct Path<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AppError> {
        axum::extract::Path::<T>::from_request_parts(parts, state)
            .await
            .map(|path| Self(path.0))
            .map_err(|_| AppError::NotFound("resource"))
    }
}
