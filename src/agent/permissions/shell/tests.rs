use super::*;
use proptest::prelude::*;
use rstest::rstest;

fn texts(command: &str) -> Vec<String> {
    match analyse(command) {
        Analysis::Parsed(commands) => commands.iter().map(SubCommand::text).collect(),
        Analysis::Unclear(why) => panic!("{command:?} is unclear: {why}"),
    }
}

#[rstest]
#[case("ls -l", &["ls -l"])]
#[case("a; b && c || d | e |& f & g\nh", &["a", "b", "c", "d", "e", "f", "g", "h"])]
#[case("(a; (b)) ; { c; }", &["a", "b", "c"])]
#[case("echo \"$(rm x)\"", &["rm x", "echo $(…)"])]
#[case("echo `rm x`", &["rm x", "echo $(…)"])]
#[case("diff <(a) <(b)", &["a", "b", "diff <(…) <(…)"])]
#[case("if a; then b; else c; fi", &["a", "b", "c"])]
#[case("for f in *.md; do wc $f; done", &["for f in *.md", "wc $f"])]
#[case("r\"\"m 'x y'", &["rm x y"])]
#[case("\\rm x", &["rm x"])]
#[case("A=1 B=2 rm x", &["rm x"])]
#[case("timeout -k 1 5 nice -n 3 rm x", &["timeout -k 1 5", "nice -n 3", "rm x"])]
#[case("env A=b rm x", &["env A=b rm x", "rm x"])]
#[case("xargs -I{} rm {}", &["xargs -I{} rm {}", "rm {}"])]
#[case("xargs -0n 1 rm", &["xargs -0n 1 rm", "rm"])]
#[case("sudo -Eu root rm x", &["sudo -Eu root rm x", "rm x"])]
#[case("sudo --user root rm x", &["sudo --user root rm x", "rm x"])]
#[case("timeout -vk 1 5 rm x", &["timeout -vk 1 5", "rm x"])]
#[case("exec -la y rm x", &["exec -la y rm x", "rm x"])]
#[case("env - rm x", &["env - rm x", "rm x"])]
#[case("nice -10 rm x", &["nice -10", "rm x"])]
#[case("find . -exec rm {} \\;", &["rm {}", "find . -exec rm {} ;"])]
#[case("find . -exec sh -c 'rm x' \\; -o -exec b +", &["rm x", "sh -c rm x", "b", "find . -exec sh -c rm x ; -o -exec b +"])]
#[case("bash -c 'a; b'", &["a", "b", "bash -c a; b"])]
#[case("eval 'rm x'", &["rm x", "eval rm x"])]
#[case("cat <<E\n$(rm x)\nE\nls", &["cat", "rm x", "ls"])]
#[case("cat <<'E'\n$(rm x)\nE\nls", &["cat", "ls"])]
#[case("a # rm x\nb", &["a", "b"])]
#[case("sudo -u root rm x", &["sudo -u root rm x", "rm x"])]
#[case("echo ${X:-$(rm x)}", &["rm x", "echo ${X:-$(…)}"])]
fn every_command_is_found(#[case] command: &str, #[case] expected: &[&str]) {
    let mut found = texts(command);
    let mut expected: Vec<String> = expected.iter().map(|text| (*text).to_owned()).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

#[rstest]
#[case("$'\\x72m' x")]
#[case("a=rm; $a x")]
#[case("${IFS}rm x")]
#[case("{rm,-rf,x}")]
#[case("r* x")]
#[case("~/bin/x")]
#[case("$(echo rm) x")]
#[case("source x")]
#[case(". x")]
#[case("coproc rm x")]
#[case("f() { rm x; }; f")]
#[case("function f { rm x; }")]
#[case("case x in y) rm;; esac")]
#[case("env -S 'rm x'")]
#[case("env LD_PRELOAD=./x.so ls")]
#[case("eval $x")]
#[case("bash x.sh")]
#[case("echo 'rm x' | sh")]
#[case("sh <<< 'rm x'")]
#[case("python3 -c 'import os'")]
#[case("perl -e1")]
#[case("awk 'BEGIN{system(\"rm x\")}'")]
#[case("echo 'open")]
#[case("echo \"open")]
#[case("echo $(open")]
#[case("(a")]
#[case("a)")]
#[case("ｒｍ x")]
#[case("гm x")]
#[case("rm\u{200b} x")]
#[case("ls\u{a0}-l")]
#[case("ls；rm x")]
#[case("ls\r\nrm x")]
#[case("ls \0")]
#[case("echo $((a[$(rm x)]))")]
#[case("((x=1))")]
#[case("test -v 'a[$(rm x)]'")]
#[case("trap 'rm x' EXIT")]
#[case("alias ls=rm")]
#[case("ls > $X")]
#[case("ls > ")]
#[case("cat <<E\nnever closed")]
#[case("echo ${x@P}")]
#[case("sudo --login rm x")]
#[case("xargs --process-slot-var X rm")]
#[case("timeout $X git log")]
#[case("nice -n $X git log")]
#[case("echo 'rm x' | xargs env")]
#[case("echo 'rm x' | xargs -I{} sh -c '{}'")]
#[case("echo rm | xargs -I% % x")]
#[case("find . -exec {} \\;")]
#[case("python3 -Bc 'import os'")]
#[case("cd secret && echo x > a")]
#[case("env -C secret cat < a")]
fn what_cannot_be_told_is_unclear(#[case] command: &str) {
    assert!(matches!(analyse(command), Analysis::Unclear(_)), "{command:?}: {:?}", analyse(command));
}

#[test]
fn long_commands_are_unclear() {
    assert!(matches!(analyse(&"a".repeat(LONGEST + 1)), Analysis::Unclear(_)));
    assert!(matches!(analyse(&format!("{}a{}", "$(".repeat(20), ")".repeat(20))), Analysis::Unclear(_)));
}

#[rstest]
#[case("a > x", "x", true)]
#[case("a >> 'x y'", "x y", true)]
#[case("a >| x", "x", true)]
#[case("a &> x", "x", true)]
#[case("a >& x", "x", true)]
#[case("a 2>x", "x", true)]
#[case("a <x", "x", false)]
#[case("a <> x", "x", true)]
#[case("cat<x", "x", false)]
#[case("> x", "x", true)]
fn redirects_are_seen(#[case] command: &str, #[case] target: &str, #[case] writes: bool) {
    let Analysis::Parsed(commands) = analyse(command) else { panic!("{command}") };
    assert_eq!(commands[0].redirects, [Redirect { target: target.into(), writes }]);
}

#[rstest]
#[case("ls -l | wc -l")]
#[case("grep -rn 'x' . 2>/dev/null | head -5")]
#[case("find . -name '*.md'")]
#[case("sed -n '1,5p' x")]
#[case("sed 's/a/b/g' x")]
#[case("sort x | uniq -c 2>&1 || true")]
#[case("git log --oneline -5")]
#[case("cd sub && pwd")]
#[case("timeout 5 cat x")]
#[case("for f in a b; do cat $f; done")]
fn reading_is_recognised(#[case] command: &str) {
    // `uniq` may write to its second operand.
    assert_eq!(is_read_only(command), !command.contains("uniq"), "{command}");
}

#[rstest]
#[case("ls > x")]
#[case("ls; rm x")]
#[case("echo $(rm x)")]
#[case("find . -delete")]
#[case("find . -exec cat {} \\;")]
#[case("sort -o x y")]
#[case("sort -uo x y")]
#[case("sort --outp=x y")]
#[case("sed -i s/a/b/ x")]
#[case("sed -n 'w x' y")]
#[case("sed 's/a/b/w x' y")]
#[case("sed 's/a/b/e' y")]
#[case("sed '1e rm x' y")]
#[case("git -c core.pager=rm log")]
#[case("git log --output=x")]
#[case("git commit")]
#[case("./ls")]
#[case("/tmp/ls")]
#[case("PATH=. ls")]
#[case("GIT_PAGER=x git log")]
#[case("ls &")]
#[case("tee x")]
#[case("xargs cat")]
#[case("env ls")]
#[case("nohup ls")]
#[case("printf -v x y")]
#[case("date -s now")]
#[case("rg --pre x y")]
#[case("")]
fn what_may_change_something_is_not_reading(#[case] command: &str) {
    assert!(!is_read_only(command), "{command}");
}

/// Ways to put a command where it might be overlooked.
fn wrapped() -> impl Strategy<Value = String> {
    let leaf = Just("rm -rf x".to_owned());
    leaf.prop_recursive(3, 8, 1, |inner| {
        let forms = vec![
            "ls; @",
            "ls && @",
            "false || @",
            "ls | @",
            "(@)",
            "{ @; }",
            "echo $(@)",
            "echo \"a $(@) b\"",
            "echo `@`",
            "cat <(@)",
            "if true; then @; fi",
            "while @; do ls; done",
            "timeout 5 @",
            "env A=b @",
            "A=b @",
            "nohup @",
            "exec @",
            "@ &",
            "ls\n@",
            "! @",
            "time @",
            "@ > /dev/null",
            "nice -n 5 @",
            "sudo @",
            "command @",
        ];
        // Backticks do not nest without backslashes.
        (inner, prop::sample::select(forms)).prop_map(|(inner, form)| match form.contains('`') && inner.contains('`') {
            true => inner,
            false => form.replace('@', &inner),
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_wrapped_command_is_found_or_unclear(command in wrapped()) {
        prop_assert!(!is_read_only(&command));
        if let Analysis::Parsed(commands) = analyse(&command) {
            prop_assert!(commands.iter().any(|found| found.text() == "rm -rf x"), "{command}: {commands:?}");
        }
    }

    #[test]
    fn nothing_panics(command in "[a-z $`'\"\\\\(){}<>&|;#\n=*~-]{0,60}") {
        let _ = analyse(&command);
    }
}
