//! What a run can say: the types of the timeline, shared with the dashboard.
//!
//! Each is stored as a row whose id is its SSE id; the row's `data` is the event's fields plus `session_id` and
//! `run_id`. Names and fields are fixed by the HTTP contract.

use crate::ids::{CallId, MessageId, QuestionId, RunId};
use crate::llm::types::Usage;
pub use crate::store::compactions::CompactionLayer;
use crate::store::messages::Message;
pub use crate::store::questions::{Question, QuestionKind, QuestionStatus};
use crate::store::runs::{EndReason, RunMode, RunStatus};
use crate::store::sessions::Session;
use crate::store::todos::Todo;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// One event of the timeline; `type` is the SSE event name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A run has begun, or goes on after an interruption.
    RunStarted {
        /// The run.
        run_id: RunId,
        /// The user messages it answers.
        message_ids: Vec<MessageId>,
        /// The model that answers.
        model: String,
        /// How it works.
        mode: RunMode,
    },
    /// More of the answer's text.
    TextDelta {
        /// What to append.
        delta: String,
    },
    /// More of the reasoning.
    ThinkingDelta {
        /// What to append.
        delta: String,
    },
    /// A message was stored; it replaces the deltas of its step.
    Message {
        /// The message.
        message: Box<Message>,
    },
    /// What the run has used so far.
    Usage {
        /// Sum over the run.
        usage: Usage,
        /// Tokens in the context after the last model call.
        context_tokens: u64,
        /// Tokens that fit.
        context_window: u64,
    },
    /// The model called a tool.
    ToolCall {
        /// Our id of the call.
        id: CallId,
        /// The tool.
        name: String,
        /// Its arguments.
        arguments: Value,
        /// Number of the model call, from 1.
        step: u32,
    },
    /// A call reports how far it is.
    ToolProgress {
        /// The call.
        id: CallId,
        /// How far.
        progress: Progress,
    },
    /// A call has its result.
    ToolResult {
        /// The call.
        tool_call_id: CallId,
        /// The tool.
        name: String,
        /// What the model is told.
        output: String,
        /// Whether it failed.
        is_error: bool,
        /// Structured data for the dashboard.
        metadata: Option<Value>,
        /// Number of the model call, from 1.
        step: u32,
    },
    /// Something needs the user.
    Question {
        /// The question.
        question: Question,
    },
    /// A question is no longer open.
    QuestionClosed {
        /// The question.
        id: QuestionId,
        /// How it ended.
        status: QuestionStatus,
        /// The answer, if there was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        answer: Option<Value>,
    },
    /// The plan has changed.
    TodoUpdated {
        /// The whole plan.
        todos: Vec<Todo>,
    },
    /// A model call failed and will be tried again.
    Retrying {
        /// Number of the attempt that failed, from 1.
        attempt: u32,
        /// Why.
        reason: String,
        /// Milliseconds until the next attempt.
        wait_ms: u64,
        /// Deltas of this run from this event id on belong to the failed attempt and are void.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        discard_from: Option<i64>,
    },
    /// The context was made smaller, or was not and why.
    Compaction {
        /// Which layer did it.
        layer: CompactionLayer,
        /// Estimated tokens of the context before.
        before_tokens: u64,
        /// Estimated tokens of the context after.
        after_tokens: u64,
        /// The message that stands for what was left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        summary_message_id: Option<MessageId>,
        /// Why nothing was done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        skipped_reason: Option<String>,
    },
    /// Another model answers from here on.
    ModelSwitched {
        /// The model before.
        from: String,
        /// The model now.
        to: String,
        /// Why.
        reason: String,
    },
    /// A hook has run.
    Hook {
        /// Which of the 13 events it was for, for example `PreToolUse`.
        event: String,
        /// The hook: a name, or its command.
        name: String,
        /// What it decided, in a word: `continue`, `block`, `ask`, `allow`, `deny`, `changed`, `context`, `failed`.
        decision: String,
        /// How long it took, in milliseconds.
        ms: u64,
        /// The call it was about, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        tool_call_id: Option<CallId>,
        /// The reason it gave, or what went wrong.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        detail: Option<String>,
    },
    /// The session's row has changed.
    SessionUpdated {
        /// The session.
        session: Box<Session>,
    },
    /// The run is over.
    RunFinished {
        /// The run.
        run_id: RunId,
        /// How it ended.
        status: RunStatus,
        /// Why, when it did not simply complete.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        reason: Option<EndReason>,
        /// One or two sentences for the user.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        detail: Option<String>,
    },
    /// Something failed that does not belong to a call.
    Error {
        /// Stable name.
        code: String,
        /// What happened and what to do.
        detail: String,
    },
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Progress {
    /// Units done.
    pub done: u64,
    /// Units in all, when known.
    pub total: Option<u64>,
    /// What is counted.
    pub unit: String,
    /// One line for the user.
    pub message: String,
}

impl Event {
    /// The SSE event type.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::RunStarted { .. } => "run_started",
            Self::TextDelta { .. } => "text_delta",
            Self::ThinkingDelta { .. } => "thinking_delta",
            Self::Message { .. } => "message",
            Self::Usage { .. } => "usage",
            Self::ToolCall { .. } => "tool_call",
            Self::ToolProgress { .. } => "tool_progress",
            Self::ToolResult { .. } => "tool_result",
            Self::Question { .. } => "question",
            Self::QuestionClosed { .. } => "question_closed",
            Self::TodoUpdated { .. } => "todo_updated",
            Self::Retrying { .. } => "retrying",
            Self::Compaction { .. } => "compaction",
            Self::ModelSwitched { .. } => "model_switched",
            Self::Hook { .. } => "hook",
            Self::SessionUpdated { .. } => "session_updated",
            Self::RunFinished { .. } => "run_finished",
            Self::Error { .. } => "error",
        }
    }
}
