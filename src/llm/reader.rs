//! An answer's bytes, as they come from the network, to events.

use super::{anthropic, openai};
use crate::config::Provider;
use crate::llm::failure::Endpoint;
use crate::llm::foreign::Foreign;
use crate::llm::sse::{Decoder, Event};
use crate::llm::types::{ModelError, ModelEvent};
use serde_json::Value;

/// Why an answer cannot go on; [`Endpoint`] has the words for it.
#[derive(Debug, Clone, PartialEq)]
pub enum Trouble {
    /// The provider reported an error; this object holds it.
    Reported(Value),
    /// The finish reason is a failure.
    GaveUp(String),
    /// This is another format.
    Foreign(Foreign),
    /// It ended before the model had finished.
    BrokeOff,
}

/// Puts the JSON of one answer together: one for each wire format.
pub trait Accumulate: std::fmt::Debug + Send {
    /// Whether a finish reason has come: after it there is only the usage and the end mark.
    fn has_finished(&self) -> bool;

    /// Whether the format's own end mark has come.
    fn is_complete(&self) -> bool;

    /// Reads a piece of a stream, or a whole answer that was not streamed.
    ///
    /// # Errors
    /// If the piece says that the answer failed, or is of another format.
    fn feed(&mut self, piece: &Value) -> Result<Vec<ModelEvent>, Trouble>;

    /// Ends the answer: what is still to be said, ending with [`ModelEvent::Finished`]. `done` tells whether the server
    /// marked the end (`[DONE]`, or a body that was whole); then the finish reason may be missing.
    ///
    /// # Errors
    /// If the answer had not come to its end.
    fn end(&mut self, done: bool) -> Result<Vec<ModelEvent>, Trouble>;
}

/// Reads one answer with status 200.
///
/// The events end as those of [`ModelClient::stream`](crate::llm::ModelClient::stream) do: with
/// [`ModelEvent::Finished`] or [`ModelEvent::Failed`]. What comes after that is not read.
#[derive(Debug)]
pub struct Reader {
    endpoint: Endpoint,
    body: Body,
    accumulator: Box<dyn Accumulate>,
    received: usize,
    over: bool,
}

/// What the body turned out to be. Its first byte tells; the content type is wrong too often.
#[derive(Debug)]
enum Body {
    /// Only white space so far.
    Unknown,
    /// Server-sent events.
    Events(Decoder),
    /// JSON: a server that does not stream, an error, or a format of JSON lines.
    Json(Vec<u8>),
}

impl Reader {
    /// How large an answer may be, in bytes: far more than any model says, and few enough to be kept.
    const LIMIT: usize = 64 << 20;

    /// Reads an answer of this server in its format.
    #[must_use]
    pub fn new(endpoint: Endpoint, provider: Provider) -> Self {
        let accumulator: Box<dyn Accumulate> = match provider {
            Provider::OpenAi => Box::new(openai::accumulator::Accumulator::new()),
            Provider::Anthropic => Box::new(anthropic::accumulator::Accumulator::default()),
        };
        Self { endpoint, body: Body::Unknown, accumulator, received: 0, over: false }
    }

    /// Whether the model has given its finish reason: only the usage and the end mark may follow.
    #[must_use]
    pub fn has_finished(&self) -> bool {
        self.accumulator.has_finished()
    }

