//! `grep_files`: a regular expression over files, with ripgrep's libraries.

use super::read_file::Stoppable;
use super::security::{Place, Roots, is_entered};
use super::{FileCall, run};
use crate::agent::tools::{AgentTool, ToolContext, ToolError, ToolOutput, schema};
use crate::workspace::AccessError;
use crate::workspace::folder::{Kind, OpenFile};
use crate::workspace::walk::{IgnoreRules, Visited, walk};
use async_trait::async_trait;
use globset::{GlobBuilder, GlobMatcher};
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;
use std::io;
use std::ops::ControlFlow;

const DEFAULT_RESULTS: usize = 100;
const MAX_RESULTS: usize = 2_000;
const MAX_CONTEXT: usize = 20;
/// Characters of a line that are shown, around its match.
const LINE_CHARS: usize = 400;
/// Characters of the answer.
const ANSWER_CHARS: usize = 20_000;
/// Memory for one line; a file with a longer one is searched up to it.
const LINE_BYTES: usize = 16 * 1024 * 1024;
/// Memory for the compiled expression.
const REGEX_BYTES: usize = 16 * 1024 * 1024;

/// Arguments of `grep_files`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Regular expression (Rust syntax, matched line by line; begin with `(?i)` to disregard case).
    pub pattern: String,
    /// File or folder to search; the workspace when absent. `library` searches the library.
    pub path: Option<String>,
    /// Only files whose path matches this wildcard, such as `*.md` or `notes/**/*.txt`.
    pub glob: Option<String>,
    /// Lines to show before and after each match.
    #[schemars(range(max = 20))]
    pub context: Option<usize>,
    /// Matching lines to show; 100 when absent.
    #[schemars(range(min = 1, max = 2000))]
    pub max_results: Option<usize>,
}

/// The tool.
pub struct GrepFiles;

#[async_trait]
impl AgentTool for GrepFiles {
    fn name(&self) -> &str {
        "grep_files"
    }

    fn description(&self) -> &str {
        "Search files of the workspace, the library or the skills for a regular expression. The answer has a line \
         `path:number:text` for each match. Binary files and what .gitignore names are left out."
    }

    fn parameters(&self) -> Value {
        schema::of::<Args>()
    }

    async fn execute(&self, args: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        run(args, ctx, grep_files).await
    }

    fn is_concurrency_safe(&self, _args: &Value) -> bool {
        true
    }

    fn is_readonly(&self) -> bool {
        true
    }

    fn max_output_chars(&self) -> usize {
        ANSWER_CHARS + 4_000
    }
}

/// Searches files.
///
/// # Errors
/// When the expression, the wildcard or the path is no good.
pub fn grep_files(call: &FileCall, args: Args) -> Result<ToolOutput, ToolError> {
    let context = args.context.unwrap_or(0).min(MAX_CONTEXT);
    let wanted = args.max_results.unwrap_or(DEFAULT_RESULTS).clamp(1, MAX_RESULTS);
    let matcher = expression(&args.pattern)?;
    let glob = args.glob.as_deref().map(wildcard).transpose()?;
    let mut search = Search {
        call,
        matcher,
        glob,
        searcher: SearcherBuilder::new()
            .line_number(true)
            .before_context(context)
            .after_context(context)
            .heap_limit(Some(LINE_BYTES))
            .binary_detection(BinaryDetection::quit(0))
            .build(),
        found: Found { wanted, ..Found::default() },
    };
    let roots = Roots::of(&call.workspaces, call.user)?;
    let place = roots.locate(args.path.as_deref().unwrap_or("."))?;
    let shown = place.shown();
    for place in roots.searched(place) {
        search.place(&place)?;
    }
    call.check_cancelled()?;
    Ok(search.found.finish(&args.pattern, &shown))
}

/// Compiles the expression.
fn expression(pattern: &str) -> Result<RegexMatcher, ToolError> {
    if pattern.is_empty() {
        return Err(ToolError::tell("`pattern` is empty. Give a regular expression; glob_files lists files."));
    }
    RegexMatcherBuilder::new()
        .line_terminator(Some(b'\n'))
        .size_limit(REGEX_BYTES)
        .dfa_size_limit(REGEX_BYTES)
        .build(pattern)
        .map_err(|error| {
            ToolError::tell(format!(
                "`pattern` is not a regular expression that works line by line: {error}. Put a backslash before \
                 characters that are meant literally, such as `\\(` or `\\[`."
            ))
        })
}

/// Compiles a wildcard as ripgrep's `--glob`: one without `/` matches names in every folder.
fn wildcard(glob: &str) -> Result<GlobMatcher, ToolError> {
    let anywhere = if glob.contains('/') { glob.trim_start_matches('/').to_owned() } else { format!("**/{glob}") };
    match GlobBuilder::new(&anywhere).literal_separator(true).build() {
        Ok(glob) => Ok(glob.compile_matcher()),
        Err(error) => Err(ToolError::tell(format!("`glob` is not a wildcard: {}.", error.kind()))),
    }
}

struct Search<'c> {
    call: &'c FileCall,
    matcher: RegexMatcher,
    glob: Option<GlobMatcher>,
    searcher: Searcher,
    found: Found,
}

