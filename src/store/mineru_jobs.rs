//! Jobs of MinerU and their parts.

use super::{Store, StoreError, StoreResult, statements};
use crate::ids::{MineruJobId, PaperId};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use utoipa::ToSchema;

/// Where MinerU runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum MineruService {
    /// The service of its makers.
    Cloud,
    /// A server of one's own.
    Hosted,
}

/// States of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum MineruState {
    /// Sent, or about to be.
    Running,
    /// All parts have their result.
    Done,
    /// Given up; [`MineruJob::error`] says why.
    Failed,
    /// The user wants it no more.
    Cancelled,
}

/// A job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MineruJob {
    /// Its id.
    pub id: MineruJobId,
    /// The paper, when the file belongs to one.
    pub paper_id: Option<PaperId>,
    /// Who reads.
    pub service: MineruService,
    /// What the file is called where files are kept.
    pub file: String,
    /// The file's SHA-256 in hexadecimal.
    pub sha256: String,
    /// The number of pages, when it is known.
    pub pages: Option<u32>,
    /// Its state.
    pub state: MineruState,
    /// When it is given up.
    pub deadline: Timestamp,
    /// Why it failed.
    pub error: Option<String>,
    /// When it began.
    pub created_at: Timestamp,
    /// When its row last changed.
    pub updated_at: Timestamp,
}

/// A part of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct MineruPart {
    /// Its place among the parts, from 0.
    pub part: u32,
    /// The first page, from 1.
    pub first_page: u32,
    /// The last page; to the end of the file when absent.
    pub last_page: Option<u32>,
    /// The id of the task, once it is sent.
    pub remote_id: Option<String>,
    /// How often it was sent.
    pub attempt: u32,
    /// Pages that are read.
    pub pages_done: Option<u32>,
    /// Pages in all, as the service counts.
    pub pages_total: Option<u32>,
    /// The result: the content list.
    pub content_list: Option<String>,
    /// The result: width and height of the pages in points.
    pub sizes: Vec<[f32; 2]>,
}

/// The columns of a job.
macro_rules! columns {
    () => {
        "id, paper_id, service, file, sha256, pages, state, deadline, error, created_at, updated_at"
    };
}

statements! {
    ADD = "INSERT INTO mineru_jobs (id, paper_id, service, file, sha256, pages, state, deadline, error, created_at, updated_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    ADD_PART = "INSERT INTO mineru_parts (job_id, part, first_page, last_page) VALUES (?1, ?2, ?3, ?4)";
    GET = concat!("SELECT ", columns!(), " FROM mineru_jobs WHERE id = ?1");
    RUNNING_OF_FILE = concat!("SELECT ", columns!(), " FROM mineru_jobs WHERE service = ?1 AND sha256 = ?2 AND state = 'running'");
    RUNNING = concat!("SELECT ", columns!(), " FROM mineru_jobs WHERE state = 'running' ORDER BY created_at, id");
    OF_PAPER = concat!("SELECT ", columns!(), " FROM mineru_jobs WHERE paper_id = ?1 ORDER BY created_at DESC, id DESC LIMIT 50");
    PARTS = "SELECT part, first_page, last_page, remote_id, attempt, pages_done, pages_total, content_list, sizes
        FROM mineru_parts WHERE job_id = ?1 ORDER BY part";
    SENT = "UPDATE mineru_parts SET remote_id = ?3, attempt = attempt + 1, pages_done = NULL, pages_total = NULL
        WHERE job_id = ?1 AND part = ?2";
    PROGRESS = "UPDATE mineru_parts SET pages_done = ?3, pages_total = ?4 WHERE job_id = ?1 AND part = ?2";
    RESULT = "UPDATE mineru_parts SET content_list = ?3, sizes = ?4 WHERE job_id = ?1 AND part = ?2";
    TOUCH = "UPDATE mineru_jobs SET updated_at = ?2 WHERE id = ?1";
    END = "UPDATE mineru_jobs SET state = ?2, error = ?3, updated_at = ?4 WHERE id = ?1 AND state = 'running'";
    EXPIRE = "UPDATE mineru_jobs SET state = 'failed', error = ?2, updated_at = ?1 WHERE state = 'running' AND deadline <= ?1";
}

