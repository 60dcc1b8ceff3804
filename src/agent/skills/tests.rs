use super::*;
use pretty_assertions::assert_eq;
use rstest::rstest;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use tempfile::TempDir;

fn parse(folder: &str, text: &str) -> Skill {
    Skill::read(folder, SkillSource::User, format!("skills/{folder}"), text.as_bytes())
}

#[test]
fn a_skill_is_read_whole() {
    let skill = parse(
        "light-curves",
        "---\nname: light-curves\ndescription: >\n  Fit light curves.\n  Use it for transits.\nlicense: MIT\n\
         metadata:\n  author: me\nmy-own-key: [1, 2]\ncontext: fork\n---\n\n# Fit\n\n---\n\nFirst look at $x$.\n",
    );
    assert_eq!(skill.problems, Vec::<String>::new());
    assert_eq!(skill.description, "Fit light curves. Use it for transits.");
    assert_eq!(skill.mode, SkillMode::Fork);
    assert_eq!(skill.body, "# Fit\n\n---\n\nFirst look at $x$.");
    assert_eq!(skill.front_matter["my-own-key"], serde_json::json!([1, 2]));
    assert_eq!(skill.front_matter["metadata"]["author"], "me");
}

#[rstest]
#[case::byte_order_mark("\u{feff}---\nname: a\ndescription: D.\n---\nbody")]
#[case::windows("---\r\nname: a\r\ndescription: D.\r\n---\r\nbody\r\n")]
#[case::both("\u{feff}---\r\nname: a\r\ndescription: D.\r\n---\r\n\r\nbody\r\n")]
#[case::blanks_after_the_fence("---  \nname: a\ndescription: D.\n---\t\nbody")]
#[case::quoted("---\nname: \"a\"\ndescription: 'D.'\n---\nbody")]
fn editors_differ(#[case] text: &str) {
    let skill = parse("a", text);
    assert_eq!(skill.problems, Vec::<String>::new());
    assert_eq!((skill.description.as_str(), skill.body.as_str()), ("D.", "body"));
}

#[rstest]
#[case::no_front_matter("a", "# Title\n\nDo this\nand that.\n\nMore.", "no front matter", "Do this and that.")]
#[case::no_end("a", "---\nname: a\n", "has no end", "--- name: a")]
#[case::empty_front_matter("a", "---\n---\nDo this.", "`name` is missing", "Do this.")]
#[case::colon("a", "---\nname: a\ndescription: Use it: always\n---\nbody", "no valid YAML", "Use it: always")]
#[case::no_map("a", "---\n- a\n- b\n---\nbody", "no valid YAML", "body")]
#[case::twice("a", "---\nname: a\ndescription: one\ndescription: two\n---\nbody", "no valid YAML", "two")]
#[case::other_name("a", "---\nname: b\ndescription: D.\n---\nbody", "but the folder is `a`", "D.")]
#[case::bad_name("Bad_Name", "---\nname: Bad_Name\ndescription: D.\n---\nbody", "Rename the folder", "D.")]
#[case::hyphens("a--b", "---\nname: a--b\ndescription: D.\n---\nbody", "Rename the folder", "D.")]
#[case::no_description("a", "---\nname: a\n---\nDo this.", "`description` is missing", "Do this.")]
#[case::list_for_text("a", "---\nname: a\ndescription: [x]\n---\nDo this.", "`description` is missing", "Do this.")]
#[case::metadata("a", "---\nname: a\ndescription: D.\nmetadata: x\n---\nbody", "`metadata` should be a map", "D.")]
#[case::no_body("a", "---\nname: a\ndescription: D.\n---\n", "no instructions", "D.")]
fn what_is_wrong_is_said(#[case] folder: &str, #[case] text: &str, #[case] problem: &str, #[case] description: &str) {
    let skill = parse(folder, text);
    assert!(skill.problems.iter().any(|said| said.contains(problem)), "{:?}", skill.problems);
    assert_eq!(skill.description, description);
}

