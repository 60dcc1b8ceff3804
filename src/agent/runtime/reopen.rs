//! Taking up an answer again whose calls wait for the user: after a restart.

use super::prepare::{PreparedCall, Toolbox};
use super::turn::{CallResult, OpenAnswer};
use crate::agent::context::history;
use crate::ids::CallId;
use crate::llm::types::RawCall;
use crate::store::messages::{Message, Role, ToolCall};
use std::collections::HashSet;

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
    Some(OpenAnswer { thinking: history::thinking(&message).unwrap_or_default(), content: message.content, calls })
}
