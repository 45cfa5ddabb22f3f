//! The shapes programs start from. Each contains one situation that breaks a plausible but wrong rule.

use super::ast::{Expr, Function, Place, ReadWrite, Stmt, Var};
use super::make::{Feature, Maker};
use ir::{Order, RmwOp};

type Shape = fn(&mut Maker<'_>);

/// Fills the program with one shape that the settings allow.
pub(super) fn build(maker: &mut Maker<'_>) {
    let shapes: [(Shape, &[Feature]); 16] = [
        (classic, &[]),
        (classic, &[]),
        (classic, &[]),
        (litmus, &[]),
        (mixed_rmws, &[Feature::Atomics]),
        (stores_in_loops, &[Feature::Loops]),
        (kept_lock, &[Feature::Locks, Feature::Blocking]),
        (calls, &[Feature::Functions]),
        (guarded, &[Feature::Locks, Feature::ReadWriteLocks]),
        (waiting, &[Feature::Locks, Feature::Conditions]),
        (handover, &[Feature::Semaphores]),
        (regions, &[Feature::Regions]),
        (chosen_lock, &[Feature::Locks, Feature::Inputs]),
        (let_go, &[Feature::Locks, Feature::Spins]),
        (polling, &[Feature::Semaphores, Feature::Spins]),
        (free, &[]),
    ];
    let allowed: Vec<Shape> = shapes
        .iter()
        .filter(|(_, needed)| needed.iter().all(|feature| maker.has(*feature)))
        .map(|(shape, _)| *shape)
        .collect();
    let shape = *maker.rng.pick(&allowed);
    shape(maker);
    final_values(maker);
}

/// An access of a classic litmus test: to the variable with this index.
#[derive(Clone, Copy)]
enum Access {
    /// Stores the value.
    W(usize, i32),
    /// Loads, with the value in the outcome of interest.
    R(usize, i32),
}
use Access::{R, W};

/// A classic litmus test: the threads, and final values that belong to the outcome of interest.
struct Classic {
    threads: &'static [&'static [Access]],
    finals: &'static [(usize, i32)],
}

/// Tests whose outcome of interest distinguishes memory models, or that no model of ours allows. Names as in Alglave,
/// Maranget, Tautschnig: Herding cats (TOPLAS 2014).
const CLASSICS: [Classic; 15] = [
    // SB: allowed from tso on.
    Classic { threads: &[&[W(0, 1), R(1, 0)], &[W(1, 1), R(0, 0)]], finals: &[] },
    // The same among three threads.
    Classic { threads: &[&[W(0, 1), R(1, 0)], &[W(1, 1), R(2, 0)], &[W(2, 1), R(0, 0)]], finals: &[] },
    // MP: pso.
    Classic { threads: &[&[W(0, 1), W(1, 1)], &[R(1, 1), R(0, 0)]], finals: &[] },
    // LB: none.
    Classic { threads: &[&[R(0, 1), W(1, 1)], &[R(1, 1), W(0, 1)]], finals: &[] },
    // IRIW: ra.
    Classic { threads: &[&[W(0, 1)], &[W(1, 1)], &[R(0, 1), R(1, 0)], &[R(1, 1), R(0, 0)]], finals: &[] },
    // WRC: none.
    Classic { threads: &[&[W(0, 1)], &[R(0, 1), W(1, 1)], &[R(1, 1), R(0, 0)]], finals: &[] },
    // RWC: tso.
    Classic { threads: &[&[W(0, 1)], &[R(0, 1), R(1, 0)], &[W(1, 1), R(0, 0)]], finals: &[] },
    // W+RWC: tso by its last thread.
    Classic { threads: &[&[W(0, 1), W(1, 1)], &[R(1, 1), R(2, 0)], &[W(2, 1), R(0, 0)]], finals: &[] },
    // ISA2: pso.
    Classic { threads: &[&[W(0, 1), W(1, 1)], &[R(1, 1), W(2, 1)], &[R(2, 1), R(0, 0)]], finals: &[] },
    // 2+2W: pso and ra.
    Classic { threads: &[&[W(0, 1), W(1, 2)], &[W(1, 1), W(0, 2)]], finals: &[(0, 1), (1, 1)] },
    // S: pso.
    Classic { threads: &[&[W(0, 2), W(1, 1)], &[R(1, 1), W(0, 1)]], finals: &[(0, 2)] },
    // R: tso and ra.
    Classic { threads: &[&[W(0, 1), W(1, 1)], &[W(1, 2), R(0, 0)]], finals: &[(1, 2)] },
    // CoRR: none.
    Classic { threads: &[&[W(0, 1)], &[R(0, 1), R(0, 0)]], finals: &[] },
    // CoRR2: none.
    Classic { threads: &[&[W(0, 1)], &[W(0, 2)], &[R(0, 1), R(0, 2)], &[R(0, 2), R(0, 1)]], finals: &[] },
    // CoWR beside a store buffer: a thread sees its own store first.
    Classic { threads: &[&[W(0, 1), R(0, 1), R(1, 0)], &[W(1, 1), R(1, 1), R(0, 0)]], finals: &[] },
];

