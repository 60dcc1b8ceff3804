//! Event streams: cut anywhere, resumed, the same.

use crate::app::{App, Event};
use crate::model_server::{Reply, Script};
use reqwest::{Method, StatusCode};
use serde_json::json;

fn stored(events: &[Event]) -> Vec<Event> {
    events.iter().filter(|event| event.id.is_some()).cloned().collect()
}

#[tokio::test]
async fn a_stream_cut_after_any_event_and_resumed_is_the_whole_stream() {
    let script = Script::of([
        Reply::new().thinking("hm").text("one two three").call("search_history", json!({ "query": "x" })),
        Reply::new().text("four"),
    ]);
    let app = App::start(script).await;
    let session = app.session().await;
    let live = stored(&app.run(&session, "go").await);
    let whole = stored(&app.events(&session, 0).await);
    assert_eq!(whole[1..], live[..], "replay and live are the same rows (the first made the session)");
    for (index, event) in whole.iter().enumerate() {
        let path = format!("/api/sessions/{session}/events");
        let request = app.request(Method::GET, &path).header("last-event-id", event.id.unwrap().to_string());
        let status = request.send().await.unwrap().status();
        if index + 1 == whole.len() {
            assert_eq!(status, StatusCode::NO_CONTENT, "nothing after the last event");
        } else {
            let rest = stored(&app.events(&session, event.id.unwrap()).await);
            assert_eq!(rest, whole[index + 1..], "cut after {index}");
        }
    }
    let default = stored(&app.until(&format!("/api/sessions/{session}/events"), |_| false).await);
    assert_eq!(default, live, "without a cursor it begins at the newest run");
}

#[tokio::test]
async fn the_user_stream_has_every_session_and_a_snapshot_without_id() {
    let script = Script::by(|_| Reply::new().text("hi"));
    let app = App::start(script).await;
    let (one, two) = (app.session().await, app.session().await);
    app.run(&one, "go").await;
    app.run(&two, "go").await;
    let mut ends = 0;
    let ends = std::cell::Cell::new(std::mem::take(&mut ends));
    let events = app
        .until("/api/events?after=0&snapshot=1", |event| {
            ends.set(ends.get() + usize::from(event.kind == "run_finished"));
            ends.get() == 2
        })
        .await;
    assert_eq!((events[0].kind.as_str(), events[0].id), ("snapshot", None));
    assert_eq!(events[0].data["running"], json!([]));
    let ids: Vec<i64> = events.iter().filter_map(|event| event.id).collect();
    assert!(ids.is_sorted_by(|a, b| a < b));
    for session in [&one, &two] {
        assert!(events.iter().any(|e| e.kind == "text_delta" && e.data["session_id"] == session.as_str()));
    }
    let response = app.request(Method::GET, "/api/events").send().await.unwrap();
    assert_eq!(response.headers()["cache-control"], "no-store");
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    for bad in ["-1", "x"] {
        assert_eq!(app.get(&format!("/api/events?after={bad}")).await.0, StatusCode::UNPROCESSABLE_ENTITY);
    }
}

#[tokio::test]
async fn a_session_without_events_answers_204_and_a_strangers_404() {
    let app = App::start(Script::of([])).await;
    let session = app.session().await;
    let path = format!("/api/sessions/{session}/events?after=999999");
    assert_eq!(app.get(&path).await.0, StatusCode::NO_CONTENT);
    let other = "01890000-0000-7000-8000-000000000000";
    assert_eq!(app.get(&format!("/api/sessions/{other}/events")).await.0, StatusCode::NOT_FOUND);
}
