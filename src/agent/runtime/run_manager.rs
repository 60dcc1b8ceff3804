//! Keeping runs: a run belongs to the server, not to a browser tab.
//!
//! The rule "one run at a time in a session; what is sent meanwhile waits" is decided inside write transactions, and the
//! single writer makes them follow each other, so a message can neither be lost nor begin two runs.

mod compact;

pub use compact::Compacting;

use super::driver::Driver;
use super::gate::Gate;
use super::ledger::{self, Accepted, Start, Submission, scope_of};
use super::prepare::PreparedTools;
use super::recorder::record_start;
use super::turn::Outcome;
use crate::agent::asks::Asks;
use crate::agent::context::{Fitter, SessionContext, SessionContexts};
use crate::agent::hooks::{Hooks, PromptSubmit, Scope as HookScope, StartSource};
use crate::agent::memory;
use crate::agent::permissions::Permissions;
use crate::agent::prompt::SystemPrompts;
use crate::agent::skills::SkillLibrary;
use crate::agent::timeline::{Aside, Scope, record_session};
use crate::agent::tools::RunSignals;
use crate::agent::tools::registry::ToolRegistry;
use crate::config::LlmConfig;
use crate::ids::{RunId, SessionId, UserId};
use crate::llm::ModelPool;
use crate::services::Services;
use crate::store::messages::{self, Role};
use crate::store::runs::{self, RunOptions, RunRow, RunStatus};
use crate::store::sessions::{self, PermissionMode};
use crate::store::{StoreError, StoreResult};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How long to wait before the end of a run is written again after the database refused.
const RETRY_END: Duration = Duration::from_secs(2);

/// The model that runs use.
pub struct ModelSetup {
    /// The models that answer.
    pub pool: ModelPool,
    /// Its settings.
    pub config: LlmConfig,
}

/// What runs are made of.
pub struct Parts {
    /// The domain.
    pub services: Arc<Services>,
    /// The tools of a run.
    pub tools: ToolRegistry,
    /// Written instructions for kinds of work.
    pub skills: SkillLibrary,
    /// Questions to the user.
    pub asks: Arc<Asks>,
    /// What may run.
    pub permissions: Arc<Permissions>,
    /// What happens around runs.
    pub hooks: Arc<Hooks>,
    /// The models, when one is configured.
    pub model: Option<ModelSetup>,
}

/// Starts, stops and continues runs.
pub struct RunManager {
    parts: Parts,
    active: Mutex<Active>,
    contexts: SessionContexts,
    prompts: SystemPrompts,
    /// Sessions that had a run in this process: the others get their `SessionStart`.
    begun: Mutex<HashSet<SessionId>>,
}

/// Why a message was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// A hook refused it; the text is its reason.
    #[error("A hook refused the message: {0}")]
    Blocked(String),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The runs of this process.
#[derive(Default)]
struct Active {
    runs: HashMap<RunId, Handle>,
    /// Stops that came between the commit of a run and its start; there is no handle to stop yet.
    early_stops: HashSet<RunId>,
}

struct Handle {
    session: SessionId,
    stop: CancellationToken,
    signals: Arc<RunSignals>,
    ended: watch::Receiver<bool>,
}

impl RunManager {
    /// A manager without any run; call [`RunManager::repair`] before the first.
    #[must_use]
    pub fn new(parts: Parts) -> Arc<Self> {
        let prompts = SystemPrompts::new(parts.services.store.clone(), parts.skills.clone(), &parts.tools);
        let contexts = SessionContexts::default();
        Arc::new(Self { parts, active: Mutex::default(), contexts, prompts, begun: Mutex::default() })
    }

    /// The tools of a run.
    #[must_use]
    pub fn tools(&self) -> &ToolRegistry {
        &self.parts.tools
    }

    /// Settings of the model, when one is configured.
    #[must_use]
    pub fn model(&self) -> Option<&LlmConfig> {
        self.parts.model.as_ref().map(|setup| &setup.config)
    }

    /// The models, when one is configured.
    #[must_use]
    pub fn pool(&self) -> Option<&ModelPool> {
        self.parts.model.as_ref().map(|setup| &setup.pool)
    }

