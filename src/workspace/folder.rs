//! Access below one folder by handles: whatever is renamed or linked meanwhile, nothing outside is touched.
//!
//! [`Folder`] wraps a [`cap_std::fs::Dir`]. Every access opens the path component by component, each relative to the
//! handle before it and without following a symbolic link, so there is no moment between a check and a use. A hard link
//! is the file itself and is treated as such: making one needs access to its target already.

use super::error::AccessError;
use super::path::RelPath;
use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, MetadataExt, OpenOptions, Permissions, PermissionsExt};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use uuid::Uuid;

/// Bytes of a file that tools read whole in order to change it.
pub const MAX_CHANGED_FILE: u64 = 32 * 1024 * 1024;
/// How the names of temporary files begin; leftovers of a crash are removed by the next recovery.
pub(super) const TEMPORARY_PREFIX: &str = ".almagest-writing-";

/// The state of a file: two equal stamps mean that nobody wrote to it in between.
///
/// Beside time and size it has the inode, which changes with each of our atomic writes, and the change time, which a
/// program cannot set back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Modification time, nanoseconds since the Unix epoch.
    pub mtime_ns: i128,
    /// Bytes.
    pub size: u64,
    change_ns: i128,
    inode: u64,
}

impl Stamp {
    fn of(metadata: &Metadata) -> Self {
        let nanoseconds = |seconds: i64, rest: i64| i128::from(seconds) * 1_000_000_000 + i128::from(rest);
        Self {
            mtime_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            size: metadata.len(),
            change_ns: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            inode: metadata.ino(),
        }
    }
}

/// What stands at a path, without following a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, wherever it leads.
    Link,
    /// Pipe, socket or device.
    Special,
}

impl Kind {
    pub(super) fn of(metadata: &Metadata) -> Self {
        if metadata.is_symlink() {
            Self::Link
        } else if metadata.is_dir() {
            Self::Folder
        } else if metadata.is_file() {
            Self::File
        } else {
            Self::Special
        }
    }
}

/// An open regular file.
#[derive(Debug)]
pub struct OpenFile {
    file: cap_std::fs::File,
    /// Its state when it was opened.
    pub stamp: Stamp,
    /// Whether its owner may execute it.
    pub executable: bool,
}

impl OpenFile {
    /// Its state now.
    ///
    /// # Errors
    /// When the file system fails.
    pub fn stamp_now(&self) -> io::Result<Stamp> {
        self.file.metadata().map(|metadata| Stamp::of(&metadata))
    }

    /// Everything in it, unless that is more than `limit` bytes.
    pub(super) fn read_all(mut self, limit: u64) -> io::Result<Option<Vec<u8>>> {
        if self.stamp.size > limit {
            return Ok(None);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(self.stamp.size).unwrap_or(0));
        self.by_ref().take(limit + 1).read_to_end(&mut bytes)?;
        Ok((bytes.len() as u64 <= limit).then_some(bytes))
    }
}

impl Read for OpenFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

/// A folder and everything below it; cheap to clone.
#[derive(Clone, Debug)]
pub struct Folder {
    dir: Arc<Dir>,
    /// How the folder's own path is written: as it was configured, and without links.
    spellings: Arc<[PathBuf]>,
    /// What stands before paths in messages: empty, or such as `library/`.
    label: &'static str,
}

impl Folder {
    /// Opens a folder, making it (readable by its owner alone) when it is not there.
    ///
    /// # Errors
    /// When it cannot be made or opened.
    pub fn open(path: &Path, label: &'static str) -> io::Result<Self> {
        let mut builder = std::fs::DirBuilder::new();
        std::os::unix::fs::DirBuilderExt::mode(builder.recursive(true), 0o700);
        builder.create(path)?;
        let dir = Dir::open_ambient_dir(path, ambient_authority())?;
        let spellings = [std::path::absolute(path)?, path.canonicalize()?];
        Ok(Self { dir: Arc::new(dir), spellings: spellings.into(), label })
    }

    /// How a path in this folder is named to the model and the user.
    #[must_use]
    pub fn show(&self, path: &RelPath) -> String {
        match (self.label, path.as_str()) {
            ("", "") => ".".into(),
            (label, "") => label.trim_end_matches('/').into(),
            (label, path) => format!("{label}{path}"),
        }
    }

