//! Builds the control-flow graph of one function, edge by edge, and simplifies it at the end: edges without effect and
//! unreachable locations are removed.

use base::{Id, IdVec, Span};
use ir::{Edge, EdgeId, Expr, Function, LocId, Local, LocalId, Stmt, Type, UnaryOp, Unmodelled};
use passes::notes::Variables;
use rustc_hash::FxHashMap;

/// A graph under construction. Statements go to the current location, which is `None` after one that ends the path.
pub(crate) struct Builder {
    /// All local variables so far.
    pub(crate) locals: IdVec<LocalId, Local>,
    /// The position of new edges.
    pub(crate) span: Span,
    /// The mapping of source variables to locals.
    pub(crate) variables: Variables,
    edges: Vec<Edge>,
    locs: usize,
    entry: LocId,
    exit: LocId,
    current: Option<LocId>,
    suffixes: FxHashMap<String, u32>,
    temporaries: u32,
}

impl Builder {
    /// An empty graph; statements go to its entry.
    pub(crate) fn new(span: Span) -> Builder {
        let (entry, exit) = (LocId::new(0), LocId::new(1));
        Builder {
            locals: IdVec::new(),
            span,
            variables: Variables::default(),
            edges: Vec::new(),
            locs: 2,
            entry,
            exit,
            current: Some(entry),
            suffixes: FxHashMap::default(),
            temporaries: 0,
        }
    }

    /// A local variable with this name, or a similar one if it is taken.
    pub(crate) fn local(&mut self, name: &str, ty: Type) -> LocalId {
        let clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
        let mut unique = if clean.is_empty() { "v".to_owned() } else { clean.clone() };
        while let Some(count) = self.suffixes.get_mut(&unique) {
            *count += 1;
            unique = format!("{clean}.{count}");
        }
        self.suffixes.insert(unique.clone(), 1);
        self.locals.push(Local { name: unique, ty })
    }

    /// A temporary: `t1`, `t2`, ...
    pub(crate) fn temporary(&mut self, ty: Type) -> LocalId {
        self.temporaries += 1;
        let name = format!("t{}", self.temporaries);
        self.local(&name, ty)
    }

    /// A location without incoming edges yet.
    pub(crate) fn new_loc(&mut self) -> LocId {
        self.locs += 1;
        LocId::new(self.locs - 1)
    }

    /// The location of the next statement; `None` if it is unreachable.
    pub(crate) fn current(&self) -> Option<LocId> {
        self.current
    }

    /// Continues at another location.
    pub(crate) fn resume_at(&mut self, loc: LocId) {
        self.current = Some(loc);
    }

    /// Adds a statement and moves to its target.
    pub(crate) fn emit(&mut self, stmt: Stmt) {
        if self.current.is_some() {
            let to = self.new_loc();
            self.emit_to(stmt, to);
            self.current = Some(to);
        }
    }

    /// Adds a statement that leads to a given location, without continuing here.
    pub(crate) fn emit_to(&mut self, stmt: Stmt, to: LocId) {
        if let Some(from) = self.current.take() {
            self.edges.push(Edge { from, to, stmt, span: self.span });
        }
    }

    /// Adds a statement that leaves the function.
    pub(crate) fn emit_leave(&mut self, stmt: Stmt) {
        self.emit_to(stmt, self.exit);
    }

    /// Adds an unmodelled statement; the run ends there.
    pub(crate) fn emit_unmodelled(&mut self, what: Unmodelled) {
        let end = self.new_loc();
        self.emit_to(Stmt::Unmodelled(what), end);
    }

    /// Branches to a new location for each condition. The conditions are exclusive and exhaustive.
    pub(crate) fn branch(&mut self, conditions: Vec<Expr>) -> Vec<LocId> {
        let from = self.current.take();
        let mut targets = Vec::with_capacity(conditions.len());
        // If one is syntactically true, the others are false, even if that is not evident of each.
        let certain = conditions.iter().position(|condition| *condition == Expr::bool(true));
        for (index, condition) in conditions.into_iter().enumerate() {
            let condition = if certain.is_some_and(|certain| certain != index) { Expr::bool(false) } else { condition };
            let to = self.new_loc();
            if let Some(from) = from {
                self.edges.push(Edge { from, to, stmt: Stmt::Assume(condition), span: self.span });
            }
            targets.push(to);
        }
        targets
    }

    /// Branches on a condition; continues where it holds and returns the location where it does not.
    pub(crate) fn branch_if(&mut self, condition: Expr) -> LocId {
        let negated = crate::simplify::unary(UnaryOp::Not, Type::BOOL, condition.clone());
        let targets = self.branch(vec![condition, negated]);
        self.current = Some(targets[0]);
        targets[1]
    }

    /// Redirects the last statement from `temporary` to `dst`, if it wrote `temporary` and this is possible.
    pub(crate) fn redirect_last(&mut self, temporary: LocalId, dst: LocalId) -> bool {
        let Some(edge) = self.edges.last_mut().filter(|edge| Some(edge.to) == self.current) else { return false };
        let slot = match &mut edge.stmt {
            Stmt::Load { dst, .. }
            | Stmt::Rmw { dst, .. }
            | Stmt::Alloc { dst, .. }
            | Stmt::Havoc { dst, .. }
            | Stmt::NewThread { dst } => dst,
            Stmt::Join { dst: Some(dst), .. } => dst,
            Stmt::Call { dsts, .. } if dsts.len() == 1 => &mut dsts[0],
            _ => return false,
        };
        if *slot != temporary || self.locals[temporary].ty != self.locals[dst].ty {
            return false;
        }
        *slot = dst;
        true
    }

