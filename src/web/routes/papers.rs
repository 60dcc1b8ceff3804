//! Searching the literature, and single papers.

use crate::app::AppState;
use crate::error::{AppError, AppResult, Problem};
use crate::papers::search::{SearchAnswer, SearchRequest, SortOrder, SourceName};
use crate::papers::{MetadataError, Paper, SearchError};
use crate::web::auth::CurrentUser;
use crate::web::extract::{Path, Query};
use axum::extract::State;
use serde::Deserialize;
use utoipa::IntoParams;

/// What to search for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SearchQuery {
    /// Words, or a query in ADS's syntax.
    #[serde(default)]
    q: String,
    /// `ads`, `arxiv`, or both separated by a comma; both when absent.
    sources: Option<String>,
    /// Authors, separated by semicolons; all of them must be authors.
    author: Option<String>,
    /// First year of publication.
    year_from: Option<i32>,
    /// Last year of publication.
    year_to: Option<i32>,
    /// The order.
    #[serde(default)]
    #[param(inline)]
    sort: SortOrder,
    /// Papers wanted; 20 when absent, at most 100.
    limit: Option<u32>,
}

/// Searches ADS and arXiv at the same time; a source that fails is named in the answer.
#[utoipa::path(get, path = "/api/papers/search", tag = "library", params(SearchQuery),
    responses((status = 200, body = SearchAnswer), (status = 422, body = Problem)))]
pub async fn search(
    State(state): State<AppState>,
    _user: CurrentUser,
    Query(query): Query<SearchQuery>,
) -> AppResult<axum::Json<SearchAnswer>> {
    let request = SearchRequest {
        query: query.q,
        sources: query.sources.as_deref().map(sources).transpose()?.unwrap_or_default(),
        author: query.author,
        year_from: query.year_from,
        year_to: query.year_to,
        sort: query.sort,
        limit: query.limit,
    };
    match state.services.literature.search(&request).await {
        Ok(answer) => Ok(axum::Json(answer)),
        Err(SearchError::Query(error)) => Err(AppError::field("/q", error.to_string())),
        Err(SearchError::Store(error)) => Err(error.into()),
    }
}

/// One paper, by our id, bibcode, arXiv id or DOI (percent-encoded).
#[utoipa::path(get, path = "/api/papers/{id}", tag = "library", params(("id" = String, Path)),
    responses((status = 200, body = Paper), (status = 404, body = Problem), (status = 503, body = Problem)))]
pub async fn get(
    State(state): State<AppState>,
    _user: CurrentUser,
    Path(id): Path<String>,
) -> AppResult<axum::Json<Paper>> {
    match state.services.literature.metadata(&id).await {
        Ok(Some(found)) => Ok(axum::Json(found.paper)),
        Ok(None) => Err(AppError::NotFound("paper")),
        Err(MetadataError::Store(error)) => Err(error.into()),
        Err(error) => Err(AppError::Unavailable(error.to_string())),
    }
}

fn sources(list: &str) -> AppResult<Vec<SourceName>> {
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    names
        .map(|name| match name {
            "ads" => Ok(SourceName::Ads),
            "arxiv" => Ok(SourceName::Arxiv),
            other => Err(AppError::field("/sources", format!("`{other}` is no source; use ads, arxiv, or both."))),
        })
        .collect()
}
