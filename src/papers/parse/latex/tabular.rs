//! The rows of a table: cells between `&`, lines between `\\`, rules that tell the head from the rest.

use super::Reader;
use super::flow::Flow;
use super::token::{Name, Token};
use crate::papers::parse::document::{Align, Cell, Inline, Row, TroubleKind, plain};

/// Columns or rows that one cell may reach over, and columns of a table.
const SPAN: u16 = 500;
/// Rows that can be a head.
const HEADS: usize = 5;

/// A column as the table declares it.
#[derive(Debug, Clone, Default)]
pub(super) struct Column {
    align: Option<Align>,
    /// What is printed between this column and the next, which belong together then.
    glue: Option<Vec<Inline>>,
    /// Whether it is not printed.
    hidden: bool,
}

/// What ends a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GridEnd {
    /// `\end{name}`
    Environment(Name),
    /// A command.
    Command(Name),
    /// The end of an argument.
    Argument,
}

/// Rows as tokens.
#[derive(Debug, Default)]
pub(super) struct Grid {
    rows: Vec<Vec<Vec<Token>>>,
    cells: Vec<Vec<Token>>,
    cell: Vec<Token>,
    /// Before which rows a rule stands.
    rules: Vec<usize>,
    /// Rows whose only cell reaches over the whole table.
    whole: Vec<usize>,
    /// Where parts of a table over several pages end: its kind and the count of rows then.
    parts: Vec<(&'static str, usize)>,
}

impl Grid {
    fn end_row(&mut self) {
        self.cells.push(std::mem::take(&mut self.cell));
        self.rows.push(std::mem::take(&mut self.cells));
    }

    fn rule(&mut self) {
        let at = self.rows.len();
        if self.rules.last() != Some(&at) {
            self.rules.push(at);
        }
    }
}

impl Reader {
    /// The columns of a declaration such as `l|c@{ -- }p{3cm}*{2}{r}`.
    pub(super) fn table_columns(&mut self, tokens: &[Token]) -> Vec<Column> {
        let source = self.gullet.pool.source(tokens);
        let mut out = Vec::new();
        self.columns_of(&source, &mut out, 0);
        out
    }

    fn columns_of(&mut self, source: &str, out: &mut Vec<Column>, depth: u8) {
        let mut rest = source;
        while let Some(c) = rest.chars().next() {
            rest = rest.get(c.len_utf8()..).unwrap_or("");
            if out.len() >= usize::from(SPAN) || depth > 4 {
                return;
            }
            let mut column = |align| out.push(Column { align, ..Column::default() });
            match c {
                'l' => column(Some(Align::Left)),
                'c' => column(Some(Align::Center)),
                'r' => column(Some(Align::Right)),
                'p' | 'm' | 'b' | 'L' | 'C' | 'R' | 'X' | 'J' | 'S' | 'd' | 'N' | 'P' | 'M' | 'B' | 'Q' => {
                    let align = match c {
                        'C' => Some(Align::Center),
                        'R' => Some(Align::Right),
                        'S' | 'd' | 'N' | 'Q' => None,
                        _ => Some(Align::Left),
                    };
                    let known = self.columns.get(&c).cloned();
                    match known {
                        Some(spec) => self.columns_of(&spec, out, depth + 1),
                        None => column(align),
                    }
                    rest = after_options(rest);
                    rest = argument(rest).map_or(rest, |(_, rest)| rest);
                }
                'D' if !rest.trim_start().starts_with(['{', '.']) => {
                    // The two halves of a decimal number in a table of the AAS.
                    let glue = Some(vec![Inline::text(".")]);
                    out.push(Column { align: Some(Align::Right), glue, hidden: false });
                    out.push(Column { align: Some(Align::Left), ..Column::default() });
                }
                'D' => {
                    column(None);
                    for _ in 0..3 {
                        rest = argument(rest).map_or(rest, |(_, rest)| rest);
                    }
                }
                'w' | 'W' => {
                    column(Some(Align::Left));
                    for _ in 0..2 {
                        rest = argument(rest).map_or(rest, |(_, rest)| rest);
                    }
                }
                'h' => out.push(Column { hidden: true, ..Column::default() }),
                '@' | '!' => {
                    let Some((inner, after)) = argument(rest) else { continue };
                    rest = after;
                    if let Some(last) = out.last_mut() {
                        let tokens = self.tex_tokens(inner);
                        let glue = self.inlines(tokens);
                        let prints = !inner.contains("extracolsep") && !plain(&glue).trim().is_empty();
                        last.glue = prints.then_some(glue);
                    }
                }
                '>' | '<' => rest = argument(rest).map_or(rest, |(_, rest)| rest),
                '*' => {
                    let Some((count, after)) = argument(rest) else { continue };
                    let Some((inner, after)) = argument(after) else { continue };
                    rest = after;
                    let count = count.trim().parse::<u16>().unwrap_or(1).min(SPAN);
                    for _ in 0..count {
                        self.columns_of(inner, out, depth + 1);
                    }
                }
                other => {
                    if let Some(spec) = self.columns.get(&other).cloned() {
                        self.columns_of(&spec, out, depth + 1);
                        rest = argument(rest).map_or(rest, |(_, rest)| rest);
                    }
                }
            }
        }
        // What stands behind the last column joins nothing.
        if depth == 0
            && let Some(last) = out.last_mut()
        {
            last.glue = None;
        }
    }

