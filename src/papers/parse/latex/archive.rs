//! What arXiv serves, unpacked in memory.
//!
//! Nothing is written anywhere. Every number that a hostile archive could inflate has a limit: files, unpacked bytes, bytes
//! of one text. Entries that would leave the archive's folder, links and devices are never followed, only counted.

use super::Refusal;
use flate2::read::MultiGzDecoder;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};
use std::rc::Rc;

/// Limits of an archive.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Entries.
    pub files: usize,
    /// Unpacked bytes, headers of the archive included.
    pub unpacked: u64,
    /// Bytes of one text.
    pub text: u64,
}

/// The limits of the product.
pub(super) const LIMITS: Limits = Limits { files: 5_000, unpacked: 200_000_000, text: 20_000_000 };

/// The files of a paper.
#[derive(Debug, Clone, Default)]
pub(super) struct Files {
    /// Texts by their path, line ends as `\n`.
    pub texts: BTreeMap<String, Rc<str>>,
    /// The paths of everything else.
    pub names: BTreeSet<String>,
    /// Whether there was an archive; a single file says nothing about what is missing.
    pub archive: bool,
    /// Entries that were left out, with the reason for people.
    pub skipped: Vec<String>,
}

impl Files {
    /// Unpacks whatever the bytes are.
    pub fn unpack(bytes: &[u8], limits: Limits) -> Result<Self, Refusal> {
        if bytes.starts_with(&[0x1f, 0x8b]) {
            let unpacked = bounded(MultiGzDecoder::new(bytes), limits.unpacked)?;
            return if is_tar(&unpacked) { Self::tar(&unpacked, limits) } else { Self::single(&unpacked, limits) };
        }
        if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
            return Self::zip(bytes, limits);
        }
        if is_tar(bytes) {
            return Self::tar(bytes, limits);
        }
        Self::single(bytes, limits)
    }

    fn single(bytes: &[u8], limits: Limits) -> Result<Self, Refusal> {
        if bytes.starts_with(b"%PDF") {
            return Err(Refusal::Pdf);
        }
        if bytes.len() as u64 > limits.text {
            return Err(Refusal::TooLarge("its text is larger than any paper"));
        }
        // TeX has no zero bytes; everything else that is binary has some.
        if bytes.is_empty() || bytes.iter().take(4_096).any(|byte| *byte == 0) {
            return Err(Refusal::NotLatex);
        }
        let mut files = Self::default();
        files.texts.insert("main.tex".to_owned(), text(bytes));
        Ok(files)
    }

    fn tar(bytes: &[u8], limits: Limits) -> Result<Self, Refusal> {
        let mut files = Self { archive: true, ..Self::default() };
        let mut archive = tar::Archive::new(bytes);
        let entries = archive.entries().map_err(|error| Refusal::Damaged(error.to_string()))?;
        let mut unpacked = 0_u64;
        for (count, entry) in entries.enumerate() {
            if count >= limits.files {
                return Err(Refusal::TooLarge("it has more files than any paper"));
            }
            // A damaged end still leaves the files before it.
            let Ok(mut entry) = entry else {
                files.skipped.push("the archive breaks off".to_owned());
                break;
            };
            unpacked = unpacked.saturating_add(entry.size());
            if unpacked > limits.unpacked {
                return Err(Refusal::TooLarge("it unpacks to more than any paper has"));
            }
            let kind = entry.header().entry_type();
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            if kind.is_dir() || kind.is_pax_global_extensions() {
                continue;
            }
            if !kind.is_file() && !kind.is_contiguous() {
                files.skipped.push("a link or a device in the archive".to_owned());
                continue;
            }
            let size = entry.size();
            files.keep(&name, size, limits, &mut entry);
        }
        files.checked()
    }

    fn zip(bytes: &[u8], limits: Limits) -> Result<Self, Refusal> {
        let damaged = |error: zip::result::ZipError| Refusal::Damaged(error.to_string());
        let mut files = Self { archive: true, ..Self::default() };
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(damaged)?;
        if archive.len() > limits.files {
            return Err(Refusal::TooLarge("it has more files than any paper"));
        }
        let mut unpacked = 0_u64;
        for at in 0..archive.len() {
            let Ok(mut entry) = archive.by_index(at) else {
                files.skipped.push("an entry of the archive cannot be read".to_owned());
                continue;
            };
            if entry.is_dir() {
                continue;
            }
            if entry.is_symlink() || !entry.is_file() {
                files.skipped.push("a link or a device in the archive".to_owned());
                continue;
            }
            let Ok(name) = entry.name().map(std::borrow::Cow::into_owned) else {
                files.skipped.push("an entry of the archive has no name".to_owned());
                continue;
            };
            let size = entry.size();
            // What the archive says about sizes may be a lie; what is read is not.
            let read = files.keep(&name, size, limits, &mut entry);
            unpacked = unpacked.saturating_add(read);
            if unpacked > limits.unpacked {
                return Err(Refusal::TooLarge("it unpacks to more than any paper has"));
            }
        }
        files.checked()
    }

    /// Keeps an entry: its text, or only its name. Answers how many bytes were read.
    fn keep(&mut self, name: &str, size: u64, limits: Limits, entry: &mut dyn Read) -> u64 {
        let Some(path) = safe_path(name) else {
            self.skipped.push("a file whose path leaves the archive".to_owned());
            return 0;
        };
        if !is_text(&path) {
            self.names.insert(path);
            return 0;
        }
        if size > limits.text {
            self.skipped.push(format!("the text {path} is too large"));
            return 0;
        }
        let mut bytes = Vec::new();
        if entry.take(limits.text + 1).read_to_end(&mut bytes).is_err() {
            self.skipped.push(format!("the file {path} is damaged"));
        }
        let read = bytes.len() as u64;
        if read > limits.text {
            self.skipped.push(format!("the text {path} is too large"));
        } else if bytes.iter().take(4_096).any(|byte| *byte == 0) {
            self.names.insert(path);
        } else {
            self.texts.insert(path, text(&bytes));
        }
        read
    }

    fn checked(self) -> Result<Self, Refusal> {
        if self.texts.is_empty() { Err(Refusal::NotLatex) } else { Ok(self) }
    }

    /// The path of an image, tried with the extensions that LaTeX tries.
    pub fn image(&self, folders: &[String], name: &str) -> Option<String> {
        const EXTENSIONS: [&str; 13] =
            ["", ".pdf", ".png", ".jpg", ".jpeg", ".eps", ".ps", ".epsi", ".PDF", ".PNG", ".JPG", ".EPS", ".gif"];
        let has = |path: &str| self.names.contains(path) || self.texts.contains_key(path);
        for folder in std::iter::once("").chain(folders.iter().map(String::as_str)) {
            for extension in EXTENSIONS {
                if let Some(path) = safe_path(&format!("{folder}{name}{extension}")).filter(|path| has(path)) {
                    return Some(path);
                }
            }
        }
        // arXiv turns what was uploaded into what it can show, so the stem decides in the end.
        let stem = safe_path(name)?;
        let stem = stem.rsplit_once('.').map_or(stem.as_str(), |(stem, _)| stem).to_owned();
        let range = self.names.range(format!("{stem}.")..).take_while(|path| path.starts_with(&stem));
        range.into_iter().find(|path| path.strip_prefix(&*stem).is_some_and(|rest| !rest.contains('/'))).cloned()
    }
}

