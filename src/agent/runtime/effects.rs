//! What goes into the turn machine and what comes out of it, as plain data.

use super::prepare::PreparedCall;
use crate::llm::types::{Entry, ModelEvent, Usage};
use crate::store::runs::{EndReason, RunStatus};
use std::time::Duration;

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// The run begins or is continued.
    Begin,
    /// The messages that waited, as the model will see them; may be none.
    Queued(Vec<Entry>),
    /// The model said something.
    Model(ModelEvent),
    /// A call has ended. Exactly one for each call of a [`Effect::RunBatch`].
    ToolDone(CallResult),
    /// The user wants the run to end.
    Stop,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Take the messages that wait and answer with [`Input::Queued`].
    TakeQueued,
    /// Send [`Turn::entries`] to the model and feed its events back.
    CallModel {
        /// Number of this model call, from 1.
        step: u32,
    },
    /// Drop the model's stream; no further event of it is wanted.
    AbortModel,
    /// Show more of the answer's text.
    ShowText(String),
    /// Show more of the reasoning.
    ShowThinking(String),
    /// What was shown of this step is void; another attempt follows.
    DiscardAttempt {
        /// Number of the attempt that failed.
        attempt: u32,
        /// Why.
        reason: String,
        /// How long until the next.
        wait: Duration,
    },
    /// Store the model's message and show its calls.
    StoreAnswer(Answer),
    /// Start these calls beside each other.
    RunBatch(Vec<PreparedCall>),
    /// Cancel the calls that are running; each still ends with [`Input::ToolDone`].
    CancelTools,
    /// Store and show the result of a call.
    StoreResult(CallResult),
    /// The run is over.
    Finish(Outcome),
}

/// What the model said in one step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Number of the model call.
    pub step: u32,
    /// Markdown.
    pub content: String,
    /// Reasoning.
    pub thinking: String,
    /// Its calls in order.
    pub calls: Vec<PreparedCall>,
    /// What it used, as far as the provider says.
    pub usage: Usage,
    /// Why the message is not whole, if it is not.
    pub cut_off: Option<String>,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub struct CallResult {
    /// The call.
    pub call: PreparedCall,
    /// Text for the model.
    pub content: String,
    /// Whether that is an error.
    pub is_error: bool,
    /// Structured data for the dashboard.
    pub metadata: Option<serde_json::Value>,
    /// Set when the run cannot go on.
    pub fatal: Option<String>,
    /// Number of the model call it belongs to.
    pub step: u32,
}

impl CallResult {
    /// A result for a call that did not run.
    #[must_use]
    pub fn not_run(call: PreparedCall, step: u32, why: impl Into<String>) -> Self {
        Self { call, content: why.into(), is_error: true, metadata: None, fatal: None, step }
    }
}

/// How the run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Its final state.
    pub status: RunStatus,
    /// Why, when it did not simply complete.
    pub reason: Option<EndReason>,
    /// One or two sentences for the user.
    pub detail: Option<String>,
}

impl Outcome {
    pub(super) fn completed(detail: Option<String>) -> Self {
        Self { status: RunStatus::Completed, reason: None, detail }
    }

    pub(super) fn stopped_by_user() -> Self {
        Self { status: RunStatus::Stopped, reason: None, detail: None }
    }

    /// A run that an error ended.
    #[must_use]
    pub fn failed(detail: impl Into<String>) -> Self {
        Self { status: RunStatus::Failed, reason: Some(EndReason::Error), detail: Some(detail.into()) }
    }

    pub(super) fn limit(reason: EndReason, detail: impl Into<String>) -> Self {
        Self { status: RunStatus::Stopped, reason: Some(reason), detail: Some(detail.into()) }
    }
}

/// What a call gets that the user's stop kept from beginning.
pub const NOT_STARTED: &str = "Not run: the user stopped the run before this call began.";
