//! Making a context fit: which layer works, and what it writes down.

use super::record::{Beside, Record, Room, Told, render};
use super::restore::Restorer;
use super::session::SessionContext;
use super::touched::Touched;
use super::view::View;
use super::{estimate, micro, summary};
use crate::agent::events::{CompactionLayer, Event};
use crate::agent::hooks::{CompactTrigger, Hooks, PreCompact, Scope as HookScope, StartSource};
use crate::agent::prompt::SystemPrompts;
use crate::agent::timeline::{Scope, record};
use crate::agent::tools::persist;
use crate::ids::{CallId, MessageId};
use crate::llm::ModelPool;
use crate::llm::types::{Entry, ModelRequest, Usage};
use crate::services::Services;
use crate::store::compactions::{self, Compaction, CompactionEffect};
use crate::store::messages::{self, Message, Role};
use crate::store::todos::TodoStatus;
use crate::store::{StoreResult, sessions};
use serde_json::json;
use std::sync::Arc;

/// The soft limit after the user has undone a summary: they want the whole, as long as it goes in.
const UNDONE_LIMIT: f64 = 0.95;

/// What makes the contexts of one session fit. Cheap to clone.
#[derive(Clone)]
pub struct Fitter {
    /// The domain.
    pub services: Arc<Services>,
    /// The models that summarise.
    pub models: ModelPool,
    /// The model that the run wants.
    pub wanted: Option<String>,
    /// Have a word before a summary.
    pub hooks: Arc<Hooks>,
    /// Where hooks happen and events belong.
    pub scope: HookScope,
    /// What is kept of the session.
    pub session: Arc<SessionContext>,
    /// Makes system prompts; they are made anew after a summary.
    pub prompts: SystemPrompts,
    /// Tokens that fit in the model's window.
    pub window: u32,
    /// The share of the window above which a summary is made.
    pub soft_limit: f64,
}

/// Why the context is to be made smaller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// It may be near its limit.
    NextCall,
    /// The provider refused it since it is too long.
    TooLong,
    /// The user or the model wants it; the text says what matters above all.
    Asked(String),
}

/// A context that may have to be made smaller.
#[derive(Debug, Clone)]
pub struct Need {
    /// Why.
    pub wish: Wish,
    /// Its tokens, as the next request would have them.
    pub tokens: u64,
    /// The next request, with the conversation as it is.
    pub request: ModelRequest,
    /// Deferred tools whose definitions it carries.
    pub loaded: Vec<String>,
}

/// What became of a context.
#[derive(Debug, Default)]
pub struct Fitted {
    /// The conversation, when it is another one now.
    pub entries: Option<Vec<Entry>>,
    /// The system prompt, when it was made anew.
    pub system: Option<String>,
    /// What has left the context, for the memory bridge.
    pub left: Vec<Message>,
    /// Why nothing was done that should have been.
    pub skipped: Option<String>,
}

/// A session's rows.
struct Rows {
    messages: Vec<Message>,
    compactions: Vec<Compaction>,
}

impl Fitter {
    /// Whether [`Fitter::fit`] has anything to look at; it costs nothing to ask.
    #[must_use]
    pub fn is_needed(&self, wish: &Wish, tokens: u64) -> bool {
        match wish {
            Wish::NextCall => tokens > self.micro_mark(),
            Wish::TooLong | Wish::Asked(_) => true,
        }
    }

