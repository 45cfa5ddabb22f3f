//! A second encoder, which confirms the bounded proofs of the engines.
//!
//! A certificate of the solver covers a formula, not the translation from program to formula. So a bounded proof is repeated from the program itself,
//! in the simplest possible way: the paths of every thread are enumerated one by one ([`tree`]), every access is an event with a bit-vector clock,
//! and the axioms of sequential consistency are instantiated for every pair and triple of events ([`axioms`]). It shares no code with `engines`, on
//! which it does not depend, and uses no analysis: no merging, no pruning, no critical sections, no order theory. It is slow and meant for small
//! programs.
//!
//! Anything that it cannot express, or that exceeds its limits, is [`Answer::Unable`]: neither confirmed nor refuted. An execution that violates the
//! property, or reaches undefined behaviour or something that is not modelled, refutes the proof: such an execution should have been an `unsafe` or a
//! reason for `unknown`.
//!
//! Limits: `sc` only. A violation of `locks` or `memory` is undefined behaviour for every property, so it always refutes.

mod axioms;
mod deadlock;
mod evaluate;
mod loops;
mod memory;
mod races;
mod statements;
mod tree;

use base::Stats;
use check::{ReasonKind, Task};
use ir::Property;
use smt::term::value::Evaluation;
use smt::{Answer as Satisfiable, Terms};
use tree::{Knowledge, Tree};

/// The result of the second encoding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// No execution within the bound violates the property, and none leaves it.
    Confirmed,
    /// Some execution violates the property or leaves the bound.
    Refuted {
        /// The violation, as a sentence.
        what: String,
        /// Its events in order, one line each.
        execution: Vec<String>,
    },
    /// The encoder cannot decide, for this reason.
    Unable {
        /// Whether the bound is the obstacle, or something else.
        kind: ReasonKind,
        /// The reason, as a sentence.
        why: String,
    },
}

/// Decides a task up to a bound on iterations: the claim of a proof by unrolling.
pub fn confirm(task: &Task<'_>, iterations: u32, stats: &mut Stats) -> Answer {
    let unable = |kind: ReasonKind, why: &str| Answer::Unable { kind, why: why.to_owned() };
    if !task.model.is_sequentially_consistent() {
        return unable(ReasonKind::Unsupported, "only proofs under sc are confirmed this way");
    }
    if task.property == Property::Atomicity {
        return unable(ReasonKind::Unsupported, "the second encoder does not support atomicity");
    }
    let promised = if task.options.inputs.promised { task.options.inputs.values.clone() } else { None };
    let mut known = Knowledge::default();
    loop {
        let mut terms = Terms::new();
        let promised = promised.clone();
        let mut tree = Tree::build(task.program, task.property, promised, iterations, known, &mut terms, &task.budget);
        // Trees that exceeded the limits may have been large because of missing knowledge.
        let learnt = tree.learnt();
        if learnt != tree.known {
            if task.budget.check().is_err() {
                return unable(ReasonKind::Time, "the limits were reached");
            }
            known = learnt;
            continue;
        }
        if let Some(why) = &tree.stopped {
            return unable(ReasonKind::Memory, why);
        }
        stats.set("recheck_events", tree.events.len() as f64);
        return decide(task, &mut tree, stats);
    }
}

fn decide(task: &Task<'_>, tree: &mut Tree<'_>, stats: &mut Stats) -> Answer {
    // Gaps at which a path stops, and gaps that only all events together make.
    let mut gaps = std::mem::take(&mut tree.gaps);
    let Some(mut asserted) = tree.tell() else {
        let why = "there are too many pairs of accesses".to_owned();
        return Answer::Unable { kind: ReasonKind::Memory, why };
    };
    stats.set("recheck_instances", asserted.instances as f64);
    let late = std::mem::take(&mut tree.gaps);
    let stopped = |_| Answer::Unable { kind: ReasonKind::Time, why: "the limits were reached".to_owned() };
    // An execution with such a gap is meaningless. If the gap comes after the violation, the prefix up to the violation
    // is an execution without the gap.
    let any_gap = tree.terms.or(late.iter().map(|gap| gap.occurs).collect::<Vec<_>>());
    let no_gap = tree.terms.not(any_gap);
    gaps.extend(late);
    let violated = tree.terms.or(std::mem::take(&mut tree.violations));
    match asserted.solver.check(tree.terms, &[violated, no_gap], &task.budget).map_err(stopped) {
        Ok(Satisfiable::Sat) => {
            return Answer::Refuted {
                what: "an execution violates the property".to_owned(),
                execution: tell_execution(tree, &mut asserted),
            }
        }
        Ok(Satisfiable::Unsat) => {}
        Err(answer) => return answer,
    }
    let is_defect = |kind: ReasonKind| matches!(kind, ReasonKind::Undefined | ReasonKind::Unmodelled);
    // Unsupported constructs come first: past them nothing else is reliable.
    for defects in [false, true] {
        for gap in gaps.iter().filter(|gap| is_defect(gap.kind) == defects) {
            match asserted.solver.check(tree.terms, &[gap.occurs], &task.budget).map_err(stopped) {
                Ok(Satisfiable::Unsat) => {}
                Ok(Satisfiable::Sat) => {
                    let what = format!("{} ({})", gap.detail, task.program.place(gap.at));
                    return match defects {
                        false => Answer::Unable { kind: gap.kind, why: what },
                        true => Answer::Refuted {
                            what: format!("an execution reaches: {what}"),
                            execution: tell_execution(tree, &mut asserted),
                        },
                    };
                }
                Err(answer) => return answer,
            }
        }
    }
    Answer::Confirmed
}

/// The events that occur in a model, by their clocks.
fn tell_execution(tree: &Tree<'_>, asserted: &mut axioms::Asserted) -> Vec<String> {
    let model = asserted.solver.model(tree.terms).clone();
    let mut evaluation = Evaluation::new(tree.terms, &model);
    let mut lines = Vec::new();
    for (id, event) in tree.events.enumerate() {
        if !evaluation.is_true(event.occurs) {
            continue;
        }
        let clock = evaluation.bits(asserted.clocks[id]).to_u64().unwrap_or(0);
        let place = tree.program.place(event.at);
        let mut line = format!("thread {} {place}: {} #{}", event.thread + 1, event.what, axioms::event_number(id));
        if let Some(access) = event.access {
            let mut bits = |term| evaluation.bits(term).to_u128().unwrap_or(0);
            line += &format!(" of {} bytes at {}+{}", access.bytes, bits(access.place.object), bits(access.place.bits));
            if let Some(read) = access.read {
                let source = asserted.source(id, |choice| evaluation.is_true(choice)).flatten();
                let source = source.map_or("the start".to_owned(), |write| format!("#{}", axioms::event_number(write)));
                line += &format!(", reads {} from {source}", evaluation.bits(read.bits).to_u128().unwrap_or(0));
            }
            if let Some((condition, value)) = access.write {
                if evaluation.is_true(condition) {
                    line += &format!(", writes {}", evaluation.bits(value.bits).to_u128().unwrap_or(0));
                }
            }
        }
        lines.push((clock, line));
    }
    lines.sort();
    lines.into_iter().map(|(_, line)| line).collect()
}
