//! The reference list: rows become entries.

use super::order::Row;
use super::text::{Runs, Vocabulary};
use regex::Regex;
use std::sync::LazyLock;

/// An entry.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) label: Option<String>,
    pub(super) runs: Runs,
}

/// Splits rows into entries. Rows are in reading order with their pages.
pub(super) fn split(rows: &[(u32, Row)], words: &Vocabulary) -> Vec<Entry> {
    let labels = rows.iter().filter(|(_, row)| label(&row.text()).is_some()).count();
    let by_label = labels >= 3 && labels * 8 >= rows.len();
    let edges = edges(rows);
    let hanging = !by_label && {
        let inner = rows.iter().zip(&edges).filter(|((_, row), left)| row.x0 - **left > 0.5 * row.size).count();
        inner >= 2 && inner * 25 >= rows.len()
    };
    // The opposite form: the first line is indented and the others are not.
    let indented = hanging && {
        let first_like = |(_, row): &&(u32, Row)| begins(&row.text());
        let at_left = rows.iter().zip(&edges).filter(|((_, row), left)| row.x0 - **left <= 0.5 * row.size);
        let (mut good, mut all) = (0, 0);
        for ((page, row), _) in at_left {
            all += 1;
            good += usize::from(first_like(&&(*page, row.clone())));
        }
        good * 3 < all
    };
    let mut out: Vec<Entry> = Vec::new();
    let mut before: Option<&Row> = None;
    for ((_, row), left) in rows.iter().zip(&edges) {
        let text = row.text();
        let marked = label(&text);
        let inset = row.x0 - left > 0.5 * row.size;
        let starts = if by_label {
            marked.is_some()
        } else if hanging {
            inset == indented
        } else {
            let gap = before.is_some_and(|before| before.left == row.left && row.y - before.y > 1.45 * row.size);
            let ended = before.is_none_or(|before| {
                before.text().trim_end().ends_with(['.', ')']) || before.x1 < before.right - 3.0 * before.size
            });
            gap || ended && begins(&text)
        };
        let mut runs = Runs::of_row(row);
        if starts || out.is_empty() {
            let found = if by_label { marked } else { None };
            if let Some((_, length)) = &found {
                runs.skip(*length);
            }
            out.push(Entry { label: found.map(|(label, _)| label), runs });
        } else if let Some(entry) = out.last_mut() {
            entry.runs.row(runs, words);
        }
        before = Some(row);
    }
    out
}

/// Where the entries of each row's column begin: the left edge that several rows share.
fn edges(rows: &[(u32, Row)]) -> Vec<f32> {
    let mut out = Vec::with_capacity(rows.len());
    let mut start = 0;
    while start < rows.len() {
        let (page, left) = (rows[start].0, rows[start].1.left);
        let end = rows[start..]
            .iter()
            .position(|(p, row)| *p != page || row.left != left)
            .map_or(rows.len(), |by| start + by);
        let edge = rows[start..end].iter().map(|(_, row)| row.x0).fold(f32::MAX, f32::min);
        out.extend(std::iter::repeat_n(edge, end - start));
        start = end;
    }
    out
}

/// The label that an entry begins with, `[12]` or `12.`, and how many characters it takes.
fn label(text: &str) -> Option<(String, usize)> {
    static LABEL: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^(?:\[([^\]\s]{1,12})\]|(\d{1,3})\.)\s+").ok());
    let found = LABEL.as_ref()?.captures(text)?;
    let name = found.get(1).or(found.get(2))?.as_str();
    Some((name.to_owned(), found.get(0)?.as_str().chars().count()))
}

/// Whether a line can begin an entry: a family name and initials, or the name of a group.
fn begins(text: &str) -> bool {
    static NAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?:[a-z]{1,3}\s|[A-Z]['’])?[\p{Lu}][\p{L}'’\-]+(?:\s[\p{Lu}][\p{L}'’\-]+)?,?\s+(?:[\p{Lu}]\.|et al|[\p{Lu}][\p{L}]+,)").ok()
    });
    NAME.as_ref().is_some_and(|name| name.is_match(text))
}
