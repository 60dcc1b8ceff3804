//! The main job without keys or network: the product with a scripted model and recorded upstreams.
//!
//! Prints one line of JSON with the address, the user and the password, then runs until it is ended. The data live in a
//! temporary folder. `ALMAGEST_ADDR` chooses the address; without it a free port is taken.
#![expect(clippy::print_stdout, reason = "the line on standard output is what this program answers")]
#![expect(clippy::unwrap_used, reason = "the recorded upstreams are test code: without a free port there is no demo")]

#[path = "../tests/support/demo_model.rs"]
mod demo_model;
#[path = "../tests/support/model_server/mod.rs"]
mod model_server;
#[path = "../tests/support/upstreams.rs"]
mod upstreams;

use almagest::config::Config;
use almagest::sandbox::worker::{self, Stage};
use almagest::server::Server;
use clap::ValueEnum;
use std::collections::BTreeMap;
use tokio::signal::unix::{SignalKind, signal};

const USER: &str = "demo";
const PASSWORD: &str = "almagest-demo";

fn main() -> anyhow::Result<std::process::ExitCode> {
    // The server starts this program again to confine what the agent runs.
    if std::env::args().nth(1).as_deref() == Some("shell-worker") {
        let stage = std::env::args().nth(3).and_then(|stage| Stage::from_str(&stage, true).ok());
        return Ok(worker::main(stage.unwrap_or_default()));
    }
    tokio::runtime::Runtime::new()?.block_on(demo())?;
    Ok(std::process::ExitCode::SUCCESS)
}

async fn demo() -> anyhow::Result<()> {
    tracing_subscriber::fmt().with_env_filter("info").with_writer(std::io::stderr).init();
    let model = model_server::ModelServer::start(demo_model::script()).await;
    let upstreams = upstreams::start().await;
    let data = tempfile::tempdir()?;
    let address = std::env::var_os("ALMAGEST_ADDR").and_then(|addr| addr.into_string().ok());
    let mut settings = upstreams.environment();
    settings.extend([
        ("ALMAGEST_ADDR".to_owned(), address.unwrap_or_else(|| "127.0.0.1:0".into())),
        ("ALMAGEST_DATA_DIR".to_owned(), data.path().display().to_string()),
        ("ALMAGEST_USERNAME".to_owned(), USER.to_owned()),
        ("ALMAGEST_PASSWORD".to_owned(), PASSWORD.to_owned()),
        ("LLM_BASE_URL".to_owned(), model.base_url()),
        ("LLM_MODEL".to_owned(), "scripted-demo".to_owned()),
    ]);
    let server = Server::start(Config::from_sources(settings, BTreeMap::new())?).await?;
    let line = serde_json::json!({ "url": server.url()?, "username": USER, "password": PASSWORD });
    let mut terminate = signal(SignalKind::terminate())?;
    println!("{line}");
    eprintln!("Open {} and log in as {USER} with the password {PASSWORD}.", server.url()?);
    eprintln!("Then ask: {}", demo_model::QUESTION);
    server
        .run(async move {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
        })
        .await?;
    model.assert_clean();
    Ok(())
}
