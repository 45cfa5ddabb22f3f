//! Exports the results for people: for each thread and source line, the number of abstract states in which a thread can
//! be about to execute something there, and the possible values of its variables and of the locations in its view.

use crate::domains::{Intervals, Number, Numeric};
use crate::priori::fixpoint::Analysis;
use crate::priori::graph::NodeId;
use crate::priori::state::{Scalar, State};
use crate::priori::world::Lessons;
use crate::priori::{level, Facts, Options, MAX_RESTARTS};
use base::Span;
use check::{Reason, Task};
use std::collections::BTreeMap;

/// The invariants of a thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadInvariants {
    /// Its entry function, and whether it stands for several threads.
    pub name: String,
    /// By line.
    pub lines: Vec<LineInvariant>,
}

/// The invariant at a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineInvariant {
    /// The line.
    pub at: Span,
    /// Number of abstract states.
    pub states: usize,
    /// Names and possible values.
    pub values: Vec<(String, Number)>,
}

/// The invariants where paths join and where threads read from others; reasons if the analysis failed.
pub fn invariants(task: &Task<'_>) -> Result<Vec<ThreadInvariants>, Vec<Reason>> {
    found(task, false)
}

/// The invariants at every line; reasons if the analysis failed. Since more is joined, they may be weaker than those of
/// [`invariants`].
pub fn invariants_everywhere(task: &Task<'_>) -> Result<Vec<ThreadInvariants>, Vec<Reason>> {
    found(task, true)
}

fn found(task: &Task<'_>, keeps_all: bool) -> Result<Vec<ThreadInvariants>, Vec<Reason>> {
    let facts = Facts::new(task.program);
    let mut lessons = Lessons::default();
    for _ in 0..MAX_RESTARTS {
        let precision = level(task.options.own::<Options>().precision.unwrap_or(2), u64::MAX, task);
        let mut analysis: Analysis<'_, Intervals> =
            Analysis::new(task, &facts.points_to, &facts.escape, precision, lessons.clone());
        analysis.keeps_all = keeps_all;
        analysis.run().map_err(|stop| vec![Reason::from(stop)])?;
        if analysis.world.learnt == lessons {
            if !analysis.reasons.is_empty() {
                return Err(analysis.reasons.into_iter().collect());
            }
            return Ok((0..analysis.world.threads.len() as u32)
                .map(|thread| describe(&mut analysis, thread))
                .collect());
        }
        lessons = analysis.world.learnt;
    }
    Err(Vec::new())
}

fn describe(analysis: &mut Analysis<'_, Intervals>, thread: u32) -> ThreadInvariants {
    let item = &analysis.world.threads[thread as usize];
    let function = &analysis.task.program.functions[item.graph.frames[0].function];
    let name = if item.is_many { format!("{} (several)", function.name) } else { function.name.clone() };
    let mut by_line: BTreeMap<Span, Vec<NodeId>> = BTreeMap::new();
    for (node, kept) in item.graph.nodes.iter().enumerate().filter(|(_, node)| node.is_kept || analysis.keeps_all) {
        let function = &analysis.task.program.functions[item.graph.frames[kept.frame as usize].function];
        let span = kept.out.first().map(|arc| function.edges[arc.edge].span);
        if let Some(span) = span.filter(|span| analysis.task.program.is_users(*span)) {
            by_line.entry(Span { column: 0, ..span }).or_default().push(node as NodeId);
        }
    }
    let mut lines = Vec::new();
    for (span, nodes) in by_line {
        let mut states: Vec<(NodeId, State<Intervals>)> = Vec::new();
        for node in nodes {
            let slots = analysis.nodes.get(&(thread, node));
            states
                .extend(slots.into_iter().flat_map(|slots| slots.iter()).map(|(_, state)| (node, State::clone(state))));
        }
        if let Some(line) = line(analysis, thread, span, &states) {
            lines.push(line);
        }
    }
    ThreadInvariants { name, lines }
}

fn line(
    analysis: &mut Analysis<'_, Intervals>,
    thread: u32,
    span: Span,
    states: &[(NodeId, State<Intervals>)],
) -> Option<LineInvariant> {
    let (first, rest) = states.split_first()?;
    let mut all = first.1.clone();
    for (_, state) in rest {
        all = all.join(state, &mut analysis.world, None);
    }
    let mut values = Vec::new();
    for cell in 1..analysis.world.cells.len() {
        if !analysis.world.cells[cell].is_shared || analysis.world.cells[cell].ghost {
            continue;
        }
        if let Scalar::Number(number) = all.cell(&mut analysis.world, cell) {
            if !number.is_top() {
                values.push((analysis.world.cell_name(cell), number));
            }
        }
    }
    let graph = &analysis.world.threads[thread as usize].graph;
    let frame = &graph.frames[graph.nodes[first.0 as usize].frame as usize];
    for (local, item) in analysis.task.program.functions[frame.function].locals.enumerate() {
        let var = crate::domains::Var(frame.base + base::Id::index(local) as u32);
        if let Some(number) = all.numbers.get(var).filter(|number| !number.is_top()) {
            values.push((item.name.clone(), number));
        }
    }
    Some(LineInvariant { at: span, states: states.len(), values })
}
