//! The analysis (algorithm 1 of the paper): every thread alone, under the messages from the stores of the others, up to
//! a fixpoint. Instead of whole rounds, only new facts are combined: a new state at a load with all messages of the
//! location, a new message with all states at loads of it.
//!
//! An assumption that turns out wrong ([`Lessons`]) restarts the analysis without it.

use crate::domains::Bits;
use crate::domains::{EventId, Numeric, Var};
use crate::liveness::{liveness, Liveness};
use crate::priori::graph::{Builder, NodeId};
use crate::priori::interference::{self, OrderLevel, Reader};
use crate::priori::narrowing::Found;
use crate::priori::races::Accesses;
use crate::priori::slots::{Merging, Slots};
use crate::priori::state::State;
use crate::priori::world::{Lessons, Thread, World};
use base::Stop;
use check::{Reason, ReasonKind, Task};
use ir::analysis::{ContextId, Escape, PointsTo};
use ir::{EdgeId, Expr, FunctionId, LocId, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// The precision of an analysis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    pub(super) orders: OrderLevel,
    pub(super) merging: Merging,
    /// Number of loop iterations that are distinguished.
    pub(super) unroll: u8,
    /// Maximum number of steps.
    pub(super) most_steps: u64,
}

/// The variable that holds the result of an ended thread.
pub(super) const RESULT: Var = Var(0);

/// An alarm: an assertion that may fail, or two accesses that may race.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Alarm {
    /// The assertion, if any.
    pub(super) assertion: Option<(FunctionId, EdgeId)>,
    pub(super) place: String,
    pub(super) message: String,
    /// The values that cannot be ruled out, for people.
    pub(super) values: String,
    /// The two accesses, if any.
    pub(super) accesses: Option<[(FunctionId, EdgeId); 2]>,
}

/// The live variables after each location of a function.
type Live = Rc<Liveness>;

/// A state at a node that reads.
type Listener = (u32, NodeId, usize);

/// The end of an object's life, which other threads may not have observed.
pub(super) struct Kill {
    pub(super) object: u32,
    pub(super) thread: u32,
    pub(super) node: NodeId,
    pub(super) edge: EdgeId,
    pub(super) ended: Bits,
}

/// A new fact for listeners.
enum News {
    Message { cell: usize, event: EventId, index: usize },
    End { thread: u32, index: usize },
}

/// The state of an analysis.
pub(super) struct Analysis<'a, D> {
    pub(super) task: &'a Task<'a>,
    pub(super) world: World<'a>,
    pub(super) level: Level,
    pub(super) thresholds: Vec<i128>,
    pub(super) nodes: FxHashMap<(u32, NodeId), Slots<D>>,
    pub(super) messages: FxHashMap<(usize, EventId), Slots<D>>,
    /// The stores to each cell that left messages, in order of discovery.
    pub(super) stores: FxHashMap<usize, Vec<EventId>>,
    /// During narrowing: the previous results.
    pub(super) found: Option<Found<D>>,
    /// Stores that pass on only their value.
    pub(super) quiet: FxHashSet<(usize, EventId)>,
    listeners: FxHashMap<usize, Vec<Listener>>,
    pub(super) ends: FxHashMap<u32, Slots<D>>,
    joiners: FxHashMap<u32, Vec<Listener>>,
    /// The threads started with a number.
    pub(super) started: FxHashMap<u32, Vec<u32>>,
    /// Priority: threads before those that started them, which usually wait for them; within a thread, in reverse
    /// post-order.
    queue: BTreeSet<(Reverse<u32>, u32, NodeId, usize)>,
    news: VecDeque<News>,
    pub(super) pending: Vec<(u32, NodeId, State<D>)>,
    pub(super) alarms: BTreeSet<Alarm>,
    pub(super) reasons: BTreeSet<Reason>,
    /// Assumptions about the program that do not hold.
    pub(super) assumed: BTreeSet<Reason>,
    /// The seq_cst accesses that weaker ones may be mixed with, under `ra`.
    pub(super) seq_cst: BTreeSet<(ir::FunctionId, ir::EdgeId)>,
    /// Whether one of them was reached.
    pub(super) has_seq_cst: bool,
    live: FxHashMap<FunctionId, Live>,
    /// Which threads access which objects.
    pub(super) accesses: FxHashSet<(u32, u32)>,
    /// Accesses to shared memory, if races are in question.
    pub(super) accessed: Accesses,
    pub(super) kills: BTreeMap<(u32, u32, NodeId), Kill>,
    /// The joins of each number.
    pub(super) joins: FxHashMap<u32, Vec<(u32, NodeId)>>,
    pub(super) has_detached: bool,
    pub(super) widened: bool,
    /// Whether states are kept at every place, for reports.
    pub(super) keeps_all: bool,
    /// Whether the fixpoint has been reached.
    pub(super) is_complete: bool,
    pub(super) steps: u64,
    pub(super) combinations: u64,
    /// Number of times that a thread was processed, at first or because of new facts.
    pub(super) iterations: u64,
    /// Number of narrowing rounds.
    pub(super) narrowings: u64,
}

