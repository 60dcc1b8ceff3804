//! Kill -9 in every phase of a turn: nothing that was acknowledged is lost, the history is valid, the run can be continued.
#![expect(clippy::unwrap_used, reason = "the helpers of tests fail like tests")]

#[path = "../support/app.rs"]
mod app;
#[path = "../support/model_server/mod.rs"]
mod model_server;
#[path = "../support/upstreams.rs"]
mod upstreams;

use app::{App, Event, PASSWORD, USER, finished, of_kind};
use model_server::{ModelServer, Reply, Script};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::process::Stdio;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use upstreams::{Fault, Upstream, Upstreams};

/// The real binary.
struct Desk {
    process: Child,
    app: App,
    upstreams: Upstreams,
}

impl Desk {
    async fn start(script: Script) -> Self {
        let upstreams = upstreams::start().await;
        let model = ModelServer::start(script).await;
        Self::launch(model, Arc::new(tempfile::tempdir().unwrap()), upstreams).await
    }

    async fn launch(model: ModelServer, data: Arc<TempDir>, upstreams: Upstreams) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_almagest"))
            .env_clear()
            .envs(upstreams.environment())
            .env("ALMAGEST_ADDR", "127.0.0.1:0")
            .env("ALMAGEST_DATA_DIR", data.path())
            .env("ALMAGEST_USERNAME", USER)
            .env("ALMAGEST_PASSWORD", PASSWORD)
            .env("LLM_BASE_URL", model.base_url())
            .env("LLM_MODEL", "scripted")
            .current_dir(data.path())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let line = lines.next_line().await.unwrap().unwrap_or_default();
        let url = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
        let app = App::attach(url.trim_end_matches('/').to_owned(), model, data).await;
        Self { process, app, upstreams }
    }

    /// Kills the process without warning and starts it again on the same data.
    async fn kill_and_restart(self) -> Self {
        let Self { mut process, app, upstreams } = self;
        process.kill().await.unwrap();
        Self::launch(app.model, app.data, upstreams).await
    }

    /// Reads the user's stream until an event satisfies the condition.
    async fn until(&self, condition: impl Fn(&Event) -> bool) {
        self.app.until("/api/events?after=0", condition).await;
    }

    /// After a restart: the run is interrupted, every call has one result, continuing works, and so does a new question.
    async fn recovers(&self, session: &str, accepted: &Value) -> Vec<Value> {
        let run = accepted["run_id"].as_str().unwrap();
        let (_, row) = self.app.get(&format!("/api/runs/{run}")).await;
        assert_eq!(row["status"], "interrupted", "{row}");
        let before = self.app.messages(session).await;
        assert!(
            before.iter().any(|message| message["id"] == accepted["message_id"]),
            "an acknowledged message is lost"
        );
        let calls: Vec<&Value> = before
            .iter()
            .filter_map(|message| message["tool_calls"].as_array())
            .flatten()
            .map(|call| &call["id"])
            .collect();
        for call in calls {
            let results = before.iter().filter(|message| message["tool_call_id"] == *call).count();
            assert_eq!(results, 1, "{call} in {before:#?}");
        }
        let cursor = self.app.events(session, 0).await.iter().filter_map(|event| event.id).max().unwrap();
        let (status, _) = self.app.send(Method::POST, &format!("/api/runs/{run}/continue"), json!({})).await;
        assert_eq!(status, StatusCode::ACCEPTED);
        let events = self.app.events(session, cursor).await;
        assert_eq!(finished(&events)["status"], "completed", "{events:#?}");
        assert_eq!(of_kind(&events, "run_started")[0]["run_id"], run);
        assert_eq!(finished(&self.app.run(session, "and now?").await)["status"], "completed");
        let (status, _) = self.app.send(Method::POST, &format!("/api/runs/{run}/continue"), json!({})).await;
        assert_eq!(status, StatusCode::CONFLICT, "only an interrupted run can be continued");
        self.app.model.assert_clean();
        before
    }
}

#[tokio::test]
async fn killed_in_the_middle_of_the_stream() {
    let script = Script::of([
        Reply::new().text("the first half").gate("never"),
        Reply::new().text("the whole answer"),
        Reply::new().text("next"),
    ]);
    let desk = Desk::start(script).await;
    let session = desk.app.session().await;
    let accepted = desk.app.ask(&session, "go").await;
    desk.until(|event| event.kind == "text_delta").await;
    let waiting = desk.app.ask(&session, "and this, please").await;
    assert_eq!(waiting["queued"], true);
    let desk = desk.kill_and_restart().await;
    let before = desk.recovers(&session, &accepted).await;
    assert!(before.iter().any(|message| message["id"] == waiting["message_id"]), "a queued message is lost");
    let asked = desk.app.model.requests()[1].to_string();
    assert!(asked.contains("and this, please"), "the message that waited joins the continued run");
}

