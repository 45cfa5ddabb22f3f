//! The laws: what must hold between different ways to look at one program. Each compares answers; an `unknown` breaks
//! nothing, because nothing was claimed.

use super::atomicity;
use super::facts;
use super::interference;
use super::subject::{self, Answer, Limits};
use crate::outcomes::{self, Comparison};
use crate::programs::ast::{self, Place, Stmt};
use crate::programs::rng::Rng;
use interp::enumerate::Outcome;
use interp::{Run, RunEnd};
use ir::{MemoryModel, Order, Program, Property};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A law.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Law {
    /// The program loads.
    Loads,
    /// Its core form is valid and survives printing and parsing.
    Text,
    /// Exploration with and without reduction agree.
    Reduction,
    /// What exploration can reach is what the axioms allow, outcome by outcome (where the enumerator knows the program).
    Outcomes,
    /// A violation that was found can be replayed.
    Replay,
    /// What a random run finds, exploration does not deny, and the run can be replayed.
    RandomRun,
    /// What a stronger memory model allows, a weaker one allows.
    Models,
    /// A fence only removes outcomes.
    Fence,
    /// The order in which threads are created does not matter.
    ThreadOrder,
    /// The engine `staged` never contradicts exploration, and what it finds can be followed.
    Staged,
    /// The engine `impact` never contradicts exploration, in whatever mode, and its proofs check.
    Impact,
    /// The engine `interference`, in several modes and forms, contradicts neither exploration nor `staged`, and what it finds can be
    /// followed.
    Interference,
    /// The engine `staged` makes the same events and links, and answers the same, with and without summaries.
    Summaries,
    /// What the engine `priori` proves, at whatever precision, exploration does not deny.
    Priori,
    /// What the engine `tar` proves, exploration does not deny.
    Tar,
    /// What engines prove for each other is true of every run, and changes no answer.
    Facts,
    /// The second encoder, `recheck`, contradicts neither exploration nor what `staged` proves (a share of the programs).
    Recheck,
    /// Where whole functions are meant to be atomic, exploration with and without reduction and `staged` agree.
    Atomicity,
    /// Leaving out that condition variables are waited for changes no answer.
    Waits,
    /// What a slice of a random run reports, exploration does not deny, and what it finds can be followed.
    Slice,
}

impl Law {
    /// All laws.
    pub const ALL: [Law; 19] = [
        Law::Loads,
        Law::Text,
        Law::Reduction,
        Law::Replay,
        Law::RandomRun,
        Law::Models,
        Law::Fence,
        Law::ThreadOrder,
        Law::Staged,
        Law::Impact,
        Law::Interference,
        Law::Summaries,
        Law::Priori,
        Law::Tar,
        Law::Facts,
        Law::Recheck,
        Law::Atomicity,
        Law::Waits,
        Law::Slice,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Law::Loads => "loads",
            Law::Text => "text",
            Law::Reduction => "reduction",
            Law::Outcomes => "outcomes",
            Law::Replay => "replay",
            Law::RandomRun => "random-run",
            Law::Models => "models",
            Law::Fence => "fence",
            Law::ThreadOrder => "thread-order",
            Law::Staged => "staged",
            Law::Impact => "impact",
            Law::Interference => "interference",
            Law::Summaries => "summaries",
            Law::Priori => "priori",
            Law::Tar => "tar",
            Law::Facts => "facts",
            Law::Recheck => "recheck",
            Law::Atomicity => "atomicity",
            Law::Waits => "waits",
            Law::Slice => "slice",
        }
    }
}

impl std::str::FromStr for Law {
    type Err = String;
    fn from_str(text: &str) -> Result<Law, String> {
        let known = || Law::ALL.map(Law::name).join(", ");
        Law::ALL.into_iter().find(|law| law.name() == text).ok_or_else(|| format!("`{text}` is not one of {}", known()))
    }
}

