//! Names of targets.

use crate::app::AppState;
use crate::error::{AppError, AppResult, Problem};
use crate::targets::Target;
use crate::web::auth::CurrentUser;
use crate::web::extract::Query;
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

/// Which target.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ResolveQuery {
    /// Its name, as a person writes it.
    #[serde(default)]
    name: String,
}

/// Resolves a name to coordinates; all four outcomes are a 200 with their `status`.
#[utoipa::path(get, path = "/api/targets/resolve", tag = "library", params(ResolveQuery),
    responses((status = 200, body = Target), (status = 422, body = Problem)))]
pub async fn resolve(
    State(state): State<AppState>,
    _user: CurrentUser,
    Query(query): Query<ResolveQuery>,
) -> AppResult<axum::Json<Target>> {
    if query.name.trim().is_empty() {
        return Err(AppError::field("/name", "Give the name of a target, for example M 31."));
    }
    Ok(axum::Json(state.services.targets.resolve(&query.name).await?))
}
