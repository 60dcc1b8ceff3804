use super::*;
use crate::papers::record::Record;
use crate::papers::remember::remember;
use crate::store::papers::{Author, Provenance};
use pretty_assertions::assert_eq;

const EPRINT: &str = "2023arXiv230314849G";
const ARTICLE: &str = "2023Natur.618...39G";
const DOI: &str = "10.1038/s41586-023-05951-7";
const TITLE: &str = "Thermal emission from the Earth-sized exoplanet TRAPPIST-1 b using JWST";

async fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("test.db")).await.unwrap();
    (folder, store)
}

fn record(title: &str, year: i32, doctype: &str, names: &[&str]) -> Record {
    let mut record = Record {
        title: title.into(),
        authors: vec![Author { name: "Greene, Thomas P.".into(), orcid: None }],
        year: Some(year),
        doctype: Some(doctype.into()),
        ..Record::empty(Provenance::Ads)
    };
    for name in names {
        match name.parse().unwrap() {
            PaperRef::Bibcode(bibcode) => record.bibcodes.push(bibcode),
            PaperRef::Arxiv(id) => record.arxiv.push(id),
            PaperRef::Doi(doi) => record.dois.push(doi),
            PaperRef::Id(_) => unreachable!("no test uses our ids"),
        }
    }
    record
}

/// Both records of the work, before ADS has matched them.
fn two() -> Vec<Vec<Record>> {
    let eprint = record(TITLE, 2023, "eprint", &[EPRINT, "2303.14849v1"]);
    vec![vec![eprint], vec![record(TITLE, 2023, "article", &[ARTICLE, DOI])]]
}

async fn library(store: &Store, records: Vec<Vec<Record>>) -> Vec<PaperId> {
    let mut ids = Vec::new();
    for stored in remember(store, records).await.unwrap() {
        ids.push(store.add_to_library(stored.paper.id).await.unwrap().id);
    }
    ids
}

async fn paper(store: &Store, id: PaperId) -> Paper {
    store.paper(id).await.unwrap().unwrap().paper
}

async fn undo(store: &Store, id: PaperId, name: &str) -> StoreResult<Unmerged> {
    store.unmerge_paper(id, name.parse::<PaperRef>().unwrap().identifiers()).await
}

#[tokio::test]
async fn a_merge_keeps_all_of_both_and_undoing_it_gives_both_back() {
    let (_folder, store) = store().await;
    let [eprint, article] = library(&store, two()).await[..] else { panic!() };
    store.tag_paper(eprint, vec!["mine".into()]).await.unwrap();
    store.tag_paper(article, vec!["yours".into()]).await.unwrap();
    let before = [paper(&store, eprint).await, paper(&store, article).await];

    let merged = merge_papers(&store, eprint, article).await.unwrap();
    assert_eq!(
        (merged.id, merged.bibcode.as_deref(), merged.arxiv_id.as_deref()),
        (eprint, Some(ARTICLE), Some("2303.14849"))
    );
    assert_eq!(merged.doctype.as_deref(), Some("article"), "the article's description is the better one");
    assert_eq!(merged.tags, ["mine", "yours"]);
    assert_eq!(merged.identifiers.len(), before[0].identifiers.len() + before[1].identifiers.len());
    assert_eq!(merged.versions.len(), 2);
    assert!(matches!(merge_papers(&store, article, eprint).await, Err(StoreError::Conflict(_))));

    // The id that was merged still leads to the paper.
    let two = undo(&store, article, DOI).await.unwrap();
    assert_eq!(two.released, before[1]);
    // Whose tags they are is not known; none is lost.
    assert_eq!(two.kept, Paper { tags: vec!["mine".into(), "yours".into()], ..before[0].clone() });
    assert!(matches!(undo(&store, eprint, EPRINT).await, Err(StoreError::Conflict(_))));
    assert!(matches!(undo(&store, eprint, DOI).await, Err(StoreError::NotFound(_))));
}

