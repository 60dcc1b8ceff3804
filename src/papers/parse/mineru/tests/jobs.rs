//! Jobs from their start to their end, through faults and restarts.

use super::server::{Fault, Server};
use crate::ids::MineruJobId;
use crate::papers::parse::document::{Block, plain};
use crate::papers::parse::mineru::archive::tests::zip;
use crate::papers::parse::mineru::jobs::{JobError, Jobs, Order, Rhythm, Shelf};
use crate::papers::parse::mineru::{Cloud, Hosted, Service, read_parts};
use crate::store::Store;
use crate::store::mineru_jobs::{MineruJob, MineruService, MineruState};
use async_trait::async_trait;
use bytes::Bytes;
use parking_lot::Mutex;
use pretty_assertions::assert_eq;
use rstest::rstest;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// A shelf in memory.
#[derive(Default)]
struct Memory {
    images: Mutex<Vec<String>>,
    lost: bool,
}

#[async_trait]
impl Shelf for Memory {
    async fn pdf(&self, _job: &MineruJob) -> Result<Bytes, String> {
        if self.lost { Err("the file is gone".to_owned()) } else { Ok(Bytes::from_static(b"%PDF")) }
    }

    async fn keep_image(&self, _job: &MineruJob, name: &str, _bytes: Bytes) -> Result<(), String> {
        self.images.lock().push(name.to_owned());
        Ok(())
    }
}

struct Desk {
    _folder: tempfile::TempDir,
    store: Store,
    server: Server,
    shelf: Arc<Memory>,
    rhythm: Rhythm,
}

impl Desk {
    async fn new() -> Self {
        let (_folder, store) = crate::store::tests::open().await;
        let quick = Duration::from_millis(1);
        let rhythm = Rhythm { first: quick, longest: quick * 3, deadline: Duration::from_secs(60) };
        Self { _folder, store, server: Server::start().await, shelf: Arc::default(), rhythm }
    }

    fn jobs(&self) -> Jobs {
        let cloud: Arc<dyn Service> = Arc::<Cloud>::new(self.server.cloud());
        let hosted: Arc<dyn Service> = Arc::<Hosted>::new(self.server.hosted());
        Jobs::new(self.store.clone(), vec![cloud, hosted], self.shelf.clone(), self.rhythm)
    }

    async fn ended(&self, jobs: &Jobs, order: Order) -> MineruJob {
        let job = jobs.start(order).await.unwrap();
        jobs.idle().await;
        self.store.mineru_job(job.id).await.unwrap()
    }
}

fn order(service: MineruService, pages: Option<u32>) -> Order {
    Order { paper_id: None, service, file: "a.pdf".to_owned(), sha256: "ab12".repeat(16), pages }
}

#[rstest]
#[case(MineruService::Cloud)]
#[case(MineruService::Hosted)]
#[tokio::test]
async fn a_long_paper_is_sent_in_parts_and_comes_back_as_one(#[case] service: MineruService) {
    let desk = Desk::new().await;
    let jobs = desk.jobs();
    let job = desk.ended(&jobs, order(service, Some(450))).await;
    assert_eq!((job.state, job.error.as_deref()), (MineruState::Done, None));
    let parts = desk.store.mineru_parts(job.id).await.unwrap();
    let pages: Vec<_> = parts.iter().map(|part| (part.first_page, part.last_page, part.attempt)).collect();
    assert_eq!(pages, [(1, Some(200), 1), (201, Some(400), 1), (401, Some(450), 1)]);
    let read = read_parts(&jobs.result(job.id).await.unwrap().mineru_parts).unwrap();
    let words: Vec<String> = read
        .body
        .iter()
        .filter_map(|block| {
            if let Block::Paragraph(content) = block {
                return Some(plain(content));
            }
            if let Block::Page(page) = block { Some(format!("<{page}>")) } else { None }
        })
        .collect();
    let expected = [
        "<1>",
        "Text from page 1.",
        "<2>",
        "<201>",
        "Text from page 201.",
        "<202>",
        "<401>",
        "Text from page 401.",
        "<402>",
    ];
    assert_eq!(words, expected);
    assert_eq!(desk.shelf.images.lock().len(), 3);
    // The sizes of the pages give the images their places.
    let place = read
        .body
        .iter()
        .find_map(|block| if let Block::Figure(figure) = block { figure.images[0].place } else { None });
    assert_eq!(place.map(|place| (place.page, place.bounds)), Some((2, [0.0, 0.0, 300.0, 400.0])));
}

