//! What stands inside a line.

use super::body::{OPENS, Profile};
use super::formulas::{self, Formula};
use super::references::{is_catalogue, is_junk_link};
use super::tree::{NodeRef, any_class, attr, class, key, name, text_of};
use super::{DEEPEST, Reader, figures, lines, outline};
use crate::papers::parse::document::{Inline, TroubleKind, plain};
use scraper::{ElementRef, Node};

/// A range of citations, `3–7`, may name as many entries as this.
const RANGE: usize = 60;

impl<'a> Reader<'a> {
    /// The inlines inside an element.
    pub(super) fn inlines_of(&mut self, element: ElementRef<'a>, depth: usize) -> Vec<Inline> {
        let mut out = Vec::new();
        for node in element.children() {
            self.inline(node, &mut out, depth);
        }
        let out = self.joined(out);
        lines::tidy(out)
    }

    /// One node.
    pub(super) fn inline(&mut self, node: NodeRef<'a>, out: &mut Vec<Inline>, depth: usize) {
        let element = match node.value() {
            Node::Text(text) => return self.words(text, out),
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
        if self.left_out.contains(&key(element)) || outline::is_chrome(element) {
            return;
        }
        if self.in_reference && is_catalogue(element) {
            return;
        }
        if formulas::is_inline(element) || formulas::is_display(element) {
            return self.formula(element, out, depth);
        }
        match name(element) {
            "br" => out.push(Inline::Break),
            "img" => self.image(element, out),
            "a" => self.link(element, out, depth),
            "sup" => self.wrapped(element, out, depth, Inline::Superscript),
            "sub" => self.wrapped(element, out, depth, Inline::Subscript),
            "em" | "i" | "italic" | "dfn" | "var" => self.wrapped(element, out, depth, Inline::Emphasis),
            "strong" | "b" | "bold" => self.wrapped(element, out, depth, Inline::Strong),
            "code" | "tt" | "kbd" | "samp" => out.push(Inline::Code(text_of(element))),
            "script" | "video" => {}
            _ if is_italic(element) => self.wrapped(element, out, depth, Inline::Emphasis),
            _ if is_bold(element) => self.wrapped(element, out, depth, Inline::Strong),
            name => {
                self.anchor_in_line(element, out);
                if is_apart(name) {
                    out.push(Inline::text(if name == "li" && goes_on(element, out) { ", " } else { " " }));
                }
                for child in element.children() {
                    self.inline(child, out, depth + 1);
                }
                if is_apart(name) {
                    out.push(Inline::text(" "));
                }
            }
        }
    }

    /// Text, with the TeX between signs where the page leaves drawing it to a script.
    fn words(&self, text: &str, out: &mut Vec<Inline>) {
        if !self.raw_tex || !text.contains(['\\', '$']) {
            out.push(Inline::text(text));
            return;
        }
        let signs = [(r"\(", r"\)"), (r"\[", r"\]"), ("$$", "$$"), ("$", "$")];
        let (mut rest, mut from) = (text, 0);
        while let Some(at) = rest.get(from..).and_then(|tail| tail.find(['\\', '$'])).map(|at| at + from) {
            let here = rest.get(at..).unwrap_or_default();
            let sign = signs.iter().find(|(open, _)| here.starts_with(open) && (*open != "$" || self.dollars));
            let Some((open, close)) = sign else {
                // An escaped dollar is money.
                from = at + if here.starts_with(r"\$") { 2 } else { 1 };
                continue;
            };
            let inner = here.get(open.len()..).unwrap_or_default();
            // Without its other half a sign is a sign, and so are all that follow.
            let Some(end) = inner.find(close) else { break };
            let whole = open.len() + end + close.len();
            out.push(Inline::text(rest.get(..at).unwrap_or_default()));
            match inner.get(..end).and_then(formulas::clean) {
                Some(formula) => out.push(Inline::Math(formula.tex)),
                None => out.push(Inline::text(here.get(..whole).unwrap_or_default())),
            }
            (rest, from) = (here.get(whole..).unwrap_or_default(), 0);
        }
        out.push(Inline::text(rest));
    }

    fn wrapped(
        &mut self,
        element: ElementRef<'a>,
        out: &mut Vec<Inline>,
        depth: usize,
        wrap: fn(Vec<Inline>) -> Inline,
    ) {
        let mut inner = Vec::new();
        for node in element.children() {
            self.inline(node, &mut inner, depth + 1);
        }
        let inner = self.joined(inner);
        let is_blank =
            |one: &Inline| matches!(one, Inline::Text(text) if text.trim_matches([',', ' ', ';', '\n']).is_empty());
        if inner.iter().all(|one| is_blank(one) || matches!(one, Inline::Footnote(_) | Inline::Anchor(_))) {
            // Footnotes are raised by whoever prints them.
            let marks = inner.iter().any(|one| matches!(one, Inline::Footnote(_)));
            out.extend(inner.into_iter().filter(|one| !marks || !is_blank(one)));
        } else if inner.iter().all(|one| matches!(one, Inline::Math(_))) {
            // A formula needs no other shape; a raised one says so itself.
            let raised = wrap(Vec::new());
            for one in inner {
                match (&raised, one) {
                    (Inline::Superscript(_), Inline::Math(tex)) => out.push(Inline::Math(format!("{{}}^{{{tex}}}"))),
                    (Inline::Subscript(_), Inline::Math(tex)) => out.push(Inline::Math(format!("{{}}_{{{tex}}}"))),
                    (_, one) => out.push(one),
                }
            }
        } else {
            out.push(wrap(inner));
        }
    }

    /// A formula inside a line.
    fn formula(&mut self, element: ElementRef<'a>, out: &mut Vec<Inline>, depth: usize) {
        let is_drawn = formulas::is_drawn(element);
        if is_drawn && formulas::has_source_beside(element) {
            return;
        }
        let found = formulas::formulas(element);
        let is_certain =
            is_drawn || matches!(name(element), "math" | "script" | "mjx-container") || class(element, "katex");
        if !found.is_empty() && (is_certain || !has_words(element)) {
            for formula in found {
                let formula = self.checked(formula);
                out.push(Inline::Math(formula.tex));
            }
            return;
        }
        if is_certain {
            let text = text_of(element);
            if !text.is_empty() {
                self.document
                    .trouble(TroubleKind::NotUnderstood, "a formula was drawn by a script and its source is gone");
                out.push(Inline::Source(text));
            }
            return;
        }
        for child in element.children() {
            self.inline(child, out, depth + 1);
        }
    }

    /// Counts what the converter did not know.
    pub(super) fn checked(&mut self, formula: Formula) -> Formula {
        if let Some(unknown) = &formula.unknown {
            self.trouble_with(TroubleKind::NotUnderstood, "MathML has an element that it does not know", unknown);
        }
        formula
    }

    /// An image inside a line: a formula, a character, or a picture that goes out of the line.
    fn image(&mut self, image: ElementRef<'a>, out: &mut Vec<Inline>) {
        let alternative = attr(image, "alt").unwrap_or_default();
        let location = figures::location(image).unwrap_or_default();
        if let Some(formula) = formulas::image_tex(image).and_then(|tex| formulas::clean(&tex)) {
            out.push(Inline::Math(formula.tex));
        } else if formulas::is_formula_image(image) || (self.profile == Profile::Edp && self.is_small(image)) {
            self.document.trouble(TroubleKind::Missing, "a formula is an image without its TeX");
            out.push(Inline::Source(if alternative.is_empty() { location } else { alternative.to_owned() }));
        } else if location.contains("/Entities/") || location.contains("/entities/") {
            let known = [("squ", "□"), ("bull", "•"), ("thinsp", " "), ("nbsp", " "), ("deg", "°"), ("star", "☆")];
            match known.iter().find(|(name, _)| *name == alternative) {
                Some((_, sign)) => out.push(Inline::text(*sign)),
                None => {
                    self.trouble_with(TroubleKind::UnknownGlyph, "a character is an image", alternative);
                    out.push(Inline::text(alternative));
                }
            }
        } else if !alternative.is_empty() && alternative.chars().count() <= 2 {
            out.push(Inline::text(alternative));
        } else if !figures::is_icon(image) {
            self.loose.push(image);
        }
    }

    /// Whether an image is no higher than a line or two, by its own word.
    fn is_small(&self, image: ElementRef<'_>) -> bool {
        attr(image, "height")
            .and_then(|high| high.trim_end_matches("px").parse::<u32>().ok())
            .is_some_and(|high| high < 60)
    }

    /// Keeps an anchor that something leads to.
    fn anchor_in_line(&self, element: ElementRef<'a>, out: &mut Vec<Inline>) {
        let anchor = element.value().id().or_else(|| attr(element, "name").filter(|_| name(element) == "a"));
        if let Some(anchor) = anchor
            && self.survey.targets.contains(anchor)
            && !self.keys.contains_key(anchor)
            && !self.notes.contains_key(anchor)
        {
            out.push(Inline::Anchor(anchor.to_owned()));
        }
    }

    fn link(&mut self, element: ElementRef<'a>, out: &mut Vec<Inline>, depth: usize) {
        let href = attr(element, "href").unwrap_or_default();
        let mut content = Vec::new();
        for node in element.children() {
            self.inline(node, &mut content, depth + 1);
        }
        let words = plain(&content);
        let is_back = matches!(words.trim(), "↑" | "^" | "↵" | "↩" | "⤴" | "Back" | "⨯");
        if is_back || (self.in_reference && (is_junk_link(&words) || words.trim() == "|")) {
            return;
        }
        if words.trim().is_empty() && content.iter().all(|one| matches!(one, Inline::Text(_))) {
            self.anchor_in_line(element, out);
            return out.extend(content);
        }
        let anchors = self.anchors(element, href);
        let keys: Vec<String> = anchors.iter().filter_map(|anchor| self.cited(anchor)).collect();
        if !keys.is_empty() && (!self.in_reference || words.trim().len() < 40) {
            out.push(Inline::Citation { keys, content: lines::unlinked(content, 0) });
            return;
        }
        if let Some(at) = anchors.iter().find_map(|anchor| self.footnote(anchor, depth)) {
            // A mark shows itself; words that lead to a note stay.
            if words.trim().chars().count() > 4 {
                out.extend(content);
            }
            out.push(Inline::Footnote(at));
            return;
        }
        self.anchor_in_line(element, out);
        match anchors.into_iter().next() {
            Some(anchor) if self.survey.targets.contains(&anchor) => out.push(Inline::Reference { anchor, content }),
            Some(_) | None => match self.absolute(href) {
                Some(target) if !(self.in_reference && target.contains("scholar.google")) => {
                    out.push(Inline::Link { target, content });
                }
                Some(_) | None => out.extend(content),
            },
        }
    }

    /// The anchors of this page that a link leads to.
    fn anchors(&self, element: ElementRef<'_>, href: &str) -> Vec<String> {
        let mut out = Vec::new();
        if let Some((before, anchor)) = href.split_once('#')
            && !anchor.is_empty()
            && self.is_here(before)
        {
            out.push(anchor.to_owned());
        }
        if href.is_empty() || href.starts_with('#') || href.starts_with("javascript") {
            for given in OPENS {
                let all = attr(element, given).unwrap_or_default().split_ascii_whitespace();
                out.extend(all.map(str::to_owned));
            }
        }
        out.dedup();
        out
    }

    /// Whether an address is that of this page.
    fn is_here(&self, address: &str) -> bool {
        let path = |address: &str| {
            let rest = address
                .split_once("://")
                .map_or(address, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
            rest.trim_matches('/').split('?').next().unwrap_or_default().to_owned()
        };
        if address.is_empty() {
            return true;
        }
        let wanted = path(address);
        !wanted.is_empty() && self.meta.addresses.iter().any(|own| path(own) == wanted)
    }

    /// The key of the entry that an anchor leads to.
    fn cited(&self, anchor: &str) -> Option<String> {
        let at = self.keys.get(anchor).or_else(|| self.keys.get(anchor.strip_prefix("ref-")?))?;
        self.document.references.get(*at).map(|entry| entry.key.clone())
    }

    /// A link's address with its host.
    fn absolute(&self, href: &str) -> Option<String> {
        if href.is_empty() || href.starts_with('#') || href.starts_with("javascript") {
            return None;
        }
        if let Some(rest) = href.strip_prefix("//") {
            return Some(format!("https://{rest}"));
        }
        if href.contains(':') {
            return Some(href.to_owned());
        }
        let own = self.meta.addresses.iter().find(|address| address.contains("://"))?;
        let (scheme, rest) = own.split_once("://")?;
        let host = rest.split('/').next()?;
        href.starts_with('/').then(|| format!("{scheme}://{host}{href}"))
    }

    /// Joins citations that stand in one pair of brackets: `[1–3, 7]` is one citation of four entries.
    pub(super) fn joined(&self, content: Vec<Inline>) -> Vec<Inline> {
        if !content.iter().any(|one| matches!(one, Inline::Citation { .. })) {
            return content;
        }
        let content = lines::merged(content);
        let mut out: Vec<Inline> = Vec::with_capacity(content.len());
        let mut rest = content.into_iter().peekable();
        while let Some(inline) = rest.next() {
            match (inline, out.last_mut()) {
                (Inline::Citation { keys, content }, Some(Inline::Citation { keys: all, content: words })) => {
                    for key in keys {
                        // Long lists are not looked through again and again.
                        if all.len() > 4 * RANGE || !all.contains(&key) {
                            all.push(key);
                        }
                    }
                    words.extend(content);
                }
                (Inline::Text(between), Some(Inline::Citation { keys, content }))
                    if is_between(&between) && matches!(rest.peek(), Some(Inline::Citation { .. })) =>
                {
                    if matches!(between.trim(), "–" | "-" | "—" | "−" | "‐")
                        && let Some(Inline::Citation { keys: next, .. }) = rest.peek()
                    {
                        keys.extend(self.span(keys.last(), next.first()));
                    }
                    content.push(Inline::Text(between));
                }
                (inline, _) => out.push(inline),
            }
        }
        in_brackets(&mut out);
        out
    }

    /// The entries between two of the list, neither included.
    fn span(&self, from: Option<&String>, to: Option<&String>) -> Vec<String> {
        let place = |key: Option<&String>| key.and_then(|key| self.keys.get(key)).copied();
        match (place(from), place(to)) {
            (Some(from), Some(to)) if from < to && to - from <= RANGE => self
                .document
                .references
                .get(from + 1..to)
                .unwrap_or_default()
                .iter()
                .map(|one| one.key.clone())
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// Whether text between two citations keeps them together.
fn is_between(text: &str) -> bool {
    text.len() <= 8 && text.chars().all(|c| c.is_whitespace() || matches!(c, ',' | ';' | '–' | '-' | '—' | '−' | '‐'))
}

/// Takes the brackets around a citation into it.
fn in_brackets(content: &mut [Inline]) {
    for at in 1..content.len().saturating_sub(1) {
        let Some([before, citation, after]) = content.get_mut(at - 1..at + 2) else { continue };
        let (Inline::Text(before), Inline::Citation { content: words, .. }, Inline::Text(after)) =
            (before, citation, after)
        else {
            continue;
        };
        let pair = [('[', ']'), ('(', ')')]
            .into_iter()
            .find(|(open, close)| before.ends_with(*open) && after.starts_with(*close));
        if let Some((open, close)) = pair {
            before.pop();
            after.remove(0);
            words.insert(0, Inline::text(open));
            words.push(Inline::text(close));
        }
    }
}

/// Whether there are words in an element beside its formulas.
fn has_words(element: ElementRef<'_>) -> bool {
    let text: String = element.text().take(40).collect();
    let is_whole = formulas::is_delimited(text.trim()) && !any_class(element, &["disp-formula"]);
    !is_whole
        && formulas::number(&formulas::words_beside(element)).is_none()
        && !formulas::words_beside(element).is_empty()
}

/// Whether an item in a line follows another one that has no comma of its own.
fn goes_on(item: ElementRef<'_>, out: &[Inline]) -> bool {
    let follows = item.prev_siblings().filter_map(ElementRef::wrap).next().is_some_and(|before| name(before) == "li");
    let last = out.iter().rev().take(4).find(|one| !matches!(one, Inline::Text(text) if text.trim().is_empty()));
    follows && last.is_some_and(|last| !plain(std::slice::from_ref(last)).trim_end().ends_with([',', ';', '.', ':']))
}

fn is_apart(name: &str) -> bool {
    matches!(
        name,
        "p" | "div" | "td" | "th" | "tr" | "li" | "dt" | "dd" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "section"
    )
}

fn is_italic(element: ElementRef<'_>) -> bool {
    any_class(element, &["italic", "jp-italic", "html-italic", "emphasistypeitalic", "EmphasisTypeItalic"])
        || style(element).contains("font-style:italic")
}

fn is_bold(element: ElementRef<'_>) -> bool {
    any_class(element, &["bold", "jp-bold", "html-bold", "EmphasisTypeBold"])
        || style(element).contains("font-weight:bold")
        || style(element).contains("font-weight:700")
}

fn style(element: ElementRef<'_>) -> String {
    let style = attr(element, "style").filter(|style| style.len() < 400).unwrap_or_default();
    style.chars().filter(|c| !c.is_whitespace()).collect()
}
