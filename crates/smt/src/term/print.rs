//! Printing terms as SMT-LIB: shared subterms are written once, without recursion.

use super::{Bits, Node, Sort, Term, Terms};
use crate::script::{is_reserved, is_symbol_character, is_theory_symbol};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// A name as SMT-LIB reads it, between bars where it must be.
pub fn symbol(name: &str) -> String {
    let is_simple = !name.is_empty()
        && name.chars().all(is_symbol_character)
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !is_reserved(name);
    if is_simple {
        return name.to_owned();
    }
    // These two cannot be quoted.
    format!("|{}|", name.replace(['|', '\\'], "_"))
}

impl Terms {
    /// The term as SMT-LIB, with `let` for shared subterms.
    pub fn to_smtlib(&self, term: Term) -> String {
        let mut printer = Printer::new(self, &[term]);
        let mut text = String::new();
        for &shared in &printer.shared.clone() {
            let definition = printer.text(shared);
            let name = printer.give_name(shared);
            let _ = write!(text, "(let (({name} {definition})) ");
        }
        text.push_str(&printer.text(term));
        text.push_str(&")".repeat(printer.shared.len()));
        text
    }

    /// A script that declares the variables of the assertions, asserts them and checks satisfiability. Subterms shared
    /// in one assertion or between several are defined once.
    pub fn to_script(&self, assertions: &[Term]) -> String {
        let mut printer = Printer::new(self, assertions);
        let has_arrays = self.below(assertions).iter().any(|&term| matches!(self.sort(term), Sort::Array { .. }));
        let mut text = format!("(set-logic {})\n", if has_arrays { "QF_ABV" } else { "QF_BV" });
        for variable in self.variables(assertions) {
            let _ = writeln!(text, "(declare-const {} {})", printer.names[&variable], self.sort(variable));
        }
        for &shared in &printer.shared.clone() {
            let definition = printer.text(shared);
            let name = printer.give_name(shared);
            let _ = writeln!(text, "(define-fun {name} () {} {definition})", self.sort(shared));
        }
        for &assertion in assertions {
            let _ = writeln!(text, "(assert {})", printer.text(assertion));
        }
        text.push_str("(check-sat)\n");
        text
    }
}

/// Names for variables and for shared subterms.
struct Printer<'a> {
    terms: &'a Terms,
    names: FxHashMap<Term, String>,
    used: FxHashSet<String>,
    /// Arguments first.
    shared: Vec<Term>,
}

/// A pending piece of text.
enum Piece {
    Term(Term),
    Text(String),
    Bits(Bits),
}

