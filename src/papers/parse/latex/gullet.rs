//! Tokens with the paper's own macros expanded.
//!
//! A stack of frames: texts that are being read, and lists of tokens that macros left. Two things bound every expansion: how
//! deep macros stand inside macros, and how many tokens one macro of the text, and the whole paper, may become. A macro that
//! goes beyond is broken from then on: it is handed out as it stands.

use super::archive::Files;
use super::token::{Lexer, Name, Pool, Token};
use crate::papers::parse::document::TroubleKind;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Macros inside macros.
const DEPTH: u16 = 100;
/// Tokens that one macro of the text may become.
const EACH: u64 = 2_000_000;
/// Tokens that are read in all, whatever the paper's size is; and for each byte of it; and never more than.
const ALL: u64 = 10_000_000;
const ALL_EACH: u64 = 4;
const ALL_EVER: u64 = 40_000_000;
/// Tokens that an optional argument may have.
const OPTIONAL: usize = 5_000;
/// Primitives that are read to do what another one asks for.
const PRIMITIVES: u8 = 40;
/// Troubles that are kept; more of them say nothing new.
const TROUBLES: usize = 10_000;
/// Frames at once; beyond, the paper is given up.
const FRAMES: usize = 200_000;

/// A macro of the paper.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Macro {
    /// What must follow the name.
    pub prefix: Vec<Token>,
    /// For each argument what ends it; nothing for one in braces.
    pub arguments: Vec<Vec<Token>>,
    /// What the first argument is when it is not given in brackets.
    pub optional: Option<Vec<Token>>,
    /// Whether a star may follow.
    pub star: bool,
    /// What it becomes.
    pub body: Rc<[Token]>,
}

#[derive(Debug)]
enum Feed {
    Text(Lexer, String),
    List(Rc<[Token]>, usize),
    One(Option<Token>),
}

#[derive(Debug)]
struct Frame {
    feed: Feed,
    depth: u16,
}

/// Reads the paper.
#[derive(Debug, Default)]
pub(super) struct Gullet {
    /// Names and raw texts.
    pub pool: Pool,
    /// The paper's files.
    pub files: Files,
    /// Whether a formula is being read.
    pub math: bool,
    /// What went wrong, for the document.
    pub troubles: Vec<(TroubleKind, String)>,
    /// The paper's environments: what their begin and their end become.
    pub environments: HashMap<Name, (Rc<Macro>, Rc<[Token]>)>,
    /// The switches of `\newif`.
    pub switches: HashMap<Name, bool>,
    /// Whether a package is read, which only may define what is unknown.
    pub package: bool,
    /// Folders of `\import` that hold for what is being read.
    pub folders: Vec<String>,
    /// How often each file was read.
    pub read: HashMap<String, u32>,
    /// Files that were read in all.
    pub inputs: u64,
    /// And their bytes.
    pub input_bytes: u64,
    macros: HashMap<Name, Rc<Macro>>,
    broken: HashSet<Name>,
    frames: Vec<Frame>,
    floor: usize,
    depth: u16,
    nesting: u8,
    spent: u64,
    allowed: u64,
    root: Option<Name>,
    root_spent: u64,
    exhausted: bool,
}

impl Gullet {
    /// The next token as it stands.
    pub fn raw(&mut self) -> Option<Token> {
        loop {
            if self.frames.len() <= self.floor || self.exhausted {
                return None;
            }
            let frame = self.frames.last_mut()?;
            let token = match &mut frame.feed {
                Feed::Text(lexer, _) => lexer.next(&mut self.pool),
                Feed::List(list, at) => {
                    *at += 1;
                    list.get(*at - 1).copied()
                }
                Feed::One(token) => token.take(),
            };
            let Some(token) = token else {
                self.frames.pop();
                continue;
            };
            self.depth = frame.depth;
            if self.depth == 0 {
                self.root = None;
                self.root_spent = 0;
            }
            self.spend(1);
            return Some(token);
        }
    }

