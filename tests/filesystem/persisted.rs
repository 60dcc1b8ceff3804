//! Long outputs: the stub, the file behind it, and what happens when it cannot be written.

use super::desk::Desk;
use almagest::agent::tools::persist::bound;
use almagest::ids::{CallId, UserId};
use serde_json::json;
use std::fs;

#[tokio::test]
async fn a_short_output_passes_unchanged() {
    let desk = Desk::new();
    let text = "ä".repeat(4_000);
    assert_eq!(bound(&desk.workspaces, desk.user, &CallId::new(), text.clone(), 4_000).await, text);
    assert!(!desk.data.path().join("library/tool-results").join(desk.user.to_string()).exists());
}

#[tokio::test]
async fn a_long_output_can_be_read_whole_by_its_user() {
    let desk = Desk::new();
    let call = CallId::new();
    let text = (1..=3_000).map(|number| format!("row {number}\n")).collect::<String>();
    let stub = bound(&desk.workspaces, desk.user, &call, text.clone(), 4_000).await;
    assert!(stub.chars().count() <= 4_000);
    let path = format!("library/tool-results/{call}.txt");
    assert!(
        stub.starts_with(&format!(
            "<persisted-output path=\"{path}\" chars=\"{}\" lines=\"3000\">\nrow 1\n",
            text.len()
        ))
    );
    assert!(stub.ends_with("row 3000\n\n</persisted-output>"), "{stub}");
    let output = desk.read_with(json!({"path": path, "offset": 1500, "limit": 1})).unwrap();
    assert!(output.content.starts_with("  1500\trow 1500\n"));
    let found = desk.grep(json!({"pattern": "^row 2222$", "path": path})).unwrap();
    assert_eq!(found.content, format!("{path}:2222:row 2222"));
    let mut other = desk.call();
    other.user = UserId::new();
    let args = serde_json::from_value(json!({"path": path})).unwrap();
    assert!(almagest::agent::tools::filesystem::read_file::read_file(&other, args).is_err());
}

#[tokio::test]
async fn a_repeat_changes_nothing() {
    let desk = Desk::new();
    let call = CallId::new();
    let first = bound(&desk.workspaces, desk.user, &call, "a".repeat(5_000), 4_000).await;
    let again = bound(&desk.workspaces, desk.user, &call, "a".repeat(5_000), 4_000).await;
    assert_eq!(first, again);
    bound(&desk.workspaces, desk.user, &call, "b".repeat(5_000), 4_000).await;
    let file = desk.data.path().join("library/tool-results").join(desk.user.to_string()).join(format!("{call}.txt"));
    assert_eq!(fs::read_to_string(file).unwrap(), "a".repeat(5_000));
}

#[tokio::test]
async fn a_file_that_cannot_be_written_costs_the_rest_and_says_so() {
    let desk = Desk::new();
    fs::write(desk.data.path().join("library/tool-results"), "in the way").unwrap();
    let stub = bound(&desk.workspaces, desk.user, &CallId::new(), "a".repeat(5_000), 4_000).await;
    assert!(stub.contains("lost, since the file for them could not be written"), "{stub}");
    assert!(stub.starts_with("<persisted-output chars=\"5000\"") && stub.chars().count() <= 4_000);
    desk.write("a.md", "x").unwrap();
    assert!(desk.grep(json!({"pattern": "x", "path": "library"})).is_ok(), "the other folders are still in reach");
}

#[tokio::test]
async fn an_id_that_is_no_file_name_leads_nowhere() {
    let desk = Desk::new();
    for id in ["../../../escape", "", "a/b", "..", "a\0b"] {
        let stub = bound(&desk.workspaces, desk.user, &CallId::from(id.to_owned()), "a".repeat(5_000), 4_000).await;
        assert!(stub.contains("lost"), "{stub}");
    }
    assert!(!desk.data.path().join("escape.txt").exists());
}
