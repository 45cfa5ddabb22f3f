//! Predicates that hold in a state, from general to particular.
//!
//! A label should not speak of constants that come from how often a loop happened to be unrolled. So what a model
//! satisfies is offered in tiers: predicates already used, relations between variables, bounds by constants of the program
//! (weakest first), atoms of the program; and only then relations and bounds with constants of the model, and the model
//! itself. The last tier describes the model completely, so all tiers together always suffice to tell it from what it has
//! nothing in common with.

use super::projection::constant;
use crate::term::value::Evaluation;
use crate::term::{Assignment, Bits, Node, Sort, Term, Terms, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Which predicates come first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Preference {
    /// Relations between variables.
    Relations,
    /// Atoms of the formulas and of the preconditions made of them.
    Atoms,
}

/// Bit-vectors that are related with each other; more would make too many pairs.
const MOST_RELATED: usize = 8;
/// Constants of the program that a bit-vector is compared with.
const MOST_CONSTANTS: usize = 16;

/// What the formulas are made of.
pub(super) struct Vocabulary {
    constants: BTreeMap<u32, Vec<Bits>>,
    has_signed: bool,
    has_unsigned: bool,
}

impl Vocabulary {
    /// Constants with those next to them, and which comparisons occur.
    pub(super) fn new(terms: &Terms, formulas: &[Term]) -> Vocabulary {
        let mut found: BTreeMap<u32, BTreeSet<Bits>> = BTreeMap::new();
        let (mut has_signed, mut has_unsigned) = (false, false);
        for term in terms.below(formulas) {
            match terms.node(term) {
                Node::Bits(bits) | Node::Sum(bits, _) => {
                    let found = found.entry(bits.width()).or_default();
                    found.extend([bits.clone(), bits.neg()]);
                }
                Node::Slt(..) => has_signed = true,
                Node::Ult(..) => has_unsigned = true,
                _ => {}
            }
        }
        let constants = found.into_iter().map(|(width, found)| (width, with_neighbours(width, &found))).collect();
        Vocabulary { constants, has_signed, has_unsigned: has_unsigned || !has_signed }
    }

    /// Constants of a width.
    fn constants(&self, width: u32) -> Vec<Bits> {
        self.constants.get(&width).cloned().unwrap_or_else(|| with_neighbours(width, &BTreeSet::new()))
    }

    /// Whether the program or its neighbourhood has the constant.
    pub(super) fn has_constant(&self, bits: &Bits) -> bool {
        bits.is_zero() || bits.is_one() || self.constants.get(&bits.width()).is_some_and(|known| known.contains(bits))
    }

    /// Whether a term has no other constants than the program.
    pub(super) fn is_without_accidents(&self, terms: &Terms, term: Term) -> bool {
        terms.below(&[term]).iter().all(|&term| match terms.node(term) {
            Node::Bits(bits) | Node::Sum(bits, _) => self.has_constant(bits),
            _ => true,
        })
    }

    /// The orders that occur: unsigned, signed.
    fn orders(&self) -> Vec<Order> {
        [(self.has_signed, Order::Signed), (self.has_unsigned, Order::Unsigned)]
            .into_iter()
            .filter_map(|(occurs, order)| occurs.then_some(order))
            .collect()
    }
}

fn with_neighbours(width: u32, found: &BTreeSet<Bits>) -> Vec<Bits> {
    let one = Bits::one(width);
    let neighbours = found.iter().flat_map(|bits| [bits.add(&one), bits.sub(&one)]);
    let mut constants = vec![Bits::zero(width)];
    for bits in found.iter().cloned().chain(neighbours) {
        if constants.len() < MOST_CONSTANTS && !constants.contains(&bits) {
            constants.push(bits);
        }
    }
    constants.sort_unstable();
    constants
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Unsigned,
    Signed,
}

impl Order {
    fn less(self, a: &Bits, b: &Bits) -> bool {
        match self {
            Order::Unsigned => a.ult(b),
            Order::Signed => a.slt(b),
        }
    }

    fn at_most(self, terms: &mut Terms, a: Term, b: Term) -> Term {
        match self {
            Order::Unsigned => terms.ule(a, b),
            Order::Signed => terms.sle(a, b),
        }
    }
}

/// The tiers for one model, made one at a time.
pub(super) struct Tiers<'a> {
    vocabulary: &'a Vocabulary,
    /// Variables that may be mentioned, sorted.
    shared: &'a [Term],
    /// Predicates over them that were used elsewhere.
    used: &'a [Term],
    /// Formulas whose atoms may be used.
    sources: &'a [Term],
    model: &'a Assignment,
    /// Bit-vector variables and elements of arrays, with their values.
    places: Vec<(Term, Bits)>,
    kinds: std::slice::Iter<'static, Tier>,
}

#[derive(Clone, Copy)]
enum Tier {
    Used,
    Equalities,
    Relations,
    ProgramBounds,
    Atoms,
    ModelRelations,
    ModelBounds,
    Bits,
    Arrays,
}

