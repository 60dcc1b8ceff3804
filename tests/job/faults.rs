//! Services that fail: a clear message in the card of the call, never a failed run.

use crate::app::{finished, of_kind};
use crate::desk;
use crate::model_server::{Reply, Script};
use crate::upstreams::{Fault, Upstream};
use rstest::rstest;
use serde_json::{Value, json};
use std::time::Duration;

/// Runs one call and answers its result.
async fn result_of(call: (&str, Value), faults: &[(Upstream, Fault)]) -> Value {
    let script = Script::of([Reply::new().call(call.0, call.1), Reply::new().text("I say what failed.")]);
    let (app, upstreams) = desk(script).await;
    for (upstream, fault) in faults {
        upstreams.set_fault(*upstream, fault.clone());
    }
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    assert_eq!(finished(&events)["status"], "completed");
    app.model.assert_clean();
    of_kind(&events, "tool_result")[0].clone()
}

fn search() -> (&'static str, Value) {
    ("search_papers", json!({ "query": "TRAPPIST-1 b atmosphere" }))
}

fn status_of<'a>(result: &'a Value, source: &str) -> &'a Value {
    result["metadata"]["sources"].as_array().unwrap().iter().find(|s| s["name"] == source).unwrap()
}

#[rstest]
#[case::down(&[(Upstream::Ads, Fault::Down), (Upstream::AdsFallback, Fault::Down)], "reach")]
#[case::refused(&[(Upstream::Ads, Fault::unauthorized())], "ADS_API_TOKEN")]
#[case::limited(&[(Upstream::Ads, Fault::too_many_requests(Duration::from_secs(3600)))], "used up")]
#[case::page(&[(Upstream::Ads, Fault::page(502)), (Upstream::AdsFallback, Fault::page(502))], "502")]
#[tokio::test]
async fn arxiv_answers_when_ads_fails(#[case] faults: &[(Upstream, Fault)], #[case] says: &str) {
    let result = result_of(search(), faults).await;
    assert_eq!(result["is_error"], false, "{result}");
    assert_eq!(status_of(&result, "ads")["status"], "failed");
    assert_eq!(status_of(&result, "arxiv")["status"], "ok");
    let output = result["output"].as_str().unwrap();
    assert!(output.contains("2303.14849"), "{output}");
    assert!(output.contains("ADS") && output.contains(says), "{says} in {output}");
}

#[tokio::test]
async fn ads_answers_when_arxiv_is_down() {
    let result = result_of(search(), &[(Upstream::Arxiv, Fault::Down)]).await;
    assert_eq!(result["is_error"], false);
    assert_eq!(status_of(&result, "arxiv")["status"], "failed");
    assert!(result["output"].as_str().unwrap().contains("2023Natur.618...39G"));
}

#[tokio::test]
async fn an_empty_page_of_arxiv_is_asked_for_again() {
    let result = result_of(search(), &[(Upstream::Arxiv, Fault::EmptyPages(1))]).await;
    assert_eq!(status_of(&result, "arxiv")["status"], "ok", "{result}");
    assert_eq!(result["is_error"], false);
}

#[tokio::test]
async fn both_down_is_an_error_in_words() {
    let faults = [Upstream::Ads, Upstream::AdsFallback, Upstream::Arxiv].map(|upstream| (upstream, Fault::Down));
    let result = result_of(search(), &faults).await;
    assert_eq!(result["is_error"], true);
    let output = result["output"].as_str().unwrap();
    assert!(output.contains("ADS") && output.contains("arXiv"), "{output}");
}

#[tokio::test]
async fn the_second_host_takes_over() {
    let result = result_of(search(), &[(Upstream::Ads, Fault::Down)]).await;
    assert_eq!(status_of(&result, "ads")["status"], "ok", "{result}");
}

#[rstest]
#[case("No Such Star 12345", &[], "not_found")]
#[case("TRAPPIST-1 b", &[(Upstream::SesameFirst, Fault::Down)], "found")]
#[case("TRAPPIST-1 b", &[(Upstream::SesameFirst, Fault::Down), (Upstream::SesameSecond, Fault::page(500))], "unavailable")]
#[tokio::test]
async fn names_have_four_outcomes(#[case] name: &str, #[case] faults: &[(Upstream, Fault)], #[case] status: &str) {
    let result = result_of(("query_target", json!({ "name": name })), faults).await;
    assert_eq!(result["metadata"]["status"], status, "{result}");
    assert!(!result["output"].as_str().unwrap().is_empty());
}
