//! Which module may use which.
//!
//! A module may use those of a lower layer, and its neighbours as long as no circle arises. The few arrows that go the
//! other way stand in [`EXCEPTIONS`], each with its reason.

use super::sources::Source;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// From the bottom upwards.
const LAYERS: &[&[&str]] = &[
    &["config", "error", "ids", "time"],
    &["store", "llm", "sandbox", "net"],
    &["papers", "retrieval", "targets", "capture", "workspace"],
    &["services"],
    &["agent"],
    // The edge: `app` holds its state, so these two may know each other.
    &["app", "web"],
    &["server"],
    &["main"],
];

/// Neighbours that must not know each other: from, to.
const STRANGERS: &[(&str, &str)] =
    &[("store", "llm"), ("store", "net"), ("store", "sandbox"), ("llm", "store"), ("net", "store"), ("net", "llm")];

/// An arrow that is allowed although the layers forbid it.
pub struct Exception {
    pub from: &'static str,
    /// A module, or a path inside one.
    pub to: &'static str,
    reason: &'static str,
}

/// All of them.
pub const EXCEPTIONS: &[Exception] =
    &[Exception { from: "store", to: "llm::types", reason: "rows keep the usage that a provider reported, as it is" }];

impl Exception {
    /// Whether it is about this arrow.
    pub fn covers(&self, arrow: &Arrow) -> bool {
        let inside = arrow.path.strip_prefix(self.to).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
        assert!(!self.reason.is_empty(), "{} -> {} needs a reason", self.from, self.to);
        arrow.from == self.from && inside
    }
}

/// A use of one top-level module by another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arrow {
    pub from: String,
    pub to: String,
    /// What is used, from the top of the crate.
    path: String,
    /// `file:line`.
    at: String,
}

impl fmt::Display for Arrow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} uses {}", self.at, self.from, self.path)
    }
}

impl Arrow {
    /// Whether it points the right way.
    pub fn is_allowed(&self) -> bool {
        let strangers = STRANGERS.contains(&(&self.from, &self.to));
        let down = match (layer(&self.from), layer(&self.to)) {
            (Some(from), Some(to)) => from > to || from == to && !strangers,
            // A module that stands in no layer yet has to be given one.
            (None, _) | (_, None) => false,
        };
        down || EXCEPTIONS.iter().any(|exception| exception.covers(self))
    }
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// Every use of another top-level module, read off `crate::`, `almagest::` and `super::` paths.
pub fn arrows(sources: &[Source]) -> Vec<Arrow> {
    let modules: BTreeSet<String> = sources.iter().filter_map(|source| module(&source.path)).collect();
    let path =
        Regex::new(r"(?s)(?:\b(crate|almagest)|((?:\bsuper::)*\bsuper))::(\{[^;]*|[a-z_][a-z0-9_]*(?:::[a-z_]\w*)?)")
            .unwrap();
    let mut arrows = BTreeSet::new();
    for source in sources {
        let Some(from) = module(&source.path) else { continue };
        let code = source.code();
        for found in path.captures_iter(&code) {
            let climbs = found.get(2).map(|supers| supers.as_str().matches("super").count());
            // Fewer steps than the file is deep stay inside the module.
            if climbs.is_some_and(|climbs| climbs < depth(&source.path)) {
                continue;
            }
            let start = found.get(0).unwrap().start();
            let line = code[..start].lines().count().max(1);
            for path in heads(&found[3]) {
                let to = path.split("::").next().unwrap_or_default().to_owned();
                if to != from && modules.contains(&to) {
                    arrows.insert(Arrow { from: from.clone(), to, path, at: format!("{}:{line}", source.path) });
                }
            }
        }
    }
    arrows.into_iter().collect()
}

/// The paths that a path or a group begins with: `{a::b, c::{d, e}}` has `a::b` and `c`.
fn heads(text: &str) -> Vec<String> {
    let Some(group) = text.strip_prefix('{') else { return vec![text.to_owned()] };
    let mut depth = 0_i32;
    let mut heads = vec![String::new()];
    for letter in group.chars() {
        match letter {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => heads.push(String::new()),
            _ if depth == 0 => heads.last_mut().unwrap().push(letter),
            _ => {}
        }
    }
    heads.iter().map(|head| head.trim().trim_end_matches("::").to_owned()).filter(|head| !head.is_empty()).collect()
}

/// The top-level module that a file belongs to; `lib.rs` is the map and belongs to none.
fn module(path: &str) -> Option<String> {
    let inside = path.strip_prefix("src/")?;
    let name = inside.split('/').next()?.trim_end_matches(".rs");
    (name != "lib").then(|| name.to_owned())
}

/// How many `super` lead from the module of a file to the top of the crate.
fn depth(path: &str) -> usize {
    let parts = path.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod").split('/');
    parts.count()
}

/// Circles among the modules below the edge, each as `a -> b -> a`.
pub fn cycles(arrows: &[Arrow]) -> Vec<String> {
    let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for arrow in arrows.iter().filter(|arrow| layer(&arrow.from) < layer("app")) {
        uses.entry(&arrow.from).or_default().insert(&arrow.to);
    }
    let mut found = Vec::new();
    for start in uses.keys() {
        // The shortest way back to the start, by breadth.
        let mut ways = std::collections::VecDeque::from([vec![*start]]);
        let mut seen = BTreeSet::new();
        while let Some(way) = ways.pop_front() {
            for next in uses.get(way[way.len() - 1]).into_iter().flatten() {
                if next == start {
                    // Each circle once, from its first member.
                    if way.iter().all(|module| module >= start) {
                        found.push([way.as_slice(), &[*start]].concat().join(" -> "));
                    }
                    ways.clear();
                    break;
                }
                if seen.insert(*next) {
                    ways.push_back([way.as_slice(), &[*next]].concat());
                }
            }
        }
    }
    found
}

mod tests {
    use super::*;

