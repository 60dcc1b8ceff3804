use super::*;
use pretty_assertions::assert_eq;
use serde_json::json;

const KEY: &str = "sk-very-secret-0123456789";

fn endpoint() -> Endpoint {
    let base = "https://llm.example.org/v1".parse().unwrap();
    Endpoint::new(&base, "big-model", Some(Secret::new(KEY)))
}

fn refused(status: u16, body: &str) -> ModelError {
    endpoint().refused(status, &HeaderMap::new(), body.as_bytes())
}

#[rstest::rstest]
#[case::openai_key(401, json!({"error": {"code": "invalid_api_key", "message": "Incorrect API key provided"}}), ModelErrorKind::Authentication)]
#[case::gemini_key(400, json!([{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}}]), ModelErrorKind::Authentication)]
#[case::mistral_key(401, json!({"detail": "Invalid API Key"}), ModelErrorKind::Authentication)]
#[case::forbidden(403, json!({"error": "not for you"}), ModelErrorKind::Authentication)]
#[case::credit(402, json!({"error": {"message": "Insufficient Balance"}}), ModelErrorKind::Quota)]
#[case::openai_quota(429, json!({"error": {"code": "insufficient_quota", "message": "You exceeded your current quota, please check your plan and billing details."}}), ModelErrorKind::Quota)]
#[case::gemini_minute(429, json!({"error": {"code": 429, "message": "You exceeded your current quota", "status": "RESOURCE_EXHAUSTED", "details": [{"violations": [{"quotaId": "GenerateRequestsPerMinute"}]}, {"retryDelay": "34.4s"}]}}), ModelErrorKind::RateLimited)]
#[case::gemini_day(429, json!({"error": {"code": 429, "message": "You exceeded your current quota", "status": "RESOURCE_EXHAUSTED", "details": [{"violations": [{"quotaId": "GenerateRequestsPerDay"}]}, {"retryDelay": "34.4s"}]}}), ModelErrorKind::Quota)]
#[case::groq_minute(429, json!({"error": {"code": "rate_limit_exceeded", "message": "Rate limit reached. Upgrade today at https://console.groq.com/settings/billing for more credits"}}), ModelErrorKind::RateLimited)]
#[case::anthropic_credit(400, json!({"error": {"type": "invalid_request_error", "message": "Your credit balance is too low"}}), ModelErrorKind::Quota)]
#[case::no_tools(400, json!({"error": {"message": "registry.ollama.ai/library/gemma:2b does not support tools"}}), ModelErrorKind::Invalid)]
#[case::rate(429, json!({"error": {"message": "Rate limit reached for requests"}}), ModelErrorKind::RateLimited)]
#[case::moonshot_busy(429, json!({"error": {"type": "engine_overloaded_error", "message": "The engine is currently overloaded"}}), ModelErrorKind::Overloaded)]
#[case::unavailable(503, json!({}), ModelErrorKind::Overloaded)]
#[case::overloaded(529, json!({"error": {"type": "overloaded_error"}}), ModelErrorKind::Overloaded)]
#[case::busy_500(500, json!({"error": {"message": "The server is busy, server overloaded"}}), ModelErrorKind::Overloaded)]
#[case::openai_window(400, json!({"error": {"code": "context_length_exceeded", "message": "This model's maximum context length is 8192 tokens."}}), ModelErrorKind::TooLong)]
#[case::llamacpp_window(400, json!({"error": {"code": 400, "type": "exceed_context_size_error", "message": "request (2009 tokens) exceeds the available context size (512 tokens)"}}), ModelErrorKind::TooLong)]
#[case::too_large(413, json!({}), ModelErrorKind::TooLong)]
#[case::invalid(400, json!({"error": {"message": "messages must alternate"}}), ModelErrorKind::Invalid)]
#[case::deepseek_model(400, json!({"error": {"message": "The supported API model names are a or b, but you passed c."}}), ModelErrorKind::Invalid)]
#[case::no_path(404, json!({"detail": "Not Found"}), ModelErrorKind::Invalid)]
#[case::timeout(408, json!({}), ModelErrorKind::Connection)]
#[case::gateway(502, json!({}), ModelErrorKind::Server)]
fn kinds(#[case] status: u16, #[case] body: Value, #[case] expected: ModelErrorKind) {
    assert_eq!(refused(status, &body.to_string()).kind, expected);
}

