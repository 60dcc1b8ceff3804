//! Labels of floats, numbers of sections and of formulas: what MinerU leaves in the words.

use super::inline::{start, without_start};
use crate::papers::parse::document::{Inline, plain};
use regex::Regex;
use std::sync::LazyLock;

/// What kind of float a label is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Float {
    Figure,
    Table,
    /// An algorithm or a listing.
    Code,
}

/// A label, where there is one, and the words behind it.
pub(super) type Caption = (Option<(Float, String)>, Vec<Inline>);

static LABEL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x)^\s*
        (?: (?<figure> (?:Extended\ Data\ )? (?:Figure|Fig\.?|FIGURE|FIG\.?|Plate|Scheme|图) )
          | (?<table>  (?:Extended\ Data\ )? (?:Table|Tab\.?|TABLE|TAB\.?|表) )
          | (?<code>   Algorithm|ALGORITHM|Listing ) )
        \s* (?<number> (?:[A-Z]\.?)?\d+(?:\.\d+)*[a-z]? | [IVXL]+\b )
        \s* (?: [.:|—–-]+ (?:\s+|$) | [.:|—–] | \s+ | $ )",
    )
    .ok()
});

/// Takes the label off a caption: `Figure 3: A star` is `Figure 3` and `A star`.
pub(super) fn label(caption: Vec<Inline>) -> Caption {
    match find(start(&caption)) {
        Some((float, label, end)) => (Some((float, label)), without_start(caption, end)),
        None => (None, caption),
    }
}

fn find(text: &str) -> Option<(Float, String, usize)> {
    let found = LABEL.as_ref()?.captures(text)?;
    let kinds = [("figure", Float::Figure), ("table", Float::Table), ("code", Float::Code)];
    let (float, word) = kinds.into_iter().find_map(|(name, kind)| Some((kind, found.name(name)?.as_str())))?;
    // Chinese writes no blank between the word and the number.
    let gap = if word.is_ascii() { " " } else { "" };
    Some((float, format!("{word}{gap}{}", &found["number"]), found.get(0)?.end()))
}

/// A caption of one panel: `(a) Before the burst`.
pub(super) fn is_panel(caption: &[Inline]) -> bool {
    let text = start(caption).as_bytes();
    matches!(text, [b'(', letter, b')', ..] if letter.is_ascii_lowercase())
}

/// How the sections of a paper are numbered so far; what a heading's first letter means hangs on it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Numbering {
    /// Sections have Roman numbers, so letters are subsections.
    roman: bool,
    /// The appendices have begun: a letter is a section.
    pub appendix: bool,
}

impl Numbering {
    /// The number, the level that it says, and the words of a heading.
    pub(super) fn split(&mut self, heading: Vec<Inline>) -> (Option<(String, u8)>, Vec<Inline>) {
        static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
            Regex::new(
                r"(?x)^(?:
                (?<arabic> \d{1,2}(?:\.\d{1,2}){0,4} ) (?<stop> \.? ) \s+
              | (?<appendix> Appendix\s+[A-Z](?:\.\d{1,2}){0,3} ) (?: [.:]?\s+ | [.:]?$ )
              | (?<lettered> [A-Z](?:\.\d{1,2}){1,4} ) \.? \s+
              | (?<roman> [IVX]{1,5} ) \. \s+
              | (?<letter> [A-Z] ) (?<dot> \.? ) \s+ )",
            )
            .ok()
        });
        let Some(found) = NUMBER.as_ref().and_then(|pattern| pattern.captures(start(&heading))) else {
            return (None, heading);
        };
        let end = found.get(0).map_or(0, |all| all.end());
        let deep = |number: &str| u8::try_from(number.matches('.').count() + 1).unwrap_or(5).min(5);
        let taken = if let Some(number) = found.name("arabic") {
            // `2023 January` is no number; a year has four digits, which the pattern leaves out.
            Some((number.as_str().to_owned(), deep(number.as_str())))
        } else if let Some(number) = found.name("appendix") {
            self.appendix = true;
            let number = number.as_str().trim_start_matches("Appendix").trim();
            Some((number.to_owned(), deep(number)))
        } else if let Some(number) = found.name("lettered") {
            Some((number.as_str().to_owned(), deep(number.as_str())))
        } else if let Some(number) = found.name("roman").filter(|number| self.roman || number.as_str() == "I") {
            self.roman = true;
            Some((number.as_str().to_owned(), 1))
        } else {
            // `A survey of quasars` begins with a letter that is a word.
            let letter = found.name("letter").or_else(|| found.name("roman")).map_or("", |letter| letter.as_str());
            let dot = found.name("roman").is_some() || found.name("dot").is_some_and(|dot| !dot.is_empty());
            match (letter.len(), self.appendix, self.roman, dot) {
                (1, true, _, _) => Some((letter.to_owned(), 1)),
                (1, false, true, true) => Some((letter.to_owned(), 2)),
                (1, false, false, true) => Some((letter.to_owned(), 1)),
                _ => None,
            }
        };
        match taken {
            Some(taken) => (Some(taken), without_start(heading, end)),
            None => (None, heading),
        }
    }
}

