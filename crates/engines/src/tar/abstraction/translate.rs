//! Translates programs to automata: explores control points, and merges the statements of a thread between two of them
//! into one step.
//!
//! A step begins with a visible or observing statement: an access to shared memory, a lock operation, a start or a
//! join. The following thread-local statements belong to the same step, up to the next such statement or the head of a
//! loop. That is equivalent to stopping after each statement: thread-local statements commute with the steps of other
//! threads, never block, and terminate. Two exceptions: a standalone `assume` ends the run if it fails, and a thread
//! may wait for ever for something of its own. After a write, which others can see before that, these begin a step of
//! their own. Inside atomic regions nothing ends a step (except under `race`, where regions are treated as
//! interruptible).
//!
//! Memory is divided into cells by how it is accessed; an object that is accessed in different ways, or at variable
//! offsets, is opaque: reads of it return anything. Where an offset should be constant, the variables it depends on are
//! tracked explicitly as far as they are constants, and the translation restarts.
//!
//! Uses of unsupported features (heap memory, stack memory that other threads reach, pointers from shared memory,
//! floating-point arithmetic, recursion beyond a bound) become faults with their position: they must be proved
//! unreachable like violations.

use super::control::{Base, Cell, Control, Frame, Object, SiteId, Slot, Status, Value};
use super::meetings::{self, Handles};
use super::model::{is_conflict, is_exempt, Access, At, Fault, Model, NodeId, Start, Step, TemplateId};
use crate::symbolic::{self, visibility, Evaluator, Executor, Halt, Visibility};
use base::{Budget, Id, IdVec, Stop};
use check::{Reason, ReasonKind};
use indexmap::IndexSet;
use ir::analysis::{Analyses, Escape, Liveness};
use ir::{EdgeId, FunctionId, LocId, LocalId, ObjectId, ObjectKind, Program, Property, Stmt, Type};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smt::{Bits, Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of control points.
const MAX_NODES: usize = 4000;
/// Maximum number of steps from one node.
const MAX_STEPS: usize = 200;
/// Maximum length of a path between control points; longer ones are cut.
const LONGEST_PATH: usize = 400;
/// Maximum number of templates that are distinguished by where they are started.
const MAX_TEMPLATES: usize = 24;
/// Maximum number of constants of an explicit variable.
const MAX_CONSTANTS: usize = 40;
/// Maximum number of restarts.
const MAX_ROUNDS: usize = 200;

/// The meaning of a variable of the model.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    Local(TemplateId, u32, FunctionId, LocalId),
    Own(TemplateId, Cell),
    Shared(Cell),
}

/// Objects that are divided into cells alike.
pub(super) type Class = (Option<ObjectId>, Option<At>, bool);

/// A path from a node.
#[derive(Clone)]
pub(super) struct Run {
    pub(super) source: NodeId,
    pub(super) control: Control,
    /// Variables that have changed since the node.
    pub(super) values: FxHashMap<Term, Term>,
    pub(super) guard: Vec<Term>,
    /// The inputs of the step, and how many of them the statements before the current one use. After a split, the
    /// statement uses the same again.
    pub(super) inputs: Vec<Term>,
    pub(super) used: usize,
    /// Number of statements so far.
    pub(super) length: usize,
    /// Whether the path has a visible effect.
    pub(super) has_effect: bool,
    /// Whether it must end here.
    pub(super) is_cut: bool,
    /// The thread that was joined.
    pub(super) joined: Option<SiteId>,
    pub(super) at: At,
}

/// What earlier rounds learnt.
#[derive(Clone, Default)]
pub(super) struct Knowledge {
    pub(super) cells: BTreeMap<Class, BTreeMap<u64, u64>>,
    pub(super) opaque: BTreeSet<Class>,
    pub(super) explicit: BTreeSet<(FunctionId, LocalId)>,
    pub(super) implicit: BTreeSet<(FunctionId, LocalId)>,
    is_folded: bool,
}

