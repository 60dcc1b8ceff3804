//! The OpenAI-compatible wire format: chat completions, as dozens of servers speak it.
//!
//! [`request::body`] writes a request, with the few fields on which servers differ taken from a [`dialect::Dialect`].
//! [`Reader`](crate::llm::reader::Reader) reads an answer: bytes in, [`ModelEvent`](crate::llm::types::ModelEvent)s out, without I/O, so that
//! it can be tested on recorded answers cut anywhere. Inside it an [`accumulator::Accumulator`] puts the chunks together.
//!
//! Reading is lenient, because the format's owner is one of many who send it
//! (<https://platform.openai.com/docs/api-reference/chat-streaming>); what is tolerated is said where it is.

pub mod accumulator;
mod calls;
pub mod dialect;
pub mod request;
mod usage;