impl<'a> Tiers<'a> {
    /// The tiers of a model, over shared variables only.
    pub(super) fn new(
        terms: &Terms,
        vocabulary: &'a Vocabulary,
        shared: &'a [Term],
        used: &'a [Term],
        sources: &'a [Term],
        model: &'a Assignment,
        preference: Preference,
    ) -> Tiers<'a> {
        let kinds: &'static [Tier] = match preference {
            Preference::Relations => &[
                Tier::Used,
                Tier::Equalities,
                Tier::Relations,
                Tier::ProgramBounds,
                Tier::Atoms,
                Tier::ModelRelations,
                Tier::ModelBounds,
                Tier::Bits,
                Tier::Arrays,
            ],
            Preference::Atoms => &[
                Tier::Used,
                Tier::Atoms,
                Tier::Equalities,
                Tier::ProgramBounds,
                Tier::Relations,
                Tier::ModelRelations,
                Tier::ModelBounds,
                Tier::Bits,
                Tier::Arrays,
            ],
        };
        let mut tiers =
            Tiers { vocabulary, shared, used, sources, model, places: Vec::new(), kinds: kinds.iter() };
        tiers.places = tiers.find_places(terms);
        tiers
    }

    /// The next tier: predicates that hold in the model.
    pub(super) fn next(&mut self, terms: &mut Terms) -> Option<Vec<Term>> {
        let predicates = match self.kinds.next()? {
            Tier::Used => self.used.to_vec(),
            Tier::Equalities => self.equalities(terms),
            Tier::Relations => self.relations(terms),
            Tier::ProgramBounds => self.program_bounds(terms),
            Tier::Atoms => self.atoms(terms),
            Tier::ModelRelations => self.model_relations(terms),
            Tier::ModelBounds => self.model_bounds(terms),
            Tier::Bits => self.bits(terms),
            Tier::Arrays => self.arrays(terms),
        };
        Some(self.as_in_model(terms, predicates))
    }

    /// The predicates that hold, then the negations of those that do not.
    fn as_in_model(&self, terms: &mut Terms, predicates: Vec<Term>) -> Vec<Term> {
        let mut evaluation = Evaluation::new(terms, self.model);
        let (mut holding, failing): (Vec<Term>, Vec<Term>) =
            predicates.into_iter().partition(|&predicate| evaluation.is_true(predicate));
        holding.extend(failing.into_iter().map(|predicate| terms.not(predicate)));
        holding.retain(|&predicate| terms.as_bool(predicate).is_none());
        holding
    }

    fn is_shared(&self, terms: &Terms, term: Term) -> bool {
        terms.variables(&[term]).iter().all(|variable| self.shared.binary_search(variable).is_ok())
    }

    fn find_places(&self, terms: &Terms) -> Vec<(Term, Bits)> {
        let variables = self.shared.iter().copied().filter(|&variable| matches!(terms.sort(variable), Sort::Bits(_)));
        let mut places: Vec<Term> = variables.collect();
        let elements = terms.below(self.sources).into_iter();
        let mut elements: Vec<Term> =
            elements.filter(|&term| matches!(terms.node(term), Node::Select(..)) && self.is_shared(terms, term)).collect();
        elements.sort_unstable();
        places.extend(elements);
        let mut evaluation = Evaluation::new(terms, self.model);
        places.into_iter().map(|place| (place, evaluation.bits(place).clone())).collect()
    }

    /// Pairs of places of the same width, not too many.
    fn pairs(&self) -> Vec<(&(Term, Bits), &(Term, Bits))> {
        let related = &self.places[..self.places.len().min(MOST_RELATED)];
        let pairs = related.iter().enumerate().flat_map(|(index, a)| related[index + 1..].iter().map(move |b| (a, b)));
        pairs.filter(|(a, b)| a.1.width() == b.1.width()).collect()
    }

    /// Booleans; equalities of variables of one sort.
    fn equalities(&self, terms: &mut Terms) -> Vec<Term> {
        let mut predicates: Vec<Term> =
            self.shared.iter().copied().filter(|&variable| terms.sort(variable) == Sort::Bool).collect();
        for (index, &a) in self.shared.iter().enumerate() {
            let arrays = self.shared[index + 1..].iter().filter(|&&b| {
                terms.sort(a) == terms.sort(b) && matches!(terms.sort(a), Sort::Array { .. })
            });
            let arrays: Vec<Term> = arrays.copied().collect();
            predicates.extend(arrays.into_iter().map(|b| terms.eq(a, b)));
        }
        predicates.extend(self.pairs().into_iter().map(|(a, b)| terms.eq(a.0, b.0)));
        predicates
    }

    /// Orders of places; sums and differences that are constants of the program.
    fn relations(&self, terms: &mut Terms) -> Vec<Term> {
        let mut predicates = Vec::new();
        for (a, b) in self.pairs() {
            for order in self.vocabulary.orders() {
                let (low, high) = if order.less(&b.1, &a.1) { (b.0, a.0) } else { (a.0, b.0) };
                predicates.push(order.at_most(terms, low, high));
            }
        }
        for (a, b) in self.pairs() {
            if self.vocabulary.has_constant(&a.1.sub(&b.1)) || self.vocabulary.has_constant(&b.1.sub(&a.1)) {
                predicates.push(difference_is(terms, a, b));
            }
            if self.vocabulary.has_constant(&a.1.add(&b.1)) {
                predicates.push(sum_is(terms, a, b));
            }
        }
        predicates
    }

    /// Bounds by constants of the program, the weakest first; then equality with such constants.
    fn program_bounds(&self, terms: &mut Terms) -> Vec<Term> {
        let mut ranked: Vec<(usize, Term)> = Vec::new();
        let mut equalities = Vec::new();
        for (place, value) in &self.places {
            let mut constants = self.vocabulary.constants(value.width());
            for order in self.vocabulary.orders() {
                constants.sort_by(|a, b| order.less(b, a).cmp(&order.less(a, b)));
                let lower = constants.iter().take_while(|constant| !order.less(value, constant));
                for (rank, constant) in lower.enumerate() {
                    let constant = terms.bits(constant.clone());
                    ranked.push((rank, order.at_most(terms, constant, *place)));
                }
                let upper = constants.iter().rev().take_while(|constant| !order.less(constant, value));
                for (rank, constant) in upper.enumerate() {
                    let constant = terms.bits(constant.clone());
                    ranked.push((rank, order.at_most(terms, *place, constant)));
                }
            }
            for constant in &constants {
                let constant = terms.bits(constant.clone());
                equalities.push(terms.eq(*place, constant));
            }
        }
        ranked.sort_by_key(|&(rank, _)| rank);
        ranked.into_iter().map(|(_, predicate)| predicate).chain(equalities).collect()
    }

    /// Atoms of the sources.
    fn atoms(&self, terms: &mut Terms) -> Vec<Term> {
        let below = terms.below(self.sources);
        let is_atom = |&term: &Term| {
            terms.sort(term) == Sort::Bool
                && !matches!(terms.node(term), Node::Not(_) | Node::And(_) | Node::Bool(_))
                && self.is_shared(terms, term)
        };
        let mut atoms: Vec<Term> = below.into_iter().filter(is_atom).collect();
        atoms.sort_by_cached_key(|&atom| terms.below(&[atom]).len());
        atoms
    }

    /// Differences and sums of two places, and a place as the sum of two others.
    fn model_relations(&self, terms: &mut Terms) -> Vec<Term> {
        let mut predicates = Vec::new();
        let related = &self.places[..self.places.len().min(MOST_RELATED)];
        for (a, b) in self.pairs() {
            let total = a.1.add(&b.1);
            let matching = related.iter().filter(|(place, value)| *value == total && *place != a.0 && *place != b.0);
            for (place, _) in matching {
                let sum = terms.add(a.0, b.0);
                predicates.push(terms.eq(*place, sum));
            }
        }
        for (a, b) in self.pairs() {
            predicates.push(difference_is(terms, a, b));
            predicates.push(sum_is(terms, a, b));
        }
        predicates
    }

    /// Bounds by the model's own values.
    fn model_bounds(&self, terms: &mut Terms) -> Vec<Term> {
        let mut predicates = Vec::new();
        for (place, value) in &self.places {
            let value = terms.bits(value.clone());
            for order in self.vocabulary.orders() {
                predicates.push(order.at_most(terms, *place, value));
                predicates.push(order.at_most(terms, value, *place));
            }
        }
        predicates
    }

    /// Single bits.
    fn bits(&self, terms: &mut Terms) -> Vec<Term> {
        let mut predicates = Vec::new();
        for (place, value) in &self.places {
            for index in 0..value.width() {
                let bit = terms.extract(index, index, *place);
                let one = terms.number(1, 1);
                predicates.push(terms.eq(bit, one));
            }
        }
        predicates
    }

    /// Elements of arrays, then arrays as a whole.
    fn arrays(&self, terms: &mut Terms) -> Vec<Term> {
        let (mut elements, mut wholes) = (Vec::new(), Vec::new());
        for &variable in self.shared {
            let Value::Array(array) = Evaluation::new(terms, self.model).value(variable).clone() else { continue };
            for (index, element) in array.elements() {
                let (index, element) = (terms.bits(index.clone()), terms.bits(element.clone()));
                let selected = terms.select(variable, index);
                elements.push(terms.eq(selected, element));
            }
            let whole = constant(terms, &Value::Array(array));
            wholes.push(terms.eq(variable, whole));
        }
        elements.extend(wholes);
        elements
    }
}

fn difference_is(terms: &mut Terms, a: &(Term, Bits), b: &(Term, Bits)) -> Term {
    let distance = terms.bits(a.1.sub(&b.1));
    let moved = terms.add(b.0, distance);
    terms.eq(a.0, moved)
}

fn sum_is(terms: &mut Terms, a: &(Term, Bits), b: &(Term, Bits)) -> Term {
    let total = terms.bits(a.1.add(&b.1));
    let sum = terms.add(a.0, b.0);
    terms.eq(sum, total)
}
