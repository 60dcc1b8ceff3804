//! Two ranked lists become one.

use super::answer::SourceName;
use super::query::SortOrder;
use crate::papers::matching::same_paper;
use crate::papers::record::Record;
use std::cmp::Reverse;

/// The constant of reciprocal rank fusion (Cormack, Clarke & Büttcher 2009, SIGIR): large enough that agreement of two
/// sources outweighs a first place in one.
const K: f64 = 60.0;

/// One paper with everything the sources said about it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Merged {
    /// What the sources said, ADS first.
    pub records: Vec<Record>,
    pub sources: Vec<SourceName>,
    pub score: f64,
}

/// Joins descriptions of the same paper and orders the papers.
pub(crate) fn merge(ads: Vec<Record>, arxiv: Vec<Record>, sort: SortOrder) -> Vec<Merged> {
    let mut merged: Vec<Merged> = Vec::new();
    for (source, records) in [(SourceName::Ads, ads), (SourceName::Arxiv, arxiv)] {
        for (rank, record) in records.into_iter().enumerate() {
            let score = 1.0 / (K + 1.0 + rank as f64);
            let best = merged
                .iter()
                .enumerate()
                .filter_map(|(i, paper)| key(paper, &record).map(|key| (key, i)))
                .min()
                .and_then(|(_, i)| merged.get_mut(i));
            match best {
                Some(paper) => {
                    // The same source twice (an e-print that ADS has not yet matched to its article) counts once.
                    if !paper.sources.contains(&source) {
                        paper.sources.push(source);
                        paper.score += score;
                    }
                    paper.records.push(record);
                }
                None => merged.push(Merged { records: vec![record], sources: vec![source], score }),
            }
        }
    }
    // Stable sorts: equal papers stay in the sources' order, ADS first.
    merged.sort_by(|a, b| b.score.total_cmp(&a.score));
    match sort {
        SortOrder::Relevance => {}
        SortOrder::Date => merged.sort_by_cached_key(|paper| Reverse(paper.date())),
        SortOrder::Citations => merged.sort_by_key(|paper| Reverse(paper.citations())),
    }
    merged
}

fn key(paper: &Merged, record: &Record) -> Option<crate::papers::matching::MatchKey> {
    paper.records.iter().filter_map(|known| same_paper(known, record)).min()
}

impl Merged {
    /// ADS's date when it has one: `2023-06-00` sorts before `2023-06-19`, as it should for a month's issue.
    fn date(&self) -> String {
        let date = self.records.iter().find_map(|record| record.pubdate.clone());
        date.or_else(|| self.records.iter().find_map(|record| record.year).map(|year| year.to_string()))
            .unwrap_or_default()
    }

    fn citations(&self) -> Option<u32> {
        self.records.iter().filter_map(|record| record.citation_count).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::papers::Provenance;

    fn ads(title: &str, arxiv: Option<&str>, date: &str, citations: u32) -> Record {
        Record {
            title: title.into(),
            pubdate: Some(date.into()),
            citation_count: Some(citations),
            arxiv: arxiv.map(|id| id.parse().unwrap()).into_iter().collect(),
            ..Record::empty(Provenance::Ads)
        }
    }

    fn arxiv(title: &str, id: &str, date: &str) -> Record {
        Record {
            title: title.into(),
            pubdate: Some(date.into()),
            arxiv: vec![id.parse().unwrap()],
            ..Record::empty(Provenance::Arxiv)
        }
    }

    fn titles(merged: &[Merged]) -> Vec<&str> {
        merged.iter().map(|paper| paper.records[0].title.as_str()).collect()
    }

    #[test]
    fn what_both_sources_found_comes_first_and_the_rest_interleaves() {
        let from_ads = vec![ads("a", None, "2020-01-00", 5), ads("both", Some("2303.00001"), "2023-06-00", 9)];
        let from_arxiv = vec![
            arxiv("x", "2301.00001", "2023-01-02"),
            arxiv("both, as e-print", "2303.00001v2", "2023-03-01"),
            arxiv("y", "2401.00001", "2024-01-02"),
        ];
        let merged = merge(from_ads.clone(), from_arxiv.clone(), SortOrder::Relevance);
        assert_eq!(titles(&merged), ["both", "a", "x", "y"]);
        assert_eq!(merged[0].sources, [SourceName::Ads, SourceName::Arxiv]);
        assert_eq!(merged[0].records.len(), 2);
        let by_date = merge(from_ads.clone(), from_arxiv.clone(), SortOrder::Date);
        assert_eq!(titles(&by_date), ["y", "both", "x", "a"]);
        let by_citations = merge(from_ads, from_arxiv, SortOrder::Citations);
        assert_eq!(titles(&by_citations), ["both", "a", "x", "y"]);
    }

    #[test]
    fn equal_titles_alone_stay_two_papers() {
        let merged = merge(
            vec![ads("The same title", Some("2303.00001"), "2023-06-00", 9)],
            vec![arxiv("The same title", "2303.00002", "2023-03-01")],
            SortOrder::Relevance,
        );
        assert_eq!(merged.len(), 2);
    }
}