    /// Reads more bytes.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
        let mut events = Vec::new();
        let outcome = self.try_feed(bytes, &mut events);
        self.settle(outcome, &mut events);
        events
    }

    /// The body has ended, or nothing more is wanted of it.
    pub fn end(&mut self) -> Vec<ModelEvent> {
        let mut events = Vec::new();
        let outcome = self.try_end(&mut events);
        self.settle(outcome, &mut events);
        events
    }

    fn settle(&mut self, outcome: Result<(), ModelError>, events: &mut Vec<ModelEvent>) {
        let Err(error) = outcome else { return };
        self.over = true;
        // What goes wrong after the finish reason takes nothing from the answer.
        match self.accumulator.end(false) {
            Ok(last) => events.extend(last),
            Err(_) => events.push(ModelEvent::Failed(error)),
        }
    }

    fn try_feed(&mut self, bytes: &[u8], events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if self.over {
            return Ok(());
        }
        self.received += bytes.len();
        if self.received > Self::LIMIT {
            return Err(self.endpoint.unreadable("the answer is too large"));
        }
        let mut bytes = bytes;
        if matches!(self.body, Body::Unknown) {
            bytes = bytes.trim_ascii_start();
            match bytes.first() {
                None => return Ok(()),
                Some(b'{' | b'[') => self.body = Body::Json(Vec::new()),
                Some(b'<') => return Err(self.endpoint.speaks(Foreign::WebPage)),
                Some(_) => self.body = Body::Events(Decoder::new()),
            }
        }
        match &mut self.body {
            Body::Unknown => Ok(()),
            Body::Json(body) => {
                let ends_first_line = bytes.contains(&b'\n') && !body.contains(&b'\n');
                body.extend_from_slice(bytes);
                // A stream of JSON lines shows by its first, and may be long.
                let line = if ends_first_line { first_line(body) } else { None };
                match line.and_then(|line| Foreign::recognise(&line)) {
                    Some(format) => Err(self.endpoint.speaks(format)),
                    None => Ok(()),
                }
            }
            Body::Events(decoder) => {
                let decoded = decoder.feed(bytes).map_err(|error| self.endpoint.unreadable(&error.to_string()))?;
                decoded.iter().try_for_each(|event| self.take_event(event, events))
            }
        }
    }

    fn try_end(&mut self, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if self.over {
            return Ok(());
        }
        match std::mem::replace(&mut self.body, Body::Unknown) {
            Body::Unknown => self.finish(false, events),
            Body::Json(body) => {
                let value = match serde_json::from_slice(&body) {
                    Ok(value) => value,
                    Err(error) if error.is_eof() => return Err(self.endpoint.broke_off()),
                    Err(error) => return Err(self.endpoint.unreadable(&error.to_string())),
                };
                self.take_chunk(&value, events)?;
                if self.over { Ok(()) } else { self.finish(true, events) }
            }
            Body::Events(decoder) => {
                let last = decoder.end().map_err(|error| self.endpoint.unreadable(&error.to_string()))?;
                // Half an event means that the rest of it never came, which `finish` judges.
                if let Some(event) = last.filter(|event| is_whole(&event.data)) {
                    self.take_event(&event, events)?;
                }
                if self.over { Ok(()) } else { self.finish(false, events) }
            }
        }
    }

    fn take_event(&mut self, event: &Event, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        let data = event.data.trim();
        if self.over || data.is_empty() {
            return Ok(());
        }
        if data == DONE {
            return self.finish(true, events);
        }
        let is_error = event.name == "error";
        match serde_json::from_str::<Value>(data) {
            Ok(value) if is_error => Err(self.endpoint.reported(&value)),
            Ok(value) => self.take_chunk(&value, events),
            Err(_) if is_error => Err(self.endpoint.reported_text(data)),
            Err(error) => Err(self.endpoint.unreadable(&format!("an event is not JSON ({error})"))),
        }
    }

    fn take_chunk(&mut self, chunk: &Value, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        events.extend(self.accumulator.feed(chunk).map_err(|trouble| explain(&self.endpoint, &trouble))?);
        if self.accumulator.is_complete() { self.finish(true, events) } else { Ok(()) }
    }

    fn finish(&mut self, done: bool, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        events.extend(self.accumulator.end(done).map_err(|trouble| explain(&self.endpoint, &trouble))?);
        self.over = true;
        Ok(())
    }
}

/// The mark at the end of a stream.
const DONE: &str = "[DONE]";

fn explain(endpoint: &Endpoint, trouble: &Trouble) -> ModelError {
    match trouble {
        Trouble::Reported(body) => endpoint.reported(body),
        Trouble::GaveUp(reason) => endpoint.gave_up(reason),
        Trouble::Foreign(format) => endpoint.speaks(*format),
        Trouble::BrokeOff => endpoint.broke_off(),
    }
}

fn is_whole(data: &str) -> bool {
    data.trim() == DONE || serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok()
}

