//! Conversations that are longer than the model's window.

use crate::app::{App, finished, of_kind};
use crate::model_server::{Reply, Script, last_user_text};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

/// Words of the request for a summary.
const ASKS_FOR_A_SUMMARY: &str = "Your context is nearly full";
/// Words of the memory bridge's prompt.
const IS_THE_BRIDGE: &str = "You look through a part of a conversation";

/// Tokens of a request as a tokenizer would count them: about four characters each.
fn tokens(request: &Value) -> u64 {
    let text = |value: &Value| value.as_str().map_or(0, |text| text.chars().count());
    let messages: usize = request["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| {
            let calls = message["tool_calls"].as_array().into_iter().flatten();
            text(&message["content"]) + 16 + calls.map(|call| text(&call["function"]["arguments"]) + 48).sum::<usize>()
        })
        .sum();
    let tools: usize = request["tools"].as_array().into_iter().flatten().map(|tool| tool.to_string().len()).sum();
    u64::try_from((messages + tools) / 4).unwrap()
}

fn text_of(request: &Value) -> String {
    let messages = request["messages"].as_array().unwrap().iter();
    messages.filter_map(|message| message["content"].as_str()).collect::<Vec<_>>().join("\n")
}

/// A model with a window: it refuses what does not go in, and counts.
fn with_window(window: u64, mut answer: impl FnMut(&Value) -> Reply + Send + 'static) -> Script {
    Script::by(move |request| {
        let tokens = tokens(request);
        if tokens > window {
            return Reply::error(
                400,
                "context_length_exceeded",
                &format!("This model's maximum context length is {window} tokens, you sent {tokens}."),
            );
        }
        answer(request).usage(tokens, 50, 0)
    })
}

#[tokio::test]
async fn a_conversation_ten_times_the_window_keeps_every_constraint() {
    const WINDOW: u64 = 24_000;
    let rule = |n: usize| format!("Always quote value number {n} in band B{n}.");
    let mut summaries = 0;
    let mut step = 0_usize;
    let script = with_window(WINDOW, move |request| {
        if last_user_text(request).contains(ASKS_FOR_A_SUMMARY) {
            summaries += 1;
            // Models write summaries of every quality, and none of these keeps a constraint.
            return match summaries % 3 {
                0 => Reply::new().text("We worked on many things."),
                1 => Reply::new().text("```json\n{\"goal\": \"values\", \"progress\": \"some\", \"constraints\": [\"quote nothing\"]}\n```"),
                _ => Reply::new().text("{\"goal\": [1, {\"x\": null}], \"decisions\": [\"V band is the reference\"]}"),
            };
        }
        step += 1;
        if step % 2 == 1 {
            return Reply::new().call("read_file", json!({ "path": "big.txt", "offset": step, "limit": 90 }));
        }
        Reply::new().text(format!("Answer {step}: {}", "the measured value is quoted here. ".repeat(60)))
    });
    let settings = [("LLM_CONTEXT_WINDOW", "24000"), ("AGENT_MEMORY_BRIDGE", "false")];
    let app = App::with(script, &settings).await;
    let session = app.session().await;
    // The workspace is made by the first use.
    app.run(&session, &format!("Hello. {}", rule(0))).await;
    let workspace = std::fs::read_dir(app.folder().join("workspace")).unwrap().next().unwrap().unwrap().path();
    let lines: String =
        (0..2_000).map(|n| format!("{n} {:.5} a line of a table of measurements\n", f64::from(n) / 7.0)).collect();
    std::fs::write(workspace.join("big.txt"), lines).unwrap();

    let (mut sent, mut turn, mut compactions) = (0, 0, Vec::new());
    while sent < 10 * WINDOW {
        turn += 1;
        let question = format!("What about value {turn}? {} {}", "Some words around it.".repeat(20), rule(turn));
        let events = app.run(&session, &question).await;
        assert_eq!(finished(&events)["status"], "completed", "{}", finished(&events));
        compactions.extend(of_kind(&events, "compaction").into_iter().cloned());
        let said: usize = app.messages(&session).await.iter().map(|m| m["content"].as_str().unwrap().len()).sum();
        sent = u64::try_from(said / 4).unwrap();
    }
    let layers = |layer: &str| compactions.iter().filter(|event| event["layer"] == layer).count();
    assert!(layers("auto") >= 8, "{} summaries in {turn} turns", layers("auto"));
    assert!(layers("micro") >= 1, "old outputs are cleared first");
    for event in &compactions {
        assert!(event.get("skipped_reason").is_none_or(Value::is_null), "{event}");
        assert!(event["after_tokens"].as_u64() < event["before_tokens"].as_u64(), "{event}");
    }
    let requests = app.model.requests();
    let last = text_of(requests.last().unwrap());
    for n in 0..=turn {
        assert!(last.contains(&rule(n)), "rule {n} of {turn} is lost in: {last}");
    }
    assert!(last.contains("V band is the reference"), "a decision is carried from record to record");
    assert!(!last.contains("quote nothing"), "what the user never said is no constraint");
    let longest = requests.iter().map(tokens).max().unwrap();
    assert!(longest <= WINDOW, "a request was refused: {longest}");
    // Everything is still there to be found, and once.
    let found = app.get("/api/search/history?q=%22value+number+1+in+band%22").await.1;
    assert_eq!(found["items"].as_array().unwrap().len(), 1, "{found}");
    app.model.assert_clean();
}

