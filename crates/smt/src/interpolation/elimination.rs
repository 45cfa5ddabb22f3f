//! Exact elimination of existential variables, where that is easy.
//!
//! An equation that can be solved for the variable replaces it (over bit-vectors a variable with an odd factor, which has an
//! inverse). A variable that occurs in one comparison only can make it true unless the other side is extreme. The result is
//! equivalent to the formula with the variables quantified; the remaining ones have to be projected ([`super::projection`]).

use crate::term::{Bits, Node, Sort, Substitution, Term, Terms};
use std::collections::BTreeMap;

/// Formulas with more nodes than this are left unchanged: substitution would traverse them repeatedly.
const LARGEST_FORMULA: usize = 4000;

/// The elimination of one variable.
enum Move {
    /// The conjunct equates the variable with this term.
    Replace(Term, Term),
    /// The conjunct with its own variable quantified is equivalent to this.
    Weaken(Term),
}

/// The formula with variables outside `keep` (sorted) quantified existentially; the easy ones are eliminated.
pub(super) fn eliminate(terms: &mut Terms, formula: Term, keep: &[Term]) -> Term {
    let mut formula = formula;
    loop {
        let parts = terms.conjuncts(formula);
        let variables: Vec<Vec<Term>> = parts.iter().map(|&part| terms.variables(&[part])).collect();
        let mut occurrences: BTreeMap<Term, usize> = BTreeMap::new();
        for &variable in variables.iter().flatten().filter(|variable| keep.binary_search(variable).is_err()) {
            *occurrences.entry(variable).or_insert(0) += 1;
        }
        if occurrences.is_empty() || terms.below(&[formula]).len() > LARGEST_FORMULA {
            return formula;
        }
        let found = parts.iter().enumerate().find_map(|(index, &part)| {
            let locals: Vec<Term> =
                variables[index].iter().copied().filter(|variable| occurrences.contains_key(variable)).collect();
            let only_here: Vec<Term> = locals.iter().copied().filter(|local| occurrences[local] == 1).collect();
            let found = solve(terms, part, &locals).or_else(|| weaken(terms, part, &locals, &only_here));
            found.map(|found| (index, found))
        });
        let Some((index, found)) = found else { return formula };
        let rest = parts.iter().enumerate().filter(|&(other, _)| other != index).map(|(_, &part)| part);
        formula = match found {
            Move::Replace(variable, value) => {
                let rest = terms.and(rest.collect::<Vec<_>>());
                Substitution::new([(variable, value)]).apply(terms, rest)
            }
            Move::Weaken(part) => terms.and(rest.chain([part]).collect::<Vec<_>>()),
        };
    }
}

/// Whether the variable occurs in the term.
pub(super) fn occurs(terms: &Terms, variable: Term, term: Term) -> bool {
    terms.variables(&[term]).binary_search(&variable).is_ok()
}

/// Solves a conjunct for one of its local variables.
fn solve(terms: &mut Terms, part: Term, locals: &[Term]) -> Option<Move> {
    match *terms.node(part) {
        Node::Var(..) if locals.contains(&part) => Some(Move::Replace(part, terms.bool(true))),
        Node::Not(inner) => match *terms.node(inner) {
            Node::Var(..) if locals.contains(&inner) => Some(Move::Replace(inner, terms.bool(false))),
            Node::Eq(a, b) if terms.sort(a) == Sort::Bool => {
                let (variable, value) = solve_plain(terms, a, b, locals)?;
                Some(Move::Replace(variable, terms.not(value)))
            }
            _ => None,
        },
        Node::Eq(a, b) => {
            let plain = solve_plain(terms, a, b, locals);
            let solved = match terms.sort(a) {
                Sort::Bits(_) => plain.or_else(|| solve_linear(terms, a, b, locals)),
                Sort::Bool | Sort::Array { .. } => plain,
            };
            solved.map(|(variable, value)| Move::Replace(variable, value))
        }
        _ => None,
    }
}

/// An equation with a variable on one side.
fn solve_plain(terms: &Terms, a: Term, b: Term, locals: &[Term]) -> Option<(Term, Term)> {
    [(a, b), (b, a)]
        .into_iter()
        .find(|&(variable, value)| locals.contains(&variable) && !occurs(terms, variable, value))
}

