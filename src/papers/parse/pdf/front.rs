//! The first page: title, authors, abstract.

use super::line::Shift;
use super::segment::{Body, Chunk, Text};
use super::text::{Runs, Vocabulary};
use crate::papers::parse::document::{Author, Front, Inline};
use regex::Regex;
use std::sync::LazyLock;

/// The place of the title among chunks: the largest text of the first page that has text.
pub(super) fn title(chunks: &[Chunk], body: &Body) -> Option<usize> {
    let first = chunks.iter().find_map(|chunk| match chunk {
        Chunk::Text(text) => Some(text.page),
        Chunk::Formula(..) | Chunk::Table { .. } | Chunk::Figure { .. } | Chunk::Page(_) => None,
    })?;
    // It stands above the abstract, where there is one.
    let before = texts(chunks)
        .find(|(_, text)| text.page == first && part(text) != Part::Other)
        .map_or(usize::MAX, |(at, _)| at);
    let mut best: Option<(usize, f32)> = None;
    for (at, text) in texts(chunks).filter(|(at, text)| text.page == first && *at < before) {
        let plain = text.plain();
        let letters = plain.chars().filter(|c| c.is_alphabetic()).count();
        if letters < 8 || plain.len() > 400 || text.label.is_some() || is_banner(&plain) {
            continue;
        }
        let bold = text.share(&body.styles, |style| style.bold) > 0.7;
        let size = text.size() + if bold { 0.6 } else { 0.0 };
        if best.is_none_or(|(_, known)| size > known + 0.3) {
            best = Some((at, size));
        }
    }
    if let Some((at, _)) = best.filter(|(_, size)| *size > 1.04 * body.size) {
        return Some(at);
    }
    // A title in the size of the text: the first centred or bold block that is no banner.
    texts(chunks)
        .take_while(|(_, text)| text.page == first && matches!(part(text), Part::Other))
        .find(|(_, text)| {
            let plain = text.plain();
            let bold = text.share(&body.styles, |style| style.bold) > 0.7;
            let centred = text.rows.iter().all(|row| ((row.x0 - row.left) - (row.right - row.x1)).abs() < 12.0);
            (bold || centred) && plain.split(' ').count() >= 3 && text.size() > 0.9 * body.size && !is_banner(&plain)
        })
        .map(|(at, _)| at)
}

/// What journals and templates print above the title.
fn is_banner(text: &str) -> bool {
    static BANNER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)^(draft version|accepted|submitted|received|preprint|mnras\s|compiled using|typeset using|astronomy\s*(&|and)\s*astrophysics|the astro\w+ journal|to appear|arxiv:|doi:)").ok()
    });
    BANNER.as_ref().is_some_and(|banner| banner.is_match(text.trim()))
}

fn texts(chunks: &[Chunk]) -> impl Iterator<Item = (usize, &Text)> {
    chunks.iter().enumerate().filter_map(|(at, chunk)| match chunk {
        Chunk::Text(text) => Some((at, text)),
        Chunk::Formula(..) | Chunk::Table { .. } | Chunk::Figure { .. } | Chunk::Page(_) => None,
    })
}

/// What a block of the first page is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The word `Abstract` alone.
    AbstractHeading,
    /// The abstract; the number of characters that the word takes where it begins the text.
    Abstract(usize),
    /// The keywords; the number of characters that their heading takes.
    Keywords(usize),
    /// Anything else.
    Other,
}

/// Tells a block of the first page.
pub(super) fn part(text: &Text) -> Part {
    static ABSTRACT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^(?:A\s?B\s?S\s?T\s?R\s?A\s?C\s?T|(?i:abstract))\s*[.:—–-]*\s*").ok());
    static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?i:key\s?words?|subject headings|unified astronomy thesaurus concepts)\s*[.:—–-]*\s*").ok()
    });
    let plain = text.plain();
    let plain = plain.trim();
    let length = |found: regex::Match<'_>| found.as_str().chars().count();
    if let Some(found) = ABSTRACT.as_ref().and_then(|pattern| pattern.find(plain)) {
        return if found.end() == plain.len() { Part::AbstractHeading } else { Part::Abstract(length(found)) };
    }
    match WORDS.as_ref().and_then(|pattern| pattern.find(plain)) {
        Some(found) => Part::Keywords(length(found)),
        None => Part::Other,
    }
}

/// The keywords of a block.
pub(super) fn keywords(text: &str) -> Vec<String> {
    let split: &[char] = if text.contains(['–', '—', ';']) { &['–', '—', ';'] } else { &[','] };
    text.split(split).map(|word| word.trim().trim_end_matches('.').to_owned()).filter(|word| !word.is_empty()).collect()
}

