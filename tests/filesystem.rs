//! The file tools: what they do inside their folders, and that nothing leads outside. Real files, links and git.

#![expect(clippy::unwrap_used, reason = "helpers of tests; the lint knows test functions alone")]

#[path = "filesystem/attacks.rs"]
mod attacks;
#[path = "filesystem/declarations.rs"]
mod declarations;
#[path = "filesystem/desk.rs"]
mod desk;
#[path = "filesystem/persisted.rs"]
mod persisted;
#[path = "filesystem/races.rs"]
mod races;
#[path = "filesystem/reading.rs"]
mod reading;
#[path = "filesystem/searching.rs"]
mod searching;
#[path = "filesystem/writing.rs"]
mod writing;
