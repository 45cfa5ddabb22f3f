//! The loop over automata: the paper's examples, tampered certificates, and brute force.

use super::model::{Access, Model, NodeId, Step};
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

/// Example 1: threads that write x while they hold the lock m. `templates` kinds of thread, each of which is there once or
/// any number of times.
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

#[test]
fn example_1_is_proved_as_in_table_1() {
    for (templates, is_many) in [(2, false), (1, true), (2, true)] {
        for strength in [Strength::Havoc, Strength::Relational] {
            let mut model = example_1(templates, is_many, false);
            let modes = Modes { algorithm: Algorithm::FromBelow, strength: Some(strength) };
            let (conclusion, effort) = run(&mut model, modes);
            assert!(matches!(conclusion, Conclusion::Proved(_)), "{templates} {is_many} {strength:?}");
            println!("{effort:?}");
        }
    }
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