    /// `\newcolumntype{Y}{>{\centering}X}`
    pub(super) fn column_type(&mut self, _: &mut Flow) {
        let name = self.gullet.argument();
        let name = self.gullet.pool.source(&name);
        self.gullet.optional();
        let spec = self.gullet.argument();
        let spec = self.gullet.pool.source(&spec);
        if let Some(letter) = name.trim().chars().next().filter(|_| !spec.contains(name.trim())) {
            self.columns.insert(letter, spec);
        }
    }

    /// Reads rows up to their end.
    pub(super) fn grid(&mut self, flow: &mut Flow, end: GridEnd) -> Grid {
        let mut grid = Grid::default();
        let (mut braces, mut inner) = (0_usize, 0_usize);
        let math = std::mem::replace(&mut self.gullet.math, false);
        while let Some(token) = self.gullet.next() {
            let top = braces == 0 && inner == 0;
            match token {
                Token::Ampersand if top => {
                    let cell = std::mem::take(&mut grid.cell);
                    grid.cells.push(cell);
                    continue;
                }
                Token::Control(name) if end == GridEnd::Command(name) => break,
                Token::Control(name) if top => {
                    if self.grid_command(flow, &mut grid, name) {
                        continue;
                    }
                }
                Token::End(name) if inner == 0 => {
                    if end == GridEnd::Environment(name) {
                        break;
                    }
                    if self.open.contains(&name) {
                        self.gullet.back(token);
                        break;
                    }
                }
                Token::End(_) => inner -= 1,
                Token::Begin(_) => inner += 1,
                Token::Open => braces += 1,
                Token::Close => braces = braces.saturating_sub(1),
                Token::Dollar => self.gullet.math = !self.gullet.math,
                Token::Char(_)
                | Token::Space
                | Token::Par
                | Token::Up
                | Token::Down
                | Token::Tie
                | Token::Argument(_)
                | Token::Nested(_)
                | Token::Verbatim(_)
                | Token::Ampersand
                | Token::Control(_) => {}
            }
            grid.cell.push(if token == Token::Par { Token::Space } else { token });
        }
        self.gullet.math = math;
        let blank = |token: &Token| matches!(token, Token::Space | Token::Par);
        if !grid.cells.is_empty() || !grid.cell.iter().all(blank) {
            grid.end_row();
        }
        grid
    }

    /// A command between cells; answers whether it is none of a cell.
    fn grid_command(&mut self, flow: &mut Flow, grid: &mut Grid, name: Name) -> bool {
        let text = self.gullet.pool.text(name);
        match &*text {
            "\\" | "tabularnewline" | "cr" | "tablebreak" | "nl" => {
                self.gullet.star();
                self.line_space();
                grid.end_row();
            }
            "hline" | "toprule" | "midrule" | "bottomrule" | "tableline" | "firsthline" | "lasthline" | "hdashline"
            | "botrule" | "colrule" | "specialrule" | "hhline" | "Xhline" | "thickhline" | "midline" | "topline"
            | "bottomline" => {
                self.drop_arguments(match &*text {
                    "specialrule" => "mmm",
                    "hhline" | "Xhline" => "m",
                    "hline" => "",
                    _ => "o",
                });
                grid.rule();
            }
            "cline" | "rowcolor" | "noalign" | "cellcolor" | "rowstyle" | "arrayrulecolor" | "morecmidrules"
            | "addlinespace" | "cmidrule" | "rowcolors" | "cdashline" | "Cline" => {
                self.drop_arguments(match &*text {
                    "addlinespace" => "o",
                    "morecmidrules" => "",
                    "rowcolors" => "mmm",
                    _ => "o",
                });
                if &*text == "cmidrule" && self.gullet.takes(Token::Char('(')) {
                    while let Some(token) = self.gullet.raw() {
                        if token == Token::Char(')') {
                            break;
                        }
                    }
                }
                if !matches!(&*text, "addlinespace" | "morecmidrules" | "rowcolors") {
                    self.gullet.argument();
                }
            }
            "endfirsthead" | "endhead" | "endfoot" | "endlastfoot" => {
                let kind = match &*text {
                    "endfirsthead" => "first head",
                    "endhead" => "head",
                    "endfoot" => "foot",
                    _ => "last foot",
                };
                if !grid.cells.is_empty() || grid.cell.iter().any(|token| !matches!(token, Token::Space | Token::Par)) {
                    grid.end_row();
                }
                grid.cell.clear();
                grid.parts.push((kind, grid.rows.len()));
            }
            "caption" | "label" | "tablecaption" | "pagebreak" | "newpage" | "clearpage" | "nopagebreak"
            | "centering" | "small" | "footnotesize" | "scriptsize" => {
                self.command(flow, name);
            }
            "cutinhead" | "sidehead" | "sharecaption" => {
                let words = self.gullet.argument();
                if !grid.cells.is_empty() || grid.cell.iter().any(|token| !matches!(token, Token::Space | Token::Par)) {
                    grid.end_row();
                }
                grid.cell = words;
                grid.whole.push(grid.rows.len());
                grid.end_row();
            }
            _ => return false,
        }
        true
    }

