//! Characters become tokens.
//!
//! Tokens are small and copied freely: names of control sequences and raw texts are kept in a [`Pool`]. What TeX reads
//! without its usual meanings (verbatim text, addresses) is told apart here, because later it is too late.

use std::collections::HashMap;
use std::rc::Rc;

/// The name of a control sequence or an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Name(u32);

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// `\name`, or `\%`.
    Control(Name),
    /// `\begin{name}`.
    Begin(Name),
    /// `\end{name}`.
    End(Name),
    /// A character without a meaning of its own.
    Char(char),
    /// Blanks.
    Space,
    /// A blank line.
    Par,
    /// `{`
    Open,
    /// `}`
    Close,
    /// `$`
    Dollar,
    /// `&`
    Ampersand,
    /// `^`
    Up,
    /// `_`
    Down,
    /// `~`
    Tie,
    /// `#1`
    Argument(u8),
    /// `##1`, the argument of a macro that a macro defines.
    Nested(u8),
    /// Text without any meaning, by its number in the pool.
    Verbatim(u32),
}

/// Raw text.
#[derive(Debug, Clone)]
pub(super) struct Verbatim {
    /// The environment, or `verb` inside a line.
    pub environment: String,
    /// What stands between its begin and its end.
    pub text: String,
}

/// Names and raw texts.
#[derive(Debug, Default)]
pub(super) struct Pool {
    known: HashMap<Rc<str>, Name>,
    names: Vec<Rc<str>>,
    raw: Vec<Rc<Verbatim>>,
}

