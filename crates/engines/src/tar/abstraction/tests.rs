//! The loop over automata: the paper's examples, tampered certificates, and brute force.

use super::certificate::{check, Failure};
use super::model::{Access, Fault, Model, NodeId, Step};
use super::*;
use smt::{Bits, Sort};

fn access(model: &mut Model, object: usize, writes: bool) -> Access {
    Access {
        object: base::Id::new(object),
        is_ghost: false,
        offset: model.terms.bits(Bits::zero(64)),
        bytes: 4,
        reads: !writes,
        writes,
        is_atomic: false,
        acquires: false,
        releases: false,
        is_in_region: false,
    }
}

fn step(model: &mut Model, from: NodeId, to: NodeId, guard: Term, updates: Vec<(Term, Term)>) {
    model.step(Step { from, to, guard, updates });
}

/// Example 1: threads that write x while they hold the lock m. `templates` kinds of threads, each with one thread or
/// any number of threads.
fn example_1(templates: usize, is_many: bool, is_buggy: bool) -> Model {
    let mut model = Model::default();
    let m = model.terms.variable("m", Sort::Bits(32));
    let x = model.terms.variable("x", Sort::Bits(32));
    model.shared = vec![m, x];
    let (zero, always) = (model.terms.number(32, 0), model.terms.bool(true));
    model.initial = vec![(m, zero), (x, zero)];
    for index in 0..templates {
        let template = model.template(&format!("thread {index}"));
        let nodes: Vec<NodeId> = (0..3).map(|at| model.node(template, &format!("{}{at}", ["a", "b"][index]))).collect();
        let number = model.templates[template].number;
        let is_free = if is_buggy && index == 0 { always } else { model.terms.eq(m, zero) };
        step(&mut model, nodes[0], nodes[1], is_free, vec![(m, number)]);
        step(&mut model, nodes[1], nodes[2], always, vec![(x, number)]);
        step(&mut model, nodes[2], nodes[0], always, vec![(m, zero)]);
        let writes = access(&mut model, 0, true);
        model.nodes[nodes[1]].accesses.push(writes);
        model.entries.push(nodes[0]);
    }
    for one in model.templates.ids() {
        for two in model.templates.ids().filter(|two| is_many || one != *two) {
            model.templates[one].siblings.insert(two);
        }
    }
    model
}

const BELOW: Modes = Modes { algorithm: Algorithm::FromBelow, strength: None };

fn run(model: &mut Model, modes: Modes) -> (Conclusion, Effort) {
    let mut abstraction = Abstraction::new(model, &Budget::unlimited());
    let conclusion = abstraction.run(modes).unwrap();
    (conclusion, abstraction.effort)
}

fn are_equivalent(model: &mut Model, one: Term, two: Term) -> bool {
    let differ = model.terms.xor(one, two);
    let mut solver = smt::Solver::new();
    solver.check(&mut model.terms, &[differ], &Budget::unlimited()) == Ok(smt::Answer::Unsat)
}

/// Table 1: with the predicates of the first iteration, the second finds no error and the environment assumption `m =
/// 0, m' = i` or `m = i, m' = 0`, and the third finds that it suffices.
#[test]
fn example_1_is_proved_as_in_table_1() {
    let mut model = example_1(2, false, false);
    let (m, zero) = (model.shared[0], model.terms.number(32, 0));
    let is_free = model.terms.eq(m, zero);
    let mut abstraction = Abstraction::new(&mut model, &Budget::unlimited());
    for node in abstraction.precision.ids() {
        let number = abstraction.model.templates[abstraction.model.nodes[node].template].number;
        let is_own = abstraction.model.terms.eq(m, number);
        abstraction.precision[node].extend([is_free, is_own]);
    }
    let modes = Modes { algorithm: Algorithm::FromBelow, strength: Some(Strength::Relational) };
    let Ok(Conclusion::Proved(certificate)) = abstraction.run(modes) else { panic!("example 1 is not proved") };
    assert_eq!((abstraction.effort.outer, abstraction.effort.inner), (0, 1));
    for (lock, write, release) in [(0, 1, 2), (3, 4, 5)] {
        let [lock, write, release] = [lock, write, release].map(base::Id::new);
        let number = model.templates[model.nodes[model.steps[lock].from].template].number;
        let is_number = model.is_number(number);
        let is_own = model.terms.eq(m, number);
        let mut assumed = |step: model::StepId, expected: Term| {
            let guarded = model.terms.and([certificate.environment[step], model.steps[step].guard, is_number]);
            let expected = model.terms.and2(expected, is_number);
            assert!(are_equivalent(&mut model, guarded, expected), "{step}");
        };
        assumed(lock, is_free);
        assumed(write, is_own);
        assumed(release, is_own);
    }
}

