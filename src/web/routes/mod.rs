//! One file for each resource.

pub mod audit;
pub mod auth;
pub mod compaction;
pub mod events;
pub mod health;
pub mod history;
pub mod hooks;
pub mod library;
pub mod memories;
pub mod merges;
pub mod metrics;
pub mod models;
pub mod papers;
pub mod permissions;
pub mod questions;
pub mod queue;
pub mod runs;
pub mod sessions;
pub mod settings;
pub mod skills;
pub mod targets;
pub mod tools;
pub mod workspace;
