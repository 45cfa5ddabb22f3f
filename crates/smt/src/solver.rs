//! The solver: incremental assertions, levels, checks under assumptions, models, cores.
//!
//! Terms are bit-blasted once and stay; an assertion made after a push holds while its level's guard is assumed, and a pop
//! drops the guard. Arrays are abstracted at first: while a model violates the theory of arrays, lemmas that exclude it
//! are added and the search continues ([`crate::arrays`]).

use crate::arrays::{Arrays, Lemma};
use crate::blast::Blaster;
use crate::certificate::{Certificate, Claim, Uncertified};
use crate::order::Order;
use crate::proof::order::Ordered;
use crate::sat::{Answer, Lit, Sat};
use crate::term::value::Evaluation;
use crate::term::{Assignment, Bits, Node, Sort, Term, Terms, Value};
use base::{Budget, Stop};

/// The assertions since a push.
#[derive(Default)]
struct Level {
    /// The guard literal, assumed while the level exists. Created with the level's first assertion.
    guard: Option<Lit>,
    assertions: Vec<Term>,
}

/// A solver for formulas of one [`Terms`], which is passed to the calls that need it.
///
/// ```
/// use smt::{Answer, Solver, Sort, Terms};
/// let (mut terms, mut solver) = (Terms::new(), Solver::new());
/// let x = terms.variable("x", Sort::Bits(8));
/// let three = terms.number(8, 3);
/// let square = terms.mul(x, x);
/// let nine = terms.number(8, 9);
/// let is_nine = terms.eq(square, nine);
/// let is_three = terms.eq(x, three);
/// let differs = terms.not(is_three);
/// solver.assert(&mut terms, is_nine);
/// let budget = base::Budget::unlimited();
/// assert_eq!(solver.check(&mut terms, &[differs], &budget), Ok(Answer::Sat));
/// assert_ne!(solver.value(&terms, x).to_string(), "#x03");
/// ```
pub struct Solver {
    sat: Sat,
    blaster: Blaster,
    arrays: Arrays,
    /// The first level is below all pushes, and has no guard.
    levels: Vec<Level>,
    /// The assumptions of the last check, with their literals.
    assumed: Vec<(Term, Lit)>,
    answer: Option<Answer>,
    model: Option<Assignment>,
    core: Vec<Term>,
    certificate: Option<Certificate>,
    order: Option<Order>,
}

impl Default for Solver {
    fn default() -> Self {
        Solver::new()
    }
}

impl Solver {
    /// A solver without assertions.
    pub fn new() -> Solver {
        Solver::over(Sat::new())
    }

    /// A solver that can prove its `Unsat` answers: see [`Solver::certify`].
    pub fn with_certificates() -> Solver {
        let (certificate, sat) = Certificate::begin();
        Solver { certificate: Some(certificate), ..Solver::over(sat) }
    }

    /// Whether it can prove its answers.
    pub fn has_certificates(&self) -> bool {
        self.certificate.is_some()
    }

    fn over(sat: Sat) -> Solver {
        Solver {
            sat,
            blaster: Blaster::default(),
            arrays: Arrays::default(),
            levels: vec![Level::default()],
            assumed: Vec::new(),
            answer: None,
            model: None,
            core: Vec::new(),
            certificate: None,
            order: None,
        }
    }

    /// The order theory, which takes part in the search from the first call on, and the underlying SAT solver, whose
    /// literals it uses.
    pub fn order(&mut self) -> (&mut Order, &mut Sat) {
        self.forget_answer();
        let sat = &mut self.sat;
        let certificate = &mut self.certificate;
        let order = self.order.get_or_insert_with(|| {
            let mut order = Order::new(sat);
            if let Some(certificate) = certificate {
                certificate.connect(&mut order);
            }
            order
        });
        (order, sat)
    }

    /// The edges of orders that are present in the last model.
    pub fn present_edges(&mut self) -> Vec<(crate::order::Node, crate::order::Node)> {
        assert!(self.answer == Some(Answer::Sat), "there should be a model");
        self.order.as_ref().map(|order| order.present_edges(&mut self.sat)).unwrap_or_default()
    }

    /// Encodes orders as clauses with clocks instead of as a theory: slower, for measuring the theory. All must be
    /// declared before the first check.
    pub fn use_clocks(&mut self) {
        assert!(self.order.is_none() && self.certificate.is_none(), "clocks should be asked for before anything else");
        self.order = Some(Order::with_clocks());
    }

