//! When automatic summaries do more harm than good.

use std::fmt;

/// Failures in a row that open it.
const FAILURES: u32 = 3;
/// Refills in a row that open it.
const REFILLS: u32 = 3;
/// Model calls within which a context that is full again counts as refilled.
const SOON: u32 = 3;
/// A pass that frees less than one part in so many is of no use.
const LEAST_PART: u64 = 20;

/// Why automatic summaries are off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tripped {
    /// They failed; the last cause.
    Failing(String),
    /// The context was full again at once, each time.
    Refilling,
    /// One freed next to nothing.
    Useless {
        /// Tokens before.
        before: u64,
        /// Tokens after.
        after: u64,
    },
}

impl fmt::Display for Tripped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failing(cause) => {
                write!(f, "summaries failed {FAILURES} times in a row, the last time since {cause}")
            }
            Self::Refilling => {
                write!(f, "the context was full again within {SOON} model calls, {REFILLS} times in a row")
            }
            Self::Useless { before, after } => {
                write!(f, "the last summary made {before} tokens into {after}, which is next to nothing")
            }
        }
    }
}

/// Stops automatic summaries after 3 failures in a row, 3 refills in a row, or a pass that frees under 5 %.
///
/// While it is open only the micro layer works. A manual compaction that succeeds closes it; a new run gives it one more
/// try, which opens it again at once when it goes wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompactionCircuitBreaker {
    failures: u32,
    refills: u32,
    /// Model calls since the last summary, once there was one.
    calls_since: Option<u32>,
    open: Option<Tripped>,
    /// Whether the user was told that it is open.
    told: bool,
}

impl CompactionCircuitBreaker {
    /// Why it is open, if it is.
    #[must_use]
    pub fn tripped(&self) -> Option<&Tripped> {
        self.open.as_ref()
    }

    /// Why it is open, in words for the user; nothing when they were told already.
    pub fn tell(&mut self) -> Option<String> {
        let tripped = self.open.as_ref().filter(|_| !self.told)?;
        self.told = true;
        Some(tripped.to_string())
    }

    /// A model was called.
    pub fn model_called(&mut self) {
        if let Some(calls) = &mut self.calls_since {
            *calls = calls.saturating_add(1);
        }
    }

    /// The context is over its limit again, so that a summary would be made. Answers whether it may.
    pub fn admits(&mut self) -> bool {
        if self.open.is_some() {
            return false;
        }
        match self.calls_since.take() {
            Some(calls) if calls <= SOON => self.refills += 1,
            Some(_) => self.refills = 0,
            None => {}
        }
        if self.refills >= REFILLS {
            self.open = Some(Tripped::Refilling);
        }
        self.open.is_none()
    }

    /// A summary could not be made.
    pub fn failed(&mut self, cause: &str) {
        self.failures += 1;
        if self.failures >= FAILURES {
            self.open = Some(Tripped::Failing(cause.to_owned()));
        }
    }

    /// An automatic summary was made.
    pub fn succeeded(&mut self, before: u64, after: u64) {
        self.failures = 0;
        self.calls_since = Some(0);
        if before.saturating_sub(after) < before / LEAST_PART {
            self.open = Some(Tripped::Useless { before, after });
        }
    }

    /// The user or the model had the context compacted, with success.
    pub fn close(&mut self) {
        *self = Self { calls_since: Some(0), ..Self::default() };
    }

    /// A new run begins.
    pub fn half_open(&mut self) {
        if let Some(tripped) = self.open.take() {
            self.told = false;
            (self.failures, self.refills) = match tripped {
                Tripped::Failing(_) => (FAILURES - 1, 0),
                Tripped::Refilling => (0, REFILLS - 1),
                Tripped::Useless { .. } => (0, 0),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_failures_in_a_row_open_it() {
        let mut breaker = CompactionCircuitBreaker::default();
        for _ in 0..2 {
            breaker.failed("a");
        }
        breaker.succeeded(100, 10);
        for _ in 0..2 {
            assert!(breaker.admits());
            breaker.failed("b");
        }
        assert!(breaker.admits());
        breaker.failed("the model is away");
        assert!(!breaker.admits());
        assert!(breaker.tripped().unwrap().to_string().contains("the model is away"));
        breaker.half_open();
        assert!(breaker.admits(), "a new run tries once more");
        breaker.failed("still away");
        assert!(!breaker.admits(), "and once only");
        breaker.close();
        assert!(breaker.admits());
    }

    #[test]
    fn three_refills_in_a_row_open_it() {
        let mut breaker = CompactionCircuitBreaker::default();
        let mut round = |calls: u32| {
            let admitted = breaker.admits();
            breaker.succeeded(100, 10);
            (0..calls).for_each(|_| breaker.model_called());
            admitted
        };
        assert!([1, 2, 9, 1, 1].into_iter().all(&mut round), "a long time between two of them begins anew");
        assert!(round(1));
        assert!(!round(1));
        assert_eq!(breaker.tripped(), Some(&Tripped::Refilling));
    }

    #[test]
    fn a_pass_that_frees_next_to_nothing_opens_it() {
        let mut breaker = CompactionCircuitBreaker::default();
        breaker.succeeded(1_000, 950);
        assert!(breaker.admits(), "five in a hundred are enough");
        breaker.succeeded(1_000, 951);
        assert!(!breaker.admits());
    }
}
