//! The laws: what must hold between different analyses of one program. Each compares answers; an `unknown` breaks none,
//! because it claims nothing. So each law counts for how many questions it compared two answers, with a floor on that
//! share: an engine that always says `unknown` would keep every law.

use super::subject::{self, Answer, Limits};
use super::{atomicity, engines, facts, interference, variants};
use crate::outcomes::{self, Comparison};
use crate::programs::ast;
use axiomatic::Outcome;
use interp::{Run, RunEnd};
use ir::{MemoryModel, Program, Property};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Defines the type of laws together with the list of all, so that none can be left out of the list.
macro_rules! laws {
    ($($(#[$doc:meta])* $law:ident: $name:literal, $floor:literal;)*) => {
        /// A law.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
        pub enum Law {
            $($(#[$doc])* $law,)*
        }

        impl Law {
            /// All laws.
            pub const ALL: &'static [Law] = &[$(Law::$law,)*];

            /// The name on the command line.
            pub fn name(self) -> &'static str {
                match self {
                    $(Law::$law => $name,)*
                }
            }

            /// In `make test` the law compares answers in at least this share of its questions, in percent: about half of what was
            /// measured.
            pub fn floor(self) -> u64 {
                match self {
                    $(Law::$law => $floor,)*
                }
            }
        }
    };
}

laws! {
    /// The program loads.
    Loads: "loads", 100;
    /// Its core form is valid and survives printing and parsing.
    Text: "text", 100;
    /// Exploration with and without reduction agree.
    Reduction: "reduction", 40;
    /// The outcomes that exploration reaches are those that the axioms allow (for programs that the enumerator
    /// supports).
    Outcomes: "outcomes", 15;
    /// A violation can be replayed.
    Replay: "replay", 18;
    /// Exploration does not contradict the violations of random runs, and the runs can be replayed.
    RandomRun: "random-run", 40;
    /// A weaker memory model allows the outcomes of a stronger one.
    Models: "models", 50;
    /// A fence only removes outcomes.
    Fence: "fence", 50;
    /// The order in which threads are created does not matter.
    ThreadOrder: "thread-order", 50;
    /// The engine `staged` never contradicts exploration, and its runs can be followed.
    Staged: "staged", 50;
    /// The engine `impact` never contradicts exploration, in any mode, and its proofs check.
    Impact: "impact", 45;
    /// The engine `interference`, in several modes and forms, contradicts neither exploration nor `staged`, and its
    /// runs can be followed.
    Interference: "interference", 50;
    /// The engine `staged` makes the same events and links, and gives the same answers, with and without summaries.
    Summaries: "summaries", 50;
    /// Exploration does not contradict proofs of the engine `priori`, at any precision.
    Priori: "priori", 18;
    /// Exploration does not contradict proofs of the engine `tar`.
    Tar: "tar", 14;
    /// The facts that engines exchange are true of every run, and change no answer.
    Facts: "facts", 40;
    /// The second encoder, `recheck`, contradicts neither exploration nor proofs of `staged` (for a share of the
    /// programs).
    Recheck: "recheck", 40;
    /// If whole functions are meant to be atomic, exploration with and without reduction and `staged` agree.
    Atomicity: "atomicity", 45;
    /// Leaving out the waiting for condition variables changes no answer.
    Waits: "waits", 50;
    /// Exploration does not contradict the reports of slices of random runs, and their runs can be followed.
    Slice: "slice", 9;
}

impl std::str::FromStr for Law {
    type Err = String;
    fn from_str(text: &str) -> Result<Law, String> {
        let known: Vec<&str> = Law::ALL.iter().map(|law| law.name()).collect();
        let found = Law::ALL.iter().find(|law| law.name() == text);
        found.copied().ok_or_else(|| format!("`{text}` is not one of {}", known.join(", ")))
    }
}

/// A memory model and a property.
pub(super) type Question = (MemoryModel, Property);

/// The result of a law for a question. Of two results the larger counts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Check {
    /// The law does not apply to this question.
    Unasked,
    /// One side has no answer, or claims nothing that the other could refute.
    Undecided,
    /// Answers were compared, and the law holds.
    Kept,
    /// It does not; this is the evidence.
    Broken(String),
}

impl Check {
    /// The result of a comparison, which was made if `is_compared`.
    pub(super) fn new(broken: Option<String>, is_compared: bool) -> Check {
        match broken {
            Some(detail) => Check::Broken(detail),
            None if is_compared => Check::Kept,
            None => Check::Undecided,
        }
    }
}

/// A violation of a law by a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach {
    /// The law.
    pub law: Law,
    /// The question, for laws about answers.
    pub question: Option<Question>,
    /// The evidence.
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

/// For each question, how often the answer was violated, safe, unknown.
pub type Tally = BTreeMap<(Property, MemoryModel), [u64; 3]>;

/// For each law, the number of its questions, and in how many it compared answers.
pub type Compared = BTreeMap<Law, [u64; 2]>;

/// Under each model and at each precision of the engine `priori`, how many safe programs it proves, and of how many.
pub type Proved = BTreeMap<(MemoryModel, Property, u8), [u64; 2]>;

/// The findings about one program.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Examination {
    /// For each question how often the answer was violated, safe, unknown.
    pub answers: Tally,
    /// The reasons for the unknown ones, sorted.
    pub unknown: BTreeMap<String, u64>,
    /// How much each law compared.
    pub compared: Compared,
    /// Under each model and at each precision: whether the engine `priori` proves it, if it is safe.
    pub proved: Proved,
    /// The number of facts that engines exchanged: assertions, race-free accesses, unreachable statements.
    pub facts: [u64; 3],
    /// The laws it breaks.
    pub breaches: Vec<Breach>,
}

impl Examination {
    fn record(&mut self, law: Law, question: Option<Question>, check: Check) {
        if check == Check::Unasked {
            return;
        }
        let [asked, compared] = self.compared.entry(law).or_default();
        *asked += 1;
        *compared += u64::from(check >= Check::Kept);
        if let Check::Broken(detail) = check {
            self.breaches.push(Breach { law, question, detail });
        }
    }
}

/// One program and exploration's answers about it. The seed decides where a fence is inserted and which random runs are
/// made.
pub(super) struct Subject<'a> {
    pub(super) source: &'a ast::Program,
    pub(super) program: &'a Program,
    pub(super) answers: Answers,
    pub(super) seed: u64,
    pub(super) limits: &'a Limits,
}

