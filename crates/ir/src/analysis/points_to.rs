//! Points-to analysis (Andersen, PhD thesis 1994): flow-insensitive, one set of contents per object, context-sensitive
//! for small functions (see `contexts`), with indirect calls resolved on the fly. Covers only code reachable from the
//! entry.
//!
//! Guarantee: in every defined run, if an access through an expression touches an object, that object is among the
//! expression's targets, or `Target::Unknown` or `Target::Everything` is, which both cover every object. Objects of one
//! allocation site (in one context) are one target; so are a thread-local object's copies. The ghost of an object is a
//! target of its own.
//!
//! Addresses are tracked through integers, too: an integer may hold what flowed into it from pointers by assignments,
//! arithmetic, and memory, whole or in parts, and yields it when it becomes a pointer again. An integer converted to a
//! pointer with `IntToPtr` is also `Unknown`, unless it is syntactically computed from a pointer in the same
//! expression; so are arbitrary pointers and pointers read from objects defined outside the program. The analysis
//! assumes that memory into which no address ever flowed, when read as a pointer, leads to no object: the interpreter
//! reports such an access or a gap.
//!
//! Thread numbers are tracked in the same way: `Target::Thread` is a number allocated by a `NewThread`,
//! `Target::AnyThread` a thread's own number.

use crate::analysis::constraints::{is_guess, leaf, Builder, ContextNodes, Leaf};
use crate::analysis::contexts::{ContextId, Contexts};
use crate::analysis::inclusion::{insert_all, Inclusion, NodeId, Set, EVERYTHING};
use crate::expr::{Expr, Type};
use crate::program::{EdgeId, FunctionId, ObjectId, Program};
use base::IdVec;
use rustc_hash::FxHashMap;

/// Memory, as far as the analyses distinguish it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Memory {
    /// A static object.
    Static(ObjectId),
    /// The objects allocated by an `Alloc`.
    Site(FunctionId, EdgeId),
}

/// A target of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// An object or its ghost. Sites are distinguished by context.
    Object {
        /// Which object.
        memory: Memory,
        /// The context of an allocation site.
        context: Option<ContextId>,
        /// Whether it is the ghost.
        ghost: bool,
    },
    /// A function.
    Function(FunctionId),
    /// The thread created by a `NewThread`.
    Thread(ContextId, EdgeId),
    /// Some thread.
    AnyThread,
    /// An integer converted to a pointer: any object at that address.
    Unknown,
    /// All of the above, when there are too many targets.
    Everything,
}

impl Target {
    pub(super) fn of_static(object: ObjectId) -> Target {
        Target::Object { memory: Memory::Static(object), context: None, ghost: false }
    }

    /// The ghost of this target.
    pub(super) fn ghost(self) -> Option<Target> {
        match self {
            Target::Object { memory, context, .. } => Some(Target::Object { memory, context, ghost: true }),
            Target::Unknown | Target::Everything => Some(self),
            Target::Function(_) | Target::Thread(..) | Target::AnyThread => None,
        }
    }
}

/// The targets of an expression, over all contexts.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Pointees {
    /// Objects, with a flag for their ghost, in order.
    pub objects: Vec<(Memory, bool)>,
    /// Functions, in order.
    pub functions: Vec<FunctionId>,
    /// Whether it may point to anything else.
    pub is_unknown: bool,
    /// Whether it may be a thread number.
    pub has_threads: bool,
}

/// The solution for a program.
#[derive(Debug)]
pub struct PointsTo {
    contexts: Contexts,
    inclusion: Inclusion,
    nodes: IdVec<ContextId, ContextNodes>,
    calls: FxHashMap<(ContextId, EdgeId), Vec<ContextId>>,
    spawns: FxHashMap<(ContextId, EdgeId), Vec<ContextId>>,
    entry: ContextId,
    /// The targets of pointers made from integers, by a cast or through memory.
    from_integers: Set,
    result: NodeId,
}

impl PointsTo {
    /// Analyses a valid program.
    pub fn new(program: &Program) -> PointsTo {
        let mut builder = Builder::new(program);
        builder.run();
        let from_integers = builder.made_from_integers();
        PointsTo {
            contexts: builder.contexts,
            inclusion: builder.inclusion,
            nodes: builder.nodes,
            calls: builder.calls,
            spawns: builder.spawns,
            entry: builder.entry,
            from_integers,
            result: builder.result,
        }
    }

    /// The contexts of the reachable functions.
    pub fn contexts(&self) -> &Contexts {
        &self.contexts
    }