/// The number of resets and weakenings, starting without predicates.
#[test]
fn example_1_is_proved_from_no_predicates() {
    let mut told = Vec::new();
    for (templates, is_many) in [(2, false), (1, true), (2, true)] {
        for strength in [Strength::Havoc, Strength::Relational] {
            let mut model = example_1(templates, is_many, false);
            let modes = Modes { algorithm: Algorithm::FromBelow, strength: Some(strength) };
            let (conclusion, effort) = run(&mut model, modes);
            assert!(matches!(conclusion, Conclusion::Proved(_)), "{templates} {is_many} {strength:?}");
            told.push((effort.outer, effort.inner, effort.predicates));
        }
    }
    assert_eq!(told, [(3, 1, 2), (5, 1, 3), (2, 1, 1), (3, 1, 2), (3, 1, 2), (4, 1, 3)]);
}

#[test]
fn example_1_is_not_strongly_thread_modular() {
    let mut model = example_1(2, false, false);
    let modes = Modes { algorithm: Algorithm::FromAbove, strength: Some(Strength::Relational) };
    let (conclusion, _) = run(&mut model, modes);
    let Conclusion::Open(reasons) = conclusion else { panic!("algorithm B proves example 1") };
    assert!(reasons.iter().any(|reason| reason.detail.contains("not provable thread by thread")), "{reasons:?}");
}

#[test]
fn a_lock_that_is_taken_anyway_protects_nothing() {
    let mut model = example_1(2, false, true);
    let (conclusion, _) = run(&mut model, BELOW);
    assert!(matches!(conclusion, Conclusion::Open(_)));
}

/// Every part of the certificate of Example 1 is necessary.
#[test]
fn tampered_certificates_are_refused() {
    let mut model = example_1(2, false, false);
    let (Conclusion::Proved(good), _) = run(&mut model, BELOW) else { panic!("example 1 is not proved") };
    let budget = Budget::unlimited();
    assert!(check(&mut model, &good, &budget).is_ok());
    let never = model.terms.bool(false);
    let mut refused = 0;
    let mut refuse = |model: &mut Model, bad: &Certificate| {
        assert!(matches!(check(model, bad, &budget), Err(Failure::Wrong(_))));
        refused += 1;
    };
    for node in model.nodes.ids() {
        let mut bad = good.clone();
        bad.invariants[node] = never;
        refuse(&mut model, &bad);
    }
    for step in model.steps.ids().filter(|step| base::Id::index(*step) % 3 != 1) {
        let mut bad = good.clone();
        bad.environment[step] = never;
        refuse(&mut model, &bad);
    }
    // Weaken the invariant "the lock is held where x is written", or let the environment release it at any time.
    let always = model.terms.bool(true);
    for node in [1, 4] {
        let mut bad = good.clone();
        bad.invariants[base::Id::new(node)] = always;
        refuse(&mut model, &bad);
    }
    for step in [2, 5] {
        let mut bad = good.clone();
        bad.environment[base::Id::new(step)] = always;
        refuse(&mut model, &bad);
    }
    let mut bad = good.clone();
    bad.invariants = IdVec::filled(always, 3);
    refuse(&mut model, &bad);
    assert_eq!(refused, 15);
}

