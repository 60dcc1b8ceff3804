//! Messages of a conversation.

use super::{Store, StoreError, StoreResult, fts, statements};
use crate::ids::{CallId, MessageId, RunId, SessionId, UserId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::{Row, SqliteConnection};
use std::collections::HashSet;
use utoipa::ToSchema;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
    /// The result of a call.
    Tool,
    /// A summary that stands for earlier messages.
    Summary,
}

/// A call as it is stored with its assistant message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolCall {
    /// Our id.
    pub id: CallId,
    /// The tool.
    pub name: String,
    /// The arguments: an object, or the text as the model wrote it when that was no object.
    pub arguments: Value,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// The conversation.
    pub session_id: SessionId,
    /// The run that it began or that said it.
    pub run_id: Option<RunId>,
    /// Who speaks.
    pub role: Role,
    /// Markdown, or a tool's output.
    pub content: String,
    /// The model's reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub thinking: Option<String>,
    /// The model's calls, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tool_calls: Option<Vec<ToolCall>>,
    /// Which call this is the result of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tool_call_id: Option<CallId>,
    /// Whether the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub is_error: Option<bool>,
    /// Structured data for the dashboard.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub metadata: Option<Value>,
    /// The model that said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub model: Option<String>,
    /// When it was stored.
    pub created_at: Timestamp,
    /// The call of the parent that this belongs to, in a sub-agent's timeline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub parent_tool_call_id: Option<CallId>,
    /// True while it waits for the next model call of a run that is going.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub queued: bool,
}

impl Message {
    /// A message with nothing but its text, stored now.
    #[must_use]
    pub fn new(session_id: SessionId, run_id: RunId, role: Role, content: String) -> Self {
        Self {
            id: MessageId::new(),
            session_id,
            run_id: Some(run_id),
            role,
            content,
            thinking: None,
            tool_calls: None,
            tool_call_id: None,
            is_error: None,
            metadata: None,
            model: None,
            created_at: Timestamp::now(),
            parent_tool_call_id: None,
            queued: false,
        }
    }
}

/// The columns of a message.
macro_rules! columns {
    () => {
        "id, session_id, run_id, role, content, thinking, tool_calls, tool_call_id, is_error, metadata, model, created_at,
        parent_tool_call_id, queued"
    };
}

/// The columns of a search hit, up to its score.
macro_rules! hit {
    () => {
        "m.session_id, s.title AS session_title, m.id AS message_id, m.role, m.content, m.created_at,"
    };
}

/// Where hits come from, with the filters by user and session.
macro_rules! hits_from {
    () => {
        "FROM agent_messages_fts JOIN agent_messages AS m ON m.seq = agent_messages_fts.rowid
        JOIN agent_sessions AS s ON s.id = m.session_id
        WHERE agent_messages_fts MATCH ?1 AND m.user_id = ?2 AND (?3 IS NULL OR m.session_id = ?3)"
    };
}

