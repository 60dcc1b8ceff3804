//! What a journal prints around the text: running heads, page numbers, line numbers.

use super::frame::Frame;
use super::line::Piece;
use std::collections::HashMap;

/// The part of a page at its top and at its bottom where running heads stand.
const MARGIN: f32 = 0.12;

/// Removes it from all pages; answers what stood in the heads, each once.
pub(super) fn remove(pages: &mut [Frame]) -> Vec<String> {
    line_numbers(pages);
    let mut heads = repeated(pages);
    heads.sort();
    heads.dedup();
    heads
}

/// A line of the margin with its digits made equal, since the page's number is often part of it.
fn shape(piece: &Piece) -> String {
    let mut out = String::new();
    for char in &piece.chars {
        match char.c {
            c if c.is_numeric() || matches!(c, 'i' | 'v' | 'x') && piece.chars.len() <= 4 => {
                if !out.ends_with('#') {
                    out.push('#');
                }
            }
            c => out.extend(c.to_lowercase()),
        }
    }
    out
}

/// Lines in the margins that stand at the same height on other pages, and numbers that stand alone there.
fn repeated(pages: &mut [Frame]) -> Vec<String> {
    let mut seen: HashMap<(String, i32), Vec<usize>> = HashMap::new();
    let height = |piece: &Piece| (piece.y / 4.0).round() as i32;
    let in_margin =
        |page: &Frame, piece: &Piece| piece.y < MARGIN * page.height || piece.y > (1.0 - MARGIN) * page.height;
    for (at, page) in pages.iter().enumerate() {
        for piece in page.pieces.iter().filter(|piece| in_margin(page, piece)) {
            let on = seen.entry((shape(piece), height(piece))).or_default();
            if on.last() != Some(&at) {
                on.push(at);
            }
        }
    }
    let count = pages.len();
    let mut removed = Vec::new();
    for page in pages.iter_mut() {
        let (top, bottom) = edges(page);
        let tall = page.height;
        page.pieces.retain(|piece| {
            if !(piece.y < MARGIN * tall || piece.y > (1.0 - MARGIN) * tall) {
                return true;
            }
            let shape = shape(piece);
            let pages_with = (-1..=1)
                .filter_map(|by| seen.get(&(shape.clone(), height(piece) + by)))
                .map(Vec::len)
                .max()
                .unwrap_or(0);
            let outermost = piece.y < top + 3.0 || piece.y > bottom - 3.0;
            let number = shape == "#" && outermost && piece.chars.len() <= 5;
            let head = pages_with >= 3.max(count / 8) || (pages_with >= 2 && count <= 4 && outermost);
            let gone = number || (head && piece.chars.len() >= 3) || (head && outermost);
            if gone && !number {
                removed.push(piece.text());
            }
            !gone
        });
    }
    removed
}

/// The baselines of the first and the last line of a page.
fn edges(page: &Frame) -> (f32, f32) {
    page.pieces.iter().fold((f32::MAX, f32::MIN), |(top, bottom), piece| (top.min(piece.y), bottom.max(piece.y)))
}

/// Numbers at the side of the text, one for each line or each fifth, that count upwards.
fn line_numbers(pages: &mut [Frame]) {
    for page in pages.iter_mut() {
        let text_left =
            page.pieces.iter().filter(|piece| piece.chars.len() > 25).map(|piece| piece.x0).fold(f32::MAX, f32::min);
        let text_right =
            page.pieces.iter().filter(|piece| piece.chars.len() > 25).map(|piece| piece.x1).fold(f32::MIN, f32::max);
        let is_number =
            |piece: &Piece| piece.chars.len() <= 4 && piece.chars.iter().all(|char| char.c.is_ascii_digit());
        for left in [true, false] {
            let at_side = |piece: &Piece| {
                is_number(piece) && if left { piece.x1 < text_left - 1.0 } else { piece.x0 > text_right + 1.0 }
            };
            let mut numbers: Vec<(f32, u32)> = page
                .pieces
                .iter()
                .filter(|piece| at_side(piece))
                .filter_map(|piece| Some((piece.y, piece.text().parse().ok()?)))
                .collect();
            numbers.sort_by(|a, b| a.0.total_cmp(&b.0));
            let rising = numbers.windows(2).filter(|two| two[1].1 > two[0].1).count();
            if numbers.len() >= 6 && rising * 10 >= (numbers.len() - 1) * 9 {
                page.pieces.retain(|piece| !at_side(piece));
            }
        }
    }
}
