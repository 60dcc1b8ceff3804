//! Which engine reads a file, by what is in it.

use super::completeness::{Completeness, Expected, judge};
use super::document::{Document, Engine};
use super::{latex, latexml, markdown, mineru, pdf, publisher};
use serde::{Deserialize, Serialize};

/// The version of all engines and of the writer. It goes up whenever the same file gives another text, so that what was parsed
/// before can be told and parsed again.
pub const PIPELINE: u32 = 1;

/// A parsed paper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parsed {
    /// Who read it.
    pub engine: Engine,
    /// [`PIPELINE`] at the time.
    pub version: u32,
    /// How far to trust it.
    pub completeness: Completeness,
    /// The text.
    pub markdown: String,
    /// The same as a tree.
    pub document: Document,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// PDF.
    Pdf,
    /// HTML or XHTML.
    Html,
    /// The source of a paper: an archive (tar, gzip, zip) or TeX.
    Latex,
    /// The content lists of a MinerU job, see [`mineru::Bundle`].
    Mineru,
    /// Nothing that is known.
    Unknown,
}

impl Kind {
    /// Tells a file by its first bytes, whatever its name is.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        // Some servers put a line before it; readers accept that within the first KB.
        let start = &bytes[..bytes.len().min(1024)];
        if start.windows(5).any(|five| five == b"%PDF-") {
            return Self::Pdf;
        }
        let is_tar = bytes.get(257..262) == Some(b"ustar");
        if is_tar || bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(b"PK\x03\x04") {
            return Self::Latex;
        }
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
        let text = text.trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
        if text.starts_with("{\"mineru_parts\"") {
            return Self::Mineru;
        }
        let begins = ["<!doctype html", "<html", "<?xml", "<div", "<article", "<!--", "<head", "<body"]
            .iter()
            .any(|known| text.starts_with(known));
        let is_tex = || {
            ["\\documentclass", "\\documentstyle", "\\begin{document}"].iter().any(|known| has(bytes, known.as_bytes()))
        };
        if begins || text.contains("<html") {
            Self::Html
        } else if is_tex() {
            Self::Latex
        } else {
            Self::Unknown
        }
    }
}

/// Parses a file by the engine that fits it, or by the one that is asked for.
///
/// # Errors
/// With a sentence when the file is no paper that can be read.
pub fn parse(bytes: Vec<u8>, wanted: Option<Engine>) -> Result<Parsed, String> {
    let (engine, document) = read(bytes, wanted)?;
    let markdown = markdown::write(&document);
    let completeness = judge(&document, &markdown, Expected::default());
    Ok(Parsed { engine, version: PIPELINE, completeness, markdown, document })
}

fn read(bytes: Vec<u8>, wanted: Option<Engine>) -> Result<(Engine, Document), String> {
    let kind = Kind::of(&bytes);
    let fits = match wanted {
        None => true,
        Some(Engine::Pdf) => kind == Kind::Pdf,
        Some(Engine::ArxivHtml | Engine::Ar5iv | Engine::PublisherHtml) => kind == Kind::Html,
        Some(Engine::Mineru) => kind == Kind::Mineru,
        Some(Engine::Latex) => kind == Kind::Latex,
    };
    if !fits {
        return Err("The engine that is asked for does not read this kind of file.".into());
    }
    match kind {
        Kind::Pdf => pdf::read(bytes).map(|document| (Engine::Pdf, document)).map_err(|why| why.to_string()),
        Kind::Html => html(&String::from_utf8_lossy(&bytes), wanted),
        Kind::Mineru => {
            let document = mineru::read_bundle(&String::from_utf8_lossy(&bytes));
            document.map(|document| (Engine::Mineru, document)).map_err(|why| why.to_string())
        }
        Kind::Latex => latex::read(&bytes).map(|document| (Engine::Latex, document)).map_err(|why| why.to_string()),
        Kind::Unknown => Err("The file is no PDF, no HTML page and no LaTeX source.".into()),
    }
}

/// Whether a text of moderate size has a word somewhere: a long preamble may stand before it.
fn has(bytes: &[u8], word: &[u8]) -> bool {
    memchr::memmem::find(&bytes[..bytes.len().min(1 << 20)], word).is_some()
}

/// A page: LaTeXML's, or else a publisher's.
fn html(page: &str, wanted: Option<Engine>) -> Result<(Engine, Document), String> {
    if wanted != Some(Engine::PublisherHtml) {
        match latexml::read(page) {
            Ok(document) => {
                let made_by = if page.contains("ar5iv") { Engine::Ar5iv } else { Engine::ArxivHtml };
                return Ok((wanted.unwrap_or(made_by), document));
            }
            Err(latexml::Refusal::NotLatexml) if wanted.is_none() => {}
            Err(why) => return Err(why.to_string()),
        }
    }
    publisher::read(page).map(|document| (Engine::PublisherHtml, document)).map_err(|why| why.to_string())
}
