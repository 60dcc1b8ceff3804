//! Small commands inside a line: breaks, addresses, raised text, marks of a revision.

use super::flow::{Flow, one_blank};
use super::token::Token;
use super::{Class, Reader};
use crate::papers::parse::document::{Block, Inline, TroubleKind, plain};

/// Packages and classes of publishers and of TeX itself, which an archive may bring along; what they define is known here.
const KNOWN_PACKAGES: [&str; 40] = [
    "aastex",
    "emulateapj",
    "mnras",
    "mn2e",
    "aa",
    "revtex",
    "natbib",
    "apj",
    "deluxetable",
    "graphicx",
    "amsmath",
    "amssymb",
    "hyperref",
    "subfigure",
    "subfig",
    "caption",
    "epsf",
    "epsfig",
    "psfig",
    "lineno",
    "txfonts",
    "newtx",
    "longtable",
    "lscape",
    "rotating",
    "multirow",
    "threeparttable",
    "url",
    "xcolor",
    "color",
    "float",
    "booktabs",
    "siunitx",
    "titlesec",
    "fancyhdr",
    "neurips",
    "iclr",
    "icml",
    "jcappub",
    "orcidlink",
];

impl Reader {
    pub(super) fn nothing(&mut self, _: &mut Flow) {}

    pub(super) fn nothing_of_one(&mut self, _: &mut Flow) {
        self.drop_arguments("*om");
    }

    pub(super) fn nothing_of_three(&mut self, _: &mut Flow) {
        self.drop_arguments("mmm");
    }

    /// What follows is read as it comes.
    pub(super) fn pass(&mut self, _: &mut Flow) {
        self.gullet.optional();
    }

    pub(super) fn pass_with_option(&mut self, _: &mut Flow) {
        self.gullet.optional();
    }

    /// The first of two arguments counts.
    pub(super) fn first(&mut self, flow: &mut Flow) {
        let (first, _) = (self.gullet.argument(), self.gullet.argument());
        self.inlines(first).into_iter().for_each(|inline| flow.push(inline));
    }

    /// The second of two arguments counts, which is read as it comes.
    pub(super) fn second(&mut self, _: &mut Flow) {
        self.gullet.argument();
        self.gullet.skip_spaces();
    }

    pub(super) fn deleted(&mut self, _: &mut Flow) {
        // What the authors struck out is not printed.
        self.drop_arguments("om");
    }

    pub(super) fn replaced(&mut self, _: &mut Flow) {
        self.drop_arguments("om");
    }

    pub(super) fn anchored(&mut self, flow: &mut Flow) {
        self.href(flow);
    }

    pub(super) fn end_paragraph(&mut self, flow: &mut Flow) {
        if flow.inline { flow.text(" ") } else { flow.flush() }
    }

    pub(super) fn break_line(&mut self, flow: &mut Flow) {
        self.gullet.star();
        if self.gullet.peek() == Some(Token::Char('[')) {
            self.gullet.optional();
        }
        if !flow.at_start() || flow.inline {
            flow.push(Inline::Break);
        }
    }

    pub(super) fn open_group(&mut self, flow: &mut Flow) {
        flow.open(None);
    }

    pub(super) fn close_group(&mut self, flow: &mut Flow) {
        flow.close();
    }

    /// The blank that LaTeX would not have eaten.
    pub(super) fn xspace(&mut self, flow: &mut Flow) {
        let letter = match self.gullet.peek() {
            Some(Token::Char(c)) => !".,:;?/'!)-]".contains(c),
            Some(Token::Control(name)) => !matches!(&*self.gullet.pool.text(name), " " | "/" | "xspace" | "," | "\\"),
            Some(Token::Dollar) => true,
            Some(_) | None => false,
        };
        if letter {
            flow.text(" ");
        }
    }

