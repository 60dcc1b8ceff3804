//! Commands that change nothing: a table, and what in their arguments makes them change something after all.

use super::{Analysis, SubCommand, analyse};

/// When a command of the table is read-only.
enum When {
    /// Whatever its arguments.
    Always,
    /// Unless one of these options is there: a long one by itself or with `=…`, a short one also among others (`-ni`).
    Without(&'static [&'static str]),
    /// When the first argument is one of these, and none of the dangerous options of git is there.
    Git,
    /// `sed`: no `-i`, and a script without the commands that write or run.
    Sed,
}

const TABLE: &[(&str, When)] = &[
    ("[", When::Always),
    ("[[", When::Always),
    ("basename", When::Always),
    ("cat", When::Always),
    ("cd", When::Always),
    ("cksum", When::Always),
    ("cmp", When::Always),
    ("column", When::Always),
    ("comm", When::Always),
    ("cut", When::Always),
    ("date", When::Without(&["-s", "--set"])),
    ("df", When::Always),
    ("diff", When::Without(&["--output"])),
    ("dirname", When::Always),
    ("du", When::Always),
    ("echo", When::Always),
    ("egrep", When::Always),
    ("expr", When::Always),
    ("false", When::Always),
    ("fgrep", When::Always),
    ("file", When::Without(&["-C", "--compile"])),
    (
        "find",
        When::Without(&["-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls"]),
    ),
    ("fold", When::Always),
    ("for", When::Always),
    ("git", When::Git),
    ("grep", When::Always),
    ("head", When::Always),
    ("hexdump", When::Always),
    ("join", When::Always),
    ("jq", When::Always),
    ("ls", When::Always),
    ("md5sum", When::Always),
    ("nl", When::Always),
    ("numfmt", When::Always),
    ("od", When::Always),
    ("paste", When::Always),
    ("printf", When::Without(&["-v"])),
    ("pwd", When::Always),
    ("readlink", When::Always),
    ("realpath", When::Always),
    ("rev", When::Always),
    ("rg", When::Without(&["--pre", "--hostname-bin", "-z", "--search-zip"])),
    ("sed", When::Sed),
    ("seq", When::Always),
    ("sha1sum", When::Always),
    ("sha256sum", When::Always),
    ("sleep", When::Always),
    ("sort", When::Without(&["-o", "--output", "--compress-program", "-T", "--temporary-directory"])),
    ("stat", When::Always),
    ("strings", When::Always),
    ("tac", When::Always),
    ("tail", When::Always),
    ("test", When::Always),
    ("tr", When::Always),
    ("tree", When::Without(&["-o"])),
    ("true", When::Always),
    ("uname", When::Always),
    ("wc", When::Always),
    ("which", When::Always),
    ("xxd", When::Without(&["-r"])),
    ("zcat", When::Always),
];

/// Whether nothing is changed by a command, whatever the files hold. Unclear commands are not.
#[must_use]
pub fn is_read_only(command: &str) -> bool {
    match analyse(command) {
        Analysis::Parsed(commands) => !commands.is_empty() && commands.iter().all(reads),
        Analysis::Unclear(_) => false,
    }
}

fn reads(command: &SubCommand) -> bool {
    let writes = command.redirects.iter().any(|redirect| redirect.writes && redirect.target != "/dev/null");
    if writes || command.background || command.assignments.iter().any(|name| is_dangerous(name)) {
        return false;
    }
    let Some((name, arguments)) = command.words.split_first() else {
        // A plain assignment lives as long as the command.
        return true;
    };
    if command.harmless_wrapper {
        return !name.contains('/') && name != "nohup";
    }
    let Ok(at) = TABLE.binary_search_by(|(known, _)| known.cmp(&name.as_str())) else { return false };
    match TABLE[at].1 {
        When::Always => true,
        When::Without(options) => !arguments.iter().any(|word| options.iter().any(|option| has(word, option))),
        When::Git => git(arguments),
        When::Sed => sed(arguments),
    }
}

/// Whether a word is this option: alone, with its value, or a letter among others.
fn has(word: &str, option: &str) -> bool {
    if let Some(letter) = option.strip_prefix('-').filter(|rest| rest.len() == 1) {
        return word.starts_with('-') && !word.starts_with("--") && word.contains(letter);
    }
    let name = word.split('=').next().unwrap_or_default();
    // GNU programs take an unambiguous beginning for a long option.
    name == option || option.starts_with("--") && name.len() > 3 && option.starts_with(name)
}

fn git(arguments: &[String]) -> bool {
    let Some((sub, rest)) = arguments.split_first() else { return false };
    let harmless = ["log", "show", "diff", "status", "blame", "shortlog", "rev-parse", "ls-files", "describe"];
    harmless.contains(&sub.as_str())
        && !rest.iter().any(|word| {
            ["--output", "--ext-diff", "--textconv", "-O", "--open-files-in-pager"]
                .iter()
                .any(|option| has(word, option))
        })
}

fn sed(arguments: &[String]) -> bool {
    let mut script = None;
    for word in arguments {
        match word.as_str() {
            "-n" | "-E" | "-r" | "-s" | "-u" | "-z" | "-nE" | "-En" | "-nr" | "-rn" => {}
            other if other.starts_with('-') => return false,
            other => {
                script.get_or_insert(other);
            }
        }
    }
    // Only addresses, `p`, `d`, `q` and a plain substitution: `w`, `e`, `r` and their flags could be anywhere else.
    let Some(script) = script else { return false };
    let plain = |part: &str| part.chars().all(|c| c.is_ascii_digit() || " ,$pdq=!".contains(c));
    let substitution = |part: &str| {
        let mut pieces = part.strip_prefix("s/").unwrap_or_default().split('/');
        let (Some(from), Some(to), Some(flags), None) = (pieces.next(), pieces.next(), pieces.next(), pieces.next())
        else {
            return false;
        };
        !from.contains('\\') && !to.contains(['\\', '\n']) && flags.chars().all(|c| "gIp0123456789".contains(c))
    };
    script.split(';').map(str::trim).all(|part| plain(part) || substitution(part))
}

/// Variables that change what a command runs.
#[must_use]
pub fn is_dangerous(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "PATH",
        "IFS",
        "ENV",
        "BASH_ENV",
        "SHELLOPTS",
        "BASHOPTS",
        "PS4",
        "PROMPT_COMMAND",
        "CDPATH",
        "GLOBIGNORE",
        "EDITOR",
        "VISUAL",
        "PAGER",
        "MANPAGER",
        "LESSOPEN",
        "LESSCLOSE",
        "SHELL",
        "TERMINFO",
        "HOME",
        "XDG_CONFIG_HOME",
        "RIPGREP_CONFIG_PATH",
        "PERL5OPT",
        "PERL5LIB",
        "RUBYOPT",
        "NODE_OPTIONS",
        "JQ_LIBRARY_PATH",
    ];
    const PREFIXES: &[&str] = &["LD_", "GIT_", "PYTHON", "DYLD_", "BASH_FUNC"];
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(TABLE.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
