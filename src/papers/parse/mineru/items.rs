//! Content lists as they are sent: two forms, many versions, every field of which may be missing or of another type.
//!
//! The first form is a flat list with `page_idx`; the second is a list of pages whose blocks keep text and formulas apart.
//! Both become [`Item`]s; what cannot be read is said and the rest goes on.

use super::inline::{Form, inlines, tidy};
use super::read::Refusal;
use crate::papers::parse::document::{Inline, TroubleKind};
use serde_json::{Map, Value};

/// Pages of a document at most; a larger number in a block is a fault of the list.
const MOST_PAGES: u64 = 20_000;

/// A block of a content list.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    /// The page; the first of the list is 0.
    pub page: u32,
    /// Left, top, right, bottom on a grid of 1000 by 1000.
    pub bbox: Option<[f32; 4]>,
    pub thing: Thing,
}

/// What a block is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Thing {
    /// Words; a heading from level 1 on.
    Text {
        level: u8,
        content: Vec<Inline>,
        raw: String,
    },
    Equation {
        text: String,
        image: Option<String>,
    },
    Table {
        body: String,
        captions: Vec<Vec<Inline>>,
        notes: Vec<Vec<Inline>>,
        image: Option<String>,
    },
    /// An image or a chart; `said` is what was read off it.
    Image {
        path: Option<String>,
        captions: Vec<Vec<Inline>>,
        notes: Vec<Vec<Inline>>,
        said: String,
    },
    List {
        references: bool,
        items: Vec<Vec<Inline>>,
    },
    Code {
        text: String,
        language: Option<String>,
        captions: Vec<Vec<Inline>>,
        notes: Vec<Vec<Inline>>,
    },
    Footnote(Vec<Inline>),
    /// Running heads, page numbers, what stands in the margin.
    Furniture(String),
    Unknown {
        kind: String,
        content: Vec<Inline>,
    },
}

/// The blocks of a list, and what was wrong with them.
#[derive(Debug, Default)]
pub(super) struct Items {
    pub items: Vec<Item>,
    pub troubles: Vec<(TroubleKind, String)>,
}

impl Items {
    /// Reads a content list of either form.
    pub(super) fn read(content_list: &str) -> Result<Self, Refusal> {
        let value: Value = serde_json::from_str(content_list.trim_start_matches('\u{feff}'))
            .map_err(|error| Refusal::NotJson(error.to_string()))?;
        let Value::Array(blocks) = value else { return Err(Refusal::NotAList) };
        let mut items = Self::default();
        let mut page = 0;
        for (at, block) in blocks.iter().enumerate() {
            match block {
                Value::Array(inner) => {
                    page = u32::try_from(at).unwrap_or(u32::MAX);
                    inner.iter().for_each(|block| items.add(block, page));
                }
                Value::Object(fields) => {
                    page = items.page(fields, page);
                    items.add(block, page);
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                    items.odd("an entry of the list is no block");
                }
            }
        }
        if items.items.is_empty() && !blocks.is_empty() && !blocks.iter().all(Value::is_array) {
            return Err(Refusal::NoBlocks);
        }
        Ok(items)
    }

    fn odd(&mut self, what: impl Into<String>) {
        self.troubles.push((TroubleKind::SourceError, what.into()));
    }

    fn page(&mut self, fields: &Map<String, Value>, before: u32) -> u32 {
        match fields.get("page_idx").map(Value::as_u64) {
            Some(Some(page)) if page < MOST_PAGES => u32::try_from(page).unwrap_or(before),
            Some(_) => {
                self.odd("the page of a block is no number of a page");
                before
            }
            None => {
                self.odd("a block has no page");
                before
            }
        }
    }

    fn add(&mut self, block: &Value, page: u32) {
        let Some(fields) = block.as_object() else { return self.odd("an entry of a page is no block") };
        let Some(kind) = fields.get("type").and_then(Value::as_str) else {
            return self.odd("a block does not say what it is");
        };
        let bbox = self.bbox(fields.get("bbox"));
        let thing = match fields.get("content") {
            Some(Value::Object(content)) => self.second(kind, content),
            Some(_) | None => self.first(kind, fields),
        };
        self.items.push(Item { page, bbox, thing });
    }

    fn bbox(&mut self, value: Option<&Value>) -> Option<[f32; 4]> {
        let value = value.filter(|value| !value.is_null())?;
        let numbers: Option<Vec<f32>> =
            value.as_array().and_then(|all| all.iter().map(|number| Some(number.as_f64()? as f32)).collect());
        let fits = |bbox: &[f32; 4]| {
            bbox.iter().all(|number| (0.0..=1000.0).contains(number)) && bbox[0] <= bbox[2] && bbox[1] <= bbox[3]
        };
        let found = numbers.and_then(|numbers| <[f32; 4]>::try_from(numbers).ok()).filter(fits);
        if found.is_none() {
            self.odd("the place of a block is none on its page");
        }
        found
    }

