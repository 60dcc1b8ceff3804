//! Parsing: papers become Markdown that can be trusted.
//!
//! ```text
//! bytes -> an engine (latexml) -> document::Document -> markdown::write -> text
//! ```
//!
//! Every engine is a pure function of bytes: no network, no files, no clock. Foreign bytes are only parsed in a confined
//! process of our own binary ([`worker`]), so an engine that hangs or dies takes nothing with it; an engine still must not
//! panic, recurse without bound, or allocate more than a small multiple of its input.

pub mod document;
pub mod latexml;
pub mod markdown;
pub mod worker;
