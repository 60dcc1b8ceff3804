//! The files that the rules look at.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The top of the source tree.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// One text file.
pub struct Source {
    /// From the top of the source tree, with `/`.
    pub path: String,
    /// What it says.
    pub text: String,
}

impl Source {
    /// Reads a file that is known to be text.
    pub fn read(path: &str) -> Self {
        Self::read_text(path).unwrap_or_else(|| panic!("{path} cannot be read as UTF-8"))
    }

    /// Reads a file; nothing when it is not UTF-8.
    pub fn read_text(path: &str) -> Option<Self> {
        Some(Self { path: path.to_owned(), text: std::fs::read_to_string(root().join(path)).ok()? })
    }

    /// The text with line comments blanked, line numbers kept. A `//` inside a string cuts that line short too, which
    /// no rule minds.
    pub fn code(&self) -> String {
        let blank = |line: &str| line.split_once("//").map_or(line, |(code, _)| code).to_owned();
        self.text.lines().map(blank).collect::<Vec<_>>().join("\n")
    }

    /// The same without unit tests, which may play a foreign server or look into the database. They stand at the end of
    /// a file, or in one of their own.
    pub fn product(&self) -> String {
        let is_test = |path: &str| path.ends_with("tests.rs") || path.contains("/tests/");
        if is_test(&self.path) {
            return String::new();
        }
        let code = self.code();
        code.split_once("#[cfg(test)]\nmod tests {").map_or(code.as_str(), |(product, _)| product).to_owned()
    }
}

/// Every Rust file below a folder, sorted; none when the folder is not there.
pub fn rust_sources(folder: &str) -> Vec<Source> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), &mut found);
    found.sort();
    found.iter().map(|path| Source::read(&path.strip_prefix(root()).unwrap().to_string_lossy())).collect()
}

/// The files that git tracks and that are there, sorted. A source archive has no git: there these rules have nothing to
/// say, and say so.
pub fn tracked() -> Vec<String> {
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(root()).output();
    let Some(output) = output.ok().filter(|output| output.status.success()) else {
        eprintln!("SKIPPED: this tree is no git repository, so there are no tracked files to look at");
        return Vec::new();
    };
    let names = String::from_utf8(output.stdout).unwrap();
    let mut files: Vec<String> =
        names.split('\0').filter(|path| root().join(path).is_file()).map(str::to_owned).collect();
    files.sort();
    files
}
