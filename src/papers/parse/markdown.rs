//! The one writer of the Markdown dialect.
//!
//! CommonMark with pipe tables, footnotes and TeX between `$` and `$$`. What a reader can rely on: YAML front matter with
//! title and authors; `## 2 Title {#S2}` for sections; `$$ … \tag{n} $$` for numbered formulas; a blank between adjacent
//! formulas; `<!-- page 7 -->` where the source has pages; `[@key]` after what a citation prints, with one line for each
//! entry of the reference list; each footnote once. Text of the source never becomes markup: whatever has a meaning in
//! Markdown is escaped here, and only here.

use super::document::{Block, Cell, Document, Equation, Figure, Inline, Notation, Table, plain};
use std::fmt::Write;

/// Nesting beyond which only the words are kept.
const DEEPEST: usize = 40;

/// Prints a document.
#[must_use]
pub fn write(document: &Document) -> String {
    let mut writer = Writer { document, out: String::new() };
    writer.front();
    if !document.front.title.is_empty() {
        let title = writer.line(&document.front.title);
        writer.block(&format!("# {title}"));
    }
    if !document.summary.is_empty() {
        writer.block("## Abstract {#abstract}");
        writer.blocks(&document.summary, 0);
    }
    writer.blocks(&document.body, 0);
    writer.references();
    writer.footnotes();
    writer.out
}

struct Writer<'d> {
    document: &'d Document,
    out: String,
}

