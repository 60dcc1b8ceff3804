//! The ADS query language, read into a tree: so that a bad query is told apart before it is sent, and so that the same
//! query can be put to arXiv.
//!
//! What is no syntax is words: `[O III]`, `f(R)`, `Sgr A*` and `J1030+0524` come out quoted instead of as an error.
//! Grammar: <https://ui.adsabs.harvard.edu/help/search/search-syntax>.

mod parse;
mod vocabulary;

pub(crate) use parse::parse;
pub(crate) use vocabulary::Function;

/// Why a query cannot be sent; the text says what is wrong and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// Nothing to search for.
    #[error("The query is empty. Give words, a target or an author to search for.")]
    Empty,
    /// A quotation mark has no partner.
    #[error("The quotation mark at character {0} has no partner. Close the phrase, or remove the mark.")]
    Quote(usize),
    /// A bracket has no partner.
    #[error(
        "The bracket `{0}` at character {1} has no partner. Balance the brackets, or put the words in quotation marks."
    )]
    Bracket(char, usize),
    /// An operator without its operands.
    #[error(
        "`{0}` at character {1} lacks a term on one side. AND and OR join two terms, NOT excludes the one that follows."
    )]
    Operator(&'static str, usize),
    /// No such field.
    #[error("There is no search field `{name}`{}. Put the text in quotation marks if it is not meant as a field.", .nearest.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
    UnknownField {
        /// What was written.
        name: String,
        /// A known field that is spelled alike.
        nearest: Option<&'static str>,
    },
    /// A field without a value.
    #[error("The field `{0}:` has no value behind it.")]
    NoValue(&'static str),
    /// An operator function with wrong arguments.
    #[error("`{0}(…)` is not well formed: {1}.")]
    Call(&'static str, &'static str),
    /// Too deep.
    #[error("The query nests brackets too deeply.")]
    TooDeep,
    /// Too long for ADS.
    #[error("The query is {0} characters long; ADS accepts 1000. Shorten it, or split it into several searches.")]
    TooLong(usize),
    /// The years make no interval.
    #[error("year_from ({0}) is after year_to ({1}).")]
    Years(i32, i32),
}

/// How a clause joins what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Join {
    /// Both; also what a blank means.
    And,
    /// Either.
    Or,
}

/// A list of clauses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Query {
    pub clauses: Vec<Clause>,
}

/// One term with its place in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    pub join: Join,
    pub negated: bool,
    pub node: Node,
}

/// A term.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// A word; may hold anything but blanks.
    Word(String),
    /// Words that belong together.
    Phrase(String),
    /// A value in one field. `exact` is ADS's `=`: no synonyms.
    Field { name: &'static str, exact: bool, value: Value },
    /// An operator of second order.
    Call { function: Function, arguments: Vec<Argument> },
    /// A list in brackets.
    Group(Query),
}

/// What a field is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Word(String),
    Phrase(String),
    /// The inside of `[a TO b]`.
    Range(String),
    Group(Query),
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Argument {
    Query(Query),
    /// A number or a sort order.
    Literal(String),
}

impl Query {
    /// The query in ADS's syntax.
    pub fn to_ads(&self) -> String {
        let mut out = String::new();
        for (i, clause) in self.clauses.iter().enumerate() {
            if i > 0 {
                out.push_str(match clause.join {
                    Join::And => " ",
                    Join::Or => " OR ",
                });
            }
            if clause.negated {
                // `NOT x` alone is read as everything but x; `-x` is its short form and joins by AND.
                out.push('-');
            }
            out.push_str(&clause.node.to_ads());
        }
        out
    }

    /// Whether a further clause behind it would change its meaning.
    pub fn needs_brackets(&self) -> bool {
        self.clauses.iter().any(|clause| clause.join == Join::Or)
    }
}

impl Node {
    fn to_ads(&self) -> String {
        match self {
            Self::Word(word) => ads_word(word),
            Self::Phrase(text) => quoted(text),
            Self::Field { name, exact, value } => {
                let exact = if *exact { "=" } else { "" };
                let value = match value {
                    Value::Word(word) if is_number_or_span(word) => word.clone(),
                    Value::Word(word)
                        if matches!(*name, "title" | "abs" | "abstract" | "full" | "body" | "keyword") =>
                    {
                        ads_word(word)
                    }
                    Value::Word(word) | Value::Phrase(word) => quoted(word),
                    Value::Range(range) => format!("[{range}]"),
                    Value::Group(query) => format!("({})", query.to_ads()),
                };
                format!("{exact}{name}:{value}")
            }
            Self::Call { function, arguments } => {
                let arguments: Vec<String> = arguments
                    .iter()
                    .map(|argument| match argument {
                        Argument::Query(query) => query.to_ads(),
                        Argument::Literal(text) => text.clone(),
                    })
                    .collect();
                format!("{}({})", function.name(), arguments.join(", "))
            }
            Self::Group(query) => format!("({})", query.to_ads()),
        }
    }
}

/// `2023`, `2019-2024`, `2019-`: must stay bare.
fn is_number_or_span(word: &str) -> bool {
    !word.is_empty()
        && word.bytes().all(|b| b.is_ascii_digit() || b == b'-')
        && word.bytes().any(|b| b.is_ascii_digit())
}

/// A word as it may stand bare, else in quotation marks.
fn ads_word(word: &str) -> String {
    let wildcard_on_a_stem = |word: &str| {
        let stem = word.trim_end_matches(['*', '?']);
        stem.len() == word.len() || stem.chars().count() > 2
    };
    let bare = word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '*' | '?' | '\'' | '-' | '+'))
        && word.starts_with(char::is_alphanumeric)
        && wildcard_on_a_stem(word);
    if bare { word.to_owned() } else { quoted(word) }
}

fn quoted(text: &str) -> String {
    let inner: String = text.chars().filter(|c| *c != '"').collect();
    format!("\"{}\"", inner.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests;
