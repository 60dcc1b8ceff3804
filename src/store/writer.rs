//! The writer task: what is queued becomes one transaction, with a savepoint for each command.
//!
//! Measured against a pool of writers this is faster and has no starved tail, and it gives event ids that grow in
//! commit order, which the event streams rely on.

use super::events::Feed;
use super::{StoreError, StoreResult};
use futures::FutureExt;
use futures::future::BoxFuture;
use sqlx::{Connection, SqliteConnection};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// Commands in one transaction; beyond this the wait of the first would grow for no gain.
const BATCH: usize = 64;
/// Commands that may wait before callers do.
const QUEUE: usize = 1024;

/// What a command returns while it borrows the connection.
pub type WriteFuture<'c, T> = BoxFuture<'c, StoreResult<T>>;

/// A queued command: runs, and yields the closure that tells its caller once the batch is decided.
pub type Command = Box<dyn for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, Answer> + Send>;

/// How a command ended inside the transaction, and how to tell its caller.
pub struct Answer {
    succeeded: bool,
    /// Called after COMMIT with its outcome.
    tell: Box<dyn FnOnce(Result<(), String>) + Send>,
}

/// Handle to the writer task.
#[derive(Clone)]
pub(super) struct Writer {
    queue: mpsc::Sender<Job>,
}

enum Job {
    Run(Command),
    Close(oneshot::Sender<()>),
}

impl Writer {
    pub(super) fn start(connection: SqliteConnection, feed: Arc<Feed>) -> Self {
        let (queue, jobs) = mpsc::channel(QUEUE);
        tokio::spawn(work(connection, jobs, feed));
        Self { queue }
    }

    pub(super) async fn run<T, F>(&self, command: F) -> StoreResult<T>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> WriteFuture<'c, T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job: Command = Box::new(move |connection| {
            async move {
                let outcome = AssertUnwindSafe(async move { command(connection).await }).catch_unwind().await;
                let outcome = outcome.unwrap_or(Err(StoreError::Panicked));
                Answer {
                    succeeded: outcome.is_ok(),
                    tell: Box::new(move |committed| {
                        // A caller that has gone away does not undo its write.
                        let _ = reply.send(match committed {
                            Ok(()) => outcome,
                            Err(why) => outcome.and(Err(StoreError::Commit(why))),
                        });
                    }),
                }
            }
            .boxed()
        });
        self.queue.send(Job::Run(job)).await.map_err(|_| StoreError::Closed)?;
        answer.await.map_err(|_| StoreError::Closed)?
    }

    pub(super) async fn close(&self) {
        let (done, wait) = oneshot::channel();
        if self.queue.send(Job::Close(done)).await.is_ok() {
            let _ = wait.await;
        }
    }
}

async fn work(mut connection: SqliteConnection, mut jobs: mpsc::Receiver<Job>, feed: Arc<Feed>) {
    let mut batch = Vec::with_capacity(BATCH);
    while jobs.recv_many(&mut batch, BATCH).await > 0 {
        let mut closing = Vec::new();
        let mut commands = Vec::with_capacity(batch.len());
        for job in batch.drain(..) {
            match job {
                Job::Run(command) => commands.push(command),
                Job::Close(done) => closing.push(done),
            }
        }
        if !commands.is_empty() {
            transact(&mut connection, commands, &feed).await;
        }
        if !closing.is_empty() {
            let _ = connection.close().await;
            for done in closing {
                let _ = done.send(());
            }
            return;
        }
    }
    let _ = connection.close().await;
}

/// Runs the commands as one transaction and tells every caller how it ended.
async fn transact(connection: &mut SqliteConnection, commands: Vec<Command>, feed: &Feed) {
    let mut answers = Vec::with_capacity(commands.len());
    let committed = match sqlx::query("BEGIN IMMEDIATE").execute(&mut *connection).await {
        Err(e) => Err(e.to_string()),
        Ok(_) => {
            let mut result = Ok(());
            for command in commands {
                match savepoint(connection, command).await {
                    Ok(answer) => answers.push(answer),
                    // The transaction itself is gone (disk full, I/O error): later commands must not run outside one.
                    Err((answer, why)) => {
                        answers.extend(answer);
                        result = Err(why);
                        break;
                    }
                }
            }
            match result {
                Ok(()) => sqlx::query("COMMIT").execute(&mut *connection).await.map(drop).map_err(|e| e.to_string()),
                Err(why) => Err(why),
            }
        }
    };
    match &committed {
        Ok(()) => feed.publish(connection).await,
        Err(why) => {
            tracing::error!("a database transaction failed: {why}");
            // Fails when SQLite has already rolled back by itself, which is as good.
            let _ = sqlx::query("ROLLBACK").execute(connection).await;
        }
    }
    for answer in answers {
        (answer.tell)(committed.clone());
    }
    // Commands that never ran drop their sender here; their callers see `Closed`, and nothing of them was written.
}

async fn savepoint(connection: &mut SqliteConnection, command: Command) -> Result<Answer, (Option<Answer>, String)> {
    sqlx::query("SAVEPOINT command").execute(&mut *connection).await.map_err(|e| (None, e.to_string()))?;
    let answer = command(connection).await;
    let end = if answer.succeeded {
        sqlx::query("RELEASE command").execute(&mut *connection).await
    } else {
        match sqlx::query("ROLLBACK TO command").execute(&mut *connection).await {
            Ok(_) => sqlx::query("RELEASE command").execute(&mut *connection).await,
            Err(e) => Err(e),
        }
    };
    match end {
        Ok(_) => Ok(answer),
        Err(e) => Err((Some(answer), e.to_string())),
    }
}
