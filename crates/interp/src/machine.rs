//! A program prepared for execution: what each location does next, which variables die on which edge, which statements
//! are visible to other threads, object addresses, and the inputs that are tried.

use crate::atomicity::Atomicity;
use crate::happens_before::HappensBefore;
use crate::layout::Layout;
use crate::models::histories::Histories;
use crate::models::Model;
use crate::object::{Object, Storage};
use crate::oracle::InputDomain;
use crate::state::{Frame, State, Status, Thread};
use crate::value::{ObjRef, Pointer, Value};
use base::{Id, IdVec};
use ir::analysis::{concurrent_seq_cst, AtomicPairs, AtomicRegion, Liveness};
use ir::{
    EdgeId, Fault, Function, FunctionId, Initial, LocId, LocalId, MemoryModel, ObjectId, ObjectKind, Program, Property,
    RaceFree, Symbol, Unmodelled,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

/// What to run, and which property to check.
#[derive(Clone, Debug)]
pub struct Config {
    /// The memory model.
    pub model: MemoryModel,
    /// The property whose violation ends a run.
    pub property: Property,
    /// The inputs that are tried.
    pub inputs: InputDomain,
    /// The regions meant to be atomic, if that is the property; empty: infer them. All must be in the program.
    pub regions: Vec<AtomicRegion>,
    /// Statements proved free of races, which race checks skip.
    pub race_free: RaceFree,
}

/// A statement as the user sees it: a statement inside a library function is placed at the call in the user's code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    /// The innermost statement in progress in user code, or else the statement itself.
    pub at: (FunctionId, EdgeId),
    /// The library function that it calls and that is in progress.
    pub within: Option<FunctionId>,
}

impl Site {
    /// The name of the library function that is in progress.
    pub fn inside<'p>(&self, program: &'p Program) -> Option<&'p str> {
        self.within.and_then(|function| program.library_name(function))
    }

    /// `what`, with the library function in progress.
    pub fn describe(&self, what: impl fmt::Display, program: &Program) -> String {
        match self.inside(program) {
            Some(name) => format!("{what} (in {name})"),
            None => what.to_string(),
        }
    }
}

/// Something that keeps an exhausted exploration from being a proof. Gaps of one kind are ordered by where they are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Gap {
    /// An input has more values than were tried.
    Inputs {
        /// Where it is used first.
        at: Site,
    },
    /// Something that is not modelled was reached.
    Unmodelled {
        /// Its place.
        at: Site,
        /// The construct.
        what: Unmodelled,
    },
    /// The run depends on object addresses.
    Addresses {
        /// Where.
        at: Site,
    },
    /// Undefined behaviour outside the property.
    Undefined {
        /// Where.
        at: Site,
        /// What.
        fault: Fault,
    },
    /// A relaxed access was treated as a release or acquire (under ra).
    Relaxed {
        /// Where.
        at: Site,
    },
    /// An acquire or release access was treated as ordered by the fences beside seq_cst ones (under ra). Only if the
    /// program has such accesses.
    Mixed {
        /// Where.
        at: Site,
    },
    /// A run was cut off at a number of steps.
    Depth,
    /// The property is not defined under the memory model.
    NotDefined,
}

impl Gap {
    /// The statement, if there is one.
    pub fn at(&self) -> Option<Site> {
        match self {
            Gap::Inputs { at }
            | Gap::Unmodelled { at, .. }
            | Gap::Addresses { at }
            | Gap::Relaxed { at }
            | Gap::Mixed { at }
            | Gap::Undefined { at, .. } => Some(*at),
            Gap::Depth | Gap::NotDefined => None,
        }
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gap::Inputs { .. } => f.write_str("an input has more values than were tried"),
            Gap::Unmodelled { what, .. } => write!(f, "{what} is not modelled"),
            Gap::Addresses { .. } => f.write_str("what happens depends on the addresses of objects"),
            Gap::Undefined { fault, .. } => write!(f, "undefined behaviour: {fault}"),
            Gap::Relaxed { .. } => {
                f.write_str("relaxed atomics were taken as release-acquire (--assume-ra takes that for granted)")
            }
            Gap::Mixed { .. } => f.write_str(
                "acquire and release atomics were taken as ordered by seq_cst ones (--assume-ra takes that for granted)",
            ),
            Gap::Depth => f.write_str("runs were cut off at the maximal depth"),
            Gap::NotDefined => f.write_str("atomicity is defined under sc only"),
        }
    }
}

/// What a location does.
#[derive(Clone, Debug)]
pub(crate) enum Next {
    /// This edge's statement.
    Edge(EdgeId),
    /// The first of these edges whose condition holds.
    Branch(Vec<EdgeId>),
    /// The run ends.
    End,
}

/// A function prepared for execution.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) next: IdVec<LocId, Next>,
    /// The variables that are dead after each edge and may have been live before it.
    pub(crate) dying: IdVec<EdgeId, Vec<LocalId>>,
}