/// A classic litmus test, sometimes with fences or with read-modify-writes for some of its stores.
fn classic(maker: &mut Maker<'_>) {
    let test = maker.rng.below(CLASSICS.len());
    maker.ints_at_zero(3);
    let fences = if maker.has(Feature::Fences) { *maker.rng.pick(&[0, 0, 20, 100]) } else { 0 };
    for accesses in CLASSICS[test].threads {
        let (mut body, mut values) = (Vec::new(), Vec::new());
        for access in *accesses {
            if !body.is_empty() && maker.rng.chance(fences) {
                body.push(maker.fence());
            }
            match *access {
                R(var, value) => {
                    body.push(maker.load(values.len(), Place::Var(var)));
                    values.push(value);
                }
                W(var, value) if maker.has(Feature::Atomics) && maker.rng.chance(10) => {
                    let order = maker.rmw_order();
                    let (op, place, value) = (RmwOp::Exchange, Place::Var(var), Expr::Const(value));
                    body.push(Stmt::Rmw { dst: None, op, place, value, order });
                }
                W(var, value) => body.push(maker.store(Place::Var(var), value)),
            }
        }
        let thread = maker.thread(body);
        let locals: Vec<usize> = (0..values.len()).collect();
        maker.report(thread, &locals, &values);
    }
    let finals = CLASSICS[test].finals.iter().map(|(var, value)| (Place::Var(*var), *value));
    maker.program.outcome.extend(finals);
}

/// Sometimes the final values of variables are part of the forbidden outcome.
fn final_values(maker: &mut Maker<'_>) {
    let wanted = maker.program.outcome.is_empty() || maker.rng.chance(15);
    let terms = if wanted { maker.rng.between(1, 2) } else { 0 };
    for _ in 0..terms {
        let var = maker.rng.below(maker.program.vars.len());
        let place = match maker.program.vars[var] {
            Var::Int { .. } => Place::Var(var),
            Var::Array { len } => Place::Element(var, Expr::Const(maker.rng.below(len) as i32)),
            Var::Pointer { .. } => Place::Deref(var),
        };
        let value = maker.plausible();
        maker.program.outcome.push((place, value));
    }
}

/// Adds a thread that reads these variables in this order and reports the values.
fn observer(maker: &mut Maker<'_>, vars: &[usize]) {
    let body = vars.iter().enumerate().map(|(dst, var)| maker.load(dst, Place::Var(*var))).collect();
    let thread = maker.thread(body);
    let values: Vec<i32> = vars.iter().map(|_| maker.plausible()).collect();
    let locals: Vec<usize> = (0..vars.len()).collect();
    maker.observe(thread, &locals, &values);
}

