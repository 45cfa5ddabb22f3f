//! The engine `impact`: its modes agree, its proofs check, and the parts that the paper says are necessary are
//! necessary.

use base::Budget;
use check::{Engine as _, Options, Outcome, Task, Verdict};
use engines::impact::{self, Ablation, Reduction, SearchOrder, TrackAfter};
use ir::{MemoryModel, Program, Property};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs")
}

fn load(name: &str) -> Program {
    let options = front::LoadOptions::default();
    let (program, diagnostics) = front::load(&[folder().join(name)], &options);
    program.unwrap_or_else(|| panic!("{name} should load: {diagnostics:?}"))
}

fn task(program: &Program, impact: impact::Options) -> Task<'_> {
    Task {
        program,
        property: Property::Unreach,
        model: MemoryModel::Sc,
        options: Options::default().with(impact),
        budget: Budget::new(Some(Duration::from_secs(120)), Some(2 << 30)),
        race_free: Default::default(),
    }
}

const CHECKED: impact::Options = impact::Options {
    reduction: Reduction::Dynamic,
    force_cover: true,
    order: SearchOrder::Depth,
    track_after: TrackAfter::DEFAULT,
    check_proof: true,
};

fn solve(program: &Program, impact: impact::Options) -> Outcome {
    let engine = plan::engine_named("impact").expect("the engine should exist");
    plan::solve(&task(program, impact), engine, false).outcome
}

/// The task with some part switched off.
fn ablated(program: &Program, impact: impact::Options, ablation: Ablation) -> Task<'_> {
    let mut task = task(program, impact);
    task.options = task.options.with(ablation);
    task
}

fn faulty(program: &Program, impact: impact::Options, ablation: Ablation) -> Verdict {
    impact::Impact.run(&ablated(program, impact, ablation), &plan::TakingTurns).verdict
}

fn modes() -> Vec<impact::Options> {
    let mut all = Vec::new();
    for reduction in [Reduction::None, Reduction::Static, Reduction::Dynamic] {
        for force_cover in [false, true] {
            for order in [SearchOrder::Depth, SearchOrder::Breadth, SearchOrder::Distance] {
                for track_after in [TrackAfter(None), TrackAfter(Some(0))] {
                    all.push(impact::Options { reduction, force_cover, order, track_after, check_proof: true });
                }
            }
        }
    }
    all
}

#[test]
fn all_modes_give_the_same_answer() {
    for (name, expected) in [
        ("paper_impact_section4c_unsafe.c", "unsafe"),
        ("impact_spin_safe.c", "safe"),
        ("impact_spin_unsafe.c", "unsafe"),
        ("impact_cells_safe.c", "safe"),
        ("impact_heap_safe.c", "safe"),
    ] {
        let program = load(name);
        for modes in modes() {
            let outcome = solve(&program, modes.clone());
            assert_eq!(outcome.verdict.name(), expected, "{name} with {modes:?}: {:?}", outcome.verdict);
        }
    }
}

/// Freeing memory is an action of another thread: the reduction must not forget it.
#[test]
fn a_free_is_noticed() {
    let program = load("memory/free-race.c");
    for modes in modes() {
        let task = Task { property: Property::Memory, ..task(&program, modes.clone()) };
        let engine = plan::engine_named("impact").expect("the engine should exist");
        let verdict = plan::solve(&task, engine, false).outcome.verdict;
        assert_eq!(verdict.name(), "unsafe", "{modes:?}: {verdict:?}");
    }
}

/// The example of section IV-C: without cover expansion the reduction misses the violation, and the checker reports it.
#[test]
fn cover_expansion_is_needed() {
    let program = load("paper_impact_section4c_unsafe.c");
    let unchecked = impact::Options { check_proof: false, ..CHECKED };
    let faults = Ablation { lacks_cover_expansion: true, ..Ablation::default() };
    assert_eq!(faulty(&program, unchecked, faults).name(), "safe");
    let Verdict::Unknown(reasons) = faulty(&program, CHECKED, faults) else { panic!("the proof should not check") };
    assert_eq!(reasons[0].kind, check::ReasonKind::ProofRefused, "{reasons:?}");
}

/// That two accesses do not alias on this path must be in the labels, or coverings forget it: the checker reports it.
#[test]
fn alias_labels_are_needed() {
    let program = load("impact_cells_safe.c");
    let faults = Ablation { lacks_alias_labels: true, ..Ablation::default() };
    let Verdict::Unknown(reasons) = faulty(&program, CHECKED, faults) else { panic!("the proof should not check") };
    assert_eq!(reasons[0].kind, check::ReasonKind::ProofRefused, "{reasons:?}");
}

