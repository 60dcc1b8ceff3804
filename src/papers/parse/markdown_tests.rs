use super::*;
use crate::papers::parse::document::{Heading, List};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

fn paragraph(content: Vec<Inline>) -> Document {
    Document { body: vec![Block::Paragraph(content)], ..Document::default() }
}

fn options() -> Options {
    Options::ENABLE_MATH | Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_HEADING_ATTRIBUTES
}

/// The words and formulas that a reader sees, and the headings.
fn seen(text: &str) -> (String, Vec<String>, usize) {
    let (mut words, mut formulas, mut headings) = (String::new(), Vec::new(), 0);
    for event in Parser::new_ext(text, options()) {
        match event {
            Event::Text(text) | Event::Code(text) => words.push_str(&text),
            Event::SoftBreak | Event::HardBreak => words.push(' '),
            Event::InlineMath(tex) | Event::DisplayMath(tex) => formulas.push(tex.trim().to_owned()),
            Event::Start(Tag::Heading { .. }) => headings += 1,
            Event::Start(_)
            | Event::End(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }
    (words.split_whitespace().collect::<Vec<_>>().join(" "), formulas, headings)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_never_becomes_markup(text in "[ -~é\u{4e00}\u{2212}]{1,60}") {
        let (words, formulas, headings) = seen(&write(&paragraph(vec![Inline::text(&*text)])));
        prop_assert_eq!(words, text.split_whitespace().collect::<Vec<_>>().join(" "));
        prop_assert!(formulas.is_empty() && headings == 0);
    }

    #[test]
    fn formulas_come_through(
        first in "[a-z^=+<>|-]{1,12}",
        second in "[A-Za-z0-9_]{1,8}",
        heading in "[A-Za-z][A-Za-z#*$_ ]{0,19}",
    ) {
        let first = format!("{{{first}}}");
        let mut document = paragraph(vec![Inline::Math(first.clone()), Inline::Math(second.clone()), Inline::text(" end")]);
        document.body.insert(0, Block::Heading(Heading { level: 1, content: vec![Inline::text(&*heading)], ..Heading::default() }));
        let text = write(&document);
        let (words, formulas, headings) = seen(&text);
        prop_assert_eq!(formulas, vec![first, second], "{}", text);
        prop_assert_eq!(headings, 1);
        prop_assert_eq!(words, format!("{} end", heading.split_whitespace().collect::<Vec<_>>().join(" ")));
    }
}

#[test]
fn lists_keep_their_blocks_and_links_their_schemes() {
    let item = vec![
        Block::Paragraph(vec![Inline::text("one")]),
        Block::Equation(Equation { text: "a=b".into(), ..Equation::default() }),
    ];
    let list = Block::List(List { start: Some(3), items: vec![item] });
    let link = |target: &str| Inline::Link { target: target.into(), content: vec![Inline::text("here")] };
    let document = Document {
        body: vec![
            list,
            Block::Paragraph(vec![link("javascript:alert(1)"), Inline::text(" "), link("https://a.org/x y")]),
        ],
        ..Document::default()
    };
    let text = write(&document);
    assert!(text.contains("3. one\n\n   $$\n   a=b\n   $$"), "{text}");
    assert!(text.contains("here [here](<https://a.org/x%20y>)") && !text.contains("javascript"), "{text}");
}
