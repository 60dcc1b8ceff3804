//! Title, authors, abstract, footnotes: what is read before the text.

use super::Reader;
use super::body;
use super::outline::{is_chrome, is_float};
use super::tree::{
    any_class, attr, below, children, class, find, key, name, one_blank, parent, squeezed, text_of, text_until,
};
use crate::papers::parse::document::{Author, Block, Inline, TroubleKind, plain};
use scraper::{ElementRef, Html};

impl<'a> Reader<'a> {
    /// What stands before the text: mostly from the page's head, the title with its formulas from the page.
    pub(super) fn front(&mut self, root: ElementRef<'a>) {
        let meta = std::mem::take(&mut self.meta);
        self.title(root, meta.title.as_deref());
        let front = &mut self.document.front;
        front.authors = if meta.authors.is_empty() { authors_on_page(root) } else { meta.authors.clone() };
        front.keywords = meta.keywords.clone();
        front.doi = meta.doi.clone();
        front.arxiv = meta.arxiv.clone();
        front.date = meta.date.clone();
        front.journal = meta.journal.clone();
        self.meta = meta;
    }

    fn title(&mut self, root: ElementRef<'a>, given: Option<&str>) {
        // What stands in the head as HTML, `CO<sub>2</sub>`, is compared and shown without it.
        let given = given.map(|title| {
            if title.contains(['<', '&']) {
                text_of(Html::parse_fragment(title).root_element())
            } else {
                title.to_owned()
            }
        });
        let wanted = given.as_deref().map(squeezed);
        let headings: Vec<_> = below(root).filter(|element| name(*element) == "h1").take(40).collect();
        let same = headings.iter().copied().find(|heading| {
            let own = squeezed(&text_until(*heading, 2_000, &|_| false));
            wanted
                .as_ref()
                .is_some_and(|wanted| !own.is_empty() && (own == *wanted || own.starts_with(wanted.as_str())))
        });
        let first = || headings.iter().copied().find(|heading| !text_until(*heading, 20, &|_| false).is_empty());
        // A title with formulas reads differently in the head, and an only heading is the title.
        let heading = same.or_else(first).filter(|heading| {
            given.as_ref().is_none_or(|given| is_alike(given, &text_until(*heading, 2_000, &|_| false)))
        });
        let shown = heading.map(|heading| self.inlines_of(heading, 0)).unwrap_or_default();
        self.document.front.title = match (shown.is_empty(), given) {
            (true, Some(title)) => vec![Inline::text(title)],
            (true, None) => {
                let title = find(root, &|element| name(element) == "title").map(text_of).unwrap_or_default();
                if title.is_empty() { Vec::new() } else { vec![Inline::text(title)] }
            }
            (false, _) => shown,
        };
    }

    /// The abstract: an element of its own, else what the head says.
    pub(super) fn summary(&mut self, root: ElementRef<'a>) {
        self.in_summary = true;
        let place = body::summary(root);
        let mut blocks = Vec::new();
        if let Some(place) = place {
            self.flow(place, &mut blocks, 0);
            self.left_out.insert(key(place));
        }
        self.in_summary = false;
        self.muted = None;
        blocks.retain(|block| !matches!(block, Block::Figure(_)));
        if blocks.is_empty() && place.is_none() {
            blocks = self.summary_under_heading(root);
        }
        if blocks.is_empty()
            && let Some(summary) = &self.meta.summary
        {
            let text = if summary.contains(['<', '&']) {
                text_of(Html::parse_fragment(summary).root_element())
            } else {
                summary.clone()
            };
            let text = text.strip_prefix("Abstract").unwrap_or(&text).trim_start_matches([':', '.', ' ']);
            blocks.push(Block::Paragraph(vec![Inline::text(text)]));
        }
        if let Some(Block::Paragraph(first)) = blocks.first_mut() {
            drop_word(first);
        }
        if blocks.is_empty() && place.is_some() {
            self.document.trouble(TroubleKind::Missing, "the page has a place for the abstract, but nothing in it");
        }
        self.document.summary = blocks;
    }

    /// What stands between a heading `Abstract` and the next one.
    fn summary_under_heading(&mut self, root: ElementRef<'a>) -> Vec<Block> {
        let heading = find(root, &|element| {
            matches!(name(element), "h1" | "h2" | "h3" | "h4" | "h5")
                && squeezed(&text_until(element, 40, &|_| false)) == "abstract"
        });
        let mut blocks = Vec::new();
        let Some(heading) = heading else { return blocks };
        self.left_out.insert(key(heading));
        for beside in heading.next_siblings().filter_map(ElementRef::wrap) {
            if !matches!(name(beside), "p" | "div") || below(beside).any(|inner| matches!(name(inner), "h2" | "h3")) {
                break;
            }
            let content = self.inlines_of(beside, 0);
            if !content.is_empty() {
                self.left_out.insert(key(beside));
                blocks.push(Block::Paragraph(content));
            }
        }
        blocks
    }