/// A program prepared for execution.
#[derive(Debug)]
pub struct Machine<'p> {
    /// The program.
    pub program: &'p Program,
    /// The configuration.
    pub config: Config,
    pub(crate) model: &'static dyn Model,
    pub(crate) code: IdVec<FunctionId, Code>,
    pub(crate) layout: Rc<Layout>,
    pub(crate) sharing: crate::sharing::Sharing,
    pub(crate) names: IdVec<ObjectId, Rc<str>>,
    pub(crate) classes: crate::inputs::Classes,
    pub(crate) suggestions: Vec<i128>,
    /// The races that are looked for; others are ignored.
    pub(crate) sought: Sought,
    /// Whether races are looked for, and some access is not known to be free of races.
    looks_for_races: bool,
    /// The pairs of accesses that are meant to be atomic, if that is the property.
    pub(crate) pairs: Option<AtomicPairs>,
    gaps: RefCell<BTreeSet<Gap>>,
    /// The seq_cst accesses that may be mixed with weaker ones (under ra).
    seq_cst: BTreeSet<Place>,
    /// Whether one of them was executed.
    has_seq_cst: std::cell::Cell<bool>,
    heap_names: RefCell<BTreeMap<Site, Rc<str>>>,
}

/// A statement.
type Place = (FunctionId, EdgeId);

/// Which races are looked for.
#[derive(Clone, Debug)]
pub(crate) enum Sought {
    /// All races.
    Any,
    /// The race of these two statements.
    Pair(Place, Place),
    /// Races that involve one of these statements.
    Of(BTreeSet<Place>),
}

impl Sought {
    pub(crate) fn includes(&self, one: Place, other: Place) -> bool {
        match self {
            Sought::Any => true,
            Sought::Pair(first, second) => [(one, other), (other, one)].contains(&(*first, *second)),
            Sought::Of(statements) => statements.contains(&one) || statements.contains(&other),
        }
    }
}

