//! Making a session's context smaller, and taking that back.

use crate::agent::runtime::run_manager::Compacting;
use crate::app::AppState;
use crate::error::{AppResult, Problem};
use crate::ids::SessionId;
use crate::web::auth::CurrentUser;
use crate::web::extract::Path;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// When a compaction is made.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CompactionState {
    /// It has begun; a `compaction` event tells how it ends.
    Begun,
    /// The run that is going makes it before its next model call.
    BeforeTheNextCall,
}

/// What was asked for.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct CompactionAccepted {
    /// When it is made.
    pub state: CompactionState,
}

/// Has the older part of a conversation replaced by a summary. Nothing is deleted, and it can be undone.
#[utoipa::path(
    post, path = "/api/sessions/{id}/compact", tag = "chat", params(("id" = SessionId, Path)),
    responses((status = 202, body = CompactionAccepted), (status = 404, body = Problem), (status = 409, body = Problem))
)]
pub async fn compact(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(id): Path<SessionId>,
) -> AppResult<(StatusCode, axum::Json<CompactionAccepted>)> {
    let state = match state.runs.compact(user.id(), id, String::new()).await? {
        Compacting::Begun => CompactionState::Begun,
        Compacting::BeforeTheNextCall => CompactionState::BeforeTheNextCall,
    };
    Ok((StatusCode::ACCEPTED, axum::Json(CompactionAccepted { state })))
}

/// Takes the newest summary back: the agent sees the messages again that it stood for.
#[utoipa::path(
    post, path = "/api/sessions/{id}/compact/undo", tag = "chat", params(("id" = SessionId, Path)),
    responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem))
)]
pub async fn undo(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(id): Path<SessionId>,
) -> AppResult<StatusCode> {
    state.runs.undo_compaction(user.id(), id).await?;
    Ok(StatusCode::NO_CONTENT)
}
