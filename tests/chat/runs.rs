//! Runs from the question to the answer, with every way a call can go wrong.

use crate::app::{App, finished, of_kind};
use crate::model_server::{Reply, Script, tool_results};
use crate::tools::registry;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

#[tokio::test]
async fn a_question_is_answered_and_everything_is_kept() {
    let script = Script::of([
        Reply::new()
            .thinking("Plan first.")
            .text("Let me plan.")
            .call("todo_write", json!({ "todos": [{ "id": "1", "content": "search", "status": "in_progress" }] }))
            .usage(100, 20, 50),
        Reply::new().text("The answer is $x^2$.").usage(200, 10, 100),
    ]);
    let app = App::start(script).await;
    let session = app.session().await;
    let events = app.run(&session, "What is the answer?\nSecond line").await;
    let kinds: Vec<&str> = events.iter().map(|e| e.kind.as_str()).filter(|k| *k != "heartbeat").collect();
    assert_eq!(kinds[..3], ["run_started", "message", "session_updated"]);
    assert_eq!(kinds[kinds.len() - 2..], ["run_finished", "session_updated"]);
    // A call may be done before the answer that makes it has ended, and how many rows a text makes is the machine's
    // affair; what is certain is what follows what.
    let place = |kind: &str| kinds.iter().position(|k| *k == kind).unwrap();
    for pair in
        ["thinking_delta text_delta", "text_delta tool_call", "tool_call todo_updated", "todo_updated tool_result"]
    {
        let (before, after) = pair.split_once(' ').unwrap();
        assert!(place(before) < place(after), "{pair}: {kinds:?}");
    }
    for (kind, count) in [("message", 3), ("usage", 2), ("tool_call", 1), ("tool_result", 1)] {
        assert_eq!(of_kind(&events, kind).len(), count, "{kind}: {kinds:?}");
    }
    assert_eq!(finished(&events)["status"], "completed");
    let call = of_kind(&events, "tool_call")[0];
    let result = of_kind(&events, "tool_result")[0];
    assert_eq!(call["id"], result["tool_call_id"]);
    assert_eq!((&call["step"], &result["is_error"]), (&json!(1), &json!(false)));
    assert!(events.iter().filter(|e| e.id.is_some()).all(|e| e.data["session_id"] == session.as_str()));

    let messages = app.messages(&session).await;
    let roles: Vec<&str> = messages.iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant"]);
    assert_eq!(messages[1]["thinking"], "Plan first.");
    assert_eq!(messages[3]["content"], "The answer is $x^2$.");
    assert_eq!(messages[3]["model"], "scripted");

    let (_, after) = app.get(&format!("/api/sessions/{session}")).await;
    assert_eq!(after["title"], "What is the answer?");
    assert_eq!(after["usage"]["input_tokens"], 300);
    assert_eq!(after["active_run_id"], Value::Null);
    let (_, run) = app.get(&format!("/api/runs/{}", finished(&events)["run_id"].as_str().unwrap())).await;
    assert_eq!((&run["status"], &run["steps"]), (&json!("completed"), &json!(2)));

    let app = app.restart().await;
    assert_eq!(app.messages(&session).await, messages);
    let (_, found) = app.get("/api/search/history?q=answ").await;
    assert_eq!(found["items"].as_array().unwrap().len(), 3, "{found}");
    app.model.assert_clean();
}

#[tokio::test]
async fn a_client_id_makes_a_repeat_harmless() {
    let app = App::start(Script::of([Reply::new().text("once")])).await;
    let session = app.session().await;
    let path = format!("/api/sessions/{session}/runs");
    let body = json!({ "message": "q", "client_message_id": "abc" });
    let first = app.post(&path, body.clone()).await;
    app.events(&session, first["seq"].as_i64().unwrap()).await;
    let again = app.post(&path, body).await;
    assert_eq!(again, first);
    assert_eq!(app.messages(&session).await.len(), 2);
    assert_eq!(app.model.requests().len(), 1);
}

