//! `heddle bench`: runs a suite of programs with known verdicts, each task in a process of its own, and compares.

mod index;
mod plot;
mod results;
mod runner;
mod summary;

use crate::cli::BenchArgs;
use crate::output;
use crate::status::Status;
use anyhow::{anyhow, Context, Result};
use indicatif::{ProgressBar, ProgressStyle};
use results::{Results, Row};
use std::collections::{BTreeMap, VecDeque};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{mpsc, Arc, Mutex, PoisonError};

/// Runs the command.
pub(crate) fn run(args: &BenchArgs) -> Result<Status> {
    let name = args.index.display();
    let bytes = std::fs::read(&args.index).with_context(|| format!("cannot read {name}"))?;
    let mut tasks = index::parse(&bytes).map_err(|error| anyhow!("{name}:{error}"))?;
    let wanted = |id: &str| args.filter.is_empty() || args.filter.iter().any(|text| id.contains(text.as_str()));
    tasks.retain(|task| wanted(&task.id));
    if args.fresh && args.output.exists() {
        std::fs::remove_file(&args.output).with_context(|| format!("cannot remove {}", args.output.display()))?;
    }
    let settings = settings(args);
    let mut results = Results::open(&args.output, &settings)?;
    let todo: VecDeque<index::Task> = tasks.iter().filter(|task| !results.has(&task.id)).cloned().collect();
    let skipped = tasks.len() - todo.len();
    if skipped > 0 {
        output::complain(&format!("{skipped} of {} tasks are in {} already", tasks.len(), args.output.display()));
    }
    let stopped = run_all(args, todo, &mut results)?;
    let rows: BTreeMap<String, Row> = results.into_rows();
    let done: Vec<(&index::Task, &Row)> =
        tasks.iter().filter_map(|task| rows.get(&task.id).map(|row| (task, row))).collect();
    if let Some(file) = &args.plot {
        output::write_whole(file, plot::cactus(&done, args.timeout.as_secs_f64()).as_bytes())?;
    }
    output::emit(&summary::summary(&done, tasks.len()))?;
    Ok(if done.iter().any(|(task, row)| row.is_wrong(task)) {
        Status::Unsafe
    } else if stopped {
        output::complain("stopped; the same command goes on from here");
        Status::Unknown
    } else {
        Status::Safe
    })
}

/// The settings that results depend on, besides the task: a result counts only under the same settings.
fn settings(args: &BenchArgs) -> String {
    let mut words = vec![
        args.engine.clone(),
        format!("{}s", args.timeout.as_secs_f64()),
        format!("{}M", args.memory_limit >> 20),
        env!("CARGO_PKG_VERSION").to_owned(),
    ];
    words.extend(args.check_args.iter().cloned());
    words.join(" ").replace(['\t', '\n', '\r'], " ")
}

/// Runs the tasks, several at a time, and stores each result at once. Returns whether it was stopped.
fn run_all(args: &BenchArgs, todo: VecDeque<index::Task>, results: &mut Results) -> Result<bool> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).context("cannot handle signals")?;
    }
    let bar = progress(todo.len());
    let folder = args.index.parent().map(std::path::Path::to_path_buf).unwrap_or_default();
    let program = std::env::current_exe().context("cannot find the program itself")?;
    let waiting = Mutex::new(todo);
    let (sender, receiver) = mpsc::channel();
    let mut failure = None;
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            let (sender, waiting, stop) = (sender.clone(), &waiting, &stop);
            let runner = runner::Runner::new(&program, &folder, args);
            scope.spawn(move || loop {
                let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some(task) = next.filter(|_| !stop.load(Ordering::Relaxed)) else { return };
                let Some(row) = runner.run(&task, stop) else { return };
                if sender.send((task, row)).is_err() {
                    return;
                }
            });
        }
        drop(sender);
        let mut wrong = 0;
        for (task, row) in receiver {
            if row.is_wrong(&task) {
                wrong += 1;
                bar.suspend(|| output::complain(&format!("WRONG: {}: {}, is {}", task.id, row.verdict, task.expected)));
            }
            bar.set_message(format!("{wrong} wrong; {}", task.id));
            bar.inc(1);
            if let Err(error) = results.add(row) {
                stop.store(true, Ordering::Relaxed);
                failure.get_or_insert(error);
            }
        }
    });
    bar.finish_and_clear();
    match failure {
        Some(error) => Err(error),
        None => Ok(stop.load(Ordering::Relaxed)),
    }
}

fn progress(tasks: usize) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(tasks as u64);
    let template = "{elapsed_precise} [{bar:30}] {pos}/{len} eta {eta} {wide_msg}";
    bar.set_style(ProgressStyle::with_template(template).expect("the template should parse"));
    bar.enable_steady_tick(std::time::Duration::from_millis(250));
    bar
}
