//! `heddle sv-comp`: decides a task of the software verification competition and writes a witness.
//!
//! The invariants of a correctness witness come from `heddle invariants` (facts at statements and facts protected by
//! mutexes) and from proofs of `impact` and `tar`, as far as they can be proved: they are added to the program as
//! assertions and proved before they are written. If that does not succeed in a part of the remaining time, the set is
//! empty.

use super::competition::{self, Answer};
use crate::cli::SvCompArgs;
use crate::output;
use crate::status::Status;
use anyhow::{Context, Result};
use base::{Budget, Part};
use check::{Counterexample, Options, Task, Verdict};
use engines::impact::{self, Reduction};
use interp::Machine;
use ir::invariants::LocationInvariant;
use ir::{DataModel, MemoryModel, Program, Property};
use std::time::Duration;
use witness::svcomp::{
    self, instrument, invariants, modular, proof, Claims, Content, Invariant, Places, Producer, Specification, Subject,
    Witness,
};

/// The time limit for invariants.
const TIME_FOR_INVARIANTS: Duration = Duration::from_secs(20);
/// Maximum number of times that a failing invariant is dropped.
const MAX_ROUNDS: usize = 40;

/// Runs the command.
pub(crate) fn run(args: SvCompArgs) -> Result<Status> {
    let specification = competition::specification(&args.property)?;
    let (budget, guard) = competition::guarded(&args.limits);
    let (text, hash) = competition::source(&args.file)?;
    let options = competition::load_options(&args.load, &specification)?;
    let mut program = competition::load_program(&args.file, &options)?;
    guard.loaded();
    let properties = match competition::properties(&specification) {
        Ok(properties) => properties,
        Err(why) => {
            output::complain(&format!("unknown: {why}"));
            guard.report_or_wait();
            return Answer::Unknown.print();
        }
    };
    passes::keep_asserts(&mut program, |claim| competition::is_asked(&specification, claim));
    let subject = Subject {
        files: vec![(text.name.clone(), hash)],
        specification: specification.to_string(),
        data_model: model_name(program.data_model).to_owned(),
    };
    let places = Places::new(&program, vec![text]);
    let session = Session { args: &args, specification: &specification, program: &program, places: &places, subject };
    let answer = session.decide(&properties, &budget)?;
    guard.report_or_wait();
    answer.print()
}

fn model_name(model: DataModel) -> &'static str {
    match model {
        DataModel::Ilp32 => "ILP32",
        DataModel::Lp64 => "LP64",
    }
}

/// An analysis of threads.
type Analysis = fn(&Task<'_>) -> Result<Vec<engines::priori::ThreadInvariants>, Vec<check::Reason>>;

struct Session<'a> {
    args: &'a SvCompArgs,
    specification: &'a Specification,
    program: &'a Program,
    places: &'a Places,
    subject: Subject,
}

