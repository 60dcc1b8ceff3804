//! Looking at a parsed page. Nothing here recurses: pages may be nested as deeply as they like.

pub(super) use crate::papers::parse::html::{below, children, class, classes, find, find_all, find_until};
use scraper::{ElementRef, Node};

/// A node of the page's tree.
pub(super) type NodeRef<'a> = <ElementRef<'a> as std::ops::Deref>::Target;

/// What tells one element of a page from another.
pub(super) fn key(element: ElementRef<'_>) -> usize {
    std::ptr::from_ref(element.value()).addr()
}

/// The name of an element without a prefix: `math` for `mml:math`.
pub(super) fn name(element: ElementRef<'_>) -> &str {
    let name = element.value().name();
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// An attribute, without blanks around it; an empty one counts as none.
pub(super) fn attr<'a>(element: ElementRef<'a>, name: &str) -> Option<&'a str> {
    element.value().attr(name).map(str::trim).filter(|value| !value.is_empty())
}

/// Whether an element has one of these classes.
pub(super) fn any_class(element: ElementRef<'_>, names: &[&str]) -> bool {
    classes(element).any(|one| names.contains(&one))
}

/// Whether one of the words that classes are made of (`figure-inline-download`, `zoomTools`) is wanted.
pub(super) fn any_word(element: ElementRef<'_>, wanted: &dyn Fn(&str) -> bool) -> bool {
    let mut word = String::new();
    for one in classes(element) {
        let mut small = false;
        for c in one.chars() {
            let cut = !c.is_alphanumeric() || (small && c.is_uppercase());
            if cut {
                if wanted(&word) {
                    return true;
                }
                word.clear();
            }
            if c.is_alphanumeric() {
                word.extend(c.to_lowercase());
            }
            small = c.is_lowercase();
        }
        if wanted(&word) {
            return true;
        }
        word.clear();
    }
    false
}

/// The element that holds this one.
pub(super) fn parent(element: ElementRef<'_>) -> Option<ElementRef<'_>> {
    element.parent().and_then(ElementRef::wrap)
}

/// The next element beside this one, if only blanks stand between.
pub(super) fn next_beside(element: ElementRef<'_>) -> Option<ElementRef<'_>> {
    for node in element.next_siblings() {
        match node.value() {
            Node::Element(_) => return ElementRef::wrap(node),
            Node::Text(text) if !text.trim().is_empty() => return None,
            Node::Text(_)
            | Node::Document
            | Node::Fragment
            | Node::Doctype(_)
            | Node::Comment(_)
            | Node::ProcessingInstruction(_) => {}
        }
    }
    None
}

/// The words of an element, one blank between them.
pub(super) fn text_of(element: ElementRef<'_>) -> String {
    text_until(element, usize::MAX, &|_| false)
}

/// The same, up to a number of bytes and without elements that `closed` names.
pub(super) fn text_until<'a>(root: ElementRef<'a>, most: usize, closed: &dyn Fn(ElementRef<'a>) -> bool) -> String {
    let mut out = String::new();
    let mut next: Vec<NodeRef<'a>> = vec![*root];
    while let Some(node) = next.pop() {
        if out.len() >= most {
            break;
        }
        match node.value() {
            Node::Text(text) => {
                // Indentation is no text, and must not use up what may be taken.
                if text.starts_with(char::is_whitespace) && !out.ends_with(' ') {
                    out.push(' ');
                }
                out.push_str(text.trim_start());
            }
            Node::Element(inner) if matches!(inner.name(), "script" | "style" | "template") => {}
            Node::Element(inner) => {
                let is_closed = node.id() != root.id() && ElementRef::wrap(node).is_some_and(closed);
                if is_closed {
                    continue;
                }
                let is_apart =
                    matches!(inner.name(), "br" | "p" | "div" | "li" | "td" | "th" | "tr" | "h1" | "h2" | "h3");
                if is_apart && !out.ends_with(' ') {
                    out.push(' ');
                }
                let from = next.len();
                next.extend(node.children());
                if let Some(added) = next.get_mut(from..) {
                    added.reverse();
                }
            }
            Node::Document | Node::Fragment | Node::Doctype(_) | Node::Comment(_) | Node::ProcessingInstruction(_) => {}
        }
    }
    one_blank(&out)
}

/// The text without any markup, with one blank between words and none at its ends.
pub(super) fn one_blank(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Letters and digits alone, small: for comparing titles.
pub(super) fn squeezed(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
