//! A data folder with a user, and an outside that nobody may touch.

use almagest::agent::tools::filesystem::state::FileStateCache;
use almagest::agent::tools::filesystem::{FileCall, file_edit, file_write, glob_files, grep_files, read_file};
use almagest::agent::tools::{ToolError, ToolOutput};
use almagest::ids::{CallId, SessionId, UserId};
use almagest::workspace::Workspaces;
use almagest::workspace::log::LogEntry;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// What stands in every file outside: it must never be seen.
pub const SECRET: &str = "TOP-SECRET-OUTSIDE";

pub type Outcome = Result<ToolOutput, ToolError>;

pub struct Desk {
    pub data: TempDir,
    pub outside: TempDir,
    pub workspaces: Workspaces,
    pub user: UserId,
    pub session: SessionId,
    pub files: Arc<FileStateCache>,
}

impl Desk {
    pub fn new() -> Self {
        let data = TempDir::new().unwrap();
        let outside = TempDir::new().unwrap();
        fs::create_dir(outside.path().join("notes")).unwrap();
        for name in ["secret.md", "notes/secret.md", "notes/a.md"] {
            fs::write(outside.path().join(name), format!("{SECRET}\n")).unwrap();
        }
        let workspaces = Workspaces::open(data.path()).unwrap();
        let user = UserId::new();
        workspaces.for_user(user).unwrap();
        Self { data, outside, workspaces, user, session: SessionId::new(), files: Arc::default() }
    }

    /// The user's folder on disk.
    pub fn folder(&self) -> PathBuf {
        self.data.path().join("workspace").join(self.user.to_string())
    }

    pub fn put(&self, path: &str, contents: impl AsRef<[u8]>) {
        put(&self.folder().join(path), contents.as_ref());
    }

    pub fn put_data(&self, path: &str, contents: impl AsRef<[u8]>) {
        put(&self.data.path().join(path), contents.as_ref());
    }

    pub fn on_disk(&self, path: &str) -> String {
        fs::read_to_string(self.folder().join(path)).unwrap()
    }

    pub fn call(&self) -> FileCall {
        FileCall {
            workspaces: self.workspaces.clone(),
            user: self.user,
            session: self.session,
            call: CallId::new(),
            files: self.files.clone(),
            cancel: CancellationToken::new(),
        }
    }

    pub fn read(&self, path: &str) -> Outcome {
        self.read_with(json!({"path": path}))
    }

    pub fn read_with(&self, args: Value) -> Outcome {
        read_file::read_file(&self.call(), serde_json::from_value(args).unwrap())
    }

    pub fn write(&self, path: &str, content: &str) -> Outcome {
        let args = json!({"path": path, "content": content});
        file_write::file_write(&self.call(), serde_json::from_value(args).unwrap())
    }

    pub fn edit(&self, path: &str, old: &str, new: &str) -> Outcome {
        self.edit_with(json!({"path": path, "old_string": old, "new_string": new}))
    }

    pub fn edit_with(&self, args: Value) -> Outcome {
        file_edit::file_edit(&self.call(), serde_json::from_value(args).unwrap())
    }

    pub fn grep(&self, args: Value) -> Outcome {
        grep_files::grep_files(&self.call(), serde_json::from_value(args).unwrap())
    }

    pub fn glob(&self, args: Value) -> Outcome {
        glob_files::glob_files(&self.call(), serde_json::from_value(args).unwrap())
    }

    pub fn log(&self) -> Vec<LogEntry> {
        self.workspaces.for_user(self.user).unwrap().log(None, 1000).unwrap().items
    }

    /// Every file outside with its contents: to be compared before and after.
    pub fn outside_now(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.outside.path(), &mut files);
        files
    }
}

/// The text that the model sees, error or not.
pub fn said(outcome: &Outcome) -> String {
    match outcome {
        Ok(output) => format!("{}{}", output.content, output.metadata.clone().unwrap_or_default()),
        Err(error) => error.to_string(),
    }
}

pub fn refused(outcome: Outcome) -> String {
    match outcome {
        Ok(output) => panic!("it was done: {}", output.content),
        Err(ToolError::Tell(message)) => message,
        Err(ToolError::Fatal(message)) => panic!("it ended the run: {message}"),
    }
}

pub fn metadata(output: &ToolOutput) -> &Value {
    output.metadata.as_ref().unwrap()
}

fn put(path: &Path, contents: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, contents).unwrap();
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => {
                files.insert(path.clone(), b"a folder".to_vec());
                collect(&path, files);
            }
            false => {
                files.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
}
