//! The rules of the house that can be read off the sources; `ARCHITECTURE.md` has their reasons.
//!
//! Each rule collects what breaks it and fails once with all of it, so that one run shows everything there is to repair.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod house {
    pub mod layers;
    pub mod sources;
}

use almagest::config::SETTINGS;
use house::layers::{self, EXCEPTIONS};
use house::sources::{Source, root, rust_sources, tracked};
use regex::Regex;
use std::collections::BTreeMap;

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

/// Fails with every offence on a line of its own.
fn none(rule: &str, offences: &[String]) {
    assert!(offences.is_empty(), "{rule}\n  {}\n", offences.join("\n  "));
}

/// `path:line: text` for each match in a file's code, as `code` reads it.
fn matches(
    sources: &[Source],
    code: impl Fn(&Source) -> String,
    pattern: &str,
    applies: impl Fn(&str) -> bool,
) -> Vec<String> {
    let pattern = regex(pattern);
    let of = |source: &Source| -> Vec<String> {
        let code = code(source);
        let lines = code.lines().enumerate().filter(|(_, line)| pattern.is_match(line));
        lines.map(|(number, line)| format!("{}:{}: {}", source.path, number + 1, line.trim())).collect()
    };
    sources.iter().filter(|source| applies(&source.path)).flat_map(of).collect()
}

#[test]
fn arrows_point_one_way() {
    let arrows = layers::arrows(&rust_sources("src"));
    let wrong: Vec<String> = arrows.iter().filter(|arrow| !arrow.is_allowed()).map(ToString::to_string).collect();
    none("Arrows point one way (see tests/house/layers.rs):", &wrong);
    let unused: Vec<String> = EXCEPTIONS
        .iter()
        .filter(|exception| !arrows.iter().any(|arrow| exception.covers(arrow)))
        .map(|exception| format!("{} -> {}", exception.from, exception.to))
        .collect();
    none("Exceptions that nothing needs any more:", &unused);
}

#[test]
fn modules_have_no_cycles() {
    none("These modules use each other in a circle:", &layers::cycles(&layers::arrows(&rust_sources("src"))));
}

#[test]
fn foreign_crates_stay_where_they_belong() {
    let sources = rust_sources("src");
    let below_web = |path: &str| !path.starts_with("src/web") && path != "src/server.rs";
    none(
        "Serving HTTP is for web/ and server.rs:",
        &matches(&sources, Source::product, r"\b(axum|tower_http)::", below_web),
    );
    let no_client = |path: &str| !path.starts_with("src/net") && !path.starts_with("src/llm");
    none(
        "Outbound HTTP goes through net/ (and llm/ for streams):",
        &matches(&sources, Source::product, r"\breqwest::", no_client),
    );
    let no_store = |path: &str| !path.starts_with("src/store");
    none(
        "SQL stands in store/ only:",
        &matches(
            &sources,
            Source::product,
            r"\bsqlx::.*\b(query\w*|raw_sql|QueryBuilder)\b|\blibsqlite3_sys\b",
            no_store,
        ),
    );
}

#[test]
fn files_stay_small() {
    /// Generated files and tables, which have no seam to cut at.
    const EXEMPT: &[&str] =
        &["dashboard/src/api/schema.gen.ts", "dashboard/src/i18n/en.ts", "dashboard/src/i18n/zh.ts"];
    const WARN: usize = 400;
    const FAIL: usize = 600;
    let mut too_long = Vec::new();
    for path in tracked().iter().filter(|path| regex(r"\.(rs|tsx?|mjs)$").is_match(path)) {
        let lines = Source::read(path).text.lines().count();
        if lines > WARN && !EXEMPT.contains(&path.as_str()) {
            eprintln!("warning: {path} has {lines} lines; a file is about one noun and stays under {WARN}");
            if lines > FAIL {
                too_long.push(format!("{path}: {lines} lines"));
            }
        }
    }
    none(&format!("Files over {FAIL} lines:"), &too_long);
}

#[test]
fn ignored_tests_say_why() {
    let sources: Vec<Source> = ["src", "tests", "benches"].into_iter().flat_map(rust_sources).collect();
    none(
        "An ignored test without a reason is a defect:",
        &matches(&sources, Source::code, r"^\s*#\[ignore\]", |_| true),
    );
}

