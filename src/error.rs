//! The error that reaches a client: an RFC 9457 problem document with a stable `code`.
//!
//! Handlers return [`AppError`]; the HTTP edge turns it into `application/problem+json`. What a variant's text says is
//! shown to a person, so it says what happened and what to do. Internal causes are logged and never sent.

use serde::{Deserialize, Serialize};
use std::time::Duration;
use utoipa::ToSchema;

/// Result of a handler.
pub type AppResult<T> = Result<T, AppError>;

/// Everything that can go wrong for a client, each with its status and stable code.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// 401: wrong user name or password; the same for both, so that names cannot be probed.
    #[error("The user name or the password is wrong.")]
    InvalidCredentials,
    /// 401: no session, or one that has expired.
    #[error("You are not logged in, or your session has expired. Log in again.")]
    Unauthenticated,
    /// 403: known, but not allowed (role, foreign origin).
    #[error("{0}")]
    Forbidden(String),
    /// 404: absent, or somebody else's (which must look the same).
    #[error("There is no such {0}.")]
    NotFound(&'static str),
    /// 409: the state has moved on.
    #[error("{0}")]
    Conflict(String),
    /// 413: larger than what is accepted.
    #[error("{0}")]
    TooLarge(String),
    /// 421: the Host header is not a name of this server.
    #[error("{0}")]
    Misdirected(String),
    /// 422: the request was understood and is not valid.
    #[error("{detail}")]
    Invalid {
        /// What is wrong as a whole.
        detail: String,
        /// Where, field by field.
        errors: Vec<FieldError>,
    },
    /// 429: try again later.
    #[error("Too many attempts. Try again in {} s.", .0.as_secs().max(1))]
    TooManyRequests(Duration),
    /// 503: something that this needs is not there (no model configured, an upstream down, the database busy).
    #[error("{0}")]
    Unavailable(String),
    /// 500: a defect or a failing disk; the cause goes to the log.
    #[error("Something went wrong on the server. Its log has the cause.")]
    Internal(#[from] anyhow::Error),
}

/// One invalid field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldError {
    /// JSON pointer (RFC 6901) to the field.
    pub pointer: String,
    /// What is wrong with it.
    pub detail: String,
}

/// RFC 9457 problem document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// A URI reference that names the kind of problem; always `about:blank` here, `code` is the stable name.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What happened and what to do.
    pub detail: String,
    /// Stable name of the error for programs.
    pub code: String,
    /// Invalid fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
}

impl AppError {
    /// An invalid request with one offending field.
    #[must_use]
    pub fn field(pointer: &str, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self::Invalid { detail: detail.clone(), errors: vec![FieldError { pointer: pointer.into(), detail }] }
    }

    /// HTTP status and stable code.
    #[must_use]
    pub fn status_and_code(&self) -> (u16, &'static str) {
        match self {
            Self::InvalidCredentials => (401, "invalid_credentials"),
            Self::Unauthenticated => (401, "unauthenticated"),
            Self::Forbidden(_) => (403, "forbidden"),
            Self::NotFound(_) => (404, "not_found"),
            Self::Conflict(_) => (409, "conflict"),
            Self::TooLarge(_) => (413, "too_large"),
            Self::Misdirected(_) => (421, "misdirected"),
            Self::Invalid { .. } => (422, "invalid"),
            Self::TooManyRequests(_) => (429, "too_many_requests"),
            Self::Unavailable(_) => (503, "unavailable"),
            Self::Internal(_) => (500, "internal"),
        }
    }
}
