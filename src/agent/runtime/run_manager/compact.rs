//! Compactions that the user asks for, and taking them back.

use super::RunManager;
use crate::agent::context::view::View;
use crate::agent::context::{Fitted, Need, Wish, estimate};
use crate::agent::events::Event;
use crate::agent::runtime::memory_bridge::MemoryBridge;
use crate::agent::timeline::{Scope, record, record_session};
use crate::agent::tools::loading;
use crate::ids::{SessionId, UserId};
use crate::llm::types::ModelRequest;
use crate::store::compactions::{self, CompactionEffect};
use crate::store::messages;
use crate::store::runs::RunOptions;
use crate::store::{StoreError, StoreResult, sessions};
use serde_json::json;
use std::sync::Arc;

/// What a run says that is going while a summary should be taken back.
const BUSY: StoreError = StoreError::Conflict(
    "The agent is working on this session. Wait until it has finished, or stop it, then try again.",
);

/// When a compaction is made that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compacting {
    /// It has begun.
    Begun,
    /// The run that is going makes it before its next model call.
    BeforeTheNextCall,
}

impl RunManager {
    /// Has a session's context compacted. How it ends is told in the timeline by a `compaction` event.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when the session is not the user's, [`StoreError::Conflict`] without a model.
    pub async fn compact(self: &Arc<Self>, user: UserId, session: SessionId, focus: String) -> StoreResult<Compacting> {
        let store = &self.parts.services.store;
        let row = sessions::get(store.reader(), user, session).await?;
        if self.parts.model.is_none() {
            return Err(StoreError::Conflict(
                "No model is configured that could write a summary. Set LLM_BASE_URL and LLM_MODEL, then start the server again.",
            ));
        }
        let context = self.contexts.of(session);
        let Ok(busy) = Arc::clone(&context.busy).try_lock_owned() else {
            let active = self.active.lock();
            return match active.runs.values().find(|handle| handle.session == session) {
                Some(handle) => {
                    handle.signals.request_compaction(focus);
                    Ok(Compacting::BeforeTheNextCall)
                }
                // The lock belongs to another compaction.
                None => Ok(Compacting::Begun),
            };
        };
        let manager = Arc::clone(self);
        tokio::spawn(async move {
            // Held until the end, so that no run begins on the context of before.
            let _busy = busy;
            let options = RunOptions { model: row.model.clone(), ..RunOptions::default() };
            if let Err(error) = manager.compact_now(user, &row, options, focus).await {
                tracing::error!(%session, "a compaction failed: {error}");
            }
        });
        Ok(Compacting::Begun)
    }

    async fn compact_now(
        &self,
        user: UserId,
        session: &sessions::Session,
        options: RunOptions,
        focus: String,
    ) -> StoreResult<()> {
        let Some(setup) = &self.parts.model else { return Ok(()) };
        let store = &self.parts.services.store;
        let rows = messages::list(store.reader(), session.id).await?;
        let done = compactions::list(store.reader(), session.id).await?;
        let loaded = loading::loaded_tools(&rows, &self.parts.tools);
        let request = ModelRequest {
            model: self.model_name(&options),
            system: self.prompts.of(user, session.id).await?,
            entries: View::new(&rows, &done).entries(),
            tools: loading::definitions_for(&self.parts.tools, &loaded),
            enable_thinking: setup.config.enable_thinking,
            max_output_tokens: setup.config.max_output_tokens,
        };
        let tokens = estimate::fixed(&request.system, &request.tools) + estimate::entries(&request.entries);
        let scope = self.hook_scope(user, session.id, session.permission_mode, request.model.clone());
        let fitter = self.fitter(setup, self.contexts.of(session.id), scope, options.model.clone());
        let fitted = fitter.fit(Need { wish: Wish::Asked(focus), tokens, request, loaded }).await?;
        self.bridge(user, session.id, options.model, fitted);
        let scope = Scope { user_id: user, session_id: session.id, run_id: None };
        store.write(move |connection| Box::pin(async move { record_session(connection, scope).await })).await
    }

    fn bridge(&self, user_id: UserId, session_id: SessionId, wanted: Option<String>, fitted: Fitted) {
        let Some(setup) = self.parts.model.as_ref().filter(|_| self.parts.services.config.agent.memory_bridge) else {
            return;
        };
        if !fitted.left.is_empty() {
            let bridge = MemoryBridge {
                services: Arc::clone(&self.parts.services),
                models: setup.pool.clone(),
                wanted,
                tools: self.parts.tools.clone(),
                user_id,
                session_id,
                run_id: None,
            };
            bridge.start(fitted.left);
        }
    }

    /// Takes the newest summary back: the model sees the messages again that it stood for.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when the session is not the user's; [`StoreError::Conflict`] while a run is going, or when
    /// there is no summary.
    pub async fn undo_compaction(&self, user: UserId, session: SessionId) -> StoreResult<()> {
        let store = &self.parts.services.store;
        sessions::get(store.reader(), user, session).await?;
        let context = self.contexts.of(session);
        let _busy = Arc::clone(&context.busy).try_lock_owned().map_err(|_| BUSY)?;
        let scope = Scope { user_id: user, session_id: session, run_id: None };
        store
            .write(move |connection| {
                Box::pin(async move {
                    let rows = compactions::list(&mut *connection, session).await?;
                    let newest = rows.iter().rev().filter(|row| row.holds()).find_map(|row| match row.effect {
                        CompactionEffect::Summarised { summary, .. } => Some((row, summary)),
                        CompactionEffect::Cleared(_) => None,
                    });
                    let Some((row, summary)) = newest else {
                        return Err(StoreError::Conflict(
                            "There is no summary in this session that could be taken back.",
                        ));
                    };
                    compactions::undo(&mut *connection, row.id).await?;
                    let message = messages::set_metadata(&mut *connection, session, summary, |metadata| {
                        metadata["undone"] = json!(true);
                    })
                    .await?;
                    record(&mut *connection, scope, &Event::Message { message: Box::new(message) }).await?;
                    record_session(connection, scope).await
                })
            })
            .await
    }
}