/// Builds the model of a program.
pub(super) struct Translator<'p> {
    pub(super) program: &'p Program,
    pub(super) property: Property,
    pub(super) escape: Escape,
    pub(super) live: IdVec<FunctionId, Liveness>,
    heads: IdVec<FunctionId, Vec<LocId>>,
    edges: IdVec<FunctionId, IdVec<LocId, Vec<EdgeId>>>,
    budget: Budget,
    pub(super) known: Knowledge,
    pub(super) is_stale: bool,
    pub(super) model: Model,
    pub(super) variables: FxHashMap<Key, Term>,
    own_cells: Vec<(TemplateId, Cell)>,
    shared_cells: Vec<Cell>,
    controls: IndexSet<Control, FxBuildHasher>,
    templates: FxHashMap<(Option<SiteId>, At, FunctionId), TemplateId>,
    /// Control points without their explicit thread numbers.
    places: IndexSet<Control, FxBuildHasher>,
    /// Where the threads of a template are started.
    sites: IdVec<TemplateId, Option<(TemplateId, At)>>,
    handles: Handles,
    constants: FxHashMap<(FunctionId, LocalId), BTreeSet<u128>>,
}

/// Builds the model of a program, or reports why there is none.
pub(crate) fn translate(program: &Program, property: Property, budget: &Budget) -> Result<Result<Model, Reason>, Stop> {
    let (.., escape) = Analyses::new(program).into_parts();
    let mut translator = Translator {
        program,
        property,
        escape,
        live: program.functions.iter().map(Liveness::new).collect(),
        heads: program.functions.iter().map(ir::analysis::graph::loop_heads).collect(),
        edges: program.functions.iter().map(ir::Function::edges_out).collect(),
        budget: budget.clone(),
        known: Knowledge::default(),
        is_stale: false,
        model: Model::default(),
        variables: FxHashMap::default(),
        own_cells: Vec::new(),
        shared_cells: Vec::new(),
        controls: IndexSet::default(),
        templates: FxHashMap::default(),
        places: IndexSet::default(),
        sites: IdVec::new(),
        handles: Handles::default(),
        constants: FxHashMap::default(),
    };
    for _ in 0..MAX_ROUNDS {
        translator.restart();
        if let Err(reason) = translator.explore()? {
            return Ok(Err(reason));
        }
        if !translator.is_stale {
            translator.complete();
            if !translator.forget_weak_cells() {
                return Ok(Ok(translator.model));
            }
        }
    }
    Ok(Err(Reason::new(ReasonKind::Unsupported, "how memory is divided into cells was not found out")))
}

impl<'p> Translator<'p> {
    fn restart(&mut self) {
        self.is_stale = false;
        self.model = Model::default();
        self.variables.clear();
        self.own_cells.clear();
        self.shared_cells.clear();
        self.controls.clear();
        self.templates.clear();
        self.places.clear();
        self.sites = IdVec::new();
        self.handles = Handles::default();
        self.constants.clear();
    }

    fn explore(&mut self) -> Result<Result<(), Reason>, Stop> {
        let main = self.model.template("main");
        self.sites.push(None);
        let entry = self.program.entry;
        let mut control = Control {
            template: main,
            status: Status::Running,
            frames: vec![self.frame(entry)],
            cells: BTreeMap::new(),
            regions: 0,
        };
        self.add_pointers(&mut control);
        let node = self.node(control);
        self.model.entries.push(node);
        let mut next = 0;
        while next < self.controls.len() {
            self.budget.check()?;
            if self.is_stale {
                return Ok(Ok(()));
            }
            if self.controls.len() > MAX_NODES {
                return Ok(Err(Reason::new(ReasonKind::Unsupported, "the program has too many control points")));
            }
            let node: NodeId = Id::new(next);
            if !self.expand(node)? {
                let detail = "there are too many paths between two control points";
                let place = self.model.nodes[node].place.clone();
                return Ok(Err(Reason::new(ReasonKind::Unsupported, detail).at(place)));
            }
            next += 1;
        }
        Ok(Ok(()))
    }

