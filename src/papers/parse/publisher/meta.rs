//! What a page says about its article: `citation_…` (<https://scholar.google.com/intl/en/scholar/inclusion.html>), Dublin
//! Core, JSON-LD.

use super::DEEPEST;
use super::tree::{attr, below, name, one_blank};
use crate::papers::parse::document::Author;
use scraper::ElementRef;
use serde_json::Value;

/// Everything that the page's head knows.
#[derive(Debug, Default)]
pub(super) struct Meta {
    pub(super) title: Option<String>,
    pub(super) authors: Vec<Author>,
    pub(super) keywords: Vec<String>,
    pub(super) doi: Option<String>,
    pub(super) arxiv: Option<String>,
    pub(super) date: Option<String>,
    pub(super) journal: Option<String>,
    pub(super) summary: Option<String>,
    pub(super) publisher: Option<String>,
    /// The short forms of the references: `citation_author=…; citation_journal_title=…`.
    pub(super) references: Vec<String>,
    /// The addresses that the page goes by.
    pub(super) addresses: Vec<String>,
    /// Whether the page names a paper, not just any text.
    scholarly: bool,
}

impl Meta {
    /// Reads the head of a page, and the little that publishers put elsewhere.
    pub(super) fn of(root: ElementRef<'_>) -> Self {
        let mut given = Given::default();
        let mut linked: Option<Linked> = None;
        let mut meta = Self::default();
        for element in below(root) {
            match name(element) {
                "meta" => {
                    let key = attr(element, "name").or_else(|| attr(element, "property"));
                    if let (Some(key), Some(content)) = (key, attr(element, "content")) {
                        given.take(&key.to_ascii_lowercase(), content);
                    }
                }
                "link" if attr(element, "rel") == Some("canonical") => {
                    meta.addresses.extend(attr(element, "href").map(str::to_owned));
                }
                "script" if attr(element, "type") == Some("application/ld+json") => {
                    let text: String = element.text().collect();
                    if let Ok(value) = serde_json::from_str::<Value>(text.trim()) {
                        linked = linked.or_else(|| article(&value, 0).map(Linked::of));
                    }
                }
                _ => {}
            }
        }
        let linked = linked.unwrap_or_default();
        meta.scholarly = given.citation || linked.scholarly;
        meta.title = given.first(&["citation_title", "dc.title", "dcterms.title", "prism.title", "eprints.title"]);
        meta.title = meta.title.or(linked.title);
        meta.doi = given
            .first(&["citation_doi", "prism.doi", "bepress_citation_doi", "dc.identifier", "dc.identifier.doi", "doi"])
            .and_then(|text| doi(&text))
            .or_else(|| linked.doi.and_then(|text| doi(&text)))
            .or_else(|| meta.addresses.iter().find_map(|address| doi(address)));
        meta.arxiv = given.first(&["citation_arxiv_id"]);
        meta.date = given
            .first(&["citation_publication_date", "citation_date", "citation_online_date", "prism.publicationdate"])
            .or_else(|| given.first(&["dc.date", "dc.date.issued", "dcterms.issued", "dcterms.date"]))
            .or(linked.date);
        meta.journal = given
            .first(&["citation_journal_title", "citation_conference_title", "prism.publicationname", "dc.source"])
            .or(linked.journal);
        meta.publisher = given.first(&["citation_publisher", "dc.publisher"]);
        meta.summary = given
            .first(&["citation_abstract", "dcterms.abstract", "dc.description.abstract", "dc.description"])
            .or(linked.summary);
        meta.authors = if given.authors.is_empty() { linked.authors } else { given.authors };
        if meta.authors.is_empty() {
            meta.authors = given.creators;
        }
        meta.keywords = given.keywords;
        meta.references = given.references;
        meta.addresses.extend(given.addresses);
        meta
    }

    /// Whether the page says that it is the page of a paper.
    pub(super) fn is_article(&self) -> bool {
        self.scholarly && (self.title.is_some() || self.doi.is_some())
    }
}

#[derive(Default)]
struct Given {
    single: Vec<(String, String)>,
    authors: Vec<Author>,
    creators: Vec<Author>,
    keywords: Vec<String>,
    references: Vec<String>,
    addresses: Vec<String>,
    citation: bool,
}

impl Given {
    fn take(&mut self, key: &str, content: &str) {
        self.citation |=
            matches!(key, "citation_title" | "citation_doi" | "citation_journal_title" | "citation_author")
                || (matches!(key, "dc.identifier" | "prism.doi") && doi(content).is_some());
        match key {
            "citation_author" => add(&mut self.authors, content),
            "citation_authors" if self.authors.is_empty() => {
                content.split(';').for_each(|name| add(&mut self.authors, name));
            }
            "citation_author_institution" | "citation_author_affiliation" => {
                let text = one_blank(content);
                if let Some(author) = self.authors.last_mut().filter(|author| !author.affiliations.contains(&text)) {
                    author.affiliations.push(text);
                }
            }
            "dc.creator" | "dc.contributor" | "dcterms.creator" | "dc.creator.personalname" => {
                add(&mut self.creators, content);
            }
            "citation_keywords" | "citation_keyword" | "dc.subject" => {
                let mark = if content.contains(';') { ';' } else { ',' };
                for word in content.split(mark).map(one_blank).filter(|word| !word.is_empty()) {
                    if self.keywords.len() < 200 && !self.keywords.contains(&word) {
                        self.keywords.push(word);
                    }
                }
            }
            "citation_reference" => self.references.push(content.to_owned()),
            "og:url" | "citation_fulltext_html_url" | "citation_abstract_html_url" | "citation_public_url" => {
                self.addresses.push(content.to_owned());
            }
            _ if self.single.len() < 2_000 => self.single.push((key.to_owned(), one_blank(content))),
            _ => {}
        }
    }