#[tokio::test]
async fn a_restart_goes_on_with_the_same_tasks() {
    let desk = Desk::new().await;
    desk.server.inner.lock().steps = usize::MAX;
    let jobs = desk.jobs();
    let job = jobs.start(order(MineruService::Cloud, Some(300))).await.unwrap();
    while desk.server.count("GET /api/v4/extract-results") < 6 {
        tokio::task::yield_now().await;
    }
    jobs.close().await;
    assert_eq!(desk.store.mineru_job(job.id).await.unwrap().state, MineruState::Running);
    desk.server.inner.lock().steps = 3;
    let jobs = desk.jobs();
    assert_eq!(jobs.recover().await.unwrap(), 1);
    jobs.idle().await;
    assert_eq!(desk.store.mineru_job(job.id).await.unwrap().state, MineruState::Done);
    assert_eq!(desk.server.count("PUT "), 2, "no part was sent a second time");
    assert_eq!(jobs.recover().await.unwrap(), 0);
}

#[rstest]
#[case(1, MineruState::Done)]
#[case(usize::MAX, MineruState::Failed)]
#[tokio::test]
async fn a_task_that_a_server_forgot_is_sent_once_more(#[case] forgotten: usize, #[case] expected: MineruState) {
    let desk = Desk::new().await;
    desk.server.inner.lock().steps = usize::MAX;
    let jobs = desk.jobs();
    let job = jobs.start(order(MineruService::Hosted, None)).await.unwrap();
    while desk.server.count("GET /tasks/") < 2 {
        tokio::task::yield_now().await;
    }
    jobs.close().await;
    {
        let mut inner = desk.server.inner.lock();
        (inner.steps, inner.forgotten) = (3, forgotten);
    }
    let jobs = desk.jobs();
    jobs.recover().await.unwrap();
    jobs.idle().await;
    let job = desk.store.mineru_job(job.id).await.unwrap();
    assert_eq!(job.state, expected, "{:?}", job.error);
    assert_eq!(desk.server.count("POST /tasks"), 2);
    assert_eq!(desk.store.mineru_parts(job.id).await.unwrap()[0].attempt, 2);
    if expected == MineruState::Failed {
        assert!(job.error.unwrap().contains("Start the job again"));
    }
}

#[tokio::test]
async fn a_task_that_the_cloud_does_not_know_is_not_paid_for_again() {
    let desk = Desk::new().await;
    desk.server.inner.lock().forgotten = usize::MAX;
    let job = desk.ended(&desk.jobs(), order(MineruService::Cloud, None)).await;
    assert_eq!((job.state, desk.server.count("PUT ")), (MineruState::Failed, 1));
}

#[tokio::test]
async fn what_passes_is_waited_for() {
    let desk = Desk::new().await;
    desk.server
        .fault("submit", Fault::Cut)
        .fault("submit", Fault::Json(503, json!({"detail": "at capacity"})))
        .fault("poll", Fault::Body(502, b"<html>".to_vec()))
        .fault("poll", Fault::Cut)
        .fault("result", Fault::Cut)
        .fault("result", Fault::Json(202, json!({})));
    let job = desk.ended(&desk.jobs(), order(MineruService::Hosted, None)).await;
    assert_eq!((job.state, job.error), (MineruState::Done, None));
    assert_eq!(desk.store.mineru_parts(job.id).await.unwrap()[0].attempt, 1);
}

#[tokio::test]
async fn a_server_that_stays_broken_is_given_up() {
    let desk = Desk::new().await;
    for _ in 0..100 {
        desk.server.fault("submit", Fault::Json(503, json!({"detail": "at capacity"})));
    }
    let job = desk.ended(&desk.jobs(), order(MineruService::Hosted, None)).await;
    assert_eq!(job.state, MineruState::Failed);
    assert!(job.error.unwrap().contains("too busy or broken"));
    assert!(desk.server.count("POST /tasks") < 30);
}

#[tokio::test]
async fn a_used_up_quota_fails_at_once_with_what_to_do() {
    let desk = Desk::new().await;
    desk.server.fault("announce", Fault::Json(200, json!({"code": -60018, "msg": "limit"})));
    let job = desk.ended(&desk.jobs(), order(MineruService::Cloud, None)).await;
    assert_eq!(job.state, MineruState::Failed);
    let error = job.error.unwrap();
    assert!(error.starts_with("Today's pages") && error.contains("Go on tomorrow"), "{error}");
    assert_eq!(desk.server.count(""), 1);
}

