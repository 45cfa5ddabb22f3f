//! The mutation sites in the models, which are C: by tokens, inside the bodies of functions. The compiler detects
//! mutants that are not valid C, or are equal to the original; those are drawn again.

use super::site::{Operator, Site};
use std::collections::BTreeSet;
use std::ops::Range;

/// Words that begin a declaration.
const TYPES: &[&str] = &[
    "int",
    "char",
    "long",
    "short",
    "unsigned",
    "signed",
    "float",
    "double",
    "void",
    "const",
    "volatile",
    "struct",
    "union",
    "enum",
    "static",
    "size_t",
    "ssize_t",
    "thread_number",
    "thread_set",
    "typedef",
    "_Bool",
    "extern",
    "register",
];

/// All C operators of more than one character that the models use.
const LONG: &[&str] = &[
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "|=",
    "&=", "^=",
];

#[derive(Clone, PartialEq, Eq, Debug)]
enum Kind {
    Word,
    Number,
    Text,
    Operator,
}

#[derive(Clone, Debug)]
struct Token {
    range: Range<usize>,
    kind: Kind,
}

/// The names of interchangeable constants: memory orders, error numbers, kinds of waiting.
#[derive(Clone, Default, Debug)]
pub struct Names(BTreeSet<String>);

impl Names {
    /// Adds those of a file.
    pub fn add(&mut self, text: &str) {
        for token in tokens(text) {
            let word = &text[token.range];
            if token_family(word).is_some() {
                self.0.insert(word.to_owned());
            }
        }
    }
}

fn token_family(word: &str) -> Option<&'static str> {
    let is_constant = word.len() > 3 && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    if !is_constant {
        return None;
    }
    ["__ATOMIC_", "HEDDLE_", "E"].into_iter().find(|prefix| {
        word.starts_with(prefix) && (*prefix != "E" || word.bytes().all(|c| c.is_ascii_uppercase())) && word != "EOF"
    })
}

/// All sites of a file.
pub fn sites(text: &str, names: &Names) -> Vec<Site> {
    let tokens = tokens(text);
    let mut finder = Finder { text, names, tokens: &tokens, sites: Vec::new() };
    for body in bodies(text, &tokens) {
        finder.body(body);
    }
    finder.sites
}

/// The tokens, without comments and directives.
fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut begins_line) = (0, true);
    while at < bytes.len() {
        let rest = &text[at..];
        let begin = at;
        let kind = match bytes[at] {
            b'\n' => {
                (at, begins_line) = (at + 1, true);
                continue;
            }
            c if c.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'#' if begins_line => {
                at += directive(rest);
                continue;
            }
            b'/' if rest.starts_with("/*") => {
                at += rest.find("*/").map_or(rest.len(), |end| end + 2);
                continue;
            }
            b'/' if rest.starts_with("//") => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < bytes.len() && bytes[at] != quote {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
                Kind::Text
            }
            c if c.is_ascii_digit() => {
                at += rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
                Kind::Number
            }
            c if c.is_ascii_alphabetic() || c == b'_' => {
                at += rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                Kind::Word
            }
            _ => {
                at += LONG.iter().find(|long| rest.starts_with(**long)).map_or(1, |long| long.len());
                Kind::Operator
            }
        };
        begins_line = false;
        tokens.push(Token { range: begin..at, kind });
    }
    tokens
}

/// The length of a directive, with its continuation lines.
fn directive(rest: &str) -> usize {
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    end
}

/// The tokens between the braces of each function.
fn bodies(text: &str, tokens: &[Token]) -> Vec<Range<usize>> {
    let mut bodies = Vec::new();
    let (mut depth, mut begin) = (0, None);
    for (index, token) in tokens.iter().enumerate() {
        match &text[token.range.clone()] {
            "{" => {
                if depth == 0 && index > 0 && &text[tokens[index - 1].range.clone()] == ")" {
                    begin = Some(index + 1);
                }
                depth += 1;
            }
            "}" => {
                depth -= 1;
                if depth == 0 {
                    bodies.extend(begin.take().map(|begin| begin..index));
                }
            }
            _ => {}
        }
    }
    bodies
}

