//! Minimising a program that shows something: greedy delta debugging on the tree (Zeller and Hildebrandt: Simplifying
//! and isolating failure-inducing input, TSE 2002; here on subtrees instead of chunks of text).
//!
//! Every candidate is smaller in [`weight`], so shrinking terminates, whatever the predicate says.

use super::ast::{Expr, Place, Program, ReadWrite, Stmt, Var};
use ir::Order;

/// The smallest program reached by removing and simplifying, such that `shows` still holds of it, after at most
/// `tests` calls of `shows`. The given program is assumed to show it.
pub fn shrink(program: &Program, tests: usize, shows: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut left = tests;
    'again: loop {
        for candidate in candidates(&best) {
            if left == 0 {
                return best;
            }
            left -= 1;
            if shows(&candidate) {
                best = candidate;
                continue 'again;
            }
        }
        return best;
    }
}

/// Slightly smaller programs, the boldest cuts first.
pub fn candidates(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    remove_parts(program, &mut found);
    for number in 0..program.count() {
        change(program, number, &mut found, |body, index| {
            body.remove(index);
            true
        });
    }
    for number in 0..program.count() {
        simplify_statement(program, number, &mut found);
    }
    simplify_declarations(program, &mut found);
    let bound = weight(program);
    found.retain(|candidate| weight(candidate) < bound);
    found
}

/// The measure that shrinking decreases: nodes of the tree, constants, and everything that is not the simplest of its
/// kind.
pub fn weight(program: &Program) -> u64 {
    let mut sum = 0;
    program.for_each(&mut |stmt| sum += stmt_weight(stmt));
    sum += program.functions.len() as u64;
    sum += program.functions.iter().map(|function| expr_weight(&function.value)).sum::<u64>();
    for thread in &program.threads {
        sum += 20 + 4 * u64::from(!thread.joined);
        sum += thread.result.as_ref().map_or(0, |result| 5 + expr_weight(result));
    }
    for var in &program.vars {
        sum += match var {
            Var::Int { init, atomic } => u64::from(init.unsigned_abs()) + u64::from(*atomic),
            Var::Array { len } => *len as u64,
            Var::Pointer { .. } => 1,
        };
    }
    sum += program.sems.iter().map(|value| u64::from(*value)).sum::<u64>();
    sum += program.outcome.iter().map(|(place, value)| 6 + place_weight(place) + const_weight(*value)).sum::<u64>();
    sum + u64::from(program.sync_spelling) + u64::from(program.is_packed)
}

fn const_weight(value: i32) -> u64 {
    1 + u64::from(value.unsigned_abs().min(100)) + u64::from(value < 0)
}

fn expr_weight(expr: &Expr) -> u64 {
    match expr {
        Expr::Const(value) => const_weight(*value),
        Expr::Local(_) => 3,
        Expr::Counter(_) => 4,
        Expr::Binary(_, lhs, rhs) => 4 + expr_weight(lhs) + expr_weight(rhs),
    }
}

fn place_weight(place: &Place) -> u64 {
    match place {
        Place::Var(_) | Place::Result(_) => 1,
        Place::Element(_, index) => 2 + expr_weight(index),
        Place::Deref(_) => 3,
    }
}

fn order_weight(order: Order) -> u64 {
    match order {
        Order::Plain => 0,
        Order::SeqCst => 1,
        Order::AcqRel => 2,
        Order::Acquire | Order::Release => 3,
        Order::Relaxed => 4,
    }
}

