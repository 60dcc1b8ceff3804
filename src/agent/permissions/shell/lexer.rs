//! From the text of a script to simple commands: quotes, operators, redirects, substitutions.

use super::{Redirect, SubCommand, Unclear, collect};

/// A word as it was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Word {
    /// Without quotes; what is computed stays as it is written.
    pub(super) text: String,
    /// Whether the shell computes a part of it (`$x`, `*`, `{a,b}`, `~`).
    pub(super) computed: bool,
    /// Whether a part of it was quoted.
    pub(super) quoted: bool,
}

/// A simple command as it was read.
#[derive(Debug, Default)]
pub(super) struct Simple {
    pub(super) words: Vec<Word>,
    pub(super) assignments: Vec<String>,
    pub(super) redirects: Vec<Redirect>,
    pub(super) background: bool,
}

/// Where a here-document ends, and whether its text is taken as it is.
struct HereDocument {
    end: String,
    literal: bool,
    strip_tabs: bool,
}

pub(super) struct Lexer {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    /// Finished commands.
    done: Vec<Simple>,
    current: Simple,
    here: Vec<HereDocument>,
    /// Open subshells and groups.
    open: Vec<char>,
}

/// Words that stand before a command without being one.
const BEFORE_COMMANDS: &[&str] = &["if", "then", "elif", "else", "while", "until", "do", "!", "{"];
/// Words that end a construct; only redirects and operators follow.
const AFTER_COMMANDS: &[&str] = &["fi", "done", "}"];
/// Constructs whose commands cannot be told apart from their data with certainty.
const UNKNOWN: &[&str] = &["case", "esac", "function", "select", "coproc"];

/// Whether the shell gives this word a meaning of its own where a command begins.
pub(super) fn is_reserved(word: &str) -> bool {
    [BEFORE_COMMANDS, AFTER_COMMANDS, UNKNOWN, &["for", "[["]].iter().any(|words| words.contains(&word))
}

impl Lexer {
    pub(super) fn new(script: &str, depth: usize) -> Self {
        let chars = script.chars().collect();
        Self { chars, at: 0, depth, done: Vec::new(), current: Simple::default(), here: Vec::new(), open: Vec::new() }
    }

