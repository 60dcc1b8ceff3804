//! Starting and running the server. Whatever keeps it from starting is one sentence that says what to do.

use crate::agent::asks::Asks;
use crate::agent::hooks::{Hooks, config::ConfigError as HooksError};
use crate::agent::permissions::Permissions;
use crate::agent::runtime::run_manager::{ModelSetup, Parts, RunManager};
use crate::agent::skills::SkillLibrary;
use crate::agent::tools::registry::ToolRegistry;
use crate::app::AppState;
use crate::config::Config;
use crate::ids::UserId;
use crate::llm::{ModelPool, Patience};
use crate::net::HttpClient;
use crate::services::Services;
use crate::store::accounts::{Admission, User, UserRole};
use crate::store::{Store, StoreError};
use crate::time::Timestamp;
use crate::web;
use crate::web::auth::{password, setup::SetupToken, throttle::LoginThrottle};
use axum::serve::ListenerExt;
use std::fs::{File, TryLockError};
use std::future::Future;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Time between sweeps of expired logins and old deltas.
const SWEEP: Duration = Duration::from_secs(15 * 60);
/// How long the deltas of an ended run are kept for clients that come back.
const KEEP_DELTAS: Duration = Duration::from_secs(24 * 60 * 60);
/// How long open requests may take to end when the server goes down.
const GRACE: Duration = Duration::from_secs(5);

/// Why the server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The listening address cannot be had.
    #[error("{0}: {1}. Is another Almagest running? End it, or choose another port with ALMAGEST_ADDR.")]
    Address(SocketAddr, std::io::Error),
    /// Another server uses the data folder.
    #[error("{}: another Almagest uses this data folder. End it, or choose another folder with ALMAGEST_DATA_DIR.", .0.display())]
    InUse(PathBuf),
    /// The data folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The user of ALMAGEST_USERNAME cannot be made.
    #[error("ALMAGEST_USERNAME and ALMAGEST_PASSWORD: {0}")]
    FirstUser(String),
    /// The hooks cannot be used. They may be policies, so the server does not start without them.
    #[error(transparent)]
    Hooks(#[from] HooksError),
    /// Something else.
    #[error("{0:#}")]
    Other(#[from] anyhow::Error),
}

/// A server that is ready to run.
pub struct Server {
    listener: TcpListener,
    state: AppState,
    setup_token: Option<String>,
    /// Held while the server lives.
    _lock: File,
}

impl Server {
    /// Opens everything and binds the address.
    ///
    /// # Errors
    /// One sentence that says what to do.
    pub async fn start(config: Config) -> Result<Self, StartError> {
        Self::start_with(config, ToolRegistry::standard).await
    }

    /// As [`Server::start`], with other tools than the standard ones.
    ///
    /// # Errors
    /// One sentence that says what to do.
    pub async fn start_with(
        config: Config,
        tools: impl FnOnce(SkillLibrary) -> ToolRegistry,
    ) -> Result<Self, StartError> {
        let addr = config.addr;
        let lock = lock_data_dir(&config)?;
        let store = Store::open(&config.database()).await?;
        let listener = TcpListener::bind(addr).await.map_err(|e| StartError::Address(addr, e))?;
        let config = Arc::new(config);
        let services = Arc::new(Services::build(Arc::clone(&config), store.clone())?);
        let hooks = Hooks::open(&config.data_dir, store.clone()).await?;
        let model = model(&config, &services.http);
        let asks = Asks::new(store.clone());
        let skills = SkillLibrary::open(services.workspaces.clone());
        let permissions = Permissions::open(store.clone()).await?;
        let runs = RunManager::new(Parts {
            services: Arc::clone(&services),
            tools: tools(skills.clone()),
            skills: skills.clone(),
            asks: Arc::clone(&asks),
            permissions: Arc::clone(&permissions),
            hooks: Arc::clone(&hooks),
            model,
        });
        let interrupted = runs.repair().await?;
        if interrupted > 0 {
            tracing::info!("{interrupted} interrupted run(s) can be continued from the dashboard");
        }
        let waiting = services.mineru.recover().await.map_err(anyhow::Error::from)?;
        if waiting > 0 {
            tracing::info!("{waiting} paper(s) are waited for at MinerU");
        }
        let setup = SetupToken::default();
        let setup_token = first_user(&store, &config, &setup).await?;
        let state = AppState {
            services,
            runs,
            asks,
            skills,
            permissions,
            hooks,
            throttle: Arc::new(LoginThrottle::default()),
            setup: Arc::new(setup),
            shutdown: CancellationToken::new(),
        };
        Ok(Self { listener, state, setup_token, _lock: lock })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// The address to open in a browser.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn url(&self) -> std::io::Result<String> {
        if let Some(url) = &self.state.services.config.public_url {
            return Ok(url.to_string());
        }
        let address = self.address()?;
        if address.ip().is_unspecified() {
            return Ok(format!("http://localhost:{}/", address.port()));
        }
        Ok(format!("http://{address}/"))
    }

    /// The address of the first set-up, when there is no user yet.
    ///
    /// # Errors
    /// When the system does not say where we listen.
    pub fn setup_url(&self) -> std::io::Result<Option<String>> {
        let url = self.url()?;
        Ok(self.setup_token.as_ref().map(|token| format!("{url}setup#{token}")))
    }

    /// What handlers have; for tests and tools that run inside the process.
    #[must_use]
    pub fn state(&self) -> &AppState {
        &self.state
    }

    /// Serves until `shutdown` is ready, then ends streams and requests in order.
    ///
    /// # Errors
    /// When the listener fails.
    pub async fn run(self, shutdown: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        let Self { listener, state, _lock: lock, .. } = self;
        let sweeper = tokio::spawn(sweep(state.clone()));
        let router = web::router(state.clone()).into_make_service_with_connect_info::<SocketAddr>();
        let token = state.shutdown.clone();
        let signal = async move {
            shutdown.await;
            token.cancel();
        };
        // Events are small writes: without this each could wait 40 ms for the acknowledgement of the one before.
        let listener = listener.tap_io(|connection| {
            if let Err(error) = connection.set_nodelay(true) {
                tracing::debug!("a connection stays slow for small writes: {error}");
            }
        });
        let served = async move { axum::serve(listener, router).with_graceful_shutdown(signal).await };
        let gone = state.shutdown.clone();
        let result = tokio::select! {
            result = served => result,
            () = async { gone.cancelled().await; tokio::time::sleep(GRACE).await } => Ok(()),
        };
        sweeper.abort();
        state.hooks.close().await;
        state.services.mineru.close().await;
        state.services.store.close().await;
        drop(lock);
        result
    }
}

/// Runs of two servers on one database would repair each other's away.
fn lock_data_dir(config: &Config) -> Result<File, StartError> {
    let unusable = |path: PathBuf, e: std::io::Error| StoreError::Unusable { path, problem: e.to_string() };
    std::fs::create_dir_all(&config.data_dir).map_err(|e| unusable(config.data_dir.clone(), e))?;
    let path = config.data_dir.join("almagest.lock");
    let file = File::create(&path).map_err(|e| unusable(path.clone(), e))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StartError::InUse(config.data_dir.clone())),
        Err(TryLockError::Error(e)) => Err(unusable(path, e).into()),
    }
}

