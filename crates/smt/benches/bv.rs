//! Bit-vector scripts of the kind symbolic engines emit, against z3 in the same run.
//!
//! `cargo bench -p smt --bench bv [-- FILTER]` prints, for path conditions of small programs (32-bit sums, comparisons,
//! conditional values, reads and writes of an array, few products; 20 to 400 variables; one check or one per branch), the
//! CPU seconds of this solver (reading the script included) and of z3 on the same text, and their ratio, then the
//! geometric mean. z3 gets each script many times in one process with `(reset)` between, so that its start does not count;
//! without z3 its part is skipped. Then: the median time of a check that changes one assumption on an instance with
//! 100,000 clauses; and memory over 10,000 rounds of push, check and pop.
#![allow(clippy::print_stdout)]

#[path = "common/random.rs"]
mod random;

use base::Budget;
use random::Random;
use smt::script::Session;
use smt::{Solver, Sort, Term, Terms};
use std::fmt::Write as _;
use std::io::Write;
use std::process::{Command, Stdio};

/// The kind of a program.
#[derive(Clone, Copy)]
struct Kind {
    name: &'static str,
    has_memory: bool,
    has_products: bool,
    /// A check per branch instead of one at the end.
    is_incremental: bool,
    /// The last condition contradicts what the program has ensured.
    is_refuted: bool,
    /// The maximum number of variables; with more, one of the solvers takes minutes.
    most_variables: usize,
}

const KINDS: [Kind; 7] = [
    Kind {
        name: "path",
        has_memory: false,
        has_products: false,
        is_incremental: false,
        is_refuted: false,
        most_variables: 400,
    },
    Kind {
        name: "path-refuted",
        has_memory: false,
        has_products: false,
        is_incremental: false,
        is_refuted: true,
        most_variables: 400,
    },
    Kind {
        name: "memory",
        has_memory: true,
        has_products: false,
        is_incremental: false,
        is_refuted: false,
        most_variables: 200,
    },
    Kind {
        name: "memory-refuted",
        has_memory: true,
        has_products: false,
        is_incremental: false,
        is_refuted: true,
        most_variables: 400,
    },
    Kind {
        name: "products",
        has_memory: false,
        has_products: true,
        is_incremental: false,
        is_refuted: false,
        most_variables: 100,
    },
    Kind {
        name: "branches",
        has_memory: false,
        has_products: false,
        is_incremental: true,
        is_refuted: false,
        most_variables: 400,
    },
    Kind {
        name: "branches-memory",
        has_memory: true,
        has_products: false,
        is_incremental: true,
        is_refuted: false,
        most_variables: 100,
    },
];

/// A straight-line run of a random program on concrete inputs, recorded as a path condition over symbolic ones.
struct Recorder {
    random: Random,
    text: String,
    /// Concrete values of the variables `v0`, `v1`, …
    values: Vec<u32>,
    memory: Vec<u8>,
    writes: usize,
}

impl Recorder {
    fn any(&mut self) -> usize {
        // Recent values are used more often.
        let count = self.values.len();
        if self.random.below(2) == 0 {
            count - 1 - self.random.below(count.min(6))
        } else {
            self.random.below(count)
        }
    }

    fn define(&mut self, definition: &str, value: u32) {
        let index = self.values.len();
        let _ = writeln!(self.text, "(declare-const v{index} (_ BitVec 32))\n(assert (= v{index} {definition}))");
        self.values.push(value);
    }

    fn step(&mut self, kind: Kind) {
        let (a, b) = (self.any(), self.any());
        let (x, y) = (self.values[a], self.values[b]);
        let constant = self.random.below(200) as u32;
        match self.random.below(10) {
            0 | 1 => self.define(&format!("(bvadd v{a} #x{constant:08x})"), x.wrapping_add(constant)),
            2 => self.define(&format!("(bvadd v{a} v{b})"), x.wrapping_add(y)),
            3 => self.define(&format!("(bvsub v{a} v{b})"), x.wrapping_sub(y)),
            4 => self.define(&format!("(bvand v{a} #x{:08x})", constant | 0xff00), x & (constant | 0xff00)),
            5 => self.define(&format!("(bvxor v{a} (bvshl v{b} #x00000003))"), x ^ y << 3),
            6 => {
                let value = if (x as i32) < y as i32 { x } else { y };
                self.define(&format!("(ite (bvslt v{a} v{b}) v{a} v{b})"), value);
            }
            7 if kind.has_products => self.define(&format!("(bvmul v{a} v{b})"), x.wrapping_mul(y)),
            7 | 8 if kind.has_memory => self.access(a, b),
            _ => self.define(&format!("(bvlshr v{a} #x{:08x})", constant % 8), x >> (constant % 8)),
        }
    }

