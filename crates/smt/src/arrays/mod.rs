//! The theory of arrays, by lemmas on demand.
//!
//! The SAT solver sees selects and equalities of arrays as free inputs. This file takes a model of that abstraction and
//! propagates every read along stores, if-then-elses and true equalities across which it must agree. Where two reads of
//! one array at one index differ, it returns the lemma that explains why they must not (Brummayer, Biere: Lemmas on
//! demand for the extensional theory of arrays, JSAT 2009). An equality that is false has a witness index from the start.
//! Constant arrays answer every read; two of them that differ but should be equal are refuted at an index no store
//! touches.

pub(crate) mod validate;

use crate::term::value::Evaluation;
use crate::term::{ArrayValue, Assignment, Bits, Node, Sort, Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A lemma of the theory of arrays, with the data needed to check it.
#[derive(Clone)]
pub(crate) enum Lemma {
    /// Two arrays are equal, or they differ at a new place.
    Witness { equality: Term, place: Term, formula: Term },
    /// Two reads that must agree, at these indices.
    Travel { indices: Vec<Term>, formula: Term },
}

impl Lemma {
    /// The formula of the lemma.
    pub(crate) fn formula(&self) -> Term {
        match self {
            Lemma::Witness { formula, .. } | Lemma::Travel { formula, .. } => *formula,
        }
    }
}

/// The array terms of the current formulas.
pub(crate) struct Arrays {
    /// The terms that each level added: terms that are or contain arrays. A level may list terms that a lower one has
    /// added since.
    levels: Vec<Vec<Term>>,
    /// The current terms, with the level that keeps them.
    level_of: FxHashMap<Term, usize>,
    /// For each equality of arrays: it holds, or the arrays differ at a witness.
    witnesses: FxHashMap<Term, Term>,
}

impl Default for Arrays {
    fn default() -> Self {
        Arrays { levels: vec![Vec::new()], level_of: FxHashMap::default(), witnesses: FxHashMap::default() }
    }
}

/// A value that an array must have at an index, and the reason.
#[derive(Clone)]
struct Read {
    index: Term,
    value: Term,
    /// The conditions under which it was propagated.
    conditions: Vec<Term>,
}

/// An edge between two arrays that agree at all indices, or, for a store, at all but one.
struct Way {
    to: Term,
    except: Option<Term>,
    condition: Option<Term>,
}

impl Arrays {
    /// Whether there are no array terms.
    pub(crate) fn is_idle(&self) -> bool {
        self.level_of.is_empty()
    }

    /// Opens a level: later additions are undone by [`Arrays::pop`].
    pub(crate) fn push(&mut self) {
        self.levels.push(Vec::new());
    }

    /// Undoes the additions since the last push.
    pub(crate) fn pop(&mut self) {
        let terms = self.levels.pop().unwrap_or_default();
        for term in terms {
            if self.level_of.get(&term) == Some(&self.levels.len()) {
                self.level_of.remove(&term);
            }
        }
    }

    /// Adds the array terms of a formula. Returns definitions to be asserted permanently.
    pub(crate) fn add(&mut self, terms: &mut Terms, formula: Term) -> Vec<Lemma> {
        self.add_at(self.levels.len() - 1, terms, formula)
    }

    /// Adds the array terms of a formula permanently: they survive [`Arrays::pop`].
    pub(crate) fn add_for_good(&mut self, terms: &mut Terms, formula: Term) -> Vec<Lemma> {
        self.add_at(0, terms, formula)
    }

    fn add_at(&mut self, level: usize, terms: &mut Terms, formula: Term) -> Vec<Lemma> {
        let mut definitions = Vec::new();
        let mut open = vec![formula];
        while let Some(root) = open.pop() {
            let mut found = Vec::new();
            let is_kept = |term| self.level_of.get(&term).is_some_and(|&keeper| keeper <= level);
            let is_done = |term| !terms.has_arrays(term) || is_kept(term);
            terms.for_each_below(&[root], is_done, |term| found.push(term));
            for term in found {
                self.level_of.insert(term, level);
                self.levels[level].push(term);
                let Some(arrays) = compared(terms, term) else { continue };
                let witness = *self.witnesses.entry(term).or_insert_with(|| {
                    let Sort::Array { index, .. } = terms.sort(arrays.0) else { panic!("arrays should be compared") };
                    let place = terms.variable("witness", Sort::Bits(index));
                    let formula = witness(terms, term, arrays, place);
                    definitions.push(Lemma::Witness { equality: term, place, formula });
                    formula
                });
                open.push(witness);
            }
        }
        definitions
    }

    /// The current arrays, and the selects and equalities of arrays.
    pub(crate) fn in_play(&self, terms: &Terms) -> Play {
        let mut play = Play { arrays: Vec::new(), abstracted: Vec::new() };
        let levels = self.levels.iter().enumerate();
        let listed = levels.flat_map(|(level, listed)| listed.iter().map(move |&term| (level, term)));
        for (_, term) in listed.filter(|(level, term)| self.level_of.get(term) == Some(level)) {
            if is_array(terms, term) {
                play.arrays.push(term);
            } else if matches!(terms.node(term), Node::Select(..)) || compared(terms, term).is_some() {
                play.abstracted.push(term);
            }
        }
        play
    }
}

/// The array terms that a model has to respect.
pub(crate) struct Play {
    /// Arrays.
    arrays: Vec<Term>,
    /// Selects and equalities of arrays: inputs of the circuit.
    pub(crate) abstracted: Vec<Term>,
}

impl Play {
    /// Lemmas that the model violates. If there are none, adds the arrays' values to the model.
    pub(crate) fn check(
        &self,
        terms: &mut Terms,
        model: &mut Assignment,
        abstracted: Vec<(Term, Value)>,
    ) -> Vec<Lemma> {
        let mut round = Round::new(self, terms, model, abstracted);
        round.travel();
        if round.violations.is_empty() {
            model.extend(round.array_values());
        }
        let violations = round.violations;
        violations.into_iter().map(|violation| violation.lemma(terms)).collect()
    }
}

/// The two arrays, if the term is an equality of arrays.
fn compared(terms: &Terms, term: Term) -> Option<(Term, Term)> {
    match *terms.node(term) {
        Node::Eq(a, b) if is_array(terms, a) => Some((a, b)),
        _ => None,
    }
}

fn is_array(terms: &Terms, term: Term) -> bool {
    matches!(terms.sort(term), Sort::Array { .. })
}

/// The arrays are equal, or they differ at this place.
fn witness(terms: &mut Terms, equality: Term, (a, b): (Term, Term), place: Term) -> Term {
    let a = terms.select(a, place);
    let b = terms.select(b, place);
    let same = terms.eq(a, b);
    let differs = terms.not(same);
    terms.or2(equality, differs)
}

/// If the conditions hold and the indices are equal, the values are.
struct Violation {
    conditions: Vec<Term>,
    /// One index, or two with the same value.
    indices: Vec<Term>,
    values: (Term, Term),
}

impl Violation {
    fn lemma(self, terms: &mut Terms) -> Lemma {
        let mut disjuncts: Vec<Term> = Vec::new();
        for condition in self.conditions {
            disjuncts.push(terms.not(condition));
        }
        if let [a, b] = self.indices[..] {
            let same = terms.eq(a, b);
            disjuncts.push(terms.not(same));
        }
        disjuncts.push(terms.eq(self.values.0, self.values.1));
        Lemma::Travel { indices: self.indices, formula: terms.or(disjuncts) }
    }
}

/// The check of one model.
struct Round<'a> {
    arrays: &'a [Term],
    terms: &'a mut Terms,
    /// Values of indices, elements and conditions in the model.
    known: FxHashMap<Term, Value>,
    ways: FxHashMap<Term, Vec<Way>>,
    reads: FxHashMap<Term, FxHashMap<Bits, Read>>,
    open: Vec<(Term, Bits)>,
    violations: Vec<Violation>,
    /// The value of each array at indices that are not read; arrays that agree almost everywhere share it.
    defaults: FxHashMap<Term, Bits>,
}

