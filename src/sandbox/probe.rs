//! Finding out what this machine allows, by trying.

use super::run::End;
use super::{Isolation, Limits, Policy, Sandbox, system_folders};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// How well processes are isolated here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probed {
    /// The best that works.
    pub isolation: Isolation,
    /// Why it is not better; empty when it is the best there is.
    pub reason: String,
}

/// The code that the trial command ends with.
const CODE: i32 = 7;

/// Tries the best first.
pub(super) async fn probe(sandbox: &Sandbox) -> Probed {
    let mut reason = String::new();
    for isolation in [Isolation::Full, Isolation::Files] {
        let why = match sandbox.run(trial(isolation)).await {
            Ok(outcome) if outcome.end == End::Exited(CODE) => return Probed { isolation, reason },
            Ok(outcome) => format!("a trial command ended with {:?}: {}", outcome.end, outcome.stderr.text().trim()),
            Err(error) => error.to_string(),
        };
        tracing::debug!("isolation {isolation:?} is not to be had: {why}");
        if reason.is_empty() {
            reason = why;
        }
    }
    Probed { isolation: Isolation::None, reason }
}

fn trial(isolation: Isolation) -> Policy {
    Policy {
        command: ["/bin/sh", "-c", "exit 7"].map(str::to_owned).to_vec(),
        environment: BTreeMap::new(),
        input: None,
        folder: PathBuf::from("/usr"),
        readable: system_folders(),
        writable: Vec::new(),
        read_only_inside: Vec::new(),
        limits: Limits::of_command(10),
        isolation,
    }
}
