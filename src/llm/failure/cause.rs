//! What a report means.

use super::report::Report;
use crate::llm::types::ModelErrorKind;

/// The reasons that are told apart, finer than [`ModelErrorKind`] because what the user should do differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The key is missing or wrong.
    Key,
    /// The key is good but not for this.
    Forbidden,
    /// Out of credit or over a quota.
    Quota,
    /// Too many requests for the moment.
    RateLimited,
    /// The service has more to do than it can.
    Overloaded,
    /// More than the model's window.
    TooLong,
    /// No such model.
    UnknownModel,
    /// No such path.
    Address,
    /// Refused for another reason.
    Invalid,
    /// The server failed.
    Server,
    /// The server waited too long for something.
    Timeout,
}

/// Codes and phrases, in lower case, of an overload that is not the caller's fault.
const OVERLOAD: &[&str] = &["overload", "over capacity", "at capacity", "server_busy", "server busy", "server is busy"];

/// Of a request that does not fit: OpenAI, llama.cpp, Anthropic, vLLM, Gemini, DashScope, Groq, in this order.
const TOO_LONG: &[&str] = &[
    "context_length_exceeded",
    "exceed_context_size",
    "prompt is too long",
    "maximum context length",
    "exceeds the maximum number of tokens",
    "range of input length",
    "request too large",
    "context window",
    "context length",
    "input is too long",
    "too many tokens",
];

const UNKNOWN_MODEL: &[&str] = &["model_not_found", "model_not_exist", "model_not_supported"];

/// Phrases that, beside the word *model*, say that there is no such one.
const NOT_THERE: &[&str] = &[
    "does not exist",
    "not found",
    "not_found",
    "not exist",
    "no such model",
    "unknown model",
    "not a valid model",
    "invalid model",
    "supported api model names",
];

const KEY: &[&str] =
    &["invalid_api_key", "authentication_error", "invalid api key", "incorrect api key", "api key not valid"];

const QUOTA: &[&str] = &[
    "insufficient_quota",
    "insufficient_balance",
    "insufficient balance",
    "exceeded your current quota",
    "quota exceeded",
    "quota_exceeded",
    "billing details",
    "billing_hard_limit",
    "credit balance",
    "more credits",
    "insufficient credit",
    "arrearage",
    "payment required",
];

impl Cause {
    /// The first that fits; codes and phrases go before the status, because the status is the vaguest.
    pub fn of(report: &Report) -> Self {
        let words = format!("{} {}", report.codes, report.message.to_lowercase());
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| words.contains(phrase));
        let status = report.status;
        let is_client_error = status.is_none_or(|status| (400..500).contains(&status) && status != 429);
        if status == Some(401) || (is_client_error && says(KEY)) {
            return Self::Key;
        }
        if status == Some(413) || (status != Some(429) && says(TOO_LONG)) {
            return Self::TooLong;
        }
        if is_client_error && (says(UNKNOWN_MODEL) || (words.contains("model") && says(NOT_THERE))) {
            return Self::UnknownModel;
        }
        // Groq and OpenAI advertise their billing page in the sentence about a limit of a minute: the code goes first.
        let limited = report.codes.contains("rate_limit");
        if status == Some(402) || (!limited && status.is_none_or(|status| status < 500) && says(QUOTA)) {
            // Gemini words its limit of a minute like a quota, and says when it ends.
            let passes = report.retry_after.is_some() && !report.daily && report.codes.contains("resource_exhausted");
            return if passes { Self::RateLimited } else { Self::Quota };
        }
        if status.is_none_or(|status| status == 429 || status >= 500) && says(OVERLOAD) {
            return Self::Overloaded;
        }
        // Groq's model wrote a call that its own schema check refused; the same request usually succeeds.
        if report.codes.contains("tool_use_failed") {
            return Self::Server;
        }
        match status {
            Some(status) => Self::of_status(status),
            None if limited || words.contains("rate limit") => Self::RateLimited,
            None if words.contains("invalid_request") => Self::Invalid,
            None => Self::Server,
        }
    }

    fn of_status(status: u16) -> Self {
        match status {
            300..400 | 404 | 405 => Self::Address,
            403 => Self::Forbidden,
            408 => Self::Timeout,
            429 => Self::RateLimited,
            503 | 529 => Self::Overloaded,
            500.. => Self::Server,
            _ => Self::Invalid,
        }
    }

    /// What the caller decides on.
    pub fn kind(self) -> ModelErrorKind {
        match self {
            Self::Key | Self::Forbidden => ModelErrorKind::Authentication,
            Self::Quota => ModelErrorKind::Quota,
            Self::RateLimited => ModelErrorKind::RateLimited,
            Self::Overloaded => ModelErrorKind::Overloaded,
            Self::TooLong => ModelErrorKind::TooLong,
            Self::UnknownModel | Self::Address | Self::Invalid => ModelErrorKind::Invalid,
            Self::Server => ModelErrorKind::Server,
            Self::Timeout => ModelErrorKind::Connection,
        }
    }

    /// What happened and what to do, for the user.
    pub fn sentence(self, host: &str, model: &str, status: Option<u16>, has_key: bool) -> String {
        let code = status.map(|status| format!(" ({status})")).unwrap_or_default();
        match self {
            Self::Key if has_key => {
                format!("The model server at {host} refused the key{code}. Check LLM_API_KEY.")
            }
            Self::Key => format!("The model server at {host} wants a key{code}. Set LLM_API_KEY."),
            Self::Forbidden => format!(
                "The model server at {host} does not allow this{code}. Check that the key in LLM_API_KEY may use `{model}`."
            ),
            Self::Quota => format!(
                "The account at {host} is out of credit or over its quota{code}. Check its billing, or use another model."
            ),
            Self::RateLimited => {
                format!("The model server at {host} takes no more requests for the moment{code}.")
            }
            Self::Overloaded => format!("The model server at {host} is overloaded{code}."),
            Self::TooLong => format!(
                "The conversation is too long for `{model}` at {host}{code}. Compress it, or start a new one; if this comes \
                 early, check LLM_CONTEXT_WINDOW."
            ),
            Self::UnknownModel => {
                format!("The model server at {host} has no model `{model}`{code}. Check LLM_MODEL.")
            }
            Self::Address => format!(
                "The server at {host} has no chat completions at this address{code}. Check LLM_BASE_URL; it usually ends \
                 in /v1."
            ),
            Self::Invalid => format!("The model server at {host} refused the request{code}."),
            Self::Server => format!("The model server at {host} failed{code}."),
            Self::Timeout => format!("The model server at {host} gave up waiting{code}."),
        }
    }
}