fn bounded(reader: impl Read, limit: u64) -> Result<Vec<u8>, Refusal> {
    let mut out = Vec::new();
    let read = reader.take(limit + 1).read_to_end(&mut out);
    if out.len() as u64 > limit {
        return Err(Refusal::TooLarge("it unpacks to more than any paper has"));
    }
    match read {
        Err(error) if out.is_empty() => Err(Refusal::Damaged(error.to_string())),
        Ok(_) | Err(_) => Ok(out),
    }
}

/// Whether bytes are a tar: the magic of every dialect, or a checksum that fits for the one without.
fn is_tar(bytes: &[u8]) -> bool {
    let Some(header) = bytes.get(..512) else { return false };
    if header.get(257..262) == Some(b"ustar") {
        return true;
    }
    let Some(field) = header.get(148..156) else { return false };
    let digits: String = field.iter().map(|byte| char::from(*byte)).filter(char::is_ascii_digit).collect();
    let sum: u32 = header
        .iter()
        .enumerate()
        .map(|(at, byte)| if (148..156).contains(&at) { u32::from(b' ') } else { u32::from(*byte) })
        .sum();
    !digits.is_empty() && u32::from_str_radix(&digits, 8) == Ok(sum)
}

/// A path inside the archive with `/` between its parts; nothing for one that leads out of it.
pub(super) fn safe_path(name: &str) -> Option<String> {
    let name = name.trim().replace('\\', "/");
    let drive = name.as_bytes().get(1) == Some(&b':');
    if name.starts_with('/') || drive || name.contains('\0') {
        return None;
    }
    let parts: Vec<&str> = name.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    (!parts.is_empty() && !parts.contains(&"..")).then(|| parts.join("/"))
}

fn is_text(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    match file.rsplit_once('.') {
        None => true,
        Some((_, extension)) => matches!(
            extension.to_ascii_lowercase().as_str(),
            "tex" | "ltx" | "latex" | "bbl" | "bib" | "sty" | "cls" | "txt" | "json" | "xxx"
        ),
    }
}

/// Bytes as text: UTF-8, or Latin-1 as old papers are.
fn text(bytes: &[u8]) -> Rc<str> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.trim_start_matches('\u{feff}').to_owned(),
        Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
    };
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}
