//! The words of the ADS query language.

/// Search fields, as ADS spells them.
const FIELDS: &[&str] = &[
    "abs",
    "abstract",
    "ack",
    "aff",
    "aff_id",
    "alternate_bibcode",
    "alternate_title",
    "arXiv",
    "arxiv_class",
    "author",
    "author_count",
    "author_norm",
    "bibcode",
    "bibgroup",
    "bibstem",
    "body",
    "caption",
    "citation",
    "citation_count",
    "collection",
    "comment",
    "copyright",
    "data",
    "database",
    "date",
    "doctype",
    "doi",
    "eid",
    "entdate",
    "entry_date",
    "esources",
    "facility",
    "first_author",
    "full",
    "grant",
    "has",
    "identifier",
    "inst",
    "isbn",
    "issn",
    "issue",
    "keyword",
    "lang",
    "nedid",
    "nedtype",
    "object",
    "orcid",
    "orcid_other",
    "orcid_pub",
    "orcid_user",
    "page",
    "page_count",
    "planetary_feature",
    "property",
    "pub",
    "pubdate",
    "read_count",
    "reference",
    "simbid",
    "simbtype",
    "title",
    "uat",
    "vizier",
    "volume",
    "year",
];

/// Operators of second order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    /// Papers that cite the set.
    Citations,
    /// Papers that the set cites.
    References,
    /// Papers whose text resembles the set's.
    Similar,
    /// Papers that readers of the set read.
    Trending,
    /// Papers that the set cites most.
    Useful,
    /// Papers that cite most of the set.
    Reviews,
    /// The first N of the set.
    TopN,
    /// A term at a position of a field.
    Pos,
}

impl Function {
    const ALL: [Self; 8] = [
        Self::Citations,
        Self::References,
        Self::Similar,
        Self::Trending,
        Self::Useful,
        Self::Reviews,
        Self::TopN,
        Self::Pos,
    ];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Citations => "citations",
            Self::References => "references",
            Self::Similar => "similar",
            Self::Trending => "trending",
            Self::Useful => "useful",
            Self::Reviews => "reviews",
            Self::TopN => "topn",
            Self::Pos => "pos",
        }
    }

    /// By name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name().eq_ignore_ascii_case(name))
    }
}

/// The field of this name, in any case.
pub(super) fn field(name: &str) -> Option<&'static str> {
    FIELDS.iter().find(|known| known.eq_ignore_ascii_case(name)).copied()
}

/// A field that is spelled alike: one is the beginning of the other, or one letter differs.
pub(super) fn nearest_field(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let alike = |known: &&&str| {
        let known = known.to_ascii_lowercase();
        (name.len() >= 3 && (known.starts_with(&name) || name.starts_with(&known))) || differ_by_one(&known, &name)
    };
    FIELDS.iter().filter(alike).min_by_key(|known| known.len().abs_diff(name.len())).copied()
}

fn differ_by_one(a: &str, b: &str) -> bool {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    let same_start = long.bytes().zip(short.bytes()).take_while(|(x, y)| x == y).count();
    let same_end = long.bytes().rev().zip(short.bytes().rev()).take_while(|(x, y)| x == y).count();
    long.len() - short.len() <= 1 && same_start + same_end + 1 >= long.len()
}
