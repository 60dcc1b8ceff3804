//! Where the article stands on its page.

use super::outline::{Kind, kind};
use super::tree::{any_class, attr, below, children, find, key, name, parent};
use scraper::{ElementRef, Node};
use std::collections::{HashMap, HashSet};

/// The makers of pages whose forms are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Profile {
    /// IOP Publishing with the journals of the AAS: the classes begin with `wd-jnl-art`.
    Iop,
    /// EDP Sciences with Astronomy & Astrophysics.
    ///
    /// **Unverified**: there was no page that could be trusted to look at. What is known of their form (anchors `S1`, `T3`,
    /// `F1`, `R12`; formulas as images; floats in boxes of the class `inset`; tables on pages of their own) comes from
    /// descriptions. The general rules do the work; this profile only widens what counts as a formula's image.
    Edp,
    /// Everyone else.
    General,
}

/// Who made the page.
pub(super) fn profile(root: ElementRef<'_>, publisher: Option<&str>, addresses: &[String]) -> Profile {
    let says = |word: &str| {
        publisher.is_some_and(|name| name.contains(word)) || addresses.iter().any(|address| address.contains(word))
    };
    let iop =
        find(root, &|element| any_class(element, &["wd-jnl-art-full-text", "wd-jnl-art-abstract", "wd-jnl-art-title"]));
    if iop.is_some() || says("iopscience.iop.org") {
        Profile::Iop
    } else if says("EDP Sciences") || says("aanda.org") || says("edpsciences.org") {
        Profile::Edp
    } else {
        Profile::General
    }
}

/// What is known of all elements of a page after one walk.
pub(super) struct Survey {
    /// How much running text stands below each element.
    weights: HashMap<usize, usize>,
    /// Elements below which is something that stands on its own.
    holders: HashSet<usize>,
    /// The anchors that links of the page lead to.
    pub(super) targets: HashSet<String>,
}

/// Attributes of links that a script follows: Silverchair, JATS, Wiley, Elsevier.
pub(super) const OPENS: [&str; 6] =
    ["reveal-id", "data-open", "data-rid", "rid", "data-bib-id", "data-xocs-content-id"];

/// Shorter pieces are labels and links.
const RUNNING: usize = 40;

impl Survey {
    /// Walks through a page.
    pub(super) fn of(root: ElementRef<'_>) -> Self {
        let mut order = Vec::new();
        let mut weights: HashMap<usize, usize> = HashMap::new();
        let mut holders = HashSet::new();
        let mut closed = HashSet::new();
        let mut targets = HashSet::new();
        for node in root.descendants() {
            let above = node.parent().and_then(ElementRef::wrap).map(key);
            let is_closed = above.is_some_and(|above| closed.contains(&above));
            match (node.value(), ElementRef::wrap(node)) {
                (Node::Text(text), _) => {
                    let length = text.trim().len();
                    if let Some(above) = above.filter(|_| !is_closed && length >= RUNNING) {
                        *weights.entry(above).or_default() += length;
                    }
                }
                (_, Some(element)) => {
                    if is_closed || is_beside(element) {
                        closed.insert(key(element));
                    }
                    if kind(element) != Kind::Inline
                        && let Some(above) = above
                    {
                        holders.insert(above);
                    }
                    if let Some((_, anchor)) = attr(element, "href").and_then(|href| href.split_once('#')) {
                        targets.insert(anchor.to_owned());
                    }
                    for given in OPENS {
                        let all = attr(element, given).unwrap_or_default().split_ascii_whitespace();
                        targets.extend(all.map(str::to_owned));
                    }
                    order.push((key(element), above));
                }
                (_, None) => {}
            }
        }
        // From the last to the first: what is below is always done before what is above it.
        for (own, above) in order.into_iter().rev() {
            let Some(above) = above else { continue };
            if let Some(weight) = weights.get(&own).copied() {
                *weights.entry(above).or_default() += weight;
            }
            if holders.contains(&own) {
                holders.insert(above);
            }
        }
        Self { weights, holders, targets }
    }

    /// How much running text is in an element.
    pub(super) fn weight(&self, element: ElementRef<'_>) -> usize {
        self.weights.get(&key(element)).copied().unwrap_or(0)
    }

    /// Whether something that stands on its own is below an element.
    pub(super) fn holds(&self, element: ElementRef<'_>) -> bool {
        self.holders.contains(&key(element))
    }
}

