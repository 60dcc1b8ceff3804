//! A page as layout sees it: pieces of text that all run to the right, rules, and the zones of figures.
//!
//! Text that runs up a page (a landscape table, the label of an axis) is seen in a frame of its own, turned so that it runs
//! to the right; what is true of a page then holds for it as well.

use super::content::{Bounds, Content, Glyph, Turn};
use super::fonts::Style;
use super::line::{Piece, pieces};

/// Side of the cells in which drawings are put together, in points.
const CELL: f32 = 8.0;
/// Sides of a zone that can be a figure, in points.
const SMALLEST: f32 = 30.0;

/// What one page shows in one direction.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) width: f32,
    pub(super) height: f32,
    /// Text outside of figures.
    pub(super) pieces: Vec<Piece>,
    /// Level and upright rules outside of figures.
    pub(super) rules: Vec<Bounds>,
    /// Where figures are, with the text inside.
    pub(super) zones: Vec<Zone>,
    /// How the frame is turned against the page, if it is.
    turn: Option<Turn>,
    /// Turned text that stands at no figure: the stamp of a preprint server, a note of the publisher in the margin.
    pub(super) stray: Vec<String>,
}

/// The place of a figure.
#[derive(Debug, Clone)]
pub(super) struct Zone {
    pub(super) bounds: Bounds,
    /// The text inside, in the order of drawing.
    pub(super) text: String,
}

impl Frame {
    /// How a box of this frame lies on the page as it is shown.
    pub(super) fn to_page(&self) -> impl Fn(Bounds) -> Bounds + use<> {
        let turn = self.turn.unwrap_or(Turn::None);
        let page =
            if matches!(turn, Turn::Up | Turn::Down) { (self.height, self.width) } else { (self.width, self.height) };
        move |bounds| back(bounds, turn, page)
    }
}

/// The frames of a page: the first has most of its text.
pub(super) fn frames(content: &Content, styles: &[Style]) -> Vec<Frame> {
    let mut turns = [Turn::None, Turn::Up, Turn::Down, Turn::Over, Turn::Askew]
        .map(|turn| (content.glyphs.iter().filter(|glyph| glyph.turn == turn && glyph.c != ' ').count(), turn));
    turns.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let main = turns[0].1;
    let drawn = zones(content);
    let mut out: Vec<Frame> = Vec::new();
    let mut stray: Vec<(Bounds, String)> = Vec::new();
    for (count, turn) in turns.into_iter().filter(|(count, _)| *count > 0) {
        let glyphs: Vec<Glyph> = content.glyphs.iter().filter(|glyph| glyph.turn == turn).copied().collect();
        // A few turned words are a label; a whole table or page gets a frame.
        if turn == main || (count > 300 && turn != Turn::Askew && is_text(&glyphs, content, &drawn, turn)) {
            out.push(frame(content, &glyphs, styles, turn, &drawn));
        } else {
            stray.extend(
                pieces(&glyphs, styles)
                    .iter()
                    .map(|piece| (back(piece.bounds(), turn, (content.width, content.height)), piece.text())),
            );
        }
    }
    // Labels belong to the figure they stand at, or else to the page.
    if let Some(first) = out.first_mut() {
        let turn = first.turn.unwrap_or(Turn::None);
        for (bounds, text) in stray {
            let here = turned(bounds, turn, (content.width, content.height));
            match first.zones.iter_mut().find(|zone| zone.bounds.near(here, 24.0)) {
                Some(zone) => {
                    zone.bounds = zone.bounds.join(here);
                    push_text(&mut zone.text, &text);
                }
                None => first.stray.push(text),
            }
        }
    }
    out
}

/// Whether turned glyphs are text of their own, and not the labels of figures.
fn is_text(glyphs: &[Glyph], content: &Content, zones: &[Bounds], turn: Turn) -> bool {
    let outside = glyphs
        .iter()
        .filter(|glyph| {
            let place = Bounds { x0: glyph.x0, y0: glyph.y - 0.5 * glyph.size, x1: glyph.x1, y1: glyph.y };
            let place = back(place, turn, (content.width, content.height));
            !zones.iter().any(|zone| zone.holds((place.x0 + place.x1) / 2.0, (place.y0 + place.y1) / 2.0))
        })
        .count();
    outside > 300
}

