//! Rows become blocks: paragraphs, single lines, captions, formulas.

use super::content::Bounds;
use super::fonts::Style;
use super::frame::Zone;
use super::headings;
use super::line::Shift;
use super::order::{Item, Row};
use regex::Regex;
use std::collections::HashMap;
use std::sync::LazyLock;

/// What the text of a paper looks like.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// The size of most letters.
    pub(super) size: f32,
    /// The distance of lines, by size in half points.
    leading: HashMap<i32, f32>,
    /// The styles of all fonts.
    pub(super) styles: Vec<Style>,
    /// The font of most letters.
    pub(super) font: u16,
}

impl Body {
    /// Learns from all rows.
    pub(super) fn learn<'r>(rows: impl Iterator<Item = &'r Row>, styles: Vec<Style>) -> Self {
        let mut sizes: HashMap<i32, usize> = HashMap::new();
        let mut gaps: HashMap<i32, HashMap<i32, usize>> = HashMap::new();
        let mut fonts: HashMap<u16, usize> = HashMap::new();
        let mut before: Option<(f32, f32, f32)> = None;
        for row in rows {
            let key = half(row.size);
            for char in row.pieces.iter().flat_map(|piece| &piece.chars) {
                *fonts.entry(char.font).or_default() += 1;
            }
            *sizes.entry(key).or_default() += row.len();
            if let Some((y, size, left)) = before {
                let gap = row.y - y;
                if half(size) == key && left == row.left && gap > 0.8 * size && gap < 2.5 * size {
                    *gaps.entry(key).or_default().entry((gap * 4.0).round() as i32).or_default() += 1;
                }
            }
            before = Some((row.y, row.size, row.left));
        }
        let most =
            |of: &HashMap<i32, usize>| of.iter().max_by_key(|(key, count)| (**count, -**key)).map(|(key, _)| *key);
        let leading = gaps.iter().filter_map(|(size, of)| Some((*size, most(of)? as f32 / 4.0))).collect();
        let font = fonts.iter().max_by_key(|(font, count)| (**count, **font)).map_or(0, |(font, _)| *font);
        Self { size: most(&sizes).map_or(10.0, |size| size as f32 / 2.0), leading, styles, font }
    }

    /// The usual distance of lines of a size.
    fn leading(&self, size: f32) -> f32 {
        let known = self.leading.get(&half(size)).copied().unwrap_or(0.0);
        if known > 0.9 * size { known.min(2.4 * size) } else { 1.2 * size }
    }
}

fn half(size: f32) -> i32 {
    (size * 2.0).round() as i32
}

/// A block of text.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) rows: Vec<Row>,
    /// The page, from 1.
    pub(super) page: u32,
    /// The distance to the row above it in its column; `None` at the column's top.
    pub(super) above: Option<f32>,
    /// The caption's label that it begins with.
    pub(super) label: Option<Label>,
}

/// The label of a float.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    /// `Figure 3`.
    pub(super) name: String,
    /// How many characters of the text it takes, its stop and blanks included.
    pub(super) length: usize,
    /// Whether it is a table's.
    pub(super) table: bool,
    /// Whether its style sets it apart, so that it is one wherever it stands.
    strong: bool,
}

impl Text {
    pub(super) fn size(&self) -> f32 {
        self.rows.iter().max_by_key(|row| row.len()).map_or(0.0, |row| row.size)
    }

    /// The share of letters that a style holds for.
    pub(super) fn share(&self, styles: &[Style], wanted: impl Fn(&Style) -> bool + Copy) -> f32 {
        let (mut all, mut held) = (0.0, 0.0);
        for piece in self.rows.iter().flat_map(|row| &row.pieces) {
            let letters = piece.chars.iter().filter(|char| char.c.is_alphabetic()).count() as f32;
            all += letters;
            held += letters * piece.share(styles, wanted);
        }
        if all == 0.0 { 0.0 } else { held / all }
    }

