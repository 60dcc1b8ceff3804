//! Permission rules through the API, and answers that are remembered.

use crate::app::{App, finished, of_kind};
use crate::model_server::{Reply, Script};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

fn writes(path: &str) -> Reply {
    Reply::new().call("file_write", json!({ "path": path, "content": "x\n" }))
}

#[tokio::test]
async fn rules_are_made_tried_changed_and_deleted() {
    let app = App::start(Script::of([])).await;
    let rule = json!({ "effect": "deny", "rule": "file_write(secret/**)" });
    let (status, made) = app.send(Method::POST, "/api/permissions", rule).await;
    assert_eq!((status, &made["scope"]), (StatusCode::CREATED, &json!("everyone")));
    let check = |path: &str| json!({ "tool": "file_write", "arguments": { "path": path, "content": "" } });
    let refused = app.post("/api/permissions/check", check("secret/a.md")).await;
    assert_eq!((&refused["verdict"], &refused["rule"]), (&json!("deny"), &json!("file_write(secret/**)")));
    assert_eq!(app.post("/api/permissions/check", check("open/a.md")).await["verdict"], "allow");

    let path = format!("/api/permissions/{}", made["id"].as_str().unwrap());
    let (_, changed) = app.send(Method::PATCH, &path, json!({ "effect": "ask", "rule": "file_write" })).await;
    assert_eq!(changed["effect"], "ask");
    assert_eq!(app.post("/api/permissions/check", check("open/a.md")).await["verdict"], "ask");
    let (status, problem) =
        app.send(Method::POST, "/api/permissions", json!({ "effect": "deny", "rule": "Bash(rm" })).await;
    assert_eq!((status, &problem["errors"][0]["pointer"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!("/rule")));
    let (status, _) = app.send(Method::DELETE, &path, Value::Null).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    assert_eq!(app.get("/api/permissions").await.1["items"], json!([]));
}

#[tokio::test]
async fn a_denial_reaches_the_model_and_nothing_is_written() {
    let app = App::start(Script::of([writes("secret/a.md"), Reply::new().text("I may not.")])).await;
    app.post("/api/permissions", json!({ "effect": "deny", "rule": "file_write(secret/**)" })).await;
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    let result = of_kind(&events, "tool_result")[0];
    assert!(result["output"].as_str().unwrap().contains("refused by the rule `file_write(secret/**)`"), "{result}");
    assert_eq!((&result["is_error"], &finished(&events)["status"]), (&json!(true), &json!("completed")));
    app.model.assert_clean();
}

#[tokio::test]
async fn an_answer_for_the_session_is_remembered_in_it_alone() {
    let replies = [writes("a.md"), writes("b.md"), Reply::new().text("done"), writes("c.md"), Reply::new().text("no")];
    let app = App::start(Script::of(replies)).await;
    let ask = json!({ "message": "go", "permission_mode": "ask" });
    let session = app.session().await;
    let path = format!("/api/sessions/{session}");
    let after = app.post(&format!("{path}/runs"), ask.clone()).await["seq"].as_i64().unwrap();
    let events = app.until(&format!("{path}/events?after={after}"), |event| event.kind == "question").await;
    let question = of_kind(&events, "question")[0]["question"].clone();
    assert_eq!(question["suggestion"], "file_write");
    let answer = |question: &Value| format!("/api/questions/{}/answer", question["id"].as_str().unwrap());
    app.post(&answer(&question), json!({ "decision": "session" })).await;
    let events = app.events(&session, after).await;
    assert_eq!(of_kind(&events, "question").len(), 1, "the second write does not ask");
    assert_eq!(of_kind(&events, "tool_result").iter().filter(|r| r["is_error"] == false).count(), 2);
    assert_eq!(app.get("/api/permissions").await.1["items"][0]["scope"], "session");

    let other = app.session().await;
    let path = format!("/api/sessions/{other}");
    let after = app.post(&format!("{path}/runs"), ask).await["seq"].as_i64().unwrap();
    let events = app.until(&format!("{path}/events?after={after}"), |event| event.kind == "question").await;
    app.post(&answer(&of_kind(&events, "question")[0]["question"]), json!({ "decision": "deny" })).await;
    assert_eq!(finished(&app.events(&other, after).await)["status"], "completed");
}
