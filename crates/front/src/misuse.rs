//! Misuse of mutexes and their like that their ghost records alone do not show: they are used after they were destroyed, or
//! without having been initialised, or their bytes are written while they are in use.
//!
//! A look at the program tells where such a thing cannot be excluded, and only there statements are put in that find out when they
//! are executed; most programs stay as they are. The look takes it that pointers point to the beginning of structures: of two pointers into
//! one object it compares the constants that are added to them. What is put in is exact. Bytes 8 to 11 of a record, which the
//! models of mutexes and barriers set to something when they are initialised, tell what was done to the object.
//!
//! - Use after destruction violates `locks`.
//! - Use without initialisation, where the first byte is not zero, as static initialisers leave it: not modelled.
//! - Writing or copying the first bytes of something in use: not modelled. What was destroyed may be written.

use base::Id;
use ir::analysis::later::Site;
use ir::analysis::{Later, Memory, Parallel, PointsTo, Target, Threads};
use ir::{
    Access, AllocKind, BinaryOp, DataModel, Edge, EdgeId, Expr, Function, FunctionId, LocId, Local, LocalId, Order,
    Program, Property, Stmt, Type,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What word 8 of a record says after initialisation (where the model does not say more) and after destruction.
const INITIALISED: u128 = 1;
const DESTROYED: u128 = 0xffff_ffff;
const WORD: Type = Type::Int(32);

/// A kind of object that threads synchronise by.
struct Kind {
    /// The names of its functions begin so.
    prefixes: &'static [&'static str],
    noun: &'static str,
    /// Its size in bytes with short and with long pointers, as glibc has it.
    sizes: [u64; 2],
}

const KINDS: [Kind; 7] = [
    Kind { prefixes: &["pthread_mutex_", "mtx_"], noun: "mutex", sizes: [24, 40] },
    Kind { prefixes: &["pthread_cond_", "cnd_"], noun: "condition variable", sizes: [48, 48] },
    Kind { prefixes: &["pthread_rwlock_"], noun: "read-write lock", sizes: [32, 56] },
    Kind { prefixes: &["pthread_spin_"], noun: "spin lock", sizes: [4, 4] },
    Kind { prefixes: &["pthread_barrier_"], noun: "barrier", sizes: [20, 32] },
    Kind { prefixes: &["sem_"], noun: "semaphore", sizes: [16, 32] },
    Kind { prefixes: &["pthread_once", "call_once"], noun: "once flag", sizes: [4, 4] },
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Init,
    Use,
    Destroy,
}

/// A place in memory, as far as expressions tell.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Position {
    /// The sum of the constants that are added to a pointer.
    constant: i64,
    /// Whether something else is added too, or the pointer is a parameter and may point into a structure.
    is_variable: bool,
    /// Whether an object is named, and not pointed to.
    is_direct: bool,
}

/// A call that is about an object that threads synchronise by.
struct Call<'a> {
    site: (FunctionId, EdgeId),
    /// The calls in contexts, and what their arguments may point to.
    sites: Vec<Site>,
    memory: BTreeSet<Target>,
    pointer: &'a Expr,
    position: Position,
    kind: &'static Kind,
    bytes: i64,
    role: Role,
}

/// A statement of the program itself that writes memory.
struct Write<'a> {
    site: (FunctionId, EdgeId),
    sites: Vec<Site>,
    memory: BTreeSet<Target>,
    pointer: &'a Expr,
    position: Position,
    /// How many bytes, if that is a constant.
    bytes: Option<u64>,
    /// Where a copy copies from, and what that may be.
    source: Option<(&'a Expr, Position, BTreeSet<Target>)>,
}

/// What is to be done.
#[derive(Default)]
struct Changes {
    /// In order, so that the program does not depend on how sets are kept.
    checks: Vec<((FunctionId, EdgeId), Check)>,
    /// Initialisation and destruction of these is noted.
    noted: BTreeSet<Target>,
    notes: Vec<((FunctionId, EdgeId), Expr, Role)>,
}

