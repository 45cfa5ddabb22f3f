//! Misuse of mutexes and their like that their ghost records alone do not show: use after destruction or without
//! initialisation, and writes to their bytes while they are in use.
//!
//! A static analysis finds where such misuse cannot be ruled out, and only there run-time checks are inserted; most
//! programs stay as they are. The analysis assumes that pointers point to the beginning of structures: of two pointers
//! into one object it compares the constants that are added to them. The inserted checks are exact. Bytes 8 to 11 of a
//! record, which the models of mutexes and barriers set when they are initialised, hold the state of the object.
//!
//! - Use after destruction violates `locks`.
//! - Initialisation while another thread uses the object is a data race: POSIX does not list it among the synchronising
//!   functions (4.12).
//! - Use without initialisation, where the first byte is not zero, as static initialisers leave it, is not modelled.
//!   (Of spin locks that is so even then: on some machines zero means that they are held.)
//! - Writing the bytes of an object that is held, waited for or counts is not modelled, nor is copying it to where it
//!   is used. An object not in use may be written; it then counts as never initialised. A once flag that is set to zero
//!   is a new one, and a semaphore is 0.
//! - Where the object may be too small, that is checked too (`room`).

mod checks;
mod parts;
mod room;
mod trace;

use ir::analysis::later::Site;
use ir::analysis::{Analyses, Later, Memory, Parallel, PointsTo, Target};
use ir::{
    AllocKind, BinaryOp, DataModel, Edge, EdgeId, Expr, Function, FunctionId, LocalId, ObjectId, Premise, Program,
    Stmt, SyncObject,
};
use parts::Part;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
pub(crate) use trace::Tracer;

/// A kind of synchronisation object.
struct Kind {
    /// The prefixes of its functions.
    prefixes: &'static [&'static str],
    object: SyncObject,
    /// The names of its C types.
    types: &'static [&'static str],
    /// Its size in bytes with short and with long pointers, in glibc.
    sizes: [u64; 2],
    /// The words of its record that say whether it is in use, and their widths.
    words: &'static [(u128, u16)],
}

/// Prefix of the mangled names of members of `std::condition_variable`.
const CXX_CONDITION: &str = "_ZNSt18condition_variable";

const KINDS: [Kind; 8] = [
    Kind {
        prefixes: &[
            "pthread_mutex_",
            "mtx_",
            "_ZNSt5mutex",
            "_ZNSt15recursive_mutex",
            "_ZNSt11timed_mutex",
            "_ZNSt21recursive_timed_mutex",
        ],
        object: SyncObject::Mutex,
        types: &["pthread_mutex_t", "mtx_t"],
        sizes: [24, 40],
        words: &[(0, 32), (4, 32)],
    },
    Kind {
        prefixes: &["pthread_cond_", "cnd_"],
        object: SyncObject::Condition,
        types: &["pthread_cond_t", "cnd_t"],
        sizes: [48, 48],
        words: &[(0, 64)],
    },
    Kind {
        prefixes: &[CXX_CONDITION],
        object: SyncObject::Condition,
        types: &["condition_variable", "pthread_cond_t"],
        sizes: [48, 48],
        words: &[(0, 64)],
    },
    Kind {
        prefixes: &["pthread_rwlock_", "_ZNSt12shared_mutex", "_ZNSt18shared_timed_mutex"],
        object: SyncObject::RwLock,
        types: &["pthread_rwlock_t"],
        sizes: [32, 56],
        words: &[(0, 32)],
    },
    Kind {
        prefixes: &["pthread_spin_"],
        object: SyncObject::SpinLock,
        types: &["pthread_spinlock_t"],
        sizes: [4, 4],
        words: &[(0, 32)],
    },
    Kind {
        prefixes: &["pthread_barrier_"],
        object: SyncObject::Barrier,
        types: &["pthread_barrier_t"],
        sizes: [20, 32],
        words: &[(0, 64)],
    },
    Kind { prefixes: &["sem_"], object: SyncObject::Semaphore, types: &["sem_t"], sizes: [16, 32], words: &[(0, 32)] },
    Kind {
        prefixes: &["pthread_once", "call_once"],
        object: SyncObject::OnceFlag,
        types: &["pthread_once_t", "once_flag"],
        sizes: [4, 4],
        words: &[(0, 32)],
    },
];

