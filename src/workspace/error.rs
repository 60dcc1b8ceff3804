//! What can go wrong below a folder and in its history.

use super::path::PathError;
use crate::error::AppError;
use std::io;

/// Why a file or folder was not read or written. Paths are as the model and the user write them.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// Nothing there.
    #[error("There is no `{0}`.")]
    NotFound(String),
    /// A folder where a file is needed.
    #[error("`{0}` is a folder, not a file.")]
    IsFolder(String),
    /// A file where a folder is needed.
    #[error("`{0}` is a file, not a folder.")]
    NotFolder(String),
    /// A symbolic link where none is followed, or one that was put in place meanwhile.
    #[error("`{0}` is a symbolic link, which is not followed here. Name the file itself.")]
    Link(String),
    /// FIFO, socket or device: opening one can block or do something.
    #[error("`{0}` is not a regular file (a pipe, socket or device), so it is neither read nor written.")]
    Special(String),
    /// Larger than what is read whole.
    #[error("`{path}` has {size} bytes; files over {limit} bytes are not changed by tools.")]
    TooLarge {
        /// The file.
        path: String,
        /// Its size in bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The operating system refused.
    #[error("`{path}`: {source}.")]
    Io {
        /// The file.
        path: String,
        /// What it said.
        source: io::Error,
    },
}

/// Why the versioned folder could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// The path itself is not usable.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A file could not be read or written.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The name belongs to another root.
    #[error("`{0}` at the workspace's top is the name of another root. Choose another name.")]
    Reserved(String),
    /// A folder of the layout could not be made or opened.
    #[error("{path}: {source}. Check that the data folder exists and can be written.")]
    Layout {
        /// The folder.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// libgit2 failed.
    #[error("The workspace's history could not be {doing}: {}.", .source.message())]
    Git {
        /// What was being done, as a participle: `read`, `written`.
        doing: &'static str,
        /// What it said.
        source: git2::Error,
    },
    /// A lock of another program.
    #[error("The workspace's history is locked by another program ({0}). Try again when it has finished.")]
    Locked(String),
    /// Files are written and their commit failed, with this reason.
    #[error("The files are changed, but not in the history yet: {0} The next write adds them.")]
    Pending(String),
    /// No such commit in this history.
    #[error("There is no commit `{0}` in this workspace.")]
    NoCommit(String),
    /// A revert meets later changes.
    #[error("The commit cannot be undone by itself, since later changes touch the same places: {}. Undo those first.", .0.join(", "))]
    Conflict(Vec<String>),
    /// The commit's changes are already gone.
    #[error("There is nothing to undo: the changes of this commit are no longer in the workspace.")]
    NothingToUndo,
    /// The blocking task died.
    #[error("The file work ended unexpectedly: {0}.")]
    Task(String),
}

impl WorkspaceError {
    /// Wraps an error of libgit2 with what was being done.
    pub(super) fn git(doing: &'static str) -> impl Fn(git2::Error) -> Self {
        move |source| Self::Git { doing, source }
    }
}

impl From<WorkspaceError> for AppError {
    fn from(error: WorkspaceError) -> Self {
        match error {
            WorkspaceError::NoCommit(_) => Self::NotFound("commit"),
            WorkspaceError::Access(AccessError::NotFound(_)) => Self::NotFound("file"),
            WorkspaceError::Conflict(_) | WorkspaceError::NothingToUndo => Self::Conflict(error.to_string()),
            WorkspaceError::Path(_) | WorkspaceError::Reserved(_) => Self::field("/path", error.to_string()),
            WorkspaceError::Locked(_) | WorkspaceError::Pending(_) => Self::Unavailable(error.to_string()),
            WorkspaceError::Access(_)
            | WorkspaceError::Layout { .. }
            | WorkspaceError::Git { .. }
            | WorkspaceError::Task(_) => Self::Internal(anyhow::Error::new(error)),
        }
    }
}
