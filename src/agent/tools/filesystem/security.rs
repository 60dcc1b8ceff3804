//! Where a path that the model wrote leads: the one place of the rules.
//!
//! A path is relative to the workspace, or begins with `library/` or `skills/`, or is absolute inside one of these
//! folders. [`Roots::locate`] turns it into a [`Place`]: one folder and a path below it that was free of symbolic links
//! when it was looked at. A link is resolved here by reading it, never by following it, so that nothing outside is even
//! looked at, and one that leads out of its folder is refused.
//!
//! That look decides what a path *means*. What protects is the use: [`Folder`] opens every component by handle and
//! follows no link, so a link put in place after the look makes the access fail.

use crate::ids::UserId;
use crate::workspace::folder::{Folder, Kind, OpenFile};
use crate::workspace::path::{PathError, RelPath};
use crate::workspace::{AccessError, OTHER_ROOTS, TOOL_RESULTS, Workspace, WorkspaceError, Workspaces};
use std::collections::VecDeque;
use std::path::{Component, Path};
use std::sync::Arc;

/// Links followed for one path, as Linux does.
const MAX_LINKS: usize = 40;

/// Why a path is refused; the text is for the model.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The text breaks a rule.
    #[error("`{asked}`: {source}")]
    Path {
        /// What was asked for.
        asked: String,
        /// The rule.
        source: PathError,
    },
    /// Outside of all roots, or through a link that leads there.
    #[error(
        "`{0}` is outside of what you can reach: the workspace (plain relative paths), `library/...` and `skills/...`."
    )]
    Outside(String),
    /// A link that leads out of its folder.
    #[error("`{0}` leads through a symbolic link out of its folder, so it is not used.")]
    LinkOutside(String),
    /// Links that go round.
    #[error("`{0}` leads through too many symbolic links.")]
    LinkLoop(String),
    /// A write through a link.
    #[error("`{0}` leads through a symbolic link, and nothing is written through links. Name the file itself.")]
    LinkWritten(String),
    /// A write outside of the workspace.
    #[error("`{path}` cannot be written: {reason}")]
    ReadOnly {
        /// What was asked for.
        path: String,
        /// Why, and what to do instead.
        reason: &'static str,
    },
    /// The folder or the file could not be used.
    #[error(transparent)]
    Access(#[from] AccessError),
    /// The user's folders could not be opened.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// Why the library is not written.
pub(super) const LIBRARY_IS_READ_ONLY: &str =
    "the library is read only. Write to the workspace (a plain relative path) instead.";
/// Why skills are not written.
pub(super) const SKILLS_ARE_READ_ONLY: &str = "a skill is changed only with the user's consent, which cannot be asked for here. Propose the text to the user instead.";

/// Which of the folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// The user's workspace.
    Workspace,
    /// The skills.
    Skills,
    /// The library, without tool results.
    Library,
    /// The user's own long tool results.
    ToolResults,
}

/// A path below one of the folders.
#[derive(Debug, Clone)]
pub struct Place {
    /// Which folder.
    pub root: Root,
    /// The folder.
    pub folder: Folder,
    /// The path in it, links resolved.
    pub path: RelPath,
    /// Whether a link was resolved.
    pub through_link: bool,
}

impl Place {
    /// How it is named to the model; equal places have equal names.
    #[must_use]
    pub fn shown(&self) -> String {
        self.folder.show(&self.path)
    }

    /// Opens the regular file at this place.
    ///
    /// # Errors
    /// When there is none.
    pub fn open(&self) -> Result<OpenFile, AccessError> {
        self.folder.open_file(&self.path)
    }
}

/// What one user's agent can reach.
pub struct Roots {
    workspace: Arc<Workspace>,
    skills: Folder,
    library: Folder,
    /// Absent when it cannot be made, which keeps nobody from the other folders.
    tool_results: Option<Folder>,
}

impl Roots {
    /// The folders of a user.
    ///
    /// # Errors
    /// When one cannot be made or opened.
    pub fn of(workspaces: &Workspaces, user: UserId) -> Result<Self, WorkspaceError> {
        Ok(Self {
            workspace: workspaces.for_user(user)?,
            skills: workspaces.skills().clone(),
            library: workspaces.library().clone(),
            tool_results: workspaces.tool_results(user).ok(),
        })
    }

    /// The workspace.
    #[must_use]
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Where a path leads, for reading.
    ///
    /// # Errors
    /// When it breaks a rule or leads out of the roots. A file that does not exist is no error here.
    pub fn locate(&self, asked: &str) -> Result<Place, Refusal> {
        let (root, path) = self.root_of(asked)?;
        let folder = self.folder(root).ok_or_else(|| AccessError::NotFound(shorten(asked)))?.clone();
        let (path, through_link) = resolve(&folder, path, asked)?;
        // Again after links: one inside the library could lead to other users' results.
        check_top(root, &path, asked)?;
        Ok(Place { root, folder, path, through_link })
    }

