//! Running one call: time-out, stop, panic, and the bound on what it prints.

use super::prepare::PreparedCall;
use super::turn::{CallEnd, CallResult};
use crate::agent::events::{self, Event};
use crate::agent::hooks::{Hooks, Scope};
use crate::agent::tools::{
    AgentTool, InterruptBehavior, Progress, ProgressSender, ToolContext, ToolError, ToolOutput, persist,
};
use futures::FutureExt;
use serde_json::{Map, Value};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// What a call gets that the user's stop ended.
pub const STOPPED: &str = "Stopped by the user before it was finished.";

/// Runs a call to its end; always answers with exactly one result.
pub async fn execute(
    tool: Arc<dyn AgentTool>,
    call: PreparedCall,
    step: u32,
    ctx: ToolContext,
    hooks: &Hooks,
    scope: Scope,
) -> CallResult {
    let (progress, mut reports) = ProgressSender::channel();
    let timeline = Arc::clone(&ctx.events);
    let show = |report: Progress| {
        let progress =
            events::Progress { done: report.done, total: report.total, unit: report.unit, message: report.message };
        timeline.send(Event::ToolProgress { id: call.id.clone(), progress });
    };
    let begun = tokio::time::Instant::now();
    let outcome = {
        let work = outcome(tool.as_ref(), &call, &ctx, progress);
        tokio::pin!(work);
        loop {
            tokio::select! {
                biased;
                Some(report) = reports.recv() => show(report),
                outcome = &mut work => break outcome,
            }
        }
    };
    if outcome.is_err() {
        // The model never sees what the tool may have read, so a later read must not be told "unchanged".
        ctx.files.forget_call(&call.id);
    }
    let end = match &outcome {
        Err(_) if ctx.cancel.is_cancelled() => CallEnd::Cancelled,
        Ok(_) | Err(_) => CallEnd::Ran,
    };
    let (output, fatal) = match outcome {
        Ok(output) => (output, None),
        Err(ToolError::Tell(message)) => (ToolOutput::error(message), None),
        Err(ToolError::Fatal(message)) => (ToolOutput::error(message.clone()), Some(message)),
    };
    let mut content =
        persist::bound(&ctx.services.workspaces, ctx.user_id, &call.id, output.content, tool.max_output_chars()).await;
    if end == CallEnd::Ran {
        let (scope, arguments, took) = (scope.of_call(&call.id), call.effective_arguments(), begun.elapsed());
        let said = if output.is_error {
            hooks.post_tool_use_failure(&scope, &call.name, arguments, &content, took).await
        } else {
            hooks.post_tool_use(&scope, &call.name, arguments, &content, took).await
        };
        content = said.output.unwrap_or(content);
        append(&mut content, &said.context);
    }
    append(&mut content, &call.notes);
    let metadata = Some(annotated(output.metadata, &call, begun.elapsed()));
    CallResult { call, content, is_error: output.is_error, metadata, fatal, step, end }
}

fn append(content: &mut String, notes: &[String]) {
    for note in notes {
        content.push_str("\n\n");
        content.push_str(note);
    }
}

/// The tool's data with how long the call took, in milliseconds under `duration_ms`, and the arguments it ran with where
/// they are not those of the model, under `effective_arguments`.
fn annotated(metadata: Option<Value>, call: &PreparedCall, took: Duration) -> Value {
    let mut object = match metadata {
        Some(Value::Object(object)) => object,
        Some(other) => Map::from_iter([("data".to_owned(), other)]),
        None => Map::new(),
    };
    object.extend(call.effective.clone().map(|arguments| ("effective_arguments".to_owned(), arguments)));
    object.insert("duration_ms".into(), u64::try_from(took.as_millis()).unwrap_or(u64::MAX).into());
    Value::Object(object)
}

async fn outcome(
    tool: &dyn AgentTool,
    call: &PreparedCall,
    ctx: &ToolContext,
    progress: ProgressSender,
) -> Result<ToolOutput, ToolError> {
    let work =
        AssertUnwindSafe(tool.execute_with_progress(call.effective_arguments().clone(), ctx, progress)).catch_unwind();
    let work = work.map(|caught| {
        caught.unwrap_or_else(|_| {
            tracing::error!(tool = call.name, "a tool panicked");
            Err(ToolError::tell(format!(
                "`{}` failed by a defect of its own; the server's log has the cause.",
                call.name
            )))
        })
    });
    tokio::pin!(work);
    let limit = tool.timeout();
    match tool.interrupt_behavior() {
        InterruptBehavior::Cancel => tokio::select! {
            biased;
            result = &mut work => result,
            () = ctx.cancel.cancelled() => Err(ToolError::tell(STOPPED)),
            () = tokio::time::sleep(limit) => Err(ToolError::tell(timed_out(limit))),
        },
        // Never dropped: at the limit it is told to end, and it still ends in its own way.
        InterruptBehavior::Block => tokio::select! {
            biased;
            result = &mut work => result,
            () = tokio::time::sleep(limit) => {
                ctx.cancel.cancel();
                work.await
            }
        },
    }
}

fn timed_out(limit: Duration) -> String {
    format!("Timed out after {} s. Try a smaller request, or go on without it.", limit.as_secs())
}
