//! What one source says about a paper, and how that becomes our record of it.

use super::identity::{ArxivId, Bibcode, Doi};
use crate::ids::PaperId;
use crate::store::papers::{
    Author, Identifier, Paper, PaperState, PaperVersion, Provenance, Scheme, StoredPaper, VersionKind,
};
use crate::time::Timestamp;

/// A paper as one source describes it. Lists of identifiers have the one to show first.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    pub source: Provenance,
    pub title: String,
    pub authors: Vec<Author>,
    pub year: Option<i32>,
    /// `YYYY-MM-DD`, 00 for what is unknown.
    pub pubdate: Option<String>,
    pub venue: Option<String>,
    pub abstract_text: String,
    pub keywords: Vec<String>,
    pub doctype: Option<String>,
    pub citation_count: Option<u32>,
    pub bibcodes: Vec<Bibcode>,
    /// Publishers' DOIs; those of arXiv are in `arxiv`.
    pub dois: Vec<Doi>,
    pub arxiv: Vec<ArxivId>,
    /// Abbreviation of the journal (`ApJL`), volume and first page: ADS alone knows them.
    pub bibstem: Option<String>,
    pub volume: Option<String>,
    pub page: Option<String>,
    /// Where the authors say it was published, in their words: arXiv alone has it.
    pub journal_ref: Option<String>,
    pub state: PaperState,
}

impl Record {
    /// A record without content.
    pub fn empty(source: Provenance) -> Self {
        Self {
            source,
            title: String::new(),
            authors: Vec::new(),
            year: None,
            pubdate: None,
            venue: None,
            abstract_text: String::new(),
            keywords: Vec::new(),
            doctype: None,
            citation_count: None,
            bibcodes: Vec::new(),
            dois: Vec::new(),
            arxiv: Vec::new(),
            bibstem: None,
            volume: None,
            page: None,
            journal_ref: None,
            state: PaperState::Ok,
        }
    }

    /// All identifiers in their stored form, each once.
    pub fn identifiers(&self) -> Vec<Identifier> {
        let mut all: Vec<Identifier> = Vec::new();
        let mut add = |scheme, value: String| {
            if !all.iter().any(|known| known.scheme == scheme && known.value == value) {
                all.push(Identifier { scheme, value, source: self.source });
            }
        };
        for bibcode in &self.bibcodes {
            add(Scheme::Bibcode, bibcode.to_string());
        }
        for id in &self.arxiv {
            add(Scheme::Arxiv, id.without_version().to_owned());
            if id.version().is_some() {
                add(Scheme::ArxivVersion, id.to_string());
            }
        }
        for doi in &self.dois {
            add(Scheme::Doi, doi.to_string());
        }
        all
    }

    /// Whether the source knows the paper as more than an e-print.
    fn is_published(&self) -> bool {
        match self.source {
            Provenance::Ads => self.doctype.as_deref().is_some_and(|doctype| doctype != "eprint"),
            Provenance::Arxiv | Provenance::User => false,
        }
    }

    /// `ApJL 952, L4`, or the authors' own words, when a preprint has been published.
    fn published_as(&self) -> Option<String> {
        if self.arxiv.is_empty() {
            return None;
        }
        if !self.is_published() {
            return self.journal_ref.clone();
        }
        let journal = self.bibstem.as_deref().or(self.venue.as_deref())?;
        let place = [self.volume.as_deref(), self.page.as_deref()];
        let place: Vec<&str> = place.into_iter().flatten().collect();
        Some(if place.is_empty() { journal.to_owned() } else { format!("{journal} {}", place.join(", ")) })
    }

    fn versions(&self) -> Vec<PaperVersion> {
        let preprints = self.arxiv.iter().map(|id| (VersionKind::Preprint, id.to_string()));
        let published = self.is_published().then(|| self.bibcodes.first()).flatten();
        let published = published.map(|bibcode| (VersionKind::Published, bibcode.to_string()));
        preprints.chain(published).map(|(kind, id)| PaperVersion { kind, id, obtained: false }).collect()
    }

    /// Our record of the paper after this source has spoken: ADS replaces what was known, arXiv adds to what ADS said, and
    /// an e-print's record adds to its article's.
    pub fn apply(&self, known: Option<StoredPaper>, now: Timestamp) -> StoredPaper {
        let from_ads = match self.source {
            Provenance::Ads => true,
            Provenance::Arxiv | Provenance::User => false,
        };
        let Some(StoredPaper { paper: old, complete, fetched_at }) = known else {
            return StoredPaper { paper: self.to_paper(PaperId::new()), complete: from_ads, fetched_at: now };
        };
        let new = self.to_paper(old.id);
        // Until ADS has matched an e-print to its article it has a record of each; the article's is the better one.
        let published = |doctype: &Option<String>| doctype.as_deref().is_some_and(|doctype| doctype != "eprint");
        let steps_back = published(&old.doctype) && !published(&self.doctype);
        let replaces = !complete || (from_ads && !steps_back);
        let (base, other) = if replaces { (new, old.clone()) } else { (old.clone(), new) };
        StoredPaper {
            paper: filled(base, other, old),
            complete: complete || from_ads,
            fetched_at: if replaces { now } else { fetched_at },
        }
    }