/// A law that a program breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// Which law.
    pub law: Law,
    /// The question, for laws about answers.
    pub question: Option<(MemoryModel, Property)>,
    /// What was seen.
    pub detail: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.law.name())?;
        if let Some((model, property)) = self.question {
            write!(f, " ({property} under {model})")?;
        }
        write!(f, ": {}", self.detail)
    }
}

/// So many slices are made for each question, with windows so large: small ones begin anywhere in a run.
const SLICES: u64 = 3;
const WINDOWS: [usize; 3] = [check::Slice::WINDOW, 12, 5];

/// For each question how often the answer was violated, safe, unknown.
pub type Tally = BTreeMap<(Property, MemoryModel), [u64; 3]>;

/// What was found out about one program.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Examination {
    /// For each question how often the answer was violated, safe, unknown.
    pub answers: Tally,
    /// Why the unknown ones are, sorted.
    pub unknown: BTreeMap<String, u64>,
    /// Under each model and at each precision: whether the engine `priori` proves it, if it is safe.
    pub proved: Proved,
    /// Of which properties the engine `staged` decides it.
    pub decided: Decided,
    /// How many facts engines have for each other: assertions, accesses without races, statements that are not reached.
    pub facts: [u64; 3],
    /// The laws it breaks.
    pub breaches: Vec<Breach>,
}

/// For each property, of how many programs the engine `staged` decides it, and of how many it was asked.
pub type Decided = BTreeMap<(Property, MemoryModel), [u64; 2]>;

/// Under each model and at each precision of the engine `priori`, how many safe programs it proves, and of how many.
pub type Proved = BTreeMap<(MemoryModel, Property, u8), [u64; 2]>;

/// Checks all laws. The seed decides where a fence is put and which random runs are made.
pub fn examine(program: &ast::Program, seed: u64, limits: &Limits) -> Examination {
    let mut examination = Examination::default();
    let mut complain = |law: Law, question, detail: String| {
        examination.breaches.push(Breach { law, question, detail });
    };
    let loaded = match subject::load(program) {
        Ok(loaded) => loaded,
        Err(message) => {
            complain(Law::Loads, None, message);
            return examination;
        }
    };
    if let Some(detail) = text_breach(&loaded) {
        complain(Law::Text, None, detail);
    }
    let answers = Answers::of(&loaded, limits);
    for (&(property, model), answer) in &answers.0 {
        for law in [
            Law::Reduction,
            Law::Outcomes,
            Law::Replay,
            Law::RandomRun,
            Law::Impact,
            Law::Recheck,
            Law::Waits,
            Law::Slice,
        ] {
            if !limits.laws.contains(&law) {
                continue;
            }
            if let Some(detail) = single_breach(law, &loaded, (model, property), answer, seed, limits) {
                complain(law, Some((model, property)), detail);
            }
        }
    }
    let mut decided = Decided::new();
    if limits.laws.contains(&Law::Staged) {
        for (&(property, model), answer) in &answers.0 {
            if let Some(detail) = staged_breach(&loaded, (model, property), answer, seed, limits, &mut decided) {
                complain(Law::Staged, Some((model, property)), detail);
            }
        }
    }
    if limits.laws.contains(&Law::Interference) {
        for (&(property, model), answer) in &answers.0 {
            if let Some(detail) = interference::breach(&loaded, (model, property), answer, seed, limits) {
                complain(Law::Interference, Some((model, property)), detail);
            }
        }
    }
    if limits.laws.contains(&Law::Summaries) && limits.models.contains(&MemoryModel::Sc) {
        for &property in &limits.properties {
            if let Some(detail) = summaries_breach(&loaded, property, limits) {
                complain(Law::Summaries, Some((MemoryModel::Sc, property)), detail);
            }
        }
    }
    let asks_atomicity = limits.models.contains(&MemoryModel::Sc) && limits.properties.contains(&Property::Atomicity);
    if limits.laws.contains(&Law::Atomicity) && asks_atomicity {
        if let Some(detail) = atomicity::breach(&loaded, seed, limits) {
            complain(Law::Atomicity, Some((MemoryModel::Sc, Property::Atomicity)), detail);
        }
    }
    let mut proved = Proved::new();
    if limits.laws.contains(&Law::Priori) {
        for (&(property, model), answer) in &answers.0 {
            if let Some(detail) = priori_breach(&loaded, (model, property), answer, limits, &mut proved) {
                complain(Law::Priori, Some((model, property)), detail);
            }
        }
    }
    if limits.laws.contains(&Law::Tar) {
        for (&(property, model), answer) in &answers.0 {
            if let Some(detail) = tar_breach(&loaded, (model, property), answer, limits) {
                complain(Law::Tar, Some((model, property)), detail);
            }
        }
    }
    let mut facts = [0; 3];
    if limits.laws.contains(&Law::Facts) {
        for (&(property, model), answer) in &answers.0 {
            if let Some(detail) = facts::breach(&loaded, (model, property), answer, limits, &mut facts) {
                complain(Law::Facts, Some((model, property)), detail);
            }
        }
    }
    for (question, detail) in model_breaches(program, &answers) {
        complain(Law::Models, Some(question), detail);
    }
    for (law, other) in [(Law::Fence, with_fence(program, seed)), (Law::ThreadOrder, reversed(program))] {
        if !limits.laws.contains(&law) {
            continue;
        }
        let Some(Ok(other)) = other.map(|other| subject::load(&other)) else { continue };
        for (question, detail) in variant_breaches(law, &answers, &Answers::of(&other, limits)) {
            complain(law, Some(question), detail);
        }
    }
    (examination.proved, examination.decided, examination.facts) = (proved, decided, facts);
    for (question, answer) in &answers.0 {
        examination.answers.entry(*question).or_default()[answer.index()] += 1;
        if let Answer::Unknown(reason) = answer {
            *examination.unknown.entry(reason.clone()).or_default() += 1;
        }
    }
    examination
}

