//! `ask_user`: a question to the user, and the wait for the answer.

use super::{
    AgentTool, AskReply, AskUser as Question, InterruptBehavior, ToolContext, ToolError, ToolOutput, ToolRule, schema,
};
use crate::agent::asks::PATIENCE;
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

/// Longest question, in characters; it has to fit into a dialog.
const LONGEST_QUESTION: usize = 4_000;

/// Asks the user.
pub struct AskUser;

#[derive(Debug, Deserialize, JsonSchema)]
struct Args {
    /// What you need to know, in the user's language; one question.
    #[schemars(length(min = 1))]
    question: String,
    /// Answers to choose from, if there are a few that cover most cases. The user can always answer freely.
    #[serde(default)]
    #[schemars(length(max = 8))]
    options: Vec<String>,
}

#[async_trait]
impl AgentTool for AskUser {
    fn name(&self) -> &str {
        "ask_user"
    }

    fn description(&self) -> &str {
        "Ask the user a question and wait for the answer. Use it only when you cannot go on well without knowing: a choice \
         that is the user's to make, or something that only they know. After five minutes without an answer you go on with \
         your best judgement and say what you assumed."
    }

    fn parameters(&self) -> Value {
        schema::of::<Args>()
    }

    async fn execute(&self, args: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        let args: Args = schema::parse(args)?;
        if ctx.silent {
            return Err(ToolError::tell(
                "There is nobody to ask here. Decide yourself, and say in your result what you assumed.",
            ));
        }
        let message: String = args.question.trim().chars().take(LONGEST_QUESTION).collect();
        if message.is_empty() {
            return Err(ToolError::tell("The question is empty."));
        }
        let question = Question { message, options: args.options };
        match ctx.asker.ask(&ctx.call_id, question, &ctx.cancel).await {
            AskReply::Answered(answer) => {
                Ok(ToolOutput::text(format!("The user answered: {answer}")).with_metadata(json!({ "answer": answer })))
            }
            AskReply::Expired => Ok(ToolOutput::text(
                "No answer: the user did not answer within five minutes. Go on with your best judgement and say what you assumed.",
            )
            .with_metadata(json!({ "answer": null }))),
            AskReply::Cancelled => Err(ToolError::tell("The user stopped the run before answering.")),
            AskReply::Nobody => Err(ToolError::tell("There is nobody to ask here. Decide yourself.")),
        }
    }

    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Block
    }

    fn check_permissions(&self, _args: &Value) -> Vec<ToolRule> {
        vec![ToolRule::Allow { tool: self.name().to_owned() }]
    }

    /// Beyond the patience of a question, so that it is the question that ends the wait.
    fn timeout(&self) -> Duration {
        PATIENCE + Duration::from_secs(60)
    }
}
