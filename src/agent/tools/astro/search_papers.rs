//! `search_papers`: ADS and arXiv at once.

use super::{arguments, render};
use crate::agent::tools::{AgentTool, ToolContext, ToolError, ToolOutput, schema};
use crate::papers::SearchError;
use crate::papers::search::{SearchAnswer, SearchRequest, SortOrder, SourceName, SourceOutcome, SourceStatus};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// Hits when the model does not say how many.
const DEFAULT_LIMIT: u32 = 10;
/// Hits at most: more are skimmed, not read.
const MAX_LIMIT: u32 = 50;
/// Characters of an abstract: enough to judge a paper by.
const ABSTRACT_CHARS: usize = 600;
/// Characters of the whole text, and of one hit without its abstract, about.
const TEXT_CHARS: usize = 18_000;
const HEADING_CHARS: usize = 450;
/// Bytes of the dashboard's copy, which is stored with the message and sent in events.
const METADATA_BYTES: usize = 60_000;

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// Words, or ADS syntax: "exact phrase", author:"Greene, T", title:word, abs:(a OR b), object:"TRAPPIST-1 b",
    /// year:2020-2024, citations(bibcode:X), references(bibcode:X), similar(bibcode:X), reviews(query), trending(query),
    /// useful(query). Words are joined by AND: few, distinctive ones find more. An identifier alone finds that paper.
    query: String,
    /// Where to search: `ads`, `arxiv`. Both when left out.
    #[serde(default)]
    sources: Option<Vec<SourceName>>,
    /// Authors as `Family, Given` or `Family`; several separated by semicolons.
    #[serde(default)]
    author: Option<String>,
    /// First year of publication.
    #[serde(default)]
    year_from: Option<i32>,
    /// Last year of publication.
    #[serde(default)]
    year_to: Option<i32>,
    /// `relevance` (the default), `date` (newest first) or `citations` (most cited first).
    #[serde(default)]
    sort: Option<SortOrder>,
    /// How many papers to return, 1 to 50; 10 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u32>,
}

/// The tool.
pub(super) struct SearchPapers;

#[async_trait]
impl AgentTool for SearchPapers {
    fn name(&self) -> &str {
        "search_papers"
    }

    fn description(&self) -> &str {
        "Search the astronomical literature in ADS and arXiv at the same time. Use it whenever a claim needs a source: for \
         papers on an object or topic, by an author, citing or cited by a paper. Returns one merged list with abstracts, \
         identifiers, citation counts and links, says which source failed, and marks withdrawn papers. Start with two to \
         five distinctive words (object:\"NAME\" for an object), then narrow by year, author or sort; when nothing is \
         found, use fewer words. Cite only papers that a tool has returned, with their links."
    }

    fn parameters(&self) -> Value {
        schema::of::<Arguments>()
    }

    fn is_concurrency_safe(&self, _args: &Value) -> bool {
        true
    }

    fn is_readonly(&self) -> bool {
        true
    }

    fn max_output_chars(&self) -> usize {
        TEXT_CHARS + 2_000
    }

    async fn execute(&self, args: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        let args: Arguments = arguments(args)?;
        let request = SearchRequest {
            query: args.query,
            sources: args.sources.unwrap_or_default(),
            author: args.author,
            year_from: args.year_from,
            year_to: args.year_to,
            sort: args.sort.unwrap_or_default(),
            limit: Some(args.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT)),
        };
        let answer = ctx.services.literature.search(&request).await.map_err(|error| match error {
            SearchError::Query(error) => ToolError::tell(format!("Nothing was searched. {error}")),
            SearchError::Store(error) => ToolError::tell(format!("The hits could not be stored: {error}.")),
        })?;
        Ok(ToolOutput { content: text(&answer), is_error: answer.none_answered(), metadata: Some(metadata(answer)) })
    }
}

fn text(answer: &SearchAnswer) -> String {
    let mut out = String::new();
    for source in &answer.sources {
        let _ = writeln!(out, "{}", source_line(source));
    }
    for (name, query) in [("ADS", &answer.query_sent.ads), ("arXiv", &answer.query_sent.arxiv)] {
        if let Some(query) = query {
            let _ = writeln!(out, "Query sent to {name}: {query}");
        }
    }
    if answer.items.is_empty() {
        let some_failed = answer.sources.iter().any(|source| source.status == SourceOutcome::Failed);
        out.push_str(match (answer.none_answered(), some_failed) {
            (true, _) => {
                "\nNo source answered, which says nothing about whether such papers exist. Tell the user why, and what to do."
            }
            (false, true) => "\nNo papers match at the source that answered; the other one failed, so there may be some.",
            (false, false) => {
                "\nNo papers match. Use fewer or other words, drop the year or author, or search all fields instead of one."
            }
        });
        return out;
    }
    // A long list is for skimming: its abstracts are cut so that the whole fits.
    let for_each = TEXT_CHARS / answer.items.len();
    let abstract_chars = for_each.saturating_sub(HEADING_CHARS).min(ABSTRACT_CHARS);
    for (i, hit) in answer.items.iter().enumerate() {
        let _ = write!(out, "\n[{}] {}", i + 1, render::heading(&hit.paper));
        if let Some(text) = render::short_abstract(&hit.paper, abstract_chars) {
            let _ = write!(out, "\n   {text}");
        }
        out.push('\n');
    }
    out
}

