//! Which of an archive's texts is the paper.

use super::archive::Files;
use std::collections::HashSet;

/// The path of the main file.
pub(super) fn main_file(files: &Files) -> Option<String> {
    let tex = || files.texts.iter().filter(|(path, _)| is_tex(path));
    if let Some(named) = hinted(files) {
        return Some(named);
    }
    let included = included(files);
    let stem = |path: &str| {
        let file = path.rsplit('/').next().unwrap_or(path);
        file.split('.').next().unwrap_or(file).to_ascii_lowercase()
    };
    let rank = |path: &str, text: &str| {
        let without = uncommented_head(text);
        let class = without.contains("\\documentclass") || without.contains("\\documentstyle");
        let begins = text.contains("\\begin{document}");
        let free = !included.contains(path.rsplit('/').next().unwrap_or(path).trim_end_matches(".tex"));
        let named = match stem(path).as_str() {
            "ms" => 4,
            "main" => 3,
            "paper" => 2,
            "manuscript" | "article" => 1,
            _ => 0,
        };
        let helper = ["supplement", "supp", "response", "referee", "cover", "letter", "diff", "template", "sample"];
        let aside = helper.iter().any(|word| stem(path).contains(word));
        (class && begins, class, begins, free, !aside, named, text.len())
    };
    tex().max_by_key(|(path, text)| rank(path, text)).map(|(path, _)| path.clone())
}

fn is_tex(path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    match file.rsplit_once('.') {
        None => !file.to_ascii_lowercase().contains("readme") && !file.eq_ignore_ascii_case("makefile"),
        Some((_, end)) => {
            matches!(end.to_ascii_lowercase().as_str(), "tex" | "ltx" | "latex" | "txt")
                && !file.to_ascii_lowercase().starts_with("00readme")
        }
    }
}

/// What the submission itself says: `ms.tex toplevelfile` in 00README.XXX, or its later form in JSON.
fn hinted(files: &Files) -> Option<String> {
    let (_, text) = files.texts.iter().find(|(path, _)| path.to_ascii_lowercase().starts_with("00readme"))?;
    let plain = text.lines().find_map(|line| {
        let (name, word) = line.trim().split_once(char::is_whitespace)?;
        (word.trim() == "toplevelfile").then(|| name.to_owned())
    });
    let json = || {
        let at = text.find("\"toplevel\"")?;
        let before = text.get(..at)?.rsplit_once('{').map_or("", |(_, inner)| inner);
        let after = text.get(at..)?.split_once('}').map_or("", |(inner, _)| inner);
        let field = [before, after].iter().find_map(|part| part.split_once("\"filename\"").map(|(_, rest)| rest))?;
        field.split('"').nth(1).map(str::to_owned)
    };
    plain.or_else(json).filter(|path| files.texts.contains_key(path))
}

/// The names of files that others read in.
fn included(files: &Files) -> HashSet<String> {
    let mut out = HashSet::new();
    for text in files.texts.values() {
        for command in ["\\input{", "\\include{", "\\subfile{", "\\input "] {
            for (at, _) in text.match_indices(command).take(2_000) {
                let name = text.get(at + command.len()..).unwrap_or("");
                let name = name.split(['}', '\n', ' ', '%']).next().unwrap_or("").trim();
                let file = name.rsplit('/').next().unwrap_or(name);
                out.insert(file.trim_end_matches(".tex").to_owned());
            }
        }
    }
    out
}

/// The beginning of a text without its comments.
fn uncommented_head(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with('%')) {
        out.push_str(line);
        out.push('\n');
        if out.len() > 100_000 {
            break;
        }
    }
    out
}
