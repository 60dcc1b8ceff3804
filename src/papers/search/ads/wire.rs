//! Reading what ADS sends.

use super::AdsError;
use crate::papers::identity::PaperRef;
use crate::papers::record::Record;
use crate::papers::text::{is_web_page, plain, shorten};
use crate::store::papers::{Author, PaperState, Provenance};
use serde_json::{Map, Value};

/// One page of hits.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AdsPage {
    /// Papers that match.
    pub total: u64,
    pub records: Vec<Record>,
}

/// Reads the body of a 200: hits, or an error after all.
pub(crate) fn read_answer(body: &str) -> Result<AdsPage, AdsError> {
    let answer: Value = serde_json::from_str(body).map_err(|_| AdsError::Unreadable(error_text(body)))?;
    if answer.get("error").is_some() {
        return Err(AdsError::Rejected(error_text(body)));
    }
    let response = answer.get("response").and_then(Value::as_object);
    let docs = response.and_then(|response| response.get("docs")).and_then(Value::as_array);
    let (Some(response), Some(docs)) = (response, docs) else {
        return Err(AdsError::Unreadable("an answer without results in it".to_owned()));
    };
    let total = response.get("numFound").and_then(Value::as_u64).unwrap_or(docs.len() as u64);
    Ok(AdsPage { total, records: docs.iter().filter_map(Value::as_object).map(record).collect() })
}

/// What a body that is no answer says, in one short line.
pub(super) fn error_text(body: &str) -> String {
    if let Ok(Value::Object(object)) = serde_json::from_str(body) {
        // `{"error": "…"}`, `{"error": {"code": 400, "msg": "…"}}`, `{"message": "…"}`.
        let said = object.get("error").or_else(|| object.get("message"));
        let said = said.and_then(|said| said.get("msg").or_else(|| said.get("message")).or(Some(said)));
        if let Some(text) = said.and_then(Value::as_str) {
            return shorten(&plain(text), 300);
        }
        return "an error without a text".to_owned();
    }
    if is_web_page(body) {
        let lower = body.to_ascii_lowercase();
        let title = lower.find("<title>").and_then(|start| {
            let end = lower[start..].find("</title>")?;
            body.get(start + 7..start + end)
        });
        return match title.map(plain).filter(|title| !title.is_empty()) {
            Some(title) => format!("a web page titled \"{}\"", shorten(&title, 120)),
            None => "a web page".to_owned(),
        };
    }
    match plain(body) {
        text if text.is_empty() => "an empty answer".to_owned(),
        text => format!("\"{}\"", shorten(&text, 120)),
    }
}

fn record(doc: &Map<String, Value>) -> Record {
    let mut record = Record::empty(Provenance::Ads);
    record.title = texts(doc, "title").first().map(|title| plain(title)).unwrap_or_default();
    record.authors = authors(doc);
    record.year = text(doc, "year").and_then(|year| year.trim().parse().ok());
    record.pubdate = text(doc, "pubdate").filter(|date| !date.is_empty());
    record.venue = text(doc, "pub").map(|name| plain(&name)).filter(|name| !name.is_empty());
    record.abstract_text = text(doc, "abstract").map(|text| plain(&text)).unwrap_or_default();
    if record.abstract_text.eq_ignore_ascii_case("not available") {
        record.abstract_text.clear();
    }
    record.keywords = texts(doc, "keyword").iter().map(|keyword| plain(keyword)).collect();
    record.doctype = text(doc, "doctype");
    record.citation_count = doc.get("citation_count").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
    record.bibstem = texts(doc, "bibstem").into_iter().next();
    record.volume = text(doc, "volume");
    record.page = texts(doc, "page").into_iter().next();
    record.state = state(doc, &record);
    for field in ["bibcode", "doi", "identifier", "alternate_bibcode"] {
        for name in texts(doc, field) {
            note(&mut record, &name);
        }
    }
    record
}

/// Files an identifier under its kind; ADS mixes them in one list, and lists some twice.
fn note(record: &mut Record, name: &str) {
    fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
        if !list.contains(&item) {
            list.push(item);
        }
    }
    match name.parse() {
        Ok(PaperRef::Bibcode(bibcode)) => add(&mut record.bibcodes, bibcode),
        Ok(PaperRef::Arxiv(id)) => add(&mut record.arxiv, id),
        Ok(PaperRef::Doi(doi)) => add(&mut record.dois, doi),
        Ok(PaperRef::Id(_)) | Err(_) => {}
    }
}

