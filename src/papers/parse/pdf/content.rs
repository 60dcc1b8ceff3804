//! What a page's content streams draw: characters with their places, rules, pictures.
//!
//! Only what layout needs is kept. Colours, clipping, shading and the pixels of pictures are passed over, which is why this is
//! a walk of its own over hayro's operators and fonts and not its interpreter: that one also keeps the state for painting,
//! and does not say which font a glyph of a Type 1 font came from.

use super::fonts::{Fonts, Text};
use hayro_font::hayro_syntax::content::TypedIter;
use hayro_font::hayro_syntax::content::ops::TypedInstruction;
use hayro_font::hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream};
use hayro_font::hayro_syntax::page::{Page, Resources};
use hayro_font::kurbo::{Affine, Point, Rect};

/// Forms inside forms that are followed at most.
const DEEPEST: u8 = 12;
/// Operators of a page that are read at most; a large vector figure has a million.
const MOST_OPERATORS: u32 = 20_000_000;
/// Characters of a page that are kept at most; a page of a dense table has 10,000.
const MOST_GLYPHS: usize = 400_000;
/// Boxes of drawings that are kept at most.
const MOST_DRAWINGS: usize = 200_000;

/// A box on the page: points from its upper left corner, y down, as it is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounds {
    pub(super) x0: f32,
    pub(super) y0: f32,
    pub(super) x1: f32,
    pub(super) y1: f32,
}

impl Bounds {
    fn of(rect: Rect) -> Self {
        Self { x0: rect.x0 as f32, y0: rect.y0 as f32, x1: rect.x1 as f32, y1: rect.y1 as f32 }
    }

    /// How wide it is.
    pub(super) fn width(self) -> f32 {
        self.x1 - self.x0
    }

    /// How high it is.
    pub(super) fn height(self) -> f32 {
        self.y1 - self.y0
    }

    /// The smallest box around both.
    pub(super) fn join(self, other: Self) -> Self {
        Self {
            x0: self.x0.min(other.x0),
            y0: self.y0.min(other.y0),
            x1: self.x1.max(other.x1),
            y1: self.y1.max(other.y1),
        }
    }

    /// The part of it that lies in another one.
    pub(super) fn within(self, other: Self) -> Self {
        let (x, y) = ((other.x0, other.x1), (other.y0, other.y1));
        Self {
            x0: self.x0.clamp(x.0, x.1),
            y0: self.y0.clamp(y.0, y.1),
            x1: self.x1.clamp(x.0, x.1),
            y1: self.y1.clamp(y.0, y.1),
        }
    }

    /// Whether a point lies inside.
    pub(super) fn holds(self, x: f32, y: f32) -> bool {
        x >= self.x0 && x <= self.x1 && y >= self.y0 && y <= self.y1
    }

    /// Whether they overlap or come closer than `within`.
    pub(super) fn near(self, other: Self, within: f32) -> bool {
        self.x0 - within <= other.x1
            && other.x0 - within <= self.x1
            && self.y0 - within <= other.y1
            && other.y0 - within <= self.y1
    }
}

/// Where a character's line runs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Turn {
    /// To the right, as text does.
    None,
    /// Up.
    Up,
    /// Down.
    Down,
    /// To the left: upside down.
    Over,
    /// Across.
    Askew,
}

/// A character on the page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Glyph {
    /// The character; U+FFFD where the font does not say.
    pub(super) c: char,
    /// Its start along its line.
    pub(super) x0: f32,
    /// Its end along its line.
    pub(super) x1: f32,
    /// Its baseline, across its line.
    pub(super) y: f32,
    /// The size of its letters in points.
    pub(super) size: f32,
    /// The font: an index into the styles.
    pub(super) font: u16,
    /// Where its line runs to. Places are those of the page turned back, so that the line runs to the right.
    pub(super) turn: Turn,
    /// The form that draws it: an index into [`Content::forms`], 0 for the page itself.
    pub(super) form: u16,
}