    pub(super) fn frame(&self, function: FunctionId) -> Frame {
        let loc = self.program.functions[function].entry;
        Frame { function, loc, call: None, slots: BTreeMap::new() }
    }

    /// The node of a control point.
    fn node(&mut self, mut control: Control) -> NodeId {
        self.drop_dead(&mut control);
        let (index, is_new) = self.controls.insert_full(control);
        let id: NodeId = Id::new(index);
        if is_new {
            let control = &self.controls[index];
            let place = self.place(control);
            let (template, is_in_region) = (control.template, control.regions > 0);
            let is_users = |frame: &Frame| self.program.is_users(self.program.functions[frame.function].span);
            let at = control.frames.iter().enumerate().rev().find(|(_, frame)| is_users(frame));
            let at = at.map(|(depth, frame)| (depth as u32, frame.function, frame.loc));
            self.model.node(template, &place);
            self.model.nodes[id].at = at;
            self.model.nodes[id].is_undisturbed = is_in_region && self.property != Property::Race;
        }
        id
    }

    /// Forgets explicit values of dead variables.
    fn drop_dead(&self, control: &mut Control) {
        for frame in &mut control.frames {
            let loc = match frame.call {
                Some(call) => self.program.functions[frame.function].edges[call].to,
                None => frame.loc,
            };
            frame.slots.retain(|&local, _| self.live[frame.function].is_live(loc, local));
        }
    }

    /// The source position of a control point for people: for library code, the call.
    fn place(&self, control: &Control) -> String {
        let mut last = String::new();
        for frame in control.frames.iter().rev() {
            let edge = frame.call.or_else(|| self.edges[frame.function][frame.loc].first().copied());
            let Some(edge) = edge else { continue };
            let span = self.program.functions[frame.function].edges[edge].span;
            last = self.program.place(span);
            if self.program.is_users(span) {
                break;
            }
        }
        last
    }

    /// Finds the steps from a node. Returns false if there are too many.
    fn expand(&mut self, node: NodeId) -> Result<bool, Stop> {
        let control = self.controls[Id::index(node)].clone();
        if control.status != Status::Running {
            return Ok(true);
        }
        let at = (control.frames[0].function, Id::new(0));
        let start = Run {
            source: node,
            control,
            values: FxHashMap::default(),
            guard: vec![],
            inputs: vec![],
            used: 0,
            length: 0,
            has_effect: false,
            is_cut: false,
            joined: None,
            at,
        };
        let mut work = vec![start];
        while let Some(run) = work.pop() {
            self.budget.check()?;
            if self.is_stale {
                return Ok(true);
            }
            if work.len() + self.model.nodes[node].steps.len() > MAX_STEPS {
                return Ok(false);
            }
            self.advance(run, &mut work);
        }
        Ok(true)
    }

    /// Continues a path to its end or to a fork.
    fn advance(&mut self, mut run: Run, work: &mut Vec<Run>) {
        loop {
            if run.control.status != Status::Running || run.is_cut || run.length > LONGEST_PATH {
                return self.finish(run);
            }
            let (function, loc) = (run.control.top().function, run.control.top().loc);
            let edges = self.edges[function][loc].clone();
            let Some(&first) = edges.first() else { return self.finish(run) };
            let is_head = run.length > 0 && self.heads[function].contains(&loc);
            if is_head || run.length > 0 && self.must_begin(&run, function, &edges) {
                return self.finish(run);
            }
            run.length += 1;
            let program = self.program;
            let forks: Vec<EdgeId> = if edges.len() > 1 { edges.clone() } else { vec![first] };
            let mut runs = Vec::new();
            let record = &self.model.nodes[run.source];
            let (faults, accesses) = (record.faults.len(), record.accesses.len());
            for edge in forks {
                let mut fork = run.clone();
                fork.at = (function, edge);
                let stmt = &program.functions[function].edges[edge].stmt;
                match self.execute(&mut fork, stmt) {
                    Ok(()) => runs.push(fork),
                    Err(Halt::Split(condition)) => {
                        // All edges are visited again, in both cases.
                        let record = &mut self.model.nodes[run.source];
                        record.faults.truncate(faults);
                        record.accesses.truncate(accesses);
                        let negated = self.model.terms.not(condition);
                        for side in [condition, negated] {
                            let mut again = run.clone();
                            again.length -= 1;
                            again.inputs.clone_from(&fork.inputs);
                            again.guard.push(side);
                            work.push(again);
                        }
                        return;
                    }
                    Err(Halt::Never) => {}
                    Err(Halt::Fault(fault)) => self.record(&fork, None, fault),
                }
            }
            runs.retain(|run| self.is_possible(run));
            let Some(last) = runs.pop() else { return };
            work.extend(runs);
            run = last;
        }
    }

