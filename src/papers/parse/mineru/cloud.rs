//! MinerU's own service (v4).
//!
//! Protocol: <https://mineru.net/apiManage/docs>. A file is announced, and uploaded to the address that the answer names,
//! without a content type and without the token; its task begins by itself. Whether a request succeeded is told by `code`
//! in the answer, not by the status. Addresses in answers are data: they have to be public.

use super::error::short;
use super::service::{Pages, Progress, Service, Upload, is_id};
use super::{LARGEST_FILE, LARGEST_RESULT, MineruError};
use crate::config::Secret;
use crate::net::{HttpClient, Limits, Pace, Response, StatusCode};
use crate::papers::text::is_web_page;
use crate::store::mineru_jobs::MineruService;
use async_trait::async_trait;
use bytes::Bytes;
use serde_json::{Value, json};
use std::time::Duration;
use url::Url;

/// Pages of one task: the smaller of the two numbers that its documentation names.
const MOST_PAGES: u32 = 200;
/// Time for one question.
const ATTEMPT: Duration = Duration::from_secs(30);
/// Time to move a file or a result.
const TRANSFER: Duration = Duration::from_secs(15 * 60);
/// Between two submissions, of which a minute may have 300.
const SUBMITS: Duration = Duration::from_millis(220);
/// Between two questions, of which a minute may have 1000.
const POLLS: Duration = Duration::from_millis(65);

/// Client of the cloud.
pub struct Cloud {
    api: HttpClient,
    transfer: HttpClient,
    base: Url,
    token: Option<Secret>,
    model: String,
    submits: Pace,
    polls: Pace,
}

/// One task as the answer describes it.
struct Task {
    progress: Progress,
    zip: Option<String>,
}

impl Cloud {
    /// For this base address (`https://mineru.net/api/v4`); `model` is `vlm` or `pipeline`. There must be one client only:
    /// it keeps the pace that the service asks for.
    #[must_use]
    pub fn new(http: &HttpClient, base: Url, token: Option<Secret>, model: String) -> Self {
        let http = http.trusting([&base]);
        let api = http.with_limits(Limits::default().within(ATTEMPT));
        let transfer = http.with_limits(Limits::default().within(TRANSFER).at_most(LARGEST_RESULT));
        Self { api, transfer, base, token, model, submits: Pace::new(SUBMITS), polls: Pace::new(POLLS) }
    }

    /// The same without the pauses that the real service asks for.
    #[cfg(test)]
    pub(super) fn hurried(self) -> Self {
        let none = || Pace::new(Duration::ZERO);
        Self { submits: none(), polls: none(), ..self }
    }

    fn endpoint(&self, segments: &[&str]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    fn token(&self) -> Result<&Secret, MineruError> {
        self.token.as_ref().ok_or(MineruError::NoToken)
    }

    /// An address from an answer: as well protected as the one that the answer came from.
    fn address(&self, text: &str) -> Result<Url, MineruError> {
        let url =
            Url::parse(text).map_err(|_| MineruError::Unreadable("it names an address that is none".to_owned()))?;
        if url.scheme() != "https" && (self.base.scheme() == "https" || url.scheme() != "http") {
            return Err(MineruError::Unreadable("it names an address without encryption".to_owned()));
        }
        Ok(url)
    }

    /// The `data` of an answer.
    async fn data(&self, response: Response) -> Result<Value, MineruError> {
        let status = response.status();
        let body = response.text().await?;
        let Ok(answer) = serde_json::from_str::<Value>(&body) else {
            return Err(match status.as_u16() {
                401 => MineruError::TokenRefused,
                429 | 500.. => MineruError::Busy(format!("HTTP {}", status.as_u16())),
                code if is_web_page(&body) => MineruError::Unreadable(format!("a web page (HTTP {code})")),
                code => MineruError::Unreadable(format!("no JSON (HTTP {code})")),
            });
        };
        let said = answer.get("msg").and_then(Value::as_str).unwrap_or_default();
        let said = short(said, self.token.as_ref());
        match answer.get("code").or_else(|| answer.get("msgCode")).and_then(code) {
            Some(code) if code == "0" => {
                answer.get("data").cloned().ok_or_else(|| MineruError::Unreadable("it has no data".to_owned()))
            }
            // A code of theirs says more than the status; one that is no code of theirs repeats it.
            Some(code) if code.starts_with(['A', '-']) => Err(MineruError::from_code(&code, said)),
            Some(_) | None => Err(match status.as_u16() {
                401 => MineruError::TokenRefused,
                429 | 500.. => MineruError::Busy(format!("HTTP {}: {said}", status.as_u16())),
                404 => MineruError::Forgotten,
                code => MineruError::BadRequest(format!("HTTP {code}: {said}")),
            }),
        }
    }

    async fn task(&self, batch: &str) -> Result<Task, MineruError> {
        let token = self.token()?;
        if !is_id(batch) {
            return Err(MineruError::Forgotten);
        }
        drop(self.polls.turn().await);
        let url = self.endpoint(&["extract-results", "batch", batch]);
        let request = self.api.get(url).bearer_auth(token.expose());
        let data = self.data(self.api.send_built(request).await?).await?;
        let task = data.get("extract_result").and_then(Value::as_array).and_then(|tasks| tasks.first());
        let Some(task) = task else { return Ok(Task { progress: Progress::Waiting, zip: None }) };
        let text = |name: &str| task.get(name).and_then(Value::as_str);
        let pages = |name: &str| {
            let number = task.get("extract_progress").and_then(|progress| progress.get(name)).and_then(Value::as_u64);
            number.and_then(|number| u32::try_from(number).ok())
        };
        let progress = match text("state") {
            Some("failed") => {
                let said = short(text("err_msg").unwrap_or_default(), self.token.as_ref());
                let code = task.get("err_code").and_then(code).filter(|code| code.starts_with(['A', '-']));
                return Err(code.map_or(MineruError::Failed(said.clone()), |code| MineruError::from_code(&code, said)));
            }
            Some("done") => Progress::Ready,
            Some("waiting-file" | "pending") => Progress::Waiting,
            // `running`, `converting`, and whatever comes to be.
            Some(_) => Progress::Running { done: pages("extracted_pages"), total: pages("total_pages") },
            None => return Err(MineruError::Unreadable("the task has no state".to_owned())),
        };
        Ok(Task { progress, zip: text("full_zip_url").filter(|zip| !zip.is_empty()).map(str::to_owned) })
    }
}

#[async_trait]
impl Service for Cloud {
    fn kind(&self) -> MineruService {
        MineruService::Cloud
    }

