//! Predicates that hold in a state, from general to particular.
//!
//! A label should not mention constants that only depend on how often a loop was unrolled. So predicates that hold in a
//! model are offered in tiers: predicates already used, relations between variables, bounds by constants of the program
//! (weakest first), atoms of the program; and only then relations and bounds with constants of the model, and the model
//! itself. The last tier describes the model completely, so all tiers together always suffice to separate it from a set
//! of states that does not contain it.

use super::projection::constant;
use crate::term::value::Evaluation;
use crate::term::{Assignment, Bits, Node, Sort, Term, Terms, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The predicates that come first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Preference {
    /// Relations between variables.
    Relations,
    /// Atoms of the formulas and of the preconditions made of them.
    Atoms,
}

/// Maximum number of bit-vectors that are related with each other; more would make too many pairs.
const MAX_RELATED: usize = 8;
/// Maximum number of atoms of formulas, smallest first.
const MAX_ATOMS: usize = 64;
/// Maximum number of constants of the program that a bit-vector is compared with.
const MAX_CONSTANTS: usize = 16;

/// The constants, orders and atoms of the formulas.
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

    /// Whether the constant, or a neighbour of it, occurs in the program.
    pub(super) fn has_constant(&self, bits: &Bits) -> bool {
        bits.is_zero() || bits.is_one() || self.constants.get(&bits.width()).is_some_and(|known| known.contains(bits))
    }

    /// Whether all constants of a term occur in the program.
    pub(super) fn is_without_accidents(&self, terms: &Terms, term: Term) -> bool {
        terms.below(&[term]).iter().all(|&term| match terms.node(term) {
            Node::Bits(bits) | Node::Sum(bits, _) => self.has_constant(bits),
            _ => true,
        })
    }

    /// The orders that occur.
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
        if constants.len() < MAX_CONSTANTS && !constants.contains(&bits) {
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

/// The material for predicates.
pub(super) struct Material<'a> {
    pub(super) vocabulary: &'a Vocabulary,
    /// Variables that may be mentioned, sorted.
    pub(super) shared: &'a [Term],
    /// Predicates over them that were used elsewhere.
    pub(super) used: &'a [Term],
    /// Formulas whose atoms may be used.
    pub(super) sources: &'a [Term],
    /// Whether the label will be the negation of the result.
    pub(super) is_negated: bool,
}

/// A bit-vector variable or an element of an array, and its values in the models.
struct Place {
    term: Term,
    values: Vec<Bits>,
}

impl Place {
    /// The value in the first model.
    fn value(&self) -> &Bits {
        &self.values[0]
    }
}

/// The tiers for some models, made one at a time.
pub(super) struct Tiers<'a> {
    material: Material<'a>,
    models: &'a [Assignment],
    places: Vec<Place>,
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

/// The tiers that do not describe a single model.
const GENERAL: &[Tier] =
    &[Tier::Used, Tier::Equalities, Tier::Relations, Tier::ProgramBounds, Tier::Atoms, Tier::ModelRelations];

impl<'a> Tiers<'a> {
    /// The tiers of some models, over shared variables only. If there are several models, their common predicates may not
    /// describe them, and the tiers that would describe a single one are left out.
    pub(super) fn new(
        terms: &Terms,
        material: Material<'a>,
        models: &'a [Assignment],
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
        let kinds = if models.len() > 1 { &kinds[..kinds.len() - 2] } else { kinds };
        let mut tiers = Tiers { material, models, places: Vec::new(), kinds: kinds.iter() };
        tiers.places = tiers.find_places(terms);
        tiers
    }

    /// The tiers that do not describe a single model.
    pub(super) fn general(terms: &Terms, material: Material<'a>, models: &'a [Assignment]) -> Tiers<'a> {
        let mut tiers = Tiers::new(terms, material, models, Preference::Relations);
        tiers.kinds = GENERAL.iter();
        tiers
    }

    /// The next tier: predicates that hold in the model.
    pub(super) fn next(&mut self, terms: &mut Terms) -> Option<Vec<Term>> {
        let predicates = match self.kinds.next()? {
            Tier::Used => self.material.used.to_vec(),
            Tier::Equalities => self.equalities(terms),
            Tier::Relations => self.relations(terms),
            Tier::ProgramBounds => self.program_bounds(terms),
            Tier::Atoms => self.atoms(terms),
            Tier::ModelRelations => self.model_relations(terms),
            Tier::ModelBounds => self.model_bounds(terms),
            Tier::Bits => self.bits(terms),
            Tier::Arrays => self.arrays(terms),
        };
        Some(self.as_in_models(terms, predicates))
    }

    /// The predicates that hold in all models, then the negations of those that hold in none.
    fn as_in_models(&self, terms: &mut Terms, predicates: Vec<Term>) -> Vec<Term> {
        let mut counts = vec![0; predicates.len()];
        for model in self.models {
            let mut evaluation = Evaluation::new(terms, model);
            for (count, &predicate) in counts.iter_mut().zip(&predicates) {
                *count += usize::from(evaluation.is_true(predicate));
            }
        }
        let with_count = |wanted: usize| {
            let pairs = predicates.iter().zip(&counts);
            pairs.filter(move |&(_, &count)| count == wanted).map(|(&predicate, _)| predicate).collect::<Vec<_>>()
        };
        let mut result = with_count(self.models.len());
        result.extend(with_count(0).into_iter().map(|predicate| terms.not(predicate)));
        result.retain(|&predicate| terms.as_bool(predicate).is_none());
        result
    }

    fn is_shared(&self, terms: &Terms, term: Term) -> bool {
        terms.variables(&[term]).iter().all(|variable| self.material.shared.binary_search(variable).is_ok())
    }

    fn find_places(&self, terms: &Terms) -> Vec<Place> {
        let variables =
            self.material.shared.iter().copied().filter(|&variable| matches!(terms.sort(variable), Sort::Bits(_)));
        let mut places: Vec<Term> = variables.collect();
        let elements = terms.below(self.material.sources).into_iter();
        let mut elements: Vec<Term> = elements
            .filter(|&term| matches!(terms.node(term), Node::Select(..)) && self.is_shared(terms, term))
            .collect();
        elements.sort_unstable();
        places.extend(elements);
        let mut evaluations: Vec<Evaluation> = self.models.iter().map(|model| Evaluation::new(terms, model)).collect();
        let mut values = |term| evaluations.iter_mut().map(|evaluation| evaluation.bits(term).clone()).collect();
        places.into_iter().map(|term| Place { term, values: values(term) }).collect()
    }

    /// Pairs of places of the same width, up to a limit.
    fn pairs(&self) -> Vec<(&Place, &Place)> {
        let related = &self.places[..self.places.len().min(MAX_RELATED)];
        let pairs = related.iter().enumerate().flat_map(|(index, a)| related[index + 1..].iter().map(move |b| (a, b)));
        pairs.filter(|(a, b)| a.value().width() == b.value().width()).collect()
    }

    /// Booleans; equalities of variables of one sort.
    fn equalities(&self, terms: &mut Terms) -> Vec<Term> {
        let mut predicates: Vec<Term> =
            self.material.shared.iter().copied().filter(|&variable| terms.sort(variable) == Sort::Bool).collect();
        for (index, &a) in self.material.shared.iter().enumerate() {
            let arrays = self.material.shared[index + 1..]
                .iter()
                .filter(|&&b| terms.sort(a) == terms.sort(b) && matches!(terms.sort(a), Sort::Array { .. }));
            let arrays: Vec<Term> = arrays.copied().collect();
            predicates.extend(arrays.into_iter().map(|b| terms.eq(a, b)));
        }
        predicates.extend(self.pairs().into_iter().map(|(a, b)| terms.eq(a.term, b.term)));
        predicates
    }

    /// Sums and differences that are constants of the program; orders of places.
    fn relations(&self, terms: &mut Terms) -> Vec<Term> {
        let mut predicates = Vec::new();
        for (a, b) in self.pairs() {
            let known = self.material.vocabulary;
            if known.has_constant(&a.value().sub(b.value())) || known.has_constant(&b.value().sub(a.value())) {
                predicates.push(difference_is(terms, a, b));
            }
            if known.has_constant(&a.value().add(b.value())) {
                predicates.push(sum_is(terms, a, b));
            }
        }
        for (a, b) in self.pairs() {
            for order in self.material.vocabulary.orders() {
                let (low, high) = if order.less(b.value(), a.value()) { (b.term, a.term) } else { (a.term, b.term) };
                predicates.push(order.at_most(terms, low, high));
            }
        }
        predicates
    }

    /// Bounds by constants of the program, the weakest first if the label is made of them, the strongest first if it is
    /// their negation: labels should be weak. Then equality with such constants.
    fn program_bounds(&self, terms: &mut Terms) -> Vec<Term> {
        let mut ranked: Vec<(usize, Term)> = Vec::new();
        let mut equalities = Vec::new();
        for Place { term: place, values } in &self.places {
            let value = &values[0];
            let mut constants = self.material.vocabulary.constants(value.width());
            for order in self.material.vocabulary.orders() {
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
        if self.material.is_negated {
            ranked.reverse();
        }
        ranked.into_iter().map(|(_, predicate)| predicate).chain(equalities).collect()
    }

    /// Atoms of the sources.
    fn atoms(&self, terms: &mut Terms) -> Vec<Term> {
        let below = terms.below(self.material.sources);
        let is_atom = |&term: &Term| {
            terms.sort(term) == Sort::Bool
                && !matches!(terms.node(term), Node::Not(_) | Node::And(_) | Node::Bool(_))
                && self.is_shared(terms, term)
        };
        let mut atoms: Vec<Term> = below.into_iter().filter(is_atom).collect();
        atoms.sort_by_cached_key(|&atom| terms.below(&[atom]).len());
        atoms.truncate(MAX_ATOMS);
        atoms
    }

    /// Differences and sums of two places, and a place as the sum of two others.
    fn model_relations(&self, terms: &mut Terms) -> Vec<Term> {
        let mut predicates = Vec::new();
        let related = &self.places[..self.places.len().min(MAX_RELATED)];
        for (a, b) in self.pairs() {
            let total = a.value().add(b.value());
            let matching = related.iter().filter(|c| *c.value() == total && c.term != a.term && c.term != b.term);
            for c in matching {
                let sum = terms.add(a.term, b.term);
                predicates.push(terms.eq(c.term, sum));
            }
        }
        for (a, b) in self.pairs() {
            predicates.push(difference_is(terms, a, b));
            predicates.push(sum_is(terms, a, b));
        }
        predicates
    }

    /// Bounds by the models' own values.
    fn model_bounds(&self, terms: &mut Terms) -> Vec<Term> {
        let mut predicates = Vec::new();
        for Place { term, values } in &self.places {
            for order in self.material.vocabulary.orders() {
                let least = values.iter().reduce(|a, b| if order.less(b, a) { b } else { a });
                let greatest = values.iter().reduce(|a, b| if order.less(a, b) { b } else { a });
                if let (Some(least), Some(greatest)) = (least.cloned(), greatest.cloned()) {
                    let (least, greatest) = (terms.bits(least), terms.bits(greatest));
                    predicates.push(order.at_most(terms, *term, greatest));
                    predicates.push(order.at_most(terms, least, *term));
                }
            }
        }
        predicates
    }

    /// Single bits.
    fn bits(&self, terms: &mut Terms) -> Vec<Term> {
        let mut predicates = Vec::new();
        for place in &self.places {
            for index in 0..place.value().width() {
                let bit = terms.extract(index, index, place.term);
                let one = terms.number(1, 1);
                predicates.push(terms.eq(bit, one));
            }
        }
        predicates
    }

    /// Elements of arrays, then arrays as a whole.
    fn arrays(&self, terms: &mut Terms) -> Vec<Term> {
        let (mut elements, mut wholes) = (Vec::new(), Vec::new());
        for &variable in self.material.shared {
            let Value::Array(array) = Evaluation::new(terms, &self.models[0]).value(variable).clone() else { continue };
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

fn difference_is(terms: &mut Terms, a: &Place, b: &Place) -> Term {
    let distance = terms.bits(a.value().sub(b.value()));
    let moved = terms.add(b.term, distance);
    terms.eq(a.term, moved)
}

fn sum_is(terms: &mut Terms, a: &Place, b: &Place) -> Term {
    let total = terms.bits(a.value().add(b.value()));
    let sum = terms.add(a.term, b.term);
    terms.eq(sum, total)
}
