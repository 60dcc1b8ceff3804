//! Presentation MathML as TeX (<https://www.w3.org/TR/mathml3/chapter3.html>).
//!
//! Only for pages that have no TeX: the result says the same, it is not what the authors typed.

use super::DEEPEST;
use super::tokens::{escaped, identifier, operator, push, space, styled, text};
use super::tree::{attr, children, name, one_blank, text_of};
use scraper::ElementRef;

/// What became of a formula.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Converted {
    /// The TeX.
    pub(super) tex: String,
    /// The number of a labelled row.
    pub(super) number: Option<String>,
    /// An element that is no presentation MathML; what is in it was kept.
    pub(super) unknown: Option<String>,
}

/// Converts a `math` element.
pub(super) fn convert(math: ElementRef<'_>) -> Converted {
    let mut converter = Converter::default();
    let tex = converter.row(math, 0);
    Converted { tex: one_blank(&tex), number: converter.number, unknown: converter.unknown }
}

#[derive(Default)]
struct Converter {
    number: Option<String>,
    unknown: Option<String>,
}

/// A piece of a row.
struct Piece {
    tex: String,
    /// The fence, where the piece is one: the character, and whether it may grow.
    fence: Option<(char, bool)>,
    is_table: bool,
}

impl Converter {
    /// What stands side by side in an element.
    fn row(&mut self, element: ElementRef<'_>, depth: usize) -> String {
        let mut pieces = Vec::new();
        for child in children(element) {
            let tex = self.node(child, depth + 1);
            let is_table = tex.starts_with(r"\begin{matrix}");
            pieces.push(Piece { tex, fence: fence(child), is_table });
        }
        grow(&mut pieces);
        let mut out = String::new();
        for piece in &pieces {
            push(&mut out, &piece.tex);
        }
        if out.is_empty() && children(element).next().is_none() {
            // Characters without an element of their own.
            return escaped(&text_of(element));
        }
        out
    }

    fn node(&mut self, element: ElementRef<'_>, depth: usize) -> String {
        if depth > DEEPEST {
            return escaped(&text_of(element));
        }
        let name = name(element);
        match name {
            "mi" => identifier(&one_blank(&text_of(element)), attr(element, "mathvariant")),
            "mn" => styled(&escaped(&text_of(element)), attr(element, "mathvariant")),
            "mo" => operator(&one_blank(&text_of(element)), attr(element, "mathvariant")),
            "mtext" | "ms" => text(&element.text().collect::<String>()),
            "mspace" => space(attr(element, "width").unwrap_or_default()).to_owned(),
            "mrow" | "mstyle" | "mpadded" | "merror" | "math" | "mtd" => self.row(element, depth),
            "maction" | "semantics" => self.semantics(element, depth),
            "mphantom" => format!(r"\phantom{{{}}}", self.row(element, depth)),
            "mfrac" => self.fraction(element, depth),
            "msqrt" => format!(r"\sqrt{{{}}}", self.row(element, depth)),
            "mroot" => {
                let [base, index] = self.parts(element, depth);
                format!(r"\sqrt[{index}]{{{base}}}")
            }
            "msub" => {
                let [base, sub] = self.parts(element, depth);
                scripts(&base, &sub, "")
            }
            "msup" => {
                let [base, sup] = self.parts(element, depth);
                scripts(&base, "", &sup)
            }
            "msubsup" => {
                let [base, sub, sup] = self.parts(element, depth);
                scripts(&base, &sub, &sup)
            }
            "munder" => {
                let [base, under] = self.parts(element, depth);
                below(&base, &under)
            }
            "mover" => {
                let [base, over] = self.parts(element, depth);
                above(&base, &over)
            }
            "munderover" => {
                let [base, under, over] = self.parts(element, depth);
                if has_limits(&base) { limits(&base, &under, &over) } else { below(&above(&base, &over), &under) }
            }
            "mmultiscripts" => self.multiscripts(element, depth),
            "mfenced" => self.fenced(element, depth),
            "menclose" => self.enclosed(element, depth),
            "mtable" => self.table(element, depth),
            "mtr" | "mlabeledtr" => self.table_row(element, depth),
            "mglyph" | "img" => text(attr(element, "alt").unwrap_or_default()),
            "none" | "mprescripts" | "annotation" | "annotation-xml" | "maligngroup" | "malignmark" | "script" => {
                String::new()
            }
            _ => {
                self.unknown.get_or_insert_with(|| name.to_owned());
                self.row(element, depth)
            }
        }
    }

    /// The first child is what is shown.
    fn semantics(&mut self, element: ElementRef<'_>, depth: usize) -> String {
        children(element).next().map(|shown| self.node(shown, depth + 1)).unwrap_or_default()
    }

