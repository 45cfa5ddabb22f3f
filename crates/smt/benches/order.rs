//! The order theory against the clock encoding, in the same solver and the same run.
//!
//! `cargo bench -p smt --bench order [-- FILTER]` (each solving stopped after `HEDDLE_BENCH_SECONDS` of wall clock, 10 by
//! default) prints, for problems of 50 to 400 events, the CPU seconds of both (declaring the problem and solving it) and
//! their ratio, then the geometric mean, and the worst ratio among problems that take one of them over 0.1 s. Where the
//! clocks were stopped (`>`) the ratio is a lower bound. The word `theory` leaves the clocks out, `hints` turns decision
//! hints on. The solver's own conflicts do not include those of the theory. Problems:
//! * *trace*: can these threads, whose reads returned these values, have run under this model? Chooses rf and co, with the
//!   reads of a real run or with some changed;
//! * *buffered*: is a run with store buffers also a run without? With few values, so that reads have many sources;
//! * *free*: only some reads have their values fixed, by reading from another thread;
//! * *locks*: critical sections under a lock made of read-modify-writes are serial (unsatisfiable), or one thread does not
//!   lock; *sections*: the same, with a choice of order for every two critical sections instead of a lock.
#![allow(clippy::print_stdout)]

#[path = "common/random.rs"]
mod random;

use base::{Budget, Id};
use random::Random;
use smt::order::problem::Choice;
use smt::order::{clocks, Event, Includes, Order, OrderId, Pairs, Problem, Statistics};
use smt::sat::Answer;
use smt::{Lit, Sat};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The time limit of a solver call. The time used up to it counts; for the ratio it is a bound only.
fn limit() -> Duration {
    let seconds = std::env::var("HEDDLE_BENCH_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(10))
}

/// CPU seconds of this thread, so that other work on the machine does not count; wall clock if the system does not
/// report them. Linux counts in ticks of some milliseconds: see [`average`].
fn now() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    let wall = || START.get_or_init(Instant::now).elapsed().as_secs_f64();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).map_or_else(wall, |time| time / 1e9)
}

/// The result of `work` and its seconds, averaged over as many runs as it takes to reach [`ENOUGH`].
fn average<T>(mut work: impl FnMut() -> T) -> (T, f64) {
    let start = now();
    let mut runs = 0.0;
    loop {
        let result = work();
        runs += 1.0;
        let seconds = now() - start;
        if seconds >= ENOUGH || runs >= 1000.0 {
            return (result, seconds / runs);
        }
    }
}

/// Seconds, many times the clock's tick.
const ENOUGH: f64 = 0.2;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Model {
    Sc,
    Tso,
}

/// An access of a thread.
#[derive(Clone)]
struct Access {
    thread: usize,
    location: usize,
    /// The values it may read, if it reads; empty for any.
    read: Option<Vec<u32>>,
    write: Option<u32>,
}

/// Accesses in an order consistent with program order; the initial writes come first, with a thread of their own.
struct Instance {
    name: String,
    model: Model,
    accesses: Vec<Access>,
    /// Clauses of (write, read) pairs one of which must be a reads-from.
    some_reads_from: Vec<Vec<(usize, usize)>>,
    /// Critical sections: the thread, the first and the last access. Sections of different threads are mutually
    /// exclusive.
    sections: Vec<(usize, usize, usize)>,
}

const INITIAL: usize = usize::MAX;

fn initial(locations: usize) -> Vec<Access> {
    (0..locations).map(|location| Access { thread: INITIAL, location, read: None, write: Some(0) }).collect()
}

/// The accesses of a random run under interleaving, with the values read.
fn run(random: &mut Random, events: usize, threads: usize, locations: usize, values: usize) -> Vec<Access> {
    let mut accesses = initial(locations);
    let mut memory = vec![0; locations];
    while accesses.len() < events {
        let (thread, location) = (random.below(threads), random.below(locations));
        let value = 1 + random.below(values) as u32;
        let (read, write) = match random.below(10) {
            0..=4 => (Some(vec![memory[location]]), None),
            5..=8 => (None, Some(value)),
            _ => (Some(vec![memory[location]]), Some(value)),
        };
        memory[location] = write.unwrap_or(memory[location]);
        accesses.push(Access { thread, location, read, write });
    }
    accesses
}

