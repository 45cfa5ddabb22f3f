//! From a run to the waypoints of a violation witness.
//!
//! The run is replayed. Its visible steps form stretches of one thread each. At the end of a stretch the thread reaches
//! a statement, which becomes a waypoint: so the order of the waypoints is the order of the stretches. A thread may be
//! stopped inside a statement, which the format cannot express; then the waypoint is the beginning of the statement,
//! and a validator has to find the rest. A statement that a thread reaches several times before is named as often.
//! Values of inputs are waypoints too. The last segment has the statement of the violation as its target, and both
//! statements of a race.
//!
//! A path (GraphML) has an edge for every step that is visible, starts a thread or gets an input.

use super::places::{Edge, Event, Numbers, Places, Spot};
use super::{Location, Segment, Waypoint, WaypointKind};
use interp::value::Value;
use interp::{Machine, Walk};
use ir::{FunctionId, LocalId, ScheduleStep, Stmt, Violation};
use std::collections::BTreeMap;

/// The threads, as witnesses number them, and the statements of the violation: those of both accesses of a race.
pub(crate) fn ends(
    machine: &Machine<'_>,
    places: &Places,
    steps: &[ScheduleStep],
    violation: &Violation,
) -> Option<Vec<(u32, Spot)>> {
    let run = Run::of(machine, places, steps);
    run.ends(violation)
}

/// An item of one thread, in program order.
#[derive(Clone, Debug)]
enum Item {
    /// It reached a statement.
    Arrival(Spot),
    /// An input got a value, if it was ever asked for, at the end of a call of a function.
    Input(Spot, String, Option<String>),
    /// A variable without a value got one.
    Guess(String, String),
    /// It took a visible step: the stretch that contains it.
    Notice(usize),
}

/// A replayed run.
struct Run {
    /// The items of each thread, by its number in witnesses.
    threads: BTreeMap<u32, Vec<Item>>,
    /// The threads of the stretches.
    stretches: Vec<u32>,
    /// Its steps.
    sites: Vec<Site>,
}

/// A step of a run.
struct Site {
    /// The interpreter's number of the thread.
    thread: u32,
    /// Its number in witnesses.
    number: u32,
    /// The executed edge.
    at: Edge,
    /// The user's statement.
    spot: Option<Spot>,
    /// Whether it is visible to other threads.
    is_visible: bool,
    /// The thread that it started, and its function.
    creates: Option<(u32, String)>,
    /// The index of the thread's item for the input that it got.
    input: Option<usize>,
}

impl Run {
    fn of(machine: &Machine<'_>, places: &Places, steps: &[ScheduleStep]) -> Run {
        let mut run = Run { threads: BTreeMap::new(), stretches: Vec::new(), sites: Vec::new() };
        let mut numbers = Numbers::new();
        let mut walk = Walk::new(machine);
        // Inputs get their values at their first use: maps a variable of a call to the item of its input.
        let mut open: BTreeMap<(u32, usize, FunctionId, LocalId), usize> = BTreeMap::new();
        for step in steps {
            let before = walk.state.clone();
            let Some(at) = machine.next_at(&before, step.thread) else { continue };
            let number = numbers.of(step.thread);
            let spot = places.users_statement(machine, &before, step.thread, at);
            let thread = step.thread;
            let mut site = Site { thread, number, at, spot, is_visible: true, creates: None, input: None };
            if let Some(spot) = places.beginning(machine, &before, step.thread, at) {
                run.threads.entry(number).or_default().push(Item::Arrival(spot));
            }
            let Some(taken) = walk.step(step) else {
                // The last step is visible.
                run.notice(number);
                run.sites.push(site);
                break;
            };
            let depth = before.find_thread(u64::from(step.thread)).map_or(0, |thread| thread.frames.len());
            let havoc = match machine.program.functions[at.0].edges[at.1].stmt {
                Stmt::Havoc { dst, .. } => Some(dst),
                _ => None,
            };
            for (local, value) in taken.inputs.iter().filter(|_| havoc.is_none()) {
                run.resolve(machine, number, open.get(&(number, depth, at.0, *local)), (at.0, *local), *value);
            }
            if let Some(child) = numbers.note(&before, &walk.state) {
                let function =
                    taken.calls.map_or(String::new(), |function| machine.program.functions[function].name.clone());
                site.creates = Some((child, function));
            }
            site.is_visible = taken.is_visible;
            if taken.is_visible {
                run.notice(number);
            }
            for event in places.events(machine, (&before, &walk.state), step.thread, at) {
                match event {
                    Event::Arrive(thread, spot) => {
                        run.threads.entry(numbers.of(thread)).or_default().push(Item::Arrival(spot));
                    }
                    Event::Return(_, call, value) => {
                        let Some(dst) = havoc else { continue };
                        let given = taken.inputs.first().map(|(_, bits)| Value::Int(*bits));
                        let items = run.threads.entry(number).or_default();
                        let item = input(places, call, value.or(given), width(machine, at));
                        site.input = item.is_some().then_some(items.len());
                        open.extend(site.input.map(|index| ((number, depth, at.0, dst), index)));
                        items.extend(item);
                    }
                    Event::Execute(..) | Event::Leave(..) | Event::Enter(..) => {}
                }
            }
            run.sites.push(site);
        }
        run
    }