/// What holds no running text of the article.
fn is_beside(element: ElementRef<'_>) -> bool {
    matches!(
        name(element),
        "nav"
            | "footer"
            | "form"
            | "script"
            | "style"
            | "noscript"
            | "select"
            | "aside"
            | "a"
            | "button"
            | "template"
            | "dialog"
            | "svg"
            | "iframe"
            | "head"
    )
}

/// Names of what holds the text and nothing else, the narrowest first.
const TEXTS: [&str; 25] = [
    "JournalFullText",
    "hlFld-Fulltext",
    "article-fulltext",
    "widget-ArticleFulltext",
    "html-article-content",
    "html-body",
    "artText",
    "c-article-body",
    "main-content",
    "article__body",
    "article-section__full",
    "article-body",
    "articleBody",
    "article-full-text",
    "fulltext-view",
    "fulltext",
    "full-text",
    "fullText",
    "itemFullTextHtml",
    "jig-ncbiinpagenav",
    "article-text",
    "article-content",
    "articletext",
    "contenu",
    "content-container",
];

/// The element that holds the article, or the nearest thing to it.
pub(super) fn container<'a>(root: ElementRef<'a>, survey: &Survey) -> ElementRef<'a> {
    let whole = survey.weight(root);
    let enough = |element: &ElementRef<'a>| survey.weight(*element) * 5 >= whole * 2;
    let heaviest = |wanted: &dyn Fn(ElementRef<'a>) -> bool| {
        // Of two that weigh the same the inner one is meant, and it comes last.
        below(root).filter(|element| wanted(*element)).max_by_key(|element| survey.weight(*element)).filter(enough)
    };
    // IOP's own name for it is certain, however short the text is.
    if let Some(body) = find(root, &|element| super::tree::class(element, "wd-jnl-art-full-text")) {
        return body;
    }
    if let Some(body) = heaviest(&|element| attr(element, "itemprop") == Some("articleBody")) {
        return body;
    }
    for text in TEXTS {
        let is_named =
            |element: ElementRef<'a>| element.value().id() == Some(text) || super::tree::class(element, text);
        if let Some(body) = heaviest(&|element| !matches!(name(element), "body" | "html" | "a") && is_named(element)) {
            return body;
        }
    }
    let article = heaviest(&|element| name(element) == "article");
    let main = || heaviest(&|element| name(element) == "main" || attr(element, "role") == Some("main"));
    let mut at = article.or_else(main).unwrap_or(root);
    // Down to where the text begins to spread.
    loop {
        let weight = survey.weight(at);
        let inner = children(at).find(|child| survey.weight(*child) * 100 >= weight * 97 && weight > 0);
        match inner {
            Some(inner) if !matches!(name(inner), "p" | "td" | "span" | "li") => at = inner,
            Some(_) | None => return at,
        }
    }
}

/// Classes and ids of the abstract.
const SUMMARIES: [&str; 19] = [
    "wd-jnl-art-abstract",
    "JournalAbstract",
    "abstractSection",
    "abstract-section",
    "article-abstract",
    "article-section__abstract",
    "hlFld-Abstract",
    "html-abstract",
    "abstractInFull",
    "fulltextAbstract",
    "articleabstract",
    "pb_abstract",
    "Abs1-content",
    "Abs1-section",
    "Abs1",
    "abstracts",
    "abstract-content",
    "abstract",
    "Abstract",
];

/// The element of the abstract.
pub(super) fn summary<'a>(root: ElementRef<'a>) -> Option<ElementRef<'a>> {
    let mut empty = None;
    for wanted in SUMMARIES {
        let found = below(root).filter(|element| {
            !matches!(name(*element), "a" | "li" | "body" | "button" | "h1" | "h2" | "h3" | "meta" | "link")
                && (element.value().id() == Some(wanted) || super::tree::class(*element, wanted))
                && !is_in_menu(*element)
        });
        for element in found.take(8) {
            if super::tree::text_until(element, 200, &|inner| name(inner) == "a").len() >= 80 {
                return Some(element);
            }
            empty = empty.or(Some(element));
        }
    }
    empty
}

fn is_in_menu(element: ElementRef<'_>) -> bool {
    let mut above = parent(element);
    for _ in 0..6 {
        let Some(element) = above else { return false };
        if matches!(name(element), "nav" | "aside" | "form") {
            return true;
        }
        above = parent(element);
    }
    false
}
