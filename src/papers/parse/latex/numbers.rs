//! Numbers as LaTeX counts them, and what labels name.

use super::flow::Flow;
use super::symbols::{letter, roman};
use super::token::Token;
use super::{Class, Reader};
use crate::papers::parse::document::Inline;
use std::collections::HashMap;

/// The counters of a paper.
#[derive(Debug, Default)]
pub(super) struct Counters {
    values: HashMap<String, i64>,
    /// Counters that count inside another one, and show it.
    within: HashMap<String, String>,
    /// Whether the appendix has begun.
    pub appendix: bool,
    /// Whether figures and tables begin anew in the appendix.
    pub restarted: bool,
    /// Whether the class has chapters.
    pub chapters: bool,
    /// The equation that `subequations` divides, and its part.
    pub parts: Option<(String, i64)>,
    /// Numbers inside numbers.
    nesting: u8,
}

/// What kind of thing a label names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A heading.
    Section,
    /// A heading of the appendix.
    Appendix,
    /// A formula.
    Equation,
    /// A figure.
    Figure,
    /// A table.
    Table,
    /// An algorithm or a listing.
    Code,
    /// A theorem and its like.
    Statement,
    /// An item of a list, a footnote, or just a place.
    Place,
}

/// Something that a label can name.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// What it is.
    pub kind: Kind,
    /// Its number as references print it; empty where it has none.
    pub number: String,
    /// The first label that names it.
    pub label: Option<String>,
    /// The words of a heading, the name of a theorem.
    pub words: Vec<Inline>,
}

impl Counters {
    /// Whether there is such a counter.
    pub fn knows(&self, counter: &str) -> bool {
        LADDER.contains(&counter)
            || matches!(counter, "equation" | "figure" | "table" | "parentequation" | "algorithm" | "lstlisting")
            || self.values.contains_key(counter)
    }

    /// Its value.
    pub fn value(&self, counter: &str) -> i64 {
        self.values.get(counter).copied().unwrap_or(0)
    }

    fn set(&mut self, counter: &str, value: i64) {
        if self.values.len() < 5_000 {
            self.values.insert(counter.to_owned(), value);
        }
    }

    fn add(&mut self, counter: &str, by: i64) {
        self.set(counter, self.value(counter).saturating_add(by));
    }

    fn reset_below(&mut self, counter: &str) {
        let below = LADDER.iter().skip_while(|known| **known != counter).skip(1);
        for known in below {
            self.values.remove(*known);
        }
        let mut below: Vec<String> =
            self.within.iter().filter(|(_, parent)| *parent == counter).map(|(child, _)| child.clone()).collect();
        if counter == "chapter" && self.chapters {
            below.extend(["equation", "figure", "table"].map(str::to_owned));
        }
        below.iter().for_each(|child| self.set(child, 0));
    }
}

const LADDER: [&str; 6] = ["chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph"];

impl Reader {
    /// Counts one on and answers the new number.
    pub(super) fn step(&mut self, counter: &str) -> String {
        if counter == "equation"
            && let Some((parent, part)) = &mut self.counters.parts
        {
            *part += 1;
            return format!("{parent}{}", letter(*part).to_lowercase());
        }
        self.counters.add(counter, 1);
        self.counters.reset_below(counter);
        if counter == "section" && self.counters.appendix {
            for (child, anew) in [
                ("equation", self.class != Class::Other),
                ("figure", self.floats_anew()),
                ("table", self.floats_anew()),
            ] {
                if anew {
                    self.counters.set(child, 0);
                }
            }
        }
        self.number_of(counter)
    }

    /// Whether figures and tables of the appendix have its letter.
    fn floats_anew(&self) -> bool {
        self.counters.restarted || matches!(self.class, Class::Aa | Class::Mnras)
    }

    /// The number as it is printed: by the paper's own `\thefigure`, or as the class does.
    pub(super) fn number_of(&mut self, counter: &str) -> String {
        let name = self.gullet.pool.name(&format!("the{counter}"));
        if self.gullet.found(name).is_some() && self.counters.nesting < 6 {
            self.counters.nesting += 1;
            let text = self.words(vec![Token::Control(name)]);
            self.counters.nesting -= 1;
            return text;
        }
        self.usual_number(counter)
    }

    fn usual_number(&mut self, counter: &str) -> String {
        if self.counters.nesting > 12 {
            return String::new();
        }
        let value = self.counters.value(counter);
        let appendix = self.counters.appendix;
        let parent = |of: &str, sep: &str| Some((of.to_owned(), sep.to_owned()));
        let before = match counter {
            "section" if self.counters.chapters => parent("chapter", "."),
            "subsection" if self.class != Class::Revtex => parent("section", "."),
            "subsubsection" if self.class != Class::Revtex => parent("subsection", "."),
            "paragraph" => parent("subsubsection", "."),
            "subparagraph" => parent("paragraph", "."),
            "equation" | "figure" | "table" if self.counters.chapters => parent("chapter", "."),
            "equation" if appendix && matches!(self.class, Class::Aastex | Class::Mnras | Class::Revtex) => {
                parent("section", "")
            }
            "equation" | "figure" | "table" if appendix && self.class == Class::Aa => parent("section", "."),
            "figure" | "table" if appendix && self.floats_anew() => parent("section", ""),
            other => self.counters.within.get(other).map(|of| (of.clone(), ".".to_owned())),
        };
        let own = match counter {
            "section" if appendix && !self.counters.chapters => letter(value),
            "chapter" if appendix => letter(value),
            "section" if self.class == Class::Revtex => roman(value),
            "subsection" if self.class == Class::Revtex => letter(value),
            "part" => roman(value),
            _ => value.to_string(),
        };
        let Some((of, sep)) = before else { return own };
        // A section before the first chapter, a formula before the first section.
        self.counters.nesting += 1;
        let above = self.number_of(&of);
        self.counters.nesting -= 1;
        if above.is_empty() || above == "0" { own } else { format!("{above}{sep}{own}") }
    }

