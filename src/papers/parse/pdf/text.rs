//! Rows become running text: words joined over line ends, raised and lowered parts marked.

use super::line::{Char, Shift};
use super::order::Row;
use crate::papers::parse::document::Inline;
use std::collections::HashMap;

/// The words of a paper, for deciding whether a hyphen at a line's end belongs to the word.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    /// Words that stand somewhere unbroken, in lower case, with and without hyphens inside.
    words: HashMap<String, u32>,
}

impl Vocabulary {
    /// Learns the words of a row, but for the first and the last, which may be halves.
    pub(super) fn learn(&mut self, row: &Row) {
        for piece in &row.pieces {
            let text = piece.text();
            let words: Vec<&str> = text.split(' ').collect();
            let last = words.len().saturating_sub(1);
            for (at, word) in words.iter().enumerate() {
                let word = trimmed(word);
                let whole = at > 0 && at < last
                    || at == last && at > 0 && !word.ends_with('-')
                    || at == 0 && last > 0 && !word.is_empty();
                if whole && !word.ends_with('-') && word.chars().count() > 2 {
                    *self.words.entry(word.to_lowercase()).or_default() += 1;
                }
            }
        }
    }

    /// How a word that a line's end has broken is written: with its hyphen or without.
    fn keeps_hyphen(&self, before: &str, after: &str) -> bool {
        let (before, after) = (last_word(before), first_word(after));
        let joined = format!("{before}{after}").to_lowercase();
        let hyphened = format!("{before}-{after}").to_lowercase();
        let (joined, hyphened) = (self.count(&joined), self.count(&hyphened));
        if joined != hyphened {
            return hyphened > joined;
        }
        // A capital or a digit does not follow a break inside a word: `X-ray`, `H-alpha`, `non-LTE`.
        let first = after.chars().next();
        let short = before.chars().count() < 2;
        first.is_none_or(|c| !c.is_lowercase())
            || short
            || before.contains('-') && self.count(&before.to_lowercase()) > 0
    }

    /// The same for a word that ends a text with its hyphen.
    pub(super) fn hyphen_stays(&self, before: &str, after: &str) -> bool {
        self.keeps_hyphen(before, after)
    }

    fn count(&self, word: &str) -> u32 {
        self.words.get(word).copied().unwrap_or(0)
    }
}

fn trimmed(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-').trim_start_matches('-')
}

fn last_word(text: &str) -> &str {
    let text = text.strip_suffix('-').unwrap_or(text);
    let start = text
        .rfind(|c: char| !(c.is_alphanumeric() || c == '-'))
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    &text[start..]
}

fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '-')).unwrap_or(text.len());
    &text[..end]
}

/// Text with its raised and lowered parts, before it becomes inlines.
#[derive(Debug, Clone, Default)]
pub(super) struct Runs(Vec<(Shift, String)>);

impl Runs {
    /// The text of one row.
    pub(super) fn of_row(row: &Row) -> Self {
        let mut runs = Self::default();
        for (at, piece) in row.pieces.iter().enumerate() {
            if at > 0 {
                runs.push(Shift::On, " ");
            }
            runs.chars(&piece.chars);
        }
        runs
    }

    /// Adds characters.
    pub(super) fn chars(&mut self, chars: &[Char]) {
        for (at, char) in chars.iter().enumerate() {
            if char.blank && at > 0 {
                // A blank belongs to the line, so that a raised mark touches what it marks.
                self.push(Shift::On, " ");
            }
            let mut text = [0; 4];
            self.push(char.shift, char.c.encode_utf8(&mut text));
        }
    }

    fn push(&mut self, shift: Shift, text: &str) {
        match self.0.last_mut() {
            Some((known, run)) if *known == shift => run.push_str(text),
            Some(_) | None => self.0.push((shift, text.to_owned())),
        }
    }

