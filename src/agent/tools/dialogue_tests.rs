//! The tools that talk to the user and to the run: `ask_user` and `compress_context`.

use super::*;
use crate::agent::events::Event;
use crate::config::Config;
use crate::store::Store;
use pretty_assertions::assert_eq;
use rstest::rstest;
use serde_json::json;
use std::collections::BTreeMap;
use tempfile::TempDir;

/// Somebody who always answers the same and remembers what was asked.
struct Says {
    reply: AskReply,
    asked: parking_lot::Mutex<Vec<(CallId, AskUser)>>,
}

#[async_trait]
impl Asker for Says {
    async fn ask(&self, call: &CallId, question: AskUser, _cancel: &CancellationToken) -> AskReply {
        self.asked.lock().push((call.clone(), question));
        self.reply.clone()
    }
}

struct NoTimeline;

impl EventSender for NoTimeline {
    fn send(&self, _event: Event) {}
}

async fn context(folder: &TempDir, reply: AskReply) -> (ToolContext, Arc<Says>) {
    let settings = BTreeMap::from([("ALMAGEST_DATA_DIR".into(), folder.path().to_str().unwrap().to_owned())]);
    let config = Arc::new(Config::from_sources(settings, BTreeMap::new()).unwrap());
    let store = Store::open(&config.database()).await.unwrap();
    let says = Arc::new(Says { reply, asked: parking_lot::Mutex::default() });
    let ctx = ToolContext {
        services: Arc::new(Services::build(config, store).unwrap()),
        user_id: UserId::new(),
        session_id: SessionId::new(),
        run_id: RunId::new(),
        call_id: CallId::new(),
        silent: false,
        files: Arc::default(),
        events: Arc::new(NoTimeline),
        asker: says.clone(),
        signals: Arc::default(),
        enable_thinking: false,
        cancel: CancellationToken::new(),
    };
    (ctx, says)
}

#[rstest]
#[case::answered(AskReply::Answered("the star".into()), Ok("The user answered: the star"))]
#[case::expired(AskReply::Expired, Ok("No answer"))]
#[case::stopped(AskReply::Cancelled, Err("stopped the run"))]
#[case::nobody(AskReply::Nobody, Err("nobody to ask"))]
#[tokio::test]
async fn the_model_learns_what_came_of_its_question(#[case] reply: AskReply, #[case] expected: Result<&str, &str>) {
    let folder = TempDir::new().unwrap();
    let (ctx, says) = context(&folder, reply).await;
    let args = json!({ "question": " Star or planet? ", "options": ["the star", "the planet"] });
    match (ask_user::AskUser.execute(args, &ctx).await, expected) {
        (Ok(output), Ok(begin)) => assert!(output.content.starts_with(begin) && !output.is_error, "{output:?}"),
        (Err(ToolError::Tell(why)), Err(part)) => assert!(why.contains(part), "{why}"),
        (outcome, expected) => panic!("{outcome:?}, expected {expected:?}"),
    }
    let question = AskUser { message: "Star or planet?".into(), options: vec!["the star".into(), "the planet".into()] };
    assert_eq!(*says.asked.lock(), [(ctx.call_id.clone(), question)]);
}

#[rstest]
#[case::nobody_there(true, "Star or planet?")]
#[case::nothing_asked(false, "  ")]
#[tokio::test]
async fn some_questions_are_not_put(#[case] silent: bool, #[case] question: &str) {
    let folder = TempDir::new().unwrap();
    let (mut ctx, says) = context(&folder, AskReply::Answered("yes".into())).await;
    ctx.silent = silent;
    let outcome = ask_user::AskUser.execute(json!({ "question": question }), &ctx).await;
    assert!(matches!(outcome, Err(ToolError::Tell(_))), "{outcome:?}");
    assert_eq!(*says.asked.lock(), []);
}

#[test]
fn a_question_outlasts_no_tool_limit_and_needs_no_consent() {
    let tool = ask_user::AskUser;
    assert!(tool.timeout() > crate::agent::asks::PATIENCE);
    assert_eq!(tool.interrupt_behavior(), InterruptBehavior::Block);
    assert_eq!(tool.check_permissions(&json!({})), [ToolRule::Allow { tool: "ask_user".into() }]);
}

#[tokio::test]
async fn a_compaction_is_asked_for_once_however_often() {
    let folder = TempDir::new().unwrap();
    let (ctx, _says) = context(&folder, AskReply::Nobody).await;
    assert_eq!(ctx.signals.take_compaction(), None);
    for args in [json!({}), json!({ "focus": "the redshifts" })] {
        let output = compress::CompressContext.execute(args, &ctx).await.unwrap();
        assert!(output.content.contains("before the next step"), "{}", output.content);
    }
    assert_eq!(ctx.signals.take_compaction().as_deref(), Some("the redshifts"));
    assert_eq!(ctx.signals.take_compaction(), None);
}
