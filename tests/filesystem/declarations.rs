//! What the file tools declare to the executor and to the model.

use almagest::agent::skills::SkillLibrary;
use almagest::agent::tools::registry::ToolRegistry;
use almagest::agent::tools::{AgentTool, InterruptBehavior, ToolRule, filesystem};
use almagest::workspace::Workspaces;
use rstest::rstest;
use serde_json::{Value, json};
use std::sync::Arc;

fn tool(name: &str) -> Arc<dyn AgentTool> {
    filesystem::tools().into_iter().find(|tool| tool.name() == name).unwrap()
}

#[rstest]
#[case("read_file", true, true, InterruptBehavior::Cancel)]
#[case("grep_files", true, true, InterruptBehavior::Cancel)]
#[case("glob_files", true, true, InterruptBehavior::Cancel)]
#[case("file_write", false, false, InterruptBehavior::Block)]
#[case("file_edit", false, false, InterruptBehavior::Block)]
fn the_executor_is_told(
    #[case] name: &str,
    #[case] safe: bool,
    #[case] readonly: bool,
    #[case] interrupt: InterruptBehavior,
) {
    let tool = tool(name);
    assert_eq!(tool.is_concurrency_safe(&json!({})), safe);
    assert_eq!(tool.is_readonly(), readonly);
    assert_eq!(tool.interrupt_behavior(), interrupt);
    assert!(!tool.causes_sibling_abort() && !tool.defer_loading() && !tool.is_polling());
}

#[rstest]
#[case("read_file", &["path"], &["limit", "offset", "path"])]
#[case("grep_files", &["pattern"], &["context", "glob", "max_results", "path", "pattern"])]
#[case("glob_files", &["pattern"], &["path", "pattern"])]
#[case("file_write", &["content", "path"], &["content", "path"])]
#[case("file_edit", &["new_string", "old_string", "path"], &["new_string", "old_string", "path", "replace_all"])]
fn the_schema_has_the_agreed_names(#[case] name: &str, #[case] required: &[&str], #[case] all: &[&str]) {
    let schema = tool(name).parameters();
    let mut names = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>();
    names.sort_unstable();
    assert_eq!(names, all);
    let mut needed = schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect::<Vec<_>>();
    needed.sort_unstable();
    assert_eq!(needed, required);
    for (name, property) in schema["properties"].as_object().unwrap() {
        assert!(property["description"].is_string(), "{name} has no description");
    }
    jsonschema::validator_for(&schema).unwrap();
}

#[test]
fn the_catalogue_has_one_short_line_for_each() {
    let data = tempfile::tempdir().unwrap();
    let skills = SkillLibrary::open(Workspaces::open(data.path()).unwrap());
    for (name, summary) in ToolRegistry::standard(skills).tool_catalog() {
        assert!((10..=100).contains(&summary.chars().count()), "{name}: {summary}");
    }
}

#[rstest]
#[case("skills/x/SKILL.md", true)]
#[case("./skills/x/SKILL.md", true)]
#[case("library/a.md", true)]
#[case("notes/skills/a.md", false)]
#[case("a.md", false)]
fn writing_tools_deny_other_roots(#[case] path: &str, #[case] denied: bool) {
    for name in ["file_write", "file_edit"] {
        let rules = tool(name).check_permissions(&json!({"path": path}));
        assert_eq!(rules.iter().any(|rule| matches!(rule, ToolRule::Deny { tool, .. } if tool == name)), denied);
    }
}