    /// A variable gets its value: an earlier input, or an undefined value.
    fn resolve(
        &mut self,
        machine: &Machine<'_>,
        number: u32,
        input: Option<&usize>,
        (function, local): (FunctionId, LocalId),
        value: u128,
    ) {
        let variable = &machine.program.functions[function].locals[local];
        let ir::Type::Int(width) = variable.ty else { return };
        let items = self.threads.entry(number).or_default();
        match input.and_then(|index| items.get_mut(*index)) {
            Some(Item::Input(_, name, given)) => *given = Some(number_text(name, value, width)),
            _ => items.push(Item::Guess(variable.name.clone(), signed(value, width).to_string())),
        }
    }

    fn notice(&mut self, number: u32) {
        if self.stretches.last() != Some(&number) {
            self.stretches.push(number);
        }
        let item = Item::Notice(self.stretches.len() - 1);
        self.threads.entry(number).or_default().push(item);
    }

    fn ends(&self, violation: &Violation) -> Option<Vec<(u32, Spot)>> {
        let (last, before) = self.sites.split_last()?;
        let mut ends = vec![(last.number, last.spot?)];
        if let Some((thread, function, edge)) = violation.other {
            let other = before.iter().rev().find(|site| site.thread == thread && site.at == (function, edge))?;
            ends.push((other.number, other.spot?));
        }
        Some(ends)
    }
}

fn width(machine: &Machine<'_>, (function, edge): Edge) -> u16 {
    let code = &machine.program.functions[function];
    match &code.edges[edge].stmt {
        Stmt::Havoc { dst, .. } => match code.locals[*dst].ty {
            ir::Type::Int(width) => width,
            _ => machine.program.data_model.pointer_width(),
        },
        _ => 32,
    }
}

fn signed(bits: u128, width: u16) -> i128 {
    if width < 128 && bits >> (width - 1) & 1 == 1 {
        bits as i128 - (1 << width)
    } else {
        bits as i128
    }
}

/// The input that a call gave.
fn input(places: &Places, call: Spot, value: Option<Value>, width: u16) -> Option<Item> {
    let text = &places.texts[call.file];
    let function = text.word_at(call.at).filter(|name| name.starts_with(NONDET))?;
    let given = match value {
        Some(Value::Int(bits)) => Some(number_text(function, bits, width)),
        Some(_) | None => None,
    };
    Some(Item::Input(places.end_of_call(call)?, function.to_owned(), given))
}

/// The prefix of the names of functions that give inputs; the type follows.
const NONDET: &str = "__VERIFIER_nondet_";

/// A result, written as a number of the function's type.
fn number_text(function: &str, bits: u128, width: u16) -> String {
    let name = function.strip_prefix(NONDET).unwrap_or(function);
    let is_unsigned = name.starts_with('u') || matches!(name, "bool" | "_Bool" | "size_t" | "pointer");
    if is_unsigned {
        bits.to_string()
    } else {
        signed(bits, width).to_string()
    }
}

