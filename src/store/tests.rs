use super::*;
use crate::ids::{MessageId, RunId, SessionId};
use crate::store::accounts::{Admission, User, UserRole};
use crate::store::messages::{Message, Role};
use crate::store::runs::{Run, RunMode, RunOptions, RunRow, RunStatus};
use crate::store::sessions::{PermissionMode, Session};
use crate::time::Timestamp;
use sqlx::Executor;

pub(crate) async fn open() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("almagest.db")).await.unwrap();
    (folder, store)
}

async fn add_user(store: &Store, name: &str) -> UserId {
    let user = User {
        id: UserId::new(),
        username: name.into(),
        password_hash: "x".into(),
        role: UserRole::User,
        created_at: Timestamp::now(),
    };
    store.add_user(user.clone(), Admission::Always).await.unwrap();
    user.id
}

async fn add_session(store: &Store, user: UserId, title: &str) -> (SessionId, RunId) {
    let now = Timestamp::now();
    let session = Session {
        id: SessionId::new(),
        title: title.into(),
        mode: RunMode::Standard,
        permission_mode: PermissionMode::Auto,
        model: None,
        created_at: now,
        updated_at: now,
        last_message: String::new(),
        active_run_id: None,
        pinned: false,
        usage: Default::default(),
    };
    let run = Run {
        id: RunId::new(),
        session_id: session.id,
        status: RunStatus::Running,
        reason: None,
        detail: None,
        mode: RunMode::Standard,
        started_at: now,
        ended_at: None,
        steps: 0,
        usage: Default::default(),
    };
    let row = RunRow { run, user_id: user, options: RunOptions::default() };
    let ids = (session.id, row.run.id);
    store
        .write(move |c| {
            Box::pin(async move {
                sessions::add(&mut *c, user, &session).await?;
                runs::add(c, &row).await
            })
        })
        .await
        .unwrap();
    ids
}

async fn add_message(store: &Store, user: UserId, ids: (SessionId, RunId), role: Role, text: &str) -> MessageId {
    let message = Message::new(ids.0, ids.1, role, text.into());
    let id = message.id;
    store.write(move |c| Box::pin(async move { messages::add(c, user, &message, None).await })).await.unwrap();
    id
}

/// A user with a session, for tests of other modules.
pub(crate) async fn user_and_session(store: &Store) -> (UserId, SessionId) {
    let user = add_user(store, "ada").await;
    (user, add_session(store, user, "t").await.0)
}

#[tokio::test]
async fn every_statement_prepares() {
    let (_folder, store) = open().await;
    let mut connection = store.reader().acquire().await.unwrap();
    for (file, statements) in all_statements() {
        for (name, sql) in statements {
            let prepared = connection.prepare(sqlx::SqlStr::from_static(sql)).await;
            assert!(prepared.is_ok(), "{file}::{name}: {}", prepared.err().unwrap());
        }
    }
}

fn all_statements() -> Vec<(&'static str, &'static [(&'static str, &'static str)])> {
    vec![
        ("accounts", accounts::STATEMENTS),
        ("audit", audit::STATEMENTS),
        ("compactions", compactions::STATEMENTS),
        ("events", events::STATEMENTS),
        ("library", library::STATEMENTS),
        ("papers/merges", papers::MERGE_STATEMENTS),
        ("memories", memories::STATEMENTS),
        ("messages", messages::STATEMENTS),
        ("mineru_jobs", mineru_jobs::STATEMENTS),
        ("papers", papers::STATEMENTS),
        ("runs", runs::STATEMENTS),
        ("sessions", sessions::STATEMENTS),
        ("targets", targets::STATEMENTS),
        ("permissions", permissions::STATEMENTS),
        ("prompts", prompts::STATEMENTS),
        ("questions", questions::STATEMENTS),
        ("todos", todos::STATEMENTS),
    ]
}

#[tokio::test]
async fn a_failed_command_leaves_the_others_of_its_batch_alone() {
    let (_folder, store) = open().await;
    let user = add_user(&store, "ada").await;
    let writes = (0..100).map(|n| {
        let store = store.clone();
        async move {
            let name = format!("user{}", n % 50);
            let row = User {
                id: UserId::new(),
                username: name,
                password_hash: "x".into(),
                role: UserRole::User,
                created_at: Timestamp::now(),
            };
            store.add_user(row, Admission::Always).await
        }
    });
    let outcomes = futures::future::join_all(writes).await;
    assert_eq!(outcomes.iter().filter(|o| o.is_ok()).count(), 50);
    assert!(outcomes.iter().filter_map(|o| o.as_ref().err()).all(|e| matches!(e, StoreError::Conflict(_))));
    assert_eq!(store.count_users().await.unwrap(), 51);
    let panicked: StoreResult<()> =
        store.write(|_| Box::pin(async { if std::hint::black_box(true) { panic!("a defect") } else { Ok(()) } })).await;
    assert!(matches!(panicked, Err(StoreError::Panicked)));
    assert!(store.user_by_name("ADA").await.unwrap().is_some_and(|found| found.id == user));
}

#[tokio::test]
async fn the_extensions_are_there() {
    let (_folder, store) = open().await;
    let version: String = sqlx::query_scalar("SELECT vec_version()").fetch_one(store.reader()).await.unwrap();
    assert!(version.starts_with('v'), "{version}");
    let refused = sqlx::query("DELETE FROM users").execute(store.reader()).await;
    assert!(refused.is_err(), "the reader pool must not write");
}

