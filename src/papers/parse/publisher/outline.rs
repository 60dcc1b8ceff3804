//! What the parts of a page are: known by their names and classes, never by what they look like.

use super::formulas;
use super::tree::{any_class, any_word, attr, class, classes, find_all, name, text_until};
use scraper::ElementRef;

/// What an element is to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heading of HTML's own level.
    Heading(u8),
    /// A formula that is set off.
    Equation,
    /// A figure or a table with its caption.
    Float,
    /// A bare table.
    Table,
    /// A list.
    List,
    /// A quotation or a box.
    Quote,
    /// Program code.
    Code,
    /// A theorem and its like.
    Statement,
    /// A box with text or other boxes in it.
    Box,
    /// A piece of a line.
    Inline,
}

/// Classes of what holds an image or a table with its caption.
const FLOATS: [&str; 40] = [
    "fig",
    "fig-section",
    "fig-wrap",
    "fig-group",
    "fig-container",
    "figure",
    "figure-wrap",
    "figure-container",
    "figure-item",
    "FigureDesc",
    "NLM_fig",
    "NLM_fig-wrap",
    "article-figure",
    "articleFigure",
    "asset-viewer-inline",
    "html-fig-wrap",
    "c-article-section__figure",
    "co-figure",
    "figure-viewer",
    "inset",
    "table-wrap",
    "table-wrapper",
    "tablewrap",
    "tableWrap",
    "table-wrap-group",
    "table-full-width-wrap",
    "table-float",
    "article-table",
    "article-table-content",
    "articleTable",
    "c-article-table",
    "NLM_table-wrap",
    "html-table-wrap",
    "tableContainer",
    "table-container",
    "table-expansion",
    "tbl",
    "boxout",
    "tables",
    "TableDesc",
];

/// Whether an element is a float: a figure, or a table with its caption.
pub(super) fn is_float(element: ElementRef<'_>) -> bool {
    match name(element) {
        "figure" => true,
        "div" | "section" | "article" | "li" | "p" | "aside" | "span" => any_class(element, &FLOATS),
        _ => false,
    }
}

/// What an element is. Looks at the element alone, so it may be asked of every element of a page.
pub(super) fn kind(element: ElementRef<'_>) -> Kind {
    let name = name(element);
    match name {
        "h1" => return Kind::Heading(1),
        "h2" => return Kind::Heading(2),
        "h3" => return Kind::Heading(3),
        "h4" => return Kind::Heading(4),
        "h5" => return Kind::Heading(5),
        "h6" => return Kind::Heading(6),
        _ => {}
    }
    if formulas::is_display(element) {
        return Kind::Equation;
    }
    if is_float(element) {
        return Kind::Float;
    }
    if matches!(name, "div" | "section" | "article") {
        if any_class(element, &["statement", "theorem", "NLM_statement", "proof", "html-theorem"]) {
            return Kind::Statement;
        }
        if any_class(element, &["disp-quote", "boxed-text", "box-text", "NLM_disp-quote", "NLM_boxed-text"]) {
            return Kind::Quote;
        }
    }
    match name {
        "table" => Kind::Table,
        "ul" | "ol" | "dl" | "menu" => Kind::List,
        "blockquote" => Kind::Quote,
        "pre" => Kind::Code,
        "p" | "div" | "section" | "article" | "main" | "aside" | "address" | "center" | "details" | "summary"
        | "fieldset" | "hr" | "header" | "footer" | "tbody" | "thead" | "tfoot" | "tr" | "td" | "th" | "caption"
        | "li" | "dt" | "dd" | "figcaption" | "body" => Kind::Box,
        _ => Kind::Inline,
    }
}

/// Words in class names of what belongs to the page and not to the paper.
const JUNK: [&str; 47] = [
    "social",
    "share",
    "sharing",
    "sharer",
    "sharers",
    "cookie",
    "cookies",
    "consent",
    "ad",
    "ads",
    "advert",
    "adverts",
    "advertisement",
    "newsletter",
    "breadcrumb",
    "breadcrumbs",
    "toolbar",
    "toolbox",
    "tooltip",
    "popover",
    "popup",
    "modal",
    "lightbox",
    "carousel",
    "altmetric",
    "altmetrics",
    "metrics",
    "crossmark",
    "captcha",
    "recaptcha",
    "paywall",
    "login",
    "signin",
    "subscribe",
    "pagination",
    "btn",
    "button",
    "buttons",
    "download",
    "downloads",
    "hypothesis",
    "nav",
    "navigation",
    "navbar",
    "menu",
    "teaser",
    "jobs",
];

/// Whole class names of the same.
const JUNK_CLASSES: [&str; 45] = [
    "article-section__header_link",
    "article-meta",
    "Imageheaders",
    "visuallyhidden",
    "visually-hidden",
    "sr-only",
    "screen-reader-text",
    "offscreen-hidden",
    "u-visually-hidden",
    "print-hide",
    "speech-bubble",
    "related",
    "related-articles",
    "related-content",
    "relatedContent",
    "recommended",
    "recommendations",
    "wd-related-articles",
    "article-tabs",
    "article-tools",
    "articleTools",
    "view-selector",
    "jump-links",
    "zoom-tools",
    "panzoom-container-tools",
    "figure-inline-download",
    "expand",
    "back-to-top",
    "backToTop",
    "wd-jnl-art-license",
    "wd-jnl-art-turn-away-panel",
    "turn-away",
    "permissions",
    "MathJax_Preview",
    "mathjax-preview",
    "MJX_Assistive_MathML_hidden",
    "caption_target",
    "caption_object",
    "ref_tooltip-content",
    "contextual-data",
    "authors-details",
    "author-details",
    "DottedLine",
    "doi--asset",
    "view-large",
];

