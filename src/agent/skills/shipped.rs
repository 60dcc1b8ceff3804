//! The skills that come with the product: compiled in, and unpacked for the file tools.

use super::{SHIPPED, SKILL_FILE, Skill, SkillSource};
use crate::workspace::AccessError;
use crate::workspace::folder::Folder;
use crate::workspace::path::RelPath;

/// Name and text of each; the texts are the files of the source tree's `skills/`.
pub(super) const TEXTS: [(&str, &str); 5] = [
    ("bibtex-check", include_str!("../../../skills/bibtex-check/SKILL.md")),
    ("close-reading", include_str!("../../../skills/close-reading/SKILL.md")),
    ("compare-measurements", include_str!("../../../skills/compare-measurements/SKILL.md")),
    ("literature-review", include_str!("../../../skills/literature-review/SKILL.md")),
    ("target-dossier", include_str!("../../../skills/target-dossier/SKILL.md")),
];

/// The shipped skills.
pub(super) fn skills() -> impl Iterator<Item = Skill> {
    TEXTS.iter().map(|(name, text)| {
        Skill::read(name, SkillSource::Shipped, format!("skills/{SHIPPED}/{name}"), text.as_bytes())
    })
}

/// Writes them into the folder of skills, read only, where they are not there as they are.
///
/// # Errors
/// When the folder cannot be written, or something else stands in the way.
pub(super) fn unpack(folder: &Folder) -> Result<(), AccessError> {
    for (name, text) in TEXTS {
        // The names are ours and have nothing that a path refuses.
        let Ok(path) = RelPath::parse(&format!("{SHIPPED}/{name}/{SKILL_FILE}")) else { continue };
        let present = folder.read(&path)?;
        if present.is_none_or(|(bytes, _, _)| bytes != text.as_bytes()) {
            folder.write(&path, text.as_bytes(), false)?;
            folder.protect(&path)?;
        }
    }
    Ok(())
}
