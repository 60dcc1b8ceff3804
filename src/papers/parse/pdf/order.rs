//! The reading order of a page: columns, and what reaches across them.

use super::content::Bounds;
use super::frame::{Frame, Zone};
use super::line::{Piece, Shift};

/// A row of text in a column: the pieces that stand on one baseline.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// From left to right.
    pub(super) pieces: Vec<Piece>,
    pub(super) x0: f32,
    pub(super) x1: f32,
    /// The baseline.
    pub(super) y: f32,
    /// The size of most letters.
    pub(super) size: f32,
    /// The column's edges.
    pub(super) left: f32,
    pub(super) right: f32,
}

impl Row {
    fn new(piece: Piece, left: f32, right: f32) -> Self {
        Self { x0: piece.x0, x1: piece.x1, y: piece.y, size: piece.size, left, right, pieces: vec![piece] }
    }

    fn push(&mut self, piece: Piece) {
        self.x0 = self.x0.min(piece.x0);
        self.x1 = self.x1.max(piece.x1);
        if piece.chars.len() > self.pieces.iter().map(|piece| piece.chars.len()).max().unwrap_or(0) {
            (self.size, self.y) = (piece.size, piece.y);
        }
        self.pieces.push(piece);
    }

    /// The text of all pieces.
    pub(super) fn text(&self) -> String {
        self.pieces.iter().map(Piece::text).collect::<Vec<_>>().join(" ")
    }

    /// How many characters it has.
    pub(super) fn len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.chars.len()).sum()
    }
}

/// What follows what on a page.
#[derive(Debug)]
pub(super) enum Item {
    /// A row of text.
    Row(Row),
    /// The rows between the rules of a table.
    Table {
        /// The rows, whole lines of the page.
        rows: Vec<Row>,
        /// The level rules, from top to bottom.
        rules: Vec<Bounds>,
    },
    /// A figure.
    Figure(Zone),
    /// A new column or band begins: what comes may go on from what was.
    Column,
}

/// What reaches across the gutter, so that the columns above it are read before those below.
enum Divider {
    /// A line of text.
    Line(Piece),
    /// A figure or table.
    Block(Bounds, Item),
    /// A rule that stands alone.
    Rule,
}

/// The place between two columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gutter {
    /// Where the left column ends.
    pub(super) from: f32,
    /// Where the right one begins.
    pub(super) to: f32,
    /// How much of the page shows it: tenths of an inch of height.
    pub(super) weight: u32,
}

impl Gutter {
    fn middle(self) -> f32 {
        (self.from + self.to) / 2.0
    }
}

/// Height of the stripes in which columns are looked for.
const STRIPE: f32 = 7.2;

/// Looks for two columns: a place with long lines on both of its sides at the same heights, and none across.
pub(super) fn gutter(page: &Frame) -> Option<Gutter> {
    let long: Vec<&Piece> = page.pieces.iter().filter(|piece| piece.chars.len() >= 14).collect();
    let stripes = (page.height / STRIPE).ceil().clamp(1.0, 2000.0) as usize;
    let stripe = |y: f32| ((y / STRIPE).max(0.0) as usize).min(stripes - 1);
    let mut best: Option<Gutter> = None;
    let (from, to) = ((0.3 * page.width) as i32, (0.7 * page.width) as i32);
    for x in (from..to).step_by(2) {
        let x = x as f32;
        // 1: left, 2: right, 4: across.
        let mut seen = vec![0_u8; stripes];
        let (mut end, mut start) = (0.0_f32, f32::MAX);
        for piece in &long {
            let side = if piece.x1 <= x {
                1
            } else if piece.x0 >= x {
                2
            } else {
                4
            };
            let at = stripe(piece.y);
            seen[at] |= side;
            seen[at.saturating_sub(1)] |= side;
        }
        let both = seen.iter().filter(|side| **side == 3).count();
        if both < 4 || best.is_some_and(|best| usize::try_from(best.weight).unwrap_or(0) >= both) {
            continue;
        }
        for piece in long.iter().filter(|piece| seen[stripe(piece.y)] == 3) {
            if piece.x1 <= x {
                end = end.max(piece.x1);
            } else {
                start = start.min(piece.x0);
            }
        }
        best = Some(Gutter { from: end, to: start, weight: u32::try_from(both).unwrap_or(u32::MAX) });
    }
    best.filter(|gutter| gutter.to - gutter.from >= 4.0)
}

