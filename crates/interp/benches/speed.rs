//! How fast the interpreter is: steps per second of a random run, and states per second of an exploration of two
//! threads that count. `cargo bench -p interp`.
#![allow(clippy::print_stdout)]

use base::Budget;
use interp::{explore, random_run, Config, ExploreOptions, InputDomain, Machine};
use ir::{MemoryModel, Program, Property};
use std::time::Instant;

/// Two threads that each add 1 to a shared counter `rounds` times, with a load and a store.
fn counters(rounds: u32) -> Program {
    let text = format!(
        "heddle-ir 1 data-model lp64 file f0 \"counter\" entry @main
        object @x size 4 align 4 global = zero
        function @main() {{ local %s: i64 local %t: i64 locs 8 entry l0 exit l7
          l0 -> l1: %s = new_thread
          l1 -> l2: spawn %s, @count()
          l2 -> l3: %t = new_thread
          l3 -> l4: spawn %t, @count()
          l4 -> l5: join %s
          l5 -> l6: join %t
          l6 -> l7: exit }}
        function @count() {{ local %i: i32 local %a: i32 locs 7 entry l0 exit l6
          l0 -> l1: %i = 0:i32
          l1 -> l2: assume slt:i32(%i, {rounds}:i32)
          l1 -> l5: assume not:i1(slt:i32(%i, {rounds}:i32))
          l2 -> l3: %a = load i32 @x
          l3 -> l4: store i32 @x, add:i32(%a, 1:i32)
          l4 -> l1: %i = add:i32(%i, 1:i32)
          l5 -> l6: return }}"
    );
    ir::parse(&text).expect("the program should parse")
}

fn config(model: MemoryModel, property: Property) -> Config {
    Config { model, property, inputs: InputDomain::default() }
}

fn main() {
    let program = counters(1_000_000_000);
    // Under ra the history of writes grows as long as `main`, which waits, could still read the first.
    let models = MemoryModel::ALL.map(|model| (model, if model == MemoryModel::Ra { 5_000 } else { 2_000_000 }));
    for (model, steps) in models {
        let machine = Machine::new(&program, config(model, Property::Unreach));
        let start = Instant::now();
        let run = random_run(&machine, 1, steps, &Budget::unlimited(), None);
        let seconds = start.elapsed().as_secs_f64();
        println!("random run, {model}: {:.0} steps/s", run.steps.len() as f64 / seconds);
    }
    for reduction in [true, false] {
        for (model, property, rounds) in [
            (MemoryModel::Sc, Property::Unreach, 16),
            (MemoryModel::Sc, Property::Race, 16),
            (MemoryModel::Tso, Property::Unreach, 8),
            (MemoryModel::Ra, Property::Unreach, 4),
        ] {
            let program = counters(rounds);
            let machine = Machine::new(&program, config(model, property));
            let start = Instant::now();
            let found = explore(&machine, &ExploreOptions { reduction, max_depth: None }, &Budget::unlimited());
            let seconds = start.elapsed().as_secs_f64();
            println!(
                "exploration, {model}, {property}, {rounds} rounds, {}: {} states, {:.0} states/s, {:.0} steps/s",
                if reduction { "reduced" } else { "plain" },
                found.states,
                found.states as f64 / seconds,
                found.transitions as f64 / seconds
            );
        }
    }
}