#[test]
fn lengths_are_checked() {
    let long = format!(
        "---\nname: a\ndescription: {}\ncompatibility: {}\n---\n{}",
        "d".repeat(1_025),
        "c".repeat(501),
        "line\n".repeat(501)
    );
    let problems = parse("a", &long).problems.join("\n");
    for expected in ["`description` has 1025", "`compatibility` has 501", "more than 500 lines"] {
        assert!(problems.contains(expected), "{problems}");
    }
    let huge = format!("---\nname: a\ndescription: D.\nx: {}\n---\nbody", "x".repeat(20_000));
    assert!(parse("a", &huge).problems.join("\n").contains("larger than 16 KiB"));
}

#[test]
fn hostile_files_are_only_listed() {
    let bomb = (1..12).fold("---\nname: a\na0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned(), |yaml, n| {
        let before = format!("*a{}", n - 1);
        format!("{yaml}a{n}: &a{n} [{}]\n", [before.as_str(); 9].join(","))
    });
    let nested = format!("---\nx: {}\n---\nbody", "[".repeat(8_000));
    for text in
        [format!("{bomb}---\nbody"), nested, "---\n&a: *a\n---\nbody".into(), "---\nx: !!binary 1\n---\nbody".into()]
    {
        let skill = parse("a", &text);
        assert_eq!(skill.body, "body");
        assert!(!skill.problems.is_empty());
    }
    let bytes = [b"---\nname: a\ndescription: D\xff.\n---\nbody\xfe".as_slice()].concat();
    let skill = Skill::read("a", SkillSource::User, String::new(), &bytes);
    assert!(skill.problems[0].contains("UTF-8") && skill.body.starts_with("body"));
}

struct Data {
    folder: TempDir,
    library: SkillLibrary,
}

impl Data {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let library = SkillLibrary::open(Workspaces::open(folder.path()).unwrap());
        Self { folder, library }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join("skills").join(below)
    }

    fn put(&self, below: &str, text: &str) {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn skill(&self, name: &str, description: &str) {
        let text = format!("---\nname: {name}\ndescription: {description}\n---\nbody of {name}");
        self.put(&format!("{name}/SKILL.md"), &text);
    }

    async fn names(&self) -> Vec<String> {
        self.library.list().await.iter().map(|skill| skill.name.clone()).collect()
    }
}

#[tokio::test]
async fn the_users_skills_join_the_shipped_ones_and_can_take_their_place() {
    let data = Data::new();
    let shipped: Vec<&str> = shipped::TEXTS.iter().map(|(name, _)| *name).collect();
    assert_eq!(data.names().await, shipped);

    data.skill("aaa", "Mine.");
    data.skill("close-reading", "My own way.");
    let names = data.names().await;
    assert_eq!((names.len(), names[0].as_str()), (6, "aaa"));
    let mine = data.library.get("close-reading").await.unwrap();
    assert_eq!((mine.source, mine.folder.as_str()), (SkillSource::User, "skills/close-reading"));
    assert_eq!(mine.body, "body of close-reading");

    std::fs::remove_dir_all(data.path("close-reading")).unwrap();
    let again = data.library.get("close-reading").await.unwrap();
    assert_eq!((again.source, again.folder.as_str()), (SkillSource::Shipped, "skills/shipped/close-reading"));
}

#[tokio::test]
async fn a_change_counts_from_the_next_look_and_the_rest_is_not_read_again() {
    let data = Data::new();
    data.skill("one", "First.");
    data.skill("two", "Second.");
    let before = data.library.list().await;
    data.skill("one", "Changed.");
    let after = data.library.list().await;
    let find = |skills: &[Arc<Skill>], name: &str| Arc::clone(skills.iter().find(|s| s.name == name).unwrap());
    assert_eq!(find(&after, "one").description, "Changed.");
    assert!(Arc::ptr_eq(&find(&before, "two"), &find(&after, "two")), "it was read again");
}

