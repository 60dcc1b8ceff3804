//! One file for each resource.

pub mod auth;
pub mod events;
pub mod health;
pub mod history;
pub mod models;
pub mod papers;
pub mod permissions;
pub mod questions;
pub mod queue;
pub mod runs;
pub mod sessions;
pub mod settings;
pub mod targets;
pub mod tools;
pub mod workspace;
