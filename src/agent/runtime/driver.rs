//! The driver of one run: executes the effects of the [`Turn`] and feeds back what comes of them.

use super::executor;
use super::gate::Gate;
use super::memory_bridge::MemoryBridge;
use super::prepare::{PreparedCall, PreparedTools};
use super::recorder::{DELTA_WINDOW, Recorder};
use super::reopen;
use super::turn::{AnswerState, CallResult, CallVerdict, Effect, Ending, FitReason, Input, Outcome, Turn};
use crate::agent::context::estimate::{self, Gauge};
use crate::agent::context::view::View;
use crate::agent::context::{Fitted, Fitter, Need, Wish, history};
use crate::agent::events::Event;
use crate::agent::hooks::{HookEvent, Scope, StopRound};
use crate::agent::tools::loading::{self, LOADED};
use crate::agent::tools::registry::ToolRegistry;
use crate::agent::tools::{EventSender, RunSignals, ToolContext};
use crate::ids::CallId;
use crate::llm::ModelPool;
use crate::llm::types::{Entry, ModelEvent, ModelRequest, Usage};
use crate::services::Services;
use crate::store::runs::RunRow;
use crate::store::{Store, StoreResult};
use crate::store::{compactions, messages};
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How much of what a model has said is taken in before something is done about it.
const EVENTS_AT_ONCE: u32 = 64;

/// What a run needs from the world.
pub struct Driver {
    /// The domain.
    pub services: Arc<Services>,
    /// The models that answer.
    pub models: ModelPool,
    /// Name of the model that begins.
    pub model_name: String,
    /// The system prompt it begins with.
    pub system: String,
    /// Its tools, prepared.
    pub tools: Arc<PreparedTools>,
    /// What its calls pass before they run.
    pub gate: Gate,
    /// Makes the context fit the window.
    pub fitter: Fitter,
    /// What tools and the user ask of the run.
    pub signals: Arc<RunSignals>,
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
    /// Calls that run or are being checked.
    work: JoinSet<Came>,
    /// What a task does, so that one that died still has its end.
    tasks: HashMap<tokio::task::Id, Job>,
    /// Cancels single calls; all of them hang on `cancel_all`.
    cancels: HashMap<CallId, CancellationToken>,
    cancel_all: CancellationToken,
    said: mpsc::UnboundedSender<Event>,
    flush_at: Option<Instant>,
    /// When the model was asked whose answer has not ended.
    asked_at: Option<Instant>,
    /// Deferred tools whose definitions the requests carry, in the order of loading.
    loaded: Vec<String>,
    /// The system prompt.
    system: String,
    /// How large the context is.
    gauge: Gauge,
    /// Entries of the request that is being answered.
    asked: usize,
}

/// What a task does.
#[derive(Debug, Clone)]
enum Job {
    Check(PreparedCall),
    Run { call: PreparedCall, step: u32 },
    AskEnding,
    Fit,
}

/// What comes of a task.
#[derive(Debug)]
enum Came {
    Input(Box<Input>),
    /// The `Stop` hooks have spoken: why the run should go on, if it should.
    StopHooks {
        reason: Option<String>,
        sent_back: u32,
    },
    /// The context was looked at.
    Fitted(StoreResult<Box<Fitted>>),
}

