//! The part of the system prompt that is fixed when a session begins.

use super::{Store, StoreResult, statements};
use crate::ids::SessionId;
use crate::time::Timestamp;

statements! {
    GET = "SELECT text FROM session_prompts WHERE session_id = ?1";
    FREEZE = "INSERT INTO session_prompts (session_id, text, frozen_at) VALUES (?1, ?2, ?3) ON CONFLICT (session_id) DO NOTHING";
    REPLACE = "INSERT OR REPLACE INTO session_prompts (session_id, text, frozen_at) VALUES (?1, ?2, ?3)";
}

impl Store {
    /// The frozen text of a session, if it has one yet.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn session_prompt(&self, session: SessionId) -> StoreResult<Option<String>> {
        Ok(sqlx::query_scalar(GET).bind(session).fetch_optional(self.reader()).await?)
    }

    /// Freezes a session's text, unless it has one.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn freeze_session_prompt(&self, session: SessionId, text: String) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                sqlx::query(FREEZE).bind(session).bind(text).bind(Timestamp::now()).execute(connection).await?;
                Ok(())
            })
        })
        .await
    }

    /// Freezes a session's text anew: its context was compacted, so the provider's cache is lost anyway.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn refreeze_session_prompt(&self, session: SessionId, text: String) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                sqlx::query(REPLACE).bind(session).bind(text).bind(Timestamp::now()).execute(connection).await?;
                Ok(())
            })
        })
        .await
    }
}
