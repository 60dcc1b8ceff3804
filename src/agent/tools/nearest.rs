//! The names nearest to one that does not exist: what an error offers instead.

use std::collections::HashSet;

/// Names offered in the place of a wrong one.
const OFFERED: usize = 3;
/// Characters of a wrong name that are compared: what comes from a model can have any length.
const LONGEST: usize = 80;

/// The three names nearest to `wanted`, the nearest first.
///
/// Each candidate is a name and a text about it. Spelling counts, so do words in common with the name, and a little those
/// in common with the text: who asks for `fetch_pdf` should be offered the tool that fetches PDFs.
#[must_use]
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<&'a str> {
    let wanted: String = wanted.trim().chars().take(LONGEST).collect::<String>().to_lowercase();
    let words = words(&wanted);
    let mut scored: Vec<(f64, &str)> =
        candidates.into_iter().map(|(name, text)| (score(&wanted, &words, name, text), name)).collect();
    // Equal scores keep the order of the names, so that the same question has the same answer.
    scored.sort_by(|(a, one), (b, other)| b.total_cmp(a).then_with(|| one.cmp(other)));
    scored.into_iter().take(OFFERED).map(|(_, name)| name).collect()
}

/// How near a candidate is; greater is nearer.
fn score(wanted: &str, wanted_words: &HashSet<String>, name: &str, text: &str) -> f64 {
    let spelling = strsim::normalized_damerau_levenshtein(wanted, &name.to_lowercase());
    spelling + shared(wanted_words, &words(name)) + 0.4 * shared(wanted_words, &words(text))
}

/// The part of `wanted` that is among `offered`, from 0 to 1.
#[expect(clippy::cast_precision_loss, reason = "a name has a handful of words")]
fn shared(wanted: &HashSet<String>, offered: &HashSet<String>) -> f64 {
    if wanted.is_empty() {
        return 0.0;
    }
    wanted.intersection(offered).count() as f64 / wanted.len() as f64
}

/// The words of a name or a text, in lower case; a plural counts as its singular.
fn words(text: &str) -> HashSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| {
            let word = word.to_lowercase();
            match word.strip_suffix('s') {
                Some(singular) if singular.len() > 2 => singular.to_owned(),
                Some(_) | None => word,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const TOOLS: [(&str, &str); 6] = [
        ("download_paper", "Fetch the PDF of a paper"),
        ("get_paper_metadata", "Authors, journal and identifiers of a paper"),
        ("read_file", "Read a text file"),
        ("search_history", "Search earlier conversations"),
        ("search_papers", "Search ADS and arXiv"),
        ("file_write", "Create a file or replace its text"),
    ];

    #[rstest]
    #[case("search_paper", "search_papers")]
    #[case("serach_papers", "search_papers")]
    #[case("write_file", "file_write")]
    #[case("fetch_pdf", "download_paper")]
    #[case("Search_History", "search_history")]
    #[case("paper_metadata", "get_paper_metadata")]
    fn the_nearest_comes_first(#[case] wanted: &str, #[case] expected: &str) {
        assert_eq!(nearest(wanted, TOOLS)[0], expected);
    }

    #[test]
    fn anything_can_be_asked_for() {
        for wanted in ["", " ", "\u{0}", "天文", &"x_".repeat(100_000)] {
            assert_eq!(nearest(wanted, TOOLS).len(), 3);
        }
        assert_eq!(nearest("x", []), Vec::<&str>::new());
    }
}
