//! From a stored message to what it is in a request.
//!
//! This is the one way to make [`Entry`] values out of stored messages. A call and its result are one value, so whatever
//! a crash left behind, every call has exactly one result: a missing one is filled in with the same words each time, and
//! a result without a call is left out. Which messages a request shows is decided in [`super::view`].

use crate::ids::CallId;
use crate::llm::types::{AnsweredCall, Entry, Thinking};
use crate::store::messages::{Message, Role};
use serde_json::{Value, json};

/// Where a message's metadata keeps the blocks of [`Thinking::sealed`].
pub const SEALED_THINKING: &str = "sealed_thinking";

/// Where a message's metadata keeps what hooks add to a user's words.
pub const CONTEXT: &str = "context";

/// What a call gets whose result was lost.
pub const LOST: &str =
    "No result: the server stopped while this call was running. It may or may not have taken effect.";

/// What a message is in a request; `result_of` gives a call's result and whether it is an error. Results themselves, and
/// answers that say nothing, are no entries.
#[must_use]
pub fn entry<'r>(message: &Message, result_of: &dyn Fn(&CallId) -> Option<(&'r str, bool)>) -> Option<Entry> {
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
                    let (result, is_error) = result_of(&call.id).unwrap_or((LOST, true));
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

/// The reasoning of a stored answer.
#[must_use]
pub fn thinking(message: &Message) -> Option<Thinking> {
    let sealed = message.metadata.as_ref().and_then(|metadata| metadata.get(SEALED_THINKING)?.as_array().cloned());
    let thinking = Thinking {
        text: message.thinking.clone().unwrap_or_default(),
        sealed: sealed.unwrap_or_default(),
        model: message.model.clone().unwrap_or_default(),
    };
    (!thinking.text.is_empty() || !thinking.sealed.is_empty()).then_some(thinking)
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