    /// An address without the escapes that TeX wants.
    pub(super) fn address(&mut self, tokens: Vec<Token>) -> String {
        let floor = self.gullet.enter(tokens);
        let mut out = String::new();
        while let Some(token) = self.gullet.next() {
            if let Token::Control(name) = token {
                let name = self.gullet.pool.text(name);
                if name.chars().count() == 1 {
                    out.push_str(&name);
                } else if let Some(super::commands::Command::Word(word)) = super::commands::lookup(&name) {
                    out.push_str(word);
                }
            } else if !matches!(token, Token::Space | Token::Open | Token::Close | Token::Par) {
                out.push_str(&self.gullet.pool.source(&[token]));
            }
        }
        self.gullet.leave(floor);
        out.trim().to_owned()
    }

    pub(super) fn url(&mut self, flow: &mut Flow) {
        let target = self.gullet.argument();
        let target = self.address(target);
        let content = vec![Inline::text(target.clone())];
        flow.push(if target.contains(':') { Inline::Link { target, content } } else { Inline::text(target) });
    }

    /// An address without a link, for inside of one.
    pub(super) fn plain_url(&mut self, flow: &mut Flow) {
        let target = self.gullet.argument();
        let target = self.address(target);
        flow.push(Inline::text(target));
    }

    pub(super) fn href(&mut self, flow: &mut Flow) {
        self.gullet.optional();
        let target = self.gullet.argument();
        let target = self.address(target);
        let content = self.gullet.argument();
        let content = self.inlines(content);
        if target.contains(':') {
            flow.push(Inline::Link { target, content });
        } else {
            content.into_iter().for_each(|inline| flow.push(inline));
        }
    }

    pub(super) fn drop_link(&mut self, _: &mut Flow) {
        self.gullet.argument();
    }

    pub(super) fn email(&mut self, flow: &mut Flow) {
        self.gullet.optional();
        let address = self.gullet.argument();
        if self.in_front() {
            return;
        }
        let text = self.words(address);
        flow.push(Inline::Link { target: format!("mailto:{text}"), content: vec![Inline::text(text)] });
    }

    /// Whether what comes still stands before the text: nothing has been said yet.
    pub(super) fn in_front(&self) -> bool {
        self.preamble || (self.targets.is_empty() && self.document.summary.is_empty() && self.open.is_empty())
    }

    pub(super) fn doi(&mut self, flow: &mut Flow) {
        let doi = self.gullet.argument();
        let doi = self.address(doi);
        let start = doi.find("10.").unwrap_or(0);
        let bare = doi.get(start..).unwrap_or("").to_owned();
        if self.preamble {
            self.document.front.doi = Some(bare.to_lowercase()).filter(|doi| doi.starts_with("10."));
            return;
        }
        flow.push(Inline::Link {
            target: format!("https://doi.org/{bare}"),
            content: vec![Inline::text(format!("doi:{bare}"))],
        });
    }

    pub(super) fn eprint(&mut self, flow: &mut Flow) {
        self.gullet.optional();
        let id = self.gullet.argument();
        let id = self.address(id);
        let bare = id.rsplit_once("abs/").map_or(id.as_str(), |(_, id)| id);
        let bare = bare.trim_start_matches("arXiv:").trim_start_matches("arxiv:").to_owned();
        if bare.is_empty() {
            return;
        }
        let content = vec![Inline::text(format!("arXiv:{bare}"))];
        flow.push(Inline::Link { target: format!("https://arxiv.org/abs/{bare}"), content });
    }

    /// Lines on top of each other, in a cell.
    pub(super) fn cell_lines(&mut self, flow: &mut Flow) {
        self.gullet.star();
        self.gullet.optional();
        let content = self.gullet.argument();
        self.inlines(content).into_iter().for_each(|inline| flow.push(inline));
    }

    pub(super) fn enquote(&mut self, flow: &mut Flow) {
        self.gullet.star();
        let content = self.gullet.argument();
        flow.text("“");
        self.inlines(content).into_iter().for_each(|inline| flow.push(inline));
        flow.text("”");
    }

    /// The label of an old bibliography style, in the form that natbib has.
    pub(super) fn cite_author_year(&mut self, flow: &mut Flow) {
        let mut parts = Vec::new();
        while let (true, Some(part)) = (parts.len() < 3, self.gullet.braced()) {
            parts.push(self.words(part));
        }
        let year = parts.pop().unwrap_or_default();
        let short = parts.last().cloned().unwrap_or_default();
        let long = if parts.len() > 1 { parts.first().cloned().unwrap_or_default() } else { String::new() };
        flow.text(&format!("{short}({year}){long}"));
    }

