//! What the writing tools have in common: the staleness rule and what the dashboard shows of a change.

use super::FileCall;
use super::state::Freshness;
use crate::agent::tools::{ToolError, ToolOutput};
use crate::workspace::{Present, Recorded, Written};
use serde_json::json;
use similar::{ChangeTag, TextDiff};
use std::time::Duration;

/// Bytes of the diff in the metadata.
const DIFF_BYTES: usize = 20_000;
/// Texts over this are not compared line by line.
const COMPARED_BYTES: usize = 4 * 1024 * 1024;
/// Time that a comparison may take before it becomes coarse.
const COMPARING: Duration = Duration::from_millis(500);

/// Refuses to change a file that this context has not seen as it is.
pub(super) fn check_fresh(call: &FileCall, shown: &str, present: &Present) -> Result<(), ToolError> {
    match call.files.freshness(shown, present.stamp) {
        Freshness::Current => Ok(()),
        Freshness::NeverRead => Err(ToolError::tell(format!(
            "`{shown}` exists and you have not read it. Read it with read_file first, so that nothing is lost unseen."
        ))),
        Freshness::Changed => Err(ToolError::tell(format!(
            "`{shown}` has changed since you last read it. Read it again with read_file, then make your change."
        ))),
    }
}

/// The answer to a write.
pub(super) fn answer(call: &FileCall, shown: &str, said: &str, written: &Written) -> ToolOutput {
    call.files.record_write(shown, written.stamp, &call.call);
    let before = written.before.as_deref();
    let difference = Difference::between(before.unwrap_or_default(), &written.after, shown);
    let (commit, note) = match &written.recorded {
        Recorded::Commit(id) => (Some(id.as_str()), String::new()),
        Recorded::Unchanged => (None, " It had these contents already.".into()),
        Recorded::Unversioned => (None, " This folder keeps no history.".into()),
        Recorded::Pending(reason) => {
            (None, format!(" It is not in the history yet: {reason} The next write will add it."))
        }
    };
    let lines = format!("+{} -{} lines", difference.added, difference.removed);
    ToolOutput::text(format!("{said} `{shown}` ({lines}, {} bytes).{note}", written.after.len())).with_metadata(json!({
        "path": shown,
        "commit": commit,
        "created": before.is_none(),
        "bytes": written.after.len(),
        "lines_added": difference.added,
        "lines_removed": difference.removed,
        "diff": difference.text,
        "diff_truncated": difference.truncated,
    }))
}

/// A change in lines.
struct Difference {
    added: usize,
    removed: usize,
    text: String,
    truncated: bool,
}

impl Difference {
    fn between(before: &[u8], after: &[u8], shown: &str) -> Self {
        let (Ok(before), Ok(after)) = (std::str::from_utf8(before), std::str::from_utf8(after)) else {
            return Self::coarse(before, after);
        };
        if before.len() + after.len() > COMPARED_BYTES {
            return Self::coarse(before.as_bytes(), after.as_bytes());
        }
        let diff = TextDiff::configure().timeout(COMPARING).diff_lines(before, after);
        let (mut added, mut removed) = (0, 0);
        for change in diff.iter_all_changes() {
            match change.tag() {
                ChangeTag::Insert => added += 1,
                ChangeTag::Delete => removed += 1,
                ChangeTag::Equal => {}
            }
        }
        let mut text = diff.unified_diff().header(shown, shown).to_string();
        let truncated = text.len() > DIFF_BYTES;
        text.truncate(text.floor_char_boundary(DIFF_BYTES));
        Self { added, removed, text, truncated }
    }

    /// Line counts alone, as if every line were another.
    fn coarse(before: &[u8], after: &[u8]) -> Self {
        let lines = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count() + usize::from(!bytes.ends_with(b"\n"));
        Self { added: lines(after), removed: lines(before), text: String::new(), truncated: true }
    }
}
