//! The reference list, wherever it is: in the text, in a `.bbl`, or only in a `.bib`.

use super::Reader;
use super::flow::{Flow, Stop, Until};
use super::lines::words_of;
use super::token::{Name, Token};
use crate::papers::parse::document::{Inline, Reference, TroubleKind};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Entries that are kept.
const MOST: usize = 20_000;

/// How an entry is cited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Label {
    /// `Smith et al.`; empty where there is no author in the label.
    pub short: String,
    /// `2019a`
    pub year: String,
    /// What the list prints before the entry, when it is no author and year.
    pub printed: Option<String>,
}

/// What is known about the list.
#[derive(Debug, Default)]
pub(super) struct State {
    /// How the entries are cited.
    pub labels: HashMap<String, Label>,
    keys: HashSet<String>,
    /// The files of entries that the paper names.
    files: Vec<String>,
    read: bool,
}

impl Reader {
    /// `\bibliography{files}`: the list stands here.
    pub(super) fn bibliography_here(&mut self, flow: &mut Flow) {
        self.gullet.optional();
        if let Some(names) = self.gullet.braced() {
            let names = self.gullet.words(names);
            self.add_files(&names);
        }
        if self.preamble || self.bibliography.read {
            return;
        }
        if let Some((path, text)) = self.list_file() {
            self.bibliography.read = true;
            flow.flush();
            if text.contains("\\entry{") {
                self.biblatex(&text);
            } else {
                self.gullet.open(text, &path, false);
            }
        }
    }

    pub(super) fn add_bib(&mut self, _: &mut Flow) {
        self.gullet.optional();
        let names = self.gullet.argument();
        let names = self.gullet.words(names);
        self.add_files(&names);
    }

    fn add_files(&mut self, names: &str) {
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        self.bibliography.files.extend(names.take(100).map(str::to_owned));
    }

    /// The `.bbl` of the main file, or the only other one.
    fn list_file(&self) -> Option<(String, Rc<str>)> {
        let own = format!("{}.bbl", self.stem);
        let texts = &self.gullet.files.texts;
        let any = || texts.iter().filter(|(path, _)| path.ends_with(".bbl")).max_by_key(|(_, text)| text.len());
        texts.get_key_value(&own).or_else(any).map(|(path, text)| (path.clone(), Rc::clone(text)))
    }

    /// The list of a paper that never says where it is.
    pub(super) fn late_bibliography(&mut self) {
        let empty = self.document.references.is_empty();
        if empty
            && !self.bibliography.read
            && (!self.cited.order.is_empty() || self.cited.all)
            && let Some((_, text)) = self.list_file()
        {
            self.bibliography.read = true;
            if text.contains("\\entry{") {
                self.biblatex(&text);
            } else {
                let floor = self.gullet.enter_text(text, false);
                let mut flow = Flow::default();
                self.run(&mut flow, Until::default());
                self.gullet.leave(floor);
            }
        }
        if self.document.references.is_empty() {
            let files = std::mem::take(&mut self.bibliography.files);
            self.entries_of_files(&files);
        }
        if self.document.references.is_empty() && !self.cited.order.is_empty() {
            self.trouble(TroubleKind::Missing, "the reference list is not in the source");
        }
    }

    pub(super) fn bibliography_list(&mut self, flow: &mut Flow, name: Name) {
        let old = &*self.gullet.pool.text(name) == "references";
        if !old {
            self.gullet.argument();
        }
        flow.flush();
        self.bibliography.read = true;
        let mark = self.gullet.pool.name(if old { "reference" } else { "bibitem" });
        let mut before = Flow::default();
        let mut stop = self.inside_flow(&mut before, name, Some(mark));
        flow.blocks.extend(before.finish());
        while stop == Stop::Mark {
            let label = self.gullet.optional();
            let key = self.gullet.argument();
            let key = self.gullet.words(key);
            let mut entry = Flow::line();
            stop = self.inside_flow(&mut entry, name, Some(mark));
            let content = entry.finish_line();
            let label = label.map(|tokens| self.label_of(tokens));
            self.add_entry(&key, label, content);
        }
    }

    /// Keeps an entry.
    pub(super) fn add_entry(&mut self, key: &str, label: Option<Label>, content: Vec<Inline>) {
        if self.document.references.len() >= MOST {
            return self.trouble(TroubleKind::Truncated, "the reference list is longer than any");
        }
        let count = self.document.references.len() + 1;
        let mut unique = super::flow::one_blank(key.trim());
        if unique.is_empty() {
            unique = format!("reference-{count}");
        }
        if !self.bibliography.keys.insert(unique.clone()) {
            unique = format!("{unique}-{count}");
            self.bibliography.keys.insert(unique.clone());
        }
        let links = links_of(&content);
        self.bibliography.labels.insert(unique.clone(), label.unwrap_or_default());
        self.document.references.push(Reference { key: unique, label: None, content, links });
    }

    /// `Smith et al.(2019)Smith, Jones, and Doe`, or anything else.
    fn label_of(&mut self, tokens: Vec<Token>) -> Label {
        let words = self.inlines(tokens);
        let text = words_of(&words);
        let year = |inner: &str| inner.trim().starts_with(|c: char| c.is_ascii_digit()) || inner.trim().len() < 16;
        // A name may have parentheses itself, so the year decides.
        let found = text.match_indices('(').find_map(|(at, _)| {
            let inner = text.get(at + 1..)?;
            let (inner, _) = inner.split_once(')')?;
            (at > 0 && year(inner) && inner.chars().any(|c| c.is_ascii_digit())).then(|| (at, inner.trim().to_owned()))
        });
        if let Some((at, year)) = found {
            let short = text.get(..at).unwrap_or("").trim().to_owned();
            return Label { short, year, printed: None };
        }
        // Names without a year: in press, in preparation.
        if let Some((short, rest)) = text.split_once('(').filter(|(short, _)| !short.trim().is_empty()) {
            let year = rest.split(')').next().unwrap_or("").trim().to_owned();
            return Label { short: short.trim().to_owned(), year, printed: None };
        }
        Label { printed: Some(text).filter(|text| !text.is_empty()), ..Label::default() }
    }

    pub(super) fn stray_bibitem(&mut self, flow: &mut Flow) {
        self.gullet.optional();
        self.gullet.argument();
        flow.flush();
    }
}

/// The targets of the links inside.
fn links_of(content: &[Inline]) -> Vec<String> {
    let mut out = Vec::new();
    for inline in content {
        match inline {
            Inline::Link { target, content } => {
                if !out.contains(target) {
                    out.push(target.clone());
                }
                out.extend(links_of(content));
            }
            Inline::Emphasis(inner) | Inline::Strong(inner) | Inline::Superscript(inner) | Inline::Subscript(inner) => {
                out.extend(links_of(inner));
            }
            Inline::Text(_)
            | Inline::Math(_)
            | Inline::Code(_)
            | Inline::Reference { .. }
            | Inline::Citation { .. }
            | Inline::Footnote(_)
            | Inline::Break
            | Inline::Anchor(_)
            | Inline::Source(_) => {}
        }
    }
    out
}
