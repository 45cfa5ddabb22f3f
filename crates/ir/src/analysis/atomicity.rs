//! Candidate pairs of the property `atomicity`: pairs of accesses of a thread that should be atomic
//! (`docs/semantics.md`). A pair is one of statements, so that it is known before the program runs, and the same for
//! every engine.
//!
//! If the user names regions ([`AtomicRegion`]), the pairs are those inside one execution of a region. Otherwise they
//! are inferred, both accesses directly in one invocation of one user function, by two rules. *Forward* means along
//! edges that are no back edges of loops.
//!
//! - **Undisturbed**: the second can be reached forward from the first without passing a synchronising statement, no
//!   such statement is executed between them in the run at hand, and not both are atomic. The actions of a thread
//!   between two synchronisations are presumed atomic; a programmer who makes both accesses atomic, or who puts
//!   synchronisation between them, intends two.
//! - **Stale**: the first is a load and the second, forward from it, a store or read-modify-write whose value, or whose
//!   execution, depends on the loaded value, through local variables of the function. Then it does not matter what is
//!   between them. (A compare-exchange checks for itself that the loaded value is still there, and is not among these.)
//!
//! Deviation from the literature (Lu et al., AVIO, ASPLOS 2006; Wang et al., TACAS 2010): pairs are neither learned
//! from correct runs nor taken from annotations only. Dependence through memory and through other functions is not
//! tracked, and two accesses in different functions are no pair unless a region is named.

use crate::analysis::graph::reverse_post_order;
use crate::expr::Expr;
use crate::program::{EdgeId, Function, FunctionId, LocId, LocalId, ObjectId, Program};
use crate::stmt::{Callee, Stmt};
use crate::traits::StmtKind;
use base::IdVec;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::str::FromStr;

/// A part of a program that one thread should execute atomically.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum AtomicRegion {
    /// Each invocation of the function with this name, including its callees.
    Function(String),
    /// These lines of a file, including callees, from entry to exit.
    Lines {
        /// The file, or the end of its path; empty for any.
        file: String,
        /// The first line.
        first: u32,
        /// The last line.
        last: u32,
    },
}

impl fmt::Display for AtomicRegion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AtomicRegion::Function(name) => f.write_str(name),
            AtomicRegion::Lines { file, first, last } if file.is_empty() => write!(f, "{first}-{last}"),
            AtomicRegion::Lines { file, first, last } => write!(f, "{file}:{first}-{last}"),
        }
    }
}

impl FromStr for AtomicRegion {
    type Err = String;
    fn from_str(text: &str) -> Result<AtomicRegion, String> {
        let wrong = || format!("`{text}` is not a function's name, FIRST-LAST or FILE:FIRST-LAST");
        let is_name = |name: &str| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || c == '.';
            !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(is_part)
        };
        let (file, lines) = match text.rsplit_once(':') {
            Some((file, lines)) if !file.is_empty() => (file, lines),
            Some(_) => return Err(wrong()),
            None if is_name(text) => return Ok(AtomicRegion::Function(text.to_owned())),
            None => ("", text),
        };
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
        let (first, last) = (number(first)?, number(last)?);
        if first == 0 || last < first {
            return Err(wrong());
        }
        Ok(AtomicRegion::Lines { file: file.to_owned(), first, last })
    }
}

/// A statement.
pub type At = (FunctionId, EdgeId);

/// For each edge of a function, a set of edges.
type Pairs = FxHashMap<EdgeId, FxHashSet<EdgeId>>;

/// The candidate pairs of a program.
#[derive(Clone, Debug)]
pub struct AtomicPairs {
    is_inferred: bool,
    /// Functions that are regions.
    whole: FxHashSet<FunctionId>,
    /// Statements inside regions of lines.
    inside: FxHashSet<At>,
    /// Pairs regardless of what is between.
    pairs: FxHashMap<FunctionId, Pairs>,
    /// Pairs if nothing synchronises between.
    undisturbed: FxHashMap<FunctionId, Pairs>,
}

