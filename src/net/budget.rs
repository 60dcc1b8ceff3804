//! How many requests may be in flight to one host.

use super::guard::Origin;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Requests at once to a host that an address of data leads to: what a polite browser opens.
const PER_PUBLIC_HOST: usize = 6;
/// Requests at once to a configured origin: its own client paces it; this bounds a runaway alone.
const PER_CONFIGURED_HOST: usize = 64;

/// Whether an origin comes from a setting or from data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// From a setting.
    Configured,
    /// From data.
    Public,
}

/// The budgets of all hosts.
#[derive(Default)]
pub(super) struct Budgets {
    hosts: Mutex<HashMap<Origin, Arc<Semaphore>>>,
}

impl Budgets {
    /// Waits for a place; it is free again when the permit is dropped.
    pub(super) async fn acquire(&self, origin: &Origin, trust: Trust) -> Option<OwnedSemaphorePermit> {
        let semaphore = {
            let mut hosts = self.hosts.lock();
            // Idle hosts are forgotten, so that a crawl does not grow the map for ever.
            if hosts.len() > 512 {
                hosts.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
            }
            let size = match trust {
                Trust::Configured => PER_CONFIGURED_HOST,
                Trust::Public => PER_PUBLIC_HOST,
            };
            hosts.entry(origin.clone()).or_insert_with(|| Arc::new(Semaphore::new(size))).clone()
        };
        // The semaphores are never closed.
        semaphore.acquire_owned().await.ok()
    }
}
