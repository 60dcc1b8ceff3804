//! An answer whose body is read within limits.

use super::NetError;
use super::client::Limits;
use bytes::{Bytes, BytesMut};
use futures::stream::{BoxStream, StreamExt};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};
use url::Url;

/// An answer: status and headers are there, the body is still on its way.
#[derive(Debug)]
pub struct Response {
    inner: reqwest::Response,
    host: String,
    limits: Limits,
    deadline: Option<Instant>,
    received: u64,
    /// Keeps the host's budget taken until the body is read or given up.
    _permit: Option<OwnedSemaphorePermit>,
}

impl Response {
    pub(super) fn new(
        inner: reqwest::Response,
        host: String,
        limits: Limits,
        deadline: Option<Instant>,
        permit: Option<OwnedSemaphorePermit>,
    ) -> Self {
        Self { inner, host, limits, deadline, received: 0, _permit: permit }
    }

    /// The status; none is an error here.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.inner.status()
    }

    /// The headers.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        self.inner.headers()
    }

    /// A header's value, when it is there and readable.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers().get(name)?.to_str().ok()
    }

    /// Where the answer came from, after redirects.
    #[must_use]
    pub fn url(&self) -> &Url {
        self.inner.url()
    }

    /// The next piece of the body, decompressed; `None` at its end.
    ///
    /// # Errors
    /// When the connection breaks, a limit of time passes, or the body is larger than allowed.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, NetError> {
        let idle = Instant::now() + self.limits.idle;
        let (until, limit) = match (self.deadline, self.limits.overall) {
            (Some(deadline), Some(overall)) if deadline < idle => (deadline, overall),
            _ => (idle, self.limits.idle),
        };
        let piece = match timeout_at(until, self.inner.chunk()).await {
            Err(_) => return Err(NetError::Timeout { host: self.host.clone(), after: limit }),
            Ok(Err(error)) => return Err(NetError::from_reqwest(error, &self.host, self.limits.connect)),
            Ok(Ok(piece)) => piece,
        };
        if let Some(piece) = &piece {
            self.received = self.received.saturating_add(piece.len() as u64);
            if self.received > self.limits.max_bytes {
                return Err(NetError::TooLarge { host: self.host.clone(), limit: self.limits.max_bytes });
            }
        }
        Ok(piece)
    }

    /// The whole body.
    ///
    /// # Errors
    /// As [`Response::chunk`].
    pub async fn bytes(mut self) -> Result<Bytes, NetError> {
        let mut body = BytesMut::new();
        while let Some(piece) = self.chunk().await? {
            body.extend_from_slice(&piece);
        }
        Ok(body.freeze())
    }

    /// The whole body as UTF-8; what is not becomes U+FFFD.
    ///
    /// # Errors
    /// As [`Response::chunk`].
    pub async fn text(self) -> Result<String, NetError> {
        Ok(String::from_utf8_lossy(&self.bytes().await?).into_owned())
    }

    /// The body piece by piece; ends after the first error. Dropping it closes the connection.
    #[must_use]
    pub fn into_stream(self) -> BoxStream<'static, Result<Bytes, NetError>> {
        futures::stream::unfold(Some(self), |state| async move {
            let mut response = state?;
            match response.chunk().await {
                Ok(Some(piece)) => Some((Ok(piece), Some(response))),
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        })
        .boxed()
    }
}
