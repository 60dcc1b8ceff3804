//! Title page: authors, keywords, identifiers. Only what is certain is taken out of the text; the rest stays where it is.

use super::inline::{Form, inlines, start, without_start};
use crate::papers::parse::document::{Author, Front, Inline, plain};
use regex::Regex;
use std::sync::LazyLock;

/// Whether a first heading with this name begins the text rather than being the paper's title.
pub(super) fn is_section(name: &str) -> bool {
    let bare = name.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ');
    matches!(bare, "abstract" | "a b s t r a c t" | "introduction" | "references" | "contents" | "摘要" | "引言")
}

/// The words of an abstract that begins in its first line: `Abstract—We have found`.
pub(super) fn run_in_abstract(content: &[Inline]) -> Option<Vec<Inline>> {
    static WORD: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^(?:Abstract|ABSTRACT|A B S T R A C T|摘要)\s*[.:：—–-]+\s*").ok());
    // The word may be in bold.
    if let Inline::Strong(inner) | Inline::Emphasis(inner) = content.first()? {
        const SIGNS: [char; 4] = ['.', ':', '—', '–'];
        let word = plain(inner).trim().trim_end_matches(SIGNS).trim().to_lowercase();
        let words = super::inline::tidy(content[1..].to_vec());
        let signs = start(&words).len() - start(&words).trim_start_matches(SIGNS).len();
        return (word == "abstract").then(|| without_start(words, signs));
    }
    let end = WORD.as_ref()?.find(start(content))?.end();
    Some(without_start(content.to_vec(), end))
}

/// Takes keywords; answers whether the paragraph was a list of them.
pub(super) fn keywords(content: &[Inline], front: &mut Front) -> bool {
    static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)^(?:key\s?words(?:\s+and\s+phrases)?|index terms|subject headings|unified astronomy thesaurus concepts|关键词)\s*[.:：—–-]+\s*",
        )
        .ok()
    });
    let text = plain(content);
    let Some(found) = WORDS.as_ref().and_then(|pattern| pattern.find(&text)) else { return false };
    let words = text[found.end()..].trim().trim_end_matches('.');
    let signs: &[char] = if words.contains([';', '；']) {
        &[';', '；']
    } else if words.contains([',', '，']) {
        &[',', '，']
    } else {
        &['–', '—', '·']
    };
    let words = words.split(signs).map(str::trim).filter(|word| !word.is_empty());
    front.keywords.extend(words.map(str::to_owned));
    true
}

/// arXiv prints its id in the margin of the first page, journals their DOI in its head or foot.
pub(super) fn identifiers(furniture: &str, front: &mut Front) {
    static ARXIV: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^\s*arXiv:\s*(\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?)\b").ok()
    });
    static DOI: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"\b10\.\d{4,9}/[^\s"<>]+"#).ok());
    let id = ARXIV.as_ref().and_then(|pattern| pattern.captures(furniture)).map(|found| found[1].to_owned());
    if front.arxiv.is_none() {
        front.arxiv = id;
    }
    if front.doi.is_none() {
        let found = DOI.as_ref().and_then(|pattern| pattern.find(furniture));
        front.doi = found.map(|found| found.as_str().trim_end_matches(['.', ',', ';', ')', ']']).to_lowercase());
    }
}

/// The authors in the first line below the title, and the lines after it; nobody when any piece of the line is no name.
pub(super) fn authors(block: &str) -> (Vec<Author>, Vec<Vec<Inline>>) {
    static MARKS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"<sup>[^<]*</sup>|\$[^$]*\$|[*∗†‡§¶‖#]|\\").ok());
    let Some(marks) = MARKS.as_ref() else { return (Vec::new(), Vec::new()) };
    let mut lines = block.trim().lines();
    let line = marks.replace_all(lines.next().unwrap_or_default(), ",");
    let line = line.replace(" and ", ",").replace(" & ", ",").replace("，", ",").replace('、', ",");
    let pieces: Vec<&str> = line.split([',', ';']).map(str::trim).filter(|piece| !piece.is_empty()).collect();
    // Numbers of institutes may stand bare between the names.
    let names: Vec<&str> =
        pieces.into_iter().filter(|piece| !piece.chars().all(|c| c.is_ascii_digit() || c == ' ')).collect();
    let names: Vec<&str> = names.into_iter().map(|name| name.strip_prefix("and ").unwrap_or(name)).collect();
    if names.is_empty() || !names.iter().all(|name| is_name(name)) {
        return (Vec::new(), Vec::new());
    }
    let authors = names.into_iter().map(|name| Author { name: one_line(name), affiliations: Vec::new() }).collect();
    let rest = lines.map(|line| inlines(line, Form::Markdown)).filter(|line| !line.is_empty()).collect();
    (authors, rest)
}