impl PartialEq for Kind {
    fn eq(&self, other: &Kind) -> bool {
        self.object == other.object
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Init,
    Use,
    Destroy,
}

/// A place in memory, as far as expressions determine it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Position {
    /// The sum of the constants that are added to a pointer.
    constant: i64,
    /// The other summands.
    stride: Stride,
    /// The base that they are added to.
    base: Base,
}

impl Position {
    fn is_variable(self) -> bool {
        self.stride != Stride::NONE
    }
}

/// The non-constant summands of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Stride {
    /// They are a multiple of this number: 0 if there are none, 1 if they may be anything (as for a parameter, which may
    /// point into a structure).
    step: u64,
    /// The size of the largest element that one of them is an index of.
    widest: u64,
}

impl Stride {
    const NONE: Stride = Stride { step: 0, widest: 0 };
    const ANY: Stride = Stride { step: 1, widest: 1 };

    /// The stride of a sum.
    fn and(self, other: Stride) -> Stride {
        let (mut one, mut two) = (self.step, other.step);
        while two != 0 {
            (one, two) = (two, one % two);
        }
        Stride { step: one, widest: self.widest.max(other.widest) }
    }

    /// The largest multiple up to a bound.
    fn multiple_below(self, bound: i64) -> i64 {
        bound - self.remainder(bound)
    }

    /// The non-negative remainder of a number.
    fn remainder(self, number: i64) -> i64 {
        match i64::try_from(self.step) {
            Ok(0) | Err(_) => number,
            Ok(stride) => number.rem_euclid(stride),
        }
    }

    /// The stride of a number with this constant step.
    fn of_step(constant: i64) -> Stride {
        Stride { step: constant.unsigned_abs(), widest: constant.unsigned_abs() }
    }
}

/// The target of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Base {
    /// A named static object.
    Static(ObjectId),
    /// A named stack object.
    Stack,
    /// Anything that is pointed to.
    Other,
}

/// A call on a synchronisation object.
struct Call<'a> {
    site: (FunctionId, EdgeId),
    /// The calls in contexts, and the possible targets of their arguments.
    sites: Vec<Site>,
    memory: BTreeSet<Target>,
    pointer: &'a Expr,
    position: Position,
    kind: &'static Kind,
    bytes: i64,
    role: Role,
}

/// A statement in user code that writes memory.
struct Write<'a> {
    site: (FunctionId, EdgeId),
    sites: Vec<Site>,
    memory: BTreeSet<Target>,
    pointer: &'a Expr,
    position: Position,
    /// The number of bytes, if constant.
    bytes: Option<u64>,
    /// Whether it writes zeros.
    is_zero: bool,
    /// The source of a copy, and its possible targets.
    source: Option<(&'a Expr, Position, BTreeSet<Target>)>,
}

