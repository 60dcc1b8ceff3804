//! `compress_context`: has the conversation so far replaced by a summary before the next model call.

use super::{AgentTool, ToolContext, ToolError, ToolOutput, ToolRule, schema};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Asks for a compaction.
pub struct CompressContext;

#[derive(Debug, Deserialize, JsonSchema)]
struct Args {
    /// What the summary must keep above all.
    #[serde(default)]
    focus: Option<String>,
}

#[async_trait]
impl AgentTool for CompressContext {
    fn name(&self) -> &str {
        "compress_context"
    }

    fn description(&self) -> &str {
        "Replace the older part of this conversation by a summary before the next step. Use it when a part of the work is \
         finished and its details are no longer needed. The user's words, open todos, papers and files are kept, and \
         everything stays searchable with `search_history`."
    }

    fn parameters(&self) -> Value {
        schema::of::<Args>()
    }

    async fn execute(&self, args: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        let args: Args = schema::parse(args)?;
        ctx.signals.request_compaction(args.focus.unwrap_or_default());
        Ok(ToolOutput::text("The conversation will be summarised before the next step."))
    }

    fn is_concurrency_safe(&self, _args: &Value) -> bool {
        true
    }

    fn check_permissions(&self, _args: &Value) -> Vec<ToolRule> {
        vec![ToolRule::Allow { tool: self.name().to_owned() }]
    }
}