/// Some of these variables, in random order, possibly repeated.
fn some_of(maker: &mut Maker<'_>, vars: &[usize], count: usize) -> Vec<usize> {
    (0..count).map(|_| *maker.rng.pick(vars)).collect()
}

/// Two to four threads with one to three accesses each to two or three variables: store buffering, message passing,
/// load buffering, IRIW, WRC, 2+2W and variations of them.
fn litmus(maker: &mut Maker<'_>) {
    let count = maker.rng.between(2, 3);
    let vars = maker.ints(count);
    let threads = maker.rng.between(2, 4);
    for _ in 0..threads {
        let accesses = if threads == 4 { maker.rng.between(1, 2) } else { maker.rng.between(1, 3) };
        let mut body = Vec::new();
        let mut loaded = 0;
        for access in 0..accesses {
            if access > 0 && maker.has(Feature::Fences) && maker.rng.chance(15) {
                body.push(maker.fence());
            }
            let place = Place::Var(*maker.rng.pick(&vars));
            if maker.rng.chance(12) && maker.has(Feature::Atomics) {
                body.push(maker.fetch_add(loaded, place));
                loaded += 1;
            } else if maker.rng.chance(50) {
                body.push(maker.load(loaded, place));
                loaded += 1;
            } else {
                let value = maker.value();
                body.push(maker.store(place, value));
            }
        }
        let thread = maker.thread(body);
        let values: Vec<i32> = (0..loaded).map(|_| maker.plausible()).collect();
        let locals: Vec<usize> = (0..loaded).collect();
        maker.report(thread, &locals, &values);
    }
}

/// Read-modify-writes and a plain store on one location, with flags that say which came first: that two
/// read-modify-writes are not known to be ordered does not mean that they cannot both have happened.
fn mixed_rmws(maker: &mut Maker<'_>) {
    let x = maker.declare(Var::Int { init: 0, atomic: false });
    let flags = maker.ints(2);
    let (a, b) = (flags[0], flags[1]);
    for flag in [a, b] {
        let rmw = if maker.rng.chance(70) { maker.fetch_add(0, Place::Var(x)) } else { maker.rmw(0, Place::Var(x)) };
        let set = maker.store(Place::Var(flag), 1);
        let thread = maker.thread(vec![rmw, set]);
        if maker.rng.chance(40) {
            let value = maker.plausible();
            maker.observe(thread, &[0], &[value]);
        }
    }
    let value = maker.rng.between(1, 3) as i32;
    let order = if maker.rng.chance(60) { Order::Plain } else { maker.store_order() };
    let store = Stmt::Store { place: Place::Var(x), value: Expr::Const(value), order };
    if maker.rng.chance(30) {
        // The store comes from a thread that also does something else.
        let second = maker.rmw(0, Place::Var(x));
        maker.thread(vec![store, second]);
    } else if maker.rng.chance(30) {
        maker.program.during.push(store);
    } else {
        maker.thread(vec![store]);
    }
    let seen = [vec![a, b], vec![a, b, x], vec![x, a]];
    let vars = maker.rng.pick(&seen).clone();
    observer(maker, &vars);
}

/// `loop { x = 1; x = 2 }` and observers: the same statement stores again after a later one has.
fn stores_in_loops(maker: &mut Maker<'_>) {
    let vars = maker.ints(2);
    let (x, y) = (vars[0], vars[1]);
    let mut body = vec![maker.store(Place::Var(x), 1)];
    match maker.rng.below(3) {
        0 => body.push(maker.store(Place::Var(x), 2)),
        1 => body.push(maker.store(Place::Var(y), 1)),
        _ => {
            let order = maker.store_order();
            body.push(Stmt::Store { place: Place::Var(y), value: Expr::Counter(0), order });
        }
    }
    maker.thread(vec![Stmt::Loop { count: 2, body }]);
    if maker.rng.chance(30) {
        let body = vec![Stmt::Increment { place: Place::Var(x) }];
        maker.thread(vec![Stmt::Loop { count: 2, body }]);
    }
    for _ in 0..maker.rng.between(1, 2) {
        let count = maker.rng.between(2, 3);
        let vars = some_of(maker, &[x, x, y], count);
        observer(maker, &vars);
    }
}

