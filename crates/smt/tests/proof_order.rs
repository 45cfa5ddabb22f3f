//! Certificates with lemmas of the order theory: each is checked against the declarations, and nothing else.
//!
//! `HEDDLE_FUZZ_ITERATIONS=N` (and `HEDDLE_FUZZ_SEED=S`) make the campaign longer; it prints what it met.

#[path = "common/random.rs"]
mod random;

use base::{Budget, Id};
use random::{from_environment, Random};
use smt::order::problem::Choice;
use smt::order::{Event, Includes, Node, Order, Pairs, Problem};
use smt::proof::check::{check, Checker, Clauses, Report};
use smt::proof::log::Log;
use smt::proof::order::{lemma_of, Ordered};
use smt::sat::Answer;
use smt::{Lit, Sat};
use std::cell::RefCell;
use std::rc::Rc;

impl Random {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// A solver with an order theory, and a checker that follows it.
struct Certified {
    sat: Sat,
    order: Rc<RefCell<Order>>,
    log: Rc<RefCell<Log<Vec<u8>>>>,
    literals: Vec<Lit>,
    checker: Checker,
    text: Vec<u8>,
}

impl Certified {
    fn new() -> Certified {
        let log = Log::new(Vec::new());
        let mut sat = Sat::with_tracer(log.clone());
        let mut order = Order::new(&mut sat);
        order.log_lemmas();
        let order = Rc::new(RefCell::new(order));
        let source = Rc::clone(&order);
        log.borrow_mut().set_source(move || {
            let lemmas = source.borrow_mut().take_lemmas();
            lemmas.iter().map(|lemma| (lemma.clause.clone(), lemma_of(lemma))).collect()
        });
        Certified { sat, order, log, literals: Vec::new(), checker: Checker::default(), text: Vec::new() }
    }

    fn fresh(&mut self) -> Lit {
        let lit = self.sat.fresh();
        self.literals.push(lit);
        lit
    }

    fn solve(&mut self, assumptions: &[Lit]) {
        let answer = self.sat.solve(assumptions, &Budget::unlimited());
        let text = self.log.borrow_mut().take().expect("memory");
        self.text.extend_from_slice(&text);
        let order = self.order.borrow();
        let problem = order.problem();
        let problem = Ordered::new(self.sat.inputs().expect("a tracer"), &problem);
        if let Err(failure) = self.checker.read(&text[..], &problem) {
            let line = String::from_utf8_lossy(&self.text).lines().nth(failure.line as usize - 1).map(str::to_owned);
            panic!("{failure}: {line:?}");
        }
        let query = self.checker.report().queries.last().expect("a query");
        match answer.expect("nothing should stop it") {
            Answer::Sat => assert_eq!(query.core, None),
            Answer::Unsat => assert!(query.proves(assumptions, &self.sat.core())),
        }
    }

