#![expect(clippy::wildcard_enum_match_arm, reason = "what a test does not look at may grow")]

use super::*;
use crate::agent::runtime::duplicates;
use crate::agent::runtime::prepare::PreparedCall;
use crate::llm::types::Thinking;
use crate::store::runs::RunStatus;
use serde_json::json;
use std::collections::VecDeque;
use std::time::Duration;

/// Names decide what a call is: `r…` is safe, `x…` is rejected, `f…` ends fatally, `d…` spares its siblings.
pub(super) struct Names;

impl Toolbox for Names {
    fn prepare(&self, raw: RawCall) -> PreparedCall {
        let arguments = json!({ "n": raw.arguments, "paper": raw.arguments });
        let mut call = PreparedCall::ready(raw.name.clone(), arguments, raw.name.starts_with('r'));
        call.rejection = raw.name.starts_with('x').then(|| "no such tool".to_owned());
        call.sibling_abort = raw.name.starts_with('d');
        call
    }
}

pub(super) fn call(name: &str) -> Input {
    about(name, "")
}

fn about(name: &str, paper: &str) -> Input {
    let raw = RawCall { provider_id: String::new(), name: name.into(), arguments: paper.into() };
    Input::Model(ModelEvent::Call(raw))
}

fn text(delta: &str) -> Input {
    Input::Model(ModelEvent::Text(delta.into()))
}

pub(super) fn finished() -> Input {
    Input::Model(ModelEvent::Finished(Finish::Stop))
}

fn broken() -> Input {
    failed(ModelErrorKind::Connection)
}

pub(super) fn failed(kind: ModelErrorKind) -> Input {
    Input::Model(ModelEvent::Failed(ModelError { kind, message: "gone".into(), retry_after: None }))
}

pub(super) fn done(call: &PreparedCall, content: &str) -> Input {
    let fatal = call.name.starts_with('f').then(|| "the disk is gone".to_owned());
    let result = CallResult::not_run(call.clone(), 1, content);
    Input::ToolDone(CallResult { fatal, is_error: false, end: CallEnd::Ran, ..result })
}

pub(super) fn run(call: &PreparedCall) -> Input {
    Input::Checked { id: call.id.clone(), verdict: CallVerdict::Run(Clearance::default()) }
}

pub(super) fn refuse(call: &PreparedCall) -> Input {
    Input::Checked { id: call.id.clone(), verdict: CallVerdict::Refused("the user said no".into()) }
}

pub(super) fn turn(max_steps: u32) -> Turn {
    Turn::new(Vec::new(), "m", 0, max_steps)
}

/// A turn that is streaming its first answer.
fn streaming() -> Turn {
    let mut turn = turn(40);
    assert_eq!(turn.handle(Input::Begin, &Names), [Effect::TakeQueued]);
    let question = Entry::User { content: "q".into() };
    let fit = turn.handle(Input::Queued(vec![question]), &Names);
    assert_eq!(fit, [Effect::FitContext(FitReason::NextCall)]);
    assert_eq!(turn.handle(Input::Fitted(None), &Names), [Effect::CallModel { step: 1 }]);
    turn
}

/// Feeds inputs; every check is let through at once.
fn feed(turn: &mut Turn, inputs: impl IntoIterator<Item = Input>) -> Vec<Effect> {
    let mut effects = Vec::new();
    for input in inputs {
        let mut queue = VecDeque::from([input]);
        while let Some(input) = queue.pop_front() {
            let came = turn.handle(input, &Names);
            queue.extend(came.iter().filter_map(|effect| match effect {
                Effect::Check(call) => Some(run(call)),
                Effect::TakeQueued => Some(Input::Queued(Vec::new())),
                Effect::FitContext(FitReason::NextCall) => Some(Input::Fitted(None)),
                _ => None,
            }));
            effects.extend(came);
        }
    }
    effects
}

fn started(effects: &[Effect]) -> Vec<PreparedCall> {
    let start = |effect: &Effect| if let Effect::Start(calls) = effect { Some(calls.clone()) } else { None };
    effects.iter().filter_map(start).flatten().collect()
}

fn checks(effects: &[Effect]) -> Vec<PreparedCall> {
    let check = |effect: &Effect| if let Effect::Check(call) = effect { Some(call.clone()) } else { None };
    effects.iter().filter_map(check).collect()
}

