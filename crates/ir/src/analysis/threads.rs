//! The kinds of threads that a program starts. A template is a place that starts threads together with the code they
//! run: the first thread is one, and each `Spawn` (in each context) with each function it may start is another.
//!
//! Guarantee: every thread of every run is an instance of a template, and of a template that is not `is_many` there is
//! at most one instance in a run. A thread executes only code of its template's contexts.
//!
//! At most 64 templates are distinguished, so that a set of them is one word; if there are more, those with the same
//! entry function are merged, and then all but the first thread.

use crate::analysis::contexts::ContextId;
use crate::analysis::graph;
use crate::analysis::points_to::PointsTo;
use crate::program::{EdgeId, FunctionId, LocId, Program};
use crate::stmt::Stmt;
use base::{define_id, Id, IdVec};
use rustc_hash::FxHashMap;

define_id!(
    /// A kind of threads. Prints as `t3`; `t0` is the first thread.
    TemplateId, "t");

/// A set of templates.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct ThreadSet(u64);

impl ThreadSet {
    /// The empty set.
    pub const EMPTY: ThreadSet = ThreadSet(0);
    /// The full set.
    pub(crate) const ALL: ThreadSet = ThreadSet(u64::MAX);

    /// A singleton.
    pub fn one(template: TemplateId) -> ThreadSet {
        ThreadSet(1 << template.index())
    }

    /// Whether a template is an element.
    pub fn contains(self, template: TemplateId) -> bool {
        self.0 >> template.index() & 1 == 1
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of elements.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The union.
    #[must_use]
    pub fn union(self, other: ThreadSet) -> ThreadSet {
        ThreadSet(self.0 | other.0)
    }

    /// The intersection.
    #[must_use]
    pub fn intersection(self, other: ThreadSet) -> ThreadSet {
        ThreadSet(self.0 & other.0)
    }

    /// The difference.
    #[must_use]
    pub fn without(self, other: ThreadSet) -> ThreadSet {
        ThreadSet(self.0 & !other.0)
    }

    /// The elements, in order.
    pub fn iter(self) -> impl Iterator<Item = TemplateId> {
        (0..64).filter(move |index| self.0 >> index & 1 == 1).map(TemplateId::new)
    }
}

/// A kind of threads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    /// The entry contexts of its threads.
    pub entries: Vec<ContextId>,
    /// The `Spawn` edges that start them; none for the first thread.
    pub sites: Vec<(ContextId, EdgeId)>,
    /// Whether a run may have more than one of them.
    pub is_many: bool,
    /// All contexts whose code they may run, in order.
    pub contexts: Vec<ContextId>,
    /// All templates that its threads start, transitively.
    pub descendants: ThreadSet,
}

/// All templates of a program.
#[derive(Clone, Debug)]
pub struct Threads {
    templates: IdVec<TemplateId, Template>,
    /// The templates that a `Spawn` starts.
    started: FxHashMap<(ContextId, EdgeId), ThreadSet>,
    /// The templates that run the code of a context.
    running: IdVec<ContextId, ThreadSet>,
    counts: IdVec<ContextId, Count>,
    on_cycle: IdVec<FunctionId, IdVec<LocId, bool>>,
}

/// How often something is executed in a run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Count {
    Never,
    Once,
    Many,
}

/// Maximum number of templates.
const MAX: usize = 64;

impl Threads {
    /// Analyses a program.
    pub fn new(program: &Program, points_to: &PointsTo) -> Threads {
        let contexts = points_to.contexts();
        let on_cycle: IdVec<FunctionId, _> = program.functions.iter().map(graph::on_cycle).collect();
        let mut threads = Threads {
            templates: IdVec::new(),
            started: FxHashMap::default(),
            running: IdVec::filled(ThreadSet::EMPTY, contexts.len()),
            counts: IdVec::filled(Count::Never, contexts.len()),
            on_cycle,
        };
        threads.count(program, points_to);
        threads.make_templates(program, points_to);
        for id in threads.templates.ids() {
            let reached = reachable(program, points_to, &threads.templates[id].entries);
            for &context in &reached {
                threads.running[context] = threads.running[context].union(ThreadSet::one(id));
            }
            threads.templates[id].contexts = reached;
        }
        threads.find_descendants();
        threads
    }

    /// All templates.
    pub fn templates(&self) -> &IdVec<TemplateId, Template> {
        &self.templates
    }

    /// The template of the first thread.
    pub fn first(&self) -> TemplateId {
        TemplateId::new(0)
    }

    /// The templates that a `Spawn` starts.
    pub fn started(&self, context: ContextId, edge: EdgeId) -> ThreadSet {
        self.started.get(&(context, edge)).copied().unwrap_or_default()
    }

    /// The templates that run the code of a context.
    pub fn running(&self, context: ContextId) -> ThreadSet {
        self.running[context]
    }

    /// Whether a statement is executed at most once in a run.
    pub fn is_once(&self, program: &Program, points_to: &PointsTo, context: ContextId, edge: EdgeId) -> bool {
        let function = points_to.contexts().function(context);
        let from = program.functions[function].edges[edge].from;
        self.counts[context] <= Count::Once && !self.on_cycle[function][from]
    }

