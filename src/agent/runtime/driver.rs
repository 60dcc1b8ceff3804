//! The driver of one run: executes the effects of the [`Turn`] and feeds back what comes of them.

use super::executor;
use super::history;
use super::prepare::{PreparedCall, PreparedTools};
use super::recorder::{DELTA_WINDOW, Recorder};
use super::turn::{CallResult, Effect, Input, Outcome, Turn};
use crate::agent::events::Event;
use crate::agent::prompt;
use crate::agent::tools::filesystem::state::FileStateCache;
use crate::agent::tools::{EventSender, NobodyToAsk, ToolContext};
use crate::ids::CallId;
use crate::llm::ModelClient;
use crate::llm::types::{Entry, ModelEvent, ModelRequest};
use crate::services::Services;
use crate::store::messages;
use crate::store::runs::RunRow;
use crate::store::{Store, StoreResult};
use futures::StreamExt;
use futures::stream::BoxStream;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What a run needs from the world.
pub struct Driver {
    /// The domain.
    pub services: Arc<Services>,
    /// The model.
    pub model: Arc<dyn ModelClient>,
    /// Name of the model, stored with each message.
    pub model_name: String,
    /// Its tools, prepared.
    pub tools: Arc<PreparedTools>,
    /// What the session has read.
    pub files: Arc<FileStateCache>,
    /// The run's row.
    pub row: RunRow,
    /// Limit of model calls.
    pub max_steps: u32,
    /// Whether to ask for reasoning.
    pub enable_thinking: bool,
    /// Upper bound of an answer.
    pub max_output_tokens: Option<u32>,
    /// Tokens that fit.
    pub context_window: u32,
    /// Cancelled when the user stops the run.
    pub stop: CancellationToken,
}

/// Relays what tools say to the driver, which writes it in order.
struct Timeline(mpsc::UnboundedSender<Event>);

impl EventSender for Timeline {
    fn send(&self, event: Event) {
        // The driver outlives its tools; when it is gone there is no timeline any more.
        let _ = self.0.send(event);
    }
}

/// The parts that change while a run goes on.
struct Progressing {
    recorder: Recorder,
    stream: Option<BoxStream<'static, ModelEvent>>,
    tools: JoinSet<CallResult>,
    /// Which call a task runs, so that a task that died still has its result.
    tasks: HashMap<tokio::task::Id, (PreparedCall, u32)>,
    cancel_tools: CancellationToken,
    said: mpsc::UnboundedSender<Event>,
    flush_at: Option<Instant>,
    step: u32,
}

impl Driver {
    /// Drives the run to its end and answers how it ended. The caller writes the end down.
    pub async fn run(self) -> Outcome {
        match self.drive().await {
            Ok(outcome) => outcome,
            Err(error) => {
                tracing::error!(run = %self.row.run.id, "a run could not be written down: {error}");
                Outcome::failed(format!("The run could not be stored: {error}. Check the disk, then ask again."))
            }
        }
    }

    async fn drive(&self) -> StoreResult<Outcome> {
        let run = &self.row.run;
        let store: &Store = &self.services.store;
        let rows = messages::list(store.reader(), run.session_id).await?;
        let mut turn = Turn::new(history::entries(&rows), run.steps, run.steps.saturating_add(self.max_steps));
        let (said, mut heard) = mpsc::unbounded_channel();
        let mut now = Progressing {
            recorder: Recorder::new(store.clone(), self.row.user_id, run.session_id, run.id, run.usage),
            stream: None,
            tools: JoinSet::new(),
            tasks: HashMap::new(),
            cancel_tools: CancellationToken::new(),
            said,
            flush_at: None,
            step: run.steps,
        };
        let mut inputs = VecDeque::from([Input::Begin]);
        let mut stop_seen = false;
        loop {
            while let Some(input) = inputs.pop_front() {
                for effect in turn.handle(input, self.tools.as_ref()) {
                    if let Effect::Finish(outcome) = effect {
                        now.recorder.close().await?;
                        return Ok(outcome);
                    }
                    inputs.extend(self.perform(effect, &turn, &mut now).await?);
                }
            }
            tokio::select! {
                biased;
                () = self.stop.cancelled(), if !stop_seen => {
                    stop_seen = true;
                    inputs.push_back(Input::Stop);
                }
                Some(event) = heard.recv() => {
                    now.recorder.event(event).await?;
                }
                () = sleep_until(now.flush_at), if now.flush_at.is_some() => {
                    now.flush_at = None;
                    now.recorder.flush().await?;
                }
                Some(done) = now.tools.join_next_with_id() => {
                    // What the tool said before it ended comes before its result.
                    while let Ok(event) = heard.try_recv() {
                        now.recorder.event(event).await?;
                    }
                    inputs.extend(now.ended(done).map(Input::ToolDone));
                }
                event = next(&mut now.stream) => match event {
                    Some(event) => inputs.push_back(Input::Model(event)),
                    None => now.stream = None,
                },
            }
        }
    }