/// What a page draws.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// The page's size as it is shown, in points.
    pub(super) width: f32,
    pub(super) height: f32,
    /// The characters in the order in which they are drawn, blanks included.
    pub(super) glyphs: Vec<Glyph>,
    /// Level and upright lines, thin boxes included.
    pub(super) rules: Vec<Bounds>,
    /// The boxes of everything else that is drawn.
    pub(super) drawings: Vec<Bounds>,
    /// The boxes of pictures.
    pub(super) images: Vec<Bounds>,
    /// The boxes of forms; the first is the page.
    pub(super) forms: Vec<Bounds>,
    /// Characters that have no known meaning.
    pub(super) unknown: u32,
    /// Whether a bound was reached and the rest was left.
    pub(super) cut: bool,
}

/// Reads a page.
pub(super) fn read<'a>(page: &Page<'a>, fonts: &mut Fonts<'a>) -> Content {
    let (width, height) = page.render_dimensions();
    // A page without a size, or with a wild one, is still read.
    let (width, height) = (width.clamp(1.0, 20_000.0), height.clamp(1.0, 20_000.0));
    let (width, height) = if width.is_finite() && height.is_finite() { (width, height) } else { (595.0, 842.0) };
    let start = Affine::new(page.initial_transform(true).as_coeffs());
    let mut walk = Walk {
        content: Content {
            width,
            height,
            forms: vec![Bounds { x0: 0.0, y0: 0.0, x1: width, y1: height }],
            ..Content::default()
        },
        fonts,
        state: State { ctm: start, ..State::default() },
        saved: Vec::new(),
        path: Path::default(),
        operators: 0,
        form: 0,
    };
    walk.run(page.typed_operations(), page.resources(), 0);
    walk.content
}

#[derive(Clone)]
struct State {
    ctm: Affine,
    font: Option<u16>,
    size: f64,
    char_space: f64,
    word_space: f64,
    scale: f64,
    leading: f64,
    rise: f64,
    width: f64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            ctm: Affine::IDENTITY,
            font: None,
            size: 1.0,
            char_space: 0.0,
            word_space: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
            width: 1.0,
        }
    }
}

/// The path that is being built: its box and its straight pieces.
#[derive(Default)]
struct Path {
    bounds: Option<Rect>,
    last: Point,
    start: Point,
    /// Straight level or upright pieces; given up when the path has others.
    lines: Vec<Rect>,
    curved: bool,
}

impl Path {
    fn to(&mut self, point: Point) {
        let here = Rect::from_points(point, point);
        self.bounds = Some(self.bounds.map_or(here, |all| all.union(here)));
        self.last = point;
    }

    fn line(&mut self, point: Point) {
        let from = self.last;
        self.to(point);
        if self.lines.len() < 64 {
            self.lines.push(Rect::from_points(from, point));
        } else {
            self.curved = true;
        }
    }
}

struct Walk<'f, 'a> {
    content: Content,
    fonts: &'f mut Fonts<'a>,
    state: State,
    saved: Vec<State>,
    path: Path,
    operators: u32,
    form: u16,
}

