//! Running a command hook: a child process with its own group, a bounded time and bounded output.
//!
//! It runs as `sh -c` in the data folder and not in the user's workspace: the agent writes there, and a policy that is
//! named by a relative path must not be replaceable by what it polices. When the shell has ended, was cancelled or took too
//! long, everything that is left of its group is killed.

use rustix::process::{Pid, Signal, kill_process_group};
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};

/// Bytes kept of each of the two outputs; the rest is read and forgotten, so that the hook is not held up.
pub const OUTPUT_BYTES: usize = 64 * 1024;
/// How long the outputs of a hook that has ended may take to close; a process that left its group can hold them open.
const DRAIN: Duration = Duration::from_millis(500);
/// What a hook inherits of the server's environment. Keys and tokens are not among it, whatever they are called.
const INHERITED: [&str; 11] =
    ["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "USER", "LOGNAME", "SHELL", "TERM"];

/// How a hook's process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// It exited with this code.
    Exited(i32),
    /// A signal ended it.
    Signalled(i32),
    /// It was killed since its time was up.
    TimedOut(Duration),
    /// It never began: no shell, no such command, no such script.
    CannotStart(String),
}

/// What a hook did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRun {
    /// How it ended.
    pub end: End,
    /// Its standard output, at most [`OUTPUT_BYTES`].
    pub stdout: String,
    /// Its standard error, at most [`OUTPUT_BYTES`].
    pub stderr: String,
    /// Whether there was more output than was kept.
    pub cut: bool,
    /// How long it took, in milliseconds.
    pub ms: u64,
}

/// Runs a command with `input` on its standard input.
pub async fn run(
    command: &str,
    input: &str,
    folder: &Path,
    environment: &[(&str, OsString)],
    limit: Duration,
) -> CommandRun {
    let begun = Instant::now();
    let (mut stdout, mut stderr) = (Kept::default(), Kept::default());
    let mut end = match spawn(command, folder, environment) {
        Ok(child) => follow(child, input, &mut stdout, &mut stderr, limit).await,
        Err(error) => End::CannotStart(format!("the shell did not start: {error}")),
    };
    let (stdout, stderr, cut) = (stdout.text(), stderr.text(), stdout.cut || stderr.cut);
    if let End::Exited(code) = end
        && let Some(why) = never_began(code, command, &stderr, folder).await
    {
        end = End::CannotStart(why);
    }
    let ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    CommandRun { end, stdout, stderr, cut, ms }
}

fn spawn(command: &str, folder: &Path, environment: &[(&str, OsString)]) -> std::io::Result<Child> {
    let inherited = INHERITED.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)));
    Command::new("sh")
        .arg("-c")
        .arg(command)
        .current_dir(folder)
        .env_clear()
        .envs(inherited)
        .envs(environment.iter().map(|(name, value)| (*name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
}

/// Feeds a child and reads what it says until it ends.
async fn follow(mut child: Child, input: &str, stdout: &mut Kept, stderr: &mut Kept, limit: Duration) -> End {
    // Dropped when the caller gives up (the user's stop), too.
    let group = Group::of(&child);
    let (stdin, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let whole = async {
        // All three at once: a hook that does not read, or writes before it reads, must not stop either side.
        let pipes = async {
            let feed = async {
                if let Some(mut stdin) = stdin {
                    // A hook need not read its input: a closed pipe is no error.
                    let _ = stdin.write_all(input.as_bytes()).await;
                }
            };
            tokio::join!(feed, stdout.fill(out), stderr.fill(err));
        };
        tokio::pin!(pipes);
        let status = tokio::select! {
            status = child.wait() => {
                drop(group);
                // What did not close in time is taken as it is.
                let _ = tokio::time::timeout(DRAIN, &mut pipes).await;
                status
            }
            () = &mut pipes => {
                let status = child.wait().await;
                drop(group);
                status
            }
        };
        status
    };
    let ended = tokio::time::timeout(limit, whole).await;
    match ended {
        Ok(Ok(status)) => end_of(status),
        Ok(Err(error)) => End::CannotStart(format!("its end could not be awaited: {error}")),
        // The group is dropped with the future, and with it killed; the child is reaped by the runtime.
        Err(_) => End::TimedOut(limit),
    }
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exited(code),
        (None, signal) => End::Signalled(signal.unwrap_or_default()),
    }
}

/// A process group that does not outlive this value.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(pid) = self.0 {
            // That nobody is left is the usual case.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

/// The beginning of an output.
#[derive(Default)]
struct Kept {
    bytes: Vec<u8>,
    cut: bool,
}

impl Kept {
    async fn fill(&mut self, pipe: Option<impl AsyncRead + Unpin>) {
        let Some(mut pipe) = pipe else { return };
        let mut buffer = [0_u8; 8 * 1024];
        // A pipe that cannot be read has ended for us.
        while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
            let room = OUTPUT_BYTES.saturating_sub(self.bytes.len());
            self.bytes.extend_from_slice(&buffer[..count.min(room)]);
            self.cut |= count > room;
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Whether an exit code says that the hook itself never ran, and why.
///
/// 127 and 126 are the shell's for "not found" and "cannot be executed" (POSIX, 2.8.2). An interpreter that cannot open its
/// script exits with 2 as often as not, which would read as a hook that blocks everything.
async fn never_began(code: i32, command: &str, stderr: &str, folder: &Path) -> Option<String> {
    match code {
        127 => return Some("the command was not found".into()),
        126 => return Some("the command cannot be executed".into()),
        2 => {}
        _ => return None,
    }
    // Such a failure is one line; a reason that only quotes one is more likely longer.
    let line = stderr.trim();
    let lower = line.to_lowercase();
    if line.lines().count() != 1 {
        return None;
    }
    // `python3: can't open file …`, `sh: 0: cannot open …`: the interpreter speaks, whatever the script's name.
    let interpreter = (lower.starts_with("python") || lower.starts_with('/')) && lower.contains(": can't open file ")
        || lower.starts_with("sh: 0: cannot open ")
        || lower.starts_with("sh: 0: can't open ");
    if interpreter {
        return Some(line.to_owned());
    }
    if ![": no such file", "can't open ", "cannot open "].iter().any(|phrase| lower.contains(phrase)) {
        return None;
    }
    // Anything else has to name a file of the command, and that file has to be missing.
    for word in command.split_whitespace().map(|word| word.trim_matches(['"', '\''])) {
        let file = word.len() > 2 && word.contains(['/', '.']) && line.contains(word);
        if file && !tokio::fs::try_exists(folder.join(word)).await.unwrap_or(true) {
            return Some(line.to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests;
