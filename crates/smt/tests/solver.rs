//! The solver on formulas whose answers are known.

use base::Budget;
use smt::{Answer, Bits, Solver, Sort, Term, Terms};

struct Case {
    terms: Terms,
    solver: Solver,
}

impl Case {
    fn new() -> Case {
        Case { terms: Terms::new(), solver: Solver::new() }
    }

    fn bits(&mut self, name: &str, width: u32) -> Term {
        self.terms.variable(name, Sort::Bits(width))
    }

    fn array(&mut self, name: &str, index: u32, element: u32) -> Term {
        self.terms.variable(name, Sort::Array { index, element })
    }

    fn assert(&mut self, term: Term) {
        self.solver.assert(&mut self.terms, term);
    }

    fn refute(&mut self, term: Term) {
        let negated = self.terms.not(term);
        self.assert(negated);
    }

    fn check(&mut self, assumptions: &[Term]) -> Answer {
        self.solver.check(&mut self.terms, assumptions, &Budget::unlimited()).expect("there is no limit")
    }
}

#[test]
fn a_chain_of_local_additions_folds() {
    let mut case = Case::new();
    let read = case.bits("x", 32);
    let one = case.terms.number(32, 1);
    let sum = (0..100).fold(read, |sum, _| case.terms.add(sum, one));
    let hundred = case.terms.number(32, 100);
    assert_eq!(sum, case.terms.add(read, hundred));
    assert_eq!(case.terms.sub(sum, read), hundred);
    let same = case.terms.eq(sum, read);
    assert_eq!(case.terms.as_bool(same), Some(false));
}

#[test]
fn bytes_put_together_are_the_word_again() {
    let mut case = Case::new();
    let word = case.bits("x", 32);
    let mut back = case.terms.number(32, 0);
    for byte in 0..4u32 {
        let slice = case.terms.extract(byte * 8 + 7, byte * 8, word);
        let wide = case.terms.zero_extend(24, slice);
        let by = case.terms.number(32, u64::from(byte * 8));
        let placed = case.terms.shl(wide, by);
        back = case.terms.add(back, placed);
    }
    let same = case.terms.eq(back, word);
    case.refute(same);
    assert_eq!(case.check(&[]), Answer::Unsat);
}

#[test]
fn levels_come_and_go() {
    let mut case = Case::new();
    let x = case.bits("x", 8);
    let (three, five) = (case.terms.number(8, 3), case.terms.number(8, 5));
    let (small, large) = (case.terms.ult(x, three), case.terms.ult(five, x));
    case.assert(small);
    case.solver.push();
    case.assert(large);
    assert_eq!(case.check(&[]), Answer::Unsat);
    assert!(case.solver.core().is_empty());
    case.solver.pop();
    assert_eq!(case.check(&[]), Answer::Sat);
    case.solver.push();
    assert_eq!(case.check(&[large]), Answer::Unsat);
    assert_eq!(case.solver.core(), [large]);
}

#[test]
fn cores_are_minimised_on_request() {
    let mut case = Case::new();
    let variables: Vec<Term> = (0..6).map(|index| case.bits(&format!("x{index}"), 8)).collect();
    let mut steps: Vec<Term> = variables.windows(2).map(|pair| case.terms.ult(pair[0], pair[1])).collect();
    let back = case.terms.ult(variables[3], variables[0]);
    steps.push(back);
    assert_eq!(case.check(&steps), Answer::Unsat);
    let mut expected = vec![steps[0], steps[1], steps[2], back];
    expected.sort_unstable();
    assert_eq!(case.solver.minimal_core(&mut case.terms, &Budget::unlimited()), expected);
}

#[test]
fn minimal_cores_are_certified() {
    let mut case = Case { solver: Solver::with_certificates(), ..Case::new() };
    let x = case.bits("x", 8);
    let (three, five, nine) = (case.terms.number(8, 3), case.terms.number(8, 5), case.terms.number(8, 9));
    let bounds = [case.terms.ult(nine, x), case.terms.ult(x, five), case.terms.ult(x, three)];
    assert_eq!(case.check(&bounds), Answer::Unsat);
    let core = case.solver.minimal_core(&mut case.terms, &Budget::unlimited());
    assert_eq!(core.len(), 2);
    case.solver.certify(&mut case.terms, &Budget::unlimited()).expect("a proof");
    assert_eq!(case.solver.core(), core);
}

#[test]
fn equal_arrays_have_equal_elements() {
    let mut case = Case::new();
    let (a, b) = (case.array("a", 8, 16), case.array("b", 8, 16));
    let (i, j, v) = (case.bits("i", 8), case.bits("j", 8), case.bits("v", 16));
    let written = case.terms.store(a, i, v);
    let same = case.terms.eq(written, b);
    case.assert(same);
    let (from_a, from_b) = (case.terms.select(a, j), case.terms.select(b, j));
    let agree = case.terms.eq(from_a, from_b);
    case.refute(agree);
    assert_eq!(case.check(&[]), Answer::Sat);
    let elsewhere = case.terms.distinct(&[i, j]);
    assert_eq!(case.check(&[elsewhere]), Answer::Unsat);
    assert_eq!(case.solver.core(), [elsewhere]);
}

