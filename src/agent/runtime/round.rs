//! One step of a run: an answer of the model with its calls, from the first delta to the last result.

use super::effects::{Answer, AnswerState, CallEnd, CallResult, CallVerdict, Effect, NOT_STARTED, Outcome};
use super::partition::{Place, Stage, startable};
use super::prepare::PreparedCall;
use crate::agent::context::history::answered_call;
use crate::agent::tools::InterruptBehavior;
use crate::ids::CallId;
use crate::llm::types::{Entry, Finish, Thinking, Usage};
use std::mem;

/// The answer and its calls.
#[derive(Debug)]
pub struct Round {
    step: u32,
    /// Markdown.
    pub content: String,
    /// Reasoning.
    pub thinking: Thinking,
    /// What it used.
    pub usage: Usage,
    /// How the stream ended, once it has.
    pub stream: Stream,
    /// How the run ends with this round, once that is clear.
    pub outcome: Option<Outcome>,
    slots: Vec<Slot>,
    stopping: bool,
    /// Results up to here have passed the loop guard: it sees them in the order of the calls.
    guarded: usize,
}

/// Where the stream of an answer stands.
#[derive(Debug, Clone, PartialEq)]
pub enum Stream {
    /// More may come.
    Open,
    /// The model had its say.
    Finished(Finish),
    /// It broke off; what had come is kept.
    Broken(String),
}

#[derive(Debug)]
struct Slot {
    call: PreparedCall,
    stage: Stage,
    result: Option<CallResult>,
    /// Why it was cancelled, when a sibling's failure did it.
    aborted: Option<String>,
}

impl Round {
    /// An answer that has not begun, of the model of this name.
    #[must_use]
    pub fn new(step: u32, model: &str) -> Self {
        Self {
            step,
            content: String::new(),
            thinking: Thinking { model: model.to_owned(), ..Thinking::default() },
            usage: Usage::default(),
            stream: Stream::Open,
            outcome: None,
            slots: Vec::new(),
            stopping: false,
            guarded: 0,
        }
    }

    /// An answer from before a restart, some of whose calls still wait for the user.
    #[must_use]
    pub fn reopened(step: u32, open: OpenAnswer) -> Self {
        let slot = |(call, result): (PreparedCall, Option<CallResult>)| {
            let stage = if result.is_some() { Stage::Done } else { Stage::Checking };
            Slot { call, stage, result, aborted: None }
        };
        let slots: Vec<Slot> = open.calls.into_iter().map(slot).collect();
        Self {
            content: open.content,
            thinking: open.thinking,
            stream: Stream::Finished(Finish::ToolCalls),
            // What the guard saw before the restart is gone.
            guarded: slots.len(),
            slots,
            ..Self::new(step, "")
        }
    }

    /// Throws away what an attempt said. Once a call went out nothing is thrown away: it may have taken effect.
    pub fn discard(&mut self, model: &str) -> bool {
        if self.slots.is_empty() {
            *self = Self::new(self.step, model);
        }
        self.slots.is_empty()
    }