    /// As many children as asked for; those that are not there are empty.
    fn parts<const N: usize>(&mut self, element: ElementRef<'_>, depth: usize) -> [String; N] {
        let mut parts =
            children(element).take(N).map(|child| self.node(child, depth + 1)).collect::<Vec<_>>().into_iter();
        std::array::from_fn(|_| parts.next().unwrap_or_default())
    }

    fn fraction(&mut self, element: ElementRef<'_>, depth: usize) -> String {
        let [above, below] = self.parts(element, depth);
        let thickness = attr(element, "linethickness").unwrap_or("1");
        let bare = thickness.trim_end_matches(char::is_alphabetic).parse::<f32>().is_ok_and(|wide| wide == 0.0);
        if bare {
            format!(r"\genfrac{{}}{{}}{{0pt}}{{}}{{{above}}}{{{below}}}")
        } else if attr(element, "bevelled") == Some("true") {
            format!("{}/{}", grouped(&above), grouped(&below))
        } else {
            format!(r"\frac{{{above}}}{{{below}}}")
        }
    }

    fn multiscripts(&mut self, element: ElementRef<'_>, depth: usize) -> String {
        let (mut base, mut before, mut after) = (None, Vec::new(), Vec::new());
        let mut is_before = false;
        for child in children(element) {
            if name(child) == "mprescripts" {
                is_before = true;
                continue;
            }
            let tex = self.node(child, depth + 1);
            match (&base, is_before) {
                (None, _) => base = Some(tex),
                (Some(_), true) => before.push(tex),
                (Some(_), false) => after.push(tex),
            }
        }
        let pairs = |of: &[String], base: &str| {
            let mut out = base.to_owned();
            for (at, pair) in of.chunks(2).enumerate() {
                let (sub, sup) = (pair.first().map_or("", String::as_str), pair.get(1).map_or("", String::as_str));
                let on = if at == 0 { std::mem::take(&mut out) } else { "{}".to_owned() };
                push(&mut out, &scripts(&on, sub, sup));
            }
            out
        };
        let mut out = if before.is_empty() { String::new() } else { pairs(&before, "") };
        push(&mut out, &pairs(&after, &base.unwrap_or_default()));
        out
    }

    fn fenced(&mut self, element: ElementRef<'_>, depth: usize) -> String {
        let sign = |name: &str, default: &str| element.value().attr(name).unwrap_or(default).trim().to_owned();
        let (open, close) = (sign("open", "("), sign("close", ")"));
        let separators: Vec<char> = sign("separators", ",").chars().filter(|c| !c.is_whitespace()).collect();
        let mut inner = String::new();
        for (at, child) in children(element).enumerate() {
            if let Some(separator) = at.checked_sub(1).and_then(|at| separators.get(at).or(separators.last())) {
                push(&mut inner, &operator(&separator.to_string(), None));
            }
            push(&mut inner, &self.node(child, depth + 1));
        }
        let delimiter = |sign: &str| if sign.is_empty() { ".".to_owned() } else { operator(sign, None) };
        let mut out = String::new();
        if is_tall(&inner) || open.is_empty() != close.is_empty() {
            out.push_str(r"\left");
            push(&mut out, &delimiter(&open));
            push(&mut out, &inner);
            push(&mut out, r"\right");
            push(&mut out, &delimiter(&close));
        } else {
            push(&mut out, &operator(&open, None));
            push(&mut out, &inner);
            push(&mut out, &operator(&close, None));
        }
        out
    }

    fn enclosed(&mut self, element: ElementRef<'_>, depth: usize) -> String {
        let inner = self.row(element, depth);
        let notation = attr(element, "notation").unwrap_or("longdiv");
        let has = |wanted: &str| notation.split_ascii_whitespace().any(|one| one == wanted);
        if has("box") || has("roundedbox") {
            format!(r"\boxed{{{inner}}}")
        } else if has("radical") {
            format!(r"\sqrt{{{inner}}}")
        } else if has("top") {
            format!(r"\overline{{{inner}}}")
        } else if has("bottom") {
            format!(r"\underline{{{inner}}}")
        } else {
            self.unknown.get_or_insert_with(|| format!("menclose {notation}"));
            inner
        }
    }

