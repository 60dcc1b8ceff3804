//! The HTML of a table's body.

use super::inline::{Form, inlines, tidy};
use crate::papers::parse::document::{Align, Cell, Inline, Row};
use scraper::{ElementRef, Html, Node};

/// A node of the parsed table.
type NodeRef<'a> = <ElementRef<'a> as std::ops::Deref>::Target;

/// Elements inside a cell that are still read as what they are.
const DEEPEST: usize = 20;
/// Columns or rows that one cell may reach over.
const SPAN: u16 = 500;

/// The rows of the first table in the HTML.
///
/// MinerU marks no head, and a data table of a paper has one: without any `th` or `thead` the first row, together with
/// those that its cells reach down into, is taken for the head when a row is left below it.
pub(super) fn rows(html: &str) -> Vec<Row> {
    let page = Html::parse_fragment(html);
    let elements = || page.root_element().descendants().filter_map(ElementRef::wrap);
    let Some(table) = elements().find(|element| element.value().name() == "table") else { return Vec::new() };
    let mine = |row: &ElementRef<'_>| {
        let above = row.ancestors().filter_map(ElementRef::wrap).find(|above| above.value().name() == "table");
        above.is_some_and(|above| above.id() == table.id())
    };
    let mut rows = Vec::new();
    for row in table.descendants().filter_map(ElementRef::wrap).filter(|row| row.value().name() == "tr") {
        // Ancestors are looked at for nested tables alone, so a flat table costs a step or two for each row.
        if !mine(&row) {
            continue;
        }
        let in_head = row.parent().and_then(ElementRef::wrap).is_some_and(|above| above.value().name() == "thead");
        let cells: Vec<ElementRef<'_>> = row
            .children()
            .filter_map(ElementRef::wrap)
            .filter(|cell| matches!(cell.value().name(), "td" | "th"))
            .collect();
        if !cells.is_empty() {
            let head = in_head || cells.iter().all(|cell| cell.value().name() == "th");
            rows.push(Row { cells: cells.into_iter().map(cell).collect(), head });
        }
    }
    take_head(&mut rows);
    rows
}

fn take_head(rows: &mut [Row]) {
    if rows.iter().any(|row| row.head) {
        return;
    }
    let deep = rows.first().and_then(|first| first.cells.iter().map(|cell| cell.rows).max()).unwrap_or(0);
    let deep = usize::from(deep);
    if deep < rows.len() {
        rows.iter_mut().take(deep).for_each(|row| row.head = true);
    }
}

fn cell(element: ElementRef<'_>) -> Cell {
    let span = |name: &str| {
        element.value().attr(name).and_then(|span| span.trim().parse().ok()).unwrap_or(1u16).clamp(1, SPAN)
    };
    let style = element.value().attr("style").unwrap_or_default().replace(' ', "").to_ascii_lowercase();
    let align =
        [("text-align:left", Align::Left), ("text-align:center", Align::Center), ("text-align:right", Align::Right)]
            .into_iter()
            .find_map(|(name, align)| style.contains(name).then_some(align));
    let mut content = Vec::new();
    for node in element.children() {
        inline(node, &mut content, 0);
    }
    Cell { content: tidy(content), columns: span("colspan"), rows: span("rowspan"), align }
}

fn inline(node: NodeRef<'_>, out: &mut Vec<Inline>, depth: usize) {
    let element = match node.value() {
        Node::Text(text) => {
            let words: &str = text;
            // The ends are blanks between this piece and its neighbours.
            let (before, after) = (words.starts_with(char::is_whitespace), words.ends_with(char::is_whitespace));
            out.extend(before.then(|| Inline::text(" ")));
            out.extend(inlines(words, Form::Markdown));
            out.extend((after && !words.trim().is_empty()).then(|| Inline::text(" ")));
            return;
        }
        Node::Element(_) => ElementRef::wrap(node),
        Node::Document | Node::Fragment | Node::Doctype(_) | Node::Comment(_) | Node::ProcessingInstruction(_) => None,
    };
    let Some(element) = element else { return };
    let name = element.value().name();
    if name == "br" {
        out.push(Inline::Break);
        return;
    }
    if depth >= DEEPEST {
        out.push(Inline::text(element.text().collect::<String>()));
        return;
    }
    if matches!(name, "eq" | "math") {
        let tex = element.text().collect::<String>().trim().trim_matches('$').trim().to_owned();
        out.push(Inline::Math(tex));
        return;
    }
    let mut inner = Vec::new();
    for child in element.children() {
        inline(child, &mut inner, depth + 1);
    }
    match name {
        "sup" => out.push(Inline::Superscript(tidy(inner))),
        "sub" => out.push(Inline::Subscript(tidy(inner))),
        "b" | "strong" => out.push(Inline::Strong(tidy(inner))),
        "i" | "em" => out.push(Inline::Emphasis(tidy(inner))),
        "script" | "style" => {}
        // Pieces of a list, a paragraph or a table inside the cell stay apart.
        "p" | "div" | "li" | "tr" | "td" | "th" => {
            out.push(Inline::text(" "));
            out.append(&mut inner);
            out.push(Inline::text(" "));
        }
        _ => out.append(&mut inner),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::parse::document::plain;

    fn words(rows: &[Row]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.cells.iter().map(|cell| plain(&cell.content)).collect()).collect()
    }

    #[test]
    fn spans_formulas_and_the_head_are_read() {
        let rows = rows(
            "<html><body><table><tr><td rowspan=2>Star</td><td colspan=\"2\">$V$ mag</td></tr>\
             <tr><td>min</td><td>max</td></tr><tr><td>R<sup>2</sup> &lt; 1</td><td>1</td><td style=\"text-align: right\">2<br>3</td></tr></table></body></html>",
        );
        assert_eq!(
            words(&rows),
            [
                vec!["Star".to_owned(), "V mag".to_owned()],
                vec!["min".to_owned(), "max".to_owned()],
                vec!["R2 < 1".to_owned(), "1".to_owned(), "2 3".to_owned()],
            ]
        );
        assert_eq!(rows.iter().map(|row| row.head).collect::<Vec<_>>(), [true, true, false]);
        assert_eq!((rows[0].cells[0].rows, rows[0].cells[1].columns), (2, 2));
        assert_eq!(rows[0].cells[1].content[0], Inline::Math("V".into()));
        assert_eq!(rows[2].cells[2].align, Some(Align::Right));
    }

    #[test]
    fn a_table_inside_a_cell_is_words_of_the_cell() {
        let rows =
            rows("<table><tr><td>a<table><tr><td>b</td><td>c</td></tr></table></td></tr><tr><td>d</td></tr></table>");
        assert_eq!(words(&rows), [vec!["a b c".to_owned()], vec!["d".to_owned()]]);
    }

    #[test]
    fn what_is_no_table_has_no_rows() {
        assert!(rows("no table").is_empty());
        assert!(rows("<table><tr></tr></table>").is_empty());
        let deep = format!("{}x{}", "<table><tr><td>".repeat(500), "</td></tr></table>".repeat(500));
        assert_eq!(rows(&deep).len(), 1);
        assert_eq!(rows("<table><tr><td colspan=99999 rowspan=-1>x").first().unwrap().cells[0].columns, 1);
    }
}