/// Whether a program breaks the same law in the same way: what shrinking asks again and again, so it asks only what
/// it must.
pub fn is_broken(program: &ast::Program, seed: u64, breach: &Breach, limits: &Limits) -> bool {
    let limits = &Limits { laws: vec![breach.law], ..limits.clone() };
    let narrowed = match breach.question {
        None => Limits { models: vec![], properties: vec![], ..limits.clone() },
        // A comparison of models needs them all.
        Some((_, property)) if breach.law == Law::Models => Limits { properties: vec![property], ..limits.clone() },
        Some((model, property)) => Limits { models: vec![model], properties: vec![property], ..limits.clone() },
    };
    let found = examine(program, seed, &narrowed);
    found.breaches.iter().any(|other| other.law == breach.law && other.question == breach.question)
}

/// The answer to every question, with reduction.
struct Answers(BTreeMap<(Property, MemoryModel), Answer>);

impl Answers {
    fn of(program: &Program, limits: &Limits) -> Answers {
        let mut answers = BTreeMap::new();
        for &property in &limits.properties {
            // Atomicity is defined under sc only.
            let is_defined = |model: MemoryModel| model == MemoryModel::Sc || property != Property::Atomicity;
            for &model in limits.models.iter().filter(|model| is_defined(**model)) {
                answers.insert((property, model), subject::ask(program, model, property, true, limits));
            }
        }
        Answers(answers)
    }
}

fn text_breach(program: &Program) -> Option<String> {
    if let Some(problem) = ir::validate(program).first() {
        return Some(format!("not valid: {problem}"));
    }
    let text = ir::print(program);
    let parsed = match ir::parse(&text) {
        Ok(parsed) => parsed,
        Err(error) => return Some(format!("does not parse back: {error}")),
    };
    (ir::print(&parsed) != text).then(|| "prints differently after parsing".to_owned())
}