    fn spend(&mut self, tokens: usize) {
        self.spent = self.spent.saturating_add(tokens as u64);
        if self.spent > (ALL + self.allowed).min(ALL_EVER) && !self.exhausted {
            self.exhausted = true;
            self.trouble(TroubleKind::Truncated, "the text becomes longer than any paper, so the rest was left out");
        }
    }

    /// Notes a trouble.
    pub fn trouble(&mut self, kind: TroubleKind, what: impl Into<String>) {
        if self.troubles.len() < TROUBLES {
            self.troubles.push((kind, what.into()));
        }
    }

    /// The next token behind all macros and conditions.
    pub fn next(&mut self) -> Option<Token> {
        loop {
            let token = self.raw()?;
            if let Token::Control(name) = token {
                if !self.execute(name) {
                    return Some(token);
                }
            } else if let Token::Begin(name) = token {
                let Some((begin, _)) = self.environments.get(&name).cloned() else { return Some(token) };
                if !self.expand(name, &begin) {
                    return Some(token);
                }
            } else if let Token::End(name) = token {
                let Some((_, end)) = self.environments.get(&name).cloned() else { return Some(token) };
                if self.depth >= DEPTH {
                    return Some(token);
                }
                self.push(end, self.depth + 1);
            } else {
                return Some(token);
            }
        }
    }

    /// Does what a macro or a primitive asks for; answers whether it was one.
    fn execute(&mut self, name: Name) -> bool {
        if let Some(found) = self.macros.get(&name).cloned() {
            return !self.broken.contains(&name) && self.expand(name, &found);
        }
        if self.nesting >= PRIMITIVES {
            return false;
        }
        self.nesting += 1;
        let was_one = self.primitive(name);
        self.nesting -= 1;
        was_one
    }

    fn expand(&mut self, name: Name, found: &Rc<Macro>) -> bool {
        if self.depth >= DEPTH {
            self.give_up(name);
            return false;
        }
        let depth = self.depth;
        if depth == 0 {
            self.root = Some(name);
        }
        if found.arguments.is_empty() && found.prefix.is_empty() && !found.star {
            let body = Rc::clone(&found.body);
            return self.charge(name, body.len(), depth) && {
                self.push(body, depth + 1);
                true
            };
        }
        if found.star {
            self.star();
        }
        if !found.prefix.is_empty() {
            self.until(&found.prefix);
        }
        let mut given = Vec::with_capacity(found.arguments.len());
        for (at, end) in found.arguments.iter().enumerate() {
            given.push(match &found.optional {
                Some(default) if at == 0 => self.optional().unwrap_or_else(|| default.clone()),
                Some(_) | None if end.is_empty() => self.argument(),
                Some(_) | None => self.until(end),
            });
        }
        let length = found.body.iter().fold(0_usize, |length, token| match token {
            Token::Argument(number) => {
                length.saturating_add(given.get(usize::from(*number).wrapping_sub(1)).map_or(0, Vec::len))
            }
            Token::Control(_)
            | Token::Begin(_)
            | Token::End(_)
            | Token::Char(_)
            | Token::Space
            | Token::Par
            | Token::Open
            | Token::Close
            | Token::Dollar
            | Token::Ampersand
            | Token::Up
            | Token::Down
            | Token::Tie
            | Token::Nested(_)
            | Token::Verbatim(_) => length.saturating_add(1),
        });
        if !self.charge(name, length, depth) {
            return false;
        }
        let mut out = Vec::with_capacity(length);
        for token in found.body.iter() {
            if let Token::Argument(number) = token {
                out.extend_from_slice(given.get(usize::from(*number).wrapping_sub(1)).map_or(&[][..], Vec::as_slice));
            } else if let Token::Nested(number) = token {
                out.push(Token::Argument(*number));
            } else {
                out.push(*token);
            }
        }
        self.push(out.into(), depth + 1);
        true
    }