    pub(super) fn open_parenthesis(&mut self, flow: &mut Flow) {
        flow.text("(");
    }

    pub(super) fn close_parenthesis(&mut self, flow: &mut Flow) {
        flow.text(")");
    }

    pub(super) fn superscript(&mut self, flow: &mut Flow) {
        let inner = self.gullet.argument();
        let inner = self.inlines(inner);
        flow.push(Inline::Superscript(inner));
    }

    pub(super) fn subscript(&mut self, flow: &mut Flow) {
        let inner = self.gullet.argument();
        let inner = self.inlines(inner);
        flow.push(Inline::Subscript(inner));
    }

    /// `\ion{Fe}{2}`: the element and the stage in Roman digits.
    pub(super) fn ion(&mut self, flow: &mut Flow) {
        let (element, stage) = (self.gullet.argument(), self.gullet.argument());
        let (element, stage) = (self.words(element), self.words(stage));
        flow.text(&format!("{element} {}", ion_stage(&stage)));
    }

    pub(super) fn number(&mut self, flow: &mut Flow) {
        self.gullet.optional();
        let number = self.gullet.argument();
        let number = self.gullet.pool.source(&number);
        flow.push(Inline::Math(scientific(&number)));
    }

    pub(super) fn quantity(&mut self, flow: &mut Flow) {
        self.number(flow);
        flow.text(" ");
        self.unit(flow);
    }

    /// Units of siunitx, as they are when they are written out; its names of units are kept as TeX.
    pub(super) fn unit(&mut self, flow: &mut Flow) {
        self.gullet.optional();
        let unit = self.gullet.argument();
        let floor = self.gullet.enter(unit);
        let mut tokens = Vec::new();
        while let Some(token) = self.gullet.next() {
            tokens.push(token);
        }
        self.gullet.leave(floor);
        flow.push(Inline::Math(super::math::units(&self.gullet.pool.source(&tokens))));
    }

    /// `\ce{H2O}`
    pub(super) fn chemistry(&mut self, flow: &mut Flow) {
        let formula = self.gullet.argument();
        let text = self.gullet.pool.source(&formula);
        let mut digits = String::new();
        let mut after_letter = false;
        for c in text.chars().chain(std::iter::once('\0')) {
            if c.is_ascii_digit() && (after_letter || !digits.is_empty()) {
                digits.push(c);
                continue;
            }
            if !digits.is_empty() {
                flow.push(Inline::Subscript(vec![Inline::text(std::mem::take(&mut digits))]));
            }
            after_letter = c.is_alphabetic() || c == ')';
            if !matches!(c, '\0' | '{' | '}') {
                flow.text(&c.to_string());
            }
        }
    }

    pub(super) fn stray(&mut self, _: &mut Flow) {
        self.trouble(TroubleKind::SourceError, "a formula that ends and did not begin");
    }

    pub(super) fn symbol(&mut self, flow: &mut Flow) {
        let number = self.gullet.argument();
        let number = self.gullet.pool.source(&number);
        self.character_number(flow, &number);
    }

    pub(super) fn symbol_number(&mut self, flow: &mut Flow) {
        let mut number = String::new();
        while let Some(token) = self.gullet.raw() {
            if let Token::Char(c) = token
                && number.len() < 7
                && (c.is_ascii_hexdigit() || matches!(c, '"' | '\''))
            {
                number.push(c);
                continue;
            }
            if token != Token::Space {
                self.gullet.back(token);
            }
            break;
        }
        self.character_number(flow, &number);
    }

