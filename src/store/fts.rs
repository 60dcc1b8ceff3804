//! Full text: one normaliser for what is indexed and what is asked, and match expressions that no input can break.
//!
//! Characters of Chinese, Japanese and Korean get a blank around them (a run becomes a phrase, so order counts), and
//! letters are split from digits, so that `M31`, `M 31`, `NGC1275` and `2401.01234v2` are found however they are typed.
//! FTS5's `unicode61` then folds case and diacritics and `porter` stems English.

/// Text as it is indexed.
#[must_use]
pub fn normalise(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut previous: Option<char> = None;
    for c in text.chars() {
        if let Some(p) = previous
            && needs_gap(p, c)
        {
            out.push(' ');
        }
        // NUL ends a string for SQLite's tokenizer; it never belongs to a text.
        out.push(if c == '\0' { ' ' } else { c });
        previous = Some(c);
    }
    out
}

fn needs_gap(before: char, after: char) -> bool {
    is_ideograph(before)
        || is_ideograph(after)
        || (before.is_alphabetic() && after.is_ascii_digit())
        || (before.is_ascii_digit() && after.is_alphabetic())
}

/// Characters that are written without blanks between words.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c),
        0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x323AF)
}

/// The words of a query as a match expression: every word quoted, all required, the last one as a prefix.
///
/// `None` when nothing is left to search for.
#[must_use]
pub fn match_expression(query: &str) -> Option<String> {
    let words = words(query);
    let (last, others) = words.split_last()?;
    let mut expression = String::new();
    for word in others {
        expression.push_str(&format!("\"{word}\" "));
    }
    // One-letter prefixes match half of the index.
    let star = if last.chars().count() > 1 || last.chars().any(is_ideograph) { "*" } else { "" };
    expression.push_str(&format!("\"{last}\"{star}"));
    Some(expression)
}

/// The words of a text as a match expression of which one has to occur: for finding what a text is about. Words of one or
/// two letters are left out, and at most `most` words are asked for.
#[must_use]
pub fn any_expression(text: &str, most: usize) -> Option<String> {
    let says_something =
        |word: &String| word.chars().count() > 2 || word.chars().any(|c| is_ideograph(c) || c.is_ascii_digit());
    let words: Vec<String> =
        words(text).into_iter().filter(says_something).take(most).map(|word| format!("\"{word}\"")).collect();
    (!words.is_empty()).then(|| words.join(" OR "))
}

/// The words of a query, normalised, without what the tokenizer drops.
fn words(query: &str) -> Vec<String> {
    query
        .split_whitespace()
        .map(|word| normalise(word).replace('"', " ").trim().to_owned())
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .collect()
}

/// A piece of a text around the first word of the query that occurs in it, and where the words stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// About 160 characters of the text, with an ellipsis where it was cut.
    pub text: String,
    /// Start and length of each match in `text`, in Unicode code points.
    pub highlights: Vec<(usize, usize)>,
}

/// Cuts a snippet out of the original text (the index holds the normalised one, which nobody wants to read).
#[must_use]
pub fn snippet(text: &str, query: &str) -> Snippet {
    const BEFORE: usize = 50;
    const LENGTH: usize = 160;
    let chars: Vec<char> = text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let folded: Vec<char> = chars.iter().map(|c| fold(*c)).collect();
    let needles: Vec<Vec<char>> = query
        .split_whitespace()
        .map(|word| stem(&word.chars().filter(|c| *c != '"').map(fold).collect::<Vec<_>>()).to_vec())
        .filter(|word| !word.is_empty())
        .collect();
    let first = needles.iter().filter_map(|needle| find(&folded, needle, 0)).min().unwrap_or(0);
    let start = first.saturating_sub(BEFORE);
    let end = (start + LENGTH).min(chars.len());
    let mut out = String::new();
    let lead = usize::from(start > 0);
    if lead == 1 {
        out.push('…');
    }
    out.extend(&chars[start..end]);
    if end < chars.len() {
        out.push('…');
    }
    let mut highlights = Vec::new();
    for needle in &needles {
        let mut from = start;
        while let Some(at) = find(&folded[..end], needle, from) {
            highlights.push((at - start + lead, needle.len()));
            from = at + needle.len();
        }
    }
    highlights.sort_unstable();
    highlights.dedup_by(|next, kept| next.0 < kept.0 + kept.1);
    Snippet { text: out, highlights }
}

/// Case folded one to one, so that positions stay.
fn fold(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(l), None) => l,
        _ => c,
    }
}

/// A word without an English ending, since the index matches stems.
fn stem(word: &[char]) -> &[char] {
    let text: String = word.iter().collect();
    for ending in ["ations", "ation", "ings", "ing", "ies", "es", "ed", "s", "e", "y"] {
        if text.len() > ending.len() + 3 && text.is_ascii() && text.ends_with(ending) {
            return &word[..word.len() - ending.len()];
        }
    }
    word
}

fn find(haystack: &[char], needle: &[char], from: usize) -> Option<usize> {
    if needle.is_empty() || haystack.len() < needle.len() {
        return None;
    }
    (from..=haystack.len() - needle.len()).find(|at| haystack[*at..].starts_with(needle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("M31", "M 31")]
    #[case("系外行星atm", "系 外 行 星 atm")]
    #[case("HD 209458b", "HD 209458 b")]
    fn names_are_split(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(normalise(text), expected);
    }

    #[rstest]
    #[case("", None)]
    #[case("\" * ( ) -", None)]
    #[case("M31 halo", Some("\"M 31\" \"halo\"*"))]
    #[case("a\"b OR", Some("\"a b\" \"OR\"*"))]
    fn queries_are_quoted(#[case] query: &str, #[case] expected: Option<&str>) {
        assert_eq!(match_expression(query).as_deref(), expected);
    }

    #[test]
    fn a_snippet_surrounds_the_match() {
        let text = format!("{} the atmosphere of TRAPPIST-1 b {}", "x".repeat(300), "y".repeat(300));
        let found = snippet(&text, "Atmospheres");
        assert!(found.text.starts_with('…') && found.text.ends_with('…'));
        let (start, length) = found.highlights[0];
        assert_eq!(found.text.chars().skip(start).take(length).collect::<String>(), "atmospher");
    }

    proptest! {
        #[test]
        fn snippets_never_panic_and_highlights_lie_inside(text in ".{0,300}", query in ".{0,40}") {
            let found = snippet(&text, &query);
            let length = found.text.chars().count();
            for (start, size) in found.highlights {
                prop_assert!(start + size <= length);
            }
        }
    }
}
