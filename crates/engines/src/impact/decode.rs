//! Decodes a feasible path into a run: the statements of its steps, with values for the inputs.

use super::path::Execution;
use super::search::Search;
use super::tree::{root, NodeId};
use base::Stop;
use ir::{Act, LocalId, Move};
use smt::interpolation::Step;
use smt::term::value::Evaluation;
use smt::{Answer, Term};
use std::collections::BTreeMap;

/// A statement, with terms over the inputs.
struct Draft {
    thread: u32,
    at: super::location::At,
    makes: Option<u32>,
    locals: Vec<(LocalId, Term)>,
    found: Option<Term>,
    fails: Option<Term>,
    is_early: bool,
    act: Act,
}

impl Search<'_, '_> {
    /// The run that leads to a node, if there is one.
    pub(super) fn decode(&mut self, node: NodeId) -> Result<Option<Vec<Move>>, Stop> {
        let path = self.tree.path(Some(root()), node);
        let mut execution = Execution::default();
        let mut number = 0;
        for step in self.machine.initial_steps() {
            execution.take(&mut self.machine.terms, &mut self.unknowns, number, step);
            number += 1;
        }
        let mut drafts: Vec<Draft> = Vec::new();
        // The moves of the stores in each thread's buffer.
        let mut buffers: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for &node in &path[1..] {
            let Some(edge) = self.tree.nodes[node].edge.clone() else { continue };
            let steps = self.machine.steps_of(edge.outcome());
            let inputs = steps.iter().take_while(|step| matches!(step, Step::Havoc(_))).count();
            for &step in &steps[..inputs] {
                execution.take(&mut self.machine.terms, &mut self.unknowns, number, step);
            }
            let terms = &mut self.machine.terms;
            for part in &edge.outcome().parts {
                let thread = part.by.unwrap_or(edge.thread);
                let buffer = buffers.entry(thread).or_default();
                if part.drains {
                    buffer.clear();
                }
                let act = match part.flushes {
                    Some(position) if position < buffer.len() => Act::Flush(buffer.remove(position)),
                    Some(_) | None => Act::Step,
                };
                if part.is_buffered {
                    buffer.push(drafts.len());
                }
                let locals = part.locals.iter().map(|&(local, term)| (local, execution.value(terms, term))).collect();
                drafts.push(Draft {
                    thread,
                    at: part.at,
                    makes: part.makes,
                    locals,
                    found: part.found.map(|term| execution.value(terms, term)),
                    fails: part.fails.map(|term| execution.value(terms, term)),
                    is_early: part.is_early,
                    act,
                });
            }
            for &step in &steps[inputs..] {
                execution.take(&mut self.machine.terms, &mut self.unknowns, number, step);
            }
            number += 1;
        }
        let facts: Vec<Term> = execution.facts.iter().map(|(_, _, fact)| *fact).collect();
        if self.check(&facts)? == Answer::Unsat {
            return Ok(None);
        }
        let terms = &self.machine.terms;
        let model = self.solver.model(terms).clone();
        let mut evaluation = Evaluation::new(terms, &model);
        let mut bits = |term: Term| evaluation.bits(term).to_u128().unwrap_or(0);
        let mut moves = Vec::new();
        for draft in drafts {
            moves.push(Move {
                thread: draft.thread - 1,
                act: draft.act,
                at: draft.at,
                makes: draft.makes.map(|number| number - 1),
                locals: draft.locals.iter().map(|&(local, term)| (local, bits(term))).collect(),
                found: draft.found.map(&mut bits),
                fails: draft.fails.is_some_and(|term| bits(term) != 0),
                wakes: draft.is_early,
                reads: None,
                follows: None,
            });
        }
        Ok(Some(moves))
    }
}
