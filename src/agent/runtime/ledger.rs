//! Beginning, ending and repairing runs: each one write command, so that a crash finds it done or not begun.

use super::recorder::{record_end, record_start};
use super::turn::Outcome;
use crate::agent::asks::close_all;
use crate::agent::context::history;
use crate::agent::events::Event;
use crate::agent::timeline::{Scope, record, record_session};
use crate::ids::{MessageId, RunId, SessionId, UserId};
use crate::llm::types::Usage;
use crate::store::messages::{self, Message, Role};
use crate::store::runs::{self, Run, RunMode, RunOptions, RunRow, RunStatus};
use crate::store::sessions::{self, SessionChange};
use crate::store::{StoreResult, events, questions};
use crate::time::Timestamp;

/// Title of a session that has none of its own yet.
pub const UNTITLED: &str = "New session";

/// A run that was written down and has to be driven.
pub(super) type Start = Box<RunRow>;

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
    /// What hooks add for the model to read beside the message.
    pub context: Vec<String>,
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

/// Where a run's events belong.
pub(super) fn scope_of(row: &RunRow) -> Scope {
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

/// Stores a message with a new run for it, or lets it wait for the run that is going.
///
/// # Errors
/// [`crate::store::StoreError::NotFound`] when the session is not the user's.
pub(super) async fn submit(
    connection: &mut sqlx::SqliteConnection,
    submission: Submission,
    model: String,
) -> StoreResult<(Accepted, Option<Start>)> {
    let Submission { user_id, session_id, content, mode, mut options, client_message_id, context } = submission;
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
    message.metadata = (!context.is_empty()).then(|| serde_json::json!({ history::CONTEXT: context }));
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

/// Ends a run, and begins the next one when messages wait.
///
/// # Errors
/// When SQLite refuses.
pub(super) async fn finish(
    connection: &mut sqlx::SqliteConnection,
    scope: Scope,
    run_id: RunId,
    outcome: &Outcome,
    default_model: String,
) -> StoreResult<Option<Start>> {
    close_all(&mut *connection, scope.user_id, run_id).await?;
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

/// What the start of a server found of the one before.
pub(super) struct Repaired {
    /// Runs that were going and have become interrupted.
    pub(super) interrupted: usize,
    /// Runs that wait for the user, as before.
    pub(super) waiting: Vec<RunRow>,
}

/// Makes interrupted runs of those that were going, and gives every open call its result. A run whose question is open
/// goes on waiting: its call is the one that has no result.
///
/// # Errors
/// When SQLite refuses.
pub(super) async fn repair(connection: &mut sqlx::SqliteConnection) -> StoreResult<Repaired> {
    let mut repaired = Repaired { interrupted: 0, waiting: Vec::new() };
    for mut row in runs::all_active(&mut *connection).await? {
        let scope = scope_of(&row);
        let questions = questions::open_of_run(&mut *connection, row.run.id).await?;
        for (call, run_id) in messages::open_calls(&mut *connection, row.run.session_id).await? {
            if questions.iter().any(|question| question.tool_call_id == call.id) {
                continue;
            }
            let mut message = Message::new(scope.session_id, run_id, Role::Tool, history::LOST.into());
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
        if !questions.is_empty() {
            row.run.status = RunStatus::Waiting;
            repaired.waiting.push(row);
            continue;
        }
        repaired.interrupted += 1;
        let outcome = Outcome {
            status: RunStatus::Interrupted,
            reason: None,
            detail: Some("The server stopped while this run was going. It can be continued.".into()),
        };
        record_end(&mut *connection, scope, row.run.id, &outcome).await?;
    }
    Ok(repaired)
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
