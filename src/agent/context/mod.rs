//! The context: how a long conversation goes on in a window that is shorter than it.
//!
//! What a model sees is a [`view`] of the stored messages through the rows of [`crate::store::compactions`]; nothing is
//! ever deleted, so a compaction can be undone and everything stays searchable. Before each model call the [`Fitter`]
//! looks at the size ([`estimate`]) and does the least that helps:
//!
//! 1. [`micro`]: old tool outputs become placeholders that say where the whole text lies;
//! 2. *auto*, above the soft limit: [`summary`] asks the model for a summary and [`record`] makes the typed record of it,
//!    in which the user's constraints stand word for word, whatever the model wrote;
//! 3. *manual*: the same when the user or the model asks for it.
//!
//! A [`breaker`] stops automatic summaries that do not help. What leaves the context ([`Fitted::left`]) is handed to the
//! memory bridge of the runtime, which keeps what will matter in other conversations.

pub mod breaker;
pub mod constraints;
pub mod estimate;
pub mod fit;
pub mod history;
pub mod micro;
pub mod record;
mod restore;
pub mod session;
pub mod summary;
pub mod touched;
pub mod view;

pub use fit::{Fitted, Fitter, Need, Wish};
pub use session::{SessionContext, SessionContexts};
