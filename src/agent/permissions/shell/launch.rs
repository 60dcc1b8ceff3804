//! Commands that start other commands: the inner one counts too.

use super::lexer::{self, Simple, Word};
use super::{SubCommand, Unclear, collect};

/// How a wrapper's own words end and the command that it starts begins. An option that does not stand here makes the
/// command unclear: it might take the next word as its value.
struct Wrapper {
    name: &'static str,
    /// Letters of options without a value, or with one in the same word.
    flags: &'static str,
    /// Letters of options whose value may be the next word.
    valued: &'static str,
    /// Long options without a value.
    long_flags: &'static [&'static str],
    /// Long options whose value may be the next word.
    long_valued: &'static [&'static str],
    /// Words of its own after the options (`timeout` has its duration).
    operands: usize,
    /// Whether it changes nothing about what the command does.
    harmless: bool,
}

const PLAIN: Wrapper =
    Wrapper { name: "", flags: "", valued: "", long_flags: &[], long_valued: &[], operands: 0, harmless: true };

const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "timeout",
        flags: "v",
        valued: "sk",
        long_flags: &["foreground", "preserve-status", "verbose"],
        long_valued: &["signal", "kill-after"],
        operands: 1,
        ..PLAIN
    },
    Wrapper { name: "nice", flags: "0123456789", valued: "n", long_valued: &["adjustment"], ..PLAIN },
    Wrapper { name: "ionice", flags: "t", valued: "cn", long_valued: &["class", "classdata"], ..PLAIN },
    Wrapper { name: "nohup", ..PLAIN },
    Wrapper { name: "stdbuf", valued: "ioe", long_valued: &["input", "output", "error"], ..PLAIN },
    Wrapper { name: "command", flags: "p", ..PLAIN },
    Wrapper { name: "builtin", ..PLAIN },
    Wrapper { name: "time", flags: "pav", valued: "fo", harmless: false, ..PLAIN },
    Wrapper { name: "exec", flags: "cl", valued: "a", harmless: false, ..PLAIN },
    Wrapper { name: "setsid", flags: "cfw", harmless: false, ..PLAIN },
    Wrapper {
        name: "env",
        flags: "i0v",
        valued: "uC",
        long_flags: &["ignore-environment", "null"],
        long_valued: &["unset", "chdir"],
        harmless: false,
        ..PLAIN
    },
    Wrapper {
        name: "sudo",
        flags: "AbEHnPS",
        valued: "ugp",
        long_valued: &["user", "group"],
        harmless: false,
        ..PLAIN
    },
    Wrapper { name: "doas", flags: "n", valued: "u", harmless: false, ..PLAIN },
    Wrapper {
        name: "xargs",
        flags: "0rtxi",
        valued: "InPLdaEs",
        long_flags: &["null", "no-run-if-empty", "verbose", "exit"],
        long_valued: &["max-args", "max-procs", "max-lines", "delimiter", "arg-file"],
        harmless: false,
        ..PLAIN
    },
];

impl Wrapper {
    /// How many words an option takes, itself included; `None` for one that is not known.
    fn takes(&self, option: &str) -> Option<usize> {
        if let Some(long) = option.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            return match (self.long_flags.contains(&name), self.long_valued.contains(&name), value) {
                (true, _, None) | (_, true, Some(_)) => Some(1),
                (_, true, None) => Some(2),
                _ => None,
            };
        }
        let letters = option.strip_prefix('-')?;
        for (at, letter) in letters.char_indices() {
            if self.valued.contains(letter) {
                // The rest of the word is the value, or the next word is.
                return Some(if at + letter.len_utf8() < letters.len() { 1 } else { 2 });
            }
            // `-i{}` of `xargs` has its value in the word.
            if !self.flags.contains(letter) || self.name == "xargs" && letter == 'i' {
                return (self.flags.contains(letter)).then_some(1);
            }
        }
        Some(1)
    }
}