/// Without the nested statements, which count for themselves.
fn stmt_weight(stmt: &Stmt) -> u64 {
    let place = stmt.place().map_or(0, place_weight);
    10 + place
        + match stmt {
            Stmt::Load { order, .. } => order_weight(*order),
            Stmt::Store { value, order, .. } => expr_weight(value) + order_weight(*order),
            Stmt::Increment { .. } => 5,
            Stmt::Rmw { dst, value, order, .. } => {
                8 + u64::from(dst.is_some()) + expr_weight(value) + order_weight(*order)
            }
            Stmt::CompareExchange { expected, desired, order, failure, weak, .. } => {
                let orders = order_weight(*order) + order_weight(*failure);
                12 + const_weight(*expected) + expr_weight(desired) + orders + u64::from(*weak)
            }
            Stmt::Fence(order) => order_weight(*order),
            Stmt::Assign { value, .. } => expr_weight(value),
            Stmt::Spin { value, order, .. } => 8 + const_weight(*value) + order_weight(*order),
            Stmt::If { cond, .. } => expr_weight(cond),
            Stmt::Loop { count, .. } => u64::from(*count),
            Stmt::Wait { until, .. } => until.as_ref().map_or(0, |(_, value)| 3 + const_weight(*value)),
            Stmt::Signal { all, .. } => u64::from(*all),
            Stmt::Call { dst, arg, .. } => 3 + u64::from(dst.is_some()) + expr_weight(arg),
            Stmt::Assert(cond) | Stmt::Assume(cond) => expr_weight(cond),
            Stmt::Nondet { .. } | Stmt::TryLock { .. } | Stmt::Chosen { .. } => 4,
            Stmt::SemTry { timed, .. } => 4 + u64::from(*timed),
            Stmt::ReadWrite { call, .. } => 1 + u64::from(*call == ReadWrite::Read),
            Stmt::Point { .. }
            | Stmt::Free
            | Stmt::Lock(_)
            | Stmt::Unlock(_)
            | Stmt::SemWait(_)
            | Stmt::SemPost(_)
            | Stmt::Destroy { .. }
            | Stmt::DestroyMutex(_)
            | Stmt::Atomic(_)
            | Stmt::Return => 0,
        }
}

/// Adds the program with one statement changed, if `change` reports a change.
fn change(
    program: &Program,
    number: usize,
    found: &mut Vec<Program>,
    change: impl FnOnce(&mut Vec<Stmt>, usize) -> bool,
) {
    let mut candidate = program.clone();
    let mut changed = false;
    candidate.edit(number, |body, index| changed = change(body, index));
    if changed {
        found.push(candidate);
    }
}

/// Whole threads, functions, results, terms of the outcome.
fn remove_parts(program: &Program, found: &mut Vec<Program>) {
    for index in 0..program.threads.len() {
        found.push(without_thread(program, index));
    }
    for index in 0..program.functions.len() {
        // Functions keep their indices, for their calls: only the body of a function is removed.
        let mut candidate = program.clone();
        candidate.functions[index].body.clear();
        found.push(candidate);
    }
    for index in 0..program.outcome.len() {
        let mut candidate = program.clone();
        candidate.outcome.remove(index);
        found.push(candidate);
    }
    for index in 0..program.threads.len() {
        let mut candidate = program.clone();
        candidate.threads[index].result = None;
        found.push(candidate);
        let mut candidate = program.clone();
        candidate.threads[index].joined = true;
        found.push(candidate);
        if let Some(result) = &program.threads[index].result {
            for smaller in simpler_exprs(result) {
                let mut candidate = program.clone();
                candidate.threads[index].result = Some(smaller);
                found.push(candidate);
            }
        }
    }
}

/// The program without a thread; references to later threads' results are adjusted.
fn without_thread(program: &Program, removed: usize) -> Program {
    let mut candidate = program.clone();
    candidate.threads.remove(removed);
    candidate.outcome.retain(|(place, _)| *place != Place::Result(removed));
    for (place, _) in &mut candidate.outcome {
        if let Place::Result(thread) = place {
            if *thread > removed {
                *thread -= 1;
            }
        }
    }
    candidate
}

