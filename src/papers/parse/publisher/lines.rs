//! Inlines that are there already: joining, trimming, taking apart.

use super::DEEPEST;
use super::tree::one_blank;
use crate::papers::parse::document::Inline;

/// The same without links.
pub(super) fn unlinked(content: Vec<Inline>, depth: usize) -> Vec<Inline> {
    if depth > DEEPEST {
        return content;
    }
    let mut out = Vec::new();
    for inline in content {
        if let Inline::Reference { content, .. } | Inline::Link { content, .. } | Inline::Citation { content, .. } =
            inline
        {
            out.extend(unlinked(content, depth + 1));
        } else if let Inline::Superscript(inner) = inline {
            out.push(Inline::Superscript(unlinked(inner, depth + 1)));
        } else {
            out.push(inline);
        }
    }
    out
}

/// Neighbouring texts as one.
pub(super) fn merged(content: Vec<Inline>) -> Vec<Inline> {
    let mut out: Vec<Inline> = Vec::with_capacity(content.len());
    for inline in content {
        match (inline, out.last_mut()) {
            (Inline::Text(text), Some(Inline::Text(last))) => last.push_str(&text),
            (inline, _) => out.push(inline),
        }
    }
    out
}

/// Joins neighbouring texts with one blank between words, and takes blanks off both ends.
pub(super) fn tidy(content: Vec<Inline>) -> Vec<Inline> {
    let mut out = merged(content);
    let mut blank = true;
    for inline in &mut out {
        match inline {
            Inline::Text(text) => {
                let before = text.starts_with(char::is_whitespace) && !blank;
                let after = text.ends_with(char::is_whitespace) && !text.trim().is_empty();
                *text = format!("{}{}{}", if before { " " } else { "" }, one_blank(text), if after { " " } else { "" });
                blank = if text.is_empty() { blank } else { text.ends_with(' ') };
            }
            Inline::Anchor(_) => {}
            Inline::Break => blank = true,
            Inline::Math(_)
            | Inline::Emphasis(_)
            | Inline::Strong(_)
            | Inline::Superscript(_)
            | Inline::Subscript(_)
            | Inline::Code(_)
            | Inline::Link { .. }
            | Inline::Reference { .. }
            | Inline::Citation { .. }
            | Inline::Footnote(_)
            | Inline::Source(_) => blank = false,
        }
    }
    while matches!(out.last(), Some(Inline::Break))
        || matches!(out.last(), Some(Inline::Text(text)) if text.trim().is_empty())
    {
        out.pop();
    }
    if let Some(Inline::Text(last)) = out.last_mut() {
        last.truncate(last.trim_end().len());
    }
    out.retain(|inline| !matches!(inline, Inline::Text(text) if text.is_empty()));
    let first = out.iter().position(|inline| !matches!(inline, Inline::Break)).unwrap_or(out.len());
    out.drain(..first);
    out
}

/// The inlines inside one, where it has any.
fn inside(inline: &mut Inline) -> Option<&mut Vec<Inline>> {
    match inline {
        Inline::Emphasis(inner)
        | Inline::Strong(inner)
        | Inline::Superscript(inner)
        | Inline::Subscript(inner)
        | Inline::Link { content: inner, .. }
        | Inline::Reference { content: inner, .. }
        | Inline::Citation { content: inner, .. } => Some(inner),
        Inline::Text(_)
        | Inline::Math(_)
        | Inline::Code(_)
        | Inline::Footnote(_)
        | Inline::Break
        | Inline::Anchor(_)
        | Inline::Source(_) => None,
    }
}

/// Takes characters off the front, through whatever they are wrapped in. Says how many were left to take.
pub(super) fn drop_front(content: &mut Vec<Inline>, mut count: usize) -> usize {
    while count > 0 {
        let Some(first) = content.first_mut() else { return count };
        let is_done = if let Inline::Text(text) = first {
            let taken = count.min(text.chars().count());
            *text = text.chars().skip(taken).collect();
            count -= taken;
            text.is_empty()
        } else if let Some(inner) = inside(first) {
            count = drop_front(inner, count);
            inner.is_empty()
        } else {
            return count;
        };
        if is_done {
            content.remove(0);
        } else if count > 0 {
            return count;
        }
    }
    count
}

/// Takes characters off the end.
pub(super) fn trim_end(content: &mut Vec<Inline>, marks: &[char]) {
    while let Some(Inline::Text(text)) = content.last_mut() {
        let end = text.trim_end_matches(|c: char| marks.contains(&c) || c.is_whitespace());
        // A bracket that closes something is part of the words.
        let end = if text.get(end.len()..).is_some_and(|rest| rest.trim() == "]") && end.contains('[') {
            text.trim_end()
        } else {
            end
        };
        let length = end.len();
        text.truncate(length);
        if length > 0 {
            break;
        }
        content.pop();
    }
}

/// Takes the signs off that may stand between a number and the words it numbers.
pub(super) fn drop_front_marks(content: &mut [Inline]) {
    if let Some(Inline::Text(text)) = content.first_mut() {
        let rest = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ':' | '|' | '—' | '–'));
        *text = rest.to_owned();
    }
}
