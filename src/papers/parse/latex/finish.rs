//! What can only be said when everything was read: numbers of labels, words of citations, anchors.

use super::Reader;
use super::bibliography::Label;
use super::flow::tidy;
use super::links::{CiteStyle, Cited};
use super::numbers::{Kind, Target};
use crate::papers::parse::document::{Block, Document, Figure, Inline, TroubleKind};
use std::collections::{HashMap, HashSet};

/// What stands for the anchor of a target until anchors are known.
const MARK: char = '\u{2}';

/// The anchor of a target until anchors are known.
pub(super) fn mark(target: usize) -> String {
    format!("{MARK}{target}")
}

/// Puts what is printed where it belongs.
struct Resolver<'r> {
    targets: &'r [Target],
    anchors: Vec<Option<String>>,
    labels: &'r HashMap<String, usize>,
    entries: &'r HashMap<String, Label>,
    numbers: HashMap<String, usize>,
    style: &'r CiteStyle,
    numeric: bool,
    cited: &'r Cited,
    troubles: Vec<String>,
}

impl Reader {
    /// The document, complete.
    pub(super) fn finish(mut self) -> Document {
        self.put_authors();
        let mut document = std::mem::take(&mut self.document);
        let entries = &self.bibliography.labels;
        let named = entries.values().any(|label| !label.short.is_empty());
        let numeric = self.cites.numeric.unwrap_or(!named);
        let mut style = self.cites.clone();
        if numeric && style.open == "(" && self.cites.numeric.is_none() {
            "[".clone_into(&mut style.open);
            "]".clone_into(&mut style.close);
        }
        for (at, reference) in document.references.iter_mut().enumerate() {
            let printed = entries.get(&reference.key).and_then(|label| label.printed.clone());
            let bare = entries.get(&reference.key).is_none_or(|label| label.short.is_empty());
            reference.label = if numeric { Some((at + 1).to_string()) } else { None };
            if printed.is_some() && (bare || !numeric) {
                reference.label = printed;
            }
        }
        let numbers = document.references.iter().enumerate().map(|(at, one)| (one.key.clone(), at + 1)).collect();
        let mut resolver = Resolver {
            anchors: anchors(&self.targets),
            targets: &self.targets,
            labels: &self.labels,
            entries,
            numbers,
            style: &style,
            numeric,
            cited: &self.cited,
            troubles: Vec::new(),
        };
        resolver.inlines(&mut document.front.title);
        resolver.blocks(&mut document.summary);
        resolver.blocks(&mut document.body);
        document.footnotes.iter_mut().for_each(|note| resolver.inlines(note));
        document.references.iter_mut().for_each(|one| resolver.inlines(&mut one.content));
        let missing = std::mem::take(&mut resolver.troubles);
        missing.into_iter().for_each(|what| self.trouble(TroubleKind::Missing, what));
        if document.footnotes.iter().any(Vec::is_empty) {
            self.trouble(TroubleKind::Missing, "a footnote has a mark and no text");
        }
        for (kind, what) in std::mem::take(&mut self.gullet.troubles) {
            self.trouble(kind, what);
        }
        for key in std::mem::take(&mut self.trouble_order) {
            let count = self.troubles.get(&key).copied().unwrap_or(1);
            let (kind, what) = key;
            document.troubles.push(crate::papers::parse::document::Trouble { kind, what, count });
        }
        document
    }
}

/// The anchor of each target: its first label, or one made of its number.
fn anchors(targets: &[Target]) -> Vec<Option<String>> {
    let labels: HashSet<&str> = targets.iter().filter_map(|target| target.label.as_deref()).collect();
    let mut used: HashSet<String> = HashSet::new();
    let anchor = |target: &Target| {
        if target.label.is_some() {
            return target.label.clone();
        }
        let kind = match target.kind {
            Kind::Section | Kind::Appendix => "S",
            Kind::Equation => "E",
            Kind::Figure => "F",
            Kind::Table => "T",
            Kind::Code => "L",
            Kind::Statement => "Th",
            Kind::Place => return None,
        };
        let id = format!("{kind}{}", target.number.replace(' ', "."));
        (!target.number.is_empty() && !labels.contains(id.as_str()) && used.insert(id.clone())).then_some(id)
    };
    targets.iter().map(anchor).collect()
}

