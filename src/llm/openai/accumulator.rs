//! Putting the chunks of one answer together.

use super::calls::{Calls, Entries};
use super::usage;
use crate::llm::foreign::Foreign;
use crate::llm::reader::{Accumulate, Trouble};
use crate::llm::types::{Finish, ModelEvent, Usage};
use serde_json::Value;

/// The state of one answer: chunks in, events out.
#[derive(Debug, Default)]
pub struct Accumulator {
    calls: Calls,
    /// The finish reason, once there was one.
    finish: Option<Finish>,
    /// The model refused, whatever its finish reason says.
    refused: bool,
    /// A chunk with a `delta` that said something came: a `message` would only repeat it.
    streamed: bool,
    usage: Option<Usage>,
    /// Something came that this format does not have.
    strange: bool,
    /// Something came that it has.
    familiar: bool,
}

impl Accumulator {
    /// An answer of which nothing has come.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn feed_choice(&mut self, choice: &Value) -> Result<Vec<ModelEvent>, Trouble> {
        if is_error(choice) {
            return Err(Trouble::Reported(choice.clone()));
        }
        let mut events = Vec::new();
        let (delta, message) = (&choice["delta"], &choice["message"]);
        if delta.is_object() {
            self.feed_message(delta, Entries::Fragments, &mut events);
            self.streamed |= !events.is_empty() || self.calls.count() > 0;
        } else if message.is_object() && !self.streamed {
            self.feed_message(message, Entries::Whole, &mut events);
        }
        if let Some(reason) = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty()) {
            self.finish_with(reason, choice["native_finish_reason"].as_str())?;
            events.extend(self.calls.finish().into_iter().map(ModelEvent::Call));
        }
        Ok(events)
    }

    fn feed_message(&mut self, message: &Value, entries: Entries, events: &mut Vec<ModelEvent>) {
        if let Some(text) = thinking(message) {
            events.push(ModelEvent::Thinking(text));
        }
        feed_content(&message["content"], events);
        if let Some(text) = non_empty(&message["refusal"]) {
            self.refused = true;
            events.push(ModelEvent::Text(text.to_owned()));
        }
        if let Some(list) = message["tool_calls"].as_array() {
            events.extend(self.calls.add(list, entries).into_iter().map(ModelEvent::Call));
        }
    }

    fn finish_with(&mut self, reason: &str, native: Option<&str>) -> Result<(), Trouble> {
        let finish = match reason {
            "error" | "network_error" | "insufficient_system_resource" => {
                return Err(Trouble::GaveUp(reason.to_owned()));
            }
            "length" | "max_tokens" | "model_length" => Finish::Length,
            "content_filter" | "refusal" | "safety" | "sensitive" => Finish::Refused,
            "tool_calls" | "function_call" | "tool_use" => Finish::ToolCalls,
            // `stop`, `eos`, `end_turn` … and whatever else: the model has ended.
            _ => Finish::Stop,
        };
        // OpenRouter says `tool_calls` even if the provider behind it cut the arguments short.
        let cut = native.is_some_and(|native| matches!(native.to_ascii_lowercase().as_str(), "length" | "max_tokens"));
        self.finish = Some(if cut { Finish::Length } else { finish });
        Ok(())
    }
}

impl Accumulate for Accumulator {
    fn has_finished(&self) -> bool {
        self.finish.is_some()
    }

    fn is_complete(&self) -> bool {
        // `[DONE]` is no chunk; the reader sees it.
        false
    }

    fn feed(&mut self, chunk: &Value) -> Result<Vec<ModelEvent>, Trouble> {
        if is_error(chunk) {
            return Err(Trouble::Reported(chunk.clone()));
        }
        if let Some(usage) = usage::find(chunk) {
            self.usage = Some(usage);
        }
        let Some(choices) = chunk["choices"].as_array() else {
            return match Foreign::recognise(chunk) {
                Some(format) => Err(Trouble::Foreign(format)),
                // A ping of some gateway, perhaps; if nothing better comes, it was no chat completion.
                None => {
                    self.strange = true;
                    Ok(Vec::new())
                }
            };
        };
        self.familiar = true;
        // One answer was asked for; a filter's chunk has none.
        match choices.iter().find(|choice| choice["index"].as_u64().unwrap_or_default() == 0) {
            Some(choice) => self.feed_choice(choice),
            None => Ok(Vec::new()),
        }
    }

