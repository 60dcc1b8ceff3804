//! `read_file`: numbered lines of a text file.

use super::security::Roots;
use super::state::LineRange;
use super::{FileCall, run};
use crate::agent::tools::{AgentTool, ToolContext, ToolError, ToolOutput, schema};
use crate::workspace::AccessError;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;
use std::io::{self, BufRead, BufReader, Read};

/// What a repeated read of an unchanged range answers.
pub const FILE_UNCHANGED_STUB: &str =
    "The file has not changed since you read these lines: you have them in this conversation already.";

const DEFAULT_LINES: u64 = 2_000;
/// Characters of a line that are shown.
const LINE_CHARS: usize = 2_000;
/// Characters of one answer; what is longer is read page by page.
const PAGE_CHARS: usize = 40_000;
/// Bytes that are looked at to tell text from binary, as git and grep do.
const SNIFFED: usize = 8 * 1024;
/// Up to this size all lines are counted, so that the model knows how much is left.
const COUNTED_BYTES: u64 = 64 * 1024 * 1024;

/// Arguments of `read_file`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Path of the file: relative to the workspace, or `library/...`, or `skills/...`.
    pub path: String,
    /// First line to read, from 1.
    #[schemars(range(min = 1))]
    pub offset: Option<u64>,
    /// Number of lines; 2000 when absent.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
}

/// The tool.
pub struct ReadFile;

#[async_trait]
impl AgentTool for ReadFile {
    fn name(&self) -> &str {
        "read_file"
    }

    fn description(&self) -> &str {
        "Read a text file of the workspace, the library or the skills, as numbered lines. Long files come in pages: \
         go on with `offset`. Read a file before you change it. Long results of other tools lie under \
         `library/tool-results/` and are read with this too."
    }

    fn parameters(&self) -> Value {
        schema::of::<Args>()
    }

    async fn execute(&self, args: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        run(args, ctx, read_file).await
    }

    fn is_concurrency_safe(&self, _args: &Value) -> bool {
        true
    }

    fn is_readonly(&self) -> bool {
        true
    }

    /// A page is bounded here already; an answer cut again would hide lines that count as read.
    fn max_output_chars(&self) -> usize {
        PAGE_CHARS + 8_000
    }
}

/// Reads lines of a file.
///
/// # Errors
/// When the path is refused or is no text file.
pub fn read_file(call: &FileCall, args: Args) -> Result<ToolOutput, ToolError> {
    let range =
        LineRange { offset: args.offset.unwrap_or(1).max(1), limit: args.limit.unwrap_or(DEFAULT_LINES).max(1) };
    let place = Roots::of(&call.workspaces, call.user)?.locate(&args.path)?;
    let shown = place.shown();
    let file = match place.open() {
        Ok(file) => file,
        Err(AccessError::IsFolder(path)) => {
            return Err(ToolError::tell(format!("`{path}` is a folder. List what is in it with glob_files.")));
        }
        Err(error) => return Err(ToolError::tell(error.to_string())),
    };
    let stamp = file.stamp;
    if call.files.is_unchanged(&shown, stamp, range) {
        return Ok(ToolOutput::text(FILE_UNCHANGED_STUB)
            .with_metadata(json!({"path": shown, "unchanged": true, "from_line": range.offset})));
    }
    let failed = |error: io::Error| ToolError::tell(format!("`{shown}`: {error}."));
    let mut reader = BufReader::with_capacity(SNIFFED.max(64 * 1024), file);
    refuse_binary(reader.fill_buf().map_err(failed)?, &shown)?;
    let page = Page::read(&mut reader, range, call, stamp.size <= COUNTED_BYTES).map_err(failed)?;
    call.check_cancelled()?;
    if page.shown == 0 && range.offset > 1 {
        return Err(ToolError::tell(format!(
            "`{shown}` has {} lines, so there is no line {}.",
            page.seen, range.offset
        )));
    }
    // Not recorded when it was written to meanwhile: what was read is then of no one state.
    if reader.get_ref().stamp_now().map_err(failed)? == stamp {
        call.files.record_read(&shown, stamp, range, &call.call);
    }
    let metadata = json!({
        "path": shown,
        "from_line": range.offset,
        "to_line": range.offset + page.shown.saturating_sub(1),
        "total_lines": page.total,
        "bytes": stamp.size,
    });
    Ok(ToolOutput::text(page.finish(range)).with_metadata(metadata))
}

fn refuse_binary(start: &[u8], shown: &str) -> Result<(), ToolError> {
    let start = &start[..start.len().min(SNIFFED)];
    let hint = if start.starts_with(b"%PDF-") {
        "it is a PDF. Read papers with get_paper_content"
    } else if start.starts_with(&[0xff, 0xfe]) || start.starts_with(&[0xfe, 0xff]) {
        "it is UTF-16 text. Convert it to UTF-8 first"
    } else if memchr::memchr(0, start).is_some() {
        "it is binary (it contains NUL bytes)"
    } else {
        return Ok(());
    };
    Err(ToolError::tell(format!("`{shown}` cannot be read as text: {hint}.")))
}

