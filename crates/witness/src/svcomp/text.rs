//! A C file as witnesses refer to it: where statements begin, the first substatement of a control statement, the end of a
//! call's arguments. Found by looking at words and brackets only, since Heddle has no syntax tree of the source; where that
//! is insufficient (a label, a declaration in the middle of an expression) a statement may seem to begin later than it
//! does.
//!
//! Preprocessed files name their original lines in line markers, and the compiler reports positions by these. Witnesses
//! refer to lines of the file itself: [`CText`] translates.

use super::Location;
use std::collections::BTreeMap;

/// A position in the text: line and column, from 1.
pub type Position = (u32, u32);

/// A word, number or sign of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) text: String,
    pub(crate) at: Position,
    /// Where it begins, in bytes.
    pub(crate) offset: usize,
}

/// The text of one of the program's files.
#[derive(Clone, Debug)]
pub struct CText {
    /// The name of the file.
    pub name: String,
    /// The whole text.
    pub text: String,
    pub(crate) tokens: Vec<Token>,
    /// Indices of tokens at which statements begin.
    starts: Vec<usize>,
    /// From the token of `if`, `while`, `for` or `switch` to the first token of its first substatement.
    bodies: BTreeMap<usize, usize>,
    /// Lines by their names in the compiler; empty if these are their own numbers.
    marked: BTreeMap<(String, u32), u32>,
}

impl CText {
    /// Analyses a text.
    pub fn new(name: &str, text: &str) -> CText {
        let tokens = tokens(text);
        let (starts, bodies) = statements(&tokens);
        CText { name: name.to_owned(), text: text.to_owned(), tokens, starts, bodies, marked: markers(text) }
    }

    /// The line of this file for a file name and line of the compiler; `None` if it is not in this file.
    pub fn line_of(&self, file: &str, line: u32) -> Option<u32> {
        if self.marked.is_empty() {
            (file == self.name).then_some(line)
        } else {
            self.marked.get(&(file.to_owned(), line)).copied()
        }
    }

    /// The beginning of the statement that contains a position.
    pub fn start_of(&self, at: Position) -> Option<Position> {
        let after = self.starts.partition_point(|start| self.tokens[*start].at <= at);
        Some(self.tokens[*self.starts.get(after.checked_sub(1)?)?].at)
    }

    /// The beginning of the first statement in a line, or at its column if that is given.
    pub fn statement_at(&self, line: u32, column: Option<u32>) -> Option<Position> {
        match column {
            Some(column) => {
                // A statement may be named by any of its words.
                let own = self.start_of((line, column))?;
                (own.0 == line || self.index_at((line, column)).is_some()).then_some(own)
            }
            None => {
                let first = self.starts.iter().map(|start| self.tokens[*start].at).find(|start| start.0 == line);
                // The line may continue a statement that began above.
                first
                    .or_else(|| self.start_of((line, 1)).filter(|_| self.tokens.iter().any(|token| token.at.0 == line)))
            }
        }
    }

    /// The beginning of the first substatement of a control statement.
    pub fn body_of(&self, start: Position) -> Option<Position> {
        let index = self.index_at(start)?;
        self.bodies.get(&index).map(|body| self.tokens[*body].at)
    }

    /// The closing parenthesis of the call whose function is named at a position.
    pub fn end_of_call(&self, at: Position) -> Option<Position> {
        let index = self.index_at(at)?;
        let open = index + 1;
        (self.tokens.get(open)?.text == "(")
            .then(|| closing(&self.tokens, open))
            .flatten()
            .map(|end| self.tokens[end].at)
    }

    /// The beginning of the statement after a call that is a statement; `None` if the block ends there.
    pub(crate) fn after_call(&self, name: usize) -> Option<Position> {
        let semicolon = closing(&self.tokens, name + 1)? + 1;
        let next = self.tokens.get(semicolon + 1).filter(|next| next.text != "}")?;
        (self.tokens[semicolon].text == ";" && self.start_of(next.at) == Some(next.at)).then_some(next.at)
    }