/// The authors of the block after the title, with the marks of their affiliations.
pub(super) fn authors(text: &Text) -> Vec<(String, Vec<String>)> {
    let mut out: Vec<(String, Vec<String>)> = Vec::new();
    let (mut name, mut marks) = (String::new(), String::new());
    let mut end = |name: &mut String, marks: &mut String| {
        for one in name.replace(" and ", ",").replace(" & ", ",").split([',', ';']) {
            let one = one.trim().trim_start_matches("and ").trim_matches(['*', '†', '‡', '§', '⋆', '.', ' ']).trim();
            let letters = one.chars().filter(|c| c.is_alphabetic()).count();
            if letters >= 3
                && one.split(' ').count() <= 6
                && one.contains(' ')
                && !one.chars().any(|c| c.is_ascii_digit())
            {
                out.push((one.to_owned(), Vec::new()));
            }
        }
        if let Some((_, own)) = out.last_mut() {
            own.extend(marks.split([',', ' ']).map(str::trim).filter(|mark| !mark.is_empty()).map(str::to_owned));
        }
        name.clear();
        marks.clear();
    };
    for row in &text.rows {
        for piece in &row.pieces {
            for char in &piece.chars {
                if char.shift == Shift::Up {
                    if char.blank {
                        marks.push(' ');
                    }
                    marks.push(char.c);
                    continue;
                }
                if !marks.is_empty() {
                    end(&mut name, &mut marks);
                }
                if char.blank {
                    name.push(' ');
                }
                name.push(char.c);
            }
            name.push(' ');
        }
    }
    end(&mut name, &mut marks);
    out
}

/// Whether a block begins with a raised mark.
pub(super) fn starts_raised(text: &Text) -> bool {
    text.rows.first().and_then(|row| row.pieces.first()?.chars.first()).is_some_and(|char| char.shift == Shift::Up)
}

/// Whether a text names an institution.
pub(super) fn names_a_place(text: &str) -> bool {
    [
        "Universit",
        "Institut",
        "Departe",
        "Departm",
        "Observator",
        "Center",
        "Centre",
        "School",
        "Laborator",
        "Academy",
        "@",
    ]
    .iter()
    .any(|word| text.contains(word))
}

/// The affiliations of a block whose parts begin with raised marks.
pub(super) fn affiliations(text: &Text) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    for row in &text.rows {
        for (at, piece) in row.pieces.iter().enumerate() {
            for (n, char) in piece.chars.iter().enumerate() {
                if char.shift == Shift::Up && (n == 0 || piece.chars[n - 1].shift == Shift::Up || char.blank) {
                    match out.last_mut() {
                        Some((mark, words)) if words.is_empty() => mark.push(char.c),
                        Some(_) | None => out.push((char.c.to_string(), String::new())),
                    }
                } else if let Some((_, words)) = out.last_mut() {
                    if char.blank || n == 0 && (at > 0 || !words.is_empty()) {
                        words.push(' ');
                    }
                    words.push(char.c);
                }
            }
        }
    }
    out.into_iter()
        .map(|(mark, words)| (mark, words.trim().trim_end_matches([';', ',']).to_owned()))
        .filter(|(_, words)| words.len() > 5)
        .collect()
}

/// Puts names and affiliations together.
pub(super) fn join(authors: Vec<(String, Vec<String>)>, affiliations: &[(String, String)]) -> Vec<Author> {
    authors
        .into_iter()
        .map(|(name, marks)| {
            let own =
                affiliations.iter().filter(|(mark, _)| marks.contains(mark)).map(|(_, words)| words.clone()).collect();
            Author { name, affiliations: own }
        })
        .collect()
}

/// Identifiers and dates that stand in running heads, banners and the margin.
pub(super) fn identifiers(front: &mut Front, texts: &[String]) {
    static ARXIV: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"arXiv:\s?((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?)").ok());
    static DOI: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b(10\.\d{4,9}/[^\s;,]+[^\s;,.)])").ok());
    let first = |pattern: &LazyLock<Option<Regex>>| {
        let pattern = pattern.as_ref()?;
        texts.iter().find_map(|text| Some(pattern.captures(text)?.get(1)?.as_str().to_owned()))
    };
    front.arxiv = front.arxiv.take().or_else(|| first(&ARXIV));
    front.doi = front.doi.take().or_else(|| first(&DOI).map(|doi| doi.to_lowercase()));
}

/// The title's words.
pub(super) fn title_words(text: &Text, words: &Vocabulary) -> Vec<Inline> {
    let mut runs = Runs::default();
    for row in &text.rows {
        runs.row(Runs::of_row(row), words);
    }
    // A mark at its end points to a footnote about the paper.
    runs.inlines(&|_| None)
        .into_iter()
        .filter(|inline| !matches!(inline, Inline::Superscript(inner) if is_mark(inner)))
        .collect()
}

fn is_mark(inner: &[Inline]) -> bool {
    matches!(inner, [Inline::Text(text)] if text.chars().all(|c| matches!(c, '*' | '†' | '‡' | '⋆' | '∗' | '★' | '§')))
}
