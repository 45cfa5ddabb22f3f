//! Random programs as C. Only what is used is declared and included, so that a shrunk program is as short as it can be.

use super::ast::{Expr, Function, Place, Program, Stmt, Thread, Var};
use ir::{Order, RmwOp};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The program as a C file that starts with this comment.
pub fn print(program: &Program, comment: &str) -> String {
    let used = Used::of(program);
    let mut out = String::new();
    for line in comment.lines() {
        let _ = writeln!(out, "// {line}");
    }
    print_includes(&mut out, program, &used);
    print_declarations(&mut out, program, &used);
    for (index, function) in program.functions.iter().enumerate() {
        if used.functions.contains(&index) {
            print_function(&mut out, program, index, function);
        }
    }
    for (index, thread) in program.threads.iter().enumerate() {
        print_thread(&mut out, program, index, thread);
    }
    print_main(&mut out, program, &used);
    out
}

/// The items that a program uses.
#[derive(Default)]
struct Used {
    vars: BTreeSet<usize>,
    mutexes: BTreeSet<usize>,
    read_writes: BTreeSet<usize>,
    conds: BTreeSet<usize>,
    sems: BTreeSet<usize>,
    functions: BTreeSet<usize>,
}

impl Used {
    fn of(program: &Program) -> Used {
        let mut used = Used::default();
        let called = |body: &[Stmt]| {
            let mut found = BTreeSet::new();
            let mut visit = |stmt: &Stmt| {
                if let Stmt::Call { function, .. } = stmt {
                    found.insert(*function);
                }
            };
            body.iter().for_each(|stmt| stmt.for_each(&mut visit));
            found
        };
        let threads = program.threads.iter().map(|thread| &thread.body);
        for body in threads.chain([&program.during, &program.after]) {
            used.functions.extend(called(body));
            body.iter().for_each(|stmt| stmt.for_each(&mut |stmt| used.stmt(stmt)));
        }
        for index in used.functions.clone() {
            if let Some(function) = program.functions.get(index) {
                function.body.iter().for_each(|stmt| stmt.for_each(&mut |stmt| used.stmt(stmt)));
            }
        }
        program.outcome.iter().for_each(|(place, _)| used.place(place));
        // The targets of pointers are used too.
        for var in used.vars.clone() {
            if let Some(Var::Pointer { target }) = program.vars.get(var) {
                used.vars.insert(*target);
            }
        }
        used
    }

