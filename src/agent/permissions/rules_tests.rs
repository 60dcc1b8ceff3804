use super::*;
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

fn bash(command: &str) -> Target {
    Target::new(SHELL, &json!({ "command": command }))
}

fn rule(text: &str) -> Rule {
    Rule::parse(text).unwrap()
}

#[rstest]
#[case("run_bash(rm:*)", "rm -rf x", true)]
#[case("run_bash(rm:*)", "rmdir x", false)]
#[case("run_bash(rm:*)", "ls; rm x", true)]
#[case("run_bash(rm:*)", "ls && (true; rm x)", true)]
#[case("run_bash(rm:*)", "env A=b rm x", true)]
#[case("run_bash(rm:*)", "echo x | xargs rm", true)]
#[case("run_bash(rm:*)", "find . -exec rm {} +", true)]
#[case("run_bash(rm:*)", "/bin/rm x", true)]
#[case("run_bash(rm:*)", "r\"m\" x", true)]
#[case("run_bash(rm:*)", "echo rm", false)]
#[case("run_bash(git push *)", "git push origin", true)]
#[case("run_bash(git push*)", "git push", true)]
#[case("run_bash(git status)", "git status", true)]
#[case("run_bash(git status)", "git status -s", false)]
#[case("run_bash", "ls", true)]
#[case("*", "ls", true)]
#[case("file_write(notes/**)", "echo x > notes/a.md", true)]
#[case("file_write(notes/**)", "echo x > ./notes//a.md", true)]
#[case("file_write(notes/**)", "echo x > sub/../notes/a.md", true)]
#[case("file_write(notes/**)", "echo x > other/a.md", false)]
#[case("read_file(secret.txt)", "cat < secret.txt", true)]
fn a_denial_matches_any_part(#[case] text: &str, #[case] command: &str, #[case] expected: bool) {
    assert_eq!(rule(text).matches_any(&bash(command)), expected, "{text} on {command}");
}

#[rstest]
#[case(&["run_bash(git log:*)"], "git log --oneline", true)]
#[case(&["run_bash(git log:*)"], "git log; rm x", false)]
#[case(&["run_bash(git log:*)"], "git log $(rm x)", false)]
#[case(&["run_bash(git log:*)"], "timeout 5 git log", true)]
#[case(&["run_bash(git log:*)"], "env A=b git log", false)]
#[case(&["run_bash(git log:*)"], "./git log", false)]
#[case(&["run_bash(git log:*)"], "GIT_PAGER=x git log", false)]
#[case(&["run_bash(git log:*)"], "LANG=C git log", true)]
#[case(&["run_bash(git log:*)"], "git log > x", false)]
#[case(&["run_bash(git log:*)"], "git log 2>/dev/null", true)]
#[case(&["run_bash(git log:*)", "file_write(out/*)"], "git log > out/x", true)]
#[case(&["run_bash(git log:*)", "run_bash(head:*)"], "git log | head -5", true)]
#[case(&["run_bash"], "git log > x", true)]
#[case(&["run_bash"], "$X", false)]
fn an_allowance_needs_every_part(#[case] rules: &[&str], #[case] command: &str, #[case] expected: bool) {
    let rules: Vec<Rule> = rules.iter().map(|text| rule(text)).collect();
    let rules: Vec<&Rule> = rules.iter().collect();
    assert_eq!(bash(command).allowed_by(&rules).is_some(), expected, "{command}");
}

#[rstest]
#[case("file_write(notes/)", "notes/a.md", true)]
#[case("file_write(/a.md)", "a.md", true)]
#[case("file_write(/a.md)", "sub/a.md", false)]
#[case("file_write(*.md)", "sub/a.md", true)]
#[case("file_write(secret)", "./x/.//secret/a", true)]
#[case("file_write(secret)", "x/../secret/a", true)]
#[case("file_write(secret)", "/data/workspace/ada/secret/a", true)]
#[case("file_write(secret)", "open/a", false)]
#[case("file_write", "a", true)]
#[case("file_edit", "a", false)]
fn paths_match_as_in_gitignore(#[case] text: &str, #[case] path: &str, #[case] expected: bool) {
    let target = Target::new("file_write", &json!({ "path": path }));
    assert_eq!(rule(text).matches_any(&target), expected, "{text} on {path}");
}

#[test]
fn an_allowance_of_a_path_takes_no_detours() {
    let rule = rule("file_write(notes/**)");
    for (path, expected) in [("notes/a", true), ("notes/../x", false), ("/data/notes/a", false), ("x/notes/a", false)] {
        let target = Target::new("file_write", &json!({ "path": path }));
        assert_eq!(target.allowed_by(&[&rule]).is_some(), expected, "{path}");
    }
}

#[rstest]
#[case("download_paper(2301.*)", json!({ "paper": "2301.00001" }), true)]
#[case("download_paper(2301.*)", json!({ "paper": "2401.00001" }), false)]
#[case("download_paper(2301.*)", json!({}), false)]
#[case("*", json!({}), true)]
fn other_tools_match_their_subject(#[case] text: &str, #[case] arguments: Value, #[case] expected: bool) {
    assert_eq!(rule(text).matches_any(&Target::new("download_paper", &arguments)), expected);
}

#[rstest]
#[case("run_bash(rm", "does not end")]
#[case("Run Bash", "no tool's name")]
#[case("", "no tool's name")]
#[case("*(x)", "takes nothing")]
#[case("file_write(!x)", "path pattern")]
#[case("file_write(#x)", "path pattern")]
fn a_broken_rule_is_refused(#[case] text: &str, #[case] expected: &str) {
    let why = Rule::parse(text).unwrap_err();
    assert!(why.contains(expected), "{why}");
}

#[rstest]
#[case("git log | head", Some("run_bash(git log)\nrun_bash(head)"))]
#[case("a; b; c; d; e; f", None)]
#[case("a > x", None)]
#[case("$X", None)]
#[case("ls *", None)]
fn a_suggestion_says_no_more_than_was_asked(#[case] command: &str, #[case] expected: Option<&str>) {
    assert_eq!(bash(command).suggestion().as_deref(), expected);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_a_suggestion_allows_is_what_was_asked(command in "[a-z]{1,4}( [a-z./-]{1,5}){0,2}((;| &&| \\|) [a-z]{1,4}( [a-z]{1,3})?){0,3}") {
        let target = bash(&command);
        if let Some(suggestion) = target.suggestion() {
            let rules: Vec<Rule> = suggestion.lines().map(|line| Rule::parse(line).unwrap()).collect();
            let rules: Vec<&Rule> = rules.iter().collect();
            prop_assert!(target.allowed_by(&rules).is_some(), "{command}: {suggestion}");
            let more = format!("{command}; rm -rf x");
            prop_assert!(bash(&more).allowed_by(&rules).is_none(), "{}", more);
        }
    }

    #[test]
    fn a_denied_command_is_never_allowed(before in "[a-z ;&|(]{0,12}", after in "[a-z ;&|)]{0,12}") {
        let target = bash(&format!("{before} ; rm x ; {after}"));
        let (deny, allow) = (rule("run_bash(rm:*)"), rule("run_bash(a:*)"));
        prop_assert!(deny.matches_any(&target) || target.unclear().is_some());
        prop_assert!(target.allowed_by(&[&allow]).is_none());
    }
}
