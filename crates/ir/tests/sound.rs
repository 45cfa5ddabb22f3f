//! The analyses against runs of random programs: `HEDDLE_FUZZ_ITERATIONS` programs from `HEDDLE_FUZZ_SEED` on. At every
//! state of a run:
//!
//! - statements that two threads are about to execute may happen in parallel,
//! - accessed objects are among the targets of the address,
//! - objects accessed by several threads are shared,
//! - locks in a must-lockset are held,
//! - of two statements that were executed one after the other, the second may come later or in parallel,
//! - an invisible step commutes with the next step of every other thread.

mod common;
#[path = "common/concurrent.rs"]
mod concurrent;
#[path = "common/machine.rs"]
mod machine;

use common::Random;
use ir::analysis::{Escape, Later, Locksets, Memory, Parallel, PointsTo, Threads};
use ir::{EdgeId, Expr, FunctionId, Program, Stmt};
use machine::{Machine, Made, Stuck, Touched, Value};
use std::collections::BTreeMap;

struct Checker<'p> {
    program: &'p Program,
    points_to: PointsTo,
    parallel: Parallel,
    escape: Escape,
    locksets: Locksets,
    /// The threads that accessed each object.
    accessed: BTreeMap<Made, Vec<u32>>,
    counts: Counts,
}

/// Coverage of the test.
#[derive(Default, Debug)]
struct Counts {
    steps: u64,
    parallel_pairs: u64,
    sequential_pairs: u64,
    later_pairs: u64,
    held: u64,
    commuted: u64,
    shared: u64,
    unshared: u64,
}

/// A fixed answer to a havoc, so that both orders of two steps get the same.
fn answer(seed: u64, step: u64) -> bool {
    Random::new(seed ^ (step << 32)).coin()
}

impl<'p> Checker<'p> {
    fn new(program: &'p Program) -> Self {
        let points_to = PointsTo::new(program);
        let threads = Threads::new(program, &points_to);
        let parallel = Parallel::new(program, &points_to, &threads);
        let escape = Escape::new(program, &points_to, &threads, &parallel);
        let locksets = Locksets::new(program, &points_to);
        let (accessed, counts) = (BTreeMap::new(), Counts::default());
        Checker { program, points_to, parallel, escape, locksets, accessed, counts }
    }

    fn place(&self, at: (FunctionId, EdgeId)) -> String {
        let function = &self.program.functions[at.0];
        let edge = &function.edges[at.1];
        let stmt = ir::print::print_stmt(self.program, at.0, &edge.stmt);
        format!("{} {} -> {}: {stmt}", function.name, edge.from, edge.to)
    }