impl<'a> Walk<'_, 'a> {
    fn run(&mut self, mut operators: TypedIter<'_>, resources: &Resources<'a>, depth: u8) {
        let floor = self.saved.len();
        let (mut matrix, mut line) = (Affine::IDENTITY, Affine::IDENTITY);
        let mut fonts: Vec<(Vec<u8>, Option<u16>)> = Vec::new();
        while let Some(operator) = operators.next() {
            self.operators += 1;
            if self.operators > MOST_OPERATORS || self.content.glyphs.len() > MOST_GLYPHS {
                self.content.cut = true;
                break;
            }
            #[expect(clippy::wildcard_enum_match_arm, reason = "most operators only paint")]
            match operator {
                TypedInstruction::SaveState(_) if self.saved.len() < 512 => self.saved.push(self.state.clone()),
                TypedInstruction::RestoreState(_) if self.saved.len() > floor => {
                    if let Some(state) = self.saved.pop() {
                        self.state = state;
                    }
                }
                TypedInstruction::Transform(t) => {
                    self.state.ctm *= affine([t.0, t.1, t.2, t.3, t.4, t.5]);
                }
                TypedInstruction::LineWidth(width) => self.state.width = width.0.as_f64(),
                TypedInstruction::BeginText(_) => (matrix, line) = (Affine::IDENTITY, Affine::IDENTITY),
                TypedInstruction::SetTextMatrix(t) => {
                    line = affine([t.0, t.1, t.2, t.3, t.4, t.5]);
                    matrix = line;
                }
                TypedInstruction::NextLine(by) => {
                    line *= Affine::translate((by.0.as_f64(), by.1.as_f64()));
                    matrix = line;
                }
                TypedInstruction::NextLineAndSetLeading(by) => {
                    self.state.leading = -by.1.as_f64();
                    line *= Affine::translate((by.0.as_f64(), by.1.as_f64()));
                    matrix = line;
                }
                TypedInstruction::NextLineUsingLeading(_) => {
                    line *= Affine::translate((0.0, -self.state.leading));
                    matrix = line;
                }
                TypedInstruction::TextFont(font) => {
                    self.state.size = font.1.as_f64();
                    let name: &[u8] = font.0;
                    self.state.font = match fonts.iter().find(|(known, _)| known == name) {
                        Some((_, index)) => *index,
                        None => {
                            let index = match resources.get_font(font.0) {
                                Some(dict) => self.fonts.load(&dict),
                                None => self.fonts.fallback(),
                            };
                            fonts.push((name.to_vec(), index));
                            index
                        }
                    };
                }
                TypedInstruction::CharacterSpacing(space) => self.state.char_space = space.0.as_f64(),
                TypedInstruction::WordSpacing(space) => self.state.word_space = space.0.as_f64(),
                TypedInstruction::HorizontalScaling(scale) => self.state.scale = scale.0.as_f64() / 100.0,
                TypedInstruction::TextLeading(leading) => self.state.leading = leading.0.as_f64(),
                TypedInstruction::TextRise(rise) => self.state.rise = rise.0.as_f64(),
                TypedInstruction::ShowText(text) => self.show(text.0.as_bytes(), &mut matrix),
                TypedInstruction::ShowTexts(all) => {
                    for piece in all.0.iter::<Object<'_>>() {
                        match piece {
                            Object::Number(back) => {
                                let by = -back.as_f64() / 1000.0 * self.state.size;
                                matrix *= match self.across() {
                                    true => Affine::translate((by * self.state.scale, 0.0)),
                                    false => Affine::translate((0.0, by)),
                                };
                            }
                            Object::String(text) => self.show(text.as_bytes(), &mut matrix),
                            _ => {}
                        }
                    }
                }
                TypedInstruction::NextLineAndShowText(text) => {
                    line *= Affine::translate((0.0, -self.state.leading));
                    matrix = line;
                    self.show(text.0.as_bytes(), &mut matrix);
                }
                TypedInstruction::ShowTextWithParameters(text) => {
                    self.state.word_space = text.0.as_f64();
                    self.state.char_space = text.1.as_f64();
                    line *= Affine::translate((0.0, -self.state.leading));
                    matrix = line;
                    self.show(text.2.as_bytes(), &mut matrix);
                }
                TypedInstruction::MoveTo(to) => {
                    let point = self.state.ctm * Point::new(to.0.as_f64(), to.1.as_f64());
                    self.path.last = point;
                    self.path.start = point;
                }
                TypedInstruction::LineTo(to) => {
                    let point = self.state.ctm * Point::new(to.0.as_f64(), to.1.as_f64());
                    if self.path.bounds.is_none() {
                        let from = self.path.last;
                        self.path.to(from);
                    }
                    self.path.line(point);
                }
                TypedInstruction::ClosePath(_) => {
                    let start = self.path.start;
                    if self.path.bounds.is_some() {
                        self.path.line(start);
                    }
                }
                TypedInstruction::CubicTo(to) => self.curve([(to.0, to.1), (to.2, to.3), (to.4, to.5)]),
                TypedInstruction::CubicStartTo(to) => self.curve([(to.0, to.1), (to.2, to.3), (to.2, to.3)]),
                TypedInstruction::CubicEndTo(to) => self.curve([(to.0, to.1), (to.2, to.3), (to.2, to.3)]),
                TypedInstruction::RectPath(rect) => {
                    let (x, y) = (rect.0.as_f64(), rect.1.as_f64());
                    let corner = Point::new(x, y);
                    let other = Point::new(x + rect.2.as_f64(), y + rect.3.as_f64());
                    let rect = self.state.ctm.transform_rect_bbox(Rect::from_points(corner, other));
                    self.path.bounds = Some(self.path.bounds.map_or(rect, |all| all.union(rect)));
                    if self.path.lines.len() < 64 {
                        self.path.lines.push(rect);
                    }
                }
                TypedInstruction::StrokePath(_) | TypedInstruction::CloseAndStrokePath(_) => self.paint(true),
                TypedInstruction::FillPathNonZero(_)
                | TypedInstruction::FillPathNonZeroCompatibility(_)
                | TypedInstruction::FillPathEvenOdd(_) => self.paint(false),
                TypedInstruction::FillAndStrokeNonZero(_)
                | TypedInstruction::FillAndStrokeEvenOdd(_)
                | TypedInstruction::CloseFillAndStrokeNonZero(_)
                | TypedInstruction::CloseFillAndStrokeEvenOdd(_) => self.paint(true),
                TypedInstruction::EndPath(_) => self.path = Path::default(),
                TypedInstruction::XObject(name) => {
                    if let Some(stream) = resources.get_x_object(name.0) {
                        self.object(&stream, resources, depth);
                    }
                }
                TypedInstruction::InlineImage(_) => self.image(),
                TypedInstruction::SetGraphicsState(name) => {
                    let font = resources.get_ext_g_state(name.0).and_then(|dict| dict.get::<Array<'_>>(b"Font"));
                    if let Some(font) = font {
                        let mut parts = font.iter::<Object<'a>>();
                        if let (Some(Object::Dict(dict)), Some(Object::Number(size))) = (parts.next(), parts.next()) {
                            self.state.font = self.fonts.load(&dict);
                            self.state.size = size.as_f64();
                        }
                    }
                }
                _ => {}
            }
        }
        if self.saved.len() > floor {
            self.saved.truncate(floor);
        }
    }

    fn curve(&mut self, points: [(Number, Number); 3]) {
        for (x, y) in points {
            let point = self.state.ctm * Point::new(x.as_f64(), y.as_f64());
            self.path.to(point);
        }
        self.path.curved = true;
    }

    /// Keeps the path that has just been painted: its level and upright lines, or its box.
    fn paint(&mut self, stroked: bool) {
        let path = std::mem::take(&mut self.path);
        let Some(bounds) = path.bounds else { return };
        let thin = if stroked { self.state.width * self.state.ctm.determinant().abs().sqrt() } else { 0.0 };
        let is_rule = |rect: &Rect| {
            let (w, h) = (rect.width() + thin, rect.height() + thin);
            (w <= 2.5 && h >= 4.0) || (h <= 2.5 && w >= 4.0)
        };
        let out = &mut self.content;
        if !path.curved && !path.lines.is_empty() && path.lines.iter().all(is_rule) && path.lines.len() <= 8 {
            if out.rules.len() < MOST_DRAWINGS {
                out.rules.extend(path.lines.iter().map(|rect| Bounds::of(*rect)));
            }
        } else if out.drawings.len() < MOST_DRAWINGS {
            out.drawings.push(Bounds::of(bounds));
        }
    }

    fn image(&mut self) {
        let bounds = self.state.ctm.transform_rect_bbox(Rect::new(0.0, 0.0, 1.0, 1.0));
        if self.content.images.len() < MOST_DRAWINGS {
            self.content.images.push(Bounds::of(bounds));
        }
    }

    fn object(&mut self, stream: &Stream<'a>, resources: &Resources<'a>, depth: u8) {
        let dict = stream.dict();
        let kind = dict.get::<Name<'_>>(b"Subtype");
        match kind.as_ref().map(|kind| kind.as_str()) {
            Some("Image") => self.image(),
            Some("Form") if depth < DEEPEST => {
                let Ok(data) = stream.decoded_data() else { return };
                let saved = self.state.clone();
                let matrix = dict.get::<[f64; 6]>(b"Matrix").unwrap_or([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
                self.state.ctm *= Affine::new(matrix);
                let outer = self.form;
                let bounds = dict.get::<[f64; 4]>(b"BBox").map(|b| Rect::new(b[0], b[1], b[2], b[3]).abs());
                if let Some(bounds) = bounds {
                    let bounds = Bounds::of(self.state.ctm.transform_rect_bbox(bounds));
                    if let Ok(index) = u16::try_from(self.content.forms.len()) {
                        self.content.forms.push(bounds);
                        self.form = index;
                    }
                }
                let own = dict.get::<Dict<'a>>(b"Resources").map(Resources::new);
                self.run(TypedIter::new(&data), own.as_ref().unwrap_or(resources), depth + 1);
                self.form = outer;
                self.state = saved;
            }
            Some(_) | None => {}
        }
    }

    fn across(&mut self) -> bool {
        self.state.font.and_then(|font| self.fonts.get(font)).is_none_or(|font| font.horizontal())
    }

    /// Shows a string, and moves the text matrix past it.
    fn show(&mut self, bytes: &[u8], matrix: &mut Affine) {
        if self.state.font.is_none() {
            self.state.font = self.fonts.fallback();
        }
        let Some(index) = self.state.font else { return };
        let Some(font) = self.fonts.get(index) else { return };
        let (size, scale) = (self.state.size, self.state.scale);
        let across = font.horizontal();
        let to_page = self.state.ctm;
        let mut at = 0;
        while at < bytes.len() {
            let (code, length) = font.read(bytes, at);
            at += length;
            let meaning = font.code(code);
            let mut advance = f64::from(meaning.advance) / 1000.0 * size + self.state.char_space;
            // The sign itself, without the space that is put behind it.
            let ink = f64::from(meaning.advance) / 1000.0 * size;
            if code == 32 && length == 1 {
                advance += self.state.word_space;
            }
            let place = to_page * *matrix;
            let by = if across { (advance * scale, 0.0) } else { (0.0, advance) };
            let [a, b, c, d, ..] = place.as_coeffs();
            let start = place * Point::new(0.0, self.state.rise);
            let end = match across {
                true => place * Point::new(ink * scale, self.state.rise),
                false => start,
            };
            *matrix *= Affine::translate(by);
            let height = size.abs() * (c * c + d * d).sqrt();
            let turn = if !across {
                Turn::None
            } else {
                let size = if size < 0.0 { -1.0 } else { 1.0 };
                turn_of(a * size, b * size)
            };
            let width = self.content.width;
            let page_height = self.content.height;
            let ((x0, y), (x1, _)) = match turn {
                Turn::None | Turn::Askew => ((start.x, start.y), (end.x, end.y)),
                Turn::Up => ((f64::from(page_height) - start.y, start.x), (f64::from(page_height) - end.y, end.x)),
                Turn::Down => ((start.y, f64::from(width) - start.x), (end.y, f64::from(width) - end.x)),
                Turn::Over => {
                    let (w, h) = (f64::from(width), f64::from(page_height));
                    ((w - start.x, h - start.y), (w - end.x, h - end.y))
                }
            };
            if !(x0.is_finite() && x1.is_finite() && y.is_finite() && height.is_finite()) {
                continue;
            }
            let x1 = if across { x1.max(x0) } else { x0 + height };
            let mut glyph = Glyph {
                c: ' ',
                x0: x0 as f32,
                x1: x1 as f32,
                y: y as f32,
                size: height as f32,
                font: index,
                turn,
                form: self.form,
            };
            match &meaning.text {
                Text::One(c) => {
                    glyph.c = *c;
                    self.content.glyphs.push(glyph);
                }
                Text::Many(text) => {
                    let count = text.chars().count().max(1);
                    let step = (glyph.x1 - glyph.x0) / count as f32;
                    for (at, c) in text.chars().enumerate() {
                        let x0 = x0 as f32 + step * at as f32;
                        self.content.glyphs.push(Glyph { c, x0, x1: x0 + step, ..glyph });
                    }
                }
                Text::Unknown => {
                    // Without a meaning and without ink it is a blank; with ink it is a loss that is counted.
                    glyph.c = '\u{fffd}';
                    self.content.unknown += 1;
                    self.content.glyphs.push(glyph);
                }
            }
        }
    }
}

fn turn_of(a: f64, b: f64) -> Turn {
    let (level, upright) = (a.abs(), b.abs());
    if level >= 4.0 * upright {
        if a >= 0.0 { Turn::None } else { Turn::Over }
    } else if upright >= 4.0 * level {
        // y runs down, so text that climbs has a negative b.
        if b < 0.0 { Turn::Up } else { Turn::Down }
    } else {
        Turn::Askew
    }
}

fn affine(of: [Number; 6]) -> Affine {
    Affine::new(of.map(|number| number.as_f64()))
}
