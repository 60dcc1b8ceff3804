use super::*;
use proptest::prelude::*;
use rstest::rstest;

#[rstest]
#[case("TRAPPIST-1 b atmosphere", "TRAPPIST-1 b atmosphere")]
#[case("\"TRAPPIST-1 b\" JWST", "\"TRAPPIST-1 b\" JWST")]
#[case("“TRAPPIST-1 b” JWST", "\"TRAPPIST-1 b\" JWST")]
#[case("object:\"TRAPPIST-1 b\" atmosphere year:2023-2024", "object:\"TRAPPIST-1 b\" atmosphere year:2023-2024")]
#[case("author:Greene title:thermal", "author:\"Greene\" title:thermal")]
#[case("AUTHOR:\"^Greene, T\" =author:\"Ih, J\"", "author:\"^Greene, T\" =author:\"Ih, J\"")]
#[case("author: \"Greene, T\"", "author:\"Greene, T\"")]
#[case("(a OR b) AND NOT c", "(a OR b) -c")]
#[case("a OR -b", "a OR -b")]
#[case("+a +b", "a b")]
#[case("citations(bibcode:2023Natur.618...39G)", "citations(bibcode:\"2023Natur.618...39G\")")]
#[case("topn(10, object:\"M 31\", citation_count desc)", "topn(10, object:\"M 31\", citation_count desc)")]
#[case("reviews(similar(abs:(rocky AND planet)))", "reviews(similar(abs:(rocky planet)))")]
#[case("citation_count:[100 TO *]", "citation_count:[100 TO *]")]
#[case("doi:10.1016/0019-1035(72)90102-8", "doi:\"10.1016/0019-1035(72)90102-8\"")]
#[case("arxiv:2303.14849", "arXiv:\"2303.14849\"")]
#[case("f(R) gravity", "\"f(R)\" gravity")]
#[case("[O III] emission", "\"O III\" emission")]
#[case("[\" A]", "\"A\"")] // a mark inside brackets left a blank behind
#[case("\\sigma_8 \"\\\" tension", "sigma_8 tension")] // a phrase of one mark came out empty
#[case("Sgr A* flares", "Sgr \"A*\" flares")]
#[case("exoplanet* 2MASS", "exoplanet* 2MASS")]
#[case("SDSS J1030+0524", "SDSS J1030+0524")]
#[case("Exoplanets: a review", "Exoplanets a review")]
#[case("12:30:45 transit", "\"12:30:45\" transit")]
#[case("https://example.org/x?y", "\"https://example.org/x?y\"")]
#[case("stars & planets — a survey / 2023", "stars planets a survey 2023")]
#[case("系外行星 大气", "系外行星 大气")]
fn queries_become_valid_ads_syntax(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(parse(text).unwrap().to_ads(), expected);
}

#[rstest]
#[case("", QueryError::Empty)]
#[case(" -- , ", QueryError::Empty)]
#[case("\"TRAPPIST-1 b", QueryError::Quote(1))]
#[case("a author:\"Greene", QueryError::Quote(10))]
#[case("(a OR b", QueryError::Bracket('(', 1))]
#[case("a OR b)", QueryError::Bracket(')', 7))]
#[case("citations(a", QueryError::Bracket('(', 10))]
#[case("year:[2000 TO 2001", QueryError::Bracket('[', 6))]
#[case("AND a", QueryError::Operator("AND", 1))]
#[case("a OR", QueryError::Operator("OR", 3))]
#[case("a AND OR b", QueryError::Operator("OR", 7))]
#[case("a NOT", QueryError::Operator("NOT", 3))]
#[case("autor:Greene", QueryError::UnknownField { name: "autor".into(), nearest: Some("author") })]
#[case("authors:Greene", QueryError::UnknownField { name: "authors".into(), nearest: Some("author") })]
#[case("foo:bar", QueryError::UnknownField { name: "foo".into(), nearest: None })]
#[case("author:", QueryError::NoValue("author"))]
#[case("title:\"\"", QueryError::NoValue("title"))]
#[case("citations()", QueryError::Call("citations", "it needs a query inside"))]
#[case(
    "topn(many, a)",
    QueryError::Call("topn", "the first argument is how many papers to take, for example topn(50, …)")
)]
#[case(
    "citations(author:Greene, T)",
    QueryError::Call("citations", "put names that hold a comma in quotation marks, as in author:\"Greene, T\"")
)]
#[case("((((((((((((((((((((a))))))))))))))))))))", QueryError::TooDeep)]
fn a_bad_query_is_told_why(#[case] text: &str, #[case] expected: QueryError) {
    assert_eq!(parse(text).unwrap_err(), expected);
}

fn balanced(text: &str) -> bool {
    let (mut open, mut quoted) = (0i32, false);
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '(' if !quoted => open += 1,
            ')' if !quoted => open -= 1,
            _ => {}
        }
        if open < 0 {
            return false;
        }
    }
    open == 0 && !quoted
}

proptest! {
    #[test]
    fn whatever_is_accepted_is_balanced_and_stable(text in "[a-zA-Z0-9 :()\"\\[\\],.*+^=&;_-]{0,60}|\\PC{0,40}") {
        if let Ok(query) = parse(&text) {
            let once = query.to_ads();
            prop_assert!(balanced(&once), "{}", once);
            let again = parse(&once).map(|query| query.to_ads());
            prop_assert_eq!(again, Ok(once));
        }
    }
}
