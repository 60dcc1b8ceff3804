//! `load_tool`: brings the definition of a deferred tool into the session.

use super::loading::LOADED;
use super::nearest::nearest;
use super::{AgentTool, ToolContext, ToolError, ToolOutput, ToolRule, schema};
use crate::llm::types::ToolDefinition;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// What the model calls.
pub const NAME: &str = "load_tool";

/// The tool. It knows the tools of the registry it is in: the registry makes it anew when they change.
pub struct LoadTool {
    tools: Vec<Loadable>,
}

/// A tool that can be asked for.
pub(super) struct Loadable {
    pub(super) definition: ToolDefinition,
    pub(super) deferred: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Args {
    /// The tool's name, exactly as the catalogue has it.
    name: String,
}

impl LoadTool {
    pub(super) fn over(tools: Vec<Loadable>) -> Self {
        Self { tools }
    }

    fn load(&self, asked: &str) -> Result<ToolOutput, ToolError> {
        let name = asked.trim().trim_matches('`');
        let Some(tool) = self.tools.iter().find(|tool| tool.definition.name == name) else {
            let candidates = self.tools.iter().map(|t| (t.definition.name.as_str(), t.definition.description.as_str()));
            let near = nearest(name, candidates).into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
            let asked: String = name.chars().take(100).collect();
            return Err(ToolError::tell(format!("There is no tool `{asked}`. The nearest are: {}.", near.join(", "))));
        };
        if !tool.deferred {
            return Ok(ToolOutput::text(format!("`{name}` is always loaded; call it.")));
        }
        let definition = &tool.definition;
        Ok(ToolOutput::text(format!(
            "`{name}` is loaded; call it from now on like any other tool.\n{}\nArguments (JSON Schema): {}",
            definition.description, definition.parameters
        ))
        .with_metadata(json!({ LOADED: name })))
    }
}

#[async_trait]
impl AgentTool for LoadTool {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "Load the definition of a tool that the catalogue marks as not loaded. Its arguments are in the answer and in every \
         later request of this session. A tool whose arguments you know already can be called without loading it."
    }

    fn parameters(&self) -> Value {
        schema::of::<Args>()
    }

    async fn execute(&self, args: Value, _ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        let args: Args = schema::parse(args)?;
        self.load(&args.name)
    }

    fn is_concurrency_safe(&self, _args: &Value) -> bool {
        true
    }

    fn check_permissions(&self, _args: &Value) -> Vec<ToolRule> {
        vec![ToolRule::Allow { tool: self.name().to_owned() }]
    }

    /// Never cut: half a schema is worse than none.
    fn max_output_chars(&self) -> usize {
        40_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn tools() -> LoadTool {
        let tool = |name: &str, description: &str, deferred| Loadable {
            definition: ToolDefinition {
                name: name.into(),
                description: description.into(),
                parameters: json!({ "type": "object", "properties": { "query": {} } }),
            },
            deferred,
        };
        LoadTool::over(vec![
            tool("search", "Search everything.", true),
            tool("search_history", "Search the user's earlier sessions.", true),
            tool("search_papers", "Search ADS and arXiv.", false),
            tool("todo_write", "Write the plan.", false),
        ])
    }

    #[rstest]
    #[case("search_history")]
    #[case(" `search_history` ")]
    #[case("search")]
    fn an_exact_name_wins_whatever_is_near_it(#[case] asked: &str) {
        let name = asked.trim().trim_matches('`');
        let output = tools().load(asked).unwrap();
        assert_eq!(output.metadata, Some(json!({ "loaded": name })));
        assert!(output.content.contains("\"properties\":{\"query\":{}}"), "{}", output.content);
    }

    #[test]
    fn a_wrong_name_gets_the_nearest_three() {
        let ToolError::Tell(why) = tools().load("search_histroy").unwrap_err() else { panic!("it ended the run") };
        let offered = why.split("nearest are: ").nth(1).unwrap();
        assert!(offered.starts_with("`search_history`"), "{why}");
        assert_eq!(offered.matches('`').count(), 6, "{why}");
    }

    #[test]
    fn a_resident_tool_needs_no_loading() {
        let output = tools().load("todo_write").unwrap();
        assert!(!output.is_error && output.metadata.is_none() && output.content.contains("always loaded"));
    }
}
