//! What leads elsewhere: labels, references, citations, footnotes.
//!
//! References and citations carry here how they are to be printed, as the first text of their content; [`super::finish`]
//! puts what is printed in its place.

use super::commands::{Cite, Refer};
use super::flow::Flow;
use super::numbers::Kind;
use super::token::Token;
use super::{Class, Reader};
use crate::papers::parse::document::{Inline, TroubleKind};
use std::collections::{HashMap, HashSet, VecDeque};

/// How citations are printed.
#[derive(Debug, Clone)]
pub(super) struct CiteStyle {
    /// Whether by number; unknown until something says so.
    pub numeric: Option<bool>,
    /// The parentheses.
    pub open: String,
    /// The other one.
    pub close: String,
    /// Between two citations.
    pub between: String,
    /// Between author and year.
    pub before_year: String,
}

impl Default for CiteStyle {
    fn default() -> Self {
        let text = str::to_owned;
        Self { numeric: None, open: text("("), close: text(")"), between: text(";"), before_year: String::new() }
    }
}

/// What was cited.
#[derive(Debug, Default)]
pub(super) struct Cited {
    /// The keys in the order of their first citation.
    pub order: Vec<String>,
    seen: HashSet<String>,
    /// Whether everything was, by `\nocite{*}`.
    pub all: bool,
    /// Other names for citations.
    pub aliases: HashMap<String, Vec<Inline>>,
}

/// Footnotes whose mark and text stand apart.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// The marks with a number of their own.
    pub numbered: HashMap<String, usize>,
    /// Marks whose text has not come.
    pub waiting: VecDeque<usize>,
}

impl Cited {
    fn note(&mut self, key: &str) {
        if key == "*" {
            self.all = true;
        } else if self.seen.insert(key.to_owned()) {
            self.order.push(key.to_owned());
        }
    }
}

/// How a citation is printed, as text inside of one that is not resolved.
pub(super) fn cite_code(cite: Cite) -> &'static str {
    match cite {
        Cite::Plain => "plain",
        Cite::Parenthesis => "parenthesis",
        Cite::Text => "text",
        Cite::Alone => "alone",
        Cite::AloneText => "alone text",
        Cite::Author => "author",
        Cite::Year => "year",
        Cite::YearParenthesis => "year parenthesis",
        Cite::Alias => "alias",
        Cite::AliasParenthesis => "alias parenthesis",
    }
}

/// The same for references.
pub(super) fn refer_code(refer: Refer) -> &'static str {
    match refer {
        Refer::Number => "number",
        Refer::Equation => "equation",
        Refer::Named => "named",
        Refer::NamedLow => "named low",
        Refer::Title => "title",
    }
}

impl Reader {
    fn key(&mut self) -> String {
        let tokens = self.gullet.argument();
        let key = self.gullet.words(tokens);
        super::flow::one_blank(key.trim())
    }

    pub(super) fn label(&mut self, flow: &mut Flow) {
        self.gullet.optional();
        let key = self.key();
        self.place_label(flow, key);
    }

    /// Gives what is current a label.
    pub(super) fn place_label(&mut self, flow: &mut Flow, key: String) {
        // The classes' own labels for page numbers name nothing.
        if self.preamble || key.is_empty() || key == "firstpage" || key == "lastpage" {
            return;
        }
        // A label before the caption is meant for the float all the same.
        if let Some(float) = self.floats.last_mut()
            && float.target.is_none()
        {
            float.labels.push(key);
            return;
        }
        let new = self.current.is_none();
        let target = self.current.unwrap_or_else(|| self.target(Kind::Place, String::new()));
        let place = self.targets.get(target).is_some_and(|target| target.kind == Kind::Place);
        if new || place {
            flow.push(Inline::Anchor(super::finish::mark(target)));
        }
        self.name_target(target, key);
    }

    /// A label for something that is known.
    pub(super) fn name_target(&mut self, target: usize, key: String) {
        if self.labels.contains_key(&key) {
            let what = format!("the label {key} is given twice");
            return self.trouble(TroubleKind::SourceError, what);
        }
        if let Some(named) = self.targets.get_mut(target) {
            named.label.get_or_insert_with(|| key.clone());
        }
        self.labels.insert(key, target);
    }

