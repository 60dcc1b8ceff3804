//! What TeX does before anything is printed: definitions, conditions, files inside files.

use super::archive::safe_path;
use super::commands;
use super::gullet::{Gullet, Macro};
use super::token::{Name, Token};
use crate::papers::parse::document::TroubleKind;
use std::rc::Rc;

/// Files inside files.
const NESTED: usize = 20;
/// How often one file is read.
const AGAIN: u32 = 20;
/// Files and bytes that are read in all.
const INPUTS: u64 = 2_000;
const INPUT_BYTES: u64 = 20_000_000;

impl Gullet {
    /// Does what a primitive asks for; answers whether it was one.
    pub(super) fn primitive(&mut self, name: Name) -> bool {
        let text = self.pool.text(name);
        match &*text {
            "protect" | "relax" | "expandafter" | "noexpand" | "global" | "long" | "outer" | "protected"
            | "immediate" | "unexpanded" | "leavevmode" | "makeatletter" | "makeatother" | "else@" => {}
            "newcommand" | "renewcommand" | "DeclareRobustCommand" => self.new_command(false),
            "providecommand" => self.new_command(true),
            "newcommandx" | "renewcommandx" => self.new_command(false),
            "NewDocumentCommand" | "RenewDocumentCommand" | "DeclareDocumentCommand" | "ProvideDocumentCommand" => {
                self.document_command();
            }
            "def" | "gdef" | "edef" | "xdef" => self.define_plain(),
            "let" | "futurelet" => self.make_alias(),
            "newif" => {
                if let Some(Token::Control(switch)) = self.raw() {
                    self.switches.insert(switch, false);
                }
            }
            "DeclareMathOperator" => self.math_operator(),
            "newenvironment" | "renewenvironment" | "provideenvironment" => self.new_environment(),
            "csname" => self.control_by_name(),
            "begin" | "end" => self.delimiter_by_name(&text),
            "else" | "or" => self.skip_branch(true),
            "fi" => {}
            "iftrue" | "ifhmode" => {}
            "iffalse" | "ifvmode" | "ifinner" | "ifvoid" | "iftoggle" => self.skip_branch(false),
            "ifmmode" => self.branch(Some(self.math), &text),
            "ifdefined" => {
                let holds = match self.raw() {
                    Some(Token::Control(name)) => Some(self.is_defined(name)),
                    Some(_) | None => None,
                };
                self.branch(holds, &text);
            }
            "ifcsname" => {
                let name = self.name_until_end();
                let holds = self.is_defined(name);
                self.branch(Some(holds), &text);
            }
            "ifx" | "if" => {
                let (first, second) = (self.meaning(), self.meaning());
                self.branch(Some(first == second), &text);
            }
            "ifnum" => {
                let holds = self.compare();
                self.branch(holds, &text);
            }
            "ifpdf" | "ifPDFTeX" => {}
            "ifxetex" | "ifluatex" | "ifXeTeX" | "ifLuaTeX" | "ifpdftex" => self.skip_branch(false),
            "ifdim" | "ifcat" | "ifodd" | "ifcase" | "ifeof" | "iftutex" => self.branch(None, &text),
            "ifthenelse" => self.if_then_else(),
            "@ifundefined" => {
                let name = self.argument();
                let name = self.words(name);
                let name = self.pool.name(&name);
                let holds = !self.is_defined(name);
                self.choose(holds);
            }
            "input" | "include" | "subfile" | "subfileinclude" => self.input(""),
            "import" | "subimport" | "includefrom" | "subincludefrom" => {
                let folder = self.argument();
                let folder = self.words(folder);
                self.input(&folder);
            }
            "InputIfFileExists" => {
                let tokens = self.argument();
                let wanted = self.words(tokens);
                let found = self.file("", &wanted).is_some();
                if found {
                    self.read_file("", &wanted);
                }
                self.choose(found);
            }
            "IfFileExists" => {
                let tokens = self.argument();
                let wanted = self.words(tokens);
                let found = self.file("", &wanted).is_some();
                self.choose(found);
            }
            "endinput" => self.end_input(),
            other => return self.switch(name, other),
        }
        true
    }

    /// `\iffoo`, `\footrue`, `\foofalse` for a switch of the paper.
    fn switch(&mut self, name: Name, text: &str) -> bool {
        if let Some(value) = self.switches.get(&name).copied() {
            self.branch(Some(value), text);
            return true;
        }
        for (end, value) in [("true", true), ("false", false)] {
            if let Some(stem) = text.strip_suffix(end) {
                let switch = self.pool.name(&format!("if{stem}"));
                if let Some(known) = self.switches.get_mut(&switch) {
                    *known = value;
                    return true;
                }
            }
        }
        false
    }

