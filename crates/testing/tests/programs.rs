//! The generator: a seed determines a program, situations that break plausible rules do occur, and shrinking finds the
//! relevant part.

use ir::Order;
use std::collections::BTreeSet;
use testing::programs::ast::{Place, Program, Stmt};
use testing::programs::shrink::{candidates, weight};
use testing::programs::{generate, print, shrink, source, Feature, Settings};

fn stmts(body: &[Stmt]) -> Vec<Stmt> {
    let mut found = Vec::new();
    body.iter().for_each(|stmt| stmt.for_each(&mut |stmt| found.push(stmt.clone())));
    found
}

/// The number of the first seeds whose programs satisfy a condition.
fn how_many(wanted: impl Fn(&Program) -> bool) -> usize {
    (0..400).filter(|seed| wanted(&generate(*seed, &Settings::default()))).count()
}

fn is_shared_access(stmt: &Stmt) -> bool {
    stmt.place().is_some() || matches!(stmt, Stmt::Point { .. })
}

#[test]
fn a_seed_names_one_program() {
    let settings = Settings::default();
    for seed in 0..50 {
        assert_eq!(generate(seed, &settings), generate(seed, &settings));
    }
    let texts: BTreeSet<String> = (0..200).map(|seed| print(&generate(seed, &settings), "")).collect();
    assert!(texts.len() > 190, "seeds should make different programs, {} of 200 differ", texts.len());
}

#[test]
fn programs_stay_small() {
    for size in [1, 3, 5] {
        let settings = Settings { size, ..Settings::default() };
        for seed in 0..200 {
            let program = generate(seed, &settings);
            assert!(program.estimate() <= settings.limit(), "seed {seed}");
            assert!(program.threads.len() <= 4, "seed {seed}");
        }
    }
}

#[test]
fn plain_stores_meet_read_modify_writes() {
    let found = how_many(|program| {
        let (mut stored, mut changed) = (BTreeSet::new(), BTreeSet::new());
        program.for_each(&mut |stmt| match stmt {
            Stmt::Store { place: Place::Var(var), order: Order::Plain, .. } => {
                stored.insert(*var);
            }
            Stmt::Rmw { place: Place::Var(var), .. } => {
                changed.insert(*var);
            }
            _ => {}
        });
        stored.intersection(&changed).next().is_some()
    });
    assert!(found >= 20, "{found}");
}

#[test]
fn stores_stand_in_loops() {
    let stores = |stmt: &Stmt| matches!(stmt, Stmt::Store { .. });
    let found = how_many(|p| p.any(|stmt| matches!(stmt, Stmt::Loop { body, .. } if stmts(body).iter().any(stores))));
    assert!(found >= 20, "{found}");
}

#[test]
fn locks_are_kept_and_threads_stay_blocked() {
    let kept = how_many(|program| {
        program.threads.iter().any(|thread| {
            let all = stmts(&thread.body);
            all.contains(&Stmt::Lock(0)) && !all.contains(&Stmt::Unlock(0))
        })
    });
    assert!(kept >= 10, "{kept}");
    let unsignalled = how_many(|program| {
        program.any(|s| matches!(s, Stmt::Wait { .. })) && !program.any(|s| matches!(s, Stmt::Signal { .. }))
    });
    assert!(unsignalled >= 3, "{unsignalled}");
}

#[test]
fn there_are_third_and_fourth_observers() {
    let observers = |program: &Program| {
        let only_reads = |stmt: &Stmt| matches!(stmt, Stmt::Load { .. } | Stmt::Assert(_));
        program.threads.iter().skip(2).filter(|t| !t.body.is_empty() && t.body.iter().all(only_reads)).count()
    };
    assert!(how_many(|program| observers(program) >= 1) >= 60);
    assert!(how_many(|program| observers(program) >= 2) >= 10);
}

