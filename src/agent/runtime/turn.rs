//! The turn: a pure state machine from the user's message to the answer.
//!
//! [`Turn::handle`] takes what happened ([`Input`]) and returns what is to be done ([`Effect`]) as data. It does no I/O and
//! knows no clock, so every interleaving of deltas, results, failures and stops can be tested in microseconds. The driver
//! ([`super::driver`]) executes the effects and feeds back what comes of them.
//!
//! ```text
//! Begin -> TakeQueued -> Queued -> CallModel -> Model* -> StoreAnswer -> RunBatch -> ToolDone* -> TakeQueued -> ...
//!                                                 \-> no calls: Finish
//! ```

use super::duplicates::{DuplicateGuard, Verdict};
pub use super::effects::{Answer, CallResult, Effect, Input, NOT_STARTED, Outcome};
use super::history::answered_call;
use super::partition::partition;
use super::prepare::{PreparedCall, Toolbox};
use crate::llm::types::{Entry, Finish, ModelError, ModelEvent, RawCall, Thinking, Usage};
use crate::store::runs::EndReason;
use std::collections::VecDeque;
use std::mem;

/// The state of a run.
#[derive(Debug)]
pub struct Turn {
    max_steps: u32,
    step: u32,
    entries: Vec<Entry>,
    guard: DuplicateGuard,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    Idle,
    TakingQueued,
    Streaming(Partial),
    Running(Round),
    Over,
}

/// An answer that is still streaming.
#[derive(Debug, Default)]
struct Partial {
    content: String,
    thinking: String,
    calls: Vec<RawCall>,
    usage: Usage,
}

/// The calls of one answer.
#[derive(Debug)]
struct Round {
    content: String,
    thinking: String,
    calls: Vec<PreparedCall>,
    results: Vec<Option<CallResult>>,
    /// Indices into `calls`, batch by batch.
    waiting: VecDeque<Vec<usize>>,
    running: usize,
    stopping: bool,
}

