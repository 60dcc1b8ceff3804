//! The library: which papers are in it, under which tags.

use crate::app::AppState;
use crate::error::{AppError, AppResult, Problem};
use crate::ids::PaperId;
use crate::papers::{MetadataError, Paper, PaperState};
use crate::store::library::{Holding, LibraryFilter, LibraryOrder, LibraryPaper, TagCount};
use crate::web::auth::CurrentUser;
use crate::web::extract::{Json, Path, Query};
use axum::extract::State;
use axum::http::StatusCode;
use futures::StreamExt;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Papers in a page unless the client wants fewer.
const PAGE: u32 = 50;
/// Identifiers in one request: each unknown one is a question to ADS and arXiv.
const MOST_IDENTIFIERS: usize = 50;
/// Questions at the same time; arXiv's queue lets one through anyway.
const AT_ONCE: usize = 4;
/// Tags of a paper.
const MOST_TAGS: usize = 50;
/// Longest tag, in characters.
const LONGEST_TAG: usize = 60;

/// Which papers.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct LibraryQuery {
    /// Words, all of which are in title, authors, abstract, venue, keywords, tags or an identifier.
    #[serde(default)]
    q: String,
    /// A tag.
    tag: Option<String>,
    /// First year of publication.
    year_from: Option<i32>,
    /// Last year of publication.
    year_to: Option<i32>,
    /// Whether the paper still stands.
    #[param(inline)]
    state: Option<PaperState>,
    /// What the paper has.
    #[param(inline)]
    has: Option<Holding>,
    /// The order.
    #[serde(default)]
    #[param(inline)]
    sort: LibraryOrder,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
    /// Most papers of a page, at most 200.
    limit: Option<u32>,
}

/// A page of the library.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct LibraryList {
    /// The papers.
    pub items: Vec<LibraryPaper>,
    /// Where the next page begins; null on the last.
    pub next_cursor: Option<String>,
    /// How many papers there are in all pages.
    pub total: u64,
}

/// Papers to add.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewPapers {
    /// Bibcodes, arXiv ids, DOIs, addresses that hold one, or ids of ours; at most 50.
    identifiers: Vec<String>,
}

/// What came of each identifier, in their order.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct AddedPapers {
    /// One for each identifier.
    pub items: Vec<AddedPaper>,
}

/// What came of one identifier.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct AddedPaper {
    /// The identifier as it was given.
    pub identifier: String,
    /// The paper that is in the library now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub paper_id: Option<PaperId>,
    /// Why nothing was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error: Option<String>,
}

/// What to change; absent fields stay.
#[derive(Debug, Deserialize, ToSchema)]
pub struct PaperPatch {
    /// All tags of the paper.
    #[schema(nullable = false)]
    tags: Option<Vec<String>>,
    /// Whether it is in the library.
    #[schema(nullable = false)]
    in_library: Option<bool>,
}

/// The tags of the library.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct TagList {
    /// By name.
    pub items: Vec<TagCount>,
}

/// The papers of the library.
#[utoipa::path(get, path = "/api/library", tag = "library", params(LibraryQuery),
    responses((status = 200, body = LibraryList), (status = 422, body = Problem)))]
pub async fn list(
    State(state): State<AppState>,
    _user: CurrentUser,
    Query(query): Query<LibraryQuery>,
) -> AppResult<axum::Json<LibraryList>> {
    let limit = query.limit.unwrap_or(PAGE).clamp(1, 200);
    let offset = match query.cursor.as_deref() {
        None | Some("") => 0,
        Some(cursor) => cursor
            .parse::<u32>()
            .map_err(|_| AppError::field("/cursor", "This is no cursor; take next_cursor of the page before."))?,
    };
    let filter = LibraryFilter {
        words: query.q.split_whitespace().take(20).map(str::to_ascii_lowercase).collect(),
        tag: query.tag.filter(|tag| !tag.is_empty()),
        year_from: query.year_from,
        year_to: query.year_to,
        state: query.state,
        has: query.has,
        order: query.sort,
    };
    let page = state.services.store.library(&filter, limit, offset).await?;
    let next = offset.saturating_add(limit);
    let next_cursor = (u64::from(next) < page.total).then(|| next.to_string());
    Ok(axum::Json(LibraryList { items: page.papers, next_cursor, total: page.total }))
}

/// Adds papers to the library. Each identifier has its own answer; those that are unknown here are looked up first.
#[utoipa::path(post, path = "/api/library", tag = "library", request_body = NewPapers,
    responses((status = 202, body = AddedPapers), (status = 422, body = Problem)))]
