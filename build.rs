//! Builds the dashboard and lays it in `$OUT_DIR/dashboard`, where `src/web/assets.rs` embeds it from.
//!
//! A server without its dashboard is still a server, so nothing here fails the build: when the dashboard cannot be built,
//! a page that says what is missing and what to do is embedded in its place, and cargo prints the same as a warning.
//!
//! npm runs only when it must: `npm ci` when the lock file is not the one installed last (`scripts/npm-install`),
//! `npm run build` when the digest of the sources is not the one that `dist` was made from. Any number of cargo commands
//! may come here at once; a file lock lets one build while the others wait and then find its result.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Entries of `dashboard/` that are no input of its build. Hidden ones are none either, except `.npmrc`.
const NO_INPUT: &[&str] = &["node_modules", "dist", "e2e", "coverage"];

/// Inside `dist`: the digest of the sources that it was made from. A build by hand empties `dist`, and this goes with it.
const STAMP: &str = ".sources";

/// Why there is no dashboard, and what to do about it.
struct Missing {
    reason: String,
    remedy: &'static str,
    /// The first lines of what a failed command printed.
    output: String,
    /// Whether the next cargo command should try again although no source has changed.
    retry: bool,
}

impl Missing {
    fn new(reason: impl Into<String>, remedy: &'static str) -> Self {
        Self { reason: reason.into(), remedy, output: String::new(), retry: true }
    }
}

impl From<io::Error> for Missing {
    fn from(e: io::Error) -> Self {
        Self::new(format!("a file of the dashboard cannot be used: {e}"), "Repair that, then build again.")
    }
}

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=scripts/npm-install");
    // sqlx::migrate! reads the folder at compile time and cannot tell cargo about a new file.
    println!("cargo::rerun-if-changed=migrations");
    println!("cargo::rerun-if-env-changed=SKIP_DASHBOARD_BUILD");

    // Cargo runs this in the folder of the package, so paths are relative to it.
    let out =
        std::env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("OUT_DIR is not set: run me through cargo"))?;
    let target = Path::new(&out).join("dashboard");
    if target.exists() {
        fs::remove_dir_all(&target)?;
    }
    fs::create_dir_all(&target)?;
    if let Err(missing) = embed(Path::new("dashboard"), &target) {
        let Missing { reason, remedy, output, retry } = &missing;
        println!("cargo::warning=The dashboard is not in this build: {reason}. {remedy}");
        output.lines().for_each(|line| println!("cargo::warning=  {line}"));
        println!("cargo::rustc-env=DASHBOARD_MISSING={reason}. {remedy}");
        if *retry {
            // Cargo takes a watched path that does not exist for a change.
            println!("cargo::rerun-if-changed=dashboard/{STAMP}.retry");
        }
        fs::write(target.join("index.html"), placeholder(&missing))?;
    }
    Ok(())
}

/// Brings `dist` up to date and copies it to `target`.
fn embed(dashboard: &Path, target: &Path) -> Result<(), Missing> {
    if std::env::var_os("SKIP_DASHBOARD_BUILD").is_some_and(|value| !value.is_empty() && value != "0") {
        let skipped = Missing::new("SKIP_DASHBOARD_BUILD is set", "Unset it and build again.");
        return Err(Missing { retry: false, ..skipped });
    }
    let manifest = dashboard.join("package.json");
    let Ok(lock) = File::open(&manifest) else {
        return Err(Missing::new("this source tree has no dashboard/package.json", "Build from a complete checkout."));
    };
    let inputs = inputs(dashboard)?;
    for input in &inputs {
        // A folder is watched to its leaves.
        println!("cargo::rerun-if-changed={}", input.display());
    }
    // The manifest serves as the lock file, since it is always there; closing it at the end unlocks.
    lock.lock()?;
    let digest = digest(&inputs)?;
    let dist = dashboard.join("dist");
    let fresh = dist.join("index.html").exists() && fs::read_to_string(dist.join(STAMP)).is_ok_and(|of| of == digest);
    if !fresh {
        require_node(&fs::read_to_string(&manifest)?)?;
        let install =
            "See whether the npm registry can be reached and the lock file fits package.json, then build again.";
        run(Command::new("sh").arg("../scripts/npm-install").current_dir(dashboard), "npm ci", install, true)?;
        let build = "Repair what it complains about, then build again.";
        if dist.exists() {
            // What an older source left must not be taken for the result.
            fs::remove_dir_all(&dist)?;
        }
        run(Command::new("npm").args(["run", "build"]).current_dir(dashboard), "npm run build", build, false)?;
        if !dist.join("index.html").exists() {
            return Err(Missing::new("`npm run build` made no dist/index.html", build));
        }
        fs::write(dist.join(STAMP), &digest)?;
    }
    copy(&dist, target)?;
    Ok(())
}

