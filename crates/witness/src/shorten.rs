//! Shorter runs to the same violation. The dependences between the steps of a run are computed (the preceding step of the
//! thread, conflicting accesses, locks, threads); steps that the violation does not depend on are left out, and the rest is
//! reordered with the fewest context switches: a breadth-first search in which a thread always runs as far as it can, which
//! loses nothing, since no step disables another. Then whole threads are left out, and turns of one thread are joined even if
//! the dependences forbid it. A better run, by context switches of the story, then rows, then steps, is kept if its replay
//! violates the same property at the same statement; so correctness does not depend on the reasoning above.
//!
//! The effort is counted in steps of the interpreter, so the result is deterministic. Runs that need other inputs, other
//! values read or other paths through the program are not looked for.

use crate::dependence::Dependence;
use crate::sources::Sources;
use crate::story::Story;
use crate::teller::Teller;
use base::Budget;
use check::Counterexample;
use interp::{Machine, RunEnd};
use ir::{EdgeId, FunctionId, Program, Property, Schedule, ScheduleStep, Violation};
use std::collections::{BTreeMap, BTreeSet};

/// The limit on interpreter steps of the search: a fifth of a second at most on a current machine.
const EFFORT: usize = 150_000;
/// Maximum number of orders tried with equally many turns.
const MAX_ORDERS: usize = 6;
/// Limits of the search for an order.
const MAX_NODES: usize = 4_000;
const MAX_ADVANCES: usize = 400_000;

/// A replayed run.
struct Candidate {
    steps: Vec<ScheduleStep>,
    violation: Violation,
    story: Story,
}

impl Candidate {
    fn cost(&self) -> (usize, usize, usize) {
        (self.story.context_switches, self.story.steps.len(), self.steps.len())
    }
}

