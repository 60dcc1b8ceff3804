//! Files that mean no good, and real ones that were damaged: each gives Markdown or one clear sentence, within its limits, and
//! the process that waits for it does not grow.

use crate::build_pdf::{Font, Page, file};
use crate::corpus;
use almagest::papers::parse::worker::{ParseError, Parser};
use almagest::sandbox::Sandbox;
use std::fs;
use std::path::{Path, PathBuf};

/// Damaged files.
const MUTATIONS: usize = 300;
/// Bytes that the waiting process may grow by over all files; one answer is up to 64 MB and is let go.
const GROWTH: u64 = 160 << 20;

fn parser() -> Parser {
    let worker = PathBuf::from(env!("CARGO_BIN_EXE_almagest"));
    Parser::new(Sandbox::new(worker.clone()), worker)
}

/// What came of a file, in a word; a defect of the parser fails the test.
async fn outcome(parser: &Parser, path: &Path) -> &'static str {
    match parser.parse(path, None).await {
        Ok(parsed) => {
            assert!((0.0..=1.0).contains(&parsed.completeness.score), "{}", path.display());
            "parsed"
        }
        Err(ParseError::Refused(why)) => {
            assert!(why.ends_with('.') && why.len() > 15, "{}: {why}", path.display());
            "refused"
        }
        Err(ParseError::Exhausted(why)) => {
            eprintln!("{}: {why}", path.display());
            "given up"
        }
        Err(error @ (ParseError::Failed(_) | ParseError::Sandbox(_))) => panic!("{}: {error}", path.display()),
    }
}

/// Bytes of memory that this process has in use.
fn resident() -> u64 {
    let pages: u64 = fs::read_to_string("/proc/self/statm").unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % below.max(1)
    }
}

/// One of several ways to damage bytes.
fn damage(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut out = bytes.to_vec();
    match dice.next(6) {
        0 => out.truncate(dice.next(out.len())),
        1 => {
            for _ in 0..=dice.next(400) {
                let at = dice.next(out.len());
                out[at] ^= 1 << dice.next(8);
            }
        }
        2 => {
            // A stretch is missing.
            let from = dice.next(out.len());
            let to = (from + dice.next(4000)).min(out.len());
            out.drain(from..to);
        }
        3 => {
            // A stretch comes again and again.
            let from = dice.next(out.len());
            let piece = out[from..(from + 1 + dice.next(300)).min(out.len())].to_vec();
            let times = 1 + dice.next(3000);
            out.splice(from..from, piece.repeat(times));
        }
        4 => {
            // Numbers become huge: lengths, counts, offsets.
            let mut left = 1 + dice.next(30);
            for at in 0..out.len() {
                if left > 0 && out[at].is_ascii_digit() && dice.next(200) == 0 {
                    out[at] = b'9';
                    out.insert(at, b'9');
                    out.insert(at, b'9');
                    left -= 1;
                }
            }
        }
        _ => {
            // Two halves of a file swapped.
            let at = dice.next(out.len());
            out.rotate_left(at);
        }
    }
    out
}

