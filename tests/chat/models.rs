//! Several models: the next one answers while one is overloaded, and the user may choose.

use crate::app::{App, finished, of_kind};
use crate::model_server::{ModelServer, Reply, Script};
use reqwest::{Method, StatusCode};
use serde_json::json;

#[tokio::test]
async fn an_overloaded_model_is_left_in_the_middle_of_a_run() {
    let other = ModelServer::start(Script::of([Reply::new().text("from the other")])).await;
    let busy = || Reply::error(529, "overloaded_error", "busy");
    let chain = format!("other@{}", other.base_url());
    let app = App::with(Script::of([busy(), busy(), busy()]), &[("LLM_FALLBACK_CHAIN", &chain)]).await;
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    let switch = of_kind(&events, "model_switched")[0];
    assert_eq!((&switch["from"], &switch["to"]), (&json!("scripted"), &json!("other")));
    assert_eq!(finished(&events)["status"], "completed");
    assert_eq!(app.messages(&session).await[1]["model"], "other");
    let models = app.get("/api/models").await.1;
    let seen = |index: usize, field: &str| models["items"][index][field].clone();
    assert_eq!(
        (seen(0, "health"), seen(0, "current"), seen(1, "current")),
        (json!("overloaded"), json!(false), json!(true))
    );
}

#[tokio::test]
async fn the_user_chooses_a_model() {
    let script = Script::by(|request| Reply::new().text(request["model"].as_str().unwrap()));
    let app = App::with(script, &[("LLM_FALLBACK_MODEL", "second")]).await;
    let session = app.session().await;
    app.run(&session, "who?").await;
    let (status, models) = app.send(Method::PUT, "/api/models/current", json!({ "name": "second" })).await;
    assert_eq!((status, &models["items"][1]["preferred"]), (StatusCode::OK, &json!(true)));
    let events = app.run(&session, "and now?").await;
    assert_eq!(of_kind(&events, "run_started")[0]["model"], "second");
    let said: Vec<_> = app.messages(&session).await.iter().map(|message| message["content"].clone()).collect();
    assert_eq!((&said[1], &said[3]), (&json!("scripted"), &json!("second")));
    let (status, _) = app.send(Method::PUT, "/api/models/current", json!({ "name": "third" })).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
}
