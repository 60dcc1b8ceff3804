use super::*;
use crate::llm::types::{Entry, Finish, RawCall};
use parking_lot::Mutex;
use std::collections::VecDeque;

/// What a model does with one attempt.
#[derive(Debug, Clone, Copy)]
enum Does {
    Answer,
    Fail(ModelErrorKind),
    CallAndFail,
    /// Overloaded for the next hour.
    AskForAnHour,
}

/// Models that play what they are told, and a record of who was asked.
#[derive(Default)]
struct Stage {
    asked: Mutex<Vec<String>>,
    plays: Mutex<HashMap<String, VecDeque<Does>>>,
}

struct Actor(Arc<Stage>);

impl ModelClient for Actor {
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, ModelEvent> {
        self.0.asked.lock().push(request.model.clone());
        let does = self.0.plays.lock().get_mut(&request.model).and_then(VecDeque::pop_front);
        let error = |kind| ModelEvent::Failed(ModelError { kind, message: "busy".into(), retry_after: None });
        let events = match does.unwrap_or(Does::Answer) {
            Does::Answer => vec![ModelEvent::Text("hi".into()), ModelEvent::Finished(Finish::Stop)],
            Does::Fail(kind) => vec![error(kind)],
            Does::AskForAnHour => vec![ModelEvent::Failed(ModelError {
                kind: ModelErrorKind::RateLimited,
                message: "busy".into(),
                retry_after: Some(Duration::from_secs(3600)),
            })],
            Does::CallAndFail => {
                let call = RawCall { provider_id: "1".into(), name: "t".into(), arguments: "{}".into() };
                vec![ModelEvent::Call(call), error(ModelErrorKind::Overloaded)]
            }
        };
        Box::pin(futures::stream::iter(events))
    }
}

struct Play {
    pool: ModelPool,
    stage: Arc<Stage>,
    last: String,
}

impl Play {
    fn new(models: &[&str], plays: &[(&str, &[Does])]) -> Self {
        let stage = Arc::new(Stage::default());
        for (model, does) in plays {
            stage.plays.lock().insert((*model).to_owned(), does.iter().copied().collect());
        }
        let actor = |name: &&str| ((*name).to_owned(), Arc::new(Actor(Arc::clone(&stage))) as Arc<dyn ModelClient>);
        let pool = ModelPool::over(models.iter().map(actor).collect());
        Self { last: pool.serving(None), pool, stage }
    }

    /// One call; answers whom it asked, and its events.
    async fn call(&mut self, wanted: Option<&str>) -> (String, Vec<ModelEvent>) {
        self.stage.asked.lock().clear();
        let request = ModelRequest {
            model: self.last.clone(),
            system: String::new(),
            entries: vec![Entry::User { content: "q".into() }],
            tools: Vec::new(),
            enable_thinking: false,
            max_output_tokens: None,
        };
        let events: Vec<ModelEvent> = self.pool.stream(request, wanted).collect().await;
        for event in &events {
            if let ModelEvent::Switched { from, to, .. } = event {
                assert_eq!(*from, self.last, "a switch begins where the last one ended");
                self.last.clone_from(to);
            }
        }
        (self.stage.asked.lock().join(""), events)
    }
}

const BUSY: Does = Does::Fail(ModelErrorKind::Overloaded);
const LIMITED: Does = Does::Fail(ModelErrorKind::RateLimited);

fn switches(events: &[ModelEvent]) -> usize {
    events.iter().filter(|event| matches!(event, ModelEvent::Switched { .. })).count()
}

