//! Heddle's answers about a program: the outcomes that exploration reaches, and verdicts by `auto`.

use crate::outcomes::interpreter;
use axiomatic::Outcome;
use base::{Budget, Id};
use check::{Options, Task, Verdict};
use front::LoadOptions;
use ir::{MemoryModel, ObjectId, Program, Property};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// The memory for the process.
const MEMORY_BYTES: u64 = 3 << 30;

/// A verdict without its evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Violated, with the violation.
    Unsafe(String),
    /// Proved.
    Safe,
    /// Neither, with the first reason.
    Unknown(String),
}

/// The outcomes that a program can have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcomes {
    /// Those of terminating runs.
    pub values: BTreeSet<u32>,
    /// Whether a run can get stuck.
    pub is_stuck: bool,
}

/// The value of a computation, or an error if it panics: that is a defect of Heddle, and the campaign continues.
pub fn caught<T>(compute: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(compute)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
    })
}

/// Loads a file; the error is the front end's message.
pub fn load(file: &Path) -> Result<Program, String> {
    let (program, diagnostics) = front::load(&[file.to_owned()], &LoadOptions::default());
    program.ok_or_else(|| diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

/// All outcomes, or the reason why exploration is incomplete.
pub fn outcomes(program: &Program, model: MemoryModel, timeout: Duration) -> Result<Outcomes, String> {
    let observed = program.objects.enumerate().find(|(_, object)| object.name == "outcome");
    let observed: ObjectId = observed.map(|(id, _)| id).ok_or("there is no variable `outcome`")?;
    let budget = Budget::new(Some(timeout), Some(MEMORY_BYTES));
    let mut all = Outcomes { values: BTreeSet::new(), is_stuck: false };
    for outcome in interpreter::outcomes(program, model, true, &[observed], &budget)? {
        match outcome {
            Outcome::Finished(objects) => {
                let bytes = objects.first().map(|(_, bytes)| bytes.as_slice()).unwrap_or_default();
                let bytes = bytes.try_into().map_err(|_| format!("object {} is no int", observed.index()))?;
                all.values.insert(u32::from_le_bytes(bytes));
            }
            Outcome::Stuck(_) => all.is_stuck = true,
            Outcome::Failed(_) => return Err("an assertion fails, and there should be none".to_owned()),
        }
    }
    Ok(all)
}

/// The verdict of `auto`.
pub fn ask(program: &Program, property: Property, model: MemoryModel, timeout: Duration) -> Answer {
    let Some(engine) = plan::engine_named("auto") else {
        return Answer::Unknown("there is no engine `auto`".to_owned());
    };
    let budget = Budget::new(Some(timeout), Some(MEMORY_BYTES));
    let task = Task { program, property, model, options: Options::default(), budget, race_free: Default::default() };
    match plan::solve(&task, engine, false).outcome.verdict {
        Verdict::Unsafe(found) => Answer::Unsafe(found.violation.message()),
        Verdict::Safe(_) => Answer::Safe,
        Verdict::Unknown(reasons) => {
            let first = reasons.into_iter().next();
            Answer::Unknown(first.map(|reason| reason.detail).unwrap_or_default())
        }
    }
}
