//! The text from the top: what stands on its own, in its order.

use super::formulas::{self, Formula};
use super::outline::{self, Kind};
use super::tree::{attr, children, class, find, find_until, key, name, squeezed, text_of, text_until};
use super::{DEEPEST, Reader, front, lines};
use crate::papers::parse::document::{
    Block, Code, Equation, Figure, Heading, Image, Inline, List, Notation, Statement, TroubleKind, plain,
};
use scraper::{ElementRef, Node};

impl<'a> Reader<'a> {
    /// Blocks inside an element. Text and inline elements between them become paragraphs.
    pub(super) fn flow(&mut self, container: ElementRef<'a>, out: &mut Vec<Block>, depth: usize) {
        let muted = self.muted;
        let mut pending = Vec::new();
        self.flow_into(container, out, &mut pending, depth);
        self.flush(&mut pending, out);
        // What a heading says ends with what it stands in, unless it only has a frame of its own.
        if !matches!(name(container), "header" | "hgroup") && self.muted.is_some() {
            self.muted = muted;
        }
    }

    fn flow_into(&mut self, container: ElementRef<'a>, out: &mut Vec<Block>, pending: &mut Vec<Inline>, depth: usize) {
        if depth > DEEPEST {
            pending.push(Inline::text(text_of(container)));
            return;
        }
        for node in container.children() {
            let Some(element) = ElementRef::wrap(node) else {
                self.inline(node, pending, depth);
                continue;
            };
            if self.left_out.contains(&key(element)) || outline::is_chrome(element) || outline::is_front(element) {
                continue;
            }
            if self.in_summary && front::is_no_summary(element) {
                continue;
            }
            match outline::kind(element) {
                Kind::Inline if self.survey.holds(element) && !formulas::is_inline(element) => {
                    self.flow_into(element, out, pending, depth + 1);
                }
                Kind::Inline => self.inline(node, pending, depth),
                kind @ (Kind::Heading(_)
                | Kind::Equation
                | Kind::Float
                | Kind::Table
                | Kind::List
                | Kind::Quote
                | Kind::Code
                | Kind::Statement
                | Kind::Box) => {
                    self.flush(pending, out);
                    self.block(element, kind, out, depth + 1);
                }
            }
        }
    }

    fn block(&mut self, element: ElementRef<'a>, kind: Kind, out: &mut Vec<Block>, depth: usize) {
        let from = out.len();
        match kind {
            Kind::Heading(level) => return self.heading(element, level, out),
            Kind::Equation => self.equations(element, out, depth),
            Kind::Float => self.float(element, out, depth),
            Kind::Table => self.bare_table(element, out, depth),
            Kind::List => self.list(element, out, depth),
            Kind::Quote => {
                let mut blocks = Vec::new();
                self.flow(element, &mut blocks, depth);
                if !blocks.is_empty() {
                    out.push(Block::Quote(blocks));
                }
            }
            Kind::Code => {
                let text = element.text().collect::<String>();
                if !text.trim().is_empty() {
                    let anchor = self.anchor.take();
                    out.push(Block::Code(Code { text, anchor, ..Code::default() }));
                }
            }
            Kind::Statement => self.statement(element, out, depth),
            Kind::Box | Kind::Inline => {
                if name(element) == "aside" && outline::is_mostly_links(element) {
                    return;
                }
                self.anchored(element);
                return self.flow(element, out, depth);
            }
        }
        if self.muted.is_some() {
            out.truncate(from);
        }
    }

    /// Keeps the anchor of a box for what stands first in it.
    pub(super) fn anchored(&mut self, element: ElementRef<'a>) {
        if let Some(id) = element.value().id()
            && self.survey.targets.contains(id)
            && !self.keys.contains_key(id)
            && !self.notes.contains_key(id)
        {
            self.anchor = Some(id.to_owned());
        }
    }

