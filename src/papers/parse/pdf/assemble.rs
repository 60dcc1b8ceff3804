//! Blocks become the document.

use super::content::Bounds;
use super::front::{self, Part};
use super::headings::{self, Found};
use super::line::Shift;
use super::order::Row;
use super::references::{self, Entry};
use super::segment::{Body, Chunk, Label, Text, starts_item};
use super::tables;
use super::text::{Runs, Vocabulary};
use crate::papers::parse::document::{
    Block, Document, Equation, Figure, Heading, Image, Inline, List, Notation, Place, Reference, Table,
};
use std::collections::{HashMap, HashSet};

/// Makes the document of all chunks.
pub(super) fn assemble(chunks: Vec<Chunk>, body: &Body, heads: &[String], stray: &[String]) -> Document {
    let mut words = Vocabulary::default();
    for chunk in &chunks {
        match chunk {
            Chunk::Text(text) => text.rows.iter().for_each(|row| words.learn(row)),
            Chunk::Formula(..) | Chunk::Table { .. } | Chunk::Figure { .. } | Chunk::Page(_) => {}
        }
    }
    let title = front::title(&chunks, body);
    let texts: Vec<(usize, &Text)> = chunks
        .iter()
        .enumerate()
        .filter_map(|(at, chunk)| match chunk {
            Chunk::Text(text) if Some(at) != title => Some((at, text)),
            Chunk::Text(_) | Chunk::Formula(..) | Chunk::Table { .. } | Chunk::Figure { .. } | Chunk::Page(_) => None,
        })
        .collect();
    let mut found = headings::find(&texts, body);
    let end = front_end(&texts, &found, title);
    found.retain(|at, _| *at >= end);
    let mut maker = Maker {
        words,
        body,
        document: Document::default(),
        found,
        notes: HashMap::new(),
        entries: Vec::new(),
        in_list: None,
        taken: HashSet::new(),
    };
    maker.footnotes(&chunks, end);
    maker.front(&chunks, title, end, heads, stray);
    maker.body(chunks, end);
    maker.document
}

/// Where the front matter ends: at the first heading, or after the abstract and what belongs to it.
fn front_end(texts: &[(usize, &Text)], found: &HashMap<usize, Found>, title: Option<usize>) -> usize {
    let heading = texts
        .iter()
        .filter(|(at, text)| {
            found.contains_key(at)
                && !matches!(front::part(text), Part::AbstractHeading)
                && title.is_none_or(|title| *at > title)
        })
        .map(|(at, _)| *at)
        .next();
    let first_page = texts.first().map_or(1, |(_, text)| text.page);
    let abstract_at = texts
        .iter()
        .take_while(|(_, text)| text.page <= first_page + 1)
        .position(|(_, text)| matches!(front::part(text), Part::AbstractHeading | Part::Abstract(_)));
    match (heading, abstract_at) {
        (Some(heading), _) if texts.iter().any(|(at, text)| *at == heading && text.page <= first_page + 2) => heading,
        (_, Some(at)) => texts.get(at + 2).or(texts.last()).map_or(0, |(at, _)| *at),
        (_, None) => title.map_or(0, |title| title + 1),
    }
}

struct Maker<'b> {
    words: Vocabulary,
    body: &'b Body,
    document: Document,
    found: HashMap<usize, Found>,
    /// Footnotes by page and mark.
    notes: HashMap<(u32, String), usize>,
    entries: Vec<(u32, Row)>,
    /// Whether the reference list is being read: the level of its heading.
    in_list: Option<u8>,
    /// Chunks that are used already.
    taken: HashSet<usize>,
}

