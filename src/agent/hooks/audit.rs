//! The audit hook: what happened becomes rows, and nothing waits for them.
//!
//! Rows go through a bounded channel to a task that writes them in batches. When the channel is full (the disk hangs), rows
//! are dropped and counted; the count is a metric and a line in the log.

use super::metrics::Metrics;
use crate::store::audit::AuditRow;
use crate::store::{Store, StoreError};
use parking_lot::Mutex;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// Rows that may wait.
const WAITING: usize = 4096;
/// Rows in one transaction.
const BATCH: usize = 256;
/// Characters of a summary.
const SUMMARY_CHARS: usize = 500;

enum Command {
    Row(Box<AuditRow>),
    Flush(oneshot::Sender<()>),
}

/// The way to the log.
pub(super) struct Audit {
    rows: Mutex<Option<mpsc::Sender<Command>>>,
    metrics: Arc<Metrics>,
}

impl Audit {
    /// Starts the task that writes.
    pub(super) fn start(store: Store, metrics: Arc<Metrics>) -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        tokio::spawn(write(store, receiver, Arc::clone(&metrics)));
        Self { rows: Mutex::new(Some(sender)), metrics }
    }

    /// Notes a row; never waits.
    pub(super) fn note(&self, mut row: AuditRow) {
        if let Some((end, _)) = row.summary.char_indices().nth(SUMMARY_CHARS) {
            row.summary.truncate(end);
            row.summary.push('…');
        }
        let sender = self.rows.lock().clone();
        let sent = sender.is_some_and(|sender| sender.try_send(Command::Row(Box::new(row))).is_ok());
        if !sent {
            self.metrics.audit_dropped(1);
        }
    }

    /// Ready when everything noted so far is written.
    pub(super) async fn flush(&self) {
        let sender = self.rows.lock().clone();
        let Some(sender) = sender else { return };
        let (done, written) = oneshot::channel();
        if sender.send(Command::Flush(done)).await.is_ok() {
            // An error means that the task is gone, and nothing more will be written.
            let _ = written.await;
        }
    }

    /// Writes what is noted and takes no more.
    pub(super) async fn close(&self) {
        self.flush().await;
        self.rows.lock().take();
    }
}

async fn write(store: Store, mut commands: mpsc::Receiver<Command>, metrics: Arc<Metrics>) {
    let mut batch = Vec::new();
    while commands.recv_many(&mut batch, BATCH).await > 0 {
        let (mut rows, mut waiting) = (Vec::new(), Vec::new());
        for command in batch.drain(..) {
            match command {
                Command::Row(row) => rows.push(*row),
                Command::Flush(done) => waiting.push(done),
            }
        }
        store_all(&store, rows, &metrics).await;
        for done in waiting {
            let _ = done.send(());
        }
    }
}

/// Writes rows together, and one by one when that fails: a user may have been deleted since.
async fn store_all(store: &Store, rows: Vec<AuditRow>, metrics: &Metrics) {
    if rows.is_empty() || store.add_audit(rows.clone()).await.is_ok() {
        return;
    }
    for row in rows {
        match store.add_audit(vec![row]).await {
            Ok(()) => {}
            Err(error @ StoreError::Closed) => {
                tracing::debug!("an audit row came after the end: {error}");
                metrics.audit_dropped(1);
            }
            Err(error) => {
                tracing::error!("an audit row could not be written: {error}");
                metrics.audit_dropped(1);
            }
        }
    }
}

/// Size and digest of a text: enough to recognise it, nothing of what it says.
pub(super) fn digest(text: &str) -> String {
    let hash = hex::encode(Sha256::digest(text.as_bytes()));
    format!("{} characters, sha256 {}", text.chars().count(), &hash[..16])
}

/// Names of arguments with the digest of their values.
pub(super) fn arguments(arguments: &Value) -> String {
    let names: Vec<&str> =
        arguments.as_object().map(|fields| fields.keys().map(String::as_str).collect()).unwrap_or_default();
    format!("arguments ({}): {}", names.join(", "), digest(&arguments.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_says_nothing_of_what_it_digests() {
        let summary = arguments(&serde_json::json!({"command": "curl -H 'Authorization: topsecret'", "timeout": 3}));
        assert!(summary.contains("(command, timeout)") && !summary.contains("topsecret"), "{summary}");
        assert_ne!(digest("a"), digest("b"));
    }
}
