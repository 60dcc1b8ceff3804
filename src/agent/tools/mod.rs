//! The agent's tools: the trait, what a tool is given and what it answers.
//!
//! A tool declares itself, validates its input, calls a domain service and shapes the answer; no business logic lives
//! here. A new tool touches two places: its own file and [`registry`].

pub mod ask_user;
pub mod astro;
pub mod compress;
pub mod filesystem;
pub mod load_tool;
pub mod loading;
pub mod memory;
pub mod nearest;
pub mod persist;
pub mod registry;
pub mod schema;
pub mod search_history;
pub mod skill;
pub mod todo;

use crate::ids::{CallId, RunId, SessionId, UserId};
use crate::services::Services;
use async_trait::async_trait;
use filesystem::state::FileStateCache;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Time a call may take unless the tool says otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);
/// Characters of an answer that reach the model unless the tool says otherwise; the rest goes to a file.
pub const DEFAULT_OUTPUT_CHARS: usize = 4_000;

/// What happens to a running call when the user stops the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterruptBehavior {
    /// The future is dropped and the call gets an error result at once.
    Cancel,
    /// The future is never dropped; the tool sees the token and ends in order.
    Block,
}

/// One of a tool's own permission rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolRule {
    /// The call is refused, with the reason.
    Deny {
        /// The tool.
        tool: String,
        /// Why.
        reason: String,
    },
    /// The call runs in every mode.
    Allow {
        /// The tool.
        tool: String,
    },
    /// The user is asked.
    Ask {
        /// The tool.
        tool: String,
        /// What the user is asked.
        message: String,
    },
}

/// What a tool answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolOutput {
    /// Text for the model.
    pub content: String,
    /// Whether the call failed in a way the model should know about.
    pub is_error: bool,
    /// Structured data for the dashboard.
    pub metadata: Option<Value>,
}

impl ToolOutput {
    /// A plain answer.
    #[must_use]
    pub fn text(content: impl Into<String>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }

    /// A failure that the model should see.
    #[must_use]
    pub fn error(content: impl Into<String>) -> Self {
        Self { content: content.into(), is_error: true, metadata: None }
    }

    /// The same with data for the dashboard.
    #[must_use]
    pub fn with_metadata(mut self, metadata: Value) -> Self {
        self.metadata = Some(metadata);
        self
    }
}

/// Why a tool has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// Becomes an error result: the model reads it and goes on.
    #[error("{0}")]
    Tell(String),
    /// Ends the run: nothing sensible can follow (the database is gone).
    #[error("{0}")]
    Fatal(String),
}

impl ToolError {
    /// An error the model should read.
    pub fn tell(message: impl Into<String>) -> Self {
        Self::Tell(message.into())
    }
}

/// How far a long call has got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// Units done.
    pub done: u64,
    /// Units in all, when known.
    pub total: Option<u64>,
    /// What is counted, for example `bytes` or `sources`.
    pub unit: String,
    /// One line for the user.
    pub message: String,
}

/// Where a tool reports its progress; a full or closed channel is no reason to fail.
#[derive(Clone)]
pub struct ProgressSender(mpsc::UnboundedSender<Progress>);

impl ProgressSender {
    /// A sender and the end that reads it.
    #[must_use]
    pub fn channel() -> (Self, mpsc::UnboundedReceiver<Progress>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (Self(sender), receiver)
    }

    /// Reports progress.
    pub fn send(&self, progress: Progress) {
        let _ = self.0.send(progress);
    }
}

/// Says something in the run's timeline beside the results: `todo_updated`, for example.
pub trait EventSender: Send + Sync {
    /// Stores and shows an event; it appears in the order of the calls of this method.
    fn send(&self, event: super::events::Event);
}

/// Asks the user on behalf of a call, and waits.
///
/// A call has at most one question: asking again under the same call id finds the question that is there, with its answer
/// if it has one, so a call that is run again after a restart goes on waiting where it was.
#[async_trait]
pub trait Asker: Send + Sync {
    /// Stores and shows the question; answers what the user said.
    async fn ask(&self, call: &CallId, question: AskUser, cancel: &CancellationToken) -> AskReply;
}

