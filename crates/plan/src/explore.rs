//! The engine `explore`: every state of the reference interpreter is visited, so it answers for programs with finitely
//! many states. What the interpreter had to leave out on the way (values of inputs, what is not modelled) is a reason
//! for `unknown`.

use base::Stats;
use check::{Counterexample, Engine, Outcome, Proof, Reason, ReasonKind, Task, Verdict};
use interp::{ExploreOptions, Explored, Gap, Machine};
use ir::{Program, Property, Schedule, Stmt};

pub(crate) struct Explore;

impl Engine for Explore {
    fn name(&self) -> &'static str {
        "explore"
    }

    fn about(&self) -> &'static str {
        "visit every state of the reference interpreter; proves programs with finitely many states"
    }

    fn run(&self, task: &Task<'_>) -> Outcome {
        if has_nothing_to_violate(task) {
            return Outcome::new(Verdict::safe(Proof::NothingToViolate, vec![]), Stats::default());
        }
        if task.property == Property::Atomicity && !task.model.is_sequentially_consistent() {
            return Outcome::new(Verdict::unknown(engines::no_atomicity_under(task.model)), Stats::default());
        }
        let machine = Machine::new(task.program, crate::machine_config(task));
        let options = ExploreOptions { reduction: task.options.reduction, max_depth: task.options.max_depth };
        let exploration = interp::explore(&machine, &options, &task.budget);
        let mut stats = Stats::default();
        stats.set("states", exploration.states as f64);
        stats.set("transitions", exploration.transitions as f64);
        let verdict = match exploration.result {
            Explored::Violated { steps, violation } => {
                let schedule = Schedule { model: task.model, property: task.property, steps };
                Verdict::Unsafe(Box::new(Counterexample { schedule, violation }))
            }
            Explored::Exhausted => {
                let proof = Proof::Exhausted {
                    states: exploration.states,
                    transitions: exploration.transitions,
                    reduced: options.reduction,
                };
                Verdict::safe(proof, assumptions(task, &exploration.gaps))
            }
            Explored::Stopped(stop) => {
                let mut reasons = vec![Reason::from(stop)];
                reasons.extend(assumptions(task, &exploration.gaps));
                Verdict::Unknown(reasons)
            }
        };
        Outcome::new(verdict, stats)
    }
}

/// Whether the property is about assertions and the program, which holds only what can be reached, has none.
pub(crate) fn has_nothing_to_violate(task: &Task<'_>) -> bool {
    let may_violate = |stmt: &Stmt| stmt.is_assertion(Property::Unreach) || matches!(stmt, Stmt::Unmodelled(_));
    let mut edges = task.program.functions.iter().flat_map(|function| function.edges.iter());
    task.property == Property::Unreach && !edges.any(|edge| may_violate(&edge.stmt))
}

/// What was assumed on the way, each with its place.
fn assumptions(task: &Task<'_>, gaps: &[Gap]) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    for gap in gaps {
        let reason = reason(task.program, gap);
        let is_promised = match reason.kind {
            ReasonKind::Inputs => task.options.inputs.promised,
            ReasonKind::Relaxed | ReasonKind::Mixed => task.options.strengthen_relaxed,
            _ => false,
        };
        if !is_promised && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    reasons
}

fn reason(program: &Program, gap: &Gap) -> Reason {
    let kind = match gap {
        Gap::Inputs { .. } => ReasonKind::Inputs,
        Gap::Unmodelled { .. } => ReasonKind::Unmodelled,
        Gap::Addresses { .. } => ReasonKind::Addresses,
        Gap::Undefined { .. } => ReasonKind::Undefined,
        Gap::Relaxed { .. } => ReasonKind::Relaxed,
        Gap::Mixed { .. } => ReasonKind::Mixed,
        Gap::Depth => ReasonKind::Bound,
        Gap::NotDefined => ReasonKind::Unsupported,
    };
    match gap.at() {
        Some(site) => {
            let (function, edge) = site.at;
            let place = program.place(program.functions[function].edges[edge].span);
            Reason::new(kind, site.describe(gap, program)).at(place)
        }
        None => Reason::new(kind, gap.to_string()),
    }
}