/// The changes to make.
#[derive(Default)]
struct Changes {
    /// Parameters saved at function entry.
    saved: parts::Saved,
    /// Whether the analysis assumes that no index leads out of an array into its neighbour.
    relies_on_arrays: bool,
    /// In order, for determinism.
    checks: Vec<((FunctionId, EdgeId), Check)>,
    /// Targets whose initialisation and destruction are recorded.
    noted: BTreeSet<Target>,
    notes: Vec<((FunctionId, EdgeId), Expr, &'static Kind, Role)>,
}

/// A run-time check.
#[derive(PartialEq)]
enum Check {
    /// Before a call: the object was not destroyed.
    NotDestroyed(Expr, &'static Kind),
    /// Before a call: it was initialised, or begins with zero.
    Initialised(Expr, &'static Kind),
    /// Before a call that initialises: no other thread uses the object, which would race with this write of its first
    /// byte.
    Exclusive(Expr),
    /// Before any other call: the other side of that, a read.
    Shared(Expr),
    /// Before a call: the object has `bytes` bytes from there on.
    Room { pointer: Expr, bytes: u64 },
    /// Before a call: the object is too small; or may be, and nothing tells.
    NoRoom { kind: &'static Kind, is_certain: bool },
    /// After a write: the written object is not in use. It has the state of the source of the copy.
    Written { at: Expr, kind: &'static Kind, is_zero: bool, source: Option<Expr> },
    /// After a copy: the copied object is not in use.
    Copied { at: Expr, kind: &'static Kind },
    /// The check for every place in a range.
    All { len: Expr, one: Box<Check> },
    /// After a write whose target is vague: reaching it is not modelled.
    Vague { kind: &'static Kind },
    /// The check, under a condition.
    If { cond: Expr, one: Box<Check> },
}

/// Inserts checks for misuse that cannot be ruled out.
///
/// `sizes` gives the size of the smallest type of these names that the program has.
pub(crate) fn notice(program: &mut Program, sizes: &dyn Fn(&[&str]) -> Option<u64>) {
    if program.functions.ids().any(|function| kind_of(program, function).is_some()) {
        let changes = find(program, sizes);
        if changes.relies_on_arrays {
            program.premises.insert(Premise::Members);
        }
        checks::apply(program, changes);
    }
}

/// The kind of object that a library function operates on, and its role.
fn kind_of(program: &Program, function: FunctionId) -> Option<(&'static Kind, Role)> {
    let is_model = program.is_model(program.functions[function].span);
    let full = Some(program.functions[function].name.as_str()).filter(|_| is_model)?;
    // Without the suffix of a variant.
    let name = full.rsplit_once("__").map_or(full, |(name, _)| name);
    // These take a name.
    if ["sem_open", "sem_unlink"].contains(&name) {
        return None;
    }
    let kind = KINDS.iter().find(|kind| kind.prefixes.iter().any(|prefix| name.starts_with(prefix)))?;
    let role = match name.strip_prefix(CXX_CONDITION).or(name.rsplit_once('_').map(|parts| parts.1))? {
        "init" | "C1Ev" | "C2Ev" => Role::Init,
        "destroy" | "D1Ev" | "D2Ev" => Role::Destroy,
        _ => Role::Use,
    };
    Some((kind, role))
}

fn find(program: &Program, sizes: &dyn Fn(&[&str]) -> Option<u64>) -> Changes {
    let analyses = Analyses::new(program);
    let points_to = analyses.points_to();
    let Gathered { calls, writes, stores } = gather(program, points_to);
    let mut tracer = Tracer::new(program, points_to);
    let mut changes = Changes { checks: room::find(&mut tracer, &calls, sizes), ..Changes::default() };
    // Most programs destroy nothing, allocate nothing and write nothing of that kind.
    let is_of_interest = |call: &Call<'_>| {
        call.role == Role::Destroy
            || call.role == Role::Init
            || call.kind.object == SyncObject::SpinLock
            || call.memory.iter().any(|target| !begins_with_zero(program, *target, call))
            || writes.iter().any(|write| call.place_in(program, write.position, write.bytes, &write.memory).is_some())
    };
    let all: Vec<&Write<'_>> = writes.iter().chain(&stores).collect();
    let parts::Found { parts, saved, relies_on_arrays } = parts::find(program, &mut tracer, &calls, &all);
    changes.relies_on_arrays = relies_on_arrays;
    if parts.is_empty() && !calls.iter().any(is_of_interest) {
        return changes;
    }
    let partly = parts.into_iter().map(|(number, part)| (all[number].sites.clone(), all[number].site, part)).collect();
    let finder =
        Finder { later: Later::new(program, points_to), parallel: analyses.parallel(), program, calls, writes };
    finder.destroyed(&mut changes);
    finder.shared(&mut changes);
    finder.uninitialised(&mut changes);
    finder.overwritten(&mut changes);
    finder.written_in_part(partly, &mut changes);
    let is_checked = |function: FunctionId| changes.checks.iter().any(|((checked, _), _)| *checked == function);
    changes.saved = saved.into_iter().filter(|(function, ..)| is_checked(*function)).collect();
    let noted = finder.calls.iter().filter(|call| call.role != Role::Use && !call.memory.is_disjoint(&changes.noted));
    changes.notes = noted.map(|call| (call.site, call.pointer.clone(), call.kind, call.role)).collect();
    changes
}

/// The statements that matter.
#[derive(Default)]
struct Gathered<'a> {
    calls: Vec<Call<'a>>,
    /// Writes in user code, and ranges written by models on its behalf.
    writes: Vec<Write<'a>>,
    /// Single cells written by models on its behalf.
    stores: Vec<Write<'a>>,
}

/// Collects all calls on such objects and all writes.
fn gather<'a>(program: &'a Program, points_to: &PointsTo) -> Gathered<'a> {
    let mut gathered = Gathered::default();
    for (function, item) in program.functions.enumerate() {
        let definitions = Definitions::new(item);
        for (edge, Edge { stmt, span, .. }) in item.edges.enumerate() {
            let is_model = program.is_model(*span);
            let contexts = points_to.contexts().of_function(function).iter();
            let sites: Vec<Site> = contexts.map(|&context| (context, edge)).collect();
            let memory = |pointer: &Expr| -> BTreeSet<Target> {
                let targets = sites.iter().flat_map(|&(context, _)| points_to.targets(context, pointer));
                targets.filter(|target| matches!(target, Target::Object { ghost: false, .. })).collect()
            };
            if let Stmt::Call { args, .. } = stmt {
                if is_model {
                    continue;
                }
                let mut callees = sites.iter().flat_map(|&(context, _)| points_to.callees(context, edge));
                let Some((kind, role)) =
                    callees.find_map(|&callee| kind_of(program, points_to.contexts().function(callee)))
                else {
                    continue;
                };
                // Waiting on a condition variable also uses the mutex; in C++ a std::unique_lock leads to it.
                let is_cxx = kind.prefixes.contains(&CXX_CONDITION);
                let is_wait = kind.object == SyncObject::Condition && !is_cxx && role == Role::Use && args.len() > 1;
                let kinds = [Some(kind), is_wait.then_some(&KINDS[0])];
                for (pointer, kind) in args.iter().zip(kinds).filter_map(|(pointer, kind)| Some((pointer, kind?))) {
                    gathered.calls.push(Call {
                        site: (function, edge),
                        sites: sites.clone(),
                        memory: memory(pointer),
                        pointer,
                        position: definitions.position(pointer),
                        kind,
                        bytes: kind.sizes[usize::from(program.data_model == DataModel::Lp64)] as i64,
                        role,
                    });
                }
            } else if let Some((pointer, bytes)) = written(stmt, program.data_model.pointer_bytes()) {
                let is_range = matches!(stmt, Stmt::Copy { .. } | Stmt::Set { .. });
                let list = if is_model && !is_range { &mut gathered.stores } else { &mut gathered.writes };
                list.push(Write {
                    site: (function, edge),
                    memory: memory(pointer),
                    sites: sites.clone(),
                    pointer,
                    position: definitions.position(pointer),
                    bytes,
                    is_zero: match stmt {
                        Stmt::Store { value, .. } => matches!(value, Expr::Int { value: 0, .. } | Expr::Null),
                        Stmt::Set { byte, .. } => as_constant(byte) == Some(0),
                        _ => false,
                    },
                    source: match stmt {
                        Stmt::Copy { src, .. } => Some((src, definitions.position(src), memory(src))),
                        _ => None,
                    },
                });
            }
        }
    }
    gathered
}

/// The written address of a statement, and the number of bytes.
fn written(stmt: &Stmt, pointer_bytes: u64) -> Option<(&Expr, Option<u64>)> {
    match stmt {
        Stmt::Copy { dst, len, .. } | Stmt::Set { dst, len, .. } => Some((dst, as_constant(len).map(|len| len as u64))),
        Stmt::Free { .. } | Stmt::Expire { .. } => None,
        _ => stmt
            .touches()
            .into_iter()
            .find(|touch| touch.writes)
            .and_then(|touch| Some((touch.ptr, Some(touch.ty?.bytes(pointer_bytes))))),
    }
}

fn as_constant(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Int { width: 64, value } => Some(*value as i64),
        Expr::Int { value, .. } => Some(i64::from(*value as i32)),
        _ => None,
    }
}

/// The values of local variables that are set once and are no parameters.
struct Definitions<'a> {
    values: FxHashMap<LocalId, Option<&'a Expr>>,
    params: &'a [LocalId],
    /// Pointers to stack objects.
    allocated: Vec<LocalId>,
}

impl<'a> Definitions<'a> {
    fn new(function: &'a Function) -> Self {
        let mut values: FxHashMap<LocalId, Option<&Expr>> = FxHashMap::default();
        for edge in function.edges.iter() {
            for local in edge.stmt.writes() {
                let value = if let Stmt::Assign { value, .. } = &edge.stmt { Some(value) } else { None };
                values.entry(local).and_modify(|known| *known = None).or_insert(value);
            }
        }
        // A parameter that is set had another value before.
        for param in &function.params {
            values.entry(*param).and_modify(|known| *known = None);
        }
        let allocated = function.edges.iter().filter_map(|edge| match edge.stmt {
            Stmt::Alloc { dst, kind: AllocKind::Stack, .. } => Some(dst),
            _ => None,
        });
        Definitions { values, params: &function.params, allocated: allocated.collect() }
    }

