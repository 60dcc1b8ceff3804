//! The library over HTTP: papers come in by any identifier, are found, tagged, taken out and deleted.

use crate::app::App;
use crate::desk;
use crate::model_server::Script;
use crate::upstreams::Upstream;
use pretty_assertions::assert_eq;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

/// The demo's papers: an article that is an e-print as well, and one of another year.
const GREENE: &str = "2023Natur.618...39G";

async fn add(app: &App, identifiers: &[&str]) -> Vec<Value> {
    let (status, body) = app.send(Method::POST, "/api/library", json!({ "identifiers": identifiers })).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{body}");
    body["items"].as_array().unwrap().clone()
}

async fn titles(app: &App, query: &str) -> Vec<String> {
    let (status, body) = app.get(&format!("/api/library{query}")).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    body["items"].as_array().unwrap().iter().map(|paper| paper["title"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn papers_come_in_by_any_identifier_each_with_its_answer() {
    let (app, upstreams) = desk(Script::of([])).await;
    assert!(titles(&app, "").await.is_empty());
    let items = add(&app, &[GREENE, "https://arxiv.org/abs/2303.14849", "not an identifier", "2301.99999"]).await;
    assert_eq!(items[0]["paper_id"], items[1]["paper_id"], "two names of one paper");
    assert!(items[2]["error"].as_str().unwrap().contains("is no identifier of a paper"), "{}", items[2]);
    assert!(items[3]["error"].as_str().unwrap().contains("know no such paper"), "{}", items[3]);
    assert!(items[3].get("paper_id").is_none());
    let (_, list) = app.get("/api/library").await;
    assert_eq!(list["total"], 1);
    assert_eq!(list["next_cursor"], Value::Null);
    let paper = &list["items"][0];
    assert_eq!((paper["bibcode"].as_str(), &paper["in_library"]), (Some(GREENE), &json!(true)));
    assert!(paper["added_at"].as_str().unwrap().ends_with('Z'));
    assert!(paper["identifiers"].as_array().unwrap().iter().any(|known| known["value"] == "2303.14849"));
    // What is here needs no source.
    for upstream in [Upstream::Ads, Upstream::AdsFallback, Upstream::Arxiv] {
        upstreams.set_fault(upstream, crate::upstreams::Fault::Down);
    }
    assert!(add(&app, &["10.1038/s41586-023-05951-7"]).await[0].get("error").is_none());
    assert_eq!(app.get("/api/library").await.1["total"], 1);
}

#[tokio::test]
async fn the_list_is_searched_filtered_and_paged() {
    let (app, _upstreams) = desk(Script::of([])).await;
    let (_, found) = app.get("/api/papers/search?q=TRAPPIST-1%20b&limit=20").await;
    let hits: Vec<&Value> = found["items"].as_array().unwrap().iter().collect();
    assert!(hits.len() >= 3, "{}", hits.len());
    let ids: Vec<&str> = hits.iter().map(|hit| hit["id"].as_str().unwrap()).collect();
    add(&app, &ids).await;
    let all = titles(&app, "?sort=title").await;
    assert_eq!(all.len(), ids.len());
    assert!(all.is_sorted_by_key(|title| title.to_lowercase()), "{all:?}");
    // Page by page the same list.
    let mut paged = Vec::new();
    let mut cursor = String::new();
    loop {
        let (_, page) = app.get(&format!("/api/library?sort=title&limit=2&cursor={cursor}")).await;
        paged.extend(page["items"].as_array().unwrap().iter().map(|paper| paper["title"].as_str().unwrap().to_owned()));
        assert_eq!(page["total"], all.len());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(paged, all);
    // By author, identifier and words in any order; a word that stands nowhere finds nothing, whatever it is made of.
    for query in ["?q=greene", "?q=2303.14849", "?q=GREENE%20thermal"] {
        let found = titles(&app, query).await;
        assert!(found.iter().any(|title| title.contains("Thermal")), "{query}: {found:?}");
    }
    for query in [
        "?q=zzzz",
        "?q=greene%20zzzz",
        "?q=%27%20OR%201%3D1--",
        "?has=pdf",
        "?state=retracted",
        "?year_to=1900",
        "?tag=no",
    ] {
        assert_eq!(titles(&app, query).await, Vec::<String>::new(), "{query}");
    }
    assert_eq!(titles(&app, "?has=nothing&state=ok&year_from=1900").await.len(), all.len());
    for query in ["?sort=size", "?has=everything", "?cursor=x", "?year_from=MMXX"] {
        assert_eq!(app.get(&format!("/api/library{query}")).await.0, StatusCode::UNPROCESSABLE_ENTITY, "{query}");
    }
}

#[tokio::test]
async fn tags_are_kept_counted_and_searched() {
    let (app, _upstreams) = desk(Script::of([])).await;
    add(&app, &[GREENE]).await;
    let tags = json!({ "tags": ["  rocky   planets ", "JWST", "JWST", ""] });
    let (status, paper) = app.send(Method::PATCH, &format!("/api/papers/{GREENE}"), tags).await;
    assert_eq!((status, &paper["tags"]), (StatusCode::OK, &json!(["JWST", "rocky planets"])));
    assert_eq!(titles(&app, "?tag=rocky%20planets").await.len(), 1);
    let (_, counted) = app.get("/api/library/tags").await;
    assert_eq!(counted["items"], json!([{ "tag": "JWST", "count": 1 }, { "tag": "rocky planets", "count": 1 }]));
    // A search describes the paper anew and leaves the library's marks alone.
    app.get("/api/papers/search?q=TRAPPIST-1%20b").await;
    assert_eq!(titles(&app, "?tag=JWST").await.len(), 1);
    let long = json!({ "tags": ["x".repeat(61)] });
    let (status, _) = app.send(Method::PATCH, &format!("/api/papers/{GREENE}"), long).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    // Out of the library and in again: the tags are still there.
    for inside in [false, true] {
        let patch = json!({ "in_library": inside });
        let (_, paper) = app.send(Method::PATCH, "/api/papers/2303.14849", patch).await;
        assert_eq!(paper["in_library"], inside);
        assert_eq!(titles(&app, "?tag=JWST").await.len(), usize::from(inside));
    }
}

#[tokio::test]
async fn delete_really_deletes_and_the_paper_can_come_back() {
    let (app, _upstreams) = desk(Script::of([])).await;
    let first = add(&app, &[GREENE]).await[0]["paper_id"].clone();
    app.send(Method::PATCH, &format!("/api/papers/{GREENE}"), json!({ "tags": ["JWST"] })).await;
    let (status, _) = app.send(Method::DELETE, &format!("/api/papers/{GREENE}"), Value::Null).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    for method in [Method::DELETE, Method::PATCH] {
        let (status, _) = app.send(method, &format!("/api/papers/{}", first.as_str().unwrap()), json!({})).await;
        assert_eq!(status, StatusCode::NOT_FOUND);
    }
    assert_eq!(app.get("/api/library/tags").await.1["items"], json!([]));
    let again = add(&app, &[GREENE]).await[0]["paper_id"].clone();
    assert_ne!(first, again);
    assert_eq!(titles(&app, "").await.len(), 1);
}
