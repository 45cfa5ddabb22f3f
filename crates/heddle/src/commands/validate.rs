//! `heddle validate`: validates a witness, from Heddle or another tool.

use super::competition::{self, Answer};
use crate::cli::ValidateArgs;
use crate::output;
use crate::status::Status;
use anyhow::{anyhow, bail, Result};
use base::{Budget, Part};
use check::Verdict;
use front::LoadOptions;
use interp::{Config, InputDomain, Machine, RunEnd};
use ir::{DataModel, MemoryModel, Program, Property};
use witness::svcomp::{
    self, instrument, CText, Content, Followed, Ghost, GhostUpdate, Invariant, Places, Segment, Specification, Witness,
};

/// Runs the command.
pub(crate) fn run(args: ValidateArgs) -> Result<Status> {
    let name = args.witness.display();
    let witness = Witness::parse(&competition::read(&args.witness)?).map_err(|problem| anyhow!("{name}: {problem}"))?;
    let specification = match &args.property {
        Some(file) => competition::specification(file)?,
        None => Specification::parse(&witness.subject.specification)
            .map_err(|problem| anyhow!("{name}: the specification is not understood: {problem}"))?,
    };
    let (budget, guard) = competition::guarded(&args.limits);
    let (text, hash) = competition::source(&args.file)?;
    if let [(_, known)] = witness.subject.files.as_slice() {
        if !known.is_empty() && !known.eq_ignore_ascii_case(&hash) {
            bail!("{name}: the witness is about another program: the SHA-256 of {} is {hash}", args.file.display());
        }
    }
    let mut options = competition::load_options(&args.load, &specification)?;
    let said = if witness.subject.data_model == "ILP32" { DataModel::Ilp32 } else { DataModel::Lp64 };
    options.data_model = Some(options.data_model.unwrap_or(said));
    let mut program = competition::load_program(&args.file, &options)?;
    guard.loaded();
    passes::keep_asserts(&mut program, |claim| competition::is_asked(&specification, claim));
    let session = Session { args: &args, specification: &specification, program: &program, options, budget: &budget };
    let answer = match competition::properties(&specification) {
        Ok(properties) => match witness.content {
            Content::Violation(segments) => session.violation(text, segments, &properties),
            Content::Correctness { ghosts, updates, invariants } => {
                session.correctness(&text, (&ghosts, &updates), &invariants, &properties)
            }
        },
        Err(why) => {
            output::complain(&format!("unknown: {why}"));
            Answer::Unknown
        }
    };
    guard.report_or_wait();
    answer.print()
}

struct Session<'a> {
    args: &'a ValidateArgs,
    specification: &'a Specification,
    program: &'a Program,
    options: LoadOptions,
    budget: &'a Budget,
}

impl Session<'_> {
    /// Follows a violation witness and replays the run that is found.
    fn violation(&self, text: CText, segments: Vec<Segment>, properties: &[Property]) -> Answer {
        let places = Places::new(self.program, vec![text]);
        for (index, property) in properties.iter().enumerate() {
            let share = self.budget.part(Part::OneOf((properties.len() - index) as u32));
            match svcomp::follow(self.program, &places, &segments, (MemoryModel::Sc, *property), &share) {
                Followed::Violated { steps, inputs, .. } => {
                    let inputs = InputDomain { values: inputs, exclusive: true };
                    let config = Config {
                        model: MemoryModel::Sc,
                        property: *property,
                        inputs,
                        regions: Vec::new(),
                        race_free: Default::default(),
                    };
                    let machine = Machine::new(self.program, config);
                    match interp::replay(&machine, &steps, None) {
                        Ok(RunEnd::Violation(violation)) => match svcomp::violated(self.specification, &violation) {
                            Some(claim) => return Answer::False(claim.name()),
                            None => output::complain(&format!("unknown: not asked: {}", violation.message())),
                        },
                        Ok(end) => output::complain(&format!("unknown: {}", plan::validate::describe(&end))),
                        Err(error) => output::complain(&format!("unknown: {error}")),
                    }
                }
                Followed::Unknown(reasons) => {
                    for reason in reasons {
                        output::complain(&format!("unknown: {reason}"));
                    }
                }
            }
        }
        Answer::Unknown
    }

    /// Proves the invariants of a correctness witness, and the property.
    fn correctness(
        &self,
        text: &CText,
        ghosts: (&[Ghost], &[GhostUpdate]),
        invariants: &[Invariant],
        properties: &[Property],
    ) -> Answer {
        let all: Vec<&Invariant> = invariants.iter().collect();
        if !all.is_empty() {
            match self.invariants(text, ghosts, &all, properties.len() + 1) {
                Some(Answer::True) => {}
                Some(other) => return other,
                None => return Answer::Unknown,
            }
        }
        for (index, property) in properties.iter().enumerate() {
            let share = self.budget.part(Part::OneOf((properties.len() - index) as u32));
            let task = competition::task(self.program, *property, &self.args.limits, share);
            match competition::solve(&task) {
                Verdict::Safe(_) => {}
                Verdict::Unsafe(counterexample) => return self.refuted(&counterexample.violation),
                Verdict::Unknown(reasons) => {
                    competition::say_reasons(*property, &reasons);
                    return Answer::Unknown;
                }
            }
        }
        if competition::is_enough(self.specification, self.program) {
            return Answer::True;
        }
        output::complain("unknown: valid-memtrack is not decided, and the program allocates memory");
        Answer::Unknown
    }

    fn refuted(&self, violation: &ir::Violation) -> Answer {
        output::complain(&violation.message());
        match svcomp::violated(self.specification, violation) {
            Some(claim) => Answer::False(claim.name()),
            None => Answer::Unknown,
        }
    }

    /// Whether the invariants hold on runs up to a call of an error function; `None` if that cannot be determined.
    fn invariants(
        &self,
        text: &CText,
        ghosts: (&[Ghost], &[GhostUpdate]),
        all: &[&Invariant],
        parts: usize,
    ) -> Option<Answer> {
        let name = self.args.witness.display();
        let text = instrument::instrument(text, ghosts, all)
            .map_err(|problem| output::complain(&format!("unknown: {name}: {problem}")))
            .ok()?;
        let loaded = competition::load_text(&text, &self.args.file, self.options.clone());
        let mut program = loaded
            .map_err(|problems| {
                output::complain("unknown: the program cannot be compiled with the invariants in it:");
                problems.iter().for_each(|problem| output::complain(problem));
            })
            .ok()?;
        passes::keep_asserts(&mut program, |claim| matches!(claim, ir::Claim::Invariant(_)));
        let share = self.budget.part(Part::OneOf(parts as u32));
        let task = competition::task(&program, Property::Unreach, &self.args.limits, share);
        match competition::solve(&task) {
            Verdict::Safe(_) => Some(Answer::True),
            Verdict::Unsafe(counterexample) => {
                let line = competition::wrong_invariant(&counterexample.violation)?;
                output::complain(&format!("{name}: line {line}: the invariant does not hold"));
                Some(Answer::False("invariant"))
            }
            Verdict::Unknown(reasons) => {
                competition::say_reasons(Property::Unreach, &reasons);
                None
            }
        }
    }
}
