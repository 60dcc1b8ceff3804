//! Papers that a person says are one, or two, and pairs that look like one.
//!
//! Sources merge by identifiers alone (`matching`). What shares only a title, the first author and the year is suggested to
//! people, never merged: errata, "Paper II" and proceedings do that as well.

use super::Literature;
use super::identity::PaperRef;
use super::matching::family_name;
use super::record::joined;
use crate::ids::PaperId;
use crate::store::papers::{Paper, Unmerged, load, merge, put, set_apart, set_together};
use crate::store::{Store, StoreError, StoreResult};
use std::collections::{BTreeMap, BTreeSet};

/// Titles with fewer letters and digits ("Erratum", "Preface") say nothing.
const SHORTEST_TITLE: usize = 12;
/// Suggestions in one answer.
const MOST_SUGGESTIONS: usize = 50;

impl Literature {
    /// Makes `other` a part of `kept`, with its identifiers, tags and everything else that belongs to it. Answers the paper.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when one of them is no paper, [`StoreError::Conflict`] when they are one already.
    pub async fn merge(&self, kept: PaperId, other: PaperId) -> StoreResult<Paper> {
        merge_papers(&self.store, kept, other).await
    }

    /// Undoes the merge that brought an identifier to a paper; the two stay apart, whatever a source says.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when the paper has no such identifier, [`StoreError::Conflict`] when no merge brought it.
    pub async fn unmerge(&self, paper: PaperId, identifier: &PaperRef) -> StoreResult<Unmerged> {
        self.store.unmerge_paper(paper, identifier.identifiers()).await
    }

    /// Remembers that two papers are not one, so that they are neither merged nor suggested.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when one of them is no paper, [`StoreError::Conflict`] when they are one already.
    pub async fn keep_apart(&self, one: PaperId, other: PaperId) -> StoreResult<()> {
        self.store
            .write(move |connection| {
                Box::pin(async move {
                    let one = load(&mut *connection, one).await?.ok_or(StoreError::NotFound("paper"))?.paper.id;
                    let other = load(&mut *connection, other).await?.ok_or(StoreError::NotFound("paper"))?.paper.id;
                    if one == other {
                        return Err(StoreError::Conflict("These are one paper; undo the merge first."));
                    }
                    set_apart(connection, one, other).await
                })
            })
            .await
    }

    /// Pairs of the library that may be one paper: the same title and first author, and years that differ by at most one.
    /// The older of the library is first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn look_alikes(&self) -> StoreResult<Vec<[Paper; 2]>> {
        look_alikes(&self.store).await
    }
}

async fn merge_papers(store: &Store, kept: PaperId, other: PaperId) -> StoreResult<Paper> {
    store
        .write(move |connection| {
            Box::pin(async move {
                let kept = load(&mut *connection, kept).await?.ok_or(StoreError::NotFound("paper"))?;
                let gone = load(&mut *connection, other).await?.ok_or(StoreError::NotFound("paper"))?;
                let (id, other) = (kept.paper.id, gone.paper.id);
                if id == other {
                    return Err(StoreError::Conflict("These are one paper already."));
                }
                set_together(&mut *connection, id, other).await?;
                merge(&mut *connection, id, other).await?;
                put(&mut *connection, &joined(kept, gone)).await?;
                Ok(load(connection, id).await?.ok_or(StoreError::NotFound("paper"))?.paper)
            })
        })
        .await
}

async fn look_alikes(store: &Store) -> StoreResult<Vec<[Paper; 2]>> {
    let papers = store.library_names().await?;
    let apart: BTreeSet<(PaperId, PaperId)> = store.papers_apart().await?.into_iter().collect();
    let mut alike: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (at, paper) in papers.iter().enumerate() {
        let title: String = paper.title.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        let author = paper.first_author.as_deref().and_then(family_name);
        if let Some(author) = author.filter(|_| title.chars().count() >= SHORTEST_TITLE) {
            alike.entry((title, author)).or_default().push(at);
        }
    }
    let mut pairs = Vec::new();
    for group in alike.values() {
        for (nth, one) in group.iter().enumerate() {
            for other in &group[nth + 1..] {
                let (one, other) = (&papers[*one], &papers[*other]);
                let years = one.year.zip(other.year).is_none_or(|(a, b)| a.abs_diff(b) <= 1);
                // Two e-prints are two papers.
                let two_eprints = one.arxiv_id.is_some() && other.arxiv_id.is_some();
                let pair = (one.id.min(other.id), one.id.max(other.id));
                if years && !two_eprints && !apart.contains(&pair) {
                    pairs.push(pair);
                }
            }
        }
    }
    pairs.sort_unstable();
    pairs.truncate(MOST_SUGGESTIONS);
    let mut found = Vec::with_capacity(pairs.len());
    for (one, other) in pairs {
        if let (Some(one), Some(other)) = (store.paper(one).await?, store.paper(other).await?) {
            found.push([one.paper, other.paper]);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
