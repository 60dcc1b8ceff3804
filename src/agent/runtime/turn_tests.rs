use super::*;
use crate::agent::runtime::duplicates;
use crate::llm::types::ModelErrorKind;
use crate::store::runs::RunStatus;
use proptest::prelude::*;
use serde_json::json;
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

/// Names decide what a call is: `r…` is safe, `x…` is rejected, `f…` ends fatally.
struct Names;

impl Toolbox for Names {
    fn prepare(&self, raw: RawCall) -> PreparedCall {
        let mut call = PreparedCall::ready(raw.name.clone(), json!({ "n": raw.arguments }), raw.name.starts_with('r'));
        call.rejection = raw.name.starts_with('x').then(|| "no such tool".to_owned());
        call
    }
}

fn call(name: &str) -> Input {
    let raw = RawCall { provider_id: String::new(), name: name.into(), arguments: String::new() };
    Input::Model(ModelEvent::Call(raw))
}

fn text(delta: &str) -> Input {
    Input::Model(ModelEvent::Text(delta.into()))
}

fn finished() -> Input {
    Input::Model(ModelEvent::Finished(Finish::Stop))
}

fn done(call: &PreparedCall, content: &str) -> Input {
    let fatal = call.name.starts_with('f').then(|| "the disk is gone".to_owned());
    Input::ToolDone(CallResult { fatal, is_error: false, ..CallResult::not_run(call.clone(), 1, content) })
}

/// A turn that is streaming its first answer.
fn streaming() -> Turn {
    let mut turn = Turn::new(Vec::new(), 0, 40);
    assert_eq!(turn.handle(Input::Begin, &Names), [Effect::TakeQueued]);
    let question = Entry::User { content: "q".into() };
    assert_eq!(turn.handle(Input::Queued(vec![question]), &Names), [Effect::CallModel { step: 1 }]);
    turn
}

fn feed(turn: &mut Turn, inputs: impl IntoIterator<Item = Input>) -> Vec<Effect> {
    inputs.into_iter().flat_map(|input| turn.handle(input, &Names)).collect()
}

fn batches(effects: &[Effect]) -> Vec<Vec<PreparedCall>> {
    let batch = |effect: &Effect| if let Effect::RunBatch(calls) = effect { Some(calls.clone()) } else { None };
    effects.iter().filter_map(batch).collect()
}

fn results(effects: &[Effect]) -> Vec<CallResult> {
    let result = |effect: &Effect| if let Effect::StoreResult(result) = effect { Some(result.clone()) } else { None };
    effects.iter().filter_map(result).collect()
}

fn outcome(effects: &[Effect]) -> Option<Outcome> {
    effects.iter().find_map(|effect| if let Effect::Finish(outcome) = effect { Some(outcome.clone()) } else { None })
}

#[test]
fn an_answer_without_calls_ends_the_run() {
    let mut turn = streaming();
    let effects = feed(&mut turn, [text("Hel"), text("lo"), finished()]);
    let Effect::StoreAnswer(answer) = &effects[2] else { panic!("{effects:?}") };
    assert_eq!((answer.content.as_str(), answer.step), ("Hello", 1));
    assert_eq!(outcome(&effects).unwrap().status, RunStatus::Completed);
    assert!(turn.is_over());
}

#[test]
fn read_grep_write_read_runs_as_three_batches() {
    let mut turn = streaming();
    let mut effects = feed(&mut turn, [call("read"), call("rgrep"), call("write"), call("read2"), finished()]);
    let mut order = Vec::new();
    while let Some(batch) = batches(&effects).pop() {
        order.push(batch.iter().map(|call| call.name.clone()).collect::<Vec<_>>());
        // Results come in the wrong order on purpose.
        effects = feed(&mut turn, batch.iter().rev().map(|call| done(call, &call.name)));
    }
    assert_eq!(order, [vec!["read", "rgrep"], vec!["write"], vec!["read2"]]);
    assert_eq!(effects.last(), Some(&Effect::TakeQueued));
    let Some(Entry::Assistant { calls, .. }) = turn.entries().last() else { panic!() };
    let kept: Vec<&str> = calls.iter().map(|call| call.result.as_str()).collect();
    assert_eq!(kept, ["read", "rgrep", "write", "read2"], "results keep the order of the calls");
}

#[test]
fn a_rejected_call_gets_its_reason_and_the_others_run() {
    let mut turn = streaming();
    let effects = feed(&mut turn, [call("xbad"), call("read"), finished()]);
    assert_eq!(results(&effects)[0].content, "no such tool");
    assert_eq!(batches(&effects)[0].len(), 1);
    let mut turn = streaming();
    let effects = feed(&mut turn, [call("xbad"), finished()]);
    assert_eq!(effects.last(), Some(&Effect::TakeQueued), "the model sees the error and goes on");
}