impl AtomicPairs {
    /// The pairs inside these regions, or the inferred ones if there are none; an error if a region does not exist.
    pub fn new(program: &Program, regions: &[AtomicRegion]) -> Result<AtomicPairs, String> {
        if regions.is_empty() {
            return Ok(AtomicPairs::inferred(program));
        }
        let mut named = AtomicPairs {
            is_inferred: false,
            whole: FxHashSet::default(),
            inside: FxHashSet::default(),
            pairs: FxHashMap::default(),
            undisturbed: FxHashMap::default(),
        };
        for region in regions {
            let is_there = match region {
                AtomicRegion::Function(name) => {
                    let found = program.functions.enumerate().find(|(_, function)| function.name == *name);
                    found.map(|(id, _)| named.whole.insert(id)).is_some()
                }
                AtomicRegion::Lines { file, first, last } => named.add_lines(program, file, *first, *last),
            };
            if !is_there {
                return Err(match region {
                    AtomicRegion::Function(name) => format!("there is no function `{name}` to be an atomic region"),
                    AtomicRegion::Lines { .. } => format!("no statement is in the atomic region {region}"),
                });
            }
        }
        Ok(named)
    }

    /// The inferred pairs.
    pub fn inferred(program: &Program) -> AtomicPairs {
        let synchronising = synchronising(program);
        let (mut pairs, mut undisturbed) = (FxHashMap::default(), FxHashMap::default());
        for (id, function) in program.functions.enumerate() {
            let (stale, others) = Inference::new(program, function, &synchronising).pairs();
            for (all, found) in [(&mut pairs, stale), (&mut undisturbed, others)] {
                if !found.is_empty() {
                    all.insert(id, found);
                }
            }
        }
        let (whole, inside) = (FxHashSet::default(), FxHashSet::default());
        AtomicPairs { is_inferred: true, whole, inside, pairs, undisturbed }
    }

    /// Whether the pairs were inferred.
    pub fn is_inferred(&self) -> bool {
        self.is_inferred
    }

    /// Whether there is no pair at all.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.undisturbed.is_empty() && self.whole.is_empty()
    }

    /// The first statements of inferred pairs, in no order; `None` if regions are named.
    pub fn firsts(&self) -> Option<impl Iterator<Item = At> + '_> {
        let edges = |(function, pairs): (&FunctionId, &'_ Pairs)| {
            let function = *function;
            pairs.keys().map(move |edge| (function, *edge)).collect::<Vec<_>>()
        };
        self.is_inferred.then(|| self.pairs.iter().chain(&self.undisturbed).flat_map(edges))
    }

    /// Adds a region of lines. Returns whether it contains anything.
    fn add_lines(&mut self, program: &Program, file: &str, first: u32, last: u32) -> bool {
        let mut is_there = false;
        for (id, function) in program.functions.enumerate() {
            let is_inside = |edge: EdgeId| {
                let span = function.edges[edge].span;
                let is_file = || program.files.get(span.file).is_some_and(|name| is_end_of(name, file));
                program.is_users(span) && (first..=last).contains(&span.line) && is_file()
            };
            let inside: Vec<EdgeId> = function.edges.ids().filter(|&edge| is_inside(edge)).collect();
            is_there |= !inside.is_empty();
            let out = function.edges_out();
            // A statement without position belongs to its surroundings.
            let passes = |edge: EdgeId| is_inside(edge) || !function.edges[edge].span.is_known();
            for &edge in inside.iter().filter(|&&edge| may_access(&function.edges[edge].stmt)) {
                let reached = reached(function, &out, function.edges[edge].to, passes);
                let second = inside
                    .iter()
                    .copied()
                    .filter(|&other| reached[function.edges[other].from] && may_access(&function.edges[other].stmt));
                self.pairs.entry(id).or_default().entry(edge).or_default().extend(second);
                self.inside.insert((id, edge));
            }
        }
        is_there
    }

    /// Whether an access by the last of these statements, the others being the enclosing calls, may be the first of a
    /// pair. If calls have returned since, the last is the call. `is_disturbed`: whether the thread has synchronised
    /// since.
    pub fn may_be_first(&self, calls: &[At], is_disturbed: bool) -> bool {
        if self.is_inferred {
            let may_be = |at: &At| {
                seconds(&self.pairs, *at).is_some() || !is_disturbed && seconds(&self.undisturbed, *at).is_some()
            };
            return calls.last().is_some_and(may_be);
        }
        calls.iter().any(|at| self.whole.contains(&at.0) || self.inside.contains(at))
    }

    /// Whether two accesses are a pair: for each the statement with its enclosing calls, the outermost first, of which
    /// the first `common` are the same invocations of the same functions.
    pub fn pairing(&self, first: &[At], second: &[At], common: usize) -> Pairing {
        if self.is_in_region(first, second, common) {
            return Pairing::Always;
        }
        let is_in_one = self.is_inferred && common > 0 && common == first.len() && common == second.len();
        let (Some(&one), Some(&two), true) = (first.last(), second.last(), is_in_one) else { return Pairing::Never };
        let is_in = |pairs| seconds(pairs, one).is_some_and(|found| found.contains(&two.1));
        if is_in(&self.pairs) {
            Pairing::Always
        } else if is_in(&self.undisturbed) {
            Pairing::Undisturbed
        } else {
            Pairing::Never
        }
    }

    fn is_in_region(&self, first: &[At], second: &[At], common: usize) -> bool {
        let pair =
            |index: usize| seconds(&self.pairs, first[index]).is_some_and(|found| found.contains(&second[index].1));
        if self.is_inferred {
            return false;
        }
        (0..common).any(|index| {
            // A call that encloses both is the same one.
            let is_same_call = index + 1 < common && self.inside.contains(&first[index]);
            self.whole.contains(&first[index].0) || is_same_call || index + 1 == common && pair(index)
        })
    }
}