    fn most_pages(&self) -> Option<u32> {
        Some(MOST_PAGES)
    }

    fn forgets(&self) -> bool {
        false
    }

    async fn submit(&self, file: &Upload, pages: Pages) -> Result<String, MineruError> {
        let token = self.token()?;
        if file.bytes.len() as u64 > LARGEST_FILE {
            return Err(MineruError::TooLarge);
        }
        let mut entry = json!({"name": file.name});
        if let (Some(last), false) = (pages.last, pages.is_all()) {
            entry["page_ranges"] = json!(format!("{}-{last}", pages.first));
        }
        let order = json!({
            "files": [entry],
            "model_version": self.model,
            "enable_formula": true,
            "enable_table": true,
        });
        drop(self.submits.turn().await);
        let url = self.endpoint(&["file-urls", "batch"]);
        let request = self.api.post(url).bearer_auth(token.expose()).header("content-type", "application/json");
        let response = self.api.send_built(request.body(order.to_string())).await?;
        let data = self.data(response).await?;
        let batch = data.get("batch_id").and_then(Value::as_str).filter(|batch| is_id(batch));
        let address =
            data.get("file_urls").and_then(Value::as_array).and_then(|urls| urls.first()).and_then(Value::as_str);
        let (Some(batch), Some(address)) = (batch, address) else {
            return Err(MineruError::Unreadable("it names no batch or no address for the file".to_owned()));
        };
        // The address is signed for a request without a type and without other credentials.
        let request = self.transfer.put(self.address(address)?).body(file.bytes.clone());
        let status = self.transfer.send_built(request).await?.status();
        if !status.is_success() {
            return Err(MineruError::Storage { what: "the file", status: status.as_u16() });
        }
        Ok(batch.to_owned())
    }

    async fn poll(&self, task: &str) -> Result<Progress, MineruError> {
        self.task(task).await.map(|task| task.progress)
    }

    async fn fetch(&self, task: &str) -> Result<Bytes, MineruError> {
        // The address of a result expires, so it is not kept but asked for.
        let task = self.task(task).await?;
        let Some(zip) = task.zip else {
            return Err(MineruError::Busy("the result has no address yet".to_owned()));
        };
        let response = self.transfer.send_built(self.transfer.get(self.address(&zip)?)).await?;
        match response.status() {
            StatusCode::OK => Ok(response.bytes().await?),
            status => Err(MineruError::Storage { what: "the result", status: status.as_u16() }),
        }
    }
}

/// A code: a number or a string.
fn code(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_encrypted_service_names_encrypted_addresses() {
        let cloud = |base: &str| Cloud::new(&HttpClient::new().unwrap(), base.parse().unwrap(), None, "vlm".into());
        assert!(cloud("https://mineru.net/api/v4").address("https://oss.example.org/a?b").is_ok());
        assert!(cloud("http://127.0.0.1/").address("http://127.0.0.1/a").is_ok());
        assert!(cloud("http://127.0.0.1/").address("file:///etc/passwd").is_err());
        for wrong in ["http://oss.example.org/a", "ftp://oss.example.org/a", "no address", ""] {
            assert!(cloud("https://mineru.net/api/v4").address(wrong).is_err(), "{wrong}");
        }
    }
}
