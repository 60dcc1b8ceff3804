//! A [`Reply`] on the wire: HTTP and the chunks of a chat completion.

use super::reply::{Ending, Form, Head, Ids, Reply, Step};
use super::{Format, Shared, anthropic};
use axum::body::{Body, Bytes};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// One thing that happens while a body is sent.
pub(super) enum Act {
    Send(Bytes),
    Delay(Duration),
    Gate(String),
    Cut,
    Hang,
}

pub(super) async fn respond(
    reply: Reply,
    number: usize,
    request: &Value,
    format: Format,
    shared: Arc<Shared>,
) -> Response {
    let model = request["model"].as_str().unwrap_or("scripted").to_owned();
    let with_usage = request["stream_options"]["include_usage"] == true;
    let chunks = Chunks { number, model, created: 1_767_225_600 };
    let mut stage = Stage { shared, over: false };
    for step in reply.before_headers() {
        match step {
            Step::Delay(time) => stage.act(&Act::Delay(*time)).await,
            Step::Gate(name) => stage.act(&Act::Gate(name.clone())).await,
            Step::Hang => stage.act(&Act::Hang).await,
            Step::Thinking(_) | Step::Text(_) | Step::Call { .. } | Step::Raw(_) | Step::Cut => {}
        }
    }
    match &reply.head {
        Head::Status { code, headers, body } => {
            stage.close();
            status(*code, headers, body.clone())
        }
        Head::Answer if reply.form == Form::Json => {
            stage.close();
            let body = match format {
                Format::Chat => chunks.whole(&reply),
                Format::Messages => anthropic::whole(number, &chunks.model, &reply),
            };
            let body = body.to_string();
            ([(header::CONTENT_TYPE, "application/json")], body).into_response()
        }
        Head::Answer => {
            let acts = match format {
                Format::Chat => chunks.acts(&reply, with_usage),
                Format::Messages => anthropic::acts(number, &chunks.model, &reply),
            };
            let acts = frames(acts, reply.frame_bytes);
            ([(header::CONTENT_TYPE, "text/event-stream")], play(acts, stage)).into_response()
        }
    }
}

fn status(code: u16, headers: &[(String, String)], body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in headers {
        match (name.parse::<HeaderName>(), value.parse::<HeaderValue>()) {
            (Ok(name), Ok(value)) => {
                response.headers_mut().insert(name, value);
            }
            (Err(_), _) | (_, Err(_)) => panic!("the script has a header that is none: {name}: {value}"),
        }
    }
    response
}

/// Where a reply is played; counts an answer that its reader lets go before the end.
struct Stage {
    shared: Arc<Shared>,
    over: bool,
}

impl Stage {
    fn close(&mut self) {
        self.over = true;
    }

    /// Everything but sending and cutting, which only a body can do.
    async fn act(&self, act: &Act) {
        match act {
            Act::Delay(time) => tokio::time::sleep(*time).await,
            Act::Gate(name) => {
                self.shared.reached.send_modify(|gates| {
                    gates.insert(name.clone());
                });
                super::wait(&self.shared.opened, |gates| gates.contains(name)).await;
            }
            Act::Hang => std::future::pending().await,
            Act::Send(_) | Act::Cut => {}
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        if !self.over {
            self.shared.abandoned.send_modify(|count| *count += 1);
        }
    }
}

fn play(acts: Vec<Act>, mut stage: Stage) -> Body {
    Body::from_stream(async_stream::stream! {
        for act in acts {
            // A pending body makes the HTTP layer flush: what was said before a cut does arrive.
            tokio::task::yield_now().await;
            match act {
                Act::Send(bytes) => yield Ok(bytes),
                Act::Cut => {
                    stage.close();
                    yield Err(io::Error::new(io::ErrorKind::ConnectionReset, "cut by the script"));
                    return;
                }
                Act::Delay(_) | Act::Gate(_) | Act::Hang => stage.act(&act).await,
            }
        }
        stage.close();
    })
}

/// Cuts what is sent into frames of the given size.
fn frames(acts: Vec<Act>, size: Option<usize>) -> Vec<Act> {
    let Some(size) = size else { return acts };
    acts.into_iter()
        .flat_map(|act| match act {
            Act::Send(bytes) => bytes.chunks(size).map(|part| Act::Send(Bytes::copy_from_slice(part))).collect(),
            other @ (Act::Delay(_) | Act::Gate(_) | Act::Cut | Act::Hang) => vec![other],
        })
        .collect()
}

/// Makes the JSON of one answer.
struct Chunks {
    number: usize,
    model: String,
    created: u64,
}

impl Chunks {
    fn acts(&self, reply: &Reply, with_usage: bool) -> Vec<Act> {
        let mut acts = vec![self.delta(json!({"role": "assistant", "content": ""}), None)];
        let mut calls = 0;
        for step in reply.after_headers() {
            match step {
                Step::Thinking(text) => {
                    acts.extend(
                        pieces(text, reply.delta_chars).map(|it| self.delta(json!({"reasoning_content": it}), None)),
                    );
                }
                Step::Text(text) => {
                    acts.extend(pieces(text, reply.delta_chars).map(|it| self.delta(json!({"content": it}), None)));
                }
                Step::Call { id, name, arguments } => {
                    let id = self.call_id(reply, id.as_deref(), calls);
                    let first = json!({"index": calls, "id": id, "type": "function", "function": {"name": name, "arguments": ""}});
                    acts.push(self.delta(json!({"tool_calls": [first]}), None));
                    acts.extend(pieces(arguments, reply.delta_chars).map(|it| {
                        self.delta(json!({"tool_calls": [{"index": calls, "function": {"arguments": it}}]}), None)
                    }));
                    calls += 1;
                }
                Step::Raw(text) => acts.push(Act::Send(Bytes::copy_from_slice(text.as_bytes()))),
                Step::Delay(time) => acts.push(Act::Delay(*time)),
                Step::Gate(name) => acts.push(Act::Gate(name.clone())),
                Step::Cut => acts.push(Act::Cut),
                Step::Hang => acts.push(Act::Hang),
            }
        }
        let (reason, done) = match &reply.ending {
            Ending::Silence => return acts,
            Ending::NoDone => (None, false),
            Ending::Done { reason } => (reason.as_deref(), true),
        };
        acts.push(self.delta(json!({}), Some(reason.unwrap_or_else(|| default_reason(calls)))));
        if let Some(usage) = reply.usage.as_ref().filter(|_| with_usage) {
            acts.push(self.send(&json!({"choices": [], "usage": usage})));
        }
        if done {
            acts.push(Act::Send(Bytes::from_static(b"data: [DONE]\n\n")));
        }
        acts
    }

