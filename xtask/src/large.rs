//! Large programs that are safe by plain locking, and how the time for a proof by the engine `tar` scales with their size:
//! 50 variables, each with a mutex of its own, any number of threads that call functions which change them.

use anyhow::{Context, Result};
use base::Budget;
use check::{Engine, Options, Outcome, Task, Verdict};
use engines::tar::{self, Algorithm, Tar};
use front::LoadOptions;
use ir::{MemoryModel, Program, Property};
use std::fmt::Write as _;
use std::io::Write;
use std::time::{Duration, Instant};

/// The number of shared variables.
const VARIABLES: usize = 50;
/// The number of lines of a function.
const LINES_PER_FUNCTION: usize = 14;

/// A program of about `lines` lines. With `seeded`, one function forgets the lock.
pub fn program(lines: usize, seeded: bool) -> String {
    let functions = (lines / LINES_PER_FUNCTION).max(VARIABLES);
    let mut text = "#include <pthread.h>\nextern int __VERIFIER_nondet_int(void);\n".to_owned();
    let mut say = |line: std::fmt::Arguments<'_>| {
        text.write_fmt(line).expect("writing to a string should not fail");
        text.push('\n');
    };
    for variable in 0..VARIABLES {
        say(format_args!("static int v{variable};"));
        say(format_args!("static pthread_mutex_t m{variable} = PTHREAD_MUTEX_INITIALIZER;"));
    }
    for function in 0..functions {
        let variable = function % VARIABLES;
        let forgets = seeded && function == functions / 2;
        say(format_args!("static int f{function}(int by) {{"));
        say(format_args!("    int sum = by;"));
        say(format_args!("    for (int i = 0; i < 4; i++) {{"));
        if !forgets {
            say(format_args!("        pthread_mutex_lock(&m{variable});"));
        }
        say(format_args!("        if (v{variable} < 1000)"));
        say(format_args!("            v{variable} += i;"));
        say(format_args!("        else"));
        say(format_args!("            v{variable} = by & 15;"));
        say(format_args!("        sum ^= v{variable};"));
        if !forgets {
            say(format_args!("        pthread_mutex_unlock(&m{variable});"));
        }
        say(format_args!("    }}"));
        say(format_args!("    return sum;"));
        say(format_args!("}}"));
    }
    let workers = 10;
    for worker in 0..workers {
        say(format_args!("static void *worker{worker}(void *arg) {{"));
        say(format_args!("    int sum = 0;"));
        for function in (worker..functions).step_by(workers) {
            say(format_args!("    sum = f{function}(sum);"));
        }
        say(format_args!("    return sum ? arg : 0;"));
        say(format_args!("}}"));
    }
    say(format_args!("int main(void) {{"));
    say(format_args!("    pthread_t thread;"));
    say(format_args!("    while (__VERIFIER_nondet_int()) {{"));
    for worker in 0..workers {
        say(format_args!("        pthread_create(&thread, 0, worker{worker}, 0);"));
    }
    say(format_args!("    }}"));
    say(format_args!("    return 0;"));
    say(format_args!("}}"));
    text
}

/// Loads a program given as text.
pub fn load(text: &str) -> Result<Program> {
    let (program, diagnostics) = front::load_text("large.c", text, &LoadOptions::default());
    program.with_context(|| format!("the program does not load: {diagnostics:?}"))
}

/// Asks `tar` about races, by facts alone, without an exact engine for unproved questions.
pub fn prove(program: &Program, timeout: Duration) -> Outcome {
    Tar.run(&task(program, timeout), &plan::TakingTurns)
}

/// The question.
fn task(program: &Program, timeout: Duration) -> Task<'_> {
    let tar = tar::Options { algorithm: Algorithm::Facts, ..tar::Options::default() };
    let (options, budget) = (Options::default().with(tar), Budget::new(Some(timeout), None));
    Task { program, property: Property::Race, model: MemoryModel::Sc, options, budget, race_free: Default::default() }
}

/// Decides the program, with an exact engine for unproved questions and a replay of violations.
pub fn decide(program: &Program, timeout: Duration) -> Result<Verdict> {
    let engine = plan::engine_named("tar").context("the engine")?;
    Ok(plan::solve(&task(program, timeout), engine, false).outcome.verdict)
}

/// Proves programs of growing size and reports the time; returns whether all correct ones were proved, and no incorrect
/// one.
pub fn grow(timeout: Duration, tell: &mut dyn Write) -> Result<bool> {
    let mut is_well = true;
    writeln!(tell, "kind\tlines\tseeded\tverdict\tload_s\tprove_s\tsteps")?;
    let sizes = [1_250, 2_500, 5_000, 10_000, 20_000].map(|lines| (lines, "locking"));
    for (size, kind) in sizes.into_iter().chain([(24, "driver"), (48, "driver")]) {
        for seeded in [false, true] {
            let text = if kind == "driver" { crate::driver::driver(size, seeded) } else { program(size, seeded) };
            let started = Instant::now();
            let loaded = load(&text)?;
            let load = started.elapsed().as_secs_f64();
            let started = Instant::now();
            let outcome = prove(&loaded, timeout);
            let (seconds, verdict) = (started.elapsed().as_secs_f64(), outcome.verdict.name());
            let (count, steps) = (text.lines().count(), outcome.stats.get("steps").unwrap_or(0.0));
            writeln!(tell, "{kind}\t{count}\t{seeded}\t{verdict}\t{load:.2}\t{seconds:.2}\t{steps}")?;
            is_well &= (verdict == "safe") != seeded;
        }
    }
    Ok(is_well)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_locking_is_proved_and_a_missing_lock_is_not() {
        let time = Duration::from_secs(60);
        let outcome = prove(&load(&program(1000, false)).expect("a program"), time);
        assert_eq!(outcome.verdict.name(), "safe", "{:?}", outcome.verdict);
        let outcome = prove(&load(&program(1000, true)).expect("a program"), time);
        assert_eq!(outcome.verdict.name(), "unknown");
    }
}
