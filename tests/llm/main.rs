//! The model client against the scripted model server and against recorded answers of real providers.
#![expect(clippy::unwrap_used, reason = "the helpers of tests fail like tests")]

#[path = "../support/model_server/mod.rs"]
mod model_server;

mod client;
mod corpus;
mod server;

/// A plain HTTP client; the product's own is guarded against the loopback interface.
fn http() -> HttpClient {
    HttpClient::new().unwrap()
}
