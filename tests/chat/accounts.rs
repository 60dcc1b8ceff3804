//! Logins, the set-up link, and what belongs to whom.

use crate::app::{App, PASSWORD, USER};
use crate::model_server::{Reply, Script};
use almagest::config::Config;
use almagest::ids::UserId;
use almagest::server::{Server, StartError};
use almagest::store::Store;
use almagest::store::accounts::{Admission, User, UserRole};
use almagest::time::Timestamp;
use almagest::web::auth::password;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[tokio::test]
async fn a_login_is_a_strict_cookie_and_ends_with_logout() {
    let app = App::start(Script::of([])).await;
    let response = app.try_login(USER, PASSWORD).await;
    let cookie = response.headers()["set-cookie"].to_str().unwrap().to_owned();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=86400"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Secure"));
    let value = cookie.split(';').next().unwrap();
    let (status, body) = app.as_other(value, Method::GET, "/api/auth/verify").await;
    assert_eq!((status, &body["username"], &body["role"]), (StatusCode::OK, &json!(USER), &json!("admin")));
    let database = std::fs::read(app.folder().join("almagest.db")).unwrap();
    let token = value.split('=').nth(1).unwrap();
    assert!(!database.windows(token.len()).any(|bytes| bytes == token.as_bytes()), "the token itself is not stored");
    assert_eq!(app.as_other(value, Method::POST, "/api/auth/logout").await.0, StatusCode::NO_CONTENT);
    assert_eq!(app.as_other(value, Method::GET, "/api/auth/verify").await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(app.as_other(value, Method::POST, "/api/auth/logout").await.0, StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn wrong_names_and_wrong_passwords_look_the_same_until_the_throttle() {
    let app = App::start(Script::of([])).await;
    let mut bodies = Vec::new();
    for name in [USER, "nobody"] {
        for _ in 0..10 {
            let response = app.try_login(name, "wrong").await;
            assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
            assert_eq!(response.headers()["content-type"], "application/problem+json");
            bodies.push(response.text().await.unwrap());
        }
        let response = app.try_login(name, PASSWORD).await;
        assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
        let wait: u64 = response.headers()["retry-after"].to_str().unwrap().parse().unwrap();
        assert!((1..=30).contains(&wait));
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1);
    assert_eq!(serde_json::from_str::<Value>(&bodies[0]).unwrap()["code"], "invalid_credentials");
}

#[tokio::test]
async fn the_set_up_link_makes_the_first_administrator_once() {
    let folder = tempfile::tempdir().unwrap();
    let settings = BTreeMap::from([
        ("ALMAGEST_ADDR".to_owned(), "127.0.0.1:0".to_owned()),
        ("ALMAGEST_DATA_DIR".to_owned(), folder.path().to_str().unwrap().to_owned()),
    ]);
    let server = Server::start(Config::from_sources(settings.clone(), BTreeMap::new()).unwrap()).await.unwrap();
    let link = server.setup_url().unwrap().unwrap();
    let (url, token) = link.split_once("/setup#").unwrap();
    let (url, token) = (url.to_owned(), token.to_owned());
    let state = server.state().clone();
    let task = tokio::spawn(server.run(state.shutdown.clone().cancelled_owned()));
    let http = reqwest::Client::builder().build().unwrap();
    let setup = |token: &str, password: &str| {
        let body = json!({ "token": token, "username": "ada", "password": password }).to_string();
        http.post(format!("{url}/api/auth/setup")).header("content-type", "application/json").body(body).send()
    };
    assert_eq!(setup("guess", "long enough").await.unwrap().status(), StatusCode::FORBIDDEN);
    assert_eq!(setup(&token, "short").await.unwrap().status(), StatusCode::UNPROCESSABLE_ENTITY);
    let made = setup(&token, "long enough").await.unwrap();
    assert_eq!(made.status(), StatusCode::OK);
    assert!(made.headers().contains_key("set-cookie"));
    assert_eq!(setup(&token, "long enough").await.unwrap().status(), StatusCode::FORBIDDEN);
    state.shutdown.cancel();
    task.await.unwrap().unwrap();
    let again = Server::start(Config::from_sources(settings, BTreeMap::new()).unwrap()).await.unwrap();
    assert!(again.setup_url().unwrap().is_none());
}

/// Another user, without any right beyond their own things; their login.
pub async fn second_user(app: &App) -> String {
    let store = Store::open(&app.folder().join("almagest.db")).await.unwrap();
    let eve = User {
        id: UserId::new(),
        username: "eve".into(),
        password_hash: password::hash("eavesdropper".into()).await.unwrap(),
        role: UserRole::User,
        created_at: Timestamp::now(),
    };
    store.add_user(eve, Admission::Always).await.unwrap();
    app.login("eve", "eavesdropper").await
}

#[tokio::test]
async fn nothing_of_one_user_is_seen_or_changed_by_another() {
    let app = App::start(Script::by(|_| Reply::new().text("a secret answer"))).await;
    let cookie = second_user(&app).await;
    let session = app.session().await;
    let events = app.run(&session, "q").await;
    let run = crate::app::finished(&events)["run_id"].as_str().unwrap().to_owned();
    let nothing = "01890000-0000-7000-8000-000000000000";
    for (method, path) in [
        (Method::GET, format!("/api/sessions/{session}")),
        (Method::PATCH, format!("/api/sessions/{session}")),
        (Method::DELETE, format!("/api/sessions/{session}")),
        (Method::GET, format!("/api/sessions/{session}/messages")),
        (Method::GET, format!("/api/sessions/{session}/events?after=0")),
        (Method::POST, format!("/api/sessions/{session}/compact")),
        (Method::POST, format!("/api/sessions/{session}/compact/undo")),
        (Method::GET, format!("/api/runs/{run}")),
        (Method::POST, format!("/api/runs/{run}/cancel")),
        (Method::POST, format!("/api/runs/{run}/continue")),
        (Method::DELETE, format!("/api/sessions/{session}/queue/{nothing}")),
        (Method::GET, format!("/api/search/history?q=secret&session_id={session}")),
    ] {
        let (status, body) = app.as_other(&cookie, method.clone(), &path).await;
        assert_eq!((status, &body["code"]), (StatusCode::NOT_FOUND, &json!("not_found")), "{method} {path}");
    }
    assert_eq!(app.as_other(&cookie, Method::GET, "/api/search/history?q=secret").await.1["items"], json!([]));
    assert_eq!(app.as_other(&cookie, Method::GET, "/api/sessions").await.1["items"], json!([]));
    assert_eq!(app.messages(&session).await.len(), 2);
}

#[tokio::test]
async fn lists_have_pages_and_pinned_sessions_come_first() {
    let app = App::start(Script::of([])).await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(app.session().await);
    }
    let (_, changed) =
        app.send(Method::PATCH, &format!("/api/sessions/{}", ids[0]), json!({ "pinned": true, "title": " T " })).await;
    assert_eq!((&changed["pinned"], &changed["title"]), (&json!(true), &json!("T")));
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let (_, page) = app.get(&format!("/api/sessions?limit=2{cursor}")).await;
        seen.extend(page["items"].as_array().unwrap().iter().map(|s| s["id"].as_str().unwrap().to_owned()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(seen[0], ids[0]);
    seen.sort();
    ids.sort();
    assert_eq!(seen, ids);
    assert_eq!(app.get("/api/sessions?cursor=rubbish").await.0, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn a_start_that_cannot_be_is_one_sentence_with_what_to_do() {
    let app = App::start(Script::of([])).await;
    let port = app.url.rsplit(':').next().unwrap().to_owned();
    let config = |addr: &str, dir: &str| {
        let settings = [("ALMAGEST_ADDR", addr), ("ALMAGEST_DATA_DIR", dir)];
        Config::from_sources(settings.map(|(n, v)| (n.to_owned(), v.to_owned())).into(), BTreeMap::new()).unwrap()
    };
    let free = tempfile::tempdir().unwrap();
    let taken = Server::start(config(&format!("127.0.0.1:{port}"), free.path().to_str().unwrap())).await;
    let error = taken.err().unwrap();
    assert!(matches!(error, StartError::Address(..)) && error.to_string().contains("ALMAGEST_ADDR"), "{error}");
    let same = Server::start(config("127.0.0.1:0", app.folder().to_str().unwrap())).await.err().unwrap();
    assert!(matches!(same, StartError::InUse(_)) && same.to_string().contains("ALMAGEST_DATA_DIR"), "{same}");
    let file = free.path().join("file");
    std::fs::write(&file, "").unwrap();
    let inside = file.join("data");
    let error = Server::start(config("127.0.0.1:0", inside.to_str().unwrap())).await.err().unwrap().to_string();
    assert!(error.contains("ALMAGEST_DATA_DIR") && !error.contains('\n'), "{error}");
}
