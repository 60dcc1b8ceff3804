//! Questions to the user: permissions, and what `ask_user` asks.
//!
//! An open question is a row and nothing else, so it survives a reload and a restart, shows in every tab, and is answered
//! once: the single writer makes two answers follow each other, and the second finds it closed.

use super::{Store, StoreError, StoreResult, statements};
use crate::ids::{CallId, QuestionId, RunId, SessionId, UserId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::{Row, SqliteConnection};
use utoipa::ToSchema;

/// A question to the user: a permission, or `ask_user`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Question {
    /// Its id.
    pub id: QuestionId,
    /// The conversation.
    pub session_id: SessionId,
    /// The run that waits.
    pub run_id: RunId,
    /// What kind of question.
    pub kind: QuestionKind,
    /// The call that waits.
    pub tool_call_id: CallId,
    /// The tool that wants to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tool: Option<String>,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub arguments: Option<Value>,
    /// What is asked.
    pub message: String,
    /// Answers to choose from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub options: Option<Vec<String>>,
    /// The rule that the answer `always` would store; without one that answer is not offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub suggestion: Option<String>,
    /// When it closes by itself.
    pub expires_at: Timestamp,
    /// Its state.
    pub status: QuestionStatus,
    /// The answer, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub answer: Option<Value>,
}

/// Kinds of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum QuestionKind {
    /// May this call run?
    Permission,
    /// The model asks.
    AskUser,
}

/// States of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum QuestionStatus {
    /// Waits for an answer.
    Open,
    /// Has been answered.
    Answered,
    /// Nobody answered in time.
    Expired,
}

/// The columns of a question.
macro_rules! columns {
    () => {
        "id, session_id, run_id, kind, tool_call_id, tool, arguments, message, options, suggestion, expires_at, status, answer"
    };
}

statements! {
    ADD = "INSERT INTO agent_questions (id, session_id, run_id, user_id, kind, tool_call_id, tool, arguments, message, options,
        suggestion, expires_at, status, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
    GET = concat!("SELECT ", columns!(), " FROM agent_questions WHERE user_id = ?1 AND id = ?2");
    OF_CALL = concat!("SELECT ", columns!(), " FROM agent_questions WHERE tool_call_id = ?1");
    LIST = concat!("SELECT ", columns!(), " FROM agent_questions WHERE user_id = ?1 AND (?2 IS NULL OR status = ?2)
        ORDER BY created_at DESC, id DESC LIMIT 200");
    OPEN_OF_RUN = concat!("SELECT ", columns!(), " FROM agent_questions WHERE run_id = ?1 AND status = 'open' ORDER BY created_at, id");
    OWNER = "SELECT user_id FROM agent_questions WHERE id = ?1";
    CLOSE = "UPDATE agent_questions SET status = ?2, answer = ?3 WHERE id = ?1 AND status = 'open'";
    WAIT = "UPDATE agent_runs SET status = 'waiting' WHERE id = ?1 AND status = 'running'";
    GO_ON = "UPDATE agent_runs SET status = 'running' WHERE id = ?1 AND status = 'waiting'
        AND NOT EXISTS (SELECT 1 FROM agent_questions WHERE run_id = ?1 AND status = 'open')";
}

/// Stores an open question; its run waits from now on.
///
/// # Errors
/// When SQLite refuses; a second question of the same call is refused.
pub async fn open(connection: &mut SqliteConnection, user: UserId, question: &Question) -> StoreResult<()> {
    sqlx::query(ADD)
        .bind(question.id)
        .bind(question.session_id)
        .bind(question.run_id)
        .bind(user)
        .bind(question.kind)
        .bind(&question.tool_call_id)
        .bind(&question.tool)
        .bind(question.arguments.as_ref().map(sqlx::types::Json))
        .bind(&question.message)
        .bind(question.options.as_ref().map(sqlx::types::Json))
        .bind(&question.suggestion)
        .bind(question.expires_at)
        .bind(question.status)
        .bind(Timestamp::now())
        .execute(&mut *connection)
        .await?;
    sqlx::query(WAIT).bind(question.run_id).execute(connection).await?;
    Ok(())
}

/// Closes a question; its run goes on when no other question of it is open.
///
/// # Errors
/// [`StoreError::Conflict`] when somebody was faster.
pub async fn close(
    connection: &mut SqliteConnection,
    question: &Question,
    status: QuestionStatus,
    answer: Option<&Value>,
) -> StoreResult<()> {
    let done = sqlx::query(CLOSE)
        .bind(question.id)
        .bind(status)
        .bind(answer.map(sqlx::types::Json))
        .execute(&mut *connection)
        .await?;
    if done.rows_affected() == 0 {
        return Err(StoreError::Conflict(
            "The question is closed: it was answered in another tab, or nobody answered in time.",
        ));
    }
    sqlx::query(GO_ON).bind(question.run_id).execute(connection).await?;
    Ok(())
}

/// The user's question of this id.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none, or it is somebody else's.
pub async fn get(connection: impl sqlx::SqliteExecutor<'_>, user: UserId, id: QuestionId) -> StoreResult<Question> {
    let row = sqlx::query(GET).bind(user).bind(id).fetch_optional(connection).await?;
    row.as_ref().map(read).transpose()?.ok_or(StoreError::NotFound("question"))
}

/// The question of a call, if it has one.
///
/// # Errors
/// When the database cannot be read.
pub async fn of_call(connection: impl sqlx::SqliteExecutor<'_>, call: &CallId) -> StoreResult<Option<Question>> {
    let row = sqlx::query(OF_CALL).bind(call).fetch_optional(connection).await?;
    row.as_ref().map(read).transpose()
}

/// Whose question it is.
///
/// # Errors
/// [`StoreError::NotFound`] when there is none.
pub async fn owner(connection: &mut SqliteConnection, id: QuestionId) -> StoreResult<UserId> {
    sqlx::query_scalar(OWNER).bind(id).fetch_optional(connection).await?.ok_or(StoreError::NotFound("question"))
}

/// The open questions of a run, the oldest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn open_of_run(connection: impl sqlx::SqliteExecutor<'_>, run: RunId) -> StoreResult<Vec<Question>> {
    sqlx::query(OPEN_OF_RUN).bind(run).fetch_all(connection).await?.iter().map(read).collect()
}

impl Store {
    /// The user's newest questions, at most 200; in one state when that is given.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn questions(&self, user: UserId, status: Option<QuestionStatus>) -> StoreResult<Vec<Question>> {
        sqlx::query(LIST).bind(user).bind(status).fetch_all(self.reader()).await?.iter().map(read).collect()
    }
}

fn read(row: &sqlx::sqlite::SqliteRow) -> StoreResult<Question> {
    let arguments: Option<sqlx::types::Json<Value>> = row.try_get("arguments")?;
    let options: Option<sqlx::types::Json<Vec<String>>> = row.try_get("options")?;
    let answer: Option<sqlx::types::Json<Value>> = row.try_get("answer")?;
    Ok(Question {
        id: row.try_get("id")?,
        session_id: row.try_get("session_id")?,
        run_id: row.try_get("run_id")?,
        kind: row.try_get("kind")?,
        tool_call_id: row.try_get("tool_call_id")?,
        tool: row.try_get("tool")?,
        arguments: arguments.map(|json| json.0),
        message: row.try_get("message")?,
        options: options.map(|json| json.0),
        suggestion: row.try_get("suggestion")?,
        expires_at: row.try_get("expires_at")?,
        status: row.try_get("status")?,
        answer: answer.map(|json| json.0),
    })
}