#[tokio::test]
async fn the_breaker_opens_when_summaries_fail_and_says_so() {
    let mut step = 0;
    let script = Script::by(move |request| {
        if last_user_text(request).contains(ASKS_FOR_A_SUMMARY) {
            return Reply::new().text("  ").usage(9_000, 1, 0);
        }
        step += 1;
        if step > 6 {
            return Reply::new().text("done").usage(9_500, 10, 0);
        }
        let todo = json!({ "id": "a", "content": format!("step {step}"), "status": "pending" });
        Reply::new().text("x".repeat(8_000)).call("todo_write", json!({ "todos": [todo] })).usage(9_500, 10, 0)
    });
    let app = App::with(script, &[("LLM_CONTEXT_WINDOW", "10000"), ("AGENT_MEMORY_BRIDGE", "false")]).await;
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    assert_eq!(finished(&events)["status"], "completed");
    let reasons: Vec<&str> =
        of_kind(&events, "compaction").iter().map(|event| event["skipped_reason"].as_str().unwrap()).collect();
    assert!(reasons[0].contains("the model's summary was empty"), "{reasons:?}");
    assert!(reasons[2].contains("the model's summary was empty"), "{reasons:?}");
    assert!(reasons[3].contains("Automatic summaries are off: summaries failed 3 times in a row"), "{reasons:?}");
    let asked = app.model.requests().iter().filter(|r| last_user_text(r).contains(ASKS_FOR_A_SUMMARY)).count();
    assert_eq!(asked, 3, "an open breaker asks for no summary");
    assert_eq!(reasons.len(), 4, "and says why once: {reasons:?}");
    // A new run gives it one more try.
    let events = app.run(&session, "again").await;
    let reasons: Vec<String> =
        of_kind(&events, "compaction").iter().map(|event| event["skipped_reason"].to_string()).collect();
    assert!(reasons[0].contains("summary was empty"), "{reasons:?}");
}

#[tokio::test]
async fn a_context_that_the_model_refuses_is_made_smaller_in_the_middle_of_a_run() {
    // The window that the server knows is larger than the model's own.
    let script = with_window(9_000, |request| {
        if last_user_text(request).contains(ASKS_FOR_A_SUMMARY) {
            return Reply::new().text("{\"goal\": \"fit\", \"progress\": [\"half of it\"]}");
        }
        Reply::new().text("word ".repeat(1_500))
    });
    let app = App::with(script, &[("LLM_CONTEXT_WINDOW", "128000"), ("AGENT_MEMORY_BRIDGE", "false")]).await;
    let session = app.session().await;
    let mut summaries = 0;
    for turn in 0..8 {
        let events = app.run(&session, &format!("Turn {turn}: you must go on.")).await;
        assert_eq!(finished(&events)["status"], "completed", "{}", finished(&events));
        summaries +=
            of_kind(&events, "compaction").iter().filter(|event| event["summary_message_id"].is_string()).count();
    }
    assert!(summaries >= 1);
    let last = text_of(app.model.requests().last().unwrap());
    assert!((0..8).all(|turn| last.contains(&format!("Turn {turn}: you must go on."))), "{last}");
}