fn trace(
    model: Model,
    seed: u64,
    events: usize,
    threads: usize,
    locations: usize,
    values: usize,
    changes: usize,
) -> Instance {
    let mut random = Random(seed);
    let mut accesses = run(&mut random, events, threads, locations, values);
    let reads: Vec<usize> = (0..accesses.len()).filter(|&index| accesses[index].read.is_some()).collect();
    for _ in 0..changes {
        let index = reads[random.below(reads.len())];
        accesses[index].read = Some(vec![1 + random.below(values) as u32]);
    }
    let name = match model {
        Model::Sc => "sc",
        Model::Tso => "tso",
    };
    let name = format!("trace-{name} t{threads} x{locations} v{values} c{changes} s{seed}");
    Instance { name, model, accesses, some_reads_from: Vec::new(), sections: Vec::new() }
}

fn free(seed: u64, events: usize, threads: usize, locations: usize, fixed: usize) -> Instance {
    let mut random = Random(seed);
    let mut accesses = run(&mut random, events, threads, locations, 1_000_000);
    let mut reads: Vec<usize> = (0..accesses.len()).filter(|&index| accesses[index].read.is_some()).collect();
    accesses.iter_mut().filter(|access| access.read.is_some()).for_each(|access| access.read = Some(Vec::new()));
    let mut some_reads_from = Vec::new();
    for _ in 0..fixed {
        let read = reads.swap_remove(random.below(reads.len()));
        let writes: Vec<usize> = (0..accesses.len())
            .filter(|&write| {
                let (write, read) = (&accesses[write], &accesses[read]);
                write.write.is_some() && write.location == read.location && write.thread != read.thread
            })
            .collect();
        if !writes.is_empty() {
            some_reads_from.push((0..2).map(|_| (writes[random.below(writes.len())], read)).collect());
        }
    }
    Instance {
        name: format!("free t{threads} x{locations} f{fixed} s{seed}"),
        model: Model::Sc,
        accesses,
        some_reads_from,
        sections: Vec::new(),
    }
}

/// A run with a store buffer for each thread, as under tso. With few values, few runs can be distinguished from runs
/// under sc.
fn buffered(seed: u64, events: usize, threads: usize, locations: usize, values: usize) -> Instance {
    let mut random = Random(seed);
    let mut accesses = initial(locations);
    let mut memory = vec![0; locations];
    let mut buffers: Vec<Vec<(usize, u32)>> = vec![Vec::new(); threads];
    while accesses.len() < events {
        let (thread, location) = (random.below(threads), random.below(locations));
        let buffer = &mut buffers[thread];
        match random.below(8) {
            0..=2 => {
                let own = buffer.iter().rev().find(|(written, _)| *written == location);
                let value = own.map_or(memory[location], |&(_, value)| value);
                accesses.push(Access { thread, location, read: Some(vec![value]), write: None });
            }
            3..=5 => {
                let value = 1 + random.below(values) as u32;
                buffer.push((location, value));
                accesses.push(Access { thread, location, read: None, write: Some(value) });
            }
            _ if !buffer.is_empty() => {
                let (location, value) = buffer.remove(0);
                memory[location] = value;
            }
            _ => {}
        }
    }
    let name = format!("buffered-sc t{threads} x{locations} v{values} s{seed}");
    Instance { name, model: Model::Sc, accesses, some_reads_from: Vec::new(), sections: Vec::new() }
}

