//! Is the server well?

use crate::app::AppState;
use crate::sandbox::Isolation;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The state of the server, without secrets.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// `ok`, or `failing` when the database does not answer.
    pub status: String,
    /// Version of the program.
    pub version: String,
    /// `ok`, or what is wrong with the database.
    pub database: String,
    /// How well shell commands are isolated.
    pub sandbox: Isolation,
    /// Whether the first user has to be made with the set-up link.
    pub setup_needed: bool,
}

/// Health of the server; 503 when the database does not answer.
#[utoipa::path(get, path = "/api/health", tag = "open", responses((status = 200, body = Health), (status = 503, body = Health)))]
pub async fn health(State(state): State<AppState>) -> (StatusCode, Json<Health>) {
    let ping = state.services.store.ping().await;
    let (status, code, database) = match ping {
        Ok(()) => ("ok", StatusCode::OK, "ok".to_owned()),
        Err(error) => ("failing", StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
    };
    let health = Health {
        status: status.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        database,
        sandbox: state.services.sandbox.isolation().await,
        setup_needed: state.setup.is_open(),
    };
    (code, Json(health))
}
