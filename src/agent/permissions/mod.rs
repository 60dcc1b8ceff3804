//! Who may do what: from a call to *run it*, *refuse it* or *ask*.
//!
//! [`Permissions::decide`] asks, in this order:
//! 1. the tool itself ([`AgentTool::check_permissions`]): its denial stands, and a tool that touches nothing but the run
//!    allows itself in every mode;
//! 2. the rules ([`rules`]): a denial, then an answer that the user gave for good, then a rule that asks, then one that
//!    allows, however specific any of them is;
//! 3. the mode: what no rule says.
//!
//! A denial by a rule stands even where the tool allows itself. Plan mode comes before every yes: whoever only wants to
//! read gets nothing written, whatever was allowed before. Whoever cannot be asked is told no.

pub mod rules;
pub mod shell;

use super::tools::{AgentTool, ToolRule};
use crate::ids::{RuleId, SessionId, UserId};
use crate::sandbox::Isolation;
use crate::store::permissions::{RuleEffect, RuleRow, RuleSource};
use crate::store::sessions::PermissionMode;
use crate::store::{Store, StoreError, StoreResult};
use crate::time::Timestamp;
use parking_lot::RwLock;
use rules::{Rule, SHELL, Target};
use serde_json::Value;
use std::sync::Arc;

/// Whether somebody can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// The user.
    User,
    /// Nobody: a sub-agent, or work in the background.
    Nobody,
}

/// A call that is decided about.
pub struct Subject<'c> {
    /// Whose call it is.
    pub user_id: UserId,
    /// The conversation.
    pub session_id: SessionId,
    /// The tool.
    pub tool: &'c dyn AgentTool,
    /// The arguments it would run with.
    pub arguments: &'c Value,
    /// The mode of the run.
    pub mode: PermissionMode,
    /// Whether somebody can be asked.
    pub audience: Audience,
    /// How well shell commands are isolated; those that are not ask.
    pub isolation: Isolation,
}

/// What was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// May it run?
    pub ruling: Ruling,
    /// The rule that decided, if one did.
    pub rule: Option<String>,
}

/// May it run?
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// Yes.
    Allow,
    /// No; the reason is for the model.
    Deny(String),
    /// The user has to say.
    Ask(Question),
}

/// What the user is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// In words.
    pub message: String,
    /// The rules, one a line, that the answers `session` and `always` would store; without any they are not offered.
    pub suggestion: Option<String>,
}

/// How long an answer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// For the rest of the session.
    Session,
    /// For good.
    Always,
}

/// Why a rule was not stored.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// It cannot be read; the text says what is wrong.
    #[error("{0}")]
    Syntax(String),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The rules, in memory and on disk.
pub struct Permissions {
    store: Store,
    rules: RwLock<Vec<Loaded>>,
}

struct Loaded {
    row: RuleRow,
    rule: Rule,
}

impl Permissions {
    /// Loads the rules.
    ///
    /// # Errors
    /// When they cannot be read; one that is not understood is an error too, since leaving a denial out is worse.
    pub async fn open(store: Store) -> StoreResult<Arc<Self>> {
        let permissions = Self { store, rules: RwLock::default() };
        permissions.reload().await?;
        Ok(Arc::new(permissions))
    }

    async fn reload(&self) -> StoreResult<()> {
        let load = |row: RuleRow| match Rule::parse(&row.rule) {
            Ok(rule) => Ok(Loaded { row, rule }),
            Err(why) => Err(StoreError::Corrupt(format!("permission rule `{}`: {why}", row.rule))),
        };
        let rows = self.store.permission_rules().await?;
        *self.rules.write() = rows.into_iter().map(load).collect::<StoreResult<_>>()?;
        Ok(())
    }

    /// Everyone's rules, and those that this user's answers made.
    #[must_use]
    pub fn list(&self, user: UserId) -> Vec<RuleRow> {
        let rules = self.rules.read();
        rules.iter().map(|loaded| &loaded.row).filter(|row| row.user_id.is_none_or(|id| id == user)).cloned().collect()
    }

    /// Adds a rule for everyone.
    ///
    /// # Errors
    /// When it cannot be read or stored.
    pub async fn add(&self, effect: RuleEffect, rule: &str) -> Result<RuleRow, RuleError> {
        let row = row(None, None, effect, rule.trim(), RuleSource::Written)?;
        self.store.add_permission_rules(vec![row.clone()]).await?;
        self.reload().await?;
        Ok(row)
    }

    /// Changes a rule.
    ///
    /// # Errors
    /// When it cannot be read or stored, or has gone.
    pub async fn change(&self, id: RuleId, effect: RuleEffect, rule: &str) -> Result<(), RuleError> {
        Rule::parse(rule).map_err(RuleError::Syntax)?;
        self.store.change_permission_rule(id, effect, rule.trim().to_owned()).await?;
        Ok(self.reload().await?)
    }

    /// Deletes a rule.
    ///
    /// # Errors
    /// When it has gone, or the database cannot be written.
    pub async fn delete(&self, id: RuleId) -> StoreResult<()> {
        self.store.delete_permission_rule(id).await?;
        self.reload().await
    }

