//! One user's folder: every change of a file is one commit.

use super::error::{AccessError, WorkspaceError};
use super::folder::{Folder, MAX_CHANGED_FILE, Stamp};
use super::history::{History, Mode};
use super::log::{CommitDiff, LogPage, Why};
use super::path::RelPath;
use super::{OTHER_ROOTS, TEAM};
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use std::path::Path;

/// One user's versioned folder. Its functions block.
pub struct Workspace {
    pub(super) folder: Folder,
    at: std::path::PathBuf,
    /// Empty until the history could be opened.
    state: Mutex<Option<State>>,
}

/// What a writer holds: one at a time for each user.
pub(super) struct State {
    pub(super) history: History,
    /// Whether files may differ from the newest commit, since a commit failed.
    pub(super) uncommitted: bool,
}

/// A file as a writer finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present {
    /// Its contents.
    pub bytes: Vec<u8>,
    /// Its state.
    pub stamp: Stamp,
}

/// What the history has of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// One new commit, by its id.
    Commit(String),
    /// The file had these contents already: nothing was written.
    Unchanged,
    /// The path is not versioned (`team/`).
    Unversioned,
    /// The file is written, the commit failed with this reason; the next write makes up for it.
    Pending(String),
}

/// A write that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// The file as it was; `None` when it is new.
    pub before: Option<Vec<u8>>,
    /// The file as it is.
    pub after: Vec<u8>,
    /// Its state.
    pub stamp: Stamp,
    /// What the history has of it.
    pub recorded: Recorded,
}

impl Workspace {
    /// Opens a workspace, making the folder and its history when they are missing, and commits what is uncommitted.
    ///
    /// A history that cannot be opened or written now (a full disk) does not keep the files from being read: the first
    /// write says what is wrong.
    ///
    /// # Errors
    /// When the folder cannot be made or opened.
    pub(super) fn open(path: &Path) -> Result<Self, WorkspaceError> {
        let folder = super::open_folder(path, "")?;
        let workspace = Self { folder, at: path.to_owned(), state: Mutex::new(None) };
        if let Err(error) = workspace.lock() {
            tracing::warn!(%error, workspace = %path.display(), "the history is not ready; the first write tries again");
        }
        Ok(workspace)
    }

    /// The folder, for reading.
    #[must_use]
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Writes a file whatever it holds now, making folders on the way.
    ///
    /// # Errors
    /// As [`Workspace::update`].
    pub fn write(&self, path: &RelPath, bytes: &[u8], why: &Why) -> Result<Written, WorkspaceError> {
        self.update(path, why, |_| Ok(bytes.to_vec()))
    }

    /// Changes a file: `change` sees it as it is now and gives its new contents or refuses. Nobody else of this user
    /// writes meanwhile, and what happens is one commit.
    ///
    /// A version that no commit has (somebody edited the file by other means) is committed first, so that it is not lost.
    ///
    /// # Errors
    /// What `change` refuses with; or when the path is not one of the workspace, is no regular file, or cannot be
    /// written. In each case the file is as it was.
    pub fn update<E: From<WorkspaceError>>(
        &self,
        path: &RelPath,
        why: &Why,
        change: impl FnOnce(Option<&Present>) -> Result<Vec<u8>, E>,
    ) -> Result<Written, E> {
        check_writable(path)?;
        let mut state = self.lock()?;
        let (present, executable) = match self.folder.read(path).map_err(WorkspaceError::from)? {
            Some((bytes, stamp, executable)) => (Some(Present { bytes, stamp }), executable),
            None => (None, false),
        };
        let after = change(present.as_ref())?;
        if after.len() as u64 > MAX_CHANGED_FILE {
            let (path, size) = (self.folder.show(path), after.len() as u64);
            return Err(WorkspaceError::from(AccessError::TooLarge { path, size, limit: MAX_CHANGED_FILE }).into());
        }
        let versioned = is_versioned(path);
        if versioned && let Some(present) = &present {
            state.keep_version(path, &present.bytes, Mode::file(executable))?;
        }
        if let Some(present) = &present
            && present.bytes == after
        {
            let recorded = if versioned { Recorded::Unchanged } else { Recorded::Unversioned };
            return Ok(Written { before: Some(after.clone()), after, stamp: present.stamp, recorded });
        }
        let tree = match versioned {
            // Stored before the file changes: what the history cannot take is refused with nothing done.
            true => Some(state.stage(path, &after, Mode::file(executable))?),
            false => None,
        };
        let stamp = self.folder.write(path, &after, executable).map_err(WorkspaceError::from)?;
        state.uncommitted |= versioned;
        let recorded = match tree {
            Some(tree) => state.record(tree, why, path.as_str()),
            None => Recorded::Unversioned,
        };
        Ok(Written { before: present.map(|present| present.bytes), after, stamp, recorded })
    }