/// How often `Stop` hooks may send a run back to work.
const SENT_BACK_AT_MOST: u32 = 8;

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
        let mut rows = messages::list(store.reader(), run.session_id).await?;
        let loaded = loading::loaded_tools(&rows, self.tools.registry());
        let open = reopen::take_open(&mut rows, self.tools.as_ref());
        let compactions = compactions::list(store.reader(), run.session_id).await?;
        let view = View::new(&rows, &compactions).entries();
        self.fitter.session.breaker.lock().half_open();
        let limit = run.steps.saturating_add(self.max_steps);
        let mut turn = Turn::new(view, self.model_name.clone(), run.steps, limit);
        if let Some(open) = open {
            turn = turn.reopen(open);
        }
        let (said, mut heard) = mpsc::unbounded_channel();
        let mut now = Progressing {
            recorder: Recorder::new(store.clone(), self.row.user_id, run.session_id, run.id, run.usage),
            stream: None,
            work: JoinSet::new(),
            tasks: HashMap::new(),
            cancels: HashMap::new(),
            cancel_all: CancellationToken::new(),
            said,
            flush_at: None,
            asked_at: None,
            loaded,
            system: self.system.clone(),
            gauge: Gauge::default(),
            asked: 0,
        };
        let mut inputs = VecDeque::from([Input::Begin]);
        let mut stop_seen = false;
        loop {
            while !inputs.is_empty() {
                let effects = self.digest(&mut inputs, &mut turn, &mut now);
                for effect in effects {
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
                Some(ended) = now.work.join_next_with_id() => {
                    // What the tool said before it ended comes before its result.
                    while let Ok(event) = heard.try_recv() {
                        now.recorder.event(event).await?;
                    }
                    if let Some(came) = now.ended(ended) {
                        inputs.push_back(self.input(came, &mut now).await?);
                    }
                }
                event = next(&mut now.stream) => match event {
                    Some(event) => inputs.push_back(Input::Model(event)),
                    None => now.stream = None,
                },
            }
        }
    }

    /// Feeds the turn with what is there, and with what the model has said meanwhile, so that an answer that came in one
    /// piece is written down in one.
    fn digest(&self, inputs: &mut VecDeque<Input>, turn: &mut Turn, now: &mut Progressing) -> Vec<Effect> {
        let mut effects = Vec::new();
        let mut budget = EVENTS_AT_ONCE;
        while let Some(input) = inputs.pop_front() {
            let from_model = matches!(input, Input::Model(_));
            if let Input::Model(ModelEvent::Failed(_)) = &input {
                now.asked(self, turn.model(), None);
            }
            effects.extend(turn.handle(input, self.tools.as_ref()));
            if from_model && budget > 0 {
                budget -= 1;
                inputs.extend(next(&mut now.stream).now_or_never().flatten().map(Input::Model));
            }
        }
        merge_answers(effects)
    }

    async fn perform(&self, effect: Effect, turn: &Turn, now: &mut Progressing) -> StoreResult<Option<Input>> {
        match effect {
            Effect::TakeQueued => {
                let taken = now.recorder.take_queued().await?;
                let entries = taken.iter().map(|m| Entry::User { content: history::user_text(m) }).collect();
                return Ok(Some(Input::Queued(entries)));
            }
            Effect::FitContext(reason) => return Ok(self.fit(reason, turn, now)),
            Effect::CallModel { .. } => {
                now.asked_at = Some(Instant::now());
                now.asked = turn.entries().len();
                self.fitter.session.breaker.lock().model_called();
                now.stream = Some(self.models.stream(self.request(turn, now), self.row.options.model.as_deref()));
            }
            // A context that is being fitted is dropped with the run, which ends.
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
            Effect::SwitchModel { from, to, reason } => {
                now.flush_at = None;
                now.recorder.switch_model(from, to, reason).await?;
            }
            Effect::StoreAnswer(answer) => {
                now.flush_at = None;
                for call in &answer.calls {
                    now.load(&call.name, self.tools.registry());
                }
                if answer.state == AnswerState::Closed {
                    now.asked(self, &answer.thinking.model, Some(answer.usage));
                    now.gauge.counted(now.asked, answer.usage);
                }
                now.recorder.answer(answer, self.context_window).await?;
            }
            Effect::Check(call) => return Ok(self.check(call, now)),
            Effect::Start(calls) => {
                for call in calls {
                    self.start(call, turn.step(), now);
                }
            }
            Effect::CancelCalls(calls) => {
                for token in calls.iter().filter_map(|id| now.cancels.get(id)) {
                    token.cancel();
                }
            }
            Effect::CancelAll => now.cancel_all.cancel(),
            Effect::StoreResult(result) => {
                // Whoever still decides about it need not.
                if let Some(token) = now.cancels.remove(&result.call.id) {
                    token.cancel();
                }
                if let Some(name) = result.metadata.as_ref().and_then(|metadata| metadata.get(LOADED)?.as_str()) {
                    now.load(name, self.tools.registry());
                }
                now.recorder.result(result).await?;
            }
            Effect::AskEnding { sent_back } => return Ok(self.ask_ending(turn, sent_back, now)),
            Effect::Finish(_) => {}
        }
        Ok(None)
    }

    fn request(&self, turn: &Turn, now: &Progressing) -> ModelRequest {
        ModelRequest {
            model: turn.model().to_owned(),
            system: now.system.clone(),
            entries: turn.entries().to_vec(),
            tools: loading::definitions_for(self.tools.registry(), &now.loaded),
            enable_thinking: self.enable_thinking,
            max_output_tokens: self.max_output_tokens,
        }
    }

    /// Sees that the context fits: at once where it does.
    fn fit(&self, reason: FitReason, turn: &Turn, now: &mut Progressing) -> Option<Input> {
        let wish = match reason {
            FitReason::TooLong => Wish::TooLong,
            FitReason::NextCall => self.signals.take_compaction().map_or(Wish::NextCall, Wish::Asked),
        };
        let tools = loading::definitions_for(self.tools.registry(), &now.loaded);
        let tokens = now.gauge.tokens(turn.entries(), estimate::fixed(&now.system, &tools));
        if !self.fitter.is_needed(&wish, tokens) {
            return Some(Input::Fitted(None));
        }
        let need = Need { wish, tokens, request: self.request(turn, now), loaded: now.loaded.clone() };
        let fitter = Fitter { scope: self.scope(now), ..self.fitter.clone() };
        let task = now.work.spawn(async move { Came::Fitted(fitter.fit(need).await.map(Box::new)) });
        now.tasks.insert(task.id(), Job::Fit);
        None
    }

    /// Decides about a call: at once where nobody has to be waited for.
    fn check(&self, call: PreparedCall, now: &mut Progressing) -> Option<Input> {
        let scope = self.scope(now);
        if let Some(verdict) = self.gate.pass(&call, &scope) {
            return Some(Input::Checked { id: call.id, verdict });
        }
        let kept = Job::Check(call.clone());
        let (gate, cancel) = (self.gate.clone(), now.token(&call.id));
        let task = now.work.spawn(async move {
            let id = call.id.clone();
            Came::Input(Box::new(Input::Checked { id, verdict: gate.ask(call, scope, cancel).await }))
        });
        now.tasks.insert(task.id(), kept);
        None
    }

    /// Asks the `Stop` hooks whether the run may end.
    fn ask_ending(&self, turn: &Turn, sent_back: u32, now: &mut Progressing) -> Option<Input> {
        let hooks = Arc::clone(&self.gate.hooks);
        if !hooks.with_set(|set| set.has(HookEvent::Stop)) {
            return Some(Input::Ending(Ending::Allowed));
        }
        let answer = match turn.entries().last() {
            Some(Entry::Assistant { content, .. }) => content.clone(),
            Some(Entry::User { .. }) | None => String::new(),
        };
        let round = if sent_back == 0 { StopRound::First } else { StopRound::SentBack };
        let scope = self.scope(now);
        let task = now.work.spawn(async move {
            let reason = hooks.stop(&scope, &answer, round).await;
            Came::StopHooks { reason, sent_back }
        });
        now.tasks.insert(task.id(), Job::AskEnding);
        None
    }

    /// What a task's end means to the turn.
    async fn input(&self, came: Came, now: &mut Progressing) -> StoreResult<Input> {
        let (reason, sent_back) = match came {
            Came::Input(input) => return Ok(*input),
            Came::Fitted(fitted) => return Ok(self.fitted(*fitted?, now)),
            Came::StopHooks { reason, sent_back } => (reason, sent_back),
        };
        Ok(Input::Ending(match reason {
            None => Ending::Allowed,
            Some(reason) if sent_back >= SENT_BACK_AT_MOST => Ending::TooOften(reason),
            Some(reason) => {
                let message = now.recorder.hook_message("Stop", reason).await?;
                Ending::SentBack(Entry::User { content: history::user_text(&message) })
            }
        }))
    }

    fn fitted(&self, fitted: Fitted, now: &mut Progressing) -> Input {
        if let Some(system) = fitted.system {
            now.system = system;
        }
        if fitted.entries.is_some() {
            now.gauge.reset();
        }
        if !fitted.left.is_empty() && self.services.config.agent.memory_bridge {
            let bridge = MemoryBridge {
                services: Arc::clone(&self.services),
                models: self.models.clone(),
                wanted: self.row.options.model.clone(),
                tools: self.tools.registry().clone(),
                user_id: self.row.user_id,
                session_id: self.row.run.session_id,
                run_id: Some(self.row.run.id),
            };
            bridge.start(fitted.left);
        }
        Input::Fitted(fitted.entries)
    }

    /// Where hooks happen.
    fn scope(&self, now: &Progressing) -> Scope {
        Scope {
            user_id: self.row.user_id,
            session_id: self.row.run.session_id,
            run_id: Some(self.row.run.id),
            call_id: None,
            permission_mode: self.gate.mode,
            model: self.model_name.clone(),
            events: Arc::new(Timeline(now.said.clone())),
        }
    }

    fn start(&self, call: PreparedCall, step: u32, now: &mut Progressing) {
        let kept = Job::Run { call: call.clone(), step };
        let (hooks, scope) = (Arc::clone(&self.gate.hooks), self.scope(now));
        let ctx = self.context(&call, now);
        let tool = self.tools.registry().get(&call.name).map(Arc::clone);
        let task = now.work.spawn(async move {
            let result = match tool {
                Some(tool) => executor::execute(tool, call, step, ctx, &hooks, scope).await,
                // Prepared calls name tools of this very registry.
                None => CallResult::not_run(call, step, "The tool has gone."),
            };
            Came::Input(Box::new(Input::ToolDone(result)))
        });
        now.tasks.insert(task.id(), kept);
    }

    fn context(&self, call: &PreparedCall, now: &mut Progressing) -> ToolContext {
        ToolContext {
            services: Arc::clone(&self.services),
            user_id: self.row.user_id,
            session_id: self.row.run.session_id,
            run_id: self.row.run.id,
            call_id: call.id.clone(),
            silent: false,
            files: Arc::clone(&self.fitter.session.files),
            events: Arc::new(Timeline(now.said.clone())),
            asker: self.gate.asks.for_run(self.row.user_id, self.row.run.session_id, self.row.run.id),
            signals: Arc::clone(&self.signals),
            enable_thinking: self.enable_thinking,
            cancel: now.token(&call.id),
        }
    }
}

