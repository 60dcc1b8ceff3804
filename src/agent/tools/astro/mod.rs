//! Tools for the literature and the sky.

mod get_paper_metadata;
mod query_target;
mod render;
mod search_papers;

use super::{AgentTool, ToolError};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

/// All tools of this folder.
#[must_use]
pub fn tools() -> Vec<Arc<dyn AgentTool>> {
    vec![
        Arc::new(search_papers::SearchPapers),
        Arc::new(get_paper_metadata::GetPaperMetadata),
        Arc::new(query_target::QueryTarget),
    ]
}

/// The typed arguments of a call.
fn arguments<T: DeserializeOwned>(args: Value) -> Result<T, ToolError> {
    serde_json::from_value(args).map_err(|error| ToolError::tell(format!("The arguments are not valid: {error}.")))
}
