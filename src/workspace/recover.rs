//! Committing what stands in the folder without a commit: after a crash, a failed commit, or another program's work.

use super::error::WorkspaceError;
use super::folder::{Kind, MAX_CHANGED_FILE};
use super::history::{Draft, History, Mode};
use super::log::Why;
use super::path::RelPath;
use super::walk::{Entry, IgnoreRules, Visited, walk};
use super::write::{Recorded, State, Workspace, is_versioned};
use super::{OTHER_ROOTS, TEAM};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;

impl Workspace {
    /// Commits what a crash or another program left.
    pub(super) fn recover(&self, state: &mut State) -> Result<(), WorkspaceError> {
        self.record_all(state, &Why::outside("recovered"), "changes that were not committed").map(drop)
    }

    /// Makes the newest commit equal the folder, but for files over [`MAX_CHANGED_FILE`], special files and `team/`.
    pub(super) fn record_all(&self, state: &mut State, why: &Why, what: &str) -> Result<Recorded, WorkspaceError> {
        let history = &state.history;
        let mut draft = history.draft()?;
        let mut seen = HashSet::new();
        let mut failed = None;
        let enter = |path: &RelPath| path.as_str() != TEAM && !OTHER_ROOTS.contains(&path.as_str());
        let visited = walk(&self.folder, &RelPath::root(), IgnoreRules::Disregard, &enter, &mut |entry| {
            if entry.is_temporary() {
                if let Err(error) = self.folder.remove(&entry.path) {
                    tracing::warn!(%error, "a temporary file that a crash left cannot be removed");
                }
                return ControlFlow::Continue(());
            }
            seen.insert(entry.path.as_str().to_owned());
            match enter_file(history, &mut draft, &entry) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failed = Some(error);
                    ControlFlow::Break(())
                }
            }
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        if visited == Visited::All {
            let gone = draft.paths().filter(|path| !seen.contains(path)).collect::<Vec<_>>();
            for path in gone {
                draft.remove(&path)?;
            }
        }
        let tree = history.tree(&mut draft)?;
        let commit = history.commit(tree, why, what)?;
        state.uncommitted = false;
        Ok(commit.map_or(Recorded::Unchanged, |id| Recorded::Commit(id.to_string())))
    }
}

/// Enters a file's present contents in the draft. What is too large or no file keeps the entry it has.
fn enter_file(history: &History, draft: &mut Draft, entry: &Entry) -> Result<(), WorkspaceError> {
    if !is_versioned(&entry.path) {
        return Ok(());
    }
    match entry.kind {
        Kind::File => {
            // One that has gone or changed its nature since it was listed is not ours to judge: the next round sees it.
            let Ok(file) = entry.open() else { return Ok(()) };
            let mode = Mode::file(file.executable);
            match file.read_all(MAX_CHANGED_FILE) {
                Ok(Some(bytes)) => history.stage(draft, &entry.path, &bytes, mode),
                Ok(None) => Ok(()),
                Err(error) => {
                    tracing::warn!(%error, path = entry.shown(), "a file cannot be read and is not versioned");
                    Ok(())
                }
            }
        }
        Kind::Link => match entry.link_target() {
            Ok(target) => history.stage(draft, &entry.path, target.as_os_str().as_bytes(), Mode::Link),
            Err(_) => Ok(()),
        },
        Kind::Folder | Kind::Special => Ok(()),
    }
}