    /// Whether threads are started in an uncounted loop: one without end, or that only an input ends. (Heuristic: other
    /// loops may be endless, too.)
    pub fn are_endless(&self, program: &Program, points_to: &PointsTo) -> bool {
        let contexts = points_to.contexts();
        let is_endless = |&(context, edge): &(ContextId, EdgeId)| {
            let up = std::iter::successors(Some((context, edge)), |&(context, _)| contexts.caller(context));
            let mut places = up.map(|(context, edge)| (&program.functions[contexts.function(context)], edge));
            places.any(|(function, edge)| graph::is_uncounted(function, function.edges[edge].from))
        };
        self.templates.iter().any(|template| template.is_many && template.sites.iter().any(is_endless))
    }

    /// Counts how often contexts are entered, up to a fixpoint.
    fn count(&mut self, program: &Program, points_to: &PointsTo) {
        let mut callers: IdVec<ContextId, Vec<(ContextId, bool)>> = IdVec::filled(Vec::new(), self.counts.len());
        for context in points_to.contexts().ids() {
            let function = points_to.contexts().function(context);
            for (edge, item) in program.functions[function].edges.enumerate() {
                let repeats = self.on_cycle[function][item.from];
                for &callee in points_to.callees(context, edge).iter().chain(points_to.spawned(context, edge)) {
                    callers[callee].push((context, repeats));
                }
            }
        }
        let mut callees: IdVec<ContextId, Vec<ContextId>> = IdVec::filled(Vec::new(), self.counts.len());
        for (callee, list) in callers.enumerate() {
            for &(caller, _) in list {
                callees[caller].push(callee);
            }
        }
        let mut work = vec![points_to.entry()];
        while let Some(context) = work.pop() {
            let mut count = if context == points_to.entry() { Count::Once } else { Count::Never };
            for &(caller, repeats) in &callers[context] {
                count = match (count, self.counts[caller]) {
                    (count, Count::Never) => count,
                    (Count::Never, Count::Once) if !repeats => Count::Once,
                    _ => Count::Many,
                };
            }
            if count > self.counts[context] {
                self.counts[context] = count;
                work.extend(&callees[context]);
            }
        }
    }

    fn make_templates(&mut self, program: &Program, points_to: &PointsTo) {
        let mut spawns = Vec::new();
        for context in points_to.contexts().ids() {
            let function = points_to.contexts().function(context);
            for (edge, _) in program.functions[function].edges.enumerate() {
                spawns.extend(points_to.spawned(context, edge).iter().map(|&callee| (context, edge, callee)));
            }
        }
        // Coarser keys if there are too many templates.
        let function_of = |callee: ContextId| points_to.contexts().function(callee).index();
        let mut functions: Vec<usize> = spawns.iter().map(|&(_, _, callee)| function_of(callee)).collect();
        functions.sort_unstable();
        functions.dedup();
        let key = |index: usize, callee: ContextId| {
            if spawns.len() < MAX {
                index
            } else if functions.len() < MAX {
                function_of(callee)
            } else {
                0
            }
        };
        let first = Template {
            entries: vec![points_to.entry()],
            sites: vec![],
            is_many: self.counts[points_to.entry()] == Count::Many,
            contexts: vec![],
            descendants: ThreadSet::EMPTY,
        };
        let first_id = self.templates.push(first);
        assert!(first_id == self.first(), "the first thread should be the first template");
        let mut by_key: FxHashMap<usize, TemplateId> = FxHashMap::default();
        for (index, &(context, edge, callee)) in spawns.iter().enumerate() {
            let is_repeated = !self.is_once(program, points_to, context, edge);
            let id = match by_key.get(&key(index, callee)) {
                Some(&id) => {
                    self.templates[id].is_many = true;
                    id
                }
                None => {
                    let (entries, sites) = (vec![], vec![]);
                    let (contexts, descendants) = (vec![], ThreadSet::EMPTY);
                    let template = Template { entries, sites, is_many: is_repeated, contexts, descendants };
                    let id = self.templates.push(template);
                    by_key.insert(key(index, callee), id);
                    id
                }
            };
            let template = &mut self.templates[id];
            template.is_many |= is_repeated;
            template.entries.push(callee);
            template.sites.push((context, edge));
            let started = self.started.entry((context, edge)).or_default();
            *started = started.union(ThreadSet::one(id));
        }
    }

    fn find_descendants(&mut self) {
        let mut children = IdVec::filled(ThreadSet::EMPTY, self.templates.len());
        for (child, template) in self.templates.enumerate() {
            for &(context, _) in &template.sites {
                for parent in self.running[context].iter() {
                    children[parent] = children[parent].union(ThreadSet::one(child));
                }
            }
        }
        for id in self.templates.ids() {
            let mut found = children[id];
            let mut work: Vec<TemplateId> = found.iter().collect();
            while let Some(next) = work.pop() {
                work.extend(children[next].without(found).iter());
                found = found.union(children[next]);
            }
            self.templates[id].descendants = found;
        }
    }
}

/// The contexts reached by calls from some, in order.
fn reachable(program: &Program, points_to: &PointsTo, entries: &[ContextId]) -> Vec<ContextId> {
    let mut is_reached: IdVec<ContextId, bool> = IdVec::filled(false, points_to.contexts().len());
    let mut work = entries.to_vec();
    while let Some(context) = work.pop() {
        if std::mem::replace(&mut is_reached[context], true) {
            continue;
        }
        let function = &program.functions[points_to.contexts().function(context)];
        for (edge, item) in function.edges.enumerate() {
            if matches!(item.stmt, Stmt::Call { .. }) {
                work.extend(points_to.callees(context, edge));
            }
        }
    }
    is_reached.enumerate().filter(|(_, reached)| **reached).map(|(context, _)| context).collect()
}
