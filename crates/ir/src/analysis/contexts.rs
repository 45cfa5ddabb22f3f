//! Context sensitivity: copies of small functions, one for each call site, up to a budget, so that results for a
//! wrapper around `Spawn`, `Lock` or `Alloc` are not merged over all its callers. Large and recursive functions, and
//! indirectly called ones, have one context for all callers.
//!
//! Contexts exist only for functions that `points_to` finds to be reachable.

use crate::analysis::graph;
use crate::program::{EdgeId, FunctionId, Program};
use crate::stmt::{Callee, Stmt};
use base::{define_id, Id, IdVec};
use rustc_hash::FxHashMap;

define_id!(
    /// A function in a context. Prints as `c3`.
    ContextId, "c");

/// A function together with the call it is analysed for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Context {
    function: FunctionId,
    /// The call or spawn that created this context; `None` if it stands for all callers.
    caller: Option<(ContextId, EdgeId)>,
}

/// All contexts of a program.
#[derive(Clone, Debug)]
pub struct Contexts {
    contexts: IdVec<ContextId, Context>,
    shared: FxHashMap<FunctionId, ContextId>,
    copies: FxHashMap<(ContextId, EdgeId, FunctionId), ContextId>,
    by_function: IdVec<FunctionId, Vec<ContextId>>,
    /// Number of edges of a function, if it may be copied.
    copied_edges: IdVec<FunctionId, Option<usize>>,
    /// Number of edges that may still be copied.
    budget: usize,
}

/// Maximum number of edges of a copied function, including its callees.
const LARGEST_COPY: usize = 80;

impl Contexts {
    pub(crate) fn new(program: &Program) -> Contexts {
        let edges: usize = program.functions.iter().map(|function| function.edges.len()).sum();
        Contexts {
            contexts: IdVec::new(),
            shared: FxHashMap::default(),
            copies: FxHashMap::default(),
            by_function: IdVec::filled(Vec::new(), program.functions.len()),
            copied_edges: copied_edges(program),
            budget: 4 * edges + 20_000,
        }
    }

    /// The shared context of a function, and whether it is new.
    pub(crate) fn shared(&mut self, function: FunctionId) -> (ContextId, bool) {
        if let Some(&id) = self.shared.get(&function) {
            return (id, false);
        }
        let id = self.push(Context { function, caller: None });
        self.shared.insert(function, id);
        (id, true)
    }

    /// The context for a call of a function from a place, and whether it is new.
    pub(crate) fn called_from(&mut self, caller: ContextId, edge: EdgeId, function: FunctionId) -> (ContextId, bool) {
        if let Some(&id) = self.copies.get(&(caller, edge, function)) {
            return (id, false);
        }
        match self.copied_edges[function] {
            Some(size) if size <= self.budget => {
                self.budget -= size;
                let id = self.push(Context { function, caller: Some((caller, edge)) });
                self.copies.insert((caller, edge, function), id);
                (id, true)
            }
            _ => self.shared(function),
        }
    }

    fn push(&mut self, context: Context) -> ContextId {
        let id = self.contexts.push(context);
        self.by_function[context.function].push(id);
        id
    }

    /// The function of a context.
    pub fn function(&self, context: ContextId) -> FunctionId {
        self.contexts[context].function
    }

    /// The call that a context is for; `None` if it stands for all callers.
    pub fn caller(&self, context: ContextId) -> Option<(ContextId, EdgeId)> {
        self.contexts[context].caller
    }

    /// The contexts of a function; none if it is not reachable.
    pub fn of_function(&self, function: FunctionId) -> &[ContextId] {
        &self.by_function[function]
    }

    /// All contexts.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = ContextId> + ExactSizeIterator + 'static {
        self.contexts.ids()
    }

    /// Number of contexts.
    #[allow(clippy::len_without_is_empty, reason = "the entry always has one")]
    pub fn len(&self) -> usize {
        self.contexts.len()
    }
}

/// Per function: its number of edges including those of its callees, once per call, if small.
fn copied_edges(program: &Program) -> IdVec<FunctionId, Option<usize>> {
    let direct_callee = |stmt: &Stmt| {
        if let Stmt::Call { callee: Callee::Direct(callee), .. } | Stmt::Spawn { callee: Callee::Direct(callee), .. } =
            stmt
        {
            Some(callee.index() as u32)
        } else {
            None
        }
    };
    let callees: Vec<Vec<u32>> = program
        .functions
        .iter()
        .map(|function| function.edges.iter().filter_map(|edge| direct_callee(&edge.stmt)).collect())
        .collect();
    let mut expanded = vec![usize::MAX; program.functions.len()];
    let mut copied: IdVec<FunctionId, Option<usize>> = IdVec::filled(None, program.functions.len());
    for component in graph::components(&callees) {
        let [single] = component.as_slice() else { continue };
        let index = *single as usize;
        if callees[index].contains(single) {
            continue;
        }
        let own = program.functions[FunctionId::new(index)].edges.len();
        // A function too large to be copied has one context, which costs nothing here.
        let cost = |callee: &u32| Some(expanded[*callee as usize]).filter(|&size| size <= LARGEST_COPY).unwrap_or(0);
        expanded[index] = own + callees[index].iter().map(cost).sum::<usize>();
        if expanded[index] <= LARGEST_COPY {
            copied[FunctionId::new(index)] = Some(own);
        }
    }
    copied
}