    /// A block of the flat form.
    fn first(&mut self, kind: &str, fields: &Map<String, Value>) -> Thing {
        match kind {
            "text" | "title" | "abstract" => {
                let raw = self.text(fields, "text");
                let level = match fields.get("text_level") {
                    None | Some(Value::Null) => u8::from(kind == "title"),
                    Some(level) => match level.as_u64() {
                        Some(level) => u8::try_from(level.min(9)).unwrap_or(9),
                        None => {
                            self.odd("the level of a heading is no number");
                            1
                        }
                    },
                };
                Thing::Text { level, content: inlines(&raw, Form::Markdown), raw }
            }
            "equation" | "interline_equation" => {
                Thing::Equation { text: self.text(fields, "text"), image: self.path(fields) }
            }
            "table" => Thing::Table {
                body: self.text(fields, "table_body"),
                captions: self.lines(fields, &["table_caption"]),
                notes: self.lines(fields, &["table_footnote"]),
                image: self.path(fields),
            },
            "image" | "chart" | "seal" => Thing::Image {
                path: self.path(fields),
                captions: self.lines(fields, &["image_caption", "img_caption", "chart_caption"]),
                notes: self.lines(fields, &["image_footnote", "img_footnote", "chart_footnote"]),
                said: self.text(fields, if fields.contains_key("content") { "content" } else { "text" }),
            },
            "list" | "index" => Thing::List {
                references: fields.get("sub_type").and_then(Value::as_str) == Some("ref_text"),
                items: self.lines(fields, &["list_items"]),
            },
            "ref_text" => {
                Thing::List { references: true, items: vec![inlines(&self.text(fields, "text"), Form::Markdown)] }
            }
            "code" | "algorithm" => {
                let (language, text) = unfenced(&self.text(fields, "code_body"));
                let captions = self.lines(fields, &["code_caption", "algorithm_caption"]);
                Thing::Code { text, language, captions, notes: self.lines(fields, &["code_footnote"]) }
            }
            "page_footnote" => Thing::Footnote(inlines(&self.text(fields, "text"), Form::Markdown)),
            "header" | "footer" | "page_number" | "aside_text" | "page_header" | "page_footer" | "page_aside_text"
            | "discarded" => Thing::Furniture(self.text(fields, "text")),
            other => {
                let content = inlines(&self.text(fields, "text"), Form::Markdown);
                Thing::Unknown { kind: other.to_owned(), content }
            }
        }
    }

    /// A block of the form with pages.
    fn second(&mut self, kind: &str, content: &Map<String, Value>) -> Thing {
        let image = content.get("image_source").and_then(|source| source.get("path")).and_then(Value::as_str);
        let image = self.in_archive(image.unwrap_or_default().to_owned());
        match kind {
            "title" => {
                let level = content.get("level").and_then(Value::as_u64).unwrap_or(1);
                self.words(u8::try_from(level.clamp(1, 9)).unwrap_or(9), content, "title_content")
            }
            "paragraph" => self.words(0, content, "paragraph_content"),
            "equation_interline" => Thing::Equation { text: self.text(content, "math_content"), image },
            "table" => Thing::Table {
                body: self.text(content, "html"),
                captions: self.captions(content, "table_caption"),
                notes: self.captions(content, "table_footnote"),
                image,
            },
            "image" | "chart" | "seal" => Thing::Image {
                path: image,
                captions: self.captions(content, if kind == "chart" { "chart_caption" } else { "image_caption" }),
                notes: self.captions(content, if kind == "chart" { "chart_footnote" } else { "image_footnote" }),
                said: self.text(content, "content"),
            },
            "list" | "index" => {
                let references = content.get("list_type").and_then(Value::as_str) == Some("reference_list");
                let entries = content.get("list_items").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
                let items =
                    entries.iter().map(|entry| self.spans(entry.get("item_content").unwrap_or(entry))).collect();
                Thing::List { references, items }
            }
            "code" | "algorithm" => {
                let spans = ["code_content", "algorithm_content"].into_iter().find_map(|name| content.get(name));
                let text = spans.map(|spans| self.spans(spans)).unwrap_or_default();
                let language = content.get("code_language").and_then(Value::as_str).map(str::to_owned);
                let name = if kind == "code" { "code_caption" } else { "algorithm_caption" };
                let captions = self.captions(content, name);
                let notes = self.captions(content, "code_footnote");
                let text = crate::papers::parse::document::plain(&text);
                Thing::Code { text, language: language.filter(|name| name != "txt"), captions, notes }
            }
            "page_footnote" => match content.get("page_footnote_content") {
                Some(spans) => Thing::Footnote(self.spans(spans)),
                None => Thing::Footnote(Vec::new()),
            },
            "page_header" | "page_footer" | "page_number" | "page_aside_text" => {
                let spans = content.values().find(|value| value.is_array());
                let words = spans.map(|spans| self.spans(spans)).unwrap_or_default();
                Thing::Furniture(crate::papers::parse::document::plain(&words))
            }
            other => {
                let spans = content.values().find(|value| value.is_array());
                let content = spans.map(|spans| self.spans(spans)).unwrap_or_default();
                Thing::Unknown { kind: other.to_owned(), content }
            }
        }
    }

