//! Putting the events of one answer together.

use crate::llm::foreign::Foreign;
use crate::llm::reader::{Accumulate, Trouble};
use crate::llm::types::{Finish, ModelEvent, RawCall, Usage};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The state of one answer: events in, events out.
#[derive(Debug, Default)]
pub struct Accumulator {
    blocks: BTreeMap<u64, Block>,
    /// Thinking that goes back as it came; that of the last message when several were spliced together.
    sealed: Vec<Value>,
    calls: usize,
    finish: Option<Finish>,
    usage: Counts,
    /// `message_stop` has come.
    stopped: bool,
    familiar: bool,
    strange: bool,
}

/// A block that has begun and not stopped.
#[derive(Debug)]
enum Block {
    Text,
    Thinking {
        text: String,
        signature: String,
    },
    Redacted(Value),
    Call {
        id: String,
        name: String,
        input: Value,
        json: String,
    },
    /// A tool of the provider's own, a citation: nothing that we asked for.
    Other,
}

/// What the provider counted, as it came; a later count replaces an earlier one.
#[derive(Debug, Default)]
struct Counts {
    seen: bool,
    input: u64,
    output: u64,
    cache_read: u64,
    cache_creation: u64,
}

impl Counts {
    fn read(&mut self, usage: &Value) {
        let mut take = |name: &str, field: &mut u64| {
            if let Some(count) = usage[name].as_u64() {
                *field = count;
                self.seen = true;
            }
        };
        take("input_tokens", &mut self.input);
        take("output_tokens", &mut self.output);
        take("cache_read_input_tokens", &mut self.cache_read);
        take("cache_creation_input_tokens", &mut self.cache_creation);
    }

    /// `input_tokens` of the provider leaves out what came from the cache or went into it.
    fn usage(&self) -> Option<Usage> {
        self.seen.then_some(Usage {
            input_tokens: self.input + self.cache_read + self.cache_creation,
            output_tokens: self.output,
            cached_tokens: self.cache_read,
            cost_usd: None,
        })
    }
}

impl Accumulator {
    fn start(&mut self, index: u64, block: &Value, events: &mut Vec<ModelEvent>) {
        let text = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
        let begun = match block["type"].as_str().unwrap_or_default() {
            "text" => {
                events.extend(some(text("text")).map(ModelEvent::Text));
                Block::Text
            }
            "thinking" => {
                events.extend(some(text("thinking")).map(ModelEvent::Thinking));
                Block::Thinking { text: text("thinking"), signature: text("signature") }
            }
            "redacted_thinking" => Block::Redacted(block.clone()),
            "tool_use" => {
                let input = block.get("input").cloned().unwrap_or(Value::Null);
                Block::Call { id: text("id"), name: text("name"), input, json: String::new() }
            }
            _ => Block::Other,
        };
        self.blocks.insert(index, begun);
    }

    fn delta(&mut self, index: u64, delta: &Value, events: &mut Vec<ModelEvent>) {
        let text = |name: &str| delta[name].as_str().unwrap_or_default();
        match (delta["type"].as_str().unwrap_or_default(), self.blocks.get_mut(&index)) {
            ("text_delta", _) => events.extend(some(text("text").to_owned()).map(ModelEvent::Text)),
            ("thinking_delta", block) => {
                if let Some(Block::Thinking { text: whole, .. }) = block {
                    whole.push_str(text("thinking"));
                }
                events.extend(some(text("thinking").to_owned()).map(ModelEvent::Thinking));
            }
            ("signature_delta", Some(Block::Thinking { signature, .. })) => signature.push_str(text("signature")),
            ("input_json_delta", Some(Block::Call { json, .. })) => json.push_str(text("partial_json")),
            _ => {}
        }
    }

