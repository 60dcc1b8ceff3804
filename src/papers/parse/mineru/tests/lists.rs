//! Whole content lists.

use crate::papers::parse::document::{Block, Inline, TroubleKind, plain};
use crate::papers::parse::markdown;
use crate::papers::parse::mineru::{Bundle, Part, read, read_bundle};
use pretty_assertions::assert_eq;
use rstest::rstest;
use serde_json::{Value, json};

fn document(blocks: Value) -> crate::papers::parse::document::Document {
    read(&blocks.to_string(), &[]).unwrap()
}

fn printed(blocks: Value) -> String {
    markdown::write(&document(blocks))
}

fn paper() -> Value {
    json!([
        {"type": "header", "text": "10.3847/XYZ", "page_idx": 0},
        {"type": "text", "text": "A planet", "text_level": 1, "page_idx": 0},
        {"type": "text", "text": "Ada Byron<sup>1</sup>, Vera Rubin<sup>2</sup>  \n<sup>1</sup>La Silla", "page_idx": 0},
        {"type": "text", "text": "Abstract", "text_level": 2, "page_idx": 0},
        {"type": "text", "text": "We see $ x $.", "page_idx": 0},
        {"type": "text", "text": "Keywords: planets; stars", "page_idx": 0},
        {"type": "text", "text": "1 Introduction", "text_level": 2, "page_idx": 0},
        {"type": "text", "text": "Light<sup>1</sup> is \\*fast\\*.", "page_idx": 0},
        {"type": "equation", "text": "$$\nE=mc^2 \\tag{1}\n$$", "text_format": "latex", "page_idx": 0},
        {"type": "page_footnote", "text": "<sup>1</sup>In vacuum.", "page_idx": 0},
        {"type": "page_footnote", "text": "∗Corresponding author.", "page_idx": 0},
        {"type": "page_number", "text": "1", "page_idx": 0},
        {"type": "text", "text": "1.1 Data", "text_level": 2, "page_idx": 1},
        {"type": "text", "text": "• one", "page_idx": 1},
        {"type": "text", "text": "• two", "page_idx": 1},
        {"type": "chart", "img_path": "images/a.jpg", "chart_caption": [], "page_idx": 1},
        {"type": "image", "img_path": "images/b.jpg", "image_caption": ["Figure 1: Two stars."], "image_footnote": ["Note."], "page_idx": 1},
        {"type": "table", "table_body": "<table><tr><td>a</td></tr><tr><td>1</td></tr></table>", "table_caption": ["Table 1: Stars."], "table_footnote": ["From [2]."], "page_idx": 1},
        {"type": "table", "img_path": "", "table_caption": [], "table_footnote": [], "page_idx": 1},
        {"type": "code", "code_body": "```python\nprint(1)\n```", "code_caption": ["Listing 1: A line."], "page_idx": 1},
        {"type": "text", "text": "References", "text_level": 2, "page_idx": 1},
        {"type": "list", "sub_type": "ref_text", "list_items": ["[1] Ada 1843.", "[2] Vera"], "page_idx": 1},
        {"type": "list", "sub_type": "ref_text", "list_items": ["1970. Rotation."], "page_idx": 2},
        {"type": "text", "text": "A Priors", "text_level": 2, "page_idx": 2},
        {"type": "list", "sub_type": "text", "list_items": ["1. flat", "2. wide"], "page_idx": 2},
    ])
}

#[test]
fn a_paper_is_read() {
    let read = document(paper());
    assert_eq!(read.pages, Some(3));
    assert_eq!(read.front.doi.as_deref(), Some("10.3847/xyz"));
    assert_eq!(read.troubles, []);
    let expected = r#"---
title: "A planet"
authors:
  - name: "Ada Byron"
  - name: "Vera Rubin"
doi: "10.3847/xyz"
keywords: ["planets", "stars"]
---

# A planet

## Abstract {#abstract}

<!-- page 1 -->

We see $x$.

<!-- page 1 -->

<sup>1</sup>La Silla

## 1 Introduction

Light[^1] is \*fast\*.

$$
E=mc^2 \tag{1}
$$

[^2]

<!-- page 2 -->

### 1.1 Data

- one
- two

![Figure 1](<images/a.jpg>)

![Figure 1](<images/b.jpg>)


**Figure 1.** Two stars. Note.


**Table 1.** Stars.

| a |
| --- |
| 1 |

From \[2\].

```python
print(1)
```

**Listing 1.** A line.

<!-- page 3 -->

## A Priors

1. flat
2. wide

## References {#references}

- <a id="ref-1"></a>\[1\] Ada 1843.

- <a id="ref-2"></a>\[2\] Vera 1970. Rotation.

[^1]: In vacuum.

[^2]: Corresponding author.
"#;
    assert_eq!(markdown::write(&read), expected);
}

