//! The list of skills.

use crate::agent::skills::{Skill, SkillMode, SkillSource};
use crate::app::AppState;
use crate::web::auth::CurrentUser;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One skill.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = Skill)]
pub struct SkillInfo {
    /// What it is loaded by.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// How it wants to be used.
    pub mode: SkillMode,
    /// Whose it is.
    pub source: SkillSource,
    /// What is wrong with its file, each with what to do.
    pub problems: Vec<String>,
    /// Its folder as file tools name it.
    pub folder: String,
}

impl From<&Skill> for SkillInfo {
    fn from(skill: &Skill) -> Self {
        Self {
            name: skill.name.clone(),
            description: skill.description.clone(),
            mode: skill.mode,
            source: skill.source,
            problems: skill.problems.clone(),
            folder: skill.folder.clone(),
        }
    }
}

/// All skills.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SkillList {
    /// By name.
    pub items: Vec<SkillInfo>,
}

/// The skills that the agent can load, the shipped ones and the user's.
#[utoipa::path(get, path = "/api/skills", tag = "rest", responses((status = 200, body = SkillList)))]
pub async fn list(State(state): State<AppState>, _user: CurrentUser) -> Json<SkillList> {
    let skills = state.skills.list().await;
    Json(SkillList { items: skills.iter().map(|skill| SkillInfo::from(skill.as_ref())).collect() })
}