    /// The part of an absolute path below this folder, compared by component.
    #[must_use]
    pub fn strip<'p>(&self, absolute: &'p Path) -> Option<&'p Path> {
        self.spellings.iter().find_map(|folder| absolute.strip_prefix(folder).ok())
    }

    /// What stands at a path; `None` when nothing does. Advisory: use what [`Folder::open_file`] and the other accesses say.
    ///
    /// # Errors
    /// When the file system fails.
    pub fn kind(&self, path: &RelPath) -> Result<Option<Kind>, AccessError> {
        let metadata = match path.as_str() {
            "" => self.dir.dir_metadata(),
            path => self.dir.symlink_metadata(path),
        };
        match metadata {
            Ok(metadata) => Ok(Some(Kind::of(&metadata))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(source) => Err(self.io(path, source)),
        }
    }

    /// Where a link points, as written in it.
    ///
    /// # Errors
    /// When it is none, or the file system fails.
    pub fn link_target(&self, path: &RelPath) -> Result<PathBuf, AccessError> {
        self.dir.read_link_contents(path.as_str()).map_err(|source| self.io(path, source))
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// When it is absent or something else, or a component is a link.
    pub fn open_file(&self, path: &RelPath) -> Result<OpenFile, AccessError> {
        let Some((parent, name)) = path.split_last() else { return Err(AccessError::IsFolder(self.show(path))) };
        open_in(&*self.folder_at(&parent)?, name, &self.show(path))
    }

    /// Reads a regular file whole; `None` when there is nothing at the path.
    ///
    /// # Errors
    /// As [`Folder::open_file`], and when it has more than [`MAX_CHANGED_FILE`] bytes.
    pub fn read(&self, path: &RelPath) -> Result<Option<(Vec<u8>, Stamp, bool)>, AccessError> {
        let file = match self.open_file(path) {
            Ok(file) => file,
            Err(AccessError::NotFound(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        let (stamp, executable) = (file.stamp, file.executable);
        match file.read_all(MAX_CHANGED_FILE) {
            Ok(Some(bytes)) => Ok(Some((bytes, stamp, executable))),
            Ok(None) => Err(AccessError::TooLarge { path: self.show(path), size: stamp.size, limit: MAX_CHANGED_FILE }),
            Err(source) => Err(self.io(path, source)),
        }
    }

    /// Writes a file so that a reader sees the old text or the new one: a temporary file beside it, then a rename.
    /// Missing folders are made.
    ///
    /// # Errors
    /// When the path is a folder, a link or a special file, a component is a link, or the disk is full; then the old
    /// file is untouched.
    pub fn write(&self, path: &RelPath, bytes: &[u8], executable: bool) -> Result<Stamp, AccessError> {
        let Some((parent, name)) = path.split_last() else { return Err(AccessError::IsFolder(self.show(path))) };
        let dir = self.make_folder(&parent)?;
        if let Ok(metadata) = dir.symlink_metadata(name) {
            match Kind::of(&metadata) {
                Kind::File => {}
                Kind::Folder => return Err(AccessError::IsFolder(self.show(path))),
                Kind::Link => return Err(AccessError::Link(self.show(path))),
                Kind::Special => return Err(AccessError::Special(self.show(path))),
            }
        }
        let temporary = format!("{TEMPORARY_PREFIX}{}", Uuid::now_v7().simple());
        let written = create(&dir, &temporary, executable).and_then(|mut file| {
            fill(&mut file, bytes)?;
            dir.rename(&temporary, &dir, name)?;
            // By the handle: a link put at the name meanwhile is not what we describe. After the rename, which counts
            // as a change.
            Metadata::from_file(&file).map(|metadata| Stamp::of(&metadata))
        });
        if written.is_err() {
            let _ = dir.remove_file(&temporary);
        }
        written.map_err(|source| self.io(path, source))
    }

    /// Writes a file that must not exist yet; `false` when it does, which changes nothing.
    ///
    /// # Errors
    /// When the disk is full or the folder cannot be written; a part that was written is removed.
    pub fn create_new(&self, path: &RelPath, bytes: &[u8]) -> Result<bool, AccessError> {
        let Some((parent, name)) = path.split_last() else { return Err(AccessError::IsFolder(self.show(path))) };
        let dir = self.make_folder(&parent)?;
        let mut file = match create(&dir, name, false) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
            Err(source) => return Err(self.io(path, source)),
        };
        fill(&mut file, bytes).map(|()| true).map_err(|source| {
            let _ = dir.remove_file(name);
            self.io(path, source)
        })
    }

    /// Takes the right to write a file from everybody, its owner included.
    ///
    /// # Errors
    /// When it is absent, or the file system fails.
    pub fn protect(&self, path: &RelPath) -> Result<(), AccessError> {
        let file = self.open_file(path)?.file;
        file.set_permissions(Permissions::from_mode(0o444)).map_err(|source| self.io(path, source))
    }

    /// Removes a file; a folder is refused.
    ///
    /// # Errors
    /// When it is absent, a folder, or below a link.
    pub fn remove(&self, path: &RelPath) -> Result<(), AccessError> {
        let Some((parent, name)) = path.split_last() else { return Err(AccessError::IsFolder(self.show(path))) };
        self.folder_at(&parent)?.remove_file(name).map_err(|source| self.io(path, source))
    }

    /// A handle of a folder below this one.
    pub(super) fn folder_at(&self, path: &RelPath) -> Result<Arc<Dir>, AccessError> {
        self.descend(path, |dir, name| dir.open_dir_nofollow(name))
    }

    fn make_folder(&self, path: &RelPath) -> Result<Arc<Dir>, AccessError> {
        self.descend(path, |dir, name| match dir.open_dir_nofollow(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                match dir.create_dir(name) {
                    Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                    Ok(()) | Err(_) => {}
                }
                dir.open_dir_nofollow(name)
            }
            opened => opened,
        })
    }

    fn descend(&self, path: &RelPath, step: impl Fn(&Dir, &str) -> io::Result<Dir>) -> Result<Arc<Dir>, AccessError> {
        let mut dir = self.dir.clone();
        let mut so_far = RelPath::root();
        for name in path.components() {
            // Components of a path are components of its beginnings, so this cannot fail.
            so_far = so_far.child(name).unwrap_or_else(|_| path.clone());
            dir = match step(&dir, name) {
                Ok(next) => Arc::new(next),
                Err(source) => return Err(explain(&dir, name, &self.show(&so_far), source, Kind::Folder)),
            };
        }
        Ok(dir)
    }

    fn io(&self, path: &RelPath, source: io::Error) -> AccessError {
        AccessError::Io { path: self.show(path), source }
    }
}

/// Opens a regular file by its name in a folder that is open already.
pub(super) fn open_in(dir: &Dir, name: &str, shown: &str) -> Result<OpenFile, AccessError> {
    // Looked at before it is opened, since opening a device can do something; and again by the handle, for what was put
    // there meanwhile (`nonblock` keeps a pipe from waiting for its other end).
    match dir.symlink_metadata(name).map(|metadata| Kind::of(&metadata)) {
        Ok(Kind::File) => {}
        Ok(Kind::Folder) => return Err(AccessError::IsFolder(shown.into())),
        Ok(Kind::Link) => return Err(AccessError::Link(shown.into())),
        Ok(Kind::Special) => return Err(AccessError::Special(shown.into())),
        Err(error) if is_absent(&error) => return Err(AccessError::NotFound(shown.into())),
        Err(source) => return Err(AccessError::Io { path: shown.into(), source }),
    }
    let mut options = OpenOptions::new();
    options.read(true).nonblock(true).follow(FollowSymlinks::No);
    let file = dir.open_with(name, &options).map_err(|source| explain(dir, name, shown, source, Kind::File))?;
    let metadata = file.metadata().map_err(|source| AccessError::Io { path: shown.into(), source })?;
    if !metadata.is_file() {
        return Err(AccessError::Special(shown.into()));
    }
    let executable = metadata.permissions().mode() & 0o100 != 0;
    Ok(OpenFile { file, stamp: Stamp::of(&metadata), executable })
}

fn create(dir: &Dir, name: &str, executable: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).follow(FollowSymlinks::No);
    cap_std::fs::OpenOptionsExt::mode(&mut options, if executable { 0o755 } else { 0o644 });
    Ok(dir.open_with(name, &options)?.into_std())
}

fn fill(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    file.sync_data()
}

/// Says why opening a name failed by looking at what stands there.
fn explain(dir: &Dir, name: &str, shown: &str, source: io::Error, wanted: Kind) -> AccessError {
    let shown = shown.to_owned();
    match dir.symlink_metadata(name).map(|metadata| Kind::of(&metadata)) {
        Ok(Kind::Link) => AccessError::Link(shown),
        Ok(Kind::File | Kind::Special) if wanted == Kind::Folder => AccessError::NotFolder(shown),
        Ok(Kind::Special) => AccessError::Special(shown),
        Err(error) if is_absent(&error) => AccessError::NotFound(shown),
        Ok(Kind::File | Kind::Folder) | Err(_) => AccessError::Io { path: shown, source },
    }
}

/// Nothing there, or a file where a folder would have to be.
fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
