//! Papers: identity, search, metadata.

/// The literature services.
pub struct Literature;