/// Something to find out.
#[derive(PartialEq, Eq)]
enum Check {
    /// Before a call: that the object was not destroyed.
    NotDestroyed(Expr, &'static str),
    /// Before a call: that it was initialised, or begins with zero.
    Initialised(Expr, &'static str),
    /// After a write: that what was written or copied is not in use.
    Unused(Expr, &'static str),
    /// The same of everything in a range.
    AllUnused(Expr, Expr),
}

/// Puts in what finds out about misuse that cannot be excluded.
pub(crate) fn notice(program: &mut Program) {
    if program.functions.ids().any(|function| kind_of(program, function).is_some()) {
        let changes = find(program);
        apply(program, changes);
    }
}

/// What a function of the library is about, and what it does to that.
fn kind_of(program: &Program, function: FunctionId) -> Option<(&'static Kind, Role)> {
    let file = program.files.get(program.functions[function].span.file)?;
    let name = program.library_name(function).filter(|_| file.starts_with('<'))?;
    let kind = KINDS.iter().find(|kind| kind.prefixes.iter().any(|prefix| name.starts_with(prefix)))?;
    Some(match name.rsplit_once('_')?.1 {
        "init" => (kind, Role::Init),
        "destroy" => (kind, Role::Destroy),
        _ => (kind, Role::Use),
    })
}

fn find(program: &Program) -> Changes {
    let points_to = PointsTo::new(program);
    let (calls, writes) = gather(program, &points_to);
    // Most programs destroy nothing, allocate nothing and write nothing of that kind.
    let is_of_interest = |call: &Call<'_>| {
        call.role == Role::Destroy
            || call.memory.iter().any(|target| matches!(target, Target::Object { memory: Memory::Site(..), .. }))
            || writes.iter().any(|write| call.place_in(write.position, write.bytes, &write.memory).is_some())
    };
    if !calls.iter().any(is_of_interest) {
        return Changes::default();
    }
    let threads = Threads::new(program, &points_to);
    let parallel = Parallel::new(program, &points_to, &threads);
    let finder = Finder { later: Later::new(program, &points_to), parallel, program, calls, writes };
    let mut changes = Changes::default();
    finder.destroyed(&mut changes);
    finder.uninitialised(&mut changes);
    finder.overwritten(&mut changes);
    let noted = finder.calls.iter().filter(|call| call.role != Role::Use && !call.memory.is_disjoint(&changes.noted));
    changes.notes = noted.map(|call| (call.site, call.pointer.clone(), call.role)).collect();
    changes
}

/// All calls about such objects and all writes of the program itself.
fn gather<'a>(program: &'a Program, points_to: &PointsTo) -> (Vec<Call<'a>>, Vec<Write<'a>>) {
    let (mut calls, mut writes) = (Vec::new(), Vec::new());
    for (function, item) in program.functions.enumerate() {
        let definitions = Definitions::new(item);
        for (edge, Edge { stmt, span, .. }) in item.edges.enumerate() {
            // Models write ranges for the program.
            if !program.is_users(*span) && !matches!(stmt, Stmt::Copy { .. } | Stmt::Set { .. }) {
                continue;
            }
            let contexts = points_to.contexts().of_function(function).iter();
            let sites: Vec<Site> = contexts.map(|&context| (context, edge)).collect();
            let memory = |pointer: &Expr| -> BTreeSet<Target> {
                let targets = sites.iter().flat_map(|&(context, _)| points_to.targets(context, pointer));
                targets.filter(|target| matches!(target, Target::Object { ghost: false, .. })).collect()
            };
            if let Stmt::Call { args, .. } = stmt {
                let mut callees = sites.iter().flat_map(|&(context, _)| points_to.callees(context, edge));
                let Some((kind, role)) =
                    callees.find_map(|&callee| kind_of(program, points_to.contexts().function(callee)))
                else {
                    continue;
                };
                // Waiting on a condition variable is a use of the mutex too.
                let is_wait = kind.noun == "condition variable" && role == Role::Use && args.len() > 1;
                let kinds = [Some(kind), is_wait.then_some(&KINDS[0])];
                for (pointer, kind) in args.iter().zip(kinds).filter_map(|(pointer, kind)| Some((pointer, kind?))) {
                    calls.push(Call {
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
                writes.push(Write {
                    site: (function, edge),
                    memory: memory(pointer),
                    sites: sites.clone(),
                    pointer,
                    position: definitions.position(pointer),
                    bytes,
                    source: match stmt {
                        Stmt::Copy { src, .. } => Some((src, definitions.position(src), memory(src))),
                        _ => None,
                    },
                });
            }
        }
    }
    (calls, writes)
}

/// Where a statement writes, and how many bytes.
fn written(stmt: &Stmt, pointer_bytes: u64) -> Option<(&Expr, Option<u64>)> {
    match stmt {
        Stmt::Copy { dst, len, .. } | Stmt::Set { dst, len, .. } => Some((dst, as_constant(len).map(|len| len as u64))),
        Stmt::Free { .. } => None,
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

/// The values of local variables that are set once.
struct Definitions<'a> {
    values: FxHashMap<LocalId, Option<&'a Expr>>,
    params: &'a [LocalId],
    /// Those that point to objects on the stack.
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
        let allocated = function.edges.iter().filter_map(|edge| match edge.stmt {
            Stmt::Alloc { dst, kind: AllocKind::Stack, .. } => Some(dst),
            _ => None,
        });
        Definitions { values, params: &function.params, allocated: allocated.collect() }
    }

    fn position(&self, pointer: &Expr) -> Position {
        let mut position = Position { constant: 0, is_variable: false, is_direct: false };
        let mut rest = pointer;
        loop {
            rest = match rest {
                Expr::Offset { base, bytes } => {
                    let (constant, is_variable) = constant_part(bytes);
                    position.constant += constant;
                    position.is_variable |= is_variable;
                    base
                }
                Expr::Local(local) => match self.values.get(local) {
                    Some(Some(value)) => value,
                    _ => {
                        position.is_variable |= self.params.contains(local);
                        position.is_direct = self.allocated.contains(local);
                        return position;
                    }
                },
                _ => {
                    position.is_direct = matches!(rest, Expr::Object(_));
                    return position;
                }
            }
        }
    }
}

/// The constant that a sum has, and whether there is more to it.
fn constant_part(sum: &Expr) -> (i64, bool) {
    match sum {
        Expr::Binary { op: BinaryOp::Add, lhs, rhs, .. } => {
            let (one, two) = (constant_part(lhs), constant_part(rhs));
            (one.0.wrapping_add(two.0), one.1 || two.1)
        }
        _ => as_constant(sum).map_or((0, true), |constant| (constant, false)),
    }
}

impl Call<'_> {
    /// Whether it may be about the same object as another call.
    fn is_same(&self, other: &Call<'_>) -> bool {
        let (one, two) = (self.position, other.position);
        std::ptr::eq(self.kind, other.kind)
            && (one.constant == two.constant || one.is_variable || two.is_variable)
            && !self.memory.is_disjoint(&other.memory)
    }

    /// Whether it may be about something in memory that is written or copied as a whole, and where: so many bytes from where that
    /// begins, or somewhere.
    fn place_in(&self, position: Position, bytes: Option<u64>, memory: &BTreeSet<Target>) -> Option<Place> {
        let bytes = bytes.map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
        let is_range = bytes.is_none_or(|bytes| bytes > LARGEST_CELL);
        // Numbers in structures are written all the time, spin locks never.
        let is_other_number = self.kind.noun == "spin lock" && !is_range && !position.is_direct;
        if self.memory.is_disjoint(memory) || is_other_number {
            return None;
        }
        match bytes {
            Some(bytes) if !(is_range && (self.position.is_variable || position.is_variable)) => {
                let distance = self.position.constant - position.constant;
                (0 <= distance && distance + self.bytes <= bytes).then_some(Place::At(distance))
            }
            Some(bytes) if bytes < self.bytes => None,
            _ => Some(Place::Somewhere),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    At(i64),
    Somewhere,
}

/// So many bytes are written by one access at most.
const LARGEST_CELL: i64 = 16;

struct Finder<'a> {
    program: &'a Program,
    later: Later<'a>,
    parallel: Parallel,
    calls: Vec<Call<'a>>,
    writes: Vec<Write<'a>>,
}

impl Finder<'_> {
    fn destroyed(&self, changes: &mut Changes) {
        for destroy in self.calls.iter().filter(|call| call.role == Role::Destroy) {
            // Once it is initialised again, all is well.
            let later = self.later.after(destroy.sites.iter().copied(), |site| {
                self.calls
                    .iter()
                    .any(|call| call.role == Role::Init && call.sites.contains(&site) && call.is_same(destroy))
            });
            for call in self.calls.iter().filter(|call| call.role != Role::Init && call.is_same(destroy)) {
                let is_later = call.sites.iter().any(|site| later.contains(site));
                if is_later || self.parallel.may_happen(destroy.site, call.site) {
                    changes.checks.push((call.site, Check::NotDestroyed(call.pointer.clone(), call.kind.noun)));
                    changes.noted.extend(&destroy.memory);
                }
            }
        }
    }

    fn uninitialised(&self, changes: &mut Changes) {
        let mut bare: FxHashMap<(Target, &str, Position), FxHashSet<Site>> = FxHashMap::default();
        for call in self.calls.iter().filter(|call| call.role == Role::Use) {
            let mut comes_bare = |&&target: &&Target| {
                let key = (target, call.kind.noun, call.position);
                let sites = bare.entry(key).or_insert_with(|| self.bare(target, call));
                call.sites.iter().any(|site| sites.contains(site))
            };
            if let Some(target) = call.memory.iter().find(&mut comes_bare) {
                changes.checks.push((call.site, Check::Initialised(call.pointer.clone(), call.kind.noun)));
                changes.noted.insert(*target);
            }
        }
    }

    /// Where a way from an allocation leads on which nothing initialises what a call is about.
    fn bare(&self, target: Target, call: &Call<'_>) -> FxHashSet<Site> {
        let Target::Object { memory: Memory::Site(function, edge), context: Some(context), .. } = target else {
            return FxHashSet::default();
        };
        if !matches!(self.program.functions[function].edges[edge].stmt, Stmt::Alloc { zeroed: false, .. }) {
            return FxHashSet::default();
        }
        let inits = self.calls.iter().filter(|init| init.role == Role::Init && init.is_same(call));
        let is_written = |write: &&Write<'_>| {
            write.memory.contains(&target) && call.place_in(write.position, write.bytes, &write.memory).is_some()
        };
        let writes = self.writes.iter().filter(is_written).flat_map(|write| &write.sites);
        let ends: FxHashSet<Site> = inits.flat_map(|init| &init.sites).chain(writes).copied().collect();
        self.later.after([(context, edge)], |site| ends.contains(&site))
    }

    fn overwritten(&self, changes: &mut Changes) {
        let mut later: FxHashMap<(FunctionId, EdgeId), FxHashSet<Site>> = FxHashMap::default();
        for write in &self.writes {
            let mut parts = vec![(write.pointer, write.position, &write.memory)];
            // A copy matters where it is used as such.
            let is_used = |call: &Call<'_>| call.place_in(write.position, write.bytes, &write.memory).is_some();
            if let Some((pointer, position, memory)) = write.source.as_ref().filter(|_| self.calls.iter().any(is_used))
            {
                parts.push((pointer, *position, memory));
            }
            for (pointer, position, memory) in parts {
                let mut seen = BTreeSet::new();
                for call in &self.calls {
                    let Some(place) = call.place_in(position, write.bytes, memory) else { continue };
                    let later = later
                        .entry(call.site)
                        .or_insert_with(|| self.later.after(call.sites.iter().copied(), |_| false));
                    let is_later = write.sites.iter().any(|site| later.contains(site))
                        || self.parallel.may_happen(call.site, write.site);
                    if is_later && seen.insert(place) {
                        changes.checks.push((write.site, self.unused(write, pointer, place, call.kind.noun)));
                    }
                }
            }
        }
    }

    fn unused(&self, write: &Write<'_>, pointer: &Expr, place: Place, noun: &'static str) -> Check {
        let stmt = &self.program.functions[write.site.0].edges[write.site.1].stmt;
        match (place, stmt) {
            (Place::Somewhere, Stmt::Copy { len, .. } | Stmt::Set { len, .. }) => {
                Check::AllUnused(pointer.clone(), len.clone())
            }
            (Place::Somewhere, _) => Check::Unused(pointer.clone(), noun),
            (Place::At(offset), _) => Check::Unused(moved(self.program, pointer, offset as u128), noun),
        }
    }
}

fn moved(program: &Program, pointer: &Expr, bytes: u128) -> Expr {
    match bytes {
        0 => pointer.clone(),
        _ => Expr::offset(pointer.clone(), Expr::int(program.data_model.pointer_width(), bytes)),
    }
}

fn apply(program: &mut Program, mut changes: Changes) {
    let mut done: Vec<((FunctionId, EdgeId), Check)> = Vec::new();
    for item in changes.checks.drain(..) {
        if !done.contains(&item) {
            done.push(item);
        }
    }
    let width = program.data_model.pointer_width();
    for ((function, edge), pointer, role) in changes.notes {
        let mut chain = Chain::new(&mut program.functions[function], edge, role == Role::Init, width);
        chain.note(&pointer, Expr::int(32, if role == Role::Init { INITIALISED } else { DESTROYED }));
        chain.finish();
    }
    for ((function, edge), check) in done {
        let is_before = matches!(check, Check::NotDestroyed(..) | Check::Initialised(..));
        let mut chain = Chain::new(&mut program.functions[function], edge, is_before, width);
        match check {
            Check::NotDestroyed(pointer, noun) => {
                let state = chain.load(&pointer, 8);
                let cond = Expr::binary(BinaryOp::Ne, WORD, state, Expr::int(32, DESTROYED));
                let message = format!("use of a {noun} that was destroyed");
                chain.add(Stmt::Assert { cond, property: Property::Locks, message, is_defined: false });
            }
            Check::Initialised(pointer, noun) => {
                let state = chain.load(&pointer, 8);
                let byte = chain.load_from(pointer, Type::Int(8));
                let is_bare = Expr::binary(BinaryOp::Eq, WORD, state, Expr::int(32, 0));
                let is_other = Expr::binary(BinaryOp::Ne, Type::Int(8), byte, Expr::int(8, 0));
                let bad = Expr::binary(BinaryOp::And, Type::BOOL, is_bare, is_other);
                chain.refuse(bad, format!("use of a {noun} that was not initialised"));
            }
            Check::Unused(pointer, noun) => {
                chain.unused(&pointer, &format!("writing or copying the bytes of a {noun} in use"));
            }
            Check::AllUnused(pointer, len) => chain.all_unused(&pointer, &len),
        }
        chain.finish();
    }
}

/// Statements to be put before or after an edge.
struct Chain<'a> {
    function: &'a mut Function,
    edge: EdgeId,
    span: base::Span,
    last: LocId,
    /// Where it goes on after the chain, if that comes after the statement.
    next: Option<LocId>,
    pointer_width: u16,
}

impl<'a> Chain<'a> {
    /// A chain that comes before a statement, or after it.
    fn new(function: &'a mut Function, edge: EdgeId, is_before: bool, pointer_width: u16) -> Self {
        let Edge { from, to, span, .. } = function.edges[edge];
        let new = LocId::new(function.locs);
        function.locs += 1;
        if is_before {
            Chain { function, edge, span, last: from, next: None, pointer_width }
        } else {
            function.edges[edge].to = new;
            Chain { function, edge, span, last: new, next: Some(to), pointer_width }
        }
    }

