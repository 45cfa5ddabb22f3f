//! The text of a certificate.
//!
//! One step per line, words separated by one space. Literals are DIMACS numbers, clause numbers are positive and never
//! used twice, lists end with `0`.
//!
//! ```text
//! heddle proof 1                              the first line
//! i ID LITERALS 0                             an input clause
//! t ID LITERALS 0 cycle EDGES                 a lemma of the order theory; an edge is
//!                                             e FROM TO LITERALS 0  or  e FROM TO LITERALS 0 ( EDGES )
//! t ID LITERALS 0 array TEXT                  a lemma on arrays, justified by TEXT (\\ and \n escaped)
//! l ID LITERALS 0 IDS 0                       a clause that unit propagation derives along these clauses, in order
//! d IDS 0                                     clauses that are not used any more
//! r ID LITERALS 0                             an eliminated clause comes back
//! q LITERALS 0                                a query under these assumptions begins
//! u LITERALS 0 IDS 0                          it is unsatisfiable: this clause of negated assumptions is derived
//! s                                           it is satisfiable (not certified)
//! x                                           it was not answered
//! ```
//!
//! Text and not a binary form: a failing line can be read, and the cost is small next to the search
//! (`what_logging_costs` in `tests/proof.rs`: solving takes 1.1 to 1.4 times as long with a log, checking a fifth to
//! a half of solving). Both directions stream; a reader holds one line.

use super::lemma::{EdgeJustification, Lemma};
use crate::sat::Lit;
use std::fmt;
use std::io::{self, BufRead, Write};

/// The first line of every certificate.
pub const HEADER: &str = "heddle proof 1";

/// The number of a clause in a certificate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ClauseId(pub u64);

impl fmt::Display for ClauseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One step. The file header defines the letters.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Step {
    Input { id: ClauseId, clause: Vec<Lit> },
    Theory { id: ClauseId, clause: Vec<Lit>, lemma: Lemma },
    Derived { id: ClauseId, clause: Vec<Lit>, antecedents: Vec<ClauseId> },
    Deleted { ids: Vec<ClauseId> },
    Restored { id: ClauseId, clause: Vec<Lit> },
    Query { assumptions: Vec<Lit> },
    Unsat { clause: Vec<Lit>, antecedents: Vec<ClauseId> },
    Sat,
    Unknown,
}

/// Writes steps of the solver without copying them.
pub(super) struct Writer<W> {
    out: W,
    line: Vec<u8>,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(out: W) -> Writer<W> {
        Writer { out, line: Vec::new() }
    }

    pub(super) fn header(&mut self) -> io::Result<()> {
        self.line.extend_from_slice(HEADER.as_bytes());
        self.end()
    }

    /// A step that consists of a letter, perhaps a number, and lists.
    pub(super) fn step(
        &mut self,
        letter: u8,
        id: Option<i64>,
        literals: Option<&[i32]>,
        ids: Option<&[i64]>,
    ) -> io::Result<()> {
        self.line.push(letter);
        id.iter().for_each(|id| self.number(*id));
        if let Some(literals) = literals {
            literals.iter().for_each(|lit| self.number(i64::from(*lit)));
            self.number(0);
        }
        if let Some(ids) = ids {
            ids.iter().for_each(|id| self.number(*id));
            self.number(0);
        }
        self.end()
    }

    pub(super) fn lemma(&mut self, id: i64, clause: &[i32], lemma: &Lemma) -> io::Result<()> {
        self.line.push(b't');
        self.number(id);
        clause.iter().for_each(|lit| self.number(i64::from(*lit)));
        self.number(0);
        match lemma {
            Lemma::Cycle(edges) => {
                self.line.extend_from_slice(b" cycle");
                self.edges(edges);
            }
            Lemma::Array(text) => {
                self.line.extend_from_slice(b" array ");
                self.line.extend_from_slice(text.replace('\\', "\\\\").replace('\n', "\\n").as_bytes());
            }
        }
        self.end()
    }

    fn edges(&mut self, edges: &[EdgeJustification]) {
        for edge in edges {
            self.line.extend_from_slice(b" e");
            self.number(i64::from(edge.from));
            self.number(i64::from(edge.to));
            edge.literals.iter().for_each(|lit| self.number(i64::from(lit.dimacs())));
            self.number(0);
            if !edge.path.is_empty() {
                self.line.extend_from_slice(b" (");
                self.edges(&edge.path);
                self.line.extend_from_slice(b" )");
            }
        }
    }

    fn number(&mut self, number: i64) {
        // Not through `fmt`: this runs for every literal of every learned clause.
        self.line.push(b' ');
        if number < 0 {
            self.line.push(b'-');
        }
        let mut digits = [0; 20];
        let mut start = digits.len();
        let mut rest = number.unsigned_abs();
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.line.extend_from_slice(&digits[start..]);
    }

    fn end(&mut self) -> io::Result<()> {
        self.line.push(b'\n');
        let written = self.out.write_all(&self.line);
        self.line.clear();
        written
    }

    pub(super) fn out(&mut self) -> &mut W {
        &mut self.out
    }
}

/// Why a line could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The file could not be read.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The first line is not the header.
    #[error("the first line should be `{HEADER}`")]
    Header,
    /// The line is not a step.
    #[error("expected {0}")]
    Expected(&'static str),
}