#[test]
fn functions_have_no_access_or_one_on_one_path() {
    let called = |program: &Program, wanted: &dyn Fn(&[Stmt]) -> bool| {
        program.any(|stmt| matches!(stmt, Stmt::Call { function, .. } if wanted(&program.functions[*function].body)))
    };
    let idle = how_many(|program| called(program, &|body| !stmts(body).iter().any(is_shared_access)));
    assert!(idle >= 10, "{idle}");
    let on_one_path = |body: &[Stmt]| {
        body.iter().any(|stmt| matches!(stmt, Stmt::If { then, .. } if then.iter().any(is_shared_access)))
    };
    let partial = how_many(|program| called(program, &on_one_path));
    assert!(partial >= 10, "{partial}");
}

#[test]
fn the_rest_comes_up_too() {
    type Wanted = (&'static str, fn(&Stmt) -> bool);
    let wanted: [Wanted; 9] = [
        ("region", |stmt| matches!(stmt, Stmt::Atomic(_))),
        ("input", |stmt| matches!(stmt, Stmt::Nondet { .. })),
        ("semaphore", |stmt| matches!(stmt, Stmt::SemWait(_))),
        ("element", |stmt| matches!(stmt.place(), Some(Place::Element(..)))),
        ("pointer", |stmt| matches!(stmt.place(), Some(Place::Deref(_)))),
        ("spin", |stmt| matches!(stmt, Stmt::Spin { .. })),
        ("fence", |stmt| matches!(stmt, Stmt::Fence(_))),
        ("compare-exchange", |stmt| matches!(stmt, Stmt::CompareExchange { .. })),
        ("trylock", |stmt| matches!(stmt, Stmt::TryLock { .. })),
    ];
    for (name, is_wanted) in wanted {
        let found = how_many(|program| program.any(is_wanted));
        assert!(found >= 5, "{name}: {found}");
    }
}

#[test]
fn features_that_are_off_do_not_come_up() {
    let features = BTreeSet::from([Feature::Atomics, Feature::Fences]);
    let settings = Settings { features, ..Settings::default() };
    for seed in 0..300 {
        let program = generate(seed, &settings);
        let unwanted = program.any(|stmt| {
            matches!(
                stmt,
                Stmt::Loop { .. }
                    | Stmt::Lock(_)
                    | Stmt::Wait { .. }
                    | Stmt::SemWait(_)
                    | Stmt::Call { .. }
                    | Stmt::Atomic(_)
                    | Stmt::Nondet { .. }
                    | Stmt::Spin { .. }
            )
        });
        assert!(!unwanted && program.threads.iter().all(|thread| thread.joined), "seed {seed}");
        assert!(source(seed, &settings).contains("--features atomics,fences"));
    }
}

#[test]
fn candidates_are_smaller() {
    for seed in 0..100 {
        let program = generate(seed, &Settings::default());
        for candidate in candidates(&program) {
            assert!(weight(&candidate) < weight(&program), "seed {seed}");
            // It can be printed whatever was removed.
            print(&candidate, "");
        }
    }
}

#[test]
fn shrinking_keeps_what_matters_and_nothing_else() {
    let mut shows = |program: &Program| {
        let is_rmw = |stmt: &Stmt| matches!(stmt, Stmt::Rmw { .. });
        program.threads.iter().filter(|thread| stmts(&thread.body).iter().any(is_rmw)).count() >= 2
    };
    let mut tried = 0;
    for seed in 0..200 {
        let program = generate(seed, &Settings::default());
        if !shows(&program) {
            continue;
        }
        tried += 1;
        let small = shrink(&program, 10_000, &mut shows);
        assert!(shows(&small));
        let count: usize = small.threads.iter().map(|thread| stmts(&thread.body).len()).sum();
        assert_eq!((small.threads.len(), count), (2, 2), "seed {seed}: {}", print(&small, ""));
        assert!(small.outcome.is_empty() && small.during.is_empty() && small.after.is_empty(), "seed {seed}");
    }
    assert!(tried >= 10, "{tried}");
}

#[test]
fn shrinking_stops_when_told() {
    let program = generate(3, &Settings::default());
    let mut asked = 0;
    let small = shrink(&program, 5, &mut |_| {
        asked += 1;
        false
    });
    assert_eq!((asked, small), (5, program));
}
