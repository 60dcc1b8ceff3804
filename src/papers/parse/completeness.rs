//! How far a parsed paper is to be trusted: a score, and the reasons for what it lacks.
//!
//! Every defect takes a share of what is left, so that several small ones stay a small matter and one that makes a text useless
//! (it breaks off, a page gives 100 characters) cannot be hidden by everything else being well.

use super::document::{Block, Document, Figure, TroubleKind, plain};
use super::symbols::Symbols;
use serde::{Deserialize, Serialize};

/// A score with its reasons.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Completeness {
    /// From 0 (nothing of use) to 1 (nothing is known to be missing).
    pub score: f64,
    /// What is missing or broken, the worst first, in sentences for people.
    pub reasons: Vec<String>,
}

/// What others say of the paper, to compare with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Expected {
    /// How many entries its reference list has, as ADS knows.
    pub references: Option<usize>,
}

/// A page of print has some 3,000 to 6,000 characters; figures and tables take their place. Fewer than this, on the average of
/// all pages, and text was lost.
const CHARACTERS_OF_A_PAGE: usize = 700;

/// Judges a document and the Markdown that was written of it.
#[must_use]
pub fn judge(document: &Document, markdown: &str, expected: Expected) -> Completeness {
    let mut lacks: Vec<(f64, String)> = Vec::new();
    let counts = Counts::of(document);
    if document.troubles.iter().any(|trouble| trouble.kind == TroubleKind::Truncated) {
        lacks.push((0.5, "The source breaks off, so the text may end before the paper does.".into()));
    }
    if counts.characters < 1_500 {
        lacks.push((0.6, format!("There are only {} characters of text.", counts.characters)));
    }
    if let Some(pages) = document.pages.filter(|pages| *pages > 0) {
        let of_a_page = counts.characters / usize::try_from(pages).unwrap_or(usize::MAX).max(1);
        if of_a_page < CHARACTERS_OF_A_PAGE {
            lacks.push((0.4, format!("A page gave {of_a_page} characters on average: text may be in pictures.")));
        }
    }
    if counts.headings == 0 {
        lacks.push((0.25, "No section headings were found.".into()));
    }
    references(document, expected, &mut lacks);
    if document.front.title.is_empty() {
        lacks.push((0.1, "No title was found.".into()));
    }
    if document.front.authors.is_empty() {
        lacks.push((0.04, "No authors were found.".into()));
    }
    if document.summary.is_empty() {
        lacks.push((0.06, "No abstract was found.".into()));
    }
    troubles(document, &counts, &mut lacks);
    symbols(document, markdown, &mut lacks);
    if let Some(formulas) = document.counted.formulas.filter(|formulas| *formulas > counts.formulas) {
        let lost = formulas - counts.formulas;
        lacks.push((share(lost, formulas), format!("{lost} of {formulas} formulas are not in the text.")));
    }
    lacks.retain(|(weight, _)| *weight > 0.0);
    lacks.sort_by(|a, b| b.0.total_cmp(&a.0));
    let score = lacks.iter().fold(1.0, |left, (weight, _)| left * (1.0 - weight.min(1.0)));
    Completeness {
        score: (score * 1000.0).round() / 1000.0,
        reasons: lacks.into_iter().map(|(_, reason)| reason).collect(),
    }
}

fn share(part: usize, of: usize) -> f64 {
    if of == 0 { 0.0 } else { part as f64 / of as f64 }
}

fn references(document: &Document, expected: Expected, lacks: &mut Vec<(f64, String)>) {
    let found = document.references.len();
    match expected.references {
        Some(known) if known > 0 => {
            let off = share(known.abs_diff(found), known.max(found));
            if off > 0.1 {
                lacks.push((0.3 * off, format!("The reference list has {found} entries; ADS knows {known}.")));
            }
        }
        Some(_) | None if found == 0 => lacks.push((0.2, "No reference list was found.".into())),
        Some(_) | None => {}
    }
    // An entry of many lines is two that were not told apart.
    let long = document.references.iter().filter(|entry| plain(&entry.content).chars().count() > 900).count();
    if long * 10 > found && found > 0 {
        lacks.push((0.05, format!("{long} of {found} entries of the reference list may be several in one.")));
    }
}

fn troubles(document: &Document, counts: &Counts, lacks: &mut Vec<(f64, String)>) {
    for (kind, worst, what) in [
        (TroubleKind::SourceError, 0.3, "errors of the source's own conversion"),
        (TroubleKind::NotUnderstood, 0.3, "constructs are kept as source text"),
        (TroubleKind::Missing, 0.15, "parts are missing in the source"),
    ] {
        let count: usize =
            document.troubles.iter().filter(|trouble| trouble.kind == kind).map(|trouble| trouble.count as usize).sum();
        if count > 0 {
            lacks.push((worst * share(count * 4, counts.blocks + count).min(1.0), format!("{count} {what}.")));
        }
    }
    let unknown: usize = document
        .troubles
        .iter()
        .filter(|trouble| trouble.kind == TroubleKind::UnknownGlyph)
        .map(|trouble| trouble.count as usize)
        .sum();
    if unknown > 0 {
        let part = share(unknown, counts.characters + unknown);
        lacks.push((
            (part * 20.0).min(0.9),
            format!("{unknown} signs have no known meaning and are shown as \u{fffd}."),
        ));
    }
}