impl Search<'_> {
    fn place(&mut self, place: &Place) -> Result<(), ToolError> {
        match place.open() {
            Ok(file) => self.file(file, &place.shown()),
            Err(AccessError::IsFolder(_)) => self.folder(place)?,
            Err(error) => return Err(ToolError::tell(error.to_string())),
        }
        Ok(())
    }

    fn folder(&mut self, place: &Place) -> Result<(), ToolError> {
        let enter = |path: &_| is_entered(place.root, path);
        let base = place.path.components().count();
        let visited = walk(&place.folder, &place.path, IgnoreRules::Honour, &enter, &mut |entry| {
            if self.call.cancel.is_cancelled() || self.found.full {
                return ControlFlow::Break(());
            }
            // From the folder that was named, or from the root: a model means either.
            let named = |glob: &GlobMatcher| {
                glob.is_match(entry.path.skip(base).as_str())
                    || glob.is_match(entry.path.as_str())
                    || glob.is_match(entry.shown())
            };
            if entry.kind == Kind::File
                && self.glob.as_ref().is_none_or(named)
                && let Ok(file) = entry.open()
            {
                self.file(file, entry.shown());
            }
            ControlFlow::Continue(())
        });
        self.found.partly |= visited.map_err(|error| ToolError::tell(error.to_string()))? == Visited::Part;
        Ok(())
    }

    fn file(&mut self, file: OpenFile, shown: &str) {
        let before = self.found.matches;
        let reader = Stoppable { inner: file, call: self.call };
        let mut sink = Lines { found: &mut self.found, matcher: &self.matcher, path: shown, began: false };
        if let Err(error) = self.searcher.search_reader(&self.matcher, reader, &mut sink) {
            // A line beyond the limit, or a file that cannot be read to its end: what came before stands.
            tracing::debug!(%error, path = shown, "a file was searched in part");
            self.found.unfinished.push(shown.to_owned());
        }
        self.found.files += usize::from(self.found.matches > before);
    }
}

/// What was found so far.
#[derive(Default)]
struct Found {
    text: String,
    wanted: usize,
    matches: usize,
    files: usize,
    /// Whether there is more that is not shown.
    full: bool,
    /// Whether the folder was visited in part.
    partly: bool,
    unfinished: Vec<String>,
}

impl Found {
    fn finish(mut self, pattern: &str, path: &str) -> ToolOutput {
        if self.matches == 0 {
            self.text = format!("No match for `{pattern}` in `{path}`.\n");
        }
        if self.full {
            let _ = writeln!(
                self.text,
                "[There is more than these {} matches. Narrow the pattern, the path or the glob.]",
                self.matches
            );
        }
        if self.partly {
            self.text.push_str("[The folder has too many files; not all were searched. Name a folder inside it.]\n");
        }
        if !self.unfinished.is_empty() {
            let _ = writeln!(
                self.text,
                "[Not searched to the end (a line over 16 MiB, or unreadable): {}.]",
                self.unfinished.join(", ")
            );
        }
        let metadata = json!({
            "path": path,
            "matches": self.matches,
            "files": self.files,
            "truncated": self.full || self.partly,
        });
        ToolOutput::text(self.text.trim_end().to_owned()).with_metadata(metadata)
    }
}

/// Writes the lines of one file, as ripgrep prints them.
struct Lines<'l> {
    found: &'l mut Found,
    matcher: &'l RegexMatcher,
    path: &'l str,
    began: bool,
}

impl Lines<'_> {
    fn line(&mut self, number: Option<u64>, mark: char, line: &[u8]) {
        let (path, number) = (self.path, number.unwrap_or(0));
        let _ = write!(self.found.text, "{path}{mark}{number}{mark}");
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let at = self.matcher.find(line).ok().flatten().map_or(0, |found| found.start());
        push_around(&mut self.found.text, line, at);
        self.found.text.push('\n');
    }
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, matched: &SinkMatch<'_>) -> Result<bool, io::Error> {
        if self.found.matches >= self.found.wanted || self.found.text.len() >= ANSWER_CHARS {
            self.found.full = true;
            return Ok(false);
        }
        self.found.matches += 1;
        self.began = true;
        self.line(matched.line_number(), ':', matched.bytes());
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> Result<bool, io::Error> {
        let before_an_unwanted_match =
            self.found.matches >= self.found.wanted && matches!(context.kind(), grep_searcher::SinkContextKind::Before);
        if !before_an_unwanted_match {
            self.line(context.line_number(), '-', context.bytes());
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        if self.began && self.found.matches < self.found.wanted {
            self.found.text.push_str("--\n");
        }
        Ok(true)
    }
}

/// Adds a line, or when it is long the part of it around a byte position.
fn push_around(text: &mut String, line: &[u8], at: usize) {
    let bytes = LINE_CHARS * 4;
    // A quarter of the window stands before the match.
    let from = if line.len() <= LINE_CHARS { 0 } else { at.saturating_sub(LINE_CHARS / 4) };
    let to = line.len().min(from + bytes);
    let window = String::from_utf8_lossy(&line[from..to]);
    let end = window.char_indices().nth(LINE_CHARS).map(|(end, _)| end);
    let shown = &window[..end.unwrap_or(window.len())];
    if from > 0 {
        text.push('…');
        // The window may begin in the middle of a character.
        text.push_str(shown.trim_start_matches('\u{fffd}'));
    } else {
        text.push_str(shown);
    }
    if end.is_some() || to < line.len() {
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    use super::{LINE_CHARS, push_around};

    #[test]
    fn a_long_line_is_shown_around_its_match() {
        let line = format!("{}needle{}", "ä".repeat(5_000), "ö".repeat(5_000));
        let mut text = String::new();
        push_around(&mut text, line.as_bytes(), 10_000);
        assert!(text.starts_with('…') && text.ends_with('…') && text.contains("äneedleö"), "{text}");
        assert!(text.chars().count() <= LINE_CHARS + 2);
    }

    #[test]
    fn a_short_line_is_shown_whole() {
        let mut text = String::new();
        push_around(&mut text, "kurz und gut".as_bytes(), 5);
        assert_eq!(text, "kurz und gut");
    }
}
