//! Looking at a parsed page. Nothing here recurses: pages may be nested as deeply as they like.

pub(super) use crate::papers::parse::html::{children, class, classes, find, find_all, find_until};
use regex::Regex;
use scraper::{ElementRef, Node};
use std::borrow::Cow;
use std::sync::LazyLock;

/// The page without the MathML inside of formulas that bring their TeX along: it is never looked at, and is more than half of
/// most pages. Formulas that show an error keep it, since errors are counted.
pub(super) fn without_mathml(page: &str) -> Cow<'_, str> {
    static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"</?math\b(?:[^>"']|"[^"]*"|'[^']*')*>"#).ok());
    let Some(tag) = &*TAG else { return Cow::Borrowed(page) };
    let mut out = String::new();
    let (mut kept, mut depth, mut inner) = (0, 0_usize, None);
    for tag in tag.find_iter(page) {
        if tag.as_str().starts_with("</") {
            depth = depth.saturating_sub(1);
            if let Some(start) = inner.take_if(|_| depth == 0)
                && let Some(content) = page.get(start..tag.start())
                && !content.contains("ltx_ERROR")
            {
                out.push_str(page.get(kept..start).unwrap_or_default());
                kept = tag.start();
            }
        } else if !tag.as_str().ends_with("/>") {
            depth += 1;
            if depth == 1 {
                inner = tag.as_str().contains(" alttext=").then_some(tag.end());
            }
        }
    }
    if kept == 0 {
        return Cow::Borrowed(page);
    }
    out.push_str(page.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

/// Whether there is a wanted element below.
pub(super) fn any_below(root: ElementRef<'_>, wanted: &dyn Fn(ElementRef<'_>) -> bool) -> bool {
    root.descendants().skip(1).filter_map(ElementRef::wrap).any(wanted)
}

/// The words of an element, mathematics as its TeX and once.
pub(super) fn text_of(element: ElementRef<'_>) -> String {
    verbatim(element).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same with blanks and line ends as they are.
pub(super) fn verbatim(element: ElementRef<'_>) -> String {
    let mut out = String::new();
    let mut next: Vec<_> = vec![*element];
    while let Some(node) = next.pop() {
        match node.value() {
            Node::Text(text) => out.push_str(text),
            Node::Element(inner) if inner.name() == "math" => {
                out.push_str(inner.attr("alttext").unwrap_or_default());
            }
            Node::Element(inner) if matches!(inner.name(), "script" | "style") => {}
            Node::Element(_) => {
                let from = next.len();
                next.extend(node.children());
                next[from..].reverse();
            }
            Node::Document | Node::Fragment | Node::Doctype(_) | Node::Comment(_) | Node::ProcessingInstruction(_) => {}
        }
    }
    out
}

/// The lines of an author's block, without footnotes and raised marks.
pub(super) fn lines_without_marks(element: ElementRef<'_>) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut next: Vec<_> = vec![*element];
    while let Some(node) = next.pop() {
        match node.value() {
            Node::Text(text) => {
                if let Some(line) = lines.last_mut() {
                    line.push_str(text);
                }
            }
            Node::Element(inner) if inner.name() == "br" => lines.push(String::new()),
            Node::Element(inner) if matches!(inner.name(), "sup" | "math" | "script" | "style") => {}
            Node::Element(inner) if inner.attr("class").is_some_and(|all| all.contains("ltx_note")) => {}
            Node::Element(_) => {
                let from = next.len();
                next.extend(node.children());
                next[from..].reverse();
            }
            Node::Document | Node::Fragment | Node::Doctype(_) | Node::Comment(_) | Node::ProcessingInstruction(_) => {}
        }
    }
    lines.iter().map(|line| line.replace('\n', " ").trim().to_owned()).collect()
}

/// Names that stand in one line: separated by commas, `and`, `&` or wide blanks.
pub(super) fn names(line: &str) -> Vec<String> {
    let wide =
        line.replace(['\u{2003}', '\u{2002}'], "  ").replace(" and ", ",").replace(" & ", ",").replace("  ", ",");
    let trimmed =
        |name: &str| name.split_whitespace().collect::<Vec<_>>().join(" ").trim_matches(['*', '†', '‡']).to_owned();
    wide.split([',', ';']).map(trimmed).filter(|name| name.chars().any(char::is_alphabetic)).collect()
}
