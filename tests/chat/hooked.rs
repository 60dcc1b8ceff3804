//! What command hooks do to a run.

use crate::app::{App, finished, of_kind};
use crate::model_server::{Reply, Script};
use reqwest::{Method, StatusCode};
use serde_json::json;

/// A product with these hooks: (event, matcher, command).
async fn with_hooks(script: Script, hooks: &[(&str, &str, &str)]) -> App {
    let app = App::start(script).await;
    let mut document = json!({ "hooks": {} });
    for (event, matcher, command) in hooks {
        let hook = json!({ "matcher": matcher, "hooks": [{ "type": "command", "command": command }] });
        document["hooks"][event] = json!([hook]);
    }
    let (status, answer) = app.send(Method::PUT, "/api/hooks", document).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    app
}

fn writes() -> Reply {
    Reply::new().call("file_write", json!({ "path": "a.md", "content": "from the model\n" }))
}

fn output(events: &[crate::app::Event]) -> &str {
    of_kind(events, "tool_result")[0]["output"].as_str().unwrap()
}

#[tokio::test]
async fn a_hook_blocks_a_call_and_the_model_reads_why() {
    let hooks = [("PreToolUse", "file_write", "echo 'no writing on Sundays' >&2; exit 2")];
    let app = with_hooks(Script::of([writes(), Reply::new().text("I could not.")]), &hooks).await;
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    assert!(output(&events).contains("no writing on Sundays"), "{}", output(&events));
    let hook = of_kind(&events, "hook")[0];
    assert_eq!((&hook["event"], &hook["decision"]), (&json!("PreToolUse"), &json!("block")));
    assert_eq!(finished(&events)["status"], "completed");
    let audit = app.get("/api/audit?tool=file_write").await.1;
    assert!(audit["items"].as_array().unwrap().iter().any(|row| row["decision"] == "refused"), "{audit}");
    app.model.assert_clean();
}

#[tokio::test]
async fn a_hook_changes_arguments_and_adds_to_the_result() {
    let change = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"path":"b.md","content":"from the hook"},"additionalContext":"b.md is better"}}'"#;
    let hooks = [("PreToolUse", "file_write", change)];
    let script =
        Script::of([writes(), Reply::new().call("read_file", json!({ "path": "b.md" })), Reply::new().text("ok")]);
    let app = with_hooks(script, &hooks).await;
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    let results = of_kind(&events, "tool_result");
    assert_eq!(results[0]["metadata"]["effective_arguments"]["path"], "b.md");
    assert!(output(&events).contains("b.md is better"), "{}", output(&events));
    assert!(results[1]["output"].as_str().unwrap().contains("from the hook"), "{}", results[1]);
    assert_eq!(of_kind(&events, "tool_call")[0]["arguments"]["path"], "a.md", "what the model wrote stays as it was");

    // Arguments that do not fit the schema refuse the call.
    let wrong = r#"echo '{"hookSpecificOutput":{"updatedInput":{"path":7}}}'"#;
    let hooks = [("PreToolUse", "file_write", wrong)];
    let app = with_hooks(Script::of([writes(), Reply::new().text("ok")]), &hooks).await;
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    assert!(output(&events).contains("A hook changed the arguments"), "{}", output(&events));
}

#[tokio::test]
async fn a_denial_stands_above_a_hook_and_a_hook_may_answer_a_question() {
    let allow = r#"echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'"#;
    let app = with_hooks(Script::of([writes(), Reply::new().text("no")]), &[("PreToolUse", "*", allow)]).await;
    app.post("/api/permissions", json!({ "effect": "deny", "rule": "file_write" })).await;
    let session = app.session().await;
    assert!(output(&app.run(&session, "go").await).contains("refused by the rule"));

    let answer =
        r#"echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'"#;
    let app = with_hooks(Script::of([writes(), Reply::new().text("yes")]), &[("PermissionRequest", "*", answer)]).await;
    let session = app.session().await;
    let body = json!({ "message": "go", "permission_mode": "ask" });
    let accepted = app.post(&format!("/api/sessions/{session}/runs"), body).await;
    let events = app.events(&session, accepted["seq"].as_i64().unwrap()).await;
    assert_eq!(
        (of_kind(&events, "question").len(), &of_kind(&events, "tool_result")[0]["is_error"]),
        (0, &json!(false))
    );
}

