//! Follows a violation witness: finds the places it names in the program and directs the interpreter's search along them
//! ([`interp::guided`]). A run that is found passes every waypoint in the order of the segments, in the named thread and with the
//! constraint true where it was evaluated, passes no waypoint to be avoided, and violates the property at the target; callers
//! should replay it.
//!
//! If the constraint of a waypoint to be followed evaluates to false, the run has left the witness. A waypoint whose constraint
//! cannot be evaluated is never passed, and the answer says so.
//!
//! An executed statement (GraphML) is passed at a visible step, or when it is left. Threads run ahead through invisible steps, so
//! lines without visible steps are left out: their turn would be missed.

use super::expression::{self, Expression, Number};
use super::places::{Event, Numbers, Places, Spot};
use super::{Location, Segment, Waypoint, WaypointKind};
use base::Budget;
use interp::guided::{Guide, Guided, Seen};
use interp::state::State;
use interp::{Config, InputDomain, Machine};
use ir::{MemoryModel, Program, Property, ScheduleStep, Violation};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The outcome of following a witness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Followed {
    /// A run along the witness violates the property.
    Violated {
        /// The run.
        steps: Vec<ScheduleStep>,
        /// How it ends.
        violation: Violation,
        /// The values that inputs were chosen from.
        inputs: Vec<i128>,
    },
    /// No run was found, for these reasons.
    Unknown(Vec<String>),
}

/// Looks for a run along a violation witness.
pub fn follow(
    program: &Program,
    places: &Places,
    segments: &[Segment],
    (model, property): (MemoryModel, Property),
    budget: &Budget,
) -> Followed {
    let inputs = input_values(segments);
    let domain = InputDomain { values: inputs.clone(), exclusive: true };
    let machine = Machine::new(
        program,
        Config { model, property, inputs: domain, regions: Vec::new(), race_free: Default::default() },
    );
    let segments = without_empty_lines(segments, places, &machine);
    let mut problems = Vec::new();
    let mut resolved = Vec::new();
    for segment in &segments {
        let own: Vec<Resolved<'_>> = segment
            .iter()
            .filter_map(|waypoint| resolve(places, waypoint).map_err(|problem| problems.push(problem)).ok())
            .collect();
        resolved.push(own);
    }
    if !problems.is_empty() {
        return Followed::Unknown(problems);
    }
    let guide = Along { machine: &machine, places, segments: &resolved, unevaluated: RefCell::default() };
    let found = interp::guided::search(&machine, &guide, budget);
    let hint = |passed: usize| match segments.get(passed) {
        Some(segment) if passed + 1 < segments.len() => {
            let line = segment.last().map_or(0, |waypoint| waypoint.stands_at);
            format!("the runs tried passed {passed} of {} segments; the next is in line {line}", segments.len())
        }
        _ => "runs got to the last segment, but the violation did not happen in its target".to_owned(),
    };
    let reasons = match found {
        Guided::Found { steps, violation } => return Followed::Violated { steps, violation, inputs },
        Guided::Nothing { passed } => vec!["no run along the witness violates the property".to_owned(), hint(passed)],
        Guided::Stopped { stop, passed } => vec![check::Reason::from(stop).detail, hint(passed)],
    };
    let unevaluated = guide.unevaluated.into_inner();
    let cannot = |line: &usize| format!("the constraint in line {line} cannot be evaluated");
    Followed::Unknown(reasons.into_iter().chain(unevaluated.iter().map(cannot)).collect())
}

