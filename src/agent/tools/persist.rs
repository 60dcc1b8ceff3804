//! Long outputs: the model gets the head and the tail, the whole text goes to a file that `read_file` pages through.

use crate::ids::{CallId, UserId};
use crate::workspace::path::RelPath;
use crate::workspace::{TOOL_RESULTS, WorkspaceError, Workspaces};
use std::fmt::Write;

/// The share of the shown text that is the beginning; the end has the rest.
const HEAD_SHARE: (usize, usize) = (2, 3);
/// Bytes that the frame around head and tail may take.
const FRAME: usize = 420;
/// Bytes of a reason in the frame.
const REASON: usize = 160;

/// Bounds the output of a call: what has at most `max_chars` characters passes unchanged. Of a longer one the whole text
/// is stored for its user, and the answer is a stub with its path, its size, its head and its tail, which has at most
/// `max_chars` characters too (but for limits under a thousand, where the frame alone can take more).
///
/// Never fails: when the file cannot be written, the stub says that the rest is lost and why. The same call again finds
/// its file and changes nothing.
pub async fn bound(workspaces: &Workspaces, user: UserId, call: &CallId, content: String, max_chars: usize) -> String {
    if content.len() <= max_chars || content.chars().count() <= max_chars {
        return content;
    }
    let call = call.clone();
    let bounded = workspaces.run(move |all| {
        let stored = store(all, user, &call, &content);
        Ok::<_, WorkspaceError>(stub(&content, max_chars, &stored))
    });
    match bounded.await {
        Ok(stub) => stub,
        Err(error) => format!("The output was too long, and it is lost: {error}"),
    }
}

/// Keeps the whole text of an output that leaves the context, where `read_file` finds it by its call; answers whether it is
/// there. What was kept before stays.
pub async fn keep(workspaces: &Workspaces, user: UserId, call: CallId, content: String) -> bool {
    let kept = workspaces.run(move |all| Ok::<_, WorkspaceError>(store(all, user, &call, &content).is_ok()));
    kept.await.unwrap_or(false)
}

/// Stores a text; the path that the model reads it by, or why it could not be stored.
fn store(workspaces: &Workspaces, user: UserId, call: &CallId, content: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if call.as_str().is_empty() || !call.as_str().chars().all(plain) {
        return Err("the call's id is no file name".into());
    }
    let name = RelPath::parse(&format!("{call}.txt")).map_err(|error| error.to_string())?;
    let folder = workspaces.tool_results(user).map_err(|error| error.to_string())?;
    folder.create_new(&name, content.as_bytes()).map_err(|error| error.to_string())?;
    Ok(format!("library/{TOOL_RESULTS}/{name}"))
}

fn stub(content: &str, max_chars: usize, stored: &Result<String, String>) -> String {
    let shown = max_chars.saturating_sub(FRAME).max(max_chars / 4);
    let (head, tail) = head_and_tail(content, shown);
    let left_out = content.chars().count() - head.chars().count() - tail.chars().count();
    let size = format!("chars=\"{}\" lines=\"{}\"", content.chars().count(), content.lines().count());
    let mut text = String::with_capacity(max_chars);
    let _ = match stored {
        Ok(path) => writeln!(
            text,
            "<persisted-output path=\"{path}\" {size}>\n{head}\n… [{left_out} characters left out. The whole output is a \
             file: read it with read_file, or search it with grep_files, by the path above.] …"
        ),
        Err(reason) => writeln!(
            text,
            "<persisted-output {size}>\n{head}\n… [{left_out} characters left out and lost, since the file for them \
             could not be written: {}] …",
            &reason[..reason.floor_char_boundary(REASON)]
        ),
    };
    text.push_str(tail);
    text.push_str("\n</persisted-output>");
    text
}

/// The first and the last of `shown` characters.
fn head_and_tail(content: &str, shown: usize) -> (&str, &str) {
    let (part, whole) = HEAD_SHARE;
    let head = shown * part / whole;
    let tail = shown - head;
    let head_end = content.char_indices().nth(head).map_or(content.len(), |(at, _)| at);
    let tail_start = match tail.checked_sub(1) {
        Some(before) => content.char_indices().nth_back(before).map_or(0, |(at, _)| at),
        None => content.len(),
    };
    (&content[..head_end], &content[tail_start.max(head_end)..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_stub_keeps_its_limit_and_both_ends(content in "\\PC{1200,4000}", max_chars in 1000_usize..1100) {
            prop_assume!(content.chars().count() > max_chars);
            let path = format!("library/{TOOL_RESULTS}/{}.txt", CallId::new());
            for stored in [Ok(path), Err("Datei zu groß ".repeat(40))] {
                let stub = stub(&content, max_chars, &stored);
                prop_assert!(stub.chars().count() <= max_chars, "{}", stub.chars().count());
                let (head, tail) = head_and_tail(&content, max_chars - FRAME);
                prop_assert!(content.starts_with(head) && content.ends_with(tail));
                prop_assert!(stub.contains(head) && stub.contains(tail));
            }
        }
    }

    #[test]
    fn head_and_tail_never_overlap() {
        assert_eq!(head_and_tail("abcdef", 3), ("ab", "f"));
        assert_eq!(head_and_tail("aß", 6), ("aß", ""));
        assert_eq!(head_and_tail("äöü", 0), ("", ""));
    }
}
