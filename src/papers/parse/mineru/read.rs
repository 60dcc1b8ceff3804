//! Content lists of MinerU as a document.
//!
//! The list has the blocks in their reading order and says of each what it is, and little more: all headings below the
//! title have one level, so the level is read off their numbers; captions have their labels in the words; a footnote's
//! mark is a raised number like any other. What follows from the words is found here, what does not is left as it is.

use super::caption::{Caption, Float, Numbering, formula, is_panel, label, name};
use super::front;
use super::items::{Item, Items, Thing};
use super::{references, table};
use crate::papers::parse::document::{
    Block, Code, Document, Equation, Figure, Heading, Image, Inline, Place, Table, TroubleKind, plain,
};
use serde::{Deserialize, Serialize};

/// Troubles of a document beyond which kinds of blocks are no longer told apart.
const MOST_TROUBLES: usize = 50;
/// Bytes of a table's HTML at most.
const LARGEST_TABLE: usize = 2 << 20;

/// Why a content list is no document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is no JSON.
    #[error("MinerU's content list is no JSON: {0}.")]
    NotJson(String),
    /// It is JSON of another shape.
    #[error("MinerU's content list is no list.")]
    NotAList,
    /// None of its entries is a block.
    #[error("MinerU's content list has no blocks: it may be of a version that is not known.")]
    NoBlocks,
    /// There is nothing in it.
    #[error("MinerU found nothing on the pages.")]
    Empty,
}

/// A content list and where it belongs: a long paper comes in several.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// The list, in either of its forms.
    pub content_list: String,
    /// The page of the paper that the part begins with; the first is 1.
    pub first_page: u32,
    /// Width and height in points of the part's pages; blocks of a page without a size have no [`Place`].
    #[serde(default)]
    pub sizes: Vec<[f32; 2]>,
}

/// The parts of a paper, in their order. As JSON this is the file that a confined reader is given.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Bundle {
    /// The parts.
    pub mineru_parts: Vec<Part>,
}

/// Reads one content list of a whole paper.
///
/// # Errors
/// When it is no content list, or there is nothing in it.
pub fn read(content_list: &str, sizes: &[[f32; 2]]) -> Result<Document, Refusal> {
    let part = Part { content_list: content_list.to_owned(), first_page: 1, sizes: sizes.to_vec() };
    read_parts(&[part])
}

/// Reads a [`Bundle`] from its JSON.
///
/// # Errors
/// When it is none, one of its parts is no content list, or there is nothing in any.
pub fn read_bundle(json: &str) -> Result<Document, Refusal> {
    let bundle: Bundle = serde_json::from_str(json).map_err(|error| Refusal::NotJson(error.to_string()))?;
    read_parts(&bundle.mineru_parts)
}

/// Reads the parts of a paper, in their order, as one document.
///
/// # Errors
/// When one of them is no content list, or there is nothing in any.
pub fn read_parts(parts: &[Part]) -> Result<Document, Refusal> {
    let mut reader = Reader::default();
    for part in parts {
        let mut read = Items::read(&part.content_list)?;
        for (kind, what) in read.troubles.drain(..) {
            reader.document.trouble(kind, what);
        }
        let before = part.first_page.saturating_sub(1);
        let from_paper = counts_from_paper(before, &read.items);
        for mut item in read.items {
            let of_part = if from_paper { item.page.saturating_sub(before) } else { item.page };
            let size = part.sizes.get(of_part as usize).copied();
            item.page = of_part.saturating_add(before);
            reader.item(item, size);
        }
    }
    reader.finish()
}

/// Whether a content list is one and has anything on its pages. Looks at no HTML and builds no document, so it may run
/// where foreign bytes are not read in earnest.
///
/// # Errors
/// When it is no content list.
pub(super) fn has_content(content_list: &str) -> Result<bool, Refusal> {
    let read = Items::read(content_list)?;
    Ok(read.items.iter().any(|item| match &item.thing {
        Thing::Text { content, .. } | Thing::Footnote(content) | Thing::Unknown { content, .. } => !content.is_empty(),
        Thing::List { items, .. } => !items.is_empty(),
        Thing::Equation { .. } | Thing::Table { .. } | Thing::Image { .. } | Thing::Code { .. } => true,
        Thing::Furniture(_) => false,
    }))
}

/// Whether the pages of a part count from the first of the paper. They should count from the part's own first; if a service
/// does otherwise, no page comes before those of the part, of which there are never more than before it.
fn counts_from_paper(before: u32, items: &[Item]) -> bool {
    before > 0 && items.iter().map(|item| item.page).min().is_some_and(|least| least >= before)
}

