//! The versioned workspace: one commit for each write, undoing, and what is left after faults. Real folders, real git.

#![expect(clippy::unwrap_used, reason = "helpers of tests; the lint knows test functions alone")]

use almagest::ids::{SessionId, UserId};
use almagest::workspace::log::{ChangeKind, LogEntry, Why};
use almagest::workspace::path::RelPath;
use almagest::workspace::{Recorded, Workspace, WorkspaceError, Workspaces};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

struct Desk {
    data: TempDir,
    user: UserId,
    workspaces: Workspaces,
}

impl Desk {
    fn new() -> Self {
        let data = TempDir::new().unwrap();
        let workspaces = Workspaces::open(data.path()).unwrap();
        Self { user: UserId::new(), workspaces, data }
    }

    fn workspace(&self) -> Arc<Workspace> {
        self.workspaces.for_user(self.user).unwrap()
    }

    /// As after a restart of the server.
    fn restarted(self) -> Self {
        let workspaces = Workspaces::open(self.data.path()).unwrap();
        Self { workspaces, ..self }
    }

    fn folder(&self) -> PathBuf {
        self.data.path().join("workspace").join(self.user.to_string())
    }

    fn log(&self) -> Vec<LogEntry> {
        self.workspace().log(None, 1000).unwrap().items
    }

    fn messages(&self) -> Vec<String> {
        self.log().into_iter().map(|entry| entry.message).collect()
    }

    fn write(&self, at: &str, text: &str) -> Recorded {
        self.workspace().write(&path(at), text.as_bytes(), &why()).unwrap().recorded
    }

    fn read(&self, at: &str) -> String {
        fs::read_to_string(self.folder().join(at)).unwrap()
    }
}

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

fn why() -> Why {
    Why::outside("file_write")
}

fn git_status(folder: &Path) -> usize {
    let repo = git2::Repository::open(folder).unwrap();
    let statuses = repo.statuses(Some(git2::StatusOptions::new().include_untracked(true))).unwrap();
    statuses.len()
}

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
fn what_a_crash_left_uncommitted_is_committed_at_the_next_start() {
    let desk = Desk::new();
    desk.write("a.md", "one");
    desk.write("gone.md", "x");
    // Between the rename and the commit.
    fs::write(desk.folder().join("a.md"), "two").unwrap();
    fs::create_dir(desk.folder().join("new")).unwrap();
    fs::write(desk.folder().join("new/b.md"), "b").unwrap();
    fs::remove_file(desk.folder().join("gone.md")).unwrap();
    // In the middle of a write.
    fs::write(desk.folder().join("new/.almagest-writing-0192"), "half").unwrap();
    let desk = desk.restarted();
    let log = desk.log();
    assert_eq!(log[0].message, "recovered changes that were not committed");
    assert_eq!(log[0].files, ["a.md", "gone.md", "new/b.md"]);
    assert_eq!(log.len(), 3);
    assert!(!desk.folder().join("new/.almagest-writing-0192").exists());
    let desk = desk.restarted();
    assert_eq!(desk.log().len(), 3, "nothing is left for the start after");
}

#[test]
fn a_version_that_somebody_edited_by_hand_is_kept_before_it_is_overwritten() {
    let desk = Desk::new();
    desk.write("a.md", "one\n");
    fs::write(desk.folder().join("a.md"), "by hand\n").unwrap();
    desk.write("a.md", "two\n");
    assert_eq!(desk.messages(), ["file_write a.md", "recovered a.md", "file_write a.md"]);
    let undone = desk.workspace().revert(&desk.log()[0].commit, &Why::outside("revert")).unwrap();
    assert_eq!(desk.read("a.md"), "by hand\n");
    assert!(undone.message.starts_with("revert "), "{}", undone.message);
}

#[test]
fn a_write_that_the_history_cannot_take_now_is_taken_later() {
    let desk = Desk::new();
    desk.write("a.md", "one");
    let lock = desk.folder().join(".git/refs/heads/main.lock");
    fs::write(&lock, "").unwrap();
    // Another program's lock, and a fresh one each time it is looked at.
    let held = fs::File::options().write(true).open(&lock).unwrap();
    held.set_modified(SystemTime::now() + Duration::from_secs(3600)).unwrap();
    let written = desk.workspace().write(&path("a.md"), b"two", &why()).unwrap();
    let Recorded::Pending(reason) = written.recorded else { panic!("{:?}", written.recorded) };
    assert!(reason.contains("locked by another program"), "{reason}");
    assert_eq!(desk.read("a.md"), "two");
    fs::remove_file(&lock).unwrap();
    desk.write("b.md", "b");
    assert_eq!(desk.messages(), ["file_write b.md", "recovered changes that were not committed", "file_write a.md"]);
}

