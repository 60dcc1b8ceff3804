//! Entries of a `.bib`, or of biblatex's own list, for papers that bring no printed one.

use super::Reader;
use super::bibliography::Label;
use crate::papers::parse::document::{Inline, plain};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Entries that are read.
const MOST: usize = 200_000;

/// An entry: its fields as TeX, and its authors as `Family, Given`.
#[derive(Debug, Default, Clone)]
struct Entry {
    key: String,
    fields: HashMap<String, String>,
    authors: Vec<(String, String)>,
}

impl Reader {
    /// The entries that are cited, from the files that the paper names or, without names, from all.
    pub(super) fn entries_of_files(&mut self, files: &[String]) {
        let named: Vec<Rc<str>> = files
            .iter()
            .filter_map(|name| self.gullet.file("", &format!("{}.bib", name.trim_end_matches(".bib"))))
            .filter_map(|path| self.gullet.files.texts.get(&path).cloned())
            .collect();
        let all = || {
            let bibs = self.gullet.files.texts.iter().filter(|(path, _)| path.ends_with(".bib"));
            bibs.map(|(_, text)| Rc::clone(text)).collect()
        };
        let texts: Vec<Rc<str>> = if named.is_empty() { all() } else { named };
        let wanted: HashSet<&str> = self.cited.order.iter().map(String::as_str).collect();
        let mut found: HashMap<String, Entry> = HashMap::new();
        let mut order = Vec::new();
        for text in texts {
            for entry in entries(&text) {
                if (self.cited.all || wanted.contains(entry.key.as_str())) && !found.contains_key(&entry.key) {
                    order.push(entry.key.clone());
                    found.insert(entry.key.clone(), entry);
                }
            }
        }
        let mut keys: Vec<String> = self.cited.order.iter().filter(|key| found.contains_key(*key)).cloned().collect();
        if self.cited.all {
            let known: HashSet<String> = keys.iter().cloned().collect();
            keys.extend(order.into_iter().filter(|key| !known.contains(key)));
        }
        let mut listed: Vec<Entry> = keys.iter().filter_map(|key| found.remove(key)).collect();
        for entry in &mut listed {
            entry.authors =
                authors(entry.fields.get("author").or_else(|| entry.fields.get("editor")).map_or("", String::as_str));
        }
        if self.cites.numeric != Some(true) {
            listed.sort_by_cached_key(|entry| {
                let names: Vec<String> = entry
                    .authors
                    .iter()
                    .map(|(family, _)| family.to_lowercase().replace(['{', '}', '\\'], ""))
                    .collect();
                (names, entry.fields.get("year").cloned().unwrap_or_default())
            });
        }
        listed.into_iter().for_each(|entry| self.print_entry(&entry));
    }

    /// The list that biblatex made.
    pub(super) fn biblatex(&mut self, text: &str) {
        let body = text.split("\\sortlist").next().filter(|part| part.contains("\\entry{")).unwrap_or(text);
        for part in body.split("\\entry{").skip(1).take(MOST) {
            let part = part.split("\\endentry").next().unwrap_or(part);
            let Some((key, rest)) = part.split_once('}') else { continue };
            let mut entry = Entry { key: key.trim().to_owned(), ..Entry::default() };
            for line in rest.split("\\field{").skip(1) {
                if let Some((name, value)) = line.split_once('}')
                    && let Some(value) = value.strip_prefix('{').and_then(|value| value.get(..closing(value)?))
                {
                    entry.fields.entry(name.to_owned()).or_insert_with(|| value.to_owned());
                }
            }
            for raw in rest.split("\\verb{").skip(1) {
                let value =
                    raw.split_once('}').and_then(|(name, rest)| Some((name, rest.trim().strip_prefix("\\verb ")?)));
                if let Some((name, value)) = value {
                    let value = value.split("\\endverb").next().unwrap_or(value).trim();
                    entry.fields.insert(name.to_owned(), value.to_owned());
                }
            }
            if let Some(title) = entry.fields.get("journaltitle").cloned() {
                entry.fields.entry("journal".to_owned()).or_insert(title);
            }
            let names = rest.split("\\name{").find(|part| part.starts_with("author}")).unwrap_or("");
            let names = names.split("\\strng{").next().unwrap_or(names);
            for one in names.split("family={").skip(1) {
                let family = one.get(..closing(one).unwrap_or(0)).unwrap_or("").to_owned();
                let given = one.split("given={").nth(1).unwrap_or("");
                let given = given.get(..closing(given).unwrap_or(0)).unwrap_or("").to_owned();
                entry.authors.push((family, given));
            }
            self.print_entry(&entry);
        }
    }

