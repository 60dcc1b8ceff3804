//! The agent: what a run may say ([`events`]), its prompt, its tools, the [`hooks`] around them and the
//! runtime that drives them.

pub mod asks;
pub mod context;
pub mod events;
pub mod hooks;
pub mod memory;
pub mod permissions;
pub mod prompt;
pub mod runtime;
pub mod skills;
pub mod timeline;
pub mod tools;