fn frame(content: &Content, glyphs: &[Glyph], styles: &[Style], turn: Turn, drawn: &[Bounds]) -> Frame {
    let across = matches!(turn, Turn::Up | Turn::Down);
    let (width, height) = if across { (content.height, content.width) } else { (content.width, content.height) };
    let mut all = pieces(glyphs, styles);
    let mut zones: Vec<Zone> = drawn
        .iter()
        .map(|bounds| Zone { bounds: turned(*bounds, turn, (content.width, content.height)), text: String::new() })
        .collect();
    zones.retain(|zone| !is_panel(zone.bounds, &all));
    let inside = |zones: &[Zone], piece: &Piece| {
        let bounds = piece.bounds();
        let (x, y) = ((bounds.x0 + bounds.x1) / 2.0, (bounds.y0 + bounds.y1) / 2.0);
        zones.iter().position(|zone| zone.bounds.holds(x, y))
    };
    let mut text: Vec<Piece> = Vec::with_capacity(all.len());
    for piece in all.drain(..) {
        match inside(&zones, &piece) {
            Some(zone) => push_text(&mut zones[zone].text, &piece.text()),
            None => text.push(piece),
        }
    }
    absorb(&mut zones, &mut text, height);
    let mut rules: Vec<Bounds> =
        content.rules.iter().map(|rule| turned(*rule, turn, (content.width, content.height))).collect();
    rules.retain(|rule| {
        let (x, y) = ((rule.x0 + rule.x1) / 2.0, (rule.y0 + rule.y1) / 2.0);
        !zones.iter().any(|zone| zone.bounds.holds(x, y))
    });
    Frame { width, height, pieces: text, rules, zones, turn: (turn != Turn::None).then_some(turn), stray: Vec::new() }
}

/// Tick labels and the names of axes stand just outside of what is drawn: short pieces alone on their height.
fn absorb(zones: &mut [Zone], text: &mut Vec<Piece>, height: f32) {
    for _ in 0..2 {
        let mut kept = Vec::with_capacity(text.len());
        for piece in text.drain(..) {
            let bounds = piece.bounds();
            let words = piece.chars.iter().filter(|char| char.c.is_alphabetic()).count();
            let close = 1.1 * piece.size;
            // Where pages have their numbers.
            let margin = piece.y < 0.08 * height || piece.y > 0.92 * height;
            let zone = (!margin && words <= 3 && piece.chars.len() <= 8)
                .then(|| zones.iter_mut().find(|zone| zone.bounds.near(bounds, close)))
                .flatten();
            match zone {
                Some(zone) => {
                    zone.bounds = zone.bounds.join(bounds);
                    push_text(&mut zone.text, &piece.text());
                }
                None => kept.push(piece),
            }
        }
        *text = kept;
    }
}

fn push_text(out: &mut String, text: &str) {
    if !out.is_empty() {
        out.push(' ');
    }
    out.push_str(text);
}

/// Whether a zone is the ground that text stands on, such as the grey of a listing: full of whole lines.
fn is_panel(zone: Bounds, pieces: &[Piece]) -> bool {
    let inside = pieces.iter().filter(|piece| {
        let bounds = piece.bounds();
        zone.holds((bounds.x0 + bounds.x1) / 2.0, (bounds.y0 + bounds.y1) / 2.0)
    });
    let (mut lines, mut area) = (0, 0.0);
    for piece in inside {
        let words = piece.chars.iter().filter(|char| char.blank).count();
        if words >= 4 && piece.x1 - piece.x0 > 0.4 * zone.width() {
            lines += 1;
            area += (piece.x1 - piece.x0) * piece.size * 1.2;
        }
    }
    lines >= 1 && area > 0.35 * zone.width() * zone.height()
}