    /// The model that a run with these options begins with.
    fn model_name(&self, options: &RunOptions) -> String {
        match &self.parts.model {
            Some(setup) => setup.pool.serving(options.model.as_deref()),
            None => options.model.clone().unwrap_or_default(),
        }
    }

    /// Stores a message and starts a run for it, or lets it wait for the run that is going.
    ///
    /// # Errors
    /// When a hook refuses the message; [`StoreError::NotFound`] when the session is not the user's.
    pub async fn submit(self: &Arc<Self>, mut submission: Submission) -> Result<Accepted, SubmitError> {
        let model = self.model_name(&submission.options);
        let store = &self.parts.services.store;
        // Nobody's hooks see a message for a session that is not its sender's.
        let session = sessions::get(store.reader(), submission.user_id, submission.session_id).await?;
        let mode = submission.options.permission_mode.unwrap_or(session.permission_mode);
        let scope = self.hook_scope(submission.user_id, submission.session_id, mode, model.clone());
        match self.parts.hooks.user_prompt_submit(&scope, &submission.content).await {
            PromptSubmit::Block { reason } => return Err(SubmitError::Blocked(reason)),
            PromptSubmit::Continue { context } => submission.context = context,
        }
        // What is known from other conversations rides with the question that it is about.
        let remembered = memory::relevant(store, submission.user_id, &submission.content).await?;
        submission.context.extend((!remembered.is_empty()).then_some(remembered));
        let (accepted, start) = store
            .write(move |connection| Box::pin(async move { ledger::submit(connection, submission, model).await }))
            .await?;
        if let Some(row) = start {
            self.spawn(*row);
        }
        Ok(accepted)
    }

    /// Where hooks happen that belong to no run.
    #[must_use]
    pub fn hook_scope(&self, user_id: UserId, session_id: SessionId, mode: PermissionMode, model: String) -> HookScope {
        let scope = Scope { user_id, session_id, run_id: None };
        let events = Arc::new(Aside { store: self.parts.services.store.clone(), scope });
        HookScope { user_id, session_id, run_id: None, call_id: None, permission_mode: mode, model, events }
    }

    /// Runs the `SessionStart` hooks before a session's first run in this process; what they add is said with the user's
    /// newest words.
    async fn begin_session(&self, row: &RunRow) -> StoreResult<()> {
        let session = row.run.session_id;
        if !self.begun.lock().insert(session) {
            return Ok(());
        }
        let store = &self.parts.services.store;
        let rows = messages::list(store.reader(), session).await?;
        let first = rows.iter().all(|message| message.run_id == Some(row.run.id));
        let source = if first { StartSource::Startup } else { StartSource::Resume };
        let mode = row.options.permission_mode.unwrap_or_default();
        let scope = self.hook_scope(row.user_id, session, mode, self.model_name(&row.options));
        let context = self.parts.hooks.session_start(&scope, source).await;
        // Words that the model has read already stay as they were: a run that goes on gets nothing new beside them.
        let newest = rows.into_iter().rev().find(|message| !message.queued);
        let Some(message) = newest.filter(|message| message.role == Role::User && !context.is_empty()) else {
            return Ok(());
        };
        store
            .write(move |connection| {
                Box::pin(async move { messages::add_context(connection, &message, &context).await })
            })
            .await
    }

