//! Messages that wait for the next model call: edit or withdraw them until then.

use super::runs::check_message;
use crate::agent::events::Event;
use crate::agent::timeline::{Scope, record, record_session};
use crate::app::AppState;
use crate::error::{AppResult, Problem};
use crate::ids::{MessageId, SessionId};
use crate::store::messages::{self, Message};
use crate::store::sessions;
use crate::web::auth::CurrentUser;
use crate::web::extract::{Json, Path};
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

/// The new text.
#[derive(Debug, Deserialize, ToSchema)]
pub struct QueueEdit {
    /// What the user says instead.
    message: String,
}

/// Changes a message that still waits.
#[utoipa::path(patch, path = "/api/sessions/{id}/queue/{message_id}", tag = "chat",
    params(("id" = SessionId, Path), ("message_id" = MessageId, Path)), request_body = QueueEdit,
    responses((status = 200, body = Message), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn edit(
    State(state): State<AppState>,
    user: CurrentUser,
    Path((session_id, message_id)): Path<(SessionId, MessageId)>,
    Json(edit): Json<QueueEdit>,
) -> AppResult<axum::Json<Message>> {
    check_message(&edit.message)?;
    let user_id = user.id();
    let message = state
        .services
        .store
        .write(move |connection| {
            Box::pin(async move {
                sessions::get(&mut *connection, user_id, session_id).await?;
                let message = messages::edit_queued(&mut *connection, session_id, message_id, &edit.message).await?;
                let scope = Scope { user_id, session_id, run_id: message.run_id };
                record(connection, scope, &Event::Message { message: Box::new(message.clone()) }).await?;
                Ok(message)
            })
        })
        .await?;
    Ok(axum::Json(message))
}

/// Withdraws a message that still waits.
#[utoipa::path(delete, path = "/api/sessions/{id}/queue/{message_id}", tag = "chat",
    params(("id" = SessionId, Path), ("message_id" = MessageId, Path)),
    responses((status = 204), (status = 404, body = Problem), (status = 409, body = Problem)))]
pub async fn withdraw(
    State(state): State<AppState>,
    user: CurrentUser,
    Path((session_id, message_id)): Path<(SessionId, MessageId)>,
) -> AppResult<StatusCode> {
    let user_id = user.id();
    state
        .services
        .store
        .write(move |connection| {
            Box::pin(async move {
                sessions::get(&mut *connection, user_id, session_id).await?;
                messages::delete_queued(&mut *connection, session_id, message_id).await?;
                // Other tabs look at the messages again when the session changes.
                record_session(connection, Scope { user_id, session_id, run_id: None }).await
            })
        })
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
