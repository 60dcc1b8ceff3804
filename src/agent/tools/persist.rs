//! Long outputs.
use crate::{
    ids::{CallId, UserId},
    workspace::Workspaces,
};
/// placeholder until the file tools land
pub async fn bound(_w: &Workspaces, _u: UserId, _c: &CallId, content: String, _max: usize) -> String {
    content
}
