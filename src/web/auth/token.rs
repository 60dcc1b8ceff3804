//! Session tokens: 256 random bits in the cookie, their SHA-256 in the database.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::TryRng;
use sha2::{Digest, Sha256};

/// A fresh token.
///
/// # Errors
/// When the system has no randomness to give.
pub fn generate() -> anyhow::Result<String> {
    let mut bytes = [0_u8; 32];
    rand::rngs::SysRng.try_fill_bytes(&mut bytes)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// What is stored of a token.
#[must_use]
pub fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}
