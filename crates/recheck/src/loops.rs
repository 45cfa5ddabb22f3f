//! The loops of a function, straight from the textbook: an edge to a location on the stack of a depth-first search leads
//! back to a head, and the loop consists of the locations from which that edge is reached without passing the head.

use base::{Id, IdVec};
use ir::{EdgeId, Function, LocId, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// The facts about a function that unrolling needs.
#[derive(Debug)]
pub(crate) struct Loops {
    pub(crate) out: IdVec<LocId, Vec<EdgeId>>,
    /// The locations of each loop, by its head, which is one of them.
    pub(crate) bodies: BTreeMap<LocId, BTreeSet<LocId>>,
    /// Whether the function can return from here.
    pub(crate) returns: IdVec<LocId, bool>,
    /// Loops that can be left to where the function returns.
    pub(crate) can_be_left: BTreeSet<LocId>,
    /// Some loop can be entered elsewhere than at its head.
    pub(crate) is_irreducible: bool,
}

impl Loops {
    pub(crate) fn new(function: &Function) -> Loops {
        let out = function.edges_out();
        let mut into: IdVec<LocId, Vec<LocId>> = IdVec::filled(Vec::new(), function.locs);
        for edge in function.edges.iter() {
            into[edge.to].push(edge.from);
        }
        let mut bodies: BTreeMap<LocId, BTreeSet<LocId>> = BTreeMap::new();
        for (from, head) in back_edges(function, &out) {
            let body = bodies.entry(head).or_insert_with(|| BTreeSet::from([head]));
            let mut work = vec![from];
            while let Some(loc) = work.pop() {
                if body.insert(loc) {
                    work.extend(&into[loc]);
                }
            }
        }
        let reachable = reachable(function, &out);
        let is_irreducible = bodies.iter().any(|(head, body)| {
            let enters = |loc: &LocId| {
                *loc == function.entry || into[*loc].iter().any(|from| reachable[*from] && !body.contains(from))
            };
            body.iter().any(|loc| loc != head && enters(loc))
        });
        let returns = returning(function, &into);
        let mut can_be_left = BTreeSet::new();
        for edge in function.edges.iter() {
            for (head, body) in &bodies {
                let leaves = body.contains(&edge.from) && !body.contains(&edge.to);
                if leaves && (returns[edge.to] || matches!(edge.stmt, Stmt::Return(_))) {
                    can_be_left.insert(*head);
                }
            }
        }
        Loops { out, bodies, returns, can_be_left, is_irreducible }
    }
}

/// Edges to a location on the depth-first stack, as source and target.
fn back_edges(function: &Function, out: &IdVec<LocId, Vec<EdgeId>>) -> Vec<(LocId, LocId)> {
    let mut found = Vec::new();
    let (mut is_seen, mut is_open) = (vec![false; function.locs], vec![false; function.locs]);
    let mut stack = vec![(function.entry, 0)];
    is_seen[function.entry.index()] = true;
    is_open[function.entry.index()] = true;
    while let Some((loc, next)) = stack.pop() {
        let Some(&edge) = out[loc].get(next) else {
            is_open[loc.index()] = false;
            continue;
        };
        stack.push((loc, next + 1));
        let to = function.edges[edge].to;
        if is_open[to.index()] {
            found.push((loc, to));
        } else if !is_seen[to.index()] {
            is_seen[to.index()] = true;
            is_open[to.index()] = true;
            stack.push((to, 0));
        }
    }
    found
}

fn reachable(function: &Function, out: &IdVec<LocId, Vec<EdgeId>>) -> IdVec<LocId, bool> {
    let mut is_reachable = IdVec::filled(false, function.locs);
    let mut work = vec![function.entry];
    while let Some(loc) = work.pop() {
        if !std::mem::replace(&mut is_reachable[loc], true) {
            work.extend(out[loc].iter().map(|&edge| function.edges[edge].to));
        }
    }
    is_reachable
}

/// The locations from which a `Return` can be reached.
fn returning(function: &Function, into: &IdVec<LocId, Vec<LocId>>) -> IdVec<LocId, bool> {
    let mut returns = IdVec::filled(false, function.locs);
    let edges = function.edges.iter().filter(|edge| matches!(edge.stmt, Stmt::Return(_)));
    let mut work: Vec<LocId> = edges.map(|edge| edge.from).collect();
    while let Some(loc) = work.pop() {
        if !std::mem::replace(&mut returns[loc], true) {
            work.extend(&into[loc]);
        }
    }
    returns
}
