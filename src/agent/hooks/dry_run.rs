//! Trying hooks out: the commands of an event run on a made-up input, and nothing comes of their answers.

use super::command::{self, End};
use super::outcome::interpret;
use super::{HookEvent, Hooks, Scope, events};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// What to try.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct Trial {
    /// The event.
    pub event: HookEvent,
    /// Fields that replace those of the made-up input, for example `{"tool_name": "file_write"}`.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub payload: Map<String, Value>,
    /// Name of the one hook to try; all that match when absent.
    #[serde(default)]
    pub hook: Option<String>,
}

/// What one hook did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TrialResult {
    /// Its name.
    pub name: String,
    /// Its command.
    pub command: String,
    /// What it would decide, in the words of the timeline.
    pub decision: String,
    /// The reason it gave, or what went wrong.
    pub detail: Option<String>,
    /// What the model would read beside the rest.
    pub context: Option<String>,
    /// The arguments it would put in place.
    pub arguments: Option<Value>,
    /// The exit code; null when there was none.
    pub exit_code: Option<i32>,
    /// Its standard output, at most 64 KiB.
    pub stdout: String,
    /// Its standard error, at most 64 KiB.
    pub stderr: String,
    /// How long it took, in milliseconds.
    pub ms: u64,
}

impl Hooks {
    /// Runs the hooks that match, one after the other.
    pub async fn dry_run(&self, scope: &Scope, trial: Trial) -> Vec<TrialResult> {
        let mut input = events::sample(trial.event, scope, &self.workspace(scope.user_id));
        input.extend(trial.payload);
        let name = trial.event.matched_field().and_then(|field| input.get(field)).and_then(Value::as_str);
        let hooks = self.with_set(|set| set.matching(trial.event, name));
        let text = Value::Object(input.clone()).to_string();
        let environment = self.environment(scope.user_id);
        let mut results = Vec::new();
        for hook in hooks.iter().filter(|hook| trial.hook.as_ref().is_none_or(|name| *name == hook.name)) {
            let run = command::run(&hook.command, &text, &self.folder, &environment, hook.timeout).await;
            let answer = interpret(hook.event, &hook.name, &run, hook.on_error);
            results.push(TrialResult {
                name: hook.name.clone(),
                command: hook.command.clone(),
                decision: answer.word(hook.event).to_owned(),
                detail: answer.detail,
                context: answer.context,
                arguments: answer.arguments,
                exit_code: match run.end {
                    End::Exited(code) => Some(code),
                    End::Signalled(_) | End::TimedOut(_) | End::CannotStart(_) => None,
                },
                stdout: run.stdout,
                stderr: run.stderr,
                ms: run.ms,
            });
        }
        results
    }
}
