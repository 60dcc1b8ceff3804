//! The other wire format: Anthropic's messages.

use super::reply::{Ending, Form, Ids, Reply, Step};
use super::wire::{Act, event, pieces};
use axum::body::Bytes;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Everything that is wrong with a request.
pub fn violations(request: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (field, right) in [
        ("model", request["model"].as_str().is_some_and(|model| !model.is_empty())),
        ("max_tokens", request["max_tokens"].as_u64().is_some_and(|limit| limit > 0)),
        ("stream", request["stream"] == true),
        ("messages", request["messages"].as_array().is_some_and(|messages| !messages.is_empty())),
    ] {
        if !right {
            found.push(format!("`{field}` is missing or wrong"));
        }
    }
    let mut expected = "user";
    let (mut open, mut ids) = (Vec::new(), BTreeSet::new());
    for (at, message) in request["messages"].as_array().into_iter().flatten().enumerate() {
        if message["role"] != expected {
            found.push(format!("message {at} has the role {}, not `{expected}`", message["role"]));
        }
        expected = if expected == "user" { "assistant" } else { "user" };
        check_blocks(at, message, &mut open, &mut ids, &mut found);
    }
    if let Some(id) = open.first() {
        found.push(format!("call `{id}` has no result"));
    }
    if expected == "user" {
        found.push("the last message is the assistant's own: there is nothing to answer".to_owned());
    }
    for tool in request["tools"].as_array().into_iter().flatten() {
        if tool["name"].as_str().is_none_or(str::is_empty) || !tool["input_schema"].is_object() {
            found.push(format!("not a tool: {tool}"));
        }
    }
    found
}

fn check_blocks(
    at: usize,
    message: &Value,
    open: &mut Vec<String>,
    ids: &mut BTreeSet<String>,
    found: &mut Vec<String>,
) {
    let blocks = message["content"].as_array().cloned().unwrap_or_default();
    if blocks.is_empty() {
        found.push(format!("message {at} is empty"));
    }
    let mut results_may_come = true;
    for block in &blocks {
        let id = |field: &str| block[field].as_str().unwrap_or_default().to_owned();
        match block["type"].as_str().unwrap_or_default() {
            "text" => {
                if block["text"].as_str().is_none_or(|text| text.trim().is_empty()) {
                    found.push(format!("message {at} has an empty text"));
                }
                results_may_come = false;
            }
            "tool_use" => {
                if !ids.insert(id("id")) {
                    found.push(format!("message {at} repeats the id of call `{}`", id("id")));
                }
                if !block["input"].is_object() {
                    found.push(format!("message {at}: the input of `{}` is no object", id("name")));
                }
                open.push(id("id"));
            }
            "tool_result" => match open.iter().position(|it| *it == id("tool_use_id")) {
                Some(place) if results_may_come => {
                    open.remove(place);
                }
                Some(_) => found.push(format!("message {at}: a result comes after text")),
                None => found.push(format!("message {at}: a result of no open call `{}`", id("tool_use_id"))),
            },
            "thinking" | "redacted_thinking" if message["role"] == "assistant" => {}
            other => found.push(format!("message {at} has a block `{other}`")),
        }
    }
    if message["role"] == "user"
        && let Some(id) = open.first()
    {
        found.push(format!("message {at} comes without the result of call `{id}`"));
        open.clear();
    }
}

/// The request as the other format would have it, for scripts that look at it.
pub fn as_chat(request: &Value) -> Value {
    let mut messages = Vec::new();
    for message in request["messages"].as_array().into_iter().flatten() {
        let blocks = message["content"].as_array().cloned().unwrap_or_default();
        let of = |kind: &str| blocks.iter().filter(|block| block["type"] == kind).cloned().collect::<Vec<_>>();
        for result in of("tool_result") {
            let text = result["content"][0]["text"].as_str().unwrap_or_default();
            messages.push(json!({ "role": "tool", "tool_call_id": result["tool_use_id"], "content": text }));
        }
        let texts: Vec<String> =
            of("text").iter().filter_map(|block| block["text"].as_str().map(str::to_owned)).collect();
        let calls: Vec<Value> = of("tool_use")
            .iter()
            .map(|call| json!({ "id": call["id"], "function": { "name": call["name"], "arguments": call["input"].to_string() } }))
            .collect();
        if !texts.is_empty() || !calls.is_empty() {
            let mut message = json!({ "role": message["role"], "content": texts.join("\n") });
            if !calls.is_empty() {
                message["tool_calls"] = calls.into();
            }
            messages.push(message);
        }
    }
    json!({ "model": request["model"], "messages": messages, "tools": request["tools"] })
}