    fn arrows_of(path: &str, text: &str) -> Vec<String> {
        let known = ["src/web/mod.rs", "src/agent/mod.rs", "src/store/mod.rs", "src/llm/mod.rs", "src/papers/mod.rs"];
        let mut sources: Vec<Source> =
            known.iter().map(|path| Source { path: (*path).to_owned(), text: String::new() }).collect();
        sources.push(Source { path: path.to_owned(), text: text.to_owned() });
        arrows(&sources).iter().map(|arrow| format!("{arrow}, {}", arrow.is_allowed())).collect()
    }

    #[test]
    fn an_arrow_upwards_is_found_however_it_is_written() {
        for text in ["use crate::agent::x;", "use crate::{\n ids,\n agent::x};", "fn f() { crate::agent::x() }"] {
            assert_eq!(
                arrows_of("src/papers/search/ads.rs", text),
                ["src/papers/search/ads.rs:1: papers uses agent::x, false"]
            );
        }
        let climbing = "\nuse super::super::super::agent;";
        assert_eq!(
            arrows_of("src/papers/search/ads.rs", climbing),
            ["src/papers/search/ads.rs:2: papers uses agent, false"]
        );
    }

    #[test]
    fn what_stays_inside_or_points_down_is_fine() {
        assert!(arrows_of("src/papers/search/ads.rs", "use super::super::agent; // crate::agent").is_empty());
        assert!(arrows_of("src/papers/search/ads.rs", "use crate::papers::x;").is_empty());
        assert_eq!(arrows_of("src/agent/x.rs", "use crate::papers::X;"), ["src/agent/x.rs:1: agent uses papers, true"]);
    }

    #[test]
    fn an_exception_covers_its_path_only() {
        assert_eq!(
            arrows_of("src/store/x.rs", "use crate::llm::types::Usage;"),
            ["src/store/x.rs:1: store uses llm::types, true"]
        );
        assert_eq!(
            arrows_of("src/store/x.rs", "use crate::llm::client;"),
            ["src/store/x.rs:1: store uses llm::client, false"]
        );
    }

    #[test]
    fn circles_are_named_once() {
        let arrow = |from: &str, to: &str| Arrow {
            from: from.to_owned(),
            to: to.to_owned(),
            path: to.to_owned(),
            at: String::new(),
        };
        let circle = [arrow("c", "a"), arrow("a", "b"), arrow("b", "c"), arrow("a", "d")];
        assert_eq!(cycles(&circle), ["a -> b -> c -> a"]);
        assert!(cycles(&circle[..2]).is_empty());
    }
}