    fn check(&self, text: &str) -> bool {
        let order = self.order.borrow();
        let problem = order.problem();
        check(text.as_bytes(), &Ordered::new(self.sat.inputs().expect("a tracer"), &problem)).is_ok()
    }
}

const SHAPES: [&[Includes]; 3] = [
    &[Includes::ALL],
    &[Includes::ALL, Includes { reads_from: Pairs::External, ..Includes::ALL }],
    &[Includes { reads_from: Pairs::All, ..Includes::NONE }, Includes::ALL],
];

/// Declares some events, edges and choices, and clauses that make some choices necessary.
fn declare(random: &mut Random, certified: &mut Certified, shape: &[Includes], events: &mut Vec<Event>) {
    let order = Rc::clone(&certified.order);
    let mut order = order.borrow_mut();
    let orders: Vec<_> = (0..shape.len()).map(Id::new).collect();
    for _ in 0..2 + random.below(5) {
        let event = order.event(random.below(3) as u32);
        if let Some(&before) = events.last() {
            for &in_order in &orders {
                let (from, to) = (order.node_at(before, in_order), order.node_at(event, in_order));
                if random.chance(3) {
                    order.edge(from, to);
                }
            }
        }
        events.push(event);
    }
    for _ in 0..1 + random.below(6) {
        let in_order = random.pick(&orders);
        let (from, to) = (order.node_at(random.pick(events), in_order), order.node_at(random.pick(events), in_order));
        let literals: Vec<Lit> =
            (0..1 + random.below(2)).map(|_| certified.fresh().negate_if(random.chance(3))).collect();
        if random.chance(3) {
            let other = random.pick(&orders);
            let path = (order.node_at(random.pick(events), other), order.node_at(random.pick(events), other));
            let when = if random.chance(2) { &[] } else { &literals[..] };
            order.edge_if_path(&mut certified.sat, when, path, from, to);
        } else if from != to {
            order.edge_if(&mut certified.sat, &literals, from, to);
        }
    }
    let writes: Vec<Event> = (0..3).map(|_| random.pick(events)).collect();
    for (i, &one) in writes.iter().enumerate() {
        for &other in writes[..i].iter().filter(|&&other| other != one) {
            let lit = certified.fresh();
            order.write_order(&mut certified.sat, lit, one, other);
            order.write_order(&mut certified.sat, !lit, other, one);
        }
    }
    for _ in 0..1 + random.below(3) {
        let read = random.pick(events);
        let mut choices = Vec::new();
        for &write in writes.iter().filter(|&&write| write != read) {
            let lit = certified.fresh();
            order.reads_from(&mut certified.sat, lit, write, read);
            choices.push(lit);
        }
        if !choices.is_empty() {
            certified.sat.add(&choices);
        }
    }
}

fn solve_in_parts(random: &mut Random) -> Certified {
    let mut certified = Certified::new();
    let shape = random.pick(&SHAPES);
    for includes in shape {
        certified.order.borrow_mut().order(*includes);
    }
    let mut events = Vec::new();
    // A few are large enough to make the solver simplify around the theory's variables.
    let is_large = random.chance(20);
    for _ in 0..if is_large { 5 } else { 1 + random.below(3) } {
        for _ in 0..if is_large { 3 } else { 1 } {
            declare(random, &mut certified, shape, &mut events);
        }
        for _ in 0..random.below(2 * events.len()) {
            let size = 2 + random.below(if is_large { 4 } else { 2 });
            let literals = certified.literals.clone();
            let clause: Vec<Lit> = (0..size).map(|_| random.pick(&literals).negate_if(random.chance(3))).collect();
            certified.sat.add(&clause);
        }
        for _ in 0..1 + random.below(3) {
            let count = random.below(5);
            let literals = certified.literals.clone();
            let assumptions: Vec<Lit> =
                (0..count).map(|_| random.pick(&literals).negate_if(random.chance(3))).collect();
            certified.solve(&assumptions);
        }
    }
    certified.solve(&[]);
    certified
}

/// Tampers with a lemma so that it cannot hold: a literal less in the clause, an edge less in the cycle, or an edge
/// with another target.
fn spoil(random: &mut Random, line: &str) -> String {
    let (clause, cycle) = line.split_once(" 0 cycle ").expect("a lemma");
    let mut literals: Vec<&str> = clause.split(' ').collect();
    if literals.len() > 2 && random.chance(2) {
        literals.remove(2 + random.below(literals.len() - 2));
        return format!("{} 0 cycle {cycle}", literals.join(" "));
    }
    let mut words: Vec<String> = cycle.split(' ').map(str::to_owned).collect();
    words[2] = (words[2].parse::<u32>().expect("a node") + 1).to_string();
    format!("{clause} 0 cycle {}", words.join(" "))
}

#[test]
fn every_unsat_with_orders_has_a_proof() {
    let seed = from_environment("HEDDLE_FUZZ_SEED", 1) * 1_000_000_000;
    let (mut sat, mut unsat, mut spoilt) = (0, 0, 0);
    let mut total = Report::default();
    let mut paths = 0;
    for iteration in seed..seed + from_environment("HEDDLE_FUZZ_ITERATIONS", 500) {
        let mut random = Random(iteration.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let certified = solve_in_parts(&mut random);
        let report = certified.checker.report();
        unsat += report.queries.iter().filter(|query| query.core.is_some()).count();
        sat += report.queries.iter().filter(|query| query.core.is_none()).count();
        total.lemmas += report.lemmas;
        total.derived += report.derived;
        let text = String::from_utf8(certified.text.clone()).unwrap();
        assert!(certified.check(&text));
        let lines: Vec<&str> = text.lines().collect();
        let lemmas: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].starts_with('t')).collect();
        paths += lemmas.iter().filter(|&&i| lines[i].contains('(')).count();
        if !lemmas.is_empty() {
            let at = random.pick(&lemmas);
            let line = spoil(&mut random, lines[at]);
            let mut proof: String = lines[..at].iter().flat_map(|line| [line, "\n"]).collect();
            proof += &line;
            proof += "\n";
            assert!(!certified.check(&proof), "accepted: {line}, which was {}", lines[at]);
            spoilt += 1;
        }
    }
    println!(
        "every_unsat_with_orders_has_a_proof: {sat} sat, {unsat} unsat; {} lemmas ({paths} with paths), {} derived; \
         {spoilt} spoilt lemmas rejected",
        total.lemmas, total.derived
    );
    assert!(sat > 0 && unsat > 0 && paths > 0 && spoilt > 0);
}

