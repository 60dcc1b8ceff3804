//! Undoing a commit.

use super::desk::{Desk, git_status, why};
use almagest::workspace::WorkspaceError;
use almagest::workspace::log::Why;
use std::fs;
use std::os::unix::fs::symlink;
use tempfile::TempDir;

#[test]
fn a_revert_takes_back_one_commit_and_keeps_what_came_later() {
    let desk = Desk::new();
    desk.write("a.md", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    desk.write("a.md", "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
    desk.write("a.md", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    let commit = desk.log()[1].commit.clone();
    let entry = desk.workspace().revert(&commit, &Why::outside("revert")).unwrap();
    assert_eq!(desk.read("a.md"), "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    assert_eq!(desk.log().len(), 4);
    assert_eq!(entry, desk.log()[0]);
    assert_eq!(entry.message, format!("revert {} (file_write a.md)", &commit[..10]));
    let again = desk.workspace().revert(&commit, &why()).unwrap_err();
    assert!(matches!(again, WorkspaceError::NothingToUndo), "{again}");
    assert_eq!(git_status(&desk.folder()), 0);
}

#[test]
fn a_revert_of_the_first_commit_removes_its_file_and_can_be_reverted() {
    let desk = Desk::new();
    desk.write("deep/down/a.md", "x");
    let created = desk.log()[0].commit.clone();
    let removed = desk.workspace().revert(&created, &why()).unwrap();
    assert!(!desk.folder().join("deep/down/a.md").exists());
    desk.workspace().revert(&removed.commit, &why()).unwrap();
    assert_eq!(desk.read("deep/down/a.md"), "x");
    assert_eq!(desk.log().len(), 3);
}

#[test]
fn a_revert_that_meets_later_changes_changes_nothing() {
    let desk = Desk::new();
    desk.write("a.md", "one\n");
    desk.write("a.md", "two\n");
    desk.write("a.md", "three\n");
    let error = desk.workspace().revert(&desk.log()[1].commit, &why()).unwrap_err();
    assert!(matches!(&error, WorkspaceError::Conflict(files) if files == &["a.md"]), "{error}");
    assert!(error.to_string().contains("later changes"), "{error}");
    assert_eq!(desk.read("a.md"), "three\n");
    assert_eq!(desk.log().len(), 3);
}

#[test]
fn a_revert_writes_through_no_link() {
    let desk = Desk::new();
    let outside = TempDir::new().unwrap();
    desk.write("notes/a.md", "one\n");
    desk.write("notes/a.md", "two\n");
    let commit = desk.log()[0].commit.clone();
    fs::rename(desk.folder().join("notes"), outside.path().join("notes")).unwrap();
    symlink(outside.path().join("notes"), desk.folder().join("notes")).unwrap();
    assert!(desk.workspace().revert(&commit, &why()).is_err());
    assert_eq!(fs::read_to_string(outside.path().join("notes/a.md")).unwrap(), "two\n");
}
