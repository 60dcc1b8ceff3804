//! The agent: what a run may say ([`events`]), its prompt, its tools and the runtime that drives them.

pub mod asks;
pub mod events;
pub mod permissions;
pub mod prompt;
pub mod runtime;
pub mod tools;