#[tokio::test]
async fn broken_calls_are_answered_with_what_is_wrong() {
    let script = Script::of([
        Reply::new()
            .raw_call("", "todo_write", "{\"todos\": [")
            .raw_call("same", "todo_write", "{\"todos\": 3}")
            .raw_call("same", "no_such_tool", "{}")
            .raw_call("", "search_history", "\"{\\\"query\\\": \\\"x\\\"}\""),
        Reply::new().text("done"),
    ]);
    let app = App::start(script).await;
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    assert_eq!(finished(&events)["status"], "completed");
    let outputs: Vec<&str> = of_kind(&events, "tool_result").iter().map(|r| r["output"].as_str().unwrap()).collect();
    assert!(outputs[0].contains("line 1 column"), "{outputs:?}");
    assert!(outputs[1].contains("/todos"), "{outputs:?}");
    assert!(outputs[2].contains("no tool `no_such_tool`"), "{outputs:?}");
    assert!(outputs[3].contains("Nothing in the history"), "{outputs:?}");
    let ids: std::collections::HashSet<String> =
        of_kind(&events, "tool_call").iter().map(|c| c["id"].to_string()).collect();
    assert_eq!(ids.len(), 4);
    app.model.assert_clean();
}

#[tokio::test]
async fn a_tool_that_fails_panics_or_hangs_is_an_error_result() {
    let call = |how: &str| Reply::new().call("fails", json!({ "how": how }));
    let script = Script::of([call("tell"), call("panic"), call("slow"), Reply::new().text("done")]);
    let app = App::with_tools(script, registry).await;
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    assert_eq!(finished(&events)["status"], "completed");
    let results = of_kind(&events, "tool_result");
    let texts: Vec<&str> = results.iter().map(|r| r["output"].as_str().unwrap()).collect();
    assert_eq!(texts[0], "it did not work");
    assert!(texts[1].contains("defect"), "{texts:?}");
    assert!(texts[2].contains("Timed out"), "{texts:?}");
    app.model.assert_clean();
}

#[tokio::test]
async fn a_long_output_is_kept_and_read_page_by_page() {
    let script = Script::by(|request| {
        let results = tool_results(request);
        let Some((name, text)) = results.first() else {
            return Reply::new().call("fails", json!({ "how": "long" }));
        };
        match text.split("path=\"").nth(1).and_then(|rest| rest.split('"').next()) {
            Some(path) if *name == "fails" => {
                Reply::new().call("read_file", json!({ "path": path, "offset": 1_001, "limit": 2 }))
            }
            _ => Reply::new().text("done"),
        }
    });
    let app = App::with_tools(script, registry).await;
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    let results = of_kind(&events, "tool_result");
    let stub = results[0]["output"].as_str().unwrap();
    assert!(stub.len() < 6_000 && stub.contains("line 0 of many") && stub.contains("line 1999 of many"), "{stub}");
    let page = results[1]["output"].as_str().unwrap();
    assert!(page.contains("line 1000 of many") && page.contains("line 1001 of many"), "{page}");
    assert!(!page.contains("line 999 of many"), "{page}");
    app.model.assert_clean();
}

#[tokio::test]
async fn a_fatal_tool_ends_the_run_and_the_next_question_works() {
    let script = Script::of([Reply::new().call("fails", json!({ "how": "fatal" })), Reply::new().text("I am back")]);
    let app = App::with_tools(script, registry).await;
    let session = app.session().await;
    let end = app.run(&session, "go").await;
    assert_eq!((&finished(&end)["status"], &finished(&end)["detail"]), (&json!("failed"), &json!("the disk is gone")));
    assert_eq!(finished(&app.run(&session, "again").await)["status"], "completed");
    assert!(app.model.requests()[1].to_string().contains("the disk is gone"));
    app.model.assert_clean();
}

#[tokio::test]
async fn a_repeating_model_is_nudged_and_then_stopped() {
    let script = Script::by(|_| Reply::new().call("search_history", json!({ "query": "zzz" })));
    let app = App::start(script).await;
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    let end = finished(&events);
    assert_eq!((&end["status"], &end["reason"]), (&json!("stopped"), &json!("loop_guard")));
    let results = of_kind(&events, "tool_result");
    assert_eq!(results.len(), 5);
    assert!(results[2]["output"].as_str().unwrap().contains("same result 3 times"));
}

#[tokio::test]
async fn the_limit_of_steps_holds() {
    let mut n = 0;
    let script = Script::by(move |_| {
        n += 1;
        Reply::new().call("search_history", json!({ "query": format!("zzz{n}") }))
    });
    let app = App::start(script).await;
    let session = app.session().await;
    let body = json!({ "message": "go", "max_steps": 2 });
    let accepted = app.post(&format!("/api/sessions/{session}/runs"), body).await;
    let events = app.events(&session, accepted["seq"].as_i64().unwrap()).await;
    assert_eq!(finished(&events)["reason"], "max_steps");
    assert_eq!(of_kind(&events, "tool_result").len(), 2);
}

