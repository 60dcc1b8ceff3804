//! Papers and their identifiers.
//!
//! The functions that take a connection are the steps of a write command; which papers are one and the same is decided by
//! the domain, which calls them.

mod merges;
mod shapes;

#[cfg(test)]
pub(crate) use merges::STATEMENTS as MERGE_STATEMENTS;
pub use merges::{Unmerged, are_apart, merge, set_apart, set_together};
pub use shapes::*;

use super::{Store, StoreError, StoreResult, statements};
use crate::ids::PaperId;
use crate::time::Timestamp;
use serde::de::DeserializeOwned;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

statements! {
    LOAD = "WITH RECURSIVE chain (id, depth) AS (
            SELECT ?1, 0
            UNION ALL
            SELECT papers.merged_into, depth + 1 FROM papers JOIN chain USING (id) WHERE merged_into IS NOT NULL AND depth < 64
        )
        SELECT * FROM papers WHERE id = (SELECT id FROM chain ORDER BY depth DESC LIMIT 1)";
    IDENTIFIERS = "SELECT scheme, value, source FROM paper_identifiers WHERE paper_id = ?1 ORDER BY scheme, value";
    OWNERS = "SELECT DISTINCT paper_id FROM paper_identifiers
        WHERE (scheme, value) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?1)) ORDER BY paper_id";
    PUT = "INSERT INTO papers (id, title, authors, year, pubdate, venue, abstract, keywords, doctype, bibcode, doi, arxiv_id,
            citation_count, state, versions, published_as, complete, fetched_at, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
        ON CONFLICT (id) DO UPDATE SET title = excluded.title, authors = excluded.authors, year = excluded.year,
            pubdate = excluded.pubdate, venue = excluded.venue, abstract = excluded.abstract, keywords = excluded.keywords,
            doctype = excluded.doctype, bibcode = excluded.bibcode, doi = excluded.doi, arxiv_id = excluded.arxiv_id,
            citation_count = excluded.citation_count, state = excluded.state, versions = excluded.versions,
            published_as = excluded.published_as, complete = excluded.complete, fetched_at = excluded.fetched_at";
    ATTACH = "INSERT INTO paper_identifiers (scheme, value, paper_id, origin_id, source, added_at)
        VALUES (?1, ?2, ?3, ?3, ?4, ?5)
        ON CONFLICT (scheme, value) DO UPDATE SET source = excluded.source, paper_id = excluded.paper_id,
            origin_id = iif(paper_id = excluded.paper_id, origin_id, excluded.origin_id)
        WHERE source = 'arxiv' AND excluded.source <> 'arxiv' AND NOT EXISTS (SELECT 1 FROM papers_apart
            WHERE first = min(paper_identifiers.paper_id, excluded.paper_id)
                AND second = max(paper_identifiers.paper_id, excluded.paper_id))";
}

/// The paper of this id, or the one it was merged into.
///
/// # Errors
/// When the database cannot be read.
pub async fn load(connection: &mut SqliteConnection, id: PaperId) -> StoreResult<Option<StoredPaper>> {
    let Some(row) = sqlx::query(LOAD).bind(id).fetch_optional(&mut *connection).await? else { return Ok(None) };
    let mut stored = read(&row)?;
    let identifiers = sqlx::query(IDENTIFIERS).bind(stored.paper.id).fetch_all(connection).await?;
    stored.paper.identifiers = identifiers
        .iter()
        .map(|row| Ok(Identifier { scheme: row.try_get(0)?, value: row.try_get(1)?, source: row.try_get(2)? }))
        .collect::<StoreResult<_>>()?;
    Ok(Some(stored))
}

/// The papers that have any of these identifiers, oldest first.
///
/// # Errors
/// When the database cannot be read.
pub async fn owners(connection: &mut SqliteConnection, identifiers: &[Identifier]) -> StoreResult<Vec<PaperId>> {
    let pairs: Vec<_> = identifiers.iter().map(|identifier| (identifier.scheme, &identifier.value)).collect();
    Ok(sqlx::query_scalar(OWNERS).bind(json(&pairs)?).fetch_all(connection).await?)
}

