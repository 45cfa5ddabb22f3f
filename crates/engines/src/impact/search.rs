//! The search (Algorithm 1 of the paper, with the reduction of Algorithm 2): close, expand, refine, force cover.

use super::machine::{Machine, Target, Trouble};
use super::options::{Reduction, SearchOrder};
use super::path::{preconditions, slice, Execution, Unknowns};
use super::tree::{root, Edge, NodeId, Position, Tree};
use base::{Budget, Part, Stats, Stop};
use check::{Reason, ReasonKind};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::interpolation::{Failure, Interpolator, Step};
use smt::{Answer, Solver, Term};
use std::time::{Duration, Instant};

/// Faults injected by tests to show that each part is needed. All off otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ablation {
    /// A covered node does not pass on its expansion obligations.
    pub lacks_cover_expansion: bool,
    /// Nodes that are uncovered do not return to the queue.
    pub lacks_requeueing: bool,
    /// Labels do not say that two accesses are disjoint.
    pub lacks_alias_labels: bool,
    /// As `lacks_cover_expansion`, but only where a node is covered by an ancestor, which closes a loop.
    pub lacks_loop_expansion: bool,
    /// Threads are skipped regardless of their numbers.
    pub lacks_order: bool,
    /// Not a fault: no thread is skipped after a back edge. The paper demands that, but it is not needed.
    pub has_loop_condition: bool,
}

/// Configuration of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Modes {
    pub(super) reduction: Reduction,
    pub(super) force_cover: bool,
    pub(super) order: SearchOrder,
    pub(super) track_after: Option<u32>,
    pub(super) ablation: Ablation,
}

/// The result of a search.
pub(super) enum End {
    /// The tree is complete, except for these reasons.
    Complete(Vec<Reason>),
    /// A violation is feasible at this node.
    Violated(NodeId),
    /// The search should restart with what was learnt.
    Restart,
    Stopped(Reason),
}

/// Counters.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Counts {
    pub(super) implications_syntactic: u64,
    pub(super) implications_cached: u64,
    pub(super) implications_solved: u64,
    pub(super) covers: u64,
    pub(super) forced_covers: u64,
    pub(super) cover_expansions: u64,
    pub(super) refinements: u64,
    pub(super) skips: u64,
    pub(super) conditional_skips: u64,
    pub(super) preconditions: u64,
    pub(super) interpolations: u64,
    pub(super) solver_seconds: f64,
    pub(super) core_seconds: f64,
    pub(super) execution_seconds: f64,
    pub(super) interpolation_seconds: f64,
}

/// The state of a search.
pub(super) struct Search<'s, 'p> {
    pub(super) machine: &'s mut Machine<'p>,
    pub(super) tree: Tree,
    pub(super) solver: Solver,
    pub(super) interpolator: Interpolator,
    pub(super) unknowns: Unknowns,
    pub(super) modes: Modes,
    pub(super) counts: Counts,
    pub(super) budget: Budget,
    implications: FxHashMap<(Term, Term), bool>,
    core_solver: Solver,
    /// Unsatisfiable cores, minimised.
    cores: FxHashMap<Vec<Term>, Vec<Term>>,
    /// Whether a step (location, thread, outcome) and the next step of another thread can be exchanged.
    pub(super) exchanges: FxHashMap<(usize, u32, usize, u32), bool>,
    gaps: Vec<Reason>,
    /// For how many paths solver interpolation is skipped, and for how many after the next failure.
    patience: (u32, u32),
}

/// Number of nodes tried for forced covering.
const MAX_FORCED: usize = 6;
/// Number of nodes tried as covers.
const MAX_COVERS: usize = 64;
/// Number of interpolated paths past which no further predicates are preferred in interpolants.
const MAX_PREFERRED: usize = 40;
/// A path that visits one location more often than this goes round.
const MAX_ROUNDS: u32 = 3;
/// Time limit for the interpolants of one path.
const MAX_INTERPOLATION: Duration = Duration::from_secs(1);
/// Maximum size of a core that is minimised.
const LARGEST_CORE: usize = 40;
/// Number of gaps after which the search stops.
const MAX_GAPS: usize = 6;

impl<'s, 'p> Search<'s, 'p> {
    pub(super) fn new(machine: &'s mut Machine<'p>, modes: Modes, budget: Budget) -> Search<'s, 'p> {
        let tree = Tree { forgets: modes.ablation.lacks_requeueing, ..Tree::default() };
        Search {
            machine,
            tree,
            solver: Solver::new(),
            interpolator: Interpolator::new(),
            unknowns: Unknowns::default(),
            modes,
            counts: Counts::default(),
            budget,
            implications: FxHashMap::default(),
            core_solver: Solver::new(),
            cores: FxHashMap::default(),
            exchanges: FxHashMap::default(),
            gaps: Vec::new(),
            patience: (0, 0),
        }
    }

