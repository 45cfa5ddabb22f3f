//! The lowering of C, as text.

use front::{load_text, LoadOptions};
use ir::{DataModel, Program};

fn program_with(text: &str, options: &LoadOptions) -> Program {
    let (program, diagnostics) = load_text("test.c", text, options);
    program.unwrap_or_else(|| panic!("{}", diagnostics[0]))
}

/// The edges of a function, without positions.
fn edges(program: &Program, name: &str) -> String {
    let id = program.function_named(name).unwrap_or_else(|| panic!("{name} should be in the program"));
    let text = ir::print::print_function(program, id);
    let lines = text.lines().filter(|line| line.contains(" -> l") && line.starts_with("  l"));
    lines.map(|line| format!("{}\n", line.trim().split(" at f").next().unwrap_or(""))).collect()
}

/// Checks the edges of function `f` of a C text, to which a `main` that refers to `f` is added.
#[track_caller]
fn check(text: &str, expected: &str) {
    let text = format!("{text}\nvoid *volatile keep;\nint main(void) {{ keep = (void *)f; return 0; }}\n");
    let program = program_with(&text, &LoadOptions::default());
    let lines = expected.lines().map(str::trim).filter(|line| !line.is_empty());
    let expected: String = lines.map(|line| format!("{line}\n")).collect();
    let got = edges(&program, "f");
    assert_eq!(got, expected, "\n{got}");
}

#[test]
fn one_shared_access_per_statement() {
    check(
        "int balance; int f(void) { int b = balance; b = balance + 50; balance = b; return b; }",
        "
        l0 -> l2: %b = load i32 @balance
        l2 -> l3: %t2 = load i32 @balance
        l3 -> l4: %b = add:i32(%t2, 50:i32)
        l4 -> l5: store i32 @balance, %b
        l5 -> l1: return %b
        ",
    );
}

#[test]
fn old_values_are_kept_when_a_variable_changes() {
    check(
        "int f(int n) { int m = n-- + n; return n++ - m; }",
        "
        l0 -> l2: %t1 = %n
        l2 -> l3: %n = add:i32(%n, 4294967295:i32)
        l3 -> l4: %m = add:i32(%t1, %n)
        l4 -> l5: %t2 = %n
        l5 -> l6: %n = add:i32(%n, 1:i32)
        l6 -> l1: return sub:i32(%t2, %m)
        ",
    );
}

#[test]
fn conditions_are_exclusive_branches() {
    check(
        "int f(int x, int y) { return x > 1 && y; }",
        "
        l0 -> l2: assume slt:i32(1:i32, %x)
        l0 -> l3: assume sle:i32(%x, 1:i32)
        l2 -> l4: %t1 = ne:i32(%y, 0:i32)
        l3 -> l4: %t1 = 0:i1
        l4 -> l1: return zext:i1:i32(%t1)
        ",
    );
    check(
        "void f(unsigned c) { switch (c) { case 1: c = 5; break; case 2: case 3: c = 6; } }",
        "
        l0 -> l2: %t1 = %c
        l2 -> l3: assume eq:i32(%t1, 1:i32)
        l2 -> l4: assume eq:i32(%t1, 2:i32)
        l2 -> l4: assume eq:i32(%t1, 3:i32)
        l2 -> l5: assume and:i1(ne:i32(%t1, 1:i32), and:i1(ne:i32(%t1, 2:i32), ne:i32(%t1, 3:i32)))
        l3 -> l5: %c = 5:i32
        l4 -> l5: %c = 6:i32
        l5 -> l1: return
        ",
    );
    check("void f(void) { for (;;) ; }", "\nl0 -> l0: skip\n");
}

#[test]
fn undefined_divisions_are_not_modelled() {
    check(
        "unsigned f(unsigned a, unsigned b) { return a / b + a % 3; }",
        "
        l0 -> l2: assume eq:i32(%b, 0:i32)
        l0 -> l3: assume ne:i32(%b, 0:i32)
        l2 -> l4: unmodelled \"a division that is undefined (by zero, or with too large a result)\"
        l3 -> l1: return add:i32(udiv:i32(%a, %b), urem:i32(%a, 3:i32))
        ",
    );
    check(
        "int f(int a) { return a % -1; }",
        "
        l0 -> l2: assume eq:i32(%a, 2147483648:i32)
        l0 -> l3: assume ne:i32(%a, 2147483648:i32)
        l2 -> l4: unmodelled \"a division that is undefined (by zero, or with too large a result)\"
        l3 -> l1: return srem:i32(%a, 4294967295:i32)
        ",
    );
}

