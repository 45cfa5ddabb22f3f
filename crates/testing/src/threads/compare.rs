//! The comparison: the ground truth of a program, its native executions and Heddle's answers must agree.

use super::ast::{Bug, Program};
use super::heddle::{self, Answer, Outcomes};
use super::native::{Build, Native, Ran};
use super::print;
use anyhow::Result;
use ir::{MemoryModel, Property};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::Duration;

/// A law.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Law {
    /// The program loads.
    Loads,
    /// Heddle answers, and does not panic.
    Answers,
    /// A program without a bug terminates natively, and no sanitizer reports anything.
    Clean,
    /// Exploration reaches every outcome seen natively.
    Reached,
    /// `auto` does not prove that an outcome seen natively is impossible.
    NotExcluded,
    /// No run of a program without a bug gets stuck.
    NotStuck,
    /// A seeded bug is not proved absent.
    Seeded,
    /// What ThreadSanitizer reports is not proved absent.
    Thread,
    /// What AddressSanitizer reports is not proved absent.
    Address,
    /// No race is reported where there is none.
    NoFalseRace,
    /// No memory error is reported where there is none.
    NoFalseMemory,
}

/// A law that a program breaks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The law.
    pub law: Law,
    /// The evidence.
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.law, self.detail)
    }
}

/// A question to Heddle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Question {
    /// The set of outcomes.
    Outcomes,
    /// Whether an outcome is possible.
    Excluded,
    /// Whether there is a race.
    Race,
    /// Whether there is a memory error.
    Memory,
}

/// How often each question got the answer unsafe (for outcomes: complete), safe, unknown.
pub type Tally = BTreeMap<(&'static str, Question), [u64; 3]>;

/// The limits, and the number of native repetitions.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The time for one exploration or verdict.
    pub timeout: Duration,
    /// Repetitions of a plain build.
    pub repetitions: u32,
    /// Repetitions under a sanitizer.
    pub sanitized: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { timeout: Duration::from_secs(10), repetitions: 200, sanitized: 20 }
    }
}

/// The findings about one program.
#[derive(Clone, Default, Debug)]
pub struct Examination {
    /// The broken laws.
    pub violations: Vec<Violation>,
    /// The answers.
    pub tally: Tally,
    /// The reasons for unknown answers.
    pub unknown: BTreeMap<String, u64>,
    /// The number of outcomes seen natively, and of possible ones.
    pub outcomes: [usize; 2],
    /// Whether ThreadSanitizer and AddressSanitizer reported something.
    pub reported: [bool; 2],
}

impl Examination {
    /// Whether every question was answered.
    pub fn is_decided(&self) -> bool {
        self.tally.values().all(|[_, _, unknown]| *unknown == 0)
    }

    fn break_law(&mut self, law: Law, detail: impl Into<String>) {
        self.violations.push(Violation { law, detail: detail.into() });
    }
}

/// Examines programs.
pub struct Examiner<'a> {
    /// Where native programs are built.
    pub native: &'a Native,
    /// The limits.
    pub limits: Limits,
}

/// One program under examination.
struct Case<'e> {
    examiner: &'e Examiner<'e>,
    program: &'e Program,
    seed: u64,
    text: String,
    model: MemoryModel,
    /// Only this law.
    only: Option<Law>,
    found: Examination,
}

impl Examiner<'_> {
    /// Makes all comparisons for a program, or those of one law.
    pub fn examine(&self, program: &Program, seed: u64, only: Option<Law>) -> Result<Examination> {
        self.examine_text(program, print::print(program, ""), seed, only)
    }

    /// Like [`Examiner::examine`], with this text of the program.
    pub fn examine_text(&self, program: &Program, text: String, seed: u64, only: Option<Law>) -> Result<Examination> {
        let model = if program.is_total() { MemoryModel::Sc } else { MemoryModel::Tso };
        let mut case = Case { examiner: self, program, seed, text, model, only, found: Examination::default() };
        let file = self.native.file(&case.text, program.is_cxx())?;
        match heddle::caught(|| heddle::load(&file)).and_then(|loaded| loaded) {
            Err(message) => case.found.break_law(Law::Loads, message),
            Ok(loaded) => match program.bug {
                None => case.clean(&loaded)?,
                Some(bug) => case.seeded(&loaded, bug)?,
            },
        }
        Ok(case.found)
    }
}

