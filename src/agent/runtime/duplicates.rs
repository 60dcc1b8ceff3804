//! The loop guard: the same calls with the same results, again and again.

use super::turn::CallResult;
use sha2::{Digest, Sha256};

/// Longest cycle that is looked for.
const LONGEST_CYCLE: usize = 5;
/// Repeats at which the model is told.
const NUDGE_AT: usize = 3;
/// Repeats at which the run ends.
const STOP_AT: usize = 5;

/// What the guard thinks of the newest results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing repeats.
    Fine,
    /// The model should try something else; the note goes into the result.
    Nudge(String),
    /// The run should end; the note goes into the result.
    Stop(String),
}

/// Remembers calls with their results.
///
/// Only equal *results* count: asking again for something that changes is no loop.
#[derive(Debug, Default)]
pub struct DuplicateGuard {
    seen: Vec<[u8; 32]>,
    tripped: Option<String>,
}

impl DuplicateGuard {
    /// Adds the results of one round, in the order of the calls.
    pub fn record<'a>(&mut self, round: impl Iterator<Item = &'a CallResult>) -> Verdict {
        let before = self.seen.len();
        self.seen.extend(round.map(fingerprint));
        // A round may hold several equal calls, so every new end of the sequence is looked at.
        let repeats = (before + 1..=self.seen.len()).map(|end| longest_repeat(&self.seen[..end])).max().unwrap_or(1);
        // No cycle can reach further back than this.
        let keep = LONGEST_CYCLE * STOP_AT;
        if self.seen.len() > keep {
            self.seen.drain(..self.seen.len() - keep);
        }
        if repeats >= STOP_AT {
            let note = format!("The same calls gave the same results {repeats} times in a row, so the run was ended.");
            self.tripped = Some(note.clone());
            Verdict::Stop(note)
        } else if repeats >= NUDGE_AT {
            Verdict::Nudge(format!(
                "[Note: this has now given the same result {repeats} times. Repeating it will not help: use what you have, \
                 change the arguments, or tell the user what is missing.]"
            ))
        } else {
            Verdict::Fine
        }
    }

    /// Why the run should end, once it should.
    #[must_use]
    pub fn tripped(&self) -> Option<String> {
        self.tripped.clone()
    }
}

/// How often the sequence's end repeats itself, over all cycle lengths.
fn longest_repeat(seen: &[[u8; 32]]) -> usize {
    (1..=LONGEST_CYCLE.min(seen.len()))
        .map(|length| {
            let cycle = &seen[seen.len() - length..];
            seen.rchunks_exact(length).take_while(|chunk| *chunk == cycle).count()
        })
        .max()
        .unwrap_or(0)
}

fn fingerprint(result: &CallResult) -> [u8; 32] {
    let mut hash = Sha256::new();
    // serde_json's maps are sorted, so equal arguments have equal text.
    for part in [&result.call.name, &result.call.arguments.to_string(), &result.content] {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::super::prepare::PreparedCall;
    use super::*;
    use serde_json::json;

    fn feed(guard: &mut DuplicateGuard, name: &str, result: &str) -> Verdict {
        let call = PreparedCall::ready(name.into(), json!({"a": 1}), true);
        let mut result = CallResult::not_run(call, 1, result);
        result.is_error = false;
        guard.record(std::iter::once(&result))
    }

    #[test]
    fn equal_calls_with_equal_results_are_nudged_then_stopped() {
        let mut guard = DuplicateGuard::default();
        let verdicts: Vec<Verdict> = (0..5).map(|_| feed(&mut guard, "a", "same")).collect();
        assert_eq!(verdicts[..2], [Verdict::Fine, Verdict::Fine]);
        assert!(matches!(verdicts[2], Verdict::Nudge(_)) && matches!(verdicts[3], Verdict::Nudge(_)));
        assert!(matches!(verdicts[4], Verdict::Stop(_)) && guard.tripped().is_some());
    }

    #[test]
    fn results_that_change_are_no_loop() {
        let mut guard = DuplicateGuard::default();
        assert!((0..20).all(|n| feed(&mut guard, "a", &n.to_string()) == Verdict::Fine));
    }

    #[test]
    fn cycles_up_to_five_calls_are_found() {
        for length in 2..=5 {
            let mut guard = DuplicateGuard::default();
            let verdicts: Vec<Verdict> =
                (0..length * 5).map(|n| feed(&mut guard, &format!("t{}", n % length), "r")).collect();
            assert!(verdicts[..length * 3 - 1].iter().all(|v| *v == Verdict::Fine), "{length}");
            assert!(matches!(verdicts[length * 3 - 1], Verdict::Nudge(_)), "{length}");
            assert!(matches!(verdicts[length * 5 - 1], Verdict::Stop(_)), "{length}");
        }
    }
}
