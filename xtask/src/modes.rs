//! Compares the four modes of the engine `impact`, as in tables I and II of the paper behind it: with dynamic or static
//! partial-order reduction, and with or without forced covering.

use anyhow::{bail, Result};
use base::Budget;
use check::{Options, Task};
use engines::impact::{self, Reduction, SearchOrder, TrackAfter};
use ir::{MemoryModel, Property};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The paper's names of the modes.
const MODES: [(&str, Reduction, bool); 4] = [
    ("sPOR", Reduction::Static, false),
    ("sPOR+FC", Reduction::Static, true),
    ("dPOR", Reduction::Dynamic, false),
    ("dPOR+FC", Reduction::Dynamic, true),
];

/// The columns for each mode.
const COLUMNS: [&str; 4] = ["nodes", "refinements", "covers", "cover_expansions"];

/// Decides programs in each mode, and writes a table. With `labels_only` no values are tracked explicitly, as in the
/// paper.
pub fn run(files: &[PathBuf], timeout: Duration, labels_only: bool, tell: &mut dyn Write) -> Result<()> {
    writeln!(
        tell,
        "| program | mode | verdict | seconds | nodes | implications | refinements | covers | expansions |"
    )?;
    writeln!(tell, "|---|---|---|---:|---:|---:|---:|---:|---:|")?;
    let Some(engine) = plan::engine_named("impact") else { bail!("there is no engine impact") };
    let track_after = if labels_only { TrackAfter(None) } else { TrackAfter::DEFAULT };
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let (program, diagnostics) = front::load(std::slice::from_ref(file), &front::LoadOptions::default());
        let Some(program) = program else { bail!("{name} does not load: {diagnostics:?}") };
        for (mode, reduction, force_cover) in MODES {
            let impact =
                impact::Options { reduction, force_cover, order: SearchOrder::Depth, track_after, check_proof: false };
            let options = Options::default().with(impact);
            let budget = Budget::new(Some(timeout), Some(4 << 30));
            let (property, model) = (Property::Unreach, MemoryModel::Sc);
            let task = Task { program: &program, property, model, options, budget, race_free: Default::default() };
            let started = Instant::now();
            let outcome = plan::solve(&task, engine, false).outcome;
            let seconds = started.elapsed().as_secs_f64();
            let number = |name: &str| outcome.stats.get(name).unwrap_or(0.0);
            let layers = ["implications_syntactic", "implications_cached", "implications_solved"];
            let implications: f64 = layers.into_iter().map(number).sum();
            let [nodes, refinements, covers, expansions] = COLUMNS.map(number);
            let verdict = outcome.verdict.name();
            let covers = covers + number("forced_covers");
            writeln!(
                tell,
                "| {name} | {mode} | {verdict} | {seconds:.2} | {nodes} | {implications} | {refinements} | {covers} | {expansions} |"
            )?;
        }
    }
    Ok(())
}