    fn branch(&mut self, holds: Option<bool>, what: &str) {
        match holds {
            Some(true) => {}
            Some(false) => self.skip_branch(false),
            None => {
                self.trouble(TroubleKind::NotUnderstood, format!("the condition \\{what}, taken as false"));
                self.skip_branch(false);
            }
        }
    }

    /// Goes behind the branch that does not hold: to `\else` or `\fi`, or only to `\fi`.
    fn skip_branch(&mut self, to_end: bool) {
        let mut open = 0_usize;
        while let Some(token) = self.raw() {
            let Token::Control(name) = token else { continue };
            let text = self.pool.text(name);
            match &*text {
                "fi" if open == 0 => return,
                "fi" => open -= 1,
                "else" if open == 0 && !to_end => return,
                "newif" => {
                    self.raw();
                }
                text if is_condition(text) || self.switches.contains_key(&name) => open += 1,
                _ => {}
            }
        }
        self.trouble(TroubleKind::Truncated, "a condition is not closed with \\fi, so what follows it was left out");
    }

    /// What a token means, for `\ifx`.
    fn meaning(&mut self) -> Option<(Token, Option<Rc<Macro>>)> {
        self.skip_spaces();
        let mut token = self.raw()?;
        while let Token::Control(name) = token {
            if &*self.pool.text(name) == "csname" {
                let name = self.name_until_end();
                token = Token::Control(name);
                break;
            }
            if !matches!(&*self.pool.text(name), "expandafter" | "noexpand") {
                break;
            }
            token = self.raw()?;
        }
        let Token::Control(name) = token else { return Some((token, None)) };
        if let Some(found) = self.found(name).cloned() {
            // Two macros are the same when they do the same, whatever their names are.
            return Some((Token::Space, Some(found)));
        }
        let unknown = self.pool.name("relax");
        Some((Token::Control(if self.is_defined(name) { name } else { unknown }), None))
    }

    fn is_defined(&self, name: Name) -> bool {
        self.found(name).is_some() || (commands::is_known(&self.pool.text(name)) && &*self.pool.text(name) != "relax")
    }

    /// `\ifnum a<b`, where both are written out.
    fn compare(&mut self) -> Option<bool> {
        let mut words = String::new();
        let mut relation = None;
        let mut first = None;
        while let Some(token) = self.next() {
            let Token::Char(c) = token else {
                if token == Token::Space && (words.is_empty() || relation.is_none()) {
                    continue;
                }
                if token != Token::Space {
                    self.back(token);
                }
                break;
            };
            if c.is_ascii_digit() || c == '-' {
                words.push(c);
            } else if matches!(c, '<' | '>' | '=') && relation.is_none() {
                relation = Some(c);
                first = std::mem::take(&mut words).parse::<i64>().ok();
            } else {
                self.back(token);
                break;
            }
            if words.len() > 18 {
                break;
            }
        }
        let (first, second) = (first?, words.parse::<i64>().ok()?);
        Some(match relation? {
            '<' => first < second,
            '>' => first > second,
            _ => first == second,
        })
    }

    fn if_then_else(&mut self) {
        let condition = self.argument();
        let text = self.pool.source(&condition);
        let holds = if let Some(name) = text.trim().strip_prefix("\\boolean{").and_then(|rest| rest.strip_suffix('}')) {
            let switch = self.pool.name(&format!("if{name}"));
            self.switches.get(&switch).copied()
        } else if text.trim_start().starts_with("\\equal") {
            let floor = self.enter(condition);
            self.raw();
            let (first, second) = (self.argument(), self.argument());
            self.leave(floor);
            Some(self.words(first) == self.words(second))
        } else {
            None
        };
        if holds.is_none() {
            self.trouble(TroubleKind::NotUnderstood, "the condition \\ifthenelse, taken as false");
        }
        self.choose(holds.unwrap_or(false));
    }

    fn choose(&mut self, holds: bool) {
        let (first, second) = (self.argument(), self.argument());
        self.back_all(if holds { first } else { second });
    }

    fn name_until_end(&mut self) -> Name {
        let mut out = Vec::new();
        while let Some(token) = self.next() {
            if let Token::Control(name) = token
                && &*self.pool.text(name) == "endcsname"
            {
                break;
            }
            out.push(token);
            if out.len() > 200 {
                break;
            }
        }
        let text = self.pool.source(&out);
        self.pool.name(&text)
    }

    fn control_by_name(&mut self) {
        let name = self.name_until_end();
        let known = self.found(name).is_some() || commands::is_known(&self.pool.text(name));
        if known {
            self.back(Token::Control(name));
        }
    }

