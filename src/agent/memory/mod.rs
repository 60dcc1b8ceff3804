//! What is remembered from one conversation to the next.
//!
//! A memory passes the [`gate`] before it is stored; one that says what is known already is joined with it. A session
//! begins with an index of the user's memories ([`index_text`]), and each question brings the memories that it is about
//! ([`relevant`]).

pub mod gate;

use crate::ids::{MemoryId, UserId};
use crate::store::memories::{self, Memory, MemoryKind, MemorySource};
use crate::store::{Store, StoreError, StoreResult, fts};
use crate::time::Timestamp;
use std::collections::HashSet;
use std::fmt::Write;

/// Word sets that share this much of their union say the same.
const SAME: f64 = 0.7;
/// Memories that are compared with a new one.
const COMPARED: i64 = 20;
/// Lines of the index.
const INDEXED: i64 = 40;
/// Characters of a line of the index.
const LINE: usize = 120;
/// Memories that ride with a question.
const WITH_A_QUESTION: i64 = 5;
/// Words of a question that are searched for.
const QUESTION_WORDS: usize = 32;

/// Something that may be worth remembering.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// What.
    pub content: String,
    /// What it is about.
    pub kind: MemoryKind,
    /// Where it comes from.
    pub source: MemorySource,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
}

/// What came of a draft.
#[derive(Debug, Clone, PartialEq)]
pub enum Remembered {
    /// It is a memory now.
    New(Memory),
    /// It said more than a memory that was there, and replaced its text.
    Merged(Memory),
    /// This memory says it already.
    Known(Memory),
}

