//! Everything that is kept: one SQLite file in WAL mode, one writer, many readers.
//!
//! [`Store`] is the handle. Reads go to a pool of read-only connections ([`Store::reader`]); writes are commands for the
//! single writer task ([`Store::write`]), which runs what is queued as one transaction with a savepoint for each command
//! and answers after COMMIT, so an acknowledged write survives a crash of the process. SQL stands in this folder alone,
//! one file for each aggregate, every statement declared with [`statements!`] so that a test can prepare all of them.

pub mod accounts;
pub mod audit;
pub mod compactions;
mod connect;
pub mod events;
pub mod fts;
pub mod history;
pub mod library;
pub mod memories;
pub mod messages;
pub mod mineru_jobs;
pub mod papers;
pub mod permissions;
pub mod prompts;
pub mod questions;
pub mod runs;
pub mod sessions;
pub mod targets;
pub mod todos;
mod writer;

pub use connect::StoreError;
pub use writer::{Command, WriteFuture};

use crate::ids::UserId;
use sqlx::SqlitePool;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::watch;

/// Result of a store operation.
pub type StoreResult<T> = Result<T, StoreError>;

/// Declares SQL statements as constants and lists them in `STATEMENTS`, so that one test prepares each of them.
macro_rules! statements {
    ($($(#[$doc:meta])* $name:ident = $sql:expr;)*) => {
        $($(#[$doc])* const $name: &str = $sql;)*
        /// Every statement of this file, by name; a test prepares them all.
        #[cfg(test)]
        pub(crate) const STATEMENTS: &[(&str, &str)] = &[$((stringify!($name), $name)),*];
    };
}
pub(crate) use statements;

/// Handle to the database; cheap to clone.
#[derive(Clone)]
pub struct Store {
    reader: SqlitePool,
    writer: writer::Writer,
    feed: Arc<events::Feed>,
    path: Arc<PathBuf>,
}

impl Store {
    /// Opens the database file, creating and migrating it when needed, and starts the writer task.
    ///
    /// # Errors
    /// When the folder cannot be written, the file is no database, or it was written by a newer version.
    pub async fn open(path: &Path) -> StoreResult<Self> {
        let (reader, connection) = connect::open(path).await?;
        let feed = Arc::new(events::Feed::default());
        let writer = writer::Writer::start(connection, feed.clone());
        Ok(Self { reader, writer, feed, path: Arc::new(path.to_owned()) })
    }

    /// The read-only pool.
    #[must_use]
    pub fn reader(&self) -> &SqlitePool {
        &self.reader
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs one command in the writer and answers after COMMIT.
    ///
    /// The command runs in a savepoint: when it fails, its own changes alone are undone.
    ///
    /// # Errors
    /// The command's own error, or that of the COMMIT (disk full, for example).
    pub async fn write<T, F>(&self, command: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut sqlx::SqliteConnection) -> WriteFuture<'c, T> + Send + 'static,
    {
        self.writer.run(command).await
    }

    /// Wakes whenever events of this user were committed; the value is the newest event id.
    #[must_use]
    pub fn subscribe(&self, user: UserId) -> watch::Receiver<i64> {
        self.feed.subscribe(user)
    }

    /// Answers whether the database can be read.
    ///
    /// # Errors
    /// When it cannot.
    pub async fn ping(&self) -> StoreResult<()> {
        sqlx::query("SELECT 1").execute(&self.reader).await?;
        Ok(())
    }

    /// Writes what is queued, then closes all connections.
    pub async fn close(&self) {
        self.writer.close().await;
        self.reader.close().await;
    }
}

#[cfg(test)]
pub(crate) mod tests;