struct Finder<'t> {
    text: &'t str,
    names: &'t Names,
    tokens: &'t [Token],
    sites: Vec<Site>,
}

impl<'t> Finder<'t> {
    fn word(&self, index: usize) -> &'t str {
        self.tokens.get(index).map_or("", |token| &self.text[token.range.clone()])
    }

    fn bytes(&self, tokens: Range<usize>) -> Range<usize> {
        self.tokens[tokens.start].range.start..self.tokens[tokens.end - 1].range.end
    }

    fn of(&self, tokens: Range<usize>) -> &'t str {
        &self.text[self.bytes(tokens)]
    }

    fn add(&mut self, tokens: Range<usize>, operator: Operator, after: impl Into<String>) {
        let range = self.bytes(tokens);
        self.sites.push(Site { range, operator, after: after.into() });
    }

    /// The position after the bracket that closes the one here.
    fn past_brackets(&self, open: usize) -> usize {
        let mut depth = 0;
        for index in open..self.tokens.len() {
            match self.word(index) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return index + 1;
            }
        }
        self.tokens.len()
    }

    fn body(&mut self, body: Range<usize>) {
        let mut at = body.start;
        while at < body.end {
            at = self.statement(at, body.end);
        }
        for index in body {
            self.token(index);
        }
    }

    /// The statement that begins here, up to its end or to what is nested in it.
    fn statement(&mut self, mut at: usize, end: usize) -> usize {
        loop {
            match self.word(at) {
                "if" | "while" | "for" | "switch" => {
                    let past = self.past_brackets(at + 1);
                    if self.word(at) == "if" {
                        let condition = at + 2..past - 1;
                        let after = format!("!({})", self.of(condition.clone()));
                        self.add(condition, Operator::NegatedCondition, after);
                    }
                    at = past;
                }
                "else" | "do" => at += 1,
                "case" | "default" => {
                    while self.word(at) != ":" && at < end {
                        at += 1;
                    }
                    at += 1;
                }
                "{" | "}" | ";" => return at + 1,
                _ => break,
            }
        }
        let begin = at;
        while at < end && self.word(at) != ";" {
            at = if matches!(self.word(at), "(" | "[" | "{") { self.past_brackets(at) } else { at + 1 };
        }
        let first = self.word(begin);
        let is_jump = matches!(first, "return" | "break" | "continue" | "goto");
        if !is_jump && !TYPES.contains(&first) && begin < at && at < end {
            self.add(begin..at, Operator::DroppedStatement, "");
        }
        at + 1
    }

    fn token(&mut self, index: usize) {
        let word = self.word(index);
        let here = index..index + 1;
        let is_operand = |word: &str, kind: &Kind| *kind != Kind::Operator || matches!(word, ")" | "]");
        let is_binary = index > 0 && is_operand(self.word(index - 1), &self.tokens[index - 1].kind);
        match self.tokens[index].kind {
            Kind::Operator => {
                let other = match word {
                    "==" => Some((Operator::Comparison, "!=")),
                    "!=" => Some((Operator::Comparison, "==")),
                    "<" => Some((Operator::Comparison, "<=")),
                    "<=" => Some((Operator::Comparison, "<")),
                    ">" => Some((Operator::Comparison, ">=")),
                    ">=" => Some((Operator::Comparison, ">")),
                    "&&" => Some((Operator::Connective, "||")),
                    "||" => Some((Operator::Connective, "&&")),
                    "+" if is_binary => Some((Operator::Arithmetic, "-")),
                    "-" if is_binary => Some((Operator::Arithmetic, "+")),
                    "<<" => Some((Operator::Arithmetic, ">>")),
                    ">>" => Some((Operator::Arithmetic, "<<")),
                    "&" if is_binary => Some((Operator::Arithmetic, "|")),
                    "|" => Some((Operator::Arithmetic, "&")),
                    "+=" => Some((Operator::Arithmetic, "-=")),
                    "-=" => Some((Operator::Arithmetic, "+=")),
                    "++" => Some((Operator::Arithmetic, "--")),
                    "--" => Some((Operator::Arithmetic, "++")),
                    "!" => Some((Operator::NegatedCondition, "")),
                    _ => None,
                };
                if let Some((operator, other)) = other {
                    self.add(here, operator, other);
                }
            }
            Kind::Number => self.add(here, Operator::Constant, format!("({word} + 1)")),
            Kind::Word => {
                if let Some(family) = token_family(word) {
                    let others = self.names.0.iter().filter(|other| token_family(other) == Some(family));
                    for other in others.filter(|other| *other != word).cloned().collect::<Vec<_>>() {
                        self.add(here.clone(), Operator::Variant, other);
                    }
                } else if self.word(index + 1) == "(" && !matches!(word, "if" | "while" | "for" | "switch" | "sizeof") {
                    self.call(index);
                }
            }
            Kind::Text => {}
        }
    }

    /// A call: its first two arguments are swapped.
    fn call(&mut self, name: usize) {
        let past = self.past_brackets(name + 1);
        let mut arguments = vec![name + 2];
        let mut at = name + 2;
        while at < past - 1 {
            if self.word(at) == "," {
                arguments.push(at + 1);
            }
            at = if matches!(self.word(at), "(" | "[" | "{") { self.past_brackets(at) } else { at + 1 };
        }
        if arguments.len() >= 2 {
            let second_end = arguments.get(2).map_or(past - 1, |third| third - 1);
            let (first, second) = (arguments[0]..arguments[1] - 1, arguments[1]..second_end);
            if !first.is_empty() && !second.is_empty() {
                let after = format!("{}, {}", self.of(second.clone()), self.of(first.clone()));
                self.add(first.start..second.end, Operator::SwappedArguments, after);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_has_its_place() {
        let text = "enum { EBUSY = 16, EINVAL = 22 };\n/* x == y; */\n#define A(x) \\\n    x == 1\n\
                    int f(int *p, int n) {\n    int a = n + 1;\n    if (n < 2 || !a) return EBUSY;\n    \
                    cell_put(p, n);\n    return __ATOMIC_RELAXED ? EINVAL : __ATOMIC_ACQUIRE;\n}\n";
        let mut names = Names::default();
        names.add(text);
        let found: Vec<_> = sites(text, &names)
            .iter()
            .map(|site| (site.operator, site.before(text).to_owned(), site.after.clone()))
            .collect();
        for (operator, before, after) in [
            (Operator::Arithmetic, "+", "-"),
            (Operator::Constant, "1", "(1 + 1)"),
            (Operator::NegatedCondition, "n < 2 || !a", "!(n < 2 || !a)"),
            (Operator::NegatedCondition, "!", ""),
            (Operator::Comparison, "<", "<="),
            (Operator::Connective, "||", "&&"),
            (Operator::Variant, "EBUSY", "EINVAL"),
            (Operator::Variant, "__ATOMIC_RELAXED", "__ATOMIC_ACQUIRE"),
            (Operator::DroppedStatement, "cell_put(p, n)", ""),
            (Operator::SwappedArguments, "p, n", "n, p"),
        ] {
            let wanted = (operator, before.to_owned(), after.to_owned());
            assert!(found.contains(&wanted), "{wanted:?} is not in {found:?}");
        }
        assert!(!found.iter().any(|(_, before, _)| before == "==" || before == "16"), "{found:?}");
        let dropped = found.iter().filter(|(operator, ..)| *operator == Operator::DroppedStatement).count();
        assert_eq!(dropped, 1, "declarations and jumps stay: {found:?}");
    }
}