    /// Whether the model made no call.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether it said neither a word nor called anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.is_plain() && self.content.trim().is_empty()
    }

    /// Whether the user stopped it.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        self.stopping
    }

    /// Whether the stream and all calls have ended.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.stream != Stream::Open && self.slots.iter().all(|slot| slot.stage == Stage::Done)
    }

    /// The first result that ends the run, if any.
    #[must_use]
    pub fn fatal(&self) -> Option<String> {
        self.slots.iter().find_map(|slot| slot.result.as_ref()?.fatal.clone())
    }

    /// The effect that stores the answer as it is now.
    #[must_use]
    pub fn store(&self, cut_off: Option<String>) -> Effect {
        let state = if self.stream == Stream::Open { AnswerState::Open } else { AnswerState::Closed };
        Effect::StoreAnswer(Answer {
            step: self.step,
            content: self.content.clone(),
            thinking: self.thinking.clone(),
            calls: self.slots.iter().map(|slot| slot.call.clone()).collect(),
            usage: self.usage,
            cut_off,
            state,
        })
    }

    /// Adds a call that is complete.
    pub fn add(&mut self, call: PreparedCall) {
        self.slots.push(Slot { call, stage: Stage::Checking, result: None, aborted: None });
    }

    /// The calls that nobody has decided about yet.
    pub fn unchecked(&self) -> impl Iterator<Item = &PreparedCall> {
        self.slots.iter().filter(|slot| slot.stage == Stage::Checking).map(|slot| &slot.call)
    }

    /// Takes a decision; a refusal is answered as the call's result.
    pub fn checked(&mut self, id: &CallId, verdict: CallVerdict) -> Option<CallResult> {
        let slot = self.slots.iter_mut().find(|slot| slot.call.id == *id && slot.stage == Stage::Checking)?;
        match verdict {
            CallVerdict::Refused(why) => Some(CallResult::not_run(slot.call.clone(), self.step, why)),
            CallVerdict::Run(clearance) => {
                slot.stage = Stage::Ready;
                slot.call.concurrency_safe = clearance.concurrency_safe.unwrap_or(slot.call.concurrency_safe);
                slot.call.effective = clearance.arguments;
                slot.call.notes = clearance.notes;
                None
            }
        }
    }

    /// The calls that may begin now; they count as running from here on.
    pub fn start(&mut self) -> Vec<PreparedCall> {
        let places: Vec<Place> =
            self.slots.iter().map(|slot| Place { stage: slot.stage, safe: slot.call.concurrency_safe }).collect();
        let begin = |index: usize| {
            self.slots[index].stage = Stage::Running;
            self.slots[index].call.clone()
        };
        startable(&places).into_iter().map(begin).collect()
    }

    /// Notes a result. `None` when the call is unknown or has one already. The result as it will be told, and those
    /// results, this one included, whose turn it is to pass the loop guard.
    pub fn settle(&mut self, mut result: CallResult) -> Option<(CallResult, Vec<CallResult>)> {
        let index = self.slots.iter().position(|slot| slot.call.id == result.call.id)?;
        let slot = &mut self.slots[index];
        if slot.stage == Stage::Done {
            return None;
        }
        if let (Some(cause), CallEnd::Cancelled) = (&slot.aborted, result.end) {
            result.content.clone_from(cause);
        }
        slot.stage = Stage::Done;
        slot.result = Some(result.clone());
        let mut turns = Vec::new();
        while let Some(Slot { result: Some(next), .. }) = self.slots.get(self.guarded) {
            if !next.call.polling && !self.stopping {
                turns.push(next.clone());
            }
            self.guarded += 1;
        }
        Some((result, turns))
    }

    /// Adds a remark to a result that was noted.
    pub fn amend(&mut self, result: &CallResult) {
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.call.id == result.call.id) {
            slot.result = Some(result.clone());
        }
    }

    /// Why a call that comes now is not to run: an earlier one about the same paper failed, and it depends on that.
    #[must_use]
    pub fn sibling_failure(&self, call: &PreparedCall) -> Option<String> {
        let paper = call.paper.as_ref()?;
        let failed =
            self.slots.iter().filter_map(|slot| slot.result.as_ref()).find(|result| {
                result.failed() && result.call.sibling_abort && result.call.paper.as_ref() == Some(paper)
            })?;
        Some(spared(&failed.call.name, paper))
    }

    /// What the failure of a call means for its siblings about the same paper: those that have not begun get their
    /// result here, those that run and may be interrupted are named.
    pub fn abort_siblings(&mut self, failed: &CallResult) -> (Vec<CallResult>, Vec<CallId>) {
        let (mut results, mut cancel) = (Vec::new(), Vec::new());
        let Some(paper) = failed.call.paper.as_ref().filter(|_| failed.call.sibling_abort) else {
            return (results, cancel);
        };
        let why = spared(&failed.call.name, paper);
        for slot in self.slots.iter_mut().filter(|slot| slot.call.paper.as_ref() == Some(paper)) {
            match slot.stage {
                Stage::Checking | Stage::Ready => {
                    results.push(CallResult::not_run(slot.call.clone(), self.step, why.clone()));
                }
                Stage::Running if slot.call.interrupt == InterruptBehavior::Cancel => {
                    slot.aborted = Some(why.clone());
                    cancel.push(slot.call.id.clone());
                }
                Stage::Running | Stage::Done => {}
            }
        }
        (results, cancel)
    }

    /// Ends the round before its time: what has not begun gets `why` as its result.
    pub fn give_up(&mut self, why: &str) -> Vec<CallResult> {
        self.stopping = true;
        let waiting = self.slots.iter().filter(|slot| matches!(slot.stage, Stage::Checking | Stage::Ready));
        waiting.map(|slot| CallResult::not_run(slot.call.clone(), self.step, why)).collect()
    }

    /// The step as an entry of the conversation.
    #[must_use]
    pub fn into_entry(mut self) -> Entry {
        let calls = mem::take(&mut self.slots).into_iter().map(|slot| {
            let (result, is_error) = match slot.result {
                Some(result) => (result.content, result.is_error),
                None => (NOT_STARTED.to_owned(), true),
            };
            answered_call(&slot.call.id, slot.call.name, slot.call.arguments, result, is_error)
        });
        let silent = self.thinking.text.is_empty() && self.thinking.sealed.is_empty();
        Entry::Assistant { content: self.content, thinking: (!silent).then_some(self.thinking), calls: calls.collect() }
    }
}

fn spared(failed: &str, paper: &str) -> String {
    format!(
        "Not done: `{failed}` failed for the same paper ({paper}), and this call depended on it. Its error says why."
    )
}

/// An answer whose calls are not all answered: what a restart finds of a run that waits for the user.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenAnswer {
    /// Markdown.
    pub content: String,
    /// Reasoning.
    pub thinking: Thinking,
    /// Its calls, with the results they have.
    pub calls: Vec<(PreparedCall, Option<CallResult>)>,
}
