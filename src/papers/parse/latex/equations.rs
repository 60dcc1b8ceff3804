//! Environments of formulas, with the numbers that LaTeX would give them.

use super::Reader;
use super::flow::Flow;
use super::math::{End, Line};
use super::numbers::Kind;
use super::token::{Name, Token};
use crate::papers::parse::document::{Block, Equation};

/// How an environment of formulas is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One formula.
    One,
    /// Lines with `&` where they meet.
    Aligned,
    /// The same with `&` on both sides of the sign.
    Array,
    /// Lines in the middle.
    Gathered,
    /// One formula over several lines.
    Broken,
}

fn form(name: &str) -> Option<Form> {
    Some(match name {
        "equation" | "displaymath" | "dmath" | "equation+" => Form::One,
        "align" | "flalign" | "alignat" | "xalignat" | "xxalignat" | "dgroup" => Form::Aligned,
        "eqnarray" | "IEEEeqnarray" => Form::Array,
        "gather" => Form::Gathered,
        "multline" => Form::Broken,
        _ => return None,
    })
}

impl Reader {
    /// Reads an environment of formulas; answers whether it is one.
    pub(super) fn equation_environment(&mut self, flow: &mut Flow, name: Name, text: &str) -> bool {
        if text == "math" {
            self.inline_formula(flow, End::Environment(name));
            return true;
        }
        let Some(form) = form(text.trim_end_matches('*')) else { return false };
        if text.contains("alignat") || text.starts_with("IEEE") {
            self.gullet.argument();
        }
        let numbered = !text.ends_with('*') && text != "displaymath";
        let mut lines = self.formula(End::Environment(name), form != Form::One);
        let last_is_empty =
            lines.len() > 1 && lines.last().is_some_and(|line| line.is_empty() && line.labels.is_empty());
        if last_is_empty {
            let bare = lines.pop().is_some_and(|line| line.bare);
            if numbered && !bare && form != Form::Broken {
                self.lines(flow, form, numbered, lines);
                // LaTeX counts the empty line too.
                self.step("equation");
                return true;
            }
        }
        self.lines(flow, form, numbered, lines);
        true
    }

    fn lines(&mut self, flow: &mut Flow, form: Form, numbered: bool, lines: Vec<Line>) {
        let numbers = |line: &Line| line.tag.is_some() || (numbered && !line.bare);
        if form == Form::Broken || form == Form::One {
            let bare = lines.iter().all(|line| line.bare) || !numbered;
            return self.group(flow, form, lines, !bare);
        }
        let last = lines.iter().rposition(numbers);
        let mut group = Vec::new();
        for (at, line) in lines.into_iter().enumerate() {
            if line.before.is_some() && !group.is_empty() {
                self.group(flow, form, std::mem::take(&mut group), false);
            }
            let ends = numbers(&line) && last != Some(at);
            group.push(line);
            if ends {
                self.group(flow, form, std::mem::take(&mut group), true);
            }
        }
        // What has no number behind the last one belongs to it.
        let numbered = group.iter().any(numbers);
        self.group(flow, form, group, numbered);
    }

    fn group(&mut self, flow: &mut Flow, form: Form, mut lines: Vec<Line>, numbered: bool) {
        if let Some(words) = lines.first_mut().and_then(|line| line.before.take()) {
            let words = self.inlines(words);
            if !words.is_empty() {
                flow.block(Block::Paragraph(words));
            }
        }
        let tag = lines.iter_mut().find_map(|line| line.tag.take());
        let labels: Vec<String> = lines.iter_mut().flat_map(|line| std::mem::take(&mut line.labels)).collect();
        let texts: Vec<String> = lines
            .iter()
            .filter(|line| !line.is_empty())
            .map(|line| self.tex(&marks(&line.tokens, form, lines.len() > 1)))
            .collect();
        let text = match (texts.len(), form) {
            (0, _) => return,
            (1, _) | (_, Form::One) => texts.join(" "),
            (_, Form::Aligned | Form::Array) => format!("\\begin{{aligned}} {} \\end{{aligned}}", texts.join(" \\\\ ")),
            (_, Form::Gathered | Form::Broken) => {
                format!("\\begin{{gathered}} {} \\end{{gathered}}", texts.join(" \\\\ "))
            }
        };
        let number = match tag {
            Some(tag) => Some(tag),
            None if numbered => Some(self.step("equation")),
            None => None,
        };
        let anchor = self.equation_target(number.as_deref(), labels);
        flow.block(Block::Equation(Equation { text, number, anchor, ..Equation::default() }));
    }

    /// What the labels of a formula name; answers its anchor.
    pub(super) fn equation_target(&mut self, number: Option<&str>, labels: Vec<String>) -> Option<String> {
        if number.is_none() && labels.is_empty() {
            return None;
        }
        let current = self.current;
        let target = self.target(Kind::Equation, number.unwrap_or_default().to_owned());
        // Inside of its own environment only.
        self.current = current;
        labels.into_iter().for_each(|key| self.name_target(target, key));
        Some(super::finish::mark(target))
    }
}

/// A line with the marks of alignment that its form has.
fn marks(tokens: &[Token], form: Form, several: bool) -> Vec<Token> {
    let (mut braces, mut inner, mut seen) = (0_usize, 0_usize, 0_usize);
    let mut out = Vec::with_capacity(tokens.len());
    for token in tokens {
        let mut token = *token;
        if token == Token::Open {
            braces += 1;
        } else if token == Token::Close {
            braces = braces.saturating_sub(1);
        } else if let Token::Begin(_) = token {
            inner += 1;
        } else if let Token::End(_) = token {
            inner = inner.saturating_sub(1);
        } else if token == Token::Ampersand && braces == 0 && inner == 0 && form != Form::One {
            seen += 1;
            let keeps = several && (form == Form::Aligned || (form == Form::Array && seen == 1));
            if !keeps {
                token = Token::Space;
            }
        }
        out.push(token);
    }
    out
}
