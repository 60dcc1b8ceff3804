//! Every way out that we know of: outside nothing is read and nothing is written.

use super::desk::{Desk, Outcome, SECRET, refused, said};
use almagest::ids::UserId;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;

/// All five tools on one path; what each said. A write that succeeds is fine as long as it stays inside.
fn try_everything(desk: &Desk, path: &str) -> Vec<(&'static str, Outcome)> {
    vec![
        ("read", desk.read(path)),
        ("grep", desk.grep(json!({"pattern": ".", "path": path}))),
        ("glob", desk.glob(json!({"pattern": "**/*", "path": path}))),
        ("glob pattern", desk.glob(json!({"pattern": format!("{path}/**")}))),
        ("write", desk.write(path, "overwritten")),
        ("edit", desk.edit(path, "SECRET", "overwritten")),
    ]
}

fn assert_sealed(desk: &Desk, path: &str) {
    let before = desk.outside_now();
    for (tool, outcome) in try_everything(desk, path) {
        let said = said(&outcome);
        assert!(!said.contains(SECRET), "{tool} {path}: {said}");
        assert!(!said.contains("secret.md") || path.contains("secret.md"), "{tool} {path} lists outside: {said}");
    }
    assert_eq!(desk.outside_now(), before, "{path}");
}

fn assert_all_refused(desk: &Desk, path: &str, because: &str) {
    let before = desk.outside_now();
    let commits = desk.log().len();
    for (tool, outcome) in try_everything(desk, path) {
        let message = refused(outcome);
        assert!(message.contains(because), "{tool} {path}: {message}");
        assert!(!message.contains(SECRET));
    }
    assert_eq!(desk.outside_now(), before, "{path}");
    assert_eq!(desk.log().len(), commits, "{path}");
}

#[rstest]
#[case("../secret.md", "`..`")]
#[case("notes/../../secret.md", "`..`")]
#[case("..", "`..`")]
#[case("library/../almagest.db", "`..`")]
#[case("library/tool-results/../x", "`..`")]
#[case("~/.ssh/id_rsa", "`~`")]
#[case("~", "`~`")]
#[case("~root/.bashrc", "`~`")]
#[case("a/~/b", "`~`")]
#[case("/etc/passwd", "outside")]
#[case("/", "outside")]
#[case("//etc/passwd", "outside")]
#[case("/proc/self/environ", "outside")]
#[case("/dev/zero", "outside")]
#[case("a\0b", "control character")]
#[case("a\nb", "control character")]
#[case("", "empty")]
#[case(".git/config", ".git")]
#[case(".git", ".git")]
#[case("./.git/HEAD", ".git")]
#[case("sub/.git/hooks/post-commit", ".git")]
#[case(".GIT/config", ".git")]
#[case(".git./config", ".git")]
#[case("git~1/config", ".git")]
fn a_path_that_breaks_a_rule_is_refused_by_every_tool(#[case] path: &str, #[case] because: &str) {
    let desk = Desk::new();
    if path.is_empty() {
        assert!(refused(desk.read(path)).contains(because));
        assert!(refused(desk.write(path, "x")).contains(because));
        return;
    }
    assert_all_refused(&desk, path, because);
}

#[test]
fn absolute_paths_work_inside_a_root_alone() {
    let desk = Desk::new();
    desk.put("notes/a.md", "inside\n");
    desk.put_data("library/b.md", "library\n");
    let absolute = |path: &str| desk.data.path().join(path).display().to_string();
    assert!(desk.read(&desk.folder().join("notes/a.md").display().to_string()).unwrap().content.contains("inside"));
    assert!(desk.read(&absolute("library/b.md")).unwrap().content.contains("library"));
    assert!(desk.write(&desk.folder().join("new.md").display().to_string(), "x").is_ok());
    let other = UserId::new();
    desk.put_data(&format!("workspace/{other}/a.md"), SECRET);
    desk.put_data("almagest.db", SECRET);
    desk.put_data("library-of-others/a.md", SECRET);
    for path in [
        desk.outside.path().join("secret.md").display().to_string(),
        absolute("almagest.db"),
        absolute(&format!("workspace/{other}/a.md")),
        absolute("workspace"),
        absolute(""),
        // A neighbour whose name begins with a root's: compared by component, not by text.
        absolute("library-of-others/a.md"),
        format!("{}x/a.md", desk.folder().display()),
    ] {
        assert_all_refused(&desk, &path, "outside");
    }
    let reserved = desk.folder().join("library/x.md").display().to_string();
    assert!(refused(desk.write(&reserved, "x")).contains("name of another root"));
}

