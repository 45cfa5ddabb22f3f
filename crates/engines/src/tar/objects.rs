//! The objects of the value analysis: static ones, one per allocation site and context, their ghosts, functions, and
//! thread numbers. Everything that one allocation site creates is one object.

use super::value::{ObjectNumber, Value};
use crate::domains::Number;
use ir::analysis::{ContextId, Escape, PointsTo, Threads};
use ir::{AllocKind, EdgeId, FunctionId, Initial, ObjectId, ObjectKind, Program, Stmt, Symbol};
use rustc_hash::FxHashMap;

/// The identity of an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Name {
    /// A static object, or its ghost.
    Static(ObjectId, bool),
    /// Created by an `Alloc` in a context, or the ghost of that.
    Site(ContextId, EdgeId, bool),
    /// A function.
    Function(FunctionId),
    /// The number allocated by a `NewThread`.
    Thread(ContextId, EdgeId),
}

impl Name {
    /// Whether it is the ghost of an object.
    pub(super) fn is_ghost(self) -> bool {
        match self {
            Name::Static(_, ghost) | Name::Site(_, _, ghost) => ghost,
            Name::Function(_) | Name::Thread(..) => false,
        }
    }
}

/// What is known about an object.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) name: Name,
    /// Its size in bytes, if known.
    pub(super) size: Option<Number>,
    /// Whether at most one exists in the whole run, over all threads.
    pub(super) is_unique: bool,
    /// Whether at most one exists at a time per thread: two threads may have one each, and there may be several one
    /// after the other. So it is useless for comparisons between threads.
    pub(super) is_single: bool,
    /// Whether only one thread ever accesses it.
    pub(super) is_private: bool,
    /// Whether each thread has its own copy.
    pub(super) is_thread_local: bool,
    /// Whether it may not be written.
    pub(super) is_constant: bool,
    /// How it was allocated, if it was.
    pub(super) alloc: Option<AllocKind>,
    /// Whether it is initialised to zero.
    zeroed: bool,
}

impl Object {
    /// Whether it is memory.
    pub(super) fn is_memory(&self) -> bool {
        matches!(self.name, Name::Static(..) | Name::Site(..))
    }
}

/// All objects, by number.
pub(super) struct Objects<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    threads: &'a Threads,
    escape: &'a Escape,
    items: Vec<Object>,
    numbers: FxHashMap<Name, ObjectNumber>,
    /// By context: whether calls may be recursive there.
    is_recursive: Vec<bool>,
}

impl<'a> Objects<'a> {
    pub(super) fn new(program: &'a Program, points_to: &'a PointsTo, threads: &'a Threads, escape: &'a Escape) -> Self {
        let is_recursive = recursive_contexts(program, points_to);
        Objects { program, points_to, threads, escape, items: Vec::new(), numbers: FxHashMap::default(), is_recursive }
    }

    /// The object with a number.
    pub(super) fn get(&self, number: ObjectNumber) -> &Object {
        &self.items[number as usize]
    }

    /// The number of an object.
    pub(super) fn number(&mut self, name: Name) -> ObjectNumber {
        if let Some(&number) = self.numbers.get(&name) {
            return number;
        }
        let number = self.items.len() as ObjectNumber;
        let object = self.make(name);
        self.items.push(object);
        self.numbers.insert(name, number);
        number
    }

    /// The number of the ghost of an object; `None` if it has none.
    pub(super) fn ghost(&mut self, number: ObjectNumber) -> Option<ObjectNumber> {
        match self.get(number).name {
            Name::Static(object, false) => Some(self.number(Name::Static(object, true))),
            Name::Site(context, edge, false) => {
                let size = self.get(number).size;
                let ghost = self.number(Name::Site(context, edge, true));
                self.items[ghost as usize].size = size.and_then(|size| ghost_size(&size));
                Some(ghost)
            }
            Name::Static(..) | Name::Site(..) | Name::Function(_) | Name::Thread(..) => None,
        }
    }

    /// The body of a ghost; any other object itself.
    pub(super) fn body(&mut self, number: ObjectNumber) -> ObjectNumber {
        match self.get(number).name {
            Name::Static(object, true) => self.number(Name::Static(object, false)),
            Name::Site(context, edge, true) => self.number(Name::Site(context, edge, false)),
            Name::Static(..) | Name::Site(..) | Name::Function(_) | Name::Thread(..) => number,
        }
    }

    fn make(&self, name: Name) -> Object {
        let plain = Object {
            name,
            size: None,
            is_unique: true,
            is_single: true,
            is_private: false,
            is_thread_local: false,
            is_constant: false,
            alloc: None,
            zeroed: true,
        };
        match name {
            Name::Static(id, ghost) => {
                let object = &self.program.objects[id];
                let size = if ghost { ir::ghost_size(object.size) } else { object.size };
                Object {
                    size: Number::between(64, i128::from(size), i128::from(size)),
                    is_unique: object.kind != ObjectKind::ThreadLocal,
                    is_private: !self.escape.is_shared_object(id),
                    is_thread_local: object.kind == ObjectKind::ThreadLocal,
                    is_constant: object.kind == ObjectKind::Constant && !ghost,
                    ..plain
                }
            }
            Name::Site(context, edge, ghost) => {
                let function = self.points_to.contexts().function(context);
                let Stmt::Alloc { kind, zeroed, .. } = &self.program.functions[function].edges[edge].stmt else {
                    return Object { is_unique: false, is_single: false, ..plain };
                };
                let is_once = self.threads.is_once(self.program, self.points_to, context, edge);
                let is_private = !self.escape.is_shared_site(function, edge);
                let is_fresh_frame = *kind == AllocKind::Stack
                    && is_private
                    && !self.is_recursive[base::Id::index(context)]
                    && !ir::analysis::graph::on_cycle(&self.program.functions[function])
                        [self.program.functions[function].edges[edge].from];
                Object {
                    is_unique: is_once,
                    is_single: is_once || is_fresh_frame,
                    is_private,
                    alloc: Some(*kind),
                    zeroed: *zeroed || ghost,
                    ..plain
                }
            }
            Name::Function(_) => plain,
            Name::Thread(context, edge) => {
                let is_once = self.threads.is_once(self.program, self.points_to, context, edge);
                Object { is_unique: is_once, is_single: is_once, ..plain }
            }
        }
    }

