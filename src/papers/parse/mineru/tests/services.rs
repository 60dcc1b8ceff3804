//! The clients alone.

use super::server::{Fault, Server, TOKEN};
use crate::net::{HttpClient, NetError};
use crate::papers::parse::mineru::archive::unpack;
use crate::papers::parse::mineru::{Cloud, MineruError, Pages, Progress, Service, Upload};
use pretty_assertions::assert_eq;
use rstest::rstest;
use serde_json::json;

fn pdf() -> Upload {
    Upload { name: "paper.pdf".to_owned(), bytes: b"%PDF-1.7 text".as_slice().into() }
}

#[tokio::test]
async fn the_cloud_is_asked_as_it_wants_to_be() {
    let server = Server::start().await;
    let cloud = server.cloud();
    let task = cloud.submit(&pdf(), Pages { first: 201, last: Some(400) }).await.unwrap();
    let mut seen = Vec::new();
    while seen.last() != Some(&Progress::Ready) {
        seen.push(cloud.poll(&task).await.unwrap());
    }
    let running = |done, total| Progress::Running { done, total };
    assert_eq!(seen, [Progress::Waiting, running(Some(2), Some(9)), running(None, None), Progress::Ready]);
    let result = unpack(&cloud.fetch(&task).await.unwrap()).unwrap();
    assert!(result.content_list.contains("Text from page 201."));
    let inner = server.inner.lock();
    assert_eq!(inner.tasks[0].file.as_deref(), Some(b"%PDF-1.7 text".as_slice()));
    assert_eq!(inner.tasks[0].fields["page_ranges"], "201-400");
    assert_eq!(inner.tasks[0].fields["model_version"], "vlm");
    assert_eq!(inner.log[0], "POST /api/v4/file-urls/batch authorization content-type");
    // Neither the storage that takes the file nor the one that has the result is shown the token.
    assert_eq!(inner.log[1], "PUT /upload/batch-0");
    assert_eq!(inner.log.last().unwrap(), "GET /zip/batch-0");
}

#[rstest]
#[case(json!("A0202"), "set MINERU_API_KEY")]
#[case(json!("A0211"), "set MINERU_API_KEY")]
#[case(json!(-500), "does not accept the request (odd")]
#[case(json!(-10002), "does not accept the request (odd")]
#[case(json!(-60005), "make it smaller")]
#[case(json!("-60006"), "more pages than MinerU takes")]
#[case(json!(-60004), "Check that it opens")]
#[case(json!(-60010), "failed on this file (odd")]
#[case(json!(-60012), "Start the job again")]
#[case(json!(-60018), "Go on tomorrow")]
#[case(json!(-60019), "Go on tomorrow")]
#[case(json!(-60009), "Try again later")]
#[case(json!(-99999), "code -99999: odd")]
#[tokio::test]
async fn codes_become_sentences_without_the_token(#[case] code: serde_json::Value, #[case] expected: &str) {
    let server = Server::start().await;
    // Judged by the code although the status says that all is well; and the token comes back in what is said.
    let said = json!({"code": code, "msg": format!("odd {TOKEN}"), "trace_id": "t"});
    server.fault("announce", Fault::Json(200, said));
    let error = server.cloud().submit(&pdf(), Pages::ALL).await.unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
    assert!(!format!("{error} {error:?}").contains(TOKEN), "{error:?}");
    // The same code of a task that failed.
    let failed = json!({"state": "failed", "err_code": code, "err_msg": format!("odd {TOKEN}")});
    let answer = json!({"code": 0, "data": {"extract_result": [failed]}});
    let error = server.fault("poll", Fault::Json(200, answer)).cloud().poll("batch-0").await.unwrap_err();
    assert!(error.to_string().contains(expected) && !format!("{error:?}").contains(TOKEN), "{error}");
}

#[rstest]
#[case(200, b"<html>proxy</html>".as_slice(), "a web page")]
#[case(200, b"{\"code\": 0", "no JSON")]
#[case(200, b"{\"code\": 0}", "no data")]
#[case(200, b"{\"code\": 0, \"data\": {\"batch_id\": \"../evil\", \"file_urls\": [\"http://x\"]}}", "no batch")]
#[case(200, b"{\"code\": 0, \"data\": {\"batch_id\": 7, \"file_urls\": {}}}", "no batch")]
#[case(502, b"<html>bad gateway</html>", "HTTP 502")]
#[case(429, b"slow down", "HTTP 429")]
#[tokio::test]
async fn odd_answers_are_errors(#[case] status: u16, #[case] body: &[u8], #[case] expected: &str) {
    let server = Server::start().await;
    server.fault("announce", Fault::Body(status, body.to_vec()));
    let error = server.cloud().submit(&pdf(), Pages::ALL).await.unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(error.passes(), status >= 429);
}