    /// Builds the tree.
    pub(super) fn run(&mut self) -> End {
        match self.build() {
            Ok(end) => end,
            Err(stop) => End::Stopped(Reason::from(stop)),
        }
    }

    fn build(&mut self) -> Result<End, Stop> {
        let location = self.machine.initial();
        let first = self.tree.add(Position::Location(location), None);
        self.tree.enqueue(first);
        while let Some(node) = self.next() {
            self.budget.check()?;
            if self.tree.is_closed(node) {
                continue;
            }
            if let Position::Trouble(trouble) = &self.tree.nodes[node].position {
                let trouble = trouble.clone();
                if self.tree.nodes[node].is_reported {
                    continue;
                }
                let refined = self.refine(node)?;
                if self.machine.should_restart {
                    return Ok(End::Restart);
                }
                match refined {
                    Refined::Excluded => {}
                    Refined::Possible => match trouble {
                        Trouble::Violation => return Ok(End::Violated(node)),
                        Trouble::Gap(kind, detail, at) => {
                            let span = self.machine.program.functions[at.0].edges[at.1].span;
                            self.tell(node, Reason::new(kind, detail).at(self.machine.program.place(span)));
                        }
                    },
                    Refined::Failed(reason) => self.tell(node, reason),
                }
                if self.gaps.len() >= MAX_GAPS {
                    return Ok(End::Complete(std::mem::take(&mut self.gaps)));
                }
                continue;
            }
            if !self.tree.nodes[node].is_expanded {
                if self.close(node)? || self.modes.force_cover && self.force_cover(node)? {
                    continue;
                }
                self.expand(node)?;
            }
            if self.machine.should_restart || self.is_too_large() {
                return Ok(End::Restart);
            }
        }
        if self.machine.should_restart {
            return Ok(End::Restart);
        }
        Ok(End::Complete(std::mem::take(&mut self.gaps)))
    }

    /// Reports trouble that is feasible or cannot be ruled out.
    fn tell(&mut self, node: NodeId, reason: Reason) {
        self.tree.nodes[node].is_reported = true;
        if !self.gaps.contains(&reason) {
            self.gaps.push(reason);
        }
    }

    /// Dequeues a node. Trouble comes first, so that its labels are available to covering.
    fn next(&mut self) -> Option<NodeId> {
        if let Some(trouble) = self.tree.troubles.pop() {
            return Some(trouble);
        }
        let queue = &mut self.tree.queue;
        let nodes = &self.tree.nodes;
        match self.modes.order {
            SearchOrder::Depth => queue.pop(),
            SearchOrder::Breadth => {
                let index = (0..queue.len()).min_by_key(|&index| (nodes[queue[index]].depth, queue[index]))?;
                Some(queue.remove(index))
            }
            SearchOrder::Distance => {
                let distance = |index: usize| match nodes[queue[index]].position {
                    Position::Location(location) => self.machine.distance(location),
                    Position::Trouble(_) => 0,
                };
                let index = (0..queue.len()).rev().min_by_key(|&index| distance(index))?;
                Some(queue.remove(index))
            }
        }
    }

