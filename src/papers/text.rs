//! Text as the sources deliver it, made plain.

/// Collapses white space, decodes the entities that ADS leaves in its JSON, turns `<SUB>`/`<SUP>` into TeX and drops
/// other tags (`<P />`, `<inline-formula>`).
#[must_use]
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Closing braces owed by an open sub- or superscript.
    let mut open = 0usize;
    while let Some(at) = rest.find(['<', '&']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some((tag, after)) = take_tag(rest) {
            match tag.to_ascii_lowercase().trim_end_matches('/').trim_end() {
                "sub" => (out.push_str("$_{"), open += 1).0,
                "sup" => (out.push_str("$^{"), open += 1).0,
                "/sub" | "/sup" if open > 0 => (out.push_str("}$"), open -= 1).0,
                "p" | "/p" | "br" => out.push(' '),
                _ => {}
            }
            rest = after;
        } else if let Some((character, after)) = take_entity(rest) {
            out.push(character);
            rest = after;
        } else {
            out.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    for _ in 0..open {
        out.push_str("}$");
    }
    collapse(&out)
}

/// Whether a body is a web page: what proxies send instead of data.
#[must_use]
pub(crate) fn is_web_page(body: &str) -> bool {
    let start: String = body.trim_start().chars().take(14).collect::<String>().to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

/// One blank between words, none around.
#[must_use]
pub(crate) fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// `<name …>` at the beginning: its name with a leading slash, and what follows. `a < b` is no tag.
fn take_tag(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('<')?;
    let end = inner.find('>').filter(|end| *end <= 200)?;
    let name = inner[..end].split_ascii_whitespace().next()?;
    if inner.starts_with(char::is_whitespace) {
        return None;
    }
    let letters = name.trim_start_matches('/').trim_end_matches('/');
    let is_name = letters.starts_with(|c: char| c.is_ascii_alphabetic())
        && letters.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | ':' | '_'));
    is_name.then(|| (name, &inner[end + 1..]))
}

fn take_entity(text: &str) -> Option<(char, &str)> {
    let inner = text.strip_prefix('&')?;
    let end = inner.find(';').filter(|end| *end <= 8)?;
    let character = match &inner[..end] {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        number => {
            let number = number.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code).filter(|c| !c.is_control())?
        }
    };
    Some((character, &inner[end + 1..]))
}

/// The first `limit` characters, cut at a word, with an ellipsis when something is missing.
#[must_use]
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.to_owned() };
    let cut = text[..end].rfind(' ').filter(|at| *at > end / 2).unwrap_or(end);
    format!("{}…", text[..cut].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("CO<SUB>2</SUB> above 10<SUP>5</SUP> K", "CO$_{2}$ above 10$^{5}$ K")]
    #[case("Astronomy &amp; Astrophysics", "Astronomy & Astrophysics")]
    #[case("Not Available <P />", "Not Available")]
    #[case("for z < 0.5 and M > 3", "for z < 0.5 and M > 3")]
    #[case("a  title\n  over lines", "a title over lines")]
    #[case("x<SUB>1", "x$_{1}$")]
    #[case("R&D; AT&T &#228; &bogus; &", "R&D; AT&T ä &bogus; &")]
    #[case("<i>Kepler</i>-10<inline-formula xmlns:mml=\"x\">b</inline-formula>", "Kepler-10b")]
    fn markup_becomes_plain(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(plain(text), expected);
    }

    #[test]
    fn shortening_counts_characters_and_cuts_at_a_word() {
        assert_eq!(shorten("a short one", 20), "a short one");
        assert_eq!(shorten("ein längerer Satz über Sterne", 18), "ein längerer Satz…");
        assert_eq!(shorten("黑洞黑洞黑洞", 3), "黑洞黑…");
    }
}