#[test]
fn different_arrays_differ_somewhere() {
    let mut case = Case::new();
    let (a, b) = (case.array("a", 1, 2), case.array("b", 1, 2));
    for index in 0..2 {
        let index = case.terms.number(1, index);
        let (x, y) = (case.terms.select(a, index), case.terms.select(b, index));
        let same = case.terms.eq(x, y);
        case.assert(same);
    }
    let same = case.terms.eq(a, b);
    let differ = case.terms.not(same);
    assert_eq!(case.check(&[differ]), Answer::Unsat);
    assert_eq!(case.check(&[same]), Answer::Sat);
}

#[test]
fn constant_arrays_differ_unless_every_index_is_written() {
    for (index_width, stores, answer) in [(1, 1, Answer::Unsat), (1, 2, Answer::Sat), (2, 3, Answer::Unsat)] {
        let mut case = Case::new();
        let (zero, one) = (case.terms.bits(Bits::zero(4)), case.terms.bits(Bits::one(4)));
        let (zeros, ones) = (case.terms.constant_array(index_width, zero), case.terms.constant_array(index_width, one));
        let mut written = zeros;
        for place in 0..stores {
            let index = case.bits(&format!("i{place}"), index_width);
            let value = case.bits(&format!("v{place}"), 4);
            written = case.terms.store(written, index, value);
        }
        let same = case.terms.eq(written, ones);
        case.assert(same);
        assert_eq!(case.check(&[]), answer, "{stores} stores, {index_width} bits");
    }
}

#[test]
fn arrays_of_popped_levels_do_not_matter() {
    let mut case = Case::new();
    let (a, b) = (case.array("a", 4, 4), case.array("b", 4, 4));
    let i = case.bits("i", 4);
    case.solver.push();
    let same = case.terms.eq(a, b);
    case.assert(same);
    let (x, y) = (case.terms.select(a, i), case.terms.select(b, i));
    let agree = case.terms.eq(x, y);
    let disagree = case.terms.not(agree);
    assert_eq!(case.check(&[disagree]), Answer::Unsat);
    case.solver.pop();
    assert_eq!(case.check(&[disagree]), Answer::Sat);
    let (x, y) = (case.solver.value(&case.terms, x), case.solver.value(&case.terms, y));
    assert_ne!(x, y);
}

/// Also if the arrays were added at a level that is popped.
#[test]
fn literals_mean_their_terms_with_arrays() {
    for is_popped in [false, true] {
        let mut case = Case::new();
        let (a, b) = (case.array("a", 8, 8), case.array("b", 8, 8));
        let i = case.bits("i", 8);
        let (x, y) = (case.terms.select(a, i), case.terms.select(b, i));
        let (same, differ) = (case.terms.eq(a, b), case.terms.distinct(&[x, y]));
        let wrong = case.terms.and2(same, differ);
        if is_popped {
            case.solver.push();
            case.assert(wrong);
        }
        let lit = case.solver.literal(&mut case.terms, wrong);
        if is_popped {
            case.solver.pop();
        }
        let name = case.terms.variable("name", Sort::Bool);
        case.solver.define(name, lit);
        assert_eq!(case.check(&[name]), Answer::Unsat);
        assert_eq!(case.check(&[differ]), Answer::Sat);
    }
}

#[test]
fn division_is_as_in_smt_lib() {
    let mut case = Case::new();
    let (a, b) = (case.bits("a", 6), case.bits("b", 6));
    let (quotient, rest) = (case.terms.udiv(a, b), case.terms.urem(a, b));
    let product = case.terms.mul(quotient, b);
    let back = case.terms.add(product, rest);
    let same = case.terms.eq(back, a);
    case.refute(same);
    assert_eq!(case.check(&[]), Answer::Unsat, "a = (a / b) * b + a % b, even for b = 0");
}

#[test]
fn answers_are_certified_with_arrays_and_orders() {
    let mut terms = Terms::new();
    let mut solver = Solver::with_certificates();
    let budget = Budget::unlimited();
    let sort = Sort::Array { index: 4, element: 8 };
    let (a, b) = (terms.variable("a", sort), terms.variable("b", sort));
    let (i, j, v) =
        (terms.variable("i", Sort::Bits(4)), terms.variable("j", Sort::Bits(4)), terms.variable("v", Sort::Bits(8)));
    let written = terms.store(a, i, v);
    let same = terms.eq(written, b);
    let (from_a, from_b) = (terms.select(a, j), terms.select(b, j));
    let agree = terms.eq(from_a, from_b);
    let disagree = terms.not(agree);
    let elsewhere = terms.distinct(&[i, j]);
    solver.push();
    solver.assert(&mut terms, same);
    assert_eq!(solver.check(&mut terms, &[disagree, elsewhere], &budget), Ok(Answer::Unsat));
    solver.certify(&mut terms, &budget).expect("a proof");
    solver.pop();
    assert_eq!(solver.check(&mut terms, &[disagree, elsewhere], &budget), Ok(Answer::Sat));
    // Whichever way the two arrays differ, one of two edges closes a cycle.
    let lit = solver.literal(&mut terms, same);
    let (order, sat) = solver.order();
    let sc = order.order(smt::order::Includes::ALL);
    let (first, second) = (order.node(sc), order.node(sc));
    order.edge(first, second);
    order.edge_if(sat, &[lit], second, first);
    assert_eq!(solver.check(&mut terms, &[elsewhere, same], &budget), Ok(Answer::Unsat));
    assert_eq!(solver.core(), [same]);
    solver.certify(&mut terms, &budget).expect("a proof");
}

