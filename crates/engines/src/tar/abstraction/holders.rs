//! Ghost owners (companions): variables that threads use as locks, plain or atomic, do not record their owner, so
//! mutual exclusion cannot be proved thread by thread. Each such variable gets a companion, which holds the number of
//! the thread that changed it from its initial value, and 0 when it has that value again. The same helps with counters
//! of which only the first incrementing thread does something. The program never reads companions: its behaviour is the
//! same whatever they hold, so what is proved with them holds.

use super::model::{Model, NUMBER_WIDTH};
use smt::term::Node;
use smt::{Bits, Sort, Term};

/// A variable with a companion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Holder {
    /// Whether the variable has its initial value.
    pub(crate) is_free: Term,
    /// The number of the thread that changed it.
    pub(crate) holder: Term,
}

/// Maximum number of variables with companions.
const MAX: usize = 4;

/// How threads change a variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// Set to constants.
    Lock,
    /// Incremented by constants.
    Counter,
}

/// Adds companions.
pub(super) fn add(model: &mut Model) {
    let is_candidate = |(variable, _): &(Term, Term)| model.is_shared(*variable) && !model.owners.contains(variable);
    let candidates = model.initial.iter().copied().filter(is_candidate);
    let mut taken: Vec<(Kind, Term, Term)> =
        candidates.filter_map(|(variable, free)| Some((kind(model, variable)?, variable, free))).collect();
    taken.sort_by_key(|&(kind, _, _)| kind);
    for (_, variable, free) in taken.into_iter().take(MAX) {
        let zero = model.terms.bits(Bits::zero(NUMBER_WIDTH));
        let name = format!("holder of {}", model.terms.name(variable));
        let holder = model.terms.variable(name, Sort::Bits(NUMBER_WIDTH));
        model.shared.push(holder);
        model.initial.push((holder, zero));
        let is_free = model.terms.eq(variable, free);
        for id in model.steps.ids().collect::<Vec<_>>() {
            let step = &model.steps[id];
            let number = model.templates[model.nodes[step.from].template].number;
            let Some(&(_, value)) = step.updates.iter().find(|(updated, _)| *updated == variable) else { continue };
            let gives_back = model.terms.eq(value, free);
            let taken = model.terms.ite(is_free, number, holder);
            let value = model.terms.ite(gives_back, zero, taken);
            model.steps[id].updates.push((holder, value));
        }
        model.holders.push(Holder { is_free, holder });
    }
}

/// How threads change a variable, if they test it when they do, and it is changed in no other way.
fn kind(model: &Model, variable: Term) -> Option<Kind> {
    let (mut kind, mut looks) = (Kind::Lock, false);
    for step in model.steps.iter() {
        let Some(&(_, value)) = step.updates.iter().find(|(updated, _)| *updated == variable) else { continue };
        kind = kind.max(change(model, variable, value)?);
        let values = step.updates.iter().map(|(_, value)| *value);
        let read: Vec<Term> = values.chain([step.guard]).collect();
        looks |= model.terms.variables(&read).contains(&variable);
    }
    looks.then_some(kind)
}

/// How one step changes a variable.
fn change(model: &Model, variable: Term, value: Term) -> Option<Kind> {
    let (mut work, mut kind) = (vec![value], Kind::Lock);
    while let Some(term) = work.pop() {
        match model.terms.node(term) {
            Node::Bits(_) => {}
            Node::Ite(_, then, otherwise) => work.extend([*then, *otherwise]),
            Node::Sum(_, parts) if matches!(&**parts, [(factor, part)] if factor.is_one() && *part == variable) => {
                kind = Kind::Counter;
            }
            _ if term == variable => {}
            _ => return None,
        }
    }
    Some(kind)
}
