//! Who took it: variables that threads take and give back, as locks made of plain or atomic variables are, do not tell whose they
//! are, and then it is not provable thread by thread that only one thread has them. So each gets a companion, which holds the number
//! of the thread that changed it from what it was at the beginning, and 0 when it is that again. The program does not know companions: whatever
//! they hold, it does the same, and what is proved with them is proved.

use super::model::Model;
use smt::term::Node;
use smt::{Bits, Sort, Term};

/// A variable with a companion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Holder {
    /// Whether nobody has the variable.
    pub(crate) is_free: Term,
    /// The number of who has it.
    pub(crate) holder: Term,
}

/// More variables are not given companions.
const MOST: usize = 4;

/// Adds companions.
pub(super) fn add(model: &mut Model) {
    let owners = model.owners.clone();
    let candidates: Vec<(Term, Term)> =
        model.initial.iter().copied().filter(|(variable, _)| model.is_shared(*variable)).collect();
    for (variable, free) in candidates {
        if model.holders.len() >= MOST || owners.contains(&variable) || !is_taken_and_given_back(model, variable, free)
        {
            continue;
        }
        let zero = model.terms.bits(Bits::zero(super::model::NUMBER_WIDTH));
        let name = format!("holder of {}", model.terms.name(variable));
        let holder = model.terms.variable(name, Sort::Bits(super::model::NUMBER_WIDTH));
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

/// Whether threads change a variable between what it was at the beginning and other constants, and look at it when they do.
fn is_taken_and_given_back(model: &Model, variable: Term, free: Term) -> bool {
    let (mut takes, mut gives_back, mut looks) = (false, false, false);
    for step in model.steps.iter() {
        let Some(&(_, value)) = step.updates.iter().find(|(updated, _)| *updated == variable) else { continue };
        let Some(values) = constants(model, variable, value) else { return false };
        gives_back |= values.contains(&free);
        if values.iter().any(|&value| value != free) {
            takes = true;
            let values = step.updates.iter().map(|(_, value)| *value);
            let read: Vec<Term> = values.chain([step.guard]).collect();
            looks |= model.terms.variables(&read).contains(&variable);
        }
    }
    takes && gives_back && looks
}

/// The constants that a variable may be set to, if it is set to constants or keeps its value.
fn constants(model: &Model, variable: Term, value: Term) -> Option<Vec<Term>> {
    let (mut work, mut found) = (vec![value], Vec::new());
    while let Some(term) = work.pop() {
        match model.terms.node(term) {
            Node::Bits(_) => found.push(term),
            Node::Ite(_, then, otherwise) => work.extend([*then, *otherwise]),
            _ if term == variable => {}
            _ => return None,
        }
    }
    Some(found)
}
