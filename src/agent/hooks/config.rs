//! `hooks.json` in the data folder: the format that Claude Code users know, and `on_error` and `name` of ours.
//!
//! ```json
//! {"hooks": {"PreToolUse": [{"matcher": "file_write|file_edit", "hooks": [
//!     {"type": "command", "command": "./hooks/guard.py", "timeout": 10, "on_error": "deny", "name": "guard"}]}]}}
//! ```
//!
//! A hook may be a policy, and a policy must not vanish silently: a file that is not understood, down to a misspelt key of
//! a hook or a kind of hook that is not known here, stops the start and is not accepted over the API. Events of other
//! programs are the one exception; they are named once in the log and ignored.

use super::events::HookEvent;
use super::matcher::Matcher;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use utoipa::ToSchema;

/// Time that a hook may take unless it says otherwise.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The same before a message is accepted, since the user waits.
const PROMPT_TIMEOUT: Duration = Duration::from_secs(30);
/// What all hooks of a session's end may take together.
const END_TIMEOUT: Duration = Duration::from_millis(1500);
/// The longest time that can be asked for, in seconds.
const LONGEST_SECS: f64 = 3600.0;
/// Characters of a command that stand for a hook without a name.
const NAME_CHARS: usize = 80;

/// What is decided when a hook fails: cannot start, takes too long, crashes, or says what nobody understands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// Nothing: the run goes on, and the timeline shows the failure.
    #[default]
    Allow,
    /// The same as if it had said no.
    Deny,
}