const JUNK_IDS: [&str; 14] = [
    "metrics",
    "comments",
    "figure-carousel-section",
    "nav-article",
    "downloads",
    "figure-lightbox-container",
    "wd-jnl-art-turn-away-panel",
    "related-content",
    "cookie-banner",
    "onetrust-consent-sdk",
    "MathJax_Message",
    "MathJax_Hidden",
    "MathJax_Font_Test",
    "skip-link",
];

/// Classes of what stands before the text and is read from the page's head.
const FRONT: [&str; 17] = [
    "authors",
    "author-list",
    "authorlist",
    "author-names",
    "contrib-group",
    "contributors",
    "affiliations",
    "affiliation",
    "article-authors",
    "al-authors-list",
    "article-header",
    "article-header-container",
    "content-header",
    "article-dates",
    "publication-history",
    "article-info-wrapper",
    "wd-jnl-art-article-info-wrapper",
];

/// What belongs to the page and not to the paper, or is read elsewhere.
pub(super) fn is_chrome(element: ElementRef<'_>) -> bool {
    let name = name(element);
    match name {
        "nav" | "style" | "button" | "template" | "svg" | "noscript" | "iframe" | "form" | "input" | "select"
        | "textarea" | "dialog" | "object" | "embed" | "head" | "title" | "link" | "meta" | "footer" | "canvas"
        | "audio" | "source" | "mjx-math" | "mjx-speech" => return true,
        "script" => return !formulas::is_inline(element),
        // What the page draws is not junk by a word in its class.
        "math" | "table" | "mjx-container" | "figure" | "body" | "html" | "td" | "th" | "tr" => return false,
        _ => {}
    }
    if formulas::is_drawn(element) || formulas::is_display(element) {
        return class(element, "MathJax_Preview");
    }
    if element.value().id().is_some_and(|id| JUNK_IDS.contains(&id)) || any_class(element, &JUNK_CLASSES) {
        return true;
    }
    if matches!(
        attr(element, "role"),
        Some("navigation" | "banner" | "search" | "dialog" | "menu" | "tablist" | "toolbar")
    ) {
        return true;
    }
    if attr(element, "aria-hidden") == Some("true") && matches!(name, "span" | "i" | "b") {
        return true;
    }
    // A hidden word or two is a label for scripts; hidden text is a part that the reader can unfold.
    let is_hidden = classes(element).any(|one| matches!(one, "hide" | "hidden" | "hiddenjsdiv"))
        || element.value().attr("hidden").is_some();
    if is_hidden && text_until(element, 400, &|_| false).len() < 300 {
        return true;
    }
    if name == "a" {
        return any_word(element, &|word| matches!(word, "btn" | "button" | "download"));
    }
    any_word(element, &|word| JUNK.contains(&word)) && !holds_text(element)
}

/// What stands before the text and is read from the page's head.
pub(super) fn is_front(element: ElementRef<'_>) -> bool {
    any_class(element, &FRONT) && !holds_text(element)
}

/// Whether there is so much text in an element that it must be the paper's, whatever its class says.
fn holds_text(element: ElementRef<'_>) -> bool {
    let paragraphs = find_all(element, &|inner| name(inner) == "p");
    let long = paragraphs.iter().filter(|one| text_until(**one, 220, &|inner| name(inner) == "a").len() > 200);
    long.take(3).count() == 3
}

/// Headings over what belongs to the page; all that they stand over is left out.
pub(super) fn is_junk_heading(words: &str) -> bool {
    const KNOWN: [&str; 20] = [
        "metrics",
        "article metrics",
        "download links",
        "downloads",
        "share this article",
        "share",
        "related content",
        "related articles",
        "you may also like",
        "people also looked at",
        "cited by",
        "citing articles",
        "author details",
        "article and author details",
        "table of contents",
        "export citation",
        "permissions",
        "access this article",
        "recommended articles",
        "categories and tags",
    ];
    let words = words.trim().to_lowercase();
    KNOWN.contains(&words.as_str())
}

/// Whether words are the heading of a reference list.
pub(super) fn is_reference_heading(words: &str) -> bool {
    let words = words.trim_start_matches(|c: char| !c.is_alphabetic()).trim().trim_end_matches([':', '.']);
    let words = words.split_once(" (").map_or(words, |(words, _)| words).to_lowercase();
    matches!(
        words.as_str(),
        "references"
            | "reference"
            | "bibliography"
            | "literature cited"
            | "references cited"
            | "reference list"
            | "references and notes"
            | "cited literature"
            | "works cited"
    )
}

/// Whether an aside is about other pages: most of its words are links.
pub(super) fn is_mostly_links(element: ElementRef<'_>) -> bool {
    let all = text_until(element, 20_000, &|_| false).len();
    let own = text_until(element, 20_000, &|inner| name(inner) == "a").len();
    own * 2 < all
}