fn authors(doc: &Map<String, Value>) -> Vec<Author> {
    let orcids = texts(doc, "orcid_pub");
    let orcid = |i: usize| orcids.get(i).filter(|orcid| orcid.len() == 19).cloned();
    let names = texts(doc, "author");
    names.iter().enumerate().map(|(i, name)| Author { name: plain(name), orcid: orcid(i) }).collect()
}

/// ADS marks a retraction in the title alone.
fn state(doc: &Map<String, Value>, record: &Record) -> PaperState {
    let title = record.title.to_ascii_lowercase();
    let properties = texts(doc, "property");
    let retracted = title.starts_with("retracted")
        || title.ends_with("(retracted)")
        || title.starts_with("retraction:")
        || properties.iter().any(|property| property.eq_ignore_ascii_case("retracted"));
    if retracted { PaperState::Retracted } else { PaperState::Ok }
}

/// A field that is one text; ADS sends some numbers as text and the other way round.
fn text(doc: &Map<String, Value>, field: &str) -> Option<String> {
    texts(doc, field).into_iter().next()
}

/// A field that is a list of texts, or one.
fn texts(doc: &Map<String, Value>, field: &str) -> Vec<String> {
    let one = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    match doc.get(field) {
        Some(Value::Array(items)) => items.iter().filter_map(one).collect(),
        Some(value) => one(value).into_iter().collect(),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(r#"{"error": "Unauthorized"}"#, "Unauthorized")]
    #[case(
        r#"{"error": {"code": 400, "msg": "org.apache.solr: undefined field &quot;x&quot;"}}"#,
        "org.apache.solr: undefined field \"x\""
    )]
    #[case(r#"{"error": "TOO MANY REQUESTS", "errorCode": 429}"#, "TOO MANY REQUESTS")]
    #[case(r#"{"message": "Internal server error"}"#, "Internal server error")]
    #[case(r#"{"error": {"code": 500}}"#, "an error without a text")]
    #[case("<!DOCTYPE html><html><head><TITLE> 502 Bad\nGateway </TITLE>", "a web page titled \"502 Bad Gateway\"")]
    #[case("<html><body>x", "a web page")]
    #[case("upstream connect error", "\"upstream connect error\"")]
    #[case("", "an empty answer")]
    #[case("[1, 2", "\"[1, 2\"")]
    fn every_shape_of_error_has_a_text(#[case] body: &str, #[case] expected: &str) {
        assert_eq!(error_text(body), expected);
    }

    #[test]
    fn a_good_status_with_an_error_inside_is_an_error() {
        assert_eq!(read_answer(r#"{"error": {"msg": "no"}}"#), Err(AdsError::Rejected("no".into())));
        assert!(matches!(read_answer(r#"{"responseHeader": {"status": 1}}"#), Err(AdsError::Unreadable(_))));
        assert!(matches!(read_answer("<html></html>"), Err(AdsError::Unreadable(_))));
    }

    #[test]
    fn a_record_is_read_with_what_it_lacks() {
        let body = r#"{"response": {"numFound": 9, "docs": [{}, {"bibcode": "2013A&A...552A.143S",
            "identifier": ["2013arXiv1303.1234S", "arXiv:1303.1234", "10.48550/arXiv.1303.1234", "10.1051/0004-6361/201321247",
            "10.1051/0004-6361/201321247", "ascl:1234.567"], "doi": ["10.1051/0004-6361/201321247"],
            "title": ["The CO<SUB>2</SUB> &amp; more"], "author": ["Sudilovsky, V.", "Greiner, J."],
            "orcid_pub": ["-", "0000-0002-1825-0097"], "year": 2013, "abstract": "Not Available <P />",
            "citation_count": 4, "volume": "552", "page": ["A143"], "bibstem": ["A&A", "A&A...552"], "doctype": "article"}]}}"#;
        let page = read_answer(body).unwrap();
        assert_eq!((page.total, page.records.len()), (9, 2));
        let record = &page.records[1];
        assert_eq!(record.title, "The CO$_{2}$ & more");
        assert_eq!(record.bibcodes[0].as_str(), "2013A&A...552A.143S");
        assert_eq!(record.arxiv.len(), 1);
        assert_eq!(record.dois.len(), 1);
        assert_eq!(record.authors[1].orcid.as_deref(), Some("0000-0002-1825-0097"));
        assert_eq!((record.year, record.abstract_text.as_str()), (Some(2013), ""));
    }
}