/// The entries of `dashboard/` that its build reads, sorted.
fn inputs(dashboard: &Path) -> io::Result<Vec<PathBuf>> {
    let mut inputs = Vec::new();
    for entry in fs::read_dir(dashboard)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !NO_INPUT.contains(&&*name) && (!name.starts_with('.') || name == ".npmrc") {
            inputs.push(entry.path());
        }
    }
    inputs.sort();
    Ok(inputs)
}

/// A digest of names and contents. It need not resist anybody, only notice a change; that another version of Rust may
/// hash otherwise costs one rebuild.
fn digest(inputs: &[PathBuf]) -> io::Result<String> {
    fn walk(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
        if path.is_dir() {
            let mut entries = fs::read_dir(path)?.map(|e| e.map(|e| e.path())).collect::<io::Result<Vec<_>>>()?;
            entries.sort();
            return entries.iter().try_for_each(|entry| walk(entry, hasher));
        }
        // Unit tests lie beside what they test and are in no bundle.
        if path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.contains(".test.")) {
            return Ok(());
        }
        let bytes = fs::read(path)?;
        hasher.write(path.as_os_str().as_encoded_bytes());
        hasher.write_usize(bytes.len());
        hasher.write(&bytes);
        Ok(())
    }
    let mut hasher = DefaultHasher::new();
    inputs.iter().try_for_each(|input| walk(input, &mut hasher))?;
    Ok(format!("{:016x}\n", hasher.finish()))
}

/// Checks that npm is there, and Node as new as `engines` in the manifest asks for.
fn require_node(manifest: &str) -> Result<(), Missing> {
    const REMEDY: &str = "Install it (Debian 13: `sudo apt-get install nodejs npm`), then build again.";
    let numbers = |version: &str| -> Vec<u32> { version.split('.').map_while(|part| part.parse().ok()).collect() };
    let wanted = manifest.split_once(r#""node": ">="#).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("20");
    let version = |program| {
        let output = Command::new(program).arg("--version").output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().trim_start_matches('v').to_owned())
    };
    let Some(node) = version("node") else {
        return Err(Missing::new(format!("Node.js {wanted} or newer is not installed"), REMEDY));
    };
    if numbers(&node) < numbers(wanted) {
        return Err(Missing::new(format!("Node.js {node} is too old, {wanted} is needed"), REMEDY));
    }
    if version("npm").is_none() {
        return Err(Missing::new("npm is not installed", REMEDY));
    }
    Ok(())
}

/// Runs a command to its end; what it printed is kept for the case that it fails.
fn run(command: &mut Command, name: &str, remedy: &'static str, retry: bool) -> Result<(), Missing> {
    let Output { status, stdout, stderr } = command.env("NO_COLOR", "1").stdin(Stdio::null()).output()?;
    if status.success() {
        return Ok(());
    }
    // npm and Vite say what is wrong first and what one might look up afterwards.
    let printed = [stderr, stdout].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    let lines: Vec<&str> =
        printed.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("npm warn")).take(12).collect();
    Err(Missing {
        reason: format!("`{name}` failed in dashboard/ ({status})"),
        remedy,
        output: lines.join("\n"),
        retry,
    })
}

/// Copies a folder, without the stamp.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else if entry.file_name() != STAMP {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// The page that stands in for the dashboard. Styles are attributes: the server's policy allows no `<style>`.
fn placeholder(missing: &Missing) -> String {
    let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut page = format!(
        r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="almagest-dashboard" content="missing">
<link rel="icon" href="data:,">
<title>Almagest: no dashboard in this build</title>
<body style="font: 1.05rem/1.6 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1rem">
<h1 style="font-size: 1.4rem">Almagest is running, without its dashboard</h1>
<p>The pages were left out when this program was built: {}.</p>
<p>{}</p>
"#,
        escape(&missing.reason),
        escape(missing.remedy)
    );
    if !missing.output.is_empty() {
        let _ = writeln!(page, "<pre style=\"overflow: auto; font-size: .85rem\">{}</pre>", escape(&missing.output));
    }
    page.push_str("<p>The HTTP interface is complete and answers under <code>/api</code>.</p>\n</body>\n</html>\n");
    page
}
