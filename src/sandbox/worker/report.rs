//! What the worker tells the server, by a file that the command cannot reach.

use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// How the command ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// With this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It took too long and was ended.
    Deadline,
    /// It had too many processes and was ended.
    Processes,
    /// It used too much memory and was ended.
    Memory,
    /// It could not be confined and was not run.
    Failed(String),
}

impl Report {
    /// Writes it, unless there is one: the first cause counts.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let text = serde_json::to_string(self).map_err(io::Error::other)?;
        OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes())
    }
}