#[test]
fn a_stop_in_the_stream_keeps_what_was_said() {
    let mut turn = streaming();
    let effects = feed(&mut turn, [text("half"), call("read"), Input::Stop, text("late"), finished()]);
    assert_eq!(effects[1], Effect::AbortModel);
    let Effect::StoreAnswer(answer) = &effects[2] else { panic!("{effects:?}") };
    assert!(answer.calls.is_empty() && answer.cut_off.is_some());
    assert_eq!(outcome(&effects).unwrap().status, RunStatus::Stopped);
    assert_eq!(effects.len(), 4, "nothing follows the end: {effects:?}");
}

#[test]
fn a_stop_while_tools_run_waits_for_their_ends() {
    let mut turn = streaming();
    let effects = feed(&mut turn, [call("read"), call("rgrep"), call("write"), finished()]);
    let batch = batches(&effects)[0].clone();
    assert_eq!(feed(&mut turn, [done(&batch[0], "a"), Input::Stop, Input::Stop])[1..], [Effect::CancelTools]);
    let effects = feed(&mut turn, [done(&batch[1], "stopped")]);
    let stored = results(&effects);
    assert_eq!(stored[1].content, NOT_STARTED);
    assert_eq!(outcome(&effects).unwrap().status, RunStatus::Stopped);
    let Some(Entry::Assistant { calls, .. }) = turn.entries().last() else { panic!() };
    assert_eq!(calls.len(), 3);
}

#[test]
fn a_fatal_result_ends_the_run_after_the_batch() {
    let mut turn = streaming();
    let effects = feed(&mut turn, [call("fatal"), call("write"), finished()]);
    let batch = batches(&effects)[0].clone();
    let effects = feed(&mut turn, [done(&batch[0], "boom")]);
    assert_eq!(results(&effects).len(), 2);
    let end = outcome(&effects).unwrap();
    assert_eq!((end.status, end.detail.as_deref()), (RunStatus::Failed, Some("the disk is gone")));
}

#[test]
fn a_retry_voids_the_attempt() {
    let mut turn = streaming();
    let retry = ModelEvent::Retrying { attempt: 1, reason: "overloaded".into(), wait: Duration::from_secs(1) };
    let effects = feed(&mut turn, [text("void"), call("read"), Input::Model(retry), text("good"), finished()]);
    assert!(matches!(effects[1], Effect::DiscardAttempt { attempt: 1, .. }));
    let Effect::StoreAnswer(answer) = &effects[3] else { panic!("{effects:?}") };
    assert_eq!((answer.content.as_str(), answer.calls.len()), ("good", 0));
}

#[test]
fn a_failed_model_keeps_its_text_and_fails_the_run() {
    let mut turn = streaming();
    let error = ModelError { kind: ModelErrorKind::Connection, message: "gone".into(), retry_after: None };
    let effects = feed(&mut turn, [text("half"), call("read"), Input::Model(ModelEvent::Failed(error))]);
    let Effect::StoreAnswer(answer) = &effects[1] else { panic!("{effects:?}") };
    assert!(answer.calls.is_empty());
    assert_eq!(outcome(&effects).unwrap(), Outcome::failed("gone"));
}

#[test]
fn an_empty_answer_is_a_failure_with_words() {
    let end = outcome(&feed(&mut streaming(), [finished()])).unwrap();
    assert_eq!(end.status, RunStatus::Failed);
    assert!(end.detail.unwrap().contains("empty answer"));
}

#[test]
fn the_limit_of_steps_and_the_loop_guard_end_the_run() {
    for (limit, same, expected) in [(3, false, EndReason::MaxSteps), (40, true, EndReason::LoopGuard)] {
        let mut turn = Turn::new(Vec::new(), 0, limit);
        let mut inputs = VecDeque::from([Input::Begin]);
        let mut steps = 0;
        let end = loop {
            let effects = turn.handle(inputs.pop_front().expect("the turn waits for nothing"), &Names);
            if let Some(end) = outcome(&effects) {
                break end;
            }
            for effect in effects {
                match effect {
                    Effect::TakeQueued => inputs.push_back(Input::Queued(Vec::new())),
                    Effect::CallModel { step } => {
                        steps = step;
                        inputs.extend([call("read"), finished()]);
                    }
                    Effect::RunBatch(calls) => {
                        let content = if same { "same".to_owned() } else { steps.to_string() };
                        inputs.extend(calls.iter().map(|call| done(call, &content)));
                    }
                    Effect::AbortModel
                    | Effect::ShowText(_)
                    | Effect::ShowThinking(_)
                    | Effect::DiscardAttempt { .. }
                    | Effect::StoreAnswer(_)
                    | Effect::CancelTools
                    | Effect::StoreResult(_)
                    | Effect::Finish(_) => {}
                }
            }
        };
        assert_eq!((end.status, end.reason), (RunStatus::Stopped, Some(expected)));
        assert_eq!(steps, if same { 5 } else { 3 });
    }
    assert_eq!(DuplicateGuard::default().record(std::iter::empty()), duplicates::Verdict::Fine);
}

