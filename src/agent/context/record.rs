//! The typed record that stands for what leaves the context.
//!
//! What can be known by code is not left to the model: the user's words and constraints, the plan, what was touched. The
//! model adds goal, decisions and how far the work is. The record is kept in the summary message's metadata, so that the
//! next compaction builds on it, and printed as Markdown for the model.

use super::{constraints, estimate};
use crate::store::messages::{Message, Role};
use crate::store::todos::{Todo, TodoStatus};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Write;

/// Decisions that are carried from record to record.
const MOST_DECISIONS: usize = 40;
/// Of a model's list, this many items are taken.
const MOST_ITEMS: usize = 60;

/// The record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// What the user is after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// What the user laid down, word for word.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<String>,
    /// What was decided, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
    /// What was found and done so far.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub progress: Vec<String>,
    /// What comes next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    /// The plan's open items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub todos: Vec<Todo>,
    /// Papers that were read or cited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub papers: Vec<String>,
    /// Targets that were resolved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<String>,
    /// Files that were read or changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Work that goes on in the background.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub background: Vec<String>,
    /// Tools whose definitions were loaded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Skills that are in use.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
}

/// What the model says in its summary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Told {
    goal: Option<String>,
    constraints: Vec<String>,
    decisions: Vec<String>,
    progress: Vec<String>,
    next: Vec<String>,
}

impl Told {
    /// Reads an answer: a JSON object, perhaps in a fence or between words; else the whole text is the progress.
    #[must_use]
    pub fn read(answer: &str) -> Self {
        let object = answer.find('{').and_then(|start| {
            let end = answer.rfind('}').filter(|end| *end > start)?;
            serde_json::from_str::<serde_json::Map<String, Value>>(&answer[start..=end]).ok()
        });
        let Some(object) = object else {
            return Self { progress: vec![answer.trim().to_owned()], ..Self::default() };
        };
        let list = |name: &str| object.get(name).map(lines).unwrap_or_default();
        Self {
            goal: list("goal").into_iter().next(),
            constraints: list("constraints"),
            decisions: list("decisions"),
            progress: list("progress"),
            next: list("next_steps"),
        }
    }

    /// Whether it says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.goal.is_none()
            && [&self.decisions, &self.progress, &self.next].into_iter().all(|l| l.iter().all(|i| i.is_empty()))
    }
}

/// A string, a list of them, or an object, as lines.
fn lines(value: &Value) -> Vec<String> {
    let line = |value: &Value| match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    };
    let all = match value {
        Value::Array(items) => items.iter().take(MOST_ITEMS).map(line).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => vec![line(value)],
    };
    all.into_iter().filter(|line: &String| !line.is_empty()).collect()
}

impl Record {
    /// Joins what the model told, what the record before had, and what the user wrote in all messages that leave the
    /// context (of the whole session, so that nothing depends on how well earlier summaries were made).
    #[must_use]
    pub fn of(told: Told, before: Option<Self>, user_texts: &[&str]) -> Self {
        let before = before.unwrap_or_default();
        let found = user_texts.iter().flat_map(|text| constraints::of_message(text)).map(str::to_owned);
        let named = before.constraints.into_iter().chain(told.constraints);
        let named = named.filter(|quote| constraints::is_verbatim(quote, user_texts));
        // In the order in which the user said them; what only the model recognised comes behind.
        let constraints = constraints::joined(found.chain(named));
        let mut decisions = constraints::joined(before.decisions.into_iter().chain(told.decisions));
        decisions.drain(..decisions.len().saturating_sub(MOST_DECISIONS));
        Self {
            goal: told.goal.or(before.goal),
            constraints,
            decisions,
            progress: told.progress,
            next: told.next,
            ..Self::default()
        }
    }

    /// The record in the metadata of a summary message.
    #[must_use]
    pub fn of_summary(message: &Message) -> Option<Self> {
        serde_json::from_value(message.metadata.as_ref()?.get("record")?.clone()).ok()
    }
}

