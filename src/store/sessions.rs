//! Conversations.

use super::{Store, StoreError, StoreResult, fts, statements};
use crate::ids::{RunId, SessionId, UserId};
use crate::llm::types::Usage;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::{Row, SqliteConnection};

use utoipa::ToSchema;

/// How a run works: alone, or as a coordinator of workers.
pub use super::runs::RunMode;

/// Which calls need the user's consent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum PermissionMode {
    /// Everything but reading asks.
    Ask,
    /// Rules decide; what none matches runs.
    #[default]
    Auto,
    /// Reading alone.
    Plan,
    /// Asking rules are ignored; denials stand.
    Full,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// What the list shows.
    pub title: String,
    /// How its runs work.
    pub mode: RunMode,
    /// Which calls need consent.
    pub permission_mode: PermissionMode,
    /// The model it uses, when it is not the server's current one.
    pub model: Option<String>,
    /// When it began.
    pub created_at: Timestamp,
    /// When anything last changed.
    pub updated_at: Timestamp,
    /// The beginning of its last message.
    pub last_message: String,
    /// The run that is going.
    pub active_run_id: Option<RunId>,
    /// Whether it stays on top of the list.
    pub pinned: bool,
    /// What its runs have used.
    pub usage: Usage,
}

/// The columns of a session as the API shows it.
macro_rules! columns {
    () => {
        "s.id, s.title, s.mode, s.permission_mode, s.model, s.created_at, s.updated_at, s.last_message, s.pinned,
        s.input_tokens, s.output_tokens, s.cached_tokens,
        (SELECT r.id FROM agent_runs AS r WHERE r.session_id = s.id AND r.status IN ('queued', 'running', 'waiting')) AS active_run_id"
    };
}

statements! {
    ADD = "INSERT INTO agent_sessions (id, user_id, title, search_text, mode, permission_mode, model, created_at, updated_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)";
    GET = concat!("SELECT ", columns!(), " FROM agent_sessions AS s WHERE s.user_id = ?1 AND s.id = ?2");
    LIST = concat!("SELECT ", columns!(), " FROM agent_sessions AS s WHERE s.user_id = ?1
        ORDER BY s.pinned DESC, s.updated_at DESC, s.id DESC LIMIT ?2");
    LIST_AFTER = concat!("SELECT ", columns!(), " FROM agent_sessions AS s WHERE s.user_id = ?1
        AND (s.pinned, s.updated_at, s.id) < (?3, ?4, ?5) ORDER BY s.pinned DESC, s.updated_at DESC, s.id DESC LIMIT ?2");
    SET_TITLE = "UPDATE agent_sessions SET title = ?2, search_text = ?3, updated_at = ?4 WHERE id = ?1";
    SET_PINNED = "UPDATE agent_sessions SET pinned = ?2 WHERE id = ?1";
    SET_PERMISSION_MODE = "UPDATE agent_sessions SET permission_mode = ?2 WHERE id = ?1";
    SET_MODEL = "UPDATE agent_sessions SET model = ?2 WHERE id = ?1";
    TOUCH = "UPDATE agent_sessions SET last_message = ?2, updated_at = ?3 WHERE id = ?1";
    ADD_USAGE = "UPDATE agent_sessions SET input_tokens = input_tokens + ?2, output_tokens = output_tokens + ?3,
        cached_tokens = cached_tokens + ?4 WHERE id = ?1";
    DELETE = "DELETE FROM agent_sessions WHERE user_id = ?1 AND id = ?2";
    SEARCH = "SELECT s.id, s.title, s.updated_at, bm25(agent_sessions_fts) FROM agent_sessions_fts
        JOIN agent_sessions AS s ON s.rowid_alias = agent_sessions_fts.rowid
        WHERE agent_sessions_fts MATCH ?1 AND s.user_id = ?2 ORDER BY rank LIMIT ?3";
}

/// Place in the list after which the next page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionCursor {
    pinned: bool,
    updated_at: Timestamp,
    id: SessionId,
}

impl SessionCursor {
    /// The cursor behind this session.
    #[must_use]
    pub fn after(session: &Session) -> Self {
        Self { pinned: session.pinned, updated_at: session.updated_at, id: session.id }
    }
}

impl std::fmt::Display for SessionCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", u8::from(self.pinned), self.updated_at.millis(), self.id)
    }
}

impl std::str::FromStr for SessionCursor {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.splitn(3, '.');
        let pinned = match parts.next() {
            Some("0") => false,
            Some("1") => true,
            _ => return Err(()),
        };
        let millis = parts.next().and_then(|part| part.parse().ok()).ok_or(())?;
        let id = parts.next().and_then(|part| part.parse().ok()).ok_or(())?;
        Ok(Self { pinned, updated_at: Timestamp::from_millis(millis), id })
    }
}

/// What to change in a session; absent fields stay.
#[derive(Debug, Clone, Default)]
pub struct SessionChange {
    /// New title.
    pub title: Option<String>,
    /// Keep it on top.
    pub pinned: Option<bool>,
    /// Which calls need consent.
    pub permission_mode: Option<PermissionMode>,
    /// Another model; `Some(None)` goes back to the server's current one.
    pub model: Option<Option<String>>,
}

