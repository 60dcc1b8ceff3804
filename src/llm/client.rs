//! The client: one request to one server, and its answer.

use super::ModelClient;
use super::backoff::Patience;
use super::failure::Endpoint;
use super::openai::dialect::Dialect;
use super::reader::Reader;
use super::types::{ModelError, ModelEvent, ModelRequest};
use super::{anthropic, openai};
use crate::config::{LlmConfig, Provider, Secret};
use crate::net::{HttpClient, Limits, NetError, Response};
use futures::stream::BoxStream;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, InvalidHeaderValue};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use url::Url;

/// How much of an error's body is read, in bytes.
const ERROR_BODY: usize = 64 << 10;

/// Beyond any patience of ours: the limits that matter are those of [`Patience`].
const LONGEST_SILENCE: Duration = Duration::from_secs(3600);

/// Asks a model server: one attempt at each request. What comes after a failure is the business of the
/// [`ModelPool`](super::ModelPool). Dropping the stream closes the connection.
#[derive(Clone)]
pub struct Client {
    server: Arc<Server>,
    patience: Patience,
}

/// What does not change between requests.
struct Server {
    http: HttpClient,
    base_url: Url,
    key: Option<Secret>,
    provider: Provider,
    dialect: Dialect,
}

impl Client {
    /// A client of the configured server, over the given HTTP client.
    #[must_use]
    pub fn new(http: &HttpClient, config: &LlmConfig, patience: Patience) -> Self {
        let http = http.trusting([&config.base_url]).with_limits(Limits::streaming(LONGEST_SILENCE));
        let server = Server {
            http,
            base_url: config.base_url.clone(),
            key: config.api_key.clone(),
            provider: config.provider,
            dialect: Dialect::of(&config.base_url),
        };
        Self { server: Arc::new(server), patience }
    }
}

impl ModelClient for Client {
    fn stream(&self, request: ModelRequest) -> BoxStream<'static, ModelEvent> {
        let Self { server, patience } = self.clone();
        Box::pin(async_stream::stream! {
            let outgoing = match Outgoing::new(server, &request, patience) {
                Ok(outgoing) => outgoing,
                Err(error) => {
                    yield ModelEvent::Failed(error);
                    return;
                }
            };
            let mut answer = match outgoing.send().await {
                Ok(answer) => answer,
                Err(error) => {
                    yield ModelEvent::Failed(error);
                    return;
                }
            };
            loop {
                for event in answer.more().await {
                    let over = matches!(event, ModelEvent::Finished(_) | ModelEvent::Failed(_));
                    yield event;
                    if over {
                        return;
                    }
                }
            }
        })
    }
}

/// A request that is ready to be sent.
struct Outgoing {
    server: Arc<Server>,
    endpoint: Endpoint,
    address: Url,
    headers: HeaderMap,
    body: bytes::Bytes,
    patience: Patience,
}

impl Outgoing {
    fn new(server: Arc<Server>, request: &ModelRequest, patience: Patience) -> Result<Self, ModelError> {
        let endpoint = Endpoint::new(&server.base_url, &request.model, server.key.clone());
        let written = match server.provider {
            Provider::OpenAi => openai::request::body(request, server.dialect),
            Provider::Anthropic => anthropic::request::body(request),
        };
        let body = written.map_err(|error| endpoint.unreadable(&error.to_string()))?;
        let address = match server.provider {
            Provider::OpenAi => openai::request::address(&server.base_url),
            Provider::Anthropic => anthropic::request::address(&server.base_url),
        };
        let headers = headers(server.provider, server.key.as_ref()).map_err(|_| Endpoint::unusable_key())?;
        Ok(Self { server, endpoint, address, headers, body: body.into(), patience })
    }

    /// Sends the request, and waits until an answer begins.
    async fn send(&self) -> Result<Answer, ModelError> {
        let request = self.server.http.post(self.address.clone()).headers(self.headers.clone()).body(self.body.clone());
        let patience = self.patience;
        let response = match timeout(patience.first_byte, self.server.http.send_built(request)).await {
            Err(_) => return Err(self.endpoint.silent(patience.first_byte)),
            Ok(Err(error)) => return Err(self.endpoint.unreachable(&cause(error))),
            Ok(Ok(response)) => response,
        };
        if !response.status().is_success() {
            return Err(self.refusal(response).await);
        }
        let (endpoint, reader) = (self.endpoint.clone(), Reader::new(self.endpoint.clone(), self.server.provider));
        Ok(Answer { response, reader, endpoint, patience, begun: false })
    }

    /// Reads why the server refused; what is too long or does not come is left out.
    async fn refusal(&self, mut response: Response) -> ModelError {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut body = Vec::new();
        let reading = async {
            while let Ok(Some(bytes)) = response.chunk().await
                && body.len() < ERROR_BODY
            {
                body.extend_from_slice(&bytes);
            }
        };
        // The status is enough to go on.
        let _ = timeout(self.patience.usage, reading).await;
        self.endpoint.refused(status, &headers, &body)
    }
}

/// An answer that is coming in.
struct Answer {
    response: Response,
    reader: Reader,
    endpoint: Endpoint,
    patience: Patience,
    /// A byte of the body has come.
    begun: bool,
}

impl Answer {
    /// Waits for more of the answer. The last event is [`ModelEvent::Finished`] or [`ModelEvent::Failed`].
    async fn more(&mut self) -> Vec<ModelEvent> {
        let finished = self.reader.has_finished();
        let wait = match (finished, self.begun) {
            (true, _) => self.patience.usage,
            (false, true) => self.patience.idle,
            (false, false) => self.patience.first_byte,
        };
        match timeout(wait, self.response.chunk()).await {
            Ok(Ok(Some(bytes))) => {
                self.begun = true;
                self.reader.feed(&bytes)
            }
            Ok(Ok(None)) => self.reader.end(),
            // The model had said everything; only its usage is lost.
            Ok(Err(_)) | Err(_) if finished => self.reader.end(),
            Ok(Err(_)) => vec![ModelEvent::Failed(self.endpoint.broke_off())],
            Err(_) => vec![ModelEvent::Failed(self.endpoint.silent(wait))],
        }
    }
}

fn headers(provider: Provider, key: Option<&Secret>) -> Result<HeaderMap, InvalidHeaderValue> {
    let mut headers = HeaderMap::from_iter([
        (CONTENT_TYPE, HeaderValue::from_static("application/json")),
        (ACCEPT, HeaderValue::from_static("text/event-stream, application/json")),
    ]);
    if provider == Provider::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static(anthropic::request::VERSION));
    }
    if let Some(key) = key {
        let (name, text) = match provider {
            Provider::OpenAi => (AUTHORIZATION, format!("Bearer {}", key.expose())),
            Provider::Anthropic => (HeaderName::from_static("x-api-key"), key.expose().to_owned()),
        };
        let mut value = HeaderValue::try_from(text)?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// What the endpoint's own message says after naming the host.
fn cause(error: NetError) -> String {
    match error {
        NetError::Connect { why, .. } | NetError::Broken { why, .. } => why,
        NetError::Redirect { why, .. } => why.to_owned(),
        NetError::Blocked { .. } | NetError::Timeout { .. } | NetError::TooLarge { .. } | NetError::Request(_) => {
            error.to_string()
        }
    }
}
