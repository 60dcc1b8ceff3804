//! Stopping and queueing at every point of a run.

use crate::app::{App, finished, of_kind};
use crate::model_server::{Reply, Script, last_user_text};
use crate::tools::registry;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

async fn stop(app: &App, accepted: &Value) {
    let path = format!("/api/runs/{}/cancel", accepted["run_id"].as_str().unwrap());
    for _ in 0..2 {
        let (status, _) = app.send(Method::POST, &path, json!({})).await;
        assert_eq!(status, StatusCode::ACCEPTED);
    }
}

#[tokio::test]
async fn a_stop_in_the_stream_keeps_the_text_and_closes_the_connection() {
    let script =
        Script::of([Reply::new().text("the first half").gate("never").text(" never"), Reply::new().text("next")]);
    let app = App::start(script).await;
    let session = app.session().await;
    let accepted = app.ask(&session, "go").await;
    app.until(&format!("/api/sessions/{session}/events?after=0"), |e| e.kind == "text_delta").await;
    stop(&app, &accepted).await;
    let events = app.events(&session, 0).await;
    assert_eq!(finished(&events)["status"], "stopped");
    app.model.abandoned(1).await;
    let messages = app.messages(&session).await;
    assert_eq!(messages[1]["content"], "the first half");
    assert_eq!(messages[1]["metadata"]["cut_off"], "Stopped by the user.");
    assert_eq!(finished(&app.run(&session, "and now?").await)["status"], "completed");
    app.model.assert_clean();
}

#[tokio::test]
async fn a_stop_ends_a_safe_tool_at_once_and_a_writing_one_in_order() {
    for (tool, result) in [("waits_safely", "Stopped by the user"), ("waits_writing", "ended in order")] {
        let script = Script::of([
            Reply::new().text("working").call(tool, json!({})).call("todo_write", json!({ "todos": [] })),
            Reply::new().text("next"),
        ]);
        let app = App::with_tools(script, registry).await;
        let session = app.session().await;
        let accepted = app.ask(&session, "go").await;
        app.until("/api/events?after=0", |e| e.kind == "tool_progress").await;
        stop(&app, &accepted).await;
        let events = app.events(&session, 0).await;
        assert_eq!(finished(&events)["status"], "stopped", "{tool}");
        let results = of_kind(&events, "tool_result");
        let stopped = results.iter().find(|r| r["name"] == tool).unwrap();
        assert!(stopped["output"].as_str().unwrap().contains(result), "{tool}: {results:?}");
        assert_eq!(results.len(), 2, "{tool}: every call has a result");
        assert_eq!(finished(&app.run(&session, "and now?").await)["status"], "completed", "{tool}");
        app.model.assert_clean();
    }
}

#[tokio::test]
async fn a_message_sent_meanwhile_waits_can_be_changed_and_joins_the_run() {
    let script = Script::of([
        Reply::new().text("a").gate("go").call("search_history", json!({ "query": "x" })),
        Reply::new().text("b"),
    ]);
    let app = App::start(script).await;
    let session = app.session().await;
    let first = app.ask(&session, "first").await;
    app.model.reached("go").await;
    let second = app.ask(&session, "second").await;
    assert_eq!((&second["queued"], &second["run_id"]), (&json!(true), &first["run_id"]));
    let third = app.ask(&session, "third").await;
    let queue = |message: &Value| format!("/api/sessions/{session}/queue/{}", message["message_id"].as_str().unwrap());
    let (status, edited) = app.send(Method::PATCH, &queue(&second), json!({ "message": "second, better" })).await;
    assert_eq!((status, &edited["content"]), (StatusCode::OK, &json!("second, better")));
    let (status, _) = app.send(Method::DELETE, &queue(&third), json!({})).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    app.model.open("go");
    let events = app.events(&session, 0).await;
    assert_eq!(of_kind(&events, "run_started").len(), 1);
    let requests = app.model.requests();
    assert!(last_user_text(&requests[1]).contains("second, better"));
    assert!(!requests[1].to_string().contains("third"));
    let (status, problem) = app.send(Method::PATCH, &queue(&second), json!({ "message": "too late" })).await;
    assert_eq!((status, &problem["code"]), (StatusCode::CONFLICT, &json!("conflict")));
    let (status, _) = app.send(Method::DELETE, &queue(&third), json!({})).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    app.model.assert_clean();
}

#[tokio::test]
async fn a_message_that_comes_too_late_for_a_run_begins_the_next() {
    let script = Script::of([Reply::new().text("a").gate("go").text("b"), Reply::new().text("second answer")]);
    let app = App::start(script).await;
    let session = app.session().await;
    let first = app.ask(&session, "first").await;
    app.model.reached("go").await;
    app.ask(&session, "second").await;
    app.model.open("go");
    let events = app.events(&session, 0).await;
    let started = of_kind(&events, "run_started");
    assert_eq!(started.len(), 2);
    assert_ne!(started[1]["run_id"], first["run_id"]);
    let ends = of_kind(&events, "run_finished");
    assert!(ends.iter().all(|end| end["status"] == "completed"), "{ends:?}");
    let texts: Vec<Value> = app.messages(&session).await.into_iter().map(|m| m["content"].clone()).collect();
    assert_eq!(texts, ["first", "ab", "second", "second answer"]);
    app.model.assert_clean();
}

#[tokio::test]
async fn deleting_a_session_stops_its_run_first() {
    let script = Script::of([Reply::new().text("a").gate("never")]);
    let app = App::start(script).await;
    let session = app.session().await;
    app.ask(&session, "go").await;
    app.model.reached("never").await;
    let (status, _) = app.send(Method::DELETE, &format!("/api/sessions/{session}"), json!({})).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    app.model.abandoned(1).await;
    assert_eq!(app.get(&format!("/api/sessions/{session}/messages")).await.0, StatusCode::NOT_FOUND);
    assert_eq!(app.get("/api/search/history?q=go").await.1["items"], json!([]));
}
