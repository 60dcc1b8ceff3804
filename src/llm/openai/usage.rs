//! The provider's count of tokens, under the various names it has.

use crate::llm::types::Usage;
use serde_json::Value;

/// The usage that a chunk or a whole answer carries, if any: at the top, in `x_groq`, or in the choice (Moonshot).
pub fn find(chunk: &Value) -> Option<Usage> {
    [&chunk["usage"], &chunk["x_groq"]["usage"], &chunk["choices"][0]["usage"]]
        .into_iter()
        .find(|usage| usage.is_object())
        .map(|usage| read(usage, &chunk["cost"]["usd"]))
}

/// Reads a usage object; `cost` stands beside it at Venice and inside it at OpenRouter.
fn read(usage: &Value, cost: &Value) -> Usage {
    let first = |paths: &[&str]| paths.iter().find_map(|path| usage.pointer(path)?.as_u64()).unwrap_or_default();
    Usage {
        input_tokens: first(&["/prompt_tokens", "/input_tokens"]),
        output_tokens: first(&["/completion_tokens", "/output_tokens"]),
        cached_tokens: first(&[
            "/prompt_tokens_details/cached_tokens",
            "/input_tokens_details/cached_tokens",
            "/prompt_cache_hit_tokens",
            "/cached_tokens",
            "/cache_read_input_tokens",
        ]),
        cost_usd: usage["cost"].as_f64().or_else(|| cost.as_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[rstest::rstest]
    #[case::openai(json!({"usage": {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 3}}}))]
    #[case::deepseek(json!({"usage": {"prompt_tokens": 9, "completion_tokens": 4, "prompt_cache_hit_tokens": 3}}))]
    #[case::moonshot(json!({"choices": [{"usage": {"prompt_tokens": 9, "completion_tokens": 4, "cached_tokens": 3}}]}))]
    #[case::groq(json!({"x_groq": {"usage": {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 3}}}}))]
    #[case::gateway(json!({"usage": {"input_tokens": 9, "output_tokens": 4, "cache_read_input_tokens": 3}}))]
    fn counts(#[case] chunk: Value) {
        let expected = Usage { input_tokens: 9, output_tokens: 4, cached_tokens: 3, cost_usd: None };
        assert_eq!(find(&chunk), Some(expected));
    }

    #[rstest::rstest]
    #[case::openrouter(json!({"usage": {"cost": 0.5}}), Some(0.5))]
    #[case::venice(json!({"usage": {}, "cost": {"usd": 0.25}}), Some(0.25))]
    #[case::none(json!({"usage": {}}), None)]
    fn costs(#[case] chunk: Value, #[case] expected: Option<f64>) {
        assert_eq!(find(&chunk).unwrap().cost_usd, expected);
    }

    #[test]
    fn null_is_no_usage() {
        assert_eq!(find(&json!({"usage": null, "choices": []})), None);
    }
}
