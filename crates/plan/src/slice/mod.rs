//! Slices: one random run of the reference interpreter, and every other schedule of the same paths
//! ([`engines::slice`]). Windows over the run overlap by half, begin in states of the interpreter ([`snapshot`]) and
//! are processed one after the other, so that memory does not grow with the run. A survey finds possible violations of
//! a window without the solver; then a smaller window around each is examined.
//!
//! Violations are replayed in the interpreter from the beginning of their window. The search goes on after that, and
//! also reports violations of other statements. Other paths are not covered, so the answer is `unsafe` or `unknown`.
//!
//! Where the steps of a suspicion are further apart than the examined size, the whole surveyed window is examined once.
//! Suspicions that are too frequent, still further apart, or too hard for the solver are reported as left out.

mod snapshot;

use base::{Part, Stats};
use check::{Counterexample, Engine, Outcome, Reason, ReasonKind, Services, Task, Verdict};
use clap::Args;
use engines::slice::{Ending, Findings, Observed, Slicer};
use interp::state::State;
use interp::{Machine, Run, RunEnd, Taken, Walk};
use ir::{EdgeId, FunctionId, Move, Property, Schedule, ScheduleStep, Violation};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// Options of slices.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine slice")]
#[group(skip)]
pub struct Options {
    /// The seed of the run.
    #[arg(skip)]
    pub seed: u64,

    /// Examine N neighbouring shared accesses of the run together (more finds more and takes longer)
    #[arg(id = "slice-window", long, value_name = "N", requires = "slice", default_value_t = Options::WINDOW, value_parser = parse_window)]
    pub window: usize,
}

impl Options {
    /// More than this costs much more, and less finds less.
    pub const WINDOW: usize = 160;
}

impl Default for Options {
    fn default() -> Options {
        Options { seed: 0, window: Options::WINDOW }
    }
}

/// The number of accesses that are examined together.
fn parse_window(text: &str) -> Result<usize, String> {
    let number: Option<usize> = text.parse().ok();
    number.filter(|number| (2..=2000).contains(number)).ok_or_else(|| "not a number from 2 to 2000".to_owned())
}

/// The engine: the paths of one random run.
pub(crate) struct Slice;

/// Number of visible steps in a surveyed window: at least `SURVEYED`, and at least `SURVEYED_TIMES` times the examined
/// accesses.
const SURVEYED: usize = 600;
const SURVEYED_TIMES: usize = 3;
/// Maximum number of examinations of suspicions about the same statements.
const MAX_EXAMINED: usize = 10;
/// Maximum duration of an examination.
const MAX_TIME: Duration = Duration::from_secs(10);
/// Maximum number of reported violations.
const MAX_FOUND: usize = 32;
/// Maximum length of a run.
const MAX_STEPS: u64 = 20_000_000;
/// Number of attempts, and of steps in each, for the other threads to come to rest, where some wait for each other.
const TRIES: u64 = 4;
const MAX_REST: u64 = 200_000;
/// Maximum number of reported places where paths were not followed.
const MAX_REASONS: usize = 6;

/// The statements of a suspicion.
type Statements = Vec<(FunctionId, EdgeId)>;

/// Why the suspicions about some statements were not always examined.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum LeftOut {
    Often,
    Far,
    Slow,
}

impl Engine for Slice {
    fn name(&self) -> &'static str {
        "slice"
    }

    fn about(&self) -> &'static str {
        "look at every schedule of the paths of one random run; finds violations in long runs, proves nothing (sc)"
    }

    fn supports(&self, task: &Task<'_>) -> Result<(), Reason> {
        if !task.model.is_sequentially_consistent() {
            let detail = format!("slices are under sc only, not under {}", task.model);
            return Err(Reason::new(ReasonKind::Unsupported, detail));
        }
        if task.property == Property::Atomicity {
            let detail = "the paths of one run are not searched for violations of atomicity";
            return Err(Reason::new(ReasonKind::Unsupported, detail));
        }
        Ok(())
    }

    fn rank(&self, _: &Task<'_>) -> Option<u8> {
        None
    }

    fn run(&self, task: &Task<'_>, _: &dyn Services) -> Outcome {
        let (mut stats, mut others) = (Stats::default(), Vec::new());
        let verdict = match self.supports(task) {
            Ok(()) => Paths(task.options.own()).solve(task, &mut stats, &mut others),
            Err(reason) => Verdict::unknown(reason),
        };
        Outcome { others, ..Outcome::new(verdict, stats) }
    }
}

/// The paths of one run.
struct Paths(Options);

