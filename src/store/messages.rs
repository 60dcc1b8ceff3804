//! Messages of a conversation.

use crate::ids::{CallId, MessageId, RunId, SessionId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
    /// The result of a call.
    Tool,
    /// A summary that stands for earlier messages.
    Summary,
}

/// A call as it is stored with its assistant message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolCall {
    /// Our id.
    pub id: CallId,
    /// The tool.
    pub name: String,
    /// The arguments: an object, or the text as the model wrote it when that was no object.
    pub arguments: Value,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// The conversation.
    pub session_id: SessionId,
    /// The run that it began or that said it.
    pub run_id: Option<RunId>,
    /// Who speaks.
    pub role: Role,
    /// Markdown, or a tool's output.
    pub content: String,
    /// The model's reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub thinking: Option<String>,
    /// The model's calls, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tool_calls: Option<Vec<ToolCall>>,
    /// Which call this is the result of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tool_call_id: Option<CallId>,
    /// Whether the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub is_error: Option<bool>,
    /// Structured data for the dashboard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub metadata: Option<Value>,
    /// The model that said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub model: Option<String>,
    /// When it was stored.
    pub created_at: Timestamp,
    /// The call of the parent that this belongs to, in a sub-agent's timeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub parent_tool_call_id: Option<CallId>,
    /// True while it waits for the next model call of a run that is going.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub queued: bool,
}
