//! The audit log.

use crate::app::AppState;
use crate::error::AppResult;
use crate::ids::{AuditId, SessionId};
use crate::store::accounts::UserRole;
use crate::store::audit::{AuditFilter, AuditRow};
use crate::web::auth::CurrentUser;
use crate::web::extract::Query;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which rows.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuditQuery {
    /// `next_cursor` of the page before.
    cursor: Option<AuditId>,
    /// Most rows, at most 200.
    limit: Option<usize>,
    /// Of this conversation alone.
    session_id: Option<SessionId>,
    /// About this tool alone.
    tool: Option<String>,
}

/// One page of the log.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct AuditPage {
    /// The newest first.
    pub items: Vec<AuditRow>,
    /// Where the next page begins; null on the last one.
    pub next_cursor: Option<AuditId>,
}

/// What the agent did and what was decided about it: everything for an administrator, one's own for everyone else.
#[utoipa::path(get, path = "/api/audit", tag = "rest", params(AuditQuery), responses((status = 200, body = AuditPage)))]
pub async fn list(
    State(state): State<AppState>,
    user: CurrentUser,
    Query(query): Query<AuditQuery>,
) -> AppResult<axum::Json<AuditPage>> {
    let limit = query.limit.unwrap_or(50).clamp(1, 200);
    let filter = AuditFilter {
        user: match user.login.role {
            UserRole::Admin => None,
            UserRole::User => Some(user.id()),
        },
        session: query.session_id,
        tool: query.tool,
        before: query.cursor,
    };
    // Rows are written behind the runs; whoever looks has to see what has happened.
    state.hooks.flush().await;
    let mut items = state.services.store.audit(&filter, limit + 1).await?;
    let more = items.len() > limit;
    items.truncate(limit);
    let next_cursor = items.last().filter(|_| more).map(|row| row.id);
    Ok(axum::Json(AuditPage { items, next_cursor }))
}
