//! Interference abstractions (Sinha and Wang, On interference abstractions, POPL 2011): who reads from whom is told to the
//! solver lazily, over the skeletons that `staged` composes at once, under every memory model.
//!
//! The refinement loop ([`Refinement::decide`]) works on one [`Abstraction`]. A model of it is looked at layer by layer: what
//! the chosen pairs say of occurrence, place and value; then their order; and only then reads that nothing was said of.
//! What is violated is told, and nothing else. Where there is no model and the proof does not rest on a link set that was
//! made smaller (each is guarded by an assumption), it is one for the program; otherwise the link sets that it rests on are
//! restored.
//!
//! Deviations: the order theory takes the place of clocks, so there is no Σ, and the second layer tells the
//! solver the order of the chosen pairs instead of linearising the model first. The orders of writes, critical sections and
//! atomic regions are told at once.
//!
//! Limits: this is a beginning. It is no engine of the plan yet: it looks at one bound only, and the clock form, the
//! lock lemmas (S2), atomicity violations and the presets of section 5.3 are missing.

pub mod abstraction;

use crate::skeleton::compose::lazy::Link;
use crate::skeleton::compose::{compose_when, Composition, Pruning, When};
use crate::skeleton::decode::decode;
use crate::skeleton::events::Skeleton;
use crate::skeleton::execute::{Analyses, Bounds, Execution};
use abstraction::Abstraction;
use base::{Stats, Stop};
use check::{Counterexample, Encoding, Engine, Outcome, Proof, Reason, ReasonKind, Task, Verdict};
use ir::{MemoryModel, Move};
use smt::term::value::Evaluation;
use smt::{Answer, Sort, Term, Terms};

/// What the loop begins with, and how it may go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Everything is told at once.
    Full,
    /// Link sets are full; what they mean is told when a model violates it.
    Over,
    /// Link sets are small, and told; they grow when a proof rests on them.
    Under,
    /// Small link sets, told when a model violates them.
    #[default]
    Mixed,
}

/// Follows a run in the reference interpreter.
pub type Follow = fn(&Task<'_>, &[Move]) -> Result<Counterexample, String>;

/// The method.
pub struct Interference {
    /// How runs are followed.
    pub follow: Follow,
    /// Where the loop begins.
    pub mode: Mode,
}

/// The bound where none is given.
const ITERATIONS: u32 = 2;
const MOST_EVENTS: usize = 2000;

impl Engine for Interference {
    fn name(&self) -> &'static str {
        "interference"
    }

    fn about(&self) -> &'static str {
        "tell the solver who reads from whom as it is needed"
    }

    fn run(&self, task: &Task<'_>) -> Outcome {
        let mut stats = Stats::default();
        let verdict = self.solve(task, &mut stats).unwrap_or_else(Verdict::unknown);
        Outcome { verdict, others: vec![], stats }
    }
}

impl Interference {
    fn solve(&self, task: &Task<'_>, stats: &mut Stats) -> Result<Verdict, Reason> {
        if task.options.context_bound.is_some() || task.options.modes.encoding == Encoding::Clocks {
            return Err(Reason::new(ReasonKind::Unsupported, "contexts and clocks are not for interference"));
        }
        let iterations = task.options.bound.unwrap_or(ITERATIONS);
        let analyses = Analyses::new(task.program);
        let mut terms = Terms::new();
        let mut skeleton = unroll(task, &analyses, iterations, &mut terms)?;
        let pruning = (Pruning::default(), When::Asked);
        let question = (task.property, task.model);
        let composed =
            compose_when(task.program, question, &mut skeleton, &mut terms, pruning, Encoding::default(), &task.budget);
        let composition = composed.map_err(Reason::from)?;
        let mut refinement = Refinement::new(self.mode, composition, &mut terms);
        let verdict = self.look(task, &skeleton, &mut refinement, &mut terms, iterations);
        refinement.report(stats);
        verdict
    }