    fn location(&mut self) -> LocId {
        self.function.locs += 1;
        LocId::new(self.function.locs - 1)
    }

    fn local(&mut self, ty: Type) -> LocalId {
        let name = format!("heddle.{}", self.function.locals.len());
        self.function.locals.push(Local { name, ty })
    }

    fn link(&mut self, from: LocId, to: LocId, stmt: Stmt) {
        self.function.edges.push(Edge { from, to, stmt, span: self.span });
    }

    fn add(&mut self, stmt: Stmt) {
        let (from, to) = (self.last, self.location());
        self.link(from, to, stmt);
        self.last = to;
    }

    /// A word of the record of an address.
    fn word(&self, pointer: &Expr, offset: u128) -> Expr {
        let record = Expr::Ghost(Box::new(pointer.clone()));
        Expr::offset(record, Expr::int(self.pointer_width, offset))
    }

    fn load(&mut self, pointer: &Expr, offset: u128) -> Expr {
        let ptr = self.word(pointer, offset);
        self.load_from(ptr, WORD)
    }

    fn load_from(&mut self, ptr: Expr, ty: Type) -> Expr {
        let dst = self.local(ty);
        self.add(Stmt::Load { dst, ty, ptr, access: RELAXED });
        Expr::Local(dst)
    }