impl Writer<'_> {
    fn front(&mut self) {
        let front = &self.document.front;
        let mut lines = Vec::new();
        if !front.title.is_empty() {
            lines.push(format!("title: {}", quoted(&plain(&front.title))));
        }
        if !front.authors.is_empty() {
            lines.push("authors:".to_owned());
            for author in &front.authors {
                lines.push(format!("  - name: {}", quoted(&author.name)));
                if !author.affiliations.is_empty() {
                    let all: Vec<String> = author.affiliations.iter().map(|text| quoted(text)).collect();
                    lines.push(format!("    affiliations: [{}]", all.join(", ")));
                }
            }
        }
        for (name, value) in
            [("doi", &front.doi), ("arxiv", &front.arxiv), ("date", &front.date), ("journal", &front.journal)]
        {
            lines.extend(value.as_ref().map(|value| format!("{name}: {}", quoted(value))));
        }
        if !front.keywords.is_empty() {
            let all: Vec<String> = front.keywords.iter().map(|word| quoted(word)).collect();
            lines.push(format!("keywords: [{}]", all.join(", ")));
        }
        if !lines.is_empty() {
            let _ = writeln!(self.out, "---\n{}\n---", lines.join("\n"));
        }
    }

    /// A block, with a blank line before it.
    fn block(&mut self, text: &str) {
        if text.trim().is_empty() {
            return;
        }
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    fn blocks(&mut self, blocks: &[Block], depth: usize) {
        for block in blocks {
            let text = self.print(block, depth);
            self.block(&text);
        }
    }

    /// Blocks inside another one, as text.
    fn inner(&self, blocks: &[Block], depth: usize) -> String {
        let mut writer = Writer { document: self.document, out: String::new() };
        writer.blocks(blocks, depth + 1);
        writer.out
    }

    fn print(&self, block: &Block, depth: usize) -> String {
        if depth > DEEPEST {
            return String::new();
        }
        match block {
            Block::Heading(heading) => {
                let level = "#".repeat(usize::from(heading.level.clamp(1, 5)) + 1);
                let number = heading.number.as_ref().map(|number| format!("{} ", escaped(number))).unwrap_or_default();
                let anchor =
                    heading.anchor.as_deref().and_then(anchor).map(|id| format!(" {{#{id}}}")).unwrap_or_default();
                format!("{level} {number}{}{anchor}", self.line(&heading.content))
            }
            Block::Paragraph(content) => guarded(&self.line(content)),
            Block::Equation(equation) => print_equation(equation),
            Block::List(list) => {
                let mut number = list.start.unwrap_or(1);
                let mut out = String::new();
                for item in &list.items {
                    let mark = match list.start {
                        Some(_) => format!("{number}. "),
                        None => "- ".to_owned(),
                    };
                    number = number.saturating_add(1);
                    out.push_str(&indented(&self.inner(item, depth), &mark));
                }
                out
            }
            Block::Quote(blocks) => prefixed(&self.inner(blocks, depth), "> "),
            Block::Code(code) => {
                let fence = "`".repeat(longest_run(&code.text, '`').max(2) + 1);
                let language = code.language.as_deref().filter(|name| name.chars().all(|c| c.is_ascii_alphanumeric()));
                let mut out = anchor_line(code.anchor.as_deref());
                let _ = writeln!(out, "{fence}{}\n{}\n{fence}", language.unwrap_or(""), code.text.trim_end());
                self.caption(&mut out, code.label.as_deref(), &code.caption);
                out
            }
            Block::Table(table) => self.table(table),
            Block::Figure(figure) => self.figure(figure, depth),
            Block::Statement(statement) => {
                let mut out = anchor_line(statement.anchor.as_deref());
                let title = self.line(&statement.title);
                if !title.is_empty() {
                    let _ = writeln!(out, "**{}**\n", title.trim_end_matches(['.', ' ']));
                }
                out.push_str(&self.inner(&statement.content, depth));
                prefixed(&out, "> ")
            }
            Block::Page(page) => format!("<!-- page {page} -->"),
            Block::Source(source) => {
                let fence = "`".repeat(longest_run(source, '`').max(2) + 1);
                format!("{fence}tex\n{}\n{fence}", source.trim_end())
            }
        }
    }

    fn figure(&self, figure: &Figure, depth: usize) -> String {
        let mut out = anchor_line(figure.anchor.as_deref());
        let label = figure.label.as_deref().unwrap_or("Figure");
        for image in &figure.images {
            let words = match image.alternative.trim() {
                "" => escaped(label),
                words => format!("{}: {}", escaped(label), escaped(words)),
            };
            let _ = writeln!(out, "![{words}](<{}>)\n", image.location.replace(['<', '>', '\n', '\r'], ""));
        }
        if depth < DEEPEST {
            for panel in &figure.panels {
                let _ = writeln!(out, "{}\n", self.figure(panel, depth + 1).trim_end());
            }
        }
        self.caption(&mut out, figure.label.as_deref(), &figure.caption);
        out
    }

    fn caption(&self, out: &mut String, label: Option<&str>, caption: &[Inline]) {
        let words = self.line(caption);
        match label {
            Some(label) => {
                let _ = writeln!(out, "\n**{}.** {words}", escaped(label));
            }
            None if !words.is_empty() => {
                let _ = writeln!(out, "\n{}", guarded(&words));
            }
            None => {}
        }
    }

    fn table(&self, table: &Table) -> String {
        let mut out = anchor_line(table.anchor.as_deref());
        self.caption(&mut out, table.label.as_deref(), &table.caption);
        let spans = table.rows.iter().flat_map(|row| &row.cells).any(|cell| cell.columns > 1 || cell.rows > 1);
        let heads = table.rows.iter().take_while(|row| row.head).count();
        if !table.rows.is_empty() {
            out.push('\n');
            out.push_str(&if spans || heads > 1 { self.html_table(table) } else { self.pipe_table(table, heads) });
        }
        for note in &table.notes {
            let _ = writeln!(out, "\n{}", guarded(&self.line(note)));
        }
        out
    }

    fn pipe_table(&self, table: &Table, heads: usize) -> String {
        let width = table.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0).max(1);
        let row = |cells: &[Cell]| {
            let mut line = String::from("|");
            for at in 0..width {
                // Escaped pipes are read back before anything else is, so this holds for mathematics too.
                let text = cells.get(at).map(|cell| self.line(&cell.content).replace('|', "\\|")).unwrap_or_default();
                let _ = write!(line, " {text} |");
            }
            line.push('\n');
            line
        };
        let (head, body) = table.rows.split_at(heads);
        let mut out = row(head.first().map_or(&[], |row| row.cells.as_slice()));
        out.push_str(&format!("|{}\n", " --- |".repeat(width)));
        body.iter().for_each(|cells| out.push_str(&row(&cells.cells)));
        out
    }

    fn html_table(&self, table: &Table) -> String {
        let mut out = String::from("<table>\n");
        for row in &table.rows {
            out.push_str("<tr>");
            for cell in &row.cells {
                let name = if row.head { "th" } else { "td" };
                let _ = write!(out, "<{name}");
                if cell.columns > 1 {
                    let _ = write!(out, " colspan=\"{}\"", cell.columns);
                }
                if cell.rows > 1 {
                    let _ = write!(out, " rowspan=\"{}\"", cell.rows);
                }
                let _ = write!(out, ">{}</{name}>", html(&cell.content));
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</table>");
        out
    }

    fn references(&mut self) {
        if self.document.references.is_empty() {
            return;
        }
        self.block("## References {#references}");
        for reference in &self.document.references {
            let key = anchor(&reference.key).map(|key| format!("<a id=\"{key}\"></a>")).unwrap_or_default();
            let label = reference.label.as_ref().map(|label| format!("\\[{}\\] ", escaped(label))).unwrap_or_default();
            let text = format!("- {key}{label}{}", self.line(&reference.content));
            self.block(&text);
        }
    }

    fn footnotes(&mut self) {
        for (at, note) in self.document.footnotes.iter().enumerate() {
            let text = format!("[^{}]: {}", at + 1, self.line(note));
            self.block(&text);
        }
    }

    /// Inlines on one line.
    fn line(&self, content: &[Inline]) -> String {
        let mut out = String::new();
        self.inlines(content, &mut out, 0);
        out.trim().to_owned()
    }

    fn inlines(&self, content: &[Inline], out: &mut String, depth: usize) {
        if depth > DEEPEST {
            out.push_str(&escaped(&plain(content)));
            return;
        }
        for inline in content {
            match inline {
                Inline::Text(text) => {
                    let text = escaped(text);
                    // One blank between two pieces of text, whoever brought it.
                    out.push_str(if out.ends_with(' ') { text.trim_start() } else { &text });
                }
                Inline::Math(tex) => math(tex, out),
                Inline::Emphasis(inner) => self.marked(inner, "*", out, depth),
                Inline::Strong(inner) => self.marked(inner, "**", out, depth),
                Inline::Superscript(inner) => self.tagged(inner, "sup", out, depth),
                Inline::Subscript(inner) => self.tagged(inner, "sub", out, depth),
                Inline::Code(code) | Inline::Source(code) => code_span(code, out),
                Inline::Link { target, content } => match safe(target) {
                    Some(target) => {
                        out.push('[');
                        self.inlines(content, out, depth + 1);
                        let _ = write!(out, "](<{target}>)");
                    }
                    None => self.inlines(content, out, depth + 1),
                },
                Inline::Reference { anchor: to, content } => match anchor(to) {
                    Some(to) => {
                        out.push('[');
                        self.inlines(content, out, depth + 1);
                        let _ = write!(out, "](#{to})");
                    }
                    None => self.inlines(content, out, depth + 1),
                },
                Inline::Citation { keys, content } => {
                    self.inlines(content, out, depth + 1);
                    let keys: Vec<String> =
                        keys.iter().filter_map(|key| anchor(key)).map(|key| format!("@{key}")).collect();
                    if !keys.is_empty() {
                        let _ = write!(out, " [{}]", keys.join("; "));
                    }
                }
                Inline::Footnote(at) => {
                    let _ = write!(out, "[^{}]", at + 1);
                }
                Inline::Break => out.push(' '),
                Inline::Anchor(id) => {
                    if let Some(id) = anchor(id) {
                        let _ = write!(out, "<a id=\"{id}\"></a>");
                    }
                }
            }
        }
    }

    /// Emphasis holds only if its marks touch words.
    fn marked(&self, inner: &[Inline], mark: &str, out: &mut String, depth: usize) {
        let mut text = String::new();
        self.inlines(inner, &mut text, depth + 1);
        let words = text.trim();
        if words.is_empty() {
            out.push_str(&text);
            return;
        }
        let (before, after) = (text.starts_with(' '), text.ends_with(' '));
        // Marks against letters or other marks would not count: then the words stand without.
        let touches = out.chars().last().is_some_and(|c| c.is_alphanumeric() || c == '*');
        out.push_str(if before { " " } else { "" });
        if touches && !before {
            out.push_str(words);
        } else {
            let _ = write!(out, "{mark}{words}{mark}");
        }
        out.push_str(if after { " " } else { "" });
    }

    fn tagged(&self, inner: &[Inline], tag: &str, out: &mut String, depth: usize) {
        let _ = write!(out, "<{tag}>");
        self.inlines(inner, out, depth + 1);
        let _ = write!(out, "</{tag}>");
    }
}

fn print_equation(equation: &Equation) -> String {
    let mut out = anchor_line(equation.anchor.as_deref());
    let text = equation.text.split_whitespace().collect::<Vec<_>>().join(" ");
    match equation.notation {
        Notation::Tex if is_printable(&text) => {
            let tag = equation.number.as_ref().map(|number| format!(" \\tag{{{number}}}")).unwrap_or_default();
            let _ = write!(out, "$$\n{text}{tag}\n$$");
        }
        Notation::Tex | Notation::Linear => {
            let number = equation.number.as_ref().map(|number| format!(" ({})", escaped(number))).unwrap_or_default();
            let _ = write!(out, "{}{number}", guarded(&escaped(&text)));
        }
    }
    out
}

fn math(tex: &str, out: &mut String) {
    let tex = tex.split_whitespace().collect::<Vec<_>>().join(" ");
    if tex.is_empty() {
        return;
    }
    if !is_printable(&tex) {
        return code_span(&tex, out);
    }
    // `$a$$b$` would be something else, and a digit behind a dollar sign is money.
    if out.ends_with('$') {
        out.push(' ');
    }
    let _ = write!(out, "${tex}$");
}

/// Whether TeX can stand between dollar signs: without any of its own, and with its braces in pairs, as readers demand.
fn is_printable(tex: &str) -> bool {
    let (mut open, mut escaped) = (0_i32, false);
    for c in tex.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '$' => return false,
            '{' => open += 1,
            '}' if open == 0 => return false,
            '}' => open -= 1,
            _ => {}
        }
    }
    open == 0 && !escaped
}