/// The values of inputs that a witness mentions, and a few more.
fn input_values(segments: &[Segment]) -> Vec<i128> {
    let mut values = vec![0, 1, 2, -1];
    let mut mentioned = Vec::new();
    for waypoint in segments.iter().flatten() {
        if let Some(constraint) = waypoint.constraint.as_deref().and_then(Expression::parse) {
            constraint.constants(&mut mentioned);
        }
    }
    for value in mentioned {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// Drops segments that only execute lines without visible steps; the target stays.
fn without_empty_lines<'w>(segments: &'w [Segment], places: &Places, machine: &Machine<'_>) -> Vec<&'w Segment> {
    let noticeable = places.noticeable(machine);
    let happens = |segment: &Segment| match segment.as_slice() {
        [waypoint] if waypoint.executes && waypoint.constraint.is_none() && waypoint.kind != WaypointKind::Target => {
            let Some(file) = file_of(places, &waypoint.location) else { return true };
            places.statements_in(file, waypoint.location.line).iter().any(|spot| noticeable.contains(spot))
        }
        _ => true,
    };
    segments.iter().filter(|segment| happens(segment)).collect()
}

/// A waypoint whose place was resolved.
struct Resolved<'w> {
    waypoint: &'w Waypoint,
    /// The statement, or the closing parenthesis of a call; if a line is executed, all of its statements.
    spots: Vec<Spot>,
    constraint: Option<Expression>,
    is_understood: bool,
}

fn resolve<'w>(places: &Places, waypoint: &'w Waypoint) -> Result<Resolved<'w>, String> {
    let wrong = |what: &str| {
        let Location { file, line, .. } = &waypoint.location;
        format!("line {}: {what} ({file}:{line})", waypoint.stands_at)
    };
    let file = file_of(places, &waypoint.location).ok_or_else(|| wrong("the program has no such file"))?;
    let text = &places.texts[file];
    let (line, column) = (waypoint.location.line, waypoint.location.column);
    let spots = match waypoint.kind {
        WaypointKind::Assumption | WaypointKind::Branching | WaypointKind::Target if waypoint.executes => {
            let all = places.statements_in(file, line);
            if all.is_empty() {
                return Err(wrong("there is no statement that does anything"));
            }
            all
        }
        WaypointKind::Assumption | WaypointKind::Branching | WaypointKind::Target => {
            let at = text.statement_at(line, column).ok_or_else(|| wrong("there is no statement"))?;
            let spot = Spot { file, at };
            if !places.has_steps(spot) {
                return Err(wrong("there is no statement that does anything"));
            }
            vec![spot]
        }
        WaypointKind::FunctionEnter | WaypointKind::FunctionReturn => {
            places.calls_at(file, line, column).ok_or_else(|| wrong("there is no call"))?
        }
    };
    let constraint = waypoint.constraint.as_deref().filter(|_| waypoint.kind != WaypointKind::Branching);
    let parsed = constraint.and_then(Expression::parse);
    let is_understood = constraint.is_none() || parsed.is_some();
    Ok(Resolved { waypoint, spots, constraint: parsed, is_understood })
}

/// The file of a location: by its name, or by the last component of its path.
pub(crate) fn file_of(places: &Places, location: &Location) -> Option<usize> {
    let last = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
    let exact = places.texts.iter().position(|text| text.name == location.file);
    exact.or_else(|| places.texts.iter().position(|text| last(&text.name) == last(&location.file)))
}

/// The progress of a run along a witness.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Progress {
    segment: usize,
    numbers: Numbers,
}

struct Along<'a, 'p> {
    machine: &'a Machine<'p>,
    places: &'a Places,
    segments: &'a [Vec<Resolved<'a>>],
    /// Lines of constraints that could not be evaluated.
    unevaluated: RefCell<BTreeSet<usize>>,
}

impl Along<'_, '_> {
    /// Whether an event evaluates a waypoint, and whether it passes it.
    fn evaluate(&self, resolved: &Resolved<'_>, event: &Event, numbers: &Numbers, state: &State) -> Option<bool> {
        let waypoint = resolved.waypoint;
        let (thread, is_here) = match (waypoint.kind, event) {
            (WaypointKind::Assumption, Event::Arrive(thread, spot)) => {
                (*thread, !waypoint.executes && resolved.spots.contains(spot))
            }
            (WaypointKind::Assumption, Event::Execute(thread, spot)) => {
                (*thread, waypoint.executes && !waypoint.after && resolved.spots.contains(spot))
            }
            (WaypointKind::Assumption, Event::Leave(thread, spot, _)) => {
                (*thread, waypoint.executes && resolved.spots.contains(spot))
            }
            (WaypointKind::Branching, Event::Leave(thread, spot, to)) => {
                (*thread, resolved.spots.contains(spot) && to.is_some())
            }
            (WaypointKind::FunctionEnter, Event::Enter(thread, call))
            | (WaypointKind::FunctionReturn, Event::Return(thread, call, _)) => {
                (*thread, resolved.spots.contains(call))
            }
            _ => return None,
        };
        if !is_here || waypoint.thread.is_some_and(|wanted| wanted != numbers.of(thread)) {
            return None;
        }
        if let (WaypointKind::Branching, Event::Leave(_, from, Some(to))) = (waypoint.kind, event) {
            return Some(self.branch(waypoint, *from, *to));
        }
        let Some(constraint) = &resolved.constraint else {
            if !resolved.is_understood {
                self.unevaluated.borrow_mut().insert(waypoint.stands_at);
            }
            return Some(resolved.is_understood);
        };
        let value_of = |name: Option<&str>| match (name, event) {
            (Some(name), _) => expression::variable(self.machine, state, thread, name),
            (None, Event::Return(_, _, Some(value))) => expression::number(*value, self.width(*value)),
            // An unused result may have been anything.
            (None, Event::Return(_, _, None)) => Some(Number::Any),
            (None, _) => None,
        };
        let holds = constraint.holds(&value_of);
        if holds.is_none() {
            self.unevaluated.borrow_mut().insert(waypoint.stands_at);
        }
        Some(holds.unwrap_or(false))
    }