impl Store {
    /// Stores a job with its parts (first and last page of each). When the same file is being read by the same service
    /// already, that job is answered instead, and nothing is stored; the flag says whether the job is new.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn add_mineru_job(
        &self,
        job: MineruJob,
        parts: Vec<(u32, Option<u32>)>,
    ) -> StoreResult<(MineruJob, bool)> {
        self.write(move |connection| {
            Box::pin(async move {
                let running = sqlx::query(RUNNING_OF_FILE)
                    .bind(job.service)
                    .bind(&job.sha256)
                    .fetch_optional(&mut *connection)
                    .await?;
                if let Some(row) = running {
                    return Ok((read(&row)?, false));
                }
                insert(connection, &job).await?;
                for (part, (first, last)) in (0_u32..).zip(parts) {
                    sqlx::query(ADD_PART)
                        .bind(job.id)
                        .bind(part)
                        .bind(first)
                        .bind(last)
                        .execute(&mut *connection)
                        .await?;
                }
                Ok((job, true))
            })
        })
        .await
    }

    /// The job of this id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn mineru_job(&self, id: MineruJobId) -> StoreResult<MineruJob> {
        let row = sqlx::query(GET).bind(id).fetch_optional(self.reader()).await?;
        row.as_ref().map(read).transpose()?.ok_or(StoreError::NotFound("job"))
    }

    /// The parts of a job, in the order of the pages.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn mineru_parts(&self, id: MineruJobId) -> StoreResult<Vec<MineruPart>> {
        sqlx::query(PARTS).bind(id).fetch_all(self.reader()).await?.iter().map(read_part).collect()
    }

    /// The jobs that are not at their end, the oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn running_mineru_jobs(&self) -> StoreResult<Vec<MineruJob>> {
        sqlx::query(RUNNING).fetch_all(self.reader()).await?.iter().map(read).collect()
    }

    /// The newest jobs of a paper, at most 50.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn mineru_jobs_of(&self, paper: PaperId) -> StoreResult<Vec<MineruJob>> {
        sqlx::query(OF_PAPER).bind(paper).fetch_all(self.reader()).await?.iter().map(read).collect()
    }

    /// Keeps the id of the task that a part was sent as.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn mineru_part_sent(&self, job: MineruJobId, part: u32, remote_id: String) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                sqlx::query(SENT).bind(job).bind(part).bind(remote_id).execute(&mut *connection).await?;
                touch(connection, job).await
            })
        })
        .await
    }

    /// Keeps how far a part is.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn mineru_part_progress(
        &self,
        job: MineruJobId,
        part: u32,
        done: Option<u32>,
        total: Option<u32>,
    ) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                sqlx::query(PROGRESS).bind(job).bind(part).bind(done).bind(total).execute(&mut *connection).await?;
                touch(connection, job).await
            })
        })
        .await
    }

    /// Keeps the result of a part.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn mineru_part_result(
        &self,
        job: MineruJobId,
        part: u32,
        content_list: String,
        sizes: Vec<[f32; 2]>,
    ) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                sqlx::query(RESULT)
                    .bind(job)
                    .bind(part)
                    .bind(content_list)
                    .bind(sqlx::types::Json(sizes))
                    .execute(&mut *connection)
                    .await?;
                touch(connection, job).await
            })
        })
        .await
    }

    /// Ends a job that runs; answers whether it did.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn end_mineru_job(
        &self,
        job: MineruJobId,
        state: MineruState,
        error: Option<String>,
    ) -> StoreResult<bool> {
        self.write(move |connection| {
            Box::pin(async move {
                let now = Timestamp::now();
                let done = sqlx::query(END).bind(job).bind(state).bind(error).bind(now).execute(connection).await?;
                Ok(done.rows_affected() > 0)
            })
        })
        .await
    }

    /// Fails the jobs whose time is over, with this sentence; answers how many.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn expire_mineru_jobs(&self, now: Timestamp, why: &'static str) -> StoreResult<u64> {
        self.write(move |connection| {
            Box::pin(
                async move { Ok(sqlx::query(EXPIRE).bind(now).bind(why).execute(connection).await?.rows_affected()) },
            )
        })
        .await
    }
}

async fn insert(connection: &mut SqliteConnection, job: &MineruJob) -> StoreResult<()> {
    sqlx::query(ADD)
        .bind(job.id)
        .bind(job.paper_id)
        .bind(job.service)
        .bind(&job.file)
        .bind(&job.sha256)
        .bind(job.pages)
        .bind(job.state)
        .bind(job.deadline)
        .bind(&job.error)
        .bind(job.created_at)
        .bind(job.updated_at)
        .execute(connection)
        .await?;
    Ok(())
}

async fn touch(connection: &mut SqliteConnection, job: MineruJobId) -> StoreResult<()> {
    sqlx::query(TOUCH).bind(job).bind(Timestamp::now()).execute(connection).await?;
    Ok(())
}

fn read(row: &SqliteRow) -> StoreResult<MineruJob> {
    Ok(MineruJob {
        id: row.try_get("id")?,
        paper_id: row.try_get("paper_id")?,
        service: row.try_get("service")?,
        file: row.try_get("file")?,
        sha256: row.try_get("sha256")?,
        pages: row.try_get("pages")?,
        state: row.try_get("state")?,
        deadline: row.try_get("deadline")?,
        error: row.try_get("error")?,
        created_at: row.try_get("created_at")?,
        updated_at: row.try_get("updated_at")?,
    })
}

fn read_part(row: &SqliteRow) -> StoreResult<MineruPart> {
    let sizes: Option<sqlx::types::Json<Vec<[f32; 2]>>> = row.try_get("sizes")?;
    Ok(MineruPart {
        part: row.try_get("part")?,
        first_page: row.try_get("first_page")?,
        last_page: row.try_get("last_page")?,
        remote_id: row.try_get("remote_id")?,
        attempt: row.try_get("attempt")?,
        pages_done: row.try_get("pages_done")?,
        pages_total: row.try_get("pages_total")?,
        content_list: row.try_get("content_list")?,
        sizes: sizes.map(|json| json.0).unwrap_or_default(),
    })
}
