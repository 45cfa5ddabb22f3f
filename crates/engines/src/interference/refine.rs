//! The refinement loop REF (section 6.3) on one solver, with layered instantiation (section 7.2).
//!
//! A model of the abstraction is looked at layer by layer. First what the chosen pairs say of places and values;
//! then their order; in the clock form next whether a competing write comes between; and only then reads of which nothing
//! was said. What is violated is told, and nothing else. Where there is no model, and the proof does not rest on a link
//! set that was made smaller (each is guarded by an assumption), it is one for the program; otherwise the link sets that
//! it rests on are restored.
//!
//! Deviations: where something comes between a read and its write for the second time, the solver is told of all rivals. In the
//! order form the second layer tells the order of the chosen pairs instead of looking
//! whether there is a way to respect it.

use super::abstraction::{Abstraction, Shape};
use super::linear::{linearise, Chosen, Linearised};
use super::narrate::Narrator;
use crate::skeleton::compose::lazy::Link;
use crate::skeleton::compose::Composition;
use crate::skeleton::events::{EventId, Skeleton};
use crate::skeleton::rounds::Stopwatch;
use base::{Budget, IdVec, Stats, Stop};
use check::{Focus, Form, Interference, Mode, Preset};
use smt::term::value::Evaluation;
use smt::{Answer, Sort, Term, Terms};

/// What the loop came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    /// The solver's model is an execution.
    Reached,
    /// There is no execution.
    Never,
    /// Without refinement neither can be said.
    Open,
}

/// The loop and what it has come to.
pub(super) struct Refinement<'a> {
    pub(super) options: Interference,
    pub(super) skeleton: &'a Skeleton,
    pub(super) composition: Composition,
    pub(super) links: Vec<Link>,
    /// By read and way: the competitors that may come between.
    pub(super) rivals: Vec<Vec<Vec<u32>>>,
    pub(super) abstraction: Abstraction,
    /// Assumed while the link set of a read is not full.
    pub(super) guards: Vec<Option<Term>>,
    /// Assumed while few reads are from concurrent writes.
    pub(super) few: Option<Term>,
    rounds: u64,
    pub(super) narrator: Narrator<'a>,
}

/// What a model violates.
pub(super) enum Violated {
    /// These pairs are to be told, because of what they say of places and values, or of order.
    Pairs(Vec<(usize, usize)>, &'static str),
    /// It is to be told of these that they do not come between.
    Triples(Vec<(usize, usize, usize)>),
    /// Something is to be said of these reads.
    Reads(Vec<usize>),
    Nothing,
}

impl<'a> Refinement<'a> {
    /// Before anything is told.
    pub(super) fn new(
        options: Interference,
        skeleton: &'a Skeleton,
        mut composition: Composition,
        narrator: Narrator<'a>,
    ) -> Refinement<'a> {
        let links = std::mem::take(&mut composition.links);
        let rivals: Vec<Vec<Vec<u32>>> = links.iter().map(|link| rivals(&composition, link)).collect();
        let guards = vec![None; links.len()];
        let mut refinement = Refinement {
            options,
            skeleton,
            composition,
            links,
            rivals,
            abstraction: Abstraction::weakest(&Shape::new()),
            guards,
            few: None,
            rounds: 0,
            narrator,
        };
        refinement.abstraction = Abstraction::weakest(&refinement.shape());
        refinement
    }

    /// The numbers of rivals.
    pub(super) fn shape(&self) -> Shape {
        self.rivals.iter().map(|ways| ways.iter().map(Vec::len).collect()).collect()
    }

    /// Tells what the loop begins with.
    pub(super) fn begin(&mut self, terms: &mut Terms) {
        if self.options.focus.orders && self.options.mode != Mode::Full {
            for read in 0..self.links.len() {
                for pair in &self.links[read].pairs {
                    self.composition.tell_order(terms, &pair.instance);
                }
            }
        }
        for read in 0..self.links.len() {
            match (self.options.preset, self.options.mode) {
                (Some(preset), _) => self.begin_preset(preset, read, terms),
                (None, Mode::Full) => self.begin_at(read, true, true, terms),
                (None, Mode::Over) if !self.is_coupled(read) => {}
                (None, Mode::Over) => self.begin_at(read, true, false, terms),
                (None, Mode::Under) => self.begin_at(read, self.is_coupled(read), true, terms),
                (None, Mode::Mixed) => self.begin_at(read, self.is_coupled(read), false, terms),
            }
        }
        if self.options.preset == Some(Preset::LargelySerial) {
            self.limit_interference(terms);
        }
    }

