//! The turn: a pure state machine from the user's message to the answer.
//!
//! [`Turn::handle`] takes what happened ([`Input`]) and returns what is to be done ([`Effect`]) as data. It does no I/O and
//! knows no clock, so every interleaving of deltas, decisions, results, failures and stops can be tested in microseconds.
//! The driver ([`super::driver`]) executes the effects and feeds back what comes of them.
//!
//! ```text
//! Begin -> TakeQueued -> FitContext -> CallModel -> Model*            -> all settled -> TakeQueued -> ...
//!                                                   \-> Check -> Start -> ToolDone /
//!                                                    \-> no calls: AskEnding -> Finish
//! ```
//!
//! Calls begin while the answer still streams: each is checked as soon as its arguments are complete and starts as soon as
//! [`super::partition`] lets it. What belongs to one answer is a [`Round`].

use super::duplicates::{DuplicateGuard, Verdict};
pub use super::effects::{
    Answer, AnswerState, CallEnd, CallResult, CallVerdict, Clearance, Effect, Ending, FitReason, Input, NOT_STARTED,
    Outcome,
};
use super::prepare::Toolbox;
use super::round::Stream;
pub use super::round::{OpenAnswer, Round};
use crate::llm::types::{Entry, Finish, ModelError, ModelErrorKind, ModelEvent, RawCall};
use crate::store::runs::EndReason;
use std::mem;

/// Answers in a row that may break off after their calls before the run gives up.
const BROKEN_ANSWERS: u32 = 3;

/// The state of a run.
#[derive(Debug)]
pub struct Turn {
    max_steps: u32,
    step: u32,
    model: String,
    entries: Vec<Entry>,
    guard: DuplicateGuard,
    /// Answers in a row that broke off.
    broken: u32,
    /// How often `Stop` hooks have sent the run back.
    sent_back: u32,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    Idle,
    /// Before a restart it waited for the user in the middle of a round.
    Reopened(Round),
    TakingQueued,
    Fitting(FitReason),
    Answering(Round),
    /// The last answer is out; hooks have a word.
    Ending(Outcome),
    Over,
}

impl Turn {
    /// A turn over what was said before, answered by the model of this name.
    #[must_use]
    pub fn new(history: Vec<Entry>, model: impl Into<String>, steps_taken: u32, max_steps: u32) -> Self {
        Self {
            max_steps,
            step: steps_taken,
            model: model.into(),
            entries: history,
            guard: DuplicateGuard::default(),
            broken: 0,
            sent_back: 0,
            phase: Phase::Idle,
        }
    }

    /// The same, in the middle of an answer whose calls wait for the user.
    #[must_use]
    pub fn reopen(self, open: OpenAnswer) -> Self {
        let round = Round::reopened(self.step, open);
        Self { phase: Phase::Reopened(round), ..self }
    }

    /// The conversation for the next request.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Number of the newest model call, from 1.
    #[must_use]
    pub fn step(&self) -> u32 {
        self.step
    }

