//! Floats: figures, tables, listings.

use super::tree::{children, class, find, find_all, find_until, text_of, verbatim};
use super::{DEEPEST, Reader, is_equation, is_tabular};
use crate::papers::parse::document::{Align, Block, Cell, Code, Figure, Image, Inline, Row, Table, tidy};
use scraper::ElementRef;

/// Columns or rows that one cell may reach over.
const SPAN: u16 = 500;

impl Reader {
    /// A float becomes what is in it.
    pub(super) fn float(&mut self, element: ElementRef<'_>, out: &mut Vec<Block>, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let is_float = |inner: ElementRef<'_>| inner.value().name() == "figure";
        let images =
            find_until(element, &|inner| inner.value().name() == "img" || inner.value().name() == "svg", &is_float);
        let listing = find_until(element, &|inner| class(inner, "ltx_listing"), &is_float).into_iter().next();
        let tables = find_until(element, &is_tabular, &|inner| is_float(inner) || is_equation(inner));
        let (label, caption) = self.caption(element);
        let anchor = element.value().id().map(str::to_owned);
        if class(element, "ltx_table") || (images.is_empty() && !tables.is_empty() && listing.is_none()) {
            let mut first = Some((label, caption, anchor));
            for table in tables {
                let rows = self.rows(table);
                let (label, caption, anchor) = first.take().unwrap_or_default();
                out.push(Block::Table(Table { label, caption, rows, anchor, notes: Vec::new() }));
            }
            let panels = self.panels(element, depth);
            match first {
                Some((label, caption, anchor)) if !panels.is_empty() || label.is_some() || !caption.is_empty() => {
                    // A table that is a picture, or whose parts are floats of their own.
                    let images = self.images(&images);
                    out.push(Block::Figure(Figure { label, caption, images, panels, anchor }));
                }
                Some(_) => {}
                None => out.extend(panels.into_iter().map(Block::Figure)),
            }
            return;
        }
        if let Some(listing) = listing.filter(|_| images.is_empty()) {
            out.push(Block::Code(Code { label, caption, anchor, ..self::listing(listing) }));
            return;
        }
        let images = self.images(&images);
        let panels = self.panels(element, depth);
        if images.is_empty() && panels.is_empty() && caption.is_empty() {
            // Text in a box.
            return self.flow(element, out, 1, depth + 1);
        }
        if images.is_empty() && panels.is_empty() {
            self.missing("a figure has no image on the page");
        }
        out.push(Block::Figure(Figure { label, caption, images, panels, anchor }));
    }

    fn panels(&mut self, element: ElementRef<'_>, depth: usize) -> Vec<Figure> {
        let inner = find_all(element, &|inner| inner.value().name() == "figure");
        let mut panels = Vec::new();
        for panel in inner {
            let mut blocks = Vec::new();
            self.float(panel, &mut blocks, depth + 1);
            for block in blocks {
                if let Block::Figure(figure) = block {
                    panels.push(figure);
                }
            }
        }
        panels
    }

    fn images(&mut self, images: &[ElementRef<'_>]) -> Vec<Image> {
        let image = |image: &ElementRef<'_>| {
            let location = image.value().attr("src")?.to_owned();
            // What LaTeXML writes where the source has no words for the image.
            let alternative =
                image.value().attr("alt").filter(|words| *words != "Refer to caption").unwrap_or_default().to_owned();
            Some(Image { location, alternative, place: None })
        };
        images.iter().filter_map(image).collect()
    }

    /// The label and the words of a float's own caption.
    fn caption(&mut self, element: ElementRef<'_>) -> (Option<String>, Vec<Inline>) {
        let is_caption = |inner: ElementRef<'_>| inner.value().name() == "figcaption" || class(inner, "ltx_caption");
        let caption = find_until(element, &is_caption, &|inner| inner.value().name() == "figure").into_iter().next();
        let Some(caption) = caption else { return (None, Vec::new()) };
        let tag = find(caption, &|inner| class(inner, "ltx_tag"));
        let label = tag.map(|tag| text_of(tag).trim().trim_end_matches([':', '.']).trim().to_owned());
        let mut content = Vec::new();
        for node in caption.children() {
            if ElementRef::wrap(node).is_none_or(|child| !class(child, "ltx_tag")) {
                self.inline(node, &mut content, 0);
            }
        }
        (label.filter(|label| !label.is_empty()), tidy(content))
    }

    /// The rows of a tabular; a table inside a cell is read as text of the cell.
    pub(super) fn rows(&mut self, table: ElementRef<'_>) -> Vec<Row> {
        let rows = find_until(table, &|row| row.value().name() == "tr" || class(row, "ltx_tr"), &is_tabular);
        let mut out = Vec::new();
        for row in rows {
            let in_head =
                row.ancestors().filter_map(ElementRef::wrap).take(3).any(|above| above.value().name() == "thead");
            let mut head = in_head;
            let mut cells = Vec::new();
            for cell in
                children(row).filter(|cell| matches!(cell.value().name(), "td" | "th") || class(*cell, "ltx_td"))
            {
                let span = |name: &str| {
                    cell.value().attr(name).and_then(|span| span.parse().ok()).unwrap_or(1u16).clamp(1, SPAN)
                };
                let align = [
                    ("ltx_align_left", Align::Left),
                    ("ltx_align_center", Align::Center),
                    ("ltx_align_right", Align::Right),
                ]
                .into_iter()
                .find_map(|(name, align)| class(cell, name).then_some(align));
                head |= class(cell, "ltx_th_column");
                cells.push(Cell {
                    content: self.inlines_of(cell, 0),
                    columns: span("colspan"),
                    rows: span("rowspan"),
                    align,
                });
            }
            if !cells.is_empty() {
                out.push(Row { cells, head });
            }
        }
        out
    }
}

/// A listing, line by line.
pub(super) fn listing(element: ElementRef<'_>) -> Code {
    let lines = find_all(element, &|line| class(line, "ltx_listingline"));
    let text = if lines.is_empty() {
        verbatim(element)
    } else {
        let line = |line: ElementRef<'_>| verbatim(line).replace('\u{a0}', " ").trim_end().replace('\n', "");
        lines.into_iter().map(line).collect::<Vec<_>>().join("\n")
    };
    let language = element.value().attr("class").and_then(|all| {
        all.split_ascii_whitespace().find_map(|name| name.strip_prefix("ltx_lst_language_")).map(str::to_lowercase)
    });
    Code { language, text, anchor: element.value().id().map(str::to_owned), ..Code::default() }
}
