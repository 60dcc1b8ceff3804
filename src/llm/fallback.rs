//! Several models, one after the other: when one is overloaded the next answers.
//!
//! [`ModelPool`] holds the configured model and its fallback chain. A call begins with the model that is wanted, or, while
//! that one is overloaded, with the next that is not; [`RECOVERY`] after its last overload it is tried first again. Every
//! attempt counts, those of earlier calls included: [`OVERLOADS`] in a row on one model and the next takes over. The call
//! fails only when the chain has gone round twice. What is no overload (a key, a bill, a request that is too long) is
//! nothing that another model would cure, and switches never. Other passing failures (a connection, a server's error) are
//! tried again as often as [`Patience`] has it. Once a [`ModelEvent::Call`] has gone out a request is never repeated: the
//! call may be running, and a second answer would run it twice.

use super::ModelClient;
use super::backoff::Patience;
use super::client::Client;
use super::types::{ModelError, ModelErrorKind, ModelEvent, ModelRequest};
use crate::config::LlmConfig;
use crate::net::HttpClient;
use futures::StreamExt;
use futures::stream::BoxStream;
use parking_lot::RwLock;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use utoipa::ToSchema;

/// Overloads in a row on one model after which the next is asked.
pub const OVERLOADS: u32 = 3;
/// How long after its last overload a model is tried first again.
pub const RECOVERY: Duration = Duration::from_secs(30);
/// How often the chain is gone through before a call fails.
const ROUNDS: usize = 2;

/// How a model is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ModelHealth {
    /// As far as known it answers.
    #[default]
    Ok,
    /// It was overloaded a moment ago.
    Overloaded,
    /// The last call failed for another reason.
    Down,
}

/// A model as the dashboard shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelStatus {
    /// Its name at the provider.
    pub name: String,
    /// The host that serves it.
    pub endpoint: String,
    /// Whether the next call begins with it.
    pub current: bool,
    /// Whether it is the one that is wanted.
    pub preferred: bool,
    /// How it is doing.
    pub health: ModelHealth,
    /// Tokens that fit in its window.
    pub context_window: u32,
}

/// The model and its fallback chain; cheap to clone.
#[derive(Clone)]
pub struct ModelPool {
    chain: Arc<[Member]>,
    patience: Patience,
    state: Arc<RwLock<State>>,
}

struct Member {
    name: String,
    endpoint: String,
    context_window: u32,
    client: Arc<dyn ModelClient>,
}

#[derive(Default)]
struct State {
    /// Index of the model that is wanted when a call does not say.
    preferred: usize,
    health: HashMap<String, Health>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Health {
    /// Overloads in a row.
    overloads: u32,
    last_overload: Option<Instant>,
    down: bool,
}

impl Health {
    /// Whether a call may begin with it.
    fn may_begin(&self) -> bool {
        self.overloads < OVERLOADS || self.last_overload.is_none_or(|at| at.elapsed() >= RECOVERY)
    }

    fn status(&self) -> ModelHealth {
        match (self.may_begin(), self.down) {
            (false, _) => ModelHealth::Overloaded,
            (true, true) => ModelHealth::Down,
            (true, false) => ModelHealth::Ok,
        }
    }
}

impl ModelPool {
    /// The configured model and its fallbacks.
    #[must_use]
    pub fn new(http: &HttpClient, config: &LlmConfig, patience: Patience) -> Self {
        let first = (config.model.clone(), config.clone());
        let rest = config.fallbacks.iter().map(|fallback| {
            let config = LlmConfig {
                base_url: fallback.base_url.clone(),
                api_key: fallback.api_key.clone(),
                provider: fallback.provider,
                ..config.clone()
            };
            (fallback.model.clone(), config)
        });
        let member = |(name, config): (String, LlmConfig)| Member {
            name,
            endpoint: config.base_url.host_str().unwrap_or_default().to_owned(),
            context_window: config.context_window,
            client: Arc::new(Client::new(http, &config, patience)) as Arc<dyn ModelClient>,
        };
        Self::of(std::iter::once(first).chain(rest).map(member).collect(), patience)
    }

