//! Permission rules, and remembered answers, which are rules too.

use super::{Store, StoreError, StoreResult, statements};
use crate::ids::{RuleId, SessionId, UserId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use utoipa::ToSchema;

/// What a rule does with the calls that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum RuleEffect {
    /// They run.
    Allow,
    /// The user is asked.
    Ask,
    /// They never run.
    Deny,
}

/// Where a rule comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum RuleSource {
    /// An administrator wrote it.
    Written,
    /// A user answered a question with `session` or `always`.
    Answer,
}

/// One rule as it is stored.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct RuleRow {
    /// Its id.
    pub id: RuleId,
    /// Whose it is; everyone's when absent.
    pub user_id: Option<UserId>,
    /// Where it holds; everywhere when absent.
    pub session_id: Option<SessionId>,
    /// What it does.
    pub effect: RuleEffect,
    /// `tool` or `tool(specifier)`.
    pub rule: String,
    /// Where it comes from.
    pub source: RuleSource,
    /// When it was made.
    pub created_at: Timestamp,
}

statements! {
    LIST = "SELECT id, user_id, session_id, effect, rule, source, created_at FROM permission_rules ORDER BY created_at, id";
    ADD = "INSERT INTO permission_rules (id, user_id, session_id, effect, rule, source, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    CHANGE = "UPDATE permission_rules SET effect = ?2, rule = ?3 WHERE id = ?1";
    DELETE = "DELETE FROM permission_rules WHERE id = ?1";
}

impl Store {
    /// All rules, the oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn permission_rules(&self) -> StoreResult<Vec<RuleRow>> {
        Ok(sqlx::query_as(LIST).fetch_all(self.reader()).await?)
    }

    /// Adds rules, all or none.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn add_permission_rules(&self, rows: Vec<RuleRow>) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                for row in &rows {
                    sqlx::query(ADD)
                        .bind(row.id)
                        .bind(row.user_id)
                        .bind(row.session_id)
                        .bind(row.effect)
                        .bind(&row.rule)
                        .bind(row.source)
                        .bind(row.created_at)
                        .execute(&mut *connection)
                        .await?;
                }
                Ok(())
            })
        })
        .await
    }

    /// Changes what a rule says.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when it has gone.
    pub async fn change_permission_rule(&self, id: RuleId, effect: RuleEffect, rule: String) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                let done = sqlx::query(CHANGE).bind(id).bind(effect).bind(rule).execute(connection).await?;
                if done.rows_affected() == 0 { Err(StoreError::NotFound("rule")) } else { Ok(()) }
            })
        })
        .await
    }

    /// Deletes a rule.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when it has gone.
    pub async fn delete_permission_rule(&self, id: RuleId) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                let done = sqlx::query(DELETE).bind(id).execute(connection).await?;
                if done.rows_affected() == 0 { Err(StoreError::NotFound("rule")) } else { Ok(()) }
            })
        })
        .await
    }
}