#[tokio::test]
async fn an_address_in_an_answer_has_to_be_public() {
    let (server, other) = (Server::start().await, Server::start().await);
    for target in [other.base.to_string(), "http://169.254.169.254/latest".to_owned()] {
        server.inner.lock().upload = Some(target);
        let error = server.cloud().submit(&pdf(), Pages::ALL).await.unwrap_err();
        assert!(matches!(error, MineruError::Net(NetError::Blocked { .. })), "{error}");
    }
    let done = json!({"state": "done", "full_zip_url": other.base.join("zip/batch-0").unwrap().as_str()});
    server.fault("poll", Fault::Json(200, json!({"code": 0, "data": {"extract_result": [done]}})));
    let error = server.cloud().fetch("batch-0").await.unwrap_err();
    assert!(matches!(error, MineruError::Net(NetError::Blocked { .. })), "{error}");
    assert_eq!(other.count(""), 0);
}

#[tokio::test]
async fn a_wrong_token_and_none_say_what_to_set() {
    let server = Server::start().await;
    let http = HttpClient::new().unwrap();
    let cloud = |token: Option<&str>| {
        Cloud::new(&http, server.base.join("api/v4").unwrap(), token.map(crate::config::Secret::new), "vlm".to_owned())
    };
    assert_eq!(cloud(None).submit(&pdf(), Pages::ALL).await, Err(MineruError::NoToken));
    assert_eq!(server.count(""), 0, "nothing is sent without a token");
    assert_eq!(cloud(Some("wrong")).submit(&pdf(), Pages::ALL).await, Err(MineruError::TokenRefused));
}

#[tokio::test]
async fn a_refused_upload_and_a_cut_connection_are_told_apart() {
    let server = Server::start().await;
    let cloud = server.cloud();
    server.fault("upload", Fault::Body(403, Vec::new()));
    let error = cloud.submit(&pdf(), Pages::ALL).await.unwrap_err();
    assert!(error.to_string().contains("refused the file (HTTP 403)") && !error.passes(), "{error}");
    server.fault("announce", Fault::Cut);
    let error = cloud.submit(&pdf(), Pages::ALL).await.unwrap_err();
    assert!(matches!(error, MineruError::Net(NetError::Broken { .. })) && error.passes(), "{error}");
}

#[tokio::test]
async fn a_server_of_ones_own_is_asked_as_it_wants_to_be() {
    let server = Server::start().await;
    let hosted = server.hosted();
    let file = Upload { name: "../my \"paper\"\r\n.pdf".to_owned(), ..pdf() };
    let task = hosted.submit(&file, Pages { first: 201, last: Some(250) }).await.unwrap();
    let mut seen = Vec::new();
    while seen.last() != Some(&Progress::Ready) {
        seen.push(hosted.poll(&task).await.unwrap());
    }
    let running = Progress::Running { done: None, total: None };
    assert_eq!(seen, [Progress::Waiting, running, running, Progress::Ready]);
    assert!(unpack(&hosted.fetch(&task).await.unwrap()).unwrap().content_list.contains("page 201"));
    let inner = server.inner.lock();
    let fields = &inner.tasks[0].fields;
    assert_eq!((&*fields["start_page_id"], &*fields["end_page_id"]), ("200", "249"));
    assert_eq!(
        (&*fields["backend"], &*fields["response_format_zip"], &*fields["files"]),
        ("pipeline", "true", "mypaper.pdf")
    );
    assert_eq!(inner.tasks[0].file.as_deref(), Some(b"%PDF-1.7 text".as_slice()));
}

#[rstest]
#[case("poll", 404, json!({"detail": "Task not found"}), "no longer knows the task", false)]
#[case("poll", 200, json!({"status": "failed", "error": "CUDA out of memory"}), "CUDA out of memory", false)]
#[case("poll", 503, json!({"detail": "at capacity"}), "HTTP 503: at capacity", true)]
#[case("poll", 200, json!({}), "no state", false)]
#[case("result", 202, json!({"status": "processing"}), "not ready", true)]
#[case("result", 409, json!({"error": "no pages"}), "no pages", false)]
#[case("result", 404, json!({}), "no longer knows the task", false)]
#[case("submit", 404, json!({"detail": "Not Found"}), "version 3 or later", false)]
#[case("submit", 422, json!({"detail": [{"loc": ["body"]}]}), "HTTP 422", false)]
#[case("submit", 413, json!({}), "make it smaller", false)]
#[case("submit", 400, json!({"error": "Unsupported file type"}), "Unsupported file type", false)]
#[case("submit", 202, json!({"task_id": "a/../b"}), "names no task", false)]
#[tokio::test]
async fn what_a_server_refuses_is_said(
    #[case] route: &'static str,
    #[case] status: u16,
    #[case] answer: serde_json::Value,
    #[case] expected: &str,
    #[case] passes: bool,
) {
    let server = Server::start().await;
    server.fault(route, Fault::Json(status, answer));
    let hosted = server.hosted();
    let error = match route {
        "poll" => hosted.poll("task-0").await.unwrap_err(),
        "result" => hosted.fetch("task-0").await.unwrap_err(),
        _ => hosted.submit(&pdf(), Pages::ALL).await.unwrap_err(),
    };
    assert!(error.to_string().contains(expected), "{error}");
    assert_eq!(error.passes(), passes);
}
