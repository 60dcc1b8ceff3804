//! One method for each event: tell the built-in hooks, run the commands, put their answers together.

use super::config::CommandHook;
use super::events::Payload;
use super::metrics::CallOutcome;
use super::outcome::{Answer, Decision, interpret};
use super::{
    CompactTrigger, EndCause, HookEvent, Hooks, PermissionAnswer, PostToolUse, PreCompact, PreToolUse, PromptSubmit,
    Scope, StartSource, StopRound, audit, command,
};
use crate::agent::events::Event;
use crate::ids::AuditId;
use crate::store::audit::AuditRow;
use crate::time::Timestamp;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

impl Hooks {
    /// A session begins, or begins again; answers what the model should read first.
    pub async fn session_start(&self, scope: &Scope, source: StartSource) -> Vec<String> {
        let answers = self.run_all(scope, Payload::SessionStart { source }).await;
        context_of(answers)
    }

    /// A session ends. Its hooks have 1.5 s together.
    pub async fn session_end(&self, scope: &Scope, cause: EndCause) {
        self.note(scope, HookEvent::SessionEnd, None, "ended", String::new(), None);
        self.run_all(scope, Payload::SessionEnd { reason: cause }).await;
    }

    /// A message would be accepted.
    pub async fn user_prompt_submit(&self, scope: &Scope, prompt: &str) -> PromptSubmit {
        let answers = self.run_all(scope, Payload::UserPromptSubmit { prompt }).await;
        let blocked = first_block(&answers);
        let decision = if blocked.is_some() { "block" } else { "continue" };
        self.note(scope, HookEvent::UserPromptSubmit, None, decision, audit::digest(prompt), None);
        match blocked {
            Some(reason) => PromptSubmit::Block { reason },
            None => PromptSubmit::Continue { context: context_of(answers) },
        }
    }

    /// Before the permissions of a call. The hooks run one after the other, each sees the arguments as the ones before it
    /// left them, and the first that blocks is the last. A hook's `allow` is no more than "go on": rules still apply.
    pub async fn pre_tool_use(&self, scope: &Scope, tool: &str, arguments: &Value) -> PreToolUse {
        let loaded = self.loaded();
        if !loaded.set.has(HookEvent::PreToolUse) {
            return PreToolUse::go_on();
        }
        let (mut changed, mut context, mut ask): (Option<Value>, _, Option<String>) = (None, Vec::new(), None);
        for hook in loaded.set.matching(HookEvent::PreToolUse, Some(tool)) {
            let tool_input = changed.as_ref().unwrap_or(arguments);
            let answer = self.run_one(scope, &hook, Payload::PreToolUse { tool_name: tool, tool_input }).await;
            match answer.decision {
                Decision::Block => return PreToolUse::Block { reason: answer.reason() },
                Decision::Ask => {
                    let message =
                        answer.detail.unwrap_or_else(|| format!("The hook `{}` wants you to decide.", hook.name));
                    ask = Some(ask.map_or_else(|| message.clone(), |earlier| format!("{earlier}\n{message}")));
                }
                Decision::Continue | Decision::Allow | Decision::Failed => {}
            }
            context.extend(answer.context);
            changed = answer.arguments.or(changed);
        }
        PreToolUse::Continue { arguments: changed.filter(|changed| changed != arguments), context, ask }
    }

    /// A question would be shown; a hook may answer it. A denial by one outweighs an allowance by another.
    pub async fn permission_request(
        &self,
        scope: &Scope,
        tool: &str,
        arguments: &Value,
        message: &str,
    ) -> Option<PermissionAnswer> {
        let payload = Payload::PermissionRequest { tool_name: tool, tool_input: arguments, message };
        let answers = self.run_all(scope, payload).await;
        if let Some(reason) = first_block(&answers) {
            return Some(PermissionAnswer::Deny { reason });
        }
        answers.iter().any(|answer| answer.decision == Decision::Allow).then_some(PermissionAnswer::Allow)
    }

    /// A question about a call was answered, in a word (`once`, `session`, `always`, `deny`, `expired`, `nobody`), by the
    /// user or by a hook. No command runs.
    pub fn permission_answered(&self, scope: &Scope, tool: &str, arguments: &Value, decision: &str) {
        self.note_named(scope, "PermissionAnswer", Some(tool), decision, audit::arguments(arguments), None);
    }