impl Turn {
    /// A turn over what was said before.
    #[must_use]
    pub fn new(history: Vec<Entry>, steps_taken: u32, max_steps: u32) -> Self {
        Self { max_steps, step: steps_taken, entries: history, guard: DuplicateGuard::default(), phase: Phase::Idle }
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
            (Phase::TakingQueued, Input::Queued(messages)) => self.call_model(messages, &mut effects),
            (Phase::Streaming(partial), Input::Model(event)) => self.model(partial, event, toolbox, &mut effects),
            (Phase::Running(round), Input::ToolDone(result)) => self.tool_done(round, result, &mut effects),
            (phase, Input::Stop) => self.stop(phase, &mut effects),
            // Out of place: the state stays.
            (phase, Input::Begin | Input::Queued(_) | Input::Model(_) | Input::ToolDone(_)) => self.phase = phase,
        }
        effects
    }

    fn take_queued(&mut self, effects: &mut Vec<Effect>) {
        self.phase = Phase::TakingQueued;
        effects.push(Effect::TakeQueued);
    }

    fn call_model(&mut self, messages: Vec<Entry>, effects: &mut Vec<Effect>) {
        self.entries.extend(messages);
        self.step += 1;
        self.phase = Phase::Streaming(Partial::default());
        effects.push(Effect::CallModel { step: self.step });
    }

    fn finish(&mut self, outcome: Outcome, effects: &mut Vec<Effect>) {
        self.phase = Phase::Over;
        effects.push(Effect::Finish(outcome));
    }

    fn model(&mut self, mut partial: Partial, event: ModelEvent, toolbox: &dyn Toolbox, effects: &mut Vec<Effect>) {
        match event {
            ModelEvent::Text(delta) => {
                partial.content.push_str(&delta);
                effects.push(Effect::ShowText(delta));
            }
            ModelEvent::Thinking(delta) => {
                partial.thinking.push_str(&delta);
                effects.push(Effect::ShowThinking(delta));
            }
            ModelEvent::SealedThinking(_) => {}
            ModelEvent::Switched { .. } => partial = Partial::default(),
            ModelEvent::Call(call) => partial.calls.push(call),
            ModelEvent::Usage(usage) => partial.usage = usage,
            ModelEvent::Retrying { attempt, reason, wait } => {
                partial = Partial::default();
                effects.push(Effect::DiscardAttempt { attempt, reason, wait });
            }
            ModelEvent::Finished(finish) => return self.answered(partial, finish, toolbox, effects),
            ModelEvent::Failed(error) => return self.model_failed(partial, &error, effects),
        }
        self.phase = Phase::Streaming(partial);
    }

    fn answered(&mut self, partial: Partial, finish: Finish, toolbox: &dyn Toolbox, effects: &mut Vec<Effect>) {
        let calls: Vec<PreparedCall> = partial.calls.into_iter().map(|call| toolbox.prepare(call)).collect();
        let cut_off = match finish {
            Finish::Stop | Finish::ToolCalls => None,
            Finish::Length => Some("The answer was cut off at the model's limit of output tokens.".to_owned()),
            Finish::Refused => Some("The model's provider withheld the answer.".to_owned()),
        };
        if partial.content.trim().is_empty() && calls.is_empty() {
            let why = cut_off
                .unwrap_or_else(|| "The model returned an empty answer. Ask again, or try another model.".into());
            if !partial.thinking.is_empty() {
                self.store_answer(
                    partial.content,
                    partial.thinking,
                    Vec::new(),
                    partial.usage,
                    Some(why.clone()),
                    effects,
                );
            }
            return self.finish(Outcome::failed(why), effects);
        }
        let answer = (partial.content.clone(), partial.thinking.clone());
        self.store_answer(partial.content, partial.thinking, calls.clone(), partial.usage, cut_off.clone(), effects);
        if calls.is_empty() {
            self.entries.push(Entry::Assistant { content: answer.0, thinking: some(answer.1), calls: Vec::new() });
            return self.finish(Outcome::completed(cut_off), effects);
        }
        let mut round = Round {
            content: answer.0,
            thinking: answer.1,
            results: vec![None; calls.len()],
            waiting: partition(&calls),
            calls,
            running: 0,
            stopping: false,
        };
        for index in 0..round.calls.len() {
            if let Some(why) = round.calls[index].rejection.clone() {
                let result = CallResult::not_run(round.calls[index].clone(), self.step, why);
                // A round of rejected calls alone ends here; its last result carries the guard's nudge.
                self.settle(&mut round, result, effects);
            }
        }
        self.proceed(round, effects);
    }

    fn store_answer(
        &mut self,
        content: String,
        thinking: String,
        calls: Vec<PreparedCall>,
        usage: Usage,
        cut_off: Option<String>,
        effects: &mut Vec<Effect>,
    ) {
        effects.push(Effect::StoreAnswer(Answer { step: self.step, content, thinking, calls, usage, cut_off }));
    }

    fn model_failed(&mut self, partial: Partial, error: &ModelError, effects: &mut Vec<Effect>) {
        // Calls of a broken answer were never begun, so leaving them out loses nothing that happened.
        if !partial.content.trim().is_empty() {
            let why = Some(error.message.clone());
            self.store_answer(partial.content, partial.thinking, Vec::new(), partial.usage, why, effects);
        }
        self.finish(Outcome::failed(error.message.clone()), effects);
    }

    fn tool_done(&mut self, mut round: Round, result: CallResult, effects: &mut Vec<Effect>) {
        round.running = round.running.saturating_sub(1);
        self.settle(&mut round, result, effects);
        self.proceed(round, effects);
    }

    /// Notes the result of a call; the last one of the round first passes the loop guard.
    fn settle(&mut self, round: &mut Round, mut result: CallResult, effects: &mut Vec<Effect>) {
        let Some(index) = round.calls.iter().position(|call| call.id == result.call.id) else { return };
        if round.results[index].is_some() {
            return;
        }
        let last = round.results.iter().filter(|slot| slot.is_none()).count() == 1;
        if last && !round.stopping {
            round.results[index] = Some(result.clone());
            let items = round.results.iter().flatten().filter(|r| !r.call.polling);
            match self.guard.record(items) {
                Verdict::Fine => {}
                Verdict::Nudge(note) | Verdict::Stop(note) => {
                    result.content.push_str("\n\n");
                    result.content.push_str(&note);
                }
            }
        }
        round.results[index] = Some(result.clone());
        effects.push(Effect::StoreResult(result));
    }

    /// Starts the next batch, or ends the round.
    fn proceed(&mut self, mut round: Round, effects: &mut Vec<Effect>) {
        if round.running > 0 {
            self.phase = Phase::Running(round);
            return;
        }
        let fatal = round.results.iter().flatten().find_map(|result| result.fatal.clone());
        if fatal.is_some() || round.stopping {
            let why = if round.stopping { NOT_STARTED } else { "Not run: an earlier call ended the run." };
            for index in mem::take(&mut round.waiting).into_iter().flatten() {
                let result = CallResult::not_run(round.calls[index].clone(), self.step, why);
                round.stopping = true;
                self.settle(&mut round, result, effects);
            }
        }
        if let Some(batch) = round.waiting.pop_front() {
            round.running = batch.len();
            effects.push(Effect::RunBatch(batch.iter().map(|index| round.calls[*index].clone()).collect()));
            self.phase = Phase::Running(round);
            return;
        }
        let stopping = round.stopping && fatal.is_none();
        self.close_round(round);
        if let Some(why) = fatal {
            return self.finish(Outcome::failed(why), effects);
        }
        if stopping {
            return self.finish(Outcome::stopped_by_user(), effects);
        }
        if let Some(note) = self.guard.tripped() {
            return self.finish(Outcome::limit(EndReason::LoopGuard, note), effects);
        }
        if self.step >= self.max_steps {
            let detail = format!(
                "The run reached its limit of {} model calls. Send a message to let it go on, or raise AGENT_MAX_STEPS.",
                self.max_steps
            );
            return self.finish(Outcome::limit(EndReason::MaxSteps, detail), effects);
        }
        self.take_queued(effects);
    }

    /// Moves the answered calls into the conversation.
    fn close_round(&mut self, round: Round) {
        let calls = round.calls.into_iter().zip(round.results).map(|(call, result)| {
            let (result, is_error) = match result {
                Some(result) => (result.content, result.is_error),
                None => (NOT_STARTED.to_owned(), true),
            };
            answered_call(&call.id, call.name, call.arguments, result, is_error)
        });
        self.entries.push(Entry::Assistant {
            content: round.content,
            thinking: some(round.thinking),
            calls: calls.collect(),
        });
    }

    fn stop(&mut self, phase: Phase, effects: &mut Vec<Effect>) {
        match phase {
            Phase::Over => {}
            Phase::Idle | Phase::TakingQueued => self.finish(Outcome::stopped_by_user(), effects),
            Phase::Streaming(partial) => {
                effects.push(Effect::AbortModel);
                if !partial.content.trim().is_empty() {
                    let why = Some("Stopped by the user.".to_owned());
                    self.entries.push(Entry::Assistant {
                        content: partial.content.clone(),
                        thinking: some(partial.thinking.clone()),
                        calls: Vec::new(),
                    });
                    self.store_answer(partial.content, partial.thinking, Vec::new(), partial.usage, why, effects);
                }
                self.finish(Outcome::stopped_by_user(), effects);
            }
            Phase::Running(mut round) => {
                if !round.stopping {
                    round.stopping = true;
                    effects.push(Effect::CancelTools);
                }
                self.proceed(round, effects);
            }
        }
    }
}

fn some(text: String) -> Option<Thinking> {
    (!text.is_empty()).then(|| Thinking { text, ..Thinking::default() })
}

#[cfg(test)]
#[path = "turn_tests.rs"]
mod tests;
