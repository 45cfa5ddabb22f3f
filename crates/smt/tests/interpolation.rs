//! Interpolants are interpolants: random unsatisfiable sequences and paths, checked here by a fresh solver and, where there are
//! few states, by trying all of them; and unrolled loops, whose interpolants should become invariants.
//!
//! `HEDDLE_FUZZ_ITERATIONS=10000 cargo test -p smt --test interpolation -- --nocapture` runs longer and prints counts.

use base::{Budget, Stop};
use smt::interpolation::{path_interpolants, sequence_interpolants, Failure, Interpolator, Statistics, Step};
use smt::term::value::Evaluation;
use smt::term::{Assignment, Substitution};
use smt::{Answer, Bits, Solver, Sort, Term, Terms, Value};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// xorshift64*: the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % below as u64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.next(from.len())]
    }
}

/// Variables to build formulas of.
struct Pool {
    width: u32,
    words: Vec<Term>,
    flags: Vec<Term>,
    arrays: Vec<Term>,
}

impl Pool {
    fn new(terms: &mut Terms, random: &mut Random) -> Pool {
        let width = random.pick(&[1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 32, 32, 32]);
        let words = (0..3 + random.next(4)).map(|i| terms.variable(format!("w{i}"), Sort::Bits(width))).collect();
        let flags = (0..random.next(3)).map(|i| terms.variable(format!("f{i}"), Sort::Bool)).collect();
        let sort = Sort::Array { index: width, element: width };
        let count = if random.next(5) == 0 { 1 + random.next(2) } else { 0 };
        let arrays = (0..count).map(|i| terms.variable(format!("a{i}"), sort)).collect();
        Pool { width, words, flags, arrays }
    }

    /// Some of the variables, so that formulas do not share all of them.
    fn part(&self, random: &mut Random) -> Pool {
        let mut some = |from: &[Term]| from.iter().copied().filter(|_| random.next(2) == 0).collect::<Vec<_>>();
        let mut words = some(&self.words);
        let (flags, arrays) = (some(&self.flags), some(&self.arrays));
        if words.is_empty() {
            words.push(random.pick(&self.words));
        }
        Pool { width: self.width, words, flags, arrays }
    }

    fn constant(&self, terms: &mut Terms, random: &mut Random) -> Term {
        let value = if random.next(4) == 0 { random.next(1 << 20) as u64 } else { random.next(6) as u64 };
        terms.number(self.width, value)
    }

    fn array(&self, terms: &mut Terms, random: &mut Random) -> Term {
        let array = random.pick(&self.arrays);
        if random.next(3) > 0 {
            return array;
        }
        let (index, value) = (self.word(terms, random, 0), self.word(terms, random, 0));
        terms.store(array, index, value)
    }

    fn word(&self, terms: &mut Terms, random: &mut Random, depth: usize) -> Term {
        if depth == 0 || random.next(3) == 0 {
            return if random.next(4) == 0 { self.constant(terms, random) } else { random.pick(&self.words) };
        }
        if !self.arrays.is_empty() && random.next(3) == 0 {
            let (array, index) = (self.array(terms, random), self.word(terms, random, 0));
            return terms.select(array, index);
        }
        let (a, b) = (self.word(terms, random, depth - 1), self.word(terms, random, depth - 1));
        match random.next(12) {
            0..=3 => terms.add(a, b),
            4 | 5 => terms.sub(a, b),
            6 => terms.bit_and([a, b]),
            7 => terms.bit_xor(a, b),
            8 => terms.bit_or([a, b]),
            9 if self.width <= 8 => terms.mul(a, b),
            10 => terms.shl(a, b),
            _ => {
                let condition = self.formula(terms, random, 0);
                terms.ite(condition, a, b)
            }
        }
    }

    fn formula(&self, terms: &mut Terms, random: &mut Random, depth: usize) -> Term {
        if depth > 0 && random.next(3) == 0 {
            let (a, b) = (self.formula(terms, random, depth - 1), self.formula(terms, random, depth - 1));
            return match random.next(3) {
                0 => terms.and2(a, b),
                1 => terms.or2(a, b),
                _ => terms.implies(a, b),
            };
        }
        if !self.flags.is_empty() && random.next(4) == 0 {
            let flag = random.pick(&self.flags);
            return if random.next(2) == 0 { flag } else { terms.not(flag) };
        }
        if !self.arrays.is_empty() && random.next(6) == 0 {
            let (a, b) = (self.array(terms, random), self.array(terms, random));
            return terms.eq(a, b);
        }
        let (a, b) = (self.word(terms, random, depth), self.word(terms, random, depth));
        match random.next(6) {
            0..=2 => terms.eq(a, b),
            3 => terms.ult(a, b),
            4 => terms.slt(a, b),
            _ => {
                let same = terms.eq(a, b);
                terms.not(same)
            }
        }
    }
}