#[tokio::test]
async fn a_hook_refuses_a_message_and_another_adds_to_it() {
    let hooks = [
        ("UserPromptSubmit", "", "grep -q secret && { echo 'no secrets' >&2; exit 2; }; echo 'It is Tuesday.'"),
        ("SessionStart", "", "echo 'Use SI units.'"),
    ];
    let app = with_hooks(Script::of([Reply::new().text("hi"), Reply::new().text("again")]), &hooks).await;
    let session = app.session().await;
    let path = format!("/api/sessions/{session}/runs");
    let (status, problem) = app.send(Method::POST, &path, json!({ "message": "a secret" })).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(problem["detail"].as_str().unwrap().contains("no secrets"), "{problem}");
    app.run(&session, "hello").await;
    app.run(&session, "and").await;
    let requests = app.model.requests();
    let said =
        |request: usize, message: usize| requests[request]["messages"][message]["content"].as_str().unwrap().to_owned();
    assert!(said(0, 1).contains("It is Tuesday.") && said(0, 1).contains("Use SI units."), "{}", said(0, 1));
    assert_eq!(said(1, 1), said(0, 1), "the prefix stays");
    assert!(!said(1, 3).contains("SI units"), "a session starts once");
}

#[tokio::test]
async fn a_stop_hook_sends_the_run_back_eight_times_at_most() {
    let once = "grep -q '\"stop_hook_active\":true' || { echo 'run the tests' >&2; exit 2; }";
    let script = Script::of([Reply::new().text("done"), Reply::new().text("really done")]);
    let app = with_hooks(script, &[("Stop", "", once)]).await;
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    assert_eq!(finished(&events)["status"], "completed");
    let messages = app.messages(&session).await;
    assert!(messages[2]["content"].as_str().unwrap().contains("run the tests") && messages[2]["role"] == "user");

    let script = Script::by(|_| Reply::new().text("done"));
    let app = with_hooks(script, &[("Stop", "", "echo 'never' >&2; exit 2")]).await;
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    assert_eq!((&finished(&events)["status"], &finished(&events)["reason"]), (&json!("stopped"), &json!("stop_hook")));
    assert_eq!(app.model.requests().len(), 9);
    app.model.assert_clean();
}

#[tokio::test]
async fn a_session_that_only_starts_can_be_stopped_and_starts_again() {
    // The first time it hangs, the second time it answers.
    let hook = "if [ -e started ]; then echo 'Use SI units.'; else : > started; exec sleep 1000; fi";
    let app = with_hooks(Script::of([Reply::new().text("hi")]), &[("SessionStart", "", hook)]).await;
    let session = app.session().await;
    let accepted = app.ask(&session, "go").await;
    app.post(&format!("/api/runs/{}/cancel", accepted["run_id"].as_str().unwrap()), json!({})).await;
    let events = app.events(&session, accepted["seq"].as_i64().unwrap()).await;
    assert_eq!(finished(&events)["status"], "stopped");
    std::fs::write(app.folder().join("started"), "").unwrap();
    app.run(&session, "again").await;
    let request = app.model.requests()[0]["messages"].to_string();
    assert!(request.contains("Use SI units."), "{request}");
}

#[tokio::test]
async fn model_calls_are_counted_also_those_that_fail() {
    let script = Script::of([Reply::new().text("hi"), Reply::error(401, "invalid_api_key", "no")]);
    let app = App::start(script).await;
    let session = app.session().await;
    app.run(&session, "go").await;
    assert_eq!(finished(&app.run(&session, "and").await)["status"], "failed");
    let metrics = app.get("/api/metrics").await.1;
    let counted = |outcome: &str| {
        let mut counters = metrics["counters"].as_array().unwrap().iter();
        counters.any(|it| {
            it["name"].as_str().unwrap().contains("model_calls")
                && it["labels"]["outcome"] == outcome
                && it["value"] == 1
        })
    };
    assert!(counted("ok") && counted("error"), "{metrics}");
}

#[tokio::test]
async fn a_hook_that_runs_when_the_user_stops_is_ended() {
    let hook = "echo $$ > pid.new; mv pid.new pid; exec sleep 1000";
    let app = with_hooks(Script::of([writes()]), &[("PreToolUse", "*", hook)]).await;
    let session = app.session().await;
    let accepted = app.ask(&session, "go").await;
    let file = app.folder().join("pid");
    until(|| file.exists()).await;
    app.post(&format!("/api/runs/{}/cancel", accepted["run_id"].as_str().unwrap()), json!({})).await;
    let events = app.events(&session, accepted["seq"].as_i64().unwrap()).await;
    assert_eq!(finished(&events)["status"], "stopped");
    let process = format!("/proc/{}", std::fs::read_to_string(file).unwrap().trim());
    until(|| !std::path::Path::new(&process).exists()).await;
}

/// Waits for something that no event tells of.
async fn until(condition: impl Fn() -> bool) {
    let waiting = async {
        while !condition() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(30), waiting).await.unwrap();
}
