//! Keeping runs: a run belongs to the server, not to a browser tab.
//!
//! The rule "one run at a time in a session; what is sent meanwhile waits" is decided inside write transactions, and the
//! single writer makes them follow each other, so a message can neither be lost nor begin two runs.

use super::driver::Driver;
use super::prepare::PreparedTools;
use super::recorder::{Scope, record, record_end, record_session, record_start};
use super::turn::Outcome;
use crate::agent::events::Event;
use crate::agent::tools::filesystem::state::FileStateCache;
use crate::agent::tools::registry::ToolRegistry;
use crate::config::LlmConfig;
use crate::ids::{MessageId, RunId, SessionId, UserId};
use crate::llm::ModelClient;
use crate::llm::types::Usage;
use crate::services::Services;
use crate::store::messages::{self, Message, Role};
use crate::store::runs::{self, Run, RunMode, RunOptions, RunRow, RunStatus};
use crate::store::sessions::{self, SessionChange};
use crate::store::{StoreError, StoreResult, events};
use crate::time::Timestamp;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How long to wait before the end of a run is written again after the database refused.
const RETRY_END: Duration = Duration::from_secs(2);
/// Sessions whose read files are remembered; the oldest beyond this are forgotten, which costs a second read.
const FILE_CACHES: usize = 64;
/// Title of a session that has none of its own yet.
pub const UNTITLED: &str = "New session";

/// A message that asks for a run.
#[derive(Debug, Clone)]
pub struct Submission {
    /// Who asks.
    pub user_id: UserId,
    /// Where.
    pub session_id: SessionId,
    /// What.
    pub content: String,
    /// How the run works.
    pub mode: RunMode,
    /// What it does differently.
    pub options: RunOptions,
    /// The client's own id: a repeat changes nothing.
    pub client_message_id: Option<String>,
}

/// What came of a submission.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The run that will answer.
    pub run_id: RunId,
    /// The stored message.
    pub message_id: MessageId,
    /// Id of the last event before it.
    pub seq: i64,
    /// Whether it waits for a run that is going.
    pub queued: bool,
}

/// The model that runs use.
pub struct ModelSetup {
    /// The client.
    pub client: Arc<dyn ModelClient>,
    /// Its settings.
    pub config: LlmConfig,
}

/// Starts, stops and continues runs.
pub struct RunManager {
    services: Arc<Services>,
    tools: ToolRegistry,
    model: Option<ModelSetup>,
    active: Mutex<Active>,
    files: Mutex<Vec<(SessionId, Arc<FileStateCache>)>>,
}

/// The runs of this process.
#[derive(Default)]
struct Active {
    runs: HashMap<RunId, Handle>,
    /// Stops that came between the commit of a run and its start; there is no handle to stop yet.
    early_stops: HashSet<RunId>,
}

struct Handle {
    stop: CancellationToken,
    ended: watch::Receiver<bool>,
}

/// A run that was written down and has to be driven.
type Start = Box<RunRow>;

impl RunManager {
    /// A manager without any run; call [`RunManager::repair`] before the first.
    #[must_use]
    pub fn new(services: Arc<Services>, tools: ToolRegistry, model: Option<ModelSetup>) -> Arc<Self> {
        Arc::new(Self { services, tools, model, active: Mutex::default(), files: Mutex::new(Vec::new()) })
    }

    /// The tools of a run.
    #[must_use]
    pub fn tools(&self) -> &ToolRegistry {
        &self.tools
    }

    /// Settings of the model, when one is configured.
    #[must_use]
    pub fn model(&self) -> Option<&LlmConfig> {
        self.model.as_ref().map(|setup| &setup.config)
    }

    fn model_name(&self, options: &RunOptions) -> String {
        options
            .model
            .clone()
            .or_else(|| self.model.as_ref().map(|setup| setup.config.model.clone()))
            .unwrap_or_default()
    }

