//! The handles of the domain, built once and shared: what tools and routes work with.

use crate::config::Config;
use crate::papers::Literature;
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
    /// Searching and identifying papers.
    pub literature: Literature,
    /// Names of targets to coordinates.
    pub targets: Resolver,
    /// The users' versioned folders.
    pub workspaces: Workspaces,
}

impl Services {
    /// Builds the handles.
    ///
    /// # Errors
    /// When a folder cannot be used.
    pub fn build(config: Arc<Config>, store: Store) -> anyhow::Result<Self> {
        Ok(Self { config, store, literature: Literature, targets: Resolver, workspaces: Workspaces })
    }
}
