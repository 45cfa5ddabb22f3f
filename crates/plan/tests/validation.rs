//! Verdicts that cannot be confirmed are demoted: engines with wrong answers are detected.

use base::{Budget, Stats};
use check::{Counterexample, Engine, Options, Outcome, Proof, Reason, ReasonKind, Services, Task, Verdict};
use ir::{Action, Claim, Fault, MemoryModel, Program, Property, Schedule, ScheduleStep, Violation};
use plan::Confirmation;

/// One thread asserts that an input bit is 0.
const PROGRAM: &str = "heddle-ir 1 data-model lp64 file f0 \"a.c\" entry @main
    function @main() { local %b: i1 locs 4 entry l0 exit l3
      l0 -> l1: %b = havoc
      l1 -> l2: assert eq:i1(%b, 0:i1), asserted \"b == 0\" at f0:3:1
      l2 -> l3: exit }";

/// The same without the assertion.
const SAFE_PROGRAM: &str = "heddle-ir 1 data-model lp64 file f0 \"a.c\" entry @main
    function @main() { local %b: i1 locs 3 entry l0 exit l2
      l0 -> l1: %b = havoc
      l1 -> l2: exit }";

/// An engine that always gives the same answer.
struct Says(Verdict);

impl Engine for Says {
    fn name(&self) -> &'static str {
        "says"
    }

    fn about(&self) -> &'static str {
        "always says the same"
    }

    fn supports(&self, _: &Task<'_>) -> Result<(), Reason> {
        Ok(())
    }

    fn rank(&self, _: &Task<'_>) -> Option<u8> {
        None
    }

    fn run(&self, _: &Task<'_>, _: &dyn Services) -> Outcome {
        Outcome::new(self.0.clone(), Stats::default())
    }
}

fn program(text: &str) -> Program {
    ir::parse(text).expect("the program should parse")
}

fn task(program: &Program) -> Task<'_> {
    Task {
        program,
        property: Property::Unreach,
        model: MemoryModel::Sc,
        options: Options::default(),
        budget: Budget::unlimited(),
        race_free: Default::default(),
    }
}

fn claimed_proof() -> Says {
    Says(Verdict::safe(Proof::Exhausted { states: 1, transitions: 0, reduced: true }, vec![]))
}

fn claimed_violation(steps: usize) -> Says {
    let step = ScheduleStep { thread: 1, action: Action::Step, picks: Default::default() };
    let schedule = Schedule { model: MemoryModel::Sc, property: Property::Unreach, steps: vec![step; steps] };
    let fault = Fault::Claim(Claim::asserted(""));
    let violation = Violation { fault, inside: None, thread: Some(1), at: None, other: None, first: None };
    Says(Verdict::Unsafe(Box::new(Counterexample { schedule, violation })))
}

fn is_demoted(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Unknown(reasons) if reasons[0].kind.is_defect())
}

#[test]
fn exploration_finds_and_confirms_the_violation() {
    let program = program(PROGRAM);
    let engine = plan::engine_named("explore").expect("the engine should exist");
    let answer = plan::solve(&task(&program), engine, false);
    assert_eq!(answer.outcome.verdict.name(), "unsafe");
    assert!(matches!(answer.confirmation, Confirmation::Replayed));
}

#[test]
fn a_claimed_violation_that_does_not_replay_is_demoted() {
    for text in [PROGRAM, SAFE_PROGRAM] {
        let program = program(text);
        // A step without the input it needs; too few steps; too many.
        for steps in 0..5 {
            let answer = plan::solve(&task(&program), &claimed_violation(steps), false);
            assert!(is_demoted(&answer.outcome.verdict), "{steps}: {:?}", answer.outcome.verdict);
            let Confirmation::Failed(reproducer) = answer.confirmation else { panic!("there should be a reproducer") };
            assert_eq!(reproducer.claim.name(), "unsafe");
            assert!(reproducer.counterexample.is_some() && !reproducer.problem.is_empty());
        }
    }
}

#[test]
fn a_claimed_proof_is_rechecked_when_asked() {
    let wrong = program(PROGRAM);
    let answer = plan::solve(&task(&wrong), &claimed_proof(), true);
    assert!(is_demoted(&answer.outcome.verdict), "{:?}", answer.outcome.verdict);
    let right = program(SAFE_PROGRAM);
    let answer = plan::solve(&task(&right), &claimed_proof(), true);
    assert_eq!(answer.outcome.verdict.name(), "safe");
    assert!(matches!(answer.confirmation, Confirmation::Rechecked));
}