impl Paths {
    fn solve(&self, task: &Task<'_>, stats: &mut Stats, others: &mut Vec<Counterexample>) -> Verdict {
        let machine = Machine::new(task.program, crate::machine_config(task));
        let run = interp::random_run(&machine, self.0.seed, MAX_STEPS, &task.budget, None);
        stats.set("run_steps", run.steps.len() as f64);
        let (mut reasons, mut own) = (Vec::new(), Vec::new());
        match &run.end {
            // Earlier windows may still find more.
            RunEnd::Violation(violation) => own.push(counterexample(task, run.steps.clone(), violation.clone())),
            RunEnd::Stopped(stop) => return Verdict::unknown(Reason::from(*stop)),
            RunEnd::Finished | RunEnd::Deadlocked(_) => {}
            RunEnd::StepLimit => {
                let detail = format!("the run was cut off after {MAX_STEPS} steps");
                reasons.push(Reason::new(ReasonKind::Bound, detail));
            }
            RunEnd::Unmodelled { .. } => {
                reasons.push(Reason::new(ReasonKind::Unmodelled, crate::validate::describe(&run.end)));
            }
            RunEnd::Undefined(_) => {
                reasons.push(Reason::new(ReasonKind::Undefined, crate::validate::describe(&run.end)));
            }
        }
        let mut search = Search::new(task, &machine, &run, self.0.window);
        search.found = own;
        let ended = search.search();
        stats.set("windows", search.windows as f64);
        stats.set("windows_asked", search.asked as f64);
        stats.set("accesses", search.accesses as f64);
        let mut found = std::mem::take(&mut search.found).into_iter();
        if let Some(first) = found.next() {
            others.extend(found);
            return Verdict::Unsafe(Box::new(first));
        }
        if let Err(reason) = ended {
            return Verdict::Unknown([vec![reason], reasons].concat());
        }
        let mut all = vec![self.nothing(&search, &run)];
        all.extend(search.defects.iter().take(1).cloned());
        all.extend(search.left_out());
        all.extend(reasons);
        all.extend(search.stopped.into_iter().take(MAX_REASONS));
        Verdict::Unknown(all)
    }

    fn nothing(&self, search: &Search<'_, '_>, run: &Run) -> Reason {
        let most = self.0.window;
        let within = match search.accesses > most {
            false => String::new(),
            true => format!(" that reorders at most {most} neighbouring accesses"),
        };
        let detail = format!(
            "no violation in any schedule of the paths of this run{within} (seed {}, {} steps, {} shared accesses); nothing \
             is claimed about other paths",
            self.0.seed,
            run.steps.len(),
            search.accesses
        );
        Reason::new(ReasonKind::Slice, detail)
    }
}

/// A window under construction.
struct Pending {
    /// The number of steps of the run before it.
    start: usize,
    state: State,
    accesses: usize,
}

/// The search through the windows of a run.
struct Search<'s, 'p> {
    /// Number of accesses examined with the solver.
    examined: usize,
    task: &'s Task<'p>,
    machine: &'s Machine<'p>,
    run: &'s Run,
    slicer: Slicer,
    /// The steps from `first` on.
    observed: VecDeque<Observed>,
    first: usize,
    pending: VecDeque<Pending>,
    windows: usize,
    asked: usize,
    accesses: usize,
    /// Number of examinations per suspicion.
    tries: BTreeMap<Statements, usize>,
    /// Suspicions that were not always examined.
    left_out: BTreeMap<Statements, LeftOut>,
    found: Vec<Counterexample>,
    stopped: Vec<Reason>,
    defects: Vec<Reason>,
}

impl<'s, 'p> Search<'s, 'p> {
    fn new(task: &'s Task<'p>, machine: &'s Machine<'p>, run: &'s Run, examined: usize) -> Search<'s, 'p> {
        Search {
            examined,
            task,
            machine,
            run,
            slicer: Slicer::new(task.program),
            observed: VecDeque::new(),
            first: 0,
            pending: VecDeque::new(),
            windows: 0,
            asked: 0,
            accesses: 0,
            tries: BTreeMap::new(),
            left_out: BTreeMap::new(),
            found: Vec::new(),
            stopped: Vec::new(),
            defects: Vec::new(),
        }
    }

    fn search(&mut self) -> Result<(), Reason> {
        let mut walk = Walk::new(self.machine);
        for index in 0..self.run.steps.len() {
            if index % 1024 == 0 {
                self.task.budget.check()?;
            }
            self.open(index, &walk);
            let Some(taken) = walk.step(&self.run.steps[index]) else { break };
            if !self.pending.is_empty() {
                self.accesses += usize::from(taken.is_visible);
                self.pending.iter_mut().for_each(|window| window.accesses += usize::from(taken.is_visible));
                self.observed.push_back(observed(taken));
            }
            while self.pending.front().is_some_and(|window| window.accesses >= self.length()) {
                self.close()?;
                if self.found.len() >= MAX_FOUND {
                    return Ok(());
                }
            }
        }
        // Later windows are part of this one.
        self.close()
    }

