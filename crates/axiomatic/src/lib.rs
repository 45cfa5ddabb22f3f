//! The candidate executions of a small program, filtered by the axioms of a memory model: a second, independent semantics,
//! against which the interpreter is checked. This crate does not depend on `interp`, so the two share the core form and
//! nothing else.
//!
//! An execution is a graph of events: reads-from (rf), and for each location the order of its writes (co). All graphs are
//! built, event by event: writes and fences as soon as their thread reaches them, at every place in co; reads from every write
//! that exists. That misses none: under each model po ∪ rf has no cycle (it follows from the axioms), so every execution can
//! be built in an order in which writes come before their readers. Each part of an execution that is closed under po and rf is
//! itself an execution of the model (the axioms only forbid cycles), so a graph is dropped as soon as it violates an axiom.
//! [`axioms`] defines these, [`thread`] the local steps of a thread and the events of its statements.
//!
//! Outcomes are compared ([`Outcome`]): `Finished`, the bytes of all global objects when all threads have ended (the last
//! write of each location in co, over the initial contents); `Failed`, the edge of an assertion of property `unreach` that
//! failed, whatever the other threads have done by then; `Stuck`, the edges at which threads wait when no thread can move, not
//! even by a spurious wake-up. A run that a false assumption ends has no outcome. Objects that hold pointers or undefined
//! bytes at any time in any execution are not compared; `Outcomes::observed` says which are.
//!
//! Unsupported: threads created or joined by another than the first thread, or created after one that ended holding a
//! lock; detached threads, a process that ends before all threads are joined, cells that overlap or are accessed with
//! different sizes, ranges of bytes, `free`, waiting inside an atomic region, undefined values and large inputs that are
//! used, anything that depends on addresses, more than 128 events. Loops are followed without a bound; endless ones are
//! unsupported too. An access by another thread than the owner of an object does not check that the object is alive.

mod axioms;
mod graph;
mod thread;
mod value;

use base::{Budget, Id, Stop};
use graph::{Barrier, Event, Graph, Location};
use ir::{EdgeId, FunctionId, Initial, MemoryModel, ObjectId, ObjectKind, Program, Symbol};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use thread::{Access, Allocated, Kind, Reached, Status, Task, Thread};
use value::{Home, Pointer, Value};

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// The program uses a feature that the enumerator does not support.
    Unsupported(String),
    /// The budget was used up.
    Stopped(Stop),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Unsupported(what) => write!(f, "{what} is not supported by the enumerator"),
            Failure::Stopped(stop) => write!(f, "the enumerator was stopped: {stop:?}"),
        }
    }
}

impl std::error::Error for Failure {}

fn unsupported<T>(what: &str) -> Result<T, Failure> {
    Err(Failure::Unsupported(what.to_owned()))
}

/// How an execution can end.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// This assertion failed.
    Failed((FunctionId, EdgeId)),
    /// Some threads wait forever, at these statements (in order), and all others have ended.
    Stuck(Vec<(FunctionId, EdgeId)>),
    /// All threads have ended; these are the contents of the objects observed.
    Finished(Vec<(ObjectId, Vec<u8>)>),
}

/// All outcomes of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcomes {
    /// The objects whose contents are compared: all global ones that never hold pointers or undefined bytes.
    pub observed: Vec<ObjectId>,
    /// All ways in which executions end.
    pub outcomes: BTreeSet<Outcome>,
    /// The number of graphs examined, complete or not.
    pub graphs: u64,
}

/// Enumerates the executions of a program under a memory model.
pub fn outcomes(program: &Program, model: MemoryModel, budget: &Budget) -> Result<Outcomes, Failure> {
    let mut search = Search {
        program,
        model,
        cells: BTreeMap::new(),
        unobserved: initially_unobserved(program),
        outcomes: BTreeSet::new(),
    };
    let mut main = Thread::new(1);
    main.status = Status::Running;
    main.frames.push(thread::frame(program, program.entry, &[]));
    let mut open = search.saturate(Graph::new(main))?;
    let mut seen: FxHashSet<Box<[u32]>> = FxHashSet::default();
    let mut graphs = 0u64;
    while let Some(graph) = open.pop() {
        if !seen.insert(graph.key()) {
            continue;
        }
        if graphs.is_multiple_of(256) {
            budget.check().map_err(Failure::Stopped)?;
        }
        graphs += 1;
        search.record(&graph)?;
        for thread in 0..graph.threads.len() {
            for next in search.moves(&graph, thread)? {
                open.extend(search.saturate(next)?);
            }
        }
    }
    Ok(search.finish(graphs))
}

