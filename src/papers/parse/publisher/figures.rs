//! Floats: figures and tables with their captions.

use super::outline::{is_chrome, is_float};
use super::tree::{any_class, attr, children, find, find_all, find_until, key, name, squeezed, text_until};
use super::{DEEPEST, Reader, formulas, lines};
use crate::papers::parse::document::{Align, Block, Cell, Figure, Image, Inline, Row, Table, TroubleKind, plain};
use scraper::ElementRef;

/// Columns or rows that one cell may reach over.
const SPAN: u16 = 500;

/// Classes of captions and of the labels that some publishers keep beside them.
const CAPTIONS: [&str; 30] = [
    "caption",
    "fig-caption",
    "figcaption",
    "figure-caption",
    "figure__caption",
    "figure-description",
    "captioned-asset__caption",
    "c-article-section__figure-description",
    "c-article-table__caption",
    "NLM_caption",
    "hlFld-FigureCaption",
    "img-txt",
    "fig-legend",
    "fig-label",
    "figure-label",
    "table-label",
    "label",
    "table-caption",
    "table-wrap-title",
    "tableCaption",
    "html-caption",
    "html-fig_description",
    "html-table_wrap_discription",
    "articleTableCaption",
    "asset-viewer-inline__header_text__prominent",
    "captions",
    "tbl-caption",
    "legend",
    "figure-legend",
    "fig-title",
];

const NOTES: [&str; 14] = [
    "table-wrap-foot",
    "table-foot",
    "tablefoot",
    "table-footnotes",
    "tableFootnotes",
    "table-notes",
    "tableNotes",
    "tfoot",
    "fn-group",
    "footnotes",
    "NLM_table-wrap-foot",
    "c-article-table-footer",
    "html-table_foot",
    "table-fn",
];

fn is_caption(element: ElementRef<'_>) -> bool {
    matches!(name(element), "figcaption" | "caption") || any_class(element, &CAPTIONS)
}

impl<'a> Reader<'a> {
    /// A float becomes what is in it.
    pub(super) fn float(&mut self, element: ElementRef<'a>, out: &mut Vec<Block>, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let is_closed = |inner: ElementRef<'a>| is_float(inner) || formulas::is_display(inner) || is_chrome(inner);
        let tables = find_until(element, &|inner| name(inner) == "table", &is_closed);
        let tables: Vec<_> = tables.into_iter().filter(|table| is_data(*table)).collect();
        if !tables.is_empty() {
            return self.table_float(element, out, depth);
        }
        let loose = std::mem::take(&mut self.loose);
        match self.figure(element, out, depth) {
            Some(figure) => out.push(Block::Figure(figure)),
            None => {
                self.loose = loose;
                self.anchored(element);
                return self.flow(element, out, depth + 1);
            }
        }
        self.loose = loose;
    }

    fn figure(&mut self, element: ElementRef<'a>, out: &mut Vec<Block>, depth: usize) -> Option<Figure> {
        let is_closed = |inner: ElementRef<'a>| is_float(inner) || is_chrome(inner);
        let wanted = |inner: ElementRef<'a>| name(inner) == "img" && !formulas::is_formula_image(inner);
        let images = find_until(element, &wanted, &is_closed);
        let mut images: Vec<Image> = images.into_iter().filter_map(image).collect();
        if images.is_empty() {
            let poster = find_until(element, &|inner| name(inner) == "video", &is_closed).into_iter();
            images.extend(
                poster.filter_map(|video| {
                    Some(Image { location: attr(video, "poster")?.to_owned(), ..Image::default() })
                }),
            );
        }
        let captions = find_until(element, &|inner| is_caption(inner) && !is_chrome(inner), &is_closed);
        let mut caption = self.caption(&captions, depth);
        let inner = find_until(element, &is_float, &is_chrome);
        if captions.is_empty() && inner.is_empty() {
            let paragraphs = find_until(element, &|inner| name(inner) == "p" && !is_chrome(inner), &is_closed);
            caption = self.caption(&paragraphs, depth);
        }
        let mut label = split_label(&mut caption);
        if images.is_empty() && label.is_none() && (caption.is_empty() || inner.is_empty()) {
            // Text in a box, or a frame around other floats. Nothing below was read yet: reading it twice on each of many
            // levels would never end.
            return None;
        }
        let mut anchor = self.anchor_of(element);
        let mut panels = Vec::new();
        for inner in inner {
            let mut blocks = Vec::new();
            self.float(inner, &mut blocks, depth + 1);
            for block in blocks {
                if let Block::Figure(figure) = block { panels.push(figure) } else { out.push(block) }
            }
        }
        // A frame around a figure, or images in frames of their own, are no panels.
        let is_bare = |panel: &Figure| panel.label.is_none() && panel.caption.is_empty() && panel.panels.is_empty();
        if images.is_empty()
            && caption.is_empty()
            && panels.len() == 1
            && let Some(inner) = panels.pop()
        {
            label = inner.label.or(label);
            anchor = self.better(anchor, inner.anchor);
            (images, caption, panels) = (inner.images, inner.caption, inner.panels);
        } else if panels.iter().all(is_bare) {
            images.extend(panels.drain(..).flat_map(|panel| panel.images));
        }
        for image in &mut images {
            // A text that only repeats the label says nothing.
            if label.as_ref().is_some_and(|label| squeezed(label) == squeezed(&image.alternative)) {
                image.alternative.clear();
            }
        }
        let mut known = std::collections::HashSet::new();
        images.retain(|image| known.insert(image.location.clone()));
        if images.is_empty() && panels.is_empty() {
            let what = match label.as_deref() {
                Some(label) if label.to_lowercase().starts_with("table") => "a table is not on the page itself",
                Some(_) | None => "a figure has no image on the page",
            };
            self.document.trouble(TroubleKind::Missing, what);
        } else if label.as_deref().is_some_and(|label| label.to_lowercase().starts_with("table")) {
            self.document.trouble(TroubleKind::Missing, "a table is an image");
        }
        Some(Figure { label, caption, images, panels, anchor })
    }

