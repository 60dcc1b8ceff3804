use super::*;
use crate::agent::tools::{AgentTool, ToolContext, ToolError, ToolOutput};
use crate::ids::{RunId, SessionId};
use crate::store::messages::ToolCall;
use async_trait::async_trait;
use pretty_assertions::assert_eq;
use rstest::rstest;
use serde_json::{Value, json};
use std::sync::Arc;

struct Tool {
    name: &'static str,
    deferred: bool,
}

#[async_trait]
impl AgentTool for Tool {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &str {
        "Does something. And more."
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object" })
    }

    async fn execute(&self, _args: Value, _ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text("done"))
    }

    fn defer_loading(&self) -> bool {
        self.deferred
    }
}

fn registry() -> ToolRegistry {
    let mut registry = ToolRegistry::empty();
    registry.add_loader();
    for (name, deferred) in [("zeta", true), ("alpha", true), ("middle", false), ("omega", true)] {
        registry.add_tool(Arc::new(Tool { name, deferred }));
    }
    registry
}

/// The messages of one answer with its calls, and their results.
fn step(calls: &[(&str, Value, Option<Value>)]) -> Vec<Message> {
    let (session, run) = (SessionId::new(), RunId::new());
    let calls_made: Vec<ToolCall> = calls
        .iter()
        .map(|(name, arguments, _)| ToolCall { id: CallId::new(), name: (*name).into(), arguments: arguments.clone() })
        .collect();
    let mut answer = Message::new(session, run, Role::Assistant, String::new());
    answer.tool_calls = Some(calls_made.clone());
    let results = calls_made.iter().zip(calls).map(|(call, (_, _, metadata))| Message {
        tool_call_id: Some(call.id.clone()),
        metadata: metadata.clone(),
        ..Message::new(session, run, Role::Tool, "result".into())
    });
    std::iter::once(answer).chain(results).collect()
}

fn loads(name: &str) -> Vec<Message> {
    step(&[("load_tool", json!({ "name": name }), Some(json!({ "loaded": name })))])
}

fn calls(name: &str) -> Vec<Message> {
    step(&[(name, json!({}), None)])
}

#[rstest]
#[case::nothing(vec![], &[])]
#[case::loaded(vec![loads("zeta"), loads("alpha")], &["zeta", "alpha"])]
#[case::called_directly(vec![calls("omega"), loads("alpha")], &["omega", "alpha"])]
#[case::twice(vec![loads("zeta"), calls("zeta"), loads("zeta")], &["zeta"])]
#[case::a_resident(vec![loads("middle"), calls("middle")], &[])]
#[case::one_that_is_gone(vec![loads("removed"), calls("removed")], &[])]
#[case::another_tool_that_says_loaded(vec![step(&[("middle", json!({}), Some(json!({ "loaded": "zeta" })))])], &[])]
fn what_is_loaded_follows_from_the_messages(#[case] steps: Vec<Vec<Message>>, #[case] expected: &[&str]) {
    assert_eq!(loaded_tools(&steps.concat(), &registry()), expected);
}

#[test]
fn a_failed_load_loads_nothing() {
    let mut messages = loads("zeta");
    messages.last_mut().unwrap().is_error = Some(true);
    assert_eq!(loaded_tools(&messages, &registry()), Vec::<String>::new());
}

#[test]
fn a_result_may_be_stored_before_its_answer() {
    let mut messages = loads("zeta");
    messages.reverse();
    assert_eq!(loaded_tools(&messages, &registry()), ["zeta"]);
}

#[test]
fn from_request_to_request_tools_are_only_appended() {
    let registry = registry();
    let steps = [loads("middle"), calls("omega"), loads("alpha"), calls("middle"), loads("zeta"), calls("alpha")];
    let mut messages = Vec::new();
    let mut before = serde_json::to_string(&definitions_for(&registry, &[])).unwrap();
    let mut sizes = Vec::new();
    for step in steps {
        messages.extend(step);
        let loaded = loaded_tools(&messages, &registry);
        let now = serde_json::to_string(&definitions_for(&registry, &loaded)).unwrap();
        let (prefix, start) = (before.strip_suffix(']').unwrap(), now.strip_suffix(']').unwrap());
        assert!(start.starts_with(prefix), "{now} does not begin with {prefix}");
        sizes.push(loaded.len());
        before = now;
    }
    assert_eq!(sizes, [0, 1, 2, 2, 3, 3]);
    let names: Vec<String> =
        definitions_for(&registry, &loaded_tools(&messages, &registry)).into_iter().map(|d| d.name).collect();
    assert_eq!(names, ["load_tool", "middle", "omega", "alpha", "zeta"]);
}

#[test]
fn a_tool_is_replaced_only_by_one_of_its_name() {
    let mut registry = registry();
    assert!(registry.replace_tool(Arc::new(Tool { name: "middle", deferred: true })).is_some());
    let names: Vec<String> = registry.deferred_definitions().into_iter().map(|d| d.name).collect();
    assert_eq!(names, ["alpha", "middle", "omega", "zeta"]);
    assert!(registry.replace_tool(Arc::new(Tool { name: "unheard_of", deferred: false })).is_none());
    assert!(registry.get("unheard_of").is_none());
    assert_eq!(registry.defer_load_specific("load_tool"), None);
}

#[test]
fn the_catalogue_marks_what_is_deferred() {
    assert_eq!(
        catalogue_text(&registry()),
        "alpha — Does something (load_tool first, or call it directly)\n\
         load_tool — Load the definition of a tool that the catalogue marks as not loaded\n\
         middle — Does something\n\
         omega — Does something (load_tool first, or call it directly)\n\
         zeta — Does something (load_tool first, or call it directly)\n"
    );
}