/// What the world does next, chosen at random.
#[derive(Debug, Clone)]
enum Chance {
    Text,
    Thinking,
    Call(char),
    Retry,
    Fail,
    Finish,
    /// The running call of this index (modulo) ends.
    Done(usize),
    Queue,
    Stop,
}

fn chance() -> impl Strategy<Value = Chance> {
    prop_oneof![
        4 => Just(Chance::Text),
        1 => Just(Chance::Thinking),
        6 => prop::sample::select(vec!['r', 'w', 'x', 'f', 'r', 'w']).prop_map(Chance::Call),
        1 => Just(Chance::Retry),
        1 => Just(Chance::Fail),
        5 => Just(Chance::Finish),
        8 => (0..8_usize).prop_map(Chance::Done),
        3 => Just(Chance::Queue),
        1 => Just(Chance::Stop),
    ]
}

/// A world that keeps the contract of the driver and checks that the machine keeps its own.
#[derive(Default)]
struct World {
    streaming: bool,
    taking: bool,
    running: Vec<PreparedCall>,
    answered: BTreeMap<String, usize>,
    called: HashSet<String>,
    ended: Option<Outcome>,
}

impl World {
    fn absorb(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            assert!(self.ended.is_none(), "{effect:?} after the end");
            match effect {
                Effect::TakeQueued => self.taking = true,
                Effect::CallModel { .. } => {
                    assert!(!self.streaming && self.running.is_empty());
                    self.streaming = true;
                }
                Effect::AbortModel => self.streaming = false,
                Effect::StoreAnswer(answer) => {
                    self.called.extend(answer.calls.iter().map(|call| call.id.to_string()));
                }
                Effect::RunBatch(calls) => {
                    assert!(self.running.is_empty(), "batches follow each other");
                    assert!(calls.len() == 1 || calls.iter().all(|call| call.concurrency_safe));
                    self.running = calls;
                }
                Effect::StoreResult(result) => {
                    *self.answered.entry(result.call.id.to_string()).or_default() += 1;
                }
                Effect::Finish(outcome) => self.ended = Some(outcome),
                Effect::ShowText(_) | Effect::ShowThinking(_) | Effect::DiscardAttempt { .. } | Effect::CancelTools => {
                }
            }
        }
    }

    fn step(&mut self, turn: &mut Turn, chance: &Chance) {
        let stream = |event| Some(Input::Model(event));
        let input = match chance {
            Chance::Stop => Some(Input::Stop),
            Chance::Queue if self.taking => {
                self.taking = false;
                Some(Input::Queued(vec![Entry::User { content: "more".into() }]))
            }
            Chance::Done(index) if !self.running.is_empty() => {
                let call = self.running.remove(index % self.running.len());
                Some(done(&call, "result"))
            }
            Chance::Text if self.streaming => stream(ModelEvent::Text("t".into())),
            Chance::Thinking if self.streaming => stream(ModelEvent::Thinking("h".into())),
            Chance::Call(kind) if self.streaming => Some(call(&kind.to_string())),
            Chance::Retry if self.streaming => {
                stream(ModelEvent::Retrying { attempt: 1, reason: "r".into(), wait: Duration::ZERO })
            }
            Chance::Fail if self.streaming => {
                self.streaming = false;
                let kind = ModelErrorKind::Server;
                stream(ModelEvent::Failed(ModelError { kind, message: "m".into(), retry_after: None }))
            }
            Chance::Finish if self.streaming => {
                self.streaming = false;
                Some(finished())
            }
            // Nothing of the kind can happen now.
            Chance::Text
            | Chance::Thinking
            | Chance::Call(_)
            | Chance::Retry
            | Chance::Fail
            | Chance::Finish
            | Chance::Done(_)
            | Chance::Queue => None,
        };
        if let Some(input) = input {
            self.absorb(turn.handle(input, &Names));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_interleaving_ends_with_a_valid_history(chances in prop::collection::vec(chance(), 1..60)) {
        let mut turn = Turn::new(Vec::new(), 0, 6);
        let mut world = World::default();
        world.absorb(turn.handle(Input::Begin, &Names));
        for chance in &chances {
            world.step(&mut turn, chance);
        }
        // Left alone, the world comes to its end by itself.
        for _ in 0..400 {
            for chance in [Chance::Queue, Chance::Finish, Chance::Done(0)] {
                world.step(&mut turn, &chance);
            }
            if world.ended.is_some() { break }
        }
        prop_assert!(world.ended.is_some() && turn.is_over());
        prop_assert!(world.running.is_empty() && !world.streaming);
        prop_assert_eq!(world.answered.len(), world.called.len());
        prop_assert!(world.called.iter().all(|id| world.answered.get(id) == Some(&1)), "each call has one result");
        for entry in turn.entries() {
            if let Entry::Assistant { content, calls, .. } = entry {
                prop_assert!(!content.is_empty() || !calls.is_empty());
            }
        }
    }
}
