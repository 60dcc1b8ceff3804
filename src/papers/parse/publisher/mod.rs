//! Pages of publishers, as a reader's browser shows them.
//!
//! Every publisher has a form of its own, and all of them change it; so little is taken from any single one. The order is
//! the same for all: what the page's head says about the article (`meta`), where the article stands (`body`), its
//! reference list (`references`), then the text from the top (`outline` says what an element is). Formulas are there
//! up to four times over; `formulas` takes the best source of each, and `mathml` makes TeX where there is none.
//!
//! | profile | what is special |
//! |---|---|
//! | IOP, AAS | the text is `[itemprop=articleBody]`; lists of references load on demand and are then taken from the head |
//! | EDP, A&A | not verified, see `body::Profile::Edp` |
//! | all others | the classes that publishers share (JATS and its children), else where the running text is |
//!
//! A page that is no article is refused with a sentence that says what it is instead.

mod blocks;
mod body;
mod figures;
mod formulas;
mod front;
mod inlines;
mod lines;
mod links;
mod mathml;
mod meta;
mod outline;
mod references;
mod symbols;
mod tokens;
mod tree;
mod walls;

use super::document::{Document, Inline, TroubleKind};
use super::html;
use body::{Profile, Survey};
use meta::Meta;
use scraper::ElementRef;
use std::collections::{HashMap, HashSet};
pub use walls::Wall;

/// Nesting beyond which only the words are kept: deeper than any paper, and a bound for hostile pages.
const DEEPEST: usize = 120;

/// A page that says nothing about its article is one only if it has this many bytes of running text…
const ALONE: usize = 1_500;

/// …or some formulas and this many.
const WITH_FORMULAS: usize = 200;

/// On a page that has no place made for the text, this many bytes of running text with headings are one…
const SHORT: usize = 1_200;

/// …or this many without.
const LONG: usize = 4_000;

/// Why a page is no paper.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A check for robots stands before the article.
    #[error(
        "The page is a check for robots ({0}), not the article. Wait until your browser shows the article, then capture it again."
    )]
    BotWall(Wall),
    /// The page has the abstract, but not the text.
    #[error(
        "The page has the abstract but not the text of the article. Open the full text (it may need a subscription, or load only when it is unfolded), then capture it again."
    )]
    AbstractOnly,
    /// There is no article on the page.
    #[error("The page is not an article: nothing on it names a paper, and there is too little running text.")]
    NotAnArticle,
}

/// Reads a page.
///
/// # Errors
/// When it is not the full text of an article.
pub fn read(page: &str) -> Result<Document, Refusal> {
    let html = html::parse(page);
    let root = html.root_element();
    let meta = Meta::of(root);
    if let Some(wall) = walls::wall(root, &meta) {
        return Err(Refusal::BotWall(wall));
    }
    let is_article = meta.is_article();
    let mut reader = Reader::new(root, meta);
    let container = body::container(root, &reader.survey);
    reader.read(root, container);
    let links::Size { running, formulas, headings } = links::measure(&reader.document.body);
    if !is_article && running < ALONE && (formulas < 3 || running < WITH_FORMULAS) {
        return Err(Refusal::NotAnArticle);
    }
    let is_text = is_full_text(container, running)
        || (reader.profile != Profile::Iop && (running >= LONG || (running >= SHORT && headings > 1)));
    if is_article && (running == 0 || !is_text || is_still_loading(root)) {
        return Err(Refusal::AbstractOnly);
    }
    let mut document = reader.document;
    links::resolve(&mut document);
    Ok(document)
}

/// Whether a container is made for the text alone, so that however little is in it is all there is.
fn is_full_text(container: ElementRef<'_>, running: usize) -> bool {
    tree::class(container, "wd-jnl-art-full-text")
        || (running >= SHORT / 2
            && (tree::attr(container, "itemprop") == Some("articleBody")
                || tree::any_class(container, &["JournalFullText", "hlFld-Fulltext", "c-article-body"])))
}

/// Whether the page has a place for the text that its script has not filled yet, or says that it only shows pieces.
fn is_still_loading(root: ElementRef<'_>) -> bool {
    let pieces = |element: ElementRef<'_>| {
        matches!(tree::name(element), "h2" | "h3") && tree::text_until(element, 40, &|_| false) == "Section snippets"
    };
    if tree::find(root, &pieces).is_some() {
        return true;
    }
    let place = tree::find(root, &|element| {
        let id = element.value().id().unwrap_or_default();
        matches!(id, "fulltext-content" | "itemFullTextId" | "full-text-content")
            && (tree::attr(element, "data-loaded") == Some("no") || tree::class(element, "retrieveFullTextHtml"))
    });
    place.is_some_and(|place| tree::text_until(place, 1_000, &|_| false).len() < 500)
}

