//! The client over real sockets: every fault that the scripted server can play.

use crate::model_server::{ModelServer, Reply, Script};
use almagest::config::{LlmConfig, Provider, Secret};
use almagest::llm::types::{
    AnsweredCall, Entry, Finish, ModelError, ModelErrorKind, ModelEvent, ModelRequest, RawCall, ToolDefinition, Usage,
};
use almagest::llm::{ModelPool, Patience};
use futures::StreamExt;
use futures::stream::BoxStream;
use pretty_assertions::assert_eq;
use rstest::rstest;
use serde_json::json;
use std::time::Duration;

const KEY: &str = "sk-the-key-0123456789";

/// Retries at once.
const HASTY: Patience = Patience {
    attempts: 3,
    first_byte: Duration::from_secs(60),
    idle: Duration::from_secs(60),
    usage: Duration::from_secs(60),
    first_wait: Duration::from_millis(1),
    longest_wait: Duration::from_millis(1),
    longest_asked: Duration::from_secs(120),
    total: Duration::from_secs(300),
};

fn config(base_url: &str) -> LlmConfig {
    LlmConfig {
        base_url: base_url.parse().unwrap(),
        api_key: Some(Secret::new(KEY)),
        model: "m".into(),
        provider: Provider::OpenAi,
        context_window: 100_000,
        max_output_tokens: None,
        enable_thinking: true,
        fallbacks: Vec::new(),
    }
}

fn client(server: &ModelServer) -> ModelPool {
    ModelPool::new(&crate::http(), &config(&server.base_url()), HASTY)
}

fn request() -> ModelRequest {
    ModelRequest {
        model: "m".into(),
        system: "s".into(),
        entries: vec![Entry::User { content: "q".into() }],
        tools: vec![],
        enable_thinking: true,
        max_output_tokens: None,
    }
}

async fn play(replies: impl IntoIterator<Item = Reply>) -> Vec<ModelEvent> {
    let server = ModelServer::start(Script::of(replies)).await;
    let events = client(&server).stream(request(), None).collect().await;
    assert_eq!(server.remaining(), 0);
    events
}

/// The text that holds: what was said after the last retry.
fn text(events: &[ModelEvent]) -> String {
    let start = events.iter().rposition(|event| matches!(event, ModelEvent::Retrying { .. })).map_or(0, |at| at + 1);
    let texts =
        events[start..].iter().filter_map(|event| if let ModelEvent::Text(text) = event { Some(text) } else { None });
    texts.map(String::as_str).collect()
}

fn calls(events: &[ModelEvent]) -> Vec<RawCall> {
    let calls = events.iter().filter_map(|event| if let ModelEvent::Call(call) = event { Some(call) } else { None });
    calls.cloned().collect()
}

fn failure(events: &[ModelEvent]) -> &ModelError {
    match events.last() {
        Some(ModelEvent::Failed(error)) => error,
        other => panic!("ends with {other:?}"),
    }
}

fn retries(events: &[ModelEvent]) -> usize {
    events.iter().filter(|event| matches!(event, ModelEvent::Retrying { .. })).count()
}

fn raw(id: &str, name: &str, arguments: &str) -> RawCall {
    RawCall { provider_id: id.into(), name: name.into(), arguments: arguments.into() }
}

#[tokio::test]
async fn hears_everything_in_order() {
    let reply = Reply::new()
        .thinking("Where is it?")
        .text("I look ")
        .text("it up: 東京 ☉.")
        .call("query_target", json!({"name": "TRAPPIST-1 b"}))
        .call("search_papers", json!({}))
        .usage(1000, 50, 900);
    let events = play([reply.delta_chars(1).frame_bytes(5)]).await;
    assert_eq!(text(&events), "I look it up: 東京 ☉.");
    let expected =
        [raw("call_1_0", "query_target", "{\"name\":\"TRAPPIST-1 b\"}"), raw("call_1_1", "search_papers", "{}")];
    assert_eq!(calls(&events), expected);
    let usage = Usage { input_tokens: 1000, output_tokens: 50, cached_tokens: 900, cost_usd: None };
    assert_eq!(events[events.len() - 2..], [ModelEvent::Usage(usage), ModelEvent::Finished(Finish::ToolCalls)]);
    let thinking = events.iter().filter(|event| matches!(event, ModelEvent::Thinking(_))).count();
    assert_eq!(thinking, "Where is it?".len());
}

