//! `grep_files` and `glob_files`.

use super::desk::{Desk, metadata, refused};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::fs;
use std::time::{Duration, SystemTime};

fn desk() -> Desk {
    let desk = Desk::new();
    desk.put("notes/trappist.md", "# TRAPPIST-1 b\n\nNo thick CO2 atmosphere.\nSecondary eclipse at 15 um.\n");
    desk.put("notes/deep/gj1214.md", "GJ 1214 b has a thick haze.\n");
    desk.put("plan.txt", "read about atmospheres\n");
    desk.put("data.bin", b"atmosphere\0atmosphere\n");
    desk.put_data("library/paper.md", "An atmosphere in the library.\n");
    desk
}

#[test]
fn matches_have_their_path_and_line() {
    let desk = desk();
    let output = desk.grep(json!({"pattern": "(?i)ATMOSPHERE"})).unwrap();
    assert_eq!(output.content, "notes/trappist.md:3:No thick CO2 atmosphere.\nplan.txt:1:read about atmospheres");
    assert_eq!(metadata(&output), &json!({"path": ".", "matches": 2, "files": 2, "truncated": false}));
    let output = desk.grep(json!({"pattern": "atmosphere", "path": "library"})).unwrap();
    assert_eq!(output.content, "library/paper.md:1:An atmosphere in the library.");
    let output = desk.grep(json!({"pattern": "thick", "path": "notes/deep/gj1214.md"})).unwrap();
    assert_eq!(output.content, "notes/deep/gj1214.md:1:GJ 1214 b has a thick haze.");
    let output = desk.grep(json!({"pattern": "nothing like it"})).unwrap();
    assert_eq!(output.content, "No match for `nothing like it` in `.`.");
}

#[test]
fn context_is_marked_as_ripgrep_does() {
    let desk = Desk::new();
    desk.put("a.txt", "1\n2 hit\n3\n4\n5\n6 hit\n7\n");
    let output = desk.grep(json!({"pattern": "hit", "context": 1})).unwrap();
    assert_eq!(output.content, "a.txt-1-1\na.txt:2:2 hit\na.txt-3-3\n--\na.txt-5-5\na.txt:6:6 hit\na.txt-7-7");
    let output = desk.grep(json!({"pattern": "hit", "context": 1, "max_results": 1})).unwrap();
    assert!(output.content.starts_with("a.txt-1-1\na.txt:2:2 hit\na.txt-3-3\n[There is more"), "{}", output.content);
}

#[test]
fn a_glob_filters_names_or_paths() {
    let desk = desk();
    let files = |glob: &str, path: &str| {
        let output = desk.grep(json!({"pattern": "thick", "glob": glob, "path": path})).unwrap();
        metadata(&output)["files"].as_u64().unwrap()
    };
    assert_eq!(files("*.md", "."), 2);
    assert_eq!(files("*.txt", "."), 0);
    assert_eq!(files("notes/*.md", "."), 1);
    assert_eq!(files("deep/*.md", "notes"), 1);
    assert_eq!(files("**/*.{md,txt}", "."), 2);
    assert!(refused(desk.grep(json!({"pattern": "x", "glob": "a{b"}))).contains("wildcard"));
}

#[test]
fn results_are_capped() {
    let desk = Desk::new();
    desk.put("a.txt", "hit\n".repeat(300));
    let output = desk.grep(json!({"pattern": "hit"})).unwrap();
    assert_eq!(metadata(&output)["matches"], 100);
    assert_eq!(metadata(&output)["truncated"], true);
    assert!(
        output.content.ends_with("[There is more than these 100 matches. Narrow the pattern, the path or the glob.]")
    );
    let output = desk.grep(json!({"pattern": "hit", "max_results": 300})).unwrap();
    assert_eq!(metadata(&output)["matches"], 300);
    assert_eq!(metadata(&output)["truncated"], false);
    desk.put("wide.txt", format!("{}\n", "hit ".repeat(10_000)).repeat(500));
    let output = desk.grep(json!({"pattern": "hit", "path": "wide.txt", "max_results": 2000})).unwrap();
    assert!(output.content.len() < 24_000 && metadata(&output)["truncated"] == true);
}