/// Where blocks go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Section {
    /// Before the first heading: title, authors.
    #[default]
    Front,
    Summary,
    Body,
    References,
}

#[derive(Default)]
struct Reader {
    document: Document,
    section: Section,
    numbering: Numbering,
    /// The page that is read, from 1; 0 before the first.
    page: u32,
    /// The last page that the abstract and the body have a mark of.
    marked: [u32; 2],
    /// The level that the title was sent with, when it has one.
    title_level: Option<u8>,
    notes: Vec<super::footnotes::Note>,
    /// Whether the reference list comes as lists, so that words after it are none.
    listed: bool,
}

impl Reader {
    fn item(&mut self, item: Item, size: Option<[f32; 2]>) {
        self.page = item.page.saturating_add(1);
        self.document.pages = Some(self.document.pages.unwrap_or(0).max(self.page));
        let place = item.bbox.zip(size).map(|([left, top, right, bottom], [width, height])| {
            let points = |at: f32, whole: f32| at * whole / 1000.0;
            let bounds = [points(left, width), points(top, height), points(right, width), points(bottom, height)];
            Place { page: self.page, bounds }
        });
        match item.thing {
            Thing::Text { level: 0, content, raw } => self.text(content, &raw),
            Thing::Text { level, content, .. } => self.heading(level, content),
            Thing::Equation { text, image } => self.equation(&text, image, place),
            Thing::Table { body, captions, notes, image } => self.table(&body, captions, notes, image, place),
            Thing::Image { path, captions, notes, said } => self.image(path, captions, notes, said, place),
            Thing::List { references, items } => self.list(references, items),
            Thing::Code { text, language, captions, notes } => self.code(text, language, captions, notes),
            Thing::Footnote(content) => self.footnote(content),
            Thing::Furniture(text) => {
                if self.page == 1 {
                    front::identifiers(&text, &mut self.document.front);
                }
            }
            Thing::Unknown { kind, content } => {
                // A list of nothing but new kinds would have as many troubles as blocks.
                let many = self.document.troubles.len() >= MOST_TROUBLES;
                let kind: String = if many { "other".to_owned() } else { kind.chars().take(40).collect() };
                self.document.trouble(TroubleKind::NotUnderstood, format!("a block of the kind `{kind}`"));
                if !content.is_empty() {
                    self.push(Block::Paragraph(content));
                }
            }
        }
    }

    fn finish(mut self) -> Result<Document, Refusal> {
        super::footnotes::link(&mut self.document, self.notes);
        super::lists::gather(&mut self.document.summary);
        super::lists::gather(&mut self.document.body);
        references::finish(&mut self.document.references);
        let document = self.document;
        let pages_alone = |blocks: &[Block]| blocks.iter().all(|block| matches!(block, Block::Page(_)));
        if pages_alone(&document.body) && pages_alone(&document.summary) && document.references.is_empty() {
            return Err(Refusal::Empty);
        }
        Ok(document)
    }

    /// Adds a block to the section, with the mark of its page before the first of a page.
    fn push(&mut self, block: Block) {
        let at = usize::from(self.section != Section::Summary);
        let blocks = if at == 0 { &mut self.document.summary } else { &mut self.document.body };
        if self.marked[at] != self.page {
            self.marked[at] = self.page;
            blocks.push(Block::Page(self.page));
        }
        blocks.push(block);
    }

    fn heading(&mut self, sent: u8, content: Vec<Inline>) {
        if content.is_empty() {
            return;
        }
        let known = name(&content);
        if self.section == Section::Front
            && self.document.front.title.is_empty()
            && self.page == 1
            && !front::is_section(&known)
        {
            self.document.front.title = content;
            self.title_level = Some(sent);
            return;
        }
        let (number, content) = self.numbering.split(content);
        let known = if number.is_some() { name(&content) } else { known };
        match known.as_str() {
            "abstract" | "a b s t r a c t" | "摘要" if matches!(self.section, Section::Front) => {
                self.section = Section::Summary;
                return;
            }
            "references" | "bibliography" | "literature cited" | "references and notes" | "参考文献" => {
                self.section = Section::References;
                self.numbering.appendix = true;
                self.listed = false;
                return;
            }
            "appendix" | "appendices" | "supplementary material" | "附录" => self.numbering.appendix = true,
            _ => {}
        }
        self.section = Section::Body;
        // Below a title all headings are sent one level lower than they are.
        let lowered = u8::from(self.title_level.is_some_and(|title| sent > title));
        let level = match &number {
            Some((_, level)) => *level,
            None => sent.saturating_sub(lowered).clamp(1, 5),
        };
        let number = number.map(|(number, _)| number);
        self.push(Block::Heading(Heading { level, number, content, anchor: None }));
    }

