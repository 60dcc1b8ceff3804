//! Language models: the types of a request and an answer, the client with its retries, and one file for each wire format.

pub mod types;

use futures::stream::BoxStream;
use types::{ModelEvent, ModelRequest};

/// Something that answers requests in the manner of a language model.
pub trait ModelClient: Send + Sync {
    /// Sends the request and streams the answer; dropping the stream ends the request.
    ///
    /// The stream always ends with [`ModelEvent::Finished`] or [`ModelEvent::Failed`].
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, ModelEvent>;
}