#[tokio::test]
async fn killed_while_a_reading_tool_runs() {
    let script = Script::of([
        Reply::new().call("query_target", json!({ "name": "TRAPPIST-1 b" })),
        Reply::new().text("found nothing"),
        Reply::new().text("next"),
    ]);
    let desk = Desk::start(script).await;
    desk.upstreams.set_fault(Upstream::SesameFirst, Fault::Silent);
    let session = desk.app.session().await;
    let accepted = desk.app.ask(&session, "go").await;
    desk.until(|event| event.kind == "tool_call").await;
    let desk = desk.kill_and_restart().await;
    let before = desk.recovers(&session, &accepted).await;
    let result = before.iter().find(|message| message["role"] == "tool").unwrap();
    assert_eq!(result["is_error"], true);
    assert!(result["content"].as_str().unwrap().contains("server stopped"), "{result}");
}

#[tokio::test]
async fn killed_while_a_writing_tool_runs() {
    let write = |n: usize| json!({ "path": format!("notes/{n}.md"), "content": format!("note {n}\n").repeat(2_000) });
    let mut calls = Reply::new();
    for n in 0..8 {
        calls = calls.call("file_write", write(n));
    }
    // After the calls the model holds its answer back, so that the run cannot end before it is killed.
    let mut calls = Some(calls);
    let script = Script::by(move |_| calls.take().unwrap_or_else(|| Reply::new().gate("held").text("written")));
    let desk = Desk::start(script).await;
    let session = desk.app.session().await;
    let accepted = desk.app.ask(&session, "go").await;
    // Serial writes: when the first result is there, another one is under way.
    desk.until(|event| event.kind == "tool_result").await;
    let desk = desk.kill_and_restart().await;
    desk.app.model.open("held");
    let before = desk.recovers(&session, &accepted).await;
    let user = std::fs::read_dir(desk.app.folder().join("workspace")).unwrap().next().unwrap().unwrap().path();
    for (n, result) in before.iter().filter(|message| message["role"] == "tool").enumerate() {
        if result["is_error"] == false {
            let text = std::fs::read_to_string(user.join(format!("notes/{n}.md"))).unwrap();
            assert_eq!(text.lines().count(), 2_000, "an acknowledged write is whole");
        }
    }
    for entry in std::fs::read_dir(user.join("notes")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "md") {
            assert_eq!(
                std::fs::read_to_string(&path).unwrap().lines().count(),
                2_000,
                "{} is half written",
                path.display()
            );
        }
    }
}

#[tokio::test]
async fn killed_right_after_the_message_was_acknowledged() {
    let script = Script::by(|_| Reply::new().text("an answer"));
    let mut desk = Desk::start(script).await;
    for round in 0..3 {
        let session = desk.app.session().await;
        let accepted = desk.app.ask(&session, &format!("question {round}")).await;
        desk = desk.kill_and_restart().await;
        let (_, row) = desk.app.get(&format!("/api/runs/{}", accepted["run_id"].as_str().unwrap())).await;
        let messages = desk.app.messages(&session).await;
        assert_eq!(messages[0]["id"], accepted["message_id"]);
        assert!(["interrupted", "completed"].contains(&row["status"].as_str().unwrap()), "{row}");
        assert_eq!(finished(&desk.app.run(&session, "again").await)["status"], "completed");
    }
}

/// Kills at whatever moment the machine makes it, many times over; every start must find a valid history.
#[tokio::test]
#[ignore = "long: forty restarts"]
async fn killed_at_any_moment() {
    let script = Script::by(|request| {
        if model_server::tool_results(request).is_empty() {
            Reply::new()
                .text("writing")
                .call("file_write", json!({ "path": "n.md", "content": "x" }))
                .call("todo_write", json!({ "todos": [] }))
        } else {
            Reply::new().text("done")
        }
    });
    let mut desk = Desk::start(script).await;
    let session = desk.app.session().await;
    let kinds =
        ["run_started", "message", "text_delta", "tool_call", "usage", "todo_updated", "tool_result", "run_finished"];
    for round in 0..40 {
        let accepted = desk.app.ask(&session, &format!("round {round}")).await;
        let seq = accepted["seq"].as_i64().unwrap();
        let kind = kinds[round % kinds.len()];
        desk.app.until(&format!("/api/events?after={seq}"), |e| e.kind == kind || e.kind == "run_finished").await;
        desk = desk.kill_and_restart().await;
        let messages = desk.app.messages(&session).await;
        assert!(messages.iter().any(|message| message["id"] == accepted["message_id"]));
    }
    assert_eq!(finished(&desk.app.run(&session, "the end").await)["status"], "completed");
    desk.app.model.assert_clean();
}