    fn to_paper(&self, id: PaperId) -> Paper {
        Paper {
            id,
            title: self.title.clone(),
            authors: self.authors.clone(),
            year: self.year,
            pubdate: self.pubdate.clone(),
            venue: self.venue.clone(),
            abstract_text: self.abstract_text.clone(),
            keywords: self.keywords.clone(),
            doctype: self.doctype.clone(),
            bibcode: self.bibcodes.first().map(ToString::to_string),
            doi: self.dois.first().map(ToString::to_string),
            arxiv_id: self.arxiv.first().map(|id| id.without_version().to_owned()),
            identifiers: self.identifiers(),
            citation_count: self.citation_count,
            in_library: false,
            has_pdf: false,
            has_text: false,
            notes_count: 0,
            tags: Vec::new(),
            state: self.state,
            versions: join_versions(self.versions(), Vec::new()),
            published_as: self.published_as(),
        }
    }
}

/// The metadata of two stored papers that are one: the better description, and what it lacks from the other; the marks are
/// those of `kept`.
pub(crate) fn joined(kept: StoredPaper, gone: StoredPaper) -> StoredPaper {
    let rank = |stored: &StoredPaper| {
        (stored.paper.doctype.as_deref().is_some_and(|doctype| doctype != "eprint"), stored.complete)
    };
    let marks = kept.paper.clone();
    let complete = kept.complete || gone.complete;
    let (base, other) = if rank(&gone) > rank(&kept) { (gone, kept) } else { (kept, gone) };
    let fetched_at = base.fetched_at;
    StoredPaper { paper: filled(base.paper, other.paper, marks), complete, fetched_at }
}

/// One description, and what it lacks from another. The library's marks are not the sources' to change.
fn filled(base: Paper, other: Paper, marks: Paper) -> Paper {
    Paper {
        title: if base.title.is_empty() { other.title } else { base.title },
        authors: if base.authors.is_empty() { other.authors } else { base.authors },
        year: base.year.or(other.year),
        pubdate: base.pubdate.or(other.pubdate),
        venue: base.venue.or(other.venue),
        abstract_text: if base.abstract_text.is_empty() { other.abstract_text } else { base.abstract_text },
        keywords: if base.keywords.is_empty() { other.keywords } else { base.keywords },
        doctype: base.doctype.or(other.doctype),
        bibcode: base.bibcode.or(other.bibcode),
        doi: base.doi.or(other.doi),
        arxiv_id: base.arxiv_id.or(other.arxiv_id),
        citation_count: base.citation_count.or(other.citation_count),
        state: worse(base.state, other.state),
        versions: join_versions(base.versions, other.versions),
        published_as: base.published_as.or(other.published_as),
        ..marks
    }
}

/// A withdrawal or retraction that one source knows of stands, whatever another does not know.
fn worse(a: PaperState, b: PaperState) -> PaperState {
    let weight = |state| match state {
        PaperState::Ok => 0,
        PaperState::Corrected => 1,
        PaperState::Withdrawn => 2,
        PaperState::Retracted => 3,
    };
    if weight(a) >= weight(b) { a } else { b }
}

/// Every version once, e-prints first; an e-print of unknown version gives way to one whose version is known.
fn join_versions(first: Vec<PaperVersion>, second: Vec<PaperVersion>) -> Vec<PaperVersion> {
    let mut joined: Vec<PaperVersion> = Vec::new();
    for version in first.into_iter().chain(second) {
        match joined.iter_mut().find(|known| known.id == version.id) {
            Some(known) => known.obtained |= version.obtained,
            None => joined.push(version),
        }
    }
    let versioned: Vec<String> = joined.iter().map(|version| format!("{}\0", version.id)).collect();
    joined.retain(|version| {
        version.kind != VersionKind::Preprint
            || !versioned
                .iter()
                .any(|other| other.strip_prefix(&version.id).and_then(|rest| rest.strip_prefix('v')).is_some())
    });
    joined.sort_by_cached_key(|version| {
        let kind = match version.kind {
            VersionKind::Preprint => 0,
            VersionKind::Accepted => 1,
            VersionKind::Published => 2,
        };
        let number = version.id.rsplit_once('v').and_then(|(_, number)| number.parse::<u32>().ok()).unwrap_or(0);
        (kind, number)
    });
    joined
}
