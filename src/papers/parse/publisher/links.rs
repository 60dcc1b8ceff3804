//! What can only be said of the whole document: its size, and whether its links lead anywhere.

use super::DEEPEST;
use crate::papers::parse::document::{Block, Document, Figure, Inline, plain};
use std::collections::HashSet;

/// How much there is of a text.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    /// Bytes in paragraphs.
    pub(super) running: usize,
    /// Formulas, in paragraphs and set off.
    pub(super) formulas: usize,
    /// Headings.
    pub(super) headings: usize,
}

/// How much there is of a text.
pub(super) fn measure(blocks: &[Block]) -> Size {
    let mut size = Size::default();
    measured(blocks, &mut size, 0);
    size
}

fn measured(blocks: &[Block], size: &mut Size, depth: usize) {
    if depth > DEEPEST {
        return;
    }
    for block in blocks {
        match block {
            Block::Paragraph(content) => {
                size.running += plain(content).len();
                size.formulas += content.iter().filter(|one| matches!(one, Inline::Math(_))).count();
            }
            Block::Heading(_) => size.headings += 1,
            Block::Equation(_) => size.formulas += 1,
            Block::List(list) => list.items.iter().for_each(|item| measured(item, size, depth + 1)),
            Block::Quote(inner) => measured(inner, size, depth + 1),
            Block::Statement(statement) => measured(&statement.content, size, depth + 1),
            Block::Code(_) | Block::Table(_) | Block::Figure(_) | Block::Page(_) | Block::Source(_) => {}
        }
    }
}

/// Links to anchors that the document does not have become plain words.
pub(super) fn resolve(document: &mut Document) {
    let mut links = Links { anchors: HashSet::new(), fixes: false };
    for fixes in [false, true] {
        links.fixes = fixes;
        links.blocks(&mut document.summary, 0);
        links.blocks(&mut document.body, 0);
        for note in &mut document.footnotes {
            links.inlines(note, 0);
        }
        for entry in &mut document.references {
            links.anchors.insert(entry.key.clone());
            links.inlines(&mut entry.content, 0);
        }
    }
}

struct Links {
    anchors: HashSet<String>,
    /// First the anchors are gathered, then the links are looked at.
    fixes: bool,
}

impl Links {
    /// An anchor that stands twice on the page counts where it stands first.
    fn anchor(&mut self, anchor: &mut Option<String>) {
        if !self.fixes && anchor.as_ref().is_some_and(|anchor| !self.anchors.insert(anchor.clone())) {
            *anchor = None;
        }
    }

    fn blocks(&mut self, blocks: &mut [Block], depth: usize) {
        if depth > DEEPEST {
            return;
        }
        for block in blocks {
            match block {
                Block::Heading(heading) => {
                    self.anchor(&mut heading.anchor);
                    self.inlines(&mut heading.content, 0);
                }
                Block::Paragraph(content) => self.inlines(content, 0),
                Block::Equation(equation) => self.anchor(&mut equation.anchor),
                Block::List(list) => list.items.iter_mut().for_each(|item| self.blocks(item, depth + 1)),
                Block::Quote(inner) => self.blocks(inner, depth + 1),
                Block::Code(code) => self.anchor(&mut code.anchor),
                Block::Table(table) => {
                    self.anchor(&mut table.anchor);
                    self.inlines(&mut table.caption, 0);
                    for cell in table.rows.iter_mut().flat_map(|row| &mut row.cells) {
                        self.inlines(&mut cell.content, 0);
                    }
                    table.notes.iter_mut().for_each(|note| self.inlines(note, 0));
                }
                Block::Figure(figure) => self.figure(figure, depth),
                Block::Statement(statement) => {
                    self.anchor(&mut statement.anchor);
                    self.inlines(&mut statement.title, 0);
                    self.blocks(&mut statement.content, depth + 1);
                }
                Block::Page(_) | Block::Source(_) => {}
            }
        }
    }

    fn figure(&mut self, figure: &mut Figure, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        self.anchor(&mut figure.anchor);
        self.inlines(&mut figure.caption, 0);
        figure.panels.iter_mut().for_each(|panel| self.figure(panel, depth + 1));
    }

    fn inlines(&mut self, content: &mut Vec<Inline>, depth: usize) {
        if depth > 2 * DEEPEST {
            return;
        }
        let mut loosens = false;
        for inline in content.iter_mut() {
            match inline {
                Inline::Reference { anchor, content } => {
                    loosens |= self.fixes && !self.anchors.contains(anchor);
                    self.inlines(content, depth + 1);
                }
                Inline::Emphasis(inner)
                | Inline::Strong(inner)
                | Inline::Superscript(inner)
                | Inline::Subscript(inner)
                | Inline::Link { content: inner, .. }
                | Inline::Citation { content: inner, .. } => self.inlines(inner, depth + 1),
                Inline::Anchor(anchor) => {
                    self.anchors.insert(anchor.clone());
                }
                Inline::Text(_)
                | Inline::Math(_)
                | Inline::Code(_)
                | Inline::Footnote(_)
                | Inline::Break
                | Inline::Source(_) => {}
            }
        }
        if loosens {
            let mut out = Vec::with_capacity(content.len());
            for inline in std::mem::take(content) {
                let is_loose = matches!(&inline, Inline::Reference { anchor, .. } if !self.anchors.contains(anchor));
                if let (true, Inline::Reference { content, .. }) = (is_loose, &inline) {
                    out.extend(content.iter().cloned());
                } else {
                    out.push(inline);
                }
            }
            *content = out;
        }
    }
}
