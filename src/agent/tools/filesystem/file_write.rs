//! `file_write`: a whole file.

use super::change::{answer, check_fresh};
use super::security::Roots;
use super::{FileCall, deny_other_roots, run};
use crate::agent::tools::{AgentTool, InterruptBehavior, ToolContext, ToolError, ToolOutput, ToolRule, schema};
use crate::workspace::log::Why;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Arguments of `file_write`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Path of the file, relative to the workspace. Folders on the way are made.
    pub path: String,
    /// The whole text of the file.
    pub content: String,
}

/// The tool.
pub struct FileWrite;

#[async_trait]
impl AgentTool for FileWrite {
    fn name(&self) -> &str {
        "file_write"
    }

    fn description(&self) -> &str {
        "Create a file in the workspace, or replace its whole text. A file that exists has to be read first. \
         Every write is kept in the workspace's history and can be undone. For a small change use file_edit."
    }

    fn parameters(&self) -> Value {
        schema::of::<Args>()
    }

    async fn execute(&self, args: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        run(args, ctx, file_write).await
    }

    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Block
    }

    fn check_permissions(&self, args: &Value) -> Vec<ToolRule> {
        deny_other_roots(self.name(), args)
    }
}

/// Writes a file.
///
/// # Errors
/// When the path is refused, the file exists and was not read as it is, or the disk refuses; then nothing has changed.
pub fn file_write(call: &FileCall, args: Args) -> Result<ToolOutput, ToolError> {
    // Before it begins a stop is heeded; from here on the write is finished.
    call.check_cancelled()?;
    let roots = Roots::of(&call.workspaces, call.user)?;
    let place = roots.locate_for_writing(&args.path)?;
    let shown = place.shown();
    let why = Why::new("file_write", call.session);
    let written = roots.workspace().update(&place.path, &why, |present| {
        present.map_or(Ok(()), |present| check_fresh(call, &shown, present))?;
        Ok::<_, ToolError>(args.content.into_bytes())
    })?;
    let said = if written.before.is_some() { "Replaced" } else { "Created" };
    Ok(answer(call, &shown, said, &written))
}