#[tokio::test]
async fn history_is_found_however_names_are_typed_and_only_by_its_owner() {
    let (_folder, store) = open().await;
    let (ada, eve) = (add_user(&store, "ada").await, add_user(&store, "eve").await);
    let ids = add_session(&store, ada, "TRAPPIST-1 atmospheres").await;
    let id = add_message(&store, ada, ids, Role::User, "What about M31 and NGC 1275? 系外行星的大气层呢？").await;
    add_message(&store, ada, ids, Role::Tool, "noise about NGC 1275").await;
    for query in ["m 31", "M31", "ngc1275", "NGC 1275", "大气", "行星", "ngc 12", "\"what", "about AND", "(NGC"] {
        let hits = store.search_history(ada, query, None, 10).await.unwrap();
        assert_eq!(hits.iter().filter_map(|hit| hit.message_id).collect::<Vec<_>>(), [id], "{query}");
        assert!(store.search_history(eve, query, None, 10).await.unwrap().is_empty(), "{query}");
    }
    for query in ["", "*", "\"", "NEAR(", "foo:bar", "-x", "^", "大星", "\0"] {
        assert!(store.search_history(ada, query, None, 10).await.unwrap().is_empty(), "{query:?}");
    }
    let titles = store.search_history(ada, "atmosphere", None, 10).await.unwrap();
    assert_eq!(titles[0].session_id, ids.0);
    assert!(titles[0].message_id.is_none());
    assert!(store.search_history(ada, "atmosphere", Some(ids.0), 10).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_taken_or_deleted_message_stays_consistent_with_the_index() {
    let (_folder, store) = open().await;
    let user = add_user(&store, "ada").await;
    let ids = add_session(&store, user, "s").await;
    let mut waiting = Message::new(ids.0, ids.1, Role::User, "a quasar spectrum".into());
    waiting.queued = true;
    let id = waiting.id;
    store.write(move |c| Box::pin(async move { messages::add(c, user, &waiting, None).await })).await.unwrap();
    add_message(&store, user, ids, Role::Assistant, "an answer").await;
    let edited = store
        .write(move |c| Box::pin(async move { messages::edit_queued(c, ids.0, id, "a blazar spectrum").await }))
        .await
        .unwrap();
    assert!(edited.queued);
    let taken =
        store.write(move |c| Box::pin(async move { messages::take_queued(c, ids.0, ids.1).await })).await.unwrap();
    assert_eq!(taken.len(), 1);
    let order: Vec<String> = store.messages(ids.0).await.unwrap().into_iter().map(|m| m.content).collect();
    assert_eq!(order, ["an answer", "a blazar spectrum"]);
    assert_eq!(store.search_history(user, "blazar", None, 5).await.unwrap().len(), 1);
    assert!(store.search_history(user, "quasar", None, 5).await.unwrap().is_empty());
    let late = store.write(move |c| Box::pin(async move { messages::delete_queued(c, ids.0, id).await })).await;
    assert!(matches!(late, Err(StoreError::Conflict(_))));
    store.write(move |c| Box::pin(async move { sessions::delete(c, user, ids.0).await })).await.unwrap();
    assert!(store.search_history(user, "blazar", None, 5).await.unwrap().is_empty());
    let check = "INSERT INTO agent_messages_fts (agent_messages_fts, rank) VALUES ('integrity-check', 1)";
    store.write(move |c| Box::pin(async move { Ok(sqlx::query(check).execute(c).await.map(drop)?) })).await.unwrap();
}

#[tokio::test]
async fn a_session_has_one_run_at_a_time_and_a_call_one_result() {
    let (_folder, store) = open().await;
    let user = add_user(&store, "ada").await;
    let (session, run) = add_session(&store, user, "s").await;
    let second = RunRow {
        run: Run { id: RunId::new(), ..runs::get(store.reader(), user, run).await.unwrap().run },
        user_id: user,
        options: RunOptions::default(),
    };
    let refused = store.write(move |c| Box::pin(async move { runs::add(c, &second).await })).await;
    assert!(refused.is_err());
    let mut result = Message::new(session, run, Role::Tool, "r".into());
    result.tool_call_id = Some(crate::ids::CallId::new());
    let again = Message { id: MessageId::new(), ..result.clone() };
    store.write(move |c| Box::pin(async move { messages::add(c, user, &result, None).await })).await.unwrap();
    assert!(store.write(move |c| Box::pin(async move { messages::add(c, user, &again, None).await })).await.is_err());
}

#[tokio::test]
async fn a_newer_database_and_a_broken_one_are_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("almagest.db");
    let store = Store::open(&path).await.unwrap();
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
        VALUES (9999, 'later', 1, x'00', 0)";
    store.write(move |c| Box::pin(async move { Ok(sqlx::query(newer).execute(c).await.map(drop)?) })).await.unwrap();
    store.close().await;
    let error = Store::open(&path).await.err().unwrap().to_string();
    assert!(error.contains("newer version of Almagest") && error.contains("9999"), "{error}");
    std::fs::write(folder.path().join("bad.db"), "this is no database, it only looks like one".repeat(100)).unwrap();
    let error = Store::open(&folder.path().join("bad.db")).await.err().unwrap().to_string();
    assert!(error.contains("bad.db") && error.contains("ALMAGEST_DATA_DIR"), "{error}");
}