    fn access(&mut self, a: usize, b: usize) {
        let place = (self.values[a] % 256) as usize;
        let index = format!("((_ extract 7 0) v{a})");
        if self.random.below(2) == 0 {
            let value = u32::from(self.memory[place]);
            let definition = format!("((_ zero_extend 24) (select m{} {index}))", self.writes);
            self.define(&definition, value);
        } else {
            self.memory[place] = self.values[b] as u8;
            let (old, new) = (self.writes, self.writes + 1);
            self.writes = new;
            let _ = writeln!(
                self.text,
                "(declare-const m{new} (Array (_ BitVec 8) (_ BitVec 8)))\n\
                 (assert (= m{new} (store m{old} {index} ((_ extract 7 0) v{b}))))"
            );
        }
    }

    /// A condition that the run satisfies.
    fn condition(&mut self) -> String {
        let (a, b) = (self.any(), self.any());
        let (x, y) = (self.values[a], self.values[b]);
        let (text, holds) = match self.random.below(4) {
            0 => (format!("(bvslt v{a} v{b})"), (x as i32) < y as i32),
            1 => (format!("(bvult v{a} #x00001000)"), x < 0x1000),
            2 => (format!("(= v{a} v{b})"), x == y),
            _ => (format!("(bvule v{a} v{b})"), x <= y),
        };
        if holds {
            text
        } else {
            format!("(not {text})")
        }
    }
}

fn script(kind: Kind, variables: usize, seed: u64) -> String {
    let logic = if kind.has_memory { "QF_ABV" } else { "QF_BV" };
    let mut recorder = Recorder {
        random: Random(seed),
        text: format!("(set-logic {logic})\n"),
        values: Vec::new(),
        memory: vec![0; 256],
        writes: 0,
    };
    if kind.has_memory {
        recorder.text.push_str("(declare-const m0 (Array (_ BitVec 8) (_ BitVec 8)))\n");
    }
    let inputs = 3 + variables / 20;
    for input in 0..inputs {
        let value = recorder.random.below(5000) as u32;
        let _ = writeln!(recorder.text, "(declare-const v{input} (_ BitVec 32))");
        recorder.values.push(value);
    }
    while recorder.values.len() < variables {
        recorder.step(kind);
        if recorder.random.below(5) == 0 {
            let condition = recorder.condition();
            if kind.is_incremental {
                let _ = writeln!(recorder.text, "(push 1)\n(assert (not {condition}))\n(check-sat)\n(pop 1)");
            }
            let _ = writeln!(recorder.text, "(assert {condition})");
            if kind.is_incremental {
                recorder.text.push_str("(push 1)\n(check-sat)\n(pop 1)\n");
            }
        }
    }
    if kind.is_refuted {
        // The last value is clamped, and the clamp is claimed to fail.
        let last = recorder.values.len() - 1;
        let _ = writeln!(
            recorder.text,
            "(define-fun low () (_ BitVec 32) (ite (bvslt v{last} #x00000000) #x00000000 v{last}))\n\
             (define-fun clamped () (_ BitVec 32) (ite (bvsgt low #x000000ff) #x000000ff low))\n\
             (assert (not (bvult (bvadd clamped #x00000010) #x00000110)))"
        );
    }
    recorder.text.push_str("(check-sat)\n");
    recorder.text
}

/// CPU seconds of this thread; wall clock if the system does not report them.
fn now() -> f64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    let wall = || START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).map_or_else(wall, |time| time / 1e9)
}

/// CPU seconds of child processes that have ended, in ticks of a hundredth.
fn children() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
    fields.skip(13).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The answer of this solver, and its seconds per run.
fn ours(script: &str) -> (String, f64) {
    let start = now();
    let mut runs = 0.0;
    loop {
        let mut answers = String::new();
        let budget = Budget::unlimited();
        let result = Session::new().run(script, &budget, &mut |text| answers.push_str(text));
        result.expect("the script should be right");
        runs += 1.0;
        let seconds = now() - start;
        if seconds > 0.3 || runs >= 200.0 {
            return (answers, seconds / runs);
        }
    }
}

/// z3's answer to this many runs in one process, and the seconds of the process. `None` without z3.
fn z3(script: &str, runs: usize) -> Option<(String, f64)> {
    let before = children();
    let mut child = Command::new("z3").arg("-in").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut stdin = child.stdin.take()?;
    let text = format!("{script}(reset)\n").repeat(runs);
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok()?;
    Some((String::from_utf8_lossy(&output.stdout).into_owned(), children() - before))
}

/// z3's seconds per run: enough runs to see them above the clock's ticks, minus the start of the process.
fn theirs(script: &str, start: f64) -> Option<(String, f64)> {
    let (answers, first) = z3(script, 1)?;
    let runs = (0.3 / (first - start).max(0.003)).ceil().min(100.0) as usize + 1;
    let (_, seconds) = z3(script, runs)?;
    Some((answers, ((seconds - start) / runs as f64).max(1e-4)))
}