    pub(super) fn refer(&mut self, flow: &mut Flow, refer: Refer) {
        self.gullet.star();
        let keys = self.key();
        if keys == "firstpage" || keys == "lastpage" {
            return;
        }
        for (at, key) in keys.split(',').map(str::trim).filter(|key| !key.is_empty()).enumerate() {
            if at > 0 {
                flow.text(", ");
            }
            let content = vec![Inline::text(refer_code(refer))];
            flow.push(Inline::Reference { anchor: key.to_owned(), content });
        }
    }

    pub(super) fn hyper_target(&mut self, flow: &mut Flow) {
        let key = self.key();
        flow.push(Inline::Anchor(key));
    }

    pub(super) fn hyper_link(&mut self, flow: &mut Flow) {
        self.key();
        let content = self.gullet.argument();
        self.inlines(content).into_iter().for_each(|inline| flow.push(inline));
    }

    /// `\hyperref[label]{words}`
    pub(super) fn hyper_reference(&mut self, flow: &mut Flow) {
        let label = self.gullet.optional().map(|tokens| self.gullet.words(tokens));
        let Some(anchor) = label else {
            self.drop_arguments("mmm");
            return self.pass(flow);
        };
        let content = self.gullet.argument();
        let mut content = self.inlines(content);
        // References inside a link would be links inside a link.
        content.insert(0, Inline::text("words"));
        flow.push(Inline::Reference { anchor, content });
    }

    pub(super) fn cite(&mut self, flow: &mut Flow, cite: Cite) {
        self.gullet.star();
        let first = self.gullet.optional();
        let second = self.gullet.optional();
        let keys = self.key();
        let keys: Vec<String> =
            keys.split(',').map(|key| key.trim().to_owned()).filter(|key| !key.is_empty()).collect();
        keys.iter().for_each(|key| self.cited.note(key));
        let (before, after) = if second.is_some() { (first, second) } else { (None, first) };
        let before = before.map(|tokens| self.inlines(tokens)).unwrap_or_default();
        let after = after.map(|tokens| self.inlines(tokens)).unwrap_or_default();
        let content = vec![Inline::text(cite_code(cite)), Inline::Emphasis(before), Inline::Emphasis(after)];
        flow.push(Inline::Citation { keys, content });
    }

    pub(super) fn nocite(&mut self, _: &mut Flow) {
        let keys = self.key();
        keys.split(',').map(str::trim).filter(|key| !key.is_empty()).for_each(|key| self.cited.note(key));
    }

    pub(super) fn cite_alias(&mut self, _: &mut Flow) {
        let key = self.key();
        let words = self.gullet.argument();
        let words = self.inlines(words);
        self.cited.aliases.insert(key, words);
    }

    pub(super) fn cite_text(&mut self, flow: &mut Flow) {
        let content = self.gullet.argument();
        let content = self.inlines(content);
        flow.text("(");
        content.into_iter().for_each(|inline| flow.push(inline));
        flow.text(")");
    }

    /// `\bibpunct[post]{(}{)}{;}{a}{,}{,}`
    pub(super) fn punctuation(&mut self, _: &mut Flow) {
        self.gullet.optional();
        let mut parts = Vec::new();
        for _ in 0..6 {
            let part = self.gullet.argument();
            parts.push(self.words(part));
        }
        let mut parts = parts.into_iter();
        self.cites.open = parts.next().unwrap_or_default();
        self.cites.close = parts.next().unwrap_or_default();
        self.cites.between = parts.next().unwrap_or_default();
        self.cites.numeric = Some(parts.next().is_some_and(|mode| mode == "n" || mode == "s"));
        self.cites.before_year = parts.next().unwrap_or_default();
    }

    pub(super) fn cite_style(&mut self, _: &mut Flow) {
        let options = self.gullet.argument();
        let options = self.gullet.pool.source(&options);
        self.cite_options(&options);
    }

