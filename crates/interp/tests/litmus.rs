//! The memory models on classic litmus tests, written in the core form itself.

use base::Budget;
use interp::{explore, Config, ExploreOptions, Explored, Gap, InputDomain, Machine};
use ir::{MemoryModel, Program, Property};

/// A thread: its statements, over the locals %a and %b (i32) and the globals @x, @y, @ra, @rb, @rc, @rd.
struct Litmus<'a> {
    threads: &'a [&'a [&'a str]],
    /// What the final state must not satisfy, over locals loaded from the globals of the same name.
    never: &'a str,
}

const GLOBALS: [&str; 6] = ["x", "y", "ra", "rb", "rc", "rd"];

fn program(litmus: &Litmus<'_>) -> Program {
    let mut text = String::from("heddle-ir 1 data-model lp64 file f0 \"litmus\" entry @main\n");
    for global in GLOBALS {
        text += &format!("object @{global} size 4 align 4 global = zero\n");
    }
    let mut main: Vec<String> = Vec::new();
    for index in 0..litmus.threads.len() {
        main.push(format!("%t{index} = new_thread"));
        main.push(format!("spawn %t{index}, @thread{index}()"));
    }
    for index in 0..litmus.threads.len() {
        main.push(format!("join %t{index}"));
    }
    for global in GLOBALS {
        main.push(format!("%{global} = load i32 @{global}"));
    }
    main.push(format!("assert not:i1({}), asserted \"bad\"", litmus.never));
    let locals: Vec<String> = (0..litmus.threads.len()).map(|index| format!("local %t{index}: i64")).collect();
    let locals = locals.join(" ") + &GLOBALS.map(|global| format!(" local %{global}: i32")).join("");
    text += &function("main", &locals, &main, "exit");
    for (index, thread) in litmus.threads.iter().enumerate() {
        let body: Vec<String> = thread.iter().map(|stmt| (*stmt).to_owned()).collect();
        text += &function(&format!("thread{index}"), "local %a: i32 local %b: i32", &body, "return");
    }
    let program = ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(ir::validate(&program).is_empty(), "{:?}\n{text}", ir::validate(&program));
    program
}

fn function(name: &str, locals: &str, body: &[String], end: &str) -> String {
    let count = body.len();
    let mut text = format!("function @{name}() {{ {locals} locs {} entry l0 exit l{}\n", count + 2, count + 1);
    for (index, stmt) in body.iter().enumerate() {
        text += &format!("  l{index} -> l{}: {stmt}\n", index + 1);
    }
    text + &format!("  l{count} -> l{}: {end}\n}}\n", count + 1)
}

/// The models under which the bad outcome is possible.
fn broken(litmus: &Litmus<'_>) -> Vec<MemoryModel> {
    let program = program(litmus);
    MemoryModel::ALL.into_iter().filter(|model| violates(&program, *model)).collect()
}

fn violates(program: &Program, model: MemoryModel) -> bool {
    let mut answers = [true, false].map(|reduction| {
        let config = Config {
            model,
            property: Property::Unreach,
            inputs: InputDomain::default(),
            regions: vec![],
            race_free: Default::default(),
        };
        let machine = Machine::new(program, config);
        let options = ExploreOptions { reduction, max_depth: None };
        let found = explore(&machine, &options, &Budget::unlimited());
        match found.result {
            Explored::Exhausted => {
                // The model's treatment of relaxed accesses is the very subject of the test.
                let is_answered = |gap: &Gap| matches!(gap, Gap::Relaxed { .. });
                assert!(found.gaps.iter().all(is_answered), "{:?}", found.gaps);
                false
            }
            Explored::Violated { steps, violation } => {
                let replayed = interp::replay(&machine, &steps, None);
                assert_eq!(replayed, Ok(interp::RunEnd::Violation(violation)));
                true
            }
            Explored::Stopped(_) => panic!("there was no limit"),
        }
    });
    assert_eq!(answers[0], answers[1], "the reduction should not change the answer");
    std::mem::take(&mut answers[0])
}

fn is(local: &str, value: u32) -> String {
    format!("eq:i32(%{local}, {value}:i32)")
}

fn all(conditions: &[(&str, u32)]) -> String {
    let mut conditions = conditions.iter().map(|(local, value)| is(local, *value));
    let first = conditions.next().expect("there should be a condition");
    conditions.fold(first, |all, next| format!("and:i1({all}, {next})"))
}

use MemoryModel::{Pso, Ra, Tso};

#[test]
fn store_buffering() {
    let litmus = |fence: &str| {
        let threads: [&[&str]; 2] = [
            &["store i32 @x, 1:i32", fence, "%a = load i32 @y", "store i32 @ra, %a"],
            &["store i32 @y, 1:i32", fence, "%a = load i32 @x", "store i32 @rb, %a"],
        ];
        broken(&Litmus { threads: &threads, never: &all(&[("ra", 0), ("rb", 0)]) })
    };
    assert_eq!(litmus("skip"), [Tso, Pso, Ra]);
    assert_eq!(litmus("fence seq_cst"), []);
    assert_eq!(litmus("fence acq_rel"), [Tso, Pso, Ra]);
}