/// The answer as events.
pub(super) fn acts(number: usize, model: &str, reply: &Reply) -> Vec<Act> {
    let usage = usage(reply);
    let start = json!({ "type": "message_start", "message": {
        "id": format!("msg_{number}"), "type": "message", "role": "assistant", "content": [], "model": model,
        "usage": { "input_tokens": usage["input_tokens"], "cache_read_input_tokens": usage["cache_read_input_tokens"], "output_tokens": 1 },
    }});
    let mut acts = vec![event(&start), event(&json!({ "type": "ping" }))];
    let (mut index, mut calls) = (0, 0);
    for step in reply.after_headers() {
        let block = match step {
            Step::Text(text) => Some((json!({ "type": "text", "text": "" }), "text_delta", "text", text)),
            Step::Thinking(text) => {
                Some((json!({ "type": "thinking", "thinking": "" }), "thinking_delta", "thinking", text))
            }
            Step::Call { id, name, arguments } => {
                let id = call_id(number, calls, reply, id.as_deref());
                calls += 1;
                let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
                Some((block, "input_json_delta", "partial_json", arguments))
            }
            Step::Raw(text) => {
                acts.push(Act::Send(Bytes::copy_from_slice(text.as_bytes())));
                None
            }
            Step::Delay(time) => {
                acts.push(Act::Delay(*time));
                None
            }
            Step::Gate(name) => {
                acts.push(Act::Gate(name.clone()));
                None
            }
            Step::Cut => {
                acts.push(Act::Cut);
                None
            }
            Step::Hang => {
                acts.push(Act::Hang);
                None
            }
        };
        let Some((block, kind, field, text)) = block else { continue };
        acts.push(event(&json!({ "type": "content_block_start", "index": index, "content_block": block })));
        acts.extend(pieces(text, reply.delta_chars).map(|piece| {
            event(&json!({ "type": "content_block_delta", "index": index, "delta": { "type": kind, field: piece } }))
        }));
        if kind == "thinking_delta" {
            let delta = json!({ "type": "signature_delta", "signature": format!("signed-{number}") });
            acts.push(event(&json!({ "type": "content_block_delta", "index": index, "delta": delta })));
        }
        acts.push(event(&json!({ "type": "content_block_stop", "index": index })));
        index += 1;
    }
    let reason = match &reply.ending {
        Ending::Silence => return acts,
        Ending::Done { reason: Some(reason) } => reason.as_str(),
        Ending::Done { reason: None } | Ending::NoDone => default_reason(calls),
    };
    let delta = json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": { "output_tokens": usage["output_tokens"] } });
    acts.push(event(&delta));
    if !matches!(reply.ending, Ending::NoDone) {
        acts.push(event(&json!({ "type": "message_stop" })));
    }
    acts
}

/// The answer as one body.
pub(super) fn whole(number: usize, model: &str, reply: &Reply) -> Value {
    let mut content = Vec::new();
    let mut calls = 0;
    for step in &reply.steps {
        match step {
            Step::Text(text) => content.push(json!({ "type": "text", "text": text })),
            Step::Thinking(text) => {
                content.push(json!({ "type": "thinking", "thinking": text, "signature": "signed" }))
            }
            Step::Call { id, name, arguments } => {
                let input: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
                let id = call_id(number, calls, reply, id.as_deref());
                content.push(json!({ "type": "tool_use", "id": id, "name": name, "input": input }));
                calls += 1;
            }
            Step::Raw(_) | Step::Delay(_) | Step::Gate(_) | Step::Cut | Step::Hang => {}
        }
    }
    debug_assert!(reply.form == Form::Json);
    json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": default_reason(calls), "usage": usage(reply),
    })
}

fn usage(reply: &Reply) -> Value {
    let usage = reply.usage.clone().unwrap_or_default();
    let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap_or_default();
    json!({
        "input_tokens": usage["prompt_tokens"].as_u64().unwrap_or_default() - cached,
        "cache_read_input_tokens": cached,
        "output_tokens": usage["completion_tokens"].as_u64().unwrap_or_default(),
    })
}

fn call_id(number: usize, at: usize, reply: &Reply, given: Option<&str>) -> String {
    match (given, &reply.ids) {
        (Some(id), _) => id.to_owned(),
        (None, Ids::Unique) => format!("toolu_{number}_{at}"),
        (None, Ids::Empty) => String::new(),
        (None, Ids::Constant(id)) => id.clone(),
    }
}

fn default_reason(calls: usize) -> &'static str {
    if calls > 0 { "tool_use" } else { "end_turn" }
}
