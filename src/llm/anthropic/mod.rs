//! Anthropic's messages: `POST {base}/v1/messages`, streamed as server-sent events.
//!
//! Source: <https://docs.anthropic.com/en/api/messages> and `/en/api/messages-streaming`. An answer is a list of blocks,
//! each begun, added to and stopped by its index; thinking blocks carry a signature and go back as they came.

pub mod accumulator;
pub mod request;
