//! The refinement loop REF (section 6.3) on one solver, with layered instantiation (section 7.2).
//!
//! A model of the abstraction is checked layer by layer: first the place and value constraints of the chosen pairs;
//! then their order; in the clock form next whether a competing write comes between; and last the reads without
//! constraints. Only violated constraints are added. If there is no model and the proof does not rest on a reduced link
//! set (each is guarded by an assumption), it is a proof for the program; otherwise the link sets that it rests on are
//! restored.
//!
//! Deviations: if a rival comes between a read and its write, all rivals of that pair are excluded; if it happens to
//! the same read again, the rivals of all its pairs, first those of the writing thread. Small link sets are given up
//! where they are nearly full, and where the solver takes too long to decide whether they suffice. In the order form,
//! once three quarters of the link sets are asserted, another round costs more than the rest; and the second layer
//! asserts the order of the chosen pairs instead of checking whether some linearisation respects it.

use super::abstraction::{Abstraction, Shape};
use super::linear::{linearise, Chosen, Linearised};
use super::narrate::Narrator;
use super::options::{Focus, Form, Mode, Options, Preset};
use crate::skeleton::compose::lazy::Link;
use crate::skeleton::compose::Composition;
use crate::skeleton::events::{EventId, Skeleton};
use crate::skeleton::rounds::Stopwatch;
use base::{Budget, IdVec, Stats, Stop};
use smt::term::value::Evaluation;
use smt::{Answer, Sort, Term, Terms};

/// Maximum number of conflicts in a round with small link sets; past it they are given up. Lower in the order form,
/// where full link sets cost less.
const fn patience(form: Form) -> u32 {
    match form {
        Form::Order => 1000,
        Form::Clock => 4000,
    }
}

/// Link sets start small only if that leaves out at least one link in `WORTH`.
const WORTH: usize = 8;

/// The result of the loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    /// The solver's model is an execution.
    Reached,
    /// There is no execution.
    Never,
    /// Undecided without refinement.
    Open,
}

/// The state of the refinement loop.
pub(super) struct Refinement<'a> {
    pub(super) options: Options,
    focus: Focus,
    pub(super) skeleton: &'a Skeleton,
    pub(super) composition: Composition,
    pub(super) links: Vec<Link>,
    /// By read and way: the competing writes that may come between.
    pub(super) rivals: Vec<Vec<Vec<u32>>>,
    pub(super) abstraction: Abstraction,
    /// By read: the assumption that guards its link set while that is not full.
    pub(super) guards: Vec<Option<Term>>,
    /// Assumed while at most a few reads read from concurrent writes.
    pub(super) few: Option<Term>,
    /// By read: the ways that have been introduced to the solver.
    known: Vec<Known>,
    /// By read: how often a rival came between it and its write.
    disputes: Vec<u32>,
    rounds: u64,
    pub(super) narrator: Narrator<'a>,
}

/// The ways of a read that have been introduced to the solver; the others cannot be chosen.
#[derive(Clone, Default)]
struct Known {
    ways: Vec<bool>,
    /// The way introduced last, and a term for "it or an earlier one is chosen".
    last: Option<Term>,
    before: Option<Term>,
}

/// A read, one of its ways and one of its rivals, by number.
type Triple = (usize, usize, usize);

/// The constraints that a model violates.
pub(super) enum Violated {
    /// The place and value constraints, or the order, of these pairs must be asserted.
    Pairs(Vec<(usize, usize)>, &'static str),
    /// A rival of `found` comes between; the triples in `asserted` must be asserted.
    Triples {
        found: Vec<Triple>,
        asserted: Vec<Triple>,
    },
    /// These reads need constraints.
    Reads(Vec<usize>),
    Nothing,
}

impl<'a> Refinement<'a> {
    /// The initial state: nothing is asserted.
    pub(super) fn new(
        options: Options,
        skeleton: &'a Skeleton,
        mut composition: Composition,
        narrator: Narrator<'a>,
    ) -> Refinement<'a> {
        let links = std::mem::take(&mut composition.links);
        let rivals: Vec<Vec<Vec<u32>>> = links.iter().map(|link| rivals(&composition, link)).collect();
        let (guards, disputes) = (vec![None; links.len()], vec![0; links.len()]);
        let known =
            links.iter().map(|link| Known { ways: vec![false; link.pairs.len()], ..Known::default() }).collect();
        let mut refinement = Refinement {
            focus: options.switches(),
            options,
            skeleton,
            composition,
            links,
            rivals,
            abstraction: Abstraction::weakest(&Shape::new()),
            guards,
            few: None,
            known,
            disputes,
            rounds: 0,
            narrator,
        };
        refinement.abstraction = Abstraction::weakest(&refinement.shape());
        refinement
    }

