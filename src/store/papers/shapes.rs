//! A paper as it is stored and sent.

use crate::ids::PaperId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A system of identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum Scheme {
    /// ADS bibcode, 19 characters, opaque.
    Bibcode,
    /// arXiv identifier without version: `2303.14849`, `astro-ph/0301632`.
    Arxiv,
    /// arXiv identifier with version: `2303.14849v2`.
    ArxivVersion,
    /// DOI in lower case.
    Doi,
    /// SHA-256 of a local file.
    Hash,
}

/// Who said that an identifier belongs to a paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum Provenance {
    /// The Astrophysics Data System.
    Ads,
    /// arXiv; its DOIs and journal references are what authors typed.
    Arxiv,
    /// A person here.
    User,
}

/// One identifier of a paper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = PaperIdentifier)]
pub struct Identifier {
    /// The system.
    pub scheme: Scheme,
    /// The value in its normal form.
    pub value: String,
    /// Who said so.
    pub source: Provenance,
}

/// An author, as the source writes the name (`Greene, Thomas P.`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Author {
    /// Family name first.
    pub name: String,
    /// ORCID iD, 16 digits in four groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub orcid: Option<String>,
}

/// Whether a paper still stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum PaperState {
    /// It does.
    #[default]
    Ok,
    /// The authors withdrew it (arXiv).
    Withdrawn,
    /// The journal retracted it.
    Retracted,
    /// An erratum exists.
    Corrected,
}

/// What kind of text a version is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VersionKind {
    /// An e-print.
    Preprint,
    /// The accepted manuscript.
    Accepted,
    /// The journal's.
    Published,
}

/// One version of a paper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaperVersion {
    /// What kind of text it is.
    pub kind: VersionKind,
    /// Its own identifier: `2303.14849v2`, a bibcode or a DOI.
    pub id: String,
    /// Whether its file is here.
    pub obtained: bool,
}

/// A paper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Paper {
    /// Our id.
    pub id: PaperId,
    /// Title, without markup other than TeX.
    pub title: String,
    /// Authors in order.
    pub authors: Vec<Author>,
    /// Year of publication.
    pub year: Option<i32>,
    /// Date of publication as `YYYY-MM-DD`; an unknown month or day is `00`.
    pub pubdate: Option<String>,
    /// Journal, proceedings or `arXiv e-prints`.
    pub venue: Option<String>,
    /// Abstract; empty when the source has none.
    #[serde(rename = "abstract")]
    pub abstract_text: String,
    /// Keywords, or arXiv categories.
    pub keywords: Vec<String>,
    /// ADS document type (`article`, `eprint`, `phdthesis`, …).
    pub doctype: Option<String>,
    /// The bibcode to cite.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub bibcode: Option<String>,
    /// The publisher's DOI, lower case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub doi: Option<String>,
    /// The arXiv identifier without version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub arxiv_id: Option<String>,
    /// All identifiers, each with who said so.
    pub identifiers: Vec<Identifier>,
    /// Citations that ADS counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub citation_count: Option<u32>,
    /// Whether it was added to the library.
    pub in_library: bool,
    /// Whether its PDF is here.
    pub has_pdf: bool,
    /// Whether its text has been parsed.
    pub has_text: bool,
    /// Notes on it.
    pub notes_count: u32,
    /// Tags.
    pub tags: Vec<String>,
    /// Whether it still stands.
    pub state: PaperState,
    /// Known versions, oldest first.
    pub versions: Vec<PaperVersion>,
    /// Where a preprint has been published since, for example `ApJL 952, L4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub published_as: Option<String>,
}

/// A paper with what the store knows about the knowledge itself.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredPaper {
    /// The paper.
    pub paper: Paper,
    /// Whether a source with full metadata (ADS) has described it.
    pub complete: bool,
    /// When a source last described it.
    pub fetched_at: Timestamp,
}