/// Each array is used twice by the next one: shared subterms must be read once.
#[test]
fn deep_arrays_are_certified() {
    let mut case = Case { solver: Solver::with_certificates(), ..Case::new() };
    let k = case.bits("k", 16);
    let first = case.array("m", 16, 8);
    let mut array = first;
    let mut elsewhere = Vec::new();
    for step in 0..60 {
        let (i, j) = (case.bits("i", 16), case.bits("j", 16));
        let value = case.bits("v", 8);
        let condition = case.terms.variable(format!("c{step}"), Sort::Bool);
        let written = case.terms.store(array, j, value);
        let chosen = case.terms.ite(condition, array, written);
        array = case.terms.store(chosen, i, value);
        elsewhere.push(case.terms.distinct(&[i, k]));
        elsewhere.push(condition);
    }
    let (before, after) = (case.terms.select(first, k), case.terms.select(array, k));
    let same = case.terms.eq(before, after);
    case.refute(same);
    assert_eq!(case.check(&elsewhere), Answer::Unsat);
    case.solver.certify(&mut case.terms, &Budget::unlimited()).expect("a proof");
}

/// Each edge of an order follows from the one before it.
#[test]
fn paths_within_paths_are_certified() {
    let mut case = Case { solver: Solver::with_certificates(), ..Case::new() };
    let guard = case.terms.variable("p", Sort::Bool);
    let lit = case.solver.literal(&mut case.terms, guard);
    let (order, sat) = case.solver.order();
    let id = order.order(smt::order::Includes::NONE);
    let nodes: Vec<_> = (0..400).map(|_| order.node(id)).collect();
    order.edge_if(sat, &[lit], nodes[0], nodes[1]);
    for pair in 1..200 {
        let path = (nodes[2 * pair - 2], nodes[2 * pair - 1]);
        order.edge_if_path(sat, &[], path, nodes[2 * pair], nodes[2 * pair + 1]);
    }
    order.edge(nodes[399], nodes[398]);
    assert_eq!(case.check(&[guard]), Answer::Unsat);
    case.solver.certify(&mut case.terms, &Budget::unlimited()).expect("a proof");
}

#[test]
fn nothing_is_satisfiable() {
    let mut terms = Terms::new();
    let answer = Solver::new().check(&mut terms, &[], &Budget::unlimited());
    assert_eq!(answer, Ok(Answer::Sat));
}

/// Each value is used twice by the next one: each term must be processed once.
#[test]
fn slices_and_reads_of_chains_take_no_exponential_time() {
    let mut case = Case::new();
    let (mut word, mut array) = (case.bits("x", 32), case.array("m", 8, 8));
    let (one, place) = (case.terms.number(32, 1), case.bits("i", 8));
    for step in 0..2000 {
        let condition = case.terms.variable(format!("c{step}"), Sort::Bool);
        let next = case.terms.add(word, one);
        word = case.terms.ite(condition, next, word);
        let index = case.bits("j", 8);
        let written = case.terms.store(array, index, place);
        array = case.terms.ite(condition, written, array);
    }
    let low = case.terms.extract(7, 0, word);
    let read = case.terms.select(array, place);
    let same = case.terms.eq(low, read);
    case.assert(same);
}

#[test]
fn orders_are_the_same_as_a_theory_and_as_clocks() {
    for has_clocks in [false, true] {
        let (mut terms, mut solver) = (Terms::new(), Solver::new());
        if has_clocks {
            solver.use_clocks();
        }
        let [there, back] = ["there", "back"].map(|name| terms.variable(name, Sort::Bool));
        let lits = [there, back].map(|term| solver.literal(&mut terms, term));
        let (order, sat) = solver.order();
        let id = order.order(smt::order::Includes::ALL);
        let events = [0, 1].map(|thread| order.event(thread));
        let [a, b] = events.map(|event| order.node_at(event, id));
        order.edge_if(sat, &lits[..1], a, b);
        order.edge_if(sat, &lits[1..], b, a);
        let budget = Budget::unlimited();
        assert_eq!(solver.check(&mut terms, &[there], &budget), Ok(Answer::Sat), "{has_clocks}");
        assert_eq!(solver.check(&mut terms, &[there, back], &budget), Ok(Answer::Unsat), "{has_clocks}");
        assert_eq!(solver.check(&mut terms, &[back], &budget), Ok(Answer::Sat), "{has_clocks}");
    }
}