impl<'p> Machine<'p> {
    /// Looks for the race of these two statements only; runs continue after other races.
    pub fn seeking(mut self, one: Place, other: Place) -> Machine<'p> {
        self.sought = Sought::Pair(one, other);
        self
    }

    /// Looks only for races that involve one of these statements; runs continue after other races.
    pub fn seeking_any(mut self, statements: BTreeSet<Place>) -> Machine<'p> {
        self.sought = Sought::Of(statements);
        self
    }

    /// Prepares a program for execution.
    pub fn new(program: &'p Program, config: Config) -> Machine<'p> {
        let code = program.functions.iter().map(prepare).collect();
        // "Between" is not defined where stores reach memory later.
        let has_pairs = config.property == Property::Atomicity && config.model.is_sequentially_consistent();
        let pairs = has_pairs.then(|| {
            let pairs = AtomicPairs::new(program, &config.regions);
            pairs.expect("atomic regions should have been looked up before a run")
        });
        let may_race = || program.accesses().any(|at| !config.race_free.contains(&at));
        let looks_for_races = config.property == Property::Race && may_race();
        let gaps = (config.property == Property::Atomicity && !has_pairs).then_some(Gap::NotDefined);
        let seq_cst = match config.model.strengthens_atomics() {
            true => concurrent_seq_cst(program),
            false => BTreeSet::new(),
        };
        Machine {
            program,
            model: crate::models::model(config.model),
            config,
            classes: crate::inputs::classes(program, &code),
            suggestions: crate::inputs::suggestions(program),
            code,
            layout: Rc::new(Layout::new(program)),
            sharing: crate::sharing::Sharing::new(program),
            names: program.objects.iter().map(|object| Rc::from(object.name.as_str())).collect(),
            sought: Sought::Any,
            looks_for_races,
            pairs,
            gaps: RefCell::new(gaps.into_iter().collect()),
            seq_cst,
            has_seq_cst: std::cell::Cell::new(false),
            heap_names: RefCell::default(),
        }
    }

    /// The addresses of objects.
    pub fn layout(&self) -> Rc<Layout> {
        Rc::clone(&self.layout)
    }

    /// The reasons why the runs so far do not cover everything.
    pub fn gaps(&self) -> Vec<Gap> {
        let is_one = |gap: &&Gap| self.has_seq_cst.get() || !matches!(gap, Gap::Mixed { .. });
        self.gaps.borrow().iter().filter(is_one).cloned().collect()
    }

    /// Notes a seq_cst access to shared memory.
    pub(crate) fn note_seq_cst(&self, at: Place) {
        if self.seq_cst.contains(&at) {
            self.has_seq_cst.set(true);
        }
    }

    pub(crate) fn gap(&self, gap: Gap) {
        // A program that meets a gap tends to meet it in every state: check before inserting.
        if !self.gaps.borrow().contains(&gap) {
            self.gaps.borrow_mut().insert(gap);
        }
    }

    /// A statement of a thread as the user sees it.
    pub(crate) fn site(&self, state: &State, thread: u32, at: (FunctionId, EdgeId)) -> Site {
        let is_users = |(function, edge): (FunctionId, EdgeId)| {
            self.program.is_users(self.program.functions[function].edges[edge].span)
        };
        let frames = state.find_thread(u64::from(thread)).map_or(&[][..], |thread| &thread.frames);
        if is_users(at) {
            return Site { at, within: None };
        }
        let mut within = None;
        for pair in frames.windows(2).rev() {
            let (caller, callee) = (&pair[0], &pair[1]);
            if self.program.library_name(callee.function).is_some() {
                within = Some(callee.function);
            }
            match self.code[caller.function].next[caller.loc] {
                Next::Edge(edge) if is_users((caller.function, edge)) => {
                    return Site { at: (caller.function, edge), within };
                }
                Next::Edge(_) | Next::Branch(_) | Next::End => {}
            }
        }
        Site { at, within: None }
    }

    /// The name of heap objects that are allocated at a site: `malloc at list.c:12`.
    pub(crate) fn heap_name(&self, site: Site, name: &str) -> Rc<str> {
        let mut names = self.heap_names.borrow_mut();
        let name = names.entry(site).or_insert_with(|| {
            let function = site.within.and_then(|function| self.program.library_name(function)).unwrap_or(name);
            let place = self.program.place(self.program.functions[site.at.0].edges[site.at.1].span);
            match place.rsplit('/').next() {
                Some(place) if !place.is_empty() => Rc::from(format!("{function} at {place}")),
                _ => Rc::from(function),
            }
        });
        Rc::clone(name)
    }

    /// The state before the first step.
    pub fn initial(&self) -> State {
        let entry = self.frame(self.program.entry, &[]);
        let main = Thread::new(Status::Running, vec![entry]);
        let objects = self.program.objects.ids().map(|id| Rc::new(self.static_object(id, ObjRef::Static(id))));
        let mut state = State {
            threads: vec![Some(Rc::new(main))],
            statics: self.program.objects.len(),
            objects: objects.collect(),
            ghosts: Rc::default(),
            region: None,
            histories: Rc::new(Histories::default()),
            happens_before: self.looks_for_races.then(|| Rc::new(HappensBefore::new())),
            atomicity: self.pairs.as_ref().map(|_| Rc::new(Atomicity::default())),
        };
        self.add_thread_locals(&mut state, 1);
        state
    }

    /// The frame of a function about to start.
    pub(crate) fn frame(&self, function: FunctionId, args: &[Value]) -> Frame {
        let code = &self.program.functions[function];
        let mut locals = vec![Value::Undef; code.locals.len()];
        for (param, value) in code.params.iter().zip(args) {
            locals[param.index()] = *value;
        }
        Frame { function, loc: code.entry, locals, objects: Vec::new() }
    }

    /// Gives a new thread its copies of thread-local objects.
    pub(crate) fn add_thread_locals(&self, state: &mut State, thread: u32) {
        for (id, object) in self.program.objects.enumerate() {
            if object.kind == ObjectKind::ThreadLocal {
                state.add_object(self.static_object(id, ObjRef::ThreadLocal(thread, id)));
            }
        }
    }

    /// A static object, or a thread's copy of one, in its initial state.
    fn static_object(&self, id: ObjectId, identity: ObjRef) -> Object {
        let object = &self.program.objects[id];
        let storage = match object.kind {
            ObjectKind::Constant => Storage::Constant,
            ObjectKind::Global | ObjectKind::ThreadLocal => Storage::Static,
        };
        let zeroed = object.initial != Initial::Arbitrary;
        let mut made = Object::new(identity, storage, object.size, object.align, zeroed, Rc::clone(&self.names[id]));
        made.shared = self.sharing.is_shared_object(id);
        if let Initial::Bytes { bytes, relocations } = &object.initial {
            made.initialise(bytes);
            for relocation in relocations {
                let target = match relocation.symbol {
                    Symbol::Object(object) => ObjRef::Static(object),
                    Symbol::Function(function) => ObjRef::Function(function),
                };
                let pointer = Value::Ptr(Pointer::to(target).moved(relocation.offset));
                made.write(relocation.at, self.layout.pointer_bytes(), pointer, &self.layout);
            }
        }
        made
    }
}

/// Computes what each location does and where variables die.
fn prepare(function: &Function) -> Code {
    let out = function.edges_out();
    let next = out.iter().map(|edges| match edges.as_slice() {
        [] => Next::End,
        [edge] => Next::Edge(*edge),
        edges => Next::Branch(edges.to_vec()),
    });
    let liveness = Liveness::new(function);
    let dying = function.edges.iter().map(|edge| {
        let is_dead = |local: &LocalId| !liveness.is_live(edge.to, *local);
        let mut dying: Vec<LocalId> = liveness.live(edge.from).filter(is_dead).collect();
        dying.extend(edge.stmt.writes().into_iter().filter(is_dead));
        if edge.from == function.entry {
            dying.extend(function.params.iter().copied().filter(is_dead));
        }
        dying.sort_unstable();
        dying.dedup();
        dying
    });
    Code { next: next.collect(), dying: dying.collect() }
}