    fn note(&mut self, pointer: &Expr, value: Expr) {
        let ptr = self.word(pointer, 8);
        self.add(Stmt::Store { ty: WORD, ptr, value, access: RELAXED });
    }

    /// What follows is not modelled if something holds.
    fn refuse(&mut self, bad: Expr, what: String) {
        let (from, refused, end, good) = (self.last, self.location(), self.location(), self.location());
        self.link(from, refused, Stmt::Assume(bad.clone()));
        self.link(refused, end, Stmt::Unmodelled(what));
        self.link(from, good, Stmt::Assume(Expr::negate(bad)));
        self.last = good;
    }

    fn unused(&mut self, pointer: &Expr, what: &str) {
        let words = [self.load(pointer, 0), self.load(pointer, 4), self.load(pointer, 8)];
        let [one, two, state] = words;
        let is_clear = |word| Expr::binary(BinaryOp::Eq, WORD, word, Expr::int(32, 0));
        let is_destroyed = Expr::binary(BinaryOp::Eq, WORD, state.clone(), Expr::int(32, DESTROYED));
        let is_gone = Expr::binary(BinaryOp::Or, Type::BOOL, is_clear(state), is_destroyed);
        let is_free = Expr::binary(BinaryOp::And, Type::BOOL, is_clear(one), is_clear(two));
        let good = Expr::binary(BinaryOp::And, Type::BOOL, is_free, is_gone);
        self.refuse(Expr::negate(good), what.to_owned());
        self.note(pointer, Expr::int(32, 0));
    }

