//! What a crash, another program or a full disk leaves, and how it is made good.

use super::desk::{Desk, git_status, path, why};
use almagest::workspace::log::Why;
use almagest::workspace::{Recorded, Workspaces};
use std::fs;
use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

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
fn an_unwritable_data_folder_is_named() {
    let data = TempDir::new().unwrap();
    fs::write(data.path().join("library"), "in the way").unwrap();
    let Err(error) = Workspaces::open(data.path()) else { panic!("it was opened") };
    assert!(error.to_string().contains("library") && error.to_string().contains("data folder"), "{error}");
}
