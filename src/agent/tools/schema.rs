//! Argument schemas, derived from the typed argument struct.

use super::ToolError;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// JSON Schema (2020-12) of an argument struct, without `$schema` and title: providers count every token.
#[must_use]
pub fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut value = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(object) = value.as_object_mut() {
        object.remove("title");
    }
    shorten(&mut value);
    value
}

/// Reads arguments that have passed the schema.
///
/// # Errors
/// [`ToolError::Tell`] when they still do not fit: a hook or the struct's own rules may be stricter than the schema.
pub fn parse<T: DeserializeOwned>(args: Value) -> Result<T, ToolError> {
    serde_json::from_value(args).map_err(|e| ToolError::tell(format!("The arguments do not fit: {e}")))
}

/// Says the same in fewer tokens: no widths of integers, no null as a default, and an enum of plain names as `enum`.
fn shorten(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("default").is_some_and(Value::is_null) {
                object.remove("default");
            }
            if object.get("format").is_some_and(|format| format.as_str().is_some_and(is_integer_width)) {
                object.remove("format");
            }
            if let Some(names) = object.get("oneOf").and_then(plain_names) {
                object.remove("oneOf");
                object.insert("type".into(), "string".into());
                object.insert("enum".into(), names);
            }
            object.values_mut().for_each(shorten);
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_integer_width(format: &str) -> bool {
    ["int", "uint"]
        .iter()
        .any(|kind| format.strip_prefix(kind).is_some_and(|width| width.bytes().all(|b| b.is_ascii_digit())))
}

/// The constants of a `oneOf` that has nothing but string constants.
fn plain_names(one_of: &Value) -> Option<Value> {
    one_of.as_array()?.iter().map(|variant| variant.get("const").filter(|name| name.is_string()).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Args {
        /// How many.
        count: Option<u32>,
        /// Which.
        order: Order,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Order {
        /// Newest first.
        ByDate,
        /// Best first.
        ByScore,
    }

    #[test]
    fn schemas_are_short_and_say_the_same() {
        let schema = of::<Args>();
        let text = schema.to_string();
        assert!(!text.contains("uint32") && !text.contains("oneOf") && !text.contains("$schema"), "{text}");
        assert_eq!(schema["properties"]["order"]["enum"], serde_json::json!(["by_date", "by_score"]));
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&serde_json::json!({ "order": "by_date" })));
        assert!(!validator.is_valid(&serde_json::json!({ "order": "by_mood" })));
        assert!(!validator.is_valid(&serde_json::json!({ "order": "by_date", "count": -1 })));
    }
}