    /// Something new that labels can name from here on.
    pub(super) fn target(&mut self, kind: Kind, number: String) -> usize {
        self.targets.push(Target { kind, number, label: None, words: Vec::new() });
        self.current = Some(self.targets.len() - 1);
        self.targets.len() - 1
    }

    fn counter_argument(&mut self) -> String {
        let name = self.gullet.argument();
        self.gullet.words(name)
    }

    fn amount(&mut self) -> i64 {
        let value = self.gullet.argument();
        let text = self.words(value);
        text.parse().unwrap_or(0)
    }

    pub(super) fn set_counter(&mut self, _: &mut Flow) {
        let (counter, value) = (self.counter_argument(), self.amount());
        self.counters.set(&counter, value);
    }

    pub(super) fn add_to_counter(&mut self, _: &mut Flow) {
        let (counter, value) = (self.counter_argument(), self.amount());
        self.counters.add(&counter, value);
    }

    pub(super) fn step_counter(&mut self, _: &mut Flow) {
        let counter = self.counter_argument();
        let number = self.step(&counter);
        self.target(Kind::Place, number);
    }

    pub(super) fn new_counter(&mut self, _: &mut Flow) {
        let counter = self.counter_argument();
        self.counters.set(&counter, 0);
        if let Some(parent) = self.gullet.optional() {
            let parent = self.gullet.words(parent);
            self.counters.within.insert(counter, parent);
        }
    }

    pub(super) fn number_within(&mut self, _: &mut Flow) {
        self.gullet.star();
        let (counter, parent) = (self.counter_argument(), self.counter_argument());
        self.count_within(&counter, &parent);
    }

    /// From now on one counter counts inside another.
    pub(super) fn count_within(&mut self, counter: &str, parent: &str) {
        if counter != parent && self.counters.within.len() < 1_000 {
            self.counters.within.insert(counter.to_owned(), parent.to_owned());
        }
    }

    pub(super) fn arabic(&mut self, flow: &mut Flow) {
        let value = self.counter_value();
        flow.text(&value.to_string());
    }

    fn counter_value(&mut self) -> i64 {
        let counter = self.counter_argument();
        self.counters.value(&counter)
    }

    pub(super) fn alph_upper(&mut self, flow: &mut Flow) {
        let value = self.counter_value();
        flow.text(&letter(value));
    }

    pub(super) fn alph(&mut self, flow: &mut Flow) {
        let value = self.counter_value();
        flow.text(&letter(value).to_lowercase());
    }

    pub(super) fn roman_upper(&mut self, flow: &mut Flow) {
        let value = self.counter_value();
        flow.text(&roman(value));
    }

    pub(super) fn roman(&mut self, flow: &mut Flow) {
        let value = self.counter_value();
        flow.text(&roman(value).to_lowercase());
    }

    /// `\romannumeral 3`
    pub(super) fn roman_number(&mut self, flow: &mut Flow) {
        self.gullet.skip_spaces();
        let mut number = 0_i64;
        while let Some(Token::Char(c)) = self.gullet.peek() {
            let Some(digit) = c.to_digit(10).filter(|_| number < 4_000) else { break };
            self.gullet.raw();
            number = number * 10 + i64::from(digit);
        }
        self.gullet.takes(Token::Space);
        flow.text(&roman(number).to_lowercase());
    }

    /// `\@slowromancap iii@`
    pub(super) fn roman_capitals(&mut self, flow: &mut Flow) {
        let mut inner = Vec::new();
        while let Some(token) = self.gullet.raw() {
            if token == Token::Char('@') || inner.len() > 60 {
                break;
            }
            inner.push(token);
        }
        let text = self.words(inner);
        flow.text(&text.to_uppercase());
    }

    pub(super) fn appendix(&mut self, flow: &mut Flow) {
        flow.flush();
        self.begin_appendix();
    }

    /// The sections that follow have letters.
    pub(super) fn begin_appendix(&mut self) {
        if self.counters.appendix {
            return;
        }
        self.counters.appendix = true;
        let top = if self.counters.chapters { "chapter" } else { "section" };
        self.counters.set(top, 0);
        self.counters.reset_below(top);
        if self.class == Class::Mnras || self.class == Class::Aa {
            ["figure", "table", "equation"].iter().for_each(|counter| self.counters.set(counter, 0));
        }
    }

    pub(super) fn restart_appendix(&mut self, _: &mut Flow) {
        self.counters.restarted = true;
        ["figure", "table", "equation"].iter().for_each(|counter| self.counters.set(counter, 0));
    }
}

impl Reader {
    /// The number that the counter will have next.
    pub(super) fn next_number(&mut self, counter: &str) -> String {
        self.counters.add(counter, 1);
        let number = self.number_of(counter);
        self.counters.add(counter, -1);
        number
    }
}
