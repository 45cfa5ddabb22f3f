//! The laws about variants: other memory models, one more fence, threads created in another order.

use super::laws::{Answers, Check, Law, Question, Subject};
use super::subject::{self, Answer};
use crate::programs::ast::{self, Place, Stmt};
use crate::programs::rng::Rng;
use ir::{MemoryModel, Order, Property};

/// Pairs of models of which the first is stronger.
const STRONGER: [(MemoryModel, MemoryModel); 3] =
    [(MemoryModel::Sc, MemoryModel::Tso), (MemoryModel::Tso, MemoryModel::Pso), (MemoryModel::Tso, MemoryModel::Ra)];

/// A weaker model allows the outcomes of a stronger one.
pub(super) fn models(subject: &Subject<'_>) -> Vec<(Question, Check)> {
    let is_comparable =
        |(_, weaker): &(MemoryModel, MemoryModel)| !weaker.has_views() || is_tso_within_ra(subject.source);
    let answer = |property: Property, model: MemoryModel| subject.answers.0.get(&(property, model));
    let mut found = Vec::new();
    for (stronger, weaker) in STRONGER.into_iter().filter(is_comparable) {
        for property in Property::ALL {
            let (Some(first), Some(second)) = (answer(property, stronger), answer(property, weaker)) else { continue };
            let broken = match (first, second) {
                (Answer::Violated(_, violation), Answer::Safe) => {
                    Some(format!("violated under {stronger} ({}), safe under {weaker}", violation.message()))
                }
                _ => None,
            };
            found.push(((weaker, property), Check::new(broken, first.is_known() && second.is_known())));
        }
    }
    found
}

/// Whether everything that this program does under tso must be possible under ra. Under ra a seq_cst load is preceded
/// by a fence, under tso only a seq_cst store is followed by one: a weaker store before a seq_cst load can be delayed
/// under tso and not under ra.
pub fn is_tso_within_ra(program: &ast::Program) -> bool {
    let mut seq_cst_load = false;
    let mut weak_store = false;
    let mut read = |place: &Place, order: Order| seq_cst_load |= program.effective(place, order) == Order::SeqCst;
    program.for_each(&mut |stmt| match stmt {
        Stmt::Load { place, order, .. } | Stmt::Spin { place, order, .. } => read(place, *order),
        Stmt::Wait { until: Some((place, _)), .. } | Stmt::Increment { place } => read(place, Order::Plain),
        Stmt::Store { place, order, .. } => weak_store |= program.effective(place, *order) != Order::SeqCst,
        _ => {}
    });
    program
        .outcome
        .iter()
        .for_each(|(place, _)| seq_cst_load |= program.effective(place, Order::Plain) == Order::SeqCst);
    weak_store |= program.any(|stmt| matches!(stmt, Stmt::Increment { .. } | Stmt::Point { .. }));
    weak_store |= program.threads.iter().any(|thread| thread.result.is_some());
    !(seq_cst_load && weak_store)
}

/// Compares the answers about a variant of the program with those about the program.
pub(super) fn compared(law: Law, subject: &Subject<'_>) -> Vec<(Question, Check)> {
    let variant = match law {
        Law::Fence => with_fence(subject.source, subject.seed),
        _ => reversed(subject.source),
    };
    let Some(variant) = variant else { return Vec::new() };
    let answers = match subject::load(&variant) {
        Ok(program) => Answers::of(&program, subject.limits),
        Err(message) => return all_broken(subject, &format!("the variant does not load: {message}")),
    };
    let check = |(key @ &(property, model), answer): (&(Property, MemoryModel), &Answer)| {
        let other = &answers.0[key];
        let broken = match (law, answer, other) {
            (Law::Fence, Answer::Safe, Answer::Violated(_, violation)) => {
                Some(format!("safe, but violated with one fence more ({})", violation.message()))
            }
            (Law::ThreadOrder, Answer::Safe, Answer::Violated(_, violation))
            | (Law::ThreadOrder, Answer::Violated(_, violation), Answer::Safe) => Some(format!(
                "violated ({}) in one order of creating the threads, safe in the other",
                violation.message()
            )),
            _ => None,
        };
        ((model, property), Check::new(broken, answer.is_known() && other.is_known()))
    };
    subject.answers.0.iter().map(check).collect()
}

fn all_broken(subject: &Subject<'_>, detail: &str) -> Vec<(Question, Check)> {
    let broken = |&(property, model): &(Property, MemoryModel)| ((model, property), Check::Broken(detail.to_owned()));
    subject.answers.0.keys().map(broken).collect()
}

/// The program with a full fence before one of its statements.
fn with_fence(program: &ast::Program, seed: u64) -> Option<ast::Program> {
    let mut variant = program.clone();
    let count = variant.count();
    if count == 0 {
        return None;
    }
    let number = Rng::new(seed).below(count);
    variant.edit(number, |body, index| body.insert(index, Stmt::Fence(Order::SeqCst)));
    Some(variant)
}

/// The program with its threads created in reverse order.
fn reversed(program: &ast::Program) -> Option<ast::Program> {
    let count = program.threads.len();
    if count < 2 {
        return None;
    }
    let mut variant = program.clone();
    variant.threads.reverse();
    for (place, _) in &mut variant.outcome {
        if let Place::Result(thread) = place {
            *thread = count - 1 - *thread;
        }
    }
    Some(variant)
}
