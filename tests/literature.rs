//! The literature service against recorded upstreams: what they find, and what they say when something is
//! broken.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

#[path = "support/upstreams.rs"]
mod upstreams;

use almagest::config::Config;
use almagest::net::HttpClient;
use almagest::papers::search::{SearchAnswer, SearchRequest, SortOrder, SourceName, SourceOutcome, SourceStatus};
use almagest::papers::{Literature, MetadataError, SearchError, Timing};
use almagest::store::Store;
use rstest::rstest;
use std::collections::BTreeMap;
use std::time::Duration;
use upstreams::{Fault, Upstream, Upstreams};

/// The services on recorded upstreams, with times that fit a test.
struct Desk {
    upstreams: Upstreams,
    literature: Literature,
    store: Store,
    _folder: tempfile::TempDir,
}

async fn desk() -> Desk {
    desk_with(|_| {}).await
}

async fn desk_with(change: impl FnOnce(&mut BTreeMap<String, String>)) -> Desk {
    let upstreams = upstreams::start().await;
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("almagest.db")).await.unwrap();
    let mut environment = upstreams.environment();
    environment.insert("ALMAGEST_DATA_DIR".into(), folder.path().display().to_string());
    change(&mut environment);
    let config = Config::from_sources(environment, BTreeMap::new()).unwrap();
    let http = HttpClient::new().unwrap();
    let timing = Timing {
        deadline: Duration::from_secs(5),
        attempt: Duration::from_millis(400),
        arxiv_interval: Duration::from_millis(10),
        ..Timing::default()
    };
    let literature = Literature::with_timing(&config, store.clone(), &http, timing);
    Desk { upstreams, literature, store, _folder: folder }
}

fn words(query: &str) -> SearchRequest {
    SearchRequest { query: query.into(), ..SearchRequest::default() }
}

impl Desk {
    async fn search(&self, query: &str) -> SearchAnswer {
        self.literature.search(&words(query)).await.unwrap()
    }
}

fn source(answer: &SearchAnswer, name: SourceName) -> &SourceStatus {
    answer.sources.iter().find(|source| source.name == name).unwrap()
}

fn detail(answer: &SearchAnswer, name: SourceName) -> String {
    source(answer, name).detail.clone().unwrap_or_default()
}

#[tokio::test]
async fn both_sources_become_one_list() {
    let desk = desk().await;
    let answer = desk.search("TRAPPIST-1 b atmosphere").await;
    assert_eq!(answer.query_sent.ads.as_deref(), Some("TRAPPIST-1 b atmosphere"));
    assert_eq!(answer.query_sent.arxiv.as_deref(), Some("all:\"TRAPPIST-1\" AND all:b AND all:atmosphere"));
    // Four in both, one in ADS alone, one at arXiv alone.
    assert_eq!(answer.items.len(), 6);
    let greene = &answer.items[0];
    assert_eq!(greene.source, [SourceName::Ads, SourceName::Arxiv]);
    assert_eq!(greene.paper.bibcode.as_deref(), Some("2023Natur.618...39G"));
    assert_eq!(greene.paper.arxiv_id.as_deref(), Some("2303.14849"));
    assert_eq!(greene.paper.published_as.as_deref(), Some("Natur 618, 39"));
    let versions: Vec<&str> = greene.paper.versions.iter().map(|version| version.id.as_str()).collect();
    assert_eq!(versions, ["2303.14849v1", "2023Natur.618...39G"]);
    let quota = source(&answer, SourceName::Ads).quota.unwrap();
    assert_eq!(quota.limit, 5000);
    for request in desk.upstreams.requests() {
        assert!(request.user_agent.starts_with("Almagest/"), "{request:?}");
        assert_eq!(request.authorization.is_some(), request.upstream == Upstream::Ads, "{request:?}");
    }
    // The same search again finds the same papers under the same ids.
    let again = desk.search("TRAPPIST-1 b atmosphere").await;
    let ids = |answer: &SearchAnswer| answer.items.iter().map(|hit| hit.paper.id).collect::<Vec<_>>();
    assert_eq!(ids(&answer), ids(&again));
}