/// A lock that is never released: its owner ends, a rival stays blocked, and others see what both did before.
fn kept_lock(maker: &mut Maker<'_>) {
    let vars = maker.ints(3);
    let (x, y, z) = (vars[0], vars[1], vars[2]);
    let store = maker.store(Place::Var(x), 1);
    let mut holder = vec![Stmt::Lock(0), store];
    if maker.rng.chance(30) {
        // Released on one path only.
        let load = maker.load(0, Place::Var(y));
        let leave = Stmt::If { cond: Expr::is(0, 1), then: vec![Stmt::Return], otherwise: vec![] };
        holder.extend([load, leave, Stmt::Unlock(0)]);
    }
    let holder = maker.thread(holder);
    let (first, second) = (maker.store(Place::Var(y), 1), maker.store(Place::Var(z), 1));
    let rival = maker.thread(vec![first, Stmt::Lock(0), second, Stmt::Unlock(0)]);
    for _ in 0..maker.rng.between(1, 2) {
        let count = maker.rng.between(2, 3);
        let vars = some_of(maker, &[x, y, z], count);
        observer(maker, &vars);
    }
    // Joining the blocked rival is a deadlock; not joining it lets main end the process.
    for thread in [holder, rival] {
        let joined = maker.rng.chance(40);
        maker.program.threads[thread].joined = joined;
    }
}

/// Functions without shared accesses, or with one on one path only, between accesses whose order matters.
fn calls(maker: &mut Maker<'_>) {
    let vars = maker.ints(3);
    let (x, y, z) = (vars[0], vars[1], vars[2]);
    let idle = vec![maker.local_work()];
    maker.program.functions.push(Function { body: idle, value: Expr::Local(0) });
    let access = if maker.rng.chance(50) { maker.store(Place::Var(z), 1) } else { maker.load(1, Place::Var(z)) };
    let body = vec![Stmt::If { cond: Expr::is(0, 1), then: vec![access], otherwise: vec![] }];
    maker.program.functions.push(Function { body, value: Expr::Local(1) });

    let call = |maker: &mut Maker<'_>, arg: Expr| {
        let function = maker.rng.below(2);
        Stmt::Call { dst: Some(2), function, arg }
    };
    let (first, second) = (maker.store(Place::Var(x), 1), maker.store(Place::Var(y), 1));
    let constant = Expr::Const(maker.rng.below(2) as i32);
    let between = call(maker, constant);
    maker.thread(vec![first, between, second]);
    let (first, second) = (maker.load(0, Place::Var(y)), maker.load(1, Place::Var(x)));
    let between = call(maker, Expr::Local(0));
    let thread = maker.thread(vec![first, between, second]);
    maker.observe(thread, &[0, 1], &[1, 0]);
    if maker.rng.chance(40) {
        let vars = some_of(maker, &[x, y, z], 2);
        observer(maker, &vars);
    }
}

