//! Targets: names to coordinates.
//!
//! [`Resolver`] asks CDS Sesame (SIMBAD, then NED, then VizieR) at its mirrors in turn and keeps the answers. An answer is
//! one of four things ([`TargetStatus`]): found, not found, ambiguous, or the service could not be asked; a caller must
//! never take the last for the second.

mod galactic;
mod name;
mod sesame;
mod shape;

pub use galactic::galactic_from_icrs;
pub use name::{sexagesimal_dec, sexagesimal_ra};
pub use shape::{Galactic, ProperMotion, Target, TargetStatus};

use crate::config::Config;
use crate::net::HttpClient;
use crate::store::targets::CachedTarget;
use crate::store::{Store, StoreResult};
use crate::time::Timestamp;
use sesame::Sesame;
use std::time::Duration;

/// How long a position is taken without asking again: catalogues change slowly.
const FOUND_FOR: Duration = Duration::from_secs(30 * 24 * 3600);
/// How long "not found" is: a new object may be registered any day.
const NOT_FOUND_FOR: Duration = Duration::from_secs(24 * 3600);

/// Times of the resolver; other values than the default are for tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// One request to one mirror, after which the next is asked.
    pub per_mirror: Duration,
    /// Between two requests: above six a second CDS bans the address for a while.
    pub interval: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self { per_mirror: Duration::from_secs(6), interval: Duration::from_millis(200) }
    }
}

/// Resolves names. Make one for the process: the limiter is inside.
pub struct Resolver {
    store: Store,
    sesame: Sesame,
}

impl Resolver {
    /// For the configured mirrors.
    #[must_use]
    pub fn new(config: &Config, store: Store, http: &HttpClient) -> Self {
        Self::with_timing(config, store, http, Timing::default())
    }

    /// The same with other times.
    #[must_use]
    pub fn with_timing(config: &Config, store: Store, http: &HttpClient, timing: Timing) -> Self {
        let mirrors = config.upstreams.sesame.clone();
        Self { store, sesame: Sesame::new(http, mirrors, timing.per_mirror, timing.interval) }
    }

    /// Resolves a name; kept answers are used until they expire, and beyond when no mirror can be asked.
    ///
    /// # Errors
    /// When the database fails; that a service is down is an answer.
    pub async fn resolve(&self, name: &str) -> StoreResult<Target> {
        let name = name::normalised(name);
        if let Err(why) = name::check(&name) {
            return Ok(Target::without(TargetStatus::NotFound, &name, why));
        }
        let kept = self.store.cached_target(&name).await?;
        let kept = kept.and_then(|kept| {
            // What an older version wrote and this one cannot read is asked for anew.
            serde_json::from_str::<Target>(&kept.answer).ok().map(|target| (target, kept.fetched_at, kept.expires_at))
        });
        let now = Timestamp::now();
        if let Some((target, _, expires_at)) = &kept
            && *expires_at > now
        {
            return Ok(target.clone());
        }
        let target = self.sesame.resolve(&name).await;
        let lifetime = match target.status {
            TargetStatus::Found => FOUND_FOR,
            TargetStatus::NotFound | TargetStatus::Ambiguous => NOT_FOUND_FOR,
            TargetStatus::Unavailable => {
                let Some((mut old, fetched_at, _)) = kept else { return Ok(target) };
                let why = target.detail.unwrap_or_default();
                old.detail = Some(format!("This answer is from {fetched_at}; it could not be asked for anew. {why}"));
                return Ok(old);
            }
        };
        if let Ok(answer) = serde_json::to_string(&target) {
            let kept = CachedTarget { answer, fetched_at: now, expires_at: now.plus(lifetime) };
            self.store.keep_target(&name, kept).await?;
        }
        Ok(target)
    }
}

/// Reads a stored answer of Sesame as the client would; for the tests and the fuzz targets.
#[doc(hidden)]
#[must_use]
pub fn replay(name: &str, body: &str) -> Target {
    sesame::read(name, body).unwrap_or_else(|why| Target::without(TargetStatus::Unavailable, name, why))
}