    fn table(&mut self, table: ElementRef<'_>, depth: usize) -> String {
        let rows: Vec<String> = children(table).map(|row| self.node(row, depth + 1)).collect();
        let mut widest = 0;
        for row in children(table) {
            widest = widest.max(children(row).count());
        }
        if rows.len() == 1 && widest <= 1 {
            return rows.into_iter().next().unwrap_or_default();
        }
        // Columns that lean on each other are lines of one formula, not a matrix.
        let leans = attr(table, "columnalign")
            .is_some_and(|all| all.split_ascii_whitespace().take(2).eq(["right", "left"]))
            || attr(table, "displaystyle") == Some("true");
        let name = if leans { "aligned" } else { "matrix" };
        format!(r"\begin{{{name}}} {} \end{{{name}}}", rows.join(r" \\ "))
    }

    fn table_row(&mut self, row: ElementRef<'_>, depth: usize) -> String {
        let mut cells = children(row);
        if name(row) == "mlabeledtr"
            && let Some(label) = cells.next()
        {
            let label = text_of(label);
            self.number.get_or_insert_with(|| label.trim().trim_matches(['(', ')']).to_owned());
        }
        let cells: Vec<String> = cells.map(|cell| self.node(cell, depth + 1)).collect();
        cells.join(" & ")
    }
}

/// The fence that an operator is.
fn fence(element: ElementRef<'_>) -> Option<(char, bool)> {
    let mut element = element;
    for _ in 0..4 {
        // MathJax wraps each fence in rows of its own.
        match (name(element), children(element).next(), children(element).nth(1)) {
            ("mrow" | "mstyle" | "mpadded", Some(only), None) => element = only,
            _ => break,
        }
    }
    if name(element) != "mo" {
        return None;
    }
    let text = text_of(element);
    let mut chars = text.chars();
    let (c, None) = (chars.next()?, chars.next()) else { return None };
    Some((c, attr(element, "stretchy") != Some("false")))
}

/// Fences around something tall grow with it; a brace before a table is a distinction of cases.
fn grow(pieces: &mut [Piece]) {
    let mut open: Vec<(usize, bool)> = Vec::new();
    let mut pairs = Vec::new();
    let mut single = None;
    for (at, piece) in pieces.iter().enumerate() {
        match piece.fence {
            Some(('(' | '[' | '{' | '⟨' | '⌊' | '⌈', grows)) => open.push((at, grows)),
            Some((')' | ']' | '}' | '⟩' | '⌋' | '⌉', grows)) => {
                if let Some((from, other)) = open.pop()
                    && grows
                    && other
                {
                    pairs.push((from, at));
                }
            }
            Some(('|', true)) => match single.take() {
                Some(from) => pairs.push((from, at)),
                None => single = Some(at),
            },
            Some(_) | None => {}
        }
    }
    // How many tall pieces come before each: a pair is tall if the count grows inside it.
    let mut counts = vec![0_usize];
    for piece in pieces.iter() {
        counts.push(counts.last().copied().unwrap_or(0) + usize::from(is_tall(&piece.tex)));
    }
    for (from, to) in pairs {
        if binomial(pieces, from, to) {
            continue;
        }
        if counts.get(from + 1) != counts.get(to) {
            for (at, side) in [(from, r"\left"), (to, r"\right")] {
                if let Some(piece) = pieces.get_mut(at) {
                    piece.tex = format!("{side}{}", piece.tex);
                }
            }
        }
    }
    for (from, _) in open {
        let Some([brace, table]) = pieces.get_mut(from..from + 2) else { continue };
        if !matches!(brace.fence, Some(('{', _))) || !table.is_table {
            continue;
        }
        let inner = table.tex.strip_prefix(r"\begin{matrix}").and_then(|rest| rest.strip_suffix(r"\end{matrix}"));
        if let Some(inner) = inner {
            table.tex = format!(r"\begin{{cases}}{inner}\end{{cases}}");
            brace.tex.clear();
        }
    }
}

/// A bare fraction in parentheses is a binomial coefficient.
fn binomial(pieces: &mut [Piece], from: usize, to: usize) -> bool {
    const BARE: &str = r"\genfrac{}{}{0pt}{}";
    let Some([open, inner, close]) = pieces.get_mut(from..=to) else { return false };
    let is_round = matches!((open.fence, close.fence), (Some(('(', _)), Some((')', _))));
    match inner.tex.strip_prefix(BARE).filter(|_| is_round) {
        Some(parts) => {
            inner.tex = format!(r"\binom{parts}");
            open.tex.clear();
            close.tex.clear();
            true
        }
        None => false,
    }
}

fn is_tall(tex: &str) -> bool {
    [r"\frac", r"\begin", r"\sum", r"\int", r"\prod", r"\genfrac", r"\left"].iter().any(|mark| tex.contains(mark))
}

