//! Namespaces of one's own: users, processes, mounts, network.

use super::context;
use crate::sandbox::Policy;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change, mount_remount};
use rustix::process::{getgid, getuid};
use rustix::thread::UnshareFlags;
use std::io;

/// Leaves the server's namespaces. This process stays in its namespace of processes; its children begin the new one.
pub(super) fn leave() -> io::Result<()> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    let flags = UnshareFlags::NEWUSER
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWNET
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS;
    #[expect(unsafe_code, reason = "the system call is only offered as unsafe")]
    // SAFETY: the danger is in sharing file descriptors between threads; there is one thread, and FILES is not among the flags.
    unsafe { rustix::thread::unshare_unsafe(flags) }.map_err(context("namespaces are not allowed here"))?;
    // One user, oneself, so that files keep their owner; without this the kernel refuses the map of groups.
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    Ok(())
}

/// Mounts what process 1 of the namespaces needs: a `/proc` that shows them alone, and read-only folders.
pub(super) fn furnish(policy: &Policy) -> io::Result<()> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).map_err(context("mounts cannot be made private"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", "/proc", "proc", flags, None).map_err(context("/proc cannot be mounted"))?;
    for folder in policy.read_only_inside.iter().filter(|folder| folder.is_dir()) {
        mount_bind(folder, folder).map_err(context("a folder cannot be mounted read-only"))?;
        let read_only = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
        mount_remount(folder, read_only, "").map_err(context("a folder cannot be mounted read-only"))?;
    }
    Ok(())
}
