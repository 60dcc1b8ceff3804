//! Tables: the environments around rows, and the notes below them.

use super::Reader;
use super::floats::Float;
use super::flow::{Flow, Stop};
use super::tabular::GridEnd;
use super::token::Name;
use crate::papers::parse::document::{Block, Inline, Table};

impl Reader {
    pub(super) fn tabular(&mut self, flow: &mut Flow, name: Name, text: &str) {
        match text {
            "tabular*" | "tabularx" | "tabulary" => self.drop_arguments("mo"),
            "tabu" if self.next_command().is_some_and(|word| &*word == "to") => self.drop_arguments("m"),
            _ => drop(self.gullet.optional()),
        }
        let spec = self.gullet.argument();
        let columns = self.table_columns(&spec);
        self.depth += 1;
        let mut scratch = Flow::default();
        let grid = self.grid(&mut scratch, GridEnd::Environment(name));
        let (rows, notes) = self.rows(grid, &columns, false);
        self.depth -= 1;
        if flow.inline {
            self.rows_in_line(flow, rows);
        } else if !rows.is_empty() {
            flow.block(Block::Table(Table { rows, notes, ..Table::default() }));
        }
        flow.blocks.extend(scratch.finish());
    }

    /// A table inside a cell or a caption: its lines one after the other.
    fn rows_in_line(&mut self, flow: &mut Flow, rows: Vec<crate::papers::parse::document::Row>) {
        let width = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        if width > 1 {
            self.nested_table();
        }
        for (at, row) in rows.into_iter().enumerate() {
            if at > 0 {
                flow.push(Inline::Break);
            }
            for (column, cell) in row.cells.into_iter().enumerate() {
                if column > 0 {
                    flow.text(" ");
                }
                cell.content.into_iter().for_each(|inline| flow.push(inline));
            }
        }
    }

    pub(super) fn long_table(&mut self, flow: &mut Flow, name: Name) {
        self.gullet.optional();
        let spec = self.gullet.argument();
        let columns = self.table_columns(&spec);
        let inside = self.floats.last().is_some_and(|float| float.table);
        if !inside {
            self.floats.push(Float { table: true, ..Float::default() });
        }
        let current = self.current;
        self.depth += 1;
        let mut scratch = Flow::default();
        let grid = self.grid(&mut scratch, GridEnd::Environment(name));
        let (rows, notes) = self.rows(grid, &columns, false);
        self.depth -= 1;
        let mut blocks = vec![Block::Table(Table { rows, notes, ..Table::default() })];
        blocks.extend(scratch.finish());
        if inside {
            flow.flush();
            flow.blocks.extend(blocks);
        } else {
            self.end_float(flow, blocks);
            self.current = current;
        }
    }

    pub(super) fn deluxe_table(&mut self, flow: &mut Flow, name: Name) {
        let spec = self.gullet.argument();
        let columns = self.table_columns(&spec);
        self.floats.push(Float { table: true, columns, ..Float::default() });
        let mut blocks = self.inside(name);
        let rows = self.floats.last_mut().map(|float| std::mem::take(&mut float.rows)).unwrap_or_default();
        blocks.insert(0, Block::Table(Table { rows, ..Table::default() }));
        self.end_float(flow, blocks);
    }

    pub(super) fn table_head(&mut self, flow: &mut Flow) {
        let head = self.gullet.argument();
        let floor = self.gullet.enter(head);
        let grid = self.grid(flow, GridEnd::Argument);
        self.gullet.leave(floor);
        self.add_rows(grid, true);
    }

    pub(super) fn start_data(&mut self, flow: &mut Flow) {
        let end = self.gullet.pool.name("enddata");
        let grid = self.grid(flow, GridEnd::Command(end));
        self.add_rows(grid, false);
    }

    fn add_rows(&mut self, grid: super::tabular::Grid, head: bool) {
        let columns = self.floats.last().map(|float| float.columns.clone()).unwrap_or_default();
        let (mut rows, notes) = self.rows(grid, &columns, head);
        rows.iter_mut().for_each(|row| row.head = head);
        if let Some(float) = self.floats.last_mut() {
            float.rows.extend(rows);
            float.notes.extend(notes);
        }
    }

    /// A note below the table, or a paragraph where there is none.
    fn add_note(&mut self, flow: &mut Flow, note: Vec<Inline>) {
        if note.is_empty() || self.preamble {
            return;
        }
        match self.floats.last_mut() {
            Some(float) => float.notes.push(note),
            None => {
                let at_start = flow.at_start();
                match flow.blocks.last_mut() {
                    Some(Block::Table(table)) if at_start => table.notes.push(note),
                    Some(_) | None => flow.block(Block::Paragraph(note)),
                }
            }
        }
    }

    fn said_note(&mut self, flow: &mut Flow, name: &str) {
        let words = self.gullet.argument();
        let mut note = self.inlines(words);
        if !note.is_empty() {
            note.splice(0..0, [Inline::Strong(vec![Inline::text(name)]), Inline::text(" ")]).for_each(drop);
            self.add_note(flow, note);
        }
    }

    pub(super) fn table_note(&mut self, flow: &mut Flow) {
        self.said_note(flow, "Note.");
    }

    pub(super) fn table_references(&mut self, flow: &mut Flow) {
        self.said_note(flow, "References.");
    }

    pub(super) fn marked_note(&mut self, flow: &mut Flow) {
        let (mark, words) = (self.gullet.argument(), self.gullet.argument());
        let mark = self.inlines(mark);
        let words = self.inlines(words);
        let mut note = vec![Inline::Superscript(mark), Inline::text(" ")];
        note.extend(words);
        self.add_note(flow, note);
    }

    /// `\begin{tablenotes} \item[a] words`
    pub(super) fn table_notes(&mut self, flow: &mut Flow, name: Name) {
        self.gullet.optional();
        let item = self.gullet.pool.name("item");
        let mut inner = Flow::default();
        let mut stop = self.inside_flow(&mut inner, name, Some(item));
        let mut notes: Vec<Vec<Inline>> = vec![inner.finish_line()];
        while stop == Stop::Mark {
            let mark = self.gullet.optional().map(|tokens| self.inlines(tokens)).filter(|mark| !mark.is_empty());
            let mut inner = Flow::line();
            stop = self.inside_flow(&mut inner, name, Some(item));
            let mut note: Vec<Inline> =
                mark.into_iter().flat_map(|mark| [Inline::Superscript(mark), Inline::text(" ")]).collect();
            note.extend(inner.finish_line());
            notes.push(note);
        }
        notes.into_iter().for_each(|note| self.add_note(flow, note));
    }
}
