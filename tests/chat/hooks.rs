//! Hooks, the audit log and the metrics over HTTP.

use crate::app::{App, USER};
use crate::model_server::Script;
use almagest::agent::hooks::FILE;
use almagest::config::Config;
use almagest::ids::UserId;
use almagest::server::{Server, StartError};
use almagest::store::Store;
use almagest::store::accounts::{Admission, User, UserRole};
use almagest::time::Timestamp;
use almagest::web::auth::password;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::collections::BTreeMap;

async fn other_user(app: &App) -> String {
    let store = Store::open(&app.folder().join("almagest.db")).await.unwrap();
    let user = User {
        id: UserId::new(),
        username: "grace".into(),
        password_hash: password::hash("another password".into()).await.unwrap(),
        role: UserRole::User,
        created_at: Timestamp::now(),
    };
    store.add_user(user, Admission::Always).await.unwrap();
    store.close().await;
    app.login("grace", "another password").await
}

fn guard(command: &str) -> Value {
    json!({ "hooks": { "PreToolUse": [{ "matcher": "file_write|file_edit", "hooks": [
        { "type": "command", "command": command, "timeout": 5, "on_error": "deny", "name": "guard" }] }],
        "TaskCreated": [] } })
}

#[tokio::test]
async fn an_administrator_changes_hooks_and_tries_them_out() {
    let app = App::start(Script::of([])).await;
    let command = "grep -q secrets && { echo 'not there' >&2; exit 2; }; exit 0";
    let (status, list) = app.send(Method::PUT, "/api/hooks", guard(command)).await;
    assert_eq!(status, StatusCode::OK, "{list}");
    assert_eq!(list, app.get("/api/hooks").await.1);
    let names: Vec<&str> =
        list["items"].as_array().unwrap().iter().map(|hook| hook["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["audit", "metrics", "guard"]);
    let hook = &list["items"][2];
    let told =
        json!([hook["source"], hook["event"], hook["matcher"], hook["command"], hook["timeout"], hook["on_error"]]);
    assert_eq!(told, json!(["command", "PreToolUse", "file_write|file_edit", command, 5.0, "deny"]));
    assert_eq!(list["document"], guard(command));
    assert_eq!(list["ignored_events"], json!(["TaskCreated"]));
    assert_eq!(list["events"].as_array().unwrap().len(), 13);
    let file: Value = serde_json::from_slice(&std::fs::read(app.folder().join(FILE)).unwrap()).unwrap();
    assert_eq!(file, guard(command));

    let payload = json!({ "tool_name": "file_write", "tool_input": { "path": "secrets/key" } });
    let tried = app.post("/api/hooks/dry-run", json!({ "event": "PreToolUse", "payload": payload })).await;
    let result = &tried["items"][0];
    let told = json!([result["name"], result["decision"], result["detail"], result["exit_code"], result["stderr"]]);
    assert_eq!(told, json!(["guard", "block", "not there", 2, "not there\n"]));
    assert!(result["ms"].is_u64());
    let elsewhere = json!({ "event": "PreToolUse", "payload": { "tool_name": "read_file" } });
    assert_eq!(app.post("/api/hooks/dry-run", elsewhere).await["items"], json!([]));
    let unknown = json!({ "event": "Stop", "hook": "guard" });
    assert_eq!(app.send(Method::POST, "/api/hooks/dry-run", unknown).await.0, StatusCode::NOT_FOUND);

    // A hook is still there after a restart.
    let app = app.restart().await;
    assert_eq!(app.get("/api/hooks").await.1["items"][2]["name"], "guard");
}

#[tokio::test]
async fn a_document_that_is_not_valid_changes_nothing() {
    let app = App::start(Script::of([])).await;
    app.send(Method::PUT, "/api/hooks", guard("true")).await;
    let mut wrong = guard("true");
    wrong["hooks"]["PreToolUse"][0]["matcher"] = json!("(");
    let (status, problem) = app.send(Method::PUT, "/api/hooks", wrong).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(problem["detail"].as_str().unwrap().contains("no regular expression"), "{problem}");
    assert_eq!(app.get("/api/hooks").await.1["document"], guard("true"));
    let log = app.get("/api/audit").await.1;
    let changes: Vec<&Value> =
        log["items"].as_array().unwrap().iter().filter(|row| row["event"] == "HooksChanged").collect();
    assert_eq!(changes.len(), 1, "{log}");
}

#[tokio::test]
async fn a_hooks_file_that_is_not_understood_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(FILE), "{\"hooks\": {\n\"PreToolUse\": 3}}").unwrap();
    let settings = BTreeMap::from([
        ("ALMAGEST_ADDR".to_owned(), "127.0.0.1:0".to_owned()),
        ("ALMAGEST_DATA_DIR".to_owned(), folder.path().to_str().unwrap().to_owned()),
    ]);
    let error = Server::start(Config::from_sources(settings, BTreeMap::new()).unwrap()).await.err().unwrap();
    assert!(matches!(error, StartError::Hooks(_)));
    assert!(error.to_string().starts_with("hooks.json, line 2: "), "{error}");
}

