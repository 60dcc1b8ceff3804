//! What a session loads: deferred tools and skills.

use crate::app::{App, Event, finished, of_kind};
use crate::model_server::{Reply, Script};
use almagest::agent::skills::SkillLibrary;
use almagest::agent::tools::registry::ToolRegistry;
use almagest::agent::tools::{AgentTool, ToolContext, ToolError, ToolOutput};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::sync::Arc;

/// A deferred tool that is added after `load_tool`.
struct Late;

#[async_trait]
impl AgentTool for Late {
    fn name(&self) -> &str {
        "measure_parallax"
    }

    fn description(&self) -> &str {
        "Measures a parallax."
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": { "epoch": { "type": "number" } } })
    }

    async fn execute(&self, _args: Value, _ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::text("0.7687 mas"))
    }

    fn defer_loading(&self) -> bool {
        true
    }
}

fn with_a_late_tool(skills: SkillLibrary) -> ToolRegistry {
    let mut registry = ToolRegistry::standard(skills);
    registry.add_tool(Arc::new(Late));
    registry
}

/// Results in the order of their calls; a refused call has its result before those that run.
fn in_order_of_calls(events: &[Event]) -> Vec<&Value> {
    let results = of_kind(events, "tool_result");
    let of_call = |call: &Value| *results.iter().find(|result| result["tool_call_id"] == call["id"]).unwrap();
    of_kind(events, "tool_call").into_iter().map(of_call).collect()
}

#[tokio::test]
async fn deferred_tools_are_loaded_by_name_or_called_directly() {
    let script = Script::of([
        Reply::new().call("load_tool", json!({ "name": "measure_paralax" })),
        Reply::new().call("load_tool", json!({ "name": "measure_parallax" })),
        Reply::new().call("measure_parallax", json!({ "epoch": 2016.0 })),
        Reply::new().call("search_history", json!({ "query": "parallax of M 31" })),
        Reply::new().text("done"),
    ]);
    let app = App::with_tools(script, with_a_late_tool).await;
    let session = app.session().await;
    let events = app.run(&session, "How far is it?").await;
    assert_eq!(finished(&events)["status"], "completed");
    let results = in_order_of_calls(&events);
    assert_eq!(results[0]["is_error"], true);
    assert!(results[0]["output"].as_str().unwrap().contains("nearest are: `measure_parallax`"), "{}", results[0]);
    assert_eq!(results[1]["metadata"]["loaded"], "measure_parallax");
    assert!(results[1]["output"].as_str().unwrap().contains("\"epoch\""), "{}", results[1]);
    assert_eq!(results[2]["output"], "0.7687 mas");
    assert_eq!(results[3]["is_error"], false, "a direct call of a deferred tool runs: {}", results[3]);
    let catalogue = app.get("/api/tools").await.1;
    let deferred: Vec<&str> = catalogue["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool["deferred"] == true)
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(deferred, ["measure_parallax", "search_history"]);
    app.model.assert_clean();
}

#[tokio::test]
async fn a_skill_is_listed_loaded_and_its_folder_read() {
    let script = Script::of([
        Reply::new()
            .call("load_skill", json!({ "name": "target-dossier", "arguments": "TRAPPIST-1" }))
            .call("load_skill", json!({ "name": "spectra", "arguments": "HD 209458" })),
        Reply::new()
            .call("read_file", json!({ "path": "skills/shipped/target-dossier/SKILL.md" }))
            .call("read_file", json!({ "path": "skills/spectra/lines.md" }))
            .call("file_write", json!({ "path": "skills/shipped/target-dossier/SKILL.md", "content": "x" })),
        Reply::new().call("load_skill", json!({ "name": "dossier" })),
        Reply::new().text("done"),
    ]);
    let app = App::start(script).await;
    let own = app.folder().join("skills/spectra");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("SKILL.md"), "---\nname: spectra\ndescription: Read spectra.\n---\nThe lines: lines.md")
        .unwrap();
    std::fs::write(own.join("lines.md"), "H alpha 656.28 nm\n").unwrap();

    let skills = app.get("/api/skills").await.1;
    let items = skills["items"].as_array().unwrap();
    let names: Vec<&str> = items.iter().map(|skill| skill["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["bibtex-check", "close-reading", "compare-measurements", "literature-review", "spectra", "target-dossier"]
    );
    assert_eq!((&items[4]["source"], &items[4]["mode"]), (&json!("user"), &json!("inline")));
    assert_eq!((&items[5]["source"], &items[5]["problems"]), (&json!("shipped"), &json!([])));

    let session = app.session().await;
    let events = app.run(&session, "Tell me about TRAPPIST-1").await;
    let results = in_order_of_calls(&events);
    let output = |n: usize| results[n]["output"].as_str().unwrap();
    assert_eq!(results[0]["metadata"]["skill"], "target-dossier");
    assert!(output(0).contains("query_target") && output(0).contains("TRAPPIST-1"), "{}", output(0));
    assert!(!output(0).contains("persisted-output"), "a skill reaches the model whole");
    assert!(output(1).ends_with("The lines: lines.md\n\nArguments: HD 209458"), "{}", output(1));
    assert!(output(2).contains("name: target-dossier"), "{}", output(2));
    assert!(output(3).contains("656.28"), "{}", output(3));
    assert_eq!(results[4]["is_error"], true);
    assert!(output(5).contains("`target-dossier`"), "{}", output(5));
    app.model.assert_clean();
}

#[tokio::test]
async fn every_request_begins_with_the_one_before_it() {
    let search = |query: &str| json!({ "query": query });
    let script = Script::of([
        Reply::new().text("first").call("todo_write", json!({ "todos": [] })),
        Reply::new().text("one"),
        Reply::new().call("search_history", search("a")),
        Reply::new().call("search_history", search("b")),
        Reply::new().text("two"),
        Reply::new().text("three"),
    ]);
    let app = App::start(script).await;
    let session = app.session().await;
    app.run(&session, "go").await;
    // What changes meanwhile is not for this session.
    let own = app.folder().join("skills/later");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("SKILL.md"), "---\nname: later\ndescription: Comes later.\n---\nx").unwrap();
    app.run(&session, "and on").await;
    let app = app.restart().await;
    app.run(&session, "and after a restart").await;

    let requests = app.model.requests();
    assert_eq!(requests.len(), 6);
    let list = |request: &Value, field: &str| -> Vec<String> {
        request[field].as_array().unwrap().iter().map(Value::to_string).collect()
    };
    for pair in requests.windows(2) {
        for field in ["messages", "tools"] {
            let (before, after) = (list(&pair[0], field), list(&pair[1], field));
            assert!(after.starts_with(&before), "{field} of a request that does not go on from the one before");
        }
    }
    let tools: Vec<usize> = requests.iter().map(|request| request["tools"].as_array().unwrap().len()).collect();
    assert!(tools[3] == tools[2] + 1 && tools[5] == tools[3], "the load is appended and stays: {tools:?}");
    let system = requests[0]["messages"][0]["content"].as_str().unwrap();
    assert!(system.contains("literature-review") && system.contains("search_history — "), "{system}");
}
