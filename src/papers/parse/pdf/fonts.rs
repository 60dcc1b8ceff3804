//! The fonts of a PDF: how codes become characters, and what a font's name says about its style.

use hayro_font::hayro_cmap::{self, BfString};
use hayro_font::hayro_syntax::object::{Dict, Name};
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, StandardFont};
use std::collections::HashMap;
use std::sync::Arc;

/// What a font's name and descriptor say about its letters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Style {
    /// Heavier than the text.
    pub(super) bold: bool,
    /// Italic or slanted.
    pub(super) italic: bool,
    /// Small capitals.
    pub(super) small_caps: bool,
    /// A font of mathematical letters or symbols.
    pub(super) math: bool,
    /// A font whose glyphs hang below their origin: TeX's large symbols.
    pub(super) hanging: bool,
    /// All letters are equally wide: program code.
    pub(super) mono: bool,
}

/// One font as the reader uses it.
pub(super) struct Loaded<'a> {
    font: Font<'a>,
    /// Its style.
    pub(super) style: Style,
    codes: HashMap<u32, Code>,
}

/// What a code of a font stands for.
#[derive(Debug, Clone)]
pub(super) struct Code {
    /// The characters; empty where they are not known.
    pub(super) text: Text,
    /// How far it moves on, in thousandths of the font's size.
    pub(super) advance: f32,
}

/// The characters of a glyph: nearly always one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Text {
    /// One character.
    One(char),
    /// Several: a ligature.
    Many(Box<str>),
    /// The font does not say.
    Unknown,
}

impl<'a> Loaded<'a> {
    /// The code at a place of a string, and how many bytes it takes.
    pub(super) fn read(&self, bytes: &[u8], at: usize) -> (u32, usize) {
        let (code, length) = self.font.read_code(bytes, at);
        (code, length.max(1))
    }

    /// Whether it is written from left to right.
    pub(super) fn horizontal(&self) -> bool {
        self.font.is_horizontal()
    }

    /// What a code stands for.
    pub(super) fn code(&mut self, code: u32) -> &Code {
        let font = &self.font;
        self.codes.entry(code).or_insert_with(|| {
            let text = match font.glyph(font.map_code(code), code) {
                FontGlyph::Outline(glyph) => glyph.as_unicode(),
                FontGlyph::Type3(glyph) => glyph.as_unicode(),
            };
            let advance = font.code_advance(code);
            let advance = if font.is_horizontal() { advance.x } else { advance.y };
            Code { text: text.map_or(Text::Unknown, |text| known(&text)), advance: advance as f32 }
        })
    }
}

/// Ligatures are spelled out; control characters and private ones say nothing.
fn known(text: &BfString) -> Text {
    let one = |c: char| match c {
        'ﬀ' => Text::Many("ff".into()),
        'ﬁ' => Text::Many("fi".into()),
        'ﬂ' => Text::Many("fl".into()),
        'ﬃ' => Text::Many("ffi".into()),
        'ﬄ' => Text::Many("ffl".into()),
        'ﬅ' | 'ﬆ' => Text::Many("st".into()),
        '\u{a0}' | '\t' | '\n' | '\r' => Text::One(' '),
        '\u{ad}' => Text::One('-'),
        // Two code points that look alike stand for the same sign in different fonts.
        '\u{2126}' => Text::One('Ω'),
        '\u{b5}' => Text::One('μ'),
        '\u{2206}' => Text::One('Δ'),
        c if c.is_control() || ('\u{e000}'..='\u{f8ff}').contains(&c) => Text::Unknown,
        c => Text::One(c),
    };
    match text {
        BfString::Char(c) => one(*c),
        BfString::String(text) => {
            let mut chars = text.chars().filter(|c| !c.is_control());
            match (chars.next(), chars.next()) {
                (None, _) => Text::Unknown,
                (Some(c), None) => one(c),
                (Some(_), Some(_)) => Text::Many(text.chars().filter(|c| !c.is_control()).collect()),
            }
        }
    }
}

/// The fonts of one file.
pub(super) struct Fonts<'a> {
    cache: FontCache<'a>,
    files: FontResolverFn,
    maps: CMapResolverFn,
    known: HashMap<usize, Option<u16>>,
    all: Vec<Loaded<'a>>,
}

impl<'a> Fonts<'a> {
    /// No font yet.
    pub(super) fn new() -> Self {
        Self {
            cache: FontCache::new(),
            files: Arc::new(|query| match query {
                FontQuery::Standard(font) => Some(font.get_font_data()),
                FontQuery::Fallback(wanted) => Some(wanted.pick_standard_font().get_font_data()),
            }),
            maps: Arc::new(hayro_cmap::load_embedded),
            known: HashMap::new(),
            all: Vec::new(),
        }
    }

    /// The font of a dictionary; `None` where it cannot be read.
    pub(super) fn load(&mut self, dict: &Dict<'a>) -> Option<u16> {
        // A dictionary is a place in the file, so its address names it.
        let key = dict.data().as_ptr() as usize;
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let font = self.cache.font(dict, &self.files, &self.maps);
        let index = font.and_then(|font| self.push(font, style_of(dict)));
        self.known.insert(key, index);
        index
    }