    fn caption(&mut self, parts: &[ElementRef<'a>], depth: usize) -> Vec<Inline> {
        let mut content = Vec::new();
        for part in parts {
            let inner = self.inlines_of(*part, depth + 1);
            // `Fig. 1` in a box of its own still ends where the words begin.
            let is_open = content.last().is_some_and(|last| !matches!(last, Inline::Text(text) if text.ends_with(' ')));
            if is_open && !inner.is_empty() {
                content.push(Inline::text(" "));
            }
            content.extend(inner);
        }
        // Images in a caption are those of the figure.
        self.loose.clear();
        lines::tidy(content)
    }

    fn table_float(&mut self, element: ElementRef<'a>, out: &mut Vec<Block>, depth: usize) {
        let wanted = |inner: ElementRef<'a>| {
            !is_chrome(inner)
                && (matches!(name(inner), "table" | "p" | "img" | "ul" | "ol" | "dl")
                    || is_caption(inner)
                    || any_class(inner, &NOTES))
        };
        let parts = find_until(element, &wanted, &is_chrome);
        let (mut before, mut captions, mut notes, mut tables) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            let is_table = name(part) == "table" && is_data(part);
            if is_table {
                captions.extend(children(part).filter(|child| name(*child) == "caption"));
                tables.push(part);
            } else if is_caption(part) {
                captions.push(part);
            } else if tables.is_empty() && name(part) != "img" {
                before.push(part);
            } else {
                notes.push(part);
            }
        }
        let is_titled = captions.iter().any(|part| text_until(*part, 40, &|_| false).len() > 12);
        let mut caption = if is_titled {
            self.caption(&captions, depth)
        } else {
            captions.extend(before);
            self.caption(&captions, depth)
        };
        let label = split_label(&mut caption);
        let mut first = Some((label, caption, self.anchor_of(element)));
        let from = out.len();
        for table in tables {
            let (label, caption, anchor) = first.take().unwrap_or_default();
            let anchor = anchor.or_else(|| self.anchor_of(table));
            let (rows, notes) = self.rows(table, depth);
            out.push(Block::Table(Table { label, caption, rows, notes, anchor }));
        }
        let mut below = Vec::new();
        for part in notes {
            self.notes_of(part, &mut below, depth);
        }
        if let Some(Block::Table(last)) = out.get_mut(from..).and_then(<[Block]>::last_mut) {
            last.notes.extend(below);
        }
        self.pictures(out);
    }

    /// The notes in an element, one for each line of its own.
    fn notes_of(&mut self, part: ElementRef<'a>, out: &mut Vec<Vec<Inline>>, depth: usize) {
        let is_line =
            |inner: ElementRef<'a>| matches!(name(inner), "p" | "li" | "dd") || any_class(inner, &["fn", "footnote"]);
        let lines = if name(part) == "p" { Vec::new() } else { find_all(part, &is_line) };
        for line in if lines.is_empty() { vec![part] } else { lines } {
            let mut content = self.inlines_of(line, depth + 1);
            let anchor = line.value().id().filter(|id| self.survey.targets.contains(*id));
            if let Some(anchor) = anchor {
                content.insert(0, Inline::Anchor(anchor.to_owned()));
            }
            if !plain(&content).trim().is_empty() {
                out.push(content);
            }
        }
    }

    /// A table that stands alone.
    pub(super) fn bare_table(&mut self, table: ElementRef<'a>, out: &mut Vec<Block>, depth: usize) {
        if !is_data(table) {
            return self.flow(table, out, depth + 1);
        }
        let captions: Vec<_> = children(table).filter(|child| name(*child) == "caption").collect();
        let mut caption = self.caption(&captions, depth);
        let mut label = split_label(&mut caption);
        // Its caption may be the line above.
        if caption.is_empty()
            && let Some(Block::Paragraph(above)) = out.last()
            && plain(above).len() < 600
        {
            let mut above = above.clone();
            label = split_label(&mut above).filter(|label| label.to_lowercase().starts_with("table"));
            if label.is_some() {
                caption = above;
                out.pop();
            }
        }
        let anchor = self.anchor_of(table);
        let (rows, notes) = self.rows(table, depth);
        if !rows.is_empty() {
            out.push(Block::Table(Table { label, caption, rows, notes, anchor }));
        }
        self.pictures(out);
    }

    /// The rows of a table and the notes in its foot. A table inside a cell is read as text of the cell.
    fn rows(&mut self, table: ElementRef<'a>, depth: usize) -> (Vec<Row>, Vec<Vec<Inline>>) {
        let lines = find_until(table, &|row| name(row) == "tr", &|inner| name(inner) == "td");
        let (mut out, mut notes) = (Vec::new(), Vec::new());
        let mut is_body = false;
        for row in lines {
            let above = row.ancestors().take(3).filter_map(ElementRef::wrap).map(name);
            let (mut in_head, mut in_foot) = (false, false);
            for name in above {
                in_head |= name == "thead";
                in_foot |= name == "tfoot";
            }
            let cells: Vec<_> = children(row).filter(|cell| matches!(name(*cell), "td" | "th")).collect();
            let all_heads = !cells.is_empty() && cells.iter().all(|cell| name(*cell) == "th");
            let head = in_head || (all_heads && !is_body);
            is_body |= !head;
            let cells: Vec<Cell> = cells.into_iter().map(|cell| self.cell(cell, depth)).collect();
            match cells.as_slice() {
                [] => {}
                [only] if in_foot => notes.push(only.content.clone()),
                _ => out.push(Row { cells, head }),
            }
        }
        (out, notes)
    }

    fn cell(&mut self, cell: ElementRef<'a>, depth: usize) -> Cell {
        let span = |name: &str| attr(cell, name).and_then(|span| span.parse().ok()).unwrap_or(1u16).clamp(1, SPAN);
        let style = attr(cell, "style").unwrap_or_default();
        let said = attr(cell, "align").or_else(|| Some(style.split_once("text-align:")?.1.split(';').next()?.trim()));
        let align = match said {
            Some("left") => Some(Align::Left),
            Some("center") => Some(Align::Center),
            Some("right") => Some(Align::Right),
            Some(_) | None => None,
        };
        Cell { content: self.inlines_of(cell, depth + 1), columns: span("colspan"), rows: span("rowspan"), align }
    }

    /// Images that stood in lines become figures of their own.
    pub(super) fn pictures(&mut self, out: &mut Vec<Block>) {
        for loose in std::mem::take(&mut self.loose) {
            if let Some(image) = image(loose)
                && self.shown.insert(key(loose))
            {
                out.push(Block::Figure(Figure { images: vec![image], ..Figure::default() }));
            }
        }
    }

    /// The anchor of a float: one that something leads to, if there is a choice.
    pub(super) fn anchor_of(&mut self, element: ElementRef<'a>) -> Option<String> {
        let inner = find(element, &|inner| {
            (inner.value().id().is_some() || name(inner) == "a" && attr(inner, "name").is_some())
                && inner.value().id().or(attr(inner, "name")).is_some_and(|id| self.survey.targets.contains(id))
        });
        let inner = inner.and_then(|inner| inner.value().id().or(attr(inner, "name"))).map(str::to_owned);
        let own = element.value().id().map(str::to_owned);
        let waiting = self.anchor.take();
        let own = self.better(own, waiting);
        self.better(own, inner)
    }

    /// Of two anchors the one that something leads to.
    pub(super) fn better(&self, first: Option<String>, second: Option<String>) -> Option<String> {
        match (first, second) {
            (Some(first), Some(second)) => {
                let is_wanted = |anchor: &str| self.survey.targets.contains(anchor);
                Some(if is_wanted(&second) && !is_wanted(&first) { second } else { first })
            }
            (first, second) => first.or(second),
        }
    }
}

