//! How good a parse is, against what is known to be in the paper.
//!
//! | figure | what it is |
//! |---|---|
//! | `lcs` | words of the longest common subsequence with the prose, as a share of the prose: content and order |
//! | `eight_gram` | share of the prose's runs of eight words that stand in the text unbroken: columns, hyphens, interruptions |
//! | `heading_recall`, `heading_precision` | headings of the paper that are headings of the text, and the other way round |
//! | `references_split` | share of the reference list's entries whose first three words begin a line |
//! | `captions` | share of the captions whose first eight words stand in the text unbroken |
//! | symbols | how often signs stand in the text that a reader of PDFs is known to lose, against another reader's count |
//!
//! A word is a run of at least two letters, or of digits, in lower case after NFKC. Word scores alone would pass a reader that
//! loses every minus sign, which is why the signs are counted.

use regex::Regex;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;

/// What is known to be in a paper.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Truth {
    /// The body's paragraphs without mathematics and citations.
    pub prose: String,
    /// The headings without their numbers.
    pub headings: Vec<String>,
    /// The captions of figures and tables.
    pub captions: Vec<String>,
    /// The entries of the reference list.
    pub references: Vec<String>,
}

/// How good a text is; every figure is between 0 and 1, and absent where the truth has nothing of the kind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// See the table above.
    pub lcs: Option<f64>,
    /// See the table above.
    pub eight_gram: Option<f64>,
    /// See the table above.
    pub heading_recall: Option<f64>,
    /// See the table above.
    pub heading_precision: Option<f64>,
    /// See the table above.
    pub references_split: Option<f64>,
    /// See the table above.
    pub captions: Option<f64>,
    /// Headings of the paper that are none of the text: the worst places.
    pub missed_headings: Vec<String>,
    /// Headings of the text that are none of the paper.
    pub false_headings: Vec<String>,
    /// Entries of the reference list that begin no line.
    pub missed_references: Vec<String>,
}

/// Scores Markdown against the truth.
#[must_use]
pub fn score(markdown: &str, truth: &Truth) -> Score {
    let text = without_tags(markdown);
    let (ours, prose) = (words(&text), words(&truth.prose));
    let mut ids = Ids::default();
    let ours: Vec<u32> = ours.iter().map(|word| ids.of(word)).collect();
    let prose: Vec<u32> = prose.iter().map(|word| ids.of(word)).collect();
    let eights: HashSet<&[u32]> = ours.windows(8).collect();
    let wanted = prose.windows(8);
    let (all, found) = (wanted.len(), wanted.filter(|eight| eights.contains(eight)).count());

    let truth_headings: Vec<(String, &String)> =
        truth.headings.iter().map(|heading| (key(heading), heading)).filter(|(key, _)| !key.is_empty()).collect();
    let our_headings = headings(&text);
    let our_keys: HashSet<String> = our_headings.iter().map(|heading| key(heading)).collect();
    let truth_keys: HashSet<&String> = truth_headings.iter().map(|(key, _)| key).collect();
    let missed: Vec<String> = truth_headings
        .iter()
        .filter(|(key, _)| !our_keys.contains(key))
        .map(|(_, heading)| (*heading).clone())
        .collect();
    let wrong: Vec<String> =
        our_headings.iter().filter(|heading| !truth_keys.contains(&key(heading))).cloned().collect();

    let starts: HashSet<Vec<String>> = text.lines().filter_map(first_three).collect();
    let entries: Vec<(&String, Vec<String>)> =
        truth.references.iter().filter_map(|entry| Some((entry, first_three(entry)?))).collect();
    let missed_references: Vec<String> =
        entries.iter().filter(|(_, start)| !starts.contains(start)).map(|(entry, _)| (*entry).clone()).collect();

    let captions: Vec<Vec<u32>> = truth
        .captions
        .iter()
        .map(|caption| words(caption).iter().take(8).map(|word| ids.of(word)).collect::<Vec<u32>>())
        .filter(|start| !start.is_empty())
        .collect();
    let kept = captions.iter().filter(|start| ours.windows(start.len()).any(|at| at == start.as_slice())).count();

    Score {
        lcs: share(longest_common(&prose, &ours), prose.len()),
        eight_gram: share(found, all),
        heading_recall: share(truth_headings.len() - missed.len(), truth_headings.len()),
        heading_precision: match truth_headings.len() {
            0 => None,
            _ => share(our_headings.len() - wrong.len(), our_headings.len()).or(Some(0.0)),
        },
        references_split: share(entries.len() - missed_references.len(), entries.len()),
        captions: share(kept, captions.len()),
        missed_headings: missed,
        false_headings: wrong,
        missed_references,
    }
}

fn share(part: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

/// Words as numbers, so that they are compared at once.
#[derive(Default)]
struct Ids(HashMap<String, u32>);

impl Ids {
    fn of(&mut self, word: &str) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(word.to_owned()).or_insert(next)
    }
}

