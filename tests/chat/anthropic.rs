//! A whole run in Anthropic's format.

use crate::app::{App, finished, of_kind};
use crate::model_server::{Reply, Script};
use serde_json::json;

#[tokio::test]
async fn a_run_with_two_calls_and_a_second_question() {
    let call = |query: &str| json!({ "query": query });
    let script = Script::of([
        Reply::new().thinking("both at once").call("search_history", call("a")).call("search_history", call("b")),
        Reply::new().text("Nothing was said."),
        Reply::new().text("You are welcome."),
    ]);
    let app = App::with(script, &[("LLM_PROVIDER", "anthropic"), ("LLM_ENABLE_THINKING", "true")]).await;
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    assert_eq!(of_kind(&events, "tool_result").len(), 2);
    assert_eq!(finished(&events)["status"], "completed");
    assert_eq!(finished(&app.run(&session, "thanks").await)["status"], "completed");
    let requests = app.model.requests();
    // The signed thinking goes back with the calls it led to, also after the history was read from the database.
    for request in &requests[1..] {
        let thinking = &request["messages"][1]["content"][0];
        assert_eq!((&thinking["type"], &thinking["thinking"]), (&json!("thinking"), &json!("both at once")));
    }
    app.model.assert_clean();
}