    /// Whether the last statement wrote this local.
    pub(crate) fn wrote_last(&self, local: LocalId) -> bool {
        let last = self.edges.last().filter(|edge| Some(edge.to) == self.current);
        last.is_some_and(|edge| edge.stmt.writes()[..] == [local])
    }

    /// The finished function, and the mapping of source variables to its locals.
    pub(crate) fn finish(
        self,
        name: String,
        params: Vec<LocalId>,
        returns: Vec<Type>,
        span: Span,
    ) -> (Function, Variables) {
        let (locs, edges) = clean(self.locs, self.entry, self.exit, self.edges);
        let (locals, edges, renumbered) = drop_unused_locals(self.locals, edges, &params);
        let new = |id: LocalId| renumbered[id.index()];
        let params = params.into_iter().filter_map(new).collect();
        let Variables { constants, named, results, unended, calls, registers, is_written_again } = self.variables;
        let variables = Variables {
            constants: constants.into_iter().filter_map(|(id, variable)| Some((new(id)?, variable))).collect(),
            named: named.into_iter().filter_map(new).collect(),
            results: results.into_iter().filter_map(new).collect(),
            unended: unended.into_iter().filter_map(new).collect(),
            calls,
            registers,
            is_written_again,
        };
        let function = Function {
            name,
            params,
            returns,
            locals,
            locs,
            entry: LocId::new(0),
            exit: LocId::new(1),
            edges: edges.into_iter().collect::<IdVec<EdgeId, Edge>>(),
            span,
        };
        (function, variables)
    }
}

/// Removes branches never taken, edges without effect, and unreachable locations. Afterwards the entry is location 0
/// and the exit 1.
fn clean(locs: usize, entry: LocId, exit: LocId, mut edges: Vec<Edge>) -> (usize, Vec<Edge>) {
    edges.retain(|edge| edge.stmt != Stmt::Assume(Expr::bool(false)));
    let mut count_out = vec![0u32; locs];
    for edge in &mut edges {
        if edge.stmt == Stmt::Assume(Expr::bool(true)) {
            edge.stmt = Stmt::Skip;
        }
        count_out[edge.from.index()] += 1;
    }
    let mut next: Vec<Option<LocId>> = vec![None; locs];
    for edge in &edges {
        if edge.stmt == Stmt::Skip && count_out[edge.from.index()] == 1 {
            next[edge.from.index()] = Some(edge.to);
        }
    }
    let skip = |start: LocId| -> LocId {
        // A cycle of edges without effect is an endless loop and must stay one: its smallest location keeps its edge.
        let (mut loc, mut smallest, mut steps) = (start, start, 0);
        while let Some(to) = next[loc.index()] {
            loc = to;
            steps += 1;
            if steps > locs {
                smallest = if steps == locs + 1 { loc } else { smallest.min(loc) };
                if steps > 2 * locs {
                    return smallest;
                }
            }
        }
        loc
    };
    let entry = skip(entry);
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); locs];
    for (i, edge) in edges.iter().enumerate() {
        out[edge.from.index()].push(i);
    }
    let mut number: Vec<Option<usize>> = vec![None; locs];
    number[entry.index()] = Some(0);
    number[exit.index()] = Some(1);
    let (mut count, mut queue, mut kept) = (2, std::collections::VecDeque::from([entry]), Vec::new());
    while let Some(loc) = queue.pop_front() {
        for &i in &out[loc.index()] {
            let to = skip(edges[i].to);
            let target = *number[to.index()].get_or_insert_with(|| {
                queue.push_back(to);
                count += 1;
                count - 1
            });
            let from = number[loc.index()].expect("a queued location should have a number");
            kept.push(Edge { from: LocId::new(from), to: LocId::new(target), ..edges[i].clone() });
        }
    }
    (count, kept)
}

/// Removes unused local variables, and renumbers the others.
fn drop_unused_locals(
    locals: IdVec<LocalId, Local>,
    mut edges: Vec<Edge>,
    params: &[LocalId],
) -> (IdVec<LocalId, Local>, Vec<Edge>, Vec<Option<LocalId>>) {
    let mut used = vec![false; locals.len()];
    params.iter().for_each(|local| used[local.index()] = true);
    for edge in &edges {
        edge.stmt.writes().iter().for_each(|local| used[local.index()] = true);
        for expr in edge.stmt.exprs() {
            expr.for_each(&mut |part| {
                if let Expr::Local(local) = part {
                    used[local.index()] = true;
                }
            });
        }
    }
    let mut kept = IdVec::new();
    let renumbered: Vec<Option<LocalId>> =
        locals.enumerate().map(|(id, local)| used[id.index()].then(|| kept.push(local.clone()))).collect();
    if kept.len() < locals.len() {
        let new = |id: LocalId| renumbered[id.index()].expect("a variable that is used should be kept");
        edges.iter_mut().for_each(|edge| crate::rename::locals_of(&mut edge.stmt, &new));
    }
    (kept, edges, renumbered)
}
