//! What the scripted model says to one request, fault by fault.

use serde_json::{Value, json};
use std::time::Duration;

/// One reply, built step by step in the order in which it is sent.
#[derive(Debug, Clone)]
pub struct Reply {
    pub(super) head: Head,
    pub(super) steps: Vec<Step>,
    pub(super) ending: Ending,
    pub(super) form: Form,
    pub(super) ids: Ids,
    pub(super) usage: Option<Value>,
    pub(super) delta_chars: usize,
    pub(super) frame_bytes: Option<usize>,
}

/// How the HTTP answer begins.
#[derive(Debug, Clone)]
pub(super) enum Head {
    /// 200 and the steps.
    Answer,
    /// This status and body, and nothing else.
    Status { code: u16, headers: Vec<(String, String)>, body: Vec<u8> },
}

/// One step of a streamed answer.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Thinking(String),
    Text(String),
    Call { id: Option<String>, name: String, arguments: String },
    Raw(String),
    Delay(Duration),
    Gate(String),
    Cut,
    Hang,
}

/// What follows the last step.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ending {
    /// The finish reason (of the provider's choice or this one), the usage and `[DONE]`.
    Done { reason: Option<String> },
    /// As above without `[DONE]`.
    NoDone,
    /// The body simply ends.
    Silence,
}

/// Whether the answer is streamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Stream,
    Json,
}

/// The ids of calls that were not given one.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ids {
    /// Unique in the conversation.
    Unique,
    /// Empty.
    Empty,
    /// The same for every call.
    Constant(String),
}

impl Default for Reply {
    fn default() -> Self {
        Self {
            head: Head::Answer,
            steps: Vec::new(),
            ending: Ending::Done { reason: None },
            form: Form::Stream,
            ids: Ids::Unique,
            usage: Some(json!({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120})),
            delta_chars: 12,
            frame_bytes: None,
        }
    }
}

impl Reply {
    /// An empty answer.
    pub fn new() -> Self {
        Self::default()
    }

    /// The pauses at the beginning: they hold back the headers too, as a model does that has yet to read the prompt.
    pub(super) fn before_headers(&self) -> &[Step] {
        &self.steps[..self.pauses_at_start()]
    }

    /// The other steps.
    pub(super) fn after_headers(&self) -> &[Step] {
        &self.steps[self.pauses_at_start()..]
    }

    fn pauses_at_start(&self) -> usize {
        let is_pause = |step: &Step| matches!(step, Step::Delay(_) | Step::Gate(_) | Step::Hang);
        self.steps.iter().position(|step| !is_pause(step)).unwrap_or(self.steps.len())
    }

    fn step(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// Reasoning, in `reasoning_content`.
    pub fn thinking(self, text: impl Into<String>) -> Self {
        self.step(Step::Thinking(text.into()))
    }

    /// A piece of the answer.
    pub fn text(self, text: impl Into<String>) -> Self {
        self.step(Step::Text(text.into()))
    }

    /// A call, its arguments in fragments.
    pub fn call(self, name: impl Into<String>, arguments: Value) -> Self {
        self.step(Step::Call { id: None, name: name.into(), arguments: arguments.to_string() })
    }

    /// A call whose id and arguments are exactly these, valid or not.
    pub fn raw_call(self, id: impl Into<String>, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.step(Step::Call { id: Some(id.into()), name: name.into(), arguments: arguments.into() })
    }

    /// Bytes of the event stream as they stand.
    pub fn raw(self, text: impl Into<String>) -> Self {
        self.step(Step::Raw(text.into()))
    }

    /// One event of the stream.
    pub fn event(self, data: &Value) -> Self {
        self.raw(format!("data: {data}\n\n"))
    }

    /// A pause, in the time of the runtime (a test may have stopped it). Pauses at the start hold back the headers too.
    pub fn delay(self, milliseconds: u64) -> Self {
        self.step(Step::Delay(Duration::from_millis(milliseconds)))
    }

    /// Waits until the test opens this gate.
    pub fn gate(self, name: impl Into<String>) -> Self {
        self.step(Step::Gate(name.into()))
    }

    /// The connection breaks here.
    pub fn cut(self) -> Self {
        self.step(Step::Cut)
    }

    /// Nothing comes any more, but the connection stays.
    pub fn hang(self) -> Self {
        self.step(Step::Hang)
    }

    /// An overload error inside the stream, then its end.
    pub fn overload_in_stream(self) -> Self {
        let mut reply =
            self.event(&json!({"error": {"message": "Overloaded", "type": "overloaded_error", "code": 529}}));
        reply.ending = Ending::Silence;
        reply
    }

    /// An event that is not JSON.
    pub fn bad_json(self) -> Self {
        self.raw("data: {\"choices\": [{\"delta\": \n\n")
    }

    /// An answer with this status, these headers and this body instead of a stream.
    pub fn status(code: u16, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Self {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { head: Head::Status { code, headers, body: body.into() }, ..Self::default() }
    }

    /// An error in the manner of OpenAI.
    pub fn error(code: u16, kind: &str, message: &str) -> Self {
        let body = json!({"error": {"message": message, "type": kind, "code": kind, "param": null}});
        Self::status(code, &[("content-type", "application/json")], body.to_string())
    }

    /// 200 and this recorded stream.
    pub fn recorded(stream: impl Into<Vec<u8>>) -> Self {
        Self::status(200, &[("content-type", "text/event-stream")], stream)
    }

    /// The calls have empty ids.
    pub fn empty_ids(mut self) -> Self {
        self.ids = Ids::Empty;
        self
    }

    /// The calls all have this id.
    pub fn constant_id(mut self, id: impl Into<String>) -> Self {
        self.ids = Ids::Constant(id.into());
        self
    }

    /// The stream ends after the finish reason, without `[DONE]`.
    pub fn no_done(mut self) -> Self {
        self.ending = Ending::NoDone;
        self
    }

    /// The stream ends in good order but without finish reason and `[DONE]`.
    pub fn no_finish(mut self) -> Self {
        self.ending = Ending::Silence;
        self
    }

    /// The finish reason, instead of `tool_calls` after calls and `stop` otherwise.
    pub fn finish(mut self, reason: impl Into<String>) -> Self {
        self.ending = Ending::Done { reason: Some(reason.into()) };
        self
    }

    /// Tokens of the request, of the answer, and of the request's part that was cached.
    pub fn usage(mut self, input: u64, output: u64, cached: u64) -> Self {
        self.usage = Some(json!({
            "prompt_tokens": input,
            "completion_tokens": output,
            "total_tokens": input + output,
            "prompt_tokens_details": {"cached_tokens": cached},
        }));
        self
    }

    /// No count of tokens.
    pub fn no_usage(mut self) -> Self {
        self.usage = None;
        self
    }

    /// The whole answer as one JSON body, although a stream was asked for. Only text, thinking and calls count.
    pub fn unstreamed(mut self) -> Self {
        self.form = Form::Json;
        self
    }

    /// Texts and arguments come in pieces of this many characters (12 otherwise).
    pub fn delta_chars(mut self, count: usize) -> Self {
        self.delta_chars = count.max(1);
        self
    }

    /// The body comes in frames of this many bytes, whatever they cut (an event a frame otherwise).
    pub fn frame_bytes(mut self, count: usize) -> Self {
        self.frame_bytes = Some(count.max(1));
        self
    }
}
