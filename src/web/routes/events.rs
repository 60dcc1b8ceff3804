//! Event streams.

use crate::app::AppState;
use crate::error::{AppError, AppResult, Problem};
use crate::ids::SessionId;
use crate::store::sessions;
use crate::web::auth::CurrentUser;
use crate::web::extract::{Path, Query};
use crate::web::sse::{self, Source};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::Event as SseEvent;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;

/// Where a stream begins.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StreamQuery {
    /// Id of the last event that was seen; 0 for everything. `Last-Event-ID` goes before it.
    after: Option<i64>,
    /// 1 to begin with a `snapshot` event: the newest event id and the runs that are going.
    snapshot: Option<u8>,
}

/// Everything that happens in the user's sessions; stays open while they are logged in.
#[utoipa::path(get, path = "/api/events", tag = "chat", params(StreamQuery),
    responses((status = 200, content_type = "text/event-stream", body = String)))]
pub async fn user_stream(
    State(state): State<AppState>,
    user: CurrentUser,
    Query(query): Query<StreamQuery>,
    headers: HeaderMap,
) -> AppResult<Response> {
    let newest = state.services.store.newest_event().await?;
    let after = cursor(&headers, &query)?.unwrap_or(newest);
    let first = if query.snapshot == Some(1) { Some(snapshot(&state, &user, newest).await?) } else { None };
    let source = Source::User { token_hash: user.token_hash };
    Ok(sse::respond(state.clone(), user.id(), source, after, first))
}

/// One session, for scripts: open while anything of it is going; 204 when there is nothing after the cursor.
#[utoipa::path(get, path = "/api/sessions/{id}/events", tag = "chat", params(("id" = SessionId, Path), StreamQuery),
    responses((status = 200, content_type = "text/event-stream", body = String), (status = 204), (status = 404, body = Problem)))]
pub async fn session_stream(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(id): Path<SessionId>,
    Query(query): Query<StreamQuery>,
    headers: HeaderMap,
) -> AppResult<Response> {
    let store = &state.services.store;
    sessions::get(store.reader(), user.id(), id).await?;
    let after = match cursor(&headers, &query)? {
        Some(after) => after,
        None => match store.newest_run(id).await? {
            Some(run) => store.cursor_before_run(run).await?,
            None => 0,
        },
    };
    let busy = sse::is_busy(&state, id).await;
    if !busy && store.session_events_after(id, after, 1).await?.is_empty() {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    Ok(sse::respond(state.clone(), user.id(), Source::Session(id), after, None))
}

fn cursor(headers: &HeaderMap, query: &StreamQuery) -> AppResult<Option<i64>> {
    let header = headers.get("last-event-id").map(|value| value.to_str().unwrap_or_default());
    let text = header.filter(|text| !text.is_empty());
    let after = match text {
        Some(text) => Some(text.parse::<i64>().map_err(|_| bad_cursor())?),
        None => query.after,
    };
    if after.is_some_and(|after| after < 0) { Err(bad_cursor()) } else { Ok(after) }
}

fn bad_cursor() -> AppError {
    AppError::field("/after", "The cursor is the id of an event: a number, 0 for everything.")
}

async fn snapshot(state: &AppState, user: &CurrentUser, newest: i64) -> AppResult<SseEvent> {
    let sessions = state.services.store.sessions(user.id(), None, 200).await?;
    let running: Vec<_> = sessions
        .iter()
        .filter_map(|s| s.active_run_id.map(|run| serde_json::json!({ "session_id": s.id, "run_id": run })))
        .collect();
    let data = serde_json::json!({ "last_event_id": newest, "running": running });
    Ok(SseEvent::default().event("snapshot").data(data.to_string()))
}
