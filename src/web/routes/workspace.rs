//! The history of the user's workspace.

use crate::app::AppState;
use crate::error::{AppResult, Problem};
use crate::web::auth::CurrentUser;
use crate::web::extract::{Path, Query};
use crate::workspace::log::{CommitDiff, LogEntry, LogPage};
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

/// Which stretch of the history.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LogQuery {
    /// `next_cursor` of the page before.
    cursor: Option<String>,
    /// Most commits, at most 200.
    limit: Option<usize>,
}

/// What was changed, the newest first.
#[utoipa::path(get, path = "/api/workspace/log", tag = "rest", params(LogQuery), responses((status = 200, body = LogPage)))]
pub async fn log(
    State(state): State<AppState>,
    user: CurrentUser,
    Query(query): Query<LogQuery>,
) -> AppResult<axum::Json<LogPage>> {
    let limit = query.limit.unwrap_or(50).clamp(1, 200);
    Ok(axum::Json(state.services.workspaces.log(user.id(), query.cursor, limit).await?))
}

/// What one commit changed.
#[utoipa::path(get, path = "/api/workspace/diff/{commit}", tag = "rest", params(("commit" = String, Path)),
    responses((status = 200, body = CommitDiff), (status = 404, body = Problem)))]
pub async fn diff(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(commit): Path<String>,
) -> AppResult<axum::Json<CommitDiff>> {
    Ok(axum::Json(state.services.workspaces.diff(user.id(), commit).await?))
}

/// Undoes a commit by a new one.
#[utoipa::path(post, path = "/api/workspace/revert/{commit}", tag = "rest", params(("commit" = String, Path)),
    responses((status = 200, body = LogEntry), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn revert(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(commit): Path<String>,
) -> AppResult<axum::Json<LogEntry>> {
    Ok(axum::Json(state.services.workspaces.revert(user.id(), commit, None).await?))
}