    /// The share of letters that are in a font.
    pub(super) fn in_font(&self, font: u16) -> f32 {
        let letters = || {
            self.rows
                .iter()
                .flat_map(|row| &row.pieces)
                .flat_map(|piece| &piece.chars)
                .filter(|char| char.c.is_alphabetic())
        };
        letters().filter(|char| char.font == font).count() as f32 / letters().count().max(1) as f32
    }

    /// Its text without marks, line ends as blanks.
    pub(super) fn plain(&self) -> String {
        self.rows.iter().map(Row::text).collect::<Vec<_>>().join(" ")
    }
}

/// A part of the paper in reading order.
#[derive(Debug)]
pub(super) enum Chunk {
    Text(Text),
    /// A displayed formula: its rows and its number.
    Formula(Vec<Row>, Option<String>),
    /// A table: the rows between its rules.
    Table {
        rows: Vec<Row>,
        rules: Vec<Bounds>,
    },
    Figure {
        zone: Zone,
        page: u32,
    },
    Page(u32),
}

/// Builds blocks over all pages.
pub(super) struct Segmenter<'b> {
    body: &'b Body,
    out: Vec<Chunk>,
    open: Option<Text>,
    /// Floats that stand inside the open paragraph; they follow it.
    floats: Vec<Chunk>,
    /// The open caption, if the current block is one.
    caption: Option<Text>,
    formula: Vec<Row>,
    last: Option<Row>,
    fresh: bool,
    page: u32,
}

impl<'b> Segmenter<'b> {
    pub(super) fn new(body: &'b Body) -> Self {
        Self {
            body,
            out: Vec::new(),
            open: None,
            floats: Vec::new(),
            caption: None,
            formula: Vec::new(),
            last: None,
            fresh: true,
            page: 0,
        }
    }

    /// A page with its items.
    pub(super) fn page(&mut self, number: u32, items: Vec<Item>) {
        self.close();
        self.page = number;
        self.out.push(Chunk::Page(number));
        self.last = None;
        self.fresh = true;
        for item in items {
            match item {
                Item::Row(row) => self.row(row),
                Item::Column => {
                    self.end_formula();
                    self.end_caption();
                    self.fresh = true;
                    self.last = None;
                }
                Item::Figure(zone) => {
                    self.end_formula();
                    self.end_caption();
                    self.last = None;
                    self.floats.push(Chunk::Figure { zone, page: self.page });
                }
                Item::Table { rows, rules } => {
                    self.end_formula();
                    self.end_caption();
                    self.last = None;
                    self.floats.push(Chunk::Table { rows, rules });
                }
            }
        }
    }

    /// All blocks.
    pub(super) fn finish(mut self) -> Vec<Chunk> {
        self.close();
        self.out
    }

    fn close(&mut self) {
        self.end_formula();
        self.end_caption();
        self.end_text();
    }

    fn end_text(&mut self) {
        self.out.extend(self.open.take().map(Chunk::Text));
        self.out.append(&mut self.floats);
    }

    fn end_caption(&mut self) {
        if let Some(caption) = self.caption.take() {
            self.floats.push(Chunk::Text(caption));
        }
    }

    fn end_formula(&mut self) {
        if self.formula.is_empty() {
            return;
        }
        let mut rows = std::mem::take(&mut self.formula);
        let number = rows.iter_mut().find_map(take_number);
        rows.retain(|row| !row.pieces.is_empty());
        if rows.is_empty() {
            return;
        }
        self.end_text();
        self.out.push(Chunk::Formula(rows, number));
    }