    /// Makes a context smaller, by the least that helps.
    ///
    /// # Errors
    /// When the database cannot be used. That a model fails is no error: it is said in the timeline.
    pub async fn fit(&self, need: Need) -> StoreResult<Fitted> {
        let mut rows = self.rows().await?;
        if let Wish::Asked(focus) = &need.wish {
            return self.summarise(&need, &rows, CompactionLayer::Manual, focus).await;
        }
        let mut tokens = need.tokens;
        let mut fitted = Fitted::default();
        let must = need.wish == Wish::TooLong;
        if self.clear_outputs(&rows, &mut tokens, self.micro_limits()).await? {
            rows = self.rows().await?;
            fitted.entries = Some(View::new(&rows.messages, &rows.compactions).entries());
        }
        if !must && tokens <= self.limit(&rows.compactions) {
            return Ok(fitted);
        }
        let admitted = {
            let mut breaker = self.session.breaker.lock();
            if breaker.admits() { Ok(()) } else { Err(breaker.tell()) }
        };
        match admitted {
            Ok(()) => {
                let entries = View::new(&rows.messages, &rows.compactions).entries();
                let need = Need { tokens, request: ModelRequest { entries, ..need.request }, ..need };
                let made = self.summarise(&need, &rows, CompactionLayer::Auto, "").await?;
                if made.entries.is_some() {
                    return Ok(made);
                }
                fitted.skipped = made.skipped;
            }
            Err(Some(why)) => {
                let why = format!(
                    "Automatic summaries are off: {why}. Only old tool outputs are cleared; compact by hand to try again."
                );
                self.skipped(CompactionLayer::Auto, tokens, &why).await?;
                fitted.skipped = Some(why);
            }
            Err(None) => {}
        }
        // The last resort of a context that does not go in: every output but the newest.
        let all = micro::Limits { protected: 0, least: 1 };
        if must && self.clear_outputs(&rows, &mut tokens, all).await? {
            let rows = self.rows().await?;
            fitted.entries = Some(View::new(&rows.messages, &rows.compactions).entries());
        }
        Ok(fitted)
    }

    async fn rows(&self) -> StoreResult<Rows> {
        let (store, session) = (&self.services.store, self.scope.session_id);
        let messages = messages::list(store.reader(), session).await?;
        let compactions = compactions::list(store.reader(), session).await?;
        Ok(Rows { messages, compactions })
    }

    /// Tokens above which a summary is made.
    fn limit(&self, compactions: &[Compaction]) -> u64 {
        let is_summary = |row: &&Compaction| matches!(row.effect, CompactionEffect::Summarised { .. });
        let undone = compactions.iter().rev().find(is_summary).is_some_and(|row| !row.holds());
        self.part(if undone { self.soft_limit.max(UNDONE_LIMIT) } else { self.soft_limit })
    }

    fn micro_mark(&self) -> u64 {
        self.part(self.soft_limit * 0.75)
    }