/// A formula without its delimiters, and the numbers that its tags name.
pub(super) fn formula(text: &str) -> (String, Option<String>) {
    static TAG: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\s*\\(?:tag\s*\*?\s*\{([^{}]*)\}|eqno\s*\{?\s*(\([^(){}]*\))\s*\}?)").ok());
    let mut tex = text.trim();
    for (open, close) in [("$$", "$$"), (r"\[", r"\]"), ("$", "$")] {
        if let Some(inner) = tex.strip_prefix(open).and_then(|rest| rest.strip_suffix(close)) {
            tex = inner.trim();
            break;
        }
    }
    let Some(pattern) = TAG.as_ref() else { return (tex.to_owned(), None) };
    let numbers: Vec<String> = pattern
        .captures_iter(tex)
        .filter_map(|found| found.get(1).or_else(|| found.get(2)))
        .map(|number| number.as_str().trim().trim_matches(['(', ')', '$']).trim().to_owned())
        .filter(|number| !number.is_empty())
        .collect();
    let bare = pattern.replace_all(tex, "").trim().to_owned();
    (bare, (!numbers.is_empty()).then(|| numbers.join(", ")))
}

/// The words of a heading in lower case without its number or a stop, to know the known ones by.
pub(super) fn name(content: &[Inline]) -> String {
    plain(content).trim().trim_end_matches(['.', ':', '—', '-']).trim().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::parse::mineru::inline::{Form, inlines};
    use rstest::rstest;

    #[rstest]
    #[case("Figure 3: A star.", Some("Figure 3"), "A star.")]
    #[case("Fig. 2. (a) Before", Some("Fig. 2"), "(a) Before")]
    #[case("FIG. 12—Spectra", Some("FIG. 12"), "Spectra")]
    #[case("TABLE IV", Some("TABLE IV"), "")]
    #[case("Table A1 Planets", Some("Table A1"), "Planets")]
    #[case("Algorithm 1 Fit a line", Some("Algorithm 1"), "Fit a line")]
    #[case("Extended Data Fig. 1 | Orbits", Some("Extended Data Fig. 1"), "Orbits")]
    #[case("图3 光谱", Some("图3"), "光谱")]
    #[case("Figures are nice", None, "Figures are nice")]
    #[case("Table of contents", None, "Table of contents")]
    fn labels_leave_their_captions(#[case] text: &str, #[case] expected: Option<&str>, #[case] words: &str) {
        let (found, rest) = label(inlines(text, Form::Markdown));
        assert_eq!(found.map(|(_, label)| label).as_deref(), expected);
        assert_eq!(plain(&rest), words);
    }

    #[rstest]
    #[case(false, false, "1 Introduction", Some(("1", 1)), "Introduction")]
    #[case(false, false, "2. Methods", Some(("2", 1)), "Methods")]
    #[case(false, false, "4.1.2 Seeing", Some(("4.1.2", 3)), "Seeing")]
    #[case(false, false, "2023 in review", None, "2023 in review")]
    #[case(false, false, "I. INTRODUCTION", Some(("I", 1)), "INTRODUCTION")]
    #[case(true, false, "B. Data", Some(("B", 2)), "Data")]
    #[case(true, false, "V. Results", Some(("V", 1)), "Results")]
    #[case(false, false, "A survey of quasars", None, "A survey of quasars")]
    #[case(false, true, "A Datasets", Some(("A", 1)), "Datasets")]
    #[case(false, true, "A.1 Priors", Some(("A.1", 2)), "Priors")]
    #[case(false, false, "Appendix B: Tests", Some(("B", 1)), "Tests")]
    #[case(false, false, "Conclusions", None, "Conclusions")]
    fn headings_have_numbers(
        #[case] roman: bool,
        #[case] appendix: bool,
        #[case] text: &str,
        #[case] expected: Option<(&str, u8)>,
        #[case] words: &str,
    ) {
        let mut numbering = Numbering { roman, appendix };
        let (number, rest) = numbering.split(inlines(text, Form::Markdown));
        assert_eq!(number.as_ref().map(|(number, level)| (number.as_str(), *level)), expected);
        assert_eq!(plain(&rest), words);
    }

    #[rstest]
    #[case("$$\nE=mc^2 \\tag{1}\n$$", "E=mc^2", Some("1"))]
    #[case("$$a \\tag*{(2a)}$$", "a", Some("2a"))]
    #[case("a \\eqno(3)", "a", Some("3"))]
    #[case("$$a\\tag{4}\\\\ b\\tag{5}$$", "a\\\\ b", Some("4, 5"))]
    #[case("$$\nx\n$$", "x", None)]
    #[case("$$$$", "", None)]
    #[case("$$", "", None)]
    fn formulas_lose_their_marks(#[case] text: &str, #[case] tex: &str, #[case] number: Option<&str>) {
        assert_eq!(formula(text), (tex.to_owned(), number.map(str::to_owned)));
    }
}
