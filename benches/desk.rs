//! The figures of the whole desk, each beside a reference of the same run: start, memory, writes, calls, search, streams.
//!
//! `cargo bench --bench desk` writes `target/bench/parts/desk.md`. Machines are shared and noisy: look at the ratios.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing better to do than to say why")]
#![expect(clippy::print_stdout, reason = "its answer")]

#[path = "../tests/support/app.rs"]
mod app;
#[path = "../tests/support/model_server/mod.rs"]
mod model_server;

use almagest::agent::skills::SkillLibrary;
use almagest::agent::tools::registry::ToolRegistry;
use almagest::agent::tools::{AgentTool, ToolContext, ToolError, ToolOutput};
use almagest::ids::{RunId, SessionId, UserId};
use almagest::store::accounts::{Admission, User, UserRole};
use almagest::store::messages::{self, Message, Role};
use almagest::store::runs::{self, Run, RunMode, RunOptions, RunRow, RunStatus};
use almagest::store::sessions::{self, PermissionMode, Session};
use almagest::store::{Store, fts};
use almagest::time::Timestamp;
use app::{App, finished};
use async_trait::async_trait;
use model_server::{Reply, Script, tool_results};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::BufRead;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Messages in the search benchmark; the aim is stated for a million, which takes minutes to fill.
const MESSAGES: usize = 100_000;

