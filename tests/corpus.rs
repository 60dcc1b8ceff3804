//! The recorded answers of the real services, read by the product's parsers. The corpus lies beside the project; without
//! it these tests say so and pass.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

use almagest::papers::identity::PaperRef;
use almagest::papers::search::replay;
use almagest::targets::{self, TargetStatus};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// The corpus, or nothing with a line that says what was skipped.
fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if !folder.join("MANIFEST.tsv").is_file() {
        eprintln!("skipped: {} is not there, so the recorded answers were not read", folder.display());
        return None;
    }
    Some(folder)
}

/// Path and known truth of every file below a folder of the corpus.
fn files(corpus: &Path, folder: &str) -> Vec<(String, String)> {
    let manifest = std::fs::read_to_string(corpus.join("MANIFEST.tsv")).unwrap();
    let rows = manifest.lines().skip(1).filter_map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        Some(((*columns.first()?).to_owned(), (*columns.last()?).to_owned()))
    });
    rows.filter(|(path, _)| path.starts_with(folder)).collect()
}

fn read(corpus: &Path, path: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(corpus.join(path)).unwrap()).into_owned()
}

/// The number behind `name=` or `name ` in a line of truth.
fn number(truth: &str, name: &str) -> Option<u64> {
    let rest = &truth[truth.find(name)? + name.len()..];
    let digits: String = rest.trim_start_matches(['=', ' ']).chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[test]
fn every_recorded_ads_search_is_read_as_it_is() {
    let Some(corpus) = corpus() else { return };
    let mut checked = 0;
    for (path, truth) in files(&corpus, "ads/search-").into_iter().chain(files(&corpus, "ads/bigquery-")) {
        let outcome = replay::ads(&read(&corpus, &path));
        if truth.contains("numFound=None") {
            assert!(outcome.unwrap_err().contains("without results"), "{path}");
            continue;
        }
        let (total, papers) = outcome.unwrap_or_else(|why| panic!("{path}: {why}"));
        let expected = number(&truth, "numFound").unwrap_or_else(|| panic!("{path}: no numFound in `{truth}`"));
        assert_eq!(total, expected, "{path}");
        assert_eq!(papers.len() as u64, number(&truth, "docs").unwrap(), "{path}");
        if let Some(bibcode) = truth.split("first bibcode ").nth(1).and_then(|rest| rest.split(';').next())
            && bibcode != "None"
        {
            assert_eq!(papers[0].first().map(String::as_str), Some(bibcode), "{path}");
        }
        checked += 1;
    }
    assert!(checked >= 12, "only {checked} files");
}

#[test]
fn every_recorded_ads_error_has_a_message() {
    let Some(corpus) = corpus() else { return };
    for (path, _) in files(&corpus, "ads/error-") {
        let why = replay::ads(&read(&corpus, &path)).unwrap_err();
        assert!(why.contains("ADS does not accept the query: "), "{path}: {why}");
    }
}

#[test]
fn every_bibcode_of_the_corpus_is_an_identifier() {
    let Some(corpus) = corpus() else { return };
    let mut bibcodes = 0;
    for (path, _) in files(&corpus, "ads/search-") {
        let answer: serde_json::Value = serde_json::from_str(&read(&corpus, &path)).unwrap();
        for doc in answer["response"]["docs"].as_array().into_iter().flatten() {
            let Some(bibcode) = doc["bibcode"].as_str() else { continue };
            assert!(matches!(bibcode.parse(), Ok(PaperRef::Bibcode(_))), "{path}: {bibcode}");
            bibcodes += 1;
        }
    }
    assert!(bibcodes > 90, "only {bibcodes}");
}

#[test]
fn every_recorded_arxiv_feed_is_read_as_it_is() {
    let Some(corpus) = corpus() else { return };
    let mut checked = 0;
    for (path, truth) in files(&corpus, "arxiv/api-") {
        let outcome = replay::arxiv(&read(&corpus, &path));
        if path.contains("error") {
            assert_eq!(outcome.unwrap_err(), "arXiv does not accept the query: incorrect id format for abc.", "{path}");
            continue;
        }
        let (total, papers) = outcome.unwrap_or_else(|why| panic!("{path}: {why}"));
        if let Some(expected) = number(&truth, "totalResults") {
            assert_eq!(total, expected, "{path}");
        }
        if let Some(expected) = number(&truth, "entries") {
            assert_eq!(papers.len() as u64, expected, "{path}");
        }
        let ids = truth.split("ids ['").nth(1).and_then(|rest| rest.split("']").next()).unwrap_or_default();
        for (paper, id) in papers.iter().zip(ids.split("', '").filter(|id| !id.is_empty())) {
            assert!(paper.iter().any(|name| name == id), "{path}: {id} is not in {paper:?}");
        }
        checked += 1;
    }
    assert!(checked >= 10, "only {checked} files");
}

#[test]
fn every_recorded_sesame_answer_is_read_as_it_is() {
    let Some(corpus) = corpus() else { return };
    let resolve = |file: &str| targets::replay(file, &read(&corpus, &format!("sesame/{file}")));
    let ngc4258 = resolve("sesame-xml-ngc4258-snv-all-resolvers.xml");
    assert_eq!(ngc4258.status, TargetStatus::Found);
    assert_eq!((ngc4258.canonical.as_deref(), ngc4258.resolver.as_deref()), (Some("M 106"), Some("SIMBAD")));
    assert_eq!((ngc4258.ra_deg, ngc4258.dec_deg), (Some(184.740_083_33), Some(47.303_719_44)));
    assert_eq!((ngc4258.z, ngc4258.kind.as_deref()), (Some(0.001_541), Some("LIN")));
    assert!(ngc4258.aliases.unwrap().contains(&"NGC 4258".to_owned()));
    // The opening of the root element is missing.
    let ic434 = resolve("sesame-xml-fragment-ic434-2008.xml");
    assert_eq!((ic434.status, ic434.ra_deg, ic434.dec_deg), (TargetStatus::Found, Some(85.25), Some(-2.5)));
    assert_eq!(ic434.detail.as_deref(), Some("The position is uncertain by 1080 arcsec."));
    assert_eq!(resolve("sesame-xml-nothing-found-hip123456.xml").status, TargetStatus::NotFound);
    // Everything else there is no answer of Sesame in XML: it must say nothing about a name.
    for (path, _) in files(&corpus, "sesame/").into_iter().filter(|(path, _)| !path.contains("sesame-xml")) {
        assert_eq!(targets::replay("x", &read(&corpus, &path)).status, TargetStatus::Unavailable, "{path}");
    }
}

/// A small whole answer of each kind, to be broken.
const ANSWERS: [&str; 3] = [
    r#"{"response": {"numFound": 1, "docs": [{"title": ["A <SUB>b</SUB> &amp; c"], "identifier": ["arXiv:2303.14849"]}]}}"#,
    r#"<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/abs/2303.14849v1</id><title>A</title></entry></feed>"#,
    r#"<Sesame><Target><Resolver name="S=Simbad"><jradeg>1</jradeg><jdedeg>2</jdedeg></Resolver></Target></Sesame>"#,
];

proptest! {
    #[test]
    fn no_parser_panics_on_broken_answers(which in 0usize..3, at in 0usize..160, cut in 0usize..40, put in "\\PC{0,12}|[<>&/\"{}]{0,6}") {
        let answer = ANSWERS[which];
        let start = at.min(answer.len());
        let end = (start + cut).min(answer.len());
        let broken = format!("{}{put}{}", &answer[..start], &answer[end..]);
        let _ = replay::ads(&broken);
        let _ = replay::arxiv(&broken);
        let _ = targets::replay("x", &broken);
    }
}