    fn micro_limits(&self) -> micro::Limits {
        micro::Limits { protected: self.part(0.15), least: self.part(0.1) }
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a u32 fits a u64")]
    fn part(&self, share: f64) -> u64 {
        (f64::from(self.window) * share) as u64
    }

    /// The first layer; answers whether it did something.
    async fn clear_outputs(&self, rows: &Rows, tokens: &mut u64, limits: micro::Limits) -> StoreResult<bool> {
        let view = View::new(&rows.messages, &rows.compactions);
        let chosen = micro::choose(&view, limits);
        if chosen.is_empty() {
            return Ok(false);
        }
        let mut cleared: Vec<CallId> = Vec::new();
        let before = *tokens;
        for output in chosen {
            // What has no file for its whole text stays.
            let (call, content) = (output.call.clone(), output.result.content.clone());
            if persist::keep(&self.services.workspaces, self.scope.user_id, call, content).await {
                *tokens = tokens.saturating_sub(output.gain);
                cleared.push(output.call.clone());
            }
        }
        if cleared.is_empty() {
            return Ok(false);
        }
        cleared.iter().for_each(|call| self.session.files.forget_call(call));
        let row = self.compaction(CompactionLayer::Micro, CompactionEffect::Cleared(cleared), before, *tokens);
        let (scope, event) = (self.event_scope(), done(&row, None));
        self.services
            .store
            .write(move |connection| {
                Box::pin(async move {
                    compactions::add(&mut *connection, &row).await?;
                    record(connection, scope, &event).await
                })
            })
            .await?;
        Ok(true)
    }

    /// The second and third layer: snapshot, compress, restore.
    async fn summarise(&self, need: &Need, rows: &Rows, layer: CompactionLayer, focus: &str) -> StoreResult<Fitted> {
        let why = match self.snapshot_compress_restore(need, rows, layer, focus).await? {
            Ok((fitted, after)) => {
                let mut breaker = self.session.breaker.lock();
                match layer {
                    CompactionLayer::Manual => breaker.close(),
                    CompactionLayer::Auto | CompactionLayer::Micro => breaker.succeeded(need.tokens, after),
                }
                return Ok(fitted);
            }
            Err(Declined::Harmless(why)) => why,
            Err(Declined::Failed(why)) => {
                if layer == CompactionLayer::Auto {
                    self.session.breaker.lock().failed(&why);
                }
                format!("No summary was made, since {why}.")
            }
        };
        self.skipped(layer, need.tokens, &why).await?;
        Ok(Fitted { skipped: Some(why), ..Fitted::default() })
    }

    async fn snapshot_compress_restore(
        &self,
        need: &Need,
        rows: &Rows,
        layer: CompactionLayer,
        focus: &str,
    ) -> StoreResult<Result<(Fitted, u64), Declined>> {
        let trigger = if layer == CompactionLayer::Manual { CompactTrigger::Manual } else { CompactTrigger::Auto };
        if let PreCompact::Block { reason } = self.hooks.pre_compact(&self.scope, trigger).await {
            return Ok(Err(Declined::Harmless(format!("A hook keeps the context as it is: {reason}"))));
        }
        let view = View::new(&rows.messages, &rows.compactions);
        let fixed = estimate::fixed(&need.request.system, &need.request.tools);
        let room = self.part(self.soft_limit).saturating_sub(fixed).max(u64::from(self.window) / 10);
        let shown: u64 = view.shown.iter().map(|message| view.tokens(message)).sum();
        let Some(tail) = tail_start(&view, (room / 10).min(shown / 4)) else {
            return Ok(Err(Declined::Harmless("There is nothing to summarise yet.".into())));
        };
        let asked = match summary::ask(&self.models, need.request.clone(), self.wanted.as_deref(), focus).await {
            Ok(asked) => asked,
            Err(why) => return Ok(Err(Declined::Failed(why))),
        };
        let hidden: Vec<&Message> = {
            let last = view.shown[tail - 1].id;
            let end = rows.messages.iter().position(|message| message.id == last).map_or(0, |at| at + 1);
            rows.messages[..end].iter().filter(|message| !message.queued).collect()
        };
        let record_now = self.record(asked.told, &view, &hidden, rows, need).await?;
        let beside = Beside {
            skills: Touched::of(hidden.iter().copied()).skills,
            files: self.restorer().files(&hidden).await,
            context: self.hooks.session_start(&self.scope, StartSource::Compact).await,
        };
        let text = render(&record_now, &hidden, &beside, Room::of(room));
        let tail_tokens: u64 = view.shown[tail..].iter().map(|message| view.tokens(message)).sum();
        // Both sizes are estimates, so that they can be compared; the provider's count of the one then gives the other.
        let before = fixed + estimate::entries(&need.request.entries);
        let after = fixed + estimate::text(&text) + tail_tokens;
        if after >= before {
            return Ok(Err(Declined::Failed("the summary came out larger than what it would stand for".into())));
        }
        let after = need.tokens * after / before.max(1);
        let system = self.write(need, &view, tail, &hidden, &record_now, text, layer, after, asked.usage).await?;
        for call in hidden.iter().filter_map(|message| message.tool_call_id.as_ref()) {
            self.session.files.forget_call(call);
        }
        self.restorer().shown(&beside.files).await;
        self.hooks.post_compact(&self.scope, trigger, need.tokens, after).await;
        let rows_now = self.rows().await?;
        let entries = View::new(&rows_now.messages, &rows_now.compactions).entries();
        let left = view.shown[..tail].iter().map(|message| (*message).clone()).collect();
        Ok(Ok((Fitted { entries: Some(entries), system: Some(system), left, skipped: None }, after)))
    }

    /// The typed record.
    async fn record(
        &self,
        told: Told,
        view: &View<'_>,
        hidden: &[&Message],
        rows: &Rows,
        need: &Need,
    ) -> StoreResult<Record> {
        let by_user = |message: &&&Message| message.role == Role::User;
        let texts: Vec<&str> = hidden.iter().filter(by_user).map(|message| message.content.as_str()).collect();
        let before = view.summary.and_then(Record::of_summary);
        let touched = Touched::of(&rows.messages);
        let todos = self.services.store.todos(self.scope.session_id).await?;
        Ok(Record {
            todos: todos.into_iter().filter(|todo| todo.status != TodoStatus::Completed).collect(),
            papers: touched.papers,
            targets: touched.targets,
            files: touched.files,
            tools: need.loaded.clone(),
            skills: touched.skills.into_iter().map(|(name, _)| name).collect(),
            ..Record::of(told, before, &texts)
        })
    }

    /// Writes a summary down, in one transaction with what tells of it; answers the new system prompt.
    #[expect(clippy::too_many_arguments, reason = "the parts of one row and its message")]
    async fn write(
        &self,
        need: &Need,
        view: &View<'_>,
        tail: usize,
        hidden: &[&Message],
        record_now: &Record,
        text: String,
        layer: CompactionLayer,
        after: u64,
        usage: Usage,
    ) -> StoreResult<String> {
        let run = self.scope.run_id.or_else(|| hidden.iter().rev().find_map(|message| message.run_id));
        let mut message = Message {
            run_id: run,
            ..Message::new(self.scope.session_id, run.unwrap_or_default(), Role::Summary, text)
        };
        let ids: Vec<_> = [hidden.first(), hidden.last()].into_iter().flatten().map(|message| message.id).collect();
        message.metadata = Some(json!({
            "layer": layer, "before_tokens": need.tokens, "after_tokens": after, "record": record_now, "stands_for": ids,
        }));
        let effect = CompactionEffect::Summarised { through: view.shown[tail - 1].id, summary: message.id };
        let row = self.compaction(layer, effect, need.tokens, after);
        let (scope, user) = (self.event_scope(), self.scope.user_id);
        let event = done(&row, Some(message.id));
        self.services
            .store
            .write(move |connection| {
                Box::pin(async move {
                    messages::add(&mut *connection, user, &message, None).await?;
                    compactions::add(&mut *connection, &row).await?;
                    sessions::add_usage(&mut *connection, scope.session_id, usage).await?;
                    record(&mut *connection, scope, &Event::Message { message: Box::new(message) }).await?;
                    record(connection, scope, &event).await
                })
            })
            .await?;
        self.prompts.refreshed(self.scope.user_id, self.scope.session_id).await
    }

    fn restorer(&self) -> Restorer<'_> {
        Restorer { workspaces: &self.services.workspaces, user: self.scope.user_id, files: &self.session.files }
    }