    /// Ends the paragraph that has gathered.
    pub(super) fn flush(&mut self, pending: &mut Vec<Inline>, out: &mut Vec<Block>) {
        let gathered = std::mem::take(pending);
        let mut content = lines::tidy(self.joined(gathered));
        if self.muted.is_some() {
            self.loose.clear();
            return;
        }
        let from = out.len();
        self.pictures(out);
        let pictures = out.split_off(from);
        let is_bare = content.iter().all(|one| {
            matches!(one, Inline::Anchor(_) | Inline::Break)
                || matches!(one, Inline::Text(text) if text.trim().is_empty())
        });
        if is_bare {
            let anchor = content.into_iter().find_map(|one| if let Inline::Anchor(id) = one { Some(id) } else { None });
            self.anchor = anchor.or_else(|| self.anchor.take());
        } else {
            if let Some(anchor) = self.anchor.take().filter(|anchor| self.survey.targets.contains(anchor)) {
                let anchor = Inline::Anchor(anchor);
                if content.first() != Some(&anchor) {
                    content.insert(0, anchor);
                }
            }
            out.push(Block::Paragraph(content));
        }
        out.extend(pictures);
    }

    /// The highest level of headings in the text: level 1 of the document.
    pub(super) fn top_heading(&self, container: ElementRef<'a>) -> u8 {
        let title = squeezed(&plain(&self.document.front.title));
        let is_closed = |element: ElementRef<'a>| {
            self.left_out.contains(&key(element))
                || outline::is_float(element)
                || matches!(name(element), "nav" | "aside" | "footer")
        };
        let is_heading = |element: ElementRef<'a>| matches!(outline::kind(element), Kind::Heading(_));
        let headings = find_until(container, &is_heading, &is_closed);
        let levels = headings.into_iter().filter_map(|heading| match outline::kind(heading) {
            Kind::Heading(level) => {
                let words = text_until(heading, 2_000, &|_| false);
                (!words.is_empty() && squeezed(&words) != title && !outline::is_chrome(heading)).then_some(level)
            }
            Kind::Equation
            | Kind::Float
            | Kind::Table
            | Kind::List
            | Kind::Quote
            | Kind::Code
            | Kind::Statement
            | Kind::Box
            | Kind::Inline => None,
        });
        levels.min().unwrap_or(1)
    }

    fn heading(&mut self, element: ElementRef<'a>, level: u8, out: &mut Vec<Block>) {
        let words = text_until(element, 2_000, &|_| false);
        let own = squeezed(&words);
        if own.is_empty() || own == squeezed(&plain(&self.document.front.title)) {
            return;
        }
        if self.muted.is_some_and(|muted| level <= muted) {
            self.muted = None;
        }
        if outline::is_junk_heading(&words) {
            self.muted = Some(level);
        }
        let is_abstract = self.in_summary || own == "abstract" && !self.document.summary.is_empty();
        let is_list = !self.document.references.is_empty() && outline::is_reference_heading(&words);
        if self.muted.is_some() || is_list || (is_abstract && own.starts_with("abstract")) {
            return;
        }
        let (number, content) = self.numbered(element);
        if content.is_empty() && number.is_none() {
            return;
        }
        let inner = find(element, &|inner| {
            inner.value().id().or(attr(inner, "name")).is_some_and(|id| self.survey.targets.contains(id))
        });
        let inner = inner.and_then(|inner| inner.value().id().or(attr(inner, "name"))).map(str::to_owned);
        let mut anchor = self.better(inner, element.value().id().map(str::to_owned));
        let waiting = self.anchor.take();
        anchor = self.better(anchor, waiting);
        let before = anchor_before(element);
        anchor = self.better(anchor, before);
        anchor = self.better(anchor, section_anchor(element));
        let content = content.into_iter().filter(|one| !matches!(one, Inline::Anchor(_))).collect();
        let level = level.saturating_sub(self.top).saturating_add(1).clamp(1, 5);
        out.push(Block::Heading(Heading { level, number, content, anchor }));
    }

    /// A heading's number and words.
    fn numbered(&mut self, heading: ElementRef<'a>) -> (Option<String>, Vec<Inline>) {
        // A number in an element of its own needs no blank after it.
        let first = children(heading).find(|child| !text_until(*child, 20, &|_| false).is_empty());
        if let Some(first) = first
            && let Some((number, length)) = number(&format!("{} X", text_of(first)))
            && length > text_of(first).chars().count()
        {
            let mut content = Vec::new();
            for node in heading.children().filter(|node| node.id() != first.id()) {
                self.inline(node, &mut content, 0);
            }
            lines::drop_front_marks(&mut content);
            return (Some(number), lines::tidy(content));
        }
        let mut content = self.inlines_of(heading, 0);
        let words: String = plain(&content).chars().take(40).collect();
        let Some((number, length)) = number(&words) else { return (None, content) };
        if lines::drop_front(&mut content, length) > 0 {
            return (None, self.inlines_of(heading, 0));
        }
        lines::drop_front_marks(&mut content);
        (Some(number), lines::tidy(content))
    }

    /// A displayed formula, or several.
    fn equations(&mut self, element: ElementRef<'a>, out: &mut Vec<Block>, depth: usize) {
        if formulas::is_drawn(element) && formulas::has_source_beside(element) {
            return;
        }
        let found = formulas::formulas(element);
        let words = formulas::words_beside(element);
        let number = formulas::label_of(element).or_else(|| formulas::number(&words));
        let anchor = self.anchor_of(element);
        if !found.is_empty() {
            let is_all = formulas::number(&words).is_some() || words.len() < 40 || found.len() > 1;
            if !is_all && !formulas::is_certain(element) {
                // Words with formulas in a box that is only called one.
                return self.flow(element, out, depth);
            }
            return self.numbered_formulas(found, number, anchor, element, out);
        }
        let images: Vec<_> = formulas::images(element).into_iter().filter_map(super::figures::location).collect();
        if images.is_empty() {
            if words.is_empty() {
                return;
            }
            if formulas::is_drawn(element) {
                self.document
                    .trouble(TroubleKind::NotUnderstood, "a formula was drawn by a script and its source is gone");
                let notation = Notation::Linear;
                out.push(Block::Equation(Equation { text: words, notation, number: None, anchor }));
                return;
            }
            // A formula in HTML's own means, with its raised and lowered signs.
            self.anchor = anchor;
            return self.flow(element, out, depth);
        }
        self.document.trouble(TroubleKind::Missing, "a displayed formula is an image without its TeX");
        let images = images.into_iter().map(|location| Image { location, ..Image::default() }).collect();
        let caption = number.map(|number| vec![Inline::text(format!("({number})"))]).unwrap_or_default();
        out.push(Block::Figure(Figure { images, caption, anchor, ..Figure::default() }));
    }

    fn numbered_formulas(
        &mut self,
        found: Vec<Formula>,
        number: Option<String>,
        anchor: Option<String>,
        element: ElementRef<'a>,
        out: &mut Vec<Block>,
    ) {
        let image_number = find(element, &|inner| {
            name(inner) == "img" && attr(inner, "alt").is_some_and(|alt| alt.starts_with("Equation"))
        });
        let number = number.or_else(|| formulas::number(attr(image_number?, "alt")?));
        let last = found.len() - 1;
        let mut anchor = anchor;
        for (at, formula) in found.into_iter().enumerate() {
            let formula = self.checked(formula);
            let number = formula.number.or_else(|| number.clone().filter(|_| at == last));
            let text = formula.tex;
            out.push(Block::Equation(Equation { text, notation: Notation::Tex, number, anchor: anchor.take() }));
        }
    }

    fn list(&mut self, list: ElementRef<'a>, out: &mut Vec<Block>, depth: usize) {
        let start = (name(list) == "ol").then(|| attr(list, "start").and_then(|start| start.parse().ok()).unwrap_or(1));
        let mut items: Vec<Vec<Block>> = Vec::new();
        let mut term: Vec<Inline> = Vec::new();
        self.anchored(list);
        for node in list.children() {
            let Some(child) = ElementRef::wrap(node) else {
                if matches!(node.value(), Node::Text(text) if !text.trim().is_empty()) {
                    let mut content = Vec::new();
                    self.inline(node, &mut content, depth);
                    items.push(vec![Block::Paragraph(lines::tidy(content))]);
                }
                continue;
            };
            if self.left_out.contains(&key(child)) || outline::is_chrome(child) {
                continue;
            }
            if name(child) == "dt" {
                term = self.inlines_of(child, depth);
                continue;
            }
            let mut blocks = Vec::new();
            self.anchored(child);
            self.flow(child, &mut blocks, depth + 1);
            if !term.is_empty() {
                let term = Inline::Strong(std::mem::take(&mut term));
                match blocks.first_mut() {
                    Some(Block::Paragraph(content)) => {
                        content.splice(0..0, [term, Inline::text(" ")]);
                    }
                    Some(_) | None => blocks.insert(0, Block::Paragraph(vec![term])),
                }
            }
            if !blocks.is_empty() {
                items.push(blocks);
            }
        }
        if !term.is_empty() {
            items.push(vec![Block::Paragraph(vec![Inline::Strong(term)])]);
        }
        if !items.is_empty() {
            out.push(Block::List(List { start, items }));
        }
    }

    fn statement(&mut self, element: ElementRef<'a>, out: &mut Vec<Block>, depth: usize) {
        let is_title = |child: &ElementRef<'a>| {
            matches!(outline::kind(*child), Kind::Heading(_))
                || super::tree::any_class(*child, &["title", "label", "statement-title", "theorem-title"])
        };
        let anchor = self.anchor_of(element);
        let title = children(element).find(is_title);
        let words = title.map(|title| self.inlines_of(title, depth)).unwrap_or_default();
        if let Some(title) = title {
            self.left_out.insert(key(title));
        }
        let mut content = Vec::new();
        self.flow(element, &mut content, depth);
        if !content.is_empty() || !words.is_empty() {
            out.push(Block::Statement(Statement { title: words, content, anchor }));
        }
    }
}

