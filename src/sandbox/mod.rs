//! Child processes that must not be able to do harm: the shell commands of the agent.
//!
//! Nothing has to be installed: the server starts its own binary again as a *worker*, and the worker confines itself.
//!
//! ```text
//! server -> supervise -> init -> confine, which becomes the command
//! ```
//!
//! - [`Sandbox::run`] (in the server) starts the worker, hands it the [`Policy`] and drains the outputs.
//! - `supervise` ends everything when the server lets go of its standard input: by a stop, by dropping the future, by dying.
//! - `init` is process 1 of namespaces of its own, where the system allows them; without, `supervise` does its work. It
//!   counts the command's processes and what they use, and ends them at a limit, at the deadline, and when the command itself
//!   has ended.
//! - `confine` takes everything from itself that the policy does not grant (Landlock, seccomp, rlimits) and executes the
//!   command.
//!
//! How much of this a machine allows is found out once, by trying ([`Sandbox::isolation`]).

mod capture;
mod policy;
mod probe;
mod run;
pub mod worker;

pub use capture::Captured;
pub use policy::{Isolation, Limits, Policy, system_folders};
pub use probe::Probed;
pub use run::{End, Outcome, SandboxError, Stopped};

use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// Starts confined processes. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Sandbox {
    worker: PathBuf,
    probed: Arc<OnceCell<Probed>>,
}

impl Sandbox {
    /// A sandbox whose worker is this binary: the server's own.
    #[must_use]
    pub fn new(worker: PathBuf) -> Self {
        Self { worker, probed: Arc::default() }
    }

    /// How well processes are isolated on this machine, and why not better. Found out by the first who asks.
    pub async fn probed(&self) -> &Probed {
        self.probed.get_or_init(|| probe::probe(self)).await
    }

    /// How well processes are isolated on this machine.
    pub async fn isolation(&self) -> Isolation {
        self.probed().await.isolation
    }
}