/// How much room the parts of a summary have, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// The constraints; they come first and are the last to be cut.
    pub constraints: u64,
    /// The user's own messages.
    pub said: u64,
    /// What the model told.
    pub told: u64,
    /// Texts of skills.
    pub skills: u64,
    /// Files that are brought back.
    pub files: u64,
}

impl Room {
    /// Shares out what the conversation may have.
    #[must_use]
    pub fn of(tokens: u64) -> Self {
        let part = |percent: u64| tokens * percent / 100;
        Self { constraints: part(40), said: part(15), told: part(15), skills: part(10), files: part(10) }
    }
}

/// Texts that stand beside the record.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Beside {
    /// Skills with their text.
    pub skills: Vec<(String, String)>,
    /// Recently used files: path and text.
    pub files: Vec<(String, String)>,
    /// What hooks add.
    pub context: Vec<String>,
}

/// The summary message. `hidden` are the messages that it stands for, the oldest first.
#[must_use]
pub fn render(record: &Record, hidden: &[&Message], beside: &Beside, room: Room) -> String {
    let mut out = String::from(
        "<summary>\nThe earlier part of this conversation was taken out of your context and this record stands for it. The \
         messages are stored: search_history finds them word for word. Go on with the work from here; do not repeat what \
         is done, and do not answer this record.\n",
    );
    if let Some(goal) = &record.goal {
        let _ = write!(out, "\n## Goal\n{}\n", clipped(goal, room.told / 4));
    }
    list(&mut out, "What the user laid down, word for word; it still holds", &record.constraints, room.constraints);
    said(&mut out, hidden, room.said);
    list(&mut out, "Decisions", &record.decisions, room.told / 3);
    list(&mut out, "What was found and done", &record.progress, room.told / 2);
    list(&mut out, "Next steps", &record.next, room.told / 4);
    let todos: Vec<String> = record
        .todos
        .iter()
        .map(|todo| {
            let state = match todo.status {
                TodoStatus::Pending => "pending",
                TodoStatus::InProgress => "in progress",
                TodoStatus::Completed => "completed",
            };
            format!("{} ({state}): {}", todo.id, todo.content)
        })
        .collect();
    list(&mut out, "Open items of the plan (todo_write)", &todos, room.told / 2);
    for (title, items) in [
        ("Papers", &record.papers),
        ("Targets", &record.targets),
        ("Files", &record.files),
        ("Running in the background", &record.background),
        ("Loaded tools", &record.tools),
        ("Skills in use", &record.skills),
    ] {
        if !items.is_empty() {
            let _ = write!(out, "\n## {title}\n{}\n", items.join(", "));
        }
    }
    texts(&mut out, "Skill", &beside.skills, room.skills);
    texts(&mut out, "File as it is now:", &beside.files, room.files);
    for text in &beside.context {
        let _ = write!(out, "\n{text}\n");
    }
    out.push_str("</summary>");
    out
}

/// A list of which the newest items are shown as far as there is room.
fn list(out: &mut String, title: &str, items: &[String], room: u64) {
    if items.is_empty() {
        return;
    }
    let _ = write!(out, "\n## {title}\n");
    let mut left = room;
    let mut first = items.len();
    for (at, item) in items.iter().enumerate().rev() {
        let cost = estimate::text(item) + 2;
        if cost > left {
            break;
        }
        (first, left) = (at, left - cost);
    }
    if first > 0 {
        let _ = writeln!(out, "- ({first} older ones are left out: search_history finds them)");
    }
    for item in &items[first..] {
        let _ = writeln!(out, "- {}", item.replace('\n', "\n  "));
    }
    if first == items.len() {
        // Not even the newest has room: better its beginning than nothing.
        let newest = items.last().map_or("", String::as_str);
        let _ = writeln!(out, "- {}", clipped(newest, room));
    }
}