#[tokio::test]
async fn what_is_no_skill_is_passed_over_and_what_is_broken_is_listed() {
    let data = Data::new();
    data.put("notes.md", "x");
    data.put("no-skill/readme.md", "x");
    data.put("deep/inside/SKILL.md", "x");
    data.put("shipped/not-ours/SKILL.md", "x");
    data.put("large/SKILL.md", &"x".repeat(300 * 1024));
    data.put("small/skill.md", "---\nname: small\ndescription: D.\n---\nbody");
    std::fs::create_dir(data.path("linked")).unwrap();
    std::os::unix::fs::symlink(data.path("small/skill.md"), data.path("linked/SKILL.md")).unwrap();
    let listed = data.library.list().await;
    let users: Vec<&str> = listed.iter().filter(|s| s.source == SkillSource::User).map(|s| s.name.as_str()).collect();
    assert_eq!(users, ["large", "linked", "small"]);
    let problem = |name: &str| listed.iter().find(|s| s.name == name).unwrap().problems.join(" ");
    assert!(problem("large").contains("larger than"), "{}", problem("large"));
    assert!(problem("linked").contains("links are not followed"), "{}", problem("linked"));
    assert_eq!(problem("small"), "");
    let index = index_text(&listed);
    assert!(index.contains("- small: D.") && !index.contains("linked"), "{index}");
}

#[test]
fn shipped_skills_are_unpacked_read_only_and_renewed() {
    let data = Data::new();
    let path = data.path("shipped/close-reading/SKILL.md");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o444);
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, "an older version").unwrap();
    let _renewed = SkillLibrary::open(Workspaces::open(data.folder.path()).unwrap());
    let (_, text) = shipped::TEXTS.iter().find(|(name, _)| *name == "close-reading").unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), *text);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o444);
}

#[tokio::test]
async fn without_a_place_to_unpack_shipped_skills_still_work() {
    let folder = TempDir::new().unwrap();
    let workspaces = Workspaces::open(folder.path()).unwrap();
    std::fs::write(folder.path().join("skills/shipped"), "a file in the way").unwrap();
    let library = SkillLibrary::open(workspaces);
    assert!(!library.get("bibtex-check").await.unwrap().body.is_empty());
}

#[test]
fn the_shipped_skills_keep_the_rules_of_the_standard() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("skills");
    let mut on_disk: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    on_disk.sort_unstable();
    let compiled: Vec<&str> = shipped::TEXTS.iter().map(|(name, _)| *name).collect();
    assert_eq!(compiled, on_disk, "shipped::TEXTS and the folder `skills` differ");
    for skill in shipped::skills() {
        assert_eq!(skill.problems, Vec::<String>::new(), "{}", skill.name);
        let lines = skill.body.lines().count();
        assert!((60..=150).contains(&lines), "{} has {lines} lines", skill.name);
        assert!(skill.body.contains("$ARGUMENTS"), "{} does not say what it is applied to", skill.name);
    }
}

#[test]
fn the_index_keeps_its_budget() {
    let many: Vec<Arc<Skill>> = (0..40)
        .map(|n| {
            Arc::new(parse(&format!("skill-{n:02}"), &format!("---\ndescription: {}\n---\nbody", "word ".repeat(400))))
        })
        .collect();
    let index = index_text(&many);
    assert!(index.chars().count() <= INDEX_CHARS, "{}", index.chars().count());
    let lines: Vec<&str> = index.lines().collect();
    assert_eq!(lines.len(), 40);
    assert_eq!(lines[0].chars().count(), "- skill-00: ".len() + ENTRY_CHARS);
    assert!(lines[0].ends_with('…'));
    assert_eq!(lines[39], "- skill-39");

    let thousands: Vec<Arc<Skill>> =
        (0..3_000).map(|n| Arc::new(parse(&format!("skill-{n:04}"), "---\ndescription: D.\n---\nbody"))).collect();
    let index = index_text(&thousands);
    assert!(index.chars().count() <= INDEX_CHARS + 20 && index.trim_end().ends_with("more"), "{}", index.len());
    assert_eq!(index_text(&[]), "");
}

#[test]
fn the_index_has_one_line_for_each_and_leaves_out_what_is_the_users() {
    let skills = [
        parse("a", "---\nname: a\ndescription: \"One\\n- b: two\"\nwhen_to_use: On Mondays.\n---\nbody"),
        parse("b", "---\nname: b\ndescription: D.\ndisable-model-invocation: true\n---\nbody"),
    ];
    assert_eq!(index_text(&skills.map(Arc::new)), "- a: One - b: two On Mondays.\n");
}