fn results(effects: &[Effect]) -> Vec<CallResult> {
    let result = |effect: &Effect| if let Effect::StoreResult(result) = effect { Some(result.clone()) } else { None };
    effects.iter().filter_map(result).collect()
}

fn answers(effects: &[Effect]) -> Vec<Answer> {
    let answer = |effect: &Effect| if let Effect::StoreAnswer(answer) = effect { Some(answer.clone()) } else { None };
    effects.iter().filter_map(answer).collect()
}

fn outcome(effects: &[Effect]) -> Option<Outcome> {
    effects.iter().find_map(|effect| if let Effect::Finish(outcome) = effect { Some(outcome.clone()) } else { None })
}

pub(super) fn names(calls: &[PreparedCall]) -> Vec<&str> {
    calls.iter().map(|call| call.name.as_str()).collect()
}

#[test]
fn an_answer_without_calls_ends_the_run() {
    let mut turn = streaming();
    let effects = feed(&mut turn, [text("Hel"), text("lo"), finished()]);
    let answer = &answers(&effects)[0];
    assert_eq!((answer.content.as_str(), answer.step, answer.state), ("Hello", 1, AnswerState::Closed));
    assert_eq!(effects.last(), Some(&Effect::AskEnding { sent_back: 0 }));
    let end = outcome(&turn.handle(Input::Ending(Ending::Allowed), &Names)).unwrap();
    assert_eq!(end.status, RunStatus::Completed);
    assert!(turn.is_over());
}

#[test]
fn calls_begin_while_the_answer_streams() {
    let mut turn = streaming();
    let first = feed(&mut turn, [text("Let me look."), call("read")]);
    assert_eq!(names(&started(&first)), ["read"]);
    let stored = &answers(&first)[0];
    assert_eq!(
        (stored.state, stored.content.as_str()),
        (AnswerState::Open, "Let me look."),
        "on disk before it begins"
    );
    let second = feed(&mut turn, [call("rgrep"), call("write")]);
    assert_eq!(names(&started(&second)), ["rgrep"], "what is not safe waits for all before it");
    let end = feed(&mut turn, [done(&started(&first)[0], "a"), done(&started(&second)[0], "b")]);
    assert_eq!(names(&started(&end)), ["write"], "still in the stream");
    let last = feed(&mut turn, [done(&started(&end)[0], "c"), finished()]);
    assert_eq!(answers(&last).last().unwrap().calls.len(), 3);
    assert!(last.contains(&Effect::CallModel { step: 2 }));
}

#[test]
fn read_grep_write_read_runs_as_three_batches() {
    let mut turn = streaming();
    let mut effects = feed(&mut turn, [call("read"), call("rgrep"), call("write"), call("read2"), finished()]);
    let mut order = Vec::new();
    loop {
        let batch = started(&effects);
        if batch.is_empty() {
            break;
        }
        order.push(batch.iter().map(|call| call.name.clone()).collect::<Vec<_>>());
        // Results come in the wrong order on purpose.
        effects = feed(&mut turn, batch.iter().rev().map(|call| done(call, &call.name)));
    }
    assert_eq!(order, [vec!["read", "rgrep"], vec!["write"], vec!["read2"]]);
    let Some(Entry::Assistant { calls, .. }) = turn.entries().last() else { panic!() };
    let kept: Vec<&str> = calls.iter().map(|call| call.result.as_str()).collect();
    assert_eq!(kept, ["read", "rgrep", "write", "read2"], "results keep the order of the calls");
}

#[test]
fn a_rejected_call_gets_its_reason_and_the_others_run() {
    let mut turn = streaming();
    let effects = feed(&mut turn, [call("xbad"), call("read"), finished()]);
    assert_eq!(results(&effects)[0].content, "no such tool");
    assert_eq!(names(&started(&effects)), ["read"]);
    let effects = feed(&mut streaming(), [call("xbad"), finished()]);
    assert_eq!(effects.last(), Some(&Effect::CallModel { step: 2 }), "the model sees the error and goes on");
}