    /// Reads the whole script.
    pub(super) fn script(mut self) -> Result<Vec<Simple>, Unclear> {
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' => self.at += 1,
                '\\' if self.ahead(1) == Some('\n') => self.at += 2,
                '\n' => {
                    self.at += 1;
                    self.end_command();
                    self.here_documents()?;
                }
                ';' => {
                    if self.ahead(1) == Some(';') {
                        return Err("`case` cannot be taken apart".into());
                    }
                    self.at += 1;
                    self.end_command();
                }
                '&' if self.ahead(1) == Some('>') => self.redirect(None)?,
                '&' => {
                    self.at += 1;
                    if self.peek() == Some('&') {
                        self.at += 1;
                    } else {
                        self.current.background = true;
                    }
                    self.end_command();
                }
                '|' => {
                    self.at += 1;
                    if matches!(self.peek(), Some('|' | '&')) {
                        self.at += 1;
                    }
                    self.end_command();
                }
                '(' => self.subshell()?,
                ')' => {
                    self.at += 1;
                    self.end_command();
                    if self.open.pop() != Some('(') {
                        return Err("a bracket is closed that was not opened".into());
                    }
                }
                '<' | '>' if self.ahead(1) == Some('(') => self.word()?,
                '<' | '>' => self.redirect(None)?,
                '#' => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => self.word()?,
            }
        }
        self.end_command();
        if !self.open.is_empty() || !self.here.is_empty() {
            return Err("a bracket or a here-document is not closed".into());
        }
        Ok(self.done)
    }

    fn peek(&self) -> Option<char> {
        self.ahead(0)
    }

    fn ahead(&self, count: usize) -> Option<char> {
        self.chars.get(self.at + count).copied()
    }

    fn end_command(&mut self) {
        let command = std::mem::take(&mut self.current);
        if !command.words.is_empty() || !command.assignments.is_empty() || !command.redirects.is_empty() {
            self.done.push(command);
        }
    }

    fn subshell(&mut self) -> Result<(), Unclear> {
        if self.ahead(1) == Some('(') {
            return Err("arithmetic cannot be taken apart".into());
        }
        if !self.current.words.is_empty() || !self.current.assignments.is_empty() {
            return Err("a function is defined, or an array is set".into());
        }
        self.at += 1;
        self.open.push('(');
        Ok(())
    }

    /// Reads a word and puts it where it belongs.
    fn word(&mut self) -> Result<(), Unclear> {
        let begin = self.at;
        let word = self.read_word()?;
        // `2>file`: the number belongs to the redirect.
        let number = !word.quoted && !word.text.is_empty() && word.text.bytes().all(|b| b.is_ascii_digit());
        if number && matches!(self.peek(), Some('<' | '>')) && self.ahead(1) != Some('(') {
            return self.redirect(Some(begin));
        }
        if self.current.words.is_empty() && !word.quoted && !word.computed {
            let text = word.text.as_str();
            if UNKNOWN.contains(&text) {
                return Err(format!("`{text}` cannot be taken apart"));
            }
            if BEFORE_COMMANDS.contains(&text) || AFTER_COMMANDS.contains(&text) {
                return Ok(());
            }
        }
        if self.current.words.is_empty()
            && let Some((name, _)) = word.text.split_once('=').filter(|(name, _)| is_name(name.trim_end_matches('+')))
        {
            self.current.assignments.push(name.trim_end_matches('+').to_owned());
            return Ok(());
        }
        self.current.words.push(word);
        Ok(())
    }

    /// Reads one word with its quotes and substitutions.
    fn read_word(&mut self) -> Result<Word, Unclear> {
        let mut word = Word::default();
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | ')' => break,
                '<' | '>' if self.ahead(1) == Some('(') => {
                    self.at += 2;
                    self.substitution(')')?;
                    word.text.push_str("<(…)");
                    word.computed = true;
                }
                '<' | '>' => break,
                '(' => return Err("a function is defined, or a pattern is used that cannot be taken apart".into()),
                '\'' => {
                    word.quoted = true;
                    self.at += 1;
                    loop {
                        match self.next()? {
                            '\'' => break,
                            c => word.text.push(c),
                        }
                    }
                }
                '"' => {
                    word.quoted = true;
                    self.at += 1;
                    self.double_quoted(&mut word, '"')?;
                }
                '\\' => {
                    self.at += 1;
                    match self.next()? {
                        '\n' => {}
                        c => {
                            word.quoted = true;
                            word.text.push(c);
                        }
                    }
                }
                '$' | '`' => self.expansion(&mut word)?,
                '*' | '?' | '[' | ']' | '{' | '}' | '~' => {
                    // `[` and `{` alone are commands, and `{}` stands for a file in `find` and `xargs`.
                    self.at += 1;
                    let alone = word.text.is_empty() && self.peek().is_none_or(|next| " \t\n;&|".contains(next));
                    let pair = c == '{' && self.peek() == Some('}') || c == '}' && word.text.ends_with('{');
                    word.computed |= !(alone && matches!(c, '[' | ']' | '{' | '}') || pair);
                    word.text.push(c);
                }
                c if looks_like_something_else(c) => {
                    return Err(format!("it contains {c:?}, which looks like something that it is not"));
                }
                c => {
                    self.at += 1;
                    word.text.push(c);
                }
            }
        }
        Ok(word)
    }

    fn next(&mut self) -> Result<char, Unclear> {
        let c = self.peek().ok_or_else(|| Unclear::from("a quote is not closed"))?;
        self.at += 1;
        Ok(c)
    }

    /// The rest of a double-quoted text; also that of `${…}`, which ends at a brace.
    fn double_quoted(&mut self, word: &mut Word, end: char) -> Result<(), Unclear> {
        loop {
            match self.peek() {
                None => return Err("a quote is not closed".into()),
                Some(c) if c == end => {
                    self.at += 1;
                    return Ok(());
                }
                Some('\\') => {
                    self.at += 1;
                    match self.next()? {
                        '\n' => {}
                        c => {
                            if !matches!(c, '$' | '`' | '"' | '\\') {
                                word.text.push('\\');
                            }
                            word.text.push(c);
                        }
                    }
                }
                Some('$' | '`') => self.expansion(word)?,
                Some('\'' | '"') if end == '}' => return Err("quotes inside `${…}` cannot be taken apart".into()),
                Some(c) => {
                    self.at += 1;
                    word.text.push(c);
                }
            }
        }
    }

    /// `$x`, `${x}`, `$(command)`, `` `command` ``.
    fn expansion(&mut self, word: &mut Word) -> Result<(), Unclear> {
        if self.next()? == '`' {
            word.computed = true;
            word.text.push_str("$(…)");
            let mut script = String::new();
            loop {
                match self.next()? {
                    '`' => break,
                    '\\' => match self.next()? {
                        c @ ('`' | '\\' | '$') => script.push(c),
                        c => script.extend(['\\', c]),
                    },
                    c => script.push(c),
                }
            }
            return self.inner(&script);
        }
        match self.peek() {
            Some('(') => {
                self.at += 1;
                if self.peek() == Some('(') {
                    return Err("arithmetic cannot be taken apart".into());
                }
                word.computed = true;
                word.text.push_str("$(…)");
                self.substitution(')')
            }
            Some('\'') => Err("`$'…'` can hide any letter".into()),
            Some('[') => Err("arithmetic cannot be taken apart".into()),
            Some('{') => {
                self.at += 1;
                word.computed = true;
                let from = word.text.len();
                self.double_quoted(word, '}')?;
                let inside = word.text.split_off(from);
                if inside.contains('@') || inside.contains('[') {
                    return Err("`${…}` of this kind can run a command".into());
                }
                word.text.push_str(&format!("${{{inside}}}"));
                Ok(())
            }
            Some(c) if c == '_' || c.is_ascii_alphanumeric() || "?#$!@*-".contains(c) => {
                word.computed = true;
                word.text.push('$');
                Ok(())
            }
            Some('"') => Ok(()),
            _ => {
                word.text.push('$');
                Ok(())
            }
        }
    }

    /// The inside of `$(…)` or `<(…)`: a script of its own, up to the bracket that closes it.
    fn substitution(&mut self, end: char) -> Result<(), Unclear> {
        let begin = self.at;
        let mut depth = 0_usize;
        let mut skip = Word::default();
        loop {
            match self.peek() {
                None => return Err("a substitution is not closed".into()),
                Some('\\') => self.at += 2,
                Some('\'') => {
                    self.at += 1;
                    while self.next()? != '\'' {}
                }
                Some('"') => {
                    self.at += 1;
                    self.double_quoted(&mut skip, '"')?;
                }
                Some('#') if self.at > begin && self.chars[self.at - 1].is_whitespace() => {
                    return Err("a comment inside a substitution cannot be taken apart".into());
                }
                Some('<') if self.ahead(1) == Some('<') => {
                    return Err("a here-document inside a substitution cannot be taken apart".into());
                }
                Some('(') => {
                    depth += 1;
                    self.at += 1;
                }
                Some(c) if c == end && depth == 0 => break,
                Some(')') => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                Some(_) => self.at += 1,
            }
        }
        let script: String = self.chars[begin..self.at].iter().collect();
        self.at += 1;
        self.inner(&script)
    }

    /// Adds the commands of a script that stands inside this one.
    fn inner(&mut self, script: &str) -> Result<(), Unclear> {
        let mut commands: Vec<SubCommand> = Vec::new();
        collect(script, self.depth + 1, &mut commands)?;
        self.done.extend(commands.into_iter().map(Simple::from));
        Ok(())
    }

    /// `> file`, `2>> file`, `< file`, `&> file`, `2>&1`, `<<END`, `<<< text`.
    fn redirect(&mut self, number_at: Option<usize>) -> Result<(), Unclear> {
        debug_assert!(number_at.is_none_or(|at| at < self.at));
        let mut operator = String::new();
        while let Some(c @ ('<' | '>' | '&' | '|')) = self.peek() {
            if operator.len() == 3 || c == '|' && operator != ">" || operator.ends_with('&') && operator.len() > 1 {
                break;
            }
            operator.push(c);
            self.at += 1;
        }
        if operator == "<<" && self.peek() == Some('-') {
            operator.push('-');
            self.at += 1;
        }
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.at += 1;
        }
        let target = self.read_word()?;
        if target.text.is_empty() && !target.quoted {
            return Err("a redirect has no target".into());
        }
        match operator.as_str() {
            "<<" | "<<-" => {
                let strip_tabs = operator == "<<-";
                self.here.push(HereDocument { end: target.text, literal: target.quoted, strip_tabs });
            }
            "<<<" => {}
            ">&" | "<&" if target.text == "-" || target.text.bytes().all(|b| b.is_ascii_digit()) => {}
            "<" | ">" | ">>" | ">|" | "<>" | "&>" | "&>>" | ">&" => {
                if target.computed {
                    return Err("the target of a redirect is computed".into());
                }
                self.current.redirects.push(Redirect { target: target.text, writes: operator != "<" });
            }
            other => return Err(format!("the redirect `{other}` is unknown")),
        }
        Ok(())
    }

    /// Reads the here-documents that were announced on the line that has just ended.
    fn here_documents(&mut self) -> Result<(), Unclear> {
        for document in std::mem::take(&mut self.here) {
            let mut body = String::new();
            loop {
                if self.at >= self.chars.len() {
                    return Err("a here-document is not closed".into());
                }
                let line: String = self.chars[self.at..].iter().take_while(|c| **c != '\n').collect();
                self.at += line.chars().count() + 1;
                let line = if document.strip_tabs { line.trim_start_matches('\t').to_owned() } else { line };
                if line == document.end {
                    break;
                }
                body.push_str(&line);
                body.push('\n');
            }
            if !document.literal {
                let mut text = Self::new(&format!("{}\"", body.replace('"', " ")), self.depth);
                text.double_quoted(&mut Word::default(), '"')?;
                self.done.extend(text.done);
            }
        }
        Ok(())
    }
}

impl From<SubCommand> for Simple {
    fn from(command: SubCommand) -> Self {
        let word = |text: String| Word { text, computed: false, quoted: true };
        Self {
            words: command.words.into_iter().map(word).collect(),
            assignments: command.assignments,
            redirects: command.redirects,
            background: command.background,
        }
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
        && text.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
}

/// Characters outside quotes that a person takes for a blank, an operator or nothing at all.
fn looks_like_something_else(c: char) -> bool {
    let invisible = matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}');
    let full_width =
        matches!(c, '\u{ff01}'..='\u{ff5e}' | '\u{2215}' | '\u{2044}' | '\u{2223}' | '\u{37e}' | '\u{fe54}');
    !c.is_ascii() && (c.is_whitespace() || invisible || full_width)
}