#[test]
fn a_bad_expression_is_explained() {
    let desk = desk();
    let message = refused(desk.grep(json!({"pattern": "a(b"})));
    assert!(message.contains("unclosed group") && message.contains("backslash"), "{message}");
    assert!(refused(desk.grep(json!({"pattern": "a\\nb"}))).contains("line by line"));
    assert!(refused(desk.grep(json!({"pattern": ""}))).contains("empty"));
    assert!(refused(desk.grep(json!({"pattern": "(a{1000}){1000}{1000}"}))).contains("not a regular expression"));
    assert_eq!(refused(desk.grep(json!({"pattern": "x", "path": "nowhere"}))), "There is no `nowhere`.");
}

#[test]
fn ignore_rules_hold_and_can_be_overruled() {
    let desk = desk();
    desk.put(".gitignore", "*.log\n/build\n");
    desk.put("a.log", "thick\n");
    desk.put("build/x.md", "thick\n");
    desk.put("notes/build/y.md", "thick\n");
    desk.put("notes/.ignore", "!keep.log\n");
    desk.put("notes/keep.log", "thick\n");
    let output = desk.grep(json!({"pattern": "^thick"})).unwrap();
    assert_eq!(output.content, "notes/build/y.md:1:thick\nnotes/keep.log:1:thick");
    let output = desk.grep(json!({"pattern": "^thick", "path": "notes/build"})).unwrap();
    assert_eq!(metadata(&output)["matches"], 1, "rules of the folders above hold below, anchored where they stand");
    let output = desk.grep(json!({"pattern": "^thick", "path": "a.log"})).unwrap();
    assert_eq!(metadata(&output)["matches"], 1, "a file that is named is searched");
    let output = desk.glob(json!({"pattern": "**/*.log"})).unwrap();
    assert_eq!(metadata(&output)["total"], 2, "a listing leaves nothing out");
}

#[test]
fn the_history_is_not_searched() {
    let desk = desk();
    desk.write("new.md", "thick\n").unwrap();
    let all = desk.glob(json!({"pattern": "**/*"})).unwrap();
    assert!(!all.content.contains(".git/"), "{}", all.content);
    assert!(!desk.grep(json!({"pattern": "Almagest"})).unwrap().content.contains(".git"));
}

#[test]
fn a_listing_is_newest_first() {
    let desk = Desk::new();
    let now = SystemTime::now();
    for (name, age) in [("old.md", 300), ("notes/new.md", 10), ("middle.md", 100), ("other.txt", 1)] {
        desk.put(name, "x");
        let file = fs::File::options().write(true).open(desk.folder().join(name)).unwrap();
        file.set_modified(now - Duration::from_secs(age)).unwrap();
    }
    let list = |args| desk.glob(args).unwrap().content;
    assert_eq!(list(json!({"pattern": "**/*.md"})), "notes/new.md\nmiddle.md\nold.md");
    assert_eq!(list(json!({"pattern": "*.md"})), "middle.md\nold.md");
    assert_eq!(list(json!({"pattern": "*.md", "path": "notes"})), "notes/new.md");
    assert_eq!(list(json!({"pattern": "notes/*"})), "notes/new.md");
    assert_eq!(list(json!({"pattern": "old.md"})), "old.md");
    assert_eq!(list(json!({"pattern": format!("{}/*.md", desk.folder().display())})), "middle.md\nold.md");
    assert_eq!(list(json!({"pattern": "*.fits"})), "No file matches `*.fits` in `.`.");
    assert_eq!(refused(desk.glob(json!({"pattern": "nowhere/*.md"}))), "There is no folder `nowhere`.");
    assert!(refused(desk.glob(json!({"pattern": "*/../x"}))).contains("`..`"));
    assert!(refused(desk.glob(json!({"pattern": "[a"}))).contains("wildcard"));
}

#[test]
fn a_listing_is_capped() {
    let desk = Desk::new();
    for number in 0..250 {
        desk.put(&format!("{number}.md"), "x");
    }
    let output = desk.glob(json!({"pattern": "*.md"})).unwrap();
    assert_eq!(output.content.lines().count(), 201);
    assert!(output.content.ends_with("[These are the newest 200 of 250. Narrow the pattern to see others.]"));
    assert_eq!(metadata(&output)["total"], 250);
}