    /// The number of accesses of a window.
    fn length(&self) -> usize {
        match self.task.property {
            Property::Unreach | Property::Race | Property::Deadlock => SURVEYED.max(SURVEYED_TIMES * self.examined),
            // These cannot be surveyed without the solver.
            Property::Locks | Property::Memory | Property::Atomicity => self.examined,
        }
    }

    /// Begins a window halfway through the last one; the first one as soon as a second thread exists.
    fn open(&mut self, index: usize, walk: &Walk<'_, '_>) {
        let is_due = match self.pending.back() {
            None => walk.state.is_parallel(),
            Some(last) => last.accesses >= self.length() / 2,
        };
        if is_due && walk.is_between() {
            if self.pending.is_empty() {
                self.first = index;
                self.observed.clear();
            }
            self.pending.push_back(Pending { start: index, state: walk.state.clone(), accesses: 0 });
        }
    }

    /// Processes the oldest window.
    fn close(&mut self) -> Result<(), Reason> {
        let Some(window) = self.pending.pop_front() else { return Ok(()) };
        self.windows += 1;
        let skip = window.start - self.first;
        let steps: Vec<Observed> = self.observed.iter().skip(skip).cloned().collect();
        self.look(&window, &steps)?;
        let keep = self.pending.front().map_or(self.observed.len(), |next| next.start - self.first);
        self.observed.drain(..keep);
        self.first += keep;
        Ok(())
    }

    fn look(&mut self, window: &Pending, steps: &[Observed]) -> Result<(), Reason> {
        let snapshot = snapshot::snapshot(self.machine, &window.state);
        let survey = self.slicer.survey(self.task, &snapshot, steps)?;
        for reason in survey.stopped {
            if !self.stopped.contains(&reason) {
                self.stopped.push(reason);
            }
        }
        let mut examined: Vec<(usize, usize)> = Vec::new();
        for suspicion in survey.suspicions {
            let range = (suspicion.first, suspicion.last);
            if examined.iter().any(|(from, to)| *from <= range.0 && range.1 < *to) {
                continue;
            }
            if self.found.iter().any(|known| is_of(&known.violation, &suspicion.statements)) {
                continue;
            }
            examined.extend(self.suspect(window, steps, range, suspicion.statements)?);
        }
        Ok(())
    }

    /// Examines a suspicion. Returns the examined steps.
    fn suspect(
        &mut self,
        window: &Pending,
        steps: &[Observed],
        range: (usize, usize),
        statements: Statements,
    ) -> Result<Option<(usize, usize)>, Reason> {
        let tries = self.tries.entry(statements.clone()).or_default();
        if *tries >= MAX_EXAMINED && !statements.is_empty() {
            self.leave_out(statements, LeftOut::Often);
            return Ok(None);
        }
        let near = around(self.machine, self.run, window, steps, range, self.examined);
        // Steps this far apart are examined once.
        let far = || around(self.machine, self.run, window, steps, range, steps.len());
        let Some((from, state, to)) = near.or_else(|| far().filter(|_| *tries == 0)) else {
            self.leave_out(statements, LeftOut::Far);
            return Ok(None);
        };
        *tries += 1;
        let inner = Pending { start: window.start + from, state, accesses: 0 };
        let budget = self.task.budget.part(Part::AtMost(MAX_TIME));
        let task = Task { budget, ..self.task.clone() };
        match examine(&task, self.machine, self.run, &self.slicer, &inner, &steps[from..to]) {
            Ok(findings) => self.keep(findings),
            Err(reason) => {
                self.task.budget.check()?;
                match reason.kind {
                    ReasonKind::Time => self.leave_out(statements, LeftOut::Slow),
                    _ => return Err(reason),
                }
            }
        }
        Ok(Some((from, to)))
    }

    fn keep(&mut self, findings: Findings) {
        self.asked += usize::from(findings.is_asked);
        for problem in findings.defects {
            let detail = format!("a violation was found that cannot be replayed, a defect of Heddle: {problem}");
            self.defects.push(Reason::new(ReasonKind::Validation, detail));
        }
        for new in findings.counterexamples {
            if !self.found.iter().any(|known| are_alike(&known.violation, &new.violation)) {
                self.found.push(new);
            }
        }
    }

    fn leave_out(&mut self, statements: Statements, why: LeftOut) {
        let known = self.left_out.entry(statements).or_insert(why);
        *known = why.max(*known);
    }

