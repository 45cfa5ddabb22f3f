//! `heddle check`: loads the program, decides each property, and reports.
//!
//! Results are kept in a [`Session`] shared with the guard thread: if time or memory run out where no engine polls, it
//! reports the results so far, with `unknown` for the rest.

use super::baseline::{self, Baseline, Finding, Judged};
use super::cache::Cache;
use super::{defect, files, report};
use crate::cli::{CheckArgs, Format};
use crate::limits::{Guard, Limits};
use crate::status::Status;
use crate::{limits, load, output};
use anyhow::Result;
use base::{Budget, Diagnostic, Part, Stats, Stop};
use check::{Engine as _, Inputs, Options, OwnOptions, Reason, Task, Verdict};
use engines::tar;
use front::Loaded;
use ir::{DataModel, Program, Property};
use plan::{slice, Answer, Confirmation};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use witness::report::{BaselineState, DiagnosticReport, PropertyReport, TurnReport, SCHEMA};
use witness::trace::TraceProgram;
use witness::{Report, Sources, Story, Trace};

/// The results so far.
#[derive(Default)]
struct Known {
    diagnostics: Vec<DiagnosticReport>,
    data_model: Option<DataModel>,
    results: Vec<(Verdict, PropertyReport)>,
    sources: Sources,
    files: Vec<PathBuf>,
    findings: Vec<Finding>,
    files_written: Vec<String>,
}

/// The number of violations for which a shorter run is searched.
const MAX_SHORTENED: usize = 8;

struct Session {
    args: CheckArgs,
    baseline: Option<Baseline>,
    started: Instant,
    known: Mutex<Known>,
}

/// Runs the command.
pub(crate) fn run(args: CheckArgs) -> Result<Status> {
    if args.on.is_some() && args.engine != tar::Tar.name() {
        anyhow::bail!("--on is for --engine tar");
    }
    let limits = Limits::new(args.timeout, args.memory_limit);
    let budget = limits.budget();
    let compared = args.keep.baseline.as_deref().filter(|_| !args.keep.update_baseline);
    let baseline = compared.map(Baseline::read).transpose()?;
    let known = Mutex::new(Known { files: args.files.clone(), ..Known::default() });
    let session = Arc::new(Session { args, baseline, started: Instant::now(), known });
    let options = load::options(&session.args.load)?;
    let last = Arc::clone(&session);
    let guard = Guard::start(limits, &budget, move |stop| last.last_words(stop));

    let spinner = output::spinner("loading");
    let Loaded { program, files, diagnostics, .. } = front::load_timed(&session.args.files, &options);
    spinner.finish_and_clear();
    session.update(|known| known.files = files);
    let Some(program) = program else {
        guard.report_or_wait();
        return session.cannot_load(&diagnostics);
    };
    guard.loaded();
    load::say(&diagnostics);
    let args = &session.args;
    let regions = load::check_regions(&program, &args.property.0, &args.atomic_region);
    let variable = load::check_variable(&program, args.on.as_deref(), &args.engine, &args.property.0);
    if let Err(problem) = regions.and(variable) {
        guard.report_or_wait();
        return Err(problem);
    }
    session.update(|known| {
        known.data_model = Some(program.data_model);
        known.diagnostics = diagnostics.iter().map(DiagnosticReport::from).collect();
    });
    session.decide_all(&program, &budget)?;
    session.update_baseline()?;
    guard.report_or_wait();
    session.report()
}