    /// The first of these names that is there.
    fn first(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| {
            let (_, content) = self.single.iter().find(|(key, _)| key == name)?;
            Some(content.clone())
        })
    }
}

/// A page may name its authors twice.
fn add(authors: &mut Vec<Author>, name: &str) {
    let name = forename_first(&one_blank(name));
    if !name.is_empty() && authors.last().is_none_or(|last| last.name != name) {
        authors.push(Author { name, affiliations: Vec::new() });
    }
}

/// `Fu, X. W.` is printed as `X. W. Fu`.
fn forename_first(name: &str) -> String {
    let mut parts = name.split(',').map(str::trim);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(last), Some(first), None)
            if !first.is_empty() && !matches!(first, "Jr." | "Jr" | "Sr." | "II" | "III") =>
        {
            format!("{first} {last}")
        }
        _ => name.trim_end_matches(',').to_owned(),
    }
}

/// The DOI in a text: small, without a resolver.
pub(super) fn doi(text: &str) -> Option<String> {
    let from = text.find("10.")?;
    let rest = text.get(from..)?;
    let (prefix, suffix) = rest.split_once('/')?;
    let fits = (7..=12).contains(&prefix.len()) && prefix.chars().skip(3).all(|c| c.is_ascii_digit() || c == '.');
    let end = suffix.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '?' | '&' | '#'));
    let suffix = suffix.get(..end.unwrap_or(suffix.len()))?.trim_end_matches(['.', ',', ';', ')']);
    (fits && !suffix.is_empty()).then(|| format!("{prefix}/{suffix}").to_lowercase())
}

/// The first article that JSON-LD describes.
fn article(value: &Value, depth: usize) -> Option<&Value> {
    if depth > DEEPEST {
        return None;
    }
    match value {
        Value::Array(all) => all.iter().find_map(|one| article(one, depth + 1)),
        Value::Object(object) => {
            let is_article =
                |kind: &Value| kind.as_str().is_some_and(|kind| kind.ends_with("Article") && !kind.starts_with("News"));
            let kind = object.get("@type");
            let found = kind
                .is_some_and(|kind| is_article(kind) || kind.as_array().is_some_and(|all| all.iter().any(is_article)));
            if found {
                return Some(value);
            }
            ["@graph", "mainEntity", "mainEntityOfPage"].iter().find_map(|key| article(object.get(*key)?, depth + 1))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

#[derive(Default)]
struct Linked {
    title: Option<String>,
    authors: Vec<Author>,
    doi: Option<String>,
    date: Option<String>,
    journal: Option<String>,
    summary: Option<String>,
    scholarly: bool,
}

impl Linked {
    fn of(article: &Value) -> Self {
        let text = |key: &str| article.get(key).and_then(words);
        let doi_in = |key: &str| {
            let value = article.get(key)?;
            let all = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            all.iter().find_map(|one| doi(one.get("value").and_then(Value::as_str).or(one.as_str())?))
        };
        let kind = article.get("@type").map(ToString::to_string).unwrap_or_default();
        let mut authors = Vec::new();
        if let Some(value) = article.get("author").or_else(|| article.get("creator")) {
            let all = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
            for one in all {
                let Some(name) = words(one.get("name").unwrap_or(one)) else { continue };
                add(&mut authors, &name);
                let places = one.get("affiliation");
                let places = places.map(|all| all.as_array().map_or(std::slice::from_ref(all), Vec::as_slice));
                if let (Some(author), Some(places)) = (authors.last_mut(), places) {
                    let place = |place: &Value| words(place.get("name").unwrap_or(place));
                    author.affiliations = places.iter().filter_map(place).collect();
                }
            }
        }
        let mut within = article.get("isPartOf");
        let mut journal = None;
        for _ in 0..4 {
            let Some(whole) = within else { break };
            journal = whole.get("name").and_then(words).or(journal);
            within = whole.get("isPartOf");
        }
        Self {
            title: text("headline").or_else(|| text("name")),
            authors,
            doi: ["sameAs", "identifier", "@id", "url"].iter().find_map(|key| doi_in(key)),
            date: text("datePublished"),
            journal,
            summary: text("abstract").or_else(|| text("description").filter(|text| text.len() > 200)),
            scholarly: kind.contains("Scholarly"),
        }
    }
}

fn words(value: &Value) -> Option<String> {
    value.as_str().map(one_blank).filter(|text| !text.is_empty())
}