#[tokio::test]
async fn the_user_compacts_and_takes_it_back() {
    let script = Script::by(|request| match last_user_text(request) {
        text if text.contains(ASKS_FOR_A_SUMMARY) => Reply::new().text("{\"goal\": \"know M 31\"}"),
        _ => Reply::new().text("a long answer ".repeat(800)),
    });
    let app = App::with(script, &[("AGENT_MEMORY_BRIDGE", "false")]).await;
    let session = app.session().await;
    let compact = format!("/api/sessions/{session}/compact");
    let undo = format!("{compact}/undo");
    let (status, problem) = app.send(Method::POST, &undo, json!({})).await;
    assert_eq!(status, StatusCode::CONFLICT, "{problem}");
    app.run(&session, "What is M 31? Use kpc only.").await;
    let before = app.run(&session, "And M 33?").await.last().and_then(|event| event.id).unwrap();

    let (status, answer) = app.send(Method::POST, &compact, json!({})).await;
    assert_eq!((status, &answer["state"]), (StatusCode::ACCEPTED, &json!("begun")));
    let path = format!("/api/events?after={before}");
    let events = app.until(&path, |event| event.kind == "compaction").await;
    let done = &events.last().unwrap().data;
    assert_eq!(done["layer"], "manual");
    assert!(done["after_tokens"].as_u64() < done["before_tokens"].as_u64(), "{done}");
    let messages = app.messages(&session).await;
    let summary = messages.iter().find(|message| message["role"] == "summary").unwrap();
    assert_eq!(summary["id"], done["summary_message_id"]);
    assert_eq!(summary["metadata"]["record"]["goal"], "know M 31");
    assert_eq!(summary["metadata"]["record"]["constraints"], json!(["Use kpc only."]));
    assert_eq!(messages.len(), 5, "the originals stay");

    app.run(&session, "Go on.").await;
    let request = app.model.requests().last().unwrap().clone();
    let first = request["messages"][1]["content"].as_str().unwrap();
    assert!(first.starts_with("<summary>") && first.contains("Use kpc only."), "{first}");
    assert!(!text_of(&request).contains("a long answer a long answer"), "{}", text_of(&request));

    let (status, _) = app.send(Method::POST, &undo, json!({})).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let messages = app.messages(&session).await;
    assert_eq!(messages.iter().find(|m| m["role"] == "summary").unwrap()["metadata"]["undone"], true);
    let app = app.restart().await;
    app.run(&session, "And now?").await;
    let request = app.model.requests().last().unwrap().clone();
    let all = text_of(&request);
    assert!(!all.contains("<summary>") && all.contains("a long answer a long answer"));
    let (status, _) = app.send(Method::POST, &undo, json!({})).await;
    assert_eq!(status, StatusCode::CONFLICT, "there is none any more");
    let (status, _) =
        app.send(Method::POST, "/api/sessions/01890000-0000-7000-8000-000000000000/compact", json!({})).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    app.model.assert_clean();
}

