//! Log in, log out, who am I, the first user.

use crate::app::AppState;
use crate::error::{AppError, AppResult, Problem};
use crate::ids::UserId;
use crate::store::accounts::{Admission, User, UserRole};
use crate::time::Timestamp;
use crate::web::auth::{self, CurrentUser, password, token};
use crate::web::extract::Json;
use crate::web::guard;
use axum::extract::{ConnectInfo, FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use utoipa::ToSchema;

/// Name and password.
#[derive(Deserialize, ToSchema)]
pub struct Credentials {
    username: String,
    password: String,
}

/// The first user, with the token of the set-up link.
#[derive(Deserialize, ToSchema)]
pub struct Setup {
    token: String,
    username: String,
    password: String,
}

/// Who is logged in, and until when.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct LoggedIn {
    /// Their name.
    pub username: String,
    /// What they may do.
    pub role: UserRole,
    /// When the login ends.
    pub expires_at: Timestamp,
}

/// Where a request comes from, as far as it matters to logins.
pub struct Caller {
    address: IpAddr,
    secure: bool,
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = AppError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> AppResult<Self> {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let config = &state.services.config;
        Ok(Self {
            address: guard::client_address(config, peer, &parts.headers),
            secure: guard::is_tls(config, peer, &parts.headers),
        })
    }
}

/// Logs in: sets the session cookie.
#[utoipa::path(post, path = "/api/auth/login", tag = "open", request_body = Credentials, responses(
    (status = 200, body = LoggedIn), (status = 401, body = Problem), (status = 429, body = Problem)))]
pub async fn login(
    State(state): State<AppState>,
    caller: Caller,
    Json(credentials): Json<Credentials>,
) -> AppResult<Response> {
    let Credentials { username, password } = credentials;
    state.throttle.begin(caller.address, &username).map_err(AppError::TooManyRequests)?;
    if password.len() > password::LONGEST {
        return Err(AppError::InvalidCredentials);
    }
    let user = state.services.store.user_by_name(&username).await?;
    let stored = user.as_ref().map(|user| user.password_hash.clone());
    let matches = password::verify(password, stored).await?;
    let Some(user) = user.filter(|_| matches) else { return Err(AppError::InvalidCredentials) };
    state.throttle.succeeded(caller.address, &username);
    open_login(&state, user, caller.secure).await
}

/// Logs out: deletes the session and clears the cookie.
#[utoipa::path(post, path = "/api/auth/logout", tag = "open", responses((status = 204)))]
pub async fn logout(
    State(state): State<AppState>,
    caller: Caller,
    user: Result<CurrentUser, AppError>,
) -> AppResult<Response> {
    // Without a login there is nothing to end, which is what was wanted.
    if let Ok(user) = user {
        state.services.store.end_login(user.token_hash).await?;
    }
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, auth::clear_cookie(caller.secure))]).into_response())
}

/// Who is logged in.
#[utoipa::path(get, path = "/api/auth/verify", tag = "open", responses((status = 200, body = LoggedIn), (status = 401, body = Problem)))]
pub async fn verify(user: CurrentUser) -> axum::Json<LoggedIn> {
    let login = user.login;
    axum::Json(LoggedIn { username: login.username, role: login.role, expires_at: login.expires_at })
}

/// Makes the first administrator, with the token that the console shows, and logs them in.
#[utoipa::path(post, path = "/api/auth/setup", tag = "open", request_body = Setup, responses(
    (status = 200, body = LoggedIn), (status = 403, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem),
    (status = 429, body = Problem)))]
pub async fn setup(State(state): State<AppState>, caller: Caller, Json(setup): Json<Setup>) -> AppResult<Response> {
    // The throttle keeps the token from being guessed; it shares the table with logins under a name nobody can have.
    state.throttle.begin(caller.address, "/setup").map_err(AppError::TooManyRequests)?;
    if !state.setup.matches(&setup.token) {
        return Err(AppError::Forbidden(
            "This set-up link is not valid (any more). The server prints a new one when it starts without a user."
                .into(),
        ));
    }
    password::check(&setup.username, &setup.password).map_err(|why| AppError::field("/username", why))?;
    let user = User {
        id: UserId::new(),
        username: setup.username,
        password_hash: password::hash(setup.password).await?,
        role: UserRole::Admin,
        created_at: Timestamp::now(),
    };
    state.services.store.add_user(user.clone(), Admission::FirstOnly).await?;
    state.setup.close();
    state.throttle.succeeded(caller.address, "/setup");
    open_login(&state, user, caller.secure).await
}

async fn open_login(state: &AppState, user: User, secure: bool) -> AppResult<Response> {
    let token = token::generate()?;
    let expires_at = Timestamp::now().plus(auth::LIFETIME);
    state.services.store.add_login(token::hash(&token), user.id, expires_at).await?;
    let body = axum::Json(LoggedIn { username: user.username, role: user.role, expires_at });
    Ok(([(header::SET_COOKIE, auth::cookie(&token, secure))], body).into_response())
}