    /// Records an allocation of a size.
    pub(super) fn allocate(&mut self, number: ObjectNumber, size: Option<Number>) {
        let old = &mut self.items[number as usize].size;
        *old = match (*old, size) {
            (Some(old), Some(size)) => Some(old.join(&size)),
            (None, size) => size,
            (Some(_), None) => Number::between(64, 0, i128::from(i64::MAX)),
        };
    }

    /// The initial contents of a piece of an object.
    pub(super) fn initial(&mut self, number: ObjectNumber, offset: &Number, bytes: u64) -> Value {
        let width = u16::try_from(bytes * 8).unwrap_or(u16::MAX);
        let zero = || Value::constant(width, 0);
        let object = self.get(number);
        let Name::Static(id, false) = object.name else {
            // A variable that was never set is an input: a number, whatever its type.
            return if object.zeroed { zero() } else { Value::any_number(width) };
        };
        let program = self.program;
        let Initial::Bytes { bytes: text, relocations } = &program.objects[id].initial else {
            return Value::anything();
        };
        if text.iter().all(|byte| *byte == 0) && relocations.is_empty() {
            return zero();
        }
        let Some(members) = offset.members(300) else {
            return if relocations.is_empty() { Value::any_number(width) } else { Value::anything() };
        };
        let mut value = Value::default();
        for at in members {
            let Ok(at) = u64::try_from(at) else { continue };
            let over = relocations.iter().find(|one| one.at < at + bytes && at < one.at + self.pointer_bytes());
            value = value.join(&match over {
                Some(one) if one.at == at && bytes == self.pointer_bytes() => {
                    let target = match one.symbol {
                        Symbol::Object(object) => self.number(Name::Static(object, false)),
                        Symbol::Function(function) => self.number(Name::Function(function)),
                    };
                    let by = Number::constant(64, one.offset as i128 as u128);
                    Value::to(target).moved(&by, 64)
                }
                Some(_) => Value::anything(),
                None => {
                    let byte = |index: u64| text.get((at + index) as usize).copied().unwrap_or(0);
                    let bits =
                        (0..bytes.min(16)).fold(0u128, |all, index| all | u128::from(byte(index)) << (8 * index));
                    Value::constant(width, bits)
                }
            });
        }
        value
    }

    fn pointer_bytes(&self) -> u64 {
        self.program.data_model.pointer_bytes()
    }

    /// The name of an object for people.
    pub(super) fn describe(&self, number: ObjectNumber) -> String {
        match self.get(number).name {
            Name::Static(object, _) => self.program.objects[object].name.clone(),
            Name::Function(function) => self.program.functions[function].name.clone(),
            Name::Thread(..) => "a thread".to_owned(),
            Name::Site(context, edge, _) => self.describe_site(context, edge),
        }
    }

    /// Whether an object has this description.
    pub(super) fn has(&self, name: &str) -> bool {
        (0..self.items.len()).any(|number| self.describe(number as ObjectNumber) == name)
    }

    fn describe_site(&self, context: ContextId, edge: EdgeId) -> String {
        let function = &self.program.functions[self.points_to.contexts().function(context)];
        let item = &function.edges[edge];
        let (mut span, mut caller) = (item.span, self.points_to.contexts().caller(context));
        while let (false, Some((outer, call))) = (self.program.is_users(span), caller) {
            span = self.program.functions[self.points_to.contexts().function(outer)].edges[call].span;
            caller = self.points_to.contexts().caller(outer);
        }
        match &item.stmt {
            Stmt::Alloc { kind: AllocKind::Stack, name, .. } => format!("{name} of {}", function.name),
            _ => format!("memory allocated at {}", self.program.place(span)),
        }
    }
}

fn ghost_size(size: &Number) -> Option<Number> {
    let of = |bytes: i128| u64::try_from(bytes).map(ir::ghost_size).map(i128::from);
    Number::between(64, of(size.low()).ok()?, of(size.high()).ok()?)
}

/// Per context: whether calls from it may lead back to it.
fn recursive_contexts(program: &Program, points_to: &PointsTo) -> Vec<bool> {
    let contexts = points_to.contexts();
    let successors: Vec<Vec<u32>> = contexts
        .ids()
        .map(|context| {
            let edges = program.functions[contexts.function(context)].edges.ids();
            edges
                .flat_map(|edge| points_to.callees(context, edge))
                .map(|callee| base::Id::index(*callee) as u32)
                .collect()
        })
        .collect();
    let mut is_recursive = vec![false; contexts.len()];
    for component in ir::analysis::graph::components(&successors) {
        let loops = component.len() > 1 || component.iter().any(|one| successors[*one as usize].contains(one));
        for index in component {
            is_recursive[index as usize] = loops;
        }
    }
    is_recursive
}