fn code_span(code: &str, out: &mut String) {
    let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
    if code.is_empty() {
        return;
    }
    if out.ends_with('`') {
        out.push(' ');
    }
    let mark = "`".repeat(longest_run(&code, '`') + 1);
    let pad = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
    let _ = write!(out, "{mark}{pad}{code}{pad}{mark}");
}

/// Text in which nothing is markup; white space is one blank.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut blank = false;
    for c in text.chars() {
        if c.is_whitespace() {
            if !blank {
                out.push(' ');
            }
            blank = true;
            continue;
        }
        blank = false;
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '$' | '~' | '&' | '^' | '{' | '}' | '#' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// A line that cannot be taken for a heading, a list, a quotation or a rule.
fn guarded(line: &str) -> String {
    let start = line.trim_start();
    let digits = start.chars().take_while(char::is_ascii_digit).count();
    let after = start[digits..].chars().next();
    if digits > 0 && digits < 10 && matches!(after, Some('.' | ')')) {
        return format!("{}\\{}", &start[..digits], &start[digits..]);
    }
    if start.starts_with(['#', '-', '+', '=', '|', ':']) { format!("\\{start}") } else { start.to_owned() }
}

/// Inlines as HTML, for tables that Markdown cannot write.
fn html(content: &[Inline]) -> String {
    let mut out = String::new();
    for inline in content {
        match inline {
            Inline::Math(tex) => {
                let _ = write!(out, "${}$", html_escaped(&tex.split_whitespace().collect::<Vec<_>>().join(" ")));
            }
            Inline::Emphasis(inner) => {
                let _ = write!(out, "<em>{}</em>", html_escaped(&plain(inner)));
            }
            Inline::Strong(inner) => {
                let _ = write!(out, "<strong>{}</strong>", html_escaped(&plain(inner)));
            }
            Inline::Superscript(inner) => {
                let _ = write!(out, "<sup>{}</sup>", html_escaped(&plain(inner)));
            }
            Inline::Subscript(inner) => {
                let _ = write!(out, "<sub>{}</sub>", html_escaped(&plain(inner)));
            }
            Inline::Text(_)
            | Inline::Code(_)
            | Inline::Source(_)
            | Inline::Link { .. }
            | Inline::Reference { .. }
            | Inline::Citation { .. }
            | Inline::Footnote(_)
            | Inline::Break
            | Inline::Anchor(_) => out.push_str(&html_escaped(&plain(std::slice::from_ref(inline)))),
        }
    }
    out.trim().to_owned()
}

fn html_escaped(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// An anchor that needs no escaping anywhere.
fn anchor(id: &str) -> Option<String> {
    let id: String =
        id.chars().map(|c| if c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':') { c } else { '-' }).collect();
    (!id.is_empty()).then_some(id)
}

fn anchor_line(id: Option<&str>) -> String {
    id.and_then(anchor).map(|id| format!("<a id=\"{id}\"></a>\n\n")).unwrap_or_default()
}

/// An address that a reader may follow.
fn safe(target: &str) -> Option<String> {
    let target: String = target.chars().filter(|c| !c.is_control() && !matches!(c, '<' | '>' | '\\')).collect();
    let target = target.trim().replace(' ', "%20");
    let scheme = target.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    matches!(scheme.as_deref(), Some("http" | "https" | "mailto" | "doi")).then_some(target)
}

fn quoted(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn longest_run(text: &str, of: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == of { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn indented(text: &str, mark: &str) -> String {
    let pad = " ".repeat(mark.len());
    let mut out = String::new();
    for (at, line) in text.trim_end().lines().enumerate() {
        match (at, line.is_empty()) {
            (0, _) => out.push_str(mark),
            (_, true) => {}
            (_, false) => out.push_str(&pad),
        }
        out.push_str(line);
        out.push('\n');
    }
    if out.is_empty() {
        out.push_str(mark.trim_end());
        out.push('\n');
    }
    out
}

fn prefixed(text: &str, prefix: &str) -> String {
    text.trim_end().lines().map(|line| format!("{prefix}{line}\n")).collect()
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