/// Checks the laws. The seed decides where a fence is inserted and which random runs are made.
pub fn examine(source: &ast::Program, seed: u64, limits: &Limits) -> Examination {
    let mut examination = Examination::default();
    let program = match subject::load(source) {
        Ok(program) => program,
        Err(message) => {
            examination.record(Law::Loads, None, Check::Broken(message));
            return examination;
        }
    };
    let answers = Answers::of(&program, limits);
    let subject = Subject { source, program: &program, answers, seed, limits };
    for law in Law::ALL.iter().filter(|law| limits.laws.contains(law)) {
        subject.check(*law, &mut examination);
    }
    for (question, answer) in &subject.answers.0 {
        examination.answers.entry(*question).or_default()[answer.index()] += 1;
        if let Answer::Unknown(reason) = answer {
            *examination.unknown.entry(reason.clone()).or_default() += 1;
        }
    }
    examination
}

impl Subject<'_> {
    /// Checks one law.
    fn check(&self, law: Law, found: &mut Examination) {
        match law {
            Law::Loads => found.record(law, None, Check::Kept),
            Law::Text => found.record(law, None, Check::new(text_breach(self.program), true)),
            Law::Models => variants::models(self).into_iter().for_each(|(question, check)| {
                found.record(law, Some(question), check);
            }),
            Law::Fence | Law::ThreadOrder => variants::compared(law, self).into_iter().for_each(|(question, check)| {
                found.record(law, Some(question), check);
            }),
            Law::Reduction
            | Law::Outcomes
            | Law::Replay
            | Law::RandomRun
            | Law::Staged
            | Law::Impact
            | Law::Interference
            | Law::Summaries
            | Law::Priori
            | Law::Tar
            | Law::Facts
            | Law::Recheck
            | Law::Atomicity
            | Law::Waits
            | Law::Slice => {
                for (&(property, model), answer) in &self.answers.0 {
                    let check = self.check_question(law, (model, property), answer, found);
                    found.record(law, Some((model, property)), check);
                }
            }
        }
    }

    /// Checks a law about single questions.
    fn check_question(&self, law: Law, question: Question, answer: &Answer, found: &mut Examination) -> Check {
        match law {
            Law::Reduction => self.reduction(question, answer),
            Law::Outcomes => self.outcomes(question, answer),
            Law::Replay => self.replay(question, answer),
            Law::RandomRun => self.random_run(question, answer),
            Law::Staged => engines::staged(self, question, answer),
            Law::Impact => engines::impact(self, question, answer),
            Law::Interference => interference::check(self, question, answer),
            Law::Summaries => engines::summaries(self, question),
            Law::Priori => engines::priori(self, question, answer, &mut found.proved),
            Law::Tar => engines::tar(self, question, answer),
            Law::Facts => facts::check(self, question, answer, &mut found.facts),
            Law::Recheck => engines::recheck(self, question, answer),
            Law::Atomicity => atomicity::check(self, question),
            Law::Waits => engines::waits(self, question, answer),
            Law::Slice => engines::slice(self, question, answer),
            Law::Loads | Law::Text | Law::Models | Law::Fence | Law::ThreadOrder => Check::Unasked,
        }
    }

    fn reduction(&self, (model, property): Question, answer: &Answer) -> Check {
        let plain = subject::ask(self.program, model, property, false, self.limits);
        let broken = match (answer, &plain) {
            (Answer::Violated(_, violation), Answer::Safe) => {
                Some(format!("violated with reduction ({}), safe without", violation.message()))
            }
            (Answer::Safe, Answer::Violated(_, violation)) => {
                Some(format!("safe with reduction, violated without ({})", violation.message()))
            }
            _ => None,
        };
        Check::new(broken, answer.is_known() && plain.is_known())
    }

    /// Compares the outcomes; those of the axioms must not contradict the answer either.
    fn outcomes(&self, (model, property): Question, answer: &Answer) -> Check {
        if property != Property::Unreach {
            return Check::Unasked;
        }
        match outcomes::compare(self.program, model, self.limits.slow_timeout) {
            Comparison::Different(disagreement) => Check::Broken(disagreement.describe(self.program)),
            Comparison::Equal(outcomes) => Check::new(outcome_breach(answer, &outcomes.outcomes), true),
            Comparison::Skipped(_) => Check::Undecided,
        }
    }

    fn replay(&self, (model, property): Question, answer: &Answer) -> Check {
        let Answer::Violated(steps, violation) = answer else { return Check::Undecided };
        match interp::replay(&subject::machine(self.program, model, property), steps, None) {
            Ok(RunEnd::Violation(replayed)) if replayed == *violation => Check::Kept,
            Ok(end) => Check::Broken(format!("{} does not come out of the replay: {end:?}", violation.message())),
            Err(error) => Check::Broken(format!("{} cannot be replayed: {error}", violation.message())),
        }
    }

    fn random_run(&self, (model, property): Question, answer: &Answer) -> Check {
        let machine = subject::machine(self.program, model, property);
        let mut has_replayed = false;
        for round in 0..self.limits.random_runs {
            let Run { steps, end } = subject::random_run(&machine, self.seed.wrapping_add(round), self.limits);
            if let (RunEnd::Violation(violation), Answer::Safe) = (&end, answer) {
                return Check::Broken(format!("safe, but a random run violates it: {}", violation.message()));
            }
            if !matches!(end, RunEnd::Violation(_)) {
                continue;
            }
            match interp::replay(&machine, &steps, None) {
                Ok(again) if again == end => has_replayed = true,
                Ok(again) => return Check::Broken(format!("a random run ended in {end:?}, its replay in {again:?}")),
                Err(error) => return Check::Broken(format!("a random run cannot be replayed: {error}")),
            }
        }
        Check::new(None, has_replayed || *answer == Answer::Safe)
    }
}

