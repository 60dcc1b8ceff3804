//! Parsing in a confined process: `almagest parse-worker FILE`.
//!
//! The process may read its file and nothing else, has no network, and limits on time, memory and output. It answers with
//! Markdown on standard output, or with one sentence on standard error.

use super::{latexml, markdown};
use crate::sandbox::{End, Isolation, Limits, Policy, Sandbox, SandboxError, Stopped, system_folders};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Bytes of a file that is parsed at most.
const LARGEST: u64 = 256 << 20;
/// The code of a file that is no paper that can be read.
const REFUSED: i32 = 3;

/// Why there is no Markdown.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// The file cannot be read or is no paper; the sentence says which.
    #[error("{0}")]
    Refused(String),
    /// It took more time, memory or output than a paper does.
    #[error("The file was given up: {0}.")]
    Exhausted(&'static str),
    /// The parser failed by a defect.
    #[error("The parser failed on this file, which is a defect ({0}).")]
    Failed(String),
    /// No confined process could be started.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}

/// Parses a file in a confined process of the binary `worker`; answers its Markdown.
///
/// # Errors
/// When the file is no paper, or parsing it was given up.
pub async fn parse(sandbox: &Sandbox, worker: &Path, file: &Path) -> Result<String, ParseError> {
    let refused = |error: std::io::Error| ParseError::Refused(format!("{}: {error}", file.display()));
    let file = tokio::fs::canonicalize(file).await.map_err(refused)?;
    let size = tokio::fs::metadata(&file).await.map_err(refused)?.len();
    if size > LARGEST {
        return Err(ParseError::Refused(format!("The file has {size} bytes; at most {LARGEST} are parsed.")));
    }
    let worker = tokio::fs::canonicalize(worker).await.map_err(refused)?;
    let outcome = sandbox.run(policy(&worker, &file, sandbox.isolation().await)).await?;
    let said = outcome.stderr.text();
    let said = said.trim();
    match (outcome.end, outcome.stopped) {
        (End::Exited(0), None) => Ok(outcome.stdout.text()),
        (End::Exited(REFUSED), None) => Err(ParseError::Refused(said.to_owned())),
        (_, Some(Stopped::Deadline)) => Err(ParseError::Exhausted("it took too long")),
        (_, Some(Stopped::Memory | Stopped::Processes)) => Err(ParseError::Exhausted("it took too much memory")),
        (_, Some(Stopped::Output)) => Err(ParseError::Exhausted("its text is too long")),
        (end, None) => Err(ParseError::Failed(format!("{end:?}: {said}"))),
    }
}

fn policy(worker: &Path, file: &Path, isolation: Isolation) -> Policy {
    let mut readable: Vec<PathBuf> = system_folders();
    readable.extend([worker.to_owned(), file.to_owned()]);
    Policy {
        command: vec![worker.display().to_string(), "parse-worker".to_owned(), file.display().to_string()],
        environment: BTreeMap::new(),
        folder: PathBuf::from("/"),
        readable,
        writable: Vec::new(),
        read_only_inside: Vec::new(),
        limits: Limits {
            wall_secs: 60,
            cpu_secs: 60,
            processes: 1,
            memory: 1 << 30,
            address_space: 4 << 30,
            file_bytes: 0,
            open_files: 64,
            output: 128 << 20,
            kept: 256 << 20,
        },
        isolation,
    }
}

/// The confined process itself: parses one file. Answers the Markdown, or the code and the sentence to end with.
///
/// # Errors
/// With a sentence when the file is no paper that can be read.
pub fn work(file: &Path) -> Result<String, (u8, String)> {
    let refuse = |why: String| (u8::try_from(REFUSED).unwrap_or(1), why);
    let bytes = std::fs::read(file).map_err(|error| refuse(error.to_string()))?;
    let page = String::from_utf8_lossy(&bytes);
    let start = page.trim_start_matches('\u{feff}').trim_start().get(..64).unwrap_or(&page).to_ascii_lowercase();
    if !["<!doctype", "<html", "<?xml", "<div", "<article"].iter().any(|known| start.starts_with(known)) {
        return Err(refuse("This kind of file cannot be parsed yet: only HTML pages made by LaTeXML are.".to_owned()));
    }
    latexml::read(&page).map(|document| markdown::write(&document)).map_err(|why| refuse(why.to_string()))
}
