//! Who was first: variables that threads take and give back, as locks made of plain or atomic variables are, do not tell whose they
//! are, and then it is not provable thread by thread that only one thread has them. So each gets a companion, which holds the number
//! of the thread that changed it from what it was at the beginning, and 0 when it is that again. The same helps with counters of
//! which only the first who counts does something. The program does not know companions: whatever they hold, it does the
//! same, and what is proved with them is proved.

use super::model::{Model, NUMBER_WIDTH};
use smt::term::Node;
use smt::{Bits, Sort, Term};

/// A variable with a companion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Holder {
    /// Whether the variable is what it was at the beginning.
    pub(crate) is_free: Term,
    /// The number of who changed it.
    pub(crate) holder: Term,
}

/// More variables are not given companions.
const MAX: usize = 4;

/// How a variable changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// To constants.
    Lock,
    /// By constants.
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

/// How threads change a variable, if they look at it when they do, and it is not set to anything else.
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
