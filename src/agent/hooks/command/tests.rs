use super::*;
use rstest::rstest;

/// Nothing here takes this long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

async fn run_in(folder: &Path, command: &str, input: &str, limit: Duration) -> CommandRun {
    run(command, input, folder, &[("ALMAGEST_DATA_DIR", folder.into())], limit).await
}

async fn sh(command: &str) -> CommandRun {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), command, "{}", PATIENCE).await
}

#[tokio::test]
async fn it_reads_its_input_and_is_heard() {
    let folder = tempfile::tempdir().unwrap();
    let done = run_in(folder.path(), "cat; echo why >&2; exit 2", "{\"a\":1}", PATIENCE).await;
    assert_eq!(done.end, End::Exited(2));
    assert_eq!((done.stdout.as_str(), done.stderr.as_str(), done.cut), ("{\"a\":1}", "why\n", false));
}

#[tokio::test]
async fn large_input_that_nobody_reads_and_large_output_stop_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let input = "x".repeat(1 << 20);
    let done = run_in(folder.path(), "head -c 1000000 /dev/zero | tr '\\0' y", &input, PATIENCE).await;
    assert_eq!(done.end, End::Exited(0));
    assert_eq!(done.stdout.len(), OUTPUT_BYTES);
    assert!(done.cut);
}

#[tokio::test]
async fn a_hook_that_hangs_is_killed_with_everything_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let command = "sleep 1000 & echo $! > child; echo $$ > leader; trap '' TERM; wait";
    let done = run_in(folder.path(), command, "", Duration::from_millis(900)).await;
    assert_eq!(done.end, End::TimedOut(Duration::from_millis(900)));
    for file in ["leader", "child"] {
        gone(&folder.path().join(file)).await;
    }
}

#[tokio::test]
async fn what_a_hook_leaves_behind_does_not_hold_the_run_up() {
    let folder = tempfile::tempdir().unwrap();
    let done = run_in(folder.path(), "sleep 1000 & echo $! > child; echo done", "", PATIENCE).await;
    assert_eq!((done.end, done.stdout.as_str()), (End::Exited(0), "done\n"));
    gone(&folder.path().join("child")).await;
}

#[tokio::test]
async fn giving_up_kills_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    let command = "echo $$ > tmp && mv tmp leader; sleep 1000";
    let task = tokio::spawn(async move { run_in(&path, command, "", PATIENCE).await });
    let file = folder.path().join("leader");
    until(|| file.exists()).await;
    task.abort();
    gone(&file).await;
}

#[tokio::test]
async fn a_crash_is_a_signal() {
    assert_eq!(sh("kill -SEGV $$").await.end, End::Signalled(11));
}

#[rstest]
#[case::no_command("/nowhere/at/all", true)]
#[case::not_executable("./plain", true)]
#[case::shell_without_script("sh ./missing.sh", true)]
#[case::redirect("cat < ./missing.json", true)]
#[case::blocks("exit 2", false)]
#[case::blocks_with_words("echo 'No such file as secret.txt is to be read' >&2; exit 2", false)]
#[case::blocks_for_a_file_that_is_there("echo 'cannot open ./plain' >&2; exit 2", false)]
#[tokio::test]
async fn a_hook_that_cannot_start_is_told_apart_from_one_that_blocks(#[case] command: &str, #[case] expected: bool) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("plain"), "no program").unwrap();
    let done = run_in(folder.path(), command, "", PATIENCE).await;
    assert_eq!(matches!(done.end, End::CannotStart(_)), expected, "{done:?}");
    if !expected {
        assert_eq!(done.end, End::Exited(2));
    }
}

#[tokio::test]
async fn the_environment_is_an_allow_list() {
    let done = sh("env").await;
    let names: Vec<&str> = done.stdout.lines().filter_map(|line| line.split_once('=')).map(|pair| pair.0).collect();
    assert!(names.contains(&"PATH") && names.contains(&"ALMAGEST_DATA_DIR"), "{names:?}");
    // What the shell sets by itself.
    let shells_own = ["PWD", "OLDPWD", "SHLVL", "_"];
    let known = |name: &&str| INHERITED.contains(name) || *name == "ALMAGEST_DATA_DIR" || shells_own.contains(name);
    assert!(names.iter().all(known), "{names:?}");
    assert!(std::env::vars_os().any(|(name, _)| name == "CARGO_MANIFEST_DIR"), "there was something to keep out");
}

/// Polls: the end of a process that is not ours cannot be awaited.
async fn until(mut condition: impl FnMut() -> bool) {
    let polling = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, polling).await.unwrap();
}

async fn gone(pid_file: &Path) {
    let pid = std::fs::read_to_string(pid_file).unwrap();
    let stat = format!("/proc/{}/stat", pid.trim());
    // A zombie has ended; who reaps it is not ours to say.
    until(|| std::fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "))).await;
}
