//! The product in this process: a real server on a free port, a folder of its own, the scripted model, one user.
#![allow(dead_code, reason = "each test binary includes this module and uses its own part of it")]

use crate::model_server::{ModelServer, Script};
use almagest::agent::skills::SkillLibrary;
use almagest::agent::tools::registry::ToolRegistry;
use almagest::config::Config;
use almagest::server::Server;
use almagest::web::auth::COOKIE;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Name of the first user.
pub const USER: &str = "ada";
/// Their password.
pub const PASSWORD: &str = "correct horse battery";
/// Nothing in these tests takes this long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running product.
pub struct App {
    /// Its address, without a slash at the end.
    pub url: String,
    /// Its data folder.
    pub data: Arc<TempDir>,
    /// The model it asks.
    pub model: ModelServer,
    http: reqwest::Client,
    cookie: String,
    stop: CancellationToken,
    task: Option<JoinHandle<std::io::Result<()>>>,
    settings: BTreeMap<String, String>,
    tools: fn(SkillLibrary) -> ToolRegistry,
}

/// One event as it came over the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its id; heartbeats and snapshots have none.
    pub id: Option<i64>,
    /// Its type.
    pub kind: String,
    /// Its fields.
    pub data: Value,
}

impl App {
    /// Starts with a script and nothing else.
    pub async fn start(script: Script) -> Self {
        Self::with(script, &[]).await
    }

    /// Starts with further settings.
    pub async fn with(script: Script, settings: &[(&str, &str)]) -> Self {
        let model = ModelServer::start(script).await;
        let data = Arc::new(tempfile::tempdir().unwrap());
        let mut all = BTreeMap::from([
            ("ALMAGEST_ADDR".into(), "127.0.0.1:0".into()),
            ("ALMAGEST_DATA_DIR".into(), data.path().to_str().unwrap().to_owned()),
            ("ALMAGEST_USERNAME".into(), USER.into()),
            ("ALMAGEST_PASSWORD".into(), PASSWORD.into()),
            ("LLM_BASE_URL".into(), model.base_url()),
            ("LLM_MODEL".into(), "scripted".into()),
        ]);
        all.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        all.retain(|_, value| !value.is_empty());
        Self::launch(model, data, all, ToolRegistry::standard).await
    }

    /// Starts with tools of the test's own.
    pub async fn with_tools(script: Script, tools: fn(SkillLibrary) -> ToolRegistry) -> Self {
        let app = Self::start(script).await;
        let Self { model, data, settings, stop, task, .. } = app;
        stop.cancel();
        task.unwrap().await.unwrap().unwrap();
        Self::launch(model, data, settings, tools).await
    }

    async fn launch(
        model: ModelServer,
        data: Arc<TempDir>,
        settings: BTreeMap<String, String>,
        tools: fn(SkillLibrary) -> ToolRegistry,
    ) -> Self {
        let mut config = Config::from_sources(settings.clone(), BTreeMap::new()).unwrap();
        // This process is the test.
        config.worker = Some(env!("CARGO_BIN_EXE_almagest").into());
        let server = Server::start_with(config, tools).await.unwrap();
        let url = format!("http://{}", server.address().unwrap());
        let stop = CancellationToken::new();
        let task = Some(tokio::spawn(server.run(stop.clone().cancelled_owned())));
        let http = plain_http();
        let mut app = Self { url, data, model, http, cookie: String::new(), stop, task, settings, tools };
        app.cookie = app.login(USER, PASSWORD).await;
        app
    }

    /// A product that runs elsewhere, in a process of its own.
    pub async fn attach(url: String, model: ModelServer, data: Arc<TempDir>) -> Self {
        let mut app = Self {
            url,
            data,
            model,
            http: plain_http(),
            cookie: String::new(),
            stop: CancellationToken::new(),
            task: None,
            settings: BTreeMap::new(),
            tools: ToolRegistry::standard,
        };
        app.cookie = app.login(USER, PASSWORD).await;
        app
    }

    /// Stops in order and starts again on the same data.
    pub async fn restart(self) -> Self {
        let Self { model, data, settings, stop, task, tools, .. } = self;
        stop.cancel();
        task.unwrap().await.unwrap().unwrap();
        Self::launch(model, data, settings, tools).await
    }

    /// Logs in; answers the cookie.
    pub async fn login(&self, username: &str, password: &str) -> String {
        let response = self.try_login(username, password).await;
        assert_eq!(response.status(), StatusCode::OK);
        let cookie = response.headers()["set-cookie"].to_str().unwrap();
        let value = cookie.split(';').next().unwrap();
        assert!(value.starts_with(COOKIE));
        value.to_owned()
    }

