//! What goes to a model and what comes back, whatever the provider's wire format.
//!
//! The conversation is a list of [`Entry`]. A call and its result are one value ([`AnsweredCall`]), so a request whose
//! calls and results do not pair up cannot be written down, let alone sent.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use utoipa::ToSchema;

/// One entry of the conversation as a model sees it.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// What the user said (or a summary that stands for earlier messages).
    User {
        /// Markdown.
        content: String,
    },
    /// What the model said, with every call it made answered.
    Assistant {
        /// Markdown; may be empty when there are calls.
        content: String,
        /// Its reasoning, sent back only to the model that thought it and only where the provider demands it.
        thinking: Option<Thinking>,
        /// Its calls, in the order it made them.
        calls: Vec<AnsweredCall>,
    },
}

/// What a model thought before it answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Thinking {
    /// The reasoning in words; empty when the provider keeps it to itself.
    pub text: String,
    /// Blocks that the provider wants back exactly as they came (Anthropic's signed and redacted thinking).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sealed: Vec<Value>,
    /// The model that thought it, as [`ModelRequest::model`] names it.
    pub model: String,
}

/// A call together with its one result.
#[derive(Debug, Clone, PartialEq)]
pub struct AnsweredCall {
    /// The id used on the wire, unique within the request.
    pub wire_id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments, as a JSON object.
    pub arguments: Value,
    /// What the tool answered.
    pub result: String,
    /// Whether that is an error.
    pub is_error: bool,
}

/// A tool as it is offered to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// Lower snake case.
    pub name: String,
    /// When to call it.
    pub description: String,
    /// JSON Schema of the arguments.
    pub parameters: Value,
}

/// One request to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The model's name at the provider.
    pub model: String,
    /// The system prompt: a stable prefix.
    pub system: String,
    /// The conversation.
    pub entries: Vec<Entry>,
    /// The tools, in a stable order.
    pub tools: Vec<ToolDefinition>,
    /// Whether to ask for reasoning.
    pub enable_thinking: bool,
    /// Upper bound of the answer in tokens; the provider's own when absent.
    pub max_output_tokens: Option<u32>,
}

/// What a model used, in tokens; the provider's own count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Usage {
    /// Tokens of the request, cached ones included.
    pub input_tokens: u64,
    /// Tokens of the answer, reasoning included.
    pub output_tokens: u64,
    /// Tokens of the request that came from the provider's prompt cache.
    pub cached_tokens: u64,
    /// Cost in US dollars where the provider reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub cost_usd: Option<f64>,
}

impl Usage {
    /// Adds another count to this one.
    pub fn add(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.output_tokens += other.output_tokens;
        self.cached_tokens += other.cached_tokens;
        if let Some(cost) = other.cost_usd {
            self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + cost);
        }
    }
}

/// A call as the model wrote it: complete, but neither parsed nor trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawCall {
    /// The provider's id: may be empty, or the same for several calls.
    pub provider_id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as text; should be a JSON object, may be anything. Empty means `{}`.
    pub arguments: String,
}

/// One thing a streaming answer says.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// More of the answer's text.
    Text(String),
    /// More of the reasoning.
    Thinking(String),
    /// A block of reasoning that has to go back to this model as it is: see [`Thinking::sealed`].
    SealedThinking(Value),
    /// A call whose arguments are complete.
    Call(RawCall),
    /// The provider's count; the last one holds.
    Usage(Usage),
    /// The attempt failed and another begins after `wait`; what this attempt said so far is void.
    Retrying {
        /// Number of the attempt that failed, from 1.
        attempt: u32,
        /// Why, in words for the user.
        reason: String,
        /// How long until the next attempt.
        wait: Duration,
    },
    /// From here on another model answers; what the one before said so far is void.
    Switched {
        /// The model that was asked.
        from: String,
        /// The model that answers now.
        to: String,
        /// Why, in words for the user.
        reason: String,
    },
    /// The answer is over. Always the last event, or [`ModelEvent::Failed`] is.
    Finished(Finish),
    /// The answer could not be had, or broke off after it had begun.
    Failed(ModelError),
}

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The model had said everything.
    Stop,
    /// It waits for the results of its calls.
    ToolCalls,
    /// The limit of output tokens was reached.
    Length,
    /// The provider withheld the answer.
    Refused,
}

/// Why a model could not answer. The text is for the user: what happened and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What kind of failure, which decides what may be tried next.
    pub kind: ModelErrorKind,
    /// One or two sentences, without secrets.
    pub message: String,
    /// What the provider asked us to wait.
    pub retry_after: Option<Duration>,
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelErrorKind {
    /// The key is missing or refused (401, 403).
    Authentication,
    /// Out of credit or over a quota (402, 429 about quota).
    Quota,
    /// Too many requests for the moment (429).
    RateLimited,
    /// The service is overloaded (503, 529, or an overload inside a stream).
    Overloaded,
    /// The request is larger than the model's window (400, 413).
    TooLong,
    /// The request was refused for another reason (other 4xx).
    Invalid,
    /// The server failed (other 5xx).
    Server,
    /// No connection, or it broke before the answer was complete.
    Connection,
    /// Nothing arrived for too long.
    Idle,
    /// What arrived is not this wire format.
    Format,
    /// Every model of the fallback chain was overloaded, twice round.
    Exhausted,
}

impl ModelErrorKind {
    /// Whether the same request may succeed a little later.
    #[must_use]
    pub fn is_transient(self) -> bool {
        match self {
            Self::RateLimited | Self::Overloaded | Self::Server | Self::Connection | Self::Idle => true,
            Self::Authentication | Self::Quota | Self::TooLong | Self::Invalid | Self::Format | Self::Exhausted => {
                false
            }
        }
    }
}
