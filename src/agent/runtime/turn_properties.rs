//! Random interleavings: whatever happens, every call has one result and the run ends.
#![expect(clippy::wildcard_enum_match_arm, reason = "what a test does not look at may grow")]

use super::tests::{Names, call, done, failed, finished, names, refuse, run, turn};
use super::*;
use crate::agent::runtime::prepare::PreparedCall;
use proptest::prelude::*;
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

/// What the world does next, chosen at random.
#[derive(Debug, Clone)]
enum Chance {
    Text,
    Thinking,
    Call(char),
    Retry,
    Switch,
    Fail(ModelErrorKind),
    Finish,
    /// Hooks, rules or the user decide about the call of this index (modulo).
    Allow(usize),
    Refuse(usize),
    /// The running call of this index (modulo) ends.
    Done(usize),
    Queue,
    /// The context fits, or was made smaller.
    Fit,
    Compact,
    EndAllowed,
    SentBack,
    Stop,
}

fn chance() -> impl Strategy<Value = Chance> {
    let kinds = vec![ModelErrorKind::Server, ModelErrorKind::TooLong, ModelErrorKind::Exhausted];
    prop_oneof![
        4 => Just(Chance::Text),
        1 => Just(Chance::Thinking),
        8 => prop::sample::select(vec!['r', 'w', 'x', 'f', 'd', 'r', 'w', 'r', 'w']).prop_map(Chance::Call),
        1 => Just(Chance::Retry),
        1 => Just(Chance::Switch),
        1 => prop::sample::select(kinds).prop_map(Chance::Fail),
        5 => Just(Chance::Finish),
        8 => (0..8_usize).prop_map(Chance::Allow),
        2 => (0..8_usize).prop_map(Chance::Refuse),
        8 => (0..8_usize).prop_map(Chance::Done),
        3 => Just(Chance::Queue),
        3 => Just(Chance::Fit),
        2 => Just(Chance::Compact),
        1 => Just(Chance::EndAllowed),
        2 => Just(Chance::SentBack),
        1 => Just(Chance::Stop),
    ]
}

/// A world that keeps the contract of the driver and checks that the machine keeps its own.
#[derive(Default)]
struct World {
    streaming: bool,
    taking: bool,
    fitting: bool,
    ending: bool,
    checking: Vec<PreparedCall>,
    running: Vec<PreparedCall>,
    /// Calls that began, to see that none begins twice.
    begun: HashSet<String>,
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
                Effect::FitContext(_) => self.fitting = true,
                Effect::AskEnding { .. } => self.ending = true,
                Effect::CallModel { .. } => {
                    assert!(!self.streaming && self.running.is_empty(), "one answer at a time");
                    self.streaming = true;
                }
                Effect::AbortModel => (self.streaming, self.fitting) = (false, false),
                Effect::StoreAnswer(answer) => {
                    self.called.extend(answer.calls.iter().map(|call| call.id.to_string()));
                }
                Effect::Check(call) => {
                    assert!(self.called.contains(call.id.as_str()), "stored before it can begin");
                    self.checking.push(call);
                }
                Effect::Start(calls) => {
                    for call in calls {
                        assert!(self.begun.insert(call.id.to_string()), "nothing runs twice");
                        self.running.push(call);
                    }
                    let alone = self.running.len() == 1 || self.running.iter().all(|call| call.concurrency_safe);
                    assert!(alone, "{:?}", names(&self.running));
                }
                Effect::StoreResult(result) => {
                    self.checking.retain(|call| call.id != result.call.id);
                    *self.answered.entry(result.call.id.to_string()).or_default() += 1;
                }
                Effect::Finish(outcome) => self.ended = Some(outcome),
                Effect::ShowText(_)
                | Effect::ShowThinking(_)
                | Effect::DiscardAttempt { .. }
                | Effect::SwitchModel { .. }
                | Effect::CancelCalls(_)
                | Effect::CancelAll => {}
            }
        }
    }

    /// The input that this chance is now, when it can happen at all.
    fn input(&mut self, chance: &Chance) -> Option<Input> {
        let stream = |event| Some(Input::Model(event));
        match chance {
            Chance::Stop => Some(Input::Stop),
            Chance::Queue if mem::take(&mut self.taking) => {
                Some(Input::Queued(vec![Entry::User { content: "more".into() }]))
            }
            Chance::Fit if mem::take(&mut self.fitting) => Some(Input::Fitted(None)),
            Chance::Compact if mem::take(&mut self.fitting) => {
                Some(Input::Fitted(Some(vec![Entry::User { content: "summary".into() }])))
            }
            Chance::EndAllowed if mem::take(&mut self.ending) => Some(Input::Ending(Ending::Allowed)),
            Chance::SentBack if mem::take(&mut self.ending) => {
                Some(Input::Ending(Ending::SentBack(Entry::User { content: "go on".into() })))
            }
            Chance::Allow(index) if !self.checking.is_empty() => {
                Some(run(&self.checking.remove(index % self.checking.len())))
            }
            Chance::Refuse(index) if !self.checking.is_empty() => {
                Some(refuse(&self.checking.remove(index % self.checking.len())))
            }
            Chance::Done(index) if !self.running.is_empty() => {
                let call = self.running.remove(index % self.running.len());
                let mut result = done(&call, "result");
                if let (Input::ToolDone(result), true) = (&mut result, call.sibling_abort) {
                    result.is_error = true;
                }
                Some(result)
            }
            Chance::Text if self.streaming => stream(ModelEvent::Text("t".into())),
            Chance::Thinking if self.streaming => stream(ModelEvent::Thinking("h".into())),
            Chance::Call(kind) if self.streaming => Some(call(&kind.to_string())),
            Chance::Retry if self.streaming => {
                stream(ModelEvent::Retrying { attempt: 1, reason: "r".into(), wait: Duration::ZERO })
            }
            Chance::Switch if self.streaming => {
                stream(ModelEvent::Switched { from: "m".into(), to: "n".into(), reason: "r".into() })
            }
            Chance::Fail(kind) if mem::take(&mut self.streaming) => Some(failed(*kind)),
            Chance::Finish if mem::take(&mut self.streaming) => Some(finished()),
            // Nothing of the kind can happen now.
            _ => None,
        }
    }

    fn step(&mut self, turn: &mut Turn, chance: &Chance) {
        if let Some(input) = self.input(chance) {
            self.absorb(turn.handle(input, &Names));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_interleaving_ends_with_a_valid_history(chances in prop::collection::vec(chance(), 1..80)) {
        let mut turn = turn(6);
        let mut world = World::default();
        world.absorb(turn.handle(Input::Begin, &Names));
        for chance in &chances {
            world.step(&mut turn, chance);
        }
        // Left alone, the world comes to its end by itself.
        for _ in 0..400 {
            for chance in
                [Chance::Queue, Chance::Fit, Chance::Finish, Chance::Allow(0), Chance::Done(0), Chance::EndAllowed]
            {
                world.step(&mut turn, &chance);
            }
            if world.ended.is_some() { break }
        }
        prop_assert!(world.ended.is_some() && turn.is_over());
        prop_assert!(world.running.is_empty() && !world.streaming && world.checking.is_empty());
        prop_assert_eq!(world.answered.len(), world.called.len());
        prop_assert!(world.called.iter().all(|id| world.answered.get(id) == Some(&1)), "each call has one result");
        for entry in turn.entries() {
            if let Entry::Assistant { content, calls, .. } = entry {
                prop_assert!(!content.is_empty() || !calls.is_empty());
            }
        }
    }
}
