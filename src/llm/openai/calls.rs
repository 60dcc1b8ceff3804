//! Putting the fragments of calls together.
//!
//! By the book a fragment names its call by `index`, and only the first has an id and a name. Seen besides: no index, the
//! same index for all, an id that is empty, missing, repeated in every fragment, or the same for every call, arguments as
//! an object instead of text, and `{}` as a stand-in before the true arguments.

use crate::llm::types::RawCall;
use serde_json::Value;

/// A call that is being put together.
#[derive(Debug)]
struct Building {
    index: Option<u64>,
    call: RawCall,
}

/// One entry of a `tool_calls` list.
struct Fragment<'a> {
    index: Option<u64>,
    id: &'a str,
    name: &'a str,
    arguments: String,
}

impl<'a> Fragment<'a> {
    fn new(entry: &'a Value) -> Self {
        let function = &entry["function"];
        let arguments = match &function["arguments"] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => other.to_string(),
        };
        Self {
            index: entry["index"].as_u64(),
            id: entry["id"].as_str().unwrap_or_default(),
            name: function["name"].as_str().unwrap_or_default(),
            arguments,
        }
    }
}

/// Whether the entries of a list are fragments or whole calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entries {
    /// Of a `delta`.
    Fragments,
    /// Of a `message`.
    Whole,
}

/// The calls of one answer.
#[derive(Debug, Default)]
pub struct Calls {
    /// In the order in which they began.
    building: Vec<Building>,
    /// How many of them, from the start, were given away.
    taken: usize,
}

impl Calls {
    /// Adds a `tool_calls` list, and gives back the calls that are complete because another began after them.
    ///
    /// A call whose arguments are not yet an object waits for [`Calls::finish`]: its fragments may be interleaved with
    /// those of the next. Calls are given back in the order in which they began.
    pub fn add(&mut self, list: &[Value], entries: Entries) -> Vec<RawCall> {
        for entry in list {
            let fragment = Fragment::new(entry);
            let alone = entries == Entries::Whole || (fragment.index.is_none() && list.len() > 1);
            match self.continued(&fragment).filter(|_| !alone || fragment.name.is_empty()) {
                Some(at) => self.building[at].extend(fragment),
                None => self.begin(fragment),
            }
        }
        let complete = self.building[self.taken..]
            .iter()
            .take(self.building.len().saturating_sub(self.taken + 1))
            .take_while(|building| building.is_complete())
            .count();
        self.take(complete)
    }

    /// Gives back all that is left: nothing more comes.
    pub fn finish(&mut self) -> Vec<RawCall> {
        self.take(self.building.len() - self.taken)
    }

    /// How many calls there are.
    pub fn count(&self) -> usize {
        self.building.len()
    }

    fn take(&mut self, count: usize) -> Vec<RawCall> {
        let start = self.taken;
        self.taken += count;
        // The name and the id stay, to recognise late fragments.
        self.building[start..self.taken].iter().map(|building| building.call.clone()).collect()
    }

    fn begin(&mut self, fragment: Fragment<'_>) {
        let call = RawCall {
            provider_id: fragment.id.to_owned(),
            name: fragment.name.to_owned(),
            arguments: fragment.arguments,
        };
        self.building.push(Building { index: fragment.index, call });
    }

    /// The call that a fragment continues; none if it begins one.
    fn continued(&self, fragment: &Fragment<'_>) -> Option<usize> {
        let last = |is: &dyn Fn(&Building) -> bool| self.building.iter().rposition(is);
        let at = match fragment.index {
            Some(index) => last(&|building| building.index == Some(index))?,
            None if fragment.id.is_empty() => self.building.len().checked_sub(1)?,
            None => last(&|building| building.call.provider_id == fragment.id)?,
        };
        (!self.building[at].is_followed_by(fragment)).then_some(at)
    }
}

impl Building {
    fn is_complete(&self) -> bool {
        serde_json::from_str::<serde_json::Map<String, Value>>(&self.call.arguments).is_ok()
    }

    /// Whether a fragment that seems to belong here is another call under the same index or id.
    fn is_followed_by(&self, fragment: &Fragment<'_>) -> bool {
        if fragment.name.is_empty() {
            return false;
        }
        let other_id =
            !fragment.id.is_empty() && !self.call.provider_id.is_empty() && fragment.id != self.call.provider_id;
        let other_name = !self.call.name.is_empty() && fragment.name != self.call.name;
        // The same tool again, whole, under a constant id or none.
        let again =
            self.is_complete() && serde_json::from_str::<serde_json::Map<String, Value>>(&fragment.arguments).is_ok();
        other_id || other_name || again
    }

