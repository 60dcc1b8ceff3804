//! What is worth remembering: the check that every memory passes when it is written.
//!
//! Memories outlive their conversation, so what is only true now, says nothing by itself, or is found elsewhere better
//! (code, keys) stays out. Refusing says why, so that a model can say it better.

/// Characters of a memory at least; half as many where a character is a word.
const SHORTEST: usize = 16;
/// Characters of a memory at most.
const LONGEST: usize = 800;

/// Why something is not remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is too short to mean anything later.
    #[error("Not remembered: it is too short to be understood later. Say who or what it is about in a full sentence.")]
    TooShort,
    /// It is too long.
    #[error(
        "Not remembered: it is longer than {LONGEST} characters. Keep the one thing that will matter, or write a file."
    )]
    TooLong,
    /// It points at something that is only clear in its conversation.
    #[error("Not remembered: it is vague outside this conversation. Name the thing instead of pointing at it.")]
    Vague,
    /// It is true only for the moment.
    #[error("Not remembered: it is about this moment and will not be true later. Keep what lasts.")]
    Transient,
    /// It is code, a command or data.
    #[error("Not remembered: it looks like code or data. Put it into a file and remember where it is.")]
    CodeLike,
    /// It holds a password or a key.
    #[error("Not remembered: it looks like a password or a key, and those are never stored.")]
    Secret,
}

/// Beginnings that point at what only this conversation shows.
const VAGUE: &[&str] =
    &["this ", "that ", "it ", "these ", "those ", "he ", "she ", "they ", "the above", "这个", "那个", "它"];
/// Words for things that pass.
const TRANSIENT: &[&str] = &[
    "right now",
    "just now",
    "at the moment",
    "currently running",
    "in progress",
    "today",
    "tomorrow",
    "yesterday",
    "this session",
    "this conversation",
    "this chat",
    "this turn",
    "next step",
    "for now",
    "is running",
    "刚才",
    "正在",
    "今天",
    "明天",
    "昨天",
    "目前正",
    "本次对话",
    "本次会话",
    "这次对话",
];
/// Names of what must not be kept, and what is said with them.
const SECRETS: &[&str] = &[
    "password",
    "passwd",
    "api key",
    "api_key",
    "apikey",
    "secret key",
    "access token",
    "bearer ",
    "private key",
    "密码",
    "密钥",
];

/// Checks a text; answers it with white space made plain.
///
/// # Errors
/// With the reason, in words for the model.
pub fn check(text: &str) -> Result<String, Refusal> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = text.to_lowercase();
    let weight: usize =
        text.chars().map(|c| if c.is_alphabetic() && !c.is_ascii() && is_word(c) { 2 } else { 1 }).sum();
    if weight < SHORTEST {
        return Err(Refusal::TooShort);
    }
    if text.chars().count() > LONGEST {
        return Err(Refusal::TooLong);
    }
    if SECRETS.iter().any(|name| lower.contains(name)) || text.split(' ').any(is_key) {
        return Err(Refusal::Secret);
    }
    if is_code(&text) {
        return Err(Refusal::CodeLike);
    }
    if TRANSIENT.iter().any(|word| lower.contains(word)) {
        return Err(Refusal::Transient);
    }
    if VAGUE.iter().any(|beginning| lower.starts_with(beginning)) {
        return Err(Refusal::Vague);
    }
    Ok(text)
}

/// Characters of scripts that write no blanks between words.
fn is_word(c: char) -> bool {
    matches!(u32::from(c), 0x2E80..=0x9FFF | 0xAC00..=0xD7FF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

/// A long run of mixed letters and digits without the form of an identifier that astronomers use.
fn is_key(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let long = word.len() >= 32 && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_uuid = word.len() == 36 && word.bytes().filter(|b| *b == b'-').count() == 4;
    (long && digits >= 4 && digits < word.len() && !is_uuid) || (word.starts_with("sk-") && word.len() > 16)
}

/// Fences, and a density of signs that prose and formulas do not have.
fn is_code(text: &str) -> bool {
    let signs = text
        .chars()
        .filter(|c| matches!(c, '{' | '}' | ';' | '<' | '>' | '=' | '|' | '`' | '[' | ']' | '$' | '\\'))
        .count();
    let begins = ["def ", "fn ", "import ", "class ", "SELECT ", "#!/", "sudo ", "pip ", "{", "["];
    text.contains("```") || begins.iter().any(|start| text.starts_with(start)) || signs * 8 > text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("The user's group adopts H0 = 73.04 km/s/Mpc from SH0ES 2022.", None)]
    #[case("用户希望所有距离以秒差距为单位给出", None)]
    #[case("The notes on WASP-4 are in notes/wasp-4.md", None)]
    #[case("Uses parsecs", Some(Refusal::TooShort))]
    #[case("It should be in parsecs, not light years", Some(Refusal::Vague))]
    #[case("The search of ADS is running and will be done soon", Some(Refusal::Transient))]
    #[case("for (let i = 0; i < n; i++) { sum += x[i]; }", Some(Refusal::CodeLike))]
    #[case("The ADS API key of the group is 1234", Some(Refusal::Secret))]
    #[case("The group uses aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3x for it", Some(Refusal::Secret))]
    fn the_gate(#[case] text: &str, #[case] refused: Option<Refusal>) {
        assert_eq!(check(text).err(), refused);
    }

    #[test]
    fn long_texts_belong_into_files() {
        assert_eq!(check(&"A long story. ".repeat(100)), Err(Refusal::TooLong));
    }
}