    fn position(&self, pointer: &'a Expr) -> Position {
        let (mut position, root) = self.trace(pointer);
        match root {
            Expr::Local(local) => {
                if self.params.contains(local) {
                    position.stride = Stride::ANY;
                }
                if self.allocated.contains(local) {
                    position.base = Base::Stack;
                }
            }
            Expr::Object(object) => position.base = Base::Static(*object),
            _ => {}
        }
        position
    }

    /// Splits a pointer into the summands and the base.
    fn trace(&self, pointer: &'a Expr) -> (Position, &'a Expr) {
        let mut position = Position { constant: 0, stride: Stride::NONE, base: Base::Other };
        let mut rest = pointer;
        loop {
            rest = match rest {
                Expr::Offset { base, bytes } => {
                    let (constant, stride) = constant_part(bytes);
                    position.constant += constant;
                    position.stride = position.stride.and(stride);
                    base
                }
                Expr::Local(local) => match self.values.get(local) {
                    Some(Some(value)) => value,
                    _ => return (position, rest),
                },
                _ => return (position, rest),
            }
        }
    }
}

/// The constant summand of a sum, and the stride of the rest.
fn constant_part(sum: &Expr) -> (i64, Stride) {
    match sum {
        Expr::Binary { op: BinaryOp::Add, lhs, rhs, .. } => {
            let (one, two) = (constant_part(lhs), constant_part(rhs));
            (one.0.wrapping_add(two.0), one.1.and(two.1))
        }
        Expr::Binary { op: BinaryOp::Mul, rhs: factor, .. } => {
            as_constant(sum).map_or((0, as_constant(factor).map_or(Stride::ANY, Stride::of_step)), constant)
        }
        _ => as_constant(sum).map_or((0, Stride::ANY), constant),
    }
}

fn constant(constant: i64) -> (i64, Stride) {
    (constant, Stride::NONE)
}

impl Call<'_> {
    /// Whether it may be on the same object as another call.
    fn is_same(&self, other: &Call<'_>) -> bool {
        let (one, two) = (self.position, other.position);
        self.kind == other.kind
            && (one.constant == two.constant || one.is_variable() || two.is_variable())
            && !self.memory.is_disjoint(&other.memory)
    }