/// A law about one question.
fn single_breach(
    law: Law,
    program: &Program,
    (model, property): (MemoryModel, Property),
    answer: &Answer,
    seed: u64,
    limits: &Limits,
) -> Option<String> {
    match law {
        Law::Reduction => reduction_breach(program, (model, property), answer, limits),
        Law::Outcomes if property == Property::Unreach => {
            match outcomes::compare(program, model, limits.slow_timeout) {
                Comparison::Different(disagreement) => Some(disagreement.describe(program)),
                Comparison::Equal(outcomes) => outcome_breach(answer, &outcomes.outcomes),
                Comparison::Skipped(_) => None,
            }
        }
        Law::Replay => {
            let Answer::Violated(steps, violation) = answer else { return None };
            match interp::replay(&subject::machine(program, model, property), steps, None) {
                Ok(RunEnd::Violation(replayed)) if replayed == *violation => None,
                Ok(end) => Some(format!("{} does not come out of the replay: {end:?}", violation.message())),
                Err(error) => Some(format!("{} cannot be replayed: {error}", violation.message())),
            }
        }
        Law::RandomRun => random_breach(program, (model, property), answer, seed, limits),
        Law::Impact => impact_breach(program, (model, property), answer, seed, limits),
        Law::Waits => waits_breach(program, (model, property), answer, limits),
        Law::Slice => slice_breach(program, (model, property), answer, seed, limits),
        Law::Recheck if seed.is_multiple_of(RECHECK_SHARE) => {
            recheck_breach(program, (model, property), answer, limits)
        }
        Law::Recheck
        | Law::Atomicity
        | Law::Staged
        | Law::Interference
        | Law::Summaries
        | Law::Priori
        | Law::Tar
        | Law::Facts
        | Law::Outcomes
        | Law::Loads
        | Law::Text
        | Law::Models
        | Law::Fence
        | Law::ThreadOrder => None,
    }
}

/// For one in so many programs `staged` chooses its own bounds.
const DEEPENING_SHARE: u64 = 8;
/// The bound for the others; the generator makes loops of two iterations.
pub(super) const STAGED_BOUND: u32 = 3;

/// An answer of the engine `staged` that exploration contradicts, or that cannot be confirmed.
fn staged_breach(
    program: &Program,
    (model, property): (MemoryModel, Property),
    answer: &Answer,
    seed: u64,
    limits: &Limits,
    decided: &mut Decided,
) -> Option<String> {
    let engine = plan::engine_named("staged")?;
    let budget = base::Budget::new(Some(limits.timeout), Some(limits.memory_bytes));
    // To unroll further and further until time is up rarely tells more.
    let bound = (!seed.is_multiple_of(DEEPENING_SHARE)).then_some(STAGED_BOUND);
    let options = check::Options { bound, strengthen_relaxed: true, ..check::Options::default() };
    let task = check::Task { program, property, model, options, budget };
    let verdict = plan::solve(&task, engine, false).outcome.verdict;
    let [decisions, questions] = decided.entry((property, model)).or_default();
    *decisions += u64::from(!matches!(verdict, check::Verdict::Unknown(_)));
    *questions += 1;
    match (verdict, answer) {
        (check::Verdict::Safe(_), Answer::Violated(_, violation)) => {
            Some(format!("staged: safe, but exploration finds: {}", violation.message()))
        }
        (check::Verdict::Unsafe(_), Answer::Safe) => Some("staged: unsafe, but exploration says safe".to_owned()),
        (check::Verdict::Unknown(reasons), _) => {
            reasons.iter().find(|reason| reason.kind.is_defect()).map(|reason| format!("staged: {}", reason.detail))
        }
        (check::Verdict::Safe(_) | check::Verdict::Unsafe(_), _) => None,
    }
}

