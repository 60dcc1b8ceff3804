//! What stands inside a line.

use super::tree::{class, find, find_all, text_of};
use super::{DEEPEST, Reader};
use crate::papers::parse::document::{Inline, TroubleKind, plain, tidy};
use scraper::{ElementRef, Node};

/// A node of the page's tree.
type NodeRef<'a> = <ElementRef<'a> as std::ops::Deref>::Target;

impl Reader {
    /// The inlines inside an element.
    pub(super) fn inlines_of(&mut self, element: ElementRef<'_>, depth: usize) -> Vec<Inline> {
        let mut out = Vec::new();
        for node in element.children() {
            self.inline(node, &mut out, depth);
        }
        tidy(out)
    }

    /// One node.
    pub(super) fn inline(&mut self, node: NodeRef<'_>, out: &mut Vec<Inline>, depth: usize) {
        let element = match node.value() {
            Node::Text(text) => {
                out.push(Inline::text(text.to_string()));
                return;
            }
            Node::Element(_) => ElementRef::wrap(node),
            Node::Document | Node::Fragment | Node::Doctype(_) | Node::Comment(_) | Node::ProcessingInstruction(_) => {
                None
            }
        };
        let Some(element) = element else { return };
        if depth > DEEPEST {
            out.push(Inline::text(text_of(element)));
            return;
        }
        let name = element.value().name();
        if super::is_chrome(element) && !class(element, "ltx_rule") {
            return;
        }
        match name {
            "math" => match tex(element) {
                Some(tex) => out.push(Inline::Math(tex)),
                None => out.push(Inline::text(text_of(element))),
            },
            "br" => out.push(Inline::Break),
            "cite" => self.citation(element, out, depth),
            "a" => self.link(element, out, depth),
            "sup" => self.wrapped(element, out, depth, Inline::Superscript),
            "sub" => self.wrapped(element, out, depth, Inline::Subscript),
            "em" | "i" => self.wrapped(element, out, depth, Inline::Emphasis),
            "strong" | "b" => self.wrapped(element, out, depth, Inline::Strong),
            "code" | "tt" | "kbd" => out.push(Inline::Code(text_of(element))),
            "img" => out
                .push(Inline::text(element.value().attr("alt").filter(|alt| *alt != "Refer to caption").unwrap_or(""))),
            _ if class(element, "ltx_note") => self.note(element, out, depth),
            _ if class(element, "ltx_ERROR") => out.push(Inline::Source(text_of(element))),
            _ if class(element, "ltx_cite") => self.citation(element, out, depth),
            _ if class(element, "ltx_font_italic") => self.wrapped(element, out, depth, Inline::Emphasis),
            _ if class(element, "ltx_font_bold") => self.wrapped(element, out, depth, Inline::Strong),
            _ => {
                for child in element.children() {
                    self.inline(child, out, depth + 1);
                }
                // Cells and lines that the page sets below each other are words apart.
                if matches!(name, "p" | "div" | "td" | "th" | "tr" | "li")
                    || class(element, "ltx_p")
                    || class(element, "ltx_td")
                {
                    out.push(Inline::text(" "));
                }
            }
        }
    }

    fn wrapped(
        &mut self,
        element: ElementRef<'_>,
        out: &mut Vec<Inline>,
        depth: usize,
        wrap: fn(Vec<Inline>) -> Inline,
    ) {
        let mut inner = Vec::new();
        for node in element.children() {
            self.inline(node, &mut inner, depth + 1);
        }
        if plain(&inner).trim().is_empty() && inner.iter().all(|one| matches!(one, Inline::Text(_))) {
            out.extend(inner);
        } else {
            out.push(wrap(inner));
        }
    }