statements! {
    ADD = "INSERT INTO agent_messages (id, session_id, user_id, run_id, role, content, search_text, thinking, tool_calls,
        tool_call_id, is_error, metadata, model, parent_tool_call_id, client_message_id, queued, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";
    EXTEND = "UPDATE agent_messages SET content = ?2, search_text = ?3, thinking = ?4, tool_calls = ?5, metadata = ?6, model = ?7
        WHERE id = ?1";
    SET_METADATA = "UPDATE agent_messages SET metadata = ?2 WHERE id = ?1";
    LIST = concat!("SELECT ", columns!(), " FROM agent_messages WHERE session_id = ?1 ORDER BY queued, seq");
    BY_CLIENT_ID = concat!("SELECT ", columns!(), " FROM agent_messages WHERE session_id = ?1 AND client_message_id = ?2");
    QUEUED = concat!("SELECT ", columns!(), " FROM agent_messages WHERE session_id = ?1 AND queued = 1 ORDER BY seq");
    ANY_QUEUED = "SELECT EXISTS (SELECT 1 FROM agent_messages WHERE session_id = ?1 AND queued = 1)";
    WITH_CALLS = concat!("SELECT ", columns!(), " FROM agent_messages WHERE session_id = ?1 AND tool_calls IS NOT NULL ORDER BY seq");
    ANSWERED = "SELECT tool_call_id FROM agent_messages WHERE session_id = ?1 AND role = 'tool'";
    // A taken message moves to the end: it was read by the model after what the run has said meanwhile.
    TAKE = "UPDATE agent_messages SET queued = 0, run_id = ?2,
        seq = (SELECT max(seq) + 1 FROM agent_messages) WHERE id = ?1 AND queued = 1";
    EDIT_QUEUED = "UPDATE agent_messages SET content = ?3, search_text = ?4 WHERE session_id = ?1 AND id = ?2 AND queued = 1";
    DELETE_QUEUED = "DELETE FROM agent_messages WHERE session_id = ?1 AND id = ?2 AND queued = 1";
    ONE = concat!("SELECT ", columns!(), " FROM agent_messages WHERE session_id = ?1 AND id = ?2");
    SEARCH_COUNT = "SELECT count(*) FROM (SELECT 1 FROM agent_messages_fts WHERE agent_messages_fts MATCH ?1 LIMIT ?2)";
    SEARCH_RANKED = concat!("SELECT ", hit!(), " bm25(agent_messages_fts) AS score ", hits_from!(), " ORDER BY rank LIMIT ?4");
    SEARCH_NEWEST = concat!("SELECT ", hit!(), " 0.0 AS score ", hits_from!(), " ORDER BY agent_messages_fts.rowid DESC LIMIT ?4");
}

/// A message that matches a search.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct MessageHit {
    /// The conversation.
    pub session_id: SessionId,
    /// Its title.
    pub session_title: String,
    /// The message.
    pub message_id: MessageId,
    /// Who speaks.
    pub role: Role,
    /// The whole text.
    pub content: String,
    /// When it was stored.
    pub created_at: Timestamp,
    /// bm25; smaller is better.
    pub score: f64,
}

/// Stores a message.
///
/// # Errors
/// When SQLite refuses; a second result of the same call is refused.
pub async fn add(
    connection: &mut SqliteConnection,
    user: UserId,
    message: &Message,
    client_message_id: Option<&str>,
) -> StoreResult<()> {
    // What tools print is found through the papers and files it speaks of, and would drown what people said.
    let search_text = match message.role {
        Role::User | Role::Assistant => fts::normalise(&message.content),
        // A summary repeats what the messages say that it stands for.
        Role::Tool | Role::Summary => String::new(),
    };
    sqlx::query(ADD)
        .bind(message.id)
        .bind(message.session_id)
        .bind(user)
        .bind(message.run_id)
        .bind(message.role)
        .bind(&message.content)
        .bind(search_text)
        .bind(&message.thinking)
        .bind(message.tool_calls.as_ref().map(sqlx::types::Json))
        .bind(&message.tool_call_id)
        .bind(message.is_error)
        .bind(message.metadata.as_ref().map(sqlx::types::Json))
        .bind(&message.model)
        .bind(&message.parent_tool_call_id)
        .bind(client_message_id)
        .bind(message.queued)
        .bind(message.created_at)
        .execute(connection)
        .await?;
    Ok(())
}

/// Brings an assistant's message up to what it is by now: its answer is still streaming, or has just ended.
///
/// # Errors
/// When SQLite refuses.
pub async fn extend(connection: &mut SqliteConnection, message: &Message) -> StoreResult<()> {
    sqlx::query(EXTEND)
        .bind(message.id)
        .bind(&message.content)
        .bind(fts::normalise(&message.content))
        .bind(&message.thinking)
        .bind(message.tool_calls.as_ref().map(sqlx::types::Json))
        .bind(message.metadata.as_ref().map(sqlx::types::Json))
        .bind(&message.model)
        .execute(connection)
        .await?;
    Ok(())
}