/// Puts drawings, pictures and forms together that touch each other.
fn zones(content: &Content) -> Vec<Bounds> {
    let page = Bounds { x0: 0.0, y0: 0.0, x1: content.width, y1: content.height };
    let area = page.width() * page.height();
    let columns = ((content.width / CELL).ceil().clamp(1.0, 600.0)) as usize;
    let rows = ((content.height / CELL).ceil().clamp(1.0, 600.0)) as usize;
    let forms = content.forms.iter().enumerate().skip(1).filter(|(at, form)| is_figure(*at, **form, content));
    // What is as large as the page is its ground, and what is outside is not seen.
    let boxes: Vec<Bounds> = (content.drawings.iter().chain(&content.images).chain(forms.map(|(_, form)| form)))
        .filter(|bounds| bounds.width() * bounds.height() <= 0.7 * area && bounds.near(page, 0.0))
        .map(|bounds| bounds.within(page))
        .collect();
    let cell = |at: f32, most: usize| ((at / CELL).floor().max(0.0) as usize).min(most - 1);
    // 0 is empty, 1 is drawn on; then the number of the zone.
    let mut cells = vec![0_u32; columns * rows];
    for bounds in &boxes {
        let (x0, x1) = (cell(bounds.x0, columns), cell(bounds.x1, columns));
        for row in cell(bounds.y0, rows)..=cell(bounds.y1, rows) {
            cells[row * columns + x0..=row * columns + x1].fill(1);
        }
    }
    let mut count = 1;
    let mut next = Vec::new();
    for start in 0..cells.len() {
        if cells[start] != 1 {
            continue;
        }
        count += 1;
        cells[start] = count;
        next.push(start);
        while let Some(at) = next.pop() {
            let (x, y) = (at % columns, at / columns);
            for row in y.saturating_sub(1)..=(y + 1).min(rows - 1) {
                for column in x.saturating_sub(1)..=(x + 1).min(columns - 1) {
                    let beside = row * columns + column;
                    if cells[beside] == 1 {
                        cells[beside] = count;
                        next.push(beside);
                    }
                }
            }
        }
    }
    let mut out: Vec<Option<Bounds>> = vec![None; count as usize + 1];
    for bounds in boxes {
        let zone = cells[cell(bounds.y0, rows) * columns + cell(bounds.x0, columns)] as usize;
        out[zone] = Some(out[zone].map_or(bounds, |known| known.join(bounds)));
    }
    out.into_iter().flatten().filter(|zone| zone.width() >= SMALLEST && zone.height() >= SMALLEST).collect()
}

/// Whether a form is a figure: some programs put a whole page, or each of its lines, into forms.
fn is_figure(at: usize, form: Bounds, content: &Content) -> bool {
    let large = form.width() > 0.8 * content.width && form.height() > 0.6 * content.height;
    if large {
        let index = u16::try_from(at).unwrap_or(u16::MAX);
        let inside = content.glyphs.iter().filter(|glyph| glyph.form == index).count();
        return inside * 4 < content.glyphs.len();
    }
    form.width() >= SMALLEST && form.height() >= SMALLEST
}

/// A box of the page in a turned frame.
fn turned(b: Bounds, turn: Turn, (w, h): (f32, f32)) -> Bounds {
    match turn {
        Turn::None | Turn::Askew => b,
        Turn::Up => Bounds { x0: h - b.y1, y0: b.x0, x1: h - b.y0, y1: b.x1 },
        Turn::Down => Bounds { x0: b.y0, y0: w - b.x1, x1: b.y1, y1: w - b.x0 },
        Turn::Over => Bounds { x0: w - b.x1, y0: h - b.y1, x1: w - b.x0, y1: h - b.y0 },
    }
}

/// A box of a turned frame on the page.
fn back(b: Bounds, turn: Turn, (w, h): (f32, f32)) -> Bounds {
    match turn {
        Turn::None | Turn::Askew => b,
        Turn::Up => Bounds { x0: b.y0, y0: h - b.x1, x1: b.y1, y1: h - b.x0 },
        Turn::Down => Bounds { x0: w - b.y1, y0: b.x0, x1: w - b.y0, y1: b.x1 },
        Turn::Over => turned(b, turn, (w, h)),
    }
}
