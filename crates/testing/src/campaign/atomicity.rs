//! The law about named atomic regions. Random programs have few inferable pairs of atomic accesses; if whole functions
//! are meant to be atomic, about every second program violates that.

use super::engines::STAGED_BOUND;
use super::laws::{Check, Question, Subject};
use check::{Options, Verdict};
use ir::analysis::AtomicRegion;
use ir::{MemoryModel, Program, Property};

/// Answers that contradict each other, or that cannot be confirmed.
pub(super) fn check(subject: &Subject<'_>, question: Question) -> Check {
    let regions = regions(subject.program, subject.seed);
    if question != (MemoryModel::Sc, Property::Atomicity) || regions.is_empty() {
        return Check::Unasked;
    }
    let ask = |name: &str, reduction: bool| {
        let limits = subject.limits;
        let bound = (name == "staged").then_some(STAGED_BOUND);
        let options = Options { bound, atomic_regions: regions.clone(), ..Options::default() };
        let options = options.with(plan::explore::Options { reduction, max_depth: None });
        let mut task = subject.task(question, options);
        task.budget = limits.budget(if reduction { limits.timeout } else { limits.slow_timeout });
        let engine = plan::engine_named(name).expect("the engine should exist");
        plan::solve(&task, engine, false).outcome.verdict
    };
    let verdicts = [("explore", true), ("explore", false), ("staged", true)].map(|(engine, reduction)| {
        let name = if reduction { engine.to_owned() } else { format!("{engine} without reduction") };
        (name, ask(engine, reduction))
    });
    let named: Vec<String> = regions.iter().map(ToString::to_string).collect();
    for (name, verdict) in &verdicts {
        if let Verdict::Unknown(reasons) = verdict {
            if let Some(defect) = reasons.iter().find(|reason| reason.kind.is_defect()) {
                return Check::Broken(format!("{name}, {} atomic: {}", named.join(", "), defect.detail));
            }
        }
    }
    let who = |wanted: &str| verdicts.iter().find(|(_, verdict)| verdict.name() == wanted).map(|(name, _)| name);
    let broken = match (who("safe"), who("unsafe")) {
        (Some(safe), Some(unsafe_)) => {
            Some(format!("{} atomic: {safe} says safe, {unsafe_} says unsafe", named.join(", ")))
        }
        _ => None,
    };
    Check::new(broken, verdicts.iter().filter(|(_, verdict)| verdict.is_decided()).count() >= 2)
}

/// All user functions but the first, or for every third program just one of them.
fn regions(program: &Program, seed: u64) -> Vec<AtomicRegion> {
    let is_meant =
        |(id, function): &(ir::FunctionId, &ir::Function)| *id != program.entry && program.is_users(function.span);
    let all: Vec<AtomicRegion> = program
        .functions
        .enumerate()
        .filter(is_meant)
        .map(|(_, function)| AtomicRegion::Function(function.name.clone()))
        .collect();
    if all.is_empty() || !seed.is_multiple_of(3) {
        return all;
    }
    vec![all[(seed / 3) as usize % all.len()].clone()]
}