#[test]
fn a_call_that_waits_for_the_user_holds_back_what_may_not_overtake_it() {
    let mut turn = streaming();
    let inputs = [call("write"), call("read"), finished()];
    let effects: Vec<Effect> = inputs.into_iter().flat_map(|input| turn.handle(input, &Names)).collect();
    let asked = checks(&effects);
    assert_eq!((names(&asked), started(&effects).len()), (vec!["write", "read"], 0));
    assert_eq!(started(&turn.handle(run(&asked[1]), &Names)), [], "a read may not overtake a write that waits");
    let effects = turn.handle(refuse(&asked[0]), &Names);
    assert_eq!(results(&effects)[0].content, "the user said no");
    assert_eq!(names(&started(&effects)), ["read"]);
    assert_eq!(turn.handle(run(&asked[0]), &Names), [], "decided once");
}

#[test]
fn changed_arguments_run_and_what_the_model_wrote_stays() {
    let mut turn = streaming();
    let asked = checks(&turn.handle(call("read"), &Names));
    let clearance = Clearance {
        arguments: Some(json!({ "n": "safer" })),
        concurrency_safe: Some(false),
        notes: vec!["a hook changed it".into()],
    };
    let verdict = CallVerdict::Run(clearance);
    let effects = turn.handle(Input::Checked { id: asked[0].id.clone(), verdict }, &Names);
    let running = &started(&effects)[0];
    assert_eq!(running.effective_arguments(), &json!({ "n": "safer" }));
    assert_eq!(running.arguments["n"], "");
    let effects = feed(&mut turn, [call("rgrep"), finished()]);
    assert_eq!(started(&effects), [], "it is not safe any more");
}

#[test]
fn a_stop_in_the_stream_keeps_what_was_said_and_done() {
    let mut turn = streaming();
    let effects = feed(&mut turn, [text("half"), Input::Stop, text("late"), finished()]);
    assert_eq!(effects[1], Effect::AbortModel);
    assert!(answers(&effects)[0].cut_off.is_some());
    assert_eq!(outcome(&effects).unwrap().status, RunStatus::Stopped);
    assert_eq!(effects.len(), 4, "nothing follows the end: {effects:?}");

    let mut turn = streaming();
    let begun = started(&feed(&mut turn, [text("half"), call("read")]));
    let effects = feed(&mut turn, [Input::Stop]);
    assert_eq!(effects[0], Effect::AbortModel);
    assert_eq!(answers(&effects)[0].calls.len(), 1);
    assert!(effects.contains(&Effect::CancelAll) && outcome(&effects).is_none(), "the call has begun");
    let effects = feed(&mut turn, [done(&begun[0], "cancelled")]);
    assert_eq!(outcome(&effects).unwrap().status, RunStatus::Stopped);
}

#[test]
fn a_stop_while_tools_run_waits_for_their_ends() {
    let mut turn = streaming();
    let effects = feed(&mut turn, [call("read"), call("rgrep"), call("write"), finished()]);
    let batch = started(&effects);
    let effects = feed(&mut turn, [done(&batch[0], "a"), Input::Stop, Input::Stop]);
    assert_eq!(effects.iter().filter(|effect| **effect == Effect::CancelAll).count(), 1);
    assert_eq!(results(&effects)[1].content, NOT_STARTED);
    let effects = feed(&mut turn, [done(&batch[1], "stopped")]);
    assert_eq!(outcome(&effects).unwrap().status, RunStatus::Stopped);
    let Some(Entry::Assistant { calls, .. }) = turn.entries().last() else { panic!() };
    assert_eq!(calls.len(), 3);
}

#[test]
fn a_stop_while_the_user_is_asked_ends_at_once() {
    let mut turn = streaming();
    turn.handle(call("write"), &Names);
    turn.handle(finished(), &Names);
    let effects = turn.handle(Input::Stop, &Names);
    assert_eq!((results(&effects).len(), outcome(&effects).unwrap().status), (1, RunStatus::Stopped));
}

#[test]
fn a_fatal_result_ends_the_run_after_what_runs() {
    let mut turn = streaming();
    let effects = feed(&mut turn, [call("fatal"), call("write")]);
    let effects = feed(&mut turn, [done(&started(&effects)[0], "boom")]);
    assert!(effects.contains(&Effect::AbortModel), "the rest of the answer is of no use");
    assert_eq!(results(&effects).len(), 2);
    let end = outcome(&effects).unwrap();
    assert_eq!((end.status, end.detail.as_deref()), (RunStatus::Failed, Some("the disk is gone")));
}