    fn is_possible(&mut self, run: &Run) -> bool {
        let guard = self.model.terms.and(run.guard.iter().copied());
        self.model.terms.as_bool(guard) != Some(false)
    }

    /// Whether a statement begins a step.
    fn must_begin(&mut self, run: &Run, function: FunctionId, edges: &[EdgeId]) -> bool {
        let [edge] = edges else { return false };
        let is_region = run.control.regions > 0 && self.property != Property::Race;
        let program = self.program;
        let stmt = &program.functions[function].edges[*edge].stmt;
        match visibility(stmt) {
            Visibility::Assumption => run.has_effect,
            Visibility::Threads => true,
            // The region is entered at one point in time, which need not be that of a previous access.
            Visibility::Region => self.property != Property::Race && run.control.regions == 0,
            Visibility::Access => !is_region && self.is_shared_access(run, stmt),
            // A thread that waits for ever for something of its own has still performed its earlier actions.
            Visibility::Wait => !is_region && (run.has_effect || self.is_shared_access(run, stmt)),
            Visibility::Nothing | Visibility::Return | Visibility::End => false,
        }
    }

    /// Whether other threads may access what a statement accesses; true if unknown.
    fn is_shared_access(&mut self, run: &Run, stmt: &Stmt) -> bool {
        let mut probe = run.clone();
        for touch in stmt.touches() {
            let faults = self.model.nodes[run.source].faults.len();
            let value = self.eval(&mut probe, touch.ptr);
            self.model.nodes[run.source].faults.truncate(faults);
            match value {
                Ok(value) if value.base.object().is_none_or(|object| !self.is_shared(object)) => {}
                Ok(_) | Err(_) => return true,
            }
        }
        false
    }

    /// Whether threads other than the running one may access an object.
    pub(super) fn is_shared(&self, object: Object) -> bool {
        match object {
            Object::Static(id) => {
                self.program.objects[id].kind == ObjectKind::Global && self.escape.is_shared_object(id)
            }
            Object::Stack { .. } => false,
        }
    }

    /// Ends a path: its last control point becomes a node.
    fn finish(&mut self, run: Run) {
        let live: BTreeSet<Term> = self.live_variables(&run.control);
        let to = self.node(run.control.clone());
        let guard = self.model.terms.and(run.guard.iter().copied());
        let mut updates: Vec<(Term, Term)> = run
            .values
            .iter()
            .map(|(&variable, &value)| (variable, value))
            .filter(|(variable, value)| variable != value && (live.contains(variable) || self.is_lasting(*variable)))
            .collect();
        updates.sort_unstable();
        let step = self.model.step(Step { from: run.source, to, guard, updates });
        if let Some(thread) = run.joined {
            self.handles.joined.insert(step, thread);
        }
    }

    /// Whether a variable is not a local of a function.
    fn is_lasting(&self, variable: Term) -> bool {
        self.model.is_shared(variable)
            || self
                .own_cells
                .iter()
                .any(|&(template, cell)| self.variables.get(&Key::Own(template, cell)) == Some(&variable))
    }