    /// `\begin{#1}` after the argument is known.
    fn delimiter_by_name(&mut self, word: &str) {
        let Some(tokens) = self.braced() else { return };
        let text = self.words(tokens);
        let name = self.pool.name(&text);
        self.back(if word == "begin" { Token::Begin(name) } else { Token::End(name) });
    }

    /// Whether the paper may give this name another meaning.
    fn may_define(&self, name: Name, only_new: bool) -> bool {
        let text = self.pool.text(name);
        if only_new || self.package {
            let inner = self.package && text.contains('@');
            return self.found(name).is_none() && !commands::is_known(&text) && !inner;
        }
        !commands::is_structural(&text)
    }

    /// The name that is defined: `\name` or `{\name}`.
    fn defined_name(&mut self) -> Option<Name> {
        let tokens = self.argument();
        tokens.iter().find_map(|token| if let Token::Control(name) = token { Some(*name) } else { None })
    }

    fn new_command(&mut self, only_new: bool) {
        self.star();
        let name = self.defined_name();
        let count = self.count();
        let optional = self.optional();
        let body = self.argument();
        let Some(name) = name.filter(|name| self.may_define(*name, only_new)) else { return };
        let body = self.modern(name, body);
        self.define(
            name,
            Macro { arguments: vec![Vec::new(); count], optional, body: body.into(), ..Macro::default() },
        );
    }

    fn count(&mut self) -> usize {
        let count = self.optional().map(|tokens| self.pool.source(&tokens)).unwrap_or_default();
        count.trim().parse::<usize>().unwrap_or(0).min(9)
    }

    fn document_command(&mut self) {
        let name = self.defined_name();
        let arguments = self.argument();
        let arguments = self.pool.source(&arguments);
        let body = self.argument();
        let Some(name) = name.filter(|name| self.may_define(*name, false)) else { return };
        let kinds: Vec<char> = {
            let mut depth = 0_usize;
            let kind = |c: &char| {
                depth = depth.saturating_sub(usize::from(*c == '}'));
                let top = depth == 0 && !matches!(c, '}' | ' ' | '+' | '!');
                depth += usize::from(*c == '{');
                top && *c != '{'
            };
            arguments.chars().filter(kind).collect()
        };
        let optional = matches!(kinds.first(), Some('o' | 'O'));
        if kinds.iter().skip(usize::from(optional)).any(|kind| *kind != 'm') {
            let what = format!("the arguments of the macro \\{}", self.pool.text(name));
            self.trouble(TroubleKind::NotUnderstood, what);
            return;
        }
        let default = arguments.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map_or("", |(text, _)| text);
        let default = default.chars().map(Token::Char).collect();
        let arguments = vec![Vec::new(); kinds.len().min(9)];
        let optional = optional.then_some(default);
        self.define(name, Macro { arguments, optional, body: body.into(), ..Macro::default() });
    }

    /// `\def\name#1 and #2{...}`
    fn define_plain(&mut self) {
        self.skip_spaces();
        let Some(token) = self.raw() else { return };
        let Token::Control(name) = token else { return self.back(token) };
        let mut prefix = Vec::new();
        let mut arguments: Vec<Vec<Token>> = Vec::new();
        let mut length = 0_usize;
        while let Some(token) = self.raw() {
            length += 1;
            if token == Token::Open || length > 100 {
                break;
            }
            if let Token::Argument(_) = token {
                arguments.push(Vec::new());
            } else {
                arguments.last_mut().unwrap_or(&mut prefix).push(token);
            }
        }
        let body = self.group();
        if self.may_define(name, false) {
            arguments.truncate(9);
            let body = self.modern(name, body).into();
            self.define(name, Macro { prefix, arguments, body, ..Macro::default() });
        }
    }

    fn make_alias(&mut self) {
        self.skip_spaces();
        let Some(Token::Control(name)) = self.raw() else { return };
        self.skip_spaces();
        self.takes(Token::Char('='));
        self.skip_spaces();
        let Some(target) = self.raw() else { return };
        if target == Token::Control(name) || !self.may_define(name, false) {
            return;
        }
        if let Token::Control(other) = target {
            if let Some(found) = self.found(other).cloned() {
                return self.alias(name, found);
            }
            if matches!(&*self.pool.text(other), "undefined" | "relax" | "@undefined") {
                return;
            }
        }
        self.define(name, Macro { body: vec![target].into(), ..Macro::default() });
    }

