//! The engines on real papers whose truth is known, through the command. The figures are those of the documentation.

use crate::{corpus, run};
use serde_json::Value;

/// Three papers were left out while the rules were written.
const LEFT_OUT: [&str; 3] = ["emerick.pdf", "lgkin.pdf", "mnrasguide.pdf"];

#[test]
fn figures_of_the_pdf_engine_hold() {
    let Some(folder) = corpus("parse-truth") else { return };
    let scored = run(&["eval", "parse", folder.to_str().unwrap(), "--json"]);
    assert!(scored.status.success(), "{}", String::from_utf8_lossy(&scored.stderr));
    let report: Value = serde_json::from_slice(&scored.stdout).unwrap();
    let rows: Vec<&Value> = report["files"].as_array().unwrap().iter().filter(|row| row["engine"] == "pdf").collect();
    assert_eq!(rows.len(), 8);
    let mean = |name: &str, only: &dyn Fn(&str) -> bool| {
        let values: Vec<f64> = rows
            .iter()
            .filter(|row| only(row["file"].as_str().unwrap()))
            .filter_map(|row| row["score"][name].as_f64())
            .collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    for name in ["lcs", "eight_gram", "heading_recall", "heading_precision", "references_split"] {
        let out = mean(name, &|file| LEFT_OUT.contains(&file));
        println!("{name}: all {:.4}, left out {out:.4}", mean(name, &|_| true));
    }
    for (name, floor) in [
        ("lcs", 0.962),
        ("eight_gram", 0.71),
        ("heading_recall", 0.9),
        ("heading_precision", 0.85),
        ("references_split", 0.92),
    ] {
        assert!(mean(name, &|_| true) >= floor, "{name} is {:.4}, below {floor}", mean(name, &|_| true));
    }
    let signs: Vec<_> = rows.iter().flat_map(|row| row["symbols"].as_object().unwrap()).collect();
    if !std::path::Path::new("/usr/bin/pdftotext").exists() {
        eprintln!("skipped: signs are compared with those of pdftotext, which is not installed");
    }
    assert!(!signs.is_empty() || !std::path::Path::new("/usr/bin/pdftotext").exists(), "pdftotext could not be run");
    for (sign, share) in signs {
        assert!(share.as_f64().unwrap() >= 0.99, "{sign}: {share}");
    }
}
