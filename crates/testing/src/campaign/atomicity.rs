//! The law about named atomic regions. Random programs have few pairs of accesses that could be inferred to be one; where
//! whole functions are meant to be atomic, about every second one is violated.

use super::subject::Limits;
use check::{Options, Task, Verdict};
use ir::analysis::AtomicRegion;
use ir::{MemoryModel, Program, Property};

/// The bound of `staged`; the generator makes loops of two iterations.
const BOUND: u32 = 3;

/// An answer that another contradicts, or that cannot be confirmed.
pub(super) fn breach(program: &Program, seed: u64, limits: &Limits) -> Option<String> {
    let regions = regions(program, seed);
    if regions.is_empty() {
        return None;
    }
    let ask = |engine: &str, reduction: bool| {
        let budget = limits.budget(if reduction { limits.timeout } else { limits.slow_timeout });
        let bound = (engine == "staged").then_some(BOUND);
        let options = Options { reduction, bound, atomic_regions: regions.clone(), ..Options::default() };
        let task = Task { program, property: Property::Atomicity, model: MemoryModel::Sc, options, budget };
        let engine = plan::engine_named(engine)?;
        Some(plan::solve(&task, engine, false).outcome.verdict)
    };
    let verdicts = [("explore", true), ("explore", false), ("staged", true)].map(|(engine, reduction)| {
        let name = if reduction { engine.to_owned() } else { format!("{engine} without reduction") };
        (name, ask(engine, reduction))
    });
    let named: Vec<String> = regions.iter().map(ToString::to_string).collect();
    for (name, verdict) in &verdicts {
        if let Some(Verdict::Unknown(reasons)) = verdict {
            let defect = reasons.iter().find(|reason| reason.kind.is_defect());
            if let Some(defect) = defect {
                return Some(format!("{name}, {} atomic: {}", named.join(", "), defect.detail));
            }
        }
    }
    let who = |wanted: &str| {
        let is_it = |verdict: &Option<Verdict>| verdict.as_ref().is_some_and(|verdict| verdict.name() == wanted);
        verdicts.iter().find(|(_, verdict)| is_it(verdict)).map(|(name, _)| name)
    };
    let (safe, unsafe_) = (who("safe")?, who("unsafe")?);
    Some(format!("{} atomic: {safe} says safe, {unsafe_} says unsafe", named.join(", ")))
}

/// All of the user's functions but the first, or for every third program just one of them.
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
