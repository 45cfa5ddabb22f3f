//! The law about facts that engines exchange: each fact is true of every run that exploration knows, and using it
//! changes no answer.

use super::engines::{against, STAGED_BOUND};
use super::laws::{Check, Question, Subject};
use super::subject::{self, Answer, Limits};
use check::{Engine, Facts, Options, Verdict};
use engines::tar::{self, Algorithm};
use interp::{ExploreOptions, Explored};
use ir::{Expr, MemoryModel, Program, Property, Stmt};

/// Facts that are not true, or answers that change with facts. Proved facts are added to `all`.
pub(super) fn check(subject: &Subject<'_>, question: Question, answer: &Answer, all: &mut [u64; 3]) -> Check {
    if !matches!(question.1, Property::Unreach | Property::Race) {
        return Check::Unasked;
    }
    let mut facts = Facts::default();
    let engines: [&dyn Engine; 2] = [&engines::Tar, &engines::Priori];
    for engine in engines {
        let tar = tar::Options { algorithm: Algorithm::Facts, ..tar::Options::default() };
        let options = Options { strengthen_relaxed: true, ..Options::default() }.with(tar);
        let outcome = engine.run(&subject.task(question, options), &plan::TakingTurns);
        if let Some(detail) = denied(subject.program, question, &outcome.facts, subject.limits) {
            return Check::Broken(format!("{}: {detail}", engine.name()));
        }
        facts.extend(&outcome.facts);
    }
    let counts = [facts.holds.len(), facts.race_free.len(), facts.unreached.len()];
    all.iter_mut().zip(counts).for_each(|(all, count)| *all += count as u64);
    if counts == [0; 3] {
        return Check::Undecided;
    }
    changed(subject, question, &facts, answer)
}

/// A fact that a run contradicts: each is made a question of its own.
pub fn denied(
    program: &Program,
    (model, property): (MemoryModel, Property),
    facts: &Facts,
    limits: &Limits,
) -> Option<String> {
    let explore = |machine: interp::Machine<'_>| {
        let options = ExploreOptions { reduction: true, max_depth: None };
        match interp::explore(&machine, &options, &limits.budget(limits.timeout)).result {
            Explored::Violated { violation, .. } => Some(violation.message()),
            Explored::Exhausted | Explored::Stopped(_) => None,
        }
    };
    let is_about = |asked: Property| property == asked;
    if is_about(Property::Race) && !facts.race_free.is_empty() {
        let machine = subject::machine(program, model, property).seeking_any(facts.race_free.clone());
        if let Some(message) = explore(machine) {
            return Some(format!("an access should race with nothing, but: {message}"));
        }
    }
    // If another assertion fails, the run ends if assertions are the property, and otherwise continues.
    let aside = |stmt: &mut Stmt| match (&*stmt, is_about(Property::Unreach)) {
        (Stmt::Assert { cond, claim, .. }, true) if claim.property() == Property::Unreach => {
            *stmt = Stmt::Assume(cond.clone());
        }
        (stmt_now, false) if stmt_now.is_assertion(Property::Unreach) => *stmt = Stmt::Skip,
        (_, _) => {}
    };
    let (mut failing, mut reached) = (program.clone(), program.clone());
    for (function, edge) in program.assertions() {
        if !facts.holds.contains(&(function, edge)) {
            aside(&mut failing.functions[function].edges[edge].stmt);
        }
        aside(&mut reached.functions[function].edges[edge].stmt);
    }
    for (function, edge) in &facts.unreached {
        let stmt = &mut reached.functions[*function].edges[*edge].stmt;
        // Branches stay branches, and edges to the end of a function stay such.
        if !matches!(stmt, Stmt::Assume(_) | Stmt::Return(_) | Stmt::ExitThread(_) | Stmt::Exit) {
            let (cond, text) = (Expr::Int { width: 1, value: 0 }, format!("{function} {edge} is not executed"));
            *stmt = Stmt::Assert { cond, claim: ir::Claim::asserted(text), is_defined: true };
        }
    }
    if is_about(Property::Unreach) && !facts.holds.is_empty() {
        if let Some(message) = explore(subject::machine(&failing, model, Property::Unreach)) {
            return Some(format!("an assertion should hold, but: {message}"));
        }
    }
    if !facts.unreached.is_empty() {
        if let Some(message) = explore(subject::machine(&reached, model, Property::Unreach)) {
            return Some(format!("a statement should never be executed, but: {message}"));
        }
    }
    None
}

/// Wrong answers about the program simplified by the facts, compared with the original.
fn changed(subject: &Subject<'_>, question: Question, facts: &Facts, answer: &Answer) -> Check {
    let check = |name: &str| {
        let bound = (name == "staged").then_some(STAGED_BOUND);
        let options = Options { bound, strengthen_relaxed: true, ..Options::default() };
        let task = subject.task(question, options);
        let engine = plan::engine_named(name).expect("the engine should exist");
        let verdict = plan::run_without(facts, engine, &task).verdict;
        let name = format!("{name} with facts");
        match (&verdict, against(&name, &verdict, answer)) {
            (Verdict::Unsafe(found), check @ (Check::Kept | Check::Undecided)) => {
                let replayed = plan::validate::replayed(&task, found.schedule.steps.clone());
                replayed.err().map_or(check, |problem| Check::Broken(format!("{name}: {problem}")))
            }
            (_, check) => check,
        }
    };
    // Facts that were proved and not refuted count as a comparison too.
    ["explore", "staged", "impact"].into_iter().map(check).max().unwrap_or(Check::Kept).max(Check::Kept)
}
