//! Names of objects and how coordinates are written.

/// A name with its blanks collapsed and typographic dashes made plain.
///
/// Case stays: HD 209458 B is a star, HD 209458 b its planet.
#[must_use]
pub(super) fn normalised(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| match c {
            '−' | '–' | '‐' | '‑' => '-',
            '’' | '‘' => '\'',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a resolver may be asked for it.
///
/// # Errors
/// With a sentence that says what is wrong.
pub(super) fn check(name: &str) -> Result<(), &'static str> {
    if name.is_empty() {
        return Err("The name is empty. Give the name of one object, such as TRAPPIST-1 b or M 31.");
    }
    if name.chars().count() > 120 {
        return Err("The name is too long for any object. Give the name of one object, such as TRAPPIST-1 b or M 31.");
    }
    if !name.contains(char::is_alphanumeric) {
        return Err(
            "The name has neither letters nor digits. Give the name of one object, such as TRAPPIST-1 b or M 31.",
        );
    }
    Ok(())
}

/// Right ascension as `hh mm ss.ss`.
#[must_use]
pub fn sexagesimal_ra(degrees: f64) -> String {
    // In hundredths of a second of time, rounded once, so that 59.999 s carries over.
    let total = ((degrees / 15.0 * 360_000.0).round() as i64).rem_euclid(24 * 360_000);
    let (hours, rest) = (total / 360_000, total % 360_000);
    let (minutes, rest) = (rest / 6_000, rest % 6_000);
    format!("{hours:02} {minutes:02} {:02}.{:02}", rest / 100, rest % 100)
}

/// Declination as `±dd mm ss.s`.
#[must_use]
pub fn sexagesimal_dec(degrees: f64) -> String {
    let total = (degrees.abs() * 36_000.0).round() as i64;
    let sign = if degrees < 0.0 && total > 0 { '-' } else { '+' };
    let (whole, rest) = (total / 36_000, total % 36_000);
    let (minutes, rest) = (rest / 600, rest % 600);
    format!("{sign}{whole:02} {minutes:02} {:02}.{}", rest / 10, rest % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_collapse_and_case_stays() {
        assert_eq!(normalised("  M  31 "), "M 31");
        assert_eq!(normalised("TRAPPIST–1\tb"), "TRAPPIST-1 b");
        assert_ne!(normalised("HD 209458 b"), normalised("HD 209458 B"));
        assert!(check("").is_err() && check(" -- ").is_err() && check(&"x".repeat(121)).is_err());
        assert!(check("黑洞").is_ok());
    }

    #[test]
    fn sexagesimal_carries_over_and_keeps_the_sign_of_small_declinations() {
        assert_eq!(sexagesimal_ra(346.6223), "23 06 29.35");
        assert_eq!(sexagesimal_ra(359.999_999_9), "00 00 00.00");
        assert_eq!(sexagesimal_dec(-5.0414), "-05 02 29.0");
        assert_eq!(sexagesimal_dec(-0.5), "-00 30 00.0");
        assert_eq!(sexagesimal_dec(-0.000_001), "+00 00 00.0");
        assert_eq!(sexagesimal_dec(9.999_999_9), "+10 00 00.0");
    }
}