/// Reads a certificate step by step.
pub struct Reader<R> {
    input: R,
    line: String,
    number: u64,
}

impl<R: BufRead> Reader<R> {
    /// Reads from `input`, from its first line.
    pub fn new(input: R) -> Reader<R> {
        Reader { input, line: String::new(), number: 0 }
    }

    /// Reads text that continues a certificate after `lines` lines.
    pub fn resume(input: R, lines: u64) -> Reader<R> {
        Reader { input, line: String::new(), number: lines }
    }

    /// The number of the last line read, from 1.
    pub fn line_number(&self) -> u64 {
        self.number
    }

    /// The next step, or `None` at the end. A last line without its line break was cut off and is an error.
    pub fn next_step(&mut self) -> Result<Option<Step>, Unreadable> {
        if self.number == 0 {
            self.next_line()?;
            if self.line != HEADER {
                return Err(Unreadable::Header);
            }
        }
        if !self.next_line()? {
            return Ok(None);
        }
        step_of(&self.line).map(Some)
    }

    fn next_line(&mut self) -> Result<bool, Unreadable> {
        self.line.clear();
        if self.input.read_line(&mut self.line)? == 0 {
            return Ok(false);
        }
        self.number += 1;
        if self.line.pop() != Some('\n') {
            return Err(Unreadable::Expected("the end of the line"));
        }
        Ok(true)
    }
}

/// Maximum nesting depth of paths.
const DEEPEST_PATH: u32 = 1000;

/// The unread words of a line.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a str> {
        if self.0.is_empty() {
            return None;
        }
        let (word, rest) = self.0.split_once(' ').unwrap_or((self.0, ""));
        self.0 = rest;
        Some(word)
    }

    fn next_is(&mut self, word: &str) -> bool {
        let mut ahead = Words(self.0);
        let is_next = ahead.next() == Some(word);
        if is_next {
            self.0 = ahead.0;
        }
        is_next
    }

    fn number<N: std::str::FromStr>(&mut self, expected: &'static str) -> Result<N, Unreadable> {
        self.next().and_then(|word| word.parse().ok()).ok_or(Unreadable::Expected(expected))
    }

    fn id(&mut self) -> Result<ClauseId, Unreadable> {
        match self.number("the number of a clause")? {
            0 => Err(Unreadable::Expected("the number of a clause")),
            id => Ok(ClauseId(id)),
        }
    }

    fn ids(&mut self) -> Result<Vec<ClauseId>, Unreadable> {
        let mut ids = Vec::new();
        loop {
            match self.number("the number of a clause or 0")? {
                0 => return Ok(ids),
                id => ids.push(ClauseId(id)),
            }
        }
    }

    fn literals(&mut self) -> Result<Vec<Lit>, Unreadable> {
        let mut literals = Vec::new();
        loop {
            match self.number("a literal or 0")? {
                0 => return Ok(literals),
                i32::MIN => return Err(Unreadable::Expected("a literal or 0")),
                lit => literals.push(Lit::from_dimacs(lit)),
            }
        }
    }

    fn lemma(&mut self) -> Result<Lemma, Unreadable> {
        match self.next() {
            Some("cycle") => self.edges(0).map(Lemma::Cycle),
            Some("array") => Ok(Lemma::Array(unescape(std::mem::take(&mut self.0)))),
            _ => Err(Unreadable::Expected("`cycle` or `array`")),
        }
    }

    fn edges(&mut self, depth: u32) -> Result<Vec<EdgeJustification>, Unreadable> {
        // Recursion on untrusted text.
        if depth > DEEPEST_PATH {
            return Err(Unreadable::Expected("fewer paths within paths"));
        }
        let mut edges = Vec::new();
        while self.next_is("e") {
            let (from, to) = (self.number("a node")?, self.number("a node")?);
            let literals = self.literals()?;
            let mut path = Vec::new();
            if self.next_is("(") {
                path = self.edges(depth + 1)?;
                if path.is_empty() || !self.next_is(")") {
                    return Err(Unreadable::Expected("edges and `)`"));
                }
            }
            edges.push(EdgeJustification { from, to, literals, path });
        }
        Ok(edges)
    }
}

fn unescape(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => result.push(if chars.next() == Some('n') { '\n' } else { '\\' }),
            c => result.push(c),
        }
    }
    result
}

fn step_of(line: &str) -> Result<Step, Unreadable> {
    let mut words = Words(line);
    let step = match words.next() {
        Some("i") => Step::Input { id: words.id()?, clause: words.literals()? },
        Some("t") => Step::Theory { id: words.id()?, clause: words.literals()?, lemma: words.lemma()? },
        Some("l") => Step::Derived { id: words.id()?, clause: words.literals()?, antecedents: words.ids()? },
        Some("d") => Step::Deleted { ids: words.ids()? },
        Some("r") => Step::Restored { id: words.id()?, clause: words.literals()? },
        Some("q") => Step::Query { assumptions: words.literals()? },
        Some("u") => Step::Unsat { clause: words.literals()?, antecedents: words.ids()? },
        Some("s") => Step::Sat,
        Some("x") => Step::Unknown,
        _ => return Err(Unreadable::Expected("one of the letters i t l d r q u s x")),
    };
    if words.0.is_empty() {
        Ok(step)
    } else {
        Err(Unreadable::Expected("the end of the line"))
    }
}