impl Pool {
    /// The name with this text.
    pub fn name(&mut self, text: &str) -> Name {
        if let Some(name) = self.known.get(text) {
            return *name;
        }
        let name = Name(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        let text: Rc<str> = text.into();
        self.names.push(Rc::clone(&text));
        self.known.insert(text, name);
        name
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> Rc<str> {
        self.names.get(name.0 as usize).map_or_else(|| Rc::from(""), Rc::clone)
    }

    /// A raw text.
    pub fn verbatim(&self, at: u32) -> Option<Rc<Verbatim>> {
        self.raw.get(at as usize).map(Rc::clone)
    }

    fn keep(&mut self, environment: &str, text: &str) -> Token {
        let at = u32::try_from(self.raw.len()).unwrap_or(u32::MAX);
        self.raw.push(Rc::new(Verbatim { environment: environment.to_owned(), text: text.to_owned() }));
        Token::Verbatim(at)
    }

    /// Tokens as TeX.
    pub fn source(&self, tokens: &[Token]) -> String {
        let mut out = String::with_capacity(tokens.len());
        let mut word = false;
        for token in tokens {
            let after_word = std::mem::take(&mut word);
            match *token {
                Token::Control(name) => {
                    let name = self.text(name);
                    out.push('\\');
                    out.push_str(&name);
                    word = name.ends_with(|c: char| c.is_alphabetic() || c == '@');
                }
                Token::Begin(name) => out.extend(["\\begin{", &*self.text(name), "}"]),
                Token::End(name) => out.extend(["\\end{", &*self.text(name), "}"]),
                Token::Char(c) => {
                    if after_word && (c.is_alphanumeric() || c == '@') {
                        out.push(' ');
                    }
                    out.push(c);
                }
                Token::Space => out.push(' '),
                Token::Par => out.push_str("\n\n"),
                Token::Open => out.push('{'),
                Token::Close => out.push('}'),
                Token::Dollar => out.push('$'),
                Token::Ampersand => out.push('&'),
                Token::Up => out.push('^'),
                Token::Down => out.push('_'),
                Token::Tie => out.push('~'),
                Token::Argument(number) => out.extend(['#', char::from(b'0' + number.min(9))]),
                Token::Nested(number) => out.extend(['#', '#', char::from(b'0' + number.min(9))]),
                Token::Verbatim(at) => {
                    if let Some(raw) = self.verbatim(at) {
                        out.push_str(&raw.text);
                    }
                }
            }
        }
        out
    }
}

/// Environments whose text is kept as it is.
const VERBATIM: [&str; 24] = [
    "verbatim",
    "verbatim*",
    "Verbatim",
    "lstlisting",
    "minted",
    "alltt",
    "comment",
    "filecontents",
    "filecontents*",
    "algorithm",
    "algorithm*",
    "algorithm2e",
    "algorithmic",
    "tikzpicture",
    "picture",
    "pspicture",
    "asy",
    "feynmandiagram",
    "CCSXML",
    "tcblisting",
    "codeblock",
    "python",
    "pyverbatim",
    "BVerbatim",
];

/// Reads the tokens of one text, one at a time.
#[derive(Debug)]
pub(super) struct Lexer {
    text: Rc<str>,
    at: usize,
    /// Whether `@` is a letter.
    letters: bool,
    /// Whether a line has just begun after a comment.
    line_start: bool,
    /// The next group is an address.
    address_next: bool,
    /// The depth of braces inside an address; 0 outside.
    address: u32,
    /// Environments that are not closed from here on, so that nobody looks again.
    unclosed: Vec<String>,
}

impl Lexer {
    /// A reader of a text; in a package `@` is a letter.
    pub fn new(text: Rc<str>, package: bool) -> Self {
        Self { text, at: 0, letters: package, line_start: false, address_next: false, address: 0, unclosed: Vec::new() }
    }

    /// Goes to the end.
    pub fn finish(&mut self) {
        self.at = self.text.len();
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The next token.
    pub fn next(&mut self, pool: &mut Pool) -> Option<Token> {
        loop {
            let c = self.peek()?;
            if c.is_ascii_whitespace() {
                let (lines, start) = (self.blanks(), std::mem::take(&mut self.line_start));
                if lines > 1 || (start && lines > 0) {
                    return Some(Token::Par);
                }
                if start {
                    continue;
                }
                return Some(Token::Space);
            }
            self.line_start = false;
            self.at += c.len_utf8();
            if self.address_next {
                self.address_next = false;
                if c == '{' {
                    self.address = 1;
                    return Some(Token::Open);
                }
            }
            if self.address > 0 && matches!(c, '#' | '~' | '_' | '^' | '&' | '$') {
                return Some(if c == '#' { self.parameter() } else { Token::Char(c) });
            }
            return Some(match c {
                '\\' => match self.control(pool) {
                    Some(token) => token,
                    None => continue,
                },
                '%' if self.address > 0 && !self.rest().starts_with('\n') => Token::Char('%'),
                '%' => {
                    let line = self.rest().find('\n').map_or(self.rest().len(), |end| end + 1);
                    self.at += line;
                    self.line_start = true;
                    continue;
                }
                '{' => {
                    self.address += u32::from(self.address > 0);
                    Token::Open
                }
                '}' => {
                    self.address = self.address.saturating_sub(1);
                    Token::Close
                }
                '$' => Token::Dollar,
                '&' => Token::Ampersand,
                '^' => Token::Up,
                '_' => Token::Down,
                '~' | '\u{a0}' => Token::Tie,
                '#' => self.parameter(),
                c => Token::Char(c),
            });
        }
    }

    /// Goes over blanks; answers how many line ends there were.
    fn blanks(&mut self) -> usize {
        let rest = self.rest();
        let length = rest.find(|c: char| !c.is_ascii_whitespace()).unwrap_or(rest.len());
        let lines = rest.get(..length).unwrap_or("").matches('\n').count();
        self.at += length;
        lines
    }

    fn digit(&self, after: usize) -> Option<u8> {
        let byte = *self.rest().as_bytes().get(after)?;
        matches!(byte, b'1'..=b'9').then(|| byte - b'0')
    }

    fn parameter(&mut self) -> Token {
        if let Some(number) = self.digit(0) {
            self.at += 1;
            return Token::Argument(number);
        }
        if let (true, Some(number)) = (self.rest().starts_with('#'), self.digit(1)) {
            self.at += 2;
            return Token::Nested(number);
        }
        Token::Char('#')
    }

    fn control(&mut self, pool: &mut Pool) -> Option<Token> {
        let letters = self.letters;
        let rest = self.rest();
        let length = rest.find(|c: char| !(c.is_ascii_alphabetic() || (letters && c == '@'))).unwrap_or(rest.len());
        if length == 0 {
            let Some(c) = rest.chars().next() else { return Some(Token::Space) };
            self.at += c.len_utf8();
            let mut buffer = [0; 4];
            let symbol = if c.is_ascii_whitespace() { " " } else { c.encode_utf8(&mut buffer) };
            return Some(Token::Control(pool.name(symbol)));
        }
        let word = rest.get(..length).unwrap_or("").to_owned();
        self.at += length;
        match word.as_str() {
            "begin" | "end" => {
                if let Some(name) = self.environment() {
                    return self.delimiter(&word, &name, pool);
                }
            }
            "makeatletter" => self.letters = true,
            "makeatother" => self.letters = false,
            "verb" | "lstinline" => {
                if let Some(text) = self.inline_verbatim(&word) {
                    return Some(pool.keep("verb", &text));
                }
            }
            "url" | "nolinkurl" | "path" | "href" | "doi" | "adsurl" => self.address_next = true,
            _ => {}
        }
        let before = self.at;
        if self.blanks() > 1 {
            // The blank line after a name is still a paragraph's end.
            self.at = before;
        }
        Some(Token::Control(pool.name(&word)))
    }

    /// The name in braces behind `\begin`; nothing when it is no plain name.
    fn environment(&mut self) -> Option<String> {
        let rest = self.rest();
        let inner = rest.trim_start_matches([' ', '\t']).strip_prefix('{')?;
        let bound = inner.char_indices().nth(60).map_or(inner.len(), |(at, _)| at);
        let (name, _) = inner.get(..bound)?.split_once('}')?;
        let known = |c: char| c.is_alphanumeric() || matches!(c, '*' | '-' | '_' | ' ' | '@' | ':' | '.');
        if name.is_empty() || !name.chars().all(known) {
            return None;
        }
        let length = rest.len() - inner.len() + name.len() + 1;
        let name = name.trim().to_owned();
        self.at += length;
        Some(name)
    }

    fn delimiter(&mut self, word: &str, name: &str, pool: &mut Pool) -> Option<Token> {
        if word == "end" {
            return Some(Token::End(pool.name(name)));
        }
        if VERBATIM.contains(&name) && !self.unclosed.iter().any(|known| known == name) {
            let end = format!("\\end{{{name}}}");
            match self.rest().find(&end) {
                Some(length) => {
                    let text = self.rest().get(..length).unwrap_or("").to_owned();
                    self.at += length + end.len();
                    return (name != "comment").then(|| pool.keep(name, &text));
                }
                None => self.unclosed.push(name.to_owned()),
            }
        }
        Some(Token::Begin(pool.name(name)))
    }

    fn inline_verbatim(&mut self, word: &str) -> Option<String> {
        let rest = self.rest();
        let mut inner = rest.strip_prefix('*').unwrap_or(rest);
        if let Some((_, after)) =
            inner.strip_prefix('[').filter(|_| word == "lstinline").and_then(|o| o.split_once(']'))
        {
            inner = after;
        }
        let mark = inner.chars().next().filter(|c| !c.is_alphanumeric() && !c.is_whitespace())?;
        let inner = inner.get(mark.len_utf8()..)?;
        let close = if mark == '{' { '}' } else { mark };
        let line = inner.split('\n').next().unwrap_or("");
        let length = line.find(close)?;
        let text = line.get(..length)?.to_owned();
        self.at += rest.len() - inner.len() + length + close.len_utf8();
        Some(text)
    }
}
