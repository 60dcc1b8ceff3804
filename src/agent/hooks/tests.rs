use super::*;
use crate::agent::events::Event;
use crate::agent::tools::EventSender;
use crate::ids::{CallId, RunId, SessionId};
use crate::store::accounts::{Admission, User, UserRole};
use crate::store::audit::AuditFilter;
use crate::store::sessions::PermissionMode;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::time::Duration;
use tempfile::TempDir;

#[derive(Default)]
struct Seen(Mutex<Vec<Event>>);

impl EventSender for Seen {
    fn send(&self, event: Event) {
        self.0.lock().push(event);
    }
}

struct Desk {
    folder: TempDir,
    store: Store,
    hooks: Arc<Hooks>,
    scope: Scope,
    seen: Arc<Seen>,
}

/// A desk with these hooks, written as `(event, matcher, command, on_error)`.
async fn desk(hooks: &[Spec<'_>]) -> Desk {
    let mut document = json!({});
    for (event, matcher, command, on_error) in hooks {
        let group = json!({ "matcher": matcher, "hooks": [
            { "type": "command", "command": command, "timeout": 20, "on_error": on_error }] });
        match document.get_mut(*event) {
            Some(groups) => groups.as_array_mut().unwrap().push(group),
            None => document[*event] = json!([group]),
        }
    }
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(FILE), json!({ "hooks": document }).to_string()).unwrap();
    let store = Store::open(&folder.path().join("almagest.db")).await.unwrap();
    let user = User {
        id: UserId::new(),
        username: "ada".into(),
        password_hash: "x".into(),
        role: UserRole::User,
        created_at: Timestamp::now(),
    };
    store.add_user(user.clone(), Admission::Always).await.unwrap();
    let seen = Arc::new(Seen::default());
    let scope = Scope {
        user_id: user.id,
        session_id: SessionId::new(),
        run_id: Some(RunId::new()),
        call_id: Some(CallId::new()),
        permission_mode: PermissionMode::Plan,
        model: "m".into(),
        events: seen.clone(),
    };
    let hooks = Hooks::open(folder.path(), store.clone()).await.unwrap();
    Desk { folder, store, hooks, scope, seen }
}

/// One hook of [`desk`].
type Spec<'a> = (&'a str, &'a str, &'a str, &'a str);

fn spec<'a>(event: &'a str, matcher: &'a str, command: &'a str, on_error: &'a str) -> Spec<'a> {
    (event, matcher, command, on_error)
}

impl Desk {
    fn decisions(&self) -> Vec<String> {
        let word = |event: &Event| {
            let Event::Hook { decision, .. } = event else { panic!("{event:?}") };
            decision.clone()
        };
        self.seen.0.lock().iter().map(word).collect()
    }

    async fn before(&self, tool: &str, arguments: Value) -> PreToolUse {
        self.hooks.pre_tool_use(&self.scope, tool, &arguments).await
    }
}

fn print(answer: Value) -> String {
    format!("printf '%s' '{answer}'")
}

#[tokio::test]
async fn each_hook_sees_the_arguments_as_the_one_before_left_them() {
    let change = |path: &str| print(json!({"hookSpecificOutput": {"updatedInput": {"path": path}}}));
    let check =
        r#"grep -q '"tool_input":{"path":"b"}' && echo '{"hookSpecificOutput": {"additionalContext": "saw b"}}'"#;
    let desk = desk(&[
        ("PreToolUse", "file_write", &change("b"), "allow"),
        ("PreToolUse", "read_file", &change("never"), "allow"),
        ("PreToolUse", "file_.*", check, "deny"),
        ("PreToolUse", "", &change("c"), "allow"),
    ])
    .await;
    let answer = desk.before("file_write", json!({"path": "a"})).await;
    let expected =
        PreToolUse::Continue { arguments: Some(json!({"path": "c"})), context: vec!["saw b".into()], ask: None };
    assert_eq!(answer, expected);
    assert_eq!(desk.decisions(), ["changed", "context", "changed"]);
}

#[tokio::test]
async fn a_block_is_the_last_word_and_asks_gather() {
    let of = |word: &str, reason: &str| {
        print(json!({"hookSpecificOutput": {"permissionDecision": word, "permissionDecisionReason": reason}}))
    };
    let (ask, allow, deny) = (of("ask", "sure?"), of("allow", ""), of("deny", "no"));
    let asked = desk(&[spec("PreToolUse", "*", &ask, "allow"), spec("PreToolUse", "*", &allow, "allow")]).await;
    let expected = PreToolUse::Continue { arguments: None, context: vec![], ask: Some("sure?".into()) };
    assert_eq!(asked.before("x", json!({})).await, expected);
    let denied = desk(&[
        spec("PreToolUse", "*", &ask, "allow"),
        spec("PreToolUse", "*", &deny, "allow"),
        spec("PreToolUse", "*", "touch ran", "allow"),
    ])
    .await;
    assert_eq!(denied.before("x", json!({})).await, PreToolUse::Block { reason: "no".into() });
    assert!(!denied.folder.path().join("ran").exists());
    let blocked = desk(&[spec("PreToolUse", "*", "echo because >&2; exit 2", "allow")]).await;
    assert_eq!(blocked.before("x", json!({})).await, PreToolUse::Block { reason: "because".into() });
}

