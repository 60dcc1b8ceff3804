use super::*;
use axum::body::to_bytes;
use axum::http::header::ACCEPT_ENCODING;
use rstest::rstest;
use tower::ServiceExt;

/// A dashboard whose compressed forms are told apart by what they say.
#[derive(RustEmbed)]
#[folder = "tests/fixtures/dashboard"]
struct Fixture;

fn request(method: Method, path: &str, headers: &[(HeaderName, &'static str)]) -> Response {
    let headers = headers.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect();
    respond::<Fixture>(&method, path, &headers)
}

fn header(response: &Response, name: HeaderName) -> Option<&str> {
    response.headers().get(name).and_then(|value| value.to_str().ok())
}

async fn text(response: Response) -> String {
    String::from_utf8(to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec()).unwrap()
}

#[rstest]
#[case::root("/", None, "<!doctype html><title>plain</title>\n")]
#[case::root_br("/", Some("gzip, br"), "index as br\n")]
#[case::root_gzip("/", Some("gzip, br;q=0.1"), "index as gzip\n")]
#[case::script("/assets/app-3f9a.js", Some("identity"), "plain script\n")]
#[case::script_br("/assets/app-3f9a.js", Some("br"), "script as br\n")]
#[case::not_compressed("/favicon.svg", Some("br, gzip"), "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n")]
#[case::page("/chat/0192", Some("br"), "index as br\n")]
#[case::page_of_a_bibcode("/library/2016Natur.533..221G", None, "<!doctype html><title>plain</title>\n")]
#[case::page_like_an_archive("/library/2016ApJ...826L...7Z", None, "<!doctype html><title>plain</title>\n")]
#[tokio::test]
async fn serves(#[case] path: &str, #[case] accept: Option<&'static str>, #[case] expected: &str) {
    let headers: Vec<_> = accept.map(|accept| (ACCEPT_ENCODING, accept)).into_iter().collect();
    let response = request(Method::GET, path, &headers);
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(header(&response, VARY), Some("Accept-Encoding"));
    assert_eq!(header(&response, CONTENT_LENGTH), Some(expected.len().to_string().as_str()));
    assert_eq!(text(response).await, expected);
}

#[rstest]
#[case::asset("/assets/app-0000.js")]
#[case::asset_page("/assets/")]
#[case::asset_without_extension("/assets/nothing")]
#[case::file("/robots.txt")]
#[case::compressed_form("/assets/app-3f9a.js.br")]
#[case::climbing("/assets/../index.html/../x")]
fn misses(#[case] path: &str) {
    let response = request(Method::GET, path, &[]);
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    assert_eq!(header(&response, X_CONTENT_TYPE_OPTIONS), Some("nosniff"));
}

#[rstest]
#[case("/", "text/html; charset=utf-8", "no-cache")]
#[case("/any/page", "text/html; charset=utf-8", "no-cache")]
#[case("/favicon.svg", "image/svg+xml", "no-cache")]
#[case("/assets/app-3f9a.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable")]
fn type_and_caching_follow_the_original_name(#[case] path: &str, #[case] kind: &str, #[case] cache: &str) {
    for encoding in ["br", "gzip", "identity"] {
        let response = request(Method::GET, path, &[(ACCEPT_ENCODING, encoding)]);
        assert_eq!(header(&response, CONTENT_TYPE), Some(kind));
        assert_eq!(header(&response, CACHE_CONTROL), Some(cache));
    }
}

#[tokio::test]
async fn head_is_get_without_a_body() {
    let accept = [(ACCEPT_ENCODING, "br")];
    let get = request(Method::GET, "/", &accept);
    let head = request(Method::HEAD, "/", &accept);
    assert_eq!(head.headers(), get.headers());
    assert_eq!(text(head).await, "");
}

#[test]
fn other_methods_are_refused() {
    let response = request(Method::POST, "/", &[]);
    assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(header(&response, ALLOW), Some("GET, HEAD"));
}

#[tokio::test]
async fn a_known_etag_saves_the_body() {
    let first = request(Method::GET, "/", &[(ACCEPT_ENCODING, "br")]);
    let etag = header(&first, ETAG).unwrap().to_owned();
    for asked in [etag.clone(), format!("\"other\", W/{etag}"), "*".to_owned()] {
        let headers = [(ACCEPT_ENCODING, "br".to_owned()), (IF_NONE_MATCH, asked)]
            .map(|(name, value)| (name, HeaderValue::try_from(value).unwrap()))
            .into_iter()
            .collect();
        let again = respond::<Fixture>(&Method::GET, "/", &headers);
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(header(&again, ETAG), Some(etag.as_str()));
        assert_eq!(header(&again, CACHE_CONTROL), Some(REVALIDATE));
        assert_eq!(header(&again, VARY), Some("Accept-Encoding"));
        assert_eq!(text(again).await, "");
    }
    // The plain form is another representation, so another ETag.
    let plain = request(Method::GET, "/", &[]);
    assert_ne!(header(&plain, ETAG), Some(etag.as_str()));
}

#[tokio::test]
async fn what_is_embedded_is_served_with_the_policy() {
    let call = |path: &str| {
        let request = Request::builder().uri(path).body(Body::empty()).unwrap();
        async { router::<()>().oneshot(request).await.unwrap() }
    };
    let page = call("/").await;
    assert_eq!(page.status(), StatusCode::OK);
    assert_eq!(
        header(&page, CONTENT_SECURITY_POLICY),
        Some(
            "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        )
    );
    assert_eq!(header(&page, REFERRER_POLICY), Some("no-referrer"));
    assert!(text(page).await.contains("<!doctype html>"));

    let notices = call("/licenses.txt").await;
    assert_eq!(header(&notices, CONTENT_TYPE), Some("text/plain; charset=utf-8"));
    assert_eq!(text(notices).await, NOTICES);
}