impl Resolver<'_> {
    fn anchor(&self, anchor: &mut Option<String>) {
        if let Some(at) = anchor.as_deref().and_then(|text| text.strip_prefix(MARK)) {
            *anchor = at.parse().ok().and_then(|at: usize| self.anchors.get(at).cloned()).flatten();
        }
    }

    fn blocks(&mut self, blocks: &mut [Block]) {
        for block in blocks {
            match block {
                Block::Heading(heading) => {
                    self.anchor(&mut heading.anchor);
                    self.inlines(&mut heading.content);
                }
                Block::Paragraph(content) => self.inlines(content),
                Block::Equation(equation) => self.anchor(&mut equation.anchor),
                Block::List(list) => list.items.iter_mut().for_each(|item| self.blocks(item)),
                Block::Quote(blocks) => self.blocks(blocks),
                Block::Code(code) => {
                    self.anchor(&mut code.anchor);
                    self.inlines(&mut code.caption);
                }
                Block::Table(table) => {
                    self.anchor(&mut table.anchor);
                    self.inlines(&mut table.caption);
                    let cells = table.rows.iter_mut().flat_map(|row| &mut row.cells);
                    cells.for_each(|cell| self.inlines(&mut cell.content));
                    table.notes.iter_mut().for_each(|note| self.inlines(note));
                }
                Block::Figure(figure) => self.figure(figure),
                Block::Statement(statement) => {
                    self.anchor(&mut statement.anchor);
                    self.inlines(&mut statement.title);
                    self.blocks(&mut statement.content);
                }
                Block::Page(_) | Block::Source(_) => {}
            }
        }
    }

    fn figure(&mut self, figure: &mut Figure) {
        self.anchor(&mut figure.anchor);
        self.inlines(&mut figure.caption);
        figure.panels.iter_mut().for_each(|panel| self.figure(panel));
    }

    fn inlines(&mut self, content: &mut Vec<Inline>) {
        for inline in content.iter_mut() {
            match inline {
                Inline::Emphasis(inner)
                | Inline::Strong(inner)
                | Inline::Superscript(inner)
                | Inline::Subscript(inner)
                | Inline::Link { content: inner, .. } => self.inlines(inner),
                Inline::Reference { anchor, content } => {
                    let (key, content) = (std::mem::take(anchor), std::mem::take(content));
                    *inline = self.reference(key, content);
                }
                Inline::Citation { keys, content } => {
                    let (keys, content) = (std::mem::take(keys), std::mem::take(content));
                    *inline = self.citation(keys, content);
                }
                Inline::Anchor(id) => {
                    let mut anchor = Some(std::mem::take(id));
                    self.anchor(&mut anchor);
                    *id = anchor.unwrap_or_default();
                }
                Inline::Text(_)
                | Inline::Math(_)
                | Inline::Code(_)
                | Inline::Footnote(_)
                | Inline::Break
                | Inline::Source(_) => {}
            }
        }
        content.retain(|inline| !matches!(inline, Inline::Anchor(id) if id.is_empty()));
    }

    fn trouble(&mut self, what: String) {
        if self.troubles.len() < 10_000 {
            self.troubles.push(what);
        }
    }

    fn reference(&mut self, key: String, mut content: Vec<Inline>) -> Inline {
        let targets = self.targets;
        let found = self.labels.get(&key).and_then(|at| Some((targets.get(*at)?, self.anchors.get(*at)?.clone())));
        let how = match content.first() {
            Some(Inline::Text(how)) => how.clone(),
            Some(_) | None => String::new(),
        };
        let Some((target, Some(anchor))) = found else {
            self.trouble(format!("nothing has the label {key}"));
            if how == "words" {
                content.remove(0);
                return Inline::Emphasis(content);
            }
            return Inline::Source(format!("\\ref{{{key}}}"));
        };
        let number = target.number.as_str();
        let words = || if target.words.is_empty() { vec![Inline::text(key.clone())] } else { target.words.clone() };
        let named = |long: bool| -> String {
            let name = match (target.kind, long) {
                (Kind::Section, true) => "Section",
                (Kind::Section, false) => "section",
                (Kind::Appendix, true) => "Appendix",
                (Kind::Appendix, false) => "appendix",
                (Kind::Equation, true) => "Equation",
                (Kind::Equation, false) => return format!("eq. ({number})"),
                (Kind::Figure, true) => "Figure",
                (Kind::Figure, false) => "fig.",
                (Kind::Table, true) => "Table",
                (Kind::Table, false) => "table",
                (Kind::Code, true) => "Algorithm",
                (Kind::Code, false) => "algorithm",
                (Kind::Statement, _) => return format!("{} {number}", super::lines::words_of(&target.words)),
                (Kind::Place, _) => return number.to_owned(),
            };
            format!("{name} {number}")
        };
        let content = match how.as_str() {
            "words" => {
                content.remove(0);
                self.inlines(&mut content);
                content
            }
            _ if number.is_empty() || how == "title" => words(),
            "equation" => vec![Inline::text(format!("({number})"))],
            "named" => vec![Inline::text(named(true))],
            "named low" => vec![Inline::text(named(false))],
            _ => vec![Inline::text(number)],
        };
        Inline::Reference { anchor, content }
    }

    fn citation(&mut self, keys: Vec<String>, content: Vec<Inline>) -> Inline {
        let mut parts = content.into_iter();
        let how = match parts.next() {
            Some(Inline::Text(how)) => how,
            Some(_) | None => String::new(),
        };
        let mut part = || match parts.next() {
            Some(Inline::Emphasis(inner)) => inner,
            Some(_) | None => Vec::new(),
        };
        let (mut before, mut after) = (part(), part());
        self.inlines(&mut before);
        self.inlines(&mut after);
        if !before.is_empty() {
            before.push(Inline::text(" "));
        }
        if !after.is_empty() {
            after.insert(0, Inline::text(", "));
        }
        let mut known = Vec::new();
        for key in &keys {
            if self.numbers.contains_key(key) {
                known.push(key.clone());
            } else {
                self.trouble(format!("the reference list has no entry {key}"));
            }
        }
        let CiteStyle { open, close, between, .. } = self.style;
        let text = |text: &str| Inline::text(text.to_owned());
        let mut out = Vec::new();
        let simple = |inner: String, open: &str, close: &str, before: Vec<Inline>, after: Vec<Inline>| {
            let mut out = vec![text(open)];
            out.extend(before);
            out.push(text(&inner));
            out.extend(after);
            out.push(text(close));
            out
        };
        match how.as_str() {
            "alias" | "alias parenthesis" => {
                let (open, close) = if how == "alias" { ("", "") } else { (open.as_str(), close.as_str()) };
                out.push(text(open));
                out.extend(before);
                for (at, key) in keys.iter().enumerate() {
                    if at > 0 {
                        out.push(text("; "));
                    }
                    match self.cited.aliases.get(key) {
                        Some(words) => out.extend(words.iter().cloned()),
                        None => out.push(text(&self.author_year(key, " "))),
                    }
                }
                out.extend(after);
                out.push(text(close));
            }
            "author" => out = simple(self.all(&keys, &|key| self.author(key), ", "), "", "", before, after),
            "year" => out = simple(self.all(&keys, &|key| self.year(key), ", "), "", "", before, after),
            "year parenthesis" => {
                out = simple(self.all(&keys, &|key| self.year(key), ", "), open, close, before, after)
            }
            "text" | "alone" | "alone text" | "parenthesis" | "plain" if self.numeric => {
                let numbers = self.all(&keys, &|key| self.number(key), ", ");
                if how == "text" && keys.len() == 1 {
                    let author = keys.first().map(|key| self.author(key)).unwrap_or_default();
                    let named = keys
                        .first()
                        .is_some_and(|key| self.entries.get(key).is_some_and(|label| !label.short.is_empty()));
                    if named {
                        out.push(text(&format!("{author} ")));
                    }
                }
                let bare = how.starts_with("alone");
                let (open, close) = if bare { ("", "") } else { (open.as_str(), close.as_str()) };
                out.extend(simple(numbers, open, close, before, after));
            }
            "text" | "plain" => {
                let last = keys.len().saturating_sub(1);
                for (at, key) in keys.iter().enumerate() {
                    let pre = if at == 0 { std::mem::take(&mut before) } else { Vec::new() };
                    let post = if at == last { std::mem::take(&mut after) } else { Vec::new() };
                    if at > 0 {
                        out.push(text(&format!("{between} ")));
                    }
                    if self.year(key).is_empty() {
                        out.extend(simple(self.author(key), "", "", pre, post));
                    } else {
                        out.push(text(&format!("{} ", self.author(key))));
                        out.extend(simple(self.year(key), open, close, pre, post));
                    }
                }
            }
            _ => {
                let inner = self.several(&keys, &format!("{between} "));
                let bare = how.starts_with("alone");
                let (open, close) = if bare { ("", "") } else { (open.as_str(), close.as_str()) };
                out = simple(inner, open, close, before, after);
            }
        }
        Inline::Citation { keys: known, content: tidy(out) }
    }

    fn all(&self, keys: &[String], one: &dyn Fn(&str) -> String, between: &str) -> String {
        keys.iter().map(|key| one(key)).collect::<Vec<_>>().join(between)
    }

    /// `Smith 2019, 2020; Jones 2021`
    fn several(&self, keys: &[String], between: &str) -> String {
        let mut out = String::new();
        let mut last = None;
        let mut last_year = String::new();
        for key in keys {
            let author = self.author(key);
            let year = self.year(key);
            if !year.is_empty() && last.as_ref() == Some(&author) {
                // Of one year only the letter is printed again: 2002a,b.
                let digits = year.trim_end_matches(|c: char| c.is_ascii_lowercase());
                let same = digits.len() < year.len() && last_year.starts_with(digits);
                out.push_str(if same { "," } else { ", " });
                out.push_str(if same { year.get(digits.len()..).unwrap_or("") } else { &year });
                last_year = year;
                continue;
            }
            if !out.is_empty() {
                out.push_str(between);
            }
            out.push_str(&self.author_year(key, " "));
            last = Some(author);
            last_year = year;
        }
        out
    }

    fn author_year(&self, key: &str, blank: &str) -> String {
        let (author, year) = (self.author(key), self.year(key));
        if year.is_empty() { author } else { format!("{author}{}{blank}{year}", self.style.before_year) }
    }

    fn author(&self, key: &str) -> String {
        match self.entries.get(key) {
            Some(label) if !label.short.is_empty() => label.short.clone(),
            Some(label) => label.printed.clone().unwrap_or_else(|| self.number(key)),
            None => key.to_owned(),
        }
    }

    fn year(&self, key: &str) -> String {
        self.entries.get(key).map(|label| label.year.clone()).unwrap_or_default()
    }

    fn number(&self, key: &str) -> String {
        let printed =
            self.entries.get(key).filter(|label| label.short.is_empty()).and_then(|label| label.printed.clone());
        printed.or_else(|| self.numbers.get(key).map(usize::to_string)).unwrap_or_else(|| key.to_owned())
    }
}
