//! The chat through the HTTP API of a real server, with the scripted model.
#![expect(clippy::unwrap_used, reason = "the helpers of tests fail like tests")]

#[path = "../support/app.rs"]
mod app;
#[path = "../support/model_server/mod.rs"]
mod model_server;

mod accounts;
mod anthropic;
mod asks;
mod context;
mod guards;
mod hooked;
mod hooks;
mod loading;
mod models;
mod permissions;
mod runs;
mod shell;
mod stops;
mod streams;
mod tools;