fn compare(filter: &str) {
    let start = (0..5).filter_map(|_| Some(z3("", 1)?.1)).sum::<f64>() / 5.0;
    let mut logarithms = Vec::new();
    println!("{:<18} {:>9} {:>7} {:>10} {:>10} {:>6}", "script", "variables", "checks", "ours ms", "z3 ms", "ratio");
    for kind in KINDS.into_iter().filter(|kind| kind.name.contains(filter)) {
        for variables in [20, 50, 100, 200, 400] {
            if variables > kind.most_variables {
                continue;
            }
            let script = script(kind, variables, variables as u64);
            let (answers, our_seconds) = ours(&script);
            let checks = answers.lines().count();
            let (name, our_ms) = (kind.name, our_seconds * 1e3);
            let Some((their_answers, their_seconds)) = theirs(&script, start) else {
                println!("{name:<18} {variables:>9} {checks:>7} {our_ms:>10.2}    SKIPPED: no z3");
                continue;
            };
            assert_eq!(answers, their_answers, "both should agree on {name} {variables}");
            let (their_ms, ratio) = (their_seconds * 1e3, our_seconds / their_seconds);
            println!("{name:<18} {variables:>9} {checks:>7} {our_ms:>10.2} {their_ms:>10.2} {ratio:>6.2}");
            logarithms.push(ratio.ln());
        }
    }
    if !logarithms.is_empty() {
        let mean = (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp();
        println!("geometric mean of {} ratios to z3: {mean:.2}", logarithms.len());
    }
}

/// Sums and comparisons of words until there are 100,000 clauses; returns conditions to assume.
fn large(terms: &mut Terms, solver: &mut Solver) -> Vec<Term> {
    let mut random = Random(7);
    let mut words: Vec<Term> = (0..40).map(|index| terms.variable(format!("x{index}"), Sort::Bits(32))).collect();
    let mut conditions = Vec::new();
    while solver.clauses() < 100_000 {
        let (a, b, c) = (random.below(words.len()), random.below(words.len()), random.below(words.len()));
        let sum = terms.add(words[a], words[b]);
        let less = terms.ult(words[c], words[a]);
        let value = terms.ite(less, sum, words[b]);
        let word = terms.variable("y", Sort::Bits(32));
        let equation = terms.eq(word, value);
        solver.assert(terms, equation);
        words.push(word);
        let limit = terms.number(32, 1 << 28);
        let small = terms.ult(word, limit);
        conditions.push(small);
    }
    conditions
}

fn one_assumption() {
    let (mut terms, mut solver) = (Terms::new(), Solver::new());
    let conditions = large(&mut terms, &mut solver);
    let clauses = solver.clauses();
    let budget = Budget::unlimited();
    let mut random = Random(3);
    let mut assumed: Vec<Term> = conditions.iter().copied().step_by(4).collect();
    let _ = solver.check(&mut terms, &assumed, &budget);
    let mut seconds = Vec::new();
    for _ in 0..300 {
        let place = random.below(assumed.len());
        assumed[place] = conditions[random.below(conditions.len())];
        let start = now();
        let _ = solver.check(&mut terms, &assumed, &budget);
        seconds.push(now() - start);
    }
    seconds.sort_by(f64::total_cmp);
    println!(
        "one assumption changed, {clauses} clauses, {} assumptions: median {:.2} ms, 90% {:.2} ms, worst {:.2} ms",
        assumed.len(),
        seconds[150] * 1e3,
        seconds[270] * 1e3,
        seconds[299] * 1e3
    );
}

fn memory() {
    let (mut terms, mut solver) = (Terms::new(), Solver::new());
    let budget = Budget::unlimited();
    let array = terms.variable("m", Sort::Array { index: 8, element: 8 });
    let formulas: Vec<Term> = (0..20)
        .map(|index| {
            let x = terms.variable(format!("x{index}"), Sort::Bits(8));
            let y = terms.number(8, index);
            let written = terms.store(array, x, y);
            let read = terms.select(written, y);
            let sum = terms.add(read, x);
            terms.eq(sum, y)
        })
        .collect();
    let mut round = |number: usize, solver: &mut Solver| {
        solver.push();
        for offset in 0..3 {
            solver.assert(&mut terms, formulas[(number * 7 + offset * 3) % formulas.len()]);
        }
        let _ = solver.check(&mut terms, &[], &budget);
        solver.pop();
    };
    (0..1000).for_each(|number| round(number, &mut solver));
    let (before, clauses) = (base::budget::resident_bytes().unwrap_or(0), solver.clauses());
    (0..10_000).for_each(|number| round(number, &mut solver));
    let grown = base::budget::resident_bytes().unwrap_or(0).saturating_sub(before);
    println!(
        "10,000 rounds of push, check, pop: {} KB more ({} bytes per round), {} clauses more",
        grown / 1024,
        grown / 10_000,
        solver.clauses() - clauses
    );
}

fn main() {
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    compare(&filter);
    one_assumption();
    memory();
}
