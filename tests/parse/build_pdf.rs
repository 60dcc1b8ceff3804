//! A PDF of one's own: text in the standard fonts, rules, and drawings, at places counted from the upper left corner.

use std::fmt::Write;

/// The fonts that there are.
#[derive(Clone, Copy)]
pub enum Font {
    Plain,
    Bold,
    Italic,
    Symbol,
}

/// A page of US letter, 612 x 792 points.
#[derive(Default)]
pub struct Page {
    content: String,
    /// The content of a form that stands where it is drawn.
    form: Option<String>,
}

impl Page {
    /// Text whose baseline begins at a place.
    pub fn text(&mut self, font: Font, size: f32, x: f32, y: f32, text: &str) -> &mut Self {
        let line = show(font, size, x, 792.0 - y, text);
        self.content.push_str(&line);
        self
    }

    /// Lines of text, one below the other.
    pub fn lines(&mut self, font: Font, size: f32, x: f32, y: f32, lines: &[&str]) -> &mut Self {
        for (at, line) in lines.iter().enumerate() {
            let y = y + at as f32 * size * 1.2;
            self.text(font, size, x, y, line);
        }
        self
    }

    /// Text that runs up the page.
    pub fn upwards(&mut self, size: f32, x: f32, y: f32, text: &str) -> &mut Self {
        let _ = writeln!(self.content, "BT /F0 {size} Tf 0 1 -1 0 {x} {} Tm ({}) Tj ET", 792.0 - y, escaped(text));
        self
    }

    /// A level rule.
    pub fn rule(&mut self, x0: f32, x1: f32, y: f32) -> &mut Self {
        let _ = writeln!(self.content, "0.4 w {x0} {0} m {x1} {0} l S", 792.0 - y);
        self
    }

    /// A figure: a frame with a curve and a label, in a form of its own.
    pub fn figure(&mut self, x: f32, y: f32, width: f32, height: f32, label: &str) -> &mut Self {
        let bottom = 792.0 - y - height;
        let mut form = format!("{x} {bottom} {width} {height} re S {x} {bottom} m ");
        for step in 1_u8..20 {
            let part = f32::from(step) / 20.0;
            let _ = write!(form, "{} {} l ", x + part * width, bottom + height * part * part);
        }
        let _ = write!(form, "S {}", show(Font::Plain, 7.0, x + 5.0, bottom + 5.0, label));
        self.form = Some(form);
        self.content.push_str("/Fig Do\n");
        self
    }
}

fn show(font: Font, size: f32, x: f32, y: f32, text: &str) -> String {
    let font = match font {
        Font::Plain => 0,
        Font::Bold => 1,
        Font::Italic => 2,
        Font::Symbol => 3,
    };
    format!("BT /F{font} {size} Tf 1 0 0 1 {x} {y} Tm ({}) Tj ET\n", escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)")
}

/// The file.
pub fn file(pages: &[Page]) -> Vec<u8> {
    let fonts = ["Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Symbol"]
        .iter()
        .enumerate()
        .map(|(at, name)| format!("/F{at} << /Type /Font /Subtype /Type1 /BaseFont /{name} >>"))
        .collect::<String>();
    let mut objects: Vec<String> = vec!["<< /Type /Catalog /Pages 2 0 R >>".into(), String::new()];
    let mut kids = String::new();
    for page in pages {
        let form = page.form.as_ref().map(|form| {
            objects.push(format!(
                "<< /Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << {fonts} >> >> /Length {} >>\nstream\n{form}\nendstream",
                form.len()
            ));
            objects.len()
        });
        objects.push(format!("<< /Length {} >>\nstream\n{}\nendstream", page.content.len(), page.content));
        let content = objects.len();
        let figure = form.map(|form| format!("/XObject << /Fig {form} 0 R >>")).unwrap_or_default();
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R /Resources << /Font << {fonts} >> {figure} >> >>"
        ));
        let _ = write!(kids, "{} 0 R ", objects.len());
    }
    objects[1] = format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", pages.len());
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend(format!("{} 0 obj\n{object}\nendobj\n", at + 1).into_bytes());
    }
    let table = out.len();
    let rows: String = places.iter().map(|place| format!("{place:010} 00000 n \n")).collect();
    let count = objects.len() + 1;
    out.extend(
        format!("xref\n0 {count}\n0000000000 65535 f \n{rows}trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n")
            .into_bytes(),
    );
    out
}