    /// The literal that is true exactly if the term is. It outlives all levels.
    pub fn literal(&mut self, terms: &mut Terms, term: Term) -> Lit {
        self.forget_answer();
        for definition in self.arrays.add_for_good(terms, term) {
            self.add_lemma(terms, &definition);
        }
        let signal = self.blaster.boolean(terms, term);
        self.blaster.gates.literal(&mut self.sat, signal)
    }

    /// Decisions on a Boolean variable give it this value. Only a heuristic.
    pub fn prefer(&mut self, terms: &mut Terms, variable: Term, value: bool) {
        let lit = self.literal(terms, variable);
        self.sat.prefer(lit.negate_if(!value));
    }

    /// Identifies a new Boolean variable with a literal.
    pub fn define(&mut self, variable: Term, lit: Lit) {
        self.blaster.define(variable, lit);
    }

    fn forget_answer(&mut self) {
        self.answer = None;
        self.model = None;
    }

    /// The number of clauses given to the SAT solver so far.
    pub fn clauses(&self) -> u64 {
        self.sat.clauses()
    }

    /// The number of pushed levels.
    pub fn depth(&self) -> usize {
        self.levels.len() - 1
    }

    /// Opens a level: later assertions are undone by [`Solver::pop`].
    pub fn push(&mut self) {
        self.forget_answer();
        self.levels.push(Level::default());
        self.arrays.push();
    }

    /// Undoes the assertions since the last push.
    pub fn pop(&mut self) {
        assert!(self.levels.len() > 1, "there should be a level to pop");
        self.forget_answer();
        self.arrays.pop();
        if let Some(guard) = self.levels.pop().and_then(|level| level.guard) {
            self.sat.add(&[!guard]);
        }
    }

    /// Asserts a Boolean term, until its level is popped.
    pub fn assert(&mut self, terms: &mut Terms, term: Term) {
        assert_eq!(terms.sort(term), Sort::Bool, "only Booleans can be asserted");
        self.forget_answer();
        let is_pushed = self.levels.len() > 1;
        let sat = &mut self.sat;
        let level = self.levels.last_mut().expect("there should be a level");
        level.assertions.push(term);
        let guard = is_pushed.then(|| *level.guard.get_or_insert_with(|| sat.fresh()));
        for clause in self.clauses_of(terms, term, guard) {
            self.sat.add(&clause);
        }
        self.add_arrays(terms, term);
    }

    /// Adds the arrays of a formula to the theory.
    fn add_arrays(&mut self, terms: &mut Terms, formula: Term) {
        if terms.has_arrays(formula) {
            for definition in self.arrays.add(terms, formula) {
                self.add_lemma(terms, &definition);
            }
        }
    }

    /// Adds a lemma of the theory of arrays.
    fn add_lemma(&mut self, terms: &Terms, lemma: &Lemma) {
        for clause in self.clauses_of(terms, lemma.formula(), None) {
            match &mut self.certificate {
                Some(certificate) => {
                    certificate.announce(&clause, lemma);
                    self.sat.add_lemma(&clause);
                }
                None => self.sat.add(&clause),
            }
        }
    }

    /// Clauses by which the guard implies the term. Their literals are defined, the clauses not yet added.
    fn clauses_of(&mut self, terms: &Terms, term: Term, guard: Option<Lit>) -> Vec<Vec<Lit>> {
        let mut clauses = Vec::new();
        for conjunct in terms.conjuncts(term) {
            let mut clause: Vec<Lit> = guard.iter().map(|&guard| !guard).collect();
            match disjuncts(terms, conjunct) {
                Some(negated) => {
                    for &part in negated {
                        let signal = !self.blaster.boolean(terms, part);
                        clause.push(self.blaster.gates.positive(&mut self.sat, signal));
                    }
                }
                None => {
                    let signal = self.blaster.boolean(terms, conjunct);
                    clause.push(self.blaster.gates.positive(&mut self.sat, signal));
                }
            }
            clauses.push(clause);
        }
        clauses
    }