/// One statement, simplified in each possible way.
fn simplify_statement(program: &Program, number: usize, found: &mut Vec<Program>) {
    let mut copy = None;
    program.clone().edit(number, |body, index| copy = Some(body[index].clone()));
    let Some(stmt) = copy else { return };
    // A compound statement is replaced by its contents.
    for inner in stmt.bodies() {
        let inner = inner.clone();
        change(program, number, found, |body, index| {
            body.splice(index..=index, inner);
            true
        });
    }
    if let Stmt::Call { function, .. } = &stmt {
        if let Some(function) = program.functions.get(*function) {
            let inner = function.body.clone();
            change(program, number, found, |body, index| {
                body.splice(index..=index, inner);
                true
            });
        }
    }
    for simpler in simpler_statements(&stmt) {
        change(program, number, found, |body, index| {
            body[index] = simpler;
            true
        });
    }
}

/// The statement with one part simplified.
fn simpler_statements(stmt: &Stmt) -> Vec<Stmt> {
    let mut found = Vec::new();
    let mut with = |edit: &dyn Fn(&mut Stmt)| {
        let mut copy = stmt.clone();
        edit(&mut copy);
        if copy != *stmt {
            found.push(copy);
        }
    };
    for order in [Order::Plain, Order::SeqCst, Order::AcqRel] {
        with(&|stmt| set_order(stmt, order));
    }
    let exprs = match stmt {
        Stmt::Store { value: expr, .. }
        | Stmt::Rmw { value: expr, .. }
        | Stmt::CompareExchange { desired: expr, .. }
        | Stmt::Assign { value: expr, .. }
        | Stmt::If { cond: expr, .. }
        | Stmt::Call { arg: expr, .. }
        | Stmt::Assert(expr)
        | Stmt::Assume(expr) => simpler_exprs(expr),
        _ => vec![],
    };
    for smaller in exprs {
        with(&|stmt| set_expr(stmt, &smaller));
    }
    if let Some(Place::Element(var, index)) = stmt.place() {
        for smaller in simpler_exprs(index) {
            with(&|stmt| set_place(stmt, &Place::Element(*var, smaller.clone())));
        }
    }
    with(&|stmt| match stmt {
        Stmt::Loop { count, .. } if *count > 1 => *count -= 1,
        Stmt::Rmw { dst, .. } | Stmt::Call { dst, .. } => *dst = None,
        Stmt::Signal { all, .. } => *all = false,
        Stmt::Wait { until, .. } => *until = None,
        Stmt::CompareExchange { weak, .. } => *weak = false,
        Stmt::SemTry { timed, .. } => *timed = false,
        _ => {}
    });
    found.extend(simpler_kinds(stmt));
    found
}

/// The statement replaced by one of a simpler kind.
fn simpler_kinds(stmt: &Stmt) -> Vec<Stmt> {
    match stmt {
        Stmt::Rmw { dst, place, value, .. } => {
            let load = dst.map(|dst| Stmt::Load { dst, place: place.clone(), order: Order::SeqCst });
            let store = Stmt::Store { place: place.clone(), value: value.clone(), order: Order::SeqCst };
            load.into_iter().chain([store]).collect()
        }
        Stmt::CompareExchange { place, desired, .. } => {
            vec![Stmt::Store { place: place.clone(), value: desired.clone(), order: Order::SeqCst }]
        }
        Stmt::Increment { place } => {
            vec![Stmt::Store { place: place.clone(), value: Expr::Const(1), order: Order::Plain }]
        }
        Stmt::TryLock { mutex, .. } => vec![Stmt::Lock(*mutex)],
        Stmt::ReadWrite { lock, call: ReadWrite::Read } => {
            vec![Stmt::ReadWrite { lock: *lock, call: ReadWrite::Write }]
        }
        Stmt::Chosen { unlocks: false, .. } => vec![Stmt::Lock(0), Stmt::Lock(1)],
        Stmt::Chosen { unlocks: true, .. } => vec![Stmt::Unlock(0), Stmt::Unlock(1)],
        Stmt::SemTry { sem, .. } => vec![Stmt::SemWait(*sem)],
        Stmt::Nondet { dst } => {
            [0, 1].map(|value| Stmt::Assign { dst: *dst, value: Expr::Const(value) }).into_iter().collect()
        }
        _ => vec![],
    }
}