/// Variables that a lock mostly protects, and for which some threads hold it for reading only; it is mostly destroyed
/// once it is no longer needed.
fn guarded(maker: &mut Maker<'_>) {
    let vars = maker.ints(2);
    let is_mutex = maker.rng.chance(30);
    let call = |call| if is_mutex { Stmt::Lock(0) } else { Stmt::ReadWrite { lock: 0, call } };
    let unlock = || if is_mutex { Stmt::Unlock(0) } else { Stmt::ReadWrite { lock: 0, call: ReadWrite::Unlock } };
    for _ in 0..maker.rng.between(2, 3) {
        let mut body = Vec::new();
        for _ in 0..maker.rng.between(1, 2) {
            let writes = maker.rng.chance(60);
            let place = Place::Var(*maker.rng.pick(&vars));
            let value = maker.value();
            let access = if writes { maker.store(place, value) } else { maker.load(0, place) };
            let takes = if writes != maker.rng.chance(15) { ReadWrite::Write } else { ReadWrite::Read };
            let mut section = vec![call(takes), access, unlock()];
            match maker.rng.below(12) {
                0 => section.swap(0, 1),
                1 => section.swap(1, 2),
                2 => section.push(unlock()),
                3 => section.insert(0, call(ReadWrite::Write)),
                4 if maker.has(Feature::Inputs) => {
                    let last = section.pop().into_iter().collect();
                    section.push(Stmt::Nondet { dst: 2 });
                    section.push(Stmt::If { cond: Expr::is(2, 1), then: last, otherwise: vec![] });
                }
                _ => {}
            }
            body.extend(section);
        }
        let thread = maker.thread(body);
        maker.program.threads[thread].joined = maker.rng.chance(90);
        let value = maker.plausible();
        maker.observe(thread, &[0], &[value]);
    }
    let destroy = if is_mutex { Stmt::DestroyMutex(0) } else { Stmt::ReadWrite { lock: 0, call: ReadWrite::Destroy } };
    match maker.rng.below(6) {
        0..=2 => maker.program.after.push(destroy),
        3 => maker.program.during.push(destroy),
        4 => maker.program.after.extend([call(ReadWrite::Read), unlock(), destroy]),
        _ => {}
    }
}

/// Condition variables with and without a signal, inside and outside the lock, and with a wait that is not in a loop.
fn waiting(maker: &mut Maker<'_>) {
    let vars = maker.ints(2);
    let (flag, data) = (vars[0], vars[1]);
    let until = if maker.rng.chance(70) { Some((Place::Var(flag), 1)) } else { None };
    let load = maker.load(0, Place::Var(data));
    let waiter = maker.thread(vec![Stmt::Lock(0), Stmt::Wait { cond: 0, mutex: 0, until }, load, Stmt::Unlock(0)]);
    let value = maker.plausible();
    maker.observe(waiter, &[0], &[value]);
    let all = maker.rng.chance(40);
    let signal = Stmt::Signal { cond: 0, all };
    let (write, raise) = (maker.store(Place::Var(data), 1), maker.store(Place::Var(flag), 1));
    let body = match maker.rng.below(4) {
        0 => vec![write, Stmt::Lock(0), raise, signal, Stmt::Unlock(0)],
        1 => vec![write, raise, signal],
        2 => vec![Stmt::Lock(0), write, raise, Stmt::Unlock(0), signal],
        _ if maker.has(Feature::Blocking) => vec![write, Stmt::Lock(0), raise, Stmt::Unlock(0)],
        _ => vec![Stmt::Lock(0), raise, write, signal, Stmt::Unlock(0)],
    };
    maker.thread(body);
    if maker.rng.chance(40) {
        let vars = some_of(maker, &[flag, data], 2);
        observer(maker, &vars);
    }
    let joined = !maker.has(Feature::Blocking) || maker.rng.chance(60);
    maker.program.threads[waiter].joined = joined;
    if maker.rng.chance(15) {
        let destroy = Stmt::Destroy { cond: 0 };
        if maker.rng.chance(70) {
            maker.program.after.push(destroy);
        } else {
            maker.program.during.push(destroy);
        }
    }
}