    /// A grid as rows; notes are what stands in the foot of a table over several pages.
    pub(super) fn rows(&mut self, grid: Grid, columns: &[Column], head: bool) -> (Vec<Row>, Vec<Vec<Inline>>) {
        let heads = if head { grid.rows.len() } else { head_rows(&grid) };
        let starts: Vec<usize> = std::iter::once(0).chain(grid.parts.iter().map(|(_, at)| *at)).collect();
        let parted = !grid.parts.is_empty();
        let has_first = grid.parts.iter().any(|(kind, _)| *kind == "first head");
        let part = |row: usize| {
            let at = starts.iter().rposition(|start| *start <= row).unwrap_or(0);
            grid.parts.get(at).map_or("body", |(kind, _)| *kind)
        };
        let parts: Vec<&str> = (0..grid.rows.len()).map(part).collect();
        let (mut out, mut notes) = (Vec::new(), Vec::new());
        let whole: std::collections::HashSet<usize> = grid.whole.iter().copied().collect();
        for (at, raw) in grid.rows.into_iter().enumerate() {
            let part = parts.get(at).copied().unwrap_or("body");
            if has_first && part == "head" {
                // The head of the other pages says the same again.
                continue;
            }
            let mut cells: Vec<Cell> = raw.into_iter().map(|tokens| self.cell(tokens)).collect();
            if let (true, Some(cell)) = (whole.contains(&at), cells.first_mut()) {
                cell.columns = u16::try_from(columns.len()).unwrap_or(SPAN).clamp(1, SPAN);
            }
            if cells.iter().all(|cell| cell.content.is_empty()) {
                continue;
            }
            if part == "foot" || part == "last foot" {
                let words: Vec<Inline> = cells.into_iter().flat_map(|cell| cell.content).collect();
                if part == "last foot" || !plain(&words).to_lowercase().contains("continued") {
                    notes.push(words);
                }
                continue;
            }
            let head = if parted { part != "body" } else { at < heads };
            out.push(Row { cells: joined(cells, columns), head });
        }
        reach_down(&mut out);
        (out, notes)
    }

    /// A cell with what it says about its size.
    fn cell(&mut self, tokens: Vec<Token>) -> Cell {
        let mut cell = Cell::default();
        let mut tokens = tokens;
        for _ in 0..4 {
            let start = tokens.iter().take_while(|token| matches!(token, Token::Space)).count();
            let Some(Token::Control(name)) = tokens.get(start).copied() else { break };
            let text = self.gullet.pool.text(name);
            if !matches!(&*text, "multicolumn" | "multirow" | "twocolhead" | "multicol") {
                break;
            }
            let floor = self.gullet.enter(tokens.split_off(start + 1));
            let number = |tokens: Vec<Token>, reader: &mut Self| {
                let text = reader.gullet.pool.source(&tokens);
                text.trim().parse::<i32>().unwrap_or(1).clamp(1, i32::from(SPAN))
            };
            if &*text == "multirow" {
                self.gullet.optional();
                let count = self.gullet.argument();
                cell.rows = u16::try_from(number(count, self)).unwrap_or(1);
                self.gullet.optional();
                self.gullet.argument();
                self.gullet.optional();
            } else if &*text == "twocolhead" {
                cell.columns = 2;
            } else {
                let count = self.gullet.argument();
                cell.columns = u16::try_from(number(count, self)).unwrap_or(1);
                let spec = self.gullet.argument();
                cell.align = self.table_columns(&spec).first().and_then(|column| column.align);
            }
            let mut inner = self.gullet.argument();
            while let Some(token) = self.gullet.raw() {
                inner.push(token);
            }
            self.gullet.leave(floor);
            tokens = inner;
        }
        cell.content = self.inlines(tokens);
        cell
    }