impl Progressing {
    /// Notes that the next requests carry the definition of this tool, if it is one that waits to be loaded.
    fn load(&mut self, name: &str, registry: &ToolRegistry) {
        let deferred = registry.get(name).is_some_and(|tool| tool.defer_loading());
        if deferred && !self.loaded.iter().any(|known| known == name) {
            self.loaded.push(name.to_owned());
        }
    }

    /// Counts a model call that has ended, once; without a usage it has failed.
    fn asked(&mut self, driver: &Driver, model: &str, usage: Option<Usage>) {
        if let Some(at) = self.asked_at.take() {
            driver.gate.hooks.metrics().model_call(model, usage, at.elapsed());
        }
    }

    /// Cancels this call alone, or with all others.
    fn token(&mut self, call: &CallId) -> CancellationToken {
        let all = &self.cancel_all;
        self.cancels.entry(call.clone()).or_insert_with(|| all.child_token()).clone()
    }

    /// What came of a task that ended, even of one that died.
    fn ended(&mut self, done: Result<(tokio::task::Id, Came), tokio::task::JoinError>) -> Option<Came> {
        let error = match done {
            Ok((id, came)) => {
                self.tasks.remove(&id);
                return Some(came);
            }
            Err(error) => error,
        };
        tracing::error!("a task of a run died: {error}");
        let why = "The call failed by a defect; the server's log has the cause.";
        Some(Came::Input(Box::new(match self.tasks.remove(&error.id())? {
            Job::Check(call) => Input::Checked { id: call.id, verdict: CallVerdict::Refused(why.into()) },
            Job::Run { call, step } => Input::ToolDone(CallResult::not_run(call, step, why)),
            Job::AskEnding => Input::Ending(Ending::Allowed),
            Job::Fit => Input::Fitted(None),
        })))
    }
}

/// Of the answers of one step that are to be stored, the last in the place of the first: each holds all that was said
/// before it.
fn merge_answers(effects: Vec<Effect>) -> Vec<Effect> {
    let mut merged: Vec<Effect> = Vec::with_capacity(effects.len());
    let mut place: Option<(u32, usize)> = None;
    for effect in effects {
        if let Effect::StoreAnswer(answer) = &effect {
            match place {
                Some((step, at)) if step == answer.step => {
                    merged[at] = effect;
                    continue;
                }
                Some(_) | None => place = Some((answer.step, merged.len())),
            }
        }
        merged.push(effect);
    }
    merged
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
