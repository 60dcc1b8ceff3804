//! The scripted model server itself: it must refuse what no provider would take.

use crate::model_server::{ModelServer, Reply, Script, check, last_user_text, tool_results};
use pretty_assertions::assert_eq;
use rstest::rstest;
use serde_json::{Value, json};

fn request(messages: Value) -> Value {
    json!({"model": "m", "stream": true, "messages": messages})
}

fn call(id: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "t", "arguments": "{}"}})
}

fn calls(ids: &[&str]) -> Value {
    let calls: Vec<Value> = ids.iter().map(|id| call(id)).collect();
    json!({"role": "assistant", "content": null, "tool_calls": calls})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "r"})
}

fn user() -> Value {
    json!({"role": "user", "content": "q"})
}

#[rstest]
#[case::one_question(json!([user()]))]
#[case::system_first(json!([{"role": "system", "content": "s"}, user()]))]
#[case::answered(json!([user(), calls(&["a", "b"]), result("a"), result("b")]))]
#[case::answered_in_another_order(json!([user(), calls(&["a", "b"]), result("b"), result("a"), user()]))]
#[case::two_turns(json!([user(), calls(&["a"]), result("a"), {"role": "assistant", "content": "x"}, user()]))]
fn accepts(#[case] messages: Value) {
    assert_eq!(check::violations(&request(messages)), Vec::<String>::new());
}

#[rstest]
#[case::nothing(json!([]), "missing or empty")]
#[case::unknown_role(json!([user(), {"role": "robot", "content": "x"}]), "role `robot`")]
#[case::assistant_first(json!([{"role": "assistant", "content": "x"}, user()]), "begins with `assistant`")]
#[case::unanswered(json!([user(), calls(&["a"])]), "before the result of call `a`")]
#[case::half_answered(json!([user(), calls(&["a", "b"]), result("a"), user()]), "before the result of call `b`")]
#[case::answered_too_late(json!([user(), calls(&["a"]), user(), result("a")]), "no open call")]
#[case::answered_twice(json!([user(), calls(&["a"]), result("a"), result("a")]), "no open call")]
#[case::result_from_nowhere(json!([user(), result("z")]), "no open call")]
#[case::same_id_twice(json!([user(), calls(&["a"]), result("a"), calls(&["a"]), result("a")]), "used twice")]
#[case::empty_id(json!([user(), calls(&[""]), result("")]), "without id")]
#[case::silent_assistant(json!([user(), {"role": "assistant", "content": ""}, user()]), "says nothing")]
#[case::late_system(json!([user(), {"role": "system", "content": "s"}, user()]), "in the middle")]
#[case::answers_itself(json!([user(), {"role": "assistant", "content": "x"}]), "nothing to answer")]
#[case::content_is_no_text(json!([{"role": "user", "content": null}]), "not text")]
fn refuses(#[case] messages: Value, #[case] expected: &str) {
    let found = check::violations(&request(messages)).join("\n");
    assert!(found.contains(expected), "{found:?}");
}

#[rstest]
#[case("", false)]
#[case("{\"a\": ", false)]
#[case("[]", false)]
#[case("{\"a\": 1}", true)]
fn arguments_are_the_text_of_an_object(#[case] arguments: &str, #[case] fine: bool) {
    let mut call = call("a");
    call["function"]["arguments"] = arguments.into();
    let messages = json!([user(), {"role": "assistant", "content": null, "tool_calls": [call]}, result("a")]);
    assert_eq!(check::violations(&request(messages)).is_empty(), fine);
}

#[test]
fn tools_are_there_once_and_stable() {
    let tool = |name: &str, text: &str| json!({"type": "function", "function": {"name": name, "description": text, "parameters": {}}});
    let with = |tools: Value| {
        let mut request = request(json!([user()]));
        request["tools"] = tools;
        request
    };
    let sorted = with(json!([tool("a", "1"), tool("b", "1")]));
    assert_eq!(check::violations(&sorted), Vec::<String>::new());
    assert_eq!(check::violations(&with(json!([tool("a", "1"), tool("a", "1")]))).len(), 1);
    assert_eq!(check::unstable_tools(&sorted, &with(json!([tool("a", "2"), tool("b", "1")]))).len(), 1);
    assert_eq!(check::unstable_tools(&sorted, &with(json!([tool("b", "1"), tool("c", "1")]))).len(), 0);
}

#[test]
fn a_script_can_read_the_conversation() {
    let request = request(json!([user(), calls(&["a", "b"]), result("b"), result("a")]));
    assert_eq!(last_user_text(&request), "q");
    assert_eq!(tool_results(&request), [("t", "r"), ("t", "r")]);
}

async fn post(server_url: &str, body: &Value) -> u16 {
    let response =
        crate::plain_http().post(format!("{server_url}/chat/completions")).body(body.to_string()).send().await;
    response.unwrap().status().as_u16()
}

#[tokio::test]
async fn a_wrong_request_is_answered_with_500_and_fails_the_test() {
    let server = ModelServer::start(Script::by(|_| Reply::new().text("never said"))).await;
    assert_eq!(post(&server.base_url(), &request(json!([user(), calls(&["a"])]))).await, 500);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(server)));
    assert!(outcome.is_err());
}

#[tokio::test]
async fn a_request_beyond_the_script_is_a_violation() {
    let server = ModelServer::start(Script::of([Reply::new().text("only this")])).await;
    let url = server.base_url();
    assert_eq!(post(&url, &request(json!([user()]))).await, 200);
    assert_eq!(post(&url, &request(json!([user()]))).await, 500);
    assert_eq!(server.take_violations(), ["request 2: the script has no reply left"]);
}

#[tokio::test]
async fn lists_its_model() {
    let server = ModelServer::start(Script::default()).await;
    let text =
        crate::plain_http().get(format!("{}/models", server.base_url())).send().await.unwrap().text().await.unwrap();
    assert!(text.contains("scripted"));
}

#[tokio::test]
async fn an_assertion_in_the_script_fails_the_test() {
    let server = ModelServer::start(Script::by(|request| {
        assert_eq!(request["model"], "another");
        Reply::new()
    }))
    .await;
    assert_eq!(post(&server.base_url(), &request(json!([user()]))).await, 500);
    assert_eq!(server.take_violations().len(), 1);
}
