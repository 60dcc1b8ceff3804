//! Papers as compact text for a model, with links for the reader.

use crate::papers::{Paper, PaperState, shorten};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::fmt::Write;

/// Authors that are named before "et al.".
const NAMED_AUTHORS: usize = 3;
/// Bibcodes hold `&` and `+`; dots may stay.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'_');

/// The page of a bibcode at ADS.
pub(super) fn ads_link(bibcode: &str) -> String {
    format!("https://ui.adsabs.harvard.edu/abs/{}/abstract", utf8_percent_encode(bibcode, IN_PATH))
}

/// The page of an e-print.
pub(super) fn arxiv_link(id: &str) -> String {
    format!("https://arxiv.org/abs/{id}")
}

/// `Greene, T., Bell, T., Ducrot, E., et al. (15 authors)`.
pub(super) fn authors(paper: &Paper) -> String {
    let names: Vec<&str> = paper.authors.iter().take(NAMED_AUTHORS).map(|author| author.name.as_str()).collect();
    match paper.authors.len() {
        0 => "no authors given".to_owned(),
        count if count > NAMED_AUTHORS => format!("{}; et al. ({count} authors)", names.join("; ")),
        _ => names.join("; "),
    }
}

/// Title, authors, place, identifiers and links: the lines that every tool shows of a paper.
pub(super) fn heading(paper: &Paper) -> String {
    let mut out = String::new();
    let title = if paper.title.is_empty() { "(no title)" } else { &paper.title };
    let _ = write!(out, "{title}\n   {}", authors(paper));
    let year = paper.year.map(|year| year.to_string());
    let place: Vec<String> = [year, paper.venue.clone()].into_iter().flatten().collect();
    if !place.is_empty() {
        let _ = write!(out, " — {}", place.join(", "));
    }
    let preprint_first = paper.published_as.as_ref().filter(|_| paper.doctype.as_deref() == Some("eprint"));
    if let Some(published) = preprint_first {
        let _ = write!(out, " (published as {published})");
    } else if let Some(published) = &paper.published_as {
        let _ = write!(out, " ({published})");
    }
    let names: Vec<String> = [
        paper.bibcode.as_ref().map(|bibcode| format!("bibcode {bibcode}")),
        paper.arxiv_id.as_ref().map(|id| format!("arXiv:{id}")),
        paper.doi.as_ref().map(|doi| format!("doi:{doi}")),
        paper.citation_count.map(|count| format!("{count} citations")),
    ]
    .into_iter()
    .flatten()
    .collect();
    let _ = write!(out, "\n   {}", names.join(" · "));
    let links: Vec<String> = [paper.bibcode.as_deref().map(ads_link), paper.arxiv_id.as_deref().map(arxiv_link)]
        .into_iter()
        .flatten()
        .collect();
    if !links.is_empty() {
        let _ = write!(out, "\n   {}", links.join(" "));
    }
    let marks = marks(paper);
    if !marks.is_empty() {
        let _ = write!(out, "\n   {}", marks.join("; "));
    }
    out
}

/// What a reader must know before using the paper, and what the library has of it.
fn marks(paper: &Paper) -> Vec<&'static str> {
    let state = match paper.state {
        PaperState::Ok => None,
        PaperState::Withdrawn => Some("WITHDRAWN by its authors: do not cite it as evidence"),
        PaperState::Retracted => Some("RETRACTED: do not cite it as evidence"),
        PaperState::Corrected => Some("an erratum exists"),
    };
    let library = match (paper.in_library, paper.has_text, paper.has_pdf) {
        (_, true, _) => Some("in the library, with text"),
        (_, false, true) => Some("in the library, with PDF"),
        (true, false, false) => Some("in the library"),
        (false, false, false) => None,
    };
    [state, library].into_iter().flatten().collect()
}

/// The abstract, cut to so many characters; none when so few would say nothing.
pub(super) fn short_abstract(paper: &Paper, limit: usize) -> Option<String> {
    (!paper.abstract_text.is_empty() && limit >= 40).then(|| shorten(&paper.abstract_text, limit))
}

/// Whether the JSON of a paper for the dashboard stays small: lists that can run to thousands are cut.
pub(super) fn trimmed(mut paper: Paper, abstract_chars: usize) -> Paper {
    paper.authors.truncate(50);
    paper.keywords.truncate(20);
    paper.identifiers.truncate(20);
    paper.abstract_text = short_abstract(&paper, abstract_chars).unwrap_or_default();
    paper
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bibcodes_are_encoded_in_links() {
        assert_eq!(ads_link("2013A&A...552A.143S"), "https://ui.adsabs.harvard.edu/abs/2013A%26A...552A.143S/abstract");
    }
}