    /// The bare answer of a login.
    pub async fn try_login(&self, username: &str, password: &str) -> reqwest::Response {
        let body = json!({ "username": username, "password": password }).to_string();
        let request = self.http.post(format!("{}/api/auth/login", self.url)).body(body);
        request.header("content-type", "application/json").send().await.unwrap()
    }

    /// A request without a login.
    pub fn bare(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}{path}", self.url))
    }

    /// A request with the first user's login.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.bare(method, path).header("cookie", &self.cookie)
    }

    /// The same as somebody else.
    pub async fn as_other(&self, cookie: &str, method: Method, path: &str) -> (StatusCode, Value) {
        read(self.bare(method, path).header("cookie", cookie).send().await.unwrap()).await
    }

    /// GET, with its JSON.
    pub async fn get(&self, path: &str) -> (StatusCode, Value) {
        read(self.request(Method::GET, path).send().await.unwrap()).await
    }

    /// A request with a JSON body, with the JSON of its answer.
    pub async fn send(&self, method: Method, path: &str, body: Value) -> (StatusCode, Value) {
        let request = self.request(method, path).header("content-type", "application/json").body(body.to_string());
        read(request.send().await.unwrap()).await
    }

    /// POST that must succeed.
    pub async fn post(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.send(Method::POST, path, body).await;
        assert!(status.is_success(), "{path}: {status} {answer}");
        answer
    }

    /// A new session's id.
    pub async fn session(&self) -> String {
        self.post("/api/sessions", json!({})).await["id"].as_str().unwrap().to_owned()
    }

    /// Sends a message.
    pub async fn ask(&self, session: &str, message: &str) -> Value {
        self.post(&format!("/api/sessions/{session}/runs"), json!({ "message": message })).await
    }

    /// Sends a message and waits for the end of its run; answers the run's events.
    pub async fn run(&self, session: &str, message: &str) -> Vec<Event> {
        let accepted = self.ask(session, message).await;
        self.events(session, accepted["seq"].as_i64().unwrap()).await
    }

    /// The session's stream from a cursor to its end.
    pub async fn events(&self, session: &str, after: i64) -> Vec<Event> {
        self.until(&format!("/api/sessions/{session}/events?after={after}"), |_| false).await
    }

    /// A stream until it ends or an event satisfies `last`.
    pub async fn until(&self, path: &str, last: impl Fn(&Event) -> bool) -> Vec<Event> {
        self.until_within(PATIENCE, path, last).await
    }

    /// A stream until it ends, from a model that takes its time.
    pub async fn until_slowly(&self, path: &str) -> Vec<Event> {
        self.until_within(10 * PATIENCE, path, |_| false).await
    }

    async fn until_within(&self, patience: Duration, path: &str, last: impl Fn(&Event) -> bool) -> Vec<Event> {
        let read = async {
            let mut response = self.request(Method::GET, path).send().await.unwrap();
            assert!(response.status().is_success(), "{path}: {}", response.status());
            let (mut buffer, mut events) = (Vec::new(), Vec::new());
            while let Some(bytes) = response.chunk().await.unwrap() {
                buffer.extend_from_slice(&bytes);
                while let Some(end) = buffer.windows(2).position(|pair| pair == b"\n\n") {
                    let block: Vec<u8> = buffer.drain(..end + 2).collect();
                    events.push(parse(std::str::from_utf8(&block).unwrap()));
                    if events.last().is_some_and(&last) {
                        return events;
                    }
                }
            }
            events
        };
        tokio::time::timeout(patience, read).await.unwrap_or_else(|_| panic!("{path} said nothing more"))
    }

    /// The messages of a session.
    pub async fn messages(&self, session: &str) -> Vec<Value> {
        let (status, body) = self.get(&format!("/api/sessions/{session}/messages")).await;
        assert_eq!(status, StatusCode::OK);
        body["items"].as_array().unwrap().clone()
    }

    /// The folder of the data.
    pub fn folder(&self) -> &Path {
        self.data.path()
    }
}

fn plain_http() -> reqwest::Client {
    // An error says that it is there already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// Events of one kind.
pub fn of_kind<'a>(events: &'a [Event], kind: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| event.kind == kind).map(|event| &event.data).collect()
}

/// The last event of a run.
pub fn finished(events: &[Event]) -> &Value {
    of_kind(events, "run_finished").last().copied().unwrap_or_else(|| panic!("no end in {events:#?}"))
}

/// Reads one event as it stands on the wire.
fn parse(block: &str) -> Event {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    Event {
        id: field("id:").map(|id| id.parse().unwrap()),
        kind: field("event:").unwrap().to_owned(),
        data: serde_json::from_str(field("data:").unwrap()).unwrap(),
    }
}

async fn read(response: reqwest::Response) -> (StatusCode, Value) {
    let status = response.status();
    let text = response.text().await.unwrap();
    let value = if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap_or(Value::String(text)) };
    (status, value)
}
