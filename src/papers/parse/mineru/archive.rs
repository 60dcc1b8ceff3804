//! The zip that a service sends, read in memory.
//!
//! Nothing is written anywhere and no name becomes a path: of the archive the content list, the sizes of the pages and the
//! images are taken, each within a limit that counts what comes out, not what the archive says of itself.

use bytes::Bytes;
use serde::Deserialize;
use std::io::{Cursor, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// Entries of an archive at most.
const MOST_ENTRIES: usize = 20_000;
/// Bytes of a list or of one image at most, unpacked; less in tests, where a bomb has to be made first.
const LARGEST_ENTRY: u64 = if cfg!(test) { 1 << 20 } else { 64 << 20 };
/// Bytes of everything that is taken, unpacked.
const LARGEST: u64 = 512 << 20;

/// Why an archive is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// It is none, or is damaged.
    #[error("MinerU's result is no zip archive that can be read: {0}. Start the job again.")]
    Damaged(String),
    /// It has too many entries, or too much in them.
    #[error("MinerU's result was given up: it unpacks to more than a paper has ({0}).")]
    TooLarge(String),
    /// A name leads out of the archive.
    #[error("MinerU's result was refused: it holds a file with an unsafe name.")]
    UnsafeName,
    /// There is no content list.
    #[error("MinerU's result has no content list. A server of your own has to be of version 3 or later.")]
    NoContentList,
}

/// What is taken out of an archive.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Extract {
    /// The content list; the flat form where there are both, which keeps the lines of code.
    pub content_list: String,
    /// Width and height of the pages in points; empty when the archive does not say.
    pub sizes: Vec<[f32; 2]>,
    /// The images by the name that the list gives them: `images/ab12.jpg`.
    pub images: Vec<(String, Bytes)>,
}

/// Reads an archive.
///
/// # Errors
/// When it is damaged, too large, has unsafe names or no content list.
pub fn unpack(zip: &[u8]) -> Result<Extract, ArchiveError> {
    let mut archive = ZipArchive::new(Cursor::new(zip)).map_err(damaged)?;
    if archive.len() > MOST_ENTRIES {
        return Err(ArchiveError::TooLarge(format!("{} files", archive.len())));
    }
    let mut left = LARGEST;
    let (mut flat, mut paged, mut layout) = (None, None, None);
    let mut images = Vec::new();
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).map_err(damaged)?;
        let name = entry.name().map_err(damaged)?.into_owned();
        if !is_safe(&name) || entry.is_symlink() {
            return Err(ArchiveError::UnsafeName);
        }
        if !entry.is_file() {
            continue;
        }
        let file = name.rsplit('/').next().unwrap_or_default();
        let wanted = if file.ends_with("content_list.json") {
            &mut flat
        } else if file.ends_with("content_list_v2.json") {
            &mut paged
        } else if file == "layout.json" || file.ends_with("_middle.json") {
            &mut layout
        } else if let Some(image) = image_name(&name) {
            let bytes = take(&mut entry, &mut left)?;
            if is_image(&bytes) {
                images.push((image, Bytes::from(bytes)));
            }
            continue;
        } else {
            // The PDF itself, the Markdown, drawings of the layout: not even unpacked.
            continue;
        };
        if wanted.is_none() {
            *wanted = Some(take(&mut entry, &mut left)?);
        }
    }
    let list = flat.or(paged).ok_or(ArchiveError::NoContentList)?;
    let content_list = String::from_utf8(list).map_err(|_| ArchiveError::Damaged("its text is no UTF-8".to_owned()))?;
    Ok(Extract { content_list, sizes: layout.map(|layout| sizes(&layout)).unwrap_or_default(), images })
}

fn damaged(error: ZipError) -> ArchiveError {
    ArchiveError::Damaged(error.to_string())
}

/// Unpacks an entry, within the limits.
fn take(entry: &mut impl Read, left: &mut u64) -> Result<Vec<u8>, ArchiveError> {
    let limit = LARGEST_ENTRY.min(*left);
    let mut bytes = Vec::new();
    let read = entry.take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| ArchiveError::Damaged(error.to_string()))?;
    let size = bytes.len() as u64;
    if size > limit {
        return Err(ArchiveError::TooLarge(format!("more than {limit} bytes")));
    }
    *left -= size;
    Ok(bytes)
}