    /// Stores a message and starts a run for it, or lets it wait for the run that is going.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when the session is not the user's.
    pub async fn submit(self: &Arc<Self>, submission: Submission) -> StoreResult<Accepted> {
        let model = self.model_name(&submission.options);
        let (accepted, start) = self
            .services
            .store
            .write(move |connection| Box::pin(async move { submit(connection, submission, model).await }))
            .await?;
        if let Some(row) = start {
            self.spawn(*row);
        }
        Ok(accepted)
    }

    /// Asks a run to end; nothing happens when it has.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when the run is not the user's.
    pub async fn cancel(&self, user: UserId, run: RunId) -> StoreResult<()> {
        let row = runs::get(self.services.store.reader(), user, run).await?;
        let mut active = self.active.lock();
        match active.runs.get(&run) {
            Some(handle) => handle.stop.cancel(),
            None if row.run.status == RunStatus::Running => {
                active.early_stops.insert(run);
            }
            None => {}
        }
        Ok(())
    }

    /// Lets an interrupted run go on.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when it is in another state.
    pub async fn resume(self: &Arc<Self>, user: UserId, run: RunId) -> StoreResult<()> {
        let manager = Arc::clone(self);
        let row = self
            .services
            .store
            .write(move |connection| {
                Box::pin(async move {
                    let row = runs::get(&mut *connection, user, run).await?;
                    runs::resume(&mut *connection, &row).await?;
                    let scope = scope_of(&row);
                    let model = manager.model_name(&row.options);
                    record_start(&mut *connection, scope, &row.run, Vec::new(), model).await?;
                    record_session(connection, scope).await?;
                    Ok(row)
                })
            })
            .await?;
        self.spawn(row);
        Ok(())
    }

    /// Stops the run of a session, if one is going, and waits until it has ended.
    pub async fn stop_session(&self, session: SessionId) {
        loop {
            let active = runs::active(self.services.store.reader(), session).await;
            let Ok(Some(row)) = active else { return };
            let Some(mut ended) = self.active.lock().runs.get(&row.run.id).map(|handle| {
                handle.stop.cancel();
                handle.ended.clone()
            }) else {
                return;
            };
            // An error means that the task is gone, which is an end as well.
            let _ = ended.wait_for(|ended| *ended).await;
        }
    }

