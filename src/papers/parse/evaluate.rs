//! `almagest eval parse DIR`: scores the engines over papers whose truth is known.
//!
//! A paper is `ID.truth.json` (see [`Truth`]) beside `ID.pdf`, `ID.html` or `ID.latexml.html`. The signs of a PDF are compared
//! with what `pdftotext` finds, where that is installed.

use super::document::Engine;
use super::score::{Score, Truth, score};
use super::symbols::Symbols;
use super::worker::Parser;
use crate::sandbox::{End, Limits, Policy, Sandbox, system_folders};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// One file's result.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    /// The file's name.
    pub file: String,
    /// Who read it.
    pub engine: Option<Engine>,
    /// Why it was not read.
    pub error: Option<String>,
    /// How good the text is.
    pub score: Score,
    /// How far the text says that it is to be trusted.
    pub completeness: Option<f64>,
    /// The share of the signs that `pdftotext` finds; absent where it finds none or is not installed.
    pub symbols: BTreeMap<String, f64>,
}

/// All results.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Report {
    /// One row a file.
    pub files: Vec<Row>,
    /// The means over the files of a kind (`pdf`, `html`), by the name of the figure.
    pub means: BTreeMap<String, BTreeMap<String, f64>>,
}

/// Parses and scores all papers of a folder.
///
/// # Errors
/// When the folder or a truth cannot be read.
pub async fn evaluate(parser: &Parser, sandbox: &Sandbox, folder: &Path) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let folder = folder.canonicalize()?;
    for (file, truth) in papers(&folder)? {
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let mut row = Row {
            file: name,
            engine: None,
            error: None,
            score: Score::default(),
            completeness: None,
            symbols: BTreeMap::new(),
        };
        match parser.parse(&file, None).await {
            Ok(parsed) => {
                row.score = score(&parsed.markdown, &truth);
                row.engine = Some(parsed.engine);
                row.completeness = Some(parsed.completeness.score);
                if parsed.engine == Engine::Pdf
                    && let Some(other) = pdftotext(sandbox, &file).await
                {
                    let against = Symbols::count(&parsed.markdown).against(&Symbols::count(&other));
                    row.symbols =
                        against.into_iter().filter_map(|(sign, share)| Some((sign.to_owned(), share?))).collect();
                }
            }
            Err(error) => row.error = Some(error.to_string()),
        }
        report.files.push(row);
    }
    report.means = means(&report.files);
    Ok(report)
}

/// The files with a truth, by name.
fn papers(folder: &Path) -> anyhow::Result<Vec<(PathBuf, Truth)>> {
    let mut out = Vec::new();
    let mut truths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    truths.sort();
    for path in truths {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let Some(id) = name.strip_suffix(".truth.json") else { continue };
        let truth: Truth = serde_json::from_slice(&std::fs::read(&path)?)
            .map_err(|error| anyhow::anyhow!("{} is no truth of a paper: {error}", path.display()))?;
        for ending in ["pdf", "html", "latexml.html"] {
            let file = folder.join(format!("{id}.{ending}"));
            if file.is_file() {
                out.push((file, truth.clone()));
            }
        }
    }
    anyhow::ensure!(!out.is_empty(), "{} has no ID.truth.json with an ID.pdf or ID.html beside it", folder.display());
    Ok(out)
}

/// What `pdftotext` finds, in a confined process like everything that reads foreign files.
async fn pdftotext(sandbox: &Sandbox, file: &Path) -> Option<String> {
    let program = Path::new("/usr/bin/pdftotext");
    if !program.exists() {
        return None;
    }
    let policy = Policy {
        command: vec![program.display().to_string(), "-".into(), "-".into()],
        environment: BTreeMap::new(),
        input: Some(file.to_owned()),
        folder: PathBuf::from("/"),
        readable: system_folders(),
        writable: Vec::new(),
        read_only_inside: Vec::new(),
        limits: Limits {
            wall_secs: 60,
            cpu_secs: 60,
            processes: 1,
            memory: 1 << 30,
            address_space: 2 << 30,
            file_bytes: 256 << 20,
            open_files: 64,
            output: 64 << 20,
            kept: 128 << 20,
        },
        isolation: sandbox.isolation().await,
    };
    let outcome = sandbox.run(policy).await.ok()?;
    (outcome.end == End::Exited(0)).then(|| outcome.stdout.text())
}

fn figures(row: &Row) -> Vec<(String, f64)> {
    let score = &row.score;
    let named = [
        ("lcs", score.lcs),
        ("eight_gram", score.eight_gram),
        ("heading_recall", score.heading_recall),
        ("heading_precision", score.heading_precision),
        ("references_split", score.references_split),
        ("captions", score.captions),
        ("completeness", row.completeness),
    ];
    let symbols = row.symbols.iter().map(|(sign, share)| (sign.clone(), *share));
    named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).chain(symbols).collect()
}

fn means(rows: &[Row]) -> BTreeMap<String, BTreeMap<String, f64>> {
    let mut sums: BTreeMap<String, BTreeMap<String, (f64, u32)>> = BTreeMap::new();
    for row in rows {
        let kind = if row.file.ends_with(".pdf") { "pdf" } else { "html" };
        let of_kind = sums.entry(kind.to_owned()).or_default();
        for (name, value) in figures(row) {
            let sum = of_kind.entry(name).or_default();
            *sum = (sum.0 + value, sum.1 + 1);
        }
    }
    let mean = |(sum, count): (f64, u32)| sum / f64::from(count.max(1));
    sums.into_iter().map(|(kind, of)| (kind, of.into_iter().map(|(name, sum)| (name, mean(sum))).collect())).collect()
}

impl Report {
    /// The report as a table with the worst places, for people.
    #[must_use]
    pub fn table(&self) -> String {
        let mut out = String::from("file                       lcs    8-gram head R head P refs   capt   compl\n");
        let cell = |value: Option<f64>| value.map_or_else(|| "  -   ".to_owned(), |value| format!("{value:.3} "));
        for row in &self.files {
            let s = &row.score;
            let _ = write!(out, "{:26} ", row.file);
            for value in [
                s.lcs,
                s.eight_gram,
                s.heading_recall,
                s.heading_precision,
                s.references_split,
                s.captions,
                row.completeness,
            ] {
                let _ = write!(out, "{} ", cell(value));
            }
            out.push('\n');
            if let Some(error) = &row.error {
                let _ = writeln!(out, "    not read: {error}");
            }
            let list = |out: &mut String, what: &str, all: &[String]| {
                if !all.is_empty() {
                    let first: Vec<String> = all.iter().take(4).map(|one| one.chars().take(40).collect()).collect();
                    let _ = writeln!(out, "    {what} ({}): {}", all.len(), first.join(" | "));
                }
            };
            list(&mut out, "missed headings", &s.missed_headings);
            list(&mut out, "false headings", &s.false_headings);
            list(&mut out, "entries not split", &s.missed_references);
            if !row.symbols.is_empty() {
                let signs: Vec<String> = row.symbols.iter().map(|(sign, share)| format!("{sign} {share:.3}")).collect();
                let _ = writeln!(out, "    signs against pdftotext: {}", signs.join(", "));
            }
        }
        for (kind, of) in &self.means {
            let all: Vec<String> = of.iter().map(|(name, value)| format!("{name} {value:.3}")).collect();
            let _ = writeln!(out, "mean {kind}: {}", all.join(", "));
        }
        out
    }
}