    /// The number of rivals, by read and way.
    pub(super) fn shape(&self) -> Shape {
        self.rivals.iter().map(|ways| ways.iter().map(Vec::len).collect()).collect()
    }

    /// Asserts the initial abstraction.
    pub(super) fn begin(&mut self, terms: &mut Terms) {
        self.introduce_mentioned(terms);
        if self.focus.orders && self.options.mode != Mode::Full {
            for read in 0..self.links.len() {
                for pair in &self.links[read].pairs {
                    self.composition.tell_order(terms, &pair.instance);
                }
            }
        }
        let is_full = !self.is_smaller_worth_it();
        for read in 0..self.links.len() {
            match (self.options.preset, self.options.mode) {
                (Some(preset), _) => self.begin_preset(preset, read, terms),
                (None, Mode::Full) => self.begin_at(read, true, true, terms),
                (None, Mode::Over) if !self.is_coupled(read) => {}
                (None, Mode::Over) => self.begin_at(read, true, false, terms),
                (None, Mode::Under) => self.begin_at(read, self.is_coupled(read), true, terms),
                (None, Mode::Mixed) => self.begin_at(read, is_full || self.is_coupled(read), false, terms),
            }
        }
        if self.options.preset == Some(Preset::LargelySerial) {
            self.limit_interference(terms);
        }
    }

    /// Whether small link sets leave out enough to be worth it.
    fn is_smaller_worth_it(&self) -> bool {
        let all: usize = self.links.iter().map(|link| link.pairs.len()).sum();
        let open = (0..self.links.len()).filter(|&read| !self.is_coupled(read));
        let left_out = |read: usize| (0..self.links[read].pairs.len()).filter(|&way| !self.is_first(read, way)).count();
        open.map(left_out).sum::<usize>() * WORTH >= all
    }

    /// Whether a way belongs to the small link set of its read.
    fn is_first(&self, read: usize, way: usize) -> bool {
        match self.focus.biased {
            true => self.links[read].pairs[way].is_near,
            false => way == 0,
        }
    }

    /// Whether a read is constrained at once because it synchronises.
    fn is_coupled(&self, read: usize) -> bool {
        self.focus.biased && self.links[read].is_synchronising
    }

    /// Asserts that a read reads from its small link set, or from any of its writes; asserts the constraints of the
    /// pairs; and, on request, that no rival comes between.
    pub(super) fn begin_at(&mut self, read: usize, is_full: bool, is_reported: bool, terms: &mut Terms) {
        for way in 0..self.links[read].pairs.len() {
            let is_linked = is_full || self.is_first(read, way);
            self.abstraction.set_link(read, way, is_linked);
            if is_linked {
                self.tell(read, way, terms);
            }
            if is_linked && is_reported {
                self.tell_apart(read, way, terms);
            }
        }
        self.choose(read, terms);
    }

    /// Asserts the constraints of a pair.
    pub(super) fn tell(&mut self, read: usize, way: usize, terms: &mut Terms) {
        if self.abstraction.add_pair(read, way) {
            self.introduce(read, way, terms);
            let pair = &self.links[read].pairs[way];
            self.composition.tell_facts(terms, pair);
            if !self.has_orders() {
                self.composition.tell_order(terms, &pair.instance);
            }
        }
    }

    /// Introduces all ways if constraints other than those of the pairs mention the choice.
    pub(super) fn introduce_mentioned(&mut self, terms: &mut Terms) {
        let composition = &self.composition;
        let is_plain =
            composition.model.is_sequentially_consistent() && composition.race.is_none() && !self.has_orders();
        if is_plain && composition.atomicity.is_none() {
            return;
        }
        for read in 0..self.links.len() {
            (0..self.links[read].pairs.len()).for_each(|way| self.introduce(read, way, terms));
        }
    }

