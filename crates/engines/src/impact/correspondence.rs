//! Definitions 4.4 to 4.7 of the paper as an experiment: in a finished tree, every feasible monotonic path of the
//! program has a corresponding path, which continues at the covering node wherever it reaches a covered one.
//!
//! Paths are enumerated from the program's steps without looking at the tree: a path is monotonic if no thread with a
//! smaller number than the previous one makes a step that is independent of the previous step in the state where it is
//! taken. Not part of a proof; for tests on small programs.

use super::machine::{Outcome, Target};
use super::path::Execution;
use super::reduce::{meets, overlap, Meets};
use super::search::Search;
use super::tree::{root, NodeId, Position};
use base::Stop;
use smt::{Answer, Term};
use std::rc::Rc;

/// A path that has been followed.
struct Path {
    node: NodeId,
    now: Execution,
    /// The last step, and the path before it.
    last: Option<(u32, Rc<Vec<Outcome>>, usize, Execution)>,
    length: usize,
}

fn facts(execution: &Execution) -> Vec<Term> {
    execution.facts.iter().map(|(_, _, fact)| *fact).collect()
}

impl Search<'_, '_> {
    /// Follows up to `most` monotonic paths, of at most a given length, in the tree. Returns their number, or a path
    /// that the tree lacks.
    pub(super) fn follow_monotonic(&mut self, longest: usize, most: u64) -> Result<Result<u64, String>, Stop> {
        let mut start = Execution::default();
        for step in self.machine.initial_steps() {
            start.take(&mut self.machine.terms, &mut self.unknowns, 0, step);
        }
        let mut work = vec![Path { node: root(), now: start, last: None, length: 0 }];
        let mut count = 0;
        while let Some(path) = work.pop() {
            self.budget.check()?;
            count += 1;
            if path.length >= longest {
                continue;
            }
            if count >= most {
                break;
            }
            match self.follow_further(&path)? {
                Ok(next) => work.extend(next),
                Err(missing) => return Ok(Err(missing)),
            }
        }
        Ok(Ok(count))
    }

    /// All extensions of a path by one step.
    fn follow_further(&mut self, path: &Path) -> Result<Result<Vec<Path>, String>, Stop> {
        let mut node = path.node;
        while let Some(by) = self.tree.nodes[node].covered_by {
            node = by;
        }
        let Position::Location(location) = self.tree.nodes[node].position else { return Ok(Ok(vec![])) };
        let mut next = Vec::new();
        for thread in self.machine.movers(location) {
            let outcomes = self.machine.successors(location, thread);
            for index in 0..outcomes.len() {
                let mut now = path.now.clone();
                for step in self.machine.steps_of(&outcomes[index]) {
                    now.take(&mut self.machine.terms, &mut self.unknowns, 0, step);
                }
                if self.check(&facts(&now))? == Answer::Unsat || !self.is_monotonic(path, thread, &outcomes[index])? {
                    continue;
                }
                let is_child = |child: &NodeId| {
                    self.tree.nodes[*child]
                        .edge
                        .as_ref()
                        .is_some_and(|edge| (edge.thread, edge.index) == (thread, index))
                };
                let child = self.tree.nodes[node].children.iter().copied().find(is_child);
                match child {
                    Some(child) if self.tree.nodes[child].is_false => {
                        return Ok(Err(format!("{child} can be reached, and its label is false")));
                    }
                    Some(_) if matches!(outcomes[index].target, Target::Trouble(_)) => {
                        return Ok(Err(format!("trouble after {node} can be reached")));
                    }
                    Some(child) => {
                        let last = Some((thread, Rc::clone(&outcomes), index, path.now.clone()));
                        next.push(Path { node: child, now, last, length: path.length + 1 });
                    }
                    None => {
                        let length = path.length;
                        return Ok(Err(format!("after {length} steps, at {node}, thread {thread} has no step")));
                    }
                }
            }
        }
        Ok(Ok(next))
    }

    /// Whether a monotonic path stays monotonic with this step.
    fn is_monotonic(&mut self, path: &Path, thread: u32, outcome: &Outcome) -> Result<bool, Stop> {
        let Some((last, outcomes, index, before)) = &path.last else { return Ok(true) };
        if thread >= *last {
            return Ok(true);
        }
        let pairs = match meets(&self.machine.terms, (*last, &outcomes[*index]), (thread, outcome)) {
            Meets::Never => return Ok(false),
            Meets::Always => return Ok(true),
            Meets::If(pairs) => pairs,
        };
        for (earlier, later) in pairs {
            let first = before.value(&mut self.machine.terms, earlier.offset);
            let second = path.now.value(&mut self.machine.terms, later.offset);
            let mut all = facts(&path.now);
            all.push(overlap(self.machine, (first, earlier.bytes), (second, later.bytes)));
            if self.check(&all)? == Answer::Sat {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