    fn words(&mut self, level: u8, content: &Map<String, Value>, name: &str) -> Thing {
        let content = content.get(name).map(|spans| self.spans(spans)).unwrap_or_default();
        let raw = crate::papers::parse::document::plain(&content);
        Thing::Text { level, content, raw }
    }

    /// Captions are one list of spans, or none.
    fn captions(&mut self, content: &Map<String, Value>, name: &str) -> Vec<Vec<Inline>> {
        let words = content.get(name).map(|spans| self.spans(spans)).unwrap_or_default();
        if words.is_empty() { Vec::new() } else { vec![words] }
    }

    /// Pieces of text and formulas. Blanks between them are not sent.
    fn spans(&mut self, value: &Value) -> Vec<Inline> {
        let Some(spans) = value.as_array() else {
            self.odd("the words of a block are no list");
            return Vec::new();
        };
        let mut out = Vec::new();
        for span in spans {
            let kind = span.get("type").and_then(Value::as_str).unwrap_or_default();
            let Some(text) = span.get("content").and_then(Value::as_str) else {
                self.odd("a piece of text is none");
                continue;
            };
            let closes = text.trim_start().starts_with([',', '.', ';', ':', ')', ']', '!', '?', '%', '’', '-']);
            if !out.is_empty() && !closes {
                out.push(Inline::text(" "));
            }
            match kind {
                "equation_inline" => out.push(Inline::Math(text.trim().to_owned())),
                "code_inline" => out.push(Inline::Code(text.to_owned())),
                _ => out.extend(inlines(text, Form::Plain)),
            }
        }
        tidy(out)
    }

    fn text(&mut self, fields: &Map<String, Value>, name: &str) -> String {
        match fields.get(name) {
            Some(Value::String(text)) => text.clone(),
            None | Some(Value::Null) => String::new(),
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                self.odd(format!("`{name}` of a block is no text"));
                String::new()
            }
        }
    }

    fn path(&mut self, fields: &Map<String, Value>) -> Option<String> {
        let path = self.text(fields, "img_path");
        self.in_archive(path)
    }

    /// The name of an image: a file of the archive. An address would be loaded by whoever shows the document.
    fn in_archive(&mut self, path: String) -> Option<String> {
        // The folder alone is how the second form says that there is none.
        if path.is_empty() || path.ends_with('/') {
            return None;
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/');
        let inside = !path.starts_with('/') && path.chars().all(plain) && path.split('/').all(|part| part != "..");
        if !inside {
            self.odd("the image of a block is no file of the archive");
        }
        inside.then_some(path)
    }

    /// A list of strings; older versions send one string.
    fn lines(&mut self, fields: &Map<String, Value>, names: &[&str]) -> Vec<Vec<Inline>> {
        let mut out = Vec::new();
        for name in names {
            match fields.get(*name) {
                None | Some(Value::Null) => {}
                Some(Value::String(text)) => out.push(inlines(text, Form::Markdown)),
                Some(Value::Array(all)) => {
                    for line in all {
                        match line.as_str() {
                            Some(text) => out.push(inlines(text, Form::Markdown)),
                            None => self.odd(format!("a line of `{name}` is no text")),
                        }
                    }
                }
                Some(Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
                    self.odd(format!("`{name}` of a block is no list"));
                }
            }
        }
        out.retain(|line| !line.is_empty());
        out
    }
}

/// Code without the fence around it, and the language that the fence names.
fn unfenced(code: &str) -> (Option<String>, String) {
    let trimmed = code.trim();
    let inner = trimmed.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    match inner.and_then(|inner| inner.split_once('\n')) {
        Some((language, lines)) => {
            let language = language.trim();
            let known = !language.is_empty() && language != "txt" && language != "text";
            (known.then(|| language.to_owned()), lines.trim_end().to_owned())
        }
        None => (None, trimmed.to_owned()),
    }
}
