//! The folder in which the files of jobs stand: `mineru/<SHA-256>.pdf`, and its images in `mineru/<SHA-256>/images`.

use super::Bundle;
use super::jobs::Shelf;
use crate::store::mineru_jobs::MineruJob;
use async_trait::async_trait;
use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// A folder of the data folder.
#[derive(Debug, Clone)]
pub struct FolderShelf {
    folder: PathBuf,
}

impl FolderShelf {
    /// In this data folder.
    #[must_use]
    pub fn new(data_dir: &Path) -> Self {
        Self { folder: data_dir.join("mineru") }
    }

    /// Puts a PDF there; answers its name on the shelf and its SHA-256.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub async fn put(&self, bytes: Vec<u8>) -> std::io::Result<(String, String)> {
        let sha256 = hex::encode(Sha256::digest(&bytes));
        let name = format!("{sha256}.pdf");
        let (path, half) = (self.folder.join(&name), self.folder.join(format!("{name}.half")));
        tokio::fs::create_dir_all(&self.folder).await?;
        // A file under its name is a whole one, whatever happens in between.
        tokio::fs::write(&half, bytes).await?;
        tokio::fs::rename(&half, &path).await?;
        Ok((name, sha256))
    }

    /// Writes the content lists of a job beside its PDF, for the parser; answers where.
    ///
    /// # Errors
    /// When they cannot be written.
    pub async fn put_lists(&self, sha256: &str, bundle: &Bundle) -> std::io::Result<PathBuf> {
        let path = self.folder.join(format!("{sha256}.json"));
        tokio::fs::create_dir_all(&self.folder).await?;
        tokio::fs::write(&path, serde_json::to_vec(bundle)?).await?;
        Ok(path)
    }

    /// Where the images of a file are.
    #[must_use]
    pub fn images(&self, sha256: &str) -> PathBuf {
        self.folder.join(sha256).join("images")
    }
}

#[async_trait]
impl Shelf for FolderShelf {
    async fn pdf(&self, job: &MineruJob) -> Result<Bytes, String> {
        let path = self.folder.join(format!("{}.pdf", job.sha256));
        tokio::fs::read(&path)
            .await
            .map(Bytes::from)
            .map_err(|error| format!("The file of the job cannot be read: {error}."))
    }

    async fn keep_image(&self, job: &MineruJob, name: &str, bytes: Bytes) -> Result<(), String> {
        // Names come from an archive: only the last part counts, and only as a plain name.
        let plain = name.rsplit('/').next().unwrap_or_default();
        let fits =
            plain.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')) && !plain.starts_with('.');
        if plain.is_empty() || !fits {
            return Err(format!("An image of the result has a name that is none: {plain:?}."));
        }
        let folder = self.images(&job.sha256);
        let write = async {
            tokio::fs::create_dir_all(&folder).await?;
            tokio::fs::write(folder.join(plain), bytes).await
        };
        write.await.map_err(|error| format!("An image of the result cannot be written: {error}."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::MineruJobId;
    use crate::store::mineru_jobs::{MineruService, MineruState};
    use crate::time::Timestamp;

    #[tokio::test]
    async fn files_and_images_stay_in_their_folder() {
        let data = tempfile::tempdir().unwrap();
        let shelf = FolderShelf::new(data.path());
        let (file, sha256) = shelf.put(b"%PDF".to_vec()).await.unwrap();
        let now = Timestamp::now();
        let job = MineruJob {
            id: MineruJobId::new(),
            paper_id: None,
            service: MineruService::Hosted,
            file,
            sha256: sha256.clone(),
            pages: None,
            state: MineruState::Running,
            deadline: now,
            error: None,
            created_at: now,
            updated_at: now,
        };
        assert_eq!(shelf.pdf(&job).await.unwrap().as_ref(), b"%PDF");
        shelf.keep_image(&job, "images/ab12.jpg", Bytes::from_static(b"jpg")).await.unwrap();
        assert!(shelf.images(&sha256).join("ab12.jpg").is_file());
        for wrong in ["", "images/", "images/..", "a/b c.jpg", "images/.hidden", "x\\..\\y"] {
            assert!(shelf.keep_image(&job, wrong, Bytes::new()).await.is_err(), "{wrong}");
        }
    }
}
