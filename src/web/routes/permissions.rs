//! Permission rules: what may run without asking, what asks and what never runs.

use crate::agent::permissions::{Audience, RuleError, Ruling, Subject};
use crate::app::AppState;
use crate::error::{AppError, AppResult, Problem};
use crate::ids::{RuleId, SessionId};
use crate::store::permissions::{RuleEffect, RuleRow, RuleSource};
use crate::store::sessions::PermissionMode;
use crate::time::Timestamp;
use crate::web::auth::CurrentUser;
use crate::web::extract::{Json, Path};
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Where a rule holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleScope {
    /// For everyone.
    Everyone,
    /// For this user.
    Mine,
    /// For this user in one session.
    Session,
}

/// A rule.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct PermissionRule {
    /// Its id.
    id: RuleId,
    /// What it does with the calls that it matches.
    effect: RuleEffect,
    /// `tool` or `tool(specifier)`.
    rule: String,
    /// Where it holds.
    scope: RuleScope,
    /// The session it holds in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    session_id: Option<SessionId>,
    /// Where it comes from.
    source: RuleSource,
    /// When it was made.
    created_at: Timestamp,
}

impl From<RuleRow> for PermissionRule {
    fn from(row: RuleRow) -> Self {
        let scope = match (row.user_id, row.session_id) {
            (None, _) => RuleScope::Everyone,
            (Some(_), None) => RuleScope::Mine,
            (Some(_), Some(_)) => RuleScope::Session,
        };
        Self {
            id: row.id,
            effect: row.effect,
            rule: row.rule,
            scope,
            session_id: row.session_id,
            source: row.source,
            created_at: row.created_at,
        }
    }
}

/// The rules that hold for a user.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct PermissionRules {
    /// The oldest first.
    items: Vec<PermissionRule>,
}

/// What a rule says.
#[derive(Debug, Deserialize, ToSchema)]
pub struct RuleText {
    /// What it does with the calls that it matches.
    effect: RuleEffect,
    /// `tool` or `tool(specifier)`.
    rule: String,
}

/// A call to try the rules on.
#[derive(Debug, Deserialize, ToSchema)]
pub struct RuleCheck {
    /// The tool.
    tool: String,
    /// Its arguments.
    #[serde(default)]
    arguments: Value,
    /// The mode.
    #[serde(default)]
    permission_mode: PermissionMode,
}

/// What the rules say about a call.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct RuleVerdict {
    /// What would happen.
    verdict: RuleEffect,
    /// What the model or the user would be told.
    reason: String,
    /// The rule that decides, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    rule: Option<String>,
}

impl From<RuleError> for AppError {
    fn from(error: RuleError) -> Self {
        match error {
            RuleError::Syntax(why) => Self::field("/rule", why),
            RuleError::Store(error) => error.into(),
        }
    }
}

/// The rules for everyone, and those that the user's own answers made.
#[utoipa::path(get, path = "/api/permissions", tag = "settings", responses((status = 200, body = PermissionRules)))]
pub async fn list(State(state): State<AppState>, user: CurrentUser) -> axum::Json<PermissionRules> {
    let items = state.permissions.list(user.id()).into_iter().map(PermissionRule::from).collect();
    axum::Json(PermissionRules { items })
}

/// Adds a rule for everyone.
#[utoipa::path(post, path = "/api/permissions", tag = "settings", request_body = RuleText,
    responses((status = 201, body = PermissionRule), (status = 403, body = Problem), (status = 422, body = Problem)))]
pub async fn add(
    State(state): State<AppState>,
    user: CurrentUser,
    Json(text): Json<RuleText>,
) -> AppResult<(StatusCode, axum::Json<PermissionRule>)> {
    user.require_admin()?;
    let row = state.permissions.add(text.effect, &text.rule).await?;
    Ok((StatusCode::CREATED, axum::Json(row.into())))
}

/// Changes a rule.
#[utoipa::path(patch, path = "/api/permissions/{id}", tag = "settings", params(("id" = RuleId, Path)), request_body = RuleText,
    responses((status = 200, body = PermissionRule), (status = 403, body = Problem), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn change(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(id): Path<RuleId>,
    Json(text): Json<RuleText>,
) -> AppResult<axum::Json<PermissionRule>> {
    user.require_admin()?;
    find(&state, &user, id)?;
    state.permissions.change(id, text.effect, &text.rule).await?;
    Ok(axum::Json(find(&state, &user, id)?.into()))
}

/// Deletes a rule: an administrator everyone's, each user what their own answers made.
#[utoipa::path(delete, path = "/api/permissions/{id}", tag = "settings", params(("id" = RuleId, Path)),
    responses((status = 204), (status = 403, body = Problem), (status = 404, body = Problem)))]
pub async fn delete(State(state): State<AppState>, user: CurrentUser, Path(id): Path<RuleId>) -> AppResult<StatusCode> {
    if find(&state, &user, id)?.user_id.is_none() {
        user.require_admin()?;
    }
    state.permissions.delete(id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Tries the rules on a call; nothing runs.
#[utoipa::path(post, path = "/api/permissions/check", tag = "settings", request_body = RuleCheck,
    responses((status = 200, body = RuleVerdict), (status = 422, body = Problem)))]
pub async fn check(
    State(state): State<AppState>,
    user: CurrentUser,
    Json(check): Json<RuleCheck>,
) -> AppResult<axum::Json<RuleVerdict>> {
    let Some(tool) = state.runs.tools().get(&check.tool) else {
        return Err(AppError::field("/tool", format!("There is no tool `{}`.", check.tool)));
    };
    let verdict = state.permissions.decide(&Subject {
        user_id: user.id(),
        // None of the user's sessions: what was allowed in one of them alone does not count here.
        session_id: SessionId::new(),
        tool: tool.as_ref(),
        arguments: &check.arguments,
        mode: check.permission_mode,
        audience: Audience::User,
        isolation: state.services.sandbox.isolation().await,
    });
    let (effect, reason) = match verdict.ruling {
        Ruling::Allow => (RuleEffect::Allow, "It would run.".to_owned()),
        Ruling::Deny(why) => (RuleEffect::Deny, why),
        Ruling::Ask(question) => (RuleEffect::Ask, question.message),
    };
    Ok(axum::Json(RuleVerdict { verdict: effect, reason, rule: verdict.rule }))
}

fn find(state: &AppState, user: &CurrentUser, id: RuleId) -> AppResult<RuleRow> {
    state.permissions.list(user.id()).into_iter().find(|row| row.id == id).ok_or(AppError::NotFound("rule"))
}