/// Each thread, `rounds` times: a critical section in which it writes x and reads it. Sections are ordered by a choice
/// of which comes first. Some read returns another's value.
fn sections(threads: usize, rounds: usize, careless: bool) -> Instance {
    let mut instance = locks(threads, rounds, careless);
    instance.name = instance.name.replace("locks", "sections");
    for (index, access) in instance.accesses.iter_mut().enumerate() {
        if access.location == 1 && access.thread != INITIAL {
            if access.read.is_some() {
                instance.sections.push((access.thread, index, index + 3));
            }
            // Locking and unlocking are not accesses here.
            (access.read, access.write) = (None, None);
        }
    }
    instance
}

/// Each thread, `rounds` times: lock, write x, read x, unlock. Some read returns another's value.
fn locks(threads: usize, rounds: usize, careless: bool) -> Instance {
    let mut accesses = initial(2);
    let mut wrong = Vec::new();
    let mut places = vec![Vec::new(); threads];
    for _ in 0..rounds {
        for (thread, places) in places.iter_mut().enumerate() {
            let locks = !(careless && thread == 0);
            if locks {
                accesses.push(Access { thread, location: 1, read: Some(vec![0]), write: Some(1) });
            }
            places.push(accesses.len());
            accesses.push(Access { thread, location: 0, read: None, write: Some(thread as u32 + 1) });
            accesses.push(Access { thread, location: 0, read: Some(Vec::new()), write: None });
            if locks {
                accesses.push(Access { thread, location: 1, read: None, write: Some(0) });
            }
        }
    }
    for (thread, places_of) in places.iter().enumerate().skip(1) {
        for &own in places_of {
            for (other, others) in places.iter().enumerate() {
                wrong.extend(others.iter().filter(|_| other != thread).map(|&write| (write, own + 1)));
            }
        }
    }
    let name = format!("locks t{threads} r{rounds}{}", if careless { " careless" } else { "" });
    Instance { name, model: Model::Sc, accesses, some_reads_from: vec![wrong], sections: Vec::new() }
}

/// An instance as declarations and clauses over variables from 2.
struct Declared {
    variables: i32,
    clauses: Vec<Vec<Lit>>,
    problem: Problem,
}

impl Declared {
    fn fresh(&mut self) -> Lit {
        self.variables += 1;
        Lit::from_dimacs(self.variables)
    }

    fn solver(&self) -> Sat {
        let mut sat = Sat::new();
        while sat.variables() < self.variables as usize {
            sat.fresh();
        }
        sat
    }

    fn by_theory(&self, hints: bool) -> (Option<Answer>, String) {
        let mut sat = self.solver();
        let mut order = Order::new(&mut sat);
        order.set_hints(hints);
        for index in 0..self.problem.orders() {
            order.order(self.problem.includes(OrderId::new(index)));
        }
        for index in 0..self.problem.events() {
            order.event(self.problem.thread_of(Event::new(index)));
        }
        for edge in &self.problem.edges {
            order.edge_if(&mut sat, &edge.when, edge.from, edge.to);
        }
        for co in &self.problem.write_order {
            order.write_order(&mut sat, co.lit, co.first, co.second);
        }
        for rf in &self.problem.reads_from {
            order.reads_from(&mut sat, rf.lit, rf.first, rf.second);
        }
        self.clauses.iter().for_each(|clause| sat.add(clause));
        let answer = sat.solve(&[], &Budget::new(Some(limit()), None)).ok();
        let Statistics { edges, conflicts, propagations, missed } = order.statistics();
        let statistics = format!("{} {conflicts} {propagations} {edges} {missed}", sat.conflicts());
        (answer, statistics)
    }

    fn by_clocks(&self) -> Option<Answer> {
        let mut sat = self.solver();
        clocks::encode(&self.problem, &mut sat);
        self.clauses.iter().for_each(|clause| sat.add(clause));
        sat.solve(&[], &Budget::new(Some(limit()), None)).ok()
    }
}

