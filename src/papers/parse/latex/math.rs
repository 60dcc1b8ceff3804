//! Formulas: TeX between its delimiters, with the paper's macros expanded.

use super::Reader;
use super::commands::{self, Command};
use super::flow::Flow;
use super::lines::{ion_stage, scientific};
use super::token::{Lexer, Name, Token};
use crate::papers::parse::document::{Block, Equation, Inline, TroubleKind};

/// What ends a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// `$`
    Dollar,
    /// `$$`
    Dollars,
    /// `\)`
    Parenthesis,
    /// `\]`
    Bracket,
    /// `\end{name}`
    Environment(Name),
    /// The end of an argument.
    Argument,
}

/// A line of a formula.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// Its labels.
    pub labels: Vec<String>,
    /// Its tag.
    pub tag: Option<String>,
    /// Whether it has no number.
    pub bare: bool,
    /// Words between the line before and this one.
    pub before: Option<Vec<Token>>,
}

impl Line {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.tokens.iter().all(|token| matches!(token, Token::Space | Token::Tie))
    }
}

/// Commands whose argument is text inside a formula.
const TEXTS: [&str; 16] = [
    "mbox",
    "text",
    "textrm",
    "textnormal",
    "textit",
    "textbf",
    "textsf",
    "texttt",
    "hbox",
    "textsc",
    "textup",
    "emph",
    "fbox",
    "textmd",
    "makebox",
    "texttt",
];

/// What is known while the tokens of a formula are gathered.
#[derive(Default)]
struct Gather {
    lines: Vec<Line>,
    line: Line,
    braces: usize,
    inner: Vec<Name>,
    /// The braces of text inside the formula, by their depth.
    texts: Vec<usize>,
    text_next: bool,
    /// Whether mathematics stands inside of text inside of a formula.
    nested: bool,
    by_lines: bool,
    /// Where a number begins that plain TeX writes behind the formula.
    number: Option<usize>,
}

impl Gather {
    fn push(&mut self, token: Token) {
        self.line.tokens.push(token);
    }

    fn in_text(&self) -> bool {
        !self.texts.is_empty() && !self.nested
    }

    fn end_line(&mut self) {
        let open = std::mem::take(&mut self.braces);
        self.line.tokens.extend(std::iter::repeat_n(Token::Close, open));
        self.lines.push(std::mem::take(&mut self.line));
    }
}

impl Reader {
    pub(super) fn dollar(&mut self, flow: &mut Flow) {
        if self.gullet.takes(Token::Dollar) {
            self.display(flow, End::Dollars);
        } else {
            self.inline_formula(flow, End::Dollar);
        }
    }

    pub(super) fn inline_math(&mut self, flow: &mut Flow) {
        self.inline_formula(flow, End::Parenthesis);
    }

    pub(super) fn display_math(&mut self, flow: &mut Flow) {
        self.display(flow, End::Bracket);
    }

    pub(super) fn ensure_math(&mut self, flow: &mut Flow) {
        let inner = self.gullet.argument();
        let floor = self.gullet.enter(inner);
        self.inline_formula(flow, End::Argument);
        self.gullet.leave(floor);
    }

    pub(super) fn inline_formula(&mut self, flow: &mut Flow, end: End) {
        for line in self.formula(end, false) {
            let tex = self.tex(&line.tokens);
            if !tex.is_empty() {
                flow.push(Inline::Math(tex));
            }
            line.labels.into_iter().for_each(|key| self.place_label(flow, key));
        }
    }

    /// A formula on its own line, without a number unless it has a tag.
    pub(super) fn display(&mut self, flow: &mut Flow, end: End) {
        for line in self.formula(end, false) {
            let text = self.tex(&line.tokens);
            let anchor = self.equation_target(line.tag.as_deref(), line.labels);
            if !text.is_empty() {
                flow.block(Block::Equation(Equation { text, number: line.tag, anchor, ..Equation::default() }));
            }
        }
    }

    /// Tokens of a formula as TeX without blanks around it.
    pub(super) fn tex(&self, tokens: &[Token]) -> String {
        let blank = |token: &Token| match token {
            Token::Space | Token::Tie | Token::Par => true,
            Token::Control(name) => &*self.gullet.pool.text(*name) == " ",
            Token::Begin(_)
            | Token::End(_)
            | Token::Char(_)
            | Token::Open
            | Token::Close
            | Token::Dollar
            | Token::Ampersand
            | Token::Up
            | Token::Down
            | Token::Argument(_)
            | Token::Nested(_)
            | Token::Verbatim(_) => false,
        };
        let start = tokens.iter().take_while(|token| blank(token)).count();
        let end = tokens.len() - tokens.iter().skip(start).rev().take_while(|token| blank(token)).count();
        let text = self.gullet.pool.source(tokens.get(start..end).unwrap_or_default());
        let text = text.trim();
        let text =
            text.strip_prefix("\\displaystyle").filter(|rest| !rest.starts_with(char::is_alphabetic)).unwrap_or(text);
        super::flow::one_blank(text.trim_start())
    }

