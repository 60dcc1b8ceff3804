//! The one outbound HTTP client.
//!
//! [`HttpClient`] sends every request that leaves the process: to the language model, to ADS, arXiv and the name
//! resolvers, later to wherever a link leads. What it adds to a bare client:
//!
//! - **A guard against server-side request forgery** ([`guard`]): an address that comes from data (a redirect, a link, a
//!   page) must be public after name resolution. Origins that come from settings are trusted, exactly (scheme, host and
//!   port), by the clients made for them with [`HttpClient::trusting`]. Redirects are followed here, hop by hop, each
//!   checked anew, and credentials never follow to another origin.
//! - **Limits** ([`Limits`]): bytes after decompression, time to connect, in all and between chunks, requests in flight
//!   to one host.
//! - **Errors that can be shown** ([`NetError`]): they name the host and never carry a path, a query, a header or a key.
//!
//! [`Pace`] spaces requests to services that ask for it. Proxies of the environment are not used: a proxy resolves names
//! itself, behind the guard's back.

mod budget;
mod client;
mod error;
pub mod guard;
mod pace;
mod response;

pub use client::{HttpClient, Limits};
pub use error::NetError;
pub use guard::{Origin, Refusal};
pub use pace::{Pace, Turn};
pub use reqwest::StatusCode;
pub use response::Response;