/// Whether the formulas together have no model.
fn refuted(terms: &mut Terms, formulas: &[Term]) -> bool {
    Solver::new().check(terms, formulas, &Budget::unlimited()) == Ok(Answer::Unsat)
}

/// All states of some variables, if they are few.
fn all_states(terms: &Terms, variables: &[Term]) -> Option<Vec<Assignment>> {
    let mut width = 0;
    for &variable in variables {
        width += match terms.sort(variable) {
            Sort::Bool => 1,
            Sort::Bits(bits) => bits,
            Sort::Array { .. } => return None,
        };
    }
    let states = 0..1u64 << Some(width).filter(|&width| width <= 9)?;
    let state = |number: u64| {
        let mut rest = number;
        let mut take = |width: u32| {
            let value = rest & ((1 << width) - 1);
            rest >>= width;
            value
        };
        let value = |&variable: &Term| match terms.sort(variable) {
            Sort::Bits(width) => (variable, Value::Bits(Bits::from_u64(width, take(width)))),
            _ => (variable, Value::Bool(take(1) == 1)),
        };
        variables.iter().map(value).collect()
    };
    Some(states.map(state).collect())
}

/// Panics unless `premises` imply `conclusion`.
fn assert_implies(terms: &mut Terms, premises: &[Term], conclusion: Term, what: &str) {
    let negated = terms.not(conclusion);
    let mut formulas = premises.to_vec();
    formulas.push(negated);
    assert!(refuted(terms, &formulas), "{what}");
    for state in all_states(terms, &terms.variables(&formulas)).unwrap_or_default() {
        let mut evaluation = Evaluation::new(terms, &state);
        assert!(!formulas.iter().all(|&formula| evaluation.is_true(formula)), "{what}, by enumeration");
    }
}

fn assert_sequence_interpolants(terms: &mut Terms, formulas: &[Term], interpolants: &[Term], what: &str) {
    assert_eq!(interpolants.len(), formulas.len() - 1, "{what}");
    for (index, &formula) in formulas.iter().enumerate() {
        let mut premises = vec![formula];
        if index > 0 {
            premises.push(interpolants[index - 1]);
        }
        let conclusion = interpolants.get(index).copied().unwrap_or_else(|| terms.bool(false));
        assert_implies(terms, &premises, conclusion, &format!("{what}, formula {index}"));
    }
    for (index, &interpolant) in interpolants.iter().enumerate() {
        let before: BTreeSet<Term> = terms.variables(&formulas[..=index]).into_iter().collect();
        let after: BTreeSet<Term> = terms.variables(&formulas[index + 1..]).into_iter().collect();
        let is_shared = |variable: &Term| before.contains(variable) && after.contains(variable);
        assert!(terms.variables(&[interpolant]).iter().all(is_shared), "{what}, symbols of {index}");
    }
}

/// The variable a step writes, and those it reads.
fn effects(terms: &Terms, step: &Step) -> (Option<Term>, Vec<Term>) {
    match *step {
        Step::Assign(variable, term) => (Some(variable), terms.variables(&[term])),
        Step::Havoc(variable) => (Some(variable), Vec::new()),
        Step::Assume(condition) => (None, terms.variables(&[condition])),
    }
}

/// Which variables labels may mention: touched before and live.
fn mentionable(terms: &Terms, steps: &[Step], position: usize) -> BTreeSet<Term> {
    let touched: BTreeSet<Term> = steps[..position]
        .iter()
        .flat_map(|step| {
            let (written, read) = effects(terms, step);
            read.into_iter().chain(written)
        })
        .collect();
    let mut live = BTreeSet::new();
    for step in steps[position..].iter().rev() {
        let (written, read) = effects(terms, step);
        if let Some(written) = written {
            live.remove(&written);
        }
        live.extend(read);
    }
    touched.intersection(&live).copied().collect()
}

/// `label` after the step, said before it.
fn precondition(terms: &mut Terms, step: &Step, label: Term) -> Term {
    match *step {
        Step::Assign(variable, term) => Substitution::new([(variable, term)]).apply(terms, label),
        Step::Havoc(variable) => {
            let any = terms.variable("any", terms.sort(variable));
            Substitution::new([(variable, any)]).apply(terms, label)
        }
        Step::Assume(condition) => terms.implies(condition, label),
    }
}