    /// The lines of a formula up to its end.
    pub(super) fn formula(&mut self, end: End, by_lines: bool) -> Vec<Line> {
        let mut gather = Gather { by_lines, ..Gather::default() };
        let math = std::mem::replace(&mut self.gullet.math, true);
        let mut closed = end == End::Argument;
        while let Some(token) = self.gullet.next() {
            let text_next = std::mem::take(&mut gather.text_next);
            match token {
                Token::Dollar if !gather.texts.is_empty() => {
                    let mark = self.gullet.pool.name(if gather.nested { ")" } else { "(" });
                    gather.nested = !gather.nested;
                    self.gullet.math = gather.nested;
                    gather.push(Token::Control(mark));
                }
                Token::Dollar => {
                    if end == End::Dollar || (end == End::Dollars && self.gullet.takes(Token::Dollar)) {
                        closed = true;
                        break;
                    }
                    self.trouble(TroubleKind::SourceError, "a dollar sign inside a formula");
                }
                Token::Par if end == End::Dollar || end == End::Parenthesis => {
                    self.gullet.back(token);
                    break;
                }
                Token::Par => gather.push(Token::Space),
                Token::Open => {
                    if text_next {
                        gather.texts.push(gather.braces);
                        self.gullet.math = false;
                        gather.nested = false;
                    }
                    gather.braces += 1;
                    gather.push(token);
                }
                Token::Close if gather.braces == 0 => {
                    if end == End::Dollar || end == End::Parenthesis {
                        self.gullet.back(token);
                        break;
                    }
                    self.trouble(TroubleKind::SourceError, "a brace that closes nothing in a formula");
                }
                Token::Close => {
                    gather.braces -= 1;
                    gather.push(token);
                    if gather.texts.last() == Some(&gather.braces) {
                        gather.texts.pop();
                        gather.nested = false;
                        self.gullet.math = gather.texts.is_empty();
                    }
                }
                Token::Begin(name) => {
                    gather.inner.push(name);
                    gather.push(token);
                }
                Token::End(name) => {
                    if gather.inner.last() == Some(&name) {
                        gather.inner.pop();
                        gather.push(token);
                    } else if end == End::Environment(name) {
                        closed = true;
                        break;
                    } else if self.open.contains(&name) {
                        self.gullet.back(token);
                        break;
                    } else {
                        self.trouble(
                            TroubleKind::SourceError,
                            "an environment inside a formula ends and did not begin",
                        );
                    }
                }
                Token::Control(name) => {
                    if self.formula_command(&mut gather, name, end) {
                        closed = true;
                        break;
                    }
                    if text_next && !gather.text_next {
                        // `\mbox\foo`: whatever it is, it is only one thing.
                        gather.text_next = false;
                    }
                }
                Token::Space => {
                    gather.text_next = text_next;
                    gather.push(token);
                }
                Token::Char(_)
                | Token::Ampersand
                | Token::Up
                | Token::Down
                | Token::Tie
                | Token::Argument(_)
                | Token::Nested(_)
                | Token::Verbatim(_) => gather.push(token),
            }
        }
        self.gullet.math = math;
        if !closed {
            self.trouble(TroubleKind::SourceError, "a formula that does not end");
        }
        while let Some(name) = gather.inner.pop() {
            gather.push(Token::End(name));
        }
        if let Some(at) = gather.number.filter(|at| *at <= gather.line.tokens.len()) {
            let number = gather.line.tokens.split_off(at);
            let number = self.words(number);
            gather.line.tag = Some(number.trim_matches(['(', ')']).to_owned()).filter(|number| !number.is_empty());
        }
        gather.end_line();
        gather.lines
    }