/// The user's own messages, the newest as far as there is room, each whole.
fn said(out: &mut String, hidden: &[&Message], room: u64) {
    let mut left = room;
    let mut shown = Vec::new();
    let by_user = |message: &&&Message| message.role == Role::User && !message.content.trim().is_empty();
    let all: Vec<&&Message> = hidden.iter().filter(by_user).collect();
    for message in all.iter().rev() {
        let cost = estimate::text(&message.content) + 8;
        // A long one does not keep shorter ones before it out.
        if cost <= left {
            left -= cost;
            shown.push(message);
        }
    }
    if shown.is_empty() {
        return;
    }
    let _ = write!(out, "\n## What the user said, word for word\n");
    if shown.len() < all.len() {
        let _ = writeln!(
            out,
            "({} longer or older messages are left out: search_history finds them)",
            all.len() - shown.len()
        );
    }
    for message in shown.iter().rev() {
        let day: String = message.created_at.to_string().chars().take(10).collect();
        let _ = writeln!(out, "[{day}] {}", message.content.trim());
    }
}

/// Whole texts as far as there is room, the newest first; one that does not fit is left out.
fn texts(out: &mut String, title: &str, all: &[(String, String)], room: u64) {
    let mut left = room;
    for (name, text) in all.iter().rev() {
        let cost = estimate::text(text) + 12;
        if cost <= left {
            left -= cost;
            let _ = write!(out, "\n## {title} {name}\n{}\n", text.trim_end());
        }
    }
}

/// The beginning of a text that has this many tokens.
fn clipped(text: &str, tokens: u64) -> String {
    if estimate::text(text) <= tokens {
        return text.to_owned();
    }
    let keep = text.chars().count() as u64 * tokens / estimate::text(text).max(1);
    let mut short: String = text.chars().take(usize::try_from(keep).unwrap_or(usize::MAX)).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{RunId, SessionId};

    fn user(text: &str) -> Message {
        Message::new(SessionId::new(), RunId::new(), Role::User, text.into())
    }

    #[test]
    fn a_summary_is_read_from_json_in_a_fence_or_taken_as_it_is() {
        let told = Told::read(
            "Here it is:\n```json\n{\"goal\":\"H0\",\"decisions\":[\"use SH0ES\",7],\"next_steps\":\"fit\"}\n```",
        );
        assert_eq!(told.goal.as_deref(), Some("H0"));
        assert_eq!(told.decisions, ["use SH0ES", "7"]);
        assert_eq!(told.next, ["fit"]);
        assert_eq!(Told::read("We did {much}.").progress, ["We did {much}."]);
        assert!(Told::read(" ").is_empty());
    }

    #[test]
    fn constraints_are_the_users_own_words_and_survive_a_bad_summary() {
        let texts = ["Use ICRS only. What is M31?", "my budget is twelve orbits"];
        let told =
            Told { constraints: vec!["Use galactic.".into(), "my budget is twelve orbits".into()], ..Told::default() };
        let first = Record::of(told, None, &texts);
        assert_eq!(first.constraints, ["Use ICRS only.", "my budget is twelve orbits"]);
        let second = Record::of(Told::default(), Some(first.clone()), &texts);
        assert_eq!(second.constraints, first.constraints);
        let written = serde_json::json!({ "record": first });
        let mut message = user("");
        message.metadata = Some(written);
        assert_eq!(Record::of_summary(&message), Some(first));
    }

    #[test]
    fn parts_keep_to_their_room() {
        let record = Record {
            constraints: (0..500).map(|n| format!("Always keep rule number {n}.")).collect(),
            progress: vec!["long ".repeat(5_000)],
            ..Record::default()
        };
        let long = user(&"word ".repeat(4_000));
        let short = user("And what about M33?");
        let text = render(&record, &[&short, &long], &Beside::default(), Room::of(2_000));
        assert!(text.contains("rule number 499.") && !text.contains("rule number 3."), "the newest stay");
        assert!(text.contains("And what about M33?") && text.contains("(1 longer or older"));
        assert!(estimate::text(&text) < 2_000, "{}", estimate::text(&text));
    }
}
