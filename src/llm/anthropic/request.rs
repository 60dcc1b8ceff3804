//! A [`ModelRequest`] as the body of `POST {base}/v1/messages`.

use crate::llm::types::{AnsweredCall, Entry, ModelRequest};
use serde_json::{Map, Value, json};
use url::Url;

/// The version of the format that is written and read.
pub const VERSION: &str = "2023-06-01";
/// Upper bound of an answer in tokens when the settings name none; the format demands one, and every current model takes
/// it.
const DEFAULT_MAX_TOKENS: u32 = 8192;
/// Tokens that may be spent on thinking. It has to be less than the bound of the whole answer.
const THINKING_TOKENS: u32 = 4096;

/// Where the requests go. An address that already names the endpoint is taken as it is.
#[must_use]
pub fn address(base_url: &Url) -> Url {
    let mut address = base_url.clone();
    let path = base_url.path().trim_end_matches('/');
    if !path.ends_with("/messages") {
        let version = if path.ends_with("/v1") { "" } else { "/v1" };
        address.set_path(&format!("{path}{version}/messages"));
    }
    address
}

/// Writes the body. The same request always gives the same bytes, so that the provider's prompt cache can recognise it.
///
/// Two breakpoints mark what may be cached: the tools with the system prompt, and the conversation so far.
///
/// # Errors
/// If it cannot be written as JSON, which a [`Value`] always can.
pub fn body(request: &ModelRequest) -> serde_json::Result<Vec<u8>> {
    let limit = request.max_output_tokens.unwrap_or(DEFAULT_MAX_TOKENS);
    let mut body = json!({
        "model": request.model,
        "max_tokens": limit,
        "messages": messages(request),
        "stream": true,
    });
    if !request.system.is_empty() {
        body["system"] = json!([{ "type": "text", "text": request.system, "cache_control": cached() }]);
    }
    if !request.tools.is_empty() {
        let tool = |tool: &crate::llm::types::ToolDefinition| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters });
        body["tools"] = request.tools.iter().map(tool).collect();
    }
    if request.enable_thinking {
        // At least 1,024 by the format, and less than the whole.
        let budget = THINKING_TOKENS.min(limit.saturating_sub(1024)).max(1024);
        body["max_tokens"] = limit.max(budget + 1024).into();
        body["thinking"] = json!({ "type": "enabled", "budget_tokens": budget });
    }
    serde_json::to_vec(&body)
}

fn cached() -> Value {
    json!({ "type": "ephemeral" })
}

/// The conversation with its roles in turn: results are a user's message, and what the user says next joins them.
fn messages(request: &ModelRequest) -> Vec<Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    let mut add = |role: &'static str, blocks: Vec<Value>| match messages.last_mut() {
        _ if blocks.is_empty() => {}
        Some((last, content)) if *last == role => content.extend(blocks),
        Some(_) | None => messages.push((role, blocks)),
    };
    for entry in &request.entries {
        match entry {
            Entry::User { content } => add("user", text(content).into_iter().collect()),
            Entry::Assistant { content, thinking, calls } => {
                let mut blocks = Vec::new();
                // Signed by this very model; another one could not read it.
                if let Some(thinking) =
                    thinking.as_ref().filter(|it| request.enable_thinking && it.model == request.model)
                {
                    blocks.extend(thinking.sealed.iter().cloned());
                }
                let spoken = blocks.len();
                blocks.extend(text(content));
                blocks.extend(calls.iter().map(call));
                if blocks.len() > spoken {
                    add("assistant", blocks);
                }
                add("user", calls.iter().map(result).collect());
            }
        }
    }
    if let Some(Value::Object(block)) = messages.last_mut().and_then(|(_, blocks)| blocks.last_mut()) {
        block.insert("cache_control".to_owned(), cached());
    }
    messages.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

/// The format refuses empty texts.
fn text(content: &str) -> Option<Value> {
    (!content.trim().is_empty()).then(|| json!({ "type": "text", "text": content }))
}

fn call(call: &AnsweredCall) -> Value {
    let input = if call.arguments.is_object() { call.arguments.clone() } else { Value::Object(Map::new()) };
    json!({ "type": "tool_use", "id": call.wire_id, "name": call.name, "input": input })
}

fn result(call: &AnsweredCall) -> Value {
    let mut result = json!({ "type": "tool_result", "tool_use_id": call.wire_id });
    if let Some(text) = text(&call.result) {
        result["content"] = json!([text]);
    }
    if call.is_error {
        result["is_error"] = true.into();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::types::{Thinking, ToolDefinition};
    use pretty_assertions::assert_eq;

    fn request() -> ModelRequest {
        let call = |id: &str| AnsweredCall {
            wire_id: id.into(),
            name: "t".into(),
            arguments: json!({ "a": 1 }),
            result: "r".into(),
            is_error: id == "c2",
        };
        let thinking = Thinking {
            text: "hm".into(),
            sealed: vec![json!({ "type": "thinking", "signature": "s" })],
            model: "m".into(),
        };
        ModelRequest {
            model: "m".into(),
            system: "be exact".into(),
            entries: vec![
                Entry::User { content: "q".into() },
                Entry::Assistant {
                    content: String::new(),
                    thinking: Some(thinking),
                    calls: vec![call("c1"), call("c2")],
                },
                Entry::User { content: "more".into() },
                Entry::Assistant { content: "  ".into(), thinking: None, calls: vec![] },
            ],
            tools: vec![ToolDefinition { name: "t".into(), description: "d".into(), parameters: json!({}) }],
            enable_thinking: true,
            max_output_tokens: None,
        }
    }

    fn written(request: &ModelRequest) -> Value {
        serde_json::from_slice(&body(request).unwrap()).unwrap()
    }

    #[test]
    fn roles_alternate_and_results_follow_their_calls() {
        let body = written(&request());
        let messages = body["messages"].as_array().unwrap();
        let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
        assert_eq!(roles, ["user", "assistant", "user"]);
        let kinds = |at: usize| -> Vec<&str> {
            messages[at]["content"].as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect()
        };
        assert_eq!(kinds(1), ["thinking", "tool_use", "tool_use"]);
        assert_eq!(kinds(2), ["tool_result", "tool_result", "text"]);
        assert_eq!(messages[2]["content"][1]["is_error"], true);
        assert_eq!(messages[2]["content"][2]["cache_control"]["type"], "ephemeral");
        assert_eq!(body["thinking"]["budget_tokens"], 4096);
    }

    #[test]
    fn thinking_goes_back_to_its_own_model_alone() {
        for (model, enable_thinking, expected) in
            [("m", true, "thinking"), ("n", true, "tool_use"), ("m", false, "tool_use")]
        {
            let body = written(&ModelRequest { model: model.into(), enable_thinking, ..request() });
            assert_eq!(body["messages"][1]["content"][0]["type"], expected, "{model} {enable_thinking}");
        }
    }

    #[test]
    fn addresses() {
        for base in
            ["https://api.anthropic.com", "https://api.anthropic.com/v1", "https://api.anthropic.com/v1/messages/"]
        {
            assert_eq!(address(&base.parse().unwrap()).path().trim_end_matches('/'), "/v1/messages", "{base}");
        }
    }
}