    /// The loops with a condition at their beginning.
    pub(crate) fn loops(&self) -> Vec<Position> {
        let word = |at: Option<usize>| at.and_then(|at| self.tokens.get(at)).map_or("", |token| token.text.as_str());
        let is_loop = |(index, at): (usize, usize)| match word(Some(at)) {
            "for" => true,
            "while" => {
                let ends = || word(closing(&self.tokens, at + 1).map(|end| end + 1)) == ";";
                let statement = index.checked_sub(1).and_then(|index| self.starts[index].checked_sub(1));
                // The condition of `do` stands at the end.
                !(ends() && (word(at.checked_sub(1)) == "}" || word(statement) == "do"))
            }
            _ => false,
        };
        let all = self.starts.iter().copied().enumerate();
        all.filter(|start| is_loop(*start)).map(|(_, at)| self.tokens[at].at).collect()
    }

    /// The braces of the body of a function.
    pub(crate) fn body(&self, function: &str) -> Option<(usize, usize)> {
        let is_it = |at: &usize| {
            let token = &self.tokens[*at];
            token.text == "{" && self.depth(*at) == 0 && self.function_at(token.at) == Some(function)
        };
        let open = (0..self.tokens.len()).find(is_it)?;
        Some((open, closing(&self.tokens, open)?))
    }

    /// The number of open braces before a token.
    pub(crate) fn depth(&self, index: usize) -> usize {
        let count = |sign: &str| self.tokens[..index].iter().filter(|token| token.text == sign).count();
        count("{").saturating_sub(count("}"))
    }

    /// Whether a name is declared at file scope, before a position.
    pub(crate) fn is_declared_before(&self, name: &str, at: Position) -> bool {
        self.file_scope().any(|token| token.text == name && token.at < at)
    }

    /// The tokens at file scope.
    pub(crate) fn file_scope(&self) -> impl Iterator<Item = &Token> {
        let mut depth = 0i32;
        self.tokens.windows(2).filter_map(move |pair| {
            match pair[0].text.as_str() {
                "{" | "(" | "[" => depth += 1,
                "}" | ")" | "]" => depth -= 1,
                _ => {}
            }
            let is_declared = depth == 0 && matches!(pair[1].text.as_str(), ";" | "," | "=");
            (is_declared && is_word(&pair[0].text)).then_some(&pair[0])
        })
    }

    /// Whether a variable of a function is visible at the beginning of a statement in it: it is mentioned before, in a
    /// block that is still open, or in the head of the loop that this is or whose block it is in.
    pub(crate) fn is_visible(&self, name: &str, at: Position) -> bool {
        let Some((open, _)) = self.function_at(at).and_then(|function| self.body(function)) else { return false };
        let parameters = (0..open).rev().take_while(|at| !matches!(self.tokens[*at].text.as_str(), ";" | "}"));
        let mut blocks: Vec<bool> = vec![parameters.into_iter().any(|at| self.tokens[at].text == name)];
        let mut index = open;
        while let Some(token) = self.tokens.get(index).filter(|token| token.at <= at) {
            let mut head = false;
            if token.text == "for" {
                let Some(end) = closing(&self.tokens, index + 1) else { return false };
                head = self.tokens[index..end].iter().any(|token| token.text == name);
                if token.at == at && head {
                    return true;
                }
                index = end + 1;
            }
            match self.tokens.get(index).map_or("", |token| token.text.as_str()) {
                "{" => blocks.push(head),
                "}" => drop(blocks.pop()),
                word => {
                    let is_member = matches!(self.tokens[index - 1].text.as_str(), "." | ">");
                    if let Some(block) = blocks.last_mut().filter(|_| token.text != "for" && token.at < at) {
                        *block |= word == name && !is_member;
                    }
                }
            }
            index += 1;
        }
        blocks.contains(&true)
    }

    /// The word at a position.
    pub fn word_at(&self, at: Position) -> Option<&str> {
        self.index_at(at).map(|index| self.tokens[index].text.as_str())
    }

    /// The token at a position.
    pub(crate) fn index_at(&self, at: Position) -> Option<usize> {
        self.tokens.binary_search_by_key(&at, |token| token.at).ok()
    }

