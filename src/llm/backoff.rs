//! How long to wait: for an answer's next byte, and before the next attempt.

use std::time::Duration;

/// The limits of patience with one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How often a request is sent at most.
    pub attempts: u32,
    /// How long the server may take until its answer begins: a model that runs here reads the prompt first.
    pub first_byte: Duration,
    /// How long the answer may be silent in the middle.
    pub idle: Duration,
    /// How long to wait for the usage once the model has finished.
    pub usage: Duration,
    /// The wait after the first failure; it doubles with each.
    pub first_wait: Duration,
    /// The longest wait of our own making.
    pub longest_wait: Duration,
    /// The longest wait that is granted to a provider that asks for one; what asks for more has failed.
    pub longest_asked: Duration,
    /// How long to wait in all.
    pub total: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            attempts: 5,
            first_byte: Duration::from_secs(300),
            idle: Duration::from_secs(120),
            usage: Duration::from_secs(5),
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(30),
            longest_asked: Duration::from_secs(120),
            total: Duration::from_secs(300),
        }
    }
}

impl Patience {
    /// The wait after attempt number `attempt` (from 1) failed; none if the request is given up. `waited` is what was
    /// waited before, `asked` what the provider asks for, which is the least.
    ///
    /// The wait is that of an exponential backoff, 75 to 125 % of it at random, so that clients that failed together do
    /// not come back together; `jitter` is a number from 0 to 1.
    #[must_use]
    pub fn wait(&self, attempt: u32, waited: Duration, asked: Option<Duration>, jitter: f64) -> Option<Duration> {
        let asked = asked.unwrap_or_default();
        if attempt >= self.attempts || asked > self.longest_asked {
            return None;
        }
        let doubled = self.first_wait.saturating_mul(1 << attempt.saturating_sub(1).min(20)).min(self.longest_wait);
        let wait = doubled.mul_f64(0.75 + 0.5 * jitter.clamp(0.0, 1.0)).max(asked);
        (waited + wait <= self.total).then_some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[rstest::rstest]
    #[case::first(1, 1)]
    #[case::second(2, 2)]
    #[case::fourth(4, 8)]
    #[case::capped(9, 30)]
    #[case::far_beyond(4_000_000_000, 30)]
    fn doubles(#[case] attempt: u32, #[case] expected: u64) {
        let patience = Patience { attempts: u32::MAX, ..Patience::default() };
        assert_eq!(patience.wait(attempt, Duration::ZERO, None, 0.5), Some(seconds(expected)));
    }

    #[test]
    fn jitter_is_a_quarter_either_way() {
        let wait = |jitter| Patience::default().wait(1, Duration::ZERO, None, jitter);
        assert_eq!(wait(0.0), Some(Duration::from_millis(750)));
        assert_eq!(wait(1.0), Some(Duration::from_millis(1250)));
    }

    #[rstest::rstest]
    #[case::the_least(seconds(60), Some(seconds(60)))]
    #[case::less_than_ours(Duration::from_millis(1), Some(seconds(1)))]
    #[case::just_granted(seconds(120), Some(seconds(120)))]
    #[case::too_long(seconds(121), None)]
    fn what_the_provider_asks(#[case] asked: Duration, #[case] expected: Option<Duration>) {
        assert_eq!(Patience::default().wait(1, Duration::ZERO, Some(asked), 0.5), expected);
    }

    #[test]
    fn ends() {
        let patience = Patience::default();
        assert_eq!(patience.wait(5, Duration::ZERO, None, 0.5), None);
        assert_eq!(patience.wait(1, seconds(300), None, 0.5), None);
    }
}
