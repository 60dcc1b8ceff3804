//! The PDF engine on papers that are typeset here, line for line.

use crate::build_pdf::{Font, Page, file};
use almagest::papers::parse::document::{Block, Document, plain};
use almagest::papers::parse::{markdown, pdf};

const LEFT: f32 = 50.0;
const RIGHT: f32 = 320.0;

/// Lines that fill a column of 240 points in Helvetica of 10 points.
const FILL: [&str; 6] = [
    "The stars of this cluster were observed with a camera",
    "at the prime focus, and every exposure was reduced in",
    "the usual manner. The seeing was better than usual for",
    "the site, and no cloud was seen in any of the nights. We",
    "therefore keep all of the frames, and weigh each of them",
    "by the inverse square of its noise in an empty region.",
];

/// A paper of three pages in two columns.
fn paper() -> Vec<u8> {
    let mut pages = Vec::new();
    let mut first = Page::default();
    first.text(Font::Bold, 17.0, 130.0, 60.0, "A survey of faint clusters");
    first.text(Font::Plain, 11.0, 190.0, 85.0, "Ada Lovelace, Mary Somerville and Caroline Herschel");
    first.text(Font::Bold, 10.0, 280.0, 110.0, "ABSTRACT");
    let summary = "We count the members of forty clusters, and find that the number falls with age as has been supposed since long";
    first.lines(Font::Plain, 9.0, 75.0, 125.0, &[summary, "before. Nothing else is seen."]);
    first.text(Font::Bold, 12.0, LEFT, 170.0, "1. Introduction");
    first.lines(Font::Plain, 10.0, LEFT, 190.0, &FILL);
    first.text(Font::Plain, 10.0, LEFT + 12.0, 262.0, "A second paragraph begins with an indented line, and");
    first.lines(
        Font::Plain,
        10.0,
        LEFT,
        274.0,
        &[
            "speaks of an observa-",
            "tion of low-",
            "mass stars, seen in any observation. As low-mass stars",
            "are faint, few are known.",
        ],
    );
    first.lines(Font::Plain, 10.0, RIGHT, 170.0, &FILL);
    first.text(Font::Bold, 12.0, RIGHT, 270.0, "2. Results");
    first.text(Font::Italic, 10.0, RIGHT, 292.0, "2.1. Ages");
    first.lines(Font::Plain, 10.0, RIGHT, 312.0, &FILL);
    first.text(Font::Plain, 10.0, RIGHT, 384.0, "The reddening is small");
    first.text(Font::Plain, 6.0, RIGHT + 101.0, 380.0, "1");
    first.text(Font::Plain, 10.0, RIGHT + 105.0, 384.0, ", as the maps say it is.");
    first.text(Font::Plain, 5.5, RIGHT + 5.0, 697.0, "1");
    first.text(Font::Plain, 8.0, RIGHT + 9.0, 700.0, "Taken from the maps of 2011.");
    first.text(Font::Plain, 9.0, 300.0, 760.0, "1");
    pages.push(first);

    let mut second = Page::default();
    second.text(Font::Italic, 8.0, 250.0, 40.0, "Faint clusters");
    second.figure(LEFT, 70.0, 230.0, 150.0, "age 0.5 1.0");
    second.lines(
        Font::Plain,
        9.0,
        LEFT,
        240.0,
        &["Figure 1. The number of members against the age of the", "cluster, with the line that fits it best."],
    );
    second.lines(Font::Plain, 10.0, LEFT, 285.0, &FILL);
    second.text(Font::Plain, 9.0, RIGHT, 70.0, "Table 1. Ages of three of the clusters.");
    second.rule(RIGHT, 560.0, 78.0);
    for (row, [name, age, members]) in [
        ["Cluster", "Age (Myr)", "Members"],
        ["NGC 1", "12.5", "210"],
        ["NGC 2", "40.0", "95"],
        ["NGC 3", "800.0", "17"],
    ]
    .into_iter()
    .enumerate()
    {
        let y = 88.0 + 12.0 * row as f32 + if row > 0 { 4.0 } else { 0.0 };
        for (x, text) in [(RIGHT, name), (400.0, age), (500.0, members)] {
            second.text(Font::Plain, 9.0, x, y, text);
        }
    }
    second.rule(RIGHT, 560.0, 92.0);
    second.rule(RIGHT, 560.0, 134.0);
    second.lines(Font::Plain, 10.0, RIGHT, 160.0, &FILL);
    second.text(Font::Plain, 10.0, RIGHT + 60.0, 250.0, "N = N");
    second.text(Font::Plain, 7.0, RIGHT + 86.0, 252.0, "0");
    second.text(Font::Symbol, 10.0, RIGHT + 93.0, 250.0, "-");
    second.text(Font::Plain, 10.0, RIGHT + 103.0, 250.0, "0.5 t");
    second.text(Font::Plain, 10.0, 545.0, 250.0, "(1)");
    second.lines(Font::Plain, 10.0, RIGHT, 275.0, &FILL);
    second.text(Font::Plain, 9.0, 300.0, 760.0, "2");
    pages.push(second);

    let mut third = Page::default();
    third.text(Font::Italic, 8.0, 250.0, 40.0, "Faint clusters");
    third.text(Font::Bold, 12.0, LEFT, 70.0, "References");
    third.text(Font::Plain, 9.0, LEFT, 90.0, "Herschel, C. 1787, A comet seen in August, Phil. Trans.,");
    third.text(Font::Plain, 9.0, LEFT + 12.0, 101.0, "77, 1");
    third.text(Font::Plain, 9.0, LEFT, 112.0, "Lovelace, A. 1843, Notes on the engine, Sci. Mem., 3, 666");
    third.text(Font::Plain, 9.0, LEFT, 123.0, "Somerville, M. 1831, Mechanism of the Heavens (London:");
    third.text(Font::Plain, 9.0, LEFT + 12.0, 134.0, "John Murray)");
    third.text(Font::Italic, 8.0, 250.0, 40.0, "");
    third.text(Font::Plain, 9.0, 300.0, 760.0, "3");
    third.upwards(7.0, 20.0, 500.0, "arXiv:2401.01234v2 [astro-ph.SR] 3 Jan 2024");
    pages.push(third);
    file(&pages)
}

