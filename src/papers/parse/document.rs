//! The document that every engine fills and one writer prints.
//!
//! An engine reads a foreign format and says *what is there*: this is a heading, that is a formula with the number 12. It
//! decides nothing about Markdown: escaping, blanks between formulas, page marks, the form of a table are the business of
//! [`super::markdown`] alone. Mathematics is TeX without its delimiters wherever the source has TeX, and plain linear text
//! (`Text`) where it has only glyphs; an engine never invents TeX.
//!
//! Whatever an engine meets and does not understand it keeps as [`Inline::Source`] or [`Block::Source`], and counts in
//! [`Document::troubles`]. Nothing is dropped in silence.

use super::symbols::Symbols;
use serde::{Deserialize, Serialize};

/// Which reader made a document. The names are those of the HTTP interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// arXiv's own HTML of one version, by LaTeXML.
    ArxivHtml,
    /// The LaTeX source.
    Latex,
    /// ar5iv's HTML, by LaTeXML; it knows no versions.
    Ar5iv,
    /// A page of the publisher, captured in the reader's browser.
    PublisherHtml,
    /// MinerU, in its cloud or self-hosted.
    Mineru,
    /// The embedded PDF reader.
    Pdf,
}

/// A paper as a tree.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Document {
    /// Title, authors, identifiers.
    pub front: Front,
    /// The abstract, which is not part of [`Self::body`].
    pub summary: Vec<Block>,
    /// Everything between the abstract and the reference list, appendices and acknowledgements included.
    pub body: Vec<Block>,
    /// Footnotes in the order of their first mark; [`Inline::Footnote`] holds an index into this list.
    pub footnotes: Vec<Vec<Inline>>,
    /// The reference list, one entry each.
    pub references: Vec<Reference>,
    /// What the engine could not read, and how often, in words for people: `("undefined macro \\foo", 3)`.
    pub troubles: Vec<Trouble>,
    /// The number of pages of the source; `None` where it has none.
    pub pages: Option<u32>,
    /// What the engine counted in the source before it read it, to tell what got lost.
    pub counted: Counted,
}

/// What is in a source, counted before it is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counted {
    /// Formulas, in sources that mark them.
    pub formulas: Option<usize>,
    /// Signs, in sources that have them as characters.
    pub symbols: Option<Symbols>,
}

/// What stands before the text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Front {
    /// The title.
    pub title: Vec<Inline>,
    /// The authors in their order.
    pub authors: Vec<Author>,
    /// Keywords, as the paper gives them.
    pub keywords: Vec<String>,
    /// The publisher's DOI, when the source names it; lower case, without a resolver.
    pub doi: Option<String>,
    /// The arXiv id with its version, when the source names it: `2501.11120v2`.
    pub arxiv: Option<String>,
    /// The date, as the source writes it.
    pub date: Option<String>,
    /// The journal's name, when the source names it.
    pub journal: Option<String>,
}

/// One author.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Author {
    /// The name as printed.
    pub name: String,
    /// The affiliations as printed.
    pub affiliations: Vec<String>,
}

/// One entry of the reference list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reference {
    /// The anchor that citations name; unique in a document.
    pub key: String,
    /// The label where the list has one (`1`, `Smith 2019`), without its brackets.
    pub label: Option<String>,
    /// The entry as printed.
    pub content: Vec<Inline>,
    /// Identifiers that the source gives by link or macro; text is not searched for them.
    pub links: Vec<String>,
}

/// Something that was not read as it should have been.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trouble {
    /// What kind; one trouble a kind and [`Self::what`] in a document.
    pub kind: TroubleKind,
    /// What, in words for people.
    pub what: String,
    /// How often.
    pub count: u32,
}

/// The kinds of [`Trouble`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TroubleKind {
    /// The source itself says that its making failed: an `ltx_ERROR`, an undefined macro.
    SourceError,
    /// A construct that the engine keeps as source text.
    NotUnderstood,
    /// A glyph without a known character.
    UnknownGlyph,
    /// A part that the source should have and does not: a list that loads on demand, an image not in the archive.
    Missing,
    /// The source ends before its end.
    Truncated,
}

/// A piece of the text that stands on its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Block {
    /// A section's heading.
    Heading(Heading),
    /// A paragraph. A piece of a paragraph that goes on after a displayed formula is a paragraph of its own.
    Paragraph(Vec<Inline>),
    /// A displayed formula.
    Equation(Equation),
    /// A list.
    List(List),
    /// A quotation.
    Quote(Vec<Block>),
    /// Program code or an algorithm, line for line.
    Code(Code),
    /// A data table.
    Table(Table),
    /// A figure.
    Figure(Figure),
    /// A theorem, definition, proof and their like.
    Statement(Statement),
    /// What follows stands on this page of the source; the first page is 1.
    Page(u32),
    /// Source text that the engine does not understand.
    Source(String),
}

