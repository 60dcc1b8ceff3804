//! The text as it flows: characters, fonts, groups, paragraphs.

use super::Reader;
use super::commands::{self, Command, Face};
use super::symbols;
use super::token::{Name, Token};
use crate::papers::parse::document::{Block, Inline, TroubleKind, plain};
pub(super) use crate::papers::parse::document::{one_blank, tidy};

/// Environments and arguments inside each other; beyond, only the words are kept.
pub(super) const DEEPEST: usize = 40;

/// How a piece of text is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Style {
    bold: bool,
    italic: bool,
    mono: bool,
    capitals: bool,
}

/// What gathers: blocks, and the paragraph that is not finished.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// What is finished.
    pub blocks: Vec<Block>,
    line: Vec<(Style, Inline)>,
    style: Style,
    groups: Vec<(Style, Option<Name>)>,
    /// Whether there are no paragraphs here: a caption, a footnote, a cell.
    pub inline: bool,
}

/// What ends a flow.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Until {
    /// The end of this environment.
    pub end: Option<Name>,
    /// This command.
    pub mark: Option<Name>,
}

/// Why a flow ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// There is nothing more, or something around it ended.
    Input,
    /// Its environment ended.
    End,
    /// The command came.
    Mark,
}

impl Flow {
    /// A flow without paragraphs.
    pub fn line() -> Self {
        Self { inline: true, ..Self::default() }
    }

    /// Plain text.
    pub fn text(&mut self, text: &str) {
        if let Some((style, Inline::Text(last))) = self.line.last_mut()
            && *style == self.style
        {
            if text != " " || !last.ends_with(' ') {
                last.push_str(text);
            }
            return;
        }
        if !text.is_empty() {
            self.line.push((self.style, Inline::text(text)));
        }
    }

    /// Something inside the line.
    pub fn push(&mut self, inline: Inline) {
        self.line.push((self.style, inline));
    }

    /// A finished block.
    pub fn block(&mut self, block: Block) {
        self.flush();
        self.blocks.push(block);
    }

    /// Ends the paragraph.
    pub fn flush(&mut self) {
        let content = tidy(nested(std::mem::take(&mut self.line)));
        if !content.is_empty() {
            self.blocks.push(Block::Paragraph(content));
        }
    }

    /// The blocks.
    pub fn finish(mut self) -> Vec<Block> {
        self.flush();
        self.blocks
    }

    /// Everything on one line.
    pub fn finish_line(mut self) -> Vec<Inline> {
        if self.blocks.is_empty() {
            return tidy(nested(self.line));
        }
        self.flush();
        flattened(self.blocks)
    }

    /// Whether nothing is in the paragraph yet.
    pub fn at_start(&self) -> bool {
        self.line.iter().all(|(_, inline)| matches!(inline, Inline::Text(text) if text.trim().is_empty()))
    }

    /// Throws away what has gathered; for what stands before the document.
    pub fn clear(&mut self) {
        *self = Self { inline: self.inline, ..Self::default() };
    }

    /// Opens a group, or an environment that only is one.
    pub fn open(&mut self, environment: Option<Name>) {
        self.groups.push((self.style, environment));
    }

    /// Closes a group; a brace that closes nothing is nothing.
    pub fn close(&mut self) {
        if let Some((_, None)) = self.groups.last()
            && let Some((style, _)) = self.groups.pop()
        {
            self.style = style;
        }
    }

    /// Closes an environment that is a group, and answers whether it was open.
    fn close_environment(&mut self, name: Name) -> bool {
        // Groups that were not closed inside it are few; whoever opens millions does not get them searched each time.
        let Some(at) = self.groups.iter().rev().take(200).position(|(_, open)| *open == Some(name)) else {
            return false;
        };
        self.groups.truncate(self.groups.len() - at);
        if let Some((style, _)) = self.groups.pop() {
            self.style = style;
        }
        true
    }