    /// The live variables of the functions on the stack.
    fn live_variables(&mut self, control: &Control) -> BTreeSet<Term> {
        let mut live = BTreeSet::new();
        for (depth, frame) in control.frames.iter().enumerate() {
            let program = self.program;
            let function = &program.functions[frame.function];
            let loc = match frame.call {
                Some(call) => function.edges[call].to,
                None => frame.loc,
            };
            for local in function.locals.ids() {
                let is_known = matches!(frame.slots.get(&local), Some(Slot::Known(..)));
                if self.live[frame.function].is_live(loc, local) && !is_known {
                    live.insert(self.local(control.template, depth as u32, frame.function, local));
                }
            }
        }
        live
    }

    /// The variable of the model for a local variable.
    pub(super) fn local(&mut self, template: TemplateId, depth: u32, function: FunctionId, local: LocalId) -> Term {
        let key = Key::Local(template, depth, function, local);
        if let Some(&known) = self.variables.get(&key) {
            return known;
        }
        let body = &self.program.functions[function];
        let (name, width) = (format!("{}.{}", body.name, body.locals[local].name), self.width(body.locals[local].ty));
        let variable = self.model.private(template, &name, width);
        self.model.names.insert(variable, (body.locals[local].name.clone(), Some((depth, local))));
        self.variables.insert(key, variable);
        variable
    }

    /// The variable of the model for a cell.
    pub(super) fn cell(&mut self, template: TemplateId, cell: Cell) -> Term {
        let is_shared = self.is_shared(cell.object);
        let key = if is_shared { Key::Shared(cell) } else { Key::Own(template, cell) };
        if let Some(&known) = self.variables.get(&key) {
            return known;
        }
        let mut name = match cell.object {
            Object::Static(id) => self.program.objects[id].name.clone(),
            Object::Stack { at, .. } => match &self.program.functions[at.0].edges[at.1].stmt {
                Stmt::Alloc { name, .. } => name.clone(),
                _ => "stack".to_owned(),
            },
        };
        if cell.offset > 0 {
            name = format!("{name}+{}", if cell.is_ghost { cell.offset / 4 } else { cell.offset });
        }
        if cell.is_ghost {
            name = format!("state of {name}");
        }
        let width = (cell.bytes * 8) as u32;
        let whole = match cell.object {
            Object::Static(id) => Some(&self.program.objects[id]).filter(|object| object.size == cell.bytes),
            Object::Stack { .. } => None,
        };
        let variable = if is_shared {
            let variable = self.model.terms.variable(name, Sort::Bits(width));
            self.model.shared.push(variable);
            self.shared_cells.push(cell);
            variable
        } else {
            self.own_cells.push((template, cell));
            self.model.private(template, &name, width)
        };
        if let Some(object) = whole.filter(|object| !cell.is_ghost && object.kind == ObjectKind::Global) {
            self.model.names.insert(variable, (object.name.clone(), None));
        }
        self.variables.insert(key, variable);
        variable
    }

    /// Records a fault, under a condition if there is one.
    pub(super) fn record(&mut self, run: &Run, condition: Option<Term>, fault: symbolic::Fault) {
        let guard = self.model.terms.and(run.guard.iter().copied().chain(condition));
        if self.model.terms.as_bool(guard) == Some(false) {
            return;
        }
        let mut control = run.control.clone();
        if let Some(frame) = control.frames.last_mut() {
            frame.call = Some(run.at.1).filter(|_| frame.function == run.at.0);
        }
        let reason = match fault {
            symbolic::Fault::Gap(kind, detail) => Reason::new(kind, detail),
            symbolic::Fault::Violation(detail) => {
                Reason::new(ReasonKind::Imprecise, format!("this is not excluded: {detail}"))
            }
        };
        let reason = reason.at(self.place(&control));
        self.model.nodes[run.source].faults.push(Fault { guard, reason });
    }

