//! The running application: the domain's services and the agent, built once.

use crate::agent::asks::Asks;
use crate::agent::permissions::Permissions;
use crate::agent::runtime::run_manager::RunManager;
use crate::services::Services;
use crate::web::auth::{setup::SetupToken, throttle::LoginThrottle};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What every handler has; cheap to clone.
#[derive(Clone)]
pub struct AppState {
    /// The domain.
    pub services: Arc<Services>,
    /// The agent.
    pub runs: Arc<RunManager>,
    /// Questions to the user.
    pub asks: Arc<Asks>,
    /// What may run.
    pub permissions: Arc<Permissions>,
    /// Failed logins.
    pub throttle: Arc<LoginThrottle>,
    /// The one-time token of the first start.
    pub setup: Arc<SetupToken>,
    /// Cancelled when the server goes down, so that open streams end.
    pub shutdown: CancellationToken,
}