    fn run(&mut self, seed: u64) {
        let mut machine = Machine::new(self.program);
        let mut random = Random::new(seed);
        let mut executed = Vec::new();
        'run: for step in 0..150 {
            self.check_state(&machine, seed, step);
            let running = machine.running();
            let start = random.below(running.len());
            let mut has_moved = false;
            for turn in 0..running.len() {
                let number = running[(start + turn) % running.len()];
                let at = machine.next(number);
                match machine.step(number, answer(seed, step)) {
                    Ok(touched) => {
                        let at = at.expect("a step should be of an edge");
                        self.check_access(at, number, &touched);
                        executed.push(at);
                        self.counts.steps += 1;
                        has_moved = true;
                        break;
                    }
                    Err(Stuck::Blocked) => {}
                    Err(Stuck::Over) => break 'run,
                }
            }
            if !has_moved {
                break;
            }
        }
        self.check_order(&executed, &mut random);
        self.check_shared();
    }

    /// A statement executed after another one may come after it.
    fn check_order(&mut self, executed: &[(FunctionId, EdgeId)], random: &mut Random) {
        let later = Later::new(self.program, &self.points_to);
        let contexts = self.points_to.contexts();
        for _ in 0..executed.len().min(10) {
            let index = random.below(executed.len());
            let first = executed[index];
            // The callee's statements come after the beginning of a call, not after its end.
            if matches!(self.program.functions[first.0].edges[first.1].stmt, Stmt::Call { .. }) {
                continue;
            }
            let starts = contexts.of_function(first.0).iter().map(|&context| (context, first.1));
            let after = later.after(starts, |_| false);
            for &second in &executed[index + 1..] {
                let comes = contexts.of_function(second.0).iter().any(|&context| after.contains(&(context, second.1)));
                let may = comes || self.parallel.may_happen(first, second);
                assert!(may, "one after the other:\n  {}\n  {}", self.place(first), self.place(second));
                self.counts.later_pairs += 1;
            }
        }
    }

    fn check_state(&mut self, machine: &Machine<'_>, seed: u64, step: u64) {
        let running = machine.running();
        for (index, &one) in running.iter().enumerate() {
            let Some(at) = machine.next(one) else { continue };
            self.check_held(machine, one, at);
            for &two in &running[index + 1..] {
                let Some(other) = machine.next(two) else { continue };
                let may = self.parallel.may_happen(at, other);
                assert!(may, "seed {seed}: in parallel:\n  {}\n  {}", self.place(at), self.place(other));
                self.counts.parallel_pairs += 1;
            }
            if !self.escape.is_visible(at.0, at.1, machine.is_last_frame(one)) {
                for &two in running.iter().filter(|&&two| two != one) {
                    self.check_commutes(machine, one, two, seed, step);
                }
            }
        }
    }

    fn check_held(&mut self, machine: &Machine<'_>, number: u32, at: (FunctionId, EdgeId)) {
        for cell in self.locksets.held(at.0, at.1) {
            let found = machine.read(Made::Static(cell.object), cell.ghost, cell.offset);
            assert_eq!(found, Value::Int(number.into()), "{cell:?} is not held at {}", self.place(at));
            self.counts.held += 1;
        }
    }

    fn check_commutes(&mut self, machine: &Machine<'_>, one: u32, two: u32, seed: u64, step: u64) {
        let choice = answer(seed, step);
        let mut first = machine.clone();
        let mut second = machine.clone();
        let place = || match (machine.next(one), machine.next(two)) {
            (Some(at), Some(other)) => format!("{}\n  {}", self.place(at), self.place(other)),
            _ => "nothing".to_owned(),
        };
        let alone = (first.step(one, choice), second.step(two, choice));
        assert!(alone.0 != Err(Stuck::Blocked), "seed {seed}: an invisible step is blocked: {}", place());
        // Neither step affects whether the other is enabled or undefined.
        if alone.0.is_ok() {
            let after = first.step(two, choice);
            assert_eq!(after.err(), alone.1.clone().err(), "seed {seed}: the second changes:\n  {}", place());
        }
        if alone.1.is_ok() {
            let after = second.step(one, choice);
            assert_eq!(after.err(), alone.0.clone().err(), "seed {seed}: the first changes:\n  {}", place());
        }
        if alone.0.is_err() || alone.1.is_err() {
            return;
        }
        assert!(first.is_like(&second), "seed {seed}: steps do not commute:\n  {}", place());
        self.counts.commuted += 1;
    }

    fn check_access(&mut self, at: (FunctionId, EdgeId), number: u32, touched: &[Touched]) {
        let stmt = &self.program.functions[at.0].edges[at.1].stmt;
        let addresses: Vec<&Expr> = match stmt {
            Stmt::Copy { dst, src, .. } => vec![dst, src],
            _ => stmt.exprs().into_iter().take(1).collect(),
        };
        for (touch, ptr) in touched.iter().zip(addresses) {
            let memory = match touch.object {
                Made::Static(object) | Made::Own(_, object) => Memory::Static(object),
                Made::Site { function, edge, .. } => Memory::Site(function, edge),
            };
            let pointees = self.points_to.pointees(at.0, ptr);
            let is_known = pointees.is_unknown || pointees.objects.contains(&(memory, touch.ghost));
            assert!(is_known, "{touch:?} is accessed at {}, only {pointees:?} expected", self.place(at));
            let threads = self.accessed.entry(touch.object).or_default();
            if !threads.contains(&number) {
                threads.push(number);
            }
        }
    }

    fn check_shared(&mut self) {
        for (made, threads) in std::mem::take(&mut self.accessed) {
            let is_shared = match made {
                Made::Static(object) | Made::Own(_, object) => self.escape.is_shared_object(object),
                Made::Site { function, edge, .. } => self.escape.is_shared_site(function, edge),
            };
            if threads.len() > 1 {
                assert!(is_shared, "{made:?} is accessed by {threads:?}");
            }
            *(if is_shared { &mut self.counts.shared } else { &mut self.counts.unshared }) += 1;
        }
    }

    /// Counts the pairs that cannot happen in parallel: without any, nothing would be tested.
    fn count_sequential(&mut self) {
        let functions: Vec<FunctionId> = self.program.functions.ids().collect();
        for &one in &functions {
            for (edge, _) in self.program.functions[one].edges.enumerate() {
                let other = (functions[1], base::Id::new(0));
                self.counts.sequential_pairs += u64::from(!self.parallel.may_happen((one, edge), other));
            }
        }
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn analyses_agree_with_runs() {
    let mut total = Counts::default();
    let first = number("HEDDLE_FUZZ_SEED", 1);
    for seed in first..first + number("HEDDLE_FUZZ_ITERATIONS", 300) {
        let program = concurrent::program(seed);
        assert_eq!(ir::validate(&program), vec![]);
        let mut checker = Checker::new(&program);
        for run in 0..8 {
            checker.run(seed * 1000 + run);
        }
        checker.count_sequential();
        let counts = &checker.counts;
        total.steps += counts.steps;
        total.parallel_pairs += counts.parallel_pairs;
        total.later_pairs += counts.later_pairs;
        total.sequential_pairs += counts.sequential_pairs;
        total.held += counts.held;
        total.commuted += counts.commuted;
        total.shared += counts.shared;
        total.unshared += counts.unshared;
    }
    let Counts { steps, parallel_pairs, sequential_pairs, later_pairs, held, commuted, shared, unshared } = total;
    let least = steps
        .min(parallel_pairs)
        .min(sequential_pairs)
        .min(later_pairs)
        .min(held)
        .min(commuted)
        .min(shared)
        .min(unshared);
    assert!(least > 100, "too little was tested: {total:?}");
}
