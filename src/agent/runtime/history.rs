//! From the rows of a session to the conversation a model sees.
//!
//! This is the one way to make [`Entry`] values out of stored messages. A call and its result are one value, so whatever
//! a crash left behind, every call has exactly one result: a missing one is filled in with the same words each time, and
//! a result without a call is left out.

use super::prepare::{PreparedCall, Toolbox};
use super::turn::{CallResult, OpenAnswer};
use crate::ids::CallId;
use crate::llm::types::{AnsweredCall, Entry, RawCall, Thinking};
use crate::store::messages::{Message, Role, ToolCall};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// Where a message's metadata keeps the blocks of [`Thinking::sealed`].
pub const SEALED_THINKING: &str = "sealed_thinking";

/// Where a message's metadata keeps what hooks add to a user's words.
pub const CONTEXT: &str = "context";

/// What a call gets whose result was lost.
pub const LOST: &str =
    "No result: the server stopped while this call was running. It may or may not have taken effect.";

/// The conversation that these messages make; messages that still wait are left out.
#[must_use]
pub fn entries(messages: &[Message]) -> Vec<Entry> {
    let mut results: HashMap<&CallId, &Message> = HashMap::new();
    for message in messages.iter().filter(|message| message.role == Role::Tool) {
        if let Some(call) = &message.tool_call_id {
            results.entry(call).or_insert(message);
        }
    }
    messages.iter().filter(|message| !message.queued).filter_map(|message| entry(message, &results)).collect()
}

fn entry(message: &Message, results: &HashMap<&CallId, &Message>) -> Option<Entry> {
    match message.role {
        Role::User => Some(Entry::User { content: user_text(message) }),
        Role::Summary => Some(Entry::User { content: message.content.clone() }),
        Role::Tool => None,
        Role::Assistant => {
            let calls: Vec<AnsweredCall> = message
                .tool_calls
                .iter()
                .flatten()
                .map(|call| {
                    let (result, is_error) = results
                        .get(&call.id)
                        .map_or((LOST, true), |result| (result.content.as_str(), result.is_error.unwrap_or(false)));
                    answered_call(&call.id, call.name.clone(), call.arguments.clone(), result.to_owned(), is_error)
                })
                .collect();
            // Providers refuse an assistant message that says nothing.
            (!message.content.trim().is_empty() || !calls.is_empty()).then(|| Entry::Assistant {
                content: message.content.clone(),
                thinking: thinking(message),
                calls,
            })
        }
    }
}

fn thinking(message: &Message) -> Option<Thinking> {
    let sealed = message.metadata.as_ref().and_then(|metadata| metadata.get(SEALED_THINKING)?.as_array().cloned());
    let thinking = Thinking {
        text: message.thinking.clone().unwrap_or_default(),
        sealed: sealed.unwrap_or_default(),
        model: message.model.clone().unwrap_or_default(),
    };
    (!thinking.text.is_empty() || !thinking.sealed.is_empty()).then_some(thinking)
}

/// Takes the answer off the end whose calls are not all answered: after a restart that is one that waits for the user.
///
/// Every other call without a result was given one when the server started.
#[must_use]
pub fn take_open(messages: &mut Vec<Message>, toolbox: &dyn Toolbox) -> Option<OpenAnswer> {
    let answered: HashSet<&CallId> = messages.iter().filter_map(|message| message.tool_call_id.as_ref()).collect();
    let at = messages.iter().rposition(|message| message.role == Role::Assistant)?;
    let calls = messages[at].tool_calls.clone()?;
    if calls.iter().all(|call| answered.contains(&call.id)) {
        return None;
    }
    let calls = calls.into_iter().map(|ToolCall { id, name, arguments }| {
        let raw = RawCall { provider_id: String::new(), name, arguments: arguments.to_string() };
        let call = PreparedCall { id, reopened: true, rejection: None, ..toolbox.prepare(raw) };
        let row = messages.iter().find(|message| message.tool_call_id.as_ref() == Some(&call.id));
        let result = row.map(|row| CallResult {
            content: row.content.clone(),
            is_error: row.is_error.unwrap_or(false),
            metadata: row.metadata.clone(),
            ..CallResult::not_run(call.clone(), 0, "")
        });
        (call, result)
    });
    let calls = calls.collect();
    let message = messages.remove(at);
    Some(OpenAnswer { thinking: thinking(&message).unwrap_or_default(), content: message.content, calls })
}

/// A user's words with the day they were said.
///
/// The date rides here and not in the system prompt, so that the prompt stays the same from day to day and the
/// provider's prompt cache holds; it comes from the row, so a later request repeats it word for word.
#[must_use]
pub fn user_text(message: &Message) -> String {
    let day: String = message.created_at.to_string().chars().take(10).collect();
    let added = message.metadata.as_ref().and_then(|metadata| metadata.get(CONTEXT)?.as_array());
    let added: String = added.into_iter().flatten().filter_map(Value::as_str).map(|text| format!("\n{text}")).collect();
    format!("{}\n\n<context>Sent on {day} (UTC).{added}</context>", message.content)
}

/// A call with its result. Arguments that were no object are wrapped in one, since providers parse them again.
#[must_use]
pub fn answered_call(id: &CallId, name: String, arguments: Value, result: String, is_error: bool) -> AnsweredCall {
    let arguments = if arguments.is_object() { arguments } else { json!({ "unparsed": arguments }) };
    AnsweredCall { wire_id: id.to_string(), name, arguments, result, is_error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{RunId, SessionId};

    fn message(role: Role, content: &str) -> Message {
        Message::new(SessionId::new(), RunId::new(), role, content.into())
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
        let entries = entries(&[message(Role::User, "q"), orphan, assistant, result]);
        assert_eq!(entries.len(), 2);
        let Entry::Assistant { calls, .. } = &entries[1] else { panic!("{entries:?}") };
        assert_eq!(calls.iter().map(|call| call.result.as_str()).collect::<Vec<_>>(), ["found", LOST]);
        assert!(calls.iter().all(|call| call.arguments.is_object()));
    }

    #[test]
    fn a_message_that_waits_is_not_sent() {
        let mut waiting = message(Role::User, "later");
        waiting.queued = true;
        assert_eq!(entries(&[waiting]), []);
    }
}
