//! `search_history`: what was said in the user's sessions.

use super::{AgentTool, ToolContext, ToolError, ToolOutput, ToolRule, schema};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// The tool.
pub struct SearchHistory;

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// Words to look for, in any order; the last may be the beginning of a word.
    query: String,
    /// Only in this session.
    #[serde(default)]
    session_only: bool,
    /// Most hits, 10 unless given, at most 50.
    #[serde(default)]
    limit: Option<usize>,
}

#[async_trait]
impl AgentTool for SearchHistory {
    fn name(&self) -> &str {
        "search_history"
    }

    fn description(&self) -> &str {
        "Search the titles and messages of the user's earlier sessions. Use it when the user refers to something said \
         before that is not in this conversation, or to see whether a question was answered already."
    }

    fn parameters(&self) -> Value {
        schema::of::<Args>()
    }

    async fn execute(&self, args: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        let args: Args = schema::parse(args)?;
        let session = args.session_only.then_some(ctx.session_id);
        let limit = args.limit.unwrap_or(10).clamp(1, 50);
        let hits = ctx
            .services
            .store
            .search_history(ctx.user_id, &args.query, session, limit)
            .await
            .map_err(|e| ToolError::tell(format!("The history could not be searched: {e}")))?;
        if hits.is_empty() {
            return Ok(ToolOutput::text(format!("Nothing in the history matches `{}`.", args.query))
                .with_metadata(json!({ "items": [] })));
        }
        let mut text = String::new();
        for (number, hit) in (1..).zip(&hits) {
            let day: String = hit.created_at.to_string().chars().take(10).collect();
            let who = hit.role.map_or("title", |role| match role {
                crate::store::messages::Role::User => "user",
                crate::store::messages::Role::Assistant => "assistant",
                crate::store::messages::Role::Tool => "tool",
                crate::store::messages::Role::Summary => "summary",
            });
            let _ = writeln!(text, "{number}. {day}, session \"{}\" ({who}): {}", hit.session_title, hit.snippet);
        }
        Ok(ToolOutput::text(text).with_metadata(json!({ "items": hits })))
    }

    fn check_permissions(&self, _args: &Value) -> Vec<ToolRule> {
        vec![ToolRule::Allow { tool: self.name().to_owned() }]
    }

    fn is_concurrency_safe(&self, _args: &Value) -> bool {
        true
    }

    fn defer_loading(&self) -> bool {
        true
    }

    fn is_readonly(&self) -> bool {
        true
    }
}