    /// Adds the next row of a paragraph.
    pub(super) fn row(&mut self, row: Self, words: &Vocabulary) {
        let broken = matches!(self.0.last(), Some((Shift::On, text)) if broken(text));
        if broken && let (Some((_, before)), Some((Shift::On, after))) = (self.0.last_mut(), row.0.first()) {
            if !words.keeps_hyphen(before, after) {
                before.pop();
            }
        } else if !self.0.is_empty() && !matches!(self.0.last(), Some((Shift::On, text)) if touches(text)) {
            self.push(Shift::On, " ");
        }
        for (shift, text) in row.0 {
            self.push(shift, &text);
        }
    }

    /// The plain text.
    pub(super) fn plain(&self) -> String {
        let text: String = self.0.iter().map(|(_, text)| text.as_str()).collect();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Takes the first word off: the other half of a word that the page before ends with.
    pub(super) fn take_first_word(&mut self) -> Option<Self> {
        let (Shift::On, text) = self.0.first_mut()? else { return None };
        let end = text.find(' ').unwrap_or(text.len());
        let rest = text.split_off(end);
        let word = std::mem::replace(text, rest.trim_start().to_owned());
        Some(Self(vec![(Shift::On, word)]))
    }

    /// Takes a number of characters off the beginning.
    pub(super) fn skip(&mut self, mut count: usize) {
        for (_, text) in &mut self.0 {
            let here = text.chars().count().min(count);
            *text = text.chars().skip(here).collect();
            count -= here;
            if count == 0 {
                break;
            }
        }
        self.0.retain(|(_, text)| !text.is_empty());
        if let Some((_, text)) = self.0.first_mut() {
            *text = text.trim_start().to_owned();
        }
    }

    /// The inlines. `mark` says which footnote a raised sign stands for, if any.
    pub(super) fn inlines(&self, mark: &dyn Fn(&str) -> Option<usize>) -> Vec<Inline> {
        let mut out = Vec::new();
        let mut before = String::new();
        for (at, (shift, text)) in self.0.iter().enumerate() {
            match shift {
                Shift::On => out.push(Inline::text(text.clone())),
                Shift::Up => {
                    let follows_word = marks_word(&before);
                    let notes: Option<Vec<usize>> = text.split(',').map(|one| mark(one.trim())).collect();
                    match notes.filter(|_| follows_word && at > 0) {
                        Some(notes) => out.extend(notes.into_iter().map(Inline::Footnote)),
                        None => out.push(Inline::Superscript(vec![Inline::text(text.trim())])),
                    }
                }
                Shift::Down => out.push(Inline::Subscript(vec![Inline::text(text.trim())])),
            }
            before.clone_from(text);
        }
        out
    }

    /// Mathematics on one line: raised and lowered parts as TeX's readers know them.
    pub(super) fn linear(&self) -> String {
        let mut out = String::new();
        for (shift, text) in &self.0 {
            let mark = match shift {
                Shift::On => {
                    out.push_str(text);
                    continue;
                }
                Shift::Up => '^',
                Shift::Down => '_',
            };
            let text = text.trim();
            out.push(mark);
            match text.chars().count() {
                1 => out.push_str(text),
                _ => {
                    out.push('{');
                    out.push_str(text);
                    out.push('}');
                }
            }
        }
        out
    }

    /// Whether there is nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|(_, text)| text.trim().is_empty())
    }
}

/// Whether a raised sign after this text can be a footnote's mark and no exponent: after a word or the stop behind one.
fn marks_word(before: &str) -> bool {
    let mut back = before.chars().rev().skip_while(|c| matches!(c, '.' | ',' | ';' | ')' | ':' | '"' | '”' | '’'));
    let latin = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() && !('\u{370}'..='\u{3ff}').contains(&c));
    latin(back.next()) && latin(back.next()) && latin(back.next())
}

/// Whether what follows a line's end touches it: after `9-`, or a dash between two words.
fn touches(text: &str) -> bool {
    let Some(rest) = text.strip_suffix(['-', '–', '—']) else { return false };
    rest.chars().last().is_some_and(char::is_alphanumeric)
}

/// Whether a line ends in a hyphen that stands at a letter.
fn broken(text: &str) -> bool {
    let Some(rest) = text.strip_suffix(['-', '\u{2010}']) else { return false };
    rest.chars().last().is_some_and(char::is_alphabetic)
}
