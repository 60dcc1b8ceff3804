//! Which processes a command has, and how all of them end.
//!
//! A command cannot leave its group of processes (the filter of system calls sees to that), so the group is the command. A
//! signal to a group reaches all of it at once; processes that are just being born cannot escape it, as they can from one
//! who goes through a list.

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, wait};
use std::time::Duration;

/// What processes use together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Crowd {
    /// How many.
    pub count: usize,
    /// Bytes of memory in use; pages that several of them share count for each.
    pub memory: u64,
}

/// The processes of a group.
pub(super) fn crowd(group: Pid) -> Crowd {
    let group = group.as_raw_nonzero().get();
    let Ok(folder) = std::fs::read_dir("/proc") else { return Crowd::default() };
    let page = u64::try_from(rustix::param::page_size()).unwrap_or(4096);
    let mut crowd = Crowd::default();
    for entry in folder.flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        let Some(process) = read(id).filter(|process| process.group == group) else { continue };
        crowd.count += 1;
        crowd.memory += process.pages * page;
    }
    crowd
}

struct Process {
    group: i32,
    /// Pages in memory.
    pages: u64,
}

fn read(id: i32) -> Option<Process> {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // proc(5): the name stands in parentheses and may hold anything; after it state, parent, group, ..., pages (field 24).
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
    let group = fields.nth(2)?.parse().ok()?;
    let pages = fields.nth(18)?.parse::<i64>().ok()?;
    Some(Process { group, pages: u64::try_from(pages).unwrap_or(0) })
}

/// Ends a group of processes and waits until nothing is left of it.
pub(super) fn end(group: Pid) {
    // Until there is no such group. The kernel may need a while for thousands of processes.
    while kill_process_group(group, Signal::KILL).is_ok() {
        while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
        super::sleep(Duration::from_millis(1));
    }
}
