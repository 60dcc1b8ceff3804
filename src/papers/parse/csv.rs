//! Tables as CSV (RFC 4180), for reading them elsewhere.

use super::document::{Table, plain};

/// A table's rows. A cell that reaches over several columns or rows stands in the first of them; the others are empty.
#[must_use]
pub fn write(table: &Table) -> String {
    let mut out = String::new();
    // How many more rows a cell above reaches down into each column.
    let mut reaches: Vec<u16> = Vec::new();
    for row in &table.rows {
        let mut fields: Vec<String> = Vec::new();
        let mut next = row.cells.iter();
        let mut cell = next.next();
        let mut column = 0;
        while cell.is_some() || reaches.get(column..).is_some_and(|rest| rest.iter().any(|left| *left > 0)) {
            if let Some(left) = reaches.get_mut(column).filter(|left| **left > 0) {
                *left -= 1;
                fields.push(String::new());
                column += 1;
                continue;
            }
            match cell {
                Some(here) => {
                    fields.push(plain(&here.content));
                    let width = usize::from(here.columns.clamp(1, 200));
                    fields.extend((1..width).map(|_| String::new()));
                    if reaches.len() < column + width {
                        reaches.resize(column + width, 0);
                    }
                    reaches[column..column + width].fill(here.rows.max(1) - 1);
                    column += width;
                    cell = next.next();
                }
                None => {
                    fields.push(String::new());
                    column += 1;
                }
            }
        }
        let line: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
        out.push_str(&line.join(","));
        out.push_str("\r\n");
    }
    out
}

/// A field, quoted where it must be. One that a spreadsheet would run as a formula gets a mark before it: papers are written by
/// strangers. Numbers with a sign stay as they are.
fn quoted(field: &str) -> String {
    let field = field.split_whitespace().collect::<Vec<_>>().join(" ");
    let runs = field.starts_with(['=', '@']) || field.starts_with(['+', '-']) && field.contains(['(', '!', '|']);
    let field = if runs { format!("'{field}") } else { field };
    if field.contains(['"', ',']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::parse::document::{Cell, Inline, Row};

    fn cell(text: &str, columns: u16, rows: u16) -> Cell {
        Cell { content: vec![Inline::text(text)], columns, rows, align: None }
    }

    #[test]
    fn spans_leave_their_other_cells_empty() {
        let table = Table {
            rows: vec![
                Row { cells: vec![cell("star", 1, 2), cell("velocity", 2, 1)], head: true },
                Row { cells: vec![cell("km/s", 1, 1), cell("error, 1\u{3c3}", 1, 1)], head: true },
                Row { cells: vec![cell("a \"b\"", 1, 1), cell("-1.5", 1, 1), cell("=cmd()", 1, 1)], head: false },
            ],
            ..Table::default()
        };
        assert_eq!(write(&table), "star,velocity,\r\n,km/s,\"error, 1\u{3c3}\"\r\n\"a \"\"b\"\"\",-1.5,'=cmd()\r\n");
    }

    #[test]
    fn wild_spans_end() {
        let table = Table {
            rows: vec![Row { cells: vec![cell("a", u16::MAX, u16::MAX); 3], head: false }; 4],
            ..Table::default()
        };
        assert_eq!(write(&table).lines().count(), 4);
    }
}