/// An answer of the engine `impact` that exploration contradicts, or a proof that does not check. The seed decides the mode.
fn impact_breach(
    program: &Program,
    (model, property): (MemoryModel, Property),
    answer: &Answer,
    seed: u64,
    limits: &Limits,
) -> Option<String> {
    if model == MemoryModel::Ra {
        return None;
    }
    let engine = plan::engine_named("impact")?;
    let budget = base::Budget::new(Some(limits.timeout), Some(limits.memory_bytes));
    let reductions = [check::Reduction::Dynamic, check::Reduction::Static, check::Reduction::None];
    let impact = check::ImpactModes {
        reduction: reductions[(seed / 2 % 3) as usize],
        force_cover: seed.is_multiple_of(2),
        order: match seed % 7 {
            3 => check::SearchOrder::Breadth,
            5 => check::SearchOrder::Distance,
            _ => check::SearchOrder::Depth,
        },
        tell_after: crate::trees::tell_after(seed),
        check_proof: true,
    };
    let options = check::Options { impact, ..check::Options::default() };
    let task = check::Task { program, property, model, options, budget };
    let verdict = plan::solve(&task, engine, false).outcome.verdict;
    match (verdict, answer) {
        (check::Verdict::Safe(_), Answer::Violated(_, violation)) => {
            Some(format!("impact: safe, but exploration finds: {}", violation.message()))
        }
        (check::Verdict::Unsafe(_), Answer::Safe) => Some("impact: unsafe, but exploration says safe".to_owned()),
        (check::Verdict::Unknown(reasons), _) => {
            reasons.iter().find(|reason| reason.kind.is_defect()).map(|reason| format!("impact: {}", reason.detail))
        }
        (check::Verdict::Safe(_) | check::Verdict::Unsafe(_), _) => None,
    }
}

/// A difference that summaries make.
fn summaries_breach(program: &Program, property: Property, limits: &Limits) -> Option<String> {
    let engine = plan::engine_named("staged")?;
    let ask = |summaries: bool| {
        let budget = base::Budget::new(Some(limits.timeout), Some(limits.memory_bytes));
        let modes = check::Modes { summaries, ..check::Modes::default() };
        let options = check::Options { bound: Some(STAGED_BOUND), modes, ..check::Options::default() };
        let task = check::Task { program, property, model: MemoryModel::Sc, options, budget };
        plan::solve(&task, engine, false).outcome
    };
    let (with, without) = (ask(true), ask(false));
    if [&with, &without].into_iter().any(|outcome| is_out_of_time(&outcome.verdict)) {
        return None;
    }
    if with.verdict.name() != without.verdict.name() {
        return Some(format!("{} with summaries, {} without", with.verdict.name(), without.verdict.name()));
    }
    let number =
        |stats: &base::Stats, name: &str| stats.iter().find(|(other, _)| *other == name).map(|(_, value)| value);
    let mut differences = ["threads", "events", "links", "largest_link_set"]
        .into_iter()
        .map(|name| (name, number(&with.stats, name), number(&without.stats, name)))
        .filter(|(_, a, b)| a != b);
    differences.next().map(|(name, a, b)| format!("{name}: {a:?} with summaries, {b:?} without"))
}

fn is_out_of_time(verdict: &check::Verdict) -> bool {
    let is_limit = |kind: check::ReasonKind| matches!(kind, check::ReasonKind::Time | check::ReasonKind::Memory);
    matches!(verdict, check::Verdict::Unknown(reasons) if reasons.iter().any(|reason| is_limit(reason.kind)))
}

/// What a slice reports that exploration contradicts, or that cannot be confirmed.
fn slice_breach(
    program: &Program,
    (model, property): (MemoryModel, Property),
    answer: &Answer,
    seed: u64,
    limits: &Limits,
) -> Option<String> {
    if model != MemoryModel::Sc {
        return None;
    }
    let engine = plan::engine_named("staged")?;
    for round in 0..limits.random_runs.min(SLICES) {
        let slice = seed.wrapping_add(round);
        let budget = base::Budget::new(Some(limits.timeout), Some(limits.memory_bytes));
        let window = WINDOWS[(slice % WINDOWS.len() as u64) as usize];
        let options = check::Options { slice: Some(check::Slice { seed: slice, window }), ..check::Options::default() };
        let task = check::Task { program, property, model, options, budget };
        let detail = match (plan::solve(&task, engine, false).outcome.verdict, answer) {
            (check::Verdict::Safe(_), _) => Some("safe, which a slice cannot tell".to_owned()),
            (check::Verdict::Unsafe(_), Answer::Safe) => Some("unsafe, but exploration says safe".to_owned()),
            (check::Verdict::Unknown(reasons), _) => {
                reasons.into_iter().find(|reason| reason.kind.is_defect()).map(|reason| reason.detail)
            }
            (check::Verdict::Unsafe(_), Answer::Violated(..) | Answer::Unknown(_)) => None,
        };
        if let Some(detail) = detail {
            return Some(format!("the slice of run {slice}: {detail}"));
        }
    }
    None
}