    fn all_unused(&mut self, pointer: &Expr, len: &Expr) {
        let size = Type::Int(self.pointer_width);
        let number = |value| Expr::int(self.pointer_width, value);
        let (zero, four) = (number(0), number(4));
        let index = self.local(size);
        self.add(Stmt::Assign { dst: index, value: zero });
        let next = Expr::binary(BinaryOp::Add, size, Expr::Local(index), four);
        let goes_on = Expr::binary(BinaryOp::Ule, size, next.clone(), len.clone());
        let (head, body, end) = (self.last, self.location(), self.location());
        self.link(head, body, Stmt::Assume(goes_on.clone()));
        self.link(head, end, Stmt::Assume(Expr::negate(goes_on)));
        self.last = body;
        let here = Expr::offset(pointer.clone(), Expr::Local(index));
        self.unused(&here, "writing or copying the bytes of a mutex or the like in use");
        let from = self.last;
        self.link(from, head, Stmt::Assign { dst: index, value: next });
        self.last = end;
    }

    fn finish(self) {
        match self.next {
            None => self.function.edges[self.edge].from = self.last,
            Some(next) => {
                let ends = self.function.edges.iter_mut().filter(|edge| edge.to == self.last);
                ends.for_each(|edge| edge.to = next);
            }
        }
    }
}

const RELAXED: Access = Access { order: Order::Relaxed, volatile: false };
