//! Answers of the name resolvers, kept until they expire.

use super::{Store, StoreResult, statements};
use crate::time::Timestamp;
use sqlx::Row;

statements! {
    GET = "SELECT answer, fetched_at, expires_at FROM targets WHERE name = ?1";
    PUT = "INSERT INTO targets (name, answer, fetched_at, expires_at) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (name) DO UPDATE SET answer = excluded.answer, fetched_at = excluded.fetched_at, expires_at = excluded.expires_at";
}

/// A kept answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedTarget {
    /// The answer as JSON.
    pub answer: String,
    /// When it came.
    pub fetched_at: Timestamp,
    /// Until when it is taken without asking again.
    pub expires_at: Timestamp,
}

impl Store {
    /// The kept answer for a normalised name, expired or not.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn cached_target(&self, name: &str) -> StoreResult<Option<CachedTarget>> {
        let row = sqlx::query(GET).bind(name).fetch_optional(self.reader()).await?;
        row.map(|row| {
            Ok(CachedTarget { answer: row.try_get(0)?, fetched_at: row.try_get(1)?, expires_at: row.try_get(2)? })
        })
        .transpose()
    }

    /// Keeps an answer under a normalised name.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn keep_target(&self, name: &str, target: CachedTarget) -> StoreResult<()> {
        let name = name.to_owned();
        self.write(move |connection| {
            Box::pin(async move {
                sqlx::query(PUT)
                    .bind(name)
                    .bind(target.answer)
                    .bind(target.fetched_at)
                    .bind(target.expires_at)
                    .execute(connection)
                    .await?;
                Ok(())
            })
        })
        .await
    }
}