    /// Introduces a way to the solver: an event that does not occur does not read, and a read reads from one write.
    /// (The order implies this too, but only once the writes are ordered.)
    fn introduce(&mut self, read: usize, way: usize, terms: &mut Terms) {
        let (link, known) = (&self.links[read], &mut self.known[read]);
        if std::mem::replace(&mut known.ways[way], true) {
            return;
        }
        let choice = link.pairs[way].choice;
        let mut facts = vec![terms.implies(choice, link.occurs)];
        let before = match (known.before, known.last.replace(choice)) {
            (Some(before), Some(last)) => {
                let next = terms.variable("chosen", Sort::Bool);
                facts.extend([before, last].map(|earlier| terms.implies(earlier, next)));
                Some(next)
            }
            (None, last) => last,
            (before, None) => before,
        };
        known.before = before;
        if let Some(before) = before {
            let both = terms.and2(before, choice);
            facts.push(terms.not(both));
        }
        facts.into_iter().for_each(|fact| self.composition.solver.assert(terms, fact));
    }

    /// Whether the order of pairs was asserted at once.
    fn has_orders(&self) -> bool {
        self.focus.orders && self.options.mode != Mode::Full
    }

    /// Asserts that no rival comes between.
    pub(super) fn tell_apart(&mut self, read: usize, way: usize, terms: &mut Terms) {
        for rival in 0..self.rivals[read][way].len() {
            self.separate(read, way, rival, terms);
        }
    }

    /// Asserts that one rival does not come between.
    pub(super) fn separate(&mut self, read: usize, way: usize, rival: usize, terms: &mut Terms) {
        if self.abstraction.add_triple(read, way, rival) {
            self.introduce(read, way, terms);
            let link = &self.links[read];
            let competitor = link.competitors[self.rivals[read][way][rival] as usize];
            self.composition.separate(terms, link, way, &competitor);
        }
    }