    fn stop(&mut self, index: u64, events: &mut Vec<ModelEvent>) {
        match self.blocks.remove(&index) {
            Some(Block::Thinking { text, signature }) if !signature.is_empty() => {
                self.sealed.push(json!({ "type": "thinking", "thinking": text, "signature": signature }));
            }
            Some(Block::Redacted(block)) => self.sealed.push(block),
            Some(Block::Call { id, name, input, json }) => {
                self.calls += 1;
                // An empty object stands at the beginning of every streamed call, so only a filled one says something.
                let whole = input.as_object().is_some_and(|input| !input.is_empty());
                let arguments = if json.is_empty() && whole { input.to_string() } else { json };
                events.push(ModelEvent::Call(RawCall { provider_id: id, name, arguments }));
            }
            Some(Block::Text | Block::Thinking { .. } | Block::Other) | None => {}
        }
    }

    fn stop_reason(&mut self, reason: &str) {
        self.finish = Some(match reason {
            "tool_use" => Finish::ToolCalls,
            "max_tokens" | "model_context_window_exceeded" => Finish::Length,
            "refusal" => Finish::Refused,
            // `end_turn`, `stop_sequence`, `pause_turn` … and whatever else: the model has ended.
            _ => Finish::Stop,
        });
    }

    /// A whole answer that was not streamed.
    fn whole(&mut self, message: &Value, events: &mut Vec<ModelEvent>) {
        for (index, block) in (0..).zip(message["content"].as_array().into_iter().flatten()) {
            self.start(index, block, events);
            self.stop(index, events);
        }
        self.usage.read(&message["usage"]);
        self.stop_reason(message["stop_reason"].as_str().unwrap_or_default());
        self.stopped = true;
    }
}

impl Accumulate for Accumulator {
    fn has_finished(&self) -> bool {
        self.finish.is_some()
    }

    fn is_complete(&self) -> bool {
        self.stopped
    }

    fn feed(&mut self, event: &Value) -> Result<Vec<ModelEvent>, Trouble> {
        let mut events = Vec::new();
        let index = event["index"].as_u64().unwrap_or_default();
        match event["type"].as_str().unwrap_or_default() {
            "error" => return Err(Trouble::Reported(event.clone())),
            "ping" => {}
            "message_start" => {
                // A second one: another model takes over, and begins anew.
                self.blocks.clear();
                self.sealed.clear();
                self.usage.read(&event["message"]["usage"]);
            }
            "content_block_start" => self.start(index, &event["content_block"], &mut events),
            "content_block_delta" => self.delta(index, &event["delta"], &mut events),
            "content_block_stop" => self.stop(index, &mut events),
            "message_delta" => {
                self.usage.read(&event["usage"]);
                if let Some(reason) = event["delta"]["stop_reason"].as_str() {
                    self.stop_reason(reason);
                }
            }
            "message_stop" => self.stopped = true,
            "message" if event["content"].is_array() => self.whole(event, &mut events),
            _ if event.get("error").is_some_and(|error| !error.is_null()) => {
                return Err(Trouble::Reported(event.clone()));
            }
            _ => match Foreign::recognise(event) {
                Some(format) => return Err(Trouble::Foreign(format)),
                None => {
                    self.strange = true;
                    return Ok(events);
                }
            },
        }
        self.familiar = true;
        Ok(events)
    }

    fn end(&mut self, done: bool) -> Result<Vec<ModelEvent>, Trouble> {
        if self.finish.is_none() && self.strange && !self.familiar {
            return Err(Trouble::Foreign(Foreign::Unknown));
        }
        let reason = match self.finish {
            Some(reason) => reason,
            None if done || self.stopped => Finish::Stop,
            None => return Err(Trouble::BrokeOff),
        };
        let mut events = Vec::new();
        // Blocks whose end was left out.
        let open: Vec<u64> = self.blocks.keys().copied().collect();
        for index in open {
            self.stop(index, &mut events);
        }
        events.extend(self.sealed.drain(..).map(ModelEvent::SealedThinking));
        events.extend(self.usage.usage().map(ModelEvent::Usage));
        let finish = match reason {
            Finish::Length => Finish::Length,
            Finish::Refused => Finish::Refused,
            // What counts is whether there are calls, not what the server says about it.
            Finish::Stop | Finish::ToolCalls if self.calls > 0 => Finish::ToolCalls,
            Finish::Stop | Finish::ToolCalls => Finish::Stop,
        };
        events.push(ModelEvent::Finished(finish));
        Ok(events)
    }
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}