    /// A call was refused by a hook, a rule or the user; the reason is the model's. No command runs.
    pub fn tool_refused(&self, scope: &Scope, tool: &str, arguments: &Value, reason: &str) {
        self.metrics().tool_call(tool, CallOutcome::Refused, None);
        let summary = format!("{}; {reason}", audit::arguments(arguments));
        self.note(scope, HookEvent::PreToolUse, Some(tool), CallOutcome::Refused.name(), summary, None);
    }

    /// After a call that went well.
    pub async fn post_tool_use(
        &self,
        scope: &Scope,
        tool: &str,
        arguments: &Value,
        output: &str,
        took: Duration,
    ) -> PostToolUse {
        self.call_ended(scope, HookEvent::PostToolUse, (tool, arguments), CallOutcome::Ok, output, took);
        let payload = Payload::PostToolUse {
            tool_name: tool,
            tool_input: arguments,
            tool_response: output,
            duration_ms: millis(took),
        };
        after(self.run_all(scope, payload).await)
    }

    /// After a call that failed.
    pub async fn post_tool_use_failure(
        &self,
        scope: &Scope,
        tool: &str,
        arguments: &Value,
        error: &str,
        took: Duration,
    ) -> PostToolUse {
        self.call_ended(scope, HookEvent::PostToolUseFailure, (tool, arguments), CallOutcome::Error, error, took);
        let payload =
            Payload::PostToolUseFailure { tool_name: tool, tool_input: arguments, error, duration_ms: millis(took) };
        after(self.run_all(scope, payload).await)
    }

    /// A child begins; answers what it should read first. `kind` is what matchers see.
    pub async fn subagent_start(&self, scope: &Scope, kind: &str, task: &str) -> Vec<String> {
        self.note(scope, HookEvent::SubagentStart, None, "started", format!("{kind}: {}", audit::digest(task)), None);
        context_of(self.run_all(scope, Payload::SubagentStart { agent_type: kind, task }).await)
    }

    /// A child would end; the reason to send it back, if there is one. At most 8 times is for the caller to count.
    pub async fn subagent_stop(
        &self,
        scope: &Scope,
        kind: &str,
        task: &str,
        answer: &str,
        round: StopRound,
    ) -> Option<String> {
        let payload = Payload::SubagentStop {
            agent_type: kind,
            task,
            last_assistant_message: answer,
            stop_hook_active: round == StopRound::SentBack,
        };
        let reason = first_block(&self.run_all(scope, payload).await);
        let decision = if reason.is_some() { "block" } else { "ended" };
        self.note(scope, HookEvent::SubagentStop, None, decision, format!("{kind}: {}", audit::digest(task)), None);
        reason
    }

    /// Before a compaction; one that was asked for cannot be blocked.
    pub async fn pre_compact(&self, scope: &Scope, trigger: CompactTrigger) -> PreCompact {
        let answers = self.run_all(scope, Payload::PreCompact { trigger }).await;
        first_block(&answers).map_or(PreCompact::Continue, |reason| PreCompact::Block { reason })
    }

    /// After a compaction; sizes in tokens.
    pub async fn post_compact(&self, scope: &Scope, trigger: CompactTrigger, before_tokens: u64, after_tokens: u64) {
        self.metrics().compaction(trigger);
        let summary = format!("{before_tokens} tokens before, {after_tokens} after");
        self.note(scope, HookEvent::PostCompact, None, "compacted", summary, None);
        self.run_all(scope, Payload::PostCompact { trigger, before_tokens, after_tokens }).await;
    }

    /// Something needs the user; `kind` is what matchers see, for example `permission`.
    pub async fn notification(&self, scope: &Scope, kind: &str, message: &str) {
        self.run_all(scope, Payload::Notification { notification_type: kind, message }).await;
    }

    /// The run would end with this answer; the reason to send it back, if there is one. At most 8 times is for the caller
    /// to count.
    pub async fn stop(&self, scope: &Scope, answer: &str, round: StopRound) -> Option<String> {
        let stop_hook_active = round == StopRound::SentBack;
        first_block(&self.run_all(scope, Payload::Stop { last_assistant_message: answer, stop_hook_active }).await)
    }

    fn call_ended(
        &self,
        scope: &Scope,
        event: HookEvent,
        (tool, arguments): (&str, &Value),
        outcome: CallOutcome,
        output: &str,
        took: Duration,
    ) {
        self.metrics().tool_call(tool, outcome, Some(took));
        let summary = format!("{}; output: {} characters", audit::arguments(arguments), output.chars().count());
        self.note(scope, event, Some(tool), outcome.name(), summary, Some(took));
    }

