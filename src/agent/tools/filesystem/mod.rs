//! Tools for files: the workspace (read, write, versioned), the user's skills and the library (read only).
//!
//! Each tool is a function of a [`FileCall`] and its arguments that blocks; what [`AgentTool`](super::AgentTool) asks for
//! stands around it, and [`run`] takes it to the blocking pool. Paths are read in [`security`] alone.

mod change;
pub mod file_edit;
pub mod file_write;
pub mod glob_files;
pub mod grep_files;
pub mod read_file;
pub mod run_bash;
pub mod security;
pub mod state;

use super::{AgentTool, ToolContext, ToolError, ToolOutput, ToolRule};
use crate::ids::{CallId, SessionId, UserId};
use crate::workspace::path::RelPath;
use crate::workspace::{WorkspaceError, Workspaces};
use security::Refusal;
use serde::de::DeserializeOwned;
use serde_json::Value;
use state::FileStateCache;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// All tools of this folder.
#[must_use]
pub fn tools() -> Vec<Arc<dyn AgentTool>> {
    vec![
        Arc::new(read_file::ReadFile),
        Arc::new(grep_files::GrepFiles),
        Arc::new(glob_files::GlobFiles),
        Arc::new(file_write::FileWrite),
        Arc::new(file_edit::FileEdit),
        Arc::new(run_bash::RunBash),
    ]
}

/// What a file tool needs of its [`ToolContext`].
#[derive(Clone)]
pub struct FileCall {
    /// The folders.
    pub workspaces: Workspaces,
    /// Whose they are.
    pub user: UserId,
    /// The conversation, for the commit.
    pub session: SessionId,
    /// This call.
    pub call: CallId,
    /// What the context has seen.
    pub files: Arc<FileStateCache>,
    /// Whether to give up.
    pub cancel: CancellationToken,
}

impl FileCall {
    fn of(ctx: &ToolContext) -> Self {
        Self {
            workspaces: ctx.services.workspaces.clone(),
            user: ctx.user_id,
            session: ctx.session_id,
            call: ctx.call_id.clone(),
            files: ctx.files.clone(),
            cancel: ctx.cancel.child_token(),
        }
    }

    fn check_cancelled(&self) -> Result<(), ToolError> {
        if self.cancel.is_cancelled() { Err(ToolError::tell("Stopped before it was done.")) } else { Ok(()) }
    }
}

/// Runs a tool's work on the blocking pool. When the call is dropped (stopped, timed out), its token is cancelled, so
/// that the work ends too.
async fn run<A: DeserializeOwned + Send + 'static>(
    args: Value,
    ctx: &ToolContext,
    work: fn(&FileCall, A) -> Result<ToolOutput, ToolError>,
) -> Result<ToolOutput, ToolError> {
    let args =
        serde_json::from_value::<A>(args).map_err(|error| ToolError::tell(format!("The arguments: {error}.")))?;
    let call = FileCall::of(ctx);
    let _ends_with_the_call = call.cancel.clone().drop_guard();
    let workspaces = call.workspaces.clone();
    workspaces.run(move |_| work(&call, args)).await
}

impl From<Refusal> for ToolError {
    fn from(refusal: Refusal) -> Self {
        Self::Tell(refusal.to_string())
    }
}

impl From<WorkspaceError> for ToolError {
    fn from(error: WorkspaceError) -> Self {
        Self::Tell(error.to_string())
    }
}

/// The rule of the writing tools: skills and the library are not theirs. What a path means is decided in [`security`];
/// this only says early what is plain from its text.
fn deny_other_roots(tool: &str, args: &Value) -> Vec<ToolRule> {
    let path = args.get("path").and_then(Value::as_str).and_then(|path| RelPath::parse(path).ok());
    let reason = match path.as_ref().and_then(RelPath::first) {
        Some("skills") => security::SKILLS_ARE_READ_ONLY,
        Some("library") => security::LIBRARY_IS_READ_ONLY,
        Some(_) | None => return Vec::new(),
    };
    vec![ToolRule::Deny { tool: tool.to_owned(), reason: reason.to_owned() }]
}
