//! What a search answers.

use crate::store::papers::Paper;
use crate::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A service that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceName {
    /// The Astrophysics Data System (SciX).
    Ads,
    /// arXiv.
    Arxiv,
}

impl SourceName {
    /// As people write it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Ads => "ADS",
            Self::Arxiv => "arXiv",
        }
    }
}

/// How a hit is related to the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It cites a paper of the library.
    CitesLibrary,
    /// A paper of the library cites it.
    CitedByLibrary,
}

/// One hit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchHit {
    /// The paper.
    #[serde(flatten)]
    pub paper: Paper,
    /// Which sources found it.
    pub source: Vec<SourceName>,
    /// Reciprocal ranks in the sources' orders, added up; comparable within one answer alone.
    pub score: f64,
    /// Its relation to the library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub relation: Option<Vec<Relation>>,
}

/// The queries as they were sent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuerySent {
    /// To ADS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ads: Option<String>,
    /// To arXiv.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub arxiv: Option<String>,
}

/// How it went with one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceOutcome {
    /// It answered.
    Ok,
    /// It did not, or not sensibly; `detail` says why.
    Failed,
    /// It was not asked; `detail` says why.
    Skipped,
}

/// What a service says is left of its daily allowance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Quota {
    /// Requests a day.
    pub limit: u64,
    /// Requests left.
    pub remaining: u64,
    /// When the count starts anew.
    pub resets_at: Timestamp,
}

/// The part of one source in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SourceStatus {
    /// The source.
    pub name: SourceName,
    /// How it went.
    pub status: SourceOutcome,
    /// Why it failed or was left out, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub detail: Option<String>,
    /// Papers that match there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub total: Option<u64>,
    /// What is left of the allowance, when the source says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub quota: Option<Quota>,
}

/// The answer to a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SearchAnswer {
    /// Hits in order.
    pub items: Vec<SearchHit>,
    /// What was asked.
    pub query_sent: QuerySent,
    /// How it went with each source.
    pub sources: Vec<SourceStatus>,
}

impl SearchAnswer {
    /// Whether no source answered (each failed or could not be asked): then no hits means nothing.
    #[must_use]
    pub fn none_answered(&self) -> bool {
        !self.sources.iter().any(|source| source.status == SourceOutcome::Ok)
    }
}