    /// Runs the hooks of an event beside each other; their answers in order.
    async fn run_all(&self, scope: &Scope, payload: Payload<'_>) -> Vec<Answer> {
        let event = payload.event();
        let loaded = self.loaded();
        if !loaded.set.has(event) {
            return Vec::new();
        }
        let input = payload.input(scope, &self.workspace(scope.user_id));
        let name = event.matched_field().and_then(|field| input.get(field)).and_then(Value::as_str);
        let hooks = loaded.set.matching(event, name);
        futures::future::join_all(hooks.iter().map(|hook| self.run_one(scope, hook, payload))).await
    }

    /// Runs one hook, and shows, notes and counts it.
    async fn run_one(&self, scope: &Scope, hook: &Arc<CommandHook>, payload: Payload<'_>) -> Answer {
        let input = Value::Object(payload.input(scope, &self.workspace(scope.user_id))).to_string();
        let environment = self.environment(scope.user_id);
        let run = command::run(&hook.command, &input, &self.folder, &environment, hook.timeout).await;
        let mut answer = interpret(hook.event, &hook.name, &run, hook.on_error);
        if matches!(payload, Payload::PreCompact { trigger: CompactTrigger::Manual })
            && answer.decision == Decision::Block
        {
            answer.decision = Decision::Continue;
            answer.detail = Some(format!("Not heeded, since this compaction was asked for: {}", answer.reason()));
        }
        let decision = answer.word(hook.event);
        let took = Duration::from_millis(run.ms);
        scope.events.send(Event::Hook {
            event: hook.event.name().into(),
            name: hook.name.clone(),
            decision: decision.into(),
            ms: run.ms,
            tool_call_id: scope.call_id.clone(),
            detail: answer.detail.clone(),
        });
        self.metrics().hook_run(hook.event, decision, took);
        let tool = match payload {
            Payload::PreToolUse { tool_name, .. }
            | Payload::PermissionRequest { tool_name, .. }
            | Payload::PostToolUse { tool_name, .. }
            | Payload::PostToolUseFailure { tool_name, .. } => Some(tool_name),
            Payload::SessionStart { .. }
            | Payload::SessionEnd { .. }
            | Payload::UserPromptSubmit { .. }
            | Payload::SubagentStart { .. }
            | Payload::SubagentStop { .. }
            | Payload::PreCompact { .. }
            | Payload::PostCompact { .. }
            | Payload::Notification { .. }
            | Payload::Stop { .. } => None,
        };
        // The reason is not noted: a hook may quote what it was told.
        self.note(scope, hook.event, tool, decision, format!("hook `{}`", hook.name), Some(took));
        answer
    }

    fn note(
        &self,
        scope: &Scope,
        event: HookEvent,
        tool: Option<&str>,
        decision: &str,
        summary: String,
        took: Option<Duration>,
    ) {
        self.note_named(scope, event.name(), tool, decision, summary, took);
    }

    fn note_named(
        &self,
        scope: &Scope,
        event: &str,
        tool: Option<&str>,
        decision: &str,
        summary: String,
        took: Option<Duration>,
    ) {
        self.audit.note(AuditRow {
            id: AuditId::new(),
            user_id: scope.user_id,
            session_id: Some(scope.session_id),
            run_id: scope.run_id,
            tool_call_id: scope.call_id.clone(),
            event: event.to_owned(),
            tool: tool.map(str::to_owned),
            decision: decision.to_owned(),
            summary,
            ms: took.map(|took| i64::try_from(took.as_millis()).unwrap_or(i64::MAX)),
            created_at: Timestamp::now(),
        });
    }
}

fn millis(took: Duration) -> u64 {
    u64::try_from(took.as_millis()).unwrap_or(u64::MAX)
}

fn first_block(answers: &[Answer]) -> Option<String> {
    answers.iter().find(|answer| answer.decision == Decision::Block).map(Answer::reason)
}

fn context_of(answers: Vec<Answer>) -> Vec<String> {
    answers.into_iter().filter_map(|answer| answer.context).collect()
}

/// The last hook that changes the output has its way, unless a policy withheld it.
fn after(answers: Vec<Answer>) -> PostToolUse {
    let withheld = answers.iter().find(|answer| answer.decision == Decision::Failed && answer.output.is_some());
    let output = withheld.or_else(|| answers.iter().rfind(|answer| answer.output.is_some()));
    PostToolUse { output: output.and_then(|answer| answer.output.clone()), context: context_of(answers) }
}
