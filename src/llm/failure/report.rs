//! What a provider said about a failure, read from whatever shape it said it in.

use super::retry_after;
use serde_json::Value;
use std::time::Duration;

/// An error as it was reported.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// The HTTP status, or the one that the body claims.
    pub status: Option<u16>,
    /// Codes and types, in lower case, separated by blanks: what programs are meant to read.
    pub codes: String,
    /// The sentence for people.
    pub message: String,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
    /// The quota that was exceeded is one of a day (Gemini).
    pub daily: bool,
}

impl Report {
    /// Reads the body of an answer that is no success: JSON of some shape, a web page, or text.
    pub fn from_body(body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        match serde_json::from_str(&text) {
            Ok(value) => Self::from_value(&value),
            Err(_) => Self::from_text(&text),
        }
    }

    /// Reads text that is not JSON; of a web page only the title.
    pub fn from_text(text: &str) -> Self {
        let message = if text.trim_start().starts_with('<') { title(text).unwrap_or("a web page") } else { text };
        Self { message: message.trim().to_owned(), ..Self::default() }
    }

    /// Reads an error object in any of the shapes seen: `{"error": {…}}`, `{"error": "…"}`, `[{"error": …}]` (Gemini's
    /// compatible endpoint), `{"message": …, "code": …}` (DashScope, older vLLM), `{"detail": …}` (Mistral, FastAPI).
    pub fn from_value(body: &Value) -> Self {
        let body = body.as_array().and_then(|list| list.first()).unwrap_or(body);
        let error = body.get("error").filter(|error| !error.is_null()).unwrap_or(body);
        let mut report = Self {
            status: status(error).or_else(|| status(body)),
            codes: codes(error).to_lowercase(),
            message: message(error),
            ..Self::default()
        };
        for detail in error["details"].as_array().into_iter().flatten() {
            // google.rpc.RetryInfo and google.rpc.QuotaFailure: https://google.aip.dev/193
            if let Some(delay) = detail["retryDelay"].as_str() {
                report.retry_after = delay.strip_suffix('s').and_then(retry_after::seconds);
            }
            for violation in detail["violations"].as_array().into_iter().flatten() {
                report.daily |= violation["quotaId"].as_str().is_some_and(|id| id.contains("PerDay"));
            }
        }
        report
    }
}

fn status(value: &Value) -> Option<u16> {
    ["code", "status_code", "status", "http_code"].iter().find_map(|field| {
        let field = &value[field];
        let number = field.as_u64().or_else(|| field.as_str()?.parse().ok())?;
        u16::try_from(number).ok().filter(|status| (400..600).contains(status))
    })
}

fn codes(error: &Value) -> String {
    let codes: Vec<&str> = ["code", "type", "status"].iter().filter_map(|field| error[field].as_str()).collect();
    codes.join(" ")
}

fn message(error: &Value) -> String {
    let first = [error, &error["message"], &error["detail"], &error["msg"], &error["detail"][0]["msg"]]
        .into_iter()
        .find_map(Value::as_str)
        .unwrap_or_default();
    // OpenRouter wraps what the provider behind it said.
    match error["metadata"]["raw"].as_str() {
        Some(raw) => format!("{first}: {raw}"),
        None => first.to_owned(),
    }
}

fn title(page: &str) -> Option<&str> {
    // ASCII lower case keeps every byte in its place.
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<title")?;
    let start = start + lower[start..].find('>')? + 1;
    let end = start + lower[start..].find("</title")?;
    Some(&page[start..end])
}
