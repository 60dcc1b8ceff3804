//! Asking the user and waiting for the answer.
//!
//! A question is a row ([`crate::store::questions`]); what waits in memory is only told to look again. So a question may
//! be answered in any tab, by a script, or after a restart, and the call that asked goes on with the one answer that was
//! stored. Opening and closing are one write command each, together with their event and the run's state.

use super::events::Event;
use super::timeline::{Scope, record};
use super::tools::{AskReply, AskUser, Asker};
use crate::ids::{CallId, QuestionId, RunId, SessionId, UserId};
use crate::store::questions::{self, Question, QuestionKind, QuestionStatus};
use crate::store::{Store, StoreError, StoreResult};
use crate::time::Timestamp;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::SqliteConnection;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;

/// How long a question stays open.
pub const PATIENCE: Duration = Duration::from_secs(5 * 60);

/// What a user may say to a permission question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// Yes, this time.
    Once,
    /// Yes, for the rest of this session.
    Session,
    /// Yes, and do not ask again.
    Always,
    /// No.
    Deny,
}

impl Decision {
    /// As it stands in the API.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Always => "always",
            Self::Deny => "deny",
        }
    }
}

/// An answer, as it is stored and sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Answer {
    /// To a permission question.
    Permission {
        /// Whether the call may run.
        decision: Decision,
        /// What the model should know about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schema(nullable = false)]
        comment: Option<String>,
    },
    /// To `ask_user`.
    Text {
        /// The user's words, or the option chosen.
        answer: String,
    },
}

/// A question that is about to be asked.
#[derive(Debug, Clone)]
pub struct Draft {
    /// Who is asked.
    pub user_id: UserId,
    /// The conversation.
    pub session_id: SessionId,
    /// The run that waits.
    pub run_id: RunId,
    /// The call that waits.
    pub call_id: CallId,
    /// What kind of question.
    pub kind: QuestionKind,
    /// The tool that wants to run.
    pub tool: Option<String>,
    /// The arguments it would run with.
    pub arguments: Option<Value>,
    /// What is asked.
    pub message: String,
    /// Answers to choose from.
    pub options: Option<Vec<String>>,
    /// The rule that the answer `always` would store.
    pub suggestion: Option<String>,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// The user answered.
    Answered(Answer),
    /// Nobody did in time.
    Expired,
    /// The run was stopped meanwhile.
    Cancelled,
}

/// Asks and answers.
pub struct Asks {
    store: Store,
    /// Counts closed questions; whoever waits looks at its row again when it changes.
    closed: watch::Sender<u64>,
}

impl Asks {
    /// Over this database.
    #[must_use]
    pub fn new(store: Store) -> Arc<Self> {
        Arc::new(Self { store, closed: watch::channel(0).0 })
    }

