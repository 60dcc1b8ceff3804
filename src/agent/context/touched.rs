//! What a conversation has touched: papers, targets, files and skills, read off its calls and answers by code.

use crate::agent::tools::skill::SKILL;
use crate::store::messages::{Message, Role};
use regex::Regex;
use std::sync::LazyLock;

/// Of each kind the ones that were touched last are kept.
const MOST: usize = 40;

/// ADS bibcodes (19 characters: year, journal, volume, section, page, initial) and arXiv ids of either style.
static PAPER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let bibcode = r"\b(?:18|19|20)\d{2}[A-Za-z&][A-Za-z&.]{4}[A-Za-z0-9.]{4}[A-Za-z0-9.][A-Za-z0-9.]{4}[A-Z.]";
    let arxiv = r"\b\d{4}\.\d{4,5}(?:v\d+)?\b|\b(?:astro-ph|gr-qc|hep-(?:ph|th|ex)|physics|quant-ph)(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?\b";
    Regex::new(&format!("{bibcode}|{arxiv}")).ok()
});

/// What was touched; each list in the order of the last touch, the newest at the end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Touched {
    /// Identifiers of papers that calls named or answers cited.
    pub papers: Vec<String>,
    /// Names of targets that were resolved.
    pub targets: Vec<String>,
    /// Paths of files that were read or changed.
    pub files: Vec<String>,
    /// Skills that were loaded, with their text.
    pub skills: Vec<(String, String)>,
}

impl Touched {
    /// Reads messages, the oldest first.
    #[must_use]
    pub fn of<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Self {
        let mut touched = Self::default();
        for message in messages {
            match message.role {
                Role::Assistant => {
                    if let Some(pattern) = &*PAPER {
                        pattern.find_iter(&message.content).for_each(|found| push(&mut touched.papers, found.as_str()));
                    }
                    for call in message.tool_calls.iter().flatten() {
                        let argument = |name: &str| call.arguments.get(name).and_then(serde_json::Value::as_str);
                        if let Some(paper) = argument("paper") {
                            push(&mut touched.papers, paper);
                        }
                        match call.name.as_str() {
                            "query_target" => argument("name").map(|name| push(&mut touched.targets, name)),
                            "read_file" | "file_write" | "file_edit" => {
                                argument("path").map(|path| push(&mut touched.files, path))
                            }
                            _ => None,
                        };
                    }
                }
                Role::Tool => {
                    let name = message.metadata.as_ref().and_then(|metadata| metadata.get(SKILL)?.as_str());
                    if let Some(name) = name {
                        touched.skills.retain(|(known, _)| known != name);
                        touched.skills.push((name.to_owned(), message.content.clone()));
                    }
                }
                Role::User | Role::Summary => {}
            }
        }
        touched
    }
}

fn push(list: &mut Vec<String>, item: &str) {
    let item = item.trim();
    // `arXiv:2412.11627` and `2412.11627` are one paper.
    let item =
        item.get(..6).filter(|start| start.eq_ignore_ascii_case("arxiv:")).map_or(item, |_| item[6..].trim_start());
    if item.is_empty() {
        return;
    }
    list.retain(|known| known != item);
    list.push(item.to_owned());
    if list.len() > MOST {
        list.remove(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{CallId, RunId, SessionId};
    use crate::store::messages::ToolCall;
    use serde_json::{Value, json};

    fn answer(text: &str, calls: &[(&str, Value)]) -> Message {
        let mut message = Message::new(SessionId::new(), RunId::new(), Role::Assistant, text.into());
        let call = |(name, arguments): &(&str, Value)| ToolCall {
            id: CallId::new(),
            name: (*name).to_owned(),
            arguments: arguments.clone(),
        };
        message.tool_calls = Some(calls.iter().map(call).collect());
        message
    }

    #[test]
    fn papers_targets_and_files_are_found() {
        let rows = [
            answer(
                "",
                &[
                    ("get_paper_metadata", json!({ "paper": "2017Natur.542..456G" })),
                    ("query_target", json!({ "name": "TRAPPIST-1" })),
                    ("file_write", json!({ "path": "notes.md" })),
                ],
            ),
            answer(
                "See [Agol et al. (2021)](https://arxiv.org/abs/2010.01074v2) and 2017Natur.542..456G; 3.14159 no.",
                &[],
            ),
        ];
        let touched = Touched::of(&rows);
        assert_eq!(touched.papers, ["2010.01074v2", "2017Natur.542..456G"]);
        assert_eq!(
            (touched.targets.as_slice(), touched.files.as_slice()),
            (&["TRAPPIST-1".into()][..], &["notes.md".into()][..])
        );
    }
}