    fn look(
        &self,
        task: &Task<'_>,
        skeleton: &Skeleton,
        refinement: &mut Refinement,
        terms: &mut Terms,
        iterations: u32,
    ) -> Result<Verdict, Reason> {
        let mut violations: Vec<Term> = skeleton.violations.iter().map(|violation| violation.occurs).collect();
        violations.extend(refinement.composition.deadlock);
        violations.retain(|&violation| terms.as_bool(violation) != Some(false));
        let goals = match &refinement.composition.race {
            Some(race) => race.goals(),
            None => vec![violations],
        };
        let assumed = refinement.composition.assumed.clone();
        if refinement.is_reached(terms, &goals, &assumed, task)? {
            let moves = decode(task.program, skeleton, &mut refinement.composition, terms);
            return match moves.and_then(|moves| (self.follow)(task, &moves)) {
                Ok(counterexample) => Ok(Verdict::Unsafe(Box::new(counterexample))),
                Err(_) if !refinement.composition.inexact.is_empty() => Err(Reason::new(
                    ReasonKind::Unsupported,
                    "a violation may rest on values that are not told exactly",
                )),
                Err(problem) => {
                    let detail =
                        format!("a violation was found that cannot be replayed, a defect of Heddle: {problem}");
                    Err(Reason::new(ReasonKind::Validation, detail))
                }
            };
        }
        let is_open = |kind: ReasonKind| kind != ReasonKind::Relaxed || !task.options.strengthen_relaxed;
        let gaps: Vec<_> = refinement.composition.gaps.iter().filter(|gap| is_open(gap.kind)).cloned().collect();
        for gap in gaps {
            if refinement.is_reached(terms, &[vec![gap.occurs]], &[], task)? {
                return Err(Reason::new(gap.kind, gap.detail).at(gap.place));
            }
        }
        let proof = Proof::Bounded { iterations, events: skeleton.events.len() as u64 };
        Ok(Verdict::safe(proof, vec![]))
    }
}

/// What an abstraction says of a task by itself, and what the program does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tried {
    /// Whether it has a violation.
    pub is_violated: bool,
    /// If it has, whether the model that was found violates nothing that the abstraction leaves out.
    pub is_consistent: bool,
    /// If it has none, whether the proof rests on no link set that is not full.
    pub is_valid: bool,
    /// Whether the program has a violation.
    pub is_program_violated: bool,
}

/// Tries an abstraction, which is made for the numbers of ways in which each read may get its value.
pub fn try_out(task: &Task<'_>, make: &mut dyn FnMut(&[usize]) -> Abstraction) -> Result<Tried, Reason> {
    let iterations = task.options.bound.unwrap_or(ITERATIONS);
    let analyses = Analyses::new(task.program);
    let ask = |make: &mut dyn FnMut(&[usize]) -> Abstraction| -> Result<(bool, bool, bool), Reason> {
        let mut terms = Terms::new();
        let mut skeleton = unroll(task, &analyses, iterations, &mut terms)?;
        let question = (task.property, task.model);
        let pruning = (Pruning::default(), When::Asked);
        let composed =
            compose_when(task.program, question, &mut skeleton, &mut terms, pruning, Encoding::default(), &task.budget);
        let mut refinement = Refinement::new(Mode::Over, composed.map_err(Reason::from)?, &mut terms);
        refinement.set(make, &mut terms);
        let goals: Vec<Term> = skeleton.violations.iter().map(|violation| violation.occurs).collect();
        let mut assumptions = refinement.composition.assumed.clone();
        assumptions.extend(refinement.guards.iter().flatten());
        let solver = &mut refinement.composition.solver;
        let answer = solver.check_goals(&mut terms, &[goals], &assumptions, &task.budget).map_err(Reason::from)?;
        if answer == Answer::Sat {
            return Ok((true, matches!(refinement.violated(&terms), Violated::Nothing), false));
        }
        let core = refinement.composition.solver.core();
        Ok((false, false, !refinement.guards.iter().flatten().any(|guard| core.contains(guard))))
    };
    let (is_violated, is_consistent, is_valid) = ask(make)?;
    let (is_program_violated, ..) = ask(&mut |ways| Abstraction::full(ways))?;
    Ok(Tried { is_violated, is_consistent, is_valid, is_program_violated })
}