    /// Opens the question and waits for its end; a question that this call has already is taken up where it is.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn ask(&self, draft: Draft, cancel: &CancellationToken) -> StoreResult<Reply> {
        let mut closed = self.closed.subscribe();
        let mut question = self.open(draft).await?;
        let left = question.expires_at.since(Timestamp::now());
        let deadline = tokio::time::sleep(left);
        tokio::pin!(deadline);
        loop {
            match reply(&question) {
                Some(reply) => return Ok(reply),
                None => tokio::select! {
                    changed = closed.changed() => {
                        // The sender lives as long as `self`.
                        if changed.is_err() {
                            return Ok(Reply::Cancelled);
                        }
                    }
                    () = &mut deadline => return self.give_up(&question, Reply::Expired).await,
                    () = cancel.cancelled() => return self.give_up(&question, Reply::Cancelled).await,
                },
            }
            match questions::of_call(self.store.reader(), &question.tool_call_id).await? {
                Some(now) => question = now,
                // Its session was deleted.
                None => return Ok(Reply::Cancelled),
            }
        }
    }

    /// Stores the user's answer.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the question is closed, [`StoreError::NotFound`] when it is not the user's.
    pub async fn answer(&self, user: UserId, id: QuestionId, answer: Answer) -> StoreResult<Question> {
        let value = serde_json::to_value(&answer).map_err(|e| StoreError::Corrupt(e.to_string()))?;
        let closed = self
            .store
            .write(move |connection| {
                Box::pin(async move {
                    let question = questions::get(&mut *connection, user, id).await?;
                    if question.expires_at <= Timestamp::now() && question.status == QuestionStatus::Open {
                        return Err(StoreError::Conflict("Nobody answered in time; the question is closed."));
                    }
                    close(connection, user, question, QuestionStatus::Answered, Some(value)).await
                })
            })
            .await?;
        self.wake();
        Ok(closed)
    }

    /// The user's question of this id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none, or it is somebody else's.
    pub async fn get(&self, user: UserId, id: QuestionId) -> StoreResult<Question> {
        questions::get(self.store.reader(), user, id).await
    }

    /// The question that a call has, if it asked before a restart.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn of_call(&self, call: &CallId) -> StoreResult<Option<Question>> {
        questions::of_call(self.store.reader(), call).await
    }

    /// Asks on behalf of a run's tools.
    #[must_use]
    pub fn for_run(self: &Arc<Self>, user_id: UserId, session_id: SessionId, run_id: RunId) -> Arc<dyn Asker> {
        Arc::new(RunAsker { asks: Arc::clone(self), user_id, session_id, run_id })
    }

    async fn open(&self, draft: Draft) -> StoreResult<Question> {
        self.store
            .write(move |connection| {
                Box::pin(async move {
                    if let Some(known) = questions::of_call(&mut *connection, &draft.call_id).await? {
                        return Ok(known);
                    }
                    let question = Question {
                        id: QuestionId::new(),
                        session_id: draft.session_id,
                        run_id: draft.run_id,
                        kind: draft.kind,
                        tool_call_id: draft.call_id,
                        tool: draft.tool,
                        arguments: draft.arguments,
                        message: draft.message,
                        options: draft.options,
                        suggestion: draft.suggestion,
                        expires_at: Timestamp::now().plus(PATIENCE),
                        status: QuestionStatus::Open,
                        answer: None,
                    };
                    questions::open(&mut *connection, draft.user_id, &question).await?;
                    let scope = scope(draft.user_id, &question);
                    record(connection, scope, &Event::Question { question: question.clone() }).await?;
                    Ok(question)
                })
            })
            .await
    }

    /// Closes a question that nobody answered; an answer that came in the same moment counts.
    async fn give_up(&self, question: &Question, reply_now: Reply) -> StoreResult<Reply> {
        let call = question.tool_call_id.clone();
        let expired = self
            .store
            .write(move |connection| {
                Box::pin(async move {
                    let Some(question) = questions::of_call(&mut *connection, &call).await? else { return Ok(None) };
                    if let Some(reply) = reply(&question) {
                        return Ok(Some(reply));
                    }
                    let user = questions::owner(&mut *connection, question.id).await?;
                    close(connection, user, question, QuestionStatus::Expired, None).await?;
                    Ok(None)
                })
            })
            .await?;
        self.wake();
        Ok(expired.unwrap_or(reply_now))
    }

    fn wake(&self) {
        self.closed.send_modify(|count| *count += 1);
    }
}

fn scope(user_id: UserId, question: &Question) -> Scope {
    Scope { user_id, session_id: question.session_id, run_id: Some(question.run_id) }
}

/// What a closed question came to; `None` while it is open.
fn reply(question: &Question) -> Option<Reply> {
    match question.status {
        QuestionStatus::Open => None,
        QuestionStatus::Expired => Some(Reply::Expired),
        QuestionStatus::Answered => {
            let answer = question.answer.clone().and_then(|answer| serde_json::from_value(answer).ok());
            Some(answer.map_or(Reply::Expired, Reply::Answered))
        }
    }
}

async fn close(
    connection: &mut SqliteConnection,
    user: UserId,
    mut question: Question,
    status: QuestionStatus,
    answer: Option<Value>,
) -> StoreResult<Question> {
    questions::close(&mut *connection, &question, status, answer.as_ref()).await?;
    question.status = status;
    question.answer.clone_from(&answer);
    record(connection, scope(user, &question), &Event::QuestionClosed { id: question.id, status, answer }).await?;
    Ok(question)
}

/// Closes what a run has left open when it ends.
///
/// # Errors
/// When SQLite refuses.
pub async fn close_all(connection: &mut SqliteConnection, user: UserId, run: RunId) -> StoreResult<()> {
    for question in questions::open_of_run(&mut *connection, run).await? {
        close(&mut *connection, user, question, QuestionStatus::Expired, None).await?;
    }
    Ok(())
}

struct RunAsker {
    asks: Arc<Asks>,
    user_id: UserId,
    session_id: SessionId,
    run_id: RunId,
}

#[async_trait]
impl Asker for RunAsker {
    async fn ask(&self, call: &CallId, question: AskUser, cancel: &CancellationToken) -> AskReply {
        let draft = Draft {
            user_id: self.user_id,
            session_id: self.session_id,
            run_id: self.run_id,
            call_id: call.clone(),
            kind: QuestionKind::AskUser,
            tool: None,
            arguments: None,
            message: question.message,
            options: (!question.options.is_empty()).then_some(question.options),
            suggestion: None,
        };
        match self.asks.ask(draft, cancel).await {
            Ok(Reply::Answered(Answer::Text { answer })) => AskReply::Answered(answer),
            // The route refuses an answer of the other kind.
            Ok(Reply::Answered(Answer::Permission { .. }) | Reply::Expired) => AskReply::Expired,
            Ok(Reply::Cancelled) => AskReply::Cancelled,
            Err(error) => {
                tracing::error!("a question could not be stored: {error}");
                AskReply::Expired
            }
        }
    }
}