    fn row(&mut self, row: Row) {
        let last = self.last.replace(row.clone());
        let fresh = std::mem::take(&mut self.fresh);
        if self.is_formula(&row) && self.caption.is_none() {
            self.formula.push(row);
            return;
        }
        let after_formula = !self.formula.is_empty();
        self.end_formula();
        let above = last.as_ref().map(|last| row.y - last.y);
        let label = label_of(&row, self.body);
        let is_caption = label.as_ref().is_some_and(|label| {
            label.strong
                || fresh
                || last.is_none()
                || above.is_some_and(|gap| gap > 1.25 * self.body.leading(row.size))
                || self.caption.is_some()
        });
        if is_caption {
            self.end_caption();
            self.caption = Some(Text { rows: vec![row], page: self.page, above, label });
            return;
        }
        if let Some(caption) = &mut self.caption {
            if let Some(last) = &last
                && !self.body.parts(last, &row, caption.rows.len() == 1, true)
            {
                caption.rows.push(row);
                return;
            }
            self.end_caption();
            let text = Text { rows: vec![row], page: self.page, above, label: None };
            // What follows a caption at once and in its size are its notes, else the text goes on.
            if let Some(open) = &mut self.open
                && continues(open, &text.rows[0], self.body)
            {
                open.rows.extend(text.rows);
                return;
            }
            self.end_text();
            self.open = Some(text);
            return;
        }
        match (&mut self.open, &last) {
            (Some(open), Some(last)) if !after_formula && !self.body.parts(last, &row, open.rows.len() == 1, false) => {
                open.rows.push(row);
            }
            (Some(open), None) if continues(open, &row, self.body) => open.rows.push(row),
            (_, _) => {
                self.end_text();
                self.open = Some(Text { rows: vec![row], page: self.page, above, label: None });
            }
        }
    }

    /// Whether a row is a displayed formula: set apart from the text's edges and mostly signs.
    fn is_formula(&self, row: &Row) -> bool {
        let (mut math, mut words, mut all) = (0, 0, 0);
        for piece in &row.pieces {
            let mut run = 0;
            for char in &piece.chars {
                let style = self.body.styles.get(usize::from(char.font));
                let sign = style.is_some_and(|style| style.math) || is_sign(char.c);
                all += 1;
                math += usize::from(sign);
                if char.blank {
                    run = 0;
                }
                run += usize::from(char.c.is_alphabetic() && !sign);
                words += usize::from(run == 4);
            }
        }
        let size = row.size.max(1.0);
        let inset =
            row.x0 - row.left > 1.2 * size || self.formula.last().is_some_and(|before| row.y - before.y < 2.4 * size);
        let numbered = row.pieces.last().is_some_and(|piece| is_number(&piece.text()))
            && row.x1 > row.right - 1.5 * size
            && row.pieces.len() > 1;
        let size_fits = size > 0.5 * self.body.size && size < 1.3 * self.body.size;
        if all == 0 || !size_fits {
            return false;
        }
        let share = math as f32 / all as f32;
        inset
            && ((share > 0.3 && words <= 2)
                || (numbered && share > 0.15 && words <= 6)
                || (row.pieces.len() == 1 && is_number(&row.text())))
    }
}

fn is_sign(c: char) -> bool {
    matches!(
        c,
        '=' | '<'
            | '>'
            | '+'
            | '\u{2212}'
            | '×'
            | '÷'
            | '±'
            | '∓'
            | '·'
            | '∑'
            | '∫'
            | '∏'
            | '√'
            | '∂'
            | '∇'
            | '≤'
            | '≥'
            | '≈'
            | '∼'
            | '≡'
            | '∝'
            | '∞'
            | '('
            | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | '|'
            | '/'
            | '^'
            | '~'
    ) || ('\u{2200}'..='\u{22ff}').contains(&c)
        || ('\u{391}'..='\u{3f5}').contains(&c)
}

/// An equation's number: `(12)`, `(A3)`, `(4a)`.
fn is_number(text: &str) -> bool {
    static NUMBER: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^\([A-Z]?\.?\d{1,3}(\.\d{1,2})?[a-z]?\)$").ok());
    NUMBER.as_ref().is_some_and(|number| number.is_match(text.trim()))
}

/// Takes the number off a formula's row.
fn take_number(row: &mut Row) -> Option<String> {
    let last = row.pieces.last()?;
    let text = last.text();
    if is_number(&text) {
        row.pieces.pop();
        return Some(text.trim_matches(['(', ')', ' ']).to_owned());
    }
    None
}

