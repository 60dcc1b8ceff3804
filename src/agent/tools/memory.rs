//! `save_memory`: keeps something for other conversations.

use super::{AgentTool, InterruptBehavior, ToolContext, ToolError, ToolOutput, ToolRule, schema};
use crate::agent::memory::{self, Draft, RememberError, Remembered};
use crate::store::memories::{MemoryKind, MemorySource};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The tool's name.
pub const NAME: &str = "save_memory";
/// How sure a model's conclusion is taken to be.
const CONFIDENCE: f64 = 0.8;

/// The tool.
pub struct SaveMemory;

#[derive(Debug, Deserialize, JsonSchema)]
struct Args {
    /// One thing in a full sentence that can be understood without this conversation.
    content: String,
    /// What it is about.
    kind: MemoryKind,
    /// The paper it comes from, if it does: any identifier.
    #[serde(default)]
    source: Option<String>,
}

#[async_trait]
impl AgentTool for SaveMemory {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> &str {
        "Remember one thing for later conversations: how the user wants things done, a decision and its reason, a fact about \
         their project, where something is kept. Not for what a search finds again, nor for the state of the work now."
    }

    fn parameters(&self) -> Value {
        schema::of::<Args>()
    }

    async fn execute(&self, args: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        let args: Args = schema::parse(args)?;
        let paper_id = args.source.map(|source| source.trim().to_owned()).filter(|source| !source.is_empty());
        let source = MemorySource { session_id: Some(ctx.session_id), message_id: None, paper_id };
        let draft = Draft { content: args.content, kind: args.kind, source, confidence: CONFIDENCE };
        let remembered =
            memory::remember(&ctx.services.store, ctx.user_id, draft).await.map_err(|error| match error {
                RememberError::Refused(reason) => ToolError::tell(reason.to_string()),
                RememberError::Store(error) => ToolError::tell(format!("The memory could not be stored: {error}")),
            })?;
        let (text, memory) = match remembered {
            Remembered::New(memory) => ("Remembered.".to_owned(), memory),
            Remembered::Merged(memory) => ("Remembered; it replaced a memory that said less.".to_owned(), memory),
            Remembered::Known(memory) => (format!("Known already: {}", memory.content), memory),
        };
        Ok(ToolOutput::text(text).with_metadata(json!({ "memory": memory })))
    }

    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Block
    }

    fn check_permissions(&self, _args: &Value) -> Vec<ToolRule> {
        vec![ToolRule::Allow { tool: NAME.to_owned() }]
    }
}