    /// Records an explicit value of a variable; stops tracking it if there are too many.
    pub(super) fn note_constant(&mut self, class: (FunctionId, LocalId), value: u128) {
        let values = self.constants.entry(class).or_default();
        values.insert(value);
        if values.len() > MAX_CONSTANTS {
            self.known.explicit.remove(&class);
            self.is_stale |= self.known.implicit.insert(class);
        }
    }

    /// The site of a node.
    fn site(&mut self, node: NodeId) -> SiteId {
        let place = self.controls[Id::index(node)].without_threads();
        Id::new(self.places.insert_full(place).0)
    }

    /// The number of a new thread.
    pub(super) fn new_site(&mut self, run: &Run) -> SiteId {
        let site = self.site(run.source);
        self.handles.made.entry(site).or_default().insert(run.source);
        site
    }

    /// Records the started thread and its entry node.
    pub(super) fn start(&mut self, run: &Run, thread: SiteId, function: FunctionId, args: &[Value]) {
        let (parent, at) = (run.control.template, run.at);
        let key = if self.known.is_folded {
            (None, (function, Id::new(0)), function)
        } else {
            match self.ancestor(parent, at) {
                Some(ancestor) => return self.start_in(run, thread, function, args, ancestor),
                None => (Some(self.site(run.source)), at, function),
            }
        };
        let template = match self.templates.get(&key) {
            Some(&known) => known,
            None => {
                if self.templates.len() >= MAX_TEMPLATES && !self.known.is_folded {
                    self.known.is_folded = true;
                    self.is_stale = true;
                }
                let template = self.model.template(&self.program.functions[function].name);
                self.sites.push(Some((parent, at)));
                self.templates.insert(key, template);
                template
            }
        };
        self.start_in(run, thread, function, args, template);
    }

    /// A template started by the same statement that starts this one: threads that start their own kind.
    fn ancestor(&self, parent: TemplateId, at: At) -> Option<TemplateId> {
        let mut next = Some(parent);
        while let Some(template) = next {
            let (above, site) = self.sites[template]?;
            if site == at {
                return Some(template);
            }
            next = Some(above);
        }
        None
    }

    fn start_in(&mut self, run: &Run, thread: SiteId, function: FunctionId, args: &[Value], template: TemplateId) {
        let mut control = Control {
            template,
            status: Status::Running,
            frames: vec![self.frame(function)],
            cells: BTreeMap::new(),
            regions: 0,
        };
        self.add_pointers(&mut control);
        let mut values = Vec::new();
        for (index, &param) in self.program.functions[function].params.iter().enumerate() {
            // The thread's number is unknown here, so it is arbitrary.
            let value = args.get(index).filter(|value| !matches!(value.base, Base::Thread(_)));
            let Some(value) = value else { continue };
            let variable = self.local(template, 0, function, param);
            let width = self.model.terms.width(variable);
            let base = match value.base {
                // Private memory of the starting thread is another thread's memory there.
                Base::Object(object) | Base::Ghost(object) if !self.is_global(object) => Base::Elsewhere,
                base => base,
            };
            let is_pointer = self.program.functions[function].locals[param].ty == Type::Ptr;
            let slot = self.slot(base, value.bits, is_pointer);
            if slot != Slot::Variable(Base::Number) {
                control.top().slots.insert(param, slot);
            }
            if let Slot::Variable(_) = slot {
                values.push((variable, self.resize(value.bits, width)));
            }
        }
        let entry = self.node(control);
        let guard = self.model.terms.and(run.guard.iter().copied());
        self.handles.started.insert(self.model.starts.len(), thread);
        self.model.starts.push(Start { from: run.source, guard, entry, values });
    }

    /// Whether all threads know an object by the same name.
    fn is_global(&self, object: Object) -> bool {
        match object {
            Object::Static(id) => self.program.objects[id].kind != ObjectKind::ThreadLocal,
            Object::Stack { .. } => false,
        }
    }

