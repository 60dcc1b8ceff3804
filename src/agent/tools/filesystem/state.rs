//! What a context has read.
//!
//! There is one cache for each context (a conversation, a sub-agent): it says what the model has before its eyes, so that
//! an unchanged range is not sent twice and a file that it has not seen, or that changed since, is not overwritten. When
//! a result leaves the context, its entry has to leave the cache: [`FileStateCache::forget_call`].

use crate::ids::CallId;
use crate::workspace::folder::Stamp;
use parking_lot::Mutex;
use std::collections::HashMap;

/// Files that are remembered; the one that was touched longest ago is forgotten first.
const MAX_FILES: usize = 1_000;

/// A stretch of lines as it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineRange {
    /// First line, from 1.
    pub offset: u64,
    /// Number of lines.
    pub limit: u64,
}

/// Whether a file may be changed, from what the context knows of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// The context has seen it as it is.
    Current,
    /// The context has not seen it.
    NeverRead,
    /// It is no longer what the context has seen.
    Changed,
}

/// A file that the context has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentFile {
    /// Its path, as the model writes it.
    pub path: String,
    /// What was read of it; empty when it was only written.
    pub ranges: Vec<LineRange>,
}

/// Which ranges of which files are in the context, and in which state the files were.
#[derive(Debug, Default)]
pub struct FileStateCache(Mutex<Files>);

#[derive(Debug, Default)]
struct Files {
    clock: u64,
    by_path: HashMap<String, Seen>,
}

#[derive(Debug)]
struct Seen {
    stamp: Stamp,
    touched: u64,
    /// The call whose result shows it, and the range; `None` for a write.
    views: Vec<(CallId, Option<LineRange>)>,
}

impl FileStateCache {
    /// An empty one, for a new context.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The result of `call` shows this range of a file in this state.
    pub fn record_read(&self, path: &str, stamp: Stamp, range: LineRange, call: &CallId) {
        self.record(path, stamp, Some(range), call);
    }

    /// `call` wrote a file: the model knows what is in it, but has seen no line numbers.
    pub fn record_write(&self, path: &str, stamp: Stamp, call: &CallId) {
        self.record(path, stamp, None, call);
    }

    fn record(&self, path: &str, stamp: Stamp, range: Option<LineRange>, call: &CallId) {
        let mut files = self.0.lock();
        files.clock += 1;
        let touched = files.clock;
        let seen = files.by_path.entry(path.to_owned()).or_insert_with(|| Seen { stamp, touched, views: Vec::new() });
        if seen.stamp != stamp || range.is_none() {
            // Older views show another state.
            seen.views.clear();
        }
        (seen.stamp, seen.touched) = (stamp, touched);
        seen.views.push((call.clone(), range));
        if files.by_path.len() > MAX_FILES
            && let Some(oldest) =
                files.by_path.iter().min_by_key(|(_, seen)| seen.touched).map(|(path, _)| path.clone())
        {
            files.by_path.remove(&oldest);
        }
    }

    /// Whether the context shows just this range of the file in just this state.
    #[must_use]
    pub fn is_unchanged(&self, path: &str, stamp: Stamp, range: LineRange) -> bool {
        let files = self.0.lock();
        let seen = files.by_path.get(path).filter(|seen| seen.stamp == stamp);
        seen.is_some_and(|seen| seen.views.iter().any(|(_, view)| *view == Some(range)))
    }

    /// Whether a file in this state may be changed.
    #[must_use]
    pub fn freshness(&self, path: &str, stamp: Stamp) -> Freshness {
        match self.0.lock().by_path.get(path) {
            None => Freshness::NeverRead,
            Some(seen) if seen.stamp == stamp => Freshness::Current,
            Some(_) => Freshness::Changed,
        }
    }

    /// Forgets a file.
    pub fn forget(&self, path: &str) {
        self.0.lock().by_path.remove(path);
    }

    /// Forgets what the result of a call showed, since that result has left the context.
    pub fn forget_call(&self, call: &CallId) {
        self.0.lock().by_path.retain(|_, seen| {
            seen.views.retain(|(from, _)| from != call);
            !seen.views.is_empty()
        });
    }