    /// Changes the font.
    pub fn face(&mut self, face: Face, toggles: bool) {
        match face {
            Face::Italic => self.style.italic = !(toggles && self.style.italic),
            Face::Bold => self.style.bold = true,
            Face::Mono => self.style.mono = true,
            Face::Normal => self.style = Style::default(),
            Face::Upright => self.style.italic = false,
            Face::Medium => self.style.bold = false,
            Face::Capitals => self.style.capitals = true,
            Face::Keep => {}
        }
    }
}

/// Runs of one style become nested.
fn nested(line: Vec<(Style, Inline)>) -> Vec<Inline> {
    let mut out = Vec::new();
    let mut rest = line.into_iter().peekable();
    while let Some((style, first)) = rest.next() {
        let mut run = vec![first];
        while let Some((_, inline)) = rest.next_if(|(next, _)| *next == style) {
            run.push(inline);
        }
        let words = run.iter().any(|inline| match inline {
            Inline::Text(text) => !text.trim().is_empty(),
            Inline::Math(_) | Inline::Footnote(_) | Inline::Break | Inline::Anchor(_) | Inline::Source(_) => false,
            Inline::Emphasis(_)
            | Inline::Strong(_)
            | Inline::Superscript(_)
            | Inline::Subscript(_)
            | Inline::Code(_)
            | Inline::Link { .. }
            | Inline::Reference { .. }
            | Inline::Citation { .. } => true,
        });
        if !words || style == Style::default() {
            out.extend(run);
            continue;
        }
        if style.mono && run.iter().all(|inline| matches!(inline, Inline::Text(_))) {
            let text = plain(&run);
            let (start, end) = (text.starts_with(' '), text.ends_with(' '));
            run = vec![Inline::Code(text.trim().to_owned())];
            if start {
                out.push(Inline::text(" "));
            }
            if end {
                run.push(Inline::text(" "));
            }
            out.extend(run);
            continue;
        }
        if style.capitals {
            // Stages of ions are printed as capitals, and are looked for as such.
            for inline in &mut run {
                if let Inline::Text(text) = inline
                    && text.trim().chars().all(|c| matches!(c, 'i' | 'v' | 'x'))
                {
                    *text = text.to_uppercase();
                }
            }
        }
        if style.italic {
            run = vec![Inline::Emphasis(run)];
        }
        if style.bold {
            run = vec![Inline::Strong(run)];
        }
        out.extend(run);
    }
    out
}

/// Blocks on one line, for places without paragraphs.
pub(super) fn flattened(blocks: Vec<Block>) -> Vec<Inline> {
    let mut out = Vec::new();
    for block in blocks {
        if !out.is_empty() {
            out.push(Inline::text(" "));
        }
        match block {
            Block::Paragraph(content) => out.extend(content),
            Block::Heading(heading) => out.push(Inline::Strong(heading.content)),
            Block::Equation(equation) => {
                out.extend(equation.anchor.map(Inline::Anchor));
                out.push(Inline::Math(equation.text));
            }
            Block::List(list) => {
                for (at, item) in list.items.into_iter().enumerate() {
                    let number = list.start.map(|start| start as usize + at);
                    out.push(Inline::text(number.map_or_else(|| " • ".to_owned(), |number| format!(" ({number}) "))));
                    out.extend(flattened(item));
                }
            }
            Block::Quote(blocks) => out.extend(flattened(blocks)),
            Block::Statement(statement) => {
                out.push(Inline::Strong(statement.title));
                out.push(Inline::text(" "));
                out.extend(flattened(statement.content));
            }
            Block::Code(code) => out.push(Inline::Code(code.text)),
            Block::Table(table) => {
                for row in table.rows {
                    for cell in row.cells {
                        out.extend(cell.content);
                        out.push(Inline::text(" "));
                    }
                    out.push(Inline::Break);
                }
                while matches!(out.last(), Some(Inline::Break)) {
                    out.pop();
                }
            }
            Block::Figure(figure) => {
                let images = figure.images.iter().map(|image| Inline::Source(image.location.clone()));
                out.extend(images);
                out.extend(figure.caption);
            }
            Block::Source(source) => out.push(Inline::Source(source)),
            Block::Page(_) => {}
        }
    }
    tidy(out)
}