impl Case<'_> {
    fn wants(&self, laws: &[Law]) -> bool {
        self.only.is_none_or(|only| only == Law::Answers || laws.contains(&only))
    }

    fn kind(&self) -> &'static str {
        match self.program.bug {
            None => "without a bug",
            Some(Bug::Race(_)) => "seeded race",
            Some(Bug::Memory(_)) => "seeded memory error",
        }
    }

    fn run(&self, build: Build) -> Result<Ran> {
        let limits = &self.examiner.limits;
        let repetitions = if matches!(build, Build::Plain(_)) { limits.repetitions } else { limits.sanitized };
        self.examiner.native.run(&self.text, self.program.is_cxx(), build, repetitions)
    }

    fn count(&mut self, question: Question, answer: &Answer) {
        let index = match answer {
            Answer::Unsafe(_) => 0,
            Answer::Safe => 1,
            Answer::Unknown(reason) => {
                *self.found.unknown.entry(format!("{question:?}: {reason}")).or_default() += 1;
                2
            }
        };
        self.found.tally.entry((self.kind(), question)).or_default()[index] += 1;
    }

    fn ask(&mut self, loaded: &ir::Program, question: Question) -> Answer {
        let property = match question {
            Question::Race => Property::Race,
            Question::Memory => Property::Memory,
            Question::Outcomes | Question::Excluded => Property::Unreach,
        };
        let (model, timeout) = (self.model, self.examiner.limits.timeout);
        let answer = heddle::caught(|| heddle::ask(loaded, property, model, timeout)).unwrap_or_else(|panic| {
            self.found.break_law(Law::Answers, format!("{question:?}: {panic}"));
            Answer::Unknown("a panic".to_owned())
        });
        self.count(question, &answer);
        answer
    }

    /// A program without a bug: outcomes, and no alarms.
    fn clean(&mut self, loaded: &ir::Program) -> Result<()> {
        if self.wants(&[Law::Clean, Law::Reached, Law::NotExcluded, Law::NotStuck]) {
            match self.run(Build::plain(self.seed))? {
                Ran::Ended(seen) => self.outcomes(loaded, &seen)?,
                ran => self.found.break_law(Law::Clean, format!("{:?}: {ran:?}", Build::plain(self.seed))),
            }
        }
        for (build, question, law) in
            [(Build::Thread, Question::Race, Law::NoFalseRace), (Build::Address, Question::Memory, Law::NoFalseMemory)]
        {
            if self.wants(&[Law::Clean]) {
                let ran = self.run(build)?;
                if !matches!(ran, Ran::Ended(_)) {
                    self.found.break_law(Law::Clean, format!("{build:?}: {ran:?}"));
                }
            }
            if self.wants(&[law]) {
                if let Answer::Unsafe(what) = self.ask(loaded, question) {
                    self.found.break_law(law, what);
                }
            }
        }
        Ok(())
    }

    fn outcomes(&mut self, loaded: &ir::Program, seen: &BTreeSet<u32>) -> Result<()> {
        let (model, timeout) = (self.model, self.examiner.limits.timeout);
        let explored = heddle::caught(|| heddle::outcomes(loaded, model, timeout)).unwrap_or_else(|panic| {
            self.found.break_law(Law::Answers, format!("exploration: {panic}"));
            Err("a panic".to_owned())
        });
        self.count(
            Question::Outcomes,
            &match &explored {
                Ok(_) => Answer::Unsafe(String::new()),
                Err(reason) => Answer::Unknown(reason.clone()),
            },
        );
        if let Ok(Outcomes { values, is_stuck }) = &explored {
            self.found.outcomes = [seen.len(), values.len()];
            if *is_stuck {
                self.found.break_law(Law::NotStuck, "exploration finds a run that gets stuck");
            }
            let missing: Vec<&u32> = seen.difference(values).collect();
            if !missing.is_empty() {
                let detail =
                    format!("seen natively and not reached under {}: {missing:?} (reached: {values:?})", self.model);
                self.found.break_law(Law::Reached, detail);
            }
        }
        // Engines are asked about one of the outcomes: for every third program, and where exploration has no answer.
        let one = seen.iter().nth(self.seed as usize % seen.len().max(1));
        if let Some(outcome) = one.filter(|_| self.only.is_some() || explored.is_err() || self.seed.is_multiple_of(3)) {
            self.not_excluded(*outcome)?;
        }
        Ok(())
    }

    fn not_excluded(&mut self, outcome: u32) -> Result<()> {
        if !self.wants(&[Law::NotExcluded]) {
            return Ok(());
        }
        let text = self
            .text
            .replace("return 0;\n}\n\n#endif", &format!("assert(outcome != {outcome}u);\nreturn 0;\n}}\n\n#endif"));
        let text = format!("#include <assert.h>\n{text}");
        let file = self.examiner.native.file(&text, self.program.is_cxx())?;
        match heddle::load(&file) {
            Err(message) => self.found.break_law(Law::Loads, message),
            Ok(loaded) => {
                if self.ask(&loaded, Question::Excluded) == Answer::Safe {
                    let detail = format!("seen natively and proved impossible under {}: {outcome}", self.model);
                    self.found.break_law(Law::NotExcluded, detail);
                }
            }
        }
        Ok(())
    }

    /// A program with a bug: reports only. The only truth about a data race is that race; memory is accessed within
    /// bounds, in any order.
    fn seeded(&mut self, loaded: &ir::Program, bug: Bug) -> Result<()> {
        let race = match bug {
            Bug::Race(_) => Some(self.ask(loaded, Question::Race)),
            Bug::Memory(_) => None,
        };
        let memory = self.ask(loaded, Question::Memory);
        let wrong = match bug {
            Bug::Race(_) if race == Some(Answer::Safe) => Some("race"),
            Bug::Memory(_) if memory == Answer::Safe => Some("memory"),
            Bug::Race(_) | Bug::Memory(_) => None,
        };
        if let Some(property) = wrong {
            self.found.break_law(Law::Seeded, format!("{bug:?}, and {property} is said to be safe"));
        }
        if let (Bug::Race(_), Answer::Unsafe(what)) = (bug, &memory) {
            self.found.break_law(Law::NoFalseMemory, what.clone());
        }
        if self.wants(&[Law::Thread]) {
            if let Ran::Reported(line) = self.run(Build::Thread)? {
                self.found.reported[0] = true;
                let race = race.unwrap_or_else(|| self.ask(loaded, Question::Race));
                if race == Answer::Safe {
                    self.found.break_law(Law::Thread, line);
                }
            }
        }
        if self.wants(&[Law::Address]) {
            if let Ran::Reported(line) = self.run(Build::Address)? {
                self.found.reported[1] = true;
                if memory == Answer::Safe {
                    self.found.break_law(Law::Address, line);
                }
            }
        }
        Ok(())
    }
}
