//! What the user laid down: sentences that a summary must not lose or reword.
//!
//! Two sources are joined: sentences that code recognises by the words people use when they lay something down, and those
//! that the model names, which count only if they stand word for word in what the user wrote.

use std::collections::HashSet;

/// Words of which one makes an English sentence a constraint; lower case, whole words.
const MARKS: &[&str] = &[
    "must",
    "always",
    "never",
    "only",
    "don't",
    "dont",
    "do not",
    "should",
    "shouldn't",
    "avoid",
    "prefer",
    "ensure",
    "make sure",
    "remember",
    "from now on",
    "at least",
    "at most",
    "no more than",
    "no less than",
    "exclude",
    "include",
    "except",
    "unless",
    "without",
    "instead of",
    "use",
    "keep",
    "require",
    "required",
    "limit",
    "ignore",
    "assume",
    "please",
    "cannot",
    "can't",
    "not allowed",
    "forbidden",
    "restrict",
    "within",
    "in the form",
    "format",
    "cite",
    "call me",
    "i want",
    "i need",
    "i prefer",
];

/// The same in Chinese and Japanese, where words have no blanks around them.
const IDEOGRAPHIC_MARKS: &[&str] = &[
    "必须",
    "必須",
    "务必",
    "不要",
    "不得",
    "不能",
    "不可",
    "禁止",
    "只",
    "仅",
    "总是",
    "始终",
    "一定",
    "从现在起",
    "以后",
    "请",
    "避免",
    "尽量",
    "优先",
    "至少",
    "至多",
    "不超过",
    "除了",
    "除非",
    "使用",
    "保持",
    "记住",
    "应该",
    "应当",
    "别",
    "要求",
    "限制",
    "假设",
    "忽略",
    "しない",
    "してください",
    "必ず",
    "だけ",
    "のみ",
];

/// A sentence that is longer is cut no further but taken whole; a text without any end is one sentence up to here.
const LONGEST: usize = 600;

/// The constraints in one message of the user, word for word, in their order.
#[must_use]
pub fn of_message(text: &str) -> Vec<&str> {
    sentences(text).into_iter().filter(|sentence| lays_down(sentence)).collect()
}

/// Whether `quote` stands word for word in one of these texts; white space may differ.
#[must_use]
pub fn is_verbatim(quote: &str, texts: &[&str]) -> bool {
    let quote = collapse(quote);
    !quote.is_empty() && texts.iter().any(|text| collapse(text).contains(&quote))
}

/// Joins constraints, each once, in the order of their first appearance.
#[must_use]
pub fn joined(all: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    all.into_iter().filter(|constraint| seen.insert(collapse(constraint).to_lowercase())).collect()
}

fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn lays_down(sentence: &str) -> bool {
    if IDEOGRAPHIC_MARKS.iter().any(|mark| sentence.contains(mark)) {
        return true;
    }
    let words: Vec<String> = sentence
        .split(|c: char| !(c.is_alphanumeric() || c == '\'' || c == '’'))
        .filter(|word| !word.is_empty())
        .map(|word| word.to_lowercase().replace('’', "'"))
        .collect();
    let line = format!(" {} ", words.join(" "));
    MARKS.iter().any(|mark| line.contains(&format!(" {mark} ")))
}

/// The sentences of a text: ended by `.`, `!`, `?`, `;` before white space, their ideographic kin, or a line's end.
fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut start = 0;
        let mut characters = line.char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            let end = at + c.len_utf8();
            let ends = match c {
                '。' | '！' | '？' | '；' => true,
                '.' | '!' | '?' | ';' => {
                    characters.peek().is_none_or(|(_, next)| next.is_whitespace()) && !abbreviates(&line[start..at], c)
                }
                _ => end - start >= LONGEST && c.is_whitespace(),
            };
            if ends {
                found.push(&line[start..end]);
                start = end;
            }
        }
        found.push(&line[start..]);
    }
    found.into_iter().map(str::trim).filter(|sentence| sentence.chars().any(char::is_alphanumeric)).collect()
}

/// Whether a full stop after this text belongs to an abbreviation: `et al`, `e.g`, `Fig`, an initial.
fn abbreviates(before: &str, c: char) -> bool {
    let last = before.rsplit(char::is_whitespace).next().unwrap_or_default().trim_start_matches('(');
    c == '.'
        && (matches!(
            last.to_lowercase().as_str(),
            "al" | "e.g" | "i.e" | "cf" | "fig" | "eq" | "sec" | "vs" | "no" | "approx"
        ) || last.chars().count() == 1 && last.chars().all(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case("Find papers on TRAPPIST-1. Use ICRS coordinates only. Thanks!", &["Use ICRS coordinates only."])]
    #[case("Never cite e.g. Smith et al. 2010 here.", &["Never cite e.g. Smith et al. 2010 here."])]
    #[case("What is its mass?", &[])]
    #[case("请只用 2015 年以后的论文。它的质量是多少？", &["请只用 2015 年以后的论文。"])]
    #[case("- don’t use arXiv\n- what about H0\n- at most 3.5 sigma", &["- don’t use arXiv", "- at most 3.5 sigma"])]
    fn sentences_that_lay_something_down(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(of_message(text), expected);
    }

    #[test]
    fn only_what_the_user_wrote_is_a_quotation() {
        let texts = ["Use  ICRS\ncoordinates only."];
        assert!(is_verbatim("Use ICRS coordinates", &texts));
        assert!(!is_verbatim("Use galactic coordinates", &texts));
        assert!(!is_verbatim("  ", &texts));
        assert_eq!(joined(["A b".into(), "a  B".into(), "c".into()]), ["A b", "c"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_found_stands_in_the_text(text in "\\PC{0,300}( must [a-z.]{0,20}\n)?") {
            for constraint in of_message(&text) {
                prop_assert!(text.contains(constraint));
            }
        }
    }
}
