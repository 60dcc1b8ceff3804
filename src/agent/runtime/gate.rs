//! The gate: what a call passes before it runs.
//!
//! Hooks come first: they may block the call or change its arguments. Rules and the permission mode then decide on the
//! arguments the call would run with; where they want it, the user does. Most calls pass without waiting for anything
//! ([`Gate::pass`]); the others get a task of their own ([`Gate::ask`]).

use super::prepare::{PreparedCall, PreparedTools};
use super::turn::{CallVerdict, Clearance};
use crate::agent::asks::{Answer, Asks, Decision, Draft, Reply};
use crate::agent::hooks::{HookEvent, Hooks, PermissionAnswer, PreToolUse, Scope};
use crate::agent::permissions::{Audience, Permissions, Question, Ruling, Scope as Extent, Subject};
use crate::ids::{RunId, SessionId, UserId};
use crate::sandbox::Isolation;
use crate::store::StoreResult;
use crate::store::questions::QuestionKind;
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
    /// Has a word before rules do, and instead of the user.
    pub hooks: Arc<Hooks>,
    /// Decides by rules and mode.
    pub permissions: Arc<Permissions>,
    /// How much may happen without asking.
    pub mode: PermissionMode,
    /// How well shell commands are isolated.
    pub isolation: Isolation,
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
    pub fn pass(&self, call: &PreparedCall, scope: &Scope) -> Option<CallVerdict> {
        if call.reopened || self.hooks.with_set(|set| set.has(HookEvent::PreToolUse)) {
            return None;
        }
        match self.rule(call) {
            Ruling::Allow => Some(CallVerdict::Run(Clearance::default())),
            Ruling::Deny(why) => Some(self.refuse(call, scope, why)),
            Ruling::Ask(_) => None,
        }
    }

    /// Decides about a call that [`Gate::pass`] did not, waiting for hooks and the user where that is needed.
    pub async fn ask(self, call: PreparedCall, scope: Scope, cancel: CancellationToken) -> CallVerdict {
        let scope = scope.of_call(&call.id);
        self.decide(call, &scope, &cancel).await.unwrap_or_else(|error| {
            CallVerdict::Refused(format!("Not run: the question to the user could not be stored ({error})."))
        })
    }

    async fn decide(
        &self,
        mut call: PreparedCall,
        scope: &Scope,
        cancel: &CancellationToken,
    ) -> StoreResult<CallVerdict> {
        let earlier = if call.reopened { self.asks.of_call(&call.id).await? } else { None };
        let mut notes = Vec::new();
        let question = match earlier {
            // What the call asked itself is taken up by the call, and what was asked about it goes on below.
            Some(question) if question.kind == QuestionKind::AskUser => {
                return Ok(CallVerdict::Run(Clearance::default()));
            }
            Some(question) => {
                call.effective = question.arguments.filter(|arguments| *arguments != call.arguments);
                Question { message: question.message, suggestion: question.suggestion }
            }
            None => {
                let said = unless(cancel, self.hooks.pre_tool_use(scope, &call.name, &call.arguments)).await;
                let Some(said) = said else { return Ok(not_started()) };
                let wants = match said {
                    PreToolUse::Block { reason } => {
                        return Ok(self.refuse(&call, scope, format!("A hook refused this call: {reason}")));
                    }
                    PreToolUse::Continue { arguments, context, ask } => {
                        (call.effective, notes) = (arguments, context);
                        ask
                    }
                };
                if let Some(arguments) = &call.effective
                    && let Err(why) = self.tools.check_arguments(&call.name, arguments)
                {
                    return Ok(self.refuse(&call, scope, format!("A hook changed the arguments. {why}")));
                }
                match (self.rule(&call), wants) {
                    (Ruling::Deny(why), _) => return Ok(self.refuse(&call, scope, why)),
                    (Ruling::Allow, None) => return Ok(self.run(call, notes)),
                    (Ruling::Allow, Some(message)) => Question { message, suggestion: None },
                    (Ruling::Ask(question), _) => question,
                }
            }
        };
        let arguments = call.effective_arguments().clone();
        let asking = async {
            let answer = self.hooks.permission_request(scope, &call.name, &arguments, &question.message).await;
            if answer.is_none() {
                self.hooks.notification(scope, "permission_prompt", &question.message).await;
            }
            answer
        };
        let Some(answer) = unless(cancel, asking).await else { return Ok(not_started()) };
        match answer {
            Some(PermissionAnswer::Allow) => return Ok(self.run(call, notes)),
            Some(PermissionAnswer::Deny { reason }) => {
                return Ok(self.refuse(&call, scope, format!("A hook refused this call: {reason}")));
            }
            None => {}
        }
        let draft = Draft {
            user_id: self.user_id,
            session_id: self.session_id,
            run_id: self.run_id,
            call_id: call.id.clone(),
            kind: QuestionKind::Permission,
            tool: Some(call.name.clone()),
            arguments: Some(arguments.clone()),
            message: question.message,
            options: None,
            suggestion: question.suggestion.clone(),
        };
        let reply = self.asks.ask(draft, cancel).await?;
        let (decision, comment) = match reply {
            Reply::Answered(Answer::Permission { decision, comment }) => (decision, comment),
            // The route refuses an answer of the other kind.
            Reply::Answered(Answer::Text { .. }) | Reply::Expired => {
                let why = "Not run: the user was asked and did not answer within five minutes. Go on without it, or say what \
                           you would do.";
                return Ok(self.refuse(&call, scope, why.to_owned()));
            }
            Reply::Cancelled => return Ok(not_started()),
        };
        self.hooks.permission_answered(scope, &call.name, &arguments, decision.name());
        let comment = comment.filter(|comment| !comment.trim().is_empty());
        if decision == Decision::Deny {
            return Ok(CallVerdict::Refused(match comment {
                Some(comment) => format!("The user was asked and said no: {comment}"),
                None => {
                    "The user was asked and said no. Do not try the same again; go on without it or ask what they want."
                        .to_owned()
                }
            }));
        }
        self.remember(decision, question.suggestion.as_deref()).await;
        notes.extend(comment.map(|comment| format!("[The user allowed this and says: {comment}]")));
        Ok(self.run(call, notes))
    }

    fn refuse(&self, call: &PreparedCall, scope: &Scope, why: String) -> CallVerdict {
        self.hooks.tool_refused(&scope.of_call(&call.id), &call.name, call.effective_arguments(), &why);
        CallVerdict::Refused(why)
    }

    fn run(&self, call: PreparedCall, notes: Vec<String>) -> CallVerdict {
        let tool = self.tools.registry().get(&call.name);
        let safe = call.effective.as_ref().zip(tool).map(|(arguments, tool)| tool.is_concurrency_safe(arguments));
        CallVerdict::Run(Clearance { arguments: call.effective, concurrency_safe: safe, notes })
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
            isolation: self.isolation,
        });
        verdict.ruling
    }

    /// Stores what an answer allows beyond this call.
    async fn remember(&self, decision: Decision, suggestion: Option<&str>) {
        let scope = match decision {
            Decision::Session => Extent::Session,
            Decision::Always => Extent::Always,
            Decision::Once | Decision::Deny => return,
        };
        let Some(suggestion) = suggestion else { return };
        if let Err(error) = self.permissions.remember(self.user_id, self.session_id, suggestion, scope).await {
            // The call runs all the same; the next one asks again.
            tracing::error!("an answer could not be remembered: {error}");
        }
    }
}

fn not_started() -> CallVerdict {
    CallVerdict::Refused(super::turn::NOT_STARTED.into())
}

/// What hooks say, unless nobody wants to know any more: then they are ended.
async fn unless<T>(cancel: &CancellationToken, said: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        said = said => Some(said),
        () = cancel.cancelled() => None,
    }
}
