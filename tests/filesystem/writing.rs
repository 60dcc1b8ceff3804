//! `file_write` and `file_edit`.

use super::desk::{Desk, metadata, refused};
use almagest::agent::tools::filesystem::file_write;
use pretty_assertions::assert_eq;
use serde_json::json;
use std::fs;

#[test]
fn each_write_is_one_commit() {
    let desk = Desk::new();
    let output = desk.write("notes/deep/plan.md", "one\ntwo\n").unwrap();
    assert_eq!(desk.on_disk("notes/deep/plan.md"), "one\ntwo\n");
    let log = desk.log();
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].message, "file_write notes/deep/plan.md");
    assert_eq!(log[0].session_id, Some(desk.session));
    let shown = metadata(&output);
    assert_eq!(shown["commit"], log[0].commit);
    assert_eq!(shown["path"], "notes/deep/plan.md");
    assert_eq!(
        (&shown["created"], &shown["lines_added"], &shown["lines_removed"]),
        (&json!(true), &json!(2), &json!(0))
    );
    // What it wrote it knows: an edit needs no read.
    let output = desk.edit("notes/deep/plan.md", "two", "2").unwrap();
    assert_eq!(desk.log().len(), 2);
    assert_eq!(desk.log()[0].message, "file_edit notes/deep/plan.md");
    let diff = metadata(&output)["diff"].as_str().unwrap();
    assert!(diff.contains("-two\n+2\n"), "{diff}");
    desk.write("notes/deep/plan.md", "three\n").unwrap();
    assert_eq!(desk.log().len(), 3);
    let output = desk.write("notes/deep/plan.md", "three\n").unwrap();
    assert_eq!(desk.log().len(), 3, "an unchanged write makes no commit");
    assert!(output.content.contains("already"), "{}", output.content);
    // No temporary file is left behind.
    assert_eq!(fs::read_dir(desk.folder().join("notes/deep")).unwrap().count(), 1);
}

#[test]
fn a_read_shows_the_lines_after_a_write() {
    let desk = Desk::new();
    desk.write("a.md", "one\n").unwrap();
    assert_eq!(desk.read("a.md").unwrap().content, "     1\tone\n", "a write shows no numbered lines");
    desk.edit("a.md", "one", "two").unwrap();
    assert_eq!(desk.read("a.md").unwrap().content, "     1\ttwo\n");
}

#[test]
fn a_file_that_was_not_read_is_not_overwritten() {
    let desk = Desk::new();
    desk.put("a.md", "the user's own\n");
    for outcome in [desk.write("a.md", "x"), desk.edit("a.md", "user", "x")] {
        assert!(refused(outcome).contains("have not read it"));
    }
    assert_eq!(desk.on_disk("a.md"), "the user's own\n");
    desk.grep(json!({"pattern": "own"})).unwrap();
    assert!(refused(desk.write("a.md", "x")).contains("have not read it"), "a match is no reading");
    desk.read("a.md").unwrap();
    desk.write("a.md", "mine\n").unwrap();
    assert_eq!(desk.on_disk("a.md"), "mine\n");
}

#[test]
fn a_file_that_changed_since_is_not_overwritten() {
    let desk = Desk::new();
    desk.write("a.md", "one\n").unwrap();
    desk.read("a.md").unwrap();
    desk.put("a.md", "two\n");
    for outcome in [desk.write("a.md", "x"), desk.edit("a.md", "two", "x")] {
        assert!(refused(outcome).contains("has changed since"));
    }
    assert_eq!(desk.on_disk("a.md"), "two\n");
    desk.read("a.md").unwrap();
    desk.edit("a.md", "two", "three").unwrap();
    assert_eq!(desk.on_disk("a.md"), "three\n");
}

#[test]
fn a_file_that_went_is_made_again() {
    let desk = Desk::new();
    desk.write("a.md", "one\n").unwrap();
    fs::remove_file(desk.folder().join("a.md")).unwrap();
    assert!(refused(desk.edit("a.md", "one", "x")).contains("There is no `a.md`"));
    desk.write("a.md", "two\n").unwrap();
    assert_eq!(desk.on_disk("a.md"), "two\n");
}

#[test]
fn each_context_has_to_read_for_itself() {
    let desk = Desk::new();
    desk.write("a.md", "one\n").unwrap();
    let mut child = desk.call();
    child.files = std::sync::Arc::default();
    let args = serde_json::from_value(json!({"path": "a.md", "content": "x"})).unwrap();
    assert!(refused(file_write::file_write(&child, args)).contains("have not read it"));
}