    /// The punctuation of the class.
    pub(super) fn class_cites(&mut self, options: &str) {
        if self.class == Class::Revtex {
            let authors = options.contains("rmp") || options.contains("author-year");
            self.cites.numeric = Some(!authors);
            if !authors {
                self.square();
            }
        }
    }

    pub(super) fn package_cites(&mut self, package: &str, options: &str) {
        let quiet = self.class != Class::Other || options.contains("aysep");
        if package == "natbib" && !quiet {
            ",".clone_into(&mut self.cites.before_year);
        }
        self.cite_options(options);
        if package == "biblatex" && self.cites.numeric.is_none() {
            self.cites.numeric = Some(!options.contains("authoryear") && !options.contains("apa"));
        }
    }

    fn square(&mut self) {
        "[".clone_into(&mut self.cites.open);
        "]".clone_into(&mut self.cites.close);
        ",".clone_into(&mut self.cites.between);
    }

    fn cite_options(&mut self, options: &str) {
        for option in options.split(',').map(str::trim) {
            match option {
                "numbers" | "super" | "numeric" | "style=numeric" | "style=numeric-comp" | "style=phys" => {
                    self.cites.numeric = Some(true);
                    self.square();
                }
                "authoryear" | "aas" | "agsm" => self.cites.numeric = Some(false),
                "square" => {
                    "[".clone_into(&mut self.cites.open);
                    "]".clone_into(&mut self.cites.close);
                }
                "round" => {
                    "(".clone_into(&mut self.cites.open);
                    ")".clone_into(&mut self.cites.close);
                }
                "aysep={}" => self.cites.before_year.clear(),
                _ => {}
            }
        }
    }

    pub(super) fn footnote(&mut self, flow: &mut Flow) {
        self.gullet.optional();
        let content = self.gullet.argument();
        let (current, at) = (self.current, self.document.footnotes.len());
        self.document.footnotes.push(Vec::new());
        let content = self.inlines(content);
        self.current = current;
        if content.is_empty() && at + 1 == self.document.footnotes.len() {
            self.document.footnotes.pop();
            return;
        }
        if let Some(place) = self.document.footnotes.get_mut(at) {
            *place = content;
        }
        flow.push(Inline::Footnote(at));
    }

    pub(super) fn footnote_mark(&mut self, flow: &mut Flow) {
        let number = self.gullet.optional().map(|tokens| self.gullet.pool.source(&tokens));
        if let Some(at) = number.as_ref().and_then(|number| self.marks.numbered.get(number)) {
            return flow.push(Inline::Footnote(*at));
        }
        let at = self.document.footnotes.len();
        self.document.footnotes.push(Vec::new());
        match number {
            Some(number) => drop(self.marks.numbered.insert(number, at)),
            None => self.marks.waiting.push_back(at),
        }
        flow.push(Inline::Footnote(at));
    }

    pub(super) fn footnote_text(&mut self, flow: &mut Flow) {
        let number = self.gullet.optional().map(|tokens| self.gullet.pool.source(&tokens));
        let content = self.gullet.argument();
        let content = self.inlines(content);
        let known = match &number {
            Some(number) => self.marks.numbered.get(number).copied().or_else(|| self.marks.waiting.pop_front()),
            None => self.marks.waiting.pop_front(),
        };
        let at = known.unwrap_or_else(|| {
            // The text comes before any mark: its place is here.
            self.document.footnotes.push(Vec::new());
            let at = self.document.footnotes.len() - 1;
            match number {
                Some(number) => drop(self.marks.numbered.insert(number, at)),
                None => flow.push(Inline::Footnote(at)),
            }
            at
        });
        if let Some(place) = self.document.footnotes.get_mut(at) {
            *place = content;
        }
    }

    /// The next token's name, when it is a command.
    pub(super) fn next_command(&mut self) -> Option<std::rc::Rc<str>> {
        match self.gullet.peek() {
            Some(Token::Control(name)) => Some(self.gullet.pool.text(name)),
            Some(_) | None => None,
        }
    }
}
