//! Writing, the log and its diffs.

use super::desk::{Desk, git_status, path, why};
use almagest::ids::{SessionId, UserId};
use almagest::workspace::log::{ChangeKind, Why};
use almagest::workspace::{Recorded, WorkspaceError};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn each_write_is_one_commit_that_names_what_and_why() {
    let desk = Desk::new();
    let session = SessionId::new();
    let written = desk.workspace().write(&path("notes/plan.md"), b"one\n", &Why::new("file_write", session)).unwrap();
    let Recorded::Commit(id) = written.recorded else { panic!("{:?}", written.recorded) };
    let log = desk.log();
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].commit, id);
    assert_eq!(log[0].message, "file_write notes/plan.md");
    assert_eq!(log[0].files, ["notes/plan.md"]);
    assert_eq!(log[0].session_id, Some(session));
    assert!(matches!(desk.write("notes/plan.md", "two\n"), Recorded::Commit(_)));
    assert!(matches!(desk.write("b.md", "b\n"), Recorded::Commit(_)));
    assert_eq!(desk.log().len(), 3);
    assert_eq!(git_status(&desk.folder()), 0, "somebody who uses git in the folder sees a clean one");
    let repo = git2::Repository::open(desk.folder()).unwrap();
    let head = repo.head().unwrap().peel_to_commit().unwrap();
    assert_eq!(head.author().name().unwrap(), "Almagest");
    assert!(head.message().unwrap().starts_with("file_write b.md"));
}

#[test]
fn an_unchanged_write_makes_no_commit() {
    let desk = Desk::new();
    desk.write("a.md", "same");
    let before = fs::metadata(desk.folder().join("a.md")).unwrap().modified().unwrap();
    assert_eq!(desk.write("a.md", "same"), Recorded::Unchanged);
    assert_eq!(desk.log().len(), 1);
    assert_eq!(fs::metadata(desk.folder().join("a.md")).unwrap().modified().unwrap(), before);
}

#[test]
fn team_folders_are_written_without_a_commit() {
    let desk = Desk::new();
    assert_eq!(desk.write("team/inbox.jsonl", "{}\n"), Recorded::Unversioned);
    assert!(desk.log().is_empty());
    let desk = desk.restarted();
    assert!(desk.log().is_empty(), "nor does the recovery at the next start commit them");
}

#[test]
fn names_of_other_roots_are_refused_at_the_top() {
    let desk = Desk::new();
    for at in ["library", "library/a.md", "skills/x/SKILL.md"] {
        let error = desk.workspace().write(&path(at), b"x", &why()).unwrap_err();
        assert!(matches!(error, WorkspaceError::Reserved(_)), "{error}");
    }
    assert!(matches!(desk.write("notes/library/a.md", "x"), Recorded::Commit(_)));
}

#[test]
fn writers_of_one_user_take_turns() {
    let desk = Desk::new();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let desk = &desk;
            scope.spawn(move || {
                for turn in 0..5 {
                    desk.write(&format!("w{writer}/{turn}.md"), "x");
                    desk.workspace()
                        .update(&path("shared.md"), &why(), |present| {
                            let mut bytes = present.map_or_else(Vec::new, |present| present.bytes.clone());
                            bytes.extend_from_slice(format!("{writer}.{turn}\n").as_bytes());
                            Ok::<_, WorkspaceError>(bytes)
                        })
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(desk.log().len(), 40);
    assert_eq!(desk.read("shared.md").lines().count(), 20, "no update was lost");
}

#[test]
fn users_have_folders_and_histories_of_their_own() {
    let desk = Desk::new();
    desk.write("a.md", "mine");
    let other = desk.workspaces.for_user(UserId::new()).unwrap();
    assert!(other.log(None, 10).unwrap().items.is_empty());
    let commit = desk.log()[0].commit.clone();
    assert!(matches!(other.diff(&commit), Err(WorkspaceError::NoCommit(_))));
    assert!(matches!(other.revert(&commit, &why()), Err(WorkspaceError::NoCommit(_))));
}

#[test]
fn the_log_comes_in_pages() {
    let desk = Desk::new();
    for number in 0..5 {
        desk.write("a.md", &number.to_string());
    }
    let whole = desk.log();
    let mut paged = Vec::new();
    let mut cursor = None;
    loop {
        let page = desk.workspace().log(cursor.as_deref(), 2).unwrap();
        paged.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(paged, whole);
    assert!(matches!(desk.workspace().log(Some("HEAD~1"), 2), Err(WorkspaceError::NoCommit(_))));
}

#[test]
fn a_diff_shows_each_file() {
    let desk = Desk::new();
    desk.write("a.md", "one\ntwo\n");
    desk.write("a.md", "one\n2\nthree\n");
    desk.workspace().write(&path("blob.bin"), &[0, 1, 2, 0], &why()).unwrap();
    let log = desk.log();
    let diff = desk.workspace().diff(&log[1].commit).unwrap();
    assert_eq!(diff.entry, log[1]);
    assert_eq!(diff.changes.len(), 1);
    let change = &diff.changes[0];
    assert_eq!((change.lines_added, change.lines_removed, change.change), (2, 1, ChangeKind::Modified));
    assert!(change.diff.contains("-two\n+2\n+three\n"), "{}", change.diff);
    let first = desk.workspace().diff(&log[2].commit).unwrap();
    assert_eq!(first.changes[0].change, ChangeKind::Added);
    let binary = desk.workspace().diff(&log[0].commit).unwrap();
    assert!(binary.changes[0].binary && binary.changes[0].diff.is_empty());
    for unknown in ["", "HEAD", "abc", &"0".repeat(40), "../../etc", &"é".repeat(20)] {
        assert!(matches!(desk.workspace().diff(unknown), Err(WorkspaceError::NoCommit(_))), "{unknown}");
    }
}

#[test]
fn modes_survive_a_write() {
    let desk = Desk::new();
    desk.write("run.sh", "one");
    fs::set_permissions(desk.folder().join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    desk.write("run.sh", "two");
    let mode = fs::metadata(desk.folder().join("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
    assert_eq!(git_status(&desk.folder()), 0);
}

#[test]
fn names_that_git_refuses_are_refused_before_anything_is_written() {
    // What a path may be, the history can take: no name may pass the first and fail at the second.
    let desk = Desk::new();
    for at in
        ["con.txt", "a:b", "aux", "trailing.", "blank ", "-x", "*?", "{}", "é", "．．", "%2e%2e", "a~1", ".gitmodules"]
    {
        assert!(matches!(desk.write(at, "x"), Recorded::Commit(_)), "{at}");
    }
}

#[tokio::test]
async fn the_routes_functions_do_their_work_on_the_blocking_pool() {
    let desk = Desk::new();
    desk.write("a.md", "one\n");
    desk.write("a.md", "two\n");
    let log = desk.workspaces.log(desk.user, None, 10).await.unwrap();
    assert_eq!(log.items.len(), 2);
    let commit = log.items[0].commit.clone();
    assert_eq!(desk.workspaces.diff(desk.user, commit.clone()).await.unwrap().changes.len(), 1);
    let session = SessionId::new();
    let entry = desk.workspaces.revert(desk.user, commit, Some(session)).await.unwrap();
    assert_eq!(entry.session_id, Some(session));
    assert_eq!(desk.read("a.md"), "one\n");
}