impl Session {
    fn update<T>(&self, change: impl FnOnce(&mut Known) -> T) -> T {
        change(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn options(&self) -> Options {
        let args = &self.args;
        Options {
            inputs: Inputs { values: args.input.inputs.clone(), promised: args.inputs_promised },
            strengthen_relaxed: args.assume_ra,
            bound: args.bound,
            loop_bounds: args.bound_loop.clone(),
            all_races: args.all_races,
            atomic_regions: args.atomic_region.clone(),
            assume_defined: args.assume_defined,
            strict: args.strict,
            jobs: args.jobs.map_or_else(limits::processors, usize::from),
            own: self.own_options(),
        }
    }

    /// The options of single engines: those of `heddle lab`, and those that `check` accepts for one of them.
    fn own_options(&self) -> OwnOptions {
        let CheckArgs { own, on, slice, .. } = &self.args;
        let own = own.clone().with(tar::Options { on: on.clone(), ..own.get() });
        match *slice {
            Some(seed) => own.clone().with(slice::Options { seed, ..own.get() }),
            None => own,
        }
    }

    /// Decides each property.
    fn decide_all(&self, program: &Program, budget: &Budget) -> Result<()> {
        let sources = load::sources(program);
        self.update(|known| known.sources = sources.clone());
        let properties = &self.args.property.0;
        let name = if self.args.slice.is_some() { "slice" } else { &self.args.engine };
        let engine = plan::engine_named(name).expect("the command line should know the engines");
        for (index, property) in properties.iter().enumerate() {
            let spinner = output::spinner(&format!("{property} under {}", self.args.memory_model));
            let started = Instant::now();
            let task = Task {
                program,
                property: *property,
                model: self.args.memory_model,
                options: self.options(),
                budget: budget.part(Part::OneOf((properties.len() - index) as u32)),
                race_free: Default::default(),
            };
            let (answer, from_cache) = self.answer(&task, engine);
            let judged = self.judge(&task, engine, answer, &sources);
            spinner.finish_and_clear();
            judged.answer.outcome.stats.notes().iter().for_each(|line| output::complain(line));
            self.keep(&task, &judged, from_cache, &sources, started)?;
        }
        Ok(())
    }

    /// The answer to a task, and whether it comes from the cache.
    fn answer(&self, task: &Task<'_>, engine: &dyn check::Engine) -> (Answer, bool) {
        let started = Instant::now();
        let cache = self.args.keep.cache.as_deref().map(Cache::new);
        let found = cache.as_ref().and_then(|cache| cache.find(task, engine.name(), self.args.check));
        if let Some(answer) = found {
            return (answer, true);
        }
        let answer = plan::solve(task, engine, self.args.check);
        if let Some(cache) = cache {
            let kept = cache.keep(task, engine.name(), &answer, started.elapsed().as_secs_f64());
            // A failing cache must not lose the answer.
            if let Err(problem) = kept {
                output::complain(&format!("warning: the answer cannot be kept in the cache: {problem:#}"));
            }
        }
        (answer, false)
    }

    /// Separates findings that are in the baseline, if there is one.
    fn judge(&self, task: &Task<'_>, engine: &dyn check::Engine, answer: Answer, sources: &Sources) -> Judged {
        let solve = |task: &Task<'_>| plan::solve(task, engine, self.args.check);
        let all_races = |task: &Task<'_>| {
            let options = Options { all_races: true, ..task.options.clone() };
            let staged = plan::engine_named("staged").expect("there should be an engine `staged`");
            plan::solve(&Task { options, ..task.clone() }, staged, false)
        };
        match (&self.baseline, self.args.keep.update_baseline) {
            (None, false) => Judged { answer, findings: vec![], is_known: false },
            (Some(baseline), _) => {
                baseline::judge(task, answer, sources, |finding| baseline.knows(finding), solve, all_races)
            }
            // All findings now become known.
            (None, true) => baseline::judge(task, answer, sources, |_| true, solve, all_races),
        }
    }

    /// Writes the findings into the baseline, if requested.
    fn update_baseline(&self) -> Result<()> {
        let Some(file) = self.args.keep.baseline.as_deref().filter(|_| self.args.keep.update_baseline) else {
            return Ok(());
        };
        let baseline = Baseline::new(self.update(|known| known.findings.clone()));
        baseline.write(file)?;
        let line = format!("baseline: {} with {}", file.display(), counted(baseline.len()));
        self.update(|known| known.files_written.push(line));
        Ok(())
    }

    /// Those of the findings that are in the baseline, in words.
    fn known_of(&self, findings: &[Finding]) -> Vec<String> {
        let Some(baseline) = &self.baseline else { return vec![] };
        let mut known: Vec<String> = Vec::new();
        for finding in findings.iter().filter(|finding| baseline.knows(finding)) {
            if !known.iter().any(|other| other == finding.what()) {
                known.push(finding.what().to_owned());
            }
        }
        known
    }

    /// Adds an answer to the report, with the story of a counterexample, and writes the files that belong to it.
    fn keep(
        &self,
        task: &Task<'_>,
        judged: &Judged,
        from_cache: bool,
        sources: &Sources,
        started: Instant,
    ) -> Result<()> {
        let answer = &judged.answer;
        let verdict = &answer.outcome.verdict;
        let seconds = started.elapsed().as_secs_f64();
        let engine = answer.engine().unwrap_or(&self.args.engine);
        let result = PropertyReport::new(task.property, engine, verdict, &answer.outcome.stats, seconds);
        let mut result = result.with_premises(task.premises());
        result.on.clone_from(&self.args.on);
        result.from_cache = from_cache;
        result.baseline = match (verdict, judged.is_known) {
            (_, true) => Some(BaselineState::Known),
            (Verdict::Safe(_), false) => None,
            (Verdict::Unsafe(_) | Verdict::Unknown(_), false) => {
                self.args.keep.baseline.is_some().then_some(BaselineState::New)
            }
        };
        result.known = self.known_of(&judged.findings);
        self.update(|known| known.findings.extend(judged.findings.iter().cloned()));
        if self.args.explain_plan {
            result.turns = answer
                .turns
                .iter()
                .map(|turn| TurnReport::new(turn.engine, turn.seconds, &turn.verdict, turn.proved))
                .collect();
        }
        match &answer.confirmation {
            Confirmation::Replayed => result.confirmed = Some("replayed".to_owned()),
            Confirmation::Rechecked => result.confirmed = Some("rechecked".to_owned()),
            Confirmation::None => {}
            Confirmation::Failed(reproducer) => {
                let file = defect::write(reproducer, task, &self.trace_program(task.program))?;
                output::complain(&format!(
                    "defect: {}\n  Please report it, with the program and {file}.",
                    reproducer.problem
                ));
                self.update(|known| known.files_written.push(format!("reproducer of the defect: {file}")));
            }
        }
        if let Verdict::Unsafe(counterexample) = verdict {
            let machine = interp::Machine::new(task.program, plan::machine_config(task));
            let shortest = Story::shortest(task.program, &machine, counterexample, sources, &task.budget);
            let (counterexample, story) = &shortest.expect("a replayed counterexample should replay again");
            result.counterexample = Some(story.clone());
            for (index, other) in answer.outcome.others.iter().enumerate() {
                let machine = plan::machine_for(task, other);
                let story = if index < MAX_SHORTENED {
                    Story::shortest(task.program, &machine, other, sources, &task.budget).map(|(_, story)| story)
                } else {
                    Story::of_counterexample(task.program, &machine, other, sources)
                };
                result.others.push(story.expect("a replayed counterexample should replay again"));
            }
            let is_first = self.update(|known| known.results.iter().all(|(old, _)| !matches!(old, Verdict::Unsafe(_))));
            if let Some(file) = self.args.trace_out.as_deref().filter(|_| is_first) {
                let trace_program = self.trace_program(task.program);
                let version = env!("CARGO_PKG_VERSION");
                let trace = Trace::new(trace_program, counterexample, &task.options.inputs, version)
                    .with_regions(&task.options.atomic_regions);
                output::write_whole(file, trace.to_json().as_bytes())?;
                let line = format!("trace of {}: {}", task.property, file.display());
                self.update(|known| known.files_written.push(line));
            }
        }
        self.update(|known| known.results.push((verdict.clone(), result)));
        Ok(())
    }

    fn trace_program(&self, program: &Program) -> TraceProgram {
        TraceProgram {
            files: self.file_names(),
            data_model: program.data_model.name().to_owned(),
            entry: self.args.load.entry.clone(),
            clang_args: self.args.load.clang_args(),
            libc: self.args.load.libc_name(),
        }
    }

    fn file_names(&self) -> Vec<String> {
        self.update(|known| file_names(&known.files))
    }

    fn cannot_load(&self, diagnostics: &[Diagnostic]) -> Result<Status> {
        load::say(diagnostics);
        self.update(|known| known.diagnostics = diagnostics.iter().map(DiagnosticReport::from).collect());
        let report = self.make_report(Status::BadInput);
        files::write(&self.args.output, &report, &Sources::default(), Status::BadInput)?;
        if self.args.output.format == Format::Json {
            output::deliver(&report.to_json(), self.args.output.output.as_deref())?;
        }
        Ok(Status::BadInput)
    }

    fn make_report(&self, status: Status) -> Report {
        self.update(|known| Report {
            schema: SCHEMA.to_owned(),
            heddle: env!("CARGO_PKG_VERSION").to_owned(),
            files: file_names(&known.files),
            data_model: known.data_model.map(|model| model.name().to_owned()),
            memory_model: self.args.memory_model,
            settings: self.args.keep.settings.as_ref().map(|file| file.display().to_string()),
            verdict: status.answer(),
            results: known.results.iter().map(|(_, result)| result.clone()).collect(),
            diagnostics: known.diagnostics.clone(),
            seconds: self.started.elapsed().as_secs_f64(),
            memory_mb: limits::peak_megabytes(),
        })
    }

    fn report(&self) -> Result<Status> {
        let (worst, status) = self.update(|known| {
            let counts = known.results.iter().filter(|(_, result)| result.baseline != Some(BaselineState::Known));
            let all = known.results.iter().map(|(verdict, _)| verdict);
            (Status::worst(all), Status::worst(counts.map(|(verdict, _)| verdict)))
        });
        let report = self.make_report(worst);
        let to = &self.args.output;
        let sources = self.update(|known| known.sources.clone());
        let written = files::write(to, &report, &sources, status)?;
        self.update(|known| known.files_written.extend(written));
        let text = match to.format {
            Format::Json => report.to_json(),
            Format::Text => {
                let style = output::lane_style(to.color, to.full, to.output.is_some());
                let mut text = report::text(&report, &style);
                for line in self.update(|known| std::mem::take(&mut known.files_written)) {
                    text.push_str(&format!("{line}\n"));
                }
                text + &report::stats(&report, self.args.stats)
            }
        };
        output::deliver(&text, to.output.as_deref())?;
        Ok(status)
    }

    /// Reports the results so far when the run has to be stopped hard.
    fn last_words(&self, stop: Stop) -> Status {
        let seconds = self.started.elapsed().as_secs_f64();
        self.update(|known| {
            let missing: Vec<Property> = self.args.property.0.iter().copied().skip(known.results.len()).collect();
            for property in missing {
                let verdict = Verdict::unknown(Reason::from(stop));
                let result = PropertyReport::new(property, &self.args.engine, &verdict, &Stats::default(), seconds);
                known.results.push((verdict, result));
            }
        });
        self.report().unwrap_or_else(|error| {
            output::complain(&format!("error: {error:#}"));
            Status::BadInput
        })
    }
}

fn file_names(files: &[PathBuf]) -> Vec<String> {
    files.iter().map(|file| file.display().to_string()).collect()
}

fn counted(findings: usize) -> String {
    if findings == 1 {
        "1 finding".to_owned()
    } else {
        format!("{findings} findings")
    }
}