    /// Describes what was not examined.
    fn left_out(&self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for (statements, why) in self.left_out.iter().take(MAX_REASONS) {
            let functions = &self.task.program.functions;
            let mut places: Vec<String> = statements
                .iter()
                .map(|&(function, edge)| self.task.program.place(functions[function].edges[edge].span))
                .collect();
            places.dedup();
            let what = match why {
                LeftOut::Often => format!("examined {MAX_EXAMINED} times, suspected more often"),
                LeftOut::Far => "not examined where it is suspected of steps too far apart".to_owned(),
                LeftOut::Slow => format!("examined for {} s without a result", MAX_TIME.as_secs()),
            };
            let place = places.join(" and ");
            reasons.push(Reason::new(ReasonKind::Bound, format!("what may happen at {place} was {what}")));
        }
        if self.left_out.len() > MAX_REASONS {
            let detail = format!("so were {} others", self.left_out.len() - MAX_REASONS);
            reasons.push(Reason::new(ReasonKind::Bound, detail));
        }
        reasons
    }
}

/// The statements of a violation.
fn statements_of(violation: &Violation) -> Statements {
    let other = violation.other.map(|(_, function, edge)| (function, edge));
    let mut statements: Statements = violation.at.into_iter().chain(other).collect();
    statements.sort_unstable();
    statements
}

/// Whether a violation involves exactly these statements.
fn is_of(violation: &Violation, statements: &Statements) -> bool {
    violation.property() == Property::Race && statements_of(violation) == *statements
}

/// Whether two violations involve the same statements.
fn are_alike(a: &Violation, b: &Violation) -> bool {
    statements_of(a) == statements_of(b) && a.fault == b.fault
}

/// The window to examine for a suspicion: its beginning, the state there, and its end. `None` if the steps are too far
/// apart.
fn around(
    machine: &Machine<'_>,
    run: &Run,
    window: &Pending,
    steps: &[Observed],
    (first, last): (usize, usize),
    most: usize,
) -> Option<(usize, State, usize)> {
    let visible: Vec<usize> =
        steps.iter().enumerate().filter(|(_, step)| step.is_visible).map(|(index, _)| index).collect();
    let (start, end) =
        (visible.partition_point(|&index| index < first), visible.partition_point(|&index| index <= last));
    let room = most.checked_sub(end - start)?;
    // More of what came before than of what comes after, since other threads could interleave with it.
    let start = start.saturating_sub(room * 3 / 4);
    let mut from = if start == 0 { 0 } else { visible[start] };
    let to = visible.get(start + most).map_or(steps.len(), |&index| index);
    let mut walk = Walk::at(machine, window.state.clone());
    for step in &run.steps[window.start..window.start + from] {
        walk.step(step)?;
    }
    while !walk.is_between() && from < first {
        walk.step(&run.steps[window.start + from])?;
        from += 1;
    }
    (walk.is_between() && last < to).then_some((from, walk.state, to))
}

fn examine(
    task: &Task<'_>,
    machine: &Machine<'_>,
    run: &Run,
    slicer: &Slicer,
    window: &Pending,
    steps: &[Observed],
) -> Result<Findings, Reason> {
    let prefix = &run.steps[..window.start];
    let snapshot = snapshot::snapshot(machine, &window.state);
    let mut follow = |moves: &[Move], ending: Ending| {
        let (followed, state) = interp::follow_from(machine, window.state.clone(), moves)?;
        let steps: Vec<ScheduleStep> = [prefix, &followed.steps].concat();
        match (&followed.end, ending) {
            (RunEnd::Violation(violation), _) => Ok(counterexample(task, steps, violation.clone())),
            (RunEnd::StepLimit, Ending::Waits) => rest(task, machine, &state, &steps),
            (end, _) => Err(format!("the run does not end in a violation: {}", crate::validate::describe(end))),
        }
    };
    slicer.examine(task, &snapshot, steps, &mut follow)
}

fn counterexample(task: &Task<'_>, steps: Vec<ScheduleStep>, violation: Violation) -> Counterexample {
    Counterexample { schedule: Schedule { model: task.model, property: task.property, steps }, violation }
}

/// Runs all threads until none can move, some of them waiting for each other already.
fn rest(
    task: &Task<'_>,
    machine: &Machine<'_>,
    state: &State,
    before: &[ScheduleStep],
) -> Result<Counterexample, String> {
    let mut last = String::new();
    for seed in 0..TRIES {
        let run = interp::random_run_from(machine, state.clone(), seed, MAX_REST, &task.budget, None);
        if let RunEnd::Violation(violation) = run.end {
            return Ok(counterexample(task, [before, &run.steps].concat(), violation));
        }
        last = crate::validate::describe(&run.end);
    }
    Err(format!("the other threads do not come to rest: {last}"))
}

fn observed(taken: Taken) -> Observed {
    Observed {
        thread: taken.thread,
        at: (taken.function, taken.edges.into_iter().collect()),
        inputs: taken.inputs,
        makes: taken.makes,
        calls: taken.calls,
        is_continued: taken.is_continued,
        is_visible: taken.is_visible,
    }
}
