//! Random unsatisfiable sequences and paths, and campaigns over them.

use super::verified::{assert_path_interpolants, assert_sequence_interpolants, precondition, refuted};
use base::Budget;
use smt::interpolation::{Failure, Interpolator, Statistics, Step};
use smt::{Sort, Term, Terms};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// xorshift64*: the same numbers everywhere.
pub(crate) struct Random(u64);

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

/// Whether the formulas of a path over versions of variables are unsatisfiable, computed differently from the library:
/// values are substituted.
fn is_infeasible(terms: &mut Terms, steps: &[Step]) -> bool {
    let mut label = terms.bool(false);
    for step in steps.iter().rev() {
        label = precondition(terms, step, label);
    }
    let feasible = terms.not(label);
    refuted(terms, &[feasible])
}

pub(crate) fn random_path(terms: &mut Terms, random: &mut Random) -> Option<(u32, bool, Vec<Step>)> {
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

/// The results of a campaign.
#[derive(Default)]
struct Tally {
    satisfiable: u64,
    found: u64,
    failures: Vec<String>,
    slow: u64,
    statistics: Statistics,
    /// The number of solver calls for each sequence.
    checks: Vec<u64>,
    /// By kind of sequence: the time of each, with its description.
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

    /// Prints counts, and fails if interpolants are missing too often.
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

pub(crate) fn seed(iteration: u64, salt: u64) -> Random {
    let mut random = Random((iteration + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ salt);
    random.next(2);
    random
}

/// CPU time of this thread, if the system reports it: other work on the machine does not count.
pub(crate) fn busy() -> Duration {
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