pub async fn add(
    State(state): State<AppState>,
    _user: CurrentUser,
    Json(new): Json<NewPapers>,
) -> AppResult<(StatusCode, axum::Json<AddedPapers>)> {
    if new.identifiers.is_empty() || new.identifiers.len() > MOST_IDENTIFIERS {
        return Err(AppError::field("/identifiers", format!("Give from 1 to {MOST_IDENTIFIERS} identifiers.")));
    }
    let one = |identifier: String| {
        let state = state.clone();
        async move {
            match add_one(&state, &identifier).await? {
                Ok(paper) => Ok(AddedPaper { identifier, paper_id: Some(paper), error: None }),
                Err(why) => Ok(AddedPaper { identifier, paper_id: None, error: Some(why) }),
            }
        }
    };
    let answers: Vec<AppResult<AddedPaper>> =
        futures::stream::iter(new.identifiers.into_iter().map(one)).buffered(AT_ONCE).collect().await;
    let items = answers.into_iter().collect::<AppResult<Vec<_>>>()?;
    Ok((StatusCode::ACCEPTED, axum::Json(AddedPapers { items })))
}

/// Adds one paper, or says why not; an error is one of this server alone.
async fn add_one(state: &AppState, identifier: &str) -> AppResult<Result<PaperId, String>> {
    let found = match state.services.literature.metadata(identifier).await {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(Err("ADS and arXiv know no such paper. Check the identifier.".to_owned())),
        Err(MetadataError::Store(error)) => return Err(error.into()),
        Err(error @ (MetadataError::NotAnIdentifier(_) | MetadataError::Unavailable(_))) => {
            return Ok(Err(error.to_string()));
        }
    };
    Ok(Ok(state.services.store.add_to_library(found.paper.id).await?.id))
}

/// The tags of the library, each with the number of its papers.
#[utoipa::path(get, path = "/api/library/tags", tag = "library", responses((status = 200, body = TagList)))]
pub async fn tags(State(state): State<AppState>, _user: CurrentUser) -> AppResult<axum::Json<TagList>> {
    Ok(axum::Json(TagList { items: state.services.store.library_tags().await? }))
}

/// Changes what the library says of a paper.
#[utoipa::path(patch, path = "/api/papers/{id}", tag = "library", params(("id" = String, Path)), request_body = PaperPatch,
    responses((status = 200, body = Paper), (status = 404, body = Problem), (status = 422, body = Problem)))]
pub async fn change(
    State(state): State<AppState>,
    _user: CurrentUser,
    Path(id): Path<String>,
    Json(patch): Json<PaperPatch>,
) -> AppResult<axum::Json<Paper>> {
    let tags = patch.tags.map(clean_tags).transpose()?;
    let store = &state.services.store;
    let mut paper = state.services.literature.known(&id).await?.ok_or(AppError::NotFound("paper"))?;
    if let Some(tags) = tags {
        paper = store.tag_paper(paper.id, tags).await?;
    }
    match patch.in_library {
        Some(true) => paper = store.add_to_library(paper.id).await?,
        Some(false) => paper = store.remove_from_library(paper.id).await?,
        None => {}
    }
    Ok(axum::Json(paper))
}

/// Deletes a paper with everything that belongs to it.
#[utoipa::path(delete, path = "/api/papers/{id}", tag = "library", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = Problem)))]
pub async fn delete(
    State(state): State<AppState>,
    _user: CurrentUser,
    Path(id): Path<String>,
) -> AppResult<StatusCode> {
    let paper = state.services.literature.known(&id).await?.ok_or(AppError::NotFound("paper"))?;
    state.services.store.delete_paper(paper.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Tags without blanks around them, each once, by name.
fn clean_tags(tags: Vec<String>) -> AppResult<Vec<String>> {
    let mut tags: Vec<String> = tags.iter().map(|tag| tag.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    tags.retain(|tag| !tag.is_empty());
    tags.sort();
    tags.dedup();
    if tags.len() > MOST_TAGS {
        return Err(AppError::field("/tags", format!("A paper has at most {MOST_TAGS} tags.")));
    }
    if let Some(long) = tags.iter().find(|tag| tag.chars().count() > LONGEST_TAG) {
        return Err(AppError::field(
            "/tags",
            format!("`{long}` is too long: a tag has at most {LONGEST_TAG} characters."),
        ));
    }
    Ok(tags)
}
