//! What a context has read.

/// Which ranges of which files are in the context, and in which state the files were.
#[derive(Debug, Default)]
pub struct FileStateCache {}
