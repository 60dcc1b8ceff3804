//! Tables: found by their rules, split into cells by the blanks that all of their rows share.

use super::content::Bounds;
use super::frame::Frame;
use super::line::{Char, Piece};
use super::order::Row;
use super::text::Runs;
use crate::papers::parse::document::{Cell, Row as TableRow};

/// Rows of a table that are looked for between two of its rules; a longer stretch is text between two tables.
const FARTHEST: f32 = 620.0;

/// Where tables are: their bounds, and the level rules inside from top to bottom.
pub(super) fn find(page: &Frame) -> Vec<(Bounds, Vec<Bounds>)> {
    let mut level: Vec<Bounds> =
        page.rules.iter().filter(|rule| rule.height() <= 2.6 && rule.width() >= 12.0).copied().collect();
    level.sort_by(|a, b| a.y0.total_cmp(&b.y0).then(a.x0.total_cmp(&b.x0)));
    // Pieces of one rule: cells that are ruled one by one, or a double rule.
    let mut rules: Vec<Bounds> = Vec::new();
    for rule in level {
        match rules
            .iter_mut()
            .rev()
            .take(12)
            .find(|known| (known.y0 - rule.y0).abs() < 1.6 && rule.x0 - known.x1 < 14.0 && known.x0 - rule.x1 < 14.0)
        {
            Some(known) => *known = known.join(rule),
            None => rules.push(rule),
        }
    }
    rules.retain(|rule| rule.width() >= 60.0);
    let mut out: Vec<(Bounds, Vec<Bounds>)> = Vec::new();
    let mut used = vec![false; rules.len()];
    for start in 0..rules.len() {
        if used[start] {
            continue;
        }
        let mut group = vec![start];
        let mut bounds = rules[start];
        for next in start + 1..rules.len() {
            if used[next] {
                continue;
            }
            let rule = rules[next];
            let alike = (rule.x0 - bounds.x0).abs() < 14.0 && (rule.x1 - bounds.x1).abs() < 14.0;
            let inner = rule.x0 > bounds.x0 - 4.0 && rule.x1 < bounds.x1 + 4.0 && group.len() < 3;
            if rule.y0 - bounds.y1 > FARTHEST {
                break;
            }
            if (alike || inner) && is_tabular(page, Bounds { y0: bounds.y1, y1: rule.y0, ..bounds }) {
                bounds = bounds.join(rule);
                group.push(next);
            } else if alike {
                break;
            }
        }
        if group.len() < 2 {
            continue;
        }
        let inside: Vec<&Piece> = inside(page, bounds).collect();
        if inside.len() < 4 || !has_columns(&inside) {
            continue;
        }
        for at in &group {
            used[*at] = true;
        }
        out.push((bounds, group.iter().map(|at| rules[*at]).collect()));
    }
    out
}

fn inside(page: &Frame, bounds: Bounds) -> impl Iterator<Item = &Piece> {
    page.pieces.iter().filter(move |piece| {
        let b = piece.bounds();
        bounds.holds((b.x0 + b.x1) / 2.0, (b.y0 + b.y1) / 2.0)
    })
}

/// Whether what stands between two rules can be rows of a table, and is not running text.
fn is_tabular(page: &Frame, between: Bounds) -> bool {
    let (mut long, mut all) = (0, 0);
    for piece in inside(page, between) {
        all += 1;
        let words = piece.chars.iter().filter(|char| char.blank).count();
        long += usize::from(piece.x1 - piece.x0 > 0.8 * between.width() && words >= 8);
    }
    if all == 0 {
        // Two rules with nothing between are a double rule, if they are close.
        return between.height() < 8.0;
    }
    long * 4 <= all
}

/// Whether pieces stand side by side in at least two rows.
fn has_columns(pieces: &[&Piece]) -> bool {
    let mut beside = 0;
    let mut ys: Vec<f32> = pieces.iter().map(|piece| piece.y).collect();
    ys.sort_by(f32::total_cmp);
    let mut run = 1;
    for two in ys.windows(2) {
        if two[1] - two[0] < 2.5 {
            run += 1;
            if run == 2 {
                beside += 1;
            }
        } else {
            run = 1;
        }
    }
    beside >= 2
}