impl Body {
    /// Whether a new block begins with `row` below `last`.
    fn parts(&self, last: &Row, row: &Row, second: bool, caption: bool) -> bool {
        let size = row.size.max(last.size);
        let gap = row.y - last.y;
        let letters =
            |row: &Row| row.pieces.iter().flat_map(|piece| &piece.chars).filter(|char| char.c.is_alphabetic()).count();
        let (many, many_last) = (letters(row), letters(last));
        if gap > 1.32 * self.leading(size) + 0.5 || gap < 0.0 {
            return true;
        }
        if (row.size - last.size).abs() > 0.06 * size && many >= 4 && many_last >= 4 {
            return true;
        }
        if raised_start(row) && row.size < 0.95 * self.size {
            return true;
        }
        if stands_alone(last) || stands_alone(row) || (second && starts_numbered(last) && starts_numbered(row)) {
            return true;
        }
        let bold = |row: &Row| share(row, &self.styles, |style| style.bold);
        let slanted = |row: &Row| share(row, &self.styles, |style| style.italic);
        let caps = |row: &Row| share(row, &self.styles, |style| style.small_caps);
        let full =
            last.x1 > last.right - 2.5 * size && last.x0 < last.left + 2.5 * size && !(second && starts_numbered(last));
        if many >= 6 && many_last >= 4 {
            let differ =
                |of: &dyn Fn(&Row) -> f32| (of(last) > 0.8) != (of(row) > 0.8) && (of(last) - of(row)).abs() > 0.6;
            if differ(&bold) && (second || bold(row) > 0.8) {
                return true;
            }
            if !caption && (differ(&slanted) || differ(&caps)) && !full {
                return true;
            }
        }
        if caption {
            return false;
        }
        if centred(last) != centred(row) && many >= 4 && many_last >= 4 && (centred(last) || starts_numbered(row)) {
            return true;
        }
        if is_upper(last) && !is_upper(row) && many_last >= 8 && many >= 8 {
            return true;
        }
        let indent = |row: &Row| row.x0 - row.left;
        // The first line of a paragraph is indented, and the one before it was not.
        let first_line = indent(row) > 0.75 * size && indent(row) < 4.0 * size && indent(last) < 0.5 * size;
        // Two indented lines one after the other are two paragraphs only if the first one ends a sentence early.
        let bullet = starts_item(row);
        let heading =
            second && starts_numbered(last) && last.len() < 90 && (bold(row) > 0.8 || caps(row) > 0.8 || is_upper(row));
        first_line && !heading && !second_of_hanging(last, row, size) || bullet && many > 0
    }
}

/// A row that is one of the headings that papers have, and nothing else.
fn stands_alone(row: &Row) -> bool {
    row.len() < 40 && {
        let text = row.text();
        let skip = headings::number_of(&text).map_or(0, |(.., skip)| skip);
        let words: String = text.chars().skip(skip).collect();
        let first = words.chars().find(|c| c.is_alphabetic());
        first.is_some_and(char::is_uppercase) && headings::is_known(&words)
    }
}

/// A row that stands in the middle of its column.
fn centred(row: &Row) -> bool {
    let (before, after) = (row.x0 - row.left, row.right - row.x1);
    before > 1.2 * row.size && after > 1.2 * row.size && (before - after).abs() < 5.0
}

/// A row in capitals.
fn is_upper(row: &Row) -> bool {
    let letters = || row.pieces.iter().flat_map(|piece| &piece.chars).filter(|char| char.c.is_alphabetic());
    letters().count() >= 4 && letters().filter(|char| char.c.is_uppercase()).count() * 10 >= letters().count() * 9
}

/// A row that begins with a section's number and a capital.
fn starts_numbered(row: &Row) -> bool {
    let text = row.text();
    headings::number_of(&text).is_some_and(|(parts, _, skip)| {
        let number = parts[0].chars().next().is_some_and(|c| c.is_ascii_digit());
        number && text.chars().nth(skip).is_some_and(|c| c.is_uppercase() || c.is_ascii_digit())
    })
}

