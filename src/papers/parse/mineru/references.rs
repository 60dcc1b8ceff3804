//! The reference list: one entry each.

use super::inline::{start, without_start};
use crate::papers::parse::document::{Inline, Reference, plain};
use regex::Regex;
use std::sync::LazyLock;

/// `[12]`, `12.` or `(12)` at the beginning of an entry.
static LABEL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^(?:\[([A-Za-z+]{0,6}\d{1,4}[a-z]?)\]|(\d{1,3})\.|\((\d{1,3})\))\s+").ok());

/// Adds an entry of the list, or several that were sent as one.
///
/// `breaks` says that a column or a page may end before it, in the midst of an entry.
pub(super) fn add(references: &mut Vec<Reference>, content: Vec<Inline>, breaks: bool) {
    for content in apart(content, references.last()) {
        let (label, content) = label(content);
        if content.is_empty() {
            continue;
        }
        match references.last_mut() {
            Some(last) if breaks && label.is_none() && goes_on(&content) => {
                last.content.push(Inline::text(" "));
                last.content.extend(content);
                last.content = super::inline::tidy(std::mem::take(&mut last.content));
            }
            Some(_) | None => references.push(Reference { label, content, ..Reference::default() }),
        }
    }
}

/// Gives every entry its key.
pub(super) fn finish(references: &mut [Reference]) {
    for (at, reference) in references.iter_mut().enumerate() {
        reference.key = format!("ref-{}", at + 1);
    }
}

fn label(content: Vec<Inline>) -> (Option<String>, Vec<Inline>) {
    let found = LABEL.as_ref().and_then(|pattern| pattern.captures(start(&content))).and_then(|found| {
        let label = found.iter().skip(1).flatten().next()?.as_str().to_owned();
        Some((label, found.get(0)?.end()))
    });
    match found {
        Some((label, end)) => (Some(label), without_start(content, end)),
        None => (None, content),
    }
}

/// Whether the words are the rest of an entry: a year, a page, or the middle of a sentence.
fn goes_on(content: &[Inline]) -> bool {
    static YEAR: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\(?(?:19|20)\d\d[a-z]?[).,:]").ok());
    let text = start(content);
    let small = text.chars().next().is_some_and(|first| first.is_lowercase() || first.is_ascii_digit() || first == '&');
    // `de Vaucouleurs` and `van den Bergh` begin small, and are names.
    let particle =
        ["de ", "van ", "von ", "del ", "della ", "di ", "da ", "le ", "la ", "ten ", "ter ", "d'", "d’", "’t "];
    YEAR.as_ref().is_some_and(|pattern| pattern.is_match(text))
        || (small && !particle.iter().any(|particle| text.starts_with(particle)))
}

/// Numbered entries that were sent as one: `[3] … [4] …`, when the numbers go on from one another.
fn apart(content: Vec<Inline>, last: Option<&Reference>) -> Vec<Vec<Inline>> {
    static INSIDE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?:^|\s)\[(\d{1,4})\]\s").ok());
    let (Some(pattern), true) = (INSIDE.as_ref(), content.iter().any(|piece| matches!(piece, Inline::Text(_)))) else {
        return vec![content];
    };
    let before = last.and_then(|last| last.label.as_ref()).and_then(|label| label.parse::<u32>().ok());
    let mut expected = before.map(|before| before + 1);
    let (mut out, mut entry) = (Vec::new(), Vec::new());
    for piece in content {
        let Inline::Text(text) = piece else {
            entry.push(piece);
            continue;
        };
        let mut from = 0;
        for found in pattern.captures_iter(&text) {
            let (Some(all), Ok(number)) = (found.get(0), found[1].parse::<u32>()) else { continue };
            let at = all.start() + all.as_str().len() - all.as_str().trim_start().len();
            let first = at == 0 && entry.is_empty();
            if first || expected == Some(number) {
                expected = number.checked_add(1);
                if !first {
                    entry.push(Inline::text(&text[from..at]));
                    out.push(super::inline::tidy(std::mem::take(&mut entry)));
                    from = at;
                }
            }
        }
        entry.push(Inline::text(&text[from..]));
    }
    out.push(super::inline::tidy(entry));
    out.retain(|entry| !plain(entry).trim().is_empty());
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::parse::mineru::inline::{Form, inlines};

    fn list(entries: &[(&str, bool)]) -> Vec<(Option<String>, String)> {
        let mut references = Vec::new();
        for (entry, breaks) in entries {
            add(&mut references, inlines(entry, Form::Markdown), *breaks);
        }
        finish(&mut references);
        assert!(references.iter().enumerate().all(|(at, reference)| reference.key == format!("ref-{}", at + 1)));
        references.into_iter().map(|reference| (reference.label, plain(&reference.content))).collect()
    }

    fn entry(label: &str, text: &str) -> (Option<String>, String) {
        (Some(label).filter(|label| !label.is_empty()).map(str::to_owned), text.to_owned())
    }

    #[test]
    fn merged_entries_come_apart_and_split_ones_together() {
        let read = list(&[
            ("[1] Ada 1843, see [7] there. [2] Cannon $x$ 1901 [3] Payne 1925.", false),
            ("[4] Rubin and", false),
            ("2023. Ford.", true),
            ("de Vaucouleurs 1948", true),
            ("12. Hubble 1929", false),
        ]);
        let expected = [
            entry("1", "Ada 1843, see [7] there."),
            entry("2", "Cannon x 1901"),
            entry("3", "Payne 1925."),
            entry("4", "Rubin and 2023. Ford."),
            entry("", "de Vaucouleurs 1948"),
            entry("12", "Hubble 1929"),
        ];
        assert_eq!(read, expected);
    }
}
