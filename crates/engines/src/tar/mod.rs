//! The engine `tar` (after Henzinger, Jhala, Majumdar and Qadeer, Thread-modular abstraction refinement, CAV 2003):
//! thread-modular proofs, for any number of threads and loops without bound.
//!
//! First come arguments without predicates: a value analysis that holds whatever other threads do ([`values`]),
//! must-locksets ([`facts`]), may-happen-in-parallel (`ir::analysis`), and partitions of objects between threads
//! ([`parts`]). Each pair of conflicting accesses must be kept from racing by one of them ([`races`]); that there is no
//! undefined and no unmodelled behaviour is proved too ([`obligations`]). All arguments hold under every memory model:
//! a read returns something that was stored at some time, and order comes only from locks, atomics, starts and joins,
//! by C11's happens-before.
//!
//! Condition-variable waits are removed from the program first ([`passes::without_waits`]). What the arguments leave
//! open goes to [`abstraction`], the paper's own method: predicates, and an inferred environment. What that does not
//! prove either is passed on to an exact engine.
//!
//! Limits: not the properties `deadlock` and `atomicity`.

mod abstraction;
mod accesses;
mod evaluate;
mod facts;
mod fixed;
mod joins;
mod objects;
mod obligations;
mod options;
mod parts;
mod races;
mod reads;
mod roles;
mod rounds;
mod state;
mod store;
mod symbols;
mod unreliable_locks;
mod value;
mod values;

use abstraction::{Modes, Strength};
use accesses::Collector;
use base::{Part, Stats, Stop};
use check::{undecided, Effort, Engine, Outcome, Proof, Protection, Reason, ReasonKind, Services, Task, Verdict};
use facts::Facts;
use indexmap::{IndexMap, IndexSet};
use ir::analysis::{Escape, Parallel, PointsTo, Threads};
use ir::{EdgeId, FunctionId, Order, Program, Property, Shape, Stmt};
use joins::Joins;
use obligations::{place, Obligations};
pub use options::{Algorithm, Assumptions, Options};
use parts::Parts;
use races::{Judge, Suspect};
use std::collections::BTreeSet;
use std::time::Duration;
use symbols::Symbols;
use values::Values;

/// The engine `tar`.
pub struct Tar;

/// Time limit of predicate abstraction, even without a budget: an exact engine may have an answer.
const MAX_TIME: Duration = Duration::from_secs(120);

/// The result of the arguments without predicates.
struct Finding {
    /// What cannot be ruled out.
    alarms: Vec<Reason>,
    /// Assumptions.
    assumed: BTreeSet<Reason>,
    protections: Vec<Protection>,
    /// Facts proved of every run, whatever is left open.
    facts: check::Facts,
}

impl Engine for Tar {
    fn name(&self) -> &'static str {
        "tar"
    }

    fn about(&self) -> &'static str {
        "prove thread by thread, for any number of threads (all properties but deadlock and atomicity)"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Reason> {
        match task.property.shape() {
            Shape::Step | Shape::Conflict => Ok(()),
            Shape::Stuck | Shape::Between => Err(undecided(self, task)),
        }
    }

    /// It is best at races. It proves few assertions that other engines do not, unless threads are started without
    /// bound.
    fn rank(&self, task: &Task<'_>) -> Option<u8> {
        if task.property == Property::Race {
            return Some(10);
        }
        let is_tried = task.property == Property::Unreach && task.model.is_sequentially_consistent();
        is_tried.then(|| if has_endless_threads(task.program) { 0 } else { 50 })
    }

    fn run(&self, task: &Task<'_>, services: &dyn Services) -> Outcome {
        let mut stats = Stats::default();
        let mut facts = check::Facts::default();
        let verdict = match self.supports(task) {
            Ok(()) => self.solve(task, services, &mut facts, &mut stats),
            Err(reason) => Verdict::unknown(reason),
        };
        Outcome { facts, ..Outcome::new(verdict, stats) }
    }
}

/// Whether the program starts threads without bound.
fn has_endless_threads(program: &Program) -> bool {
    let points_to = PointsTo::new(program);
    Threads::new(program, &points_to).are_endless(program, &points_to)
}

