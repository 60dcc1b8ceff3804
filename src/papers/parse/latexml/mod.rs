//! Pages that LaTeXML made: arXiv's own HTML, ar5iv, and whoever else runs it.
//!
//! Everything is known by LaTeXML's class names, which have been the same for ten years
//! (<https://math.nist.gov/~BMiller/LaTeXML/manual/>): mathematics is in `alttext`, equations are HTML tables and no data
//! tables, footnotes stand where their mark is. What the page says about its own faults (`ltx_ERROR`, a conversion that
//! broke off) becomes a trouble of the document.

mod figures;
mod inlines;
mod tree;

use super::document::{
    Author, Block, Document, Equation, Heading, Inline, List, Notation, Reference, Statement, TroubleKind, plain, tidy,
};
use super::html;
use scraper::ElementRef;
use tree::{children, class, classes, find, find_all, text_of};

/// Nesting beyond which only the words are kept: deeper than any paper, and a bound for hostile pages.
const DEEPEST: usize = 120;

/// Why a page is no paper.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It was not made by LaTeXML.
    #[error("The page was not made by LaTeXML: it has no `ltx_document`.")]
    NotLatexml,
    /// There is nothing in it.
    #[error("The page has no text: the conversion may have failed.")]
    Empty,
}

/// Reads a page.
///
/// # Errors
/// When it is no paper made by LaTeXML.
pub fn read(page: &str) -> Result<Document, Refusal> {
    let html = html::parse(&tree::without_mathml(page));
    let root = html.root_element();
    let document = find(root, &|element| class(element, "ltx_document")).ok_or(Refusal::NotLatexml)?;
    let mut reader = Reader::default();
    reader.document.front.arxiv = version(root);
    reader.front(document);
    let mut body = Vec::new();
    reader.flow(document, &mut body, 1, 0);
    reader.document.body = body;
    reader.faults(page, root);
    let read = reader.document;
    if read.body.is_empty() && read.summary.is_empty() {
        return Err(Refusal::Empty);
    }
    Ok(read)
}

/// The arXiv id with its version, from the page's water mark: `arXiv:2501.11120v1 [cs.CL] 19 Jan 2025`.
fn version(root: ElementRef<'_>) -> Option<String> {
    let mark = find(root, &|element| element.value().id() == Some("watermark-tr"))?;
    let text = text_of(mark);
    let id = text.split_whitespace().next()?.strip_prefix("arXiv:")?;
    Some(id.to_owned())
}

#[derive(Default)]
struct Reader {
    document: Document,
}

impl Reader {
    /// Title, authors, abstract, keywords.
    fn front(&mut self, document: ElementRef<'_>) {
        for child in children(document) {
            if class(child, "ltx_title_document") {
                self.document.front.title = self.inlines_of(child, 0);
            } else if class(child, "ltx_authors") {
                self.authors(child);
            } else if class(child, "ltx_abstract") {
                let mut blocks = Vec::new();
                self.flow(child, &mut blocks, 1, 0);
                self.document.summary = blocks;
            } else if class(child, "ltx_keywords") || class(child, "ltx_classification") {
                let text = text_of(child);
                let words = text.split([',', ';', '–', '·']).map(str::trim).filter(|word| !word.is_empty());
                self.document.front.keywords.extend(words.map(str::to_owned));
            } else if class(child, "ltx_dates") || class(child, "ltx_date") {
                let date = text_of(child);
                self.document.front.date =
                    Some(date.trim().trim_matches(['(', ')']).to_owned()).filter(|d| !d.is_empty());
            }
        }
    }

    fn authors(&mut self, authors: ElementRef<'_>) {
        for creator in find_all(authors, &|element| class(element, "ltx_role_author")) {
            let Some(person) = find(creator, &|element| class(element, "ltx_personname")) else { continue };
            let mut lines = tree::lines_without_marks(person).into_iter();
            let names = lines.next().unwrap_or_default();
            let mut affiliations: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
            let contacts = find_all(creator, &|element| {
                class(element, "ltx_role_affiliation") || class(element, "ltx_role_address")
            });
            affiliations.extend(contacts.into_iter().map(|contact| text_of(contact).trim().to_owned()));
            for name in tree::names(&names) {
                self.document.front.authors.push(Author { name, affiliations: affiliations.clone() });
            }
        }
    }