#[test]
fn backslashes_are_refused_and_mean_nothing_in_a_wildcard() {
    let desk = Desk::new();
    assert_sealed(&desk, "..\\..\\secret.md");
    for outcome in [desk.read("..\\secret.md"), desk.write("notes\\a.md", "x"), desk.edit("a\\b", "x", "y")] {
        assert!(refused(outcome).contains("Separate folders with `/`"));
    }
    assert!(desk.log().is_empty());
}

#[test]
fn over_long_paths_are_refused() {
    let desk = Desk::new();
    for path in ["a".repeat(256), "a/".repeat(40_000), format!("{}/x", "b/".repeat(60))] {
        assert!(refused(desk.read(&path)).contains("too long"));
        assert!(refused(desk.write(&path, "x")).contains("too long"));
    }
}

#[rstest]
#[case("%2e%2e/secret.md")]
#[case("..%2fsecret.md")]
#[case("．．/secret.md")]
#[case("‥/secret.md")]
#[case("．/．．/secret.md")]
#[case("․․/secret.md")]
#[case("..\u{200b}/secret.md")]
#[case("....//secret.md")]
#[case("file:secret.md")]
#[case("$HOME/secret.md")]
fn encoded_and_look_alike_names_are_just_names(#[case] path: &str) {
    let desk = Desk::new();
    fs::write(desk.data.path().join("workspace/secret.md"), SECRET).unwrap();
    fs::write(desk.data.path().join("secret.md"), SECRET).unwrap();
    assert_sealed(&desk, path);
    assert!(desk.log().len() <= 1);
    assert_eq!(fs::read_to_string(desk.data.path().join("workspace/secret.md")).unwrap(), SECRET);
}

#[test]
fn links_that_lead_outside_are_not_used() {
    let desk = Desk::new();
    let link = |to: &std::path::Path, name: &str| symlink(to, desk.folder().join(name)).unwrap();
    link(&desk.outside.path().join("secret.md"), "file");
    link(desk.outside.path(), "folder");
    link("..".as_ref(), "up");
    link("../../../../../../../../etc".as_ref(), "far");
    link("folder".as_ref(), "twice");
    link("/proc/self/root".as_ref(), "magic");
    link(&desk.outside.path().join("not-there"), "dangling");
    fs::create_dir(desk.folder().join("sub")).unwrap();
    link(&desk.folder().join("../../workspace/../../../../.."), "sub/dots");
    for path in [
        "file",
        "folder",
        "folder/secret.md",
        "folder/notes/secret.md",
        "folder/new.md",
        "up",
        "up/x",
        "far/passwd",
        "twice/secret.md",
        "twice/new/deep.md",
        "magic/etc/passwd",
        "dangling",
        "dangling/x",
        "sub/dots/x",
    ] {
        assert_all_refused(&desk, path, "symbolic link");
    }
    // A search that meets them passes over them.
    let all = said(&desk.grep(json!({"pattern": "."}))) + &said(&desk.glob(json!({"pattern": "**/*"})));
    assert!(!all.contains(SECRET) && !all.contains("secret.md"), "{all}");
}

