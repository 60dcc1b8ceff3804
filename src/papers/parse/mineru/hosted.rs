//! A server of one's own: `mineru-api`, or `mineru-router`, which has the same interface.
//!
//! Protocol: <https://github.com/opendatalab/MinerU> (`mineru-api`, version 3). A task lives in the memory of the server: a
//! day after its end or when the server is started anew it is unknown (404).

use super::error::short;
use super::service::{Pages, Progress, Service, Upload, is_id};
use super::{LARGEST_FILE, LARGEST_RESULT, MineruError};
use crate::net::{HttpClient, Limits, Response};
use crate::store::mineru_jobs::MineruService;
use async_trait::async_trait;
use bytes::Bytes;
use serde_json::Value;
use std::time::Duration;
use url::Url;
use uuid::Uuid;

/// Time for one question: a server that reads a page answers late.
const ATTEMPT: Duration = Duration::from_secs(60);
/// Time to move a file or a result.
const TRANSFER: Duration = Duration::from_secs(15 * 60);
/// Pages of one task: beyond this the server is known to stall.
const MOST_PAGES: u32 = 200;

/// Client of a `mineru-api`.
pub struct Hosted {
    api: HttpClient,
    transfer: HttpClient,
    base: Url,
    backend: Option<String>,
}

impl Hosted {
    /// For this address (`http://127.0.0.1:8000`); `backend` is left to the server when absent.
    #[must_use]
    pub fn new(http: &HttpClient, base: Url, backend: Option<String>) -> Self {
        let http = http.trusting([&base]);
        let api = http.with_limits(Limits::default().within(ATTEMPT));
        let transfer = http.with_limits(Limits::default().within(TRANSFER).at_most(LARGEST_RESULT));
        Self { api, transfer, base, backend }
    }

    fn endpoint(&self, segments: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    /// What is asked for, with the file.
    fn form(&self, file: &Upload, pages: Pages, boundary: &str) -> Vec<u8> {
        let mut fields = vec![
            ("return_md", "false".to_owned()),
            ("return_content_list", "true".to_owned()),
            ("return_middle_json", "true".to_owned()),
            ("return_images", "true".to_owned()),
            ("response_format_zip", "true".to_owned()),
            ("formula_enable", "true".to_owned()),
            ("table_enable", "true".to_owned()),
        ];
        fields.extend(self.backend.clone().map(|backend| ("backend", backend)));
        if let (Some(last), false) = (pages.last, pages.is_all()) {
            fields.push(("start_page_id", pages.first.saturating_sub(1).to_string()));
            fields.push(("end_page_id", last.saturating_sub(1).to_string()));
        }
        let mut body = Vec::with_capacity(file.bytes.len() + 2048);
        for (name, value) in fields {
            let part = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
            body.extend_from_slice(part.as_bytes());
        }
        // The name goes into a header, and into a path on the server.
        let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let name: String = file.name.chars().filter(plain).collect();
        let name = name.trim_start_matches('.').trim_end_matches(".pdf");
        let name = if name.is_empty() { "paper" } else { name };
        let part = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"files\"; filename=\"{name}.pdf\"\r\n\
             Content-Type: application/pdf\r\n\r\n"
        );
        body.extend_from_slice(part.as_bytes());
        body.extend_from_slice(&file.bytes);
        body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        body
    }
}

#[async_trait]
impl Service for Hosted {
    fn kind(&self) -> MineruService {
        MineruService::Hosted
    }

    fn most_pages(&self) -> Option<u32> {
        Some(MOST_PAGES)
    }

    fn forgets(&self) -> bool {
        true
    }

    async fn submit(&self, file: &Upload, pages: Pages) -> Result<String, MineruError> {
        if file.bytes.len() as u64 > LARGEST_FILE {
            return Err(MineruError::TooLarge);
        }
        let boundary = format!("almagest-{}", Uuid::new_v4().simple());
        let request = self.transfer.post(self.endpoint(&["tasks"]));
        let request = request.header("content-type", format!("multipart/form-data; boundary={boundary}"));
        let response = self.transfer.send_built(request.body(self.form(file, pages, &boundary))).await?;
        let answer = match response.status().as_u16() {
            200 | 202 => json(response).await?,
            code @ (404 | 405) => return Err(MineruError::NoTasks(code)),
            code => return Err(refused(code, response).await),
        };
        let task = answer.get("task_id").and_then(Value::as_str).filter(|task| is_id(task));
        task.map(str::to_owned).ok_or_else(|| MineruError::Unreadable("it names no task".to_owned()))
    }

    async fn poll(&self, task: &str) -> Result<Progress, MineruError> {
        if !is_id(task) {
            return Err(MineruError::Forgotten);
        }
        let response = self.api.send_built(self.api.get(self.endpoint(&["tasks", task]))).await?;
        let answer = match response.status().as_u16() {
            200 | 202 => json(response).await?,
            code => return Err(refused(code, response).await),
        };
        match answer.get("status").and_then(Value::as_str) {
            Some("completed") => Ok(Progress::Ready),
            Some("failed") => Err(MineruError::Failed(reason(&answer))),
            Some("pending") => Ok(Progress::Waiting),
            // `processing`, and whatever comes to be.
            Some(_) => Ok(Progress::Running { done: None, total: None }),
            None => Err(MineruError::Unreadable("the task has no state".to_owned())),
        }
    }

    async fn fetch(&self, task: &str) -> Result<Bytes, MineruError> {
        if !is_id(task) {
            return Err(MineruError::Forgotten);
        }
        let url = self.endpoint(&["tasks", task, "result"]);
        let response = self.transfer.send_built(self.transfer.get(url)).await?;
        match response.status().as_u16() {
            200 => Ok(response.bytes().await?),
            202 => Err(MineruError::Busy("the result is not ready yet".to_owned())),
            409 => {
                let answer = json(response).await?;
                Err(MineruError::Failed(reason(&answer)))
            }
            code => Err(refused(code, response).await),
        }
    }
}

async fn json(response: Response) -> Result<Value, MineruError> {
    let body = response.bytes().await?;
    serde_json::from_slice(&body).map_err(|_| MineruError::Unreadable("no JSON".to_owned()))
}

/// Why a server says that it refuses.
async fn refused(code: u16, response: Response) -> MineruError {
    let answer = json(response).await.unwrap_or_default();
    let said = format!("HTTP {code}: {}", reason(&answer));
    match code {
        404 => MineruError::Forgotten,
        413 => MineruError::TooLarge,
        429 | 500.. => MineruError::Busy(said),
        400 => MineruError::BadFile(said),
        _ => MineruError::BadRequest(said),
    }
}

/// The reason in an answer; each version has another name for it.
fn reason(answer: &Value) -> String {
    let said = ["error", "detail", "message"].into_iter().find_map(|name| answer.get(name)?.as_str());
    short(said.unwrap_or_default(), None)
}
