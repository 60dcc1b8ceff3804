//! Papers that are one, or two.

use crate::app::AppState;
use crate::error::{AppError, AppResult, Problem};
use crate::ids::PaperId;
use crate::papers::Paper;
use crate::papers::identity::PaperRef;
use crate::web::auth::CurrentUser;
use crate::web::extract::{Json, Path};
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Another paper.
#[derive(Debug, Deserialize, ToSchema)]
pub struct OtherPaper {
    /// Its id, or any identifier that it has.
    other_id: String,
}

/// What a merge brought.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UnmergeRequest {
    /// A bibcode, arXiv id or DOI of the paper to make one of its own again.
    identifier: String,
}

/// Two papers that were one.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct TwoPapers {
    /// The paper that stays under its id.
    pub kept: Paper,
    /// The paper that is one of its own again.
    pub released: Paper,
}

/// Two papers of the library that may be one.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct LookAlikes {
    /// Both, the older in the database first.
    pub papers: Vec<Paper>,
    /// Why they may be one.
    pub reason: String,
}

/// Pairs that may be one paper.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct LookAlikeList {
    /// At most 50 pairs.
    pub items: Vec<LookAlikes>,
}

async fn id_of(state: &AppState, name: &str) -> AppResult<PaperId> {
    Ok(state.services.literature.known(name).await?.ok_or(AppError::NotFound("paper"))?.id)
}

/// Makes another paper a part of this one; nothing of either is lost, and it can be undone.
#[utoipa::path(post, path = "/api/papers/{id}/merge", tag = "library", params(("id" = String, Path)), request_body = OtherPaper,
    responses((status = 200, body = Paper), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn merge(
    State(state): State<AppState>,
    _user: CurrentUser,
    Path(id): Path<String>,
    Json(other): Json<OtherPaper>,
) -> AppResult<axum::Json<Paper>> {
    let (kept, other) = (id_of(&state, &id).await?, id_of(&state, &other.other_id).await?);
    Ok(axum::Json(state.services.literature.merge(kept, other).await?))
}

/// Undoes the merge that brought an identifier to this paper; the two are not merged again by what a source says.
#[utoipa::path(post, path = "/api/papers/{id}/unmerge", tag = "library", params(("id" = String, Path)), request_body = UnmergeRequest,
    responses((status = 200, body = TwoPapers), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn unmerge(
    State(state): State<AppState>,
    _user: CurrentUser,
    Path(id): Path<String>,
    Json(request): Json<UnmergeRequest>,
) -> AppResult<axum::Json<TwoPapers>> {
    let paper = id_of(&state, &id).await?;
    let identifier: PaperRef = request
        .identifier
        .parse()
        .map_err(|error: crate::papers::identity::NotAnIdentifier| AppError::field("/identifier", error.to_string()))?;
    let two = state.services.literature.unmerge(paper, &identifier).await?;
    Ok(axum::Json(TwoPapers { kept: two.kept, released: two.released }))
}

/// Says that another paper is not this one, so that they are neither merged nor suggested.
#[utoipa::path(post, path = "/api/papers/{id}/apart", tag = "library", params(("id" = String, Path)), request_body = OtherPaper,
    responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn apart(
    State(state): State<AppState>,
    _user: CurrentUser,
    Path(id): Path<String>,
    Json(other): Json<OtherPaper>,
) -> AppResult<StatusCode> {
    let (one, other) = (id_of(&state, &id).await?, id_of(&state, &other.other_id).await?);
    state.services.literature.keep_apart(one, other).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Papers of the library that may be one. Nothing is merged by this.
#[utoipa::path(get, path = "/api/library/duplicates", tag = "library", responses((status = 200, body = LookAlikeList)))]
pub async fn duplicates(State(state): State<AppState>, _user: CurrentUser) -> AppResult<axum::Json<LookAlikeList>> {
    let reason = "The title and the first author are the same, and the years are at most one apart.";
    let pairs = state.services.literature.look_alikes().await?;
    let items = pairs.into_iter().map(|pair| LookAlikes { papers: pair.into(), reason: reason.to_owned() }).collect();
    Ok(axum::Json(LookAlikeList { items }))
}