fn unroll(task: &Task<'_>, analyses: &Analyses, iterations: u32, terms: &mut Terms) -> Result<Skeleton, Reason> {
    let bounds = Bounds {
        iterations,
        is_strict: false,
        most_events: MOST_EVENTS,
        loops: Default::default(),
        summaries: task.options.modes.summaries,
    };
    let inputs = &task.options.inputs;
    let promised = inputs.values.clone().filter(|_| inputs.promised);
    let question: (_, MemoryModel) = (task.property, task.model);
    Execution::new(task.program, question, promised, analyses, &bounds, terms, &task.budget).run()
}

/// The refinement loop and what it has come to.
pub(crate) struct Refinement {
    mode: Mode,
    composition: Composition,
    links: Vec<Link>,
    pub(crate) abstraction: Abstraction,
    /// Assumed while the link set of a read is not full.
    guards: Vec<Option<Term>>,
    rounds: u64,
}

/// What a model violates.
enum Violated {
    /// These pairs are to be told.
    Pairs(Vec<(usize, usize)>),
    /// Something is to be said of these reads.
    Reads(Vec<usize>),
    Nothing,
}

impl Refinement {
    pub(crate) fn new(mode: Mode, mut composition: Composition, terms: &mut Terms) -> Refinement {
        let links = std::mem::take(&mut composition.links);
        let ways: Vec<usize> = links.iter().map(|link| link.pairs.len()).collect();
        let guards = vec![None; links.len()];
        let abstraction = Abstraction::weakest(&ways);
        let mut refinement = Refinement { mode, composition, links, abstraction, guards, rounds: 0 };
        for (read, &count) in ways.iter().enumerate().filter(|_| mode != Mode::Over) {
            for way in 0..count {
                let is_linked = mode == Mode::Full || refinement.links[read].pairs[way].is_near;
                refinement.abstraction.set_link(read, way, is_linked);
                if is_linked && matches!(mode, Mode::Full | Mode::Under) {
                    refinement.tell(read, way, terms);
                }
            }
            refinement.choose(read, terms);
        }
        refinement
    }

    /// Tells what an abstraction says, in place of the weakest one.
    fn set(&mut self, make: &mut dyn FnMut(&[usize]) -> Abstraction, terms: &mut Terms) {
        let ways: Vec<usize> = self.links.iter().map(|link| link.pairs.len()).collect();
        let wanted = make(&ways);
        for (read, &count) in ways.iter().enumerate() {
            for way in 0..count {
                self.abstraction.set_link(read, way, wanted.has_link(read, way));
                if wanted.has_pair(read, way) {
                    self.tell(read, way, terms);
                }
            }
            if wanted.has_read(read) {
                self.choose(read, terms);
            }
        }
    }

    /// Tells what a pair means.
    pub(crate) fn tell(&mut self, read: usize, way: usize, terms: &mut Terms) {
        if !self.abstraction.has_pair(read, way) {
            self.abstraction.add_pair(read, way);
            self.composition.instantiate(terms, &self.links[read].pairs[way].instance);
        }
    }

    /// Tells that a read is from one of the writes in its link set, which is assumed as long as that is not full.
    pub(crate) fn choose(&mut self, read: usize, terms: &mut Terms) {
        self.abstraction.add_read(read);
        let link = &self.links[read];
        let ways = (0..link.pairs.len()).filter(|&way| self.abstraction.has_link(read, way));
        let some = terms.or(ways.map(|way| link.pairs[way].choice).collect::<Vec<_>>());
        let fact = terms.implies(link.occurs, some);
        self.guards[read] = (!self.abstraction.is_full_at(read)).then(|| terms.variable("small", Sort::Bool));
        let fact = match self.guards[read] {
            Some(guard) => terms.implies(guard, fact),
            None => fact,
        };
        self.composition.solver.assert(terms, fact);
    }