#[test]
fn addresses_are_exact() {
    check(
        "struct s { short a; int b[4]; } v[3]; int f(int i, long j) { return v[i].b[j]; }",
        "
        l0 -> l2: %t1 = load i32 offset(@v, add:i64(add:i64(mul:i64(sext:i32:i64(%i), 20:i64), 4:i64), mul:i64(%j, 4:i64)))
        l2 -> l1: return %t1
        ",
    );
    check("long f(int *a, int *b) { return b - a; }", "\nl0 -> l1: return sdiv:i64(sub:ptr(%b, %a), 4:i64)\n");
    check(
        "_Bool f(char *p) { return (char *)((unsigned long)p + 3) == p; }",
        "\nl0 -> l1: return eq:ptr(offset(%p, 3:i64), %p)\n",
    );
}

#[test]
fn variables_whose_address_is_taken_are_objects() {
    check(
        "int *p; void f(void) { int x; p = &x; x = 3; }",
        "
        l0 -> l2: %x = alloc stack 4:i64 align 4 \"x\"
        l2 -> l3: store ptr @p, %x
        l3 -> l4: store i32 %x, 3:i32
        l4 -> l1: return
        ",
    );
}

#[test]
fn a_variable_declared_again_is_arbitrary_again() {
    check(
        "int f(int n) { int last = 0; do { int x; if (n == 1) x = 4; last = x; } while (n--); return last; }",
        "
        l0 -> l2: %last = 0:i32
        l2 -> l3: %x = havoc
        l3 -> l4: assume eq:i32(%n, 1:i32)
        l3 -> l5: assume ne:i32(%n, 1:i32)
        l4 -> l5: %x = 4:i32
        l5 -> l6: %last = %x
        l6 -> l7: %t1 = %n
        l7 -> l8: %n = add:i32(%n, 4294967295:i32)
        l8 -> l2: assume ne:i32(%t1, 0:i32)
        l8 -> l9: assume eq:i32(%t1, 0:i32)
        l9 -> l1: return %last
        ",
    );
}

#[test]
fn atomics_keep_their_orders() {
    check(
        "void f(_Atomic int *p, volatile int *q) {
            *p += 2;
            __atomic_store_n(p, 1, __ATOMIC_RELEASE);
            __atomic_thread_fence(__ATOMIC_ACQ_REL);
            __atomic_signal_fence(__ATOMIC_SEQ_CST);
            __atomic_load_n(p, __ATOMIC_CONSUME);
            __sync_lock_test_and_set(q, 5);
            *q = 4;
        }",
        "
        l0 -> l2: %t1 = rmw add i32 %p, 2:i32 seq_cst
        l2 -> l3: store i32 %p, 1:i32 release
        l3 -> l4: fence acq_rel
        l4 -> l5: %t2 = load i32 %p acquire
        l5 -> l6: %t3 = rmw xchg i32 %q, 5:i32 seq_cst
        l6 -> l7: store i32 %q, 4:i32 volatile
        l7 -> l1: return
        ",
    );
    check(
        "_Bool f(int *p) { int e = 1; return __atomic_compare_exchange_n(p, &e, 2, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED); }",
        "
        l0 -> l2: %e = 1:i32
        l2 -> l3: %t1, %t2 = cmpxchg weak i32 %p, %e, 2:i32 acq_rel relaxed
        l3 -> l4: assume %t2
        l3 -> l5: assume not:i1(%t2)
        l4 -> l6: %t3 = zext:i1:i8(%t2)
        l5 -> l4: %e = %t1
        l6 -> l1: return trunc:i8:i1(%t3)
        ",
    );
}

