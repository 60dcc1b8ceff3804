//! Reading arXiv's Atom feed.

use super::ArxivError;
use crate::papers::identity::PaperRef;
use crate::papers::record::Record;
use crate::papers::text::{collapse, is_web_page, shorten};
use crate::store::papers::{Author, PaperState, Provenance};
use roxmltree::{Document, Node, ParsingOptions};

const ATOM: &str = "http://www.w3.org/2005/Atom";
const ARXIV: &str = "http://arxiv.org/schemas/atom";
const OPENSEARCH: &str = "http://a9.com/-/spec/opensearch/1.1/";
/// A full slice of 2000 entries has about a million nodes when every one has hundreds of authors.
const MAX_NODES: u32 = 4_000_000;

/// One page of a feed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ArxivPage {
    /// Papers that match.
    pub total: u64,
    /// Where this page begins.
    pub start: u64,
    pub records: Vec<Record>,
}

/// Reads a feed; an error comes as a feed with one entry that points to the page of errors.
pub(crate) fn read_feed(body: &str) -> Result<ArxivPage, ArxivError> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(body, options).map_err(|error| {
        ArxivError::Unreadable(if is_web_page(body) {
            "a web page instead of a feed".to_owned()
        } else {
            error.to_string()
        })
    })?;
    let feed = document.root_element();
    if !feed.has_tag_name((ATOM, "feed")) {
        return Err(ArxivError::Unreadable(format!("a `{}` instead of a feed", feed.tag_name().name())));
    }
    let number = |name| child_text(feed, OPENSEARCH, name).and_then(|text| text.parse().ok());
    let mut records = Vec::new();
    for entry in feed.children().filter(|node| node.has_tag_name((ATOM, "entry"))) {
        let id = child_text(entry, ATOM, "id").unwrap_or_default();
        if id.contains("/api/errors") {
            let said = child_text(entry, ATOM, "summary").unwrap_or_else(|| "it does not say why".to_owned());
            return Err(ArxivError::Rejected(shorten(said.trim_end_matches('.'), 300)));
        }
        // Entries without an identifier were sent for unknown ids before 2025.
        records.extend(record(entry, &id));
    }
    let total = number("totalResults").unwrap_or(records.len() as u64);
    Ok(ArxivPage { total, start: number("startIndex").unwrap_or(0), records })
}

fn record(entry: Node, id: &str) -> Option<Record> {
    let Ok(PaperRef::Arxiv(id)) = id.parse() else { return None };
    let text = |name| child_text(entry, ATOM, name).unwrap_or_default();
    let comment = child_text(entry, ARXIV, "comment").unwrap_or_default();
    let mut record = Record::empty(Provenance::Arxiv);
    record.title = text("title");
    record.abstract_text = text("summary");
    record.authors = entry
        .children()
        .filter(|node| node.has_tag_name((ATOM, "author")))
        .filter_map(|author| child_text(author, ATOM, "name"))
        .map(|name| Author { name: family_first(&name), orcid: None })
        .collect();
    // The date of version 1: when the paper came out.
    record.pubdate = text("published").get(..10).map(str::to_owned);
    record.year = record.pubdate.as_deref().and_then(|date| date.get(..4)?.parse().ok());
    record.venue = Some("arXiv e-prints".to_owned());
    record.doctype = Some("eprint".to_owned());
    record.keywords = categories(entry);
    record.state = if is_withdrawn(&comment, &record.abstract_text) { PaperState::Withdrawn } else { PaperState::Ok };
    record.journal_ref = child_text(entry, ARXIV, "journal_ref");
    // Some authors give several DOIs in one line.
    let dois = child_text(entry, ARXIV, "doi").unwrap_or_default();
    record.dois = dois
        .split_ascii_whitespace()
        .filter_map(|doi| match doi.parse() {
            Ok(PaperRef::Doi(doi)) => Some(doi),
            Ok(PaperRef::Id(_) | PaperRef::Bibcode(_) | PaperRef::Arxiv(_)) | Err(_) => None,
        })
        .collect();
    record.arxiv = vec![id];
    Some(record)
}