/// The empty anchor right before a heading.
fn anchor_before(heading: ElementRef<'_>) -> Option<String> {
    let before = heading.prev_siblings().filter_map(ElementRef::wrap).next()?;
    let is_empty = name(before) == "a" && text_until(before, 4, &|_| false).is_empty();
    is_empty.then(|| before.value().id().or(attr(before, "name"))).flatten().map(str::to_owned)
}

/// The anchor of the section that a heading opens.
fn section_anchor(heading: ElementRef<'_>) -> Option<String> {
    let mut at = heading;
    for _ in 0..3 {
        let above = super::tree::parent(at)?;
        if children(above).find(|child| !text_until(*child, 8, &|_| false).is_empty()).map(key) != Some(key(at)) {
            return None;
        }
        if matches!(name(above), "section" | "div" | "article")
            && !class(above, "content")
            && let Some(id) = above.value().id()
        {
            return Some(id.to_owned());
        }
        at = above;
    }
    None
}

/// The number at the beginning of a heading, and how many characters it takes with the blank after it.
pub(super) fn number(words: &str) -> Option<(String, usize)> {
    let start = words.trim_start();
    let skipped = words.chars().count() - start.chars().count();
    let lower = start.to_ascii_lowercase();
    let (after, prefix) = ["appendix ", "section ", "§ ", "§"]
        .iter()
        .find_map(|word| {
            lower.starts_with(word).then(|| (start.get(word.len()..).unwrap_or_default(), word.chars().count()))
        })
        .unwrap_or((start, 0));
    let token = after.split(char::is_whitespace).next()?;
    let bare = token.trim_end_matches(['.', ':', ')']);
    let rest = after.get(token.len()..)?;
    let blanks = rest.chars().take_while(|c| c.is_whitespace()).count();
    let next = rest.chars().nth(blanks);
    let has_stop = bare.len() < token.len();
    let parts: Vec<&str> = bare.split('.').collect();
    let is_arabic = |part: &&str| !part.is_empty() && part.len() <= 2 && part.chars().all(|c| c.is_ascii_digit());
    let is_letter = |part: &&str| part.len() == 1 && part.chars().all(|c| c.is_ascii_uppercase());
    let is_roman =
        |part: &&str| !part.is_empty() && part.len() <= 5 && part.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
    let first = parts.first()?;
    let fits = parts.len() <= 6
        && (is_arabic(first) || is_letter(first) || is_roman(first))
        && parts.iter().skip(1).all(|part| is_arabic(part) || is_letter(part) || part.len() == 1);
    // `10 years of data` has no number; `A planet` has none either.
    let is_plain = parts.len() == 1 && !has_stop && prefix == 0;
    let sure = !is_plain || (is_arabic(first) && next.is_some_and(char::is_uppercase));
    let follows = next.is_some() && blanks > 0 || prefix > 0 && next.is_none();
    (fits && sure && follows).then(|| (bare.to_owned(), skipped + prefix + token.chars().count() + blanks))
}