#[tokio::test]
async fn sends_the_conversation_and_the_key() {
    let server = ModelServer::start(Script::of([Reply::new().text("There.")])).await;
    let call = |id: &str| AnsweredCall {
        wire_id: id.into(),
        name: "query_target".into(),
        arguments: json!({"name": "M 31"}),
        result: "00h42m".into(),
        is_error: false,
    };
    let request = ModelRequest {
        entries: vec![
            Entry::User { content: "q".into() },
            Entry::Assistant { content: String::new(), thinking: None, calls: vec![call("a"), call("b")] },
        ],
        tools: vec![ToolDefinition {
            name: "query_target".into(),
            description: "Resolve.".into(),
            parameters: json!({"type": "object"}),
        }],
        ..request()
    };
    let events: Vec<ModelEvent> = client(&server).stream(request, None).collect().await;
    assert_eq!(text(&events), "There.");
    let seen = &server.seen()[0];
    assert_eq!(seen.headers["authorization"], format!("Bearer {KEY}").as_str());
    assert_eq!(seen.body["messages"].as_array().map(Vec::len), Some(5));
    assert_eq!(seen.body["tools"][0]["function"]["name"], "query_target");
}

#[rstest]
#[case::no_done(Reply::new().text("hi").no_done())]
#[case::no_usage(Reply::new().text("hi").no_usage())]
#[case::not_streamed(Reply::new().text("hi").unstreamed())]
#[case::broken_after_the_finish(Reply::new().event(&json!({"choices": [{"delta": {"content": "hi"}, "finish_reason": "stop"}]})).cut())]
#[tokio::test]
async fn tolerates(#[case] reply: Reply) {
    let events = play([reply]).await;
    assert_eq!((text(&events).as_str(), events.last()), ("hi", Some(&ModelEvent::Finished(Finish::Stop))));
}

#[rstest]
#[case::empty_ids(Reply::new().call("a", json!({"k": 1})).call("b", json!({})).empty_ids(), &[("", "a", "{\"k\":1}"), ("", "b", "{}")])]
#[case::constant_id(Reply::new().call("a", json!({})).call("a", json!({})).constant_id("0"), &[("0", "a", "{}"), ("0", "a", "{}")])]
#[case::empty_arguments(Reply::new().raw_call("x", "a", ""), &[("x", "a", "")])]
#[case::wrong_arguments(Reply::new().raw_call("x", "a", "{\"k\": "), &[("x", "a", "{\"k\": ")])]
#[case::not_streamed(Reply::new().call("a", json!({})).call("a", json!({})).empty_ids().unstreamed(), &[("", "a", "{}"), ("", "a", "{}")])]
#[tokio::test]
async fn makes_out_calls(#[case] reply: Reply, #[case] expected: &[(&str, &str, &str)]) {
    let events = play([reply]).await;
    let expected: Vec<RawCall> = expected.iter().map(|(id, name, arguments)| raw(id, name, arguments)).collect();
    assert_eq!(calls(&events), expected);
    assert_eq!(events.last(), Some(&ModelEvent::Finished(Finish::ToolCalls)));
}

#[tokio::test]
async fn a_cut_call_comes_as_it_is() {
    let events = play([Reply::new().raw_call("x", "a", "{\"k\": \"ha").finish("length")]).await;
    assert_eq!(calls(&events), [raw("x", "a", "{\"k\": \"ha")]);
    assert_eq!(events.last(), Some(&ModelEvent::Finished(Finish::Length)));
}

