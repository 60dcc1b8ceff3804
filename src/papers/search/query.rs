//! What is asked, and the queries it becomes.

use super::answer::SourceName;
use super::syntax::{self, Query, QueryError};
use super::translate::{ArxivQuery, NotForArxiv, to_arxiv};
use crate::papers::identity::PaperRef;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Characters that ADS accepts in `q`.
const MAX_QUERY_CHARS: usize = 1000;

/// The order of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SortOrder {
    /// Best match first.
    #[default]
    Relevance,
    /// Newest first.
    Date,
    /// Most cited first (ADS alone counts citations).
    Citations,
}

/// One search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchRequest {
    /// Words, or a query in ADS's syntax.
    pub query: String,
    /// Where to search; everywhere when empty.
    pub sources: Vec<SourceName>,
    /// Authors as `Family, Given` or `Family`, separated by semicolons; all of them must be authors.
    pub author: Option<String>,
    /// First year of publication.
    pub year_from: Option<i32>,
    /// Last year of publication.
    pub year_to: Option<i32>,
    /// The order.
    pub sort: SortOrder,
    /// Papers wanted; 20 when absent, at most 100.
    pub limit: Option<u32>,
}

impl SearchRequest {
    /// Whether this source is to be searched.
    pub(crate) fn wants(&self, source: SourceName) -> bool {
        self.sources.is_empty() || self.sources.contains(&source)
    }

    /// Papers wanted.
    pub(crate) fn rows(&self) -> u32 {
        self.limit.unwrap_or(20).clamp(1, 100)
    }

    fn authors(&self) -> impl Iterator<Item = &str> {
        self.author.iter().flat_map(|text| text.split(';')).map(str::trim).filter(|name| !name.is_empty())
    }
}

/// The same request as each source understands it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    pub ads: String,
    pub arxiv: Result<ArxivQuery, NotForArxiv>,
}

impl Plan {
    /// Reads the request and writes the queries; no source is asked when this fails.
    pub fn new(request: &SearchRequest) -> Result<Self, QueryError> {
        let years = match (request.year_from, request.year_to) {
            (Some(from), Some(to)) if from > to => return Err(QueryError::Years(from, to)),
            (None, None) => None,
            years => Some(years),
        };
        let authors: Vec<String> = request.authors().map(|name| name.replace(['"', '\\'], "")).collect();
        let plan = match request.query.trim() {
            "" if authors.is_empty() => return Err(QueryError::Empty),
            text => match text.parse::<PaperRef>() {
                Ok(reference @ (PaperRef::Bibcode(_) | PaperRef::Arxiv(_) | PaperRef::Doi(_))) => Self::one(&reference),
                Ok(PaperRef::Id(_)) | Err(_) => {
                    let query = if text.is_empty() { Query::default() } else { syntax::parse(text)? };
                    let ads = ads_query(&query, &authors, years);
                    Self { ads, arxiv: to_arxiv(&query, &authors, years) }
                }
            },
        };
        let length = plan.ads.chars().count();
        if length > MAX_QUERY_CHARS { Err(QueryError::TooLong(length)) } else { Ok(plan) }
    }

    /// For one known paper.
    pub fn one(reference: &PaperRef) -> Self {
        // Always `identifier:`: the bibcode of an e-print is a former name of its article, which `bibcode:` does not find.
        let (identifier, arxiv) = match reference {
            PaperRef::Arxiv(id) => (id.without_version().to_owned(), Ok(ArxivQuery::Ids(vec![id.clone()]))),
            PaperRef::Bibcode(_) => (reference.to_string(), Err(NotForArxiv("arXiv does not know bibcodes"))),
            PaperRef::Doi(_) => {
                (reference.to_string(), Err(NotForArxiv("arXiv cannot be asked for a publisher's DOI")))
            }
            PaperRef::Id(_) => (reference.to_string(), Err(NotForArxiv("arXiv does not know our ids"))),
        };
        Self { ads: format!("identifier:\"{identifier}\""), arxiv }
    }
}

