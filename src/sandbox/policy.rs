//! What a confined process may do.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use utoipa::ToSchema;

/// How well a process is isolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Not at all: the system offers nothing.
    None,
    /// By Landlock and seccomp: files, network, signals and dangerous system calls. Other processes can be counted, not seen.
    Files,
    /// In namespaces of its own as well: it sees no other process and has no network interface.
    Full,
}

/// What a process may do. Whatever is not granted here is denied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Policy {
    /// The program and its arguments; the program's path is absolute.
    pub command: Vec<String>,
    /// Its whole environment.
    pub environment: BTreeMap<String, String>,
    /// A file that is its standard input. It is opened before the process is confined and need not be readable for it.
    pub input: Option<PathBuf>,
    /// Where it starts.
    pub folder: PathBuf,
    /// Files and folders that it may read and execute. Ones that do not exist are left out.
    pub readable: Vec<PathBuf>,
    /// Folders that it may change as well.
    pub writable: Vec<PathBuf>,
    /// Folders inside writable ones that it may only read; this takes [`Isolation::Full`].
    pub read_only_inside: Vec<PathBuf>,
    /// How much it may use.
    pub limits: Limits,
    /// How it is isolated.
    pub isolation: Isolation,
}

/// How much a process and its children may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Seconds until it is ended.
    pub wall_secs: u64,
    /// Seconds of processor time of one process.
    pub cpu_secs: u64,
    /// Processes at the same time.
    pub processes: u32,
    /// Bytes of memory in use, all processes together.
    pub memory: u64,
    /// Bytes of address space of one process.
    pub address_space: u64,
    /// Bytes of one file that it writes.
    pub file_bytes: u64,
    /// Open files of one process.
    pub open_files: u64,
    /// Bytes of output after which it is ended.
    pub output: u64,
    /// Bytes of each output that are kept, half from its beginning and half from its end.
    pub kept: usize,
}

impl Limits {
    /// For a command of the agent that may take this long.
    #[must_use]
    pub fn of_command(wall_secs: u64) -> Self {
        const GIB: u64 = 1 << 30;
        Self {
            wall_secs,
            // A few cores at most, all the time.
            cpu_secs: wall_secs.saturating_mul(4),
            processes: 256,
            memory: 4 * GIB,
            address_space: 32 * GIB,
            file_bytes: 2 * GIB,
            open_files: 1_024,
            output: GIB,
            kept: 256 * 1024,
        }
    }
}

/// Folders and files that programs need to start: read and execute. Home folders, `/proc`, `/sys`, `/var`, `/run` and most
/// of `/etc` are not among them.
#[must_use]
pub fn system_folders() -> Vec<PathBuf> {
    [
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/opt",
        "/etc/alternatives",
        "/etc/bash.bashrc",
        "/etc/fonts",
        "/etc/group",
        "/etc/inputrc",
        "/etc/ld.so.cache",
        "/etc/ld.so.conf",
        "/etc/ld.so.conf.d",
        "/etc/locale.alias",
        "/etc/localtime",
        "/etc/magic",
        "/etc/mime.types",
        "/etc/nsswitch.conf",
        "/etc/os-release",
        "/etc/passwd",
        "/etc/profile",
        "/etc/terminfo",
        "/etc/timezone",
        "/nix/store",
    ]
    .map(PathBuf::from)
    .to_vec()
}
