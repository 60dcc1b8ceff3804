//! What is counted since the server started.

use crate::agent::hooks::metrics::MetricsData;
use crate::app::AppState;
use crate::error::{AppError, AppResult, Problem};
use crate::web::auth::CurrentUser;
use axum::extract::{ConnectInfo, State};
use axum::http::{Extensions, HeaderMap, header};
use axum::response::{IntoResponse, Response};
use std::net::SocketAddr;

/// Headers of a proxy: behind one, everybody comes from the loopback.
const FORWARDED: [&str; 5] = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

/// The counts as JSON.
#[utoipa::path(get, path = "/api/metrics", tag = "rest", responses((status = 200, body = MetricsData)))]
pub async fn json(State(state): State<AppState>, _user: CurrentUser) -> axum::Json<MetricsData> {
    axum::Json(state.hooks.metrics().data())
}

/// The counts for Prometheus: for this machine itself, and for administrators.
#[utoipa::path(get, path = "/metrics", tag = "rest", responses(
    (status = 200, body = String, content_type = "text/plain"), (status = 403, body = Problem)))]
pub async fn prometheus(
    State(state): State<AppState>,
    user: Result<CurrentUser, AppError>,
    headers: HeaderMap,
    extensions: Extensions,
) -> AppResult<Response> {
    let admin = user.is_ok_and(|user| user.require_admin().is_ok());
    if !admin && !is_local(&headers, &extensions) {
        return Err(AppError::Forbidden(
            "The metrics are for requests from this machine itself, and for administrators who are logged in.".into(),
        ));
    }
    let kind = (header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
    Ok(([kind, (header::CACHE_CONTROL, "no-store")], state.hooks.metrics().prometheus()).into_response())
}

fn is_local(headers: &HeaderMap, extensions: &Extensions) -> bool {
    let peer = extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip().to_canonical());
    peer.is_some_and(|peer| peer.is_loopback()) && !FORWARDED.iter().any(|name| headers.contains_key(*name))
}
