//! The laws about single engines: no engine contradicts exploration.

use super::laws::{Check, Proved, Question, Subject};
use super::subject::{self, Answer};
use ::engines::impact::{self, Reduction, SearchOrder};
use ::engines::priori as priori_engine;
use ::engines::skeleton::options as unroll;
use check::{Engine as _, Options, ReasonKind, Task, Verdict};
use ir::Property;

/// For one in this many programs `staged` chooses its own bounds: unrolling further until time is up is rarely
/// worthwhile.
const DEEPENING_SHARE: u64 = 8;
/// The bound for the others; the generator makes loops of two iterations.
pub(super) const STAGED_BOUND: u32 = 3;
/// The number of slices for each question, and the sizes of their windows: small ones begin anywhere in a run.
const SLICES: u64 = 3;
const WINDOWS: [usize; 3] = [plan::slice::Options::WINDOW, 12, 5];
/// One in this many programs is given to `recheck`, which is slow.
const RECHECK_SHARE: u64 = 4;
/// The bound of `recheck` where `staged` proves nothing.
const RECHECK_BOUND: u32 = 2;

impl Subject<'_> {
    pub(super) fn task(&self, (model, property): Question, options: Options) -> Task<'_> {
        let budget = self.limits.budget(self.limits.timeout);
        Task { program: self.program, property, model, options, budget, race_free: Default::default() }
    }

    /// The verdict of an engine, confirmed as for users.
    pub(super) fn verdict(&self, engine: &str, question: Question, options: Options) -> Verdict {
        let engine = plan::engine_named(engine).expect("the engine should exist");
        plan::solve(&self.task(question, options), engine, false).outcome.verdict
    }
}

/// A verdict that exploration contradicts, or that could not be confirmed.
pub(super) fn against(name: &str, verdict: &Verdict, answer: &Answer) -> Check {
    match (verdict, answer) {
        (Verdict::Safe(_), Answer::Violated(_, violation)) => {
            Check::Broken(format!("{name}: safe, but exploration finds: {}", violation.message()))
        }
        (Verdict::Unsafe(_), Answer::Safe) => Check::Broken(format!("{name}: unsafe, but exploration says safe")),
        (Verdict::Unknown(reasons), _) => {
            let defect = reasons.iter().find(|reason| reason.kind.is_defect());
            Check::new(defect.map(|reason| format!("{name}: {}", reason.detail)), false)
        }
        (Verdict::Safe(_) | Verdict::Unsafe(_), Answer::Unknown(_)) => Check::Undecided,
        (Verdict::Safe(_), Answer::Safe) | (Verdict::Unsafe(_), Answer::Violated(..)) => Check::Kept,
    }
}

pub(super) fn staged(subject: &Subject<'_>, question: Question, answer: &Answer) -> Check {
    let bound = (!subject.seed.is_multiple_of(DEEPENING_SHARE)).then_some(STAGED_BOUND);
    let options = Options { bound, strengthen_relaxed: true, ..Options::default() };
    against("staged", &subject.verdict("staged", question, options), answer)
}

/// The engine `impact`; the seed decides the mode.
pub(super) fn impact(subject: &Subject<'_>, question: Question, answer: &Answer) -> Check {
    if !impact::decides_under(question.0) {
        return Check::Unasked;
    }
    let seed = subject.seed;
    let reductions = [Reduction::Dynamic, Reduction::Static, Reduction::None];
    let impact = impact::Options {
        reduction: reductions[(seed / 2 % 3) as usize],
        force_cover: seed.is_multiple_of(2),
        order: match seed % 7 {
            3 => SearchOrder::Breadth,
            5 => SearchOrder::Distance,
            _ => SearchOrder::Depth,
        },
        track_after: crate::trees::track_after(seed),
        check_proof: true,
    };
    against("impact", &subject.verdict("impact", question, Options::default().with(impact)), answer)
}

/// A difference between the results with and without summaries.
pub(super) fn summaries(subject: &Subject<'_>, question: Question) -> Check {
    if !question.0.is_sequentially_consistent() {
        return Check::Unasked;
    }
    let engine = plan::engine_named("staged").expect("the engine should exist");
    let ask = |summaries: bool| {
        let options = Options { bound: Some(STAGED_BOUND), ..Options::default() };
        let options = options.with(unroll::Options { summaries, ..unroll::Options::default() });
        plan::solve(&subject.task(question, options), engine, false).outcome
    };
    let (with, without) = (ask(true), ask(false));
    if [&with, &without].into_iter().any(|outcome| is_out_of_time(&outcome.verdict)) {
        return Check::Undecided;
    }
    if with.verdict.name() != without.verdict.name() {
        return Check::Broken(format!("{} with summaries, {} without", with.verdict.name(), without.verdict.name()));
    }
    let number =
        |stats: &base::Stats, name: &str| stats.iter().find(|(other, _)| *other == name).map(|(_, value)| value);
    let mut differences = ["threads", "events", "links", "largest_link_set"]
        .into_iter()
        .map(|name| (name, number(&with.stats, name), number(&without.stats, name)))
        .filter(|(_, a, b)| a != b);
    let broken = differences.next().map(|(name, a, b)| format!("{name}: {a:?} with summaries, {b:?} without"));
    Check::new(broken, with.verdict.is_decided())
}