#[tokio::test]
async fn results_that_are_no_papers_fail_the_job_and_leave_nothing() {
    let bomb = zip(&[("x_content_list.json", &vec![b' '; (1 << 20) + 1])]);
    let cases = [
        (zip(&[("x_content_list.json", b"[]"), ("../../images/a.jpg", b"\xff\xd8\xff")]), "unsafe name"),
        (bomb, "unpacks to more"),
        (b"{\"results\": {}}".to_vec(), "no zip archive"),
        (zip(&[("x_content_list.json", b"{\"a\": 1}")]), "is no list"),
        (zip(&[("x_content_list.json", b"[]")]), "found nothing"),
        (zip(&[("full.md", b"# x")]), "no content list"),
    ];
    let desk = Desk::new().await;
    let jobs = desk.jobs();
    for (result, why) in cases {
        desk.server.inner.lock().result = Some(result);
        let job = desk.ended(&jobs, order(MineruService::Hosted, None)).await;
        assert_eq!(job.state, MineruState::Failed, "{why}");
        assert!(job.error.as_ref().unwrap().contains(why), "{why}: {:?}", job.error);
        assert!(matches!(jobs.result(job.id).await, Err(JobError::NoResult(_))));
    }
    assert!(desk.shelf.images.lock().is_empty());
}

#[tokio::test]
async fn nothing_is_waited_for_beyond_its_deadline() {
    let mut desk = Desk::new().await;
    desk.rhythm.deadline = Duration::from_millis(300);
    desk.server.inner.lock().steps = usize::MAX;
    let jobs = desk.jobs();
    let job = desk.ended(&jobs, order(MineruService::Cloud, None)).await;
    assert_eq!(job.state, MineruState::Failed);
    assert!(job.error.as_ref().unwrap().contains("did not finish in time"));
    // One whose time ran out while the server was down is swept at the start, and nobody is asked.
    let late = MineruJob { id: MineruJobId::new(), state: MineruState::Running, error: None, ..job };
    desk.store.add_mineru_job(late.clone(), vec![(1, None)]).await.unwrap();
    let asked = desk.server.count("");
    assert_eq!(desk.jobs().recover().await.unwrap(), 0);
    assert_eq!(desk.store.mineru_job(late.id).await.unwrap().state, MineruState::Failed);
    assert_eq!(desk.server.count(""), asked);
}

#[tokio::test]
async fn a_job_can_be_cancelled_once_and_a_file_is_read_once_at_a_time() {
    let desk = Desk::new().await;
    desk.server.inner.lock().steps = usize::MAX;
    let jobs = desk.jobs();
    let first = jobs.start(order(MineruService::Cloud, None)).await.unwrap();
    let again = jobs.start(order(MineruService::Cloud, None)).await.unwrap();
    assert_eq!(first.id, again.id);
    assert!(jobs.cancel(first.id).await.unwrap());
    assert!(!jobs.cancel(first.id).await.unwrap());
    jobs.idle().await;
    assert_eq!(desk.store.mineru_job(first.id).await.unwrap().state, MineruState::Cancelled);
    assert!(matches!(jobs.result(first.id).await, Err(JobError::NoResult(_))));
    let next = jobs.start(order(MineruService::Cloud, None)).await.unwrap();
    assert_ne!(next.id, first.id);
    jobs.close().await;
}

#[tokio::test]
async fn a_lost_file_and_a_service_that_is_gone_are_said() {
    let mut desk = Desk::new().await;
    desk.shelf = Arc::new(Memory { lost: true, ..Memory::default() });
    let job = desk.ended(&desk.jobs(), order(MineruService::Cloud, None)).await;
    assert_eq!(job.error.as_deref(), Some("The file is gone."));
    desk.shelf = Arc::default();
    desk.server.inner.lock().steps = usize::MAX;
    let jobs = desk.jobs();
    let job = jobs.start(order(MineruService::Cloud, None)).await.unwrap();
    jobs.close().await;
    let none = Jobs::new(desk.store.clone(), Vec::new(), desk.shelf.clone(), desk.rhythm);
    assert!(matches!(none.start(order(MineruService::Hosted, None)).await, Err(JobError::NotSetUp)));
    assert_eq!(none.recover().await.unwrap(), 0);
    let job = desk.store.mineru_job(job.id).await.unwrap();
    assert!(job.state == MineruState::Failed && job.error.unwrap().contains("set MINERU_API_KEY"));
}
