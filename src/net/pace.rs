//! Spacing requests to services that ask for it.

use std::time::Duration;
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::{Instant, sleep_until};

/// Hands out turns in the order of asking, a fixed interval apart.
///
/// While a [`Turn`] is held nobody else gets one, so holding it during a request also means one connection at a time;
/// dropping it at once leaves the interval alone. Waiting can be cancelled at any point.
#[derive(Debug)]
pub struct Pace {
    interval: Duration,
    next: Mutex<Option<Instant>>,
}

/// Permission to send one request.
#[derive(Debug)]
pub struct Turn<'a> {
    next: MutexGuard<'a, Option<Instant>>,
}

impl Pace {
    /// Turns at least `interval` apart.
    #[must_use]
    pub fn new(interval: Duration) -> Self {
        Self { interval, next: Mutex::new(None) }
    }

    /// Waits for the next turn.
    pub async fn turn(&self) -> Turn<'_> {
        let mut next = self.next.lock().await;
        if let Some(at) = *next {
            sleep_until(at).await;
        }
        *next = Some(Instant::now() + self.interval);
        Turn { next }
    }
}

impl Turn<'_> {
    /// The service asked for a pause: the next turn comes no sooner than after it.
    pub fn pause(&mut self, pause: Duration) {
        let until = Instant::now() + pause;
        *self.next = Some(self.next.map_or(until, |next| next.max(until)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[tokio::test(start_paused = true)]
    async fn turns_are_an_interval_apart_and_in_order() {
        let pace = Arc::new(Pace::new(Duration::from_secs(3)));
        let start = Instant::now();
        let mut waiting = Vec::new();
        for i in 0..4u64 {
            let pace = pace.clone();
            waiting.push(tokio::spawn(async move {
                let _turn = pace.turn().await;
                (i, Instant::now())
            }));
            tokio::task::yield_now().await;
        }
        for task in waiting {
            let (i, at) = task.await.unwrap();
            assert_eq!((at - start).as_secs(), 3 * i);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_held_turn_keeps_the_others_out() {
        let pace = Pace::new(Duration::from_secs(3));
        let start = Instant::now();
        let first = pace.turn().await;
        let (_, at) = tokio::join!(
            async {
                tokio::time::sleep(Duration::from_secs(10)).await;
                drop(first);
            },
            async {
                let _turn = pace.turn().await;
                Instant::now()
            }
        );
        assert_eq!((at - start).as_secs(), 10);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_moves_the_next_turn_and_a_cancelled_wait_costs_nothing() {
        let pace = Pace::new(Duration::from_secs(3));
        let start = Instant::now();
        pace.turn().await.pause(Duration::from_secs(20));
        assert!(tokio::time::timeout(Duration::from_secs(5), pace.turn()).await.is_err());
        let _turn = pace.turn().await;
        assert_eq!(start.elapsed().as_secs(), 20);
    }
}
