//! Which blocks are headings: by the style they are set in and by their numbers.
//!
//! Numbers decide where there are any: a line set apart from the text whose number follows the last heading's is a heading, and
//! shows what headings of its level look like. Lines without a number are headings when they look like one of those, or when
//! they are among the few that nearly all papers have.

use super::segment::{Body, Text, starts_item};
use regex::Regex;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A heading that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) level: u8,
    pub(super) number: Option<String>,
    /// How many characters of the text the number takes.
    pub(super) skip: usize,
}

/// What a line looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Look {
    size: i32,
    bold: bool,
    italic: bool,
    caps: Caps,
    centred: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Caps {
    None,
    Small,
    All,
}

struct Candidate {
    at: usize,
    look: Look,
    number: Option<(Vec<String>, String, usize)>,
    words: String,
    apart: bool,
}

/// Finds the headings among blocks.
pub(super) fn find(blocks: &[(usize, &Text)], body: &Body) -> HashMap<usize, Found> {
    let mut candidates: Vec<Candidate> = blocks.iter().filter_map(|(at, text)| candidate(*at, text, body)).collect();
    // A table of contents has the same words, with the pages behind them.
    if candidates.iter().any(|one| matches!(one.words.to_lowercase().as_str(), "contents" | "table of contents")) {
        candidates.retain(|one| !ends_in_page(&one.words));
    }
    let mut found: HashMap<usize, Found> = HashMap::new();
    let mut looks: HashMap<Look, (u8, u32)> = HashMap::new();
    let mut numbers = Numbers::default();
    for one in &candidates {
        let Some((parts, label, skip)) = &one.number else { continue };
        if one.apart
            && let Some(level) = numbers.follows(parts)
        {
            found.insert(one.at, Found { level, number: Some(label.clone()), skip: *skip });
            let seen = looks.entry(one.look).or_insert((level, 0));
            seen.1 += 1;
        }
    }
    let numbered = !found.is_empty();
    for one in candidates.iter().filter(|one| one.number.is_none()) {
        if is_known(&one.words) && one.apart {
            looks.entry(one.look).or_insert((1, 0)).1 += 1;
            let level = looks.get(&one.look).map_or(1, |(level, _)| *level);
            found.insert(one.at, Found { level, number: None, skip: 0 });
        }
    }
    // Without numbers the looks that come back are those of headings; the larger one is the higher.
    if !numbered {
        let mut seen: HashMap<Look, u32> = HashMap::new();
        for one in
            candidates.iter().filter(|one| one.apart && (one.look.bold || one.look.size > (body.size * 2.0) as i32 + 1))
        {
            *seen.entry(one.look).or_default() += 1;
        }
        let mut ranked: Vec<Look> = seen.iter().filter(|(_, count)| **count >= 2).map(|(look, _)| *look).collect();
        ranked.sort_by_key(|look| (-look.size, !look.bold, look.italic));
        for (rank, look) in ranked.iter().enumerate() {
            let level = u8::try_from(rank + 1).unwrap_or(5).min(4);
            looks.entry(*look).or_insert((level, 1));
        }
    }
    for one in &candidates {
        if found.contains_key(&one.at) || !one.apart || one.number.is_some() && numbered {
            continue;
        }
        let strong = one.look.bold
            || one.look.caps != Caps::None
            || one.look.size > (body.size * 2.0) as i32 + 1
            || one.look.italic;
        if let Some((level, _)) = looks.get(&one.look).filter(|_| strong) {
            found.insert(one.at, Found { level: *level, number: None, skip: 0 });
        }
    }
    // The word alone above the first appendix's own heading is no section.
    let after: Vec<usize> = blocks
        .windows(2)
        .filter(|two| {
            matches!(two[0].1.plain().trim().to_lowercase().as_str(), "appendix" | "appendices")
                && found.contains_key(&two[1].0)
        })
        .map(|two| two[0].0)
        .collect();
    found.retain(|at, _| !after.contains(at));
    found
}

