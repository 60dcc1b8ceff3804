//! How long a provider asks to wait.

use reqwest::header::{HeaderMap, RETRY_AFTER};
use std::time::{Duration, SystemTime};

/// Reads `retry-after-ms` (OpenAI, Azure) or `Retry-After` in either form of
/// [RFC 9110, section 10.2.3](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3): seconds, or a date.
pub fn from_headers(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(wait) = text("retry-after-ms").and_then(seconds) {
        return Some(wait / 1000);
    }
    let value = text(RETRY_AFTER.as_str())?;
    seconds(value).or_else(|| {
        // A date in the past asks for no wait.
        let date = httpdate::parse_http_date(value).ok()?;
        Some(date.duration_since(now).unwrap_or_default())
    })
}

/// Reads a number of seconds, whole or not; some providers send fractions.
pub fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse().ok()?).ok()
}