fn first_line(body: &[u8]) -> Option<Value> {
    let end = body.iter().position(|byte| *byte == b'\n')?;
    serde_json::from_slice(&body[..end]).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::types::{Finish, ModelErrorKind};
    use pretty_assertions::assert_eq;
    use proptest::prelude::*;

    fn read(body: &str) -> Vec<ModelEvent> {
        let endpoint = Endpoint::new(&"http://h:1/v1".parse().unwrap(), "m", None);
        let mut reader = Reader::new(endpoint, Provider::OpenAi);
        let mut events = reader.feed(body.as_bytes());
        events.extend(reader.end());
        events
    }

    fn kind(body: &str) -> Option<ModelErrorKind> {
        match read(body).pop() {
            Some(ModelEvent::Failed(error)) => Some(error.kind),
            _ => None,
        }
    }

    const HELLO: &str = r#"{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}"#;

    #[rstest::rstest]
    #[case::plain(format!("data: {HELLO}\n\ndata: [DONE]\n\n"))]
    #[case::nothing_after_done(format!("data: {HELLO}\n\ndata: [DONE]\n\ndata: nonsense\n\n"))]
    #[case::no_done(format!("data: {HELLO}\n\n"))]
    #[case::no_last_blank_line(format!("data: {HELLO}"))]
    #[case::half_a_done(format!("data: {HELLO}\n\ndata: [DO"))]
    #[case::error_after_the_finish(format!("data: {HELLO}\n\ndata: {{\"error\": \"late\"}}\n\n"))]
    #[case::white_space_before(format!("\n\n  \ndata: {HELLO}\n\n"))]
    #[case::empty_events(format!("data:\n\ndata: {HELLO}\n\n"))]
    #[case::whole(r#"{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}"#.to_owned())]
    #[case::whole_without_reason(r#"{"choices":[{"message":{"content":"hi"}}]}"#.to_owned())]
    #[case::pretty("{\n \"choices\": [\n {\"message\": {\"content\": \"hi\"}}]}\n".to_owned())]
    fn finishes(#[case] body: String) {
        assert_eq!(read(&body), [ModelEvent::Text("hi".into()), ModelEvent::Finished(Finish::Stop)]);
    }

    #[rstest::rstest]
    #[case::nothing("", ModelErrorKind::Connection)]
    #[case::no_reason("data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n", ModelErrorKind::Connection)]
    #[case::half_an_event("data: {\"choices\":[{\"del", ModelErrorKind::Connection)]
    #[case::half_a_body("{\"choices\":[{\"mess", ModelErrorKind::Connection)]
    #[case::not_json("data: {\"choices\": [\n\n", ModelErrorKind::Format)]
    #[case::web_page("<!doctype html><html></html>", ModelErrorKind::Format)]
    #[case::json_lines("{\"model\":\"q\",\"message\":{},\"done\":false}\n{", ModelErrorKind::Format)]
    #[case::overload("data: {\"error\":{\"message\":\"Overloaded\"}}\n\n", ModelErrorKind::Overloaded)]
    #[case::error_event("event: error\ndata: server is overloaded\n\n", ModelErrorKind::Overloaded)]
    #[case::error_body("{\"error\":{\"message\":\"x\",\"code\":500}}", ModelErrorKind::Server)]
    fn fails(#[case] body: &str, #[case] expected: ModelErrorKind) {
        assert_eq!(kind(body), Some(expected));
    }

    /// Pieces of streams, right and wrong.
    fn piece() -> impl Strategy<Value = String> {
        let delta = |delta: &str| format!("data: {{\"choices\":[{{\"delta\":{delta}}}]}}\n\n");
        let call = |rest: &str| delta(&format!("{{\"tool_calls\":[{{{rest}}}]}}"));
        prop::sample::select(vec![
            delta("{\"content\":\"é\"}"),
            delta("{\"reasoning\":\"hm\"}"),
            call("\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"x\",\"arguments\":\"{\"}"),
            call("\"index\":0,\"function\":{\"arguments\":\"}\"}"),
            call("\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"y\",\"arguments\":{}}"),
            call("\"function\":{\"name\":\"z\"}"),
            format!("data:{HELLO}\r\n\r\n"),
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1}}\n\n".to_owned(),
            "data: {\"error\":{\"message\":\"x\"}}\n\n".to_owned(),
            "data: {\"type\":\"ping\"}\n\n".to_owned(),
            "data: {\"choices\":\n\n".to_owned(),
            "data: [DONE]\n\n".to_owned(),
            ": comment\n\n".to_owned(),
            "\n ".to_owned(),
            "{\"choices\":[{\"message\":{\"content\":\"x\"}}]}".to_owned(),
            "<html>".to_owned(),
        ])
    }

    fn read_in_parts(body: &[u8], size: usize) -> Vec<ModelEvent> {
        let mut reader = Reader::new(Endpoint::new(&"http://h:1/v1".parse().unwrap(), "m", None), Provider::OpenAi);
        let mut events: Vec<ModelEvent> = body.chunks(size).flat_map(|part| reader.feed(part)).collect();
        events.extend(reader.end());
        events
    }

    proptest! {
        #[test]
        fn ends_once_and_whatever_the_cuts(pieces in prop::collection::vec(piece(), 0..12), size in 1_usize..40) {
            let body = pieces.concat();
            let events = read(&body);
            let is_last = |event: &ModelEvent| matches!(event, ModelEvent::Finished(_) | ModelEvent::Failed(_));
            prop_assert_eq!(events.iter().position(is_last), Some(events.len() - 1));
            prop_assert_eq!(read_in_parts(body.as_bytes(), size), events);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), size in 1_usize..40) {
            prop_assert!(!read_in_parts(&bytes, size).is_empty());
        }
    }
}