/// A proof of the engine `priori` that exploration contradicts. Alarms are not settled here: proofs are what matters.
fn priori_breach(
    program: &Program,
    (model, property): (MemoryModel, Property),
    answer: &Answer,
    limits: &Limits,
    proved: &mut Proved,
) -> Option<String> {
    if !matches!(property, Property::Unreach | Property::Race) {
        return None;
    }
    let mut breach = None;
    for precision in 1..=engines::priori::FINEST {
        let is_safe = matches!(priori_verdict(program, (model, property), precision, limits), check::Verdict::Safe(_));
        match answer {
            Answer::Violated(_, violation) if is_safe => {
                let text =
                    format!("priori at precision {precision}: safe, but exploration finds: {}", violation.message());
                breach.get_or_insert(text);
            }
            Answer::Safe => {
                let tally = proved.entry((model, property, precision)).or_default();
                tally[0] += u64::from(is_safe);
                tally[1] += 1;
            }
            Answer::Violated(..) | Answer::Unknown(_) => {}
        }
    }
    breach
}

/// What the engine `priori` says on its own.
fn priori_verdict(
    program: &Program,
    (model, property): (MemoryModel, Property),
    precision: u8,
    limits: &Limits,
) -> check::Verdict {
    let engine = engines::Priori {
        settle: |_, _| {
            let reason = check::Reason::new(check::ReasonKind::Unsupported, "alarms are not settled");
            check::Outcome::new(check::Verdict::unknown(reason), base::Stats::default())
        },
    };
    let budget = base::Budget::new(Some(limits.timeout / 4), Some(limits.memory_bytes));
    let options = check::Options { precision: Some(precision), strengthen_relaxed: true, ..check::Options::default() };
    let task = check::Task { program, property, model, options, budget };
    check::Engine::run(&engine, &task).verdict
}

/// A proof of the engine `tar` that exploration contradicts. What it does not prove is not settled here.
fn tar_breach(
    program: &Program,
    (model, property): (MemoryModel, Property),
    answer: &Answer,
    limits: &Limits,
) -> Option<String> {
    let Answer::Violated(_, violation) = answer else { return None };
    let engine = engines::Tar { settle: None };
    let budget = base::Budget::new(Some(limits.timeout), Some(limits.memory_bytes));
    let options = check::Options { strengthen_relaxed: true, ..check::Options::default() };
    let task = check::Task { program, property, model, options, budget };
    match check::Engine::run(&engine, &task).verdict {
        check::Verdict::Safe(_) => Some(format!("tar: safe, but exploration finds: {}", violation.message())),
        check::Verdict::Unsafe(_) | check::Verdict::Unknown(_) => None,
    }
}

/// An answer that is another one when condition variables are not waited for.
fn waits_breach(
    program: &Program,
    (model, property): (MemoryModel, Property),
    answer: &Answer,
    limits: &Limits,
) -> Option<String> {
    if matches!(property, Property::Deadlock | Property::Atomicity) {
        return None;
    }
    let simpler = engines::waits::without(program)?;
    match (answer, subject::ask(&simpler, model, property, true, limits)) {
        (Answer::Violated(_, violation), Answer::Safe) => {
            Some(format!("without waits: safe, not {}", violation.message()))
        }
        (Answer::Safe, Answer::Violated(_, violation)) => Some(format!("without waits: {}", violation.message())),
        _ => None,
    }
}

/// One in so many programs is given to `recheck`, which is slow.
const RECHECK_SHARE: u64 = 4;
/// The bound of `recheck` where `staged` proves nothing.
const RECHECK_BOUND: u32 = 2;

