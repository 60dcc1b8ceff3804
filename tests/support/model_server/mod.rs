//! A model server that plays scripts: the other end of the wire in every test that involves a model, and in the demo.
//!
//! It speaks the OpenAI-compatible format (`POST {base}/chat/completions`, `GET {base}/models`) and Anthropic's
//! (`POST {base}/messages`); scripts are the same for both. A [`Script`] says what it answers: [`Reply`]s in order, or a closure over the request. Faults are part of the script, and so is time: a reply
//! stops at a *gate* until the test opens it, so that no test has to sleep.
//!
//! Every request is checked (see [`check`]): the first one whose calls and results do not pair up, or that is wrong in
//! another way, is answered with a 500 and makes the test panic, at the next use of the server or when it is dropped.
//!
//! ```ignore
//! #[path = "support/model_server/mod.rs"]
//! mod model_server;
//!
//! let server = ModelServer::start(Script::of([
//!     Reply::new().text("I look it up.").call("query_target", json!({"name": "TRAPPIST-1 b"})),
//!     Reply::new().text("It is at ").gate("half").text("23h06m."),
//! ])).await;
//! // … point `LLM_BASE_URL` at `server.base_url()` and run …
//! server.reached("half").await;
//! server.open("half");
//! assert_eq!(server.requests().len(), 2);
//! ```
#![allow(dead_code, reason = "each test binary includes this module and uses its own part of it")]

pub mod anthropic;
pub mod check;
pub mod reply;
mod wire;

pub use reply::Reply;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A closure that answers a request.
type Answer = Box<dyn FnMut(&Value) -> Reply + Send>;

/// What the server answers: the queued replies in order, then the closure, when there is one.
#[derive(Default)]
pub struct Script {
    queue: VecDeque<Reply>,
    answer: Option<Answer>,
}

impl Script {
    /// These replies, one for each request; one request more is a violation.
    pub fn of(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self { queue: replies.into_iter().collect(), answer: None }
    }

    /// A model that reacts: the closure sees the request's body. [`last_user_text`] and [`tool_results`] help it.
    pub fn by(answer: impl FnMut(&Value) -> Reply + Send + 'static) -> Self {
        Self { queue: VecDeque::new(), answer: Some(Box::new(answer)) }
    }

    fn next(&mut self, request: &Value) -> Option<Reply> {
        self.queue.pop_front().or_else(|| self.answer.as_mut().map(|answer| answer(request)))
    }
}

/// One request as it arrived.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Its headers.
    pub headers: HeaderMap,
    /// Its JSON body.
    pub body: Value,
}

/// What the handlers and the test share.
struct Shared {
    script: Mutex<Script>,
    seen: Mutex<Vec<Seen>>,
    violations: Mutex<Vec<String>>,
    /// How many requests have arrived.
    arrived: watch::Sender<usize>,
    /// How many answers were dropped by the client before their end.
    abandoned: watch::Sender<usize>,
    opened: watch::Sender<BTreeSet<String>>,
    reached: watch::Sender<BTreeSet<String>>,
}

/// A running server; it stops when it is dropped.
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<io::Result<()>>,
}

impl ModelServer {
    /// Starts on a free port of the loopback interface.
    ///
    /// # Panics
    /// If there is no free port.
    pub async fn start(script: Script) -> Self {
        match Self::bind(SocketAddr::from(([127, 0, 0, 1], 0)), script).await {
            Ok(server) => server,
            Err(error) => panic!("the model server found no port: {error}"),
        }
    }

    /// Starts on a given address.
    ///
    /// # Errors
    /// If the address cannot be bound.
    pub async fn bind(address: SocketAddr, script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            script: Mutex::new(script),
            seen: Mutex::default(),
            violations: Mutex::default(),
            arrived: watch::Sender::new(0),
            abandoned: watch::Sender::new(0),
            opened: watch::Sender::new(BTreeSet::new()),
            reached: watch::Sender::new(BTreeSet::new()),
        });
        let router = Router::new()
            .route("/v1/chat/completions", post(completions))
            .route("/v1/messages", post(messages_route))
            .route("/v1/models", get(models))
            .with_state(Arc::clone(&shared));
        // Small pieces go out at once, as a real server sends them.
        let listener = listener.tap_io(|connection| {
            let _ = connection.set_nodelay(true);
        });
        let task = tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { address, shared, task })
    }

    /// What `LLM_BASE_URL` should be.
    pub fn base_url(&self) -> String {
        self.assert_clean();
        format!("http://{}/v1", self.address)
    }

    /// The bodies of the requests so far.
    pub fn requests(&self) -> Vec<Value> {
        self.seen().into_iter().map(|seen| seen.body).collect()
    }

    /// The requests so far, with their headers.
    pub fn seen(&self) -> Vec<Seen> {
        self.assert_clean();
        self.shared.seen.lock().clone()
    }

    /// Adds a reply at the end of the queue.
    pub fn push(&self, reply: Reply) {
        self.assert_clean();
        self.shared.script.lock().queue.push_back(reply);
    }

    /// How many queued replies have not been asked for.
    pub fn remaining(&self) -> usize {
        self.assert_clean();
        self.shared.script.lock().queue.len()
    }

    /// Opens a gate, now and for every later reply that comes to it.
    pub fn open(&self, gate: &str) {
        self.assert_clean();
        self.shared.opened.send_modify(|gates| {
            gates.insert(gate.to_owned());
        });
    }

    /// Waits until some reply has come to this gate.
    pub async fn reached(&self, gate: &str) {
        wait(&self.shared.reached, |gates| gates.contains(gate)).await;
        self.assert_clean();
    }

    /// Waits until this many requests have arrived.
    pub async fn arrived(&self, count: usize) {
        wait(&self.shared.arrived, |arrived| *arrived >= count).await;
        self.assert_clean();
    }

    /// Waits until clients have let go of this many answers before their end.
    pub async fn abandoned(&self, count: usize) {
        wait(&self.shared.abandoned, |abandoned| *abandoned >= count).await;
        self.assert_clean();
    }

    /// Fails the test if a request was wrong.
    ///
    /// # Panics
    /// With every violation so far.
    pub fn assert_clean(&self) {
        let violations = self.take_violations();
        assert!(violations.is_empty(), "the model server refused a request:\n- {}", violations.join("\n- "));
    }

    /// The violations so far, for a test that provokes them; they are forgotten.
    pub fn take_violations(&self) -> Vec<String> {
        std::mem::take(&mut *self.shared.violations.lock())
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.task.abort();
        if !std::thread::panicking() {
            self.assert_clean();
        }
    }
}

