//! Where a page keeps the TeX of its formulas.
//!
//! The same formula is often there several times: as TeX in a script, as MathML, as what MathJax drew from it, as an image.
//! The best of them is taken, once.

use super::mathml;
use super::tree::{
    any_class, attr, below, class, classes, find_all, find_until, name, next_beside, one_blank, text_of,
};
use scraper::{ElementRef, Html};

/// Labels in one formula; each costs a look through it.
const LABELS: usize = 64;

/// A formula of the page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Formula {
    /// TeX without delimiters.
    pub(super) tex: String,
    /// The number that stands in the TeX.
    pub(super) number: Option<String>,
    /// An element of MathML that is not known.
    pub(super) unknown: Option<String>,
}

/// Classes of what holds one formula inside a line.
const INLINE: [&str; 20] = [
    "inline-eqn",
    "inline-formula",
    "inlineFormula",
    "inline-equation",
    "inlineequation",
    "InlineEquation",
    "NLM_inline-formula",
    "tex",
    "tex-math",
    "texmath",
    "tex2jax_process",
    "math",
    "math-tex",
    "mathjax-tex",
    "mathjax",
    "mathFormula",
    "MathJax_Process",
    "math-inline",
    "ieqn",
    "katex",
];

/// Classes of what holds formulas that are set off.
const DISPLAY: [&str; 25] = [
    "display",
    "display-eqn",
    "disp-formula",
    "disp_formula",
    "disp-formula-group",
    "display-formula",
    "display-equation",
    "displayequation",
    "NLM_disp-formula",
    "NLM_disp-formula-group",
    "inline-formula-display",
    "equation",
    "Equation",
    "equation-wrap",
    "eqn",
    "EquationGroup",
    "c-article-equation",
    "math-display",
    "mathjax-display",
    "MathJax_Display",
    "MathJax_SVG_Display",
    "MJXc-display",
    "katex-display",
    "html-disp-formula-info",
    "formula",
];

/// Whether an element is what MathJax drew; the formula is beside or below it.
pub(super) fn is_drawn(element: ElementRef<'_>) -> bool {
    classes(element).any(|one| {
        one == "MathJax"
            || one.starts_with("MathJax_") && one != "MathJax_Process"
            || one.starts_with("mjx-chtml")
            || one == "MJXc-display"
    }) && name(element) != "mjx-container"
}

/// Whether an element is a formula inside a line, or holds one and nothing else.
pub(super) fn is_inline(element: ElementRef<'_>) -> bool {
    match name(element) {
        "math" | "mjx-container" => true,
        "script" => is_math_script(element),
        "span" | "div" | "a" | "nobr" | "tex-math" | "inline-formula" | "em" | "i" => {
            any_class(element, &INLINE) || is_drawn(element)
        }
        _ => false,
    }
}

/// Whether an element is a formula that is set off.
pub(super) fn is_display(element: ElementRef<'_>) -> bool {
    let display = |value: Option<&str>| matches!(value, Some("block" | "true"));
    match name(element) {
        "math" => display(attr(element, "display")) || attr(element, "mode") == Some("display"),
        "mjx-container" => display(attr(element, "display")),
        "script" => is_math_script(element) && attr(element, "type").is_some_and(|kind| kind.contains("display")),
        "div" | "span" | "p" | "section" | "table" | "li" | "dl" | "figure" | "td" | "disp-formula" => {
            any_class(element, &DISPLAY)
        }
        _ => false,
    }
}

/// Whether a drawn formula has its source right beside it.
pub(super) fn has_source_beside(drawn: ElementRef<'_>) -> bool {
    let mut beside = next_beside(drawn);
    for _ in 0..2 {
        match beside {
            Some(element) if is_math_script(element) => return true,
            Some(element) if is_drawn(element) => beside = next_beside(element),
            Some(_) | None => return false,
        }
    }
    false
}

fn is_math_script(element: ElementRef<'_>) -> bool {
    name(element) == "script"
        && attr(element, "type").is_some_and(|kind| kind.starts_with("math/tex") || kind.starts_with("math/mml"))
}

