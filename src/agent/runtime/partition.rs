//! Which calls of an answer may run beside each other.

use super::prepare::PreparedCall;
use std::collections::VecDeque;

/// Batches of indices into `calls`, in order: consecutive safe calls form one batch, every other call is its own.
///
/// Rejected calls take no part: `[read, bad, grep]` is one batch of two.
#[must_use]
pub fn partition(calls: &[PreparedCall]) -> VecDeque<Vec<usize>> {
    let mut batches: VecDeque<Vec<usize>> = VecDeque::new();
    let mut open = false;
    for (index, call) in calls.iter().enumerate() {
        if call.rejection.is_some() {
            continue;
        }
        match batches.back_mut() {
            Some(batch) if open && call.concurrency_safe => batch.push(index),
            _ => batches.push_back(vec![index]),
        }
        open = call.concurrency_safe;
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case("rgwr", vec![vec![0, 1], vec![2], vec![3]])]
    #[case("rgbrw", vec![vec![0, 1], vec![2], vec![3], vec![4]])]
    #[case("rxr", vec![vec![0, 2]])]
    #[case("ww", vec![vec![0], vec![1]])]
    #[case("", vec![])]
    #[case("xx", vec![])]
    fn consecutive_safe_calls_share_a_batch(#[case] calls: &str, #[case] expected: Vec<Vec<usize>>) {
        let calls: Vec<PreparedCall> = calls
            .chars()
            .map(|kind| {
                let mut call = PreparedCall::ready(kind.to_string(), json!({}), matches!(kind, 'r' | 'g'));
                call.rejection = (kind == 'x').then(|| "no".to_owned());
                call
            })
            .collect();
        assert_eq!(Vec::from(partition(&calls)), expected);
    }
}
