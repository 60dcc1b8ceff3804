//! Runs: from a user's message to the answer.

use super::sessions::{PermissionMode, clamp, usage};
use super::{Store, StoreError, StoreResult, statements};
use crate::ids::{RunId, SessionId, UserId};
use crate::llm::types::Usage;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::{Row, SqliteConnection};
use utoipa::ToSchema;

/// How a run works.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum RunMode {
    /// One agent with all its tools.
    #[default]
    Standard,
    /// A coordinator that delegates to workers.
    Coordinator,
}

/// States of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum RunStatus {
    /// Stored, not begun.
    Queued,
    /// Going.
    Running,
    /// Needs an answer from the user.
    Waiting,
    /// Ended with an answer.
    Completed,
    /// Ended by the user or by a limit.
    Stopped,
    /// Ended by an error.
    Failed,
    /// The server went away; it can be continued.
    Interrupted,
}

/// Why a run ended without simply completing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum EndReason {
    /// The limit of model calls.
    MaxSteps,
    /// The same call with the same result, again and again.
    LoopGuard,
    /// Every model of the chain is overloaded.
    FallbackExhausted,
    /// A hook sent it back too often.
    StopHook,
    /// An error.
    Error,
}

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Run {
    /// Its id.
    pub id: RunId,
    /// The conversation.
    pub session_id: SessionId,
    /// Its state.
    pub status: RunStatus,
    /// Why it ended, when it did not simply complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<EndReason>,
    /// One or two sentences for the user about how it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub detail: Option<String>,
    /// How it works.
    pub mode: RunMode,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Model calls so far.
    pub steps: u32,
    /// What it has used.
    pub usage: Usage,
}

/// What a run was asked to do differently; kept with it so that it can be continued.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunOptions {
    /// Model name; the server's current one when absent.
    pub model: Option<String>,
    /// Whether to ask for reasoning.
    pub enable_thinking: Option<bool>,
    /// Limit of model calls.
    pub max_steps: Option<u32>,
    /// Which calls need consent; the session's mode when absent.
    pub permission_mode: Option<PermissionMode>,
}

/// A run together with what only the server needs.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// The run.
    pub run: Run,
    /// Whose it is.
    pub user_id: UserId,
    /// What it was asked to do differently.
    pub options: RunOptions,
}

/// The columns of a run.
macro_rules! columns {
    () => {
        "id, session_id, user_id, status, reason, detail, mode, options, steps, input_tokens, output_tokens, cached_tokens,
        started_at, ended_at"
    };
}

statements! {
    ADD = "INSERT INTO agent_runs (id, session_id, user_id, status, mode, options, started_at) VALUES (?1, ?2, ?3, 'running', ?4, ?5, ?6)";
    GET = concat!("SELECT ", columns!(), " FROM agent_runs WHERE user_id = ?1 AND id = ?2");
    ACTIVE = concat!("SELECT ", columns!(), " FROM agent_runs WHERE session_id = ?1 AND status IN ('queued', 'running', 'waiting')");
    ALL_ACTIVE = concat!("SELECT ", columns!(), " FROM agent_runs WHERE status IN ('queued', 'running', 'waiting')");
    NEWEST = "SELECT id FROM agent_runs WHERE session_id = ?1 ORDER BY started_at DESC, id DESC LIMIT 1";
    COUNT_STEP = "UPDATE agent_runs SET steps = ?2, input_tokens = input_tokens + ?3, output_tokens = output_tokens + ?4,
        cached_tokens = cached_tokens + ?5 WHERE id = ?1";
    FINISH = "UPDATE agent_runs SET status = ?2, reason = ?3, detail = ?4, ended_at = ?5 WHERE id = ?1";
    RESUME = "UPDATE agent_runs SET status = 'running', reason = NULL, detail = NULL, ended_at = NULL WHERE id = ?1 AND status = 'interrupted'";
}