    /// Over these clients, in the order of the chain.
    #[cfg(test)]
    fn over(models: Vec<(String, Arc<dyn ModelClient>)>) -> Self {
        let member = |(name, client)| Member { name, endpoint: String::new(), context_window: 128_000, client };
        Self::of(models.into_iter().map(member).collect(), Patience::default())
    }

    fn of(chain: Vec<Member>, patience: Patience) -> Self {
        Self { chain: chain.into(), patience, state: Arc::default() }
    }

    /// All models in the order of the chain.
    #[must_use]
    pub fn list(&self) -> Vec<ModelStatus> {
        let current = self.begin_at(self.state.read().preferred);
        let state = self.state.read();
        let status = |(index, member): (usize, &Member)| ModelStatus {
            name: member.name.clone(),
            endpoint: member.endpoint.clone(),
            current: index == current,
            preferred: index == state.preferred,
            health: state.health.get(&member.name).copied().unwrap_or_default().status(),
            context_window: member.context_window,
        };
        self.chain.iter().enumerate().map(status).collect()
    }

    /// Makes a model of the chain the one that is wanted; answers whether there is one of this name.
    #[must_use]
    pub fn choose(&self, name: &str) -> bool {
        let Some(index) = self.chain.iter().position(|member| member.name == name) else { return false };
        let mut state = self.state.write();
        state.preferred = index;
        // Whoever chooses it wants it tried.
        state.health.remove(name);
        true
    }

    /// The model that the next call begins with; `wanted` is the name that a session or a run asks for.
    #[must_use]
    pub fn serving(&self, wanted: Option<&str>) -> String {
        let (index, own) = self.wanted(wanted);
        own.unwrap_or_else(|| self.chain[self.begin_at(index)].name.clone())
    }

    /// Where a call with this wish begins in the chain; and the model's name, when the chain does not have it: then the
    /// first member's server is asked for it.
    fn wanted(&self, wanted: Option<&str>) -> (usize, Option<String>) {
        let Some(name) = wanted else { return (self.state.read().preferred, None) };
        match self.chain.iter().position(|member| member.name == name) {
            Some(index) => (index, None),
            None => (0, Some(name.to_owned())),
        }
    }

    /// The first model from `wanted` on that is not overloaded.
    fn begin_at(&self, wanted: usize) -> usize {
        let state = self.state.read();
        let healthy =
            |index: &usize| state.health.get(&self.chain[*index].name).copied().unwrap_or_default().may_begin();
        (wanted..self.chain.len()).chain(0..wanted).find(healthy).unwrap_or(wanted)
    }