#[test]
fn folders_and_names_that_cannot_be_files_are_refused() {
    let desk = Desk::new();
    desk.put("notes/a.md", "x\n");
    assert!(refused(desk.write("notes", "x")).contains("is a folder"));
    assert!(refused(desk.write("new/", "x")).contains("is a folder"));
    assert!(refused(desk.write(".", "x")).contains("is a folder"));
    assert!(refused(desk.write("notes/a.md/b.md", "x")).contains("`notes/a.md` is a file"));
    assert!(refused(desk.edit("notes", "a", "b")).contains("is a folder"));
    assert!(desk.log().is_empty());
}

#[test]
fn an_edit_needs_an_exact_and_unique_text() {
    let desk = Desk::new();
    desk.write("a.md", "alpha\nbeta\nalpha\n").unwrap();
    let message = refused(desk.edit("a.md", "gamma", "x"));
    assert!(message.contains("occurs 0 times in `a.md`"), "{message}");
    let message = refused(desk.edit("a.md", "alpha", "x"));
    assert!(message.contains("occurs 2 times in `a.md`") && message.contains("replace_all"), "{message}");
    assert!(refused(desk.edit("a.md", "", "x")).contains("`old_string` is empty"));
    assert!(refused(desk.edit("a.md", "beta", "beta")).contains("nothing to change"));
    assert_eq!(desk.on_disk("a.md"), "alpha\nbeta\nalpha\n");
    assert_eq!(desk.log().len(), 1);
    desk.edit("a.md", "alpha\nbeta", "one").unwrap();
    assert_eq!(desk.on_disk("a.md"), "one\nalpha\n");
    let args = json!({"path": "a.md", "old_string": "a", "new_string": "", "replace_all": true});
    let output = desk.edit_with(args).unwrap();
    assert!(output.content.starts_with("Replaced 2 occurrences in `a.md`"), "{}", output.content);
    assert_eq!(desk.on_disk("a.md"), "one\nlph\n");
    assert_eq!(desk.log().len(), 3);
}

#[test]
fn an_edit_keeps_windows_line_ends() {
    let desk = Desk::new();
    desk.put("dos.txt", "one\r\ntwo\r\nthree\r\n");
    let shown = desk.read("dos.txt").unwrap().content;
    assert_eq!(shown, "     1\tone\n     2\ttwo\n     3\tthree\n[Lines end with CR LF; the CR is not shown.]");
    desk.edit("dos.txt", "one\ntwo", "1\n2").unwrap();
    assert_eq!(desk.on_disk("dos.txt"), "1\r\n2\r\nthree\r\n");
}

#[test]
fn an_edit_does_no_damage_to_other_encodings() {
    let desk = Desk::new();
    desk.put("latin1.txt", b"M\xfcnchen\n");
    desk.read("latin1.txt").unwrap();
    assert!(refused(desk.edit("latin1.txt", "nchen", "x")).contains("not UTF-8"));
}

#[test]
fn diffs_are_bounded() {
    let desk = Desk::new();
    let text = (0..20_000).map(|number| format!("line {number}\n")).collect::<String>();
    let output = desk.write("long.md", &text).unwrap();
    let shown = metadata(&output);
    assert_eq!((&shown["lines_added"], &shown["diff_truncated"]), (&json!(20_000), &json!(true)));
    assert!(shown["diff"].as_str().unwrap().len() <= 20_000);
    let message = refused(desk.write("too-long.md", &"x".repeat(33 * 1024 * 1024)));
    assert!(message.contains("too-long.md"), "{message}");
    let args = json!({"path": "long.md", "old_string": "l", "new_string": "x".repeat(1_000_000), "replace_all": true});
    assert!(refused(desk.edit_with(args)).contains("larger than"));
    assert_eq!(desk.log().len(), 1);
}

#[test]
fn a_stop_before_the_write_begins_writes_nothing() {
    let desk = Desk::new();
    let call = desk.call();
    call.cancel.cancel();
    let args = serde_json::from_value(json!({"path": "a.md", "content": "x"})).unwrap();
    assert!(refused(file_write::file_write(&call, args)).contains("Stopped"));
    assert!(!desk.folder().join("a.md").exists());
}
