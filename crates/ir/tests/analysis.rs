//! The analyses on programs with known results.

use base::Id;
use ir::analysis::{Escape, Locksets, Memory, Parallel, PointsTo, Threads};
use ir::{EdgeId, FunctionId, LocId, Program, Stmt};

struct Analysed {
    program: Program,
    points_to: PointsTo,
    threads: Threads,
    parallel: Parallel,
    escape: Escape,
    locksets: Locksets,
}

fn analyse(text: &str) -> Analysed {
    let program = ir::parse(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(ir::validate(&program), vec![]);
    let points_to = PointsTo::new(&program);
    let threads = Threads::new(&program, &points_to);
    let parallel = Parallel::new(&program, &points_to, &threads);
    let escape = Escape::new(&program, &points_to, &threads, &parallel);
    let locksets = Locksets::new(&program, &points_to);
    Analysed { program, points_to, threads, parallel, escape, locksets }
}

impl Analysed {
    fn function(&self, name: &str) -> FunctionId {
        self.program.function_named(name).unwrap_or_else(|| panic!("no function {name}"))
    }

    /// The only edge of a function that starts at a location.
    fn edge(&self, function: &str, loc: usize) -> (FunctionId, EdgeId) {
        let id = self.function(function);
        let mut from = self.program.functions[id].edges.enumerate().filter(|(_, e)| e.from == LocId::new(loc));
        let edge = from.next().unwrap_or_else(|| panic!("no edge at l{loc} of {function}")).0;
        assert!(from.next().is_none(), "several edges at l{loc} of {function}");
        (id, edge)
    }

    /// The targets of the address in a load or store at a location, in words.
    fn pointees(&self, function: &str, loc: usize) -> String {
        let (id, edge) = self.edge(function, loc);
        let stmt = &self.program.functions[id].edges[edge].stmt;
        let (Stmt::Load { ptr, .. } | Stmt::Store { ptr, .. }) = stmt else { panic!("{stmt:?} is not an access") };
        let found = self.points_to.pointees(id, ptr);
        let mut words: Vec<String> = Vec::new();
        for (memory, ghost) in found.objects {
            let name = match memory {
                Memory::Static(object) => self.program.objects[object].name.clone(),
                Memory::Site(function, edge) => match &self.program.functions[function].edges[edge].stmt {
                    Stmt::Alloc { name, .. } => name.clone(),
                    other => panic!("{other:?} is not an allocation"),
                },
            };
            words.push(if ghost { format!("ghost({name})") } else { name });
        }
        words.extend(found.functions.iter().map(|f| self.program.functions[*f].name.clone()));
        words.extend(found.is_unknown.then(|| "unknown".to_owned()));
        words.join(" ")
    }

    fn visible(&self, function: &str) -> Vec<usize> {
        let id = self.function(function);
        let edges = self.program.functions[id].edges.enumerate();
        edges.filter(|(edge, _)| self.escape.is_visible(id, *edge, false)).map(|(_, e)| e.from.index()).collect()
    }

    fn shared(&self) -> String {
        let shared = self.program.objects.enumerate().filter(|(id, _)| self.escape.is_shared_object(*id));
        shared.map(|(_, object)| object.name.clone()).collect::<Vec<_>>().join(" ")
    }

    fn parallel(&self, one: (&str, usize), two: (&str, usize)) -> bool {
        self.parallel.may_happen(self.edge(one.0, one.1), self.edge(two.0, two.1))
    }

    fn held(&self, function: &str, loc: usize) -> String {
        let (id, edge) = self.edge(function, loc);
        let cell = |cell: &ir::analysis::Cell| {
            let name = &self.program.objects[cell.object].name;
            format!("{}{name}+{}", if cell.ghost { "ghost " } else { "" }, cell.offset)
        };
        self.locksets.held(id, edge).iter().map(cell).collect::<Vec<_>>().join(" ")
    }
}

const HEAD: &str = "heddle-ir 1\ndata-model lp64\nentry @main\n";

/// Two workers started through a wrapper like `pthread_create`, one joined through memory.
fn workers() -> Analysed {
    analyse(&format!(
        "{HEAD}
object @counter size 4 align 4 global = zero
object @config size 4 align 4 global = zero
object @total size 4 align 4 global = zero
object @mutex size 40 align 8 global = zero
object @other size 40 align 8 global = zero
object @handle size 8 align 8 global = zero
object @mine size 4 align 4 thread-local = zero
function @create(%t: ptr, %f: ptr, %arg: ptr) {{
  local %n: i64
  locs 5 entry l0 exit l4
  l0 -> l1: %n = new_thread
  l1 -> l2: store i64 %t, %n
  l2 -> l3: spawn %n, *%f(%arg)
  l3 -> l4: return
}}
function @lock(%m: ptr) {{
  local %cell: ptr
  locs 4 entry l0 exit l3
  l0 -> l1: %cell = ghost(%m)
  l1 -> l2: lock %cell
  l2 -> l3: return
}}
function @unlock(%m: ptr) {{
  locs 3 entry l0 exit l2
  l0 -> l1: unlock ghost(%m)
  l1 -> l2: return
}}
function @worker(%arg: ptr) -> ptr {{
  local %x: i32
  local %own: ptr
  locs 12 entry l0 exit l11
  l0 -> l1: %own = alloc stack 4:i64 align 4 \"own\"
  l1 -> l2: %x = load i32 @config
  l2 -> l3: store i32 %own, %x
  l3 -> l4: call @lock(@mutex)
  l4 -> l5: %x = load i32 @counter
  l5 -> l6: store i32 @counter, add:i32(%x, 1:i32)
  l6 -> l7: call @unlock(@mutex)
  l7 -> l8: store i32 @mine, 1:i32
  l8 -> l9: store i32 %own, 2:i32
  l9 -> l11: return null
}}
function @main() {{
  local %n: i64
  local %m: i64
  local %second: ptr
  local %x: i32
  locs 14 entry l0 exit l13
  l0 -> l1: store i32 @config, 5:i32
  l1 -> l2: %second = alloc stack 8:i64 align 8 \"second\"
  l2 -> l3: call @create(@handle, @worker, null)
  l3 -> l4: call @create(%second, @worker, null)
  l4 -> l5: store i32 @total, 1:i32
  l5 -> l6: %n = load i64 @handle
  l6 -> l7: join %n
  l7 -> l8: %m = load i64 %second
  l8 -> l9: join %m
  l9 -> l10: %x = load i32 @counter
  l10 -> l11: call @lock(@other)
  l11 -> l12: store i32 @config, 7:i32
  l12 -> l13: exit
}}
"
    ))
}

#[test]
fn templates_are_told_apart_by_the_call_of_the_wrapper() {
    let found = workers();
    let templates: Vec<_> = found.threads.templates().iter().map(|t| (t.entries.len(), t.is_many)).collect();
    assert_eq!(templates, [(1, false), (1, false), (1, false)]);
}

#[test]
fn what_workers_share() {
    let found = workers();
    assert_eq!(found.shared(), "counter config mutex");
    let own = found.edge("worker", 0);
    assert!(!found.escape.is_shared_site(own.0, own.1));
}

#[test]
fn what_workers_can_notice() {
    let found = workers();
    // Both counter accesses; not the read of what main wrote before, nor private memory.
    assert_eq!(found.visible("worker"), [4, 5]);
    // Blocking and joining; the counter is read after the workers have ended.
    assert_eq!(found.visible("main"), [6, 8, 12]);
    assert_eq!(found.visible("lock"), [1]);
    let (worker, end) = found.edge("worker", 9);
    assert!(!found.escape.is_visible(worker, end, false));
    assert!(found.escape.is_visible(worker, end, true));
}

#[test]
fn what_happens_beside_workers() {
    let found = workers();
    assert!(found.parallel(("worker", 5), ("worker", 5)));
    assert!(!found.parallel(("main", 0), ("worker", 5)));
    assert!(found.parallel(("main", 3), ("worker", 1)));
    assert!(found.parallel(("main", 7), ("worker", 1)));
    assert!(!found.parallel(("main", 9), ("worker", 5)));
    assert!(!found.parallel(("main", 9), ("main", 9)));
}

#[test]
fn which_locks_workers_hold() {
    let found = workers();
    assert_eq!(found.held("worker", 3), "");
    assert_eq!(found.held("worker", 4), "ghost mutex+0");
    assert_eq!(found.held("worker", 6), "ghost mutex+0");
    assert_eq!(found.held("worker", 7), "");
    assert_eq!(found.held("main", 11), "ghost other+0");
    // In all contexts of the wrapper.
    assert_eq!(found.held("lock", 2), "");
}

#[test]
fn threads_of_a_loop_are_many() {
    let found = analyse(&format!(
        "{HEAD}
object @x size 4 align 4 global = zero
function @worker() {{
  local %p: ptr
  locs 5 entry l0 exit l4
  l0 -> l1: %p = alloc heap 4:i64 align 4 \"own\"
  l1 -> l2: store i32 %p, 1:i32
  l2 -> l3: store i32 @x, 1:i32
  l3 -> l4: return
}}
function @main() {{
  local %n: i64
  local %c: i1
  locs 8 entry l0 exit l7
  l0 -> l1: %n = new_thread
  l1 -> l2: spawn %n, @worker()
  l2 -> l3: %c = havoc
  l3 -> l0: assume %c
  l3 -> l4: assume not:i1(%c)
  l4 -> l5: join %n
  l5 -> l7: exit
}}
"
    ));
    assert!(found.threads.templates()[Id::new(1)].is_many);
    assert_eq!(found.shared(), "x");
    assert_eq!(found.visible("worker"), [2]);
    assert!(found.parallel(("worker", 2), ("worker", 2)));
    assert!(found.parallel(("main", 5), ("worker", 2)), "one join does not end them all");
}

#[test]
fn addresses_are_followed() {
    let found = analyse(&format!(
        "{HEAD}
object @a size 8 align 8 global = zero
object @b size 8 align 8 global = zero
object @box size 8 align 8 global = zero reloc 0 @b+0
object @copy size 8 align 8 global = zero
object @table size 16 align 8 constant = zero reloc 0 @first+0 reloc 8 @second+0
object @extern size 8 align 8 global = arbitrary
function @first(%p: ptr) {{
  locs 2 entry l0 exit l1
  l0 -> l1: return
}}
function @second(%p: ptr) {{
  locs 3 entry l0 exit l2
  l0 -> l1: store i32 %p, 1:i32
  l1 -> l2: return
}}
function @never() {{
  locs 3 entry l0 exit l2
  l0 -> l1: store ptr @box, @box
  l1 -> l2: return
}}
function @main() {{
  local %p: ptr
  local %q: ptr
  local %r: ptr
  local %s: ptr
  local %t: ptr
  local %i: i64
  local %j: i64
  local %c: i1
  local %f: ptr
  locs 30 entry l0 exit l29
  l0 -> l1: %p = select(%c, @a, @b)
  l1 -> l2: store i32 %p, 1:i32
  l2 -> l3: store ptr @box, offset(%p, 4:i64)
  l3 -> l4: copy @copy, @box, 8:i64
  l4 -> l5: %q = load ptr @copy
  l5 -> l6: store i32 %q, 1:i32
  l6 -> l7: %i = ptrtoint:ptr:i64(@a)
  l7 -> l8: store i64 @copy, add:i64(%i, 1:i64)
  l8 -> l9: %j = load i64 @copy
  l9 -> l10: %r = inttoptr:i64:ptr(and:i64(ptrtoint:ptr:i64(@a), %j))
  l10 -> l11: store i32 %r, 1:i32
  l11 -> l12: store i32 inttoptr:i64:ptr(%i), 1:i32
  l12 -> l13: store i32 ghost(%p), 1:i32
  l13 -> l14: %s = alloc heap 8:i64 align 8 \"node\"
  l14 -> l15: store ptr %s, %s
  l15 -> l16: %t = load ptr %s
  l16 -> l17: store i32 %t, 1:i32
  l17 -> l18: %f = load ptr @table
  l18 -> l19: call *%f(@b)
  l19 -> l20: %q = load ptr @extern
  l20 -> l21: %c = havoc
  l21 -> l29: exit
}}
"
    ));
    assert_eq!(found.pointees("main", 1), "a b");
    assert_eq!(found.pointees("main", 5), "a b unknown");
    assert_eq!(found.pointees("main", 10), "a b");
    assert_eq!(found.pointees("main", 11), "a unknown");
    assert_eq!(found.pointees("main", 12), "ghost(a) ghost(b)");
    assert_eq!(found.pointees("main", 16), "node");
    assert_eq!(found.pointees("second", 0), "b");
    assert_eq!(found.pointees("never", 0), "", "not reachable");
}

#[test]
fn objects_escape_through_what_others_read() {
    let found = analyse(&format!(
        "{HEAD}
object @public size 8 align 8 global = zero
object @private size 8 align 8 global = zero
object @sum size 8 align 8 global = zero
function @worker(%arg: ptr) {{
  local %p: ptr
  local %x: i32
  locs 7 entry l0 exit l6
  l0 -> l1: %p = load ptr @public
  l1 -> l2: store i32 %p, 1:i32
  l2 -> l3: store i32 %arg, 1:i32
  l3 -> l4: %x = load i32 @sum
  l4 -> l6: return
}}
function @main() {{
  local %n: i64
  local %one: ptr
  local %two: ptr
  local %three: ptr
  local %p: ptr
  local %v: i32
  locs 16 entry l0 exit l15
  l0 -> l1: %one = alloc heap 16:i64 align 8 \"one\"
  l1 -> l2: %two = alloc heap 16:i64 align 8 \"two\"
  l2 -> l3: %three = alloc stack 16:i64 align 8 \"three\"
  l3 -> l4: store ptr @public, %one
  l4 -> l5: store ptr @private, %two
  l5 -> l6: %n = new_thread
  l6 -> l7: spawn %n, @worker(%three)
  l7 -> l8: store i32 %one, 1:i32
  l8 -> l9: %p = load ptr @private
  l9 -> l10: store ptr offset(%p, 8:i64), %two
  l10 -> l11: %v = load i32 %two
  l11 -> l12: store i32 @sum, %v
  l12 -> l13: store i32 %three, 1:i32
  l13 -> l15: exit
}}
"
    ));
    assert_eq!(found.shared(), "public sum");
    let is_shared = |loc| {
        let (function, edge) = found.edge("main", loc);
        found.escape.is_shared_site(function, edge)
    };
    assert!(is_shared(0), "`one` is reached through `public`");
    assert!(!is_shared(1), "`two` is only in `private`, and an integer read from it is no pointer");
    assert!(is_shared(2), "`three` is passed to the thread");
    assert_eq!(found.visible("worker"), [1, 2, 3]);
    assert_eq!(found.visible("main"), [5, 6, 7, 11, 12, 13]);
}

#[test]
fn what_ends_runs_is_visible() {
    let found = analyse(&format!(
        "{HEAD}
function @main() {{
  local %c: i1
  locs 8 entry l0 exit l7
  l0 -> l1: assume %c
  l1 -> l2: assume %c
  l1 -> l3: assume not:i1(%c)
  l2 -> l4: skip
  l3 -> l5: skip
  l5 -> l7: exit
}}
function @unreached() {{
  locs 3 entry l0 exit l2
  l0 -> l1: skip
  l1 -> l2: return
}}
"
    ));
    assert_eq!(found.visible("main"), [0, 2, 5]);
    assert_eq!(found.visible("unreached"), [0, 1]);
}

#[test]
fn locks_are_given_up_by_what_may_unlock_them() {
    let found = analyse(&format!(
        "{HEAD}
object @locks size 16 align 8 global = zero
object @other size 16 align 8 global = zero
function @helper(%m: ptr) {{
  local %c: i1
  locs 5 entry l0 exit l4
  l0 -> l1: %c = havoc
  l1 -> l2: assume %c
  l1 -> l3: assume not:i1(%c)
  l2 -> l3: unlock %m
  l3 -> l4: return
}}
function @main() {{
  local %i: i64
  locs 14 entry l0 exit l13
  l0 -> l1: lock @locks
  l1 -> l2: lock offset(@locks, 8:i64)
  l2 -> l3: lock @other
  l3 -> l4: store i32 offset(@locks, 4:i64), 0:i32
  l4 -> l5: call @helper(offset(@locks, 8:i64))
  l5 -> l6: unlock @other
  l6 -> l7: %i = havoc
  l7 -> l8: lock offset(@other, %i)
  l8 -> l9: unlock offset(@locks, %i)
  l9 -> l13: exit
}}
"
    ));
    assert_eq!(found.held("main", 3), "locks+0 locks+8 other+0");
    assert_eq!(found.held("main", 4), "locks+0 locks+8 other+0");
    assert_eq!(found.held("helper", 0), "locks+0 locks+8 other+0");
    assert_eq!(found.held("helper", 3), "locks+0 other+0");
    assert_eq!(found.held("main", 5), "locks+0 other+0");
    assert_eq!(found.held("main", 8), "locks+0");
    assert_eq!(found.held("main", 9), "");
}

#[test]
fn grandchildren_outlive_their_parents() {
    let text = |last: &str| {
        format!(
            "{HEAD}
object @x size 4 align 4 global = zero
function @grandchild() {{
  locs 3 entry l0 exit l2
  l0 -> l1: store i32 @x, 1:i32
  l1 -> l2: return
}}
function @child() {{
  local %n: i64
  locs 5 entry l0 exit l4
  l0 -> l1: %n = new_thread
  l1 -> l2: spawn %n, @grandchild()
  l2 -> l3: {last}
  l3 -> l4: return
}}
function @main() {{
  local %n: i64
  locs 6 entry l0 exit l5
  l0 -> l1: %n = new_thread
  l1 -> l2: spawn %n, @child()
  l2 -> l3: join %n
  l3 -> l4: store i32 @x, 2:i32
  l4 -> l5: exit
}}
"
        )
    };
    assert!(analyse(&text("skip")).parallel(("main", 3), ("grandchild", 0)));
    assert!(!analyse(&text("join %n")).parallel(("main", 3), ("grandchild", 0)));
}

#[test]
fn a_join_that_would_fail_for_oneself_joins_others() {
    let found = analyse(&format!(
        "{HEAD}
object @number size 8 align 8 global = zero
object @x size 4 align 4 global = zero
function @join(%n: i64) {{
  locs 4 entry l0 exit l3
  l0 -> l1: assume eq:i64(%n, self)
  l0 -> l2: assume ne:i64(%n, self)
  l2 -> l1: join %n
  l1 -> l3: return
}}
function @grandchild() {{
  locs 3 entry l0 exit l2
  l0 -> l1: store i32 @x, 1:i32
  l1 -> l2: return
}}
function @child() {{
  local %n: i64
  local %m: i64
  locs 7 entry l0 exit l6
  l0 -> l1: %n = new_thread
  l1 -> l2: spawn %n, @grandchild()
  l2 -> l3: %m = load i64 @number seq_cst
  l3 -> l4: call @join(%m)
  l4 -> l5: store i32 @x, 2:i32
  l5 -> l6: return
}}
function @main() {{
  local %n: i64
  locs 7 entry l0 exit l6
  l0 -> l1: %n = new_thread
  l1 -> l2: store i64 @number, %n seq_cst
  l2 -> l3: spawn %n, @child()
  l3 -> l4: call @join(%n)
  l4 -> l5: store i32 @x, 3:i32
  l5 -> l6: exit
}}
"
    ));
    assert!(found.parallel(("main", 3), ("child", 4)));
    assert!(!found.parallel(("main", 4), ("child", 4)));
    assert!(found.parallel(("child", 4), ("grandchild", 0)), "joining oneself ends nobody, and goes on");
}

#[test]
fn recursion_and_endless_loops_come_to_an_end() {
    let found = analyse(&format!(
        "{HEAD}
object @x size 4 align 4 global = zero
object @m size 4 align 4 global = zero
function @even(%n: i32) {{
  local %c: i1
  locs 7 entry l0 exit l6
  l0 -> l1: lock @m
  l1 -> l2: call @odd(sub:i32(%n, 1:i32))
  l2 -> l3: unlock @m
  l3 -> l6: return
}}
function @odd(%n: i32) {{
  local %t: i64
  locs 7 entry l0 exit l6
  l0 -> l1: %t = new_thread
  l1 -> l2: spawn %t, @even(%n)
  l2 -> l3: assume eq:i32(%n, 0:i32)
  l2 -> l4: assume ne:i32(%n, 0:i32)
  l3 -> l6: return
  l4 -> l5: call @even(%n)
  l5 -> l6: return
}}
function @main() {{
  locs 3 entry l0 exit l2
  l0 -> l1: call @even(3:i32)
  l1 -> l1: store i32 @x, 1:i32
}}
"
    ));
    assert_eq!(found.held("even", 1), "m+0");
    assert_eq!(found.held("odd", 0), "m+0");
    assert!(found.parallel(("even", 0), ("odd", 1)));
    assert!(found.parallel(("main", 1), ("odd", 1)));
}

#[test]
fn addresses_escape_as_integers() {
    let text = |load: &str| {
        format!(
            "{HEAD}
object @g size 8 align 8 global = zero
function @worker() {{
  local %p: ptr
  local %i: i64
  locs 5 entry l0 exit l4
  l0 -> l1: {load}
  l1 -> l2: store i32 %p, 1:i32
  l2 -> l4: return
}}
function @main() {{
  local %n: i64
  local %p: ptr
  locs 7 entry l0 exit l6
  l0 -> l1: %p = alloc heap 8:i64 align 8 \"site\"
  l1 -> l2: store i64 @g, ptrtoint:ptr:i64(%p)
  l2 -> l3: %n = new_thread
  l3 -> l4: spawn %n, @worker()
  l4 -> l5: store i32 %p, 2:i32
  l5 -> l6: exit
}}
"
        )
    };
    let found = analyse(&text("%p = load ptr @g"));
    let (main, site) = found.edge("main", 0);
    assert!(found.escape.is_shared_site(main, site));
    assert_eq!(found.visible("main"), [2, 3, 4, 5]);
    assert_eq!(found.visible("worker"), [1]);
    let found = analyse(&text("%i = load i64 @g"));
    assert!(!found.escape.is_shared_site(main, site), "nothing makes the integer a pointer again");
    assert_eq!(found.visible("main"), [2, 3, 5]);
}

#[test]
fn the_end_of_memory_is_seen_by_who_uses_it() {
    let found = analyse(&format!(
        "{HEAD}
object @own size 4 align 4 thread-local = zero
object @untouched size 4 align 4 thread-local = zero
function @worker(%lock: ptr) {{
  locs 3 entry l0 exit l2
  l0 -> l1: unlock ghost(%lock)
  l1 -> l2: return
}}
function @reader(%p: ptr) {{
  local %x: i32
  locs 3 entry l0 exit l2
  l0 -> l1: %x = load i32 %p
  l1 -> l2: return
}}
function @other(%p: ptr) {{
  local %x: i32
  locs 3 entry l0 exit l2
  l0 -> l1: %x = load i32 %p
  l1 -> l2: return
}}
function @helper() {{
  local %n: i64
  local %p: ptr
  locs 6 entry l0 exit l5
  l0 -> l1: %p = alloc stack 4:i64 align 4 \"local\"
  l1 -> l2: %n = new_thread
  l2 -> l3: spawn %n, @reader(%p)
  l3 -> l5: return
}}
function @main() {{
  local %n: i64
  local %m: i64
  local %p: ptr
  locs 10 entry l0 exit l9
  l0 -> l1: %p = alloc heap 8:i64 align 8 \"lock\"
  l1 -> l2: %n = new_thread
  l2 -> l3: spawn %n, @worker(%p)
  l3 -> l4: free %p
  l4 -> l5: call @helper()
  l5 -> l6: %m = new_thread
  l6 -> l7: spawn %m, @other(@own)
  l7 -> l8: store i32 @untouched, 1:i32
  l8 -> l9: exit
}}
"
    ));
    // The free ends the ghost that the worker uses, and the return the memory that the reader reads.
    assert_eq!(found.visible("main"), [1, 2, 3, 5, 6, 8]);
    assert_eq!(found.visible("worker"), [0]);
    assert_eq!(found.visible("helper"), [1, 2, 3]);
    assert_eq!(found.visible("reader"), [0]);
    // A thread's own copy ends with the thread.
    assert_eq!(found.visible("other"), [0]);
    assert_eq!(found.shared(), "own");
}