    fn compaction(&self, layer: CompactionLayer, effect: CompactionEffect, before: u64, after: u64) -> Compaction {
        Compaction {
            id: 0,
            session_id: self.scope.session_id,
            run_id: self.scope.run_id,
            layer,
            effect,
            before_tokens: before,
            after_tokens: after,
            undone_at: None,
        }
    }

    /// Says in the timeline that nothing was done, and why.
    async fn skipped(&self, layer: CompactionLayer, tokens: u64, why: &str) -> StoreResult<()> {
        let event = Event::Compaction {
            layer,
            before_tokens: tokens,
            after_tokens: tokens,
            summary_message_id: None,
            skipped_reason: Some(why.to_owned()),
        };
        let scope = self.event_scope();
        self.services
            .store
            .write(move |connection| Box::pin(async move { record(connection, scope, &event).await }))
            .await?;
        Ok(())
    }

    fn event_scope(&self) -> Scope {
        Scope { user_id: self.scope.user_id, session_id: self.scope.session_id, run_id: self.scope.run_id }
    }
}

/// Why there is no summary.
enum Declined {
    /// There is no need, or a hook wants none.
    Harmless(String),
    /// It went wrong.
    Failed(String),
}

/// Where the newest messages begin that stay as they are: at most `room` tokens of them, and in any case the user's words
/// when they are the newest. `None` when nothing would leave the context.
fn tail_start(view: &View<'_>, room: u64) -> Option<usize> {
    let mut start = view.shown.len();
    let mut left = room;
    while let Some(message) = start.checked_sub(1).and_then(|at| view.shown.get(at)) {
        let tokens = view.tokens(message);
        let is_question = start == view.shown.len() && message.role == Role::User;
        if tokens > left && !is_question {
            break;
        }
        left = left.saturating_sub(tokens);
        start -= 1;
    }
    (start > 0).then_some(start)
}

fn done(row: &Compaction, summary_message_id: Option<MessageId>) -> Event {
    Event::Compaction {
        layer: row.layer,
        before_tokens: row.before_tokens,
        after_tokens: row.after_tokens,
        summary_message_id,
        skipped_reason: None,
    }
}