#[tokio::test]
async fn the_model_compacts_before_its_next_call_and_works_on_with_its_files() {
    let mut step = 0;
    let script = Script::by(move |request| {
        if last_user_text(request).contains(ASKS_FOR_A_SUMMARY) {
            assert!(last_user_text(request).contains("Keep above all: the table"), "{}", last_user_text(request));
            return Reply::new().text("{\"goal\": \"a table\", \"next_steps\": [\"edit it\"]}");
        }
        step += 1;
        match step {
            1 => Reply::new().call(
                "file_write",
                json!({ "path": "table.md", "content": format!("| H0 |\n{}", "row\n".repeat(3_000)) }),
            ),
            2 => Reply::new().call("read_file", json!({ "path": "table.md" })),
            3 => Reply::new().text("a plan ".repeat(4_000)).call("compress_context", json!({ "focus": "the table" })),
            4 => Reply::new().call(
                "file_edit",
                json!({ "path": "table.md", "old_string": "| H0 |", "new_string": "| H0 (km/s/Mpc) |" }),
            ),
            _ => Reply::new().text("done"),
        }
    });
    let app = App::with(script, &[("AGENT_MEMORY_BRIDGE", "false")]).await;
    let session = app.session().await;
    let events = app.run(&session, "Write the table. You must name the units.").await;
    assert_eq!(finished(&events)["status"], "completed");
    let done = of_kind(&events, "compaction");
    assert_eq!((done.len(), &done[0]["layer"]), (1, &json!("manual")), "{done:?}");
    let edited = of_kind(&events, "tool_result").into_iter().find(|result| result["name"] == "file_edit").unwrap();
    assert_eq!(edited["is_error"], false, "the file was brought back, so it may be edited: {edited}");
    let requests = app.model.requests();
    let after = text_of(&requests[requests.len() - 2]);
    assert!(after.contains("## File as it is now: table.md") && after.contains("You must name the units."), "{after}");
    app.model.assert_clean();
}

#[tokio::test]
async fn a_hook_keeps_the_context_as_it_is() {
    let script = Script::by(|request| {
        assert!(!last_user_text(request).contains(ASKS_FOR_A_SUMMARY));
        Reply::new().text("an answer ".repeat(100)).usage(9_000, 10, 0)
    });
    let app = App::with(script, &[("LLM_CONTEXT_WINDOW", "10000"), ("AGENT_MEMORY_BRIDGE", "false")]).await;
    let hook = json!({ "matcher": "auto", "hooks": [{ "type": "command", "command": "echo 'the audit needs it whole' >&2; exit 2" }] });
    let (status, _) = app.send(Method::PUT, "/api/hooks", json!({ "hooks": { "PreCompact": [hook] } })).await;
    assert_eq!(status, StatusCode::OK);
    let session = app.session().await;
    app.run(&session, "one").await;
    let events = app.run(&session, &"two ".repeat(9_000)).await;
    let reason = of_kind(&events, "compaction")[0]["skipped_reason"].as_str().unwrap();
    assert!(reason.contains("the audit needs it whole"), "{reason}");
    assert_eq!(finished(&events)["status"], "completed");
}

