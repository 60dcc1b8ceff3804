//! Papers that turned out to be one, and papers that somebody said are two.
//!
//! A merge moves identifiers and marks and keeps where they came from (`origin_id`) and what the paper was before, so that it can
//! be undone. What is undone is remembered, so that the next answer of a source does not merge the papers again.

use super::{Identifier, Paper, PaperVersion, Scheme, StoredPaper, VersionKind, json, load, put};
use crate::ids::PaperId;
use crate::store::{Store, StoreError, StoreResult, statements};
use crate::time::Timestamp;
use sqlx::{Row, SqliteConnection};

/// A paper and everything that was ever merged into it.
macro_rules! families {
    () => {
        "WITH RECURSIVE one (id) AS (SELECT ?1 UNION SELECT papers.id FROM papers JOIN one ON papers.merged_into = one.id),
            other (id) AS (SELECT ?2 UNION SELECT papers.id FROM papers JOIN other ON papers.merged_into = other.id) "
    };
}

statements! {
    MOVE_IDENTIFIERS = "UPDATE paper_identifiers SET paper_id = ?1 WHERE paper_id = ?2";
    MARK_MERGED = "UPDATE papers SET merged_into = ?1 WHERE id = ?2";
    KEEP_MARKS = "UPDATE papers SET in_library = max(papers.in_library, gone.in_library),
            added_at = coalesce(min(papers.added_at, gone.added_at), papers.added_at, gone.added_at),
            tags = (SELECT coalesce(json_group_array(value), '[]') FROM
                (SELECT value FROM json_each(papers.tags) UNION SELECT value FROM json_each(gone.tags) ORDER BY 1)),
            has_pdf = max(papers.has_pdf, gone.has_pdf),
            has_text = max(papers.has_text, gone.has_text), notes_count = papers.notes_count + gone.notes_count
        FROM (SELECT * FROM papers WHERE id = ?2) AS gone WHERE papers.id = ?1";
    KEEP_BEFORE = "INSERT INTO paper_merges (gone, kept, before, merged_at) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (gone) DO UPDATE SET kept = excluded.kept, before = excluded.before, merged_at = excluded.merged_at";
    ORIGIN = "SELECT paper_id, origin_id FROM paper_identifiers
        WHERE (scheme, value) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?1)) AND paper_id = ?2
        ORDER BY origin_id = paper_id LIMIT 1";
    BEFORE = "SELECT before FROM paper_merges WHERE gone = ?1 AND kept = ?2";
    FORGET_MERGE = "DELETE FROM paper_merges WHERE gone = ?1";
    RELEASE = "UPDATE papers SET merged_into = NULL WHERE id = ?1";
    GIVE_BACK = "WITH RECURSIVE family (id) AS (SELECT ?1 UNION SELECT papers.id FROM papers JOIN family ON papers.merged_into = family.id)
        UPDATE paper_identifiers SET paper_id = ?1 WHERE origin_id IN (SELECT id FROM family)";
    SET_APART = "INSERT INTO papers_apart (first, second, added_at) VALUES (min(?1, ?2), max(?1, ?2), ?3) ON CONFLICT DO NOTHING";
    ARE_APART = concat!(families!(), "SELECT EXISTS (SELECT 1 FROM papers_apart
        WHERE (first IN (SELECT id FROM one) AND second IN (SELECT id FROM other))
            OR (first IN (SELECT id FROM other) AND second IN (SELECT id FROM one)))");
    TOGETHER = concat!(families!(), "DELETE FROM papers_apart
        WHERE (first IN (SELECT id FROM one) AND second IN (SELECT id FROM other))
            OR (first IN (SELECT id FROM other) AND second IN (SELECT id FROM one))");
}

/// Makes `gone` a part of `kept`: identifiers and marks move, and remember where they came from.
///
/// # Errors
/// [`StoreError::NotFound`] when `kept` is no paper; when the database cannot be written.
pub async fn merge(connection: &mut SqliteConnection, kept: PaperId, gone: PaperId) -> StoreResult<()> {
    let before = load(&mut *connection, kept).await?.ok_or(StoreError::NotFound("paper"))?.paper;
    sqlx::query(KEEP_BEFORE)
        .bind(gone)
        .bind(kept)
        .bind(json(&before)?)
        .bind(Timestamp::now())
        .execute(&mut *connection)
        .await?;
    for statement in [KEEP_MARKS, MOVE_IDENTIFIERS, MARK_MERGED] {
        sqlx::query(statement).bind(kept).bind(gone).execute(&mut *connection).await?;
    }
    Ok(())
}

/// Whether somebody said that these are two papers.
///
/// # Errors
/// When the database cannot be read.
pub async fn are_apart(connection: &mut SqliteConnection, one: PaperId, other: PaperId) -> StoreResult<bool> {
    Ok(sqlx::query_scalar(ARE_APART).bind(one).bind(other).fetch_one(connection).await?)
}

