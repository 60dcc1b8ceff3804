//! Conversations.

use crate::agent::hooks::EndCause;
use crate::agent::runtime::ledger::UNTITLED;
use crate::agent::timeline::{Scope, record_session};
use crate::app::AppState;
use crate::error::{AppError, AppResult, Problem};
use crate::ids::SessionId;
use crate::llm::types::Usage;
use crate::store::messages::Message;
use crate::store::runs::RunMode;
use crate::store::sessions::{self, PermissionMode, Session, SessionChange, SessionCursor};
use crate::time::Timestamp;
use crate::web::auth::CurrentUser;
use crate::web::extract::{Json, Path, Query};
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Longest title, in characters.
const LONGEST_TITLE: usize = 200;
/// Sessions in a page unless the client wants fewer.
const PAGE: i64 = 50;

/// What a new session may have.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct NewSession {
    /// Made from the first message when absent.
    #[schema(nullable = false)]
    title: Option<String>,
    /// How its runs work.
    mode: RunMode,
    /// Which calls need consent.
    permission_mode: PermissionMode,
    /// A model other than the server's.
    model: Option<String>,
}

/// What to change; absent fields stay.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(default)]
pub struct SessionPatch {
    /// New title.
    #[schema(nullable = false)]
    title: Option<String>,
    /// Keep it on top.
    #[schema(nullable = false)]
    pinned: Option<bool>,
    /// Which calls need consent.
    #[schema(nullable = false)]
    permission_mode: Option<PermissionMode>,
    /// Another model; null goes back to the server's.
    #[serde(deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    model: Option<Option<String>>,
}

/// Tells a null from an absent field.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// A page of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// `next_cursor` of the page before.
    cursor: Option<String>,
    /// Most items of a page, at most 200.
    limit: Option<i64>,
}

/// A page of sessions.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SessionPage {
    /// The sessions.
    pub items: Vec<Session>,
    /// Where the next page begins; null on the last.
    pub next_cursor: Option<String>,
}

/// All messages of a session.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct MessageList {
    /// The messages in order; those that wait come last.
    pub items: Vec<Message>,
}

/// The user's sessions: pinned ones first, then the newest.
#[utoipa::path(get, path = "/api/sessions", tag = "chat", params(PageQuery), responses((status = 200, body = SessionPage)))]
pub async fn list(
    State(state): State<AppState>,
    user: CurrentUser,
    Query(page): Query<PageQuery>,
) -> AppResult<axum::Json<SessionPage>> {
    let cursor = page
        .cursor
        .map(|text| text.parse::<SessionCursor>())
        .transpose()
        .map_err(|()| AppError::field("/cursor", "This is no cursor of this list."))?;
    let limit = page.limit.unwrap_or(PAGE).clamp(1, 200);
    let mut items = state.services.store.sessions(user.id(), cursor.as_ref(), limit + 1).await?;
    let more = i64::try_from(items.len()).unwrap_or(i64::MAX) > limit;
    if more {
        items.pop();
    }
    let next_cursor = items.last().filter(|_| more).map(|last| SessionCursor::after(last).to_string());
    Ok(axum::Json(SessionPage { items, next_cursor }))
}

/// Begins a session.
#[utoipa::path(post, path = "/api/sessions", tag = "chat", request_body = NewSession, responses((status = 201, body = Session), (status = 422, body = Problem)))]
pub async fn create(
    State(state): State<AppState>,
    user: CurrentUser,
    Json(new): Json<NewSession>,
) -> AppResult<(StatusCode, axum::Json<Session>)> {
    let now = Timestamp::now();
    let session = Session {
        id: SessionId::new(),
        title: new.title.map(check_title).transpose()?.unwrap_or_else(|| UNTITLED.into()),
        mode: standard(new.mode)?,
        permission_mode: new.permission_mode,
        model: new.model,
        created_at: now,
        updated_at: now,
        last_message: String::new(),
        active_run_id: None,
        pinned: false,
        usage: Usage::default(),
    };
    let (stored, user_id) = (session.clone(), user.id());
    state
        .services
        .store
        .write(move |connection| {
            Box::pin(async move {
                sessions::add(&mut *connection, user_id, &stored).await?;
                record_session(connection, scope(user_id, stored.id)).await
            })
        })
        .await?;
    Ok((StatusCode::CREATED, axum::Json(session)))
}