    /// Asks a run to end; nothing happens when it has.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when the run is not the user's.
    pub async fn cancel(&self, user: UserId, run: RunId) -> StoreResult<()> {
        let row = runs::get(self.parts.services.store.reader(), user, run).await?;
        let mut active = self.active.lock();
        match active.runs.get(&run) {
            Some(handle) => handle.stop.cancel(),
            None if matches!(row.run.status, RunStatus::Running | RunStatus::Waiting) => {
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
            .parts
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
            let active = runs::active(self.parts.services.store.reader(), session).await;
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
    /// result. Runs that wait for the user go on waiting. Answers how many were interrupted.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn repair(self: &Arc<Self>) -> StoreResult<usize> {
        let repaired = self
            .parts
            .services
            .store
            .write(|connection| Box::pin(async move { ledger::repair(connection).await }))
            .await?;
        for row in repaired.waiting {
            self.spawn(row);
        }
        Ok(repaired.interrupted)
    }

    fn spawn(self: &Arc<Self>, row: RunRow) {
        let (stop, signals) = (CancellationToken::new(), Arc::new(RunSignals::default()));
        let (end, ended) = watch::channel(false);
        {
            let mut active = self.active.lock();
            if active.early_stops.remove(&row.run.id) {
                stop.cancel();
            }
            let handle =
                Handle { session: row.run.session_id, stop: stop.clone(), signals: Arc::clone(&signals), ended };
            active.runs.insert(row.run.id, handle);
        }
        let manager = Arc::clone(self);
        tokio::spawn(async move {
            let run_id = row.run.id;
            let scope = scope_of(&row);
            let outcome = manager.drive(row, stop, signals).await;
            manager.parts.hooks.metrics().run_ended(outcome.status);
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

    async fn drive(&self, row: RunRow, stop: CancellationToken, signals: Arc<RunSignals>) -> Outcome {
        let Some(setup) = &self.parts.model else {
            return Outcome::failed(
                "No model is configured. Set LLM_BASE_URL and LLM_MODEL, then start the server again.",
            );
        };
        let mode = row.options.permission_mode.unwrap_or_default();
        let tools = match PreparedTools::new(self.parts.tools.clone()) {
            Ok(tools) => Arc::new(tools),
            Err(error) => return Outcome::failed(error.to_string()),
        };
        let context = self.contexts.of(row.run.session_id);
        // A compaction outside of a run may be going on.
        let _busy = tokio::select! {
            busy = Arc::clone(&context.busy).lock_owned() => busy,
            () = stop.cancelled() => return Outcome::stopped_by_user(),
        };
        // A hook may take a minute; the user need not wait for it.
        let begun = tokio::select! {
            begun = self.begin_session(&row) => begun,
            () = stop.cancelled() => {
                self.begun.lock().remove(&row.run.session_id);
                return Outcome::stopped_by_user();
            }
        };
        if let Err(error) = begun {
            return Outcome::failed(format!("The session could not be read: {error}. Try again."));
        }
        let system = match self.prompts.of(row.user_id, row.run.session_id).await {
            Ok(system) => system,
            Err(error) => return Outcome::failed(format!("The session could not be read: {error}. Try again.")),
        };
        let model_name = self.model_name(&row.options);
        let scope = self.hook_scope(row.user_id, row.run.session_id, mode, model_name.clone());
        let fitter = self.fitter(setup, context, scope, row.options.model.clone());
        let driver = Driver {
            system,
            services: Arc::clone(&self.parts.services),
            models: setup.pool.clone(),
            model_name,
            gate: Gate {
                tools: Arc::clone(&tools),
                asks: Arc::clone(&self.parts.asks),
                permissions: Arc::clone(&self.parts.permissions),
                hooks: Arc::clone(&self.parts.hooks),
                mode,
                isolation: self.parts.services.sandbox.isolation().await,
                user_id: row.user_id,
                session_id: row.run.session_id,
                run_id: row.run.id,
            },
            tools,
            fitter,
            signals,
            max_steps: row.options.max_steps.unwrap_or(self.parts.services.config.agent.max_steps),
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

    pub(super) fn fitter(
        &self,
        setup: &ModelSetup,
        session: Arc<SessionContext>,
        scope: HookScope,
        wanted: Option<String>,
    ) -> Fitter {
        Fitter {
            services: Arc::clone(&self.parts.services),
            models: setup.pool.clone(),
            wanted,
            hooks: Arc::clone(&self.parts.hooks),
            scope,
            session,
            prompts: self.prompts.clone(),
            window: setup.config.context_window,
            soft_limit: self.parts.services.config.agent.soft_limit,
        }
    }

    /// Writes the end down, and the beginning of the next run when messages wait. Tries until the database takes it: a
    /// run without an end would block its session.
    async fn finish(&self, scope: Scope, run_id: RunId, outcome: Outcome) -> Option<Start> {
        loop {
            let ending = outcome.clone();
            let default_model = self.model_name(&RunOptions::default());
            let written = self
                .parts
                .services
                .store
                .write(move |connection| {
                    Box::pin(async move { ledger::finish(connection, scope, run_id, &ending, default_model).await })
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
}
