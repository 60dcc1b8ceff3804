//! Signs that readers of PDFs are known to lose, counted: a text can have all of its words and none of its minus signs.

use serde::{Deserialize, Serialize};

/// Signs that readers of PDFs lose, and how often each stands in a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbols {
    /// U+2212; a hyphen is none.
    pub minus: usize,
    /// A point between digits.
    pub decimal: usize,
    /// ±
    pub plus_minus: usize,
    /// ° and its raised ring.
    pub degree: usize,
    /// ⊙
    pub solar: usize,
    /// Greek letters.
    pub greek: usize,
}

impl Symbols {
    /// Counts them in a text.
    #[must_use]
    pub fn count(text: &str) -> Self {
        let mut counted = Self::default();
        counted.add(text.chars());
        counted
    }

    /// Counts those of more text.
    pub fn add(&mut self, text: impl Iterator<Item = char>) {
        let counted = self;
        let mut before = [' '; 2];
        for c in text.filter(|c| *c != '\\') {
            match c {
                '\u{2212}' => counted.minus += 1,
                '±' => counted.plus_minus += 1,
                '°' | '◦' | '∘' => counted.degree += 1,
                '⊙' | '☉' => counted.solar += 1,
                'Α'..='ω' | 'ϑ' | 'ϕ' | 'ϖ' | 'ϱ' | 'ϵ' | 'µ' => counted.greek += 1,
                _ => {}
            }
            if c.is_ascii_digit() && before[1] == '.' && before[0].is_ascii_digit() {
                counted.decimal += 1;
            }
            before = [before[1], c];
        }
    }

    /// Each sign's name, and how many of another reader's are here; absent where that one found none.
    #[must_use]
    pub fn against(&self, other: &Self) -> [(&'static str, Option<f64>); 6] {
        [
            ("minus", share(self.minus, other.minus)),
            ("decimal", share(self.decimal, other.decimal)),
            ("plus_minus", share(self.plus_minus, other.plus_minus)),
            ("degree", share(self.degree, other.degree)),
            ("solar", share(self.solar, other.solar)),
            ("greek", share(self.greek, other.greek)),
        ]
    }
}

fn share(part: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_counted() {
        let counted = Symbols::count("\u{2212}1.5 ± 0.25°, M⊙, Hα 3.");
        assert_eq!(counted, Symbols { minus: 1, decimal: 2, plus_minus: 1, degree: 1, solar: 1, greek: 1 });
    }
}
