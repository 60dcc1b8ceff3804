//! The API with its description: a route is registered and described in one step.

use super::routes::{
    audit, auth, compaction, events, health, history, hooks, library, memories, merges, metrics, models, papers,
    permissions, questions, queue, runs, sessions, settings, skills, targets, tools, workspace,
};
use crate::agent::events::Event;
use crate::app::AppState;
use crate::error::Problem;
use axum::Json;
use std::sync::Arc;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

#[derive(OpenApi)]
#[openapi(
    info(title = "Almagest", description = "A research desk for astronomers: the HTTP contract."),
    components(schemas(Event, Problem))
)]
struct Document;

/// All described routes.
#[must_use]
pub fn api() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(health::health))
        .routes(routes!(auth::login))
        .routes(routes!(auth::logout))
        .routes(routes!(auth::verify))
        .routes(routes!(auth::setup))
        .routes(routes!(sessions::list, sessions::create))
        .routes(routes!(sessions::get, sessions::change, sessions::delete))
        .routes(routes!(sessions::messages))
        .routes(routes!(compaction::compact))
        .routes(routes!(compaction::undo))
        .routes(routes!(runs::start))
        .routes(routes!(runs::get))
        .routes(routes!(runs::cancel))
        .routes(routes!(runs::resume))
        .routes(routes!(queue::edit, queue::withdraw))
        .routes(routes!(questions::list))
        .routes(routes!(questions::answer))
        .routes(routes!(history::search))
        .routes(routes!(events::user_stream))
        .routes(routes!(events::session_stream))
        .routes(routes!(papers::search))
        .routes(routes!(papers::get, library::change, library::delete))
        .routes(routes!(library::list, library::add))
        .routes(routes!(library::tags))
        .routes(routes!(merges::duplicates))
        .routes(routes!(merges::merge))
        .routes(routes!(merges::unmerge))
        .routes(routes!(merges::apart))
        .routes(routes!(targets::resolve))
        .routes(routes!(workspace::log))
        .routes(routes!(workspace::diff))
        .routes(routes!(workspace::revert))
        .routes(routes!(tools::list))
        .routes(routes!(skills::list))
        .routes(routes!(memories::list, memories::add))
        .routes(routes!(memories::get, memories::change, memories::delete))
        .routes(routes!(settings::get))
        .routes(routes!(models::list))
        .routes(routes!(models::choose))
        .routes(routes!(permissions::list, permissions::add))
        .routes(routes!(permissions::change, permissions::delete))
        .routes(routes!(permissions::check))
        .routes(routes!(hooks::list, hooks::replace))
        .routes(routes!(hooks::dry_run))
        .routes(routes!(audit::list))
        .routes(routes!(metrics::json))
        .routes(routes!(metrics::prometheus))
}

/// The document as JSON, for the dashboard's generated client.
///
/// # Errors
/// When it cannot be serialised (a defect).
pub fn document() -> anyhow::Result<String> {
    let (_, mut document) = api().split_for_parts();
    name_operations(&mut document);
    Ok(serde_json::to_string_pretty(&document)? + "\n")
}

/// Names every operation by its method and path: handlers of different resources share their function's name, and
/// OpenAPI wants the names to be unique.
pub fn name_operations(document: &mut utoipa::openapi::OpenApi) {
    for (path, item) in &mut document.paths.paths {
        let words: Vec<&str> =
            path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let place = words.join("_");
        let operations = [
            ("get", &mut item.get),
            ("post", &mut item.post),
            ("put", &mut item.put),
            ("patch", &mut item.patch),
            ("delete", &mut item.delete),
        ];
        for (method, operation) in operations {
            if let Some(operation) = operation {
                operation.operation_id = Some(format!("{method}_{place}"));
            }
        }
    }
}

/// `GET /api/openapi.json`.
pub async fn serve(document: Arc<utoipa::openapi::OpenApi>) -> Json<utoipa::openapi::OpenApi> {
    Json(document.as_ref().clone())
}
