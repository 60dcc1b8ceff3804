//! The reference list.

use super::meta::doi;
use super::outline::is_reference_heading;
use super::tree::{
    any_class, attr, below, children, class, find, find_all, key, name, one_blank, parent, text_of, text_until,
};
use super::{Reader, lines};
use crate::papers::parse::document::{Inline, Reference, TroubleKind};
use scraper::ElementRef;

/// The entries of a list and what to leave out of the text because of them.
pub(super) struct List<'a> {
    entries: Vec<ElementRef<'a>>,
    /// Whether the list shows numbers of its own making.
    is_numbered: bool,
}

/// Classes of a single entry.
const ENTRIES: [&str; 16] = [
    "refcontainer",
    "reference-list__item",
    "c-article-references__item",
    "js-splitview-ref-item",
    "ref-item",
    "bib-reference",
    "References",
    "html-bibr-item",
    "ref-list-item",
    "reference-item",
    "citation-item",
    "bibliography-item",
    "bibitem",
    "NLM_ref",
    "indices-list",
    "bib-entry",
];

/// Words of classes and ids of the whole list.
const LISTS: [&str; 19] = [
    "references",
    "ref-list",
    "reflist",
    "reference-list",
    "references-list",
    "citation-list",
    "citedreferences",
    "article-references",
    "references-section",
    "references_list",
    "bibliography",
    "biblist",
    "biblio",
    "literature-cited",
    "rlist",
    "wd-content-refs",
    "references-wrapper",
    "html-references_list",
    "NLM_references",
];

/// Words of links that stand in every entry and say nothing about the paper.
const JUNK: [&str; 48] = [
    "view in scopus",
    "google scholar",
    "crossref",
    "crossref full text",
    "pubmed",
    "pubmed abstract",
    "pubmed/ncbi",
    "pubmed central",
    "pmc",
    "view article",
    "view in article",
    "view record in scopus",
    "view pdf",
    "view abstract",
    "ads",
    "nasa ads",
    "adsabs",
    "search ads",
    "cas",
    "chemport",
    "web of science",
    "web of science ®",
    "isi",
    "scopus",
    "full text",
    "full text via crossref",
    "free full text",
    "abstract",
    "abstract/free full text",
    "pdf",
    "article",
    "download citation",
    "iopscience",
    "inspire",
    "edp sciences",
    "mathscinet",
    "zbmath",
    "open in new tab",
    "openurl",
    "open url",
    "find it",
    "links",
    "export citation",
    "go to reference in article",
    "citing articles",
    "worldcat",
    "search in google scholar",
    "opens in new window",
];

/// Whether a link in an entry leads to a catalogue and says nothing itself.
pub(super) fn is_junk_link(words: &str) -> bool {
    let words = one_blank(words).to_lowercase();
    let words = words.trim_matches(|c: char| !c.is_alphanumeric() && c != '®');
    JUNK.contains(&words)
}

/// Finds the entries of the page's reference list.
pub(super) fn list<'a>(root: ElementRef<'a>) -> Option<List<'a>> {
    let by_class = find_all(root, &|element| {
        (any_class(element, &ENTRIES) || element.value().attr("data-reference").is_some())
            && matches!(name(element), "li" | "div" | "p" | "tr" | "dd")
    });
    let full: Vec<_> = by_class.into_iter().filter(|entry| text_until(*entry, 20, &|_| false).len() > 8).collect();
    if !full.is_empty() {
        return Some(List { entries: full, is_numbered: false });
    }
    let lists = find_all(root, &|element| {
        matches!(name(element), "ol" | "ul" | "div" | "section" | "dl")
            && (any_class(element, &LISTS) || element.value().id().is_some_and(|id| LISTS.contains(&id)))
    });
    let named = lists.into_iter().filter_map(entries_in).max_by_key(|list| list.entries.len());
    named.filter(|list| list.entries.len() > 1).or_else(|| under_heading(root))
}