/// The words of a text.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let (mut word, mut digits) = (String::new(), false);
    let mut end = |word: &mut String, digits: bool| {
        if digits || word.chars().nth(1).is_some() {
            out.push(std::mem::take(word));
        }
        word.clear();
    };
    for c in text.nfkc().flat_map(char::to_lowercase) {
        if c.is_alphabetic() || c.is_numeric() {
            if !word.is_empty() && digits != c.is_numeric() {
                end(&mut word, digits);
            }
            digits = c.is_numeric();
            word.push(c);
        } else if !word.is_empty() {
            end(&mut word, digits);
        }
    }
    if !word.is_empty() {
        end(&mut word, digits);
    }
    out
}

/// The text without tags and the anchors of headings, which are no words of the paper, and without its escapes.
fn without_tags(markdown: &str) -> String {
    static TAGS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"<!--.*?-->|</?[a-zA-Z][^<>\n]*>|[ \t]\{#[^}\n]*\}|\]\(<[^>\n]*>\)").ok());
    let text = match &*TAGS {
        Some(tags) => tags.replace_all(markdown, " ").into_owned(),
        None => markdown.to_owned(),
    };
    let body =
        text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map_or(text.as_str(), |(_, body)| body);
    body.replace('\\', "")
}

/// The headings of a text but for its title, the abstract's and the reference list's, without their numbers.
fn headings(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.strip_prefix("##")?.trim_start_matches('#').strip_prefix(' '))
        .map(|heading| without_number(heading).to_owned())
        .filter(|heading| !matches!(key(heading).as_str(), "abstract" | "references" | ""))
        .collect()
}

fn without_number(heading: &str) -> &str {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:appendix\s+)?(?:[0-9]+|[A-Z]\.?[0-9]*|[IVX]+)(?:\.[0-9]+)*[.:)]?\s+(?i)").ok()
    });
    match NUMBER.as_ref().and_then(|number| number.find(heading)) {
        Some(found) => &heading[found.end()..],
        None => heading,
    }
}

/// A heading as it is compared: its letters and digits.
fn key(heading: &str) -> String {
    heading.nfkc().flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric()).collect()
}

fn first_three(line: &str) -> Option<Vec<String>> {
    let mut all = words(line.get(..400.min(line.len())).unwrap_or(line));
    (all.len() >= 3).then(|| {
        all.truncate(3);
        all
    })
}

/// The length of the longest common subsequence, 64 words at a step (Hyyrö 2004, "Bit-parallel LCS-length computation
/// revisited").
fn longest_common(a: &[u32], b: &[u32]) -> usize {
    let blocks = a.len().div_ceil(64);
    let mut places: HashMap<u32, Vec<u64>> = HashMap::new();
    for (at, word) in a.iter().enumerate() {
        places.entry(*word).or_insert_with(|| vec![0; blocks])[at / 64] |= 1 << (at % 64);
    }
    let mut row = vec![u64::MAX; blocks];
    for word in b {
        let Some(matches) = places.get(word) else { continue };
        let mut carry = false;
        for (bits, here) in row.iter_mut().zip(matches) {
            let met = *bits & here;
            let (sum, over) = bits.overflowing_add(met);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            carry = over || again;
            *bits = sum | (*bits & !here);
        }
    }
    row.iter()
        .enumerate()
        .map(|(at, bits)| {
            let held = if (at + 1) * 64 <= a.len() { u64::MAX } else { (1_u64 << (a.len() % 64)) - 1 };
            (!bits & held).count_ones() as usize
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slow(a: &[u32], b: &[u32]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut before = 0;
            for (at, y) in b.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if x == y { before + 1 } else { row[at].max(above) };
                before = above;
            }
        }
        row[b.len()]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn subsequences_are_as_long_as_the_plain_way_says(
            a in proptest::collection::vec(0_u32..6, 0..200),
            b in proptest::collection::vec(0_u32..6, 0..200),
        ) {
            prop_assert_eq!(longest_common(&a, &b), slow(&a, &b));
        }
    }

    #[test]
    fn words_are_letters_or_digits() {
        assert_eq!(words("The ﬁt of M31a at 2.5 kpc"), ["the", "fit", "of", "31", "at", "2", "5", "kpc"]);
    }

    #[test]
    fn a_text_is_scored() {
        let truth = Truth {
            prose: "one two three four five six seven eight nine ten".into(),
            headings: vec!["Data Reduction".into(), "Results".into()],
            captions: vec!["The light curve of the star".into()],
            references: vec!["Butler, R. P., Marcy, G. W. 1996, 108, 500".into(), "Zhu, W., & Dong, S. 2021".into()],
        };
        let text = "---\ntitle: \"T\"\n---\n# T\n\n## Abstract {#abstract}\n\n## 2.1 Data reduction {#S1}\n\none two three four five six seven eight nine\n\n## Wrong\n\n- <a id=\"r1\"></a>Butler, R. P., Marcy, G. W. 1996\n";
        let scored = score(text, &truth);
        assert_eq!(scored.lcs, Some(0.9));
        assert_eq!(scored.eight_gram, Some(2.0 / 3.0));
        assert_eq!((scored.heading_recall, scored.heading_precision), (Some(0.5), Some(0.5)));
        assert_eq!(
            (scored.missed_headings, scored.false_headings),
            (vec!["Results".to_owned()], vec!["Wrong".to_owned()])
        );
        assert_eq!(scored.references_split, Some(0.5));
        assert_eq!(scored.captions, Some(0.0));
    }
}