#[rstest]
#[case::request_timeout(Reply::error(408, "timeout", "slow"))]
#[case::rate(Reply::error(429, "rate_limit_exceeded", "slow down"))]
#[case::failed(Reply::error(500, "server_error", "oops"))]
#[case::bad_gateway(Reply::status(502, &[("content-type", "text/html")], "<html><title>Bad Gateway</title></html>"))]
#[case::unavailable(Reply::error(503, "unavailable", "later"))]
#[case::overloaded(Reply::error(529, "overloaded_error", "Overloaded"))]
#[case::overload_in_stream(Reply::new().text("void").overload_in_stream())]
#[case::cut_at_once(Reply::new().cut())]
#[case::cut_in_the_middle(Reply::new().text("void").cut())]
#[case::cut_in_a_call(Reply::new().text("void").raw(r#"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"a","arguments":"{"}}]}}]}"#).cut())]
#[case::ends_without_end(Reply::new().text("void").no_finish())]
#[case::gave_up(Reply::new().text("void").finish("error"))]
#[tokio::test]
async fn tries_again(#[case] fault: Reply) {
    let events = play([fault, Reply::new().text("at last")]).await;
    assert_eq!((retries(&events), text(&events).as_str()), (1, "at last"));
    assert_eq!(events.last(), Some(&ModelEvent::Finished(Finish::Stop)));
}

#[rstest]
#[case::key(Reply::error(401, "invalid_api_key", "no"), ModelErrorKind::Authentication, "LLM_API_KEY")]
#[case::forbidden(Reply::error(403, "forbidden", "no"), ModelErrorKind::Authentication, "LLM_API_KEY")]
#[case::credit(Reply::error(402, "billing", "pay"), ModelErrorKind::Quota, "billing")]
#[case::quota(Reply::error(429, "insufficient_quota", "pay"), ModelErrorKind::Quota, "billing")]
#[case::too_long(Reply::error(400, "context_length_exceeded", "x"), ModelErrorKind::TooLong, "too long")]
#[case::invalid(Reply::error(400, "invalid_request_error", "bad field"), ModelErrorKind::Invalid, "bad field")]
#[case::no_model(Reply::error(404, "model_not_found", "no such"), ModelErrorKind::Invalid, "LLM_MODEL")]
#[case::no_path(Reply::status(404, &[], ""), ModelErrorKind::Invalid, "LLM_BASE_URL")]
#[case::redirected(Reply::status(304, &[], ""), ModelErrorKind::Invalid, "LLM_BASE_URL")]
#[case::web_page(Reply::status(200, &[("content-type", "text/html")], "<!doctype html>hello"), ModelErrorKind::Format, "web page")]
#[case::bad_json(Reply::new().bad_json(), ModelErrorKind::Format, "unreadable")]
#[tokio::test]
async fn gives_up_at_once(#[case] fault: Reply, #[case] kind: ModelErrorKind, #[case] expected: &str) {
    let events = play([fault]).await;
    let error = failure(&events);
    assert_eq!((retries(&events), error.kind), (0, kind));
    assert!(error.message.contains(expected), "{}", error.message);
}

#[tokio::test]
async fn gives_up_in_the_end() {
    let events = play([(); 3].map(|()| Reply::error(503, "overloaded", "Overloaded"))).await;
    assert_eq!(retries(&events), 2);
    let error = failure(&events);
    assert_eq!(error.kind, ModelErrorKind::Overloaded);
    assert!(error.message.ends_with("Given up after 3 attempts."), "{}", error.message);
}

#[tokio::test]
async fn never_repeats_a_request_once_a_call_went_out() {
    let complete = Reply::new().call("a", json!({})).call("b", json!({"k": 1})).cut();
    let events = play([complete]).await;
    assert_eq!(calls(&events).len(), 1);
    assert_eq!((retries(&events), failure(&events).kind), (0, ModelErrorKind::Connection));
}

