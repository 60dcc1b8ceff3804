use super::*;

fn paper(title: &str) -> StoredPaper {
    let paper = Paper {
        id: PaperId::new(),
        title: title.into(),
        authors: vec![Author { name: "Greene, T.".into(), orcid: None }],
        year: Some(2023),
        pubdate: Some("2023-06-00".into()),
        venue: None,
        abstract_text: String::new(),
        keywords: vec!["exoplanets".into()],
        doctype: None,
        bibcode: None,
        doi: None,
        arxiv_id: None,
        identifiers: Vec::new(),
        citation_count: Some(7),
        in_library: false,
        has_pdf: false,
        has_text: false,
        notes_count: 0,
        tags: Vec::new(),
        state: PaperState::Withdrawn,
        versions: vec![PaperVersion { kind: VersionKind::Preprint, id: "1v1".into(), obtained: false }],
        published_as: None,
    };
    StoredPaper { paper, complete: false, fetched_at: Timestamp::from_millis(5) }
}

fn arxiv(value: &str) -> Identifier {
    Identifier { scheme: Scheme::Arxiv, value: value.into(), source: Provenance::Arxiv }
}

async fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("test.db")).await.unwrap();
    (folder, store)
}

async fn add(store: &Store, stored: &StoredPaper, identifiers: Vec<Identifier>) {
    let stored = stored.clone();
    store
        .write(move |connection| {
            Box::pin(async move {
                put(connection, &stored).await?;
                attach(connection, stored.paper.id, &identifiers).await
            })
        })
        .await
        .unwrap();
}

#[tokio::test]
async fn a_paper_comes_back_as_it_was_with_its_identifiers() {
    let (_folder, store) = store().await;
    let mut stored = paper("a");
    add(&store, &stored, vec![arxiv("2303.14849")]).await;
    stored.paper.identifiers = vec![arxiv("2303.14849")];
    assert_eq!(store.paper_by_identifier(&[arxiv("2303.14849")]).await.unwrap(), Some(stored));
    assert_eq!(store.paper_by_identifier(&[arxiv("2303.00000")]).await.unwrap(), None);
}

#[tokio::test]
async fn merged_papers_keep_their_ids_and_where_identifiers_came_from() {
    let (_folder, store) = store().await;
    let (first, second, third) = (paper("a"), paper("b"), paper("c"));
    let (a, b, c) = (first.paper.id, second.paper.id, third.paper.id);
    add(&store, &first, vec![arxiv("1")]).await;
    add(&store, &second, vec![arxiv("2")]).await;
    add(&store, &third, vec![arxiv("3"), arxiv("1")]).await; // "1" stays with its owner
    store
        .write(move |connection| {
            Box::pin(async move {
                merge(connection, b, c).await?;
                merge(connection, a, b).await
            })
        })
        .await
        .unwrap();
    for id in [a, b, c] {
        let found = store.paper(id).await.unwrap().unwrap();
        assert_eq!((found.paper.id, found.paper.identifiers.len()), (a, 3));
    }
    let origins: Vec<PaperId> = sqlx::query_scalar("SELECT origin_id FROM paper_identifiers ORDER BY value")
        .fetch_all(store.reader())
        .await
        .unwrap();
    assert_eq!(origins, [a, b, c]);
}

#[tokio::test]
async fn a_doi_that_an_author_mistyped_goes_to_the_paper_that_ads_gives_it_to() {
    let (_folder, store) = store().await;
    let doi = |source| Identifier { scheme: Scheme::Doi, value: "10.1/x".into(), source };
    let (wrong, right) = (paper("wrong"), paper("right"));
    add(&store, &wrong, vec![doi(Provenance::Arxiv)]).await;
    add(&store, &right, vec![doi(Provenance::Ads)]).await;
    let owner = async || store.paper_by_identifier(&[doi(Provenance::User)]).await.unwrap().unwrap().paper.title;
    assert_eq!(owner().await, "right");
    add(&store, &wrong, vec![doi(Provenance::Arxiv)]).await;
    assert_eq!(owner().await, "right");
}