/// The lines of one answer.
#[derive(Default)]
struct Page {
    text: String,
    /// Lines in the answer.
    shown: u64,
    /// Lines met so far, whether they are shown or not.
    seen: u64,
    /// Lines of the file, when they were counted.
    total: Option<u64>,
    /// Whether the answer is full before the range is.
    full: bool,
    invalid_utf8: bool,
    carriage_returns: bool,
}

impl Page {
    fn read(reader: &mut impl BufRead, range: LineRange, call: &FileCall, count: bool) -> io::Result<Self> {
        let mut page = Self::default();
        let end = range.offset.saturating_add(range.limit);
        let mut line = Vec::new();
        loop {
            let number = page.seen + 1;
            if number >= end || page.full {
                break;
            }
            let keep = if number >= range.offset { LINE_CHARS * 4 } else { 0 };
            let Some(length) = next_line(reader, keep, &mut line, call)? else {
                page.total = Some(page.seen);
                return Ok(page);
            };
            if keep > 0 && !page.push(number, &line, length) {
                // The line was taken from the reader, but it is the next page's first.
                page.seen += 1;
                page.full = true;
                break;
            }
            page.seen += 1;
        }
        if count {
            let mut nothing = Vec::new();
            let mut total = page.seen;
            while next_line(reader, 0, &mut nothing, call)?.is_some() {
                total += 1;
            }
            page.total = Some(total);
        }
        Ok(page)
    }

    /// Adds a line, unless the answer is full.
    fn push(&mut self, number: u64, line: &[u8], length: u64) -> bool {
        let (line, carriage_return) = match line.strip_suffix(b"\r") {
            Some(line) if line.len() as u64 + 1 == length => (line, true),
            Some(_) | None => (line, false),
        };
        let whole = line.len() as u64 + u64::from(carriage_return) == length;
        let invalid = std::str::from_utf8(line).is_err_and(|error| whole || error.error_len().is_some());
        let text = String::from_utf8_lossy(line);
        let cut = text.char_indices().nth(LINE_CHARS).map(|(at, _)| at);
        let kept = &text[..cut.unwrap_or(text.len())];
        if self.shown > 0 && self.text.len() + kept.len() > PAGE_CHARS {
            return false;
        }
        let _ = write!(self.text, "{number:>6}\t{}", kept.replace('\0', "␀"));
        if cut.is_some() || !whole {
            let _ = write!(self.text, " … [line cut: it has {length} bytes; grep_files finds text within it]");
        }
        self.text.push('\n');
        self.shown += 1;
        self.invalid_utf8 |= invalid;
        self.carriage_returns |= carriage_return;
        true
    }

    fn finish(mut self, range: LineRange) -> String {
        if self.total == Some(0) {
            return "[The file is empty.]".into();
        }
        let last = range.offset + self.shown.saturating_sub(1);
        let next = last + 1;
        match self.total {
            Some(total) if last < total => {
                let _ = write!(self.text, "[Lines {}-{last} of {total}. Go on with offset={next}.]", range.offset);
            }
            None => {
                let _ = write!(self.text, "[Lines {}-{last}; more follow. Go on with offset={next}.]", range.offset);
            }
            Some(_) => {}
        }
        if self.invalid_utf8 {
            self.text.push_str("[Some bytes are not UTF-8; they are shown as \u{fffd}.]");
        }
        if self.carriage_returns {
            self.text.push_str("[Lines end with CR LF; the CR is not shown.]");
        }
        self.text
    }
}

/// Reads up to and with the next line feed, keeping the first `keep` bytes without it; the length of the line, or `None`
/// at the end of the file.
fn next_line(reader: &mut impl BufRead, keep: usize, line: &mut Vec<u8>, call: &FileCall) -> io::Result<Option<u64>> {
    line.clear();
    let mut length: u64 = 0;
    let mut any = false;
    loop {
        if call.cancel.is_cancelled() {
            return Err(io::Error::other("stopped before it was read"));
        }
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(any.then_some(length));
        }
        any = true;
        let end = memchr::memchr(b'\n', buffer);
        let part = &buffer[..end.unwrap_or(buffer.len())];
        line.extend_from_slice(&part[..part.len().min(keep - line.len())]);
        length += part.len() as u64;
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            return Ok(Some(length));
        }
    }
}

/// Reads from a file unless the call was stopped.
pub(super) struct Stoppable<'c, R> {
    pub(super) inner: R,
    pub(super) call: &'c FileCall,
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.call.cancel.is_cancelled() {
            return Err(io::Error::other("stopped"));
        }
        self.inner.read(buffer)
    }
}
