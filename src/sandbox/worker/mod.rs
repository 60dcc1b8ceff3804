//! The worker: our own binary, started again to confine a process. It runs before there is any thread but its first.

mod confine;
mod init;
mod namespaces;
mod processes;
pub(super) mod report;
mod seccomp;
mod supervise;
mod watch;

use super::{Isolation, Policy};
use report::Report;
use rustix::process::Pid;
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

/// Arguments of the hidden command, one for each stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Stage {
    /// Started by the server.
    #[default]
    Supervise,
    /// Process 1 of the new namespaces, where there are any.
    Init,
    /// Becomes the command.
    Confine,
}

/// By which a stage hands its orders to the next; no stage leaves it to the command.
const ORDERS: &str = "ALMAGEST_SANDBOX";

/// The code of a shell for a command that it found and could not run.
const NOT_RUN: u8 = 126;

/// What the server asks for: the policy, and where the report goes.
type Orders = (Policy, PathBuf);

/// Runs one stage of the worker. Call it before any thread is started.
#[must_use]
pub fn main(stage: Stage) -> ExitCode {
    let orders = match orders(stage) {
        Ok(orders) => orders,
        Err(error) => {
            tell(&format!("shell-worker is started by the server itself: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let outcome = match stage {
        Stage::Supervise => supervise::supervise(&orders),
        Stage::Init => init::init(&orders),
        Stage::Confine => confine::confine(&orders.0),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The first report stands, and one who is confined already can only say it like a shell.
            if Report::Failed(error.to_string()).write(&orders.1).is_err() && stage == Stage::Confine {
                tell(&format!("the command was not run: {error}"));
            }
            ExitCode::from(NOT_RUN)
        }
    }
}

fn orders(stage: Stage) -> io::Result<Orders> {
    let text = match stage {
        Stage::Supervise => {
            let mut line = String::new();
            // A byte at a time by the system's count: what follows the line is the hold.
            io::BufRead::read_line(&mut io::stdin().lock(), &mut line)?;
            line
        }
        Stage::Init | Stage::Confine => handed_down().ok_or_else(|| io::Error::other("there are no orders"))?,
    };
    serde_json::from_str(&text).map_err(io::Error::other)
}

#[expect(clippy::disallowed_methods, reason = "no setting: what one stage of the worker tells the next")]
fn handed_down() -> Option<String> {
    std::env::var(ORDERS).ok()
}

#[expect(clippy::disallowed_methods, reason = "this process has one thread and nothing else to do")]
fn sleep(time: std::time::Duration) {
    std::thread::sleep(time);
}

/// The next stage, which inherits the outputs and nothing else. The first one in a chain opens the policy's input, when there
/// are no namespaces in its way yet; the one behind the init gets it handed on.
fn next_stage(stage: &str, orders: &Orders) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    let policy = &orders.0;
    let stdin = match &policy.input {
        None => Stdio::null(),
        Some(_) if stage == "confine" && policy.isolation == Isolation::Full => Stdio::inherit(),
        Some(input) => std::fs::File::open(input)?.into(),
    };
    command.args(["shell-worker", "--stage", stage]).env_clear().stdin(stdin);
    command.env(ORDERS, serde_json::to_string(orders).map_err(io::Error::other)?);
    Ok(command)
}

/// The id of a child.
fn process_id(child: &std::process::Child) -> io::Result<Pid> {
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    id.ok_or_else(|| io::Error::other("a process has no id"))
}

/// Says something where the command's errors go.
fn tell(text: &str) {
    use io::Write;
    let _ = writeln!(io::stderr(), "{text}");
}

/// An error of the system with what was tried.
fn context(what: &'static str) -> impl Fn(rustix::io::Errno) -> io::Error {
    move |errno| io::Error::new(io::Error::from(errno).kind(), format!("{what}: {errno}"))
}