fn read() -> (Document, String) {
    let document = pdf::read(paper()).unwrap();
    let text = markdown::write(&document);
    (document, text)
}

#[test]
fn the_front_is_found() {
    let (document, _) = read();
    assert_eq!(plain(&document.front.title), "A survey of faint clusters");
    let names: Vec<&str> = document.front.authors.iter().map(|author| author.name.as_str()).collect();
    assert_eq!(names, ["Ada Lovelace", "Mary Somerville", "Caroline Herschel"]);
    assert_eq!(document.front.arxiv.as_deref(), Some("2401.01234v2"));
    let [Block::Paragraph(summary)] = document.summary.as_slice() else { panic!("{:?}", document.summary) };
    assert!(plain(summary).starts_with("We count the members") && plain(summary).ends_with("Nothing else is seen."));
}

#[test]
fn columns_are_read_one_after_the_other_under_their_headings() {
    let (_, text) = read();
    let at = |words: &str| text.find(words).unwrap_or_else(|| panic!("no `{words}` in\n{text}"));
    let order = [
        "## 1 Introduction {#S1}",
        "A second paragraph",
        "## 2 Results {#S2}",
        "### 2.1 Ages {#S2.1}",
        "<!-- page 2 -->",
        "## References",
    ];
    let places: Vec<usize> = order.iter().map(|words| at(words)).collect();
    assert!(places.is_sorted(), "{places:?}\n{text}");
    // The column goes on after a hyphen and before a heading without a word of the other one between.
    assert!(text.contains(&FILL.join(" ")), "{text}");
}

#[test]
fn hyphens_of_line_ends_go_and_those_of_words_stay() {
    let (_, text) = read();
    assert!(text.contains("speaks of an observation of low-mass stars, seen"), "{text}");
}

#[test]
fn running_heads_and_page_numbers_are_no_text() {
    let (_, text) = read();
    assert!(
        !text.contains("Faint clusters") && !text.lines().any(|line| matches!(line.trim(), "1" | "2" | "3")),
        "{text}"
    );
}

