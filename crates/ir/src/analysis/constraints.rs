//! Generates the constraints of `points_to`: the inclusions of each statement, for the reachable contexts, and of calls
//! through pointers as they are resolved.

use crate::analysis::contexts::{ContextId, Contexts};
use crate::analysis::inclusion::{insert_all, Inclusion, NodeId, Set, Stored, EVERYTHING};
use crate::analysis::points_to::{Memory, Target};
use crate::expr::{BinaryOp, CastOp, Expr, Type};
use crate::program::{EdgeId, FunctionId, Initial, LocalId, ObjectId, Program, Symbol};
use crate::stmt::{Callee, Stmt};
use base::{Id, IdVec};
use rustc_hash::{FxHashMap, FxHashSet};

/// The nodes of a context: its locals first, then its results.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContextNodes {
    first: usize,
    locals: usize,
}

impl ContextNodes {
    pub(super) fn local(self, local: LocalId) -> NodeId {
        NodeId::new(self.first + local.index())
    }

    fn returned(self, index: usize) -> NodeId {
        NodeId::new(self.first + self.locals + index)
    }
}

/// The sources of an expression's targets.
pub(super) enum Leaf<'e> {
    Nothing,
    Target(Target),
    Local(LocalId),
    Parts([Option<&'e Expr>; 2]),
    GhostOf(&'e Expr),
}

pub(super) fn leaf(expr: &Expr) -> Leaf<'_> {
    match expr {
        Expr::Int { .. } | Expr::Null => Leaf::Nothing,
        Expr::SelfThread => Leaf::Target(Target::AnyThread),
        Expr::Local(local) => Leaf::Local(*local),
        Expr::Object(object) => Leaf::Target(Target::of_static(*object)),
        Expr::Function(function) => Leaf::Target(Target::Function(*function)),
        Expr::Binary { op, .. } if op.is_comparison() => Leaf::Nothing,
        Expr::Binary { lhs, rhs, .. } => Leaf::Parts([Some(lhs), Some(rhs)]),
        Expr::Unary { arg, .. } | Expr::Cast { arg, .. } => Leaf::Parts([Some(arg), None]),
        Expr::Select { then, otherwise, .. } => Leaf::Parts([Some(then), Some(otherwise)]),
        // A pointer that is moved still points into its object.
        Expr::Offset { base, .. } => Leaf::Parts([Some(base), None]),
        Expr::Ghost(arg) => Leaf::GhostOf(arg),
    }
}

/// Whether this converts an integer of unknown origin into a pointer. Constants are not addresses of objects of the
/// program.
pub(super) fn is_guess(expr: &Expr) -> bool {
    if let Expr::Cast { op: CastOp::IntToPtr, arg, .. } = expr {
        !comes_from_pointer(arg) && !matches!(**arg, Expr::Int { .. })
    } else {
        false
    }
}

/// Whether an integer is syntactically the address of one pointer, moved or with bits set or cleared.
fn comes_from_pointer(expr: &Expr) -> bool {
    use BinaryOp::{Add, And, Or, Sub, Xor};
    match expr {
        Expr::Cast { op, .. } => *op == CastOp::PtrToInt,
        Expr::Binary { op: Add | And | Or | Xor, lhs, rhs, .. } => comes_from_pointer(lhs) != comes_from_pointer(rhs),
        Expr::Binary { op: Sub, lhs, rhs, .. } => comes_from_pointer(lhs) && !comes_from_pointer(rhs),
        Expr::Select { then, otherwise, .. } => comes_from_pointer(then) && comes_from_pointer(otherwise),
        Expr::Int { .. }
        | Expr::Null
        | Expr::Local(_)
        | Expr::Object(_)
        | Expr::Function(_)
        | Expr::SelfThread
        | Expr::Unary { .. }
        | Expr::Binary { .. }
        | Expr::Offset { .. }
        | Expr::Ghost(_) => false,
    }
}

/// A call or spawn through a pointer.
#[derive(Clone, Copy, Debug)]
struct Site {
    context: ContextId,
    edge: EdgeId,
}

pub(super) struct Builder<'p> {
    program: &'p Program,
    pub(super) contexts: Contexts,
    pub(super) inclusion: Inclusion,
    pub(super) nodes: IdVec<ContextId, ContextNodes>,
    pub(super) calls: FxHashMap<(ContextId, EdgeId), Vec<ContextId>>,
    pub(super) spawns: FxHashMap<(ContextId, EdgeId), Vec<ContextId>>,
    pub(super) entry: ContextId,
    pub(super) result: NodeId,
    /// Calls and spawns through pointers, by number.
    indirect: Vec<Site>,
    /// Contexts whose statements have not been processed yet.
    fresh: Vec<ContextId>,
    /// Static objects whose initial contents have been added.
    initialised: FxHashSet<ObjectId>,
    /// Pointers through which pointers are loaded.
    pointer_loads: Vec<NodeId>,
    /// Integers that are cast to pointers.
    casts: Vec<NodeId>,
    /// Functions whose address is taken somewhere.
    address_taken: Vec<FunctionId>,
    by_sources: FxHashMap<Sources, NodeId>,
    ghosts: FxHashMap<NodeId, NodeId>,
}

