//! Hooks: what happens around the things a run does, at 13 [events](HookEvent).
//!
//! [`Hooks`] is the registry. Two hooks are built in, for [audit](audit) and [metrics](metrics); they never delay a run.
//! The others are the administrator's [commands](command), declared in [`hooks.json`](config). The runtime calls one
//! method for each event (they stand in `dispatch`), with a [`Scope`] that says where it happens, and does what the answer
//! says ([`outcome`]): the hooks decide, the runtime acts. Each run of a command is an [`Event::Hook`] in the timeline,
//! a row of the audit log and a count.
//!
//! How the runtime uses it, for a call:
//!
//! ```text
//! match hooks.pre_tool_use(&scope, tool, &arguments).await {
//!     Block { reason }                      -> an error result; hooks.tool_refused(...)
//!     Continue { arguments, context, ask }  -> check changed arguments against the schema; then the permissions on the
//!                                              final ones; `ask` turns an allowance into a question, never a denial
//! }
//! before a question is shown: hooks.permission_request(...); Some(answer) is the user's answer, None shows it
//! after the answer:           hooks.permission_answered(...)
//! after the call:             hooks.post_tool_use(...) or hooks.post_tool_use_failure(...)
//! ```
//!
//! A hook's `allow` before a call only means that it does not object: it cannot override a rule. Dropping the future of any
//! of these methods kills the hooks that are running.
//!
//! [`Event::Hook`]: crate::agent::events::Event::Hook

mod audit;
pub mod command;
pub mod config;
mod dispatch;
pub mod dry_run;
pub mod events;
pub mod matcher;
pub mod metrics;
pub mod outcome;
#[cfg(test)]
mod tests;

pub use events::{CompactTrigger, EndCause, HookEvent, Scope, StartSource, StopRound};
pub use metrics::Metrics;
pub use outcome::{PermissionAnswer, PostToolUse, PreCompact, PreToolUse, PromptSubmit};

use crate::ids::{AuditId, UserId};
use crate::store::Store;
use crate::store::audit::AuditRow;
use crate::time::Timestamp;
use audit::Audit;
use config::{ConfigError, HookSet};
use parking_lot::RwLock;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the file in the data folder.
pub const FILE: &str = "hooks.json";

/// All hooks.
pub struct Hooks {
    folder: PathBuf,
    current: RwLock<Arc<Loaded>>,
    /// One change of the file at a time.
    saving: tokio::sync::Mutex<()>,
    audit: Audit,
    metrics: Arc<Metrics>,
}

/// The file as it was read.
struct Loaded {
    set: HookSet,
    text: String,
}

impl Hooks {
    /// Reads `hooks.json` and starts the built-in hooks.
    ///
    /// # Errors
    /// When the file is not understood: hooks may be policies, so nothing starts without them.
    pub async fn open(data_dir: &Path, store: Store) -> Result<Arc<Self>, ConfigError> {
        // Commands get it as their working folder; a relative one would mean something else there.
        let folder =
            std::path::absolute(data_dir).map_err(|source| ConfigError::File { path: data_dir.to_owned(), source })?;
        let path = folder.join(FILE);
        let (set, text) = blocking(move || HookSet::load(&path)).await?;
        warn_of_ignored(&set);
        let metrics = Arc::new(Metrics::default());
        let audit = Audit::start(store, Arc::clone(&metrics));
        let current = RwLock::new(Arc::new(Loaded { set, text }));
        Ok(Arc::new(Self { folder, current, saving: tokio::sync::Mutex::new(()), audit, metrics }))
    }

    /// The counts, for what is no hook event: model calls and ends of runs.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Looks at the command hooks.
    pub fn with_set<T>(&self, look: impl FnOnce(&HookSet) -> T) -> T {
        let loaded = self.loaded();
        look(&loaded.set)
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> String {
        self.loaded().text.clone()
    }

    /// Replaces all command hooks: checks the document, writes the file, then uses it. Runs in progress use the new ones
    /// from their next event on.
    ///
    /// # Errors
    /// When it is not understood or cannot be written; nothing has changed then.
    pub async fn replace(&self, by: UserId, text: String) -> Result<(), ConfigError> {
        let set = HookSet::parse(&text)?;
        let _one_at_a_time = self.saving.lock().await;
        let (path, written) = (self.folder.join(FILE), text.clone());
        blocking(move || {
            let failed = |source| ConfigError::File { path: path.clone(), source };
            // Renamed into place, so that a crash leaves the old file or the new one.
            let new = path.with_extension("json.new");
            std::fs::write(&new, written).map_err(failed)?;
            std::fs::File::open(&new).and_then(|file| file.sync_all()).map_err(failed)?;
            std::fs::rename(&new, &path).map_err(failed)
        })
        .await?;
        warn_of_ignored(&set);
        let summary = format!("{} command hook(s): {}", set.iter().count(), audit::digest(&text));
        *self.current.write() = Arc::new(Loaded { set, text });
        self.audit.note(AuditRow {
            id: AuditId::new(),
            user_id: by,
            session_id: None,
            run_id: None,
            tool_call_id: None,
            event: "HooksChanged".into(),
            tool: None,
            decision: "changed".into(),
            summary,
            ms: None,
            created_at: Timestamp::now(),
        });
        Ok(())
    }

    /// Ready when every audit row so far is written.
    pub async fn flush(&self) {
        self.audit.flush().await;
    }

    /// Writes what is left of the audit log; to be called before the store is closed.
    pub async fn close(&self) {
        self.audit.close().await;
    }

    fn loaded(&self) -> Arc<Loaded> {
        Arc::clone(&self.current.read())
    }

    /// The folder that a user's relative paths begin in.
    fn workspace(&self, user: UserId) -> PathBuf {
        self.folder.join("workspace").join(user.to_string())
    }

    /// What a command finds in its environment beside what it inherits.
    fn environment(&self, user: UserId) -> [(&'static str, OsString); 3] {
        let workspace = self.workspace(user).into_os_string();
        [
            ("ALMAGEST_DATA_DIR", self.folder.clone().into_os_string()),
            ("ALMAGEST_WORKSPACE", workspace.clone()),
            // Where hooks written for Claude Code look for the project.
            ("CLAUDE_PROJECT_DIR", workspace),
        ]
    }
}

fn warn_of_ignored(set: &HookSet) {
    if !set.ignored().is_empty() {
        tracing::warn!("{FILE}: these events do not exist here, their hooks never run: {}", set.ignored().join(", "));
    }
}

/// Runs file work on the blocking pool.
async fn blocking<T, F>(work: F) -> Result<T, ConfigError>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T, ConfigError> + Send + 'static,
{
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(ConfigError::File { path: FILE.into(), source: std::io::Error::other(error) }))
}
