//! Questions that wait for the user: what is open, and the answer.

use crate::agent::asks::Answer;
use crate::app::AppState;
use crate::error::{AppError, AppResult, Problem};
use crate::ids::QuestionId;
use crate::store::questions::{Question, QuestionKind, QuestionStatus};
use crate::web::auth::CurrentUser;
use crate::web::extract::{Json, Path, Query};
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Longest answer or comment, in characters.
const LONGEST_ANSWER: usize = 20_000;

/// Which questions.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct QuestionFilter {
    /// Those in this state; all when absent.
    #[param(nullable = false)]
    status: Option<QuestionStatus>,
}

/// Questions, the newest first.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct QuestionList {
    /// At most 200.
    items: Vec<Question>,
}

/// The user's questions, the newest first.
#[utoipa::path(get, path = "/api/questions", tag = "chat", params(QuestionFilter), responses((status = 200, body = QuestionList)))]
pub async fn list(
    State(state): State<AppState>,
    user: CurrentUser,
    Query(filter): Query<QuestionFilter>,
) -> AppResult<axum::Json<QuestionList>> {
    let items = state.services.store.questions(user.id(), filter.status).await?;
    Ok(axum::Json(QuestionList { items }))
}

/// Answers a question; the first answer counts.
#[utoipa::path(post, path = "/api/questions/{id}/answer", tag = "chat", params(("id" = QuestionId, Path)), request_body = Answer,
    responses((status = 200, body = Question), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn answer(
    State(state): State<AppState>,
    user: CurrentUser,
    Path(id): Path<QuestionId>,
    Json(answer): Json<Answer>,
) -> AppResult<axum::Json<Question>> {
    let question = state.asks.get(user.id(), id).await?;
    let text = match (&answer, question.kind) {
        (Answer::Permission { comment, .. }, QuestionKind::Permission) => comment.as_deref().unwrap_or_default(),
        (Answer::Text { answer }, QuestionKind::AskUser) => answer,
        (Answer::Text { .. }, QuestionKind::Permission) => {
            return Err(AppError::field("/decision", "This question wants a decision: once, session, always or deny."));
        }
        (Answer::Permission { .. }, QuestionKind::AskUser) => {
            return Err(AppError::field("/answer", "This question wants an answer in words."));
        }
    };
    if text.chars().count() > LONGEST_ANSWER {
        return Err(AppError::field("/answer", format!("An answer has at most {LONGEST_ANSWER} characters.")));
    }
    Ok(axum::Json(state.asks.answer(user.id(), id, answer).await?))
}
