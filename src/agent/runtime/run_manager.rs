//! Keeping runs: a run belongs to the server, not to a browser tab.
//!
//! The rule "one run at a time in a session; what is sent meanwhile waits" is decided inside write transactions, and the
//! single writer makes them follow each other, so a message can neither be lost nor begin two runs.

use super::driver::Driver;
use super::gate::Gate;
use super::ledger::{self, Accepted, Start, Submission, scope_of};
use super::prepare::PreparedTools;
use super::recorder::{Scope, record_session, record_start};
use super::turn::Outcome;
use crate::agent::asks::Asks;
use crate::agent::permissions::Permissions;
use crate::agent::tools::filesystem::state::FileStateCache;
use crate::agent::tools::registry::ToolRegistry;
use crate::config::LlmConfig;
use crate::ids::{RunId, SessionId, UserId};
use crate::llm::ModelPool;
use crate::services::Services;
use crate::store::runs::{self, RunOptions, RunRow, RunStatus};
use crate::store::{StoreError, StoreResult};
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

/// The model that runs use.
pub struct ModelSetup {
    /// The models that answer.
    pub pool: ModelPool,
    /// Its settings.
    pub config: LlmConfig,
}

/// Starts, stops and continues runs.
pub struct RunManager {
    services: Arc<Services>,
    tools: ToolRegistry,
    asks: Arc<Asks>,
    permissions: Arc<Permissions>,
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

impl RunManager {
    /// A manager without any run; call [`RunManager::repair`] before the first.
    #[must_use]
    pub fn new(
        services: Arc<Services>,
        tools: ToolRegistry,
        asks: Arc<Asks>,
        permissions: Arc<Permissions>,
        model: Option<ModelSetup>,
    ) -> Arc<Self> {
        Arc::new(Self {
            services,
            tools,
            asks,
            permissions,
            model,
            active: Mutex::default(),
            files: Mutex::new(Vec::new()),
        })
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

    /// The models, when one is configured.
    #[must_use]
    pub fn pool(&self) -> Option<&ModelPool> {
        self.model.as_ref().map(|setup| &setup.pool)
    }

    /// The model that a run with these options begins with.
    fn model_name(&self, options: &RunOptions) -> String {
        match &self.model {
            Some(setup) => setup.pool.serving(options.model.as_deref()),
            None => options.model.clone().unwrap_or_default(),
        }
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
            .write(move |connection| Box::pin(async move { ledger::submit(connection, submission, model).await }))
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
    /// result. Runs that wait for the user go on waiting. Answers how many were interrupted.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn repair(self: &Arc<Self>) -> StoreResult<usize> {
        let repaired =
            self.services.store.write(|connection| Box::pin(async move { ledger::repair(connection).await })).await?;
        for row in repaired.waiting {
            self.spawn(row);
        }
        Ok(repaired.interrupted)
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
        let tools = match PreparedTools::new(self.tools.clone()) {
            Ok(tools) => Arc::new(tools),
            Err(error) => return Outcome::failed(error.to_string()),
        };
        let driver = Driver {
            services: Arc::clone(&self.services),
            models: setup.pool.clone(),
            model_name: self.model_name(&row.options),
            gate: Gate {
                tools: Arc::clone(&tools),
                asks: Arc::clone(&self.asks),
                permissions: Arc::clone(&self.permissions),
                mode,
                user_id: row.user_id,
                session_id: row.run.session_id,
                run_id: row.run.id,
            },
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
