//! The syntax of rules and what they match.
//!
//! A rule is `tool` or `tool(specifier)`; `*` stands for every tool. What the specifier means depends on the tool:
//!
//! | tool | specifier | matches |
//! |---|---|---|
//! | file tools | a path pattern as in `.gitignore`, from the workspace's top | the call's `path` |
//! | `run_bash` | `git log:*` (these words and whatever follows), `git log *` (`*` is anything), or the whole command | each sub-command |
//! | others | a text in which `*` is anything | the argument that says what the call is about |
//!
//! A shell command is taken apart first ([`super::shell`]). It matches a rule that denies or asks when *any* of its
//! sub-commands does, and one that allows only together with other rules that allow the rest. The files that the shell
//! opens count as `file_write` and `read_file`. What a program does by itself, and links inside the workspace, no rule can
//! see: those are the sandbox's business.

use super::shell::{Analysis, SubCommand, analyse};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde_json::Value;

/// Tools whose main argument is a path in the workspace.
const FILE_TOOLS: &[&str] = &["read_file", "grep_files", "glob_files", "file_write", "file_edit"];
/// Tools that write a file at a path.
const WRITERS: &[&str] = &["file_write", "file_edit"];
/// The tool that runs shell commands.
pub(super) const SHELL: &str = "run_bash";
/// Arguments that say what a call is about, the first that is there.
const SUBJECTS: &[&str] = &["paper", "query", "name", "question", "task", "tool", "to", "content"];

/// A rule that can be matched.
#[derive(Debug, Clone)]
pub struct Rule {
    tool: String,
    specifier: Specifier,
}

#[derive(Debug, Clone)]
enum Specifier {
    All,
    Path(Box<Gitignore>),
    Words(Vec<String>),
    Text(String),
}

/// What a call is about, taken apart once for all rules.
#[derive(Debug, Clone)]
pub struct Target {
    tool: String,
    about: About,
}

#[derive(Debug, Clone)]
enum About {
    Path(String),
    Command(Analysis),
    Text(Option<String>),
}

impl Rule {
    /// Reads a rule.
    ///
    /// # Errors
    /// One sentence that says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (tool, specifier) = match text.split_once('(') {
            Some((tool, rest)) => {
                let specifier = rest.strip_suffix(')').ok_or("The rule does not end with `)`.")?;
                (tool.trim(), Some(specifier.trim()).filter(|specifier| !matches!(*specifier, "" | "*")))
            }
            None => (text, None),
        };
        let named = tool == "*"
            || !tool.is_empty() && tool.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !named {
            return Err(format!("`{tool}` is no tool's name: use one such as `run_bash` or `file_write`, or `*`."));
        }
        let specifier = match specifier {
            None => Specifier::All,
            Some(_) if tool == "*" => return Err("`*` stands for every tool and takes nothing in brackets.".into()),
            Some(pattern) if FILE_TOOLS.contains(&tool) => {
                let mut builder = GitignoreBuilder::new("");
                builder.add_line(None, pattern).map_err(|e| format!("`{pattern}` is no path pattern: {e}."))?;
                let matcher = builder.build().map_err(|e| format!("`{pattern}` is no path pattern: {e}."))?;
                if matcher.num_ignores() != 1 {
                    return Err(format!("`{pattern}` is no path pattern; `!` and `#` cannot begin one."));
                }
                Specifier::Path(Box::new(matcher))
            }
            Some(pattern) if tool == SHELL => match pattern.strip_suffix(":*") {
                Some(words) => Specifier::Words(words.split_whitespace().map(str::to_owned).collect()),
                None => Specifier::Text(pattern.split_whitespace().collect::<Vec<_>>().join(" ")),
            },
            Some(pattern) => Specifier::Text(pattern.to_owned()),
        };
        Ok(Self { tool: tool.to_owned(), specifier })
    }

    /// Whether it says something about files or shell commands, so that an unclear command might be against it.
    #[must_use]
    pub fn concerns_commands(&self) -> bool {
        self.tool == "*" || self.tool == SHELL || FILE_TOOLS.contains(&self.tool.as_str())
    }

    /// Whether any part of the call matches: how denials and questions are matched.
    #[must_use]
    pub fn matches_any(&self, target: &Target) -> bool {
        if let About::Command(Analysis::Parsed(commands)) = &target.about {
            return commands.iter().any(|command| self.command(command, Strictness::Loose))
                || self.covers_tool(SHELL) && matches!(self.specifier, Specifier::All)
                || commands.iter().flat_map(|c| &c.redirects).any(|redirect| {
                    let tools: &[&str] = if redirect.writes { WRITERS } else { &["read_file"] };
                    tools.iter().any(|tool| self.path(tool, &redirect.target, Strictness::Loose))
                });
        }
        match &target.about {
            About::Path(path) => self.path(&target.tool, path, Strictness::Loose),
            // Unclear: only a rule about the tool as a whole is certain to match.
            About::Command(_) => self.covers_tool(SHELL) && matches!(self.specifier, Specifier::All),
            About::Text(text) => self.text(&target.tool, text.as_deref()),
        }
    }

    fn covers_tool(&self, tool: &str) -> bool {
        self.tool == "*" || self.tool == tool
    }

    fn text(&self, tool: &str, text: Option<&str>) -> bool {
        self.covers_tool(tool)
            && match (&self.specifier, text) {
                (Specifier::All, _) => true,
                (Specifier::Text(pattern), Some(text)) => wildcard(pattern, text),
                (Specifier::Text(_), None) | (Specifier::Path(_) | Specifier::Words(_), _) => false,
            }
    }

    fn path(&self, tool: &str, path: &str, strictness: Strictness) -> bool {
        if !self.covers_tool(tool) {
            return false;
        }
        let pattern = match &self.specifier {
            Specifier::All => return true,
            Specifier::Path(pattern) => pattern,
            Specifier::Words(_) | Specifier::Text(_) => return false,
        };
        let Some(components) = components(path) else { return strictness == Strictness::Loose };
        let matches = |components: &[&str]| {
            !components.is_empty() && pattern.matched_path_or_any_parents(components.join("/"), false).is_ignore()
        };
        if path.starts_with('/') {
            // It may be the workspace by its full name, so every end of it is looked at; an allowance wants plain words.
            return strictness == Strictness::Loose && (0..components.len()).any(|from| matches(&components[from..]));
        }
        matches(&components)
    }

    fn command(&self, command: &SubCommand, strictness: Strictness) -> bool {
        if !self.covers_tool(SHELL) || command.words.is_empty() {
            return false;
        }
        let matches = |words: &[String]| match &self.specifier {
            Specifier::All => true,
            Specifier::Words(prefix) => words.starts_with(prefix),
            Specifier::Text(pattern) => wildcard(pattern, &words.join(" ")),
            Specifier::Path(_) => false,
        };
        if matches(&command.words) {
            return true;
        }
        // `/bin/rm` is `rm` for a denial, and something of its own for an allowance.
        let mut words = command.words.clone();
        words[0] = words[0].rsplit('/').next().unwrap_or_default().to_owned();
        strictness == Strictness::Loose && matches(&words)
    }
}