struct Row {
    what: &'static str,
    value: String,
    reference: String,
    ratio: String,
    aim: &'static str,
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let mut rows = runtime.block_on(async {
        let mut rows = Vec::new();
        rows.extend(calls().await);
        rows.push(parallel().await);
        rows.push(streamed().await);
        rows.push(writes().await);
        rows.push(search().await);
        rows
    });
    rows.extend(process());
    let mut text = String::from("## The desk\n\n| figure | value | reference | ratio | aim |\n|---|---|---|---|---|\n");
    for Row { what, value, reference, ratio, aim } in rows {
        let _ = writeln!(text, "| {what} | {value} | {reference} | {ratio} | {aim} |");
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bench/parts");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("desk.md"), &text).unwrap();
    println!("{text}");
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn ratio(value: Duration, reference: Duration) -> String {
    format!("{:.2}", value.as_secs_f64() / reference.as_secs_f64())
}

fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

/// A tool that sleeps as long as it is told, or not at all.
struct Sleeps;

#[async_trait]
impl AgentTool for Sleeps {
    fn name(&self) -> &str {
        "sleeps"
    }

    fn description(&self) -> &str {
        "Sleeps."
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": { "ms": { "type": "integer" }, "n": { "type": "integer" } } })
    }

    async fn execute(&self, args: Value, _ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        let wait = args["ms"].as_u64().unwrap_or(0);
        if wait > 0 {
            tokio::time::sleep(Duration::from_millis(wait)).await;
        }
        Ok(ToolOutput::text(format!("slept {args}")))
    }

    fn is_concurrency_safe(&self, args: &Value) -> bool {
        args["ms"].is_u64()
    }
}

fn registry(_skills: SkillLibrary) -> ToolRegistry {
    let mut registry = ToolRegistry::empty();
    registry.add_tool(Arc::new(Sleeps));
    registry
}

/// Four calls of half a second each, streamed over two seconds.
///
/// In this format a call is complete when the next one begins, and the last with the finish reason. So the last call ends
/// half a second after the stream at the earliest, and the other three while it goes on.
async fn streamed() -> Row {
    const STREAM: Duration = Duration::from_millis(2000);
    const CALL: Duration = Duration::from_millis(500);
    let script = Script::by(|request| {
        if !tool_results(request).is_empty() {
            return Reply::new().text("done");
        }
        let call = |reply: Reply, n: u64| reply.call("sleeps", json!({ "n": n, "ms": 500 })).delay(250);
        let reply = (0..4).fold(Reply::new(), call);
        // The second half of the stream is text: the first three calls end in it, and only the last after it.
        (0..4).fold(reply, |reply, _| reply.text("thinking aloud ").delay(250))
    });
    let app = App::with_tools(script, registry).await;
    let mut times = Vec::new();
    for _ in 0..3 {
        times.push(timed_run(&app, "go").await);
    }
    let (time, ideal) = (median(times), STREAM + CALL);
    Row {
        what: "four safe 500 ms calls in an answer streamed over 2 s",
        value: ms(time),
        reference: format!("{} (end of the stream + the last call)", ms(ideal)),
        ratio: ratio(time, ideal),
        aim: "1.05",
    }
}

/// `n` serial calls a run when asked "n", then the end.
fn counting() -> Script {
    Script::by(|request| {
        if !tool_results(request).is_empty() {
            return Reply::new().text("done");
        }
        let text = model_server::last_user_text(request);
        let n: usize = text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let wait: Option<u64> = text.split_whitespace().nth(1).and_then(|word| word.parse().ok());
        (0..n).fold(Reply::new().text("go"), |reply, n| {
            reply.call("sleeps", wait.map_or(json!({ "n": n }), |ms| json!({ "n": n, "ms": ms })))
        })
    })
}

async fn timed_run(app: &App, message: &str) -> Duration {
    let session = app.session().await;
    let begin = Instant::now();
    let events = app.run(&session, message).await;
    assert_eq!(finished(&events)["status"], "completed");
    begin.elapsed()
}

/// What the runtime adds to a model call and to a tool call.
async fn calls() -> Vec<Row> {
    let app = App::with_tools(counting(), registry).await;
    timed_run(&app, "1").await;
    let (mut none, mut many, mut bare) = (Vec::new(), Vec::new(), Vec::new());
    let http = almagest::net::HttpClient::new().unwrap();
    let url: url::Url = format!("{}/chat/completions", app.model.base_url()).parse().unwrap();
    let http = http.trusting([&url]);
    for _ in 0..15 {
        none.push(timed_run(&app, "0").await);
        many.push(timed_run(&app, "50").await);
        let body =
            json!({ "model": "m", "stream": true, "messages": [{ "role": "user", "content": "0" }] }).to_string();
        let request = http.post(url.clone()).header("content-type", "application/json").body(body);
        let begin = Instant::now();
        http.send_built(request).await.unwrap().bytes().await.unwrap();
        bare.push(begin.elapsed());
    }
    let (none, many, bare) = (median(none), median(many), median(bare));
    let call = many.saturating_sub(none) / 50;
    vec![
        Row {
            what: "a run of one model call, from POST to the end of its stream",
            value: ms(none),
            reference: format!("the bare request to the model server: {}", ms(bare)),
            ratio: ratio(none, bare),
            aim: "overhead under 1 ms a call",
        },
        Row {
            what: "one more serial tool call in a run",
            value: ms(call),
            reference: format!("the run without calls: {}", ms(none)),
            ratio: ratio(call, none),
            aim: "under 1 ms",
        },
    ]
}

/// Ten calls of 200 ms beside each other against one.
async fn parallel() -> Row {
    let app = App::with_tools(counting(), registry).await;
    let (mut one, mut ten) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        one.push(timed_run(&app, "1 200").await);
        ten.push(timed_run(&app, "10 200").await);
    }
    let (one, ten) = (median(one), median(ten));
    Row {
        what: "ten parallel 200 ms calls",
        value: ms(ten),
        reference: format!("one such call: {}", ms(one)),
        ratio: ratio(ten, one),
        aim: "1.1",
    }
}

struct Filled {
    _folder: tempfile::TempDir,
    store: Store,
    user: UserId,
    session: SessionId,
    run: RunId,
}

async fn filled() -> Filled {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("almagest.db")).await.unwrap();
    let now = Timestamp::now();
    let user = UserId::new();
    let row = User { id: user, username: "u".into(), password_hash: "x".into(), role: UserRole::User, created_at: now };
    store.add_user(row, Admission::Always).await.unwrap();
    let session = Session {
        id: SessionId::new(),
        title: "bench".into(),
        mode: RunMode::Standard,
        permission_mode: PermissionMode::Auto,
        model: None,
        created_at: now,
        updated_at: now,
        last_message: String::new(),
        active_run_id: None,
        pinned: false,
        usage: Default::default(),
    };
    let run = Run {
        id: RunId::new(),
        session_id: session.id,
        status: RunStatus::Running,
        reason: None,
        detail: None,
        mode: RunMode::Standard,
        started_at: now,
        ended_at: None,
        steps: 0,
        usage: Default::default(),
    };
    let (session_id, run_id) = (session.id, run.id);
    let row = RunRow { run, user_id: user, options: RunOptions::default() };
    store
        .write(move |c| {
            Box::pin(async move {
                sessions::add(&mut *c, user, &session).await?;
                runs::add(c, &row).await
            })
        })
        .await
        .unwrap();
    Filled { _folder: folder, store, user, session: session_id, run: run_id }
}

const WORDS: &[&str] = &[
    "transit",
    "spectrum",
    "redshift",
    "quasar",
    "metallicity",
    "dust",
    "halo",
    "eclipse",
    "photometry",
    "binary",
    "flare",
    "disk",
    "velocity",
    "cluster",
    "void",
    "lensing",
    "pulsar",
    "nebula",
    "M31",
    "NGC 1275",
    "TRAPPIST-1",
    "opacity",
];

fn sentence(n: usize) -> String {
    (0..40).map(|k| WORDS[(n * 7 + k * (n % 13 + 1)) % WORDS.len()]).collect::<Vec<_>>().join(" ")
}

impl Filled {
    fn message(&self, n: usize) -> Message {
        Message::new(self.session, self.run, Role::User, sentence(n))
    }

