//! How fast papers are parsed, against `pdftotext` and bare html5ever in the same run.
//!
//! `cargo bench --bench parse` writes `target/bench/parts/parse.md`. A worker is measured as it runs in the product: a process
//! of the whole binary that reads a file and answers with the document, tables and headings included; figures are cut out by a
//! run of their own. Times are processor time, since machines are shared.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot run has nothing better to do than to say why")]
#![expect(clippy::print_stdout, reason = "a benchmark reports")]

use almagest::papers::parse::{latexml, markdown, pdf};
use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Rounds, in which both sides take turns.
const ROUNDS: usize = 5;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = root.join("../shared/corpus");
    let mut text = String::from("## Parsing\n\n| figure | value | reference | ratio | aim |\n|---|---|---|---|---|\n");
    if corpus.is_dir() {
        text.push_str(&pdfs(&corpus));
        text.push_str(&pages(&corpus));
    } else {
        text.push_str("| skipped: there is no ../shared/corpus | | | | |\n");
    }
    let folder = root.join("target/bench/parts");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("parse.md"), &text).unwrap();
    println!("{text}");
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.retain(|path| path.extension().is_some_and(|found| found == ending));
    all.sort();
    all
}

/// Processor time of ended children in seconds, and the largest memory of one in MB.
fn children() -> (f64, f64) {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    #[expect(unsafe_code, reason = "the standard library does not tell the processor time of children")]
    let usage = unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, usage.as_mut_ptr());
        usage.assume_init()
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    (seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss as f64 / 1024.0)
}

fn run(program: &str, arguments: &[&str], file: &Path) -> f64 {
    let before = children().0;
    let status = Command::new(program)
        .args(arguments)
        .stdin(File::open(file).unwrap())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.unwrap();
    children().0 - before
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn pdfs(corpus: &Path) -> String {
    let worker = env!("CARGO_BIN_EXE_almagest");
    let files: Vec<PathBuf> =
        ["parse-truth", "pdf"].iter().flat_map(|folder| files(&corpus.join(folder), "pdf")).collect();
    // Papers with text that both can open.
    let readable: Vec<(PathBuf, u32)> = files
        .into_iter()
        .filter_map(|path| {
            let bytes = fs::read(&path).unwrap();
            pdf::read(bytes).ok().map(|document| (path, document.pages.unwrap_or(0)))
        })
        .collect();
    let count: u32 = readable.iter().map(|(_, pages)| pages).sum();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let has_pdftotext = Command::new("pdftotext").arg("-v").stderr(Stdio::null()).status().is_ok();
    let mut memory = 0.0_f64;
    for _ in 0..ROUNDS {
        let all: f64 = readable.iter().map(|(path, _)| run(worker, &["parse-worker", "{\"Parse\":null}"], path)).sum();
        ours.push(f64::from(count) / all);
        memory = memory.max(children().1);
        if has_pdftotext {
            let all: f64 = readable.iter().map(|(path, _)| run("pdftotext", &["-", "-"], path)).sum();
            theirs.push(f64::from(count) / all);
        }
    }
    let mut out = String::new();
    let ours = median(ours);
    let (reference, ratio) = match theirs.is_empty() {
        true => ("pdftotext is not installed".to_owned(), "-".to_owned()),
        false => {
            let theirs = median(theirs);
            (format!("pdftotext {theirs:.0}"), format!("{:.2}", ours / theirs))
        }
    };
    let _ = writeln!(
        out,
        "| PDF, pages per processor second ({} files, {count} pages) | {ours:.0} | {reference} | {ratio} | >= 1.5 |",
        readable.len()
    );
    let _ = writeln!(out, "| PDF, most memory of a worker | {memory:.0} MB | | | < 300 MB |");
    out
}

fn pages(corpus: &Path) -> String {
    let mut pages: Vec<String> = Vec::new();
    for (folder, ending) in [("parse-truth", "html"), ("html", "html"), ("html", "xhtml")] {
        for path in files(&corpus.join(folder), ending) {
            let page = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
            if latexml::read(&page).is_ok() {
                pages.push(page);
            }
        }
    }
    let megabytes = pages.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        for page in &pages {
            std::hint::black_box(markdown::write(&latexml::read(page).unwrap()));
        }
        ours.push(megabytes / begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        for page in &pages {
            std::hint::black_box(scraper::Html::parse_document(page));
        }
        bare.push(megabytes / begun.elapsed().as_secs_f64());
    }
    let (ours, bare) = (median(ours), median(bare));
    format!(
        "| LaTeXML HTML, MB/s ({} pages, {megabytes:.1} MB) | {ours:.1} | bare html5ever {bare:.1} | {:.2} | >= 0.75 |\n",
        pages.len(),
        ours / bare
    )
}