fn is_out_of_time(verdict: &Verdict) -> bool {
    let is_limit = |kind: ReasonKind| matches!(kind, ReasonKind::Time | ReasonKind::Memory);
    matches!(verdict, Verdict::Unknown(reasons) if reasons.iter().any(|reason| is_limit(reason.kind)))
}

/// Reports of slices of random runs that exploration contradicts.
pub(super) fn slice(subject: &Subject<'_>, question: Question, answer: &Answer) -> Check {
    if !question.0.is_sequentially_consistent() {
        return Check::Unasked;
    }
    let slices = (0..subject.limits.random_runs.min(SLICES)).map(|round| {
        let seed = subject.seed.wrapping_add(round);
        let window = WINDOWS[(seed % WINDOWS.len() as u64) as usize];
        let options = Options::default().with(plan::slice::Options { seed, window });
        let name = format!("the slice of run {seed}");
        match subject.verdict("slice", question, options) {
            Verdict::Safe(_) => Check::Broken(format!("{name}: safe, which a slice cannot tell")),
            verdict => against(&name, &verdict, answer),
        }
    });
    slices.max().unwrap_or(Check::Undecided)
}

/// Wrong proofs of the engine `priori`. Alarms are not passed on to an exact engine here.
pub(super) fn priori(subject: &Subject<'_>, question: Question, answer: &Answer, proved: &mut Proved) -> Check {
    if !matches!(question.1, Property::Unreach | Property::Race) {
        return Check::Unasked;
    }
    let mut all = Check::Undecided;
    for precision in 1..=::engines::priori::FINEST {
        let options = Options { strengthen_relaxed: true, ..Options::default() };
        let options = options.with(priori_engine::Options { precision: Some(precision) });
        let mut task = subject.task(question, options);
        task.budget = subject.limits.budget(subject.limits.timeout / 4);
        let verdict = ::engines::Priori.run(&task, &plan::TakingTurns).verdict;
        if *answer == Answer::Safe {
            let tally = proved.entry((question.0, question.1, precision)).or_default();
            tally[0] += u64::from(verdict.name() == "safe");
            tally[1] += 1;
        }
        all = all.max(against(&format!("priori at precision {precision}"), &verdict, answer));
    }
    all
}

/// Wrong proofs of the engine `tar`. Unproved questions are not passed on to an exact engine here.
pub(super) fn tar(subject: &Subject<'_>, question: Question, answer: &Answer) -> Check {
    let options = Options { strengthen_relaxed: true, ..Options::default() };
    let verdict = ::engines::Tar.run(&subject.task(question, options), &plan::TakingTurns).verdict;
    against("tar", &verdict, answer)
}

/// Answers that change when the waiting for condition variables is left out.
pub(super) fn waits(subject: &Subject<'_>, (model, property): Question, answer: &Answer) -> Check {
    let Some(simpler) = passes::without_waits(&subject.task((model, property), Options::default())) else {
        return Check::Unasked;
    };
    let simpler = subject::ask(&simpler, model, property, true, subject.limits);
    let broken = match (answer, &simpler) {
        (Answer::Violated(_, violation), Answer::Safe) => {
            Some(format!("without waits: safe, not {}", violation.message()))
        }
        (Answer::Safe, Answer::Violated(_, violation)) => Some(format!("without waits: {}", violation.message())),
        _ => None,
    };
    Check::new(broken, answer.is_known() && simpler.is_known())
}

/// Wrong answers of `recheck`, for proofs of `staged` and for unproved programs.
pub(super) fn recheck(subject: &Subject<'_>, question: Question, answer: &Answer) -> Check {
    let is_supported = question.0.is_sequentially_consistent() && question.1 != Property::Atomicity;
    if !is_supported || !subject.seed.is_multiple_of(RECHECK_SHARE) {
        return Check::Unasked;
    }
    let proved = match subject.verdict("staged", question, Options::default()) {
        Verdict::Safe(safe) => match *safe.proof() {
            check::Proof::Bounded { iterations, .. } => Some(iterations),
            check::Proof::NothingToViolate
            | check::Proof::Exhausted { .. }
            | check::Proof::Invariants { .. }
            | check::Proof::Tree { .. }
            | check::Proof::ThreadModular { .. } => None,
        },
        Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
    };
    let task = subject.task(question, Options::default());
    let found = ::recheck::confirm(&task, proved.unwrap_or(RECHECK_BOUND), &mut base::Stats::default());
    match (found, answer) {
        (::recheck::Answer::Confirmed, Answer::Violated(_, violation)) => {
            Check::Broken(format!("recheck confirms, but exploration finds: {}", violation.message()))
        }
        (::recheck::Answer::Refuted { what, execution }, _) if proved.is_some() => {
            Check::Broken(format!("staged: safe, but recheck finds: {what}:\n  {}", execution.join("\n  ")))
        }
        (::recheck::Answer::Refuted { what, execution }, Answer::Safe) => {
            Check::Broken(format!("safe, but recheck finds: {what}:\n  {}", execution.join("\n  ")))
        }
        (::recheck::Answer::Unable { .. }, _) => Check::Undecided,
        (::recheck::Answer::Confirmed | ::recheck::Answer::Refuted { .. }, _) => {
            Check::new(None, answer.is_known() || proved.is_some())
        }
    }
}