#[tokio::test]
async fn what_was_undone_is_not_merged_again_by_a_source() {
    let (_folder, store) = store().await;
    let [eprint, article] = library(&store, two()).await[..] else { panic!() };
    let both = || vec![vec![record(TITLE, 2023, "article", &[ARTICLE, EPRINT, DOI, "2303.14849"])]];
    assert_eq!(library(&store, both()).await, [eprint]);
    let undone = undo(&store, eprint, ARTICLE).await.unwrap();
    assert_eq!((undone.kept.id, undone.released.id), (eprint, article));
    assert_eq!(undone.kept.bibcode.as_deref(), Some(EPRINT));
    assert_eq!(undone.kept.published_as, None);

    // The record's own bibcode says which of the two it describes.
    assert_eq!(library(&store, both()).await, [article]);
    let (kept, released) = (paper(&store, eprint).await, paper(&store, article).await);
    assert_eq!((kept.id, released.id), (eprint, article));
    for name in [EPRINT, "2303.14849"] {
        let names = name.parse::<PaperRef>().unwrap().identifiers();
        assert_eq!(store.paper_by_identifier(&names).await.unwrap().unwrap().paper.id, eprint, "{name}");
    }
    // A person may change their mind.
    assert_eq!(merge_papers(&store, article, eprint).await.unwrap().id, article);
    assert_eq!(paper(&store, eprint).await.id, article);
    assert_eq!(library(&store, both()).await, [article]);
}

#[tokio::test]
async fn undoing_a_merge_inside_a_merge_takes_along_what_came_with_it() {
    let (_folder, store) = store().await;
    let third = record("Another title altogether", 2020, "article", &["2020ApJ...900....1G"]);
    let records = two().into_iter().chain([vec![third]]).collect();
    let [a, b, c] = library(&store, records).await[..] else { panic!() };
    merge_papers(&store, b, c).await.unwrap();
    merge_papers(&store, a, b).await.unwrap();
    let two = undo(&store, a, DOI).await.unwrap();
    assert_eq!((two.kept.id, two.released.id), (a, b));
    assert_eq!(paper(&store, c).await.id, b);
    let last = undo(&store, b, "2020ApJ...900....1G").await.unwrap();
    assert_eq!((last.kept.id, last.released.id), (b, c));
    assert_eq!(last.released.identifiers.len(), 1);
}

#[tokio::test]
async fn look_alikes_are_suggested_and_two_papers_stay_two() {
    let (_folder, store) = store().await;
    let mut records = two();
    // The same title in other letters; too far away in time; another author; too short; a second e-print.
    records.push(vec![record(
        "Thermal Emission from the Earth-Sized Exoplanet TRAPPIST-1b using JWST",
        2021,
        "proceedings",
        &["2021ESS.....112345G"],
    )]);
    records.push(vec![record("Erratum", 2023, "article", &["2023ApJ...955...22G"])]);
    records.push(vec![record("Erratum", 2023, "article", &["2023ApJ...956...23G"])]);
    records.push(vec![record(TITLE, 2023, "eprint", &["2401.00001"])]);
    let mut other = record(TITLE, 2023, "article", &["2023ApJ...957...24S"]);
    other.authors = vec![Author { name: "Somebody, E.".into(), orcid: None }];
    records.push(vec![other]);
    let ids = library(&store, records).await;
    let pairs = async || -> Vec<(PaperId, PaperId)> {
        look_alikes(&store).await.unwrap().iter().map(|[one, two]| (one.id, two.id)).collect()
    };
    assert_eq!(pairs().await, [(ids[0], ids[1]), (ids[1], ids[5])]);
    assert_eq!(store.library_names().await.unwrap().len(), 7, "nothing was merged");
    let (one, other) = (ids[1], ids[0]);
    store.write(move |connection| Box::pin(set_apart(connection, one, other))).await.unwrap();
    assert_eq!(pairs().await, [(ids[1], ids[5])]);
}
