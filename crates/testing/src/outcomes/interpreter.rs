//! The outcomes that the interpreter's exhaustive exploration reaches, in the terms of the enumerator.

use axiomatic::Outcome;
use base::{Budget, Id};
use interp::layout::Layout;
use interp::models::histories::Cell;
use interp::state::State;
use interp::step::Interrupt;
use interp::value::{ObjRef, Value};
use interp::{explore_ends, Config, Ended, ExploreOptions, Explored, Gap, InputDomain, Machine};
use ir::{EdgeId, FunctionId, MemoryModel, ObjectId, Program, Property, Stmt};
use std::collections::BTreeSet;

/// All outcomes of a program, with the contents of these objects. An error if the exploration was incomplete.
pub fn outcomes(
    program: &Program,
    model: MemoryModel,
    reduction: bool,
    observed: &[ObjectId],
    budget: &Budget,
) -> Result<BTreeSet<Outcome>, String> {
    let config = Config {
        model,
        property: Property::Unreach,
        inputs: InputDomain::default(),
        regions: vec![],
        race_free: Default::default(),
    };
    let machine = Machine::new(program, config);
    let layout = Layout::new(program);
    let mut found = BTreeSet::new();
    let mut problem = None;
    let options = ExploreOptions { reduction, max_depth: None };
    let exploration =
        explore_ends(&machine, &options, budget, &mut |ended| match outcome(&machine, &layout, observed, ended) {
            Ok(outcome) => found.extend(outcome),
            Err(message) => problem = Some(message),
        });
    if let Some(message) = problem {
        return Err(message);
    }
    // The enumerator strengthens relaxed accesses, and those beside seq_cst ones, under ra as well.
    let gap = exploration.gaps.iter().find(|gap| !matches!(gap, Gap::Relaxed { .. } | Gap::Mixed { .. }));
    match (exploration.result, gap) {
        (Explored::Exhausted, None) => Ok(found),
        (Explored::Exhausted, Some(gap)) => Err(gap.to_string()),
        (Explored::Stopped(stop), _) => Err(format!("exploration was stopped: {stop:?}")),
        (Explored::Violated { .. }, _) => Err("exploration stopped at a violation".to_owned()),
    }
}

/// The outcome at the end of a run; a false assumption has none.
fn outcome(
    machine: &Machine<'_>,
    layout: &Layout,
    observed: &[ObjectId],
    ended: &Ended<'_>,
) -> Result<Option<Outcome>, String> {
    let stmt = ended.at.map(|(function, edge)| &machine.program.functions[function].edges[edge].stmt);
    match (ended.interrupt, stmt) {
        (None, _) => {
            let blocked = machine.deadlock(ended.state).ok_or("nobody can move, and nobody is blocked")?;
            let mut at: Vec<_> =
                blocked.iter().filter_map(|number| waits_at(machine.program, ended.state, *number)).collect();
            at.sort_unstable();
            Ok(Some(Outcome::Stuck(at)))
        }
        (Some(Interrupt::Violation(violation)), _) => match violation.at {
            Some(at) => Ok(Some(Outcome::Failed(at))),
            None => Err("an assertion fails nowhere".to_owned()),
        },
        (Some(Interrupt::Finished), Some(Stmt::Exit | Stmt::Return(_) | Stmt::ExitThread(_))) => {
            Ok(Some(Outcome::Finished(finals(ended.state, layout, observed)?)))
        }
        (Some(Interrupt::Finished | Interrupt::Impossible), _) => Ok(None),
        (Some(Interrupt::NoAnswer), _) => Err("a step that was offered is not possible".to_owned()),
        // These are gaps of the exploration as well.
        (Some(Interrupt::Undefined(_) | Interrupt::Unmodelled(_)), _) => Ok(None),
    }
}

fn waits_at(program: &Program, state: &State, thread: u32) -> Option<(FunctionId, EdgeId)> {
    let frame = state.thread(thread).frames.last()?;
    let edges = &program.functions[frame.function].edges;
    edges.enumerate().find(|(_, edge)| edge.from == frame.loc).map(|(id, _)| (frame.function, id))
}

/// The contents of objects once all stores have reached memory.
fn finals(state: &State, layout: &Layout, observed: &[ObjectId]) -> Result<Vec<(ObjectId, Vec<u8>)>, String> {
    observed.iter().map(|id| Ok((*id, contents(state, layout, *id)?))).collect()
}

fn contents(state: &State, layout: &Layout, id: ObjectId) -> Result<Vec<u8>, String> {
    let object = state.static_object(id);
    let mut contents = Vec::new();
    for offset in 0..object.size() {
        let byte = object.read(offset, 1, layout);
        match (byte.value, byte.undefined) {
            (Value::Int(value), 0) => contents.push(value as u8),
            (_, _) => return Err(format!("object {} does not hold a number at the end", id.index())),
        }
    }
    let mut put = |offset: u64, len: u64, value: Value| match value {
        Value::Int(value) => {
            let range = offset as usize..(offset + len) as usize;
            contents[range].copy_from_slice(&value.to_le_bytes()[..len as usize]);
            Ok(())
        }
        Value::Undef | Value::Ptr(_) => Err(format!("object {} does not hold a number at the end", id.index())),
    };
    let whole = Cell { object: ObjRef::Static(id), offset: 0, len: object.size() };
    for cell in state.histories.overlapping(whole) {
        if let Some(last) = state.histories.messages(cell).and_then(|messages| messages.last()) {
            put(cell.offset, cell.len, last.value)?;
        }
    }
    // Only the thread that ended the process can still have a non-empty store buffer.
    for entry in state.threads.iter().flatten().flat_map(|thread| &thread.buffer) {
        if entry.pointer.object == ObjRef::Static(id) && !entry.pointer.ghost {
            put(entry.pointer.offset as u64, entry.len, entry.value)?;
        }
    }
    Ok(contents)
}
