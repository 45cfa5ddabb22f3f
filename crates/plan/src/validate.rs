//! Every verdict is confirmed by something simpler than what found it: an `unsafe` by replaying its schedule in a fresh
//! interpreter; a `safe`, on request, by exploring without reduction, and if it was found by unrolling by the second
//! encoder first ([`recheck`]). An unconfirmed verdict is demoted to `unknown`, with the material to reproduce the
//! defect.

use base::Part;
use check::{Counterexample, Outcome, Proof, Reason, ReasonKind, Task, Verdict};
use interp::{ExploreOptions, Explored, Machine, RunEnd};
use ir::{Premise, Violation};
use std::time::Duration;

/// How a verdict was confirmed.
#[derive(Clone, Debug)]
pub enum Confirmation {
    /// The counterexample was replayed.
    Replayed,
    /// The proof was checked by a simpler method.
    Rechecked,
    /// Nothing to confirm, or not requested.
    None,
    /// The answer failed: a defect of Heddle.
    Failed(Box<Reproducer>),
}

/// The material to investigate an answer that could not be confirmed.
#[derive(Clone, Debug)]
pub struct Reproducer {
    /// What was claimed.
    pub claim: Verdict,
    /// What happened instead.
    pub problem: String,
    /// The claimed counterexample, or the one that disproves a claimed proof.
    pub counterexample: Option<Counterexample>,
}

/// The effort to confirm a `safe`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recheck {
    /// Nothing.
    No,
    /// The second encoder, within this time.
    Glance(Duration),
    /// Everything, within the budget.
    Full,
}

/// Confirms an outcome, or demotes it.
pub fn validate(task: &Task<'_>, outcome: Outcome, recheck: Recheck) -> (Outcome, Confirmation) {
    match &outcome.verdict {
        Verdict::Unsafe(counterexample) => match violated(task, &machine(task), &counterexample.schedule.steps) {
            // Equal states may have been reached in different ways and name objects differently: take the replayed
            // run's names.
            Ok(violation) => {
                let schedule = counterexample.schedule.clone();
                let verdict = Verdict::Unsafe(Box::new(Counterexample { schedule, violation }));
                let mut others = Vec::new();
                for other in &outcome.others {
                    match violated(task, &crate::machine_for(task, other), &other.schedule.steps) {
                        Ok(violation) => others.push(Counterexample { schedule: other.schedule.clone(), violation }),
                        Err(problem) => {
                            let counterexample = Some(other.clone());
                            return demote(outcome, problem, counterexample);
                        }
                    }
                }
                let outcome = Outcome { others, ..Outcome::new(verdict, outcome.stats) };
                (outcome, Confirmation::Replayed)
            }
            Err(problem) => {
                let counterexample = Some((**counterexample).clone());
                demote(outcome, problem, counterexample)
            }
        },
        Verdict::Safe(safe) if recheck == Recheck::Full => match safe.proof() {
            Proof::NothingToViolate if crate::explore::has_nothing_to_violate(task) => {
                (outcome, Confirmation::Rechecked)
            }
            Proof::NothingToViolate => demote(outcome, "the program has an assertion".to_owned(), None),
            Proof::Bounded { iterations, .. } => confirm_again(task, *iterations, outcome),
            Proof::Exhausted { .. } | Proof::Invariants { .. } | Proof::Tree { .. } | Proof::ThreadModular { .. } => {
                explore_again(task, outcome)
            }
        },
        Verdict::Safe(safe) => match (safe.proof(), recheck) {
            (Proof::Bounded { iterations, .. }, Recheck::Glance(time)) => glance(task, *iterations, outcome, time),
            (
                Proof::Bounded { .. }
                | Proof::NothingToViolate
                | Proof::Exhausted { .. }
                | Proof::Invariants { .. }
                | Proof::Tree { .. }
                | Proof::ThreadModular { .. },
                Recheck::No | Recheck::Glance(_) | Recheck::Full,
            ) => (outcome, Confirmation::None),
        },
        Verdict::Unknown(_) => (outcome, Confirmation::None),
    }
}

fn demote(outcome: Outcome, problem: String, counterexample: Option<Counterexample>) -> (Outcome, Confirmation) {
    let detail = format!("an answer was found but could not be confirmed, which is a defect of Heddle: {problem}");
    let reproducer = Reproducer { claim: outcome.verdict, problem, counterexample };
    let verdict = Verdict::unknown(Reason::new(ReasonKind::Validation, detail));
    (Outcome::new(verdict, outcome.stats), Confirmation::Failed(Box::new(reproducer)))
}

/// Demotes a proof that has premises.
pub fn without_premises(task: &Task<'_>, outcome: Outcome) -> Outcome {
    let premises = task.premises();
    match &outcome.verdict {
        Verdict::Safe(safe) if *safe.proof() != Proof::NothingToViolate && !premises.is_empty() => {
            let reason = |premise: Premise| {
                let detail =
                    format!("there is a proof, but it assumes that {} (--strict refuses that)", premise.words());
                Reason::new(ReasonKind::Premise, detail)
            };
            let verdict = Verdict::Unknown(premises.into_iter().map(reason).collect());
            Outcome { verdict, ..outcome }
        }
        Verdict::Safe(_) | Verdict::Unsafe(_) | Verdict::Unknown(_) => outcome,
    }
}