impl Reader {
    /// Reads on until something ends it.
    pub(super) fn run(&mut self, flow: &mut Flow, until: Until) -> Stop {
        while let Some(token) = self.gullet.next() {
            match token {
                Token::Char(c) => self.character(flow, c),
                Token::Space | Token::Tie => flow.text(" "),
                Token::Par if flow.inline => flow.text(" "),
                Token::Par => flow.flush(),
                Token::Open => flow.open(None),
                Token::Close => flow.close(),
                Token::Dollar => self.dollar(flow),
                Token::Ampersand => flow.text("&"),
                Token::Up => flow.text("^"),
                Token::Down => flow.text("_"),
                Token::Argument(_) | Token::Nested(_) => flow.text(&self.gullet.pool.source(&[token])),
                Token::Verbatim(at) => self.verbatim(flow, at),
                Token::Begin(name) => self.environment(flow, name),
                Token::End(name) => {
                    if flow.close_environment(name) {
                        continue;
                    }
                    if until.end == Some(name) {
                        return Stop::End;
                    }
                    if self.open.contains(&name) {
                        self.gullet.back(token);
                        return Stop::Input;
                    }
                    let what = format!("\\end{{{}}} without its \\begin", self.gullet.pool.text(name));
                    self.trouble(TroubleKind::SourceError, what);
                }
                Token::Control(name) => {
                    if until.mark == Some(name) {
                        return Stop::Mark;
                    }
                    self.command(flow, name);
                }
            }
        }
        Stop::Input
    }

    fn character(&mut self, flow: &mut Flow, c: char) {
        let mut twice = |c: char| self.gullet.takes(Token::Char(c));
        let text = match c {
            _ if flow.style.mono => None,
            '`' => Some(if twice('`') { "“" } else { "‘" }),
            '\'' => Some(if twice('\'') { "”" } else { "’" }),
            '-' if twice('-') => Some(if twice('-') { "—" } else { "–" }),
            '?' if twice('`') => Some("¿"),
            '!' if twice('`') => Some("¡"),
            _ => None,
        };
        let mut buffer = [0; 4];
        flow.text(text.unwrap_or_else(|| c.encode_utf8(&mut buffer)));
    }

    /// Does what a command means.
    pub(super) fn command(&mut self, flow: &mut Flow, name: Name) {
        let text = self.gullet.pool.text(name);
        let Some(command) = commands::lookup(&text) else { return self.unknown(flow, name) };
        match command {
            Command::Drop(arguments) => self.drop_arguments(arguments),
            Command::Word(word) => flow.text(word),
            Command::Sign(sign, _) => flow.text(sign),
            Command::Accent(mark) => self.accent(flow, mark),
            Command::Font(face) => flow.face(face, &*text == "em"),
            Command::Fonted(face) => {
                self.gullet.skip_spaces();
                if self.gullet.takes(Token::Open) {
                    flow.open(None);
                    flow.face(face, &*text == "emph");
                } else {
                    let before = flow.style;
                    flow.face(face, true);
                    let inner = self.gullet.argument();
                    let inner = self.inlines(inner);
                    inner.into_iter().for_each(|inline| flow.push(inline));
                    flow.style = before;
                }
            }
            Command::Section(kind) => self.section(flow, kind),
            Command::Cite(cite) => self.cite(flow, cite),
            Command::Refer(refer) => self.refer(flow, refer),
            Command::Do(action) => action(self, flow),
        }
    }

    fn unknown(&mut self, flow: &mut Flow, name: Name) {
        let text = self.gullet.pool.text(name);
        if self.preamble {
            return;
        }
        if text.strip_prefix("the").is_some_and(|counter| self.counters.knows(counter)) {
            let number = self.number_of(text.trim_start_matches("the"));
            return flow.text(&number);
        }
        self.trouble(TroubleKind::NotUnderstood, format!("the command \\{text}"));
        flow.push(Inline::Source(format!("\\{text}")));
    }