#[test]
fn links_into_git_or_to_other_users_results_are_not_used() {
    let desk = Desk::new();
    let other = UserId::new();
    desk.put_data(&format!("library/tool-results/{other}/call_1.txt"), SECRET);
    symlink(".git", desk.folder().join("history")).unwrap();
    symlink("tool-results", desk.data.path().join("library/results")).unwrap();
    symlink(format!("tool-results/{other}"), desk.data.path().join("library/theirs")).unwrap();
    for path in ["history/config", "history", "library/results", "library/theirs/call_1.txt"] {
        for (tool, outcome) in try_everything(&desk, path) {
            let message = refused(outcome);
            assert!(!message.contains(SECRET), "{tool} {path}");
        }
    }
}

#[test]
fn links_that_go_round_end() {
    let desk = Desk::new();
    symlink("b", desk.folder().join("a")).unwrap();
    symlink("a", desk.folder().join("b")).unwrap();
    symlink("self/x", desk.folder().join("self")).unwrap();
    assert_all_refused(&desk, "a", "too many symbolic links");
    assert_all_refused(&desk, "self/y", "");
}

#[test]
fn links_inside_their_folder_are_read_and_never_written_through() {
    let desk = Desk::new();
    desk.put("real/a.md", "inside\n");
    symlink("real/a.md", desk.folder().join("relative.md")).unwrap();
    symlink(desk.folder().join("real"), desk.folder().join("absolute")).unwrap();
    symlink("../real/a.md", desk.folder().join("real/../up-and-down.md")).ok();
    fs::create_dir(desk.folder().join("sub")).unwrap();
    symlink("../real/a.md", desk.folder().join("sub/back.md")).unwrap();
    for path in ["relative.md", "absolute/a.md", "sub/back.md"] {
        desk.files.clear();
        let output = desk.read(path).unwrap();
        assert!(output.content.contains("inside"), "{path}");
        assert_eq!(output.metadata.unwrap()["path"], "real/a.md", "{path}");
        assert!(refused(desk.write(path, "x")).contains("symbolic link"), "{path}");
        assert!(refused(desk.edit(path, "inside", "x")).contains("symbolic link"), "{path}");
    }
    assert!(refused(desk.write("absolute/new.md", "x")).contains("symbolic link"));
    assert_eq!(desk.on_disk("real/a.md"), "inside\n");
}

#[test]
fn other_users_tool_results_are_out_of_reach() {
    let desk = Desk::new();
    let other = UserId::new();
    desk.put_data(&format!("library/tool-results/{other}/call_1.txt"), SECRET);
    desk.put_data(&format!("library/tool-results/{}/call_2.txt", desk.user), "mine\n");
    assert!(desk.read("library/tool-results/call_2.txt").unwrap().content.contains("mine"));
    let absolute = desk.data.path().join("library/tool-results");
    assert!(desk.read(&absolute.join(format!("{}/call_2.txt", desk.user)).display().to_string()).is_ok());
    for path in [
        format!("library/tool-results/{other}/call_1.txt"),
        absolute.join(format!("{other}/call_1.txt")).display().to_string(),
        absolute.join(other.to_string()).display().to_string(),
        absolute.display().to_string(),
    ] {
        assert_sealed(&desk, &path);
        refused(desk.read(&path));
    }
    let everything = said(&desk.grep(json!({"pattern": ".", "path": "library"})))
        + &said(&desk.glob(json!({"pattern": "library/**"})))
        + &said(&desk.glob(json!({"pattern": "**/*", "path": "library"})));
    assert!(everything.contains("library/tool-results/call_2.txt"), "{everything}");
    assert!(!everything.contains(SECRET) && !everything.contains(&other.to_string()), "{everything}");
}

#[test]
fn the_library_and_the_skills_are_not_written() {
    let desk = Desk::new();
    desk.put_data("library/a.md", "library\n");
    desk.put_data("skills/review/SKILL.md", "skill\n");
    for (path, reason) in [("library/a.md", "read only"), ("skills/review/SKILL.md", "consent")] {
        assert!(desk.read(path).is_ok());
        assert!(refused(desk.write(path, "x")).contains(reason));
        assert!(refused(desk.edit(path, "l", "x")).contains(reason));
        let absolute = desk.data.path().join(path).display().to_string();
        assert!(refused(desk.write(&absolute, "x")).contains(reason));
    }
    assert!(refused(desk.write("library/tool-results/x.txt", "x")).contains("read only"));
    assert_eq!(fs::read_to_string(desk.data.path().join("library/a.md")).unwrap(), "library\n");
}

