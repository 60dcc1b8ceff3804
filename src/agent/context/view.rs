//! What a model sees of a session: the stored messages, through the compactions that hold.

use super::{estimate, history};
use crate::ids::{CallId, MessageId};
use crate::llm::types::Entry;
use crate::store::compactions::{Compaction, CompactionEffect};
use crate::store::messages::{Message, Role};
use std::collections::HashMap;

/// The session as the next request shows it.
#[derive(Debug, Clone)]
pub struct View<'m> {
    /// The message that stands for the oldest part.
    pub summary: Option<&'m Message>,
    /// The messages of the user and the model that are shown themselves, in order.
    pub shown: Vec<&'m Message>,
    /// Results by their call, those of hidden messages included.
    results: HashMap<&'m CallId, &'m Message>,
    /// What is shown in the place of results that were cleared.
    cleared: HashMap<&'m CallId, String>,
}

impl<'m> View<'m> {
    /// The view of these messages, all of a session in order, through these compactions.
    #[must_use]
    pub fn new(messages: &'m [Message], compactions: &'m [Compaction]) -> Self {
        let mut results: HashMap<&CallId, &Message> = HashMap::new();
        let mut names: HashMap<&CallId, &str> = HashMap::new();
        for message in messages {
            if let (Role::Tool, Some(call)) = (message.role, &message.tool_call_id) {
                results.entry(call).or_insert(message);
            }
            names.extend(message.tool_calls.iter().flatten().map(|call| (&call.id, call.name.as_str())));
        }
        let place = |id: MessageId| messages.iter().position(|message| message.id == id);
        // The newest summary whose messages are there; one that points at nothing hides nothing.
        let newest = compactions.iter().rev().filter(|row| row.holds()).find_map(|row| match row.effect {
            CompactionEffect::Summarised { through, summary } => Some((place(through)?, place(summary)?)),
            CompactionEffect::Cleared(_) => None,
        });
        let (start, summary) = newest.map_or((0, None), |(through, summary)| (through + 1, Some(&messages[summary])));
        let cleared = compactions
            .iter()
            .filter(|row| row.holds())
            .filter_map(|row| match &row.effect {
                CompactionEffect::Cleared(calls) => Some(calls),
                CompactionEffect::Summarised { .. } => None,
            })
            .flatten()
            .filter_map(|call| {
                let name = names.get(call).copied().unwrap_or_default();
                Some((call, super::micro::placeholder(name, call, &results.get(call)?.content)))
            })
            .collect();
        let speaks = |message: &&Message| matches!(message.role, Role::User | Role::Assistant) && !message.queued;
        Self { summary, shown: messages[start..].iter().filter(speaks).collect(), results, cleared }
    }

