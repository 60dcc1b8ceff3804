//! Characters become pieces of lines.
//!
//! A piece is what stands on one baseline without a wide gap: a line of a column, a cell of a table, a tick label. Most
//! programs draw a line from left to right, so pieces are collected in the order of drawing and only then put together by
//! their places.

use super::content::{Bounds, Glyph};
use super::fonts::Style;
use std::collections::HashMap;
use unicode_normalization::char::compose;

/// A gap between two characters that is a blank, in parts of the font's size. TeX's smallest blank in a line that it
/// stretches is 0.22, its thin space inside a formula 0.17, and kerning stays under 0.1.
const BLANK: f32 = 0.12;
/// A gap that ends a piece, in parts of the font's size.
const WIDE: f32 = 1.35;

/// A character of a piece.
#[derive(Debug, Clone, Copy)]
pub(super) struct Char {
    pub(super) c: char,
    pub(super) x0: f32,
    pub(super) x1: f32,
    pub(super) size: f32,
    pub(super) font: u16,
    /// Raised, lowered, or on the line.
    pub(super) shift: Shift,
    /// Whether a blank stands before it.
    pub(super) blank: bool,
}

/// Where a character stands against the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shift {
    /// On it.
    On,
    /// Above it.
    Up,
    /// Below it.
    Down,
}

/// A piece of a line.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) chars: Vec<Char>,
    /// Left and right end.
    pub(super) x0: f32,
    pub(super) x1: f32,
    /// The baseline.
    pub(super) y: f32,
    /// The size of most of its letters.
    pub(super) size: f32,
    /// The form it is drawn by.
    pub(super) form: u16,
}

impl Piece {
    /// Its box, as high as letters are.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds { x0: self.x0, y0: self.y - 0.75 * self.size, x1: self.x1, y1: self.y + 0.25 * self.size }
    }

    /// Its text, raised and lowered parts as they come.
    pub(super) fn text(&self) -> String {
        let mut out = String::with_capacity(self.chars.len() + 8);
        for (at, char) in self.chars.iter().enumerate() {
            if char.blank && at > 0 {
                out.push(' ');
            }
            out.push(char.c);
        }
        out
    }

    /// The share of its letters that a style holds for.
    pub(super) fn share(&self, styles: &[Style], wanted: impl Fn(&Style) -> bool) -> f32 {
        let letters = self.chars.iter().filter(|char| char.c.is_alphabetic());
        let (mut all, mut held) = (0, 0);
        for char in letters {
            all += 1;
            held += usize::from(styles.get(usize::from(char.font)).is_some_and(&wanted));
        }
        if all == 0 { 0.0 } else { held as f32 / all as f32 }
    }
}

/// Collects the pieces of glyphs that all run the same way, in the order of drawing.
pub(super) fn pieces(glyphs: &[Glyph], styles: &[Style]) -> Vec<Piece> {
    let mut out: Vec<Vec<Glyph>> = Vec::new();
    let mut current: Vec<Glyph> = Vec::new();
    for glyph in glyphs {
        let glyph = lowered(*glyph, styles);
        if glyph.size < 1.0 {
            continue;
        }
        if let Some(last) = current.last() {
            let size = last.size.max(glyph.size);
            let near = (glyph.y - last.y).abs() <= 0.62 * size && same_line(&current, &glyph);
            let gap = glyph.x0 - last.x1;
            let follows = gap <= WIDE * size && gap >= -0.7 * size.max(last.x1 - last.x0);
            if !(near && follows && glyph.form == last.form) {
                out.push(std::mem::take(&mut current));
            }
        }
        current.push(glyph);
    }
    out.push(current);
    let pieces: Vec<Piece> = out.into_iter().filter_map(|glyphs| piece(&glyphs)).collect();
    join(pieces)
}

/// TeX's large symbols hang from their origin; they belong to the line at whose middle they stand.
fn lowered(mut glyph: Glyph, styles: &[Style]) -> Glyph {
    if styles.get(usize::from(glyph.font)).is_some_and(|style| style.hanging) {
        glyph.y += 0.95 * glyph.size;
    }
    glyph
}

