//! The models that answer: which there are, how they are doing, and which one is wanted.

use crate::app::AppState;
use crate::error::{AppError, AppResult, Problem};
use crate::llm::fallback::ModelStatus;
use crate::web::auth::CurrentUser;
use crate::web::extract::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The models in the order in which they stand in for each other.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ModelList {
    /// Empty when none is configured.
    items: Vec<ModelStatus>,
}

/// The model that is wanted.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ModelChoice {
    /// Its name.
    name: String,
}

/// The configured models.
#[utoipa::path(get, path = "/api/models", tag = "settings", responses((status = 200, body = ModelList)))]
pub async fn list(State(state): State<AppState>, _user: CurrentUser) -> axum::Json<ModelList> {
    let items = state.runs.pool().map(|pool| pool.list()).unwrap_or_default();
    axum::Json(ModelList { items })
}

/// Makes a model the one that calls begin with, for every session that does not name its own, until the server restarts.
#[utoipa::path(put, path = "/api/models/current", tag = "settings", request_body = ModelChoice,
    responses((status = 200, body = ModelList), (status = 403, body = Problem), (status = 422, body = Problem)))]
pub async fn choose(
    State(state): State<AppState>,
    user: CurrentUser,
    Json(choice): Json<ModelChoice>,
) -> AppResult<axum::Json<ModelList>> {
    // It is a setting of the whole server; a session has its own wish.
    user.require_admin()?;
    match state.runs.pool() {
        Some(pool) if pool.choose(&choice.name) => Ok(axum::Json(ModelList { items: pool.list() })),
        Some(_) | None => {
            let name = choice.name;
            Err(AppError::field(
                "/name",
                format!("There is no model `{name}`; LLM_MODEL and LLM_FALLBACK_CHAIN name them."),
            ))
        }
    }
}
