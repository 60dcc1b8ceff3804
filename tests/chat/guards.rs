//! Hosts, origins, sizes: who may speak to the server at all.

use crate::app::App;
use crate::model_server::Script;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

#[tokio::test]
async fn a_foreign_host_is_misdirected() {
    let app = App::with(Script::of([]), &[("ALMAGEST_ALLOWED_HOSTS", "desk.example.org")]).await;
    let ask = async |host: &str| {
        app.request(Method::GET, "/api/auth/verify").header("host", host).send().await.unwrap().status().as_u16()
    };
    for host in ["localhost", "localhost:9999", "127.0.0.1", "[::1]:80", "desk.example.org", "DESK.example.org:8480"] {
        assert_eq!(ask(host).await, 200, "{host}");
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "desk.example.org.evil",
        "localhost@evil.example",
        "127.0.0.1.nip.example",
    ] {
        assert_eq!(ask(host).await, 421, "{host}");
    }
}

#[tokio::test]
async fn a_changing_request_must_come_from_exactly_here() {
    let app = App::with(Script::of([]), &[("ALMAGEST_ALLOWED_ORIGINS", "http://localhost:5173")]).await;
    let post = async |headers: &[(&str, &str)]| {
        let mut request = app.request(Method::POST, "/api/sessions");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    };
    let own = app.url.clone();
    for headers in [
        vec![],
        vec![("origin", own.as_str())],
        vec![("origin", own.as_str()), ("sec-fetch-site", "same-origin")],
        vec![("sec-fetch-site", "same-origin")],
        vec![("origin", "http://localhost:5173"), ("sec-fetch-site", "same-site")],
    ] {
        assert_eq!(post(&headers).await.status(), StatusCode::CREATED, "{headers:?}");
    }
    for headers in [
        vec![("origin", "http://127.0.0.1:1")],
        vec![("origin", "https://evil.example")],
        vec![("origin", "null")],
        vec![("origin", own.as_str()), ("sec-fetch-site", "same-site")],
        vec![("sec-fetch-site", "cross-site")],
        vec![("sec-fetch-site", "same-site")],
    ] {
        assert_eq!(post(&headers).await.status(), StatusCode::FORBIDDEN, "{headers:?}");
    }
    let allowed = post(&[("origin", "http://localhost:5173")]).await;
    assert_eq!(allowed.headers()["access-control-allow-origin"], "http://localhost:5173");
    assert_eq!(allowed.headers()["access-control-allow-credentials"], "true");
    let plain =
        app.request(Method::GET, "/api/sessions").header("origin", "https://evil.example").send().await.unwrap();
    assert!(!plain.headers().contains_key("access-control-allow-origin"));
    let preflight = app
        .bare(Method::OPTIONS, "/api/sessions")
        .header("origin", "http://localhost:5173")
        .header("access-control-request-method", "PATCH")
        .send()
        .await
        .unwrap();
    assert_eq!(preflight.status(), StatusCode::NO_CONTENT);
    assert!(preflight.headers()["access-control-allow-methods"].to_str().unwrap().contains("PATCH"));
}

#[tokio::test]
async fn without_a_login_only_the_open_routes_answer() {
    let app = App::start(Script::of([])).await;
    let document: Value = {
        let response = app.bare(Method::GET, "/api/openapi.json").send().await.unwrap();
        serde_json::from_str(&response.text().await.unwrap()).unwrap()
    };
    let mut names = std::collections::HashSet::new();
    // The metrics are open to this machine itself, which these requests come from.
    let open = ["/api/health", "/api/auth/login", "/api/auth/logout", "/api/auth/setup", "/metrics"];
    for (path, methods) in document["paths"].as_object().unwrap() {
        for operation in methods.as_object().unwrap().values() {
            assert!(names.insert(operation["operationId"].to_string()), "{} twice", operation["operationId"]);
        }
        if open.contains(&path.as_str()) {
            continue;
        }
        for method in methods.as_object().unwrap().keys() {
            let id = "01890000-0000-7000-8000-000000000000";
            let path = path.replace("{id}", id).replace("{message_id}", id);
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            let request = app.bare(method.clone(), &path).header("content-type", "application/json").body("{}");
            assert_eq!(request.send().await.unwrap().status(), StatusCode::UNAUTHORIZED, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn bad_requests_are_problems_and_the_spa_never_answers_for_the_api() {
    let app = App::start(Script::of([])).await;
    let session = app.session().await;
    let runs = format!("/api/sessions/{session}/runs");
    for (method, path, body, status, code) in [
        (Method::GET, "/api/nothing", json!({}), 404, "not_found"),
        (Method::GET, "/api/sessions/not-an-id", json!({}), 404, "not_found"),
        (Method::POST, runs.as_str(), json!({ "message": "  " }), 422, "invalid"),
        (Method::POST, runs.as_str(), json!({ "text": "x" }), 422, "invalid"),
        (Method::POST, runs.as_str(), json!({ "message": "x", "mode": "coordinator" }), 422, "invalid"),
        (Method::POST, runs.as_str(), json!({ "message": "x", "max_steps": 0 }), 422, "invalid"),
        (Method::POST, runs.as_str(), json!({ "message": "x".repeat(3_000_000) }), 413, "too_large"),
        (Method::PATCH, &format!("/api/sessions/{session}"), json!({ "title": "" }), 422, "invalid"),
    ] {
        let (got, problem) = app.send(method, path, body).await;
        assert_eq!((got.as_u16(), problem["code"].as_str()), (status, Some(code)), "{path} {problem}");
        assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()));
    }
    let form = app.request(Method::POST, &runs).header("content-type", "text/plain").body("{\"message\":\"x\"}");
    assert_eq!(form.send().await.unwrap().status(), StatusCode::UNPROCESSABLE_ENTITY);
    let page = app.bare(Method::GET, "/s/anything").send().await.unwrap();
    assert_eq!(page.status(), StatusCode::OK);
    assert!(page.headers()["content-type"].to_str().unwrap().starts_with("text/html"));
    assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("script-src 'self'"));
}

#[test]
fn the_dashboards_copy_of_the_document_is_the_servers() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("dashboard/openapi.json");
    let kept = std::fs::read_to_string(path).unwrap();
    let ours = almagest::web::openapi::document().unwrap();
    assert!(kept == ours, "dashboard/openapi.json is not the server's document any more: run `make openapi`");
}