/// An item of a list.
pub(super) fn starts_item(row: &Row) -> bool {
    let Some(piece) = row.pieces.first() else { return false };
    let Some(char) = piece.chars.first() else { return false };
    let alone = piece.chars.len() == 1 || piece.chars.get(1).is_some_and(|next| next.blank);
    matches!(char.c, '•' | '▪' | '◦' | '●' | '■' | '‣')
        || matches!(char.c, '–' | '—') && alone && row.x0 - row.left < 3.0 * row.size
}

/// A line that goes on under an item's text.
fn second_of_hanging(last: &Row, row: &Row, size: f32) -> bool {
    starts_item(last) && row.x0 - last.x0 < 3.0 * size
}

fn raised_start(row: &Row) -> bool {
    row.pieces.first().and_then(|piece| piece.chars.first()).is_some_and(|char| char.shift == Shift::Up)
}

fn share(row: &Row, styles: &[Style], wanted: impl Fn(&Style) -> bool + Copy) -> f32 {
    let (mut all, mut held) = (0.0, 0.0);
    for piece in &row.pieces {
        let letters = piece.chars.iter().filter(|char| char.c.is_alphabetic()).count() as f32;
        all += letters;
        held += letters * piece.share(styles, wanted);
    }
    if all == 0.0 { 0.0 } else { held / all }
}

/// Whether a block goes on in a new column with `row`.
fn continues(open: &Text, row: &Row, body: &Body) -> bool {
    let Some(last) = open.rows.last() else { return false };
    let alike = (row.size - last.size).abs() < 0.06 * last.size;
    let bold = |row: &Row| share(row, &body.styles, |style| style.bold) > 0.8;
    let full = last.x1 > last.right - 2.0 * last.size;
    let ends = last.text().trim_end().ends_with(['.', '?', '!', ':']);
    let flush = row.x0 - row.left < 0.6 * row.size;
    let heading = stands_alone(last)
        || open.rows.len() <= 2
            && starts_numbered(&open.rows[0])
            && open.rows.iter().all(|row| is_upper(row) || bold(row));
    alike
        && !heading
        && bold(last) == bold(row)
        && !raised_start(row)
        && (flush && (full || !ends) || !ends && full)
        && open.label.is_none()
}

/// The label of a figure or table that a row begins with.
fn label_of(row: &Row, body: &Body) -> Option<Label> {
    static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^((?i:fig(?:ure)?\.?|table|plate|scheme|listing|algorithm))\s*([A-Z]{0,2}\.?-?\d+[a-z]?|[IVXLC]+\b)\s*([.:|—–-]|$|\s)\s*").ok()
    });
    let first = row.pieces.first()?;
    if !matches!(first.chars.first()?.c, 'F' | 'f' | 'T' | 't' | 'P' | 'S' | 'L' | 'A') {
        return None;
    }
    let text = row.text();
    let found = LABEL.as_ref()?.captures(&text)?;
    let (kind, number, stop) = (found.get(1)?.as_str(), found.get(2)?.as_str(), found.get(3)?.as_str());
    if !kind.chars().next()?.is_uppercase() {
        return None;
    }
    // `Figure 3 shows` begins a sentence; a caption's label has a stop, a line or a style of its own.
    let style = |at: usize| {
        first.chars.get(at).and_then(|char| body.styles.get(usize::from(char.font))).copied().unwrap_or_default()
    };
    let set_apart = {
        let label = style(0);
        let after = found.get(0)?.as_str().chars().filter(|c| *c != ' ').count();
        label.bold && !style(after).bold
            || label.small_caps && !style(after).small_caps
            || kind.chars().all(char::is_uppercase)
    };
    if stop.trim().is_empty() && !set_apart && text.len() > found.get(0)?.len() {
        return None;
    }
    let table = kind.to_lowercase().starts_with("tab");
    let set_apart = set_apart && !stop.trim().is_empty();
    let lower = kind.to_lowercase();
    let word = if lower.starts_with("fig") { "Figure".to_owned() } else { lower[..1].to_uppercase() + &lower[1..] };
    Some(Label {
        name: format!("{word} {number}"),
        length: found.get(0)?.as_str().chars().count(),
        table,
        strong: set_apart,
    })
}
