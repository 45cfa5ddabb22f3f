//! Lexer of the text form (its grammar is at the head of `print.rs`). Linear in the text; never panics.

use std::borrow::Cow;
use std::fmt;

/// A syntax error with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
    /// What was expected or found.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token<'t> {
    /// A keyword, a number, a hex string, a location or a type.
    Word(&'t str),
    /// `%name`.
    Local(Cow<'t, str>),
    /// `@name`.
    Symbol(Cow<'t, str>),
    Str(Cow<'t, str>),
    /// One of `( ) { } , : = + - *`.
    Punct(char),
    Arrow,
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) => write!(f, "`{}`", Short(word)),
            Token::Local(name) => write!(f, "`%{}`", Short(name)),
            Token::Symbol(name) => write!(f, "`@{}`", Short(name)),
            Token::Str(_) => f.write_str("a string"),
            Token::Punct(c) => write!(f, "`{c}`"),
            Token::Arrow => f.write_str("`->`"),
            Token::End => f.write_str("the end of the text"),
        }
    }
}

/// A prefix of the user's text, for messages.
pub(crate) struct Short<'t>(pub(crate) &'t str);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LIMIT: usize = 40;
        match self.0.char_indices().nth(LIMIT) {
            None => f.write_str(self.0),
            Some((end, _)) => write!(f, "{}…", &self.0[..end]),
        }
    }
}

/// A position in the text with the token at it.
#[derive(Clone, Debug)]
pub(crate) struct Lexer<'t> {
    text: &'t str,
    /// The position at which to look for the next token.
    position: usize,
    /// Where the last token starts.
    start: usize,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Lexer { text, position: 0, start: 0 }
    }

    /// Where the last token starts.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// An error at a byte position.
    pub(crate) fn error_at(&self, position: usize, message: impl Into<String>) -> ParseError {
        let before = &self.text[..position];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        ParseError {
            line: 1 + before.bytes().filter(|&byte| byte == b'\n').count(),
            column: 1 + before[line_start..].chars().count(),
            message: message.into(),
        }
    }

    pub(crate) fn next(&mut self) -> Result<Token<'t>, ParseError> {
        self.skip_blank();
        self.start = self.position;
        let bytes = self.text.as_bytes();
        let Some(&first) = bytes.get(self.position) else { return Ok(Token::End) };
        match first {
            b'(' | b')' | b'{' | b'}' | b',' | b':' | b'=' | b'+' | b'*' => {
                self.position += 1;
                Ok(Token::Punct(char::from(first)))
            }
            b'-' => {
                self.position += 1;
                if bytes.get(self.position) == Some(&b'>') {
                    self.position += 1;
                    return Ok(Token::Arrow);
                }
                Ok(Token::Punct('-'))
            }
            b'"' => self.string().map(Token::Str),
            b'%' => {
                self.position += 1;
                self.name().map(Token::Local)
            }
            b'@' => {
                self.position += 1;
                self.name().map(Token::Symbol)
            }
            byte if is_name(byte) => Ok(Token::Word(self.word())),
            _ => {
                let found = self.text[self.position..].chars().next().unwrap_or_default();
                Err(self.error_at(self.position, format!("unexpected character {found:?}")))
            }
        }
    }

    fn skip_blank(&mut self) {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.position) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.position += 1,
                Some(b'/') if bytes.get(self.position + 1) == Some(&b'/') => {
                    let rest = &bytes[self.position..];
                    let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                    self.position += length;
                }
                _ => return,
            }
        }
    }

    /// Letters, digits, `_`, `.`, `$`, and `-` before a letter, as in `data-model`.
    fn word(&mut self) -> &'t str {
        let bytes = self.text.as_bytes();
        let begins_with_letter = bytes[self.position].is_ascii_alphabetic();
        let mut end = self.position;
        loop {
            match bytes.get(end) {
                Some(&byte) if is_name(byte) => end += 1,
                Some(b'-') if begins_with_letter && bytes.get(end + 1).is_some_and(u8::is_ascii_alphabetic) => end += 1,
                _ => break,
            }
        }
        let word = &self.text[self.position..end];
        self.position = end;
        word
    }

    fn name(&mut self) -> Result<Cow<'t, str>, ParseError> {
        let bytes = self.text.as_bytes();
        if bytes.get(self.position) == Some(&b'"') {
            return self.string();
        }
        let rest = &bytes[self.position..];
        let length = rest.iter().position(|&byte| !is_name(byte)).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.error_at(self.position, "expected a name"));
        }
        let name = &self.text[self.position..self.position + length];
        self.position += length;
        Ok(Cow::Borrowed(name))
    }

    fn string(&mut self) -> Result<Cow<'t, str>, ParseError> {
        let begin = self.position + 1;
        let bytes = self.text.as_bytes();
        let stop = |from: usize| bytes[from..].iter().position(|byte| matches!(byte, b'"' | b'\\' | b'\n'));
        let unfinished = || self.error_at(begin - 1, "string does not end on its line");
        let mut from = begin;
        let mut owned = String::new();
        loop {
            let end = from + stop(from).ok_or_else(unfinished)?;
            match bytes[end] {
                b'"' => {
                    self.position = end + 1;
                    let last = &self.text[from..end];
                    if from == begin {
                        return Ok(Cow::Borrowed(last));
                    }
                    owned.push_str(last);
                    return Ok(Cow::Owned(owned));
                }
                b'\\' => {
                    owned.push_str(&self.text[from..end]);
                    let (escaped, length) =
                        escape(&bytes[end + 1..]).ok_or_else(|| self.error_at(end, "unknown escape in a string"))?;
                    owned.push(escaped);
                    from = end + 1 + length;
                }
                _ => return Err(unfinished()),
            }
        }
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

/// The escaped character after a backslash, and the length of the escape.
fn escape(rest: &[u8]) -> Option<(char, usize)> {
    match rest.first()? {
        b'"' => Some(('"', 1)),
        b'\\' => Some(('\\', 1)),
        b'n' => Some(('\n', 1)),
        b't' => Some(('\t', 1)),
        b'r' => Some(('\r', 1)),
        b'u' => {
            let digits = rest.strip_prefix(b"u{")?;
            let length = digits.iter().take(7).position(|&byte| byte == b'}')?;
            let digits = std::str::from_utf8(&digits[..length]).ok()?;
            // `from_str_radix` would take a sign.
            if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return None;
            }
            let code = u32::from_str_radix(digits, 16).ok()?;
            Some((char::from_u32(code)?, length + 3))
        }
        _ => None,
    }
}
