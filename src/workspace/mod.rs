//! The versioned folders.

/// One folder for each user.
pub struct Workspaces;