/// Puts a page in order.
pub(super) fn order(page: &mut Frame, gutter: Option<Gutter>, tables: Vec<(Bounds, Vec<Bounds>)>) -> Vec<Item> {
    let (left, right) = extent(&page.pieces, page.width);
    let mut blocks: Vec<(Bounds, Item)> = Vec::new();
    let mut pieces = std::mem::take(&mut page.pieces);
    for (bounds, rules) in tables {
        let (inside, outside): (Vec<Piece>, Vec<Piece>) = pieces.into_iter().partition(|piece| {
            let b = piece.bounds();
            bounds.holds((b.x0 + b.x1) / 2.0, (b.y0 + b.y1) / 2.0)
        });
        pieces = outside;
        let rows = rows(inside, bounds.x0, bounds.x1);
        blocks.push((bounds, Item::Table { rows, rules }));
    }
    blocks.extend(page.zones.drain(..).map(|zone| (zone.bounds, Item::Figure(zone))));
    let Some(gutter) = gutter else {
        let mut out = Vec::new();
        column(pieces, blocks, left, right, &mut out);
        return out;
    };
    // What reaches across the gutter divides the page into bands, in which the columns are read one after the other.
    let crosses = |b: Bounds| b.x0 < gutter.middle() - 3.0 && b.x1 > gutter.middle() + 3.0;
    let mut wide: Vec<Piece> = Vec::new();
    let mut sides: [Vec<Piece>; 2] = [Vec::new(), Vec::new()];
    for piece in pieces {
        if crosses(piece.bounds()) {
            wide.push(piece);
        } else {
            sides[usize::from(piece.x0 + piece.x1 > 2.0 * gutter.middle())].push(piece);
        }
    }
    rejoin(&mut wide, &mut sides, (left, right));
    let (wide_blocks, narrow): (Vec<_>, Vec<_>) = blocks.into_iter().partition(|(bounds, _)| crosses(*bounds));
    let mut dividers: Vec<(f32, Divider)> = Vec::new();
    dividers.extend(wide.into_iter().map(|piece| (piece.y, Divider::Line(piece))));
    dividers.extend(wide_blocks.into_iter().map(|(bounds, item)| (bounds.y0, Divider::Block(bounds, item))));
    // A rule across the gutter with nothing beside it: what follows is read after both columns above.
    let alone = |rule: &&Bounds| {
        let close = |piece: &Piece| piece.y > rule.y0 - 1.0 && piece.y - 0.7 * piece.size < rule.y1 + 1.0;
        rule.height() < 3.0 && crosses(**rule) && rule.width() > 40.0 && !sides.iter().flatten().any(close)
    };
    dividers.extend(page.rules.iter().filter(alone).map(|rule| (rule.y0, Divider::Rule)));
    dividers.sort_by(|a, b| a.0.total_cmp(&b.0));

    let columns = [edges_of(&sides[0], (left, gutter.from)), edges_of(&sides[1], (gutter.to, right))];
    let mut narrow: [Vec<(Bounds, Item)>; 2] = {
        let (a, b) = narrow.into_iter().partition(|(bounds, _)| bounds.x0 + bounds.x1 <= 2.0 * gutter.middle());
        [a, b]
    };
    let mut out = Vec::new();
    let band = |until: f32, sides: &mut [Vec<Piece>; 2], narrow: &mut [Vec<(Bounds, Item)>; 2], out: &mut Vec<Item>| {
        for (at, edges) in columns.into_iter().enumerate() {
            let above: Vec<Piece> = sides[at].extract_if(.., |piece| piece.y < until).collect();
            let blocks: Vec<(Bounds, Item)> =
                narrow[at].extract_if(.., |(bounds, _)| (bounds.y0 + bounds.y1) / 2.0 < until).collect();
            if !above.is_empty() || !blocks.is_empty() {
                out.push(Item::Column);
                column(above, blocks, edges.0, edges.1, out);
            }
        }
    };
    let mut group: Vec<Piece> = Vec::new();
    let mut group_blocks: Vec<(Bounds, Item)> = Vec::new();
    let mut bottom = f32::MIN;
    for (y, divider) in dividers {
        let between = sides.iter().flatten().any(|piece| piece.y > bottom && piece.y < y)
            || narrow.iter().flatten().any(|(bounds, _)| {
                let middle = (bounds.y0 + bounds.y1) / 2.0;
                middle > bottom && middle < y
            });
        if between && (!group.is_empty() || !group_blocks.is_empty()) {
            out.push(Item::Column);
            column(std::mem::take(&mut group), std::mem::take(&mut group_blocks), left, right, &mut out);
        }
        if between {
            band(y, &mut sides, &mut narrow, &mut out);
        }
        bottom = bottom.max(y);
        match divider {
            Divider::Line(piece) => group.push(piece),
            Divider::Block(bounds, item) => {
                bottom = bottom.max(bounds.y1);
                group_blocks.push((bounds, item));
            }
            Divider::Rule => out.push(Item::Column),
        }
    }
    if !group.is_empty() || !group_blocks.is_empty() {
        out.push(Item::Column);
        column(group, group_blocks, left, right, &mut out);
    }
    band(f32::MAX, &mut sides, &mut narrow, &mut out);
    out
}

