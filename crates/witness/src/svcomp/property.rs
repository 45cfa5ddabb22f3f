//! The competition's property files: `CHECK( init(main()), LTL(G ! call(reach_error())) )`, one or more of them. The
//! text is parsed properly, so unsupported text is an error with its line and never a guess.

use std::fmt;

/// One claim of a property file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// A function is never called.
    UnreachCall(String),
    /// No data race.
    NoDataRace,
    /// Every `free` is valid.
    ValidFree,
    /// Every access through a pointer is valid.
    ValidDeref,
    /// Allocated memory stays reachable until it is freed.
    ValidMemtrack,
    /// Allocated memory is freed before the program ends.
    ValidMemcleanup,
    /// No signed overflow.
    NoOverflow,
    /// The program terminates.
    Termination,
}

impl Claim {
    /// The text between the parentheses of `false(…)`.
    pub fn name(&self) -> &'static str {
        match self {
            Claim::UnreachCall(_) => "unreach-call",
            Claim::NoDataRace => "no-data-race",
            Claim::ValidFree => "valid-free",
            Claim::ValidDeref => "valid-deref",
            Claim::ValidMemtrack => "valid-memtrack",
            Claim::ValidMemcleanup => "valid-memcleanup",
            Claim::NoOverflow => "no-overflow",
            Claim::Termination => "termination",
        }
    }

    fn formula(&self) -> String {
        match self {
            Claim::UnreachCall(function) => format!("G ! call({function}())"),
            Claim::NoDataRace => "G ! data-race".to_owned(),
            Claim::ValidFree => "G valid-free".to_owned(),
            Claim::ValidDeref => "G valid-deref".to_owned(),
            Claim::ValidMemtrack => "G valid-memtrack".to_owned(),
            Claim::ValidMemcleanup => "G valid-memcleanup".to_owned(),
            Claim::NoOverflow => "G ! overflow".to_owned(),
            Claim::Termination => "F end".to_owned(),
        }
    }
}

/// A property file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specification {
    /// The entry function of the program.
    pub entry: String,
    /// The claims in the order of the file: never empty.
    pub claims: Vec<Claim>,
}

impl Specification {
    /// A specification of a program that starts at `main`.
    pub fn of(claims: Vec<Claim>) -> Specification {
        Specification { entry: "main".to_owned(), claims }
    }

    /// Reads a property file; the error begins with the line.
    pub fn parse(text: &str) -> Result<Specification, String> {
        let mut tokens = Tokens::new(text);
        let mut entry: Option<String> = None;
        let mut claims = Vec::new();
        while !tokens.is_at_end() {
            let (own, claim) = tokens.check()?;
            match &entry {
                Some(known) if *known != own => {
                    return Err(tokens.wrong(&format!("the program starts at `{known}` above and at `{own}` here")));
                }
                Some(_) => {}
                None => entry = Some(own),
            }
            if !claims.contains(&claim) {
                claims.push(claim);
            }
        }
        match entry {
            Some(entry) => Ok(Specification { entry, claims }),
            None => Err("line 1: there is no `CHECK( init(main()), LTL(…) )`".to_owned()),
        }
    }
}

impl fmt::Display for Specification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, claim) in self.claims.iter().enumerate() {
            let newline = if index == 0 { "" } else { "\n" };
            write!(f, "{newline}CHECK( init({}()), LTL({}) )", self.entry, claim.formula())?;
        }
        Ok(())
    }
}

/// Words and signs, with their lines.
struct Tokens {
    items: Vec<(String, usize)>,
    next: usize,
    lines: usize,
}

impl Tokens {
    fn new(text: &str) -> Tokens {
        let mut items: Vec<(String, usize)> = Vec::new();
        for (line, content) in text.lines().enumerate() {
            let mut is_word = false;
            for c in content.chars() {
                let continues = c.is_alphanumeric() || matches!(c, '_' | '-');
                match items.last_mut() {
                    Some((word, _)) if continues && is_word => word.push(c),
                    _ if !c.is_whitespace() => items.push((c.to_string(), line + 1)),
                    _ => {}
                }
                is_word = continues;
            }
        }
        Tokens { items, next: 0, lines: text.lines().count().max(1) }
    }

    fn is_at_end(&self) -> bool {
        self.next == self.items.len()
    }