    fn character_number(&mut self, flow: &mut Flow, number: &str) {
        let number = number.trim();
        let code = match (number.strip_prefix('"'), number.strip_prefix('\'')) {
            (Some(hex), _) => u32::from_str_radix(hex, 16).ok(),
            (None, Some(octal)) => u32::from_str_radix(octal, 8).ok(),
            (None, None) => number.parse().ok(),
        };
        match code.filter(|code| (32..127).contains(code)).and_then(char::from_u32) {
            Some(c) => flow.text(&c.to_string()),
            None => {
                self.trouble(TroubleKind::UnknownGlyph, format!("the character {number} of a font"));
                flow.push(Inline::Source(format!("\\char{number}")));
            }
        }
    }

    /// An argument that is a paragraph of its own.
    pub(super) fn paragraph_of(&mut self, flow: &mut Flow) {
        let content = self.gullet.argument();
        let content = self.inlines(content);
        if !content.is_empty() && !self.preamble {
            flow.block(Block::Paragraph(content));
        }
    }

    pub(super) fn set_length(&mut self, _: &mut Flow) {
        self.drop_arguments("mm");
    }

    pub(super) fn document_class(&mut self, _: &mut Flow) {
        let options = self.gullet.optional().map(|tokens| self.gullet.pool.source(&tokens)).unwrap_or_default();
        let class = self.gullet.argument();
        let class = self.gullet.pool.source(&class).to_ascii_lowercase();
        self.gullet.optional();
        self.class = match class.rsplit('/').next().unwrap_or(&class) {
            name if name.starts_with("aastex") || name.starts_with("emulateapj") || name.starts_with("openjournal") => {
                Class::Aastex
            }
            name if name.starts_with("mnras") || name.starts_with("mn2e") || name == "mn" => Class::Mnras,
            "aa" => Class::Aa,
            name if name.starts_with("revtex") => Class::Revtex,
            _ => Class::Other,
        };
        self.counters.chapters =
            ["book", "report", "thesis", "memoir", "scrreprt"].iter().any(|known| class.contains(known));
        self.class_cites(&options);
    }

    /// A package: one that the archive brings along may define macros.
    pub(super) fn use_package(&mut self, _: &mut Flow) {
        let options = self.gullet.optional().map(|tokens| self.gullet.pool.source(&tokens)).unwrap_or_default();
        let names = self.gullet.argument();
        let names = self.gullet.words(names);
        if self.gullet.peek() == Some(Token::Char('[')) {
            self.gullet.optional();
        }
        for name in names.split(',').map(str::trim) {
            if name == "natbib" || name == "biblatex" {
                self.package_cites(name, &options);
            }
            let stem = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
            if KNOWN_PACKAGES.iter().any(|known| stem.starts_with(known)) || self.gullet.package {
                continue;
            }
            let Some(path) = self.gullet.file("", &format!("{name}.sty")) else { continue };
            let Some(text) = self.gullet.files.texts.get(&path).cloned() else { continue };
            self.gullet.inputs += 1;
            self.gullet.input_bytes += text.len() as u64;
            if text.len() > 200_000 || self.gullet.inputs > 200 {
                continue;
            }
            // Only what it defines counts; whatever else it does is about how the paper looks.
            let floor = self.gullet.enter_text(text, true);
            self.gullet.package = true;
            while self.gullet.next().is_some() {}
            self.gullet.package = false;
            self.gullet.leave(floor);
        }
    }
}

/// The stage of an ion: `2` is II.
pub(super) fn ion_stage(stage: &str) -> String {
    let text = one_blank(stage);
    match text.trim().parse::<i64>() {
        Ok(number) => super::symbols::roman(number),
        Err(_) => text.trim().to_uppercase(),
    }
}

/// `1.2e-3(4)` as TeX.
pub(super) fn scientific(number: &str) -> String {
    let number = number.trim();
    match number.split_once(['e', 'E']) {
        Some((digits, power)) if power.parse::<f64>().is_ok() => {
            let times = if digits.is_empty() { String::new() } else { format!("{digits} \\times ") };
            format!("{times}10^{{{}}}", power.trim_start_matches('+'))
        }
        Some(_) | None => number.replace("+-", " \\pm "),
    }
}

/// The words of inlines, on one line.
pub(super) fn words_of(content: &[Inline]) -> String {
    one_blank(plain(content).trim())
}