    /// The context of the program's entry.
    pub fn entry(&self) -> ContextId {
        self.entry
    }

    /// The possible callees of a `Call`.
    pub fn callees(&self, context: ContextId, edge: EdgeId) -> &[ContextId] {
        self.calls.get(&(context, edge)).map_or(&[], Vec::as_slice)
    }

    /// The possible entry functions of a `Spawn`.
    pub fn spawned(&self, context: ContextId, edge: EdgeId) -> &[ContextId] {
        self.spawns.get(&(context, edge)).map_or(&[], Vec::as_slice)
    }

    /// The possible targets of an expression.
    pub fn targets(&self, context: ContextId, expr: &Expr) -> Vec<Target> {
        self.numbers(context, expr).into_iter().map(|number| self.inclusion.target(number)).collect()
    }

    /// The possible targets of an expression, over all contexts of the function.
    pub fn pointees(&self, function: FunctionId, expr: &Expr) -> Pointees {
        let mut pointees = Pointees::default();
        for &context in self.contexts.of_function(function) {
            for target in self.targets(context, expr) {
                match target {
                    Target::Object { memory, ghost, .. } => pointees.objects.push((memory, ghost)),
                    Target::Function(function) => pointees.functions.push(function),
                    Target::Unknown | Target::Everything => pointees.is_unknown = true,
                    Target::Thread(..) | Target::AnyThread => pointees.has_threads = true,
                }
            }
        }
        pointees.objects.sort_unstable();
        pointees.objects.dedup();
        pointees.functions.sort_unstable();
        pointees.functions.dedup();
        pointees
    }

    /// The possible targets of an expression, as numbers.
    pub(super) fn numbers(&self, context: ContextId, expr: &Expr) -> Set {
        let mut set = Set::new();
        self.collect(self.nodes[context], expr, &mut set);
        set
    }

    fn collect(&self, nodes: ContextNodes, expr: &Expr, set: &mut Set) {
        let add = |set: &mut Set, target| insert_all(set, self.inclusion.find_number(target).as_slice());
        match leaf(expr) {
            Leaf::Nothing => {}
            Leaf::Target(target) => add(set, target),
            Leaf::Local(local) => insert_all(set, self.inclusion.set(nodes.local(local))),
            Leaf::Parts(parts) => {
                if is_guess(expr) {
                    add(set, Target::Unknown);
                }
                for part in parts.into_iter().flatten() {
                    self.collect(nodes, part, set);
                }
            }
            Leaf::GhostOf(part) => {
                let mut inner = Set::new();
                self.collect(nodes, part, &mut inner);
                for number in inner {
                    if let Some(ghost) = self.inclusion.target(number).ghost() {
                        add(set, ghost);
                    }
                }
            }
        }
    }

    /// The target with a number.
    pub(super) fn target(&self, number: u32) -> Target {
        self.inclusion.target(number)
    }

    /// The number of a target, if anything may point to it.
    pub(super) fn find_number(&self, target: Target) -> Option<u32> {
        self.inclusion.find_number(target)
    }

    /// Number of targets.
    pub(super) fn target_count(&self) -> usize {
        self.inclusion.targets().len()
    }

    /// The pointers that can be read from an object's memory: values stored as pointers, and values stored as integers
    /// if these are converted to pointers anywhere.
    pub(super) fn pointers_in(&self, number: u32) -> Set {
        let Some([pointers, integers]) = self.inclusion.contents(number) else { return Set::new() };
        let mut set = self.inclusion.set(pointers).clone();
        insert_all(&mut set, &self.only_from_integers(self.inclusion.set(integers)));
        set
    }

    /// The subset that integers are converted to.
    fn only_from_integers(&self, set: &Set) -> Set {
        if self.from_integers.first() == Some(&EVERYTHING) {
            return set.clone();
        }
        if set.first() == Some(&EVERYTHING) {
            return self.from_integers.clone();
        }
        set.iter().copied().filter(|number| self.from_integers.binary_search(number).is_ok()).collect()
    }

    /// The pointers that a value of this type may hold.
    pub(super) fn pointers_of(&self, context: ContextId, expr: &Expr, ty: Type) -> Set {
        let set = self.numbers(context, expr);
        match ty {
            Type::Ptr => set,
            Type::Int(_) => self.only_from_integers(&set),
        }
    }

    /// The possible targets of the results of threads.
    pub(super) fn thread_results(&self) -> &Set {
        self.inclusion.set(self.result)
    }
}