#[rstest]
#[case("", "is no JSON")]
#[case("{\"a\": 1", "is no JSON")]
#[case("{}", "is no list")]
#[case("[1, \"a\", null]", "has no blocks")]
#[case("[{\"text\": \"no type\"}]", "has no blocks")]
#[case("[]", "nothing on the pages")]
#[case("[[], []]", "nothing on the pages")]
#[case("[{\"type\": \"header\", \"text\": \"x\", \"page_idx\": 0}]", "nothing on the pages")]
fn what_is_no_list_is_refused(#[case] list: &str, #[case] why: &str) {
    let refusal = read(list, &[]).unwrap_err().to_string();
    assert!(refusal.contains(why), "{refusal}");
}

#[test]
fn fields_of_a_wrong_type_are_troubles_and_the_rest_is_read() {
    let read = document(json!([
        7,
        {"type": "text", "text": 5, "page_idx": "x"},
        {"type": "text", "text_level": "big", "text": "Star", "page_idx": 1e30},
        {"type": "table", "table_body": [1], "table_caption": 3, "page_idx": -1},
        {"type": "image", "image_caption": [null, "Fig. 1 A"], "bbox": [1, 2, 3], "page_idx": 2},
        {"type": "image", "img_path": "x.jpg", "bbox": [900, 0, 100, 2000], "page_idx": 2},
        {"type": "list", "list_items": [{"a": 1}, "words"]},
        {"type": "hologram", "text": "Something new", "page_idx": 3},
        {"type": "equation", "text": "", "img_path": "eq.jpg", "page_idx": 3},
    ]));
    let kinds: Vec<TroubleKind> = read.troubles.iter().map(|trouble| trouble.kind).collect();
    assert!(
        kinds.contains(&TroubleKind::SourceError) && kinds.contains(&TroubleKind::NotUnderstood),
        "{:?}",
        read.troubles
    );
    assert!(read.troubles.len() >= 9, "{:?}", read.troubles);
    let text = markdown::write(&read);
    for kept in ["Star", "Fig. 1", "x.jpg", "words", "Something new", "eq.jpg"] {
        assert!(text.contains(kept), "{kept}: {text}");
    }
}

#[test]
fn the_form_with_pages_is_read() {
    let text = printed(json!([[
        {"type": "title", "content": {"title_content": [{"type": "text", "content": "A planet"}], "level": 1}},
        {"type": "title", "content": {"title_content": [{"type": "text", "content": "2 Data"}], "level": 2}},
        {"type": "paragraph", "content": {"paragraph_content": [
            {"type": "text", "content": "Let"}, {"type": "equation_inline", "content": "x_1"}, {"type": "text", "content": ", or *not*"}]}},
        {"type": "equation_interline", "content": {"math_content": "a \\tag{3}", "math_type": "latex"}},
        {"type": "page_header", "content": {"page_header_content": [{"type": "text", "content": "dropped"}]}},
    ], [
        {"type": "image", "content": {"image_source": {"path": "images/c.jpg"}, "image_caption": [{"type": "text", "content": "Figure 2: C"}], "image_footnote": []}},
        {"type": "table", "content": {"html": "<table><tr><td>v</td></tr></table>", "table_caption": [], "table_footnote": []}},
        {"type": "list", "content": {"list_type": "text_list", "list_items": [{"item_type": "text", "item_content": [{"type": "text", "content": "• item"}]}]}},
        {"type": "code", "content": {"code_content": [{"type": "text", "content": "x = 1"}], "code_language": "txt"}},
        {"type": "list", "content": {"list_type": "reference_list", "list_items": [{"item_type": "text", "item_content": [{"type": "text", "content": "Rubin 1970"}]}]}},
    ]]));
    for part in [
        "# A planet",
        "<!-- page 1 -->\n\n## 2 Data",
        "Let $x_1$, or \\*not\\*",
        "$$\na \\tag{3}\n$$",
        "<!-- page 2 -->",
        "**Figure 2.** C",
        "| v |",
        "- item",
        "```\nx = 1\n```",
        "- <a id=\"ref-1\"></a>Rubin 1970",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("dropped"));
}