#[tokio::test]
async fn a_policy_that_cannot_start_denies_and_another_hook_does_not() {
    for command in ["/nowhere/guard", "python3 ./guard.py", "sh guard.sh", "kill -KILL $$", "exit 3", "echo '{'"] {
        let policy = desk(&[("PreToolUse", "", command, "deny")]).await;
        let answer = policy.before("x", json!({})).await;
        assert!(matches!(answer, PreToolUse::Block { reason } if reason.contains("policy")), "{command}");
        let other = desk(&[("PreToolUse", "", command, "allow")]).await;
        assert_eq!(other.before("x", json!({})).await, PreToolUse::go_on(), "{command}");
        assert_eq!(other.decisions(), ["failed"], "{command}");
    }
}

#[tokio::test]
async fn a_hook_is_told_what_it_needs_to_know() {
    let desk = desk(&[("PreToolUse", "", "cat > told; pwd > where", "deny")]).await;
    desk.before("x", json!({"a": 1})).await;
    let told: Value = serde_json::from_slice(&std::fs::read(desk.folder.path().join("told")).unwrap()).unwrap();
    assert_eq!(told["hook_event_name"], "PreToolUse");
    assert_eq!(told["tool_name"], "x");
    assert_eq!(told["tool_input"], json!({"a": 1}));
    assert_eq!(told["permission_mode"], "plan");
    assert_eq!(told["session_id"], desk.scope.session_id.to_string());
    assert_eq!(told["tool_use_id"], desk.scope.call_id.as_ref().unwrap().as_str());
    let workspace = std::path::absolute(desk.folder.path()).unwrap().join("workspace");
    assert!(told["cwd"].as_str().unwrap().starts_with(workspace.to_str().unwrap()));
    let place = std::fs::read_to_string(desk.folder.path().join("where")).unwrap();
    assert_eq!(
        place.trim(),
        desk.folder.path().canonicalize().unwrap().to_str().unwrap(),
        "not where the agent writes"
    );
}

#[tokio::test]
async fn what_may_block_blocks_and_a_compaction_that_was_asked_for_does_not() {
    let no = "echo why >&2; exit 2";
    let events = ["UserPromptSubmit", "PreCompact", "Stop", "SubagentStop", "SessionStart"];
    let desk = desk(&events.map(|event| (event, "", no, "allow"))).await;
    let (hooks, scope) = (&desk.hooks, &desk.scope);
    let why = || "why".to_owned();
    assert_eq!(hooks.user_prompt_submit(scope, "hi").await, PromptSubmit::Block { reason: why() });
    assert_eq!(hooks.pre_compact(scope, CompactTrigger::Auto).await, PreCompact::Block { reason: why() });
    assert_eq!(hooks.pre_compact(scope, CompactTrigger::Manual).await, PreCompact::Continue);
    assert_eq!(hooks.stop(scope, "done", StopRound::First).await, Some(why()));
    assert_eq!(hooks.subagent_stop(scope, "subagent", "t", "done", StopRound::SentBack).await, Some(why()));
    assert!(hooks.session_start(scope, StartSource::Startup).await.is_empty());
    assert_eq!(desk.decisions(), ["block", "block", "continue", "block", "block", "continue"]);
}

#[tokio::test]
async fn a_permission_is_answered_and_a_denial_outweighs() {
    let of = |word: &str| print(json!({"hookSpecificOutput": {"decision": {"behavior": word, "message": "m"}}}));
    let (allow, deny) = (of("allow"), of("deny"));
    let ask = async |hooks: &[Spec<'_>], tool: &str| {
        let desk = desk(hooks).await;
        desk.hooks.permission_request(&desk.scope, tool, &json!({}), "may it?").await
    };
    assert_eq!(
        ask(&[spec("PermissionRequest", "run_bash", &allow, "allow")], "run_bash").await,
        Some(PermissionAnswer::Allow)
    );
    assert_eq!(ask(&[spec("PermissionRequest", "run_bash", &allow, "allow")], "other").await, None);
    let denied = Some(PermissionAnswer::Deny { reason: "m".into() });
    assert_eq!(
        ask(
            &[
                spec("PermissionRequest", "run_bash", &allow, "allow"),
                spec("PermissionRequest", "run_bash", &deny, "allow")
            ],
            "run_bash"
        )
        .await,
        denied
    );
    assert_eq!(ask(&[spec("PermissionRequest", "run_bash", "exit 2", "allow")], "run_bash").await, None);
}

