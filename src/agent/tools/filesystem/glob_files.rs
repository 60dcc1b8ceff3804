//! `glob_files`: files by wildcard.

use super::security::{Roots, is_entered};
use super::{FileCall, run};
use crate::agent::tools::{AgentTool, ToolContext, ToolError, ToolOutput, schema};
use crate::workspace::folder::Kind;
use crate::workspace::walk::{IgnoreRules, Visited, walk};
use async_trait::async_trait;
use globset::{GlobBuilder, GlobMatcher};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::time::SystemTime;

/// Files that are listed.
const MAX_LISTED: usize = 200;

/// Arguments of `glob_files`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Wildcard such as `*.md` (this folder), `**/*.md` (folders below too) or `library/**/*.pdf`.
    pub pattern: String,
    /// Folder that the wildcard is relative to; the workspace when absent.
    pub path: Option<String>,
}

/// The tool.
pub struct GlobFiles;

#[async_trait]
impl AgentTool for GlobFiles {
    fn name(&self) -> &str {
        "glob_files"
    }

    fn description(&self) -> &str {
        "List files of the workspace, the library or the skills whose path matches a wildcard, the newest first. \
         `**/*` lists everything."
    }

    fn parameters(&self) -> Value {
        schema::of::<Args>()
    }

    async fn execute(&self, args: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        run(args, ctx, glob_files).await
    }

    fn is_concurrency_safe(&self, _args: &Value) -> bool {
        true
    }

    fn is_readonly(&self) -> bool {
        true
    }

    fn max_output_chars(&self) -> usize {
        // All that is listed, at a hundred characters a path.
        MAX_LISTED * 100
    }
}

/// Lists files.
///
/// # Errors
/// When the wildcard or the path is no good.
pub fn glob_files(call: &FileCall, args: Args) -> Result<ToolOutput, ToolError> {
    if args.pattern.is_empty() {
        return Err(ToolError::tell("`pattern` is empty. `**/*` lists everything."));
    }
    let (base, rest) = split(&args.pattern);
    let asked = match (args.path.as_deref(), base) {
        (None, "") => ".".to_owned(),
        (None, base) => base.to_owned(),
        (Some(path), "") => path.to_owned(),
        (Some(path), base) => format!("{}/{}", path.trim_end_matches('/'), base.trim_start_matches('/')),
    };
    let matcher = wildcard(rest)?;
    let roots = Roots::of(&call.workspaces, call.user)?;
    let place = roots.locate(&asked)?;
    let shown = place.shown();
    if place.folder.kind(&place.path).map_err(|error| ToolError::tell(error.to_string()))? != Some(Kind::Folder) {
        return Err(ToolError::tell(format!("There is no folder `{shown}`.")));
    }
    let mut files: Vec<(Reverse<SystemTime>, String)> = Vec::new();
    let mut partly = false;
    for place in roots.searched(place) {
        // A search of the library names the results as `tool-results/...`, though they lie in a folder of their own.
        let skipped = shown.split('/').filter(|component| *component != ".").count();
        let enter = |path: &_| is_entered(place.root, path);
        let visited = walk(&place.folder, &place.path, IgnoreRules::Disregard, &enter, &mut |entry| {
            if call.cancel.is_cancelled() {
                return ControlFlow::Break(());
            }
            let below = entry.shown().splitn(skipped + 1, '/').nth(skipped).unwrap_or_default();
            if entry.kind == Kind::File && matcher.is_match(below) {
                files.push((Reverse(entry.modified), entry.shown().to_owned()));
            }
            ControlFlow::Continue(())
        });
        partly |= visited.map_err(|error| ToolError::tell(error.to_string()))? == Visited::Part;
    }
    call.check_cancelled()?;
    files.sort_unstable();
    let total = files.len();
    let listed = files.into_iter().take(MAX_LISTED).map(|(_, path)| path).collect::<Vec<_>>();
    let mut text = listed.join("\n");
    if total == 0 {
        text = format!("No file matches `{}` in `{shown}`.", args.pattern);
    }
    if total > MAX_LISTED {
        text.push_str(&format!("\n[These are the newest {MAX_LISTED} of {total}. Narrow the pattern to see others.]"));
    }
    if partly {
        text.push_str("\n[The folder has too many files; not all were looked at. Name a folder inside it.]");
    }
    let metadata = json!({"path": shown, "files": listed, "total": total, "truncated": partly || total > MAX_LISTED});
    Ok(ToolOutput::text(text).with_metadata(metadata))
}

/// The folders at a pattern's beginning that have no wildcard in them, and the rest.
fn split(pattern: &str) -> (&str, &str) {
    let wild = pattern.find(['*', '?', '[', '{', '\\']).unwrap_or(pattern.len());
    match pattern[..wild].rfind('/') {
        // The slash of an absolute pattern belongs to its folder.
        Some(0) => ("/", &pattern[1..]),
        Some(at) => (&pattern[..at], &pattern[at + 1..]),
        None => ("", pattern),
    }
}

fn wildcard(pattern: &str) -> Result<GlobMatcher, ToolError> {
    let pattern = pattern.trim_start_matches("./");
    if pattern.split('/').any(|component| component == "..") {
        return Err(ToolError::tell("`pattern` contains `..`. Name files from the workspace's top."));
    }
    match GlobBuilder::new(if pattern.is_empty() { "*" } else { pattern }).literal_separator(true).build() {
        Ok(glob) => Ok(glob.compile_matcher()),
        Err(error) => Err(ToolError::tell(format!("`pattern` is not a wildcard: {}.", error.kind()))),
    }
}

#[cfg(test)]
mod tests {
    use super::split;
    use rstest::rstest;

    #[rstest]
    #[case("*.md", "", "*.md")]
    #[case("**/*.md", "", "**/*.md")]
    #[case("library/**/*.pdf", "library", "**/*.pdf")]
    #[case("notes/2024/a*.md", "notes/2024", "a*.md")]
    #[case("notes/plan.md", "notes", "plan.md")]
    #[case("plan.md", "", "plan.md")]
    #[case("/etc/*", "/etc", "*")]
    #[case("/*", "/", "*")]
    #[case("a{b/c,d}/e", "", "a{b/c,d}/e")]
    fn the_literal_folders_come_first(#[case] pattern: &str, #[case] base: &str, #[case] rest: &str) {
        assert_eq!(split(pattern), (base, rest));
    }
}
