//! Which tools, sources or triggers a hook is for.

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Deserializer};

/// Memory that a compiled pattern may take, in bytes.
const PATTERN_BYTES: usize = 1 << 20;

/// A hook's matcher, in the three forms that Claude Code has.
#[derive(Debug, Clone, Default)]
pub enum Matcher {
    /// Empty or `*`.
    #[default]
    All,
    /// Word characters, blanks, `-`, `,` and `|` alone: names, compared whole.
    Names(Vec<String>),
    /// Anything else: a regular expression, found anywhere in the name.
    Pattern(Regex),
}

impl Matcher {
    /// Reads a matcher.
    ///
    /// # Errors
    /// What is wrong with its regular expression.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() || text.trim() == "*" {
            return Ok(Self::All);
        }
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | ' ' | '-' | ',' | '|');
        if text.chars().all(plain) {
            let names = text.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
            return Ok(Self::Names(names.map(str::to_owned).collect()));
        }
        let built = RegexBuilder::new(text).size_limit(PATTERN_BYTES).build();
        built.map(Self::Pattern).map_err(|error| {
            let cause = error.to_string().lines().last().unwrap_or_default().trim().to_owned();
            format!("the matcher `{text}` is no regular expression: {cause}")
        })
    }

    /// Whether it is for this name.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Names(names) => names.iter().any(|known| known == name),
            Self::Pattern(pattern) => pattern.is_match(name),
        }
    }
}

impl<'de> Deserialize<'de> for Matcher {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::empty("", "read_file", true)]
    #[case::star("*", "read_file", true)]
    #[case::name("read_file", "read_file", true)]
    #[case::a_name_is_whole("read", "read_file", false)]
    #[case::case_counts("Read_File", "read_file", false)]
    #[case::list("file_write|file_edit", "file_edit", true)]
    #[case::list_with_commas("file_write, file_edit", "file_edit", true)]
    #[case::list_without("file_write|file_edit", "read_file", false)]
    #[case::pattern_anywhere("file.*", "read_file", true)]
    #[case::anchored("^file_", "read_file", false)]
    #[case::only_separators("|", "read_file", false)]
    fn three_forms(#[case] matcher: &str, #[case] name: &str, #[case] expected: bool) {
        assert_eq!(Matcher::parse(matcher).unwrap().matches(name), expected);
    }

    #[rstest]
    #[case("(")]
    #[case("(a{1000}){1000}.")]
    fn a_pattern_that_is_none_or_too_large_is_refused(#[case] text: &str) {
        assert!(Matcher::parse(text).unwrap_err().contains(text));
    }
}
