//! From what the model wrote to a call that may run: arguments parsed and checked against the tool's schema.

use crate::agent::tools::InterruptBehavior;
use crate::agent::tools::registry::ToolRegistry;
use crate::ids::CallId;
use crate::llm::types::RawCall;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// A call with our own id; either ready, or rejected with the reason.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedCall {
    /// Our id.
    pub id: CallId,
    /// The tool's name as the model wrote it.
    pub name: String,
    /// A JSON object as the model wrote it; or, in a rejected call, whatever could be made of it.
    pub arguments: Value,
    /// The arguments it runs with, where a hook changed them.
    pub effective: Option<Value>,
    /// What hooks and the user add to its result.
    pub notes: Vec<String>,
    /// Whether it may run beside other safe calls.
    pub concurrency_safe: bool,
    /// Whether equal results are normal for it.
    pub polling: bool,
    /// What the user's stop does to it.
    pub interrupt: InterruptBehavior,
    /// Whether its failure spares the calls about the same paper.
    pub sibling_abort: bool,
    /// The paper it names.
    pub paper: Option<String>,
    /// Whether it comes from before a restart, and may have a question that waits.
    pub reopened: bool,
    /// Why it will not run.
    pub rejection: Option<String>,
}

impl PreparedCall {
    /// A call that may run.
    #[must_use]
    pub fn ready(name: String, arguments: Value, concurrency_safe: bool) -> Self {
        let paper = arguments.get("paper").and_then(Value::as_str).map(|paper| paper.trim().to_owned());
        Self {
            id: CallId::new(),
            name,
            arguments,
            effective: None,
            notes: Vec::new(),
            concurrency_safe,
            polling: false,
            interrupt: InterruptBehavior::Cancel,
            sibling_abort: false,
            paper,
            reopened: false,
            rejection: None,
        }
    }

    /// The arguments it runs with.
    #[must_use]
    pub fn effective_arguments(&self) -> &Value {
        self.effective.as_ref().unwrap_or(&self.arguments)
    }

    fn rejected(name: String, arguments: Value, why: String) -> Self {
        Self { rejection: Some(why), ..Self::ready(name, arguments, false) }
    }
}

/// What the turn needs to know about tools. Looking something up here has no side effect.
pub trait Toolbox {
    /// Prepares one call.
    fn prepare(&self, raw: RawCall) -> PreparedCall;
}

/// The registry with its schemas compiled.
pub struct PreparedTools {
    registry: ToolRegistry,
    validators: HashMap<String, jsonschema::Validator>,
}

impl PreparedTools {
    /// Compiles the schemas of all tools.
    ///
    /// # Errors
    /// When a tool's schema is no valid JSON Schema (a defect of that tool).
    pub fn new(registry: ToolRegistry) -> anyhow::Result<Self> {
        let mut validators = HashMap::new();
        for tool in registry.iter() {
            let validator = jsonschema::validator_for(&tool.parameters())
                .map_err(|e| anyhow::anyhow!("the schema of {} is invalid: {e}", tool.name()))?;
            validators.insert(tool.name().to_owned(), validator);
        }
        Ok(Self { registry, validators })
    }

    /// The registry.
    #[must_use]
    pub fn registry(&self) -> &ToolRegistry {
        &self.registry
    }

    /// Checks arguments that a hook put in the place of the model's.
    ///
    /// # Errors
    /// One sentence that says what does not fit.
    pub fn check_arguments(&self, name: &str, arguments: &Value) -> Result<(), String> {
        let Some(validator) = self.validators.get(name) else { return Err(format!("There is no tool `{name}`.")) };
        let problems: Vec<String> = validator
            .iter_errors(arguments)
            .take(5)
            .map(|problem| {
                let place = problem.instance_path().to_string();
                let place = if place.is_empty() { "the arguments".to_owned() } else { format!("`{place}`") };
                format!("{place}: {problem}")
            })
            .collect();
        if problems.is_empty() {
            return Ok(());
        }
        Err(format!("The arguments of `{name}` do not fit its schema. {}", problems.join("; ")))
    }
}

impl Toolbox for PreparedTools {
    fn prepare(&self, raw: RawCall) -> PreparedCall {
        let name = raw.name;
        let arguments = match parse_arguments(&raw.arguments) {
            Ok(arguments) => arguments,
            Err(why) => return PreparedCall::rejected(name, Value::String(raw.arguments), why),
        };
        let Some(tool) = self.registry.get(&name) else {
            let why =
                format!("There is no tool `{name}`. The nearest are: {}.", self.registry.nearest(&name).join(", "));
            return PreparedCall::rejected(name, arguments, why);
        };
        if let Err(why) = self.check_arguments(&name, &arguments) {
            return PreparedCall::rejected(name, arguments, why);
        }
        let mut call = PreparedCall::ready(name, arguments, false);
        call.concurrency_safe = tool.is_concurrency_safe(&call.arguments);
        call.polling = tool.is_polling();
        call.interrupt = tool.interrupt_behavior();
        call.sibling_abort = tool.causes_sibling_abort();
        call
    }
}

/// Reads arguments: an empty string is `{}`, and an object inside a string is accepted.
///
/// # Errors
/// A sentence that names the position.
fn parse_arguments(text: &str) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    let parsed: Value = serde_json::from_str(text)
        .map_err(|e| format!("The arguments are no valid JSON: {e}. Send one complete JSON object."))?;
    match parsed {
        Value::Object(_) => Ok(parsed),
        Value::Null => Ok(Value::Object(Map::new())),
        Value::String(inner) => match serde_json::from_str::<Value>(&inner) {
            Ok(object @ Value::Object(_)) => Ok(object),
            Ok(_) | Err(_) => Err("The arguments are a string; send a JSON object.".into()),
        },
        Value::Array(_) => Err("The arguments are an array; send a JSON object.".into()),
        Value::Bool(_) | Value::Number(_) => Err("The arguments are a bare value; send a JSON object.".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    #[rstest]
    #[case("", json!({}))]
    #[case("  ", json!({}))]
    #[case("null", json!({}))]
    #[case("{\"a\":1}", json!({"a": 1}))]
    #[case("\"{\\\"a\\\":1}\"", json!({"a": 1}))]
    fn lenient_arguments(#[case] text: &str, #[case] expected: Value) {
        assert_eq!(parse_arguments(text).unwrap(), expected);
    }

    #[rstest]
    #[case("{\"a\":", "line 1 column 5")]
    #[case("[1]", "array")]
    #[case("\"x\"", "string")]
    #[case("7", "bare value")]
    fn broken_arguments_name_what_is_wrong(#[case] text: &str, #[case] expected: &str) {
        let why = parse_arguments(text).unwrap_err();
        assert!(why.contains(expected), "{why}");
    }
}
