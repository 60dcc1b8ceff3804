//! Text that is kept as it is: verbatim, listings, algorithms, drawings.

use super::Reader;
use super::flow::Flow;
use super::numbers::Kind;
use crate::papers::parse::document::{Block, Code, Inline, TroubleKind};

impl Reader {
    pub(super) fn verbatim(&mut self, flow: &mut Flow, at: u32) {
        let Some(raw) = self.gullet.pool.verbatim(at) else { return };
        match raw.environment.trim_end_matches('*') {
            "filecontents" => self.kept_file(&raw.text),
            _ if self.preamble => {}
            "verb" => flow.push(Inline::Code(raw.text.clone())),
            "algorithm" | "algorithm2e" => self.algorithm(flow, &raw.text),
            "tikzpicture" | "picture" | "pspicture" | "asy" | "feynmandiagram" => {
                self.trouble(TroubleKind::NotUnderstood, format!("a drawing in {}", raw.environment));
                let source = format!("\\begin{{{0}}}{1}\\end{{{0}}}", raw.environment, raw.text);
                if flow.inline { flow.push(Inline::Source(source)) } else { flow.block(Block::Source(source)) }
            }
            "CCSXML" => {}
            "lstlisting" | "minted" | "tcblisting" => self.listing(flow, &raw.text),
            environment => {
                let mut text = raw.text.as_str();
                if environment == "algorithmic" || environment.ends_with("Verbatim") {
                    text = options(text).1;
                }
                self.code(flow, Code { text: lines(text), ..Code::default() });
            }
        }
    }

    fn code(&mut self, flow: &mut Flow, code: Code) {
        if flow.inline { flow.push(Inline::Code(code.text)) } else { flow.block(Block::Code(code)) }
    }

    /// A file that the source brings along in itself.
    fn kept_file(&mut self, text: &str) {
        let text = options(text).1.trim_start();
        let Some((name, text)) = text.strip_prefix('{').and_then(|rest| rest.split_once('}')) else { return };
        if self.gullet.files.texts.len() < 5_000 {
            self.gullet.files.texts.entry(name.trim().to_owned()).or_insert_with(|| text.into());
        }
    }

    fn listing(&mut self, flow: &mut Flow, text: &str) {
        let (options, text) = options(text);
        // minted has its language in braces.
        let braced = text.strip_prefix('{').and_then(|rest| rest.split_once('}')).filter(|(name, _)| name.len() < 30);
        let (language, text) = braced.map_or((None, text), |(name, rest)| (Some(name.to_owned()), rest));
        let language = language.or_else(|| option(options, "language")).map(|name| name.to_lowercase());
        let caption = option(options, "caption").map(|text| self.retold(&text)).unwrap_or_default();
        let label = option(options, "label");
        let mut code = Code { language, text: lines(text), caption, ..Code::default() };
        if !code.caption.is_empty() || label.is_some() {
            let number = self.step("lstlisting");
            code.label = Some(format!("Listing {number}"));
            let current = self.current;
            let target = self.target(Kind::Code, number);
            self.current = current;
            label.into_iter().for_each(|key| self.name_target(target, key));
            code.anchor = Some(super::finish::mark(target));
        }
        self.code(flow, code);
    }

    fn algorithm(&mut self, flow: &mut Flow, text: &str) {
        let mut text = options(text).1.to_owned();
        let current = self.current;
        let caption = cut(&mut text, "\\caption");
        let mut code = Code::default();
        if let Some(caption) = caption {
            let number = self.step("algorithm");
            code.label = Some(format!("Algorithm {number}"));
            let target = self.target(Kind::Code, number);
            code.anchor = Some(super::finish::mark(target));
            code.caption = self.retold(&caption);
            if let Some(key) = cut(&mut text, "\\label") {
                self.name_target(target, key.trim().to_owned());
            }
        }
        self.current = current;
        let furniture = |line: &&str| {
            let line = line.trim();
            !line.starts_with("\\begin{algorithmic}")
                && !line.starts_with("\\end{algorithmic}")
                && line != "\\centering"
        };
        let kept: Vec<&str> = text.lines().filter(furniture).collect();
        code.text = lines(&kept.join("\n"));
        self.code(flow, code);
    }

    /// TeX from inside raw text, read as text.
    fn retold(&mut self, tex: &str) -> Vec<Inline> {
        let tokens = self.tex_tokens(tex);
        self.inlines(tokens)
    }

    pub(super) fn listing_file(&mut self, flow: &mut Flow) {
        let given = self.gullet.optional().map(|tokens| self.gullet.pool.source(&tokens)).unwrap_or_default();
        let name = self.gullet.argument();
        let name = self.gullet.words(name);
        let text = self.gullet.file("", &name).and_then(|path| self.gullet.files.texts.get(&path).cloned());
        match text {
            Some(text) => {
                self.gullet.input_bytes += text.len() as u64;
                if self.gullet.input_bytes > 20_000_000 {
                    return self
                        .trouble(TroubleKind::Truncated, "files are read in again and again, so some were left out");
                }
                self.listing(flow, &format!("[{given}]{text}"));
            }
            None => self.trouble(TroubleKind::Missing, format!("the file {name} is not in the archive")),
        }
    }
}

/// Options in brackets, and the rest.
fn options(text: &str) -> (&str, &str) {
    let start = text.trim_start_matches([' ', '\t']);
    match start.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((options, rest)) => (options, rest),
        None => ("", text),
    }
}

/// The value of an option; braces around it are not part of it.
fn option(options: &str, name: &str) -> Option<String> {
    let mut rest = options;
    while let Some(at) = rest.find(name) {
        let before = rest.get(..at)?.trim_end();
        let after = rest.get(at + name.len()..)?;
        if let (true, Some(value)) = (before.is_empty() || before.ends_with(','), after.trim_start().strip_prefix('='))
        {
            let value = value.trim_start();
            if let Some(inner) = value.strip_prefix('{') {
                return Some(inner.get(..closing(inner)?)?.trim().to_owned());
            }
            return Some(value.split(',').next()?.trim().to_owned());
        }
        rest = after;
    }
    None
}

/// Where the brace closes whose inside begins here.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => open += 1,
            '}' if open == 0 => return Some(at),
            '}' => open -= 1,
            _ => {}
        }
    }
    None
}

/// Takes a command with its argument out of a text; answers the argument.
fn cut(text: &mut String, command: &str) -> Option<String> {
    let at = text.find(command)?;
    let after = text.get(at + command.len()..)?;
    let brace = after.find('{')?;
    let inner = after.get(brace + 1..)?;
    let length = closing(inner)?;
    let argument = inner.get(..length)?.to_owned();
    let end = at + command.len() + brace + 1 + length + 1;
    text.replace_range(at..end, "");
    Some(argument)
}

/// Lines without blank ones at both ends.
fn lines(text: &str) -> String {
    let mut all: Vec<&str> = text.lines().map(str::trim_end).collect();
    while all.last().is_some_and(|line| line.is_empty()) {
        all.pop();
    }
    let start = all.iter().take_while(|line| line.is_empty()).count();
    all.get(start..).unwrap_or_default().join("\n")
}