/// A section's heading.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Heading {
    /// 1 is a section, 2 a subsection; the title of the paper is no heading. At most 5.
    pub level: u8,
    /// The number as printed, without a full stop at its end: `2.1`, `A`, `IV`.
    pub number: Option<String>,
    /// The words.
    pub content: Vec<Inline>,
    /// The source's own anchor; the writer makes one where there is none.
    pub anchor: Option<String>,
}

/// A displayed formula.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Equation {
    /// TeX without delimiters and without `\tag`, or linear text, see [`Self::notation`].
    pub text: String,
    /// What [`Self::text`] is written in.
    pub notation: Notation,
    /// The number as printed, without parentheses.
    pub number: Option<String>,
    /// The source's own anchor.
    pub anchor: Option<String>,
}

/// How mathematics is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notation {
    /// TeX.
    #[default]
    Tex,
    /// The symbols in their reading order, as a PDF gives them.
    Linear,
}

/// A list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct List {
    /// The first number of a numbered list; `None` for bullets.
    pub start: Option<u32>,
    /// The items. The label of a description list is strong text at the item's beginning.
    pub items: Vec<Vec<Block>>,
}

/// Program code.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Code {
    /// The language, when the source names it.
    pub language: Option<String>,
    /// The lines.
    pub text: String,
    /// `Algorithm 1` or `Listing 2`, where it is a float.
    pub label: Option<String>,
    /// Its caption.
    pub caption: Vec<Inline>,
    /// The source's own anchor.
    pub anchor: Option<String>,
}

/// A data table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Table {
    /// `Table 3`, without a full stop.
    pub label: Option<String>,
    /// The caption without the label.
    pub caption: Vec<Inline>,
    /// The rows. The cells of a row, taken with their spans and those that reach down into it, need not fill the width: the
    /// writer pads.
    pub rows: Vec<Row>,
    /// Notes below the table.
    pub notes: Vec<Vec<Inline>>,
    /// The source's own anchor.
    pub anchor: Option<String>,
}

/// A row of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Row {
    /// The cells from left to right.
    pub cells: Vec<Cell>,
    /// Whether it belongs to the head of the table.
    pub head: bool,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cell {
    /// What stands in it.
    pub content: Vec<Inline>,
    /// Over how many columns it reaches; at least 1.
    pub columns: u16,
    /// Over how many rows it reaches; at least 1.
    pub rows: u16,
    /// How its text stands in the column, where the source says so.
    pub align: Option<Align>,
}

impl Default for Cell {
    fn default() -> Self {
        Self { content: Vec::new(), columns: 1, rows: 1, align: None }
    }
}

/// How text stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    /// At the left edge.
    Left,
    /// In the middle.
    Center,
    /// At the right edge.
    Right,
}

/// A figure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Figure {
    /// `Figure 3`, without a full stop.
    pub label: Option<String>,
    /// The caption without the label.
    pub caption: Vec<Inline>,
    /// The images.
    pub images: Vec<Image>,
    /// Figures inside this one, with captions of their own.
    pub panels: Vec<Figure>,
    /// The source's own anchor.
    pub anchor: Option<String>,
}

/// An image.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Image {
    /// Where it is: an address as the source gives it (relative ones stay relative), a path in the archive, or the name of a
    /// file that the engine cut out.
    pub location: String,
    /// The text that stands for it.
    pub alternative: String,
    /// Its box on the page for sources with pages.
    pub place: Option<Place>,
}

/// A box on a page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// The page; the first is 1.
    pub page: u32,
    /// Left, top, right, bottom in points (1/72 inch) from the page's upper left corner as it is shown.
    pub bounds: [f32; 4],
}

/// A theorem and its like.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Statement {
    /// `Theorem 2 (Noether)`.
    pub title: Vec<Inline>,
    /// What it says.
    pub content: Vec<Block>,
    /// The source's own anchor.
    pub anchor: Option<String>,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Inline {
    /// Plain text; the writer escapes it. White space is one blank.
    Text(String),
    /// TeX without delimiters.
    Math(String),
    /// Emphasis (italics).
    Emphasis(Vec<Inline>),
    /// Strong emphasis (bold).
    Strong(Vec<Inline>),
    /// Raised text outside mathematics.
    Superscript(Vec<Inline>),
    /// Lowered text outside mathematics.
    Subscript(Vec<Inline>),
    /// Code.
    Code(String),
    /// A link that leaves the document. Schemes other than `http`, `https`, `mailto`, `doi` lose their target in the writer.
    Link {
        /// The address.
        target: String,
        /// What is shown.
        content: Vec<Inline>,
    },
    /// A link to an anchor of this document: a section, an equation, a figure.
    Reference {
        /// The anchor, without `#`.
        anchor: String,
        /// What is shown: `3.1`.
        content: Vec<Inline>,
    },
    /// A citation of one or several entries of the reference list.
    Citation {
        /// The [`Reference::key`]s in the printed order.
        keys: Vec<String>,
        /// What is printed, parentheses included: `(Smith 2019; Jones et al. 2020)`.
        content: Vec<Inline>,
    },
    /// A footnote's mark: the index into [`Document::footnotes`].
    Footnote(usize),
    /// A break inside a paragraph (an address, a poem).
    Break,
    /// An anchor that something refers to and no block carries.
    Anchor(String),
    /// Source text that the engine does not understand; printed as code.
    Source(String),
}