/// Files that mean no good from the start.
fn traps() -> Vec<(&'static str, Vec<u8>)> {
    let html = |body: String| {
        format!("<!DOCTYPE html><article class=\"ltx_document\"><p class=\"ltx_p\">{body}</p></article>").into_bytes()
    };
    let mut page = Page::default();
    page.text(Font::Plain, 10.0, 50.0, 50.0, "text");
    let whole = String::from_utf8(file(&[page])).unwrap();
    // A form that draws itself, and a content stream with a million operators.
    let recursive = whole
        .replace("/Resources << /Font", "/Resources << /XObject << /Fig 3 0 R >> /Font")
        .replace("BT /F0", "/Fig Do /Fig Do BT /F0");
    let long = whole.replace("ET\n", &format!("ET\n{}", "0 0 m 1 1 l S\n".repeat(300_000)));
    let packed = |bytes: &[u8]| {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut packed, bytes).unwrap();
        packed.finish().unwrap()
    };
    let paper = b"\\documentclass{article}\\begin{document}Text.\\input{../../etc/passwd}\\end{document}";
    let mut slip = tar::Builder::new(Vec::new());
    for name in ["main.tex", "..-..-outside.tex", "-etc-outside.tex"] {
        let mut header = tar::Header::new_gnu();
        header.set_size(paper.len() as u64);
        // The writer refuses such paths, so they go in past it.
        let path = name.replace('-', "/");
        header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        slip.append(&header, &paper[..]).unwrap();
    }
    let mut link = tar::Header::new_gnu();
    link.set_entry_type(tar::EntryType::Symlink);
    link.set_size(0);
    slip.append_link(&mut link, "bib.tex", "/etc/passwd").unwrap();
    let slip = slip.into_inner().unwrap();
    let looping = "\\documentclass{article}\\def\\a{\\a\\a}\\def\\b{\\c\\c\\c\\c}\\def\\c{\\d\\d\\d\\d}\\def\\d{\\b x}\\begin{document}Text \\a \\b\\input{main}\\end{document}";
    vec![
        // Parts of a gzip file may follow each other: 640 MB out of little.
        ("bomb.gz", packed(&vec![b'x'; 16 << 20]).repeat(40)),
        ("slip.tar.gz", packed(&slip)),
        ("slip.tar", slip),
        ("looping.tex", looping.into()),
        (
            "nested.tex",
            format!("\\documentclass{{article}}\\begin{{document}}Text {}", "{\\bf ".repeat(100_000)).into_bytes(),
        ),
        ("deep.html", html(format!("{}x", "<div><span>".repeat(60_000)))),
        ("wide.html", html("<b>x</b>".repeat(200_000))),
        ("entities.html", html("&amp;&#x41;&nosuch;".repeat(50_000))),
        ("math.html", html(format!("<math alttext=\"{}\"></math>", "{".repeat(500_000)))),
        (
            "spans.html",
            html(
                "<table class=\"ltx_tabular\"><tr><td colspan=\"60000\" rowspan=\"60000\">x</td></tr></table>"
                    .repeat(50),
            ),
        ),
        ("open.html", b"<!DOCTYPE html><article class=\"ltx_document\"><p class=\"ltx_p\"><math alttext=\"".to_vec()),
        ("recursive.pdf", recursive.into_bytes()),
        ("long.pdf", long.into_bytes()),
        ("brackets.pdf", format!("%PDF-1.7\n1 0 obj\n{}", "[".repeat(400_000)).into_bytes()),
        ("nul", vec![0; 100_000]),
        ("utf16.html", "\u{feff}<html>".encode_utf16().flat_map(u16::to_le_bytes).collect()),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn traps_are_refused_or_read_within_their_limits() {
    let (parser, folder) = (parser(), tempfile::tempdir().unwrap());
    for (name, bytes) in traps() {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        println!("{name}: {}", outcome(&parser, &path).await);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn real_files_whole_and_damaged_end_well() {
    let mut files: Vec<PathBuf> = ["pdf", "pdf-hostile", "html"]
        .iter()
        .filter_map(|folder| corpus(folder))
        .flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>())
        .filter(|path| path.extension().is_some_and(|ending| ending != "md"))
        .collect();
    if files.is_empty() {
        return;
    }
    files.sort();
    let parser = parser();
    outcome(&parser, &files[0]).await;
    let before = resident();
    let mut counts: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for path in &files {
        *counts.entry(outcome(&parser, path).await).or_default() += 1;
    }
    println!("{} whole files: {counts:?}", files.len());
    // Small ones are enough to damage, and quick.
    let small: Vec<Vec<u8>> =
        files.iter().map(|path| fs::read(path).unwrap()).filter(|bytes| (1..200_000).contains(&bytes.len())).collect();
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(17);
    let mut damaged: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    let mut next = Vec::new();
    for at in 0..MUTATIONS {
        let path = folder.path().join(at.to_string());
        fs::write(&path, damage(&small[at % small.len()], &mut dice)).unwrap();
        next.push(path);
        if next.len() == 2 || at + 1 == MUTATIONS {
            // Two at a time: the parser itself keeps to one a core.
            let both = futures::future::join_all(next.drain(..).map(|path| {
                let parser = &parser;
                async move { outcome(parser, &path).await }
            }))
            .await;
            for one in both {
                *damaged.entry(one).or_default() += 1;
            }
        }
    }
    println!("{MUTATIONS} damaged files: {damaged:?}");
    let grown = resident().saturating_sub(before);
    assert!(grown < GROWTH, "the waiting process grew by {grown} bytes");
}