    fn end(&mut self, done: bool) -> Result<Vec<ModelEvent>, Trouble> {
        if self.finish.is_none() && self.strange && !self.familiar {
            return Err(Trouble::Foreign(Foreign::Unknown));
        }
        let reason = match self.finish {
            Some(reason) => reason,
            None if done => Finish::Stop,
            None => return Err(Trouble::BrokeOff),
        };
        let mut events: Vec<ModelEvent> = self.calls.finish().into_iter().map(ModelEvent::Call).collect();
        events.extend(self.usage.map(ModelEvent::Usage));
        let finish = match reason {
            Finish::Length => Finish::Length,
            Finish::Refused => Finish::Refused,
            Finish::Stop | Finish::ToolCalls if self.refused => Finish::Refused,
            // What counts is whether there are calls, not what the server says about it.
            Finish::Stop | Finish::ToolCalls if self.calls.count() > 0 => Finish::ToolCalls,
            Finish::Stop | Finish::ToolCalls => Finish::Stop,
        };
        events.push(ModelEvent::Finished(finish));
        Ok(events)
    }
}

fn is_error(chunk: &Value) -> bool {
    let reported = chunk.get("error").is_some_and(|error| match error {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Bool(true) | Value::Number(_) | Value::Array(_) | Value::Object(_) => true,
    });
    let bare = chunk.get("choices").is_none() && chunk["message"].is_string() && chunk.get("code").is_some();
    reported || bare || chunk["object"] == "error"
}

/// The reasoning, under whichever of its names; gateways send several with the same text, so the first counts.
fn thinking(message: &Value) -> Option<String> {
    if let Some(text) = ["reasoning_content", "reasoning"].iter().find_map(|name| non_empty(&message[name])) {
        return Some(text.to_owned());
    }
    // OpenRouter: https://openrouter.ai/docs/guides/best-practices/reasoning-tokens
    let details = message["reasoning_details"].as_array()?;
    let text: String = details.iter().filter_map(|it| it["text"].as_str().or_else(|| it["summary"].as_str())).collect();
    (!text.is_empty()).then_some(text)
}

/// The content: text, or a list of parts (Mistral, whose reasoning is a part too).
fn feed_content(content: &Value, events: &mut Vec<ModelEvent>) {
    if let Some(text) = non_empty(content) {
        events.push(ModelEvent::Text(text.to_owned()));
    }
    for part in content.as_array().into_iter().flatten() {
        if let Some(text) = non_empty(&part["text"]) {
            events.push(ModelEvent::Text(text.to_owned()));
        }
        let inner = part["thinking"].as_array().into_iter().flatten().filter_map(|it| non_empty(&it["text"]));
        events.extend(
            non_empty(&part["thinking"]).into_iter().chain(inner).map(|text| ModelEvent::Thinking(text.to_owned())),
        );
    }
}

