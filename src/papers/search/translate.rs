//! A query as arXiv's API understands it (<https://info.arxiv.org/help/api/user-manual.html>, section 5).

use super::syntax::{Clause, Join, Node, Query, Value};
use crate::papers::identity::ArxivId;
use std::fmt;

/// What arXiv is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ArxivQuery {
    /// `search_query`.
    Search(String),
    /// `id_list`.
    Ids(Vec<ArxivId>),
}

impl fmt::Display for ArxivQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Search(query) => f.write_str(query),
            Self::Ids(ids) => {
                let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
                write!(f, "id_list={}", ids.join(","))
            }
        }
    }
}

/// Why arXiv cannot be asked this; it is then left out, not failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NotForArxiv(pub &'static str);

/// The query with its filters.
pub(crate) fn to_arxiv(
    query: &Query,
    authors: &[String],
    years: Option<(Option<i32>, Option<i32>)>,
) -> Result<ArxivQuery, NotForArxiv> {
    if let ([Clause { negated: false, node, .. }], [], None) = (query.clauses.as_slice(), authors, years)
        && let Some(id) = single_id(node)
    {
        return Ok(ArxivQuery::Ids(vec![id]));
    }
    let mut clauses = Vec::new();
    if !query.clauses.is_empty() {
        let text = list(query)?;
        let alone = authors.is_empty() && years.is_none();
        clauses.push(if query.needs_brackets() && !alone { format!("({text})") } else { text });
    }
    clauses.extend(authors.iter().map(|name| author(name)));
    if let Some((from, to)) = years {
        clauses.push(span(from, to));
    }
    Ok(ArxivQuery::Search(clauses.join(" AND ")))
}

fn single_id(node: &Node) -> Option<ArxivId> {
    match node {
        Node::Field { name: "arXiv" | "identifier", value: Value::Word(id) | Value::Phrase(id), .. } => id.parse().ok(),
        Node::Field { .. } | Node::Word(_) | Node::Phrase(_) | Node::Call { .. } | Node::Group(_) => None,
    }
}

/// arXiv's NOT is `a ANDNOT b`: it needs something before it, so what is wanted goes first.
fn list(query: &Query) -> Result<String, NotForArxiv> {
    let excluded_from_or = query.clauses.iter().any(|clause| clause.negated && clause.join == Join::Or);
    if excluded_from_or {
        return Err(NotForArxiv("arXiv has no `OR NOT`"));
    }
    let mut out = String::new();
    let (wanted, unwanted): (Vec<&Clause>, Vec<&Clause>) = query.clauses.iter().partition(|clause| !clause.negated);
    for clause in &wanted {
        if !out.is_empty() {
            out.push_str(match clause.join {
                Join::And => " AND ",
                Join::Or => " OR ",
            });
        }
        out.push_str(&term(&clause.node)?);
    }
    if out.is_empty() {
        return Err(NotForArxiv("arXiv cannot search for what is absent alone"));
    }
    for clause in unwanted {
        out.push_str(" ANDNOT ");
        out.push_str(&term(&clause.node)?);
    }
    Ok(out)
}

fn term(node: &Node) -> Result<String, NotForArxiv> {
    match node {
        Node::Word(text) => Ok(format!("all:{}", word(text))),
        Node::Phrase(text) => Ok(format!("all:{}", phrase(text))),
        Node::Group(query) => Ok(format!("({})", list(query)?)),
        Node::Call { .. } => Err(NotForArxiv("citations() and its like are ADS's alone")),
        Node::Field { name, value, .. } => field(name, value),
    }
}

