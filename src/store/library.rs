//! The library: papers that somebody wants here, with their tags.

use super::papers::{Identifier, Paper, PaperState, load, read as read_paper};
use super::{Store, StoreError, StoreResult, statements};
use crate::ids::PaperId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use sqlx::{Row, SqliteConnection};
use utoipa::ToSchema;

/// The order of the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum LibraryOrder {
    /// The newest in the library first.
    #[default]
    Added,
    /// The newest of the literature first.
    Year,
    /// By title.
    Title,
    /// By the first author's name.
    Author,
    /// The most cited first.
    Citations,
}

/// What a paper has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum Holding {
    /// Its PDF.
    Pdf,
    /// Its text.
    Text,
    /// Notes.
    Notes,
    /// None of them.
    Nothing,
}

/// Which papers of the library.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LibraryFilter {
    /// Words in lower case; all of them are in title, authors, abstract, venue, keywords, tags or an identifier.
    pub words: Vec<String>,
    /// A tag.
    pub tag: Option<String>,
    /// First year.
    pub year_from: Option<i32>,
    /// Last year.
    pub year_to: Option<i32>,
    /// Whether it stands.
    pub state: Option<PaperState>,
    /// What it has.
    pub has: Option<Holding>,
    /// The order.
    pub order: LibraryOrder,
}

/// A paper of the library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LibraryPaper {
    /// The paper.
    #[serde(flatten)]
    pub paper: Paper,
    /// When it was added.
    pub added_at: Timestamp,
}

/// A part of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryPage {
    /// The papers.
    pub papers: Vec<LibraryPaper>,
    /// How many there are in all.
    pub total: u64,
}

/// A tag and how many papers of the library have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TagCount {
    /// The tag.
    pub tag: String,
    /// Papers that have it.
    pub count: u64,
}

/// What a paper of the library is called.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct LibraryName {
    /// The paper.
    pub id: PaperId,
    /// Its title.
    pub title: String,
    /// Its first author.
    pub first_author: Option<String>,
    /// Its year.
    pub year: Option<i32>,
    /// Its arXiv id.
    pub arxiv_id: Option<String>,
}

/// The condition of the list; both the page and its total use it.
macro_rules! wanted {
    () => {
        "papers.in_library = 1 AND papers.merged_into IS NULL
        AND NOT EXISTS (SELECT 1 FROM json_each(?1) AS word WHERE instr(lower(papers.title || ' '
            || coalesce((SELECT group_concat(value ->> '$.name', ' ') FROM json_each(papers.authors)), '') || ' '
            || papers.abstract || ' ' || coalesce(papers.venue, '') || ' ' || papers.keywords || ' ' || papers.tags || ' '
            || coalesce((SELECT group_concat(value, ' ') FROM paper_identifiers WHERE paper_id = papers.id), '')), word.value) = 0)
        AND (?2 IS NULL OR EXISTS (SELECT 1 FROM json_each(papers.tags) AS tag WHERE tag.value = ?2))
        AND (?3 IS NULL OR papers.year >= ?3) AND (?4 IS NULL OR papers.year <= ?4)
        AND (?5 IS NULL OR papers.state = ?5)
        AND CASE ?6 WHEN 'pdf' THEN papers.has_pdf = 1 WHEN 'text' THEN papers.has_text = 1 WHEN 'notes' THEN papers.notes_count > 0
            WHEN 'nothing' THEN papers.has_pdf = 0 AND papers.has_text = 0 AND papers.notes_count = 0 ELSE 1 END"
    };
}

