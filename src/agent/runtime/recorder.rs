//! Writing down what a run says: rows in one transaction, deltas gathered so that a replay stays short.

use super::prepare::PreparedCall;
use super::turn::{Answer, AnswerState, CallResult, Outcome};
use crate::agent::context::history::SEALED_THINKING;
use crate::agent::events::Event;
use crate::agent::timeline::{Scope, record, record_session};
use crate::ids::{MessageId, RunId, SessionId, UserId};
use crate::llm::types::Usage;
use crate::store::messages::{self, Message, Role, ToolCall};
use crate::store::{Store, StoreResult, runs, sessions};
use crate::time::Timestamp;
use serde_json::Value;
use sqlx::SqliteConnection;
use std::time::Duration;

/// How long deltas are gathered into one row.
pub const DELTA_WINDOW: Duration = Duration::from_millis(75);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeltaKind {
    Text,
    Thinking,
}

/// Writes the rows of one run.
pub struct Recorder {
    store: Store,
    scope: Scope,
    run_id: RunId,
    pending: Option<(DeltaKind, String)>,
    /// First delta row of the current attempt, so that a retry can void it.
    attempt_from: Option<i64>,
    usage: Usage,
    /// The message of the answer that is still streaming, once it has a row.
    open: Option<OpenMessage>,
}

/// A message that more may be added to.
#[derive(Debug, Clone, Copy)]
struct OpenMessage {
    id: MessageId,
    created_at: Timestamp,
    /// How many of its calls were shown.
    shown: usize,
}

impl Recorder {
    /// For a run that has used this much so far.
    #[must_use]
    pub fn new(store: Store, user_id: UserId, session_id: SessionId, run_id: RunId, usage: Usage) -> Self {
        let scope = Scope { user_id, session_id, run_id: Some(run_id) };
        Self { store, scope, run_id, pending: None, attempt_from: None, usage, open: None }
    }

    /// Whether deltas wait for [`Recorder::flush`].
    #[must_use]
    pub fn has_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Gathers text; answers whether an older kind had to be written first.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn text(&mut self, delta: &str) -> StoreResult<()> {
        self.gather(DeltaKind::Text, delta).await
    }