#[rstest::rstest]
#[case(401, json!({}), "refused the key (401). Check LLM_API_KEY.")]
#[case(404, json!({"error": {"message": "The model `big-model` does not exist"}}), "has no model `big-model` (404). Check LLM_MODEL. It says: The model `big-model` does not exist")]
#[case(404, json!({}), "no chat completions at this address (404). Check LLM_BASE_URL")]
#[case(400, json!({"error": {"code": "context_length_exceeded"}}), "too long for `big-model`")]
fn sentences(#[case] status: u16, #[case] body: Value, #[case] expected: &str) {
    let message = refused(status, &body.to_string()).message;
    assert!(message.contains(expected), "{message}");
    assert!(message.contains("llm.example.org"), "{message}");
}

#[test]
fn a_missing_key_is_asked_for() {
    let endpoint = Endpoint::new(&"http://localhost:11434/v1".parse().unwrap(), "m", None);
    let message = endpoint.refused(401, &HeaderMap::new(), b"").message;
    assert_eq!(message, "The model server at localhost:11434 wants a key (401). Set LLM_API_KEY.");
}

#[test]
fn the_key_is_not_repeated() {
    let said = format!("{} the key {KEY} is wrong", "x".repeat(QUOTE - 20));
    let message = refused(401, &json!({"error": {"message": said}}).to_string()).message;
    assert!(!message.contains(&KEY[..8]), "{message}");
}

#[test]
fn what_the_provider_says_is_cut() {
    let message = refused(500, &"é".repeat(10_000)).message;
    assert!(message.chars().count() < QUOTE + 100);
    assert!(message.ends_with("é…"));
}

#[rstest::rstest]
#[case("<html><head><TITLE>502 Bad\n Gateway</TITLE></head><body>long</body></html>", "It says: 502 Bad Gateway")]
#[case("<!doctype html><p>nothing", "It says: a web page")]
#[case("upstream connect error", "It says: upstream connect error")]
#[case("{\"error\": \"plain text\"}", "It says: plain text")]
#[case(
    "{\"error\": {\"message\": \"Provider returned error\", \"metadata\": {\"raw\": \"slow down\"}}}",
    "It says: Provider returned error: slow down"
)]
#[case("{\"detail\": [{\"msg\": \"field required\"}]}", "It says: field required")]
fn quotes(#[case] body: &str, #[case] expected: &str) {
    let message = refused(502, body).message;
    assert!(message.ends_with(expected), "{message}");
}

#[rstest::rstest]
#[case(json!({"error": {"code": 529, "message": "x"}}), ModelErrorKind::Overloaded)]
#[case(json!({"error": {"code": "429", "message": "x"}}), ModelErrorKind::RateLimited)]
#[case(json!({"error": {"message": "x", "code": "rate_limit_exceeded"}}), ModelErrorKind::RateLimited)]
#[case(json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}), ModelErrorKind::Overloaded)]
#[case(json!({"error": {"message": "x", "type": "invalid_request_error"}}), ModelErrorKind::Invalid)]
#[case(json!({"error": {"message": "x", "type": "invalid_request_error", "code": "tool_use_failed", "status_code": 400}}), ModelErrorKind::Server)]
#[case(json!({"error": {}}), ModelErrorKind::Server)]
fn inside_a_stream(#[case] body: Value, #[case] expected: ModelErrorKind) {
    assert_eq!(endpoint().reported(&body).kind, expected);
}

#[rstest::rstest]
#[case::seconds("retry-after", "7", Some(7_000))]
#[case::fraction("retry-after", "0.5", Some(500))]
#[case::milliseconds("retry-after-ms", "250", Some(250))]
#[case::date("retry-after", "Thu, 01 Jan 1970 00:01:30 GMT", Some(30_000))]
#[case::past("retry-after", "Thu, 01 Jan 1970 00:00:30 GMT", Some(0))]
#[case::nonsense("retry-after", "soon", None)]
#[case::negative("retry-after", "-3", None)]
#[case::endless("retry-after", "1e300", None)]
fn asked_to_wait(#[case] name: &'static str, #[case] value: &str, #[case] expected: Option<u64>) {
    let mut headers = HeaderMap::new();
    headers.insert(name, value.parse().unwrap());
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(60);
    assert_eq!(retry_after::from_headers(&headers, now), expected.map(Duration::from_millis));
}

#[test]
fn a_wait_in_the_body_counts_too() {
    let body = json!({"error": {"status": "RESOURCE_EXHAUSTED", "message": "quota exceeded", "details": [{"retryDelay": "34.4s"}]}});
    assert_eq!(refused(429, &body.to_string()).retry_after, Some(Duration::from_millis(34_400)));
}
