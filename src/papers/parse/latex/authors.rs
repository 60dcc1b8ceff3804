//! Authors and where they work.
//!
//! Every class has its own way: affiliations behind their authors, affiliations with marks, everything in one argument. All
//! of it is gathered in its order first, and put together when it is complete.

use super::Reader;
use super::flow::{Flow, one_blank};
use super::token::Token;
use crate::papers::parse::document::{Author, Inline, plain};
use std::collections::HashMap;

/// What separates authors, or affiliations, inside one argument.
const AND: char = '\u{1}';
/// Authors and affiliations that are kept.
const MOST: usize = 20_000;

/// Something that the source says about authors.
#[derive(Debug, Clone)]
pub(super) enum Credit {
    /// Authors, with the mark of the command.
    Author(Option<String>, Vec<Inline>),
    /// Where the authors before it work, or those with its mark.
    Affiliation(Option<String>, String),
    /// Another affiliation of the author before it.
    Other(String),
    /// Affiliations that are counted.
    Institutes(Vec<String>),
}

impl Reader {
    pub(super) fn author(&mut self, _: &mut Flow) {
        let mark = self.gullet.optional().map(|tokens| self.words(tokens));
        let names = self.gullet.argument();
        let names = self.front_inlines(names);
        // An identifier is no mark, nor is the short list for the running head.
        let mark = mark.filter(|mark| mark.len() < 12 && mark.chars().any(char::is_alphanumeric));
        self.credit(Credit::Author(mark, names));
    }

    fn credit(&mut self, credit: Credit) {
        if self.credits.len() < MOST {
            self.credits.push(credit);
        }
    }

    /// Inlines of the front, where addresses of mail do not count.
    fn front_inlines(&mut self, tokens: Vec<Token>) -> Vec<Inline> {
        let preamble = std::mem::replace(&mut self.preamble, true);
        let out = self.inlines(tokens);
        self.preamble = preamble;
        out
    }

    pub(super) fn affiliation(&mut self, _: &mut Flow) {
        let mark = self.gullet.optional().map(|tokens| self.words(tokens));
        let words = self.gullet.argument();
        let inlines = self.front_inlines(words);
        let text = shown(&inlines);
        if text.contains(AND) {
            let all = text
                .split(AND)
                .map(|one| one_blank(one.trim().trim_end_matches([',', ' '])))
                .filter(|one| !one.is_empty())
                .collect();
            return self.credit(Credit::Institutes(all));
        }
        let text = organisation(&one_blank(text.trim()));
        if !text.is_empty() {
            self.credit(Credit::Affiliation(mark, text));
        }
    }

    pub(super) fn other_affiliation(&mut self, _: &mut Flow) {
        self.gullet.optional();
        let words = self.gullet.argument();
        let inlines = self.front_inlines(words);
        self.credit(Credit::Other(one_blank(shown(&inlines).trim())));
    }

    /// `\altaffiltext{1}{...}`
    pub(super) fn marked_affiliation(&mut self, _: &mut Flow) {
        let mark = self.gullet.argument();
        let mark = self.words(mark);
        let words = self.gullet.argument();
        let inlines = self.front_inlines(words);
        self.credit(Credit::Affiliation(Some(mark), one_blank(shown(&inlines).trim())));
    }

    pub(super) fn collaboration(&mut self, _: &mut Flow) {
        let first = self.gullet.argument();
        let name = self.gullet.braced().unwrap_or(first);
        let name = self.words(name);
        if !name.is_empty() {
            self.credit(Credit::Author(None, vec![Inline::text(name)]));
        }
    }

    pub(super) fn corresponding(&mut self, _: &mut Flow) {
        self.gullet.argument();
    }

    pub(super) fn orcid(&mut self, _: &mut Flow) {
        self.drop_arguments("om");
    }

    pub(super) fn and(&mut self, flow: &mut Flow) {
        flow.text(&AND.to_string());
    }