fn machine<'p>(task: &Task<'p>) -> Machine<'p> {
    Machine::new(task.program, crate::machine_config(task))
}

/// The violation that a stored schedule leads to, if it still leads to one of the property.
pub fn replayed(task: &Task<'_>, steps: Vec<ir::ScheduleStep>) -> Result<Counterexample, String> {
    let violation = violated(task, &machine(task), &steps)?;
    let schedule = ir::Schedule { model: task.model, property: task.property, steps };
    Ok(Counterexample { schedule, violation })
}

/// The violation of the replayed run, or why there is none.
fn violated(task: &Task<'_>, machine: &Machine<'_>, steps: &[ir::ScheduleStep]) -> Result<Violation, String> {
    match interp::replay(machine, steps, None) {
        Ok(RunEnd::Violation(violation)) if violation.property() == task.property => Ok(violation),
        Ok(RunEnd::Violation(violation)) => {
            Err(format!("the replayed run violates {} instead: {}", violation.property(), violation.message()))
        }
        Ok(end) => Err(format!("the replayed run does not end in a violation: {}", describe(&end))),
        Err(error) => Err(format!("the run cannot be replayed: {error}")),
    }
}

/// Confirms a bounded proof by the second encoder, if it supports it.
fn encode_again(task: &Task<'_>, iterations: u32, mut outcome: Outcome) -> (Outcome, Option<Confirmation>) {
    match recheck::confirm(task, iterations, &mut outcome.stats) {
        recheck::Answer::Confirmed => (outcome, Some(Confirmation::Rechecked)),
        recheck::Answer::Refuted { what, execution } => {
            let problem = format!("the second encoder disagrees: {what}:\n  {}", execution.join("\n  "));
            let (outcome, confirmation) = demote(outcome, problem, None);
            (outcome, Some(confirmation))
        }
        recheck::Answer::Unable { .. } => (outcome, None),
    }
}

/// Confirms a bounded proof by the second encoder, or, where that cannot, by exploring.
fn confirm_again(task: &Task<'_>, iterations: u32, outcome: Outcome) -> (Outcome, Confirmation) {
    match encode_again(task, iterations, outcome) {
        (outcome, Some(confirmation)) => (outcome, confirmation),
        (outcome, None) => explore_again(task, outcome),
    }
}

/// Confirms a bounded proof by the second encoder, if it does not take long.
fn glance(task: &Task<'_>, iterations: u32, outcome: Outcome, time: Duration) -> (Outcome, Confirmation) {
    let part = Task { budget: task.budget.part(Part::AtMost(time)), ..task.clone() };
    let (outcome, confirmation) = encode_again(&part, iterations, outcome);
    (outcome, confirmation.unwrap_or(Confirmation::None))
}

fn explore_again(task: &Task<'_>, mut outcome: Outcome) -> (Outcome, Confirmation) {
    let machine = Machine::new(task.program, crate::machine_config(task));
    let options = ExploreOptions { reduction: false, max_depth: None };
    let exploration = interp::explore(&machine, &options, &task.budget);
    outcome.stats.set("recheck_states", exploration.states as f64);
    match exploration.result {
        Explored::Exhausted => (outcome, Confirmation::Rechecked),
        Explored::Violated { steps, violation } => {
            let problem = format!("exploring without reduction finds: {}", violation.message());
            let schedule = ir::Schedule { model: task.model, property: task.property, steps };
            demote(outcome, problem, Some(Counterexample { schedule, violation }))
        }
        Explored::Stopped(stop) => {
            // Not a defect: there was not enough time or memory to confirm. The user asked for a confirmed answer.
            let reason = Reason::from(stop);
            let detail = format!("a proof was found, but {} while it was checked", reason.detail);
            let verdict = Verdict::unknown(Reason::new(reason.kind, detail));
            (Outcome { verdict, ..outcome }, Confirmation::None)
        }
    }
}

/// How a run ended, in words.
pub fn describe(end: &RunEnd) -> String {
    match end {
        RunEnd::Violation(violation) => format!("{}: {}", violation.property(), violation.message()),
        RunEnd::Finished => "the program ended".to_owned(),
        RunEnd::Deadlocked(threads) => {
            let numbers: Vec<String> = threads.iter().map(u32::to_string).collect();
            format!("no thread can go on (waiting: thread {})", numbers.join(", "))
        }
        RunEnd::Unmodelled { what, .. } => format!("not modelled: {what}"),
        RunEnd::Undefined(violation) => format!("undefined behaviour: {}", violation.message()),
        RunEnd::StepLimit => "the step limit was reached".to_owned(),
        RunEnd::Stopped(stop) => Reason::from(*stop).detail,
    }
}
