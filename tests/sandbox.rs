//! What a confined command cannot do, tried by real commands in a real sandbox, at each level that this machine offers.
#![expect(clippy::unwrap_used, reason = "the helpers of tests fail like tests")]

use almagest::sandbox::{End, Isolation, Limits, Outcome, Policy, Sandbox, Stopped, system_folders};
use std::collections::BTreeMap;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Folders as the product has them.
struct Desk {
    _folder: tempfile::TempDir,
    data: PathBuf,
    workspace: PathBuf,
}

fn sandbox() -> Sandbox {
    Sandbox::new(env!("CARGO_BIN_EXE_almagest").into())
}

impl Desk {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().canonicalize().unwrap().join("data");
        let workspace = data.join("workspace/ada");
        fs::create_dir_all(workspace.join(".git")).unwrap();
        fs::create_dir_all(data.join("workspace/eve")).unwrap();
        fs::create_dir_all(data.join("library")).unwrap();
        fs::write(workspace.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(data.join("workspace/eve/notes.md"), "the secret of eve\n").unwrap();
        fs::write(data.join("almagest.db"), "the secret database\n").unwrap();
        fs::write(data.join("library/paper.md"), "a paper\n").unwrap();
        Self { _folder: folder, data, workspace }
    }

    fn policy(&self, isolation: Isolation, script: &str) -> Policy {
        let mut readable = system_folders();
        readable.push(self.data.join("library"));
        Policy {
            command: ["/bin/bash", "-c", script].map(str::to_owned).to_vec(),
            environment: BTreeMap::from([
                ("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned()),
                ("HOME".to_owned(), self.workspace.display().to_string()),
            ]),
            input: None,
            folder: self.workspace.clone(),
            readable,
            writable: vec![self.workspace.clone()],
            read_only_inside: vec![self.workspace.join(".git")],
            limits: Limits::of_command(20),
            isolation,
        }
    }
}

/// The levels that can be had here; says so when it is not all of them.
async fn levels() -> Vec<Isolation> {
    let sandbox = sandbox();
    let probed = sandbox.probed().await;
    let all = [Isolation::Full, Isolation::Files];
    let levels: Vec<Isolation> = all.into_iter().filter(|level| *level <= probed.isolation).collect();
    if levels.len() < all.len() {
        eprintln!("skipped in part: the best isolation here is {:?}, since {}", probed.isolation, probed.reason);
    }
    levels
}

async fn run(policy: Policy) -> Outcome {
    sandbox().run(policy).await.unwrap()
}

/// Runs a script at every level and hands over what came of it.
async fn each(script: &str, check: impl Fn(Isolation, &Desk, Outcome)) {
    for level in levels().await {
        let desk = Desk::new();
        let outcome = run(desk.policy(level, &script.replace("$DATA", &desk.data.display().to_string()))).await;
        check(level, &desk, outcome);
    }
}

/// Asserts that a script says nothing of what it must not see, and that it ran at all: its last word is `end`.
async fn says_nothing(script: &str, secrets: &[&str]) {
    each(&format!("{script}\necho end"), |level, _, outcome| {
        let said = format!("{}{}", outcome.stdout.text(), outcome.stderr.text());
        assert!(outcome.stdout.text().ends_with("end\n"), "{level:?}: {outcome:?} {said}");
        for secret in secrets {
            assert!(!said.contains(secret), "{level:?}: {said}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_command_works_in_its_folder() {
    let script = "echo hello > a.txt; cat a.txt; cat \"$DATA/library/paper.md\"; ls /usr/bin/env; echo oops >&2; \
                  mkdir -p b/c && mv a.txt b/c/d.txt; t=$(mktemp); echo x > $t; cat $t; exit 3";
    each(script, |level, desk, outcome| {
        assert_eq!(outcome.end, End::Exited(3), "{level:?} {}", outcome.stderr.text());
        assert_eq!(outcome.stdout.text(), "hello\na paper\n/usr/bin/env\nx\n");
        assert_eq!(outcome.stderr.text(), "oops\n");
        assert_eq!(fs::read_to_string(desk.workspace.join("b/c/d.txt")).unwrap(), "hello\n");
    })
    .await;
}

#[tokio::test]
async fn the_environment_of_the_server_is_not_inherited() {
    // Set for this process, as the key of a provider is for the server.
    for level in levels().await {
        let desk = Desk::new();
        let policy = desk.policy(level, "env; cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; echo end");
        let said = run(policy).await.stdout.text();
        assert!(said.ends_with("end\n"));
        let mine: Vec<String> =
            std::env::vars().map(|(name, _)| name).filter(|name| name.starts_with("CARGO")).collect();
        assert!(!mine.is_empty(), "the runner of tests sets some");
        for name in mine {
            assert!(!said.contains(&name), "{level:?}: {said}");
        }
        let allowed = ["PATH", "HOME", "TMPDIR", "PWD", "SHLVL", "_", "OLDPWD"];
        let own = said.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name);
        assert!(own.clone().all(|name| allowed.contains(&name)), "{level:?}: {:?}", own.collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn files_of_others_are_out_of_reach() {
    says_nothing(
        "cat $DATA/almagest.db; cat $DATA/workspace/eve/notes.md; ls $DATA $DATA/workspace; cd ../eve && cat notes.md; cd -; \
         ln -s $DATA/workspace/eve/notes.md stolen; cat stolen; ln $DATA/workspace/eve/notes.md hard; cat hard; \
         cp -r $DATA/workspace/eve copy; cat copy/*; cat /etc/shadow; ls /root /home; find / -name almagest.db 2>/dev/null",
        &["the secret", "root:", "almagest.db\n"],
    )
    .await;
    each("echo x > $DATA/almagest.db; echo x > $DATA/library/paper.md; rm -rf $DATA/workspace/eve $DATA/library; touch /tmp/almagest-was-here /usr/almagest-was-here; exit 0", |level, desk, _| {
        assert_eq!(fs::read_to_string(desk.data.join("almagest.db")).unwrap(), "the secret database\n", "{level:?}");
        assert_eq!(fs::read_to_string(desk.data.join("library/paper.md")).unwrap(), "a paper\n", "{level:?}");
        assert!(desk.data.join("workspace/eve/notes.md").exists(), "{level:?}");
        assert!(!Path::new("/tmp/almagest-was-here").exists() && !Path::new("/usr/almagest-was-here").exists());
    })
    .await;
}

#[tokio::test]
async fn the_history_is_read_and_not_written_in_full_isolation() {
    if levels().await.contains(&Isolation::Full) {
        let desk = Desk::new();
        let script =
            "cat .git/HEAD; echo x > .git/HEAD; rm -rf .git; mv .git elsewhere; touch .git/hook; echo new > new.txt";
        let outcome = run(desk.policy(Isolation::Full, script)).await;
        assert!(outcome.stdout.text().starts_with("ref: refs"), "{}", outcome.stderr.text());
        assert_eq!(fs::read_to_string(desk.workspace.join(".git/HEAD")).unwrap(), "ref: refs/heads/main\n");
        assert!(desk.workspace.join("new.txt").exists() && !desk.workspace.join(".git/hook").exists());
    }
}

#[tokio::test]
async fn there_is_no_network() {
    let (tcp, udp) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
    let (tcp_port, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    for level in levels().await {
        let desk = Desk::new();
        // In the workspace, where files may be opened: connecting is another matter.
        let socket = UnixListener::bind(desk.workspace.join("socket")).unwrap();
        socket.set_nonblocking(true).unwrap();
        let script = format!(
            "exec 3<>/dev/tcp/127.0.0.1/{tcp_port} && echo CONNECTED; echo x > /dev/udp/127.0.0.1/{udp_port} && echo SENT; \
             python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('socket'); print('CONNECTED')\"; \
             python3 -c \"import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {udp_port})); print('SENT')\"; \
             python3 -c \"import socket; a, b = socket.socketpair(); a.send(b'pair'); print(b.recv(9))\"; echo end"
        );
        let outcome = run(desk.policy(level, &script)).await;
        let said = outcome.stdout.text();
        assert!(said.ends_with("end\n") && !said.contains("CONNECTED") && !said.contains("SENT"), "{level:?}: {said}");
        if Path::new("/usr/bin/python3").exists() {
            assert!(said.contains("b'pair'"), "a pair of sockets reaches nobody: {}", outcome.stderr.text());
        }
        assert!(tcp.accept().is_err(), "{level:?}: a connection arrived");
        assert!(udp.recv(&mut [0; 8]).is_err(), "{level:?}: a datagram arrived");
        assert!(socket.accept().is_err(), "{level:?}: a connection arrived");
    }
}

#[tokio::test]
async fn other_processes_are_neither_seen_nor_signalled() {
    let me = std::process::id();
    let mut other = std::process::Command::new("sleep").arg("600").spawn().unwrap();
    let victim = other.id();
    let script = format!(
        "cat /proc/{me}/cmdline /proc/{me}/environ /proc/{me}/maps /proc/{me}/root/etc/hostname | head -c 300; ls /proc/{me}/fd; \
         kill -9 {me}; kill -9 {victim}; kill -TERM {me}; kill -9 -1; echo survived"
    );
    for level in levels().await {
        let desk = Desk::new();
        let outcome = run(desk.policy(level, &script)).await;
        let said = outcome.stdout.text();
        assert!(!said.contains("sandbox"), "{level:?} sees {said}");
        assert!(other.try_wait().unwrap().is_none(), "{level:?} has killed another process");
    }
    other.kill().unwrap();
    other.wait().unwrap();
}

#[tokio::test]
async fn a_background_process_ends_with_its_command() {
    let script = "nohup sh -c 'while :; do echo alive >> beat; sleep 0.05; done' >/dev/null 2>&1 & \
                  setsid sh -c 'while :; do echo alive >> beat2; sleep 0.05; done' >/dev/null 2>&1 & \
                  (setsid sh -c 'while :; do echo alive >> beat3; sleep 0.05; done' & ) ; disown -a; \
                  until [ -s beat ] && [ -s beat2 ] && [ -s beat3 ]; do :; done; echo started";
    each(script, |level, desk, outcome| {
        assert_eq!(outcome.stdout.text(), "started\n", "{level:?}");
        let sizes = || ["beat", "beat2", "beat3"].map(|name| fs::metadata(desk.workspace.join(name)).unwrap().len());
        let before = sizes();
        // There is nothing to wait for: what has ended never writes again.
        std::process::Command::new("sleep").arg("0.3").status().unwrap();
        assert_eq!(sizes(), before, "{level:?}: something is still alive");
    })
    .await;
}

#[tokio::test]
async fn a_fork_bomb_is_ended() {
    for level in levels().await {
        let desk = Desk::new();
        // It doubles like any other, but ends by itself: a test that fails must not take the machine with it.
        let bomb = "bomb() { if [ $1 -gt 10 ]; then sleep 10; else bomb $(($1+1)) & bomb $(($1+1)) & wait; fi; }; bomb 0; echo end";
        let outcome = run(desk.policy(level, bomb)).await;
        assert_eq!((outcome.end, outcome.stopped), (End::Stopped, Some(Stopped::Processes)), "{level:?}");
        assert!(!outcome.stdout.text().contains("end"));
    }
}

#[tokio::test]
async fn memory_is_bounded() {
    if !Path::new("/usr/bin/python3").exists() {
        eprintln!("skipped: there is no python3");
        return;
    }
    for level in levels().await {
        let desk = Desk::new();
        let mut policy =
            desk.policy(level, "python3 -c \"x = bytearray(900_000_000); import time; time.sleep(15)\"; echo end");
        policy.limits.memory = 300 << 20;
        let outcome = run(policy).await;
        assert_eq!(outcome.stopped, Some(Stopped::Memory), "{level:?} {}", outcome.stderr.text());
    }
}

fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().split(' ').next().unwrap().parse::<u64>().unwrap() * 1024
}

#[tokio::test]
async fn ten_gigabytes_of_output_end_it_and_cost_nothing() {
    for level in levels().await {
        let desk = Desk::new();
        let mut policy = desk.policy(level, "echo begin; head -c 10G /dev/zero; echo end");
        policy.limits.output = 200 << 20;
        let before = resident();
        let outcome = run(policy).await;
        assert_eq!(outcome.stopped, Some(Stopped::Output), "{level:?}");
        assert!(outcome.stdout.text().starts_with("begin\n") && outcome.stdout.total() > 200 << 20);
        assert!(outcome.stdout.text().contains("bytes of output are left out"));
        assert!(resident() < before + (64 << 20), "{level:?}: the output was kept in memory");
    }
}

#[tokio::test]
async fn a_large_output_is_kept_at_both_ends() {
    each("seq 1 400000", |level, _, outcome| {
        let text = outcome.stdout.text();
        assert!(text.starts_with("1\n2\n") && text.ends_with("399999\n400000\n"), "{level:?}");
        assert_eq!(outcome.end, End::Exited(0));
    })
    .await;
}

#[tokio::test]
async fn the_deadline_ends_everything() {
    for level in levels().await {
        let desk = Desk::new();
        let mut policy = desk.policy(level, "trap '' TERM INT HUP; echo began; sleep 600 & sleep 600; echo end");
        policy.limits.wall_secs = 3;
        let outcome = run(policy).await;
        assert_eq!((outcome.end, outcome.stopped), (End::Stopped, Some(Stopped::Deadline)), "{level:?}");
        assert_eq!(outcome.stdout.text(), "began\n");
    }
}

#[tokio::test]
async fn files_have_a_largest_size() {
    for level in levels().await {
        let desk = Desk::new();
        let mut policy = desk.policy(level, "head -c 50M /dev/zero > large; echo $?");
        policy.limits.file_bytes = 1 << 20;
        run(policy).await;
        assert_eq!(fs::metadata(desk.workspace.join("large")).unwrap().len(), 1 << 20, "{level:?}");
    }
}

#[tokio::test]
async fn whoever_stops_waiting_ends_it() {
    for level in levels().await {
        let desk = Desk::new();
        let policy = desk.policy(level, "(while :; do echo alive >> beat; sleep 0.02; done) & sleep 600");
        let running = tokio::spawn(async move { sandbox().run(policy).await });
        let beat = desk.workspace.join("beat");
        while fs::metadata(&beat).map_or(0, |metadata| metadata.len()) == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        running.abort();
        assert!(running.await.unwrap_err().is_cancelled());
        // It ends within moments: what matters is that it stops at all.
        let mut still = 0;
        let mut size = 0;
        while still < 10 {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let now = fs::metadata(&beat).unwrap().len();
            still = if now == size { still + 1 } else { 0 };
            size = now;
            assert!(size < 1_000_000, "{level:?}: it goes on");
        }
    }
}

#[tokio::test]
async fn ends_and_outputs_of_every_kind_are_told() {
    each("kill -SEGV $$; kill -KILL $$", |level, _, outcome| {
        assert!(matches!(outcome.end, End::Signalled(9 | 11)), "{level:?} {:?}", outcome.end);
    })
    .await;
    each("printf '\\xff\\xfeabc'", |level, _, outcome| {
        assert_eq!(outcome.stdout.text(), "\u{fffd}\u{fffd}abc", "{level:?}");
    })
    .await;
    for level in levels().await {
        let desk = Desk::new();
        let mut policy = desk.policy(level, "");
        policy.command[0] = "/bin/no-such-shell".into();
        let outcome = run(policy).await;
        assert_eq!(outcome.end, End::Exited(126), "{level:?}");
        assert!(outcome.stderr.text().contains("the command was not run"), "{}", outcome.stderr.text());
        let mut policy = desk.policy(level, "");
        policy.folder = desk.data.join("nowhere");
        assert!(sandbox().run(policy).await.unwrap_err().to_string().contains("was not run"), "{level:?}");
    }
}

#[tokio::test]
async fn nothing_stays_in_the_folder_for_temporary_files() {
    let leftovers = || {
        let entries = fs::read_dir(std::env::temp_dir()).unwrap().flatten();
        entries
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("almagest-run-"))
            .map(|entry| entry.path())
            .collect::<Vec<_>>()
    };
    for level in levels().await {
        let desk = Desk::new();
        let outcome = run(desk.policy(level, "mkdir -p $TMPDIR/x && chmod 500 $TMPDIR/x; echo $TMPDIR")).await;
        let folder = PathBuf::from(outcome.stdout.text().trim());
        assert!(folder.starts_with(std::env::temp_dir().canonicalize().unwrap()), "{level:?} {folder:?}");
        assert!(!leftovers().contains(&folder.parent().unwrap().to_owned()), "{level:?}");
    }
}