/// A lock chosen at run time, released and reacquired by a thread that waits under it.
fn chosen_lock(maker: &mut Maker<'_>) {
    let vars = maker.ints(3);
    let (flag, data, constant) = (vars[0], vars[1], vars[2]);
    let choose = match maker.rng.below(4) {
        0 => maker.load(2, Place::Var(data)),
        1 => maker.load(2, Place::Var(constant)),
        _ => Stmt::Nondet { dst: 2 },
    };
    let mut body = vec![choose, Stmt::Chosen { local: 2, unlocks: false }];
    let second = (maker.has(Feature::Blocking) && maker.rng.chance(40)).then(|| maker.rng.below(2));
    body.extend(second.map(Stmt::Lock));
    if maker.rng.chance(60) {
        let load = maker.load(0, Place::Var(flag));
        body.push(load);
    }
    if maker.has(Feature::Spins) && maker.rng.chance(70) {
        let mut waiting = vec![Stmt::Chosen { local: 2, unlocks: true }, Stmt::Chosen { local: 2, unlocks: false }];
        if maker.rng.chance(30) {
            waiting[0] = Stmt::Unlock(0);
        }
        let order = maker.load_order();
        body.push(Stmt::Spin { place: Place::Var(flag), value: 1, order, body: waiting });
    }
    let access = maker.access();
    body.push(access);
    body.extend(second.map(Stmt::Unlock));
    body.push(Stmt::Chosen { local: 2, unlocks: true });
    let chooser = maker.thread(body);
    let value = maker.plausible();
    maker.observe(chooser, &[0], &[value]);
    let raise = maker.store(Place::Var(flag), 1);
    let other = if maker.rng.chance(50) {
        vec![Stmt::Lock(0), Stmt::Lock(1), raise, Stmt::Unlock(1), Stmt::Unlock(0)]
    } else {
        let write = maker.access();
        vec![Stmt::Lock(1), write, raise, Stmt::Unlock(1)]
    };
    maker.thread(other);
    let joined = !maker.has(Feature::Blocking) || maker.rng.chance(60);
    maker.program.threads[chooser].joined = joined;
}

/// Locks released and reacquired by a waiting thread, which others lock or try to lock meanwhile.
fn let_go(maker: &mut Maker<'_>) {
    let vars = maker.ints(2);
    let (flag, data) = (vars[0], vars[1]);
    let locks: Vec<usize> = if maker.rng.chance(50) { vec![0] } else { vec![0, 1] };
    let mut waiting = Vec::new();
    for _ in 0..maker.rng.between(1, 2) {
        let lock = *maker.rng.pick(&locks);
        let between = maker.rng.chance(30).then(|| maker.load(1, Place::Var(data)));
        let is_held = maker.rng.chance(75);
        let pair = if is_held { [Stmt::Unlock(lock), Stmt::Lock(lock)] } else { [Stmt::Lock(2), Stmt::Unlock(2)] };
        let [first, second] = pair;
        waiting.push(first);
        waiting.extend(between);
        waiting.push(second);
    }
    if maker.rng.chance(40) {
        let write = maker.store(Place::Var(data), 2);
        let cond = Expr::binary(super::ast::Op::Lt, Expr::Local(0), Expr::Local(1));
        let load = maker.load(0, Place::Var(data));
        waiting.insert(0, load);
        waiting.push(Stmt::If { cond, then: vec![write], otherwise: vec![] });
    }
    let order = maker.load_order();
    let mut body: Vec<Stmt> = locks.iter().map(|lock| Stmt::Lock(*lock)).collect();
    body.push(Stmt::Spin { place: Place::Var(flag), value: 1, order, body: waiting });
    let load = maker.load(2, Place::Var(data));
    body.push(load);
    body.extend(locks.iter().map(|lock| Stmt::Unlock(*lock)));
    let waiter = maker.thread(body);
    let value = maker.plausible();
    maker.observe(waiter, &[2], &[value]);
    let mut other = Vec::new();
    for _ in 0..maker.rng.between(1, 2) {
        let lock = maker.rng.below(3);
        let access = maker.access();
        if maker.rng.chance(40) {
            let then = vec![access, Stmt::Unlock(lock)];
            other.push(Stmt::TryLock { dst: 2, mutex: lock });
            other.push(Stmt::If { cond: Expr::is(2, 0), then, otherwise: vec![maker.store(Place::Var(data), 1)] });
        } else {
            other.extend([Stmt::Lock(lock), access, Stmt::Unlock(lock)]);
        }
    }
    let raise = maker.store(Place::Var(flag), 1);
    other.push(raise);
    maker.thread(other);
}

