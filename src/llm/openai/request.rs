//! A [`ModelRequest`] as the body of `POST {base}/chat/completions`.

use super::dialect::{Dialect, LimitField, ThinkingField};
use crate::llm::types::{AnsweredCall, Entry, ModelRequest, ToolDefinition};
use serde::Serialize;
use serde_json::{Value, json};
use url::Url;

/// Where the requests go. An address that already names the endpoint is taken as it is.
#[must_use]
pub fn address(base_url: &Url) -> Url {
    const ENDPOINT: &str = "/chat/completions";
    let mut address = base_url.clone();
    let path = base_url.path().trim_end_matches('/');
    if !path.ends_with(ENDPOINT) {
        address.set_path(&format!("{path}{ENDPOINT}"));
    }
    address
}

/// Writes the body. The same request always gives the same bytes, so that a provider's prompt cache can recognise it.
///
/// # Errors
/// If the arguments of a call cannot be written as JSON, which a [`Value`] always can.
pub fn body(request: &ModelRequest, dialect: Dialect) -> serde_json::Result<Vec<u8>> {
    let (max_tokens, max_completion_tokens) = match dialect.limit {
        LimitField::MaxTokens => (request.max_output_tokens, None),
        LimitField::MaxCompletionTokens => (None, request.max_output_tokens),
    };
    let body = Body {
        model: &request.model,
        messages: messages(request, dialect)?,
        tools: request.tools.iter().map(Tool::from).collect(),
        stream: true,
        stream_options: dialect.usage_option.then_some(StreamOptions { include_usage: true }),
        max_tokens,
        max_completion_tokens,
        thinking: thinking(dialect.thinking, request.enable_thinking),
    };
    serde_json::to_vec(&body)
}

fn thinking(field: ThinkingField, enable: bool) -> Option<Value> {
    match field {
        ThinkingField::None => None,
        ThinkingField::EnableThinking => Some(json!({"enable_thinking": enable})),
        ThinkingField::ThinkingType => Some(json!({"thinking": {"type": if enable { "enabled" } else { "disabled" }}})),
        ThinkingField::Reasoning => Some(json!({"reasoning": {"enabled": enable}})),
        ThinkingField::TemplateArgument => Some(json!({"chat_template_kwargs": {"enable_thinking": enable}})),
    }
}

fn messages(request: &ModelRequest, dialect: Dialect) -> serde_json::Result<Vec<Message<'_>>> {
    let mut messages = Vec::with_capacity(request.entries.len() + 1);
    if !request.system.is_empty() {
        messages.push(Message::System { content: &request.system });
    }
    for entry in &request.entries {
        match entry {
            Entry::User { content } => messages.push(Message::User { content }),
            // Several providers refuse a message that says nothing, and nothing is lost without it.
            Entry::Assistant { content, calls, .. } if content.is_empty() && calls.is_empty() => {}
            Entry::Assistant { content, thinking, calls } => {
                // Where reasoning is demanded, it is with every call of a thinking model: an empty one will do.
                let reasoning_content = (dialect.returns_reasoning && request.enable_thinking && !calls.is_empty())
                    .then(|| thinking.as_ref().map_or("", |thinking| thinking.text.as_str()));
                messages.push(Message::Assistant {
                    content: (!content.is_empty()).then_some(content),
                    reasoning_content,
                    tool_calls: calls.iter().map(Call::new).collect::<Result<_, _>>()?,
                });
                messages.extend(
                    calls.iter().map(|call| Message::Tool { tool_call_id: &call.wire_id, content: &call.result }),
                );
            }
        }
    }
    Ok(messages)
}

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    messages: Vec<Message<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Tool<'a>>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    #[serde(flatten)]
    thinking: Option<Value>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Message<'a> {
    System {
        content: &'a str,
    },
    User {
        content: &'a str,
    },
    Assistant {
        /// `null` beside calls when the model said nothing, as OpenAI itself has it.
        content: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<&'a str>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<Call<'a>>,
    },
    Tool {
        tool_call_id: &'a str,
        /// The format has no mark for an error; the text says it.
        content: &'a str,
    },
}

#[derive(Serialize)]
struct Call<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'static str,
    function: Function<'a>,
}

#[derive(Serialize)]
struct Function<'a> {
    name: &'a str,
    /// JSON as text.
    arguments: String,
}