fn set_order(stmt: &mut Stmt, new: Order) {
    match stmt {
        Stmt::Load { order, .. } | Stmt::Store { order, .. } | Stmt::Spin { order, .. } if new != Order::AcqRel => {
            *order = new;
        }
        Stmt::Rmw { order, .. } | Stmt::CompareExchange { order, .. } | Stmt::Fence(order) if new != Order::Plain => {
            *order = new;
        }
        _ => {}
    }
}

fn set_expr(stmt: &mut Stmt, new: &Expr) {
    match stmt {
        Stmt::Store { value: expr, .. }
        | Stmt::Rmw { value: expr, .. }
        | Stmt::CompareExchange { desired: expr, .. }
        | Stmt::Assign { value: expr, .. }
        | Stmt::If { cond: expr, .. }
        | Stmt::Call { arg: expr, .. }
        | Stmt::Assert(expr)
        | Stmt::Assume(expr) => *expr = new.clone(),
        _ => {}
    }
}

fn set_place(stmt: &mut Stmt, new: &Place) {
    match stmt {
        Stmt::Load { place, .. }
        | Stmt::Store { place, .. }
        | Stmt::Increment { place }
        | Stmt::Rmw { place, .. }
        | Stmt::CompareExchange { place, .. }
        | Stmt::Spin { place, .. } => *place = new.clone(),
        Stmt::Wait { until: Some((place, _)), .. } => *place = new.clone(),
        _ => {}
    }
}

/// An operand instead of the whole, a smaller constant, a constant instead of a variable, a simplified part.
fn simpler_exprs(expr: &Expr) -> Vec<Expr> {
    match expr {
        Expr::Const(value) => {
            let smaller = [0, 1, value / 2, value - value.signum()];
            let smaller = smaller.into_iter().filter(|new| const_weight(*new) < const_weight(*value));
            smaller.map(Expr::Const).collect()
        }
        Expr::Local(_) | Expr::Counter(_) => vec![Expr::Const(0), Expr::Const(1)],
        Expr::Binary(op, lhs, rhs) => {
            let mut found = vec![(**lhs).clone(), (**rhs).clone(), Expr::Const(0), Expr::Const(1)];
            found.extend(simpler_exprs(lhs).into_iter().map(|lhs| Expr::binary(*op, lhs, (**rhs).clone())));
            found.extend(simpler_exprs(rhs).into_iter().map(|rhs| Expr::binary(*op, (**lhs).clone(), rhs)));
            found
        }
    }
}

/// Initial values, `_Atomic`, values of the outcome, the spelling.
fn simplify_declarations(program: &Program, found: &mut Vec<Program>) {
    let mut with = |edit: &dyn Fn(&mut Program)| {
        let mut candidate = program.clone();
        edit(&mut candidate);
        found.push(candidate);
    };
    for index in 0..program.vars.len() {
        with(&|program| match &mut program.vars[index] {
            Var::Int { init, .. } => *init = 0,
            Var::Array { len } if *len > 1 => *len -= 1,
            Var::Array { .. } | Var::Pointer { .. } => {}
        });
        with(&|program| {
            if let Var::Int { atomic, .. } = &mut program.vars[index] {
                *atomic = false;
            }
        });
    }
    for index in 0..program.sems.len() {
        with(&|program| program.sems[index] = 0);
    }
    for index in 0..program.outcome.len() {
        for value in [0, 1] {
            with(&|program| program.outcome[index].1 = value);
        }
    }
    with(&|program| program.sync_spelling = false);
    with(&|program| program.is_packed = false);
}