    /// Stores what the user's yes allows from now on.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn remember(
        &self,
        user: UserId,
        session: SessionId,
        suggestion: &str,
        scope: Scope,
    ) -> Result<(), RuleError> {
        let session = match scope {
            Scope::Session => Some(session),
            Scope::Always => None,
        };
        let rows = suggestion.lines().map(|rule| row(Some(user), session, RuleEffect::Allow, rule, RuleSource::Answer));
        self.store.add_permission_rules(rows.collect::<Result<_, _>>()?).await?;
        Ok(self.reload().await?)
    }

    /// Decides about a call.
    #[must_use]
    pub fn decide(&self, subject: &Subject) -> Verdict {
        let verdict = self.consider(subject);
        match (verdict.ruling, subject.audience) {
            (Ruling::Ask(_), Audience::Nobody) => Verdict {
                ruling: Ruling::Deny(format!(
                    "`{}` needs the user's consent, and there is nobody to ask here. Say in your result what you would have \
                     done.",
                    subject.tool.name()
                )),
                rule: verdict.rule,
            },
            (ruling, Audience::User | Audience::Nobody) => Verdict { ruling, rule: verdict.rule },
        }
    }

    fn consider(&self, subject: &Subject) -> Verdict {
        let (name, arguments) = (subject.tool.name(), subject.arguments);
        let target = Target::new(name, arguments);
        let (mut allows_itself, mut wants) = (false, None);
        for own in subject.tool.check_permissions(arguments) {
            match own {
                ToolRule::Deny { reason, .. } => return verdict(Ruling::Deny(reason), None),
                ToolRule::Allow { .. } => allows_itself = true,
                ToolRule::Ask { message, .. } => wants = Some(message),
            }
        }
        let rules = self.rules.read();
        let mine: Vec<&Loaded> = rules
            .iter()
            .filter(|loaded| loaded.row.user_id.is_none_or(|id| id == subject.user_id))
            .filter(|loaded| loaded.row.session_id.is_none_or(|id| id == subject.session_id))
            .collect();
        let matching = |effect| mine.iter().find(|l| l.row.effect == effect && l.rule.matches_any(&target));
        if let Some(denial) = matching(RuleEffect::Deny) {
            let why = format!("`{name}` was refused by the rule `{}`. Do not try to get round it.", denial.row.rule);
            return verdict(Ruling::Deny(why), Some(denial));
        }
        if allows_itself {
            return verdict(Ruling::Allow, None);
        }
        if subject.mode == PermissionMode::Plan && !reads(subject) {
            return verdict(by_mode(subject, &target, wants), None);
        }
        let allowing = |source: Option<RuleSource>| {
            let from = |l: &&&Loaded| l.row.effect == RuleEffect::Allow && source.is_none_or(|s| l.row.source == s);
            let candidates: Vec<&Loaded> = mine.iter().filter(from).copied().collect();
            let parsed: Vec<&Rule> = candidates.iter().map(|loaded| &loaded.rule).collect();
            let first = target.allowed_by(&parsed)?;
            candidates.into_iter().find(|loaded| std::ptr::eq(&raw const loaded.rule, first))
        };
        if let Some(answer) = allowing(Some(RuleSource::Answer)) {
            return verdict(Ruling::Allow, Some(answer));
        }
        let ask = |message: String| Ruling::Ask(Question { message, suggestion: target.suggestion() });
        // What only asks counts for nothing in full mode; a denial that might be meant stands there too.
        let counts = |effect| match effect {
            RuleEffect::Allow => false,
            RuleEffect::Ask => subject.mode != PermissionMode::Full,
            RuleEffect::Deny => true,
        };
        if let Some(asking) = matching(RuleEffect::Ask).filter(|_| counts(RuleEffect::Ask)) {
            let message = format!("A rule (`{}`) wants you to decide about this call of `{name}`.", asking.row.rule);
            return verdict(ask(message), Some(asking));
        }
        let guarded = || mine.iter().any(|l| counts(l.row.effect) && l.rule.concerns_commands());
        if let Some(why) = target.unclear().filter(|_| guarded()) {
            let message = format!("It cannot be told whether a rule is against this command: {why}.");
            return verdict(ask(message), None);
        }
        if let Some(allowing) = allowing(None) {
            return verdict(Ruling::Allow, Some(allowing));
        }
        verdict(by_mode(subject, &target, wants), None)
    }
}

/// Whether the call changes nothing.
fn reads(subject: &Subject) -> bool {
    let command = || subject.arguments["command"].as_str();
    subject.tool.is_readonly() || subject.tool.name() == SHELL && command().is_some_and(shell::is_read_only)
}

/// What the mode says about a call; `wants` is what its tool asks.
fn by_mode(subject: &Subject, target: &Target, wants: Option<String>) -> Ruling {
    let name = subject.tool.name();
    let ask = |message: String| Ruling::Ask(Question { message, suggestion: target.suggestion() });
    match subject.mode {
        PermissionMode::Full => Ruling::Allow,
        PermissionMode::Plan if !reads(subject) => Ruling::Deny(format!(
            "`{name}` changes something, and this session is in plan mode: only reading is allowed. Tell the user what you \
             would do."
        )),
        PermissionMode::Ask if !reads(subject) => ask(wants.unwrap_or_else(|| format!("May the agent call {name}?"))),
        PermissionMode::Auto | PermissionMode::Plan | PermissionMode::Ask => {
            if let Some(message) = wants {
                return ask(message);
            }
            if name == SHELL && subject.isolation == Isolation::None {
                return ask(
                    "Shell commands are not isolated on this machine: it could read and change anything that the \
                            server can. May it run?"
                        .to_owned(),
                );
            }
            Ruling::Allow
        }
    }
}

fn verdict(ruling: Ruling, rule: Option<&Loaded>) -> Verdict {
    Verdict { ruling, rule: rule.map(|loaded| loaded.row.rule.clone()) }
}

fn row(
    user_id: Option<UserId>,
    session_id: Option<SessionId>,
    effect: RuleEffect,
    rule: &str,
    source: RuleSource,
) -> Result<RuleRow, RuleError> {
    Rule::parse(rule).map_err(RuleError::Syntax)?;
    let created_at = Timestamp::now();
    Ok(RuleRow { id: RuleId::new(), user_id, session_id, effect, rule: rule.to_owned(), source, created_at })
}

#[cfg(test)]
mod tests;
