//! Almagest: a research desk for astronomers, in one binary.
//!
//! Arrows point one way: [`web`] -> [`agent`] -> the domain ([`papers`], [`targets`], [`workspace`]) -> [`store`],
//! [`llm`], [`net`], [`sandbox`] -> [`config`], [`error`], [`ids`], [`time`]. `ARCHITECTURE.md` walks one chat turn through them.

pub mod agent;
pub mod app;
pub mod config;
pub mod error;
pub mod ids;
pub mod llm;
pub mod net;
pub mod papers;
pub mod sandbox;
pub mod server;
pub mod services;
pub mod store;
pub mod targets;
pub mod time;
pub mod web;
pub mod workspace;