/// An answer of `recheck` that exploration, or a proof by `staged`, contradicts.
fn recheck_breach(
    program: &Program,
    (model, property): (MemoryModel, Property),
    answer: &Answer,
    limits: &Limits,
) -> Option<String> {
    if model != MemoryModel::Sc {
        return None;
    }
    let budget = || base::Budget::new(Some(limits.timeout), Some(limits.memory_bytes));
    let task = check::Task { program, property, model, options: check::Options::default(), budget: budget() };
    let proved = match plan::solve(&task, plan::engine_named("staged")?, false).outcome.verdict {
        check::Verdict::Safe(safe) => match *safe.proof() {
            check::Proof::Bounded { iterations, .. } => Some(iterations),
            check::Proof::NothingToViolate
            | check::Proof::Exhausted { .. }
            | check::Proof::Invariants { .. }
            | check::Proof::Tree { .. }
            | check::Proof::ThreadModular { .. } => None,
        },
        check::Verdict::Unsafe(_) | check::Verdict::Unknown(_) => None,
    };
    let task = check::Task { budget: budget(), ..task };
    let found = recheck::confirm(&task, proved.unwrap_or(RECHECK_BOUND), &mut base::Stats::default());
    match (found, answer) {
        (recheck::Answer::Confirmed, Answer::Violated(_, violation)) => {
            Some(format!("recheck confirms, but exploration finds: {}", violation.message()))
        }
        (recheck::Answer::Refuted { what, execution }, _) if proved.is_some() => {
            Some(format!("staged: safe, but recheck finds: {what}:\n  {}", execution.join("\n  ")))
        }
        (recheck::Answer::Refuted { what, execution }, Answer::Safe) => {
            Some(format!("safe, but recheck finds: {what}:\n  {}", execution.join("\n  ")))
        }
        (recheck::Answer::Confirmed | recheck::Answer::Refuted { .. } | recheck::Answer::Unable { .. }, _) => None,
    }
}

/// An answer that the outcomes contradict.
fn outcome_breach(answer: &Answer, outcomes: &BTreeSet<Outcome>) -> Option<String> {
    let fails = outcomes.iter().any(|outcome| matches!(outcome, Outcome::Failed(_)));
    match answer {
        Answer::Safe if fails => Some("safe, but among the outcomes is a failure".to_owned()),
        Answer::Violated(_, violation) if !fails => {
            Some(format!("violated ({}), but among the outcomes is no failure", violation.message()))
        }
        Answer::Violated(..) | Answer::Safe | Answer::Unknown(_) => None,
    }
}

fn reduction_breach(
    program: &Program,
    (model, property): (MemoryModel, Property),
    answer: &Answer,
    limits: &Limits,
) -> Option<String> {
    let plain = subject::ask(program, model, property, false, limits);
    match (answer, &plain) {
        (Answer::Violated(_, violation), Answer::Safe) => {
            Some(format!("violated with reduction ({}), safe without", violation.message()))
        }
        (Answer::Safe, Answer::Violated(_, violation)) => {
            Some(format!("safe with reduction, violated without ({})", violation.message()))
        }
        _ => None,
    }
}

fn random_breach(
    program: &Program,
    (model, property): (MemoryModel, Property),
    answer: &Answer,
    seed: u64,
    limits: &Limits,
) -> Option<String> {
    let machine = subject::machine(program, model, property);
    for round in 0..limits.random_runs {
        let Run { steps, end } = subject::random_run(&machine, seed.wrapping_add(round), limits);
        if let (RunEnd::Violation(violation), Answer::Safe) = (&end, answer) {
            return Some(format!("safe, but a random run violates it: {}", violation.message()));
        }
        if !matches!(end, RunEnd::Violation(_)) {
            continue;
        }
        match interp::replay(&machine, &steps, None) {
            Ok(again) if again == end => {}
            Ok(again) => return Some(format!("a random run ended in {end:?}, its replay in {again:?}")),
            Err(error) => return Some(format!("a random run cannot be replayed: {error}")),
        }
    }
    None
}