/// Semaphores that are polled, with a deadline or at once, beside a thread that posts while it waits.
fn polling(maker: &mut Maker<'_>) {
    let vars = maker.ints(2);
    let (flag, data) = (vars[0], vars[1]);
    let initial = u32::from(maker.rng.chance(30));
    maker.program.sems.push(initial);
    let timed = maker.rng.chance(60);
    let order = maker.load_order();
    let ask = Stmt::SemTry { dst: 0, sem: 0, timed };
    let taker = if maker.rng.chance(40) {
        let load = maker.load(1, Place::Var(data));
        vec![Stmt::Spin { place: Place::Var(flag), value: 1, order, body: vec![ask] }, load]
    } else {
        let then = vec![maker.load(1, Place::Var(data))];
        vec![ask, Stmt::If { cond: Expr::is(0, 1), then, otherwise: vec![] }, Stmt::SemWait(0)]
    };
    let taker = maker.thread(taker);
    let values = [maker.rng.below(2) as i32, maker.plausible()];
    maker.observe(taker, &[0, 1], &values);
    let (write, raise) = (maker.store(Place::Var(data), 1), maker.store(Place::Var(flag), 1));
    let giver = match maker.rng.below(3) {
        0 => vec![Stmt::Spin { place: Place::Var(flag), value: 1, order, body: vec![Stmt::SemPost(0)] }],
        1 => vec![write, Stmt::SemPost(0), raise],
        _ => vec![write, Stmt::SemPost(0), Stmt::SemPost(0), raise],
    };
    maker.thread(giver);
    if maker.rng.chance(40) {
        let raise = maker.store(Place::Var(flag), 1);
        maker.thread(vec![Stmt::SemWait(0), raise]);
    }
    for thread in 0..maker.program.threads.len() {
        maker.program.threads[thread].joined = !maker.has(Feature::Blocking) || maker.rng.chance(60);
    }
}

/// A semaphore that hands over data, with one more taker than posts if blocking is wanted.
fn handover(maker: &mut Maker<'_>) {
    let vars = maker.ints(2);
    let initial = u32::from(maker.rng.chance(20));
    maker.program.sems.push(initial);
    let value = maker.value();
    let mut giver = vec![maker.store(Place::Var(vars[0]), value), Stmt::SemPost(0)];
    if maker.rng.chance(40) {
        let again = maker.store(Place::Var(vars[1]), 1);
        giver.push(again);
    }
    maker.thread(giver);
    let takers = if maker.has(Feature::Blocking) { maker.rng.between(1, 2) } else { 1 };
    for _ in 0..takers {
        let load = maker.load(0, Place::Var(vars[0]));
        let other = maker.access();
        let thread = maker.thread(vec![Stmt::SemWait(0), load, other]);
        let seen = maker.plausible();
        maker.observe(thread, &[0], &[seen]);
        let joined = takers == 1 || maker.rng.chance(60);
        maker.program.threads[thread].joined = joined;
    }
    if maker.rng.chance(40) {
        let vars = some_of(maker, &vars, 2);
        observer(maker, &vars);
    }
}