fn source_line(source: &SourceStatus) -> String {
    let name = source.name.title();
    let detail = source.detail.as_deref().unwrap_or_default();
    match source.status {
        SourceOutcome::Ok => format!("{name}: {} papers match.", source.total.unwrap_or(0)),
        SourceOutcome::Failed => format!("{name} FAILED: {detail}"),
        SourceOutcome::Skipped => format!("{name} not asked: {detail}"),
    }
}

/// The answer for the dashboard, with abstracts cut until it is small enough.
fn metadata(answer: SearchAnswer) -> Value {
    let mut answer = answer;
    for limit in [800, 300, 0] {
        for hit in &mut answer.items {
            hit.paper = render::trimmed(hit.paper.clone(), limit);
        }
        let value = json!(answer);
        if value.to_string().len() <= METADATA_BYTES {
            return value;
        }
    }
    for hit in &mut answer.items {
        hit.paper.authors.truncate(5);
        hit.paper.keywords.clear();
        hit.paper.abstract_text.clear();
    }
    json!(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::PaperId;
    use crate::papers::search::{QuerySent, SearchHit};

    fn hit(index: usize, authors: usize) -> SearchHit {
        let names: Vec<Value> = (0..authors).map(|n| json!({"name": format!("Author, Number {n}")})).collect();
        serde_json::from_value(json!({
            "id": PaperId::new(), "title": format!("Paper {index}"), "authors": names, "year": 2023, "pubdate": "2023-06-00",
            "venue": "Nature", "abstract": "word ".repeat(2000), "keywords": [], "doctype": "article",
            "bibcode": "2013A&A...552A.143S", "arxiv_id": "2303.14849", "identifiers": [], "in_library": false,
            "has_pdf": false, "has_text": true, "notes_count": 0, "tags": [], "state": "withdrawn", "versions": [],
            "source": ["ads"], "score": 0.5
        }))
        .unwrap()
    }

    fn status(name: SourceName, status: SourceOutcome) -> SourceStatus {
        let detail = (status != SourceOutcome::Ok).then(|| "it is down.".to_owned());
        SourceStatus { name, status, detail, total: Some(7), quota: None }
    }

    fn answer(items: Vec<SearchHit>, ads: SourceOutcome, arxiv: SourceOutcome) -> SearchAnswer {
        let sources = vec![status(SourceName::Ads, ads), status(SourceName::Arxiv, arxiv)];
        SearchAnswer { items, query_sent: QuerySent { ads: Some("q".into()), arxiv: None }, sources }
    }

    #[test]
    fn a_hit_has_what_is_needed_to_cite_it_and_to_be_careful_with_it() {
        let text = text(&answer(vec![hit(1, 9)], SourceOutcome::Ok, SourceOutcome::Failed));
        for expected in [
            "ADS: 7 papers match.",
            "arXiv FAILED: it is down.",
            "Query sent to ADS: q",
            "[1] Paper 1",
            "et al. (9 authors)",
            "2023, Nature",
            "https://ui.adsabs.harvard.edu/abs/2013A%26A...552A.143S/abstract",
            "https://arxiv.org/abs/2303.14849",
            "WITHDRAWN",
            "in the library, with text",
        ] {
            assert!(text.contains(expected), "{expected} is not in\n{text}");
        }
    }

    #[test]
    fn no_hits_and_no_answer_are_different_texts() {
        let text_of = |ads, arxiv| text(&answer(Vec::new(), ads, arxiv));
        assert!(text_of(SourceOutcome::Ok, SourceOutcome::Ok).contains("No papers match. Use fewer"));
        assert!(text_of(SourceOutcome::Ok, SourceOutcome::Failed).contains("the other one failed"));
        assert!(text_of(SourceOutcome::Failed, SourceOutcome::Failed).contains("says nothing about"));
        assert!(text_of(SourceOutcome::Skipped, SourceOutcome::Skipped).contains("says nothing about"));
    }

    #[test]
    fn fifty_papers_of_large_collaborations_stay_within_bounds() {
        let many: Vec<SearchHit> = (0..50).map(|index| hit(index, 3000)).collect();
        let answer = answer(many, SourceOutcome::Ok, SourceOutcome::Ok);
        let chars = text(&answer).chars().count();
        assert!(chars <= SearchPapers.max_output_chars(), "{chars}");
        let value = metadata(answer);
        assert!(value.to_string().len() <= METADATA_BYTES, "{}", value.to_string().len());
        serde_json::from_value::<SearchAnswer>(value).unwrap();
    }
}
