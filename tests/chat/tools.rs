//! Tools of the tests' own, to stop and to count.

use almagest::agent::skills::SkillLibrary;
use almagest::agent::tools::registry::ToolRegistry;
use almagest::agent::tools::{
    AgentTool, InterruptBehavior, Progress, ProgressSender, ToolContext, ToolError, ToolOutput,
};
use async_trait::async_trait;
use serde_json::{Value, json};
use std::sync::Arc;

/// A tool that says that it has begun and then waits for the stop.
pub struct Waits {
    /// What the model calls.
    pub name: &'static str,
    /// What the stop does to it.
    pub interrupt: InterruptBehavior,
}

#[async_trait]
impl AgentTool for Waits {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &str {
        "Waits."
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object" })
    }

    async fn execute(&self, _args: Value, _ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        Err(ToolError::tell("called without progress"))
    }

    async fn execute_with_progress(
        &self,
        _args: Value,
        ctx: &ToolContext,
        progress: ProgressSender,
    ) -> Result<ToolOutput, ToolError> {
        progress.send(Progress { done: 1, total: None, unit: "step".into(), message: "begun".into() });
        ctx.cancel.cancelled().await;
        if self.interrupt == InterruptBehavior::Cancel {
            std::future::pending::<()>().await;
        }
        Ok(ToolOutput::text("ended in order"))
    }

    fn interrupt_behavior(&self) -> InterruptBehavior {
        self.interrupt
    }

    fn is_concurrency_safe(&self, _args: &Value) -> bool {
        self.interrupt == InterruptBehavior::Cancel
    }
}

/// A tool that fails in the way its arguments say.
pub struct Fails;

#[async_trait]
impl AgentTool for Fails {
    fn name(&self) -> &str {
        "fails"
    }

    fn description(&self) -> &str {
        "Fails."
    }

    fn parameters(&self) -> Value {
        json!({ "type": "object", "properties": { "how": { "enum": ["tell", "fatal", "panic", "slow", "long"] } }, "required": ["how"] })
    }

    async fn execute(&self, args: Value, _ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        match args["how"].as_str() {
            Some("fatal") => Err(ToolError::Fatal("the disk is gone".into())),
            Some("panic") => panic!("a defect of the tool"),
            Some("slow") => std::future::pending().await,
            Some("long") => Ok(ToolOutput::text((0..2_000).map(|n| format!("line {n} of many\n")).collect::<String>())),
            _ => Err(ToolError::tell("it did not work")),
        }
    }

    fn timeout(&self) -> std::time::Duration {
        std::time::Duration::from_millis(50)
    }
}

/// The standard tools and these.
pub fn registry(skills: SkillLibrary) -> ToolRegistry {
    let mut registry = ToolRegistry::standard(skills);
    registry.add_tool(Arc::new(Waits { name: "waits_safely", interrupt: InterruptBehavior::Cancel }));
    registry.add_tool(Arc::new(Waits { name: "waits_writing", interrupt: InterruptBehavior::Block }));
    registry.add_tool(Arc::new(Fails));
    registry
}
