//! The first layer: old tool outputs become placeholders.
//!
//! Outputs go in batches and only when enough can be won, since each time the provider's prompt cache is lost from the
//! first changed output on. The newest outputs, the user's answers, skills and whatever is short stay.

use super::estimate;
use super::view::View;
use crate::agent::tools::skill::SKILL;
use crate::ids::CallId;
use crate::store::messages::Message;
use crate::workspace::TOOL_RESULTS;

/// An output with fewer tokens stays: its placeholder would be as long.
const WORTH: u64 = 200;
/// Characters of an output that its placeholder shows.
const PREVIEW: usize = 200;
/// Tools whose outputs stay: what the user said.
const KEPT_TOOLS: [&str; 1] = ["ask_user"];

/// How much is cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The newest outputs with this many tokens together stay.
    pub protected: u64,
    /// Less than this is not worth the cache.
    pub least: u64,
}

/// An output that can go.
#[derive(Debug, Clone, Copy)]
pub struct Clearable<'m> {
    /// Its call.
    pub call: &'m CallId,
    /// Its result.
    pub result: &'m Message,
    /// Tokens that are won.
    pub gain: u64,
}

/// The outputs to clear, the oldest first; none when that would win less than the limits ask for.
#[must_use]
pub fn choose<'m>(view: &View<'m>, limits: Limits) -> Vec<Clearable<'m>> {
    let mut chosen = Vec::new();
    let (mut newer, mut won) = (0, 0);
    // The outputs of the newest answer are what the model is about to read.
    let newest = view.shown.iter().rposition(|message| message.tool_calls.is_some());
    for (at, message) in view.shown.iter().enumerate().rev() {
        for call in message.tool_calls.iter().flatten().rev() {
            let Some(result) = view.whole_result(&call.id) else { continue };
            let tokens = estimate::text(&result.content);
            let is_protected = newer < limits.protected || Some(at) == newest;
            newer += tokens;
            let is_skill = result.metadata.as_ref().is_some_and(|metadata| metadata.get(SKILL).is_some());
            if is_protected || is_skill || tokens < WORTH || KEPT_TOOLS.contains(&call.name.as_str()) {
                continue;
            }
            let gain = tokens.saturating_sub(estimate::text(&placeholder(&call.name, &call.id, &result.content)));
            won += gain;
            chosen.push(Clearable { call: &call.id, result, gain });
        }
    }
    if won < limits.least.max(1) {
        return Vec::new();
    }
    chosen.reverse();
    chosen
}

/// What stands in the place of an output. It depends on the output alone, so that requests stay equal.
#[must_use]
pub fn placeholder(tool: &str, call: &CallId, output: &str) -> String {
    let preview: String = output.chars().take(PREVIEW).map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!(
        "<cleared-output tool=\"{tool}\" chars=\"{}\" path=\"library/{TOOL_RESULTS}/{call}.txt\">\n{}…\n[The rest was taken \
         out to make room. Read the path with read_file if it is needed again.]\n</cleared-output>",
        output.chars().count(),
        preview.trim_end()
    )
}