    fn whole(&self, reply: &Reply) -> Value {
        let (mut text, mut thinking, mut calls) = (String::new(), String::new(), Vec::new());
        for step in &reply.steps {
            match step {
                Step::Text(more) => text.push_str(more),
                Step::Thinking(more) => thinking.push_str(more),
                Step::Call { id, name, arguments } => calls.push(json!({
                    "id": self.call_id(reply, id.as_deref(), calls.len()),
                    "type": "function",
                    "function": {"name": name, "arguments": arguments},
                })),
                Step::Raw(_) | Step::Delay(_) | Step::Gate(_) | Step::Cut | Step::Hang => {}
            }
        }
        let reason = match &reply.ending {
            Ending::Done { reason: Some(reason) } => reason.as_str(),
            Ending::Done { reason: None } | Ending::NoDone | Ending::Silence => default_reason(calls.len()),
        };
        let mut message = json!({"role": "assistant", "content": text});
        if !thinking.is_empty() {
            message["reasoning_content"] = thinking.into();
        }
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        let mut body = json!({
            "id": format!("chatcmpl-{}", self.number),
            "object": "chat.completion",
            "created": self.created,
            "model": self.model,
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        });
        if let Some(usage) = &reply.usage {
            body["usage"] = usage.clone();
        }
        body
    }

    fn call_id(&self, reply: &Reply, given: Option<&str>, at: usize) -> String {
        match (given, &reply.ids) {
            (Some(id), _) => id.to_owned(),
            (None, Ids::Unique) => format!("call_{}_{at}", self.number),
            (None, Ids::Empty) => String::new(),
            (None, Ids::Constant(id)) => id.clone(),
        }
    }

    fn delta(&self, delta: Value, finish_reason: Option<&str>) -> Act {
        self.send(&json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}))
    }

    fn send(&self, part: &Value) -> Act {
        let mut chunk = json!({
            "id": format!("chatcmpl-{}", self.number),
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": self.model,
        });
        if let (Some(chunk), Some(part)) = (chunk.as_object_mut(), part.as_object()) {
            chunk.extend(part.clone());
        }
        Act::Send(Bytes::from(format!("data: {chunk}\n\n")))
    }
}

fn default_reason(calls: usize) -> &'static str {
    if calls > 0 { "tool_calls" } else { "stop" }
}

/// An event with its name, as Anthropic's format has them.
pub(super) fn event(data: &Value) -> Act {
    let name = data["type"].as_str().unwrap_or_default();
    Act::Send(Bytes::from(format!("event: {name}\ndata: {data}\n\n")))
}

/// The text in pieces of at most this many characters.
pub(super) fn pieces(text: &str, characters: usize) -> impl Iterator<Item = String> {
    let characters_of: Vec<char> = text.chars().collect();
    characters_of.chunks(characters).map(|piece| piece.iter().collect()).collect::<Vec<String>>().into_iter()
}