    /// Whether a read is told at once because it synchronises.
    fn is_coupled(&self, read: usize) -> bool {
        self.options.focus.biased && self.links[read].is_synchronising
    }

    /// Says that a read is from one of its small link set, or of all, what the pairs mean, and perhaps that nothing comes
    /// between.
    pub(super) fn begin_at(&mut self, read: usize, is_full: bool, is_told: bool, terms: &mut Terms) {
        for way in 0..self.links[read].pairs.len() {
            let is_first = match self.options.focus.biased {
                true => self.links[read].pairs[way].is_near,
                false => way == 0,
            };
            let is_linked = is_full || is_first;
            self.abstraction.set_link(read, way, is_linked);
            if is_linked {
                self.tell(read, way, terms);
            }
            if is_linked && is_told {
                self.tell_apart(read, way, terms);
            }
        }
        self.choose(read, terms);
    }

    /// Tells what a pair means.
    pub(super) fn tell(&mut self, read: usize, way: usize, terms: &mut Terms) {
        if self.abstraction.add_pair(read, way) {
            let instance = &self.links[read].pairs[way].instance;
            self.composition.tell_facts(terms, instance);
            if !self.has_orders() {
                self.composition.tell_order(terms, instance);
            }
        }
    }

    /// Whether the order of pairs was told at once.
    fn has_orders(&self) -> bool {
        self.options.focus.orders && self.options.mode != Mode::Full
    }

    /// Tells that no rival comes between.
    pub(super) fn tell_apart(&mut self, read: usize, way: usize, terms: &mut Terms) {
        for rival in 0..self.rivals[read][way].len() {
            self.separate(read, way, rival, terms);
        }
    }

    /// Tells that a rival does not come between.
    pub(super) fn separate(&mut self, read: usize, way: usize, rival: usize, terms: &mut Terms) {
        if self.abstraction.add_triple(read, way, rival) {
            let link = &self.links[read];
            let competitor = link.competitors[self.rivals[read][way][rival] as usize];
            self.composition.separate(terms, link, way, &competitor);
        }
    }