/// The segments of a violation witness for a run; the error says why there are none.
pub fn waypoints(
    machine: &Machine<'_>,
    places: &Places,
    steps: &[ScheduleStep],
    violation: &Violation,
) -> Result<Vec<Segment>, String> {
    let run = Run::of(machine, places, steps);
    let ends = run.ends(violation).ok_or(NOWHERE)?;
    let mut segments: Vec<Segment> = Vec::new();
    let add = |waymark: Waymark| {
        let (kind, thread, spot, constraint) = match waymark {
            Waymark::Arrival { thread, spot, guess } => {
                let constraint = guess.map_or("1".to_owned(), |(name, value)| format!("{name} == {value}"));
                (WaypointKind::Assumption, thread, spot, constraint)
            }
            Waymark::Input { thread, call, value } => {
                (WaypointKind::FunctionReturn, thread, call, format!("\\result == {value}"))
            }
        };
        segments.push(vec![point(places, kind, thread, spot, Some(constraint))]);
    };
    tell_all(places, &run, &ends, add);
    let targets = ends.iter().map(|(thread, spot)| point(places, WaypointKind::Target, *thread, *spot, None));
    segments.push(targets.collect());
    Ok(segments)
}

/// An edge of a witness in GraphML.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hint {
    /// The line, if a statement is executed.
    pub line: Option<u32>,
    /// The thread.
    pub thread: u32,
    /// The thread that it creates.
    pub creates: Option<u32>,
    /// The function that it enters.
    pub enters: Option<String>,
    /// The function that gave an input, and the value.
    pub input: Option<(String, String)>,
}

/// A path to a violation.
pub type Path = Vec<Hint>;

/// The path of a violation witness for a run; the error says why there is none.
pub fn path(
    machine: &Machine<'_>,
    places: &Places,
    steps: &[ScheduleStep],
    violation: &Violation,
) -> Result<Path, String> {
    let run = Run::of(machine, places, steps);
    let ends = run.ends(violation).ok_or(NOWHERE)?;
    let none = Hint { line: None, thread: 0, creates: None, enters: None, input: None };
    let mut path = vec![Hint { enters: Some("main".to_owned()), ..none.clone() }];
    let (_, before) = run.sites.split_last().ok_or(NOWHERE)?;
    for site in before {
        let thread = site.number;
        let base = Hint { thread, ..none.clone() };
        if let Some(Item::Input(call, function, Some(value))) = site.input.map(|index| &run.threads[&thread][index]) {
            path.push(Hint { line: Some(call.at.0), input: Some((function.clone(), value.clone())), ..base.clone() });
        }
        let Some(spot) = site.spot.filter(|_| site.is_visible || site.creates.is_some()) else { continue };
        add_line(&mut path, Hint { line: Some(spot.at.0), ..base });
        if let (Some((child, function)), Some(edge)) = (&site.creates, path.last_mut()) {
            edge.creates = Some(*child);
            path.push(Hint { thread: *child, enters: Some(function.clone()), ..none.clone() });
        }
    }
    let (thread, spot) = ends[0];
    add_line(&mut path, Hint { line: Some(spot.at.0), thread, ..none });
    Ok(path)
}

/// Adds an edge, unless the previous one has the same thread and line: a path cannot tell how much of the line is
/// executed.
fn add_line(path: &mut Path, hint: Hint) {
    if path.last().is_none_or(|last| (last.thread, last.line) != (hint.thread, hint.line)) {
        path.push(hint);
    }
}

const NOWHERE: &str = "the violation is in no statement of the program's files";

/// An item of a witness.
enum Waymark {
    /// A thread reaches a statement, where a variable without a value turns out to have one.
    Arrival { thread: u32, spot: Spot, guess: Option<(String, String)> },
    /// A thread gets an input: the closing parenthesis of the call, the value.
    Input { thread: u32, call: Spot, value: String },
}

/// The items for a run, in order.
fn tell_all(places: &Places, run: &Run, ends: &[(u32, Spot)], add: impl FnMut(Waymark)) {
    let mut writer = Writer { places, run, next: BTreeMap::new(), add };
    let count = run.stretches.len();
    for (stretch, thread) in run.stretches.iter().enumerate().take(count.saturating_sub(1)) {
        // A thread that takes part in a race and does nothing more waits before its access.
        let waits_at = ends.get(1).filter(|(other, _)| other == thread).map(|(_, spot)| *spot);
        let is_last = !run.stretches[stretch + 1..].contains(thread);
        writer.stretch(*thread, stretch, waits_at.filter(|_| is_last));
    }
    if let Some(thread) = run.stretches.last() {
        writer.rest(*thread);
    }
}