/// Short lines of a block across the page, such as the last line of an abstract or the second of a title, stand on one side
/// only: they go to the line they follow when the other side has nothing at their height.
fn rejoin(wide: &mut Vec<Piece>, sides: &mut [Vec<Piece>; 2], (left, right): (f32, f32)) {
    for _ in 0..6 {
        let mut moved = Vec::new();
        for side in 0..2 {
            let other: Vec<(f32, f32)> = sides[1 - side].iter().map(|piece| (piece.y, piece.size)).collect();
            let wide_now = &*wide;
            moved.extend(sides[side].extract_if(.., |piece| {
                let level = |(y, size): &(f32, f32)| (y - piece.y).abs() < 0.6 * size.max(piece.size);
                let neighbour = wide_now.iter().any(|line| {
                    let near = (line.y - piece.y).abs() < 1.9 * line.size.max(piece.size);
                    let alike = (line.size - piece.size).abs() < 0.12 * line.size;
                    let same_edge = (line.x0 - piece.x0).abs() < 2.5 * piece.size;
                    let centred = ((line.x0 + line.x1) - (left + right)).abs() < 12.0
                        && ((piece.x0 + piece.x1) - (left + right)).abs() < 12.0;
                    // One line of the same baseline that was drawn in two parts.
                    let same_line = (line.y - piece.y).abs() < 0.3 * line.size;
                    (near && alike && (same_edge && line.y < piece.y || centred)) || same_line
                });
                neighbour
                    && (!other.iter().any(level)
                        || wide_now.iter().any(|line| (line.y - piece.y).abs() < 0.3 * line.size))
            }));
        }
        if moved.is_empty() {
            break;
        }
        wide.append(&mut moved);
    }
}

/// The left and right edge of the text.
fn extent(pieces: &[Piece], width: f32) -> (f32, f32) {
    edges_of(pieces, (0.0, width))
}