fn assert_path_interpolants(terms: &mut Terms, steps: &[Step], labels: &[Term], what: &str) {
    assert_eq!(labels.len(), steps.len() + 1, "{what}");
    assert_eq!(terms.as_bool(labels[0]), Some(true), "{what}");
    assert_eq!(terms.as_bool(labels[steps.len()]), Some(false), "{what}");
    for (index, step) in steps.iter().enumerate() {
        let goal = precondition(terms, step, labels[index + 1]);
        assert_implies(terms, &[labels[index]], goal, &format!("{what}, step {index}"));
    }
    for (position, &label) in labels.iter().enumerate() {
        let allowed = mentionable(terms, steps, position);
        assert!(terms.variables(&[label]).iter().all(|variable| allowed.contains(variable)), "{what}, at {position}");
    }
}

fn random_sequence(terms: &mut Terms, random: &mut Random) -> Option<(u32, bool, Vec<Term>)> {
    let pool = Pool::new(terms, random);
    let length = 2 + random.next(5);
    let mut formulas: Vec<Term> = (0..length).map(|_| terms.bool(true)).collect();
    for round in 0..40 {
        let place = if round < length { round } else { random.next(length) };
        let depth = 1 + random.next(2);
        let formula = pool.part(random).formula(terms, random, depth);
        formulas[place] = terms.and2(formulas[place], formula);
        if round + 1 >= length && refuted(terms, &formulas) {
            return Some((pool.width, !pool.arrays.is_empty(), formulas));
        }
    }
    None
}

/// The formulas of a path over versions of variables, made here in another way than in the library: values are substituted.
fn is_infeasible(terms: &mut Terms, steps: &[Step]) -> bool {
    let mut label = terms.bool(false);
    for step in steps.iter().rev() {
        label = precondition(terms, step, label);
    }
    let feasible = terms.not(label);
    refuted(terms, &[feasible])
}

fn random_path(terms: &mut Terms, random: &mut Random) -> Option<(u32, bool, Vec<Step>)> {
    let pool = Pool::new(terms, random);
    let length = 3 + random.next(8);
    let mut steps: Vec<Step> = Vec::new();
    for round in 0..40 {
        let part = pool.part(random);
        let step = match random.next(if round < length { 8 } else { 16 }) {
            0 => Step::Havoc(random.pick(&pool.words)),
            1..=4 => Step::Assign(random.pick(&pool.words), part.word(terms, random, 2)),
            5 if !pool.arrays.is_empty() => Step::Assign(random.pick(&pool.arrays), pool.array(terms, random)),
            5 if !pool.flags.is_empty() => Step::Assign(random.pick(&pool.flags), part.formula(terms, random, 1)),
            _ => Step::Assume(part.formula(terms, random, 1)),
        };
        steps.push(step);
        if round == length / 2 && random.next(3) == 0 {
            let body = steps[random.next(steps.len())..].to_vec();
            (0..1 + random.next(3)).for_each(|_| steps.extend_from_slice(&body));
        }
        if round + 1 >= length && is_infeasible(terms, &steps) {
            return Some((pool.width, !pool.arrays.is_empty(), steps));
        }
    }
    None
}

/// How a campaign went.
#[derive(Default)]
struct Tally {
    satisfiable: u64,
    found: u64,
    failures: Vec<String>,
    slow: u64,
    statistics: Statistics,
    /// How often the solver was asked about each sequence.
    checks: Vec<u64>,
    /// By kind of sequence: how long each took, and which it is.
    micros: [Vec<(u128, String)>; 3],
}

impl Tally {
    fn add(&mut self, width: u32, has_arrays: bool, elapsed: Duration, failure: Option<Failure>, what: &str) {
        let class = match (has_arrays, width) {
            (true, _) => 2,
            (false, 32..) => 1,
            (false, _) => 0,
        };
        self.micros[class].push((elapsed.as_micros(), what.to_string()));
        match failure {
            None => self.found += 1,
            Some(failure) => {
                self.slow += u64::from(matches!(failure, Failure::Stopped(_)));
                self.failures.push(format!("{what} (width {width}, arrays {has_arrays}): {failure}"));
            }
        }
    }