/// Pairs of models of which the first is stronger.
const STRONGER: [(MemoryModel, MemoryModel); 3] =
    [(MemoryModel::Sc, MemoryModel::Tso), (MemoryModel::Tso, MemoryModel::Pso), (MemoryModel::Tso, MemoryModel::Ra)];

fn model_breaches(program: &ast::Program, answers: &Answers) -> Vec<((MemoryModel, Property), String)> {
    let mut found = Vec::new();
    for (stronger, weaker) in STRONGER {
        if weaker == MemoryModel::Ra && !is_tso_within_ra(program) {
            continue;
        }
        for property in Property::ALL {
            let pair = (answers.0.get(&(property, stronger)), answers.0.get(&(property, weaker)));
            if let (Some(Answer::Violated(_, violation)), Some(Answer::Safe)) = pair {
                let detail = format!("violated under {stronger} ({}), safe under {weaker}", violation.message());
                found.push(((weaker, property), detail));
            }
        }
    }
    found
}

/// Whether everything this program does under tso it must also be able to do under ra. Under ra a seq_cst load is
/// preceded by a fence, under tso only a seq_cst store is followed by one: a weaker store before a seq_cst load can be
/// delayed under tso and not under ra.
pub fn is_tso_within_ra(program: &ast::Program) -> bool {
    let mut seq_cst_load = false;
    let mut weak_store = false;
    let mut read = |place: &Place, order: Order| seq_cst_load |= program.effective(place, order) == Order::SeqCst;
    program.for_each(&mut |stmt| match stmt {
        Stmt::Load { place, order, .. } | Stmt::Spin { place, order, .. } => read(place, *order),
        Stmt::Wait { until: Some((place, _)), .. } | Stmt::Increment { place } => read(place, Order::Plain),
        Stmt::Store { place, order, .. } => weak_store |= program.effective(place, *order) != Order::SeqCst,
        _ => {}
    });
    program
        .outcome
        .iter()
        .for_each(|(place, _)| seq_cst_load |= program.effective(place, Order::Plain) == Order::SeqCst);
    weak_store |= program.any(|stmt| matches!(stmt, Stmt::Increment { .. } | Stmt::Point { .. }));
    weak_store |= program.threads.iter().any(|thread| thread.result.is_some());
    !(seq_cst_load && weak_store)
}

/// A law about a variant of the program.
fn variant_breaches(law: Law, original: &Answers, variant: &Answers) -> Vec<((MemoryModel, Property), String)> {
    let mut found = Vec::new();
    for (&(property, model), answer) in &original.0 {
        let Some(other) = variant.0.get(&(property, model)) else { continue };
        let detail = match (law, answer, other) {
            (Law::Fence, Answer::Safe, Answer::Violated(_, violation)) => {
                format!("safe, but violated with one fence more ({})", violation.message())
            }
            (Law::ThreadOrder, Answer::Safe, Answer::Violated(_, violation))
            | (Law::ThreadOrder, Answer::Violated(_, violation), Answer::Safe) => {
                format!("violated ({}) in one order of creating the threads, safe in the other", violation.message())
            }
            _ => continue,
        };
        found.push(((model, property), detail));
    }
    found
}

/// The program with a full fence before one of its statements.
fn with_fence(program: &ast::Program, seed: u64) -> Option<ast::Program> {
    let mut variant = program.clone();
    let count = variant.count();
    if count == 0 {
        return None;
    }
    let number = Rng::new(seed).below(count);
    variant.edit(number, |body, index| body.insert(index, Stmt::Fence(Order::SeqCst)));
    Some(variant)
}

/// The program with its threads created in reverse order.
fn reversed(program: &ast::Program) -> Option<ast::Program> {
    let count = program.threads.len();
    if count < 2 {
        return None;
    }
    let mut variant = program.clone();
    variant.threads.reverse();
    for (place, _) in &mut variant.outcome {
        if let Place::Result(thread) = place {
            *thread = count - 1 - *thread;
        }
    }
    Some(variant)
}