/// Whether a table holds data: it has cells, and the page does not only use it to put things side by side.
pub(super) fn is_data(table: ElementRef<'_>) -> bool {
    if attr(table, "role") == Some("presentation") {
        return false;
    }
    let (mut cells, mut pictures) = (0, 0);
    for inner in super::tree::below(table).take(4_000) {
        match name(inner) {
            "td" | "th" => cells += 1,
            "img" if !formulas::is_formula_image(inner) && !is_icon(inner) => pictures += 1,
            "table" | "figure" | "h1" | "h2" | "h3" => return false,
            _ if formulas::is_display(inner) => return false,
            _ => {}
        }
    }
    // An image beside its caption is a figure.
    cells > 1 && (pictures == 0 || cells > 4)
}

/// Where an image is: lazy pages keep it beside the source.
pub(super) fn location(image: ElementRef<'_>) -> Option<String> {
    let lazy =
        ["data-src", "data-lazy-src", "data-original", "data-hi-res-src"].iter().find_map(|name| attr(image, name));
    let source = attr(image, "src").filter(|source| !source.starts_with("data:") && !source.contains("placeholder"));
    let set = || attr(image, "srcset").or_else(|| attr(image, "data-srcset"))?.split([',', ' ']).next();
    lazy.or(source).or_else(set).or_else(|| attr(image, "src")).map(str::to_owned)
}