    /// A position as witnesses give it.
    pub(crate) fn location(&self, (line, column): Position) -> Location {
        let function = self.function_at((line, column)).map(str::to_owned);
        Location { file: self.name.clone(), line, column: Some(column), function }
    }

    /// The function whose body contains a position.
    pub fn function_at(&self, at: Position) -> Option<&str> {
        let mut depth = 0usize;
        let (mut candidate, mut name) = (None, None);
        for (index, token) in self.tokens.iter().enumerate().take_while(|(_, token)| token.at <= at) {
            match token.text.as_str() {
                "{" => {
                    if depth == 0 {
                        name = candidate;
                    }
                    depth += 1;
                }
                "}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        name = None;
                    }
                }
                "(" if depth == 0 && index > 0 && is_word(&self.tokens[index - 1].text) => {
                    candidate = Some(self.tokens[index - 1].text.as_str());
                }
                _ => {}
            }
        }
        name
    }
}

pub(crate) fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The index of the bracket that closes the one at an index.
pub(crate) fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(index);
                }
            }
            _ => {}
        }
    }
    None
}

/// The tokens between comments and preprocessor directives.
fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut index, mut line, mut line_start) = (0, 1u32, 0);
    while index < bytes.len() {
        let rest = &text[index..];
        let length = piece(rest);
        let first = bytes[index];
        let is_nothing =
            first.is_ascii_whitespace() || rest.starts_with("//") || rest.starts_with("/*") || first == b'#';
        if !is_nothing {
            let column = text[line_start..index].len() as u32 + 1;
            tokens.push(Token { text: text[index..index + length].to_owned(), at: (line, column), offset: index });
        }
        for (offset, _) in text[index..index + length].match_indices('\n') {
            line += 1;
            line_start = index + offset + 1;
        }
        index += length;
    }
    tokens
}

/// The length of the first token of a text.
fn piece(rest: &str) -> usize {
    let until = |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
    let first = rest.chars().next().map_or(1, char::len_utf8);
    match rest.as_bytes()[0] {
        b'/' if rest.starts_with("//") => until("\n", 2),
        b'/' if rest.starts_with("/*") => until("*/", 2),
        b'#' => {
            let mut end = 0;
            while let Some(at) = rest[end..].find('\n') {
                end += at + 1;
                if !rest[..end - 1].trim_end_matches('\r').ends_with('\\') {
                    return end;
                }
            }
            rest.len()
        }
        quote @ (b'"' | b'\'') => {
            let mut escaped = false;
            for (at, c) in rest.char_indices().skip(1) {
                match c {
                    _ if escaped => escaped = false,
                    '\\' => escaped = true,
                    '\n' => return at,
                    c if c as u32 == u32::from(quote) => return at + 1,
                    _ => {}
                }
            }
            rest.len()
        }
        c if c.is_ascii_alphanumeric() || c == b'_' => {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
        }
        _ => first,
    }
}

/// The beginnings of statements, and the first substatements of control statements.
fn statements(tokens: &[Token]) -> (Vec<usize>, BTreeMap<usize, usize>) {
    let (mut starts, mut bodies) = (Vec::new(), BTreeMap::new());
    let mut depth = 0usize;
    let mut begins = true;
    // Control keywords with an open parenthesis, those whose substatement is to begin, and the beginning of this
    // statement.
    let (mut control, mut awaiting): (Option<usize>, Vec<usize>) = (None, Vec::new());
    let mut start = 0;
    for (index, token) in tokens.iter().enumerate() {
        let text = token.text.as_str();
        if depth == 0 && begins && !matches!(text, "{" | "}") {
            starts.push(index);
            bodies.extend(awaiting.drain(..).map(|word| (word, index)));
            start = index;
            begins = false;
        }
        match text {
            "(" | "[" => depth += 1,
            ")" | "]" => {
                depth = depth.saturating_sub(1);
                if depth == 0 && text == ")" {
                    if let Some(word) = control.take() {
                        awaiting.push(word);
                        begins = true;
                    }
                }
            }
            "if" | "while" | "for" | "switch" if depth == 0 => control = Some(index),
            "else" | "do" | ";" | "{" | "}" if depth == 0 => {
                begins = true;
                if matches!(text, ";" | "}") {
                    awaiting.clear();
                }
            }
            ":" if depth == 0 => {
                let first = tokens[start].text.as_str();
                begins = matches!(first, "case" | "default") || start + 1 == index;
            }
            _ => {}
        }
    }
    (starts, bodies)
}

