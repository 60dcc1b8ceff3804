//! Identifiers of papers: whatever a person types or pastes becomes one of four kinds.

use crate::ids::PaperId;
use crate::store::papers::{Identifier, Provenance, Scheme};
use percent_encoding::percent_decode_str;
use std::fmt;
use std::str::FromStr;

/// The text is no identifier of a paper.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no identifier of a paper. Give a bibcode (2023Natur.618...39G), an arXiv id (2303.14849 or astro-ph/0301632), \
     a DOI (10.1038/s41586-023-05951-7), an address that contains one of them, or the id that a search returned."
)]
pub struct NotAnIdentifier(String);

impl NotAnIdentifier {
    fn new(text: &str) -> Self {
        Self(text.chars().take(80).collect())
    }
}

/// An ADS bibcode: 19 characters, year first, author's initial last. Opaque: nothing is ever computed from its parts,
/// since page digits spill into other columns and the owner may give the form up.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bibcode(String);

impl Bibcode {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Bibcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Bibcode {
    type Err = NotAnIdentifier;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let bytes = text.as_bytes();
        let valid = bytes.len() == 19
            && bytes.iter().all(u8::is_ascii_graphic)
            && bytes[..4].iter().all(u8::is_ascii_digit)
            && bytes[4].is_ascii_alphabetic()
            && (bytes[18].is_ascii_alphabetic() || matches!(bytes[18], b'.' | b':'));
        if valid { Ok(Self(text.to_owned())) } else { Err(NotAnIdentifier::new(text)) }
    }
}

/// An arXiv identifier, old (`astro-ph/0301632`, the subject class of `math.GT/0309136` is dropped) or new
/// (`2303.14849`), with or without version.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArxivId {
    id: String,
    version: Option<u32>,
}

impl ArxivId {
    /// Without version: what makes two of them the same paper.
    #[must_use]
    pub fn without_version(&self) -> &str {
        &self.id
    }

    /// The same without a version: whichever is the newest.
    #[must_use]
    pub fn newest(&self) -> Self {
        Self { id: self.id.clone(), version: None }
    }

    /// The version, when one was named.
    #[must_use]
    pub fn version(&self) -> Option<u32> {
        self.version
    }
}

impl fmt::Display for ArxivId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id)?;
        self.version.map_or(Ok(()), |version| write!(f, "v{version}"))
    }
}

impl FromStr for ArxivId {
    type Err = NotAnIdentifier;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || NotAnIdentifier::new(text);
        let text = text.trim();
        let text = strip_prefix_ignoring_case(text, "arxiv:").unwrap_or(text).trim_start();
        // Citations are often followed by the class: `arXiv:2303.14849v1 [astro-ph.EP]`.
        let text = text.split_ascii_whitespace().next().ok_or_else(wrong)?;
        let (id, version) = match text.rfind(['v', 'V']) {
            Some(at) if at > 0 && text[at + 1..].bytes().all(|b| b.is_ascii_digit()) && at + 1 < text.len() => {
                let version: u32 = text[at + 1..].parse().map_err(|_| wrong())?;
                (&text[..at], Some(version).filter(|version| *version > 0))
            }
            _ => (text, None),
        };
        let id = match id.split_once('/') {
            Some((archive, number)) => {
                let archive = archive.split('.').next().unwrap_or_default().to_ascii_lowercase();
                let letters = archive.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
                if !letters || archive.len() < 2 || number.len() != 7 || !is_month(number) {
                    return Err(wrong());
                }
                format!("{archive}/{number}")
            }
            None => {
                let (month, number) = id.split_once('.').ok_or_else(wrong)?;
                let digits = number.bytes().all(|b| b.is_ascii_digit());
                if month.len() != 4 || !is_month(month) || !digits || !(4..=5).contains(&number.len()) {
                    return Err(wrong());
                }
                id.to_owned()
            }
        };
        Ok(Self { id, version })
    }
}

/// Whether the text is all digits and begins with a year and a month, `YYMM`.
fn is_month(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit()) && matches!(text.get(2..4).map(str::parse::<u8>), Some(Ok(1..=12)))
}

/// A DOI in lower case (DOIs do not distinguish case).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Doi(String);

impl Doi {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The e-print that arXiv's own DOIs (10.48550/arXiv.…, registered with DataCite) name.
    #[must_use]
    pub fn arxiv(&self) -> Option<ArxivId> {
        self.0.strip_prefix("10.48550/arxiv.")?.parse().ok()
    }
}

impl fmt::Display for Doi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Doi {
    type Err = NotAnIdentifier;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || NotAnIdentifier::new(text);
        let trimmed = text.trim();
        let bare = strip_prefix_ignoring_case(trimmed, "doi:").unwrap_or(trimmed).trim_start();
        let bare = trim_punctuation(bare);
        let (prefix, suffix) = bare.split_once('/').ok_or_else(wrong)?;
        let registrant = prefix.strip_prefix("10.").ok_or_else(wrong)?;
        let registrant_valid =
            registrant.split('.').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
                && registrant.len() >= 4;
        if !registrant_valid || suffix.is_empty() || suffix.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(wrong());
        }
        Ok(Self(bare.to_lowercase()))
    }
}