    /// Repairs what a crash left: in one transaction, runs that were going become interrupted and open calls get their
    /// result.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn repair(&self) -> StoreResult<usize> {
        self.services.store.write(|connection| Box::pin(async move { repair(connection).await })).await
    }

    fn spawn(self: &Arc<Self>, row: RunRow) {
        let stop = CancellationToken::new();
        let (end, ended) = watch::channel(false);
        {
            let mut active = self.active.lock();
            if active.early_stops.remove(&row.run.id) {
                stop.cancel();
            }
            active.runs.insert(row.run.id, Handle { stop: stop.clone(), ended });
        }
        let manager = Arc::clone(self);
        tokio::spawn(async move {
            let run_id = row.run.id;
            let scope = scope_of(&row);
            let outcome = manager.drive(row, stop).await;
            let next = manager.finish(scope, run_id, outcome).await;
            {
                let mut active = manager.active.lock();
                active.runs.remove(&run_id);
                active.early_stops.remove(&run_id);
            }
            if let Some(row) = next {
                manager.spawn(*row);
            }
            end.send_replace(true);
        });
    }

    async fn drive(&self, row: RunRow, stop: CancellationToken) -> Outcome {
        let Some(setup) = &self.model else {
            return Outcome::failed(
                "No model is configured. Set LLM_BASE_URL and LLM_MODEL, then start the server again.",
            );
        };
        let mode = row.options.permission_mode.unwrap_or_default();
        let tools = match PreparedTools::new(self.tools.clone(), mode) {
            Ok(tools) => Arc::new(tools),
            Err(error) => return Outcome::failed(error.to_string()),
        };
        let driver = Driver {
            services: Arc::clone(&self.services),
            model: Arc::clone(&setup.client),
            model_name: self.model_name(&row.options),
            tools,
            files: self.files_of(row.run.session_id),
            max_steps: row.options.max_steps.unwrap_or(self.services.config.agent.max_steps),
            enable_thinking: row.options.enable_thinking.unwrap_or(setup.config.enable_thinking),
            max_output_tokens: setup.config.max_output_tokens,
            context_window: setup.config.context_window,
            row,
            stop,
        };
        // A task of its own, so that a panic ends the run and not the bookkeeping around it.
        match tokio::spawn(driver.run()).await {
            Ok(outcome) => outcome,
            Err(error) => {
                tracing::error!("a run's driver died: {error}");
                Outcome::failed("The run failed by a defect; the server's log has the cause.")
            }
        }
    }

    /// Writes the end down, and the beginning of the next run when messages wait. Tries until the database takes it: a
    /// run without an end would block its session.
    async fn finish(&self, scope: Scope, run_id: RunId, outcome: Outcome) -> Option<Start> {
        loop {
            let ending = outcome.clone();
            let default_model = self.model_name(&RunOptions::default());
            let written = self
                .services
                .store
                .write(move |connection| {
                    Box::pin(async move { finish(connection, scope, run_id, &ending, default_model).await })
                })
                .await;
            match written {
                Ok(next) => return next,
                // The session was deleted meanwhile, or the server is going down.
                Err(StoreError::NotFound(_) | StoreError::Closed) => return None,
                Err(error) => {
                    tracing::error!(%run_id, "the end of a run could not be written and will be tried again: {error}");
                    tokio::time::sleep(RETRY_END).await;
                }
            }
        }
    }

    fn files_of(&self, session: SessionId) -> Arc<FileStateCache> {
        let mut caches = self.files.lock();
        if let Some((_, cache)) = caches.iter().find(|(id, _)| *id == session) {
            return Arc::clone(cache);
        }
        if caches.len() >= FILE_CACHES {
            caches.remove(0);
        }
        let cache = Arc::new(FileStateCache::default());
        caches.push((session, Arc::clone(&cache)));
        cache
    }
}

fn scope_of(row: &RunRow) -> Scope {
    Scope { user_id: row.user_id, session_id: row.run.session_id, run_id: Some(row.run.id) }
}

fn new_run(user_id: UserId, session_id: SessionId, mode: RunMode, options: RunOptions) -> RunRow {
    let run = Run {
        id: RunId::new(),
        session_id,
        status: RunStatus::Running,
        reason: None,
        detail: None,
        mode,
        started_at: Timestamp::now(),
        ended_at: None,
        steps: 0,
        usage: Usage::default(),
    };
    RunRow { run, user_id, options }
}

