//! Reading a `SKILL.md`: the front matter, the instructions, and what is wrong with either.
//!
//! The limits are those of the Agent Skills standard (agentskills.io, specification of 2026-08). Files come from anywhere,
//! so nothing here fails: what cannot be understood becomes a problem in words, and the rest is used.

use super::SkillMode;
use serde_json::{Map, Value};

const NAME_CHARS: usize = 64;
const DESCRIPTION_CHARS: usize = 1_024;
const COMPATIBILITY_CHARS: usize = 500;
const BODY_LINES: usize = 500;
/// Bytes of front matter that are read as YAML.
const FRONT_MATTER_BYTES: usize = 16 * 1024;
/// Values in front matter, and how deep they may nest.
const MOST_NODES: usize = 10_000;
const DEEPEST: usize = 32;

/// What a file says.
pub(super) struct Parsed {
    pub(super) description: String,
    pub(super) mode: SkillMode,
    pub(super) fields: Map<String, Value>,
    pub(super) body: String,
    pub(super) problems: Vec<String>,
}

/// Reads the file of the skill in the folder of this name.
pub(super) fn parse(folder: &str, bytes: &[u8]) -> Parsed {
    let mut problems = Vec::new();
    let text = String::from_utf8_lossy(bytes);
    if matches!(text, std::borrow::Cow::Owned(_)) {
        problems.push("The file is not in UTF-8; other characters are replaced. Save it as UTF-8.".to_owned());
    }
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let (yaml, body) = split(&text, &mut problems);
    let fields = yaml.map(|yaml| fields(yaml, &mut problems)).unwrap_or_default();
    let body = body.trim().to_owned();

    check_name(folder, &fields, &mut problems);
    let mut description = scalar(&fields, "description").unwrap_or_default();
    if description.is_empty() {
        problems.push(
            "`description` is missing; the first paragraph stands in. Say what it does and when to use it.".into(),
        );
        description = first_paragraph(&body);
    }
    check_length("description", &description, DESCRIPTION_CHARS, &mut problems);
    check_length(
        "compatibility",
        &scalar(&fields, "compatibility").unwrap_or_default(),
        COMPATIBILITY_CHARS,
        &mut problems,
    );
    if fields.get("metadata").is_some_and(|metadata| !is_plain_map(metadata)) {
        problems.push("`metadata` should be a map of names to texts.".into());
    }
    if body.is_empty() {
        problems.push("There are no instructions below the front matter. Write them there.".into());
    }
    if body.lines().count() > BODY_LINES {
        problems.push(format!(
            "The instructions have more than {BODY_LINES} lines. Move details into files beside `SKILL.md` and name them."
        ));
    }
    let mode = match scalar(&fields, "context").as_deref() {
        Some("fork") => SkillMode::Fork,
        Some(_) | None => SkillMode::Inline,
    };
    Parsed { description, mode, fields, body, problems }
}

/// The YAML between the first two lines of `---`, and what comes after.
fn split<'t>(text: &'t str, problems: &mut Vec<String>) -> (Option<&'t str>, &'t str) {
    let is_fence = |line: &str| line.trim_end() == "---";
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| is_fence(line)) else {
        problems.push(
            "There is no front matter: the file should begin with a line `---`, then `name` and `description`.".into(),
        );
        return (None, text);
    };
    let mut end = first.len();
    for line in lines {
        if is_fence(line) {
            return (Some(&text[first.len()..end]), &text[end + line.len()..]);
        }
        end += line.len();
    }
    problems.push("The front matter has no end: put a line `---` after it.".into());
    (None, text)
}

fn fields(yaml: &str, problems: &mut Vec<String>) -> Map<String, Value> {
    if yaml.len() > FRONT_MATTER_BYTES {
        problems.push(format!("The front matter is larger than {} KiB and is not read.", FRONT_MATTER_BYTES / 1024));
        return Map::new();
    }
    if yaml.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Map::new();
    }
    // A few kilobytes can name millions of nodes by aliases; honest front matter has dozens.
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_nodes: MOST_NODES, max_depth: DEEPEST },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MOST_NODES },
    };
    match serde_saphyr::from_str_with_options::<Map<String, Value>>(yaml, options) {
        Ok(fields) => fields,
        Err(error) => {
            let why = error.without_snippet().to_string();
            let why: String = why.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(200).collect();
            problems.push(format!(
                "The front matter is no valid YAML ({why}); its plain lines are used. Quote texts that contain `: ` or `#`."
            ));
            plain_lines(yaml)
        }
    }
}

/// `key: text` lines, for front matter that people write and YAML refuses: mostly a colon in the description.
fn plain_lines(yaml: &str) -> Map<String, Value> {
    yaml.lines()
        .filter(|line| line.starts_with(|c: char| c.is_ascii_alphabetic()))
        .filter_map(|line| line.split_once(':'))
        .map(|(key, text)| {
            let text = text.trim();
            let unquoted = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
            (key.trim().to_owned(), Value::String(unquoted.unwrap_or(text).to_owned()))
        })
        .collect()
}

fn check_name(folder: &str, fields: &Map<String, Value>, problems: &mut Vec<String>) {
    match scalar(fields, "name") {
        None => problems.push(format!("`name` is missing. Write `name: {folder}`.")),
        Some(name) if name != folder => {
            let name: String = name.chars().take(NAME_CHARS).collect();
            problems
                .push(format!("`name` is `{name}`, but the folder is `{folder}`, and that counts. Make them equal."));
        }
        Some(_) => {}
    }
    let plain = folder.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    let hyphens = folder.starts_with('-') || folder.ends_with('-') || folder.contains("--");
    if !plain || hyphens || folder.is_empty() || folder.len() > NAME_CHARS {
        problems.push(format!(
            "A skill's name should have lower-case letters, digits and single hyphens, {NAME_CHARS} at most. Rename the folder."
        ));
    }
}

fn check_length(field: &str, text: &str, limit: usize, problems: &mut Vec<String>) {
    let length = text.chars().count();
    if length > limit {
        problems.push(format!("`{field}` has {length} characters; the standard allows {limit}. Shorten it."));
    }
}

/// A field's text; numbers and truth values as they are written.
fn scalar(fields: &Map<String, Value>, key: &str) -> Option<String> {
    let text = match fields.get(key)? {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    };
    (!text.is_empty()).then_some(text)
}

fn is_plain_map(value: &Value) -> bool {
    value.as_object().is_some_and(|map| map.values().all(|value| !value.is_object() && !value.is_array()))
}

/// The first lines that are no heading, up to a blank one.
fn first_paragraph(body: &str) -> String {
    let lines = body.lines().map(str::trim).skip_while(|line| line.is_empty() || line.starts_with('#'));
    let paragraph = lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    paragraph.chars().take(DESCRIPTION_CHARS).collect()
}