impl Session<'_> {
    fn decide(&self, properties: &[Property], budget: &Budget) -> Result<Answer> {
        let mut is_true = true;
        for (index, property) in properties.iter().enumerate() {
            let share = budget.part(Part::OneOf((properties.len() - index) as u32));
            let task = competition::task(self.program, *property, &self.args.limits, share);
            match competition::solve(&task) {
                Verdict::Unsafe(counterexample) => {
                    match svcomp::violated(self.specification, &counterexample.violation) {
                        Some(claim) => {
                            self.write_violation(&task, &counterexample)?;
                            return Ok(Answer::False(claim.name()));
                        }
                        None => {
                            output::complain(&format!("unknown: not asked: {}", counterexample.violation.message()));
                            is_true = false;
                        }
                    }
                }
                Verdict::Unknown(reasons) => {
                    competition::say_reasons(*property, &reasons);
                    is_true = false;
                }
                Verdict::Safe(_) => {}
            }
        }
        if is_true && !competition::is_enough(self.specification, self.program) {
            output::complain("unknown: valid-memtrack is not decided, and the program allocates memory");
            is_true = false;
        }
        if !is_true {
            return Ok(Answer::Unknown);
        }
        if let Some(file) = &self.args.witness {
            let witness = Witness { subject: self.subject.clone(), content: self.correctness(properties, budget) };
            let text = svcomp::write::to_yaml(&witness, &producer()?);
            output::write_whole(file, text.as_bytes())?;
        }
        Ok(Answer::True)
    }

    fn write_violation(&self, task: &Task<'_>, counterexample: &Counterexample) -> Result<()> {
        let machine = Machine::new(self.program, plan::machine_config(task));
        let (steps, violation) = (&counterexample.schedule.steps, &counterexample.violation);
        if let Some(file) = &self.args.witness {
            match svcomp::waypoints(&machine, self.places, steps, violation) {
                Ok(segments) => {
                    let witness = Witness { subject: self.subject.clone(), content: Content::Violation(segments) };
                    output::write_whole(file, svcomp::write::to_yaml(&witness, &producer()?).as_bytes())?;
                }
                Err(why) => output::complain(&format!("no witness is written: {why}")),
            }
        }
        if let Some(file) = &self.args.graphml {
            match svcomp::path(&machine, self.places, steps, violation) {
                Ok(path) => {
                    let text = svcomp::graphml::to_graphml(&self.subject, &path, &producer()?);
                    output::write_whole(file, text.as_bytes())?;
                }
                Err(why) => output::complain(&format!("no witness is written: {why}")),
            }
        }
        Ok(())
    }

    /// The invariants, checked. If all together cannot be proved, those from proofs are dropped, then those protected
    /// by mutexes; if the rest cannot be proved either, the set is empty.
    fn correctness(&self, properties: &[Property], budget: &Budget) -> Content {
        let budget = budget.part(Part::Share(0.5)).part(Part::AtMost(TIME_FOR_INVARIANTS));
        let known = self.known(engines::priori::invariants, &budget);
        let mut claims = invariants::locks(self.program, self.places);
        claims.invariants.splice(0..0, invariants::candidates(self.program, self.places, &known));
        let everywhere = self.known(engines::priori::invariants_everywhere, &budget);
        let mut attempts = vec![claims];
        let modular = modular::protected(self.program, self.places, &everywhere);
        let of_proof = if properties.contains(&Property::Unreach) { self.of_proof(&budget) } else { Claims::default() };
        for more in [modular, of_proof].into_iter().filter(|more| !more.invariants.is_empty()) {
            let mut all = attempts[attempts.len() - 1].clone();
            all.extend(more);
            attempts.push(all);
        }
        let mut proved = None;
        while let (None, Some(claims)) = (&proved, attempts.pop()) {
            let share = if attempts.is_empty() { 1.0 } else { 0.5 };
            proved = self.proved(claims, &budget.part(Part::Share(share)));
        }
        let Claims { ghosts, updates, invariants } = proved.unwrap_or_default();
        Content::Correctness { ghosts, updates, invariants }
    }

    /// The invariants of proofs by `impact` or `tar`. A tree that covers every order of steps contains invariants, and
    /// so does a thread-modular proof; a reduced tree may leave out states that threads pass through, but is smaller.
    fn of_proof(&self, budget: &Budget) -> Claims {
        let task = |reduction: Reduction| {
            let options = Options::default().with(impact::Options { reduction, ..impact::Options::default() });
            let (property, model, budget) = (Property::Unreach, MemoryModel::Sc, budget.part(Part::Share(0.2)));
            Task { program: self.program, property, model, options, budget, race_free: Default::default() }
        };
        let by_tree = |reduction: Reduction| engines::impact::invariants(&task(reduction)).ok();
        let by_thread = || Some(engines::tar::invariants(&task(Reduction::None))).filter(|known| !known.is_empty());
        let known = by_tree(Reduction::None).or_else(by_thread).or_else(|| by_tree(Reduction::Dynamic));
        let known: Vec<LocationInvariant> = known.into_iter().flatten().collect();
        proof::candidates(self.program, self.places, &known)
    }

    /// The provable part of these claims, proved as a whole, with the ghost variables that it mentions.
    fn proved(&self, mut claims: Claims, budget: &Budget) -> Option<Claims> {
        for (index, invariant) in claims.invariants.iter_mut().enumerate() {
            invariant.stands_at = index + 1;
        }
        for _ in 0..MAX_ROUNDS {
            if claims.invariants.is_empty() || budget.check().is_err() {
                return None;
            }
            claims.forget_unused();
            let Claims { ghosts, updates, invariants } = &mut claims;
            let all: Vec<&Invariant> = invariants.iter().collect();
            let text = instrument::instrument(&self.places.texts[0], (ghosts, updates), &all).ok()?;
            match self.first_wrong(&text, budget).ok()? {
                None => return Some(claims),
                Some(wrong) => drop_wrong(invariants, wrong),
            }
        }
        None
    }

    /// The facts of the thread analysis.
    fn known(&self, ask: Analysis, budget: &Budget) -> Vec<Vec<invariants::Known>> {
        let options = Options { strengthen_relaxed: true, ..Options::default() };
        let budget = budget.part(Part::Share(0.25));
        let task = Task {
            program: self.program,
            property: Property::Unreach,
            model: MemoryModel::Sc,
            options,
            budget,
            race_free: Default::default(),
        };
        let threads = ask(&task).unwrap_or_default();
        let line = |line: engines::priori::LineInvariant| {
            let values = line.values.into_iter().filter_map(|(name, number)| Some((name, number.bounds()?)));
            invariants::Known { at: line.at, values: values.collect() }
        };
        threads.into_iter().map(|thread| thread.lines.into_iter().map(line).collect()).collect()
    }

    /// The first invariant that does not hold in an instrumented program; `Err` if that cannot be determined.
    fn first_wrong(&self, text: &str, budget: &Budget) -> Result<Option<usize>, ()> {
        let options = competition::load_options(&self.args.load, self.specification).map_err(drop)?;
        let mut program = competition::load_text(text, &self.args.file, options).map_err(|_| ())?;
        passes::keep_asserts(&mut program, |claim| matches!(claim, ir::Claim::Invariant(_)));
        let task = competition::task(&program, Property::Unreach, &self.args.limits, budget.part(Part::Share(0.5)));
        match competition::solve(&task) {
            Verdict::Safe(_) => Ok(None),
            Verdict::Unsafe(counterexample) => {
                competition::wrong_invariant(&counterexample.violation).map(Some).ok_or(())
            }
            Verdict::Unknown(_) => Err(()),
        }
    }
}

/// Drops an invariant that does not hold; one that should hold everywhere, at all places.
fn drop_wrong(invariants: &mut Vec<Invariant>, wrong: usize) {
    let global = invariants.iter().find(|item| item.stands_at == wrong && item.is_everywhere).cloned();
    invariants
        .retain(|item| item.stands_at != wrong && global.as_ref().is_none_or(|global| global.value != item.value));
}

/// The producer and the time: the time is passed in, so that the same task has the same witness.
fn producer() -> Result<Producer> {
    let time = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => {
            text.trim().parse().with_context(|| format!("SOURCE_DATE_EPOCH is `{text}`, not a number of seconds"))?
        }
        Err(_) => 0,
    };
    Ok(Producer { version: env!("CARGO_PKG_VERSION").to_owned(), time })
}