    /// Sends the request to the wanted model, and to the next ones while it is overloaded. `request.model` is the model
    /// that answered last, so that a switch is told once; the pool puts in its place whom it asks.
    ///
    /// The events end as those of [`ModelClient::stream`] do.
    #[must_use]
    pub fn stream(&self, mut request: ModelRequest, wanted: Option<&str>) -> BoxStream<'static, ModelEvent> {
        let pool = self.clone();
        let (start, mut own) = self.wanted(wanted);
        let mut index = if own.is_some() { start } else { self.begin_at(start) };
        Box::pin(async_stream::stream! {
            let name = |index: usize, own: &Option<String>| own.clone().unwrap_or_else(|| pool.chain[index].name.clone());
            let first = name(index, &own);
            if request.model != first && !request.model.is_empty() {
                let reason = if own.is_none() && index != start {
                    format!("`{}` is overloaded", pool.chain[start].name)
                } else {
                    format!("`{first}` is the one that is wanted")
                };
                yield ModelEvent::Switched { from: request.model.clone(), to: first.clone(), reason };
            }
            request.model = first;
            let (mut attempt, mut waited, mut given_up) = (0_u32, Duration::ZERO, 0_usize);
            loop {
                attempt += 1;
                let mut made_call = false;
                let mut answer = pool.chain[index].client.stream(request.clone());
                let mut failure = None;
                while let Some(event) = answer.next().await {
                    match event {
                        ModelEvent::Failed(error) => {
                            failure = Some(error);
                            break;
                        }
                        ModelEvent::Finished(_) => {
                            pool.answered(&request.model);
                            yield event;
                            return;
                        }
                        ModelEvent::Call(_) => {
                            made_call = true;
                            yield event;
                        }
                        ModelEvent::Text(_)
                        | ModelEvent::Thinking(_)
                        | ModelEvent::SealedThinking(_)
                        | ModelEvent::Usage(_)
                        | ModelEvent::Retrying { .. }
                        | ModelEvent::Switched { .. } => yield event,
                    }
                }
                drop(answer);
                let Some(error) = failure else { return };
                let overloads = pool.failed(&request.model, &error);
                // A call may be running: a second answer would run it twice.
                if made_call || !error.kind.is_transient() {
                    yield ModelEvent::Failed(error);
                    return;
                }
                let wait = pool.patience.wait(attempt, waited, error.retry_after, rand::random_range(0.0..=1.0));
                // Also when the provider wants more time than the user should have to wait.
                let leave = is_overload(&error) && (overloads >= OVERLOADS || wait.is_none());
                if leave && pool.chain.len() > 1 {
                    given_up += 1;
                    if given_up >= ROUNDS * pool.chain.len() {
                        yield ModelEvent::Failed(pool.exhausted(&error));
                        return;
                    }
                    let from = request.model.clone();
                    // A model that the chain does not have is followed by the chain's first.
                    index = if own.take().is_some() { 0 } else { (index + 1) % pool.chain.len() };
                    request.model = pool.chain[index].name.clone();
                    pool.begins(&request.model);
                    yield ModelEvent::Switched { from, to: request.model.clone(), reason: error.message };
                    (attempt, waited) = (0, Duration::ZERO);
                    continue;
                }
                let Some(wait) = wait else {
                    yield ModelEvent::Failed(pool.given_up(error, attempt));
                    return;
                };
                tracing::warn!(attempt, ?wait, model = request.model, reason = error.message, "the model did not answer; trying again");
                yield ModelEvent::Retrying { attempt, reason: error.message, wait };
                sleep(wait).await;
                waited += wait;
            }
        })
    }

    fn answered(&self, model: &str) {
        self.state.write().health.remove(model);
    }

    /// A model that the chain has come to counts from nothing.
    fn begins(&self, model: &str) {
        if let Some(health) = self.state.write().health.get_mut(model) {
            health.overloads = 0;
        }
    }

    /// Counts a failure; answers the overloads in a row.
    fn failed(&self, model: &str, error: &ModelError) -> u32 {
        let mut state = self.state.write();
        let health = state.health.entry(model.to_owned()).or_default();
        if is_overload(error) {
            health.overloads += 1;
            health.last_overload = Some(Instant::now());
        } else {
            health.overloads = 0;
            health.down = !matches!(error.kind, ModelErrorKind::TooLong | ModelErrorKind::Invalid);
        }
        health.overloads
    }

    /// Adds to an error why it is the last word.
    fn given_up(&self, mut error: ModelError, attempt: u32) -> ModelError {
        if attempt > 1 {
            error.message.push_str(&format!(" Given up after {attempt} attempts."));
        }
        if let Some(asked) = error.retry_after.filter(|asked| *asked > self.patience.longest_asked) {
            error.message.push_str(&format!(" Try again in {} minutes.", asked.as_secs().div_ceil(60)));
        }
        error
    }

    fn exhausted(&self, last: &ModelError) -> ModelError {
        let names: Vec<String> = self.chain.iter().map(|member| format!("`{}`", member.name)).collect();
        let message = format!(
            "All models are overloaded ({}); each was asked in {ROUNDS} rounds. Try again later. {}",
            names.join(", "),
            last.message
        );
        ModelError { kind: ModelErrorKind::Exhausted, message, retry_after: None }
    }
}

/// Whether another model might answer where this one could not.
fn is_overload(error: &ModelError) -> bool {
    matches!(error.kind, ModelErrorKind::Overloaded | ModelErrorKind::RateLimited)
}

#[cfg(test)]
mod tests;