#[test]
fn places_are_points_where_the_page_has_a_size() {
    let list = json!([
        {"type": "image", "img_path": "a.jpg", "bbox": [100, 500, 200, 1000], "page_idx": 0},
        {"type": "image", "img_path": "b.jpg", "bbox": [100, 500, 200, 1000], "page_idx": 1},
    ]);
    let read = read(&list.to_string(), &[[600.0, 800.0]]).unwrap();
    let places: Vec<_> = read
        .body
        .iter()
        .filter_map(|block| if let Block::Figure(figure) = block { Some(figure.images[0].place) } else { None })
        .collect();
    assert_eq!(places[0].map(|place| (place.page, place.bounds)), Some((1, [60.0, 400.0, 120.0, 800.0])));
    assert_eq!(places[1], None);
}

#[rstest]
#[case(0)]
#[case(200)]
fn parts_follow_one_another(#[case] counted_from: u32) {
    let first = json!([
        {"type": "text", "text": "1 Introduction", "text_level": 1, "page_idx": 1},
        {"type": "text", "text": "See<sup>1</sup>.", "page_idx": 199},
        {"type": "page_footnote", "text": "<sup>1</sup>First.", "page_idx": 199},
    ])
    .to_string();
    let second = json!([
        {"type": "text", "text": "More<sup>1</sup>.", "page_idx": counted_from},
        {"type": "page_footnote", "text": "<sup>1</sup>Second.", "page_idx": counted_from},
    ])
    .to_string();
    let part = |content_list, first_page| Part { content_list, first_page, sizes: Vec::new() };
    let bundle = Bundle { mineru_parts: vec![part(first, 1), part(second, 201)] };
    let read = read_bundle(&serde_json::to_string(&bundle).unwrap()).unwrap();
    let pages: Vec<u32> =
        read.body.iter().filter_map(|block| if let Block::Page(page) = block { Some(*page) } else { None }).collect();
    assert_eq!(pages, [2, 200, 201]);
    assert_eq!(read.pages, Some(201));
    let notes: Vec<String> = read.footnotes.iter().map(|note| plain(note)).collect();
    assert_eq!(notes, ["First.", "Second."]);
    assert!(read.body.contains(&Block::Paragraph(vec![Inline::text("More"), Inline::Footnote(1), Inline::text(".")])));
}

#[test]
fn images_are_files_of_the_archive() {
    for path in ["https://example.org/a.jpg", "//example.org/a.jpg", "images/../../a.jpg", "file:///a.jpg", "a b.jpg"] {
        let read = document(json!([
            {"type": "image", "img_path": path, "image_caption": ["Figure 1: A"], "page_idx": 0},
            {"type": "image", "content": {"image_source": {"path": path}}},
        ]));
        assert!(!markdown::write(&read).contains("a.jpg"), "{path}");
        assert!(read.troubles.iter().any(|trouble| trouble.what.contains("no file of the archive")), "{path}");
    }
}

#[test]
fn a_caption_that_was_taken_for_words_goes_to_its_table() {
    let table = json!({"type": "table", "table_body": "<table><tr><td>v</td></tr></table>", "page_idx": 0});
    let words = |text: &str| json!({"type": "text", "text": text, "page_idx": 1});
    let text = printed(json!([table, words("Table 7: Values."), words("Table 7 shows values.")]));
    assert!(text.contains("**Table 7.** Values.") && text.contains("\n\nTable 7 shows values."), "{text}");
    let text = printed(json!([table, words("Table 7 shows values.")]));
    assert!(text.contains("\n\nTable 7 shows values."), "{text}");
}

#[test]
fn captions_of_a_neighbour_are_given_back() {
    let text = printed(json!([
        {"type": "chart", "img_path": "a.jpg", "page_idx": 0},
        {"type": "chart", "img_path": "b.jpg", "page_idx": 0},
        {"type": "table", "table_body": "<table><tr><td>v</td></tr></table>",
         "table_caption": ["Figure 6: Curves.", "Table 4: Values."], "page_idx": 0},
    ]));
    assert!(text.contains("![Figure 6](<a.jpg>)\n\n![Figure 6](<b.jpg>)"), "{text}");
    assert!(text.find("**Figure 6.** Curves.").unwrap() < text.find("**Table 4.** Values.").unwrap(), "{text}");
}

