//! Full-text search over what was said.

use crate::app::AppState;
use crate::error::AppResult;
use crate::ids::SessionId;
use crate::store::history::HistoryHit;
use crate::store::sessions;
use crate::web::auth::CurrentUser;
use crate::web::extract::Query;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// What to look for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct HistoryQuery {
    /// Any text; it is searched as words.
    #[serde(default)]
    q: String,
    /// Only in this session.
    session_id: Option<SessionId>,
    /// Most hits, at most 100.
    limit: Option<usize>,
}

/// The places that match, the best first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct HistoryHits {
    /// The hits.
    pub items: Vec<HistoryHit>,
}

/// Searches the user's sessions and messages.
#[utoipa::path(get, path = "/api/search/history", tag = "chat", params(HistoryQuery), responses((status = 200, body = HistoryHits)))]
pub async fn search(
    State(state): State<AppState>,
    user: CurrentUser,
    Query(query): Query<HistoryQuery>,
) -> AppResult<axum::Json<HistoryHits>> {
    let store = &state.services.store;
    if let Some(session) = query.session_id {
        sessions::get(store.reader(), user.id(), session).await?;
    }
    let limit = query.limit.unwrap_or(20).clamp(1, 100);
    let items = store.search_history(user.id(), &query.q, query.session_id, limit).await?;
    Ok(axum::Json(HistoryHits { items }))
}
