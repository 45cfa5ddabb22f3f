//! Interpolants are interpolants: random unsatisfiable sequences and paths, checked here by a fresh solver and, where there are
//! few states, by trying all of them; and unrolled loops, whose interpolants should become invariants.
//!
//! `HEDDLE_FUZZ_ITERATIONS=10000 cargo test -p smt --test interpolation -- --nocapture` runs longer and prints counts.

#[path = "interpolation/random.rs"]
mod random;
#[path = "interpolation/verified.rs"]
mod verified;

use base::{Budget, Stop};
use random::{busy, random_path, seed};
use smt::interpolation::{path_interpolants, sequence_interpolants, Failure, Interpolator, Step};
use smt::{Sort, Term, Terms};
use std::time::Duration;
use verified::{assert_implies, assert_path_interpolants, precondition, refuted};

/// A loop: steps before it, its body, and how it can fail after it. Labels of its head, gathered from unrollings as in
/// Impact: when a label implies an earlier one, the disjunction of those before it is an invariant.
struct Loop<'a> {
    start: &'a [Step],
    body: &'a [Step],
    wrong: &'a [Step],
}

impl Loop<'_> {
    /// The unrolling at which an invariant is found, and the labels of the head by then.
    fn invariant(&self, terms: &mut Terms, depths: usize) -> (usize, Vec<Term>) {
        let budget = Budget::unlimited();
        let mut interpolator = Interpolator::new();
        let mut heads: Vec<Term> = Vec::new();
        for depth in 0..=depths {
            let mut steps = self.start.to_vec();
            for _ in 0..depth {
                steps.extend_from_slice(self.body);
            }
            steps.extend_from_slice(self.wrong);
            let labels = interpolator.path(terms, &steps, &budget).expect("the loop should be safe");
            assert_path_interpolants(terms, &steps, &labels, &format!("unrolling {depth}"));
            heads.push(terms.bool(true));
            for (round, head) in heads.iter_mut().enumerate() {
                *head = terms.and2(*head, labels[self.start.len() + round * self.body.len()]);
            }
            let last = heads[depth];
            let is_covered = heads[..depth].iter().any(|&earlier| {
                let not_earlier = terms.not(earlier);
                refuted(terms, &[last, not_earlier])
            });
            if is_covered {
                self.assert_invariant(terms, &heads[..depth]);
                return (depth, heads);
            }
        }
        let shown: Vec<String> = heads.iter().map(|&head| show(terms, head)).collect();
        panic!("no invariant after {depths} unrollings: {shown:#?}");
    }

    fn assert_invariant(&self, terms: &mut Terms, labels: &[Term]) {
        let invariant = terms.or(labels.iter().copied());
        let never = terms.bool(false);
        for (steps, from, to, what) in [
            (self.start, None, invariant, "holds at first"),
            (self.body, Some(invariant), invariant, "is inductive"),
            (self.wrong, Some(invariant), never, "excludes errors"),
        ] {
            let goal = steps.iter().rev().fold(to, |goal, step| precondition(terms, step, goal));
            let premises: Vec<Term> = from.into_iter().collect();
            assert_implies(terms, &premises, goal, what);
        }
    }
}

/// For messages.
fn show(terms: &Terms, term: Term) -> String {
    use smt::term::Node;
    match terms.node(term) {
        Node::Var(..) => terms.name(term).to_string(),
        Node::Bits(bits) => bits.to_string(),
        Node::Sum(constant, monomials) => {
            let parts: Vec<String> = monomials.iter().map(|(f, t)| format!("{f}*{}", show(terms, *t))).collect();
            format!("({constant} + {})", parts.join(" + "))
        }
        node => {
            let mut arguments = Vec::new();
            node.for_each_argument(|argument| arguments.push(show(terms, argument)));
            let text = format!("{node:?}");
            let name = text.split(['(', ' ', '{']).next().unwrap_or_default().to_string();
            format!("({name} {})", arguments.join(" "))
        }
    }
}

fn word(terms: &mut Terms, name: &str) -> Term {
    terms.variable(name, Sort::Bits(32))
}

fn plus(terms: &mut Terms, variable: Term, by: u64) -> Step {
    let by = terms.number(32, by);
    Step::Assign(variable, terms.add(variable, by))
}

fn set(terms: &mut Terms, variable: Term, value: u64) -> Step {
    Step::Assign(variable, terms.number(32, value))
}

fn assume_not(terms: &mut Terms, condition: Term) -> Step {
    Step::Assume(terms.not(condition))
}

