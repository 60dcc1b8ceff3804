//! The audit log: what the agent did and what was decided about it.

use super::{Store, StoreError, StoreResult, statements};
use crate::ids::{AuditId, CallId, RunId, SessionId, UserId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::Row;
use utoipa::ToSchema;

/// One row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AuditRow {
    /// Its id; later rows compare greater.
    pub id: AuditId,
    /// On whose behalf.
    pub user_id: UserId,
    /// The conversation, if any; it may have been deleted since.
    pub session_id: Option<SessionId>,
    /// The run, if any.
    pub run_id: Option<RunId>,
    /// The call, if any.
    pub tool_call_id: Option<CallId>,
    /// What it is about: a hook event, `PermissionAnswer` or `HooksChanged`.
    pub event: String,
    /// The tool, if any.
    pub tool: Option<String>,
    /// What was decided or came of it, in a word.
    pub decision: String,
    /// Sizes, digests and reasons; never the text of a prompt or the value of an argument.
    pub summary: String,
    /// How long it took, in milliseconds.
    pub ms: Option<i64>,
    /// When.
    pub created_at: Timestamp,
}

/// Which rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Of this user alone; of everyone when absent.
    pub user: Option<UserId>,
    /// Of this conversation alone.
    pub session: Option<SessionId>,
    /// About this tool alone.
    pub tool: Option<String>,
    /// Rows before this one.
    pub before: Option<AuditId>,
}

statements! {
    ADD = "INSERT INTO agent_audit_log (id, user_id, session_id, run_id, tool_call_id, event, tool, decision, summary, ms, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    LIST = "SELECT id, user_id, session_id, run_id, tool_call_id, event, tool, decision, summary, ms, created_at FROM agent_audit_log
        WHERE (?1 IS NULL OR user_id = ?1) AND (?2 IS NULL OR session_id = ?2) AND (?3 IS NULL OR tool = ?3)
        AND (?4 IS NULL OR id < ?4) ORDER BY id DESC LIMIT ?5";
}

impl Store {
    /// Appends rows.
    ///
    /// # Errors
    /// When SQLite refuses; none of them is stored then.
    pub async fn add_audit(&self, rows: Vec<AuditRow>) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                for row in &rows {
                    sqlx::query(ADD)
                        .bind(row.id)
                        .bind(row.user_id)
                        .bind(row.session_id)
                        .bind(row.run_id)
                        .bind(&row.tool_call_id)
                        .bind(&row.event)
                        .bind(&row.tool)
                        .bind(&row.decision)
                        .bind(&row.summary)
                        .bind(row.ms)
                        .bind(row.created_at)
                        .execute(&mut *connection)
                        .await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Rows, the newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn audit(&self, filter: &AuditFilter, limit: usize) -> StoreResult<Vec<AuditRow>> {
        let rows = sqlx::query(LIST)
            .bind(filter.user)
            .bind(filter.session)
            .bind(&filter.tool)
            .bind(filter.before)
            .bind(i64::try_from(limit).unwrap_or(i64::MAX))
            .fetch_all(self.reader())
            .await?;
        rows.iter().map(|row| read(row).map_err(StoreError::from)).collect()
    }
}

fn read(row: &sqlx::sqlite::SqliteRow) -> sqlx::Result<AuditRow> {
    Ok(AuditRow {
        id: row.try_get("id")?,
        user_id: row.try_get("user_id")?,
        session_id: row.try_get("session_id")?,
        run_id: row.try_get("run_id")?,
        tool_call_id: row.try_get("tool_call_id")?,
        event: row.try_get("event")?,
        tool: row.try_get("tool")?,
        decision: row.try_get("decision")?,
        summary: row.try_get("summary")?,
        ms: row.try_get("ms")?,
        created_at: row.try_get("created_at")?,
    })
}