#[tokio::test]
async fn the_order_can_be_chosen() {
    let desk = desk().await;
    let sorted = |sort| SearchRequest { sort, ..words("TRAPPIST-1") };
    let newest = desk.literature.search(&sorted(SortOrder::Date)).await.unwrap();
    assert_eq!(newest.items[0].paper.bibcode.as_deref(), Some("2025NatAs...9..358D"));
    let most_cited = desk.literature.search(&sorted(SortOrder::Citations)).await.unwrap();
    assert_eq!(most_cited.items[0].paper.bibcode.as_deref(), Some("2017Natur.542..456G"));
    let asked = desk.upstreams.requests();
    assert!(
        asked
            .iter()
            .any(|request| request.query.get("sort").is_some_and(|sort| sort.starts_with("citation_count desc")))
    );
}

#[tokio::test]
async fn a_bad_query_is_refused_before_anything_is_sent() {
    let desk = desk().await;
    let error = desk.literature.search(&words("author:\"Greene")).await.unwrap_err();
    assert!(matches!(error, SearchError::Query(_)) && error.to_string().contains("quotation mark"), "{error}");
    assert!(desk.upstreams.requests().is_empty());
}

#[rstest]
#[case::down(Fault::Down, "could not be reached")]
#[case::silent(Fault::Silent, "did not answer within")]
#[tokio::test]
async fn the_second_ads_host_takes_over(#[case] fault: Fault, #[case] said: &str) {
    let desk = desk().await;
    desk.upstreams.set_fault(Upstream::Ads, fault.clone());
    let answer = desk.search("TRAPPIST-1").await;
    assert_eq!(source(&answer, SourceName::Ads).status, SourceOutcome::Ok);
    assert_eq!(desk.upstreams.count(Upstream::AdsFallback), 1);
    // Both down: arXiv's hits stand and the failure is said.
    desk.upstreams.set_fault(Upstream::AdsFallback, fault);
    let answer = desk.search("TRAPPIST-1").await;
    assert_eq!(source(&answer, SourceName::Ads).status, SourceOutcome::Failed);
    let detail = detail(&answer, SourceName::Ads);
    assert!(detail.contains("ADS could not be reached") || detail.contains(said), "{detail}");
    assert_eq!(answer.items.len(), 5);
    assert!(!answer.none_answered());
}

#[tokio::test]
async fn an_address_that_ads_has_left_makes_the_second_host_take_over() {
    let desk = desk().await;
    desk.upstreams.set_fault(Upstream::Ads, Fault::page(404));
    assert_eq!(source(&desk.search("TRAPPIST-1").await, SourceName::Ads).status, SourceOutcome::Ok);
}

#[rstest]
#[case::refused_token(Fault::unauthorized(), "set ADS_API_TOKEN")]
#[case::used_up(Fault::too_many_requests(Duration::from_secs(600)), "searches are used up")]
#[case::no_headers(Fault::answer(429, r#"{"error": "TOO MANY REQUESTS", "errorCode": 429}"#), "searches are used up")]
#[case::html_page(Fault::page(502), "HTTP 502): a web page titled \"502 Bad Gateway\"")]
#[case::html_with_200(Fault::page(200), "a web page titled")]
#[case::bot_wall(Fault::page(403), "a web page titled")]
#[case::broken(Fault::answer(500, r#"{"error": {"code": 500, "msg": "solr is gone"}}"#), "solr is gone")]
#[case::too_busy(Fault::answer(499, r#"{"error": "busy"}"#), "too busy")]
#[case::rejected(
    Fault::answer(400, r#"{"error": {"msg": "syntax error"}}"#),
    "does not accept the query: syntax error"
)]
#[case::error_in_200(Fault::answer(200, r#"{"error": "oops"}"#), "oops")]
#[case::no_response_key(Fault::answer(200, r#"{"responseHeader": {"status": 1}}"#), "an answer without results")]
#[case::no_json(Fault::answer(200, "upstream connect error"), "upstream connect error")]
#[tokio::test]
async fn what_is_wrong_with_ads_is_said_and_arxiv_answers(#[case] fault: Fault, #[case] said: &str) {
    let desk = desk().await;
    desk.upstreams.set_fault(Upstream::Ads, fault);
    let answer = desk.search("TRAPPIST-1").await;
    let ads = source(&answer, SourceName::Ads);
    assert_eq!(ads.status, SourceOutcome::Failed);
    assert!(detail(&answer, SourceName::Ads).contains(said), "{ads:?}");
    assert!(!format!("{answer:?}").contains(upstreams::ADS_TOKEN));
    assert_eq!(answer.items.len(), 5);
    // A host that answers is not gone: the second one is not asked to repeat its answer.
    assert_eq!(desk.upstreams.count(Upstream::AdsFallback), 0);
}