#[test]
fn references_as_paragraphs_end_with_the_next_heading() {
    let read = document(json!([
        {"type": "text", "text": "References", "text_level": 1, "page_idx": 8},
        {"type": "text", "text": "Ada 1843.", "page_idx": 8},
        {"type": "text", "text": "Vera 1970.", "page_idx": 8},
        {"type": "text", "text": "Appendix", "text_level": 1, "page_idx": 9},
        {"type": "text", "text": "A Priors", "text_level": 1, "page_idx": 9},
        {"type": "text", "text": "Flat.", "page_idx": 9},
    ]));
    assert_eq!(read.references.len(), 2);
    let text = markdown::write(&read);
    assert!(text.contains("## Appendix\n\n## A Priors\n\nFlat."), "{text}");
}

/// Over the recorded lists, where they are.
#[test]
fn recorded_lists_are_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/mineru");
    let Ok(files) = std::fs::read_dir(folder) else { return };
    let mut seen = 0;
    for file in files.flatten().map(|entry| entry.path()) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if !name.contains("content-list") {
            continue;
        }
        seen += 1;
        let read = read(&std::fs::read_to_string(&file).unwrap(), &[]).unwrap();
        let text = markdown::write(&read);
        assert!(read.troubles.len() < 4, "{name}: {:?}", read.troubles);
        if name.contains("naacl-109") {
            assert_eq!(
                plain(&read.front.title),
                "Routing to the Expert: Efficient Reward-guided Ensemble of Large Language Models"
            );
            assert!(read.references.len() > 30, "{}", read.references.len());
            assert!(!read.summary.is_empty());
            assert!(text.contains("### 3.1 Complementary Potential of LLMs"));
        }
    }
    assert!(seen > 0);
}

mod hostile {
    use super::*;
    use proptest::prelude::*;

    /// A value of any type, with texts that have a meaning somewhere in the reader.
    fn value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "[ -~]{0,12}",
            "(<sup>|</sup>|<b>|<td>|\\$|\\\\|\\[1\\] |• |∗|图1|Abstract—|\\^\\{1\\}|[a-z0-9é] ?){0,8}",
            Just("References".to_owned()),
            Just("images/a.jpg".to_owned()),
        ];
        prop_oneof![
            6 => text.clone().prop_map(Value::from),
            1 => any::<i64>().prop_map(Value::from),
            1 => any::<f64>().prop_map(Value::from),
            1 => Just(Value::Null),
            2 => prop::collection::vec(text.prop_map(Value::from), 0..3).prop_map(Value::from),
        ]
    }

    fn block() -> impl Strategy<Value = Value> {
        let kinds =
            ["text", "title", "equation", "table", "image", "chart", "list", "code", "page_footnote", "header", "new"];
        let fields = [
            "text",
            "text_level",
            "page_idx",
            "bbox",
            "table_body",
            "table_caption",
            "table_footnote",
            "image_caption",
            "img_path",
            "list_items",
            "code_body",
            "sub_type",
            "content",
        ];
        let field = (prop::sample::select(fields.to_vec()), value());
        (prop::sample::select(kinds.to_vec()), prop::collection::vec(field, 0..6)).prop_map(|(kind, fields)| {
            let mut block = json!({"type": kind, "page_idx": 0});
            for (name, value) in fields {
                block[name] = value;
            }
            block
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn no_list_makes_the_reader_panic(blocks in prop::collection::vec(block(), 0..12), paged in any::<bool>()) {
            let list = if paged { json!([blocks]) } else { json!(blocks) };
            if let Ok(read) = read(&list.to_string(), &[[600.0, 800.0]]) {
                let marks = markdown::write(&read);
                for note in 1..=read.footnotes.len() {
                    let mark = format!("[^{note}]");
                    prop_assert!(marks.matches(&mark).count() >= 2, "{} has no mark: {}", mark, marks);
                }
            }
        }

        #[test]
        fn no_text_makes_the_reader_panic(list in "[\\[\\]{}\":,a-z0-9 ]{0,60}") {
            let _ = read(&list, &[]);
        }
    }
}
