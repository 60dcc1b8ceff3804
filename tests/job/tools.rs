//! The ten tools, each called by a model and answered over HTTP.

use crate::app::{finished, of_kind};
use crate::model_server::{Reply, Script};
use crate::{demo_model, desk};
use reqwest::{Method, StatusCode};
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
    let named = |name: &str| *results.iter().find(|result| result["name"] == name).unwrap();
    assert!(named("read_file")["output"].as_str().unwrap().contains("beta"));
    assert!(named("grep_files")["output"].as_str().unwrap().contains("notes/a.md"));
    assert!(named("glob_files")["output"].as_str().unwrap().contains("notes/a.md"));
    assert!(named("search_history")["output"].as_str().unwrap().contains("flux capacitor"));
    assert!(results[..6].iter().all(|result| result["is_error"] == false), "{results:#?}");
    // Two calls of one step may end in either order.
    assert!(results[6..].iter().any(|result| result["output"].as_str().unwrap().contains("delta")), "{results:#?}");
    let refused: Vec<&&Value> = results.iter().filter(|result| result["is_error"] == true).collect();
    assert_eq!(refused.len(), 2, "{results:#?}");
    assert!(!std::path::Path::new("/etc/almagest-was-here").exists());
    app.model.assert_clean();
}

#[tokio::test]
async fn the_same_services_answer_to_scripts() {
    let (app, _upstreams) = desk(Script::of([
        Reply::new().call("file_write", json!({ "path": "a.md", "content": "one\n" })),
        Reply::new().text("done"),
    ]))
    .await;
    let (status, found) = app.get("/api/papers/search?q=TRAPPIST-1%20b%20atmosphere&sources=ads&limit=3").await;
    assert_eq!(status, StatusCode::OK);
    let items = found["items"].as_array().unwrap();
    assert!(!items.is_empty() && items.len() <= 3, "{found}");
    assert_eq!(found["sources"].as_array().unwrap().len(), 1);
    for name in
        ["2023Natur.618...39G", "arXiv:2303.14849v1", "10.1038%2Fs41586-023-05951-7", items[0]["id"].as_str().unwrap()]
    {
        assert_eq!(app.get(&format!("/api/papers/{name}")).await.0, StatusCode::OK, "{name}");
    }
    assert_eq!(app.get("/api/papers/search?q=%22open").await.0, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(app.get("/api/papers/search?q=x&sources=google").await.0, StatusCode::UNPROCESSABLE_ENTITY);
    let (_, target) = app.get("/api/targets/resolve?name=TRAPPIST-1%20b").await;
    assert_eq!(target["status"], "found");

    let session = app.session().await;
    app.run(&session, "write").await;
    let (_, log) = app.get("/api/workspace/log").await;
    let entry = &log["items"][0];
    assert_eq!((&entry["files"], &entry["session_id"]), (&json!(["a.md"]), &json!(session)));
    let commit = entry["commit"].as_str().unwrap();
    let (_, diff) = app.get(&format!("/api/workspace/diff/{commit}")).await;
    assert!(diff["changes"][0]["diff"].as_str().unwrap().contains("+one"), "{diff}");
    let (status, _) = app.send(Method::POST, &format!("/api/workspace/revert/{commit}"), json!({})).await;
    assert_eq!(status, StatusCode::OK);
    let (status, _) = app.send(Method::POST, &format!("/api/workspace/revert/{commit}"), json!({})).await;
    assert_eq!(status, StatusCode::CONFLICT);
    assert_eq!(app.get(&format!("/api/workspace/diff/{}", "0".repeat(40))).await.0, StatusCode::NOT_FOUND);
}