#[tokio::test]
async fn hooks_are_for_administrators_and_the_log_is_ones_own() {
    let app = App::start(Script::of([])).await;
    let grace = other_user(&app).await;
    for (method, path) in
        [(Method::GET, "/api/hooks"), (Method::PUT, "/api/hooks"), (Method::GET, "/metrics?as=proxied")]
    {
        let request = app.bare(method.clone(), path).header("cookie", &grace).header("x-forwarded-for", "192.0.2.1");
        let body = request.header("content-type", "application/json").body("{\"event\": \"Stop\"}");
        assert_eq!(body.send().await.unwrap().status(), StatusCode::FORBIDDEN, "{method} {path}");
    }
    app.send(Method::PUT, "/api/hooks", guard("true")).await;
    assert_eq!(app.get("/api/audit").await.1["items"].as_array().unwrap().len(), 1);
    assert_eq!(app.as_other(&grace, Method::GET, "/api/audit").await.1, json!({ "items": [], "next_cursor": null }));
    assert_eq!(app.bare(Method::GET, "/api/audit").send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn the_log_is_read_in_pages() {
    let app = App::start(Script::of([])).await;
    for _ in 0..3 {
        app.send(Method::PUT, "/api/hooks", guard("true")).await;
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let (status, page) = app.get(&format!("/api/audit?limit=2{cursor}")).await;
        assert_eq!(status, StatusCode::OK, "{page}");
        seen.extend(page["items"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    let mut sorted = seen.clone();
    sorted.sort_by(|a, b| b.cmp(a));
    sorted.dedup();
    assert_eq!((seen.len(), &seen), (3, &sorted), "each once, the newest first");
    assert_eq!(app.get("/api/audit?tool=read_file").await.1["items"], json!([]));
}

#[tokio::test]
async fn metrics_are_json_and_prometheus_text_for_this_machine() {
    let app = App::start(Script::of([])).await;
    let (status, data) = app.get("/api/metrics").await;
    assert_eq!(status, StatusCode::OK);
    assert!(data["counters"].as_array().unwrap().iter().any(|c| c["name"] == "almagest_audit_rows_dropped_total"));
    assert_eq!(app.bare(Method::GET, "/api/metrics").send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
    let local = app.bare(Method::GET, "/metrics").send().await.unwrap();
    assert_eq!(local.status(), StatusCode::OK);
    assert!(local.headers()["content-type"].to_str().unwrap().starts_with("text/plain; version=0.0.4"));
    assert!(local.text().await.unwrap().contains("# TYPE almagest_tool_calls_total counter\n"));
    // Behind a proxy everybody has a loopback address.
    let proxied = app.bare(Method::GET, "/metrics").header("x-forwarded-for", "192.0.2.1").send().await.unwrap();
    assert_eq!(proxied.status(), StatusCode::FORBIDDEN);
    let admin = app.request(Method::GET, "/metrics").header("x-forwarded-for", "192.0.2.1").send().await.unwrap();
    assert_eq!(admin.status(), StatusCode::OK, "{USER} is an administrator");
}
