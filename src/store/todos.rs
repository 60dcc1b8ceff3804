//! A session's plan.

use super::{Store, StoreResult, statements};
use crate::ids::SessionId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::Row;
use utoipa::ToSchema;

/// States of a todo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Being worked on; one at most.
    InProgress,
    /// Done.
    Completed,
}

/// One item of the plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema, schemars::JsonSchema)]
pub struct Todo {
    /// Short id, unique in the plan.
    pub id: String,
    /// What is to be done.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
    /// Ids that must be completed first.
    #[serde(default, alias = "blockedBy", skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<String>,
}

statements! {
    CLEAR = "DELETE FROM agent_tasks WHERE session_id = ?1";
    ADD = "INSERT INTO agent_tasks (session_id, id, position, content, status, blocked_by, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    LIST = "SELECT id, content, status, blocked_by FROM agent_tasks WHERE session_id = ?1 ORDER BY position";
}

impl Store {
    /// Replaces the plan of a session.
    ///
    /// # Errors
    /// When SQLite refuses.
    pub async fn set_todos(&self, session: SessionId, todos: Vec<Todo>) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                sqlx::query(CLEAR).bind(session).execute(&mut *connection).await?;
                for (position, todo) in (0_i64..).zip(&todos) {
                    sqlx::query(ADD)
                        .bind(session)
                        .bind(&todo.id)
                        .bind(position)
                        .bind(&todo.content)
                        .bind(todo.status)
                        .bind(sqlx::types::Json(&todo.blocked_by))
                        .bind(Timestamp::now())
                        .execute(&mut *connection)
                        .await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// The plan of a session.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn todos(&self, session: SessionId) -> StoreResult<Vec<Todo>> {
        let rows = sqlx::query(LIST).bind(session).fetch_all(self.reader()).await?;
        rows.iter()
            .map(|row| {
                let blocked_by: sqlx::types::Json<Vec<String>> = row.try_get("blocked_by")?;
                Ok(Todo {
                    id: row.try_get("id")?,
                    content: row.try_get("content")?,
                    status: row.try_get("status")?,
                    blocked_by: blocked_by.0,
                })
            })
            .collect()
    }
}