#[tokio::test]
async fn a_model_that_fails_says_so_and_loses_nothing() {
    let script = Script::of([
        Reply::error(401, "invalid_api_key", "no"),
        Reply::new().text("half an answer").overload_in_stream(),
        Reply::new().text("whole answer"),
    ]);
    let app = App::start(script).await;
    let session = app.session().await;
    let failed = app.run(&session, "one").await;
    let end = finished(&failed);
    assert_eq!(end["status"], "failed");
    assert!(end["detail"].as_str().unwrap().contains("LLM_API_KEY"), "{end}");
    let events = app.run(&session, "two").await;
    assert_eq!(finished(&events)["status"], "completed");
    let retry = of_kind(&events, "retrying")[0];
    let from = retry["discard_from"].as_i64();
    let void: Vec<_> = events.iter().filter(|e| e.kind == "text_delta" && e.id >= from && e.id.is_some()).collect();
    assert!(from.is_none() || !void.is_empty());
    let messages = app.messages(&session).await;
    assert_eq!(messages.last().unwrap()["content"], "whole answer");
    assert!(!messages.iter().any(|m| m["content"] == "half an answer"));
}

#[tokio::test]
async fn without_a_model_everything_but_asking_works() {
    let app = App::with(Script::of([]), &[("LLM_BASE_URL", ""), ("LLM_MODEL", "")]).await;
    let session = app.session().await;
    let path = format!("/api/sessions/{session}/runs");
    let (status, problem) = app.send(Method::POST, &path, json!({ "message": "q" })).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(problem["detail"].as_str().unwrap().contains("LLM_BASE_URL"));
    let (_, settings) = app.get("/api/settings").await;
    assert_eq!(settings["llm"]["configured"], false);
}

#[tokio::test]
async fn plan_mode_reads_only() {
    let script = Script::of([
        Reply::new()
            .call("file_write", json!({ "path": "notes.md", "content": "x" }))
            .call("search_history", json!({ "query": "x" })),
        Reply::new().text("done"),
    ]);
    let app = App::with_tools(script, registry).await;
    let session = app.session().await;
    let body = json!({ "message": "go", "permission_mode": "plan" });
    let accepted = app.post(&format!("/api/sessions/{session}/runs"), body).await;
    let events = app.events(&session, accepted["seq"].as_i64().unwrap()).await;
    let results = of_kind(&events, "tool_result");
    assert!(results[0]["output"].as_str().unwrap().contains("plan mode"), "{results:?}");
    assert_eq!(results[1]["is_error"], false);
}

#[tokio::test]
async fn a_call_is_done_before_the_answer_that_makes_it_has_ended() {
    let script = Script::of([
        Reply::new()
            .call("todo_write", json!({ "todos": [] }))
            .call("search_history", json!({ "query": "x" }))
            .gate("half")
            .text("and"),
        Reply::new().text("done"),
    ]);
    let app = App::start(script).await;
    let session = app.session().await;
    let after = app.ask(&session, "go").await["seq"].as_i64().unwrap();
    app.model.reached("half").await;
    // The first call is complete since the second has begun; the gate is still closed.
    let path = format!("/api/sessions/{session}/events?after={after}");
    let events = app.until(&path, |event| event.kind == "tool_result").await;
    assert_eq!(of_kind(&events, "tool_result")[0]["name"], "todo_write");
    assert_eq!(of_kind(&events, "message").len(), 1, "the answer has not ended: {events:?}");
    app.model.open("half");
    let events = app.events(&session, after).await;
    assert_eq!((of_kind(&events, "tool_result").len(), &finished(&events)["status"]), (2, &json!("completed")));
    app.model.assert_clean();
}

#[tokio::test]
async fn a_stream_that_breaks_keeps_what_was_complete_and_runs_nothing_twice() {
    let script = Script::of([
        Reply::new()
            .text("I look.")
            .call("todo_write", json!({ "todos": [] }))
            .call("search_history", json!({ "query": "x" }))
            .cut(),
        Reply::new().text("done"),
    ]);
    let app = App::start(script).await;
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    assert_eq!(finished(&events)["status"], "completed");
    let calls = of_kind(&events, "tool_call");
    assert_eq!((calls.len(), &calls[0]["name"]), (1, &json!("todo_write")), "the second call was not complete");
    assert_eq!(of_kind(&events, "tool_result").len(), 1);
    let answer = &app.messages(&session).await[1];
    assert!(answer["metadata"]["cut_off"].as_str().unwrap().contains("broke off"), "{answer}");
    app.model.assert_clean();
}
