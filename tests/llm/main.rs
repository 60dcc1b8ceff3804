//! The model client against the scripted model server and against recorded answers of real providers.
#![expect(clippy::unwrap_used, reason = "the helpers of tests fail like tests")]

#[path = "../support/model_server/mod.rs"]
mod model_server;

mod client;
mod corpus;
mod server;

use almagest::net::HttpClient;

/// The outbound client of the product.
fn http() -> HttpClient {
    HttpClient::new().unwrap()
}

/// A client without the product's guard, to speak to the scripted server as anyone could.
fn plain_http() -> reqwest::Client {
    let _ = http();
    reqwest::Client::builder().no_proxy().build().unwrap()
}
