//! What each event may answer, and how it is read off what a hook's process did.

use super::command::{CommandRun, End};
use super::config::OnError;
use super::events::HookEvent;
use serde::Deserialize;
use serde_json::Value;

/// Characters of a text from a hook that are used; longer ones are cut, and the cut is said.
pub const TEXT_CHARS: usize = 10_000;

/// Answer to [`Hooks::pre_tool_use`](super::Hooks::pre_tool_use).
#[derive(Debug, Clone, PartialEq)]
pub enum PreToolUse {
    /// The call is refused; the reason is for the model.
    Block {
        /// Why.
        reason: String,
    },
    /// The call goes on to the permissions.
    Continue {
        /// Other arguments, to be checked against the schema again.
        arguments: Option<Value>,
        /// What the model should read with the result.
        context: Vec<String>,
        /// Set when a hook wants the user to be asked: what the question says.
        ask: Option<String>,
    },
}

impl PreToolUse {
    /// What no hook changed.
    #[must_use]
    pub fn go_on() -> Self {
        Self::Continue { arguments: None, context: Vec::new(), ask: None }
    }
}

/// Answer to [`Hooks::permission_request`](super::Hooks::permission_request) when a hook has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionAnswer {
    /// The call may run.
    Allow,
    /// It may not.
    Deny {
        /// Why, for the model.
        reason: String,
    },
}

/// Answer to the hooks after a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostToolUse {
    /// What the model reads instead of the output.
    pub output: Option<String>,
    /// What the model should read with the result.
    pub context: Vec<String>,
}

/// Answer to [`Hooks::user_prompt_submit`](super::Hooks::user_prompt_submit).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptSubmit {
    /// The message is not accepted.
    Block {
        /// Why, for the user.
        reason: String,
    },
    /// It is, with this beside it.
    Continue {
        /// What the model should read with the message.
        context: Vec<String>,
    },
}

/// Answer to [`Hooks::pre_compact`](super::Hooks::pre_compact).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreCompact {
    /// The compaction does not take place; automatic ones alone can be blocked.
    Block {
        /// Why.
        reason: String,
    },
    /// It does.
    Continue,
}

/// What one hook said.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Answer {
    pub(super) decision: Decision,
    /// Why, or what went wrong.
    pub(super) detail: Option<String>,
    pub(super) context: Option<String>,
    pub(super) arguments: Option<Value>,
    pub(super) output: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Decision {
    #[default]
    Continue,
    /// Of a call, a prompt, a compaction, an end; a denial of a permission, too.
    Block,
    Ask,
    Allow,
    /// It did not work and decides nothing.
    Failed,
}

impl Answer {
    /// The word for the timeline.
    pub(super) fn word(&self, event: HookEvent) -> &'static str {
        match self.decision {
            Decision::Block if event == HookEvent::PermissionRequest => "deny",
            Decision::Block => "block",
            Decision::Ask => "ask",
            Decision::Failed => "failed",
            Decision::Continue | Decision::Allow if self.arguments.is_some() || self.output.is_some() => "changed",
            Decision::Continue | Decision::Allow if self.context.is_some() => "context",
            Decision::Allow => "allow",
            Decision::Continue => "continue",
        }
    }

    fn block(reason: String) -> Self {
        Self { decision: Decision::Block, detail: Some(reason), ..Self::default() }
    }

    pub(super) fn reason(&self) -> String {
        self.detail.clone().unwrap_or_else(|| "A hook blocked this and gave no reason.".into())
    }
}

/// What a hook may do beside being told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Power {
    /// Refuse, or send back.
    Block,
    /// Answer a permission.
    Answer,
    /// Change the output of a call that has run.
    Output,
    /// Nothing.
    Watch,
}

fn power(event: HookEvent) -> Power {
    match event {
        HookEvent::PreToolUse
        | HookEvent::UserPromptSubmit
        | HookEvent::SubagentStop
        | HookEvent::PreCompact
        | HookEvent::Stop => Power::Block,
        HookEvent::PermissionRequest => Power::Answer,
        HookEvent::PostToolUse | HookEvent::PostToolUseFailure => Power::Output,
        HookEvent::SessionStart
        | HookEvent::SessionEnd
        | HookEvent::SubagentStart
        | HookEvent::PostCompact
        | HookEvent::Notification => Power::Watch,
    }
}

