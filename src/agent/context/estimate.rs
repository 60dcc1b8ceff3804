//! How many tokens something has, without the model's tokenizer.
//!
//! The provider's own count is the truth where there is one ([`Gauge`]); this is for what was added since. Latin text has
//! about four characters a token, Chinese, Japanese and Korean about one and a half tokens a character; other scripts and
//! symbols lie between. Too high is the safe side: the context is compacted a little early.

use crate::llm::types::{AnsweredCall, Entry, ToolDefinition, Usage};

/// What a message costs beside its words.
const PER_MESSAGE: u64 = 4;
/// What a call and its result cost beside their words.
const PER_CALL: u64 = 12;

/// Estimated tokens of a text.
#[must_use]
pub fn text(text: &str) -> u64 {
    // In quarters of a token.
    let quarters: u64 = text
        .chars()
        .map(|c| match u32::from(c) {
            0..=0x7F => 1,
            0x2E80..=0x9FFF | 0xAC00..=0xD7FF | 0xF900..=0xFAFF | 0xFF00..=0xFFEF | 0x2_0000..=0x3_FFFF => 6,
            _ => 3,
        })
        .sum();
    quarters.div_ceil(4)
}

/// Estimated tokens of one entry of the conversation.
#[must_use]
pub fn entry(entry: &Entry) -> u64 {
    match entry {
        Entry::User { content } => PER_MESSAGE + text(content),
        Entry::Assistant { content, calls, .. } => PER_MESSAGE + text(content) + calls.iter().map(call).sum::<u64>(),
    }
}

fn call(call: &AnsweredCall) -> u64 {
    PER_CALL + text(&call.name) + text(&call.arguments.to_string()) + text(&call.result)
}

/// Estimated tokens of a conversation.
#[must_use]
pub fn entries(all: &[Entry]) -> u64 {
    all.iter().map(entry).sum()
}

/// Estimated tokens of what stands before the conversation.
#[must_use]
pub fn fixed(system: &str, tools: &[ToolDefinition]) -> u64 {
    let tool = |tool: &ToolDefinition| {
        PER_CALL + text(&tool.name) + text(&tool.description) + text(&tool.parameters.to_string())
    };
    text(system) + tools.iter().map(tool).sum::<u64>()
}

/// The size of a run's context: the provider's last count, and an estimate of what came after it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gauge {
    /// Entries of the request that was counted.
    entries: usize,
    /// Tokens of that request with its answer; nothing was counted yet when it is zero.
    tokens: u64,
}

impl Gauge {
    /// Takes the provider's count for a request with this many entries and its answer.
    pub fn counted(&mut self, entries: usize, usage: Usage) {
        if usage.input_tokens > 0 {
            *self = Self { entries, tokens: usage.input_tokens + usage.output_tokens };
        }
    }

    /// Forgets the count: the context is another one now.
    pub fn reset(&mut self) {
        *self = Self::default();
    }

    /// Tokens of the next request; `fixed` is what stands before the conversation.
    #[must_use]
    pub fn tokens(&self, all: &[Entry], fixed: u64) -> u64 {
        if self.tokens == 0 || all.len() < self.entries {
            return fixed + entries(all);
        }
        let new = &all[self.entries..];
        // The answer itself was counted with the request; the results of its calls were not.
        let (answer, after) = match new.split_first() {
            Some((Entry::Assistant { calls, .. }, after)) => {
                (calls.iter().map(|call| PER_MESSAGE + text(&call.result)).sum(), after)
            }
            Some((Entry::User { .. }, _)) | None => (0, new),
        };
        self.tokens + answer + entries(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn user(content: &str) -> Entry {
        Entry::User { content: content.into() }
    }

    #[test]
    fn scripts_have_their_own_weight() {
        assert_eq!(text(""), 0);
        assert_eq!(text("four characters a token!"), 6);
        assert_eq!(text("系外行星"), 6);
        assert_eq!(text("αβγδ"), 3);
    }

    #[test]
    fn the_providers_count_holds_for_what_it_has_seen() {
        let call = AnsweredCall {
            wire_id: "c".into(),
            name: "t".into(),
            arguments: json!({}),
            result: "x".repeat(400),
            is_error: false,
        };
        let answer = Entry::Assistant { content: "a".repeat(4_000), thinking: None, calls: vec![call] };
        let mut all = vec![user("q"), answer];
        let mut gauge = Gauge::default();
        assert!(gauge.tokens(&all, 500) > 1_500, "everything is estimated");
        gauge.counted(1, Usage { input_tokens: 90, output_tokens: 10, ..Usage::default() });
        assert_eq!(gauge.tokens(&all, 500), 100 + PER_MESSAGE + 100, "of the answer only the results are new");
        all.push(user("eight ch"));
        assert_eq!(gauge.tokens(&all, 500), 100 + PER_MESSAGE + 100 + PER_MESSAGE + 2);
        gauge.counted(3, Usage::default());
        assert_eq!(gauge.tokens(&all, 500), 100 + PER_MESSAGE + 100 + PER_MESSAGE + 2, "a count of nothing is none");
        gauge.reset();
        assert!(gauge.tokens(&all, 500) > 1_500);
    }
}
