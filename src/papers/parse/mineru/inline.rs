//! Text as MinerU writes it: words, formulas between dollar signs, a handful of HTML tags, and signs with a meaning in
//! Markdown behind a backslash.

use crate::papers::parse::document::Inline;

/// Tags inside tags that are still read; deeper ones stay as they are written.
const DEEPEST: usize = 8;
/// Bytes between the two tags of an element at most: without a bound, tags that are never closed would be searched for to
/// the end of the text, each of them.
const LONGEST: usize = 4000;

/// How a string is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Formulas between dollar signs, and backslashes before signs of Markdown.
    Markdown,
    /// Words and tags alone: the second form of the list keeps formulas apart and escapes nothing.
    Plain,
}

/// Reads a string; white space becomes one blank.
pub(super) fn inlines(text: &str, form: Form) -> Vec<Inline> {
    tidy(read(text, form, 0))
}

fn read(text: &str, form: Form, depth: usize) -> Vec<Inline> {
    let (mut out, mut words, mut rest) = (Vec::new(), String::new(), text);
    while let Some(c) = rest.chars().next() {
        let found = match c {
            '\\' if form == Form::Markdown => escape(rest),
            '$' if form == Form::Markdown => formula(rest),
            '<' => tag(rest, form, depth),
            _ => None,
        };
        match found {
            Some((Piece::Sign(sign), after)) => {
                words.push(sign);
                rest = after;
            }
            Some((Piece::Whole(inline), after)) => {
                push_words(&mut words, &mut out);
                out.push(inline);
                rest = after;
            }
            None => {
                words.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    push_words(&mut words, &mut out);
    out
}

enum Piece {
    Sign(char),
    Whole(Inline),
}

fn push_words(words: &mut String, out: &mut Vec<Inline>) {
    if !words.is_empty() {
        out.push(Inline::Text(std::mem::take(words)));
    }
}

/// `\*` is a star.
fn escape(rest: &str) -> Option<(Piece, &str)> {
    let sign = rest[1..].chars().next().filter(char::is_ascii_punctuation)?;
    Some((Piece::Sign(sign), &rest[2..]))
}

/// A formula between one or two dollar signs on each side. A dollar sign without a partner is money.
fn formula(rest: &str) -> Option<(Piece, &str)> {
    let mark = if rest.starts_with("$$") { "$$" } else { "$" };
    let inner = &rest[mark.len()..];
    let end = closing(inner, mark)?;
    let tex = inner[..end].trim();
    // `$ 5 and $ 7`, or a formula that was never closed: no formula of a line has a blank line in it.
    if tex.is_empty() || tex.contains("\n\n") {
        return None;
    }
    Some((Piece::Whole(Inline::Math(tex.to_owned())), &inner[end + mark.len()..]))
}

/// Where the closing mark begins; one behind a backslash belongs to the formula.
fn closing(inner: &str, mark: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in inner.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '$' if inner[at..].starts_with(mark) => return Some(at),
            '$' => return None,
            _ => {}
        }
    }
    None
}

/// One of the tags that MinerU writes, up to its end; anything else that begins with `<` is a sign of the text.
fn tag(rest: &str, form: Form, depth: usize) -> Option<(Piece, &str)> {
    const PAIRS: [&str; 8] = ["sup", "sub", "b", "strong", "i", "em", "u", "eq"];
    for line_break in ["<br>", "<br/>", "<br />"] {
        if let Some(after) = strip(rest, line_break) {
            return Some((Piece::Whole(Inline::Break), after));
        }
    }
    if depth >= DEEPEST {
        return None;
    }
    PAIRS.into_iter().find_map(|name| {
        let inner = strip(rest, &format!("<{name}>"))?;
        let (content, after) = split_at_end(inner, name)?;
        let whole = match name {
            "eq" => Inline::Math(content.trim().to_owned()),
            "sup" => Inline::Superscript(read(content, form, depth + 1)),
            "sub" => Inline::Subscript(read(content, form, depth + 1)),
            "b" | "strong" => Inline::Strong(read(content, form, depth + 1)),
            _ => Inline::Emphasis(read(content, form, depth + 1)),
        };
        Some((Piece::Whole(whole), after))
    })
}

fn strip<'t>(text: &'t str, prefix: &str) -> Option<&'t str> {
    let start = text.get(..prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

/// What stands before the end of an element, and what after; elements of the same name nest.
fn split_at_end<'t>(text: &'t str, name: &str) -> Option<(&'t str, &'t str)> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let mut depth = 0_usize;
    for (at, _) in text.match_indices('<').take_while(|(at, _)| *at <= LONGEST) {
        if strip(&text[at..], &open).is_some() {
            depth += 1;
        } else if let Some(after) = strip(&text[at..], &close) {
            if depth == 0 {
                return Some((&text[..at], after));
            }
            depth -= 1;
        }
    }
    None
}