/// The compiler's names of the lines of a preprocessed text.
fn markers(text: &str) -> BTreeMap<(String, u32), u32> {
    let mut marked = BTreeMap::new();
    let mut current: Option<(String, u32)> = None;
    for (index, line) in text.lines().enumerate() {
        if let Some(marker) = marker(line) {
            current = Some(marker);
            continue;
        }
        if let Some((file, number)) = &mut current {
            // The last marker counts: a header may be included again, but the program's own lines come once.
            marked.insert((file.clone(), *number), index as u32 + 1);
            *number += 1;
        }
    }
    marked
}

/// `# 12 "file.c"`, or `#line 12 "file.c"`.
fn marker(line: &str) -> Option<(String, u32)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let (number, rest) = rest.split_once(char::is_whitespace)?;
    let name = rest.trim_start().strip_prefix('"')?;
    Some((name[..name.find('"')?].to_owned(), number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "int x; /* ; */\n\
                        int main(void) {\n  for (int i = 0; i < 2; i++)\n    x = f(\")\", (1));\n  \
                        if (x) { y(); } else z();\n  while (1)\n    ;\n}\n";

    #[test]
    fn statements_are_found() {
        let text = CText::new("a.c", TEXT);
        assert_eq!(text.start_of((3, 20)), Some((3, 3)));
        assert_eq!(text.start_of((4, 9)), Some((4, 5)));
        assert_eq!(text.body_of((3, 3)), Some((4, 5)));
        assert_eq!(text.body_of((5, 3)), Some((5, 12)));
        assert_eq!(text.start_of((5, 24)), Some((5, 24)));
        assert_eq!(text.statement_at(4, None), Some((4, 5)));
        assert_eq!(text.statement_at(1, None), Some((1, 1)));
        assert_eq!(text.end_of_call((4, 9)), Some((4, 19)));
        assert_eq!(text.end_of_call((4, 5)), None);
        assert_eq!(text.function_at((4, 9)), Some("main"));
        assert_eq!(text.function_at((1, 1)), None);
    }

    #[test]
    fn variables_are_visible_in_their_blocks() {
        let text = CText::new(
            "a.c",
            "int g; \nvoid f(int p) {\n  int a;\n  for (int i = 0; i < 2; i++) {\n    int b;\n    x();\n  }\n  \
             do\n    x();\n  while (a);\n  y();\n  do {\n  } while (a);\n}\n",
        );
        let visible = |at: Position| -> String {
            ["p", "a", "i", "b"].into_iter().filter(|name| text.is_visible(name, at)).collect()
        };
        assert_eq!(visible((4, 3)), "pai");
        assert_eq!(visible((6, 5)), "paib");
        assert_eq!(visible((11, 3)), "pa");
        assert!(text.is_declared_before("g", (3, 3)) && !text.is_declared_before("a", (11, 3)));
        assert_eq!(text.loops(), [(4, 3)]);
        assert_eq!(text.body("f").map(|(open, _)| text.tokens[open].at), Some((2, 15)));
    }

    #[test]
    fn lines_of_preprocessed_files_are_translated() {
        let text =
            CText::new("a.i", "# 1 \"a.c\"\n# 7 \"/usr/include/h.h\" 1 3\nint y;\n# 2 \"a.c\" 2\nint x;\nint z;\n");
        assert_eq!(text.line_of("a.c", 2), Some(5));
        assert_eq!(text.line_of("a.c", 3), Some(6));
        assert_eq!(text.line_of("/usr/include/h.h", 7), Some(3));
        assert_eq!(text.line_of("a.i", 5), None);
        assert_eq!(CText::new("a.c", "#pragma x\nint y;").line_of("a.c", 2), Some(2));
    }
}