/// The formulas in an element, the element included, from the best kind of source that there is.
pub(super) fn formulas(element: ElementRef<'_>) -> Vec<Formula> {
    let scripts = all(element, &is_math_script);
    let found: Vec<Formula> = scripts.into_iter().filter_map(from_script).collect();
    if !found.is_empty() {
        return found;
    }
    let given = all(element, &|inner| {
        name(inner) == "math" || attr(inner, "data-mathml").is_some() || tex_attribute(inner).is_some()
    });
    let found: Vec<Formula> = given.into_iter().filter_map(from_markup).collect();
    if !found.is_empty() {
        return found;
    }
    let annotations = all(element, &is_tex_annotation);
    let found: Vec<Formula> = annotations.into_iter().filter_map(|one| clean(&raw_text(one))).collect();
    if !found.is_empty() {
        return found;
    }
    let text = if starts_with_sign(element) { raw_text(element) } else { String::new() };
    if let Some(formula) = is_delimited(text.trim()).then(|| clean(&text)).flatten() {
        return vec![formula];
    }
    let delimited = all(element, &|inner| {
        any_class(inner, &INLINE) && starts_with_sign(inner) && is_delimited(raw_text(inner).trim())
    });
    let found: Vec<Formula> = delimited.into_iter().filter_map(|one| clean(&raw_text(one))).collect();
    if !found.is_empty() {
        return found;
    }
    let images = all(element, &|inner| image_tex(inner).is_some());
    images.into_iter().filter_map(|image| clean(&image_tex(image)?)).collect()
}

fn all<'a>(element: ElementRef<'a>, wanted: &dyn Fn(ElementRef<'a>) -> bool) -> Vec<ElementRef<'a>> {
    if wanted(element) { vec![element] } else { find_all(element, wanted) }
}

/// Whether the text of an element could be TeX between its signs: a quick look before it is gathered.
fn starts_with_sign(element: ElementRef<'_>) -> bool {
    let mut first = element.text().take(8).flat_map(|text| text.chars().take(64));
    matches!(first.find(|c| !c.is_whitespace()), Some('$' | '\\'))
}

fn raw_text(element: ElementRef<'_>) -> String {
    element.text().collect()
}

fn from_script(script: ElementRef<'_>) -> Option<Formula> {
    let text = raw_text(script);
    if attr(script, "type").is_some_and(|kind| kind.starts_with("math/mml")) {
        return from_mathml_text(&text);
    }
    // Some pages escape what a script must not have escaped.
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    clean(text.trim().trim_start_matches("<![CDATA[").trim_start_matches("% <![CDATA[").trim_end_matches("]]>"))
}

fn tex_attribute(element: ElementRef<'_>) -> Option<&str> {
    let known = ["data-tex", "data-latex", "data-math", "data-original-mathml-tex"];
    known.into_iter().find_map(|name| attr(element, name))
}

fn from_markup(element: ElementRef<'_>) -> Option<Formula> {
    if let Some(tex) = tex_attribute(element) {
        return clean(tex);
    }
    match attr(element, "data-mathml") {
        Some(text) if name(element) != "math" => from_mathml_text(text),
        Some(_) | None => from_mathml(element),
    }
}

fn from_mathml_text(text: &str) -> Option<Formula> {
    let html = Html::parse_fragment(&text.replace("<mml:", "<").replace("</mml:", "</"));
    let math = below(html.root_element()).find(|element| name(*element) == "math")?;
    from_mathml(math)
}

fn is_tex_annotation(element: ElementRef<'_>) -> bool {
    name(element) == "annotation"
        && attr(element, "encoding").is_some_and(|kind| {
            matches!(kind.to_ascii_lowercase().as_str(), "application/x-tex" | "application/x-latex" | "tex" | "latex")
        })
}

/// The TeX of a `math` element: as given beside it, or converted.
fn from_mathml(math: ElementRef<'_>) -> Option<Formula> {
    let annotation = || below(math).find(|inner| is_tex_annotation(*inner)).map(raw_text);
    let given = attr(math, "alttext").filter(|text| looks_like_tex(text)).map(str::to_owned).or_else(annotation);
    if let Some(formula) = given.and_then(|tex| clean(&tex)) {
        return Some(formula);
    }
    let converted = mathml::convert(math);
    let tex = without_display_style(&converted.tex).to_owned();
    (!tex.is_empty()).then_some(Formula { tex, number: converted.number, unknown: converted.unknown })
}

/// Some pages put words for the blind where others put TeX.
fn looks_like_tex(text: &str) -> bool {
    text.contains(['\\', '^', '_', '=', '<', '>', '+', '/', '{']) || !text.trim().contains(char::is_whitespace)
}

/// The TeX in an image's text: `$\alpha$`, or anything with a command where the image is known to be a formula.
pub(super) fn image_tex(image: ElementRef<'_>) -> Option<String> {
    if name(image) != "img" {
        return None;
    }
    let alt = attr(image, "alt")?;
    let is_tex = is_delimited(alt) || alt.contains('\\') && alt.contains(char::is_alphabetic);
    is_tex.then(|| alt.to_owned())
}

/// Whether an image is a formula by its name or its place.
pub(super) fn is_formula_image(image: ElementRef<'_>) -> bool {
    if name(image) != "img" {
        return false;
    }
    if image_tex(image).is_some() || any_class(image, &["tex", "math", "equation", "inline-graphic", "inline-equation"])
    {
        return true;
    }
    let Some(source) = attr(image, "src").or_else(|| attr(image, "data-src")) else { return false };
    let file = source.rsplit('/').next().unwrap_or(source).split(['?', '#']).next().unwrap_or_default();
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_ascii_lowercase();
    let digits = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
    };
    digits("img")
        || digits("eq")
        || digits("math")
        || stem.contains("-eq")
        || stem.contains("_ieqn")
        || stem.contains("ieq")
}