impl Inline {
    /// Plain text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

impl Document {
    /// All images of the text, in their order.
    #[must_use]
    pub fn images(&self) -> Vec<&Image> {
        let mut out = Vec::new();
        for block in self.blocks() {
            let Block::Figure(figure) = block else { continue };
            let mut next = vec![figure];
            while let Some(figure) = next.pop() {
                out.extend(&figure.images);
                next.extend(figure.panels.iter().rev());
            }
        }
        out
    }

    /// All tables of the text, in their order.
    #[must_use]
    pub fn tables(&self) -> Vec<&Table> {
        let mut out = Vec::new();
        for block in self.blocks() {
            if let Block::Table(table) = block {
                out.push(table);
            }
        }
        out
    }

    /// All blocks with those inside others, in the order of the text.
    #[must_use]
    pub fn blocks(&self) -> Vec<&Block> {
        let mut out = Vec::new();
        let mut next: Vec<&Block> = self.summary.iter().chain(&self.body).rev().collect();
        while let Some(block) = next.pop() {
            out.push(block);
            match block {
                Block::List(list) => next.extend(list.items.iter().flatten().rev()),
                Block::Quote(blocks) => next.extend(blocks.iter().rev()),
                Block::Statement(statement) => next.extend(statement.content.iter().rev()),
                Block::Heading(_)
                | Block::Paragraph(_)
                | Block::Equation(_)
                | Block::Code(_)
                | Block::Table(_)
                | Block::Figure(_)
                | Block::Page(_)
                | Block::Source(_) => {}
            }
        }
        out
    }

    /// Counts a trouble, joining it with an equal one.
    pub fn trouble(&mut self, kind: TroubleKind, what: impl Into<String>) {
        let what = what.into();
        match self.troubles.iter_mut().find(|known| known.kind == kind && known.what == what) {
            Some(known) => known.count += 1,
            None => self.troubles.push(Trouble { kind, what, count: 1 }),
        }
    }
}

/// The words of inlines without any markup, mathematics as its TeX: for comparing, searching and titles.
#[must_use]
pub fn plain(content: &[Inline]) -> String {
    let mut out = String::new();
    push_plain(content, &mut out);
    out
}

fn push_plain(content: &[Inline], out: &mut String) {
    for inline in content {
        match inline {
            Inline::Text(text) | Inline::Math(text) | Inline::Code(text) | Inline::Source(text) => out.push_str(text),
            Inline::Emphasis(inner)
            | Inline::Strong(inner)
            | Inline::Superscript(inner)
            | Inline::Subscript(inner)
            | Inline::Link { content: inner, .. }
            | Inline::Reference { content: inner, .. }
            | Inline::Citation { content: inner, .. } => push_plain(inner, out),
            Inline::Break => out.push(' '),
            Inline::Footnote(_) | Inline::Anchor(_) => {}
        }
    }
}

/// Joins neighbouring texts with one blank between words, and takes blanks off both ends.
#[must_use]
pub fn tidy(content: Vec<Inline>) -> Vec<Inline> {
    let mut out: Vec<Inline> = Vec::with_capacity(content.len());
    for inline in content {
        match (inline, out.last_mut()) {
            (Inline::Text(text), Some(Inline::Text(last))) => last.push_str(&text),
            (inline, _) => out.push(inline),
        }
    }
    for inline in &mut out {
        if let Inline::Text(text) = inline {
            *text = one_blank(text);
        }
    }
    if let Some(Inline::Text(first)) = out.first_mut() {
        *first = first.trim_start().to_owned();
    }
    if let Some(Inline::Text(last)) = out.last_mut() {
        *last = last.trim_end().to_owned();
    }
    out.retain(|inline| !matches!(inline, Inline::Text(text) if text.is_empty()));
    if out
        .iter()
        .all(|inline| matches!(inline, Inline::Break) || matches!(inline, Inline::Text(text) if text.trim().is_empty()))
    {
        out.clear();
    }
    out
}

/// A text with one blank wherever it has white space.
#[must_use]
pub fn one_blank(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.chars() {
        match c.is_whitespace() {
            true if blank => {}
            true => out.push(' '),
            false => out.push(c),
        }
        blank = c.is_whitespace();
    }
    out
}