    /// Reads arguments that mean nothing here.
    pub(super) fn drop_arguments(&mut self, arguments: &str) {
        for kind in arguments.chars() {
            match kind {
                'm' => drop(self.gullet.argument()),
                'o' => drop(self.gullet.optional()),
                '*' => drop(self.gullet.star()),
                '=' => {
                    self.gullet.skip_spaces();
                    // Without a sign of equality the value follows at once.
                    self.gullet.takes(Token::Char('='));
                    self.dimension();
                }
                _ => self.dimension(),
            }
        }
    }

    /// Reads a length: `-3.5pt plus 1fil`, or `0.5\textwidth`.
    fn dimension(&mut self) {
        self.gullet.skip_spaces();
        let mut letters = String::new();
        for _ in 0..60 {
            match self.gullet.raw() {
                Some(Token::Char('0'..='9' | '.' | '-' | '+' | ',')) if letters.is_empty() => {}
                Some(Token::Space) => {}
                Some(Token::Char(c)) if c.is_ascii_lowercase() && letters.len() < 6 => {
                    letters.push(c);
                    let unit =
                        ["pt", "em", "ex", "cm", "mm", "in", "pc", "bp", "sp", "mu", "fil", "fill", "true", "dd", "cc"];
                    let units = unit.iter().chain(&["plus", "minus"]);
                    if !units.clone().any(|known| known.starts_with(&letters)) {
                        return letters.chars().rev().for_each(|c| self.gullet.back(Token::Char(c)));
                    }
                    if letters == "plus" || letters == "minus" || letters == "true" {
                        letters.clear();
                    } else if unit.contains(&letters.as_str()) && !matches!(self.gullet.peek(), Some(Token::Char('l')))
                    {
                        self.gullet.takes(Token::Space);
                        if !matches!(self.gullet.peek(), Some(Token::Char('p' | 'm'))) {
                            return;
                        }
                        letters.clear();
                    }
                }
                Some(Token::Control(name)) if letters.is_empty() => {
                    let text = self.gullet.pool.text(name);
                    if !text.ends_with("width") && !text.ends_with("height") && !text.ends_with("skip") {
                        self.gullet.back(Token::Control(name));
                    }
                    return;
                }
                Some(token) => {
                    self.gullet.back(token);
                    return letters.chars().rev().for_each(|c| self.gullet.back(Token::Char(c)));
                }
                None => return,
            }
        }
    }

    fn accent(&mut self, flow: &mut Flow, mark: char) {
        let inner = self.gullet.argument();
        let inner = plain(&self.inlines(inner));
        let mut letters = inner.chars();
        match letters.next() {
            Some(letter) => flow.text(&symbols::accented(letter, mark)),
            None => flow.text(match mark {
                '\u{303}' => "~",
                '\u{302}' => "^",
                _ => "",
            }),
        }
        flow.text(letters.as_str());
    }

    /// The inlines of an argument.
    pub(super) fn inlines(&mut self, tokens: Vec<Token>) -> Vec<Inline> {
        self.sub(tokens, Flow::line()).finish_line()
    }

    /// The blocks of an argument.
    pub(super) fn blocks(&mut self, tokens: Vec<Token>) -> Vec<Block> {
        self.sub(tokens, Flow::default()).finish()
    }

    /// The words of an argument.
    pub(super) fn words(&mut self, tokens: Vec<Token>) -> String {
        one_blank(plain(&self.inlines(tokens)).trim())
    }

    fn sub(&mut self, tokens: Vec<Token>, mut flow: Flow) -> Flow {
        if self.depth >= DEEPEST {
            let source = self.gullet.pool.source(&tokens);
            self.trouble(TroubleKind::NotUnderstood, "commands are nested deeper than they are read");
            flow.push(Inline::Source(source));
            return flow;
        }
        self.depth += 1;
        let math = std::mem::replace(&mut self.gullet.math, false);
        let floor = self.gullet.enter(tokens);
        self.run(&mut flow, Until::default());
        self.gullet.leave(floor);
        self.gullet.math = math;
        self.depth -= 1;
        flow
    }
}