fn non_empty(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::types::RawCall;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    /// Feeds these choices, each as `(delta or message, finish reason)`, and ends.
    fn read(chunks: &[Value]) -> Result<Vec<ModelEvent>, Trouble> {
        let mut accumulator = Accumulator::new();
        let mut events = Vec::new();
        for chunk in chunks {
            events.extend(accumulator.feed(chunk)?);
        }
        events.extend(accumulator.end(false)?);
        Ok(events)
    }

    fn delta(delta: Value) -> Value {
        json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
    }

    fn finish(reason: &str) -> Value {
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    }

    fn text(text: &str) -> ModelEvent {
        ModelEvent::Text(text.into())
    }

    fn thought(text: &str) -> ModelEvent {
        ModelEvent::Thinking(text.into())
    }

    #[rstest::rstest]
    #[case::reasoning_content(json!({"reasoning_content": "hm"}), thought("hm"))]
    #[case::reasoning(json!({"reasoning": "hm"}), thought("hm"))]
    #[case::both_say_it_once(json!({"reasoning": "hm", "reasoning_details": [{"text": "hm"}]}), thought("hm"))]
    #[case::details_alone(json!({"reasoning_details": [{"text": "h"}, {"summary": "m"}]}), thought("hm"))]
    #[case::part_of_the_content(json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}), thought("hm"))]
    #[case::text_in_parts(json!({"content": [{"type": "text", "text": "hi"}]}), text("hi"))]
    #[case::text(json!({"content": "hi", "reasoning_content": null}), text("hi"))]
    fn hears(#[case] message: Value, #[case] expected: ModelEvent) {
        assert_eq!(read(&[delta(message), finish("stop")]), Ok(vec![expected, ModelEvent::Finished(Finish::Stop)]));
    }

    #[rstest::rstest]
    #[case("stop", Finish::Stop)]
    #[case("eos", Finish::Stop)]
    #[case("tool_calls", Finish::Stop)]
    #[case("length", Finish::Length)]
    #[case("content_filter", Finish::Refused)]
    fn finishes(#[case] reason: &str, #[case] expected: Finish) {
        assert_eq!(read(&[finish(reason)]), Ok(vec![ModelEvent::Finished(expected)]));
    }

    #[test]
    fn calls_make_it_tool_calls_even_if_the_reason_is_stop() {
        let call = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "x", "arguments": ""}}]});
        let raw = RawCall { provider_id: "a".into(), name: "x".into(), arguments: String::new() };
        let expected = vec![ModelEvent::Call(raw), ModelEvent::Finished(Finish::ToolCalls)];
        assert_eq!(read(&[delta(call), finish("stop")]), Ok(expected));
    }

    #[test]
    fn a_cut_that_only_the_native_reason_shows() {
        let chunk =
            json!({"choices": [{"delta": {}, "finish_reason": "tool_calls", "native_finish_reason": "length"}]});
        assert_eq!(read(&[chunk]), Ok(vec![ModelEvent::Finished(Finish::Length)]));
    }

    #[test]
    fn a_refusal_is_shown_and_named() {
        let expected = vec![text("I'm sorry"), ModelEvent::Finished(Finish::Refused)];
        assert_eq!(read(&[delta(json!({"content": "", "refusal": "I'm sorry"})), finish("stop")]), Ok(expected));
    }

    #[test]
    fn the_last_of_several_counts_holds() {
        let count = |output: u64| json!({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": output}});
        let usage = Usage { input_tokens: 5, output_tokens: 2, cached_tokens: 0, cost_usd: None };
        let expected = vec![ModelEvent::Usage(usage), ModelEvent::Finished(Finish::Stop)];
        assert_eq!(read(&[count(1), finish("stop"), count(2)]), Ok(expected));
    }

    #[test]
    fn a_message_that_repeats_the_deltas_is_not_said_twice() {
        let whole = json!({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]});
        let expected = vec![text("hi"), ModelEvent::Finished(Finish::Stop)];
        assert_eq!(read(&[delta(json!({"content": "hi"})), whole]), Ok(expected));
    }

    #[rstest::rstest]
    #[case::object(json!({"error": {"message": "Overloaded"}}))]
    #[case::text(json!({"error": "Overloaded"}))]
    #[case::beside_empty_choices(json!({"choices": [], "error": {"message": "Overloaded"}}))]
    #[case::bare(json!({"code": "ServiceUnavailable", "message": "Overloaded"}))]
    #[case::marked(json!({"object": "error", "message": "Overloaded"}))]
    fn an_error_is_no_chunk(#[case] chunk: Value) {
        assert_eq!(read(std::slice::from_ref(&chunk)), Err(Trouble::Reported(chunk.clone())));
    }

    #[test]
    fn null_is_no_error() {
        let chunk = json!({"error": null, "choices": [{"delta": {"content": "x"}, "finish_reason": "stop"}]});
        assert_eq!(read(&[chunk]), Ok(vec![text("x"), ModelEvent::Finished(Finish::Stop)]));
    }

    #[rstest::rstest]
    #[case::nothing(&[], Trouble::BrokeOff)]
    #[case::no_finish(&[delta(json!({"content": "x"}))], Trouble::BrokeOff)]
    #[case::strange(&[json!({"hello": 1})], Trouble::Foreign(Foreign::Unknown))]
    #[case::failed(&[finish("error")], Trouble::GaveUp("error".into()))]
    fn does_not_end(#[case] chunks: &[Value], #[case] expected: Trouble) {
        assert_eq!(read(chunks), Err(expected));
    }
}