    fn extend(&mut self, fragment: Fragment<'_>) {
        let call = &mut self.call;
        if call.provider_id.is_empty() {
            fragment.id.clone_into(&mut call.provider_id);
        }
        if call.name.is_empty() {
            fragment.name.clone_into(&mut call.name);
        }
        if call.arguments == "{}" && fragment.arguments.starts_with('{') {
            call.arguments.clear();
        }
        call.arguments.push_str(&fragment.arguments);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    fn collect(lists: &[Value]) -> Vec<(String, String, String)> {
        let mut calls = Calls::default();
        let mut done = Vec::new();
        for list in lists {
            done.extend(calls.add(list.as_array().unwrap(), Entries::Fragments));
        }
        done.extend(calls.finish());
        done.into_iter().map(|call| (call.provider_id, call.name, call.arguments)).collect()
    }

    fn whole(index: Option<u64>, id: Option<&str>, name: &str, arguments: &str) -> Value {
        let mut entry = json!({"function": {"name": name, "arguments": arguments}});
        if let Some(index) = index {
            entry["index"] = index.into();
        }
        if let Some(id) = id {
            entry["id"] = id.into();
        }
        entry
    }

    fn more(index: u64, arguments: &str) -> Value {
        json!({"index": index, "function": {"arguments": arguments}})
    }

    #[rstest::rstest]
    #[case::by_the_book(
        &[json!([whole(Some(0), Some("a"), "x", "")]), json!([more(0, "{\"k\"")]), json!([more(0, ":1}")]), json!([whole(Some(1), Some("b"), "y", "{}")])],
        &[("a", "x", "{\"k\":1}"), ("b", "y", "{}")]
    )]
    #[case::interleaved(
        &[json!([whole(Some(0), Some("a"), "x", "{")]), json!([whole(Some(1), Some("b"), "y", "{")]), json!([more(0, "}"), more(1, "}")])],
        &[("a", "x", "{}"), ("b", "y", "{}")]
    )]
    #[case::index_from_one(&[json!([whole(Some(1), Some("a"), "x", "{}")])], &[("a", "x", "{}")])]
    #[case::id_repeated_in_every_fragment(
        &[json!([whole(Some(0), Some("a"), "x", "{")]), json!([whole(Some(0), Some("a"), "x", "}")])],
        &[("a", "x", "{}")]
    )]
    #[case::empty_id_in_later_fragments(
        &[json!([whole(Some(0), Some("a"), "x", "{")]), json!([{"index": 0, "id": "", "function": {"name": "", "arguments": "}"}}])],
        &[("a", "x", "{}")]
    )]
    #[case::one_index_for_all(
        &[json!([whole(Some(0), Some("a"), "x", "{}")]), json!([whole(Some(0), Some("b"), "x", "{}")])],
        &[("a", "x", "{}"), ("b", "x", "{}")]
    )]
    #[case::one_index_and_no_ids(
        &[json!([whole(Some(0), None, "x", "{\"k\":1}")]), json!([whole(Some(0), None, "x", "{\"k\":2}")])],
        &[("", "x", "{\"k\":1}"), ("", "x", "{\"k\":2}")]
    )]
    #[case::one_id_for_all(
        &[json!([whole(Some(0), Some("c"), "x", "{}"), whole(Some(1), Some("c"), "x", "{}")])],
        &[("c", "x", "{}"), ("c", "x", "{}")]
    )]
    #[case::no_index(
        &[json!([whole(None, Some("a"), "x", "{\"k\"")]), json!([{"function": {"arguments": ":1}"}}]), json!([whole(None, Some("b"), "y", "")])],
        &[("a", "x", "{\"k\":1}"), ("b", "y", "")]
    )]
    #[case::no_index_no_id_one_list(
        &[json!([whole(None, None, "x", ""), whole(None, None, "x", "")])],
        &[("", "x", ""), ("", "x", "")]
    )]
    #[case::no_index_one_id(
        &[json!([whole(None, Some("c"), "x", "{\"k\":1}")]), json!([whole(None, Some("c"), "x", "{\"k\":2}")])],
        &[("c", "x", "{\"k\":1}"), ("c", "x", "{\"k\":2}")]
    )]
    #[case::arguments_as_object(
        &[json!([{"index": 0, "id": "a", "function": {"name": "x", "arguments": {"k": 1}}}])],
        &[("a", "x", "{\"k\":1}")]
    )]
    #[case::no_arguments(&[json!([{"index": 0, "id": "a", "function": {"name": "x"}}])], &[("a", "x", "")])]
    #[case::stand_in(
        &[json!([whole(Some(0), Some("a"), "x", "{}")]), json!([more(0, "{\"k\"")]), json!([more(0, ":1}")])],
        &[("a", "x", "{\"k\":1}")]
    )]
    #[case::cut_short(&[json!([whole(Some(0), Some("a"), "x", "{\"k\": \"half")])], &[("a", "x", "{\"k\": \"half")])]
    fn puts_together(#[case] lists: &[Value], #[case] expected: &[(&str, &str, &str)]) {
        let expected: Vec<(String, String, String)> =
            expected.iter().map(|(id, name, arguments)| ((*id).into(), (*name).into(), (*arguments).into())).collect();
        assert_eq!(collect(lists), expected);
    }

    #[test]
    fn a_complete_call_goes_out_when_the_next_begins() {
        let mut calls = Calls::default();
        assert_eq!(calls.add(&[whole(Some(0), Some("a"), "x", "{}")], Entries::Fragments), []);
        let done = calls.add(&[whole(Some(1), Some("b"), "y", "")], Entries::Fragments);
        assert_eq!(done.len(), 1);
        assert_eq!(calls.finish().len(), 1);
        assert_eq!(calls.finish(), []);
    }

    #[test]
    fn a_call_without_arguments_is_not_fired_early() {
        let mut calls = Calls::default();
        calls.add(&[whole(Some(0), Some("a"), "x", "")], Entries::Fragments);
        assert_eq!(calls.add(&[whole(Some(1), Some("b"), "y", "{}")], Entries::Fragments), []);
        let done = calls.add(&[more(0, "{\"late\":1}")], Entries::Fragments);
        assert_eq!(done[0].arguments, "{\"late\":1}");
    }
}
