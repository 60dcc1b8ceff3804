//! System calls that no command needs.
//!
//! A list of what is denied, since what programs need differs from libc to libc; everything that opens a way around the
//! other walls is on it: sockets of every kind, mounts and namespaces, other processes' memory, the kernel's own loaders.

use super::confine::Signals;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};
use std::collections::BTreeMap;

/// Denied whatever their arguments are.
const DENIED: &[libc::c_long] = &[
    // The network, and sockets to other programs of this machine. `socketpair` has no name and stays.
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_perf_event_open,
    // The kernel.
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_syslog,
    libc::SYS_quotactl,
    libc::SYS_open_by_handle_at,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
];

/// By which a process leaves its group. They do nothing and say that it went well, since many programs try and few need it.
const LEAVING: &[libc::c_long] = &[libc::SYS_setsid, libc::SYS_setpgid];

/// By which signals are sent.
const SIGNALS: &[libc::c_long] = &[
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_pidfd_send_signal,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
];

/// Flags of `clone` that ask for namespaces.
const NAMESPACES: &[libc::c_int] = &[
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Applies the filter to this process and all that comes of it.
pub(super) fn filter(signals: Signals) -> Result<(), String> {
    let architecture: TargetArch =
        std::env::consts::ARCH.try_into().map_err(|error| format!("seccomp knows no such processor: {error}"))?;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = DENIED.iter().map(|call| (*call, Vec::new())).collect();
    if signals == Signals::Denied {
        rules.extend(SIGNALS.iter().map(|call| (*call, Vec::new())));
    }
    let asks_for = |flag: libc::c_int| {
        let flag = u64::from(flag.unsigned_abs());
        let condition = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(flag), flag)?;
        SeccompRule::new(vec![condition])
    };
    let clone: Result<Vec<SeccompRule>, _> = NAMESPACES.iter().map(|flag| asks_for(*flag)).collect();
    rules.insert(libc::SYS_clone, clone.map_err(|error| error.to_string())?);
    apply(rules, libc::EPERM, architecture)?;
    apply(LEAVING.iter().map(|call| (*call, Vec::new())).collect(), 0, architecture)?;
    // Its flags lie in memory, where a filter cannot see them; libc falls back on `clone`.
    apply(BTreeMap::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS, architecture)
}

fn apply(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: libc::c_int, architecture: TargetArch) -> Result<(), String> {
    let denied = SeccompAction::Errno(errno.unsigned_abs());
    let program: BpfProgram = SeccompFilter::new(rules, SeccompAction::Allow, denied, architecture)
        .and_then(TryInto::try_into)
        .map_err(|error| format!("seccomp: {error}"))?;
    seccompiler::apply_filter(&program).map_err(|error| format!("seccomp: {error}"))
}
