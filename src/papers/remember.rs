//! Storing what the sources say: every description finds its paper, or becomes a new one.

use super::matching::{MatchKey, Names};
use super::record::Record;
use crate::ids::PaperId;
use crate::store::papers::{StoredPaper, are_apart, attach, load, merge, owners, put};
use crate::store::{Store, StoreResult};
use crate::time::Timestamp;
use sqlx::SqliteConnection;

/// Stores papers, each with everything the sources said about it, in one write; answers in the same order.
pub(super) async fn remember(store: &Store, papers: Vec<Vec<Record>>) -> StoreResult<Vec<StoredPaper>> {
    if papers.is_empty() {
        return Ok(Vec::new());
    }
    let now = Timestamp::now();
    store
        .write(move |connection| {
            Box::pin(async move {
                let mut stored = Vec::with_capacity(papers.len());
                for records in &papers {
                    let mut id = None;
                    for record in records {
                        id = Some(remember_one(&mut *connection, record, id, now).await?);
                    }
                    if let Some(id) = id {
                        stored.extend(load(&mut *connection, id).await?);
                    }
                }
                Ok(stored)
            })
        })
        .await
}

/// Finds the paper that the record describes, merging what turns out to be one, and adds what is new.
///
/// `same_as` is the paper that another source's record of the same hit belongs to.
async fn remember_one(
    connection: &mut SqliteConnection,
    record: &Record,
    same_as: Option<PaperId>,
    now: Timestamp,
) -> StoreResult<PaperId> {
    let identifiers = record.identifiers();
    let mut names = Names::of(&identifiers);
    let mut candidates: Vec<(MatchKey, StoredPaper)> = Vec::new();
    for owner in owners(connection, &identifiers).await? {
        if let Some(stored) = load(connection, owner).await?
            && let Some(key) = Names::of(&stored.paper.identifiers).matches(&names)
        {
            candidates.push((key, stored));
        }
    }
    // Of papers that stay apart the record describes the one that has its first name.
    let first = identifiers.first();
    candidates.sort_by_key(|(key, stored)| {
        let has_first = stored
            .paper
            .identifiers
            .iter()
            .any(|known| first.is_some_and(|first| (known.scheme, &known.value) == (first.scheme, &first.value)));
        (!has_first, *key, stored.paper.id)
    });
    let mut same: Vec<StoredPaper> = Vec::new();
    if let Some(id) = same_as {
        same.extend(load(connection, id).await?);
    }
    for stored in &same {
        names.extend(Names::of(&stored.paper.identifiers));
    }
    for (_, stored) in candidates {
        let known = same.iter().any(|other| other.paper.id == stored.paper.id);
        // What matched the record may still contradict what was joined before.
        let other = Names::of(&stored.paper.identifiers);
        if !known && names.matches(&other).is_some() && !apart_from_any(connection, &same, stored.paper.id).await? {
            names.extend(other);
            same.push(stored);
        }
    }
    // The oldest id stays: it is the one that notes and links know.
    same.sort_by_key(|stored| stored.paper.id);
    let mut same = same.into_iter();
    let kept = same.next();
    let updated = record.apply(kept, now);
    for gone in same {
        merge(connection, updated.paper.id, gone.paper.id).await?;
    }
    put(connection, &updated).await?;
    attach(connection, updated.paper.id, &identifiers).await?;
    Ok(updated.paper.id)
}

async fn apart_from_any(connection: &mut SqliteConnection, papers: &[StoredPaper], id: PaperId) -> StoreResult<bool> {
    for stored in papers {
        if are_apart(connection, stored.paper.id, id).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests;