/// An equation of sums, or of an exclusive or.
fn solve_linear(terms: &mut Terms, a: Term, b: Term, locals: &[Term]) -> Option<(Term, Term)> {
    for (side, other) in [(a, b), (b, a)] {
        if let Node::BitXor(x, y) = *terms.node(side) {
            for (variable, rest) in [(x, y), (y, x)] {
                if locals.contains(&variable) && !occurs(terms, variable, rest) && !occurs(terms, variable, other) {
                    return Some((variable, terms.bit_xor(rest, other)));
                }
            }
        }
        for (factor, variable) in invertible_monomials(terms, side, locals) {
            let monomial = terms.scale(factor.clone(), variable);
            let rest = terms.sub(side, monomial);
            let difference = terms.sub(other, rest);
            let value = terms.scale(factor.inverse(), difference);
            if !occurs(terms, variable, value) {
                return Some((variable, value));
            }
        }
    }
    None
}

/// The local variables that are summands of a term with an odd factor.
fn invertible_monomials(terms: &Terms, term: Term, locals: &[Term]) -> Vec<(Bits, Term)> {
    match terms.node(term) {
        Node::BitNot(inner) => {
            let monomials = invertible_monomials(terms, *inner, locals).into_iter();
            monomials.map(|(factor, variable)| (factor.neg(), variable)).collect()
        }
        Node::Sum(_, monomials) => {
            monomials.iter().filter(|(factor, term)| factor.bit(0) && locals.contains(term)).cloned().collect()
        }
        _ if locals.contains(&term) => vec![(Bits::one(terms.width(term)), term)],
        _ => Vec::new(),
    }
}

/// Splits an equation of concatenations with local variables in them; or gives the meaning of a comparison once the
/// only occurrence of a local variable in it is quantified.
fn weaken(terms: &mut Terms, part: Term, locals: &[Term], only_here: &[Term]) -> Option<Move> {
    let (atom, is_positive) = match *terms.node(part) {
        Node::Not(inner) => (inner, false),
        _ => (part, true),
    };
    match *terms.node(atom) {
        Node::Eq(a, b) if is_positive => split(terms, a, b, locals).or_else(|| split(terms, b, a, locals)),
        Node::Eq(a, b) => solve_plain(terms, a, b, only_here).map(|_| Move::Weaken(terms.bool(true))),
        Node::Ult(a, b) | Node::Slt(a, b) => {
            let (free, other) = solve_plain(terms, a, b, only_here)?;
            if !is_positive {
                return Some(Move::Weaken(terms.bool(true)));
            }
            let width = terms.width(a);
            let (least, greatest) = match terms.node(atom) {
                Node::Ult(..) => (Bits::zero(width), Bits::ones(width)),
                _ => (Bits::sign(width), Bits::sign(width).not()),
            };
            let extreme = terms.bits(if free == a { least } else { greatest });
            let is_extreme = terms.eq(other, extreme);
            Some(Move::Weaken(terms.not(is_extreme)))
        }
        _ => None,
    }
}

/// `a = b` piece by piece, if it can be solved for a piece of `a`.
fn split(terms: &mut Terms, a: Term, b: Term, locals: &[Term]) -> Option<Move> {
    let width = match terms.sort(a) {
        Sort::Bits(width) => width,
        Sort::Bool | Sort::Array { .. } => return None,
    };
    match *terms.node(a) {
        Node::Concat(high, low) if locals.contains(&high) || locals.contains(&low) => {
            let cut = terms.width(low);
            let (upper, lower) = (terms.extract(width - 1, cut, b), terms.extract(cut - 1, 0, b));
            let parts = [terms.eq(high, upper), terms.eq(low, lower)];
            Some(Move::Weaken(terms.and(parts)))
        }
        Node::SignExtend(by, inner) if locals.contains(&inner) && !occurs(terms, inner, b) => {
            let low = terms.extract(width - by - 1, 0, b);
            let extended = terms.sign_extend(by, low);
            let parts = [terms.eq(inner, low), terms.eq(extended, b)];
            Some(Move::Weaken(terms.and(parts)))
        }
        _ => None,
    }
}
