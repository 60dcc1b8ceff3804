//! Undoing one commit by another.

use super::error::WorkspaceError;
use super::history::{Draft, blob_id};
use super::log::{LogEntry, Why, path_of};
use super::path::RelPath;
use super::write::{Recorded, State, Workspace};
use git2::{Delta, FileMode, MergeOptions, Oid};

/// One file as an undoing leaves it.
struct Change {
    path: RelPath,
    /// What the newest commit has.
    before: Option<Oid>,
    /// Contents and mode after; `None` removes the file.
    after: Option<(Oid, bool)>,
}

impl Workspace {
    /// Takes back what a commit changed, keeping everything later, as one new commit.
    ///
    /// # Errors
    /// When there is no such commit, nothing of it is left to undo, or later changes touch the same places; then nothing
    /// is changed.
    pub fn revert(&self, commit: &str, why: &Why) -> Result<LogEntry, WorkspaceError> {
        let mut state = self.lock()?;
        let message = state.history.find(commit)?.summary().ok().flatten().unwrap_or_default().to_owned();
        let tree = state.without(commit)?;
        let changes = state.changes_towards(tree)?;
        self.check_untouched(&changes)?;
        state.uncommitted = true;
        for change in &changes {
            match change.after {
                Some((id, executable)) => {
                    let blob = state.history.repo.find_blob(id).map_err(WorkspaceError::git("read"))?;
                    self.folder.write(&change.path, blob.content(), executable)?;
                }
                None => self.folder.remove(&change.path)?,
            }
        }
        let what = format!("{} ({message})", commit.get(..10).unwrap_or(commit));
        match state.record(tree, why, &what) {
            Recorded::Commit(id) => Ok(self.log(None, 1)?.items.into_iter().next().unwrap_or(LogEntry {
                commit: id,
                time: crate::time::Timestamp::now(),
                message: what,
                files: changes.iter().map(|change| change.path.to_string()).collect(),
                session_id: why.session,
            })),
            Recorded::Unchanged | Recorded::Unversioned => Err(WorkspaceError::NothingToUndo),
            Recorded::Pending(reason) => Err(WorkspaceError::Pending(reason)),
        }
    }

    /// Refuses when a file on disk is not what the newest commit has (too large to be versioned, for example): it would
    /// be lost.
    fn check_untouched(&self, changes: &[Change]) -> Result<(), WorkspaceError> {
        let mut touched = Vec::new();
        for change in changes {
            let present = match self.folder.read(&change.path)? {
                Some((bytes, _, _)) => Some(blob_id(&bytes)?),
                None => None,
            };
            if present != change.before {
                touched.push(change.path.to_string());
            }
        }
        if touched.is_empty() { Ok(()) } else { Err(WorkspaceError::Conflict(touched)) }
    }
}

impl State {
    /// The newest tree without what `commit` changed: a three-way merge with the commit as the common ancestor.
    fn without(&self, commit: &str) -> Result<Oid, WorkspaceError> {
        let read = WorkspaceError::git("read");
        let repo = &self.history.repo;
        let commit = self.history.find(commit)?;
        let Some(head) = self.history.head()? else { return Err(WorkspaceError::NothingToUndo) };
        let undone = match commit.parents().next() {
            Some(parent) => parent.tree().map_err(&read)?,
            None => {
                let empty = repo.treebuilder(None).and_then(|builder| builder.write()).map_err(&read)?;
                repo.find_tree(empty).map_err(&read)?
            }
        };
        let (then, now) = (commit.tree().map_err(&read)?, head.tree().map_err(&read)?);
        let mut options = MergeOptions::new();
        options.find_renames(false);
        let merged = repo.merge_trees(&then, &now, &undone, Some(&options)).map_err(&read)?;
        if merged.has_conflicts() {
            let conflicts = merged.conflicts().map_err(&read)?.flatten();
            let entries = conflicts.filter_map(|conflict| conflict.our.or(conflict.ancestor).or(conflict.their));
            let mut paths = entries.map(|entry| String::from_utf8_lossy(&entry.path).into_owned()).collect::<Vec<_>>();
            paths.dedup();
            return Err(WorkspaceError::Conflict(paths));
        }
        let tree = self.history.tree(&mut Draft::merged(merged))?;
        if tree == now.id() { Err(WorkspaceError::NothingToUndo) } else { Ok(tree) }
    }

    /// What has to happen to the files so that the newest tree becomes this one.
    fn changes_towards(&self, tree: Oid) -> Result<Vec<Change>, WorkspaceError> {
        let read = WorkspaceError::git("read");
        let repo = &self.history.repo;
        let target = repo.find_tree(tree).map_err(&read)?;
        let now = match self.history.head()? {
            Some(head) => Some(head.tree().map_err(&read)?),
            None => None,
        };
        let diff = repo.diff_tree_to_tree(now.as_ref(), Some(&target), None).map_err(&read)?;
        let mut changes = Vec::new();
        for delta in diff.deltas() {
            let path = path_of(&delta);
            let (old, new) = (delta.old_file(), delta.new_file());
            let (was, is) = (delta.status() != Delta::Added, delta.status() != Delta::Deleted);
            let executable = new.mode() == FileMode::BlobExecutable;
            let regular =
                |mode| matches!(mode, FileMode::Blob | FileMode::BlobExecutable | FileMode::BlobGroupWritable);
            if (was && !regular(old.mode())) || (is && !regular(new.mode())) {
                return Err(WorkspaceError::Conflict(vec![format!("{path} (a symbolic link)")]));
            }
            changes.push(Change {
                path: RelPath::parse(&path)?,
                before: was.then(|| old.id()),
                after: is.then(|| (new.id(), executable)),
            });
        }
        // Removals first: a file may make room for a folder of the same name.
        changes.sort_by_key(|change| change.after.is_some());
        Ok(changes)
    }
}