impl<'a> Call<'a> {
    fn new(call: &'a AnsweredCall) -> serde_json::Result<Self> {
        let arguments = serde_json::to_string(&call.arguments)?;
        Ok(Self { id: &call.wire_id, kind: "function", function: Function { name: &call.name, arguments } })
    }
}

#[derive(Serialize)]
struct Tool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: &'a ToolDefinition,
}

impl<'a> From<&'a ToolDefinition> for Tool<'a> {
    fn from(function: &'a ToolDefinition) -> Self {
        Self { kind: "function", function }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::types::Thinking;
    use pretty_assertions::assert_eq;

    fn request() -> ModelRequest {
        ModelRequest {
            model: "m".into(),
            system: "be exact".into(),
            entries: vec![
                Entry::User { content: "where is it?".into() },
                Entry::Assistant {
                    content: String::new(),
                    thinking: Some(Thinking { text: "look it up".into(), ..Thinking::default() }),
                    calls: vec![AnsweredCall {
                        wire_id: "c1".into(),
                        name: "query_target".into(),
                        arguments: json!({"name": "M 31"}),
                        result: "00h42m".into(),
                        is_error: false,
                    }],
                },
                Entry::Assistant {
                    content: String::new(),
                    thinking: Some(Thinking { text: "hm".into(), ..Thinking::default() }),
                    calls: vec![],
                },
                Entry::Assistant { content: "There.".into(), thinking: None, calls: vec![] },
                Entry::User { content: "thanks".into() },
            ],
            tools: vec![ToolDefinition {
                name: "query_target".into(),
                description: "Resolve a name.".into(),
                parameters: json!({"type": "object"}),
            }],
            enable_thinking: true,
            max_output_tokens: Some(99),
        }
    }

    fn written(request: &ModelRequest, base: &str) -> Value {
        serde_json::from_slice(&body(request, Dialect::of(&base.parse().unwrap())).unwrap()).unwrap()
    }

    #[test]
    fn writes_the_whole_conversation() {
        let expected = json!({
            "model": "m",
            "stream": true,
            "stream_options": {"include_usage": true},
            "max_tokens": 99,
            "messages": [
                {"role": "system", "content": "be exact"},
                {"role": "user", "content": "where is it?"},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "query_target", "arguments": "{\"name\":\"M 31\"}"}},
                ]},
                {"role": "tool", "tool_call_id": "c1", "content": "00h42m"},
                {"role": "assistant", "content": "There."},
                {"role": "user", "content": "thanks"},
            ],
            "tools": [{"type": "function", "function": {
                "name": "query_target", "description": "Resolve a name.", "parameters": {"type": "object"},
            }}],
        });
        assert_eq!(written(&request(), "https://llm.example.org/v1"), expected);
    }

    #[test]
    fn leaves_out_what_is_not_there() {
        let request = ModelRequest {
            system: String::new(),
            entries: vec![Entry::User { content: "q".into() }],
            tools: vec![],
            max_output_tokens: None,
            ..request()
        };
        let expected = json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "q"}]});
        assert_eq!(written(&request, "https://api.mistral.ai/v1"), expected);
    }

    #[test]
    fn thinking_goes_back_only_where_it_is_demanded() {
        let body = written(&request(), "https://api.deepseek.com");
        assert_eq!(body["thinking"], json!({"type": "enabled"}));
        assert_eq!(body["messages"][2]["reasoning_content"], "look it up");
        assert_eq!(body["messages"][4].get("reasoning_content"), None);
        let body = written(&request(), "https://openrouter.ai/api/v1");
        assert_eq!(body["reasoning"], json!({"enabled": true}));
        assert_eq!(body["messages"][2].get("reasoning_content"), None);
    }

    #[test]
    fn the_limit_has_two_names() {
        let body = written(&request(), "https://api.openai.com/v1");
        assert_eq!((&body["max_completion_tokens"], body.get("max_tokens")), (&json!(99), None));
    }

    #[rstest::rstest]
    #[case("https://h/v1", "https://h/v1/chat/completions")]
    #[case("https://h/v1/", "https://h/v1/chat/completions")]
    #[case("https://h", "https://h/chat/completions")]
    #[case("https://h/v1/chat/completions", "https://h/v1/chat/completions")]
    #[case("https://h/v1?api-version=1", "https://h/v1/chat/completions?api-version=1")]
    fn finds_the_endpoint(#[case] base: &str, #[case] expected: &str) {
        assert_eq!(address(&base.parse().unwrap()).as_str(), expected);
    }
}
