//! Targets: names to coordinates.

/// Resolves names.
pub struct Resolver;
