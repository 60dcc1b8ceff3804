//! The git history of one workspace, through libgit2.
//!
//! Trees are built from bytes that we hold, never from paths in the working folder: libgit2 would follow a link that was
//! put in place meanwhile. Filters, ignore rules and hooks of a repository therefore have no effect.

use super::error::WorkspaceError;
use super::log::Why;
use super::path::RelPath;
use git2::{ErrorCode, Index, IndexEntry, IndexTime, Oid, Repository, RepositoryInitOptions, RepositoryOpenFlags};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const AUTHOR: &str = "Almagest";
const EMAIL: &str = "almagest@localhost";
/// git holds its locks for milliseconds: an older one was left by a crash.
const STALE_LOCK: Duration = Duration::from_secs(2);
const LOCK_PATIENCE: Duration = Duration::from_secs(3);

/// Modes of tree entries that we write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    File,
    Executable,
    Link,
}

impl Mode {
    pub(super) fn file(executable: bool) -> Self {
        if executable { Self::Executable } else { Self::File }
    }

    fn bits(self) -> u32 {
        match self {
            Self::File => 0o100_644,
            Self::Executable => 0o100_755,
            Self::Link => 0o120_000,
        }
    }
}

/// The repository, and what is about to become its next commit.
pub(super) struct History {
    pub(super) repo: Repository,
}

/// The newest commit's tree, to be changed entry by entry.
pub(super) struct Draft {
    index: Index,
}

impl History {
    /// Opens the history in `folder`, starting one when there is none.
    pub(super) fn open(folder: &Path) -> Result<Self, WorkspaceError> {
        let git = folder.join(".git");
        match std::fs::symlink_metadata(&git) {
            Ok(metadata) if !metadata.is_dir() => {
                let source = std::io::Error::other("it is not a folder of its own, so it is not used");
                return Err(WorkspaceError::Layout { path: git.display().to_string(), source });
            }
            Ok(_) | Err(_) => {}
        }
        let none: [&OsStr; 0] = [];
        let repo = match Repository::open_ext(folder, RepositoryOpenFlags::NO_SEARCH, none) {
            Err(error) if error.code() == ErrorCode::NotFound => {
                init(folder).map_err(WorkspaceError::git("started"))?
            }
            opened => opened.map_err(WorkspaceError::git("opened"))?,
        };
        Ok(Self { repo })
    }

