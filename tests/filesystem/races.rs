//! Links swapped in between a check and its use.

use super::desk::{Desk, SECRET, said};
use almagest::workspace::path::RelPath;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

struct SetOnDrop<'s>(&'s AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Swaps two entries of a folder over and over while `work` runs: at any moment each name is the one or the other.
fn while_swapping(desk: &Desk, one: &str, other: &str, work: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let (one, other) = (desk.folder().join(one), desk.folder().join(other));
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let _stops_when_the_work_ends_or_fails = SetOnDrop(&stop);
        work();
    });
}

/// How often an attempt succeeded and how often it was refused.
fn race(attempts: usize, mut attempt: impl FnMut(usize) -> bool) {
    let done = (0..attempts).filter(|number| attempt(*number)).count();
    assert!(done > 0 && done < attempts, "no race took place: {done} of {attempts} attempts succeeded");
}

#[test]
fn a_link_swapped_in_while_tools_read_never_shows_the_outside() {
    for target in ["notes", "notes/a.md"] {
        let desk = Desk::new();
        desk.put("notes/a.md", "inside\n");
        symlink(desk.outside.path().join(target), desk.folder().join("link")).unwrap();
        while_swapping(&desk, target, "link", || {
            race(600, |number| {
                desk.files.clear();
                let outcome = match number % 3 {
                    0 => desk.read("notes/a.md"),
                    1 => desk.grep(json!({"pattern": ".", "path": "notes"})),
                    _ => desk.glob(json!({"pattern": "notes/**"})),
                };
                let text = said(&outcome);
                assert!(!text.contains(SECRET) && !text.contains("secret.md"), "{text}");
                outcome.is_ok_and(|output| output.content.contains("inside"))
            });
        });
    }
}

/// The tools' own work makes attempts slow; without it there are enough of them to hit a gap of microseconds, such as
/// that between a look at the last component and an open that follows links.
#[test]
fn a_link_swapped_in_while_a_file_is_opened_never_shows_the_outside() {
    for target in ["notes", "notes/a.md"] {
        let desk = Desk::new();
        desk.put("notes/a.md", "inside\n");
        symlink(desk.outside.path().join(target), desk.folder().join("link")).unwrap();
        let workspace = desk.workspaces.for_user(desk.user).unwrap();
        let path = RelPath::parse("notes/a.md").unwrap();
        while_swapping(&desk, target, "link", || {
            race(20_000, |_| match workspace.folder().read(&path) {
                Ok(Some((bytes, _, _))) => {
                    assert_eq!(bytes, b"inside\n");
                    true
                }
                Ok(None) | Err(_) => false,
            });
        });
    }
}

#[test]
fn a_link_swapped_in_while_writing_never_changes_the_outside() {
    for (target, path) in [("notes", "notes/a.md"), ("notes", "notes/new/b.md"), ("notes/a.md", "notes/a.md")] {
        let desk = Desk::new();
        desk.put("notes/a.md", "inside\n");
        symlink(desk.outside.path().join(target), desk.folder().join("link")).unwrap();
        let before = desk.outside_now();
        while_swapping(&desk, target, "link", || {
            let mut refusals = 0;
            for number in 0..100 {
                let _ = desk.read(path);
                let outcome = match number % 2 {
                    0 => desk.write(path, &format!("version {number}\n")),
                    _ => desk.edit(path, "version", "edition"),
                };
                assert!(!said(&outcome).contains(SECRET), "{}", said(&outcome));
                refusals += usize::from(outcome.is_err());
            }
            assert!(refusals > 0, "no race took place");
        });
        assert_eq!(desk.outside_now(), before, "{target}");
        // Nor does the history have what stands outside.
        let repo = git2::Repository::open(desk.folder()).unwrap();
        let odb = repo.odb().unwrap();
        odb.foreach(|id| {
            let object = odb.read(*id).unwrap();
            assert!(!String::from_utf8_lossy(object.data()).contains(SECRET));
            true
        })
        .unwrap();
    }
}