fn field(name: &str, value: &Value) -> Result<String, NotForArxiv> {
    let prefixes: &[&str] = match name {
        "author" | "first_author" => return each(value, &|text| author(text)),
        "year" | "pubdate" => return years(value),
        "collection" | "database" => return astronomy(value),
        "title" => &["ti"],
        // ADS's `abs` covers titles too.
        "abs" => &["ti", "abs"],
        "abstract" => &["abs"],
        "comment" => &["co"],
        "arxiv_class" => &["cat"],
        "full" | "body" | "keyword" | "object" | "uat" => &["all"],
        "arXiv" | "identifier" => return Err(NotForArxiv("arXiv takes an identifier alone, without other terms")),
        "bibcode" | "bibstem" | "doi" => {
            return Err(NotForArxiv("arXiv does not know bibcodes, journals or publishers' DOIs"));
        }
        _ => return Err(NotForArxiv("the query uses a field that ADS alone has")),
    };
    each(value, &|text| {
        let text = if text.contains(' ') { phrase(text) } else { word(text) };
        let terms: Vec<String> = prefixes.iter().map(|prefix| format!("{prefix}:{text}")).collect();
        if terms.len() == 1 { terms.join("") } else { format!("({})", terms.join(" OR ")) }
    })
}

/// Applies a field to every word of its value: arXiv has no `ti:(a OR b)`.
fn each(value: &Value, apply: &dyn Fn(&str) -> String) -> Result<String, NotForArxiv> {
    match value {
        Value::Word(text) | Value::Phrase(text) => Ok(apply(text)),
        Value::Range(_) => Err(NotForArxiv("arXiv has ranges of dates alone")),
        Value::Group(query) => {
            let clauses = query.clauses.iter().map(|clause| match &clause.node {
                Node::Word(text) | Node::Phrase(text) if !clause.negated => Ok((clause.join, apply(text))),
                Node::Word(_) | Node::Phrase(_) | Node::Field { .. } | Node::Call { .. } | Node::Group(_) => {
                    Err(NotForArxiv("the field's value is too involved for arXiv"))
                }
            });
            let mut out = String::new();
            for clause in clauses {
                let (join, text) = clause?;
                if !out.is_empty() {
                    out.push_str(if join == Join::Or { " OR " } else { " AND " });
                }
                out.push_str(&text);
            }
            Ok(format!("({out})"))
        }
    }
}

fn astronomy(value: &Value) -> Result<String, NotForArxiv> {
    match value {
        Value::Word(text) | Value::Phrase(text) if text.eq_ignore_ascii_case("astronomy") => Ok("cat:astro-ph*".into()),
        Value::Word(_) | Value::Phrase(_) | Value::Range(_) | Value::Group(_) => {
            Err(NotForArxiv("arXiv has no such collection"))
        }
    }
}

/// `2019`, `2019-2024`, `2019-`, `[2019 TO 2024]`.
fn years(value: &Value) -> Result<String, NotForArxiv> {
    let wrong = NotForArxiv("arXiv understands whole years alone");
    let (from, to) = match value {
        Value::Word(text) | Value::Phrase(text) => text.split_once('-').unwrap_or((text, text)),
        Value::Range(text) => text.split_once(" TO ").ok_or(wrong.clone())?,
        Value::Group(_) => return Err(wrong),
    };
    let year = |text: &str| match text.trim() {
        "" | "*" => Ok(None),
        text => text.parse::<i32>().map(Some).map_err(|_| wrong.clone()),
    };
    Ok(span(year(from)?, year(to)?))
}

fn span(from: Option<i32>, to: Option<i32>) -> String {
    let (from, to) = (from.unwrap_or(1991).clamp(1, 9999), to.unwrap_or(9999).clamp(1, 9999));
    format!("submittedDate:[{from:04}01010000 TO {to:04}12312359]")
}

/// `Greene, Thomas P.` is `Greene_T` in arXiv's author index.
fn author(name: &str) -> String {
    let name = name.trim_start_matches('^');
    let (family, given) = name.split_once(',').unwrap_or((name, ""));
    let family: Vec<&str> =
        family.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|part| !part.is_empty()).collect();
    let initial = given.trim().chars().next().filter(|c| c.is_alphabetic());
    match initial {
        Some(initial) => format!("au:{}_{initial}", family.join("_")),
        None => format!("au:{}", family.join("_")),
    }
}

fn word(text: &str) -> String {
    if text.chars().all(|c| c.is_alphanumeric() || matches!(c, '*' | '?')) { text.to_owned() } else { phrase(text) }
}

fn phrase(text: &str) -> String {
    let inner: String = text.chars().filter(|c| !matches!(c, '"' | '\\')).collect();
    format!("\"{inner}\"")
}
