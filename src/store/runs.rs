//! Runs: from a user's message to the answer.

use crate::ids::{RunId, SessionId};
use crate::llm::types::Usage;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How a run works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum RunMode {
    /// One agent with all its tools.
    #[default]
    Standard,
    /// A coordinator that delegates to workers.
    Coordinator,
}

/// States of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum RunStatus {
    /// Stored, not begun.
    Queued,
    /// Going.
    Running,
    /// Needs an answer from the user.
    Waiting,
    /// Ended with an answer.
    Completed,
    /// Ended by the user or by a limit.
    Stopped,
    /// Ended by an error.
    Failed,
    /// The server went away; it can be continued.
    Interrupted,
}

/// Why a run ended without simply completing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum EndReason {
    /// The limit of model calls.
    MaxSteps,
    /// The same call with the same result, again and again.
    LoopGuard,
    /// Every model of the chain is overloaded.
    FallbackExhausted,
    /// A hook sent it back too often.
    StopHook,
    /// An error.
    Error,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// The conversation.
    pub session_id: SessionId,
    /// Its state.
    pub status: RunStatus,
    /// Why it ended, when it did not simply complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<EndReason>,
    /// One or two sentences for the user about how it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub detail: Option<String>,
    /// How it works.
    pub mode: RunMode,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Model calls so far.
    pub steps: u32,
    /// What it has used.
    pub usage: Usage,
}
