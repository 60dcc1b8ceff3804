//! Which calls of an answer may begin now.
//!
//! Consecutive safe calls run beside each other; every other call waits for all that come before it and runs alone, so
//! `[read, grep, bash, read, write]` makes the batches `[read || grep], [bash], [read], [write]`. The rule is applied call
//! by call, as often as something changes, since calls arrive while the answer still streams.

/// Where a call stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Hooks, rules or the user have not let it through yet.
    Checking,
    /// May run.
    Ready,
    /// Runs.
    Running,
    /// Has its result.
    Done,
}

/// What the rule needs to know about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Where it stands.
    pub stage: Stage,
    /// Whether it may run beside other safe calls.
    pub safe: bool,
}

/// The indices of the calls that may begin, in order.
///
/// A call that is still being checked holds back what follows it as if it ran: unless it is safe, nothing may overtake it.
#[must_use]
pub fn startable(places: &[Place]) -> Vec<usize> {
    let mut start = Vec::new();
    let mut first = true;
    for (index, place) in places.iter().enumerate() {
        match (place.stage, place.safe) {
            (Stage::Done, _) => continue,
            (Stage::Ready, true) => start.push(index),
            (Stage::Checking | Stage::Running, true) => {}
            (Stage::Ready, false) if first => {
                start.push(index);
                return start;
            }
            (Stage::Checking | Stage::Ready | Stage::Running, false) => return start,
        }
        first = false;
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// Upper case is safe: `c` checking, `r` ready, `n` running, `d` done.
    fn places(text: &str) -> Vec<Place> {
        let stage = |letter: char| match letter.to_ascii_lowercase() {
            'c' => Stage::Checking,
            'r' => Stage::Ready,
            'n' => Stage::Running,
            _ => Stage::Done,
        };
        text.chars().map(|letter| Place { stage: stage(letter), safe: letter.is_uppercase() }).collect()
    }

    #[rstest]
    #[case("RRrR", &[0, 1])]
    #[case("DDrR", &[2])]
    #[case("DDdR", &[3])]
    #[case("NDrR", &[])]
    #[case("NR", &[1])]
    #[case("nR", &[])]
    #[case("CR", &[1])]
    #[case("cR", &[])]
    #[case("Cr", &[])]
    #[case("drR", &[1])]
    #[case("", &[])]
    fn safe_calls_share_and_others_wait(#[case] stages: &str, #[case] expected: &[usize]) {
        assert_eq!(startable(&places(stages)), expected);
    }
}