impl Maker<'_> {
    /// Collects footnotes: small blocks that begin with a raised mark.
    fn footnotes(&mut self, chunks: &[Chunk], end: usize) {
        for (at, chunk) in chunks.iter().enumerate() {
            let Chunk::Text(text) = chunk else { continue };
            if at < end && text.page > 1 || text.size() > 0.95 * self.body.size {
                continue;
            }
            let Some(mark) = note_mark(text) else { continue };
            // On the first page such blocks before the text are affiliations.
            if at < end {
                continue;
            }
            let mut runs = self.runs(&text.rows);
            runs.skip(mark.chars().count());
            self.notes.insert((text.page, mark), self.document.footnotes.len());
            self.document.footnotes.push(runs.inlines(&|_| None));
            self.taken.insert(at);
        }
    }

    fn runs(&self, rows: &[Row]) -> Runs {
        let mut runs = Runs::default();
        for row in rows {
            runs.row(Runs::of_row(row), &self.words);
        }
        runs
    }

    fn inlines(&self, runs: &Runs, page: u32) -> Vec<Inline> {
        runs.inlines(&|mark| self.notes.get(&(page, mark.to_owned())).copied())
    }

    fn front(&mut self, chunks: &[Chunk], title: Option<usize>, end: usize, heads: &[String], stray: &[String]) {
        let mut known: Vec<String> = stray.iter().chain(heads).cloned().collect();
        let mut authors = Vec::new();
        let mut affiliations = Vec::new();
        let mut in_abstract = false;
        let mut rest: Vec<Block> = Vec::new();
        let mut after_title = false;
        for (at, chunk) in chunks.iter().enumerate().take(end) {
            let Chunk::Text(text) = chunk else { continue };
            if Some(at) == title {
                self.document.front.title = front::title_words(text, &self.words);
                self.taken.insert(at);
                after_title = true;
                continue;
            }
            if text.label.is_some() || self.taken.contains(&at) {
                continue;
            }
            let mut runs = self.runs(&text.rows);
            let plain = runs.plain();
            match front::part(text) {
                Part::AbstractHeading => in_abstract = true,
                Part::Abstract(skip) => {
                    in_abstract = true;
                    runs.skip(skip);
                    let inlines = self.inlines(&runs, text.page);
                    self.document.summary.push(Block::Paragraph(inlines));
                }
                Part::Keywords(skip) => {
                    in_abstract = false;
                    runs.skip(skip);
                    self.document.front.keywords = front::keywords(&runs.plain());
                }
                Part::Other if in_abstract && plain.chars().count() > 60 => {
                    let inlines = self.inlines(&runs, text.page);
                    self.document.summary.push(Block::Paragraph(inlines));
                }
                Part::Other => {
                    known.push(plain.clone());
                    let raised = front::starts_raised(text);
                    let names = if after_title && !raised { front::authors(text) } else { Vec::new() };
                    let own = if raised { front::affiliations(text) } else { Vec::new() };
                    let more = names.len() >= 2 && affiliations.is_empty() && !front::names_a_place(&plain);
                    if !names.is_empty() && (authors.is_empty() || more) {
                        authors.extend(names);
                    } else if !own.is_empty() {
                        affiliations.extend(own);
                    } else if let Some((_, words)) =
                        affiliations.last_mut().filter(|_| plain.chars().count() < 40 && !plain.contains(':'))
                    {
                        // The rest of an address on a line of its own.
                        words.push_str(", ");
                        words.push_str(&plain);
                    } else {
                        rest.push(Block::Paragraph(self.inlines(&runs, text.page)));
                    }
                }
            }
            self.taken.insert(at);
        }
        // Without the word `Abstract` it is the one long text before the first heading.
        if self.document.summary.is_empty() {
            let length = |block: &Block| match block {
                Block::Paragraph(content) => crate::papers::parse::document::plain(content).len(),
                Block::Heading(_)
                | Block::Equation(_)
                | Block::List(_)
                | Block::Quote(_)
                | Block::Code(_)
                | Block::Table(_)
                | Block::Figure(_)
                | Block::Statement(_)
                | Block::Page(_)
                | Block::Source(_) => 0,
            };
            rest.retain(|block| {
                let long = length(block) > 300;
                if long {
                    self.document.summary.push(block.clone());
                }
                !long
            });
        }
        self.document.front.authors = front::join(authors, &affiliations);
        front::identifiers(&mut self.document.front, &known);
        self.document.body = rest;
    }

    fn body(&mut self, chunks: Vec<Chunk>, end: usize) {
        let mut out: Vec<Block> = std::mem::take(&mut self.document.body);
        let labels: Vec<Option<(Label, Text)>> = chunks
            .iter()
            .map(|chunk| match chunk {
                Chunk::Text(text) => text.label.clone().map(|label| (label, text.clone())),
                Chunk::Formula(..) | Chunk::Table { .. } | Chunk::Figure { .. } | Chunk::Page(_) => None,
            })
            .collect();
        let pages: Vec<u32> = pages_of(&chunks);
        // Captions are given to their floats first: one may stand before its float, where it would be printed alone.
        let mut captions: HashMap<usize, (Label, Text)> = HashMap::new();
        for (at, chunk) in chunks.iter().enumerate() {
            let table = match chunk {
                Chunk::Table { .. } => true,
                Chunk::Figure { .. } => false,
                Chunk::Text(_) | Chunk::Formula(..) | Chunk::Page(_) => continue,
            };
            captions.extend(self.caption_for(at, table, pages[at], &labels, &pages).map(|caption| (at, caption)));
        }
        let list = self.unheaded_list(&chunks);
        for (at, chunk) in chunks.into_iter().enumerate() {
            if list == Some(at) {
                self.in_list = Some(1);
            }
            if self.taken.contains(&at) {
                continue;
            }
            match chunk {
                Chunk::Page(page) => out.push(Block::Page(page)),
                Chunk::Formula(rows, number) => self.formula(&rows, number, &mut out),
                Chunk::Table { rows, rules } => {
                    let (label, caption) = self.caption(captions.remove(&at));
                    let rows = tables::cells(&rows, &rules);
                    out.push(Block::Table(Table { label, caption, rows, ..Table::default() }));
                }
                Chunk::Figure { zone, page } => {
                    let caption = captions.remove(&at);
                    if caption.is_none()
                        && zone.text.trim().is_empty()
                        && zone.bounds.width() * zone.bounds.height() < 6_000.0
                    {
                        continue;
                    }
                    let (label, caption) = self.caption(caption);
                    let image = Image {
                        location: String::new(),
                        alternative: zone.text,
                        place: Some(place(zone.bounds, page)),
                    };
                    // Panels of one figure without a caption of their own go to the one before.
                    match out.last_mut() {
                        Some(Block::Figure(before)) if label.is_none() && before.caption.is_empty() => {
                            before.images.push(image)
                        }
                        Some(Block::Figure(before))
                            if before.label.is_none() && before.caption.is_empty() && label.is_some() =>
                        {
                            before.images.push(image);
                            before.label = label;
                            before.caption = caption;
                        }
                        Some(_) | None => {
                            out.push(Block::Figure(Figure { label, caption, images: vec![image], ..Figure::default() }))
                        }
                    }
                }
                Chunk::Text(text) => self.text(at, text, end, &mut out),
            }
        }
        self.number_images(&mut out);
        let entries = references::split(&std::mem::take(&mut self.entries), &self.words);
        self.document.references = entries.into_iter().enumerate().map(|(at, entry)| reference(at, entry)).collect();
        self.document.body = out;
    }

    /// Where a reference list begins that has no heading: at the last `[1]` that `[2]` and `[3]` follow.
    fn unheaded_list(&self, chunks: &[Chunk]) -> Option<usize> {
        let texts = || {
            chunks.iter().enumerate().filter_map(|(at, chunk)| match chunk {
                Chunk::Text(text) => Some((at, text)),
                Chunk::Formula(..) | Chunk::Table { .. } | Chunk::Figure { .. } | Chunk::Page(_) => None,
            })
        };
        if texts().any(|(at, text)| self.found.contains_key(&at) && is_list_heading(&text.plain())) {
            return None;
        }
        let mut start = None;
        let mut expected = 1;
        for (at, text) in texts() {
            for row in &text.rows {
                let words = row.text();
                let number: Option<u32> = words
                    .strip_prefix('[')
                    .and_then(|rest| rest.split_once(']'))
                    .and_then(|(number, _)| number.trim().parse().ok());
                match number {
                    Some(1) => (start, expected) = (Some(at), 2),
                    Some(number) if number == expected => expected += 1,
                    Some(_) | None => {}
                }
            }
        }
        start.filter(|_| expected > 3)
    }

    /// The caption that belongs to a float: the nearest one of its kind on the page that no other took.
    fn caption_for(
        &mut self,
        at: usize,
        table: bool,
        page: u32,
        labels: &[Option<(Label, Text)>],
        pages: &[u32],
    ) -> Option<(Label, Text)> {
        let order = (1..=8).flat_map(|by| {
            let (before, after) = (at.checked_sub(by), Some(at + by));
            // A table's caption stands above it, a figure's below.
            if table { [before, after] } else { [after, before] }
        });
        for near in order.flatten() {
            if near >= labels.len() || pages[near] != page || self.taken.contains(&near) {
                continue;
            }
            if let Some((label, text)) = labels[near].as_ref().filter(|(label, _)| label.table == table) {
                self.taken.insert(near);
                return Some((label.clone(), text.clone()));
            }
        }
        None
    }

    fn caption(&self, caption: Option<(Label, Text)>) -> (Option<String>, Vec<Inline>) {
        let Some((label, text)) = caption else { return (None, Vec::new()) };
        let mut runs = self.runs(&text.rows);
        runs.skip(label.length);
        (Some(label.name), self.inlines(&runs, text.page))
    }

    fn formula(&self, rows: &[Row], number: Option<String>, out: &mut Vec<Block>) {
        let lines: Vec<String> = rows.iter().map(|row| Runs::of_row(row).linear()).collect();
        out.push(Block::Equation(Equation { text: lines.join(" "), notation: Notation::Linear, number, anchor: None }));
    }

    fn text(&mut self, at: usize, text: Text, end: usize, out: &mut Vec<Block>) {
        if at < end && text.label.is_none() {
            return;
        }
        if let Some(found) = self.found.get(&at).cloned() {
            let mut runs = self.runs(&text.rows);
            runs.skip(found.skip);
            let plain = runs.plain();
            if is_list_heading(&plain) {
                self.in_list = Some(found.level);
                return;
            }
            self.in_list = None;
            out.push(Block::Heading(Heading {
                level: found.level,
                number: found.number.clone(),
                content: titled(self.inlines(&runs, text.page)),
                anchor: Some(anchor(&plain, found.number.as_deref())),
            }));
            return;
        }
        if text.label.is_some() {
            // A caption whose float was not found.
            let label = text.label.clone();
            let table = label.as_ref().is_some_and(|label| label.table);
            let (label, caption) = self.caption(label.map(|label| (label, text)));
            out.push(if table {
                Block::Table(Table { label, caption, ..Table::default() })
            } else {
                Block::Figure(Figure { label, caption, ..Figure::default() })
            });
            return;
        }
        if self.in_list.is_some() {
            if is_colophon(&text.plain()) {
                return;
            }
            self.entries.extend(text.rows.into_iter().map(|row| (text.page, row)));
            return;
        }
        let mut runs = self.runs(&text.rows);
        // The other half of a word that the page before ends with.
        if let [.., Block::Paragraph(_), Block::Page(_)] = out.as_slice()
            && self.open_word(out)
            && let Some(half) = runs.take_first_word()
        {
            self.close_word(out, &half);
        }
        if runs.is_empty() {
            return;
        }
        if let Some((skip, words)) = headings::run_in(&text, self.body).filter(|(_, words)| is_run_in(words)) {
            let anchor = Some(anchor(&words, None));
            out.push(Block::Heading(Heading { level: 4, number: None, content: vec![Inline::text(words)], anchor }));
            runs.skip(skip);
            if runs.is_empty() {
                return;
            }
        }
        let content = self.inlines(&runs, text.page);
        if text.rows.first().is_some_and(starts_item) {
            let mut content = content;
            if let Some(Inline::Text(first)) = content.first_mut() {
                *first = first
                    .trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | '"' | '“' | '['))
                    .to_owned();
            }
            match out.last_mut() {
                Some(Block::List(list)) => list.items.push(vec![Block::Paragraph(content)]),
                Some(_) | None => {
                    out.push(Block::List(List { start: None, items: vec![vec![Block::Paragraph(content)]] }))
                }
            }
            return;
        }
        out.push(Block::Paragraph(content));
    }

    fn open_word(&self, out: &[Block]) -> bool {
        let [.., Block::Paragraph(content), Block::Page(_)] = out else { return false };
        matches!(content.last(), Some(Inline::Text(text)) if text.ends_with('-') && text.trim_end_matches('-').ends_with(char::is_alphabetic))
    }

    fn close_word(&self, out: &mut [Block], half: &Runs) {
        let [.., Block::Paragraph(content), Block::Page(_)] = out else { return };
        if let Some(Inline::Text(text)) = content.last_mut() {
            let keep = self.words.hyphen_stays(text, &half.plain());
            if !keep {
                text.pop();
            }
            text.push_str(&half.plain());
        }
    }

    /// Names the files into which figures are cut out.
    fn number_images(&self, blocks: &mut [Block]) {
        let mut at = 0;
        for block in blocks {
            let Block::Figure(figure) = block else { continue };
            for image in &mut figure.images {
                at += 1;
                image.location = format!("figures/{at}.png");
            }
        }
    }
}

