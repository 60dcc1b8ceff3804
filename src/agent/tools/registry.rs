//! The set of tools of a run, by name.

use super::load_tool::{self, LoadTool, Loadable};
use super::nearest::nearest;
use super::{AgentTool, ask_user, astro, compress, filesystem, memory, search_history, skill, todo};
use crate::agent::skills::SkillLibrary;
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
    pub fn standard(skills: SkillLibrary) -> Self {
        let mut registry = Self::empty();
        for tool in filesystem::tools().into_iter().chain(astro::tools()) {
            registry.add_tool(tool);
        }
        registry.add_tool(Arc::new(ask_user::AskUser));
        registry.add_tool(Arc::new(compress::CompressContext));
        registry.add_tool(Arc::new(memory::SaveMemory));
        registry.add_tool(Arc::new(todo::TodoWrite));
        registry.add_tool(Arc::new(search_history::SearchHistory));
        registry.add_tool(Arc::new(skill::LoadSkill::new(skills)));
        registry.add_loader();
        registry
    }

    /// Adds a tool; one of the same name is replaced.
    pub fn add_tool(&mut self, tool: Arc<dyn AgentTool>) {
        self.tools.insert(tool.name().to_owned(), tool);
        if self.tools.contains_key(load_tool::NAME) {
            self.add_loader();
        }
    }

    /// Replaces the tool of the same name and answers the one before; without one nothing changes.
    pub fn replace_tool(&mut self, tool: Arc<dyn AgentTool>) -> Option<Arc<dyn AgentTool>> {
        let before = self.tools.get(tool.name()).map(Arc::clone)?;
        self.add_tool(tool);
        Some(before)
    }

    /// Adds `load_tool`, which from then on knows every tool of this registry.
    pub fn add_loader(&mut self) {
        let others = self.iter().filter(|tool| tool.name() != load_tool::NAME);
        let tools = others.map(|tool| Loadable { definition: definition(tool), deferred: tool.defer_loading() });
        let loader = LoadTool::over(tools.collect());
        self.tools.insert(load_tool::NAME.to_owned(), Arc::new(loader));
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
        self.iter().map(definition).collect()
    }

    /// The definitions that every request carries, sorted by name.
    #[must_use]
    pub fn resident_definitions(&self) -> Vec<ToolDefinition> {
        self.iter().filter(|tool| !tool.defer_loading()).map(definition).collect()
    }

    /// The definitions that are loaded on demand, sorted by name.
    #[must_use]
    pub fn deferred_definitions(&self) -> Vec<ToolDefinition> {
        self.iter().filter(|tool| tool.defer_loading()).map(definition).collect()
    }

    /// The definition of one deferred tool.
    #[must_use]
    pub fn defer_load_specific(&self, name: &str) -> Option<ToolDefinition> {
        self.get(name).filter(|tool| tool.defer_loading()).map(definition)
    }

    /// Name and one-line summary of every tool.
    #[must_use]
    pub fn tool_catalog(&self) -> Vec<(String, String)> {
        self.iter().map(|tool| (tool.name().to_owned(), tool.classifier_summary())).collect()
    }

    /// The three tools whose names come nearest to one that does not exist.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Vec<&str> {
        nearest(name, self.iter().map(|tool| (tool.name(), tool.description())))
    }
}

fn definition(tool: &Arc<dyn AgentTool>) -> ToolDefinition {
    ToolDefinition {
        name: tool.name().to_owned(),
        description: tool.description().to_owned(),
        parameters: tool.parameters(),
    }
}