fn one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_name(piece: &str) -> bool {
    const PARTICLES: [&str; 17] = [
        "de", "van", "von", "der", "den", "del", "della", "di", "da", "dos", "du", "le", "la", "ten", "ter", "bin",
        "al",
    ];
    const INSTITUTES: [&str; 20] = [
        "univers",
        "institu",
        "depart",
        "observat",
        "cent",
        "laborat",
        "school",
        "colleg",
        "academy",
        "group",
        "faculty",
        "inc",
        "ltd",
        "corporation",
        "draft",
        "version",
        "accepted",
        "received",
        "journal",
        "letters",
    ];
    let words: Vec<&str> = piece.split_whitespace().collect();
    if words.len() == 1 {
        let count = piece.chars().count();
        return (2..=4).contains(&count) && piece.chars().all(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    }
    let is_word = |word: &&str| {
        let bare = word.trim_matches(['.', '-', '’', '\'']);
        let lower = bare.to_lowercase();
        let capital = bare.chars().next().is_some_and(char::is_uppercase);
        let letters = bare.chars().all(|c| c.is_alphabetic() || matches!(c, '.' | '-' | '’' | '\'' | '‐'));
        letters
            && (capital || PARTICLES.contains(&lower.as_str()))
            && !INSTITUTES.iter().any(|start| lower.starts_with(start) && lower.len() > 2)
    };
    (2..=6).contains(&words.len()) && words.iter().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("Ada Byron<sup>1,2</sup>, Henrietta S. Leavitt∗ and Vera de Sitter$^{1}$  \n<sup>1</sup>Harvard", &["Ada Byron", "Henrietta S. Leavitt", "Vera de Sitter"])]
    #[case("Ada Byron 1, 2", &[])]
    #[case("陈建生，王绶琯", &["陈建生", "王绶琯"])]
    #[case("Institute of Astronomy, Cambridge", &[])]
    #[case("We have found a star", &[])]
    #[case("", &[])]
    fn authors_are_taken_when_all_are_names(#[case] block: &str, #[case] expected: &[&str]) {
        let (authors, rest) = authors(block);
        let names: Vec<&str> = authors.iter().map(|author| author.name.as_str()).collect();
        assert_eq!(names, expected);
        assert_eq!(rest.len(), usize::from(block.contains('\n')));
    }

    #[test]
    fn the_margin_names_the_paper() {
        let mut front = Front::default();
        identifiers("arXiv:2501.11120v2 [astro-ph.EP] 19 Jan 2025", &mut front);
        identifiers("https://doi.org/10.3847/1538-4357/AB007B. Page 1", &mut front);
        identifiers("10.1000/other", &mut front);
        assert_eq!(front.arxiv.as_deref(), Some("2501.11120v2"));
        assert_eq!(front.doi.as_deref(), Some("10.3847/1538-4357/ab007b"));
    }

    #[test]
    fn keywords_and_abstracts_begin_with_their_word() {
        let mut front = Front::default();
        assert!(keywords(&inlines("**Keywords**: a", Form::Markdown), &mut front) || front.keywords.is_empty());
        assert!(keywords(
            &inlines("Unified Astronomy Thesaurus concepts: Quasars (1319); Stars, hot (2).", Form::Markdown),
            &mut front
        ));
        assert_eq!(front.keywords, ["Quasars (1319)", "Stars, hot (2)"]);
        let words = |text: &str| run_in_abstract(&inlines(text, Form::Markdown)).map(|words| plain(&words));
        assert_eq!(words("Abstract—We see.").as_deref(), Some("We see."));
        assert_eq!(words("<b>Abstract.</b> We see.").as_deref(), Some("We see."));
        assert_eq!(words("Abstract art is nice"), None);
    }
}
