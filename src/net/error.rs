//! What can go wrong on the way to another server.

use super::guard::Refusal;
use std::error::Error;
use std::time::Duration;

/// Why there is no answer, or no whole one. The text names the host and nothing else of the address: paths and queries
/// may hold keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetError {
    /// The address is refused by the guard.
    #[error("{host} was not contacted: {why}")]
    Blocked {
        /// The host, or the scheme of an address without one.
        host: String,
        /// Why.
        why: Refusal,
    },
    /// No connection: the name is unknown, the port closed, the certificate wrong.
    #[error("{host} could not be reached: {why}")]
    Connect {
        /// The host.
        host: String,
        /// The innermost cause.
        why: String,
    },
    /// Nothing came within the limit.
    #[error("{host} did not answer within {} s", .after.as_secs_f32())]
    Timeout {
        /// The host.
        host: String,
        /// The limit that passed.
        after: Duration,
    },
    /// The connection broke before the answer was whole.
    #[error("the connection to {host} broke: {why}")]
    Broken {
        /// The host.
        host: String,
        /// The innermost cause.
        why: String,
    },
    /// The answer is larger than what is accepted.
    #[error("{host} sent more than {limit} bytes")]
    TooLarge {
        /// The host.
        host: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// The redirects make no sense: too many, no target, or a body that cannot be sent twice.
    #[error("{host} redirects in a way that cannot be followed: {why}")]
    Redirect {
        /// The host that sent the last redirect.
        host: String,
        /// What is wrong.
        why: &'static str,
    },
    /// The request itself is malformed, or the client could not be set up (a defect or a broken system).
    #[error("the request could not be made: {0}")]
    Request(String),
}

impl NetError {
    /// Whether the host itself was not reached or fell silent, so that a mirror is worth trying.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        match self {
            Self::Connect { .. } | Self::Timeout { .. } | Self::Broken { .. } => true,
            Self::Blocked { .. } | Self::TooLarge { .. } | Self::Redirect { .. } | Self::Request(_) => false,
        }
    }

    /// From reqwest's error; the address and everything in it is left out.
    pub(super) fn from_reqwest(error: reqwest::Error, host: &str, connect_limit: Duration) -> Self {
        let host = host.to_owned();
        let error = error.without_url();
        if let Some(why) = find_refusal(&error) {
            return Self::Blocked { host, why };
        }
        if error.is_builder() {
            return Self::Request(root_cause(&error));
        }
        if error.is_timeout() {
            return Self::Timeout { host, after: connect_limit };
        }
        if error.is_connect() {
            return Self::Connect { host, why: root_cause(&error) };
        }
        Self::Broken { host, why: root_cause(&error) }
    }
}

fn find_refusal(error: &reqwest::Error) -> Option<Refusal> {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(refusal) = cause.downcast_ref::<Refusal>() {
            return Some(*refusal);
        }
        source = cause.source();
    }
    None
}

/// The innermost cause; the outer ones say "error sending request" and the like.
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