impl Tar {
    fn solve(&self, task: &Task<'_>, services: &dyn Services, proved: &mut check::Facts, stats: &mut Stats) -> Verdict {
        let options: Options = task.options.own();
        let simpler = passes::without_waits(task);
        let proving = Task { program: simpler.as_ref().unwrap_or(task.program), ..task.clone() };
        let mut reasons = Vec::new();
        if !options.no_facts {
            let answer = self.by_facts(&proving, proved, stats);
            if simpler.is_some() {
                // Facts about another program are not for other engines.
                *proved = check::Facts::default();
            }
            match answer {
                Ok(safe) => return safe,
                Err(open) => reasons = open,
            }
        }
        // A violation needs no predicates, and a few random runs often show it.
        let is_settled_here = options.on.is_none() && services.settles();
        if is_settled_here && options.algorithm != Algorithm::Facts {
            let found = services.settle(task, Effort::Little).verdict;
            if matches!(found, Verdict::Unsafe(_)) {
                return found;
            }
        }
        // Settling the rest needs time.
        let share = if is_settled_here {
            task.budget.part(Part::Share(0.4)).part(Part::AtMost(MAX_TIME))
        } else {
            task.budget.clone()
        };
        match by_abstraction(&Task { budget: share, ..proving }, stats) {
            Ok(safe) => return safe,
            Err(open) => {
                for reason in open {
                    if !reasons.contains(&reason) {
                        reasons.push(reason);
                    }
                }
            }
        }
        match is_settled_here {
            true => settled(services, task, reasons, stats),
            false => Verdict::Unknown(reasons),
        }
    }

    /// Tries the arguments without predicates. Reports what they leave open.
    fn by_facts(&self, task: &Task<'_>, proved: &mut check::Facts, stats: &mut Stats) -> Result<Verdict, Vec<Reason>> {
        // These arguments terminate, so where time is unlimited they need no limit either.
        let part = Task { budget: task.budget.part(Part::OneOf(3)), ..task.clone() };
        let finding = prove(&part, stats).map_err(|stop| vec![Reason::from(stop)])?;
        stats.set("alarms", finding.alarms.len() as f64);
        *proved = finding.facts;
        if !finding.alarms.is_empty() {
            return Err(finding.alarms.into_iter().chain(finding.assumed).collect());
        }
        let proof = Proof::ThreadModular { protections: finding.protections };
        match Verdict::safe(proof, finding.assumed.into_iter().collect()) {
            Verdict::Unknown(reasons) => Err(reasons),
            decided @ (Verdict::Safe(_) | Verdict::Unsafe(_)) => Ok(decided),
        }
    }
}

/// Has an exact engine decide what was not proved.
fn settled(services: &dyn Services, task: &Task<'_>, reasons: Vec<Reason>, stats: &mut Stats) -> Verdict {
    let outcome = services.settle(task, Effort::Full);
    for (name, value) in outcome.stats.iter() {
        stats.set(&format!("settle_{name}"), value);
    }
    match outcome.verdict {
        Verdict::Unknown(others) => {
            let mut all = reasons;
            for reason in others {
                if !all.contains(&reason) {
                    all.push(reason);
                }
            }
            Verdict::Unknown(all)
        }
        decided => decided,
    }
}

/// The invariants from the proof by predicate abstraction, per thread and location; empty if there is none.
pub fn invariants(task: &Task<'_>) -> Vec<ir::invariants::LocationInvariant> {
    modes(task).and_then(|modes| abstraction::invariants(task, modes).ok()).unwrap_or_default()
}

/// The configuration of predicate abstraction, if it is asked for.
fn modes(task: &Task<'_>) -> Option<Modes> {
    let Options { algorithm, assumptions, .. } = task.options.own();
    let algorithm = match algorithm {
        Algorithm::Facts => return None,
        Algorithm::Below => abstraction::Algorithm::FromBelow,
        Algorithm::Above => abstraction::Algorithm::FromAbove,
    };
    let strength = match assumptions {
        Assumptions::Both => None,
        Assumptions::Havoc => Some(Strength::Havoc),
        Assumptions::Relational => Some(Strength::Relational),
    };
    Some(Modes { algorithm, strength })
}