/// A question that the model puts to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskUser {
    /// What is asked.
    pub message: String,
    /// Answers to choose from; free text when empty.
    pub options: Vec<String>,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskReply {
    /// The user's words, or the option chosen.
    Answered(String),
    /// Nobody answered in time.
    Expired,
    /// The run was stopped meanwhile.
    Cancelled,
    /// There is nobody to ask (sub-agents, background work).
    Nobody,
}

/// For contexts in which nobody can be asked.
pub struct NobodyToAsk;

#[async_trait]
impl Asker for NobodyToAsk {
    async fn ask(&self, _call: &CallId, _question: AskUser, _cancel: &CancellationToken) -> AskReply {
        AskReply::Nobody
    }
}

/// What tools ask of the run they are in.
#[derive(Debug, Default)]
pub struct RunSignals {
    compact: parking_lot::Mutex<Option<String>>,
}

impl RunSignals {
    /// Wants the context compacted before the next model call; `focus` says what matters, and may be empty.
    pub fn request_compaction(&self, focus: String) {
        *self.compact.lock() = Some(focus);
    }

    /// Takes the request, if there is one.
    #[must_use]
    pub fn take_compaction(&self) -> Option<String> {
        self.compact.lock().take()
    }
}

/// What a call is given.
#[derive(Clone)]
pub struct ToolContext {
    /// The domain.
    pub services: Arc<Services>,
    /// Who asked.
    pub user_id: UserId,
    /// The conversation.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// This call.
    pub call_id: CallId,
    /// True inside sub-agents: nobody can be asked.
    pub silent: bool,
    /// Which files this context has read, and in which state.
    pub files: Arc<FileStateCache>,
    /// The timeline.
    pub events: Arc<dyn EventSender>,
    /// Puts questions to the user.
    pub asker: Arc<dyn Asker>,
    /// What the run is asked to do between two model calls.
    pub signals: Arc<RunSignals>,
    /// Whether the run asked for reasoning.
    pub enable_thinking: bool,
    /// Cancelled when the user stops the run.
    pub cancel: CancellationToken,
}

/// A tool.
#[async_trait]
pub trait AgentTool: Send + Sync {
    /// What the model calls: lower snake case.
    fn name(&self) -> &str;

    /// When the model should call it; goes into the system prompt.
    fn description(&self) -> &str;

    /// JSON Schema of the arguments; derive it with [`schema::of`], never write it by hand.
    fn parameters(&self) -> Value;

    /// Does the work. `args` has been validated against [`AgentTool::parameters`].
    ///
    /// # Errors
    /// [`ToolError::Tell`] for what the model can act on, [`ToolError::Fatal`] when the run cannot go on.
    async fn execute(&self, args: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError>;

    /// As [`AgentTool::execute`], for long work that reports how far it is.
    ///
    /// # Errors
    /// As [`AgentTool::execute`].
    async fn execute_with_progress(
        &self,
        args: Value,
        ctx: &ToolContext,
        _progress: ProgressSender,
    ) -> Result<ToolOutput, ToolError> {
        self.execute(args, ctx).await
    }

    /// What happens when the user stops the run meanwhile.
    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Cancel
    }

    /// Whether this very call may run beside other safe ones.
    fn is_concurrency_safe(&self, _args: &Value) -> bool {
        false
    }

    /// The tool's own rules for this call.
    fn check_permissions(&self, _args: &Value) -> Vec<ToolRule> {
        Vec::new()
    }

    /// Whether its failure spares the calls that depended on it.
    fn causes_sibling_abort(&self) -> bool {
        false
    }

    /// One line for the catalogue: the first sentence of the description, at most 100 characters.
    fn classifier_summary(&self) -> String {
        let description = self.description();
        let sentence = description.find(". ").map_or(description, |end| &description[..=end]);
        sentence.trim_end_matches('.').chars().take(100).collect()
    }

    /// Whether it has no side effect.
    fn is_readonly(&self) -> bool {
        false
    }

    /// Whether its definition stays out of the first prompt.
    fn defer_loading(&self) -> bool {
        false
    }

    /// How long a call may take.
    fn timeout(&self) -> Duration {
        DEFAULT_TIMEOUT
    }

    /// Characters of the answer that reach the model.
    fn max_output_chars(&self) -> usize {
        DEFAULT_OUTPUT_CHARS
    }

    /// Whether equal calls with equal results are normal (waiting for something), so that the loop guard lets them be.
    fn is_polling(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod dialogue_tests;
