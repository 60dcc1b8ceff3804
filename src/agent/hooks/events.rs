//! The 13 events: their names, and what a command hook is told about each.
//!
//! Names and fields are those that users of Claude Code know, as far as they have a meaning here.

use crate::agent::tools::EventSender;
use crate::ids::{CallId, RunId, SessionId, UserId};
use crate::store::sessions::PermissionMode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;
use utoipa::ToSchema;

/// The moments at which hooks run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
pub enum HookEvent {
    /// First run of a session, or after a restart or a compaction.
    SessionStart,
    /// The session was deleted, or idle for a day.
    SessionEnd,
    /// A message is accepted.
    UserPromptSubmit,
    /// Before the permissions of a call are looked at.
    PreToolUse,
    /// An ask is about to be shown.
    PermissionRequest,
    /// After a call that went well.
    PostToolUse,
    /// After a call that failed.
    PostToolUseFailure,
    /// A child begins.
    SubagentStart,
    /// A child would end.
    SubagentStop,
    /// Before a compaction.
    PreCompact,
    /// After a compaction.
    PostCompact,
    /// Something needs the user.
    Notification,
    /// The run would end.
    Stop,
}

impl HookEvent {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::SessionStart,
        Self::SessionEnd,
        Self::UserPromptSubmit,
        Self::PreToolUse,
        Self::PermissionRequest,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::SubagentStart,
        Self::SubagentStop,
        Self::PreCompact,
        Self::PostCompact,
        Self::Notification,
        Self::Stop,
    ];

    /// The name in `hooks.json` and in the timeline.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::PreToolUse => "PreToolUse",
            Self::PermissionRequest => "PermissionRequest",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::SubagentStart => "SubagentStart",
            Self::SubagentStop => "SubagentStop",
            Self::PreCompact => "PreCompact",
            Self::PostCompact => "PostCompact",
            Self::Notification => "Notification",
            Self::Stop => "Stop",
        }
    }

    /// The event of this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    /// The field of the input that a matcher is compared with; events without one run all their hooks.
    #[must_use]
    pub fn matched_field(self) -> Option<&'static str> {
        match self {
            Self::PreToolUse | Self::PermissionRequest | Self::PostToolUse | Self::PostToolUseFailure => {
                Some("tool_name")
            }
            Self::SessionStart => Some("source"),
            Self::SessionEnd => Some("reason"),
            Self::PreCompact | Self::PostCompact => Some("trigger"),
            Self::SubagentStart | Self::SubagentStop => Some("agent_type"),
            Self::Notification => Some("notification_type"),
            Self::UserPromptSubmit | Self::Stop => None,
        }
    }
}

/// Why a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StartSource {
    /// Its first run.
    Startup,
    /// Its first run since the server started.
    Resume,
    /// Its context was compacted.
    Compact,
}

/// Why a session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EndCause {
    /// It was deleted.
    Deleted,
    /// Nothing happened for a day.
    Idle,
}

/// Who wants a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactTrigger {
    /// The context came near its limit.
    Auto,
    /// The user or the model.
    Manual,
}

/// Whether a hook has sent the agent back to work before in this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopRound {
    /// No hook has.
    First,
    /// At least once; `stop_hook_active` is true.
    SentBack,
}

/// Where an event happens.
#[derive(Clone)]
pub struct Scope {
    /// On whose behalf.
    pub user_id: UserId,
    /// The conversation.
    pub session_id: SessionId,
    /// The run, if there is one.
    pub run_id: Option<RunId>,
    /// The call, if it is about one.
    pub call_id: Option<CallId>,
    /// Which calls need consent.
    pub permission_mode: PermissionMode,
    /// The model that answers.
    pub model: String,
    /// The timeline that shows the runs of command hooks.
    pub events: Arc<dyn EventSender>,
}

impl Scope {
    /// The same about one call.
    #[must_use]
    pub fn of_call(&self, call: &CallId) -> Self {
        Self { call_id: Some(call.clone()), ..self.clone() }
    }
}