    /// Puts authors and affiliations together.
    pub(super) fn put_authors(&mut self) {
        let mut authors: Vec<(Author, Vec<String>)> = Vec::new();
        let mut marked: HashMap<String, Vec<String>> = HashMap::new();
        let mut institutes: Vec<String> = Vec::new();
        let (mut group, mut open) = (0_usize, false);
        for credit in std::mem::take(&mut self.credits) {
            match credit {
                Credit::Author(mark, names) => {
                    if !open {
                        group = authors.len();
                    }
                    open = true;
                    for part in split(&names) {
                        let read = part_of(&part);
                        for (name, mut marks) in read.names {
                            marks.extend(
                                mark.iter().flat_map(|mark| mark.split(',')).map(|mark| mark.trim().to_owned()),
                            );
                            authors.push((Author { name, affiliations: read.plain.clone() }, marks));
                        }
                        for (mark, text) in read.marked {
                            marked.entry(mark).or_default().push(text);
                        }
                    }
                }
                Credit::Affiliation(Some(mark), text) if mark.len() < 12 => marked.entry(mark).or_default().push(text),
                Credit::Affiliation(_, text) => {
                    open = false;
                    // One for thousands of authors is one for each of them.
                    let most = MOST.saturating_sub(authors.len().min(MOST)).max(1_000);
                    authors
                        .iter_mut()
                        .skip(group)
                        .take(most)
                        .for_each(|(author, _)| author.affiliations.push(text.clone()));
                    institutes.push(text);
                }
                Credit::Other(text) => {
                    if let Some((author, _)) = authors.last_mut() {
                        author.affiliations.push(text);
                    }
                }
                Credit::Institutes(all) => institutes.extend(all),
            }
        }
        let numbered: HashMap<String, &String> =
            institutes.iter().enumerate().map(|(at, text)| ((at + 1).to_string(), text)).collect();
        for (author, marks) in &mut authors {
            for mark in marks.iter() {
                match (marked.get(mark), numbered.get(mark)) {
                    (Some(texts), _) => author.affiliations.extend(texts.iter().cloned()),
                    (None, Some(text)) if !author.affiliations.contains(text) => {
                        author.affiliations.push((*text).clone())
                    }
                    (None, _) => {}
                }
            }
            if marks.is_empty() && author.affiliations.is_empty() && institutes.len() == 1 {
                author.affiliations.extend(institutes.first().cloned());
            }
        }
        self.document.front.authors =
            authors.into_iter().map(|(author, _)| author).filter(|one| !one.name.is_empty()).collect();
    }
}

/// Text without marks of footnotes.
fn shown(inlines: &[Inline]) -> String {
    let kept = |inline: &&Inline| !matches!(inline, Inline::Footnote(_) | Inline::Source(_));
    let words = |inline: &Inline| match inline {
        Inline::Break => ", ".to_owned(),
        other @ (Inline::Text(_)
        | Inline::Math(_)
        | Inline::Emphasis(_)
        | Inline::Strong(_)
        | Inline::Superscript(_)
        | Inline::Subscript(_)
        | Inline::Code(_)
        | Inline::Link { .. }
        | Inline::Reference { .. }
        | Inline::Citation { .. }
        | Inline::Footnote(_)
        | Inline::Anchor(_)
        | Inline::Source(_)) => plain(std::slice::from_ref(other)),
    };
    let text: String = inlines.iter().filter(kept).map(words).collect();
    let text = one_blank(&text).replace(" ,", ",").replace(",,", ",");
    text.trim().trim_end_matches([',', ' ']).to_owned()
}