#[test]
fn two_counters_stay_equal() {
    let mut terms = Terms::new();
    let (x, y) = (word(&mut terms, "x"), word(&mut terms, "y"));
    let same = terms.eq(x, y);
    let start = [set(&mut terms, x, 0), set(&mut terms, y, 0)];
    let body = [plus(&mut terms, x, 1), plus(&mut terms, y, 1)];
    let wrong = [assume_not(&mut terms, same)];
    let (depth, heads) = Loop { start: &start, body: &body, wrong: &wrong }.invariant(&mut terms, 6);
    assert_eq!((depth, heads[0]), (1, same));
    // Also when the loop is known to have run a certain number of times. (After few iterations it is shorter to count
    // them.)
    for limit in 3..=6 {
        let limit_term = terms.number(32, limit);
        let reached = terms.eq(x, limit_term);
        let mut steps = start.to_vec();
        (0..limit).for_each(|_| steps.extend_from_slice(&body));
        steps.extend([Step::Assume(reached), wrong[0]]);
        let labels = path_interpolants(&mut terms, &steps, &Budget::unlimited()).expect("the loop should be safe");
        assert_path_interpolants(&mut terms, &steps, &labels, "counters");
        for round in 0..=limit as usize {
            assert_eq!(
                labels[2 + 2 * round],
                same,
                "after {round} of {limit} rounds: {}",
                show(&terms, labels[2 + 2 * round])
            );
        }
    }
}

#[test]
fn a_counter_stops_at_its_bound() {
    for is_signed in [false, true] {
        let mut terms = Terms::new();
        let i = word(&mut terms, "i");
        let ten = terms.number(32, 10);
        let goes_on = if is_signed { terms.slt(i, ten) } else { terms.ult(i, ten) };
        let is_ten = terms.eq(i, ten);
        let start = [set(&mut terms, i, 0)];
        let body = [Step::Assume(goes_on), plus(&mut terms, i, 1)];
        let wrong = [assume_not(&mut terms, goes_on), assume_not(&mut terms, is_ten)];
        let (depth, heads) = Loop { start: &start, body: &body, wrong: &wrong }.invariant(&mut terms, 6);
        let heads: Vec<String> = heads.iter().map(|&head| show(&terms, head)).collect();
        assert!(depth <= 3, "found at {depth}: {heads:?}");
    }
}

#[test]
fn a_counter_stops_at_an_unknown_bound() {
    let mut terms = Terms::new();
    let (i, n) = (word(&mut terms, "i"), word(&mut terms, "n"));
    let goes_on = terms.ult(i, n);
    let is_there = terms.eq(i, n);
    let start = [set(&mut terms, i, 0)];
    let body = [Step::Assume(goes_on), plus(&mut terms, i, 1)];
    let wrong = [assume_not(&mut terms, goes_on), assume_not(&mut terms, is_there)];
    Loop { start: &start, body: &body, wrong: &wrong }.invariant(&mut terms, 6);
}

#[test]
fn one_counter_goes_up_and_one_down() {
    let mut terms = Terms::new();
    let (up, down, n) = (word(&mut terms, "up"), word(&mut terms, "down"), word(&mut terms, "n"));
    let hundred = terms.number(32, 100);
    let goes_on = terms.ult(up, hundred);
    let zero = terms.number(32, 0);
    let is_zero = terms.eq(down, zero);
    let body = [Step::Assume(goes_on), plus(&mut terms, up, 1), plus(&mut terms, down, 0xFFFF_FFFF)];
    let wrong = [assume_not(&mut terms, goes_on), assume_not(&mut terms, is_zero)];
    let start = [set(&mut terms, up, 0), set(&mut terms, down, 100)];
    Loop { start: &start, body: &body, wrong: &wrong }.invariant(&mut terms, 6);
    // From an unknown number.
    let goes_on = terms.eq(down, zero);
    let is_n = terms.eq(up, n);
    let start = [set(&mut terms, up, 0), Step::Assign(down, n)];
    let body = [assume_not(&mut terms, goes_on), plus(&mut terms, up, 1), plus(&mut terms, down, 0xFFFF_FFFF)];
    let wrong = [Step::Assume(goes_on), assume_not(&mut terms, is_n)];
    Loop { start: &start, body: &body, wrong: &wrong }.invariant(&mut terms, 6);
}