/// Whether an image belongs to the page's furniture.
pub(super) fn is_icon(image: ElementRef<'_>) -> bool {
    let size = |name: &str| attr(image, name).and_then(|size| size.trim_end_matches("px").parse::<u32>().ok());
    let small = [size("width"), size("height")].into_iter().flatten().any(|size| size <= 32);
    let place = location(image).unwrap_or_default().to_ascii_lowercase();
    let marks =
        ["icon", "logo", "spinner", "spacer", "pixel", "blank.", "loading", "button", "arrow", "badge", "orcid"];
    small
        || place.is_empty()
        || marks.iter().any(|mark| place.rsplit('/').next().unwrap_or(&place).contains(mark))
        || (place.starts_with("data:") && place.len() < 300)
}

/// What pages put where a text for an image should be.
fn is_filler(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    matches!(text.as_str(), "thumbnail" | "image" | "figure" | "yes" | "refer to caption" | "graphic")
        || text.starts_with("www.")
        || text.starts_with("http")
}

fn image(element: ElementRef<'_>) -> Option<Image> {
    if is_icon(element) {
        return None;
    }
    let alternative = attr(element, "alt").filter(|alt| !is_filler(alt)).unwrap_or_default();
    Some(Image { location: location(element)?, alternative: alternative.to_owned(), place: None })
}

/// Takes the label off a caption: `Figure 3` of `Figure 3. A star.`
pub(super) fn split_label(caption: &mut Vec<Inline>) -> Option<String> {
    let words: String = plain(caption).chars().take(60).collect();
    let (label, length) = label(&words)?;
    if lines::drop_front(caption, length) > 0 {
        return None;
    }
    let content = lines::tidy(std::mem::take(caption));
    *caption = content;
    Some(label)
}

/// The label at the beginning of a caption, and how many characters it takes with its full stop.
pub(super) fn label(words: &str) -> Option<(String, usize)> {
    const KINDS: [&str; 13] = [
        "figure",
        "fig.",
        "fig",
        "table",
        "tab.",
        "scheme",
        "video",
        "movie",
        "plate",
        "box",
        "chart",
        "algorithm",
        "listing",
    ];
    const BEFORE: [&str; 5] = ["extended data ", "supplementary ", "supplemental ", "appendix ", "online "];
    let start = words.len() - words.trim_start().len();
    let lower = words.to_lowercase();
    if lower.len() != words.len() {
        return None;
    }
    let mut at = start;
    at += BEFORE
        .iter()
        .find(|word| lower.get(at..).is_some_and(|rest| rest.starts_with(**word)))
        .map_or(0, |word| word.len());
    let kind = KINDS.iter().find(|word| lower.get(at..).is_some_and(|rest| rest.starts_with(**word)))?;
    at += kind.len();
    let rest = words.get(at..)?;
    at += rest.len() - rest.trim_start().len();
    let number: String =
        words.get(at..)?.chars().take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-')).collect();
    let number = number.trim_end_matches(['.', '-']);
    let is_roman = !number.is_empty() && number.chars().all(|c| matches!(c, 'I' | 'V' | 'X' | 'L'));
    if !is_roman && !number.chars().any(|c| c.is_ascii_digit()) || number.len() > 10 {
        return None;
    }
    at += number.len();
    let label = words.get(start..at)?.to_owned();
    let rest = words.get(at..)?;
    let end = rest.len() - rest.trim_start_matches(|c: char| matches!(c, '.' | ':' | '|') || c.is_whitespace()).len();
    Some((super::tree::one_blank(&label), words.get(..at + end)?.chars().count()))
}