    /// The newest commit, if there is any.
    pub(super) fn head(&self) -> Result<Option<git2::Commit<'_>>, WorkspaceError> {
        match self.repo.head() {
            Ok(head) => head.peel_to_commit().map(Some).map_err(WorkspaceError::git("read")),
            Err(error) if matches!(error.code(), ErrorCode::UnbornBranch | ErrorCode::NotFound) => Ok(None),
            Err(error) => Err(WorkspaceError::git("read")(error)),
        }
    }

    /// A draft that equals the newest commit.
    pub(super) fn draft(&self) -> Result<Draft, WorkspaceError> {
        let mut index = Index::new().map_err(WorkspaceError::git("read"))?;
        if let Some(head) = self.head()? {
            let tree = head.tree().map_err(WorkspaceError::git("read"))?;
            index.read_tree(&tree).map_err(WorkspaceError::git("read"))?;
        }
        Ok(Draft { index })
    }

    /// Stores bytes in the history and enters them in the draft.
    pub(super) fn stage(
        &self,
        draft: &mut Draft,
        path: &RelPath,
        bytes: &[u8],
        mode: Mode,
    ) -> Result<(), WorkspaceError> {
        if draft.has(path, blob_id(bytes)?, mode) {
            return Ok(());
        }
        let id = self.repo.blob(bytes).map_err(WorkspaceError::git("written"))?;
        draft.index.add(&entry(path, id, mode)).map_err(WorkspaceError::git("written"))
    }

    /// Stores a draft as a tree.
    pub(super) fn tree(&self, draft: &mut Draft) -> Result<Oid, WorkspaceError> {
        draft.index.write_tree_to(&self.repo).map_err(WorkspaceError::git("written"))
    }

    /// Makes a tree the newest commit; `None` when it is already.
    pub(super) fn commit(&self, tree: Oid, why: &Why, what: &str) -> Result<Option<Oid>, WorkspaceError> {
        let tree = self.repo.find_tree(tree).map_err(WorkspaceError::git("written"))?;
        let message = why.message(what);
        let commit = self.unless_locked(|| {
            let head = self.head()?;
            match &head {
                Some(head) if head.tree_id() == tree.id() => return Ok(None),
                None if tree.is_empty() => return Ok(None),
                Some(_) | None => {}
            }
            let author = git2::Signature::now(AUTHOR, EMAIL).map_err(WorkspaceError::git("written"))?;
            let parents = head.iter().collect::<Vec<_>>();
            let commit = self.repo.commit(Some("HEAD"), &author, &author, &message, &tree, &parents);
            commit.map(Some).map_err(WorkspaceError::git("written"))
        })?;
        if commit.is_some() {
            self.follow_with_index(&tree);
        }
        Ok(commit)
    }

    /// Brings `.git/index` up to date, for people who use git in the folder. Nothing of ours reads it, so a failure is
    /// no failure of the write.
    fn follow_with_index(&self, tree: &git2::Tree<'_>) {
        let followed = self.unless_locked(|| {
            let mut index = self.repo.index().map_err(WorkspaceError::git("written"))?;
            index.read_tree(tree).map_err(WorkspaceError::git("written"))?;
            index.write().map_err(WorkspaceError::git("written"))
        });
        if let Err(error) = followed {
            tracing::debug!(%error, repository = %self.repo.path().display(), "git's index was left as it is");
        }
    }

    /// Runs something that takes git's lock files: waits for another program's, and removes one that a crash left.
    fn unless_locked<T>(&self, mut work: impl FnMut() -> Result<T, WorkspaceError>) -> Result<T, WorkspaceError> {
        let began = Instant::now();
        loop {
            match work() {
                Err(WorkspaceError::Git { source, .. }) if source.code() == ErrorCode::Locked => {
                    let removed = self.remove_stale_locks();
                    if !removed && began.elapsed() > LOCK_PATIENCE {
                        return Err(WorkspaceError::Locked(source.message().to_owned()));
                    }
                    if !removed {
                        // The blocking pool: nothing else waits for this thread.
                        std::thread::park_timeout(Duration::from_millis(50));
                    }
                }
                done => return done,
            }
        }
    }

    fn remove_stale_locks(&self) -> bool {
        let git = self.repo.path();
        let mut locks: Vec<PathBuf> = vec![git.join("index.lock"), git.join("HEAD.lock")];
        if let Ok(heads) = std::fs::read_dir(git.join("refs/heads")) {
            locks.extend(
                heads.flatten().map(|entry| entry.path()).filter(|path| path.extension() == Some("lock".as_ref())),
            );
        }
        let stale = |path: &PathBuf| {
            let modified = std::fs::symlink_metadata(path).and_then(|metadata| metadata.modified());
            modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > STALE_LOCK))
        };
        let mut removed = false;
        for lock in locks.iter().filter(|path| stale(path)) {
            tracing::warn!(lock = %lock.display(), "a lock file that a crash left was removed");
            removed |= std::fs::remove_file(lock).is_ok();
        }
        removed
    }
}

impl Draft {
    /// A draft from an index that libgit2 merged.
    pub(super) fn merged(index: Index) -> Self {
        Self { index }
    }

    /// Whether just this is entered for a path.
    pub(super) fn has(&self, path: &RelPath, id: Oid, mode: Mode) -> bool {
        let entry = self.index.get_path(Path::new(path.as_str()), 0);
        entry.is_some_and(|entry| entry.id == id && entry.mode == mode.bits())
    }

    /// All paths.
    pub(super) fn paths(&self) -> impl Iterator<Item = String> {
        self.index.iter().map(|entry| String::from_utf8_lossy(&entry.path).into_owned())
    }

    /// Takes a path out.
    pub(super) fn remove(&mut self, path: &str) -> Result<(), WorkspaceError> {
        self.index.remove(Path::new(path), 0).map_err(WorkspaceError::git("written"))
    }
}

/// The id that bytes have in a history.
pub(super) fn blob_id(bytes: &[u8]) -> Result<Oid, WorkspaceError> {
    Oid::hash_object(git2::ObjectType::Blob, bytes).map_err(WorkspaceError::git("read"))
}

fn init(folder: &Path) -> Result<Repository, git2::Error> {
    let mut options = RepositoryInitOptions::new();
    options.external_template(false).initial_head("main");
    let repo = Repository::init_opts(folder, &options)?;
    // A power cut must not leave empty objects behind an acknowledged write.
    repo.config()?.set_bool("core.fsyncObjectFiles", true)?;
    // Reopened, since libgit2 reads that setting once.
    Repository::open(folder)
}

fn entry(path: &RelPath, id: Oid, mode: Mode) -> IndexEntry {
    IndexEntry {
        ctime: IndexTime::new(0, 0),
        mtime: IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode: mode.bits(),
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.as_str().as_bytes().to_vec(),
    }
}
