//! The main job over HTTP: the demo question, and each tool with the services behind it.
#![expect(clippy::unwrap_used, reason = "the helpers of tests fail like tests")]

#[path = "../support/app.rs"]
mod app;
#[path = "../support/demo_model.rs"]
mod demo_model;
#[path = "../support/model_server/mod.rs"]
mod model_server;
#[path = "../support/upstreams.rs"]
mod upstreams;

mod faults;
mod library;
mod merges;
mod tools;

use app::App;
use model_server::Script;
use upstreams::Upstreams;

/// The product with recorded upstreams.
async fn desk(script: Script) -> (App, Upstreams) {
    let upstreams = upstreams::start().await;
    let environment = upstreams.environment();
    let settings: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    (App::with(script, &settings).await, upstreams)
}
