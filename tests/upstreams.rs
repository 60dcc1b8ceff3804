//! The recorded upstreams themselves: what they serve is what the product reads, and each fault is the fault it says.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

#[path = "support/upstreams.rs"]
mod upstreams;

use almagest::net::{HttpClient, Limits, NetError, Response};
use std::time::Duration;
use upstreams::{ADS_TOKEN, Fault, Upstream};
use url::Url;

async fn get(url: &str) -> Result<Response, NetError> {
    let url: Url = url.parse().unwrap();
    let limits = Limits::default().within(Duration::from_millis(300));
    let client = HttpClient::new().unwrap().trusting([&url]).with_limits(limits);
    client.send_built(client.get(url).bearer_auth(ADS_TOKEN)).await
}

#[tokio::test]
async fn they_answer_and_remember_who_asked() {
    let upstreams = upstreams::start().await;
    let ads = get(&format!("{}/search/query?q=trappist", upstreams.ads_url())).await.unwrap();
    assert_eq!((ads.status().as_u16(), ads.header("x-ratelimit-limit")), (200, Some("5000")));
    assert!(ads.text().await.unwrap().contains("2023Natur.618...39G"));
    let arxiv =
        get(&format!("{}?search_query=all:trappist", upstreams.arxiv_url())).await.unwrap().text().await.unwrap();
    assert!(arxiv.contains("2303.14849v1"));
    let sesame =
        get(&format!("{}/-oxIF/SNV?TRAPPIST-1%20b", upstreams.sesame_urls()[0])).await.unwrap().text().await.unwrap();
    assert!(sesame.contains("346.6223"));
    let requests = upstreams.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests[0].user_agent.starts_with("Almagest/"));
    assert_eq!(requests[2].query["name"], "TRAPPIST-1 b");
    assert_eq!(get(&format!("{}/search", upstreams.ads_url())).await.unwrap().status().as_u16(), 404);
}

#[tokio::test]
async fn faults_are_what_they_say_and_can_be_repaired() {
    let upstreams = upstreams::start().await;
    let url = format!("{}?id_list=2303.14849", upstreams.arxiv_url());
    upstreams.set_fault(Upstream::Arxiv, Fault::Down);
    assert!(get(&url).await.unwrap_err().is_unreachable());
    upstreams.set_fault(Upstream::Arxiv, Fault::Silent);
    assert!(matches!(get(&url).await.unwrap_err(), NetError::Timeout { .. }));
    upstreams.set_fault(Upstream::Arxiv, Fault::EmptyPages(1));
    for entries in [0, 1] {
        let feed = get(&url).await.unwrap().text().await.unwrap();
        assert!(feed.contains("<opensearch:totalResults>1<"));
        assert_eq!(feed.matches("<entry>").count(), entries);
    }
    upstreams.set_fault(Upstream::Arxiv, Fault::retry_after(503, 7));
    assert_eq!(get(&url).await.unwrap().header("retry-after"), Some("7"));
    upstreams.repair(Upstream::Arxiv);
    assert_eq!(get(&url).await.unwrap().status().as_u16(), 200);
}
