//! `run_bash`: a shell command in the workspace, confined by [`crate::sandbox`].
//!
//! The command may change the workspace and nothing else. It reads the system's programs, the library and the skills; of
//! the library's tool results only its own user's.

use crate::agent::permissions::shell::is_read_only;
use crate::agent::tools::{AgentTool, ToolContext, ToolError, ToolOutput, schema};
use crate::ids::UserId;
use crate::sandbox::{End, Isolation, Limits, Outcome, Policy, Stopped, system_folders};
use crate::workspace::log::Why;
use crate::workspace::{Recorded, TOOL_RESULTS, WorkspaceError, Workspaces};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Seconds that a command has unless it asks for more.
const DEFAULT_SECS: u64 = 60;
/// Seconds that it may ask for.
const MOST_SECS: u64 = 600;
/// What is left for committing and telling after the longest command.
const AFTERWARDS: Duration = Duration::from_secs(60);
/// Where programs are looked for.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";
/// Shells, the first that is there.
const SHELLS: [&str; 3] = ["/bin/bash", "/usr/bin/bash", "/bin/sh"];
/// Characters of a command in the history.
const TITLE: usize = 100;

#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The command, for bash. It starts in the workspace folder; $ALMAGEST_LIBRARY is the library, which can only be read.
    command: String,
    /// Seconds it may take: 60 unless given, 600 at most.
    #[serde(default)]
    #[schemars(range(min = 1, max = 600))]
    timeout_secs: Option<u64>,
    /// What it does, in a few words for the user.
    #[serde(default)]
    #[expect(dead_code, reason = "it is read by the user, beside the call")]
    description: Option<String>,
}

/// The tool.
pub struct RunBash;

#[async_trait]
impl AgentTool for RunBash {
    fn name(&self) -> &str {
        "run_bash"
    }

    fn description(&self) -> &str {
        "Run a shell command in the workspace: scripts, small computations, text tools. It runs in a sandbox without network, \
         sees only the workspace, the library and the system's programs, and everything it starts ends with it. Files it \
         changes become one commit. To read, search or edit files use read_file, grep_files, glob_files and file_edit."
    }

    fn parameters(&self) -> Value {
        schema::of::<Args>()
    }

    async fn execute(&self, args: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        let args: Args = schema::parse(args)?;
        let reads = is_read_only(&args.command);
        let sandbox = &ctx.services.sandbox;
        let isolation = sandbox.isolation().await;
        let policy = prepare(&ctx.services.workspaces, ctx.user_id, &args, isolation, reads).await?;
        let outcome = sandbox.run(policy).await.map_err(|error| ToolError::tell(error.to_string()))?;
        let commit = if reads { None } else { commit(ctx, &args.command).await };
        Ok(answer(&outcome, isolation, commit, reads))
    }

    fn is_concurrency_safe(&self, args: &Value) -> bool {
        args.get("command").and_then(Value::as_str).is_some_and(is_read_only)
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs(MOST_SECS) + AFTERWARDS
    }

    fn max_output_chars(&self) -> usize {
        16_000
    }
}