async fn submit(
    connection: &mut sqlx::SqliteConnection,
    submission: Submission,
    model: String,
) -> StoreResult<(Accepted, Option<Start>)> {
    let Submission { user_id, session_id, content, mode, mut options, client_message_id } = submission;
    let session = sessions::get(&mut *connection, user_id, session_id).await?;
    let client_id = client_message_id.as_deref();
    if let Some(client_id) = client_id
        && let Some(earlier) = messages::by_client_id(&mut *connection, session_id, client_id).await?
    {
        let run_id = earlier.run_id.unwrap_or_default();
        let seq = events::cursor_before_message(&mut *connection, session_id, earlier.id).await?;
        return Ok((Accepted { run_id, message_id: earlier.id, seq, queued: earlier.queued }, None));
    }
    let seq = events::newest(&mut *connection).await?;
    let active = runs::active(&mut *connection, session_id).await?;
    options.permission_mode = Some(options.permission_mode.unwrap_or(session.permission_mode));
    options.model = options.model.or(session.model);
    let row = match &active {
        Some(row) => row.clone(),
        None => new_run(user_id, session_id, mode, options),
    };
    let scope = scope_of(&row);
    let mut message = Message::new(session_id, row.run.id, Role::User, content);
    message.queued = active.is_some();
    if active.is_none() {
        runs::add(&mut *connection, &row).await?;
    }
    messages::add(&mut *connection, user_id, &message, client_id).await?;
    let change = SessionChange {
        title: (session.title == UNTITLED).then(|| title_of(&message.content)),
        ..SessionChange::default()
    };
    sessions::change(&mut *connection, session_id, &change).await?;
    sessions::touch(&mut *connection, session_id, &message.content).await?;
    if active.is_none() {
        let model = row.options.model.clone().unwrap_or(model);
        record_start(&mut *connection, scope, &row.run, vec![message.id], model).await?;
    }
    record(&mut *connection, scope, &Event::Message { message: Box::new(message.clone()) }).await?;
    record_session(connection, scope).await?;
    let accepted = Accepted { run_id: row.run.id, message_id: message.id, seq, queued: active.is_some() };
    Ok((accepted, active.is_none().then(|| Box::new(row))))
}

async fn finish(
    connection: &mut sqlx::SqliteConnection,
    scope: Scope,
    run_id: RunId,
    outcome: &Outcome,
    default_model: String,
) -> StoreResult<Option<Start>> {
    record_end(&mut *connection, scope, run_id, outcome).await?;
    let ended = runs::get(&mut *connection, scope.user_id, run_id).await?;
    let row = new_run(scope.user_id, scope.session_id, ended.run.mode, ended.options);
    if !messages::has_queued(&mut *connection, scope.session_id).await? {
        return Ok(None);
    }
    runs::add(&mut *connection, &row).await?;
    let taken = messages::take_queued(&mut *connection, scope.session_id, row.run.id).await?;
    let scope = scope_of(&row);
    let model = row.options.model.clone().unwrap_or(default_model);
    record_start(&mut *connection, scope, &row.run, taken.iter().map(|m| m.id).collect(), model).await?;
    for message in taken {
        record(&mut *connection, scope, &Event::Message { message: Box::new(message) }).await?;
    }
    record_session(connection, scope).await?;
    Ok(Some(Box::new(row)))
}

async fn repair(connection: &mut sqlx::SqliteConnection) -> StoreResult<usize> {
    let interrupted = runs::all_active(&mut *connection).await?;
    for row in &interrupted {
        let scope = scope_of(row);
        for (call, run_id) in messages::open_calls(&mut *connection, row.run.session_id).await? {
            let mut message = Message::new(scope.session_id, run_id, Role::Tool, super::history::LOST.into());
            message.id = call.id.derived_message_id();
            message.tool_call_id = Some(call.id.clone());
            message.is_error = Some(true);
            messages::add(&mut *connection, scope.user_id, &message, None).await?;
            let event = Event::ToolResult {
                tool_call_id: call.id,
                name: call.name,
                output: message.content,
                is_error: true,
                metadata: None,
                step: row.run.steps,
            };
            record(&mut *connection, scope, &event).await?;
        }
        let outcome = Outcome {
            status: RunStatus::Interrupted,
            reason: None,
            detail: Some("The server stopped while this run was going. It can be continued.".into()),
        };
        record_end(&mut *connection, scope, row.run.id, &outcome).await?;
    }
    Ok(interrupted.len())
}

/// The first line of a message, shortened at a word.
fn title_of(content: &str) -> String {
    const LENGTH: usize = 80;
    let line = content.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or(UNTITLED);
    if line.chars().count() <= LENGTH {
        return line.to_owned();
    }
    let cut: String = line.chars().take(LENGTH).collect();
    let at_word = cut.rfind(' ').filter(|at| *at > LENGTH / 2).map_or(cut.as_str(), |at| &cut[..at]);
    format!("{}…", at_word.trim_end())
}
