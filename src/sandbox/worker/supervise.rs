//! The first stage: outside of the namespaces, it ends everything when the server lets go.

use super::report::Report;
use super::watch::{is_closed, watch};
use super::{Orders, context, namespaces, next_stage, process_id, processes};
use crate::sandbox::Isolation;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{PidfdFlags, pidfd_open, set_child_subreaper};
use std::io;
use std::os::unix::process::CommandExt;

pub(super) fn supervise(orders: &Orders) -> io::Result<()> {
    let (policy, report) = orders;
    match policy.isolation {
        Isolation::Full => in_namespaces(orders)?,
        Isolation::Files | Isolation::None => {
            // Orphans of the command become ours, so that they can be collected.
            set_child_subreaper(Some(rustix::process::getpid())).map_err(context("orphans cannot be collected"))?;
            let command = process_id(&next_stage("confine", orders)?.process_group(0).spawn()?)?;
            let watched = watch(command, policy, report, Some(&io::stdin()));
            processes::end(command);
            watched?;
        }
    }
    // There is one already, unless it was ended before its time.
    let _ = Report::Failed("its watcher ended too early".into()).write(report);
    Ok(())
}

/// Starts process 1 of new namespaces and waits for its end, or for the server's.
fn in_namespaces(orders: &Orders) -> io::Result<()> {
    let mut init = next_stage("init", orders)?;
    namespaces::leave()?;
    let mut init = init.spawn()?;
    let handle =
        pidfd_open(process_id(&init)?, PidfdFlags::empty()).map_err(context("the watcher cannot be watched"))?;
    let stdin = io::stdin();
    let mut events = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(&handle, PollFlags::IN)];
    loop {
        match poll(&mut events, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => break,
        }
        let server_spoke = !events[0].revents().is_empty();
        if events[1].revents().contains(PollFlags::IN) || (server_spoke && is_closed(&stdin)) {
            break;
        }
    }
    let _ = init.kill();
    init.wait().map(drop)
}