    fn add_statistics(&mut self, statistics: Statistics) {
        self.statistics.sequences += statistics.sequences;
        self.checks.push(statistics.checks);
        self.statistics.fallbacks += statistics.fallbacks;
        self.statistics.plain += statistics.plain;
        self.statistics.checks += statistics.checks;
        self.statistics.invariants += statistics.invariants;
    }

    /// Prints counts, and fails if interpolants are not found too often.
    #[allow(clippy::print_stdout, reason = "counts of a campaign are for whoever runs it")]
    fn finish(mut self, name: &str) {
        let asked = self.found + self.failures.len() as u64;
        println!(
            "{name}: {asked} unsatisfiable ({} satisfiable left out), {} found, {} with a fallback, {} plain, \
             {} with an invariant, {} without interpolants, {} of them out of time, {} checks",
            self.satisfiable,
            self.found,
            self.statistics.fallbacks,
            self.statistics.plain,
            self.statistics.invariants,
            self.failures.len(),
            self.slow,
            self.statistics.checks
        );
        self.checks.sort_unstable();
        if let (Some(median), Some(most)) = (self.checks.get(self.checks.len() / 2), self.checks.last()) {
            println!("  checks: median {median}, most {most}");
            assert!(*most < 10_000, "{name}: looking for better interpolants should end");
        }
        for (class, micros) in ["widths 1-8", "width 32", "arrays"].iter().zip(&mut self.micros) {
            micros.sort_unstable();
            if let (Some((median, _)), Some((most, which))) = (micros.get(micros.len() / 2), micros.last()) {
                println!("  {class}: {} sequences, median {median} us, longest {most} us ({which})", micros.len());
            }
        }
        for failure in self.failures.iter().take(20) {
            println!("  {failure}");
        }
        assert!(self.found > 0, "some sequences should be unsatisfiable");
        let lost = self.failures.len() as u64;
        assert!(lost * 50 <= asked + 50, "{name}: {lost} of {asked} without interpolants");
    }
}

fn iterations() -> u64 {
    std::env::var("HEDDLE_FUZZ_ITERATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(100)
}

fn seed(iteration: u64, salt: u64) -> Random {
    let mut random = Random((iteration + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ salt);
    random.next(2);
    random
}

/// How long this thread has been running, where the system tells: other work on the machine does not count.
fn busy() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|text| text.split_ascii_whitespace().next()?.parse().ok());
    nanos.map_or_else(|| START.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

fn time_limit() -> Budget {
    Budget::new(Some(Duration::from_secs(20)), None)
}

#[test]
fn random_sequences_have_interpolants() {
    let mut tally = Tally::default();
    for iteration in 0..iterations() {
        let mut random = seed(iteration, 0x5EED);
        let mut terms = Terms::new();
        let Some((width, has_arrays, formulas)) = random_sequence(&mut terms, &mut random) else {
            tally.satisfiable += 1;
            continue;
        };
        let what = format!("sequence {iteration}");
        let mut interpolator = Interpolator::new();
        let started = busy();
        let result = interpolator.sequence(&mut terms, &formulas, &time_limit());
        tally.add(width, has_arrays, busy() - started, result.as_ref().err().copied(), &what);
        tally.add_statistics(interpolator.statistics());
        if let Ok(interpolants) = result {
            assert_sequence_interpolants(&mut terms, &formulas, &interpolants, &what);
        }
    }
    tally.finish("sequences");
}

#[test]
fn random_paths_have_interpolants() {
    let mut tally = Tally::default();
    for iteration in 0..iterations() {
        let mut random = seed(iteration, 0xBA5E);
        let mut terms = Terms::new();
        let Some((width, has_arrays, steps)) = random_path(&mut terms, &mut random) else {
            tally.satisfiable += 1;
            continue;
        };
        let what = format!("path {iteration}");
        let mut interpolator = Interpolator::new();
        let started = busy();
        let result = interpolator.path(&mut terms, &steps, &time_limit());
        tally.add(width, has_arrays, busy() - started, result.as_ref().err().copied(), &what);
        tally.add_statistics(interpolator.statistics());
        if let Ok(labels) = result {
            assert_path_interpolants(&mut terms, &steps, &labels, &what);
        }
    }
    tally.finish("paths");
}

/// A loop: steps before it, its body, and how it can go wrong after it. Labels of its head, gathered from unrollings as in
/// Impact: when a label implies an earlier one, those before it are an invariant together.
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
    // Also when the loop is known to have run a certain number of times. (After few rounds it is shorter to count them.)
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

/// Twice in one process: what hash maps and solvers do inside must not show.
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

/// Time must not grow out of hand with the length of the path.
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
