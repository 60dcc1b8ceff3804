//! What goes into the turn machine and what comes out of it, as plain data.

use super::prepare::PreparedCall;
use crate::ids::CallId;
use crate::llm::types::{Entry, ModelError, ModelErrorKind, ModelEvent, Thinking, Usage};
use crate::store::runs::{EndReason, RunStatus};
use serde_json::Value;
use std::time::Duration;

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// The run begins or is continued.
    Begin,
    /// The messages that waited, as the model will see them; may be none.
    Queued(Vec<Entry>),
    /// The context fits; where it had to be made smaller, this is what it is now.
    Fitted(Option<Vec<Entry>>),
    /// The model said something.
    Model(ModelEvent),
    /// Hooks, rules and, where they want it, the user have decided about a call. Exactly one for each [`Effect::Check`].
    Checked {
        /// The call.
        id: CallId,
        /// What they decided.
        verdict: CallVerdict,
    },
    /// A call has ended. Exactly one for each call of an [`Effect::Start`].
    ToolDone(CallResult),
    /// The `Stop` hooks have decided whether the run may end.
    Ending(Ending),
    /// The user wants the run to end.
    Stop,
}

/// What was decided about a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallVerdict {
    /// It may run.
    Run(Clearance),
    /// It may not; the model is told why.
    Refused(String),
}

/// What a call runs with, where that differs from what the model wrote.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Clearance {
    /// Arguments that a hook changed; already checked against the schema.
    pub arguments: Option<Value>,
    /// Whether the call may run beside others with these arguments; as prepared when nothing changed.
    pub concurrency_safe: Option<bool>,
    /// What hooks and the user add for the model to read.
    pub notes: Vec<String>,
}

/// Whether a run may end.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// Nothing speaks against it.
    Allowed,
    /// A hook sent the agent back to work with this message.
    SentBack(Entry),
    /// A hook would send it back again, too often; its reason.
    TooOften(String),
}

/// Why the context is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FitReason {
    /// A model call comes next.
    NextCall,
    /// The model refused the last request since it was too long.
    TooLong,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Take the messages that wait and answer with [`Input::Queued`].
    TakeQueued,
    /// See that [`Turn::entries`](super::turn::Turn::entries) fit the model's window and answer with [`Input::Fitted`].
    FitContext(FitReason),
    /// Send [`Turn::entries`](super::turn::Turn::entries) to the model and feed its events back.
    CallModel {
        /// Number of this model call, from 1.
        step: u32,
    },
    /// Drop the model's stream, or the work on the context; nothing more of it is wanted.
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
    /// Another model answers from here on; what was shown of this step is void.
    SwitchModel {
        /// The model before.
        from: String,
        /// The model now.
        to: String,
        /// Why.
        reason: String,
    },
    /// Store the model's message as it is so far, and show the calls that are new. It may come several times for one
    /// step, each time with more; the last one is [`AnswerState::Closed`].
    StoreAnswer(Answer),
    /// Ask hooks, rules and, where they want it, the user about this call; answer with [`Input::Checked`].
    Check(PreparedCall),
    /// Start these calls beside each other and beside what is running.
    Start(Vec<PreparedCall>),
    /// Cancel these calls, which run; each still ends with [`Input::ToolDone`].
    CancelCalls(Vec<CallId>),
    /// Cancel everything that runs or is being checked; what runs still ends with [`Input::ToolDone`].
    CancelAll,
    /// Store and show the result of a call.
    StoreResult(CallResult),
    /// The run would end: ask the `Stop` hooks and answer with [`Input::Ending`].
    AskEnding {
        /// How often hooks have sent it back so far.
        sent_back: u32,
    },
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
    /// Reasoning, with the model that thought it.
    pub thinking: Thinking,
    /// Its calls in order.
    pub calls: Vec<PreparedCall>,
    /// What it used, as far as the provider says.
    pub usage: Usage,
    /// Why the message is not whole, if it is not.
    pub cut_off: Option<String>,
    /// Whether more may follow.
    pub state: AnswerState,
}

/// Whether an answer is still streaming.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AnswerState {
    /// More may follow.
    #[default]
    Open,
    /// This is all.
    Closed,
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
    pub metadata: Option<Value>,
    /// Set when the run cannot go on.
    pub fatal: Option<String>,
    /// Number of the model call it belongs to.
    pub step: u32,
    /// How far it got.
    pub end: CallEnd,
}

/// How far a call got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallEnd {
    /// To its own end, well or badly.
    Ran,
    /// It was cancelled on the way.
    Cancelled,
    /// It never began.
    NotRun,
}

impl CallResult {
    /// A result for a call that did not run.
    #[must_use]
    pub fn not_run(call: PreparedCall, step: u32, why: impl Into<String>) -> Self {
        Self { call, content: why.into(), is_error: true, metadata: None, fatal: None, step, end: CallEnd::NotRun }
    }

    /// Whether the call itself failed, as opposed to being refused or cancelled.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.is_error && self.end == CallEnd::Ran
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

    /// The model could not be had.
    pub(super) fn model_failed(error: &ModelError) -> Self {
        let reason = if error.kind == ModelErrorKind::Exhausted { EndReason::FallbackExhausted } else { EndReason::Error };
        Self { status: RunStatus::Failed, reason: Some(reason), detail: Some(error.message.clone()) }
    }

    pub(super) fn limit(reason: EndReason, detail: impl Into<String>) -> Self {
        Self { status: RunStatus::Stopped, reason: Some(reason), detail: Some(detail.into()) }
    }
}

/// What a call gets that the user's stop kept from beginning.
pub const NOT_STARTED: &str = "Not run: the user stopped the run before this call began.";
