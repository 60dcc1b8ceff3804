//! Parsing in a confined process: `almagest parse-worker`, the file on its standard input, JSON on its standard output.
//!
//! The process can open nothing, has no network, and limits on time, memory and output. At most one runs for each core, and
//! whoever waits for one that no one wants any more ends it.

use super::document::{Engine, Place};
use super::engines::{Parsed, parse};
use super::pdf;
use crate::sandbox::{End, Limits, Policy, Sandbox, SandboxError, Stopped, system_folders};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Bytes of a file that is parsed at most.
const LARGEST: u64 = 256 << 20;
/// Figures that are cut out of one file at most.
const MOST_FIGURES: usize = 200;
/// The code of a file that is no paper that can be read.
const REFUSED: u8 = 3;

/// Why nothing was parsed.
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

/// What a worker is to do with the file; one argument of its command line.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Order {
    /// Parse it, by this engine if one is named.
    Parse(Option<Engine>),
    /// Draw these places of its pages.
    Cut(Vec<Place>),
    /// Count its pages.
    Pages,
}

/// Parses files, each in a confined process of its own.
#[derive(Debug, Clone)]
pub struct Parser {
    sandbox: Sandbox,
    worker: PathBuf,
    slots: Arc<Semaphore>,
}

impl Parser {
    /// A parser whose processes run the binary `worker`, at most one for each core.
    #[must_use]
    pub fn new(sandbox: Sandbox, worker: PathBuf) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { sandbox, worker, slots: Arc::new(Semaphore::new(cores)) }
    }

    /// Parses a file, by the engine that fits it or by the one that is asked for.
    ///
    /// # Errors
    /// When the file is no paper, or parsing it was given up.
    pub async fn parse(&self, file: &Path, engine: Option<Engine>) -> Result<Parsed, ParseError> {
        self.run(file, &Order::Parse(engine)).await
    }

    /// Cuts places out of a PDF; answers a PNG for each, or nothing where there is no such place.
    ///
    /// # Errors
    /// When the file is no PDF, or drawing it was given up.
    pub async fn cut(&self, file: &Path, places: &[Place]) -> Result<Vec<Option<Vec<u8>>>, ParseError> {
        let places = places[..places.len().min(MOST_FIGURES)].to_vec();
        let images: Vec<Option<String>> = self.run(file, &Order::Cut(places)).await?;
        Ok(images.into_iter().map(|image| STANDARD.decode(image?).ok()).collect())
    }

    /// The number of a PDF's pages.
    ///
    /// # Errors
    /// When the file is no PDF that can be read.
    pub async fn pages(&self, file: &Path) -> Result<u32, ParseError> {
        self.run(file, &Order::Pages).await
    }

    async fn run<A: serde::de::DeserializeOwned + Send + 'static>(
        &self,
        file: &Path,
        order: &Order,
    ) -> Result<A, ParseError> {
        let refused = |error: std::io::Error| ParseError::Refused(format!("{}: {error}", file.display()));
        let file = tokio::fs::canonicalize(file).await.map_err(refused)?;
        let about = tokio::fs::metadata(&file).await.map_err(refused)?;
        if !about.is_file() {
            return Err(ParseError::Refused(format!("{} is no file.", file.display())));
        }
        if about.len() > LARGEST {
            return Err(ParseError::Refused(format!(
                "The file has {} bytes; at most {LARGEST} are parsed.",
                about.len()
            )));
        }
        let worker = tokio::fs::canonicalize(&self.worker).await.map_err(refused)?;
        let order = serde_json::to_string(order).map_err(|error| ParseError::Failed(error.to_string()))?;
        let _slot = self.slots.acquire().await.map_err(|error| ParseError::Failed(error.to_string()))?;
        let outcome = self.sandbox.run(self.policy(&worker, file, order).await).await?;
        match (outcome.end, outcome.stopped) {
            (End::Exited(0), None) => {
                // Megabytes of JSON are too much for a thread that serves others.
                let answer = tokio::task::spawn_blocking(move || serde_json::from_str(&outcome.stdout.text()));
                let answer = answer.await.map_err(|error| ParseError::Failed(error.to_string()))?;
                answer.map_err(|error| ParseError::Failed(format!("its answer cannot be read: {error}")))
            }
            (End::Exited(code), None) if code == i32::from(REFUSED) => {
                Err(ParseError::Refused(outcome.stderr.text().trim().to_owned()))
            }
            (_, Some(Stopped::Deadline)) => Err(ParseError::Exhausted("it took too long")),
            (_, Some(Stopped::Memory | Stopped::Processes)) => Err(ParseError::Exhausted("it took too much memory")),
            (_, Some(Stopped::Output)) => Err(ParseError::Exhausted("its text is too long")),
            // The limit on processor time; and the abort of an allocation that the limit on addresses refused.
            (End::Signalled(24 | 9), None) => Err(ParseError::Exhausted("it took too long")),
            (End::Signalled(6), None) if outcome.stderr.text().contains("memory allocation") => {
                Err(ParseError::Exhausted("it took too much memory"))
            }
            (end, None) => Err(ParseError::Failed(format!("{end:?}: {}", outcome.stderr.text().trim()))),
        }
    }

    async fn policy(&self, worker: &Path, file: PathBuf, order: String) -> Policy {
        let mut readable: Vec<PathBuf> = system_folders();
        readable.push(worker.to_owned());
        Policy {
            command: vec![worker.display().to_string(), "parse-worker".to_owned(), order],
            environment: BTreeMap::new(),
            input: Some(file),
            folder: PathBuf::from("/"),
            readable,
            writable: Vec::new(),
            read_only_inside: Vec::new(),
            limits: Limits {
                wall_secs: 60,
                cpu_secs: 20,
                processes: 1,
                memory: 300 << 20,
                address_space: 1 << 30,
                file_bytes: 0,
                open_files: 32,
                output: 64 << 20,
                kept: 128 << 20,
            },
            isolation: self.sandbox.isolation().await,
        }
    }
}

/// The confined process itself: does what it is told with the file on standard input. Answers what to print, or the code and
/// the sentence to end with.
///
/// # Errors
/// With a sentence when the file is no paper that can be read.
pub fn work(order: &str) -> Result<String, (u8, String)> {
    let refuse = |why: String| (REFUSED, why);
    let order: Order = serde_json::from_str(order).map_err(|error| refuse(error.to_string()))?;
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| refuse(error.to_string()))?;
    let answer = match order {
        Order::Parse(engine) => serde_json::to_string(&parse(bytes, engine).map_err(refuse)?),
        Order::Pages => serde_json::to_string(&pdf::pages(bytes).map_err(|why| refuse(why.to_string()))?),
        Order::Cut(places) => {
            let images = pdf::cut(bytes, &places);
            serde_json::to_string(
                &images.into_iter().map(|image| image.map(|png| STANDARD.encode(png))).collect::<Vec<_>>(),
            )
        }
    };
    answer.map_err(|error| refuse(error.to_string()))
}