#[test]
fn the_example_environment_lists_every_setting() {
    let text = Source::read(".env.example").text;
    let setting = regex(r"(?m)^#([A-Z][A-Z0-9_]*)=(.*)$");
    let listed: BTreeMap<&str, &str> =
        setting.captures_iter(&text).map(|line| line.extract::<2>().1).map(|[name, value]| (name, value)).collect();
    let settings: BTreeMap<&str, &str> =
        SETTINGS.iter().map(|setting| (setting.name, setting.default.unwrap_or_default())).collect();
    pretty_assertions::assert_eq!(listed, settings, ".env.example (left) must list config::SETTINGS (right)");
    // Copied as it is, it must change nothing.
    none("Lines of .env.example that are not commented out:", &uncommented(&text));
}

fn uncommented(text: &str) -> Vec<String> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn the_readme_starts_with_the_two_commands() {
    let translations = tracked().into_iter().filter(|path| regex(r"^README\.\w+\.md$").is_match(path));
    for path in std::iter::once("README.md".to_owned()).chain(translations) {
        let text = Source::read(&path).text;
        let blocks = regex(r"(?s)```\w*\n(.*?)```");
        let commands: Vec<&str> = blocks
            .captures_iter(&text)
            .flat_map(|block| block.extract::<1>().1[0].lines())
            .map(|line| line.split('#').next().unwrap_or_default().trim())
            .filter(|line| !line.is_empty())
            .take(2)
            .collect();
        assert_eq!(commands, ["make run", "make test"], "the first two commands of {path}");
    }
}

#[test]
fn migrations_are_numbered_without_gaps() {
    let name = regex(r"^migrations/(\d{4})_[a-z0-9_]+\.sql$");
    let files: Vec<String> = tracked().into_iter().filter(|path| path.starts_with("migrations/")).collect();
    let numbers: Vec<Option<usize>> =
        files.iter().map(|path| name.captures(path)?.get(1)?.as_str().parse().ok()).collect();
    let expected: Vec<Option<usize>> = (1..=files.len()).map(Some).collect();
    assert_eq!(numbers, expected, "migrations/NNNN_name.sql, from 0001 upwards: {files:?}");
}

#[test]
fn nothing_private_is_tracked() {
    let files = tracked();
    let private = |path: &&String| regex(r"(^|/)\.env(\.|$)|\.(pem|key|p12|db|sqlite)$").is_match(path);
    let named: Vec<String> = files.iter().filter(private).filter(|path| *path != ".env.example").cloned().collect();
    none("Files that do not belong in a repository:", &named);

    // Written so that this file does not match itself.
    let secret = regex(concat!(
        r"\bsk-(ant-)?[A-Za-z0-9_-]{24,}|\bgh[pousr]_[A-Za-z0-9]{30,}|\bAKIA[0-9A-Z]{16}\b|-----BEGIN",
        r" [A-Z ]*PRIVATE KEY-----"
    ));
    let home = regex(r#"(^|[\s"'`(=:])/(home|Users)/[a-z][a-z0-9_-]*/|(^|[\s"'`(=:])/roo[t]/"#);
    let mut offences = Vec::new();
    for path in &files {
        let Some(source) = Source::read_text(path) else { continue };
        for (number, line) in source.text.lines().enumerate() {
            if secret.is_match(line) || home.is_match(line) {
                offences.push(format!("{path}:{}", number + 1));
            }
        }
    }
    none("Secrets, or folders of somebody's machine:", &offences);
}

#[test]
fn the_npm_lock_names_no_server() {
    let locks = tracked().into_iter().filter(|path| path.ends_with("package-lock.json"));
    let with_server: Vec<String> = locks.filter(|path| Source::read(path).text.contains("\"resolved\":")).collect();
    // .npmrc has omit-lockfile-registry-resolved, so that a mirror can stand in for the public registry.
    none("Lock files that name download addresses (is .npmrc beside them?):", &with_server);
}

#[test]
fn links_in_documents_resolve() {
    let link = regex(r"\]\(([^)\s]+)\)");
    let elsewhere = regex(r"^([a-z]+:|#)");
    let mut broken = Vec::new();
    for path in tracked().iter().filter(|path| path.ends_with(".md")) {
        let source = Source::read(path);
        let folder = root().join(path).parent().unwrap().to_owned();
        for target in link.captures_iter(&source.text).map(|link| link.extract::<1>().1[0]) {
            let file = target.split('#').next().unwrap_or_default();
            if !elsewhere.is_match(target) && !folder.join(file).exists() {
                broken.push(format!("{path}: {target}"));
            }
        }
    }
    none("Links to files that are not there:", &broken);
}