    fn wrong(&self, what: &str) -> String {
        let line = self.items.get(self.next.saturating_sub(1)).map_or(self.lines, |(_, line)| *line);
        format!("line {line}: {what}")
    }

    fn word(&mut self) -> Result<String, String> {
        self.next += 1;
        match self.items.get(self.next - 1) {
            Some((word, _)) => Ok(word.clone()),
            None => Err(self.wrong("the text ends in the middle of a property")),
        }
    }

    fn expect(&mut self, signs: &[&str]) -> Result<(), String> {
        for sign in signs {
            let word = self.word()?;
            if word != *sign {
                return Err(self.wrong(&format!("`{sign}` is expected and not `{word}`")));
            }
        }
        Ok(())
    }

    /// `CHECK ( init ( main ( ) ) , LTL ( formula ) )`.
    fn check(&mut self) -> Result<(String, Claim), String> {
        self.expect(&["CHECK", "(", "init", "("])?;
        let entry = self.word()?;
        self.expect(&["(", ")", ")", ",", "LTL", "("])?;
        let claim = self.formula()?;
        self.expect(&[")", ")"])?;
        Ok((entry, claim))
    }

    fn formula(&mut self) -> Result<Claim, String> {
        let operator = self.word()?;
        let first = self.word()?;
        let claim = match (operator.as_str(), first.as_str()) {
            ("G", "!") => match self.word()?.as_str() {
                "call" => {
                    self.expect(&["("])?;
                    let function = self.word()?;
                    self.expect(&["(", ")", ")"])?;
                    Some(Claim::UnreachCall(function))
                }
                "data-race" => Some(Claim::NoDataRace),
                "overflow" => Some(Claim::NoOverflow),
                _ => None,
            },
            ("G", "valid-free") => Some(Claim::ValidFree),
            ("G", "valid-deref") => Some(Claim::ValidDeref),
            ("G", "valid-memtrack") => Some(Claim::ValidMemtrack),
            ("G", "valid-memcleanup") => Some(Claim::ValidMemcleanup),
            ("F", "end") => Some(Claim::Termination),
            _ => None,
        };
        claim.ok_or_else(|| self.wrong("this is no property that is known"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn property_files_are_read() {
        let text = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n\n";
        let read = Specification::parse(text).expect("it should be read");
        assert_eq!(read, Specification::of(vec![Claim::UnreachCall("reach_error".to_owned())]));
        assert_eq!(read.to_string(), text.trim());
        let memory = "CHECK(init(main()),LTL(G valid-free))\nCHECK( init(main()), LTL(G valid-deref) )\n\
                      CHECK( init(main()),\n  LTL(G valid-memtrack) )\n";
        let read = Specification::parse(memory).expect("it should be read");
        assert_eq!(read.claims, [Claim::ValidFree, Claim::ValidDeref, Claim::ValidMemtrack]);
        for (text, name) in [
            ("CHECK( init(main()), LTL(G ! data-race) )", "no-data-race"),
            ("CHECK( init(main()), LTL(G ! overflow) )", "no-overflow"),
            ("CHECK( init(main()), LTL(F end) )", "termination"),
            ("CHECK( init(main()), LTL(G valid-memcleanup) )", "valid-memcleanup"),
        ] {
            let read = Specification::parse(text).expect("it should be read");
            assert_eq!(read.claims[0].name(), name);
            assert_eq!(read.to_string(), text);
        }
    }

    #[test]
    fn what_is_not_understood_is_an_error_with_a_line() {
        for (text, message) in [
            ("", "line 1: there is no `CHECK( init(main()), LTL(…) )`"),
            ("\nCHECK( init(main()), LTL(G ! call(f()) )", "line 2: the text ends in the middle of a property"),
            ("COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )", "line 1: `CHECK` is expected and not `COVER`"),
            ("CHECK( init(main()), LTL(G ! deadlock) )", "line 1: this is no property that is known"),
            (
                "CHECK( init(f()), LTL(F end) )\nCHECK( init(g()), LTL(F end) )",
                "line 2: the program starts at `f` above and at `g` here",
            ),
        ] {
            assert_eq!(Specification::parse(text), Err(message.to_owned()), "{text}");
        }
    }
}
