use super::*;
use rstest::rstest;
use std::time::Duration;

fn ended(end: End, stdout: &str, stderr: &str) -> CommandRun {
    CommandRun { end, stdout: stdout.into(), stderr: stderr.into(), cut: false, ms: 1 }
}

fn printed(event: HookEvent, stdout: &str) -> Answer {
    interpret(event, "h", &ended(End::Exited(0), stdout, ""), OnError::Allow)
}

#[rstest]
#[case::call(HookEvent::PreToolUse, Decision::Block)]
#[case::prompt(HookEvent::UserPromptSubmit, Decision::Block)]
#[case::stop(HookEvent::Stop, Decision::Block)]
#[case::child(HookEvent::SubagentStop, Decision::Block)]
#[case::compaction(HookEvent::PreCompact, Decision::Block)]
#[case::permissions_ignore_it(HookEvent::PermissionRequest, Decision::Failed)]
#[case::too_late(HookEvent::PostToolUse, Decision::Continue)]
#[case::start(HookEvent::SessionStart, Decision::Continue)]
#[case::end(HookEvent::SessionEnd, Decision::Continue)]
fn exit_2(#[case] event: HookEvent, #[case] expected: Decision) {
    // JSON cannot override it.
    let run = ended(End::Exited(2), r#"{"decision": "approve"}"#, "not today\n");
    let answer = interpret(event, "h", &run, OnError::Allow);
    assert_eq!(answer.decision, expected);
    assert!(answer.detail.unwrap().contains("not today"));
    assert_eq!(answer.context.is_some(), event == HookEvent::PostToolUse, "the model reads it after a call");
}

#[rstest]
#[case::cannot_start(End::CannotStart("it is not there".into()), "")]
#[case::hangs(End::TimedOut(Duration::from_secs(1)), "")]
#[case::crashes(End::Signalled(11), "")]
#[case::other_code(End::Exited(1), "")]
#[case::rubbish(End::Exited(0), "{not json")]
#[case::unknown_word(End::Exited(0), r#"{"hookSpecificOutput": {"permissionDecision": "denny"}}"#)]
#[case::wrong_type(End::Exited(0), r#"{"decision": 1}"#)]
#[case::arguments_of_no_kind(End::Exited(0), r#"{"hookSpecificOutput": {"updatedInput": "x"}}"#)]
#[case::allows_and_fails(End::Exited(1), r#"{"hookSpecificOutput": {"permissionDecision": "allow"}}"#)]
fn a_failure_decides_nothing_unless_the_hook_is_a_policy(#[case] end: End, #[case] stdout: &str) {
    let run = ended(end, stdout, "");
    let of = |event, on_error| interpret(event, "guard", &run, on_error);
    let lenient = of(HookEvent::PreToolUse, OnError::Allow);
    assert_eq!((lenient.decision, lenient.word(HookEvent::PreToolUse)), (Decision::Failed, "failed"));
    assert!(lenient.detail.unwrap().contains("`guard`"));
    let strict = of(HookEvent::PreToolUse, OnError::Deny);
    assert_eq!(strict.decision, Decision::Block);
    assert!(strict.reason().contains("on_error: deny"));
    assert_ne!(of(HookEvent::SessionEnd, OnError::Deny).decision, Decision::Block, "there is nothing to deny");
}

#[test]
fn a_policy_that_fails_after_a_call_withholds_the_output() {
    let run = ended(End::Exited(1), "", "");
    let answer = interpret(HookEvent::PostToolUse, "redact", &run, OnError::Deny);
    assert!(answer.output.unwrap().contains("withheld"));
    assert_eq!(interpret(HookEvent::PostToolUse, "redact", &run, OnError::Allow).output, None);
}

#[test]
fn output_that_was_cut_is_not_half_believed() {
    let run = CommandRun { cut: true, ..ended(End::Exited(0), r#"{"decision": "approve"}"#, "") };
    assert_eq!(interpret(HookEvent::PreToolUse, "h", &run, OnError::Deny).decision, Decision::Block);
}

#[rstest]
#[case::deny(
    r#"{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "r"}}"#,
    Decision::Block
)]
#[case::ask(r#"{"hookSpecificOutput": {"permissionDecision": "ask", "permissionDecisionReason": "r"}}"#, Decision::Ask)]
#[case::defer(
    r#"{"hookSpecificOutput": {"permissionDecision": "defer", "permissionDecisionReason": "r"}}"#,
    Decision::Ask
)]
#[case::allow(
    r#"{"hookSpecificOutput": {"permissionDecision": "allow", "permissionDecisionReason": "r"}}"#,
    Decision::Allow
)]
#[case::older_form(r#"{"decision": "block", "reason": "r"}"#, Decision::Block)]
#[case::older_form_allows(r#"{"decision": "approve", "reason": "r"}"#, Decision::Allow)]
#[case::not_on(r#"{"continue": false, "stopReason": "r"}"#, Decision::Block)]
#[case::foreign_fields(r#"{"suppressOutput": true, "systemMessage": "r", "x": [1]}"#, Decision::Continue)]
fn before_a_call(#[case] stdout: &str, #[case] expected: Decision) {
    let answer = printed(HookEvent::PreToolUse, stdout);
    assert_eq!((answer.decision, answer.detail.as_deref()), (expected, Some("r")));
}

