//! `file_edit`: replaces a text in a file.

use super::change::{answer, check_fresh};
use super::security::Roots;
use super::{FileCall, deny_other_roots, run};
use crate::agent::tools::{AgentTool, InterruptBehavior, ToolContext, ToolError, ToolOutput, ToolRule, schema};
use crate::workspace::Present;
use crate::workspace::folder::MAX_CHANGED_FILE;
use crate::workspace::log::Why;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Places that are counted in an error.
const COUNTED: usize = 1_000;

/// Arguments of `file_edit`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Path of the file, relative to the workspace.
    pub path: String,
    /// The text to replace, exactly as it stands in the file, without line numbers. It has to be unique in it.
    pub old_string: String,
    /// The text to put in its place.
    pub new_string: String,
    /// Replace every occurrence instead of a unique one.
    pub replace_all: Option<bool>,
}

/// The tool.
pub struct FileEdit;

#[async_trait]
impl AgentTool for FileEdit {
    fn name(&self) -> &str {
        "file_edit"
    }

    fn description(&self) -> &str {
        "Replace a text in a file of the workspace by another. The file has to be read first, and the old text has to \
         be exact and unique: take in enough of the lines around it, or set `replace_all`. \
         Every edit is kept in the workspace's history and can be undone."
    }

    fn parameters(&self) -> Value {
        schema::of::<Args>()
    }

    async fn execute(&self, args: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        run(args, ctx, file_edit).await
    }

    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Block
    }

    fn check_permissions(&self, args: &Value) -> Vec<ToolRule> {
        deny_other_roots(self.name(), args)
    }
}

/// Edits a file.
///
/// # Errors
/// When the path is refused, the file was not read as it is, the old text is absent or not unique, or the disk refuses;
/// then nothing has changed.
pub fn file_edit(call: &FileCall, args: Args) -> Result<ToolOutput, ToolError> {
    // Before it begins a stop is heeded; from here on the edit is finished.
    call.check_cancelled()?;
    if args.old_string.is_empty() {
        return Err(ToolError::tell(
            "`old_string` is empty. Give the text to replace; a new file is made with file_write.",
        ));
    }
    if args.old_string == args.new_string {
        return Err(ToolError::tell("`old_string` and `new_string` are the same, so there is nothing to change."));
    }
    let roots = Roots::of(&call.workspaces, call.user)?;
    let place = roots.locate_for_writing(&args.path)?;
    let shown = place.shown();
    let why = Why::new("file_edit", call.session);
    let mut replaced = 0;
    let written = roots.workspace().update(&place.path, &why, |present| {
        let Some(present) = present else {
            return Err(ToolError::tell(format!("There is no `{shown}`. Make a new file with file_write.")));
        };
        check_fresh(call, &shown, present)?;
        let (text, count) = edited(present, &args, &shown)?;
        replaced = count;
        Ok(text.into_bytes())
    })?;
    let said = if replaced == 1 { "Edited".to_owned() } else { format!("Replaced {replaced} occurrences in") };
    Ok(answer(call, &shown, &said, &written))
}

/// The new text, and the number of replacements.
fn edited(present: &Present, args: &Args, shown: &str) -> Result<(String, usize), ToolError> {
    let Ok(text) = std::str::from_utf8(&present.bytes) else {
        return Err(ToolError::tell(format!("`{shown}` is not UTF-8 text, so it cannot be edited without damage.")));
    };
    let (mut old, mut new) = (args.old_string.clone(), args.new_string.clone());
    if !text.contains(&old) && text.contains("\r\n") {
        // read_file does not show the CR of a line's end, so the model cannot give it.
        let with_cr = |text: &str| text.replace("\r\n", "\n").replace('\n', "\r\n");
        (old, new) = (with_cr(&old), with_cr(&new));
    }
    let everywhere = args.replace_all.unwrap_or(false);
    let count = if everywhere { text.matches(&old).count() } else { occurrences(text, &old) };
    match count {
        0 => Err(ToolError::tell(format!(
            "`old_string` occurs 0 times in `{shown}`. It has to match exactly, with blanks and line breaks and without \
             the line numbers of read_file."
        ))),
        1 => Ok((text.replacen(&old, &new, 1), 1)),
        count if everywhere => {
            let size = (text.len() - count * old.len()).saturating_add(count.saturating_mul(new.len()));
            if size as u64 > MAX_CHANGED_FILE {
                return Err(ToolError::tell(format!(
                    "`{shown}` would become larger than {MAX_CHANGED_FILE} bytes. Split it into several files."
                )));
            }
            Ok((text.replace(&old, &new), count))
        }
        count => {
            let more = if count >= COUNTED { "at least " } else { "" };
            Err(ToolError::tell(format!(
                "`old_string` occurs {more}{count} times in `{shown}`. Take in more of the lines around the place you \
                 mean, or set `replace_all` to change every one."
            )))
        }
    }
}

/// How often a text occurs, overlapping occurrences included: of two that overlap neither is the one that is meant.
fn occurrences(text: &str, wanted: &str) -> usize {
    let step = wanted.chars().next().map_or(1, char::len_utf8);
    let mut from = 0;
    let mut count = 0;
    while count < COUNTED {
        let Some(at) = text[from..].find(wanted) else { break };
        count += 1;
        from += at + step;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::occurrences;

    #[test]
    fn overlapping_occurrences_count() {
        assert_eq!(occurrences("aaa", "aa"), 2);
        assert_eq!(occurrences("ααα", "αα"), 2);
        assert_eq!(occurrences("abcabc", "abc"), 2);
        assert_eq!(occurrences("abc", "x"), 0);
    }
}
