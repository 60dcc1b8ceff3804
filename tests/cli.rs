//! The command line: exit codes, one-sentence errors, users.
#![expect(clippy::unwrap_used, reason = "the helpers of tests fail like tests")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn almagest(data: &Path, args: &[&str], settings: &[(&str, &str)], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_almagest"))
        .args(args)
        .env_clear()
        .env("ALMAGEST_DATA_DIR", data)
        .envs(settings.iter().copied())
        .current_dir(data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that reads nothing may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn users_are_added_changed_and_listed() {
    let data = tempfile::tempdir().unwrap();
    let run = |args: &[&str], input: &str| almagest(data.path(), args, &[], input);
    let added = run(&["user", "add", "ada", "--admin"], "correct horse battery\n");
    assert_eq!(added.status.code(), Some(0), "{}", text(&added.stderr));
    let again = run(&["user", "add", "ADA"], "correct horse battery\n");
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("of that name"), "{}", text(&again.stderr));
    let short = run(&["user", "add", "eve"], "short\n");
    assert!(text(&short.stderr).contains("at least 8"), "{}", text(&short.stderr));
    assert_eq!(run(&["user", "passwd", "ada"], "another long password\n").status.code(), Some(0));
    let nobody = run(&["user", "passwd", "nobody"], "another long password\n");
    assert!(text(&nobody.stderr).contains("almagest user list"), "{}", text(&nobody.stderr));
    let list = text(&run(&["user", "list"], "").stdout);
    assert!(list.starts_with("ada\tadmin\t") && list.lines().count() == 1, "{list}");
}

#[test]
fn wrong_use_is_2_and_help_is_complete() {
    let data = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| almagest(data.path(), args, &[], "");
    assert_eq!(run(&["no-such-command"]).status.code(), Some(2));
    let help = run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    for command in ["serve", "user", "health"] {
        assert!(text(&help.stdout).contains(command), "{command}");
    }
    let alone = run(&["health"]);
    assert_eq!(alone.status.code(), Some(1));
    assert!(text(&alone.stderr).contains("127.0.0.1:8480"), "{}", text(&alone.stderr));
}

#[test]
fn a_start_that_cannot_be_is_one_line_on_standard_error() {
    let data = tempfile::tempdir().unwrap();
    for (settings, says) in [
        (&[("ALMAGEST_ADDR", "8480")][..], "ALMAGEST_ADDR"),
        (&[("ALMAGEST_ADDRES", "127.0.0.1:0")], "Did you mean ALMAGEST_ADDR?"),
        (&[("LLM_BASE_URL", "http://127.0.0.1:1/v1")], "LLM_MODEL"),
        (&[("ALMAGEST_DATA_DIR", "/proc/nowhere")], "ALMAGEST_DATA_DIR"),
    ] {
        let output = almagest(data.path(), &["serve"], settings, "");
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains(says) && error.trim().lines().count() == 1, "{error}");
        assert!(output.stdout.is_empty());
    }
}