#[test]
fn lock_files_that_a_crash_left_do_not_stop_writing() {
    let desk = Desk::new();
    desk.write("a.md", "one");
    for name in [".git/index.lock", ".git/HEAD.lock", ".git/refs/heads/main.lock"] {
        let lock = fs::File::create(desk.folder().join(name)).unwrap();
        lock.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    }
    assert!(matches!(desk.write("a.md", "two"), Recorded::Commit(_)));
    assert_eq!(git_status(&desk.folder()), 0);
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

#[test]
fn the_recovery_follows_no_link() {
    let desk = Desk::new();
    desk.write("a.md", "x");
    let outside = TempDir::new().unwrap();
    fs::write(outside.path().join("secret.txt"), "TOP-SECRET").unwrap();
    symlink(outside.path(), desk.folder().join("folder")).unwrap();
    symlink(outside.path().join("secret.txt"), desk.folder().join("file")).unwrap();
    let desk = desk.restarted();
    assert_eq!(desk.log()[0].files, ["file", "folder"], "the links are kept, as links");
    let repo = git2::Repository::open(desk.folder()).unwrap();
    repo.odb()
        .unwrap()
        .foreach(|id| {
            let odb = repo.odb().unwrap();
            let object = odb.read(*id).unwrap();
            assert!(!object.data().windows(10).any(|part| part == b"TOP-SECRET"));
            true
        })
        .unwrap();
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
fn a_file_too_large_to_version_is_neither_committed_nor_lost() {
    let desk = Desk::new();
    desk.write("a.md", "x");
    let large = fs::File::create(desk.folder().join("large.fits")).unwrap();
    large.set_len(40 * 1024 * 1024).unwrap();
    let desk = desk.restarted();
    assert_eq!(desk.log().len(), 1);
    let error = desk.workspace().write(&path("large.fits"), b"x", &why()).unwrap_err();
    assert!(error.to_string().contains("large.fits") && error.to_string().contains("over"), "{error}");
}

#[test]
fn a_history_that_is_a_link_or_a_file_is_not_used() {
    for link in [true, false] {
        let desk = Desk::new();
        fs::create_dir_all(desk.folder()).unwrap();
        let outside = TempDir::new().unwrap();
        match link {
            true => symlink(outside.path(), desk.folder().join(".git")).unwrap(),
            false => fs::write(desk.folder().join(".git"), format!("gitdir: {}", outside.path().display())).unwrap(),
        }
        let error = desk.workspace().write(&path("a.md"), b"x", &why()).unwrap_err();
        assert!(error.to_string().contains(".git"), "{error}");
        assert!(!desk.folder().join("a.md").exists());
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}

#[test]
fn a_broken_history_keeps_files_readable_and_is_used_again_once_it_is_whole() {
    let desk = Desk::new();
    desk.write("a.md", "one");
    let git = desk.folder().join(".git");
    let head = fs::read(git.join("HEAD")).unwrap();
    fs::write(git.join("HEAD"), "rubbish").unwrap();
    let desk = desk.restarted();
    let (bytes, _, _) = desk.workspace().folder().read(&path("a.md")).unwrap().unwrap();
    assert_eq!(bytes, b"one");
    let error = desk.workspace().write(&path("a.md"), b"two", &why()).unwrap_err();
    assert!(error.to_string().contains("history"), "{error}");
    assert_eq!(desk.read("a.md"), "one", "what cannot be undone is not done");
    fs::write(git.join("HEAD"), head).unwrap();
    assert!(matches!(desk.write("a.md", "two"), Recorded::Commit(_)));
    assert_eq!(desk.log().len(), 2);
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

#[test]
fn an_unwritable_data_folder_is_named() {
    let data = TempDir::new().unwrap();
    fs::write(data.path().join("library"), "in the way").unwrap();
    let Err(error) = Workspaces::open(data.path()) else { panic!("it was opened") };
    assert!(error.to_string().contains("library") && error.to_string().contains("data folder"), "{error}");
}