    fn print_entry(&mut self, entry: &Entry) {
        let mut names: Vec<String> = Vec::new();
        let mut families: Vec<String> = Vec::new();
        for (family, given) in entry.authors.iter().take(200) {
            let family = self.said(family);
            let given = self.said(given);
            let initials: Vec<String> =
                given.split_whitespace().filter_map(|part| part.chars().next()).map(|c| format!("{c}.")).collect();
            names.push(if initials.is_empty() { family.clone() } else { format!("{family}, {}", initials.join(" ")) });
            families.push(family);
        }
        let field = |name: &str| entry.fields.get(name).cloned();
        let year =
            field("year").or_else(|| field("date").map(|date| date.chars().take(4).collect())).unwrap_or_default();
        let year = format!(
            "{}{}",
            self.said(&year),
            field("extrayear")
                .and_then(|extra| extra.parse::<i64>().ok())
                .map(|number| super::symbols::letter(number).to_lowercase())
                .unwrap_or_default()
        );
        let short = match families.as_slice() {
            [] => self.said(&field("title").unwrap_or_else(|| entry.key.clone())),
            [one] => one.clone(),
            [first, second] => format!("{first} & {second}"),
            [first, ..] => format!("{first} et al."),
        };
        let shown = match names.len() {
            0 | 1 => names.join(""),
            2..=8 => {
                names.split_last().map(|(last, first)| format!("{}, & {last}", first.join(", "))).unwrap_or_default()
            }
            _ => format!("{}, et al.", names.get(..3).unwrap_or_default().join(", ")),
        };
        let mut content = vec![Inline::text(format!("{shown} {year}").trim().to_owned())];
        let journal = field("journal").or_else(|| field("booktitle")).or_else(|| field("howpublished"));
        let publisher = field("publisher").or_else(|| field("school")).or_else(|| field("institution"));
        let parts = [
            field("title"),
            journal.or(publisher),
            field("volume").or_else(|| field("number")),
            field("pages").or_else(|| field("eid")),
        ];
        for part in parts.into_iter().flatten() {
            let tokens = self.tex_tokens(&part);
            let words = self.inlines(tokens);
            if !plain(&words).trim().is_empty() {
                content.push(Inline::text(", "));
                content.extend(words);
            }
        }
        let eprint = field("eprint").filter(|id| id.contains('.') || id.contains('/'));
        let doi = field("doi").map(|doi| doi.trim_start_matches("https://doi.org/").to_owned());
        if let Some(doi) = doi.map(|doi| doi.replace("\\_", "_")) {
            content.push(Inline::text(", "));
            content.push(Inline::Link {
                target: format!("https://doi.org/{doi}"),
                content: vec![Inline::text(format!("doi:{doi}"))],
            });
        }
        if let Some(id) = eprint {
            let id = id.trim_start_matches("arXiv:").to_owned();
            content.push(Inline::text(", "));
            content.push(Inline::Link {
                target: format!("https://arxiv.org/abs/{id}"),
                content: vec![Inline::text(format!("arXiv:{id}"))],
            });
        }
        let content = super::flow::tidy(content);
        let label = Label { short, year, printed: None };
        self.add_entry(&entry.key, Some(label), content);
    }

    fn said(&mut self, tex: &str) -> String {
        let tokens = self.tex_tokens(tex);
        self.words(tokens)
    }
}

/// Where the brace closes whose inside begins here.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' if open == 0 => return Some(at),
            b'}' => open -= 1,
            _ => {}
        }
    }
    None
}

