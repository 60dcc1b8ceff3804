//! What the Markdown has for a formula is as good as what the page has: KaTeX, which draws it in the dashboard, accepts both.

use crate::{formulas, pages, plain};
use almagest::papers::parse::document::{Block, Document, Inline};
use almagest::papers::parse::latexml;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// All TeX of a document.
fn tex(document: &Document) -> Vec<String> {
    let value = serde_json::to_value(document).unwrap();
    let mut out = Vec::new();
    let mut next = vec![&value];
    while let Some(value) = next.pop() {
        match value {
            serde_json::Value::Object(map) => {
                out.extend(map.get("Math").and_then(|tex| tex.as_str()).map(str::to_owned));
                next.extend(map.values());
            }
            serde_json::Value::Array(all) => next.extend(all),
            serde_json::Value::Null
            | serde_json::Value::Bool(_)
            | serde_json::Value::Number(_)
            | serde_json::Value::String(_) => {}
        }
    }
    for block in document.blocks() {
        if let Block::Equation(equation) = block {
            out.push(equation.text.clone());
        }
    }
    out
}

fn accepted(all: &[String]) -> Option<Vec<bool>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/katex-accepts.mjs");
    let mut node = Command::new("node")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let input = serde_json::to_vec(all).unwrap();
    let mut stdin = node.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = node.wait_with_output().unwrap();
    let _ = writer.join();
    output.status.success().then(|| serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn katex_accepts_what_it_accepts_from_the_page() {
    let probe = Inline::Math("x".into());
    assert!(serde_json::to_string(&probe).unwrap().contains("Math"), "the form of formulas in JSON has changed");
    let (mut ours_all, mut page_all) = (0, 0);
    for path in pages() {
        let page = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        let own: Vec<String> = formulas(&page)
            .iter()
            .map(|tex| tex.trim_start_matches("\\displaystyle").trim().to_owned())
            .filter(|tex| !tex.is_empty())
            .collect();
        let ours: Vec<String> = tex(&latexml::read(&page).unwrap()).iter().map(|tex| plain(tex)).collect();
        let (Some(own_fits), Some(ours_fits)) = (accepted(&own), accepted(&ours)) else {
            eprintln!("skipped: node or the dashboard's packages are not there");
            return;
        };
        let good: Vec<&String> = ours.iter().zip(&ours_fits).filter(|(_, fits)| **fits).map(|(tex, _)| tex).collect();
        let joined = good.iter().map(|tex| tex.as_str()).collect::<Vec<_>>().join("\n");
        let wanted: Vec<&String> = own.iter().zip(&own_fits).filter(|(_, fits)| **fits).map(|(tex, _)| tex).collect();
        let kept = wanted.iter().filter(|tex| joined.contains(tex.as_str())).count();
        let name = path.file_name().unwrap().to_string_lossy();
        println!(
            "{name}: KaTeX accepts {} of the page's {} formulas, {kept} of them in the text",
            wanted.len(),
            own.len()
        );
        ours_all += kept;
        page_all += wanted.len();
    }
    if page_all > 0 {
        println!("all: {ours_all} of {page_all}");
        assert!(ours_all * 100 >= page_all * 98, "{ours_all} of {page_all}");
    }
}