fn pages_of(chunks: &[Chunk]) -> Vec<u32> {
    let mut page = 0;
    chunks
        .iter()
        .map(|chunk| {
            if let Chunk::Page(next) = chunk {
                page = *next;
            }
            page
        })
        .collect()
}

fn place(bounds: Bounds, page: u32) -> Place {
    Place { page, bounds: [bounds.x0, bounds.y0, bounds.x1, bounds.y1] }
}

fn is_list_heading(text: &str) -> bool {
    let key: String = text.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
    matches!(key.as_str(), "references" | "bibliography" | "literaturecited" | "参考文献")
}

/// Words that begin a note or a list of services, and no section.
fn is_run_in(words: &str) -> bool {
    let lower = words.to_lowercase();
    !["note", "facilit", "software", "key words", "keywords", "proof", "references", "figure", "fig.", "table"]
        .iter()
        .any(|start| lower.starts_with(start))
}

/// The raised mark that a block begins with.
fn note_mark(text: &Text) -> Option<String> {
    let piece = text.rows.first()?.pieces.first()?;
    let mark: String = piece.chars.iter().take_while(|char| char.shift == Shift::Up).map(|char| char.c).collect();
    let fits = !mark.is_empty()
        && mark.chars().count() <= 3
        && (mark.chars().all(|c| c.is_ascii_digit())
            || mark.chars().all(|c| !c.is_alphanumeric())
            || mark.chars().all(|c| c.is_ascii_lowercase()) && mark.len() == 1);
    fits.then_some(mark)
}

/// The line that a class file prints at the end of a paper.
fn is_colophon(text: &str) -> bool {
    text.starts_with("This paper has been typeset")
        || text.starts_with("Facilities:")
        || text.starts_with("This manuscript was prepared with")
}

/// A heading's words without the stop or dash behind them.
fn titled(mut content: Vec<Inline>) -> Vec<Inline> {
    if let Some(Inline::Text(text)) = content.last_mut() {
        text.truncate(text.trim_end_matches(['.', '—', '–', ' ']).len());
    }
    content
}

fn anchor(words: &str, number: Option<&str>) -> String {
    match number {
        Some(number) => format!("S{number}"),
        None => {
            let words = words.to_lowercase();
            let parts = words.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).take(8);
            format!("S-{}", parts.collect::<Vec<_>>().join("-"))
        }
    }
}

fn reference(at: usize, entry: Entry) -> Reference {
    Reference {
        key: format!("ref{}", at + 1),
        label: entry.label,
        content: entry.runs.inlines(&|_| None),
        links: Vec::new(),
    }
}