    fn citation(&mut self, element: ElementRef<'_>, out: &mut Vec<Inline>, depth: usize) {
        let links = find_all(element, &|link| link.value().name() == "a");
        let keys: Vec<String> = links.iter().filter_map(|link| anchor_of(link.value().attr("href")?)).collect();
        let mut content = Vec::new();
        for node in element.children() {
            self.inline(node, &mut content, depth + 1);
        }
        // The key says where it leads; the words are words.
        let content = unlinked(content);
        if keys.is_empty() { out.extend(content) } else { out.push(Inline::Citation { keys, content }) }
    }

    fn link(&mut self, element: ElementRef<'_>, out: &mut Vec<Inline>, depth: usize) {
        let href = element.value().attr("href").unwrap_or_default().to_owned();
        let mut content = Vec::new();
        for node in element.children() {
            self.inline(node, &mut content, depth + 1);
        }
        let inside = class(element, "ltx_ref") && !class(element, "ltx_url") && !class(element, "ltx_href");
        match anchor_of(&href) {
            Some(anchor) if href.starts_with('#') || inside => out.push(Inline::Reference { anchor, content }),
            Some(_) | None if href.contains(':') => out.push(Inline::Link { target: href, content }),
            Some(_) | None => out.extend(content),
        }
    }

    /// A footnote, kept once: its mark stands where the note does.
    fn note(&mut self, note: ElementRef<'_>, out: &mut Vec<Inline>, depth: usize) {
        let content = find(note, &|element| class(element, "ltx_note_content")).unwrap_or(note);
        let mut inner = Vec::new();
        for node in content.children() {
            let is_mark = ElementRef::wrap(node).is_some_and(|element| {
                class(element, "ltx_note_mark") || class(element, "ltx_note_type") || class(element, "ltx_tag_note")
            });
            if !is_mark {
                self.inline(node, &mut inner, depth + 1);
            }
        }
        let inner = tidy(inner);
        if inner.is_empty() {
            return;
        }
        let known = self.document.footnotes.iter().position(|footnote| *footnote == inner);
        let at = known.unwrap_or_else(|| {
            self.document.footnotes.push(inner);
            self.document.footnotes.len() - 1
        });
        out.push(Inline::Footnote(at));
    }

    /// Notes something that is not there.
    pub(super) fn missing(&mut self, what: &str) {
        self.document.trouble(TroubleKind::Missing, what);
    }
}

/// The TeX of a formula: its `alttext`, or the annotation that MathML keeps.
pub(super) fn tex(math: ElementRef<'_>) -> Option<String> {
    let annotation = || {
        let kept = find(math, &|element| {
            element.value().name() == "annotation" && element.value().attr("encoding") == Some("application/x-tex")
        });
        kept.map(text_of)
    };
    let text = math.value().attr("alttext").map(str::to_owned).or_else(annotation)?;
    // A comment at the end of a line only joins it with the next; on one line it would swallow the rest.
    let text = text.replace("%\n", "").replace('\n', " ");
    let text = text.trim();
    let text = text
        .strip_prefix("\\displaystyle")
        .map_or(text, |rest| if rest.starts_with(char::is_alphabetic) { text } else { rest.trim_start() });
    (!text.is_empty()).then(|| text.to_owned())
}

/// The anchor of an address inside the page: what follows `#`.
fn anchor_of(href: &str) -> Option<String> {
    let (_, anchor) = href.split_once('#')?;
    (!anchor.is_empty()).then(|| anchor.to_owned())
}

/// The same without links.
fn unlinked(content: Vec<Inline>) -> Vec<Inline> {
    let mut out = Vec::new();
    for inline in content {
        match inline {
            Inline::Reference { content, .. } | Inline::Link { content, .. } | Inline::Citation { content, .. } => {
                out.extend(unlinked(content));
            }
            Inline::Text(_)
            | Inline::Math(_)
            | Inline::Emphasis(_)
            | Inline::Strong(_)
            | Inline::Superscript(_)
            | Inline::Subscript(_)
            | Inline::Code(_)
            | Inline::Footnote(_)
            | Inline::Break
            | Inline::Anchor(_)
            | Inline::Source(_) => out.push(inline),
        }
    }
    out
}