struct Reader<'a> {
    document: Document,
    meta: Meta,
    profile: Profile,
    survey: Survey,
    /// Elements that are read elsewhere: the abstract, the entries of the reference list.
    left_out: HashSet<usize>,
    /// Which entry of the list an anchor leads to.
    keys: HashMap<String, usize>,
    /// The footnotes of the page by their anchors.
    notes: HashMap<String, ElementRef<'a>>,
    /// Where a footnote stands in the document once its mark was met.
    noted: HashMap<String, usize>,
    /// An empty anchor that waits for what stands below it.
    anchor: Option<String>,
    /// Images that stand in a line, which has no place for them.
    loose: Vec<ElementRef<'a>>,
    /// Images that were shown already.
    shown: HashSet<usize>,
    /// The level of a heading whose section belongs to the page, while it lasts.
    muted: Option<u8>,
    /// The highest level of headings in the text.
    top: u8,
    in_summary: bool,
    in_reference: bool,
    /// Whether a script of the page draws the TeX that stands between signs…
    raw_tex: bool,
    /// …single dollar signs included.
    dollars: bool,
}

impl<'a> Reader<'a> {
    fn new(root: ElementRef<'a>, meta: Meta) -> Self {
        let profile = body::profile(root, meta.publisher.as_deref(), &meta.addresses);
        let (mut raw_tex, mut dollars) = (false, false);
        for element in tree::below(root).filter(|element| tree::name(*element) == "script") {
            let source = tree::attr(element, "src").unwrap_or_default().to_ascii_lowercase();
            raw_tex |= source.contains("mathjax") || source.contains("katex");
            let text: String = element.text().collect();
            if text.contains("MathJax") || text.contains("renderMathInElement") {
                raw_tex = true;
                dollars |= text.contains("'$'") || text.contains("\"$\"");
            }
        }
        Self {
            document: Document::default(),
            meta,
            profile,
            survey: Survey::of(root),
            left_out: HashSet::new(),
            keys: HashMap::new(),
            notes: HashMap::new(),
            noted: HashMap::new(),
            anchor: None,
            loose: Vec::new(),
            shown: HashSet::new(),
            muted: None,
            top: 1,
            in_summary: false,
            in_reference: false,
            raw_tex,
            dollars,
        }
    }

    fn read(&mut self, root: ElementRef<'a>, container: ElementRef<'a>) {
        self.front(root);
        match references::list(root) {
            Some(list) => self.references(&list),
            None if !self.meta.references.is_empty() || self.profile == Profile::Iop => self.references_from_head(),
            None => {}
        }
        self.loose.clear();
        self.find_notes(root);
        self.summary(root);
        self.loose.clear();
        self.top = self.top_heading(container);
        self.document.counted.formulas = Some(self.formulas_in(container));
        let mut body = Vec::new();
        self.flow(container, &mut body, 0);
        self.forgotten_notes(container, &mut body);
        self.document.body = body;
    }

    /// How many formulas there are to read.
    fn formulas_in(&self, container: ElementRef<'a>) -> usize {
        let is_closed =
            |element: ElementRef<'a>| self.left_out.contains(&tree::key(element)) || outline::is_chrome(element);
        let is_formula = |element: ElementRef<'a>| {
            (formulas::is_inline(element) || formulas::is_display(element)) && !is_closed(element)
        };
        let found = tree::find_until(container, &is_formula, &is_closed);
        let counts = found.into_iter().map(|element| {
            let is_twin = formulas::is_drawn(element) && formulas::has_source_beside(element);
            if is_twin { 0 } else { formulas::formulas(element).len() }
        });
        counts.sum()
    }

    /// Counts a trouble with what caused it, as long as there are few causes.
    fn trouble_with(&mut self, kind: TroubleKind, what: &str, cause: &str) {
        if self.document.troubles.len() < 40 && !cause.is_empty() && cause.len() < 40 {
            self.document.trouble(kind, format!("{what}: {cause}"));
        } else {
            self.document.trouble(kind, what);
        }
    }

    /// The place of a footnote in the document; it is read when its first mark is met.
    fn footnote(&mut self, anchor: &str, depth: usize) -> Option<usize> {
        if let Some(at) = self.noted.get(anchor) {
            return Some(*at);
        }
        let note = *self.notes.get(anchor)?;
        let at = self.document.footnotes.len();
        self.document.footnotes.push(Vec::new());
        // Before it is read: notes may name each other.
        self.noted.insert(anchor.to_owned(), at);
        let mut content = self.inlines_of(note, depth + 1);
        if let Some(Inline::Superscript(mark)) = content.first()
            && super::document::plain(mark).trim().chars().count() <= 3
        {
            content.remove(0);
            content = lines::tidy(content);
        } else if let Some(Inline::Text(text)) = content.first() {
            let mark =
                text.chars().take_while(|c| c.is_ascii_digit() || matches!(c, '*' | '†' | '‡' | '[' | ']')).count();
            let follows = text.chars().nth(mark);
            if mark > 0 && mark <= 4 && follows.is_none_or(|c| c.is_whitespace() || matches!(c, '.' | ')' | ':')) {
                lines::drop_front(&mut content, mark + usize::from(follows.is_some()));
                content = lines::tidy(content);
            }
        }
        if let Some(place) = self.document.footnotes.get_mut(at) {
            *place = content;
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests;