/// Denials and questions match loosely, allowances exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strictness {
    Loose,
    Exact,
}

impl Target {
    /// What a call of this tool with these arguments is about.
    #[must_use]
    pub fn new(tool: &str, arguments: &Value) -> Self {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::to_owned);
        let about = if tool == SHELL {
            About::Command(analyse(&text("command").unwrap_or_default()))
        } else if FILE_TOOLS.contains(&tool) {
            About::Path(text("path").unwrap_or_else(|| ".".to_owned()))
        } else {
            About::Text(SUBJECTS.iter().find_map(|name| text(name)))
        };
        Self { tool: tool.to_owned(), about }
    }

    /// Why the command cannot be taken apart, if it is one that cannot.
    #[must_use]
    pub fn unclear(&self) -> Option<&str> {
        match &self.about {
            About::Command(Analysis::Unclear(why)) => Some(why),
            About::Command(Analysis::Parsed(_)) | About::Path(_) | About::Text(_) => None,
        }
    }

    /// Whether these rules together allow the whole call. Answers the first of them that had a part in it.
    #[must_use]
    pub fn allowed_by<'r>(&self, rules: &[&'r Rule]) -> Option<&'r Rule> {
        let commands = match &self.about {
            About::Path(path) => {
                return rules.iter().copied().find(|rule| rule.path(&self.tool, path, Strictness::Exact));
            }
            About::Text(text) => return rules.iter().copied().find(|rule| rule.text(&self.tool, text.as_deref())),
            About::Command(Analysis::Unclear(_)) => return None,
            About::Command(Analysis::Parsed(commands)) => commands,
        };
        let mut first = None;
        for command in commands.iter().filter(|command| !command.harmless_wrapper) {
            if command.assignments.iter().any(|name| super::shell::is_dangerous_variable(name)) {
                return None;
            }
            if !command.words.is_empty() {
                let rule = rules.iter().copied().find(|rule| rule.command(command, Strictness::Exact))?;
                first.get_or_insert(rule);
            }
        }
        for redirect in commands.iter().flat_map(|command| &command.redirects) {
            let harmless = matches!(redirect.target.as_str(), "/dev/null" | "/dev/stdout" | "/dev/stderr");
            let whole = |rule: &&Rule| rule.covers_tool(SHELL) && matches!(rule.specifier, Specifier::All);
            if redirect.writes && !harmless && !rules.iter().any(whole) {
                rules.iter().copied().find(|rule| rule.path("file_write", &redirect.target, Strictness::Exact))?;
            }
        }
        first
    }

    /// The rules, one a line, that an answer `always` would store; `None` when they would say more than was asked.
    #[must_use]
    pub fn suggestion(&self) -> Option<String> {
        const MOST: usize = 5;
        let commands = match &self.about {
            About::Path(_) | About::Text(_) => return Some(self.tool.clone()),
            About::Command(Analysis::Unclear(_)) => return None,
            About::Command(Analysis::Parsed(commands)) => commands,
        };
        if commands.iter().any(|c| c.redirects.iter().any(|r| r.writes && r.target != "/dev/null")) {
            return None;
        }
        let mut rules: Vec<String> = commands
            .iter()
            .filter(|command| !command.harmless_wrapper && !command.words.is_empty())
            .map(SubCommand::text)
            .collect();
        rules.sort();
        rules.dedup();
        let plain = rules.iter().all(|rule| !rule.contains(['*', '\n']) && !rule.ends_with(')') && rule.len() <= 300);
        (plain && !rules.is_empty() && rules.len() <= MOST)
            .then(|| rules.iter().map(|rule| format!("{SHELL}({rule})")).collect::<Vec<_>>().join("\n"))
    }
}

/// The components of a path, without what means nothing; `None` when it goes up.
fn components(path: &str) -> Option<Vec<&str>> {
    let mut kept = Vec::new();
    for component in path.split('/') {
        match component {
            "" | "." => {}
            ".." => return None,
            other => kept.push(other),
        }
    }
    Some(kept)
}

/// Whether a text fits a pattern in which `*` is anything.
fn wildcard(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    // `git log *` also means `git log` without anything behind it.
    rest.ends_with(last) || last.is_empty()
}

#[cfg(test)]
#[path = "rules_tests.rs"]
mod tests;