    /// Processes an event; `None` if the run leaves the witness.
    fn pass(&self, mut progress: Progress, event: &Event, state: &State) -> Option<Progress> {
        let segment = self.segments.get(progress.segment).map_or(&[][..], Vec::as_slice);
        let mut passes = false;
        for waypoint in segment {
            match (self.evaluate(waypoint, event, &progress.numbers, state), waypoint.waypoint.avoid) {
                (Some(true), true) | (Some(false), false) => return None,
                (Some(true), false) => passes = true,
                (Some(false), true) | (None, _) => {}
            }
        }
        progress.segment += usize::from(passes);
        Some(progress)
    }

    /// The width of a result is not recorded: that of `int` unless the value is larger.
    fn width(&self, value: interp::value::Value) -> u16 {
        match value {
            interp::value::Value::Int(bits) if bits >> 64 != 0 => 128,
            interp::value::Value::Int(bits) if bits >> 32 != 0 => 64,
            _ => 32,
        }
    }

    /// Whether a control statement was left for its first substatement exactly if the constraint says so.
    fn branch(&self, waypoint: &Waypoint, from: Spot, to: Spot) -> bool {
        let body = self.places.texts[from.file].body_of(from.at).map(|at| Spot { at, ..from });
        let is_taken = body == Some(to);
        let is_clear = body.is_some_and(|body| self.places.has_steps(body));
        match waypoint.constraint.as_deref().map(str::trim) {
            Some("true" | "1") if is_clear => is_taken,
            Some("false" | "0") if is_clear => !is_taken,
            _ => {
                self.unevaluated.borrow_mut().insert(waypoint.stands_at);
                false
            }
        }
    }
}

impl Guide for Along<'_, '_> {
    type Progress = Progress;

    fn start(&self) -> Progress {
        Progress { segment: 0, numbers: Numbers::new() }
    }

    fn advance(&self, progress: &Progress, seen: &Seen<'_>) -> Option<Progress> {
        let mut progress = progress.clone();
        progress.numbers.note(seen.before, seen.after);
        if let Some(spot) = self.places.beginning(self.machine, seen.before, seen.thread, seen.at) {
            let event = Event::Arrive(seen.thread, spot);
            progress = self.pass(progress, &event, seen.before)?;
        }
        if let Some(spot) = self.places.executed(self.machine, seen.before, seen.thread, seen.at) {
            progress = self.pass(progress, &Event::Execute(seen.thread, spot), seen.before)?;
        }
        for event in self.places.events(self.machine, (seen.before, seen.after), seen.thread, seen.at) {
            progress = self.pass(progress, &event, seen.after)?;
        }
        Some(progress)
    }

    fn passed(&self, progress: &Progress) -> usize {
        progress.segment
    }

    fn waits_for(&self, progress: &Progress, thread: u32) -> bool {
        let Some(segment) = self.segments.get(progress.segment) else { return false };
        let number = progress.numbers.of(thread);
        segment.iter().any(|waypoint| !waypoint.waypoint.avoid && waypoint.waypoint.thread == Some(number))
    }

    fn is_within(&self, progress: &Progress, state: &State, thread: u32) -> bool {
        if self.places.is_within(self.machine, state, thread) {
            return true;
        }
        // A thread that executes a line may continue with it, and with invisible steps.
        let Some(before) = progress.segment.checked_sub(1) else { return false };
        let Some(at) = self.machine.next_at(state, thread) else { return false };
        let number = progress.numbers.of(thread);
        let is_line = |resolved: &Resolved<'_>, spot: &Spot| {
            let is_file = resolved.spots.first().is_some_and(|own| own.file == spot.file);
            resolved.spots.contains(spot) || (is_file && resolved.waypoint.location.line == spot.at.0)
        };
        self.segments[before].iter().filter(|resolved| resolved.waypoint.executes).any(|resolved| {
            let is_own = resolved.waypoint.thread.is_none_or(|wanted| wanted == number);
            let executed = self.places.executed(self.machine, state, thread, at);
            executed.is_none_or(|spot| is_own && is_line(resolved, &spot))
        })
    }

    fn accepts(&self, progress: &Progress, steps: &[ScheduleStep], violation: &Violation) -> bool {
        if progress.segment + 1 != self.segments.len() {
            return false;
        }
        let Some(ends) = super::violation::ends(self.machine, self.places, steps, violation) else { return false };
        let last = &self.segments[progress.segment];
        let targets: Vec<&Resolved<'_>> =
            last.iter().filter(|waypoint| waypoint.waypoint.kind == WaypointKind::Target).collect();
        let is_hit = |target: &Resolved<'_>, (thread, spot): &(u32, Spot)| {
            target.spots.contains(spot) && target.waypoint.thread.is_none_or(|wanted| wanted == *thread)
        };
        match (targets.as_slice(), ends.as_slice()) {
            ([target], ends) => ends.iter().any(|end| is_hit(target, end)),
            ([a, b], [one, other]) => (is_hit(a, one) && is_hit(b, other)) || (is_hit(a, other) && is_hit(b, one)),
            _ => false,
        }
    }
}
