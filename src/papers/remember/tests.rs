use super::*;
use crate::store::papers::{Identifier, Provenance, Scheme};
use proptest::prelude::*;

fn record(source: Provenance, names: &[&str]) -> Record {
    let mut record = Record { title: names.join(" "), ..Record::empty(source) };
    for name in names {
        match name.parse().unwrap() {
            crate::papers::identity::PaperRef::Bibcode(bibcode) => record.bibcodes.push(bibcode),
            crate::papers::identity::PaperRef::Arxiv(id) => record.arxiv.push(id),
            crate::papers::identity::PaperRef::Doi(doi) => record.dois.push(doi),
            crate::papers::identity::PaperRef::Id(_) => unreachable!("no test uses our ids"),
        }
    }
    record
}

async fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("test.db")).await.unwrap();
    (folder, store)
}

async fn ids(store: &Store, papers: Vec<Vec<Record>>) -> Vec<PaperId> {
    remember(store, papers).await.unwrap().iter().map(|stored| stored.paper.id).collect()
}

async fn owner(store: &Store, scheme: Scheme, value: &str) -> PaperId {
    let identifier = Identifier { scheme, value: value.into(), source: Provenance::User };
    store.paper_by_identifier(&[identifier]).await.unwrap().unwrap().paper.id
}

const EPRINT: &str = "2023arXiv230314849G";
const ARTICLE: &str = "2023Natur.618...39G";
const DOI: &str = "10.1038/s41586-023-05951-7";

#[tokio::test]
async fn a_record_that_names_two_papers_makes_them_one_under_the_older_id() {
    let (_folder, store) = store().await;
    // For days after publication ADS has two records, and each may be found first.
    let apart =
        vec![vec![record(Provenance::Ads, &[EPRINT, "2303.14849"])], vec![record(Provenance::Ads, &[ARTICLE, DOI])]];
    let [eprint, article] = ids(&store, apart).await[..] else { panic!() };
    assert_ne!(eprint, article);
    let together = vec![vec![record(Provenance::Ads, &[ARTICLE, EPRINT, DOI, "2303.14849"])]];
    assert_eq!(ids(&store, together).await, [eprint]);
    // The id that a note or a link may hold still leads to the paper.
    assert_eq!(store.paper(article).await.unwrap().unwrap().paper.id, eprint);
    assert_eq!(owner(&store, Scheme::Doi, DOI).await, eprint);
}

#[tokio::test]
async fn the_record_of_an_eprint_does_not_hide_its_article() {
    let typed = |doctype: &str, names: &[&str]| Record {
        doctype: Some(doctype.into()),
        citation_count: Some(3),
        ..record(Provenance::Ads, names)
    };
    let article = || vec![typed("article", &[ARTICLE, "2303.14849"])];
    let eprint = || vec![typed("eprint", &[EPRINT, "2303.14849"])];
    for order in [vec![article(), eprint()], vec![eprint(), article()]] {
        let (_folder, store) = store().await;
        let found = ids(&store, order).await;
        let paper = store.paper(found[0]).await.unwrap().unwrap().paper;
        assert_eq!((paper.bibcode.as_deref(), paper.doctype.as_deref()), (Some(ARTICLE), Some("article")));
    }
}

#[tokio::test]
async fn a_mistyped_doi_joins_nothing_whichever_comes_first() {
    let right = || vec![record(Provenance::Ads, &[ARTICLE, DOI, "2303.14849"])];
    let wrong = || vec![record(Provenance::Arxiv, &["2401.00001v1", DOI])];
    for order in [vec![right(), wrong()], vec![wrong(), right()]] {
        let (_folder, store) = store().await;
        let found = ids(&store, order).await;
        assert_ne!(found[0], found[1]);
        assert_eq!(owner(&store, Scheme::Doi, DOI).await, owner(&store, Scheme::Bibcode, ARTICLE).await);
    }
}

#[tokio::test]
async fn what_was_found_together_stays_together_without_a_shared_name() {
    let (_folder, store) = store().await;
    // Joined by the journal reference, which is no identifier.
    let found =
        ids(&store, vec![vec![record(Provenance::Ads, &[ARTICLE]), record(Provenance::Arxiv, &["2303.14849v2"])]])
            .await;
    assert_eq!(owner(&store, Scheme::Arxiv, "2303.14849").await, found[0]);
    assert_eq!(owner(&store, Scheme::ArxivVersion, "2303.14849v2").await, found[0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The order in which sources speak does not decide what is one paper.
    #[test]
    fn the_order_of_records_does_not_matter(order in Just((0usize..6).collect::<Vec<_>>()).prop_shuffle()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let records = [
                record(Provenance::Arxiv, &["2303.14849v1", DOI]),
                record(Provenance::Ads, &[EPRINT, "2303.14849"]),
                record(Provenance::Ads, &[ARTICLE, EPRINT, DOI, "2303.14849"]),
                record(Provenance::Arxiv, &["2305.10414v2"]),
                record(Provenance::Ads, &["2023ApJ...952L...4I", "2305.10414", "10.3847/2041-8213/ace03b"]),
                record(Provenance::Ads, &["2017Natur.542..456G", "1703.01424"]),
            ];
            let (_folder, store) = store().await;
            for i in order {
                remember(&store, vec![vec![records[i].clone()]]).await.unwrap();
            }
            let greene = owner(&store, Scheme::Arxiv, "2303.14849").await;
            let ih = owner(&store, Scheme::Arxiv, "2305.10414").await;
            let gillon = owner(&store, Scheme::Arxiv, "1703.01424").await;
            assert!(greene != ih && ih != gillon && greene != gillon);
            for name in [ARTICLE, EPRINT] {
                assert_eq!(owner(&store, Scheme::Bibcode, name).await, greene);
            }
            assert_eq!(owner(&store, Scheme::Doi, DOI).await, greene);
            assert_eq!(owner(&store, Scheme::Bibcode, "2023ApJ...952L...4I").await, ih);
            // ADS's word is what is shown, whoever spoke last.
            let shown = store.paper(greene).await.unwrap().unwrap();
            assert!(shown.complete && shown.paper.bibcode.is_some());
        });
    }
}
