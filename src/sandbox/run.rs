//! Running a confined process from the server: its outputs are drained, and it ends when nobody waits for it any more.

use super::worker::report::Report;
use super::{Captured, Policy, Sandbox};
use crate::ids::RunId;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

/// How much longer than the policy's deadline the worker may take before it is given up.
const GRACE: Duration = Duration::from_secs(10);
/// Bytes that are read at once.
const PIECE: usize = 64 * 1024;
/// The variable by which a command finds its folder for temporary files.
const TMPDIR: &str = "TMPDIR";

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It was ended, see [`Outcome::stopped`].
    Stopped,
}

/// Why a process was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// It took too long.
    Deadline,
    /// It had too many processes.
    Processes,
    /// It used too much memory.
    Memory,
    /// It said too much.
    Output,
}

/// What came of a process.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// Why it was ended, if it was.
    pub stopped: Option<Stopped>,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// How long it took.
    pub took: Duration,
}

/// Why a process could not be run.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The worker could not be started or talked to.
    #[error("the sandbox could not be started: {0}")]
    Start(#[from] io::Error),
    /// The worker could not confine itself as the policy asks, so nothing was run.
    #[error("the command was not run, since it could not be confined: {0}")]
    Confine(String),
}

impl Sandbox {
    /// Runs a process to its end. Whoever drops the future ends it, with all of its children.
    ///
    /// The process gets a folder for temporary files of its own, named by `TMPDIR`, which is removed afterwards. Its
    /// standard input is [`Policy::input`].
    ///
    /// # Errors
    /// When it could not be started as the policy asks. Nothing was run then.
    pub async fn run(&self, mut policy: Policy) -> Result<Outcome, SandboxError> {
        let scratch = Scratch::new()?;
        policy.environment.insert(TMPDIR.into(), scratch.temporary().display().to_string());
        policy.writable.push(scratch.temporary());
        let order = serde_json::to_string(&(&policy, scratch.report())).map_err(io::Error::other)?;
        let begun = Instant::now();
        let mut worker = Command::new(&self.worker)
            .arg("shell-worker")
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        // Held until the end: the worker ends everything when this pipe closes.
        let mut hold = worker.stdin.take();
        if let Some(pipe) = &mut hold {
            pipe.write_all(order.as_bytes()).await?;
            pipe.write_all(b"\n").await?;
            pipe.flush().await?;
        }
        let (mut stdout, mut stderr) = (Captured::new(policy.limits.kept), Captured::new(policy.limits.kept));
        let pipes = worker.stdout.take().zip(worker.stderr.take());
        let mut said_too_much = false;
        let drained = async {
            let Some((mut out, mut err)) = pipes else { return };
            let (mut out_open, mut err_open) = (true, true);
            let (mut out_piece, mut err_piece) = (vec![0; PIECE], vec![0; PIECE]);
            while out_open || err_open {
                tokio::select! {
                    count = read(&mut out, &mut out_piece), if out_open => match count {
                        0 => out_open = false,
                        count => stdout.push(&out_piece[..count]),
                    },
                    count = read(&mut err, &mut err_piece), if err_open => match count {
                        0 => err_open = false,
                        count => stderr.push(&err_piece[..count]),
                    },
                }
                if stdout.total() + stderr.total() > policy.limits.output {
                    said_too_much = true;
                    return;
                }
            }
        };
        let patience = Duration::from_secs(policy.limits.wall_secs) + GRACE;
        let in_time = tokio::time::timeout(patience, drained).await.is_ok();
        // By itself, or because the pipe closes.
        if said_too_much || !in_time {
            drop(hold.take());
        }
        let status = match tokio::time::timeout(GRACE, worker.wait()).await {
            Ok(status) => Some(status?),
            Err(_) => {
                worker.start_kill()?;
                None
            }
        };
        drop(hold);
        let outcome = |end, stopped| Outcome { end, stopped, stdout, stderr, took: begun.elapsed() };
        if said_too_much {
            return Ok(outcome(End::Stopped, Some(Stopped::Output)));
        }
        let report = scratch.read_report().unwrap_or_else(|| {
            if in_time {
                Report::Failed(format!("the worker ended without a report ({status:?})"))
            } else {
                Report::Deadline
            }
        });
        match report {
            Report::Exited(code) => Ok(outcome(End::Exited(code), None)),
            Report::Signalled(signal) => Ok(outcome(End::Signalled(signal), None)),
            Report::Deadline => Ok(outcome(End::Stopped, Some(Stopped::Deadline))),
            Report::Processes => Ok(outcome(End::Stopped, Some(Stopped::Processes))),
            Report::Memory => Ok(outcome(End::Stopped, Some(Stopped::Memory))),
            Report::Failed(why) => Err(SandboxError::Confine(why)),
        }
    }
}

/// Reads a piece; the end and a failure are both the end.
async fn read(pipe: &mut (impl AsyncRead + Unpin), piece: &mut [u8]) -> usize {
    pipe.read(piece).await.unwrap_or(0)
}

/// The folder of one run: the report, which the command cannot reach, and the command's own temporary files.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> io::Result<Self> {
        let folder = std::env::temp_dir().canonicalize()?.join(format!("almagest-run-{}", RunId::new()));
        let mut builder = DirBuilder::new();
        builder.mode(0o700).create(&folder)?;
        let scratch = Self(folder);
        builder.create(scratch.temporary())?;
        Ok(scratch)
    }

    fn temporary(&self) -> PathBuf {
        self.0.join("tmp")
    }

    fn report(&self) -> PathBuf {
        self.0.join("report.json")
    }

    fn read_report(&self) -> Option<Report> {
        serde_json::from_slice(&std::fs::read(self.report()).ok()?).ok()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

/// What the command made unreadable for itself is ours to remove all the same.
fn remove(folder: &Path) {
    if let Err(error) = std::fs::remove_dir_all(folder)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::debug!("a temporary folder stays: {error}");
    }
}
