//! Wire formats that are recognised in an answer but not read, so that the message can say what to change.

use serde_json::Value;

/// A format other than the one that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// OpenAI-compatible chat completions.
    OpenAi,
    /// Anthropic messages.
    Anthropic,
    /// The native format of Gemini.
    Gemini,
    /// The Responses API of OpenAI.
    OpenAiResponses,
    /// The native format of Ollama.
    Ollama,
    /// A web page.
    WebPage,
    /// Something else.
    Unknown,
}

impl Foreign {
    /// Recognises a format by one event or a whole body of it.
    #[must_use]
    pub fn recognise(value: &Value) -> Option<Self> {
        let value = value.as_array().and_then(|list| list.first()).unwrap_or(value);
        let kind = value["type"].as_str().unwrap_or_default();
        let has = |field: &str| value.get(field).is_some();
        if kind.starts_with("message_") || kind.starts_with("content_block_") || (kind == "message" && has("content")) {
            Some(Self::Anthropic)
        } else if has("choices") {
            Some(Self::OpenAi)
        } else if kind.starts_with("response.") || value["object"] == "response" {
            Some(Self::OpenAiResponses)
        } else if has("candidates") || has("usageMetadata") {
            Some(Self::Gemini)
        } else if has("done") && (has("message") || has("response")) {
            Some(Self::Ollama)
        } else {
            None
        }
    }

    /// What to tell the user about the server at `host`.
    #[must_use]
    pub fn sentence(self, host: &str) -> String {
        match self {
            Self::Anthropic => format!(
                "The server at {host} answers in Anthropic's format, which was not expected. Set LLM_PROVIDER to anthropic."
            ),
            Self::OpenAi => format!(
                "The server at {host} answers with chat completions, which were not expected. Set LLM_PROVIDER to openai."
            ),
            Self::Gemini => format!(
                "The server at {host} answers in Gemini's own format, an unsupported format. Use its OpenAI-compatible address in LLM_BASE_URL \
                 (it ends in /v1beta/openai)."
            ),
            Self::OpenAiResponses => format!(
                "The server at {host} answers in the format of OpenAI's Responses, an unsupported format. Use the address of its chat \
                 completions in LLM_BASE_URL (it ends in /v1)."
            ),
            Self::Ollama => format!(
                "The server at {host} answers in Ollama's own format, an unsupported format. Use its OpenAI-compatible address in LLM_BASE_URL \
                 (it ends in /v1)."
            ),
            Self::WebPage => format!(
                "The server at {host} answers with a web page, not with a model's answer. Check LLM_BASE_URL; it usually \
                 ends in /v1."
            ),
            Self::Unknown => {
                format!("What the server at {host} answers is no model's answer. Check LLM_BASE_URL and LLM_PROVIDER.")
            }
        }
    }
}