/// Whether text is TeX between its signs.
pub(super) fn is_delimited(text: &str) -> bool {
    let pairs = [("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"), (r"\begin{", "}"), (r"\documentclass", "}")];
    text.len() > 2 && pairs.iter().any(|(open, close)| text.starts_with(open) && text.ends_with(close))
}

/// TeX as it is written between our own signs.
pub(super) fn clean(raw: &str) -> Option<Formula> {
    let mut text = without_comments(raw);
    if let Some((_, rest)) = text.split_once(r"\begin{document}") {
        text = rest.split(r"\end{document}").next().unwrap_or_default().to_owned();
    }
    let mut number = None;
    for command in [r"\tag*{", r"\tag{", r"\eqno{"] {
        if let Some((at, inner)) = argument(&text, command) {
            number = number.or_else(|| Some(inner.trim().trim_matches(['(', ')', '$']).to_owned()));
            text.replace_range(at, " ");
        }
    }
    for _ in 0..LABELS {
        let Some((at, _)) = argument(&text, r"\label{") else { break };
        text.replace_range(at, " ");
    }
    let text = text.replace(r"\nonumber", " ").replace(r"\notag", " ");
    let mut text = text.trim();
    // Signs inside signs happen; environments inside environments too.
    for _ in 0..6 {
        let pairs = [
            ("$$", "$$"),
            ("$", "$"),
            (r"\(", r"\)"),
            (r"\[", r"\]"),
            (r"\begin{equation}", r"\end{equation}"),
            (r"\begin{equation*}", r"\end{equation*}"),
            (r"\begin{displaymath}", r"\end{displaymath}"),
            (r"\begin{math}", r"\end{math}"),
        ];
        let inner = pairs.iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
        let Some(inner) = inner.or_else(|| outer_of_two(text)) else { break };
        text = inner.trim();
    }
    let tex = one_blank(&lines(without_display_style(text)));
    let number = number.filter(|number| !number.is_empty());
    (!tex.is_empty()).then_some(Formula { tex, number, unknown: None })
}

/// `align` around nothing but `eqnarray` and their like: the inner one is what the authors wrote.
fn outer_of_two(text: &str) -> Option<&str> {
    let inner = environment(text)?.1.trim();
    environment(inner).map(|_| inner)
}

const LINES: [(&str, &str); 10] = [
    ("align", "aligned"),
    ("align*", "aligned"),
    ("eqnarray", "aligned"),
    ("eqnarray*", "aligned"),
    ("gather", "gathered"),
    ("gather*", "gathered"),
    ("multline", "gathered"),
    ("multline*", "gathered"),
    ("flalign", "aligned"),
    ("flalign*", "aligned"),
];