/// Maximum number of places that start threads; past it the analysis gives up.
const MAX_THREADS: usize = 512;

impl<'a, D: Numeric> Analysis<'a, D> {
    pub(super) fn new(
        task: &'a Task<'a>,
        points_to: &'a PointsTo,
        escape: &'a Escape,
        level: Level,
        lessons: Lessons,
    ) -> Analysis<'a, D> {
        Analysis {
            task,
            world: World::new(task.program, points_to, escape, lessons),
            level,
            thresholds: thresholds(task),
            nodes: FxHashMap::default(),
            messages: FxHashMap::default(),
            stores: FxHashMap::default(),
            found: None,
            quiet: FxHashSet::default(),
            listeners: FxHashMap::default(),
            ends: FxHashMap::default(),
            joiners: FxHashMap::default(),
            started: FxHashMap::default(),
            queue: BTreeSet::new(),
            news: VecDeque::new(),
            pending: Vec::new(),
            alarms: BTreeSet::new(),
            reasons: BTreeSet::new(),
            assumed: BTreeSet::new(),
            seq_cst: match task.model.strengthens_atomics() {
                true => ir::analysis::concurrent_seq_cst(task.program),
                false => BTreeSet::new(),
            },
            has_seq_cst: false,
            live: FxHashMap::default(),
            accesses: FxHashSet::default(),
            accessed: Accesses::new(),
            kills: BTreeMap::new(),
            joins: FxHashMap::default(),
            has_detached: false,
            widened: false,
            keeps_all: false,
            is_complete: false,
            steps: 0,
            combinations: 0,
            iterations: 0,
            narrowings: 0,
        }
    }

    /// Runs to the fixpoint, or until something makes an answer impossible.
    pub(super) fn run(&mut self) -> Result<(), Stop> {
        let entry = self.world.points_to.entry();
        if let Err(reason) = self.add_thread(entry, None, 0, false) {
            self.reasons.insert(reason);
            return Ok(());
        }
        let node = self.world.threads[0].graph.entry;
        self.pending.push((0, node, State::start()));
        let mut last = None;
        loop {
            self.flush()?;
            if self.steps > self.level.most_steps {
                return Ok(());
            }
            if !self.reasons.is_empty() {
                return Ok(());
            }
            if let Some(news) = self.news.pop_front() {
                self.announce(&news)?;
            } else if let Some((thread, _, node, index)) = self.queue.pop_first() {
                self.iterations += u64::from(last != Some(thread));
                last = Some(thread);
                self.process(thread.0, node, index);
            } else {
                break;
            }
        }
        if self.is_about_races() {
            self.check_races()?;
        }
        if self.widened && !self.is_about_races() {
            self.narrow()?;
        }
        self.check_lifetimes();
        self.check_numbers();
        self.is_complete = true;
        Ok(())
    }

    fn poll(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps.is_multiple_of(256) {
            self.task.budget.check()?;
        }
        Ok(())
    }

    /// Propagates states to nodes where they are kept.
    pub(super) fn flush(&mut self) -> Result<(), Stop> {
        while let Some((thread, node, state)) = self.pending.pop() {
            self.poll()?;
            let item = &self.world.threads[thread as usize].graph.nodes[node as usize];
            if item.is_kept || self.keeps_all {
                self.keep(thread, node, state);
            } else {
                for arc in item.out.clone() {
                    self.step(thread, node, arc, &state, None);
                }
            }
            if !self.reasons.is_empty() {
                self.pending.clear();
            }
        }
        Ok(())
    }

    /// How states are merged: nothing is widened during narrowing.
    fn merging(&self) -> Merging {
        let delay = if self.found.is_some() { u32::MAX } else { self.level.merging.delay };
        Merging { delay, ..self.level.merging }
    }

    fn keep(&mut self, thread: u32, node: NodeId, mut state: State<D>) {
        self.trim(thread, node, &mut state);
        let graph = &self.world.threads[thread as usize].graph;
        let (is_loop, rank) = (graph.on_cycle[node as usize], graph.rank[node as usize]);
        let merging = self.merging();
        let slots = self.nodes.entry((thread, node)).or_default();
        let added = slots.insert(state, &mut self.world, &merging, &self.thresholds, is_loop, &mut self.widened);
        if let (Some(index), None) = (added, &self.found) {
            self.queue.insert((Reverse(thread), rank, node, index));
        }
    }

    /// Forgets dead variables.
    pub(super) fn trim(&mut self, thread: u32, node: NodeId, state: &mut State<D>) {
        let graph = &self.world.threads[thread as usize].graph;
        let item = &graph.nodes[node as usize];
        // From the innermost frame outwards: the range of its variables and the live ones.
        let mut frames: Vec<(u32, u32, Live, LocId)> = Vec::new();
        let mut current = Some((item.frame, item.loc));
        while let Some((frame, loc)) = current {
            let info = &graph.frames[frame as usize];
            let function = &self.task.program.functions[info.function];
            let live = self.live.entry(info.function).or_insert_with(|| Rc::new(liveness(function)));
            frames.push((info.base, info.base + function.locals.len() as u32, Rc::clone(live), loc));
            current = info.caller.map(|(caller, call)| {
                let calling = &self.task.program.functions[graph.frames[caller as usize].function];
                (caller, calling.edges[call].to)
            });
        }
        // Variables in no frame are cells: variables of other frames were dropped when those were left.
        state.retain(&mut |var| {
            let in_frame = frames.iter().find(|(base, end, _, _)| (*base..*end).contains(&var.0));
            in_frame.is_none_or(|(base, _, live, loc)| live[*loc].contains((var.0 - base) as usize))
        });
    }

    fn process(&mut self, thread: u32, node: NodeId, index: usize) {
        let Some(state) = self.nodes.get(&(thread, node)).and_then(|slots| slots.get(index).cloned()) else { return };
        let arcs = self.world.threads[thread as usize].graph.nodes[node as usize].out.clone();
        for arc in arcs {
            self.step(thread, node, arc, &state, Some(index));
        }
    }

    /// Notifies listeners.
    fn announce(&mut self, news: &News) -> Result<(), Stop> {
        match news {
            News::Message { cell, event, index } => {
                for (thread, node, listener) in self.listeners.get(cell).cloned().unwrap_or_default() {
                    self.poll()?;
                    let state = self.nodes.get(&(thread, node)).and_then(|slots| slots.get(listener).cloned());
                    let message = self.messages.get(&(*cell, *event)).and_then(|slots| slots.get(*index).cloned());
                    if let (Some(state), Some(message)) = (state, message) {
                        self.deliver(thread, node, &state, *cell, *event, &message);
                    }
                }
            }
            News::End { thread, index } => {
                let number = self.world.threads[*thread as usize].number;
                for (waiter, node, listener) in self.joiners.get(&number).cloned().unwrap_or_default() {
                    self.poll()?;
                    let state = self.nodes.get(&(waiter, node)).and_then(|slots| slots.get(listener).cloned());
                    let end = self.ends.get(thread).and_then(|slots| slots.get(*index).cloned());
                    if let (Some(state), Some(end)) = (state, end) {
                        self.deliver_end(waiter, node, &state, *thread, &end);
                    }
                }
            }
        }
        Ok(())
    }

    /// A state at a node reads from a cell: now, and whenever there is a new message.
    pub(super) fn listen(
        &mut self,
        thread: u32,
        node: NodeId,
        (state, index): (&State<D>, Option<usize>),
        cell: usize,
    ) {
        if let Some(index) = index.filter(|_| self.found.is_none()) {
            self.listeners.entry(cell).or_default().push((thread, node, index));
        }
        let (stores, messages) = match &self.found {
            Some(found) => (&found.stores, &found.messages),
            None => (&self.stores, &self.messages),
        };
        let mut all: Vec<(EventId, Rc<State<D>>)> = Vec::new();
        for event in stores.get(&cell).into_iter().flatten() {
            all.extend(messages[&(cell, *event)].iter().map(|(_, message)| (*event, Rc::clone(message))));
        }
        for (event, message) in all {
            self.deliver(thread, node, state, cell, event, &message);
        }
    }

    fn deliver(
        &mut self,
        thread: u32,
        node: NodeId,
        state: &State<D>,
        cell: usize,
        event: EventId,
        message: &State<D>,
    ) {
        let reader = Reader { thread, node };
        if !interference::may_read(&self.world, reader, state, cell, event) {
            return;
        }
        self.combinations += 1;
        let arcs = self.world.threads[thread as usize].graph.nodes[node as usize].out.clone();
        for arc in arcs {
            let acquires = self.acquires(thread, node, arc, cell);
            if acquires && !self.quiet.contains(&(cell, event)) {
                let through = Some((cell, event));
                let combined =
                    interference::combine(&mut self.world, reader, state, message, through, self.level.orders);
                for combined in combined {
                    self.after_read(thread, node, arc, combined, cell, true);
                }
            } else if let Some(read) = self.read_quietly(state, message, cell, event) {
                self.after_read(thread, node, arc, read, cell, false);
            }
        }
    }

    /// A read that learns only the value.
    fn read_quietly(&mut self, state: &State<D>, message: &State<D>, cell: usize, event: EventId) -> Option<State<D>> {
        let mut read = state.clone();
        let order = {
            let events = crate::priori::world::CellEvents { world: &self.world, cell };
            let own = state.order(&self.world, cell);
            if self.is_about_races() {
                own.append_unknown(event, &events)?
            } else {
                own.append(event, &events)?
            }
        };
        read.set_order(cell, order.without_updates());
        let var = self.world.cells[cell].var;
        let value = message.cell(&mut self.world, cell);
        let value = if self.world.cells[cell].is_flat { value.join(&state.cell(&mut self.world, cell)) } else { value };
        read.set(var, value);
        Some(read)
    }

    /// Publishes the message of a store.
    pub(super) fn publish(&mut self, thread: u32, cell: usize, event: EventId, state: &State<D>) {
        let message = interference::published(&self.world, thread, state);
        if !self.messages.contains_key(&(cell, event)) {
            self.stores.entry(cell).or_default().push(event);
        }
        let merging = self.merging();
        let slots = self.messages.entry((cell, event)).or_default();
        let added = slots.insert(message, &mut self.world, &merging, &self.thresholds, false, &mut self.widened);
        if let (Some(index), None) = (added, &self.found) {
            self.news.push_back(News::Message { cell, event, index });
        }
    }

    /// Publishes the end of a thread in a state that holds its result in [`RESULT`].
    pub(super) fn publish_end(&mut self, thread: u32, state: &State<D>) {
        let result = state.get(RESULT);
        let mut message = interference::published(&self.world, thread, state);
        let number = self.world.threads[thread as usize].number;
        message.set(RESULT, interference::as_seen_by_others(&result, number));
        let merging = self.merging();
        let slots = self.ends.entry(thread).or_default();
        let added = slots.insert(message, &mut self.world, &merging, &self.thresholds, false, &mut self.widened);
        if let (Some(index), None) = (added, &self.found) {
            self.news.push_back(News::End { thread, index });
        }
    }

    /// A state waits for the end of the threads with a number.
    pub(super) fn wait_for(
        &mut self,
        thread: u32,
        node: NodeId,
        (state, index): (&State<D>, Option<usize>),
        number: u32,
    ) {
        if let Some(index) = index.filter(|_| self.found.is_none()) {
            self.joiners.entry(number).or_default().push((thread, node, index));
        }
        for child in self.started.get(&number).cloned().unwrap_or_default() {
            let ends = match &self.found {
                Some(found) => &found.ends,
                None => &self.ends,
            };
            let ends: Vec<Rc<State<D>>> =
                ends.get(&child).into_iter().flat_map(Slots::iter).map(|(_, end)| Rc::clone(end)).collect();
            for end in ends {
                self.deliver_end(thread, node, state, child, &end);
            }
        }
    }

    fn deliver_end(&mut self, thread: u32, node: NodeId, state: &State<D>, child: u32, message: &State<D>) {
        self.combinations += 1;
        let result = message.get(RESULT);
        let mut message = message.clone();
        message.retain(&mut |var| var != RESULT);
        let reader = Reader { thread, node };
        if self.world.is_unstarted(child, thread, node) {
            return;
        }
        if state.ended.contains(child as usize) {
            if let Some(arc) = self.world.threads[thread as usize].graph.nodes[node as usize].out.first() {
                let (edge, detail) = (arc.edge, "a join of a thread that may not exist any more");
                self.gap(ReasonKind::Unmodelled, detail, thread, node, edge);
            }
            return;
        }
        let (_, _, is_repeated) = self.world.numbers[self.world.threads[child as usize].number as usize];
        let is_one = !self.world.threads[child as usize].is_many && !is_repeated;
        let arcs = self.world.threads[thread as usize].graph.nodes[node as usize].out.clone();
        for mut learnt in interference::combine(&mut self.world, reader, state, &message, None, self.level.orders) {
            if is_one {
                learnt.ended.insert(child as usize);
            }
            for arc in &arcs {
                self.after_join(thread, node, *arc, learnt.clone(), result.clone());
            }
        }
    }

    /// Adds a thread, and returns its index.
    pub(super) fn add_thread(
        &mut self,
        context: ContextId,
        parent: Option<(u32, NodeId)>,
        number: u32,
        is_many: bool,
    ) -> Result<u32, Reason> {
        if self.world.threads.len() >= MAX_THREADS {
            return Err(Reason::new(ReasonKind::Bound, format!("more than {MAX_THREADS} places start threads")));
        }
        let mut builder = Builder {
            program: self.task.program,
            points_to: self.world.points_to,
            model: self.task.model,
            unroll: self.level.unroll,
            budget: &self.task.budget,
            next_var: &mut self.world.next_var,
        };
        let graph = builder.build(context)?;
        self.world.threads.push(Thread { graph, parent, number, is_many });
        Ok(self.world.threads.len() as u32 - 1)
    }

    /// Records why no answer is possible.
    pub(super) fn gap(&mut self, kind: ReasonKind, detail: impl Into<String>, thread: u32, node: NodeId, edge: EdgeId) {
        let place = self.world.place(thread, node, edge);
        self.reasons.insert(Reason::new(kind, detail).at(place));
    }

    /// Checks that shared objects read by a thread are alive.
    fn check_lifetimes(&mut self) {
        let kills: Vec<Kill> = std::mem::take(&mut self.kills).into_values().collect();
        for kill in kills {
            let mut users: Vec<u32> =
                self.accesses.iter().filter(|(object, _)| *object == kill.object).map(|(_, thread)| *thread).collect();
            users.sort_unstable();
            let is_danger = |user: &u32| {
                let is_other = *user != kill.thread || self.world.threads[*user as usize].is_many;
                is_other
                    && !kill.ended.contains(*user as usize)
                    && !self.world.is_unstarted(*user, kill.thread, kill.node)
            };
            if users.iter().any(is_danger) {
                let name = self.world.objects[kill.object as usize].name.clone();
                let detail = format!("{name} may be accessed by another thread after its lifetime");
                self.gap(ReasonKind::Undefined, detail, kill.thread, kill.node, kill.edge);
            }
        }
    }

    /// Checks that thread numbers assumed to be distinct are not reused.
    fn check_numbers(&mut self) {
        let mut pairs: Vec<(u32, u32, u32)> = self.world.distinct.iter().copied().collect();
        pairs.sort_unstable();
        for (_, one, other) in pairs {
            let may_reuse = |old: u32, new: u32| {
                let (maker, made, _) = self.world.numbers[new as usize];
                self.joins.get(&old).into_iter().flatten().any(|(thread, node)| {
                    *thread != maker || self.world.threads[maker as usize].graph.reaches(*node, made)
                })
            };
            if one != other && (self.has_detached || may_reuse(one, other) || may_reuse(other, one)) {
                let detail = "numbers of threads may be used again and compared";
                self.reasons.insert(Reason::new(ReasonKind::Unsupported, detail));
            }
        }
    }

    pub(super) fn states(&self) -> usize {
        let nodes: usize = self.nodes.values().map(|slots| slots.alive).sum();
        nodes + self.messages.values().map(|slots| slots.alive).sum::<usize>()
    }

    pub(super) fn statement(&self, thread: u32, node: NodeId, edge: EdgeId) -> &'a Stmt {
        let graph = &self.world.threads[thread as usize].graph;
        let frame = &graph.frames[graph.nodes[node as usize].frame as usize];
        &self.task.program.functions[frame.function].edges[edge].stmt
    }
}

/// Widening thresholds: the numbers that the program mentions, and their neighbours.
fn thresholds(task: &Task<'_>) -> Vec<i128> {
    let mut all: BTreeSet<i128> = BTreeSet::from([-1, 0, 1]);
    for function in task.program.functions.iter() {
        for edge in function.edges.iter() {
            for expr in edge.stmt.exprs() {
                expr.for_each(&mut |part| {
                    if let Expr::Int { width, value } = part {
                        if (2..=64).contains(width) {
                            let value = ir::arith::signed(*width, *value);
                            all.extend([value - 1, value, value + 1]);
                        }
                    }
                });
            }
        }
    }
    all.into_iter().collect()
}
