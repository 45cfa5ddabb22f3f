//! S-expressions: one command at a time, in a flat table, so that deep nesting needs no stack.

use super::lexer::{Lexer, Place, ScriptError, Token};
use std::fmt;

/// An expression of a [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Expr(u32);

enum Item<'t> {
    Atom(Token<'t>),
    List(Vec<Expr>),
}

/// The expressions of one command.
#[derive(Default)]
pub(super) struct Tree<'t> {
    items: Vec<(Item<'t>, Place)>,
}

impl<'t> Tree<'t> {
    /// Reads the next expression; `None` at the end of the text.
    pub(super) fn read(&mut self, lexer: &mut Lexer<'t>) -> Result<Option<Expr>, ScriptError> {
        self.items.clear();
        let mut open: Vec<(Vec<Expr>, Place)> = Vec::new();
        loop {
            let Some((token, place)) = lexer.next()? else {
                return match open.pop() {
                    None => Ok(None),
                    Some((_, place)) => Err(ScriptError::new(place, "this parenthesis is never closed")),
                };
            };
            let done = match token {
                Token::Open => {
                    open.push((Vec::new(), place));
                    continue;
                }
                Token::Close => match open.pop() {
                    None => return Err(ScriptError::new(place, "this parenthesis closes nothing")),
                    Some((list, place)) => self.add(Item::List(list), place),
                },
                atom => self.add(Item::Atom(atom), place),
            };
            match open.last_mut() {
                None => return Ok(Some(done)),
                Some((list, _)) => list.push(done),
            }
        }
    }

    fn add(&mut self, item: Item<'t>, place: Place) -> Expr {
        self.items.push((item, place));
        Expr(self.items.len() as u32 - 1)
    }

    pub(super) fn place(&self, expr: Expr) -> Place {
        self.items[expr.0 as usize].1
    }

    /// The error at an expression.
    pub(super) fn error<T>(&self, expr: Expr, message: impl Into<String>) -> Result<T, ScriptError> {
        Err(ScriptError::new(self.place(expr), message))
    }

    /// The parts, if it is a list.
    pub(super) fn list(&self, expr: Expr) -> Option<&[Expr]> {
        match &self.items[expr.0 as usize].0 {
            Item::List(list) => Some(list),
            Item::Atom(_) => None,
        }
    }

    pub(super) fn atom(&self, expr: Expr) -> Option<Token<'t>> {
        match self.items[expr.0 as usize].0 {
            Item::Atom(token) => Some(token),
            Item::List(_) => None,
        }
    }

    /// The word, if it is unquoted: only such words can be reserved.
    pub(super) fn word(&self, expr: Expr) -> Option<&'t str> {
        match self.atom(expr)? {
            Token::Symbol(word) => Some(word),
            _ => None,
        }
    }

    /// The name, if it is a symbol that may be used as one.
    pub(super) fn symbol(&self, expr: Expr) -> Option<&'t str> {
        match self.atom(expr)? {
            Token::Symbol(word) if !is_reserved(word) => Some(word),
            Token::Quoted(name) => Some(name),
            _ => None,
        }
    }

    /// The number, if it is a small one.
    pub(super) fn number(&self, expr: Expr) -> Option<u32> {
        match self.atom(expr)? {
            Token::Numeral(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    /// The text of an expression, with whitespace normalised.
    pub(super) fn text(&self, expr: Expr) -> String {
        enum Step {
            Expr(Expr),
            Text(&'static str),
        }
        let mut text = String::new();
        let mut steps = vec![Step::Expr(expr)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Text(part) => text.push_str(part),
                Step::Expr(expr) => match &self.items[expr.0 as usize].0 {
                    Item::Atom(token) => text.push_str(&token.to_string()),
                    Item::List(list) => {
                        steps.push(Step::Text(")"));
                        for (index, &part) in list.iter().enumerate().rev() {
                            steps.push(Step::Expr(part));
                            if index > 0 {
                                steps.push(Step::Text(" "));
                            }
                        }
                        text.push('(');
                    }
                },
            }
        }
        text
    }
}

/// Reserved words of the term grammar.
pub(crate) fn is_reserved(word: &str) -> bool {
    matches!(word, "!" | "_" | "as" | "exists" | "forall" | "lambda" | "let" | "match" | "par")
}

/// The source text.
impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Open => f.write_str("("),
            Token::Close => f.write_str(")"),
            Token::Symbol(text) | Token::Numeral(text) | Token::Decimal(text) => f.write_str(text),
            Token::Quoted(text) => write!(f, "|{text}|"),
            Token::Keyword(text) => write!(f, ":{text}"),
            Token::Hexadecimal(text) => write!(f, "#x{text}"),
            Token::Binary(text) => write!(f, "#b{text}"),
            Token::String(text) => write!(f, "\"{text}\""),
        }
    }
}