    fn place(&mut self, place: &Place) {
        match place {
            Place::Var(var) | Place::Element(var, _) | Place::Deref(var) => {
                self.vars.insert(*var);
            }
            Place::Result(_) => {}
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        stmt.place().into_iter().for_each(|place| self.place(place));
        match stmt {
            Stmt::Point { pointer, target } => self.vars.extend([*pointer, *target]),
            Stmt::Lock(mutex) | Stmt::Unlock(mutex) | Stmt::TryLock { mutex, .. } | Stmt::DestroyMutex(mutex) => {
                self.mutexes.insert(*mutex);
            }
            Stmt::ReadWrite { lock, .. } => {
                self.read_writes.insert(*lock);
            }
            Stmt::Wait { cond, mutex, .. } => {
                self.conds.insert(*cond);
                self.mutexes.insert(*mutex);
            }
            Stmt::Signal { cond, .. } => {
                self.conds.insert(*cond);
            }
            Stmt::Chosen { .. } => self.mutexes.extend([0, 1]),
            Stmt::Destroy { cond } => {
                self.conds.insert(*cond);
            }
            Stmt::SemWait(sem) | Stmt::SemPost(sem) | Stmt::SemTry { sem, .. } => {
                self.sems.insert(*sem);
            }
            _ => {}
        }
    }
}

fn print_includes(out: &mut String, program: &Program, used: &Used) {
    let asserts = program.any(|stmt| matches!(stmt, Stmt::Assert(_))) || !program.outcome.is_empty();
    let atomics = used.vars.iter().any(|var| matches!(program.vars.get(*var), Some(Var::Int { atomic: true, .. })));
    let headers = [
        ("assert.h", asserts),
        ("pthread.h", true),
        ("semaphore.h", !used.sems.is_empty()),
        ("stdatomic.h", atomics),
        ("stddef.h", true),
        ("stdlib.h", program.any(|stmt| matches!(stmt, Stmt::Free))),
    ];
    for (header, wanted) in headers {
        if wanted {
            let _ = writeln!(out, "#include <{header}>");
        }
    }
    out.push('\n');
}

fn print_declarations(out: &mut String, program: &Program, used: &Used) {
    let externs = [
        ("extern _Bool __VERIFIER_nondet_bool(void);", program.any(|s| matches!(s, Stmt::Nondet { .. }))),
        ("extern void __VERIFIER_assume(int);", program.any(|s| matches!(s, Stmt::Assume(_)))),
        ("extern void __VERIFIER_atomic_begin(void);", program.any(|s| matches!(s, Stmt::Atomic(_)))),
        ("extern void __VERIFIER_atomic_end(void);", program.any(|s| matches!(s, Stmt::Atomic(_)))),
    ];
    for (line, wanted) in externs {
        if wanted {
            let _ = writeln!(out, "{line}");
        }
    }
    // Pointers last: their initialisers name other variables.
    for pass in [false, true] {
        for var in &used.vars {
            let is_pointer = matches!(program.vars[*var], Var::Pointer { .. });
            if is_pointer == pass {
                let _ = writeln!(out, "{}", declaration(program, *var));
            }
        }
    }
    for (index, thread) in program.threads.iter().enumerate() {
        if thread.result.is_some() {
            let _ = writeln!(out, "int out{index};");
        }
    }
    print_synchronisation(out, program, used);
    if program.any(|s| matches!(s, Stmt::SemTry { timed: true, .. })) {
        let _ = writeln!(out, "struct timespec soon;");
    }
}

/// Declares locks, condition variables and semaphores, for which zero is a valid initial state.
fn print_synchronisation(out: &mut String, program: &Program, used: &Used) {
    let mutexes = used.mutexes.iter().map(|mutex| ("pthread_mutex_t", format!("m{mutex}")));
    let conds = used.conds.iter().map(|cond| ("pthread_cond_t", format!("c{cond}")));
    let sems = used.sems.iter().map(|sem| ("sem_t", format!("s{sem}")));
    let read_writes = used.read_writes.iter().map(|lock| ("pthread_rwlock_t", format!("rw{lock}")));
    let all: Vec<(&str, String)> = mutexes.chain(conds).chain(sems).chain(read_writes).collect();
    if program.is_packed && all.len() > 1 {
        let fields: Vec<String> = all.iter().map(|(ty, name)| format!("{ty} {name};")).collect();
        let _ = writeln!(out, "struct {{ {} }} sync;", fields.join(" "));
        for (_, name) in &all {
            let _ = writeln!(out, "#define {name} sync.{name}");
        }
        return;
    }
    for (ty, name) in all {
        let start = match ty {
            "pthread_mutex_t" => " = PTHREAD_MUTEX_INITIALIZER",
            "pthread_cond_t" => " = PTHREAD_COND_INITIALIZER",
            "pthread_rwlock_t" => " = PTHREAD_RWLOCK_INITIALIZER",
            _ => "",
        };
        let _ = writeln!(out, "{ty} {name}{start};");
    }
}

fn declaration(program: &Program, var: usize) -> String {
    let name = var_name(var);
    match &program.vars[var] {
        Var::Int { init, atomic } => {
            let ty = if *atomic { "_Atomic int" } else { "int" };
            if *init == 0 {
                format!("{ty} {name};")
            } else {
                format!("{ty} {name} = {init};")
            }
        }
        Var::Array { len } => format!("int {name}[{len}];"),
        Var::Pointer { target } => format!("int *{name} = &{};", var_name(*target)),
    }
}

fn print_function(out: &mut String, program: &Program, index: usize, function: &Function) {
    let _ = writeln!(out, "\nint f{index}(int a) {{");
    let mut printer = Printer { out, program, depth: 0, leave: "return 0;".to_owned() };
    printer.locals(&function.body, Some(&function.value), 1);
    printer.block(&function.body, 1);
    let value = printer.expr(&function.value);
    printer.line(1, &format!("return {value};"));
    out.push_str("}\n");
}

fn print_thread(out: &mut String, program: &Program, index: usize, thread: &Thread) {
    let _ = writeln!(out, "\nvoid *t{index}(void *unused) {{");
    let mut printer = Printer { out, program, depth: 0, leave: "return NULL;".to_owned() };
    printer.line(1, "(void)unused;");
    printer.locals(&thread.body, thread.result.as_ref(), 0);
    printer.block(&thread.body, 1);
    if let Some(result) = &thread.result {
        let value = printer.expr(result);
        printer.line(1, &format!("out{index} = {value};"));
    }
    printer.line(1, "return NULL;");
    out.push_str("}\n");
}

fn print_main(out: &mut String, program: &Program, used: &Used) {
    out.push_str("\nint main(void) {\n");
    let mut printer = Printer { out, program, depth: 0, leave: "return 0;".to_owned() };
    let both: Vec<Stmt> = program.during.iter().chain(&program.after).cloned().collect();
    printer.locals(&both, None, 0);
    for sem in &used.sems {
        let value = program.sems.get(*sem).copied().unwrap_or(0);
        printer.line(1, &format!("sem_init(&s{sem}, 0, {value});"));
    }
    if !program.threads.is_empty() {
        let names: Vec<String> = (0..program.threads.len()).map(|index| format!("id{index}")).collect();
        printer.line(1, &format!("pthread_t {};", names.join(", ")));
    }
    for index in 0..program.threads.len() {
        printer.line(1, &format!("pthread_create(&id{index}, NULL, t{index}, NULL);"));
    }
    printer.block(&program.during, 1);
    for (index, thread) in program.threads.iter().enumerate() {
        if thread.joined {
            printer.line(1, &format!("pthread_join(id{index}, NULL);"));
        }
    }
    printer.block(&program.after, 1);
    if !program.outcome.is_empty() {
        let terms: Vec<String> =
            program.outcome.iter().map(|(place, value)| format!("{} == {value}", printer.read(place))).collect();
        printer.line(1, &format!("assert(!({}));", terms.join(" && ")));
    }
    printer.line(1, "return 0;");
    out.push_str("}\n");
}

/// The name of a shared variable.
fn var_name(var: usize) -> String {
    ["x", "y", "z", "u", "v", "w"].get(var).map_or_else(|| format!("x{var}"), |name| (*name).to_owned())
}

/// The name of a local variable.
fn local_name(local: usize) -> String {
    ["a", "b", "c", "d", "e", "f"].get(local).map_or_else(|| format!("a{local}"), |name| (*name).to_owned())
}

struct Printer<'a> {
    out: &'a mut String,
    program: &'a Program,
    /// The number of enclosing loops.
    depth: usize,
    leave: String,
}