    /// The font of text that names none.
    pub(super) fn fallback(&mut self) -> Option<u16> {
        if let Some(known) = self.known.get(&0) {
            return *known;
        }
        let font = self.cache.standard_font(StandardFont::Helvetica, &self.files);
        let index = font.and_then(|font| self.push(font, Style::default()));
        self.known.insert(0, index);
        index
    }

    fn push(&mut self, font: Font<'a>, style: Style) -> Option<u16> {
        let index = u16::try_from(self.all.len()).ok()?;
        self.all.push(Loaded { font, style, codes: HashMap::new() });
        Some(index)
    }

    /// A font that was loaded.
    pub(super) fn get(&mut self, index: u16) -> Option<&mut Loaded<'a>> {
        self.all.get_mut(usize::from(index))
    }

    /// The styles of all fonts, by their index.
    pub(super) fn styles(&self) -> Vec<Style> {
        self.all.iter().map(|font| font.style).collect()
    }
}

/// Reads the style from the name that the font was made under, and from the flags of its descriptor (PDF 32000-1, table 123).
fn style_of(dict: &Dict<'_>) -> Style {
    let descendant =
        || dict.get::<hayro_font::hayro_syntax::object::Array<'_>>(b"DescendantFonts")?.iter::<Dict<'_>>().next();
    let descriptor = dict
        .get::<Dict<'_>>(b"FontDescriptor")
        .or_else(|| descendant().and_then(|font| font.get::<Dict<'_>>(b"FontDescriptor")));
    let flags = descriptor.as_ref().and_then(|d| d.get::<i32>(b"Flags")).unwrap_or(0);
    let weight = descriptor.as_ref().and_then(|d| d.get::<i32>(b"FontWeight")).unwrap_or(400);
    let name = dict.get::<Name<'_>>(b"BaseFont").map(|name| name.as_str().to_owned()).unwrap_or_default();
    let mut style = style_of_name(&name);
    style.bold |= weight >= 600 || flags & (1 << 18) != 0;
    style.italic |= flags & (1 << 6) != 0 && !style.math;
    style.mono |= flags & 1 != 0 && !style.math;
    style
}

fn style_of_name(name: &str) -> Style {
    // `ABCDEF+` marks a subset.
    let name = match name.split_once('+') {
        Some((tag, rest)) if tag.len() == 6 => rest,
        Some(_) | None => name,
    };
    let lower = name.to_ascii_lowercase();
    let starts = |all: &[&str]| all.iter().any(|start| lower.starts_with(start));
    let has = |all: &[&str]| all.iter().any(|part| lower.contains(part));
    let math = starts(&[
        "cmmi",
        "cmsy",
        "cmex",
        "cmbsy",
        "cmmib",
        "msam",
        "msbm",
        "mtmi",
        "mtsy",
        "mtex",
        "rmtmi",
        "eufm",
        "eusm",
        "rsfs",
        "txmi",
        "txsy",
        "txex",
        "pxmi",
        "pxsy",
        "ntxmi",
        "newtxmi",
        "rtxmi",
        "stix",
        "mathematicalpi",
        "symbol",
        "lmmath",
        "esint",
        "wasy",
        "stmary",
        "mtpro",
        "bbm",
        "fourier-math",
        "xits",
    ]) || has(&["mathpi", "mathit"]);
    Style {
        bold: has(&[
            "bold",
            "black",
            "heavy",
            "demi",
            "-medi",
            "cmbx",
            "sfbx",
            "sfsx",
            "ecbx",
            "ptmb",
            "phvb",
            "lmroman10-b",
            "-bd",
            ".b",
        ]) || starts(&["cmb", "txb", "rtxb", "ptmb", "advps_b"])
            || lower.ends_with("-b")
            || lower.ends_with("-bi"),
        italic: !math
            && (has(&["ital", "obli", "slant", "cmti", "sfti", "ecti", "cmsl", "sfsl", "cmbxti", "-it", ".i"])
                || lower.ends_with("-i")
                || lower.ends_with("-bi")),
        small_caps: has(&["csc", "smallcap", "-sc", "caps"]),
        math,
        hanging: starts(&["cmex", "mtex", "txex", "lmmathextension", "esint", "ntxexx", "ntxexb", "pxex"]),
        mono: has(&["courier", "cmtt", "sftt", "ectt", "mono", "typewriter", "txtt", "inconsolata"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_their_style() {
        let of = style_of_name;
        assert!(of("ABCDEF+CMBX12").bold && !of("CMR10").bold);
        assert!(of("NimbusRomNo9L-Medi").bold && !of("NimbusRomNo9L-Regu").bold);
        assert!(of("TimesNewRomanPS-BoldItalicMT").bold && of("TimesNewRomanPS-BoldItalicMT").italic);
        assert!(of("CMTI10").italic && of("NimbusRomNo9L-ReguItal").italic && !of("CMMI10").italic);
        assert!(of("CMMI10").math && of("CMSY10").math && of("XYZABC+CMEX10").hanging);
        assert!(of("CMCSC10").small_caps && of("CMTT9").mono);
    }

    #[test]
    fn ligatures_are_spelled_out() {
        assert_eq!(known(&BfString::Char('ﬃ')), Text::Many("ffi".into()));
        assert_eq!(known(&BfString::Char('\u{e010}')), Text::Unknown);
        assert_eq!(known(&BfString::String("x".into())), Text::One('x'));
    }
}