/// What the command may do. Changes that stand in the folder without a commit are committed first, so that those of the
/// command can be told from them.
async fn prepare(
    workspaces: &Workspaces,
    user: UserId,
    args: &Args,
    isolation: Isolation,
    reads: bool,
) -> Result<Policy, ToolError> {
    let command = args.command.clone();
    let seconds = args.timeout_secs.unwrap_or(DEFAULT_SECS).clamp(1, MOST_SECS);
    let prepared = workspaces.run(move |all| {
        let workspace = all.for_user(user)?;
        if !reads {
            workspace.commit_all(&Why::outside("recovered"), "changes that were not committed")?;
        }
        // Absolute and without links, since that is what a confined process is allowed to open.
        let folder = real(workspace.path());
        let library = real(&all.library_path());
        let mut readable = system_folders();
        readable.push(real(&all.skills_path()));
        readable.extend(library_without_others(&library, user));
        let environment = BTreeMap::from(
            [
                ("PATH", PATH.to_owned()),
                ("HOME", folder.display().to_string()),
                ("LANG", "C.UTF-8".to_owned()),
                ("TERM", "dumb".to_owned()),
                ("TZ", "UTC".to_owned()),
                ("USER", "almagest".to_owned()),
                ("ALMAGEST_LIBRARY", library.display().to_string()),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        let shell = SHELLS.into_iter().find(|shell| Path::new(shell).exists()).unwrap_or(SHELLS[0]);
        Ok::<_, WorkspaceError>(Policy {
            command: vec![shell.to_owned(), "-c".to_owned(), command],
            environment,
            input: None,
            read_only_inside: vec![folder.join(".git")],
            writable: vec![folder.clone()],
            folder,
            readable,
            limits: Limits::of_command(seconds),
            isolation,
        })
    });
    Ok(prepared.await?)
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// What of the library a user's command may read: everything but the tool results of others.
fn library_without_others(library: &Path, user: UserId) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(library).into_iter().flatten().flatten();
    let shared = entries.filter(|entry| entry.file_name() != TOOL_RESULTS).map(|entry| entry.path());
    shared.chain([library.join(TOOL_RESULTS).join(user.to_string())]).collect()
}

/// Commits what the command has changed; why not, when that failed.
async fn commit(ctx: &ToolContext, command: &str) -> Option<Result<String, String>> {
    let (user, why) = (ctx.user_id, Why::new("run_bash", ctx.session_id));
    let title: String = command.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(TITLE).collect();
    let committed = ctx.services.workspaces.run(move |all| all.for_user(user)?.commit_all(&why, &title));
    match committed.await {
        Ok(Recorded::Commit(id)) => Some(Ok(id)),
        Ok(Recorded::Unchanged | Recorded::Unversioned) => None,
        Ok(Recorded::Pending(reason)) => Some(Err(reason)),
        Err(error) => Some(Err(error.to_string())),
    }
}

fn answer(outcome: &Outcome, isolation: Isolation, commit: Option<Result<String, String>>, reads: bool) -> ToolOutput {
    let (stdout, stderr) = (outcome.stdout.text(), outcome.stderr.text());
    let mut text = String::new();
    for part in [stdout.trim_end(), stderr.trim_end()] {
        if !part.is_empty() && !text.is_empty() {
            text.push_str("\n[standard error]\n");
        }
        text.push_str(part);
    }
    let seconds = outcome.took.as_secs_f64();
    let end = match (outcome.end, outcome.stopped) {
        (_, Some(Stopped::Deadline)) => format!(
            "It was ended: it took longer than {seconds:.0} s. Ask for more with timeout_secs, or do less at once."
        ),
        (_, Some(Stopped::Processes)) => "It was ended: it had too many processes.".to_owned(),
        (_, Some(Stopped::Memory)) => "It was ended: it used too much memory.".to_owned(),
        (_, Some(Stopped::Output)) => "It was ended: it wrote more than 1 GiB. Send long outputs to a file.".to_owned(),
        (End::Exited(code), None) => format!("Exit code {code} after {seconds:.1} s."),
        (End::Signalled(signal), None) => format!("It died by signal {signal} after {seconds:.1} s."),
        (End::Stopped, None) => "It was ended.".to_owned(),
    };
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&format!("[{end}]"));
    let (commit, pending) = match commit {
        Some(Ok(id)) => (Some(id), None),
        Some(Err(reason)) => (None, Some(reason)),
        None => (None, None),
    };
    if let Some(reason) = &pending {
        text.push_str(&format!("\n[What it changed is not in the history yet: {reason}]"));
    }
    let (code, signal) = match outcome.end {
        End::Exited(code) => (Some(code), None),
        End::Signalled(signal) => (None, Some(signal)),
        End::Stopped => (None, None),
    };
    // `grep` and its kin say "nothing found" by 1.
    let fine = matches!(code, Some(0)) || (reads && code == Some(1));
    ToolOutput { content: text, is_error: !fine, metadata: None }.with_metadata(json!({
        "exit_code": code,
        "signal": signal,
        "stopped": outcome.stopped.map(|stopped| match stopped {
            Stopped::Deadline => "deadline",
            Stopped::Processes => "processes",
            Stopped::Memory => "memory",
            Stopped::Output => "output",
        }),
        "duration_ms": u64::try_from(outcome.took.as_millis()).unwrap_or(u64::MAX),
        "stdout_bytes": outcome.stdout.total(),
        "stderr_bytes": outcome.stderr.total(),
        "isolation": isolation,
        "commit": commit,
    }))
}