/// Whether a glyph can stand on the line that the glyphs before make: against the full-sized one nearest before it.
fn same_line(current: &[Glyph], glyph: &Glyph) -> bool {
    let largest = current.iter().rev().take(12).fold(0.0_f32, |size, before| size.max(before.size));
    let base = current.iter().rev().take(12).find(|before| before.size >= 0.9 * largest);
    base.is_none_or(|base| {
        let small = glyph.size < 0.85 * base.size || base.size < 0.85 * glyph.size;
        let limit = if small { 0.62 } else { 0.3 };
        (glyph.y - base.y).abs() <= limit * base.size.max(glyph.size)
    })
}

/// Makes a piece: finds its size and baseline, the shifts, the blanks, and puts accents on their letters.
fn piece(glyphs: &[Glyph]) -> Option<Piece> {
    let inked = || glyphs.iter().filter(|glyph| glyph.c != ' ');
    let first = inked().next()?;
    let size = usual(inked().map(|glyph| glyph.size));
    let y = usual(inked().filter(|glyph| glyph.size >= 0.9 * size).map(|glyph| glyph.y));
    let mut chars: Vec<Char> = Vec::with_capacity(glyphs.len());
    let mut blank = false;
    for glyph in glyphs {
        if glyph.c == ' ' {
            blank = true;
            continue;
        }
        let gap = chars.last().map_or(0.0, |last| glyph.x0 - last.x1);
        let small = glyph.size < 0.9 * size;
        let shift = if small && glyph.y < y - 0.14 * size {
            Shift::Up
        } else if small && glyph.y > y + 0.08 * size {
            Shift::Down
        } else {
            Shift::On
        };
        let by = chars.last().map_or(size, |last: &Char| last.size.min(size).max(glyph.size.min(size)));
        // A blank that is drawn but has no width is none.
        let blank_here = (blank && gap > 0.04 * by) || gap > BLANK * by;
        chars.push(Char {
            c: glyph.c,
            x0: glyph.x0,
            x1: glyph.x1,
            size: glyph.size,
            font: glyph.font,
            shift,
            blank: blank_here,
        });
        blank = false;
    }
    accents(&mut chars);
    let x0 = chars.iter().map(|char| char.x0).fold(f32::MAX, f32::min);
    let x1 = chars.iter().map(|char| char.x1).fold(f32::MIN, f32::max);
    Some(Piece { chars, x0, x1, y, size, form: first.form })
}

/// The value that most have, to a tenth of a point.
fn usual(values: impl Iterator<Item = f32>) -> f32 {
    let mut seen: Vec<(i32, u32, f32)> = Vec::new();
    for value in values {
        let key = (value * 10.0).round() as i32;
        match seen.iter().position(|(known, ..)| (*known - key).abs() <= 1) {
            Some(at) => seen[at].1 += 1,
            None if seen.len() < 64 => seen.push((key, 1, value)),
            None => {}
        }
    }
    seen.iter().max_by_key(|(_, count, _)| *count).map_or(0.0, |(.., value)| *value)
}

/// TeX's older fonts have accents that are signs of their own, drawn over the letter or under it.
fn accents(chars: &mut Vec<Char>) {
    let mut at = 0;
    while at < chars.len() {
        let Some(mark) = combining(chars[at].c) else {
            at += 1;
            continue;
        };
        let accent = chars[at];
        let over = |letter: &Char| {
            let middle = (accent.x0 + accent.x1) / 2.0;
            letter.c.is_alphabetic() && middle > letter.x0 - 0.1 * letter.size && middle < letter.x1 + 0.1 * letter.size
        };
        let after = chars.get(at + 1).filter(|letter| over(letter)).map(|_| at + 1);
        let before = at.checked_sub(1).filter(|before| chars.get(*before).is_some_and(over));
        let Some(letter) = after.or(before) else {
            at += 1;
            continue;
        };
        let base = match chars[letter].c {
            'ı' => 'i',
            'ȷ' => 'j',
            c => c,
        };
        if let Some(whole) = compose(base, mark) {
            chars[letter].c = whole;
            chars[letter].blank |= accent.blank && letter > at;
            chars.remove(at);
        } else {
            at += 1;
        }
    }
}

