//! Reading a query.

use super::vocabulary::{Function, field, nearest_field};
use super::{Argument, Clause, Join, Node, Query, QueryError, Value};

/// Brackets within brackets; nobody types more, and recursion must end.
const MAX_DEPTH: usize = 16;

/// Reads a query.
pub(crate) fn parse(text: &str) -> Result<Query, QueryError> {
    // Word processors make these; nobody means them.
    let text: String = text
        .chars()
        .map(|c| match c {
            '“' | '”' | '„' | '«' | '»' => '"',
            '‘' | '’' => '\'',
            '−' | '‐' | '‑' => '-',
            // Of TeX's `\sigma_8` the word remains; ADS would read the mark as an escape.
            '\\' => ' ',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
    let mut parser = Parser { text: &text, at: 0 };
    let query = parser.query(0)?;
    if let Some(')') = parser.peek() {
        return Err(QueryError::Bracket(')', parser.position()));
    }
    if query.clauses.is_empty() {
        return Err(QueryError::Empty);
    }
    Ok(query)
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

/// An operator that waits for its right side, with where it stood.
type Pending = Option<(&'static str, usize)>;

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Where we are, in characters from 1.
    fn position(&self) -> usize {
        self.text[..self.at].chars().count() + 1
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.bump();
        }
    }

    /// Clauses up to the end or an unopened closing bracket.
    fn query(&mut self, depth: usize) -> Result<Query, QueryError> {
        if depth > MAX_DEPTH {
            return Err(QueryError::TooDeep);
        }
        let mut query = Query::default();
        let mut join = Join::And;
        let mut negated = false;
        let mut pending: Pending = None;
        loop {
            self.skip_blanks();
            let start = self.position();
            match self.peek() {
                None | Some(')') => break,
                Some('-') if self.next_is_term() => {
                    self.bump();
                    negated = !negated;
                    pending = pending.or(Some(("NOT", start)));
                    continue;
                }
                Some('+') if self.next_is_term() => {
                    self.bump();
                    continue;
                }
                Some(_) => {}
            }
            if let Some(operator) = self.operator() {
                match operator {
                    "NOT" => negated = !negated,
                    _ if query.clauses.is_empty() || pending.is_some() => {
                        return Err(QueryError::Operator(operator, start));
                    }
                    "OR" => join = Join::Or,
                    _ => join = Join::And,
                }
                pending = Some((operator, start));
                continue;
            }
            if let Some(node) = self.node(depth)? {
                query.clauses.push(Clause { join, negated, node });
                (join, negated, pending) = (Join::And, false, None);
            }
        }
        match pending {
            Some((operator, at)) => Err(QueryError::Operator(operator, at)),
            None => Ok(query),
        }
    }

    /// Whether a sign is followed by something it can belong to.
    fn next_is_term(&self) -> bool {
        self.text[self.at..].chars().nth(1).is_some_and(|c| c.is_alphanumeric() || matches!(c, '"' | '(' | '=' | '^'))
    }

    fn operator(&mut self) -> Option<&'static str> {
        let rest = &self.text[self.at..];
        let found = ["AND", "OR", "NOT"].into_iter().find(|operator| {
            rest.strip_prefix(operator)
                .is_some_and(|after| after.is_empty() || after.starts_with([' ', '(', ')', '\t']))
        })?;
        self.at += found.len();
        Some(found)
    }

    /// One term; `None` for a lone mark without letters or digits, which nobody can search for.
    fn node(&mut self, depth: usize) -> Result<Option<Node>, QueryError> {
        match self.peek() {
            Some('"') => {
                let text = self.phrase()?;
                return Ok((!text.is_empty()).then_some(Node::Phrase(text)));
            }
            Some('(') => {
                let query = self.brackets(depth)?;
                return Ok((!query.clauses.is_empty()).then_some(Node::Group(query)));
            }
            Some('[') => {
                // `[O III]`: an ion, or a bracketed remark; a range stands behind a field.
                if let Some(end) = self.text[self.at..].find(']') {
                    let inner = self.text[self.at + 1..self.at + end].trim().to_owned();
                    self.at += end + 1;
                    return Ok(inner.contains(char::is_alphanumeric).then_some(Node::Phrase(inner)));
                }
            }
            Some(_) | None => {}
        }
        let start = self.at;
        let word = self.word();
        if let Some((name, _)) = word.split_once(':')
            && let Some(node) = self.field(name, start, word, depth)?
        {
            return Ok(Some(node));
        }
        if self.peek() == Some('(') && !word.is_empty() {
            if let Some(function) = Function::named(word) {
                return self.call(function, depth).map(Some);
            }
            if !word.ends_with(':') {
                // `f(R)`, `P(k)`, `O(3)`: a formula.
                let end = self.at + self.balanced()?;
                self.at = end;
                let rest = self.word();
                return Ok(Some(Node::Word(format!("{}{rest}", &self.text[start..end]))));
            }
        }
        let word = word.trim_end_matches([',', ';', ':']);
        Ok(word.contains(char::is_alphanumeric).then(|| Node::Word(word.trim_start_matches('^').to_owned())))
    }

    /// Up to a blank, a quotation mark or a round bracket.
    fn word(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '(' | ')')).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn phrase(&mut self) -> Result<String, QueryError> {
        let start = self.position();
        self.bump();
        let rest = &self.text[self.at..];
        let end = rest.find('"').ok_or(QueryError::Quote(start))?;
        self.at += end + 1;
        Ok(rest[..end].split_whitespace().collect::<Vec<_>>().join(" "))
    }

    fn brackets(&mut self, depth: usize) -> Result<Query, QueryError> {
        let start = self.position();
        self.bump();
        let query = self.query(depth + 1)?;
        match self.bump() {
            Some(')') => Ok(query),
            _ => Err(QueryError::Bracket('(', start)),
        }
    }

    /// Bytes of the round bracket that begins here, its partner included; quotation marks protect what is inside.
    fn balanced(&self) -> Result<usize, QueryError> {
        let (mut open, mut quoted) = (0usize, None);
        for (i, c) in self.text[self.at..].char_indices() {
            let here = || self.text[..self.at + i].chars().count() + 1;
            match c {
                '"' => quoted = if quoted.is_some() { None } else { Some(here()) },
                '(' if quoted.is_none() => open += 1,
                ')' if quoted.is_none() => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return Ok(i + 1);
                    }
                }
                _ => {}
            }
        }
        Err(quoted.map_or(QueryError::Bracket('(', self.position()), QueryError::Quote))
    }

    /// `name:value` whose first word begins at `start`; `None` when the colon is no field's.
    fn field(&mut self, name: &str, start: usize, word: &str, depth: usize) -> Result<Option<Node>, QueryError> {
        let (exact, name) = name.strip_prefix('=').map_or((false, name), |name| (true, name));
        let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
        let attached = word.len() > name.len() + usize::from(exact) + 1 || matches!(self.peek(), Some('"' | '('));
        let Some(known) = field(name) else {
            let is_address = name.eq_ignore_ascii_case("http") || name.eq_ignore_ascii_case("https");
            if !is_name || !attached || is_address {
                return Ok(None);
            }
            return Err(QueryError::UnknownField { name: name.to_owned(), nearest: nearest_field(name) });
        };
        self.at = start + usize::from(exact) + name.len() + 1;
        self.skip_blanks();
        let value = match self.peek() {
            None | Some(')') => return Err(QueryError::NoValue(known)),
            Some('"') => Value::Phrase(self.phrase()?),
            Some('(') => Value::Group(self.brackets(depth)?),
            Some('[') => {
                let from = self.position();
                let rest = &self.text[self.at..];
                let end = rest.find(']').ok_or(QueryError::Bracket('[', from))?;
                self.at += end + 1;
                Value::Range(rest[1..end].split_whitespace().collect::<Vec<_>>().join(" "))
            }
            Some(_) => Value::Word(self.bare_value()),
        };
        let empty = match &value {
            Value::Word(text) | Value::Phrase(text) | Value::Range(text) => text.is_empty(),
            Value::Group(query) => query.clauses.is_empty(),
        };
        if empty { Err(QueryError::NoValue(known)) } else { Ok(Some(Node::Field { name: known, exact, value })) }
    }

    /// Up to a blank or an unopened closing bracket: DOIs hold brackets.
    fn bare_value(&mut self) -> String {
        let rest = &self.text[self.at..];
        let mut open = 0usize;
        let mut end = rest.len();
        for (i, c) in rest.char_indices() {
            match c {
                '(' => open += 1,
                ')' if open == 0 => {
                    end = i;
                    break;
                }
                ')' => open -= 1,
                c if c.is_whitespace() || c == '"' => {
                    end = i;
                    break;
                }
                _ => {}
            }
        }
        self.at += end;
        rest[..end].trim_end_matches([',', ';']).to_owned()
    }

    fn call(&mut self, function: Function, depth: usize) -> Result<Node, QueryError> {
        let end = self.at + self.balanced()?;
        let inside = &self.text[self.at + 1..end - 1];
        let wrong = |why| QueryError::Call(function.name(), why);
        let mut parts = split_at_commas(inside).into_iter();
        let mut arguments = Vec::new();
        let literals_allowed = match function {
            Function::TopN => {
                let count = parts.next().unwrap_or_default().trim();
                if !count.parse::<u32>().is_ok_and(|count| count > 0) {
                    return Err(wrong("the first argument is how many papers to take, for example topn(50, …)"));
                }
                arguments.push(Argument::Literal(count.to_owned()));
                true
            }
            Function::Pos | Function::Similar => true,
            Function::Citations | Function::References | Function::Trending | Function::Useful | Function::Reviews => {
                false
            }
        };
        let query = parts.next().filter(|part| !part.trim().is_empty()).ok_or(wrong("it needs a query inside"))?;
        let mut inner = Parser { text: query, at: 0 };
        arguments.push(Argument::Query(inner.query(depth + 1)?));
        for literal in parts {
            if !literals_allowed {
                return Err(wrong("put names that hold a comma in quotation marks, as in author:\"Greene, T\""));
            }
            let literal = literal.trim();
            let valid =
                !literal.is_empty() && literal.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ' '));
            if !valid {
                return Err(wrong(
                    "the arguments behind the query are numbers or a sort order such as citation_count desc",
                ));
            }
            arguments.push(Argument::Literal(literal.to_owned()));
        }
        self.at = end;
        Ok(Node::Call { function, arguments })
    }
}

/// Splits at commas outside quotation marks and brackets.
fn split_at_commas(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut open, mut quoted) = (Vec::new(), 0, 0i32, false);
    for (i, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' | '[' if !quoted => open += 1,
            ')' | ']' if !quoted => open -= 1,
            ',' if !quoted && open == 0 => {
                parts.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
