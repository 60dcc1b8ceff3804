//! Long outputs.
