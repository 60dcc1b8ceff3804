//! What is remembered from one conversation to the next: each user's own, to read, write, change and forget.

use crate::app::AppState;
use crate::error::{AppError, AppResult, Problem};
use crate::ids::MemoryId;
use crate::store::fts;
use crate::store::memories::{self, Memory, MemoryCursor, MemoryKind, MemorySource};
use crate::time::Timestamp;
use crate::web::auth::CurrentUser;
use crate::web::extract::{Json, Path, Query};
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Memories in a page unless the client wants fewer.
const PAGE: i64 = 50;
/// Longest memory, in characters.
const LONGEST: usize = 800;

/// Which memories.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MemoryQuery {
    /// Those in which these words occur, the best first; such a list has one page.
    q: Option<String>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
    /// Most memories of a page, at most 200.
    limit: Option<i64>,
}

/// A page of memories.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct MemoryPage {
    /// Pinned ones first, then the newest.
    pub items: Vec<Memory>,
    /// Where the next page begins; null on the last.
    pub next_cursor: Option<String>,
}

/// A memory that a user writes.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewMemory {
    /// What is to be remembered.
    content: String,
    /// What it is about.
    kind: MemoryKind,
    /// Whether it stands at the head of the list.
    #[serde(default)]
    pinned: bool,
}

/// What to change; absent fields stay.
#[derive(Debug, Deserialize, ToSchema)]
pub struct MemoryPatch {
    /// New text.
    #[schema(nullable = false)]
    content: Option<String>,
    /// New kind.
    #[schema(nullable = false)]
    kind: Option<MemoryKind>,
    /// Whether it stands at the head of the list.
    #[schema(nullable = false)]
    pinned: Option<bool>,
}

/// The user's memories.
#[utoipa::path(get, path = "/api/memories", tag = "rest", params(MemoryQuery), responses((status = 200, body = MemoryPage)))]
pub async fn list(
    State(state): State<AppState>,
    user: CurrentUser,
    Query(query): Query<MemoryQuery>,
) -> AppResult<axum::Json<MemoryPage>> {
    let store = &state.services.store;
    let limit = query.limit.unwrap_or(PAGE).clamp(1, 200);
    if let Some(words) = query.q.as_deref().map(str::trim).filter(|words| !words.is_empty()) {
        let items = match fts::match_expression(words) {
            Some(expression) => memories::search(store.reader(), user.id(), &expression, limit).await?,
            None => Vec::new(),
        };
        return Ok(axum::Json(MemoryPage { items, next_cursor: None }));
    }
    let cursor = query.cursor.map(|text| text.parse::<MemoryCursor>()).transpose();
    let cursor = cursor.map_err(|()| AppError::field("/cursor", "This is no cursor of this list."))?;
    let mut items = memories::list(store.reader(), user.id(), cursor, limit + 1).await?;
    let more = i64::try_from(items.len()).unwrap_or(i64::MAX) > limit;
    if more {
        items.pop();
    }
    let next_cursor = items.last().filter(|_| more).map(|last| MemoryCursor::after(last).to_string());
    Ok(axum::Json(MemoryPage { items, next_cursor }))
}

/// One memory.
#[utoipa::path(
    get, path = "/api/memories/{id}", tag = "rest", params(("id" = MemoryId, Path)),
    responses((status = 200, body = Memory), (status = 404, body = Problem))
)]
pub async fn get(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(id): Path<MemoryId>,
) -> AppResult<axum::Json<Memory>> {
    Ok(axum::Json(state.services.store.memory(user.id(), id).await?))
}

/// Remembers something in the user's own words.
#[utoipa::path(
    post, path = "/api/memories", tag = "rest", request_body = NewMemory,
    responses((status = 201, body = Memory), (status = 422, body = Problem))
)]
pub async fn add(
    State(state): State<AppState>,
    user: CurrentUser,
    Json(new): Json<NewMemory>,
) -> AppResult<(StatusCode, axum::Json<Memory>)> {
    let memory = Memory {
        id: MemoryId::new(),
        content: checked(&new.content)?,
        kind: new.kind,
        source: MemorySource::default(),
        confidence: 1.0,
        pinned: new.pinned,
        created_at: Timestamp::now(),
        last_used_at: None,
    };
    let (row, owner) = (memory.clone(), user.id());
    let write = state
        .services
        .store
        .write(move |connection| Box::pin(async move { memories::add(connection, owner, &row).await }));
    write.await?;
    Ok((StatusCode::CREATED, axum::Json(memory)))
}

/// Changes a memory. What a user has written or corrected is certain.
#[utoipa::path(
    patch, path = "/api/memories/{id}", tag = "rest", params(("id" = MemoryId, Path)), request_body = MemoryPatch,
    responses((status = 200, body = Memory), (status = 404, body = Problem), (status = 422, body = Problem))
)]
pub async fn change(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(id): Path<MemoryId>,
    Json(patch): Json<MemoryPatch>,
) -> AppResult<axum::Json<Memory>> {
    let mut memory = state.services.store.memory(user.id(), id).await?;
    if let Some(content) = patch.content {
        memory.content = checked(&content)?;
        memory.confidence = 1.0;
    }
    memory.kind = patch.kind.unwrap_or(memory.kind);
    memory.pinned = patch.pinned.unwrap_or(memory.pinned);
    let (row, owner) = (memory.clone(), user.id());
    let write = state
        .services
        .store
        .write(move |connection| Box::pin(async move { memories::set(connection, owner, &row).await }));
    write.await?;
    Ok(axum::Json(memory))
}

/// Forgets a memory.
#[utoipa::path(
    delete, path = "/api/memories/{id}", tag = "rest", params(("id" = MemoryId, Path)),
    responses((status = 204), (status = 404, body = Problem))
)]
pub async fn delete(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(id): Path<MemoryId>,
) -> AppResult<StatusCode> {
    state.services.store.delete_memory(user.id(), id).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn checked(content: &str) -> AppResult<String> {
    let content = content.trim();
    if content.is_empty() {
        return Err(AppError::field("/content", "A memory needs words."));
    }
    if content.chars().count() > LONGEST {
        return Err(AppError::field("/content", "A memory has at most 800 characters; put longer notes into a file."));
    }
    Ok(content.to_owned())
}