/// The cells of a table's rows.
pub(super) fn cells(rows: &[Row], rules: &[Bounds]) -> Vec<TableRow> {
    let rows: Vec<(f32, Vec<Piece>)> =
        rows.iter().map(|row| (row.y, row.pieces.iter().flat_map(parts).collect())).collect();
    let columns = columns(&rows);
    if columns.is_empty() {
        return Vec::new();
    }
    // The head ends at the first rule below its first row.
    let first = rows.first().map_or(0.0, |(y, _)| *y);
    let last = rows.last().map_or(0.0, |(y, _)| *y);
    let head = rules.iter().map(|rule| rule.y0).find(|y| *y > first && *y < last).unwrap_or(f32::MIN);
    rows.iter()
        .map(|(y, pieces)| {
            let mut cells: Vec<Cell> = Vec::new();
            let mut at = 0;
            for piece in pieces {
                let from = columns.iter().position(|column| column.1 > piece.x0 + 0.5).unwrap_or(columns.len() - 1);
                let to = columns.iter().rposition(|column| column.0 < piece.x1 - 0.5).unwrap_or(from).max(from);
                let mut runs = Runs::default();
                runs.chars(&piece.chars);
                let content = runs.inlines(&|_| None);
                if from < at {
                    // Two pieces in one column.
                    if let Some(cell) = cells.last_mut() {
                        cell.content.push(crate::papers::parse::document::Inline::text(" "));
                        cell.content.extend(content);
                    }
                    continue;
                }
                cells.extend((at..from).map(|_| Cell::default()));
                cells.push(Cell { content, columns: u16::try_from(to - from + 1).unwrap_or(1), ..Cell::default() });
                at = to + 1;
            }
            cells.extend((at..columns.len()).map(|_| Cell::default()));
            TableRow { cells, head: *y < head }
        })
        .collect()
}

/// Splits a piece at gaps that are wider than blanks between words: columns of a table may stand close.
fn parts(piece: &Piece) -> Vec<Piece> {
    let mut out: Vec<Vec<Char>> = vec![Vec::new()];
    let mut before: Option<f32> = None;
    for char in &piece.chars {
        if before.is_some_and(|x1| char.x0 - x1 > 0.7 * piece.size) && char.shift == super::line::Shift::On {
            out.push(Vec::new());
        }
        before = Some(char.x1);
        if let Some(part) = out.last_mut() {
            part.push(*char);
        }
    }
    out.into_iter()
        .filter(|chars| !chars.is_empty())
        .map(|chars| {
            let x0 = chars.iter().map(|char| char.x0).fold(f32::MAX, f32::min);
            let x1 = chars.iter().map(|char| char.x1).fold(f32::MIN, f32::max);
            Piece { chars, x0, x1, ..*piece }
        })
        .collect()
}

/// The columns: narrow pieces make them, wide ones span several.
fn columns(rows: &[(f32, Vec<Piece>)]) -> Vec<(f32, f32)> {
    let most = rows.iter().map(|(_, pieces)| pieces.len()).max().unwrap_or(0);
    // Rows with few pieces are titles and notes inside the table.
    let mut pieces: Vec<(f32, f32)> = rows
        .iter()
        .filter(|(_, pieces)| pieces.len() * 2 >= most)
        .flat_map(|(_, pieces)| pieces)
        .map(|piece| (piece.x0, piece.x1))
        .collect();
    pieces.sort_by(|a, b| (a.1 - a.0).total_cmp(&(b.1 - b.0)));
    let mut columns: Vec<(f32, f32)> = Vec::new();
    for (x0, x1) in pieces {
        let hit: Vec<usize> = (0..columns.len()).filter(|at| columns[*at].0 < x1 && x0 < columns[*at].1).collect();
        match hit.as_slice() {
            [] => columns.push((x0, x1)),
            [one] => columns[*one] = (columns[*one].0.min(x0), columns[*one].1.max(x1)),
            [_, ..] => {}
        }
    }
    columns.sort_by(|a, b| a.0.total_cmp(&b.0));
    columns
}