#[test]
fn a_retry_voids_the_attempt_but_never_a_call() {
    let retry = || {
        let wait = Duration::from_secs(1);
        Input::Model(ModelEvent::Retrying { attempt: 1, reason: "overloaded".into(), wait })
    };
    let effects = feed(&mut streaming(), [text("void"), retry(), text("good"), finished()]);
    assert!(matches!(effects[1], Effect::DiscardAttempt { attempt: 1, .. }));
    assert_eq!(answers(&effects)[0].content, "good");
    let effects = feed(&mut streaming(), [text("kept"), call("read"), retry(), finished()]);
    let last = answers(&effects).pop().unwrap();
    assert_eq!((last.content.as_str(), last.calls.len()), ("kept", 1));
}

#[test]
fn another_model_voids_the_attempt_and_signs_its_own_thinking() {
    let mut turn = streaming();
    let switch = ModelEvent::Switched { from: "m".into(), to: "n".into(), reason: "overloaded".into() };
    let thought = |text: &str| Input::Model(ModelEvent::Thinking(text.into()));
    let effects = feed(&mut turn, [thought("void"), Input::Model(switch), thought("hm"), text("good"), finished()]);
    assert!(matches!(&effects[1], Effect::SwitchModel { to, .. } if to == "n"));
    let thinking = &answers(&effects)[0].thinking;
    assert_eq!((thinking.text.as_str(), thinking.model.as_str(), turn.model()), ("hm", "n", "n"));
}

#[test]
fn a_failed_model_keeps_its_text_and_fails_the_run() {
    let effects = feed(&mut streaming(), [text("half"), broken()]);
    assert_eq!(answers(&effects)[0].cut_off.as_deref(), Some("gone"));
    assert_eq!(outcome(&effects).unwrap(), Outcome::failed("gone"));
    let end = outcome(&feed(&mut streaming(), [failed(ModelErrorKind::Exhausted)])).unwrap();
    assert_eq!(end.reason, Some(EndReason::FallbackExhausted));
}

#[test]
fn a_stream_that_breaks_after_its_calls_goes_on_from_their_results() {
    let mut turn = streaming();
    let effects = feed(&mut turn, [call("read"), broken()]);
    assert_eq!(answers(&effects).last().unwrap().cut_off.as_deref(), Some("gone"));
    let effects = feed(&mut turn, [done(&started(&effects)[0], "a")]);
    assert_eq!(effects.last(), Some(&Effect::CallModel { step: 2 }));
    for _ in 0..2 {
        let effects = feed(&mut turn, [call("read"), broken()]);
        let done = started(&effects).iter().map(|call| done(call, "b")).collect::<Vec<_>>();
        feed(&mut turn, done);
    }
    assert!(turn.is_over(), "not for ever");
}

#[test]
fn a_request_that_is_too_long_is_made_shorter_once() {
    let mut turn = streaming();
    let effects = feed(&mut turn, [failed(ModelErrorKind::TooLong)]);
    assert_eq!(effects, [Effect::FitContext(FitReason::TooLong)]);
    let shorter = vec![Entry::User { content: "summary".into() }];
    assert_eq!(turn.handle(Input::Fitted(Some(shorter.clone())), &Names), [Effect::CallModel { step: 1 }]);
    assert_eq!(turn.entries(), shorter);
    feed(&mut turn, [failed(ModelErrorKind::TooLong)]);
    let end = outcome(&turn.handle(Input::Fitted(None), &Names)).unwrap();
    assert_eq!(end.status, RunStatus::Failed);
}

#[test]
fn a_failure_spares_the_calls_about_the_same_paper() {
    let mut turn = streaming();
    let effects =
        feed(&mut turn, [about("download", "A"), about("wparse", "A"), about("read", "B"), about("write", "B")]);
    let first = started(&effects);
    assert_eq!(names(&first), ["download"]);
    let mut result = CallResult::not_run(first[0].clone(), 1, "no PDF");
    result.end = CallEnd::Ran;
    let effects = feed(&mut turn, [Input::ToolDone(result), about("rlate", "A")]);
    let spared = results(&effects);
    assert_eq!(names(&spared.iter().map(|r| r.call.clone()).collect::<Vec<_>>()), ["download", "wparse", "rlate"]);
    assert!(spared[1].content.contains("`download` failed"), "{}", spared[1].content);
    assert_eq!(names(&started(&effects)), ["read"], "the others go on");
}