    /// Completes the model: initial values, owners of locks, and templates that may meet.
    fn complete(&mut self) {
        for cell in self.shared_cells.clone() {
            let variable = self.cell(Id::new(0), cell);
            if let Some(value) = self.initial(cell) {
                self.model.initial.push((variable, value));
            }
        }
        for (template, cell) in self.own_cells.clone() {
            let Some(value) = self.initial(cell) else { continue };
            let variable = self.cell(template, cell);
            if Id::index(template) == 0 {
                self.model.initial.push((variable, value));
            }
            for start in &mut self.model.starts {
                if self.model.nodes[start.entry].template == template {
                    start.values.push((variable, value));
                }
            }
        }
        self.find_owners();
        meetings::find(&mut self.model, &self.handles);
    }

    /// Cells that hold 0 or the number of the thread that wrote last, if no thread ends with its number in one.
    fn find_owners(&mut self) {
        let zero = self.model.terms.bits(Bits::zero(32));
        for cell in self.shared_cells.clone() {
            let variable = self.cell(Id::new(0), cell);
            let is_zero = self.initial(cell) == Some(zero);
            let written = |step: &Step| step.updates.iter().find(|(at, _)| *at == variable).map(|(_, value)| *value);
            let is_owner = |step: &Step| match written(step) {
                None => true,
                Some(value) => {
                    let template = self.model.nodes[step.from].template;
                    value == zero || value == self.model.templates[template].number
                }
            };
            if cell.is_ghost && is_zero && self.model.steps.iter().all(is_owner) {
                self.model.owners.push(variable);
            }
        }
        for index in 0..self.controls.len() {
            if self.controls[index].status != Status::Ended {
                continue;
            }
            let node: NodeId = Id::new(index);
            let number = self.model.templates[self.controls[index].template].number;
            for owner in self.model.owners.clone() {
                let guard = self.model.terms.eq(owner, number);
                let reason = Reason::new(ReasonKind::Unsupported, "a thread may end while it holds a lock");
                let reason = reason.at(self.model.nodes[node].place.clone());
                self.model.nodes[node].faults.push(Fault { guard, reason });
            }
        }
    }

    /// Under `race`: makes cells opaque through which threads communicate without ordering. Returns whether there are
    /// any.
    fn forget_weak_cells(&mut self) -> bool {
        if self.property != Property::Race {
            return false;
        }
        let mut weak: BTreeSet<Class> = BTreeSet::new();
        let accessing = |id: &NodeId| !self.model.nodes[*id].accesses.is_empty();
        let accessing: Vec<NodeId> = self.model.nodes.ids().filter(accessing).collect();
        for &one in &accessing {
            for &two in &accessing {
                if !self.model.may_meet(one, two) {
                    continue;
                }
                for a in &self.model.nodes[one].accesses {
                    for b in &self.model.nodes[two].accesses {
                        let is_ordered = |write: &Access, read: &Access| {
                            !(write.writes && read.reads) || write.releases && read.acquires
                        };
                        let are_apart = match (self.constant(a.offset), self.constant(b.offset)) {
                            (Some(x), Some(y)) => x + u128::from(a.bytes) <= y || y + u128::from(b.bytes) <= x,
                            (_, _) => false,
                        };
                        let is_weak = is_exempt(a, b) && !(is_ordered(a, b) && is_ordered(b, a));
                        if is_conflict(a, b) && !are_apart && is_weak {
                            weak.insert((Some(a.object), None, a.is_ghost));
                        }
                    }
                }
            }
        }
        let before = self.known.opaque.len();
        self.known.opaque.extend(weak);
        self.known.opaque.len() > before
    }

    /// Whether the statement of a path may be executed again in the same frame.
    pub(super) fn is_repeated(&self, run: &Run) -> bool {
        let function = &self.program.functions[run.at.0];
        ir::analysis::graph::on_cycle(function)[function.edges[run.at.1].from]
    }
}
