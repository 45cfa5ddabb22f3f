//! A cache of answers from earlier runs, keyed by everything they depend on: the program in its core form, after clang,
//! the question with every option, and this very build of Heddle. Only decided answers are stored.
//!
//! A counterexample is stored as its schedule and replayed in the reference interpreter before it is reported again; if
//! the replay fails there is no answer. A proof is stored as the engine's account of it, and whether it was confirmed.
//! Entries are files written atomically, so runs may share a cache.

use crate::output;
use anyhow::Result;
use base::Stats;
use check::Turn;
use check::{Outcome, Task, Verdict};
use ir::ScheduleStep;
use plan::{Answer, Confirmation};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use witness::report::ProofReport;
use witness::svcomp::sha256;

/// A directory of answers.
pub(crate) struct Cache {
    dir: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    engine: String,
    seconds: f64,
    stats: BTreeMap<String, f64>,
    is_confirmed: bool,
    decided: Decided,
}

#[derive(Serialize, Deserialize)]
enum Decided {
    Safe(ProofReport),
    Unsafe(Vec<ScheduleStep>),
}

impl Cache {
    /// The cache in a directory, which need not exist.
    pub(crate) fn new(dir: &Path) -> Cache {
        Cache { dir: dir.to_owned() }
    }

    /// The cached answer to a task, if there is one. With `is_checked`, a proof has to be confirmed.
    pub(crate) fn find(&self, task: &Task<'_>, engine: &str, is_checked: bool) -> Option<Answer> {
        // Opening something that is no regular file, like a pipe, could block.
        let file = self.file(task, engine).filter(|file| file.is_file())?;
        let text = std::fs::read_to_string(file).ok()?;
        let entry: Entry = serde_json::from_str(&text).ok()?;
        let engine = plan::engine_named(&entry.engine)?.name();
        let (verdict, confirmation) = match entry.decided {
            Decided::Safe(_) if is_checked && !entry.is_confirmed => return None,
            Decided::Safe(proof) => {
                let confirmation = if entry.is_confirmed { Confirmation::Rechecked } else { Confirmation::None };
                (Verdict::safe(proof.into(), vec![]), confirmation)
            }
            Decided::Unsafe(steps) => {
                let found = plan::validate::replayed(task, steps).ok()?;
                (Verdict::Unsafe(Box::new(found)), Confirmation::Replayed)
            }
        };
        let mut stats = Stats::default();
        entry.stats.iter().for_each(|(name, value)| stats.set(name, *value));
        let turn = Turn { engine, seconds: entry.seconds, verdict: verdict.clone(), proved: check::Proved::default() };
        Some(Answer { outcome: Outcome::new(verdict, stats), confirmation, turns: vec![turn] })
    }

    /// Stores an answer, if it is decided.
    pub(crate) fn keep(&self, task: &Task<'_>, asked: &str, answer: &Answer, seconds: f64) -> Result<()> {
        let decided = match &answer.outcome.verdict {
            Verdict::Safe(safe) => Decided::Safe(ProofReport::from(safe.proof())),
            Verdict::Unsafe(found) if answer.outcome.others.is_empty() => Decided::Unsafe(found.schedule.steps.clone()),
            Verdict::Unsafe(_) | Verdict::Unknown(_) => return Ok(()),
        };
        let is_confirmed = match answer.confirmation {
            Confirmation::Replayed | Confirmation::Rechecked => true,
            Confirmation::None => false,
            Confirmation::Failed(_) => return Ok(()),
        };
        let (Some(file), Some(engine)) = (self.file(task, asked), answer.engine()) else { return Ok(()) };
        let stats = answer.outcome.stats.iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let entry = Entry { engine: engine.to_owned(), seconds, stats, is_confirmed, decided };
        std::fs::create_dir_all(&self.dir)?;
        output::write_whole(&file, serde_json::to_string(&entry)?.as_bytes())
    }

    /// The file of a task's answer; `None` if this build of Heddle cannot be identified.
    fn file(&self, task: &Task<'_>, engine: &str) -> Option<PathBuf> {
        let mut options = task.options.clone();
        // The number of engines that run at a time affects when there is an answer, not the answer.
        options.jobs = 1;
        let (property, model) = (task.property, task.model);
        let program = ir::print(task.program);
        let key = format!("{}\n{engine} {property} {model}\n{options:?}\n{program}", this_build()?);
        Some(self.dir.join(format!("{}.json", sha256::hex(key.as_bytes()))))
    }
}

/// The identity of this build: its version, and the size and time of its file, for those who build their own.
fn this_build() -> Option<String> {
    let file = std::fs::metadata(std::env::current_exe().ok()?).ok()?;
    let time = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", env!("CARGO_PKG_VERSION"), file.len(), time.as_nanos()))
}