#[tokio::test]
async fn after_the_last_search_of_the_day_ads_is_not_asked_again() {
    let desk = desk().await;
    desk.upstreams.set_fault(Upstream::Ads, Fault::too_many_requests(Duration::from_secs(600)));
    desk.search("TRAPPIST-1").await;
    desk.upstreams.repair(Upstream::Ads);
    let answer = desk.search("TRAPPIST-1").await;
    assert_eq!(desk.upstreams.count(Upstream::Ads), 1);
    assert_eq!(source(&answer, SourceName::Ads).quota.unwrap().remaining, 0);
    assert!(detail(&answer, SourceName::Ads).contains("the count starts anew at"));
}

#[tokio::test]
async fn without_a_token_arxiv_alone_is_searched_and_what_is_missing_is_said() {
    let desk = desk_with(|environment| {
        environment.remove("ADS_API_TOKEN");
    })
    .await;
    let answer = desk.search("TRAPPIST-1").await;
    assert_eq!(source(&answer, SourceName::Ads).status, SourceOutcome::Skipped);
    assert!(detail(&answer, SourceName::Ads).contains("ADS_API_TOKEN"));
    assert_eq!(answer.items.len(), 5);
    assert_eq!(answer.query_sent.ads, None);
    assert_eq!(desk.upstreams.count(Upstream::Ads), 0);
}

#[rstest]
#[case::down(Fault::Down, "arXiv could not be reached")]
#[case::silent(Fault::Silent, "did not answer within")]
#[case::error_feed(Fault::arxiv_error(400, "incorrect id format for abc"), "incorrect id format for abc")]
#[case::error_feed_200(Fault::arxiv_error(200, "max_results must be smaller"), "max_results must be smaller")]
#[case::page(Fault::page(200), "a web page instead of a feed")]
#[case::broken(Fault::page(500), "HTTP 500")]
#[case::long_pause(Fault::retry_after(503, 120), "a pause of 120 s")]
#[case::busy(Fault::answer(429, "Rate exceeded."), "HTTP 429")]
#[case::always_empty(Fault::EmptyPages(99), "sent none of them")]
#[tokio::test]
async fn what_is_wrong_with_arxiv_is_said_and_ads_answers(#[case] fault: Fault, #[case] said: &str) {
    let desk = desk().await;
    desk.upstreams.set_fault(Upstream::Arxiv, fault);
    let answer = desk.search("TRAPPIST-1").await;
    assert_eq!(source(&answer, SourceName::Arxiv).status, SourceOutcome::Failed);
    let detail = detail(&answer, SourceName::Arxiv);
    assert!(detail.contains(said), "{detail}");
    assert_eq!(answer.items.len(), 5);
}

#[tokio::test]
async fn an_empty_arxiv_page_is_asked_for_again() {
    let desk = desk().await;
    desk.upstreams.set_fault(Upstream::Arxiv, Fault::EmptyPages(2));
    let answer = desk.search("TRAPPIST-1").await;
    assert_eq!(source(&answer, SourceName::Arxiv).total, Some(5));
    assert_eq!(desk.upstreams.count(Upstream::Arxiv), 3);
    assert_eq!(answer.items.len(), 6);
}

#[tokio::test]
async fn arxiv_is_asked_over_one_connection_at_a_time() {
    let desk = desk().await;
    desk.upstreams.set_fault(Upstream::Arxiv, Fault::Silent);
    let request = SearchRequest { sources: vec![SourceName::Arxiv], ..words("TRAPPIST-1") };
    let first = std::pin::pin!(desk.literature.search(&request));
    let second = std::pin::pin!(desk.literature.search(&request));
    let futures::future::Either::Left((_, second)) = futures::future::select(first, second).await else {
        panic!("the second was served before the first");
    };
    assert_eq!(desk.upstreams.count(Upstream::Arxiv), 1);
    let _ = second.await;
    assert_eq!(desk.upstreams.count(Upstream::Arxiv), 2);
}

#[tokio::test]
async fn with_both_down_the_answer_says_so_and_is_no_failed_call() {
    let desk = desk().await;
    for upstream in [Upstream::Ads, Upstream::AdsFallback, Upstream::Arxiv] {
        desk.upstreams.set_fault(upstream, Fault::Down);
    }
    let answer = desk.search("TRAPPIST-1").await;
    assert!(answer.none_answered() && answer.items.is_empty());
    assert!(detail(&answer, SourceName::Ads).contains("ADS could not be reached"));
    assert!(detail(&answer, SourceName::Arxiv).contains("arXiv could not be reached"));
}