    /// Where it is, for programs that are to work in it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.at
    }

    /// Commits whatever differs from the newest commit, as one commit.
    ///
    /// # Errors
    /// When the folder or its history cannot be read or written.
    pub fn commit_all(&self, why: &Why, what: &str) -> Result<Recorded, WorkspaceError> {
        let mut state = self.lock()?;
        state.uncommitted = true;
        self.record_all(&mut state, why, what)
    }

    /// Commits from the newest, or after a page's last one.
    ///
    /// # Errors
    /// When the history cannot be read or the cursor is not from it.
    pub fn log(&self, cursor: Option<&str>, limit: usize) -> Result<LogPage, WorkspaceError> {
        // A handle of its own: readers do not wait for writers.
        History::open(&self.at)?.log(cursor, limit)
    }

    /// What a commit changed.
    ///
    /// # Errors
    /// When there is no such commit.
    pub fn diff(&self, commit: &str) -> Result<CommitDiff, WorkspaceError> {
        History::open(&self.at)?.diff(commit)
    }

    /// The right to write, with every file committed.
    pub(super) fn lock(&self) -> Result<MappedMutexGuard<'_, State>, WorkspaceError> {
        let mut slot = self.state.lock();
        let mut state = match slot.take() {
            Some(state) => state,
            None => State { history: History::open(&self.at)?, uncommitted: true },
        };
        let recovered = if state.uncommitted { self.recover(&mut state) } else { Ok(()) };
        let state = MutexGuard::map(slot, |slot| slot.insert(state));
        recovered.map(|()| state)
    }
}

impl State {
    fn stage(&self, path: &RelPath, bytes: &[u8], mode: Mode) -> Result<git2::Oid, WorkspaceError> {
        let mut draft = self.history.draft()?;
        self.history.stage(&mut draft, path, bytes, mode)?;
        self.history.tree(&mut draft)
    }

    /// Commits a file's present contents unless the newest commit has them (then the tree is the same and no commit is made).
    fn keep_version(&mut self, path: &RelPath, bytes: &[u8], mode: Mode) -> Result<(), WorkspaceError> {
        let mut draft = self.history.draft()?;
        self.history.stage(&mut draft, path, bytes, mode)?;
        let tree = self.history.tree(&mut draft)?;
        self.history.commit(tree, &Why::outside("recovered"), path.as_str())?;
        Ok(())
    }

    /// Commits a tree whose files are written already; a failure is made up for by the next writer.
    pub(super) fn record(&mut self, tree: git2::Oid, why: &Why, what: &str) -> Recorded {
        match self.history.commit(tree, why, what) {
            Ok(commit) => {
                self.uncommitted = false;
                commit.map_or(Recorded::Unchanged, |id| Recorded::Commit(id.to_string()))
            }
            Err(error) => {
                tracing::warn!(%error, what, "a write was not committed; the next one makes up for it");
                Recorded::Pending(error.to_string())
            }
        }
    }
}

/// Whether a path's changes are commits.
pub(super) fn is_versioned(path: &RelPath) -> bool {
    path.first() != Some(TEAM)
}

fn check_writable(path: &RelPath) -> Result<(), WorkspaceError> {
    match path.first() {
        Some(name) if OTHER_ROOTS.contains(&name) => Err(WorkspaceError::Reserved(name.to_owned())),
        Some(_) | None => Ok(()),
    }
}
