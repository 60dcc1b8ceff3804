//! The ten tools, each called by a model and answered over HTTP.

use crate::app::{finished, of_kind};
use crate::model_server::{Reply, Script};
use crate::{demo_model, desk};
use serde_json::{Value, json};

#[tokio::test]
async fn the_demo_question_is_answered_with_its_sources() {
    let (app, upstreams) = desk(demo_model::script()).await;
    let session = app.session().await;
    let events = app.run(&session, demo_model::QUESTION).await;
    assert_eq!(finished(&events)["status"], "completed");
    let results = of_kind(&events, "tool_result");
    for result in &results {
        assert_eq!(result["is_error"], false, "{result}");
    }
    let called: Vec<&str> = results.iter().map(|result| result["name"].as_str().unwrap()).collect();
    for tool in ["query_target", "search_papers", "get_paper_metadata", "file_write", "file_edit", "todo_write"] {
        assert!(called.contains(&tool), "{tool} in {called:?}");
    }
    let search = results.iter().find(|result| result["name"] == "search_papers").unwrap();
    let sources: Vec<&Value> = search["metadata"]["sources"].as_array().unwrap().iter().map(|s| &s["status"]).collect();
    assert_eq!(sources, ["ok", "ok"]);
    let target = results.iter().find(|result| result["name"] == "query_target").unwrap();
    assert_eq!(target["metadata"]["status"], "found");
    assert!((target["metadata"]["ra_deg"].as_f64().unwrap() - 346.6223).abs() < 1e-3);
    let messages = app.messages(&session).await;
    let answer = messages.last().unwrap()["content"].as_str().unwrap();
    assert!(answer.contains("2023Natur.618...39G") && answer.contains("$T_"));
    // Every link of the answer was in what the tools said.
    let said: String = results.iter().map(|result| result["output"].as_str().unwrap()).collect();
    for link in answer.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        assert!(said.contains(link), "{link} was invented");
    }
    let user_folder = std::fs::read_dir(app.folder().join("workspace")).unwrap().next().unwrap().unwrap().path();
    let notes = std::fs::read_to_string(user_folder.join("notes/trappist-1b.md")).unwrap();
    assert!(notes.contains("Greene") && notes.contains("temperature inversion") | notes.contains("inversion survives"));
    assert!(upstreams.requests().iter().all(|request| request.user_agent.starts_with("Almagest/")));
    app.model.assert_clean();
}

#[tokio::test]
async fn the_file_tools_and_the_history_work_together() {
    let script = Script::of([
        Reply::new().call("file_write", json!({ "path": "notes/a.md", "content": "alpha\nbeta\ngamma\n" })),
        Reply::new()
            .call("read_file", json!({ "path": "notes/a.md" }))
            .call("grep_files", json!({ "pattern": "^b.ta" }))
            .call("glob_files", json!({ "pattern": "**/*.md" }))
            .call("search_history", json!({ "query": "flux capacitor", "session_only": true })),
        Reply::new().call("file_edit", json!({ "path": "notes/a.md", "old_string": "beta", "new_string": "delta" })),
        Reply::new()
            .call("read_file", json!({ "path": "notes/a.md" }))
            .call("read_file", json!({ "path": "../../almagest.db" }))
            .call("file_write", json!({ "path": "/etc/almagest-was-here", "content": "x" })),
        Reply::new().text("done"),
    ]);
    let (app, _upstreams) = desk(script).await;
    let session = app.session().await;
    let events = app.run(&session, "where is the flux capacitor?").await;
    assert_eq!(finished(&events)["status"], "completed");
    let results = of_kind(&events, "tool_result");
    let text = |index: usize| results[index]["output"].as_str().unwrap();
    let named = |name: &str| *results.iter().find(|result| result["name"] == name).unwrap();
    assert!(named("read_file")["output"].as_str().unwrap().contains("beta"));
    assert!(named("grep_files")["output"].as_str().unwrap().contains("notes/a.md"));
    assert!(named("glob_files")["output"].as_str().unwrap().contains("notes/a.md"));
    assert!(named("search_history")["output"].as_str().unwrap().contains("flux capacitor"));
    assert!(results[..6].iter().all(|result| result["is_error"] == false), "{results:#?}");
    assert!(text(5).contains("delta") || text(6).contains("delta"), "{results:#?}");
    let refused: Vec<&&Value> = results.iter().filter(|result| result["is_error"] == true).collect();
    assert_eq!(refused.len(), 2, "{results:#?}");
    assert!(!std::path::Path::new("/etc/almagest-was-here").exists());
    app.model.assert_clean();
}

#[tokio::test]
async fn a_persisted_output_can_be_read_page_by_page() {
    let long: String = (0..4_000).map(|n| format!("line {n} of the long file {}\n", "x".repeat(150))).collect();
    let script = Script::by(move |request| {
        let results = crate::model_server::tool_results(request);
        let (name, text) = results.first().copied().unwrap_or_default();
        match name {
            "" => Reply::new().call("file_write", json!({ "path": "long.txt", "content": long })),
            "file_write" => Reply::new().call("grep_files", json!({ "pattern": "line \\d+ of", "max_results": 2000 })),
            "grep_files" => {
                let path = text.split("path=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("missing");
                Reply::new().call("read_file", json!({ "path": path, "offset": 500, "limit": 3 }))
            }
            _ => Reply::new().text("done"),
        }
    });
    let (app, _upstreams) = desk(script).await;
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    let results = of_kind(&events, "tool_result");
    let last = results.last().unwrap();
    assert_eq!((&last["name"], &last["is_error"]), (&json!("read_file"), &json!(false)), "{last}");
    assert!(last["output"].as_str().unwrap().contains("of the long file"), "{last}");
}
