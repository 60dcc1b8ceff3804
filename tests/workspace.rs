//! The versioned workspace: one commit for each write, undoing, and what is left after faults. Real folders, real git.

#![expect(clippy::unwrap_used, reason = "helpers of tests; the lint knows test functions alone")]

#[path = "workspace/desk.rs"]
mod desk;
#[path = "workspace/faults.rs"]
mod faults;
#[path = "workspace/reverting.rs"]
mod reverting;
#[path = "workspace/writing.rs"]
mod writing;
