//! What is remembered about a user's work from one conversation to the next.

use super::{Store, StoreError, StoreResult, fts, statements};
use crate::ids::{MemoryId, MessageId, SessionId, UserId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::{Row, SqliteConnection};
use utoipa::ToSchema;

/// What a memory is about.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema, sqlx::Type, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum MemoryKind {
    /// How the user wants things done.
    Preference,
    /// Something that holds.
    Fact,
    /// What was decided, and why.
    Decision,
    /// Where something is found.
    Reference,
}

/// Where a memory comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemorySource {
    /// The conversation; it may have been deleted since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub session_id: Option<SessionId>,
    /// The message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub message_id: Option<MessageId>,
    /// The paper: an identifier as the agent wrote it, or an id of ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub paper_id: Option<String>,
}

/// One memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Memory {
    /// Its id.
    pub id: MemoryId,
    /// What is remembered.
    pub content: String,
    /// What it is about.
    pub kind: MemoryKind,
    /// Where it comes from.
    pub source: MemorySource,
    /// How sure it is, from 0 to 1: 1 for what the user wrote, less for what an agent concluded.
    pub confidence: f64,
    /// Whether every conversation begins with it.
    pub pinned: bool,
    /// When it was stored.
    pub created_at: Timestamp,
    /// When a conversation last used it.
    pub last_used_at: Option<Timestamp>,
}

macro_rules! columns {
    () => {
        "m.id, m.content, m.kind, m.session_id, m.message_id, m.paper_id, m.confidence, m.pinned, m.created_at, m.last_used_at"
    };
}

statements! {
    ADD = "INSERT INTO memories (id, user_id, content, search_text, kind, session_id, message_id, paper_id, confidence, pinned,
        created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    LIST = concat!("SELECT ", columns!(), " FROM memories AS m WHERE m.user_id = ?1
        AND (?2 IS NULL OR (m.pinned, m.id) < (?2, ?3)) ORDER BY m.pinned DESC, m.id DESC LIMIT ?4");
    SEARCH = concat!("SELECT ", columns!(), " FROM memories_fts JOIN memories AS m ON m.rowid_alias = memories_fts.rowid
        WHERE memories_fts MATCH ?1 AND m.user_id = ?2 ORDER BY rank LIMIT ?3");
    ONE = concat!("SELECT ", columns!(), " FROM memories AS m WHERE m.user_id = ?1 AND m.id = ?2");
    SET = "UPDATE memories SET content = ?3, search_text = ?4, kind = ?5, pinned = ?6, confidence = ?7 WHERE user_id = ?1 AND id = ?2";
    USED = "UPDATE memories SET last_used_at = ?2 WHERE id = ?1";
    DELETE = "DELETE FROM memories WHERE user_id = ?1 AND id = ?2";
}

/// A place in the list of a user's memories: pinned ones first, then the newest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryCursor {
    pinned: bool,
    id: MemoryId,
}

impl MemoryCursor {
    /// The cursor behind this memory.
    #[must_use]
    pub fn after(memory: &Memory) -> Self {
        Self { pinned: memory.pinned, id: memory.id }
    }
}

impl std::fmt::Display for MemoryCursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", u8::from(self.pinned), self.id)
    }
}

impl std::str::FromStr for MemoryCursor {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let (pinned, id) = text.split_once('.').ok_or(())?;
        let pinned = match pinned {
            "0" => false,
            "1" => true,
            _ => return Err(()),
        };
        Ok(Self { pinned, id: id.parse().map_err(|_| ())? })
    }
}

/// Stores a memory.
///
/// # Errors
/// When SQLite refuses.
pub async fn add(connection: &mut SqliteConnection, user: UserId, memory: &Memory) -> StoreResult<()> {
    sqlx::query(ADD)
        .bind(memory.id)
        .bind(user)
        .bind(&memory.content)
        .bind(fts::normalise(&memory.content))
        .bind(memory.kind)
        .bind(memory.source.session_id)
        .bind(memory.source.message_id)
        .bind(&memory.source.paper_id)
        .bind(memory.confidence)
        .bind(memory.pinned)
        .bind(memory.created_at)
        .execute(connection)
        .await?;
    Ok(())
}

/// Replaces the text, kind, pin and confidence of a memory by what this value has.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not the user's.
pub async fn set(connection: &mut SqliteConnection, user: UserId, memory: &Memory) -> StoreResult<()> {
    let done = sqlx::query(SET)
        .bind(user)
        .bind(memory.id)
        .bind(&memory.content)
        .bind(fts::normalise(&memory.content))
        .bind(memory.kind)
        .bind(memory.pinned)
        .bind(memory.confidence)
        .execute(connection)
        .await?;
    if done.rows_affected() == 0 { Err(NONE) } else { Ok(()) }
}

/// Memories in which one of the expression's words occurs, the best first.
///
/// # Errors
/// When the database cannot be read.
pub async fn search(
    connection: impl sqlx::SqliteExecutor<'_>,
    user: UserId,
    expression: &str,
    limit: i64,
) -> StoreResult<Vec<Memory>> {
    let rows = sqlx::query(SEARCH).bind(expression).bind(user).bind(limit).fetch_all(connection).await?;
    rows.iter().map(read).collect()
}

/// Notes that these memories were used now.
///
/// # Errors
/// When SQLite refuses.
pub async fn used(connection: &mut SqliteConnection, ids: &[MemoryId]) -> StoreResult<()> {
    let now = Timestamp::now();
    for id in ids {
        sqlx::query(USED).bind(id).bind(now).execute(&mut *connection).await?;
    }
    Ok(())
}

/// A user's memories, pinned ones first, then the newest.
///
/// # Errors
/// When the database cannot be read.
pub async fn list(
    connection: impl sqlx::SqliteExecutor<'_>,
    user: UserId,
    after: Option<MemoryCursor>,
    limit: i64,
) -> StoreResult<Vec<Memory>> {
    let rows = sqlx::query(LIST)
        .bind(user)
        .bind(after.map(|cursor| cursor.pinned))
        .bind(after.map(|cursor| cursor.id))
        .bind(limit)
        .fetch_all(connection)
        .await?;
    rows.iter().map(read).collect()
}

const NONE: StoreError = StoreError::NotFound("memory");

impl Store {
    /// One memory.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when it is not the user's.
    pub async fn memory(&self, user: UserId, id: MemoryId) -> StoreResult<Memory> {
        let row = sqlx::query(ONE).bind(user).bind(id).fetch_optional(self.reader()).await?;
        row.as_ref().map(read).transpose()?.ok_or(NONE)
    }

    /// Forgets a memory.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when it is not the user's.
    pub async fn delete_memory(&self, user: UserId, id: MemoryId) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                let done = sqlx::query(DELETE).bind(user).bind(id).execute(connection).await?;
                if done.rows_affected() == 0 { Err(NONE) } else { Ok(()) }
            })
        })
        .await
    }
}

fn read(row: &sqlx::sqlite::SqliteRow) -> StoreResult<Memory> {
    Ok(Memory {
        id: row.try_get("id")?,
        content: row.try_get("content")?,
        kind: row.try_get("kind")?,
        source: MemorySource {
            session_id: row.try_get("session_id")?,
            message_id: row.try_get("message_id")?,
            paper_id: row.try_get("paper_id")?,
        },
        confidence: row.try_get("confidence")?,
        pinned: row.try_get("pinned")?,
        created_at: row.try_get("created_at")?,
        last_used_at: row.try_get("last_used_at")?,
    })
}
