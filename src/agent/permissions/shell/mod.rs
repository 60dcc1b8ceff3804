//! What a shell command would run: every simple command in it, wherever it hides, with its redirects.
//!
//! [`analyse`] reads a command the way bash does, as far as that is certain, and answers [`Analysis::Unclear`] for the rest:
//! rules are checked against what is known to run, and what is unclear is asked about. It is conservative on purpose. A
//! command word that is computed, a construct that it does not know, a letter that only looks like one: unclear.
//!
//! `a && b | c`, subshells, groups, substitutions (also inside double quotes and here-documents), the bodies of loops and
//! conditions, `sh -c '…'` and `eval` are taken apart. Wrappers (`env`, `timeout`, `xargs`, `find -exec`) count as a command
//! of their own *and* the command that they run counts as well.

mod launch;
mod lexer;
mod readonly;
#[cfg(test)]
mod tests;

pub use readonly::{is_dangerous as is_dangerous_variable, is_read_only};

/// Longest command that is looked at, in characters; a longer one is unclear.
const LONGEST: usize = 10_000;
/// Deepest nesting of substitutions and `sh -c`.
const DEEPEST: usize = 8;

/// What is known about a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Analysis {
    /// These commands run, and no others.
    Parsed(Vec<SubCommand>),
    /// It cannot be told; the reason is for the user.
    Unclear(String),
}

/// One simple command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SubCommand {
    /// The command and its arguments, without quotes. An argument that is computed stands as it was written.
    pub words: Vec<String>,
    /// Names of the variables set for it (`LANG=C sort`), or set for good when there are no words.
    pub assignments: Vec<String>,
    /// Files that the shell opens for it.
    pub redirects: Vec<Redirect>,
    /// Whether it only starts another command, which is listed as well, and changes nothing by itself (`timeout`, `nice`).
    pub harmless_wrapper: bool,
    /// Whether it goes on in the background.
    pub background: bool,
}

impl SubCommand {
    /// The words with single blanks between them: what rules are matched against.
    #[must_use]
    pub fn text(&self) -> String {
        self.words.join(" ")
    }
}

/// A file that the shell opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// The path as written, without quotes.
    pub target: String,
    /// Whether it may be changed by it.
    pub writes: bool,
}

/// Why a command is unclear.
type Unclear = String;

/// Takes a command apart.
#[must_use]
pub fn analyse(command: &str) -> Analysis {
    let mut commands = Vec::new();
    match collect(command, 0, &mut commands).and_then(|()| check_folder(&commands)) {
        Ok(()) => Analysis::Parsed(commands),
        Err(why) => Analysis::Unclear(why),
    }
}

/// After `cd` a relative path is another one than it says.
fn check_folder(commands: &[SubCommand]) -> Result<(), Unclear> {
    let moves = |command: &SubCommand| {
        let name = command.words.first().map_or("", |word| launch::base_name(word));
        let by_option = |word: &String| word.starts_with("-C") || word.starts_with("--chdir");
        matches!(name, "cd" | "pushd" | "popd") || name == "env" && command.words.iter().any(by_option)
    };
    let mut redirects = commands.iter().flat_map(|command| &command.redirects);
    if commands.iter().any(moves)
        && let Some(redirect) = redirects.find(|redirect| !redirect.target.starts_with('/'))
    {
        return Err(format!("the folder changes, so it cannot be told which file `{}` is", redirect.target));
    }
    Ok(())
}

/// Adds the commands of a script to `commands`.
fn collect(script: &str, depth: usize, commands: &mut Vec<SubCommand>) -> Result<(), Unclear> {
    if depth > DEEPEST {
        return Err("it is nested too deeply".into());
    }
    if script.chars().count() > LONGEST {
        return Err(format!("it is longer than {LONGEST} characters"));
    }
    if let Some(odd) = script.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(format!("it contains the control character {:?}", odd));
    }
    let simple = lexer::Lexer::new(script, depth).script()?;
    for command in simple {
        launch::expand(command, depth, commands)?;
    }
    Ok(())
}
