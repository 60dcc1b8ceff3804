//! `todo_write`: the plan of a session.

use super::{AgentTool, ToolContext, ToolError, ToolOutput, ToolRule, schema};
use crate::agent::events::Event;
use crate::store::todos::{Todo, TodoStatus};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// The tool.
pub struct TodoWrite;

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// The whole plan; it replaces the earlier one. An empty list clears it.
    todos: Vec<Todo>,
}

/// Items a plan may have.
const MOST: usize = 100;

#[async_trait]
impl AgentTool for TodoWrite {
    fn name(&self) -> &str {
        "todo_write"
    }

    fn description(&self) -> &str {
        "Write the plan of this session, which the user sees. Use it for work with three or more steps: one item a step, \
         at most one `in_progress`, and send the whole list again whenever something changes."
    }

    fn parameters(&self) -> Value {
        let mut schema = schema::of::<Args>();
        // Models that know this tool from elsewhere write `blockedBy`; both spellings are accepted.
        if let Some(properties) =
            schema.pointer_mut("/properties/todos/items/properties").and_then(Value::as_object_mut)
            && let Some(blocked_by) = properties.get("blocked_by").cloned()
        {
            properties.insert("blockedBy".into(), blocked_by);
        }
        schema
    }

    async fn execute(&self, args: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        let args: Args =
            serde_json::from_value(args).map_err(|e| ToolError::tell(format!("The plan does not fit: {e}")))?;
        check(&args.todos).map_err(ToolError::Tell)?;
        let store = &ctx.services.store;
        store
            .set_todos(ctx.session_id, args.todos.clone())
            .await
            .map_err(|e| ToolError::tell(format!("The plan could not be stored: {e}")))?;
        ctx.events.send(Event::TodoUpdated { todos: args.todos.clone() });
        let done = args.todos.iter().filter(|todo| todo.status == TodoStatus::Completed).count();
        Ok(ToolOutput::text(format!("The plan is stored: {done} of {} done.", args.todos.len()))
            .with_metadata(json!({ "todos": args.todos })))
    }

    fn check_permissions(&self, _args: &Value) -> Vec<ToolRule> {
        vec![ToolRule::Allow { tool: self.name().to_owned() }]
    }

    fn is_concurrency_safe(&self, _args: &Value) -> bool {
        true
    }
}

/// Why the plan is not accepted.
fn check(todos: &[Todo]) -> Result<(), String> {
    if todos.len() > MOST {
        return Err(format!("The plan has {} items; at most {MOST} are kept. Make the steps larger.", todos.len()));
    }
    let mut by_id: HashMap<&str, &Todo> = HashMap::new();
    for todo in todos {
        if todo.id.trim().is_empty() || todo.content.trim().is_empty() {
            return Err("Every item needs an id and a content.".into());
        }
        if by_id.insert(&todo.id, todo).is_some() {
            return Err(format!("The id `{}` is used twice; ids are unique in the plan.", todo.id));
        }
    }
    let working = todos.iter().filter(|todo| todo.status == TodoStatus::InProgress).count();
    if working > 1 {
        return Err(format!("{working} items are in_progress; at most one may be."));
    }
    for todo in todos {
        for other in &todo.blocked_by {
            let Some(blocker) = by_id.get(other.as_str()) else {
                return Err(format!("`{}` is blocked by `{other}`, which is not in the plan.", todo.id));
            };
            if todo.status != TodoStatus::Pending && blocker.status != TodoStatus::Completed {
                return Err(format!("`{}` cannot begin before `{other}` is completed.", todo.id));
            }
        }
    }
    cycle(todos, &by_id)
        .map_or(Ok(()), |id| Err(format!("`{id}` waits for itself through blocked_by; break the cycle.")))
}

/// An item that waits for itself, if there is one.
fn cycle<'a>(todos: &'a [Todo], by_id: &HashMap<&'a str, &'a Todo>) -> Option<&'a str> {
    let mut settled: HashSet<&str> = HashSet::new();
    // Items whose blockers are all settled settle too; what is left after no more do lies on or behind a cycle.
    loop {
        let before = settled.len();
        for todo in todos {
            if todo.blocked_by.iter().all(|other| settled.contains(other.as_str())) {
                settled.insert(&todo.id);
            }
        }
        if settled.len() == before {
            return by_id.keys().filter(|id| !settled.contains(*id)).min().copied();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    /// `id:status[:blocker,...]`, separated by blanks.
    fn plan(spec: &str) -> Vec<Todo> {
        spec.split_whitespace()
            .map(|item| {
                let mut parts = item.split(':');
                let (id, status) = (parts.next().unwrap(), parts.next().unwrap());
                let blockers: Vec<&str> = parts.next().map(|list| list.split(',').collect()).unwrap_or_default();
                let todo = json!({ "id": id, "content": "x", "status": status, "blockedBy": blockers });
                serde_json::from_value(todo).unwrap()
            })
            .collect()
    }

    #[rstest]
    #[case("a:in_progress b:pending:a", None)]
    #[case("", None)]
    #[case("a:completed b:in_progress:a c:pending:a,b", None)]
    #[case("a:in_progress b:in_progress", Some("at most one"))]
    #[case("a:pending:z", Some("not in the plan"))]
    #[case("a:pending:b b:pending:a", Some("cycle"))]
    #[case("a:pending:a", Some("cycle"))]
    #[case("a:pending a:pending", Some("twice"))]
    #[case("a:pending b:completed:a", Some("cannot begin"))]
    fn plans_are_checked(#[case] spec: &str, #[case] problem: Option<&str>) {
        match (check(&plan(spec)), problem) {
            (Ok(()), None) => {}
            (Err(why), Some(expected)) => assert!(why.contains(expected), "{why}"),
            (outcome, expected) => panic!("{outcome:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn both_spellings_fit_the_schema() {
        let validator = jsonschema::validator_for(&TodoWrite.parameters()).unwrap();
        for key in ["blocked_by", "blockedBy"] {
            let mut item = json!({ "id": "a", "content": "x", "status": "pending" });
            item[key] = json!([]);
            assert!(validator.is_valid(&json!({ "todos": [item] })), "{key}");
        }
        assert!(!validator.is_valid(&json!({ "todos": [{ "id": "a" }] })));
    }
}
