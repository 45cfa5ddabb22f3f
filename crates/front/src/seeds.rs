//! Whether a program may reach one place of a sequence of random numbers twice: because it seeds twice, or draws before
//! it seeds. (An unseeded generator has the sequence of seed 1.) Only then do the models have to remember drawn numbers
//! (`models/random.c`).
//!
//! `rand` and `random` are analysed together, as if they were one generator. Whether a call executes once, and what
//! precedes it, is determined from control-flow graphs, without the conditions of branches.

use crate::models::is_variant;
use base::{Id, IdVec};
use ir::analysis::{ContextId, PointsTo};
use ir::{EdgeId, Function, FunctionId, LocId, Program, Stmt};

const SEED: [&str; 2] = ["srand", "srandom"];
const DRAW: [&str; 2] = ["rand", "random"];

/// How often a seed is set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Times {
    Never,
    Once,
    Often,
}

/// Facts about a call of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Known {
    /// How often it seeds at most, including the threads that it starts.
    seeds: Times,
    /// Whether it has seeded when it returns.
    has_seeded: bool,
    /// Whether it may draw before it has seeded.
    draws_early: bool,
}

const NOTHING: Known = Known { seeds: Times::Never, has_seeded: false, draws_early: false };

/// Whether numbers may repeat.
pub(crate) fn may_repeat(program: &Program) -> bool {
    if !program.functions.ids().any(|function| is_one_of(program, function, &SEED)) {
        return false;
    }
    let points_to = PointsTo::new(program);
    let known = Calls { program, points_to: &points_to, known: Vec::new() }.find()[program.entry.index()];
    known.seeds == Times::Often || known.draws_early && known.seeds != Times::Never
}

fn is_one_of(program: &Program, function: FunctionId, names: &[&str]) -> bool {
    let item = &program.functions[function];
    program.is_model(item.span) && names.iter().any(|name| is_variant(&item.name, name))
}

struct Calls<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    known: Vec<Known>,
}

impl Calls<'_> {
    /// The facts about each function: first whether it has seeded, then whether it draws before that.
    fn find(mut self) -> Vec<Known> {
        let program = self.program;
        let initial = |function: FunctionId| match is_one_of(program, function, &SEED) {
            true => Known { seeds: Times::Once, has_seeded: true, draws_early: false },
            false => Known { draws_early: is_one_of(program, function, &DRAW), ..NOTHING },
        };
        self.known = program.functions.ids().map(initial).collect();
        let is_own = |known: &Known| *known == NOTHING;
        let own: Vec<FunctionId> = program.functions.ids().filter(|f| is_own(&self.known[f.index()])).collect();
        for is_early in [false, true] {
            loop {
                let before = self.known.clone();
                for &function in &own {
                    let found = self.look(function);
                    self.known[function.index()] = Known { draws_early: is_early && found.draws_early, ..found };
                }
                if self.known == before {
                    break;
                }
            }
        }
        self.known
    }

    fn look(&self, function: FunctionId) -> Known {
        let item = &self.program.functions[function];
        let known: Vec<Known> = item.edges.ids().map(|edge| self.of_edge(function, edge)).collect();
        let paths = Paths { item, out: item.edges_out() };
        let before = paths.from(item.entry, |edge| known[edge.index()].has_seeded);
        let any_before =
            |is: &dyn Fn(EdgeId) -> bool| item.edges.enumerate().any(|(id, edge)| before[edge.from] && is(id));
        Known {
            seeds: times(&paths, &known),
            has_seeded: !any_before(&|edge| matches!(item.edges[edge].stmt, Stmt::Return(_))),
            draws_early: any_before(&|edge| known[edge.index()].draws_early),
        }
    }

    fn of_edge(&self, function: FunctionId, edge: EdgeId) -> Known {
        let stmt = &self.program.functions[function].edges[edge].stmt;
        let contexts = self.points_to.contexts().of_function(function);
        let all = |of: fn(&PointsTo, ContextId, EdgeId) -> &[ContextId]| -> Vec<Known> {
            let callees = contexts.iter().flat_map(|&context| of(self.points_to, context, edge));
            callees.map(|&callee| self.known[self.points_to.contexts().function(callee).index()]).collect()
        };
        let (callees, is_call) = match stmt {
            Stmt::Call { .. } => (all(|points_to, context, edge| points_to.callees(context, edge)), true),
            Stmt::Spawn { .. } => (all(|points_to, context, edge| points_to.spawned(context, edge)), false),
            _ => return NOTHING,
        };
        Known {
            seeds: callees.iter().map(|known| known.seeds).max().unwrap_or(Times::Never),
            has_seeded: is_call && !callees.is_empty() && callees.iter().all(|known| known.has_seeded),
            draws_early: callees.iter().any(|known| known.draws_early),
        }
    }
}

/// How often a call of a function seeds, given the facts about each of its edges.
fn times(paths: &Paths<'_>, known: &[Known]) -> Times {
    let seeding = || paths.item.edges.enumerate().filter(|(id, _)| known[id.index()].seeds != Times::Never);
    let is_followed = |from: LocId| {
        let after = paths.from(from, |_| false);
        seeding().any(|(_, other)| after[other.from])
    };
    match seeding().map(|(id, _)| known[id.index()].seeds).max() {
        None => Times::Never,
        Some(_) if seeding().any(|(_, edge)| is_followed(edge.to)) => Times::Often,
        Some(times) => times,
    }
}

/// The paths of a function.
struct Paths<'a> {
    item: &'a Function,
    out: IdVec<LocId, Vec<EdgeId>>,
}

impl Paths<'_> {
    /// The locations that can be reached without crossing edges that satisfy `is_end`.
    fn from(&self, start: LocId, is_end: impl Fn(EdgeId) -> bool) -> IdVec<LocId, bool> {
        let mut reached = IdVec::filled(false, self.item.locs);
        let mut stack = vec![start];
        while let Some(loc) = stack.pop() {
            if std::mem::replace(&mut reached[loc], true) {
                continue;
            }
            stack.extend(self.out[loc].iter().filter(|&&edge| !is_end(edge)).map(|&edge| self.item.edges[edge].to));
        }
        reached
    }
}