/// Non-aliasing on one path to a location must not be assumed for another path that is covered there.
#[test]
fn without_alias_labels_a_violation_is_missed() {
    let program = load("impact_cells_unsafe.c");
    is_missed_unless_checked(&program, Ablation { lacks_alias_labels: true, ..Ablation::default() });
}

/// A violation that is missed with some part switched off, which the checker reports.
fn is_missed_unless_checked(program: &Program, faults: Ablation) {
    assert_eq!(solve(program, CHECKED).verdict.name(), "unsafe");
    let unchecked = impact::Options { check_proof: false, ..CHECKED };
    assert_eq!(faulty(program, unchecked, faults).name(), "safe");
    let Verdict::Unknown(reasons) = faulty(program, CHECKED, faults) else { panic!("the proof should not check") };
    assert_eq!(reasons[0].kind, check::ReasonKind::ProofRefused, "{reasons:?}");
}

/// Where a covering closes a loop, expansions needed at the end of the loop must happen at its head.
#[test]
fn cover_expansion_is_needed_in_loops() {
    let program = load("impact_loop_cover_unsafe.c");
    is_missed_unless_checked(&program, Ablation { lacks_loop_expansion: true, ..Ablation::default() });
    // Without a loop it makes no difference.
    let program = load("paper_impact_section4c_unsafe.c");
    let faults = Ablation { lacks_loop_expansion: true, ..Ablation::default() };
    assert_eq!(faulty(&program, CHECKED, faults).name(), "unsafe");
}

/// The loop condition of the paper's skip rule does not do that, and is not needed for anything else.
#[test]
fn the_loop_condition_is_no_substitute() {
    let condition = Ablation { has_loop_condition: true, ..Ablation::default() };
    let program = load("impact_loop_cover_unsafe.c");
    is_missed_unless_checked(&program, Ablation { lacks_loop_expansion: true, ..condition });
    for name in ["impact_spin_safe.c", "litmus/peterson.c"] {
        let program = load(name);
        for modes in modes().into_iter().filter(|modes| modes.order == SearchOrder::Depth) {
            assert_eq!(faulty(&program, modes.clone(), condition).name(), "safe", "{name} with {modes:?}");
        }
    }
}

#[test]
fn reduction_needs_fewer_nodes() {
    let program = load("impact_cells_safe.c");
    let nodes = |reduction| {
        let stats = solve(&program, impact::Options { reduction, ..CHECKED }).stats;
        let found = stats.iter().find(|(name, _)| *name == "nodes");
        found.expect("nodes should be counted").1
    };
    let (none, by_object, by_part) = (nodes(Reduction::None), nodes(Reduction::Static), nodes(Reduction::Dynamic));
    assert!(none > by_part && by_object >= by_part, "{none} {by_object} {by_part}");
}

/// Definitions 4.4 to 4.7 of the paper: each feasible monotonic path has a corresponding path in the tree.
#[test]
fn monotonic_paths_are_in_the_tree() {
    let mut all = 0;
    for name in ["impact_spin_safe.c", "impact_cells_safe.c", "impact_heap_safe.c", "litmus/peterson.c", "race/mutex.c"]
    {
        let program = load(name);
        for reduction in [Reduction::Static, Reduction::Dynamic] {
            for force_cover in [false, true] {
                let modes = impact::Options { reduction, force_cover, ..CHECKED };
                match impact::monotonic_paths(&task(&program, modes.clone()), 14, 1500) {
                    Ok(paths) => all += paths,
                    Err(missing) => panic!("{name} {modes:?}: {missing}"),
                }
            }
        }
    }
    assert!(all > 1000, "there should be paths to look at, not {all}");
}

/// Without the expansions that a covering demands, paths are missing: the test above can fail.
#[test]
fn monotonic_paths_are_missed_without_cover_expansion() {
    let program = load("paper_impact_section4c_unsafe.c");
    let faults = Ablation { lacks_cover_expansion: true, ..Ablation::default() };
    let is_missed = modes().into_iter().any(|modes| {
        let found = impact::monotonic_paths(&ablated(&program, modes, faults), 20, 20_000);
        matches!(found, Err(problem) if problem != "the property can be violated")
    });
    assert!(is_missed, "a path should be missing");
}