struct Writer<'a, F> {
    places: &'a Places,
    run: &'a Run,
    /// The next item of each thread.
    next: BTreeMap<u32, usize>,
    add: F,
}

impl<F: FnMut(Waymark)> Writer<'_, F> {
    /// The items of a thread until the end of a stretch, and the statement it reaches then.
    fn stretch(&mut self, thread: u32, stretch: usize, waits_at: Option<Spot>) {
        let items = &self.run.threads[&thread];
        let from = self.next.get(&thread).copied().unwrap_or(0);
        let last = items.iter().rposition(|item| matches!(item, Item::Notice(own) if *own == stretch));
        let Some(last) = last.filter(|last| *last >= from) else { return };
        let is_arrival = |index: &usize| matches!(items[*index], Item::Arrival(_));
        let before = || (from..=last).rev().find(is_arrival);
        let behind =
            || (last + 1..items.len()).take_while(|index| !matches!(items[*index], Item::Notice(_))).find(is_arrival);
        let waits = |index: &usize| matches!(items[*index], Item::Arrival(own) if Some(own) == waits_at);
        let goal = match waits_at {
            Some(_) => (from..=last).rev().find(waits),
            None => behind().or_else(before),
        };
        let end = goal.map_or(last + 1, |goal| goal + 1);
        self.tell(thread, from, end, goal);
    }

    /// The remaining items of a thread that a witness needs.
    fn rest(&mut self, thread: u32) {
        let from = self.next.get(&thread).copied().unwrap_or(0);
        let end = self.run.threads.get(&thread).map_or(0, Vec::len);
        self.tell(thread, from, end, None);
    }

    /// Adds inputs, the arrival at `goal`, and arrivals at statements in which a variable turns out to have a value;
    /// and every earlier arrival at the same statement, which would be mistaken for it.
    fn tell(&mut self, thread: u32, from: usize, end: usize, goal: Option<usize>) {
        let run = self.run;
        let Some(items) = run.threads.get(&thread) else { return };
        let end = end.max(from).min(items.len());
        let arrival_before = |index: usize| (from..index).rev().find(|index| matches!(items[*index], Item::Arrival(_)));
        let mut wanted: BTreeMap<usize, Option<(String, String)>> = goal.into_iter().map(|goal| (goal, None)).collect();
        for (index, item) in items.iter().enumerate().take(end).skip(from) {
            if let Item::Guess(name, value) = item {
                if self.is_users(name) {
                    let at = arrival_before(index);
                    wanted.extend(at.map(|at| (at, Some((name.clone(), value.clone())))));
                }
            }
        }
        for index in from..end {
            match &items[index] {
                Item::Arrival(spot) => {
                    let next = wanted.range(index..).next();
                    let is_same = |at: &usize| matches!(&items[*at], Item::Arrival(own) if own == spot);
                    if let Some((at, guess)) = next.filter(|(at, _)| is_same(at)) {
                        let guess = guess.clone().filter(|_| *at == index);
                        (self.add)(Waymark::Arrival { thread, spot: *spot, guess });
                    }
                }
                Item::Input(_, _, None) => {}
                Item::Input(call, _, Some(value)) => {
                    (self.add)(Waymark::Input { thread, call: *call, value: value.clone() });
                }
                Item::Guess(..) | Item::Notice(_) => {}
            }
        }
        self.next.insert(thread, end);
    }

    /// Whether the name of a variable comes from the source.
    fn is_users(&self, name: &str) -> bool {
        self.places.texts.iter().any(|text| text.tokens.iter().any(|token| token.text == name))
    }
}

fn point(places: &Places, kind: WaypointKind, thread: u32, spot: Spot, constraint: Option<String>) -> Waypoint {
    let text = &places.texts[spot.file];
    let location = Location {
        file: text.name.clone(),
        line: spot.at.0,
        column: Some(spot.at.1),
        function: text.function_at(spot.at).map(str::to_owned),
    };
    Waypoint {
        kind,
        avoid: false,
        location,
        constraint,
        thread: Some(thread),
        after: false,
        executes: false,
        stands_at: 0,
    }
}