/// Adds texts to what the model reads beside a user's words: the list `context` of its metadata.
///
/// # Errors
/// When SQLite refuses.
pub async fn add_context(connection: &mut SqliteConnection, message: &Message, texts: &[String]) -> StoreResult<()> {
    let mut metadata = message.metadata.clone().unwrap_or_else(|| serde_json::json!({}));
    let mut context = metadata["context"].as_array().cloned().unwrap_or_default();
    context.extend(texts.iter().cloned().map(Value::String));
    metadata["context"] = Value::Array(context);
    sqlx::query(SET_METADATA).bind(message.id).bind(sqlx::types::Json(metadata)).execute(connection).await?;
    Ok(())
}

/// Changes a message's metadata; answers the message as it is then.
///
/// # Errors
/// [`StoreError::NotFound`] when it is not in this session.
pub async fn set_metadata(
    connection: &mut SqliteConnection,
    session: SessionId,
    id: MessageId,
    change: impl FnOnce(&mut Value),
) -> StoreResult<Message> {
    let mut message = one(&mut *connection, session, id).await?;
    let metadata = message.metadata.get_or_insert_with(|| serde_json::json!({}));
    change(metadata);
    sqlx::query(SET_METADATA).bind(id).bind(sqlx::types::Json(&*metadata)).execute(connection).await?;
    Ok(message)
}

/// All messages of a session in order; those that wait come last.
///
/// # Errors
/// When the database cannot be read.
pub async fn list(connection: impl sqlx::SqliteExecutor<'_>, session: SessionId) -> StoreResult<Vec<Message>> {
    sqlx::query(LIST).bind(session).fetch_all(connection).await?.iter().map(read).collect()
}

/// The message that a client sent under this id before.
///
/// # Errors
/// When the database cannot be read.
pub async fn by_client_id(
    connection: &mut SqliteConnection,
    session: SessionId,
    client_message_id: &str,
) -> StoreResult<Option<Message>> {
    let row = sqlx::query(BY_CLIENT_ID).bind(session).bind(client_message_id).fetch_optional(connection).await?;
    row.as_ref().map(read).transpose()
}

/// Takes the messages that wait, in order, and gives them to a run.
///
/// # Errors
/// When SQLite refuses.
pub async fn take_queued(
    connection: &mut SqliteConnection,
    session: SessionId,
    run: RunId,
) -> StoreResult<Vec<Message>> {
    let rows = sqlx::query(QUEUED).bind(session).fetch_all(&mut *connection).await?;
    let mut taken: Vec<Message> = rows.iter().map(read).collect::<StoreResult<_>>()?;
    for message in &mut taken {
        sqlx::query(TAKE).bind(message.id).bind(run).execute(&mut *connection).await?;
        message.queued = false;
        message.run_id = Some(run);
    }
    Ok(taken)
}

/// Whether messages wait in a session.
///
/// # Errors
/// When the database cannot be read.
pub async fn has_queued(connection: &mut SqliteConnection, session: SessionId) -> StoreResult<bool> {
    Ok(sqlx::query_scalar(ANY_QUEUED).bind(session).fetch_one(connection).await?)
}

/// The calls of a session that have no result, with the run that made them.
///
/// # Errors
/// When the database cannot be read.
pub async fn open_calls(connection: &mut SqliteConnection, session: SessionId) -> StoreResult<Vec<(ToolCall, RunId)>> {
    let answered: HashSet<CallId> =
        sqlx::query_scalar(ANSWERED).bind(session).fetch_all(&mut *connection).await?.into_iter().collect();
    let rows = sqlx::query(WITH_CALLS).bind(session).fetch_all(connection).await?;
    let mut open = Vec::new();
    for row in &rows {
        let message = read(row)?;
        let run_id = message.run_id.ok_or_else(|| StoreError::Corrupt(format!("message {} has no run", message.id)))?;
        let calls = message.tool_calls.into_iter().flatten();
        open.extend(calls.filter(|call| !answered.contains(&call.id)).map(|call| (call, run_id)));
    }
    Ok(open)
}

