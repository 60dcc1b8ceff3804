//! Parsing whole files: real pages against their own structure, and the command.
#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests fail like tests")]

mod build_pdf;
mod corpus;
mod hostile;
mod pdf;

use almagest::papers::parse::{latexml, markdown};
use regex::Regex;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of real files; nothing where it is not there, which is said.
fn corpus(folder: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus").join(folder);
    let there = folder.is_dir();
    if !there {
        eprintln!("skipped: there is no ../shared/corpus");
    }
    there.then_some(folder)
}

/// Runs the command.
fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_almagest")).args(arguments).output().unwrap()
}

/// The pages made by LaTeXML; none where the folder is not there.
fn pages() -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    let folders = ["html", "parse-truth"].map(|folder| corpus.join(folder));
    let files =
        folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten().map(|entry| entry.path());
    let mut pages: Vec<PathBuf> = files
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.contains("latexml") || name.starts_with("arxiv-native")
        })
        .collect();
    pages.sort();
    if pages.is_empty() {
        eprintln!("skipped: there is no ../shared/corpus with pages");
    }
    pages
}

fn plain(text: &str) -> String {
    text.replace("%\n", "").replace("\\|", "|").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The TeX of a page's formulas, read by nothing of ours.
fn formulas(page: &str) -> Vec<String> {
    // In XHTML such an element is empty; an HTML parser would take the page for its contents.
    let page = Regex::new(r"<(?:script|title|style)\b[^<>]*/>").unwrap().replace_all(page, "");
    let html = scraper::Html::parse_document(&page);
    let math = scraper::Selector::parse("math[alttext]").unwrap();
    html.select(&math).map(|math| plain(math.value().attr("alttext").unwrap())).collect()
}

#[test]
fn pages_keep_their_mathematics_references_and_numbers() {
    let number = Regex::new(r"ltx_tag_equation(?:group)?[^>]*>\(([^<)]+)\)<").unwrap();
    let entry = Regex::new(r#"<li[^>]*class="[^"]*ltx_bibitem"#).unwrap();
    let heading = Regex::new(r"(?m)^#{2,6} ").unwrap();
    let title =
        Regex::new(r#"<h[1-6][^>]*class="[^"]*ltx_title_(?:section|subsection|subsubsection|paragraph|appendix)"#)
            .unwrap();
    let (mut found, mut all) = (0, 0);
    for path in pages() {
        let page = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        let document = latexml::read(&page).unwrap();
        let text = markdown::write(&document);
        let words = plain(&text);
        let formulas = formulas(&page);
        let kept =
            formulas.iter().filter(|tex| words.contains(tex.trim_start_matches("\\displaystyle").trim())).count();
        let numbers = number.captures_iter(&page).map(|found| found[1].trim().to_owned()).collect::<Vec<_>>();
        let tagged = numbers
            .iter()
            .filter(|n| text.contains(&format!("\\tag{{{n}}}")) || text.contains(&format!("({n})")))
            .count();
        let (titles, headings) = (title.find_iter(&page).count(), heading.find_iter(&text).count());
        let name = path.file_name().unwrap().to_string_lossy();
        println!(
            "{name}: formulas {kept}/{}, numbers {tagged}/{}, headings {headings}/{titles}",
            formulas.len(),
            numbers.len()
        );
        assert_eq!(document.references.len(), entry.find_iter(&page).count(), "{name}: references");
        assert!(headings >= titles, "{name}: {headings} headings of {titles}");
        assert!(tagged == numbers.len(), "{name}: {tagged} of {} numbers", numbers.len());
        // What stands in an author's marks is not text; five in a page at most.
        assert!(kept + 5 >= formulas.len(), "{name}: {kept} of {} formulas", formulas.len());
        found += kept;
        all += formulas.len();
    }
    assert!(found * 1000 >= all * 990, "{found} of {all} formulas");
}

fn parse(file: &Path) -> Output {
    run(&["parse", file.to_str().unwrap()])
}

#[test]
fn the_command_prints_markdown_or_says_why_not() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let page = "<!DOCTYPE html><article class=\"ltx_document\"><h1 class=\"ltx_title_document\">On stars</h1><p class=\"ltx_p\">They are <math alttext=\"T_{\\rm eff}\"></math>.</p></article>";
    let parsed = parse(&write("page.html", page.as_bytes()));
    let text = String::from_utf8(parsed.stdout).unwrap();
    assert!(parsed.status.success() && text.contains("# On stars\n\nThey are $T_{\\rm eff}$."), "{text}");
    let source = b"\\documentclass{aastex631}\n\\begin{document}\n\\title{On stars}\n\\section{Data}\nThey are $T_{\\rm eff}$.\n\\end{document}\n";
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, source).unwrap();
    let parsed = parse(&write("1234.56789", &packed.finish().unwrap()));
    let text = String::from_utf8(parsed.stdout).unwrap();
    assert!(
        parsed.status.success() && text.contains("## 1 Data") && text.contains("They are $T_{\\rm eff}$."),
        "{text}"
    );
    for (name, bytes, why) in [
        ("other.html", &b"<html><body>a blog</body></html>"[..], "not an article"),
        ("paper.pdf", &b"%PDF-1.7"[..], "no PDF that can be read"),
        ("empty", &b""[..], "no PDF, no HTML page"),
    ] {
        let parsed = parse(&write(name, bytes));
        let said = String::from_utf8_lossy(&parsed.stderr).into_owned();
        assert!(!parsed.status.success() && said.contains(why), "{name}: {said}");
    }
    assert!(!parse(&folder.path().join("missing")).status.success());
}