#[tokio::test]
async fn after_a_call_the_output_can_be_replaced_and_a_policy_withholds_it() {
    let replace = print(json!({"hookSpecificOutput": {"updatedToolOutput": "[redacted]", "additionalContext": "c"}}));
    let took = Duration::from_millis(12);
    let ask = async |hooks: &[Spec<'_>]| {
        let desk = desk(hooks).await;
        desk.hooks.post_tool_use(&desk.scope, "x", &json!({}), "secret", took).await
    };
    let expected = PostToolUse { output: Some("[redacted]".into()), context: vec!["c".into()] };
    assert_eq!(ask(&[spec("PostToolUse", "", &replace, "allow")]).await, expected);
    let withheld = ask(&[spec("PostToolUse", "", "exit 1", "deny"), spec("PostToolUse", "", &replace, "allow")]).await;
    assert!(withheld.output.unwrap().contains("withheld"));
    assert_eq!(ask(&[spec("PostToolUse", "", "exit 1", "allow")]).await, PostToolUse::default());
    let shown = PostToolUse { output: None, context: vec!["look".into()] };
    assert_eq!(ask(&[spec("PostToolUse", "", "echo look >&2; exit 2", "allow")]).await, shown);
}

#[tokio::test]
async fn what_happens_is_in_the_log_and_counted_without_its_secrets() {
    let desk = desk(&[("PreToolUse", "", "exit 0", "allow")]).await;
    let (hooks, scope) = (&desk.hooks, &desk.scope);
    let arguments = json!({"command": "echo topsecret"});
    hooks.user_prompt_submit(scope, "a topsecret question").await;
    desk.before("run_bash", arguments.clone()).await;
    hooks.permission_answered(scope, "run_bash", &arguments, "once");
    hooks.post_tool_use(scope, "run_bash", &arguments, "topsecret", Duration::from_millis(5)).await;
    hooks.tool_refused(scope, "run_bash", &arguments, "a rule says no");
    hooks.flush().await;
    let rows = desk.store.audit(&AuditFilter::default(), 100).await.unwrap();
    let told: Vec<(&str, &str)> = rows.iter().rev().map(|row| (row.event.as_str(), row.decision.as_str())).collect();
    let expected = [
        ("UserPromptSubmit", "continue"),
        ("PreToolUse", "continue"),
        ("PermissionAnswer", "once"),
        ("PostToolUse", "ok"),
        ("PreToolUse", "refused"),
    ];
    assert_eq!(told, expected);
    assert!(!format!("{rows:?}").contains("topsecret"));
    assert!(rows.iter().all(|row| row.run_id == scope.run_id && row.user_id == scope.user_id));
    let text = hooks.metrics().prometheus();
    for line in [
        "almagest_tool_calls_total{outcome=\"ok\",tool=\"run_bash\"} 1",
        "almagest_tool_calls_total{outcome=\"refused\",tool=\"run_bash\"} 1",
        "almagest_hook_runs_total{decision=\"continue\",event=\"PreToolUse\"} 1",
        "almagest_hook_duration_seconds_count{event=\"PreToolUse\"} 1",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

#[tokio::test]
async fn rows_that_cannot_be_written_are_counted_and_delay_nothing() {
    let desk = desk(&[]).await;
    desk.store.close().await;
    desk.hooks.tool_refused(&desk.scope, "x", &json!({}), "no");
    desk.hooks.flush().await;
    assert!(desk.hooks.metrics().prometheus().contains("almagest_audit_rows_dropped_total 1\n"));
}

#[tokio::test]
async fn a_file_that_is_not_understood_stops_the_start_and_is_not_taken_later() {
    let desk = desk(&[("PreToolUse", "", "exit 2", "deny")]).await;
    let file = desk.folder.path().join(FILE);
    let before = std::fs::read_to_string(&file).unwrap();
    let refused = desk.hooks.replace(desk.scope.user_id, r#"{"hook": {}}"#.into()).await;
    assert!(refused.unwrap_err().to_string().contains("unknown field `hook`"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before);
    assert!(matches!(desk.before("x", json!({})).await, PreToolUse::Block { .. }));
    desk.hooks.replace(desk.scope.user_id, r#"{"hooks": {}}"#.into()).await.unwrap();
    assert_eq!(desk.before("x", json!({})).await, PreToolUse::go_on());
    std::fs::write(&file, "{").unwrap();
    let error = Hooks::open(desk.folder.path(), desk.store.clone()).await.err().unwrap();
    assert!(error.to_string().starts_with("hooks.json, line 1: "), "{error}");
}