/// The shortest run found to the same violation, and its story.
pub(crate) fn shortest(
    program: &Program,
    machine: &Machine<'_>,
    counterexample: &Counterexample,
    sources: &Sources,
    budget: &Budget,
) -> Result<(Counterexample, Story), String> {
    let Schedule { model, property, steps } = &counterexample.schedule;
    let tell = |steps: Vec<ScheduleStep>| {
        let mut teller = Teller::new(program, sources, *model, *property);
        match interp::replay(machine, &steps, Some(&mut teller)) {
            Ok(RunEnd::Violation(violation)) => {
                let story = teller.finish(Some(&violation));
                Ok(Candidate { steps, violation, story })
            }
            Ok(_) => Err("the run ends without a violation".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    };
    let mut best = tell(steps.clone())?;
    let mut effort = EFFORT;
    'search: while let Some(search) = Search::new(machine, &best, &mut effort) {
        for order in search.candidates() {
            if order.len() > effort || budget.check().is_err() {
                break 'search;
            }
            effort -= order.len();
            let candidate: Vec<ScheduleStep> = order.iter().map(|index| best.steps[*index].clone()).collect();
            match tell(candidate) {
                Ok(candidate) if candidate.cost() < best.cost() && is_same(&candidate.violation, &best.violation) => {
                    best = candidate;
                    continue 'search;
                }
                Ok(_) | Err(_) => {}
            }
        }
        break;
    }
    let schedule = Schedule { model: *model, property: *property, steps: best.steps };
    Ok((Counterexample { schedule, violation: best.violation }, best.story))
}

fn is_same(one: &Violation, other: &Violation) -> bool {
    let partner = |violation: &Violation| violation.other.map(|(_, function, edge)| (function, edge));
    let is_first_same = one.first == other.first;
    one.property() == other.property() && one.at == other.at && partner(one) == partner(other) && is_first_same
}

/// A run whose steps are reordered. Orders are lists of indices of its steps.
struct Search {
    dependence: Dependence,
    /// Steps that the violation needs whatever they depend on.
    roots: Vec<usize>,
    /// The violating step, which has to come last; a deadlock has none.
    last: Option<usize>,
}

impl Search {
    /// `None` if the remaining effort does not suffice.
    fn new(machine: &Machine<'_>, run: &Candidate, effort: &mut usize) -> Option<Search> {
        let length = run.steps.len();
        // One replay for the dependences, and at least one more.
        *effort = effort.checked_sub(2 * length).filter(|left| *left >= length)?;
        let dependence = Dependence::of(machine, &run.steps)?;
        let last = (run.violation.property() != Property::Deadlock).then(|| length.checked_sub(1)).flatten();
        let last_of = |before: usize, thread: u32, at: (FunctionId, EdgeId)| {
            let is_it = |step: &usize| run.steps[*step].thread == thread && dependence.statements[*step].contains(&at);
            (0..before).rev().find(is_it)
        };
        let Violation { thread, first, other, .. } = &run.violation;
        let partner = other.and_then(|(thread, function, edge)| last_of(length, thread, (function, edge)));
        // The first of two accesses meant to be atomic precedes the one between them.
        let first = first.zip(*thread).and_then(|(at, thread)| last_of(partner.unwrap_or(length), thread, at));
        let roots = match last {
            Some(last) => first.into_iter().chain(partner).chain([last]).collect(),
            None => (0..length).collect(),
        };
        Some(Search { dependence, roots, last })
    }

    /// Other orders of all or some steps of the run, the most promising first.
    fn candidates(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        let needed = self.dependence.closure(&self.roots);
        let all: BTreeSet<usize> = (0..self.dependence.threads.len()).collect();
        let threads: BTreeSet<u32> = needed.iter().map(|step| self.dependence.threads[*step]).collect();
        let own = self.last.map(|last| self.dependence.threads[last]);
        let fewer = threads.into_iter().filter(move |thread| self.last.is_some() && Some(*thread) != own);
        let without = {
            let needed = needed.clone();
            move |thread: u32| {
                let rest = needed.iter().copied().filter(|step| self.dependence.threads[*step] != thread);
                self.orders(&rest.collect(), 1)
            }
        };
        let moves = self.joined_turns(needed.iter().copied().collect());
        self.orders(&needed, MAX_ORDERS)
            .into_iter()
            .chain(std::iter::once(all).flat_map(|all| self.orders(&all, MAX_ORDERS)))
            .chain(fewer.flat_map(without))
            .chain(moves)
            .filter(|order| order.iter().enumerate().any(|(index, step)| index != *step) || order.len() < self.len())
    }

    fn len(&self) -> usize {
        self.dependence.threads.len()
    }

    /// For each turn of a thread and its next turn, the two orders that join them: at the earlier or at the later place.
    fn joined_turns(&self, steps: Vec<usize>) -> impl Iterator<Item = Vec<usize>> + '_ {
        let mut turns: Vec<(u32, Vec<usize>)> = Vec::new();
        for step in steps {
            let thread = self.dependence.threads[step];
            match turns.last_mut() {
                Some((last, turn)) if *last == thread => turn.push(step),
                _ => turns.push((thread, vec![step])),
            }
        }
        let pairs: Vec<(usize, usize)> = (0..turns.len())
            .filter_map(|first| {
                let next = (first + 1..turns.len()).find(|next| turns[*next].0 == turns[first].0)?;
                Some((first, next))
            })
            .collect();
        pairs.into_iter().flat_map(move |(first, next)| {
            let moved = |earlier: bool| -> Vec<usize> {
                let mut order: Vec<usize> = (0..turns.len()).filter(|turn| *turn != first && *turn != next).collect();
                let at = if earlier { first } else { next - 1 };
                order.splice(at..at, [first, next]);
                order.iter().flat_map(|turn| turns[*turn].1.iter().copied()).collect()
            };
            [moved(true), moved(false)]
        })
    }

    /// Orders of these steps that respect the dependences, with the fewest turns; empty if that takes too long.
    fn orders(&self, steps: &BTreeSet<usize>, most: usize) -> Vec<Vec<usize>> {
        Arrangement::new(&self.dependence, steps, self.last).orders(most)
    }
}

/// The position of each thread.
type Positions = Vec<usize>;

/// A turn of a thread in the search for an order.
struct Node {
    positions: Positions,
    /// The preceding node, the thread that moved, and its position before.
    origin: Option<(usize, usize, usize)>,
}