/// The environment of lines that a text is, and what is in it.
fn environment(text: &str) -> Option<(&'static str, &str)> {
    LINES.iter().find_map(|(name, ours)| {
        let rest = text.strip_prefix(r"\begin{")?.strip_prefix(name)?.strip_prefix('}')?;
        let inner = rest.strip_suffix('}')?.strip_suffix(name)?.strip_suffix(r"\end{")?;
        (!inner.contains(&format!(r"\end{{{name}}}"))).then_some((*ours, inner))
    })
}

/// Environments that stand for themselves become those that stand inside a formula; a single line needs none.
fn lines(text: &str) -> String {
    let Some((name, inner)) = environment(text) else { return text.to_owned() };
    let inner = inner.trim().trim_end_matches(r"\\").trim();
    if inner.contains(r"\\") || inner.contains(r"\begin") {
        return format!(r"\begin{{{name}}} {inner} \end{{{name}}}");
    }
    let mut out = String::with_capacity(inner.len());
    let mut escaped = false;
    for c in inner.chars() {
        match c {
            '&' if !escaped => out.push(' '),
            c => out.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    out
}

/// Where a command with its argument stands, and the argument.
fn argument<'t>(text: &'t str, command: &str) -> Option<(std::ops::Range<usize>, &'t str)> {
    let from = text.find(command)?;
    let start = from + command.len();
    let mut open = 1_usize;
    for (at, c) in text.get(start..)?.char_indices() {
        match c {
            '{' => open += 1,
            '}' if open == 1 => return Some((from..start + at + 1, text.get(start..start + at)?)),
            '}' => open -= 1,
            _ => {}
        }
    }
    None
}

/// A comment would swallow the rest once everything stands on one line.
fn without_comments(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for line in raw.lines() {
        let mut escaped = false;
        let end = line.char_indices().find_map(|(at, c)| {
            let is_comment = c == '%' && !escaped;
            escaped = c == '\\' && !escaped;
            is_comment.then_some(at)
        });
        match end {
            Some(end) => out.push_str(line.get(..end).unwrap_or(line)),
            None => {
                out.push_str(line);
                out.push(' ');
            }
        }
    }
    out
}

fn without_display_style(text: &str) -> &str {
    match text.strip_prefix(r"\displaystyle") {
        Some(rest) if !rest.starts_with(char::is_alphabetic) => rest.trim_start(),
        Some(_) | None => text,
    }
}

/// The words of an element that are not its formulas: where its number stands.
pub(super) fn words_beside(element: ElementRef<'_>) -> String {
    let is_formula = |inner: ElementRef<'_>| {
        name(inner) == "math"
            || name(inner) == "mjx-container"
            || is_math_script(inner)
            || is_drawn(inner)
            || class(inner, "katex")
            || any_class(inner, &INLINE)
    };
    super::tree::text_until(element, 2_000, &is_formula)
}

/// The images in an element that could be formulas.
pub(super) fn images(element: ElementRef<'_>) -> Vec<ElementRef<'_>> {
    find_until(element, &|inner| name(inner) == "img", &|_| false)
}

/// The number of an equation as printed: what is in parentheses, and nothing else.
pub(super) fn number(words: &str) -> Option<String> {
    let words = words.trim().trim_matches(['.', ',']).trim();
    let words = words.strip_prefix("Equation").or(words.strip_prefix("Eq.")).unwrap_or(words).trim();
    let inner = words.strip_prefix(['(', '[']).and_then(|rest| rest.strip_suffix([')', ']'])).unwrap_or(words).trim();
    let fits = inner.len() <= 12
        && inner.chars().any(|c| c.is_ascii_digit())
        && !inner.contains(char::is_whitespace)
        && inner.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '–' | '\'' | '′' | '*'));
    fits.then(|| inner.to_owned())
}

/// The words of an element without its label.
pub(super) fn label_of(element: ElementRef<'_>) -> Option<String> {
    let marks = ["label", "eqn-number", "equation-number", "c-article-equation__number", "eq-number", "eqnum"];
    let label = below(element).find(|inner| any_class(*inner, &marks) || name(*inner) == "label")?;
    number(&text_of(label))
}

/// Whether an element can be nothing but a formula.
pub(super) fn is_certain(element: ElementRef<'_>) -> bool {
    matches!(name(element), "math" | "script" | "mjx-container") || is_drawn(element) || class(element, "display-eqn")
}