/// Changes the text of a message that still waits.
///
/// # Errors
/// [`StoreError::Conflict`] when the run has taken it meanwhile, [`StoreError::NotFound`] when it never was.
pub async fn edit_queued(
    connection: &mut SqliteConnection,
    session: SessionId,
    id: MessageId,
    content: &str,
) -> StoreResult<Message> {
    let done = sqlx::query(EDIT_QUEUED)
        .bind(session)
        .bind(id)
        .bind(content)
        .bind(fts::normalise(content))
        .execute(&mut *connection)
        .await?;
    let message = one(connection, session, id).await?;
    if done.rows_affected() == 0 { Err(TAKEN) } else { Ok(message) }
}

/// Withdraws a message that still waits.
///
/// # Errors
/// As [`edit_queued`].
pub async fn delete_queued(connection: &mut SqliteConnection, session: SessionId, id: MessageId) -> StoreResult<()> {
    let done = sqlx::query(DELETE_QUEUED).bind(session).bind(id).execute(&mut *connection).await?;
    if done.rows_affected() == 0 {
        one(connection, session, id).await?;
        return Err(TAKEN);
    }
    Ok(())
}

const TAKEN: StoreError = StoreError::Conflict("The message has been read by the agent already and cannot be changed.");

async fn one(connection: &mut SqliteConnection, session: SessionId, id: MessageId) -> StoreResult<Message> {
    let row = sqlx::query(ONE).bind(session).bind(id).fetch_optional(connection).await?;
    row.as_ref().map(read).transpose()?.ok_or(StoreError::NotFound("message"))
}

/// bm25 scores every match: beyond this many, the newest are shown instead of the best.
const RANKED_AT_MOST: i64 = 50_000;

impl Store {
    /// All messages of a session in order.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn messages(&self, session: SessionId) -> StoreResult<Vec<Message>> {
        list(self.reader(), session).await
    }

    /// Messages of a user that match an FTS5 expression, the best first; within one session when that is given.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn search_messages(
        &self,
        user: UserId,
        expression: &str,
        session: Option<SessionId>,
        limit: i64,
    ) -> StoreResult<Vec<MessageHit>> {
        let matches: i64 =
            sqlx::query_scalar(SEARCH_COUNT).bind(expression).bind(RANKED_AT_MOST + 1).fetch_one(self.reader()).await?;
        let statement = if matches > RANKED_AT_MOST { SEARCH_NEWEST } else { SEARCH_RANKED };
        Ok(sqlx::query_as(statement)
            .bind(expression)
            .bind(user)
            .bind(session)
            .bind(limit)
            .fetch_all(self.reader())
            .await?)
    }
}

fn read(row: &sqlx::sqlite::SqliteRow) -> StoreResult<Message> {
    let tool_calls: Option<sqlx::types::Json<Vec<ToolCall>>> = row.try_get("tool_calls")?;
    let metadata: Option<sqlx::types::Json<Value>> = row.try_get("metadata")?;
    Ok(Message {
        id: row.try_get("id")?,
        session_id: row.try_get("session_id")?,
        run_id: row.try_get("run_id")?,
        role: row.try_get("role")?,
        content: row.try_get("content")?,
        thinking: row.try_get("thinking")?,
        tool_calls: tool_calls.map(|json| json.0),
        tool_call_id: row.try_get("tool_call_id")?,
        is_error: row.try_get("is_error")?,
        metadata: metadata.map(|json| json.0),
        model: row.try_get("model")?,
        created_at: row.try_get("created_at")?,
        parent_tool_call_id: row.try_get("parent_tool_call_id")?,
        queued: row.try_get("queued")?,
    })
}