    /// Where a path leads, for writing: a path of the workspace without a link in it.
    ///
    /// # Errors
    /// As [`Roots::locate`], and when it is not to be written.
    pub fn locate_for_writing(&self, asked: &str) -> Result<Place, Refusal> {
        let place = self.locate(asked)?;
        let read_only = |reason| Err(Refusal::ReadOnly { path: place.shown(), reason });
        match place.root {
            Root::Workspace => {}
            Root::Library | Root::ToolResults => return read_only(LIBRARY_IS_READ_ONLY),
            Root::Skills => return read_only(SKILLS_ARE_READ_ONLY),
        }
        if place.through_link {
            return Err(Refusal::LinkWritten(shorten(asked)));
        }
        if place.path.is_root() || asked.ends_with('/') {
            return Err(AccessError::IsFolder(shorten(asked)).into());
        }
        Ok(place)
    }

    /// The folders that a search below a place has to visit: the place, and the user's own results below the library.
    #[must_use]
    pub fn searched(&self, place: Place) -> Vec<Place> {
        let whole_library = place.root == Root::Library && place.path.is_root();
        let own_results = self.tool_results.iter().filter(|_| whole_library).map(|folder| Place {
            root: Root::ToolResults,
            folder: folder.clone(),
            path: RelPath::root(),
            through_link: false,
        });
        std::iter::once(place).chain(own_results).collect()
    }

    fn folder(&self, root: Root) -> Option<&Folder> {
        match root {
            Root::Workspace => Some(self.workspace.folder()),
            Root::Skills => Some(&self.skills),
            Root::Library => Some(&self.library),
            Root::ToolResults => self.tool_results.as_ref(),
        }
    }

    fn root_of(&self, asked: &str) -> Result<(Root, RelPath), Refusal> {
        let path = RelPath::parse(asked).map_err(|source| Refusal::Path { asked: shorten(asked), source })?;
        if !asked.starts_with('/') {
            let (root, named_by) = match (path.first(), path.components().nth(1)) {
                (Some("library"), Some(TOOL_RESULTS)) => (Root::ToolResults, 2),
                (Some("library"), _) => (Root::Library, 1),
                (Some("skills"), _) => (Root::Skills, 1),
                (Some(_) | None, _) => (Root::Workspace, 0),
            };
            return Ok((root, path.skip(named_by)));
        }
        let absolute = Path::new("/").join(path.as_str());
        // The results stand before the library that contains them.
        for root in [Root::Workspace, Root::Skills, Root::ToolResults, Root::Library] {
            let Some(below) = self.folder(root).and_then(|folder| folder.strip(&absolute)) else { continue };
            let below =
                RelPath::parse(if below.as_os_str().is_empty() { "." } else { below.to_str().unwrap_or_default() })
                    .map_err(|source| Refusal::Path { asked: shorten(asked), source })?;
            check_top(root, &below, asked)?;
            return Ok((root, below));
        }
        Err(Refusal::Outside(shorten(asked)))
    }
}

/// Whether a search below a root enters a folder.
#[must_use]
pub fn is_entered(root: Root, path: &RelPath) -> bool {
    check_top(root, path, "").is_ok()
}

/// Names at a root's top that are not reached through it.
fn check_top(root: Root, path: &RelPath, asked: &str) -> Result<(), Refusal> {
    match (root, path.first()) {
        (Root::Workspace, Some(name)) if OTHER_ROOTS.contains(&name) => {
            Err(WorkspaceError::Reserved(name.to_owned()).into())
        }
        (Root::Library, Some(TOOL_RESULTS)) => Err(Refusal::Outside(shorten(asked))),
        (Root::Workspace | Root::Skills | Root::Library | Root::ToolResults, Some(_) | None) => Ok(()),
    }
}

/// Resolves links by reading them: the path without any, and whether there was one. What does not exist is kept as it is
/// written.
fn resolve(folder: &Folder, path: RelPath, asked: &str) -> Result<(RelPath, bool), Refusal> {
    let mut resolved = RelPath::root();
    let mut left = path.components().map(str::to_owned).collect::<VecDeque<_>>();
    let mut links = 0;
    while let Some(name) = left.pop_front() {
        if name == ".." {
            // Only a link's target has these; `resolved` has no link in it, so its parent is the real one.
            let parent = resolved.split_last().ok_or_else(|| Refusal::LinkOutside(shorten(asked)))?;
            resolved = parent.0;
            continue;
        }
        let next = resolved.child(&name).map_err(|source| Refusal::Path { asked: shorten(asked), source })?;
        if folder.kind(&next)? != Some(Kind::Link) {
            resolved = next;
            continue;
        }
        links += 1;
        if links > MAX_LINKS {
            return Err(Refusal::LinkLoop(shorten(asked)));
        }
        let target = folder.link_target(&next)?;
        let below = match target.is_absolute() {
            true => {
                resolved = RelPath::root();
                folder.strip(&target).ok_or_else(|| Refusal::LinkOutside(shorten(asked)))?
            }
            false => target.as_path(),
        };
        for component in below.components().rev() {
            match component {
                Component::Normal(name) => match name.to_str() {
                    Some(name) => left.push_front(name.to_owned()),
                    None => return Err(Refusal::LinkOutside(shorten(asked))),
                },
                Component::ParentDir => left.push_front("..".into()),
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return Err(Refusal::LinkOutside(shorten(asked))),
            }
        }
    }
    Ok((resolved, links > 0))
}

/// A path for a message: control characters visible, and not longer than a line or two.
fn shorten(asked: &str) -> String {
    let mut text = asked.chars().take(200).flat_map(char::escape_debug).collect::<String>();
    if asked.chars().nth(200).is_some() {
        text.push('…');
    }
    text
}
