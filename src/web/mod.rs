//! Placeholder while the house is laid out.

pub mod assets;
pub mod spa;