/// Events whose hooks may add to what the model reads.
fn takes_context(event: HookEvent) -> bool {
    matches!(
        event,
        HookEvent::SessionStart
            | HookEvent::UserPromptSubmit
            | HookEvent::PreToolUse
            | HookEvent::PostToolUse
            | HookEvent::PostToolUseFailure
            | HookEvent::SubagentStart
            | HookEvent::SubagentStop
    )
}

/// Reads what a hook decided.
pub(super) fn interpret(event: HookEvent, name: &str, run: &CommandRun, on_error: OnError) -> Answer {
    let code = match &run.end {
        End::CannotStart(why) => return failure(event, name, format!("cannot start: {why}"), on_error),
        End::TimedOut(limit) => {
            let why = format!("took longer than {} s and was ended", limit.as_secs_f64());
            return failure(event, name, why, on_error);
        }
        End::Signalled(signal) => return failure(event, name, format!("was ended by signal {signal}"), on_error),
        End::Exited(code) => *code,
    };
    if code == 2 {
        return exit_2(event, name, run, on_error);
    }
    let stdout = run.stdout.trim();
    if !stdout.starts_with('{') {
        if code != 0 {
            return failure(event, name, exit_text(code, &run.stderr), on_error);
        }
        let plain = matches!(event, HookEvent::SessionStart | HookEvent::UserPromptSubmit) && !stdout.is_empty();
        return Answer { context: plain.then(|| bounded(stdout)), ..Answer::default() };
    }
    let said = if run.cut { Err("it is too long".into()) } else { read(event, stdout) };
    match said {
        Err(why) => failure(event, name, format!("printed JSON that is not understood: {why}"), on_error),
        // A code that means failure does not make a refusal void, and nothing else counts.
        Ok(answer) if code == 0 || matches!(answer.decision, Decision::Block | Decision::Ask) => answer,
        Ok(_) => failure(event, name, exit_text(code, &run.stderr), on_error),
    }
}

fn exit_2(event: HookEvent, name: &str, run: &CommandRun, on_error: OnError) -> Answer {
    let stderr = run.stderr.trim();
    let reason = if stderr.is_empty() { format!("The hook `{name}` blocked this.") } else { bounded(stderr) };
    match power(event) {
        Power::Block => Answer::block(reason),
        // Too late to block: the model reads it.
        Power::Output => Answer { context: Some(reason.clone()), detail: Some(reason), ..Answer::default() },
        // Not an answer that is known here; for a policy, not an allowance either.
        Power::Answer => failure(event, name, exit_text(2, &run.stderr), on_error),
        Power::Watch => Answer { detail: Some(reason), ..Answer::default() },
    }
}

fn exit_text(code: i32, stderr: &str) -> String {
    let first = stderr.trim().lines().next().unwrap_or_default();
    if first.is_empty() { format!("exited with {code}") } else { format!("exited with {code}: {first}") }
}

/// A hook that did not work: nothing, or a denial when it is a policy.
fn failure(event: HookEvent, name: &str, why: String, on_error: OnError) -> Answer {
    let why = bounded(&format!("The hook `{name}` {why}"));
    let failed = Answer { decision: Decision::Failed, detail: Some(why.clone()), ..Answer::default() };
    match (on_error, power(event)) {
        (OnError::Allow, _) | (OnError::Deny, Power::Watch) => failed,
        (OnError::Deny, Power::Block | Power::Answer) => {
            Answer::block(bounded(&format!("{why}; it is a policy (`on_error: deny`), so this is denied.")))
        }
        (OnError::Deny, Power::Output) => {
            let output = format!("The output is withheld: {why}; it is a policy (`on_error: deny`).");
            Answer { output: Some(output), ..failed }
        }
    }
}

