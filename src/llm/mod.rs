//! Language models: the types of a request and an answer, the client with its retries, and one file for each wire format.

pub mod anthropic;
mod backoff;
mod client;
mod failure;
pub mod fallback;
mod foreign;
pub mod openai;
pub mod reader;
pub mod sse;
pub mod types;

pub use backoff::Patience;
pub use client::Client;
pub use failure::Endpoint;
pub use fallback::ModelPool;
pub use foreign::Foreign;

use futures::stream::BoxStream;
use types::{ModelEvent, ModelRequest};

/// Something that answers requests in the manner of a language model.
pub trait ModelClient: Send + Sync {
    /// Sends the request and streams the answer; dropping the stream ends the request.
    ///
    /// The stream always ends with [`ModelEvent::Finished`] or [`ModelEvent::Failed`].
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, ModelEvent>;
}