fn symbols(document: &Document, markdown: &str, lacks: &mut Vec<(f64, String)>) {
    let Some(source) = &document.counted.symbols else { return };
    for (name, kept) in Symbols::count(markdown).against(source) {
        let Some(kept) = kept.filter(|kept| *kept < 0.99) else { continue };
        let name = name.replace('_', "-");
        lacks.push((
            (1.0 - kept).min(0.4),
            format!("{:.0} % of the {name} signs are not in the text.", (1.0 - kept) * 100.0),
        ));
    }
}

/// What a document has.
#[derive(Debug, Default)]
struct Counts {
    characters: usize,
    headings: usize,
    blocks: usize,
    formulas: usize,
}

impl Counts {
    fn of(document: &Document) -> Self {
        let mut counts = Self::default();
        for block in document.blocks() {
            counts.blocks += 1;
            match block {
                Block::Heading(heading) => {
                    counts.headings += 1;
                    counts.inlines(&heading.content);
                }
                Block::Paragraph(content) => counts.inlines(content),
                Block::Equation(equation) => {
                    counts.formulas += 1;
                    counts.characters += equation.text.chars().count();
                }
                Block::Code(code) => counts.characters += code.text.chars().count(),
                Block::Table(table) => {
                    counts.inlines(&table.caption);
                    table.rows.iter().flat_map(|row| &row.cells).for_each(|cell| counts.inlines(&cell.content));
                    table.notes.iter().for_each(|note| counts.inlines(note));
                }
                Block::Figure(figure) => counts.figure(figure),
                Block::Source(source) => counts.characters += source.chars().count(),
                Block::Statement(statement) => counts.inlines(&statement.title),
                Block::List(_) | Block::Quote(_) | Block::Page(_) => {}
            }
        }
        document.references.iter().for_each(|entry| counts.inlines(&entry.content));
        document.footnotes.iter().for_each(|note| counts.inlines(note));
        counts.inlines(&document.front.title);
        counts
    }

    fn figure(&mut self, figure: &Figure) {
        let mut next = vec![figure];
        while let Some(figure) = next.pop() {
            self.inlines(&figure.caption);
            next.extend(&figure.panels);
        }
    }

    fn inlines(&mut self, content: &[super::document::Inline]) {
        use super::document::Inline;
        self.characters += plain(content).chars().count();
        let mut next: Vec<&Inline> = content.iter().collect();
        while let Some(inline) = next.pop() {
            match inline {
                Inline::Math(_) => self.formulas += 1,
                Inline::Emphasis(inner)
                | Inline::Strong(inner)
                | Inline::Superscript(inner)
                | Inline::Subscript(inner) => next.extend(inner),
                Inline::Link { content, .. } | Inline::Reference { content, .. } | Inline::Citation { content, .. } => {
                    next.extend(content)
                }
                Inline::Text(_)
                | Inline::Code(_)
                | Inline::Footnote(_)
                | Inline::Break
                | Inline::Anchor(_)
                | Inline::Source(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::parse::document::{Heading, Inline, Reference};

    fn whole() -> Document {
        let mut document = Document::default();
        document.front.title = vec![Inline::text("On stars")];
        document.front.authors = vec![Default::default()];
        document.summary = vec![Block::Paragraph(vec![Inline::text("They are.")])];
        document.body = vec![
            Block::Heading(Heading { level: 1, ..Heading::default() }),
            Block::Paragraph(vec![Inline::text("word ".repeat(600)), Inline::Math("x".into())]),
        ];
        document.references = vec![Reference::default(); 20];
        document
    }

    fn of(document: &Document, expected: Expected) -> Completeness {
        judge(document, &super::super::markdown::write(document), expected)
    }

    #[test]
    fn a_whole_paper_is_complete() {
        assert_eq!(of(&whole(), Expected::default()), Completeness { score: 1.0, reasons: Vec::new() });
        assert_eq!(of(&whole(), Expected { references: Some(21) }).score, 1.0);
    }

    #[test]
    fn what_is_missing_is_said_the_worst_first() {
        let mut broken = whole();
        broken.trouble(TroubleKind::Truncated, "cut");
        broken.references.clear();
        let judged = of(&broken, Expected::default());
        assert!((judged.score - 0.4).abs() < 1e-9, "{judged:?}");
        assert!(judged.reasons[0].contains("breaks off") && judged.reasons[1].contains("reference list"), "{judged:?}");
        let few = of(&whole(), Expected { references: Some(100) });
        assert!(few.score < 0.8 && few.reasons[0].contains("20 entries; ADS knows 100"), "{few:?}");
    }

    #[test]
    fn lost_signs_and_formulas_count() {
        let mut lost = whole();
        lost.counted.symbols = Some(Symbols { minus: 10, ..Symbols::default() });
        lost.counted.formulas = Some(4);
        let judged = of(&lost, Expected::default());
        assert!(judged.score < 0.3, "{judged:?}");
        assert!(
            judged.reasons.iter().any(|reason| reason.contains("minus"))
                && judged.reasons.iter().any(|reason| reason.contains("3 of 4 formulas"))
        );
    }

    #[test]
    fn pages_without_text_are_seen() {
        let mut scan = whole();
        scan.pages = Some(40);
        assert!(of(&scan, Expected::default()).reasons[0].contains("characters on average"));
    }
}
