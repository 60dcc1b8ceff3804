//! What is configured, without secrets.

use crate::app::AppState;
use crate::web::auth::CurrentUser;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whether a service can be used.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ServiceStatus {
    /// Whether everything it needs is set.
    pub configured: bool,
    /// What is used, or what to set.
    pub detail: String,
}

/// The settings as far as a user may see them.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SettingsView {
    /// The language model.
    pub llm: ServiceStatus,
    /// Name of the model; null without one.
    pub model: Option<String>,
    /// NASA ADS.
    pub ads: ServiceStatus,
    /// Limit of model calls in a run.
    pub max_steps: u32,
}

/// What is configured and what is missing.
#[utoipa::path(get, path = "/api/settings", tag = "rest", responses((status = 200, body = SettingsView)))]
pub async fn get(State(state): State<AppState>, _user: CurrentUser) -> Json<SettingsView> {
    let config = &state.services.config;
    let model = state.runs.model();
    let llm = match model {
        Some(model) => ServiceStatus {
            configured: true,
            detail: format!("{} at {}", model.model, model.base_url.host_str().unwrap_or_default()),
        },
        None => ServiceStatus {
            configured: false,
            detail: "Set LLM_BASE_URL and LLM_MODEL (and LLM_API_KEY where the server wants a key), then start again."
                .into(),
        },
    };
    let ads = match config.upstreams.ads_token {
        Some(_) => ServiceStatus { configured: true, detail: "A token is set.".into() },
        None => ServiceStatus {
            configured: false,
            detail: "Set ADS_API_TOKEN to search NASA ADS; without it arXiv alone is searched.".into(),
        },
    };
    Json(SettingsView { llm, model: model.map(|m| m.model.clone()), ads, max_steps: config.agent.max_steps })
}
