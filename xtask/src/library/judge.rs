//! Heddle's answer for one test: exhaustive exploration, and all engines if inputs have too many values for it.

use super::source::CHOICE;
use anyhow::{ensure, Context, Result};
use interp::{Config, ExploreOptions, Explored, Gap, InputDomain, Machine};
use ir::{Initial, MemoryModel, Program, Property};
use std::time::Duration;

const EXPLORATION: Duration = Duration::from_secs(10);
const ENGINES: Duration = Duration::from_secs(20);
const MEMORY_BYTES: u64 = 2 << 30;

/// An answer, in words if it is no proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    Safe,
    Unsafe(String),
    /// An unmodelled construct was reached.
    Unmodelled(String),
    Unknown(String),
}

/// Selects the test that the program executes.
pub(super) fn choose(program: &mut Program, test: usize) -> Result<()> {
    let test = u32::try_from(test).context("too many tests")?;
    set_bytes(program, CHOICE, 0, &test.to_le_bytes())
}

/// Overwrites the initial bytes of a static object.
pub(super) fn set_bytes(program: &mut Program, name: &str, at: usize, new: &[u8]) -> Result<()> {
    let id = program.object_named(name).with_context(|| format!("the program has no {name}"))?;
    let object = &mut program.objects[id];
    let Initial::Bytes { bytes, .. } = &mut object.initial else { anyhow::bail!("{name} should have bytes") };
    ensure!(at + new.len() <= object.size as usize, "{name} is too small");
    bytes.resize(bytes.len().max(at + new.len()), 0);
    bytes[at..at + new.len()].copy_from_slice(new);
    Ok(())
}

/// Asks.
pub(super) fn ask(program: &Program, property: Property) -> Answer {
    let config = Config {
        model: MemoryModel::Sc,
        property,
        inputs: InputDomain::default(),
        regions: vec![],
        race_free: Default::default(),
    };
    let machine = Machine::new(program, config);
    let budget = base::Budget::new(Some(EXPLORATION), Some(MEMORY_BYTES));
    let explored = interp::explore(&machine, &ExploreOptions { reduction: true, max_depth: None }, &budget);
    let place = |at: (ir::FunctionId, ir::EdgeId)| program.place(program.functions[at.0].edges[at.1].span);
    let is_input = |gap: &Gap| matches!(gap, Gap::Inputs { .. });
    match explored.result {
        Explored::Violated { violation, .. } => {
            let at = violation.at.map(place).unwrap_or_default();
            Answer::Unsafe(format!("{} at {at}", violation.message()))
        }
        Explored::Exhausted => {
            let unmodelled = explored.gaps.iter().find(|gap| matches!(gap, Gap::Unmodelled { .. }));
            match unmodelled.or(explored.gaps.iter().find(|gap| !is_input(gap))) {
                Some(gap @ Gap::Unmodelled { .. }) => Answer::Unmodelled(gap.to_string()),
                Some(gap) => {
                    let at = gap.at().map(|site| place(site.at)).unwrap_or_default();
                    Answer::Unknown(format!("{gap} at {at}"))
                }
                None if explored.gaps.is_empty() => Answer::Safe,
                None => ask_engines(program, property),
            }
        }
        Explored::Stopped(_) => ask_engines(program, property),
    }
}

fn ask_engines(program: &Program, property: Property) -> Answer {
    let budget = base::Budget::new(Some(ENGINES), Some(MEMORY_BYTES));
    let options = check::Options::default();
    let task =
        check::Task { program, property, model: MemoryModel::Sc, options, budget, race_free: Default::default() };
    let Some(engine) = plan::engine_named("auto") else { return Answer::Unknown("no engine".to_owned()) };
    match plan::solve(&task, engine, false).outcome.verdict {
        check::Verdict::Safe(_) => Answer::Safe,
        check::Verdict::Unsafe(found) => Answer::Unsafe(found.violation.message()),
        check::Verdict::Unknown(reasons) => {
            let reasons: Vec<String> = reasons.iter().map(|reason| reason.detail.clone()).collect();
            Answer::Unknown(reasons.join("; "))
        }
    }
}
