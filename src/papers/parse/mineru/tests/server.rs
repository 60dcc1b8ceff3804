//! A server that plays the cloud and a `mineru-api`, with faults on demand.

use crate::config::Secret;
use crate::net::HttpClient;
use crate::papers::parse::mineru::archive::tests::{JPEG, zip};
use crate::papers::parse::mineru::{Cloud, Hosted};
use axum::body::{Body, Bytes};
use axum::extract::{Multipart, Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router, middleware};
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use url::Url;

pub const TOKEN: &str = "very-secret-token";

/// An answer in place of the real one.
#[derive(Clone)]
pub enum Fault {
    Json(u16, Value),
    Body(u16, Vec<u8>),
    /// The connection breaks in the middle of the answer.
    Cut,
}

/// A task, of either protocol.
#[derive(Debug, Clone, Default)]
pub struct Task {
    pub fields: BTreeMap<String, String>,
    pub file: Option<Bytes>,
    pub polls: usize,
}

#[derive(Default)]
pub struct Inner {
    /// By the name of a route: what it answers next.
    pub faults: HashMap<&'static str, VecDeque<Fault>>,
    pub tasks: Vec<Task>,
    /// Every request: method, path, and which of the two interesting headers it has.
    pub log: Vec<String>,
    /// Questions until a task is done.
    pub steps: usize,
    /// The result in place of the usual one.
    pub result: Option<Vec<u8>>,
    /// Where files are uploaded in place of this server.
    pub upload: Option<String>,
    /// Tasks below this number are forgotten, as after a restart.
    pub forgotten: usize,
}

#[derive(Clone)]
pub struct Server {
    pub inner: Arc<Mutex<Inner>>,
    pub base: Url,
}

impl Server {
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base: Url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
        let inner = Inner { steps: 4, ..Inner::default() };
        let server = Self { inner: Arc::new(Mutex::new(inner)), base };
        let app = Router::new()
            .route("/api/v4/file-urls/batch", post(announce))
            .route("/upload/{task}", put(upload))
            .route("/api/v4/extract-results/batch/{task}", get(ask_cloud))
            .route("/zip/{task}", get(cloud_result))
            .route("/tasks", post(submit))
            .route("/tasks/{task}", get(ask_hosted))
            .route("/tasks/{task}/result", get(hosted_result))
            .layer(middleware::from_fn_with_state(server.clone(), note))
            .with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        server
    }

    pub fn cloud(&self) -> Cloud {
        let http = HttpClient::new().unwrap();
        let base = self.base.join("api/v4").unwrap();
        Cloud::new(&http, base, Some(Secret::new(TOKEN)), "vlm".to_owned()).hurried()
    }

    pub fn hosted(&self) -> Hosted {
        Hosted::new(&HttpClient::new().unwrap(), self.base.clone(), Some("pipeline".to_owned()))
    }

    /// What a route answers next, before it works again.
    pub fn fault(&self, route: &'static str, fault: Fault) -> &Self {
        self.inner.lock().faults.entry(route).or_default().push_back(fault);
        self
    }

    pub fn count(&self, start: &str) -> usize {
        self.inner.lock().log.iter().filter(|line| line.starts_with(start)).count()
    }

    fn next_fault(&self, route: &str) -> Option<Response> {
        let fault = self.inner.lock().faults.get_mut(route)?.pop_front()?;
        Some(match fault {
            Fault::Json(status, value) => (StatusCode::from_u16(status).unwrap(), Json(value)).into_response(),
            Fault::Body(status, body) => (StatusCode::from_u16(status).unwrap(), body).into_response(),
            Fault::Cut => {
                let pieces = [Ok("{\"code\": 0, "), Err(std::io::Error::other("cut"))];
                Body::from_stream(futures::stream::iter(pieces)).into_response()
            }
        })
    }

    fn add(&self, task: Task) -> usize {
        let mut inner = self.inner.lock();
        inner.tasks.push(task);
        inner.tasks.len() - 1
    }

    /// The task of an id, with how often it was asked for; nothing when it is forgotten.
    fn task(&self, id: &str) -> Option<(Task, usize)> {
        let mut inner = self.inner.lock();
        let at: usize = id.rsplit('-').next()?.parse().ok()?;
        let (forgotten, steps) = (inner.forgotten, inner.steps);
        let task = inner.tasks.get_mut(at).filter(|_| at >= forgotten)?;
        task.polls += usize::from(task.file.is_some());
        Some((task.clone(), steps))
    }

    fn result(&self, id: &str) -> Option<Vec<u8>> {
        let (task, _) = self.task(id)?;
        let usual = || {
            let first = task.fields.get("page_ranges").map_or("1", |pages| pages.split('-').next().unwrap()).to_owned();
            let first =
                task.fields.get("start_page_id").map_or(first, |at| (at.parse::<u32>().unwrap() + 1).to_string());
            let list = json!([
                {"type": "text", "text": format!("Text from page {first}."), "page_idx": 0},
                {"type": "image", "img_path": "images/a.jpg", "bbox": [0, 0, 500, 500], "image_caption": ["Figure 1: A"], "page_idx": 1},
            ]);
            let layout = json!({"pdf_info": [{"page_size": [600, 800]}, {"page_size": [600, 800]}]});
            zip(&[
                ("x_content_list.json", list.to_string().as_bytes()),
                ("layout.json", layout.to_string().as_bytes()),
                ("images/a.jpg", JPEG),
                ("full.md", b"# not used"),
            ])
        };
        Some(self.inner.lock().result.clone().unwrap_or_else(usual))
    }
}

