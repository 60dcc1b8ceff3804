//! The set of tools of a run, by name.

use super::{AgentTool, ask_user, astro, filesystem, search_history, todo};
use crate::llm::types::ToolDefinition;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The tools a run may call, sorted by name so that requests have a stable prefix.
#[derive(Clone, Default)]
pub struct ToolRegistry {
    tools: BTreeMap<String, Arc<dyn AgentTool>>,
}

impl ToolRegistry {
    /// No tools.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// The standard tools.
    #[must_use]
    pub fn standard() -> Self {
        let mut registry = Self::empty();
        for tool in filesystem::tools().into_iter().chain(astro::tools()) {
            registry.add_tool(tool);
        }
        registry.add_tool(Arc::new(ask_user::AskUser));
        registry.add_tool(Arc::new(todo::TodoWrite));
        registry.add_tool(Arc::new(search_history::SearchHistory));
        registry
    }

    /// Adds a tool; one of the same name is replaced.
    pub fn add_tool(&mut self, tool: Arc<dyn AgentTool>) {
        self.tools.insert(tool.name().to_owned(), tool);
    }

    /// The tool of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn AgentTool>> {
        self.tools.get(name)
    }

    /// All tools, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn AgentTool>> {
        self.tools.values()
    }

    /// All definitions, sorted by name.
    #[must_use]
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        self.iter()
            .map(|tool| ToolDefinition {
                name: tool.name().to_owned(),
                description: tool.description().to_owned(),
                parameters: tool.parameters(),
            })
            .collect()
    }

    /// Name and one-line summary of every tool.
    #[must_use]
    pub fn tool_catalog(&self) -> Vec<(String, String)> {
        self.iter().map(|tool| (tool.name().to_owned(), tool.classifier_summary())).collect()
    }
}