#[test]
fn a_running_sibling_is_cancelled_and_told_why() {
    let mut turn = streaming();
    let mut effects = turn.handle(about("dload", "A"), &Names);
    effects.extend(turn.handle(about("read", "A"), &Names));
    // Both run: a tool that spares its siblings may be safe in parallel itself.
    let checks = checks(&effects);
    for check in &checks {
        let clearance = Clearance { concurrency_safe: Some(true), ..Clearance::default() };
        turn.handle(Input::Checked { id: check.id.clone(), verdict: CallVerdict::Run(clearance) }, &Names);
    }
    let failure = CallResult { end: CallEnd::Ran, ..CallResult::not_run(checks[0].clone(), 1, "no PDF") };
    let effects = turn.handle(Input::ToolDone(failure), &Names);
    assert!(effects.contains(&Effect::CancelCalls(vec![checks[1].id.clone()])), "{effects:?}");
    let cancelled = CallResult { end: CallEnd::Cancelled, ..CallResult::not_run(checks[1].clone(), 1, "stopped") };
    let told = &results(&turn.handle(Input::ToolDone(cancelled), &Names))[0];
    assert!(told.content.contains("`dload` failed"), "{}", told.content);
}

#[test]
fn a_stop_hook_sends_the_run_back_until_it_is_too_often() {
    let mut turn = streaming();
    turn.handle(text("done"), &Names);
    assert_eq!(turn.handle(finished(), &Names).last(), Some(&Effect::AskEnding { sent_back: 0 }));
    let more = Entry::User { content: "The tests have not run.".into() };
    let effects = feed(&mut turn, [Input::Ending(Ending::SentBack(more.clone()))]);
    assert_eq!(effects.last(), Some(&Effect::CallModel { step: 2 }));
    assert!(turn.entries().contains(&more));
    turn.handle(text("done"), &Names);
    assert_eq!(turn.handle(finished(), &Names).last(), Some(&Effect::AskEnding { sent_back: 1 }));
    let end = outcome(&turn.handle(Input::Ending(Ending::TooOften("still".into())), &Names)).unwrap();
    assert_eq!(end.reason, Some(EndReason::StopHook));
}

#[test]
fn a_run_that_waited_through_a_restart_goes_on() {
    let (open, answered) =
        (PreparedCall::ready("write".into(), json!({}), false), PreparedCall::ready("r".into(), json!({}), true));
    let result = CallResult::not_run(answered.clone(), 1, "found");
    let calls = vec![(open.clone(), None), (answered, Some(result))];
    let mut turn =
        turn(40).reopen(OpenAnswer { content: "I would write.".into(), thinking: Thinking::default(), calls });
    assert_eq!(turn.handle(Input::Begin, &Names), [Effect::Check(open.clone())]);
    let effects = turn.handle(run(&open), &Names);
    assert_eq!(names(&started(&effects)), ["write"]);
    let effects = turn.handle(done(&open, "written"), &Names);
    assert_eq!(effects.last(), Some(&Effect::TakeQueued));
    let Some(Entry::Assistant { calls, .. }) = turn.entries().last() else { panic!() };
    assert_eq!(calls.iter().map(|call| call.result.as_str()).collect::<Vec<_>>(), ["written", "found"]);
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
        let mut turn = turn(limit);
        let mut effects = feed(&mut turn, [Input::Begin]);
        let mut steps = 0;
        let end = loop {
            if let Some(end) = outcome(&effects) {
                break end;
            }
            steps += 1;
            let calls = started(&feed(&mut turn, [call("read"), finished()]));
            let content = if same { "same".to_owned() } else { steps.to_string() };
            effects = feed(&mut turn, calls.iter().map(|call| done(call, &content)).collect::<Vec<_>>());
        };
        assert_eq!((end.status, end.reason), (RunStatus::Stopped, Some(expected)));
        assert_eq!(steps, if same { 5 } else { 3 });
    }
    assert_eq!(DuplicateGuard::default().record(std::iter::empty()), duplicates::Verdict::Fine);
}