/// Why `hooks.json` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It cannot be read or written.
    #[error("{}: {source}. Hooks may be policies, so nothing goes on without them; make the file readable.", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is not understood.
    #[error("hooks.json, line {line}: {problem}.")]
    Content {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

/// A command that runs at an event.
#[derive(Debug, Clone)]
pub struct CommandHook {
    /// When.
    pub event: HookEvent,
    /// For which tools, sources or triggers; as it was written.
    pub matcher: String,
    /// What the timeline calls it: its name, or the beginning of its command.
    pub name: String,
    /// The command line for `sh -c`.
    pub command: String,
    /// How long it may take.
    pub timeout: Duration,
    /// What its failure means.
    pub on_error: OnError,
    compiled: Matcher,
}

/// All command hooks.
#[derive(Debug, Default)]
pub struct HookSet {
    by_event: BTreeMap<HookEvent, Vec<Arc<CommandHook>>>,
    ignored: Vec<String>,
}

impl HookSet {
    /// Reads a document.
    ///
    /// # Errors
    /// [`ConfigError::Content`] with the line and what is wrong there.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let document: Document = serde_json::from_str(text).map_err(|error| content(&error))?;
        let mut set = Self { ignored: document.hooks.ignored, ..Self::default() };
        for (event, groups) in document.hooks.known {
            let hooks = set.by_event.entry(event).or_default();
            for Group { matcher, hooks: handlers } in groups {
                hooks.extend(handlers.into_iter().map(|handler| Arc::new(handler.hook(event, &matcher))));
            }
        }
        set.by_event.retain(|_, hooks| !hooks.is_empty());
        Ok(set)
    }

    /// Reads the file; none at all is no hooks. Blocks.
    ///
    /// # Errors
    /// When it cannot be read or is not understood.
    pub fn load(path: &Path) -> Result<(Self, String), ConfigError> {
        match std::fs::read_to_string(path) {
            Ok(text) => Ok((Self::parse(&text)?, text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok((Self::default(), r#"{"hooks": {}}"#.to_owned()))
            }
            Err(source) => Err(ConfigError::File { path: path.to_owned(), source }),
        }
    }

    /// All of them, by event and in their order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<CommandHook>> {
        self.by_event.values().flatten()
    }

    /// Events of other programs that stand in the file.
    #[must_use]
    pub fn ignored(&self) -> &[String] {
        &self.ignored
    }

    /// Whether any hook is for this event.
    #[must_use]
    pub fn has(&self, event: HookEvent) -> bool {
        self.by_event.contains_key(&event)
    }

    /// The hooks of an event that are for this name, in order; equal ones once.
    #[must_use]
    pub fn matching(&self, event: HookEvent, name: Option<&str>) -> Vec<Arc<CommandHook>> {
        let mut found: Vec<Arc<CommandHook>> = Vec::new();
        for hook in self.by_event.get(&event).into_iter().flatten() {
            let matches = name.is_none_or(|name| hook.compiled.matches(name));
            if matches && !found.iter().any(|known| known.does_the_same_as(hook)) {
                found.push(Arc::clone(hook));
            }
        }
        found
    }
}

impl CommandHook {
    fn does_the_same_as(&self, other: &Self) -> bool {
        (&self.command, self.timeout, self.on_error) == (&other.command, other.timeout, other.on_error)
    }
}

fn content(error: &serde_json::Error) -> ConfigError {
    let text = error.to_string();
    let problem = text.rsplit_once(" at line ").map_or(text.as_str(), |(problem, _)| problem);
    ConfigError::Content { line: error.line().max(1), problem: problem.to_owned() }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    hooks: Events,
    #[serde(default, rename = "$schema")]
    _schema: IgnoredAny,
    #[serde(default, rename = "description")]
    _description: IgnoredAny,
}

struct Events {
    known: Vec<(HookEvent, Vec<Group>)>,
    ignored: Vec<String>,
}

impl<'de> Deserialize<'de> for Events {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // By hand: read over a map of generic values, errors would lose their lines.
        struct Names;
        impl<'de> Visitor<'de> for Names {
            type Value = Events;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object from event names to lists")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Events, A::Error> {
                let mut events = Events { known: Vec::new(), ignored: Vec::new() };
                while let Some(name) = map.next_key::<String>()? {
                    match HookEvent::of_name(&name) {
                        Some(event) => events.known.push((event, map.next_value()?)),
                        None => {
                            map.next_value::<IgnoredAny>()?;
                            events.ignored.push(name);
                        }
                    }
                }
                Ok(events)
            }
        }
        deserializer.deserialize_map(Names)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    #[serde(default)]
    matcher: Checked,
    hooks: Vec<Handler>,
}

/// A matcher with the text it was read from.
#[derive(Default)]
struct Checked(String, Matcher);

impl<'de> Deserialize<'de> for Checked {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let matcher = Matcher::parse(&text).map_err(serde::de::Error::custom)?;
        Ok(Self(text, matcher))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Handler {
    #[serde(rename = "type")]
    _kind: Kind,
    #[serde(deserialize_with = "command")]
    command: String,
    #[serde(default, deserialize_with = "seconds")]
    timeout: Option<Duration>,
    #[serde(default)]
    on_error: OnError,
    #[serde(default)]
    name: Option<String>,
    #[serde(default, rename = "statusMessage")]
    _status_message: IgnoredAny,
}

/// The kinds of hooks that are known here.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Command,
}

fn command<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.trim().is_empty() || text.contains('\0') {
        return Err(serde::de::Error::custom("`command` is empty or has a NUL character"));
    }
    Ok(text)
}

fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let Some(seconds) = Option::<f64>::deserialize(deserializer)? else { return Ok(None) };
    if seconds > 0.0 && seconds <= LONGEST_SECS {
        return Ok(Some(Duration::from_secs_f64(seconds)));
    }
    Err(serde::de::Error::custom("`timeout` is a number of seconds, more than 0 and at most 3600"))
}

