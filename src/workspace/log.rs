//! What the history says: who changed what, when and in which conversation.

use super::error::WorkspaceError;
use super::history::History;
use crate::ids::SessionId;
use crate::time::Timestamp;
use git2::{Commit, Delta, DiffOptions, Oid, Patch, Sort};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Trailer of a commit message that names the conversation.
const SESSION_TRAILER: &str = "Session: ";
/// Files named for one commit of the log.
const MAX_FILES: usize = 500;
/// Characters of one file's diff.
const MAX_FILE_DIFF: usize = 64 * 1024;
/// Characters of all diffs of a commit.
const MAX_DIFF: usize = 512 * 1024;

/// Why a change is made; becomes the commit's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Why {
    /// The tool or action, for example `file_write`.
    pub action: String,
    /// The conversation it belongs to.
    pub session: Option<SessionId>,
}

impl Why {
    /// An action of a conversation.
    pub fn new(action: impl Into<String>, session: SessionId) -> Self {
        Self { action: action.into(), session: Some(session) }
    }

    /// An action outside any conversation.
    pub fn outside(action: impl Into<String>) -> Self {
        Self { action: action.into(), session: None }
    }

    pub(super) fn message(&self, what: &str) -> String {
        let subject = format!("{} {what}", self.action);
        match self.session {
            Some(session) => format!("{subject}\n\n{SESSION_TRAILER}{session}\n"),
            None => format!("{subject}\n"),
        }
    }
}

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogEntry {
    /// Its id, 40 hexadecimal digits.
    pub commit: String,
    /// When it was made.
    pub time: Timestamp,
    /// The action and what it touched, for example `file_write notes/plan.md`.
    pub message: String,
    /// The files it touched, at most 500 of them.
    pub files: Vec<String>,
    /// The conversation it belongs to.
    pub session_id: Option<SessionId>,
}

/// A stretch of the log, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogPage {
    /// The commits.
    pub items: Vec<LogEntry>,
    /// Where the next stretch begins; absent at the end.
    pub next_cursor: Option<String>,
}

/// What a commit did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    /// It was not there before.
    Added,
    /// Its contents or its mode changed.
    Modified,
    /// It is gone.
    Deleted,
}

/// One file of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileChange {
    /// The file.
    pub path: String,
    /// What happened to it.
    pub change: ChangeKind,
    /// Lines that are new.
    pub lines_added: usize,
    /// Lines that are gone.
    pub lines_removed: usize,
    /// Whether it is no text; then there is no diff.
    pub binary: bool,
    /// Unified diff, cut when it is long.
    pub diff: String,
    /// Whether the diff was cut.
    pub truncated: bool,
}

/// A commit with what it changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CommitDiff {
    /// The commit.
    #[serde(flatten)]
    pub entry: LogEntry,
    /// Its changes, in the order of paths.
    pub changes: Vec<FileChange>,
}

impl History {
    /// Commits from the newest, or from after `cursor`.
    pub(super) fn log(&self, cursor: Option<&str>, limit: usize) -> Result<LogPage, WorkspaceError> {
        let read = WorkspaceError::git("read");
        let mut walk = self.repo.revwalk().map_err(&read)?;
        walk.set_sorting(Sort::TOPOLOGICAL).map_err(&read)?;
        match cursor {
            Some(cursor) => walk.push(self.find(cursor)?.id()).map_err(&read)?,
            None => match self.head()? {
                Some(head) => walk.push(head.id()).map_err(&read)?,
                None => return Ok(LogPage { items: Vec::new(), next_cursor: None }),
            },
        }
        let mut ids = walk.skip(usize::from(cursor.is_some()));
        let mut items = Vec::new();
        while items.len() < limit {
            let Some(id) = ids.next() else { return Ok(LogPage { items, next_cursor: None }) };
            let commit = self.repo.find_commit(id.map_err(&read)?).map_err(&read)?;
            items.push(self.entry(&commit)?);
        }
        let next_cursor = ids.next().and(items.last()).map(|last| last.commit.clone());
        Ok(LogPage { items, next_cursor })
    }