/// The primary category first.
fn categories(entry: Node) -> Vec<String> {
    let terms = |namespace, name| {
        entry
            .children()
            .filter(move |node| node.has_tag_name((namespace, name)))
            .filter_map(|node| node.attribute("term").map(str::to_owned))
    };
    let mut all: Vec<String> = Vec::new();
    for term in terms(ARXIV, "primary_category").chain(terms(ATOM, "category")) {
        if !all.contains(&term) {
            all.push(term);
        }
    }
    all
}

/// Withdrawal belongs to the version on top, whose comment or abstract says so in the administrators' or authors' words.
fn is_withdrawn(comment: &str, summary: &str) -> bool {
    let comment = comment.to_lowercase();
    let phrases = ["been withdrawn", "is withdrawn", "withdrawn by", "paper withdrawn", "submission withdrawn"];
    // An abstract may speak of withdrawn gas or data, so there only the set beginning counts.
    let summary: String = summary.chars().take(60).collect::<String>().to_lowercase();
    let subjects = ["paper", "article", "submission", "manuscript", "work"];
    comment.starts_with("withdrawn")
        || phrases.iter().any(|phrase| comment.contains(phrase))
        || summary.starts_with("withdrawn")
        || subjects.iter().any(|subject| summary.contains(&format!("{subject} has been withdrawn")))
}

/// `Thomas P. Greene` as ADS writes it, `Greene, Thomas P.`, with particles kept at the family name.
fn family_first(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let particle = |word: &&str| word.chars().next().is_some_and(char::is_lowercase);
    // Collaborations and single names stay as they are.
    let group = words.iter().any(|word| {
        matches!(
            word.to_ascii_lowercase().as_str(),
            "collaboration" | "team" | "consortium" | "survey" | "group" | "the"
        )
    });
    if words.len() < 2 || group || name.contains(',') {
        return words.join(" ");
    }
    let suffix = matches!(words[words.len() - 1].trim_end_matches('.'), "Jr" | "Sr" | "II" | "III" | "IV");
    let last = if suffix && words.len() > 2 { words.len() - 2 } else { words.len() - 1 };
    let family = words[1..last].iter().position(particle).map_or(last, |at| at + 1);
    let family = if words[family..last].iter().all(particle) { family } else { last };
    format!("{}, {}", words[family..].join(" "), words[..family].join(" "))
}

fn child_text(node: Node, namespace: &str, name: &str) -> Option<String> {
    let child = node.children().find(|child| child.has_tag_name((namespace, name)))?;
    let text: String = child.descendants().filter(Node::is_text).filter_map(|text| text.text()).collect();
    Some(collapse(&text)).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("Thomas P. Greene", "Greene, Thomas P.")]
    #[case("Ewine F. van Dishoeck", "van Dishoeck, Ewine F.")]
    #[case("Floris van der Tak", "van der Tak, Floris")]
    #[case("Sammy Davis Jr.", "Davis Jr., Sammy")]
    #[case("Planck Collaboration", "Planck Collaboration")]
    #[case("Euclid", "Euclid")]
    fn names_are_turned_round(#[case] name: &str, #[case] expected: &str) {
        assert_eq!(family_first(name), expected);
    }

    #[rstest]
    #[case("This paper has been withdrawn by the authors", "", true)]
    #[case("Withdrawn due to an error in eq. 3", "", true)]
    #[case("12 pages", "This paper has been withdrawn.", true)]
    #[case("12 pages, to appear in ApJ", "We study gas that has been withdrawn by a companion.", false)]
    #[case("12 pages", "We present data.", false)]
    fn a_withdrawal_is_recognised(#[case] comment: &str, #[case] summary: &str, #[case] expected: bool) {
        assert_eq!(is_withdrawn(comment, summary), expected);
    }

    #[test]
    fn a_document_type_definition_is_refused() {
        let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><feed xmlns='http://www.w3.org/2005/Atom'>&b;</feed>";
        assert!(matches!(read_feed(bomb), Err(ArxivError::Unreadable(_))));
        assert!(matches!(read_feed("<html><body></html>"), Err(ArxivError::Unreadable(_))));
        let deep = format!("{}{}", "<a>".repeat(200_000), "</a>".repeat(200_000));
        assert!(matches!(read_feed(&deep), Err(ArxivError::Unreadable(_))));
    }
}
