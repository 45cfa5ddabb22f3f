//! Tokens of SMT-LIB 2 (standard, section 3.1) with their positions.

use std::fmt;

/// A place in a text: line and column, counted from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// An error in a script, with its position.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ScriptError {
    /// The position.
    pub place: Place,
    /// The message.
    pub message: String,
}

impl ScriptError {
    pub(super) fn new(place: Place, message: impl Into<String>) -> ScriptError {
        ScriptError { place, message: message.into() }
    }
}

/// A token; its text is without quotes, `#x`, `#b` and the colon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'t> {
    Open,
    Close,
    /// Reserved words too: the grammar distinguishes them by position.
    Symbol(&'t str),
    /// Between bars: never a reserved word.
    Quoted(&'t str),
    Keyword(&'t str),
    Numeral(&'t str),
    Decimal(&'t str),
    Hexadecimal(&'t str),
    Binary(&'t str),
    /// With the doubled quotes it was written with.
    String(&'t str),
}

/// Reads tokens from a text, one after the other.
pub(super) struct Lexer<'t> {
    rest: &'t str,
    place: Place,
}

/// Whether the character may occur in an unquoted symbol.
pub(crate) fn is_symbol_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c)
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Lexer<'t> {
        Lexer { rest: text, place: Place { line: 1, column: 1 } }
    }

    /// The position of the next token, or of the end of the text.
    pub(super) fn place(&mut self) -> Place {
        self.skip_blanks();
        self.place
    }

    fn advance(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        for c in taken.chars() {
            if c == '\n' {
                self.place.line += 1;
                self.place.column = 1;
            } else {
                self.place.column += 1;
            }
        }
        taken
    }

    fn skip_blanks(&mut self) {
        loop {
            let blanks = self.rest.len() - self.rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.advance(blanks);
            if !self.rest.starts_with(';') {
                return;
            }
            let comment = self.rest.find('\n').unwrap_or(self.rest.len());
            self.advance(comment);
        }
    }

    /// The next token; `None` at the end of the text.
    pub(super) fn next(&mut self) -> Result<Option<(Token<'t>, Place)>, ScriptError> {
        let place = self.place();
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let token = match first {
            '(' => {
                self.advance(1);
                Token::Open
            }
            ')' => {
                self.advance(1);
                Token::Close
            }
            '"' => self.string(place)?,
            '|' => self.quoted(place)?,
            '#' => self.literal(place)?,
            ':' => {
                self.advance(1);
                match self.word() {
                    "" => return Err(ScriptError::new(place, "a colon without a keyword")),
                    word => Token::Keyword(word),
                }
            }
            '0'..='9' => self.number(place)?,
            c if is_symbol_character(c) => Token::Symbol(self.word()),
            c => return Err(ScriptError::new(place, format!("the character {c:?} cannot stand here"))),
        };
        Ok(Some((token, place)))
    }

    fn word(&mut self) -> &'t str {
        let end = self.rest.find(|c| !is_symbol_character(c)).unwrap_or(self.rest.len());
        self.advance(end)
    }

    fn string(&mut self, place: Place) -> Result<Token<'t>, ScriptError> {
        self.advance(1);
        let mut end = 0;
        loop {
            match self.rest[end..].find('"') {
                None => return Err(ScriptError::new(place, "this string has no end")),
                Some(quote) if self.rest[end + quote + 1..].starts_with('"') => end += quote + 2,
                Some(quote) => {
                    let text = self.advance(end + quote);
                    self.advance(1);
                    return Ok(Token::String(text));
                }
            }
        }
    }

    fn quoted(&mut self, place: Place) -> Result<Token<'t>, ScriptError> {
        self.advance(1);
        let Some(end) = self.rest.find(['|', '\\']) else {
            return Err(ScriptError::new(place, "this quoted symbol has no end"));
        };
        let text = self.advance(end);
        if self.rest.starts_with('\\') {
            return Err(ScriptError::new(self.place, "no backslash may stand in a quoted symbol"));
        }
        self.advance(1);
        Ok(Token::Quoted(text))
    }

    fn literal(&mut self, place: Place) -> Result<Token<'t>, ScriptError> {
        self.advance(1);
        let word = self.word();
        let token = match (word.get(..1), word.get(1..).unwrap_or_default()) {
            (_, "") => None,
            (Some("x"), digits) if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => {
                Some(Token::Hexadecimal(digits))
            }
            (Some("b"), digits) if digits.bytes().all(|digit| matches!(digit, b'0' | b'1')) => {
                Some(Token::Binary(digits))
            }
            _ => None,
        };
        token.ok_or_else(|| ScriptError::new(place, format!("`#{word}` is no literal: #x and #b begin one")))
    }

    fn number(&mut self, place: Place) -> Result<Token<'t>, ScriptError> {
        let word = self.word();
        let (whole, fraction) = word.split_once('.').map_or((word, None), |(whole, rest)| (whole, Some(rest)));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
        if !is_digits(whole) || fraction.is_some_and(|fraction| !is_digits(fraction)) {
            return Err(ScriptError::new(place, format!("`{word}` is neither a number nor a symbol")));
        }
        if whole.len() > 1 && whole.starts_with('0') {
            return Err(ScriptError::new(place, format!("the number {word} begins with 0")));
        }
        Ok(if fraction.is_some() { Token::Decimal(word) } else { Token::Numeral(word) })
    }
}
