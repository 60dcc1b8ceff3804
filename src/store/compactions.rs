//! What was done to make a session's context smaller.
//!
//! Messages are never changed or deleted for it: a row here says which of them a model no longer sees. The newest summary
//! that holds stands for everything up to its last message; outputs that were cleared stay cleared until that is undone.

use super::{StoreError, StoreResult, statements};
use crate::ids::{CallId, MessageId, RunId, SessionId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::{Row, SqliteConnection};
use utoipa::ToSchema;

/// Which layer made the context smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum CompactionLayer {
    /// Old tool outputs became placeholders.
    Micro,
    /// A summary replaced older messages since the context came near its limit.
    Auto,
    /// The same, because the user or the model asked for it.
    Manual,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compaction {
    /// Its number; later ones are greater. Zero before it is stored.
    pub id: i64,
    /// The conversation.
    pub session_id: SessionId,
    /// The run that did it, if one was going.
    pub run_id: Option<RunId>,
    /// Which layer.
    pub layer: CompactionLayer,
    /// What a model sees no longer.
    pub effect: CompactionEffect,
    /// Estimated tokens of the context before.
    pub before_tokens: u64,
    /// Estimated tokens of the context after.
    pub after_tokens: u64,
    /// When it was undone.
    pub undone_at: Option<Timestamp>,
}

/// What a model sees no longer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompactionEffect {
    /// The outputs of these calls.
    Cleared(Vec<CallId>),
    /// Everything up to a message; another message stands for it.
    Summarised {
        /// The last message that is left out.
        through: MessageId,
        /// The message that stands for it.
        summary: MessageId,
    },
}

impl Compaction {
    /// Whether it still holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.undone_at.is_none()
    }
}

statements! {
    ADD = "INSERT INTO compactions (session_id, run_id, layer, through_message_id, summary_message_id, cleared, before_tokens,
        after_tokens, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    LIST = "SELECT id, session_id, run_id, layer, through_message_id, summary_message_id, cleared, before_tokens, after_tokens,
        undone_at FROM compactions WHERE session_id = ?1 ORDER BY id";
    UNDO = "UPDATE compactions SET undone_at = ?2 WHERE id = ?1 AND undone_at IS NULL";
}

/// Stores a row.
///
/// # Errors
/// When SQLite refuses.
pub async fn add(connection: &mut SqliteConnection, row: &Compaction) -> StoreResult<()> {
    let (through, summary, cleared) = match &row.effect {
        CompactionEffect::Cleared(calls) => (None, None, calls.as_slice()),
        CompactionEffect::Summarised { through, summary } => (Some(*through), Some(*summary), [].as_slice()),
    };
    sqlx::query(ADD)
        .bind(row.session_id)
        .bind(row.run_id)
        .bind(row.layer)
        .bind(through)
        .bind(summary)
        .bind(sqlx::types::Json(cleared))
        .bind(super::sessions::clamp(row.before_tokens))
        .bind(super::sessions::clamp(row.after_tokens))
        .bind(Timestamp::now())
        .execute(connection)
        .await?;
    Ok(())
}

/// All rows of a session in order, the undone ones included.
///
/// # Errors
/// When the database cannot be read.
pub async fn list(connection: impl sqlx::SqliteExecutor<'_>, session: SessionId) -> StoreResult<Vec<Compaction>> {
    sqlx::query(LIST).bind(session).fetch_all(connection).await?.iter().map(read).collect()
}

/// Undoes a row.
///
/// # Errors
/// [`StoreError::Conflict`] when it was undone meanwhile.
pub async fn undo(connection: &mut SqliteConnection, id: i64) -> StoreResult<()> {
    let done = sqlx::query(UNDO).bind(id).bind(Timestamp::now()).execute(connection).await?;
    if done.rows_affected() == 0 {
        return Err(StoreError::Conflict("This compaction was undone already."));
    }
    Ok(())
}

fn read(row: &sqlx::sqlite::SqliteRow) -> StoreResult<Compaction> {
    let through: Option<MessageId> = row.try_get("through_message_id")?;
    let summary: Option<MessageId> = row.try_get("summary_message_id")?;
    let effect = match (through, summary) {
        (Some(through), Some(summary)) => CompactionEffect::Summarised { through, summary },
        (None, _) | (_, None) => {
            let cleared: sqlx::types::Json<Vec<CallId>> = row.try_get("cleared")?;
            CompactionEffect::Cleared(cleared.0)
        }
    };
    let tokens = |name: &str| row.try_get(name).map(|tokens: i64| u64::try_from(tokens).unwrap_or_default());
    Ok(Compaction {
        id: row.try_get("id")?,
        session_id: row.try_get("session_id")?,
        run_id: row.try_get("run_id")?,
        layer: row.try_get("layer")?,
        effect,
        before_tokens: tokens("before_tokens")?,
        after_tokens: tokens("after_tokens")?,
        undone_at: row.try_get("undone_at")?,
    })
}