    /// Tells that a read is from one of the writes in its link set, which is assumed as long as that is not full.
    pub(super) fn choose(&mut self, read: usize, terms: &mut Terms) {
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

    /// The loop REF: whether one goal of each group can be reached.
    pub(super) fn decide(
        &mut self,
        terms: &mut Terms,
        goals: &[Vec<Term>],
        assumed: &[Term],
        budget: &Budget,
        stats: &mut Stats,
    ) -> Result<Decision, Stop> {
        if goals.iter().any(Vec::is_empty) {
            return Ok(Decision::Never);
        }
        let mut stopwatch = Stopwatch::start();
        loop {
            budget.check()?;
            self.rounds += 1;
            let small = self.guards.iter().flatten().chain(&self.few).copied();
            let assumptions: Vec<Term> = assumed.iter().copied().chain(small).collect();
            let answer = self.composition.solver.check_goals(terms, goals, &assumptions, budget);
            stopwatch.lap(stats, "solve_ms");
            if answer? == Answer::Unsat {
                let small = self.invalidating();
                let is_bounded = self.few.is_some_and(|few| self.composition.solver.core().contains(&few));
                self.narrator.proof(self.rounds, &self.links, &small, stats);
                if small.is_empty() && !is_bounded {
                    return Ok(Decision::Never);
                }
                if self.options.preset.is_some() {
                    return Ok(Decision::Open);
                }
                small.into_iter().for_each(|read| self.restore(read, terms));
                stopwatch.lap(stats, "reduce_under_ms");
                continue;
            }
            let violated = self.violated(terms);
            stopwatch.lap(stats, "check_model_ms");
            self.narrator.model(self.rounds, &self.links, &self.rivals, &violated, stats);
            match violated {
                Violated::Nothing => {
                    self.tell_interferences(terms, stats);
                    return Ok(Decision::Reached);
                }
                _ if self.options.preset.is_some() => return Ok(Decision::Open),
                Violated::Pairs(pairs, _) => pairs.into_iter().for_each(|(read, way)| self.tell(read, way, terms)),
                Violated::Triples(triples) => {
                    triples.into_iter().for_each(|(read, way, rival)| self.separate(read, way, rival, terms));
                }
                Violated::Reads(reads) => reads.into_iter().for_each(|read| self.choose(read, terms)),
            }
            stopwatch.lap(stats, "reduce_over_ms");
        }
    }

    /// The reads with small link sets that the proof rests on.
    pub(super) fn invalidating(&mut self) -> Vec<usize> {
        let core: rustc_hash::FxHashSet<Term> = self.composition.solver.core().iter().copied().collect();
        let is_in_core = |guard: &Option<Term>| guard.is_some_and(|guard| core.contains(&guard));
        (0..self.links.len()).filter(|&read| is_in_core(&self.guards[read])).collect()
    }

    /// Restores the full link set of a read.
    fn restore(&mut self, read: usize, terms: &mut Terms) {
        for way in 0..self.links[read].pairs.len() {
            self.abstraction.set_link(read, way, true);
            self.tell(read, way, terms);
            if self.options.mode == Mode::Under {
                self.tell_apart(read, way, terms);
            }
        }
        self.choose(read, terms);
    }

    /// What the model violates, by layers.
    pub(super) fn violated(&mut self, terms: &Terms) -> Violated {
        let model = self.composition.solver.model(terms).clone();
        let mut evaluation = Evaluation::new(terms, &model);
        let (mut wrong, mut chosen, mut silent) = (Vec::new(), Vec::new(), Vec::new());
        let has_orders = self.has_orders();
        for (read, link) in self.links.iter().enumerate() {
            if !evaluation.is_true(link.occurs) {
                continue;
            }
            if !self.abstraction.has_read(read) {
                silent.push(read);
                continue;
            }
            for (way, pair) in link.pairs.iter().enumerate() {
                if !evaluation.is_true(pair.choice) {
                    continue;
                }
                let is_told = self.abstraction.has_pair(read, way);
                let is_ordered = is_told || has_orders;
                chosen.push(Chosen { read, way, reader: link.read, writer: pair.write, is_ordered });
                if !is_told && !pair.instance.facts.iter().all(|&fact| evaluation.is_true(fact)) {
                    wrong.push((read, way));
                }
            }
        }
        if !wrong.is_empty() {
            return Violated::Pairs(wrong, "what it finds is not what was left there");
        }
        let disorder = match self.options.form {
            Form::Order => {
                let open: Vec<_> =
                    chosen.iter().filter(|pair| !pair.is_ordered).map(|pair| (pair.read, pair.way)).collect();
                (!open.is_empty()).then_some(Violated::Pairs(open, "it is not said when"))
            }
            Form::Clock => self.disorder(&chosen, &mut evaluation),
        };
        match disorder {
            Some(violated) => violated,
            None if silent.is_empty() => Violated::Nothing,
            None => Violated::Reads(silent),
        }
    }

    /// What is wrong with the order of a model of the clock form.
    fn disorder(&mut self, chosen: &[Chosen], evaluation: &mut Evaluation<'_>) -> Option<Violated> {
        let positions = match linearise(self.skeleton, &mut self.composition, evaluation, chosen) {
            Linearised::Blocked(pairs) => return Some(Violated::Pairs(pairs, "it would have to come earlier")),
            Linearised::Positions(positions) => positions,
        };
        let mut between = Vec::new();
        for pair in chosen {
            let link = &self.links[pair.read];
            let to = positions[pair.reader];
            for (rival, &index) in self.rivals[pair.read][pair.way].iter().enumerate() {
                let competitor = &link.competitors[index as usize];
                let at = positions[competitor.write];
                let is_between = at < to && pair.writer.is_none_or(|write| positions[write] < at);
                if is_between && evaluation.is_true(competitor.writes) && evaluation.is_true(competitor.same) {
                    between.push((pair.read, pair.way, rival));
                }
            }
        }
        if between.is_empty() {
            self.order_writes(&positions, evaluation);
            return None;
        }
        let is_new = |triple: &&(usize, usize, usize)| !self.abstraction.has_triple(triple.0, triple.1, triple.2);
        let new: Vec<_> = between.iter().filter(is_new).copied().collect();
        debug_assert!(!new.is_empty(), "what was told should not be violated");
        Some(Violated::Triples(self.with_all_rivals(new)))
    }

    /// Where something came between a read and its write before, nothing of the kind is left to be found out.
    fn with_all_rivals(&self, triples: Vec<(usize, usize, usize)>) -> Vec<(usize, usize, usize)> {
        let mut all = Vec::new();
        let mut done = rustc_hash::FxHashSet::default();
        for (read, way, rival) in triples {
            if !self.abstraction.has_triples(read, way) {
                all.push((read, way, rival));
            } else if done.insert((read, way)) {
                let rivals = 0..self.rivals[read][way].len();
                all.extend(rivals.map(|rival| (read, way, rival)));
            }
        }
        all.retain(|&(read, way, rival)| !self.abstraction.has_triple(read, way, rival));
        all
    }

    /// Keeps the order of the writes to each place, for whoever makes a run of the model.
    fn order_writes(&mut self, positions: &IdVec<EventId, usize>, evaluation: &mut Evaluation<'_>) {
        let mut writes: Vec<((u128, u128), usize, EventId, Term)> = Vec::new();
        for (id, event) in self.skeleton.events.enumerate() {
            let Some((condition, _)) = event.write else { continue };
            if event.bytes == 0 || !evaluation.is_true(event.occurs) || !evaluation.is_true(condition) {
                continue;
            }
            let object = evaluation.bits(event.location.object).to_u128().unwrap_or(0);
            let offset = evaluation.bits(event.location.bits).to_u128().unwrap_or(0);
            writes.push(((object, offset), positions[id], id, event.occurs));
        }
        writes.sort_unstable();
        let pairs = writes.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        self.composition.write_order = pairs.map(|pair| (pair[0].3, pair[0].2, pair[1].2)).collect();
    }

    /// Tells which reads of the model are from writes of other threads that are not certain to come first.
    fn tell_interferences(&mut self, terms: &Terms, stats: &mut Stats) {
        let model = self.composition.solver.model(terms).clone();
        let mut evaluation = Evaluation::new(terms, &model);
        for link in self.links.iter().filter(|_| self.options.is_told) {
            if let Some(pair) = link.pairs.iter().find(|pair| evaluation.is_true(pair.choice) && !pair.is_near) {
                self.narrator.interference(link.read, pair.write, stats);
            }
        }
    }

    /// Sizes and rounds.
    pub(super) fn report(&self, stats: &mut Stats) {
        let (size, full) = (self.abstraction.size(), self.abstraction.full_size());
        stats.add("iterations", self.rounds as f64);
        let numbers = [
            ("reads", size.reads, full.reads),
            ("links", size.links, full.links),
            ("pairs", size.pairs, full.pairs),
            ("triples", size.triples, full.triples),
        ];
        for (name, value, full) in numbers {
            stats.set(name, value as f64);
            stats.set(&format!("full_{name}"), full as f64);
        }
        stats.set("clauses", self.composition.solver.clauses() as f64);
    }
}

/// The competitors that may come between a read and each of its ways.
fn rivals(composition: &Composition, link: &Link) -> Vec<Vec<u32>> {
    let of = |write: Option<EventId>| {
        let all = link.competitors.iter().zip(0..);
        all.filter(|(other, _)| !composition.is_apart(link.read, write, other.write)).map(|(_, index)| index).collect()
    };
    link.pairs.iter().map(|pair| of(pair.write)).collect()
}

/// What is left out of link sets and of the questions about locks.
pub(super) fn pruning(focus: Focus) -> crate::skeleton::compose::Pruning {
    use crate::skeleton::compose::Pruning;
    let base = if focus.pruning { Pruning::default() } else { Pruning::NONE };
    Pruning { lock_links: focus.lock_links, sections: focus.lock_orders, ..base }
}