    /// The model that answers.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Whether the run has ended.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over)
    }

    /// Takes one input; inputs that no longer matter (a late delta after a stop) change nothing.
    pub fn handle(&mut self, input: Input, toolbox: &dyn Toolbox) -> Vec<Effect> {
        let mut effects = Vec::new();
        match (mem::replace(&mut self.phase, Phase::Over), input) {
            (Phase::Over, _) => {}
            (Phase::Idle, Input::Begin) => self.take_queued(&mut effects),
            (Phase::Reopened(round), Input::Begin) => {
                effects.extend(round.unchecked().cloned().map(Effect::Check));
                self.proceed(round, &mut effects);
            }
            (Phase::TakingQueued, Input::Queued(messages)) => {
                self.entries.extend(messages);
                self.fit(FitReason::NextCall, &mut effects);
            }
            (Phase::Fitting(reason), Input::Fitted(entries)) => self.fitted(reason, entries, &mut effects),
            (Phase::Answering(round), Input::Model(event)) => self.model_said(round, event, toolbox, &mut effects),
            (Phase::Answering(round), Input::Checked { id, verdict }) => {
                self.checked(round, &id, verdict, &mut effects);
            }
            (Phase::Answering(round), Input::ToolDone(result)) => {
                let round = self.settle(round, result, &mut effects);
                self.proceed(round, &mut effects);
            }
            (Phase::Ending(outcome), Input::Ending(ending)) => self.ending(outcome, ending, &mut effects),
            (phase, Input::Stop) => self.stop(phase, &mut effects),
            // Out of place: the state stays.
            (
                phase,
                Input::Begin
                | Input::Queued(_)
                | Input::Fitted(_)
                | Input::Model(_)
                | Input::Checked { .. }
                | Input::ToolDone(_)
                | Input::Ending(_),
            ) => self.phase = phase,
        }
        effects
    }

    fn take_queued(&mut self, effects: &mut Vec<Effect>) {
        self.phase = Phase::TakingQueued;
        effects.push(Effect::TakeQueued);
    }

    fn fit(&mut self, reason: FitReason, effects: &mut Vec<Effect>) {
        self.phase = Phase::Fitting(reason);
        effects.push(Effect::FitContext(reason));
    }

    fn fitted(&mut self, reason: FitReason, entries: Option<Vec<Entry>>, effects: &mut Vec<Effect>) {
        match (reason, entries) {
            (_, Some(entries)) => self.entries = entries,
            (FitReason::NextCall, None) => {}
            // It was refused as it is, so sending it again is of no use.
            (FitReason::TooLong, None) => {
                let why = "The conversation is longer than the model's window and could not be made shorter. Begin a new \
                           session, or choose a model with a larger window.";
                return self.finish(Outcome::failed(why), effects);
            }
        }
        // A refused request was no step of its own.
        if reason == FitReason::NextCall {
            self.step += 1;
        }
        self.phase = Phase::Answering(Round::new(self.step, &self.model));
        effects.push(Effect::CallModel { step: self.step });
    }

    fn finish(&mut self, outcome: Outcome, effects: &mut Vec<Effect>) {
        self.phase = Phase::Over;
        effects.push(Effect::Finish(outcome));
    }

    fn model_said(&mut self, mut round: Round, event: ModelEvent, toolbox: &dyn Toolbox, effects: &mut Vec<Effect>) {
        if round.stream != Stream::Open {
            self.phase = Phase::Answering(round);
            return;
        }
        match event {
            ModelEvent::Text(delta) => {
                round.content.push_str(&delta);
                effects.push(Effect::ShowText(delta));
            }
            ModelEvent::Thinking(delta) => {
                round.thinking.text.push_str(&delta);
                effects.push(Effect::ShowThinking(delta));
            }
            ModelEvent::SealedThinking(block) => round.thinking.sealed.push(block),
            ModelEvent::Usage(usage) => round.usage = usage,
            ModelEvent::Call(call) => return self.called(round, call, toolbox, effects),
            ModelEvent::Retrying { attempt, reason, wait } => {
                if round.discard(&self.model) {
                    effects.push(Effect::DiscardAttempt { attempt, reason, wait });
                }
            }
            ModelEvent::Switched { from, to, reason } => {
                self.model.clone_from(&to);
                if round.discard(&to) {
                    effects.push(Effect::SwitchModel { from, to, reason });
                }
            }
            ModelEvent::Finished(finish) => return self.answered(round, finish, effects),
            ModelEvent::Failed(error) => return self.model_failed(round, &error, effects),
        }
        self.phase = Phase::Answering(round);
    }

    /// A call is complete: it goes its way at once.
    fn called(&mut self, mut round: Round, raw: RawCall, toolbox: &dyn Toolbox, effects: &mut Vec<Effect>) {
        let call = toolbox.prepare(raw);
        round.add(call.clone());
        // On disk before it begins, so that a crash finds the call beside what it may have done.
        effects.push(round.store(None));
        if let Some(why) = call.rejection.clone().or_else(|| round.sibling_failure(&call)) {
            round = self.settle(round, CallResult::not_run(call, self.step, why), effects);
        } else {
            effects.push(Effect::Check(call));
        }
        self.proceed(round, effects);
    }

    fn checked(&mut self, mut round: Round, id: &crate::ids::CallId, verdict: CallVerdict, effects: &mut Vec<Effect>) {
        if let Some(refused) = round.checked(id, verdict) {
            round = self.settle(round, refused, effects);
        }
        self.proceed(round, effects);
    }

    fn answered(&mut self, mut round: Round, finish: Finish, effects: &mut Vec<Effect>) {
        self.broken = 0;
        round.stream = Stream::Finished(finish);
        let cut_off = cut_off(finish);
        if round.is_empty() {
            let why = cut_off
                .map_or("The model returned an empty answer. Ask again, or try another model.", |why| why)
                .to_owned();
            if !round.thinking.text.is_empty() {
                effects.push(round.store(Some(why.clone())));
            }
            return self.finish(Outcome::failed(why), effects);
        }
        effects.push(round.store(cut_off.map(str::to_owned)));
        self.proceed(round, effects);
    }

    fn model_failed(&mut self, mut round: Round, error: &ModelError, effects: &mut Vec<Effect>) {
        round.stream = Stream::Broken(error.message.clone());
        if error.kind == ModelErrorKind::TooLong && round.is_empty() {
            return self.fit(FitReason::TooLong, effects);
        }
        if !round.is_empty() {
            effects.push(round.store(Some(error.message.clone())));
        }
        // Calls that were complete have begun: their results are used and the run goes on from them.
        self.broken += 1;
        if round.is_plain() || self.broken >= BROKEN_ANSWERS {
            let given_up = round.give_up("Not run: the connection to the model broke off.");
            for result in given_up {
                round = self.settle(round, result, effects);
            }
            round.outcome = Some(Outcome::model_failed(error));
        }
        self.proceed(round, effects);
    }

    /// Notes the result of a call, lets the loop guard see it, and does what follows for its siblings.
    fn settle(&mut self, mut round: Round, result: CallResult, effects: &mut Vec<Effect>) -> Round {
        let Some((mut result, turns)) = round.settle(result) else { return round };
        match self.guard.record(turns.iter()) {
            Verdict::Fine => {}
            Verdict::Nudge(note) | Verdict::Stop(note) => {
                result.content.push_str("\n\n");
                result.content.push_str(&note);
                round.amend(&result);
            }
        }
        effects.push(Effect::StoreResult(result.clone()));
        if result.failed() {
            let (results, cancel) = round.abort_siblings(&result);
            for result in results {
                round = self.settle(round, result, effects);
            }
            if !cancel.is_empty() {
                effects.push(Effect::CancelCalls(cancel));
            }
        }
        round
    }

    /// Starts what may begin, or ends the round.
    fn proceed(&mut self, mut round: Round, effects: &mut Vec<Effect>) {
        if let (Some(why), false) = (round.fatal(), round.is_stopping()) {
            round.outcome = Some(Outcome::failed(why));
            // The stream is of no use any more; what runs comes to its end.
            round = self.abandon(round, "Not run: an earlier call ended the run.", effects);
        }
        let start = round.start();
        if !start.is_empty() {
            effects.push(Effect::Start(start));
        }
        if !round.is_settled() {
            self.phase = Phase::Answering(round);
            return;
        }
        let (outcome, plain, stream) = (round.outcome.take(), round.is_plain(), round.stream.clone());
        if !round.is_empty() {
            self.entries.push(round.into_entry());
        }
        if let Some(outcome) = outcome {
            return self.finish(outcome, effects);
        }
        if plain {
            let detail = match stream {
                Stream::Finished(finish) => cut_off(finish).map(str::to_owned),
                Stream::Open | Stream::Broken(_) => None,
            };
            self.phase = Phase::Ending(Outcome::completed(detail));
            effects.push(Effect::AskEnding { sent_back: self.sent_back });
            return;
        }
        if let Some(note) = self.guard.tripped() {
            return self.finish(Outcome::limit(EndReason::LoopGuard, note), effects);
        }
        self.next_step(effects);
    }

    /// Another model call, unless there were enough.
    fn next_step(&mut self, effects: &mut Vec<Effect>) {
        if self.step >= self.max_steps {
            let detail = format!(
                "The run reached its limit of {} model calls. Send a message to let it go on, or raise AGENT_MAX_STEPS.",
                self.max_steps
            );
            return self.finish(Outcome::limit(EndReason::MaxSteps, detail), effects);
        }
        self.take_queued(effects);
    }

    fn ending(&mut self, outcome: Outcome, ending: Ending, effects: &mut Vec<Effect>) {
        match ending {
            Ending::Allowed => self.finish(outcome, effects),
            Ending::TooOften(reason) => {
                let detail =
                    format!("A Stop hook sent the run back {} times and would again: {reason}", self.sent_back);
                self.finish(Outcome::limit(EndReason::StopHook, detail), effects);
            }
            Ending::SentBack(message) => {
                self.sent_back += 1;
                self.entries.push(message);
                self.next_step(effects);
            }
        }
    }

    /// Ends a round before its time. What has begun comes to its end, the rest gets `why`.
    fn abandon(&mut self, mut round: Round, why: &str, effects: &mut Vec<Effect>) -> Round {
        if round.stream == Stream::Open {
            effects.push(Effect::AbortModel);
            round.stream = Stream::Broken(why.to_owned());
            if !round.is_empty() {
                effects.push(round.store(Some(why.to_owned())));
            }
        }
        for result in round.give_up(why) {
            round = self.settle(round, result, effects);
        }
        round
    }

    fn stop(&mut self, phase: Phase, effects: &mut Vec<Effect>) {
        match phase {
            Phase::Over => {}
            Phase::Idle | Phase::TakingQueued => self.finish(Outcome::stopped_by_user(), effects),
            Phase::Fitting(_) => {
                effects.push(Effect::AbortModel);
                self.finish(Outcome::stopped_by_user(), effects);
            }
            // The answer is complete; only the hooks have not spoken.
            Phase::Ending(outcome) => self.finish(outcome, effects),
            Phase::Answering(round) | Phase::Reopened(round) if round.is_stopping() => {
                self.phase = Phase::Answering(round);
            }
            Phase::Answering(mut round) | Phase::Reopened(mut round) => {
                if round.stream == Stream::Open {
                    effects.push(Effect::AbortModel);
                    round.stream = Stream::Broken("Stopped by the user.".to_owned());
                    if !round.is_empty() {
                        effects.push(round.store(Some("Stopped by the user.".to_owned())));
                    }
                }
                if !round.is_plain() {
                    effects.push(Effect::CancelAll);
                }
                round.outcome = Some(Outcome::stopped_by_user());
                round = self.abandon(round, NOT_STARTED, effects);
                self.proceed(round, effects);
            }
        }
    }
}

/// Why an answer that ended this way is not whole, if it is not.
fn cut_off(finish: Finish) -> Option<&'static str> {
    match finish {
        Finish::Stop | Finish::ToolCalls => None,
        Finish::Length => Some("The answer was cut off at the model's limit of output tokens."),
        Finish::Refused => Some("The model's provider withheld the answer."),
    }
}

#[cfg(test)]
#[path = "turn_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "turn_properties.rs"]
mod properties;
