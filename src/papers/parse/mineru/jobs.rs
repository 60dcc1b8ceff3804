//! Jobs: rows first, then requests, so that a restart loses no task that is paid for.
//!
//! A job has one part for each task. [`Jobs::start`] stores it and drives it in the background: parts without a task are
//! sent, those with one are asked about, results are kept. After a restart [`Jobs::recover`] goes on with the ids in the
//! rows, and fails what is over its time. The deadline is a time of day in the row: no job waits for ever.

use super::read::has_content;
use super::service::{Pages, Progress, Service, Upload};
use super::{Bundle, MineruError, Part, Refusal, archive};
use crate::ids::{MineruJobId, PaperId};
use crate::store::mineru_jobs::{MineruJob, MineruPart, MineruService, MineruState};
use crate::store::{Store, StoreError};
use crate::time::Timestamp;
use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How often a part is sent at most: once more when a server forgot it.
const MOST_ATTEMPTS: u32 = 2;
/// Failures in a row that are taken for passing; with the pauses between them about ten minutes.
const PATIENCE: u32 = 20;
/// Files and results that move at the same time.
const TRANSFERS: usize = 2;
/// What stands in the row of a job whose time is over.
const EXPIRED: &str =
    "MinerU did not finish in time. Try again later, or raise MINERU_DEADLINE_MINUTES for papers of this length.";

/// Where files are kept.
#[async_trait]
pub trait Shelf: Send + Sync {
    /// The PDF of a job, by the name in its row.
    ///
    /// # Errors
    /// With a sentence when it is not there any more.
    async fn pdf(&self, job: &MineruJob) -> Result<Bytes, String>;

    /// Keeps an image of the result under the name that the document has: `images/ab12.jpg`.
    ///
    /// # Errors
    /// With a sentence when it cannot be written.
    async fn keep_image(&self, job: &MineruJob, name: &str, bytes: Bytes) -> Result<(), String>;
}

/// What is to be read.
#[derive(Debug, Clone)]
pub struct Order {
    /// The paper, when the file belongs to one.
    pub paper_id: Option<PaperId>,
    /// Who reads.
    pub service: MineruService,
    /// What the file is called on the [`Shelf`].
    pub file: String,
    /// Its SHA-256 in hexadecimal.
    pub sha256: String,
    /// The number of pages; without it a long paper cannot be split.
    pub pages: Option<u32>,
}

/// When to ask and when to give up.
#[derive(Debug, Clone, Copy)]
pub struct Rhythm {
    /// Before the second question; each later pause is longer by half.
    pub first: Duration,
    /// The longest pause.
    pub longest: Duration,
    /// From the start of a job until it is given up.
    pub deadline: Duration,
}

impl Rhythm {
    /// For services as they are, with this deadline.
    #[must_use]
    pub fn within(deadline: Duration) -> Self {
        Self { first: Duration::from_secs(2), longest: Duration::from_secs(30), deadline }
    }
}

