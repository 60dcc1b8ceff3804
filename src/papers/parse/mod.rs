//! Parsing: papers become Markdown that can be trusted.
//!
//! ```text
//! bytes -> an engine (latexml, publisher, latex, pdf) -> document::Document -> markdown::write -> text
//!                                                                           -> completeness::judge -> how far to trust it
//! ```
//!
//! Every engine is a pure function of bytes: no network, no files, no clock. Foreign bytes are only parsed in a confined
//! process of our own binary ([`worker`]), so an engine that hangs or dies takes nothing with it; an engine still must not
//! panic, recurse without bound, or allocate more than a small multiple of its input.

pub mod completeness;
pub mod csv;
pub mod document;
pub mod engines;
pub mod evaluate;
mod html;
pub mod latex;
pub mod latexml;
pub mod markdown;
pub mod mineru;
pub mod pdf;
pub mod publisher;
pub mod score;
pub mod symbols;
pub mod worker;