/// When two accesses are a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pairing {
    /// Never.
    Never,
    /// If the thread does not synchronise between them.
    Undisturbed,
    /// Regardless of what is between.
    Always,
}

fn seconds(pairs: &FxHashMap<FunctionId, Pairs>, (function, edge): At) -> Option<&FxHashSet<EdgeId>> {
    pairs.get(&function)?.get(&edge).filter(|found| !found.is_empty())
}

/// Whether a statement synchronises by itself, so that accesses before and after it are disturbed.
pub fn is_synchronisation(stmt: &Stmt) -> bool {
    matches!(role(stmt), Role::Atomic | Role::Synchronises)
}

fn is_end_of(name: &str, file: &str) -> bool {
    file.is_empty() || name == file || name.strip_suffix(file).is_some_and(|rest| rest.ends_with('/'))
}

/// The locations that can be reached along these edges.
fn reached(
    function: &Function,
    out: &IdVec<LocId, Vec<EdgeId>>,
    from: LocId,
    passes: impl Fn(EdgeId) -> bool,
) -> IdVec<LocId, bool> {
    let mut reached = IdVec::filled(false, function.locs);
    let mut work = vec![from];
    while let Some(loc) = work.pop() {
        if !std::mem::replace(&mut reached[loc], true) {
            work.extend(out[loc].iter().filter(|&&edge| passes(edge)).map(|&edge| function.edges[edge].to));
        }
    }
    reached
}

/// The role of a statement for atomicity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    /// A non-atomic memory access.
    Plain,
    /// An atomic access, which synchronises, too.
    Atomic,
    /// Synchronises, but is no access in pairs.
    Synchronises,
    /// A call of a function, if known.
    Calls(Option<FunctionId>),
    Nothing,
}

fn role(stmt: &Stmt) -> Role {
    match stmt {
        Stmt::Load { access, .. } | Stmt::Store { access, .. } if access.order.is_atomic() => Role::Atomic,
        Stmt::Rmw { .. } | Stmt::CompareExchange { .. } => Role::Atomic,
        Stmt::Call { callee: Callee::Direct(function), .. } => Role::Calls(Some(*function)),
        Stmt::Call { callee: Callee::Indirect(_), .. } => Role::Calls(None),
        stmt => match stmt.kind() {
            StmtKind::Fence | StmtKind::Thread | StmtKind::Lock | StmtKind::Region => Role::Synchronises,
            StmtKind::Local | StmtKind::Condition | StmtKind::Lifetime | StmtKind::Call | StmtKind::End => {
                Role::Nothing
            }
            StmtKind::Access | StmtKind::Range => Role::Plain,
        },
    }
}

/// Whether a statement, or its callees, may access memory.
fn may_access(stmt: &Stmt) -> bool {
    matches!(role(stmt), Role::Plain | Role::Atomic | Role::Calls(_))
}

