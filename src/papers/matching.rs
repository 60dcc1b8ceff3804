//! When two descriptions are of one paper.
//!
//! Preprint and article are one paper under many names, and authors mistype DOIs, so the strongest kind of name that both
//! sides have decides, and a difference there outweighs agreement in a weaker one. A title never decides: errata,
//! "Paper II" and proceedings share them.

use super::record::Record;
use crate::store::papers::{Identifier, Provenance, Scheme};
use std::collections::BTreeSet;

/// What showed that two descriptions are of one paper, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MatchKey {
    /// The arXiv identifier without version.
    Arxiv,
    /// A publisher's DOI that ADS knows.
    Doi,
    /// A bibcode, current or former.
    AdsIdentifier,
    /// A DOI or journal reference that the authors gave arXiv.
    AuthorsWord,
}

/// The names of a paper.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Names {
    arxiv: BTreeSet<String>,
    bibcodes: BTreeSet<String>,
    /// From ADS or a person.
    dois: BTreeSet<String>,
    /// From arXiv's metadata.
    authors_dois: BTreeSet<String>,
    files: BTreeSet<String>,
}

impl Names {
    /// From stored or about-to-be-stored identifiers.
    pub fn of(identifiers: &[Identifier]) -> Self {
        let mut names = Self::default();
        for Identifier { scheme, value, source } in identifiers {
            let set = match (scheme, source) {
                (Scheme::Arxiv, _) => &mut names.arxiv,
                (Scheme::ArxivVersion, _) => continue,
                (Scheme::Bibcode, _) => &mut names.bibcodes,
                (Scheme::Doi, Provenance::Ads | Provenance::User) => &mut names.dois,
                (Scheme::Doi, Provenance::Arxiv) => &mut names.authors_dois,
                (Scheme::Hash, _) => &mut names.files,
            };
            set.insert(value.clone());
        }
        names
    }

    /// All names of both.
    pub fn extend(&mut self, other: Self) {
        self.arxiv.extend(other.arxiv);
        self.bibcodes.extend(other.bibcodes);
        self.dois.extend(other.dois);
        self.authors_dois.extend(other.authors_dois);
        self.files.extend(other.files);
    }

    /// What shows that both are of one paper, if anything does.
    pub fn matches(&self, other: &Self) -> Option<MatchKey> {
        if !self.arxiv.is_empty() && !other.arxiv.is_empty() {
            return (!self.arxiv.is_disjoint(&other.arxiv)).then_some(MatchKey::Arxiv);
        }
        if !self.dois.is_disjoint(&other.dois) {
            return Some(MatchKey::Doi);
        }
        if !self.bibcodes.is_disjoint(&other.bibcodes) || !self.files.is_disjoint(&other.files) {
            return Some(MatchKey::AdsIdentifier);
        }
        let authors_word = !self.authors_dois.is_disjoint(&other.dois)
            || !self.dois.is_disjoint(&other.authors_dois)
            || !self.authors_dois.is_disjoint(&other.authors_dois);
        authors_word.then_some(MatchKey::AuthorsWord)
    }
}

/// As [`Names::matches`], with the journal reference of an e-print compared to the place of an article.
pub(crate) fn same_paper(a: &Record, b: &Record) -> Option<MatchKey> {
    let by_names = Names::of(&a.identifiers()).matches(&Names::of(&b.identifiers()));
    let contradicted = !a.arxiv.is_empty() && !b.arxiv.is_empty();
    if by_names.is_some() || contradicted {
        return by_names;
    }
    (journal_ref_names(a, b) || journal_ref_names(b, a)).then_some(MatchKey::AuthorsWord)
}

/// Whether the e-print's journal reference holds the article's volume, first page and year, and the first authors agree.
fn journal_ref_names(eprint: &Record, article: &Record) -> bool {
    let (Some(text), Some(volume), Some(page), Some(year)) =
        (&eprint.journal_ref, &article.volume, &article.page, article.year)
    else {
        return false;
    };
    let tokens: BTreeSet<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let year = year.to_string();
    let all = [volume.as_str(), page.as_str(), year.as_str()];
    let distinct: BTreeSet<&str> = all.into_iter().collect();
    distinct.len() == 3
        && distinct.is_subset(&tokens)
        && match (first_author(eprint), first_author(article)) {
            (Some(a), Some(b)) => a == b,
            (_, None) | (None, _) => false,
        }
}

