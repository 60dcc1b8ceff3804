use super::*;
use crate::agent::tools::{ToolContext, ToolError, ToolOutput};
use async_trait::async_trait;
use rstest::rstest;
use serde_json::json;

/// A tool that is what its name says.
struct Named(&'static str);

#[async_trait]
impl AgentTool for Named {
    fn name(&self) -> &str {
        self.0
    }
    fn description(&self) -> &str {
        "For tests."
    }
    fn parameters(&self) -> Value {
        json!({})
    }
    async fn execute(&self, _args: Value, _ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        Ok(ToolOutput::default())
    }
    fn is_readonly(&self) -> bool {
        self.0 == "read_file"
    }
    fn check_permissions(&self, _args: &Value) -> Vec<ToolRule> {
        match self.0 {
            "todo_write" => vec![ToolRule::Allow { tool: self.0.into() }],
            _ => Vec::new(),
        }
    }
}

struct Desk {
    permissions: Arc<Permissions>,
    store: Store,
    user: UserId,
    session: SessionId,
    _folder: tempfile::TempDir,
}

impl Desk {
    async fn new(rules: &[(RuleEffect, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("a.db")).await.unwrap();
        let permissions = Permissions::open(store.clone()).await.unwrap();
        for (effect, rule) in rules {
            permissions.add(*effect, rule).await.unwrap();
        }
        let (user, session) = crate::store::tests::user_and_session(&store).await;
        Self { permissions, store, user, session, _folder: folder }
    }

    fn decide(&self, tool: &'static str, arguments: &Value, mode: PermissionMode) -> Ruling {
        let subject = Subject {
            user_id: self.user,
            session_id: self.session,
            tool: &Named(tool),
            arguments,
            mode,
            audience: Audience::User,
            isolation: Isolation::Full,
        };
        self.permissions.decide(&subject).ruling
    }
}

/// A letter for what was decided.
fn letter(ruling: &Ruling) -> char {
    match ruling {
        Ruling::Allow => 'a',
        Ruling::Deny(_) => 'd',
        Ruling::Ask(_) => '?',
    }
}

#[rstest]
#[case(PermissionMode::Ask, "a?a?a")]
#[case(PermissionMode::Auto, "aaaaa")]
#[case(PermissionMode::Plan, "adada")]
#[case(PermissionMode::Full, "aaaaa")]
#[tokio::test]
async fn modes_decide_where_no_rule_does(#[case] mode: PermissionMode, #[case] expected: &str) {
    let desk = Desk::new(&[]).await;
    let decide = |tool, arguments: Value| letter(&desk.decide(tool, &arguments, mode));
    let decided: String = [
        decide("read_file", json!({ "path": "a" })),
        decide("file_write", json!({ "path": "a" })),
        decide("run_bash", json!({ "command": "ls | wc -l" })),
        decide("run_bash", json!({ "command": "ls > x" })),
        decide("todo_write", json!({})),
    ]
    .iter()
    .collect();
    assert_eq!(decided, expected, "{mode:?}");
}

#[tokio::test]
async fn a_denial_stands_in_every_mode_and_above_everything() {
    let rules = [
        (RuleEffect::Allow, "run_bash(rm -rf build)"),
        (RuleEffect::Deny, "run_bash(rm:*)"),
        (RuleEffect::Deny, "todo_write"),
    ];
    let desk = Desk::new(&rules).await;
    desk.permissions.remember(desk.user, desk.session, "run_bash(rm -rf build)", Scope::Always).await.unwrap();
    for mode in [PermissionMode::Ask, PermissionMode::Auto, PermissionMode::Plan, PermissionMode::Full] {
        let ruling = desk.decide("run_bash", &json!({ "command": "ls; rm -rf build" }), mode);
        assert!(matches!(&ruling, Ruling::Deny(why) if why.contains("run_bash(rm:*)")), "{mode:?}: {ruling:?}");
        assert!(matches!(desk.decide("todo_write", &json!({}), mode), Ruling::Deny(_)));
    }
}

#[tokio::test]
async fn answers_come_before_questions_and_questions_before_allowances() {
    let desk = Desk::new(&[(RuleEffect::Allow, "run_bash(git:*)"), (RuleEffect::Ask, "run_bash(git push:*)")]).await;
    let push = json!({ "command": "git push" });
    let Ruling::Ask(question) = desk.decide("run_bash", &push, PermissionMode::Auto) else { panic!() };
    let suggestion = question.suggestion.unwrap();
    assert_eq!(suggestion, "run_bash(git push)");
    assert_eq!(desk.decide("run_bash", &push, PermissionMode::Full), Ruling::Allow, "full ignores questions");
    assert_eq!(desk.decide("run_bash", &json!({ "command": "git log" }), PermissionMode::Ask), Ruling::Allow);
    desk.permissions.remember(desk.user, desk.session, &suggestion, Scope::Session).await.unwrap();
    assert_eq!(desk.decide("run_bash", &push, PermissionMode::Auto), Ruling::Allow);
    // In another session, and for another user, it asks again; and the rule is on disk.
    let reopened = Permissions::open(desk.store.clone()).await.unwrap();
    let subject = |user_id, session_id| Subject {
        user_id,
        session_id,
        tool: &Named("run_bash"),
        arguments: &push,
        mode: PermissionMode::Auto,
        audience: Audience::User,
        isolation: Isolation::Full,
    };
    assert_eq!(reopened.decide(&subject(desk.user, desk.session)).ruling, Ruling::Allow);
    assert!(matches!(reopened.decide(&subject(desk.user, SessionId::new())).ruling, Ruling::Ask(_)));
    assert!(matches!(reopened.decide(&subject(UserId::new(), desk.session)).ruling, Ruling::Ask(_)));
}

#[tokio::test]
async fn an_unclear_command_asks_where_rules_could_be_against_it() {
    let unclear = json!({ "command": "a=rm; $a x" });
    let desk = Desk::new(&[]).await;
    assert_eq!(desk.decide("run_bash", &unclear, PermissionMode::Auto), Ruling::Allow);
    let desk = Desk::new(&[(RuleEffect::Deny, "run_bash(rm:*)"), (RuleEffect::Allow, "run_bash")]).await;
    for mode in [PermissionMode::Auto, PermissionMode::Full] {
        let ruling = desk.decide("run_bash", &unclear, mode);
        assert!(matches!(&ruling, Ruling::Ask(question) if question.suggestion.is_none()), "{mode:?}: {ruling:?}");
    }
    let desk = Desk::new(&[(RuleEffect::Ask, "run_bash(rm:*)")]).await;
    assert_eq!(desk.decide("run_bash", &unclear, PermissionMode::Full), Ruling::Allow, "full ignores what only asks");
}

#[tokio::test]
async fn plan_mode_writes_nothing_whatever_was_allowed() {
    let desk = Desk::new(&[(RuleEffect::Allow, "file_write"), (RuleEffect::Ask, "file_edit")]).await;
    desk.permissions.remember(desk.user, desk.session, "file_write", Scope::Always).await.unwrap();
    for tool in ["file_write", "file_edit"] {
        let ruling = desk.decide(tool, &json!({ "path": "a" }), PermissionMode::Plan);
        assert!(matches!(&ruling, Ruling::Deny(why) if why.contains("plan mode")), "{tool}: {ruling:?}");
    }
}

#[tokio::test]
async fn without_isolation_commands_ask_and_without_an_audience_questions_are_denials() {
    let desk = Desk::new(&[]).await;
    let arguments = json!({ "command": "ls" });
    let mut subject = Subject {
        user_id: desk.user,
        session_id: desk.session,
        tool: &Named("run_bash"),
        arguments: &arguments,
        mode: PermissionMode::Auto,
        audience: Audience::User,
        isolation: Isolation::None,
    };
    assert!(matches!(desk.permissions.decide(&subject).ruling, Ruling::Ask(_)));
    subject.audience = Audience::Nobody;
    let ruling = desk.permissions.decide(&subject).ruling;
    assert!(matches!(&ruling, Ruling::Deny(why) if why.contains("nobody to ask")), "{ruling:?}");
}