#[tokio::test]
async fn waits_as_long_as_it_is_asked_to() {
    let slow_down = Reply::status(429, &[("retry-after", "7")], "slow down");
    let server = ModelServer::start(Script::of([slow_down, Reply::new().text("hi")])).await;
    let mut stream = client(&server).stream(request(), None);
    let Some(ModelEvent::Retrying { attempt: 1, reason, wait }) = stream.next().await else { panic!("no retry") };
    assert_eq!(wait, Duration::from_secs(7));
    assert!(reason.contains("slow down"), "{reason}");
    let before = tokio::time::Instant::now();
    let events = after_a_jump(stream, wait).await;
    assert!(before.elapsed() >= wait);
    assert_eq!(text(&events), "hi");
}

#[tokio::test]
async fn does_not_wait_for_minutes() {
    let events = play([Reply::status(429, &[("retry-after", "1800")], "")]).await;
    let error = failure(&events);
    assert_eq!((error.kind, error.retry_after), (ModelErrorKind::RateLimited, Some(Duration::from_secs(1800))));
    assert!(error.message.ends_with("Try again in 30 minutes."), "{}", error.message);
}

#[tokio::test]
async fn silence_in_the_middle_ends_an_attempt() {
    let server = ModelServer::start(Script::of([Reply::new().text("half").hang()])).await;
    let impatient = ModelPool::new(&crate::http(), &config(&server.base_url()), Patience { attempts: 1, ..HASTY });
    let mut stream = impatient.stream(request(), None);
    assert_eq!(stream.next().await, Some(ModelEvent::Text("half".into())));
    assert_eq!(failure(&after_a_jump(stream, HASTY.idle).await).kind, ModelErrorKind::Idle);
    server.abandoned(1).await;
}

#[tokio::test]
async fn silence_before_the_answer_ends_an_attempt() {
    let server = ModelServer::start(Script::of([Reply::new().hang()])).await;
    let impatient = ModelPool::new(&crate::http(), &config(&server.base_url()), Patience { attempts: 1, ..HASTY });
    let mut stream = impatient.stream(request(), None);
    tokio::select! {
        event = stream.next() => panic!("{event:?}"),
        () = server.arrived(1) => {}
    }
    assert_eq!(failure(&after_a_jump(stream, HASTY.first_byte).await).kind, ModelErrorKind::Idle);
    server.abandoned(1).await;
}

#[tokio::test]
async fn silence_is_a_reason_to_try_again() {
    let server = ModelServer::start(Script::of([Reply::new().text("void").hang(), Reply::new().text("hi")])).await;
    let mut stream = client(&server).stream(request(), None);
    assert_eq!(stream.next().await, Some(ModelEvent::Text("void".into())));
    let events = after_a_jump(stream, HASTY.idle).await;
    assert_eq!((retries(&events), text(&events).as_str()), (1, "hi"));
}

#[tokio::test]
async fn a_model_that_has_finished_is_not_waited_for() {
    let finished = json!({"choices": [{"delta": {"content": "hi"}, "finish_reason": "stop"}]});
    let server = ModelServer::start(Script::of([Reply::new().event(&finished).hang()])).await;
    let mut stream = client(&server).stream(request(), None);
    assert_eq!(stream.next().await, Some(ModelEvent::Text("hi".into())));
    let events = after_a_jump(stream, HASTY.usage).await;
    assert_eq!(events, [ModelEvent::Finished(Finish::Stop)]);
}

/// Lets a time pass at once, in the middle of a wait, and collects the rest in real time.
async fn after_a_jump(mut stream: BoxStream<'static, ModelEvent>, time: Duration) -> Vec<ModelEvent> {
    let mut events = Vec::new();
    // The timer begins when the stream is polled.
    while let std::task::Poll::Ready(Some(event)) = futures::poll!(stream.next()) {
        events.push(event);
    }
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
    events.extend(stream.collect::<Vec<_>>().await);
    events
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let server = ModelServer::start(Script::of([Reply::new().text("half").gate("never").text("lost")])).await;
    let mut stream = client(&server).stream(request(), None);
    assert_eq!(stream.next().await, Some(ModelEvent::Text("half".into())));
    drop(stream);
    server.abandoned(1).await;
}