#[test]
fn functions_of_verifiers() {
    check(
        "extern unsigned char __VERIFIER_nondet_uchar(); extern int __VERIFIER_nondet_bool(); extern void __VERIFIER_assume();
         int x; void reach_error() { x = 4; }
         void f(void) { unsigned char c = __VERIFIER_nondet_uchar(); __VERIFIER_assume(c); if (__VERIFIER_nondet_bool()) reach_error(); }",
        "
        l0 -> l2: %c = havoc
        l2 -> l3: assume ne:i8(%c, 0:i8)
        l3 -> l4: %t2 = havoc below 2:i32
        l4 -> l5: assume ne:i32(%t2, 0:i32)
        l4 -> l6: assume eq:i32(%t2, 0:i32)
        l5 -> l7: assert 0:i1, uncalled reach_error
        l6 -> l1: return
        l7 -> l1: exit
        ",
    );
    let program = program_with(
        "int x; static void __VERIFIER_atomic_inc(void) { if (x) return; x = 1; } int main(void) { __VERIFIER_atomic_inc(); }",
        &LoadOptions::default(),
    );
    let text = edges(&program, "__VERIFIER_atomic_inc");
    assert!(text.starts_with("l0 -> l2: atomic_begin\n") && text.contains(": atomic_end\n"), "{text}");
}

#[test]
fn assertions_say_what_failed() {
    check(
        "#include <assert.h>\nvoid f(int x) { assert(x == 1 && \"really\"); }",
        "
        l0 -> l2: assume eq:i32(%x, 1:i32)
        l0 -> l3: assume ne:i32(%x, 1:i32)
        l2 -> l1: return
        l3 -> l4: assert 0:i1, asserted \"x == 1 && \\\"really\\\"\"
        l4 -> l1: exit
        ",
    );
}

#[test]
fn what_is_not_known_is_unmodelled_where_it_is_reached() {
    check(
        "extern int unknown(int); extern int elsewhere; int f(int x) { if (x) return unknown(x); return elsewhere; }",
        "
        l0 -> l2: assume ne:i32(%x, 0:i32)
        l0 -> l3: assume eq:i32(%x, 0:i32)
        l2 -> l4: unmodelled call \"unknown\"
        l3 -> l5: %retval = load i32 @elsewhere
        l5 -> l1: return %retval
        ",
    );
    check("long double f(long double x) { return x * 2; }", "\nl0 -> l2: unmodelled \"arithmetic on x86_fp80\"\n");
}

