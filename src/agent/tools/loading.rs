//! Which definitions a request carries: the residents always, the deferred ones once they are loaded.
//!
//! A provider's prompt cache holds as long as a request begins like the one before. So the residents stand first, sorted by
//! name, and each loaded tool is appended at the end, in the order of loading. What is loaded is read from the session's
//! stored messages ([`loaded_tools`]) and from nothing else: it outlives compactions and restarts by itself. Before a model
//! call:
//!
//! ```ignore
//! let loaded = loading::loaded_tools(&all_messages_of_the_session, &registry);
//! let tools = loading::definitions_for(&registry, &loaded);
//! ```

use super::load_tool;
use super::registry::ToolRegistry;
use crate::ids::CallId;
use crate::llm::types::ToolDefinition;
use crate::store::messages::{Message, Role};
use std::collections::HashSet;
use std::fmt::Write;

/// Key of a result's metadata that names the tool it has loaded.
pub const LOADED: &str = "loaded";

/// The deferred tools that a session has loaded, in the order of loading: by `load_tool`, or by calling them directly
/// (also with arguments that did not fit, since the next try needs the schema).
///
/// `messages` are all stored messages of one context, the oldest first, also those that a summary stands for. Names that
/// the registry does not have as deferred tools are left out.
#[must_use]
pub fn loaded_tools(messages: &[Message], registry: &ToolRegistry) -> Vec<String> {
    // Looked for first: a tool that was fast may have its result stored before the answer that called it.
    let calls = messages.iter().flat_map(|message| message.tool_calls.iter().flatten());
    let loaders: HashSet<&CallId> = calls.filter(|call| call.name == load_tool::NAME).map(|call| &call.id).collect();
    let mut loaded: Vec<String> = Vec::new();
    let mut load = |name: &str| {
        let deferred = registry.get(name).is_some_and(|tool| tool.defer_loading());
        if deferred && !loaded.iter().any(|known| known == name) {
            loaded.push(name.to_owned());
        }
    };
    for message in messages {
        match message.role {
            Role::Assistant => {
                for call in message.tool_calls.iter().flatten() {
                    load(&call.name);
                }
            }
            Role::Tool => {
                let from_loader = message.tool_call_id.as_ref().is_some_and(|id| loaders.contains(id));
                let name = message.metadata.as_ref().and_then(|metadata| metadata.get(LOADED)?.as_str());
                if let Some(name) = name.filter(|_| from_loader && message.is_error != Some(true)) {
                    load(name);
                }
            }
            Role::User | Role::Summary => {}
        }
    }
    loaded
}

/// What a request carries: the residents by name, then the loaded ones in their order.
#[must_use]
pub fn definitions_for(registry: &ToolRegistry, loaded: &[String]) -> Vec<ToolDefinition> {
    let mut definitions = registry.resident_definitions();
    definitions.extend(loaded.iter().filter_map(|name| registry.defer_load_specific(name)));
    definitions
}

/// The catalogue for the system prompt: one line for each tool, by name.
#[must_use]
pub fn catalogue_text(registry: &ToolRegistry) -> String {
    let mut text = String::new();
    for tool in registry.iter() {
        let loading = if tool.defer_loading() { " (load_tool first, or call it directly)" } else { "" };
        let _ = writeln!(text, "{} — {}{loading}", tool.name(), tool.classifier_summary());
    }
    text
}

#[cfg(test)]
#[path = "loading_tests.rs"]
mod tests;