    /// A command inside a formula; answers whether it ends it.
    fn formula_command(&mut self, gather: &mut Gather, name: Name, end: End) -> bool {
        let text = self.gullet.pool.text(name);
        let top = gather.braces == 0 && gather.inner.is_empty();
        match &*text {
            ")" if end == End::Parenthesis && !gather.nested => return true,
            "]" if end == End::Bracket => return true,
            "\\" if top && gather.by_lines => {
                self.gullet.star();
                self.line_space();
                gather.end_line();
            }
            "label" => {
                let key = self.gullet.argument();
                gather.line.labels.push(self.gullet.words(key));
            }
            "nonumber" | "notag" => gather.line.bare = true,
            "tag" => {
                self.gullet.star();
                let tag = self.gullet.argument();
                let tag = self.words(tag);
                gather.line.tag = Some(tag.trim_matches(['(', ')']).to_owned());
            }
            "intertext" | "shortintertext" if gather.by_lines && top => {
                gather.line.before = Some(self.gullet.argument());
            }
            "ensuremath" => {
                let inner = self.gullet.argument();
                let script = matches!(gather.line.tokens.last(), Some(Token::Up | Token::Down));
                if script || gather.in_text() {
                    let mut braced = vec![Token::Open];
                    if gather.in_text() {
                        braced = vec![Token::Dollar];
                    }
                    braced.extend(inner);
                    braced.push(if gather.in_text() { Token::Dollar } else { Token::Close });
                    self.gullet.back_all(braced);
                } else {
                    self.gullet.back_all(inner);
                }
            }
            "mathchoice" => {
                let first = self.gullet.argument();
                self.drop_arguments("mmm");
                self.gullet.back_all(first);
            }
            "xspace" | "protect" | "relax" | "noindent" | "centering" | "allowbreak" | "nolinebreak" | "leavevmode"
            | "mathsurround" => {}
            "vspace" | "color" => self.drop_arguments("*m"),
            "textcolor" => self.drop_arguments("mo"),
            "hspace" => {
                self.drop_arguments("*m");
                let tokens = self.tex_tokens("\\quad ");
                gather.line.tokens.extend(tokens);
            }
            "ion" => {
                let (element, stage) = (self.gullet.argument(), self.gullet.argument());
                let (element, stage) = (self.words(element), self.words(stage));
                let tokens = self.tex_tokens(&format!("\\mathrm{{{element}\\,{}}}", ion_stage(&stage)));
                gather.line.tokens.extend(tokens);
            }
            "num" | "SI" | "qty" | "si" | "unit" => {
                self.gullet.optional();
                let mut out = String::new();
                if !matches!(&*text, "si" | "unit") {
                    let number = self.gullet.argument();
                    out = scientific(&self.gullet.pool.source(&number));
                }
                if &*text != "num" {
                    let unit = self.gullet.argument();
                    out.push_str(if out.is_empty() { "" } else { "\\," });
                    out.push_str(&units(&self.gullet.pool.source(&unit)));
                }
                let tokens = self.tex_tokens(&out);
                gather.line.tokens.extend(tokens);
            }
            "tablefootmark" | "tablenotemark" | "tnote" | "textsuperscript" if !gather.in_text() => {
                let mark = self.gullet.argument();
                let mark = self.words(mark);
                let tokens = self.tex_tokens(&format!("^{{\\mathrm{{{mark}}}}}"));
                gather.line.tokens.extend(tokens);
            }
            "footnote" | "footnotemark" | "footnotetext" | "cite" | "citep" | "citet" | "ref" | "eqref"
                if !gather.in_text() =>
            {
                self.trouble(TroubleKind::NotUnderstood, format!("the command \\{text} inside a formula"));
                gather.push(Token::Control(name));
            }
            "textsc" => {
                let inner = self.gullet.argument();
                let inner = self.words(inner);
                let stage = inner.chars().all(|c| matches!(c, 'i' | 'v' | 'x' | ' '));
                let inner = if stage { inner.to_uppercase() } else { inner };
                let tokens = self.tex_tokens(&format!("\\text{{{inner}}}"));
                gather.line.tokens.extend(tokens);
            }
            "eqno" | "leqno" if top => gather.number = Some(gather.line.tokens.len()),
            word if TEXTS.contains(&word) => {
                gather.push(Token::Control(name));
                self.text_follows(gather);
            }
            word => match commands::lookup(word) {
                Some(Command::Sign(sign, _)) if gather.in_text() => {
                    gather.line.tokens.extend(sign.chars().map(Token::Char))
                }
                Some(Command::Sign(_, tex)) => {
                    let tokens = self.tex_tokens(tex);
                    gather.line.tokens.extend(tokens);
                }
                Some(_) | None => gather.push(Token::Control(name)),
            },
        }
        false
    }

    fn text_follows(&mut self, gather: &mut Gather) {
        self.gullet.skip_spaces();
        gather.text_next = self.gullet.peek() == Some(Token::Open);
    }