#[test]
fn what_is_no_regular_file_is_refused_without_waiting() {
    let desk = Desk::new();
    let at = |name: &str| desk.folder().join(name);
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    let _listener = UnixListener::bind(at("socket")).unwrap();
    // Devices need a privilege that not every machine gives to its tests; a pipe goes the same way.
    let device = Command::new("mknod").arg(at("zero")).args(["c", "1", "5"]).output().unwrap().status.success();
    for name in ["pipe", "socket"].into_iter().chain(device.then_some("zero")) {
        for outcome in [desk.read(name), desk.write(name, "x"), desk.edit(name, "a", "b")] {
            assert!(refused(outcome).contains("not a regular file"), "{name}");
        }
        assert!(refused(desk.grep(json!({"pattern": "x", "path": name}))).contains("not a regular file"));
    }
    // Nor do walks, ignore files and the recovery at the next start wait for one.
    assert!(Command::new("mkfifo").arg(at(".gitignore")).status().unwrap().success());
    desk.grep(json!({"pattern": "x"})).unwrap();
    desk.glob(json!({"pattern": "**/*"})).unwrap();
    let again = almagest::workspace::Workspaces::open(desk.data.path()).unwrap();
    again.for_user(desk.user).unwrap();
}

#[test]
fn an_ignore_file_that_is_a_link_is_not_read() {
    let desk = Desk::new();
    desk.put("a.md", "needle\n");
    fs::write(desk.outside.path().join("rules"), "*.md\n").unwrap();
    symlink(desk.outside.path().join("rules"), desk.folder().join(".gitignore")).unwrap();
    assert!(desk.grep(json!({"pattern": "needle"})).unwrap().content.contains("a.md"));
}

fn component() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "..", ".", "", "~", "notes", "a.md", "out", "in", "up", ".git", "config", "library", "skills", "tool-results",
            "secret.md", "%2e%2e", "．．", "etc", "passwd", "\0", "\\", "..\\..", "~root", " ", "...",
        ]).prop_map(str::to_owned),
        1 => "\\PC{0,8}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_path_leads_outside(components in prop::collection::vec(component(), 0..7), start in 0..4_usize) {
        thread_local!(static DESK: Desk = {
            let desk = Desk::new();
            desk.put("notes/a.md", "inside\n");
            symlink(desk.outside.path(), desk.folder().join("out")).unwrap();
            symlink("..", desk.folder().join("up")).unwrap();
            symlink("notes", desk.folder().join("in")).unwrap();
            fs::write(desk.data.path().join("secret.md"), SECRET).unwrap();
            fs::write(desk.data.path().join("workspace/secret.md"), SECRET).unwrap();
            desk.put_data(&format!("library/tool-results/{}/secret.md", UserId::new()), SECRET);
            desk
        });
        DESK.with(|desk| {
            let prefix = match start {
                0 => String::new(),
                1 => format!("{}/", desk.folder().display()),
                2 => format!("{}/", desk.data.path().display()),
                _ => format!("{}/", desk.outside.path().display()),
            };
            let path = format!("{prefix}{}", components.join("/"));
            let before = desk.outside_now();
            let above = fs::read_dir(desk.data.path().join("workspace")).unwrap().count();
            for (tool, outcome) in try_everything(desk, &path) {
                assert!(!said(&outcome).contains(SECRET), "{tool} {path:?}: {}", said(&outcome));
            }
            assert_eq!(desk.outside_now(), before, "{path:?}");
            assert_eq!(fs::read_dir(desk.data.path().join("workspace")).unwrap().count(), above, "{path:?}");
            assert!(fs::read_to_string(desk.folder().join(".git/config")).unwrap().starts_with("[core]"));
        });
    }
}