fn candidate(at: usize, text: &Text, body: &Body) -> Option<Candidate> {
    if text.rows.len() > 4 || text.label.is_some() || text.rows.first().is_some_and(starts_item) {
        return None;
    }
    let plain = text.plain();
    let plain = plain.trim();
    let letters: Vec<char> = plain.chars().filter(|c| c.is_alphabetic()).collect();
    if letters.len() < 3 || plain.chars().count() > 180 {
        return None;
    }
    let number = number_of(plain);
    let words = match &number {
        Some((.., skip)) => plain.chars().skip(*skip).collect::<String>(),
        None => plain.to_owned(),
    };
    // A heading begins with a capital or a sign, and does not end in the middle of something.
    let first = words.chars().find(|c| c.is_alphanumeric())?;
    let continued = words.ends_with("continued") || words.ends_with("continued)");
    if first.is_lowercase() || words.ends_with([',', ';', '=', '-']) || continued {
        return None;
    }
    let small = text.share(&body.styles, |style| style.small_caps) > 0.6 || drawn_small_caps(text);
    let upper = letters.iter().filter(|c| c.is_uppercase()).count() * 10 >= letters.len() * 9;
    let size = if small { largest(text) } else { text.size() };
    let row = text.rows.first()?;
    let (before, after) = (row.x0 - row.left, row.right - row.x1);
    let look = Look {
        size: (size * 2.0).round() as i32,
        bold: text.share(&body.styles, |style| style.bold) > 0.7,
        italic: text.share(&body.styles, |style| style.italic) > 0.7,
        caps: if small {
            Caps::Small
        } else if upper {
            Caps::All
        } else {
            Caps::None
        },
        centred: before > 1.5 * size && (before - after).abs() < 0.08 * (row.right - row.left),
    };
    let distinct = look.bold || look.italic || look.caps != Caps::None || size > 1.06 * body.size || look.centred;
    // A number alone is enough where the line is in another font than the text.
    let distinct = distinct || number.is_some() && size > 0.96 * body.size && text.in_font(body.font) < 0.2;
    let spaced = text.above.is_none_or(|above| above > 1.15 * size.max(body.size));
    let tiny = size < if look.centred && look.caps != Caps::None { 0.72 } else { 0.85 } * body.size;
    let sentence = plain.ends_with('.') && number.is_none() && plain.split(' ').count() > 3;
    Some(Candidate { at, look, number, words, apart: distinct && spaced && !tiny && !sentence })
}

fn ends_in_page(words: &str) -> bool {
    words.rsplit_once(' ').is_some_and(|(_, page)| page.len() <= 3 && page.chars().all(|c| c.is_ascii_digit()))
}

/// The size of the largest letters.
fn largest(text: &Text) -> f32 {
    let chars = text.rows.iter().flat_map(|row| &row.pieces).flat_map(|piece| &piece.chars);
    chars.filter(|char| char.c.is_alphabetic()).map(|char| char.size).fold(0.0, f32::max)
}

/// Small capitals that are made of capitals of two sizes.
fn drawn_small_caps(text: &Text) -> bool {
    let chars = || {
        text.rows
            .iter()
            .flat_map(|row| &row.pieces)
            .flat_map(|piece| &piece.chars)
            .filter(|char| char.c.is_alphabetic())
    };
    let largest = chars().map(|char| char.size).fold(0.0, f32::max);
    let (mut small, mut all) = (0, 0);
    for char in chars() {
        if char.c.is_lowercase() {
            return false;
        }
        all += 1;
        small += usize::from(char.size < 0.88 * largest);
    }
    all >= 4 && small * 2 > all
}

/// The number at the beginning of a line: its parts, as printed, and how many characters it takes.
pub(super) fn number_of(text: &str) -> Option<(Vec<String>, String, usize)> {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?:(?i:appendix|section)\s+)?((?:\d{1,2}|[A-Z]|[IVX]{1,5})(?:\.?\d{1,2})?(?:\.\d{1,2}){0,3})(?:[.:)]\s*|\s+)\S").ok()
    });
    let found = NUMBER.as_ref()?.captures(text)?;
    let label = found.get(1)?.as_str();
    let length = found.get(0)?.as_str().chars().count() - 1;
    let mut parts: Vec<String> = Vec::new();
    for part in label.split('.') {
        // `A1` is the first part of appendix A.
        let split = part.find(|c: char| c.is_ascii_digit()).filter(|at| *at > 0);
        match split {
            Some(at) => parts.extend([part[..at].to_owned(), part[at..].to_owned()]),
            None if !part.is_empty() => parts.push(part.to_owned()),
            None => {}
        }
    }
    // `A` alone is as often the article as an appendix: only with a stop, or before capitals.
    (!parts.is_empty()).then(|| (parts, label.to_owned(), length))
}