async fn wait<T>(channel: &watch::Sender<T>, condition: impl FnMut(&T) -> bool) {
    // The sender lives in `Shared`, which the caller holds: waiting cannot fail.
    let _ = channel.subscribe().wait_for(condition).await;
}

/// The text of the last user message.
pub fn last_user_text(request: &Value) -> &str {
    messages(request).iter().rev().find(|message| message["role"] == "user").and_then(content).unwrap_or_default()
}

/// The results of the model's last calls, as (tool's name, text); empty when the last message is not a tool's.
pub fn tool_results(request: &Value) -> Vec<(&str, &str)> {
    let messages = messages(request);
    let Some(calling) = messages.iter().rposition(|message| message["role"] != "tool") else { return Vec::new() };
    let calls = messages[calling]["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
    let name_of = |id: &Value| {
        calls
            .iter()
            .find(|call| call["id"] == *id)
            .and_then(|call| call["function"]["name"].as_str())
            .unwrap_or_default()
    };
    messages[calling + 1..]
        .iter()
        .map(|result| (name_of(&result["tool_call_id"]), content(result).unwrap_or_default()))
        .collect()
}

fn messages(request: &Value) -> &[Value] {
    request["messages"].as_array().map_or(&[], Vec::as_slice)
}

fn content(message: &Value) -> Option<&str> {
    message["content"].as_str()
}

async fn models() -> Response {
    axum::Json(json!({"object": "list", "data": [{"id": "scripted", "object": "model", "owned_by": "almagest"}]}))
        .into_response()
}

/// The wire format of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Chat,
    Messages,
}

async fn completions(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    answer(shared, headers, body, Format::Chat).await
}

async fn messages_route(State(shared): State<Arc<Shared>>, headers: HeaderMap, body: Bytes) -> Response {
    answer(shared, headers, body, Format::Messages).await
}

async fn answer(shared: Arc<Shared>, headers: HeaderMap, body: Bytes, format: Format) -> Response {
    let request: Value = match serde_json::from_slice(&body) {
        Ok(request) => request,
        Err(error) => return refuse(&shared, vec![format!("the body is not JSON: {error}")]),
    };
    let (number, violations) = {
        let mut seen = shared.seen.lock();
        let mut violations = match format {
            Format::Chat => check::violations(&request),
            Format::Messages => anthropic::violations(&request),
        };
        if let Some(previous) = seen.last().filter(|_| format == Format::Chat) {
            violations.extend(check::unstable_tools(&previous.body, &request));
        }
        seen.push(Seen { headers, body: request.clone() });
        (seen.len(), violations)
    };
    shared.arrived.send_replace(number);
    if !violations.is_empty() {
        return refuse(&shared, violations.into_iter().map(|it| format!("request {number}: {it}")).collect());
    }
    // An assertion in the script's closure is the test's: it must not die with this handler.
    let chat = match format {
        Format::Chat => request.clone(),
        Format::Messages => anthropic::as_chat(&request),
    };
    let reply = catch_unwind(AssertUnwindSafe(|| shared.script.lock().next(&chat)));
    let reply = match reply {
        Ok(Some(reply)) => reply,
        Ok(None) => return refuse(&shared, vec![format!("request {number}: the script has no reply left")]),
        Err(_) => return refuse(&shared, vec![format!("request {number}: the script's closure panicked (see above)")]),
    };
    wire::respond(reply, number, &request, format, shared).await
}

fn refuse(shared: &Shared, violations: Vec<String>) -> Response {
    let text = violations.join("; ");
    shared.violations.lock().extend(violations);
    let body = json!({"error": {"message": text, "type": "invalid_request_error", "code": "script_violation"}});
    (StatusCode::INTERNAL_SERVER_ERROR, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}