    fn text(&mut self, content: Vec<Inline>, raw: &str) {
        // An empty block is what is left of one whose words were joined with those of the column before.
        if content.is_empty() {
            return;
        }
        match self.section {
            Section::Front => {
                if let Some(words) = front::run_in_abstract(&content) {
                    self.section = Section::Summary;
                    self.push(Block::Paragraph(words));
                    return;
                }
                if front::keywords(&content, &mut self.document.front) {
                    return;
                }
                if !self.document.front.title.is_empty() && self.document.front.authors.is_empty() {
                    let (authors, rest) = front::authors(raw);
                    self.document.front.authors = authors;
                    if !self.document.front.authors.is_empty() {
                        rest.into_iter().for_each(|line| self.push(Block::Paragraph(line)));
                        return;
                    }
                }
            }
            Section::Summary => {
                if front::keywords(&content, &mut self.document.front) {
                    return;
                }
            }
            Section::References if !self.listed => {
                references::add(&mut self.document.references, content, false);
                return;
            }
            Section::Body | Section::References => {}
        }
        if let Some(content) = self.late_caption(content) {
            self.push(Block::Paragraph(content));
        }
    }

    /// A caption that was taken for words goes to the float before it, when that has none. Answers what is none.
    fn late_caption(&mut self, content: Vec<Inline>) -> Option<Vec<Inline>> {
        let (found, words) = match self.document.body.last() {
            Some(Block::Table(table)) if table.label.is_none() && table.caption.is_empty() => label(content.clone()),
            Some(Block::Figure(figure)) if figure.label.is_none() && figure.caption.is_empty() => {
                label(content.clone())
            }
            _ => return Some(content),
        };
        // `Figure 3 shows` begins a sentence: a caption's label ends with a sign.
        let ends = plain(&content).chars().nth(found.as_ref().map_or(0, |(_, label)| label.chars().count()));
        if !ends.is_some_and(|sign| matches!(sign, '.' | ':' | '|' | '—' | '–')) {
            return Some(content);
        }
        match (self.document.body.last_mut(), found) {
            (Some(Block::Table(table)), Some((Float::Table, label))) => {
                (table.label, table.caption) = (Some(label), words);
                None
            }
            (Some(Block::Figure(figure)), Some((Float::Figure, label))) => {
                (figure.label, figure.caption) = (Some(label), words);
                None
            }
            _ => Some(content),
        }
    }

    fn list(&mut self, references: bool, items: Vec<Vec<Inline>>) {
        if references || self.section == Section::References {
            self.listed |= references;
            let mut first = true;
            for item in items {
                references::add(&mut self.document.references, item, std::mem::take(&mut first));
            }
            return;
        }
        let items: Vec<Vec<Inline>> = items.into_iter().filter(|item| !item.is_empty()).collect();
        if !items.is_empty() {
            let list = super::lists::list(items);
            self.push(Block::List(list));
        }
    }

    fn equation(&mut self, text: &str, image: Option<String>, place: Option<Place>) {
        let (tex, number) = formula(text);
        if !tex.is_empty() {
            self.push(Block::Equation(Equation { text: tex, number, ..Equation::default() }));
            return;
        }
        self.document.trouble(TroubleKind::NotUnderstood, "a formula was not read and is an image alone");
        if let Some(location) = image {
            let images = vec![Image { location, alternative: String::new(), place }];
            self.push(Block::Figure(Figure { images, ..Figure::default() }));
        }
    }

    fn table(
        &mut self,
        body: &str,
        captions: Vec<Vec<Inline>>,
        notes: Vec<Vec<Inline>>,
        image: Option<String>,
        place: Option<Place>,
    ) {
        let (label, caption) = self.own_caption(captions, Float::Table);
        let rows = if body.len() > LARGEST_TABLE {
            self.document.trouble(TroubleKind::Truncated, "a table is too long to be read");
            Vec::new()
        } else {
            table::rows(body)
        };
        if !rows.is_empty() {
            self.push(Block::Table(Table { label, caption, rows, notes, anchor: None }));
            return;
        }
        if let Some(location) = image {
            self.document.trouble(TroubleKind::NotUnderstood, "a table was not read and is an image alone");
            let images = vec![Image { location, alternative: String::new(), place }];
            self.push(Block::Figure(Figure {
                label,
                caption: with_notes(caption, notes),
                images,
                ..Figure::default()
            }));
            return;
        }
        // The cells of a table that goes on are with those of the page before, and leave an empty block.
        let goes_on = self.document.body.iter().rev().find(|block| !matches!(block, Block::Page(_)));
        let goes_on = matches!(goes_on, Some(Block::Table(_)));
        if label.is_some() || !caption.is_empty() {
            self.push(Block::Table(Table { label, caption, rows: Vec::new(), notes, anchor: None }));
        } else {
            notes.into_iter().for_each(|note| self.push(Block::Paragraph(note)));
        }
        if !goes_on {
            self.document.trouble(TroubleKind::Missing, "a table has neither cells nor an image");
        }
    }