/// The last number, and whether another one follows it.
#[derive(Default)]
struct Numbers {
    last: Vec<u32>,
    /// Whether the first part is a letter or a Roman number.
    letters: bool,
    /// Whether sections have Roman numbers, so that a letter is a subsection's and a digit that of one below.
    roman: bool,
}

impl Numbers {
    /// The level of the heading with this number, if it comes next.
    fn follows(&mut self, parts: &[String]) -> Option<u8> {
        let (mut next, mut letters) = values(parts)?;
        let single = parts.len() == 1;
        if self.roman
            && single
            && !self.last.is_empty()
            && !(letters && next[0] == self.last[0] + 1 && parts[0].len() > 1)
        {
            let letter =
                parts[0].chars().next().filter(char::is_ascii_uppercase).map(|c| u32::from(c) - u32::from('A') + 1);
            match letter {
                Some(letter) if self.last.get(1).map_or(1, |last| last + 1) == letter => {
                    (next, letters) = (vec![self.last[0], letter], true)
                }
                Some(_) => {}
                None if self.last.len() >= 2 => (next, letters) = (vec![self.last[0], self.last[1], next[0]], true),
                None => return None,
            }
        }
        let fits = if letters != self.letters || self.last.is_empty() {
            // The first section, or the first appendix, or a paper that begins with its second heading.
            next[0] == 1 && next[1..].iter().all(|part| *part == 1) && (!letters || parts[0] == "A" || parts[0] == "I")
                || (self.last.is_empty() && next.len() == 1 && next[0] <= 2)
        } else {
            let same = next.iter().zip(&self.last).take_while(|(a, b)| a == b).count();
            match (next.get(same), self.last.get(same)) {
                (Some(a), Some(b)) => {
                    *a > *b && *a <= *b + 2 && next[same + 1..].iter().all(|part| *part <= 1) && next.len() <= same + 2
                }
                (Some(a), None) => *a <= 2 && next.len() == same + 1,
                (None, _) => false,
            }
        };
        if !fits {
            return None;
        }
        if self.last.is_empty() {
            self.roman = letters && parts[0] == "I";
        }
        let level = u8::try_from(next.len()).unwrap_or(5).min(5);
        (self.last, self.letters) = (next, letters);
        Some(level)
    }
}

fn values(parts: &[String]) -> Option<(Vec<u32>, bool)> {
    let mut out = Vec::new();
    let mut letters = false;
    for (at, part) in parts.iter().enumerate() {
        let value = match part.parse::<u32>() {
            Ok(value) => value,
            Err(_) if at == 0 => {
                letters = true;
                roman(part).filter(|_| part.len() > 1 || part == "I" || part == "V" || part == "X").or_else(|| {
                    let c = part.chars().next()?;
                    (part.len() == 1).then(|| u32::from(c) - u32::from('A') + 1)
                })?
            }
            Err(_) => return None,
        };
        out.push(value);
    }
    (!out.is_empty() && out.iter().all(|value| *value < 60)).then_some((out, letters))
}

fn roman(text: &str) -> Option<u32> {
    let value = |c| {
        Some(match c {
            'I' => 1,
            'V' => 5,
            'X' => 10,
            _ => return None,
        })
    };
    let mut total = 0;
    let mut before = 0;
    for c in text.chars().rev() {
        let here = value(c)?;
        if here < before {
            total -= here
        } else {
            total += here
        }
        before = before.max(here);
    }
    u32::try_from(total).ok()
}