#[tokio::test]
async fn nothing_found_is_not_a_failure() {
    let desk = desk().await;
    let answer = desk.search("zzzz").await;
    assert!(answer.items.is_empty() && !answer.none_answered());
    assert_eq!(source(&answer, SourceName::Arxiv).total, Some(0));
}

#[rstest]
#[case("2023Natur.618...39G")]
#[case("2023arXiv230314849G")] // the e-print's bibcode, which `bibcode:` no longer finds
#[case("arXiv:2303.14849v1")]
#[case("https://doi.org/10.1038/s41586-023-05951-7")]
#[case("10.48550/arXiv.2303.14849")]
#[tokio::test]
async fn one_paper_by_any_of_its_names(#[case] name: &str) {
    let desk = desk().await;
    let metadata = desk.literature.metadata(name).await.unwrap().unwrap();
    assert_eq!(metadata.paper.bibcode.as_deref(), Some("2023Natur.618...39G"));
    assert_eq!(metadata.stale, None);
    let asked = desk.upstreams.requests().len();
    // Our own id, and every other name, is answered from the store.
    for name in [metadata.paper.id.to_string(), "2303.14849".into(), "2023Natur.618...39G".into()] {
        let again = desk.literature.metadata(&name).await.unwrap().unwrap();
        assert_eq!(again.paper.id, metadata.paper.id);
    }
    assert_eq!(desk.upstreams.requests().len(), asked);
}

#[tokio::test]
async fn unknown_papers_and_nonsense_are_told_apart_from_a_network_that_is_away() {
    let desk = desk().await;
    assert_eq!(desk.literature.metadata("2301.99999").await.unwrap(), None);
    let error = desk.literature.metadata("TRAPPIST-1 b").await.unwrap_err();
    assert!(matches!(error, MetadataError::NotAnIdentifier(_)), "{error}");
    for upstream in [Upstream::Ads, Upstream::AdsFallback, Upstream::Arxiv] {
        desk.upstreams.set_fault(upstream, Fault::Down);
    }
    let error = desk.literature.metadata("2303.14849").await.unwrap_err();
    assert!(matches!(error, MetadataError::Unavailable(_)), "{error}");
}

#[tokio::test]
async fn stale_metadata_are_better_than_none_and_are_marked() {
    let desk = desk().await;
    let metadata = desk.literature.metadata("2303.14849").await.unwrap().unwrap();
    let id = metadata.paper.id;
    desk.store
        .write(move |connection| {
            Box::pin(async move {
                let mut stored = almagest::store::papers::load(connection, id).await?.unwrap();
                stored.fetched_at = almagest::time::Timestamp::from_millis(0);
                almagest::store::papers::put(connection, &stored).await
            })
        })
        .await
        .unwrap();
    for upstream in [Upstream::Ads, Upstream::AdsFallback, Upstream::Arxiv] {
        desk.upstreams.set_fault(upstream, Fault::Down);
    }
    let stale = desk.literature.metadata("2303.14849").await.unwrap().unwrap();
    assert_eq!(stale.paper.title, metadata.paper.title);
    let why = stale.stale.unwrap().why;
    assert!(why.contains("ADS could not be reached"), "{why}");
    for upstream in [Upstream::Ads, Upstream::Arxiv] {
        desk.upstreams.repair(upstream);
    }
    assert_eq!(desk.literature.metadata("2303.14849").await.unwrap().unwrap().stale, None);
}

#[tokio::test]
async fn an_eprint_becomes_its_article_under_the_same_id() {
    let desk = desk().await;
    let only_arxiv = SearchRequest { sources: vec![SourceName::Arxiv], ..words("Greene trappist") };
    let eprint = desk.literature.search(&only_arxiv).await.unwrap().items.remove(0).paper;
    assert_eq!((eprint.bibcode.as_deref(), eprint.doctype.as_deref()), (None, Some("eprint")));
    assert_eq!(desk.upstreams.count(Upstream::Ads), 0);
    let article = desk.literature.metadata(&eprint.id.to_string()).await.unwrap().unwrap().paper;
    assert_eq!(article.id, eprint.id);
    assert_eq!(article.published_as.as_deref(), Some("Natur 618, 39"));
    assert!(article.versions.iter().any(|version| version.id == "2303.14849v1"));
    // A later word from arXiv does not undo what ADS said.
    let again = desk.literature.search(&only_arxiv).await.unwrap().items.remove(0).paper;
    assert_eq!((again.id, again.bibcode), (article.id, article.bibcode));
}
