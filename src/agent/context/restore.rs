//! Bringing back the files that the model was working with.

use super::touched::Touched;
use crate::agent::tools::filesystem::security::Roots;
use crate::agent::tools::filesystem::state::FileStateCache;
use crate::ids::{CallId, UserId};
use crate::store::messages::Message;
use crate::workspace::{WorkspaceError, Workspaces};
use std::io::Read;

/// Files that are brought back after a summary.
const FILES: usize = 5;
/// Bytes of a file that is brought back at most.
const FILE_BYTES: u64 = 64 * 1024;

/// Brings files back into a context.
pub struct Restorer<'a> {
    /// The folders.
    pub workspaces: &'a Workspaces,
    /// Whose they are.
    pub user: UserId,
    /// What the context shows.
    pub files: &'a FileStateCache,
}

impl Restorer<'_> {
    /// The files that were used last in these messages, as they are now: path and text, the oldest first. One that cannot
    /// be read, is no text or is large stays away: the model can read it.
    pub async fn files(&self, hidden: &[&Message]) -> Vec<(String, String)> {
        let touched = Touched::of(hidden.iter().copied()).files;
        let recent = self.files.recent(FILES).into_iter().map(|file| file.path);
        let paths: Vec<String> = recent.filter(|path| touched.contains(path)).collect();
        let user = self.user;
        let read = self.workspaces.run(move |all| {
            let roots = Roots::of(all, user)?;
            let texts = paths.into_iter().rev().filter_map(|path| {
                let file = roots.locate(&path).ok()?.open().ok()?;
                let mut text = String::new();
                file.take(FILE_BYTES + 1).read_to_string(&mut text).ok()?;
                (text.len() as u64 <= FILE_BYTES).then_some((path, text))
            });
            Ok::<_, WorkspaceError>(texts.collect())
        });
        read.await.unwrap_or_default()
    }

    /// Notes that the context shows these files as they are now, so that they may be edited without another reading.
    pub async fn shown(&self, files: &[(String, String)]) {
        let paths: Vec<String> = files.iter().map(|(path, _)| path.clone()).collect();
        let user = self.user;
        let stamped = self.workspaces.run(move |all| {
            let roots = Roots::of(all, user)?;
            let stamps = paths.into_iter().filter_map(|path| {
                let stamp = roots.locate(&path).ok()?.open().ok()?.stamp;
                Some((path, stamp))
            });
            Ok::<_, WorkspaceError>(stamps.collect::<Vec<_>>())
        });
        let call = CallId::new();
        for (path, stamp) in stamped.await.unwrap_or_default() {
            self.files.record_write(&path, stamp, &call);
        }
    }
}