    /// Tries to cover a node by an older one.
    fn close(&mut self, node: NodeId) -> Result<bool, Stop> {
        for by in self.candidates(node, MAX_COVERS) {
            if self.implies(node, by)? {
                self.counts.covers += 1;
                self.cover(node, by)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Older open nodes at the same location.
    fn candidates(&self, node: NodeId, most: usize) -> Vec<NodeId> {
        let Position::Location(location) = self.tree.nodes[node].position else { return vec![] };
        let all = self.tree.by_location.get(&location).map_or(&[][..], Vec::as_slice);
        let older = all.iter().rev().copied().filter(|&other| other < node);
        older.filter(|&other| !self.tree.is_closed(other)).take(most).collect()
    }

    /// Covers a node, and expands at the covering node the threads that the covered one would have expanded.
    fn cover(&mut self, node: NodeId, by: NodeId) -> Result<(), Stop> {
        let required = self.required(node)?;
        // This decision may have strengthened labels.
        if self.tree.is_closed(by) || !self.implies(node, by)? {
            self.tree.enqueue(node);
            return Ok(());
        }
        self.tree.cover(node, by);
        let ablation = self.modes.ablation;
        let closes_loop = || self.tree.common(node, by) == Some(by);
        if ablation.lacks_cover_expansion || ablation.lacks_loop_expansion && closes_loop() {
            return Ok(());
        }
        for thread in required {
            if self.tree.nodes[by].threads.contains(&thread) {
                continue;
            }
            if self.tree.nodes[by].is_expanded {
                self.counts.cover_expansions += 1;
                self.expand_thread(by, thread);
            } else {
                self.tree.nodes[by].asked.insert(thread);
            }
        }
        Ok(())
    }

    /// Whether a node's label implies another's: syntactically, from the cache, or by the solver.
    pub(super) fn implies(&mut self, node: NodeId, by: NodeId) -> Result<bool, Stop> {
        let (mine, other) = (&self.tree.nodes[node], &self.tree.nodes[by]);
        let missing: Vec<Term> = other.label.difference(&mine.label).copied().collect();
        if missing.is_empty() || mine.is_false {
            self.counts.implications_syntactic += 1;
            return Ok(true);
        }
        let label: Vec<Term> = mine.label.iter().copied().collect();
        let whole = self.machine.terms.and(label.iter().copied());
        for part in missing {
            if let Some(&known) = self.implications.get(&(whole, part)) {
                self.counts.implications_cached += 1;
                if known {
                    continue;
                }
                return Ok(false);
            }
            self.counts.implications_solved += 1;
            let negated = self.machine.terms.not(part);
            let assumptions: Vec<Term> = label.iter().copied().chain([negated]).collect();
            let is_implied = self.check(&assumptions)? == Answer::Unsat;
            self.implications.insert((whole, part), is_implied);
            if !is_implied {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn check(&mut self, assumptions: &[Term]) -> Result<Answer, Stop> {
        let started = Instant::now();
        let answer = self.solver.check(&mut self.machine.terms, assumptions, &self.budget);
        self.counts.solver_seconds += started.elapsed().as_secs_f64();
        answer
    }

    /// Expands the threads that the reduction demands.
    fn expand(&mut self, node: NodeId) -> Result<(), Stop> {
        let required = self.required(node)?;
        if self.tree.is_closed(node) {
            return Ok(());
        }
        self.tree.nodes[node].is_expanded = true;
        // The queue is a stack: the thread that moved last goes on first.
        let last = self.tree.nodes[node].edge.as_ref().map(|edge| edge.thread);
        let (later, first): (Vec<u32>, Vec<u32>) = required.into_iter().rev().partition(|&thread| Some(thread) != last);
        for thread in later.into_iter().chain(first) {
            self.expand_thread(node, thread);
        }
        Ok(())
    }

    fn expand_thread(&mut self, node: NodeId, thread: u32) {
        let Position::Location(location) = self.tree.nodes[node].position else { return };
        if !self.tree.nodes[node].threads.insert(thread) {
            return;
        }
        let outcomes = self.machine.successors(location, thread);
        for index in 0..outcomes.len() {
            let edge = Edge { from: node, thread, outcomes: std::rc::Rc::clone(&outcomes), index };
            let position = match &outcomes[index].target {
                Target::Location(location) => Position::Location(*location),
                Target::Trouble(trouble) => Position::Trouble(trouble.clone()),
            };
            let child = self.tree.add(position, Some(edge));
            self.tree.enqueue(child);
        }
    }

    /// The steps along a path, and for each node after the first the number of steps up to it.
    pub(super) fn steps(&mut self, path: &[NodeId]) -> (Vec<Step>, Vec<usize>) {
        let mut steps = Vec::new();
        let mut ends = Vec::new();
        if path.first() == Some(&root()) {
            steps = self.machine.initial_steps();
        }
        for &node in &path[1..] {
            if let Some(edge) = self.tree.nodes[node].edge.clone() {
                steps.extend(self.machine.steps_of(edge.outcome()));
            }
            ends.push(steps.len());
        }
        (steps, ends)
    }

    /// Executes steps and checks their feasibility. If infeasible: the assumptions in the core.
    pub(super) fn exclude(&mut self, steps: &[Step]) -> Result<Option<FxHashSet<(usize, Term)>>, Stop> {
        let started = Instant::now();
        let mut execution = Execution::default();
        for (number, &step) in steps.iter().enumerate() {
            execution.take(&mut self.machine.terms, &mut self.unknowns, number, step);
        }
        self.counts.execution_seconds += started.elapsed().as_secs_f64();
        let facts: Vec<Term> = execution.facts.iter().map(|(_, _, fact)| *fact).collect();
        if self.check(&facts)? == Answer::Sat {
            return Ok(None);
        }
        let core = self.solver.core().to_vec();
        let core: FxHashSet<Term> = self.minimise(core)?.into_iter().collect();
        let needed = execution.facts.iter().filter(|(_, _, fact)| core.contains(fact));
        Ok(Some(needed.map(|(number, part, _)| (*number, *part)).collect()))
    }

    /// Minimises a core, with a solver that holds nothing else.
    fn minimise(&mut self, core: Vec<Term>) -> Result<Vec<Term>, Stop> {
        if core.len() <= 1 || core.len() > LARGEST_CORE {
            return Ok(core);
        }
        if let Some(known) = self.cores.get(&core) {
            return Ok(known.clone());
        }
        let started = Instant::now();
        let terms = &mut self.machine.terms;
        let is_core = self.core_solver.check(terms, &core, &self.budget)? == Answer::Unsat;
        let minimal = if is_core { self.core_solver.minimal_core(terms, &self.budget) } else { core.clone() };
        self.counts.core_seconds += started.elapsed().as_secs_f64();
        self.cores.insert(core, minimal.clone());
        Ok(minimal)
    }

    /// Whether a path goes round a loop of the whole program so often that its labels should be invariants.
    fn goes_round(&self, path: &[NodeId]) -> bool {
        self.comes_back(path, |location| location)
    }

    /// Whether a path often returns to a location with the same key.
    pub(super) fn comes_back<K: Eq + std::hash::Hash>(&self, path: &[NodeId], key: impl Fn(usize) -> K) -> bool {
        let mut visits: FxHashMap<K, u32> = FxHashMap::default();
        path.iter().any(|&node| match self.tree.nodes[node].position {
            Position::Location(location) => {
                let count = visits.entry(key(location)).or_default();
                *count += 1;
                *count > MAX_ROUNDS
            }
            Position::Trouble(_) => false,
        })
    }

    /// Interpolants between the parts of an infeasible path: weakest preconditions, which cost nothing, or the solver's
    /// where the path goes round a loop and weakest preconditions would diverge.
    pub(super) fn interpolate(
        &mut self,
        steps: &[Step],
        ends: &[usize],
        core: &FxHashSet<(usize, Term)>,
        is_round: bool,
    ) -> Result<Vec<Term>, Failure> {
        let is_round = is_round && self.patience.0 == 0;
        if !is_round {
            self.patience.0 = self.patience.0.saturating_sub(1);
            if let Some(labels) = self.preconditions(steps, core)? {
                return Ok(ends.iter().map(|&end| labels[end]).collect());
            }
            if self.track(steps, core) {
                // The search restarts.
                return Err(Failure::TooManyChecks);
            }
        }
        let sliced = slice(&mut self.machine.terms, steps, core, true);
        let mut counts = vec![0];
        for step in &sliced {
            counts.push(counts[counts.len() - 1] + usize::from(step.is_some()));
        }
        let kept: Vec<Step> = sliced.into_iter().flatten().collect();
        let started = Instant::now();
        let budget = self.budget.part(Part::AtMost(MAX_INTERPOLATION));
        let labels = self.interpolator.path(&mut self.machine.terms, &kept, &budget);
        self.counts.interpolation_seconds += started.elapsed().as_secs_f64();
        match labels {
            Ok(labels) => {
                self.counts.interpolations += 1;
                self.patience = (0, 0);
                Ok(ends.iter().map(|&end| labels[counts[end]]).collect())
            }
            Err(failure) => {
                self.budget.check()?;
                let longer = self.patience.1 * 2 + 1;
                self.patience = (longer, longer);
                let labels = if is_round { self.preconditions(steps, core)? } else { None };
                labels.map(|labels| ends.iter().map(|&end| labels[end]).collect()).ok_or(failure)
            }
        }
    }

    /// The weakest preconditions of the steps that a core needs.
    fn preconditions(&mut self, steps: &[Step], core: &FxHashSet<(usize, Term)>) -> Result<Option<Vec<Term>>, Stop> {
        let sliced = slice(&mut self.machine.terms, steps, core, false);
        let labels = preconditions(&mut self.machine.terms, &mut self.solver, &self.budget, &sliced)?;
        self.counts.preconditions += u64::from(labels.is_some());
        Ok(labels)
    }

    /// Checks whether a node's trouble is feasible, and if not, strengthens the labels on the path to exclude it.
    fn refine(&mut self, node: NodeId) -> Result<Refined, Stop> {
        self.counts.refinements += 1;
        let path = self.tree.path(None, node);
        let (steps, ends) = self.steps(&path);
        let Some(core) = self.exclude(&steps)? else { return Ok(Refined::Possible) };
        if self.is_loop(&path) && self.track(&steps, &core) || self.blame(&steps, &core) {
            // The search restarts.
            return Ok(Refined::Excluded);
        }
        let is_round = self.goes_round(&path);
        let labels = match self.interpolate(&steps, &ends, &core, is_round) {
            Ok(labels) => labels,
            Err(failure) => {
                self.budget.check()?;
                let detail = format!("no interpolants were found for a path that cannot be taken: {failure}");
                return Ok(Refined::Failed(Reason::new(ReasonKind::Imprecise, detail)));
            }
        };
        self.strengthen(&path[1..], &labels);
        // Nodes on the path may be covered now.
        for &node in &path[1..] {
            if self.tree.is_closed(node) {
                break;
            }
            if matches!(self.tree.nodes[node].position, Position::Location(_)) && self.close(node)? {
                break;
            }
        }
        Ok(Refined::Excluded)
    }

    /// Conjoins formulas to the labels of nodes.
    pub(super) fn strengthen(&mut self, nodes: &[NodeId], formulas: &[Term]) {
        for (&node, &formula) in nodes.iter().zip(formulas) {
            self.tree.strengthen(&self.machine.terms, node, formula);
            if self.interpolator.statistics().sequences < MAX_PREFERRED as u64 {
                for part in self.machine.terms.conjuncts(formula) {
                    if self.machine.terms.as_bool(part).is_none() {
                        self.interpolator.prefer(part);
                    }
                }
            }
        }
    }

    /// Forced covering: strengthens a node's label so that an older node covers it.
    fn force_cover(&mut self, node: NodeId) -> Result<bool, Stop> {
        for by in self.candidates(node, MAX_FORCED) {
            let Some(above) = self.tree.common(node, by) else { continue };
            if above == node || self.tree.nodes[by].label.is_empty() {
                continue;
            }
            let path = self.tree.path(Some(above), node);
            let label = self.tree.nodes[above].label.clone();
            let wanted = self.tree.nodes[by].label.clone();
            let whole = self.machine.terms.and(wanted);
            let negated = self.machine.terms.not(whole);
            let assumed = self.machine.terms.and(label);
            let (inner, inner_ends) = self.steps(&path);
            let offset = if above == root() { 0 } else { 1 };
            let mut steps = Vec::new();
            if offset == 1 {
                steps.push(Step::Assume(assumed));
            }
            steps.extend(inner);
            let ends: Vec<usize> = inner_ends.iter().map(|end| end + offset).collect();
            steps.push(Step::Assume(negated));
            let Some(core) = self.exclude(&steps)? else { continue };
            let mut labels = match self.interpolate(&steps, &ends, &core, false) {
                Ok(labels) => labels,
                Err(_) if self.machine.should_restart => return Ok(false),
                Err(_) => {
                    self.budget.check()?;
                    continue;
                }
            };
            if let Some(last) = labels.last_mut() {
                *last = self.machine.terms.and2(*last, whole);
            }
            self.strengthen(&path[1..], &labels);
            if self.tree.is_closed(node) {
                return Ok(true);
            }
            if self.tree.is_closed(by) {
                continue;
            }
            self.counts.forced_covers += 1;
            self.cover(node, by)?;
            if self.tree.nodes[node].covered_by.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reports statistics.
    pub(super) fn report(&self, stats: &mut Stats) {
        let counts = &self.counts;
        stats.add("nodes", self.tree.len() as f64);
        for (name, value) in [
            ("covers", counts.covers),
            ("forced_covers", counts.forced_covers),
            ("cover_expansions", counts.cover_expansions),
            ("implications_syntactic", counts.implications_syntactic),
            ("implications_cached", counts.implications_cached),
            ("implications_solved", counts.implications_solved),
            ("refinements", counts.refinements),
            ("preconditions", counts.preconditions),
            ("interpolations", counts.interpolations),
            ("skips", counts.skips),
            ("conditional_skips", counts.conditional_skips),
        ] {
            stats.add(name, value as f64);
        }
        stats.add("solver_ms", counts.solver_seconds * 1e3);
        stats.add("core_ms", counts.core_seconds * 1e3);
        stats.add("execution_ms", counts.execution_seconds * 1e3);
        stats.add("interpolation_ms", counts.interpolation_seconds * 1e3);
    }
}

/// The result of a refinement.
pub(super) enum Refined {
    /// Infeasible, and the labels say so.
    Excluded,
    /// Feasible.
    Possible,
    /// Infeasible, but no labels were found that say so.
    Failed(Reason),
}