/// Why something was not remembered.
#[derive(Debug, thiserror::Error)]
pub enum RememberError {
    /// It does not pass the gate.
    #[error("{0}")]
    Refused(#[from] gate::Refusal),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Stores a memory, unless the gate refuses it or one says the same already.
///
/// # Errors
/// With the gate's reason, or when the database cannot be written.
pub async fn remember(store: &Store, user: UserId, draft: Draft) -> Result<Remembered, RememberError> {
    let content = gate::check(&draft.content)?;
    let remembered = store
        .write(move |connection| {
            Box::pin(async move {
                let alike = match fts::any_expression(&content, QUESTION_WORDS) {
                    Some(expression) => memories::search(&mut *connection, user, &expression, COMPARED).await?,
                    None => Vec::new(),
                };
                let same = alike.into_iter().find(|memory| jaccard(&memory.content, &content) >= SAME);
                let Some(mut known) = same else {
                    let memory = Memory {
                        id: MemoryId::new(),
                        content,
                        kind: draft.kind,
                        source: draft.source,
                        confidence: draft.confidence.clamp(0.0, 1.0),
                        pinned: false,
                        created_at: Timestamp::now(),
                        last_used_at: None,
                    };
                    memories::add(connection, user, &memory).await?;
                    return Ok(Remembered::New(memory));
                };
                // Said twice is surer; the fuller wording stays.
                known.confidence = known.confidence.max(draft.confidence.clamp(0.0, 1.0));
                let says_more = words(&content).len() > words(&known.content).len();
                if says_more {
                    known.content = content;
                }
                memories::set(connection, user, &known).await?;
                Ok(if says_more { Remembered::Merged(known) } else { Remembered::Known(known) })
            })
        })
        .await?;
    Ok(remembered)
}

/// The memories that a question is about, as lines for the model; empty without any. Notes that they were used.
///
/// # Errors
/// When the database cannot be used.
pub async fn relevant(store: &Store, user: UserId, question: &str) -> StoreResult<String> {
    let Some(expression) = fts::any_expression(question, QUESTION_WORDS) else { return Ok(String::new()) };
    let found = memories::search(store.reader(), user, &expression, WITH_A_QUESTION).await?;
    // One common word is no relation: two words have to be shared, or all of a short question.
    let asked = words(question);
    let needed = asked.len().min(2);
    let found: Vec<Memory> =
        found.into_iter().filter(|memory| words(&memory.content).intersection(&asked).count() >= needed).collect();
    if found.is_empty() {
        return Ok(String::new());
    }
    let ids: Vec<MemoryId> = found.iter().map(|memory| memory.id).collect();
    store.write(move |connection| Box::pin(async move { memories::used(connection, &ids).await })).await?;
    let mut text = String::from("From earlier conversations (may be out of date):");
    for memory in &found {
        let _ = write!(text, "\n- {}", memory.content);
    }
    Ok(text)
}

/// The index of a user's memories for the system prompt; empty without any.
///
/// # Errors
/// When the database cannot be read.
pub async fn index_text(store: &Store, user: UserId) -> StoreResult<String> {
    let all = memories::list(store.reader(), user, None, INDEXED).await?;
    if all.is_empty() {
        return Ok(String::new());
    }
    let mut text = String::from(
        "Memories\nWhat earlier conversations left about this user's work. It may be out of date: what the user says now \
         counts. Add to it with save_memory.\n",
    );
    for memory in &all {
        let kind = match memory.kind {
            MemoryKind::Preference => "preference",
            MemoryKind::Fact => "fact",
            MemoryKind::Decision => "decision",
            MemoryKind::Reference => "reference",
        };
        let mut line: String = memory.content.chars().take(LINE).collect();
        if memory.content.chars().count() > LINE {
            line.push('…');
        }
        let _ = writeln!(text, "- ({kind}) {line}");
    }
    Ok(text)
}

/// The share of two texts' words that they have in common, from 0 to 1 (P. Jaccard 1901).
fn jaccard(a: &str, b: &str) -> f64 {
    let (a, b) = (words(a), words(b));
    let shared = a.intersection(&b).count();
    let all = a.len() + b.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

/// The words of a text as full text sees them: lower case, ideographs one by one.
fn words(text: &str) -> HashSet<String> {
    fts::normalise(text)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::{open, user_and_session};

    fn draft(content: &str) -> Draft {
        Draft {
            content: content.into(),
            kind: MemoryKind::Preference,
            source: MemorySource::default(),
            confidence: 0.8,
        }
    }

    #[tokio::test]
    async fn what_is_known_is_not_stored_twice() {
        let (_folder, store) = open().await;
        let (user, _) = user_and_session(&store).await;
        let text = "The user prefers distances in parsecs and never in light years";
        let Remembered::New(first) = remember(&store, user, draft(text)).await.unwrap() else { panic!() };
        let again = remember(&store, user, draft("the user prefers distances in parsecs, never in light years")).await;
        assert!(matches!(again.unwrap(), Remembered::Known(known) if known.id == first.id));
        let fuller = format!("{text} or kilometres");
        let merged = remember(&store, user, draft(&fuller)).await.unwrap();
        assert!(matches!(merged, Remembered::Merged(known) if known.id == first.id && known.content == fuller));
        let other = remember(&store, user, draft("The user works on hot Jupiters around M dwarfs")).await.unwrap();
        assert!(matches!(other, Remembered::New(_)));
        assert_eq!(memories::list(store.reader(), user, None, 10).await.unwrap().len(), 2);
    }

    #[tokio::test]
    async fn a_question_brings_what_it_is_about() {
        let (_folder, store) = open().await;
        let (user, _) = user_and_session(&store).await;
        assert_eq!(index_text(&store, user).await.unwrap(), "");
        remember(&store, user, draft("Distances are given in parsecs in this project")).await.unwrap();
        remember(&store, user, draft("TRAPPIST-1 的质量取自 Agol 2021 的结果")).await.unwrap();
        let relevant = async |question: &str| relevant(&store, user, question).await.unwrap();
        assert!(relevant("Which unit do distances have in the tables? parsecs?").await.contains("in parsecs"));
        assert!(relevant("TRAPPIST-1 的质量是多少").await.contains("Agol"));
        assert_eq!(relevant("What is the project of the day?").await, "");
        assert_eq!(relevant("?").await, "");
        let used = memories::list(store.reader(), user, None, 10).await.unwrap();
        assert!(used.iter().all(|memory| memory.last_used_at.is_some()));
        assert_eq!(index_text(&store, user).await.unwrap().lines().count(), 4);
    }
}