fn first_author(record: &Record) -> Option<String> {
    family_name(&record.authors.first()?.name)
}

/// A family name in lower case: what stands before the comma, or the last word of `Thomas P. Greene`.
pub(crate) fn family_name(name: &str) -> Option<String> {
    let family = match name.split_once(',') {
        Some((family, _)) => family,
        None => name.rsplit(' ').next()?,
    };
    Some(family.trim().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::papers::Author;
    use rstest::rstest;

    fn names(identifiers: &[(Scheme, &str, Provenance)]) -> Names {
        let identifiers: Vec<Identifier> = identifiers
            .iter()
            .map(|(scheme, value, source)| Identifier { scheme: *scheme, value: (*value).into(), source: *source })
            .collect();
        Names::of(&identifiers)
    }

    use Provenance::{Ads, Arxiv as ByArxiv};
    use Scheme::{Arxiv, ArxivVersion, Bibcode, Doi};

    #[rstest]
    #[case::same_eprint(&[(Arxiv, "1", ByArxiv)], &[(Arxiv, "1", Ads), (Doi, "d", Ads)], Some(MatchKey::Arxiv))]
    #[case::same_doi(&[(Doi, "d", Ads)], &[(Doi, "d", Ads), (Bibcode, "b", Ads)], Some(MatchKey::Doi))]
    #[case::former_bibcode(&[(Bibcode, "b1", Ads), (Bibcode, "b2", Ads)], &[(Bibcode, "b1", Ads)], Some(MatchKey::AdsIdentifier))]
    #[case::authors_doi(&[(Arxiv, "1", ByArxiv), (Doi, "d", ByArxiv)], &[(Doi, "d", Ads)], Some(MatchKey::AuthorsWord))]
    // An erratum on arXiv that carries the DOI of the paper it corrects.
    #[case::eprints_differ(&[(Arxiv, "2", ByArxiv), (Doi, "d", ByArxiv)], &[(Arxiv, "1", Ads), (Doi, "d", Ads)], None)]
    #[case::versions_do_not_decide(&[(ArxivVersion, "1v1", Ads)], &[(ArxivVersion, "1v1", Ads)], None)]
    #[case::nothing_shared(&[(Doi, "d", Ads)], &[(Doi, "e", Ads)], None)]
    fn the_strongest_shared_kind_decides(
        #[case] a: &[(Scheme, &str, Provenance)],
        #[case] b: &[(Scheme, &str, Provenance)],
        #[case] expected: Option<MatchKey>,
    ) {
        assert_eq!(names(a).matches(&names(b)), expected);
        assert_eq!(names(b).matches(&names(a)), expected);
    }

    fn record(source: Provenance, title: &str, author: &str) -> Record {
        Record {
            title: title.into(),
            authors: vec![Author { name: author.into(), orcid: None }],
            year: Some(2006),
            ..Record::empty(source)
        }
    }

    #[test]
    fn a_journal_reference_names_the_article_and_a_title_never_does() {
        let mut eprint = record(ByArxiv, "Frequency of Hot Jupiters", "Andrew Gould");
        let mut article = record(Ads, "Frequency of Hot Jupiters", "Gould, A.");
        assert_eq!(same_paper(&eprint, &article), None);
        article.volume = Some("56".into());
        article.page = Some("1".into());
        eprint.journal_ref = Some("ActaAstron.56:1-50,2006".into());
        assert_eq!(same_paper(&eprint, &article), Some(MatchKey::AuthorsWord));
        article.authors = vec![Author { name: "Dorsher, S.".into(), orcid: None }];
        assert_eq!(same_paper(&eprint, &article), None);
    }
}
