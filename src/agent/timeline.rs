//! Writing events into the timeline: rows of the event log, in the transaction of what they tell.

use super::events::Event;
use super::tools::EventSender;
use crate::ids::{RunId, SessionId, UserId};
use crate::store::events::{NewEvent, append};
use crate::store::{Store, StoreResult, sessions};
use serde_json::Value;
use sqlx::SqliteConnection;

/// Where events belong.
#[derive(Debug, Clone, Copy)]
pub struct Scope {
    /// Whose stream.
    pub user_id: UserId,
    /// The conversation.
    pub session_id: SessionId,
    /// The run, if one says it.
    pub run_id: Option<RunId>,
}

/// Appends an event inside a write command; answers its id.
///
/// # Errors
/// When SQLite refuses.
pub async fn record(connection: &mut SqliteConnection, scope: Scope, event: &Event) -> StoreResult<i64> {
    let mut data = serde_json::to_value(event).unwrap_or_else(|_| Value::Object(serde_json::Map::new()));
    if let Some(object) = data.as_object_mut() {
        object.remove("type");
        object.insert("session_id".into(), Value::String(scope.session_id.to_string()));
        if let Some(run) = scope.run_id {
            object.insert("run_id".into(), Value::String(run.to_string()));
        }
    }
    let row = NewEvent {
        user_id: scope.user_id,
        session_id: Some(scope.session_id),
        run_id: scope.run_id,
        kind: event.kind(),
        data: data.to_string(),
    };
    append(connection, &row).await
}

/// Appends `session_updated` with the session as it is now.
///
/// # Errors
/// When SQLite refuses.
pub async fn record_session(connection: &mut SqliteConnection, scope: Scope) -> StoreResult<()> {
    let session = sessions::get(&mut *connection, scope.user_id, scope.session_id).await?;
    let scope = Scope { run_id: None, ..scope };
    record(connection, scope, &Event::SessionUpdated { session: Box::new(session) }).await?;
    Ok(())
}

/// A timeline for what happens outside of a run's driver: each event is written by a task of its own.
pub struct Aside {
    /// Where it is written.
    pub store: Store,
    /// Where it belongs.
    pub scope: Scope,
}

impl EventSender for Aside {
    fn send(&self, event: Event) {
        let (store, scope) = (self.store.clone(), self.scope);
        tokio::spawn(async move {
            let written =
                store.write(move |connection| Box::pin(async move { record(connection, scope, &event).await })).await;
            if let Err(error) = written {
                tracing::debug!("an event was not written: {error}");
            }
        });
    }
}

/// For work that has no timeline: what it says is not kept.
pub struct Unheard;

impl EventSender for Unheard {
    fn send(&self, _event: Event) {}
}
