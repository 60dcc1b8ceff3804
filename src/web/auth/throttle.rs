//! Failed logins: ten in a row for one address and user, then a wait.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;
use tokio::time::Instant;

/// Failures in a row that are let through.
const FREE: u32 = 10;
/// First wait; each further failure doubles it.
const FIRST_WAIT: Duration = Duration::from_secs(30);
/// Longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
/// Pairs that are remembered; beyond this the oldest are forgotten, so that guessing names cannot fill the memory.
const REMEMBERED: usize = 10_000;

#[derive(Debug, Clone, Copy)]
struct Record {
    failures: u32,
    last: Instant,
}

/// Counts failures by address and user name.
#[derive(Debug, Default)]
pub struct LoginThrottle {
    records: Mutex<HashMap<(IpAddr, String), Record>>,
}

impl LoginThrottle {
    /// Counts an attempt before its password is looked at, so that parallel attempts cannot slip through; answers how
    /// long to wait when there were too many.
    ///
    /// # Errors
    /// The time to wait.
    pub fn begin(&self, address: IpAddr, username: &str) -> Result<(), Duration> {
        let now = Instant::now();
        let mut records = self.records.lock();
        if records.len() >= REMEMBERED
            && let Some(oldest) = records.iter().min_by_key(|(_, record)| record.last).map(|(key, _)| key.clone())
        {
            records.remove(&oldest);
        }
        let record = records.entry((address, username.to_lowercase())).or_insert(Record { failures: 0, last: now });
        if record.failures >= FREE {
            let doublings = (record.failures - FREE).min(10);
            let wait = (FIRST_WAIT * 2_u32.pow(doublings)).min(LONGEST_WAIT);
            let waited = now.duration_since(record.last);
            if waited < wait {
                return Err(wait - waited);
            }
        }
        record.failures += 1;
        record.last = now;
        Ok(())
    }

    /// Forgets the failures after a success.
    pub fn succeeded(&self, address: IpAddr, username: &str) {
        self.records.lock().remove(&(address, username.to_lowercase()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[tokio::test(start_paused = true)]
    async fn ten_failures_then_a_growing_wait() {
        let throttle = LoginThrottle::default();
        for _ in 0..10 {
            throttle.begin(HERE, "Ada").unwrap();
        }
        let wait = throttle.begin(HERE, "ada").unwrap_err();
        assert_eq!(wait, FIRST_WAIT);
        throttle.begin(HERE, "grace").unwrap();
        tokio::time::advance(wait).await;
        throttle.begin(HERE, "ada").unwrap();
        assert_eq!(throttle.begin(HERE, "ada").unwrap_err(), 2 * FIRST_WAIT);
        throttle.succeeded(HERE, "ada");
        throttle.begin(HERE, "ada").unwrap();
    }
}