/// The entries of a `.bib`.
fn entries(text: &str) -> Vec<Entry> {
    let mut out = Vec::new();
    let mut strings: HashMap<String, String> = HashMap::new();
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        rest = rest.get(at + 1..).unwrap_or("");
        let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (kind, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let after = after.trim_start();
        let Some(inner) = after.strip_prefix('{').or_else(|| after.strip_prefix('(')) else { continue };
        if kind.is_empty() || kind.eq_ignore_ascii_case("comment") || kind.eq_ignore_ascii_case("preamble") {
            continue;
        }
        if out.len() >= MOST {
            break;
        }
        if kind.eq_ignore_ascii_case("string") {
            let (fields, left) = fields(inner, &strings);
            strings.extend(fields);
            rest = left;
            continue;
        }
        let Some((key, inner)) = inner.split_once(',') else { continue };
        if key.contains(['@', '{', '}']) || key.len() > 300 {
            continue;
        }
        let (fields, left) = fields(inner, &strings);
        rest = left;
        out.push(Entry { key: key.trim().to_owned(), fields: fields.into_iter().collect(), authors: Vec::new() });
    }
    out
}

/// `name = value` pairs up to the brace that closes the entry, and what follows.
fn fields<'t>(text: &'t str, strings: &HashMap<String, String>) -> (Vec<(String, String)>, &'t str) {
    let mut out = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ',']);
        let length = rest.find(['=', '}', ')', '@', '{', '"']).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let Some(mut value) = after.strip_prefix('=').map(str::trim_start) else {
            return (out, after.strip_prefix(['}', ')']).unwrap_or(after));
        };
        let mut joined = String::new();
        loop {
            let (piece, left) = value_of(value, strings);
            joined.push_str(&piece);
            value = left.trim_start();
            match value.strip_prefix('#') {
                Some(more) => value = more.trim_start(),
                None => break,
            }
        }
        out.push((name.trim().to_lowercase(), joined));
        rest = value;
        if out.len() > 200 {
            return (out, rest);
        }
    }
}

fn value_of<'t>(text: &'t str, strings: &HashMap<String, String>) -> (String, &'t str) {
    if let Some(inner) = text.strip_prefix('{') {
        return match closing(inner) {
            Some(at) => (inner.get(..at).unwrap_or("").to_owned(), inner.get(at + 1..).unwrap_or("")),
            None => (inner.to_owned(), ""),
        };
    }
    if let Some(inner) = text.strip_prefix('"') {
        let mut open = 0_usize;
        for (at, byte) in inner.bytes().enumerate() {
            match byte {
                b'{' => open += 1,
                b'}' => open = open.saturating_sub(1),
                b'"' if open == 0 => {
                    return (inner.get(..at).unwrap_or("").to_owned(), inner.get(at + 1..).unwrap_or(""));
                }
                _ => {}
            }
        }
        return (inner.to_owned(), "");
    }
    let length = text.find([',', '}', ')', '#', '\n', ' ']).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(length).unwrap_or((text, ""));
    (strings.get(&word.trim().to_lowercase()).cloned().unwrap_or_else(|| word.trim().to_owned()), rest)
}

/// Names between ` and `, as family and given names.
fn authors(text: &str) -> Vec<(String, String)> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = Vec::new();
    for name in text.split(" and ").map(str::trim).filter(|name| !name.is_empty()) {
        if name == "others" {
            continue;
        }
        if let (Some(inner), true) = (name.strip_prefix('{'), name.ends_with('}'))
            && closing(inner) == Some(inner.len() - 1)
        {
            out.push((inner.trim_end_matches('}').to_owned(), String::new()));
            continue;
        }
        let mut depth = 0_i32;
        let comma = name.bytes().position(|byte| {
            depth += i32::from(byte == b'{') - i32::from(byte == b'}');
            byte == b',' && depth == 0
        });
        match comma {
            Some(at) => {
                let given = name.get(at + 1..).unwrap_or("").trim().to_owned();
                out.push((name.get(..at).unwrap_or("").trim().to_owned(), given));
            }
            None => match name.rsplit_once(' ') {
                Some((given, family)) => out.push((family.to_owned(), given.to_owned())),
                None => out.push((name.to_owned(), String::new())),
            },
        }
    }
    out
}