/// Stores a new session.
///
/// # Errors
/// When SQLite refuses.
pub async fn add(connection: &mut SqliteConnection, user: UserId, session: &Session) -> StoreResult<()> {
    sqlx::query(ADD)
        .bind(session.id)
        .bind(user)
        .bind(&session.title)
        .bind(fts::normalise(&session.title))
        .bind(session.mode)
        .bind(session.permission_mode)
        .bind(&session.model)
        .bind(session.created_at)
        .execute(connection)
        .await?;
    Ok(())
}

/// The user's session of this id.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none, or it is somebody else's.
pub async fn get(connection: impl sqlx::SqliteExecutor<'_>, user: UserId, id: SessionId) -> StoreResult<Session> {
    let row = sqlx::query(GET).bind(user).bind(id).fetch_optional(connection).await?;
    row.as_ref().map(read).transpose()?.ok_or(StoreError::NotFound("session"))
}

/// Changes a session; the caller has checked whose it is.
///
/// # Errors
/// When SQLite refuses.
pub async fn change(connection: &mut SqliteConnection, id: SessionId, change: &SessionChange) -> StoreResult<()> {
    if let Some(title) = &change.title {
        sqlx::query(SET_TITLE)
            .bind(id)
            .bind(title)
            .bind(fts::normalise(title))
            .bind(Timestamp::now())
            .execute(&mut *connection)
            .await?;
    }
    if let Some(pinned) = change.pinned {
        sqlx::query(SET_PINNED).bind(id).bind(pinned).execute(&mut *connection).await?;
    }
    if let Some(mode) = change.permission_mode {
        sqlx::query(SET_PERMISSION_MODE).bind(id).bind(mode).execute(&mut *connection).await?;
    }
    if let Some(model) = &change.model {
        sqlx::query(SET_MODEL).bind(id).bind(model).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Notes the beginning of the newest message and the time.
///
/// # Errors
/// When SQLite refuses.
pub async fn touch(connection: &mut SqliteConnection, id: SessionId, message: &str) -> StoreResult<()> {
    let beginning: String = message.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(160).collect();
    sqlx::query(TOUCH).bind(id).bind(beginning).bind(Timestamp::now()).execute(connection).await?;
    Ok(())
}

/// Adds what a model call used.
///
/// # Errors
/// When SQLite refuses.
pub async fn add_usage(connection: &mut SqliteConnection, id: SessionId, usage: Usage) -> StoreResult<()> {
    sqlx::query(ADD_USAGE)
        .bind(id)
        .bind(clamp(usage.input_tokens))
        .bind(clamp(usage.output_tokens))
        .bind(clamp(usage.cached_tokens))
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes a session with everything in it; answers whether there was one.
///
/// # Errors
/// When SQLite refuses.
pub async fn delete(connection: &mut SqliteConnection, user: UserId, id: SessionId) -> StoreResult<bool> {
    Ok(sqlx::query(DELETE).bind(user).bind(id).execute(connection).await?.rows_affected() > 0)
}

impl Store {
    /// The user's sessions: pinned ones first, then the newest.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn sessions(&self, user: UserId, after: Option<&SessionCursor>, limit: i64) -> StoreResult<Vec<Session>> {
        let query = match after {
            None => sqlx::query(LIST).bind(user).bind(limit),
            Some(cursor) => sqlx::query(LIST_AFTER)
                .bind(user)
                .bind(limit)
                .bind(cursor.pinned)
                .bind(cursor.updated_at)
                .bind(cursor.id),
        };
        query.fetch_all(self.reader()).await?.iter().map(read).collect()
    }

    /// Sessions whose title matches an FTS5 expression: id, title, time and bm25 (smaller is better).
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn search_sessions(
        &self,
        user: UserId,
        expression: &str,
        limit: i64,
    ) -> StoreResult<Vec<(SessionId, String, Timestamp, f64)>> {
        Ok(sqlx::query_as(SEARCH).bind(expression).bind(user).bind(limit).fetch_all(self.reader()).await?)
    }
}

/// SQLite's integers are signed.
pub(super) fn clamp(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}

/// The token counts of a row; a negative number can only be damage and counts as none.
pub(super) fn usage(row: &sqlx::sqlite::SqliteRow) -> StoreResult<Usage> {
    let tokens = |column| -> StoreResult<u64> { Ok(u64::try_from(row.try_get::<i64, _>(column)?).unwrap_or(0)) };
    Ok(Usage {
        input_tokens: tokens("input_tokens")?,
        output_tokens: tokens("output_tokens")?,
        cached_tokens: tokens("cached_tokens")?,
        cost_usd: None,
    })
}

fn read(row: &sqlx::sqlite::SqliteRow) -> StoreResult<Session> {
    Ok(Session {
        id: row.try_get("id")?,
        title: row.try_get("title")?,
        mode: row.try_get("mode")?,
        permission_mode: row.try_get("permission_mode")?,
        model: row.try_get("model")?,
        created_at: row.try_get("created_at")?,
        updated_at: row.try_get("updated_at")?,
        last_message: row.try_get("last_message")?,
        active_run_id: row.try_get("active_run_id")?,
        pinned: row.try_get("pinned")?,
        usage: usage(row)?,
    })
}