/// Whether a name stays inside the archive wherever it is unpacked.
fn is_safe(name: &str) -> bool {
    let drive = name.as_bytes().get(1) == Some(&b':');
    !name.is_empty()
        && !name.starts_with('/')
        && !drive
        && !name.contains(['\\', '\0'])
        && name.split('/').all(|part| part != ".." && part != ".")
}

/// The name of an image as the content list has it.
fn image_name(name: &str) -> Option<String> {
    let (folder, file) = name.rsplit_once('/')?;
    let ending = file.rsplit_once('.')?.1.to_ascii_lowercase();
    let plain = file.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    let known = matches!(ending.as_str(), "jpg" | "jpeg" | "png" | "gif" | "webp");
    ((folder == "images" || folder.ends_with("/images")) && plain && known).then(|| format!("images/{file}"))
}

/// Whether bytes are an image by their beginning: nothing else is handed on under an image's name.
fn is_image(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xd8\xff")
        || bytes.starts_with(b"\x89PNG\r\n\x1a\n")
        || bytes.starts_with(b"GIF8")
        || (bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"))
}

/// The sizes of the pages; none when the file is of another shape.
fn sizes(layout: &[u8]) -> Vec<[f32; 2]> {
    #[derive(Deserialize)]
    struct Layout {
        pdf_info: Vec<Page>,
    }
    #[derive(Deserialize)]
    struct Page {
        page_size: [f32; 2],
    }
    let layout: Result<Layout, _> = serde_json::from_slice(layout);
    let is_size = |page: &Page| page.page_size.iter().all(|side| (1.0..=20_000.0).contains(side));
    match layout {
        Ok(layout) if layout.pdf_info.iter().all(is_size) => {
            layout.pdf_info.into_iter().map(|page| page.page_size).collect()
        }
        Ok(_) | Err(_) => Vec::new(),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use rstest::rstest;
    use std::io::Write;
    use zip::write::SimpleFileOptions;

    pub const JPEG: &[u8] = b"\xff\xd8\xff\xe0 and so on";

    /// A zip of these files.
    pub fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
            writer.start_file(*name, options).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn the_list_the_sizes_and_the_images_are_taken() {
        let read = unpack(&zip(&[
            ("paper/paper_content_list.json", b"[1]"),
            ("paper/content_list_v2.json", b"[2]"),
            (
                "paper/paper_middle.json",
                br#"{"pdf_info": [{"page_size": [612, 792], "para_blocks": []}], "_backend": "x"}"#,
            ),
            ("paper/images/a1.jpg", JPEG),
            ("paper/images/script.jpg", b"<script>"),
            ("paper/images/x.svg", b"<svg/>"),
            ("paper/paper_origin.pdf", b"%PDF"),
        ]))
        .unwrap();
        assert_eq!(read.content_list, "[1]");
        assert_eq!(read.sizes, [[612.0, 792.0]]);
        assert_eq!(read.images, [("images/a1.jpg".to_owned(), Bytes::from_static(JPEG))]);
    }

    #[rstest]
    #[case("../evil_content_list.json")]
    #[case("images/../../evil.jpg")]
    #[case("/etc/passwd")]
    #[case("C:/evil.jpg")]
    #[case("images\\evil.jpg")]
    fn unsafe_names_are_refused(#[case] name: &str) {
        let refused = unpack(&zip(&[("a_content_list.json", b"[]"), (name, b"x")]));
        assert_eq!(refused, Err(ArchiveError::UnsafeName));
    }

    #[test]
    fn a_bomb_is_given_up() {
        let zeros = vec![b' '; usize::try_from(LARGEST_ENTRY).unwrap() + 1];
        let bomb = zip(&[("a_content_list.json", &zeros)]);
        assert!(bomb.len() < 1 << 20);
        assert!(matches!(unpack(&bomb), Err(ArchiveError::TooLarge(_))));
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        assert!(matches!(unpack(b"<html>"), Err(ArchiveError::Damaged(_))));
        let whole = zip(&[("a_content_list.json", b"[]")]);
        assert!(matches!(unpack(&whole[..whole.len() / 2]), Err(ArchiveError::Damaged(_))));
        assert_eq!(unpack(&zip(&[("full.md", b"# x")])), Err(ArchiveError::NoContentList));
        assert!(matches!(unpack(&zip(&[("content_list.json", b"\xff\xfe")])), Err(ArchiveError::Damaged(_))));
    }
}
