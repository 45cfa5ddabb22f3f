//! The engine `explore`: visits every state of the reference interpreter, so it decides programs with finitely many
//! states. What the interpreter had to leave out (values of inputs, unmodelled features) is a reason for `unknown`.

use base::Stats;
use check::{Counterexample, Engine, Outcome, Proof, Reason, ReasonKind, Services, Task, Verdict};
use clap::Args;
use interp::{ExploreOptions, Explored, Gap, Machine};
use ir::{Program, Property, Schedule, Stmt};

/// Options of `explore`.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine explore")]
#[group(skip)]
pub struct Options {
    /// Explore every interleaving of every step, also of thread-local ones
    #[arg(id = "no-reduction", long, action = clap::ArgAction::SetFalse)]
    pub reduction: bool,

    /// Cut runs after N steps: what would be safe is then unknown if a run was cut
    #[arg(long, value_name = "N")]
    pub max_depth: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options { reduction: true, max_depth: None }
    }
}

pub(crate) struct Explore;

impl Engine for Explore {
    fn name(&self) -> &'static str {
        "explore"
    }

    fn about(&self) -> &'static str {
        "visit every state of the reference interpreter; proves programs with finitely many states"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Reason> {
        match task.property == Property::Atomicity && !task.model.is_sequentially_consistent() {
            true => Err(engines::no_atomicity_under(task.model)),
            false => Ok(()),
        }
    }

    fn rank(&self, _: &Task<'_>) -> Option<u8> {
        Some(5)
    }

    fn sees_all_obstacles(&self) -> bool {
        true
    }

    fn run(&self, task: &Task<'_>, _: &dyn Services) -> Outcome {
        if has_nothing_to_violate(task) {
            return Outcome::new(Verdict::safe(Proof::NothingToViolate, vec![]), Stats::default());
        }
        if let Err(reason) = self.supports(task) {
            return Outcome::new(Verdict::unknown(reason), Stats::default());
        }
        let machine = Machine::new(task.program, crate::machine_config(task));
        let Options { reduction, max_depth } = task.options.own();
        let options = ExploreOptions { reduction, max_depth };
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

/// Whether the property is about assertions and the program, reduced to its reachable part, has none.
pub(crate) fn has_nothing_to_violate(task: &Task<'_>) -> bool {
    let may_violate = |stmt: &Stmt| stmt.is_assertion(Property::Unreach) || matches!(stmt, Stmt::Unmodelled(_));
    let mut edges = task.program.functions.iter().flat_map(|function| function.edges.iter());
    task.property == Property::Unreach && !edges.any(|edge| may_violate(&edge.stmt))
}

/// The assumptions that were made, with their places; of each kind in the order of the source.
fn assumptions(task: &Task<'_>, gaps: &[Gap]) -> Vec<Reason> {
    let span = |gap: &Gap| gap.at().map(|site| task.program.functions[site.at.0].edges[site.at.1].span);
    let mut gaps: Vec<&Gap> = gaps.iter().collect();
    // Gaps of one kind are adjacent already.
    for alike in gaps.chunk_by_mut(|a, b| std::mem::discriminant(*a) == std::mem::discriminant(*b)) {
        alike.sort_by_key(|gap| span(gap));
    }
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