    /// Counts what a macro costs; one that costs too much is given up together with what is left of it.
    fn charge(&mut self, name: Name, tokens: usize, depth: u16) -> bool {
        self.spend(tokens);
        self.root_spent = self.root_spent.saturating_add(tokens as u64 + 10);
        if self.root_spent <= EACH {
            return true;
        }
        let root = self.root.unwrap_or(name);
        self.give_up(root);
        self.give_up(name);
        while depth > 0 && self.frames.len() > self.floor && self.frames.last().is_some_and(|frame| frame.depth > 0) {
            self.frames.pop();
        }
        false
    }

    fn give_up(&mut self, name: Name) {
        if self.broken.insert(name) {
            let what = format!("the macro \\{} expands without end", self.pool.text(name));
            self.trouble(TroubleKind::NotUnderstood, what);
        }
    }

    fn push(&mut self, list: Rc<[Token]>, depth: u16) {
        // What is read to its end makes room, so that macros that end in macros do not pile up.
        while self.frames.len() > self.floor {
            let done = match self.frames.last().map(|frame| &frame.feed) {
                Some(Feed::List(list, at)) => *at >= list.len(),
                Some(Feed::One(token)) => token.is_none(),
                Some(Feed::Text(..)) | None => false,
            };
            if !done {
                break;
            }
            self.frames.pop();
        }
        if self.frames.len() > FRAMES {
            self.spend(usize::try_from(ALL_EVER).unwrap_or(usize::MAX));
            return;
        }
        if !list.is_empty() {
            self.frames.push(Frame { feed: Feed::List(list, 0), depth });
        }
    }

    /// Reads a token again.
    pub fn back(&mut self, token: Token) {
        self.frames.push(Frame { feed: Feed::One(Some(token)), depth: self.depth });
    }

    /// Reads tokens next.
    pub fn back_all(&mut self, tokens: Vec<Token>) {
        self.push(tokens.into(), self.depth);
    }

    /// Reads a text next.
    pub fn open(&mut self, text: Rc<str>, name: &str, package: bool) {
        self.allowed = self.allowed.saturating_add(text.len() as u64 * ALL_EACH);
        self.frames.push(Frame { feed: Feed::Text(Lexer::new(text, package), name.to_owned()), depth: 0 });
    }

    /// The files that are being read.
    pub fn reading(&self) -> Vec<&str> {
        let name = |frame: &'_ Frame| matches!(frame.feed, Feed::Text(..));
        let open = self.frames.iter().filter(|frame| name(frame));
        open.filter_map(|frame| if let Feed::Text(_, name) = &frame.feed { Some(name.as_str()) } else { None })
            .collect()
    }

    /// Ends the text that is being read.
    pub fn end_input(&mut self) {
        let floor = self.floor;
        for frame in self.frames.iter_mut().skip(floor).rev() {
            if let Feed::Text(lexer, _) = &mut frame.feed {
                lexer.finish();
                return;
            }
        }
    }

    /// From now on only these tokens are there, until [`Self::leave`] with what this answers.
    pub fn enter(&mut self, tokens: Vec<Token>) -> usize {
        let floor = std::mem::replace(&mut self.floor, self.frames.len());
        self.push(tokens.into(), self.depth);
        floor
    }

    /// The same with a text.
    pub fn enter_text(&mut self, text: Rc<str>, package: bool) -> usize {
        let floor = std::mem::replace(&mut self.floor, self.frames.len());
        self.open(text, "", package);
        floor
    }

    /// Ends what [`Self::enter`] began.
    pub fn leave(&mut self, floor: usize) {
        self.frames.truncate(self.floor);
        self.floor = floor;
    }

    /// The next token, left where it is.
    pub fn peek(&mut self) -> Option<Token> {
        let token = self.raw()?;
        self.back(token);
        Some(token)
    }

    /// Goes over blanks.
    pub fn skip_spaces(&mut self) {
        while let Some(token) = self.raw() {
            if token != Token::Space {
                return self.back(token);
            }
        }
    }

    /// Whether this token comes next, which is then read.
    pub fn takes(&mut self, wanted: Token) -> bool {
        match self.raw() {
            Some(token) if token == wanted => true,
            Some(token) => {
                self.back(token);
                false
            }
            None => false,
        }
    }