    /// Asserts that a read reads from some write of its link set; guarded by an assumption as long as that is not full.
    pub(super) fn choose(&mut self, read: usize, terms: &mut Terms) {
        self.abstraction.add_read(read);
        for way in 0..self.links[read].pairs.len() {
            if self.abstraction.has_link(read, way) {
                self.introduce(read, way, terms);
            }
        }
        if let Some(guard) = self.guards[read].take() {
            // Clauses learnt under the old guard are dead; fixing it to false lets the solver drop them.
            let never = terms.not(guard);
            self.composition.solver.assert(terms, never);
        }
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

    /// The loop REF: decides whether one goal of each group is reachable.
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
            let is_mixed = self.options.mode == Mode::Mixed && self.options.preset.is_none();
            let patience = (is_mixed && self.guards.iter().any(Option::is_some)).then_some(patience(self.options.form));
            let answer = self.composition.solver.check_goals_within(terms, goals, &assumptions, patience, budget);
            stopwatch.lap(stats, "solve_ms");
            let Some(answer) = answer? else {
                self.narrator.given_up(self.rounds, stats);
                self.restore_all(terms);
                stopwatch.lap(stats, "reduce_under_ms");
                continue;
            };
            if answer == Answer::Unsat {
                let small = self.invalidating();
                let is_bounded = self.few.is_some_and(|few| self.composition.solver.core().contains(&few));
                self.narrator.proof(self.rounds, &self.links, &small, stats);
                if small.is_empty() && !is_bounded {
                    return Ok(Decision::Never);
                }
                if self.options.preset.is_some() {
                    return Ok(Decision::Open);
                }
                match is_mixed && self.is_rest_cheap(&small) {
                    true => self.restore_all(terms),
                    false => small.into_iter().for_each(|read| self.restore(read, terms)),
                }
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
                Violated::Triples { asserted, .. } => {
                    asserted.into_iter().for_each(|(read, way, rival)| self.separate(read, way, rival, terms));
                }
                Violated::Reads(reads) => reads.into_iter().for_each(|read| self.choose(read, terms)),
            }
            stopwatch.lap(stats, "reduce_over_ms");
        }
    }

    /// The reads with reduced link sets that the proof rests on.
    pub(super) fn invalidating(&mut self) -> Vec<usize> {
        let core: rustc_hash::FxHashSet<Term> = self.composition.solver.core().iter().copied().collect();
        let is_in_core = |guard: &Option<Term>| guard.is_some_and(|guard| core.contains(&guard));
        (0..self.links.len()).filter(|&read| is_in_core(&self.guards[read])).collect()
    }

    /// Whether, after restoring these link sets, asserting the rest is cheaper than another round.
    fn is_rest_cheap(&self, small: &[usize]) -> bool {
        let missing = |&read: &usize| {
            (0..self.links[read].pairs.len()).filter(|&way| !self.abstraction.has_link(read, way)).count()
        };
        let asserted = self.abstraction.size().links + small.iter().map(missing).sum::<usize>();
        self.options.form == Form::Order && 4 * asserted > 3 * self.abstraction.full_size().links
    }

    /// Restores the full link sets of all reads.
    fn restore_all(&mut self, terms: &mut Terms) {
        for read in 0..self.links.len() {
            if self.guards[read].is_some() {
                self.restore(read, terms);
            }
        }
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

    /// Finds the constraints that the model violates, layer by layer.
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
                let is_reported = self.abstraction.has_pair(read, way);
                let is_ordered = is_reported || has_orders;
                chosen.push(Chosen { read, way, reader: link.read, writer: pair.write, is_ordered });
                if !is_reported && !pair.facts().all(|fact| evaluation.is_true(fact)) {
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

    fn triples_of(&self, read: usize, way: usize) -> impl Iterator<Item = Triple> {
        (0..self.rivals[read][way].len()).map(move |rival| (read, way, rival))
    }

    /// Whether the rival and the write belong to the same thread.
    fn is_own_rival(&self, (read, way, rival): Triple) -> bool {
        let link = &self.links[read];
        let thread = |event: EventId| self.skeleton.events[event].thread;
        let rival = thread(link.competitors[self.rivals[read][way][rival] as usize].write);
        link.pairs[way].write.is_none_or(|write| thread(write) == rival)
    }

    /// The order violations in a model of the clock form.
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
        let is_new = |triple: &&Triple| !self.abstraction.has_triple(triple.0, triple.1, triple.2);
        let found: Vec<Triple> = between.iter().filter(is_new).copied().collect();
        debug_assert!(!found.is_empty(), "what was asserted should not be violated");
        let asserted = self.with_more_rivals(&found);
        Some(Violated::Triples { found, asserted })
    }

    /// Adds triples that are likely to be violated next: the first time for a read only those of its pair, then all
    /// rivals by which a thread overwrites its own write, then everything.
    fn with_more_rivals(&mut self, triples: &[Triple]) -> Vec<Triple> {
        let mut pairs: Vec<(usize, usize)> = triples.iter().map(|&(read, way, _)| (read, way)).collect();
        pairs.dedup();
        let mut reads: Vec<usize> = pairs.iter().map(|&(read, _)| read).collect();
        reads.dedup();
        let mut all: Vec<_> = pairs.into_iter().flat_map(|(read, way)| self.triples_of(read, way)).collect();
        for read in reads {
            self.disputes[read] += 1;
            for way in (0..self.links[read].pairs.len()).filter(|&way| self.abstraction.has_link(read, way)) {
                match self.disputes[read] {
                    0 | 1 => {}
                    2 => all.extend(self.triples_of(read, way).filter(|&triple| self.is_own_rival(triple))),
                    3.. => all.extend(self.triples_of(read, way)),
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        all.retain(|&(read, way, rival)| !self.abstraction.has_triple(read, way, rival));
        all
    }

    /// Records the write order of each place, for the construction of a run.
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

    /// Reports which reads of the model read from writes of other threads that need not come first.
    fn tell_interferences(&mut self, terms: &Terms, stats: &mut Stats) {
        let model = self.composition.solver.model(terms).clone();
        let mut evaluation = Evaluation::new(terms, &model);
        for link in self.links.iter().filter(|_| self.options.trace_refinement) {
            if let Some(pair) = link.pairs.iter().find(|pair| evaluation.is_true(pair.choice) && !pair.is_near) {
                self.narrator.interference(link.read, pair.write, stats);
            }
        }
    }

    /// Reports sizes and rounds.
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

/// The competing writes that may come between a read and each of its ways.
fn rivals(composition: &Composition, link: &Link) -> Vec<Vec<u32>> {
    let of = |write: Option<EventId>| {
        let all = link.competitors.iter().zip(0..);
        all.filter(|(other, _)| !composition.is_apart(link.read, write, other.write)).map(|(_, index)| index).collect()
    };
    link.pairs.iter().map(|pair| of(pair.write)).collect()
}

/// The pruning of link sets and of the constraints of locks.
pub(super) fn pruning(focus: Focus) -> crate::skeleton::compose::Pruning {
    use crate::skeleton::compose::Pruning;
    let base = if focus.pruning { Pruning::default() } else { Pruning::NONE };
    Pruning { lock_links: focus.lock_links, sections: focus.lock_orders, ..base }
}