#[test]
fn a_bounded_proof_is_rechecked_by_the_second_encoder() {
    let claimed = || Says(Verdict::safe(Proof::Bounded { iterations: 1, events: 0 }, vec![]));
    let wrong = program(PROGRAM);
    let answer = plan::solve(&task(&wrong), &claimed(), true);
    assert!(is_demoted(&answer.outcome.verdict), "{:?}", answer.outcome.verdict);
    let Confirmation::Failed(reproducer) = answer.confirmation else { panic!("there should be a reproducer") };
    assert!(reproducer.problem.contains("the second encoder disagrees"), "{}", reproducer.problem);
    let right = program(SAFE_PROGRAM);
    let answer = plan::solve(&task(&right), &claimed(), true);
    assert_eq!(answer.outcome.verdict.name(), "safe");
    assert!(matches!(answer.confirmation, Confirmation::Rechecked));
}

#[test]
fn a_recheck_that_is_stopped_is_no_confirmation() {
    let program = program(SAFE_PROGRAM);
    let mut task = task(&program);
    task.budget = Budget::unlimited();
    task.budget.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    let answer = plan::solve(&task, &claimed_proof(), true);
    match answer.outcome.verdict {
        Verdict::Unknown(reasons) => assert_eq!(reasons[0].kind, ReasonKind::Cancelled),
        // The exploration may finish before it polls its budget.
        verdict => assert_eq!(verdict.name(), "safe"),
    }
}

#[test]
fn what_was_assumed_is_said() {
    let wide = "heddle-ir 1 data-model lp64 file f0 \"a.c\" entry @main
        function @main() { local %n: i32 locs 4 entry l0 exit l3
          l0 -> l1: %n = havoc at f0:2:1
          l1 -> l2: assert ne:i32(mul:i32(%n, %n), 5929:i32), asserted \"n * n != 5929\" at f0:3:1
          l2 -> l3: exit }";
    let program = program(wide);
    let engine = plan::engine_named("explore").expect("the engine should exist");
    let verdict = plan::solve(&task(&program), engine, false).outcome.verdict;
    let Verdict::Unknown(reasons) = verdict else { panic!("{verdict:?}") };
    assert_eq!(reasons.iter().map(|reason| reason.kind).collect::<Vec<_>>(), [ReasonKind::Inputs]);
    // With the value among those tried, it is found; with a promise, there is no reservation.
    let mut with_values = task(&program);
    with_values.options.inputs.values = Some(vec![77]);
    assert_eq!(plan::solve(&with_values, engine, false).outcome.verdict.name(), "unsafe");
    with_values.options.inputs.values = Some(vec![1, 2]);
    with_values.options.inputs.promised = true;
    assert_eq!(plan::solve(&with_values, engine, false).outcome.verdict.name(), "safe");
}

#[test]
fn relaxed_atomics_under_ra_are_a_reservation() {
    let text = "heddle-ir 1 data-model lp64 file f0 \"a.c\" entry @main
        object @x size 4 align 4 global = zero
        function @main() { local %t: i64 local %a: i32 locs 7 entry l0 exit l6
          l0 -> l1: %t = new_thread
          l1 -> l2: spawn %t, @set()
          l2 -> l3: %a = load i32 @x acquire at f0:4:1
          l3 -> l4: assert ule:i32(%a, 1:i32), asserted \"a <= 1\"
          l4 -> l5: join %t
          l5 -> l6: exit }
        function @set() { locs 3 entry l0 exit l2
          l0 -> l1: store i32 @x, 1:i32 relaxed at f0:2:1
          l1 -> l2: return }";
    let program = program(text);
    let engine = plan::engine_named("explore").expect("the engine should exist");
    let mut task = task(&program);
    assert_eq!(plan::solve(&task, engine, false).outcome.verdict.name(), "safe");
    task.model = MemoryModel::Ra;
    let verdict = plan::solve(&task, engine, false).outcome.verdict;
    let Verdict::Unknown(reasons) = verdict else { panic!("{verdict:?}") };
    assert_eq!(reasons, [Reason::new(ReasonKind::Relaxed, reasons[0].detail.clone()).at("a.c:2")]);
    task.options.strengthen_relaxed = true;
    assert_eq!(plan::solve(&task, engine, false).outcome.verdict.name(), "safe");
}