    /// Whether a star follows.
    pub fn star(&mut self) -> bool {
        self.takes(Token::Char('*'))
    }

    /// An argument: what stands in braces, or one token.
    pub fn argument(&mut self) -> Vec<Token> {
        self.skip_spaces();
        match self.raw() {
            Some(Token::Open) => self.group(),
            // A brace that closes something else belongs to that.
            Some(token @ (Token::Close | Token::Par)) => {
                self.back(token);
                Vec::new()
            }
            Some(token) => vec![token],
            None => Vec::new(),
        }
    }

    /// The argument in braces, if there is one.
    pub fn braced(&mut self) -> Option<Vec<Token>> {
        self.skip_spaces();
        self.takes(Token::Open).then(|| self.group())
    }

    /// The rest of a group whose brace was read.
    pub fn group(&mut self) -> Vec<Token> {
        let (mut out, mut open) = (Vec::new(), 0_usize);
        while let Some(token) = self.raw() {
            if token == Token::Open {
                open += 1;
            } else if token == Token::Close {
                if open == 0 {
                    return out;
                }
                open -= 1;
            }
            out.push(token);
        }
        out
    }

    /// The argument in brackets, if there is one.
    pub fn optional(&mut self) -> Option<Vec<Token>> {
        self.skip_spaces();
        if !self.takes(Token::Char('[')) {
            return None;
        }
        let (mut out, mut open) = (Vec::new(), 0_usize);
        while let Some(token) = self.raw() {
            if token == Token::Char(']') && open == 0 {
                return Some(out);
            }
            out.push(token);
            if token == Token::Open {
                open += 1;
            } else if token == Token::Close && open > 0 {
                open -= 1;
            } else if token == Token::Close || token == Token::Par || out.len() > OPTIONAL {
                break;
            }
        }
        // It was a bracket of the text.
        out.insert(0, Token::Char('['));
        self.back_bracket(out);
        None
    }

    /// Puts back what begins with a bracket that is none of an argument, so that nobody tries it again.
    fn back_bracket(&mut self, tokens: Vec<Token>) {
        self.spend(tokens.len());
        self.back_all(tokens);
    }

    /// Everything before some tokens, which are read too.
    fn until(&mut self, end: &[Token]) -> Vec<Token> {
        let (mut out, mut open) = (Vec::new(), 0_usize);
        while let Some(token) = self.raw() {
            if token == Token::Open {
                open += 1;
            } else if token == Token::Close {
                if open == 0 {
                    self.back(token);
                    break;
                }
                open -= 1;
            }
            out.push(token);
            if open == 0 && out.ends_with(end) {
                out.truncate(out.len() - end.len());
                break;
            }
        }
        // One pair of braces around an argument is not part of it.
        if out.first() == Some(&Token::Open) && out.last() == Some(&Token::Close) {
            let inner = out.get(1..out.len() - 1).unwrap_or_default();
            let mut depth = 0_i64;
            let whole = inner.iter().all(|token| {
                depth += i64::from(*token == Token::Open) - i64::from(*token == Token::Close);
                depth >= 0
            });
            if whole {
                return inner.to_vec();
            }
        }
        out
    }

    /// The macro with this name.
    pub fn found(&self, name: Name) -> Option<&Rc<Macro>> {
        self.macros.get(&name)
    }

    /// Defines a macro.
    pub fn define(&mut self, name: Name, new: Macro) {
        self.macros.insert(name, Rc::new(new));
    }

    /// Gives a macro another name.
    pub fn alias(&mut self, name: Name, found: Rc<Macro>) {
        self.macros.insert(name, found);
    }

    /// The text of an argument, with its macros expanded.
    pub fn words(&mut self, tokens: Vec<Token>) -> String {
        let floor = self.enter(tokens);
        let mut out = Vec::new();
        while let Some(token) = self.next() {
            if !matches!(token, Token::Open | Token::Close) {
                out.push(token);
            }
        }
        self.leave(floor);
        self.pool.source(&out).trim().to_owned()
    }
}