/// Automata over Boolean variables, as data.
#[derive(Clone, Debug)]
struct Tiny {
    threads: [Vec<TinyStep>; 2],
    initial: u8,
    /// A node of the first thread with a forbidden valuation, and two nodes that must not be occupied at the same time.
    fault: (usize, u8, u8),
    race: (usize, usize),
}

/// Source and target; bits 0 and 1 are shared, bit 2 is private: the tested bits and their values, the assigned bits
/// and their values.
#[derive(Clone, Copy, Debug)]
struct TinyStep {
    from: usize,
    to: usize,
    tested: u8,
    values: u8,
    changed: u8,
    to_values: u8,
}

const NODES: usize = 3;

struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % most
    }

    fn bits(&mut self) -> u8 {
        self.below(8) as u8
    }
}

fn tiny(seed: u64) -> Tiny {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..8 {
        random.below(2);
    }
    let thread = |random: &mut Random| {
        (0..random.below(4) + 2)
            .map(|_| TinyStep {
                from: random.below(NODES as u64) as usize,
                to: random.below(NODES as u64) as usize,
                tested: random.bits() & random.bits(),
                values: random.bits(),
                changed: random.bits() & random.bits(),
                to_values: random.bits(),
            })
            .collect::<Vec<_>>()
    };
    let threads = [thread(&mut random), thread(&mut random)];
    let fault = (random.below(NODES as u64) as usize, random.bits() | random.bits(), random.bits());
    let race = (random.below(NODES as u64) as usize, random.below(NODES as u64) as usize);
    Tiny { threads, initial: random.bits() & 3, fault, race }
}

/// Brute-force thread-modular checking: all pairs of a node and a valuation, and all changes of shared values.
fn is_safe_by_brute_force(tiny: &Tiny) -> bool {
    let mut reached = [[[false; 8]; NODES]; 2];
    for thread in &mut reached {
        thread[0][tiny.initial as usize] = true;
        thread[0][tiny.initial as usize | 4] = true;
    }
    loop {
        let before = reached;
        for (index, steps) in tiny.threads.iter().enumerate() {
            for step in steps {
                for values in 0..8u8 {
                    let is_taken = before[index][step.from][values as usize];
                    if !is_taken || (values ^ step.values) & step.tested != 0 {
                        continue;
                    }
                    let after = values & !step.changed | step.to_values & step.changed;
                    reached[index][step.to][after as usize] = true;
                    for node in 0..NODES {
                        for own in [0, 4] {
                            if before[1 - index][node][(values & 3 | own) as usize] {
                                reached[1 - index][node][(after & 3 | own) as usize] = true;
                            }
                        }
                    }
                }
            }
        }
        if reached == before {
            break;
        }
    }
    let (node, tested, values) = tiny.fault;
    let fails = (0..8u8).any(|at| reached[0][node][at as usize] && (at ^ values) & tested == 0);
    let meet = (0..4).any(|shared| {
        let is_there = |thread: usize, node: usize| reached[thread][node][shared] || reached[thread][node][shared | 4];
        is_there(0, tiny.race.0) && is_there(1, tiny.race.1)
    });
    !fails && !meet
}