/// Programs that start a command in ways that are not taken apart.
const LAUNCHERS: &[&str] = &[
    ".",
    "source",
    "alias",
    "unalias",
    "trap",
    "enable",
    "hash",
    "bind",
    "complete",
    "mapfile",
    "readarray",
    "watch",
    "parallel",
    "script",
    "flock",
    "strace",
    "ltrace",
    "gdb",
    "unshare",
    "nsenter",
    "chroot",
    "su",
    "runuser",
    "ssh",
    "busybox",
    "toybox",
    "systemd-run",
    "at",
    "batch",
    "crontab",
    "let",
    "expect",
    "socat",
    "shopt",
];
const SHELLS: &[&str] = &["sh", "bash", "dash", "zsh", "ksh", "ash", "rbash"];
/// Interpreters, with the options that take a program from the command line.
const INTERPRETERS: &[(&str, &[&str])] = &[
    ("python", &["-c"]),
    ("python3", &["-c"]),
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("node", &["-e", "-p", "--eval", "--print"]),
    ("php", &["-r"]),
    ("lua", &["-e"]),
    ("awk", &[""]),
    ("gawk", &[""]),
    ("mawk", &[""]),
];
/// Builtins that evaluate what stands in their arguments, quoted or not.
const EVALUATING: &[&str] =
    &["test", "[", "[[", "printf", "declare", "typeset", "local", "export", "readonly", "read", "unset"];

/// Adds a command, and whatever it starts, to `commands`.
pub(super) fn expand(simple: Simple, depth: usize, commands: &mut Vec<SubCommand>) -> Result<(), Unclear> {
    let Simple { words, assignments, redirects, background } = simple;
    let mut words = words.as_slice();
    let mut first = true;
    while let Some(head) = words.first() {
        if head.computed {
            return Err(format!("the command `{}` is computed", head.text));
        }
        if !head.text.is_ascii() {
            return Err(format!("the command `{}` has letters that may only look like others", head.text));
        }
        if head.text.contains("{}") {
            return Err("the command is a placeholder".into());
        }
        // Behind a wrapper these are names of programs to the shell, and nobody means that.
        if !first && (lexer::is_reserved(&head.text) || head.text.contains('=')) {
            return Err(format!("`{}` stands where a command should", head.text));
        }
        let name = base_name(&head.text);
        check_evaluation(name, words)?;
        let (inner, harmless) = inner(name, words, depth, commands)?;
        let own = &words[..words.len() - inner.len()];
        let shown = if harmless { own } else { words };
        commands.push(SubCommand {
            words: shown.iter().map(|word| word.text.clone()).collect(),
            assignments: if first { assignments.clone() } else { Vec::new() },
            redirects: if first { redirects.clone() } else { Vec::new() },
            harmless_wrapper: harmless,
            background,
        });
        first = false;
        words = inner;
    }
    if first {
        commands.push(SubCommand { assignments, redirects, background, ..SubCommand::default() });
    }
    Ok(())
}

/// The name of a program without its folder.
pub(super) fn base_name(command: &str) -> &str {
    command.rsplit('/').next().unwrap_or(command)
}

