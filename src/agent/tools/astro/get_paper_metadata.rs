//! `get_paper_metadata`: everything known about one paper.

use super::{arguments, render};
use crate::agent::tools::{AgentTool, ToolContext, ToolError, ToolOutput, schema};
use crate::papers::{Metadata, Paper, VersionKind};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// Authors that are listed by name.
const LISTED_AUTHORS: usize = 30;

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// Any identifier of the paper: bibcode (2023Natur.618...39G), arXiv id (2303.14849, astro-ph/0301632), DOI, an address
    /// that holds one of them, or the id that a search returned.
    paper: String,
}

/// The tool.
pub(super) struct GetPaperMetadata;

#[async_trait]
impl AgentTool for GetPaperMetadata {
    fn name(&self) -> &str {
        "get_paper_metadata"
    }

    fn description(&self) -> &str {
        "Get the full metadata of one paper: authors, journal, date, whole abstract, keywords, citation count, all \
         identifiers, versions, and whether it was withdrawn or since published. Use it before relying on a paper whose \
         abstract was cut in a search, or when the user names a paper by bibcode, arXiv id or DOI."
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
        8_000
    }

    async fn execute(&self, args: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        let Arguments { paper } = arguments(args)?;
        let found =
            ctx.services.literature.metadata(&paper).await.map_err(|error| ToolError::tell(error.to_string()))?;
        match found {
            Some(metadata) => {
                let content = text(&metadata);
                let value = json!(render::trimmed(metadata.paper, 5_000));
                Ok(ToolOutput::text(content).with_metadata(value))
            }
            None => Err(ToolError::tell(format!(
                "ADS and arXiv know no paper under `{}`. Check the identifier, or search for the title.",
                paper.trim()
            ))),
        }
    }
}

fn text(Metadata { paper, stale }: &Metadata) -> String {
    let mut out = render::heading(paper);
    if let Some(stale) = stale {
        let _ =
            write!(out, "\n   These data are from {} and could not be asked for anew: {}", stale.fetched_at, stale.why);
    }
    let names: Vec<&str> = paper.authors.iter().take(LISTED_AUTHORS).map(|author| author.name.as_str()).collect();
    let more = paper.authors.len().saturating_sub(LISTED_AUTHORS);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    let mut line = |name: &str, value: String| {
        if !value.is_empty() {
            let _ = write!(out, "\n{name}: {value}");
        }
    };
    line("Authors", format!("{}{more}", names.join("; ")));
    line("Date", paper.pubdate.clone().unwrap_or_default());
    line("Type", paper.doctype.clone().unwrap_or_default());
    line("Keywords", paper.keywords.iter().take(20).cloned().collect::<Vec<_>>().join("; "));
    line("Versions", versions(paper));
    line("Other identifiers", other_identifiers(paper));
    line("Our id", paper.id.to_string());
    line("Abstract", if paper.abstract_text.is_empty() { "none".to_owned() } else { paper.abstract_text.clone() });
    out
}

fn versions(paper: &Paper) -> String {
    let versions = paper.versions.iter().map(|version| {
        let kind = match version.kind {
            VersionKind::Preprint => "preprint",
            VersionKind::Accepted => "accepted",
            VersionKind::Published => "published",
        };
        let here = if version.obtained { ", file is here" } else { "" };
        format!("{kind} {}{here}", version.id)
    });
    versions.collect::<Vec<_>>().join("; ")
}

fn other_identifiers(paper: &Paper) -> String {
    let shown = [&paper.bibcode, &paper.doi, &paper.arxiv_id];
    let others = paper.identifiers.iter().map(|identifier| &identifier.value);
    let others = others.filter(|value| !shown.iter().any(|shown| shown.as_ref() == Some(*value)));
    others.cloned().collect::<Vec<_>>().join("; ")
}