/// Writes the metadata of a paper; the marks of the library (tags, notes, files) stay as they are.
///
/// # Errors
/// When the database cannot be written.
pub async fn put(connection: &mut SqliteConnection, stored: &StoredPaper) -> StoreResult<()> {
    let StoredPaper { paper, complete, fetched_at } = stored;
    sqlx::query(PUT)
        .bind(paper.id)
        .bind(&paper.title)
        .bind(json(&paper.authors)?)
        .bind(paper.year)
        .bind(&paper.pubdate)
        .bind(&paper.venue)
        .bind(&paper.abstract_text)
        .bind(json(&paper.keywords)?)
        .bind(&paper.doctype)
        .bind(&paper.bibcode)
        .bind(&paper.doi)
        .bind(&paper.arxiv_id)
        .bind(paper.citation_count)
        .bind(paper.state)
        .bind(json(&paper.versions)?)
        .bind(&paper.published_as)
        .bind(complete)
        .bind(fetched_at)
        .bind(Timestamp::now())
        .execute(connection)
        .await?;
    Ok(())
}

/// Gives a paper identifiers. One that already belongs to a paper stays where it is, unless that rests on what authors
/// told arXiv alone and a better source disagrees.
///
/// # Errors
/// When the database cannot be written.
pub async fn attach(connection: &mut SqliteConnection, paper: PaperId, identifiers: &[Identifier]) -> StoreResult<()> {
    for identifier in identifiers {
        sqlx::query(ATTACH)
            .bind(identifier.scheme)
            .bind(&identifier.value)
            .bind(paper)
            .bind(identifier.source)
            .bind(Timestamp::now())
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

impl Store {
    /// The paper of this id, or the one it was merged into.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn paper(&self, id: PaperId) -> StoreResult<Option<StoredPaper>> {
        let mut connection = self.reader().acquire().await?;
        load(&mut connection, id).await
    }

    /// The paper that has one of these identifiers; the oldest when they belong to several.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn paper_by_identifier(&self, identifiers: &[Identifier]) -> StoreResult<Option<StoredPaper>> {
        let mut connection = self.reader().acquire().await?;
        match owners(&mut connection, identifiers).await?.first() {
            Some(id) => load(&mut connection, *id).await,
            None => Ok(None),
        }
    }
}

pub(super) fn read(row: &SqliteRow) -> StoreResult<StoredPaper> {
    let paper = Paper {
        id: row.try_get("id")?,
        title: row.try_get("title")?,
        authors: from_json(row, "authors")?,
        year: row.try_get("year")?,
        pubdate: row.try_get("pubdate")?,
        venue: row.try_get("venue")?,
        abstract_text: row.try_get("abstract")?,
        keywords: from_json(row, "keywords")?,
        doctype: row.try_get("doctype")?,
        bibcode: row.try_get("bibcode")?,
        doi: row.try_get("doi")?,
        arxiv_id: row.try_get("arxiv_id")?,
        identifiers: Vec::new(),
        citation_count: row.try_get("citation_count")?,
        in_library: row.try_get("in_library")?,
        has_pdf: row.try_get("has_pdf")?,
        has_text: row.try_get("has_text")?,
        notes_count: row.try_get("notes_count")?,
        tags: from_json(row, "tags")?,
        state: row.try_get("state")?,
        versions: from_json(row, "versions")?,
        published_as: row.try_get("published_as")?,
    };
    Ok(StoredPaper { paper, complete: row.try_get("complete")?, fetched_at: row.try_get("fetched_at")? })
}

pub(super) fn json<T: serde::Serialize>(value: &T) -> StoreResult<String> {
    serde_json::to_string(value).map_err(|error| StoreError::Corrupt(error.to_string()))
}

fn from_json<T: DeserializeOwned>(row: &SqliteRow, column: &str) -> StoreResult<T> {
    let text: &str = row.try_get(column)?;
    serde_json::from_str(text).map_err(|error| StoreError::Corrupt(format!("papers.{column}: {error}")))
}

#[cfg(test)]
mod tests;