/// The sources of an expression's targets.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
struct Sources {
    nodes: Vec<NodeId>,
    targets: Set,
}

impl<'p> Builder<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        let mut inclusion = Inclusion::new();
        let result = inclusion.new_node();
        let mut builder = Builder {
            program,
            contexts: Contexts::new(program),
            inclusion,
            nodes: IdVec::new(),
            calls: FxHashMap::default(),
            spawns: FxHashMap::default(),
            entry: ContextId::new(0),
            result,
            indirect: Vec::new(),
            fresh: Vec::new(),
            initialised: FxHashSet::default(),
            pointer_loads: Vec::new(),
            casts: Vec::new(),
            address_taken: address_taken(program),
            by_sources: FxHashMap::default(),
            ghosts: FxHashMap::default(),
        };
        let (entry, is_new) = builder.contexts.shared(program.entry);
        builder.entry = builder.enter(entry, is_new);
        builder
    }

    pub(super) fn run(&mut self) {
        loop {
            while let Some(context) = self.fresh.pop() {
                let function = self.contexts.function(context);
                for (edge, item) in self.program.functions[function].edges.enumerate() {
                    self.stmt(Site { context, edge }, &item.stmt);
                }
            }
            let resolved = self.inclusion.solve();
            if resolved.is_empty() {
                return;
            }
            for (call, target) in resolved {
                let functions = match target {
                    Target::Function(function) => vec![function],
                    Target::Unknown | Target::Everything => self.address_taken.clone(),
                    Target::Object { .. } | Target::Thread(..) | Target::AnyThread => vec![],
                };
                for function in functions {
                    self.resolve(self.indirect[call as usize], function);
                }
            }
        }
    }

    /// Creates the nodes of a new context.
    fn enter(&mut self, context: ContextId, is_new: bool) -> ContextId {
        if is_new {
            let function = &self.program.functions[self.contexts.function(context)];
            let first = self.inclusion.new_node().index();
            for _ in 1..function.locals.len() + function.returns.len() + 1 {
                self.inclusion.new_node();
            }
            let id = self.nodes.push(ContextNodes { first, locals: function.locals.len() });
            assert!(id == context, "contexts should be entered in order");
            self.fresh.push(context);
        }
        context
    }

    /// The targets of pointers made from integers, anywhere.
    pub(super) fn made_from_integers(&self) -> Set {
        let mut set = Set::new();
        for &node in &self.casts {
            insert_all(&mut set, self.inclusion.set(node));
        }
        let mut is_read = vec![false; self.inclusion.targets().len()];
        for &node in &self.pointer_loads {
            for &number in self.inclusion.set(node) {
                is_read[number as usize] = true;
            }
        }
        let unknown = self.inclusion.find_number(Target::Unknown);
        let reads_anything = unknown.into_iter().chain([EVERYTHING]).any(|number| is_read[number as usize]);
        for number in 0..is_read.len() as u32 {
            if is_read[number as usize] || reads_anything {
                if let Some([_, integers]) = self.inclusion.contents(number) {
                    insert_all(&mut set, self.inclusion.set(integers));
                }
            }
        }
        set
    }

    // Expressions.

    fn number(&mut self, target: Target) -> u32 {
        let number = self.inclusion.number(target);
        if let Target::Object { memory: Memory::Static(object), ghost: false, .. } = target {
            if self.initialised.insert(object) {
                self.initialise(object, number);
            }
        }
        number
    }

    fn initialise(&mut self, object: ObjectId, number: u32) {
        let Some([pointers, _]) = self.inclusion.contents(number) else { return };
        let program = self.program;
        match &program.objects[object].initial {
            Initial::Arbitrary => {
                let unknown = self.number(Target::Unknown);
                self.inclusion.add_target(pointers, unknown);
            }
            Initial::Bytes { relocations, .. } => {
                for relocation in relocations {
                    let target = match relocation.symbol {
                        Symbol::Object(object) => Target::of_static(object),
                        Symbol::Function(function) => Target::Function(function),
                    };
                    let target = self.number(target);
                    self.inclusion.add_target(pointers, target);
                }
            }
        }
    }

    /// Adds `expr ⊆ node`.
    fn flow(&mut self, nodes: ContextNodes, expr: &Expr, node: NodeId) {
        let sources = self.sources(nodes, expr);
        self.connect(&sources, node);
    }

    fn connect(&mut self, sources: &Sources, node: NodeId) {
        for &number in &sources.targets {
            self.inclusion.add_target(node, number);
        }
        for &source in &sources.nodes {
            self.inclusion.add_edge(source, node);
        }
    }

    /// A node for an expression. Expressions with the same sources share a node: there are far fewer of those, and each
    /// node through which memory is accessed may lead to many objects.
    fn node(&mut self, nodes: ContextNodes, expr: &Expr) -> NodeId {
        let sources = self.sources(nodes, expr);
        if let (&[single], []) = (sources.nodes.as_slice(), sources.targets.as_slice()) {
            return single;
        }
        if let Some(&node) = self.by_sources.get(&sources) {
            return node;
        }
        let node = self.inclusion.new_node();
        self.connect(&sources, node);
        self.by_sources.insert(sources, node);
        node
    }

    fn sources(&mut self, nodes: ContextNodes, expr: &Expr) -> Sources {
        let mut sources = Sources::default();
        self.add_sources(nodes, expr, &mut sources);
        sources.nodes.sort_unstable();
        sources.nodes.dedup();
        sources.targets.sort_unstable();
        sources.targets.dedup();
        sources
    }

    fn add_sources(&mut self, nodes: ContextNodes, expr: &Expr, sources: &mut Sources) {
        match leaf(expr) {
            Leaf::Nothing => {}
            Leaf::Target(target) => sources.targets.push(self.number(target)),
            Leaf::Local(local) => sources.nodes.push(nodes.local(local)),
            Leaf::Parts(parts) => {
                if is_guess(expr) {
                    sources.targets.push(self.number(Target::Unknown));
                }
                for part in parts.into_iter().flatten() {
                    self.add_sources(nodes, part, sources);
                }
                if let Expr::Cast { op: CastOp::IntToPtr, arg, .. } = expr {
                    let operand = self.node(nodes, arg);
                    self.casts.push(operand);
                }
            }
            Leaf::GhostOf(part) => {
                let base = self.node(nodes, part);
                let ghost = match self.ghosts.get(&base) {
                    Some(&ghost) => ghost,
                    None => {
                        let ghost = self.inclusion.new_node();
                        self.inclusion.add_ghost_edge(base, ghost);
                        self.ghosts.insert(base, ghost);
                        ghost
                    }
                };
                sources.nodes.push(ghost);
            }
        }
    }

    // Statements.

    fn load(&mut self, nodes: ContextNodes, ptr: &Expr, ty: Type, dst: NodeId) {
        let ptr = self.node(nodes, ptr);
        self.inclusion.add_load(ptr, dst);
        if ty == Type::Ptr {
            self.pointer_loads.push(ptr);
        }
    }

    fn store(&mut self, nodes: ContextNodes, ptr: &Expr, ty: Type, value: &Expr) {
        let (ptr, value) = (self.node(nodes, ptr), self.node(nodes, value));
        let stored = if ty == Type::Ptr { Stored::Pointer } else { Stored::Integer };
        self.inclusion.add_store(ptr, value, stored);
    }

    fn stmt(&mut self, site: Site, stmt: &Stmt) {
        let nodes = self.nodes[site.context];
        match stmt {
            Stmt::Assign { dst, value } => self.flow(nodes, value, nodes.local(*dst)),
            Stmt::Havoc { dst, .. } => {
                let function = &self.program.functions[self.contexts.function(site.context)];
                if function.locals[*dst].ty == Type::Ptr {
                    let unknown = self.number(Target::Unknown);
                    self.inclusion.add_target(nodes.local(*dst), unknown);
                }
            }
            Stmt::Load { dst, ty, ptr, .. } => self.load(nodes, ptr, *ty, nodes.local(*dst)),
            Stmt::Store { ty, ptr, value, .. } => self.store(nodes, ptr, *ty, value),
            Stmt::Rmw { dst, ty, ptr, value, .. } => {
                self.load(nodes, ptr, *ty, nodes.local(*dst));
                self.store(nodes, ptr, *ty, value);
            }
            Stmt::CompareExchange { old, ty, ptr, desired, .. } => {
                self.load(nodes, ptr, *ty, nodes.local(*old));
                self.store(nodes, ptr, *ty, desired);
            }
            Stmt::Await { dst, ty, ptr, update, .. } => {
                self.load(nodes, ptr, *ty, nodes.local(*dst));
                if let Some(update) = update {
                    self.store(nodes, ptr, *ty, update);
                }
            }
            Stmt::Copy { dst, src, .. } => self.copy(nodes, dst, src),
            Stmt::Set { dst, byte, .. } => self.store(nodes, dst, Type::Int(8), byte),
            Stmt::Alloc { dst, .. } => {
                let memory = Memory::Site(self.contexts.function(site.context), site.edge);
                let number = self.number(Target::Object { memory, context: Some(site.context), ghost: false });
                self.inclusion.add_target(nodes.local(*dst), number);
            }
            Stmt::Call { callee, .. } | Stmt::Spawn { callee, .. } => self.call(site, nodes, callee),
            Stmt::Return(values) => {
                for (index, value) in values.iter().enumerate() {
                    self.flow(nodes, value, nodes.returned(index));
                }
            }
            Stmt::ExitThread(value) => self.flow(nodes, value, self.result),
            Stmt::NewThread { dst } => {
                let number = self.number(Target::Thread(site.context, site.edge));
                self.inclusion.add_target(nodes.local(*dst), number);
            }
            Stmt::Join { dst, .. } => {
                if let Some(dst) = dst {
                    self.inclusion.add_edge(self.result, nodes.local(*dst));
                }
            }
            // Other analyses query the targets of these.
            Stmt::Free { ptr } | Stmt::Expire { ptr } | Stmt::Lock { ptr } | Stmt::Unlock { ptr } => {
                self.node(nodes, ptr);
            }
            Stmt::Skip
            | Stmt::Assume(_)
            | Stmt::Assert { .. }
            | Stmt::Fence(_)
            | Stmt::Detach { .. }
            | Stmt::AtomicBegin { .. }
            | Stmt::AtomicEnd { .. }
            | Stmt::Exit
            | Stmt::Unmodelled(_) => {}
        }
    }

    fn copy(&mut self, nodes: ContextNodes, dst: &Expr, src: &Expr) {
        // Integers count as pointers at the destination: distinguishing them would take two nodes.
        let (dst, src) = (self.node(nodes, dst), self.node(nodes, src));
        let moved = self.inclusion.new_node();
        self.inclusion.add_load(src, moved);
        self.inclusion.add_store(dst, moved, Stored::Pointer);
    }

    fn call(&mut self, site: Site, nodes: ContextNodes, callee: &Callee) {
        match callee {
            Callee::Direct(function) => self.resolve(site, *function),
            Callee::Indirect(expr) => {
                let ptr = self.node(nodes, expr);
                self.indirect.push(site);
                self.inclusion.add_call(ptr, self.indirect.len() as u32 - 1);
            }
        }
    }

    /// Adds a target to a call or spawn.
    fn resolve(&mut self, site: Site, function: FunctionId) {
        let program = self.program;
        let stmt = &program.functions[self.contexts.function(site.context)].edges[site.edge].stmt;
        let is_call = matches!(stmt, Stmt::Call { .. });
        let known = if is_call { &self.calls } else { &self.spawns }.get(&(site.context, site.edge));
        if known.is_some_and(|callees| callees.iter().any(|&callee| self.contexts.function(callee) == function)) {
            return;
        }
        let is_direct = matches!(
            stmt,
            Stmt::Call { callee: Callee::Direct(_), .. } | Stmt::Spawn { callee: Callee::Direct(_), .. }
        );
        // Copies of indirect callees could be created without end: a copy may call its like.
        let (context, is_new) = if is_direct {
            self.contexts.called_from(site.context, site.edge, function)
        } else {
            self.contexts.shared(function)
        };
        let callee = self.enter(context, is_new);
        let callees = if is_call { &mut self.calls } else { &mut self.spawns };
        callees.entry((site.context, site.edge)).or_default().push(callee);
        let (outer, inner) = (self.nodes[site.context], self.nodes[callee]);
        if let Stmt::Call { args, .. } | Stmt::Spawn { args, .. } = stmt {
            for (arg, &param) in args.iter().zip(&program.functions[function].params) {
                self.flow(outer, arg, inner.local(param));
            }
        }
        if let Stmt::Call { dsts, .. } = stmt {
            for (index, &dst) in dsts.iter().enumerate().take(program.functions[function].returns.len()) {
                self.inclusion.add_edge(inner.returned(index), outer.local(dst));
            }
        } else if !program.functions[function].returns.is_empty() {
            self.inclusion.add_edge(inner.returned(0), self.result);
        }
    }
}

/// The functions whose address is taken.
fn address_taken(program: &Program) -> Vec<FunctionId> {
    let mut is_taken = IdVec::filled(false, program.functions.len());
    for object in program.objects.iter() {
        if let Initial::Bytes { relocations, .. } = &object.initial {
            for relocation in relocations {
                if let Symbol::Function(function) = relocation.symbol {
                    is_taken[function] = true;
                }
            }
        }
    }
    for function in program.functions.iter() {
        for edge in function.edges.iter() {
            for expr in edge.stmt.exprs() {
                expr.for_each(&mut |part| {
                    if let Expr::Function(function) = part {
                        is_taken[*function] = true;
                    }
                });
            }
        }
    }
    is_taken.enumerate().filter(|(_, taken)| **taken).map(|(id, _)| id).collect()
}