async fn note(State(server): State<Server>, request: Request, next: middleware::Next) -> Response {
    let mut line = format!("{} {}", request.method(), request.uri().path());
    for name in [header::AUTHORIZATION, header::CONTENT_TYPE] {
        if request.headers().contains_key(&name) {
            line.push_str(&format!(" {name}"));
        }
    }
    server.inner.lock().log.push(line);
    next.run(request).await
}

fn refused(headers: &HeaderMap) -> Option<Response> {
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let wrong = given != Some(&format!("Bearer {TOKEN}"));
    wrong.then(|| {
        (StatusCode::UNAUTHORIZED, Json(json!({"msgCode": "A0202", "msg": "user auth failed"}))).into_response()
    })
}

async fn announce(State(server): State<Server>, headers: HeaderMap, Json(order): Json<Value>) -> Response {
    if let Some(answer) = server.next_fault("announce").or_else(|| refused(&headers)) {
        return answer;
    }
    let mut fields = BTreeMap::new();
    for (name, value) in order["files"][0].as_object().unwrap() {
        fields.insert(name.clone(), value.as_str().unwrap().to_owned());
    }
    fields.insert("model_version".to_owned(), order["model_version"].as_str().unwrap().to_owned());
    let at = server.add(Task { fields, ..Task::default() });
    let address =
        server.inner.lock().upload.clone().unwrap_or_else(|| format!("{}upload/batch-{at}?signature=s", server.base));
    Json(json!({"code": 0, "msg": "ok", "trace_id": "t", "data": {"batch_id": format!("batch-{at}"), "file_urls": [address]}}))
        .into_response()
}

async fn upload(State(server): State<Server>, Path(task): Path<String>, headers: HeaderMap, body: Bytes) -> Response {
    if let Some(answer) = server.next_fault("upload") {
        return answer;
    }
    // The signature is for a request without these.
    if headers.contains_key(header::CONTENT_TYPE) || headers.contains_key(header::AUTHORIZATION) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let at: usize = task.rsplit('-').next().unwrap().parse().unwrap();
    server.inner.lock().tasks[at].file = Some(body);
    StatusCode::OK.into_response()
}

async fn ask_cloud(State(server): State<Server>, Path(id): Path<String>, headers: HeaderMap) -> Response {
    if let Some(answer) = server.next_fault("poll").or_else(|| refused(&headers)) {
        return answer;
    }
    let Some((task, steps)) = server.task(&id) else {
        return Json(json!({"code": -60012, "msg": "task not found"})).into_response();
    };
    let mut entry = json!({"file_name": task.fields["name"], "err_msg": ""});
    entry["state"] = json!(match task.polls {
        0 => "waiting-file",
        1 => "pending",
        at if at + 1 < steps => "running",
        at if at < steps => "converting",
        _ => "done",
    });
    if entry["state"] == "running" {
        entry["extract_progress"] =
            json!({"extracted_pages": task.polls, "total_pages": 9, "start_time": "2026-01-01 00:00:00"});
    }
    if entry["state"] == "done" {
        entry["full_zip_url"] = json!(format!("{}zip/{id}", server.base));
    }
    Json(json!({"code": 0, "msg": "ok", "data": {"batch_id": id, "extract_result": [entry]}})).into_response()
}

async fn cloud_result(State(server): State<Server>, Path(id): Path<String>) -> Response {
    if let Some(answer) = server.next_fault("result") {
        return answer;
    }
    server.result(&id).map_or_else(|| StatusCode::NOT_FOUND.into_response(), IntoResponse::into_response)
}

async fn submit(State(server): State<Server>, mut form: Multipart) -> Response {
    if let Some(answer) = server.next_fault("submit") {
        return answer;
    }
    let mut task = Task::default();
    while let Some(field) = form.next_field().await.unwrap() {
        let name = field.name().unwrap().to_owned();
        if name == "files" {
            task.fields.insert(name, field.file_name().unwrap().to_owned());
            task.file = Some(field.bytes().await.unwrap());
        } else {
            task.fields.insert(name, field.text().await.unwrap());
        }
    }
    let at = server.add(task);
    (StatusCode::ACCEPTED, Json(json!({"task_id": format!("task-{at}"), "status": "pending", "queued_ahead": 0})))
        .into_response()
}

async fn ask_hosted(State(server): State<Server>, Path(id): Path<String>) -> Response {
    if let Some(answer) = server.next_fault("poll") {
        return answer;
    }
    let Some((task, steps)) = server.task(&id) else {
        return (StatusCode::NOT_FOUND, Json(json!({"detail": "Task not found"}))).into_response();
    };
    let status = match task.polls {
        1 => "pending",
        at if at < steps => "processing",
        _ => "completed",
    };
    Json(json!({"task_id": id, "status": status, "queued_ahead": 0})).into_response()
}

async fn hosted_result(State(server): State<Server>, Path(id): Path<String>) -> Response {
    if let Some(answer) = server.next_fault("result") {
        return answer;
    }
    server.result(&id).map_or_else(|| StatusCode::NOT_FOUND.into_response(), IntoResponse::into_response)
}
