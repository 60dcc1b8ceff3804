//! The second stage in namespaces: process 1, with which the kernel ends everything in them.

use super::{Orders, context, namespaces, next_stage, process_id};
use super::{processes, watch};
use rustix::process::{Signal, set_parent_process_death_signal};
use std::io;
use std::os::unix::process::CommandExt;

pub(super) fn init(orders: &Orders) -> io::Result<()> {
    let (policy, report) = orders;
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(context("the worker cannot be tied to the server"))?;
    namespaces::furnish(policy)?;
    let command = process_id(&next_stage("confine", orders)?.process_group(0).spawn()?)?;
    let watched = watch::watch(command, policy, report, None);
    processes::end(command);
    watched
}