/// Stores a new run that is going.
///
/// # Errors
/// When SQLite refuses; a session has one run at a time.
pub async fn add(connection: &mut SqliteConnection, row: &RunRow) -> StoreResult<()> {
    sqlx::query(ADD)
        .bind(row.run.id)
        .bind(row.run.session_id)
        .bind(row.user_id)
        .bind(row.run.mode)
        .bind(sqlx::types::Json(&row.options))
        .bind(row.run.started_at)
        .execute(connection)
        .await?;
    Ok(())
}

/// The user's run of this id.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none, or it is somebody else's.
pub async fn get(connection: impl sqlx::SqliteExecutor<'_>, user: UserId, id: RunId) -> StoreResult<RunRow> {
    let row = sqlx::query(GET).bind(user).bind(id).fetch_optional(connection).await?;
    row.as_ref().map(read).transpose()?.ok_or(StoreError::NotFound("run"))
}

/// The run of a session that is going.
///
/// # Errors
/// When the database cannot be read.
pub async fn active(connection: impl sqlx::SqliteExecutor<'_>, session: SessionId) -> StoreResult<Option<RunRow>> {
    let row = sqlx::query(ACTIVE).bind(session).fetch_optional(connection).await?;
    row.as_ref().map(read).transpose()
}

/// All runs that are going.
///
/// # Errors
/// When the database cannot be read.
pub async fn all_active(connection: &mut SqliteConnection) -> StoreResult<Vec<RunRow>> {
    sqlx::query(ALL_ACTIVE).fetch_all(connection).await?.iter().map(read).collect()
}

/// Notes a finished model call.
///
/// # Errors
/// When SQLite refuses.
pub async fn count_step(connection: &mut SqliteConnection, id: RunId, step: u32, usage: Usage) -> StoreResult<()> {
    sqlx::query(COUNT_STEP)
        .bind(id)
        .bind(step)
        .bind(clamp(usage.input_tokens))
        .bind(clamp(usage.output_tokens))
        .bind(clamp(usage.cached_tokens))
        .execute(connection)
        .await?;
    Ok(())
}

/// Ends a run.
///
/// # Errors
/// When SQLite refuses.
pub async fn finish(
    connection: &mut SqliteConnection,
    id: RunId,
    status: RunStatus,
    reason: Option<EndReason>,
    detail: Option<&str>,
) -> StoreResult<()> {
    sqlx::query(FINISH)
        .bind(id)
        .bind(status)
        .bind(reason)
        .bind(detail)
        .bind(Timestamp::now())
        .execute(connection)
        .await?;
    Ok(())
}

/// Lets an interrupted run go on.
///
/// # Errors
/// [`StoreError::Conflict`] when it is in another state, or when another run of the session is going.
pub async fn resume(connection: &mut SqliteConnection, row: &RunRow) -> StoreResult<()> {
    if active(&mut *connection, row.run.session_id).await?.is_some() {
        return Err(StoreError::Conflict("Another run of this session is going; it has to end first."));
    }
    let done = sqlx::query(RESUME).bind(row.run.id).execute(connection).await?;
    if done.rows_affected() == 0 {
        return Err(StoreError::Conflict("Only an interrupted run can be continued."));
    }
    Ok(())
}

impl Store {
    /// The session's newest run, if it ever had one.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn newest_run(&self, session: SessionId) -> StoreResult<Option<RunId>> {
        Ok(sqlx::query_scalar(NEWEST).bind(session).fetch_optional(self.reader()).await?)
    }
}

fn read(row: &sqlx::sqlite::SqliteRow) -> StoreResult<RunRow> {
    let options: sqlx::types::Json<RunOptions> = row.try_get("options")?;
    Ok(RunRow {
        user_id: row.try_get("user_id")?,
        options: options.0,
        run: Run {
            id: row.try_get("id")?,
            session_id: row.try_get("session_id")?,
            status: row.try_get("status")?,
            reason: row.try_get("reason")?,
            detail: row.try_get("detail")?,
            mode: row.try_get("mode")?,
            started_at: row.try_get("started_at")?,
            ended_at: row.try_get("ended_at")?,
            steps: row.try_get("steps")?,
            usage: usage(row)?,
        },
    })
}
