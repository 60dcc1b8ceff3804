//! Tools for the literature and the sky.

use super::AgentTool;
use std::sync::Arc;

/// All tools of this folder.
#[must_use]
pub fn tools() -> Vec<Arc<dyn AgentTool>> {
    Vec::new()
}
