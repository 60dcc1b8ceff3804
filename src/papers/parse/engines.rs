//! Which engine reads a file, by what is in it.

use super::completeness::{Completeness, Expected, judge};
use super::document::{Document, Engine};
use super::{latexml, markdown, pdf};
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
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
        let text = text.trim_start_matches('\u{feff}').trim_start().to_ascii_lowercase();
        let begins = ["<!doctype html", "<html", "<?xml", "<div", "<article", "<!--", "<head", "<body"]
            .iter()
            .any(|known| text.starts_with(known));
        if begins || text.contains("<html") { Self::Html } else { Self::Unknown }
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
        Some(Engine::ArxivHtml | Engine::Ar5iv) => kind == Kind::Html,
        Some(Engine::Latex | Engine::PublisherHtml | Engine::Mineru) => {
            return Err("This engine is not in this build.".into());
        }
    };
    if !fits {
        return Err("The engine that is asked for does not read this kind of file.".into());
    }
    match kind {
        Kind::Pdf => pdf::read(bytes).map(|document| (Engine::Pdf, document)).map_err(|why| why.to_string()),
        Kind::Html => {
            let page = String::from_utf8_lossy(&bytes);
            let document = latexml::read(&page).map_err(|why| why.to_string())?;
            let engine = wanted.unwrap_or(if page.contains("ar5iv") { Engine::Ar5iv } else { Engine::ArxivHtml });
            Ok((engine, document))
        }
        Kind::Unknown => Err("The file is neither a PDF nor an HTML page.".into()),
    }
}