#[test]
fn footnotes_stand_once_and_are_marked() {
    let (document, text) = read();
    assert_eq!(document.footnotes.len(), 1);
    assert!(text.contains("The reddening is small[^1], as the maps"), "{text}");
    assert!(text.contains("[^1]: Taken from the maps of 2011."), "{text}");
}

#[test]
fn figures_have_captions_places_and_their_words() {
    let (document, text) = read();
    let images = document.images();
    let place = images[0].place.unwrap();
    assert_eq!((images.len(), place.page), (1, 2));
    let [x0, y0, x1, y1] = place.bounds;
    assert!(
        (x0 - 50.0).abs() < 2.0 && (y0 - 70.0).abs() < 2.0 && (x1 - 280.0).abs() < 2.0 && (y1 - 220.0).abs() < 2.0,
        "{place:?}"
    );
    assert!(
        text.contains(
            "**Figure 1.** The number of members against the age of the cluster, with the line that fits it best."
        ),
        "{text}"
    );
    assert!(images[0].alternative.contains("age 0.5 1.0"), "{images:?}");
    let drawn = pdf::cut(paper(), &[place]);
    let png = drawn[0].as_ref().unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.len() > 500);
}

#[test]
fn tables_have_cells() {
    let (_, text) = read();
    let table = "| Cluster | Age (Myr) | Members |\n| --- | --- | --- |\n| NGC 1 | 12.5 | 210 |\n| NGC 2 | 40.0 | 95 |\n| NGC 3 | 800.0 | 17 |";
    assert!(text.contains(table) && text.contains("**Table 1.** Ages of three of the clusters."), "{text}");
}

#[test]
fn formulas_are_lines_of_signs_with_their_number() {
    let (document, _) = read();
    let equation = document
        .blocks()
        .into_iter()
        .find_map(|block| if let Block::Equation(equation) = block { Some(equation) } else { None });
    let equation = equation.unwrap();
    assert_eq!((equation.text.as_str(), equation.number.as_deref()), ("N = N_0 \u{2212} 0.5 t", Some("1")));
}

#[test]
fn the_reference_list_is_split() {
    let (document, _) = read();
    let entries: Vec<String> = document.references.iter().map(|entry| plain(&entry.content)).collect();
    assert_eq!(
        entries,
        [
            "Herschel, C. 1787, A comet seen in August, Phil. Trans., 77, 1",
            "Lovelace, A. 1843, Notes on the engine, Sci. Mem., 3, 666",
            "Somerville, M. 1831, Mechanism of the Heavens (London: John Murray)",
        ]
    );
}

#[test]
fn labels_split_a_list_without_a_heading() {
    let mut page = Page::default();
    page.lines(Font::Plain, 10.0, LEFT, 100.0, &FILL);
    page.lines(
        Font::Plain,
        9.0,
        LEFT,
        400.0,
        &[
            "[1] A. Lovelace, Sci. Mem. 3, 666 (1843).",
            "[2] C. Herschel, Phil. Trans. 77,",
            "1 (1787).",
            "[3] M. Somerville, Mechanism (1831).",
        ],
    );
    let document = pdf::read(file(&[page])).unwrap();
    let labels: Vec<_> =
        document.references.iter().map(|entry| (entry.label.clone().unwrap(), plain(&entry.content))).collect();
    assert_eq!(labels.len(), 3, "{labels:?}");
    assert_eq!(labels[1], ("2".into(), "C. Herschel, Phil. Trans. 77, 1 (1787).".into()));
}

#[test]
fn a_landscape_page_is_read() {
    let mut page = Page::default();
    for (at, line) in FILL.iter().enumerate() {
        page.upwards(10.0, 100.0 + 12.0 * at as f32, 700.0, line);
    }
    let text = markdown::write(&pdf::read(file(&[page])).unwrap());
    assert!(text.contains(&FILL.join(" ")), "{text}");
}

#[test]
fn what_cannot_be_read_is_refused_with_the_reason() {
    assert_eq!(pdf::read(b"%PDF-1.7 and nothing".to_vec()), Err(pdf::Refusal::Broken));
    let scan = file(&[Page::default(), Page::default()]);
    assert_eq!(pdf::read(scan), Err(pdf::Refusal::Scan(2)));
}