/// The combining form of an accent that stands alone.
fn combining(c: char) -> Option<char> {
    Some(match c {
        '\u{b4}' | '\u{2ca}' => '\u{301}',
        '`' | '\u{2cb}' => '\u{300}',
        '\u{2c6}' | '^' => '\u{302}',
        '\u{2dc}' | '~' => '\u{303}',
        '\u{a8}' => '\u{308}',
        '\u{af}' | '\u{2c9}' => '\u{304}',
        '\u{2d8}' => '\u{306}',
        '\u{2d9}' => '\u{307}',
        '\u{2da}' => '\u{30a}',
        '\u{2c7}' => '\u{30c}',
        '\u{b8}' => '\u{327}',
        '\u{2db}' => '\u{328}',
        '\u{2dd}' => '\u{30b}',
        _ => return None,
    })
}

/// Puts together pieces that were drawn apart but stand on one line, close to each other.
fn join(pieces: Vec<Piece>) -> Vec<Piece> {
    // Where pieces begin, by stripes of a few points, so that a neighbour is found without looking at all of them.
    const STRIPE: f32 = 4.0;
    let stripe = |y: f32| (y / STRIPE).floor() as i32;
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by(|a, b| pieces[*a].x0.total_cmp(&pieces[*b].x0));
    let mut slots: Vec<Option<Piece>> = pieces.into_iter().map(Some).collect();
    let mut ends: HashMap<i32, Vec<usize>> = HashMap::new();
    for at in order {
        let Some(next) = slots[at].take() else { continue };
        let here = stripe(next.y);
        let reach = (next.size / STRIPE).ceil().min(8.0) as i32;
        let mut best: Option<(usize, f32)> = None;
        for row in here - reach..=here + reach {
            for candidate in ends.get(&row).into_iter().flatten().rev().take(24) {
                let Some(before) = &slots[*candidate] else { continue };
                let gap = next.x0 - before.x1;
                if belongs(before, &next) && best.is_none_or(|(_, known)| gap.abs() < known) {
                    best = Some((*candidate, gap.abs()));
                }
            }
        }
        match best {
            Some((before, _)) => {
                if let Some(piece) = &mut slots[before] {
                    append(piece, next);
                }
            }
            None => {
                slots[at] = Some(next);
                ends.entry(here).or_default().push(at);
            }
        }
    }
    slots.into_iter().flatten().collect()
}

fn belongs(before: &Piece, next: &Piece) -> bool {
    let (large, small) = if before.size >= next.size { (before, next) } else { (next, before) };
    let gap = next.x0 - before.x1;
    let near = gap <= 1.0 * large.size.min(next.size * 1.5) && gap >= -0.35 * large.size;
    let shift = small.y - large.y;
    let level = if small.size >= 0.85 * large.size {
        shift.abs() <= 0.25 * large.size
    } else {
        // A raised or lowered part, and not the line above or below in a smaller font.
        (-0.62 * large.size..=0.4 * large.size).contains(&shift) && small.chars.len() <= 12
    };
    near && level && before.form == next.form
}

fn append(piece: &mut Piece, next: Piece) {
    let gap = next.x0 - piece.x1;
    let size = piece.size.max(next.size);
    let (shift, joined) = if piece.size >= next.size || piece.chars.len() > next.chars.len() {
        (next.y - piece.y, piece.size)
    } else {
        (0.0, piece.size)
    };
    let lower = next.size < 0.9 * joined;
    for (at, mut char) in next.chars.into_iter().enumerate() {
        if at == 0 {
            char.blank = gap > BLANK * size.min(next.size * 1.3);
        }
        if lower && char.shift == Shift::On {
            char.shift = if shift < -0.14 * joined {
                Shift::Up
            } else if shift > 0.08 * joined {
                Shift::Down
            } else {
                Shift::On
            };
        }
        piece.chars.push(char);
    }
    if next.size > piece.size * 1.1 {
        // What came first was the raised part, such as a footnote's mark.
        for char in piece.chars.iter_mut().filter(|char| char.size < 0.9 * next.size) {
            if char.shift == Shift::On {
                char.shift = if piece.y < next.y - 0.14 * next.size { Shift::Up } else { char.shift };
            }
        }
        piece.size = next.size;
        piece.y = next.y;
    }
    piece.x0 = piece.x0.min(next.x0);
    piece.x1 = piece.x1.max(next.x1);
}