/// Tries predicate abstraction. Reports what it leaves open.
fn by_abstraction(task: &Task<'_>, stats: &mut Stats) -> Result<Verdict, Vec<Reason>> {
    let Some(modes) = modes(task) else { return Err(vec![]) };
    match abstraction::prove(task, modes, stats) {
        Ok(Ok(protections)) => Ok(Verdict::safe(Proof::ThreadModular { protections }, vec![])),
        Ok(Err(reasons)) => Err(reasons),
        Err(stop) => Err(vec![Reason::from(stop)]),
    }
}

/// Tries all arguments without predicates.
fn prove(task: &Task<'_>, stats: &mut Stats) -> Result<Finding, Stop> {
    let program = task.program;
    let points_to = PointsTo::new(program);
    let threads = Threads::new(program, &points_to);
    let parallel = Parallel::new(program, &points_to, &threads);
    let escape = Escape::new(program, &points_to, &threads, &parallel);
    task.budget.check()?;
    let mut values = Values::new(program, &points_to, &threads, &escape, &task.budget)?;
    let symbols = Symbols::new(program, &points_to);
    let facts = Facts::new(&mut values, &symbols, &task.budget)?;
    let parts = Parts::new(&mut values, &threads);
    let joins = Joins::new(&mut values, &threads);
    let unreliable_locks = unreliable_locks::unreliable_locks(&mut values, &facts, &symbols, &points_to);
    let tried = unreliable_locks::tried(&mut values, &facts, &symbols, &points_to);
    stats.set("templates", threads.templates().len() as f64);
    stats.set("contexts", points_to.contexts().len() as f64);
    stats.set("steps", values.steps as f64);
    stats.set("facts", facts.list.len() as f64);
    let mut collector = Collector {
        values: &mut values,
        facts: &facts,
        symbols: &symbols,
        threads: &threads,
        parallel: &parallel,
        points_to: &points_to,
        parts: &parts,
        unreliable_locks: &unreliable_locks,
        tried: &tried,
        joins: &joins,
    };
    let (mut alarms, mut protections) = (Vec::new(), Vec::new());
    let mut proved = check::Facts::default();
    if task.property == Property::Race {
        (alarms, protections) = race_freedom(task, &mut collector, &threads, &mut proved, stats)?;
    }
    let is_joined = |context, edge| joins.is_good(context, edge);
    let mut obligations = Obligations {
        inner: &mut collector,
        property: task.property,
        joined: &is_joined,
        reads: None,
        reasons: BTreeSet::new(),
        may_fail: BTreeSet::new(),
        is_lost: false,
    };
    obligations.find(&task.budget)?;
    let (is_lost, may_fail) = (obligations.is_lost, obligations.may_fail);
    let mut assumed = obligations.reasons;
    if is_lost {
        proved = check::Facts::default();
    } else {
        proved.unreached = unreached(collector.values);
    }
    // Undefined behaviour plays no part in an assertion that holds, so only other assertions may be left open.
    if task.property == Property::Unreach && assumed.iter().all(|reason| reason.kind == ReasonKind::Imprecise) {
        proved.holds = program.assertions().filter(|at| !may_fail.contains(at)).collect();
    }
    let is_promised = task.options.assume_defined && matches!(task.property, Property::Race | Property::Unreach);
    assumed.retain(|reason| !(is_promised && reason.kind == ReasonKind::Undefined));
    // The property itself asks about undefined behaviour here.
    if matches!(task.property, Property::Locks | Property::Memory | Property::Unreach) {
        alarms.extend(assumed.iter().filter(|reason| reason.kind == ReasonKind::Imprecise).cloned());
        assumed.retain(|reason| reason.kind != ReasonKind::Imprecise);
    }
    if task.model.strengthens_atomics() && !task.options.strengthen_relaxed && has_relaxed(program) {
        let detail = "relaxed atomics are taken as release-acquire";
        assumed.insert(Reason::new(ReasonKind::Relaxed, detail));
    }
    Ok(Finding { alarms, assumed, protections, facts: proved })
}

