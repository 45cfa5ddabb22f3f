//! The speed from C to a verdict: loading, steps per second of a random run, and states per second of an exhaustive
//! exploration, on a program with two threads that count. `cargo bench -p heddle`.
#![allow(clippy::print_stdout)]

use base::Budget;
use interp::{Config, ExploreOptions, Explored, InputDomain, Machine};
use ir::{MemoryModel, Program, Property};
use std::time::Instant;

/// Two threads that each increment a shared counter `rounds` times.
fn counters(rounds: u32) -> Program {
    let source = format!(
        "#include <assert.h>\n#include <pthread.h>\nint counter;\n\
         static void *count(void *unused) {{ for (int i = 0; i < {rounds}; i++) counter++; return unused; }}\n\
         int main(void) {{\n  pthread_t a, b;\n  pthread_create(&a, 0, count, 0);\n  pthread_create(&b, 0, count, 0);\n\
         pthread_join(a, 0);\n  pthread_join(b, 0);\n  assert(counter <= 2 * {rounds});\n}}\n"
    );
    let (program, diagnostics) = front::load_text("counter.c", &source, &front::LoadOptions::default());
    program.unwrap_or_else(|| panic!("the program should load: {diagnostics:?}"))
}

fn config(model: MemoryModel) -> Config {
    Config {
        model,
        property: Property::Unreach,
        inputs: InputDomain::default(),
        regions: vec![],
        race_free: Default::default(),
    }
}

fn main() {
    let start = Instant::now();
    let endless = counters(1_000_000_000);
    println!("load: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
    let machine = Machine::new(&endless, config(MemoryModel::Sc));
    let start = Instant::now();
    let run = interp::random_run(&machine, 1, 5_000_000, &Budget::unlimited(), None);
    println!("random run, sc: {:.0} steps/s", run.steps.len() as f64 / start.elapsed().as_secs_f64());
    for (model, rounds) in [(MemoryModel::Sc, 16), (MemoryModel::Tso, 8), (MemoryModel::Pso, 8), (MemoryModel::Ra, 4)] {
        let program = counters(rounds);
        let machine = Machine::new(&program, config(model));
        let options = ExploreOptions { reduction: true, max_depth: None };
        let start = Instant::now();
        let found = interp::explore(&machine, &options, &Budget::unlimited());
        assert_eq!(found.result, Explored::Exhausted, "the program should be safe");
        let seconds = start.elapsed().as_secs_f64();
        println!("explore, {model}: {:.0} states/s ({} states)", found.states as f64 / seconds, found.states);
    }
}