/// `organization={X}, city={Y}` of Elsevier's class as words.
fn organisation(text: &str) -> String {
    if !text.contains("organization=") {
        return text.to_owned();
    }
    let parts = text.split(',').map(|part| part.split_once('=').map_or(part, |(_, value)| value).trim());
    parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// The parts between `\and`.
fn split(names: &[Inline]) -> Vec<Vec<Inline>> {
    let mut out = vec![Vec::new()];
    for inline in names {
        if let Inline::Text(text) = inline {
            for (at, piece) in text.split(AND).enumerate() {
                if at > 0 {
                    out.push(Vec::new());
                }
                if let Some(last) = out.last_mut() {
                    last.push(Inline::text(piece));
                }
            }
        } else if let Some(last) = out.last_mut() {
            last.push(inline.clone());
        }
    }
    out
}

/// What one part says.
#[derive(Default)]
struct Part {
    names: Vec<(String, Vec<String>)>,
    /// Affiliations with their marks.
    marked: Vec<(String, String)>,
    /// Affiliations of everyone in the part.
    plain: Vec<String>,
}

/// The marks that an inline is, if it is one.
fn marks(inline: &Inline) -> Option<Vec<String>> {
    let text = match inline {
        Inline::Superscript(inner) => plain(inner),
        Inline::Math(tex) => {
            let tex = tex.trim_start_matches("{}").trim();
            tex.strip_prefix('^')?.trim().trim_start_matches('{').trim_end_matches('}').to_owned()
        }
        Inline::Text(_)
        | Inline::Emphasis(_)
        | Inline::Strong(_)
        | Inline::Subscript(_)
        | Inline::Code(_)
        | Inline::Link { .. }
        | Inline::Reference { .. }
        | Inline::Citation { .. }
        | Inline::Footnote(_)
        | Inline::Break
        | Inline::Anchor(_)
        | Inline::Source(_) => return None,
    };
    let text = text.replace("\\,", "").replace("\\rm", "").replace("\\mathrm", "").replace(['{', '}'], "");
    Some(text.split([',', ' ', ';']).map(str::trim).filter(|mark| !mark.is_empty()).map(str::to_owned).collect())
}

fn part_of(part: &[Inline]) -> Part {
    let mut out = Part::default();
    for (at, line) in part.split(|inline| *inline == Inline::Break).enumerate() {
        let mut line: Vec<&Inline> =
            line.iter().skip_while(|inline| matches!(inline, Inline::Text(text) if text.trim().is_empty())).collect();
        let leading = line.first().and_then(|first| marks(first));
        let has_marks = line.iter().any(|inline| marks(inline).is_some());
        if let (Some(found), false) = (&leading, line.len() < 2) {
            line.remove(0);
            let text = line_words(&line);
            out.marked.extend(found.iter().map(|mark| (mark.clone(), text.clone())));
        } else if at > 0 && !has_marks && !out.names.is_empty() {
            let text = line_words(&line);
            match out.marked.last_mut() {
                _ if text.is_empty() => {}
                Some((_, before)) => {
                    before.push_str(", ");
                    before.push_str(&text);
                }
                None => match out.plain.first_mut() {
                    Some(before) => {
                        before.push_str(", ");
                        before.push_str(&text);
                    }
                    None => out.plain.push(text),
                },
            }
        } else {
            names_of(&line, &mut out.names);
        }
    }
    out
}

fn line_words(line: &[&Inline]) -> String {
    let owned: Vec<Inline> = line.iter().map(|inline| (*inline).clone()).collect();
    one_blank(shown(&owned).trim()).trim_end_matches([',', ';']).to_owned()
}

/// Names between commas and `and`, with the marks behind them.
fn names_of(line: &[&Inline], out: &mut Vec<(String, Vec<String>)>) {
    let mut name = String::new();
    let mut found: Vec<String> = Vec::new();
    let finish = |name: &mut String, found: &mut Vec<String>, out: &mut Vec<(String, Vec<String>)>| {
        let text = one_blank(name.trim()).trim_matches([',', ';', ' ']).to_owned();
        name.clear();
        let initials = !text.is_empty()
            && text
                .split([' ', '-'])
                .all(|part| part.len() <= 3 && part.ends_with('.') && part.starts_with(char::is_uppercase));
        let suffix = matches!(text.as_str(), "Jr." | "Jr" | "Sr." | "II" | "III" | "IV");
        match out.last_mut() {
            Some((before, marks)) if initials || suffix => {
                before.push_str(", ");
                before.push_str(&text);
                marks.append(found);
            }
            Some((_, marks)) if text.is_empty() => marks.append(found),
            Some(_) | None if !text.is_empty() => out.push((text, std::mem::take(found))),
            Some(_) | None => {}
        }
    };
    for inline in line {
        if let Some(more) = marks(inline) {
            match out.last_mut() {
                // The comma stands before the mark: the name is finished already.
                Some((_, before)) if name.trim().is_empty() => before.extend(more),
                Some(_) | None => found.extend(more),
            }
            continue;
        }
        match inline {
            Inline::Text(text) => {
                let text = text.replace(" and ", ",").replace(" & ", ",");
                let text = if text.trim() == "and" || text.trim() == "&" { ",".to_owned() } else { text };
                let text =
                    text.trim_start().strip_prefix("and ").map_or_else(|| text.clone(), |rest| format!(",{rest}"));
                for (at, piece) in text.split([',', ';']).enumerate() {
                    if at > 0 {
                        finish(&mut name, &mut found, out);
                    }
                    // A name after marks without a comma is a new one.
                    if !found.is_empty() && piece.trim().len() > 1 && !name.trim().is_empty() {
                        finish(&mut name, &mut found, out);
                    }
                    name.push_str(piece);
                }
            }
            Inline::Footnote(_) | Inline::Source(_) | Inline::Anchor(_) | Inline::Break => {}
            Inline::Emphasis(_)
            | Inline::Strong(_)
            | Inline::Math(_)
            | Inline::Superscript(_)
            | Inline::Subscript(_)
            | Inline::Code(_)
            | Inline::Link { .. }
            | Inline::Reference { .. }
            | Inline::Citation { .. } => name.push_str(&plain(std::slice::from_ref(*inline))),
        }
    }
    finish(&mut name, &mut found, out);
}
