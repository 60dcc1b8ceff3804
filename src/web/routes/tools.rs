//! The catalogue of tools.

use crate::app::AppState;
use crate::web::auth::CurrentUser;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// One tool as the catalogue shows it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ToolInfo {
    /// What the model calls.
    pub name: String,
    /// One line.
    pub summary: String,
    /// When the model calls it.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
    /// Whether it has no side effect.
    pub readonly: bool,
    /// Whether its definition is loaded on demand.
    pub deferred: bool,
}

/// All tools.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ToolList {
    /// By name.
    pub items: Vec<ToolInfo>,
}

/// The tools of a standard run.
#[utoipa::path(get, path = "/api/tools", tag = "rest", responses((status = 200, body = ToolList)))]
pub async fn list(State(state): State<AppState>, _user: CurrentUser) -> Json<ToolList> {
    let items = state
        .runs
        .tools()
        .iter()
        .map(|tool| ToolInfo {
            name: tool.name().to_owned(),
            summary: tool.classifier_summary(),
            description: tool.description().to_owned(),
            parameters: tool.parameters(),
            readonly: tool.is_readonly(),
            deferred: tool.defer_loading(),
        })
        .collect();
    Json(ToolList { items })
}
