//! Answers kept from earlier runs, keyed by all that they depend on: the program in its core form, after clang, the question with every
//! option, and this very build of Heddle. Only what is decided is kept.
//!
//! A counterexample is kept as its schedule and replayed in the reference interpreter before it is told again; one that does not replay is
//! no answer. A proof is kept as what the engine said about it, and whether it was confirmed. Entries are files that appear whole or not
//! at all, so that runs may share a cache.

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
    /// The cache in a directory, which need not be there.
    pub(crate) fn new(dir: &Path) -> Cache {
        Cache { dir: dir.to_owned() }
    }

    /// The answer to a task, if it is known. With `is_checked`, a proof has to be confirmed.
    pub(crate) fn find(&self, task: &Task<'_>, engine: &str, is_checked: bool) -> Option<Answer> {
        // What is no file, like a pipe, would be waited for.
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

    /// Keeps an answer, if it is one.
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

    /// The file of a task's answer; none if it cannot be said which build of Heddle this is.
    fn file(&self, task: &Task<'_>, engine: &str) -> Option<PathBuf> {
        let mut options = task.options.clone();
        // How many engines run at a time decides when there is an answer, not what it is.
        options.jobs = 1;
        let (property, model) = (task.property, task.model);
        let program = ir::print(task.program);
        let key = format!("{}\n{engine} {property} {model}\n{options:?}\n{program}", this_build()?);
        Some(self.dir.join(format!("{}.json", sha256::hex(key.as_bytes()))))
    }
}

/// Which Heddle this is: its version, and the size and the time of its file, for those who build their own.
fn this_build() -> Option<String> {
    let file = std::fs::metadata(std::env::current_exe().ok()?).ok()?;
    let time = file.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", env!("CARGO_PKG_VERSION"), file.len(), time.as_nanos()))
}
