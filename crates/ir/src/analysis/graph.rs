//! Orders, loops and reachability inside one function, and strongly connected components of any graph.
//!
//! Nothing here is recursive: graphs of generated programs are long.

use crate::expr::Expr;
use crate::program::{Edge, Function, LocId, LocalId};
use crate::stmt::Stmt;
use base::{Id, IdVec};

/// The locations reachable from the entry, each before those that come after it on every path without a repetition
/// (reverse post-order of a depth-first search).
pub fn reverse_post_order(function: &Function) -> Vec<LocId> {
    let out = function.edges_out();
    let mut is_seen = IdVec::filled(false, function.locs);
    let mut order = Vec::new();
    let mut stack = vec![(function.entry, 0)];
    is_seen[function.entry] = true;
    while let Some((loc, next)) = stack.last_mut() {
        match out[*loc].get(*next) {
            Some(&edge) => {
                *next += 1;
                let to = function.edges[edge].to;
                if !is_seen[to] {
                    is_seen[to] = true;
                    stack.push((to, 0));
                }
            }
            None => {
                order.push(*loc);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Loop heads: targets of edges from a location that comes later or is the same, in reverse post-order; every cycle
/// contains one.
pub fn loop_heads(function: &Function) -> Vec<LocId> {
    let order = reverse_post_order(function);
    let mut position = IdVec::filled(usize::MAX, function.locs);
    for (index, &loc) in order.iter().enumerate() {
        position[loc] = index;
    }
    let mut is_head = IdVec::filled(false, function.locs);
    for edge in function.edges.iter() {
        if position[edge.from] != usize::MAX && position[edge.to] <= position[edge.from] {
            is_head[edge.to] = true;
        }
    }
    order.into_iter().filter(|&loc| is_head[loc]).collect()
}

/// Per location: whether it lies on a cycle.
pub fn on_cycle(function: &Function) -> IdVec<LocId, bool> {
    let mut on_cycle = IdVec::filled(false, function.locs);
    for cycle in cycles(function) {
        for node in cycle {
            on_cycle[LocId::new(node as usize)] = true;
        }
    }
    on_cycle
}

/// Whether a location lies on a cycle that only inputs lead out of.
pub fn is_uncounted(function: &Function, location: LocId) -> bool {
    let Some(cycle) = cycles(function).find(|cycle| cycle.contains(&(location.index() as u32))) else { return false };
    let is_inside = |loc: LocId| cycle.contains(&(loc.index() as u32));
    let inside: Vec<&Edge> = function.edges.iter().filter(|edge| is_inside(edge.from)).collect();
    let is_input = |local: LocalId| {
        inside.iter().all(|edge| !edge.stmt.writes().contains(&local) || matches!(edge.stmt, Stmt::Havoc { .. }))
    };
    inside.iter().filter(|edge| !is_inside(edge.to)).all(|edge| match &edge.stmt {
        Stmt::Assume(cond) => {
            let mut are_inputs = true;
            cond.for_each(&mut |part| are_inputs &= !matches!(part, Expr::Local(local) if !is_input(*local)));
            are_inputs
        }
        _ => false,
    })
}

/// The locations of each cycle, or of several that overlap.
fn cycles(function: &Function) -> impl Iterator<Item = Vec<u32>> {
    let mut successors = vec![Vec::new(); function.locs];
    for edge in function.edges.iter() {
        successors[edge.from.index()].push(edge.to.index() as u32);
    }
    components(&successors).into_iter().filter(move |component| match component.as_slice() {
        [single] => successors[*single as usize].contains(single),
        _ => true,
    })
}

/// The strongly connected components of a graph (Tarjan 1972), each after all its successors.
pub fn components(successors: &[Vec<u32>]) -> Vec<Vec<u32>> {
    components_by(successors.len(), |node| &successors[node as usize])
}

/// The same for a graph with nodes 0 to `nodes`, with a successor function.
pub(crate) fn components_by<'g>(nodes: usize, successors: impl Fn(u32) -> &'g [u32]) -> Vec<Vec<u32>> {
    const UNSEEN: u32 = u32::MAX;
    let mut index_of = vec![UNSEEN; nodes];
    let mut low = vec![0u32; nodes];
    let mut is_open = vec![false; nodes];
    let mut open = Vec::new();
    let mut found = Vec::new();
    let mut next_index = 0;
    let mut stack: Vec<(u32, usize)> = Vec::new();
    for root in 0..nodes as u32 {
        if index_of[root as usize] != UNSEEN {
            continue;
        }
        stack.push((root, 0));
        while let Some(&mut (node, ref mut next)) = stack.last_mut() {
            let at = node as usize;
            if *next == 0 {
                index_of[at] = next_index;
                low[at] = next_index;
                next_index += 1;
                open.push(node);
                is_open[at] = true;
            }
            if let Some(&successor) = successors(node).get(*next) {
                *next += 1;
                let to = successor as usize;
                if index_of[to] == UNSEEN {
                    stack.push((successor, 0));
                } else if is_open[to] {
                    low[at] = low[at].min(index_of[to]);
                }
                continue;
            }
            stack.pop();
            if let Some(&(parent, _)) = stack.last() {
                low[parent as usize] = low[parent as usize].min(low[at]);
            }
            if low[at] == index_of[at] {
                let start = open.iter().rposition(|&other| other == node).expect("an open node should be on the stack");
                let component = open.split_off(start);
                for &member in &component {
                    is_open[member as usize] = false;
                }
                found.push(component);
            }
        }
    }
    found
}
