//! Logins: the cookie, the user behind it.

pub mod password;
pub mod setup;
pub mod throttle;
pub mod token;

use crate::app::AppState;
use crate::error::AppError;
use crate::ids::UserId;
use crate::store::accounts::{Login, UserRole};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum_extra::extract::CookieJar;
use std::time::Duration;

/// Name of the cookie.
pub const COOKIE: &str = "almagest_session";
/// How long a login lasts.
pub const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

/// The user who sent the request. As an argument of a handler it makes the route private.
#[derive(Debug, Clone)]
pub struct CurrentUser {
    /// Their login.
    pub login: Login,
    /// SHA-256 of the cookie.
    pub token_hash: [u8; 32],
}

impl CurrentUser {
    /// Their id.
    #[must_use]
    pub fn id(&self) -> UserId {
        self.login.user_id
    }

    /// Refuses everyone but an admin.
    ///
    /// # Errors
    /// [`AppError::Forbidden`].
    pub fn require_admin(&self) -> Result<(), AppError> {
        match self.login.role {
            UserRole::Admin => Ok(()),
            UserRole::User => Err(AppError::Forbidden("Only an administrator may do this.".into())),
        }
    }
}

impl FromRequestParts<AppState> for CurrentUser {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, AppError> {
        let jar = CookieJar::from_headers(&parts.headers);
        let cookie = jar.get(COOKIE).ok_or(AppError::Unauthenticated)?;
        let token_hash = token::hash(cookie.value());
        let login = state.services.store.login(token_hash).await?.ok_or(AppError::Unauthenticated)?;
        Ok(Self { login, token_hash })
    }
}

/// `Set-Cookie` with a token (RFC 6265): for scripts of no page, for requests of no other site.
#[must_use]
pub fn cookie(token: &str, secure: bool) -> String {
    set_cookie(token, LIFETIME, secure)
}

/// `Set-Cookie` that clears it.
#[must_use]
pub fn clear_cookie(secure: bool) -> String {
    set_cookie("", Duration::ZERO, secure)
}

fn set_cookie(value: &str, lifetime: Duration, secure: bool) -> String {
    let secure = if secure { "; Secure" } else { "" };
    format!("{COOKIE}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={}{secure}", lifetime.as_secs())
}