statements! {
    TOTAL = concat!("SELECT count(*) FROM papers WHERE ", wanted!());
    PAGE = concat!("SELECT * FROM papers WHERE ", wanted!(), " ORDER BY
        CASE ?7 WHEN 'year' THEN coalesce(papers.pubdate, papers.year) END DESC,
        CASE ?7 WHEN 'citations' THEN coalesce(papers.citation_count, -1) END DESC,
        CASE ?7 WHEN 'title' THEN papers.title WHEN 'author' THEN papers.authors ->> '$[0].name' END COLLATE NOCASE,
        papers.added_at DESC, papers.id DESC LIMIT ?8 OFFSET ?9");
    IDENTIFIERS = "SELECT paper_id, scheme, value, source FROM paper_identifiers
        WHERE paper_id IN (SELECT value FROM json_each(?1)) ORDER BY scheme, value";
    ADD = "UPDATE papers SET in_library = 1, added_at = coalesce(added_at, ?2) WHERE id = ?1";
    REMOVE = "UPDATE papers SET in_library = 0, added_at = NULL WHERE id = ?1";
    SET_TAGS = "UPDATE papers SET tags = ?2 WHERE id = ?1";
    TAGS = "SELECT tag.value, count(*) FROM papers, json_each(papers.tags) AS tag
        WHERE papers.in_library = 1 AND papers.merged_into IS NULL GROUP BY tag.value ORDER BY tag.value COLLATE NOCASE";
    NAMES = "SELECT id, title, authors ->> '$[0].name' AS first_author, year, arxiv_id FROM papers
        WHERE in_library = 1 AND merged_into IS NULL ORDER BY id";
    APART = "SELECT first, second FROM papers_apart";
    /// With everything that was merged into it: the rows of other tables go with them.
    DELETE = "WITH RECURSIVE family (id) AS (SELECT ?1 UNION SELECT papers.id FROM papers JOIN family ON papers.merged_into = family.id)
        DELETE FROM papers WHERE id IN (SELECT id FROM family)";
}

impl Store {
    /// A part of the library's list.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn library(&self, filter: &LibraryFilter, limit: u32, offset: u32) -> StoreResult<LibraryPage> {
        let total: i64 = wanted(sqlx::query(TOTAL), filter).fetch_one(self.reader()).await?.try_get(0)?;
        let rows = wanted(sqlx::query(PAGE), filter)
            .bind(filter.order)
            .bind(limit)
            .bind(offset)
            .fetch_all(self.reader())
            .await?;
        let mut papers = rows
            .iter()
            .map(|row| Ok(LibraryPaper { paper: read_paper(row)?.paper, added_at: row.try_get("added_at")? }))
            .collect::<StoreResult<Vec<_>>>()?;
        let ids: Vec<PaperId> = papers.iter().map(|found| found.paper.id).collect();
        for row in sqlx::query(IDENTIFIERS).bind(Json(ids)).fetch_all(self.reader()).await? {
            let owner: PaperId = row.try_get(0)?;
            let identifier = Identifier { scheme: row.try_get(1)?, value: row.try_get(2)?, source: row.try_get(3)? };
            if let Some(found) = papers.iter_mut().find(|found| found.paper.id == owner) {
                found.paper.identifiers.push(identifier);
            }
        }
        Ok(LibraryPage { papers, total: u64::try_from(total).unwrap_or(0) })
    }

    /// Adds a paper to the library; one that is there stays as it is.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such paper.
    pub async fn add_to_library(&self, paper: PaperId) -> StoreResult<Paper> {
        self.change_paper(paper, Mark::Added).await
    }

    /// Takes a paper out of the library and forgets nothing else.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such paper.
    pub async fn remove_from_library(&self, paper: PaperId) -> StoreResult<Paper> {
        self.change_paper(paper, Mark::Removed).await
    }

    /// Gives a paper these tags and no others.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such paper.
    pub async fn tag_paper(&self, paper: PaperId, tags: Vec<String>) -> StoreResult<Paper> {
        self.change_paper(paper, Mark::Tags(tags)).await
    }

    async fn change_paper(&self, paper: PaperId, mark: Mark) -> StoreResult<Paper> {
        self.write(move |connection| {
            Box::pin(async move {
                // The id may be one that was merged.
                let paper = load(&mut *connection, paper).await?.ok_or(StoreError::NotFound("paper"))?.paper.id;
                write(&mut *connection, paper, &mark).await?;
                Ok(load(connection, paper).await?.ok_or(StoreError::NotFound("paper"))?.paper)
            })
        })
        .await
    }

    /// Deletes a paper with everything that belongs to it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such paper.
    pub async fn delete_paper(&self, paper: PaperId) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                let paper = load(&mut *connection, paper).await?.ok_or(StoreError::NotFound("paper"))?.paper.id;
                sqlx::query(DELETE).bind(paper).execute(connection).await?;
                Ok(())
            })
        })
        .await
    }

    /// What all papers of the library are called, the oldest rows first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn library_names(&self) -> StoreResult<Vec<LibraryName>> {
        Ok(sqlx::query_as(NAMES).fetch_all(self.reader()).await?)
    }

    /// Pairs of papers that somebody said are two, the smaller id first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn papers_apart(&self) -> StoreResult<Vec<(PaperId, PaperId)>> {
        Ok(sqlx::query_as(APART).fetch_all(self.reader()).await?)
    }

    /// The tags of the library with how often they are used.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn library_tags(&self) -> StoreResult<Vec<TagCount>> {
        let rows: Vec<(String, i64)> = sqlx::query_as(TAGS).fetch_all(self.reader()).await?;
        let count = |(tag, count): (String, i64)| TagCount { tag, count: u64::try_from(count).unwrap_or(0) };
        Ok(rows.into_iter().map(count).collect())
    }
}

/// Binds the parameters of the list's condition.
fn wanted<'q>(
    query: sqlx::query::Query<'q, sqlx::Sqlite, sqlx::sqlite::SqliteArguments>,
    filter: &'q LibraryFilter,
) -> sqlx::query::Query<'q, sqlx::Sqlite, sqlx::sqlite::SqliteArguments> {
    query
        .bind(Json(&filter.words))
        .bind(&filter.tag)
        .bind(filter.year_from)
        .bind(filter.year_to)
        .bind(filter.state)
        .bind(filter.has)
}

/// What changes about a paper in the library.
enum Mark {
    Added,
    Removed,
    Tags(Vec<String>),
}

async fn write(connection: &mut SqliteConnection, paper: PaperId, mark: &Mark) -> StoreResult<()> {
    let query = match mark {
        Mark::Added => sqlx::query(ADD).bind(paper).bind(Timestamp::now()),
        Mark::Removed => sqlx::query(REMOVE).bind(paper),
        Mark::Tags(tags) => sqlx::query(SET_TAGS).bind(paper).bind(super::papers::json(tags)?),
    };
    query.execute(connection).await?;
    Ok(())
}