#[tokio::test]
async fn text_comes_while_the_answer_goes_on() {
    let server = ModelServer::start(Script::of([Reply::new().text("one ").gate("middle").text("two")])).await;
    let mut stream = client(&server).stream(request(), None);
    assert_eq!(stream.next().await, Some(ModelEvent::Text("one ".into())));
    server.reached("middle").await;
    server.open("middle");
    assert_eq!(stream.next().await, Some(ModelEvent::Text("two".into())));
}

#[tokio::test]
async fn a_server_that_is_not_there() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let client = ModelPool::new(&crate::http(), &config(&format!("http://{address}/v1")), HASTY);
    let events: Vec<ModelEvent> = client.stream(request(), None).collect().await;
    assert_eq!((retries(&events), failure(&events).kind), (2, ModelErrorKind::Connection));
    let message = &failure(&events).message;
    assert!(message.starts_with(&format!("The model server at {address} cannot be reached:")), "{message}");
}

#[tokio::test]
async fn the_key_stays_out_of_every_message() {
    let echo = |code| Reply::error(code, "x", &format!("Your key {KEY} is no good"));
    for events in [play([echo(401)]).await, play([echo(500), echo(500), echo(500)]).await] {
        assert!(!format!("{events:?}").contains("0123456789"), "{events:?}");
    }
    let server = ModelServer::start(Script::default()).await;
    let config = LlmConfig { api_key: Some(Secret::new(format!("{KEY}\n"))), ..config(&server.base_url()) };
    let events: Vec<ModelEvent> =
        ModelPool::new(&crate::http(), &config, HASTY).stream(request(), None).collect().await;
    assert_eq!(failure(&events).kind, ModelErrorKind::Authentication);
    assert!(!format!("{events:?}").contains("0123456789"), "{events:?}");
}

#[tokio::test]
async fn anthropic_is_spoken_with_its_own_headers() {
    let reply =
        Reply::new().thinking("hm").text("I look.").call("t", json!({"a": 1})).call("t", json!({})).usage(30, 7, 10);
    let server = ModelServer::start(Script::of([reply])).await;
    let config = LlmConfig { provider: Provider::Anthropic, ..config(&server.base_url()) };
    let events: Vec<ModelEvent> =
        ModelPool::new(&crate::http(), &config, HASTY).stream(request(), None).collect().await;
    let calls: Vec<(&str, &str)> = events
        .iter()
        .filter_map(|event| {
            let ModelEvent::Call(call) = event else { return None };
            Some((call.name.as_str(), call.arguments.as_str()))
        })
        .collect();
    assert_eq!(calls, [("t", "{\"a\":1}"), ("t", "{}")]);
    let count = Usage { input_tokens: 30, output_tokens: 7, cached_tokens: 10, cost_usd: None };
    assert!(events.contains(&ModelEvent::Usage(count)), "{events:?}");
    assert!(events.iter().any(|event| matches!(event, ModelEvent::SealedThinking(block) if block["thinking"] == "hm")));
    assert_eq!(events.last(), Some(&ModelEvent::Finished(Finish::ToolCalls)));
    let headers = &server.seen()[0].headers;
    assert!(headers["x-api-key"] == KEY && headers["anthropic-version"] == "2023-06-01", "{headers:?}");
    assert!(!headers.contains_key("authorization"));
}

#[tokio::test]
async fn an_overload_inside_anthropics_stream_is_tried_again() {
    let overloaded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    let replies = [
        Reply::new().text("half").raw(overloaded),
        Reply::error(529, "overloaded_error", "busy"),
        Reply::new().text("whole"),
    ];
    let server = ModelServer::start(Script::of(replies)).await;
    let config = LlmConfig { provider: Provider::Anthropic, ..config(&server.base_url()) };
    let client = ModelPool::new(&crate::http(), &config, HASTY);
    let events: Vec<ModelEvent> = client.stream(request(), None).collect().await;
    assert_eq!(retries(&events), 2);
    assert_eq!(events.last(), Some(&ModelEvent::Finished(Finish::Stop)));
}