/// Why there is no job, or no result of it.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The service is not set up.
    #[error(
        "this MinerU service is not set up: set MINERU_API_KEY for the cloud, or MINERU_API_URL for a server of your own."
    )]
    NotSetUp,
    /// The job has no result yet, or never will.
    #[error("the job has no result: {0}")]
    NoResult(String),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a job that ran has failed.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Service(#[from] MineruError),
    #[error("{0}")]
    Shelf(String),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Failure {
    fn passes(&self) -> bool {
        match self {
            Self::Service(error) => error.passes(),
            Self::Shelf(_) | Self::Refused(_) | Self::Store(_) => false,
        }
    }
}

/// The jobs; cheap to clone.
#[derive(Clone)]
pub struct Jobs {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    services: Vec<Arc<dyn Service>>,
    shelf: Arc<dyn Shelf>,
    rhythm: Rhythm,
    driven: Mutex<HashMap<MineruJobId, CancellationToken>>,
    tasks: TaskTracker,
    stop: CancellationToken,
    /// Files and results are in memory while they move.
    transfers: Semaphore,
}

impl Jobs {
    /// With the services that are set up.
    #[must_use]
    pub fn new(store: Store, services: Vec<Arc<dyn Service>>, shelf: Arc<dyn Shelf>, rhythm: Rhythm) -> Self {
        let inner = Inner {
            store,
            services,
            shelf,
            rhythm,
            driven: Mutex::default(),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
            transfers: Semaphore::new(TRANSFERS),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The services that are set up, the preferred one first.
    #[must_use]
    pub fn services(&self) -> Vec<MineruService> {
        self.inner.services.iter().map(|service| service.kind()).collect()
    }

    /// Stores a job and begins it; the same file is not read twice at a time.
    ///
    /// # Errors
    /// When the service is not set up, or the database cannot be written.
    pub async fn start(&self, order: Order) -> Result<MineruJob, JobError> {
        let service = self.inner.service(order.service).ok_or(JobError::NotSetUp)?;
        let now = Timestamp::now();
        let job = MineruJob {
            id: MineruJobId::new(),
            paper_id: order.paper_id,
            service: order.service,
            file: order.file,
            sha256: order.sha256,
            pages: order.pages,
            state: MineruState::Running,
            deadline: now.plus(self.inner.rhythm.deadline),
            error: None,
            created_at: now,
            updated_at: now,
        };
        let parts = Pages::parts(job.pages, service.most_pages()).into_iter().map(|part| (part.first, part.last));
        let (job, new) = self.inner.store.add_mineru_job(job, parts.collect()).await?;
        if new {
            self.drive(job.clone(), service);
        }
        Ok(job)
    }

    /// At the start of the server: fails what is over its time, and goes on with the rest. Answers how many go on.
    ///
    /// # Errors
    /// When the database cannot be read or written.
    pub async fn recover(&self) -> Result<usize, JobError> {
        let expired = self.inner.store.expire_mineru_jobs(Timestamp::now(), EXPIRED).await?;
        if expired > 0 {
            tracing::info!("{expired} jobs of MinerU were over their time");
        }
        let mut count = 0;
        for job in self.inner.store.running_mineru_jobs().await? {
            match self.inner.service(job.service) {
                Some(service) => {
                    self.drive(job, service);
                    count += 1;
                }
                None => {
                    let why = JobError::NotSetUp.to_string();
                    self.inner.store.end_mineru_job(job.id, MineruState::Failed, Some(why)).await?;
                }
            }
        }
        Ok(count)
    }

    /// Ends a job that runs; answers whether it did. The service may go on with it: it cannot be told to stop.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn cancel(&self, job: MineruJobId) -> Result<bool, JobError> {
        let ended = self.inner.store.end_mineru_job(job, MineruState::Cancelled, None).await?;
        if let Some(driven) = self.inner.driven.lock().remove(&job) {
            driven.cancel();
        }
        Ok(ended)
    }

    /// The result of a job that is done: what `read_bundle` makes a document of.
    ///
    /// # Errors
    /// When it is not done.
    pub async fn result(&self, job: MineruJobId) -> Result<Bundle, JobError> {
        let job = self.inner.store.mineru_job(job).await?;
        match job.state {
            MineruState::Done => {}
            MineruState::Running => return Err(JobError::NoResult("it is still running.".to_owned())),
            MineruState::Cancelled => return Err(JobError::NoResult("it was cancelled.".to_owned())),
            MineruState::Failed => return Err(JobError::NoResult(job.error.unwrap_or_default())),
        }
        let parts = self.inner.store.mineru_parts(job.id).await?;
        let part = |part: MineruPart| {
            Some(Part { content_list: part.content_list?, first_page: part.first_page, sizes: part.sizes })
        };
        Ok(Bundle { mineru_parts: parts.into_iter().filter_map(part).collect() })
    }

    /// Waits until the jobs that are driven have ended.
    pub async fn idle(&self) {
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
        self.inner.tasks.reopen();
    }

    /// Stops driving; the jobs go on after the next [`Jobs::recover`].
    pub async fn close(&self) {
        self.inner.stop.cancel();
        self.idle().await;
    }

    fn drive(&self, job: MineruJob, service: Arc<dyn Service>) {
        let inner = self.inner.clone();
        let stop = inner.stop.child_token();
        {
            let mut driven = inner.driven.lock();
            // After a restart of the jobs alone, one may still be driven.
            if driven.contains_key(&job.id) {
                return;
            }
            driven.insert(job.id, stop.clone());
        }
        self.inner.tasks.spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = inner.run(&job, service.as_ref()) => {}
            }
            inner.driven.lock().remove(&job.id);
        });
    }
}

impl Inner {
    fn service(&self, kind: MineruService) -> Option<Arc<dyn Service>> {
        self.services.iter().find(|service| service.kind() == kind).cloned()
    }

    /// Drives a job to its end, and writes the end down.
    async fn run(&self, job: &MineruJob, service: &dyn Service) {
        let left = job.deadline.since(Timestamp::now());
        let (state, error) = match tokio::time::timeout(left, self.work(job, service)).await {
            Ok(Ok(())) => (MineruState::Done, None),
            Ok(Err(failure)) => (MineruState::Failed, Some(sentence(&failure.to_string()))),
            Err(_) => (MineruState::Failed, Some(EXPIRED.to_owned())),
        };
        if let Err(error) = self.store.end_mineru_job(job.id, state, error).await {
            tracing::error!("the end of a job of MinerU could not be stored: {error}");
        }
    }

