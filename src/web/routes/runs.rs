//! Runs: ask, stop, continue.

use super::sessions::standard;
use crate::agent::runtime::ledger::Submission;
use crate::agent::runtime::run_manager::SubmitError;
use crate::app::AppState;
use crate::error::{AppError, AppResult, Problem};
use crate::ids::{MessageId, RunId, SessionId};
use crate::store::runs::{self, Run, RunMode, RunOptions};
use crate::store::sessions::PermissionMode;
use crate::web::auth::CurrentUser;
use crate::web::extract::{Json, Path};
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Longest message, in characters.
const LONGEST_MESSAGE: usize = 200_000;

impl From<SubmitError> for AppError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Blocked(_) => Self::field("/message", error.to_string()),
            SubmitError::Store(error) => error.into(),
        }
    }
}

/// A question, and how it should be answered.
#[derive(Debug, Deserialize, ToSchema)]
pub struct RunRequest {
    /// What the user says.
    message: String,
    /// How the run works.
    #[serde(default)]
    mode: RunMode,
    /// Which calls need consent; the session's mode when absent.
    #[serde(default)]
    permission_mode: Option<PermissionMode>,
    /// A model other than the session's.
    #[serde(default)]
    model: Option<String>,
    /// Whether to ask for reasoning; the server's setting when absent.
    #[serde(default)]
    enable_thinking: Option<bool>,
    /// Limit of model calls.
    #[serde(default)]
    max_steps: Option<u32>,
    /// The client's own id for this message: sending it again changes nothing.
    #[serde(default)]
    client_message_id: Option<String>,
}

/// The run that will answer.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct RunAccepted {
    /// The run: a new one, or the one that is going.
    pub run_id: RunId,
    /// The stored message.
    pub message_id: MessageId,
    /// Id of the last event before it: follow with `?after=seq`.
    pub seq: i64,
    /// Whether the message waits for the run that is going.
    pub queued: bool,
}

/// Sends a message: starts a run, or waits for the one that is going.
#[utoipa::path(post, path = "/api/sessions/{id}/runs", tag = "chat", params(("id" = SessionId, Path)), request_body = RunRequest,
    responses((status = 202, body = RunAccepted), (status = 404, body = Problem), (status = 422, body = Problem), (status = 503, body = Problem)))]
pub async fn start(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(session_id): Path<SessionId>,
    Json(request): Json<RunRequest>,
) -> AppResult<(StatusCode, axum::Json<RunAccepted>)> {
    check_message(&request.message)?;
    if request.max_steps.is_some_and(|steps| !(1..=1000).contains(&steps)) {
        return Err(AppError::field("/max_steps", "max_steps is a number from 1 to 1000."));
    }
    if request.client_message_id.as_ref().is_some_and(|id| id.is_empty() || id.len() > 128) {
        return Err(AppError::field("/client_message_id", "client_message_id has 1 to 128 bytes."));
    }
    if state.runs.model().is_none() {
        return Err(AppError::Unavailable(
            "No model is configured, so nobody can answer. Set LLM_BASE_URL and LLM_MODEL (and LLM_API_KEY), then start the \
             server again."
                .into(),
        ));
    }
    let accepted = state
        .runs
        .submit(Submission {
            user_id: user.id(),
            session_id,
            content: request.message,
            mode: standard(request.mode)?,
            options: RunOptions {
                model: request.model,
                enable_thinking: request.enable_thinking,
                max_steps: request.max_steps,
                permission_mode: request.permission_mode,
            },
            client_message_id: request.client_message_id,
            context: Vec::new(),
        })
        .await?;
    let body = RunAccepted {
        run_id: accepted.run_id,
        message_id: accepted.message_id,
        seq: accepted.seq,
        queued: accepted.queued,
    };
    Ok((StatusCode::ACCEPTED, axum::Json(body)))
}

/// One run.
#[utoipa::path(get, path = "/api/runs/{id}", tag = "chat", params(("id" = RunId, Path)), responses((status = 200, body = Run), (status = 404, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(id): Path<RunId>,
) -> AppResult<axum::Json<Run>> {
    Ok(axum::Json(runs::get(state.services.store.reader(), user.id(), id).await?.run))
}

/// Asks a run to end; nothing happens when it has.
#[utoipa::path(post, path = "/api/runs/{id}/cancel", tag = "chat", params(("id" = RunId, Path)), responses((status = 202), (status = 404, body = Problem)))]
pub async fn cancel(State(state): State<AppState>, user: CurrentUser, Path(id): Path<RunId>) -> AppResult<StatusCode> {
    state.runs.cancel(user.id(), id).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Lets an interrupted run go on.
#[utoipa::path(post, path = "/api/runs/{id}/continue", tag = "chat", params(("id" = RunId, Path)),
    responses((status = 202), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn resume(State(state): State<AppState>, user: CurrentUser, Path(id): Path<RunId>) -> AppResult<StatusCode> {
    state.runs.resume(user.id(), id).await?;
    Ok(StatusCode::ACCEPTED)
}

pub(super) fn check_message(message: &str) -> AppResult<()> {
    if message.trim().is_empty() {
        return Err(AppError::field("/message", "The message is empty."));
    }
    if message.chars().count() > LONGEST_MESSAGE {
        return Err(AppError::field("/message", format!("A message has at most {LONGEST_MESSAGE} characters.")));
    }
    Ok(())
}
