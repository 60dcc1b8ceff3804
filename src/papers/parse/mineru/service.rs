//! What the two services have in common.

use super::MineruError;
use crate::store::mineru_jobs::MineruService;
use async_trait::async_trait;
use bytes::Bytes;

/// A file to read.
#[derive(Clone)]
pub struct Upload {
    /// What the service may call it; no path.
    pub name: String,
    /// The PDF.
    pub bytes: Bytes,
}

/// Pages of a file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pages {
    /// The first.
    pub first: u32,
    /// The last; to the end of the file when absent.
    pub last: Option<u32>,
}

impl Pages {
    /// The whole file.
    pub const ALL: Self = Self { first: 1, last: None };

    /// Cuts a file into parts of at most `most` pages. One whose length is not known stays whole.
    #[must_use]
    pub fn parts(pages: Option<u32>, most: Option<u32>) -> Vec<Self> {
        match (pages, most) {
            (Some(pages), Some(most)) if most > 0 && pages > most => (0..pages.div_ceil(most))
                .map(|part| Self { first: part * most + 1, last: Some(pages.min((part + 1) * most)) })
                .collect(),
            _ => vec![Self::ALL],
        }
    }

    /// Whether this is the whole file.
    #[must_use]
    pub fn is_all(self) -> bool {
        self == Self::ALL
    }
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Its turn has not come.
    Waiting,
    /// It runs.
    Running {
        /// Pages that are done, where the service says so.
        done: Option<u32>,
        /// Pages in all, where the service says so.
        total: Option<u32>,
    },
    /// The result can be fetched.
    Ready,
}

/// A MinerU server. Neither protocol can stop a task: to cancel is to ask no more.
#[async_trait]
pub trait Service: Send + Sync {
    /// Which of the two it is.
    fn kind(&self) -> MineruService;

    /// Pages of one task at most.
    fn most_pages(&self) -> Option<u32>;

    /// Whether tasks are lost when the server is started anew, so that one that is unknown is worth a second submission.
    fn forgets(&self) -> bool;

    /// Sends a file and answers the id of its task.
    async fn submit(&self, file: &Upload, pages: Pages) -> Result<String, MineruError>;

    /// Asks how far a task is. A task that failed is an error.
    async fn poll(&self, task: &str) -> Result<Progress, MineruError>;

    /// Fetches the result of a task that is ready: a zip.
    async fn fetch(&self, task: &str) -> Result<Bytes, MineruError>;
}

/// Whether an id can stand in an address: it comes from the service, and from a row.
pub(super) fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= 128 && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(None, Some(200), &[(1, None)])]
    #[case(Some(200), Some(200), &[(1, None)])]
    #[case(Some(201), Some(200), &[(1, Some(200)), (201, Some(201))])]
    #[case(Some(600), Some(200), &[(1, Some(200)), (201, Some(400)), (401, Some(600))])]
    #[case(Some(5000), None, &[(1, None)])]
    #[case(Some(0), Some(200), &[(1, None)])]
    fn files_are_cut(#[case] pages: Option<u32>, #[case] most: Option<u32>, #[case] expected: &[(u32, Option<u32>)]) {
        let parts: Vec<_> = Pages::parts(pages, most).into_iter().map(|part| (part.first, part.last)).collect();
        assert_eq!(parts, expected);
    }
}