    async fn work(&self, job: &MineruJob, service: &dyn Service) -> Result<(), Failure> {
        // It may have been cancelled before it was driven.
        if self.store.mineru_job(job.id).await?.state != MineruState::Running {
            return Ok(());
        }
        let mut parts = self.store.mineru_parts(job.id).await?;
        let (mut pause, mut failures) = (self.rhythm.first, 0);
        loop {
            let mut went_on = false;
            for part in parts.iter_mut().filter(|part| part.content_list.is_none()) {
                match self.step(job, part, service).await {
                    Ok(moved) => {
                        went_on |= moved;
                        failures = 0;
                    }
                    Err(failure) if failure.passes() && failures < PATIENCE => failures += 1,
                    Err(failure) => return Err(failure),
                }
            }
            if parts.iter().all(|part| part.content_list.is_some()) {
                return if filled(&parts) { Ok(()) } else { Err(Refusal::Empty.into()) };
            }
            pause = if went_on { self.rhythm.first } else { (pause * 3 / 2).min(self.rhythm.longest) };
            tokio::time::sleep(pause).await;
        }
    }

    /// One step of a part: it is sent, asked about or fetched. Answers whether something changed.
    async fn step(&self, job: &MineruJob, part: &mut MineruPart, service: &dyn Service) -> Result<bool, Failure> {
        let Some(task) = part.remote_id.clone() else {
            let _place = self.transfers.acquire().await;
            let bytes = self.shelf.pdf(job).await.map_err(Failure::Shelf)?;
            let upload = Upload { name: format!("{}.pdf", short_name(&job.sha256)), bytes };
            let pages = Pages { first: part.first_page, last: part.last_page };
            let task = service.submit(&upload, pages).await?;
            self.store.mineru_part_sent(job.id, part.part, task.clone()).await?;
            part.remote_id = Some(task);
            part.attempt += 1;
            return Ok(true);
        };
        let outcome = match service.poll(&task).await {
            Ok(Progress::Ready) => {
                let _place = self.transfers.acquire().await;
                match service.fetch(&task).await {
                    Ok(zip) => return self.keep(job, part, zip).await,
                    Err(error) => Err(error),
                }
            }
            Ok(Progress::Waiting) => Ok((None, None)),
            Ok(Progress::Running { done, total }) => Ok((done, total)),
            Err(error) => Err(error),
        };
        match outcome {
            Ok((done, total)) => {
                let moved = (done, total) != (part.pages_done, part.pages_total);
                if moved {
                    self.store.mineru_part_progress(job.id, part.part, done, total).await?;
                    (part.pages_done, part.pages_total) = (done, total);
                }
                Ok(moved)
            }
            Err(MineruError::Forgotten) if service.forgets() && part.attempt < MOST_ATTEMPTS => {
                part.remote_id = None;
                Ok(true)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn keep(&self, job: &MineruJob, part: &mut MineruPart, zip: Bytes) -> Result<bool, Failure> {
        // Unpacking is work for a thread of its own: it may take a second.
        let read = tokio::task::spawn_blocking(move || {
            let extract = archive::unpack(&zip).map_err(MineruError::from)?;
            // A part may be blank pages alone.
            has_content(&extract.content_list)?;
            Ok::<_, Failure>(extract)
        });
        let lost = |error: tokio::task::JoinError| {
            Failure::Service(MineruError::Unreadable(format!("reading the result failed, which is a defect ({error})")))
        };
        let extract = read.await.map_err(lost)??;
        for (name, bytes) in extract.images {
            self.shelf.keep_image(job, &name, bytes).await.map_err(Failure::Shelf)?;
        }
        let sizes = extract.sizes;
        self.store.mineru_part_result(job.id, part.part, extract.content_list.clone(), sizes.clone()).await?;
        (part.content_list, part.sizes) = (Some(extract.content_list), sizes);
        Ok(true)
    }
}

/// Whether any part has more than blank pages.
fn filled(parts: &[MineruPart]) -> bool {
    parts.iter().filter_map(|part| part.content_list.as_deref()).any(|list| has_content(list).unwrap_or(false))
}

/// The service learns no title of the paper.
fn short_name(sha256: &str) -> String {
    sha256.chars().filter(char::is_ascii_alphanumeric).take(16).collect()
}

/// With a capital and a stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let text = format!("{first}{}", letters.as_str());
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}
