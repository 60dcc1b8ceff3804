//! Shell commands in whole runs.

use crate::app::{App, finished, of_kind};
use crate::model_server::{Reply, Script};
use serde_json::{Value, json};

fn bash(command: &str) -> Reply {
    Reply::new().call("run_bash", json!({ "command": command }))
}

fn results(events: &[crate::app::Event]) -> Vec<Value> {
    of_kind(events, "tool_result").into_iter().cloned().collect()
}

#[tokio::test]
async fn a_command_works_in_the_workspace_and_is_one_commit() {
    let script = Script::of([
        Reply::new().call("file_write", json!({ "path": "a.txt", "content": "1\n2\n3\n" })),
        bash("sort -r a.txt > b.txt && mkdir plots && echo p > plots/one.dat && cat b.txt"),
        Reply::new()
            .call("run_bash", json!({ "command": "cat a.txt" }))
            .call("run_bash", json!({ "command": "grep nothing a.txt" })),
        bash("echo half > c.txt; echo oops >&2; exit 3"),
        bash(
            "cat \"$ALMAGEST_LIBRARY/../almagest.db\"; env; ls \"$ALMAGEST_LIBRARY/tool-results\"; curl -s http://127.0.0.1",
        ),
        Reply::new().text("done"),
    ]);
    let app = App::with(script, &[("LLM_API_KEY", "sk-a-secret-of-the-server")]).await;
    let sandbox = app.get("/api/health").await.1["sandbox"].clone();
    if sandbox == "none" {
        eprintln!("skipped: this machine isolates nothing, so commands would ask");
        return;
    }
    std::fs::create_dir_all(app.folder().join("library/tool-results/someone-else")).unwrap();
    let session = app.session().await;
    let events = app.run(&session, "go").await;
    assert_eq!(finished(&events)["status"], "completed", "{}", finished(&events));
    let results = results(&events);
    let output = |n: usize| results[n]["output"].as_str().unwrap();
    assert!(output(1).starts_with("3\n2\n1\n[Exit code 0 after "), "{}", output(1));
    assert_eq!(results[1]["metadata"]["exit_code"], 0);
    assert_eq!(results[1]["metadata"]["isolation"], sandbox);
    // Two calls of one step may end in either order; that grep found nothing is no failure.
    let mut codes: Vec<i64> = results[2..4].iter().map(|r| r["metadata"]["exit_code"].as_i64().unwrap()).collect();
    codes.sort_unstable();
    assert_eq!(codes, [0, 1]);
    assert!(results[2..4].iter().all(|result| result["is_error"] == false), "{results:#?}");
    assert_eq!(results[4]["is_error"], true);
    assert!(
        output(4).contains("[standard error]\noops\n[Exit code 3") || output(4).starts_with("oops\n[Exit code 3"),
        "{}",
        output(4)
    );
    let contained = output(5);
    for secret in ["sk-a-secret", "SQLite format", "someone-else"] {
        assert!(!contained.contains(secret), "{contained}");
    }
    let log = app.get("/api/workspace/log").await.1;
    let commits: Vec<(&str, usize)> = log["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|commit| (commit["message"].as_str().unwrap(), commit["files"].as_array().unwrap().len()))
        .collect();
    assert_eq!(commits.len(), 3, "one each for the write and the two commands that changed something: {commits:?}");
    assert!(commits[0].0.contains("echo half") && commits[1].0.contains("sort -r") && commits[1].1 == 2, "{commits:?}");
    assert_eq!(
        results[4]["metadata"]["commit"], log["items"][0]["commit"],
        "a command that fails is committed as well"
    );
    app.model.assert_clean();
}

#[tokio::test]
async fn plan_mode_reads_and_ask_mode_asks() {
    let script = Script::of([bash("ls"), bash("touch x"), Reply::new().text("done")]);
    let app = App::start(script).await;
    let session =
        app.post("/api/sessions", json!({ "permission_mode": "plan" })).await["id"].as_str().unwrap().to_owned();
    let events = app.run(&session, "go").await;
    let results = results(&events);
    assert!(results[1]["output"].as_str().unwrap().contains("plan mode"), "{}", results[1]);
    if app.get("/api/health").await.1["sandbox"] != "none" {
        assert_eq!(results[0]["is_error"], false, "{}", results[0]);
    }
}

#[tokio::test]
async fn a_stop_ends_the_command_and_what_it_started() {
    let script = Script::of([bash("echo $$ > pid; (while :; do date > beat; sleep 0.05; done) & sleep 300")]);
    let app = App::start(script).await;
    if app.get("/api/health").await.1["sandbox"] == "none" {
        eprintln!("skipped: this machine isolates nothing, so commands would ask");
        return;
    }
    let session = app.session().await;
    let accepted = app.ask(&session, "go").await;
    let workspace = app.folder().join("workspace");
    let beat = loop {
        let found = std::fs::read_dir(&workspace)
            .unwrap()
            .flatten()
            .map(|entry| entry.path().join("beat"))
            .find(|beat| beat.exists());
        match found {
            Some(beat) => break beat,
            None => tokio::time::sleep(std::time::Duration::from_millis(10)).await,
        }
    };
    app.post(&format!("/api/runs/{}/cancel", accepted["run_id"].as_str().unwrap()), json!({})).await;
    let events = app.events(&session, accepted["seq"].as_i64().unwrap()).await;
    assert_eq!(finished(&events)["status"], "stopped");
    let modified = || std::fs::metadata(&beat).unwrap().modified().unwrap();
    let (mut last, mut still) = (modified(), 0);
    while still < 6 {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        let now = modified();
        still = if now == last { still + 1 } else { 0 };
        last = now;
    }
}