fn failure(events: &[ModelEvent]) -> Option<ModelErrorKind> {
    match events.last() {
        Some(ModelEvent::Failed(error)) => Some(error.kind),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn three_overloads_in_a_row_switch_to_the_next() {
    let mut play = Play::new(&["a", "b"], &[("a", &[BUSY, LIMITED, BUSY])]);
    let (asked, events) = play.call(None).await;
    assert_eq!((asked.as_str(), switches(&events), failure(&events)), ("aaab", 1, None));
    assert_eq!(events.iter().filter(|event| matches!(event, ModelEvent::Retrying { .. })).count(), 2);
    assert_eq!(play.pool.list()[0].health, ModelHealth::Overloaded);
    assert!(play.pool.list()[1].current && play.pool.list()[0].preferred);
}

#[tokio::test(start_paused = true)]
async fn overloads_of_earlier_calls_count_and_an_answer_forgets_them() {
    let mut play = Play::new(&["a", "b"], &[("a", &[BUSY, BUSY, Does::Answer, BUSY, BUSY, Does::Answer])]);
    assert_eq!(play.call(None).await.0, "aaa");
    assert_eq!(play.call(None).await.0, "aaa", "two and two are not three in a row");
    // A call went out each time, so nothing is repeated, but the overloads are counted.
    let mut play = Play::new(&["a", "b"], &[("a", &[Does::CallAndFail; 3])]);
    for _ in 0..3 {
        let (asked, events) = play.call(None).await;
        assert_eq!((asked.as_str(), failure(&events)), ("a", Some(ModelErrorKind::Overloaded)));
    }
    assert_eq!(play.call(None).await.0, "b");
}

#[tokio::test(start_paused = true)]
async fn the_run_fails_when_the_chain_has_gone_round_twice() {
    let mut play = Play::new(&["a", "b"], &[("a", &[BUSY; 20]), ("b", &[BUSY; 20])]);
    let (asked, events) = play.call(None).await;
    assert_eq!(asked, "aaabbbaaabbb");
    assert_eq!((switches(&events), failure(&events)), (3, Some(ModelErrorKind::Exhausted)));
}

#[tokio::test(start_paused = true)]
async fn what_another_model_would_not_cure_never_switches() {
    for kind in
        [ModelErrorKind::Authentication, ModelErrorKind::Quota, ModelErrorKind::TooLong, ModelErrorKind::Invalid]
    {
        let mut play = Play::new(&["a", "b"], &[("a", &[Does::Fail(kind)])]);
        let (asked, events) = play.call(None).await;
        assert_eq!((asked.as_str(), failure(&events)), ("a", Some(kind)));
    }
    let mut play = Play::new(&["a", "b"], &[("a", &[Does::Fail(ModelErrorKind::Server); 20])]);
    let (asked, events) = play.call(None).await;
    assert_eq!((asked.as_str(), switches(&events)), ("aaaaa", 0), "a server that fails is tried again, not left");
}

#[tokio::test(start_paused = true)]
async fn half_a_minute_later_the_preferred_model_is_tried_first_and_stays() {
    let mut play = Play::new(&["a", "b"], &[("a", &[BUSY; 3])]);
    play.call(None).await;
    assert_eq!(play.call(None).await.0, "b", "a moment later it is still left alone");
    tokio::time::advance(RECOVERY).await;
    let (asked, events) = play.call(None).await;
    assert_eq!((asked.as_str(), switches(&events)), ("a", 1));
    let (asked, events) = play.call(None).await;
    assert_eq!((asked.as_str(), switches(&events)), ("a", 0));
}

#[tokio::test(start_paused = true)]
async fn a_preferred_model_that_is_still_busy_is_left_at_once() {
    let mut play = Play::new(&["a", "b"], &[("a", &[BUSY; 4])]);
    play.call(None).await;
    tokio::time::advance(RECOVERY).await;
    assert_eq!(play.call(None).await.0, "ab");
}

#[tokio::test(start_paused = true)]
async fn a_session_has_its_own_wish() {
    let mut play = Play::new(&["a", "b"], &[("c", &[BUSY; 3])]);
    let (asked, events) = play.call(Some("b")).await;
    assert_eq!((asked.as_str(), switches(&events)), ("b", 1));
    let (asked, _) = play.call(Some("c")).await;
    assert_eq!(asked, "ccca", "a name that the chain does not have is asked for, and the chain follows");
    assert!(play.pool.choose("b") && !play.pool.choose("x"));
    assert_eq!((play.pool.serving(None), play.pool.serving(Some("a"))), ("b".to_owned(), "a".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn one_model_alone_is_tried_as_often_as_patience_has_it() {
    let mut play = Play::new(&["a"], &[("a", &[BUSY; 20])]);
    let (asked, events) = play.call(None).await;
    assert_eq!((asked.as_str(), failure(&events)), ("aaaaa", Some(ModelErrorKind::Overloaded)));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_wants_an_hour_is_left_for_the_next() {
    let mut play = Play::new(&["a", "b"], &[("a", &[Does::AskForAnHour])]);
    let (asked, events) = play.call(None).await;
    assert_eq!((asked.as_str(), failure(&events)), ("ab", None));
}