#[test]
fn inline_assembly() {
    check(
        "int f(int x) {
            __asm__ volatile(\"\" ::: \"memory\");
            __asm__ volatile(\"lock; addl $0,0(%%rsp)\" ::: \"memory\");
            __asm__ volatile(\"rep; nop\\n\\tmfence\");
            __asm__(\"\" : \"+r\"(x));
            __asm__ volatile(\"cpuid\" ::: \"eax\");
            return x;
        }",
        "
        l0 -> l2: fence seq_cst
        l2 -> l3: fence seq_cst
        l3 -> l4: unmodelled \"asm \\\"cpuid\\\"\"
        ",
    );
}

#[test]
fn calls_fit_whatever_was_declared() {
    check(
        "int g(long a, short b) { return a + b; } long h(int *a) { return *a; } int k(int a, int b) { return a + b; }
         long f(char *p) {
            ((int (*)(char *, int, int))g)(p, 1, 2);
            void *r = ((void *(*)(long))h)(1L);
            ((void (*)(int))k)(3);
            return (long)r;
         }",
        "
        l0 -> l2: call @g(ptrtoint:ptr:i64(%p), 1:i16)
        l2 -> l3: %t1 = call @h(inttoptr:i64:ptr(1:i64))
        l3 -> l4: %r = inttoptr:i64:ptr(%t1)
        l4 -> l5: call @k(3:i32)
        l5 -> l1: return ptrtoint:ptr:i64(%r)
        ",
    );
}

#[test]
fn variable_arguments_lie_in_an_area() {
    check(
        "int g(int n, ...) { __builtin_va_list v; __builtin_va_start(v, n); return n; }
         int f(int n) { while (n--) g(n, 2.5, n); return n; }",
        "
        l0 -> l2: %varargs = alloc stack 16:i64 align 16 \"variable arguments\"
        l2 -> l3: %t1 = %n
        l3 -> l4: %n = add:i32(%n, 4294967295:i32)
        l4 -> l5: assume ne:i32(%t1, 0:i32)
        l4 -> l6: assume eq:i32(%t1, 0:i32)
        l5 -> l7: store i64 %varargs, 4612811918334230528:i64
        l6 -> l1: return %n
        l7 -> l8: store i32 offset(%varargs, 8:i64), %n
        l8 -> l2: call @g(%n, %varargs)
        ",
    );
}

#[test]
fn structures_by_value() {
    check(
        "struct p { int x, y; }; struct p g(struct p a) { a.x++; return a; } int f(struct p a) { return g(a).y; }",
        "
        l0 -> l2: %a = alloc stack 8:i64 align 4 \"a\"
        l2 -> l3: %coerce = alloc stack 8:i64 align 4 \"coerce\"
        l3 -> l4: store i64 %a, %a_coerce
        l4 -> l5: %t1 = load i64 %a
        l5 -> l6: %t2 = call @g(%t1)
        l6 -> l7: store i64 %coerce, %t2
        l7 -> l8: %t3 = load i32 offset(%coerce, 4:i64)
        l8 -> l1: return %t3
        ",
    );
}

#[test]
fn static_objects() {
    let text = "
        struct s { char c; int *p; void (*f)(void); double d; } v = { 'a', 0, 0, 0.5 };
        int a[3] = { 1, 2, 3 }; int *middle = a + 1; static const char text[] = \"hi\"; const char *words[2] = { text + 1 };
        void g(void) {}
        struct s w = { .p = &a[2], .f = g };
        _Thread_local int t = 5; extern int outside; long diff = (char *)&a[2] - (char *)&a[0]; int unused = 3;
        int main(void) { return v.c + *middle + *words[0] + w.c + t + outside + diff; }";
    let program = program_with(text, &LoadOptions::default());
    let printed = ir::print(&program);
    let objects: Vec<&str> = printed.lines().filter(|line| line.starts_with("object")).collect();
    let without_place = |line: &&str| match (line.find(" at f"), line.find(" = ")) {
        (Some(from), Some(to)) => format!("{}{}", &line[..from], &line[to..]),
        _ => (*line).to_owned(),
    };
    let objects: Vec<String> = objects.iter().map(without_place).collect();
    let expected = [
        "object @v size 32 align 8 global = bytes 610000000000000000000000000000000000000000000000000000000000e03f",
        "object @middle size 8 align 8 global = zero reloc 0 @a+4",
        "object @words size 16 align 16 global = zero reloc 0 @text+1",
        "object @w size 32 align 8 global = zero reloc 8 @a+8 reloc 16 @g+0",
        "object @t size 4 align 4 thread-local = bytes 05",
        "object @outside size 4 align 4 global = arbitrary",
        "object @diff size 8 align 8 global = bytes 08",
        "object @a size 12 align 4 global = bytes 010000000200000003",
        "object @text size 3 align 1 constant = bytes 6869",
    ];
    assert_eq!(objects, expected, "{printed}");
}

#[test]
fn data_models() {
    let text = "long x; int main(void) { x = 1; return sizeof x + sizeof(void *); }";
    for (model, size, sum) in [(DataModel::Ilp32, 4, 8), (DataModel::Lp64, 8, 16)] {
        let program = program_with(text, &LoadOptions { data_model: Some(model), ..LoadOptions::default() });
        assert_eq!(program.data_model, model);
        assert_eq!(program.objects[program.object_named("x").unwrap()].size, size);
        assert!(edges(&program, "main").contains(&format!("return {sum}:i32")));
    }
}

#[test]
fn positions_are_those_of_the_source() {
    let program = program_with("int x;\n\nint main(void) {\n    x = 1;\n    return 0;\n}\n", &LoadOptions::default());
    let main = &program.functions[program.function_named("main").unwrap()];
    let places: Vec<String> = main.edges.iter().map(|edge| program.place(edge.span)).collect();
    assert_eq!(places, ["test.c:4", "test.c:5"]);
    assert_eq!(program.place(main.span), "test.c:3");
    assert_eq!(program.place(program.objects[program.object_named("x").unwrap()].span), "test.c:1");
}

#[test]
fn names_are_those_of_the_source() {
    let program = program_with(
        "int main(int argc, char **argv) { int i = argc; for (int i = 0; i < 2; i++) { int i = 3; argc += i; } return i + argc; }",
        &LoadOptions::default(),
    );
    let main = &program.functions[program.function_named("main").unwrap()];
    let names: Vec<&str> = main.locals.iter().map(|local| local.name.as_str()).collect();
    assert_eq!(names, ["argc", "argv", "i", "i.2", "i.3"]);
}