/// Whether a program breaks the same law in the same way. Called repeatedly by shrinking, so it asks only what is
/// necessary.
pub fn is_broken(program: &ast::Program, seed: u64, breach: &Breach, limits: &Limits) -> bool {
    let limits = &Limits { laws: vec![breach.law], ..limits.clone() };
    let narrowed = match breach.question {
        None => Limits { models: vec![], properties: vec![], ..limits.clone() },
        // A comparison of models needs all of them.
        Some((_, property)) if breach.law == Law::Models => Limits { properties: vec![property], ..limits.clone() },
        Some((model, property)) => Limits { models: vec![model], properties: vec![property], ..limits.clone() },
    };
    let found = examine(program, seed, &narrowed);
    found.breaches.iter().any(|other| other.law == breach.law && other.question == breach.question)
}

/// The answer to every question, with reduction.
pub(super) struct Answers(pub(super) BTreeMap<(Property, MemoryModel), Answer>);

impl Answers {
    pub(super) fn of(program: &Program, limits: &Limits) -> Answers {
        let mut answers = BTreeMap::new();
        for &property in &limits.properties {
            // Atomicity is defined under sc only.
            let is_defined = |model: MemoryModel| model.is_sequentially_consistent() || property != Property::Atomicity;
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

/// An answer that contradicts the outcomes.
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
