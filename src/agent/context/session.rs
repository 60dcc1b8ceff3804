//! What the process keeps of a session between its runs.

use super::breaker::CompactionCircuitBreaker;
use crate::agent::tools::filesystem::state::FileStateCache;
use crate::ids::SessionId;
use parking_lot::Mutex;
use std::sync::Arc;

/// Sessions that are remembered; the oldest beyond this are forgotten, which costs a second read of a file.
const SESSIONS: usize = 64;

/// What the process keeps of a session.
#[derive(Debug, Default)]
pub struct SessionContext {
    /// Which files the context shows.
    pub files: Arc<FileStateCache>,
    /// Whether automatic summaries help.
    pub breaker: Mutex<CompactionCircuitBreaker>,
    /// Held by whoever works on the session's context: a run from its beginning to its end, or a compaction outside of one.
    pub busy: Arc<tokio::sync::Mutex<()>>,
}

/// The sessions of this process.
#[derive(Debug, Default)]
pub struct SessionContexts(Mutex<Vec<(SessionId, Arc<SessionContext>)>>);

impl SessionContexts {
    /// The context of a session; a new one when it is not known.
    #[must_use]
    pub fn of(&self, session: SessionId) -> Arc<SessionContext> {
        let mut all = self.0.lock();
        if let Some(at) = all.iter().position(|(id, _)| *id == session) {
            let found = all.remove(at);
            let context = Arc::clone(&found.1);
            all.push(found);
            return context;
        }
        // One that somebody holds stays: two contexts of one session would not see each other's lock.
        if all.len() >= SESSIONS
            && let Some(idle) = all.iter().position(|(_, context)| Arc::strong_count(context) == 1)
        {
            all.remove(idle);
        }
        let context = Arc::new(SessionContext::default());
        all.push((session, Arc::clone(&context)));
        context
    }
}
