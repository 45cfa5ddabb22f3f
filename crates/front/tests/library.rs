//! Functions that need not be thread-safe: each accesses a hidden object, and only such functions access hidden
//! objects.

use front::{load_text, Libc, LoadOptions};
use ir::{Expr, Program, Stmt, THREAD_UNSAFE};
use std::collections::BTreeSet;

/// A program that calls a function, whatever its parameters are.
fn calling(name: &str, libc: Libc) -> Program {
    let text = format!("void *{name}();\nint main(void) {{ {name}(); return 0; }}\n");
    let options = LoadOptions { libc, ..LoadOptions::default() };
    let (program, diagnostics) = load_text("call.c", &text, &options);
    program.unwrap_or_else(|| panic!("{name}: {diagnostics:?}"))
}

/// The functions that access hidden objects, by their public names.
fn touching(program: &Program) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for ((function, _), stmt) in program.statements() {
        let touches = stmt.touches();
        let is_hidden = |ptr: &Expr| matches!(ptr, Expr::Object(object) if program.objects[*object].is_hidden);
        if touches.iter().any(|touch| is_hidden(touch.ptr)) {
            assert!(matches!(stmt, Stmt::Load { .. } | Stmt::Store { .. }), "{stmt:?}");
            found.insert(program.library_name(function).expect("a function of the library").to_owned());
        }
    }
    found
}

#[test]
fn each_function_of_the_table_touches_what_it_keeps() {
    for function in THREAD_UNSAFE {
        // Those for which only glibc's manual says so.
        let is_safe = ["erand48", "jrand48", "nrand48"].contains(&function.name);
        let libc = if is_safe { Libc::Glibc } else { Libc::Standard };
        assert!(!is_safe || touching(&calling(function.name, Libc::Standard)).is_empty(), "{}", function.name);
        assert_eq!(touching(&calling(function.name, libc)), BTreeSet::from([function.name.to_owned()]));
        assert!(touching(&calling(function.name, Libc::ThreadSafe)).is_empty(), "{}", function.name);
    }
}

#[test]
fn glibc_promises_more() {
    for (name, is_safe) in [
        ("rand", true),
        ("srand", true),
        ("strerror", true),
        ("strtok", false),
        ("localtime", false),
        ("getenv", false),
    ] {
        assert_eq!(touching(&calling(name, Libc::Glibc)).is_empty(), is_safe, "{name}");
    }
}
