//! The client against real sockets: every name here is on this machine.

use super::*;
use crate::net::Refusal;
use axum::Router;
use axum::body::Body;
use axum::extract::Request as Incoming;
use axum::http::{Response as Answer, header};
use axum::routing::any;
use std::net::SocketAddr;

async fn serve(app: Router) -> (Url, SocketAddr) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    (format!("http://{address}/").parse().unwrap(), address)
}

fn redirect_to(target: impl Into<String>) -> Router {
    let target = target.into();
    Router::new().fallback(any(move || {
        let target = target.clone();
        async move { Answer::builder().status(302).header(header::LOCATION, target).body(Body::empty()).unwrap() }
    }))
}

/// Answers with the method and the names of the request's headers.
fn echo() -> Router {
    Router::new().fallback(any(|request: Incoming| async move {
        let names: Vec<_> = request.headers().keys().map(|name| name.as_str().to_owned()).collect();
        format!("{} {}", request.method(), names.join(","))
    }))
}

async fn get(client: &HttpClient, url: &Url) -> Result<Response, NetError> {
    client.send_built(client.get(url.clone())).await
}

#[tokio::test]
async fn a_private_address_needs_a_setting_with_the_very_port() {
    let (url, _) = serve(echo()).await;
    let client = HttpClient::new().unwrap();
    let error = get(&client, &url).await.unwrap_err();
    assert!(matches!(error, NetError::Blocked { why: Refusal::NotPublic, .. }), "{error}");
    assert!(get(&client.trusting([&url]), &url).await.unwrap().text().await.unwrap().starts_with("GET"));
    let (other, _) = serve(echo()).await;
    let error = get(&client.trusting([&url]), &other).await.unwrap_err();
    assert!(matches!(error, NetError::Blocked { why: Refusal::NotPublic, .. }), "{error}");
}

#[tokio::test]
async fn a_name_that_resolves_to_loopback_is_refused_after_resolution() {
    let (_, address) = serve(echo()).await;
    let url: Url = format!("http://localhost:{}/", address.port()).parse().unwrap();
    let client = HttpClient::new().unwrap();
    let error = get(&client, &url).await.unwrap_err();
    assert_eq!(error, NetError::Blocked { host: "localhost".into(), why: Refusal::NotPublic });
    // The same name is fine when a setting says so.
    get(&client.trusting([&url]), &url).await.unwrap();
}

#[tokio::test]
async fn a_configured_server_cannot_redirect_into_the_network() {
    let (secret, address) = serve(echo()).await;
    let targets = [
        secret.to_string(),
        format!("http://localhost:{}/", address.port()),
        format!("http://[::ffff:127.0.0.1]:{}/", address.port()),
        format!("http://2130706433:{}/", address.port()),
        "http://169.254.169.254/latest/meta-data".to_owned(),
    ];
    for target in targets {
        let (url, _) = serve(redirect_to(target.clone())).await;
        let client = HttpClient::new().unwrap().trusting([&url]);
        let error = get(&client, &url).await.unwrap_err();
        assert!(matches!(error, NetError::Blocked { why: Refusal::NotPublic, .. }), "{target}: {error}");
    }
    let (url, _) = serve(redirect_to("file:///etc/passwd")).await;
    let error = get(&HttpClient::new().unwrap().trusting([&url]), &url).await.unwrap_err();
    assert!(matches!(error, NetError::Blocked { why: Refusal::Scheme, .. }), "{error}");
}

#[tokio::test]
async fn credentials_do_not_follow_to_another_origin() {
    let (there, _) = serve(echo()).await;
    let (here, _) = serve(redirect_to(there.to_string())).await;
    let client = HttpClient::new().unwrap().trusting([&here, &there]);
    let mut key = HeaderValue::from_static("k");
    key.set_sensitive(true);
    let request = client.post(here).bearer_auth("token").header("x-api-key", key).header("x-plain", "1").body("secret");
    let seen = client.send_built(request).await.unwrap().text().await.unwrap();
    // A 302 to a POST becomes a GET without its body.
    assert!(seen.starts_with("GET "), "{seen}");
    assert!(seen.contains("x-plain") && seen.contains("user-agent"), "{seen}");
    assert!(!seen.contains("authorization") && !seen.contains("x-api-key") && !seen.contains("content"), "{seen}");
}

#[tokio::test]
async fn a_redirect_loop_ends() {
    let (url, _) = serve(redirect_to("/again")).await;
    let error = get(&HttpClient::new().unwrap().trusting([&url]), &url).await.unwrap_err();
    assert!(matches!(error, NetError::Redirect { .. }), "{error}");
}

#[tokio::test]
async fn a_body_over_the_limit_is_cut_off() {
    let big = Router::new().fallback(any(|| async { vec![b'x'; 5000] }));
    let (url, _) = serve(big).await;
    let client = HttpClient::new().unwrap().trusting([&url]).with_limits(Limits::default().at_most(4999));
    let error = get(&client, &url).await.unwrap().bytes().await.unwrap_err();
    assert_eq!(error, NetError::TooLarge { host: "127.0.0.1".into(), limit: 4999 });
}

#[tokio::test]
async fn a_server_that_never_answers_times_out_and_no_message_shows_the_query() {
    let silent = Router::new().fallback(any(|| async { std::future::pending::<()>().await }));
    let (url, _) = serve(silent).await;
    let limits = Limits::default().within(Duration::from_millis(50));
    let client = HttpClient::new().unwrap().trusting([&url]).with_limits(limits);
    let error = get(&client, &url.join("?api_key=hunter2").unwrap()).await.unwrap_err();
    assert!(matches!(error, NetError::Timeout { .. }), "{error}");
    assert!(!format!("{error} {error:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_closed_port_is_a_connect_error_that_shows_neither_path_nor_query() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url: Url = format!("http://{}/hunter2?key=hunter2", listener.local_addr().unwrap()).parse().unwrap();
    drop(listener);
    let error = get(&HttpClient::new().unwrap().trusting([&url]), &url).await.unwrap_err();
    assert!(matches!(error, NetError::Connect { .. }) && error.is_unreachable(), "{error}");
    assert!(!format!("{error} {error:?}").contains("hunter2"));
}

#[tokio::test]
async fn a_posted_request_streams_its_answer() {
    let app = Router::new().fallback(any(|body: String| async move {
        let pieces = futures::stream::iter(vec![Ok::<_, std::io::Error>("a"), Ok("b")]);
        assert_eq!(body, "{}");
        Body::from_stream(pieces)
    }));
    let (url, _) = serve(app).await;
    let client = HttpClient::new().unwrap().trusting([&url]);
    let client = client.with_limits(Limits::streaming(Duration::from_secs(5)));
    let response = client.send_built(client.post(url).body("{}")).await.unwrap();
    let pieces: Vec<_> = futures::StreamExt::collect(response.into_stream()).await;
    let text: Vec<u8> = pieces.into_iter().flat_map(|piece| piece.unwrap()).collect();
    assert_eq!(text, b"ab");
}
