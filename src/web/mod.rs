//! The HTTP edge: routes, logins, origins, event streams and the dashboard's files.

pub mod assets;
pub mod auth;
pub mod cors;
pub mod extract;
pub mod guard;
pub mod openapi;
pub mod problem;
pub mod routes;
pub mod spa;
pub mod sse;

use crate::app::AppState;
use crate::error::AppError;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use tower_http::catch_panic::CatchPanicLayer;

/// Largest request body; uploads have a limit of their own.
const BODY_LIMIT: usize = 2 * 1024 * 1024;

/// All routes.
pub fn router(state: AppState) -> Router {
    let (api, mut document) = openapi::api().split_for_parts();
    openapi::name_operations(&mut document);
    let document = std::sync::Arc::new(document);
    Router::new()
        .merge(api)
        .route("/api/openapi.json", axum::routing::get(move || openapi::serve(document.clone())))
        .route("/api/{*rest}", axum::routing::any(|| async { AppError::NotFound("route") }))
        .merge(spa::router())
        .layer(DefaultBodyLimit::max(BODY_LIMIT))
        .layer(from_fn_with_state(state.clone(), cors::layer))
        .layer(from_fn_with_state(state.clone(), guard::check_origin))
        .layer(from_fn_with_state(state.clone(), guard::check_host))
        .layer(CatchPanicLayer::custom(problem::panicked))
        .layer(from_fn(problem::harden))
        .with_state(state)
}