    /// Finds the footnotes, so that their marks know them.
    pub(super) fn find_notes(&mut self, root: ElementRef<'a>) {
        const NOTES: [&str; 8] = [
            "fn",
            "footnote",
            "NLM_fn",
            "footnote-content",
            "article-footnote",
            "c-article-footnote",
            "html-fn",
            "note-item",
        ];
        const LISTS: [&str; 6] =
            ["footnotes", "fn-group", "footnote-list", "endnotes", "NLM_fn-group", "article-footnotes"];
        let is_wanted = |anchor: &str| {
            let small = anchor.to_ascii_lowercase();
            let known = ["fn", "footnote", "note"].iter().any(|word| small.contains(word));
            known && small.contains(|c: char| c.is_ascii_digit()) && !small.contains("ref") && !small.contains("bib")
        };
        for element in below(root) {
            let anchor = element.value().id().or_else(|| attr(element, "name").filter(|_| name(element) == "a"));
            let Some(anchor) = anchor.filter(|anchor| self.survey.targets.contains(*anchor)) else { continue };
            if self.keys.contains_key(anchor) || matches!(name(element), "section" | "h1" | "h2" | "h3" | "h4" | "sup")
            {
                continue;
            }
            let above: Vec<_> = element.ancestors().filter_map(ElementRef::wrap).take(8).collect();
            if above.iter().any(|one| is_float(*one) || name(*one) == "table") {
                continue;
            }
            let in_list = above.iter().take(4).any(|one| any_class(*one, &LISTS))
                && matches!(name(element), "li" | "p" | "div" | "a");
            let is_note = any_class(element, &NOTES) || attr(element, "role") == Some("doc-footnote");
            if !is_note && !in_list && !is_wanted(anchor) {
                continue;
            }
            // The anchor may only stand at the beginning of its note.
            let is_empty = text_until(element, 12, &|_| false).chars().filter(|c| c.is_alphanumeric()).count() < 4;
            let note = if is_empty { parent(element) } else { Some(element) };
            let Some(note) = note
                .filter(|note| matches!(name(*note), "li" | "p" | "div" | "dd" | "span" | "aside" | "td" | "small"))
            else {
                continue;
            };
            if text_until(note, 6_000, &|_| false).len() < 5_000 {
                self.notes.insert(anchor.to_owned(), note);
                self.left_out.insert(key(note));
            }
        }
    }

    /// Notes whose marks are not in what was read: nothing is lost.
    pub(super) fn forgotten_notes(&mut self, container: ElementRef<'a>, out: &mut Vec<Block>) {
        let mut forgotten: Vec<_> = self.notes.iter().filter(|(anchor, _)| !self.noted.contains_key(*anchor)).collect();
        forgotten.sort_by_key(|(anchor, _)| (*anchor).clone());
        let notes: Vec<_> = forgotten.into_iter().map(|(_, note)| *note).collect();
        let inside: std::collections::HashSet<usize> = below(container).map(key).collect();
        let read: std::collections::HashSet<usize> =
            self.noted.keys().filter_map(|one| self.notes.get(one)).map(|one| key(*one)).collect();
        let mut done = read;
        for note in notes {
            if inside.contains(&key(note)) && done.insert(key(note)) {
                let content = self.inlines_of(note, 0);
                if !plain(&content).trim().is_empty() {
                    out.push(Block::Paragraph(content));
                }
            }
        }
    }
}

/// Whether most words of a title are in a heading.
fn is_alike(title: &str, heading: &str) -> bool {
    let words =
        |text: &str| -> Vec<String> { text.split_whitespace().map(squeezed).filter(|word| word.len() > 2).collect() };
    let (title, heading) = (words(title), words(heading).into_iter().collect::<std::collections::HashSet<_>>());
    title.iter().filter(|word| heading.contains(*word)).count() * 3 >= title.len() * 2
}

/// The authors as the page shows them, where its head does not say.
fn authors_on_page(root: ElementRef<'_>) -> Vec<Author> {
    const NAMES: [&str; 6] =
        ["author-name", "linked-name", "content-header__author_link", "al-author-name", "article-author", "author"];
    let people = |wanted: &dyn Fn(ElementRef<'_>) -> bool| {
        let mut authors: Vec<Author> = Vec::new();
        for person in below(root).filter(|element| wanted(*element)).take(2_000) {
            let named = find(person, &|inner| attr(inner, "itemprop") == Some("name")).unwrap_or(person);
            let name = one_blank(&text_until(named, 200, &|inner| matches!(super::tree::name(inner), "sup" | "svg")));
            let name = name.trim_matches([',', ';', ' ', '*']).to_owned();
            let fits = (3..80).contains(&name.len()) && authors.iter().take(400).all(|known| known.name != name);
            if fits {
                authors.push(Author { name, affiliations: Vec::new() });
            }
        }
        authors
    };
    let marked = people(&|element| attr(element, "itemprop") == Some("author"));
    if !marked.is_empty() {
        return marked;
    }
    NAMES
        .iter()
        .map(|wanted| people(&|element| class(element, wanted) && matches!(name(element), "a" | "span" | "li")))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// The word `Abstract` before an abstract is its heading.
fn drop_word(content: &mut Vec<Inline>) {
    let words = plain(content);
    let Some(rest) = words.strip_prefix("Abstract").or_else(|| words.strip_prefix("ABSTRACT")) else { return };
    if rest.starts_with(['.', ':', ' ', '—', '\u{a0}']) || rest.starts_with(char::is_uppercase) {
        let marks = rest.len() - rest.trim_start_matches(['.', ':', ' ', '—', '\u{a0}']).len();
        let count = "Abstract".len() + rest.get(..marks).unwrap_or_default().chars().count();
        super::lines::drop_front(content, count);
        let tidied = super::lines::tidy(std::mem::take(content));
        *content = tidied;
    }
}

/// What stands in an abstract's element and is not the abstract.
pub(super) fn is_no_summary(element: ElementRef<'_>) -> bool {
    any_class(element, &["authors", "author-list", "notes", "affiliations", "keywords", "kwd-group", "pb_toc_link"])
        || (name(element) == "h1" && children(element).count() < 20)
        || is_chrome(element)
}