    /// A commit with its changes.
    pub(super) fn diff(&self, commit: &str) -> Result<CommitDiff, WorkspaceError> {
        let commit = self.find(commit)?;
        let entry = self.entry(&commit)?;
        let diff = self.changes_of(&commit)?;
        let mut changes = Vec::new();
        let mut left = MAX_DIFF;
        for number in 0..diff.deltas().len() {
            let change = file_change(&diff, number, left.min(MAX_FILE_DIFF)).map_err(WorkspaceError::git("read"))?;
            left = left.saturating_sub(change.diff.len());
            changes.push(change);
        }
        Ok(CommitDiff { entry, changes })
    }

    /// A commit of this history by its full id.
    pub(super) fn find(&self, commit: &str) -> Result<Commit<'_>, WorkspaceError> {
        let unknown = || WorkspaceError::NoCommit(commit.chars().take(64).collect());
        if commit.len() != 40 {
            return Err(unknown());
        }
        let id = Oid::from_str(commit).map_err(|_| unknown())?;
        self.repo.find_commit(id).map_err(|_| unknown())
    }

    /// What a commit changed against its (first) parent.
    pub(super) fn changes_of(&self, commit: &Commit<'_>) -> Result<git2::Diff<'_>, WorkspaceError> {
        let read = WorkspaceError::git("read");
        let tree = commit.tree().map_err(&read)?;
        let before = match commit.parents().next() {
            Some(parent) => Some(parent.tree().map_err(&read)?),
            None => None,
        };
        let mut options = DiffOptions::new();
        options.context_lines(3);
        self.repo.diff_tree_to_tree(before.as_ref(), Some(&tree), Some(&mut options)).map_err(read)
    }

    fn entry(&self, commit: &Commit<'_>) -> Result<LogEntry, WorkspaceError> {
        let diff = self.changes_of(commit)?;
        let files = diff.deltas().take(MAX_FILES).map(|delta| path_of(&delta)).collect();
        let text = String::from_utf8_lossy(commit.message_bytes());
        let trailer = text.lines().rev().find_map(|line| line.strip_prefix(SESSION_TRAILER));
        Ok(LogEntry {
            commit: commit.id().to_string(),
            time: Timestamp::from_millis(commit.time().seconds().saturating_mul(1000)),
            message: text.lines().next().unwrap_or_default().to_owned(),
            files,
            session_id: trailer.and_then(|id| id.trim().parse().ok()),
        })
    }
}

/// The path a delta is about.
pub(super) fn path_of(delta: &git2::DiffDelta<'_>) -> String {
    let bytes = delta.new_file().path_bytes().or_else(|| delta.old_file().path_bytes());
    String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
}

fn file_change(diff: &git2::Diff<'_>, number: usize, limit: usize) -> Result<FileChange, git2::Error> {
    let delta = diff.get_delta(number);
    let path = delta.as_ref().map(path_of).unwrap_or_default();
    let change = match delta.as_ref().map(git2::DiffDelta::status) {
        Some(Delta::Added) => ChangeKind::Added,
        Some(Delta::Deleted) => ChangeKind::Deleted,
        Some(
            Delta::Unmodified
            | Delta::Modified
            | Delta::Renamed
            | Delta::Copied
            | Delta::Ignored
            | Delta::Untracked
            | Delta::Typechange
            | Delta::Unreadable
            | Delta::Conflicted,
        )
        | None => ChangeKind::Modified,
    };
    let patch = Patch::from_diff(diff, number)?;
    let (mut lines_added, mut lines_removed, mut text, mut truncated, mut binary) =
        (0, 0, String::new(), false, patch.is_none());
    if let Some(mut patch) = patch {
        binary = patch.delta().flags().is_binary();
        (_, lines_added, lines_removed) = patch.line_stats()?;
        patch.print(&mut |_, _, line| {
            if binary {
                return true;
            }
            let content = String::from_utf8_lossy(line.content());
            truncated |= text.len() + content.len() > limit;
            if !truncated {
                if matches!(line.origin(), '+' | '-' | ' ') {
                    text.push(line.origin());
                }
                text.push_str(&content);
            }
            true
        })?;
    }
    Ok(FileChange { path, change, lines_added, lines_removed, binary, diff: text, truncated })
}
