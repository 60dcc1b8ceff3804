//! Event streams: rows after a cursor, then a wait for more, for ever.
//!
//! Live and replay are one loop over the same rows, so a client that comes back with `Last-Event-ID` sees exactly what
//! it would have seen. Heartbeats are real events (a comment is invisible to `EventSource`), without an id.

use crate::app::AppState;
use crate::ids::{SessionId, UserId};
use crate::store::StoreResult;
use crate::store::events::EventRow;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::sse::{Event as SseEvent, Sse};
use axum::response::{IntoResponse, Response};
use futures::Stream;
use std::convert::Infallible;
use std::time::Duration;

/// Time between heartbeats.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Rows that are read at once.
const PAGE: i64 = 256;

/// Which rows a stream has.
#[derive(Debug, Clone, Copy)]
pub enum Source {
    /// Everything of a user; ends with the login.
    User {
        /// SHA-256 of the cookie, looked up again at each heartbeat.
        token_hash: [u8; 32],
    },
    /// One session; ends when nothing of it is going or waiting.
    Session(SessionId),
}

/// A stream from a cursor on, after an optional first event without an id.
#[must_use]
pub fn respond(state: AppState, user: UserId, source: Source, after: i64, first: Option<SseEvent>) -> Response {
    let mut response = Sse::new(events(state, user, source, after, first)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // nginx would hold back the whole run.
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

fn events(
    state: AppState,
    user: UserId,
    source: Source,
    mut cursor: i64,
    first: Option<SseEvent>,
) -> impl Stream<Item = Result<SseEvent, Infallible>> {
    async_stream::stream! {
        let store = &state.services.store;
        let mut news = store.subscribe(user);
        // The first answer tells the client that the stream is open.
        yield Ok(first.unwrap_or_else(heartbeat));
        let mut pulse = tokio::time::interval_at(tokio::time::Instant::now() + HEARTBEAT, HEARTBEAT);
        'stream: loop {
            news.mark_unchanged();
            // Asked before the rows are read: what is written after this question is read below or in the next round.
            let over = is_over(&state, source).await;
            loop {
                let page = match rows(&state, user, source, cursor).await {
                    Ok(page) => page,
                    Err(error) => {
                        tracing::warn!("an event stream ends, the client will come back: {error}");
                        break 'stream;
                    }
                };
                let Some(last) = page.last() else { break };
                cursor = last.id;
                for row in page {
                    yield Ok(SseEvent::default().id(row.id.to_string()).event(row.kind).data(row.data));
                }
            }
            if over {
                break;
            }
            tokio::select! {
                changed = news.changed() => if changed.is_err() { break },
                _ = pulse.tick() => {
                    yield Ok(heartbeat());
                    if !logged_in(&state, source).await {
                        break;
                    }
                }
                () = state.shutdown.cancelled() => break,
            }
        }
    }
}

fn heartbeat() -> SseEvent {
    SseEvent::default().event("heartbeat").data("{}")
}

async fn rows(state: &AppState, user: UserId, source: Source, cursor: i64) -> StoreResult<Vec<EventRow>> {
    match source {
        Source::User { .. } => state.services.store.user_events_after(user, cursor, PAGE).await,
        Source::Session(session) => state.services.store.session_events_after(session, cursor, PAGE).await,
    }
}

async fn is_over(state: &AppState, source: Source) -> bool {
    match source {
        Source::User { .. } => false,
        Source::Session(session) => !is_busy(state, session).await,
    }
}

/// Whether anything of a session is going, waiting or queued.
pub async fn is_busy(state: &AppState, session: SessionId) -> bool {
    let active = crate::store::runs::active(state.services.store.reader(), session).await;
    // When the database cannot say, the stream stays open.
    active.map_or(true, |row| row.is_some())
}

async fn logged_in(state: &AppState, source: Source) -> bool {
    match source {
        Source::User { token_hash } => {
            state.services.store.login(token_hash).await.map_or(true, |login| login.is_some())
        }
        Source::Session(_) => true,
    }
}