/// The global objects whose contents cannot be compared from the start.
fn initially_unobserved(program: &Program) -> BTreeSet<ObjectId> {
    let is_plain = |initial: &Initial| matches!(initial, Initial::Bytes { relocations, .. } if relocations.is_empty());
    program.objects.enumerate().filter(|(_, object)| !is_plain(&object.initial)).map(|(id, _)| id).collect()
}

struct Search<'p> {
    program: &'p Program,
    model: MemoryModel,
    /// The cells accessed in any graph: no two of them overlap.
    cells: BTreeMap<(Home, bool), BTreeMap<u64, u64>>,
    unobserved: BTreeSet<ObjectId>,
    /// The outcomes, with the contents of all global objects, observed or not.
    outcomes: BTreeSet<Outcome>,
}

impl<'p> Search<'p> {
    /// Advances every thread until it reads or waits. A choice gives several graphs.
    fn saturate(&mut self, graph: Graph<'p>) -> Result<Vec<Graph<'p>>, Failure> {
        let (mut open, mut saturated) = (vec![graph], Vec::new());
        while let Some(mut graph) = open.pop() {
            match self.advance(&mut graph)? {
                Some(choice) => open.extend(choice),
                None => saturated.push(graph),
            }
        }
        Ok(saturated)
    }

    /// Advances threads until there is a choice; returns the alternatives, if any.
    fn advance(&mut self, graph: &mut Graph<'p>) -> Result<Option<Vec<Graph<'p>>>, Failure> {
        let mut own = 0;
        while own < graph.threads.len() {
            match graph.threads[own].run(self.program, self.model, own)? {
                Reached::Nothing => own += 1,
                Reached::Choice(choice) => return Ok(Some(split(graph, own, choice))),
                Reached::Task => {
                    let task = graph.threads[own].queue.front().expect("a thread that reached a task should have it");
                    if self.is_waiting(graph, task) {
                        own += 1;
                        continue;
                    }
                    let task = graph.threads[own].queue.pop_front().expect("the task was just looked at");
                    let is_end = matches!(task, Task::End(_));
                    if let Some(choice) = self.perform(graph, own, task)? {
                        return Ok(Some(choice));
                    }
                    if is_end {
                        // The first thread may have waited for it.
                        own = 0;
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether a task is a move of its own: it reads, begins a region, or has to wait.
    fn is_waiting(&self, graph: &Graph<'p>, task: &Task<'p>) -> bool {
        match task {
            Task::Access(access) => !matches!(access.kind, Kind::Store { .. }),
            Task::Begin { region } => *region,
            Task::Join { number, .. } => {
                let ended = |thread: &Thread<'_>| matches!(thread.status, Status::Ended(_));
                !find(graph, *number).is_none_or(|child| ended(&graph.threads[child]))
            }
            Task::Fence(_)
            | Task::Set(..)
            | Task::NewThread(_)
            | Task::Spawn { .. }
            | Task::Finish
            | Task::End(_)
            | Task::Exit
            | Task::GoOn(_) => false,
        }
    }

    /// Performs a task that reads nothing; returns the graphs to choose from if there are several, or none is
    /// consistent.
    fn perform(
        &mut self,
        graph: &mut Graph<'p>,
        own: usize,
        task: Task<'p>,
    ) -> Result<Option<Vec<Graph<'p>>>, Failure> {
        match task {
            Task::Access(access) => return self.write(graph, own, &access).map(Some),
            Task::Fence(barrier) => drop(self.add(graph, own, None, barrier)?),
            Task::Set(local, value) => graph.threads[own].top().locals[local.index()] = value,
            Task::NewThread(dst) => {
                if own != 0 {
                    return unsupported("a thread created by another than the first");
                }
                let is_used = |number: &u32| {
                    graph.threads.iter().any(|thread| thread.number == *number && thread.joined.is_none())
                };
                let number = (1..).find(|number| !is_used(number)).expect("some number should be free");
                let is_named =
                    |location: &Location| graph.last_value(*location) == Some(Value::Int(u128::from(number)));
                let was_used = graph.threads.iter().any(|thread| thread.number == number);
                if was_used && graph.order.keys().any(|location| location.is_ghost() && is_named(location)) {
                    return unsupported("a thread created after one that ended holding a lock");
                }
                graph.threads.push(Thread::new(number));
                graph.threads[own].top().locals[dst.index()] = Value::Int(u128::from(number));
            }
            Task::Spawn { number, function, args } => {
                let Some(child) = find(graph, number).filter(|child| graph.threads[*child].status == Status::Reserved)
                else {
                    return unsupported("a spawn of a thread that was not made for it");
                };
                let event = self.add(graph, own, None, Barrier::Full)?;
                let child = &mut graph.threads[child];
                child.status = Status::Running;
                child.spawned = Some(event);
                child.frames.push(thread::frame(self.program, function, &args));
            }
            Task::Join { number, dst } => self.join(graph, own, number, dst)?,
            Task::Begin { region } => begin(graph, own, region),
            Task::Finish => {
                let thread = &mut graph.threads[own];
                thread.depth = thread.depth.saturating_sub(1);
            }
            Task::End(result) => {
                if graph.threads[own].depth > 0 {
                    return unsupported("a thread that ends in an atomic region");
                }
                self.add(graph, own, None, Barrier::Full)?;
                let thread = &mut graph.threads[own];
                thread.status = Status::Ended(result);
                thread.queue.clear();
            }
            Task::Exit => {
                if graph.threads.iter().enumerate().any(|(index, thread)| index != own && thread.joined.is_none()) {
                    return unsupported("a process that ends before all threads are joined");
                }
                graph.threads[own].status = Status::Exited;
                graph.threads[own].queue.clear();
            }
            Task::GoOn(loc) => graph.threads[own].top().loc = loc,
        }
        Ok(None)
    }

    fn join(
        &mut self,
        graph: &mut Graph<'p>,
        own: usize,
        number: u128,
        dst: Option<ir::LocalId>,
    ) -> Result<(), Failure> {
        if own != 0 || graph.threads[own].depth > 0 {
            return unsupported("a join by another than the first thread, or in an atomic region");
        }
        let Some((child, Status::Ended(result))) =
            find(graph, number).map(|child| (child, graph.threads[child].status))
        else {
            return unsupported("a join of a thread that does not exist");
        };
        graph.threads[child].joined = Some(self.add(graph, own, None, Barrier::Full)?);
        if let Some(dst) = dst {
            graph.threads[own].top().locals[dst.index()] = result;
        }
        Ok(())
    }

    /// Adds a write at every place in modification order.
    fn write(&mut self, graph: &mut Graph<'p>, own: usize, access: &Access<'p>) -> Result<Vec<Graph<'p>>, Failure> {
        let Kind::Store { value } = access.kind else { unreachable!("only a store writes without reading") };
        let event = self.access(graph, own, access, Some(value))?;
        let places = graph.order[&access.location].len();
        let mut consistent = Vec::new();
        for place in 1..=places {
            let before = graph.order[&access.location][place - 1];
            if graph.is_taken(before) {
                continue;
            }
            let mut next = graph.clone();
            insert(&mut next, access.location, place, event);
            if axioms::is_consistent(&next, self.model) {
                consistent.push(next);
            }
        }
        Ok(consistent)
    }

    /// The graphs in which a waiting thread has made its next move.
    fn moves(&mut self, graph: &Graph<'p>, own: usize) -> Result<Vec<Graph<'p>>, Failure> {
        match graph.threads[own].queue.front() {
            Some(Task::Access(access)) => {
                let access = access.clone();
                self.reads(graph, own, &access)
            }
            Some(Task::Begin { region }) => {
                let mut next = graph.clone();
                let thread = &mut next.threads[own];
                thread.queue.pop_front();
                // No event records the beginning of a region.
                thread.picks.push(u32::MAX);
                begin(&mut next, own, *region);
                Ok(vec![next])
            }
            Some(_) | None => Ok(vec![]),
        }
    }

    /// Adds a read of every write it can read.
    fn reads(&mut self, graph: &Graph<'p>, own: usize, access: &Access<'p>) -> Result<Vec<Graph<'p>>, Failure> {
        if graph.threads[own].depth > 0 && matches!(access.kind, Kind::Lock | Kind::Await { .. }) {
            return unsupported("waiting in an atomic region");
        }
        let mut base = graph.clone();
        base.threads[own].queue.pop_front();
        self.touch(&mut base, access.location)?;
        let mut consistent = Vec::new();
        for (place, write) in base.order[&access.location].iter().enumerate() {
            let value = base.events[*write].writes.expect("a location's writes should write");
            let effect = match value {
                Value::Undefined => None,
                value => match base.threads[own].effect(self.program, own, &access.kind, value)? {
                    None => continue,
                    some => some,
                },
            };
            let writes = effect.as_ref().and_then(|effect| effect.writes);
            if writes.is_some() && base.is_taken(*write) {
                continue;
            }
            let mut next = base.clone();
            let event = self.access(&mut next, own, access, writes)?;
            next.events[event].reads_from = Some(*write);
            if writes.is_some() {
                insert(&mut next, access.location, place + 1, event);
            }
            if !axioms::is_consistent(&next, self.model) {
                continue;
            }
            let Some(effect) = effect else { return unsupported("a read of undefined memory") };
            let locals = &mut next.threads[own].top().locals;
            effect.sets.iter().for_each(|(local, value)| locals[local.index()] = *value);
            consistent.push(next);
        }
        Ok(consistent)
    }

    /// Adds an event at the end of a thread.
    fn add(
        &self,
        graph: &mut Graph<'p>,
        own: usize,
        location: Option<Location>,
        barrier: Barrier,
    ) -> Result<usize, Failure> {
        if graph.events.len() >= axioms::MAX_EVENTS {
            return unsupported("an execution of so many events");
        }
        let thread = &mut graph.threads[own];
        let event = Event {
            thread: Some(own),
            index: thread.events.len(),
            location,
            reads_from: None,
            writes: None,
            buffered: false,
            barrier,
            acquires: false,
            releases: false,
            group: (thread.depth > 0).then_some(thread.groups),
        };
        thread.events.push(graph.events.len());
        graph.events.push(event);
        Ok(graph.events.len() - 1)
    }

    /// Adds the event of an access, not yet in modification order.
    fn access(
        &mut self,
        graph: &mut Graph<'p>,
        own: usize,
        access: &Access<'p>,
        writes: Option<Value>,
    ) -> Result<usize, Failure> {
        self.touch(graph, access.location)?;
        if let (Location::Cell { home: Home::Static(id), ghost: false, .. }, Some(value)) = (access.location, writes) {
            if self.program.objects[id].kind == ObjectKind::Constant {
                return unsupported("a write of a constant");
            }
            if !matches!(value, Value::Int(_)) {
                self.unobserved.insert(id);
            }
        }
        let index = self.add(graph, own, Some(access.location), access.barrier)?;
        let event = &mut graph.events[index];
        event.writes = writes;
        event.buffered = matches!(access.kind, Kind::Store { .. }) && !access.location.is_ghost();
        event.acquires = access.order.acquires();
        event.releases = access.order.releases();
        Ok(index)
    }

    /// Checks that a location can be accessed and gives it its initial write.
    fn touch(&mut self, graph: &mut Graph<'p>, location: Location) -> Result<(), Failure> {
        let writes = Some(match location {
            Location::Fences => Value::Int(0),
            Location::Cell { home, ghost, offset, len } => {
                self.check_cell(graph, home, ghost, offset, len)?;
                if graph.order.contains_key(&location) {
                    return Ok(());
                }
                self.initial(graph, home, ghost, offset, len)?
            }
        });
        if graph.order.contains_key(&location) {
            return Ok(());
        }
        if graph.events.len() >= axioms::MAX_EVENTS {
            return unsupported("an execution of so many events");
        }
        graph.order.insert(location, vec![graph.events.len()]);
        graph.events.push(Event {
            thread: None,
            index: 0,
            location: Some(location),
            reads_from: None,
            writes,
            buffered: false,
            barrier: Barrier::None,
            acquires: false,
            releases: false,
            group: None,
        });
        Ok(())
    }

    /// Checks that a cell lies in its object and does not overlap another cell.
    fn check_cell(&mut self, graph: &Graph<'p>, home: Home, ghost: bool, offset: u64, len: u64) -> Result<(), Failure> {
        let (size, live) = match home {
            Home::Static(id) | Home::ThreadLocal(_, id) => (self.program.objects[id].size, true),
            Home::Allocated(thread, index) => {
                let Allocated { size, live, .. } = graph.threads[thread].allocated[index];
                (size, live)
            }
        };
        let size = if ghost { ir::ghost_size(size) } else { size };
        if !live || offset.checked_add(len).is_none_or(|end| end > size) {
            return unsupported("an access outside an object");
        }
        let cells = self.cells.entry((home, ghost)).or_default();
        let before = cells.range(..offset).next_back().is_some_and(|(other, len)| other + len > offset);
        let after = cells.range(offset..offset + len).any(|other| other != (&offset, &len));
        if before || after {
            return unsupported("memory accessed with different sizes");
        }
        cells.insert(offset, len);
        Ok(())
    }

    /// The initial contents of a cell.
    fn initial(&self, graph: &Graph<'p>, home: Home, ghost: bool, offset: u64, len: u64) -> Result<Value, Failure> {
        if ghost {
            return Ok(Value::Int(0));
        }
        let id = match home {
            Home::Static(id) | Home::ThreadLocal(_, id) => id,
            Home::Allocated(thread, index) => {
                let zeroed = graph.threads[thread].allocated[index].zeroed;
                return Ok(if zeroed { Value::Int(0) } else { Value::Undefined });
            }
        };
        let Initial::Bytes { bytes, relocations } = &self.program.objects[id].initial else {
            return Ok(Value::Undefined);
        };
        let pointer_bytes = self.program.data_model.pointer_bytes();
        let overlaps = |at: u64| at < offset + len && offset < at + pointer_bytes;
        if let Some(relocation) = relocations.iter().find(|relocation| overlaps(relocation.at)) {
            return match relocation.symbol {
                _ if relocation.at != offset || len != pointer_bytes => unsupported("a part of a pointer"),
                Symbol::Object(object) => {
                    let home = Home::Static(object);
                    Ok(Value::Pointer(Pointer { home, ghost: false, offset: relocation.offset }))
                }
                Symbol::Function(function) => Ok(Value::Function(function)),
            };
        }
        let byte = |index: u64| u128::from(bytes.get((offset + index) as usize).copied().unwrap_or(0));
        Ok(Value::Int((0..len).fold(0, |value, index| value | byte(index) << (8 * index))))
    }

    /// Records how an execution that contains this graph can end.
    fn record(&mut self, graph: &Graph<'p>) -> Result<(), Failure> {
        for (own, thread) in graph.threads.iter().enumerate() {
            // While another thread is inside a region or a statement, this one cannot move; that will end.
            let others = graph.threads.iter().enumerate().filter(|(other, _)| *other != own);
            if let Status::Failed(at) = thread.status {
                if others.into_iter().all(|(_, other)| other.depth == 0) {
                    self.outcomes.insert(Outcome::Failed(at));
                }
            }
        }
        let mut waiting = Vec::new();
        for (own, thread) in graph.threads.iter().enumerate() {
            match thread.status {
                Status::Reserved | Status::Ended(_) | Status::Exited => {}
                Status::Failed(_) | Status::Stopped => return Ok(()),
                Status::Running if self.is_blocked(graph, own)? => waiting.extend(thread.at(self.program)),
                Status::Running => return Ok(()),
            }
        }
        waiting.sort_unstable();
        self.outcomes.insert(if waiting.is_empty() {
            Outcome::Finished(self.finals(graph))
        } else {
            Outcome::Stuck(waiting)
        });
        Ok(())
    }

    /// Whether a thread is blocked unless another thread moves.
    fn is_blocked(&self, graph: &Graph<'p>, own: usize) -> Result<bool, Failure> {
        match graph.threads[own].queue.front() {
            // A join that is possible is performed at once.
            Some(Task::Join { .. }) => Ok(true),
            Some(Task::Access(access)) if matches!(access.kind, Kind::Lock | Kind::Await { spurious: None, .. }) => {
                let last = graph.last_value(access.location).unwrap_or(Value::Int(0));
                Ok(graph.threads[own].effect(self.program, own, &access.kind, last)?.is_none())
            }
            Some(_) | None => Ok(false),
        }
    }

    /// The final bytes of all global objects; wrong for those that hold anything but numbers.
    fn finals(&self, graph: &Graph<'p>) -> Vec<(ObjectId, Vec<u8>)> {
        let mut finals = BTreeMap::new();
        for (id, object) in self.program.objects.enumerate().filter(|(_, object)| object.kind == ObjectKind::Global) {
            let mut contents = match &object.initial {
                Initial::Bytes { bytes, .. } => bytes.clone(),
                Initial::Arbitrary => Vec::new(),
            };
            contents.resize(object.size as usize, 0);
            finals.insert(id, contents);
        }
        for (location, writes) in &graph.order {
            let Location::Cell { home: Home::Static(id), ghost: false, offset, len } = *location else { continue };
            let last = writes.last().and_then(|write| graph.events[*write].writes);
            if let (Some(contents), Some(Value::Int(value))) = (finals.get_mut(&id), last) {
                let range = offset as usize..(offset + len) as usize;
                contents[range].copy_from_slice(&value.to_le_bytes()[..len as usize]);
            }
        }
        finals.into_iter().collect()
    }

    fn finish(self, graphs: u64) -> Outcomes {
        let observed: Vec<ObjectId> = self
            .program
            .objects
            .enumerate()
            .filter(|(id, object)| object.kind == ObjectKind::Global && !self.unobserved.contains(id))
            .map(|(id, _)| id)
            .collect();
        let outcomes = self.outcomes.into_iter().map(|outcome| match outcome {
            Outcome::Finished(mut finals) => {
                finals.retain(|(id, _)| observed.contains(id));
                Outcome::Finished(finals)
            }
            Outcome::Failed(_) | Outcome::Stuck(_) => outcome,
        });
        Outcomes { outcomes: outcomes.collect(), observed, graphs }
    }
}

/// The thread with a number that has not been joined.
fn find(graph: &Graph<'_>, number: u128) -> Option<usize> {
    graph.threads.iter().position(|thread| u128::from(thread.number) == number && thread.joined.is_none())
}

/// Puts a write at a place in the modification order of its location.
fn insert(graph: &mut Graph<'_>, location: Location, place: usize, event: usize) {
    let writes = graph.order.get_mut(&location).expect("a location that is written should have an initial write");
    writes.insert(place, event);
}

/// A thread begins an atomic region or a statement of several events.
fn begin(graph: &mut Graph<'_>, own: usize, region: bool) {
    graph.has_regions |= region;
    let thread = &mut graph.threads[own];
    thread.groups += u32::from(thread.depth == 0);
    thread.depth += 1;
}

/// The graphs for each choice of a thread.
fn split<'p>(graph: &Graph<'p>, own: usize, choice: Vec<Vec<Task<'p>>>) -> Vec<Graph<'p>> {
    let chosen = |(pick, tasks): (usize, Vec<Task<'p>>)| {
        let mut next = graph.clone();
        next.threads[own].picks.push(pick as u32);
        next.threads[own].queue.extend(tasks);
        next
    };
    choice.into_iter().enumerate().map(chosen).collect()
}
