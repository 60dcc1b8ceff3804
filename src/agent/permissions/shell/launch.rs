//! Commands that start other commands: the inner one counts too.

use super::lexer::{self, Simple, Word};
use super::{SubCommand, Unclear, collect};

/// How a wrapper's own words end and the command that it starts begins.
struct Wrapper {
    name: &'static str,
    /// Options that take the next word as their value.
    valued: &'static [&'static str],
    /// Words of its own after the options (`timeout` has its duration).
    operands: usize,
    /// Whether it changes nothing about what the command does.
    harmless: bool,
}

const fn wrapper(name: &'static str, valued: &'static [&'static str], operands: usize, harmless: bool) -> Wrapper {
    Wrapper { name, valued, operands, harmless }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper("timeout", &["-s", "--signal", "-k", "--kill-after"], 1, true),
    wrapper("nice", &["-n", "--adjustment"], 0, true),
    wrapper("ionice", &["-c", "-n", "--class", "--classdata"], 0, true),
    wrapper("nohup", &[], 0, true),
    wrapper("stdbuf", &["-i", "-o", "-e", "--input", "--output", "--error"], 0, true),
    wrapper("command", &[], 0, true),
    wrapper("builtin", &[], 0, true),
    wrapper("time", &["-f", "-o", "--format", "--output"], 0, false),
    wrapper("exec", &["-a"], 0, false),
    wrapper("setsid", &[], 0, false),
    wrapper("env", &["-u", "--unset", "-C", "--chdir"], 0, false),
    wrapper("sudo", &["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D"], 0, false),
    wrapper("doas", &["-u", "-C"], 0, false),
    wrapper(
        "xargs",
        &[
            "-I",
            "-i",
            "-n",
            "-P",
            "-L",
            "-d",
            "-a",
            "-E",
            "-s",
            "--max-args",
            "--max-procs",
            "--delimiter",
            "--arg-file",
        ],
        0,
        false,
    ),
];

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
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        if name == "env"
            && (text.starts_with("-S") || text.starts_with("--split-string") || text.contains("=") && word.computed)
        {
            return Err("`env` of this kind cannot be taken apart".into());
        }
        if name == "command" && matches!(text, "-v" | "-V") {
            return Ok((none, true));
        }
        if text == "--" {
            at += 1;
            break;
        }
        if text.starts_with('-') && text.len() > 1 {
            at += if wrapper.valued.contains(&text) { 2 } else { 1 };
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
    Ok((&words[from..], wrapper.harmless))
}

fn is_inline(word: &str, options: &[&str]) -> bool {
    options.iter().any(|option| word == *option || option.len() == 2 && word.starts_with(option))
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