/// The entries in an element that is known to hold them.
fn entries_in(whole: ElementRef<'_>) -> Option<List<'_>> {
    let is_list = |element: ElementRef<'_>| matches!(name(element), "ol" | "ul") && !class(element, "reflinks");
    let lists = if is_list(whole) { vec![whole] } else { find_all(whole, &is_list) };
    let longest = lists.into_iter().map(|list| (list, children(list).filter(is_entry).count())).max_by_key(|(_, n)| *n);
    if let Some((list, count)) = longest
        && count > 1
    {
        let is_numbered = name(list) == "ol" && !any_class(list, &["no-number", "list-unstyled", "clear-list"]);
        return Some(List { entries: children(list).filter(is_entry).collect(), is_numbered });
    }
    let paragraphs: Vec<_> = find_all(whole, &|element| matches!(name(element), "p" | "dd"))
        .into_iter()
        .filter(|one| text_until(*one, 40, &|_| false).len() > 20)
        .collect();
    if paragraphs.len() > 1 {
        return Some(List { entries: paragraphs, is_numbered: false });
    }
    let boxes: Vec<_> = children(whole).filter(|one| name(*one) == "div").filter(is_entry).collect();
    (boxes.len() > 1).then_some(List { entries: boxes, is_numbered: false })
}

fn is_entry(element: &ElementRef<'_>) -> bool {
    matches!(name(*element), "li" | "div" | "p") && text_until(*element, 20, &|_| false).len() > 8
}

/// The list that follows a heading `References`.
fn under_heading(root: ElementRef<'_>) -> Option<List<'_>> {
    let headings = below(root).filter(|element| {
        matches!(name(*element), "h1" | "h2" | "h3" | "h4" | "h5")
            && is_reference_heading(&text_until(*element, 60, &|_| false))
    });
    for heading in headings.take(4) {
        let mut at = heading;
        for _ in 0..3 {
            let mut paragraphs = Vec::new();
            for beside in at.next_siblings().filter_map(ElementRef::wrap) {
                match name(beside) {
                    "h1" | "h2" | "h3" => break,
                    "p" => paragraphs.extend(is_entry(&beside).then_some(beside)),
                    "ol" | "ul" | "div" | "section" => {
                        if let Some(list) = entries_in(beside) {
                            return Some(list);
                        }
                    }
                    _ => {}
                }
            }
            if paragraphs.len() > 1 {
                return Some(List { entries: paragraphs, is_numbered: false });
            }
            let Some(above) = parent(at) else { break };
            at = above;
        }
    }
    None
}

/// Attributes in which publishers keep the anchor of an entry.
const ANCHORS: [&str; 8] =
    ["id", "name", "content-id", "data-content-id", "data-bib-id", "data-legacy-id", "data-popup-contents", "data-id"];

impl<'a> Reader<'a> {
    /// Reads the list, so that citations in the text know their entries.
    pub(super) fn references(&mut self, list: &List<'a>) {
        for entry in &list.entries {
            self.left_out.insert(key(*entry));
        }
        let anchors: Vec<Vec<&'a str>> = list.entries.iter().map(|entry| anchors_of(*entry)).collect();
        // Entries that nobody cites are named as the others are.
        let mut places = [0_usize; 8];
        for all in &anchors {
            let cited = all.iter().position(|anchor| self.survey.targets.contains(*anchor));
            if let Some(place) = cited.and_then(|at| places.get_mut(at)) {
                *place += 1;
            }
        }
        let usual = (0..places.len()).rev().max_by_key(|at| places.get(*at)).unwrap_or(0);
        for (at, all) in anchors.into_iter().enumerate() {
            let cited = all.iter().find(|anchor| self.survey.targets.contains(**anchor));
            let key = cited.or(all.get(usual)).or(all.first());
            let key = key.map_or_else(|| format!("ref{}", at + 1), |key| (*key).to_owned());
            let key = if self.keys.contains_key(&key) { format!("{key}-{}", at + 1) } else { key };
            let place = self.document.references.len();
            for anchor in all {
                self.keys.entry(anchor.to_owned()).or_insert(place);
            }
            self.keys.insert(key.clone(), place);
            self.document.references.push(Reference { key, ..Reference::default() });
        }
        // A second time for the words: entries cite each other.
        let from = self.document.references.len() - list.entries.len();
        for (at, entry) in list.entries.iter().enumerate() {
            let ordinal = list.is_numbered.then(|| (at + 1).to_string());
            let (label, content, links) = self.entry(*entry, ordinal);
            if let Some(reference) = self.document.references.get_mut(from + at) {
                reference.label = label;
                reference.content = content;
                reference.links = links;
            }
        }
    }

    fn entry(&mut self, entry: ElementRef<'a>, ordinal: Option<String>) -> (Option<String>, Vec<Inline>, Vec<String>) {
        const LABELS: [&str; 12] = [
            "order",
            "refnumber",
            "refnumbercontainer",
            "ref-label",
            "label",
            "reference-list__ordinal_number",
            "indices-id",
            "citation-label",
            "c-article-references__counter",
            "bibr-label",
            "ref-number",
            "reference-number",
        ];
        let is_label = |inner: ElementRef<'_>| any_class(inner, &LABELS) || name(inner) == "label";
        let label = find(entry, &|inner| is_label(inner) && !text_of(inner).is_empty()).map(text_of);
        let counter = attr(entry, "data-counter").map(str::to_owned);
        let mut links = Vec::new();
        for element in std::iter::once(entry).chain(below(entry)) {
            if let Some(doi) = attr(element, "data-doi").and_then(doi) {
                keep(&mut links, &format!("https://doi.org/{doi}"));
            }
            if name(element) == "a"
                && let Some(href) = attr(element, "href")
            {
                keep_link(&mut links, href, is_junk_link(&text_of(element)));
            }
        }
        self.in_reference = true;
        let mut content = Vec::new();
        for node in entry.children() {
            let is_part = ElementRef::wrap(node).is_none_or(|child| !is_label(child) && !is_catalogue(child));
            if is_part {
                self.inline(node, &mut content, 0);
                if ElementRef::wrap(node).is_some_and(|child| matches!(name(child), "div" | "p" | "span")) {
                    content.push(Inline::text(" "));
                }
            }
        }
        self.in_reference = false;
        let mut content = lines::tidy(content);
        let mut label = label.or(counter).map(|label| bare_label(&label)).filter(|label| !label.is_empty());
        if label.is_none()
            && let Some((found, length)) = leading_label(&content)
        {
            label = Some(found);
            lines::drop_front(&mut content, length);
        }
        lines::trim_end(&mut content, &['|', ' ', '[', ']', '•', '·', '\u{a0}']);
        let mut content = lines::tidy(content);
        for one in &mut content {
            // Parts in boxes of their own leave a blank before the comma.
            if let Inline::Text(text) = one {
                *text = text.replace(" ,", ",").replace(" .", ".").replace(" ;", ";");
            }
        }
        (label.or(ordinal), content, links)
    }

    /// Where the list is not on the page, its short forms in the head are better than nothing.
    pub(super) fn references_from_head(&mut self) {
        let short: Vec<String> = self.meta.references.clone();
        let stem = self.survey.targets.iter().filter_map(|anchor| {
            let stem = anchor.trim_end_matches(|c: char| c.is_ascii_digit());
            let number: usize = anchor.get(stem.len()..)?.parse().ok()?;
            (stem.ends_with("bib") && number <= short.len()).then(|| (stem.to_owned(), anchor.len() - stem.len()))
        });
        // Anchors are numbered as the list is: `apjab1234bib12` is the twelfth.
        let stem = stem.min();
        for (at, entry) in short.iter().enumerate() {
            let key = match &stem {
                Some((stem, 1)) | Some((stem, 0)) => format!("{stem}{}", at + 1),
                Some((stem, wide)) => format!("{stem}{:0wide$}", at + 1),
                None => format!("ref{}", at + 1),
            };
            let mut links = Vec::new();
            let mut words = Vec::new();
            for part in entry.split(';') {
                let Some((name, value)) = part.split_once('=') else {
                    words.push(one_blank(part));
                    continue;
                };
                let value = one_blank(value);
                match name.trim() {
                    "citation_doi" => links.extend(doi(&value).map(|doi| format!("https://doi.org/{doi}"))),
                    "citation_arxiv_id" => links.push(format!("https://arxiv.org/abs/{value}")),
                    "citation_id" | "citation_issn" | "citation_publisher" | "citation_issue" | "citation_number" => {}
                    _ => words.push(value),
                }
            }
            words.retain(|word| !word.is_empty() && word != "/");
            self.keys.insert(key.clone(), self.document.references.len());
            let content = vec![Inline::text(words.join(", "))];
            self.document.references.push(Reference { key, label: None, content, links });
        }
        let what = match short.len() {
            0 => "the page does not have its reference list: it loads on demand",
            _ => "the page does not have its reference list: the short forms in its head stand for it",
        };
        self.document.trouble(TroubleKind::Missing, what);
    }
}

/// The anchors of an entry, from the outside in.
fn anchors_of(entry: ElementRef<'_>) -> Vec<&str> {
    let mut anchors = Vec::new();
    for element in std::iter::once(entry).chain(below(entry)) {
        for name in ANCHORS {
            if let Some(anchor) = attr(element, name) {
                anchors.push(anchor.strip_prefix("ref-auto-").unwrap_or(anchor));
                anchors.extend(anchor.strip_prefix("ref-id-"));
            }
        }
        if anchors.len() > 40 {
            break;
        }
    }
    let mut known = std::collections::HashSet::new();
    anchors.retain(|anchor| known.insert(*anchor));
    anchors
}

/// A list of links to catalogues inside an entry.
pub(super) fn is_catalogue(element: ElementRef<'_>) -> bool {
    const KNOWN: [&str; 12] = [
        "reflinks",
        "reference__abstracts",
        "ReferencesCopy2",
        "ref-links",
        "citation-links",
        "c-article-references__links",
        "c-article-references__text--links",
        "extra-links",
        "pub-id-links",
        "refLinks",
        "getFTR",
        "cit-extra",
    ];
    any_class(element, &KNOWN)
}

fn bare_label(label: &str) -> String {
    one_blank(label.trim().trim_matches(['[', ']', '(', ')', '.', ' ', ':']))
}

/// `[12]` or `12.` at the beginning of an entry, and how long it is.
fn leading_label(content: &[Inline]) -> Option<(String, usize)> {
    let Some(Inline::Text(text)) = content.first() else { return None };
    let (label, length) = if let Some(rest) = text.strip_prefix('[') {
        let (label, _) = rest.split_once(']')?;
        (label, label.chars().count() + 2)
    } else {
        let digits = text.chars().take_while(char::is_ascii_digit).count();
        let label = text.get(..digits)?;
        text.get(digits..)?.strip_prefix(['.', ')'])?.starts_with(char::is_whitespace).then_some(())?;
        (label, digits + 1)
    };
    let fits = !label.is_empty() && label.len() <= 30 && (label.len() <= 4 || label.contains(char::is_alphabetic));
    fits.then(|| (label.trim().to_owned(), length))
}

/// Keeps what an entry's link identifies.
fn keep_link(links: &mut Vec<String>, href: &str, is_junk: bool) {
    let lower = href.to_ascii_lowercase();
    if !lower.starts_with("http") && !lower.starts_with("//") {
        // A redirect of the publisher's own may carry the DOI.
        if is_junk && let Some(doi) = doi(&unescaped(href)) {
            keep(links, &format!("https://doi.org/{doi}"));
        }
        return;
    }
    let is_catalogue = ["scholar.google", "scopus.com", "webofscience", "webofknowledge", "openurl", "chemport"]
        .iter()
        .any(|host| lower.contains(host));
    if is_catalogue {
        return;
    }
    let identifies = ["doi.org", "arxiv.org", "adsabs", "pubmed", "handle.net", "inspirehep"];
    if is_junk && !identifies.iter().any(|host| lower.contains(host)) {
        match doi(&unescaped(href)) {
            Some(doi) => keep(links, &format!("https://doi.org/{doi}")),
            None => keep(links, href),
        }
        return;
    }
    keep(links, href);
}

fn keep(links: &mut Vec<String>, link: &str) {
    if links.len() < 40 && !links.iter().any(|known| known == link) {
        links.push(link.to_owned());
    }
}

/// `%2F` as `/`; nothing else matters for a DOI.
fn unescaped(href: &str) -> String {
    href.replace("%2F", "/").replace("%2f", "/").replace("%28", "(").replace("%29", ")").replace("%3A", ":")
}