    /// Forgets everything.
    pub fn clear(&self) {
        self.0.lock().by_path.clear();
    }

    /// The files that were read or written last, the newest first, at most `count`.
    #[must_use]
    pub fn recent(&self, count: usize) -> Vec<RecentFile> {
        let files = self.0.lock();
        let mut all = files.by_path.iter().collect::<Vec<_>>();
        all.sort_unstable_by_key(|(_, seen)| std::cmp::Reverse(seen.touched));
        let recent = |(path, seen): (&String, &Seen)| RecentFile {
            path: path.clone(),
            ranges: seen.views.iter().filter_map(|(_, range)| *range).collect(),
        };
        all.into_iter().take(count).map(recent).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::folder::Folder;
    use crate::workspace::path::RelPath;

    const ALL: LineRange = LineRange { offset: 1, limit: 2_000 };

    /// Two states of a file.
    fn stamps() -> (Stamp, Stamp) {
        let folder = tempfile::TempDir::new().unwrap();
        let folder = Folder::open(folder.path(), "").unwrap();
        let path = RelPath::parse("a.md").unwrap();
        (folder.write(&path, b"one", false).unwrap(), folder.write(&path, b"two", false).unwrap())
    }

    #[test]
    fn a_view_holds_for_its_state_and_range_alone() {
        let (one, two) = stamps();
        let files = FileStateCache::new();
        assert_eq!(files.freshness("a.md", one), Freshness::NeverRead);
        files.record_read("a.md", one, ALL, &CallId::new());
        assert!(files.is_unchanged("a.md", one, ALL));
        assert!(!files.is_unchanged("a.md", two, ALL));
        assert!(!files.is_unchanged("a.md", one, LineRange { offset: 2, ..ALL }));
        assert_eq!(files.freshness("a.md", one), Freshness::Current);
        assert_eq!(files.freshness("a.md", two), Freshness::Changed);
        files.record_write("a.md", two, &CallId::new());
        assert_eq!(files.freshness("a.md", two), Freshness::Current);
        assert!(!files.is_unchanged("a.md", two, ALL), "a write shows no numbered lines");
    }

    #[test]
    fn an_entry_dies_with_the_results_that_show_it() {
        let (one, _) = stamps();
        let files = FileStateCache::new();
        let (first, second) = (CallId::new(), CallId::new());
        let tail = LineRange { offset: 9, ..ALL };
        files.record_read("a.md", one, ALL, &first);
        files.record_read("a.md", one, tail, &second);
        files.forget_call(&first);
        assert!(!files.is_unchanged("a.md", one, ALL));
        assert!(files.is_unchanged("a.md", one, tail));
        files.forget_call(&second);
        assert_eq!(files.freshness("a.md", one), Freshness::NeverRead);
    }

    #[test]
    fn recent_files_come_newest_first() {
        let (one, two) = stamps();
        let files = FileStateCache::new();
        files.record_read("a.md", one, ALL, &CallId::new());
        files.record_write("b.md", two, &CallId::new());
        files.record_read("a.md", one, ALL, &CallId::new());
        let paths = |count| files.recent(count).into_iter().map(|file| file.path).collect::<Vec<_>>();
        assert_eq!(paths(5), ["a.md", "b.md"]);
        assert_eq!(paths(1), ["a.md"]);
        files.forget("a.md");
        assert_eq!(files.recent(5), [RecentFile { path: "b.md".into(), ranges: vec![] }]);
        files.clear();
        assert!(files.recent(5).is_empty());
    }

    #[test]
    fn the_number_of_files_is_bounded() {
        let (one, _) = stamps();
        let files = FileStateCache::new();
        for number in 0..=MAX_FILES {
            files.record_read(&number.to_string(), one, ALL, &CallId::new());
        }
        assert_eq!(files.freshness("0", one), Freshness::NeverRead);
        assert_eq!(files.freshness("1", one), Freshness::Current);
        assert_eq!(files.recent(usize::MAX).len(), MAX_FILES);
    }
}