    fn image(
        &mut self,
        path: Option<String>,
        captions: Vec<Vec<Inline>>,
        notes: Vec<Vec<Inline>>,
        said: String,
        place: Option<Place>,
    ) {
        let (label, caption) = self.own_caption(captions, Float::Figure);
        let caption = with_notes(caption, notes);
        if path.is_none() {
            self.document.trouble(TroubleKind::Missing, "a figure has no image");
            if label.is_none() && caption.is_empty() {
                return;
            }
        }
        let images = path.map(|location| Image { location, alternative: said, place }).into_iter().collect();
        let mut figure = Figure { label, caption, images, ..Figure::default() };
        // The panels of a figure come one by one, and its caption with the last.
        if figure.label.is_some() {
            self.take_panels(&mut figure);
        }
        self.push(Block::Figure(figure));
    }

    fn take_panels(&mut self, figure: &mut Figure) {
        let is_part = |block: &Block| {
            matches!(block, Block::Figure(part)
                if part.label.is_none() && (part.caption.is_empty() || is_panel(&part.caption)))
        };
        let blocks =
            if self.section == Section::Summary { &mut self.document.summary } else { &mut self.document.body };
        let count = blocks.iter().rev().take_while(|block| is_part(block)).count();
        let parts: Vec<Figure> = blocks
            .split_off(blocks.len() - count)
            .into_iter()
            .filter_map(|block| if let Block::Figure(part) = block { Some(part) } else { None })
            .collect();
        if parts.iter().all(|part| part.caption.is_empty()) {
            let own = std::mem::take(&mut figure.images);
            figure.images = parts.into_iter().flat_map(|part| part.images).chain(own).collect();
        } else {
            figure.panels = parts;
        }
    }

    /// The caption of the float itself. Those of neighbours are given back to them, or become paragraphs.
    fn own_caption(&mut self, captions: Vec<Vec<Inline>>, float: Float) -> (Option<String>, Vec<Inline>) {
        let mut read: Vec<Caption> = captions.into_iter().map(label).collect();
        let has = |found: &Caption| found.0.as_ref().is_some_and(|(kind, _)| *kind == float);
        let own = read.iter().position(has).or_else(|| (!read.is_empty()).then_some(0));
        let Some(own) = own else { return (None, Vec::new()) };
        let (label, mut caption) = read.remove(own);
        for (other, words) in read {
            match other {
                // A second line without a label belongs to the caption.
                None => {
                    caption.push(Inline::text(" "));
                    caption.extend(words);
                }
                Some((_, label)) => self.foreign_caption(label, words),
            }
        }
        (label.map(|(_, label)| label), super::inline::tidy(caption))
    }

    fn foreign_caption(&mut self, label: String, caption: Vec<Inline>) {
        let mut figure = Figure { label: Some(label), caption, ..Figure::default() };
        self.take_panels(&mut figure);
        self.push(Block::Figure(figure));
    }

    fn code(&mut self, text: String, language: Option<String>, captions: Vec<Vec<Inline>>, notes: Vec<Vec<Inline>>) {
        let (label, caption) = self.own_caption(captions, Float::Code);
        let caption = with_notes(caption, notes);
        if text.trim().is_empty() {
            self.document.trouble(TroubleKind::Missing, "a listing has no lines");
        }
        self.push(Block::Code(Code { language, text, label, caption, anchor: None }));
    }

    fn footnote(&mut self, content: Vec<Inline>) {
        if content.is_empty() {
            return;
        }
        let (mark, content) = super::footnotes::split(content);
        let note = super::footnotes::Note { page: self.page, mark, content };
        // Where it stands, until its mark is found in the text.
        let place = Block::Paragraph(vec![Inline::Footnote(self.notes.len())]);
        self.notes.push(note);
        // The reference list has no blocks: a note on one of its pages stands behind what came before.
        self.push(place);
    }
}

fn with_notes(mut caption: Vec<Inline>, notes: Vec<Vec<Inline>>) -> Vec<Inline> {
    for note in notes {
        if !caption.is_empty() {
            caption.push(Inline::text(" "));
        }
        caption.extend(note);
    }
    super::inline::tidy(caption)
}