/// The steps of some threads, to be ordered.
struct Arrangement {
    /// The steps of each thread.
    lines: Vec<Vec<usize>>,
    /// For each step of each thread, the positions that other threads must have reached.
    needs: Vec<Vec<Vec<(usize, usize)>>>,
    /// Whether a context switch may follow a step.
    may_stop: Vec<Vec<bool>>,
}

impl Arrangement {
    fn new(dependence: &Dependence, steps: &BTreeSet<usize>, last: Option<usize>) -> Arrangement {
        let mut lines: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for step in steps {
            lines.entry(dependence.threads[*step]).or_default().push(*step);
        }
        let lines: Vec<Vec<usize>> = lines.into_values().collect();
        let mut place: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for (thread, line) in lines.iter().enumerate() {
            place.extend(line.iter().enumerate().map(|(position, step)| (*step, (thread, position))));
        }
        let ends: Vec<(usize, usize)> = lines.iter().enumerate().map(|(thread, line)| (thread, line.len())).collect();
        let needs_of = |thread: usize, step: usize| -> Vec<(usize, usize)> {
            if Some(step) == last {
                return ends.iter().copied().filter(|(other, _)| *other != thread).collect();
            }
            let places = dependence.needs[step].iter().filter_map(|need| place.get(need));
            places.filter(|(other, _)| *other != thread).map(|(other, position)| (*other, position + 1)).collect()
        };
        let needs = lines
            .iter()
            .enumerate()
            .map(|(thread, line)| line.iter().map(|step| needs_of(thread, *step)).collect())
            .collect();
        let may_stop = lines.iter().map(|line| line.iter().map(|step| !dependence.in_region[*step]).collect());
        Arrangement { may_stop: may_stop.collect(), needs, lines }
    }

    fn orders(&self, most: usize) -> Vec<Vec<usize>> {
        let start: Positions = vec![0; self.lines.len()];
        let mut seen: BTreeSet<Positions> = BTreeSet::from([start.clone()]);
        let mut nodes = vec![Node { positions: start, origin: None }];
        let mut level = 0..1;
        let mut advances = 0;
        while !level.is_empty() {
            let mut goals: Vec<usize> = Vec::new();
            for parent in level.clone() {
                for thread in 0..self.lines.len() {
                    let mut positions = nodes[parent].positions.clone();
                    let from = positions[thread];
                    let Some(to) = self.run(&positions, thread) else { continue };
                    advances += to - from + 1;
                    positions[thread] = to;
                    if nodes.len() >= MAX_NODES || advances > MAX_ADVANCES {
                        return Vec::new();
                    }
                    let is_goal = positions.iter().zip(&self.lines).all(|(position, line)| *position == line.len());
                    if is_goal {
                        goals.push(nodes.len());
                    } else if !seen.insert(positions.clone()) {
                        continue;
                    }
                    nodes.push(Node { positions, origin: Some((parent, thread, from)) });
                }
            }
            if !goals.is_empty() {
                return goals.into_iter().take(most).map(|goal| self.order(&nodes, goal)).collect();
            }
            level = level.end..nodes.len();
        }
        Vec::new()
    }

    /// How far a thread gets; `None` if it cannot move, or would have to stop where it must not.
    fn run(&self, positions: &Positions, thread: usize) -> Option<usize> {
        let from = positions[thread];
        let needs = &self.needs[thread];
        let is_ready = |at: usize| needs[at].iter().all(|(other, position)| positions[*other] >= *position);
        let mut at = from;
        while at < needs.len() && is_ready(at) {
            at += 1;
        }
        let may_stop = at == needs.len() || at > from && self.may_stop[thread][at - 1];
        (at > from && may_stop).then_some(at)
    }

    /// The steps on the way to a node.
    fn order(&self, nodes: &[Node], goal: usize) -> Vec<usize> {
        let mut turns: Vec<&[usize]> = Vec::new();
        let mut at = goal;
        while let Some((parent, thread, from)) = nodes[at].origin {
            turns.push(&self.lines[thread][from..nodes[at].positions[thread]]);
            at = parent;
        }
        turns.into_iter().rev().flatten().copied().collect()
    }
}
