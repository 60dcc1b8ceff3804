//! A data folder with one user.

use almagest::ids::UserId;
use almagest::workspace::log::{LogEntry, Why};
use almagest::workspace::path::RelPath;
use almagest::workspace::{Recorded, Workspace, Workspaces};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

pub struct Desk {
    pub data: TempDir,
    pub user: UserId,
    pub workspaces: Workspaces,
}

impl Desk {
    pub fn new() -> Self {
        let data = TempDir::new().unwrap();
        let workspaces = Workspaces::open(data.path()).unwrap();
        Self { user: UserId::new(), workspaces, data }
    }

    pub fn workspace(&self) -> Arc<Workspace> {
        self.workspaces.for_user(self.user).unwrap()
    }

    /// As after a restart of the server.
    pub fn restarted(self) -> Self {
        let workspaces = Workspaces::open(self.data.path()).unwrap();
        Self { workspaces, ..self }
    }

    pub fn folder(&self) -> PathBuf {
        self.data.path().join("workspace").join(self.user.to_string())
    }

    pub fn log(&self) -> Vec<LogEntry> {
        self.workspace().log(None, 1000).unwrap().items
    }

    pub fn messages(&self) -> Vec<String> {
        self.log().into_iter().map(|entry| entry.message).collect()
    }

    pub fn write(&self, at: &str, text: &str) -> Recorded {
        self.workspace().write(&path(at), text.as_bytes(), &why()).unwrap().recorded
    }

    pub fn read(&self, at: &str) -> String {
        fs::read_to_string(self.folder().join(at)).unwrap()
    }
}

pub fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

pub fn why() -> Why {
    Why::outside("file_write")
}

pub fn git_status(folder: &Path) -> usize {
    let repo = git2::Repository::open(folder).unwrap();
    let statuses = repo.statuses(Some(git2::StatusOptions::new().include_untracked(true))).unwrap();
    statuses.len()
}
