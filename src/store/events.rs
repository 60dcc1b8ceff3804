//! Events: what runs said, as rows. The live stream and a replay read the same rows, so they cannot differ.

use super::{Store, StoreResult, statements};
use crate::ids::{MessageId, RunId, SessionId, UserId};
use crate::time::Timestamp;
use parking_lot::Mutex;
use sqlx::{Row, SqliteConnection};
use std::collections::HashMap;
use tokio::sync::watch;

statements! {
    APPEND = "INSERT INTO agent_events (user_id, session_id, run_id, kind, data, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    NEWEST = "SELECT coalesce(max(id), 0) FROM agent_events";
    NEWEST_BY_USER = "SELECT user_id, max(id) FROM agent_events WHERE id > ?1 GROUP BY user_id";
    AFTER_FOR_USER = "SELECT id, session_id, run_id, kind, data FROM agent_events WHERE user_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3";
    AFTER_FOR_SESSION = "SELECT id, session_id, run_id, kind, data FROM agent_events WHERE session_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3";
    BEFORE_MESSAGE = "SELECT coalesce((SELECT min(e.id) - 1 FROM agent_events AS e JOIN agent_messages AS m ON m.run_id = e.run_id
        WHERE e.session_id = ?1 AND m.id = ?2), (SELECT coalesce(max(id), 0) FROM agent_events))";
    BEFORE_RUN = "SELECT coalesce(min(id), 1) - 1 FROM agent_events WHERE run_id = ?1";
    PRUNE_DELTAS = "DELETE FROM agent_events WHERE kind IN ('text_delta', 'thinking_delta', 'tool_progress')
        AND created_at < ?1 AND run_id NOT IN (SELECT id FROM agent_runs WHERE status IN ('queued', 'running', 'waiting'))";
}

/// One stored event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventRow {
    /// Its SSE id: global, growing, gaps allowed.
    pub id: i64,
    /// The conversation it belongs to, if any.
    pub session_id: Option<SessionId>,
    /// The run that said it, if any.
    pub run_id: Option<RunId>,
    /// The SSE event type, for example `text_delta`.
    pub kind: String,
    /// The JSON object that is sent, with `session_id` and `run_id` in it.
    pub data: String,
}

/// An event that is about to be stored.
#[derive(Debug, Clone)]
pub struct NewEvent {
    /// Whose stream it appears in.
    pub user_id: UserId,
    /// The conversation, if any.
    pub session_id: Option<SessionId>,
    /// The run, if any.
    pub run_id: Option<RunId>,
    /// The SSE event type.
    pub kind: &'static str,
    /// The JSON object to send.
    pub data: String,
}

/// Appends one event inside a write command; its id becomes visible to streams when the batch commits.
///
/// # Errors
/// When SQLite refuses, for example because the session was deleted meanwhile.
pub async fn append(connection: &mut SqliteConnection, event: &NewEvent) -> StoreResult<i64> {
    let done = sqlx::query(APPEND)
        .bind(event.user_id)
        .bind(event.session_id)
        .bind(event.run_id)
        .bind(event.kind)
        .bind(&event.data)
        .bind(Timestamp::now())
        .execute(connection)
        .await?;
    Ok(done.last_insert_rowid())
}

/// The newest event id of all, 0 when there is none.
///
/// # Errors
/// When the database cannot be read.
pub async fn newest(connection: impl sqlx::SqliteExecutor<'_>) -> StoreResult<i64> {
    Ok(sqlx::query_scalar(NEWEST).fetch_one(connection).await?)
}

/// The cursor just before the run that a message began or joined.
///
/// # Errors
/// When the database cannot be read.
pub async fn cursor_before_message(
    connection: &mut SqliteConnection,
    session: SessionId,
    message: MessageId,
) -> StoreResult<i64> {
    Ok(sqlx::query_scalar(BEFORE_MESSAGE).bind(session).bind(message).fetch_one(connection).await?)
}

impl Store {
    /// The newest event id of all, 0 when there is none.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn newest_event(&self) -> StoreResult<i64> {
        newest(self.reader()).await
    }

    /// The next events of a user after a cursor, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn user_events_after(&self, user: UserId, after: i64, limit: i64) -> StoreResult<Vec<EventRow>> {
        let rows = sqlx::query(AFTER_FOR_USER).bind(user).bind(after).bind(limit).fetch_all(self.reader()).await?;
        rows.iter().map(read).collect()
    }

    /// The next events of a session after a cursor, oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn session_events_after(&self, session: SessionId, after: i64, limit: i64) -> StoreResult<Vec<EventRow>> {
        let rows =
            sqlx::query(AFTER_FOR_SESSION).bind(session).bind(after).bind(limit).fetch_all(self.reader()).await?;
        rows.iter().map(read).collect()
    }

    /// The cursor just before a run's first event.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn cursor_before_run(&self, run: RunId) -> StoreResult<i64> {
        Ok(sqlx::query_scalar(BEFORE_RUN).bind(run).fetch_one(self.reader()).await?)
    }

    /// Deletes the deltas of ended runs that are older than `before`: the finished message holds their text.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn prune_deltas(&self, before: Timestamp) -> StoreResult<u64> {
        self.write(move |connection| {
            Box::pin(
                async move { Ok(sqlx::query(PRUNE_DELTAS).bind(before).execute(connection).await?.rows_affected()) },
            )
        })
        .await
    }
}

fn read(row: &sqlx::sqlite::SqliteRow) -> StoreResult<EventRow> {
    Ok(EventRow {
        id: row.try_get(0)?,
        session_id: row.try_get(1)?,
        run_id: row.try_get(2)?,
        kind: row.try_get(3)?,
        data: row.try_get(4)?,
    })
}

/// Tells waiting streams that there is something new to read.
#[derive(Default)]
pub(super) struct Feed {
    inner: Mutex<FeedState>,
}

#[derive(Default)]
struct FeedState {
    /// Newest id that was announced; `None` until the first look at the table.
    announced: Option<i64>,
    users: HashMap<UserId, watch::Sender<i64>>,
}

impl Feed {
    pub(super) fn subscribe(&self, user: UserId) -> watch::Receiver<i64> {
        self.inner.lock().users.entry(user).or_insert_with(|| watch::channel(0).0).subscribe()
    }

    /// Called by the writer after each COMMIT.
    pub(super) async fn publish(&self, connection: &mut SqliteConnection) {
        let announced = self.inner.lock().announced.unwrap_or(0);
        let rows: Vec<(UserId, i64)> = match sqlx::query_as(NEWEST_BY_USER).bind(announced).fetch_all(connection).await
        {
            Ok(rows) => rows,
            // The next commit announces these too; streams also look by themselves at each heartbeat.
            Err(e) => return tracing::warn!("could not read the newest events: {e}"),
        };
        let mut state = self.inner.lock();
        for (user, newest) in rows {
            state.announced = Some(state.announced.unwrap_or(0).max(newest));
            if let Some(sender) = state.users.get(&user) {
                sender.send_replace(newest);
            }
        }
    }
}
