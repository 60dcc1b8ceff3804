//! Tools for files: the workspace (read, write, versioned), the user's skills and the library (read only).

pub mod state;

use super::AgentTool;
use std::sync::Arc;

/// All tools of this folder.
#[must_use]
pub fn tools() -> Vec<Arc<dyn AgentTool>> {
    Vec::new()
}
