//! The gate: what a call passes before it runs.
//!
//! Rules and the permission mode decide on the arguments the call would run with; where they want it, the user does. Most
//! calls pass without waiting for anything ([`Gate::pass`]); the others get a task of their own ([`Gate::ask`]).

use super::prepare::{PreparedCall, PreparedTools};
use super::turn::{CallVerdict, Clearance};
use crate::agent::asks::{Answer, Asks, Decision, Draft, Reply};
use crate::agent::permissions::{Audience, Isolation, Permissions, Ruling, Scope, Subject};
use crate::ids::{RunId, SessionId, UserId};
use crate::store::StoreResult;
use crate::store::questions::{Question, QuestionKind};
use crate::store::sessions::PermissionMode;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What the gate of a run needs.
#[derive(Clone)]
pub struct Gate {
    /// The run's tools.
    pub tools: Arc<PreparedTools>,
    /// Asks the user.
    pub asks: Arc<Asks>,
    /// Decides by rules and mode.
    pub permissions: Arc<Permissions>,
    /// How much may happen without asking.
    pub mode: PermissionMode,
    /// Who is asked.
    pub user_id: UserId,
    /// The conversation.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
}

impl Gate {
    /// Decides at once, unless somebody has to be waited for.
    #[must_use]
    pub fn pass(&self, call: &PreparedCall) -> Option<CallVerdict> {
        if call.reopened {
            return None;
        }
        match self.rule(call) {
            Ruling::Allow => Some(CallVerdict::Run(Clearance::default())),
            Ruling::Deny(why) => Some(CallVerdict::Refused(why)),
            Ruling::Ask(_) => None,
        }
    }

    /// Decides about a call that [`Gate::pass`] did not, waiting for the user where that is needed.
    pub async fn ask(self, call: PreparedCall, cancel: CancellationToken) -> CallVerdict {
        match self.decide(&call, &cancel).await {
            Ok(verdict) => verdict,
            Err(error) => {
                CallVerdict::Refused(format!("Not run: the question to the user could not be stored ({error})."))
            }
        }
    }

    async fn decide(&self, call: &PreparedCall, cancel: &CancellationToken) -> StoreResult<CallVerdict> {
        let earlier = if call.reopened { self.asks.of_call(&call.id).await? } else { None };
        let (message, suggestion) = match earlier {
            // What the call asked itself is taken up by the call, and what was asked about it goes on below.
            Some(Question { kind: QuestionKind::AskUser, .. }) => return Ok(CallVerdict::Run(Clearance::default())),
            Some(question) => (question.message, question.suggestion),
            None => match self.rule(call) {
                Ruling::Allow => return Ok(CallVerdict::Run(Clearance::default())),
                Ruling::Deny(why) => return Ok(CallVerdict::Refused(why)),
                Ruling::Ask(question) => (question.message, question.suggestion),
            },
        };
        let draft = Draft {
            user_id: self.user_id,
            session_id: self.session_id,
            run_id: self.run_id,
            call_id: call.id.clone(),
            kind: QuestionKind::Permission,
            tool: Some(call.name.clone()),
            arguments: Some(call.effective_arguments().clone()),
            message,
            options: None,
            suggestion: suggestion.clone(),
        };
        let reply = self.asks.ask(draft, cancel).await?;
        Ok(match reply {
            Reply::Answered(Answer::Permission { decision, comment }) => {
                self.remember(decision, suggestion.as_deref()).await;
                answered(decision, comment)
            }
            // The route refuses an answer of the other kind.
            Reply::Answered(Answer::Text { .. }) | Reply::Expired => CallVerdict::Refused(
                "Not run: the user was asked and did not answer within five minutes. Go on without it, or say what you \
                 would do."
                    .into(),
            ),
            Reply::Cancelled => CallVerdict::Refused(super::turn::NOT_STARTED.into()),
        })
    }

    fn rule(&self, call: &PreparedCall) -> Ruling {
        let Some(tool) = self.tools.registry().get(&call.name) else {
            return Ruling::Deny(format!("There is no tool `{}`.", call.name));
        };
        let verdict = self.permissions.decide(&Subject {
            user_id: self.user_id,
            session_id: self.session_id,
            tool: tool.as_ref(),
            arguments: call.effective_arguments(),
            mode: self.mode,
            audience: Audience::User,
            isolation: Isolation::Isolated,
        });
        verdict.ruling
    }

    /// Stores what an answer allows beyond this call.
    async fn remember(&self, decision: Decision, suggestion: Option<&str>) {
        let scope = match decision {
            Decision::Session => Scope::Session,
            Decision::Always => Scope::Always,
            Decision::Once | Decision::Deny => return,
        };
        let Some(suggestion) = suggestion else { return };
        if let Err(error) = self.permissions.remember(self.user_id, self.session_id, suggestion, scope).await {
            // The call runs all the same; the next one asks again.
            tracing::error!("an answer could not be remembered: {error}");
        }
    }
}

fn answered(decision: Decision, comment: Option<String>) -> CallVerdict {
    let comment = comment.filter(|comment| !comment.trim().is_empty());
    match decision {
        Decision::Once | Decision::Session | Decision::Always => CallVerdict::Run(Clearance {
            notes: comment.map(|comment| format!("[The user allowed this and says: {comment}]")).into_iter().collect(),
            ..Clearance::default()
        }),
        Decision::Deny => CallVerdict::Refused(match comment {
            Some(comment) => format!("The user was asked and said no: {comment}"),
            None => {
                "The user was asked and said no. Do not try the same again; go on without it or ask what they want."
                    .into()
            }
        }),
    }
}
