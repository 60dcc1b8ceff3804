//! Hooks: what they are, changing them, trying them out. For administrators: a hook is a command on the server.

use crate::agent::events::Event;
use crate::agent::hooks::config::{ConfigError, HookSet, OnError};
use crate::agent::hooks::dry_run::{Trial, TrialResult};
use crate::agent::hooks::{HookEvent, Scope};
use crate::agent::tools::EventSender;
use crate::app::AppState;
use crate::error::{AppError, AppResult, Problem};
use crate::ids::{CallId, RunId, SessionId};
use crate::store::sessions::PermissionMode;
use crate::web::auth::CurrentUser;
use crate::web::extract::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use utoipa::ToSchema;

/// Where a hook comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HookSource {
    /// Part of the program; always on.
    BuiltIn,
    /// A command of `hooks.json`.
    Command,
}

/// One hook.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct HookInfo {
    /// Where it comes from.
    pub source: HookSource,
    /// What the timeline calls it.
    pub name: String,
    /// When it runs; null for those that see everything.
    pub event: Option<HookEvent>,
    /// For which tools, sources or triggers; empty for all.
    pub matcher: String,
    /// Its command line; null for those that are built in.
    pub command: Option<String>,
    /// How long it may take, in seconds; null for those that are built in.
    pub timeout: Option<f64>,
    /// What its failure means.
    pub on_error: OnError,
}

/// All hooks.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct HookList {
    /// Those that are built in, then the commands in their order.
    pub items: Vec<HookInfo>,
    /// `hooks.json` as it is.
    #[schema(value_type = Object)]
    pub document: Value,
    /// Events in it that do not exist here; their hooks never run.
    pub ignored_events: Vec<String>,
    /// The events there are.
    pub events: Vec<HookEvent>,
}

/// What a trial answers.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct TrialResults {
    /// One for each hook that ran, in order.
    pub items: Vec<TrialResult>,
}

/// All hooks.
#[utoipa::path(get, path = "/api/hooks", tag = "rest", responses((status = 200, body = HookList), (status = 403, body = Problem)))]
pub async fn list(State(state): State<AppState>, user: CurrentUser) -> AppResult<axum::Json<HookList>> {
    user.require_admin()?;
    Ok(axum::Json(view(&state)))
}

/// Replaces `hooks.json`; nothing changes when the new one is not valid.
#[utoipa::path(put, path = "/api/hooks", tag = "rest", request_body = Object, responses(
    (status = 200, body = HookList), (status = 403, body = Problem), (status = 422, body = Problem)))]
pub async fn replace(
    State(state): State<AppState>,
    user: CurrentUser,
    Json(document): Json<Value>,
) -> AppResult<axum::Json<HookList>> {
    user.require_admin()?;
    let text = format!("{document:#}\n");
    state.hooks.replace(user.id(), text).await.map_err(|error| match error {
        ConfigError::Content { problem, .. } => AppError::field("/hooks", format!("{problem}.")),
        ConfigError::File { .. } => AppError::Internal(error.into()),
    })?;
    Ok(axum::Json(view(&state)))
}

/// Runs the commands of an event on a made-up input; nothing comes of their answers.
#[utoipa::path(post, path = "/api/hooks/dry-run", tag = "rest", request_body = Trial, responses(
    (status = 200, body = TrialResults), (status = 403, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn dry_run(
    State(state): State<AppState>,
    user: CurrentUser,
    Json(trial): Json<Trial>,
) -> AppResult<axum::Json<TrialResults>> {
    user.require_admin()?;
    if let Some(name) = &trial.hook {
        let known = state.hooks.with_set(|set| set.iter().any(|hook| hook.event == trial.event && hook.name == *name));
        if !known {
            return Err(AppError::NotFound("hook of this event"));
        }
    }
    let scope = Scope {
        user_id: user.id(),
        session_id: SessionId::new(),
        run_id: Some(RunId::new()),
        call_id: Some(CallId::new()),
        permission_mode: PermissionMode::default(),
        model: state.runs.model().map(|model| model.model.clone()).unwrap_or_default(),
        events: Arc::new(Nowhere),
    };
    Ok(axum::Json(TrialResults { items: state.hooks.dry_run(&scope, trial).await }))
}

/// A trial has no timeline.
struct Nowhere;

impl EventSender for Nowhere {
    fn send(&self, _event: Event) {}
}

fn view(state: &AppState) -> HookList {
    let built_in = ["audit", "metrics"].map(|name| HookInfo {
        source: HookSource::BuiltIn,
        name: name.into(),
        event: None,
        matcher: String::new(),
        command: None,
        timeout: None,
        on_error: OnError::Allow,
    });
    let commands = |set: &HookSet| -> Vec<HookInfo> {
        set.iter()
            .map(|hook| HookInfo {
                source: HookSource::Command,
                name: hook.name.clone(),
                event: Some(hook.event),
                matcher: hook.matcher.clone(),
                command: Some(hook.command.clone()),
                timeout: Some(hook.timeout.as_secs_f64()),
                on_error: hook.on_error,
            })
            .collect()
    };
    let (commands, ignored_events) = state.hooks.with_set(|set| (commands(set), set.ignored().to_vec()));
    HookList {
        items: built_in.into_iter().chain(commands).collect(),
        document: serde_json::from_str(&state.hooks.text()).unwrap_or_default(),
        ignored_events,
        events: HookEvent::ALL.to_vec(),
    }
}
