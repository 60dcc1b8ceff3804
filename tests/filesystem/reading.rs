//! `read_file`.

use super::desk::{Desk, metadata, refused};
use almagest::agent::tools::AgentTool;
use almagest::agent::tools::filesystem::read_file::{FILE_UNCHANGED_STUB, ReadFile};
use pretty_assertions::assert_eq;
use serde_json::json;
use std::fs;

#[test]
fn lines_are_numbered() {
    let desk = Desk::new();
    desk.put("a.md", "one\n\ndrei ä\nlast");
    let output = desk.read("a.md").unwrap();
    assert_eq!(output.content, "     1\tone\n     2\t\n     3\tdrei ä\n     4\tlast\n");
    assert_eq!(
        metadata(&output),
        &json!({"path": "a.md", "from_line": 1, "to_line": 4, "total_lines": 4, "bytes": 17})
    );
}

#[test]
fn a_long_file_comes_in_pages() {
    let desk = Desk::new();
    let text = (1..=5000).map(|number| format!("line {number}\n")).collect::<String>();
    desk.put("long.txt", &text);
    let output = desk.read("long.txt").unwrap();
    assert!(output.content.ends_with("  2000\tline 2000\n[Lines 1-2000 of 5000. Go on with offset=2001.]"));
    let output = desk.read_with(json!({"path": "long.txt", "offset": 4999, "limit": 10})).unwrap();
    assert_eq!(output.content, "  4999\tline 4999\n  5000\tline 5000\n");
    let output = desk.read_with(json!({"path": "long.txt", "offset": 10, "limit": 1})).unwrap();
    assert_eq!(output.content, "    10\tline 10\n[Lines 10-10 of 5000. Go on with offset=11.]");
    let message = refused(desk.read_with(json!({"path": "long.txt", "offset": 6000})));
    assert_eq!(message, "`long.txt` has 5000 lines, so there is no line 6000.");
}

#[test]
fn pages_keep_to_the_limit_and_together_have_every_line() {
    let desk = Desk::new();
    let lines = (0..700).map(|number| format!("{number} {}", "x".repeat(500))).collect::<Vec<_>>();
    desk.put("wide.txt", lines.join("\n"));
    let mut read = Vec::new();
    let mut offset = 1;
    loop {
        let output = desk.read_with(json!({"path": "wide.txt", "offset": offset})).unwrap();
        assert!(output.content.chars().count() <= ReadFile.max_output_chars());
        read.extend(output.content.lines().filter_map(|line| line.split_once('\t')).map(|(_, line)| line.to_owned()));
        let last = metadata(&output)["to_line"].as_u64().unwrap();
        if last == 700 {
            break;
        }
        assert!(output.content.ends_with(&format!("of 700. Go on with offset={}.]", last + 1)));
        offset = last + 1;
    }
    assert_eq!(read, lines);
}

#[test]
fn long_lines_are_cut_with_a_mark() {
    let desk = Desk::new();
    desk.put("a.json", format!("{}\nshort\n", "ä".repeat(100_000)));
    let output = desk.read("a.json").unwrap();
    let first = output.content.lines().next().unwrap();
    assert!(first.starts_with(&format!("     1\t{} … [line cut: it has 200000 bytes", "ä".repeat(2000))), "{first}");
    assert!(output.content.ends_with("     2\tshort\n"), "no byte of a cut line counts as invalid");
}

#[test]
fn an_unchanged_range_is_not_sent_twice() {
    let desk = Desk::new();
    desk.put("a.md", "one\ntwo\n");
    let first = desk.call();
    let read = |call: &_, args: serde_json::Value| {
        almagest::agent::tools::filesystem::read_file::read_file(call, serde_json::from_value(args).unwrap()).unwrap()
    };
    assert!(read(&first, json!({"path": "a.md"})).content.contains("one"));
    assert_eq!(desk.read("a.md").unwrap().content, FILE_UNCHANGED_STUB);
    assert_eq!(desk.read("./a.md").unwrap().content, FILE_UNCHANGED_STUB, "the same file by another spelling");
    assert!(desk.read_with(json!({"path": "a.md", "offset": 2})).unwrap().content.contains("two"), "another range");
    // The same size and, set back, the same modification time: the change still shows.
    let modified = fs::metadata(desk.folder().join("a.md")).unwrap().modified().unwrap();
    desk.put("a.md", "ONE\nTWO\n");
    fs::File::options().write(true).open(desk.folder().join("a.md")).unwrap().set_modified(modified).unwrap();
    let third = desk.call();
    assert!(read(&third, json!({"path": "a.md"})).content.contains("ONE"));
    // The result leaves the context: the entry goes with it.
    desk.files.forget_call(&third.call);
    assert!(desk.read("a.md").unwrap().content.contains("ONE"));
}

#[test]
fn what_is_no_text_is_refused_with_a_hint() {
    let desk = Desk::new();
    desk.put("a.bin", b"abc\0def");
    desk.put("a.pdf", b"%PDF-1.7\n%\xe2\xe3");
    desk.put("a.utf16", b"\xff\xfea\0b\0");
    assert!(refused(desk.read("a.bin")).contains("binary"));
    assert!(refused(desk.read("a.pdf")).contains("get_paper_content"));
    assert!(refused(desk.read("a.utf16")).contains("UTF-16"));
    desk.put("latin1.txt", b"M\xfcnchen\n");
    let output = desk.read("latin1.txt").unwrap();
    assert_eq!(output.content, "     1\tM\u{fffd}nchen\n[Some bytes are not UTF-8; they are shown as \u{fffd}.]");
}

#[test]
fn folders_absent_and_empty_files_are_named() {
    let desk = Desk::new();
    desk.put("notes/a.md", "");
    assert_eq!(refused(desk.read("notes")), "`notes` is a folder. List what is in it with glob_files.");
    assert!(refused(desk.read(".")).contains("is a folder"));
    assert_eq!(refused(desk.read("b.md")), "There is no `b.md`.");
    assert_eq!(refused(desk.read("nowhere/b.md")), "There is no `nowhere`.");
    assert_eq!(refused(desk.read("notes/a.md/b")), "`notes/a.md` is a file, not a folder.");
    assert_eq!(desk.read("notes/a.md").unwrap().content, "[The file is empty.]");
}

#[test]
fn a_huge_file_is_paged_without_holding_it() {
    let desk = Desk::new();
    desk.put("huge.txt", "first\n");
    // A hole of 3 GiB: one line without an end, after a short one.
    let file = fs::File::options().write(true).open(desk.folder().join("huge.txt")).unwrap();
    file.set_len(3 << 30).unwrap();
    desk.put("lines.txt", "0123456789abcde\n".repeat(5 << 20));
    let output = desk.read_with(json!({"path": "lines.txt", "offset": 1_000_000, "limit": 2})).unwrap();
    assert!(output.content.ends_with("[Lines 1000000-1000001; more follow. Go on with offset=1000002.]"));
    let message = refused(desk.read("huge.txt"));
    assert!(message.contains("binary"), "{message}");
}

#[test]
fn a_stopped_call_ends() {
    let desk = Desk::new();
    desk.put("a.md", "x\n".repeat(100));
    let call = desk.call();
    call.cancel.cancel();
    let args = serde_json::from_value(json!({"path": "a.md"})).unwrap();
    let outcome = almagest::agent::tools::filesystem::read_file::read_file(&call, args);
    assert!(refused(outcome).to_lowercase().contains("stopped"));
}