/// White space becomes one blank, empty pieces go, and the ends are trimmed.
pub(super) fn tidy(content: Vec<Inline>) -> Vec<Inline> {
    let mut out: Vec<Inline> = Vec::with_capacity(content.len());
    for inline in content {
        let Inline::Text(text) = inline else {
            if inline != Inline::Math(String::new()) {
                out.push(inline);
            }
            continue;
        };
        let text = one_blank(&text);
        match out.last_mut() {
            Some(Inline::Text(before)) => {
                let text = if before.ends_with(' ') { text.trim_start() } else { &text };
                before.push_str(text);
            }
            Some(_) | None if !text.is_empty() => out.push(Inline::Text(text)),
            Some(_) | None => {}
        }
    }
    if let Some(Inline::Text(first)) = out.first_mut() {
        *first = first.trim_start().to_owned();
    }
    if let Some(Inline::Text(last)) = out.last_mut() {
        last.truncate(last.trim_end().len());
    }
    out.retain(|inline| !matches!(inline, Inline::Text(text) if text.is_empty()));
    out
}

fn one_blank(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_whitespace() {
            out.push(c);
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out
}

/// Takes bytes off the beginning of the words, when the content begins with text.
pub(super) fn without_start(mut content: Vec<Inline>, bytes: usize) -> Vec<Inline> {
    if let Some(Inline::Text(first)) = content.first_mut() {
        *first = first.get(bytes..).unwrap_or_default().to_owned();
    }
    tidy(content)
}

/// The text that content begins with; empty when it begins with something else.
pub(super) fn start(content: &[Inline]) -> &str {
    match content.first() {
        Some(Inline::Text(text)) => text,
        Some(_) | None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn text(text: &str) -> Inline {
        Inline::text(text)
    }

    #[rstest]
    #[case("a  $ x _ { 1 } $ b", vec![text("a "), Inline::Math("x _ { 1 }".into()), text(" b")])]
    #[case(r"\*Star\* and \$5", vec![text("*Star* and $5")])]
    #[case("$5 alone", vec![text("$5 alone")])]
    #[case(r"$a\$b$", vec![Inline::Math(r"a\$b".into())])]
    #[case("$$ x $$ y", vec![Inline::Math("x".into()), text(" y")])]
    #[case("p<0.05 <sup>1,<b>2</b></sup>", vec![text("p<0.05 "),
        Inline::Superscript(vec![text("1,"), Inline::Strong(vec![text("2")])])])]
    #[case("<sub>never closed", vec![text("<sub>never closed")])]
    #[case("one<br/>two", vec![text("one"), Inline::Break, text("two")])]
    #[case("<eq>x<y</eq>", vec![Inline::Math("x<y".into())])]
    #[case("ends in \\", vec![text("ends in \\")])]
    #[case(" \n ", vec![])]
    fn strings_become_inlines(#[case] source: &str, #[case] expected: Vec<Inline>) {
        assert_eq!(inlines(source, Form::Markdown), expected);
    }

    #[test]
    fn the_second_form_escapes_nothing() {
        assert_eq!(inlines(r"\*a $5$ <sup>x</sup>", Form::Plain)[0], text(r"\*a $5$ "));
    }

    #[test]
    fn a_thousand_nested_tags_are_read() {
        let deep = format!("{}x{}", "<b>".repeat(1000), "</b>".repeat(1000));
        assert!(!inlines(&deep, Form::Markdown).is_empty());
    }
}
