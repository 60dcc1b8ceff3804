//! Searching what was said: titles and messages of a user's sessions.

use super::messages::Role;
use super::{Store, StoreResult, fts};
use crate::ids::{MessageId, SessionId, UserId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One place that matches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HistoryHit {
    /// The conversation.
    pub session_id: SessionId,
    /// Its title.
    pub session_title: String,
    /// The message; absent when the title matches.
    pub message_id: Option<MessageId>,
    /// Who speaks.
    pub role: Option<Role>,
    /// A piece of the text around the match.
    pub snippet: String,
    /// Start and length of each match in `snippet`, in Unicode code points.
    pub highlights: Vec<(usize, usize)>,
    /// Larger is better; comparable within one answer.
    pub score: f64,
    /// When it was said.
    pub created_at: Timestamp,
}

/// A title says more about a session than one of its messages does.
const TITLE_WEIGHT: f64 = 2.0;

impl Store {
    /// Searches titles and messages of a user; whatever is typed is searched as words.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn search_history(
        &self,
        user: UserId,
        query: &str,
        session: Option<SessionId>,
        limit: usize,
    ) -> StoreResult<Vec<HistoryHit>> {
        let Some(expression) = fts::match_expression(query) else { return Ok(Vec::new()) };
        let rows = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut hits = Vec::new();
        if session.is_none() {
            for (session_id, title, created_at, rank) in self.search_sessions(user, &expression, rows).await? {
                let found = fts::snippet(&title, query);
                hits.push(HistoryHit {
                    session_id,
                    session_title: title,
                    message_id: None,
                    role: None,
                    snippet: found.text,
                    highlights: found.highlights,
                    score: -rank * TITLE_WEIGHT,
                    created_at,
                });
            }
        }
        for hit in self.search_messages(user, &expression, session, rows).await? {
            let found = fts::snippet(&hit.content, query);
            hits.push(HistoryHit {
                session_id: hit.session_id,
                session_title: hit.session_title,
                message_id: Some(hit.message_id),
                role: Some(hit.role),
                snippet: found.text,
                highlights: found.highlights,
                score: -hit.score,
                created_at: hit.created_at,
            });
        }
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.created_at.cmp(&a.created_at)));
        hits.truncate(limit);
        Ok(hits)
    }
}
