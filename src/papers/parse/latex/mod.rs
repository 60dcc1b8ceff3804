//! The LaTeX source of a paper, as arXiv keeps it.
//!
//! ```text
//! archive -> texts -> tokens -> tokens behind macros and conditions -> blocks
//! (archive)  (source)  (token)   (gullet, define)                     (flow and its kin)
//! ```
//!
//! It is no TeX: nothing is laid out, and macros only have the forms that papers use. A command that neither the paper nor
//! the reader defines stays as source text and is counted. Labels and citations are resolved at the end, when all numbers are
//! known ([`finish`]); until then they carry what is needed for it.

mod archive;
mod authors;
mod bibliography;
mod bibtex;
mod commands;
mod define;
mod environments;
mod equations;
mod finish;
mod floats;
mod flow;
mod front;
mod gullet;
mod lines;
mod links;
mod listings;
mod math;
mod modern;
mod numbers;
mod source;
mod symbols;
mod tables;
mod tabular;
mod token;

use super::document::{Document, TroubleKind};
use archive::{Files, LIMITS, Limits};
use flow::{Flow, Until};
use gullet::Gullet;
use std::collections::HashMap;
use std::rc::Rc;
use token::Name;

/// Why there is no document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The bytes are a PDF.
    #[error("This paper has no LaTeX source: what was sent is a PDF.")]
    Pdf,
    /// The bytes are no LaTeX, packed or not.
    #[error("There is no LaTeX text in this file.")]
    NotLatex,
    /// The archive cannot be read.
    #[error("The archive is damaged: {0}.")]
    Damaged(String),
    /// A limit was reached.
    #[error("The archive was not unpacked: {0}.")]
    TooLarge(&'static str),
    /// There is nothing in it.
    #[error("The LaTeX source has no text.")]
    Empty,
}

/// Reads what arXiv serves as a paper's source: a packed or plain archive, or a single text.
///
/// # Errors
/// When it is no LaTeX source, or too large to be one.
pub fn read(bytes: &[u8]) -> Result<Document, Refusal> {
    read_within(bytes, LIMITS)
}

fn read_within(bytes: &[u8], limits: Limits) -> Result<Document, Refusal> {
    let files = Files::unpack(bytes, limits)?;
    let main = source::main_file(&files).ok_or(Refusal::NotLatex)?;
    let mut reader = Reader::new(files, &main);
    for what in std::mem::take(&mut reader.gullet.files.skipped) {
        reader.trouble(TroubleKind::Missing, what);
    }
    reader.paper(&main);
    let read = reader.finish();
    if read.body.is_empty() && read.summary.is_empty() {
        return Err(Refusal::Empty);
    }
    Ok(read)
}

/// Whose class the paper is written for, which decides how things are numbered and cited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Class {
    /// The journals of the AAS.
    Aastex,
    /// Monthly Notices.
    Mnras,
    /// Astronomy & Astrophysics.
    Aa,
    /// The journals of the APS.
    Revtex,
    /// `article` and everything else.
    #[default]
    Other,
}

/// Reads one paper.
#[derive(Default)]
struct Reader {
    gullet: Gullet,
    document: Document,
    /// The path of the main file without its extension.
    stem: String,
    class: Class,
    /// Whether the document has not begun: what is printed there is nothing.
    preamble: bool,
    /// Environments and arguments inside each other.
    depth: usize,
    /// The environments that are open.
    open: Vec<Name>,
    counters: numbers::Counters,
    targets: Vec<numbers::Target>,
    /// What a label would name now.
    current: Option<usize>,
    labels: HashMap<String, usize>,
    floats: Vec<floats::Float>,
    theorems: HashMap<String, environments::Theorem>,
    graphics: Vec<String>,
    columns: HashMap<char, String>,
    credits: Vec<authors::Credit>,
    cites: links::CiteStyle,
    cited: links::Cited,
    marks: links::Marks,
    bibliography: bibliography::State,
    troubles: HashMap<(TroubleKind, String), u32>,
    trouble_order: Vec<(TroubleKind, String)>,
}

/// Different troubles that are kept apart; beyond, they are counted together.
const TROUBLES: usize = 300;

impl Reader {
    fn new(files: Files, main: &str) -> Self {
        let stem = main.rsplit_once('.').map_or(main, |(stem, _)| stem).to_owned();
        let mut reader = Self { stem, preamble: true, ..Self::default() };
        reader.gullet.files = files;
        if let Some((folder, _)) = main.rsplit_once('/') {
            // Names in the source are relative to the main file.
            reader.gullet.folders.push(folder.to_owned());
            reader.graphics.push(format!("{folder}/"));
        }
        reader
    }

    /// Reads the main file into the document.
    fn paper(&mut self, main: &str) {
        let Some(text) = self.gullet.files.texts.get(main).cloned() else { return };
        if !text.contains("\\begin{document}") {
            // Plain parts of papers, and papers in pieces: everything is text.
            self.preamble = text.contains("\\begin") && text.contains("{document}");
        }
        // Nothing reads it again, not even when it was read to its end.
        self.gullet.read.insert(main.to_owned(), u32::MAX);
        self.gullet.open(Rc::clone(&text), main, false);
        let end = self.gullet.pool.name("document");
        let mut flow = Flow::default();
        self.run(&mut flow, Until { end: Some(end), mark: None });
        self.late_bibliography();
        self.end_sections(&mut flow);
        self.document.body = flow.finish();
    }

    /// Counts a trouble. Hostile papers have millions of different ones, so they are gathered by a key first.
    fn trouble(&mut self, kind: TroubleKind, what: impl Into<String>) {
        let mut what: String = what.into();
        if what.chars().count() > 200 {
            what = what.chars().take(200).collect();
        }
        if !self.troubles.contains_key(&(kind, what.clone())) {
            if self.trouble_order.len() >= TROUBLES {
                what = "more that was not understood".to_owned();
            }
            if !self.troubles.contains_key(&(kind, what.clone())) {
                self.trouble_order.push((kind, what.clone()));
            }
        }
        let count = self.troubles.entry((kind, what)).or_default();
        *count = count.saturating_add(1);
    }
}

#[cfg(test)]
mod tests;