    /// What the page says about its own making.
    fn faults(&mut self, page: &str, root: ElementRef<'_>) {
        // Words that are not on the page save a walk through all of it.
        if page.contains("ltx_ERROR") {
            for error in find_all(root, &|element| class(element, "ltx_ERROR")) {
                let what = text_of(error);
                self.document.trouble(TroubleKind::SourceError, format!("LaTeXML did not know {}", what.trim()));
            }
        }
        let broken = |element: ElementRef<'_>| {
            class(element, "ltx_fatal")
                || class(element, "ar5iv-severity-fatal")
                || element.value().id() == Some("ar5iv-fatal")
        };
        if (page.contains("fatal") && find(root, &broken).is_some())
            || page.contains("Conversion to HTML had a Fatal error")
        {
            self.document
                .trouble(TroubleKind::Truncated, "the conversion ended with a fatal error, so the text may break off");
        }
    }

    /// Blocks inside an element. Text and inline elements between them become paragraphs.
    fn flow(&mut self, container: ElementRef<'_>, out: &mut Vec<Block>, level: u8, depth: usize) {
        let mut pending = Vec::new();
        self.flow_into(container, out, &mut pending, level, depth);
        flush(&mut pending, out);
    }

    fn flow_into(
        &mut self,
        container: ElementRef<'_>,
        out: &mut Vec<Block>,
        pending: &mut Vec<Inline>,
        level: u8,
        depth: usize,
    ) {
        if depth > DEEPEST {
            pending.push(Inline::text(text_of(container)));
            return;
        }
        for node in container.children() {
            let Some(element) = ElementRef::wrap(node) else {
                self.inline(node, pending, depth);
                continue;
            };
            if is_chrome(element) {
                continue;
            }
            if is_block(element) {
                flush(pending, out);
                self.block(element, out, level, depth + 1);
            } else if tree::any_below(element, &is_block) {
                self.flow_into(element, out, pending, level, depth + 1);
            } else {
                self.inline(node, pending, depth);
            }
        }
    }

    fn block(&mut self, element: ElementRef<'_>, out: &mut Vec<Block>, level: u8, depth: usize) {
        let name = element.value().name();
        if let Some(level) = section_level(element) {
            self.section(element, out, level, depth);
        } else if class(element, "ltx_bibliography") {
            self.bibliography(element);
        } else if is_equation(element) {
            self.equations(element, out);
        } else if class(element, "ltx_theorem") || class(element, "ltx_proof") {
            self.statement(element, out, level, depth);
        } else if class(element, "ltx_listing") && name != "figure" {
            out.push(Block::Code(figures::listing(element)));
        } else if name == "figure"
            || class(element, "ltx_figure")
            || class(element, "ltx_float")
            || class(element, "ltx_table")
        {
            self.float(element, out, depth);
        } else if is_tabular(element) {
            let rows = self.rows(element);
            out.push(Block::Table(super::document::Table { rows, ..Default::default() }));
        } else if matches!(name, "ul" | "ol" | "dl") {
            self.list(element, out, level, depth);
        } else if name == "blockquote" || class(element, "ltx_quote") {
            let mut blocks = Vec::new();
            self.flow(element, &mut blocks, level, depth);
            out.push(Block::Quote(blocks));
        } else if name == "pre" || class(element, "ltx_verbatim") {
            let text = tree::verbatim(element);
            out.push(Block::Code(super::document::Code { text, ..Default::default() }));
        } else if class(element, "ltx_title") {
            self.loose_title(element, out, level);
        } else {
            self.flow(element, out, level, depth);
        }
    }

    fn section(&mut self, section: ElementRef<'_>, out: &mut Vec<Block>, level: u8, depth: usize) {
        if let Some(title) = children(section).find(|child| class(*child, "ltx_title")) {
            let (number, content) = self.title(title);
            if number.is_some() || !content.is_empty() {
                let anchor = section.value().id().map(str::to_owned);
                out.push(Block::Heading(Heading { level, number, content, anchor }));
            }
        }
        let mut pending = Vec::new();
        for node in section.children() {
            match ElementRef::wrap(node) {
                Some(child) if class(child, "ltx_title") || is_chrome(child) => {}
                Some(child) if is_block(child) => {
                    flush(&mut pending, out);
                    self.block(child, out, level.saturating_add(1), depth + 1);
                }
                Some(child) if tree::any_below(child, &is_block) => {
                    self.flow_into(child, out, &mut pending, level.saturating_add(1), depth + 1);
                }
                Some(_) | None => self.inline(node, &mut pending, depth),
            }
        }
        flush(&mut pending, out);
    }

    /// A title outside of a section: acknowledgements and their kin. The document's own are read elsewhere.
    fn loose_title(&mut self, title: ElementRef<'_>, out: &mut Vec<Block>, level: u8) {
        if class(title, "ltx_title_document") || class(title, "ltx_title_abstract") {
            return;
        }
        let (number, content) = self.title(title);
        if !content.is_empty() {
            out.push(Block::Heading(Heading { level, number, content, anchor: None }));
        }
    }

    /// A title's number and words.
    fn title(&mut self, title: ElementRef<'_>) -> (Option<String>, Vec<Inline>) {
        let tag = children(title).find(|child| class(*child, "ltx_tag"));
        let number = tag.map(|tag| {
            let text = text_of(tag);
            let text = text.trim().trim_end_matches([':', '.']).trim();
            text.strip_prefix("Appendix ").unwrap_or(text).to_owned()
        });
        let mut content = Vec::new();
        for node in title.children() {
            if ElementRef::wrap(node).is_none_or(|child| !class(child, "ltx_tag")) {
                self.inline(node, &mut content, 0);
            }
        }
        (number.filter(|number| !number.is_empty()), tidy(content))
    }

    fn statement(&mut self, element: ElementRef<'_>, out: &mut Vec<Block>, level: u8, depth: usize) {
        let title = children(element).find(|child| class(*child, "ltx_title"));
        let title = title.map(|title| self.inlines_of(title, 0)).unwrap_or_default();
        let mut content = Vec::new();
        for child in children(element).filter(|child| !class(*child, "ltx_title")) {
            self.block(child, &mut content, level, depth + 1);
        }
        let anchor = element.value().id().map(str::to_owned);
        out.push(Block::Statement(Statement { title, content, anchor }));
    }

    fn list(&mut self, list: ElementRef<'_>, out: &mut Vec<Block>, level: u8, depth: usize) {
        let mut items = Vec::new();
        let mut label: Vec<Inline> = Vec::new();
        for item in children(list) {
            if item.value().name() == "dt" {
                label = self.inlines_of(item, 0);
                continue;
            }
            let mut blocks = Vec::new();
            let tag = children(item).find(|child| class(*child, "ltx_tag"));
            if list.value().name() == "dl" || class(list, "ltx_description") {
                label =
                    if label.is_empty() { tag.map(|tag| self.inlines_of(tag, 0)).unwrap_or_default() } else { label };
            }
            let mut pending = Vec::new();
            for node in item.children() {
                match ElementRef::wrap(node) {
                    Some(child) if class(child, "ltx_tag") || is_chrome(child) => {}
                    Some(child) if is_block(child) => {
                        flush(&mut pending, &mut blocks);
                        self.block(child, &mut blocks, level, depth + 1);
                    }
                    Some(child) if tree::any_below(child, &is_block) => {
                        self.flow_into(child, &mut blocks, &mut pending, level, depth + 1);
                    }
                    Some(_) | None => self.inline(node, &mut pending, depth),
                }
            }
            flush(&mut pending, &mut blocks);
            if !label.is_empty() {
                let strong = Inline::Strong(std::mem::take(&mut label));
                match blocks.first_mut() {
                    Some(Block::Paragraph(first)) => first.splice(0..0, [strong, Inline::text(" ")]).for_each(drop),
                    Some(_) | None => blocks.insert(0, Block::Paragraph(vec![strong])),
                }
            }
            items.push(blocks);
        }
        let start = (list.value().name() == "ol").then_some(1);
        out.push(Block::List(List { start, items }));
    }

    /// One equation for each row of an equation or a group.
    fn equations(&mut self, element: ElementRef<'_>, out: &mut Vec<Block>) {
        let rows = find_all(element, &|row| row.value().name() == "tr" || class(row, "ltx_eqn_row"));
        let rows = if rows.is_empty() { vec![element] } else { rows };
        let whole = element.value().id();
        let mut first = true;
        for row in rows {
            let parts = find_all(row, &|part| part.value().name() == "math");
            let text: Vec<String> = parts.into_iter().filter_map(inlines::tex).collect();
            let number = find(row, &|tag| class(tag, "ltx_tag_equation") || class(tag, "ltx_tag_equationgroup"));
            let number = number.map(|tag| text_of(tag).trim().trim_matches(['(', ')']).to_owned());
            let number = number.filter(|number| !number.is_empty());
            if text.is_empty() {
                // Words between the lines of a group, or a number that stands alone.
                let words = self.inlines_of(row, 0);
                if let (Some(shown), false) = (&number, words.is_empty()) {
                    // Mathematics that a script has drawn already: its symbols are all there is.
                    let text = plain(&words);
                    let text = text.trim().trim_end_matches(&format!("({shown})")).trim();
                    if !text.is_empty() {
                        let anchor = row.value().id().or(whole).map(str::to_owned);
                        let notation = Notation::Linear;
                        out.push(Block::Equation(Equation { text: text.to_owned(), notation, number, anchor }));
                        continue;
                    }
                }
                match (number, out.last_mut()) {
                    (Some(number), Some(Block::Equation(last))) if last.number.is_none() => last.number = Some(number),
                    (_, _) if !words.is_empty() => out.push(Block::Paragraph(words)),
                    (_, _) => {}
                }
                continue;
            }
            let own = row.value().id().or_else(|| {
                let body = row.parent().and_then(ElementRef::wrap)?;
                (body.value().name() == "tbody").then(|| body.value().id()).flatten()
            });
            let anchor = own.or(if first { whole } else { None }).map(str::to_owned);
            first = false;
            out.push(Block::Equation(Equation { text: text.join(" "), notation: Notation::Tex, number, anchor }));
        }
    }

    fn bibliography(&mut self, list: ElementRef<'_>) {
        for item in find_all(list, &|element| class(element, "ltx_bibitem")) {
            let tag = children(item).find(|child| class(*child, "ltx_tag"));
            let label = tag.map(|tag| text_of(tag).trim().trim_matches(['[', ']']).to_owned());
            let mut content = Vec::new();
            for block in children(item) {
                if class(block, "ltx_tag") || class(block, "ltx_bib_links") || class(block, "ltx_bib_cited") {
                    continue;
                }
                content.push(Inline::text(" "));
                content.extend(self.inlines_of(block, 0));
            }
            let links = find_all(item, &|link| link.value().name() == "a");
            let links =
                links.into_iter().filter_map(|link| link.value().attr("href")).filter(|href| href.contains(':'));
            let links = links.map(str::to_owned).collect();
            let key =
                item.value().id().map_or_else(|| format!("ref{}", self.document.references.len() + 1), str::to_owned);
            let label = label.filter(|label| !label.is_empty());
            self.document.references.push(Reference { key, label, content: tidy(content), links });
        }
    }
}

