//! Passwords: argon2id, on the blocking pool since one hash takes tens of milliseconds and 19 MiB.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use std::sync::OnceLock;

/// Shortest password that is accepted.
pub const SHORTEST: usize = 8;
/// Longest, so that nobody makes the server hash megabytes.
pub const LONGEST: usize = 1024;

/// Why a password or a user name is not accepted.
///
/// # Errors
/// A sentence for the user.
pub fn check(username: &str, password: &str) -> Result<(), String> {
    let name_fits = (1..=64).contains(&username.chars().count());
    if !name_fits || !username.chars().all(|c| c.is_alphanumeric() || "._-@".contains(c)) {
        return Err("A user name has 1 to 64 letters, digits, or . _ - @.".into());
    }
    if password.chars().count() < SHORTEST {
        return Err(format!("A password has at least {SHORTEST} characters."));
    }
    if password.len() > LONGEST {
        return Err(format!("A password has at most {LONGEST} bytes."));
    }
    Ok(())
}

/// Hashes a password (PHC string).
///
/// # Errors
/// When the system has no randomness or memory to give.
pub async fn hash(password: String) -> anyhow::Result<String> {
    tokio::task::spawn_blocking(move || hash_now(&password)).await?
}

fn hash_now(password: &str) -> anyhow::Result<String> {
    Ok(Argon2::default().hash_password(password.as_bytes())?.to_string())
}

/// Whether the password belongs to the hash. Without a hash (no such user) the same work is done and the answer is no,
/// so that the time does not tell which names exist.
///
/// # Errors
/// When the blocking pool is gone.
pub async fn verify(password: String, stored: Option<String>) -> anyhow::Result<bool> {
    static DUMMY: OnceLock<String> = OnceLock::new();
    tokio::task::spawn_blocking(move || {
        let known = stored.is_some();
        let dummy = || DUMMY.get_or_init(|| hash_now("nobody has this password").unwrap_or_default()).clone();
        let text = stored.unwrap_or_else(dummy);
        let matches = PasswordHash::new(&text)
            .is_ok_and(|parsed| Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok());
        Ok(matches && known)
    })
    .await?
}