/// Total orders of n nodes, a literal for every pair, with random clauses until there is none: many conflicts.
fn total_orders(random: &mut Random) -> Certified {
    let mut certified = Certified::new();
    let order = Rc::clone(&certified.order);
    let whole = order.borrow_mut().order(Includes::NONE);
    let nodes: Vec<_> = (0..8 + random.below(12)).map(|_| order.borrow_mut().node(whole)).collect();
    for (i, &one) in nodes.iter().enumerate() {
        for &other in &nodes[..i] {
            let lit = certified.fresh();
            order.borrow_mut().edge_if(&mut certified.sat, &[lit], one, other);
            order.borrow_mut().edge_if(&mut certified.sat, &[!lit], other, one);
        }
    }
    // Variables unknown to the theory can be eliminated and restored.
    (0..certified.literals.len() / 3).for_each(|_| _ = certified.fresh());
    let literals = certified.literals.clone();
    let is_open = |certified: &Certified| {
        certified.checker.report().queries.last().is_none_or(|query| query.core != Some(Vec::new()))
    };
    while is_open(&certified) {
        for _ in 0..literals.len() / 8 {
            let clause: Vec<Lit> = (0..3).map(|_| random.pick(&literals).negate_if(random.chance(2))).collect();
            certified.sat.add(&clause);
        }
        let count = random.below(4);
        let assumptions: Vec<Lit> = (0..count).map(|_| random.pick(&literals).negate_if(random.chance(2))).collect();
        certified.solve(&assumptions);
    }
    certified
}

