//! Paths below a folder, as values that cannot lead out of it.

use std::fmt;

/// Bytes of a whole path.
const MAX_PATH: usize = 1024;
/// Bytes of one component: what Linux file systems take.
const MAX_COMPONENT: usize = 255;
/// Folders below each other; keeps walks and their open handles bounded.
pub(super) const MAX_DEPTH: usize = 48;

/// A relative path whose components were checked one by one; no components means the folder itself.
///
/// Components are compared byte by byte: a look-alike such as a full-width `．．` or a percent-encoded `%2e%2e` is just an
/// odd name. There is no `..` and no `.` in it, and nothing that git would take for its own folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelPath(String);

/// Why a text is no path that we use; the text says what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing was given.
    #[error("The path is empty. Name a file, or `.` for the workspace itself.")]
    Empty,
    /// Longer than a path or a name may be.
    #[error(
        "The path is too long: at most {MAX_PATH} bytes, {MAX_COMPONENT} bytes for each name and {MAX_DEPTH} folders deep."
    )]
    TooLong,
    /// NUL, a line break or another control character.
    #[error("The path contains a control character ({0}). Use visible characters only.")]
    Control(String),
    /// `..` as a component.
    #[error("The path contains `..`. Name the file from the workspace's top, such as `notes/plan.md`.")]
    Parent,
    /// `~` as a component, or a first component that a shell would take for a home folder.
    #[error("The path contains `~`. There are no home folders here: name the file from the workspace's top.")]
    Home,
    /// A backslash.
    #[error("The path contains a backslash. Separate folders with `/`.")]
    Backslash,
    /// git's own folder.
    #[error(
        "The path leads into a `.git` folder, which keeps the workspace's history and is neither read nor written."
    )]
    Git,
}

impl RelPath {
    /// The folder itself.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// Reads a relative path; empty components and `.` are dropped.
    ///
    /// # Errors
    /// When a component breaks a rule.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        if text.len() > MAX_PATH {
            return Err(PathError::TooLong);
        }
        let mut path = Self::root();
        for component in text.split('/').filter(|component| !matches!(*component, "" | ".")) {
            if component == "~" || (path.is_root() && component.starts_with('~')) {
                return Err(PathError::Home);
            }
            path = path.child(component)?;
        }
        Ok(path)
    }

    /// This path and one more component.
    ///
    /// # Errors
    /// When the component breaks a rule or the path becomes too long.
    pub fn child(&self, component: &str) -> Result<Self, PathError> {
        check_component(component)?;
        let path = if self.is_root() { component.to_owned() } else { format!("{}/{component}", self.0) };
        if path.len() > MAX_PATH || path.split('/').count() > MAX_DEPTH {
            return Err(PathError::TooLong);
        }
        Ok(Self(path))
    }

    /// Whether this is the folder itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The components in order.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|component| !component.is_empty())
    }

    /// The first component.
    #[must_use]
    pub fn first(&self) -> Option<&str> {
        self.components().next()
    }

    /// The folder that contains this and the name in it; `None` for the folder itself.
    #[must_use]
    pub fn split_last(&self) -> Option<(Self, &str)> {
        match self.0.rsplit_once('/') {
            Some((parent, name)) => Some((Self(parent.to_owned()), name)),
            None if self.is_root() => None,
            None => Some((Self::root(), &self.0)),
        }
    }

    /// The path without its first `count` components.
    #[must_use]
    pub fn skip(&self, count: usize) -> Self {
        Self(self.components().skip(count).collect::<Vec<_>>().join("/"))
    }

    /// Components joined by `/`; empty for the folder itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_root() { "." } else { &self.0 })
    }
}

fn check_component(component: &str) -> Result<(), PathError> {
    match component {
        "" | "." => return Err(PathError::Empty),
        ".." => return Err(PathError::Parent),
        _ => {}
    }
    if component.len() > MAX_COMPONENT {
        return Err(PathError::TooLong);
    }
    if let Some(control) = component.chars().find(|c| c.is_control()) {
        return Err(PathError::Control(format!("U+{:04X}", u32::from(control))));
    }
    if component.contains('\\') {
        return Err(PathError::Backslash);
    }
    if component.contains('/') {
        return Err(PathError::TooLong);
    }
    if is_git_folder(component) {
        return Err(PathError::Git);
    }
    Ok(())
}

/// `.git` and the spellings that case-insensitive file systems, NTFS and HFS+ take for it.
fn is_git_folder(component: &str) -> bool {
    // HFS+ ignores these when it compares names (the list is git's, CVE-2014-9390).
    let visible = component.chars().filter(
        |c| !matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}'),
    );
    let folded = visible.flat_map(char::to_lowercase).collect::<String>();
    let stem = folded.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    matches!(stem, ".git" | "git~1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("notes/plan.md", "notes/plan.md")]
    #[case("./notes//plan.md", "notes/plan.md")]
    #[case(".", "")]
    #[case("notes~/a~", "notes~/a~")]
    #[case("..notes/...", "..notes/...")]
    #[case("%2e%2e/x", "%2e%2e/x")]
    #[case("．．/x", "．．/x")]
    #[case(".gitignore", ".gitignore")]
    #[case("git/a.git", "git/a.git")]
    fn accepts(#[case] text: &str, #[case] path: &str) {
        assert_eq!(RelPath::parse(text).map(|path| path.as_str().to_owned()), Ok(path.to_owned()));
    }

    #[rstest]
    #[case("", PathError::Empty)]
    #[case("..", PathError::Parent)]
    #[case("a/../b", PathError::Parent)]
    #[case("~", PathError::Home)]
    #[case("~/x", PathError::Home)]
    #[case("~root/x", PathError::Home)]
    #[case("a/~/x", PathError::Home)]
    #[case("a\\..\\b", PathError::Backslash)]
    #[case("a\0b", PathError::Control("U+0000".into()))]
    #[case("a\nb", PathError::Control("U+000A".into()))]
    #[case(".git", PathError::Git)]
    #[case("a/.GIT/config", PathError::Git)]
    #[case("git~1/config", PathError::Git)]
    #[case(".git./config", PathError::Git)]
    #[case(".git::$INDEX_ALLOCATION/config", PathError::Git)]
    #[case(".g\u{200c}it/config", PathError::Git)]
    #[case(&"a".repeat(256), PathError::TooLong)]
    #[case(&"a/".repeat(600), PathError::TooLong)]
    fn refuses(#[case] text: &str, #[case] error: PathError) {
        assert_eq!(RelPath::parse(text), Err(error));
    }

    #[test]
    fn splits_and_skips() {
        let path = RelPath::parse("a/b/c.md").unwrap();
        assert_eq!(path.split_last(), Some((RelPath::parse("a/b").unwrap(), "c.md")));
        assert_eq!(path.skip(1).as_str(), "b/c.md");
        assert_eq!(RelPath::root().split_last(), None);
        assert_eq!(RelPath::parse("c.md").unwrap().split_last(), Some((RelPath::root(), "c.md")));
    }
}