    pub(super) fn loose_multicolumn(&mut self, _: &mut Flow) {
        self.drop_arguments("mm");
    }

    pub(super) fn loose_multirow(&mut self, _: &mut Flow) {
        self.drop_arguments("omomo");
    }

    pub(super) fn rule_command(&mut self, _: &mut Flow) {
        self.drop_arguments("o");
    }

    pub(super) fn no_data(&mut self, flow: &mut Flow) {
        flow.text("…");
    }

    /// Notes a table that is no table.
    pub(super) fn nested_table(&mut self) {
        self.trouble(TroubleKind::NotUnderstood, "a table inside a cell, kept as text");
    }
}

/// How many rows the head has: those between the first rule and the next, or above the only one.
fn head_rows(grid: &Grid) -> usize {
    let rules: Vec<usize> = grid.rules.iter().copied().filter(|at| *at > 0 && *at < grid.rows.len()).collect();
    let first = rules.first().copied().unwrap_or(0);
    if first > HEADS { 0 } else { first }
}

/// Takes out columns that are not printed, and joins those that belong together.
fn joined(cells: Vec<Cell>, columns: &[Column]) -> Vec<Cell> {
    let plain_table = columns.iter().all(|column| column.glue.is_none() && !column.hidden);
    let mut out: Vec<Cell> = Vec::new();
    let (mut at, mut glued) = (0_usize, None::<Vec<Inline>>);
    for mut cell in cells {
        let first = columns.get(at);
        let last = at + usize::from(cell.columns).max(1) - 1;
        cell.align = cell.align.or(first.and_then(|column| column.align));
        if plain_table {
            out.push(cell);
            at = last + 1;
            continue;
        }
        let hidden = cell.columns == 1 && first.is_some_and(|column| column.hidden);
        // Columns inside one cell that are joined, or not printed, count as one, or none.
        let inner = columns.get(at..last).unwrap_or_default().iter().filter(|column| column.glue.is_some()).count();
        let unseen = if cell.columns > 1 {
            columns.get(at..=last).unwrap_or_default().iter().filter(|c| c.hidden).count()
        } else {
            0
        };
        let gone = u16::try_from(inner + unseen).unwrap_or(0);
        cell.columns = cell.columns.saturating_sub(gone).max(1);
        let next_glue = columns.get(last).and_then(|column| column.glue.clone());
        at = last + 1;
        if hidden {
            continue;
        }
        match (glued.take(), out.last_mut()) {
            (Some(glue), Some(before)) => {
                if !cell.content.is_empty() {
                    before.content.extend(glue);
                    before.content.extend(cell.content);
                }
                before.columns = before.columns.saturating_add(cell.columns - 1);
            }
            (_, _) => out.push(cell),
        }
        glued = next_glue;
    }
    out
}

/// Cells under one that reaches down are not there; it reaches as far as they are empty.
fn reach_down(rows: &mut [Row]) {
    for at in 0..rows.len() {
        let Some(row) = rows.get(at) else { continue };
        let mut start = 0_usize;
        let mut reaching = Vec::new();
        for (index, cell) in row.cells.iter().enumerate() {
            if cell.rows > 1 {
                reaching.push((index, start, cell.rows));
            }
            start += usize::from(cell.columns);
        }
        // Cells that are taken out shift what is right of them, so the last comes first.
        for (index, start, wanted) in reaching.into_iter().rev() {
            let mut reached = 1_u16;
            while reached < wanted {
                let Some(below) = rows.get_mut(at + usize::from(reached)) else { break };
                let mut column = 0_usize;
                let found = below.cells.iter().position(|cell| {
                    let here = column;
                    column += usize::from(cell.columns);
                    here == start
                });
                match found.and_then(|found| {
                    below.cells.get(found).map(|cell| (found, cell.content.is_empty() && cell.columns == 1))
                }) {
                    Some((found, true)) => drop(below.cells.remove(found)),
                    Some((_, false)) => break,
                    None => {}
                }
                reached += 1;
            }
            if let Some(cell) = rows.get_mut(at).and_then(|row| row.cells.get_mut(index)) {
                cell.rows = reached;
            }
        }
    }
}

/// What stands in braces at the beginning, or one character, and the rest.
fn argument(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let Some(inner) = text.strip_prefix('{') else {
        let first = text.chars().next()?.len_utf8();
        return text.split_at_checked(first);
    };
    let mut open = 0_usize;
    for (at, c) in inner.char_indices() {
        match c {
            '{' => open += 1,
            '}' if open == 0 => return Some((inner.get(..at)?, inner.get(at + 1..)?)),
            '}' => open -= 1,
            _ => {}
        }
    }
    None
}

fn after_options(text: &str) -> &str {
    text.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(text, |(_, rest)| rest)
}
