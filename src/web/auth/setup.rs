//! The set-up link of the first start: whoever reads the console makes the first administrator.

use super::token;
use parking_lot::Mutex;
use subtle::ConstantTimeEq;

/// The token while it is good; gone once the first user exists.
#[derive(Default)]
pub struct SetupToken(Mutex<Option<String>>);

impl SetupToken {
    /// Makes a token for a start without a user.
    ///
    /// # Errors
    /// When the system has no randomness to give.
    pub fn create(&self) -> anyhow::Result<String> {
        let token = token::generate()?;
        *self.0.lock() = Some(token.clone());
        Ok(token)
    }

    /// Whether this is the token.
    #[must_use]
    pub fn matches(&self, offered: &str) -> bool {
        self.0.lock().as_ref().is_some_and(|token| bool::from(token.as_bytes().ct_eq(offered.as_bytes())))
    }

    /// Whether a set-up is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.0.lock().is_some()
    }

    /// Ends the set-up.
    pub fn close(&self) {
        *self.0.lock() = None;
    }
}