/// A piece that scripts and slashes can hold on to.
fn grouped(tex: &str) -> String {
    let rest = tex.strip_prefix('\\').unwrap_or(tex);
    let is_command = tex.starts_with('\\') && rest.chars().all(|c| c.is_ascii_alphabetic());
    if is_command || tex.chars().count() == 1 { tex.to_owned() } else { format!("{{{tex}}}") }
}

fn scripts(base: &str, sub: &str, sup: &str) -> String {
    // A number or a word with braces of its own can carry scripts as it is.
    let is_plain = base.chars().all(|c| c.is_ascii_digit())
        || (base.starts_with(r"\math") && base.ends_with('}') && base.matches('{').count() == 1);
    let mut out = match base {
        "" => "{}".to_owned(),
        base if is_plain => base.to_owned(),
        base => grouped(base),
    };
    let primes = !sup.is_empty() && sup.split(r"\prime").all(str::is_empty);
    if primes {
        out.push_str(&"'".repeat(sup.matches(r"\prime").count()));
    }
    if !sub.is_empty() {
        out.push('_');
        out.push_str(&braced(sub));
    }
    if !sup.is_empty() && !primes {
        out.push('^');
        out.push_str(&braced(sup));
    }
    out
}

/// The argument of a script.
fn braced(tex: &str) -> String {
    if tex.chars().count() == 1 { tex.to_owned() } else { format!("{{{tex}}}") }
}

fn has_limits(base: &str) -> bool {
    let name = base.strip_prefix('\\').unwrap_or_default();
    matches!(
        name,
        "sum" | "prod" | "coprod" | "lim" | "limsup" | "liminf" | "max" | "min" | "sup" | "inf" | "det" | "gcd"
    ) || (name.starts_with("big") && name.chars().all(|c| c.is_ascii_alphabetic()))
        || name.ends_with("int")
        || base.starts_with(r"\underbrace")
        || base.starts_with(r"\overbrace")
        || base.starts_with(r"\operatorname")
}

fn limits(base: &str, under: &str, over: &str) -> String {
    let base = if base.ends_with("int") { format!(r"{base}\limits") } else { base.to_owned() };
    let mut out = base;
    for (mark, script) in [('_', under), ('^', over)] {
        if !script.is_empty() {
            out.push(mark);
            out.push_str(&braced(script));
        }
    }
    out
}

fn below(base: &str, under: &str) -> String {
    match under.trim() {
        "" => base.to_owned(),
        r"\_" | "¯" | "‾" | "̲" | "-" => format!(r"\underline{{{base}}}"),
        "⏟" | "︸" => format!(r"\underbrace{{{base}}}"),
        r"\sim" => format!(r"\underset{{\sim}}{{{base}}}"),
        under if has_limits(base) => limits(base, under, ""),
        under => format!(r"\underset{{{under}}}{{{base}}}"),
    }
}

/// Whether an accent has to reach over more than one sign. Names of commands that only change a letter do not count.
fn is_wide(base: &str) -> bool {
    let mut signs = 0;
    let mut rest = base;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        if c == '\\' {
            let word = rest.chars().skip(1).take_while(char::is_ascii_alphabetic).count();
            length = 1 + word.max(rest.chars().nth(1).map_or(0, char::len_utf8));
            signs += usize::from(!rest.get(length..).is_some_and(|after| after.starts_with('{')));
        } else if !matches!(c, '{' | '}' | ' ') {
            signs += 1;
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    signs > 1
}

fn above(base: &str, over: &str) -> String {
    let wide = is_wide(base);
    let accent = match over.trim() {
        "" => return base.to_owned(),
        "¯" | "‾" | "ˉ" | "̄" | "̅" | "-" | r"\_" | "―" => {
            if wide {
                r"\overline"
            } else {
                r"\bar"
            }
        }
        "ˆ" | r"\hat{}" | "̂" => {
            if wide {
                r"\widehat"
            } else {
                r"\hat"
            }
        }
        r"\sim" | "̃" => {
            if wide {
                r"\widetilde"
            } else {
                r"\tilde"
            }
        }
        r"\to" | "⃗" | "⇀" => {
            if wide {
                r"\overrightarrow"
            } else {
                r"\vec"
            }
        }
        "˙" | "." | "̇" | r"\cdot" => r"\dot",
        "¨" | ".." | "̈" => r"\ddot",
        "˘" | "⌣" => r"\breve",
        "ˇ" => r"\check",
        "´" => r"\acute",
        "`" => r"\grave",
        r"{}^{\circ}" => r"\mathring",
        "⏞" | "︷" => r"\overbrace",
        over if has_limits(base) => return limits(base, "", over),
        over => return format!(r"\overset{{{over}}}{{{base}}}"),
    };
    format!("{accent}{{{base}}}")
}