impl Instance {
    fn declare(&self) -> Declared {
        let mut declared = Declared { variables: 1, clauses: Vec::new(), problem: Problem::default() };
        let external = Includes { reads_from: Pairs::External, ..Includes::ALL };
        declared.problem.order(Includes::ALL);
        if self.model == Model::Tso {
            declared.problem.order(external);
        }
        let events: Vec<Event> =
            self.accesses.iter().map(|access| declared.problem.event(access.thread as u32)).collect();
        self.declare_program_order(&mut declared, &events);
        self.declare_write_order(&mut declared, &events);
        self.declare_reads_from(&mut declared, &events);
        self.declare_sections(&mut declared, &events);
        declared
    }

    fn declare_sections(&self, declared: &mut Declared, events: &[Event]) {
        let order = OrderId::new(0);
        for (index, &(thread, first, last)) in self.sections.iter().enumerate() {
            for &(_, other_first, other_last) in self.sections[..index].iter().filter(|section| section.0 != thread) {
                let lit = declared.fresh();
                for (lit, before, after) in [(lit, last, other_first), (!lit, other_last, first)] {
                    let node = |index: usize| declared.problem.node_at(events[index], order);
                    let (from, to) = (node(before), node(after));
                    declared.problem.edge(&[lit], None, from, to);
                }
            }
        }
    }

    fn declare_program_order(&self, declared: &mut Declared, events: &[Event]) {
        for (index, access) in self.accesses.iter().enumerate().filter(|(_, access)| access.thread != INITIAL) {
            let last = self.accesses[..index].iter().rposition(|other| other.thread == access.thread);
            for (before, other) in self.accesses[..index].iter().enumerate() {
                if other.thread != access.thread && other.thread != INITIAL {
                    continue;
                }
                let writes_then_reads = other.read.is_none() && access.write.is_none();
                let keeps = match self.model {
                    Model::Sc => [other.thread == INITIAL || Some(before) == last, false],
                    Model::Tso => [access.location == other.location, !writes_then_reads],
                };
                for order in (0..2).filter(|&order| keeps[order]).map(OrderId::new) {
                    let problem = &mut declared.problem;
                    let (from, to) = (problem.node_at(events[before], order), problem.node_at(events[index], order));
                    problem.edge(&[], None, from, to);
                }
            }
        }
    }

    fn declare_write_order(&self, declared: &mut Declared, events: &[Event]) {
        // Accesses are listed in the order of a real run and solvers first try variables true: a literal must not be
        // true for this very order, or satisfiable problems would reveal their solution.
        let mut random = Random(self.accesses.len() as u64);
        for (index, access) in self.accesses.iter().enumerate().filter(|(_, access)| access.write.is_some()) {
            for (before, other) in self.accesses[..index].iter().enumerate() {
                if other.write.is_some() && other.location == access.location {
                    let lit = declared.fresh().negate_if(random.below(2) == 0);
                    let (first, second) = (events[before], events[index]);
                    declared.problem.write_order.push(Choice { lit, first, second });
                    declared.problem.write_order.push(Choice { lit: !lit, first: second, second: first });
                    if other.thread == INITIAL {
                        declared.clauses.push(vec![lit]);
                    }
                }
            }
        }
    }

    fn declare_reads_from(&self, declared: &mut Declared, events: &[Event]) {
        let mut literals = BTreeMap::new();
        for (read, access) in self.accesses.iter().enumerate() {
            let Some(values) = &access.read else { continue };
            let mut sources: Vec<Lit> = Vec::new();
            for (write, other) in self.accesses.iter().enumerate() {
                let is_candidate = other.location == access.location
                    && write != read
                    && other.write.is_some_and(|value| values.is_empty() || values.contains(&value));
                if is_candidate {
                    let lit = declared.fresh();
                    declared.problem.reads_from.push(Choice { lit, first: events[write], second: events[read] });
                    sources.push(lit);
                    literals.insert((write, read), lit);
                }
            }
            declared.clauses.extend((0..sources.len()).flat_map(|last| {
                sources[..last].iter().map(|&source| vec![!source, !sources[last]]).collect::<Vec<_>>()
            }));
            declared.clauses.push(sources);
        }
        for pairs in &self.some_reads_from {
            declared.clauses.push(pairs.iter().filter_map(|pair| literals.get(pair).copied()).collect());
        }
    }
}

