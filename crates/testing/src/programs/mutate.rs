//! Small random changes to a program, to vary the shapes, and the cut to size.

use super::ast::{Expr, Function, Place, Stmt};
use super::make::{Feature, Maker};
use ir::Order;

/// Makes one change.
pub(super) fn mutate(maker: &mut Maker<'_>) {
    let count = maker.program.count();
    if count == 0 {
        return;
    }
    let number = maker.rng.below(count);
    match maker.rng.below(12) {
        0..=2 => {
            let stmt = new_statement(maker);
            maker.program.edit(number, |body, index| body.insert(index, stmt));
        }
        3..=4 => reorder(maker, number),
        5 => swap(maker, number),
        6..=7 => wrap(maker, number),
        8 => outline(maker, number),
        9 => duplicate_thread(maker),
        10 if maker.has(Feature::Blocking) => {
            let thread = maker.rng.below(maker.program.threads.len());
            maker.program.threads[thread].joined = false;
        }
        10 => {}
        _ => {
            let access = maker.access();
            maker.program.during.push(access);
        }
    }
}

fn new_statement(maker: &mut Maker<'_>) -> Stmt {
    match maker.rng.below(8) {
        0 if maker.has(Feature::Fences) => maker.fence(),
        1 => maker.local_work(),
        2 if maker.has(Feature::Spins) => {
            let place = maker.place();
            let order = maker.load_order();
            let value = maker.rng.between(0, 1) as i32;
            Stmt::Spin { place, value, order, body: while_waiting(maker) }
        }
        4 if maker.has(Feature::Semaphores) && !maker.program.sems.is_empty() => {
            Stmt::SemTry { dst: maker.rng.below(3), sem: 0, timed: maker.rng.chance(50) }
        }
        3 if maker.has(Feature::Inputs) => {
            Stmt::Assume(Expr::binary(super::ast::Op::Ne, Expr::Local(0), Expr::Const(2)))
        }
        _ => maker.access(),
    }
}

/// The work of a thread while it waits: nothing that continues forever with new values.
fn while_waiting(maker: &mut Maker<'_>) -> Vec<Stmt> {
    let mut body = Vec::new();
    for _ in 0..maker.rng.below(3) {
        let stmt = maker.access();
        if matches!(stmt, Stmt::Load { .. } | Stmt::Store { value: Expr::Const(_), .. } | Stmt::CompareExchange { .. })
        {
            body.push(stmt);
        }
    }
    if !maker.program.sems.is_empty() && maker.rng.chance(30) {
        let (dst, timed) = (maker.rng.below(3), maker.rng.chance(50));
        let posts = maker.rng.chance(40);
        body.push(if posts { Stmt::SemPost(0) } else { Stmt::SemTry { dst, sem: 0, timed } });
    }
    if !body.is_empty() && maker.has(Feature::Locks) && maker.rng.below(3) == 0 {
        let mutex = 1 + maker.rng.below(2);
        body.insert(0, Stmt::Lock(mutex));
        body.push(Stmt::Unlock(mutex));
    }
    if !body.is_empty() && maker.rng.below(3) == 0 {
        let cond = Expr::binary(super::ast::Op::Ne, Expr::Local(0), Expr::Const(0));
        body = vec![Stmt::If { cond, then: body, otherwise: vec![] }];
    }
    body
}

/// Gives an access another order.
fn reorder(maker: &mut Maker<'_>, number: usize) {
    if !maker.has(Feature::Atomics) {
        return;
    }
    let loads = [Order::Plain, Order::Relaxed, Order::Acquire, Order::SeqCst];
    let stores = [Order::Plain, Order::Relaxed, Order::Release, Order::SeqCst];
    let rmws = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
    let (load, store, rmw) = (*maker.rng.pick(&loads), *maker.rng.pick(&stores), *maker.rng.pick(&rmws));
    maker.program.edit(number, |body, index| match &mut body[index] {
        Stmt::Load { order, .. } | Stmt::Spin { order, .. } => *order = load,
        Stmt::Store { order, .. } => *order = store,
        Stmt::Rmw { order, .. } | Stmt::CompareExchange { order, .. } => *order = rmw,
        _ => {}
    });
}

/// Swaps a statement with the next.
fn swap(maker: &mut Maker<'_>, number: usize) {
    maker.program.edit(number, |body, index| {
        if index + 1 < body.len() {
            body.swap(index, index + 1);
        }
    });
}

/// Puts a statement into a branch, a loop, a region or a critical section.
fn wrap(maker: &mut Maker<'_>, number: usize) {
    let cond = maker.condition();
    let choice = maker.rng.below(4);
    let allowed = [true, maker.has(Feature::Loops), maker.has(Feature::Regions), maker.has(Feature::Locks)];
    if !allowed[choice] {
        return;
    }
    maker.program.edit(number, |body, index| {
        let stmt = body[index].clone();
        // A blocking statement or an early return inside a region would leave it open.
        let may_stay = is_simple(&stmt);
        match choice {
            0 => body[index] = Stmt::If { cond, then: vec![stmt], otherwise: vec![] },
            1 if !matches!(stmt, Stmt::Loop { .. }) => body[index] = Stmt::Loop { count: 2, body: vec![stmt] },
            2 if may_stay => body[index] = Stmt::Atomic(vec![stmt]),
            3 if may_stay => {
                body.insert(index + 1, Stmt::Unlock(1));
                body.insert(index, Stmt::Lock(1));
            }
            _ => {}
        }
    });
}

fn is_simple(stmt: &Stmt) -> bool {
    matches!(
        stmt,
        Stmt::Load { .. }
            | Stmt::Store { .. }
            | Stmt::Increment { .. }
            | Stmt::Rmw { .. }
            | Stmt::CompareExchange { .. }
            | Stmt::Assign { .. }
    )
}

/// Moves a store of a constant into a function of its own.
fn outline(maker: &mut Maker<'_>, number: usize) {
    let in_functions = maker.program.functions.iter().map(|function| count(&function.body)).sum();
    if !maker.has(Feature::Functions) || number < in_functions {
        return; // functions make no calls
    }
    let function = maker.program.functions.len();
    let mut moved = None;
    maker.program.edit(number, |body, index| {
        if let Stmt::Store { value: Expr::Const(_), place: Place::Var(_), .. } = &body[index] {
            moved = Some(body[index].clone());
            body[index] = Stmt::Call { dst: None, function, arg: Expr::Const(1) };
        }
    });
    if let Some(stmt) = moved {
        let body = vec![Stmt::If { cond: Expr::is(0, 1), then: vec![stmt], otherwise: vec![] }];
        maker.program.functions.push(Function { body, value: Expr::Local(0) });
    }
}

fn count(body: &[Stmt]) -> usize {
    let mut count = 0;
    body.iter().for_each(|stmt| stmt.for_each(&mut |_| count += 1));
    count
}

fn duplicate_thread(maker: &mut Maker<'_>) {
    if maker.program.threads.len() < 4 {
        let mut thread = maker.rng.pick(&maker.program.threads).clone();
        thread.result = None;
        maker.program.threads.push(thread);
    }
}

/// Removes random statements, rarely half of a critical section, until the program is small enough to be explored.
pub(super) fn trim(maker: &mut Maker<'_>) {
    let limit = maker.settings.limit();
    while maker.program.estimate() > limit && maker.program.count() > 0 {
        let number = maker.rng.below(maker.program.count());
        let anything = maker.rng.chance(10);
        maker.program.edit(number, |body, index| {
            if anything || is_simple(&body[index]) {
                body.remove(index);
            }
        });
    }
}