#[test]
fn seq_cst_accesses_are_sequentially_consistent() {
    let threads: [&[&str]; 2] = [
        &["store i32 @x, 1:i32 seq_cst", "%a = load i32 @y seq_cst", "store i32 @ra, %a"],
        &["store i32 @y, 1:i32 seq_cst", "%a = load i32 @x seq_cst", "store i32 @rb, %a"],
    ];
    assert_eq!(broken(&Litmus { threads: &threads, never: &all(&[("ra", 0), ("rb", 0)]) }), []);
}

#[test]
fn message_passing() {
    let litmus = |order: &str, fence: &str| {
        let flag = format!("store i32 @y, 1:i32 {order}");
        let threads: [&[&str]; 2] = [
            &["store i32 @x, 1:i32", fence, &flag],
            &["%a = load i32 @y", "%b = load i32 @x", "store i32 @ra, %a", "store i32 @rb, %b"],
        ];
        broken(&Litmus { threads: &threads, never: &all(&[("ra", 1), ("rb", 0)]) })
    };
    assert_eq!(litmus("plain", "skip"), [Pso]);
    assert_eq!(litmus("release", "skip"), []);
    assert_eq!(litmus("relaxed", "fence release"), []);
}

#[test]
fn load_buffering() {
    let threads: [&[&str]; 2] = [
        &["%a = load i32 @x", "store i32 @y, 1:i32", "store i32 @ra, %a"],
        &["%a = load i32 @y", "store i32 @x, 1:i32", "store i32 @rb, %a"],
    ];
    assert_eq!(broken(&Litmus { threads: &threads, never: &all(&[("ra", 1), ("rb", 1)]) }), []);
}

#[test]
fn independent_reads_of_independent_writes() {
    let litmus = |fence: &str| {
        let threads: [&[&str]; 4] = [
            &["store i32 @x, 1:i32"],
            &["store i32 @y, 1:i32"],
            &["%a = load i32 @x", fence, "%b = load i32 @y", "store i32 @ra, %a", "store i32 @rb, %b"],
            &["%a = load i32 @y", fence, "%b = load i32 @x", "store i32 @rc, %a", "store i32 @rd, %b"],
        ];
        broken(&Litmus { threads: &threads, never: &all(&[("ra", 1), ("rb", 0), ("rc", 1), ("rd", 0)]) })
    };
    assert_eq!(litmus("skip"), [Ra]);
    assert_eq!(litmus("fence seq_cst"), []);
}

#[test]
fn two_writes_each() {
    let threads: [&[&str]; 2] =
        [&["store i32 @x, 1:i32", "store i32 @y, 2:i32"], &["store i32 @y, 1:i32", "store i32 @x, 2:i32"]];
    assert_eq!(broken(&Litmus { threads: &threads, never: &all(&[("x", 1), ("y", 1)]) }), [Pso, Ra]);
}

#[test]
fn write_to_read_causality() {
    let threads: [&[&str]; 3] = [
        &["store i32 @x, 1:i32"],
        &["%a = load i32 @x", "store i32 @y, %a"],
        &["%a = load i32 @y", "%b = load i32 @x", "store i32 @ra, %a", "store i32 @rb, %b"],
    ];
    assert_eq!(broken(&Litmus { threads: &threads, never: &all(&[("ra", 1), ("rb", 0)]) }), []);
}

#[test]
fn coherence() {
    let threads: [&[&str]; 2] = [
        &["store i32 @x, 1:i32", "store i32 @x, 2:i32"],
        &["%a = load i32 @x", "%b = load i32 @x", "store i32 @ra, %a", "store i32 @rb, %b"],
    ];
    assert_eq!(broken(&Litmus { threads: &threads, never: &all(&[("ra", 2), ("rb", 1)]) }), []);
    let observers: [&[&str]; 4] = [
        &["store i32 @x, 1:i32"],
        &["store i32 @x, 2:i32"],
        &["%a = load i32 @x", "%b = load i32 @x", "store i32 @ra, %a", "store i32 @rb, %b"],
        &["%a = load i32 @x", "%b = load i32 @x", "store i32 @rc, %a", "store i32 @rd, %b"],
    ];
    assert_eq!(broken(&Litmus { threads: &observers, never: &all(&[("ra", 1), ("rb", 2), ("rc", 2), ("rd", 1)]) }), []);
}

#[test]
fn increments() {
    let separate: &[&str] = &["%a = load i32 @x", "store i32 @x, add:i32(%a, 1:i32)"];
    let lost = broken(&Litmus { threads: &[separate, separate], never: &all(&[("x", 1)]) });
    assert_eq!(lost, MemoryModel::ALL);
    let atomic: &[&str] = &["%a = rmw add i32 @x, 1:i32 relaxed"];
    let never = format!("not:i1({})", is("x", 3));
    assert_eq!(broken(&Litmus { threads: &[atomic, atomic, atomic], never: &never }), []);
}