    async fn perform(&self, effect: Effect, turn: &Turn, now: &mut Progressing) -> StoreResult<Option<Input>> {
        match effect {
            Effect::TakeQueued => {
                let taken = now.recorder.take_queued().await?;
                let entries = taken.iter().map(|m| Entry::User { content: history::user_text(m) }).collect();
                return Ok(Some(Input::Queued(entries)));
            }
            Effect::CallModel { step } => {
                now.step = step;
                now.stream = Some(self.model.stream(self.request(turn)));
            }
            Effect::AbortModel => now.stream = None,
            Effect::ShowText(delta) => {
                now.recorder.text(&delta).await?;
                now.flush_at.get_or_insert_with(|| Instant::now() + DELTA_WINDOW);
            }
            Effect::ShowThinking(delta) => {
                now.recorder.thinking(&delta).await?;
                now.flush_at.get_or_insert_with(|| Instant::now() + DELTA_WINDOW);
            }
            Effect::DiscardAttempt { attempt, reason, wait } => {
                now.flush_at = None;
                now.recorder.discard_attempt(attempt, reason, wait).await?;
            }
            Effect::StoreAnswer(answer) => {
                now.flush_at = None;
                now.recorder.answer(answer, &self.model_name, self.context_window).await?;
            }
            Effect::RunBatch(calls) => {
                for call in calls {
                    self.start(call, now);
                }
            }
            Effect::CancelTools => now.cancel_tools.cancel(),
            Effect::StoreResult(result) => now.recorder.result(result).await?,
            Effect::Finish(_) => {}
        }
        Ok(None)
    }

    fn request(&self, turn: &Turn) -> ModelRequest {
        ModelRequest {
            model: self.model_name.clone(),
            system: prompt::system(),
            entries: turn.entries().to_vec(),
            tools: self.tools.registry().definitions(),
            enable_thinking: self.enable_thinking,
            max_output_tokens: self.max_output_tokens,
        }
    }

    fn start(&self, call: PreparedCall, now: &mut Progressing) {
        let step = now.step;
        let Some(tool) = self.tools.registry().get(&call.name).map(Arc::clone) else {
            // Prepared calls name tools of this very registry.
            let result = CallResult::not_run(call, step, "The tool has gone.");
            now.tools.spawn(async move { result });
            return;
        };
        let ctx = self.context(call.id.clone(), now);
        let kept = (call.clone(), step);
        let task = now.tools.spawn(executor::execute(tool, call, step, ctx));
        now.tasks.insert(task.id(), kept);
    }

    fn context(&self, call_id: CallId, now: &Progressing) -> ToolContext {
        ToolContext {
            services: Arc::clone(&self.services),
            user_id: self.row.user_id,
            session_id: self.row.run.session_id,
            run_id: self.row.run.id,
            call_id,
            silent: false,
            files: Arc::clone(&self.files),
            events: Arc::new(Timeline(now.said.clone())),
            asker: Arc::new(NobodyToAsk),
            signals: Arc::default(),
            enable_thinking: self.enable_thinking,
            cancel: now.cancel_tools.child_token(),
        }
    }
}

impl Progressing {
    /// The result of a task that ended, even of one that died.
    fn ended(&mut self, done: Result<(tokio::task::Id, CallResult), tokio::task::JoinError>) -> Option<CallResult> {
        match done {
            Ok((id, result)) => {
                self.tasks.remove(&id);
                Some(result)
            }
            Err(error) => {
                tracing::error!("a tool's task died: {error}");
                let (call, step) = self.tasks.remove(&error.id())?;
                Some(CallResult::not_run(call, step, "The call failed by a defect; the server's log has the cause."))
            }
        }
    }
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

async fn next(stream: &mut Option<BoxStream<'static, ModelEvent>>) -> Option<ModelEvent> {
    match stream {
        Some(stream) => stream.next().await,
        None => std::future::pending().await,
    }
}
