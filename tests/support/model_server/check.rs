//! What a request must be: the invariants that every test guards because every test's requests go through here.

use serde_json::Value;
use std::collections::BTreeSet;

/// Everything that is wrong with a request in the OpenAI-compatible format.
pub fn violations(request: &Value) -> Vec<String> {
    let mut found = Vec::new();
    if request["model"].as_str().is_none_or(str::is_empty) {
        found.push("`model` is missing".to_owned());
    }
    if request["stream"] != true {
        found.push("`stream` is not true".to_owned());
    }
    match request["messages"].as_array() {
        Some(messages) if !messages.is_empty() => check_messages(messages, &mut found),
        Some(_) | None => found.push("`messages` is missing or empty".to_owned()),
    }
    check_tools(request, &mut found);
    found
}

/// Tools whose definition differs from that in the previous request: the prompt cache would be lost.
pub fn unstable_tools(previous: &Value, request: &Value) -> Vec<String> {
    let tools = |request: &Value| request["tools"].as_array().cloned().unwrap_or_default();
    let before = tools(previous);
    tools(request)
        .iter()
        .filter(|tool| before.iter().any(|old| tool_name(old) == tool_name(tool) && old != *tool))
        .map(|tool| format!("the definition of tool `{}` changed between two requests", tool_name(tool)))
        .collect()
}

fn tool_name(tool: &Value) -> &str {
    tool["function"]["name"].as_str().unwrap_or_default()
}

fn check_tools(request: &Value, found: &mut Vec<String>) {
    let Some(tools) = request.get("tools") else { return };
    let Some(tools) = tools.as_array().filter(|tools| !tools.is_empty()) else {
        found.push("`tools` is present but not a list with entries".to_owned());
        return;
    };
    for tool in tools {
        let name = tool_name(tool);
        if tool["type"] != "function" || name.is_empty() {
            found.push(format!("not a tool: {tool}"));
        }
        if !tool["function"]["parameters"].is_object() {
            found.push(format!("the parameters of tool `{name}` are not a schema"));
        }
    }
    // Loaded tools stand behind the others, so the order is the business of a test that compares requests.
    for (at, tool) in tools.iter().enumerate() {
        if tools[..at].iter().any(|other| tool_name(other) == tool_name(tool)) {
            found.push(format!("tool `{}` is there twice", tool_name(tool)));
        }
    }
}

/// The calls of the last assistant message that have no result yet.
#[derive(Default)]
struct Open(Vec<String>);

impl Open {
    fn must_be_closed(&mut self, at: usize, found: &mut Vec<String>) {
        for id in self.0.drain(..) {
            found.push(format!("message {at} comes before the result of call `{id}`"));
        }
    }
}

fn check_messages(messages: &[Value], found: &mut Vec<String>) {
    let mut open = Open::default();
    let mut ids = BTreeSet::new();
    let mut begun = false;
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        if role != "tool" {
            open.must_be_closed(at, found);
        }
        if !begun && role != "system" {
            begun = true;
            if role != "user" {
                found.push(format!("the conversation begins with `{role}`, not with the user"));
            }
        }
        match role {
            "system" if begun => found.push(format!("message {at}: `system` in the middle")),
            "system" | "user" => check_text(message, at, found),
            "assistant" => check_assistant(message, at, &mut ids, &mut open, found),
            "tool" => check_result(message, at, &mut open, found),
            other => found.push(format!("message {at} has the role `{other}`")),
        }
    }
    open.must_be_closed(messages.len(), found);
    if let Some(last) = messages.last()
        && last["role"] == "assistant"
        && last["tool_calls"].is_null()
    {
        found.push("the last message is the assistant's own: there is nothing to answer".to_owned());
    }
}

fn check_text(message: &Value, at: usize, found: &mut Vec<String>) {
    if !message["content"].is_string() {
        found.push(format!("message {at}: `content` is not text"));
    }
}

fn check_assistant(message: &Value, at: usize, ids: &mut BTreeSet<String>, open: &mut Open, found: &mut Vec<String>) {
    let calls = match message.get("tool_calls") {
        None => &[][..],
        Some(calls) => match calls.as_array() {
            Some(calls) if !calls.is_empty() => calls.as_slice(),
            Some(_) | None => {
                found.push(format!("message {at}: `tool_calls` is present but not a list with entries"));
                &[]
            }
        },
    };
    if calls.is_empty() && message["content"].as_str().is_none_or(str::is_empty) {
        found.push(format!("message {at}: the assistant says nothing and calls nothing"));
    }
    for call in calls {
        let id = call["id"].as_str().unwrap_or_default();
        if id.is_empty() {
            found.push(format!("message {at}: a call without id"));
        } else if !ids.insert(id.to_owned()) {
            found.push(format!("message {at}: the call id `{id}` is used twice"));
        }
        if call["type"] != "function" || call["function"]["name"].as_str().is_none_or(str::is_empty) {
            found.push(format!("message {at}: call `{id}` names no function"));
        }
        let arguments = call["function"]["arguments"].as_str().map(serde_json::from_str::<Value>);
        if !matches!(arguments, Some(Ok(Value::Object(_)))) {
            found.push(format!("message {at}: the arguments of call `{id}` are not the text of a JSON object"));
        }
        open.0.push(id.to_owned());
    }
}

fn check_result(message: &Value, at: usize, open: &mut Open, found: &mut Vec<String>) {
    check_text(message, at, found);
    let id = message["tool_call_id"].as_str().unwrap_or_default();
    match open.0.iter().position(|call| call == id) {
        Some(position) => {
            open.0.remove(position);
        }
        None => found.push(format!("message {at}: a result for `{id}`, which is no open call")),
    }
}
