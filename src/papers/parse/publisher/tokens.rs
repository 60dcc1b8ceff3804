//! The leaves of MathML: names, numbers, signs and words as TeX.

use super::symbols::{alphabet, is_function, symbol};

/// Adds a piece, with a blank where a command would run into a letter.
pub(super) fn push(out: &mut String, piece: &str) {
    if piece.starts_with(|c: char| c.is_ascii_alphabetic()) {
        // No command of TeX is longer, and looking back must not cost more than the piece.
        let word = out.chars().rev().take(24).take_while(char::is_ascii_alphabetic).count();
        let before = out.len() - word;
        if word > 0 && out.get(..before).is_some_and(|rest| rest.ends_with('\\')) {
            out.push(' ');
        }
    }
    out.push_str(piece);
}

/// Characters of a formula as TeX.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.trim().chars() {
        match (symbol(c), alphabet(c)) {
            (Some(tex), _) => push(&mut out, tex),
            (None, Some((command, plain))) => {
                let inner = symbol(plain).map_or_else(|| plain.to_string(), str::to_owned);
                let tex = if command.is_empty() { inner } else { format!("{command}{{{inner}}}") };
                push(&mut out, &tex);
            }
            (None, None) if c == '^' => out.push_str(r"\hat{}"),
            (None, None) => push(&mut out, c.encode_utf8(&mut [0; 4])),
        }
    }
    out
}

pub(super) fn styled(tex: &str, variant: Option<&str>) -> String {
    let command = match variant {
        Some("bold") => r"\mathbf",
        Some("bold-italic") => r"\boldsymbol",
        Some("double-struck") => r"\mathbb",
        Some("script" | "bold-script") => r"\mathcal",
        Some("fraktur" | "bold-fraktur") => r"\mathfrak",
        Some("sans-serif" | "bold-sans-serif" | "sans-serif-italic" | "sans-serif-bold-italic") => r"\mathsf",
        Some("monospace") => r"\mathtt",
        Some(_) | None => return tex.to_owned(),
    };
    // Greek has no upright bold in TeX's own fonts.
    let command = if command == r"\mathbf" && tex.starts_with('\\') { r"\boldsymbol" } else { command };
    if tex.is_empty() { String::new() } else { format!("{command}{{{tex}}}") }
}

pub(super) fn identifier(name: &str, variant: Option<&str>) -> String {
    if is_function(name) {
        return format!(r"\{name}");
    }
    let tex = escaped(name);
    let is_word = name.chars().filter(|c| c.is_ascii_alphanumeric()).count() > 1;
    match variant {
        None | Some("normal") if is_word && name.chars().all(|c| c.is_ascii_alphanumeric()) => {
            format!(r"\mathrm{{{tex}}}")
        }
        None | Some("normal") if is_word => text(name),
        Some("normal") if tex.chars().all(|c| c.is_ascii_alphabetic()) && !tex.is_empty() => {
            format!(r"\mathrm{{{tex}}}")
        }
        Some(_) | None => styled(&tex, variant),
    }
}

pub(super) fn operator(sign: &str, variant: Option<&str>) -> String {
    if is_function(sign) {
        return format!(r"\{sign}");
    }
    let tex = escaped(sign);
    if sign.chars().count() > 1 && sign.chars().all(|c| c.is_ascii_alphabetic()) {
        return format!(r"\operatorname{{{tex}}}");
    }
    styled(&tex, variant)
}

/// Words inside a formula.
pub(super) fn text(words: &str) -> String {
    let words: String = words.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    if words.trim().is_empty() {
        return if words.is_empty() { String::new() } else { r"\ ".to_owned() };
    }
    let mut inner = String::new();
    let mut blank = false;
    for c in words.chars() {
        if c == ' ' && blank {
            continue;
        }
        blank = c == ' ';
        match c {
            '\\' => inner.push_str(r"\textbackslash{}"),
            '~' => inner.push_str(r"\textasciitilde{}"),
            '^' => inner.push_str(r"\textasciicircum{}"),
            '{' | '}' | '#' | '$' | '%' | '&' | '_' => {
                inner.push('\\');
                inner.push(c);
            }
            '\u{200b}'..='\u{200f}' | '\u{2061}'..='\u{2064}' => {}
            c => inner.push(c),
        }
    }
    format!(r"\text{{{inner}}}")
}

pub(super) fn space(width: &str) -> &'static str {
    let number = width.trim_end_matches(|c: char| c.is_alphabetic() || c == '%').trim();
    match (number.parse::<f32>(), width.trim_start_matches(|c: char| !c.is_alphabetic())) {
        (Ok(wide), "em" | "") if wide >= 1.8 => r"\qquad",
        (Ok(wide), "em" | "") if wide >= 0.9 => r"\quad",
        (Ok(wide), "em" | "") if wide >= 0.25 => r"\;",
        (Ok(wide), "em" | "" | "ex" | "px" | "pt") if wide > 0.1 => r"\,",
        (Ok(_), _) => "",
        (Err(_), _) => match width {
            "thickmathspace" | "verythickmathspace" | "veryverythickmathspace" => r"\;",
            "mediummathspace" => r"\:",
            "thinmathspace" | "verythinmathspace" => r"\,",
            _ => "",
        },
    }
}