/// Remembers that these are two papers.
///
/// # Errors
/// When the database cannot be written.
pub async fn set_apart(connection: &mut SqliteConnection, one: PaperId, other: PaperId) -> StoreResult<()> {
    sqlx::query(SET_APART).bind(one).bind(other).bind(Timestamp::now()).execute(connection).await?;
    Ok(())
}

/// Forgets that these were said to be two papers.
///
/// # Errors
/// When the database cannot be written.
pub async fn set_together(connection: &mut SqliteConnection, one: PaperId, other: PaperId) -> StoreResult<()> {
    sqlx::query(TOGETHER).bind(one).bind(other).execute(connection).await?;
    Ok(())
}

/// The two papers after a merge was undone.
#[derive(Debug, Clone, PartialEq)]
pub struct Unmerged {
    /// The paper that had stayed.
    pub kept: Paper,
    /// The paper that is one of its own again.
    pub released: Paper,
}

impl Store {
    /// Makes the paper that brought one of these identifiers (the spellings of one name) a paper of its own again, with
    /// everything that was its own. The two stay apart from then on.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when the paper has no such identifier, [`StoreError::Conflict`] when no merge brought it.
    pub async fn unmerge_paper(&self, paper: PaperId, identifiers: Vec<Identifier>) -> StoreResult<Unmerged> {
        self.write(move |connection| {
            Box::pin(async move {
                let known = load(&mut *connection, paper).await?.ok_or(StoreError::NotFound("paper"))?;
                let kept = known.paper.id;
                let pairs: Vec<_> = identifiers.iter().map(|each| (each.scheme, &each.value)).collect();
                let row = sqlx::query(ORIGIN).bind(json(&pairs)?).bind(kept).fetch_optional(&mut *connection).await?;
                let origin: PaperId = row.ok_or(StoreError::NotFound("identifier of this paper"))?.try_get(1)?;
                if origin == kept {
                    return Err(StoreError::Conflict(
                        "This identifier came with the paper itself; there is no merge to undo.",
                    ));
                }
                let before: Option<String> =
                    sqlx::query_scalar(BEFORE).bind(origin).bind(kept).fetch_optional(&mut *connection).await?;
                for statement in [RELEASE, GIVE_BACK, FORGET_MERGE] {
                    sqlx::query(statement).bind(origin).execute(&mut *connection).await?;
                }
                set_apart(&mut *connection, kept, origin).await?;
                let left = load(&mut *connection, kept).await?.ok_or(StoreError::NotFound("paper"))?;
                put(&mut *connection, &without_the_other(left, before)?).await?;
                let kept = load(&mut *connection, kept).await?.ok_or(StoreError::NotFound("paper"))?.paper;
                let released = load(connection, origin).await?.ok_or(StoreError::NotFound("paper"))?.paper;
                Ok(Unmerged { kept, released })
            })
        })
        .await
    }
}

/// The metadata from before the merge, where they are known, under names that the paper still has. It counts as incomplete, so
/// that the sources are asked again.
fn without_the_other(left: StoredPaper, before: Option<String>) -> StoreResult<StoredPaper> {
    let identifiers = left.paper.identifiers.clone();
    let mut paper = match before {
        Some(before) => serde_json::from_str(&before).map_err(|error| StoreError::Corrupt(error.to_string()))?,
        None => left.paper,
    };
    let has = |scheme: Scheme, value: &str| {
        identifiers.iter().any(|known| known.scheme == scheme && known.value.eq_ignore_ascii_case(value))
    };
    let own = |scheme: Scheme, shown: Option<String>| {
        let first = || identifiers.iter().find(|known| known.scheme == scheme).map(|known| known.value.clone());
        shown.filter(|value| has(scheme, value)).or_else(first)
    };
    paper.bibcode = own(Scheme::Bibcode, paper.bibcode);
    paper.doi = own(Scheme::Doi, paper.doi);
    paper.arxiv_id = own(Scheme::Arxiv, paper.arxiv_id);
    let published = |paper: &Paper| paper.versions.iter().any(|version| version.kind == VersionKind::Published);
    let was_published = published(&paper);
    paper.versions.retain(|PaperVersion { kind, id, .. }| match kind {
        VersionKind::Preprint => {
            let bare =
                id.rsplit_once('v').filter(|(_, number)| number.parse::<u32>().is_ok()).map_or(&**id, |(id, _)| id);
            has(Scheme::Arxiv, bare)
        }
        VersionKind::Accepted | VersionKind::Published => has(Scheme::Bibcode, id) || has(Scheme::Doi, id),
    });
    if was_published && !published(&paper) {
        paper.published_as = None;
    }
    Ok(StoredPaper { paper, complete: false, fetched_at: left.fetched_at })
}