#[test]
fn hard_orders_have_proofs() {
    let seed = from_environment("HEDDLE_FUZZ_SEED", 1) * 1_000_000_000;
    let mut total = Report::default();
    let (mut conflicts, mut unsat) = (0, 0);
    for iteration in seed..seed + from_environment("HEDDLE_FUZZ_ITERATIONS", 400).div_ceil(20) {
        let mut random = Random(iteration.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let certified = total_orders(&mut random);
        let report = certified.checker.report();
        conflicts += certified.sat.conflicts();
        unsat += report.queries.iter().filter(|query| query.core.is_some()).count();
        total.lemmas += report.lemmas;
        total.derived += report.derived;
        total.restored += report.restored;
    }
    println!(
        "hard_orders_have_proofs: {unsat} unsat, {conflicts} conflicts; {} lemmas, {} derived, {} restored",
        total.lemmas, total.derived, total.restored
    );
    assert!(unsat > 0 && total.lemmas > 0);
}

/// Two orders; in the first, all but internal reads-from pairs are edges, in the second none. A write `w` and a read
/// `r` of thread 0, a write `v` and a read-modify-write `m` of thread 1. Nodes are numbered event by event: `w` has 0
/// and 1, `r` 2 and 3, `v` 4 and 5, `m` 6 and 7.
fn small_problem() -> Problem {
    let mut problem = Problem::default();
    problem.order(Includes { reads_from: Pairs::External, ..Includes::ALL });
    problem.order(Includes::NONE);
    let [w, r, v, m] = [0, 0, 1, 1].map(|thread| problem.event(thread));
    let choice = |lit, first, second| Choice { lit: Lit::from_dimacs(lit), first, second };
    problem.reads_from.extend([choice(10, w, r), choice(11, w, m)]);
    problem.write_order.extend([choice(20, w, v), choice(21, w, m), choice(22, v, w), choice(23, m, v)]);
    let mut edge = |when: &[i32], path: Option<(usize, usize)>, from: usize, to: usize| {
        let when: Vec<Lit> = when.iter().map(|lit| Lit::from_dimacs(*lit)).collect();
        problem.edge(&when, path.map(|(from, to)| (Node::new(from), Node::new(to))), Id::new(from), Id::new(to));
    };
    edge(&[30], None, 4, 2);
    edge(&[31], Some((1, 5)), 2, 0);
    edge(&[], None, 1, 3);
    edge(&[32], None, 3, 5);
    edge(&[33], Some((1, 1)), 0, 4);
    problem
}

#[test]
fn edges_that_were_not_declared() {
    for (lemma, expected) in [
        // From-reads.
        ("-10 -20 -30 0 cycle e 2 4 10 20 0 e 4 2 30 0", ""),
        ("-10 -20 -30 0 cycle e 2 4 20 10 0 e 4 2 30 0", ""),
        ("-10 -20 -30 -9 0 cycle e 2 4 10 20 9 0 e 4 2 30 0", ""),
        ("-10 -30 0 cycle e 2 4 10 0 e 4 2 30 0", "from 2 to 4"),
        ("-20 -30 0 cycle e 2 4 20 0 e 4 2 30 0", "from 2 to 4"),
        ("-10 -23 -30 0 cycle e 2 4 10 23 0 e 4 2 30 0", "from 2 to 4"),
        ("-11 -20 -30 0 cycle e 2 4 11 20 0 e 4 2 30 0", "from 2 to 4"),
        ("-10 -20 0 cycle e 3 5 10 20 0 e 5 3 0", "from 3 to 5"),
        ("-11 -21 0 cycle e 6 6 11 21 0", "from 6 to 6"),
        // Conditions.
        ("-10 -20 0 cycle e 2 4 10 20 0 e 4 2 0", "from 4 to 2"),
        ("-10 -20 30 0 cycle e 2 4 10 20 0 e 4 2 -30 0", "from 4 to 2"),
        // Choices.
        ("-20 -22 0 cycle e 0 4 20 0 e 4 0 22 0", ""),
        ("-20 0 cycle e 0 4 20 0 e 4 0 20 0", "from 4 to 0"),
        ("-20 -22 0 cycle e 1 5 20 0 e 5 1 22 0", "from 1 to 5"),
        ("-10 -31 0 cycle e 0 2 10 0 e 2 0 31 0", "from 0 to 2"),
        ("-11 -21 0 cycle e 0 6 11 0 e 6 0 21 0", "from 6 to 0"),
        // Paths.
        ("-20 -30 -31 -32 0 cycle e 0 4 20 0 e 4 2 30 0 e 2 0 31 0 ( e 1 3 0 e 3 5 32 0 )", ""),
        ("-20 -30 -32 0 cycle e 0 4 20 0 e 4 2 30 0 e 2 0 0 ( e 1 3 0 e 3 5 32 0 )", "from 2 to 0"),
        ("-20 -30 -31 0 cycle e 0 4 20 0 e 4 2 30 0 e 2 0 31 0 ( e 1 3 0 )", "from 2 to 0"),
        ("-20 -30 -31 0 cycle e 0 4 20 0 e 4 2 30 0 e 2 0 31 0 ( e 1 3 0 e 3 5 0 )", "from 3 to 5"),
        ("-20 -30 -31 0 cycle e 0 4 20 0 e 4 2 30 0 e 2 0 31 0", "from 2 to 0"),
        ("-10 -20 -30 0 cycle e 2 4 10 20 0 e 4 2 30 0 ( e 1 3 0 )", "from 4 to 2"),
        ("-22 -33 0 cycle e 0 4 33 0 e 4 0 22 0", ""),
        // Nodes that do not exist.
        ("0 cycle e 8 8 0", "from 8 to 8"),
        ("0 cycle e 0 0 0 ( e 4000000000 4000000000 0 )", "from 0 to 0"),
    ] {
        let (clauses, problem) = (Clauses::default(), small_problem());
        let text = format!("heddle proof 1\nt 1 {lemma}\n");
        let result = check(text.as_bytes(), &Ordered::new(&clauses, &problem));
        let message = result.err().map_or(String::new(), |failure| failure.to_string());
        let expected = match expected {
            "" => String::new(),
            ends => format!("line 2: there is no edge {ends} for the reasons given"),
        };
        assert_eq!(message, expected, "{lemma}");
    }
}
