//! The engine `explore`: every state of the reference interpreter is visited, so it answers for programs with finitely
//! many states. What the interpreter had to leave out on the way (values of inputs, what is not modelled) is a reason
//! for `unknown`.

use base::{IdVec, Stats};
use check::{Counterexample, Engine, Outcome, Proof, Reason, ReasonKind, Task, Verdict};
use interp::{ExploreOptions, Explored, Gap, Machine};
use ir::{Callee, EdgeId, Expr, FunctionId, Initial, MemoryModel, Order, Program, Schedule, Stmt, Symbol};

pub(crate) struct Explore;

impl Engine for Explore {
    fn name(&self) -> &'static str {
        "explore"
    }

    fn about(&self) -> &'static str {
        "visit every state of the reference interpreter; proves programs with finitely many states"
    }

    fn run(&self, task: &Task<'_>) -> Outcome {
        let machine = Machine::new(task.program, crate::machine_config(task));
        let options = ExploreOptions { reduction: task.options.reduction, max_depth: task.options.max_depth };
        let exploration = interp::explore(&machine, &options, &task.budget);
        let mut stats = Stats::default();
        stats.set("states", exploration.states as f64);
        stats.set("transitions", exploration.transitions as f64);
        let verdict = match exploration.result {
            Explored::Violated { steps, violation } => {
                let schedule = Schedule { model: task.model, property: task.property, steps };
                Verdict::Unsafe(Box::new(Counterexample { schedule, violation }))
            }
            Explored::Exhausted => {
                let proof = Proof::Exhausted {
                    states: exploration.states,
                    transitions: exploration.transitions,
                    reduced: options.reduction,
                };
                Verdict::safe(proof, assumptions(task, &exploration.gaps))
            }
            Explored::Stopped(stop) => {
                let mut reasons = vec![Reason::from(stop)];
                reasons.extend(assumptions(task, &exploration.gaps));
                Verdict::Unknown(reasons)
            }
        };
        Outcome { verdict, stats }
    }
}

/// What was assumed on the way, each with its place.
fn assumptions(task: &Task<'_>, gaps: &[Gap]) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    for gap in gaps {
        let reason = reason(task.program, gap);
        let is_promised = reason.kind == ReasonKind::Inputs && task.options.inputs.promised;
        if !is_promised && !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    if task.model == MemoryModel::Ra && !task.options.strengthen_relaxed {
        reasons.extend(relaxed(task.program));
    }
    reasons
}

fn place(program: &Program, (function, edge): (FunctionId, EdgeId)) -> String {
    program.place(program.functions[function].edges[edge].span)
}

fn reason(program: &Program, gap: &Gap) -> Reason {
    let new = |kind, at: Option<(FunctionId, EdgeId)>| {
        Reason::new(kind, gap.to_string()).at(at.map(|at| place(program, at)).unwrap_or_default())
    };
    match gap {
        Gap::Inputs { at } => new(ReasonKind::Inputs, Some(*at)),
        Gap::Unmodelled { at, .. } => new(ReasonKind::Unmodelled, Some(*at)),
        Gap::Addresses { at } => new(ReasonKind::Addresses, Some(*at)),
        Gap::Undefined { at, .. } => new(ReasonKind::Undefined, Some(*at)),
        Gap::Depth => new(ReasonKind::Bound, None),
    }
}

/// The interpreter takes every access under `ra` as release-acquire: what is relaxed in the source is strengthened.
/// Relaxed accesses of models are to ghost memory, which is sequentially consistent under every model; but the model of
/// the generic atomic functions carries out accesses of the program, whatever their order.
fn relaxed(program: &Program) -> Option<Reason> {
    let reachable = reachable_functions(program);
    let edges = program.functions.enumerate().filter(|(id, _)| reachable[*id]).flat_map(|(_, f)| f.edges.iter());
    let edge = edges.into_iter().find(|edge| match program.files.get(edge.span.file).map(String::as_str) {
        Some("<atomic model>") => true,
        Some(file) if file.starts_with('<') => false,
        Some(_) | None => is_relaxed(&edge.stmt),
    })?;
    let detail = "relaxed atomics were taken as release-acquire (--assume-ra takes that for granted)";
    Some(Reason::new(ReasonKind::Relaxed, detail).at(program.place(edge.span)))
}

fn is_relaxed(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Load { access, .. } | Stmt::Store { access, .. } => access.order == Order::Relaxed,
        Stmt::Rmw { order, .. } => *order == Order::Relaxed,
        Stmt::CompareExchange { order, failure, .. } => *order == Order::Relaxed || *failure == Order::Relaxed,
        Stmt::Skip
        | Stmt::Assign { .. }
        | Stmt::Havoc { .. }
        | Stmt::Assume(_)
        | Stmt::Assert { .. }
        | Stmt::Fence(_)
        | Stmt::Copy { .. }
        | Stmt::Set { .. }
        | Stmt::Alloc { .. }
        | Stmt::Free { .. }
        | Stmt::Call { .. }
        | Stmt::Return(_)
        | Stmt::NewThread { .. }
        | Stmt::Spawn { .. }
        | Stmt::Join { .. }
        | Stmt::Detach { .. }
        | Stmt::ExitThread(_)
        | Stmt::Lock { .. }
        | Stmt::Unlock { .. }
        | Stmt::Await { .. }
        | Stmt::AtomicBegin
        | Stmt::AtomicEnd
        | Stmt::Exit
        | Stmt::Unmodelled(_) => false,
    }
}

/// The functions that may run: those called from the entry, directly or as the target of a pointer that a statement or
/// an initialiser mentions.
fn reachable_functions(program: &Program) -> IdVec<FunctionId, bool> {
    let mut reachable = IdVec::filled(false, program.functions.len());
    let mut waiting = vec![program.entry];
    for object in program.objects.iter() {
        if let Initial::Bytes { relocations, .. } = &object.initial {
            waiting.extend(relocations.iter().filter_map(|relocation| match relocation.symbol {
                Symbol::Function(function) => Some(function),
                Symbol::Object(_) => None,
            }));
        }
    }
    while let Some(function) = waiting.pop() {
        if std::mem::replace(&mut reachable[function], true) {
            continue;
        }
        for edge in program.functions[function].edges.iter() {
            if let Stmt::Call { callee: Callee::Direct(callee), .. }
            | Stmt::Spawn { callee: Callee::Direct(callee), .. } = &edge.stmt
            {
                waiting.push(*callee);
            }
            for expr in edge.stmt.exprs() {
                expr.for_each(&mut |part| {
                    if let Expr::Function(function) = part {
                        waiting.push(*function);
                    }
                });
            }
        }
    }
    reachable
}
