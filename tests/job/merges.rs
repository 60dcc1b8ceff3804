//! Papers that are one, or two, over HTTP.

use crate::desk;
use crate::model_server::Script;
use pretty_assertions::assert_eq;
use reqwest::{Method, StatusCode};
use serde_json::json;

const GREENE: &str = "2023Natur.618...39G";
const IH: &str = "2023ApJ...952L...4I";

#[tokio::test]
async fn a_merge_is_undone_and_stays_undone() {
    let (app, _upstreams) = desk(Script::of([])).await;
    let (_, added) = app.send(Method::POST, "/api/library", json!({ "identifiers": [GREENE, IH] })).await;
    let id = |nth: usize| added["items"][nth]["paper_id"].as_str().unwrap().to_owned();
    let (greene, ih) = (id(0), id(1));
    let before = app.get(&format!("/api/papers/{ih}")).await.1;

    let path = |what: &str| format!("/api/papers/{greene}/{what}");
    let (status, merged) = app.send(Method::POST, &path("merge"), json!({ "other_id": IH })).await;
    assert_eq!((status, &merged["id"]), (StatusCode::OK, &json!(greene)), "{merged}");
    assert_eq!(app.get("/api/library").await.1["total"], 1);
    assert_eq!(app.get(&format!("/api/papers/{ih}")).await.1["id"], json!(greene), "the old id leads to the paper");
    let (status, again) = app.send(Method::POST, &path("merge"), json!({ "other_id": ih })).await;
    assert_eq!((status, &again["code"]), (StatusCode::CONFLICT, &json!("conflict")));
    let (status, _) = app.send(Method::POST, &path("apart"), json!({ "other_id": ih })).await;
    assert_eq!(status, StatusCode::CONFLICT);

    let (status, two) = app.send(Method::POST, &path("unmerge"), json!({ "identifier": IH })).await;
    assert_eq!(status, StatusCode::OK, "{two}");
    assert_eq!((&two["kept"]["id"], &two["released"]), (&json!(greene), &before));
    assert_eq!(app.get("/api/library").await.1["total"], 2);
    for (identifier, expected) in [
        (json!("nonsense"), StatusCode::UNPROCESSABLE_ENTITY),
        (json!(IH), StatusCode::NOT_FOUND),
        (json!(GREENE), StatusCode::CONFLICT),
    ] {
        let (status, problem) = app.send(Method::POST, &path("unmerge"), json!({ "identifier": identifier })).await;
        assert_eq!(status, expected, "{problem}");
    }
    // A search that finds both leaves them two.
    app.get("/api/papers/search?q=TRAPPIST-1%20b&limit=20").await;
    assert_eq!(app.get("/api/library").await.1["total"], 2);
    assert_eq!(app.get("/api/library/duplicates").await.1["items"], json!([]));
    let (status, problem) = app.send(Method::POST, &path("merge"), json!({ "other_id": "2199Natur.618...39G" })).await;
    assert_eq!((status, problem["code"].as_str()), (StatusCode::NOT_FOUND, Some("not_found")));
}