impl<'a> Round<'a> {
    fn new(play: &'a Play, terms: &'a mut Terms, model: &Assignment, abstracted: Vec<(Term, Value)>) -> Round<'a> {
        let mut needed = Vec::new();
        for &term in play.arrays.iter().chain(&play.abstracted) {
            needed.push(term);
            terms.node(term).for_each_argument(|argument| needed.push(argument));
        }
        needed.retain(|&term| !is_array(terms, term));
        let mut evaluation = Evaluation::new(terms, model);
        for (term, value) in abstracted {
            evaluation.set(term, value);
        }
        let known = needed.into_iter().map(|term| (term, evaluation.value(term).clone())).collect();
        let mut round = Round {
            arrays: &play.arrays,
            terms,
            known,
            ways: FxHashMap::default(),
            reads: FxHashMap::default(),
            open: Vec::new(),
            violations: Vec::new(),
            defaults: FxHashMap::default(),
        };
        round.find_ways(&play.abstracted);
        round.find_reads(&play.abstracted);
        round.read_constants();
        round
    }

    fn bits(&self, term: Term) -> &Bits {
        match self.terms.node(term) {
            Node::Bits(bits) => bits,
            _ => self.known[&term].as_bits().expect("indices and elements should be bit-vectors"),
        }
    }

    fn is_true(&self, term: Term) -> bool {
        self.known[&term].as_bool().expect("conditions should be Boolean")
    }

    fn connect(&mut self, a: Term, b: Term, except: Option<Term>, condition: Option<Term>) {
        self.ways.entry(a).or_default().push(Way { to: b, except, condition });
        self.ways.entry(b).or_default().push(Way { to: a, except, condition });
    }

    fn find_ways(&mut self, abstracted: &[Term]) {
        for &array in self.arrays {
            match *self.terms.node(array) {
                Node::Store(below, index, _) => self.connect(array, below, Some(index), None),
                Node::Ite(condition, then, otherwise) => {
                    if self.is_true(condition) {
                        self.connect(array, then, None, Some(condition));
                    } else {
                        let negated = self.terms.not(condition);
                        self.connect(array, otherwise, None, Some(negated));
                    }
                }
                _ => {}
            }
        }
        for &term in abstracted {
            if let Node::Eq(a, b) = *self.terms.node(term) {
                if self.is_true(term) {
                    self.connect(a, b, None, Some(term));
                }
            }
        }
    }

    fn find_reads(&mut self, abstracted: &[Term]) {
        for &array in self.arrays {
            if let Node::Store(_, index, value) = *self.terms.node(array) {
                self.arrive(array, Read { index, value, conditions: Vec::new() });
            }
        }
        for &term in abstracted {
            if let Node::Select(array, index) = *self.terms.node(term) {
                self.arrive(array, Read { index, value: term, conditions: Vec::new() });
            }
        }
    }

    /// Finds each component's default. Where its constant arrays differ, they are read at every index that a store of
    /// the component writes and at one more, so that the difference propagates.
    fn read_constants(&mut self) {
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        for &start in self.arrays {
            if !seen.insert(start) {
                continue;
            }
            let mut component = vec![start];
            let mut next = 0;
            while let Some(&array) = component.get(next) {
                next += 1;
                let ways = self.ways.get(&array).map(Vec::as_slice).unwrap_or_default();
                component.extend(ways.iter().map(|way| way.to).filter(|&to| seen.insert(to)));
            }
            let constants: Vec<(Term, Term)> = component
                .iter()
                .filter_map(|&array| match *self.terms.node(array) {
                    Node::Const(_, value) => Some((array, value)),
                    _ => None,
                })
                .collect();
            let Sort::Array { index: index_width, element } = self.terms.sort(start) else { continue };
            let default = constants.first().map_or_else(|| Bits::zero(element), |&(_, value)| self.bits(value).clone());
            if constants.iter().any(|&(_, value)| *self.bits(value) != default) {
                let mut places: BTreeSet<Bits> = component
                    .iter()
                    .filter_map(|&array| match *self.terms.node(array) {
                        Node::Store(_, index, _) => Some(self.bits(index).clone()),
                        _ => None,
                    })
                    .collect();
                places.extend(first_absent(index_width, &places));
                for place in places {
                    let index = self.terms.bits(place);
                    for &(array, value) in &constants {
                        self.arrive(array, Read { index, value, conditions: Vec::new() });
                    }
                }
            }
            self.defaults.extend(component.into_iter().map(|array| (array, default.clone())));
        }
    }

    /// Adds a read of an array.
    fn arrive(&mut self, array: Term, read: Read) {
        let place = self.bits(read.index).clone();
        if let Node::Const(_, value) = *self.terms.node(array) {
            if self.bits(value) != self.bits(read.value) {
                let values = (read.value, value);
                let indices = vec![read.index];
                self.violations.push(Violation { conditions: read.conditions, indices, values });
                return;
            }
        }
        let Some(known) = self.reads.get(&array).and_then(|reads| reads.get(&place)) else {
            self.reads.entry(array).or_default().insert(place.clone(), read);
            self.open.push((array, place));
            return;
        };
        if self.bits(known.value) != self.bits(read.value) {
            let mut conditions = known.conditions.clone();
            conditions.extend(read.conditions);
            conditions.sort_unstable();
            conditions.dedup();
            let mut indices = vec![known.index, read.index];
            indices.dedup();
            let values = (known.value, read.value);
            self.violations.push(Violation { conditions, indices, values });
        }
    }

    /// Propagates every read to all arrays that must agree with it.
    fn travel(&mut self) {
        while let Some((array, place)) = self.open.pop() {
            let Some(read) = self.reads[&array].get(&place).cloned() else { continue };
            let ways = self.ways.remove(&array).unwrap_or_default();
            for way in &ways {
                let mut read = read.clone();
                if let Some(except) = way.except {
                    if *self.bits(except) == place {
                        continue;
                    }
                    let same = self.terms.eq(except, read.index);
                    read.conditions.push(self.terms.not(same));
                }
                read.conditions.extend(way.condition);
                self.arrive(way.to, read);
            }
            self.ways.insert(array, ways);
        }
    }

    /// The values of array variables, if no lemma is violated.
    fn array_values(&self) -> Vec<(Term, Value)> {
        let variables = self.arrays.iter().filter(|&&array| self.terms.is_variable(array));
        let values = variables.map(|&array| {
            let Sort::Array { index, .. } = self.terms.sort(array) else {
                panic!("an array should have an array sort")
            };
            let mut value = ArrayValue::new(index, self.defaults[&array].clone());
            for (place, read) in self.reads.get(&array).into_iter().flatten() {
                value.set(place.clone(), self.bits(read.value).clone());
            }
            (array, Value::Array(value))
        });
        values.collect()
    }
}

/// The least index that is not among `places`.
fn first_absent(width: u32, places: &BTreeSet<Bits>) -> Option<Bits> {
    let mut candidate = Bits::zero(width);
    for place in places {
        if *place != candidate {
            return Some(candidate);
        }
        candidate = candidate.add(&Bits::one(width));
        if candidate.is_zero() {
            return None;
        }
    }
    Some(candidate)
}
