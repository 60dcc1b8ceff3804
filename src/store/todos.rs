//! A session's plan.

use serde::{Deserialize, Serialize};
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