    /// The conversation for a request.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        self.summary.into_iter().chain(self.shown.iter().copied()).filter_map(|message| self.entry(message)).collect()
    }

    /// What one message is in a request; nothing for an answer that says nothing.
    #[must_use]
    pub fn entry(&self, message: &Message) -> Option<Entry> {
        history::entry(message, &|call| {
            let result = self.results.get(call)?;
            let content = self.cleared.get(call).map_or(result.content.as_str(), String::as_str);
            Some((content, result.is_error.unwrap_or(false)))
        })
    }

    /// Estimated tokens of one message in a request.
    #[must_use]
    pub fn tokens(&self, message: &Message) -> u64 {
        self.entry(message).map_or(0, |entry| estimate::entry(&entry))
    }

    /// The result of a call, when it is shown whole.
    #[must_use]
    pub fn whole_result(&self, call: &CallId) -> Option<&'m Message> {
        if self.cleared.contains_key(call) { None } else { self.results.get(call).copied() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{RunId, SessionId};
    use crate::store::compactions::CompactionLayer;
    use crate::store::messages::ToolCall;
    use crate::time::Timestamp;
    use serde_json::json;

    fn message(role: Role, content: &str) -> Message {
        Message::new(SessionId::new(), RunId::new(), role, content.into())
    }

    fn compaction(effect: CompactionEffect) -> Compaction {
        let layer = CompactionLayer::Auto;
        Compaction {
            id: 1,
            session_id: SessionId::new(),
            run_id: None,
            layer,
            effect,
            before_tokens: 10,
            after_tokens: 1,
            undone_at: None,
        }
    }

    fn texts(messages: &[Message], compactions: &[Compaction]) -> Vec<String> {
        let text = |entry: Entry| match entry {
            Entry::User { content } => content.split("\n\n<context>").next().unwrap().to_owned(),
            Entry::Assistant { content, calls, .. } => {
                format!("{content}{}", calls.iter().map(|call| format!("[{}]", call.result)).collect::<String>())
            }
        };
        View::new(messages, compactions).entries().into_iter().map(text).collect()
    }

    #[test]
    fn a_summary_stands_for_what_is_before_it_until_it_is_undone() {
        let rows = [
            message(Role::User, "one"),
            message(Role::Assistant, "two"),
            message(Role::User, "three"),
            message(Role::Summary, "sum"),
            message(Role::Assistant, "four"),
        ];
        let effect = CompactionEffect::Summarised { through: rows[1].id, summary: rows[3].id };
        let mut done = [compaction(effect)];
        assert_eq!(texts(&rows, &done), ["sum", "three", "four"]);
        done[0].undone_at = Some(Timestamp::now());
        assert_eq!(texts(&rows, &done), ["one", "two", "three", "four"], "the summary itself is no message of anyone");
    }

    #[test]
    fn the_newest_of_two_summaries_holds_and_an_undone_one_uncovers_the_older() {
        let rows = [
            message(Role::User, "one"),
            message(Role::Summary, "first"),
            message(Role::Assistant, "two"),
            message(Role::Summary, "second"),
            message(Role::User, "three"),
        ];
        let summarised = |through: usize, summary: usize| {
            compaction(CompactionEffect::Summarised { through: rows[through].id, summary: rows[summary].id })
        };
        let mut done = [summarised(0, 1), summarised(2, 3)];
        assert_eq!(texts(&rows, &done), ["second", "three"]);
        done[1].undone_at = Some(Timestamp::now());
        assert_eq!(texts(&rows, &done), ["first", "two", "three"]);
    }

    #[test]
    fn a_cleared_output_says_where_it_lies() {
        let mut answer = message(Role::Assistant, "look");
        let call = CallId::new();
        answer.tool_calls =
            Some(vec![ToolCall { id: call.clone(), name: "read_file".into(), arguments: json!({ "path": "a" }) }]);
        let mut result = message(Role::Tool, &"long text ".repeat(100));
        result.tool_call_id = Some(call.clone());
        // A fast tool's result may be stored before the answer that called it.
        let rows = [message(Role::User, "q"), result, answer];
        let shown = texts(&rows, &[compaction(CompactionEffect::Cleared(vec![call.clone(), CallId::new()]))]);
        assert!(shown[1].starts_with("look[<cleared-output tool=\"read_file\" chars=\"1000\""), "{}", shown[1]);
        assert!(shown[1].contains(&format!("library/tool-results/{call}.txt")), "{}", shown[1]);
        assert!(shown[1].len() < 600);
    }

    #[test]
    fn a_lost_result_is_filled_in_and_an_orphan_left_out() {
        let (kept, lost) = (CallId::new(), CallId::new());
        let mut assistant = message(Role::Assistant, "");
        assistant.tool_calls = Some(
            [&kept, &lost]
                .map(|id| ToolCall { id: id.clone(), name: "t".into(), arguments: json!("broken {") })
                .to_vec(),
        );
        let mut result = message(Role::Tool, "found");
        result.tool_call_id = Some(kept);
        let mut orphan = message(Role::Tool, "orphan");
        orphan.tool_call_id = Some(CallId::new());
        let rows = [message(Role::User, "q"), orphan, assistant, result];
        let entries = View::new(&rows, &[]).entries();
        assert_eq!(entries.len(), 2);
        let Entry::Assistant { calls, .. } = &entries[1] else { panic!("{entries:?}") };
        assert_eq!(calls.iter().map(|call| call.result.as_str()).collect::<Vec<_>>(), ["found", history::LOST]);
        assert!(calls.iter().all(|call| call.arguments.is_object()));
    }

    #[test]
    fn a_message_that_waits_is_not_sent() {
        let mut waiting = message(Role::User, "later");
        waiting.queued = true;
        assert_eq!(View::new(&[waiting], &[]).entries(), []);
    }
}