    /// Whether one goal of each group can be reached: if so, the solver's model is an execution.
    fn is_reached(
        &mut self,
        terms: &mut Terms,
        goals: &[Vec<Term>],
        assumed: &[Term],
        task: &Task<'_>,
    ) -> Result<bool, Reason> {
        if goals.iter().any(Vec::is_empty) {
            return Ok(false);
        }
        self.decide(terms, goals, assumed, &task.budget).map_err(Reason::from)
    }

    /// The loop REF.
    pub(crate) fn decide(
        &mut self,
        terms: &mut Terms,
        goals: &[Vec<Term>],
        assumed: &[Term],
        budget: &base::Budget,
    ) -> Result<bool, Stop> {
        loop {
            budget.check()?;
            self.rounds += 1;
            let assumptions: Vec<Term> = assumed.iter().copied().chain(self.guards.iter().flatten().copied()).collect();
            if self.composition.solver.check_goals(terms, goals, &assumptions, budget)? == Answer::Unsat {
                let core = self.composition.solver.core().to_vec();
                let is_in_core = |guard: &Option<Term>| guard.is_some_and(|guard| core.contains(&guard));
                let small: Vec<usize> = (0..self.links.len()).filter(|&read| is_in_core(&self.guards[read])).collect();
                if small.is_empty() {
                    return Ok(false);
                }
                small.into_iter().for_each(|read| self.restore(read, terms));
                continue;
            }
            match self.violated(terms) {
                Violated::Nothing => return Ok(true),
                Violated::Pairs(pairs) => pairs.into_iter().for_each(|(read, way)| self.tell(read, way, terms)),
                Violated::Reads(reads) => reads.into_iter().for_each(|read| self.choose(read, terms)),
            }
        }
    }

    /// Restores the full link set of a read.
    fn restore(&mut self, read: usize, terms: &mut Terms) {
        for way in 0..self.links[read].pairs.len() {
            self.abstraction.set_link(read, way, true);
            if self.mode == Mode::Under {
                self.tell(read, way, terms);
            }
        }
        self.choose(read, terms);
    }

    /// What the model violates, by layers.
    fn violated(&mut self, terms: &Terms) -> Violated {
        let model = self.composition.solver.model(terms).clone();
        let mut evaluation = Evaluation::new(terms, &model);
        let (mut wrong, mut open, mut silent) = (Vec::new(), Vec::new(), Vec::new());
        for (read, link) in self.links.iter().enumerate() {
            if !self.abstraction.has_read(read) {
                if evaluation.is_true(link.occurs) {
                    silent.push(read);
                }
                continue;
            }
            for (way, pair) in link.pairs.iter().enumerate() {
                if self.abstraction.has_pair(read, way) || !evaluation.is_true(pair.choice) {
                    continue;
                }
                open.push((read, way));
                if !pair.instance.facts.iter().all(|&fact| evaluation.is_true(fact)) {
                    wrong.push((read, way));
                }
            }
        }
        if !wrong.is_empty() {
            Violated::Pairs(wrong)
        } else if !open.is_empty() {
            Violated::Pairs(open)
        } else if !silent.is_empty() {
            Violated::Reads(silent)
        } else {
            Violated::Nothing
        }
    }

    fn report(&self, stats: &mut Stats) {
        let ways: Vec<usize> = self.links.iter().map(|link| link.pairs.len()).collect();
        let (size, full) = (self.abstraction.size(), Abstraction::full(&ways).size());
        let numbers = [
            ("rounds", self.rounds as f64),
            ("reads", size.reads as f64),
            ("links", size.links as f64),
            ("pairs", size.pairs as f64),
            ("full_reads", full.reads as f64),
            ("full_links", full.links as f64),
        ];
        numbers.into_iter().for_each(|(name, value)| stats.set(name, value));
    }
}