#[test]
fn a_lock_is_taken_and_given_back() {
    let mut terms = Terms::new();
    let (lock, old, new) = (word(&mut terms, "lock"), word(&mut terms, "old"), word(&mut terms, "new"));
    let (zero, one) = (terms.number(32, 0), terms.number(32, 1));
    let is_free = terms.eq(lock, zero);
    // do { assert(lock == 0); lock = 1; old = new; if (*) { lock = 0; new++; } } while (new != old); assert(lock == 1)
    let any = terms.variable("any", Sort::Bool);
    let next = terms.add(new, one);
    let (maybe_next, maybe_free) = (terms.ite(any, next, new), terms.ite(any, zero, lock));
    let differs = terms.eq(old, new);
    let start = [Step::Assign(lock, zero)];
    let body = [
        Step::Assign(lock, one),
        Step::Assign(old, new),
        Step::Havoc(any),
        Step::Assign(lock, maybe_free),
        Step::Assign(new, maybe_next),
        assume_not(&mut terms, differs),
    ];
    let wrong = [assume_not(&mut terms, is_free)];
    let (depth, heads) = Loop { start: &start, body: &body, wrong: &wrong }.invariant(&mut terms, 6);
    assert_eq!((depth, heads[0]), (1, is_free));
}

#[test]
fn sums_of_counters() {
    // x = y = z = 0; loop { x++ or not; y++ or not; z grows by what they did }; assert z == x + y
    let mut terms = Terms::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| word(&mut terms, name));
    let sum = terms.add(x, y);
    let right = terms.eq(z, sum);
    let two = terms.number(32, 2);
    let start = [set(&mut terms, x, 0), set(&mut terms, y, 0), set(&mut terms, z, 0)];
    let body = [plus(&mut terms, x, 1), plus(&mut terms, y, 1), Step::Assign(z, terms.add(z, two))];
    let wrong = [assume_not(&mut terms, right)];
    Loop { start: &start, body: &body, wrong: &wrong }.invariant(&mut terms, 6);
}

#[test]
fn havoc_is_projected() {
    // y = x; havoc x; assume x < y; assume y == 0
    let mut terms = Terms::new();
    let (x, y) = (word(&mut terms, "x"), word(&mut terms, "y"));
    let zero = terms.number(32, 0);
    let (less, is_zero) = (terms.ult(x, y), terms.eq(y, zero));
    let steps = [Step::Assign(y, x), Step::Havoc(x), Step::Assume(less), Step::Assume(is_zero)];
    let labels = path_interpolants(&mut terms, &steps, &Budget::unlimited()).expect("the path should be infeasible");
    assert_path_interpolants(&mut terms, &steps, &labels, "havoc");
    let not_zero = terms.not(is_zero);
    assert_eq!(labels[3], not_zero);
}

#[test]
fn feasible_paths_and_spent_budgets_are_failures() {
    let mut terms = Terms::new();
    let x = word(&mut terms, "x");
    let (three, four) = (terms.number(32, 3), terms.number(32, 4));
    let (is_three, less) = (terms.eq(x, three), terms.ult(x, four));
    let unlimited = Budget::unlimited();
    assert_eq!(sequence_interpolants(&mut terms, &[is_three, less], &unlimited), Err(Failure::Satisfiable));
    let steps = [Step::Assign(x, three), Step::Assume(less)];
    assert_eq!(path_interpolants(&mut terms, &steps, &unlimited), Err(Failure::Satisfiable));
    let cancelled = Budget::unlimited();
    cancelled.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    let not_less = terms.not(less);
    let refuted = [is_three, not_less];
    assert_eq!(sequence_interpolants(&mut terms, &refuted, &cancelled), Err(Failure::Stopped(Stop::Cancelled)));
    let spent = Budget::new(Some(Duration::ZERO), None);
    assert_eq!(sequence_interpolants(&mut terms, &refuted, &spent), Err(Failure::Stopped(Stop::Time)));
    assert!(sequence_interpolants(&mut terms, &refuted, &unlimited).is_ok());
}

#[test]
fn degenerate_sequences() {
    let mut terms = Terms::new();
    let (always, never) = (terms.bool(true), terms.bool(false));
    let unlimited = Budget::unlimited();
    assert_eq!(sequence_interpolants(&mut terms, &[], &unlimited), Err(Failure::Satisfiable));
    assert_eq!(sequence_interpolants(&mut terms, &[never], &unlimited), Ok(vec![]));
    assert_eq!(sequence_interpolants(&mut terms, &[always, never, always], &unlimited), Ok(vec![always, never]));
    assert_eq!(path_interpolants(&mut terms, &[Step::Assume(never)], &unlimited), Ok(vec![always, never]));
}