impl<'a> Printer<'a> {
    fn new(terms: &'a Terms, roots: &[Term]) -> Printer<'a> {
        let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
        let below = terms.below(roots);
        for &term in &below {
            terms.node(term).for_each_argument(|argument| *uses.entry(argument).or_default() += 1);
        }
        for &root in roots {
            *uses.entry(root).or_default() += 1;
        }
        let is_atom = |term: Term| matches!(terms.node(term), Node::Bool(_) | Node::Bits(_) | Node::Var(..));
        let shared = below.into_iter().filter(|term| uses[term] > 1 && !is_atom(*term)).collect();
        let mut printer = Printer { terms, names: FxHashMap::default(), used: FxHashSet::default(), shared };
        for variable in terms.variables(roots) {
            let name = printer.unique(terms.name(variable));
            printer.names.insert(variable, name);
        }
        printer
    }

    /// The name itself, or a variant if it is taken.
    fn unique(&mut self, name: &str) -> String {
        let mut quoted = symbol(name);
        let mut number = 0;
        while is_theory_symbol(quoted.trim_matches('|')) || self.used.contains(quoted.trim_matches('|')) {
            number += 1;
            quoted = symbol(&format!("{name}!{number}"));
        }
        self.used.insert(quoted.trim_matches('|').to_owned());
        quoted
    }

    fn give_name(&mut self, term: Term) -> String {
        let name = self.unique(&format!("?{}", base::Id::index(term)));
        self.names.insert(term, name.clone());
        name
    }

    /// The text of a term; named subterms are written by name.
    fn text(&self, term: Term) -> String {
        let mut text = String::new();
        let mut pieces = vec![Piece::Term(term)];
        while let Some(piece) = pieces.pop() {
            match piece {
                Piece::Text(part) => text.push_str(&part),
                Piece::Bits(bits) => {
                    let _ = write!(text, "{bits}");
                }
                Piece::Term(term) => match self.names.get(&term) {
                    Some(name) => text.push_str(name),
                    None => {
                        let parts = self.parts(term);
                        pieces.extend(parts.into_iter().rev());
                    }
                },
            }
        }
        text
    }

    fn parts(&self, term: Term) -> Vec<Piece> {
        let call = |operator: &str, args: &[Term]| {
            let mut parts = vec![Piece::Text(format!("({operator}"))];
            for &arg in args {
                parts.extend([Piece::Text(" ".to_owned()), Piece::Term(arg)]);
            }
            parts.push(Piece::Text(")".to_owned()));
            parts
        };
        match self.terms.node(term) {
            Node::Bool(value) => vec![Piece::Text(value.to_string())],
            Node::Bits(bits) => vec![Piece::Bits(bits.clone())],
            Node::Var(..) => panic!("variables should have names"),
            Node::Not(a) => call("not", &[*a]),
            Node::And(args) => call("and", args),
            Node::Eq(a, b) => call("=", &[*a, *b]),
            Node::Ite(a, b, c) => call("ite", &[*a, *b, *c]),
            Node::Ult(a, b) => call("bvult", &[*a, *b]),
            Node::Slt(a, b) => call("bvslt", &[*a, *b]),
            Node::BitNot(a) => call("bvnot", &[*a]),
            Node::BitAnd(args) => call("bvand", args),
            Node::BitXor(a, b) => call("bvxor", &[*a, *b]),
            Node::Sum(constant, monomials) => sum(constant, monomials),
            Node::Mul(a, b) => call("bvmul", &[*a, *b]),
            Node::Udiv(a, b) => call("bvudiv", &[*a, *b]),
            Node::Urem(a, b) => call("bvurem", &[*a, *b]),
            Node::Shl(a, b) => call("bvshl", &[*a, *b]),
            Node::Lshr(a, b) => call("bvlshr", &[*a, *b]),
            Node::Ashr(a, b) => call("bvashr", &[*a, *b]),
            Node::Concat(a, b) => call("concat", &[*a, *b]),
            Node::Extract { high, low, of } => call(&format!("(_ extract {high} {low})"), &[*of]),
            Node::SignExtend(by, a) => call(&format!("(_ sign_extend {by})"), &[*a]),
            Node::Select(a, b) => call("select", &[*a, *b]),
            Node::Store(a, b, c) => call("store", &[*a, *b, *c]),
            Node::Const(sort, a) => call(&format!("(as const {sort})"), &[*a]),
        }
    }
}

/// A linear sum: factors that are 1 and the constant 0 are left out.
fn sum(constant: &Bits, monomials: &[(Bits, Term)]) -> Vec<Piece> {
    let space = || Piece::Text(" ".to_owned());
    let mut parts = Vec::new();
    for (factor, term) in monomials {
        parts.push(space());
        if factor.is_one() {
            parts.push(Piece::Term(*term));
        } else if factor.is_ones() {
            parts.extend([Piece::Text("(bvneg ".to_owned()), Piece::Term(*term), Piece::Text(")".to_owned())]);
        } else {
            parts.extend([Piece::Text("(bvmul ".to_owned()), Piece::Bits(factor.clone()), space()]);
            parts.extend([Piece::Term(*term), Piece::Text(")".to_owned())]);
        }
    }
    if !constant.is_zero() {
        parts.extend([space(), Piece::Bits(constant.clone())]);
    }
    if monomials.len() + usize::from(!constant.is_zero()) == 1 {
        return parts.split_off(1);
    }
    parts.insert(0, Piece::Text("(bvadd".to_owned()));
    parts.push(Piece::Text(")".to_owned()));
    parts
}
