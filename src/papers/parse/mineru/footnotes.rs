//! Footnotes: sent where they stand on the page, and marked in the text by a raised number like any other.

use super::inline::{start, without_start};
use crate::papers::parse::document::{Block, Document, Figure, Inline, plain};
use std::collections::{HashMap, VecDeque};

const SIGNS: [char; 8] = ['∗', '*', '†', '‡', '§', '¶', '‖', '#'];

/// A footnote that was read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Note {
    /// The page that it stands on.
    pub page: u32,
    /// Its mark: a number or a sign.
    pub mark: Option<String>,
    pub content: Vec<Inline>,
}

/// Takes the mark off a footnote.
pub(super) fn split(mut content: Vec<Inline>) -> (Option<String>, Vec<Inline>) {
    let raised = match content.first() {
        Some(Inline::Superscript(inner)) => Some(plain(inner)),
        Some(Inline::Math(tex)) => exponent(tex),
        Some(_) | None => None,
    };
    if let Some(mark) = raised.map(|mark| mark.trim().to_owned()).filter(|mark| !mark.is_empty()) {
        content.remove(0);
        return (Some(mark), super::inline::tidy(content));
    }
    let text = start(&content);
    if let Some(sign) = text.chars().next().filter(|first| SIGNS.contains(first)) {
        // The sign may come twice: as the glyph, and as a star that stands for it.
        let bytes = text.len() - text.trim_start_matches(SIGNS).len();
        return (Some(sign.to_string()), without_start(content, bytes));
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[digits..];
    let begins =
        rest.trim_start().chars().next().is_some_and(char::is_uppercase) || rest.trim_start().starts_with("http");
    if (1..=2).contains(&digits) && begins {
        return (Some(text[..digits].to_owned()), without_start(content.clone(), digits));
    }
    (None, content)
}

/// The exponent of nothing: `^{12}`.
fn exponent(tex: &str) -> Option<String> {
    let raised = tex.trim().trim_start_matches("{}").trim().strip_prefix('^')?;
    let inner = raised.trim().trim_start_matches('{').trim_end_matches('}').trim();
    inner.chars().all(|c| c.is_ascii_digit()).then(|| inner.to_owned())
}

/// Finds the marks of the footnotes in the text and numbers them in the order of the marks. A note without one keeps its
/// place: a mark on a line of its own.
pub(super) fn link(document: &mut Document, notes: Vec<Note>) {
    let mut finder = Finder::new(&notes);
    // A paragraph that goes on over the page stands where it begins, so its marks may be one page early.
    for ahead in [0, 1] {
        finder.ahead = ahead;
        finder.page = 1;
        finder.inlines(&mut document.front.title);
        for blocks in [&mut document.summary, &mut document.body] {
            finder.page = 1;
            finder.blocks(blocks);
        }
    }
    let claimed = finder.claimed;
    let mut order = Order { numbers: vec![None; notes.len()], count: 0 };
    order.inlines(&mut document.front.title);
    for blocks in [&mut document.summary, &mut document.body] {
        blocks.retain(|block| placeholder(block).is_none_or(|raw| claimed.get(raw) != Some(&true)));
        each_content(blocks, &mut |content| order.inlines(content));
    }
    let mut numbered: Vec<(usize, Vec<Inline>)> =
        notes.into_iter().zip(order.numbers).filter_map(|(note, number)| Some((number?, note.content))).collect();
    numbered.sort_by_key(|(number, _)| *number);
    document.footnotes = numbered.into_iter().map(|(_, content)| content).collect();
}

fn placeholder(block: &Block) -> Option<usize> {
    let Block::Paragraph(content) = block else { return None };
    if let [Inline::Footnote(raw)] = content.as_slice() { Some(*raw) } else { None }
}

struct Finder {
    /// The notes that no mark was found for, by page and mark.
    open: HashMap<(u32, String), VecDeque<usize>>,
    claimed: Vec<bool>,
    page: u32,
    /// How many pages behind its mark a note may stand.
    ahead: u32,
}

impl Finder {
    fn new(notes: &[Note]) -> Self {
        let mut open: HashMap<(u32, String), VecDeque<usize>> = HashMap::new();
        for (at, note) in notes.iter().enumerate() {
            if let Some(mark) = &note.mark {
                open.entry((note.page, mark.clone())).or_default().push_back(at);
            }
        }
        Self { open, claimed: vec![false; notes.len()], page: 1, ahead: 0 }
    }

    fn blocks(&mut self, blocks: &mut [Block]) {
        for block in blocks {
            if let Block::Page(page) = block {
                self.page = *page;
            } else if placeholder(block).is_none() {
                each_content(std::slice::from_mut(block), &mut |content| self.inlines(content));
            }
        }
    }

    fn inlines(&mut self, content: &mut Vec<Inline>) {
        if self.open.is_empty() {
            return;
        }
        let mut out = Vec::with_capacity(content.len());
        for piece in std::mem::take(content) {
            // A mark follows a word; at the beginning of a line a raised number is that of an institute.
            if out.is_empty() && !matches!(piece, Inline::Text(_)) {
                out.push(piece);
                continue;
            }
            match piece {
                Inline::Superscript(inner) => match self.claim(plain(&inner).trim()) {
                    Some(note) => out.push(Inline::Footnote(note)),
                    None => out.push(Inline::Superscript(inner)),
                },
                Inline::Math(tex) => match exponent(&tex).and_then(|mark| self.claim(&mark)) {
                    Some(note) => out.push(Inline::Footnote(note)),
                    None => out.push(Inline::Math(tex)),
                },
                Inline::Text(text) => self.signs(text, &mut out),
                other @ (Inline::Emphasis(_)
                | Inline::Strong(_)
                | Inline::Subscript(_)
                | Inline::Code(_)
                | Inline::Link { .. }
                | Inline::Reference { .. }
                | Inline::Citation { .. }
                | Inline::Footnote(_)
                | Inline::Break
                | Inline::Anchor(_)
                | Inline::Source(_)) => out.push(other),
            }
        }
        *content = out;
    }

    /// Signs that stand right behind a word.
    fn signs(&mut self, mut text: String, out: &mut Vec<Inline>) {
        for sign in SIGNS.into_iter().filter(|sign| !sign.is_ascii()) {
            let behind =
                |at: usize| text[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || ".,)".contains(c));
            let found = text.match_indices(sign).map(|(at, _)| at).find(|at| behind(*at));
            let Some((at, note)) = found.and_then(|at| Some((at, self.claim(sign.to_string().as_str())?))) else {
                continue;
            };
            let after = text[at + sign.len_utf8()..].to_owned();
            text.truncate(at);
            out.push(Inline::Text(text));
            out.push(Inline::Footnote(note));
            text = after;
        }
        if !text.is_empty() {
            out.push(Inline::Text(text));
        }
    }

    fn claim(&mut self, mark: &str) -> Option<usize> {
        let key = (self.page.saturating_add(self.ahead), mark.to_owned());
        let notes = self.open.get_mut(&key)?;
        let found = notes.pop_front()?;
        if notes.is_empty() {
            self.open.remove(&key);
        }
        self.claimed[found] = true;
        Some(found)
    }
}

struct Order {
    numbers: Vec<Option<usize>>,
    count: usize,
}

impl Order {
    fn inlines(&mut self, content: &mut [Inline]) {
        for piece in content {
            if let Inline::Footnote(raw) = piece
                && let Some(number) = self.numbers.get_mut(*raw)
            {
                let count = &mut self.count;
                *raw = *number.get_or_insert_with(|| {
                    *count += 1;
                    *count - 1
                });
            }
        }
    }
}

/// Visits the words of blocks in the order in which they are printed.
fn each_content(blocks: &mut [Block], visit: &mut dyn FnMut(&mut Vec<Inline>)) {
    for block in blocks {
        match block {
            Block::Heading(heading) => visit(&mut heading.content),
            Block::Paragraph(content) => visit(content),
            Block::List(list) => list.items.iter_mut().for_each(|item| each_content(item, visit)),
            Block::Quote(inner) => each_content(inner, visit),
            Block::Code(code) => visit(&mut code.caption),
            Block::Table(table) => {
                visit(&mut table.caption);
                table.rows.iter_mut().flat_map(|row| &mut row.cells).for_each(|cell| visit(&mut cell.content));
                table.notes.iter_mut().for_each(&mut *visit);
            }
            Block::Figure(figure) => each_caption(figure, visit),
            Block::Statement(statement) => {
                visit(&mut statement.title);
                each_content(&mut statement.content, visit);
            }
            Block::Equation(_) | Block::Page(_) | Block::Source(_) => {}
        }
    }
}

fn each_caption(figure: &mut Figure, visit: &mut dyn FnMut(&mut Vec<Inline>)) {
    figure.panels.iter_mut().for_each(|panel| each_caption(panel, visit));
    visit(&mut figure.caption);
}
