//! HTML as engines look at it. Nothing here recurses: pages may be nested as deeply as they like.

use regex::{Captures, Regex};
use scraper::{ElementRef, Html};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Parses a page, XHTML included.
pub(super) fn parse(page: &str) -> Html {
    Html::parse_document(&shallow(&as_html(page)))
}

/// The classes of an element.
pub(super) fn classes<'a>(element: ElementRef<'a>) -> impl Iterator<Item = &'a str> {
    element.value().attr("class").unwrap_or_default().split_ascii_whitespace()
}

/// Whether an element has a class.
pub(super) fn class(element: ElementRef<'_>, name: &str) -> bool {
    classes(element).any(|one| one == name)
}

/// The elements directly inside.
pub(super) fn children(element: ElementRef<'_>) -> impl Iterator<Item = ElementRef<'_>> {
    element.children().filter_map(ElementRef::wrap)
}

/// The elements below, in the order of the page.
pub(super) fn below(root: ElementRef<'_>) -> impl Iterator<Item = ElementRef<'_>> {
    root.descendants().skip(1).filter_map(ElementRef::wrap)
}

/// The first element below that is wanted, in the order of the page.
pub(super) fn find<'a>(root: ElementRef<'a>, wanted: &dyn Fn(ElementRef<'a>) -> bool) -> Option<ElementRef<'a>> {
    below(root).find(|element| wanted(*element))
}

/// All wanted elements below that are not inside another wanted one.
pub(super) fn find_all<'a>(root: ElementRef<'a>, wanted: &dyn Fn(ElementRef<'a>) -> bool) -> Vec<ElementRef<'a>> {
    find_until(root, wanted, &|_| false)
}

/// The same, without looking into elements that `closed` names.
pub(super) fn find_until<'a>(
    root: ElementRef<'a>,
    wanted: &dyn Fn(ElementRef<'a>) -> bool,
    closed: &dyn Fn(ElementRef<'a>) -> bool,
) -> Vec<ElementRef<'a>> {
    let mut found = Vec::new();
    let mut next: Vec<ElementRef<'a>> = children(root).collect();
    next.reverse();
    while let Some(element) = next.pop() {
        if wanted(element) {
            found.push(element);
        } else if !closed(element) {
            let from = next.len();
            next.extend(children(element));
            if let Some(added) = next.get_mut(from..) {
                added.reverse();
            }
        }
    }
    found
}

/// XHTML closes empty elements with `/>`, which HTML only knows of a few: an empty `script` would swallow the rest of the
/// page. They are closed the long way. MathML with a prefix would not be MathML to HTML, so it loses the prefix.
fn as_html(page: &str) -> Cow<'_, str> {
    const VOID: [&str; 14] =
        ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];
    static EMPTY: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"<([A-Za-z][\w:-]*)(\s[^<>]*)?/>").ok());
    let start = page.trim_start_matches('\u{feff}').trim_start();
    let page = match &*EMPTY {
        Some(pattern) if start.starts_with("<?xml") => pattern.replace_all(page, |found: &Captures<'_>| {
            let (name, rest) =
                (found.get(1).map_or("", |name| name.as_str()), found.get(2).map_or("", |rest| rest.as_str()));
            if VOID.contains(&name) { format!("<{name}{rest}>") } else { format!("<{name}{rest}></{name}>") }
        }),
        Some(_) | None => Cow::Borrowed(page),
    };
    if page.contains("<mml:") {
        return Cow::Owned(page.replace("<mml:", "<").replace("</mml:", "</"));
    }
    page
}

/// Nesting beyond which browsers no longer open elements either.
const NESTED: usize = 512;

/// The page without the tags that nest too deeply. The parser looks through all open elements at each new one, so ten
/// thousand of them inside each other would keep it busy for minutes.
pub(super) fn shallow(page: &str) -> Cow<'_, str> {
    // Elements that end where the next one begins, and those that hold nothing, do not add up.
    const FLAT: [&str; 30] = [
        "p", "li", "td", "th", "tr", "dt", "dd", "tbody", "thead", "tfoot", "option", "colgroup", "html", "head",
        "body", "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
        "wbr", "mspace",
    ];
    let mut out = String::new();
    let (mut kept, mut depth, mut at) = (0, 0_usize, 0);
    while let Some(start) = page.get(at..).and_then(|rest| rest.find('<')).map(|found| found + at) {
        let rest = page.get(start + 1..).unwrap_or_default();
        let is_end = rest.starts_with('/');
        let named = rest.strip_prefix('/').unwrap_or(rest);
        let length = named.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != ':').unwrap_or(named.len());
        let name = named.get(..length).unwrap_or_default();
        let is = |other: &&str| name.eq_ignore_ascii_case(other);
        at = start + 1;
        if name.is_empty() || FLAT.iter().any(is) {
            continue;
        }
        let is_raw = ["script", "style"].iter().any(is);
        let Some(end) = rest.find('>').map(|found| start + 1 + found + 1) else { break };
        if !is_end && is_raw {
            // What is in them only looks like tags.
            at = page.get(end..).and_then(|rest| rest.find("</")).map_or(page.len(), |found| end + found);
            continue;
        }
        let is_empty = page.get(..end).is_some_and(|tag| tag.ends_with("/>"));
        let is_deep = depth >= NESTED;
        match (is_end, is_empty) {
            (true, _) if is_raw => {}
            (true, _) => depth = depth.saturating_sub(1),
            (false, true) => {}
            (false, false) => depth += 1,
        }
        if is_deep && depth >= NESTED {
            out.push_str(page.get(kept..start).unwrap_or_default());
            out.push(' ');
            kept = end;
        }
        at = end;
    }
    if kept == 0 {
        return Cow::Borrowed(page);
    }
    out.push_str(page.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}
