//! Parsing whole files: real pages against their own structure, and the command.
#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests fail like tests")]

mod build_pdf;
mod corpus;
mod hostile;
mod katex;
mod pdf;

use almagest::papers::parse::document::Block;
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
    let (mut captions_all, mut captions_kept) = (0, 0);
    let (mut tables_all, mut tables_kept) = (0, 0);
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
        let (captions, kept_captions) = captions(&page, &words);
        println!("{name}: captions {kept_captions}/{captions}");
        let (tables, kept_tables) = (tabulars(&page), document.blocks().iter().map(tables_in).sum::<usize>());
        println!("{name}: tables {kept_tables}/{tables}");
        tables_all += tables;
        tables_kept += kept_tables.min(tables);
        captions_all += captions;
        captions_kept += kept_captions;
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
    assert!(tables_kept * 100 >= tables_all * 99, "{tables_kept} of {tables_all} tables");
    assert!(captions_kept * 100 >= captions_all * 99, "{captions_kept} of {captions_all} captions");
}

/// How many data tables a page has: not those inside the cells of another, nor those that hold equations.
fn tabulars(page: &str) -> usize {
    let html = scraper::Html::parse_document(page);
    let tabular = scraper::Selector::parse(".ltx_tabular").unwrap();
    let inside = |element: scraper::ElementRef<'_>| {
        let classes = |node: scraper::ElementRef<'_>| node.value().attr("class").unwrap_or_default().to_owned();
        element.ancestors().filter_map(scraper::ElementRef::wrap).any(|above| {
            let classes = classes(above);
            classes.split(' ').any(|class| matches!(class, "ltx_tabular" | "ltx_equation" | "ltx_authors"))
        })
    };
    html.select(&tabular).filter(|element| !inside(*element)).count()
}

/// The tables of a block, those among the panels of a figure included.
fn tables_in(block: &&Block) -> usize {
    if let Block::Table(table) = block { usize::from(!table.rows.is_empty()) } else { 0 }
}

/// How many captions a page has, and how many of them begin in the text as they do there. Letters alone are compared: formulas and
/// escapes are written differently.
fn captions(page: &str, text: &str) -> (usize, usize) {
    let letters = |text: &str| text.chars().filter(char::is_ascii_alphabetic).collect::<String>();
    let html = scraper::Html::parse_document(page);
    let caption = scraper::Selector::parse("figcaption.ltx_caption, .ltx_caption:not(figcaption)").unwrap();
    let text = letters(text);
    let (mut all, mut kept) = (0, 0);
    for caption in html.select(&caption) {
        // Up to the first formula or mark, behind the label.
        let words: String = caption
            .children()
            .filter(|node| {
                node.value()
                    .as_element()
                    .is_none_or(|element| !element.attr("class").unwrap_or_default().contains("ltx_tag"))
            })
            .take_while(|node| node.value().is_text())
            .filter_map(|node| node.value().as_text().map(|text| text.to_string()))
            .collect();
        let start: String = letters(&words).chars().take(40).collect();
        if start.len() >= 8 {
            all += 1;
            kept += usize::from(text.contains(&start));
        }
    }
    (all, kept)
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
