//! The last stage: takes everything from itself that the policy does not grant, and becomes the command.

use super::{context, seccomp};
use crate::sandbox::{Isolation, Policy};
use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, RestrictionStatus, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{Resource, Rlimit, nice, setrlimit};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The version of Landlock whose rules are asked for; an older kernel enforces what it knows of them.
const WANTED: ABI = ABI::V7;
/// The oldest that is of use: before it files could be truncated without a right.
const NEEDED: ABI = ABI::V3;
/// How far a command stands back: it has a fraction of the time of others when there is not enough for all.
const NICE: i32 = 19;
/// Devices that do no harm.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

pub(super) fn confine(policy: &Policy) -> io::Result<()> {
    let Some((program, arguments)) = policy.command.split_first() else {
        return Err(io::Error::other("there is no command"));
    };
    limit(policy)?;
    // Behind the server and its watchers, who must not be starved by a thousand processes.
    nice(NICE).map_err(context("the priority cannot be lowered"))?;
    std::env::set_current_dir(&policy.folder)?;
    let mut command = Command::new(program);
    command.args(arguments).env_clear().envs(&policy.environment);
    // Without isolation the user was asked; the limits hold all the same.
    if policy.isolation != Isolation::None {
        let signals = landlock(policy).map_err(io::Error::other)?;
        seccomp::filter(signals).map_err(io::Error::other)?;
    }
    // Comes back only when it fails.
    Err(command.exec())
}

fn limit(policy: &Policy) -> io::Result<()> {
    let limits = &policy.limits;
    for (resource, most) in [
        (Resource::Cpu, limits.cpu_secs),
        (Resource::As, limits.address_space),
        (Resource::Fsize, limits.file_bytes),
        (Resource::Nofile, limits.open_files),
        (Resource::Core, 0),
    ] {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        setrlimit(resource, limit).map_err(context("a limit cannot be set"))?;
    }
    Ok(())
}

/// Who can be reached by signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signals {
    /// Only processes of this sandbox: the namespace or Landlock sees to it.
    Scoped,
    /// Nobody may be allowed to send any, since nothing else would keep them from the server.
    Denied,
}

fn landlock(policy: &Policy) -> Result<Signals, String> {
    let restricted = || -> Result<RestrictionStatus, landlock::RulesetError> {
        let mut readable = policy.readable.clone();
        if policy.isolation == Isolation::Full {
            // It shows the processes of this sandbox alone.
            readable.push("/proc".into());
        }
        Ruleset::default()
            .handle_access(AccessFs::from_all(WANTED))?
            .handle_access(AccessNet::from_all(WANTED))?
            .scope(Scope::from_all(WANTED))?
            .create()?
            .add_rules(path_beneath_rules(&readable, AccessFs::from_read(WANTED)))?
            .add_rules(path_beneath_rules(&policy.writable, AccessFs::from_all(WANTED)))?
            .add_rules(path_beneath_rules(DEVICES, AccessFs::ReadFile | AccessFs::WriteFile))?
            .restrict_self()
    };
    let status = restricted().map_err(|error| format!("Landlock: {error}"))?;
    let LandlockStatus::Available { effective_abi, .. } = status.landlock else {
        return Err("the kernel has no Landlock (Linux 5.13 or later, and not switched off)".into());
    };
    if status.ruleset == RulesetStatus::NotEnforced || effective_abi < NEEDED || !status.no_new_privs {
        return Err(format!("the kernel's Landlock is too old ({effective_abi:?}; Linux 6.2 or later)"));
    }
    let scoped = policy.isolation == Isolation::Full || effective_abi >= ABI::V6;
    Ok(if scoped { Signals::Scoped } else { Signals::Denied })
}