    fn math_operator(&mut self) {
        let star = self.star();
        let name = self.defined_name();
        let body = self.argument();
        let Some(name) = name.filter(|name| self.may_define(*name, false)) else { return };
        let mut out = vec![Token::Control(self.pool.name("operatorname"))];
        out.extend(star.then_some(Token::Char('*')));
        out.push(Token::Open);
        out.extend(body);
        out.push(Token::Close);
        self.define(name, Macro { body: out.into(), ..Macro::default() });
    }

    fn new_environment(&mut self) {
        self.star();
        let name = self.argument();
        let name = self.words(name);
        let count = self.count();
        let optional = self.optional();
        let (begin, end) = (self.argument(), self.argument());
        if commands::is_environment(&name) {
            return;
        }
        let name = self.pool.name(&name);
        let begin = Macro { arguments: vec![Vec::new(); count], optional, body: begin.into(), ..Macro::default() };
        self.environments.insert(name, (Rc::new(begin), end.into()));
    }

    fn input(&mut self, folder: &str) {
        let wanted = match self.braced() {
            Some(tokens) => self.words(tokens),
            None => {
                let mut name = Vec::new();
                while let Some(token @ (Token::Char(_) | Token::Down)) = self.raw_or_back() {
                    name.push(token);
                    if name.len() > 300 {
                        break;
                    }
                }
                self.pool.source(&name)
            }
        };
        self.read_file(folder, wanted.trim().trim_matches('"'));
    }

    fn raw_or_back(&mut self) -> Option<Token> {
        let token = self.raw()?;
        if !matches!(token, Token::Char(_) | Token::Down) {
            self.back(token);
        }
        Some(token)
    }

    /// The path of a text in the archive.
    pub(super) fn file(&self, folder: &str, wanted: &str) -> Option<String> {
        let folders = std::iter::once(folder).chain(self.folders.iter().rev().map(String::as_str)).chain([""]);
        for folder in folders {
            for end in ["", ".tex", ".ltx"] {
                let slash = if folder.is_empty() || folder.ends_with('/') { "" } else { "/" };
                let path = safe_path(&format!("{folder}{slash}{wanted}{end}"));
                if let Some(path) = path.filter(|path| self.files.texts.contains_key(path)) {
                    return Some(path);
                }
            }
        }
        // Paths that were true on the author's machine, from a folder beside this one.
        let end = wanted.trim_start_matches("../").trim_start_matches("./");
        (end != wanted).then(|| self.file(folder, end)).flatten()
    }

    fn read_file(&mut self, folder: &str, wanted: &str) {
        let Some(path) = self.file(folder, wanted) else {
            let kept = self.files.archive;
            let what =
                if kept { format!("the file {wanted} is not in the archive") } else { format!("the file {wanted}") };
            return self.trouble(TroubleKind::Missing, what);
        };
        let Some(text) = self.files.texts.get(&path).cloned() else { return };
        let times = self.read.get(&path).copied().unwrap_or(0);
        let reading = self.reading();
        if reading.contains(&path.as_str()) || reading.len() > NESTED || times >= AGAIN {
            return self.trouble(TroubleKind::SourceError, format!("the file {path} is read inside itself"));
        }
        self.inputs += 1;
        self.read.insert(path.clone(), times + 1);
        self.input_bytes += text.len() as u64;
        if self.inputs > INPUTS || self.input_bytes > INPUT_BYTES {
            return self.trouble(TroubleKind::Truncated, "files are read in again and again, so some were left out");
        }
        if !folder.is_empty() && !self.folders.iter().any(|known| known == folder) {
            self.folders.push(folder.to_owned());
        }
        // A part that is a paper of its own: only what is between its begin and its end.
        let inner =
            text.split_once("\\begin{document}").map(|(_, rest)| rest.split("\\end{document}").next().unwrap_or(rest));
        let text = inner.map_or_else(|| Rc::clone(&text), Rc::from);
        self.open(text, &path, path.ends_with(".sty"));
    }
}

/// Whether a name begins a condition that ends with `\fi`.
fn is_condition(text: &str) -> bool {
    matches!(
        text,
        "if" | "ifx"
            | "ifnum"
            | "ifdim"
            | "ifcat"
            | "ifodd"
            | "ifcase"
            | "ifmmode"
            | "ifhmode"
            | "ifvmode"
            | "ifinner"
            | "ifvoid"
            | "ifhbox"
            | "ifvbox"
            | "ifeof"
            | "iftrue"
            | "iffalse"
            | "ifdefined"
            | "ifcsname"
            | "ifpdf"
            | "ifxetex"
            | "ifluatex"
            | "ifPDFTeX"
            | "ifXeTeX"
            | "ifLuaTeX"
            | "iftutex"
            | "ifpdftex"
    )
}