/// A text of a hook, cut where it is too long.
fn bounded(text: &str) -> String {
    match text.char_indices().nth(TEXT_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… (cut: a hook's text is at most {TEXT_CHARS} characters)", &text[..end]),
    }
}

/// What a hook may print. Fields of other programs are let be; a value that is not known in one of these is an error.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Printed {
    #[serde(rename = "continue")]
    go_on: Option<bool>,
    stop_reason: Option<String>,
    system_message: Option<String>,
    decision: Option<TopDecision>,
    reason: Option<String>,
    hook_specific_output: Specific,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum TopDecision {
    Block,
    Deny,
    Approve,
    Allow,
    Ask,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Specific {
    permission_decision: Option<CallDecision>,
    permission_decision_reason: Option<String>,
    updated_input: Option<Value>,
    additional_context: Option<String>,
    #[serde(alias = "updatedMCPToolOutput")]
    updated_tool_output: Option<Value>,
    decision: Option<PermissionDecision>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CallDecision {
    Allow,
    Deny,
    Ask,
    /// "Decide elsewhere": the user does.
    Defer,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PermissionDecision {
    behavior: Behavior,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    updated_input: Option<Value>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Behavior {
    Allow,
    Deny,
}

fn read(event: HookEvent, stdout: &str) -> Result<Answer, String> {
    let printed: Printed = serde_json::from_str(stdout).map_err(|error| error.to_string())?;
    let specific = printed.hook_specific_output;
    let mut answer = Answer {
        detail: printed.reason.or(printed.system_message),
        context: specific.additional_context.filter(|_| takes_context(event)).map(|text| bounded(&text)),
        ..Answer::default()
    };
    let block = |answer: &mut Answer, reason: Option<String>| {
        answer.decision = Decision::Block;
        answer.detail = reason.or(answer.detail.take());
    };
    let refuses = matches!(printed.decision, Some(TopDecision::Block | TopDecision::Deny));
    match power(event) {
        Power::Block if event == HookEvent::PreToolUse => {
            if let Some(Value::Object(arguments)) = specific.updated_input {
                answer.arguments = Some(Value::Object(arguments));
            } else if specific.updated_input.is_some_and(|value| !value.is_null()) {
                return Err("`updatedInput` is no object".into());
            }
            answer.detail = specific.permission_decision_reason.or(answer.detail);
            answer.decision = match (specific.permission_decision, printed.decision) {
                (Some(CallDecision::Deny), _) | (_, Some(TopDecision::Block | TopDecision::Deny)) => Decision::Block,
                (Some(CallDecision::Ask | CallDecision::Defer), _) | (_, Some(TopDecision::Ask)) => Decision::Ask,
                (Some(CallDecision::Allow), _) | (_, Some(TopDecision::Approve | TopDecision::Allow)) => {
                    Decision::Allow
                }
                (None, None) => Decision::Continue,
            };
            if printed.go_on == Some(false) {
                block(&mut answer, printed.stop_reason);
            }
        }
        Power::Block => {
            let ends = matches!(event, HookEvent::Stop | HookEvent::SubagentStop);
            // To an agent that would end, "do not continue" is no reason to go back to work.
            if refuses && !(ends && printed.go_on == Some(false)) {
                block(&mut answer, None);
            } else if printed.go_on == Some(false) && !ends {
                block(&mut answer, printed.stop_reason);
            }
        }
        Power::Answer => match specific.decision {
            Some(PermissionDecision { behavior: Behavior::Deny, message, .. }) => block(&mut answer, message),
            Some(PermissionDecision { updated_input: Some(_), .. }) => {
                return Err(
                    "`updatedInput` cannot be given with a permission; a PreToolUse hook changes arguments".into()
                );
            }
            Some(PermissionDecision { behavior: Behavior::Allow, .. }) => answer.decision = Decision::Allow,
            None if refuses || printed.go_on == Some(false) => block(&mut answer, printed.stop_reason),
            None => {}
        },
        Power::Output => {
            let output = specific.updated_tool_output.filter(|value| !value.is_null());
            // Structured output is the model's to read as it is.
            answer.output =
                output.map(|value| bounded(&value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
            if refuses || printed.go_on == Some(false) {
                let words = answer.detail.clone().or(printed.stop_reason);
                answer.context = [words, answer.context].into_iter().flatten().reduce(|a, b| format!("{a}\n{b}"));
            }
        }
        Power::Watch => {}
    }
    answer.detail = answer.detail.map(|text| bounded(&text));
    Ok(answer)
}

#[cfg(test)]
mod tests;