    /// Gathers reasoning.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn thinking(&mut self, delta: &str) -> StoreResult<()> {
        self.gather(DeltaKind::Thinking, delta).await
    }

    async fn gather(&mut self, kind: DeltaKind, delta: &str) -> StoreResult<()> {
        if self.pending.as_ref().is_some_and(|(pending, _)| *pending != kind) {
            self.flush().await?;
        }
        self.pending.get_or_insert_with(|| (kind, String::new())).1.push_str(delta);
        Ok(())
    }

    /// Writes the gathered deltas.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn flush(&mut self) -> StoreResult<()> {
        let Some((kind, delta)) = self.pending.take() else { return Ok(()) };
        let event = match kind {
            DeltaKind::Text => Event::TextDelta { delta },
            DeltaKind::Thinking => Event::ThinkingDelta { delta },
        };
        let id = self.event(event).await?;
        self.attempt_from.get_or_insert(id);
        Ok(())
    }

    /// Writes one event; answers its id.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn event(&self, event: Event) -> StoreResult<i64> {
        let scope = self.scope;
        self.store.write(move |connection| Box::pin(async move { record(connection, scope, &event).await })).await
    }

    /// Voids what this attempt has shown.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn discard_attempt(&mut self, attempt: u32, reason: String, wait: Duration) -> StoreResult<()> {
        self.pending = None;
        let discard_from = self.attempt_from.take();
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        self.event(Event::Retrying { attempt, reason, wait_ms, discard_from }).await?;
        Ok(())
    }

    /// Shows that another model answers; what was shown of this step is void.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn switch_model(&mut self, from: String, to: String, reason: String) -> StoreResult<()> {
        if self.attempt_from.is_some() || self.pending.is_some() {
            self.discard_attempt(1, reason.clone(), Duration::ZERO).await?;
        }
        self.event(Event::ModelSwitched { from, to, reason }).await?;
        Ok(())
    }

    /// Stores the model's message as far as it has come, and shows the calls that are new in it. A closed answer also
    /// counts as a step, with what it used.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn answer(&mut self, answer: Answer, context_window: u32) -> StoreResult<()> {
        self.flush().await?;
        self.attempt_from = None;
        let (scope, run_id) = (self.scope, self.run_id);
        let earlier = self.open.take();
        let mut message = Message::new(scope.session_id, run_id, Role::Assistant, answer.content);
        let shown = earlier.as_ref().map_or(0, |open| open.shown);
        if let Some(OpenMessage { id, created_at, .. }) = earlier {
            (message.id, message.created_at) = (id, created_at);
        }
        let state = answer.state;
        if state == AnswerState::Open {
            let (id, created_at) = (message.id, message.created_at);
            self.open = Some(OpenMessage { id, created_at, shown: answer.calls.len() });
        } else {
            self.usage.add(answer.usage);
        }
        let usage = self.usage;
        message.thinking = (!answer.thinking.text.is_empty()).then_some(answer.thinking.text);
        message.model = Some(answer.thinking.model);
        message.metadata = metadata(answer.cut_off, answer.thinking.sealed);
        let call = |call: &PreparedCall| ToolCall {
            id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        };
        message.tool_calls = (!answer.calls.is_empty()).then(|| answer.calls.iter().map(call).collect());
        let (step, used) = (answer.step, answer.usage);
        self.store
            .write(move |connection| {
                Box::pin(async move {
                    if earlier.is_some() {
                        messages::extend(&mut *connection, &message).await?;
                    } else {
                        messages::add(&mut *connection, scope.user_id, &message, None).await?;
                    }
                    let calls = message.tool_calls.clone().unwrap_or_default().into_iter().skip(shown);
                    if state == AnswerState::Closed {
                        if !message.content.trim().is_empty() {
                            sessions::touch(&mut *connection, scope.session_id, &message.content).await?;
                        }
                        runs::count_step(&mut *connection, run_id, step, used).await?;
                        sessions::add_usage(&mut *connection, scope.session_id, used).await?;
                    }
                    // Before the message, whether they came while it streamed or with its end.
                    for ToolCall { id, name, arguments } in calls {
                        record(&mut *connection, scope, &Event::ToolCall { id, name, arguments, step }).await?;
                    }
                    if state == AnswerState::Closed {
                        record(&mut *connection, scope, &Event::Message { message: Box::new(message) }).await?;
                        let context_tokens = used.input_tokens + used.output_tokens;
                        let event = Event::Usage { usage, context_tokens, context_window: context_window.into() };
                        record(connection, scope, &event).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    /// Stores the result of a call.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn result(&self, result: CallResult) -> StoreResult<()> {
        let scope = self.scope;
        let message = result_message(scope.session_id, self.run_id, &result);
        self.store
            .write(move |connection| {
                Box::pin(async move {
                    messages::add(&mut *connection, scope.user_id, &message, None).await?;
                    let event = Event::ToolResult {
                        tool_call_id: result.call.id,
                        name: result.call.name,
                        output: result.content,
                        is_error: result.is_error,
                        metadata: result.metadata,
                        step: result.step,
                    };
                    record(connection, scope, &event).await?;
                    Ok(())
                })
            })
            .await
    }

    /// Gives the messages that wait to this run; answers them.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn take_queued(&self) -> StoreResult<Vec<Message>> {
        let (scope, run_id) = (self.scope, self.run_id);
        self.store
            .write(move |connection| {
                Box::pin(async move {
                    let taken = messages::take_queued(&mut *connection, scope.session_id, run_id).await?;
                    for message in &taken {
                        let event = Event::Message { message: Box::new(message.clone()) };
                        record(&mut *connection, scope, &event).await?;
                    }
                    Ok(taken)
                })
            })
            .await
    }

    /// Stores what a hook says to the model in the place of the user.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn hook_message(&self, hook: &'static str, text: String) -> StoreResult<Message> {
        let scope = self.scope;
        let content = format!("[The {hook} hook sends you back to work] {text}");
        let mut message = Message::new(scope.session_id, self.run_id, Role::User, content);
        message.metadata = Some(serde_json::json!({ "hook": hook }));
        self.store
            .write(move |connection| {
                Box::pin(async move {
                    messages::add(&mut *connection, scope.user_id, &message, None).await?;
                    record(connection, scope, &Event::Message { message: Box::new(message.clone()) }).await?;
                    Ok(message)
                })
            })
            .await
    }

    /// Writes what is gathered and hands over for the end of the run.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn close(&mut self) -> StoreResult<()> {
        self.flush().await
    }
}

fn metadata(cut_off: Option<String>, sealed: Vec<Value>) -> Option<Value> {
    let mut object = serde_json::Map::new();
    object.extend(cut_off.map(|why| ("cut_off".to_owned(), Value::String(why))));
    if !sealed.is_empty() {
        object.insert(SEALED_THINKING.to_owned(), Value::Array(sealed));
    }
    (!object.is_empty()).then_some(Value::Object(object))
}

/// The row of a call's result.
#[must_use]
pub fn result_message(session_id: SessionId, run_id: RunId, result: &CallResult) -> Message {
    let mut message = Message::new(session_id, run_id, Role::Tool, result.content.clone());
    message.tool_call_id = Some(result.call.id.clone());
    message.is_error = Some(result.is_error);
    message.metadata = result.metadata.clone();
    message
}

/// Ends a run inside a write command: its row, its last event, the session's row.
///
/// # Errors
/// When SQLite refuses.
pub async fn record_end(
    connection: &mut SqliteConnection,
    scope: Scope,
    run_id: RunId,
    outcome: &Outcome,
) -> StoreResult<()> {
    runs::finish(&mut *connection, run_id, outcome.status, outcome.reason, outcome.detail.as_deref()).await?;
    let event =
        Event::RunFinished { run_id, status: outcome.status, reason: outcome.reason, detail: outcome.detail.clone() };
    record(&mut *connection, Scope { run_id: Some(run_id), ..scope }, &event).await?;
    record_session(connection, scope).await
}

/// Announces a run that begins or goes on.
///
/// # Errors
/// When SQLite refuses.
pub async fn record_start(
    connection: &mut SqliteConnection,
    scope: Scope,
    run: &runs::Run,
    message_ids: Vec<MessageId>,
    model: String,
) -> StoreResult<()> {
    let event = Event::RunStarted { run_id: run.id, message_ids, model, mode: run.mode };
    record(&mut *connection, Scope { run_id: Some(run.id), ..scope }, &event).await?;
    Ok(())
}