/// What is said about an event beside its scope.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(untagged)]
pub(super) enum Payload<'a> {
    SessionStart { source: StartSource },
    SessionEnd { reason: EndCause },
    UserPromptSubmit { prompt: &'a str },
    PreToolUse { tool_name: &'a str, tool_input: &'a Value },
    PermissionRequest { tool_name: &'a str, tool_input: &'a Value, message: &'a str },
    PostToolUse { tool_name: &'a str, tool_input: &'a Value, tool_response: &'a str, duration_ms: u64 },
    PostToolUseFailure { tool_name: &'a str, tool_input: &'a Value, error: &'a str, duration_ms: u64 },
    SubagentStart { agent_type: &'a str, task: &'a str },
    SubagentStop { agent_type: &'a str, task: &'a str, last_assistant_message: &'a str, stop_hook_active: bool },
    PreCompact { trigger: CompactTrigger },
    PostCompact { trigger: CompactTrigger, before_tokens: u64, after_tokens: u64 },
    Notification { notification_type: &'a str, message: &'a str },
    Stop { last_assistant_message: &'a str, stop_hook_active: bool },
}

impl Payload<'_> {
    /// The event it is about.
    pub(super) fn event(&self) -> HookEvent {
        match self {
            Self::SessionStart { .. } => HookEvent::SessionStart,
            Self::SessionEnd { .. } => HookEvent::SessionEnd,
            Self::UserPromptSubmit { .. } => HookEvent::UserPromptSubmit,
            Self::PreToolUse { .. } => HookEvent::PreToolUse,
            Self::PermissionRequest { .. } => HookEvent::PermissionRequest,
            Self::PostToolUse { .. } => HookEvent::PostToolUse,
            Self::PostToolUseFailure { .. } => HookEvent::PostToolUseFailure,
            Self::SubagentStart { .. } => HookEvent::SubagentStart,
            Self::SubagentStop { .. } => HookEvent::SubagentStop,
            Self::PreCompact { .. } => HookEvent::PreCompact,
            Self::PostCompact { .. } => HookEvent::PostCompact,
            Self::Notification { .. } => HookEvent::Notification,
            Self::Stop { .. } => HookEvent::Stop,
        }
    }

    /// The JSON object for a hook's standard input. `cwd` is the folder that relative paths of file tools begin in.
    pub(super) fn input(&self, scope: &Scope, workspace: &Path) -> Map<String, Value> {
        let mut input = match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            // Strings, numbers and JSON values always serialise.
            Ok(_) | Err(_) => Map::new(),
        };
        input.insert("hook_event_name".into(), self.event().name().into());
        input.insert("session_id".into(), scope.session_id.to_string().into());
        input.insert("user_id".into(), scope.user_id.to_string().into());
        input.insert("cwd".into(), workspace.to_string_lossy().into());
        input.insert("model".into(), scope.model.as_str().into());
        let mode = serde_json::to_value(scope.permission_mode).unwrap_or_default();
        input.insert("permission_mode".into(), mode);
        if let Some(run) = scope.run_id {
            input.insert("run_id".into(), run.to_string().into());
        }
        if let Some(call) = &scope.call_id {
            input.insert("tool_use_id".into(), call.as_str().into());
        }
        input
    }
}

/// A made-up input for trying hooks out.
pub(super) fn sample(event: HookEvent, scope: &Scope, workspace: &Path) -> Map<String, Value> {
    let tool_input = serde_json::json!({ "path": "notes/example.md" });
    let (tool_name, agent_type, task) = ("read_file", "subagent", "Read one paper.");
    let (prompt, text) = ("Which papers cite this one?", "An example.");
    let trigger = CompactTrigger::Auto;
    let payload = match event {
        HookEvent::SessionStart => Payload::SessionStart { source: StartSource::Startup },
        HookEvent::SessionEnd => Payload::SessionEnd { reason: EndCause::Deleted },
        HookEvent::UserPromptSubmit => Payload::UserPromptSubmit { prompt },
        HookEvent::PreToolUse => Payload::PreToolUse { tool_name, tool_input: &tool_input },
        HookEvent::PermissionRequest => {
            Payload::PermissionRequest { tool_name, tool_input: &tool_input, message: "May this run?" }
        }
        HookEvent::PostToolUse => {
            Payload::PostToolUse { tool_name, tool_input: &tool_input, tool_response: text, duration_ms: 5 }
        }
        HookEvent::PostToolUseFailure => {
            Payload::PostToolUseFailure { tool_name, tool_input: &tool_input, error: "No such file.", duration_ms: 5 }
        }
        HookEvent::SubagentStart => Payload::SubagentStart { agent_type, task },
        HookEvent::SubagentStop => {
            Payload::SubagentStop { agent_type, task, last_assistant_message: text, stop_hook_active: false }
        }
        HookEvent::PreCompact => Payload::PreCompact { trigger },
        HookEvent::PostCompact => Payload::PostCompact { trigger, before_tokens: 100_000, after_tokens: 20_000 },
        HookEvent::Notification => Payload::Notification { notification_type: "permission", message: text },
        HookEvent::Stop => Payload::Stop { last_assistant_message: text, stop_hook_active: false },
    };
    payload.input(scope, workspace)
}