/// One session.
#[utoipa::path(get, path = "/api/sessions/{id}", tag = "chat", params(("id" = SessionId, Path)), responses((status = 200, body = Session), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(id): Path<SessionId>,
) -> AppResult<axum::Json<Session>> {
    Ok(axum::Json(sessions::get(state.services.store.reader(), user.id(), id).await?))
}

/// Changes title, pin, permission mode or model.
#[utoipa::path(patch, path = "/api/sessions/{id}", tag = "chat", params(("id" = SessionId, Path)), request_body = SessionPatch,
    responses((status = 200, body = Session), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn change(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(id): Path<SessionId>,
    Json(patch): Json<SessionPatch>,
) -> AppResult<axum::Json<Session>> {
    let change = SessionChange {
        title: patch.title.map(check_title).transpose()?,
        pinned: patch.pinned,
        permission_mode: patch.permission_mode,
        model: patch.model,
    };
    let user_id = user.id();
    let session = state
        .services
        .store
        .write(move |connection| {
            Box::pin(async move {
                sessions::get(&mut *connection, user_id, id).await?;
                sessions::change(&mut *connection, id, &change).await?;
                record_session(&mut *connection, scope(user_id, id)).await?;
                sessions::get(connection, user_id, id).await
            })
        })
        .await?;
    Ok(axum::Json(session))
}

/// Deletes a session with all its messages and events; a run that is going is stopped first.
#[utoipa::path(delete, path = "/api/sessions/{id}", tag = "chat", params(("id" = SessionId, Path)), responses((status = 204), (status = 404, body = Problem)))]
pub async fn delete(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(id): Path<SessionId>,
) -> AppResult<StatusCode> {
    let user_id = user.id();
    let session = sessions::get(state.services.store.reader(), user_id, id).await?;
    state.runs.stop_session(id).await;
    let model = session.model.unwrap_or_default();
    let scope = state.runs.hook_scope(user_id, id, session.permission_mode, model);
    state.hooks.session_end(&scope, EndCause::Deleted).await;
    let deleted = state
        .services
        .store
        .write(move |connection| Box::pin(async move { sessions::delete(connection, user_id, id).await }))
        .await?;
    if deleted { Ok(StatusCode::NO_CONTENT) } else { Err(AppError::NotFound("session")) }
}

/// The whole history of a session.
#[utoipa::path(get, path = "/api/sessions/{id}/messages", tag = "chat", params(("id" = SessionId, Path)), responses((status = 200, body = MessageList), (status = 404, body = Problem)))]
pub async fn messages(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(id): Path<SessionId>,
) -> AppResult<axum::Json<MessageList>> {
    sessions::get(state.services.store.reader(), user.id(), id).await?;
    Ok(axum::Json(MessageList { items: state.services.store.messages(id).await? }))
}

fn scope(user_id: crate::ids::UserId, session_id: SessionId) -> Scope {
    Scope { user_id, session_id, run_id: None }
}

fn check_title(title: String) -> AppResult<String> {
    let title = title.trim().to_owned();
    match title.chars().count() {
        0 => Err(AppError::field("/title", "A title has at least one character.")),
        1..=LONGEST_TITLE => Ok(title),
        _ => Err(AppError::field("/title", format!("A title has at most {LONGEST_TITLE} characters."))),
    }
}

/// Coordinator runs are refused until there are workers to coordinate.
pub(super) fn standard(mode: RunMode) -> AppResult<RunMode> {
    match mode {
        RunMode::Standard => Ok(mode),
        RunMode::Coordinator => Err(AppError::field("/mode", "This version has no coordinator mode; use standard.")),
    }
}
