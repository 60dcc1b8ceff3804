//! Skills: written instructions for a kind of work, which the model loads when it does that work.
//!
//! A skill is a folder with a `SKILL.md`: YAML front matter (`name`, `description` and what else the Agent Skills standard
//! has), then Markdown. The user's are `<data>/skills/<name>/`; the product's own are compiled in and unpacked to
//! `<data>/skills/shipped/<name>/`, where file tools can read them. A user's skill takes the place of a shipped one of the
//! same name.
//!
//! [`SkillLibrary::list`] looks at the folders each time and reads only what has changed, so a skill that is edited counts
//! from the next look. Whatever a file is like, it is listed with its [`Skill::problems`] and never stops the others.
//! [`index_text`] is what the system prompt says of them; the tool `load_skill` brings the text.

mod front_matter;
mod shipped;
#[cfg(test)]
mod tests;

use crate::workspace::folder::{Folder, Kind, Stamp};
use crate::workspace::path::RelPath;
use crate::workspace::walk::{Entry, IgnoreRules, walk};
use crate::workspace::{WorkspaceError, Workspaces};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Read;
use std::ops::ControlFlow;
use std::sync::Arc;
use utoipa::ToSchema;

/// The file that makes a folder a skill.
const SKILL_FILE: &str = "SKILL.md";
/// The folder among the user's skills that the product's own are unpacked to.
pub const SHIPPED: &str = "shipped";
/// Bytes of a skill's file that are read.
const LARGEST: u64 = 256 * 1024;
/// Characters of the whole index.
const INDEX_CHARS: usize = 8_000;
/// Characters of one skill's description in the index.
const ENTRY_CHARS: usize = 1_536;

/// How a skill wants to be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillMode {
    /// Its text joins the conversation.
    Inline,
    /// A sub-agent works by it.
    Fork,
}

/// Whose a skill is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillSource {
    /// It comes with the product.
    Shipped,
    /// The user wrote it.
    User,
}

/// A skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Skill {
    /// What it is loaded by: the name of its folder.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// How it wants to be used.
    pub mode: SkillMode,
    /// Whose it is.
    pub source: SkillSource,
    /// What is wrong with it, each with what to do; it may work all the same.
    pub problems: Vec<String>,
    /// Everything in its front matter, also what we do not know.
    pub front_matter: Map<String, Value>,
    /// The instructions; empty when the file could not be read.
    pub body: String,
    /// Its folder as file tools name it.
    pub folder: String,
}

impl Skill {
    /// A skill out of its file.
    fn read(name: &str, source: SkillSource, folder: String, bytes: &[u8]) -> Self {
        let parsed = front_matter::parse(name, bytes);
        Self {
            name: name.to_owned(),
            description: parsed.description,
            mode: parsed.mode,
            source,
            problems: parsed.problems,
            front_matter: parsed.fields,
            body: parsed.body,
            folder,
        }
    }

    /// A skill whose file could not be read.
    fn unreadable(name: &str, folder: String, problem: String) -> Self {
        Self {
            name: name.to_owned(),
            description: String::new(),
            mode: SkillMode::Inline,
            source: SkillSource::User,
            problems: vec![problem],
            front_matter: Map::new(),
            body: String::new(),
            folder,
        }
    }

    /// Whether the model is told of it; a skill can leave its use to the user.
    fn is_listed(&self) -> bool {
        let users_alone = self.front_matter.get("disable-model-invocation").and_then(Value::as_bool);
        !self.body.is_empty() && users_alone != Some(true)
    }
}

/// All skills; cheap to clone.
#[derive(Clone)]
pub struct SkillLibrary(Arc<Inner>);

struct Inner {
    workspaces: Workspaces,
    shipped: Vec<Arc<Skill>>,
    /// The user's skills as they were last read, by name.
    known: Mutex<BTreeMap<String, (Stamp, Arc<Skill>)>>,
}

impl SkillLibrary {
    /// The library of a data folder. Blocks while the shipped skills are unpacked; that they cannot be is logged, since
    /// they work without, except for `read_file`.
    #[must_use]
    pub fn open(workspaces: Workspaces) -> Self {
        if let Err(error) = shipped::unpack(workspaces.skills()) {
            tracing::warn!("the shipped skills cannot be unpacked to the data folder: {error}");
        }
        let shipped = shipped::skills().map(Arc::new).collect();
        Self(Arc::new(Inner { workspaces, shipped, known: Mutex::default() }))
    }

    /// Every skill, by name.
    pub async fn list(&self) -> Vec<Arc<Skill>> {
        let library = self.clone();
        let scanned = self.0.workspaces.run(move |_| Ok::<_, WorkspaceError>(library.0.scan())).await;
        scanned.unwrap_or_else(|error| {
            tracing::warn!("the skills cannot be listed: {error}");
            self.0.shipped.clone()
        })
    }

