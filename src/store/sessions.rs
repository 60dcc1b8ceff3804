//! Conversations.

use crate::ids::{RunId, SessionId};
use crate::llm::types::Usage;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

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