    /// Whether its object may lie in memory that is written or copied, and where.
    fn place_in(
        &self,
        program: &Program,
        position: Position,
        bytes: Option<u64>,
        memory: &BTreeSet<Target>,
    ) -> Option<Place> {
        if self.memory.is_disjoint(memory) {
            return None;
        }
        let bytes = bytes.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
        let is_variable = self.position.is_variable() || position.is_variable();
        // Named static objects are known exactly.
        if let (Base::Static(one), Base::Static(two)) = (self.position.base, position.base) {
            let is_all = self.position.constant == 0 && program.objects[one].size as i64 == self.bytes;
            if one == two && (is_all || !is_variable && bytes.is_some()) {
                let begin = position.constant;
                let (end, own) = (begin.saturating_add(bytes.unwrap_or(0)), self.position.constant);
                return (is_all || begin < own + self.bytes && own < end).then_some(Place::Exactly(one, own));
            }
        }
        let is_range = bytes.is_none_or(|bytes| bytes > LARGEST_CELL);
        // Numbers in structures are written all the time, spin locks never.
        if self.kind.object == SyncObject::SpinLock && !is_range && position.base == Base::Other {
            return None;
        }
        match bytes {
            Some(bytes) if !(is_range && is_variable) => {
                let distance = self.position.constant - position.constant;
                (0 <= distance && distance + self.bytes <= bytes).then_some(Place::At(distance))
            }
            Some(bytes) if bytes < self.bytes => None,
            _ => Some(Place::Somewhere),
        }
    }
}

/// Whether the object of a call is zero when its memory comes to life.
fn begins_with_zero(program: &Program, target: Target, call: &Call<'_>) -> bool {
    let Target::Object { memory, .. } = target else { return true };
    match memory {
        Memory::Site(function, edge) => {
            matches!(program.functions[function].edges[edge].stmt, Stmt::Alloc { zeroed: true, .. })
        }
        Memory::Static(object) => match &program.objects[object].initial {
            ir::Initial::Arbitrary => false,
            ir::Initial::Bytes { bytes, .. } if !call.position.is_variable() => {
                usize::try_from(call.position.constant).is_ok_and(|at| bytes.get(at).is_none_or(|byte| *byte == 0))
            }
            ir::Initial::Bytes { .. } => true,
        },
    }
}

