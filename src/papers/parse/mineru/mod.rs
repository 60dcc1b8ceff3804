//! MinerU: its content lists as documents, its two services, and the jobs that outlive a restart.
//!
//! ```text
//! Jobs -> a Service (Cloud | Hosted) -> a zip -> archive -> content list and images -> read -> document::Document
//! ```
//!
//! A service is asked for nothing but its protocol; what is waited for, and how long, is the business of [`Jobs`]. The
//! reader is a pure function of the lists, as every engine is: the JSON of a [`Bundle`] is the file of a confined reader.

pub mod archive;
mod caption;
mod cloud;
mod error;
mod footnotes;
mod front;
mod hosted;
mod inline;
mod items;
pub mod jobs;
mod lists;
mod read;
mod references;
mod service;
mod shelf;
mod table;
#[cfg(test)]
mod tests;

pub use cloud::Cloud;
pub use error::MineruError;
pub use hosted::Hosted;
pub use jobs::Jobs;
pub use read::{Bundle, Part, Refusal, read, read_bundle, read_parts};
pub use service::{Pages, Progress, Service, Upload};
pub use shelf::FolderShelf;

use crate::config::MineruConfig;
use crate::net::HttpClient;
use std::sync::Arc;

/// The services that are set up: one's own server first, which keeps papers in the house.
#[must_use]
pub fn services(http: &HttpClient, config: &MineruConfig) -> Vec<Arc<dyn Service>> {
    let mut services: Vec<Arc<dyn Service>> = Vec::new();
    if let Some(base) = &config.hosted {
        services.push(Arc::new(Hosted::new(http, base.clone(), config.backend.clone())));
    }
    if config.token.is_some() {
        let cloud = Cloud::new(http, config.cloud.clone(), config.token.clone(), config.model.clone());
        services.push(Arc::new(cloud));
    }
    services
}

/// Bytes of a file that a service takes.
const LARGEST_FILE: u64 = 200 << 20;
/// Bytes of a result that are taken, packed.
const LARGEST_RESULT: u64 = 256 << 20;
