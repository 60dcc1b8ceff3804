//! Users and their logins.

use super::{Store, StoreError, StoreResult, statements};
use crate::ids::UserId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

statements! {
    ADD = "INSERT INTO users (id, username, password_hash, role, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";
    COUNT = "SELECT count(*) FROM users";
    LIST = "SELECT id, username, password_hash, role, created_at FROM users ORDER BY username";
    BY_NAME = "SELECT id, username, password_hash, role, created_at FROM users WHERE username = ?1";
    SET_PASSWORD = "UPDATE users SET password_hash = ?2 WHERE id = ?1";
    ADD_LOGIN = "INSERT INTO auth_sessions (token_hash, user_id, created_at, expires_at) VALUES (?1, ?2, ?3, ?4)";
    LOGIN = "SELECT users.id, users.username, users.role, auth_sessions.expires_at FROM auth_sessions
        JOIN users ON users.id = auth_sessions.user_id WHERE auth_sessions.token_hash = ?1 AND auth_sessions.expires_at > ?2";
    END_LOGIN = "DELETE FROM auth_sessions WHERE token_hash = ?1";
    END_LOGINS_OF = "DELETE FROM auth_sessions WHERE user_id = ?1";
    SWEEP = "DELETE FROM auth_sessions WHERE expires_at <= ?1";
}

/// What a user may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(rename_all = "snake_case")]
#[sqlx(rename_all = "snake_case")]
pub enum UserRole {
    /// Everything, users and settings included.
    Admin,
    /// Their own sessions and notes, and the shared library.
    User,
}

/// A user's row.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// The name to log in with; case does not matter.
    pub username: String,
    /// argon2id, in PHC string format.
    pub password_hash: String,
    /// What they may do.
    pub role: UserRole,
    /// When they were added.
    pub created_at: Timestamp,
}

/// A valid login.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct Login {
    /// Who.
    #[sqlx(rename = "id")]
    pub user_id: UserId,
    /// Their name.
    pub username: String,
    /// What they may do.
    pub role: UserRole,
    /// Until when.
    pub expires_at: Timestamp,
}

/// Who may be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// Anyone.
    Always,
    /// Only the first user of all.
    FirstOnly,
}

impl Store {
    /// Adds a user.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the name is taken, or when there is a user already and `admission` wants none.
    pub async fn add_user(&self, user: User, admission: Admission) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                let count: i64 = sqlx::query_scalar(COUNT).fetch_one(&mut *connection).await?;
                if admission == Admission::FirstOnly && count > 0 {
                    return Err(StoreError::Conflict("The set-up is done: there is a user already. Log in instead."));
                }
                let done = sqlx::query(ADD)
                    .bind(user.id)
                    .bind(&user.username)
                    .bind(&user.password_hash)
                    .bind(user.role)
                    .bind(user.created_at)
                    .execute(connection)
                    .await;
                match done {
                    Ok(_) => Ok(()),
                    Err(sqlx::Error::Database(e)) if e.is_unique_violation() => {
                        Err(StoreError::Conflict("There is a user of that name already."))
                    }
                    Err(e) => Err(e.into()),
                }
            })
        })
        .await
    }

    /// How many users there are.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn count_users(&self) -> StoreResult<i64> {
        Ok(sqlx::query_scalar(COUNT).fetch_one(self.reader()).await?)
    }

    /// All users by name.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn users(&self) -> StoreResult<Vec<User>> {
        Ok(sqlx::query_as(LIST).fetch_all(self.reader()).await?)
    }

    /// The user of this name, whatever its case.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn user_by_name(&self, name: &str) -> StoreResult<Option<User>> {
        Ok(sqlx::query_as(BY_NAME).bind(name).fetch_optional(self.reader()).await?)
    }

    /// Sets a password and ends all of the user's logins.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn set_password(&self, user: UserId, password_hash: String) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                sqlx::query(SET_PASSWORD).bind(user).bind(password_hash).execute(&mut *connection).await?;
                sqlx::query(END_LOGINS_OF).bind(user).execute(connection).await?;
                Ok(())
            })
        })
        .await
    }

    /// Stores a login under the hash of its token.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn add_login(&self, token_hash: [u8; 32], user: UserId, expires_at: Timestamp) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                sqlx::query(ADD_LOGIN)
                    .bind(token_hash.to_vec())
                    .bind(user)
                    .bind(Timestamp::now())
                    .bind(expires_at)
                    .execute(connection)
                    .await?;
                Ok(())
            })
        })
        .await
    }

    /// The login that belongs to a token's hash, unless it has expired.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn login(&self, token_hash: [u8; 32]) -> StoreResult<Option<Login>> {
        let hash = token_hash.to_vec();
        Ok(sqlx::query_as(LOGIN).bind(hash).bind(Timestamp::now()).fetch_optional(self.reader()).await?)
    }

    /// Ends a login.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn end_login(&self, token_hash: [u8; 32]) -> StoreResult<()> {
        self.write(move |connection| {
            Box::pin(async move {
                sqlx::query(END_LOGIN).bind(token_hash.to_vec()).execute(connection).await?;
                Ok(())
            })
        })
        .await
    }

    /// Deletes expired logins; answers how many.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn sweep_logins(&self) -> StoreResult<u64> {
        self.write(|connection| {
            Box::pin(
                async move { Ok(sqlx::query(SWEEP).bind(Timestamp::now()).execute(connection).await?.rows_affected()) },
            )
        })
        .await
    }
}
