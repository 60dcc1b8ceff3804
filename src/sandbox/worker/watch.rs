//! Watching a command: until it ends, is to be ended, or uses more than it may.

use super::processes::{self, Crowd};
use super::report::Report;
use crate::sandbox::Policy;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, wait};
use rustix::system::sysinfo;
use std::io::{self, Read, Stdin};
use std::path::Path;
use std::time::{Duration, Instant};

/// Between two looks at how many processes the system has, which costs one system call.
const GLANCE: Duration = Duration::from_millis(2);
/// Between two looks at each process of the command, which costs a few for each of them.
const LOOK: Duration = Duration::from_millis(50);
/// The same when there is a suspicion.
const CLOSE_LOOK: Duration = Duration::from_millis(10);

/// Watches a command, which leads a group of processes that holds all of its children, and reports how it ended. `hold` is
/// what keeps it going: when that closes, this returns without a report. The caller ends what is left.
pub(super) fn watch(command: Pid, policy: &Policy, report: &Path, hold: Option<&Stdin>) -> io::Result<()> {
    let begun = Instant::now();
    let deadline = Duration::from_secs(policy.limits.wall_secs);
    let most = usize::try_from(policy.limits.processes).unwrap_or(usize::MAX);
    // A fork bomb has to be seen while it is small: once it has thousands of processes there is no time left for us.
    let suspicious = sysinfo().procs.saturating_add(u16::try_from(most / 2).unwrap_or(u16::MAX));
    let mut looked = begun;
    loop {
        while let Ok(Some((id, status))) = wait(WaitOptions::NOHANG) {
            if id == command {
                return told(match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => Report::Exited(code).write(report),
                    (None, signal) => Report::Signalled(signal.unwrap_or_default()).write(report),
                });
            }
        }
        let now = Instant::now();
        if now - begun >= deadline {
            return told(Report::Deadline.write(report));
        }
        let many = sysinfo().procs >= suspicious;
        if now - looked >= if many { CLOSE_LOOK } else { LOOK } {
            let crowd = if many { count_frozen(command) } else { processes::crowd(command) };
            looked = Instant::now();
            if crowd.count > most {
                return told(Report::Processes.write(report));
            }
            if crowd.memory > policy.limits.memory {
                return told(Report::Memory.write(report));
            }
            if many {
                let _ = kill_process_group(command, Signal::CONT);
            }
        }
        if pause(hold) == Hold::Closed {
            return Ok(());
        }
    }
}

/// Counts while everything stands still, so that nothing grows meanwhile. The caller lets it go on, or ends it.
fn count_frozen(group: Pid) -> Crowd {
    let _ = kill_process_group(group, Signal::STOP);
    processes::crowd(group)
}

#[derive(PartialEq, Eq)]
enum Hold {
    Open,
    Closed,
}

fn pause(hold: Option<&Stdin>) -> Hold {
    let Some(hold) = hold else {
        super::sleep(GLANCE);
        return Hold::Open;
    };
    let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(GLANCE.subsec_nanos()) };
    let mut events = [PollFd::new(hold, PollFlags::IN)];
    let ready = poll(&mut events, Some(&wait)).unwrap_or(0);
    if ready > 0 && is_closed(hold) { Hold::Closed } else { Hold::Open }
}

/// Whether the other end of a pipe that can be read is gone; whatever is said there is of no interest.
pub(super) fn is_closed(mut hold: &Stdin) -> bool {
    hold.read(&mut [0; 64]).unwrap_or(0) == 0
}

/// The last stage may have said why it did not become the command: the first report stands.
fn told(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
