//! Where servers of the same format differ in what they want to be sent.
//!
//! Decided by the host of the base address alone: a model's name says little (the same model is served by many), and an
//! unknown field is a 400 at some hosts. A host that is not listed gets what OpenAI's own documentation has as of 2023,
//! which all understand, and no word about thinking.

use url::{Host, Url};

/// How a request for thinking is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThinkingField {
    /// Not at all: the model's own default.
    None,
    /// `enable_thinking: bool` (Alibaba's Model Studio).
    EnableThinking,
    /// `thinking: {type: enabled | disabled}` (DeepSeek, Z.ai).
    ThinkingType,
    /// `reasoning: {enabled: bool}` (OpenRouter).
    Reasoning,
    /// `chat_template_kwargs: {enable_thinking: bool}` (vLLM, SGLang, llama.cpp; others ignore it).
    TemplateArgument,
}

/// The name of the upper bound of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitField {
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`: OpenAI's reasoning models refuse the older name.
    MaxCompletionTokens,
}

/// What a server wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// How a request for thinking is put.
    pub thinking: ThinkingField,
    /// Whether the reasoning before a call must come back as `reasoning_content`.
    pub returns_reasoning: bool,
    /// The name of the upper bound of an answer.
    pub limit: LimitField,
    /// Whether `stream_options.include_usage` is understood.
    pub usage_option: bool,
}

impl Dialect {
    /// What everyone understands.
    const PLAIN: Self = Self {
        thinking: ThinkingField::None,
        returns_reasoning: false,
        limit: LimitField::MaxTokens,
        usage_option: true,
    };

    /// The dialect of the server at this address.
    #[must_use]
    pub fn of(base_url: &Url) -> Self {
        let name = match base_url.host() {
            Some(Host::Domain(name)) if name.contains('.') => name,
            // A service of the same machine or network: a name without a dot (Docker, `localhost`) or an address.
            Some(Host::Domain(_) | Host::Ipv4(_) | Host::Ipv6(_)) | None => {
                return Self { thinking: ThinkingField::TemplateArgument, ..Self::PLAIN };
            }
        };
        let is = |domain: &str| name.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        if is("api.openai.com") || is("openai.azure.com") {
            return Self { limit: LimitField::MaxCompletionTokens, ..Self::PLAIN };
        }
        // https://api-docs.deepseek.com/guides/thinking_mode: a call without its reasoning is a 400.
        if is("deepseek.com") {
            return Self { thinking: ThinkingField::ThinkingType, returns_reasoning: true, ..Self::PLAIN };
        }
        // https://platform.moonshot.ai/docs: whether a Kimi model thinks goes with its name.
        if is("moonshot.ai") || is("moonshot.cn") {
            return Self { returns_reasoning: true, ..Self::PLAIN };
        }
        if is("z.ai") || is("bigmodel.cn") {
            return Self { thinking: ThinkingField::ThinkingType, ..Self::PLAIN };
        }
        if is("aliyuncs.com") {
            return Self { thinking: ThinkingField::EnableThinking, ..Self::PLAIN };
        }
        if is("openrouter.ai") {
            return Self { thinking: ThinkingField::Reasoning, ..Self::PLAIN };
        }
        // Always reports its usage, and refuses fields that it does not know.
        if is("mistral.ai") {
            return Self { usage_option: false, ..Self::PLAIN };
        }
        Self::PLAIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rstest::rstest]
    #[case("https://api.openai.com/v1", ThinkingField::None)]
    #[case("https://api.deepseek.com", ThinkingField::ThinkingType)]
    #[case("https://notdeepseek.com", ThinkingField::None)]
    #[case("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", ThinkingField::EnableThinking)]
    #[case("https://openrouter.ai/api/v1", ThinkingField::Reasoning)]
    #[case("http://127.0.0.1:8080/v1", ThinkingField::TemplateArgument)]
    #[case("http://vllm:8000/v1", ThinkingField::TemplateArgument)]
    #[case("https://llm.example.org/v1", ThinkingField::None)]
    fn goes_by_the_host(#[case] address: &str, #[case] expected: ThinkingField) {
        assert_eq!(Dialect::of(&address.parse().unwrap()).thinking, expected);
    }
}
