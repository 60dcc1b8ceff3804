//! Questions to the user: shown in every tab, answered once, and waiting through a restart.

use crate::app::{App, Event, finished, of_kind};
use crate::model_server::{Reply, Script};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

const WRITE: &str = "file_write";

/// A model that writes a note and then says that it is done.
fn writes_a_note() -> Script {
    let arguments = json!({ "path": "note.md", "content": "M 31\n" });
    Script::of([Reply::new().text("I would write a note.").call(WRITE, arguments), Reply::new().text("done")])
}

/// Sends a message in a mode that asks; answers the question and where the run's events begin.
async fn asked(app: &App, session: &str) -> (Value, i64) {
    let body = json!({ "message": "go", "permission_mode": "ask" });
    let accepted = app.post(&format!("/api/sessions/{session}/runs"), body).await;
    let after = accepted["seq"].as_i64().unwrap();
    (question(app, session, after).await, after)
}

async fn question(app: &App, session: &str, after: i64) -> Value {
    let path = format!("/api/sessions/{session}/events?after={after}");
    let events = app.until(&path, |event| event.kind == "question").await;
    of_kind(&events, "question")[0]["question"].clone()
}

fn answer_path(question: &Value) -> String {
    format!("/api/questions/{}/answer", question["id"].as_str().unwrap())
}

async fn status(app: &App, question: &Value) -> Value {
    app.get(&format!("/api/runs/{}", question["run_id"].as_str().unwrap())).await.1["status"].clone()
}

fn result<'a>(events: &'a [Event], tool: &str) -> &'a Value {
    of_kind(events, "tool_result").into_iter().find(|result| result["name"] == tool).unwrap()
}

#[tokio::test]
async fn two_tabs_answer_and_the_first_one_counts() {
    let app = App::start(writes_a_note()).await;
    let session = app.session().await;
    let (question, after) = asked(&app, &session).await;
    assert_eq!((&question["tool"], &question["kind"]), (&json!(WRITE), &json!("permission")));
    assert_eq!(question["arguments"]["path"], "note.md");
    assert_eq!(status(&app, &question).await, "waiting");
    let open = app.get("/api/questions?status=open").await.1;
    assert_eq!(open["items"][0]["id"], question["id"]);

    let path = answer_path(&question);
    let yes = || app.send(Method::POST, &path, json!({ "decision": "once", "comment": "but only this one" }));
    let (first, second) = tokio::join!(yes(), yes());
    let mut statuses = [first.0, second.0];
    statuses.sort();
    assert_eq!(statuses, [StatusCode::OK, StatusCode::CONFLICT]);

    let events = app.events(&session, after).await;
    let closed = of_kind(&events, "question_closed");
    assert_eq!(
        (closed.len(), &closed[0]["answer"]["decision"]),
        (1, &json!("once")),
        "every tab sees that it is closed"
    );
    let written = result(&events, WRITE);
    assert_eq!(written["is_error"], false);
    assert!(written["output"].as_str().unwrap().contains("but only this one"), "{written}");
    assert_eq!(finished(&events)["status"], "completed");
    app.model.assert_clean();
}

#[tokio::test]
async fn a_no_is_told_to_the_model_and_nothing_is_done() {
    let app = App::start(writes_a_note()).await;
    let session = app.session().await;
    let (question, after) = asked(&app, &session).await;
    app.post(&answer_path(&question), json!({ "decision": "deny", "comment": "use the old file" })).await;
    let events = app.events(&session, after).await;
    let refused = result(&events, WRITE);
    assert!(refused["output"].as_str().unwrap().ends_with("said no: use the old file"), "{refused}");
    assert!(of_kind(&events, "tool_result").len() == 1 && !app.folder().join("workspace/note.md").exists());
    assert_eq!(finished(&events)["status"], "completed");
}

#[tokio::test]
async fn a_wrong_kind_of_answer_changes_nothing() {
    let app = App::start(writes_a_note()).await;
    let session = app.session().await;
    let (question, after) = asked(&app, &session).await;
    for body in [json!({ "answer": "yes" }), json!({ "decision": "maybe" }), json!({})] {
        let (status, problem) = app.send(Method::POST, &answer_path(&question), body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    }
    let unknown = "/api/questions/01890000-0000-7000-8000-000000000000/answer";
    let (status, _) = app.send(Method::POST, unknown, json!({ "decision": "once" })).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    app.post(&answer_path(&question), json!({ "decision": "once" })).await;
    assert_eq!(finished(&app.events(&session, after).await)["status"], "completed");
}

#[tokio::test]
async fn a_run_waits_through_a_restart_and_the_answer_resumes_it() {
    let app = App::start(writes_a_note()).await;
    let session = app.session().await;
    let (question, after) = asked(&app, &session).await;
    let app = app.restart().await;
    assert_eq!(status(&app, &question).await, "waiting");
    let open = app.get("/api/questions?status=open").await.1;
    assert_eq!(open["items"][0]["id"], question["id"], "the same question, and one");
    assert_eq!(open["items"].as_array().unwrap().len(), 1);
    app.post(&answer_path(&question), json!({ "decision": "once" })).await;
    let events = app.events(&session, after).await;
    assert_eq!(result(&events, WRITE)["is_error"], false);
    assert_eq!(finished(&events)["status"], "completed");
    assert_eq!(of_kind(&events, "question").len(), 1);
    app.model.assert_clean();
}

#[tokio::test]
async fn a_stop_closes_the_question() {
    let app = App::start(writes_a_note()).await;
    let session = app.session().await;
    let (question, after) = asked(&app, &session).await;
    app.post(&format!("/api/runs/{}/cancel", question["run_id"].as_str().unwrap()), json!({})).await;
    let events = app.events(&session, after).await;
    assert_eq!(finished(&events)["status"], "stopped");
    assert_eq!(of_kind(&events, "question_closed")[0]["status"], "expired");
    let (status, _) = app.send(Method::POST, &answer_path(&question), json!({ "decision": "once" })).await;
    assert_eq!(status, StatusCode::CONFLICT);
}

#[tokio::test]
async fn the_model_asks_and_goes_on_with_the_answer_also_after_a_restart() {
    for restart in [false, true] {
        let arguments = json!({ "question": "Which epoch?", "options": ["J2000", "J2016"] });
        let script = Script::of([Reply::new().call("ask_user", arguments), Reply::new().text("thanks")]);
        let mut app = App::start(script).await;
        let session = app.session().await;
        let after = app.ask(&session, "go").await["seq"].as_i64().unwrap();
        let question = question(&app, &session, after).await;
        assert_eq!((&question["kind"], &question["options"][1]), (&json!("ask_user"), &json!("J2016")));
        if restart {
            app = app.restart().await;
        }
        app.post(&answer_path(&question), json!({ "answer": "J1991.25" })).await;
        let events = app.events(&session, after).await;
        assert_eq!(result(&events, "ask_user")["output"], "The user answered: J1991.25");
        assert_eq!(finished(&events)["status"], "completed");
        app.model.assert_clean();
    }
}
