//! `load_skill`: the instructions of a skill.

use super::nearest::nearest;
use super::{AgentTool, ToolContext, ToolError, ToolOutput, ToolRule, schema};
use crate::agent::skills::{Skill, SkillLibrary, SkillMode};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Key of a result's metadata that names the skill; a compaction keeps such results.
pub const SKILL: &str = "skill";
/// What a skill's text writes where the arguments belong.
const ARGUMENTS: &str = "$ARGUMENTS";
/// What a skill's text writes for its own folder.
const FOLDER: &str = "${CLAUDE_SKILL_DIR}";

/// The tool.
pub struct LoadSkill {
    skills: SkillLibrary,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Args {
    /// The skill's name as the list of skills has it.
    name: String,
    /// What it should be applied to: a target, a paper, a question.
    #[serde(default)]
    arguments: Option<String>,
}

impl LoadSkill {
    /// The tool over a library.
    #[must_use]
    pub fn new(skills: SkillLibrary) -> Self {
        Self { skills }
    }
}

#[async_trait]
impl AgentTool for LoadSkill {
    fn name(&self) -> &str {
        "load_skill"
    }

    fn description(&self) -> &str {
        "Load the instructions of a skill and follow them. Use it before you begin work that the description of a listed \
         skill fits, or when the user names a skill."
    }

    fn parameters(&self) -> Value {
        schema::of::<Args>()
    }

    async fn execute(&self, args: Value, _ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        let args: Args = schema::parse(args)?;
        let skills = self.skills.list().await;
        let skill = find(&skills, args.name.trim())?;
        let text = text(skill, args.arguments.as_deref().unwrap_or_default().trim());
        Ok(ToolOutput::text(text).with_metadata(json!({ SKILL: skill.name, "source": skill.source })))
    }

    fn is_concurrency_safe(&self, _args: &Value) -> bool {
        true
    }

    fn check_permissions(&self, _args: &Value) -> Vec<ToolRule> {
        vec![ToolRule::Allow { tool: self.name().to_owned() }]
    }

    /// A skill is followed as a whole; the longest that the standard advises have half of this.
    fn max_output_chars(&self) -> usize {
        40_000
    }
}

fn find<'s>(skills: &'s [Arc<Skill>], name: &str) -> Result<&'s Skill, ToolError> {
    let Some(skill) = skills.iter().find(|skill| skill.name == name) else {
        let near = nearest(name, skills.iter().map(|skill| (skill.name.as_str(), skill.description.as_str())));
        let near = near.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let asked: String = name.chars().take(100).collect();
        return Err(ToolError::tell(format!("There is no skill `{asked}`. The nearest are: {near}.")));
    };
    if skill.body.is_empty() {
        return Err(ToolError::tell(format!("The skill `{name}` cannot be used. {}", skill.problems.join(" "))));
    }
    Ok(skill)
}

/// What the model reads: where the skill lies, then its text with the arguments in their places.
fn text(skill: &Skill, arguments: &str) -> String {
    let Skill { name, folder, body, .. } = skill;
    let mut head = format!("Skill `{name}`, in the folder `{folder}`; files it names are read from there.");
    match skill.mode {
        SkillMode::Inline => {}
        SkillMode::Fork => head.push_str(" It is meant for a sub-agent; follow it here yourself."),
    }
    // The folder first: what the user's arguments contain is not replaced again.
    let body = body.replace(FOLDER, folder);
    let takes_arguments = body.contains(ARGUMENTS);
    let body = body.replace(ARGUMENTS, arguments);
    match arguments {
        arguments if !takes_arguments && !arguments.is_empty() => format!("{head}\n\n{body}\n\nArguments: {arguments}"),
        _ => format!("{head}\n\n{body}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::skills::SkillSource;
    use pretty_assertions::assert_eq;
    use rstest::rstest;

    fn skill(name: &str, mode: SkillMode, body: &str) -> Arc<Skill> {
        Arc::new(Skill {
            name: name.into(),
            description: "Compare things.".into(),
            mode,
            source: SkillSource::User,
            problems: vec!["It is empty.".into()],
            front_matter: serde_json::Map::new(),
            body: body.into(),
            folder: format!("skills/{name}"),
        })
    }

    const HEAD: &str = "Skill `x`, in the folder `skills/x`; files it names are read from there.";

    #[rstest]
    #[case::in_place("Look at $ARGUMENTS, then $ARGUMENTS.", "M 31", "Look at M 31, then M 31.")]
    #[case::at_the_end("Look.", "M 31", "Look.\n\nArguments: M 31")]
    #[case::none("Look at $ARGUMENTS.", "", "Look at .")]
    #[case::not_again(
        "Look at $ARGUMENTS.",
        "$ARGUMENTS ${CLAUDE_SKILL_DIR}",
        "Look at $ARGUMENTS ${CLAUDE_SKILL_DIR}."
    )]
    #[case::mathematics("$1 < z$ and $A$", "", "$1 < z$ and $A$")]
    #[case::folder("Read ${CLAUDE_SKILL_DIR}/a.md.", "", "Read skills/x/a.md.")]
    fn arguments_find_their_places(#[case] body: &str, #[case] arguments: &str, #[case] expected: &str) {
        let text = text(&skill("x", SkillMode::Inline, body), arguments);
        assert_eq!(text, format!("{HEAD}\n\n{expected}"));
    }

    #[test]
    fn a_forking_skill_says_that_it_is_followed_here() {
        assert!(text(&skill("x", SkillMode::Fork, "Look."), "").contains("follow it here yourself"));
    }

    #[test]
    fn what_cannot_be_loaded_says_why() {
        let skills = [skill("compare-things", SkillMode::Inline, "Look."), skill("empty", SkillMode::Inline, "")];
        let why = |name| find(&skills, name).unwrap_err().to_string();
        assert_eq!(why("empty"), "The skill `empty` cannot be used. It is empty.");
        assert!(why("things-comparison").contains("nearest are: `compare-things`"), "{}", why("things-comparison"));
        assert_eq!(find(&skills, "compare-things").unwrap().name, "compare-things");
    }
}
