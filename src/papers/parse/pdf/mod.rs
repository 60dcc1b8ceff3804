//! PDF, from the places of its characters.
//!
//! ```text
//! content  what each page draws: characters, rules, boxes      (hayro's syntax and fonts)
//! line     characters -> pieces of lines
//! frame    a page in one direction; the zones of figures
//! furniture  running heads, page and line numbers go
//! tables   zones between rules
//! order    columns, reading order -> rows
//! segment  rows -> blocks, formulas, floats
//! headings, references, front, assemble -> document::Document
//! ```
//!
//! The rules are those by which papers are typeset (columns share a gutter, paragraphs are indented, a section's number follows
//! the one before), not those of single journals. A PDF has no TeX: formulas are given as the signs in their order.

mod assemble;
mod content;
mod figures;
mod fonts;
mod frame;
mod front;
mod furniture;
mod headings;
mod line;
mod order;
mod references;
mod segment;
mod tables;
mod text;

use super::document::{Document, Trouble, TroubleKind};
use super::symbols::Symbols;
use content::Bounds;
pub use figures::cut;
use frame::Frame;
use hayro_font::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use order::{Gutter, Item};
use segment::{Body, Segmenter};

/// Pages that are read at most.
const MOST_PAGES: usize = 3_000;

/// Why a PDF gives no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It cannot be opened.
    #[error("The file is no PDF that can be read: it is damaged, cut off, or something else.")]
    Broken,
    /// It needs a password.
    #[error("The PDF is locked with a password. Save a copy without one and add that.")]
    Locked,
    /// It has no pages.
    #[error("The PDF has no pages that can be read.")]
    NoPages,
    /// Its pages are pictures.
    #[error(
        "The PDF has {0} pages but no text: it is a scan. Reading it takes OCR, which MinerU does when it is configured."
    )]
    Scan(usize),
}

/// Reads a PDF.
///
/// # Errors
/// When it cannot be opened or has no text.
pub fn read(bytes: Vec<u8>) -> Result<Document, Refusal> {
    let pdf = open(bytes)?;
    let all = pdf.pages();
    let count = all.len();
    if count == 0 {
        return Err(Refusal::NoPages);
    }
    let mut fonts = fonts::Fonts::new();
    let mut frames: Vec<Frame> = Vec::new();
    let mut beside: Vec<(usize, Frame)> = Vec::new();
    let mut symbols = Symbols::default();
    let (mut unknown, mut glyphs, mut cut) = (0, 0, false);
    for (at, page) in all.iter().take(MOST_PAGES).enumerate() {
        let content = content::read(page, &mut fonts);
        unknown += content.unknown;
        symbols.add(content.glyphs.iter().map(|glyph| glyph.c));
        glyphs += content.glyphs.len();
        cut |= content.cut;
        let mut of_page = frame::frames(&content, &fonts.styles()).into_iter();
        frames.push(of_page.next().unwrap_or_default());
        beside.extend(of_page.map(|frame| (at, frame)));
    }
    if glyphs < 4 * count.min(MOST_PAGES) && glyphs < 200 {
        return Err(Refusal::Scan(count));
    }
    let stray: Vec<String> = frames.iter_mut().flat_map(|frame| std::mem::take(&mut frame.stray)).collect();
    let heads = furniture::remove(&mut frames);
    let gutters: Vec<Option<Gutter>> = frames.iter().map(order::gutter).collect();
    let usual = usual_gutter(&gutters);
    let mut pages: Vec<Vec<Item>> = Vec::with_capacity(frames.len());
    for (mut frame, own) in frames.into_iter().zip(gutters) {
        let tables = tables::find(&frame);
        let gutter = own.filter(|own| own.weight >= 8).or_else(|| usual.filter(|usual| fits(&frame, *usual)));
        pages.push(in_order(&mut frame, gutter, tables));
    }
    for (at, mut frame) in beside {
        let tables = tables::find(&frame);
        let items = in_order(&mut frame, None, tables);
        pages[at].push(Item::Column);
        pages[at].extend(items);
    }
    let rows = pages.iter().flatten().filter_map(|item| match item {
        Item::Row(row) => Some(row),
        Item::Table { .. } | Item::Figure(_) | Item::Column => None,
    });
    let body = Body::learn(rows, fonts.styles());
    let mut segmenter = Segmenter::new(&body);
    for (at, items) in pages.into_iter().enumerate() {
        segmenter.page(u32::try_from(at + 1).unwrap_or(u32::MAX), items);
    }
    let mut document = assemble::assemble(segmenter.finish(), &body, &heads, &stray);
    document.counted.symbols = Some(symbols);
    document.pages = u32::try_from(count).ok();
    if unknown > 0 {
        let what = "signs whose font does not say what they are".to_owned();
        document.troubles.push(Trouble { kind: TroubleKind::UnknownGlyph, what, count: unknown });
    }
    if cut || count > MOST_PAGES {
        document.trouble(TroubleKind::Truncated, "the file has more pages or signs than are read");
    }
    Ok(document)
}

/// Counts the pages of a PDF, which need not have text.
///
/// # Errors
/// When it cannot be opened or has none.
pub fn pages(bytes: Vec<u8>) -> Result<u32, Refusal> {
    let count = open(bytes)?.pages().len();
    u32::try_from(count).ok().filter(|count| *count > 0).ok_or(Refusal::NoPages)
}

fn open(bytes: Vec<u8>) -> Result<Pdf, Refusal> {
    Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => Refusal::Locked,
        LoadPdfError::Decryption(_) | LoadPdfError::Invalid => Refusal::Broken,
    })
}

/// A page's items in reading order, its figures where they are on the page as it is shown.
fn in_order(frame: &mut Frame, gutter: Option<Gutter>, tables: Vec<(Bounds, Vec<Bounds>)>) -> Vec<Item> {
    let to_page = frame.to_page();
    let mut items = order::order(frame, gutter, tables);
    for item in &mut items {
        if let Item::Figure(zone) = item {
            zone.bounds = to_page(zone.bounds);
        }
    }
    items
}

/// The gutter that most pages with two columns share.
fn usual_gutter(gutters: &[Option<Gutter>]) -> Option<Gutter> {
    let strong: Vec<Gutter> = gutters.iter().flatten().filter(|gutter| gutter.weight >= 8).copied().collect();
    let alike = |one: &Gutter| {
        strong.iter().filter(|other| (one.from - other.from).abs() < 8.0 && (one.to - other.to).abs() < 8.0).count()
    };
    strong
        .iter()
        .max_by_key(|gutter| alike(gutter))
        .filter(|gutter| alike(gutter) * 3 >= gutters.len() || alike(gutter) >= 3)
        .copied()
}

/// Whether a page that does not show two columns by itself can have those of the others: hardly a long line crosses.
fn fits(frame: &Frame, gutter: Gutter) -> bool {
    let middle = (gutter.from + gutter.to) / 2.0;
    let long = frame.pieces.iter().filter(|piece| piece.chars.len() >= 20);
    let (mut across, mut all) = (0, 0);
    for piece in long {
        all += 1;
        across += usize::from(piece.x0 < middle - 4.0 && piece.x1 > middle + 4.0);
    }
    across * 2 <= all
}