/// Twice in one process: internals of hash maps and solvers must not affect the result.
#[test]
fn interpolants_are_the_same_every_time() {
    let run = || {
        let mut shown = Vec::new();
        for iteration in 0..30 {
            let mut random = seed(iteration, 0xD0_0D);
            let mut terms = Terms::new();
            let Some((_, _, steps)) = random_path(&mut terms, &mut random) else { continue };
            let labels = path_interpolants(&mut terms, &steps, &Budget::unlimited());
            shown.push(labels.map(|labels| labels.iter().map(|&label| show(&terms, label)).collect::<Vec<_>>()));
        }
        shown
    };
    assert_eq!(run(), run());
}

/// Time must not explode with the length of the path.
#[test]
fn long_paths() {
    let mut terms = Terms::new();
    let words: Vec<Term> = (0..20).map(|i| word(&mut terms, &format!("w{i}"))).collect();
    let mut steps = vec![set(&mut terms, words[0], 0)];
    for index in 0..300 {
        let (from, to) = (words[index % 20], words[(index + 1) % 20]);
        let by = terms.number(32, (index % 7) as u64);
        steps.push(Step::Assign(to, terms.add(from, by)));
        let limit = terms.number(32, 5000);
        steps.push(Step::Assume(terms.ult(words[(index + 7) % 20], limit)));
    }
    let limit = terms.number(32, 4000);
    let is_large = terms.ult(limit, words[300 % 20]);
    steps.push(Step::Assume(is_large));
    let started = busy();
    let labels = path_interpolants(&mut terms, &steps, &Budget::unlimited()).expect("the path should be infeasible");
    let took = busy() - started;
    assert!(took < Duration::from_secs(15), "{took:?}");
    assert_path_interpolants(&mut terms, &steps, &labels, "long path");
}

#[test]
fn one_loop_after_another() {
    // x = y = 0; loop { x++; y++ }; loop { x--; y-- }; assert x == y
    let mut terms = Terms::new();
    let (x, y) = (word(&mut terms, "x"), word(&mut terms, "y"));
    let same = terms.eq(x, y);
    let up = [plus(&mut terms, x, 1), plus(&mut terms, y, 1)];
    let down = [plus(&mut terms, x, 0xFFFF_FFFF), plus(&mut terms, y, 0xFFFF_FFFF)];
    let mut steps = vec![set(&mut terms, x, 0), set(&mut terms, y, 0)];
    (0..3).for_each(|_| steps.extend_from_slice(&up));
    (0..4).for_each(|_| steps.extend_from_slice(&down));
    steps.push(assume_not(&mut terms, same));
    let labels = path_interpolants(&mut terms, &steps, &Budget::unlimited()).expect("the path should be infeasible");
    assert_path_interpolants(&mut terms, &steps, &labels, "two loops");
    for position in (2..steps.len()).step_by(2) {
        assert_eq!(labels[position], same, "at {position}: {}", show(&terms, labels[position]));
    }
}

#[test]
fn one_loop_inside_another() {
    // n = m = 0; loop { i = 0; while (i < 2) { i++; n++ }; m = m + 2 }; assert n == m
    let mut terms = Terms::new();
    let [n, m, i] = ["n", "m", "i"].map(|name| word(&mut terms, name));
    let (same, two) = (terms.eq(n, m), terms.number(32, 2));
    let goes_on = terms.ult(i, two);
    let inner = [Step::Assume(goes_on), plus(&mut terms, i, 1), plus(&mut terms, n, 1)];
    let mut body = vec![set(&mut terms, i, 0)];
    (0..2).for_each(|_| body.extend_from_slice(&inner));
    body.extend([assume_not(&mut terms, goes_on), plus(&mut terms, m, 2)]);
    let start = [set(&mut terms, n, 0), set(&mut terms, m, 0)];
    let wrong = [assume_not(&mut terms, same)];
    Loop { start: &start, body: &body, wrong: &wrong }.invariant(&mut terms, 4);
}

#[test]
fn preferred_predicates_are_used() {
    // x = 3; assume x > 10
    let mut terms = Terms::new();
    let x = word(&mut terms, "x");
    let (ten, seven) = (terms.number(32, 10), terms.number(32, 7));
    let (is_large, preferred) = (terms.ult(ten, x), terms.ule(x, seven));
    let steps = [set(&mut terms, x, 3), Step::Assume(is_large)];
    let mut interpolator = Interpolator::new();
    let labels = interpolator.path(&mut terms, &steps, &Budget::unlimited()).expect("the path should be infeasible");
    assert_ne!(labels[1], preferred);
    interpolator.prefer(preferred);
    let labels = interpolator.path(&mut terms, &steps, &Budget::unlimited()).expect("the path should be infeasible");
    assert_eq!(labels[1], preferred);
}
