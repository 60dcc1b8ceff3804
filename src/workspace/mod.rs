//! The users' versioned folders, and the other folders that file tools may look into.
//!
//! ```text
//! <data>/workspace/<user>/               read and written, a git repository
//! <data>/skills/                         read
//! <data>/library/                        read
//! <data>/library/tool-results/<user>/    long tool results, of that user alone
//! ```
//!
//! [`Workspaces`] knows the layout, [`Workspace`] is one user's folder: each change of a file there is one commit. Paths
//! are [`path::RelPath`]s, files are reached through [`folder::Folder`]'s handles and listed by [`walk`], and `history`
//! talks to libgit2. The functions here block; [`Workspaces::run`] takes them to the blocking pool.

mod error;
pub mod folder;
mod history;
pub mod log;
pub mod path;
mod recover;
mod revert;
pub mod walk;
mod write;

pub use error::{AccessError, WorkspaceError};
pub use write::{Present, Recorded, Workspace, Written};

use crate::ids::{SessionId, UserId};
use folder::Folder;
use log::{CommitDiff, LogEntry, LogPage, Why};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the folder of long tool results inside the library.
pub const TOOL_RESULTS: &str = "tool-results";
/// Names that a workspace's top cannot have, since the model reaches other roots by them.
pub const OTHER_ROOTS: [&str; 2] = ["library", "skills"];
/// The folder of a workspace that is not versioned: the inboxes of a team.
pub const TEAM: &str = "team";

/// All users' folders; cheap to clone.
#[derive(Clone)]
pub struct Workspaces(Arc<Inner>);

struct Inner {
    data: PathBuf,
    library: Folder,
    skills: Folder,
    open: Mutex<HashMap<UserId, Slot>>,
}

/// One user's workspace, filled by the first who needs it.
type Slot = Arc<Mutex<Option<Arc<Workspace>>>>;

impl Workspaces {
    /// Opens the folders in the data folder, making what is missing.
    ///
    /// # Errors
    /// When a folder cannot be made or opened.
    pub fn open(data_dir: &Path) -> Result<Self, WorkspaceError> {
        open_folder(&data_dir.join("workspace"), "")?;
        let library = open_folder(&data_dir.join("library"), "library/")?;
        let skills = open_folder(&data_dir.join("skills"), "skills/")?;
        Ok(Self(Arc::new(Inner { data: data_dir.to_owned(), library, skills, open: Mutex::default() })))
    }

    /// The library's folder. Its [`TOOL_RESULTS`] belong to single users: see [`Workspaces::tool_results`].
    #[must_use]
    pub fn library(&self) -> &Folder {
        &self.0.library
    }

    /// Where the library is, for programs that are to read it.
    #[must_use]
    pub fn library_path(&self) -> PathBuf {
        self.0.data.join("library")
    }

    /// Where the skills are, for programs that are to read them.
    #[must_use]
    pub fn skills_path(&self) -> PathBuf {
        self.0.data.join("skills")
    }

    /// The skills' folder.
    #[must_use]
    pub fn skills(&self) -> &Folder {
        &self.0.skills
    }

    /// The folder of one user's long tool results.
    ///
    /// # Errors
    /// When it cannot be made or opened.
    pub fn tool_results(&self, user: UserId) -> Result<Folder, WorkspaceError> {
        let path = self.0.data.join("library").join(TOOL_RESULTS).join(user.to_string());
        open_folder(&path, "library/tool-results/")
    }

    /// One user's workspace. Opening it for the first time commits what a crash or another program left uncommitted.
    ///
    /// # Errors
    /// When the folder cannot be made or opened.
    pub fn for_user(&self, user: UserId) -> Result<Arc<Workspace>, WorkspaceError> {
        // The map is locked for the look-up alone: opening can take a while, and only this user's callers wait for it.
        let slot = self.0.open.lock().entry(user).or_default().clone();
        let mut slot = slot.lock();
        if let Some(workspace) = &*slot {
            return Ok(workspace.clone());
        }
        let path = self.0.data.join("workspace").join(user.to_string());
        Ok(slot.insert(Arc::new(Workspace::open(&path)?)).clone())
    }

    /// Runs blocking work with these folders on the blocking pool.
    ///
    /// # Errors
    /// The work's own, or [`WorkspaceError::Task`] when it panicked.
    pub async fn run<T, E, F>(&self, work: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<WorkspaceError> + Send + 'static,
        F: FnOnce(&Workspaces) -> Result<T, E> + Send + 'static,
    {
        let workspaces = self.clone();
        match tokio::task::spawn_blocking(move || work(&workspaces)).await {
            Ok(result) => result,
            Err(error) => Err(WorkspaceError::Task(error.to_string()).into()),
        }
    }

    /// Commits of a user, newest first; `cursor` is the last page's `next_cursor`.
    ///
    /// # Errors
    /// When the history cannot be read or the cursor is not from it.
    pub async fn log(&self, user: UserId, cursor: Option<String>, limit: usize) -> Result<LogPage, WorkspaceError> {
        self.run(move |all| all.for_user(user)?.log(cursor.as_deref(), limit)).await
    }

    /// What a commit changed.
    ///
    /// # Errors
    /// When there is no such commit.
    pub async fn diff(&self, user: UserId, commit: String) -> Result<CommitDiff, WorkspaceError> {
        self.run(move |all| all.for_user(user)?.diff(&commit)).await
    }

    /// Undoes a commit by a new one.
    ///
    /// # Errors
    /// When there is no such commit, nothing to undo, or later changes touch the same places.
    pub async fn revert(
        &self,
        user: UserId,
        commit: String,
        session: Option<SessionId>,
    ) -> Result<LogEntry, WorkspaceError> {
        self.run(move |all| all.for_user(user)?.revert(&commit, &Why { action: "revert".into(), session })).await
    }
}

fn open_folder(path: &Path, label: &'static str) -> Result<Folder, WorkspaceError> {
    Folder::open(path, label).map_err(|source| WorkspaceError::Layout { path: path.display().to_string(), source })
}