    /// The space behind `\\`, when it is one and no bracket of the formula.
    pub(super) fn line_space(&mut self) {
        if self.gullet.peek() != Some(Token::Char('[')) {
            return;
        }
        let Some(space) = self.gullet.optional() else { return };
        let text = self.gullet.pool.source(&space);
        let length = text
            .trim()
            .trim_start_matches(['-', '+', '.', ',', ' '])
            .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is_length = text.len() < 40 && (length.trim_start().starts_with('\\') || length.trim().len() <= 4);
        if !is_length {
            let mut again = vec![Token::Char('[')];
            again.extend(space);
            again.push(Token::Char(']'));
            self.gullet.back_all(again);
        }
    }

    /// TeX as tokens.
    pub(super) fn tex_tokens(&mut self, tex: &str) -> Vec<Token> {
        let mut lexer = Lexer::new(tex.into(), false);
        let mut out = Vec::new();
        while let Some(token) = lexer.next(&mut self.gullet.pool) {
            out.push(token);
        }
        out
    }
}

/// Units of siunitx as TeX: `\kilo\metre\per\second` is `\mathrm{km\,s^{-1}}`.
pub(super) fn units(source: &str) -> String {
    const NAMES: [(&str, &str); 44] = [
        ("kilo", "k"),
        ("mega", "M"),
        ("giga", "G"),
        ("tera", "T"),
        ("milli", "m"),
        ("micro", "\\mu "),
        ("nano", "n"),
        ("pico", "p"),
        ("centi", "c"),
        ("deci", "d"),
        ("hecto", "h"),
        ("peta", "P"),
        ("exa", "E"),
        ("femto", "f"),
        ("metre", "m"),
        ("meter", "m"),
        ("second", "s"),
        ("gram", "g"),
        ("kilogram", "kg"),
        ("kelvin", "K"),
        ("ampere", "A"),
        ("mole", "mol"),
        ("hertz", "Hz"),
        ("newton", "N"),
        ("pascal", "Pa"),
        ("joule", "J"),
        ("watt", "W"),
        ("volt", "V"),
        ("tesla", "T"),
        ("electronvolt", "eV"),
        ("eV", "eV"),
        ("parsec", "pc"),
        ("lightyear", "ly"),
        ("astronomicalunit", "au"),
        ("angstrom", "\\mathring{A}"),
        ("degree", "^{\\circ}"),
        ("arcminute", "^{\\prime}"),
        ("arcsecond", "^{\\prime\\prime}"),
        ("percent", "\\%"),
        ("minute", "min"),
        ("hour", "h"),
        ("day", "d"),
        ("radian", "rad"),
        ("steradian", "sr"),
    ];
    const PREFIXES: usize = 14;
    const SHORT: &str = " km m cm mm um nm s ms kg g mg K Hz kHz MHz GHz J erg pc kpc Mpc au AU yr Myr Gyr mJy Jy eV keV MeV GeV TeV W N \
        V h d mas uas mol A T G Pa bar dex mag sr rad ";
    let (mut out, mut per, mut joined) = (String::new(), false, true);
    let mut rest = source.trim();
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or("");
        if c != '\\' {
            rest = after;
            match c {
                '.' | '~' => out.push_str("\\,"),
                ' ' => {}
                other => out.push(other),
            }
            continue;
        }
        let length =
            after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len()).max(usize::from(!after.is_empty()));
        let length = (length..=after.len()).find(|at| after.is_char_boundary(*at)).unwrap_or(after.len());
        let (name, left) = after.split_at_checked(length).unwrap_or((after, ""));
        rest = left;
        match name {
            "per" => per = true,
            "squared" => out.push_str("^{2}"),
            "cubed" => out.push_str("^{3}"),
            "of" | "tothe" | "raiseto" | "square" | "cubic" => {}
            name => {
                if !joined {
                    out.push_str("\\,");
                }
                match NAMES.iter().position(|(known, _)| *known == name) {
                    Some(at) => {
                        out.push_str(NAMES.get(at).map_or("", |(_, sign)| sign));
                        joined = at < PREFIXES;
                    }
                    None if SHORT.contains(&format!(" {name} ")) => {
                        out.push_str(name);
                        joined = false;
                    }
                    None => {
                        out.extend(["\\", name, " "]);
                        joined = false;
                    }
                }
                if per && !joined {
                    let power =
                        [("\\squared", "2"), ("\\cubed", "3")].into_iter().find(|(word, _)| rest.starts_with(word));
                    out.push_str(&format!("^{{-{}}}", power.map_or("1", |(_, digit)| digit)));
                    rest = power.and_then(|(word, _)| rest.strip_prefix(word)).unwrap_or(rest);
                    per = false;
                }
            }
        }
    }
    format!("\\mathrm{{{out}}}")
}