/// The edges that most long lines share; single ones stick out.
fn edges_of(pieces: &[Piece], otherwise: (f32, f32)) -> (f32, f32) {
    let long = || pieces.iter().filter(|piece| piece.chars.len() >= 14);
    let shared = |edge: &dyn Fn(&Piece) -> f32, outer: f32| {
        let mut edges: Vec<f32> = long().map(edge).collect();
        edges.sort_by(f32::total_cmp);
        let count = |at: f32| edges.iter().filter(|other| (**other - at).abs() <= 1.5).count();
        let best = edges.iter().map(|at| count(*at)).max().unwrap_or(0);
        // Among edges that are nearly as common the outermost: paragraphs may be indented, the text is not.
        let common = edges.iter().filter(|at| count(**at) * 2 > best && count(**at) >= 2);
        let pick = if outer < 0.0 { common.copied().reduce(f32::min) } else { common.copied().reduce(f32::max) };
        pick.or(if outer < 0.0 { edges.first().copied() } else { edges.last().copied() })
    };
    (shared(&|piece| piece.x0, -1.0).unwrap_or(otherwise.0), shared(&|piece| piece.x1, 1.0).unwrap_or(otherwise.1))
}

/// One column from top to bottom.
fn column(pieces: Vec<Piece>, mut blocks: Vec<(Bounds, Item)>, left: f32, right: f32, out: &mut Vec<Item>) {
    blocks.sort_by(|a, b| b.0.y0.total_cmp(&a.0.y0));
    for row in rows(pieces, left, right) {
        while blocks.last().is_some_and(|(bounds, _)| (bounds.y0 + bounds.y1) / 2.0 < row.y) {
            out.extend(blocks.pop().map(|(_, item)| item));
        }
        out.push(Item::Row(row));
    }
    out.extend(blocks.into_iter().rev().map(|(_, item)| item));
}

/// Puts pieces on one baseline into rows.
fn rows(mut pieces: Vec<Piece>, left: f32, right: f32) -> Vec<Row> {
    pieces.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut out: Vec<Row> = Vec::new();
    for piece in pieces {
        let row = out.iter_mut().rev().take(3).find(|row| {
            let apart = row.pieces.iter().all(|other| piece.x0 >= other.x1 - 1.5 || piece.x1 <= other.x0 + 1.5);
            apart && (row.y - piece.y).abs() < 0.35 * row.size.max(piece.size)
        });
        match row {
            Some(row) => row.push(piece),
            None => out.push(Row::new(piece, left, right)),
        }
    }
    out.sort_by(|a, b| a.y.total_cmp(&b.y));
    let mut out = tuck(out);
    for row in &mut out {
        row.pieces.sort_by(|a, b| a.x0.total_cmp(&b.x0));
    }
    out
}

/// The halves of a small fraction in a line stand above and below it, in a gap of the line: they go back into it.
fn tuck(rows: Vec<Row>) -> Vec<Row> {
    let mut out: Vec<Row> = Vec::with_capacity(rows.len());
    let mut waiting: Vec<Row> = Vec::new();
    let small = |row: &Row| row.pieces.len() == 1 && row.len() <= 14;
    let fits = |row: &Row, part: &Row| {
        let apart = row.pieces.iter().all(|other| part.x0 >= other.x1 - 1.5 || part.x1 <= other.x0 + 1.5);
        let inside = part.x0 > row.x0 && part.x1 < row.x1 + 2.0 * row.size;
        part.size < 0.86 * row.size
            && apart
            && inside
            && (part.y - row.y).abs() < 0.78 * row.size
            && row.len() > part.len()
    };
    for mut row in rows {
        for part in std::mem::take(&mut waiting) {
            if fits(&row, &part) {
                shifted(&mut row, part, Shift::Up);
            } else {
                out.push(part);
            }
        }
        if small(&row) {
            match out.last_mut().filter(|before| fits(before, &row)) {
                Some(before) => shifted(before, row, Shift::Down),
                None => waiting.push(row),
            }
        } else {
            out.push(row);
        }
    }
    out.append(&mut waiting);
    out.sort_by(|a, b| a.y.total_cmp(&b.y));
    out
}

fn shifted(row: &mut Row, part: Row, shift: Shift) {
    let (y, size) = (row.y, row.size);
    for mut piece in part.pieces {
        for char in &mut piece.chars {
            char.shift = shift;
        }
        row.push(piece);
    }
    (row.y, row.size) = (y, size);
}