impl Printer<'_> {
    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(indent));
    }

    /// Declares the used locals, from `first`.
    fn locals(&mut self, body: &[Stmt], value: Option<&Expr>, first: usize) {
        let mut found = BTreeSet::new();
        body.iter().for_each(|stmt| stmt.for_each(&mut |stmt| stmt_locals(stmt, &mut found)));
        value.into_iter().for_each(|value| expr_locals(value, &mut found));
        let names: Vec<String> = found.range(first..).map(|local| format!("{} = 0", local_name(*local))).collect();
        if !names.is_empty() {
            self.line(1, &format!("int {};", names.join(", ")));
        }
    }

    fn block(&mut self, body: &[Stmt], indent: usize) {
        for stmt in body {
            self.stmt(stmt, indent);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, indent: usize) {
        let text = match stmt {
            Stmt::Load { dst, place, order } => format!("{} = {};", local_name(*dst), self.load(place, *order)),
            Stmt::Store { place, value, order } => self.store(place, value, *order),
            Stmt::Increment { place: Place::Deref(pointer) } => format!("(*{})++;", var_name(*pointer)),
            Stmt::Increment { place } => format!("{}++;", self.lvalue(place)),
            Stmt::Point { pointer, target } => format!("{} = &{};", var_name(*pointer), var_name(*target)),
            Stmt::Rmw { dst, op, place, value, order } => self.rmw(*dst, *op, place, value, *order),
            Stmt::CompareExchange { .. } => return self.compare_exchange(stmt, indent),
            Stmt::Fence(order) => format!("__atomic_thread_fence({});", builtin_order(*order)),
            Stmt::Free => "free(malloc(1));".to_owned(),
            Stmt::Assign { dst, value } => format!("{} = {};", local_name(*dst), self.expr(value)),
            Stmt::Nondet { dst } => format!("{} = __VERIFIER_nondet_bool();", local_name(*dst)),
            Stmt::If { cond, then, otherwise } => return self.branch(cond, then, otherwise, indent),
            Stmt::Loop { count, body } => {
                let counter = format!("i{}", self.depth);
                self.line(indent, &format!("for (int {counter} = 0; {counter} < {count}; {counter}++) {{"));
                self.depth += 1;
                self.block(body, indent + 1);
                self.depth -= 1;
                "}".to_owned()
            }
            Stmt::Spin { place, value, order, body } => {
                self.line(indent, &format!("while ({} != {value}) {{", self.load(place, *order)));
                self.block(body, indent + 1);
                "}".to_owned()
            }
            Stmt::Lock(mutex) => format!("pthread_mutex_lock(&m{mutex});"),
            Stmt::Unlock(mutex) => format!("pthread_mutex_unlock(&m{mutex});"),
            Stmt::TryLock { dst, mutex } => format!("{} = pthread_mutex_trylock(&m{mutex});", local_name(*dst)),
            Stmt::DestroyMutex(mutex) => format!("pthread_mutex_destroy(&m{mutex});"),
            Stmt::ReadWrite { lock, call } => format!("pthread_rwlock_{}(&rw{lock});", call.name()),
            Stmt::Wait { cond, mutex, until: None } => format!("pthread_cond_wait(&c{cond}, &m{mutex});"),
            Stmt::Wait { cond, mutex, until: Some((place, value)) } => {
                format!("while ({} != {value}) pthread_cond_wait(&c{cond}, &m{mutex});", self.read(place))
            }
            Stmt::Signal { cond, all: false } => format!("pthread_cond_signal(&c{cond});"),
            Stmt::Signal { cond, all: true } => format!("pthread_cond_broadcast(&c{cond});"),
            Stmt::Chosen { local, unlocks } => {
                let name = if *unlocks { "unlock" } else { "lock" };
                format!("pthread_mutex_{name}({} ? &m1 : &m0);", local_name(*local))
            }
            Stmt::Destroy { cond } => format!("pthread_cond_destroy(&c{cond});"),
            Stmt::SemTry { dst, sem, timed: true } => {
                format!("{} = sem_timedwait(&s{sem}, &soon) == 0;", local_name(*dst))
            }
            Stmt::SemTry { dst, sem, timed: false } => format!("{} = sem_trywait(&s{sem}) == 0;", local_name(*dst)),
            Stmt::SemWait(sem) => format!("sem_wait(&s{sem});"),
            Stmt::SemPost(sem) => format!("sem_post(&s{sem});"),
            Stmt::Atomic(body) => {
                self.line(indent, "__VERIFIER_atomic_begin();");
                self.block(body, indent);
                "__VERIFIER_atomic_end();".to_owned()
            }
            Stmt::Call { dst, function, arg } => {
                let dst = dst.map(|dst| format!("{} = ", local_name(dst))).unwrap_or_default();
                format!("{dst}f{function}({});", self.expr(arg))
            }
            Stmt::Assert(cond) => format!("assert({});", self.expr(cond)),
            Stmt::Assume(cond) => format!("__VERIFIER_assume({});", self.expr(cond)),
            Stmt::Return => self.leave.clone(),
        };
        self.line(indent, &text);
    }

    fn branch(&mut self, cond: &Expr, then: &[Stmt], otherwise: &[Stmt], indent: usize) {
        self.line(indent, &format!("if ({}) {{", self.expr(cond)));
        self.block(then, indent + 1);
        if !otherwise.is_empty() {
            self.line(indent, "} else {");
            self.block(otherwise, indent + 1);
        }
        self.line(indent, "}");
    }

    /// The place as an lvalue.
    fn lvalue(&self, place: &Place) -> String {
        match place {
            Place::Var(var) => var_name(*var),
            Place::Element(var, index) => {
                let len = match self.program.vars[*var] {
                    Var::Array { len } => len,
                    Var::Int { .. } | Var::Pointer { .. } => 1,
                };
                match index {
                    Expr::Const(value) => format!("{}[{}]", var_name(*var), value.rem_euclid(len as i32)),
                    _ => format!("{}[(unsigned)({}) % {len}]", var_name(*var), self.expr(index)),
                }
            }
            Place::Deref(pointer) => format!("*{}", var_name(*pointer)),
            Place::Result(thread) => format!("out{thread}"),
        }
    }

    /// The place's address.
    fn address(&self, place: &Place) -> String {
        match place {
            Place::Deref(pointer) => var_name(*pointer),
            Place::Var(_) | Place::Element(..) | Place::Result(_) => format!("&{}", self.lvalue(place)),
        }
    }

    /// A plain read; a result that its thread does not store is 0.
    fn read(&self, place: &Place) -> String {
        match place {
            Place::Result(thread) if self.program.threads.get(*thread).is_none_or(|t| t.result.is_none()) => {
                "0".to_owned()
            }
            _ => self.lvalue(place),
        }
    }

    /// Whether the place is declared `_Atomic`, so that only `<stdatomic.h>` may access it.
    fn is_declared_atomic(&self, place: &Place) -> bool {
        matches!(place, Place::Var(var) if matches!(self.program.vars[*var], Var::Int { atomic: true, .. }))
    }

    fn load(&self, place: &Place, order: Order) -> String {
        match order {
            Order::Plain => self.read(place),
            _ if self.is_declared_atomic(place) => {
                format!("atomic_load_explicit({}, {})", self.address(place), standard_order(order))
            }
            _ => format!("__atomic_load_n({}, {})", self.address(place), builtin_order(order)),
        }
    }

    fn store(&self, place: &Place, value: &Expr, order: Order) -> String {
        let (address, value) = (self.address(place), self.expr(value));
        match order {
            Order::Plain => format!("{} = {value};", self.lvalue(place)),
            _ if self.is_declared_atomic(place) => {
                format!("atomic_store_explicit({address}, {value}, {});", standard_order(order))
            }
            _ => format!("__atomic_store_n({address}, {value}, {});", builtin_order(order)),
        }
    }

    fn rmw(&self, dst: Option<usize>, op: RmwOp, place: &Place, value: &Expr, order: Order) -> String {
        let (address, value) = (self.address(place), self.expr(value));
        let dst = dst.map(|dst| format!("{} = ", local_name(dst))).unwrap_or_default();
        let name = rmw_name(op);
        if self.is_declared_atomic(place) {
            let name = if name == "exchange" { name.to_owned() } else { format!("fetch_{name}") };
            format!("{dst}atomic_{name}_explicit({address}, {value}, {});", standard_order(order))
        } else if name == "exchange" {
            format!("{dst}__atomic_exchange_n({address}, {value}, {});", builtin_order(order))
        } else if self.program.sync_spelling && order == Order::SeqCst {
            format!("{dst}__sync_fetch_and_{name}({address}, {value});")
        } else {
            format!("{dst}__atomic_fetch_{name}({address}, {value}, {});", builtin_order(order))
        }
    }

    fn compare_exchange(&mut self, stmt: &Stmt, indent: usize) {
        let Stmt::CompareExchange { dst, place, expected, desired, order, failure, weak } = stmt else { return };
        let (address, desired) = (self.address(place), self.expr(desired));
        let call = if self.is_declared_atomic(place) {
            let strength = if *weak { "weak" } else { "strong" };
            let orders = format!("{}, {}", standard_order(*order), standard_order(*failure));
            format!("atomic_compare_exchange_{strength}_explicit({address}, &expected, {desired}, {orders})")
        } else {
            let orders = format!("{}, {}", builtin_order(*order), builtin_order(*failure));
            format!(
                "__atomic_compare_exchange_n({address}, &expected, {desired}, {weak}, {orders})",
                weak = *weak as u8
            )
        };
        self.line(indent, &format!("{{ int expected = {expected}; {} = {call}; }}", local_name(*dst)));
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Const(value) => value.to_string(),
            Expr::Local(local) => local_name(*local),
            Expr::Counter(depth) if *depth < self.depth => format!("i{depth}"),
            Expr::Counter(_) => "0".to_owned(),
            Expr::Binary(op, lhs, rhs) => {
                let part = |part: &Expr| match part {
                    Expr::Binary(..) => format!("({})", self.expr(part)),
                    Expr::Const(_) | Expr::Local(_) | Expr::Counter(_) => self.expr(part),
                };
                format!("{} {} {}", part(lhs), op.symbol(), part(rhs))
            }
        }
    }
}

