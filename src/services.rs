//! The handles of the domain, built once and shared: what tools and routes work with.

use crate::config::Config;
use crate::net::HttpClient;
use crate::papers::Literature;
use crate::papers::parse::mineru::jobs::Rhythm;
use crate::papers::parse::mineru::{self, FolderShelf, Jobs};
use crate::papers::parse::worker::Parser;
use crate::sandbox::Sandbox;
use crate::store::Store;
use crate::targets::Resolver;
use crate::workspace::Workspaces;
use std::sync::Arc;

/// Everything below the agent.
pub struct Services {
    /// The settings.
    pub config: Arc<Config>,
    /// The database.
    pub store: Store,
    /// The way out to other servers.
    pub http: HttpClient,
    /// Searching and identifying papers.
    pub literature: Literature,
    /// Names of targets to coordinates.
    pub targets: Resolver,
    /// The users' versioned folders.
    pub workspaces: Workspaces,
    /// Starts confined processes.
    pub sandbox: Sandbox,
    /// Papers to Markdown.
    pub parser: Parser,
    /// Papers that MinerU reads.
    pub mineru: Jobs,
}

impl Services {
    /// Builds the handles.
    ///
    /// # Errors
    /// When a folder cannot be used.
    pub fn build(config: Arc<Config>, store: Store) -> anyhow::Result<Self> {
        let http = HttpClient::new()?;
        let literature = Literature::new(&config, store.clone(), &http);
        let targets = Resolver::new(&config, store.clone(), &http);
        let workspaces = Workspaces::open(&config.data_dir)?;
        let worker = config.worker.clone().map_or_else(std::env::current_exe, Ok)?;
        let sandbox = Sandbox::new(worker.clone());
        let parser = Parser::new(sandbox.clone(), worker);
        let readers = mineru::services(&http, &config.upstreams.mineru);
        let rhythm = Rhythm::within(config.upstreams.mineru.deadline);
        let mineru = Jobs::new(store.clone(), readers, Arc::new(FolderShelf::new(&config.data_dir)), rhythm);
        Ok(Self { config, store, http, literature, targets, workspaces, sandbox, parser, mineru })
    }
}