/// The position of an object in written or copied memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// At this offset in bytes, as a whole.
    At(i64),
    /// There.
    Exactly(ObjectId, i64),
    Somewhere,
}

/// Maximum number of bytes written by one access.
const LARGEST_CELL: i64 = 16;

struct Finder<'a> {
    program: &'a Program,
    later: Later<'a>,
    parallel: &'a Parallel,
    calls: Vec<Call<'a>>,
    writes: Vec<Write<'a>>,
}

impl Finder<'_> {
    fn destroyed(&self, changes: &mut Changes) {
        for destroy in self.calls.iter().filter(|call| call.role == Role::Destroy) {
            // Initialising it again makes it valid.
            let later = self.later.after(destroy.sites.iter().copied(), |site| {
                self.calls
                    .iter()
                    .any(|call| call.role == Role::Init && call.sites.contains(&site) && call.is_same(destroy))
            });
            for call in self.calls.iter().filter(|call| call.role != Role::Init && call.is_same(destroy)) {
                let is_later = call.sites.iter().any(|site| later.contains(site));
                if is_later || self.parallel.may_happen(destroy.site, call.site) {
                    changes.checks.push((call.site, Check::NotDestroyed(call.pointer.clone(), call.kind)));
                    changes.noted.extend(&destroy.memory);
                }
            }
        }
    }

    /// Initialisation in parallel with other calls. Several calls at one site are compared with each other too.
    fn shared(&self, changes: &mut Changes) {
        for init in self.calls.iter().filter(|call| call.role == Role::Init) {
            for call in self.calls.iter().filter(|call| call.is_same(init)) {
                if !self.parallel.may_happen(init.site, call.site) {
                    continue;
                }
                changes.checks.push((init.site, Check::Exclusive(init.pointer.clone())));
                if call.role != Role::Init {
                    changes.checks.push((call.site, Check::Shared(call.pointer.clone())));
                }
            }
        }
    }

    fn uninitialised(&self, changes: &mut Changes) {
        let mut bare: FxHashMap<(Target, SyncObject, Position), FxHashSet<Site>> = FxHashMap::default();
        for call in self.calls.iter().filter(|call| call.role == Role::Use) {
            let mut comes_bare = |&&target: &&Target| {
                let key = (target, call.kind.object, call.position);
                let sites = bare.entry(key).or_insert_with(|| self.bare(target, call));
                call.sites.iter().any(|site| sites.contains(site))
            };
            if let Some(target) = call.memory.iter().find(&mut comes_bare) {
                changes.checks.push((call.site, Check::Initialised(call.pointer.clone(), call.kind)));
                changes.noted.insert(*target);
            }
        }
    }

    /// The sites that some path reaches without initialising the object of a call: from the beginning of its memory's
    /// life, or from a write.
    fn bare(&self, target: Target, call: &Call<'_>) -> FxHashSet<Site> {
        let inits = self.calls.iter().filter(|init| init.role == Role::Init && init.is_same(call));
        let inits: FxHashSet<Site> = inits.flat_map(|init| &init.sites).copied().collect();
        let mut ends = inits.clone();
        let is_written = |write: &&Write<'_>| {
            write.memory.contains(&target)
                && call.place_in(self.program, write.position, write.bytes, &write.memory).is_some()
        };
        let mut starts: Vec<Site> = Vec::new();
        for write in self.writes.iter().filter(is_written) {
            match write.is_zero && call.kind.object != SyncObject::SpinLock {
                true => ends.extend(&write.sites),
                false => starts.extend(&write.sites),
            }
        }
        // Loops that initialise all of an array, or all spin locks there are, are trusted.
        let is_promised =
            !inits.is_empty() && (call.position.is_variable() || call.kind.object == SyncObject::SpinLock);
        let is_bare =
            !is_promised && (call.kind.object == SyncObject::SpinLock || !begins_with_zero(self.program, target, call));
        match target {
            Target::Object { memory: Memory::Site(_, edge), context: Some(context), .. } if is_bare => {
                starts.push((context, edge));
            }
            Target::Object { memory: Memory::Static(_), .. } if is_bare => {
                return self.later.from_start(|site| ends.contains(&site))
            }
            _ => {}
        }
        self.later.after(starts, |site| ends.contains(&site))
    }

    fn overwritten(&self, changes: &mut Changes) {
        let mut later: FxHashMap<(FunctionId, EdgeId), FxHashSet<Site>> = FxHashMap::default();
        for write in &self.writes {
            let place_in =
                |call: &Call<'_>, position, memory| call.place_in(self.program, position, write.bytes, memory);
            let mut parts = vec![(write.pointer, write.position, &write.memory, false)];
            // A copy matters where it is used as an object.
            let is_used = |call: &Call<'_>| place_in(call, write.position, &write.memory).is_some();
            if let Some((pointer, position, memory)) = write.source.as_ref().filter(|_| self.calls.iter().any(is_used))
            {
                parts.push((pointer, *position, memory, true));
            }
            for (pointer, position, memory, is_source) in parts {
                let mut seen = BTreeSet::new();
                for call in &self.calls {
                    let Some(place) = place_in(call, position, memory) else { continue };
                    let later = later
                        .entry(call.site)
                        .or_insert_with(|| self.later.after(call.sites.iter().copied(), |_| false));
                    let is_later = write.sites.iter().any(|site| later.contains(site))
                        || self.parallel.may_happen(call.site, write.site);
                    let is_needed = is_later || !is_source && self.copies_initialised(write);
                    if is_needed && seen.insert((place, call.kind.object)) {
                        changes.checks.push((write.site, self.unused(write, pointer, place, call.kind, is_source)));
                        changes.noted.extend(&call.memory);
                        changes.noted.extend(write.source.iter().flat_map(|(.., memory)| memory));
                    }
                }
            }
        }
    }

    fn written_in_part(&self, parts: Vec<(Vec<Site>, (FunctionId, EdgeId), Part)>, changes: &mut Changes) {
        let mut later: FxHashMap<usize, FxHashSet<Site>> = FxHashMap::default();
        for (sites, site, part) in parts {
            let is_later = |number: &usize| {
                let call = &self.calls[*number];
                let later =
                    later.entry(*number).or_insert_with(|| self.later.after(call.sites.iter().copied(), |_| false));
                sites.iter().any(|site| later.contains(site)) || self.parallel.may_happen(call.site, site)
            };
            if part.calls.iter().any(is_later) {
                changes.noted.extend(part.calls.iter().flat_map(|number| &self.calls[*number].memory));
                changes.checks.push((site, part.check));
            }
        }
    }

    /// Whether an initialised object may be copied.
    fn copies_initialised(&self, write: &Write<'_>) -> bool {
        let Some((.., memory)) = &write.source else { return false };
        self.calls.iter().any(|call| call.role == Role::Init && !call.memory.is_disjoint(memory))
    }

    fn unused(&self, write: &Write<'_>, pointer: &Expr, place: Place, kind: &'static Kind, is_source: bool) -> Check {
        let at = |pointer: &Expr, offset: i64| moved(self.program, pointer, offset as u128);
        let check = |at: Expr, source: Option<Expr>| match is_source {
            true => Check::Copied { at, kind },
            false => Check::Written { at, kind, is_zero: write.is_zero, source },
        };
        let source = |offset: i64| write.source.as_ref().map(|(pointer, ..)| at(pointer, offset));
        let stmt = &self.program.functions[write.site.0].edges[write.site.1].stmt;
        match (place, stmt) {
            (Place::Somewhere, Stmt::Copy { len, .. } | Stmt::Set { len, .. }) => {
                Check::All { len: len.clone(), one: Box::new(check(pointer.clone(), source(0))) }
            }
            (Place::Somewhere, _) => check(pointer.clone(), source(0)),
            (Place::At(offset), _) => check(at(pointer, offset), source(offset)),
            (Place::Exactly(object, offset), _) => {
                // A partial copy has no state to copy.
                let begin = offset - write.position.constant;
                let is_whole = begin >= 0 && write.bytes.is_some_and(|bytes| begin + 4 <= bytes as i64);
                check(at(&Expr::Object(object), offset), if is_whole { source(begin) } else { None })
            }
        }
    }
}

fn moved(program: &Program, pointer: &Expr, bytes: u128) -> Expr {
    match bytes {
        0 => pointer.clone(),
        _ => Expr::offset(pointer.clone(), Expr::int(program.data_model.pointer_width(), bytes)),
    }
}