fn instances() -> Vec<Instance> {
    let mut instances = Vec::new();
    for (seed, events) in [50, 100, 200, 400].into_iter().enumerate() {
        let seed = seed as u64;
        for changes in [0, 1] {
            instances.push(trace(Model::Sc, seed, events, 4, 4 + events / 50, 4, changes));
            instances.push(trace(Model::Tso, seed + 100, events, 4, 4 + events / 50, 4, changes));
        }
        instances.push(trace(Model::Sc, seed + 200, events, 12, 3, 3, 0));
        instances.push(trace(Model::Sc, seed + 300, events, events / 4, 10, 2, 2));
        instances.push(trace(Model::Tso, seed + 300, events, events / 8, 2, 3, 1));
        instances.push(buffered(seed + 700, events, 4, 4, 2));
        instances.push(buffered(seed + 800, events, 8, 5, 2));
        instances.push(buffered(seed + 900, events, events / 8, 8, 1));
        instances.push(free(seed + 400, events, 4, 5, events / 25));
        instances.push(free(seed + 500, events, 6, 10, events / 10));
        instances.push(free(seed + 600, events, events / 8, 4, events / 10));
    }
    for (threads, rounds) in [(2, 7), (2, 9), (3, 3), (4, 3), (3, 12), (5, 10)] {
        instances.push(locks(threads, rounds, false));
        instances.push(locks(threads, rounds, true));
    }
    for (threads, rounds) in [(3, 6), (5, 5), (4, 12), (5, 20)] {
        instances.push(sections(threads, rounds, false));
        instances.push(sections(threads, rounds, true));
    }
    instances
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let hints = arguments.iter().any(|argument| argument == "hints");
    let theory_only = arguments.iter().any(|argument| argument == "theory");
    let filters: Vec<&String> =
        arguments.iter().filter(|argument| !["hints", "theory"].contains(&&argument[..])).collect();
    let (mut sum, mut count, mut both_stopped, mut worst) = (0.0, 0, 0, f64::INFINITY);
    println!(
        "{:34} {:>6} {:>7} {:>9} {:>9} {:>8}  conflicts, of the theory, propagations, edges, missed",
        "problem", "events", "answer", "clocks s", "theory s", "ratio"
    );
    for instance in instances() {
        if !filters.iter().all(|filter| instance.name.contains(filter.as_str())) {
            continue;
        }
        let declared = instance.declare();
        // A changed read may be left without any write to read from: nothing to measure.
        if declared.clauses.iter().any(Vec::is_empty) {
            continue;
        }
        let ((answer, statistics), theory) = average(|| declared.by_theory(hints));
        let (other, clocks) = if theory_only { (None, theory) } else { average(|| declared.by_clocks()) };
        if let (Some(answer), Some(other)) = (answer, other) {
            assert_eq!(answer, other, "{}: theory and clocks should agree", instance.name);
        }
        let ratio = clocks / theory;
        if answer.is_none() && other.is_none() {
            both_stopped += 1;
        } else {
            sum += ratio.ln();
            count += 1;
            if theory > 0.1 || clocks > 0.1 {
                worst = worst.min(ratio);
            }
        }
        let answer = answer.map_or_else(|| "stopped".to_owned(), |answer| format!("{answer:?}"));
        let stopped = if other.is_none() { ">" } else { "" };
        println!(
            "{:34} {:>6} {answer:>7} {stopped}{clocks:>8.3} {theory:>9.3} {ratio:>8.1}  {statistics}",
            instance.name,
            instance.accesses.len()
        );
    }
    println!("{count} problems: geometric mean {:.1}, worst over 0.1 s {worst:.2}", (sum / f64::from(count)).exp());
    println!("{both_stopped} more on which both were stopped");
}