/// Removes what a sentence puts behind a DOI; a closing bracket stays when its opening one is inside.
fn trim_punctuation(mut text: &str) -> &str {
    while let Some(last) = text.chars().next_back() {
        let unbalanced = |open, close| text.matches(open).count() < text.matches(close).count();
        let strip = match last {
            '.' | ',' | ';' | '"' | '\'' => true,
            ')' => unbalanced('(', ')'),
            ']' => unbalanced('[', ']'),
            '>' => unbalanced('<', '>'),
            '}' => unbalanced('{', '}'),
            _ => false,
        };
        if !strip {
            break;
        }
        text = &text[..text.len() - last.len_utf8()];
    }
    text
}

/// A reference to one paper, in any form a person may use.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PaperRef {
    /// Our own id.
    Id(PaperId),
    /// An ADS bibcode.
    Bibcode(Bibcode),
    /// An arXiv identifier.
    Arxiv(ArxivId),
    /// A publisher's DOI.
    Doi(Doi),
}

impl PaperRef {
    /// The stored identifiers that this may be found under: none for our own id.
    #[must_use]
    pub fn identifiers(&self) -> Vec<Identifier> {
        let one = |scheme, value: &str| vec![Identifier { scheme, value: value.to_owned(), source: Provenance::User }];
        match self {
            Self::Id(_) => Vec::new(),
            Self::Bibcode(bibcode) => one(Scheme::Bibcode, bibcode.as_str()),
            Self::Arxiv(id) => one(Scheme::Arxiv, id.without_version()),
            Self::Doi(doi) => one(Scheme::Doi, doi.as_str()),
        }
    }
}

impl fmt::Display for PaperRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Bibcode(bibcode) => bibcode.fmt(f),
            Self::Arxiv(id) => id.fmt(f),
            Self::Doi(doi) => doi.fmt(f),
        }
    }
}

impl FromStr for PaperRef {
    type Err = NotAnIdentifier;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let trimmed = text.trim().trim_matches(['<', '>', '"']);
        // Pasted from HTML or BibTeX: A&A bibcodes hold an ampersand.
        let cleaned = trimmed.replace("&amp;", "&").replace("\\&", "&");
        let cleaned = strip_prefix_ignoring_case(&cleaned, "bibcode:").unwrap_or(&cleaned).trim();
        bare(cleaned).or_else(|| from_address(cleaned)).ok_or_else(|| NotAnIdentifier::new(trimmed))
    }
}

/// An identifier without an address around it.
fn bare(text: &str) -> Option<PaperRef> {
    if text.len() == 36
        && let Ok(id) = text.parse()
    {
        return Some(PaperRef::Id(id));
    }
    if let Ok(bibcode) = text.parse() {
        return Some(PaperRef::Bibcode(bibcode));
    }
    if let Ok(doi) = text.parse::<Doi>() {
        return Some(doi.arxiv().map_or(PaperRef::Doi(doi), PaperRef::Arxiv));
    }
    text.parse().ok().map(PaperRef::Arxiv)
}

/// An identifier inside an address: arXiv's pages, ADS's and SciX's, doi.org, and any other whose path holds a DOI.
fn from_address(text: &str) -> Option<PaperRef> {
    let rest = strip_prefix_ignoring_case(text, "https://").or_else(|| strip_prefix_ignoring_case(text, "http://"));
    // People also paste `arxiv.org/abs/…` without the scheme.
    let rest = rest.or_else(|| text.contains('/').then_some(text))?;
    let (host, path) = rest.split_once('/')?;
    let host = host.to_ascii_lowercase();
    if !host.contains('.') {
        return None;
    }
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let path = percent_decode_str(path).decode_utf8().ok()?;
    let below = |page: &str| path.strip_prefix(page).map(|rest| rest.trim_end_matches('/'));
    if host == "arxiv.org" || host.ends_with(".arxiv.org") || host == "ar5iv.org" {
        let id = ["abs/", "pdf/", "html/", "e-print/", "src/", "format/", "ps/"].iter().find_map(|page| below(page))?;
        return id.trim_end_matches(".pdf").parse().ok().map(PaperRef::Arxiv);
    }
    if host.ends_with("adsabs.harvard.edu") || host.ends_with("scixplorer.org") {
        // The bibcode is one path segment; the page's name follows it.
        return below("abs/")?.split('/').next()?.parse().ok().map(PaperRef::Bibcode);
    }
    let doi = &path[path.find("10.")?..];
    if host == "doi.org" || host == "dx.doi.org" || host == "www.doi.org" {
        return bare(doi);
    }
    let page_names = ["/pdf", "/meta", "/abstract", "/full", "/fulltext", "/epub", "/html", ".pdf"];
    let doi = page_names.iter().find_map(|name| doi.strip_suffix(name)).unwrap_or(doi);
    bare(doi.trim_end_matches('/')).filter(|found| matches!(found, PaperRef::Doi(_) | PaperRef::Arxiv(_)))
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

#[cfg(test)]
mod tests;
