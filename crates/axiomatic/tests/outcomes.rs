//! The enumerator by itself: what it counts, and what it rejects.

use axiomatic::{outcomes, Failure, Outcome};
use base::Budget;
use ir::{MemoryModel, Program};

/// A program with the globals @x and @y, whose `main` starts a thread, does something, and joins it.
fn program(thread: &[&str], main: &[&str]) -> Program {
    let mut text = String::from("heddle-ir 1 data-model lp64 file f0 \"test\" entry @main\n");
    text += "object @x size 4 align 4 global = zero object @y size 4 align 4 global = bytes 07000000\n";
    let start = ["%t = new_thread", "spawn %t, @thread()"];
    let main: Vec<&str> = start.iter().chain(main).chain(&["join %t"]).copied().collect();
    text += &function("main", &main, "exit");
    text += &function("thread", thread, "return");
    let program = ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(ir::validate(&program), [], "{text}");
    program
}

fn function(name: &str, body: &[&str], end: &str) -> String {
    let (last, exit) = (body.len(), body.len() + 1);
    let locals = "local %t: i64 local %a: i32 local %b: i32 local %c: i8 local %p: ptr";
    let mut text = format!("function @{name}() {{ {locals} locs {} entry l0 exit l{exit}\n", exit + 1);
    for (index, stmt) in body.iter().enumerate() {
        text += &format!("  l{index} -> l{}: {stmt}\n", index + 1);
    }
    text + &format!("  l{last} -> l{exit}: {end}\n}}\n")
}

/// The final values of @x and @y.
fn finals(program: &Program, model: MemoryModel) -> Vec<(u8, u8)> {
    let found = outcomes(program, model, &Budget::unlimited()).expect("the program should be supported");
    let pair = |outcome: &Outcome| match outcome {
        Outcome::Finished(finals) => Some((finals[0].1[0], finals[1].1[0])),
        Outcome::Failed(_) | Outcome::Stuck(_) => None,
    };
    found.outcomes.iter().filter_map(pair).collect()
}

fn refusal(thread: &[&str], main: &[&str]) -> String {
    match outcomes(&program(thread, main), MemoryModel::Sc, &Budget::unlimited()) {
        Err(Failure::Unsupported(what)) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn lost_updates() {
    let increment = ["%a = load i32 @x", "store i32 @x, add:i32(%a, 1:i32)"];
    for model in MemoryModel::ALL {
        assert_eq!(finals(&program(&increment, &increment), model), [(1, 7), (2, 7)], "{model}");
    }
}

#[test]
fn initial_values_and_inputs() {
    let body = ["%a = load i32 @y", "%b = havoc below 3:i32", "store i32 @x, add:i32(%a, %b)"];
    assert_eq!(finals(&program(&[], &body), MemoryModel::Sc), [(7, 7), (8, 7), (9, 7)]);
}

/// Store buffering with a change of ghost memory in one step between the store and the load: it is a fence if the region is one.
#[test]
fn relaxed_regions_are_no_fences() {
    let thread = |own: &str, other: &str, plus: &str, kind: &str| {
        let region = [format!("atomic_begin{kind}"), "%b = load i32 ghost(@x) relaxed".to_owned()];
        let change = ["store i32 ghost(@x), add:i32(%b, 1:i32) relaxed".to_owned(), format!("atomic_end{kind}")];
        let load = [format!("%a = load i32 {other}"), format!("store i32 {own}, add:i32(%a, {plus}:i32)")];
        [format!("store i32 {own}, 1:i32")].into_iter().chain(region).chain(change).chain(load).collect::<Vec<_>>()
    };
    for (kind, is_fence) in [("", true), (" relaxed", false)] {
        let (left, right) = (thread("@x", "@y", "10", kind), thread("@y", "@x", "20", kind));
        let left: Vec<&str> = left.iter().map(String::as_str).collect();
        let right: Vec<&str> = right.iter().map(String::as_str).collect();
        for model in [MemoryModel::Sc, MemoryModel::Tso, MemoryModel::Pso] {
            let is_seen = finals(&program(&left, &right), model).contains(&(17, 20));
            assert_eq!(is_seen, !is_fence && model != MemoryModel::Sc, "{kind} {model}");
        }
    }
}

#[test]
fn a_false_assumption_ends_the_run_without_an_outcome() {
    let observer = ["%a = load i32 @x", "assume eq:i32(%a, 1:i32)"];
    let found = finals(&program(&observer, &["store i32 @x, 1:i32"]), MemoryModel::Ra);
    assert_eq!(found, [(1, 7)]);
    assert_eq!(finals(&program(&observer, &[]), MemoryModel::Ra), []);
}

#[test]
fn a_failure_does_not_wait_for_what_ends_the_run_elsewhere() {
    let fails = ["%a = load i32 @x", "assert ne:i32(%a, 1:i32), asserted \"bad\""];
    let ends = ["store i32 @x, 1:i32", "assume 0:i1"];
    for model in MemoryModel::ALL {
        let found = outcomes(&program(&fails, &ends), model, &Budget::unlimited()).expect("it should be supported");
        let failures = found.outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Failed(_))).count();
        assert_eq!((found.outcomes.len(), failures), (1, 1), "{model}");
    }
}

#[test]
fn objects_that_hold_pointers_are_not_observed() {
    let mut text = String::from("heddle-ir 1 data-model lp64 file f0 \"test\" entry @main\n");
    text += "object @p size 8 align 8 global = zero object @x size 4 align 4 global = zero\n";
    text += &function("main", &["store ptr @p, @x", "%p = load ptr @p", "store i32 %p, 3:i32"], "exit");
    let program = ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let found = outcomes(&program, MemoryModel::Pso, &Budget::unlimited()).expect("it should be supported");
    let x = program.object_named("x").expect("it should be there");
    assert_eq!(found.observed, [x]);
    assert_eq!(found.outcomes.into_iter().collect::<Vec<_>>(), [Outcome::Finished(vec![(x, vec![3, 0, 0, 0])])]);
}

#[test]
fn what_is_not_supported_is_refused() {
    assert_eq!(refusal(&["store i32 @x, %a"], &[]), "a store of an undefined value");
    assert_eq!(refusal(&["%t = new_thread"], &[]), "a thread created by another than the first");
    assert_eq!(refusal(&["%a = load i32 @x", "%c = load i8 @x"], &[]), "memory accessed with different sizes");
    assert_eq!(refusal(&["store i32 offset(@x, 4:i64), 1:i32"], &[]), "an access outside an object");
    assert_eq!(refusal(&["set @x, 1:i8, 4:i64"], &[]), "a copy or set of a range of bytes");
    assert_eq!(refusal(&["lock @x"], &[]), "waiting for a cell outside ghost memory");
    assert_eq!(refusal(&[], &["detach %t"]), "a detached thread");
    assert_eq!(refusal(&["%a = load i32 null"], &[]), "a pointer to no object");
    let region = ["atomic_begin", "lock ghost(@x)", "unlock ghost(@x)", "atomic_end"];
    assert_eq!(refusal(&region, &[]), "waiting in an atomic region");
}

#[test]
fn an_endless_loop_is_refused() {
    let mut text = String::from("heddle-ir 1 data-model lp64 file f0 \"test\" entry @main\n");
    text += "function @main() { locs 3 entry l0 exit l2 l0 -> l1: skip l1 -> l0: skip }\n";
    let program = ir::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let found = outcomes(&program, MemoryModel::Sc, &Budget::unlimited());
    assert_eq!(found, Err(Failure::Unsupported("a loop that may be endless".to_owned())));
}
