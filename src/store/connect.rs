//! Opening the file: extensions, pragmas, migrations, and one sentence for each way this can fail.

use super::StoreResult;
use sqlx::migrate::MigrateError;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, SqliteConnection, SqlitePool};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

static MIGRATOR: sqlx::migrate::Migrator = sqlx::migrate!("./migrations");

/// How long a connection waits for a lock that another process holds (a backup, the sqlite3 shell).
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// Readers at once; more than the cores would only queue inside SQLite.
const READERS: u32 = 4;

/// What can go wrong in the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite or the driver refused.
    #[error("the database refused: {0}")]
    Sql(#[from] sqlx::Error),
    /// A COMMIT failed; every command of its batch is told.
    #[error("the database could not commit: {0}")]
    Commit(String),
    /// The command panicked (a defect); its changes were undone.
    #[error("a database command panicked; its changes were undone")]
    Panicked,
    /// The writer has stopped: the server is shutting down.
    #[error("the database is closed")]
    Closed,
    /// A row holds something this version does not understand.
    #[error("unreadable row: {0}")]
    Corrupt(String),
    /// The rule of an aggregate forbids it; the text says which.
    #[error("{0}")]
    Conflict(&'static str),
    /// No such row, or not this user's.
    #[error("no such {0}")]
    NotFound(&'static str),
    /// The folder or file cannot be used.
    #[error("{path}: {problem}. Choose another folder with ALMAGEST_DATA_DIR, or make this one writable.", path = .path.display())]
    Unusable {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        problem: String,
    },
    /// A later version of Almagest has been here.
    #[error("{path} was written by a newer version of Almagest (its migration {version} is unknown here). Update the program, or restore a backup made by this version.", path = .path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The newest migration in it.
        version: i64,
    },
}

/// Registers sqlite-vec for every connection of this process; must run before the first one opens.
#[expect(unsafe_code, reason = "the C entry point of a statically linked extension can be registered in no other way")]
fn register_extensions() {
    static ONCE: Once = Once::new();
    type EntryPoint = unsafe extern "C" fn(
        *mut libsqlite3_sys::sqlite3,
        *mut *mut std::ffi::c_char,
        *const libsqlite3_sys::sqlite3_api_routines,
    ) -> std::ffi::c_int;
    ONCE.call_once(|| {
        // SAFETY: sqlite3_vec_init is an extension entry point; the crate declares it without its arguments.
        unsafe {
            let entry = std::mem::transmute::<*const (), EntryPoint>(sqlite_vec::sqlite3_vec_init as *const ());
            libsqlite3_sys::sqlite3_auto_extension(Some(entry));
        }
    });
}

/// Opens the reader pool and the writer's connection, with all migrations applied.
pub(super) async fn open(path: &Path) -> StoreResult<(SqlitePool, SqliteConnection)> {
    register_extensions();
    let unusable = |problem: String| StoreError::Unusable { path: path.to_owned(), problem };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)
            .map_err(|e| StoreError::Unusable { path: folder.to_owned(), problem: e.to_string() })?;
    }
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .disable_statement_logging();
    let mut writer = options.clone().connect().await.map_err(|e| unusable(e.to_string()))?;
    MIGRATOR.run(&mut writer).await.map_err(|e| {
        if let MigrateError::VersionMissing(version) = e {
            return StoreError::Newer { path: path.to_owned(), version };
        }
        unusable(e.to_string())
    })?;
    let reader = SqlitePoolOptions::new()
        .max_connections(READERS)
        .min_connections(1)
        .connect_with(options.create_if_missing(false).read_only(true))
        .await
        .map_err(|e| unusable(e.to_string()))?;
    Ok((reader, writer))
}
