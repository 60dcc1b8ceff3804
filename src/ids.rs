//! Identifiers: one newtype for each kind of thing, so that a run's id cannot be passed where a session's is meant.
//!
//! All are UUIDv7 (RFC 9562): they sort by creation time. In JSON and in SQLite they are hyphenated lower-case text.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use utoipa::ToSchema;
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
        #[serde(transparent)]
        #[schema(value_type = String, format = Uuid)]
        pub struct $name(Uuid);

        impl $name {
            /// A fresh identifier; later ones compare greater.
            #[must_use]
            pub fn new() -> Self {
                Self(Uuid::now_v7())
            }

            /// Wraps a UUID that was made elsewhere (for example one derived from another id).
            #[must_use]
            pub fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The bare UUID.
            #[must_use]
            pub fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }

        impl sqlx::Type<sqlx::Sqlite> for $name {
            fn type_info() -> sqlx::sqlite::SqliteTypeInfo {
                <String as sqlx::Type<sqlx::Sqlite>>::type_info()
            }
        }

        impl sqlx::Encode<'_, sqlx::Sqlite> for $name {
            fn encode_by_ref(
                &self,
                buffer: &mut <sqlx::Sqlite as sqlx::Database>::ArgumentBuffer,
            ) -> Result<sqlx::encode::IsNull, sqlx::error::BoxDynError> {
                sqlx::Encode::<sqlx::Sqlite>::encode(self.to_string(), buffer)
            }
        }

        impl<'r> sqlx::Decode<'r, sqlx::Sqlite> for $name {
            fn decode(value: sqlx::sqlite::SqliteValueRef<'r>) -> Result<Self, sqlx::error::BoxDynError> {
                let text = <&str as sqlx::Decode<'r, sqlx::Sqlite>>::decode(value)?;
                Ok(text.parse()?)
            }
        }
    };
}

id!(
    /// A person with a login.
    UserId
);
id!(
    /// A conversation.
    SessionId
);
id!(
    /// One message of a conversation.
    MessageId
);
id!(
    /// One run of the agent: from a user's message to the answer.
    RunId
);
id!(
    /// An open question to the user (a permission, or `ask_user`).
    QuestionId
);
id!(
    /// A permission rule.
    RuleId
);
id!(
    /// One row of the audit log.
    AuditId
);
id!(
    /// Something that is remembered from one conversation to the next.
    MemoryId
);
id!(
    /// A paper of the library or of a search, whatever identifiers it has.
    PaperId
);
id!(
    /// A file that MinerU reads.
    MineruJobId
);

/// Our own identifier of one tool call, `call_` followed by a UUIDv7.
///
/// Providers send empty, repeated and constant ids, so theirs is kept for the wire alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema, sqlx::Type)]
#[serde(transparent)]
#[sqlx(transparent)]
#[schema(value_type = String)]
pub struct CallId(String);

impl CallId {
    /// A fresh identifier.
    #[must_use]
    pub fn new() -> Self {
        Self(format!("call_{}", Uuid::now_v7().simple()))
    }

    /// The text form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A message id that depends on this call alone: repairing a history twice writes the same row.
    #[must_use]
    pub fn derived_message_id(&self) -> MessageId {
        MessageId::from_uuid(Uuid::new_v5(&Uuid::NAMESPACE_OID, self.0.as_bytes()))
    }
}

impl Default for CallId {
    fn default() -> Self {
        Self::new()
    }
}

impl From<String> for CallId {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