impl Handler {
    fn hook(self, event: HookEvent, matcher: &Checked) -> CommandHook {
        let timeout = match event {
            HookEvent::UserPromptSubmit => self.timeout.unwrap_or(PROMPT_TIMEOUT),
            HookEvent::SessionEnd => self.timeout.unwrap_or(END_TIMEOUT).min(END_TIMEOUT),
            HookEvent::SessionStart
            | HookEvent::PreToolUse
            | HookEvent::PermissionRequest
            | HookEvent::PostToolUse
            | HookEvent::PostToolUseFailure
            | HookEvent::SubagentStart
            | HookEvent::SubagentStop
            | HookEvent::PreCompact
            | HookEvent::PostCompact
            | HookEvent::Notification
            | HookEvent::Stop => self.timeout.unwrap_or(TIMEOUT),
        };
        let name = self.name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| self.command.clone());
        CommandHook {
            event,
            matcher: matcher.0.clone(),
            name: name.chars().take(NAME_CHARS).collect(),
            command: self.command,
            timeout,
            on_error: self.on_error,
            compiled: matcher.1.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn the_format_of_claude_code_and_what_is_ours() {
        let set = HookSet::parse(
            r#"{"hooks": {
                "PreToolUse": [
                    {"matcher": "file_write", "hooks": [{"type": "command", "command": "a", "on_error": "deny", "name": "guard"}]},
                    {"hooks": [{"type": "command", "command": "b", "timeout": 2.5}, {"type": "command", "command": "b", "timeout": 2.5}]}
                ],
                "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "c"}]}],
                "SessionEnd": [{"hooks": [{"type": "command", "command": "d", "timeout": 60}]}],
                "WorktreeCreate": [{"anything": 1}]
            }}"#,
        )
        .unwrap();
        let names =
            |event, name| -> Vec<String> { set.matching(event, name).iter().map(|hook| hook.name.clone()).collect() };
        assert_eq!(names(HookEvent::PreToolUse, Some("file_write")), ["guard", "b"], "in order, equal ones once");
        assert_eq!(names(HookEvent::PreToolUse, Some("read_file")), ["b"]);
        assert_eq!(set.ignored(), ["WorktreeCreate"]);
        assert!(!set.has(HookEvent::Stop));
        let of = |event| set.matching(event, None)[0].clone();
        assert_eq!(of(HookEvent::PreToolUse).on_error, OnError::Deny);
        assert_eq!(of(HookEvent::UserPromptSubmit).timeout, PROMPT_TIMEOUT);
        assert_eq!(of(HookEvent::SessionEnd).timeout, END_TIMEOUT);
        assert_eq!(set.matching(HookEvent::PreToolUse, Some("x"))[0].timeout, Duration::from_millis(2500));
    }

    #[rstest]
    #[case::no_json("{\n", 2, "EOF")]
    #[case::misspelt_top("{\n\"hook\": {}}", 2, "unknown field `hook`")]
    #[case::misspelt_key(
        "{\"hooks\": {\n\"Stop\": [{\"hooks\": [\n{\"type\": \"command\", \"command\": \"x\", \"onerror\": \"deny\"}]}]}}",
        3,
        "onerror"
    )]
    #[case::other_kind(
        "{\"hooks\": {\"Stop\": [{\"hooks\": [\n{\"type\": \"prompt\", \"prompt\": \"x\"}]}]}}",
        2,
        "prompt"
    )]
    #[case::bad_on_error(
        "{\"hooks\": {\"Stop\": [{\"hooks\": [\n{\"type\": \"command\", \"command\": \"x\", \"on_error\": \"no\"}]}]}}",
        2,
        "`no`"
    )]
    #[case::bad_timeout(
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\",\n \"timeout\": -1}]}]}}",
        2,
        "`timeout`"
    )]
    #[case::empty_command(
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \" \"}]}]}}",
        1,
        "`command`"
    )]
    #[case::bad_matcher(
        "{\"hooks\": {\"PreToolUse\": [{\n\"matcher\": \"(\", \"hooks\": []}]}}",
        2,
        "no regular expression"
    )]
    fn what_is_not_understood_is_named_with_its_line(#[case] text: &str, #[case] line: usize, #[case] part: &str) {
        let message = HookSet::parse(text).unwrap_err().to_string();
        assert!(message.starts_with(&format!("hooks.json, line {line}: ")), "{message}");
        assert!(message.contains(part), "{message}");
    }
}