fn ads_query(query: &Query, authors: &[String], years: Option<(Option<i32>, Option<i32>)>) -> String {
    let mut clauses = Vec::new();
    if !query.clauses.is_empty() {
        let text = query.to_ads();
        let alone = authors.is_empty() && years.is_none();
        clauses.push(if query.needs_brackets() && !alone { format!("({text})") } else { text });
    }
    clauses.extend(authors.iter().map(|name| format!("author:\"{name}\"")));
    match years {
        Some((Some(from), Some(to))) if from == to => clauses.push(format!("year:{from}")),
        Some((Some(from), Some(to))) => clauses.push(format!("year:{from}-{to}")),
        Some((Some(from), None)) => clauses.push(format!("year:{from}-")),
        Some((None, Some(to))) => clauses.push(format!("year:-{to}")),
        Some((None, None)) | None => {}
    }
    clauses.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn request(query: &str) -> SearchRequest {
        SearchRequest { query: query.into(), ..SearchRequest::default() }
    }

    fn arxiv(plan: &Plan) -> String {
        match &plan.arxiv {
            Ok(ArxivQuery::Search(query)) => query.clone(),
            Ok(ArxivQuery::Ids(ids)) => format!("ids {}", ids[0]),
            Err(why) => format!("not: {why}"),
        }
    }

    #[rstest]
    #[case("TRAPPIST-1 b", "TRAPPIST-1 b", "all:\"TRAPPIST-1\" AND all:b")]
    #[case(
        "\"TRAPPIST-1 b\" OR (M31 -dust)",
        "\"TRAPPIST-1 b\" OR (M31 -dust)",
        "all:\"TRAPPIST-1 b\" OR (all:M31 ANDNOT all:dust)"
    )]
    #[case(
        "author:\"^Greene, Thomas P.\" abs:thermal",
        "author:\"^Greene, Thomas P.\" abs:thermal",
        "au:Greene_T AND (ti:thermal OR abs:thermal)"
    )]
    #[case(
        "object:\"M 31\" year:2019-2020",
        "object:\"M 31\" year:2019-2020",
        "all:\"M 31\" AND submittedDate:[201901010000 TO 202012312359]"
    )]
    #[case("2303.14849v1", "identifier:\"2303.14849\"", "ids 2303.14849v1")]
    #[case(
        "https://doi.org/10.1038/S41586-023-05951-7",
        "identifier:\"10.1038/s41586-023-05951-7\"",
        "not: arXiv cannot be asked for a publisher's DOI"
    )]
    #[case("2023Natur.618...39G", "identifier:\"2023Natur.618...39G\"", "not: arXiv does not know bibcodes")]
    #[case(
        "citations(bibcode:2023Natur.618...39G)",
        "citations(bibcode:\"2023Natur.618...39G\")",
        "not: citations() and its like are ADS's alone"
    )]
    #[case("-dust", "-dust", "not: arXiv cannot search for what is absent alone")]
    fn one_query_for_each_source(#[case] text: &str, #[case] ads: &str, #[case] expected: &str) {
        let plan = Plan::new(&request(text)).unwrap();
        assert_eq!((plan.ads.as_str(), arxiv(&plan).as_str()), (ads, expected));
    }

    #[test]
    fn filters_are_joined_to_the_query() {
        let request = SearchRequest {
            author: Some("Greene, T; van der Tak, Floris".into()),
            year_from: Some(2020),
            ..request("a OR b")
        };
        let plan = Plan::new(&request).unwrap();
        assert_eq!(plan.ads, "(a OR b) author:\"Greene, T\" author:\"van der Tak, Floris\" year:2020-");
        assert_eq!(
            arxiv(&plan),
            "(all:a OR all:b) AND au:Greene_T AND au:van_der_Tak_F AND submittedDate:[202001010000 TO 999912312359]"
        );
    }

    #[test]
    fn what_cannot_be_sent_is_said_before_anything_is_sent() {
        assert_eq!(Plan::new(&request("  ")).unwrap_err(), QueryError::Empty);
        let long = "word ".repeat(300);
        assert!(matches!(Plan::new(&request(&long)).unwrap_err(), QueryError::TooLong(1499)));
        let years = SearchRequest { year_from: Some(2024), year_to: Some(2020), ..request("a") };
        assert_eq!(Plan::new(&years).unwrap_err(), QueryError::Years(2024, 2020));
        let by_author = SearchRequest { author: Some("Greene, T".into()), ..request("") };
        assert_eq!(Plan::new(&by_author).unwrap().ads, "author:\"Greene, T\"");
    }
}