/// Ends the paragraph that has gathered.
fn flush(pending: &mut Vec<Inline>, out: &mut Vec<Block>) {
    let content = tidy(std::mem::take(pending));
    if !content.is_empty() {
        out.push(Block::Paragraph(content));
    }
}

/// What belongs to the page and not to the paper, or is read elsewhere.
fn is_chrome(element: ElementRef<'_>) -> bool {
    matches!(
        element.value().name(),
        "nav" | "script" | "style" | "button" | "header" | "footer" | "template" | "svg" | "noscript"
    ) || classes(element).any(|class| {
        matches!(
            class,
            "ltx_TOC"
                | "ltx_toclist"
                | "ltx_pagination"
                | "ltx_rule"
                | "ltx_authors"
                | "ltx_abstract"
                | "ltx_keywords"
                | "ltx_dates"
                | "ltx_date"
                | "ltx_classification"
                | "ltx_title_document"
                | "ltx_title_abstract"
                | "ltx_role_newpage"
                | "ltx_page_navbar"
                | "ltx_listing_data"
        )
    })
}

fn is_block(element: ElementRef<'_>) -> bool {
    let is_block = matches!(
        element.value().name(),
        "p" | "section"
            | "figure"
            | "ul"
            | "ol"
            | "dl"
            | "blockquote"
            | "pre"
            | "table"
            | "article"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
    );
    if is_block {
        return true;
    }
    let (mut is_block, mut is_note) = (false, false);
    for class in classes(element) {
        if level_of(class).is_some() || is_equation_class(class) {
            return true;
        }
        is_note |= class == "ltx_note";
        is_block |= matches!(
            class,
            "ltx_para"
                | "ltx_p"
                | "ltx_bibliography"
                | "ltx_theorem"
                | "ltx_proof"
                | "ltx_listing"
                | "ltx_tabular"
                | "ltx_float"
                | "ltx_title"
                | "ltx_acknowledgements"
                | "ltx_verbatim"
                | "ltx_quote"
        );
    }
    is_block && !is_note
}

fn is_equation(element: ElementRef<'_>) -> bool {
    classes(element).any(is_equation_class)
}

fn is_equation_class(class: &str) -> bool {
    matches!(class, "ltx_equation" | "ltx_equationgroup" | "ltx_eqn_table")
}

fn is_tabular(element: ElementRef<'_>) -> bool {
    element.value().name() == "table" || class(element, "ltx_tabular")
}

/// The level of a section's heading; nothing for what is no section.
fn section_level(element: ElementRef<'_>) -> Option<u8> {
    classes(element).find_map(level_of)
}

fn level_of(class: &str) -> Option<u8> {
    match class {
        "ltx_part" | "ltx_chapter" | "ltx_section" | "ltx_appendix" | "ltx_acknowledgements" => Some(1),
        "ltx_subsection" => Some(2),
        "ltx_subsubsection" => Some(3),
        "ltx_paragraph" => Some(4),
        "ltx_subparagraph" => Some(5),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