/// The words of the command that this one starts (none, if it starts none), and whether it is harmless itself.
fn inner<'w>(
    name: &str,
    words: &'w [Word],
    depth: usize,
    commands: &mut Vec<SubCommand>,
) -> Result<(&'w [Word], bool), Unclear> {
    let none = &words[words.len()..];
    if LAUNCHERS.contains(&name) {
        return Err(format!("`{name}` can start other commands"));
    }
    if SHELLS.contains(&name) {
        let [_, option, script] = words else { return Err(format!("`{name}` runs a script that is not seen here")) };
        if option.text != "-c" || script.computed {
            return Err(format!("`{name}` runs a script that is not seen here"));
        }
        collect(&script.text, depth + 1, commands)?;
        return Ok((none, false));
    }
    if name == "eval" {
        if words.iter().any(|word| word.computed) {
            return Err("`eval` runs something computed".into());
        }
        let script: Vec<&str> = words[1..].iter().map(|word| word.text.as_str()).collect();
        collect(&script.join(" "), depth + 1, commands)?;
        return Ok((none, false));
    }
    if name == "find" {
        find(words, depth, commands)?;
        return Ok((none, false));
    }
    if let Some((_, options)) = INTERPRETERS.iter().find(|(interpreter, _)| *interpreter == name)
        && (options.contains(&"") || words[1..].iter().any(|word| is_inline(&word.text, options)))
    {
        return Err(format!("`{name}` runs a program that stands in its arguments"));
    }
    let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == name) else { return Ok((none, false)) };
    if name == "command" && words.get(1).is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V")) {
        return Ok((none, true));
    }
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if text == "--" {
            at += 1;
            break;
        }
        if text.starts_with('-') && text.len() > 1 {
            at += wrapper.takes(text).ok_or_else(|| format!("`{name} {text}` cannot be taken apart"))?;
        } else if name == "env" && text == "-" {
            at += 1;
        } else if name == "env" && text.contains('=') {
            if super::readonly::is_dangerous(text.split('=').next().unwrap_or_default()) {
                return Err("`env` sets a variable that changes what runs".into());
            }
            at += 1;
        } else {
            break;
        }
    }
    let from = (at + wrapper.operands).min(words.len());
    let (own, inner) = words.split_at(from);
    // Unquoted, it may become several words, the last of which is the command.
    if own.iter().any(|word| word.computed) {
        return Err(format!("what `{name}` starts depends on something computed"));
    }
    if name == "xargs" {
        reads_its_command(own, inner)?;
    }
    Ok((inner, wrapper.harmless))
}

/// `xargs` gives its input to a command as arguments; where that command would start them, nobody knows what runs.
fn reads_its_command(own: &[Word], inner: &[Word]) -> Result<(), Unclear> {
    let Some(head) = inner.first() else { return Ok(()) };
    let name = base_name(&head.text);
    let starts_others = WRAPPERS.iter().any(|wrapper| wrapper.name == name)
        || SHELLS.contains(&name)
        || INTERPRETERS.iter().any(|(interpreter, _)| *interpreter == name)
        || matches!(name, "eval" | "find");
    // With `-I` the input may stand anywhere, also where the command does.
    let replaces = own.iter().any(|word| word.text.starts_with("-I") || word.text.starts_with("-i"));
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if starts_others || replaces && !head.text.chars().all(plain) {
        return Err("`xargs` reads the command from its input".into());
    }
    Ok(())
}

/// Whether an option carries a program: `-c`, also among other letters (`-Bc`).
fn is_inline(word: &str, options: &[&str]) -> bool {
    let short = word.starts_with('-') && !word.starts_with("--");
    options.iter().any(|option| match option.strip_prefix('-').filter(|letter| letter.len() == 1) {
        Some(letter) => short && word.contains(letter),
        None => word.split('=').next() == Some(option),
    })
}

/// The commands of `-exec` and its kin.
fn find(words: &[Word], depth: usize, commands: &mut Vec<SubCommand>) -> Result<(), Unclear> {
    let mut rest = words;
    while let Some(at) = rest.iter().position(|w| matches!(w.text.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir")) {
        let command = &rest[at + 1..];
        let end = command.iter().position(|word| matches!(word.text.as_str(), ";" | "+")).unwrap_or(command.len());
        let simple = Simple { words: command[..end].to_vec(), ..Simple::default() };
        expand(simple, depth + 1, commands)?;
        rest = &command[end..];
    }
    Ok(())
}

/// An array index inside quotes is evaluated by some builtins, commands in it included.
fn check_evaluation(name: &str, words: &[Word]) -> Result<(), Unclear> {
    let evaluated = |word: &Word| word.text.contains('[') && (word.text.contains("$(") || word.text.contains('`'));
    if EVALUATING.contains(&name) && words[1..].iter().any(evaluated) {
        return Err(format!("`{name}` would evaluate what stands in its arguments"));
    }
    Ok(())
}