    /// All current assertions.
    pub fn assertions(&self) -> impl Iterator<Item = Term> + '_ {
        self.levels.iter().flat_map(|level| level.assertions.iter().copied())
    }

    /// Decides the assertions together with the assumptions.
    pub fn check(&mut self, terms: &mut Terms, assumptions: &[Term], budget: &Budget) -> Result<Answer, Stop> {
        self.check_within(terms, assumptions, None, budget).map(|answer| answer.expect("there should be an answer"))
    }

    /// Like [`Solver::check`], but gives up after a number of conflicts.
    fn check_within(
        &mut self,
        terms: &mut Terms,
        assumptions: &[Term],
        conflicts: Option<u32>,
        budget: &Budget,
    ) -> Result<Option<Answer>, Stop> {
        self.forget_answer();
        self.assumed.clear();
        for &term in assumptions {
            let signal = self.blaster.boolean(terms, term);
            self.assumed.push((term, self.blaster.gates.positive(&mut self.sat, signal)));
        }
        if let Some(order) = &mut self.order {
            order.add_clocks(&mut self.sat);
        }
        let guards = self.levels.iter().filter_map(|level| level.guard);
        let lits: Vec<Lit> = guards.chain(self.assumed.iter().map(|&(_, lit)| lit)).collect();
        self.arrays.push();
        for &term in assumptions {
            self.add_arrays(terms, term);
        }
        let answer = self.search(terms, &lits, conflicts, budget);
        self.arrays.pop();
        self.answer = answer?;
        if self.answer.is_none() {
            return Ok(None);
        }
        if self.answer == Some(Answer::Unsat) {
            let failed = self.sat.core();
            self.core = self.assumed.iter().filter(|(_, lit)| failed.contains(lit)).map(|&(term, _)| term).collect();
        } else {
            debug_assert!(self.is_model_right(terms, assumptions), "a model should satisfy what was asked");
        }
        answer
    }

    /// Decides whether one goal of each group can become true: the same as a check that assumes the disjunction of each
    /// group, but with an order theory the search tries one goal after the other.
    pub fn check_goals(
        &mut self,
        terms: &mut Terms,
        groups: &[Vec<Term>],
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<Answer, Stop> {
        let answer = self.check_goals_within(terms, groups, assumptions, None, budget);
        answer.map(|answer| answer.expect("there should be an answer"))
    }

    /// Like [`Solver::check_goals`], but gives up after a number of conflicts.
    pub fn check_goals_within(
        &mut self,
        terms: &mut Terms,
        groups: &[Vec<Term>],
        assumptions: &[Term],
        conflicts: Option<u32>,
        budget: &Budget,
    ) -> Result<Option<Answer>, Stop> {
        let mut lits = Vec::with_capacity(groups.len());
        let mut assumptions = assumptions.to_vec();
        for group in groups {
            let signals: Vec<_> = group.iter().map(|&goal| self.blaster.boolean(terms, goal)).collect();
            let positive = signals.into_iter().map(|signal| self.blaster.gates.positive(&mut self.sat, signal));
            lits.push(positive.collect());
            assumptions.push(terms.or(group.iter().copied()));
        }
        if let Some(order) = &mut self.order {
            order.set_goals(&mut self.sat, &lits);
        }
        let answer = self.check_within(terms, &assumptions, conflicts, budget);
        if let Some(order) = &mut self.order {
            order.set_goals(&mut self.sat, &[]);
        }
        answer
    }

    /// Solves until a model respects the theory of arrays, or there is none.
    fn search(
        &mut self,
        terms: &mut Terms,
        lits: &[Lit],
        conflicts: Option<u32>,
        budget: &Budget,
    ) -> Result<Option<Answer>, Stop> {
        loop {
            let answer = self.sat.solve_within(lits, conflicts, budget)?;
            if answer != Some(Answer::Sat) || self.arrays.is_idle() {
                return Ok(answer);
            }
            let lemmas = self.array_lemmas(terms);
            if lemmas.is_empty() {
                return Ok(answer);
            }
            for lemma in lemmas {
                self.add_lemma(terms, &lemma);
            }
        }
    }

    fn is_model_right(&mut self, terms: &Terms, assumptions: &[Term]) -> bool {
        let model = self.model(terms).clone();
        let mut evaluation = Evaluation::new(terms, &model);
        self.assertions().chain(assumptions.iter().copied()).all(|formula| evaluation.is_true(formula))
    }

    /// The SAT solver's values of Boolean and bit-vector variables.
    fn plain_model(&mut self) -> Assignment {
        let variables = self.blaster.variables().to_vec();
        variables.into_iter().filter_map(|variable| Some((variable, self.input_value(variable)?))).collect()
    }

    /// The SAT solver's value of a term that is an input of the circuit: a variable, a select, an equality of arrays.
    fn input_value(&mut self, term: Term) -> Option<Value> {
        if let Some(signal) = self.blaster.known_boolean(term) {
            let lit = self.blaster.gates.known_literal(signal);
            return Some(Value::Bool(lit.is_some_and(|lit| self.sat.value(lit))));
        }
        let signals = self.blaster.known_word(term)?.to_vec();
        let bools: Vec<bool> = signals
            .into_iter()
            .map(|signal| self.blaster.gates.known_literal(signal).is_some_and(|lit| self.sat.value(lit)))
            .collect();
        Some(Value::Bits(Bits::from_bools(bools.into_iter())))
    }

    /// Lemmas that exclude the SAT solver's model, if it violates the theory of arrays; otherwise completes the model.
    fn array_lemmas(&mut self, terms: &mut Terms) -> Vec<Lemma> {
        let play = self.arrays.in_play(terms);
        let values = play.abstracted.iter().filter_map(|&term| Some((term, self.input_value(term)?))).collect();
        let mut model = self.plain_model();
        let lemmas = play.check(terms, &mut model, values);
        if lemmas.is_empty() {
            self.model = Some(model);
        }
        lemmas
    }

    /// The values of variables in the last model.
    pub fn model(&mut self, terms: &Terms) -> &Assignment {
        assert!(self.answer == Some(Answer::Sat), "there should be a model");
        let is_known = |&variable: &Term| base::Id::index(variable) < terms.len();
        debug_assert!(self.blaster.variables().iter().all(is_known), "the model should be of these terms");
        if self.model.is_none() {
            self.model = Some(self.plain_model());
        }
        self.model.as_ref().expect("the model should have been read off")
    }

    /// The value of a term in the last model.
    pub fn value(&mut self, terms: &Terms, term: Term) -> Value {
        let model = self.model(terms);
        Evaluation::new(terms, model).value(term).clone()
    }

    /// The assumptions of the last check that were needed for its `Unsat`.
    pub fn core(&self) -> &[Term] {
        assert!(self.answer == Some(Answer::Unsat), "there should be a core");
        &self.core
    }

    /// A minimal core: checks again without each element. The solver's answer afterwards is `Unsat` with that core. If
    /// the budget runs out, the core so far.
    pub fn minimal_core(&mut self, terms: &mut Terms, budget: &Budget) -> Vec<Term> {
        let mut needed: Vec<Term> = Vec::new();
        let mut open = self.core().to_vec();
        while let Some(candidate) = open.pop() {
            let rest: Vec<Term> = needed.iter().chain(&open).copied().collect();
            match self.check(terms, &rest, budget) {
                Ok(Answer::Unsat) => {
                    let core = self.core.clone();
                    open.retain(|term| core.contains(term));
                    needed.retain(|term| core.contains(term));
                }
                Ok(Answer::Sat) => needed.push(candidate),
                Err(_) => {
                    needed.push(candidate);
                    needed.append(&mut open);
                }
            }
        }
        needed.sort_unstable();
        self.answer = Some(Answer::Unsat);
        self.core.clone_from(&needed);
        needed
    }

    /// Checks the proof of the last `Unsat` from the clauses of the assertions on, by an independent checker; also
    /// checks the array lemmas that the proof uses, and the core.
    pub fn certify(&mut self, terms: &mut Terms, budget: &Budget) -> Result<(), Uncertified> {
        assert!(self.answer == Some(Answer::Unsat), "there should be an answer to certify");
        if self.sat.answer() != Some(Answer::Unsat) {
            self.prove_core(terms, budget)?;
        }
        let formulas: Vec<Term> = self.assertions().chain(self.assumed.iter().map(|&(term, _)| term)).collect();
        let guards = self.levels.iter().filter_map(|level| level.guard);
        let assumptions: Vec<Lit> = guards.chain(self.assumed.iter().map(|&(_, lit)| lit)).collect();
        let claim = Claim { formulas: &formulas, assumptions: &assumptions, core: &self.sat.core() };
        let certificate = self.certificate.as_mut().expect("the solver should have been made with certificates");
        let inputs = self.sat.inputs().expect("a solver with certificates should keep its inputs");
        match &self.order {
            None => certificate.check(terms, inputs, &claim, budget),
            Some(order) => certificate.check(terms, &Ordered::new(inputs, &order.problem()), &claim, budget),
        }
    }

    /// Checks the core once more, since the last check of its minimisation had a model.
    fn prove_core(&mut self, terms: &mut Terms, budget: &Budget) -> Result<(), Uncertified> {
        let core = self.core.clone();
        let answer = self.check(terms, &core, budget);
        self.answer = Some(Answer::Unsat);
        self.core = core;
        match answer {
            Ok(Answer::Unsat) => Ok(()),
            Ok(Answer::Sat) => Err(Uncertified::OtherCore),
            Err(stop) => Err(Uncertified::Stopped(stop)),
        }
    }
}

/// The negations of the disjuncts, if the term is a disjunction.
fn disjuncts(terms: &Terms, term: Term) -> Option<&[Term]> {
    let Node::Not(inner) = terms.node(term) else { return None };
    match terms.node(*inner) {
        Node::And(parts) => Some(parts),
        _ => None,
    }
}