/// The functions that may synchronise, themselves or through callees.
fn synchronising(program: &Program) -> FxHashSet<FunctionId> {
    let mut found = FxHashSet::default();
    loop {
        let before = found.len();
        for (id, function) in program.functions.enumerate() {
            if function.edges.iter().any(|edge| synchronises(&edge.stmt, &found)) {
                found.insert(id);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn synchronises(stmt: &Stmt, functions: &FxHashSet<FunctionId>) -> bool {
    match role(stmt) {
        Role::Atomic | Role::Synchronises | Role::Calls(None) => true,
        Role::Calls(Some(function)) => functions.contains(&function),
        Role::Plain | Role::Nothing => false,
    }
}

/// The search for pairs in one function.
struct Inference<'a> {
    program: &'a Program,
    function: &'a Function,
    synchronising: &'a FxHashSet<FunctionId>,
    out: IdVec<LocId, Vec<EdgeId>>,
    order: Vec<LocId>,
    /// Indices in the order; the greatest number for unreachable locations.
    place: IdVec<LocId, usize>,
    /// Cache: the locations reachable forward from a location.
    forward: FxHashMap<LocId, IdVec<LocId, bool>>,
}

impl<'a> Inference<'a> {
    fn new(program: &'a Program, function: &'a Function, synchronising: &'a FxHashSet<FunctionId>) -> Inference<'a> {
        let order = reverse_post_order(function);
        let mut place = IdVec::filled(usize::MAX, function.locs);
        for (index, &loc) in order.iter().enumerate() {
            place[loc] = index;
        }
        let out = function.edges_out();
        Inference { program, function, synchronising, out, order, place, forward: FxHashMap::default() }
    }

    /// The stale pairs, and the undisturbed ones.
    fn pairs(mut self) -> (Pairs, Pairs) {
        let is_access = |edge: &EdgeId| {
            let edge = &self.function.edges[*edge];
            matches!(role(&edge.stmt), Role::Plain | Role::Atomic)
                && self.program.is_users(edge.span)
                && self.place[edge.from] != usize::MAX
        };
        let accesses: Vec<EdgeId> = self.function.edges.ids().filter(is_access).collect();
        let (mut stale, mut undisturbed) = (Pairs::default(), Pairs::default());
        for &first in &accesses {
            if let Stmt::Load { dst, .. } = self.function.edges[first].stmt {
                stale.insert(first, self.stale(first, dst, &accesses));
            }
            undisturbed.insert(first, self.undisturbed(first, &accesses));
        }
        for pairs in [&mut stale, &mut undisturbed] {
            pairs.retain(|first, found| {
                let edges = &self.function.edges;
                found.retain(|second| may_meet(&edges[*first].stmt, &edges[*second].stmt));
                !found.is_empty()
            });
        }
        (stale, undisturbed)
    }

    /// Whether an edge is no back edge.
    fn is_forward(&self, edge: EdgeId) -> bool {
        let edge = &self.function.edges[edge];
        self.place[edge.to] > self.place[edge.from]
    }

    fn undisturbed(&self, first: EdgeId, accesses: &[EdgeId]) -> FxHashSet<EdgeId> {
        let edges = &self.function.edges;
        if !self.is_forward(first) {
            return FxHashSet::default();
        }
        let passes = |edge: EdgeId| self.is_forward(edge) && !synchronises(&edges[edge].stmt, self.synchronising);
        let reached = reached(self.function, &self.out, edges[first].to, passes);
        let is_atomic = |edge: EdgeId| role(&edges[edge].stmt) == Role::Atomic;
        let is_second = |second: &EdgeId| reached[edges[*second].from] && !(is_atomic(first) && is_atomic(*second));
        accesses.iter().copied().filter(is_second).collect()
    }

    /// The stores that depend on the loaded value.
    fn stale(&mut self, first: EdgeId, dst: LocalId, accesses: &[EdgeId]) -> FxHashSet<EdgeId> {
        let function = self.function;
        if !self.is_forward(first) {
            return FxHashSet::default();
        }
        let start = function.edges[first].to;
        // Per reachable location, the variables that depend on the loaded value.
        let mut known: FxHashMap<LocId, FxHashSet<LocalId>> = FxHashMap::default();
        known.insert(start, FxHashSet::from_iter([dst]));
        let mut found = FxHashSet::default();
        let mut branches = Vec::new();
        for &loc in &self.order[self.place[start]..] {
            let Some(derived) = known.get(&loc).cloned() else { continue };
            let out = &self.out[loc];
            for &edge in out {
                let stmt = &function.edges[edge].stmt;
                if stored(stmt).is_some_and(|value| mentions(value, &derived)) && accesses.contains(&edge) {
                    found.insert(edge);
                }
                if self.is_forward(edge) {
                    let after = known.entry(function.edges[edge].to).or_default();
                    after.extend(derived_after(stmt, &derived));
                }
            }
            let decides =
                |edge: &EdgeId| matches!(&function.edges[*edge].stmt, Stmt::Assume(cond) if mentions(cond, &derived));
            if out.len() > 1 && out.iter().any(decides) {
                branches.push(loc);
            }
        }
        for branch in branches {
            let decided = self.decided(branch);
            let is_stored = |edge: &EdgeId| stored(&function.edges[*edge].stmt).is_some();
            found
                .extend(accesses.iter().copied().filter(|edge| is_stored(edge) && decided[function.edges[*edge].from]));
        }
        found
    }

    /// The locations reachable forward after one outcome of a branch and not after another. Outcomes that neither lead
    /// out of the function nor round a loop (a failed assertion, the end of the process) decide nothing.
    fn decided(&mut self, branch: LocId) -> IdVec<LocId, bool> {
        let targets: Vec<LocId> = self.out[branch].iter().map(|&edge| self.function.edges[edge].to).collect();
        let mut some = IdVec::filled(false, self.function.locs);
        let mut all = IdVec::filled(true, self.function.locs);
        for (index, target) in targets.into_iter().enumerate() {
            let is_back = !self.is_forward(self.out[branch][index]);
            let goes_on = is_back || self.goes_on(target);
            if !goes_on {
                continue;
            }
            for loc in some.ids().collect::<Vec<_>>() {
                let is_reached = !is_back && self.forward[&target][loc];
                some[loc] |= is_reached;
                all[loc] &= is_reached;
            }
        }
        for loc in some.ids().collect::<Vec<_>>() {
            some[loc] &= !all[loc];
        }
        some
    }

    /// Whether a location leads out of the function or round a loop. Caches what is reachable from there.
    fn goes_on(&mut self, loc: LocId) -> bool {
        if !self.forward.contains_key(&loc) {
            let reached = reached(self.function, &self.out, loc, |edge| self.is_forward(edge));
            self.forward.insert(loc, reached);
        }
        let reached = &self.forward[&loc];
        let leaves = |edge: EdgeId| {
            let ends = matches!(self.function.edges[edge].stmt, Stmt::Exit);
            !self.is_forward(edge) || self.function.edges[edge].to == self.function.exit && !ends
        };
        self.function.edges.ids().any(|edge| reached[self.function.edges[edge].from] && leaves(edge))
    }
}

/// Whether two statements may access the same memory, judging by their pointer expressions alone.
fn may_meet(first: &Stmt, second: &Stmt) -> bool {
    let (first, second) = (first.touches(), second.touches());
    let meets = |a: &Expr, b: &Expr| match (object(a), object(b)) {
        (Some(a), Some(b)) => a == b,
        (None, _) | (_, None) => true,
    };
    first.iter().any(|a| second.iter().any(|b| meets(a.ptr, b.ptr)))
}

/// The object that a pointer syntactically points into.
fn object(ptr: &Expr) -> Option<ObjectId> {
    if let Expr::Object(object) = ptr {
        Some(*object)
    } else if let Expr::Offset { base, .. } = ptr {
        object(base)
    } else {
        None
    }
}

/// The value stored by a statement that does not check what it overwrites.
fn stored(stmt: &Stmt) -> Option<&Expr> {
    if let Stmt::Store { value, .. } | Stmt::Rmw { value, .. } = stmt {
        Some(value)
    } else {
        None
    }
}

fn mentions(expr: &Expr, locals: &FxHashSet<LocalId>) -> bool {
    let mut found = false;
    expr.for_each(&mut |part| found |= matches!(part, Expr::Local(local) if locals.contains(local)));
    found
}

/// The variables that depend on the loaded value after a statement, given those before it.
fn derived_after(stmt: &Stmt, before: &FxHashSet<LocalId>) -> FxHashSet<LocalId> {
    let written = stmt.writes();
    let mut after: FxHashSet<LocalId> = before.iter().copied().filter(|local| !written.contains(local)).collect();
    let from: Vec<&Expr> = if let Stmt::Assign { value: from, .. } | Stmt::Load { ptr: from, .. } = stmt {
        vec![from]
    } else if let Stmt::Call { args, .. } = stmt {
        args.iter().collect()
    } else {
        vec![]
    };
    if from.into_iter().any(|expr| mentions(expr, before)) {
        after.extend(written);
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_are_read_and_printed() {
        let shown = |text: &str| text.parse::<AtomicRegion>().map(|region| region.to_string());
        assert_eq!(shown("deposit"), Ok("deposit".to_owned()));
        assert_eq!(shown("a/bank.c:3-9"), Ok("a/bank.c:3-9".to_owned()));
        assert_eq!(shown("bank.c:3"), Ok("bank.c:3-3".to_owned()));
        assert_eq!(shown("3-9"), Ok("3-9".to_owned()));
        for wrong in ["", "bank.c:", ":3-4", "9-3", "0-1", "a b", "x.c:a-b"] {
            assert!(shown(wrong).is_err(), "{wrong}");
        }
    }
}