#[test]
fn a_refusal_counts_whatever_the_exit_code() {
    let deny = r#"{"hookSpecificOutput": {"permissionDecision": "deny"}}"#;
    let answer = interpret(HookEvent::PreToolUse, "h", &ended(End::Exited(1), deny, ""), OnError::Allow);
    assert_eq!(answer.decision, Decision::Block);
}

#[test]
fn arguments_and_context() {
    let answer = printed(
        HookEvent::PreToolUse,
        r#"{"hookSpecificOutput": {"updatedInput": {"path": "b"}, "additionalContext": "c"}}"#,
    );
    assert_eq!(answer.arguments, Some(serde_json::json!({"path": "b"})));
    assert_eq!((answer.context.as_deref(), answer.word(HookEvent::PreToolUse)), (Some("c"), "changed"));
}

#[test]
fn permissions_are_answered_without_changing_the_call() {
    let of = |json: &str| printed(HookEvent::PermissionRequest, json);
    let allow = of(r#"{"hookSpecificOutput": {"decision": {"behavior": "allow"}}}"#);
    assert_eq!(allow.word(HookEvent::PermissionRequest), "allow");
    let deny = of(r#"{"hookSpecificOutput": {"decision": {"behavior": "deny", "message": "no"}}}"#);
    assert_eq!((deny.word(HookEvent::PermissionRequest), deny.detail.as_deref()), ("deny", Some("no")));
    let changed = of(r#"{"hookSpecificOutput": {"decision": {"behavior": "allow", "updatedInput": {}}}}"#);
    assert_eq!(changed.decision, Decision::Failed, "what it allowed is not what would run");
}

#[test]
fn plain_text_is_context_where_a_conversation_begins_and_nothing_elsewhere() {
    assert_eq!(printed(HookEvent::UserPromptSubmit, "mind the date\n").context.as_deref(), Some("mind the date"));
    assert_eq!(printed(HookEvent::SessionStart, "hello").context.as_deref(), Some("hello"));
    assert_eq!(printed(HookEvent::PreToolUse, "hello"), Answer::default());
}

#[test]
fn the_end_of_a_run_is_sent_back_unless_the_hook_wants_an_end() {
    assert_eq!(printed(HookEvent::Stop, r#"{"decision": "block", "reason": "r"}"#).decision, Decision::Block);
    let both = r#"{"decision": "block", "continue": false}"#;
    assert_eq!(printed(HookEvent::Stop, both).decision, Decision::Continue);
}

#[test]
fn texts_are_bounded() {
    let long = "é".repeat(20_000);
    let json = serde_json::json!({"hookSpecificOutput": {"additionalContext": long}}).to_string();
    let context = printed(HookEvent::SessionStart, &json).context.unwrap();
    assert!(context.chars().count() < TEXT_CHARS + 100 && context.contains("cut"));
}
