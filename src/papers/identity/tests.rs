use super::*;
use proptest::prelude::*;
use rstest::rstest;

#[rstest]
#[case("2023Natur.618...39G", "bibcode 2023Natur.618...39G")]
#[case("bibcode:2023Natur.618...39G", "bibcode 2023Natur.618...39G")]
#[case("2023arXiv230314849G", "bibcode 2023arXiv230314849G")]
#[case("2005astro.ph..7525P", "bibcode 2005astro.ph..7525P")]
#[case("2013A&amp;A...552A.143S", "bibcode 2013A&A...552A.143S")]
#[case("2013A\\&A...552A.143S", "bibcode 2013A&A...552A.143S")]
#[case("https://ui.adsabs.harvard.edu/abs/2013A%26A...552A.143S/abstract", "bibcode 2013A&A...552A.143S")]
#[case("https://www.scixplorer.org/abs/2023Natur.618...39G/citations", "bibcode 2023Natur.618...39G")]
#[case("2303.14849", "arxiv 2303.14849")]
#[case("0704.0001v2", "arxiv 0704.0001v2")]
#[case(" arXiv:2303.14849v2 [astro-ph.EP] ", "arxiv 2303.14849v2")]
#[case("ARXIV: 2303.14849", "arxiv 2303.14849")]
#[case("astro-ph/0301632", "arxiv astro-ph/0301632")]
#[case("math.GT/0309136v1", "arxiv math/0309136v1")]
#[case("https://arxiv.org/abs/2303.14849v1", "arxiv 2303.14849v1")]
#[case("http://arxiv.org/pdf/2303.14849v1.pdf", "arxiv 2303.14849v1")]
#[case("https://arxiv.org/html/2412.11627v1#S3", "arxiv 2412.11627v1")]
#[case("https://export.arxiv.org/abs/astro-ph/0301632?context=x", "arxiv astro-ph/0301632")]
#[case("https://ar5iv.labs.arxiv.org/html/2303.14849", "arxiv 2303.14849")]
#[case("arxiv.org/abs/2303.14849", "arxiv 2303.14849")]
#[case("10.48550/arXiv.2303.14849", "arxiv 2303.14849")]
#[case("https://doi.org/10.48550/ARXIV.astro-ph/0301632", "arxiv astro-ph/0301632")]
#[case("10.1038/s41586-023-05951-7", "doi 10.1038/s41586-023-05951-7")]
#[case("doi:10.3847/2041-8213/ACF7C4.", "doi 10.3847/2041-8213/acf7c4")]
#[case("https://doi.org/10.3847/2041-8213/acf7c4", "doi 10.3847/2041-8213/acf7c4")]
#[case("https://iopscience.iop.org/article/10.3847/2041-8213/acf7c4/pdf", "doi 10.3847/2041-8213/acf7c4")]
#[case("10.1016/0019-1035(72)90102-8)", "doi 10.1016/0019-1035(72)90102-8")]
#[case(
    "10.1002/(SICI)1521-3994(199803)319:3<1::AID-ASNA1>3.0.CO;2-8",
    "doi 10.1002/(sici)1521-3994(199803)319:3<1::aid-asna1>3.0.co;2-8"
)]
#[case("0190b8a4-9e57-7cc1-b8e5-5b6f6a0e6c11", "id 0190b8a4-9e57-7cc1-b8e5-5b6f6a0e6c11")]
fn what_people_type(#[case] text: &str, #[case] expected: &str) {
    let parsed: PaperRef = text.parse().unwrap();
    let kind = match &parsed {
        PaperRef::Id(_) => "id",
        PaperRef::Bibcode(_) => "bibcode",
        PaperRef::Arxiv(_) => "arxiv",
        PaperRef::Doi(_) => "doi",
    };
    assert_eq!(format!("{kind} {parsed}"), expected);
}

#[rstest]
#[case("")]
#[case("TRAPPIST-1 b")]
#[case("2313.14849")] // there is no thirteenth month
#[case("2303.148")]
#[case("2303.148491")]
#[case("astro-ph/030163")]
#[case("0301632")]
#[case("10.1038")]
#[case("10.x/abc")]
#[case("https://example.org/abs/2303.14849")]
#[case("https://arxiv.org/list/astro-ph/new")]
#[case("2023Natur.618...399")]
fn what_is_no_identifier(#[case] text: &str) {
    assert!(text.parse::<PaperRef>().is_err(), "{text}");
}

fn arxiv_id() -> impl Strategy<Value = String> {
    let month = (7u8..=60, 1u8..=12);
    prop_oneof![
        (month.clone(), 0u32..10_000).prop_map(|((year, month), number)| format!("{year:02}{month:02}.{number:04}")),
        (month, 0u32..100_000).prop_map(|((year, month), number)| format!("{year:02}{month:02}.{number:05}")),
        ((91u8..=99, 1u8..=12), 0u32..1000)
            .prop_map(|((year, month), number)| format!("astro-ph/{year:02}{month:02}{number:03}")),
        ((91u8..=99, 1u8..=12), 0u32..1000)
            .prop_map(|((year, month), number)| format!("gr-qc/{year:02}{month:02}{number:03}")),
    ]
}

proptest! {
    #[test]
    fn every_spelling_of_an_arxiv_id_is_the_same_paper(id in arxiv_id(), version in proptest::option::of(1u32..30)) {
        let full = version.map_or(id.clone(), |version| format!("{id}v{version}"));
        for spelling in [
            full.clone(),
            format!("arXiv:{full}"),
            format!("https://arxiv.org/abs/{full}"),
            format!("http://arxiv.org/pdf/{full}.pdf"),
            format!("https://arxiv.org/html/{full}/"),
            format!("10.48550/arXiv.{full}"),
            format!("https://doi.org/10.48550/arxiv.{full}"),
        ] {
            let Ok(PaperRef::Arxiv(parsed)) = spelling.parse() else { panic!("{spelling}") };
            prop_assert_eq!(parsed.without_version(), &id);
            prop_assert_eq!(parsed.version(), version);
            prop_assert_eq!(parsed.to_string(), full.clone());
        }
    }

    #[test]
    fn a_parsed_reference_parses_to_itself(text in "\\PC{0,40}|10\\.[0-9]{4}/[a-zA-Z0-9().;-]{1,20}|[0-9]{4}[A-Za-z&.0-9]{14}[A-Z]") {
        if let Ok(parsed) = text.parse::<PaperRef>() {
            prop_assert_eq!(parsed.to_string().parse::<PaperRef>(), Ok(parsed));
        }
    }
}