/// Makes the user of the settings, or a set-up token when there is no user at all.
async fn first_user(store: &Store, config: &Config, setup: &SetupToken) -> Result<Option<String>, StartError> {
    if store.count_users().await? > 0 {
        return Ok(None);
    }
    let Some((username, secret)) = &config.first_user else {
        return Ok(Some(setup.create()?));
    };
    password::check(username, secret.expose()).map_err(StartError::FirstUser)?;
    let user = User {
        id: UserId::new(),
        username: username.clone(),
        password_hash: password::hash(secret.expose().to_owned()).await?,
        role: UserRole::Admin,
        created_at: Timestamp::now(),
    };
    store.add_user(user, Admission::FirstOnly).await?;
    Ok(None)
}

/// The model of the settings, when they name one.
fn model(config: &Config, http: &HttpClient) -> Option<ModelSetup> {
    let config = config.llm.clone()?;
    Some(ModelSetup { pool: ModelPool::new(http, &config, Patience::default()), config })
}

async fn sweep(state: AppState) {
    let mut pulse = tokio::time::interval(SWEEP);
    loop {
        pulse.tick().await;
        let store = &state.services.store;
        let before = Timestamp::from_millis(
            Timestamp::now().millis() - i64::try_from(KEEP_DELTAS.as_millis()).unwrap_or(i64::MAX),
        );
        let swept = async {
            store.sweep_logins().await?;
            store.prune_deltas(before).await
        };
        if let Err(error) = swept.await {
            tracing::warn!("the sweep of old rows failed and will be tried again: {error}");
        }
    }
}