/// Headings that papers have without a number.
pub(super) fn is_known(words: &str) -> bool {
    let key: String = words.chars().filter(|c| c.is_alphabetic()).flat_map(char::to_lowercase).collect();
    const KNOWN: [&str; 36] = [
        "参考文献",
        "摘要",
        "abstract",
        "introduction",
        "references",
        "bibliography",
        "acknowledgements",
        "acknowledgments",
        "acknowledgement",
        "acknowledgment",
        "dataavailability",
        "dataavailabilitystatement",
        "appendix",
        "appendices",
        "conclusion",
        "conclusions",
        "discussion",
        "results",
        "methods",
        "summary",
        "supportinginformation",
        "supplementarymaterial",
        "software",
        "facilities",
        "authorcontributions",
        "competinginterests",
        "conflictofinterest",
        "orcidids",
        "methodology",
        "observations",
        "supplementaryinformation",
        "literaturecited",
        "codeavailability",
        "funding",
        "summaryandconclusions",
        "discussionandconclusions",
    ];
    KNOWN.contains(&key.as_str())
}

/// The characters that a heading takes which runs into its paragraph: slanted or bold words that a dash ends, or bold ones that
/// a stop ends (`\paragraph` in the classes of the journals).
pub(super) fn run_in(text: &Text, body: &Body) -> Option<(usize, String)> {
    let mut words = String::new();
    let (mut count, mut kind) = (0, None);
    let mut next = None;
    for (at, row) in text.rows.iter().take(3).enumerate() {
        for (n, piece) in row.pieces.iter().enumerate() {
            for (i, char) in piece.chars.iter().enumerate() {
                let style = body.styles.get(usize::from(char.font)).copied().unwrap_or_default();
                let here = (style.bold, style.italic);
                let blank = char.blank && i > 0 || i == 0 && (n > 0 || at > 0);
                let same = kind.is_none_or(|kind| kind == here) || !char.c.is_alphabetic() && char.c != '—';
                if !same || char.c == '—' {
                    next = Some(char.c);
                    return run_in_of(count, &words, kind, next);
                }
                if kind.is_none() && char.c.is_alphabetic() {
                    kind = Some(here);
                }
                if blank {
                    words.push(' ');
                    count += 1;
                }
                words.push(char.c);
                count += 1;
            }
        }
    }
    run_in_of(count, &words, kind, next)
}

fn run_in_of(count: usize, words: &str, kind: Option<(bool, bool)>, next: Option<char>) -> Option<(usize, String)> {
    let (bold, italic) = kind?;
    let words = words.trim_end();
    let dash = next == Some('—');
    let stop = bold && words.ends_with(['.', ':']);
    let letters = words.chars().filter(|c| c.is_alphabetic()).count();
    let capital = words.chars().find(|c| c.is_alphanumeric()).is_some_and(|c| c.is_uppercase() || c.is_ascii_digit());
    let short = words.split(' ').count() <= if dash { 14 } else { 9 } && words.chars().count() <= 110;
    let fits = (bold || italic) && (dash || stop) && letters >= 4 && short && capital && count > 0;
    fits.then(|| (count + usize::from(dash), words.trim_end_matches(['.', ':', ' ']).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read() {
        let of = |text| number_of(text).map(|(parts, label, skip)| (parts.join("/"), label, skip));
        assert_eq!(of("2.1. Data reduction"), Some(("2/1".into(), "2.1".into(), 5)));
        assert_eq!(of("3 RESULTS"), Some(("3".into(), "3".into(), 2)));
        assert_eq!(of("A1 More tests"), Some(("A/1".into(), "A1".into(), 3)));
        assert_eq!(of("APPENDIX B: Tables"), Some(("B".into(), "B".into(), 12)));
        assert_eq!(of("IV. Results"), Some(("IV".into(), "IV".into(), 4)));
        assert_eq!(of("Results"), None);
    }

    #[test]
    fn numbers_follow_each_other() {
        let mut numbers = Numbers::default();
        let mut follows =
            |text: &str| numbers.follows(&text.split('.').map(str::to_owned).collect::<Vec<_>>()).is_some();
        assert!(follows("1") && follows("2") && follows("2.1") && follows("2.2") && follows("2.2.1") && follows("3"));
        assert!(!follows("1999") && !follows("3") && !follows("7"));
        assert!(follows("4") && follows("A") && follows("B"));
        let mut numbers = Numbers::default();
        let levels: Vec<_> = ["I", "II", "A", "B", "1", "2", "C", "III", "A", "IV"]
            .map(|text| numbers.follows(&[text.to_owned()]))
            .to_vec();
        assert_eq!(levels, [1, 1, 2, 2, 3, 3, 2, 1, 2, 1].map(Some));
    }
}