/// The automata as a model, and each thread's variables as predicates.
fn automata(tiny: &Tiny) -> (Model, [Vec<Term>; 2]) {
    let mut model = Model::default();
    let (zero, one) = (model.terms.number(1, 0), model.terms.number(1, 1));
    let shared = ["x", "y"].map(|name| model.terms.variable(name, Sort::Bits(1)));
    model.shared = shared.to_vec();
    for (bit, variable) in shared.into_iter().enumerate() {
        model.initial.push((variable, if tiny.initial >> bit & 1 == 1 { one } else { zero }));
    }
    let mut all = [vec![], vec![]];
    for (index, steps) in tiny.threads.iter().enumerate() {
        let template = model.template("thread");
        let private = model.private(template, "p", 1);
        let variables = [shared[0], shared[1], private];
        let nodes: Vec<NodeId> = (0..NODES).map(|_| model.node(template, "")).collect();
        let value = |bits: u8, bit: usize| if bits >> bit & 1 == 1 { one } else { zero };
        let equal = |model: &mut Model, tested: u8, bits: u8| {
            let tested = (0..3).filter(|bit| tested >> bit & 1 == 1);
            let parts: Vec<Term> = tested.map(|bit| model.terms.eq(variables[bit], value(bits, bit))).collect();
            model.terms.and(parts)
        };
        for tiny_step in steps {
            let guard = equal(&mut model, tiny_step.tested, tiny_step.values);
            let changed = (0..3).filter(|bit| tiny_step.changed >> bit & 1 == 1);
            let updates = changed.map(|bit| (variables[bit], value(tiny_step.to_values, bit))).collect();
            step(&mut model, nodes[tiny_step.from], nodes[tiny_step.to], guard, updates);
        }
        if index == 0 {
            let guard = equal(&mut model, tiny.fault.1, tiny.fault.2);
            let reason = Reason::new(ReasonKind::Imprecise, "fault");
            model.nodes[nodes[tiny.fault.0]].faults.push(Fault { guard, reason });
        }
        let writes = access(&mut model, 0, true);
        model.nodes[nodes[[tiny.race.0, tiny.race.1][index]]].accesses.push(writes);
        model.entries.push(nodes[0]);
        all[index] = variables.iter().map(|&variable| model.terms.eq(variable, one)).collect();
    }
    let [first, second] = [0, 1].map(base::Id::new);
    model.templates[first].siblings.insert(second);
    model.templates[second].siblings.insert(first);
    (model, all)
}

/// Theorem 3b: with every valuation as a predicate, the answer is that of brute-force thread-modular checking; so it is
/// with the predicates found by refinement.
#[test]
fn answers_are_those_of_brute_force() {
    let relational = Modes { algorithm: Algorithm::FromBelow, strength: Some(Strength::Relational) };
    let (mut safe, mut missed) = (0, Vec::new());
    for seed in 0..150 {
        let tiny = tiny(seed);
        let is_safe = is_safe_by_brute_force(&tiny);
        safe += u64::from(is_safe);
        let (mut model, predicates) = automata(&tiny);
        let nodes: Vec<NodeId> = model.nodes.ids().collect();
        let mut abstraction = Abstraction::new(&mut model, &Budget::unlimited());
        for node in nodes {
            let index = base::Id::index(abstraction.model.nodes[node].template);
            abstraction.precision[node].extend(predicates[index].iter().copied());
        }
        let conclusion = abstraction.run(relational).unwrap();
        assert_eq!(matches!(conclusion, Conclusion::Proved(_)), is_safe, "seed {seed}: {tiny:?}");
        for modes in [relational, BELOW] {
            let (mut model, _) = automata(&tiny);
            let is_proved = matches!(run(&mut model, modes).0, Conclusion::Proved(_));
            assert!(is_safe || !is_proved, "seed {seed}: {tiny:?}");
            if is_safe && !is_proved {
                missed.push(seed);
            }
        }
        // Everything proved from above is proved from below.
        let (mut model, _) = automata(&tiny);
        let above = Modes { algorithm: Algorithm::FromAbove, strength: Some(Strength::Relational) };
        assert!(is_safe || !matches!(run(&mut model, above).0, Conclusion::Proved(_)), "seed {seed}: {tiny:?}");
    }
    assert!((20..130).contains(&safe), "{safe} are safe");
    assert_eq!(missed, Vec::<u64>::new(), "of {safe}");
}