#[tokio::test]
async fn what_leaves_the_context_passes_the_memory_bridge() {
    let script = Script::by(|request| {
        let system = request["messages"][0]["content"].as_str().unwrap();
        if system.contains(IS_THE_BRIDGE) {
            let offered: Vec<&str> = request["tools"]
                .as_array()
                .unwrap()
                .iter()
                .map(|tool| tool["function"]["name"].as_str().unwrap())
                .collect();
            assert!(offered.contains(&"save_memory") && offered.contains(&"search_papers"), "{offered:?}");
            assert!(!offered.iter().any(|name| ["file_write", "todo_write", "ask_user"].contains(name)), "{offered:?}");
            if request["messages"].as_array().unwrap().len() == 2 {
                assert!(text_of(request).contains("distances in kpc"), "{}", text_of(request));
                let content = "The user wants all distances of their project in kpc";
                return Reply::new()
                    .call("save_memory", json!({ "content": content, "kind": "preference" }))
                    .call("save_memory", json!({ "content": "It is running", "kind": "fact" }))
                    .call("file_write", json!({ "path": "x", "content": "y" }));
            }
            let results = text_of(request);
            assert!(
                results.contains("Remembered.")
                    && results.contains("Not remembered")
                    && results.contains("There is no tool"),
                "{results}"
            );
            return Reply::new().text("done");
        }
        if last_user_text(request).contains(ASKS_FOR_A_SUMMARY) {
            return Reply::new().text("{\"goal\": \"know M 31\"}");
        }
        Reply::new().text("a long answer ".repeat(400))
    });
    let app = App::start(script).await;
    let session = app.session().await;
    app.run(&session, "What is M 31? I always want distances in kpc.").await;
    app.run(&session, "And M 33?").await;
    app.post(&format!("/api/sessions/{session}/compact"), json!({})).await;
    // Two runs, the summary, and the bridge's second request, which follows what it has saved.
    app.model.arrived(5).await;
    let memories = app.get("/api/memories").await.1;
    let items = memories["items"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{memories}");
    assert_eq!((&items[0]["kind"], &items[0]["source"]["session_id"]), (&json!("preference"), &json!(session)));

    // Another conversation begins with it, and a question about it brings it along.
    let other = app.session().await;
    app.run(&other, "In which unit are the distances of my project?").await;
    let request = app.model.requests().last().unwrap().clone();
    assert!(request["messages"][0]["content"].as_str().unwrap().contains("(preference) The user wants all distances"));
    assert!(last_user_text(&request).contains("From earlier conversations"), "{}", last_user_text(&request));
    app.model.assert_clean();
}

#[tokio::test]
async fn memories_are_read_written_pinned_and_forgotten_by_their_owner_alone() {
    let script = Script::of([
        Reply::new().call("save_memory", json!({ "content": "The group of the user adopts H0 = 73.04 from SH0ES 2022", "kind": "decision", "source": "2022ApJ...934L...7R" })),
        Reply::new().text("kept"),
    ]);
    let app = App::start(script).await;
    let session = app.session().await;
    let events = app.run(&session, "Remember it.").await;
    assert_eq!(of_kind(&events, "tool_result")[0]["is_error"], false);
    let own = app.post("/api/memories", json!({ "content": " I observe from La Silla. ", "kind": "fact" })).await;
    assert_eq!((&own["content"], &own["confidence"]), (&json!("I observe from La Silla."), &json!(1.0)));
    let list = |memories: &Value| -> Vec<String> {
        memories["items"].as_array().unwrap().iter().map(|m| m["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(list(&app.get("/api/memories").await.1), ["fact", "decision"]);
    let saved = app.get("/api/memories?q=sh0es").await.1["items"][0].clone();
    assert_eq!(saved["source"]["paper_id"], "2022ApJ...934L...7R");
    let path = format!("/api/memories/{}", saved["id"].as_str().unwrap());
    let (status, pinned) = app.send(Method::PATCH, &path, json!({ "pinned": true })).await;
    assert_eq!((status, &pinned["pinned"]), (StatusCode::OK, &json!(true)));
    let page = app.get("/api/memories?limit=1").await.1;
    assert_eq!(list(&page), ["decision"]);
    let next = app.get(&format!("/api/memories?limit=1&cursor={}", page["next_cursor"].as_str().unwrap())).await.1;
    assert_eq!((list(&next), &next["next_cursor"]), (vec!["fact".to_owned()], &Value::Null));
    let (status, problem) = app.send(Method::PATCH, &path, json!({ "content": "  " })).await;
    assert_eq!(
        (status, &problem["errors"][0]["pointer"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("/content")),
        "{problem}"
    );

    let other = crate::accounts::second_user(&app).await;
    for method in [Method::GET, Method::DELETE] {
        assert_eq!(app.as_other(&other, method, &path).await.0, StatusCode::NOT_FOUND);
    }
    assert_eq!(app.as_other(&other, Method::GET, "/api/memories").await.1["items"], json!([]));
    assert_eq!(app.send(Method::DELETE, &path, Value::Null).await.0, StatusCode::NO_CONTENT);
    assert_eq!(app.get(&path).await.0, StatusCode::NOT_FOUND);
    assert_eq!(app.get("/api/memories?q=sh0es").await.1["items"], json!([]), "the index forgets as well");
}