    /// All rows in one command: what SQLite itself costs.
    async fn add_in_one(&self, range: std::ops::Range<usize>) {
        let user = self.user;
        let rows: Vec<Message> = range.map(|n| self.message(n)).collect();
        self.store
            .write(move |c| {
                Box::pin(async move {
                    for row in &rows {
                        messages::add(&mut *c, user, row, None).await?;
                    }
                    Ok(())
                })
            })
            .await
            .unwrap();
    }
}

/// Messages written by sixteen callers at once against the same rows in one transaction.
async fn writes() -> Row {
    const EACH: usize = 250;
    let filled = Arc::new(filled().await);
    filled.add_in_one(0..500).await;
    let begin = Instant::now();
    let callers = (0..16).map(|caller| {
        let filled = Arc::clone(&filled);
        tokio::spawn(async move {
            for n in 0..EACH {
                let (message, user) = (filled.message(caller * EACH + n), filled.user);
                let write =
                    filled.store.write(move |c| Box::pin(async move { messages::add(c, user, &message, None).await }));
                write.await.unwrap();
            }
        })
    });
    futures::future::join_all(callers).await;
    let many = begin.elapsed();
    let begin = Instant::now();
    filled.add_in_one(0..16 * EACH).await;
    let one = begin.elapsed();
    let rate = |time: Duration| (16 * EACH) as f64 / time.as_secs_f64();
    Row {
        what: "message writes by 16 callers, acknowledged one by one",
        value: format!("{:.0} /s", rate(many)),
        reference: format!("the same rows in one transaction: {:.0} /s", rate(one)),
        ratio: ratio(many, one),
        aim: "-",
    }
}

/// The history search against the bare FTS query.
async fn search() -> Row {
    let filled = filled().await;
    for start in (0..MESSAGES).step_by(10_000) {
        filled.add_in_one(start..start + 10_000).await;
    }
    let queries = ["ngc 1275 halo", "trappist", "quasar redshift dust", "M31 lensing", "opacity pulsar nebula void"];
    let bare = "SELECT rowid FROM agent_messages_fts WHERE agent_messages_fts MATCH ?1 ORDER BY rank LIMIT 20";
    let (mut ours, mut raw) = (Vec::new(), Vec::new());
    for _ in 0..8 {
        for query in queries {
            let begin = Instant::now();
            filled.store.search_history(filled.user, query, None, 20).await.unwrap();
            ours.push(begin.elapsed());
            let expression = fts::match_expression(query).unwrap();
            let begin = Instant::now();
            sqlx::query(bare).bind(expression).fetch_all(filled.store.reader()).await.unwrap();
            raw.push(begin.elapsed());
        }
    }
    let p95 = |mut times: Vec<Duration>| {
        times.sort();
        times[times.len() * 95 / 100]
    };
    let (ours, raw) = (p95(ours), p95(raw));
    Row {
        what: "history search over 100,000 messages, p95",
        value: ms(ours),
        reference: format!("the bare FTS query: {}", ms(raw)),
        ratio: ratio(ours, raw),
        aim: "1.3",
    }
}

/// Start to the first answer, and the memory of an idle server: the released binary, when it was built.
fn process() -> Vec<Row> {
    let binary = env!("CARGO_BIN_EXE_almagest");
    let (mut starts, mut bare, mut memory) = (Vec::new(), Vec::new(), 0);
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..6 {
        let begin = Instant::now();
        Command::new(binary).arg("--version").stdout(Stdio::null()).status().unwrap();
        bare.push(begin.elapsed());
        let begin = Instant::now();
        let mut server = Command::new(binary)
            .env_clear()
            .env("ALMAGEST_ADDR", "127.0.0.1:0")
            .env("ALMAGEST_DATA_DIR", folder.path())
            .current_dir(folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = std::io::BufReader::new(server.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap();
        health(address);
        starts.push(begin.elapsed());
        let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
        memory = resident.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0);
        server.kill().unwrap();
        server.wait().unwrap();
    }
    let (start, bare) = (median(starts), median(bare));
    let size = std::fs::metadata(binary).unwrap().len();
    vec![
        Row {
            what: "start to the first answer",
            value: ms(start),
            reference: format!("the bare process (`--version`): {}", ms(bare)),
            ratio: ratio(start, bare),
            aim: "under 300 ms",
        },
        Row {
            what: "idle memory",
            value: format!("{:.1} MiB", memory as f64 / 1024.0),
            reference: "-".into(),
            ratio: "-".into(),
            aim: "under 60 MB",
        },
        Row {
            what: "binary",
            value: format!("{:.1} MB", size as f64 / 1e6),
            reference: "-".into(),
            ratio: "-".into(),
            aim: "under 30 MB",
        },
    ]
}

fn health(address: &str) {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    write!(stream, "GET /api/health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}
