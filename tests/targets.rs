//! The target service against recorded upstreams: what it finds, and what it says when something is broken.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

#[path = "support/upstreams.rs"]
mod upstreams;

use almagest::config::Config;
use almagest::net::HttpClient;
use almagest::store::Store;
use almagest::targets::{Resolver, TargetStatus, Timing};
use rstest::rstest;
use std::collections::BTreeMap;
use std::time::Duration;
use upstreams::{Fault, Upstream, Upstreams};

/// The service on recorded upstreams, with times that fit a test.
struct Desk {
    upstreams: Upstreams,
    targets: Resolver,
    store: Store,
    _folder: tempfile::TempDir,
}

async fn desk() -> Desk {
    let upstreams = upstreams::start().await;
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("almagest.db")).await.unwrap();
    let mut environment = upstreams.environment();
    environment.insert("ALMAGEST_DATA_DIR".into(), folder.path().display().to_string());
    let config = Config::from_sources(environment, BTreeMap::new()).unwrap();
    let timing = Timing { per_mirror: Duration::from_millis(400), interval: Duration::from_millis(1) };
    let targets = Resolver::with_timing(&config, store.clone(), &HttpClient::new().unwrap(), timing);
    Desk { upstreams, targets, store, _folder: folder }
}

#[tokio::test]
async fn a_target_is_found_and_kept() {
    let desk = desk().await;
    let target = desk.targets.resolve(" TRAPPIST-1  b ").await.unwrap();
    assert_eq!((target.status, target.name.as_str()), (TargetStatus::Found, "TRAPPIST-1 b"));
    assert_eq!((target.ra_deg, target.dec_deg), (Some(346.6223), Some(-5.0414)));
    let galactic = target.galactic.unwrap();
    assert!((galactic.l_deg - 69.714).abs() < 0.01 && (galactic.b_deg + 56.643).abs() < 0.01, "{galactic:?}");
    assert_eq!(target.kind.as_deref(), Some("Pl"));
    for upstream in [Upstream::SesameFirst, Upstream::SesameSecond] {
        desk.upstreams.set_fault(upstream, Fault::Down);
    }
    assert_eq!(desk.targets.resolve("TRAPPIST-1 b").await.unwrap(), target);
    assert_eq!(desk.upstreams.count(Upstream::SesameFirst), 1);
}

#[tokio::test]
async fn the_four_outcomes_are_told_apart() {
    let desk = desk().await;
    assert_eq!(desk.targets.resolve("Nibiru").await.unwrap().status, TargetStatus::NotFound);
    let ambiguous = desk.targets.resolve("S Mon").await.unwrap();
    assert_eq!(ambiguous.status, TargetStatus::Ambiguous);
    assert_eq!(ambiguous.candidates.unwrap().len(), 2);
    assert_eq!(desk.targets.resolve("").await.unwrap().status, TargetStatus::NotFound);
    for upstream in [Upstream::SesameFirst, Upstream::SesameSecond] {
        desk.upstreams.set_fault(upstream, Fault::page(503));
    }
    let down = desk.targets.resolve("M 31").await.unwrap();
    assert_eq!(down.status, TargetStatus::Unavailable);
    assert!(down.detail.unwrap().contains("HTTP 503"));
    // An outage is not remembered as an answer.
    desk.upstreams.repair(Upstream::SesameSecond);
    assert_eq!(desk.targets.resolve("M 31").await.unwrap().status, TargetStatus::Found);
}

#[rstest]
#[case(Fault::Down)]
#[case(Fault::Silent)]
#[case(Fault::page(200))]
#[tokio::test]
async fn the_next_mirror_is_asked(#[case] fault: Fault) {
    let desk = desk().await;
    desk.upstreams.set_fault(Upstream::SesameFirst, fault);
    assert_eq!(desk.targets.resolve("TRAPPIST-1").await.unwrap().status, TargetStatus::Found);
    // "Nothing found" is an answer: the second mirror is not asked for a better one.
    desk.upstreams.set_fault(Upstream::SesameFirst, Fault::NothingFound);
    assert_eq!(desk.targets.resolve("M31").await.unwrap().status, TargetStatus::NotFound);
    assert_eq!(desk.upstreams.count(Upstream::SesameSecond), 1);
}

#[tokio::test]
async fn an_expired_target_is_better_than_none_and_says_so() {
    let desk = desk().await;
    desk.targets.resolve("TRAPPIST-1 b").await.unwrap();
    let mut kept = desk.store.cached_target("TRAPPIST-1 b").await.unwrap().unwrap();
    kept.expires_at = almagest::time::Timestamp::from_millis(1);
    desk.store.keep_target("TRAPPIST-1 b", kept).await.unwrap();
    for upstream in [Upstream::SesameFirst, Upstream::SesameSecond] {
        desk.upstreams.set_fault(upstream, Fault::Down);
    }
    let target = desk.targets.resolve("TRAPPIST-1 b").await.unwrap();
    assert_eq!(target.status, TargetStatus::Found);
    assert!(target.detail.unwrap().contains("could not be asked for anew"));
}
