//! What can go wrong with the services, in sentences that say what to do.

use super::archive::ArchiveError;
use crate::config::Secret;
use crate::net::NetError;

/// Why MinerU has no result. No text holds a token, and of addresses only the host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MineruError {
    /// The cloud is asked without a token.
    #[error("no MinerU token is set. Create one at https://mineru.net/apiManage/token and set MINERU_API_KEY.")]
    NoToken,
    /// The token is wrong or has expired (A0202, A0211).
    #[error(
        "MinerU refuses the token: it is wrong or has expired. Create a new one at https://mineru.net/apiManage/token \
         and set MINERU_API_KEY."
    )]
    TokenRefused,
    /// The request itself is not accepted (-500, -10002).
    #[error(
        "MinerU does not accept the request ({0}). Check MINERU_MODEL and MINERU_BACKEND; if they are right, this is a defect."
    )]
    BadRequest(String),
    /// The file is too large (-60005).
    #[error(
        "the file is too large for MinerU, which takes 200 MB: make it smaller, or use a server of your own (MINERU_API_URL)."
    )]
    TooLarge,
    /// The file has too many pages (-60006).
    #[error(
        "the file has more pages than MinerU takes at once (200), and could not be split because their number is not known."
    )]
    TooManyPages,
    /// The file cannot be read (-60002, -60003, -60004, -60011, -60015).
    #[error("MinerU cannot read the file ({0}). Check that it opens in a PDF viewer and has no password.")]
    BadFile(String),
    /// Reading the file failed (-60010, or the task says so).
    #[error("MinerU failed on this file ({0}). Try again later, or choose another reader for it.")]
    Failed(String),
    /// The task is unknown (-60012, -60013, HTTP 404): too old, of another account, or the server was started anew.
    #[error(
        "MinerU no longer knows the task: its server was started anew, or the task is too old. Start the job again."
    )]
    Forgotten,
    /// The day's pages are used up (-60018, -60019).
    #[error(
        "today's pages of the MinerU account are used up. Go on tomorrow, or use a server of your own (MINERU_API_URL)."
    )]
    UsedUp,
    /// It has no time at the moment (-60007, -60008, -60009, -60001, HTTP 429 and 5xx).
    #[error("MinerU is too busy or broken at the moment ({0}). Try again later.")]
    Busy(String),
    /// The answer makes no sense.
    #[error("MinerU answered in a way that cannot be read: {0}.")]
    Unreadable(String),
    /// The server has no interface for tasks.
    #[error(
        "the server at MINERU_API_URL has no task interface (HTTP {0}): mineru-api of version 3 or later is needed."
    )]
    NoTasks(u16),
    /// The storage took no upload or gave no result.
    #[error("the storage of MinerU refused {what} (HTTP {status}). Start the job again.")]
    Storage {
        /// What was refused.
        what: &'static str,
        /// The status.
        status: u16,
    },
    /// The server could not be reached, or the connection broke.
    #[error("MinerU could not be reached: {0}. Check MINERU_BASE_URL or MINERU_API_URL, and the network.")]
    Net(NetError),
    /// The result is no archive that can be used.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

impl MineruError {
    /// Whether the same request may well succeed in a while.
    #[must_use]
    pub fn passes(&self) -> bool {
        match self {
            Self::Busy(_) => true,
            Self::Net(error) => error.is_unreachable(),
            // An upload address expires; a new submission gets a new one. 429 and 5xx of a storage pass.
            Self::Storage { status, .. } => *status == 429 || *status >= 500,
            Self::NoToken
            | Self::TokenRefused
            | Self::BadRequest(_)
            | Self::TooLarge
            | Self::TooManyPages
            | Self::BadFile(_)
            | Self::Failed(_)
            | Self::Forgotten
            | Self::UsedUp
            | Self::Unreadable(_)
            | Self::NoTasks(_)
            | Self::Archive(_) => false,
        }
    }

    /// From a code of the cloud, with what it says about it.
    pub(super) fn from_code(code: &str, said: String) -> Self {
        match code {
            "A0202" | "A0211" => Self::TokenRefused,
            "-500" | "-10002" => Self::BadRequest(said),
            "-60005" => Self::TooLarge,
            "-60006" => Self::TooManyPages,
            "-60002" | "-60003" | "-60004" | "-60011" | "-60015" => Self::BadFile(said),
            "-60010" | "-60016" | "-60017" => Self::Failed(said),
            "-60012" | "-60013" => Self::Forgotten,
            "-60018" | "-60019" => Self::UsedUp,
            "-10001" | "-60001" | "-60007" | "-60008" | "-60009" => Self::Busy(said),
            other => Self::Failed(format!("code {}: {said}", short(other, None))),
        }
    }
}

impl From<NetError> for MineruError {
    fn from(error: NetError) -> Self {
        Self::Net(error)
    }
}

/// What a service says, as one short line without the token.
pub(super) fn short(said: &str, token: Option<&Secret>) -> String {
    const LONGEST: usize = 200;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = match token.map(Secret::expose).filter(|token| !token.is_empty()) {
        Some(token) => said.replace(token, "…"),
        None => said,
    };
    let mut line: String = said.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    if line.trim().is_empty() {
        line = "it gives no reason".to_owned();
    }
    line.trim_end_matches('.').to_owned()
}