    /// The skill of this name.
    pub async fn get(&self, name: &str) -> Option<Arc<Skill>> {
        self.list().await.into_iter().find(|skill| skill.name == name)
    }
}

impl Inner {
    fn scan(&self) -> Vec<Arc<Skill>> {
        let folder = self.workspaces.skills();
        // One look at a time: two would read the same changes twice.
        let mut known = self.known.lock();
        let mut now: BTreeMap<String, (Option<Stamp>, Arc<Skill>)> = BTreeMap::new();
        let enter = |path: &RelPath| path.components().count() == 1 && path.first() != Some(SHIPPED);
        let walked = walk(folder, &RelPath::root(), IgnoreRules::Disregard, &enter, &mut |entry| {
            let name = entry.path.split_last().and_then(|(parent, file)| Some((parent.first()?.to_owned(), file)));
            if let Some((name, file)) = name
                && file.eq_ignore_ascii_case(SKILL_FILE)
                // `SKILL.md` is walked before `skill.md` and counts.
                && !now.contains_key(&name)
            {
                let skill = read(folder, &name, &entry, known.get(&name));
                now.insert(name, skill);
            }
            ControlFlow::Continue(())
        });
        if let Err(error) = walked {
            tracing::warn!("the user's skills cannot be listed: {error}");
        }
        *known = now
            .iter()
            .filter_map(|(name, (stamp, skill))| Some((name.clone(), ((*stamp)?, Arc::clone(skill)))))
            .collect();
        let mut all: BTreeMap<String, Arc<Skill>> =
            self.shipped.iter().map(|skill| (skill.name.clone(), Arc::clone(skill))).collect();
        all.extend(now.into_iter().map(|(name, (_, skill))| (name, skill)));
        all.into_values().collect()
    }
}

/// One of the user's skills: as it was known, when its file is the same. Without a stamp when it could not be read.
fn read(
    folder: &Folder,
    name: &str,
    entry: &Entry,
    known: Option<&(Stamp, Arc<Skill>)>,
) -> (Option<Stamp>, Arc<Skill>) {
    let at = RelPath::parse(name).map_or_else(|_| name.to_owned(), |path| folder.show(&path));
    let broken = |problem: String| (None, Arc::new(Skill::unreadable(name, at.clone(), problem)));
    if entry.kind != Kind::File {
        return broken(format!("`{}` is no regular file, and links are not followed. Copy the file.", entry.shown()));
    }
    let file = match entry.open() {
        Ok(file) => file,
        Err(error) => return broken(format!("The file cannot be read: {error}")),
    };
    let stamp = file.stamp;
    if let Some((_, skill)) = known.filter(|(known, _)| *known == stamp) {
        return (Some(stamp), Arc::clone(skill));
    }
    if stamp.size > LARGEST {
        let limit = LARGEST / 1024;
        return broken(format!("The file is larger than {limit} KiB. Move parts of it into files beside it."));
    }
    let mut bytes = Vec::new();
    if let Err(error) = file.take(LARGEST).read_to_end(&mut bytes) {
        return broken(format!("The file cannot be read: {error}"));
    }
    (Some(stamp), Arc::new(Skill::read(name, SkillSource::User, at, &bytes)))
}

/// What the system prompt says of the skills: a line for each with its name and what it is for.
///
/// When not all descriptions find room, the later skills (by name) are listed by their names alone.
#[must_use]
pub fn index_text(skills: &[Arc<Skill>]) -> String {
    let listed: Vec<&Arc<Skill>> = skills.iter().filter(|skill| skill.is_listed()).collect();
    let names: usize = listed.iter().map(|skill| skill.name.chars().count() + "- \n".len()).sum();
    let mut room = INDEX_CHARS.saturating_sub(names);
    let mut text = String::new();
    let mut written = 0;
    for (done, skill) in listed.iter().enumerate() {
        let about = about(skill);
        let cost = about.chars().count() + ": ".len();
        let line = if cost <= room && !about.is_empty() {
            room -= cost;
            format!("- {}: {about}\n", skill.name)
        } else {
            format!("- {}\n", skill.name)
        };
        written += line.chars().count();
        if written > INDEX_CHARS {
            let _ = writeln!(text, "- and {} more", listed.len() - done);
            break;
        }
        text.push_str(&line);
    }
    text
}

/// Description and, where a skill has it, `when_to_use`, on one line.
fn about(skill: &Skill) -> String {
    let when = skill.front_matter.get("when_to_use").and_then(Value::as_str).unwrap_or_default();
    let whole = skill.description.split_whitespace().chain(when.split_whitespace()).collect::<Vec<_>>().join(" ");
    if whole.chars().count() <= ENTRY_CHARS {
        return whole;
    }
    whole.chars().take(ENTRY_CHARS - 1).chain(['…']).collect()
}