/// Atomic regions beside plain accesses to the same variables.
fn regions(maker: &mut Maker<'_>) {
    let vars = maker.ints(2);
    for _ in 0..maker.rng.between(1, 2) {
        let (first, second) = (*maker.rng.pick(&vars), *maker.rng.pick(&vars));
        let body = match maker.rng.below(3) {
            0 => vec![Stmt::Increment { place: Place::Var(first) }],
            1 => {
                let value = maker.value();
                vec![maker.store(Place::Var(first), value), maker.store(Place::Var(second), value)]
            }
            _ => {
                let load = maker.load(0, Place::Var(first));
                let order = maker.store_order();
                vec![load, Stmt::Store { place: Place::Var(second), value: Expr::Local(0), order }]
            }
        };
        maker.thread(vec![Stmt::Atomic(body)]);
    }
    let loads = vec![maker.load(0, Place::Var(vars[0])), maker.load(1, Place::Var(vars[1]))];
    let body = if maker.rng.chance(50) { vec![Stmt::Atomic(loads)] } else { loads };
    let thread = maker.thread(body);
    let values = [maker.plausible(), maker.plausible()];
    maker.observe(thread, &[0, 1], &values);
    if maker.rng.chance(60) {
        let access = maker.access();
        maker.thread(vec![access]);
    }
}

/// Arbitrary statements, with arrays and pointers where allowed.
fn free(maker: &mut Maker<'_>) {
    let count = maker.rng.between(1, 2);
    maker.ints(count);
    if maker.has(Feature::Arrays) && maker.rng.chance(50) {
        maker.declare(Var::Array { len: 2 });
    }
    if maker.has(Feature::Pointers) && maker.rng.chance(50) {
        let target = maker.declare(Var::Int { init: 0, atomic: false });
        maker.declare(Var::Pointer { target });
    }
    if maker.has(Feature::Semaphores) && maker.rng.chance(40) {
        let value = maker.rng.below(2) as u32;
        maker.program.sems.push(value);
    }
    for _ in 0..maker.rng.between(2, 3) {
        let count = maker.rng.between(2, 3);
        let mut body = Vec::new();
        for _ in 0..count {
            let stmts = free_statements(maker);
            body.extend(stmts);
        }
        let thread = maker.thread(body);
        if maker.rng.chance(60) {
            let (local, value) = (maker.rng.below(3), maker.plausible());
            maker.observe(thread, &[local], &[value]);
        }
    }
}

/// A few related statements of a free thread.
fn free_statements(maker: &mut Maker<'_>) -> Vec<Stmt> {
    let pointer = maker.program.vars.iter().position(|var| matches!(var, Var::Pointer { .. }));
    match maker.rng.below(10) {
        0 if maker.has(Feature::Locks) => {
            let access = maker.access();
            vec![Stmt::Lock(0), access, Stmt::Unlock(0)]
        }
        1 if maker.has(Feature::Loops) => {
            let body = vec![maker.access()];
            vec![Stmt::Loop { count: 2, body }]
        }
        2 => {
            let (cond, then) = (maker.condition(), vec![maker.access()]);
            let otherwise = if maker.rng.chance(30) { vec![maker.access()] } else { vec![] };
            vec![Stmt::If { cond, then, otherwise }]
        }
        3 if maker.has(Feature::Inputs) => {
            let then = vec![maker.access()];
            vec![Stmt::Nondet { dst: 2 }, Stmt::If { cond: Expr::is(2, 1), then, otherwise: vec![] }]
        }
        4 if !maker.program.sems.is_empty() => {
            let access = maker.access();
            let wait = maker.rng.chance(50);
            vec![if wait { Stmt::SemWait(0) } else { Stmt::SemPost(0) }, access]
        }
        5 if pointer.is_some() => {
            let targets: Vec<usize> = (0..maker.program.vars.len())
                .filter(|var| matches!(maker.program.vars[*var], Var::Int { atomic: false, .. }))
                .collect();
            let target = *maker.rng.pick(&targets);
            vec![Stmt::Point { pointer: pointer.unwrap_or(0), target }]
        }
        6 => vec![maker.local_work(), maker.access()],
        7 if maker.has(Feature::Locks) => {
            let access = maker.access();
            let then = vec![access, Stmt::Unlock(0)];
            vec![Stmt::TryLock { dst: 2, mutex: 0 }, Stmt::If { cond: Expr::is(2, 0), then, otherwise: vec![] }]
        }
        _ => vec![maker.access()],
    }
}
