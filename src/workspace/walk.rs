//! Walking a folder by handles: every entry is looked at and opened relative to the open folder that lists it.
//!
//! Links are reported or skipped, never followed. `.git` folders and names that [`RelPath`] refuses are not visited.

use super::error::AccessError;
use super::folder::{Folder, Kind, OpenFile, TEMPORARY_PREFIX, open_in};
use super::path::RelPath;
use cap_std::fs::{Dir, MetadataExt};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::io::Read;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Entries looked at in one walk; a folder with more is visited in part, and the caller is told.
const MAX_ENTRIES: usize = 200_000;
/// Bytes of an ignore file that are read.
const MAX_IGNORE_FILE: u64 = 256 * 1024;

/// Whether `.gitignore` and `.ignore` files keep entries out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoreRules {
    /// They do, as in ripgrep.
    Honour,
    /// Everything is visited.
    Disregard,
}

/// A file (or a link) that a walk has met.
pub struct Entry {
    /// Where it is, from the walked folder's top.
    pub path: RelPath,
    /// Regular file, link or special file; folders are entered, not reported.
    pub kind: Kind,
    /// Modification time.
    pub modified: SystemTime,
    name: String,
    shown: String,
    dir: Arc<Dir>,
}

impl Entry {
    /// Opens it, if it still is a regular file.
    ///
    /// # Errors
    /// When it is not, or has gone.
    pub fn open(&self) -> Result<OpenFile, AccessError> {
        open_in(&self.dir, &self.name, &self.shown)
    }

    /// Where a link points, as written in it.
    pub(super) fn link_target(&self) -> std::io::Result<std::path::PathBuf> {
        self.dir.read_link_contents(&self.name)
    }

    /// How it is named to the model and the user.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Whether a crash left it behind in the middle of a write.
    pub(super) fn is_temporary(&self) -> bool {
        self.kind == Kind::File && self.name.starts_with(TEMPORARY_PREFIX)
    }
}

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visited {
    /// Everything was visited.
    All,
    /// The visitor stopped it.
    Stopped,
    /// There was more than one walk looks at.
    Part,
}

/// Visits the files below `start` in the order of their names.
///
/// `enter` says whether a folder is entered at all. A folder that cannot be read is passed over.
///
/// # Errors
/// When `start` is no folder or cannot be opened.
pub fn walk(
    folder: &Folder,
    start: &RelPath,
    rules: IgnoreRules,
    enter: &dyn Fn(&RelPath) -> bool,
    visit: &mut dyn FnMut(Entry) -> ControlFlow<()>,
) -> Result<Visited, AccessError> {
    let dir = folder.folder_at(start)?;
    let mut ignores = Vec::new();
    if rules == IgnoreRules::Honour {
        // The rules of the folders above hold below too.
        let mut above = RelPath::root();
        for name in start.components() {
            ignores.push(Ignores::read(&*folder.folder_at(&above)?, above.clone()));
            above = above.child(name).unwrap_or_else(|_| start.clone());
        }
    }
    let mut walk = Walk { folder, rules, enter, visit, seen: 0 };
    Ok(match walk.folder(&dir, start, &mut ignores) {
        ControlFlow::Continue(()) => Visited::All,
        ControlFlow::Break(()) if walk.seen >= MAX_ENTRIES => Visited::Part,
        ControlFlow::Break(()) => Visited::Stopped,
    })
}

struct Walk<'w> {
    folder: &'w Folder,
    rules: IgnoreRules,
    enter: &'w dyn Fn(&RelPath) -> bool,
    visit: &'w mut dyn FnMut(Entry) -> ControlFlow<()>,
    seen: usize,
}

impl Walk<'_> {
    /// Recursion is bounded by the depth of a [`RelPath`].
    fn folder(&mut self, dir: &Arc<Dir>, path: &RelPath, ignores: &mut Vec<Ignores>) -> ControlFlow<()> {
        if self.rules == IgnoreRules::Honour {
            ignores.push(Ignores::read(dir, path.clone()));
        }
        let result = self.entries(dir, path, ignores);
        if self.rules == IgnoreRules::Honour {
            ignores.pop();
        }
        result
    }

    fn entries(&mut self, dir: &Arc<Dir>, path: &RelPath, ignores: &mut Vec<Ignores>) -> ControlFlow<()> {
        let Ok(listing) = dir.entries() else { return ControlFlow::Continue(()) };
        let mut names = Vec::new();
        for entry in listing.flatten() {
            self.seen += 1;
            if self.seen >= MAX_ENTRIES {
                return ControlFlow::Break(());
            }
            if let Ok(name) = entry.file_name().into_string() {
                names.push(name);
            }
        }
        names.sort_unstable();
        for name in names {
            let Ok(below) = path.child(&name) else { continue };
            let Ok(metadata) = dir.symlink_metadata(&name) else { continue };
            let kind = Kind::of(&metadata);
            if ignores.iter().rev().find_map(|ignores| ignores.decide(&below, kind)).unwrap_or(false) {
                continue;
            }
            if kind == Kind::Folder {
                if (self.enter)(&below)
                    && let Ok(next) = cap_fs_ext::DirExt::open_dir_nofollow(&**dir, &name)
                {
                    self.folder(&Arc::new(next), &below, ignores)?;
                }
                continue;
            }
            let seconds = Duration::from_secs(u64::try_from(metadata.mtime()).unwrap_or(0));
            let rest = Duration::from_nanos(u64::try_from(metadata.mtime_nsec()).unwrap_or(0));
            let shown = self.folder.show(&below);
            let modified = SystemTime::UNIX_EPOCH + seconds + rest;
            (self.visit)(Entry { path: below, kind, modified, name, shown, dir: dir.clone() })?;
        }
        ControlFlow::Continue(())
    }
}

/// The ignore files of one folder.
struct Ignores {
    at: RelPath,
    rules: Gitignore,
}

impl Ignores {
    fn read(dir: &Dir, at: RelPath) -> Self {
        let mut builder = GitignoreBuilder::new("");
        // The later line wins, and `.ignore` is the more specific file of the two.
        for name in [".gitignore", ".ignore"] {
            let text = open_in(dir, name, name).ok().and_then(|file| {
                let mut text = String::new();
                file.take(MAX_IGNORE_FILE).read_to_string(&mut text).ok().map(|_| text)
            });
            for line in text.iter().flat_map(|text| text.lines()) {
                // A line that is no pattern is passed over, as git does.
                let _ = builder.add_line(None, line);
            }
        }
        Self { at, rules: builder.build().unwrap_or_else(|_| Gitignore::empty()) }
    }

    /// `Some(true)` to leave the entry out, `Some(false)` to keep it whatever the folders above say.
    fn decide(&self, path: &RelPath, kind: Kind) -> Option<bool> {
        if self.rules.is_empty() {
            return None;
        }
        let below = path.skip(self.at.components().count());
        let decision = self.rules.matched(below.as_str(), kind == Kind::Folder);
        if decision.is_ignore() {
            Some(true)
        } else if decision.is_whitelist() {
            Some(false)
        } else {
            None
        }
    }
}