/// Checks all conflicting accesses.
fn race_freedom(
    task: &Task<'_>,
    collector: &mut Collector<'_, '_>,
    threads: &Threads,
    proved: &mut check::Facts,
    stats: &mut Stats,
) -> Result<(Vec<Reason>, Vec<Protection>), Stop> {
    let (mut accessed, obstacles) = collector.collect(&task.budget)?;
    let mut unknown_name = None;
    let on = task.options.own::<Options>().on;
    if let Some(name) = &on {
        let is_static = task.program.objects.iter().any(|object| object.name == *name);
        if !is_static && !collector.values.objects.has(name) {
            let detail = format!("nothing was found that is called {name}");
            unknown_name = Some(Reason::new(ReasonKind::Unsupported, detail));
        }
        accessed.retain(|object, _| collector.values.objects.describe(*object) == *name);
    }
    stats.set("shared_objects", accessed.len() as f64);
    stats.set("accesses", accessed.values().map(|accessed| accessed.accesses.len()).sum::<usize>() as f64);
    let (protected, suspects) = Judge { threads }.judge(&accessed);
    if obstacles.is_empty() && on.is_none() {
        proved.race_free = race_free(collector, &suspects);
    }
    let mut alarms = not_excluded(collector, &suspects);
    alarms.extend(unknown_name);
    let obstacles = obstacles
        .into_iter()
        .map(|obstacle| Reason::new(ReasonKind::Imprecise, obstacle.detail).at(place(collector, obstacle.at)));
    alarms.extend(obstacles.collect::<BTreeSet<Reason>>());
    stats.set("suspects", suspects.len() as f64);
    let protections = protected
        .iter()
        .map(|(object, protected)| Protection {
            variable: collector.values.objects.describe(*object),
            by: races::words(collector.values, collector.facts, protected),
        })
        .collect();
    Ok((alarms, protections))
}

/// The statements that are never executed.
fn unreached(values: &Values<'_>) -> BTreeSet<(FunctionId, EdgeId)> {
    let contexts = values.points_to.contexts();
    let mut unreached: BTreeSet<(FunctionId, EdgeId)> = values.program.statements().map(|(at, _)| at).collect();
    for context in contexts.ids() {
        let function = contexts.function(context);
        unreached.retain(|(other, edge)| *other != function || !values.is_reached(context, *edge));
    }
    unreached
}

/// The statements whose accesses race with nothing, in any context.
fn race_free(collector: &Collector<'_, '_>, suspects: &[Suspect]) -> BTreeSet<(FunctionId, EdgeId)> {
    let accesses = suspects.iter().flat_map(|suspect| [&suspect.one, &suspect.other]);
    let places = accesses.flat_map(|access| access.also.iter().chain([&access.at]));
    let contexts = collector.points_to.contexts();
    let open: BTreeSet<(FunctionId, EdgeId)> =
        places.map(|(context, edge)| (contexts.function(*context), *edge)).collect();
    collector.values.program.accesses().filter(|at| !open.contains(at)).collect()
}

/// Describes all races that cannot be ruled out: for each variable and place of an access, the places of the others.
fn not_excluded(collector: &Collector<'_, '_>, suspects: &[Suspect]) -> Vec<Reason> {
    let mut others: IndexMap<(String, String), IndexSet<String>> = IndexMap::new();
    for Suspect { object, one, other } in suspects {
        let name = collector.values.objects.describe(*object);
        let (here, there) = (place(collector, one.at), place(collector, other.at));
        others.entry((name, here)).or_default().insert(there);
    }
    let reason = |((name, here), there): ((String, String), IndexSet<String>)| {
        let verb = if there.len() == 1 { "the other is" } else { "the others are" };
        let there: Vec<String> = there.into_iter().collect();
        let detail = format!("it is not excluded that accesses to {name} race ({verb} at {})", there.join(", "));
        Reason::new(ReasonKind::Imprecise, detail).at(here)
    };
    others.into_iter().map(reason).collect()
}

/// Whether user code has relaxed atomics.
fn has_relaxed(program: &ir::Program) -> bool {
    let is_ghost = |stmt: &Stmt| stmt.touches().iter().any(|touch| matches!(touch.ptr, ir::Expr::Ghost(_)));
    let is_relaxed = |stmt: &Stmt| stmt.access_orders().any(|order| order == Order::Relaxed) && !is_ghost(stmt);
    program
        .functions
        .iter()
        .flat_map(|function| function.edges.iter())
        .any(|edge| program.is_users(edge.span) && is_relaxed(&edge.stmt))
}
