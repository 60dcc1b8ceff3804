//! What went wrong, in the provider's words and in ours: from statuses, headers and error bodies to [`ModelError`].
//!
//! Providers agree on little. The same code (429) means *wait a second* at one and *pay first* at another, a window that is
//! too small is a 400 with a sentence, and an overload may come inside a stream that began with 200. [`Report`] collects
//! what they said, [`Cause`] is what it means, and the message tells the user what to do about it.

mod cause;
mod report;
mod retry_after;

use crate::config::Secret;
use crate::llm::foreign::Foreign;
use crate::llm::types::{ModelError, ModelErrorKind};
use cause::Cause;
use report::Report;
use reqwest::header::HeaderMap;
use serde_json::Value;
use std::time::{Duration, SystemTime};

/// How much of what a provider said is shown, in characters.
const QUOTE: usize = 300;

/// The server and the model of a request, as its failures name them; knows the key only to keep it out of the texts.
#[derive(Debug, Clone)]
pub struct Endpoint {
    host: String,
    model: String,
    key: Option<Secret>,
}

impl Endpoint {
    /// The server at `base_url`, asked for `model`.
    #[must_use]
    pub fn new(base_url: &url::Url, model: &str, key: Option<Secret>) -> Self {
        let host = base_url.host_str().unwrap_or("unknown host");
        let host = base_url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        Self { host, model: model.to_owned(), key }
    }

    /// The server answered with a status that is no success.
    #[must_use]
    pub fn refused(&self, status: u16, headers: &HeaderMap, body: &[u8]) -> ModelError {
        let mut report = Report::from_body(body);
        report.status = Some(status);
        let asked = retry_after::from_headers(headers, SystemTime::now());
        report.retry_after = report.retry_after.max(asked);
        self.explain(&report)
    }

    /// The server answered with 200 and then reported an error: `body` is the object that holds it.
    #[must_use]
    pub fn reported(&self, body: &Value) -> ModelError {
        self.explain(&Report::from_value(body))
    }

    /// The server sent an `error` event that is not JSON.
    #[must_use]
    pub fn reported_text(&self, text: &str) -> ModelError {
        self.explain(&Report::from_text(text))
    }

    /// The model gave up for a reason that it put into the finish reason.
    #[must_use]
    pub fn gave_up(&self, reason: &str) -> ModelError {
        let kind =
            if reason == "insufficient_system_resource" { ModelErrorKind::Overloaded } else { ModelErrorKind::Server };
        error(kind, format!("The model server at {} gave up in the middle (`{reason}`).", self.host))
    }

    /// No connection, or it broke: `detail` says how.
    #[must_use]
    pub fn unreachable(&self, detail: &str) -> ModelError {
        let text = format!("The model server at {} cannot be reached: {}.", self.host, self.quote(detail));
        error(ModelErrorKind::Connection, text)
    }

    /// The answer ended before the model had finished.
    #[must_use]
    pub fn broke_off(&self) -> ModelError {
        let text = format!("The answer of the model server at {} broke off.", self.host);
        error(ModelErrorKind::Connection, text)
    }

    /// Nothing came for this long.
    #[must_use]
    pub fn silent(&self, time: Duration) -> ModelError {
        let text = format!("The model server at {} sent nothing for {} s.", self.host, time.as_secs_f32());
        error(ModelErrorKind::Idle, text)
    }

    /// What arrived is not a chat completion.
    #[must_use]
    pub fn speaks(&self, format: Foreign) -> ModelError {
        error(ModelErrorKind::Format, format.sentence(&self.host))
    }

    /// What arrived cannot be read: `detail` says why.
    #[must_use]
    pub fn unreadable(&self, detail: &str) -> ModelError {
        let text = format!("The model server at {} sent something unreadable: {}.", self.host, self.quote(detail));
        error(ModelErrorKind::Format, text)
    }

    /// The key cannot stand in a header.
    #[must_use]
    pub fn unusable_key() -> ModelError {
        let text = "LLM_API_KEY contains characters that no key has, such as a line break: set it anew.";
        error(ModelErrorKind::Authentication, text.to_owned())
    }

    fn explain(&self, report: &Report) -> ModelError {
        let cause = Cause::of(report);
        let mut message = cause.sentence(&self.host, &self.model, report.status, self.key.is_some());
        let said = self.quote(&report.message);
        if !said.is_empty() {
            message.push_str(&format!(" It says: {said}"));
        }
        ModelError { kind: cause.kind(), message, retry_after: report.retry_after }
    }

    /// The provider's words on one line, without the key, cut to [`QUOTE`] characters.
    fn quote(&self, text: &str) -> String {
        let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        // The key goes before the cut, so that no half of it stays. What is shorter than this is no secret.
        if let Some(key) = self.key.as_ref().map(Secret::expose).filter(|key| key.len() >= 4) {
            text = text.replace(key, "[key]");
        }
        match text.char_indices().nth(QUOTE) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }
}

fn error(kind: ModelErrorKind, message: String) -> ModelError {
    ModelError { kind, message, retry_after: None }
}

#[cfg(test)]
mod tests;