fn expr_locals(expr: &Expr, found: &mut BTreeSet<usize>) {
    match expr {
        Expr::Local(local) => {
            found.insert(*local);
        }
        Expr::Binary(_, lhs, rhs) => {
            expr_locals(lhs, found);
            expr_locals(rhs, found);
        }
        Expr::Const(_) | Expr::Counter(_) => {}
    }
}

fn stmt_locals(stmt: &Stmt, found: &mut BTreeSet<usize>) {
    if let Some(Place::Element(_, index)) = stmt.place() {
        expr_locals(index, found);
    }
    match stmt {
        Stmt::Load { dst, .. }
        | Stmt::Nondet { dst }
        | Stmt::TryLock { dst, .. }
        | Stmt::SemTry { dst, .. }
        | Stmt::Chosen { local: dst, .. } => {
            found.insert(*dst);
        }
        Stmt::Store { value, .. } => expr_locals(value, found),
        Stmt::Assign { dst, value } | Stmt::CompareExchange { dst, desired: value, .. } => {
            found.insert(*dst);
            expr_locals(value, found);
        }
        Stmt::Rmw { dst, value, .. } | Stmt::Call { dst, arg: value, .. } => {
            found.extend(*dst);
            expr_locals(value, found);
        }
        Stmt::If { cond, .. } | Stmt::Assert(cond) | Stmt::Assume(cond) => expr_locals(cond, found),
        _ => {}
    }
}

fn rmw_name(op: RmwOp) -> &'static str {
    match op {
        RmwOp::Exchange => "exchange",
        RmwOp::Sub => "sub",
        RmwOp::And => "and",
        RmwOp::Or => "or",
        RmwOp::Xor => "xor",
        // C has no function for the others; the generator does not make them.
        RmwOp::Add | RmwOp::Nand | RmwOp::Max | RmwOp::Min | RmwOp::UnsignedMax | RmwOp::UnsignedMin => "add",
    }
}

fn builtin_order(order: Order) -> &'static str {
    match order {
        Order::Plain | Order::Relaxed => "__ATOMIC_RELAXED",
        Order::Acquire => "__ATOMIC_ACQUIRE",
        Order::Release => "__ATOMIC_RELEASE",
        Order::AcqRel => "__ATOMIC_ACQ_REL",
        Order::SeqCst => "__ATOMIC_SEQ_CST",
    }
}

fn standard_order(order: Order) -> &'static str {
    match order {
        Order::Plain | Order::Relaxed => "memory_order_relaxed",
        Order::Acquire => "memory_order_acquire",
        Order::Release => "memory_order_release",
        Order::AcqRel => "memory_order_acq_rel",
        Order::SeqCst => "memory_order_seq_cst",
    }
}
